//! Built-ins that put lanes elsewhere, or take them for bits.

use super::super::declared::{Base, Qualifier};
use super::super::operand::{Operand, Untyped};
use super::super::state::Checker;
use crate::diagnostics::{Diagnostic, codes};
use crate::source::Span;
use crate::syntax::ast;
use crate::typed::ir::{BinaryOp, Builtin, Expr, ExprKind, LaneOp, PlaceKind, RearrangeOp, SliceBound};
use crate::types::{Element, MAX_LENGTH, TypeKind};

const LENGTHS: &str = "lengths are the powers of two from 1 to 64";

impl<'a> Checker<'a> {
    /// A built-in that rearranges lanes.
    pub(super) fn rearrange(&mut self, op: RearrangeOp, text: &str, arguments: &'a [ast::Expr], span: Span) -> Operand {
        match op {
            RearrangeOp::Interleave => self.interleave(text, arguments, span),
            RearrangeOp::Deinterleave { .. } => self.deinterleave(text, arguments, span),
            RearrangeOp::Transpose { .. } => self.transpose(text, arguments, span),
            RearrangeOp::Align => self.align(text, arguments, span),
            RearrangeOp::LookUp => self.look_up(text, arguments, span),
            RearrangeOp::MaskBits => {
                let mask = self.condition(&arguments[0]);
                let ty = self.scalar(Element::Uint64);
                self.made(Builtin::Rearrange(op), vec![mask], ty, span)
            }
            RearrangeOp::MaskOf => self.mask_of_bits(text, arguments, span),
            RearrangeOp::Compress | RearrangeOp::Expand => self.compress(op, text, arguments, span),
            RearrangeOp::Bits => unreachable!("`bits` has a meaning of its own"),
        }
    }

    /// `bits<T>(v)`: as many lanes of T as have the bytes of v.
    pub(super) fn bits_as(&mut self, types: &'a [ast::TemplateArgument], e: &'a ast::Expr, span: Span) -> Operand {
        let [wanted] = types else {
            drop(self.expression(e, None));
            let message = "`bits` takes the type that the bits become: `bits<int>(x)`";
            self.error(&codes::TEMPLATE_ARGUMENTS, span, message);
            return Operand::Error(span);
        };
        let declared = self.type_argument(wanted);
        let operand = self.expression(e, None);
        let element = match declared.base {
            Base::Element(element) if element != Element::Bool => element,
            Base::Error => return Operand::Error(span),
            Base::Element(_) => {
                let error = Diagnostic::error(&codes::TYPE_MISMATCH, wanted.span(), "bits become numbers");
                self.diagnostics.push(error.with_help("`mask_of(x, N)` is the mask of N bits"));
                return Operand::Error(span);
            }
            Base::Void | Base::Record(_) | Base::Pointer(_) | Base::Reference(_) | Base::Array(..) => {
                self.error(&codes::TYPE_MISMATCH, wanted.span(), "bits become numbers");
                return Operand::Error(span);
            }
        };
        // A literal of 64 bits is asked for by a type of 64 bits.
        let want = match &operand {
            Operand::Untyped(untyped, _) if element.size() == 8 && untyped.length() == 1 => {
                Some(self.scalar(if untyped.is_float() { Element::Double } else { Element::Int64 }))
            }
            Operand::Untyped(..) | Operand::Value(_) | Operand::Place(_) | Operand::Element(_) | Operand::Error(_) => None,
        };
        let value = self.value(operand, want);
        if self.is_error(value.ty) {
            return Operand::Error(span);
        }
        let Some(from) = self.program.types.element(value.ty).filter(|&from| from != Element::Bool) else {
            return self.wrong_element("bits", &value, "it is for numbers; the bits of a mask are `mask_bits(m)`");
        };
        let bytes = from.size() * u64::from(self.length(value.ty));
        let (length, name) = (bytes / element.size(), element.name());
        if length == 0 {
            let message = format!("`{}` has less bits than `{name}`", self.display(value.ty));
            self.error(&codes::BAD_LENGTH, span, message);
            return Operand::Error(span);
        }
        if length > u64::from(MAX_LENGTH) {
            let message = format!("the bits of `{}` are {length} lanes of `{name}`", self.display(value.ty));
            self.diagnostics.push(Diagnostic::error(&codes::BAD_LENGTH, span, message).with_help(LENGTHS));
            return Operand::Error(span);
        }
        let said = match declared.qualifier {
            Qualifier::Unbound => length,
            Qualifier::Block => self.body.context.into(),
            Qualifier::Of(said) => said.into(),
        };
        if said != length {
            let message = format!("the bits of `{}` are {length} lanes of `{name}`, not {said}", self.display(value.ty));
            self.error(&codes::LENGTH_MISMATCH, wanted.span(), message);
            return Operand::Error(span);
        }
        let ty = self.program.types.vector(element, length as u8);
        if from.size() != element.size() {
            return self.made(Builtin::Rearrange(RearrangeOp::Bits), vec![value], ty, span);
        }
        if from.is_integer() && element.is_integer() {
            let e = self.converted(value, ty);
            return Operand::Value(Expr { span, ..e });
        }
        match from == element {
            true => Operand::Value(Expr { span, ..value }),
            false => self.made(Builtin::Lane(LaneOp::Bits), vec![value], ty, span),
        }
    }

