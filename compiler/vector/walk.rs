//! Questions that every reader of the vector IR asks: which values does an operation use, and does it do anything
//! besides computing its results?
//!
//! `for_each` and `for_each_mut` take an operation apart in one place, so that a new field is seen by all passes.

use super::ir::{BlockData, Op, PrintPiece, Target, Terminator, Value};

/// Expands to a function that hands every value of an [`Op`] to `$visit`, by shared or by mutable reference.
macro_rules! operands {
    ($op:expr, $visit:ident, $iter:ident, $as_inner:ident) => {
        match $op {
            Op::Const(_) | Op::Unset | Op::SlotAddress(_) | Op::GlobalAddress(_) | Op::Nowhere(_) | Op::Unroll(_) => {}
            Op::Splat(a)
            | Op::Ramp { base: a, step: _, exact: _ }
            | Op::Unary(_, a)
            | Op::Convert(_, a)
            | Op::Reduce(_, a)
            | Op::FirstLanes(a)
            | Op::Any(a)
            | Op::All(a)
            | Op::MaskBits(a)
            | Op::Reinterpret(a)
            | Op::PtrOffset(a, _)
            | Op::Prefetch(a)
            | Op::Allocate(_, a)
            | Op::Free(_, a)
            | Op::Assume(a) => $visit(a),
            Op::Binary(_, a, b)
            | Op::Compare(_, a, b)
            | Op::Extract(a, b)
            | Op::Shuffle(a, b, _)
            | Op::Permute(a, b)
            | Op::Dot2(a, b)
            | Op::Sad(a, b)
            | Op::Lifetime(a, b)
            | Op::Compress(a, b)
            | Op::Expand(a, b)
            | Op::PtrIndex { base: a, index: b, scale: _, offset: _ }
            | Op::Copy { to: a, from: b, size: _ }
            | Op::Atomic { op: _, pointer: a, value: b } => {
                $visit(a);
                $visit(b);
            }
            Op::Fma(a, b, c)
            | Op::Select(a, b, c)
            | Op::Insert(a, b, c)
            | Op::Permute2(a, b, c)
            | Op::Dot4 { a, b, sum: c, signed: _ } => {
                $visit(a);
                $visit(b);
                $visit(c);
            }
            Op::Load { pointer, mask }
            | Op::StreamingLoad { pointer, mask }
            | Op::Gather { pointers: pointer, mask, object: _ }
            | Op::StridedLoad { pointer, stride: _, mask, object: _ } => {
                $visit(pointer);
                if let Some(mask) = mask.$as_inner() {
                    $visit(mask);
                }
            }
            Op::Exchange { pointer, expected, value } => {
                $visit(pointer);
                if let Some(expected) = expected.$as_inner() {
                    $visit(expected);
                }
                $visit(value);
            }
            Op::Store { pointer, value, mask, streaming: _ }
            | Op::Scatter { pointers: pointer, value, mask }
            | Op::PackedStore { pointer, value, mask } => {
                $visit(pointer);
                $visit(value);
                if let Some(mask) = mask.$as_inner() {
                    $visit(mask);
                }
            }
            Op::Call(_, arguments) => arguments.$iter().for_each($visit),
            Op::Parallel { function: _, arguments, count } => {
                for argument in arguments.$iter() {
                    $visit(argument);
                }
                $visit(count);
            }
            Op::Print { channel: _, pieces } => {
                for piece in pieces.$iter() {
                    match piece {
                        PrintPiece::Text(_) => {}
                        PrintPiece::Value { value, signed: _, mask, format: _ } => {
                            $visit(value);
                            if let Some(mask) = mask.$as_inner() {
                                $visit(mask);
                            }
                        }
                    }
                }
            }
            Op::Check { condition, lane, message: _, numbers } => {
                $visit(condition);
                if let Some(lane) = lane.$as_inner() {
                    $visit(lane);
                }
                for number in numbers.$iter() {
                    $visit(number);
                }
            }
        }
    };
}

impl Op {
    /// Hands every operand to `visit`, in order.
    pub fn for_each(&self, mut visit: impl FnMut(Value)) {
        let mut visit = |value: &Value| visit(*value);
        operands!(self, visit, iter, as_ref);
    }

