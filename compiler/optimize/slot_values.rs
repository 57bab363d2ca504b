//! What is stored in a slot at one place of it is a value.
//!
//! ```text
//! v1 = slotaddress slot0
//! store v1, x
//! v2 = load v1, mask m                   v2 = select m, x, zero
//! store v1, y, mask m        ──►         v3 = select m, y, x
//! v3 = load v1
//! ```
//! A local has a slot if its address is taken, which is over when what takes it by reference has become a part of the function. LLVM
//! makes values of memory, too, but not where masks are; and the lanes of a value that nobody looks at are free, those of memory are not.
//!
//! The parts of a slot are those of which [`Slots`] knows that they are always accessed as a whole, at the same address. What a part
//! has at a place of the graph is found from there upwards; where ways meet it is a parameter, unless all of them bring the same.

use super::dead_code::dead_code;
use super::slots::{Place, Slots};
use crate::source::Span;
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use rustc_hash::FxHashMap;

/// A part of a slot.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Part(usize);

/// A rewriting of one function.
struct Promotion<'f> {
    function: &'f mut Function,
    graph: &'f Graph,
    types: Vec<Type>,
    /// What is at the end of a block, as far as that is known.
    at_end: FxHashMap<(Block, Part), Value>,
    /// The new parameters in their order, whose arguments are to be found.
    parameters: Vec<(Block, Part, Value)>,
    /// Loads and superfluous parameters, with what they are.
    same: FxHashMap<Value, Value>,
}

/// Makes values of the slots of a function.
pub fn slot_values(function: &mut Function) {
    if function.slots.is_empty() {
        return;
    }
    // Addresses that nobody needs any more may not look like those of parts.
    dead_code(function);
    let graph = Graph::new(function);
    let (parts, types) = parts(function, &graph);
    if types.is_empty() {
        return;
    }
    let (at_end, parameters, same) = Default::default();
    let mut promotion = Promotion { function, graph: &graph, types, at_end, parameters, same };
    graph.order.iter().for_each(|&block| promotion.block(block, &parts));
    promotion.arguments();
    promotion.drop_superfluous();
    let same = promotion.same;
    function.replace_uses(&same);
    dead_code(function);
    drop_slots(function);
}

/// The part that each load and store of one is of, and their types.
fn parts(function: &Function, graph: &Graph) -> (FxHashMap<Inst, Part>, Vec<Type>) {
    let slots = Slots::of(function, graph);
    let (mut parts, mut known, mut types) = (FxHashMap::default(), FxHashMap::default(), Vec::new());
    for &inst in graph.order.iter().flat_map(|block| &function.blocks[block.0 as usize].insts) {
        let data = &function.insts[inst.0 as usize];
        let (pointer, ty) = match data.op {
            Op::Load { pointer, .. } => (pointer, function.ty(data.results[0])),
            Op::Store { pointer, value, .. } => (pointer, function.ty(value)),
            _ => continue,
        };
        let Some(place) = slots.fixed_place(pointer) else { continue };
        if is_inside(function, place, ty) && slots.is_a_part(place, ty) {
            let part = *known.entry((place.slot, place.offset)).or_insert_with(|| {
                types.push(ty);
                Part(types.len() - 1)
            });
            parts.insert(inst, part);
        }
    }
    (parts, types)
}

fn is_inside(function: &Function, place: Place, ty: Type) -> bool {
    let size = ty.bytes();
    u64::try_from(place.offset).is_ok_and(|offset| offset + size <= function.slots[place.slot.0 as usize].size)
}

/// Slots whose address nobody asks for go.
pub(super) fn drop_slots(function: &mut Function) {
    let mut new = vec![None; function.slots.len()];
    let insts = || function.blocks.iter().flat_map(|block| &block.insts).map(|inst| inst.0 as usize);
    for inst in insts() {
        if let Op::SlotAddress(slot) = function.insts[inst].op {
            new[slot.0 as usize] = Some(slot);
        }
    }
    let kept: Vec<usize> = (0..new.len()).filter(|&slot| new[slot].is_some()).collect();
    for (number, &slot) in (0..).zip(&kept) {
        new[slot] = Some(Slot(number));
    }
    for inst in insts().collect::<Vec<_>>() {
        if let Op::SlotAddress(slot) = &mut function.insts[inst].op {
            *slot = new[slot.0 as usize].expect("its address is asked for");
        }
    }
    function.slots = kept.into_iter().map(|slot| function.slots[slot]).collect();
}

