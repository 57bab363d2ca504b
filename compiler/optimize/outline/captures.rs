//! What each piece needs of those in front of it, and how it gets it.
//!
//! ```text
//! piece 0   m = scratch a;  n = load s           frame: n at 0
//! piece 1   b = n + 1                            parameters: frame, m (for piece 2)
//! piece 2   store m + b·4, splat n               parameters: frame, m; n and b are loaded, m + b·4 and splat n computed here
//! ```
//! * A pointer is a parameter of the piece that needs it, and of all pieces between that and the one that defines it.
//! * A slot belongs to the first piece that uses it, and its address is a parameter of those behind.
//! * All else has a place in the frame, which belongs to piece 0.
//!
//! # Why promises hold
//! A parameter that is `noalias` says that what is written through it is reached in no other way while the piece
//! runs. That holds for memory which the function has made, and for what was promised to the function, if no pointer
//! into it goes anywhere but to addresses of accesses: those are computed from the parameter in each piece
//! ([`is_copied`]), so that nothing else that a piece is given leads there. A callee may be given it as its own
//! `noalias` parameter. That nothing is written through a pointer (`read_only`) holds for any part of the function.

use super::super::alias::{base, for_each_escape, private_slots};
use super::limits::is_copied;
use super::spine::Plan;
use crate::vector::ir::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

/// What is handed to a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Passed {
    /// The address of the frame.
    Frame,
    /// The address of a slot of a piece in front.
    Slot(Slot),
    /// A pointer.
    Pointer(Value),
}

/// What a piece needs.
#[derive(Clone, Debug, Default)]
pub struct Needs {
    /// Its parameters.
    pub parameters: BTreeSet<Passed>,
    /// What it loads from the frame.
    pub loaded: Vec<Value>,
    /// What it computes again, operands in front of their users.
    pub copied: Vec<Value>,
    /// What of this kind it defines itself, and uses.
    pub kept: FxHashSet<Value>,
    /// The addresses of slots that it uses.
    pub slots: Vec<Value>,
}

/// What all pieces need.
pub struct Captures {
    /// By piece. The first one has the parameters of the function, and only computes again what it has.
    pub needs: Vec<Needs>,
    /// Where values are in the frame, in bytes.
    pub places: BTreeMap<Value, u64>,
    /// The frame, if there is one.
    pub frame: Option<SlotData>,
    /// The piece that a value is defined in.
    pub definer: Vec<usize>,
    /// The first piece that uses a slot.
    pub owner: Vec<Option<usize>>,
    /// What holds for pointers.
    flags: FxHashMap<Passed, ParameterFlags>,
}

/// The alignment of the frame: that of the longest vectors.
const FRAME_ALIGNMENT: u64 = 64;

impl Captures {
    /// What the pieces of a function need.
    pub fn new(module: &Module, function: &Function, plan: &Plan) -> Captures {
        let count = plan.cuts.len() + 1;
        let mut captures = Captures {
            needs: vec![Needs::default(); count],
            places: BTreeMap::new(),
            frame: None,
            definer: definers(function, plan),
            owner: vec![None; function.slots.len()],
            flags: FxHashMap::default(),
        };
        captures.look(function, plan);
        captures.lay_out(function);
        captures.hand_on(function);
        captures.flags = flags(module, function);
        captures
    }

    /// What holds for a parameter of a piece.
    pub fn flags(&self, passed: Passed) -> ParameterFlags {
        match passed {
            // Nobody else knows it.
            Passed::Frame => ParameterFlags { noalias: true, ..ParameterFlags::default() },
            Passed::Slot(_) | Passed::Pointer(_) => self.flags.get(&passed).copied().unwrap_or_default(),
        }
    }

    /// The needs of each piece by itself.
    fn look(&mut self, function: &Function, plan: &Plan) {
        let mut known: Vec<FxHashSet<Value>> = vec![FxHashSet::default(); self.needs.len()];
        for (block, data) in (0..).map(Block).zip(&function.blocks) {
            for (at, &inst) in data.insts.iter().enumerate() {
                let (op, piece) = (&function.insts[inst.0 as usize].op, plan.of_inst(block, at));
                // What can be computed again is so where it is used, and only there.
                if !is_copied(op) {
                    op.for_each(|operand| self.need(function, piece, operand, &mut known[piece]));
                }
            }
            let piece = plan.of_inst(block, data.insts.len());
            data.terminator.for_each(|operand| self.need(function, piece, operand, &mut known[piece]));
        }
    }

    /// A piece uses a value.
    fn need(&mut self, function: &Function, piece: usize, value: Value, known: &mut FxHashSet<Value>) {
        if !known.insert(value) {
            return;
        }
        let is_own = self.definer[value.0 as usize] == piece;
        match function.definition(value) {
            Some(&Op::SlotAddress(slot)) => {
                let owner = self.owner[slot.0 as usize].get_or_insert(piece);
                *owner = piece.min(*owner);
                self.needs[piece].slots.push(value);
            }
            Some(op) if is_copied(op) => {
                op.for_each(|operand| self.need(function, piece, operand, known));
                let needs = &mut self.needs[piece];
                if is_own { _ = needs.kept.insert(value) } else { needs.copied.push(value) }
            }
            _ if is_own => {}
            _ if function.ty(value) == Type::scalar(Element::Ptr) => {
                self.needs[piece].parameters.insert(Passed::Pointer(value));
            }
            _ => self.needs[piece].loaded.push(value),
        }
    }

