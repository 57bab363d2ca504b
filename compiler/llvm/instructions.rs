//! Instructions, blocks, calls and attributes: the rest of [`Builder`].

use std::sync::atomic::{AtomicBool, Ordering};

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::LLVMAttributeRef;
use inkwell::llvm_sys::{LLVMInlineAsmDialect, LLVMLinkage, LLVMTypeKind, LLVMUnnamedAddr};

use super::builder::{Builder, IntPredicate, LlvmBlock, LlvmType, LlvmValue, NO_NAME, RealPredicate, c_string};

/// Are reads under masks left as LLVM goes wrong with them? See [`super::leave_masked_reads_unprotected`].
pub(super) static LEAVES_READS_UNPROTECTED: AtomicBool = AtomicBool::new(false);

/// Methods that take two operands and make one instruction.
macro_rules! binary {
    ($($name:ident = $function:ident),* $(,)?) => {
        impl Builder {
            $(pub(super) fn $name(&self, a: LlvmValue, b: LlvmValue) -> LlvmValue {
                // SAFETY: both operands have the type that the instruction is for, and the builder stands in a block.
                unsafe { $function(self.raw, a, b, NO_NAME) }
            })*
        }
    };
}

binary! {
    add = LLVMBuildAdd, sub = LLVMBuildSub, mul = LLVMBuildMul,
    sdiv = LLVMBuildSDiv, udiv = LLVMBuildUDiv, srem = LLVMBuildSRem, urem = LLVMBuildURem,
    and = LLVMBuildAnd, or = LLVMBuildOr, xor = LLVMBuildXor,
    shl = LLVMBuildShl, lshr = LLVMBuildLShr, ashr = LLVMBuildAShr,
    fadd = LLVMBuildFAdd, fsub = LLVMBuildFSub, fmul = LLVMBuildFMul, fdiv = LLVMBuildFDiv, frem = LLVMBuildFRem,
}

/// Methods that convert a value to a type.
macro_rules! cast {
    ($($name:ident = $function:ident),* $(,)?) => {
        impl Builder {
            $(pub(super) fn $name(&self, value: LlvmValue, to: LlvmType) -> LlvmValue {
                // SAFETY: the conversion exists between the two types, and the builder stands in a block.
                unsafe { $function(self.raw, value, to, NO_NAME) }
            })*
        }
    };
}

cast! {
    trunc = LLVMBuildTrunc, zext = LLVMBuildZExt, sext = LLVMBuildSExt, bitcast = LLVMBuildBitCast,
    fptosi = LLVMBuildFPToSI, fptoui = LLVMBuildFPToUI, sitofp = LLVMBuildSIToFP, uitofp = LLVMBuildUIToFP,
    fptrunc = LLVMBuildFPTrunc, fpext = LLVMBuildFPExt, ptrtoint = LLVMBuildPtrToInt, inttoptr = LLVMBuildIntToPtr,
}

/// Instructions on values.
impl Builder {
    pub(super) fn neg(&self, a: LlvmValue) -> LlvmValue {
        self.sub(self.zero(self.type_of(a)), a)
    }

    pub(super) fn not(&self, a: LlvmValue) -> LlvmValue {
        self.xor(a, self.ones(self.type_of(a)))
    }

    pub(super) fn fneg(&self, a: LlvmValue) -> LlvmValue {
        // SAFETY: the operand is of the floating kind, and the builder stands in a block.
        unsafe { LLVMBuildFNeg(self.raw, a, NO_NAME) }
    }

    pub(super) fn freeze(&self, a: LlvmValue) -> LlvmValue {
        // SAFETY: any value may be frozen where the builder stands.
        unsafe { LLVMBuildFreeze(self.raw, a, NO_NAME) }
    }

    pub(super) fn icmp(&self, predicate: IntPredicate, a: LlvmValue, b: LlvmValue) -> LlvmValue {
        // SAFETY: the operands are integers or pointers of one type, and the builder stands in a block.
        unsafe { LLVMBuildICmp(self.raw, predicate, a, b, NO_NAME) }
    }

    pub(super) fn fcmp(&self, predicate: RealPredicate, a: LlvmValue, b: LlvmValue) -> LlvmValue {
        // SAFETY: the operands are of one type of the floating kind, and the builder stands in a block.
        unsafe { LLVMBuildFCmp(self.raw, predicate, a, b, NO_NAME) }
    }

