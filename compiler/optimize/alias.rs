//! What is known of pointers: whether an operation may touch the memory behind one.

use crate::vector::ir::*;

/// May `op` read or write what a store through `pointer` writes, or let others see it?
pub fn may_touch(function: &Function, op: &Op, pointer: Value) -> bool {
    match op {
        Op::Load { pointer: p, .. }
        | Op::StreamingLoad { pointer: p, .. }
        | Op::Gather { pointers: p, .. }
        | Op::StridedLoad { pointer: p, .. }
        | Op::Store { pointer: p, .. }
        | Op::Scatter { pointers: p, .. }
        | Op::PackedStore { pointer: p, .. } => !distinct(function, pointer, *p),
        Op::Copy { to, from, .. } => !distinct(function, pointer, *to) || !distinct(function, pointer, *from),
        Op::Lifetime(..) | Op::Prefetch(_) | Op::Assume(_) | Op::Unroll(_) => false,
        other => other.has_effect(),
    }
}

/// May `op` write what is behind `pointer`?
pub fn may_write(function: &Function, op: &Op, pointer: Value) -> bool {
    match op {
        Op::Load { .. } | Op::StreamingLoad { .. } | Op::Gather { .. } | Op::StridedLoad { .. } => false,
        Op::Store { pointer: p, .. } | Op::Scatter { pointers: p, .. } | Op::PackedStore { pointer: p, .. } => {
            !distinct(function, *p, pointer)
        }
        Op::Copy { to, .. } => !distinct(function, *to, pointer),
        Op::Lifetime(..) | Op::Prefetch(_) | Op::Assume(_) | Op::Unroll(_) | Op::Check { .. } => false,
        other => other.has_effect(),
    }
}

/// The slots that only accesses use the addresses of: no pointer that is loaded, chosen or returned leads there, and no call.
pub(super) fn private_slots(function: &Function) -> Vec<bool> {
    let mut private = vec![true; function.slots.len()];
    let mut escapes = |value: Value| {
        if function.ty(value).element == Element::Ptr
            && let Root::Slot(slot) = root(function, value)
        {
            private[slot.0 as usize] = false;
        }
    };
    for block in &function.blocks {
        block.insts.iter().for_each(|inst| for_each_escape(&function.insts[inst.0 as usize].op, &mut escapes));
        block.terminator.for_each(&mut escapes);
    }
    private
}

/// Visits the operands that an operation does more with than to access what is there, or to compute addresses.
pub(super) fn for_each_escape(op: &Op, mut visit: impl FnMut(Value)) {
    match op {
        Op::PtrIndex { .. }
        | Op::PtrOffset(..)
        | Op::Splat(_)
        | Op::Load { .. }
        | Op::StreamingLoad { .. }
        | Op::Gather { .. }
        | Op::StridedLoad { .. }
        | Op::Copy { .. }
        | Op::Compare(..)
        | Op::Lifetime(..)
        | Op::Prefetch(_) => {}
        Op::Store { value, .. } | Op::Scatter { value, .. } | Op::PackedStore { value, .. } => visit(*value),
        other => other.for_each(visit),
    }
}

/// May `op` write what is behind a pointer into a private slot?
pub(super) fn may_write_private(function: &Function, op: &Op, pointer: Value) -> bool {
    match op {
        Op::Store { pointer: p, .. } | Op::Scatter { pointers: p, .. } | Op::PackedStore { pointer: p, .. } => {
            root(function, *p) == root(function, pointer)
        }
        Op::Copy { to, .. } => root(function, *to) == root(function, pointer),
        _ => false,
    }
}

/// Is it a pointer into one of these slots?
pub(super) fn is_in(function: &Function, slots: &[bool], pointer: Value) -> bool {
    matches!(root(function, pointer), Root::Slot(slot) if slots[slot.0 as usize])
}

/// What a pointer is computed from.
#[derive(PartialEq)]
enum Root {
    /// A parameter of the function, by index.
    Parameter(u32),
    Slot(Slot),
    Global(GlobalId),
    /// Memory that the function asks for.
    Allocated(Value),
    /// Loaded, chosen, returned.
    Unknown,
}

/// Is memory behind `written` never reached by pointers like `other`? So for different slots, globals and arrays that were asked for, for slots,
/// such arrays and parameters (the caller cannot know them), and for a `noalias` parameter that is written through and other
/// parameters, slots and globals.
fn distinct(function: &Function, written: Value, other: Value) -> bool {
    let noalias = |index: u32| function.parameter_flags.get(index as usize).is_some_and(|flags| flags.noalias);
    match (root(function, written), root(function, other)) {
        (Root::Unknown, _) | (_, Root::Unknown) => false,
        (Root::Parameter(a), Root::Parameter(b)) => a != b && (noalias(a) || noalias(b)),
        (Root::Parameter(a), Root::Global(_)) | (Root::Global(_), Root::Parameter(a)) => noalias(a),
        (a, b) => a != b,
    }
}

/// What a pointer is computed from.
pub(super) fn base(function: &Function, mut pointer: Value) -> Value {
    while let Some(Op::PtrIndex { base, .. } | Op::PtrOffset(base, _) | Op::Splat(base)) = function.definition(pointer) {
        pointer = *base;
    }
    pointer
}

/// The parameter of the function that a pointer is computed from.
pub(super) fn parameter(function: &Function, pointer: Value) -> Option<u32> {
    if let Root::Parameter(index) = root(function, pointer) { Some(index) } else { None }
}

fn root(function: &Function, pointer: Value) -> Root {
    let base = base(function, pointer);
    match function.definition(base) {
        Some(Op::SlotAddress(slot)) => Root::Slot(*slot),
        Some(Op::GlobalAddress(global)) => Root::Global(*global),
        Some(Op::Allocate(..)) => Root::Allocated(base),
        Some(_) => Root::Unknown,
        None => match function.values[base.0 as usize].def {
            ValueDef::Parameter(Block(0), index) => Root::Parameter(index),
            ValueDef::Parameter(..) | ValueDef::Result(..) => Root::Unknown,
        },
    }
}
