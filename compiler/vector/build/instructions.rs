//! One method for each operation: it computes the result type and folds what is certain at first sight.
//!
//! The folds are those that keep masks readable (`and` with an all-on mask, `select` with a constant mask, a `select`
//! whose other side is unset), and numbers: constant bounds make loops whose rounds are known. Real simplification is the
//! business of `optimize`.

use super::{Address, FunctionBuilder};
use crate::target::{Channel, Memory};
use crate::vector::interpret::operations;
use crate::vector::ir::*;

/// The bits of an element that count.
fn truncate(element: Element, bits: u64) -> u64 {
    if element.bits() == 64 { bits } else { bits & ((1 << element.bits()) - 1) }
}

/// The bits of an int element as a signed number.
fn sign_extend(element: Element, bits: u64) -> i64 {
    let shift = 64 - element.bits();
    ((bits << shift) as i64) >> shift
}

impl FunctionBuilder {
    // ---- What is known of a value ---------------------------------------------------------------------------------

    /// The operation that defines a value; `None` for block parameters.
    pub fn definition(&self, value: Value) -> Option<&Op> {
        let mut value = value;
        while self.alias[value.0 as usize] != value {
            value = self.alias[value.0 as usize];
        }
        match self.function.values[value.0 as usize].def {
            ValueDef::Parameter(..) => None,
            ValueDef::Result(inst, _) => Some(&self.function.insts[inst.0 as usize].op),
        }
    }

    /// The bits of a constant: one pattern, or one per lane.
    pub fn constant_bits(&self, value: Value) -> Option<&[u64]> {
        if let Some(Op::Const(bits)) = self.definition(value) { Some(bits) } else { None }
    }

    /// The bits that all lanes of a constant have.
    pub fn uniform_bits(&self, value: Value) -> Option<u64> {
        if let Some(&[bits]) = self.constant_bits(value) { Some(bits) } else { None }
    }

    fn is_unset(&self, value: Value) -> bool {
        matches!(self.definition(value), Some(Op::Unset))
    }

    // ---- Emitting -------------------------------------------------------------------------------------------------

    /// Appends an operation; its results have `types`.
    fn emit_all(&mut self, mut op: Op, types: &[Type]) -> Vec<Value> {
        op.for_each_mut(|value| *value = self.resolve(*value));
        let inst = Inst(self.function.insts.len() as u32);
        let results: Vec<Value> =
            types.iter().enumerate().map(|(i, &ty)| self.new_value(ty, ValueDef::Result(inst, i as u32))).collect();
        self.function.insts.push(InstData { op, results: results.clone(), span: self.span });
        self.function.blocks[self.current.0 as usize].insts.push(inst);
        results
    }

    fn emit(&mut self, op: Op, ty: Type) -> Value {
        self.emit_all(op, &[ty])[0]
    }

    fn emit_effect(&mut self, op: Op) {
        self.emit_all(op, &[]);
    }

    /// Appends an operation to the prologue of the entry block.
    fn emit_early(&mut self, op: Op, ty: Type) -> Value {
        let inst = Inst(self.function.insts.len() as u32);
        let value = self.new_value(ty, ValueDef::Result(inst, 0));
        self.function.insts.push(InstData { op, results: vec![value], span: self.function.span });
        self.prologue.push(inst);
        value
    }

    // ---- Constants ------------------------------------------------------------------------------------------------

    /// A constant from one bit pattern per lane, or one for all lanes.
    pub fn constant(&mut self, ty: Type, bits: &[u64]) -> Value {
        assert!(bits.len() == 1 || bits.len() == ty.length as usize, "one pattern, or one per lane");
        let mut bits: Vec<u64> = bits.iter().map(|&b| truncate(ty.element, b)).collect();
        if bits.iter().all(|&b| b == bits[0]) {
            bits.truncate(1);
        }
        if let Some(&value) = self.constants.get(&(ty, bits.clone())) {
            return value;
        }
        let value = self.emit_early(Op::Const(bits.clone()), ty);
        self.constants.insert((ty, bits), value);
        value
    }

    /// An int constant in all lanes; of other elements the bits.
    pub fn int(&mut self, ty: Type, value: i64) -> Value {
        self.constant(ty, &[value as u64])
    }

    /// A float constant in all lanes.
    pub fn float(&mut self, ty: Type, value: f64) -> Value {
        let bits = if ty.element == Element::F32 { u64::from((value as f32).to_bits()) } else { value.to_bits() };
        self.constant(ty, &[bits])
    }