    /// a = b, lane by lane.
    pub(super) fn equal(&self, a: LlvmValue, b: LlvmValue) -> LlvmValue {
        self.icmp(IntPredicate::LLVMIntEQ, a, b)
    }

    /// a ≠ 0, lane by lane.
    pub(super) fn is_set(&self, a: LlvmValue) -> LlvmValue {
        self.icmp(IntPredicate::LLVMIntNE, a, self.zero(self.type_of(a)))
    }

    pub(super) fn select(&self, condition: LlvmValue, a: LlvmValue, b: LlvmValue) -> LlvmValue {
        // SAFETY: the condition is a bit, or one for each lane, of two values of one type.
        unsafe { LLVMBuildSelect(self.raw, condition, a, b, NO_NAME) }
    }

    /// To the bits of the same size, also from and to pointers.
    pub(super) fn reinterpret(&self, value: LlvmValue, to: LlvmType) -> LlvmValue {
        let from_pointer = self.kind(self.element(self.type_of(value))) == LLVMTypeKind::LLVMPointerTypeKind;
        let to_pointer = self.kind(self.element(to)) == LLVMTypeKind::LLVMPointerTypeKind;
        match (from_pointer, to_pointer) {
            (true, true) => value,
            (false, false) => self.bitcast(value, to),
            (true, false) => {
                let int = self.ptrtoint(value, self.bits_type(self.type_of(value)));
                self.bitcast(int, to)
            }
            (false, true) => {
                let int = self.bitcast(value, self.bits_type(to));
                self.inttoptr(int, to)
            }
        }
    }

    /// Truncates or sign-extends an integer to `to`.
    pub(super) fn resize_signed(&self, value: LlvmValue, to: LlvmType) -> LlvmValue {
        match self.element_bits(self.type_of(value)).cmp(&self.element_bits(to)) {
            std::cmp::Ordering::Less => self.sext(value, to),
            std::cmp::Ordering::Equal => value,
            std::cmp::Ordering::Greater => self.trunc(value, to),
        }
    }

    /// Truncates or zero-extends an integer to `to`.
    pub(super) fn resize_unsigned(&self, value: LlvmValue, to: LlvmType) -> LlvmValue {
        match self.element_bits(self.type_of(value)).cmp(&self.element_bits(to)) {
            std::cmp::Ordering::Less => self.zext(value, to),
            std::cmp::Ordering::Equal => value,
            std::cmp::Ordering::Greater => self.trunc(value, to),
        }
    }

    /// Lane `index`; a scalar is its own lane.
    pub(super) fn extract(&self, vector: LlvmValue, index: u32) -> LlvmValue {
        if self.lanes(self.type_of(vector)) == 1 { vector } else { self.extract_at(vector, self.i32(index)) }
    }

    pub(super) fn extract_at(&self, vector: LlvmValue, index: LlvmValue) -> LlvmValue {
        // SAFETY: it is a vector, and the index is a lane: callers make it valid.
        unsafe { LLVMBuildExtractElement(self.raw, vector, index, NO_NAME) }
    }

    /// `vector` with another lane `index`; a scalar is replaced.
    pub(super) fn insert(&self, vector: LlvmValue, scalar: LlvmValue, index: u32) -> LlvmValue {
        if self.lanes(self.type_of(vector)) == 1 { scalar } else { self.insert_at(vector, scalar, self.i32(index)) }
    }

    pub(super) fn insert_at(&self, vector: LlvmValue, scalar: LlvmValue, index: LlvmValue) -> LlvmValue {
        // SAFETY: the scalar is of the vector's element, and the index is a lane: callers make it valid.
        unsafe { LLVMBuildInsertElement(self.raw, vector, scalar, index, NO_NAME) }
    }

    /// Both operands are vectors; −1 is a lane that nothing reads.
    pub(super) fn shuffle(&self, a: LlvmValue, b: LlvmValue, lanes: &[i32]) -> LlvmValue {
        let i32_type = self.int(32);
        let index = |lane: i32| if lane < 0 { self.poison(i32_type) } else { self.i32(lane as u32) };
        let mut mask: Vec<_> = lanes.iter().map(|&lane| index(lane)).collect();
        // SAFETY: the vectors are of one type, and the lanes are constants below twice its length.
        unsafe { LLVMBuildShuffleVector(self.raw, a, b, LLVMConstVector(mask.as_mut_ptr(), mask.len() as u32), NO_NAME) }
    }

