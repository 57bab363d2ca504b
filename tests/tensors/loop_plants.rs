//! Mistakes that the making of loops could make, planted in nests with all their windows: the interpreter of loops runs them, and differs.
//!
//! ```text
//! for i in [0, +N): if 4 * io + ii < N: C[i] = 0                for i in [0, +N): C[i] = 0
//! for i in [0, +N): for k in [0, +K): C[i] = C[i] + …    ──►    for i in [0, +N): for k in [0, +K): C[i] = 0 + …
//! ```

use ivlc::pipeline::expr::{Expr, ExprKind};
use ivlc::pipeline::loops::check::Subject;
use ivlc::pipeline::loops::ir::{Binder, End, HoleKind, Loop, Nest, Statement, Store};
use ivlc::typed::ir::{BinaryOp, CompareOp, UnaryOp};

/// A mistake in loops: the nest with it wherever it can be made.
pub struct Plant {
    /// What is wrong.
    pub name: &'static str,
    /// Makes it.
    pub make: fn(&Nest) -> Nest,
}

/// Mistakes that random pairs must find.
pub const PLANTS: &[Plant] = &[
    Plant { name: "the guard of a split is left out", make: |nest| everywhere(nest, unguarded) },
    Plant { name: "the guard of a split lets one more through", make: |nest| everywhere(nest, late_guard) },
    Plant { name: "the guard of a split ends one too soon", make: |nest| everywhere(nest, early_guard) },
    Plant { name: "the blocks of a split are rounded down, without a tail", make: |nest| everywhere(nest, no_tail) },
    Plant { name: "a reduction begins without its first values", make: |nest| everywhere(nest, no_first_values) },
    Plant { name: "a reduction begins anew in its own loop", make: |nest| everywhere(nest, anew_in_loop) },
    Plant { name: "first values come behind the reduction", make: |nest| everywhere(nest, late_first_values) },
    Plant { name: "two loops have each other's window", make: |nest| everywhere(nest, exchanged_windows) },
    Plant { name: "the memory of a tensor is one too small", make: |nest| everywhere(nest, smaller(is_memory)) },
    Plant { name: "a tensor is computed on a window one too small", make: |nest| everywhere(nest, smaller(is_computed)) },
    Plant { name: "what is computed in a loop is so in its first iteration alone", make: |nest| everywhere(nest, stale) },
    Plant { name: "what slides is taken to be one further than it is", make: |nest| everywhere(nest, slid_too_far) },
    Plant { name: "storage is folded by half", make: half_folds },
    Plant { name: "nobody tests what is asserted of a window", make: |nest| everywhere(nest, untested_bounds) },
    Plant { name: "the copy for all other cases is forgotten", make: |nest| everywhere(nest, no_otherwise) },
];

fn everywhere(nest: &Nest, make: impl Fn(&Nest, Statement) -> Statement) -> Nest {
    fn planted(nest: &Nest, s: &Statement, make: &dyn Fn(&Nest, Statement) -> Statement) -> Statement {
        make(nest, s.with_children(|child| planted(nest, child, make)))
    }
    Nest { body: planted(nest, &nest.body, &make), ..nest.clone() }
}

fn plus(a: &Expr, n: i64) -> Expr {
    Expr::binary(BinaryOp::Add, a.clone(), Expr::int(n, a.span()))
}

/// Is it a condition of φ_Guard, in whose loops a variable may leave its window?
fn is_guard(nest: &Nest, condition: &Expr) -> bool {
    condition.mentions(&|v| nest.binder(v) == Some(Binder::Loop))
}

fn unguarded(nest: &Nest, s: Statement) -> Statement {
    match s {
        Statement::If(condition, body) if is_guard(nest, &condition) => *body,
        other => other,
    }
}

/// A guard whose comparisons `a < b` are others.
fn with_guards(nest: &Nest, s: Statement, other: fn(&Expr, &Expr) -> Expr) -> Statement {
    fn changed(e: &Expr, other: fn(&Expr, &Expr) -> Expr) -> Expr {
        match e.kind() {
            ExprKind::Compare(CompareOp::Less, a, b) => other(a, b),
            _ => e.with_children(|part| changed(part, other)),
        }
    }
    match s {
        Statement::If(condition, body) if is_guard(nest, &condition) => Statement::If(changed(&condition, other), body),
        s => s,
    }
}

fn late_guard(nest: &Nest, s: Statement) -> Statement {
    with_guards(nest, s, |a, b| Expr::compare(CompareOp::LessEqual, a.clone(), b.clone()))
}

fn early_guard(nest: &Nest, s: Statement) -> Statement {
    with_guards(nest, s, |a, b| Expr::compare(CompareOp::Less, plus(a, 1), b.clone()))
}

/// (L + n − 1) / n blocks are L / n.
fn no_tail(_: &Nest, s: Statement) -> Statement {
    let Statement::For(l) = s else { return s };
    let length = match l.length.kind() {
        ExprKind::Binary(BinaryOp::Divide, sum, n) => match sum.kind() {
            ExprKind::Binary(BinaryOp::Add, length, _) => Expr::binary(BinaryOp::Divide, length.clone(), n.clone()),
            _ => l.length.clone(),
        },
        _ => l.length.clone(),
    };
    Statement::For(Box::new(Loop { length, ..*l }))
}