    /// A mask that is on or off in all lanes.
    pub fn bool(&mut self, length: u8, value: bool) -> Value {
        self.constant(Type::new(Element::Bool, length), &[u64::from(value)])
    }

    /// All bits zero: 0, 0.0, false, null.
    pub fn zero(&mut self, ty: Type) -> Value {
        self.constant(ty, &[0])
    }

    /// The ints 0, 1, 2, … of a type.
    pub fn iota(&mut self, ty: Type) -> Value {
        let lanes: Vec<u64> = (0..u64::from(ty.length)).collect();
        self.constant(ty, &lanes)
    }

    /// Some value.
    pub fn unset(&mut self, ty: Type) -> Value {
        if let Some(&value) = self.unset.get(&ty) {
            return value;
        }
        let value = self.emit_early(Op::Unset, ty);
        self.unset.insert(ty, value);
        value
    }

    // ---- Lanes from scalars ---------------------------------------------------------------------------------------

    /// A scalar in all lanes.
    pub fn splat(&mut self, value: Value, length: u8) -> Value {
        let ty = self.ty(value).with_length(length);
        if length == 1 {
            return self.resolve(value);
        }
        if let Some(bits) = self.uniform_bits(value) {
            return self.constant(ty, &[bits]);
        }
        if self.is_unset(value) {
            return self.unset(ty);
        }
        self.emit(Op::Splat(value), ty)
    }

    /// base + k·step in lane k.
    pub fn ramp(&mut self, base: Value, step: i64, exact: bool, length: u8) -> Value {
        let ty = self.ty(base).with_length(length);
        if length == 1 {
            return self.resolve(base);
        }
        if let Some(bits) = self.uniform_bits(base) {
            let lanes: Vec<u64> = (0..i64::from(length)).map(|k| bits.wrapping_add(k.wrapping_mul(step) as u64)).collect();
            return self.constant(ty, &lanes);
        }
        self.emit(Op::Ramp { base, step, exact }, ty)
    }

    // ---- Arithmetic -----------------------------------------------------------------------------------------------

    /// An element-wise operation of one operand.
    pub fn unary(&mut self, op: UnaryOp, a: Value) -> Value {
        let ty = self.ty(a);
        if op == UnaryOp::Not {
            if let Some(bits) = self.constant_bits(a) {
                let bits: Vec<u64> = bits.iter().map(|b| !b).collect();
                return self.constant(ty, &bits);
            }
            if let Some(&Op::Unary(UnaryOp::Not, inner)) = self.definition(a) {
                return self.resolve(inner);
            }
        }
        self.emit(Op::Unary(op, a), ty)
    }

    /// An element-wise operation of two operands.
    pub fn binary(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        let (a, b) = (self.resolve(a), self.resolve(b));
        let ty = self.ty(a);
        debug_assert_eq!(ty, self.ty(b), "operands of one type");
        let ones = truncate(ty.element, u64::MAX);
        let (left, right) = (self.uniform_bits(a), self.uniform_bits(b));
        if let (Some(left), Some(right), true) = (left, right, ty.element.is_int()) {
            return self.constant(ty, &[operations::binary(op, ty.element, left, right)]);
        }
        match op {
            BinaryOp::And => {
                if a == b || right == Some(ones) || left == Some(0) {
                    return a;
                }
                if left == Some(ones) || right == Some(0) {
                    return b;
                }
                // A mask that was narrowed from another already implies it.
                if matches!(self.definition(b), Some(&Op::Binary(BinaryOp::And, x, y)) if x == a || y == a) {
                    return b;
                }
                if matches!(self.definition(a), Some(&Op::Binary(BinaryOp::And, x, y)) if x == b || y == b) {
                    return a;
                }
            }
            BinaryOp::Or => {
                if a == b || right == Some(0) || left == Some(ones) {
                    return a;
                }
                if left == Some(0) || right == Some(ones) {
                    return b;
                }
            }
            BinaryOp::Xor | BinaryOp::Add => {
                if right == Some(0) {
                    return a;
                }
                if left == Some(0) {
                    return b;
                }
            }
            BinaryOp::Sub | BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr if right == Some(0) => return a,
            BinaryOp::Mul if right == Some(1) => return a,
            BinaryOp::Mul if left == Some(1) => return b,
            BinaryOp::Sub
            | BinaryOp::Shl
            | BinaryOp::LShr
            | BinaryOp::AShr
            | BinaryOp::Mul
            | BinaryOp::SDiv
            | BinaryOp::UDiv
            | BinaryOp::SRem
            | BinaryOp::URem
            | BinaryOp::SMin
            | BinaryOp::SMax
            | BinaryOp::UMin
            | BinaryOp::UMax
            | BinaryOp::SAddSat
            | BinaryOp::UAddSat
            | BinaryOp::SSubSat
            | BinaryOp::USubSat
            | BinaryOp::SMulHigh
            | BinaryOp::UMulHigh
            | BinaryOp::SMulRound
            | BinaryOp::ClMul
            | BinaryOp::ClMulHigh
            | BinaryOp::FScale
            | BinaryOp::FAdd
            | BinaryOp::FSub
            | BinaryOp::FMul
            | BinaryOp::FDiv
            | BinaryOp::FRem
            | BinaryOp::FMin
            | BinaryOp::FMax => {}
        }
        self.emit(Op::Binary(op, a, b), ty)
    }