    /// Lanes of one vector.
    pub(super) fn shuffle_one(&self, a: LlvmValue, lanes: &[i32]) -> LlvmValue {
        self.shuffle(a, self.poison(self.type_of(a)), lanes)
    }

    /// The scalar in all lanes.
    pub(super) fn splat(&self, scalar: LlvmValue, length: u32) -> LlvmValue {
        if length == 1 {
            return scalar;
        }
        if self.is_constant(scalar) {
            return self.constant_splat(scalar, length);
        }
        let ty = self.vector(self.type_of(scalar), length);
        let one = self.insert(self.poison(ty), scalar, 0);
        self.shuffle_one(one, &vec![0; length as usize])
    }

    pub(super) fn extract_member(&self, aggregate: LlvmValue, index: u32) -> LlvmValue {
        // SAFETY: the aggregate has the member.
        unsafe { LLVMBuildExtractValue(self.raw, aggregate, index, NO_NAME) }
    }

    pub(super) fn insert_member(&self, aggregate: LlvmValue, value: LlvmValue, index: u32) -> LlvmValue {
        // SAFETY: the aggregate has the member, which is of the value's type.
        unsafe { LLVMBuildInsertValue(self.raw, aggregate, value, index, NO_NAME) }
    }

    /// Gives a floating-point instruction its licence; constants need none.
    pub(super) fn set_fast_math(&self, value: LlvmValue, flags: u32) -> LlvmValue {
        // SAFETY: only an instruction that has such flags is given them.
        unsafe {
            if flags != 0 && !LLVMIsAInstruction(value).is_null() && LLVMCanValueUseFastMathFlags(value) != 0 {
                LLVMSetFastMathFlags(value, flags);
            }
        }
        value
    }
}

/// Memory.
impl Builder {
    pub(super) fn load(&self, ty: LlvmType, pointer: LlvmValue, alignment: u64) -> LlvmValue {
        // SAFETY: it is a pointer, and the load that is made has an alignment, which is a power of two.
        unsafe {
            let load = LLVMBuildLoad2(self.raw, ty, pointer, NO_NAME);
            LLVMSetAlignment(load, alignment as u32);
            load
        }
    }

    pub(super) fn store(&self, value: LlvmValue, pointer: LlvmValue, alignment: u64) -> LlvmValue {
        // SAFETY: it is a pointer, and the store that is made has an alignment, which is a power of two.
        unsafe {
            let store = LLVMBuildStore(self.raw, value, pointer);
            LLVMSetAlignment(store, alignment as u32);
            store
        }
    }

    /// base + index·sizeof(step) bytes; base, index or both may be vectors.
    pub(super) fn address(&self, step: LlvmType, base: LlvmValue, index: LlvmValue) -> LlvmValue {
        let mut indices = [index];
        // SAFETY: the step has a size, the base is a pointer or several, and there is one index.
        unsafe { LLVMBuildGEP2(self.raw, step, base, indices.as_mut_ptr(), 1, NO_NAME) }
    }

    /// pointer + offset bytes.
    pub(super) fn offset(&self, pointer: LlvmValue, offset: i64) -> LlvmValue {
        if offset == 0 { pointer } else { self.address(self.int(8), pointer, self.i64(offset as u64)) }
    }

    /// An alloca at the builder's position.
    pub(super) fn alloca(&self, ty: LlvmType, alignment: u64) -> LlvmValue {
        // SAFETY: the type has a size, and the alignment is a power of two.
        unsafe {
            let slot = LLVMBuildAlloca(self.raw, ty, NO_NAME);
            LLVMSetAlignment(slot, alignment as u32);
            slot
        }
    }

    /// Marks a load or store as going around the caches.
    pub(super) fn set_nontemporal(&self, access: LlvmValue) {
        // SAFETY: the name is as long as is said, and the node that is made of one value belongs to the context of the access.
        unsafe {
            let kind = LLVMGetMDKindIDInContext(self.context, c"nontemporal".as_ptr(), 11);
            let mut one = LLVMValueAsMetadata(self.i32(1));
            let node = LLVMMDNodeInContext2(self.context, &mut one, 1);
            LLVMSetMetadata(access, kind, LLVMMetadataAsValue(self.context, node));
        }
    }

