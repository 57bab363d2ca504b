//! What the compiler tells its user: one [`Diagnostic`] type for every stage.
//!
//! A stage pushes diagnostics into a [`Diagnostics`] and goes on; the driver renders them once, sorted by place.
//! Each diagnostic has a [`Code`], and each code is one file in `codes/` with an explanation and two examples that
//! are tests: the wrong one is refused with that code, the right one is accepted.

pub mod codes;
pub mod render;

use crate::source::Span;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// The program is refused.
    Error,
    /// The program is accepted.
    Warning,
}

/// A kind of diagnostic.
#[derive(Debug, PartialEq, Eq)]
pub struct Code {
    /// Unique; printed as `E0042`.
    pub number: u16,
    /// Unique; in tests `error[length-mismatch]`.
    pub name: &'static str,
    /// One sentence: what is wrong.
    pub message: &'static str,
    /// Why the language refuses it (or the compiler warns), and what to do; a few sentences, citing the rule.
    pub why: &'static str,
    /// A whole program that gives this code.
    pub wrong: &'static str,
    /// The program put right.
    pub right: &'static str,
}

/// One message with its places.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// Its kind.
    pub code: &'static Code,
    /// One sentence in lower case without a full stop, naming the types, lengths and names involved.
    pub message: String,
    /// The narrowest text that is wrong.
    pub span: Span,
    /// What to say at the primary place; empty: the message alone.
    pub label: String,
    /// Other places that explain it.
    pub labels: Vec<(Span, String)>,
    /// What to write instead.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error at `span`.
    pub fn error(code: &'static Code, span: Span, message: impl Into<String>) -> Self {
        let (message, label) = (message.into(), String::new());
        Diagnostic { severity: Severity::Error, code, message, span, label, labels: Vec::new(), help: None }
    }

    /// A warning at `span`.
    pub fn warning(code: &'static Code, span: Span, message: impl Into<String>) -> Self {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(code, span, message) }
    }

    /// Sets the text at the primary place.
    pub fn with_label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Adds a secondary place.
    pub fn with_secondary(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push((span, text.into()));
        self
    }

    /// Sets the suggestion.
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// The diagnostics of one run.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
}

impl Diagnostics {
    /// None yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one; an exact repetition (same code, place and message) is dropped.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        let same = |d: &Diagnostic| d.code == diagnostic.code && d.span == diagnostic.span && d.message == diagnostic.message;
        if !self.list.iter().any(same) {
            self.list.push(diagnostic);
        }
    }

    /// Is there an error among them?
    pub fn has_errors(&self) -> bool {
        self.list.iter().any(|d| d.severity == Severity::Error)
    }

    /// All of them in order of arrival.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.list.iter()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Takes back what came after the first `len`: for a stage that tries something.
    pub fn truncate(&mut self, len: usize) {
        self.list.truncate(len);
    }

    /// Takes out what came after the first `len`.
    pub fn split_off(&mut self, len: usize) -> Vec<Diagnostic> {
        self.list.split_off(len.min(self.list.len()))
    }

    /// Sorts by file and position.
    pub fn sort(&mut self) {
        self.list.sort_by_key(|d| (d.span, d.severity));
    }
}