    /// Both.
    pub fn and(&mut self, a: Value, b: Value) -> Value {
        self.binary(BinaryOp::And, a, b)
    }

    /// Either.
    pub fn or(&mut self, a: Value, b: Value) -> Value {
        self.binary(BinaryOp::Or, a, b)
    }

    /// All bits flipped.
    pub fn not(&mut self, a: Value) -> Value {
        self.unary(UnaryOp::Not, a)
    }

    /// a·b + c, rounded once.
    pub fn fma(&mut self, a: Value, b: Value, c: Value) -> Value {
        let ty = self.ty(a);
        self.emit(Op::Fma(a, b, c), ty)
    }

    /// A comparison.
    pub fn compare(&mut self, op: CompareOp, a: Value, b: Value) -> Value {
        let of = self.ty(a);
        debug_assert_eq!(of, self.ty(b), "operands of one type");
        if let (Some(left), Some(right), true) = (self.uniform_bits(a), self.uniform_bits(b), of.element.is_int()) {
            return self.constant(of.mask(), &[u64::from(operations::compare(op, of.element, left, right))]);
        }
        self.emit(Op::Compare(op, a, b), of.mask())
    }

    /// a where the mask holds, b elsewhere.
    pub fn select(&mut self, mask: Value, a: Value, b: Value) -> Value {
        let (mask, a, b) = (self.resolve(mask), self.resolve(a), self.resolve(b));
        debug_assert_eq!(self.ty(a), self.ty(b), "both sides of one type");
        if a == b || self.is_unset(b) {
            return a;
        }
        match self.uniform_bits(mask) {
            Some(0) => return b,
            Some(_) => return a,
            None if self.is_unset(a) => return b,
            None => {}
        }
        if let Some(&Op::Unary(UnaryOp::Not, inner)) = self.definition(mask) {
            return self.select(inner, b, a);
        }
        // Where the mask has decided already: select m, (select m, x, _), b.
        if let Some(&Op::Select(same, x, _)) = self.definition(a)
            && same == mask
        {
            return self.select(mask, x, b);
        }
        if let Some(&Op::Select(same, _, y)) = self.definition(b)
            && same == mask
        {
            return self.select(mask, a, y);
        }
        let ty = self.ty(a);
        self.emit(Op::Select(mask, a, b), ty)
    }

    /// The value as another element type.
    pub fn convert(&mut self, op: ConvertOp, value: Value, to: Element) -> Value {
        let from = self.ty(value);
        let ty = from.with_element(to);
        let fold: Option<fn(Element, u64) -> u64> = match op {
            ConvertOp::Trunc | ConvertOp::ZExt => Some(|_, bits| bits),
            ConvertOp::SExt => Some(|element, bits| sign_extend(element, bits) as u64),
            ConvertOp::HToF => Some(|_, bits| ivl::Float16::from_bits(bits as u16).to_f32().to_bits().into()),
            ConvertOp::FToH => Some(|_, bits| ivl::Float16::from_f32(f32::from_bits(bits as u32)).to_bits().into()),
            ConvertOp::FToS
            | ConvertOp::FToU
            | ConvertOp::SToF
            | ConvertOp::UToF
            | ConvertOp::FToF
            | ConvertOp::PtrToInt
            | ConvertOp::IntToPtr
            | ConvertOp::Bits => None,
        };
        if from == ty {
            return self.resolve(value);
        }
        if let (Some(fold), Some(bits)) = (fold, self.constant_bits(value)) {
            let bits: Vec<u64> = bits.iter().map(|&b| fold(from.element, b)).collect();
            return self.constant(ty, &bits);
        }
        self.emit(Op::Convert(op, value), ty)
    }

