//! A pass over LLVM's IR, behind its optimiser and before instruction selection: masks that live across blocks become
//! vectors of integers, 0 or −1, as wide as what they were compared from.
//!
//! ```text
//! loop:  m = phi <8 x i1> [.., n]                loop:  w = phi <8 x i32> [.., v]
//!        c = fcmp olt x, y                              m = icmp slt w, 0
//!        n = and <8 x i1> m, c                →         c = fcmp olt x, y
//!        s = select n, a, b                             v = and w, (sext c)
//!                                                       n = icmp slt v, 0;  s = select n, a, b
//! ```
//!
//! Below AVX-512 a mask is a vector register whose lanes are as wide as the data. Instruction selection knows that
//! within a block, and turns `icmp slt w, 0` and `sext c` into nothing; but each block by itself, so that a mask coming
//! from another block would arrive as `<8 x i16>` and be widened in every round of a loop.
//!
//! The set that is rewritten: phis of masks with their operands, masks used in other blocks than their own, a scalar in
//! all lanes, and the logic (`and`, `or`, `xor`, `freeze`, a selection by a scalar) that takes any of these. Members that feed one another
//! have one width: of those that the comparisons before and the selections behind them have, the one at which logic and what is converted
//! take the fewest registers, what is converted counted twice.

use rustc_hash::FxHashMap;

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::{LLVMBasicBlockRef, LLVMValueRef};
use inkwell::llvm_sys::{LLVMOpcode, LLVMTypeKind};
use inkwell::module::Module;

use super::builder::{Builder, IntPredicate, LlvmType, LlvmValue, functions, instructions, opcode, users};

/// Runs the pass over all functions of a module, for registers of so many bits.
pub(super) fn widen(module: &Module<'_>, register_bits: u32) {
    let builder = Builder::new(module);
    for function in functions(builder.module) {
        instructions(function).into_iter().for_each(|value| builder.selection_to_logic(value));
        Masks::collect(&builder, function, register_bits).rewrite();
    }
}

/// The masks of a function that are rewritten.
struct Masks<'a> {
    b: &'a Builder,
    register_bits: u32,
    /// In the order of the function; each is an instruction.
    members: Vec<LlvmValue>,
    /// The place of a member in `members`.
    index: FxHashMap<LlvmValue, usize>,
    /// Union-find: members that have one width.
    group: Vec<usize>,
}

impl<'a> Masks<'a> {
    fn collect(b: &'a Builder, function: LLVMValueRef, register_bits: u32) -> Masks<'a> {
        let mut masks = Masks { b, register_bits, members: Vec::new(), index: FxHashMap::default(), group: Vec::new() };
        let all: Vec<LlvmValue> = instructions(function).into_iter().filter(|&value| masks.is_mask(value)).collect();
        for &value in &all {
            if opcode(value) == Some(LLVMOpcode::LLVMPHI) {
                masks.add(value);
                incoming(value).into_iter().for_each(|(operand, _)| masks.add(operand));
            }
            if splatted(value).is_some() || users(value).into_iter().any(|user| block_of(user) != block_of(value)) {
                masks.add(value);
            }
        }
        // Logic that takes a member, and what logic among the members takes, until nothing is new.
        let mut next = 0;
        while next < masks.members.len() {
            let value = masks.members[next];
            next += 1;
            let logic = users(value).into_iter().filter(|&user| masks.is_mask(user) && is_logic(user));
            logic.collect::<Vec<_>>().into_iter().for_each(|user| masks.add(user));
            if is_logic(value) {
                mask_operands(value).into_iter().filter(|&operand| is_logic(operand)).for_each(|operand| masks.add(operand));
            }
        }
        for k in 0..masks.members.len() {
            let value = masks.members[k];
            if opcode(value) == Some(LLVMOpcode::LLVMPHI) || is_logic(value) {
                for operand in mask_operands(value) {
                    if let Some(&other) = masks.index.get(&operand) {
                        masks.join(k, other);
                    }
                }
            }
        }
        masks
    }

    /// A vector of several bits: the optimiser makes vectors of one, too, whose wide ones would be none.
    fn is_mask(&self, value: LlvmValue) -> bool {
        let ty = self.b.type_of(value);
        self.b.lanes(ty) > 1 && self.b.is_int(ty) && self.b.element_bits(ty) == 1
    }

    fn add(&mut self, value: LlvmValue) {
        if opcode(value).is_some() && !self.index.contains_key(&value) {
            self.index.insert(value, self.members.len());
            self.group.push(self.members.len());
            self.members.push(value);
        }
    }

    fn leader(&self, mut member: usize) -> usize {
        while self.group[member] != member {
            member = self.group[member];
        }
        member
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.leader(a), self.leader(b));
        self.group[a.max(b)] = a.min(b);
    }

