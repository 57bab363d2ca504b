//! How many elements array parameters have.
//!
//! ```text
//! float img[w * h]    ──►    v = i64 w · i64 h
//!                     where the function begins, with checks:  check 0 ≤ f64 w · f64 h < 2^62, "`img` is to have `w * h` elements …"
//! ```
//! Where the check holds, `v` is the product itself: numbers of 64 bits that wrapped on the way are right in the end.

use super::state::Predicator;
use crate::typed::ir::{LocalId, ParameterKind, SliceBound};
use crate::types;
use crate::vector::ir::{BinaryOp, CompareOp, Element, Type, Value};

/// No array has so many elements.
const LIMIT: f64 = (1u64 << 62) as f64;

/// More elements than memory has: no index is outside.
const UNKNOWN: i64 = i64::MAX >> 8;

impl Predicator<'_> {
    /// The value of a bound in 64 bits; nothing where one of its parameters was assigned to, or is one per lane.
    pub fn slice_bound(&mut self, bound: &SliceBound) -> Option<Value> {
        let assigned = &self.shared.locals[self.id.0 as usize].assigned;
        if bound.parameters().into_iter().any(|index| assigned[index]) {
            return None;
        }
        self.bound_as(bound, types::Element::Int64)
    }

    /// The value of a bound where the function begins; [`UNKNOWN`] where one of its parameters is one per lane.
    pub fn bound_at_entry(&mut self, bound: &SliceBound) -> Value {
        self.bound_as(bound, types::Element::Int64).unwrap_or_else(|| self.i64(UNKNOWN))
    }

    /// The value of a bound as a number of this type; nothing where one of its parameters is one per lane.
    fn bound_as(&mut self, bound: &SliceBound, element: types::Element) -> Option<Value> {
        let is_float = element == types::Element::Double;
        match bound {
            SliceBound::Constant(count) if is_float => Some(self.b.float(Type::scalar(Element::F64), *count as f64)),
            SliceBound::Constant(count) => Some(self.i64(*count as i64)),
            SliceBound::Parameter(index) => {
                let ty = self.function().locals[*index].ty;
                let from = self.types().element(ty).filter(|_| self.types().length(ty) == 1)?;
                let value = self.local_value(LocalId(*index as u32), ty);
                Some(self.convert_element(from, element, value))
            }
            SliceBound::Sum(a, b) | SliceBound::Product(a, b) => {
                let (a, b) = (self.bound_as(a, element)?, self.bound_as(b, element)?);
                let op = match (bound, is_float) {
                    (SliceBound::Sum(..), false) => BinaryOp::Add,
                    (SliceBound::Sum(..), true) => BinaryOp::FAdd,
                    (_, false) => BinaryOp::Mul,
                    (_, true) => BinaryOp::FMul,
                };
                Some(self.b.binary(op, a, b))
            }
        }
    }

    /// Bounds that are sums or products are numbers of elements: neither negative nor too large.
    pub fn check_bounds(&mut self) {
        if !self.shared.options.check {
            return;
        }
        let function = self.function();
        for parameter in &function.locals[..function.parameters] {
            let ParameterKind::Slice { bound: Some(bound @ (SliceBound::Sum(..) | SliceBound::Product(..))), .. } =
                &parameter.parameter
            else {
                continue;
            };
            let Some(size) = self.bound_as(bound, types::Element::Double) else { continue };
            let number = Type::scalar(Element::F64);
            let (zero, limit) = (self.b.float(number, 0.0), self.b.float(number, LIMIT));
            let low = self.b.compare(CompareOp::FGe, size, zero);
            let high = self.b.compare(CompareOp::FLt, size, limit);
            let ok = self.b.and(low, high);
            let text = bound.text(&|index| function.locals[index].name.clone());
            let message = format!("`{}` is to have `{text}` elements, which is negative or too large", parameter.name);
            let span = self.b.set_span(parameter.span);
            self.b.check(ok, None, message, Vec::new());
            self.b.set_span(span);
        }
    }
}
