//! What the parts of a parallel loop are told though they could know it.
//!
//! ```text
//! v1 = const 0x2                                      v1 = const 0x2
//! parallel @f.part0(v1, v2, v2), count v3      ──►    parallel @f.part0(v2), count v3
//!
//! function @f.part0(v0, v1, v2, low, high)            function @f.part0(v1, low, high)
//!     v5 = add v1, v2                                     v0 = const 0x2
//!                                                         v5 = add v1, v1
//! ```
//! A part is a function of its own, and what it is given comes from memory: LLVM would not see that a value is a constant, or that
//! two values are one. The parts of exactly one loop are changed; those of an outer loop come before those of loops in it.

use crate::vector::edit::kept;
use crate::vector::ir::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// Constants of parallel loops move into their parts, and what is handed over twice is handed over once.
pub fn part_arguments(module: &mut Module) {
    let mut uses = vec![0; module.functions.len()];
    for function in &module.functions {
        function.for_each_call(|callee, _| uses[callee.0 as usize] += 1);
        loops(function).for_each(|(part, _)| uses[part.0 as usize] += 1);
    }
    let is_part: Vec<bool> = {
        let parts: FxHashSet<FunctionId> = module.functions.iter().flat_map(loops).map(|(part, _)| part).collect();
        let is_part = |index: usize| parts.contains(&FunctionId(index as u32)) && uses[index] == 1;
        (0..uses.len()).map(|i| is_part(i) && module.functions[i].linkage == Linkage::Internal).collect()
    };
    let mut work: Vec<FunctionId> = (0..uses.len() as u32).map(FunctionId).filter(|f| !is_part[f.0 as usize]).collect();
    while let Some(caller) = work.pop() {
        let loops: Vec<_> = loops(&module.functions[caller.0 as usize]).filter(|(part, _)| is_part[part.0 as usize]).collect();
        for (part, inst) in loops {
            hand_over_less(module, caller, inst, part);
            work.push(part);
        }
    }
}

/// The parallel loops of a function: what runs a part, and where it stands.
fn loops(function: &Function) -> impl Iterator<Item = (FunctionId, Inst)> {
    let insts = function.blocks.iter().flat_map(|block| &block.insts);
    insts.filter_map(|&inst| match &function.insts[inst.0 as usize].op {
        Op::Parallel { function, .. } => Some((*function, inst)),
        _ => None,
    })
}

/// How a part comes by one of its parameters.
enum Source {
    /// As before.
    Argument,
    /// It is that constant.
    Constant(Vec<u64>),
    /// It is what that parameter in front of it is.
    Parameter(usize),
}

fn hand_over_less(module: &mut Module, caller: FunctionId, inst: Inst, part: FunctionId) {
    let function = &mut module.functions[caller.0 as usize];
    let Op::Parallel { arguments, .. } = &function.insts[inst.0 as usize].op else { unreachable!("a parallel loop") };
    let mut first = FxHashMap::default();
    let sources: Vec<Source> = arguments
        .iter()
        .enumerate()
        .map(|(index, argument)| match (function.definition(*argument), first.get(argument)) {
            (Some(Op::Const(bits)), _) => Source::Constant(bits.clone()),
            (_, Some(&earlier)) => Source::Parameter(earlier),
            (_, None) => {
                first.insert(*argument, index);
                Source::Argument
            }
        })
        .collect();
    let mut is_kept: Vec<bool> = sources.iter().map(|source| matches!(source, Source::Argument)).collect();
    let fewer = kept(arguments, &is_kept);
    // The two numbers of a part, behind the arguments.
    is_kept.extend([true; 2]);
    if let Op::Parallel { arguments, .. } = &mut function.insts[inst.0 as usize].op {
        *arguments = fewer;
    }

    let function = &mut module.functions[part.0 as usize];
    let parameters = function.blocks[0].parameters.clone();
    let mut replaced = FxHashMap::default();
    let mut constants = Vec::new();
    for (&parameter, source) in parameters.iter().zip(&sources) {
        match source {
            Source::Argument => {}
            Source::Parameter(earlier) => {
                replaced.insert(parameter, parameters[*earlier]);
            }
            Source::Constant(bits) => {
                let (inst, value) = function.create(Op::Const(bits.clone()), function.ty(parameter), function.span);
                constants.push(inst);
                replaced.insert(parameter, value);
            }
        }
    }
    function.replace_uses(&replaced);
    function.blocks[0].insts.splice(0..0, constants);
    function.parameters = kept(&function.parameters, &is_kept);
    function.parameter_flags = kept(&function.parameter_flags, &is_kept);
    function.keep_parameters(Block(0), &is_kept);
}
