//! A thin, total wrapper of LLVM's instruction builder.
//!
//! inkwell has one type for scalars and another for vectors, and no instruction with a vector of addresses; here a
//! vector is treated like a scalar everywhere, so that a translation is written once for all lengths. Every handle
//! belongs to the context of the module that the builder was made for, which outlives it: that is what makes the calls
//! of the C interface below sound.

use std::ffi::CString;

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::{LLVMBasicBlockRef, LLVMBuilderRef, LLVMContextRef, LLVMModuleRef, LLVMTypeRef, LLVMValueRef};
pub(super) use inkwell::llvm_sys::{LLVMIntPredicate as IntPredicate, LLVMRealPredicate as RealPredicate};
use inkwell::llvm_sys::{LLVMOpcode, LLVMTypeKind};
use inkwell::module::Module;

/// A value of LLVM.
pub(super) type LlvmValue = LLVMValueRef;
/// A type of LLVM.
pub(super) type LlvmType = LLVMTypeRef;
/// A basic block of LLVM.
pub(super) type LlvmBlock = LLVMBasicBlockRef;

/// Nothing is named: LLVM numbers what it prints.
pub(super) const NO_NAME: *const std::ffi::c_char = c"".as_ptr();

/// Builds types, constants and instructions in one module.
pub(super) struct Builder {
    pub(super) context: LLVMContextRef,
    pub(super) module: LLVMModuleRef,
    pub(super) raw: LLVMBuilderRef,
}

impl Drop for Builder {
    fn drop(&mut self) {
        // SAFETY: `new` made it, and nobody uses it any more.
        unsafe { LLVMDisposeBuilder(self.raw) }
    }
}

/// Types and constants.
impl Builder {
    pub(super) fn new(module: &Module<'_>) -> Builder {
        let module = module.as_mut_ptr();
        // SAFETY: the module is alive, and so is the context that it belongs to.
        unsafe {
            let context = LLVMGetModuleContext(module);
            Builder { context, module, raw: LLVMCreateBuilderInContext(context) }
        }
    }

    pub(super) fn void(&self) -> LlvmType {
        // SAFETY: the context is alive: it outlives the builder.
        unsafe { LLVMVoidTypeInContext(self.context) }
    }

    pub(super) fn int(&self, bits: u32) -> LlvmType {
        // SAFETY: the context is alive: it outlives the builder.
        unsafe { LLVMIntTypeInContext(self.context, bits) }
    }

    pub(super) fn f32(&self) -> LlvmType {
        // SAFETY: the context is alive: it outlives the builder.
        unsafe { LLVMFloatTypeInContext(self.context) }
    }

    /// binary16, which is only ever converted.
    pub(super) fn f16(&self) -> LlvmType {
        // SAFETY: the context is alive: it outlives the builder.
        unsafe { LLVMHalfTypeInContext(self.context) }
    }

    pub(super) fn f64(&self) -> LlvmType {
        // SAFETY: the context is alive: it outlives the builder.
        unsafe { LLVMDoubleTypeInContext(self.context) }
    }

    pub(super) fn ptr(&self) -> LlvmType {
        // SAFETY: the context is alive: it outlives the builder.
        unsafe { LLVMPointerTypeInContext(self.context, 0) }
    }

    /// `element` for length 1, else a vector.
    pub(super) fn vector(&self, element: LlvmType, length: u32) -> LlvmType {
        // SAFETY: elements are numbers or pointers, and there are at least two of them.
        if length == 1 { element } else { unsafe { LLVMVectorType(element, length) } }
    }

    /// A vector of one lane.
    pub(super) fn one_lane(&self, element: LlvmType) -> LlvmType {
        // SAFETY: elements are numbers, and there is one of them.
        unsafe { LLVMVectorType(element, 1) }
    }

    pub(super) fn array(&self, element: LlvmType, length: u64) -> LlvmType {
        // SAFETY: elements are of a type with a size.
        unsafe { LLVMArrayType2(element, length) }
    }

    pub(super) fn structure(&self, members: &[LlvmType]) -> LlvmType {
        // SAFETY: there are as many members as is said, which LLVM copies.
        unsafe { LLVMStructTypeInContext(self.context, members.as_ptr().cast_mut(), members.len() as u32, 0) }
    }

