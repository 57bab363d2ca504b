//! Boundary conditions: rewritten indices.
//!
//! ```text
//! repeat_edge(in(x - 1))              in(clamp(x - 1, lo, hi - 1))
//! repeat(in(x - 1))                   in(lo + (x - 1 - lo) mod n)                                        n = max(hi - lo, 1)
//! mirror(in(x - 1))                   with m = (x - 1 - lo) mod 2n: in(lo + (m < n ? m : 2n - 1 - m))    edge twice
//! mirror_interior(in(x - 1))          with m = (x - 1 - lo) mod (2n - 2): in(lo + min(m, 2n - 2 - m))    edge once
//! constant_exterior(in(x - 1), c)     lo <= x - 1 & x - 1 < hi ? in(clamp(x - 1, lo, hi - 1)) : c
//! ```
//! [lo, hi) is the input's own window, or that of a range behind the read, in the order of the dimensions. Of a range without points
//! the first one is read; an input's own window without points is refused for it.

use super::super::expr::Known;
use super::super::plain::EDGES;
use super::Builder;
use super::reads::NamedSource;
use crate::diagnostics::{Diagnostic, codes};
use crate::source::Span;
use crate::syntax::ast::{self, ExprKind as Ast};
use crate::typed::ir::{self, BinaryOp, Builtin, CompareOp, Constant, ExprKind, LaneOp};
use crate::types::{Element, Type};

