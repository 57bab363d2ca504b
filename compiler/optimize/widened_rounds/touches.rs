//! The memory that a round touches.

use super::super::addresses::Address;
use super::super::memory_access::{Forms, Linear};
use crate::vector::ir::*;
use crate::vector::writer::Writer;

/// An access of memory.
pub(in super::super) struct Touch {
    pub(in super::super) inst: Inst,
    /// Lane 0's, or those of all lanes where they are not regular.
    pub(in super::super) pointer: Value,
    address: Address,
    /// Bytes from lane to lane, if that is the same for all.
    stride: Option<u64>,
    /// Bytes of a lane.
    size: u64,
}

impl Touch {
    pub(in super::super) fn of(function: &mut Function, forms: &mut Forms, inst: Inst, lanes: u8) -> Option<Touch> {
        let InstData { op, results, span } = &function.insts[inst.0 as usize];
        let (pointer, value, stride) = match *op {
            Op::Load { pointer, .. } | Op::StreamingLoad { pointer, .. } => (pointer, results[0], None),
            Op::Store { pointer, value, .. } => (pointer, value, None),
            Op::StridedLoad { pointer, stride, .. } => (pointer, results[0], Some(stride.unsigned_abs())),
            Op::Gather { pointers, .. } => (pointers, results[0], Some(0)),
            Op::Scatter { pointers, value, .. } => (pointers, value, Some(0)),
            _ => return None,
        };
        let (ty, span) = (function.ty(value), *span);
        let size = ty.element.size();
        if function.ty(pointer).length == 1 {
            let stride = if ty.length == lanes { Some(stride.unwrap_or(size)) } else { None };
            return Some(Touch { inst, pointer, address: Address::of(function, pointer), stride, size });
        }
        let form = forms.of(function, pointer);
        let Some(form) = form.filter(Linear::is_plain) else {
            return Some(Touch { inst, pointer, address: Address::of(function, pointer), stride: None, size });
        };
        // What computes lane 0's address stands nowhere: it is only looked at.
        let first = Writer { function, out: &mut Vec::new(), span }.scalar(&form.uniform);
        Some(Touch {
            inst,
            pointer: first,
            address: Address::of(function, first),
            stride: Some(form.stride.unsigned_abs()),
            size,
        })
    }

    /// Have both the same lanes, each with bytes of its own?
    pub(in super::super) fn has_lanes_beside(&self, other: &Touch) -> bool {
        let Some(stride) = self.stride.filter(|_| self.stride == other.stride) else { return false };
        let distance = self.address.distance(&other.address);
        distance.is_some_and(|bytes| bytes.unsigned_abs() + self.size.max(other.size) <= stride)
    }
}
