//! Operators and conversions: the sign moves from the type into the operation.

use super::layout;
use super::state::Predicator;
use crate::typed::ir::{BinaryOp, CompareOp, UnaryOp};
use crate::types::{Element, Type};
use crate::vector::ir::{self, ConvertOp, Value};

/// A whole number that is infinite as a `float16`.
const INFINITE: i64 = 1 << 17;

impl Predicator<'_> {
    pub fn unary(&mut self, op: UnaryOp, element: Element, a: Value) -> Value {
        match op {
            UnaryOp::Negate if element.is_float() => self.b.unary(ir::UnaryOp::FNeg, a),
            // On `bool`, which has no sign, only `!` makes sense; both are the same modulo 2.
            UnaryOp::Negate if element == Element::Bool => a,
            UnaryOp::Negate => match self.b.uniform_bits(a) {
                Some(bits) => {
                    let ty = self.b.ty(a);
                    self.b.int(ty, (bits as i64).wrapping_neg())
                }
                None => self.b.unary(ir::UnaryOp::Neg, a),
            },
            UnaryOp::Not => self.b.not(a),
        }
    }

    /// Two operands of one element type.
    pub fn arithmetic(&mut self, op: BinaryOp, element: Element, a: Value, b: Value) -> Value {
        self.b.binary(binary_op(op, element), a, b)
    }

    /// `element` is `None` for pointers.
    pub fn comparison(&mut self, op: CompareOp, element: Option<Element>, a: Value, b: Value) -> Value {
        if element == Some(Element::Bool) {
            return self.bool_comparison(op, a, b);
        }
        if element == Some(Element::Float16) {
            let [a, b] = [a, b].map(|value| self.convert_element(Element::Float16, Element::Float, value));
            return self.comparison(op, Some(Element::Float), a, b);
        }
        let class = match element {
            None => Class::Unsigned,
            Some(element) if element.is_float() => Class::Float,
            Some(element) if element.is_signed() => Class::Signed,
            Some(_) => Class::Unsigned,
        };
        let op = match (op, class) {
            (CompareOp::Equal, Class::Float) => ir::CompareOp::FEq,
            (CompareOp::NotEqual, Class::Float) => ir::CompareOp::FNe,
            (CompareOp::Less, Class::Float) => ir::CompareOp::FLt,
            (CompareOp::LessEqual, Class::Float) => ir::CompareOp::FLe,
            (CompareOp::Greater, Class::Float) => ir::CompareOp::FGt,
            (CompareOp::GreaterEqual, Class::Float) => ir::CompareOp::FGe,
            (CompareOp::Equal, Class::Signed | Class::Unsigned) => ir::CompareOp::Eq,
            (CompareOp::NotEqual, Class::Signed | Class::Unsigned) => ir::CompareOp::Ne,
            (CompareOp::Less, Class::Signed) => ir::CompareOp::SLt,
            (CompareOp::LessEqual, Class::Signed) => ir::CompareOp::SLe,
            (CompareOp::Greater, Class::Signed) => ir::CompareOp::SGt,
            (CompareOp::GreaterEqual, Class::Signed) => ir::CompareOp::SGe,
            (CompareOp::Less, Class::Unsigned) => ir::CompareOp::ULt,
            (CompareOp::LessEqual, Class::Unsigned) => ir::CompareOp::ULe,
            (CompareOp::Greater, Class::Unsigned) => ir::CompareOp::UGt,
            (CompareOp::GreaterEqual, Class::Unsigned) => ir::CompareOp::UGe,
        };
        self.b.compare(op, a, b)
    }

    /// false < true
    fn bool_comparison(&mut self, op: CompareOp, a: Value, b: Value) -> Value {
        match op {
            CompareOp::Equal => {
                let differ = self.b.binary(ir::BinaryOp::Xor, a, b);
                self.b.not(differ)
            }
            CompareOp::NotEqual => self.b.binary(ir::BinaryOp::Xor, a, b),
            CompareOp::Less => {
                let not = self.b.not(a);
                self.b.and(not, b)
            }
            CompareOp::LessEqual => {
                let not = self.b.not(a);
                self.b.or(not, b)
            }
            CompareOp::Greater => self.bool_comparison(CompareOp::Less, b, a),
            CompareOp::GreaterEqual => self.bool_comparison(CompareOp::LessEqual, b, a),
        }
    }

    /// Equality of values with this element, `None` for pointers.
    pub fn equal(&mut self, element: Option<Element>, a: Value, b: Value) -> Value {
        self.comparison(CompareOp::Equal, element, a, b)
    }

    /// The leaves of a value as another type of the same shape.
    pub fn convert(&mut self, from: Type, to: Type, values: Vec<Value>) -> Vec<Value> {
        let (from, to) = (self.leaves(from), self.leaves(to));
        let leaves = from.iter().zip(to.iter()).zip(values);
        leaves.map(|((from, to), value)| self.convert_leaf(from.element, to.element, value)).collect()
    }

    /// `None` stands for pointers.
    fn convert_leaf(&mut self, from: Option<Element>, to: Option<Element>, value: Value) -> Value {
        match (from, to) {
            (None, None) => value,
            (Some(from), Some(to)) => self.convert_element(from, to, value),
            (None, Some(Element::Bool)) => {
                let null = self.b.zero(self.b.ty(value));
                self.b.compare(ir::CompareOp::Ne, value, null)
            }
            (None, Some(to)) => {
                let number = self.b.convert(ConvertOp::PtrToInt, value, ir::Element::I64);
                self.convert_element(Element::Uint64, to, number)
            }
            (Some(from), None) => {
                let number = self.convert_element(from, Element::Int64, value);
                self.b.convert(ConvertOp::IntToPtr, number, ir::Element::Ptr)
            }
        }
    }

    /// One element type to another. Integers wrap, floats saturate, everything but zero is true.
    pub fn convert_element(&mut self, from: Element, to: Element, value: Value) -> Value {
        let target = layout::element(to);
        if let (ir::Element::I64, Some(wide)) = (target, self.known_wide(from, value)) {
            return wide;
        }
        if from == to {
            return value;
        }
        if from == Element::Float16 {
            let number = self.b.convert(ConvertOp::HToF, value, ir::Element::F32);
            return self.convert_element(Element::Float, to, number);
        }
        if to == Element::Float16 {
            let number = self.before_float16(from, value);
            return self.b.convert(ConvertOp::FToH, number, target);
        }
        if to == Element::Bool {
            return self.is_not_zero(from, value);
        }
        let op = match (from.is_float(), to.is_float()) {
            (true, true) => ConvertOp::FToF,
            (true, false) if to.is_signed() => ConvertOp::FToS,
            (true, false) => ConvertOp::FToU,
            (false, true) if from.is_signed() => ConvertOp::SToF,
            (false, true) => ConvertOp::UToF,
            (false, false) if from == Element::Bool => ConvertOp::ZExt,
            (false, false) if to.bits() < from.bits() => ConvertOp::Trunc,
            (false, false) if from.is_signed() => ConvertOp::SExt,
            (false, false) => ConvertOp::ZExt,
        };
        self.b.convert(op, value, target)
    }

    /// A `float` that is rounded to the same `float16` as the number.
    fn before_float16(&mut self, from: Element, value: Value) -> Value {
        use ir::BinaryOp as V;
        match from {
            Element::Float => value,
            Element::Double => self.rounded_to_odd(value),
            // From 65520 on it is infinite. What is below 2²⁴ is a `float` as it is.
            Element::Int32 | Element::Int64 => {
                let ty = self.b.ty(value);
                let (least, most) = (self.b.int(ty, -INFINITE), self.b.int(ty, INFINITE));
                let below = self.b.binary(V::SMin, value, most);
                let inside = self.b.binary(V::SMax, below, least);
                self.convert_element(from, Element::Float, inside)
            }
            Element::Uint32 | Element::Uint64 => {
                let ty = self.b.ty(value);
                let most = self.b.int(ty, INFINITE);
                let inside = self.b.binary(V::UMin, value, most);
                self.convert_element(from, Element::Float, inside)
            }
            Element::Bool | Element::Int8 | Element::Int16 | Element::Uint8 | Element::Uint16 | Element::Float16 => {
                self.convert_element(from, Element::Float, value)
            }
        }
    }

    /// A double as a float whose last bit says whether anything was cut off: the neighbour towards zero, with its last bit set unless it is
    /// exact. Rounding it to what has two bits less is rounding the double.
    fn rounded_to_odd(&mut self, value: Value) -> Value {
        use ir::BinaryOp as V;
        let narrow = self.b.convert(ConvertOp::FToF, value, ir::Element::F32);
        let back = self.b.convert(ConvertOp::FToF, narrow, ir::Element::F64);
        let bits = self.b.convert(ConvertOp::Bits, narrow, ir::Element::I32);
        let [sizes, sizes_back] = [value, back].map(|x| self.b.unary(ir::UnaryOp::FAbs, x));
        let ty = self.b.ty(bits);
        let (zero, one) = (self.b.zero(ty), self.b.int(ty, 1));
        let is_above = self.b.compare(ir::CompareOp::FLt, sizes, sizes_back);
        let is_cut = self.b.compare(ir::CompareOp::FNe, value, back);
        let step = self.b.select(is_above, one, zero);
        let last = self.b.select(is_cut, one, zero);
        let towards_zero = self.b.binary(V::Sub, bits, step);
        let odd = self.b.binary(V::Or, towards_zero, last);
        self.b.convert(ConvertOp::Bits, odd, ir::Element::F32)
    }

    /// The numbers of a `foreach` index as 64-bit ones: counting in 64 bits has saved the extension.
    pub fn known_wide(&self, element: Element, value: Value) -> Option<Value> {
        let &(known, wide) = self.wide_indices.get(&value)?;
        (known == element).then_some(wide)
    }

    fn is_not_zero(&mut self, from: Element, value: Value) -> Value {
        let ty = self.b.ty(value);
        if from.is_float() {
            let zero = self.b.zero(ty);
            return self.b.compare(ir::CompareOp::FNe, value, zero);
        }
        if let Some(bits) = self.b.constant_bits(value) {
            let bits: Vec<u64> = bits.iter().map(|&b| u64::from(b != 0)).collect();
            return self.b.constant(ty.mask(), &bits);
        }
        let zero = self.b.zero(ty);
        self.b.compare(ir::CompareOp::Ne, value, zero)
    }
}

