//! Calls: functions of the module, and those of the runtime for printing, checks and memory.

use super::builder::LlvmValue;
use super::function::FunctionTranslator;
use crate::source::Span;
use crate::target::{Channel, Memory};
use crate::vector::ir::{self, Element, PrintPiece};

/// The kinds of pieces, as the runtime numbers them.
fn piece_kind(element: Element) -> u64 {
    match element {
        Element::Bool => 1,
        Element::I8 => 2,
        Element::I16 => 3,
        Element::I32 => 4,
        Element::I64 => 5,
        Element::F32 => 6,
        Element::F64 => 7,
        Element::Ptr => 8,
    }
}

impl FunctionTranslator<'_> {
    pub(super) fn call(&self, callee: ir::FunctionId, arguments: &[ir::Value]) -> Vec<LlvmValue> {
        let arguments: Vec<_> = arguments.iter().map(|&value| (self.value(value), self.type_of(value))).collect();
        let returned = self.unit.callees[callee.0 as usize].call(self.unit, &arguments);
        if let Some(has_failed) = returned.has_failed {
            self.fail_if(has_failed);
        }
        returned.results
    }

    /// Goes on where a bit is 0; else the function has failed.
    pub(super) fn fail_if(&self, has_failed: LlvmValue) {
        let b = self.b;
        let passed = self.new_block();
        let branch = b.branch(has_failed, self.failure(), passed);
        b.set_branch_weights(branch, (1, 1 << 20));
        b.position(passed);
    }

    pub(super) fn allocate(&self, memory: Memory, bytes: ir::Value) -> LlvmValue {
        let b = self.b;
        let name = match memory {
            Memory::Heap => "ivl_allocate",
            Memory::Scratch => "ivl_scratch",
        };
        let (ty, function) = self.unit.runtime(name, b.ptr(), &[b.int(64)]);
        b.add_attribute(function, 0, "noalias", 0);
        b.add_attribute(function, 0, "align", 64);
        let pointer = b.call(ty, function, &[self.value(bytes)]);
        if let (Memory::Scratch, Some(first)) = (memory, self.first_scratch) {
            let known = b.load(b.ptr(), first, 8);
            let is_first = b.equal(known, b.zero(b.ptr()));
            b.store(b.select(is_first, pointer, known), first, 8);
        }
        pointer
    }

    pub(super) fn free(&self, memory: Memory, pointer: ir::Value) {
        let b = self.b;
        let name = match memory {
            Memory::Heap => "ivl_free",
            Memory::Scratch => "ivl_release",
        };
        let (ty, function) = self.unit.runtime(name, b.void(), &[b.ptr()]);
        b.call(ty, function, &[self.value(pointer)]);
        if let (Memory::Scratch, Some(first)) = (memory, self.first_scratch) {
            let known = b.load(b.ptr(), first, 8);
            let was_first = b.equal(known, self.value(pointer));
            b.store(b.select(was_first, b.zero(b.ptr()), known), first, 8);
        }
    }

    /// Makes an array of pieces on the stack and hands it to the runtime.
    ///
    /// ```text
    /// struct IvlPiece { kind: u8, signed: u8, length: u16, text_length: u32, data: *const u8, mask: *const u8 }
    /// ```
    pub(super) fn print(&self, channel: Channel, pieces: &[PrintPiece]) {
        let b = self.b;
        if channel == Channel::Reason
            && let Some((format, numbers)) = self.numbered(pieces)
        {
            return self.reason_of(&format, &numbers);
        }
        // The first four members are one number; all targets have the least significant byte first.
        let piece_type = b.structure(&[b.int(64), b.ptr(), b.ptr()]);
        let memory = self.pieces(piece_type);
        let null = b.zero(b.ptr());
        for (index, piece) in pieces.iter().enumerate() {
            let (head, data, mask) = match piece {
                PrintPiece::Text(text) => ((text.len() as u64) << 32, b.private_bytes(text.as_bytes(), 1), null),
                PrintPiece::Value { value, signed, mask, format } => {
                    let ty = self.type_of(*value);
                    let head = piece_kind(ty.element)
                        | u64::from(*signed) << 8
                        | u64::from(ty.length) << 16
                        | u64::from(format.bits()) << 32;
                    (head, self.spill(*value), mask.map_or(null, |mask| self.spill(mask)))
                }
            };
            let place = b.offset(memory, index as i64 * 24);
            b.store(b.i64(head), place, 8);
            b.store(data, b.offset(place, 8), 8);
            b.store(mask, b.offset(place, 16), 8);
        }
        let name = match channel {
            Channel::Output => "ivl_print",
            Channel::Error => "ivl_eprint",
            Channel::Reason => "ivl_reason",
            Channel::End => "ivl_end",
        };
        let (ty, function) = self.unit.runtime(name, b.void(), &[b.ptr(), b.int(64)]);
        b.call(ty, function, &[memory, b.i64(pieces.len() as u64)]);
        if channel == Channel::End {
            b.jump(self.failure());
            b.position(self.new_block());
        }
    }

    /// Pieces as one text with a zero byte for each number, if all that is no text is an `int64`.
    fn numbered(&self, pieces: &[PrintPiece]) -> Option<(String, Vec<ir::Value>)> {
        let (mut format, mut numbers) = (String::new(), Vec::new());
        for piece in pieces {
            match piece {
                PrintPiece::Text(text) if !text.contains('\0') => format += text,
                PrintPiece::Value { value, signed: true, mask: None, format: plain }
                    if self.type_of(*value) == ir::Type::scalar(Element::I64) && *plain == ivl::Format::default() =>
                {
                    format.push('\0');
                    numbers.push(*value);
                }
                PrintPiece::Text(_) | PrintPiece::Value { .. } => return None,
            }
        }
        Some((format, numbers))
    }

    /// Keeps a reason. There is one for each of many checks, so that each should be little code.
    fn reason_of(&self, format: &str, numbers: &[ir::Value]) {
        let b = self.b;
        let memory = self.numbers(numbers, || self.reason());
        let parameters = [b.ptr(), b.int(64), b.ptr(), b.int(64)];
        let (ty, function) = self.unit.runtime("ivl_reason_of", b.void(), &parameters);
        let text = b.private_bytes(format.as_bytes(), 1);
        b.call(ty, function, &[text, b.i64(format.len() as u64), memory, b.i64(numbers.len() as u64)]);
    }

    /// Some `int64`s in this memory, one behind the other; null if there are none.
    fn numbers(&self, numbers: &[ir::Value], memory: impl FnOnce() -> LlvmValue) -> LlvmValue {
        let b = self.b;
        if numbers.is_empty() {
            return b.zero(b.ptr());
        }
        let memory = memory();
        for (index, &number) in numbers.iter().enumerate() {
            b.store(self.value(number), b.offset(memory, index as i64 * 8), 8);
        }
        memory
    }

    /// The value in memory of its own.
    fn spill(&self, value: ir::Value) -> LlvmValue {
        let ty = self.type_of(value);
        let stored = self.to_memory(self.value(value), ty);
        let memory = self.stack_memory(self.unit.memory_type(ty), 8);
        self.b.store(stored, memory, ty.element.size());
        memory
    }

    /// The function fails with a message unless `condition` holds.
    pub(super) fn check(&self, condition: ir::Value, lane: Option<ir::Value>, message: &str, numbers: &[ir::Value], span: Span) {
        let b = self.b;
        let (i32_type, i64_type) = (b.int(32), b.int(64));
        let parameters = [b.ptr(), i64_type, b.ptr(), i64_type, i32_type, i32_type, i32_type, b.ptr(), i64_type];
        let (ty, function) = self.unit.runtime("ivl_check_failed", b.void(), &parameters);
        for attribute in ["cold", "nounwind"] {
            b.add_attribute(function, u32::MAX, attribute, 0);
        }
        let (failed, passed) = (self.new_block(), self.new_block());
        let branch = b.branch(self.value(condition), passed, failed);
        b.set_branch_weights(branch, (1 << 20, 1));
        b.position(failed);
        let (name, line, column) = self.unit.position(span);
        let lane = lane.map_or(b.ones(i32_type), |lane| b.resize_signed(self.value(lane), i32_type));
        let filled = self.numbers(numbers, || self.stack_memory(b.array(i64_type, numbers.len() as u64), 8));
        let arguments = [
            b.private_bytes(message.as_bytes(), 1),
            b.i64(message.len() as u64),
            b.private_bytes(name.as_bytes(), 1),
            b.i64(name.len() as u64),
            b.i32(line),
            b.i32(column),
            lane,
            filled,
            b.i64(numbers.len() as u64),
        ];
        b.call(ty, function, &arguments);
        b.jump(self.failure());
        b.position(passed);
    }
}