    /// Hands every operand to `visit`, which may replace it.
    pub fn for_each_mut(&mut self, mut visit: impl FnMut(&mut Value)) {
        operands!(self, visit, iter_mut, as_mut);
    }

    /// Does it do something that is seen even if nobody uses its results? Loads do not: they cannot trap.
    pub fn has_effect(&self) -> bool {
        match self {
            Op::Const(_)
            | Op::Unset
            | Op::Splat(_)
            | Op::Ramp { .. }
            | Op::Unary(..)
            | Op::Binary(..)
            | Op::Fma(..)
            | Op::Compare(..)
            | Op::Select(..)
            | Op::Convert(..)
            | Op::Extract(..)
            | Op::Insert(..)
            | Op::Shuffle(..)
            | Op::Permute(..)
            | Op::Permute2(..)
            | Op::Dot2(..)
            | Op::Sad(..)
            | Op::Dot4 { .. }
            | Op::Reinterpret(_)
            | Op::Compress(..)
            | Op::Expand(..)
            | Op::Reduce(..)
            | Op::FirstLanes(_)
            | Op::Any(_)
            | Op::All(_)
            | Op::MaskBits(_)
            | Op::PtrIndex { .. }
            | Op::PtrOffset(..)
            | Op::SlotAddress(_)
            | Op::GlobalAddress(_)
            | Op::Nowhere(_)
            | Op::Load { .. }
            | Op::StreamingLoad { .. }
            | Op::Gather { .. }
            | Op::StridedLoad { .. } => false,
            Op::Store { .. }
            | Op::Scatter { .. }
            | Op::Copy { .. }
            | Op::PackedStore { .. }
            | Op::Atomic { .. }
            | Op::Exchange { .. }
            | Op::Lifetime(..)
            | Op::Prefetch(_)
            | Op::Allocate(..)
            | Op::Free(..)
            | Op::Call(..)
            | Op::Parallel { .. }
            | Op::Print { .. }
            | Op::Check { .. }
            | Op::Assume(_)
            | Op::Unroll(_) => true,
        }
    }
}

impl Terminator {
    /// Where it may go, in order.
    pub fn targets(&self) -> impl Iterator<Item = &Target> {
        let (first, second) = match self {
            Terminator::Jump(target) => (Some(target), None),
            Terminator::Branch { condition: _, then, otherwise } => (Some(then), Some(otherwise)),
            Terminator::Return(_) | Terminator::Unreachable => (None, None),
        };
        first.into_iter().chain(second)
    }

    /// Where it may go, in order.
    pub fn targets_mut(&mut self) -> impl Iterator<Item = &mut Target> {
        let (first, second) = match self {
            Terminator::Jump(target) => (Some(target), None),
            Terminator::Branch { condition: _, then, otherwise } => (Some(then), Some(otherwise)),
            Terminator::Return(_) | Terminator::Unreachable => (None, None),
        };
        first.into_iter().chain(second)
    }

    /// Hands every operand to `visit`: the condition, returned values and block arguments.
    pub fn for_each(&self, mut visit: impl FnMut(Value)) {
        match self {
            Terminator::Branch { condition, then: _, otherwise: _ } => visit(*condition),
            Terminator::Return(values) => values.iter().copied().for_each(&mut visit),
            Terminator::Jump(_) | Terminator::Unreachable => {}
        }
        self.targets().for_each(|target| target.arguments.iter().copied().for_each(&mut visit));
    }

    /// Hands every operand to `visit`, which may replace it.
    pub fn for_each_mut(&mut self, mut visit: impl FnMut(&mut Value)) {
        match self {
            Terminator::Branch { condition, then: _, otherwise: _ } => visit(condition),
            Terminator::Return(values) => values.iter_mut().for_each(&mut visit),
            Terminator::Jump(_) | Terminator::Unreachable => {}
        }
        self.targets_mut().for_each(|target| target.arguments.iter_mut().for_each(&mut visit));
    }
}

impl BlockData {
    /// A block without instructions that does not come back.
    pub fn empty() -> Self {
        BlockData { parameters: Vec::new(), insts: Vec::new(), terminator: Terminator::Unreachable }
    }
}
