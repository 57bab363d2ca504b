//! Which of several functions of a name a call means: the one whose parameters' elements are nearest to those of the arguments.

use super::attributes::written_mode;
use super::calls::takes_arguments;
use super::declared::{Argument, Base, Declared};
use super::operand::Operand;
use super::state::Checker;
use super::templates::Given;
use crate::diagnostics::{Diagnostic, codes};
use crate::source::Span;
use crate::syntax::ast;
use crate::target::FpMode;
use crate::types::{Element, TypeKind};

/// So many functions are shown of those that a call does not mean; the others are counted.
const SHOWN: usize = 5;

/// Why a function is not the one that a call means, by how near it is to that.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Misfit {
    /// It fits as well as another.
    Tie,
    /// The argument at this index does not convert.
    Argument(usize),
    /// Its type parameters do not follow from the arguments.
    Template,
    /// It takes another number of arguments.
    Count,
}

/// A function that fits: how far the arguments are from its parameters, which it is, the arguments of its template.
type Fit = (u32, usize, Vec<Argument>);

impl<'a> Checker<'a> {
    /// The overload whose elements fit the arguments best, with the arguments of its template.
    pub fn choose(
        &mut self,
        name: &ast::Name,
        overloads: &[usize],
        explicit: &[Given],
        operands: &[Operand],
        span: Span,
    ) -> Option<(usize, Vec<Argument>)> {
        let (mut fits, mut misfits): (Vec<Fit>, Vec<(Misfit, usize)>) = Default::default();
        for &item in overloads.iter().filter(|&&item| self.version(item).is_some()).collect::<Vec<_>>() {
            match self.fit(item, explicit, operands) {
                Ok((cost, types)) => fits.push((cost, item, types)),
                Err(misfit) => misfits.push((misfit, item)),
            }
        }
        let least = fits.iter().map(|fit| fit.0).min();
        fits.retain(|fit| Some(fit.0) == least);
        let newest = fits.iter().filter_map(|fit| self.version(fit.1)).max();
        fits.retain(|fit| self.version(fit.1) == newest);
        // Of templates, the one that is more special than all others.
        let special = fits.iter().find(|fit| fits.iter().all(|other| other.1 == fit.1 || self.is_more_special(fit.1, other.1)));
        if let Some(special) = special.map(|fit| fit.1) {
            fits.retain(|fit| fit.1 == special);
        }
        if fits.len() <= 1
            && let Some((_, item, types)) = fits.pop()
        {
            return Some((item, types));
        }
        let types: Vec<String> = operands
            .iter()
            .map(|o| {
                let ty = self.operand_type(o);
                format!("`{}`", self.display(ty))
            })
            .collect();
        let types = types.join(", ");
        if !fits.is_empty() {
            let message = format!("several functions `{}` fit ({types}) equally well", name.text);
            let error = Diagnostic::error(&codes::AMBIGUOUS_CALL, span, message)
                .with_help("overloads are told apart by element types, never by lengths alone: cast an argument");
            let ties = fits.into_iter().map(|(_, item, _)| (Misfit::Tie, item)).collect();
            self.push_with_candidates(error, ties, operands);
            return None;
        }
        if misfits.iter().all(|(misfit, _)| *misfit == Misfit::Count) {
            let mut counts: Vec<usize> =
                overloads.iter().map(|&item| self.items.functions[item].function.parameters.len()).collect();
            counts.sort_unstable();
            counts.dedup();
            let error = Diagnostic::error(&codes::ARGUMENT_COUNT, span, takes_arguments(&name.text, &counts, operands.len()));
            self.push_with_candidates(error, misfits, operands);
            return None;
        }
        let mark = self.diagnostics.len();
        // The only candidate says by itself what does not fit.
        if let &[item] = overloads {
            return match self.deduce(item, explicit, operands) {
                Some(types) => Some((item, types)),
                None if self.diagnostics.len() > mark => None,
                None => {
                    self.undeduced(item, name, explicit.len(), &types, span);
                    None
                }
            };
        }
        let message = format!("no function `{}` fits ({types})", name.text);
        self.push_with_candidates(Diagnostic::error(&codes::NO_OVERLOAD, span, message), misfits, operands);
        None
    }

    /// The library may have one function several times: what is for callers whose arithmetic is strict is for all where there is nothing
    /// better, `[[fp(contract)]]` for those that contract on a machine with fused multiply-adds, `[[fp(fast)]]` for the fast ones.
    /// `None` if it is not for this caller; of those that are, the greatest one is meant.
    fn version(&self, item: usize) -> Option<FpMode> {
        let known = &self.items.functions[item];
        let written = if known.is_library { written_mode(&known.item.attributes) } else { None };
        let version = written.unwrap_or(FpMode::Strict);
        let is_for_caller = version <= self.arithmetic() && (version != FpMode::Contract || self.options.has_fma);
        is_for_caller.then_some(version)
    }

