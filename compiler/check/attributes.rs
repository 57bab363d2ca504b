//! Attributes: `[[fp(contract)]]` in front of a function or a pipeline, `[[cold]]` and `[[noinline]]` in front of a function,
//! `[[allow("name")]]` in front of everything.

use super::state::Checker;
use crate::diagnostics::levels::Warnings;
use crate::diagnostics::{Diagnostic, Edit, codes};
use crate::source::Span;
use crate::syntax::ast::{ArgumentKind, Attribute, Item, ItemKind, Statement};
use crate::target::{FpMode, Inlining};

/// What the attributes of a function say.
pub struct FunctionAttributes {
    /// The mode of its arithmetic.
    pub fp: FpMode,
    /// Does it become a part of its callers?
    pub inlining: Inlining,
}

impl Checker<'_> {
    /// What the attributes in front of a function say, beyond the options of the compilation.
    /// Functions of the library that do not say more are contracted where the program is, and never rearranged: they are within
    /// their errors either way, but not without the order of their sums.
    pub fn function_attributes(&mut self, attributes: &[Attribute], is_library: bool) -> FunctionAttributes {
        let inlining = |a: &Attribute| match &*a.name.text {
            "noinline" if a.arguments.is_empty() => Some(Inlining::Never),
            "cold" if a.arguments.is_empty() => Some(Inlining::Cold),
            _ => None,
        };
        let help = "there is `[[fp(strict)]]`, `[[fp(contract)]]`, `[[fp(fast)]]`, `[[noinline]]` and `[[cold]]`";
        let most = if is_library { FpMode::Contract } else { FpMode::Fast };
        let fp = self.mode(self.options.fp.min(most), attributes.iter().filter(|a| inlining(a).is_none()), help);
        FunctionAttributes { fp, inlining: attributes.iter().filter_map(inlining).max().unwrap_or_default() }
    }

    /// The mode of arithmetic that the attributes in front of a pipeline ask for, else that of the compilation.
    pub fn fp_mode(&mut self, attributes: &[Attribute]) -> FpMode {
        self.mode(self.options.fp, attributes.iter(), "there is `[[fp(strict)]]`, `[[fp(contract)]]` and `[[fp(fast)]]`")
    }

    fn mode<'a>(&mut self, usual: FpMode, attributes: impl Iterator<Item = &'a Attribute>, help: &str) -> FpMode {
        let mut mode = usual;
        for attribute in attributes.filter(|attribute| !is_allowance(attribute)) {
            let argument = match &attribute.arguments[..] {
                [argument] => match &argument.kind {
                    ArgumentKind::Name(name) => Some(&**name),
                    ArgumentKind::Number(_) | ArgumentKind::String(_) => None,
                },
                _ => None,
            };
            match (&*attribute.name.text, argument) {
                ("fp", Some("strict")) => mode = FpMode::Strict,
                ("fp", Some("contract")) => mode = FpMode::Contract,
                ("fp", Some("fast")) => mode = FpMode::Fast,
                _ => {
                    let message = format!("there is no attribute `{}` of this form", attribute.name.text);
                    let error = Diagnostic::error(&codes::UNKNOWN_ATTRIBUTE, attribute.name.span, message);
                    // Of a mode that there is not, each that there is may be meant.
                    let mut error = error.with_help(help);
                    if let ("fp", [argument]) = (&*attribute.name.text, &attribute.arguments[..]) {
                        for word in ["strict", "contract", "fast"] {
                            error = error.with_fix(format!("write `{word}`"), vec![Edit::replace(argument.span, word)]);
                        }
                    }
                    self.diagnostics.push(error);
                }
            }
        }
        mode
    }

    /// Notes what is allowed in an item, and refuses other attributes in front of what is neither a function nor a pipeline.
    pub fn item_attributes(&mut self, item: &Item) {
        let takes_some = matches!(item.kind, ItemKind::Function(_) | ItemKind::Pipeline(_) | ItemKind::Error);
        let (allowances, others): (Vec<_>, Vec<_>) = item.attributes.iter().partition(|attribute| is_allowance(attribute));
        allowances.into_iter().for_each(|attribute| self.allow(attribute, item.span));
        if let Some(attribute) = others.first().filter(|_| !takes_some) {
            let message = "attributes but `allow` stand in front of functions and pipelines";
            self.error(&codes::UNKNOWN_ATTRIBUTE, attribute.name.span, message);
        }
    }

    /// What the attributes in front of a statement say: what is allowed in it.
    pub fn statement_attributes(&mut self, statement: &Statement) {
        for attribute in &statement.attributes {
            if is_allowance(attribute) {
                self.allow(attribute, statement.span);
                continue;
            }
            let message = format!("no attribute `{}` stands in front of a statement", attribute.name.text);
            let error = Diagnostic::error(&codes::UNKNOWN_ATTRIBUTE, attribute.name.span, message);
            self.diagnostics.push(error.with_help("there is `[[allow(\"name of a warning\")]]`"));
        }
    }

    /// `[[allow("name", …)]]` in front of some text.
    fn allow(&mut self, attribute: &Attribute, text: Span) {
        if attribute.arguments.is_empty() {
            let message = "`allow` takes the names of warnings";
            let error = Diagnostic::error(&codes::UNKNOWN_ATTRIBUTE, attribute.name.span, message);
            self.diagnostics.push(error.with_help("write `[[allow(\"conflicting-lanes\")]]`; `ivlc explain` lists the names"));
        }
        for argument in &attribute.arguments {
            let allowed = match &argument.kind {
                ArgumentKind::String(name) => Warnings::from_name(name),
                ArgumentKind::Name(_) | ArgumentKind::Number(_) => Err("the name of a warning stands in quotes".to_owned()),
            };
            match allowed {
                Ok(warnings) => self.allowances.add(text, warnings),
                Err(message) => self.error(&codes::UNKNOWN_ATTRIBUTE, argument.span, message),
            }
        }
    }
}

/// Is it `[[allow(…)]]`?
fn is_allowance(attribute: &Attribute) -> bool {
    &*attribute.name.text == "allow"
}
