//! What functions are handed by reference they are handed as values, and hand back.
//!
//! ```text
//! function @step(boolx8, ptr) -> ()                  function @step(boolx8, f32x8) -> (f32x8)
//!                                                        slot0 size=32 align=32
//! block0(v0: boolx8, v1: ptr):                       block0(v0: boolx8, v4: f32x8):
//!                                                        v5: ptr = slotaddress slot0
//!                                                        store v5, v4
//!     v2: f32x8 = load v1, mask v0                       v2: f32x8 = load v5, mask v0
//!     v3: f32x8 = fmul v2, v2                 ──►        v3: f32x8 = fmul v2, v2
//!     store v1, v3, mask v0                              store v5, v3, mask v0
//!                                                        v6: f32x8 = load v5
//!     return                                             return v6
//!
//! v1: ptr = slotaddress slot0                        v1: ptr = slotaddress slot0
//!                                                    v3: f32x8 = load v1
//! call @step(v0, v1)                                 v4: f32x8 = call @step(v0, v3)
//!                                                    store v1, v4
//! ```
//! No slot is needed then on either side: [`slot_values`](super::slot_values) comes next. A state that is handed on from call to call, as that of random numbers
//! or a ray, stays in registers, is not loaded under a mask, and keeps no rounds apart ([`joined_rounds`](super::joined_rounds)).
//!
//! # Why this is right
//! All callers hand over a place in a slot of their own, or in what they were handed so themselves. Nobody else has its address: it is used for accesses
//! at constant distances, and for such calls. No call is handed one slot twice. So between the call and the return only the callee accesses what it was given,
//! and it makes no difference that this is a copy. All accesses of one slot, those in callees with them, touch the same bytes only as one type.
//!
//! Functions that call themselves are left as they are, and those that are handed a lot.

use super::block_writer::new_value;
use super::slots::{Use, for_each_use};
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use crate::vector::writer::Writer;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// More parts are not handed over one by one.
const PARTS: usize = 16;

/// A parameter of a function, by its index.
type Parameter = (FunctionId, usize);

/// What begins at so many bytes, and whether it is written.
type Parts = BTreeMap<i64, (Type, bool)>;

/// What addresses are made of.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Root {
    Slot(Slot),
    Parameter(usize),
}

/// What is done with the address of a root.
#[derive(Default)]
struct Uses {
    /// It is accessed there.
    accesses: Vec<(i64, Type, bool)>,
    /// It is handed to callees, so many bytes further.
    calls: Vec<(Parameter, i64)>,
    /// Something else is done with it.
    leaves: bool,
}

/// The roots of a function.
struct Roots {
    places: FxHashMap<Value, (Root, i64)>,
    uses: FxHashMap<Root, Uses>,
    /// What calls are handed that is no address of a root.
    others: Vec<Parameter>,
}

/// Hands over values, in a module.
pub fn reference_arguments(module: &mut Module) {
    let order = module.callees_first();
    if order.iter().all(|id| module.functions[id.0 as usize].slots.is_empty()) {
        return;
    }
    let found = handed_over(module, &order);
    if found.is_empty() {
        return;
    }
    for id in order {
        let mut function = module.functions[id.0 as usize].clone();
        rewrite_calls(&mut function, &module.functions, &found);
        rewrite_parameters(&mut function, id, &found);
        module.functions[id.0 as usize] = function;
    }
}

