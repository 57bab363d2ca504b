//! Conditions: `if`, `&&`, `||`, `?:` and the blend `[a, b]`.
//!
//! ```text
//! if (c) A else B            m = P ∧ c;  if (any(m)) A under m;  n = P ∧ ¬c;  if (any(n)) B under n      c: a vector
//!                            branch c, A, B                                                           c: a scalar
//! a && b                     a ∧ (b under P ∧ a)
//! c ? a : b                  select(c, a under P ∧ c, b under P ∧ ¬c)
//! [a, b]                     select(P, a under P, b under ¬P)
//! ```
//! The branches on `any` are left out where the region is cheap (`cost`).

use super::cost;
use super::state::{Mask, Predicator};
use super::uniformity::is_vector;
use crate::typed::ir::{Block, Expr};
use crate::vector::build::Variable;
use crate::vector::ir::{BinaryOp, Value};

impl Predicator<'_> {
    /// Runs `body` under `mask`, behind a branch unless it is cheap or the mask is known. Gives the mask of the lanes
    /// that come out of it, `None` if control never does where a lane was on. The current mask stays as it was.
    pub fn under(&mut self, mask: Mask, cheap: bool, body: impl FnOnce(&mut Self)) -> Option<Mask> {
        let outer = std::mem::replace(&mut self.mask, mask);
        let out = match mask {
            Mask::Off(_) => Some(mask),
            Mask::AllOn(_) => {
                body(self);
                self.b.is_reachable().then_some(self.mask)
            }
            Mask::Value(_) if cheap => {
                let may_be_off = std::mem::replace(&mut self.may_be_off, true);
                body(self);
                self.may_be_off = may_be_off;
                self.b.is_reachable().then_some(self.mask)
            }
            Mask::Value(value) => {
                let any = self.b.any(value);
                let (inside, join) = (self.b.create_block(), self.b.create_block());
                let out = self.b.declare_variable(self.b.ty(value));
                self.b.define(out, value);
                self.b.branch(any, inside, &[], join, &[]);
                self.b.seal(inside);
                self.b.position(inside);
                body(self);
                let comes_back = self.b.is_reachable();
                let left = self.mask_value(self.mask);
                self.b.define(out, left);
                self.b.jump(join, &[]);
                self.b.seal(join);
                self.b.position(join);
                let left = self.b.use_variable(out);
                comes_back.then(|| self.mask_of(left))
            }
        };
        self.mask = outer;
        out
    }

    /// E-IF
    pub fn if_statement(&mut self, condition: &Expr, then: &Block, otherwise: &Block) {
        let value = self.expression(condition)[0];
        if is_vector(self.types(), condition) {
            self.vector_if(condition, value, then, otherwise);
        } else {
            self.scalar_if(value, then, otherwise);
        }
    }

    fn vector_if(&mut self, asked: &Expr, condition: Value, then: &Block, otherwise: &Block) {
        let opens_context = self.context() == 1;
        let outer = if opens_context { Mask::AllOn(self.b.ty(condition).length) } else { self.mask };
        let then_mask = self.narrow(outer, condition);
        let then_out = self.branch_block(then_mask, then, otherwise, asked);
        let then_same = then_out.is_none_or(|out| self.same_mask(out, then_mask));
        let mut left = outer;
        if !(otherwise.statements.is_empty() && then_same) {
            // Where the first branch does not come back, nobody was in it.
            let else_mask = match then_out {
                Some(_) => self.without(outer, condition),
                None => outer,
            };
            let else_out = self.branch_block(else_mask, otherwise, then, asked);
            let else_same = else_out.is_none_or(|out| self.same_mask(out, else_mask));
            left = match (then_out, else_out) {
                _ if then_same && else_same => outer,
                (Some(then_out), Some(else_out)) => self.union(then_out, else_out),
                (Some(out), None) | (None, Some(out)) => out,
                (None, None) => outer,
            };
        }
        if !opens_context {
            self.mask = left;
        }
    }

    fn branch_block(&mut self, mask: Mask, block: &Block, other: &Block, asked: &Expr) -> Option<Mask> {
        if block.statements.is_empty() {
            return Some(mask);
        }
        let cheap = cost::is_cheap_branch(self.shared, self.id, block, &[other], Some(asked));
        self.under(mask, cheap, |this| this.block(block))
    }

    fn scalar_if(&mut self, condition: Value, then: &Block, otherwise: &Block) {
        let outer = self.mask;
        let join = self.b.create_block();
        let mut merge = Merge::new(self);
        let then_block = self.b.create_block();
        let mut arms = vec![(then_block, then)];
        if otherwise.statements.is_empty() {
            merge.arm(self);
            self.b.branch(condition, then_block, &[], join, &[]);
        } else {
            let else_block = self.b.create_block();
            self.b.branch(condition, then_block, &[], else_block, &[]);
            arms.push((else_block, otherwise));
        }
        for (block, body) in arms {
            self.b.seal(block);
            self.b.position(block);
            self.mask = outer;
            self.block(body);
            merge.arm(self);
            self.b.jump(join, &[]);
        }
        self.b.seal(join);
        self.b.position(join);
        self.mask = merge.join(self).unwrap_or(outer);
    }

    // ---- Expressions ----------------------------------------------------------------------------------------------

    /// The value of an expression under a narrower mask, which `given` has decided on in the lanes around it; unset where no lane asks
    /// for it.
    fn expression_under(&mut self, mask: Mask, expr: &Expr, given: Option<&Expr>) -> Vec<Value> {
        let cheap = cost::is_cheap_expression(self.shared, self.id, self.mask_length(mask), expr, given);
        let types = self.shared.layouts.leaf_types(expr.ty);
        match mask {
            Mask::Off(_) => types.into_iter().map(|ty| self.b.unset(ty)).collect(),
            Mask::AllOn(_) => self.expression_at(mask, expr),
            Mask::Value(_) if cheap => self.expression_at(mask, expr),
            Mask::Value(_) => {
                let variables: Vec<Variable> = types.into_iter().map(|ty| self.b.declare_variable(ty)).collect();
                self.under(mask, false, |this| {
                    let values = this.expression(expr);
                    for (&variable, value) in variables.iter().zip(values) {
                        this.b.define(variable, value);
                    }
                });
                variables.into_iter().map(|variable| self.b.use_variable(variable)).collect()
            }
        }
    }

    fn expression_at(&mut self, mask: Mask, expr: &Expr) -> Vec<Value> {
        let outer = std::mem::replace(&mut self.mask, mask);
        let values = self.expression(expr);
        self.mask = outer;
        values
    }

    /// `a && b` (`is_and`) and `a || b`.
    pub fn short_circuit(&mut self, is_and: bool, a: &Expr, b: &Expr) -> Value {
        let op = if is_and { BinaryOp::And } else { BinaryOp::Or };
        let left = self.expression(a)[0];
        if is_vector(self.types(), a) {
            let mask = if is_and { self.narrow(self.mask, left) } else { self.without(self.mask, left) };
            let right = self.expression_under(mask, b, Some(a))[0];
            return self.b.binary(op, left, right);
        }
        if cost::is_cheap_expression(self.shared, self.id, 1, b, Some(a)) {
            let right = self.expression(b)[0];
            return self.b.binary(op, left, right);
        }
        let (rest, join) = (self.b.create_block(), self.b.create_block());
        let result = self.b.append_parameter(join, self.b.ty(left));
        let decided = self.b.bool(1, !is_and);
        if is_and {
            self.b.branch(left, rest, &[], join, &[decided]);
        } else {
            self.b.branch(left, join, &[decided], rest, &[]);
        }
        self.b.seal(rest);
        self.b.position(rest);
        let right = self.expression(b)[0];
        self.b.jump(join, &[right]);
        self.b.seal(join);
        self.b.position(join);
        result
    }

    /// `c ? a : b`
    pub fn conditional(&mut self, c: &Expr, a: &Expr, b: &Expr) -> Vec<Value> {
        let condition = self.expression(c)[0];
        if is_vector(self.types(), c) {
            let then_mask = self.narrow(self.mask, condition);
            let then = self.expression_under(then_mask, a, Some(c));
            let else_mask = self.without(self.mask, condition);
            let otherwise = self.expression_under(else_mask, b, Some(c));
            return self.select_leaves(condition, then_mask, &then, &otherwise);
        }
        let cheap = |e: &Expr| cost::is_cheap_expression(self.shared, self.id, 1, e, Some(c));
        if cheap(a) && cheap(b) {
            let (then, otherwise) = (self.expression(a), self.expression(b));
            return then.into_iter().zip(otherwise).map(|(a, b)| self.b.select(condition, a, b)).collect();
        }
        let [then_block, else_block, join] = [(); 3].map(|()| self.b.create_block());
        let types = self.shared.layouts.leaf_types(a.ty);
        let results: Vec<Value> = types.into_iter().map(|ty| self.b.append_parameter(join, ty)).collect();
        self.b.branch(condition, then_block, &[], else_block, &[]);
        for (block, expr) in [(then_block, a), (else_block, b)] {
            self.b.seal(block);
            self.b.position(block);
            let values = self.expression(expr);
            self.b.jump(join, &values);
        }
        self.b.seal(join);
        self.b.position(join);
        results
    }

    /// `[a, b]`
    pub fn blend(&mut self, a: &Expr, b: &Expr) -> Vec<Value> {
        let active = self.expression(a);
        let mask = self.mask;
        if matches!(mask, Mask::AllOn(_)) {
            return active;
        }
        let value = self.mask_value(mask);
        let others = self.b.not(value);
        let others = self.mask_of(others);
        let shown = self.shown_mask.replace(mask);
        let rest = self.expression_under(others, b, None);
        self.shown_mask = shown;
        self.select_leaves(value, mask, &active, &rest)
    }

    /// Leaf by leaf. A scalar leaf is that of the first side if one of its lanes is on.
    fn select_leaves(&mut self, condition: Value, first: Mask, a: &[Value], b: &[Value]) -> Vec<Value> {
        let mut any = None;
        let mut select = |this: &mut Self, a: Value, b: Value| {
            if this.b.ty(a).length == this.b.ty(condition).length {
                return this.b.select(condition, a, b);
            }
            let any = *any.get_or_insert_with(|| this.any_lane(first));
            this.b.select(any, a, b)
        };
        a.iter().zip(b).map(|(&a, &b)| select(self, a, b)).collect()
    }
}

/// Brings the masks together with which several ways come to a block.
pub(super) struct Merge {
    variable: Variable,
    masks: Vec<Mask>,
}

impl Merge {
    pub fn new(predicator: &mut Predicator) -> Self {
        let context = predicator.context();
        let ty = crate::vector::ir::Type::new(crate::vector::ir::Element::Bool, context);
        Merge { variable: predicator.b.declare_variable(ty), masks: Vec::new() }
    }

    /// A way ends here, just before it jumps.
    pub fn arm(&mut self, predicator: &mut Predicator) {
        if predicator.b.is_reachable() {
            let value = predicator.mask_value(predicator.mask);
            predicator.b.define(self.variable, value);
            self.masks.push(predicator.mask);
        }
    }

    /// The mask where they meet; `None` if no way comes here.
    pub fn join(self, predicator: &mut Predicator) -> Option<Mask> {
        let (&first, rest) = self.masks.split_first()?;
        if rest.iter().all(|&mask| predicator.same_mask(mask, first)) {
            return Some(first);
        }
        let value = predicator.b.use_variable(self.variable);
        Some(predicator.mask_of(value))
    }
}
