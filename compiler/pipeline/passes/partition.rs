//! Vector loops in three parts: between the blocks at the ends, which clamp their indices, run those that need not.
//!
//! ```text
//! foreach x in a .. b by 8                        let bound = w − 1
//!   f[x] = in[max(min(x, w − 1), 0)]              let x_in = min(a + ⌈(max(0, a) − a) / 8⌉ · 8, b)
//!                                                 let x_out = bound ≥ b − 1 ? b : x_in + max(⌊(bound + 1 − x_in) / 8⌋, 0) · 8
//!                                           ──►   foreach x in a .. x_in by 8: f[x] = in[max(min(x, w − 1), 0)]
//!                                                 foreach x in x_in .. x_out by 8: f[x] = in[x]
//!                                                 foreach x in x_out .. b by 8: f[x] = in[max(min(x, w − 1), 0)]
//! ```
//! Without the clamp neighbouring lanes read neighbouring elements, which is one load instead of a gather. The blocks are the
//! same, so each point is computed as before. A loop of a few blocks, a row of a tile, runs as a whole where none of them needs a clamp;
//! of very few it is not cut where one does. A vector loop holds no other, so that a path has four times its code at most.
//!
//! What goes away, with the condition that is worked out in front of the loop (a mentions the variable of the loop, b is the
//! same in all iterations):
//!
//! | where | becomes | where |
//! |---|---|---|
//! | an index | min(a, b) → a | a ≤ b |
//! | | max(a, b) → a | a ≥ b |
//! | | a mod b → a | 0 ≤ a < b |
//! | | c ? a : b → a | c is a conjunction of comparisons of such sums |
//! | a value | c ? a : b → a | c bounds the variable on both sides |
//!
//! **Correctness.** a is a sum (`conditions`), and the condition includes that it is an `int`. Whatever the numbers, the middle
//! part therefore has only points where both sides of the table are equal, and where there are none it is empty.

use super::super::expr::{Expr, ExprKind, Form};
use super::super::loops::ir::{Binder, Foreach, Nest, Statement};
use super::super::simplify::{constant_value, difference, minus, offset, plus};
use super::conditions::{Condition, Conditions, all, in_64_bits, less};
use super::foreach::ends;
use super::rewrite;
use super::whole::is_whole;
use crate::typed::ir::{BinaryOp, CompareOp, Constant, LaneOp};
use crate::types::Element;

/// Loops of no more blocks run as a whole where none of these needs a clamp.
const FEW_BLOCKS: i64 = 8;
/// Loops of no more blocks are not cut where one of them does.
const FEWEST_BLOCKS: i64 = 3;

/// Cuts vector loops where that takes clamps out of their middle.
pub fn partition(nest: &mut Nest) {
    rewrite(nest, &mut |nest, s| {
        let made = if let Statement::Foreach(f) = &s { in_parts(nest, f) } else { None };
        made.unwrap_or(s)
    });
}

/// A vector loop in parts, if there is a gain.
fn in_parts(nest: &mut Nest, range: &Foreach) -> Option<Statement> {
    let conditions = Conditions::new(nest, range.variable, &range.body, range.low.span());
    let mut inside = Inside { range, conditions, has_changed: false };
    let body = inside.statement(&range.body);
    if !inside.has_changed {
        return None;
    }
    let Conditions { nest, hoisted, lows, highs, holds, .. } = inside.conditions;
    let bounds: [&[Expr]; 3] = [&lows, &highs, &holds];
    let is_cut = !is_short(range, FEWEST_BLOCKS);
    let cut = if is_cut { three_parts(nest, range, &body, bounds) } else { Statement::Foreach(Box::new(range.clone())) };
    let made = if is_short(range, FEW_BLOCKS) { two_versions(range, &body, bounds, cut) } else { cut };
    Some(made.behind(hoisted.into_iter()))
}

/// Has a loop so many blocks at most?
fn is_short(range: &Foreach, most: i64) -> bool {
    let is_near = |end: &Expr| difference(end, &range.low).is_some_and(|n| n <= most * i64::from(range.lanes));
    ends(&range.high).iter().any(is_near)
}

/// The blocks of a loop from one end to another, with a body.
fn blocks(range: &Foreach, low: &Expr, high: &Expr, body: &Statement) -> Statement {
    Statement::Foreach(Box::new(Foreach { low: low.clone(), high: high.clone(), body: body.clone(), ..range.clone() }))
}

fn two_versions(range: &Foreach, body: &Statement, [lows, highs, holds]: [&[Expr]; 3], otherwise: Statement) -> Statement {
    let last = offset(&range.high, -1);
    let bounds = lows.iter().map(|low| (low, &range.low)).chain(highs.iter().map(|high| (&last, high)));
    let conditions = bounds.map(|(a, b)| Expr::compare(CompareOp::LessEqual, a.clone(), b.clone()));
    let conditions = conditions.chain(holds.iter().cloned());
    let without = blocks(range, &range.low, &range.high, body);
    match all(conditions) {
        Some(condition) => Statement::Either(condition, Box::new([without, otherwise])),
        None => without,
    }
}