    // ---- Widths ---------------------------------------------------------------------------------------------------

    /// The element width for each group, by its leader.
    fn widths(&self) -> FxHashMap<usize, u32> {
        let mut votes: FxHashMap<usize, FxHashMap<u32, u32>> = FxHashMap::default();
        let mut vote = |member: usize, bits: u32| {
            if matches!(bits, 8 | 16 | 32 | 64) {
                *votes.entry(self.leader(member)).or_default().entry(bits).or_default() += 1;
            }
        };
        for (k, &value) in self.members.iter().enumerate() {
            self.definition_width(value).into_iter().for_each(|bits| vote(k, bits));
            if is_logic(value) {
                let outside = mask_operands(value).into_iter().filter(|operand| !self.index.contains_key(operand));
                outside.filter_map(|operand| self.definition_width(operand)).for_each(|bits| vote(k, bits));
            }
            users(value).into_iter().filter_map(|user| self.use_width(user, value)).for_each(|bits| vote(k, bits));
        }
        let mut logic: FxHashMap<usize, (u32, u32)> = FxHashMap::default();
        for (k, &value) in self.members.iter().enumerate() {
            let (count, lanes) = logic.entry(self.leader(k)).or_default();
            *count += u32::from(is_rewritten(value));
            *lanes = self.b.lanes(self.b.type_of(value));
        }
        let best = |leader: usize, counts: &FxHashMap<u32, u32>| {
            let (logic, lanes) = logic[&leader];
            let registers = |bits: u32| (lanes * bits).div_ceil(self.register_bits);
            let cost = |bits: u32| {
                let conversions = counts.iter().filter(|&(&other, _)| other != bits);
                logic * registers(bits) + 2 * conversions.map(|(&other, count)| count * registers(bits.max(other))).sum::<u32>()
            };
            let known = [32, 8, 16, 64].into_iter().filter(|bits| counts.contains_key(bits));
            known.min_by_key(|bits| (cost(*bits), u32::MAX - counts[bits])).unwrap_or(32)
        };
        votes.iter().map(|(&leader, counts)| (leader, best(leader, counts))).collect()
    }

    /// The width of what a mask is compared or converted from.
    fn definition_width(&self, value: LlvmValue) -> Option<u32> {
        match opcode(value)? {
            LLVMOpcode::LLVMICmp | LLVMOpcode::LLVMFCmp | LLVMOpcode::LLVMTrunc => {
                // SAFETY: comparisons and truncations have a first operand.
                Some(self.b.element_bits(self.b.type_of(unsafe { LLVMGetOperand(value, 0) })))
            }
            _ => None,
        }
    }

    /// The width of what a mask selects, guards or becomes.
    fn use_width(&self, user: LlvmValue, mask: LlvmValue) -> Option<u32> {
        let vector_bits = |ty: LlvmType| (self.b.lanes(ty) > 1).then(|| self.b.element_bits(ty)).filter(|&bits| bits > 1);
        match opcode(user)? {
            // SAFETY: a selection has a condition.
            LLVMOpcode::LLVMSelect if unsafe { LLVMGetOperand(user, 0) } == mask => vector_bits(self.b.type_of(user)),
            LLVMOpcode::LLVMSExt | LLVMOpcode::LLVMZExt => vector_bits(self.b.type_of(user)),
            // A masked load or gather by its result, a masked store or scatter by what it stores.
            LLVMOpcode::LLVMCall => {
                // SAFETY: a call that uses a mask has an operand.
                vector_bits(self.b.type_of(user)).or_else(|| vector_bits(self.b.type_of(unsafe { LLVMGetOperand(user, 0) })))
            }
            _ => None,
        }
    }

