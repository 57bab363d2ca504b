//! Which variables are as long as others that are assigned to them: they grow together.
//!
//! ```text
//! for (…) { a = b + 1; b = c; c = n; }      n ──► c ──► b ──► a      one round instead of three
//! ```
//! An assignment notes what its value is computed from lane by lane; when one of these variables grows, now or later in the round, the
//! assigned one does, too, for the reason that the next round would find. The rest of the rules (indices, narrowings, calls) is left to
//! the rounds.

use super::super::state::Checker;
use super::Value;
use super::state::{Cause, Flow, Leaf, Variable, Why};
use crate::source::Span;
use crate::typed::ir::{Builtin, Expr, ExprKind, LaneOp, Place, PlaceKind};

impl<'a> Checker<'a> {
    /// Notes that `to` is assigned a scalar, and grows with what that is computed from.
    pub(super) fn flows(&mut self, to: Variable, value: &Value, by: &Why, place: Span) {
        for leaf in &value.sources {
            let Leaf::Variable { variable: Some(from), .. } = leaf else { continue };
            let why = match by {
                Why::Assigned(_) => Why::Assigned(leaf.clone()),
                Why::Initializer(_) => Why::Initializer(leaf.clone()),
                Why::Returned(_) | Why::Argument | Why::Context | Why::ByReference { .. } | Why::Index | Why::Narrowed(_) => {
                    continue;
                }
            };
            if *from != to {
                self.body.flows.entry(*from).or_default().push(Flow { to, place, why });
                self.spread(*from);
            }
        }
    }

    /// What flows from a variable that is longer than 1 is as long. Each assignment is followed once.
    pub(super) fn spread(&mut self, from: Variable) {
        let mut work = vec![from];
        while let Some(from) = work.pop() {
            let Some(facts) = self.facts(from) else { continue };
            let (Some(length), is_callers) = (facts.cause.as_ref().map(|cause| cause.length), facts.is_callers) else { continue };
            for Flow { to, place, why } in self.body.flows.remove(&from).unwrap_or_default() {
                self.learn(to, |facts| {
                    let grows = facts.cause.is_none();
                    if grows {
                        facts.cause = Some(Cause { length, place, why });
                        facts.is_callers |= is_callers;
                        work.push(to);
                    }
                    grows
                });
            }
        }
    }

    /// The variables that a value is computed from lane by lane, whose lengths are inferred.
    pub(super) fn sources(&self, e: &Expr, found: &mut Vec<Leaf>) {
        match &e.kind {
            ExprKind::Load(place) => self.source(place, found),
            ExprKind::Unary(_, a) | ExprKind::Convert(a) | ExprKind::Broadcast(a) => self.sources(a, found),
            ExprKind::Binary(_, a, b) | ExprKind::Compare(_, a, b) | ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                self.sources(a, found);
                self.sources(b, found);
            }
            ExprKind::Builtin(
                Builtin::Lane(LaneOp::Min)
                | Builtin::Lane(LaneOp::Max)
                | Builtin::Lane(LaneOp::Fma)
                | Builtin::Lane(LaneOp::Abs)
                | Builtin::Lane(LaneOp::Sqrt),
                operands,
            ) => {
                operands.iter().for_each(|operand| self.sources(operand, found));
            }
            _ => {}
        }
    }

    fn source(&self, place: &Place, found: &mut Vec<Leaf>) {
        let PlaceKind::Local(local) = place.kind else { return };
        if self.body.infos[local.0 as usize].unbound.is_some() {
            found.extend(self.leaf_of_place(place));
        }
    }
}
