//! What takes long and is the same in all iterations of a loop is computed once, in front of it: quotients, roots and calls.
//!
//! ```text
//! for h in [0, +H):                          let kept = H > 0 & W > 0 ? rsqrt(var(n) + ε) : 0
//!     for w in [0, +W):                      for h in [0, +H):
//!         O(n, h, w) ←                 ──►       for w in [0, +W):
//!             I(n, h, w) * rsqrt(var(n) + ε)         O(n, h, w) ← I(n, h, w) * kept
//! ```
//! LLVM takes what is the same out of the innermost loop. Of a loop around that it does not know whether it reads anything at all.
//!
//! # Why this is right
//! * What is moved mentions no variable that the loop binds or advances, reads no func that is stored to in the loop, and no input that is
//!   overwritten. (An input that the caller may pass as an output, too, is read at the coordinates that are stored to, which the loop
//!   changes.)
//! * It is computed where it would have been at least once: where the loops and the conditions around one of its places have iterations.
//!   What neither reads nor calls is total, and computed whatever they say.

use super::super::expr::{Expr, ExprKind, FuncId, InputId, Source, Variable, zero};
use super::super::loops::ir::{Binder, Nest, Statement, Store};
use crate::typed::ir::{BinaryOp, CompareOp, LaneOp, UnaryOp};
use crate::types::Element;
use rustc_hash::{FxHashMap, FxHashSet};

/// Moves what loops keep in front of them, as far out as it can stand.
pub fn hoist(nest: &mut Nest) {
    let body = std::mem::take(&mut nest.body);
    nest.body = outside_in(nest, body);
}

fn outside_in(nest: &mut Nest, s: Statement) -> Statement {
    if !matches!(s, Statement::For(_) | Statement::Foreach(_)) {
        return s.mapped(|child| outside_in(nest, child));
    }
    let mut found = Found { inside: Inside::of(nest, &s), nest, path: Vec::new(), kept: Vec::new() };
    let s = found.statement(s);
    let made: Vec<(Variable, Expr)> = found.kept.into_iter().map(Kept::definition).collect();
    // What the lanes of a block have each for itself stays with them.
    let s = if let Statement::Foreach(_) = s { s } else { s.mapped(|child| outside_in(nest, child)) };
    s.behind(made.into_iter())
}

/// What a loop changes.
#[derive(Default)]
struct Inside {
    variables: FxHashSet<Variable>,
    stored: FxHashSet<FuncId>,
    overwritten: FxHashSet<InputId>,
}

impl Inside {
    fn of(nest: &Nest, s: &Statement) -> Inside {
        let overwritten = nest.pipeline.inout.iter().map(|(input, _)| *input).collect();
        let mut inside = Inside { overwritten, ..Inside::default() };
        inside.look_at(s);
        inside
    }

    fn look_at(&mut self, s: &Statement) {
        match s {
            Statement::For(l) => drop(self.variables.insert(l.variable)),
            Statement::Foreach(f) => drop(self.variables.insert(f.variable)),
            Statement::Let(v, ..) | Statement::Greatest(v, ..) | Statement::Slide(v, _) | Statement::Advance(v, _) => {
                self.variables.insert(*v);
            }
            Statement::Allocate(func, _) | Statement::Produce(func, _) => drop(self.stored.insert(*func)),
            Statement::Store(store) => drop(self.stored.insert(store.stage.func)),
            Statement::Accumulate(update) => drop(self.stored.insert(update.stage.func)),
            Statement::Nop | Statement::Assert(_) | Statement::Sequence(_) | Statement::If(..) | Statement::Either(..) => {}
            Statement::Stage(..) => {}
        }
        s.children().into_iter().for_each(|child| self.look_at(child));
    }
}

/// What stands around a place in the loop.
enum Around {
    /// A condition that holds there.
    Condition(Expr),
    /// A definition.
    Let(Variable, Expr),
}

/// An expression that is moved.
struct Kept {
    value: Expr,
    name: Variable,
    /// Where it is computed: where one of these holds. Empty: everywhere.
    places: Vec<Expr>,
}

impl Kept {
    fn definition(self) -> (Variable, Expr) {
        let Kept { value, name, places } = self;
        let or = |a: Expr, b: Expr| Expr::new(ExprKind::Or(a, b), Element::Bool, value.span());
        let otherwise = Expr::new(ExprKind::Constant(zero(value.element())), value.element(), value.span());
        let value = match places.into_iter().reduce(or) {
            Some(place) => Expr::conditional(place, value, otherwise),
            None => value,
        };
        (name, value)
    }
}

/// What is found in a loop.
struct Found<'n> {
    nest: &'n mut Nest,
    inside: Inside,
    path: Vec<Around>,
    kept: Vec<Kept>,
}

