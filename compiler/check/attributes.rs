//! Attributes: `[[fp(contract)]]` in front of a function or a pipeline, `[[cold]]` and `[[noinline]]` in front of a function.

use super::context::Checker;
use crate::diagnostics::{Diagnostic, codes};
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
        for attribute in attributes {
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
                    self.diagnostics.push(error.with_help(help));
                }
            }
        }
        mode
    }

    /// Refuses attributes in front of what is neither a function nor a pipeline.
    pub fn no_attributes(&mut self, item: &Item) {
        let takes_some = matches!(item.kind, ItemKind::Function(_) | ItemKind::Pipeline(_) | ItemKind::Error);
        if let Some(attribute) = item.attributes.first().filter(|_| !takes_some) {
            let message = "attributes stand in front of functions and pipelines";
            self.error(&codes::UNKNOWN_ATTRIBUTE, attribute.name.span, message);
        }
    }

    /// What the attributes in front of a statement say. There is none that stands there.
    pub fn statement_attributes(&mut self, statement: &Statement) {
        for attribute in &statement.attributes {
            let message = format!("no attribute `{}` stands in front of a statement", attribute.name.text);
            self.error(&codes::UNKNOWN_ATTRIBUTE, attribute.name.span, message);
        }
    }
}