    // ---- Rewriting ------------------------------------------------------------------------------------------------

    fn rewrite(&self) {
        let widths = self.widths();
        let wide_type = |k: usize| {
            let bits = widths.get(&self.leader(k)).copied().unwrap_or(32);
            self.b.vector(self.b.int(bits), self.b.lanes(self.b.type_of(self.members[k])))
        };
        let types: Vec<LlvmType> = (0..self.members.len()).map(wide_type).collect();
        let wide = self.define(&types);
        self.connect(&wide, &types);
        let mut narrow = FxHashMap::default();
        for (k, &value) in self.members.iter().enumerate() {
            self.replace_uses(value, wide[k], &mut narrow);
        }
        // What was rewritten as a whole is no longer used but by others of its kind.
        let dead: Vec<_> = self.members.iter().copied().filter(|&value| is_rewritten(value)).collect();
        for &value in &dead {
            // SAFETY: poison of the same type takes the place of an instruction.
            unsafe { LLVMReplaceAllUsesWith(value, LLVMGetPoison(LLVMTypeOf(value))) };
        }
        for &value in &dead {
            // SAFETY: what is erased has no users: they were given poison.
            unsafe { LLVMInstructionEraseFromParent(value) };
        }
    }

    /// Makes the wide value of each member: a phi without operands, logic on placeholders, or an extension.
    fn define(&self, types: &[LlvmType]) -> Vec<LlvmValue> {
        let b = self.b;
        let make = |(k, &value): (usize, &LlvmValue)| {
            let ty = types[k];
            // SAFETY: members are instructions that stand in blocks, those that are rewritten with the operands of their opcodes.
            unsafe {
                let op = LLVMGetInstructionOpcode(value);
                if !is_rewritten(value) {
                    LLVMPositionBuilderBefore(b.raw, after(value));
                    return match splatted(value) {
                        Some(scalar) => b.splat(b.sext(scalar, b.element(ty)), b.lanes(ty)),
                        None => b.sext(value, ty),
                    };
                }
                LLVMPositionBuilderBefore(b.raw, value);
                // Built raw: the builder would fold an operation on a placeholder.
                match op {
                    LLVMOpcode::LLVMPHI => b.phi(ty),
                    LLVMOpcode::LLVMFreeze => b.freeze(b.placeholder(ty)),
                    LLVMOpcode::LLVMSelect => b.select(LLVMGetOperand(value, 0), b.placeholder(ty), b.placeholder(ty)),
                    _ => {
                        let operands = (b.placeholder(ty), b.placeholder(ty));
                        LLVMBuildBinOp(b.raw, op, operands.0, operands.1, c"".as_ptr())
                    }
                }
            }
        };
        self.members.iter().enumerate().map(make).collect()
    }

    /// Gives phis and logic their wide operands.
    fn connect(&self, wide: &[LlvmValue], types: &[LlvmType]) {
        for (k, &value) in self.members.iter().enumerate() {
            if !is_rewritten(value) {
                continue;
            }
            if opcode(value) == Some(LLVMOpcode::LLVMPHI) {
                for (operand, block) in incoming(value) {
                    self.b.add_incoming(wide[k], self.wide_operand(operand, wide, types[k], wide[k]), block);
                }
                continue;
            }
            let first = u32::from(opcode(value) == Some(LLVMOpcode::LLVMSelect));
            for (operand, place) in mask_operands(value).into_iter().zip(first..) {
                let operand = self.wide_operand(operand, wide, types[k], wide[k]);
                // SAFETY: the wide value has the same operands as the member, and a placeholder that nobody uses may go.
                unsafe {
                    let placeholder = LLVMGetOperand(wide[k], place);
                    LLVMSetOperand(wide[k], place, operand);
                    if !LLVMIsAInstruction(placeholder).is_null() && LLVMGetFirstUse(placeholder).is_null() {
                        LLVMInstructionEraseFromParent(placeholder);
                    }
                }
            }
        }
    }

