//! Attributes: `[[fp(contract)]]` in front of a function or a pipeline.

use super::context::Checker;
use crate::diagnostics::{Diagnostic, codes};
use crate::syntax::ast::{Attribute, Item, ItemKind};
use crate::target::FpMode;

impl Checker<'_> {
    /// The mode of arithmetic that the attributes ask for, else that of the compilation.
    pub fn fp_mode(&mut self, attributes: &[Attribute]) -> FpMode {
        let mut mode = self.options.fp;
        for attribute in attributes {
            let argument = attribute.arguments.first().map(|a| &*a.text);
            match (&*attribute.name.text, argument) {
                ("fp", Some("strict")) => mode = FpMode::Strict,
                ("fp", Some("contract")) => mode = FpMode::Contract,
                ("fp", Some("fast")) => mode = FpMode::Fast,
                _ => {
                    let message = format!("there is no attribute `{}` of this form", attribute.name.text);
                    let error = Diagnostic::error(&codes::UNKNOWN_ATTRIBUTE, attribute.name.span, message);
                    self.diagnostics.push(error.with_help("there is `[[fp(strict)]]`, `[[fp(contract)]]` and `[[fp(fast)]]`"));
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
}
