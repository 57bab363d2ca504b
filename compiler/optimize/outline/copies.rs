//! The pieces of a function as functions.
//!
//! ```text
//!                                          f.piece1(v0: ptr, v1: ptr):
//!                                              v2: i64 = load v1                      what it needs from the frame
//!                                              v3: i64 = const 0x4                    what it computes again
//! block7(…):                                   v4: i64 = add v2, v3                   its own code, …
//!     v90: i64 = add v80, v13      ──►         v5: ptr = ptroffset v1, 8
//!  ── cut ──                                   store v5, v4                           … what pieces behind need of it,
//!     v91: ptr = ptrindex v44, v90, …          v6: i32 = call @f.piece2(v0, v1)       … and these
//!                                              return v6
//! ```
//! The piece in front of the first cut stays under the function's name. Values and instructions are numbered anew in
//! all of them, and accesses without bounds are noted in the first piece, which calls the others.

use super::captures::{Captures, Passed, slot_of};
use super::limits::is_copied;
use super::spine::Plan;
use crate::source::Span;
use crate::vector::ir::*;
use rustc_hash::FxHashMap;

/// What stays of a function, and the pieces, of which the first one becomes function `next` of the module.
pub fn pieces(function: &Function, plan: &Plan, captures: &Captures, next: u32) -> Vec<Function> {
    let mut pieces: Vec<Copy> = (0..=plan.cuts.len()).map(|piece| Copy::new(function, plan, captures, piece)).collect();
    // Definitions come before their uses in this order.
    for &block in &plan.order {
        let data = &function.blocks[block.0 as usize];
        let (first, last) = (plan.of_parameters(block), plan.of_inst(block, data.insts.len()));
        pieces[first].open(block, &data.parameters);
        for (at, &inst) in data.insts.iter().enumerate() {
            pieces[plan.of_inst(block, at)].inst(inst);
        }
        for (piece, callee) in pieces.iter_mut().zip(next..).take(last).skip(first) {
            piece.call(FunctionId(callee));
        }
        pieces[last].close(&data.terminator);
    }
    pieces.into_iter().map(Copy::finish).collect()
}

/// A piece under construction.
struct Copy<'f> {
    outer: &'f Function,
    captures: &'f Captures,
    piece: usize,
    function: Function,
    /// What the function's values are here.
    values: FxHashMap<Value, Value>,
    /// The addresses of memory.
    passed: FxHashMap<Passed, Value>,
    /// What its blocks are here.
    blocks: FxHashMap<Block, Block>,
    /// The blocks that end as they do in the function.
    ends: Vec<Block>,
}