impl<'a> Builder<'_, 'a> {
    /// The word of a boundary condition, where that is what is called.
    pub fn edge_word(&self, name: &ast::Name) -> Option<ast::Name> {
        let text = name.text.trim_end_matches('\'').trim_start_matches("::");
        let text = text.strip_prefix("library::").unwrap_or(text);
        let is_it = EDGES.contains(&text) && (text != &*name.text || !self.scope.has_function(text));
        is_it.then(|| ast::Name { text: text.into(), span: name.span })
    }

    /// `EDGE''(e, low .. high)`: an index within a range.
    pub fn edge_of_index(&mut self, word: &ast::Name, arguments: &'a [ast::Expr], whole: &'a ast::Expr) -> Option<()> {
        let [index, ast::Expr { kind: Ast::Range(low, high), .. }] = arguments else { unreachable!("an index and its range") };
        self.all([index, &**low, &**high])?;
        let mut index_of = |e| self.scope.converted(e, Element::Int32);
        let (Some(index), Some(low), Some(high)) = (index_of(index), index_of(low), index_of(high)) else { return self.fail() };
        let bool_type = self.scope.scalar(Element::Bool);
        let made = self.rewritten(&word.text, index, [low, high], true, bool_type);
        self.scope.replace(whole, made);
        Some(())
    }

    /// `EDGE(f(e…), range…, value?)`
    pub fn edge(&mut self, word: &ast::Name, arguments: &'a [ast::Expr], whole: &'a ast::Expr) -> Option<()> {
        let constant_exterior = &*word.text == "constant_exterior";
        let Some((Ast::Call { name, arguments: indices, .. }, rest)) = arguments.split_first().map(|(e, rest)| (&e.kind, rest))
        else {
            let message = format!("`{}` takes a read: `{}(in(x, y))`", word.text, word.text);
            return self.error(&codes::PIPELINE_TYPE, whole.span, message);
        };
        let Some(source) = self.source(name)? else {
            return self.error(&codes::PIPELINE_TYPE, name.span, format!("`{}` is no func and no input", name.text));
        };
        let (rank, components) = self.shape(source);
        let windows = match source {
            NamedSource::Func(_) => None,
            NamedSource::Input(id) => Some(self.made.input(id).dimensions.clone()),
        };
        if components != 1 {
            return self.error(&codes::PIPELINE_TYPE, name.span, format!("`{}` is a func of {components} values", name.text));
        }
        self.arity(name, rank, indices.len(), arguments[0].span)?;
        self.all(indices)?;
        let indices = self.indices(indices)?;
        // Ranges, then the value outside.
        let mut ranges = Vec::new();
        let mut outside = None;
        for argument in rest {
            match &argument.kind {
                Ast::Range(low, high) if outside.is_none() && ranges.len() < rank => {
                    self.all([&**low, &**high])?;
                    let bounds = (self.scope.converted(low, Element::Int32), self.scope.converted(high, Element::Int32));
                    let (Some(low), Some(high)) = bounds else { return self.fail() };
                    ranges.push(Some((low, high)));
                }
                Ast::Range(..) => {
                    return self.error(&codes::PIPELINE_TYPE, argument.span, format!("`{}` has {rank} dimensions", name.text));
                }
                _ if constant_exterior && outside.is_none() => outside = Some(argument),
                _ => {
                    return self.error(&codes::PIPELINE_TYPE, argument.span, format!("`{}` takes no such argument", word.text));
                }
            }
        }
        if constant_exterior && outside.is_none() {
            let error = Diagnostic::error(&codes::PIPELINE_TYPE, whole.span, "the value outside is missing");
            return self.report(error.with_help("write it last: `constant_exterior(in(x, y), 0)`"));
        }
        let span = whole.span;
        if windows.is_none() && ranges.is_empty() && rank > 0 {
            let message = format!("`{}` is a func: the range of dimension 0 is missing", name.text);
            return self.error(&codes::PIPELINE_TYPE, span, message);
        }
        let given = ranges.len();
        for d in given..rank {
            ranges.push(windows.as_ref().map(|windows| {
                let low = self.load_of(windows[d].min, span);
                let extent = self.load_of(windows[d].extent, span);
                let high = int_op(BinaryOp::Add, low.clone(), extent);
                (low, high)
            }));
        }
        let bool_type = self.scope.scalar(Element::Bool);
        let mut inside: Option<ir::Expr> = None;
        let mut rewritten = Vec::new();
        for (d, (index, range)) in indices.into_iter().zip(ranges).enumerate() {
            // A func has no window of its own: without a range there is no edge.
            let Some((low, high)) = range else {
                rewritten.push(index);
                continue;
            };
            if constant_exterior {
                let compare = |op, a: &ir::Expr, b: &ir::Expr| ir::Expr { span, ..compared(op, a, b, bool_type) };
                let both = |a, b| ir::Expr { kind: ExprKind::And(Box::new(a), Box::new(b)), ty: bool_type, span };
                let here = both(compare(CompareOp::GreaterEqual, &index, &low), compare(CompareOp::Less, &index, &high));
                inside = inside.into_iter().chain([here]).reduce(both);
            }
            rewritten.push(self.rewritten(&word.text, index, [low, high], d < given, bool_type));
        }
        let mut made = self.read_of(source.component(0), rewritten, span);
        if let (Some(inside), Some(outside)) = (inside, outside) {
            let element = self.scope.program().types.element(made.ty).expect("a number");
            self.prepare(outside)?;
            let Some(outside) = self.scope.converted(outside, element) else { return self.fail() };
            let ty = made.ty;
            made = ir::Expr { kind: ExprKind::Conditional(Box::new(inside), Box::new(made), Box::new(outside)), ty, span };
        }
        self.scope.replace(whole, made);
        Some(())
    }

    /// An index beyond the edges of low .. high, which may have no points if it is given.
    fn rewritten(
        &mut self,
        word: &str,
        index: ir::Expr,
        [low, high]: [ir::Expr; 2],
        is_given: bool,
        bool_type: Type,
    ) -> ir::Expr {
        let (ty, span) = (index.ty, index.span);
        let constant = |n: u64| ir::Expr { kind: ExprKind::Constant(Constant::Int(n)), ty, span };
        let builtin = |builtin, a, b| ir::Expr { kind: ExprKind::Builtin(builtin, vec![a, b]), ty, span };
        let extent = int_op(BinaryOp::Subtract, high.clone(), low.clone());
        let extent = if is_given { builtin(Builtin::Lane(LaneOp::Max), extent, constant(1)) } else { extent };
        let from_low = int_op(BinaryOp::Subtract, index.clone(), low.clone());
        let last = int_op(BinaryOp::Subtract, high, constant(1));
        let made = match word {
            "repeat" => int_op(BinaryOp::Add, low.clone(), int_op(BinaryOp::Remainder, from_low, extent)),
            "mirror" => {
                let twice = int_op(BinaryOp::Multiply, extent.clone(), constant(2));
                let m = int_op(BinaryOp::Remainder, from_low, twice.clone());
                let back = int_op(BinaryOp::Subtract, int_op(BinaryOp::Subtract, twice, constant(1)), m.clone());
                let forward = compared(CompareOp::Less, &m, &extent, bool_type);
                let kind = ExprKind::Conditional(Box::new(forward), Box::new(m), Box::new(back));
                int_op(BinaryOp::Add, low.clone(), ir::Expr { kind, ty, span })
            }
            "mirror_interior" => {
                let twice = int_op(BinaryOp::Multiply, int_op(BinaryOp::Subtract, extent, constant(1)), constant(2));
                let m = int_op(BinaryOp::Remainder, from_low, twice.clone());
                let back = int_op(BinaryOp::Subtract, twice, m.clone());
                int_op(BinaryOp::Add, low.clone(), builtin(Builtin::Lane(LaneOp::Min), m, back))
            }
            _ => return builtin(Builtin::Lane(LaneOp::Max), builtin(Builtin::Lane(LaneOp::Min), index, last), low),
        };
        // Of a window without points the first one is asked for, so that it is refused.
        let last = builtin(Builtin::Lane(LaneOp::Max), last, low.clone());
        let function = self.within(Known::Proven);
        ir::Expr { kind: ExprKind::Call { function, arguments: vec![made, low, last] }, ty, span }
    }
}

/// `a op b` on `int`.
fn int_op(op: BinaryOp, a: ir::Expr, b: ir::Expr) -> ir::Expr {
    let (ty, span): (_, Span) = (a.ty, a.span);
    ir::Expr { kind: ExprKind::Binary(op, Box::new(a), Box::new(b)), ty, span }
}

/// `a op b`, a condition.
fn compared(op: CompareOp, a: &ir::Expr, b: &ir::Expr, ty: Type) -> ir::Expr {
    ir::Expr { kind: ExprKind::Compare(op, Box::new(a.clone()), Box::new(b.clone())), ty, span: a.span }
}
