//! A function: its blocks in an order in which definitions come before uses, its values, its slots, and the dispatch
//! of operations to the files that translate them.
//!
//! Block parameters become phis. A prologue block in front of block 0 holds all stack memory, so that each slot is
//! allocated once. What is read from a slot before it was written is some value, not an undefined one: unless slots are filled
//! first ([`filled`]), small ones start as zeros (which costs nothing once they live in registers), and loads from large ones are frozen.

use super::builder::{Builder, LlvmBlock, LlvmType, LlvmValue};
use super::callee::Callee;
use super::unit::Unit;
use super::unrolling::Unrolling;
use crate::machine::Machine;
use crate::target::Memory;
use crate::vector::filled::filled;
use crate::vector::ir::{self, FpMode, Op, Terminator};
use std::cell::OnceCell;

/// Slots of at most this many bytes start as zeros.
const ZEROED_SLOT_BYTES: u64 = 512;

/// The licence of `Contract`.
const CONTRACT: u32 = inkwell::llvm_sys::LLVMFastMathAllowContract;
/// The licence of `Fast`: without the flags that make a NaN or an infinity undefined.
const FAST: u32 = inkwell::llvm_sys::LLVMFastMathAllowReassoc
    | inkwell::llvm_sys::LLVMFastMathNoSignedZeros
    | inkwell::llvm_sys::LLVMFastMathAllowReciprocal
    | inkwell::llvm_sys::LLVMFastMathAllowContract
    | inkwell::llvm_sys::LLVMFastMathApproxFunc;

/// Translates one function.
pub(super) struct FunctionTranslator<'a> {
    pub(super) unit: &'a Unit<'a>,
    pub(super) b: &'a Builder,
    pub(super) machine: &'static Machine,
    pub(super) function: &'a ir::Function,
    callee: &'a Callee,
    values: Vec<Option<LlvmValue>>,
    blocks: Vec<Option<LlvmBlock>>,
    prologue: LlvmBlock,
    slots: Vec<LlvmValue>,
    /// For each slot: is all of it written before any of it is read?
    filled: Vec<bool>,
    /// Addresses in large slots that may be read before they are filled.
    in_large_slot: Vec<bool>,
    /// Where lanes store that are off; made when first needed.
    scratch: OnceCell<LlvmValue>,
    /// Where what is printed is listed; made when first needed.
    pieces: OnceCell<LlvmValue>,
    /// Where the numbers of a reason stand; made when first needed.
    reason: OnceCell<LlvmValue>,
    /// How loops are unrolled.
    unrolling: Unrolling,
    /// In functions that may fail: where the address stands of the first `scratch` array that is alive, null if there is none.
    pub(super) first_scratch: Option<LlvmValue>,
    /// Where the function goes that has failed; made when first needed.
    failure: OnceCell<LlvmBlock>,
}

impl<'a> FunctionTranslator<'a> {
    pub(super) fn new(unit: &'a Unit<'a>, function: &'a ir::Function, callee: &'a Callee) -> Self {
        let b = &unit.builder;
        let filled = filled(function);
        FunctionTranslator {
            unit,
            b,
            machine: unit.options.isa.machine(),
            function,
            callee,
            values: vec![None; function.values.len()],
            blocks: vec![None; function.blocks.len()],
            prologue: b.append_block(callee.value),
            slots: Vec::new(),
            in_large_slot: addresses_in_large_slots(function, &filled),
            filled,
            scratch: OnceCell::new(),
            pieces: OnceCell::new(),
            reason: OnceCell::new(),
            unrolling: Unrolling::of(function),
            first_scratch: None,
            failure: OnceCell::new(),
        }
    }

    pub(super) fn translate(mut self) {
        let order = reverse_postorder(self.function);
        for &block in &order {
            self.blocks[block] = Some(self.b.append_block(self.callee.value));
        }
        self.open_prologue();
        for &block in &order[1..] {
            self.b.position(self.block(block));
            for &parameter in &self.function.blocks[block].parameters {
                let phi = self.b.phi(self.ty(parameter));
                self.values[parameter.0 as usize] = Some(phi);
            }
        }
        for &block in &order {
            self.b.position(self.block(block));
            let data = &self.function.blocks[block];
            for &inst in &data.insts {
                self.instruction(inst);
            }
            self.terminator(&data.terminator);
            self.unrolling.mark(self.b, ir::Block(block as u32));
        }
        self.b.position(self.prologue);
        self.b.jump(self.block(0));
    }

