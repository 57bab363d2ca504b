//! Built-ins that look across lanes.

use super::super::operand::{Operand, Untyped};
use super::super::state::Checker;
use crate::diagnostics::{Diagnostic, Edit, codes};
use crate::source::Span;
use crate::syntax::ast;
use crate::typed::ir::{Builtin, CrossOp, Expr, ExprKind, ReduceOp};
use crate::types::{Element, Type, TypeKind};

impl<'a> Checker<'a> {
    /// `iota(N)`: <0, 1, …, N − 1>
    pub(super) fn iota(&mut self, e: &'a ast::Expr, span: Span) -> Operand {
        let Some(length) = self.constant_length(e) else { return Operand::Error(span) };
        if length == 1 {
            return Operand::Untyped(Untyped::Int(0), span);
        }
        Operand::Untyped(Untyped::Lanes((0..i128::from(length)).map(Untyped::Int).collect()), span)
    }

    /// The scalar that one lane of a type is.
    fn lane_type(&mut self, ty: Type, span: Span) -> Option<Type> {
        Some(match *self.program.types.kind(ty) {
            TypeKind::Error => return None,
            TypeKind::Vector { element, .. } => self.scalar(element),
            TypeKind::Pointer { pointee, .. } => self.program.types.pointer(pointee, 1),
            TypeKind::Record { record, context, .. } => self.record(record, 1, context),
            TypeKind::Void | TypeKind::Array { .. } => {
                self.error(&codes::TYPE_MISMATCH, span, format!("`{}` has no lanes", self.display(ty)));
                return None;
            }
        })
    }

    /// `set(v, x, i)`
    pub(super) fn set(&mut self, arguments: &'a [ast::Expr], span: Span) -> Operand {
        let place = self.writable(&arguments[0]);
        let lane = place.as_ref().and_then(|p| self.lane_type(p.ty, arguments[0].span));
        let value = self.expression(&arguments[1], lane);
        let index = self.expression(&arguments[2], None);
        let (Some(place), Some(lane)) = (place, lane) else { return Operand::Error(span) };
        let value = self.coerce(value, lane, arguments[1].span);
        let index = self.scalar_int(index);
        if self.is_error(value.ty) || self.is_error(index.ty) {
            return Operand::Error(span);
        }
        let ty = self.program.types.void();
        Operand::Value(Expr { kind: ExprKind::SetLane { place, value: Box::new(value), index: Box::new(index) }, ty, span })
    }

    /// `get(v, i)`
    pub(super) fn get(&mut self, arguments: &'a [ast::Expr], span: Span) -> Operand {
        let Some((vector, Some(index))) = self.vector(arguments) else { return Operand::Error(span) };
        let Some(lane) = self.lane_type(vector.ty, arguments[0].span) else { return Operand::Error(span) };
        let index = self.scalar_int(index);
        self.made(Builtin::Get, vec![vector, index], lane, span)
    }

    /// A vector, and a second operand if there is one; nothing if one is in error.
    pub(super) fn vector(&mut self, arguments: &'a [ast::Expr]) -> Option<(Expr, Option<Operand>)> {
        let first = self.expression(&arguments[0], None);
        let vector = self.value(first, None);
        let second = arguments.get(1).map(|e| self.expression(e, None));
        let is_good = !self.is_error(vector.ty) && !second.as_ref().is_some_and(Operand::is_error);
        is_good.then_some((vector, second))
    }

    /// The mask whose lanes are counted. Whoever hands over a number may have meant to count its bits.
    fn counted_mask(&mut self, argument: &'a ast::Expr, span: Span) -> Expr {
        let operand = self.expression(argument, None);
        let value = self.value(operand, None);
        let is_number = self.program.types.element(value.ty).is_some_and(|element| element.is_integer());
        if is_number && self.body.template.is_empty() {
            let message = "this counts the lanes in which a number is not 0, not the bits of the number";
            let name = Span { end: span.start + "popcount".len() as u32, ..span };
            let warning = Diagnostic::warning(&codes::COUNTED_TRUTH, span, message).with_help("`popcnt` counts bits");
            self.diagnostics.push(warning.with_fix("count bits with `popcnt`", vec![Edit::replace(name, "popcnt")]));
        }
        self.truth(Operand::Value(value))
    }