    /// How far the arguments are from the parameters of a function, and the arguments of its template.
    fn fit(&mut self, item: usize, explicit: &[Given], operands: &[Operand]) -> Result<(u32, Vec<Argument>), Misfit> {
        if self.items.functions[item].function.parameters.len() != operands.len() {
            return Err(Misfit::Count);
        }
        let types = self.silently(|this| this.deduce(item, explicit, operands)).ok_or(Misfit::Template)?;
        let cost = self.cost(item, &types, operands).map_err(Misfit::Argument)?;
        Ok((cost, types))
    }

    /// Reports an error about a call with the functions that it may have meant, the nearest first, and why it means none of them.
    fn push_with_candidates(&mut self, mut error: Diagnostic, mut candidates: Vec<(Misfit, usize)>, operands: &[Operand]) {
        candidates.sort_unstable();
        let more = candidates.len().saturating_sub(SHOWN);
        for (misfit, item) in candidates.into_iter().take(SHOWN) {
            let function = self.items.functions[item].function;
            let name = function.name.span;
            let (place, text) = match misfit {
                Misfit::Tie => (name, "this one fits".to_owned()),
                Misfit::Argument(at) => {
                    let ty = self.operand_type(&operands[at]);
                    let text = format!("argument {} is `{}`, which does not become this by itself", at + 1, self.display(ty));
                    (function.parameters[at].span, text)
                }
                Misfit::Template => (name, "the parameters of this template do not follow from the arguments".to_owned()),
                Misfit::Count => {
                    let count = function.parameters.len();
                    (name, format!("this one takes {count} argument{}", if count == 1 { "" } else { "s" }))
                }
            };
            error = error.with_secondary(place, text);
        }
        if more > 0 {
            error = error.with_note(format!("and {more} more"));
        }
        self.diagnostics.push(error);
    }

    /// How far the arguments are from the parameters, by elements; the index of the first that does not convert.
    fn cost(&mut self, item: usize, types: &[Argument], operands: &[Operand]) -> Result<u32, usize> {
        let function = self.items.functions[item].function;
        let mut cost = 0;
        for (at, (parameter, operand)) in function.parameters.iter().zip(operands).enumerate() {
            let declared = self.with_template(item, types, |this| this.silently(|this| this.parameter_type(parameter)));
            cost += self.argument_cost(&declared, operand).ok_or(at)?;
        }
        // Of two equal fits, the one that is not a template.
        Ok(2 * cost + u32::from(!types.is_empty()))
    }

    fn argument_cost(&mut self, declared: &Declared, operand: &Operand) -> Option<u32> {
        let ty = self.operand_type(operand);
        match (&declared.base, self.program.types.kind(ty).clone()) {
            (Base::Error, _) | (_, TypeKind::Error) => Some(0),
            (Base::Element(to), TypeKind::Vector { element: from, .. }) => {
                if let Operand::Untyped(untyped, _) = operand {
                    return match (untyped.is_float(), to.is_float()) {
                        (true, false) => None,
                        _ if *to == Element::Bool => None,
                        _ => Some(u32::from(*to != from)),
                    };
                }
                if from == *to {
                    return Some(0);
                }
                super::conversions::is_implicit(from, *to)
                    .then(|| 1 + u32::from(from.is_float() != to.is_float()) + to.size().abs_diff(from.size()) as u32)
            }
            (Base::Record(to), TypeKind::Record { record, .. }) => (*to == record).then_some(0),
            (Base::Pointer(inner), TypeKind::Pointer { pointee, .. }) => {
                let is_null = matches!(operand, Operand::Untyped(..));
                if is_null || matches!(inner.base, Base::Void) {
                    return Some(1);
                }
                let same = match (&inner.base, self.program.types.kind(pointee)) {
                    (Base::Element(a), TypeKind::Vector { element, .. }) => a == element,
                    (Base::Record(a), TypeKind::Record { record, .. }) => a == record,
                    (Base::Pointer(_), TypeKind::Pointer { .. })
                    | (Base::Array(..), TypeKind::Array { .. })
                    | (Base::Error, _) => true,
                    _ => false,
                };
                same.then_some(0)
            }
            (Base::Reference(inner), _) => {
                if matches!(operand, Operand::Place(_)) {
                    let exact = self.argument_cost(inner, operand)?;
                    (exact == 0).then_some(0)
                } else {
                    None
                }
            }
            (Base::Void | Base::Element(_) | Base::Record(_) | Base::Pointer(_) | Base::Array(..), _) => None,
        }
    }
}
