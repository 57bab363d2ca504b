//! A pass over LLVM's IR, behind its optimiser and before instruction selection: two gathers of neighbours are one gather of pairs.
//!
//! ```text
//! p = getelementptr float, a, <8 x i64> i          p = getelementptr float, a, <8 x i64> i
//! q = getelementptr float, a + 4, <8 x i64> i      w = gather <8 x i64> p
//! x = gather <8 x float> p                    →    v = bitcast w to <16 x float>
//! y = gather <8 x float> q                         x = shufflevector v, <0, 2, 4, 6, 8, 10, 12, 14>
//!                                                  y = shufflevector v, <1, 3, 5, 7, 9, 11, 13, 15>
//! ```
//!
//! A processor gathers element by element, whatever their size, so that half of the work is left. What interpolates reads
//! neighbours: tables, grids, textures. Only gathers of all lanes are joined, of 32 bits, in one block, with nothing between them
//! that may write.

use inkwell::llvm_sys::LLVMOpcode;
use inkwell::llvm_sys::core::*;
use inkwell::module::Module;

use super::builder::{Builder, LlvmType, LlvmValue, callee, functions, instructions, name, opcode};

/// An address is followed through so many additions.
const DEPTH: u32 = 8;
/// And compared with so many gathers in front of it.
const MOST_OPEN: usize = 32;

/// Runs the pass over all functions of a module.
pub(super) fn pair(module: &Module<'_>) {
    let b = Builder::new(module);
    for function in functions(b.module) {
        let mut open: Vec<Gather> = Vec::new();
        let mut block = std::ptr::null_mut();
        for value in instructions(function) {
            // SAFETY: an instruction stands in a block.
            let own = unsafe { LLVMGetInstructionParent(value) };
            if own != block || may_write(value) {
                open.clear();
                block = own;
            }
            let Some(gather) = Gather::of(&b, value) else { continue };
            match open.iter().position(|other| other.distance(&gather).is_some()) {
                Some(at) => open.remove(at).join(&b, &gather),
                None => open.push(gather),
            }
            if open.len() > MOST_OPEN {
                open.remove(0);
            }
        }
    }
}

/// Bytes from a root: a sum of multiples of values of 64 bits, modulo 2⁶⁴.
#[derive(PartialEq)]
struct Bytes {
    root: LlvmValue,
    terms: Vec<(LlvmValue, i64)>,
    constant: i64,
}

/// A gather of all lanes.
struct Gather {
    call: LlvmValue,
    /// The address of all lanes with the index 0.
    base: LlvmValue,
    bytes: Bytes,
    index: LlvmValue,
    /// Bytes from one index to the next.
    step: i64,
}

impl Gather {
    fn of(b: &Builder, call: LlvmValue) -> Option<Gather> {
        let callee = callee(call)?;
        let ty = b.type_of(call);
        if !name(callee).starts_with("llvm.masked.gather.") || b.element_bits(ty) != 32 || b.lanes(ty) < 4 {
            return None;
        }
        // SAFETY: it is a call: its opcode says so.
        let arguments = unsafe { LLVMGetNumArgOperands(call) };
        // SAFETY: the intrinsic has three arguments, or four with the alignment; its mask is the last but one.
        let mask = unsafe { LLVMGetOperand(call, arguments - 2) };
        // SAFETY: the addresses are the intrinsic's first argument.
        let pointers = unsafe { LLVMGetOperand(call, 0) };
        if mask != b.ones(b.type_of(mask)) {
            return None;
        }
        let (base, index, step) = element_address(b, pointers)?;
        if b.lanes(b.type_of(base)) != 1 || b.lanes(b.type_of(index)) != b.lanes(ty) {
            return None;
        }
        Some(Gather { call, base, bytes: bytes_of(b, base), index, step })
    }

    /// How far another one is behind this one, if the two are neighbours in each lane.
    fn distance(&self, other: &Gather) -> Option<i64> {
        let is_same = self.bytes.root == other.bytes.root && self.bytes.terms == other.bytes.terms;
        // SAFETY: a call has a type.
        let ty = |gather: &Gather| unsafe { LLVMTypeOf(gather.call) };
        let is_same = is_same && (self.index, self.step) == (other.index, other.step) && ty(self) == ty(other);
        Some(other.bytes.constant.wrapping_sub(self.bytes.constant)).filter(|bytes| is_same && bytes.abs() == 4)
    }

    /// Both as one, where this one stands.
    fn join(self, b: &Builder, other: &Gather) {
        let is_first = self.distance(other) == Some(4);
        let ty = b.type_of(self.call);
        let lanes = b.lanes(ty);
        // SAFETY: the call stands in a block.
        unsafe { LLVMPositionBuilderBefore(b.raw, self.call) };
        let base = if is_first { self.base } else { b.offset(self.base, -4) };
        let addresses = b.address(b.array(b.int(8), self.step as u64), base, self.index);
        let whole = b.vector(b.int(64), lanes);
        let words = b.gather(addresses, b.ones(b.vector(b.int(1), lanes)), whole, 4);
        let parts = b.bitcast(words, b.vector(b.element(ty), 2 * lanes));
        let half = |first: i32| b.shuffle_one(parts, &(0..lanes as i32).map(|lane| 2 * lane + first).collect::<Vec<_>>());
        let (own, others) = (half(i32::from(!is_first)), half(i32::from(is_first)));
        for (call, half) in [(self.call, own), (other.call, others)] {
            // SAFETY: the half is of the call's type, and nobody uses the call behind that.
            unsafe {
                LLVMReplaceAllUsesWith(call, half);
                LLVMInstructionEraseFromParent(call);
            }
        }
    }
}