    /// A built-in whose lanes look at others.
    pub(super) fn cross_lane(&mut self, op: CrossOp, text: &str, arguments: &'a [ast::Expr], span: Span) -> Operand {
        match op {
            CrossOp::Any | CrossOp::All | CrossOp::None | CrossOp::PopcountMask => {
                let e = match op {
                    CrossOp::PopcountMask => self.counted_mask(&arguments[0], span),
                    _ => self.condition(&arguments[0]),
                };
                let ty = self.scalar(if op == CrossOp::PopcountMask { Element::Int32 } else { Element::Bool });
                self.made(Builtin::Cross(op), vec![e], ty, span)
            }
            CrossOp::ReduceEqual => {
                let Some((vector, _)) = self.vector(arguments) else { return Operand::Error(span) };
                if self.program.types.element(vector.ty).is_none() && self.program.types.pointee(vector.ty).is_none() {
                    return self.wrong_element(text, &vector, "the members of a record are compared one by one");
                }
                let vector = self.promoted(vector);
                let ty = self.scalar(Element::Bool);
                self.made(Builtin::Cross(op), vec![vector], ty, span)
            }
            CrossOp::BitScan => {
                let mask = self.condition(&arguments[0]);
                let start = self.expression(&arguments[1], None);
                let start = self.scalar_int(start);
                let ty = self.scalar(Element::Int32);
                self.made(Builtin::Cross(op), vec![mask, start], ty, span)
            }
            CrossOp::Reduce(reduction) | CrossOp::Scan(reduction) => {
                let Some((vector, _)) = self.vector(arguments) else { return Operand::Error(span) };
                let vector = self.promoted(vector);
                let bits = matches!(reduction, ReduceOp::And | ReduceOp::Or | ReduceOp::Xor);
                let element = self.program.types.element(vector.ty);
                let Some(element) = element.filter(|&e| if bits { !e.is_float() } else { e != Element::Bool }) else {
                    let help = match bits {
                        true => "bits are for integers and `bool`",
                        false => "numbers are reduced; `any`, `all` and `popcount` are for `bool`",
                    };
                    return self.wrong_element(text, &vector, help);
                };
                let ty = if op == CrossOp::Scan(reduction) { vector.ty } else { self.scalar(element) };
                self.made(Builtin::Cross(op), vec![vector], ty, span)
            }
            CrossOp::Shuffle | CrossOp::Shuffle2 if arguments.len() == 3 => self.shuffle_two(arguments, span),
            CrossOp::Dot2 | CrossOp::Dot4 => self.dot(op, text, arguments, span),
            CrossOp::WholeRegShr
            | CrossOp::WholeRegShl
            | CrossOp::Rotate
            | CrossOp::Shuffle
            | CrossOp::Shuffle2
            | CrossOp::Reverse
            | CrossOp::BroadcastLane => self.movement(op, text, arguments, span),
        }
    }

    /// `reduce_equal(v, x)`: a function of the library.
    pub(super) fn reduce_equal_to(&mut self, name: &'a ast::Name, arguments: &'a [ast::Expr], span: Span) -> Operand {
        let operands: Vec<Operand> = arguments.iter().map(|e| self.expression(e, None)).collect();
        match self.items.library.get(&name.text).cloned() {
            Some(overloads) if !operands.iter().any(Operand::is_error) => self.call_of(name, &overloads, &[], operands, span),
            _ => Operand::Error(span),
        }
    }

    /// `dot2(a, b)`, `dot4(a, b)`, and with what is added, c: one `int` for two or four lanes of a and b.
    fn dot(&mut self, op: CrossOp, text: &str, arguments: &'a [ast::Expr], span: Span) -> Operand {
        let [a, b] = [0, 1].map(|k| {
            let operand = self.expression(&arguments[k], None);
            self.value(operand, None)
        });
        let sum = arguments.get(2).map(|e| (self.expression(e, None), e.span));
        if self.is_error(a.ty) || self.is_error(b.ty) || sum.as_ref().is_some_and(|(sum, _)| sum.is_error()) {
            return Operand::Error(span);
        }
        let (fits, lanes, help): (&[Element], u8, &str) = match op {
            CrossOp::Dot2 => (&[Element::Int16], 2, "it multiplies `int16`"),
            _ => (&[Element::Int8, Element::Uint8], 4, "it multiplies `int8` and `uint8`"),
        };
        for e in [&a, &b] {
            if !self.program.types.element(e.ty).is_some_and(|element| fits.contains(&element)) {
                return self.wrong_element(text, e, help);
            }
        }
        let operands = [a, b];
        let Some(length) = self.meet_lengths(&operands, span) else { return Operand::Error(span) };
        if length < lanes {
            return self.wrong_element(text, &operands[0], &format!("it adds the products of {lanes} lanes each"));
        }
        let mut operands = operands.map(|e| self.at_length(e, length)).to_vec();
        let ty = self.program.types.vector(Element::Int32, length / lanes);
        if let Some((sum, at)) = sum {
            operands.push(self.coerce(sum, ty, at));
        }
        self.made(Builtin::Cross(op), operands, ty, span)
    }