fn three_parts(nest: &mut Nest, range: &Foreach, body: &Statement, [lows, highs, holds]: [&[Expr]; 3]) -> Statement {
    let (name, lanes, span) = (nest.name(range.variable).to_owned(), i64::from(range.lanes), range.low.span());
    let mut fixed = |what: &str| {
        let variable = nest.new_variable(&format!("{name}_{what}"), Binder::Let);
        (variable, Expr::variable(variable, Element::Int32, span))
    };
    let [low, high, first, last] = ["low", "high", "in", "out"].map(&mut fixed);
    let [low_64, high_64, first_64] = [&low, &high, &first].map(|(_, e)| in_64_bits(e));
    let constant = |n: i64| Expr::new(ExprKind::Constant(Constant::Int(n as u64)), Element::Int64, span);
    let binary = |op, a: &Expr, b: &Expr| Expr::binary(op, a.clone(), b.clone());
    let add = |a: &Expr, b: &Expr| binary(BinaryOp::Add, a, b);
    let subtract = |a: &Expr, b: &Expr| binary(BinaryOp::Subtract, a, b);
    let extremum = |op, list: &[Expr], start: Expr| list.iter().fold(start, |all, e| Expr::builtin(op, vec![all, in_64_bits(e)]));
    let blocks_in = |count: &Expr| binary(BinaryOp::ShiftRight, count, &constant(lanes.trailing_zeros().into()));
    let times_lanes = |count: &Expr| binary(BinaryOp::Multiply, count, &constant(lanes));
    let least = extremum(LaneOp::Max, lows, low_64.clone());
    let up = times_lanes(&blocks_in(&add(&subtract(&least, &low_64), &constant(lanes - 1))));
    let first_value = Expr::builtin(LaneOp::Min, vec![add(&low_64, &up), high_64.clone()]).converted(Element::Int32);
    let most = extremum(LaneOp::Min, highs, subtract(&high_64, &constant(1)));
    let behind_most = add(&most, &constant(1));
    // Blocks that are whole, and what is left where nothing behind the last of them needs a clamp.
    let count = Expr::builtin(LaneOp::Max, vec![blocks_in(&subtract(&behind_most, &first_64)), constant(0)]);
    let whole = add(&first.1, &times_lanes(&count).converted(Element::Int32));
    let is_all = Expr::compare(CompareOp::Equal, behind_most, high_64);
    let mut last_value = Expr::conditional(is_all, high.1.clone(), whole);
    if let Some(condition) = all(holds.iter().cloned()) {
        last_value = Expr::conditional(condition, last_value, first.1.clone());
    }
    let end_of_middle = match is_whole(&range.low, &range.high, range.lanes) {
        // It is whole itself, and so are its parts.
        true => {
            let by = Expr::int(lanes, span);
            let count = Expr::binary(BinaryOp::Divide, minus(&last.1, &first.1), by.clone());
            plus(&first.1, &Expr::binary(BinaryOp::Multiply, count, by))
        }
        false => last.1.clone(),
    };
    let parts = vec![
        blocks(range, &low.1, &first.1, &range.body),
        blocks(range, &first.1, &end_of_middle, body),
        blocks(range, &last.1, &high.1, &range.body),
    ];
    let definitions =
        vec![(low.0, range.low.clone()), (high.0, range.high.clone()), (first.0, first_value), (last.0, last_value)];
    Statement::Sequence(parts).behind(definitions.into_iter())
}

/// The body of a loop where its variable is such that no index needs a clamp, and where that is.
struct Inside<'a> {
    range: &'a Foreach,
    conditions: Conditions<'a>,
    has_changed: bool,
}

