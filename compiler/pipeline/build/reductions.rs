//! Inline reductions: each is a func of its own, from its identity.
//!
//! ```text
//! sum(in(x + r) for r = 0 .. 3)   ──►   fun sum.0(x) = 0;  rdom (r = 0 .. 3) sum.0(x) += in(x + r);   sum.0(x)
//! ```
//! `argmin` and `argmax` have the variables' values where the extremum is first reached, then the extremum.

use super::super::algorithm::{Stage, VariableInfo, VariableKind};
use super::super::associative::{apply, identity};
use super::super::expr::{Expr, ExprKind, Source, Variable};
use super::super::simplify::{constant_value, minus};
use super::Builder;
use crate::check::Reduced;
use crate::diagnostics::{Diagnostic, codes};
use crate::syntax::ast::{self, ExprKind as Ast};
use crate::typed::ir::{self, CompareOp, ReduceOp};
use crate::types::Element;
use rustc_hash::FxHashMap;

/// The words, what they reduce by, and whether they tell where the extremum is.
const WORDS: [(&str, ReduceOp, bool); 6] = [
    ("sum", ReduceOp::Add, false),
    ("product", ReduceOp::Multiply, false),
    ("minimum", ReduceOp::Min, false),
    ("maximum", ReduceOp::Max, false),
    ("argmin", ReduceOp::Min, true),
    ("argmax", ReduceOp::Max, true),
];

/// Is it the name of a reduction?
pub(super) fn is_reduction(name: &str) -> bool {
    WORDS.iter().any(|(word, ..)| *word == name)
}