/// The parameters that become values, with what is accessed there.
fn handed_over(module: &Module, order: &[FunctionId]) -> FxHashMap<Parameter, Parts> {
    let roots: FxHashMap<FunctionId, Roots> = order.iter().map(|&id| (id, Roots::of(&module.functions[id.0 as usize]))).collect();
    let mut candidates = candidates(module, order, &roots);
    // What hands its parameter on depends on its callers, and they on what it does: from all candidates those go that cannot be.
    loop {
        let mut parts: FxHashMap<Parameter, Parts> = FxHashMap::default();
        let mut refused: FxHashSet<Parameter> = FxHashSet::default();
        for &id in order {
            let Roots { uses, others, .. } = &roots[&id];
            refused.extend(others);
            for (&root, uses) in uses {
                let of_root = uses.parts(&parts).filter(|parts| match root {
                    Root::Slot(slot) => is_inside(parts, module.functions[id.0 as usize].slots[slot.0 as usize].size as i64),
                    Root::Parameter(index) => candidates.contains(&(id, index)) && parts.len() <= PARTS,
                });
                if of_root.is_none() {
                    refused.extend(uses.calls.iter().map(|(callee, _)| callee));
                }
                if let Root::Parameter(index) = root {
                    match of_root {
                        Some(of_root) => drop(parts.insert((id, index), of_root)),
                        None => drop(refused.insert((id, index))),
                    }
                }
            }
        }
        // What hands on what it is not handed so itself refuses that as well, all the way down.
        let before = candidates.len();
        let mut work: Vec<Parameter> = refused.into_iter().collect();
        while let Some((id, index)) = work.pop() {
            if candidates.remove(&(id, index)) {
                work.extend(roots[&id].uses[&Root::Parameter(index)].calls.iter().map(|(callee, _)| callee));
            }
        }
        if candidates.len() == before {
            parts.retain(|parameter, _| candidates.contains(parameter));
            return parts;
        }
    }
}

/// The pointers that only functions of the module hand over, in calls.
fn candidates(module: &Module, order: &[FunctionId], roots: &FxHashMap<FunctionId, Roots>) -> FxHashSet<Parameter> {
    let mut is_called_otherwise = vec![false; module.functions.len()];
    let mut done = vec![false; module.functions.len()];
    for &id in order {
        let function = &module.functions[id.0 as usize];
        for &inst in function.blocks.iter().flat_map(|block| &block.insts) {
            match function.insts[inst.0 as usize].op {
                Op::Parallel { function, .. } => is_called_otherwise[function.0 as usize] = true,
                Op::Call(callee, _) => is_called_otherwise[callee.0 as usize] |= !done[callee.0 as usize],
                _ => {}
            }
        }
        done[id.0 as usize] = true;
    }
    let of_function = |&id: &FunctionId| {
        let parameters = roots[&id].uses.keys().filter_map(|root| match root {
            Root::Parameter(index) => Some(*index),
            Root::Slot(_) => None,
        });
        parameters.map(move |index| (id, index))
    };
    let is_free = |id: &&FunctionId| {
        let function = &module.functions[id.0 as usize];
        function.linkage == Linkage::Internal && !is_called_otherwise[id.0 as usize]
    };
    order.iter().filter(is_free).flat_map(of_function).collect()
}

fn is_inside(parts: &Parts, size: i64) -> bool {
    parts.iter().all(|(&offset, &(ty, _))| offset.saturating_add(ty.bytes() as i64) <= size)
}

impl Roots {
    fn of(function: &Function) -> Roots {
        let pointers = function.blocks[0].parameters.iter().enumerate();
        let pointers = pointers.filter(|(_, parameter)| function.ty(**parameter) == Type::scalar(Element::Ptr));
        let places: FxHashMap<_, _> = pointers.map(|(index, &parameter)| (parameter, (Root::Parameter(index), 0))).collect();
        let uses = places.values().map(|&(root, _)| (root, Uses::default())).collect();
        let mut roots = Roots { places, uses, others: Vec::new() };
        for block in Graph::new(function).order {
            let data = &function.blocks[block.0 as usize];
            data.insts.iter().for_each(|inst| roots.look_at(function, &function.insts[inst.0 as usize]));
            data.terminator.for_each(|value| roots.leaves(value));
        }
        roots
    }

