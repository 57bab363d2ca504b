//! Masks as bits, and between functions.

use super::builder::{Builder, IntPredicate, LlvmType, LlvmValue};

/// The bits of a mask as an integer of as many bits; a scalar `bool` is its own.
pub(super) fn bits(b: &Builder, mask: LlvmValue) -> LlvmValue {
    let lanes = b.lanes(b.type_of(mask));
    if lanes == 1 { mask } else { b.bitcast(mask, b.int(lanes)) }
}

/// A mask as it travels between functions: `to` is iN or a vector of integers that are 0 or −1.
pub(super) fn to_boundary(b: &Builder, mask: LlvmValue, to: LlvmType) -> LlvmValue {
    if b.lanes(to) == 1 { bits(b, mask) } else { b.sext(mask, to) }
}

/// The way back. The sign of a lane is looked at alone, as the instructions that use masks do.
pub(super) fn from_boundary(b: &Builder, value: LlvmValue, length: u32) -> LlvmValue {
    let ty = b.type_of(value);
    if b.lanes(ty) == 1 {
        b.bitcast(value, b.vector(b.int(1), length))
    } else {
        b.icmp(IntPredicate::LLVMIntSLT, value, b.zero(ty))
    }
}