    fn open_prologue(&mut self) {
        self.b.position(self.prologue);
        for (slot, is_filled) in self.function.slots.iter().zip(&self.filled) {
            let memory = self.b.alloca(self.b.array(self.b.int(8), slot.size), slot.alignment.max(1));
            if slot.size <= ZEROED_SLOT_BYTES && !is_filled {
                self.clear(memory, slot.size);
            }
            self.slots.push(memory);
        }
        let has_scratch = |data: &ir::InstData| matches!(data.op, Op::Allocate(Memory::Scratch, _));
        if self.callee.may_fail && self.function.insts.iter().any(has_scratch) {
            let first = self.b.alloca(self.b.ptr(), 8);
            self.b.store(self.b.zero(self.b.ptr()), first, 8);
            self.first_scratch = Some(first);
        }
        for (index, &parameter) in self.function.blocks[0].parameters.iter().enumerate() {
            let value = self.b.parameter(self.callee.value, index as u32);
            let value = self.callee.enter(self.unit, value, self.type_of(parameter));
            self.values[parameter.0 as usize] = Some(value);
        }
    }

    fn clear(&self, memory: LlvmValue, size: u64) {
        let (ptr, i64_type, i8_type, i1_type) = (self.b.ptr(), self.b.int(64), self.b.int(8), self.b.int(1));
        let arguments = [memory, self.b.zero(i8_type), self.b.i64(size), self.b.zero(i1_type)];
        self.b.intrinsic("llvm.memset", &[ptr, i64_type], &arguments);
    }

    fn block(&self, block: usize) -> LlvmBlock {
        self.blocks[block].expect("every block can be reached")
    }

    /// The translation of a value whose definition dominates.
    pub(super) fn value(&self, value: ir::Value) -> LlvmValue {
        self.values[value.0 as usize].expect("the definition comes first")
    }

    pub(super) fn type_of(&self, value: ir::Value) -> ir::Type {
        self.function.values[value.0 as usize].ty
    }

    pub(super) fn ty(&self, value: ir::Value) -> LlvmType {
        self.unit.ty(self.type_of(value))
    }

    /// May a read through this pointer meet bytes that were never written?
    pub(super) fn may_be_unset(&self, pointer: ir::Value) -> bool {
        self.in_large_slot[pointer.0 as usize]
    }

    /// Stack memory that lives as long as the call, made in the prologue.
    pub(super) fn stack_memory(&self, ty: LlvmType, alignment: u64) -> LlvmValue {
        self.in_prologue(|| self.b.alloca(ty, alignment))
    }

    /// Stack memory for a vector, aligned as registers are; with the alignment.
    pub(super) fn vector_memory(&self, ty: LlvmType) -> (LlvmValue, u64) {
        let bytes = u64::from(self.b.element_bits(ty) * self.b.lanes(ty)).div_ceil(8);
        let alignment = bytes.next_power_of_two().min(u64::from(self.machine.register_bytes));
        (self.stack_memory(ty, alignment), alignment)
    }

    fn in_prologue<T>(&self, build: impl FnOnce() -> T) -> T {
        let current = self.b.current_block();
        self.b.position(self.prologue);
        let result = build();
        self.b.position(current);
        result
    }

    /// A few bytes that nothing reads. LLVM is told that somebody might: else it would turn a store that goes there
    /// for want of a better place into a branch.
    pub(super) fn scratch(&self) -> LlvmValue {
        let make = || {
            self.in_prologue(|| {
                let memory = self.b.alloca(self.b.vector(self.b.int(64), 4), 8);
                self.b.show_to_assembly(memory);
                memory
            })
        };
        *self.scratch.get_or_init(make)
    }

    /// Memory for the pieces of any one `print` of the function, of a type each.
    pub(super) fn pieces(&self, piece: LlvmType) -> LlvmValue {
        *self.pieces.get_or_init(|| self.memory_of_print(piece))
    }