    fn look_at(&mut self, function: &Function, data: &InstData) {
        for_each_use(function, data, |used| match used {
            Use::Begins { result, slot } => {
                self.places.insert(result, (Root::Slot(slot), 0));
                self.uses.entry(Root::Slot(slot)).or_default();
            }
            Use::Moves { result, base, by, scale: 0 } => self.moved(result, base, by),
            Use::Moves { base, .. } => self.leaves(base),
            Use::Accesses { pointer, ty, is_written } => self.accessed(pointer, ty, is_written),
            Use::Hands { callee, arguments } => self.called(callee, arguments),
            Use::Leaves(value) => self.leaves(value),
        });
    }

    fn moved(&mut self, result: Value, base: Value, by: i64) {
        if let Some(&(root, offset)) = self.places.get(&base) {
            self.places.insert(result, (root, offset.wrapping_add(by)));
        }
    }

    fn accessed(&mut self, pointer: Value, ty: Type, is_written: bool) {
        if let Some(&(root, offset)) = self.places.get(&pointer) {
            self.uses.entry(root).or_default().accesses.push((offset, ty, is_written));
        }
    }

    fn called(&mut self, callee: FunctionId, arguments: &[Value]) {
        let mut handed = FxHashSet::default();
        for (index, &argument) in arguments.iter().enumerate() {
            match self.places.get(&argument) {
                Some(&(root, offset)) => {
                    let uses = self.uses.entry(root).or_default();
                    uses.calls.push(((callee, index), offset));
                    uses.leaves |= !handed.insert(root);
                }
                None => self.others.push((callee, index)),
            }
        }
    }

    /// A value that is used for something else.
    fn leaves(&mut self, value: Value) {
        if let Some(&(root, _)) = self.places.get(&value) {
            self.uses.entry(root).or_default().leaves = true;
        }
    }
}

impl Uses {
    /// What is accessed, with that in callees, of whose parameters it is known in `known`. `None` if they are not all candidates, or if something is touched by
    /// accesses of different types or places.
    fn parts(&self, known: &FxHashMap<Parameter, Parts>) -> Option<Parts> {
        if self.leaves {
            return None;
        }
        let mut accesses = self.accesses.clone();
        for (callee, by) in &self.calls {
            accesses.extend(
                known.get(callee)?.iter().map(|(offset, &(ty, is_written))| (offset.saturating_add(*by), ty, is_written)),
            );
        }
        let mut parts = Parts::new();
        for (offset, ty, is_written) in accesses {
            let part = parts.entry(offset).or_insert((ty, is_written));
            part.1 |= is_written;
            if part.0 != ty || offset < 0 {
                return None;
            }
        }
        let mut ends = parts.iter().map(|(offset, (ty, _))| offset.saturating_add(ty.bytes() as i64)).zip(parts.keys().skip(1));
        ends.all(|(end, next)| end <= *next).then_some(parts)
    }
}

/// Loads what is handed over in front of calls, and stores what is handed back behind them. The functions of `functions` that are called are done.
fn rewrite_calls(function: &mut Function, functions: &[Function], found: &FxHashMap<Parameter, Parts>) {
    for block in 0..function.blocks.len() {
        let insts = std::mem::take(&mut function.blocks[block].insts);
        let mut out = Vec::with_capacity(insts.len());
        for call in insts {
            let InstData { op, span, .. } = function.insts[call.0 as usize].clone();
            let Op::Call(callee, arguments) = op else {
                out.push(call);
                continue;
            };
            let mut writer = Writer { function, out: &mut out, span };
            let (mut handed, mut back) = (Vec::new(), Vec::new());
            for (index, argument) in arguments.into_iter().enumerate() {
                let Some(parts) = found.get(&(callee, index)) else {
                    handed.push(argument);
                    continue;
                };
                for (&offset, &(ty, is_written)) in parts {
                    let pointer = writer.offset(argument, offset);
                    handed.push(writer.emit(Op::Load { pointer, mask: None }, ty));
                    back.extend(is_written.then_some(pointer));
                }
            }
            writer.function.insts[call.0 as usize].op = Op::Call(callee, handed);
            writer.out.push(call);
            let own = writer.function.insts[call.0 as usize].results.len();
            for (&ty, pointer) in functions[callee.0 as usize].results[own..].iter().zip(back) {
                let value = writer.function.create_result(call, ty);
                writer.effect(Op::Store { pointer, value, mask: None, streaming: false });
            }
        }
        function.blocks[block].insts = out;
    }
}