    /// Keeps an access as it is.
    pub(super) fn set_volatile(&self, access: LlvmValue) {
        // SAFETY: the access is a load or store of this builder's module.
        unsafe { LLVMSetVolatile(access, 1) };
    }

    /// Marks a load of what never changes.
    pub(super) fn set_invariant(&self, load: LlvmValue) {
        // SAFETY: the name is as long as is said, and an empty node belongs to the context of the load.
        unsafe {
            let kind = LLVMGetMDKindIDInContext(self.context, c"invariant.load".as_ptr(), 14);
            let node = LLVMMDNodeInContext2(self.context, std::ptr::null_mut(), 0);
            LLVMSetMetadata(load, kind, LLVMMetadataAsValue(self.context, node));
        }
    }

    /// A constant of bytes without a name of its own; its address.
    pub(super) fn private_bytes(&self, bytes: &[u8], alignment: u32) -> LlvmValue {
        // SAFETY: there are as many bytes as is said, which LLVM copies.
        let data = unsafe { LLVMConstStringInContext2(self.context, bytes.as_ptr().cast(), bytes.len(), 1) };
        self.private_constant(data, alignment)
    }

    /// A constant in memory without a name of its own; its address.
    pub(super) fn private_constant(&self, data: LlvmValue, alignment: u32) -> LlvmValue {
        // SAFETY: the data is a constant, and the rest is set of the global that is made here.
        unsafe {
            let global = LLVMAddGlobal(self.module, LLVMTypeOf(data), NO_NAME);
            LLVMSetInitializer(global, data);
            LLVMSetGlobalConstant(global, 1);
            LLVMSetLinkage(global, LLVMLinkage::LLVMPrivateLinkage);
            LLVMSetUnnamedAddress(global, LLVMUnnamedAddr::LLVMGlobalUnnamedAddr);
            LLVMSetAlignment(global, alignment);
            global
        }
    }
}

/// Calls, blocks and terminators.
impl Builder {
    pub(super) fn call(&self, ty: LlvmType, function: LlvmValue, arguments: &[LlvmValue]) -> LlvmValue {
        // SAFETY: the function is of this type, and there are as many arguments as is said, which LLVM copies.
        unsafe { LLVMBuildCall2(self.raw, ty, function, arguments.as_ptr().cast_mut(), arguments.len() as u32, NO_NAME) }
    }

    /// The lanes of a mask of a vector in memory, one after another; others are zero.
    pub(super) fn masked_load(&self, address: LlvmValue, mask: LlvmValue, whole: LlvmType, alignment: u64) -> LlvmValue {
        self.masked_read("llvm.masked.load", address, mask, whole, alignment)
    }

    /// The lanes of a mask of a vector in memory, from an address for each; others are zero.
    pub(super) fn gather(&self, addresses: LlvmValue, mask: LlvmValue, whole: LlvmType, alignment: u64) -> LlvmValue {
        self.masked_read("llvm.masked.gather", addresses, mask, whole, alignment)
    }

    /// A read under a mask, and a `freeze` of it, which costs no instruction: LLVM 22 joins a read with the selection that uses it,
    /// at the place of the selection, which may be behind a store to the same memory. What is frozen is not joined.
    fn masked_read(&self, name: &str, address: LlvmValue, mask: LlvmValue, whole: LlvmType, alignment: u64) -> LlvmValue {
        let (ty, function) = self.intrinsic_declaration(name, &[whole, self.type_of(address)]);
        let zero = self.zero(whole);
        let read = if self.parameter_count(ty) == 4 {
            self.call(ty, function, &[address, self.i32(alignment as u32), mask, zero])
        } else {
            let read = self.call(ty, function, &[address, mask, zero]);
            self.add_call_attribute(read, 1, "align", alignment);
            read
        };
        let has_all_lanes = mask == self.ones(self.type_of(mask));
        if has_all_lanes || LEAVES_READS_UNPROTECTED.load(Ordering::Relaxed) { read } else { self.freeze(read) }
    }