    /// Memory for the numbers of any one reason of the function.
    pub(super) fn reason(&self) -> LlvmValue {
        *self.reason.get_or_init(|| self.memory_of_print(self.b.int(64)))
    }

    /// Memory for something of each piece of any one `print` of the function.
    fn memory_of_print(&self, ty: LlvmType) -> LlvmValue {
        let count = |data: &ir::InstData| if let Op::Print { pieces, .. } = &data.op { pieces.len() } else { 0 };
        let most = self.function.insts.iter().map(count).max().unwrap_or(0);
        self.stack_memory(self.b.array(ty, most as u64), 8)
    }

    /// The block that the function goes to when it has failed: it gives back the memory that is alive, and returns.
    pub(super) fn failure(&self) -> LlvmBlock {
        let make = || {
            let (b, current, failure) = (self.b, self.b.current_block(), self.new_block());
            b.position(failure);
            if let Some(first) = self.first_scratch {
                let (ty, function) = self.unit.runtime("ivl_release_from", b.void(), &[b.ptr()]);
                b.call(ty, function, &[b.load(b.ptr(), first, 8)]);
            }
            self.callee.fail(self.unit);
            b.position(current);
            failure
        };
        *self.failure.get_or_init(make)
    }

    /// A new block of this function.
    pub(super) fn new_block(&self) -> LlvmBlock {
        self.b.append_block(self.callee.value)
    }

    /// Gives a floating-point instruction the licence of the function's mode.
    pub(super) fn licensed(&self, value: LlvmValue) -> LlvmValue {
        self.b.set_fast_math(value, self.fast_math(true))
    }

    /// As [`Self::licensed`] for operations that are never contracted.
    pub(super) fn approximate(&self, value: LlvmValue) -> LlvmValue {
        self.b.set_fast_math(value, self.fast_math(false))
    }

    fn fast_math(&self, contracts: bool) -> u32 {
        match self.function.fp {
            FpMode::Strict => 0,
            FpMode::Contract => u32::from(contracts) * CONTRACT,
            FpMode::Fast => FAST,
        }
    }

    // ---- Terminators ----------------------------------------------------------------------------------------------

    fn terminator(&self, terminator: &Terminator) {
        match terminator {
            Terminator::Jump(target) => {
                self.pass_arguments(target);
                self.b.jump(self.block(target.block.0 as usize));
            }
            Terminator::Branch { condition, then, otherwise } => {
                let from = self.b.current_block();
                self.pass_arguments(then);
                let then_block = self.block(then.block.0 as usize);
                // A phi has one value for a predecessor, so two edges to one block need a block between.
                let otherwise_block = if then.block == otherwise.block && !otherwise.arguments.is_empty() {
                    let between = self.new_block();
                    self.b.position(between);
                    self.pass_arguments(otherwise);
                    self.b.jump(then_block);
                    self.b.position(from);
                    between
                } else if then.block == otherwise.block {
                    then_block
                } else {
                    self.pass_arguments(otherwise);
                    self.block(otherwise.block.0 as usize)
                };
                self.b.branch(self.value(*condition), then_block, otherwise_block);
            }
            Terminator::Return(values) => {
                let pairs = values.iter().map(|&value| (self.value(value), self.type_of(value)));
                self.callee.leave(self.unit, pairs);
            }
            Terminator::Unreachable => self.b.unreachable(),
        }
    }

    fn pass_arguments(&self, target: &ir::Target) {
        let from = self.b.current_block();
        let parameters = &self.function.blocks[target.block.0 as usize].parameters;
        for (&parameter, &argument) in parameters.iter().zip(&target.arguments) {
            self.b.add_incoming(self.value(parameter), self.value(argument), from);
        }
    }

    // ---- Instructions ---------------------------------------------------------------------------------------------

    fn instruction(&mut self, inst: ir::Inst) {
        let data = &self.function.insts[inst.0 as usize];
        if let Some(debug) = &self.unit.debug {
            debug.at(self.b, data.span);
        }
        if let Op::Call(callee, arguments) = &data.op {
            let results = self.call(*callee, arguments);
            for (&result, value) in data.results.iter().zip(results) {
                self.values[result.0 as usize] = Some(value);
            }
            return;
        }
        let value = self.operation(data);
        if let (Some(&result), Some(value)) = (data.results.first(), value) {
            self.values[result.0 as usize] = Some(value);
        }
    }