    /// Operands of one type, which have lanes; nothing if one is in error.
    fn alike(&mut self, text: &str, arguments: &'a [ast::Expr], span: Span) -> Option<Vec<Expr>> {
        let operands: Vec<Operand> = arguments.iter().map(|e| self.expression(e, None)).collect();
        if operands.iter().any(Operand::is_error) {
            return None;
        }
        let is_number = |this: &mut Self, operand: &Operand| {
            let ty = this.operand_type(operand);
            this.program.types.element(ty).is_some()
        };
        let exprs = if operands.iter().all(|operand| is_number(self, operand)) {
            self.meet_moved(operands, None, span)?.0
        } else {
            let mut operands = operands.into_iter();
            let (a, b) = self.meet_any(operands.next()?, operands.next()?, None, span)?;
            let ty = a.ty;
            let rest: Vec<Expr> = operands.map(|operand| self.coerce(operand, ty, span)).collect();
            [a, b].into_iter().chain(rest).collect()
        };
        if exprs.iter().any(|e| self.is_error(e.ty)) || !exprs.iter().all(|e| self.has_lanes(text, e)) {
            return None;
        }
        let length = self.meet_lengths(&exprs, span)?;
        Some(exprs.into_iter().map(|e| self.at_length(e, length)).collect())
    }

    /// Reports what is no vector of numbers or pointers.
    fn has_lanes(&mut self, text: &str, e: &Expr) -> bool {
        let has = self.program.types.element(e.ty).is_some() || self.program.types.pointee(e.ty).is_some();
        if !has {
            self.wrong_element(text, e, "the members of a record move one by one");
        }
        has
    }

    /// `interleave(a, b)`, `interleave(a, b, c, d)`
    fn interleave(&mut self, text: &str, arguments: &'a [ast::Expr], span: Span) -> Operand {
        let Some(exprs) = self.alike(text, arguments, span) else { return Operand::Error(span) };
        let (ty, count) = (exprs[0].ty, exprs.len());
        let length = usize::from(self.length(ty)) * count;
        if length > usize::from(MAX_LENGTH) {
            let message = format!("{count} of `{}` are {length} lanes", self.display(ty));
            self.diagnostics.push(Diagnostic::error(&codes::BAD_LENGTH, span, message).with_help(LENGTHS));
            return Operand::Error(span);
        }
        let ty = self.resized(ty, length as u8);
        self.made(Builtin::Rearrange(RearrangeOp::Interleave), exprs, ty, span)
    }

    /// A vector whose lanes move; nothing if it is in error.
    fn moving(&mut self, text: &str, arguments: &'a [ast::Expr]) -> Option<Expr> {
        let (vector, _) = self.vector(&arguments[..1])?;
        self.has_lanes(text, &vector).then_some(vector)
    }

    /// How many equal parts a vector is taken for: a power of two that is not greater than its length.
    fn parts(&mut self, e: &'a ast::Expr, of: &Expr, what: &str) -> Option<u8> {
        let n = self.constant_integer(e)?;
        let length = self.length(of.ty);
        if (1..=i128::from(length)).contains(&n) && (n as u64).is_power_of_two() {
            return Some(n as u8);
        }
        let message = format!("{n} {what} of the {length} lanes of `{}`", self.display(of.ty));
        let error = Diagnostic::error(&codes::BAD_LENGTH, e.span, message);
        self.diagnostics.push(error.with_help("a power of two that is not greater than the length"));
        None
    }

