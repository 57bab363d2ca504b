//! What is known at a place of a function under predication.

use super::Shared;
use super::storage::Region;
use crate::typed::ir::{self, LocalId};
use crate::types;
use crate::vector::build::{FunctionBuilder, Variable};
use crate::vector::ir::{Block, Slot, Value};
use rustc_hash::FxHashMap;

/// One function under predication.
pub(super) struct Predicator<'p> {
    pub shared: &'p Shared<'p>,
    pub id: ir::FunctionId,
    /// The parallel loop whose rounds this is, if it is not the function itself.
    pub region: Option<Region>,
    pub b: FunctionBuilder,
    pub storage: Vec<Storage>,
    /// P
    pub mask: Mask,
    /// What `current_mask` is if not P: in the second part of a blend.
    pub shown_mask: Option<Mask>,
    /// Is this a region without a branch, whose mask may have no lane that is on?
    pub may_be_off: bool,
    /// The mask with which the function began.
    pub base: Mask,
    /// The loops around this place, the innermost last.
    pub loops: Vec<LoopFrame>,
    /// The regions in context 1 around this place, the innermost last.
    pub scalar_regions: Vec<ScalarRegion>,
    /// How many `foreach`s around this place have been written twice.
    pub copies: u32,
    /// The lanes that have left the function by `return`.
    pub returned: Variable,
    /// The leaves of their results.
    pub results: Vec<Variable>,
    /// Where a large result goes.
    pub result_address: Option<Value>,
    /// For a `foreach` index of this element, narrower than 64 bits: the same numbers as `i64`.
    pub wide_indices: FxHashMap<Value, (types::Element, Value)>,
    /// For checks: where the pointers that are followed lead now.
    pub followed: FxHashMap<LocalId, Followed>,
}

/// A mask of n lanes. In context 1 it is `AllOn(1)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Mask {
    /// Every lane is on.
    AllOn(u8),
    /// No lane is on: all have left by a jump.
    Off(u8),
    /// As the value says.
    Value(Value),
}

/// Where a local lives.
pub(super) enum Storage {
    /// In registers: one variable per leaf.
    Registers(Vec<Variable>),
    /// On the stack.
    Slot(Slot),
    /// On the stack of the function around the parallel loop; where.
    Shared(Value),
}

/// A loop or `switch` around the current place.
pub(super) struct LoopFrame {
    /// Which of them.
    pub kind: FrameKind,
    /// The mask with which the current round, or arm, began.
    pub round: Mask,
    /// The lanes that take part in the next round, if the lanes at the end of the body are not just those. Of a `switch`: the
    /// lanes that come out of it.
    pub live: Option<Variable>,
    /// Behind it.
    pub exit: Block,
    /// The end of a round.
    pub next: Block,
    /// Has a jump of lanes inside ended up behind it, and gone further?
    pub lanes_returned: bool,
    /// The lanes that come out of it, where lanes leave it early by `return` alone: those that have not returned.
    pub left: Option<Variable>,
}

/// What jumps can leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FrameKind {
    /// A loop.
    Loop,
    /// A `foreach_unique`, whose rounds have different lanes.
    RoundsDiffer,
    /// A `switch` on a scalar.
    Switch,
    /// A `switch` on a vector: behind the lanes of an arm come those of the next one, which have waited.
    LaneSwitch,
}

impl FrameKind {
    /// Is it a loop of some kind?
    pub fn is_loop(self) -> bool {
        match self {
            FrameKind::Loop | FrameKind::RoundsDiffer => true,
            FrameKind::Switch | FrameKind::LaneSwitch => false,
        }
    }
}

/// A region in context 1 whose surroundings have lanes.
pub(super) struct ScalarRegion {
    /// How many loops are around it.
    pub loops: usize,
    /// The lanes that have jumped out of it.
    pub departed: Variable,
    /// Are there such jumps?
    pub used: bool,
}

/// A pointer to an element of an object.
pub(super) struct Known {
    pub bounds: Bounds,
    /// The number of the element, an `i64`; the first one if absent.
    pub first: Option<Value>,
    /// The size of an element in bytes.
    pub element: u64,
    /// Is it certain, not only meant, that there are so many elements, and may what the pointer leads to have any of its values? So it
    /// is where the pointer is not assigned to, nobody else changes what it is computed from, and its type is that of the elements, or
    /// both have any bits as values.
    pub is_faithful: bool,
}

/// Into what a pointer leads that is followed.
#[derive(Clone, Copy)]
pub(super) struct Followed {
    /// The number of the element.
    pub first: Variable,
    /// How many there are.
    pub extent: Variable,
    /// As for [`Known`].
    pub is_faithful: bool,
}

/// What an index must be below.
pub(super) struct Bounds {
    /// What is indexed, as the source calls it.
    pub name: Option<String>,
    /// Its number of elements, an `i64` scalar.
    pub extent: Value,
}