impl<'f> Copy<'f> {
    fn new(outer: &'f Function, plan: &Plan, captures: &'f Captures, piece: usize) -> Copy<'f> {
        let cut = piece.checked_sub(1);
        let function = Function {
            name: cut.map_or(outer.name.clone(), |_| format!("{}.piece{piece}", outer.name)),
            signature: cut.map_or(outer.signature.clone(), |_| format!("a piece of {}", outer.signature)),
            linkage: cut.map_or(outer.linkage.clone(), |_| Linkage::Internal),
            fp: outer.fp,
            inlining: cut.map_or(outer.inlining, |cut| plan.inlining[cut]),
            asks_lanes: outer.asks_lanes,
            parameters: cut.map_or(outer.parameters.clone(), |_| Vec::new()),
            parameter_flags: cut.map_or(outer.parameter_flags.clone(), |_| Vec::new()),
            results: outer.results.clone(),
            slots: Vec::new(),
            blocks: Vec::new(),
            insts: Vec::new(),
            values: Vec::new(),
            loose: cut.map_or(outer.loose.clone(), |_| Vec::new()),
            span: outer.span,
        };
        let (values, passed, blocks) = (FxHashMap::default(), FxHashMap::default(), FxHashMap::default());
        let mut copy = Copy { outer, captures, piece, function, values, passed, blocks, ends: Vec::new() };
        if piece > 0 {
            copy.enter();
        }
        copy
    }

    /// The parameters of a piece, and what it makes of them.
    fn enter(&mut self) {
        self.function.blocks.push(BlockData::empty());
        let needs = &self.captures.needs[self.piece];
        for &passed in &needs.parameters {
            let value = self.parameter(Block(0), Type::scalar(Element::Ptr));
            self.function.parameters.push(Type::scalar(Element::Ptr));
            self.function.parameter_flags.push(self.captures.flags(passed));
            self.passed.insert(passed, value);
            if let Passed::Pointer(outer) = passed {
                self.values.insert(outer, value);
            }
        }
        self.prepare();
    }

    /// What comes first in a piece: addresses of slots, what is loaded, and what is computed again.
    fn prepare(&mut self) {
        let needs = &self.captures.needs[self.piece];
        for &address in &needs.slots {
            let slot = slot_of(self.outer, address);
            let value = self.address(Passed::Slot(slot));
            self.values.insert(address, value);
        }
        for &value in &needs.loaded {
            let pointer = self.place(value);
            let loaded = self.add(Op::Load { pointer, mask: None }, self.outer.ty(value), self.outer.span);
            self.values.insert(value, loaded);
        }
        for &value in &needs.copied {
            let ValueDef::Result(inst, _) = self.outer.values[value.0 as usize].def else { unreachable!("an instruction") };
            self.copy(inst);
        }
    }

    /// A new parameter of a block.
    fn parameter(&mut self, block: Block, ty: Type) -> Value {
        let value = Value(self.function.values.len() as u32);
        let parameters = &mut self.function.blocks[block.0 as usize].parameters;
        self.function.values.push(ValueData { ty, def: ValueDef::Parameter(block, parameters.len() as u32) });
        parameters.push(value);
        value
    }

    /// An instruction with a result behind the last one.
    fn add(&mut self, op: Op, ty: Type, span: Span) -> Value {
        let (inst, value) = self.function.create(op, ty, span);
        self.last().insts.push(inst);
        value
    }

    fn last(&mut self) -> &mut BlockData {
        self.function.blocks.last_mut().expect("a piece begins with a block")
    }

    /// The address of memory of this piece, or of one in front.
    fn address(&mut self, passed: Passed) -> Value {
        if let Some(&known) = self.passed.get(&passed) {
            return known;
        }
        let data = match passed {
            Passed::Frame => self.captures.frame.expect("there is a frame where something is in it"),
            Passed::Slot(slot) => self.outer.slots[slot.0 as usize],
            Passed::Pointer(value) => return self.values[&value],
        };
        self.function.slots.push(data);
        let slot = Slot(self.function.slots.len() as u32 - 1);
        let value = self.add(Op::SlotAddress(slot), Type::scalar(Element::Ptr), self.outer.span);
        self.passed.insert(passed, value);
        value
    }

    /// Where a value is in the frame.
    fn place(&mut self, value: Value) -> Value {
        let frame = self.address(Passed::Frame);
        match self.captures.places[&value] {
            0 => frame,
            place => self.add(Op::PtrOffset(frame, place as i64), Type::scalar(Element::Ptr), self.outer.span),
        }
    }

    /// A block of the function begins here.
    fn open(&mut self, block: Block, parameters: &[Value]) {
        let own = Block(self.function.blocks.len() as u32);
        self.function.blocks.push(BlockData::empty());
        self.blocks.insert(block, own);
        for &parameter in parameters {
            let value = self.parameter(own, self.outer.ty(parameter));
            self.values.insert(parameter, value);
        }
        if own == Block(0) {
            self.prepare();
        }
    }

    /// The next instruction of the function, if it is of any use here.
    fn inst(&mut self, inst: Inst) {
        let data = &self.outer.insts[inst.0 as usize];
        let is_kept = |result: &Value| self.captures.needs[self.piece].kept.contains(result);
        if !is_copied(&data.op) || data.results.iter().any(is_kept) {
            self.copy(inst);
        }
    }

    fn copy(&mut self, inst: Inst) {
        let data = &self.outer.insts[inst.0 as usize];
        let (mut op, own) = (data.op.clone(), Inst(self.function.insts.len() as u32));
        op.for_each_mut(|operand| *operand = self.values[operand]);
        let mut results = Vec::with_capacity(data.results.len());
        for (index, &result) in (0..).zip(&data.results) {
            let value = Value(self.function.values.len() as u32);
            self.function.values.push(ValueData { ty: self.outer.ty(result), def: ValueDef::Result(own, index) });
            self.values.insert(result, value);
            results.push(value);
        }
        self.function.insts.push(InstData { op, results, span: data.span });
        self.last().insts.push(own);
    }

    /// The function is cut here: what pieces behind need from here is put into the frame, and the next one is called.
    fn call(&mut self, callee: FunctionId) {
        let (captures, piece) = (self.captures, self.piece);
        for &value in captures.places.keys().filter(|value| captures.definer[value.0 as usize] == piece) {
            let (pointer, span) = (self.place(value), self.outer.span);
            let inst = Inst(self.function.insts.len() as u32);
            let op = Op::Store { pointer, value: self.values[&value], mask: None, streaming: false };
            self.function.insts.push(InstData { op, results: Vec::new(), span });
            self.last().insts.push(inst);
        }
        let needs = &captures.needs[self.piece + 1];
        let arguments = needs.parameters.iter().map(|&passed| self.address(passed)).collect();
        let (inst, mut results) = (Inst(self.function.insts.len() as u32), Vec::new());
        for (index, &ty) in (0..).zip(&self.outer.results) {
            results.push(Value(self.function.values.len() as u32));
            self.function.values.push(ValueData { ty, def: ValueDef::Result(inst, index) });
        }
        let op = Op::Call(callee, arguments);
        self.function.insts.push(InstData { op, results: results.clone(), span: self.outer.span });
        self.last().insts.push(inst);
        self.last().terminator = Terminator::Return(results);
    }

    /// The block at hand ends. Where its jumps lead to is known when all blocks are here.
    fn close(&mut self, terminator: &Terminator) {
        let mut terminator = terminator.clone();
        terminator.for_each_mut(|operand| *operand = self.values[operand]);
        self.ends.push(Block(self.function.blocks.len() as u32 - 1));
        self.last().terminator = terminator;
    }

    fn finish(mut self) -> Function {
        for block in self.ends {
            let targets = self.function.blocks[block.0 as usize].terminator.targets_mut();
            targets.for_each(|target| target.block = self.blocks[&target.block]);
        }
        self.function
    }
}