/// A pointer, an index, and bytes from one index to the next.
fn element_address(b: &Builder, pointer: LlvmValue) -> Option<(LlvmValue, LlvmValue, i64)> {
    // SAFETY: it is an instruction: it has an opcode.
    if opcode(pointer) != Some(LLVMOpcode::LLVMGetElementPtr) || unsafe { LLVMGetNumOperands(pointer) } != 2 {
        return None;
    }
    // SAFETY: it has two operands, which was asked before.
    let (base, index) = unsafe { (LLVMGetOperand(pointer, 0), LLVMGetOperand(pointer, 1)) };
    // SAFETY: it is an address computation: its opcode says so.
    let step = bytes_of_type(b, unsafe { LLVMGetGEPSourceElementType(pointer) })?;
    (b.element_bits(b.type_of(index)) == 64).then_some((base, index, step))
}

/// Of types that are their own size: numbers, and arrays of bytes.
fn bytes_of_type(b: &Builder, ty: LlvmType) -> Option<i64> {
    use inkwell::llvm_sys::LLVMTypeKind::*;
    match b.kind(ty) {
        LLVMIntegerTypeKind | LLVMFloatTypeKind | LLVMDoubleTypeKind => {
            let bits = b.element_bits(ty);
            bits.is_multiple_of(8).then_some(i64::from(bits / 8))
        }
        LLVMArrayTypeKind => {
            // SAFETY: the type is an array: its kind says so.
            let element = bytes_of_type(b, unsafe { LLVMGetElementType(ty) })?;
            // SAFETY: the type is an array: its kind says so.
            Some(element * unsafe { LLVMGetArrayLength2(ty) } as i64)
        }
        _ => None,
    }
}

fn bytes_of(b: &Builder, pointer: LlvmValue) -> Bytes {
    let mut bytes = Bytes { root: pointer, terms: Vec::new(), constant: 0 };
    for _ in 0..DEPTH {
        let Some((base, index, step)) = element_address(b, bytes.root) else { break };
        add(index, step, DEPTH, &mut bytes);
        bytes.root = base;
    }
    bytes.terms.retain(|(_, factor)| *factor != 0);
    bytes.terms.sort_unstable();
    bytes
}

/// With a multiple of an integer of 64 bits.
fn add(value: LlvmValue, factor: i64, depth: u32, bytes: &mut Bytes) {
    // SAFETY: any value may be asked whether it is a constant integer.
    if !unsafe { LLVMIsAConstantInt(value) }.is_null() {
        // SAFETY: it is a constant integer of 64 bits.
        let constant = unsafe { LLVMConstIntGetSExtValue(value) };
        bytes.constant = bytes.constant.wrapping_add(constant.wrapping_mul(factor));
    } else if depth > 0 && opcode(value) == Some(LLVMOpcode::LLVMAdd) {
        // SAFETY: an addition has two operands.
        (0..2).for_each(|place| add(unsafe { LLVMGetOperand(value, place) }, factor, depth - 1, bytes));
    } else if let Some((_, known)) = bytes.terms.iter_mut().find(|(term, _)| *term == value) {
        *known = known.wrapping_add(factor);
    } else {
        bytes.terms.push((value, factor));
    }
}

/// May an instruction write to memory? Of calls, only those of functions that are known to write nothing do not.
fn may_write(value: LlvmValue) -> bool {
    match opcode(value) {
        Some(LLVMOpcode::LLVMCall) => callee(value).is_none_or(|callee| !writes_nothing(callee)),
        Some(
            LLVMOpcode::LLVMStore
            | LLVMOpcode::LLVMFence
            | LLVMOpcode::LLVMAtomicRMW
            | LLVMOpcode::LLVMAtomicCmpXchg
            | LLVMOpcode::LLVMInvoke
            | LLVMOpcode::LLVMCallBr,
        ) => true,
        _ => false,
    }
}

/// The attribute `memory` has two bits for each kind of memory, of which the upper one says that it is written.
fn writes_nothing(function: LlvmValue) -> bool {
    const WRITES: u64 = 0xaaaa_aaaa_aaaa_aaaa;
    // SAFETY: the name is as long as is said, and only an attribute that is there is asked for its value.
    unsafe {
        let kind = LLVMGetEnumAttributeKindForName(c"memory".as_ptr(), "memory".len());
        let attribute = LLVMGetEnumAttributeAtIndex(function, u32::MAX, kind);
        !attribute.is_null() && LLVMGetEnumAttributeValue(attribute) & WRITES == 0
    }
}
