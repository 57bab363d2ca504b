//! What the compiler tells its user: one [`Diagnostic`] type for every stage.
//!
//! A stage pushes diagnostics into a [`Diagnostics`] and goes on; the driver renders them once, sorted by place.
//! Each diagnostic has a [`Code`], and each code is one file in `codes/` with an explanation and two examples that
//! are tests: the wrong one is refused with that code, the right one is accepted.

pub mod codes;
pub mod levels;
pub mod render;

use crate::source::Span;
use rustc_hash::FxHashSet;

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

impl Code {
    /// Does it only warn? Such codes are allowed and denied by their names.
    pub fn is_warning(&self) -> bool {
        (800..900).contains(&self.number)
    }
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
    /// What explains it and stands in no place: links of a chain of causes, one a line.
    pub notes: Vec<String>,
    /// What to write instead.
    pub help: Option<String>,
    /// Changes of the text that put it right, as tools apply them; one of them is enough.
    pub fixes: Vec<Fix>,
}

/// A change that puts right what a diagnostic is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What it does, in a few words.
    pub title: String,
    /// Its parts, which go together.
    pub edits: Vec<Edit>,
}

/// A range of text and what is to stand there instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// What goes; without width, nothing does.
    pub span: Span,
    /// What comes.
    pub text: String,
}

impl Edit {
    /// `text` instead of what stands at `span`.
    pub fn replace(span: Span, text: impl Into<String>) -> Self {
        Edit { span, text: text.into() }
    }

    /// `text` in front of what stands at `span`.
    pub fn before(span: Span, text: impl Into<String>) -> Self {
        Edit { span: Span { end: span.start, ..span }, text: text.into() }
    }

    /// What stands at `span` in brackets, behind `text`.
    pub fn wrap(text: &str, span: Span) -> Vec<Self> {
        vec![Edit::before(span, format!("{text}(")), Edit::behind(span, ")")]
    }

    /// `text` behind what stands at `span`.
    pub fn behind(span: Span, text: impl Into<String>) -> Self {
        Edit { span: Span { start: span.end, ..span }, text: text.into() }
    }
}

impl Diagnostic {
    /// An error at `span`.
    pub fn error(code: &'static Code, span: Span, message: impl Into<String>) -> Self {
        let (message, label) = (message.into(), String::new());
        let (labels, notes, fixes) = (Vec::new(), Vec::new(), Vec::new());
        Diagnostic { severity: Severity::Error, code, message, span, label, labels, notes, help: None, fixes }
    }

    /// A warning at `span`.
    pub fn warning(code: &'static Code, span: Span, message: impl Into<String>) -> Self {
        debug_assert!(code.is_warning(), "`{}` is no warning by its number", code.name);
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

    /// Adds an explanation without a place, behind those that are there.
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Sets the suggestion.
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Suggests the name that was meant, if there is one.
    pub fn with_guess(self, span: Span, meant: Option<&str>) -> Self {
        match meant {
            Some(meant) => self.with_fix(format!("did you mean `{meant}`?"), vec![Edit::replace(span, meant)]),
            None => self,
        }
    }

    /// Says what stands for a foreign word at `span`, where `name` takes its place as it is.
    pub fn with_instead(self, span: Span, name: Option<&str>, help: &str) -> Self {
        match name {
            Some(name) => self.with_fix(help, vec![Edit::replace(span, name)]),
            None => self.with_help(help),
        }
    }

    /// Says what to do, with the change that does it where that is known.
    pub fn with_change(self, help: impl Into<String>, edits: Option<Vec<Edit>>) -> Self {
        match edits {
            Some(edits) => self.with_fix(help, edits),
            None => self.with_help(help),
        }
    }

    /// Adds a change that puts it right. What it does is the suggestion, where there is no other.
    pub fn with_fix(mut self, title: impl Into<String>, edits: Vec<Edit>) -> Self {
        let title = title.into();
        self.help.get_or_insert_with(|| title.clone());
        self.fixes.push(Fix { title, edits });
        self
    }

    /// What an exact repetition has in common with it.
    fn key(&self) -> Key {
        (self.code.number, self.span, self.message.clone())
    }
}

/// What tells two diagnostics apart.
type Key = (u16, Span, String);

/// The diagnostics of one run.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    known: FxHashSet<Key>,
    errors: usize,
}

impl Diagnostics {
    /// None yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one; an exact repetition (same code, place and message) is dropped.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        if self.known.insert(diagnostic.key()) {
            self.errors += usize::from(diagnostic.severity == Severity::Error);
            self.list.push(diagnostic);
        }
    }

    /// Is there an error among them?
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// All of them in order of arrival.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.list.iter()
    }

    /// Those that came after the first `len`.
    pub fn after(&self, len: usize) -> &[Diagnostic] {
        self.list.get(len..).unwrap_or_default()
    }

    /// What came after the first `len`, to add to it.
    pub fn after_mut(&mut self, len: usize) -> &mut [Diagnostic] {
        self.list.get_mut(len..).unwrap_or_default()
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
        drop(self.split_off(len));
    }

    /// Takes out what came after the first `len`.
    pub fn split_off(&mut self, len: usize) -> Vec<Diagnostic> {
        let taken = self.list.split_off(len.min(self.list.len()));
        for diagnostic in &taken {
            self.known.remove(&diagnostic.key());
            self.errors -= usize::from(diagnostic.severity == Severity::Error);
        }
        taken
    }

    /// Sorts by file and position.
    pub fn sort(&mut self) {
        self.list.sort_by_key(|d| (d.span, d.severity));
    }
}