impl Promotion<'_> {
    /// Blocks come in an order in which the only one that jumps to another stands in front of that.
    fn block(&mut self, block: Block, parts: &FxHashMap<Inst, Part>) {
        let insts = std::mem::take(&mut self.function.blocks[block.0 as usize].insts);
        let mut kept = Vec::with_capacity(insts.len());
        for inst in insts {
            let Some(&part) = parts.get(&inst) else {
                kept.push(inst);
                continue;
            };
            let before = self.now(block, part);
            let InstData { op, results, span } = self.function.insts[inst.0 as usize].clone();
            match op {
                Op::Load { mask: None, .. } => drop(self.same.insert(results[0], before)),
                Op::Load { mask: Some(mask), .. } => {
                    let (zero, value) = self.function.create(Op::Const(vec![0]), self.types[part.0], span);
                    self.function.insts[inst.0 as usize].op = Op::Select(mask, before, value);
                    kept.extend([zero, inst]);
                }
                Op::Store { value, mask, .. } => {
                    let after = mask.map_or(value, |mask| {
                        let (inst, value) = self.function.create(Op::Select(mask, value, before), self.types[part.0], span);
                        kept.push(inst);
                        value
                    });
                    self.at_end.insert((block, part), after);
                }
                other => panic!("{other:?} is no access of a part"),
            }
        }
        // What was made for uses here comes first.
        self.function.blocks[block.0 as usize].insts.extend(kept);
    }

    /// What a part has where `block` ends, as far as it has been gone through.
    fn now(&mut self, block: Block, part: Part) -> Value {
        let (mut at, mut path) = (block, Vec::new());
        let value = loop {
            if let Some(&value) = self.at_end.get(&(at, part)) {
                break value;
            }
            path.push(at);
            match self.graph.predecessors[at.0 as usize][..] {
                [before] => at = before,
                [] => break self.unset(part),
                _ => {
                    let parameters = &mut self.function.blocks[at.0 as usize].parameters;
                    let value = Value(self.function.values.len() as u32);
                    let def = ValueDef::Parameter(at, parameters.len() as u32);
                    parameters.push(value);
                    self.function.values.push(ValueData { ty: self.types[part.0], def });
                    self.parameters.push((at, part, value));
                    break value;
                }
            }
        };
        for block in path {
            self.at_end.insert((block, part), value);
        }
        value
    }

    /// What nobody has stored yet, at the start of the function.
    fn unset(&mut self, part: Part) -> Value {
        let (inst, value) = self.function.create(Op::Unset, self.types[part.0], Span::default());
        self.function.blocks[0].insts.insert(0, inst);
        value
    }

    /// The arguments of the new parameters, and of those that this makes in turn.
    fn arguments(&mut self) {
        let mut done = 0;
        while let Some(&(block, part, _)) = self.parameters.get(done) {
            done += 1;
            let mut from = self.graph.predecessors[block.0 as usize].clone();
            from.sort_unstable();
            from.dedup();
            for before in from {
                let value = self.now(before, part);
                let targets = self.function.blocks[before.0 as usize].terminator.targets_mut();
                targets.filter(|target| target.block == block).for_each(|target| target.arguments.push(value));
            }
        }
    }

    /// A parameter that is given only one value besides itself is that value.
    fn drop_superfluous(&mut self) {
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for &(block, _, parameter) in &self.parameters {
                if self.same.contains_key(&parameter) {
                    continue;
                }
                let ValueDef::Parameter(_, index) = self.function.values[parameter.0 as usize].def else { continue };
                let mut given = Vec::new();
                for before in &self.graph.predecessors[block.0 as usize] {
                    let targets = self.function.blocks[before.0 as usize].terminator.targets();
                    given.extend(targets.filter(|target| target.block == block).map(|target| target.arguments[index as usize]));
                }
                given.iter_mut().for_each(|value| *value = resolved(&self.same, *value));
                given.retain(|&value| value != parameter);
                if let [value, ref others @ ..] = given[..]
                    && others.iter().all(|&other| other == value)
                {
                    self.same.insert(parameter, value);
                    changed = true;
                }
            }
        }
    }
}

fn resolved(same: &FxHashMap<Value, Value>, mut value: Value) -> Value {
    while let Some(&other) = same.get(&value) {
        value = other;
    }
    value
}
