//! The rules on single elements, for the interpreters of pipelines, which have no memory and no masks of this kind.
//!
//! An element is given by its bits: integers zero-extended, floats by their bits, `bool` 0 or 1.

use super::lanes::Lanes;
use super::{Fault, Interpreter, Lane, Limits, arithmetic, builtins, cross_lane, expressions};
use crate::source::Span;
use crate::typed::ir::{BinaryOp, CompareOp, Constant, FunctionId, LaneOp, Program, ReduceOp, UnaryOp};
use crate::types::Element;

/// The value of an integer or `bool`.
pub fn integer(element: Element, bits: u64) -> i128 {
    arithmetic::integer(element, bits)
}

/// The bits of an integer, wrapped.
pub fn wrapped(element: Element, value: i128) -> u64 {
    arithmetic::wrapped(element, value)
}

/// The bits of a constant.
pub fn constant(element: Element, constant: Constant) -> u64 {
    expressions::constant_bits(Some(element), constant)
}

/// `a op b`
pub fn binary(op: BinaryOp, element: Element, a: u64, b: u64) -> u64 {
    arithmetic::binary(op, element, a, b)
}

/// `op a`
pub fn unary(op: UnaryOp, element: Element, a: u64) -> u64 {
    arithmetic::unary(op, element, a)
}

/// The n with n ∘ a = a, but for the sign of zero.
pub fn neutral(op: ReduceOp, element: Element) -> u64 {
    cross_lane::neutral(op, element)
}

/// A comparison.
pub fn compare(op: CompareOp, element: Element, a: u64, b: u64) -> bool {
    arithmetic::compare(op, Some(element), a, b)
}

/// A conversion.
pub fn convert(from: Element, to: Element, bits: u64) -> u64 {
    arithmetic::convert(Some(from), Some(to), bits)
}

/// A built-in that works lane by lane; `element` is the type of its first operand.
pub fn builtin(op: LaneOp, element: Element, result: Element, operands: &[u64]) -> u64 {
    builtins::lane_of(op, element, result, operands)
}

/// Calls a function of scalars.
///
/// # Errors
/// What goes wrong in it.
pub fn call(program: &Program, function: FunctionId, arguments: &[u64], limits: Limits) -> Result<u64, Box<Fault>> {
    let span = Span::default();
    let mut nowhere = |_: &str| {};
    let mut interpreter = Interpreter::new(program, limits, &mut nowhere);
    let locals = &program.functions[function.0 as usize].locals;
    let values = arguments.iter().zip(locals).map(|(&bits, local)| interpreter.layouts.vector(local.ty, |_| Lane::set(bits)));
    let values = values.collect();
    let result = interpreter.call(function, values, Lanes::all(1), span)?;
    let leaf = interpreter.layouts.leaf(result.ty);
    interpreter.decided(result.lane(&leaf, 0), span, None)
}
