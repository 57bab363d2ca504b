//! Choices one behind another whose masks exclude each other are made in the other order, where that makes their masks simpler.
//!
//! ```text
//! m = and (not c), d                       m = and (not c), d
//! n = and (not c), (not d)                 n = and (not c), (not d)
//! r = select c, a, old                     r = select n, e, old
//! s = select m, b, r              ──►      s = select m, b, r
//! t = select n, e, s                       t = select c, a, s
//! ```
//! So `if (c) return a; if (d) return b; return e;` ends with the choice that was made first, and the others only matter where c is off:
//! [`demanded_lanes`](super::demanded_lanes) then finds that m need only ask d, and n nothing. In the order of the program each mask has
//! to say that none before it was on.
//!
//! Nobody but the next one looks at what a choice gives. No lane has two of the masks, so that any order gives the same. Where all masks
//! say that some other one is off, what the chain begins with is the choice of that:
//!
//! ```text
//! s = select (and (not c), d), b, a        s = select (and (not c), (not d)), e, a
//! t = select (and (not c), (not d)), e, s  ──►  t = select (and (not c), d), b, s;  u = select c, a, t
//! ```

use super::logic::{Formula, Logic};
use crate::vector::ir::*;
use rustc_hash::FxHashSet;

/// The most choices that are put in another order.
const MOST: usize = 16;

/// A choice: where the mask is on, the value.
#[derive(Clone, Copy)]
struct Choice {
    inst: Inst,
    mask: Value,
    value: Value,
}

/// Turns the chains of exclusive choices of a function around.
pub fn exclusive_selects(function: &mut Function) {
    let mut logic = Logic::default();
    let uses = function.uses();
    for block in 0..function.blocks.len() {
        let insts = function.blocks[block].insts.clone();
        let here: FxHashSet<Inst> = insts.iter().copied().collect();
        let (mut seen, mut gone) = (FxHashSet::default(), FxHashSet::default());
        let mut rewritten = Vec::new();
        for &inst in insts.iter().rev() {
            if seen.contains(&inst) {
                continue;
            }
            let (old, choices) = chain(function, &uses, &here, inst);
            seen.extend(choices.iter().map(|choice| choice.inst));
            if choices.len() >= 2
                && let Some(turned) = turned(function, &mut logic, old, &choices)
            {
                gone.extend(choices[..choices.len() - 1].iter().map(|choice| choice.inst));
                rewritten.push((inst, old, turned));
            }
        }
        if rewritten.is_empty() {
            continue;
        }
        let mut out = Vec::with_capacity(insts.len());
        for inst in insts.into_iter().filter(|inst| !gone.contains(inst)) {
            if let Some((_, old, choices)) = rewritten.iter().find(|(last, ..)| *last == inst) {
                let InstData { results, span, .. } = function.insts[inst.0 as usize].clone();
                let (ty, mut value) = (function.ty(results[0]), *old);
                for choice in choices[1..].iter().rev() {
                    let (made, next) = function.create(Op::Select(choice.mask, choice.value, value), ty, span);
                    out.push(made);
                    value = next;
                }
                function.insts[inst.0 as usize].op = Op::Select(choices[0].mask, choices[0].value, value);
            }
            out.push(inst);
        }
        function.blocks[block].insts = out;
    }
}

/// The choices that end with an instruction, in their order, and what they begin with.
fn chain(function: &Function, uses: &[u32], here: &FxHashSet<Inst>, last: Inst) -> (Value, Vec<Choice>) {
    let (mut choices, mut inst, mut old) = (Vec::new(), last, None);
    while let Op::Select(mask, value, off) = function.insts[inst.0 as usize].op {
        let ty = function.ty(value);
        let is_next = ty.length > 1 && function.ty(mask).length == ty.length && ty.element != Element::Bool;
        if !is_next || choices.len() == MOST {
            break;
        }
        choices.push(Choice { inst, mask, value });
        old = Some(off);
        match function.values[off.0 as usize].def {
            ValueDef::Result(before, _) if uses[off.0 as usize] == 1 && here.contains(&before) => inst = before,
            ValueDef::Result(..) | ValueDef::Parameter(..) => break,
        }
    }
    choices.reverse();
    (old.unwrap_or(Value(0)), choices)
}

/// What all masks of a chain say.
struct Common {
    /// Lanes that all masks lie in, beside what follows.
    around: Formula,
    /// A mask that they say is off.
    off: Option<Value>,
}

impl Common {
    fn of(function: &Function, logic: &mut Logic, choices: &[Choice]) -> Option<Common> {
        let mut common = Common { around: Formula::ALL, off: None };
        let mut parts = vec![choices[0].mask];
        while let Some(part) = parts.pop() {
            let formula = logic.of(function, part);
            let is_in_all = choices.iter().all(|choice| {
                let mask = logic.of(function, choice.mask);
                logic.implies(mask, formula)
            });
            match function.definition(part) {
                Some(&Op::Unary(UnaryOp::Not, off)) if is_in_all && common.off.is_none() => common.off = Some(off),
                Some(&Op::Binary(BinaryOp::And, a, b)) => parts.extend([a, b]),
                _ if is_in_all => common.around = logic.and(common.around, formula)?,
                _ => {}
            }
        }
        Some(common)
    }
}

/// The choices in an order in which more masks are simpler where those before them are off than now where those behind them are, if they
/// exclude each other. A choice more is worth it where two masks are simpler.
fn turned(function: &Function, logic: &mut Logic, old: Value, choices: &[Choice]) -> Option<Vec<Choice>> {
    let masks: Vec<Value> = choices.iter().map(|choice| choice.mask).collect();
    let common = Common::of(function, logic, choices)?;
    let now = simpler(function, logic, masks.iter().rev(), Formula::ALL)?;
    if simpler(function, logic, masks.iter(), Formula::ALL)? > now {
        return Some(choices.to_vec());
    }
    let off = common.off?;
    let with_old = simpler(function, logic, std::iter::once(&off).chain(&masks), common.around)?;
    let first = Choice { inst: choices[0].inst, mask: off, value: old };
    (with_old > now + 1).then(|| std::iter::once(first).chain(choices.iter().copied()).collect())
}

/// How many masks are simpler where those in front of them are off, of lanes in `around`; `None` if one is not disjoint with these.
fn simpler<'m>(function: &Function, logic: &mut Logic, masks: impl Iterator<Item = &'m Value>, around: Formula) -> Option<usize> {
    let (mut before, mut count) = (Formula::NONE, 0);
    for &mask in masks {
        let formula = logic.of(function, mask);
        if !logic.disjoint(before, formula) {
            return None;
        }
        if before != Formula::NONE {
            let rest = logic.not(before)?;
            let care = logic.and(rest, around)?;
            count += usize::from(logic.implies(care, formula) || logic.under(function, mask, care) != mask);
        }
        before = logic.or(before, formula)?;
    }
    Some(count)
}
