//! Reads at places that a tensor holds: the index tensor is looked at once, in front of all work (T19 of the design: never assumed).
//!
//! ```text
//! O(i, j) +=! LUT(I(i, k), j)   ──►   fun O.least() = (0, 0, 2147483647);
//!                                     rdom (k = …, i = …) O.least() = (i, k, I(i, k)) if I(i, k) < O.least().2;
//!                                     …the greatest in the same way; it is refused unless both lie in [0, E)
//!                                     … LUT(I(i, k), j) where I(i, k) is known to lie there
//! ```
//! An index that is clamped, chosen or a remainder is bounded by what it is, and one that is under a condition by that; so is one that
//! is read from a tensor of the definition, whose values are not there yet. `unchecked(…)` is the caller's word.

use super::definition::Definition;
use super::ranges::Index;
use crate::pipeline::algorithm::{Func, Guard, ReductionVariable, Requirement, Stage, VariableKind};
use crate::pipeline::associative::identity;
use crate::pipeline::expr::{Expr, ExprKind, FuncId, Source, Variable};
use crate::pipeline::simplify::offset;
use crate::syntax::ast::Name;
use crate::typed::ir::{BinaryOp, CompareOp, ReduceOp};
use crate::types::Element;
use std::collections::HashMap;

impl Definition<'_, '_> {
    /// The value of a statement, with what is known of its look-ups once they have been looked at. `user` is the func to come.
    pub fn with_lookups(&mut self, value: &Expr, tensor: &Name, indices: &[Index], user: FuncId) -> Expr {
        if value.decider().is_some() {
            return value.clone();
        }
        let mut children = Vec::new();
        for child in value.children() {
            children.push(self.with_lookups(child, tensor, indices, user));
        }
        let mut next = children.into_iter();
        let made = value.with_children(|_| next.next().expect("as many parts"));
        let ExprKind::Read(source, at) = made.kind() else { return made };
        let Some(window) = self.windows.get(source).cloned() else { return made };
        let mut known = at.clone();
        for (d, (index, window)) in known.iter_mut().zip(&window).enumerate() {
            if self.is_lookup(index) {
                *index = self.look_at(index, window, tensor, indices, (user, *source, d));
            }
        }
        Expr::new(ExprKind::Read(*source, known), made.element(), made.span())
    }

    /// Is this an index that is read from an input, with nothing around it that bounds it?
    fn is_lookup(&self, index: &Expr) -> bool {
        let is_bound = match index.kind() {
            ExprKind::Binary(op, ..) => *op == BinaryOp::Remainder,
            ExprKind::Builtin(..) | ExprKind::Within(..) | ExprKind::Conditional(..) => true,
            _ => false,
        };
        let (mut reads, mut of_inputs) = (false, true);
        index.reads(&mut |source, _, _| {
            reads = true;
            of_inputs &= matches!(source, Source::Input(_));
        });
        reads && of_inputs && !is_bound
    }

    /// The index, known to be inside; a guard says so.
    fn look_at(
        &mut self,
        index: &Expr,
        [low, high]: &[Expr; 2],
        tensor: &Name,
        indices: &[Index],
        (user, source, d): (FuncId, Source, usize),
    ) -> Expr {
        let span = index.span();
        let mentioned: Vec<&Index> = indices.iter().filter(|i| index.mentions(&|v| v == i.variable)).collect();
        let last = offset(high, -1);
        let rank = self.windows[&source].len();
        let axis = self.builder.made.axis(rank, d);
        let read = self.builder.made.name_of(source).clone();
        let text = self.text(index).replace('%', "%%");
        let names: Vec<String> = mentioned.iter().map(|i| self.builder.made.variable(i.variable).name.to_string()).collect();
        let place = match &names[..] {
            [] => String::new(),
            names => format!(" at ({}) = ({})", names.join(", "), vec!["%"; names.len()].join(", ")),
        };
        for (op, word) in [(ReduceOp::Min, "least"), (ReduceOp::Max, "greatest")] {
            let id = FuncId(self.builder.made.funcs.len() as u32);
            let mut renamed: HashMap<Variable, Expr> = HashMap::new();
            let mut rdom = Vec::new();
            self.builder.scope.open();
            for (i, name) in mentioned.iter().zip(&names) {
                let range = i.range.as_ref().expect("a range");
                let name = Name { text: name.as_str().into(), span };
                let own = self.builder.bind(&name, Element::Int32, VariableKind::Reduction);
                renamed.insert(i.variable, Expr::variable(own, Element::Int32, span));
                rdom.push(ReductionVariable { variable: own, low: range.begin.clone(), high: range.end.clone() });
            }
            self.builder.scope.close();
            let value = index.substitute(&|v| renamed.get(&v).cloned());
            let component = |k: usize| Expr::new(ExprKind::Read(Source::Func(id, k), Vec::new()), Element::Int32, span);
            let first = rdom.iter().map(|r| r.low.clone()).chain([identity(op, Element::Int32, span)]).collect();
            let is_better = if op == ReduceOp::Min { CompareOp::Less } else { CompareOp::Greater };
            let better = Expr::compare(is_better, value.clone(), component(rdom.len()));
            let at = rdom.iter().map(|r| Expr::variable(r.variable, Element::Int32, span));
            let values = at.chain([value]).collect();
            let found = component(rdom.len());
            let count = rdom.len();
            rdom.reverse();
            let update = Stage { rdom, predicate: Some(better), ..Stage::plain(Vec::new(), values, span) };
            let number = self.builder.made.guards.len();
            self.builder.made.funcs.push(Func {
                name: format!("{}.{word}.{number}", tensor.text).into(),
                variables: Vec::new(),
                elements: vec![Element::Int32; count + 1],
                stages: vec![Stage::plain(Vec::new(), first, span), update],
                is_inline_reduction: true,
                span,
            });
            let condition = match op {
                ReduceOp::Min => Expr::compare(CompareOp::GreaterEqual, found.clone(), low.clone()),
                _ => Expr::compare(CompareOp::Less, found.clone(), high.clone()),
            };
            let reason = format!("`{text}` is %{place}, and `{read}` has % to % in dimension {axis}");
            let coordinates = (0..count).map(component);
            let numbers = [found].into_iter().chain(coordinates).chain([low.clone(), last.clone()]).collect();
            let requirement = Requirement { condition, reason, numbers };
            self.builder.made.guards.push(Guard { func: id, user, requirement });
        }
        Expr::new(ExprKind::Within(index.clone(), low.clone(), last), Element::Int32, span)
    }
}