    /// Calls the intrinsic `name` at the overload `types`.
    pub(super) fn intrinsic(&self, name: &str, types: &[LlvmType], arguments: &[LlvmValue]) -> LlvmValue {
        let (ty, function) = self.intrinsic_declaration(name, types);
        self.call(ty, function, arguments)
    }

    /// The type and the declaration of the intrinsic `name` at the overload `types`.
    pub(super) fn intrinsic_declaration(&self, name: &str, types: &[LlvmType]) -> (LlvmType, LlvmValue) {
        // SAFETY: the name and the types are as many as is said, and the intrinsic is known when it is asked for.
        unsafe {
            let id = LLVMLookupIntrinsicID(name.as_ptr().cast(), name.len());
            assert!(id != 0, "LLVM knows the intrinsic {name}");
            let types_pointer = types.as_ptr().cast_mut();
            let function = LLVMGetIntrinsicDeclaration(self.module, id, types_pointer, types.len());
            (LLVMIntrinsicGetType(self.context, id, types_pointer, types.len()), function)
        }
    }

    /// Hands a pointer to an empty piece of assembly, which may do anything with what it points to.
    pub(super) fn show_to_assembly(&self, pointer: LlvmValue) {
        let ty = self.function(self.void(), &[self.ptr()]);
        let constraints = "r,~{memory}";
        // SAFETY: both texts are as long as is said, and LLVM copies them.
        let assembly = unsafe {
            let dialect = LLVMInlineAsmDialect::LLVMInlineAsmDialectATT;
            let (text, constraints_text) = (c"".as_ptr(), constraints.as_ptr().cast());
            LLVMGetInlineAsm(ty, text.cast_mut().cast(), 0, constraints_text, constraints.len(), 1, 0, dialect, 0)
        };
        self.call(ty, assembly, &[pointer]);
    }

    /// The number of parameters of a function type.
    pub(super) fn parameter_count(&self, function_type: LlvmType) -> usize {
        // SAFETY: it is the type of a function.
        unsafe { LLVMCountParamTypes(function_type) as usize }
    }

    pub(super) fn parameter(&self, function: LlvmValue, index: u32) -> LlvmValue {
        // SAFETY: the function has so many parameters.
        unsafe { LLVMGetParam(function, index) }
    }

    pub(super) fn append_block(&self, function: LlvmValue) -> LlvmBlock {
        // SAFETY: the function belongs to the context.
        unsafe { LLVMAppendBasicBlockInContext(self.context, function, NO_NAME) }
    }

    pub(super) fn position(&self, block: LlvmBlock) {
        // SAFETY: the block belongs to a function of the module.
        unsafe { LLVMPositionBuilderAtEnd(self.raw, block) }
    }

    pub(super) fn current_block(&self) -> LlvmBlock {
        // SAFETY: a builder that stands nowhere says null.
        unsafe { LLVMGetInsertBlock(self.raw) }
    }

    pub(super) fn jump(&self, block: LlvmBlock) {
        // SAFETY: the block is one of the function that the builder stands in.
        unsafe { LLVMBuildBr(self.raw, block) };
    }

    pub(super) fn branch(&self, condition: LlvmValue, then: LlvmBlock, otherwise: LlvmBlock) -> LlvmValue {
        // SAFETY: the condition is a bit, and the blocks are of the function that the builder stands in.
        unsafe { LLVMBuildCondBr(self.raw, condition, then, otherwise) }
    }

    pub(super) fn ret(&self, value: Option<LlvmValue>) {
        // SAFETY: what is returned is of the type of the function that the builder stands in.
        unsafe {
            match value {
                Some(value) => LLVMBuildRet(self.raw, value),
                None => LLVMBuildRetVoid(self.raw),
            };
        }
    }

    pub(super) fn unreachable(&self) {
        // SAFETY: the builder stands in a block.
        unsafe { LLVMBuildUnreachable(self.raw) };
    }

    pub(super) fn phi(&self, ty: LlvmType) -> LlvmValue {
        // SAFETY: it is a type of values, and nothing but phis stands before it in the block.
        unsafe { LLVMBuildPhi(self.raw, ty, NO_NAME) }
    }

    pub(super) fn add_incoming(&self, phi: LlvmValue, value: LlvmValue, block: LlvmBlock) {
        let (mut value, mut block) = (value, block);
        // SAFETY: there is one value, of the phi's type, and one block.
        unsafe { LLVMAddIncoming(phi, &mut value, &mut block, 1) }
    }