    /// Lanes of one vector at other places.
    fn movement(&mut self, op: CrossOp, text: &str, arguments: &'a [ast::Expr], span: Span) -> Operand {
        let Some((vector, by)) = self.vector(arguments) else { return Operand::Error(span) };
        let ty = vector.ty;
        if self.program.types.element(ty).is_none() && self.program.types.pointee(ty).is_none() {
            return self.wrong_element(text, &vector, "the members of a record move one by one");
        }
        let Some(by) = by else { return self.made(Builtin::Cross(op), vec![vector], ty, span) };
        if op == CrossOp::Shuffle {
            let Some(indices) = self.lane_numbers(by, arguments[1].span) else { return Operand::Error(span) };
            let ty = self.resized(ty, self.length(indices.ty));
            return self.made(Builtin::Cross(op), vec![vector, indices], ty, span);
        }
        let n = self.scalar_int(by);
        if op == CrossOp::Rotate && self.length(ty) == 1 {
            self.warn_of_scalar_rotation(text, ty, span);
        }
        self.made(Builtin::Cross(op), vec![vector, n], ty, span)
    }

    fn warn_of_scalar_rotation(&mut self, text: &str, ty: Type, span: Span) {
        let warning = Diagnostic::warning(&codes::SCALAR_ROTATION, span, "`rotate` moves lanes, and a scalar has one");
        let is_integer = self.program.types.element(ty).is_some_and(Element::is_integer);
        let name = Span { end: span.start + text.len() as u32, ..span };
        self.diagnostics.push(match is_integer {
            true => warning
                .with_help("`rotl` and `rotr` move the bits of an integer")
                .with_fix("rotate the bits to the left", vec![Edit::replace(name, "rotl")])
                .with_fix("rotate the bits to the right", vec![Edit::replace(name, "rotr")]),
            false => warning,
        });
    }

    /// `shuffle(a, b, indices)`
    fn shuffle_two(&mut self, arguments: &'a [ast::Expr], span: Span) -> Operand {
        let [first, second] = [0, 1].map(|k| self.expression(&arguments[k], None));
        let indices = self.expression(&arguments[2], None);
        if indices.is_error() {
            return Operand::Error(span);
        }
        let Some((a, b)) = self.meet_any(first, second, None, span) else { return Operand::Error(span) };
        let operands = [a, b];
        let Some(length) = self.meet_lengths(&operands, span) else { return Operand::Error(span) };
        let [a, b] = operands.map(|e| self.at_length(e, length));
        let Some(indices) = self.lane_numbers(indices, arguments[2].span) else { return Operand::Error(span) };
        if matches!(self.program.types.kind(a.ty), TypeKind::Record { .. }) {
            return self.wrong_element("shuffle", &a, "the members of a record move one by one");
        }
        let ty = self.resized(a.ty, self.length(indices.ty));
        self.made(Builtin::Cross(CrossOp::Shuffle2), vec![a, b, indices], ty, span)
    }

    /// Lane numbers: integers of any length.
    fn lane_numbers(&mut self, operand: Operand, span: Span) -> Option<Expr> {
        let value = self.value(operand, None);
        if self.is_error(value.ty) {
            return None;
        }
        if !self.program.types.element(value.ty).is_some_and(Element::is_integer) {
            let message = format!("`{}` where lane numbers are asked for", self.display(value.ty));
            self.error(&codes::TYPE_MISMATCH, span, message);
            return None;
        }
        let length = self.length(value.ty);
        let int = self.program.types.vector(Element::Int32, length);
        // Numbers count modulo the length, so that the low bits are all that matters.
        Some(self.converted(value, int))
    }

    pub(super) fn resized(&mut self, ty: Type, length: u8) -> Type {
        match *self.program.types.kind(ty) {
            TypeKind::Vector { element, .. } => self.program.types.vector(element, length),
            TypeKind::Pointer { pointee, .. } => self.program.types.pointer(pointee, length),
            TypeKind::Error | TypeKind::Void | TypeKind::Array { .. } | TypeKind::Record { .. } => ty,
        }
    }
}