    pub(super) fn function(&self, result: LlvmType, parameters: &[LlvmType]) -> LlvmType {
        // SAFETY: there are as many parameters as is said, which LLVM copies.
        unsafe { LLVMFunctionType(result, parameters.as_ptr().cast_mut(), parameters.len() as u32, 0) }
    }

    pub(super) fn type_of(&self, value: LlvmValue) -> LlvmType {
        // SAFETY: every value has a type.
        unsafe { LLVMTypeOf(value) }
    }

    pub(super) fn kind(&self, ty: LlvmType) -> LLVMTypeKind {
        // SAFETY: every type is of a kind.
        unsafe { LLVMGetTypeKind(ty) }
    }

    /// The number of lanes, 1 for a scalar.
    pub(super) fn lanes(&self, ty: LlvmType) -> u32 {
        // SAFETY: the type is a vector: its kind says so.
        if self.kind(ty) == LLVMTypeKind::LLVMVectorTypeKind { unsafe { LLVMGetVectorSize(ty) } } else { 1 }
    }

    /// The element of a vector type, a scalar type itself.
    pub(super) fn element(&self, ty: LlvmType) -> LlvmType {
        // SAFETY: the type is a vector: its kind says so.
        if self.kind(ty) == LLVMTypeKind::LLVMVectorTypeKind { unsafe { LLVMGetElementType(ty) } } else { ty }
    }

    /// The size of an element in bits.
    pub(super) fn element_bits(&self, ty: LlvmType) -> u32 {
        let element = self.element(ty);
        match self.kind(element) {
            // SAFETY: the element is an integer: its kind says so.
            LLVMTypeKind::LLVMIntegerTypeKind => unsafe { LLVMGetIntTypeWidth(element) },
            LLVMTypeKind::LLVMHalfTypeKind => 16,
            LLVMTypeKind::LLVMFloatTypeKind => 32,
            LLVMTypeKind::LLVMDoubleTypeKind | LLVMTypeKind::LLVMPointerTypeKind => 64,
            _ => 0,
        }
    }

    pub(super) fn is_int(&self, ty: LlvmType) -> bool {
        self.kind(self.element(ty)) == LLVMTypeKind::LLVMIntegerTypeKind
    }

    /// A type with the lanes of `like` and another element.
    pub(super) fn like(&self, like: LlvmType, element: LlvmType) -> LlvmType {
        self.vector(element, self.lanes(like))
    }

    /// The integers of the same shape as `ty`.
    pub(super) fn bits_type(&self, ty: LlvmType) -> LlvmType {
        self.like(ty, self.int(self.element_bits(ty)))
    }

    /// A constant by its bits, in every lane of an integer or floating type.
    pub(super) fn constant(&self, ty: LlvmType, bits: u64) -> LlvmValue {
        let element = self.element(ty);
        let width = self.element_bits(ty);
        let bits = if width < 64 { bits & ((1 << width) - 1) } else { bits };
        // SAFETY: the bits fit into the integer, which is as wide as the element whose bits they are.
        let scalar = unsafe {
            let int = LLVMConstInt(self.int(width), bits, 0);
            if self.is_int(ty) { int } else { LLVMConstBitCast(int, element) }
        };
        self.constant_splat(scalar, self.lanes(ty))
    }

    /// A floating constant in every lane.
    pub(super) fn float(&self, ty: LlvmType, value: f64) -> LlvmValue {
        // SAFETY: the element is a number of the floating kind, which is the contract of `float`.
        let scalar = unsafe { LLVMConstReal(self.element(ty), value) };
        self.constant_splat(scalar, self.lanes(ty))
    }

    pub(super) fn constant_splat(&self, scalar: LlvmValue, lanes: u32) -> LlvmValue {
        if lanes == 1 { scalar } else { self.constant_vector(&vec![scalar; lanes as usize]) }
    }

    /// A vector of constants; one of them is itself.
    pub(super) fn constant_vector(&self, lanes: &[LlvmValue]) -> LlvmValue {
        match lanes {
            [one] => *one,
            // SAFETY: the lanes are constants of one type, as many as is said, which LLVM copies.
            _ => unsafe { LLVMConstVector(lanes.as_ptr().cast_mut(), lanes.len() as u32) },
        }
    }