    // ---- Across lanes ---------------------------------------------------------------------------------------------

    /// Lane `index` (i32, modulo the length).
    pub fn extract(&mut self, value: Value, index: Value) -> Value {
        let ty = self.ty(value);
        if ty.length == 1 {
            return self.resolve(value);
        }
        if let Some(&Op::Splat(inner)) = self.definition(value) {
            return self.resolve(inner);
        }
        if let Some(bits) = self.uniform_bits(value) {
            return self.constant(ty.with_length(1), &[bits]);
        }
        self.emit(Op::Extract(value, index), ty.with_length(1))
    }

    /// A lane known by number.
    pub fn extract_lane(&mut self, value: Value, lane: u8) -> Value {
        let index = self.int(Type::scalar(Element::I32), i64::from(lane));
        self.extract(value, index)
    }

    /// The vector with `lane` at `index` (i32, modulo the length).
    pub fn insert(&mut self, value: Value, lane: Value, index: Value) -> Value {
        let ty = self.ty(value);
        if ty.length == 1 {
            return self.resolve(lane);
        }
        self.emit(Op::Insert(value, lane, index), ty)
    }

    /// Lanes of a then b by constant number, −1 for zero.
    pub fn shuffle(&mut self, a: Value, b: Value, lanes: &[i16]) -> Value {
        let ty = self.ty(a).with_length(lanes.len() as u8);
        if self.ty(a) == ty && lanes.iter().enumerate().all(|(i, &lane)| lane == i as i16) {
            return self.resolve(a);
        }
        self.emit(Op::Shuffle(a, b, lanes.to_vec()), ty)
    }

    /// Lanes by number (modulo the length).
    pub fn permute(&mut self, value: Value, indices: Value) -> Value {
        let ty = self.ty(value).with_length(self.ty(indices).length);
        if self.ty(value).length == 1 {
            return self.splat(value, ty.length);
        }
        self.emit(Op::Permute(value, indices), ty)
    }

    /// Lanes of a then b by number (modulo twice the length).
    pub fn permute2(&mut self, a: Value, b: Value, indices: Value) -> Value {
        let ty = self.ty(a).with_length(self.ty(indices).length);
        self.emit(Op::Permute2(a, b, indices), ty)
    }

    /// For two lanes each the sum of their products.
    pub fn dot2(&mut self, a: Value, b: Value) -> Value {
        let ty = Type::new(Element::I32, self.ty(a).length / 2);
        self.emit(Op::Dot2(a, b), ty)
    }

    /// For four lanes each the sum of their products, and what is added.
    pub fn dot4(&mut self, a: Value, b: Value, sum: Value, signed: [bool; 2]) -> Value {
        let ty = self.ty(sum);
        self.emit(Op::Dot4 { a, b, sum, signed }, ty)
    }

    /// The bits as another type of as many.
    pub fn reinterpret(&mut self, value: Value, ty: Type) -> Value {
        let from = self.ty(value);
        if from == ty {
            return self.resolve(value);
        }
        if from.length == ty.length {
            return self.convert(ConvertOp::Bits, value, ty.element);
        }
        self.emit(Op::Reinterpret(value), ty)
    }

    /// The lanes where the mask is on, one after another, then zeros.
    pub fn compress(&mut self, value: Value, mask: Value) -> Value {
        self.packed(Op::Compress(value, mask), value, mask)
    }

    /// Where the mask is on, the lanes one after another; elsewhere zeros.
    pub fn expand(&mut self, value: Value, mask: Value) -> Value {
        self.packed(Op::Expand(value, mask), value, mask)
    }

    fn packed(&mut self, op: Op, value: Value, mask: Value) -> Value {
        let ty = self.ty(value);
        match self.uniform_bits(mask) {
            Some(0) => self.zero(ty),
            Some(_) => self.resolve(value),
            None if ty.length == 1 => {
                let zero = self.zero(ty);
                self.select(mask, value, zero)
            }
            None => self.emit(op, ty),
        }
    }