impl Inside<'_> {
    fn statement(&mut self, s: &Statement) -> Statement {
        match s {
            Statement::Store(store) => {
                let mut store = store.clone();
                store.indices = store.indices.iter().map(|e| self.index(e)).collect();
                store.values = store.values.iter().map(|e| self.value(e)).collect();
                Statement::Store(store)
            }
            Statement::Let(v, e, body) => {
                let e = if e.element() == Element::Int32 { self.index(e) } else { self.value(e) };
                self.conditions.define(*v, &e);
                Statement::Let(*v, e, Box::new(self.statement(body)))
            }
            Statement::If(condition, body) => Statement::If(self.value(condition), Box::new(self.statement(body))),
            Statement::For(l) => {
                let end = plus(&l.min, &l.length);
                if self.conditions.is_fixed(&l.min) && self.conditions.is_fixed(&end) {
                    self.conditions.range(l.variable, &l.min, &[end]);
                }
                s.with_children(|body| self.statement(body))
            }
            Statement::Nop | Statement::Assert(_) | Statement::Allocate(..) | Statement::Advance(..) => s.clone(),
            Statement::Accumulate(_) => s.clone(),
            Statement::Sequence(_) | Statement::Either(..) => s.with_children(|child| self.statement(child)),
            Statement::Produce(..) | Statement::Stage(..) => s.with_children(|child| self.statement(child)),
            Statement::Foreach(_) | Statement::Greatest(..) | Statement::Slide(..) => {
                s.with_children(|child| self.statement(child))
            }
        }
    }

    /// A value.
    fn value(&mut self, e: &Expr) -> Expr {
        match e.form() {
            Form::Choice(c, a, _) if self.decided(c, true) => self.value(a),
            Form::Leaf if matches!(e.kind(), ExprKind::Extremum(_)) => e.clone(),
            Form::Leaf if matches!(e.kind(), ExprKind::Read(..)) => e.with_children(|index| self.index(index)),
            _ => e.with_children(|child| self.value(child)),
        }
    }

    /// An index, or a part of one.
    fn index(&mut self, e: &Expr) -> Expr {
        if e.element() != Element::Int32 {
            return self.value(e);
        }
        if self.conditions.is_fixed(e) {
            return e.clone();
        }
        match e.kind() {
            ExprKind::Within(inner, ..) => self.index(inner),
            ExprKind::Builtin(LaneOp::Min | LaneOp::Max, operands) if operands.len() == 2 => {
                let made = e.with_children(|child| self.index(child));
                self.extremum(&made).unwrap_or(made)
            }
            ExprKind::Binary(BinaryOp::Remainder, ..) => {
                let made = e.with_children(|child| self.index(child));
                self.remainder(&made).unwrap_or(made)
            }
            ExprKind::Conditional(c, a, b) => {
                let c = c.with_children(|side| self.index(side));
                let c = self.value(&c);
                if self.decided(&c, false) {
                    return self.index(a);
                }
                Expr::conditional(c, self.index(a), self.index(b))
            }
            ExprKind::Unary(..) | ExprKind::Binary(..) | ExprKind::Builtin(..) => e.with_children(|child| self.index(child)),
            ExprKind::Constant(_) | ExprKind::Variable(_) | ExprKind::Convert(_) => self.value(e),
            ExprKind::Compare(..) | ExprKind::And(..) | ExprKind::Or(..) => self.value(e),
            ExprKind::Call(..) | ExprKind::Read(..) | ExprKind::Extremum(_) => self.value(e),
        }
    }

    /// min(a, b) or max(a, b) as the operand that mentions the variable.
    fn extremum(&mut self, e: &Expr) -> Option<Expr> {
        let ExprKind::Builtin(builtin, operands) = e.kind() else { unreachable!("an extremum") };
        let sums = [self.conditions.sum(&operands[0])?, self.conditions.sum(&operands[1])?];
        let at = sums.iter().position(|sum| self.conditions.factor(sum) != 0)?;
        let (kept, other) = (&sums[at], &sums[1 - at]);
        let distance = if *builtin == LaneOp::Min { less(other, kept)? } else { less(kept, other)? };
        let mut conditions = self.conditions.is_int(kept)?;
        conditions.extend(self.conditions.is_int(other)?);
        conditions.push(Condition(distance));
        self.require(&conditions)?;
        Some(operands[at].clone())
    }

    /// a mod b as a.
    fn remainder(&mut self, e: &Expr) -> Option<Expr> {
        let ExprKind::Binary(_, a, b) = e.kind() else { unreachable!("a remainder") };
        // The range of a small one is too small for blocks.
        if constant_value(b).is_some_and(|n| n < FEW_BLOCKS * i64::from(self.range.lanes)) {
            return None;
        }
        let (sum, modulus) = (self.conditions.sum(a)?, self.conditions.sum(b)?);
        if self.conditions.factor(&sum) == 0 || self.conditions.factor(&modulus) != 0 {
            return None;
        }
        let mut below = less(&modulus, &sum)?;
        below.constant -= 1;
        self.require(&[Condition(sum), Condition(below)])?;
        Some(a.clone())
    }

    /// Notes conditions, all of them or none.
    fn require(&mut self, conditions: &[Condition]) -> Option<()> {
        self.conditions.require(conditions)?;
        self.has_changed = true;
        Some(())
    }

    /// Does a condition hold inside? It is then required to.
    fn decided(&mut self, c: &Expr, on_both_sides: bool) -> bool {
        let mut conditions = Vec::new();
        if self.conditions.conjuncts(c, &mut conditions).is_none() {
            return false;
        }
        let factors: Vec<i64> = conditions.iter().map(|Condition(sum)| self.conditions.factor(sum)).collect();
        let (is_above, is_below) = (factors.iter().any(|f| *f > 0), factors.iter().any(|f| *f < 0));
        let bounds = if on_both_sides { is_above && is_below } else { is_above || is_below };
        bounds && self.require(&conditions).is_some()
    }
}
