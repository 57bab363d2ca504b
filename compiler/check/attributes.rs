//! Attributes: `[[fp(contract)]]` in front of a function or a pipeline, `[[cold]]` and `[[noinline]]` in front of a function,
//! `[[unroll]]` and `[[unroll(n)]]` in front of a loop, `[[allow("name")]]` in front of everything.

use super::state::Checker;
use crate::diagnostics::levels::Warnings;
use crate::diagnostics::{Diagnostic, Edit, codes};
use crate::source::Span;
use crate::syntax::ast::{ArgumentKind, Attribute, Item, ItemKind, Statement, StatementKind};
use crate::target::{FpMode, Inlining, Unrolling};

/// So many rounds of a loop can be asked for.
const MAX_ROUNDS: u8 = 64;

/// What the attributes of a function say.
pub struct FunctionAttributes {
    /// The mode of its arithmetic.
    pub fp: FpMode,
    /// Does it become a part of its callers?
    pub inlining: Inlining,
}

impl Checker<'_> {
    /// What the attributes in front of a function say, beyond the options of the compilation.
    /// Functions of the library that do not say more are contracted where their callers are (`asked`), and never rearranged: they are
    /// within their errors either way, but not without the order of their sums. One that says `fast` is for callers that are.
    pub fn function_attributes(&mut self, attributes: &[Attribute], asked: Option<FpMode>) -> FunctionAttributes {
        let is = |a: &Attribute, name: &str| a.arguments.is_empty() && *a.name.text == *name;
        let is_one = |name: &str| attributes.iter().any(|a| is(a, name));
        let inlining = match (is_one("noinline"), is_one("cold")) {
            (true, true) => Inlining::Rare,
            (true, false) => Inlining::Never,
            (false, true) => Inlining::Cold,
            (false, false) => Inlining::Allowed,
        };
        let help = "there is `[[fp(strict)]]`, `[[fp(contract)]]`, `[[fp(fast)]]`, `[[noinline]]` and `[[cold]]`";
        let usual = asked.unwrap_or(self.options.fp);
        let fp = self.mode(usual, attributes.iter().filter(|a| !is(a, "noinline") && !is(a, "cold")), help);
        let fp = if asked.is_some() { fp.min(FpMode::Contract) } else { fp };
        FunctionAttributes { fp, inlining }
    }

    /// The arithmetic of the function or pipeline around, else that of the compilation.
    pub fn arithmetic(&self) -> FpMode {
        self.body.fp.unwrap_or(self.options.fp)
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
                ("fp", Some(word)) if FpMode::from_name(word).is_some() => mode = FpMode::from_name(word).unwrap_or(mode),
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

    /// Notes what the attributes in front of a statement allow in it, and refuses those that do not belong there.
    pub fn statement_attributes(&mut self, statement: &Statement) {
        let is_loop = match &statement.kind {
            StatementKind::While { .. }
            | StatementKind::DoWhile { .. }
            | StatementKind::For { .. }
            | StatementKind::Foreach { .. }
            | StatementKind::ForeachElement { .. } => true,
            StatementKind::Empty
            | StatementKind::Error
            | StatementKind::Block(_)
            | StatementKind::Declaration(_)
            | StatementKind::Expression(_)
            | StatementKind::If { .. }
            | StatementKind::ForeachActive { .. }
            | StatementKind::ForeachUnique { .. }
            | StatementKind::Switch { .. }
            | StatementKind::Scalar(_)
            | StatementKind::StaticIf { .. }
            | StatementKind::StaticFor { .. }
            | StatementKind::StaticAssert(_)
            | StatementKind::Break
            | StatementKind::Continue
            | StatementKind::Return(_)
            | StatementKind::Delete(_) => false,
        };
        for attribute in &statement.attributes {
            if is_allowance(attribute) {
                self.allow(attribute, statement.span);
                continue;
            }
            let (message, help) = match &*attribute.name.text {
                "unroll" if !is_loop => (
                    "`unroll` stands in front of `for`, `while`, `do` and `foreach`".to_owned(),
                    "there is no such loop here".to_owned(),
                ),
                "unroll" if unrolling(attribute).is_some() => continue,
                "unroll" => {
                    let message = "there is no attribute `unroll` of this form".to_owned();
                    (message, format!("write `[[unroll]]`, or `[[unroll(4)]]` with a number from 1 to {MAX_ROUNDS}"))
                }
                name => {
                    let help = "there is `[[allow(\"name of a warning\")]]`, and `[[unroll]]` in front of loops";
                    (format!("no attribute `{name}` stands in front of a statement"), help.to_owned())
                }
            };
            let error = Diagnostic::error(&codes::UNKNOWN_ATTRIBUTE, attribute.name.span, message);
            self.diagnostics.push(error.with_help(help));
        }
    }

    /// How the attributes in front of a loop want it unrolled; the last one wins.
    pub fn unrolling(statement: &Statement) -> Unrolling {
        statement.attributes.iter().rev().find_map(unrolling).unwrap_or_default()
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

/// What `[[unroll]]` or `[[unroll(n)]]` says.
fn unrolling(attribute: &Attribute) -> Option<Unrolling> {
    if &*attribute.name.text != "unroll" {
        return None;
    }
    match &attribute.arguments[..] {
        [] => Some(Unrolling::All),
        [argument] => match &argument.kind {
            ArgumentKind::Number(number) => {
                number.parse().ok().filter(|rounds| (1..=MAX_ROUNDS).contains(rounds)).map(Unrolling::Rounds)
            }
            ArgumentKind::Name(_) | ArgumentKind::String(_) => None,
        },
        _ => None,
    }
}

/// The mode that attributes name, if they are right.
pub(super) fn written_mode(attributes: &[Attribute]) -> Option<FpMode> {
    let mut modes = attributes.iter().filter(|attribute| &*attribute.name.text == "fp").filter_map(|attribute| {
        let [argument] = &attribute.arguments[..] else { return None };
        match &argument.kind {
            ArgumentKind::Name(name) => FpMode::from_name(name),
            ArgumentKind::Number(_) | ArgumentKind::String(_) => None,
        }
    });
    modes.next_back()
}

/// Is it `[[allow(…)]]`?
fn is_allowance(attribute: &Attribute) -> bool {
    &*attribute.name.text == "allow"
}