/// A slot for each parameter that becomes values: they are stored in it first, and loaded where the function returns.
fn rewrite_parameters(function: &mut Function, id: FunctionId, found: &FxHashMap<Parameter, Parts>) {
    let old = std::mem::take(&mut function.blocks[0].parameters);
    let (types, flags) = (std::mem::take(&mut function.parameters), std::mem::take(&mut function.parameter_flags));
    let span = function.span;
    let (mut replaced, mut entry, mut back) = (FxHashMap::default(), Vec::new(), Vec::new());
    // Where each parameter is now, of which flags may speak.
    let mut new_index = Vec::new();
    for (index, ((parameter, ty), flags)) in old.into_iter().zip(types).zip(flags).enumerate() {
        new_index.push(function.parameters.len() as u32);
        let Some(parts) = found.get(&(id, index)) else {
            function.keep_parameter(parameter, ty, flags);
            continue;
        };
        let size = parts.iter().map(|(offset, (ty, _))| *offset as u64 + ty.bytes()).max().unwrap_or(1);
        let alignment = parts.values().map(|(ty, _)| ty.bytes()).max().unwrap_or(1);
        function.slots.push(SlotData { size, alignment: alignment.next_power_of_two().min(64) });
        let slot = Slot(function.slots.len() as u32 - 1);
        let start = Writer { function, out: &mut entry, span }.emit(Op::SlotAddress(slot), ty);
        replaced.insert(parameter, start);
        for (&offset, &(ty, is_written)) in parts {
            let value = new_value(function, ty, ValueDef::Parameter(Block(0), 0));
            function.keep_parameter(value, ty, ParameterFlags::default());
            let mut writer = Writer { function, out: &mut entry, span };
            let pointer = writer.offset(start, offset);
            writer.effect(Op::Store { pointer, value, mask: None, streaming: false });
            back.extend(is_written.then_some((pointer, ty)));
        }
    }
    for flags in &mut function.parameter_flags {
        if let Some(Elements { count: Count::Parameter(index), .. }) = &mut flags.elements {
            *index = new_index[*index as usize];
        }
    }
    function.replace_uses(&replaced);
    function.blocks[0].insts.splice(0..0, entry);
    function.results.extend(back.iter().map(|(_, ty)| ty));
    for block in 0..function.blocks.len() {
        let mut insts = std::mem::take(&mut function.blocks[block].insts);
        if let Terminator::Return(mut values) = function.blocks[block].terminator.clone() {
            let mut writer = Writer { function, out: &mut insts, span };
            values.extend(back.iter().map(|&(pointer, ty)| writer.emit(Op::Load { pointer, mask: None }, ty)));
            function.blocks[block].terminator = Terminator::Return(values);
        }
        function.blocks[block].insts = insts;
    }
}

impl Function {
    /// One result more of an instruction.
    fn create_result(&mut self, inst: Inst, ty: Type) -> Value {
        let index = self.insts[inst.0 as usize].results.len() as u32;
        let value = new_value(self, ty, ValueDef::Result(inst, index));
        self.insts[inst.0 as usize].results.push(value);
        value
    }

    /// A value is the next parameter of the function.
    fn keep_parameter(&mut self, value: Value, ty: Type, flags: ParameterFlags) {
        self.values[value.0 as usize].def = ValueDef::Parameter(Block(0), self.parameters.len() as u32);
        self.blocks[0].parameters.push(value);
        self.parameters.push(ty);
        self.parameter_flags.push(flags);
    }
}