    /// All lanes in tree order.
    pub fn reduce(&mut self, op: ReduceOp, value: Value) -> Value {
        let ty = self.ty(value);
        if ty.length == 1 {
            return self.resolve(value);
        }
        self.emit(Op::Reduce(op, value), ty.with_length(1))
    }

    /// The lanes k < count, which is an i32 without a sign.
    pub fn first_lanes(&mut self, count: Value, length: u8) -> Value {
        let ty = Type::new(Element::Bool, length);
        if let Some(bits) = self.uniform_bits(count) {
            let lanes: Vec<u64> = (0..u64::from(length)).map(|lane| (lane < bits).into()).collect();
            return self.constant(ty, &lanes);
        }
        self.emit(Op::FirstLanes(count), ty)
    }

    /// Is any lane on?
    pub fn any(&mut self, mask: Value) -> Value {
        self.quantify(Op::Any(mask), mask)
    }

    /// Says that the program asks what `any` or `all` answers.
    pub fn ask_lanes(&mut self) {
        self.function.asks_lanes = true;
    }

    /// Says how the loop is unrolled that is being made.
    pub fn unroll(&mut self, unrolling: Unrolling) {
        if unrolling != Unrolling::Usual {
            self.emit_effect(Op::Unroll(unrolling));
        }
    }

    /// Are all lanes on?
    pub fn all(&mut self, mask: Value) -> Value {
        self.quantify(Op::All(mask), mask)
    }

    fn quantify(&mut self, op: Op, mask: Value) -> Value {
        if self.ty(mask).length == 1 {
            return self.resolve(mask);
        }
        if let Some(bits) = self.uniform_bits(mask) {
            return self.bool(1, bits != 0);
        }
        self.emit(op, Type::scalar(Element::Bool))
    }

    /// Bit k of an i64 is lane k.
    pub fn mask_bits(&mut self, mask: Value) -> Value {
        let ty = Type::scalar(Element::I64);
        let length = self.ty(mask).length;
        if let Some(bits) = self.uniform_bits(mask) {
            let ones = if length == 64 { u64::MAX } else { (1 << length) - 1 };
            return self.constant(ty, &[bits * ones]);
        }
        self.emit(Op::MaskBits(mask), ty)
    }

    // ---- Addresses ------------------------------------------------------------------------------------------------

    /// base + index·scale + offset; the index (i32 or i64) is sign-extended.
    pub fn ptr_index(&mut self, base: Value, index: Value, scale: u64, offset: i64) -> Value {
        let length = self.ty(base).length.max(self.ty(index).length);
        if let (Some(bits), true) = (self.uniform_bits(index), self.ty(base).length == length) {
            let index = sign_extend(self.ty(index).element, bits);
            return self.ptr_offset(base, index.wrapping_mul(scale as i64).wrapping_add(offset));
        }
        self.emit(Op::PtrIndex { base, index, scale, offset }, Type::new(Element::Ptr, length))
    }

    /// base + offset bytes.
    pub fn ptr_offset(&mut self, base: Value, offset: i64) -> Value {
        if offset == 0 {
            return self.resolve(base);
        }
        if let Some(&Op::PtrOffset(inner, more)) = self.definition(base) {
            return self.ptr_offset(inner, offset.wrapping_add(more));
        }
        let ty = self.ty(base);
        self.emit(Op::PtrOffset(base, offset), ty)
    }

    /// Where a stack slot is.
    pub fn slot_address(&mut self, slot: Slot) -> Value {
        self.address(Address::Slot(slot), Op::SlotAddress(slot))
    }

    /// Where a global is.
    pub fn global_address(&mut self, global: GlobalId) -> Value {
        self.address(Address::Global(global), Op::GlobalAddress(global))
    }

    fn address(&mut self, key: Address, op: Op) -> Value {
        if let Some(&value) = self.addresses.get(&key) {
            return value;
        }
        let value = self.emit_early(op, Type::scalar(Element::Ptr));
        self.addresses.insert(key, value);
        value
    }

    // ---- Memory ---------------------------------------------------------------------------------------------------

    /// A mask that is all on is none.
    fn real_mask(&self, mask: Option<Value>) -> Option<Value> {
        mask.filter(|&m| self.uniform_bits(m) != Some(1))
    }

    /// Consecutive elements.
    pub fn load(&mut self, ty: Type, pointer: Value, mask: Option<Value>) -> Value {
        let mask = self.real_mask(mask);
        self.emit(Op::Load { pointer, mask }, ty)
    }