    /// The value of an instruction other than a call, if it has one.
    fn operation(&self, data: &ir::InstData) -> Option<LlvmValue> {
        let result = data.results.first().map(|&value| self.type_of(value));
        let ty = || result.expect("an operation with a result");
        Some(match &data.op {
            Op::Const(lanes) => self.constant(ty(), lanes),
            Op::Unset => self.b.zero(self.unit.ty(ty())),
            Op::Splat(a) => self.splat(*a, ty()),
            Op::Ramp { base, step, exact: _ } => self.ramp(*base, *step, ty()),
            Op::Unary(op, a) => self.unary(*op, *a),
            Op::Binary(op, a, b) => self.binary(*op, *a, *b),
            Op::Fma(a, b, c) => self.fma(*a, *b, *c),
            Op::Compare(op, a, b) => self.compare(*op, self.value(*a), self.value(*b)),
            Op::Select(m, a, b) => self.b.select(self.value(*m), self.value(*a), self.value(*b)),
            Op::Convert(op, a) => self.convert(*op, *a, ty()),
            Op::Extract(v, index) => self.extract_lane(*v, *index),
            Op::Insert(v, x, index) => self.insert_lane(*v, *x, *index),
            Op::Shuffle(a, b, lanes) => self.shuffle_lanes(*a, *b, lanes),
            Op::Permute(v, indices) => self.permute(*v, *indices),
            Op::Permute2(a, b, indices) => self.permute2(*a, *b, *indices),
            Op::Dot2(a, b) => self.by_registers([self.value(*a), self.value(*b)], self.machine.dot2, ty().length.into()),
            Op::Sad(a, b) => self.by_registers([self.value(*a), self.value(*b)], self.machine.sad, ty().length.into()),
            Op::Dot4 { a, b, sum, signed } => self.dot4(*a, *b, *sum, *signed),
            Op::Reinterpret(a) => self.b.bitcast(self.value(*a), self.unit.ty(ty())),
            Op::Compress(v, m) => self.compress(self.value(*v), self.value(*m), ty().element),
            Op::Expand(v, m) => self.expand(self.value(*v), self.value(*m), ty().element),
            Op::Reduce(op, v) => self.reduce(*op, *v),
            Op::FirstLanes(count) => self.first_lanes(data.results[0], *count),
            Op::Any(m) => self.any(self.value(*m)),
            Op::All(m) => self.all(self.value(*m)),
            Op::MaskBits(m) => self.b.resize_unsigned(self.mask_bits(self.value(*m)), self.b.int(64)),
            Op::PtrIndex { base, index, scale, offset } => self.pointer_index(*base, *index, *scale, *offset),
            Op::PtrOffset(base, offset) => self.b.offset(self.value(*base), *offset),
            Op::Nowhere(ir::Access::Read) => self.unit.zeros,
            Op::Nowhere(ir::Access::Write) => self.scratch(),
            Op::SlotAddress(slot) => self.slots[slot.0 as usize],
            Op::GlobalAddress(global) => self.unit.globals[global.0 as usize],
            Op::Load { pointer, mask } => self.load(*pointer, *mask, ty()),
            Op::StreamingLoad { pointer, mask: _ } => self.streaming_load(*pointer, ty()),
            Op::Gather { pointers, mask, object: _ } => self.gather(*pointers, *mask, ty()),
            Op::StridedLoad { .. } => unreachable!("`legalize` makes loads and gathers of it"),
            Op::PackedStore { pointer, value, mask } => self.packed_store(*pointer, *value, *mask),
            Op::Atomic { op, pointer, value } => self.atomic(*op, *pointer, *value),
            Op::Exchange { pointer, expected, value } => self.exchange(*pointer, *expected, *value),
            Op::Allocate(memory, bytes) => self.allocate(*memory, *bytes),
            Op::Store { pointer, value, mask, streaming } => {
                self.store(*pointer, *value, *mask, *streaming);
                return None;
            }
            Op::Scatter { pointers, value, mask } => {
                self.scatter(*pointers, *value, *mask);
                return None;
            }
            Op::Copy { to, from, size } => {
                self.copy(*to, *from, *size);
                return None;
            }
            Op::Lifetime(..) => return None,
            Op::Prefetch(pointer) => {
                self.prefetch(*pointer);
                return None;
            }
            Op::Free(memory, pointer) => {
                self.free(*memory, *pointer);
                return None;
            }
            Op::Parallel { function, arguments, count } => {
                self.parallel(*function, arguments, *count);
                return None;
            }
            Op::Print { channel, pieces } => {
                self.print(*channel, pieces);
                return None;
            }
            Op::Check { condition, lane, message, numbers } => {
                self.check(*condition, *lane, message, numbers, data.span);
                return None;
            }
            Op::Assume(condition) => {
                self.b.intrinsic("llvm.assume", &[], &[self.value(*condition)]);
                return None;
            }
            Op::Unroll(_) => return None,
            Op::Call(..) => unreachable!("calls may have several results and are translated apart"),
        })
    }