    /// `deinterleave(v, k, n)`: lanes k, k + n, …
    fn deinterleave(&mut self, text: &str, arguments: &'a [ast::Expr], span: Span) -> Operand {
        let vector = self.moving(text, arguments);
        let first = self.constant_integer(&arguments[1]);
        let Some(vector) = vector else { return Operand::Error(span) };
        let Some(step) = self.parts(&arguments[2], &vector, "streams") else { return Operand::Error(span) };
        let Some(first) = first else { return Operand::Error(span) };
        if !(0..i128::from(step)).contains(&first) {
            let message = format!("there is no stream {first} of {step}");
            let error = Diagnostic::error(&codes::CONSTANT_OUT_OF_RANGE, arguments[1].span, message);
            self.diagnostics.push(error.with_help("the first one is 0"));
            return Operand::Error(span);
        }
        let ty = self.resized(vector.ty, self.length(vector.ty) / step);
        let op = RearrangeOp::Deinterleave { first: first as u8, step };
        self.made(Builtin::Rearrange(op), vec![vector], ty, span)
    }

    /// `transpose(v, rows)`
    fn transpose(&mut self, text: &str, arguments: &'a [ast::Expr], span: Span) -> Operand {
        let Some(vector) = self.moving(text, arguments) else { return Operand::Error(span) };
        let Some(rows) = self.parts(&arguments[1], &vector, "rows") else { return Operand::Error(span) };
        let ty = vector.ty;
        self.made(Builtin::Rearrange(RearrangeOp::Transpose { rows }), vec![vector], ty, span)
    }

    /// `align(a, b, n)`
    fn align(&mut self, text: &str, arguments: &'a [ast::Expr], span: Span) -> Operand {
        let exprs = self.alike(text, &arguments[..2], span);
        let n = self.expression(&arguments[2], None);
        let n = self.scalar_int(n);
        let Some(mut exprs) = exprs else { return Operand::Error(span) };
        let ty = exprs[0].ty;
        exprs.push(n);
        self.made(Builtin::Rearrange(RearrangeOp::Align), exprs, ty, span)
    }

    /// `lookup(table, v)`. Of an array it is table[v modulo its length].
    fn look_up(&mut self, text: &str, arguments: &'a [ast::Expr], span: Span) -> Operand {
        let [table, index] = [0, 1].map(|k| self.expression(&arguments[k], None));
        let index = self.value(index, None);
        if table.is_error() || self.is_error(index.ty) {
            return Operand::Error(span);
        }
        if !self.program.types.element(index.ty).is_some_and(Element::is_integer) {
            let message = format!("`{}` where lane numbers are asked for", self.display(index.ty));
            self.error(&codes::TYPE_MISMATCH, arguments[1].span, message);
            return Operand::Error(span);
        }
        let ty = self.operand_type(&table);
        if self.program.types.pointee(ty).is_some() && self.length(ty) == 1 {
            let Some(count) = self.elements_behind(&table) else {
                let message = format!("nothing says how many elements are behind `{}`", self.display(ty));
                let error = Diagnostic::error(&codes::ARRAY_SIZE, arguments[0].span, message);
                self.diagnostics.push(
                    error.with_help("a table is a vector, an array, or a parameter with a constant bound: `const int t[16]`"),
                );
                return Operand::Error(span);
            };
            let index = self.modulo(index, count);
            return self.element_at(table, Operand::Value(index), span);
        }
        // It is read as a whole, whatever the context.
        let table = match table {
            Operand::Place(place) => {
                let (ty, at) = (place.ty, place.span);
                Expr { kind: ExprKind::Load(place), ty, span: at }
            }
            Operand::Value(e) => e,
            Operand::Untyped(..) | Operand::Element(_) | Operand::Error(_) => self.value(table, None),
        };
        if self.is_error(table.ty) || !self.has_lanes(text, &table) {
            return Operand::Error(span);
        }
        let ty = self.resized(table.ty, self.length(index.ty));
        self.made(Builtin::Rearrange(RearrangeOp::LookUp), vec![table, index], ty, span)
    }

