//! Loops in which guards hold, and their tails in which they may not: those of `split`, of `unroll` and of partial results.
//!
//! ```text
//! for o in [0, +(n + 3) / 4)                        let o_out = max(min((n + 3) / 4, n / 4), 0)
//!   for unrolled i in [0, +4)                       for o in [0, +o_out)
//!     if o * 4 + i < n                                for unrolled i in [0, +4)
//!       let x = o * 4 + i in s               ──►        let x = o * 4 + i in s
//!                                                   for o in [o_out, +(n + 3) / 4 − o_out)
//!                                                     for unrolled i in [0, +4)
//!                                                       if o * 4 + i < n
//!                                                         let x = o * 4 + i in s
//!
//! for parallel o …: s                               for parallel o …: if o <= … then s without guards else s
//! foreach x in o * 8 .. min(o * 8 + 8, n) by 8      foreach x in o * 8 .. o * 8 + 8 by 8, in the first of both
//! ```
//! Where guards are gone, vectors have no masks, and what is read and written does not depend on a condition.
//!
//! **What is cut.** The outermost loop of which nearly all iterations keep a guard: one with a factor that is greater than what
//! the loops inside add, as a split makes it. A tail is as it was, so that a point has as many copies more as it has guards.
//! A guard of all that a loop does ends the loop, and there is no tail. A loop in which a func is computed is not copied, nor is one that is longer than `MOST`; those inside of it may be.
//!
//! **Correctness.** Iterations stay in their order. A guard is left out where it holds by `conditions`, whatever the numbers. In a
//! vector loop the lanes agree where the loop is cut: the variable of the lanes counts as one of a loop inside.

use super::super::expr::{Expr, ExprKind, Variable};
use super::super::loops::ir::{Binder, Foreach, Loop, Nest, Order, Statement};
use super::super::simplify::{Linear, constant_value, difference, minus, offset, plus, simplify};
use super::conditions::{Comparison, Condition, Conditions, all, in_64_bits, less};
use super::foreach::ends;
use crate::typed::ir::{BinaryOp, CompareOp, LaneOp};
use crate::types::Element;

/// How many parts the expressions of a loop have that is copied, at most, with unrolled iterations each by itself.
const MOST: i64 = 1 << 11;

/// In a vector loop of more blocks the last one does not count.
const FEW_BLOCKS: i64 = 8;

/// Cuts the tails off loops.
pub fn tails(nest: &mut Nest) {
    let body = std::mem::replace(&mut nest.body, Statement::Nop);
    nest.body = Tails { nest, around: Vec::new() }.statement(body);
}

/// What binds a variable around a loop, from the vector loop on.
#[derive(Clone)]
enum Bound {
    /// A loop, with its first value and the ends of which the least one counts.
    Range(Expr, Vec<Expr>),
    /// A definition.
    Value(Expr),
}

struct Tails<'n> {
    nest: &'n mut Nest,
    around: Vec<(Variable, Bound)>,
}