    /// Places in the frame.
    fn lay_out(&mut self, function: &Function) {
        let mut size = 0u64;
        let crossing: BTreeSet<Value> = self.needs.iter().flat_map(|needs| needs.loaded.iter().copied()).collect();
        for value in crossing {
            let ty = function.ty(value);
            let own = ty.bytes();
            let place = size.next_multiple_of(own.min(FRAME_ALIGNMENT));
            self.places.insert(value, place);
            size = place + own;
        }
        self.frame = (size > 0).then_some(SlotData { size, alignment: FRAME_ALIGNMENT });
    }

    /// What a piece gets from those in front of it for itself and for those behind it.
    fn hand_on(&mut self, function: &Function) {
        let stored: BTreeSet<usize> = self.places.keys().map(|value| self.definer[value.0 as usize]).collect();
        let mut behind = BTreeSet::new();
        for (piece, needs) in self.needs.iter_mut().enumerate().rev() {
            let mut wanted = std::mem::take(&mut needs.parameters);
            wanted.append(&mut behind);
            wanted.extend((!needs.loaded.is_empty() || stored.contains(&piece)).then_some(Passed::Frame));
            wanted.extend(needs.slots.iter().map(|address| Passed::Slot(slot_of(function, *address))));
            wanted.retain(|passed| match passed {
                Passed::Frame => piece > 0,
                Passed::Slot(slot) => self.owner[slot.0 as usize].is_some_and(|owner| owner < piece),
                Passed::Pointer(value) => self.definer[value.0 as usize] < piece,
            });
            needs.parameters = wanted.clone();
            behind = wanted;
        }
    }
}

/// The slot of an address.
pub fn slot_of(function: &Function, address: Value) -> Slot {
    match function.definition(address) {
        Some(Op::SlotAddress(slot)) => *slot,
        other => unreachable!("the address of a slot, not {other:?}"),
    }
}

/// The piece that each value is defined in.
fn definers(function: &Function, plan: &Plan) -> Vec<usize> {
    let mut definer = vec![0; function.values.len()];
    for (block, data) in (0..).map(Block).zip(&function.blocks) {
        for parameter in &data.parameters {
            definer[parameter.0 as usize] = plan.of_parameters(block);
        }
        for (at, inst) in data.insts.iter().enumerate() {
            for result in &function.insts[inst.0 as usize].results {
                definer[result.0 as usize] = plan.of_inst(block, at);
            }
        }
    }
    definer
}

/// What holds for the pointers of a function.
fn flags(module: &Module, function: &Function) -> FxHashMap<Passed, ParameterFlags> {
    let escaped = escaped(module, function);
    let mut flags = FxHashMap::default();
    let parameters = function.blocks[0].parameters.iter().zip(&function.parameter_flags);
    for (&value, own) in parameters.filter(|(value, _)| function.ty(**value).element == Element::Ptr) {
        let noalias = own.noalias && !escaped.contains(&value);
        let elements = own.elements.filter(|elements| matches!(elements.count, Count::Constant(_)));
        flags.insert(Passed::Pointer(value), ParameterFlags { noalias, elements, ..*own });
    }
    for &inst in function.blocks.iter().flat_map(|block| &block.insts) {
        let data = &function.insts[inst.0 as usize];
        if let (Op::Allocate(..), [value]) = (&data.op, &data.results[..]) {
            let noalias = !escaped.contains(value);
            flags.insert(Passed::Pointer(*value), ParameterFlags { noalias, ..ParameterFlags::default() });
        }
    }
    for (slot, noalias) in (0..).map(Slot).zip(private_slots(function)) {
        flags.insert(Passed::Slot(slot), ParameterFlags { noalias, ..ParameterFlags::default() });
    }
    flags
}

/// The pointers that go anywhere but to addresses of accesses, by what they are computed from.
fn escaped(module: &Module, function: &Function) -> FxHashSet<Value> {
    let mut escaped = FxHashSet::default();
    let mut escapes = |value: Value| _ = escaped.insert(base(function, value));
    for block in &function.blocks {
        for &inst in &block.insts {
            match &function.insts[inst.0 as usize].op {
                Op::Free(..) => {}
                Op::Atomic { value, .. } => escapes(*value),
                Op::Exchange { pointer: _, expected, value } => expected.iter().chain([value]).for_each(|&value| escapes(value)),
                Op::Call(callee, arguments) | Op::Parallel { function: callee, arguments, count: _ } => {
                    let flags = &module.functions[callee.0 as usize].parameter_flags;
                    let given = arguments.iter().zip(flags).filter(|(_, flags)| !flags.noalias);
                    given.for_each(|(&argument, _)| escapes(argument));
                }
                other => for_each_escape(other, &mut escapes),
            }
        }
        block.terminator.for_each(&mut escapes);
    }
    escaped
}