    /// How many elements a table has that is an array, or a pointer that the source says it of; not 0.
    fn elements_behind(&self, table: &Operand) -> Option<u64> {
        let Operand::Place(place) = table else { return None };
        if let TypeKind::Array { count, .. } = *self.program.types.kind(place.ty) {
            return Some(count);
        }
        let PlaceKind::Local(local) = place.kind else { return None };
        match self.body.locals[local.0 as usize].extent()? {
            SliceBound::Constant(count) => Some(*count).filter(|&count| count > 0),
            SliceBound::Parameter(_) | SliceBound::Sum(..) | SliceBound::Product(..) => None,
        }
    }

    /// The remainder of an integer that has the sign of the divisor, which is positive: from 0 on.
    fn modulo(&mut self, value: Expr, count: u64) -> Expr {
        let element = self.program.types.element(value.ty).expect("a number");
        let length = self.length(value.ty);
        // Of a power of two the low bits are the remainder, whatever the sign.
        let unsigned = match element.size() {
            1 => Element::Uint8,
            2 => Element::Uint16,
            4 => Element::Uint32,
            _ => Element::Uint64,
        };
        if count.is_power_of_two() {
            let ty = self.program.types.vector(unsigned, length);
            let value = self.converted(value, ty);
            if unsigned.bits() < 64 && count >= 1 << unsigned.bits() {
                return value;
            }
            return self.with_constant(BinaryOp::BitAnd, value, count - 1);
        }
        // In 64 bits it fits, and what is added is a multiple.
        let wide = if element.is_signed() { Element::Int64 } else { Element::Uint64 };
        let fits = super::super::constants::fits(2 * i128::from(count), element);
        let ty = self.program.types.vector(if fits { element } else { wide }, length);
        let value = self.converted(value, ty);
        let rest = self.with_constant(BinaryOp::Remainder, value, count);
        if !element.is_signed() {
            return rest;
        }
        let positive = self.with_constant(BinaryOp::Add, rest, count);
        self.with_constant(BinaryOp::Remainder, positive, count)
    }

    /// value ∘ n, in the type of the value.
    fn with_constant(&mut self, op: BinaryOp, value: Expr, n: u64) -> Expr {
        let (ty, span) = (value.ty, value.span);
        let element = self.program.types.element(ty).expect("a number");
        let n = self.constant(&Untyped::Int(n.into()), element, span);
        let n = self.broadcast(n, ty);
        Expr { kind: ExprKind::Binary(op, Box::new(value), Box::new(n)), ty, span }
    }

    /// `mask_of(x, N)`
    fn mask_of_bits(&mut self, text: &str, arguments: &'a [ast::Expr], span: Span) -> Operand {
        let uint64 = self.scalar(Element::Uint64);
        let operand = self.expression(&arguments[0], None);
        let length = self.constant_length(&arguments[1]);
        // A literal may have all bits, and a negative one its sign in all that it does not name.
        let want = if let Operand::Untyped(Untyped::Int(n), _) = &operand { Some(*n) } else { None };
        let want = want.map(|n| self.scalar(if n < 0 { Element::Int64 } else { Element::Uint64 }));
        let value = self.value(operand, want);
        if self.is_error(value.ty) {
            return Operand::Error(span);
        }
        if !self.program.types.element(value.ty).is_some_and(Element::is_integer) {
            return self.wrong_element(text, &value, "the bits of an integer are lanes");
        }
        if self.length(value.ty) != 1 {
            let message = format!("`{text}` of a vector: its bits are those of one number");
            self.error(&codes::VECTOR_TO_SCALAR, value.span, message);
            return Operand::Error(span);
        }
        let Some(length) = length else { return Operand::Error(span) };
        let value = self.converted(value, uint64);
        let ty = self.program.types.vector(Element::Bool, length);
        self.made(Builtin::Rearrange(RearrangeOp::MaskOf), vec![value], ty, span)
    }

    /// `compress(v, m)`, `expand(v, m)`
    fn compress(&mut self, op: RearrangeOp, text: &str, arguments: &'a [ast::Expr], span: Span) -> Operand {
        let vector = self.moving(text, arguments);
        let mask = self.condition(&arguments[1]);
        let Some(vector) = vector.filter(|_| !self.is_error(mask.ty)) else { return Operand::Error(span) };
        let exprs = [vector, mask];
        let Some(length) = self.meet_lengths(&exprs, span) else { return Operand::Error(span) };
        let exprs: Vec<Expr> = exprs.into_iter().map(|e| self.at_length(e, length)).collect();
        let ty = exprs[0].ty;
        self.made(Builtin::Rearrange(op), exprs, ty, span)
    }
}