impl Tails<'_> {
    fn statement(&mut self, s: Statement) -> Statement {
        match s {
            Statement::For(l) => self.cut(&l).unwrap_or_else(|| {
                let bound = Bound::Range(l.min.clone(), vec![plus(&l.min, &l.length)]);
                let l = *l;
                let body = self.within(l.variable, bound, l.body);
                Statement::For(Box::new(Loop { body, ..l }))
            }),
            Statement::Foreach(f) => {
                let f = *f;
                self.around.push((f.variable, Bound::Range(f.low.clone(), ends_in_order(&f))));
                let body = self.statement(f.body);
                self.around.clear();
                Statement::Foreach(Box::new(Foreach { body, ..f }))
            }
            Statement::Let(variable, value, body) => {
                let body = self.within(variable, Bound::Value(value.clone()), *body);
                Statement::Let(variable, value, Box::new(body))
            }
            Statement::Nop | Statement::Assert(_) | Statement::Allocate(..) | Statement::Advance(..) => s,
            Statement::Store(_) | Statement::Accumulate(_) => s,
            Statement::Sequence(_) | Statement::If(..) | Statement::Either(..) => s.mapped(|child| self.statement(child)),
            Statement::Produce(..) | Statement::Stage(..) => s.mapped(|child| self.statement(child)),
            Statement::Greatest(..) | Statement::Slide(..) => s.mapped(|child| self.statement(child)),
        }
    }

    /// A statement in which a variable is bound.
    fn within(&mut self, variable: Variable, bound: Bound, body: Statement) -> Statement {
        if self.around.is_empty() {
            return self.statement(body);
        }
        self.around.push((variable, bound));
        let body = self.statement(body);
        self.around.pop();
        body
    }

    /// A loop without its tail, and that, if there is one.
    fn cut(&mut self, l: &Loop) -> Option<Statement> {
        let is_one = constant_value(&l.length).is_some_and(|n| n <= 1);
        if l.order == Order::Unrolled || is_one || weight(&l.body)? > MOST {
            return None;
        }
        let mut conditions = Conditions::new(self.nest, l.variable, &l.body, l.min.span());
        let mut varying: Vec<Variable> = Vec::new();
        for (variable, bound) in &self.around {
            let parts = match bound {
                Bound::Range(low, ends) => ends.iter().chain([low]).collect(),
                Bound::Value(value) => vec![value],
            };
            let differs = |e: &&Expr| e.reads_or_calls() || e.mentions(&|v| varying.contains(&v));
            if !varying.is_empty() && !parts.iter().any(differs) {
                continue;
            }
            varying.push(*variable);
            conditions.vary(*variable);
            match bound {
                Bound::Range(low, ends) => conditions.range(*variable, low, ends),
                Bound::Value(value) => conditions.define(*variable, value),
            }
        }
        let end = plus(&l.min, &l.length);
        if !conditions.is_fixed(&l.min) || !conditions.is_fixed(&end) {
            return None;
        }
        let mut guards = Guards { conditions, min: &l.min, is_whole_body: true, has_changed: false, leaves_tail: false };
        let body = guards.statement(&l.body);
        let leaves_tail = guards.leaves_tail;
        if !guards.has_changed || (l.order == Order::Parallel && !leaves_tail) {
            return None;
        }
        let Conditions { mut hoisted, lows, highs, .. } = guards.conditions;
        let last = offset(&end, -1);
        let [mut lows, mut highs] = [lows, highs].map(|list| list.iter().map(simplify).collect::<Vec<_>>());
        lows.retain(|low| difference(low, &l.min).is_none_or(|n| n > 0));
        highs.retain(|high| difference(high, &last).is_none_or(|n| n < 0));
        hoisted.retain(|(variable, _)| lows.iter().chain(&highs).any(|e| e.mentions(&|v| v == *variable)));
        let body = self.within(l.variable, Bound::Range(l.min.clone(), vec![end.clone()]), body);
        let made = match l.order {
            _ if lows.is_empty() && highs.is_empty() => Statement::For(Box::new(Loop { body, ..l.clone() })),
            Order::Parallel => each(l, body, &lows, &highs),
            Order::Serial | Order::Vector(_) | Order::Unrolled => self.parts(l, body, &end, [&lows, &highs], leaves_tail),
        };
        Some(made.behind(hoisted.into_iter()))
    }

    /// The iterations with guards, those without, and those with them.
    fn parts(&mut self, l: &Loop, body: Statement, end: &Expr, [lows, highs]: [&[Expr]; 2], leaves_tail: bool) -> Statement {
        let (name, span) = (self.nest.name(l.variable).to_owned(), l.min.span());
        let mut definitions = Vec::new();
        let mut fixed = |nest: &mut Nest, what: &str, value: Expr| {
            if constant_value(&value).is_some() || matches!(value.kind(), ExprKind::Variable(_)) {
                return value;
            }
            let variable = nest.new_variable(&format!("{name}_{what}"), Binder::Let);
            definitions.push((variable, value));
            Expr::variable(variable, Element::Int32, span)
        };
        let low = fixed(self.nest, "low", l.min.clone());
        let high = fixed(self.nest, "high", end.clone());
        let extremum = |op, a: Expr, b: &Expr| Expr::builtin(op, vec![a, b.clone()]);
        // Where there is no iteration, low is not below high.
        let mut first = low.clone();
        if !lows.is_empty() {
            let least = lows.iter().fold(in_64_bits(&low), |all, e| extremum(LaneOp::Max, all, &in_64_bits(e)));
            let bounded = extremum(LaneOp::Max, extremum(LaneOp::Min, least, &in_64_bits(&high)), &in_64_bits(&low));
            first = fixed(self.nest, "in", bounded.converted(Element::Int32));
        }
        let behind = |e: &Expr| in_64_bits(&offset(e, 1));
        let most = highs.iter().fold(in_64_bits(&high), |all, e| extremum(LaneOp::Min, all, &behind(e)));
        let out = fixed(self.nest, "out", extremum(LaneOp::Max, most, &in_64_bits(&first)).converted(Element::Int32));
        let part = |from: &Expr, to: &Expr, body: &Statement| {
            let (min, length) = (from.clone(), minus(to, from));
            Statement::For(Box::new(Loop { min, length, body: body.clone(), ..l.clone() }))
        };
        let middle = part(&first, &out, &body);
        let made = match (leaves_tail, lows.is_empty()) {
            (false, _) => middle,
            (true, true) => Statement::Sequence(vec![middle, part(&out, &high, &l.body)]),
            (true, false) => Statement::Sequence(vec![part(&low, &first, &l.body), middle, part(&out, &high, &l.body)]),
        };
        made.behind(definitions.into_iter())
    }
}