    /// A vector of integers of the element of `ty`, computed lane by lane.
    pub(super) fn constant_lanes(&self, ty: LlvmType, lane: impl Fn(u64) -> u64) -> LlvmValue {
        let element = self.element(ty);
        let lanes: Vec<_> = (0..u64::from(self.lanes(ty))).map(|k| self.constant(element, lane(k))).collect();
        self.constant_vector(&lanes)
    }

    pub(super) fn i32(&self, value: u32) -> LlvmValue {
        self.constant(self.int(32), u64::from(value))
    }

    pub(super) fn i64(&self, value: u64) -> LlvmValue {
        self.constant(self.int(64), value)
    }

    pub(super) fn zero(&self, ty: LlvmType) -> LlvmValue {
        // SAFETY: values of all kinds that are built here have a zero.
        unsafe { LLVMConstNull(ty) }
    }

    pub(super) fn ones(&self, ty: LlvmType) -> LlvmValue {
        // SAFETY: it is asked of integers alone.
        unsafe { LLVMConstAllOnes(ty) }
    }

    /// Only for lanes that nothing reads.
    pub(super) fn poison(&self, ty: LlvmType) -> LlvmValue {
        // SAFETY: it is a type of values.
        unsafe { LLVMGetPoison(ty) }
    }

    pub(super) fn is_constant(&self, value: LlvmValue) -> bool {
        // SAFETY: any value may be asked.
        unsafe { LLVMIsConstant(value) != 0 }
    }
}

/// The opcode of an instruction, `None` for other values.
pub(super) fn opcode(value: LlvmValue) -> Option<LLVMOpcode> {
    // SAFETY: any value may be asked whether it is an instruction, and an instruction has an opcode.
    unsafe { if LLVMIsAInstruction(value).is_null() { None } else { Some(LLVMGetInstructionOpcode(value)) } }
}

/// A C string; names with a zero byte end there.
pub(super) fn c_string(text: &str) -> CString {
    let end = text.find('\0').unwrap_or(text.len());
    CString::new(&text[..end]).expect("there is no zero byte before the first")
}

/// The functions of a module, in order.
pub(super) fn functions(module: LLVMModuleRef) -> Vec<LlvmValue> {
    // SAFETY: a function of a module has a next one, or null comes.
    let next = |&function: &LlvmValue| Some(unsafe { LLVMGetNextFunction(function) }).filter(|f| !f.is_null());
    // SAFETY: the module is alive; without a function, null comes.
    std::iter::successors(Some(unsafe { LLVMGetFirstFunction(module) }).filter(|f| !f.is_null()), next).collect()
}

/// The instructions of a function, in order.
pub(super) fn instructions(function: LlvmValue) -> Vec<LlvmValue> {
    let mut all = Vec::new();
    // SAFETY: a function has blocks, and a block instructions; null stands behind the last.
    unsafe {
        let mut block = LLVMGetFirstBasicBlock(function);
        while !block.is_null() {
            let mut instruction = LLVMGetFirstInstruction(block);
            while !instruction.is_null() {
                all.push(instruction);
                instruction = LLVMGetNextInstruction(instruction);
            }
            block = LLVMGetNextBasicBlock(block);
        }
    }
    all
}

/// The instructions that use a value, each once for each use.
pub(super) fn users(value: LlvmValue) -> Vec<LlvmValue> {
    let mut all = Vec::new();
    // SAFETY: a value has uses, each with a user; null stands behind the last.
    unsafe {
        let mut place = LLVMGetFirstUse(value);
        while !place.is_null() {
            all.push(LLVMGetUser(place));
            place = LLVMGetNextUse(place);
        }
    }
    all
}

/// The function that an instruction calls.
pub(super) fn callee(value: LlvmValue) -> Option<LlvmValue> {
    if opcode(value) != Some(LLVMOpcode::LLVMCall) {
        return None;
    }
    // SAFETY: it is a call: its opcode says so.
    let callee = unsafe { LLVMGetCalledValue(value) };
    // SAFETY: any value may be asked whether it is a function.
    (!unsafe { LLVMIsAFunction(callee) }.is_null()).then_some(callee)
}

/// The name of a function.
pub(super) fn name(function: LlvmValue) -> String {
    let mut length = 0;
    // SAFETY: LLVM gives the bytes of the name and their number.
    let bytes = unsafe { std::slice::from_raw_parts(LLVMGetValueName2(function, &mut length).cast::<u8>(), length) };
    String::from_utf8_lossy(bytes).into_owned()
}