    /// A mask operand at the width of its wide user.
    fn wide_operand(&self, operand: LlvmValue, wide: &[LlvmValue], ty: LlvmType, user: LlvmValue) -> LlvmValue {
        match self.index.get(&operand) {
            Some(&k) => wide[k],
            None => {
                // SAFETY: the user stands in a block.
                unsafe { LLVMPositionBuilderBefore(self.b.raw, user) };
                self.b.sext(operand, ty)
            }
        }
    }

    /// An extension of a mask to the width that it has anyway is the wide mask, or what is left of 0 by taking it away.
    fn extend_wide(&self, user: LlvmValue, wide: LlvmValue) -> bool {
        let b = self.b;
        if b.type_of(user) != b.type_of(wide) {
            return false;
        }
        let extended = match opcode(user) {
            Some(LLVMOpcode::LLVMSExt) => wide,
            Some(LLVMOpcode::LLVMZExt) => {
                // SAFETY: the user stands in a block.
                unsafe { LLVMPositionBuilderBefore(b.raw, user) };
                b.neg(wide)
            }
            _ => return false,
        };
        // SAFETY: both are of one type, which was asked before, and nobody uses the extension behind that.
        unsafe {
            LLVMReplaceAllUsesWith(user, extended);
            LLVMInstructionEraseFromParent(user);
        }
        true
    }

    /// Users outside the set get a comparison of their own block.
    fn replace_uses(&self, value: LlvmValue, wide: LlvmValue, narrow: &mut FxHashMap<(LlvmValue, LLVMBasicBlockRef), LlvmValue>) {
        let b = self.b;
        let own_block = block_of(value);
        for user in users(value) {
            let member = self.index.contains_key(&user) && is_rewritten(user);
            // A comparison serves the users of its own block as it is.
            let at_home = block_of(user) == own_block && !is_rewritten(value) && splatted(value).is_none();
            if member || at_home || user == wide || self.extend_wide(user, wide) {
                continue;
            }
            let block = block_of(user);
            // SAFETY: a block has an instruction behind its phis, and a value that is no terminator one behind it.
            let mask = *narrow.entry((value, block)).or_insert_with(|| unsafe {
                let place = if block == own_block { after(wide) } else { after_phis(block) };
                LLVMPositionBuilderBefore(b.raw, place);
                b.icmp(IntPredicate::LLVMIntSLT, wide, b.zero(b.type_of(wide)))
            });
            // SAFETY: the user is an instruction, which has operands.
            for place in 0..unsafe { LLVMGetNumOperands(user) } as u32 {
                // SAFETY: the user has so many operands.
                if unsafe { LLVMGetOperand(user, place) } == value {
                    // SAFETY: the user has the operand, and the mask is of its type.
                    unsafe { LLVMSetOperand(user, place, mask) };
                }
            }
        }
    }
}

impl Builder {
    /// An instruction that stands for an operand until it is known; nothing folds it away.
    fn placeholder(&self, ty: LlvmType) -> LlvmValue {
        self.freeze(self.poison(ty))
    }

    /// A selection of masks by a mask becomes logic, as LLVM's optimiser makes selections of `&` and `|`. What is not selected may be
    /// poison in a selection, so that it is frozen.
    fn selection_to_logic(&self, value: LlvmValue) {
        let ty = self.type_of(value);
        let is_mask = self.lanes(ty) > 1 && self.is_int(ty) && self.element_bits(ty) == 1;
        if opcode(value) != Some(LLVMOpcode::LLVMSelect) || !is_mask || is_logic(value) {
            return;
        }
        // SAFETY: a selection has three operands and stands in a block; what is built is of its type.
        unsafe {
            LLVMPositionBuilderBefore(self.raw, value);
            let [mask, on, off] = [0, 1, 2].map(|place| LLVMGetOperand(value, place));
            let frozen = |side: LlvmValue| if self.is_constant(side) { side } else { self.freeze(side) };
            let on = self.and(mask, frozen(on));
            let chosen = if LLVMIsNull(off) != 0 { on } else { self.or(on, self.and(self.not(mask), frozen(off))) };
            LLVMReplaceAllUsesWith(value, chosen);
            LLVMInstructionEraseFromParent(value);
        }
    }
}

