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
        unsafe { LLVMDisposeBuilder(self.raw) }
    }
}

/// Types and constants.
impl Builder {
    pub(super) fn new(module: &Module<'_>) -> Builder {
        let module = module.as_mut_ptr();
        unsafe {
            let context = LLVMGetModuleContext(module);
            Builder { context, module, raw: LLVMCreateBuilderInContext(context) }
        }
    }

    pub(super) fn void(&self) -> LlvmType {
        unsafe { LLVMVoidTypeInContext(self.context) }
    }

    pub(super) fn int(&self, bits: u32) -> LlvmType {
        unsafe { LLVMIntTypeInContext(self.context, bits) }
    }

    pub(super) fn f32(&self) -> LlvmType {
        unsafe { LLVMFloatTypeInContext(self.context) }
    }

    pub(super) fn f64(&self) -> LlvmType {
        unsafe { LLVMDoubleTypeInContext(self.context) }
    }

    pub(super) fn ptr(&self) -> LlvmType {
        unsafe { LLVMPointerTypeInContext(self.context, 0) }
    }

    /// `element` for length 1, else a vector.
    pub(super) fn vector(&self, element: LlvmType, length: u32) -> LlvmType {
        if length == 1 { element } else { unsafe { LLVMVectorType(element, length) } }
    }

    pub(super) fn array(&self, element: LlvmType, length: u64) -> LlvmType {
        unsafe { LLVMArrayType2(element, length) }
    }

    pub(super) fn structure(&self, members: &[LlvmType]) -> LlvmType {
        unsafe { LLVMStructTypeInContext(self.context, members.as_ptr().cast_mut(), members.len() as u32, 0) }
    }

    pub(super) fn function(&self, result: LlvmType, parameters: &[LlvmType]) -> LlvmType {
        unsafe { LLVMFunctionType(result, parameters.as_ptr().cast_mut(), parameters.len() as u32, 0) }
    }

    pub(super) fn type_of(&self, value: LlvmValue) -> LlvmType {
        unsafe { LLVMTypeOf(value) }
    }

    pub(super) fn kind(&self, ty: LlvmType) -> LLVMTypeKind {
        unsafe { LLVMGetTypeKind(ty) }
    }

    /// The number of lanes, 1 for a scalar.
    pub(super) fn lanes(&self, ty: LlvmType) -> u32 {
        if self.kind(ty) == LLVMTypeKind::LLVMVectorTypeKind { unsafe { LLVMGetVectorSize(ty) } } else { 1 }
    }

    /// The element of a vector type, a scalar type itself.
    pub(super) fn element(&self, ty: LlvmType) -> LlvmType {
        if self.kind(ty) == LLVMTypeKind::LLVMVectorTypeKind { unsafe { LLVMGetElementType(ty) } } else { ty }
    }

    /// The size of an element in bits.
    pub(super) fn element_bits(&self, ty: LlvmType) -> u32 {
        let element = self.element(ty);
        match self.kind(element) {
            LLVMTypeKind::LLVMIntegerTypeKind => unsafe { LLVMGetIntTypeWidth(element) },
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
        let scalar = unsafe {
            let int = LLVMConstInt(self.int(width), bits, 0);
            if self.is_int(ty) { int } else { LLVMConstBitCast(int, element) }
        };
        self.constant_splat(scalar, self.lanes(ty))
    }

    /// A floating constant in every lane.
    pub(super) fn float(&self, ty: LlvmType, value: f64) -> LlvmValue {
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
        unsafe { LLVMConstNull(ty) }
    }

    pub(super) fn ones(&self, ty: LlvmType) -> LlvmValue {
        unsafe { LLVMConstAllOnes(ty) }
    }

    /// Only for lanes that nothing reads.
    pub(super) fn poison(&self, ty: LlvmType) -> LlvmValue {
        unsafe { LLVMGetPoison(ty) }
    }

    pub(super) fn is_constant(&self, value: LlvmValue) -> bool {
        unsafe { LLVMIsConstant(value) != 0 }
    }
}

/// The opcode of an instruction, `None` for other values.
pub(super) fn opcode(value: LlvmValue) -> Option<LLVMOpcode> {
    unsafe { if LLVMIsAInstruction(value).is_null() { None } else { Some(LLVMGetInstructionOpcode(value)) } }
}

/// A C string; names with a zero byte end there.
pub(super) fn c_string(text: &str) -> CString {
    let end = text.find('\0').unwrap_or(text.len());
    CString::new(&text[..end]).expect("there is no zero byte before the first")
}

/// The functions of a module, in order.
pub(super) fn functions(module: LLVMModuleRef) -> Vec<LlvmValue> {
    let next = |&function: &LlvmValue| Some(unsafe { LLVMGetNextFunction(function) }).filter(|f| !f.is_null());
    std::iter::successors(Some(unsafe { LLVMGetFirstFunction(module) }).filter(|f| !f.is_null()), next).collect()
}

/// The instructions of a function, in order.
pub(super) fn instructions(function: LlvmValue) -> Vec<LlvmValue> {
    let mut all = Vec::new();
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

/// The function that an instruction calls.
pub(super) fn callee(value: LlvmValue) -> Option<LlvmValue> {
    if opcode(value) != Some(LLVMOpcode::LLVMCall) {
        return None;
    }
    let callee = unsafe { LLVMGetCalledValue(value) };
    (!unsafe { LLVMIsAFunction(callee) }.is_null()).then_some(callee)
}

/// The name of a function.
pub(super) fn name(function: LlvmValue) -> String {
    let mut length = 0;
    // SAFETY: LLVM gives the bytes of the name and their number.
    let bytes = unsafe { std::slice::from_raw_parts(LLVMGetValueName2(function, &mut length).cast::<u8>(), length) };
    String::from_utf8_lossy(bytes).into_owned()
}