    /// Consecutive elements, around the caches.
    pub fn streaming_load(&mut self, ty: Type, pointer: Value, mask: Option<Value>) -> Value {
        let mask = self.real_mask(mask);
        self.emit(Op::StreamingLoad { pointer, mask }, ty)
    }

    /// Consecutive elements.
    pub fn store(&mut self, pointer: Value, value: Value, mask: Option<Value>) {
        let mask = self.real_mask(mask);
        self.emit_effect(Op::Store { pointer, value, mask, streaming: false });
    }

    /// Consecutive elements, around the caches.
    pub fn streaming_store(&mut self, pointer: Value, value: Value, mask: Option<Value>) {
        let mask = self.real_mask(mask);
        self.emit_effect(Op::Store { pointer, value, mask, streaming: true });
    }

    /// One address per lane.
    pub fn gather(&mut self, element: Element, pointers: Value, mask: Option<Value>, object: Option<Object>) -> Value {
        let mask = self.real_mask(mask);
        let ty = self.ty(pointers).with_element(element);
        self.emit(Op::Gather { pointers, mask, object }, ty)
    }

    /// One address per lane.
    pub fn scatter(&mut self, pointers: Value, value: Value, mask: Option<Value>) {
        let mask = self.real_mask(mask);
        self.emit_effect(Op::Scatter { pointers, value, mask });
    }

    /// Bytes from place to place.
    pub fn copy(&mut self, to: Value, from: Value, size: u64) {
        self.emit_effect(Op::Copy { to, from, size });
    }

    /// The active lanes one after another; how many.
    pub fn packed_store(&mut self, pointer: Value, value: Value, mask: Option<Value>) -> Value {
        let mask = self.real_mask(mask);
        self.emit(Op::PackedStore { pointer, value, mask }, Type::scalar(Element::I32))
    }

    /// *pointer = *pointer ∘ value in one step; the old value.
    pub fn atomic(&mut self, op: BinaryOp, pointer: Value, value: Value) -> Value {
        let ty = self.ty(value);
        self.emit(Op::Atomic { op, pointer, value }, ty)
    }

    /// *pointer = value in one step, where there is an expected value only if that is there; the old value.
    pub fn exchange(&mut self, pointer: Value, expected: Option<Value>, value: Value) -> Value {
        let ty = self.ty(value);
        self.emit(Op::Exchange { pointer, expected, value }, ty)
    }

    /// A local variable comes to life in the lanes of a mask.
    pub fn lifetime(&mut self, pointer: Value, mask: Value) {
        self.emit_effect(Op::Lifetime(pointer, mask));
    }

    /// Brings an address near.
    pub fn prefetch(&mut self, pointer: Value) {
        self.emit_effect(Op::Prefetch(pointer));
    }

    /// Fresh memory.
    pub fn allocate(&mut self, memory: Memory, bytes: Value) -> Value {
        self.emit(Op::Allocate(memory, bytes), Type::scalar(Element::Ptr))
    }

    /// Gives memory back.
    pub fn free(&mut self, memory: Memory, pointer: Value) {
        self.emit_effect(Op::Free(memory, pointer));
    }

    // ---- Everything else ------------------------------------------------------------------------------------------

    /// A call; `results` are the callee's.
    pub fn call(&mut self, function: FunctionId, arguments: &[Value], results: &[Type]) -> Vec<Value> {
        self.emit_all(Op::Call(function, arguments.to_vec()), results)
    }

    /// Calls of `function` for parts of `count` iterations.
    pub fn parallel(&mut self, function: FunctionId, arguments: Vec<Value>, count: Value) {
        self.emit_effect(Op::Parallel { function, arguments, count });
    }

    /// Writes text.
    pub fn print(&mut self, channel: Channel, pieces: Vec<PrintPiece>) {
        self.emit_effect(Op::Print { channel, pieces });
    }

    /// Ends the program unless the condition holds.
    pub fn check(&mut self, condition: Value, lane: Option<Value>, message: impl Into<String>, numbers: Vec<Value>) {
        if self.uniform_bits(condition) != Some(1) {
            self.emit_effect(Op::Check { condition, lane, message: message.into(), numbers });
        }
    }

    /// The condition holds.
    pub fn assume(&mut self, condition: Value) {
        if self.constant_bits(condition).is_none() {
            self.emit_effect(Op::Assume(condition));
        }
    }
}