    /// A constant by the bits of its lanes.
    fn constant(&self, ty: ir::Type, lanes: &[u64]) -> LlvmValue {
        let whole = self.unit.ty(ty);
        if ty.element == ir::Element::Ptr {
            return self.b.zero(whole);
        }
        match lanes {
            [bits] => self.b.constant(whole, *bits),
            _ => {
                let element = self.unit.element(ty.element);
                self.b.constant_vector(&lanes.iter().map(|&bits| self.b.constant(element, bits)).collect::<Vec<_>>())
            }
        }
    }
}

/// The blocks that can be reached, the entry first, each after one of its predecessors.
fn reverse_postorder(function: &ir::Function) -> Vec<usize> {
    let successors = |block: usize| -> Vec<usize> {
        function.blocks[block].terminator.targets().map(|target| target.block.0 as usize).collect()
    };
    let mut seen = vec![false; function.blocks.len()];
    let mut postorder = Vec::new();
    let mut stack = vec![(0, successors(0))];
    seen[0] = true;
    while let Some((block, rest)) = stack.last_mut() {
        match rest.pop() {
            Some(next) if !seen[next] => {
                seen[next] = true;
                stack.push((next, successors(next)));
            }
            Some(_) => {}
            None => {
                postorder.push(*block);
                stack.pop();
            }
        }
    }
    postorder.reverse();
    postorder
}

/// For each value: is it an address in a slot that is too large to be cleared, and not certainly filled before it is read?
fn addresses_in_large_slots(function: &ir::Function, filled: &[bool]) -> Vec<bool> {
    let mut inside = vec![false; function.values.len()];
    if function.slots.iter().all(|slot| slot.size <= ZEROED_SLOT_BYTES) {
        return inside;
    }
    let is_unsettled = |slot: ir::Slot| function.slots[slot.0 as usize].size > ZEROED_SLOT_BYTES && !filled[slot.0 as usize];
    let is_pointer = |value: ir::Value| function.values[value.0 as usize].ty.element == ir::Element::Ptr;
    let mut changed = true;
    while std::mem::take(&mut changed) {
        let mut mark = |value: ir::Value, inside: &mut Vec<bool>| {
            changed |= !std::mem::replace(&mut inside[value.0 as usize], true);
        };
        for block in &function.blocks {
            for inst in block.insts.iter().map(|inst| &function.insts[inst.0 as usize]) {
                let mut from = matches!(&inst.op, Op::SlotAddress(slot) if is_unsettled(*slot));
                inst.op.for_each(|operand| from |= inside[operand.0 as usize]);
                let results = inst.results.iter().filter(|&&result| from && is_pointer(result));
                results.for_each(|&result| mark(result, &mut inside));
            }
            for target in block.terminator.targets() {
                let parameters = &function.blocks[target.block.0 as usize].parameters;
                for (&parameter, &argument) in parameters.iter().zip(&target.arguments) {
                    if inside[argument.0 as usize] {
                        mark(parameter, &mut inside);
                    }
                }
            }
        }
    }
    inside
}