/// How a comparison looks at its operands.
#[derive(Clone, Copy)]
enum Class {
    Signed,
    Unsigned,
    Float,
}

/// The operation for an operator at an element type. On `bool` there is only logic: sums are taken modulo 2.
fn binary_op(op: BinaryOp, element: Element) -> ir::BinaryOp {
    let pick = |float, signed, unsigned, logic| match element {
        Element::Float16 | Element::Float | Element::Double => float,
        Element::Bool => logic,
        Element::Int8 | Element::Int16 | Element::Int32 | Element::Int64 => signed,
        Element::Uint8 | Element::Uint16 | Element::Uint32 | Element::Uint64 => unsigned,
    };
    use ir::BinaryOp as V;
    match op {
        BinaryOp::Add => pick(V::FAdd, V::Add, V::Add, V::Xor),
        BinaryOp::Subtract => pick(V::FSub, V::Sub, V::Sub, V::Xor),
        BinaryOp::Multiply => pick(V::FMul, V::Mul, V::Mul, V::And),
        BinaryOp::Divide => pick(V::FDiv, V::SDiv, V::UDiv, V::And),
        BinaryOp::Remainder => pick(V::FRem, V::SRem, V::URem, V::And),
        BinaryOp::BitAnd => V::And,
        BinaryOp::BitOr => V::Or,
        BinaryOp::BitXor => V::Xor,
        BinaryOp::ShiftLeft => V::Shl,
        BinaryOp::ShiftRight => pick(V::AShr, V::AShr, V::LShr, V::LShr),
    }
}