impl<'a> Builder<'_, 'a> {
    /// `whole` is the text that a read of the new func stands in for: the reduction, or a component of it.
    pub fn reduction(&mut self, e: &'a ast::Expr, whole: &'a ast::Expr, component: Option<usize>) -> Option<()> {
        let Ast::Reduction { name, value, rdom, condition } = &e.kind else { unreachable!("a reduction") };
        let Some(&(_, op, is_arg)) = WORDS.iter().find(|(word, ..)| *word == &*name.text) else {
            let error = Diagnostic::error(&codes::UNKNOWN_NAME, name.span, format!("there is no reduction `{}`", name.text));
            return self.report(error.with_help(format!("there are {}", WORDS.map(|(word, ..)| word).join(", "))));
        };
        let outer = self.visible.len();
        self.scope.open();
        let domain = self.reduction_domain(rdom);
        let made = domain.as_ref().and_then(|_| {
            let term = self.prepare(value).and_then(|()| self.scope.value(value, None));
            let value = term.and_then(|term| Some((self.import(&term)?, term)));
            let predicate = match condition {
                Some(e) => self.condition(e).map(Some),
                None => Some(None),
            };
            Some((value?, predicate?))
        });
        self.scope.close();
        let around: Vec<(Variable, Option<Expr>)> = self.visible[..outer].to_vec();
        self.visible.truncate(outer);
        let (Some(domain), Some(((value, term), predicate))) = (domain, made) else { return self.fail() };
        let element = value.element().promoted();
        let value = if element == value.element() { value } else { value.converted(element) };
        if element == Element::Bool {
            return self.error(&codes::PIPELINE_TYPE, value.span(), format!("`{}` reduces numbers, not `bool`", name.text));
        }
        if is_arg && component.is_none() {
            let error = Diagnostic::error(&codes::PIPELINE_TYPE, e.span, format!("`{}` has several values", name.text));
            let help = format!("read one of them: `{}(…).0` is the value of the first variable", name.text);
            return self.report(error.with_help(help));
        }
        if let Some(component) = component.filter(|&component| !is_arg || component > domain.len()) {
            let message = format!("`{}` has no component {component}", name.text);
            return self.error(&codes::PIPELINE_TYPE, whole.span, message);
        }
        // The `let`s that it mentions become its own; the variables that it and they mention are its dimensions.
        let mut lets: Vec<(Variable, Expr)> = Vec::new();
        let mut used: Vec<Variable> = Vec::new();
        let mut texts: Vec<Expr> = vec![value.clone()];
        texts.extend(predicate.clone());
        for (variable, definition) in around.iter().rev() {
            let is_it = |v: Variable| v == *variable;
            if !texts.iter().any(|e| e.mentions(&is_it)) {
                continue;
            }
            match definition {
                Some(definition) => {
                    texts.push(definition.clone());
                    lets.insert(0, (*variable, definition.clone()));
                }
                None => used.insert(0, *variable),
            }
        }
        // Variables of its own for its dimensions and `let`s.
        let mut renamed: FxHashMap<Variable, Expr> = FxHashMap::default();
        let mut own = |this: &mut Self, variable: Variable, kind: VariableKind| {
            let VariableInfo { name, element, kind: _, span } = this.made.variable(variable).clone();
            let local = this.scope.unnamed(&name, element, span);
            let new = this.new_variable(local, &name, element, kind, span);
            renamed.insert(variable, Expr::variable(new, element, span));
            new
        };
        let variables: Vec<Variable> = used.iter().map(|&v| own(self, v, VariableKind::Pure)).collect();
        let let_variables: Vec<Variable> = lets.iter().map(|&(v, _)| own(self, v, VariableKind::Let)).collect();
        let rename = |e: &Expr| e.substitute(&|v| renamed.get(&v).cloned());
        let lets: Vec<(Variable, Expr)> = let_variables.into_iter().zip(lets.iter().map(|(_, e)| rename(e))).collect();
        let (value, predicate) = (rename(&value), predicate.as_ref().map(rename));

        let mut lengths = domain.iter().map(|r| constant_value(&minus(&r.high, &r.low)));
        let count = lengths.try_fold(1u64, |count, length| count.checked_mul(u64::try_from(length?.max(0)).ok()?));
        let span = e.span;
        let indices: Vec<Expr> = variables.iter().map(|&v| Expr::variable(v, Element::Int32, span)).collect();
        let number = self.made.funcs.iter().filter(|func| func.is_inline_reduction).count();
        let func_name = ast::Name { text: format!("{}.{number}", name.text).into(), span };
        // Where the extremum is, in front of it.
        let places = if is_arg { &domain[..] } else { &[] };
        let first: Vec<Expr> = places.iter().map(|r| r.low.clone()).chain([identity(op, element, span)]).collect();
        let elements: Vec<Element> = places.iter().map(|_| Element::Int32).chain([element]).collect();
        let pure = Stage::plain(indices.clone(), first, span);
        let id = self.new_func(&func_name, variables, elements.clone(), pure, true);
        let old =
            |component: usize| Expr::new(ExprKind::Read(Source::Func(id, component), indices.clone()), elements[component], span);
        let (values, predicate) = if is_arg {
            // Only a better value replaces the first.
            let is_better = if op == ReduceOp::Min { CompareOp::Less } else { CompareOp::Greater };
            let better = Expr::compare(is_better, value.clone(), old(domain.len()));
            let predicate = match predicate {
                Some(p) => Expr::new(ExprKind::And(p, better), Element::Bool, span),
                None => better,
            };
            let places = domain.iter().map(|r| Expr::variable(r.variable, Element::Int32, span));
            (places.chain([value]).collect(), Some(predicate))
        } else {
            (vec![apply(op, old(0), value)], predicate)
        };
        let stage = Stage { rdom: domain, lets, predicate, ..Stage::plain(indices, values, span) };
        self.made.funcs[id.0 as usize].stages.push(stage);
        let arguments: Vec<ir::Expr> = used.iter().map(|&v| self.load_of(v, span)).collect();
        let made = self.read_of(Source::Func(id, component.unwrap_or(0)), arguments, whole.span);
        if let (ir::ExprKind::Call { function, .. }, ReduceOp::Add | ReduceOp::Multiply) = (&made.kind, op) {
            self.scope.reduces(*function, Reduced { term, is_product: op == ReduceOp::Multiply, count });
        }
        self.scope.replace(whole, made);
        Some(())
    }
}
