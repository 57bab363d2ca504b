//! Vector loops as `foreach` over blocks.

use super::super::bounds::simplify::{constant_value, difference, linear, minus, offset, plus, simplify};
use super::super::expr::{Expr, ExprKind, Variable};
use super::super::loops::ir::{Loop, Order, StageName, Statement};
use super::Writer;
use crate::typed::ir::{CompareOp, LaneOp};
use crate::types::Element;

/// A `foreach` over blocks.
pub(super) struct VectorRange<'l> {
    pub lanes: u8,
    /// The vector loop.
    pub block: (StageName, Variable),
    /// Do the blocks run at the same time?
    parallel: bool,
    /// Is it one block, by itself?
    pub is_single: bool,
    pub variable: Variable,
    pub low: Expr,
    pub high: Expr,
    pub body: &'l Statement,
}

impl Writer<'_> {
    pub(super) fn vector_loop(&mut self, range: &VectorRange<'_>) {
        if !self.partitioned(range) {
            self.blocks(range, &range.low, &range.high, range.body);
        }
    }

    /// The blocks from `low` up to `high`.
    pub(super) fn blocks(&mut self, range: &VectorRange<'_>, low: &Expr, high: &Expr, body: &Statement) {
        let outer = self.varying.clone();
        // Whole blocks are counted from 0, so that it is seen that no lane is left over.
        let (count, n) = (minus(high, low), range.lanes);
        let counter = (is_whole(low, high, n) && constant_value(low) != Some(0)).then(|| self.counter());
        let (from, to) = match counter {
            Some(_) => ("0".to_owned(), self.bare(&count)),
            None => (self.bare(low), self.bare(high)),
        };
        let name = self.names.of(self.nest, counter.unwrap_or(range.variable));
        self.varying.insert(counter.unwrap_or(range.variable));
        self.bind(range.variable);
        let length = std::mem::replace(&mut self.length, range.lanes);
        let parallel = if range.parallel { "parallel " } else { "" };
        self.line(&format!("{parallel}foreach (int block[{n}] {name} = {from} .. {to}) {{"));
        let block = self.block.replace(range.block);
        self.nested(|this| {
            if let Some(counter) = counter {
                let k = Expr::variable(counter, Element::Int32, low.span());
                this.define(range.variable, &plus(low, &k));
            }
            this.statement(body);
        });
        self.block = block;
        self.length = length;
        self.varying = outer;
    }

    /// A vector loop as a `foreach`, with the loop around it where that has nothing else in it.
    ///
    /// ```text
    /// vector n for i in [0, +n): if o · n + i < L: let v = m + o · n + i in s   →   foreach (v = m + o·n .. min(m + o·n + n, m + L)) s
    /// for o in [0, +⌈L / n⌉) of these                                           →   foreach (v = m .. m + L) s
    /// ```
    pub(super) fn vector_range<'l>(&self, l: &'l Loop) -> Option<VectorRange<'l>> {
        if let Order::Vector(lanes) = l.order {
            return Some(self.lanes_of(l, lanes));
        }
        let (Order::Serial | Order::Parallel, Statement::For(inner)) = (l.order, &l.body) else { return None };
        let Order::Vector(lanes) = inner.order else { return None };
        let range = self.lanes_of(inner, lanes);
        // The first value of the first iteration, and the last of the last one.
        let at = |e: &Expr, o: Expr| simplify(&e.substitute(&|v| (v == l.variable).then(|| o.clone())));
        let next = offset(&Expr::variable(l.variable, Element::Int32, l.min.span()), 1);
        let step = difference(&at(&range.low, next), &range.low);
        if constant_value(&l.min) != Some(0)
            || step != Some(i64::from(lanes))
            || self.mentions(range.block, range.body, l.variable)
        {
            return None;
        }
        let low = at(&range.low, l.min.clone());
        // Whole blocks, or up to the guard: the operand that is the same in all iterations.
        let last = offset(&l.length, -1);
        let high = match range.high.kind() {
            ExprKind::Builtin(LaneOp::Min, operands) => {
                let is_fixed = |e: &&Expr| !e.mentions(&|v| v == l.variable);
                operands.iter().find(is_fixed)?.clone()
            }
            _ => at(&range.high, last),
        };
        Some(VectorRange { low, high, parallel: l.order == Order::Parallel, is_single: false, ..range })
    }

    /// The lanes of a vector loop, by the variable that a split computes from it.
    fn lanes_of<'l>(&self, l: &'l Loop, lanes: u8) -> VectorRange<'l> {
        let block = (l.stage, l.variable);
        let (guard, inner) = match &l.body {
            Statement::If(condition, body) => (Some(condition), &**body),
            other => (None, other),
        };
        let plain = || VectorRange {
            lanes,
            block,
            parallel: false,
            is_single: true,
            variable: l.variable,
            low: l.min.clone(),
            high: plus(&l.min, &l.length),
            body: &l.body,
        };
        let Statement::Let(variable, value, body) = inner else { return plain() };
        let i = Expr::variable(l.variable, Element::Int32, value.span());
        let base = minus(value, &i);
        if base.mentions(&|v| v == l.variable) || self.mentions(block, body, l.variable) {
            return plain();
        }
        let all = offset(&base, i64::from(lanes));
        let high = match guard.map(|condition| condition.kind()) {
            None => all,
            Some(ExprKind::Compare(CompareOp::Less, a, b)) => {
                // i < b − (a − i)
                let rest = minus(a, &i);
                if rest.mentions(&|v| v == l.variable) || b.mentions(&|v| v == l.variable) {
                    return plain();
                }
                let most = plus(&base, &minus(b, &rest));
                Expr::builtin(LaneOp::Min, vec![all, most])
            }
            Some(_) => return plain(),
        };
        VectorRange { lanes, block, parallel: false, is_single: true, variable: *variable, low: base, high, body }
    }

    /// Does a variable occur in a statement, or in the windows of the blocks in it?
    fn mentions(&self, block: (StageName, Variable), statement: &Statement, variable: Variable) -> bool {
        let mut found = self.defines_with(block, variable);
        statement.walk(&mut |s| {
            found |= s.expressions().into_iter().any(|e| e.mentions(&|v| v == variable));
            if let Statement::For(l) = s {
                found |= self.defines_with((l.stage, l.variable), variable);
            }
        });
        found
    }

    /// Does a variable occur in the windows of a block?
    fn defines_with(&self, block: (StageName, Variable), variable: Variable) -> bool {
        let definitions = self.windows.definitions.get(&Some(block));
        definitions.is_some_and(|list| list.iter().any(|(_, value)| value.mentions(&|v| v == variable)))
    }
}

/// Is it seen that there is no block without all of its lanes?
pub(super) fn is_whole(low: &Expr, high: &Expr, lanes: u8) -> bool {
    let (form, n) = (linear(&minus(high, low)), i64::from(lanes));
    form.constant % n == 0 && form.terms.iter().all(|(_, factor)| factor % n == 0)
}
