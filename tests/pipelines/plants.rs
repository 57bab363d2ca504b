//! Mistakes that a pass could make, planted behind it: the random pairs must find each of them.

use ivlc::pipeline::expr::{Expr, FuncId, InputId, Variable};
use ivlc::pipeline::loops::ir::{Binder, End, Foreach, Hole, HoleKind, Loop, Nest, Order, Statement, Store};
use ivlc::pipeline::simplify::constant_value;
use ivlc::typed::ir::BinaryOp;

/// A mistake of a pass.
pub struct Plant {
    /// What is wrong.
    pub name: &'static str,
    /// The pass that could be at fault.
    pub pass: &'static str,
    /// What is done wrong.
    pub mistake: Mistake,
}

/// A thing that is done wrong.
#[derive(Clone, Copy)]
pub enum Mistake {
    /// Makes the mistake in a statement, if that is one in which it can be made.
    Made(fn(&Nest, Statement) -> Statement),
    /// Says which outputs may have the memory of which input.
    InPlace(fn(&Nest, FuncId, InputId) -> bool),
}

/// All of them.
pub const PLANTS: &[Plant] = &[
    Plant { name: "lanes are added to the last block", pass: "foreach", mistake: Mistake::Made(whole_last_block) },
    Plant { name: "a loop over blocks begins a point late", pass: "foreach", mistake: Mistake::Made(late_blocks) },
    Plant { name: "a window is a number too short", pass: "propagate", mistake: Mistake::Made(fewer_points) },
    Plant { name: "a loop without guards is an iteration too long", pass: "tails", mistake: Mistake::Made(longer_main) },
    Plant { name: "a tail with guards is forgotten", pass: "tails", mistake: Mistake::Made(without_guarded) },
    Plant { name: "threads exchange the versions of an iteration", pass: "tails", mistake: Mistake::Made(exchanged) },
    Plant { name: "an unrolled loop forgets its last iteration", pass: "unroll", mistake: Mistake::Made(fewer_iterations) },
    Plant { name: "a part without edges is a block too long", pass: "partition", mistake: Mistake::Made(longer_middle) },
    Plant { name: "a tail is forgotten", pass: "partition", mistake: Mistake::Made(without_tail) },
    Plant { name: "the versions of a loop are exchanged", pass: "partition", mistake: Mistake::Made(exchanged) },
    Plant { name: "blocks counted from 0 begin at the second one", pass: "whole", mistake: Mistake::Made(from_second_block) },
    Plant { name: "a storage is an element too small", pass: "lanes", mistake: Mistake::Made(smaller_storage) },
    Plant { name: "lanes have no first coordinates of their own", pass: "lanes", mistake: Mistake::Made(common_range) },
    Plant { name: "an update over lanes is a store", pass: "combine", mistake: Mistake::Made(stored) },
    Plant { name: "an output overwrites what is read", pass: "in_place", mistake: Mistake::InPlace(|_, _, _| true) },
];

impl Plant {
    /// A nest with the mistake wherever it can be made, if this is the pass.
    pub fn applied(&self, pass: &str, nest: &Nest) -> Option<Nest> {
        match self.mistake {
            Mistake::Made(make) if pass == self.pass => Some(Nest { body: planted(nest, &nest.body, make), ..nest.clone() }),
            Mistake::Made(_) | Mistake::InPlace(_) => None,
        }
    }
}

fn planted(nest: &Nest, statement: &Statement, make: fn(&Nest, Statement) -> Statement) -> Statement {
    make(nest, statement.with_children(|child| planted(nest, child, make)))
}

fn int(n: i64, like: &Expr) -> Expr {
    Expr::int(n, like.span())
}

fn plus(a: &Expr, n: i64) -> Expr {
    Expr::binary(BinaryOp::Add, a.clone(), int(n, a))
}

fn whole_last_block(_: &Nest, s: Statement) -> Statement {
    let Statement::Foreach(f) = s else { return s };
    let lanes = int(f.lanes.into(), &f.low);
    let count = plus(&Expr::binary(BinaryOp::Subtract, f.high.clone(), f.low.clone()), i64::from(f.lanes) - 1);
    let blocks = Expr::binary(BinaryOp::Divide, count, lanes.clone());
    let high = Expr::binary(BinaryOp::Add, f.low.clone(), Expr::binary(BinaryOp::Multiply, blocks, lanes));
    Statement::Foreach(Box::new(Foreach { high, ..*f }))
}

fn late_blocks(_: &Nest, s: Statement) -> Statement {
    let Statement::Foreach(f) = s else { return s };
    Statement::Foreach(Box::new(Foreach { low: plus(&f.low, 1), ..*f }))
}