impl Found<'_> {
    /// The statement with names for what is moved.
    fn statement(&mut self, s: Statement) -> Statement {
        let around = match &s {
            Statement::For(l) => {
                Around::Condition(Expr::compare(CompareOp::Greater, l.length.clone(), Expr::int(0, l.length.span())))
            }
            Statement::Foreach(f) => Around::Condition(Expr::compare(CompareOp::Greater, f.high.clone(), f.low.clone())),
            Statement::If(condition, _) => Around::Condition(condition.clone()),
            Statement::Let(variable, value, _) => Around::Let(*variable, value.clone()),
            Statement::Either(condition, sides) => {
                let opposite = Expr::new(ExprKind::Unary(UnaryOp::Not, condition.clone()), Element::Bool, condition.span());
                let [then, otherwise] = (**sides).clone();
                let sides = [(condition.clone(), then), (opposite, otherwise)].map(|(condition, side)| {
                    self.path.push(Around::Condition(condition));
                    let side = self.statement(side);
                    self.path.pop();
                    side
                });
                return Statement::Either(condition.clone(), Box::new(sides));
            }
            Statement::Store(store) => {
                let values = store.values.iter().map(|value| self.value(value)).collect();
                return Statement::Store(Store { values, ..store.clone() });
            }
            Statement::Accumulate(update) => {
                let mut update = update.clone();
                update.value = self.value(&update.value);
                return Statement::Accumulate(update);
            }
            Statement::Nop
            | Statement::Assert(_)
            | Statement::Sequence(_)
            | Statement::Allocate(..)
            | Statement::Greatest(..)
            | Statement::Slide(..)
            | Statement::Advance(..)
            | Statement::Produce(..)
            | Statement::Stage(..) => {
                return s.mapped(|child| self.statement(child));
            }
        };
        self.path.push(around);
        let s = s.mapped(|child| self.statement(child));
        self.path.pop();
        s
    }

    /// The value with names for what is moved; what is evaluated only now and then stays.
    fn value(&mut self, e: &Expr) -> Expr {
        if let Some(name) = self.moved(e) {
            return Expr::variable(name, e.element(), e.span());
        }
        match e.kind() {
            ExprKind::Binary(..) | ExprKind::Unary(..) | ExprKind::Builtin(..) | ExprKind::Call(..) | ExprKind::Convert(_) => {
                e.with_children(|child| self.value(child))
            }
            ExprKind::Constant(_) | ExprKind::Variable(_) | ExprKind::Compare(..) | ExprKind::Read(..) => e.clone(),
            ExprKind::And(..) | ExprKind::Or(..) | ExprKind::Conditional(..) => e.clone(),
            ExprKind::Within(..) | ExprKind::Extremum(_) => e.clone(),
        }
    }

    /// The name of an expression, if it is moved.
    fn moved(&mut self, e: &Expr) -> Option<Variable> {
        let is_moved = e.element().is_float() && self.is_the_same(e) && e.any(&takes_long);
        let place = if !is_moved {
            return None;
        } else if e.reads_or_calls() {
            Some(self.place()?)
        } else {
            None
        };
        if let Some(known) = self.kept.iter_mut().find(|kept| kept.value.is_same(e)) {
            known.places.extend(place.filter(|place| !known.places.iter().any(|other| other.is_same(place))));
            return Some(known.name);
        }
        let number = self.nest.variables.iter().filter(|variable| variable.name.starts_with("kept.")).count();
        let name = self.nest.variable_of(&format!("kept.{number}"), e.element(), Binder::Let);
        self.kept.push(Kept { value: e.clone(), name, places: place.into_iter().collect() });
        Some(name)
    }

    /// Does an expression have one value in all iterations?
    fn is_the_same(&self, e: &Expr) -> bool {
        if e.mentions(&|v| self.inside.variables.contains(&v)) || e.has_extrema() {
            return false;
        }
        let mut is_stored = false;
        e.reads(&mut |source, _, _| {
            is_stored |= match source {
                Source::Func(func, _) => self.inside.stored.contains(&func),
                Source::Input(input) => self.inside.overwritten.contains(&input),
            }
        });
        !is_stored
    }

    /// When the statement at hand is run in some iteration, in terms of what is known in front of the loop.
    fn place(&self) -> Option<Expr> {
        let mut conditions: Vec<Expr> = Vec::new();
        for around in self.path.iter().rev() {
            match around {
                Around::Condition(condition) => conditions.push(condition.clone()),
                Around::Let(variable, value) => {
                    let known = FxHashMap::from_iter([(*variable, value)]);
                    let with = |e: &Expr| e.substitute(&|v| known.get(&v).map(|value| (*value).clone()));
                    conditions = conditions.iter().map(with).collect();
                }
            }
        }
        let is_known = |e: &Expr| !e.reads_or_calls() && !e.has_extrema() && !e.mentions(&|v| self.inside.variables.contains(&v));
        let and = |a: Expr, b: Expr| Expr::new(ExprKind::And(a.clone(), b), Element::Bool, a.span());
        conditions.iter().all(is_known).then(|| conditions.into_iter().rev().reduce(and)).flatten()
    }
}

/// Is it an operation that takes as long as a dozen others?
fn takes_long(e: &Expr) -> bool {
    if let ExprKind::Binary(BinaryOp::Divide, ..) = e.kind() {
        return e.element().is_float();
    }
    matches!(e.kind(), ExprKind::Builtin(LaneOp::Sqrt | LaneOp::Rsqrt | LaneOp::Rcp, _) | ExprKind::Call(..))
}