    /// Says that `then` of a branch is taken `weights.0` times for `weights.1` times `otherwise`.
    pub(super) fn set_branch_weights(&self, branch: LlvmValue, weights: (u32, u32)) {
        // SAFETY: the words are as long as is said, and the node that is made of them belongs to the context of the branch.
        unsafe {
            let kind = LLVMGetMDKindIDInContext(self.context, c"prof".as_ptr(), 4);
            let mut node = [
                LLVMMDStringInContext2(self.context, c"branch_weights".as_ptr(), 14),
                LLVMValueAsMetadata(self.i32(weights.0)),
                LLVMValueAsMetadata(self.i32(weights.1)),
            ];
            let node = LLVMMDNodeInContext2(self.context, node.as_mut_ptr(), node.len());
            LLVMSetMetadata(branch, kind, LLVMMetadataAsValue(self.context, node));
        }
    }
}

/// Functions and attributes.
impl Builder {
    /// The function `name`, declared if there is none.
    pub(super) fn declare(&self, name: &str, ty: LlvmType) -> LlvmValue {
        let name = c_string(name);
        // SAFETY: the name is a C string, and the module is alive.
        unsafe {
            let known = LLVMGetNamedFunction(self.module, name.as_ptr());
            if known.is_null() { LLVMAddFunction(self.module, name.as_ptr(), ty) } else { known }
        }
    }

    /// A new function; LLVM changes the name if it is taken.
    pub(super) fn add_function(&self, name: &str, ty: LlvmType) -> LlvmValue {
        // SAFETY: the name is a C string that lives as long as the call, and the type is that of a function.
        unsafe { LLVMAddFunction(self.module, c_string(name).as_ptr(), ty) }
    }

    /// Nobody outside of the module knows a function, and nobody asks whether its address differs from that of another one.
    pub(super) fn make_internal(&self, function: LlvmValue) {
        // SAFETY: it is a function of the module.
        unsafe {
            LLVMSetLinkage(function, LLVMLinkage::LLVMInternalLinkage);
            LLVMSetUnnamedAddress(function, LLVMUnnamedAddr::LLVMGlobalUnnamedAddr);
        }
    }

    pub(super) fn enum_attribute(&self, name: &str, value: u64) -> LLVMAttributeRef {
        // SAFETY: the name is as long as is said, and the attribute is known when it is made.
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            assert!(kind != 0, "LLVM knows the attribute {name}");
            LLVMCreateEnumAttribute(self.context, kind, value)
        }
    }

    /// Adds an attribute at `index` (0: result, 1…: parameters, `u32::MAX`: the function).
    pub(super) fn add_attribute(&self, function: LlvmValue, index: u32, name: &str, value: u64) {
        // SAFETY: the function has a result or parameter at the index, or it is that of the function.
        unsafe { LLVMAddAttributeAtIndex(function, index, self.enum_attribute(name, value)) }
    }

    /// Adds an attribute that names a type (`sret`, `byval`).
    pub(super) fn type_attribute(&self, name: &str, ty: LlvmType) -> LLVMAttributeRef {
        // SAFETY: the name is as long as is said, and the attribute is known when it is made.
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            LLVMCreateTypeAttribute(self.context, kind, ty)
        }
    }

    /// As [`Builder::add_attribute`], at a call.
    pub(super) fn add_call_attribute(&self, call: LlvmValue, index: u32, name: &str, value: u64) {
        // SAFETY: it is a call, which has an argument or result at the index.
        unsafe { LLVMAddCallSiteAttribute(call, index, self.enum_attribute(name, value)) }
    }

    pub(super) fn add_string_attribute(&self, function: LlvmValue, key: &str, value: &str) {
        // SAFETY: key and value are as long as is said, and LLVM copies them.
        unsafe {
            let (key_pointer, value_pointer) = (key.as_ptr().cast(), value.as_ptr().cast());
            let (key_length, value_length) = (key.len() as u32, value.len() as u32);
            let attribute = LLVMCreateStringAttribute(self.context, key_pointer, key_length, value_pointer, value_length);
            LLVMAddAttributeAtIndex(function, u32::MAX, attribute);
        }
    }
}