/// Each iteration in one of two versions.
fn each(l: &Loop, body: Statement, lows: &[Expr], highs: &[Expr]) -> Statement {
    let variable = Expr::variable(l.variable, Element::Int32, l.min.span());
    let bounds = lows.iter().map(|low| (low, &variable)).chain(highs.iter().map(|high| (&variable, high)));
    let conditions = bounds.map(|(a, b)| Expr::compare(CompareOp::LessEqual, a.clone(), b.clone()));
    let condition = all(conditions).expect("a bound of the variable");
    let body = Statement::Either(condition, Box::new([body, l.body.clone()]));
    Statement::For(Box::new(Loop { body, ..l.clone() }))
}

/// The ends of a vector loop; the first one is that of its blocks, where it is known how many these are.
fn ends_in_order(f: &Foreach) -> Vec<Expr> {
    let mut all = ends(&f.high);
    all.sort_by_key(|end| difference(end, &f.low).is_none());
    all
}

/// How many parts the expressions of a statement have; none, if a func is computed in it.
fn weight(s: &Statement) -> Option<i64> {
    if matches!(s, Statement::Allocate(..)) {
        return None;
    }
    let mut own = 1;
    s.expressions().into_iter().for_each(|e| e.walk(&mut |_| own += 1));
    let inside = s.children().into_iter().map(weight).sum::<Option<i64>>()?;
    let copies = if let Statement::For(l) = s
        && l.order == Order::Unrolled
    {
        constant_value(&simplify(&l.length)).unwrap_or(1)
    } else {
        1
    };
    Some(own + inside * copies)
}

/// The body of a loop without its guards, and where that is the same.
struct Guards<'n> {
    conditions: Conditions<'n>,
    /// The first value of the variable.
    min: &'n Expr,
    /// Is a guard one of the whole body?
    is_whole_body: bool,
    has_changed: bool,
    /// Do other iterations do something?
    leaves_tail: bool,
}