/// Is the member computed anew, rather than extended?
fn is_rewritten(value: LlvmValue) -> bool {
    opcode(value) == Some(LLVMOpcode::LLVMPHI) || is_logic(value)
}

/// Logic on masks: `and`, `or`, `xor`, `freeze`, and a selection of masks by a scalar.
fn is_logic(value: LlvmValue) -> bool {
    match opcode(value) {
        Some(LLVMOpcode::LLVMAnd | LLVMOpcode::LLVMOr | LLVMOpcode::LLVMXor | LLVMOpcode::LLVMFreeze) => true,
        // SAFETY: a selection has a condition, which has a type.
        Some(LLVMOpcode::LLVMSelect) => unsafe {
            let condition = LLVMTypeOf(LLVMGetOperand(value, 0));
            LLVMGetTypeKind(condition) == LLVMTypeKind::LLVMIntegerTypeKind
        },
        _ => false,
    }
}

/// The scalar that a mask has in all lanes, if it is made so.
fn splatted(value: LlvmValue) -> Option<LlvmValue> {
    // SAFETY: only a shuffle is asked for its lanes, an insertion for three operands, and a constant integer for its value.
    unsafe {
        if opcode(value) != Some(LLVMOpcode::LLVMShuffleVector) {
            return None;
        }
        let source = LLVMGetOperand(value, 0);
        let first = (0..LLVMGetNumMaskElements(value)).all(|lane| LLVMGetMaskValue(value, lane) == 0);
        if !first || opcode(source) != Some(LLVMOpcode::LLVMInsertElement) {
            return None;
        }
        let index = LLVMGetOperand(source, 2);
        let at_first = !LLVMIsAConstantInt(index).is_null() && LLVMConstIntGetZExtValue(index) == 0;
        at_first.then(|| LLVMGetOperand(source, 1))
    }
}

/// The operands of a phi or of logic that are masks.
fn mask_operands(value: LlvmValue) -> Vec<LlvmValue> {
    let first = u32::from(opcode(value) == Some(LLVMOpcode::LLVMSelect));
    // SAFETY: the instruction has so many operands.
    unsafe { (first..LLVMGetNumOperands(value) as u32).map(|place| LLVMGetOperand(value, place)).collect() }
}

fn incoming(phi: LlvmValue) -> Vec<(LlvmValue, LLVMBasicBlockRef)> {
    // SAFETY: it is a phi, which has as many values as blocks.
    unsafe { (0..LLVMCountIncoming(phi)).map(|k| (LLVMGetIncomingValue(phi, k), LLVMGetIncomingBlock(phi, k))).collect() }
}

fn block_of(instruction: LlvmValue) -> LLVMBasicBlockRef {
    // SAFETY: an instruction stands in a block.
    unsafe { LLVMGetInstructionParent(instruction) }
}

/// The first instruction of a block that is no phi.
fn after_phis(block: LLVMBasicBlockRef) -> LlvmValue {
    // SAFETY: a block of a function has a terminator.
    let mut instruction = unsafe { LLVMGetFirstInstruction(block) };
    while opcode(instruction) == Some(LLVMOpcode::LLVMPHI) {
        // SAFETY: a phi is no terminator: an instruction stands behind it.
        instruction = unsafe { LLVMGetNextInstruction(instruction) };
    }
    instruction
}

/// Where something may stand that uses `value`.
fn after(value: LlvmValue) -> LlvmValue {
    match opcode(value) {
        Some(LLVMOpcode::LLVMPHI) => after_phis(block_of(value)),
        // SAFETY: a value that is used is no terminator: an instruction stands behind it.
        _ => unsafe { LLVMGetNextInstruction(value) },
    }
}