/// Is it a stage that others of its func come behind?
fn is_first_stage(nest: &Nest, s: &Statement) -> bool {
    matches!(s, Statement::Stage(name, _) if name.stage == 0 && nest.pipeline.func(name.func).stages.len() > 1)
}

fn no_first_values(nest: &Nest, s: Statement) -> Statement {
    if is_first_stage(nest, &s) { Statement::Nop } else { s }
}

/// What an update finds is what the first stage has for that point, if that is a constant.
fn anew_in_loop(nest: &Nest, s: Statement) -> Statement {
    let Statement::Store(store) = s else { return s };
    let func = nest.pipeline.func(store.stage.func);
    let first = &func.stages[0].values;
    let is_constant = first.iter().all(|value| matches!(value.kind(), ExprKind::Constant(_)));
    let is_reduction = store.stage.stage > 0 && !func.stages[store.stage.stage].rdom.is_empty();
    if !is_constant || !is_reduction {
        return Statement::Store(store);
    }
    let (indices, values) = (store.indices.clone(), first.clone());
    let begin = Store { indices, values, ..store.clone() };
    Statement::Sequence(vec![Statement::Store(begin), Statement::Store(store)])
}

fn late_first_values(nest: &Nest, s: Statement) -> Statement {
    let Statement::Sequence(mut list) = s else { return s };
    if list.first().is_some_and(|s| is_first_stage(nest, s)) {
        list.rotate_left(1);
    }
    Statement::Sequence(list)
}

fn exchanged_windows(_: &Nest, s: Statement) -> Statement {
    let Statement::For(mut outer) = s else { return s };
    if let Statement::For(inner) = &mut outer.body
        && outer.stage == inner.stage
    {
        std::mem::swap(&mut outer.min, &mut inner.min);
        std::mem::swap(&mut outer.length, &mut inner.length);
    }
    Statement::For(outer)
}

fn is_memory(kind: HoleKind) -> bool {
    kind == HoleKind::Memory
}

fn is_computed(kind: HoleKind) -> bool {
    kind != HoleKind::Memory
}

/// Where a window of a kind has a length that is greater than 0, it is one less.
fn smaller(is_it: fn(HoleKind) -> bool) -> impl Fn(&Nest, Statement) -> Statement {
    move |nest, s| {
        let Statement::Let(variable, value, body) = s else { return s };
        match nest.binder(variable) {
            Some(Binder::Hole(hole)) if is_it(hole.kind) && hole.end == End::Length => {
                let is_some = Expr::compare(CompareOp::Greater, value.clone(), Expr::int(0, value.span()));
                let less = Expr::conditional(is_some, plus(&value, -1), value);
                Statement::Let(variable, less, body)
            }
            _ => Statement::Let(variable, value, body),
        }
    }
}

fn stale(_: &Nest, s: Statement) -> Statement {
    fn first_only(s: &Statement, is_first: &Expr) -> Statement {
        match s {
            Statement::Produce(..) => Statement::If(is_first.clone(), Box::new(s.clone())),
            // What is in loops of its own is another's.
            Statement::For(_) => s.clone(),
            _ => s.with_children(|child| first_only(child, is_first)),
        }
    }
    let Statement::For(l) = s else { return s };
    let variable = Expr::variable(l.variable, l.min.element(), l.min.span());
    let is_first = Expr::compare(CompareOp::Equal, variable, l.min.clone());
    let body = first_only(&l.body, &is_first);
    Statement::For(Box::new(Loop { body, ..*l }))
}

fn slid_too_far(_: &Nest, s: Statement) -> Statement {
    match s {
        Statement::Advance(done, e) => Statement::Advance(done, plus(&e, 1)),
        other => other,
    }
}

/// Where a window has several coordinates, half the slots that these need.
fn half_folds(nest: &Nest) -> Nest {
    let mut made = nest.clone();
    for fold in made.folds.iter_mut().filter(|fold| fold.least > 1) {
        let needed = (fold.least as u64).next_power_of_two();
        fold.factor = Expr::int(needed as i64 / 2, fold.factor.span());
    }
    made
}

fn untested_bounds(_: &Nest, s: Statement) -> Statement {
    match s {
        Statement::Assert(check) if matches!(check.subject, Subject::Bound(_)) => Statement::Nop,
        other => other,
    }
}

/// Of the copies of a func the last one has conditions that are negated, all of them.
fn no_otherwise(nest: &Nest, s: Statement) -> Statement {
    fn is_negated(e: &Expr) -> bool {
        match e.kind() {
            ExprKind::Unary(UnaryOp::Not, _) => true,
            ExprKind::And(a, b) => is_negated(a) && is_negated(b),
            _ => false,
        }
    }
    match s {
        Statement::If(condition, _) if nest.cases.iter().any(|case| case.is_same(&condition)) && is_negated(&condition) => {
            Statement::Nop
        }
        other => other,
    }
}