/// The memory of a func has a coordinate less than it needs.
fn smaller_storage(nest: &Nest, s: Statement) -> Statement {
    let Statement::Let(variable, value, body) = s else { return s };
    let is_memory = |hole: Hole| hole.kind == HoleKind::Memory && hole.end == End::Length;
    match nest.binder(variable) {
        Some(Binder::Hole(hole)) if is_memory(hole) => Statement::Let(variable, plus(&value, -1), body),
        _ => Statement::Let(variable, value, body),
    }
}

/// Of a loop whose length is a number, that is one less.
fn fewer_points(_: &Nest, s: Statement) -> Statement {
    let Statement::For(l) = s else { return s };
    let length = match constant_value(&l.length) {
        Some(n) if n > 1 => int(n - 1, &l.length),
        Some(_) | None => l.length.clone(),
    };
    Statement::For(Box::new(Loop { length, ..*l }))
}

/// A loop and its tail, if these are the last ones here.
fn main_and_tail(s: &mut Statement) -> Option<[&mut Loop; 2]> {
    let Statement::Sequence(list) = s else { return None };
    let [.., Statement::For(main), Statement::For(tail)] = &mut list[..] else { return None };
    (main.variable == tail.variable && main.stage == tail.stage).then_some([&mut **main, &mut **tail])
}

fn longer_main(_: &Nest, mut s: Statement) -> Statement {
    if let Some([main, _]) = main_and_tail(&mut s) {
        main.length = plus(&main.length, 1);
    }
    s
}

fn without_guarded(_: &Nest, mut s: Statement) -> Statement {
    if let Some([_, tail]) = main_and_tail(&mut s) {
        tail.length = int(0, &tail.length);
    }
    s
}

fn fewer_iterations(_: &Nest, s: Statement) -> Statement {
    let Statement::Sequence(mut list) = s else { return s };
    let bound = |s: &Statement| match s {
        Statement::Let(variable, ..) => Some(*variable),
        _ => None,
    };
    let first: Option<Variable> = list.first().and_then(bound);
    if first.is_some() && list.len() > 1 && list.iter().all(|s| bound(s) == first) {
        list.pop();
    }
    Statement::Sequence(list)
}

/// The three parts of a loop, if this is one.
fn parts(s: &mut Statement) -> Option<[&mut Foreach; 3]> {
    let Statement::Sequence(list) = s else { return None };
    let [Statement::Foreach(low), Statement::Foreach(middle), Statement::Foreach(high)] = &mut list[..] else { return None };
    (low.variable == middle.variable && middle.variable == high.variable).then_some([&mut **low, &mut **middle, &mut **high])
}

fn longer_middle(_: &Nest, mut s: Statement) -> Statement {
    if let Some([_, middle, _]) = parts(&mut s) {
        middle.high = plus(&middle.high, middle.lanes.into());
    }
    s
}

fn without_tail(_: &Nest, mut s: Statement) -> Statement {
    if let Some([_, _, high]) = parts(&mut s) {
        high.high = high.low.clone();
    }
    s
}

fn exchanged(_: &Nest, s: Statement) -> Statement {
    let Statement::Either(condition, sides) = s else { return s };
    let [then, otherwise] = *sides;
    // What is behind the start checks is not of the pass.
    let sides = if matches!(then, Statement::Nop) { [then, otherwise] } else { [otherwise, then] };
    Statement::Either(condition, Box::new(sides))
}

fn from_second_block(_: &Nest, s: Statement) -> Statement {
    let Statement::Foreach(f) = s else { return s };
    let f = *f;
    let lanes = i64::from(f.lanes);
    let body = match f.body {
        Statement::Let(variable, value, body) => Statement::Let(variable, plus(&value, lanes), body),
        other => other,
    };
    Statement::Foreach(Box::new(Foreach { body, ..f }))
}

/// In a loop that the lanes share, what they have each for itself is counted from 0.
fn common_range(_: &Nest, s: Statement) -> Statement {
    let Statement::For(l) = s else { return s };
    let l = *l;
    let body = match l.body {
        Statement::Let(variable, value, body) if l.order == Order::Serial => {
            let counter = Expr::variable(l.variable, value.element(), value.span());
            Statement::Let(variable, counter, body)
        }
        other => other,
    };
    Statement::For(Box::new(Loop { body, ..l }))
}

fn stored(_: &Nest, s: Statement) -> Statement {
    let Statement::Accumulate(update) = s else { return s };
    let (stage, indices, values, span) = (update.stage, update.indices, vec![update.value], update.span);
    Statement::Store(Store { stage, indices, values, span })
}