impl Guards<'_> {
    fn statement(&mut self, s: &Statement) -> Statement {
        self.is_whole_body &= matches!(s, Statement::If(..) | Statement::Let(..));
        match s {
            Statement::If(condition, body) => {
                let left = self.left(condition);
                let body = self.statement(body);
                match left {
                    Some(left) => Statement::If(left, Box::new(body)),
                    None => body,
                }
            }
            Statement::Let(variable, value, body) => {
                self.conditions.define(*variable, value);
                Statement::Let(*variable, value.clone(), Box::new(self.statement(body)))
            }
            Statement::For(l) => {
                self.conditions.range(l.variable, &l.min, &[plus(&l.min, &l.length)]);
                s.with_children(|body| self.statement(body))
            }
            Statement::Foreach(f) => {
                self.conditions.range(f.variable, &f.low, &ends_in_order(f));
                let high = self.end_of_blocks(f).unwrap_or_else(|| f.high.clone());
                let body = self.statement(&f.body);
                Statement::Foreach(Box::new(Foreach { high, ..f.with_body(body) }))
            }
            Statement::Nop | Statement::Assert(_) | Statement::Allocate(..) | Statement::Advance(..) => s.clone(),
            Statement::Store(_) | Statement::Accumulate(_) => s.clone(),
            Statement::Sequence(_) | Statement::Either(..) => s.with_children(|child| self.statement(child)),
            Statement::Produce(..) | Statement::Stage(..) => s.with_children(|child| self.statement(child)),
            Statement::Greatest(..) | Statement::Slide(..) => s.with_children(|child| self.statement(child)),
        }
    }

    /// What is left of a guard, if something is.
    fn left(&mut self, guard: &Expr) -> Option<Expr> {
        if let ExprKind::And(a, b) | ExprKind::Binary(BinaryOp::BitAnd, a, b) = guard.kind() {
            let lazy = matches!(guard.kind(), ExprKind::And(..));
            return match (self.left(a), self.left(b)) {
                (Some(a), Some(b)) if lazy => Some(Expr::new(ExprKind::And(a, b), Element::Bool, guard.span())),
                (Some(a), Some(b)) => Some(Expr::binary(BinaryOp::BitAnd, a, b)),
                (left, None) | (None, left) => left,
            };
        }
        if self.holds(guard) { None } else { Some(guard.clone()) }
    }

    /// Does a comparison hold in nearly all iterations? It is then required to.
    fn holds(&mut self, c: &Expr) -> bool {
        let Some(Comparison { less, low_is_int, high_is_int }) = self.conditions.comparison(c) else { return false };
        // What is below an `int` is no greater than the last one, and what is above one no less than the first.
        let (low_is, high_is) = (low_is_int.is_empty(), high_is_int.is_empty());
        let low_is_int = low_is_int.into_iter().take(if high_is { 1 } else { 2 });
        let high_is_int = high_is_int.into_iter().skip(usize::from(low_is));
        let are_ints: Vec<Condition> = low_is_int.chain(high_is_int).filter(|condition| !self.begins_as_int(condition)).collect();
        let is_exact = are_ints.is_empty()
            && match self.spread(&less) {
                Some((_, 0)) => true,
                Some((0, 1)) => self.is_whole_body,
                Some(_) | None => false,
            };
        let holds = self.require(are_ints.into_iter().chain([less]).collect());
        self.leaves_tail |= holds && !is_exact;
        holds
    }

    /// Does a sum that is to be no less than the first `int` grow from one on?
    fn begins_as_int(&self, Condition(sum): &Condition) -> bool {
        let (Some(start), Some(mut least)) = (constant_value(self.min), self.conditions.least(sum.clone())) else { return false };
        let factor = self.conditions.factor(&least);
        least.constant -= 1 << 31;
        let is_known = |mut at: Linear| {
            at.terms.retain(|(atom, _)| !self.conditions.is_variable(atom));
            let is_int = |(_, factor): &(Expr, i64)| *factor == 1;
            at.constant += factor * start;
            at.terms.len() <= 1 && at.terms.iter().all(is_int) && (0..1 << 31).contains(&at.constant)
        };
        factor > 0 && is_known(least)
    }

    /// The end of blocks that are whole in nearly all iterations.
    fn end_of_blocks(&mut self, f: &Foreach) -> Option<Expr> {
        let all = ends_in_order(f);
        let count = difference(&all[0], &f.low)?;
        if all.len() == 1 || count <= 0 || count > FEW_BLOCKS * i64::from(f.lanes) {
            return None;
        }
        let last = self.conditions.sum(&all[0])?;
        let fits = |end: &Expr| Some(Condition(less(&self.conditions.sum(end)?, &last)?));
        let fit: Option<Vec<Condition>> = all[1..].iter().map(fits).collect();
        let holds = self.require(fit?);
        self.leaves_tail |= holds;
        holds.then(|| all[0].clone())
    }

    fn require(&mut self, conditions: Vec<Condition>) -> bool {
        let holds = conditions.iter().all(|condition| self.is_nearly_always(condition));
        let holds = holds && self.conditions.require(&conditions).is_some();
        self.has_changed |= holds;
        holds
    }

    /// Does what the loops inside add to a condition cost an iteration at most?
    fn is_nearly_always(&self, condition: &Condition) -> bool {
        let Some(least) = self.conditions.least(condition.0.clone()) else { return false };
        match self.conditions.factor(&least) {
            0 => least.value().is_some_and(|value| value >= 0),
            _ => self.spread(condition).is_some_and(|(spread, factor)| spread < factor),
        }
    }

    /// How far apart the values are that loops inside give to a condition, and by how much an iteration moves them.
    fn spread(&self, Condition(sum): &Condition) -> Option<(i64, i64)> {
        let least = self.conditions.least(sum.clone())?;
        let opposite = sum.terms.iter().map(|(atom, factor)| (atom.clone(), -factor)).collect();
        let most = self.conditions.least(Linear { terms: opposite, constant: -sum.constant })?;
        let factor = self.conditions.factor(&least).abs();
        // The greatest value was negated.
        Some((-least.plus(&most, 1)?.value()?, factor))
    }
}
