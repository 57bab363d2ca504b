//! Which warnings are told: `--warn`, `--allow` and `--deny` of the command, `[[allow("name")]]` in the text.
//!
//! ```text
//! --deny warnings --allow conflicting-lanes       all warnings are errors but that one, which is not told
//! [[allow("scalar-under-mask")]] n = 1;           whatever the command says
//! ```

use super::{Code, Diagnostics, Severity, codes};
use crate::source::Span;

/// What becomes of a warning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// It is not told.
    Allow,
    /// It is told.
    Warn,
    /// It is an error.
    Deny,
}

/// Warnings that are meant: one kind, or all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Warnings {
    /// `warnings`
    All,
    /// Those of a code.
    Of(&'static Code),
}

impl Warnings {
    /// Those of this name; of a code, its number will do.
    ///
    /// # Errors
    /// Where there are none of this name: what was perhaps meant.
    pub fn from_name(name: &str) -> Result<Warnings, String> {
        match codes::find(name) {
            _ if name == "warnings" => Ok(Warnings::All),
            Some(code) if code.is_warning() => Ok(Warnings::Of(code)),
            Some(code) => Err(format!("`{}` is an error, and no warning", code.name)),
            None => Err(format!("there is no warning `{name}`: `ivlc explain` lists them, and all are `warnings`")),
        }
    }

    fn contain(self, code: &Code) -> bool {
        match self {
            Warnings::All => true,
            Warnings::Of(one) => one == code,
        }
    }
}

/// The levels of all warnings, as a list of decisions of which the last counts.
#[derive(Clone, Debug, Default)]
pub struct Levels {
    chosen: Vec<(Warnings, Level)>,
}

impl Levels {
    /// Decides on some, whatever was decided on them before.
    pub fn set(&mut self, warnings: Warnings, level: Level) {
        self.chosen.push((warnings, level));
    }

    fn of(&self, code: &Code) -> Level {
        self.chosen.iter().rev().find(|(warnings, _)| warnings.contain(code)).map_or(Level::Warn, |(_, level)| *level)
    }

    /// Leaves out the warnings that are not told, and makes errors of those that are denied.
    pub fn apply(&self, diagnostics: &mut Diagnostics) {
        if self.chosen.is_empty() {
            return;
        }
        for mut diagnostic in diagnostics.split_off(0) {
            if diagnostic.severity == Severity::Warning {
                match self.of(diagnostic.code) {
                    Level::Allow => continue,
                    Level::Warn => {}
                    Level::Deny => {
                        diagnostic.severity = Severity::Error;
                        diagnostic = diagnostic.with_note("this warning is denied on the command line");
                    }
                }
            }
            diagnostics.push(diagnostic);
        }
    }
}

/// The parts of the text in front of which `[[allow("name")]]` stands.
#[derive(Clone, Debug, Default)]
pub struct Allowances {
    list: Vec<(Span, Warnings)>,
}

impl Allowances {
    /// Some warnings about this part of the text are not told.
    pub fn add(&mut self, text: Span, warnings: Warnings) {
        if !self.list.contains(&(text, warnings)) {
            self.list.push((text, warnings));
        }
    }

    /// Leaves out the warnings that are allowed where they are about.
    pub fn apply(&self, diagnostics: &mut Diagnostics) {
        if self.list.is_empty() {
            return;
        }
        let is_inside =
            |inner: Span, outer: Span| inner.file == outer.file && outer.start <= inner.start && inner.end <= outer.end;
        for diagnostic in diagnostics.split_off(0) {
            let is_allowed =
                |(text, warnings): &(Span, Warnings)| warnings.contain(diagnostic.code) && is_inside(diagnostic.span, *text);
            if diagnostic.severity == Severity::Error || !self.list.iter().any(is_allowed) {
                diagnostics.push(diagnostic);
            }
        }
    }
}
