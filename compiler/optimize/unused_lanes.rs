//! What no loop calls for its lanes is left out.
//!
//! ```text
//! lanes @f.1: @f.5
//! lanes @g.2: @g.6
//! function @f.5(boolx8, f32x8)               function @f.5(boolx8, f32x8)
//! function @g.6(boolx8, f32x8)       ──►     function @sum(ptr, i32): call @f.5(…)
//! function @sum(ptr, i32): call @f.5(…)
//! ```
//! Which loops become lanes is known now ([`vectorized_rounds`](super::vectorized_rounds())); no pass behind it calls another one.

use crate::vector::ir::*;

/// Drops these functions of a module.
pub fn unused_lanes(module: &mut Module) {
    let lanes = std::mem::take(&mut module.lanes);
    if lanes.is_empty() {
        return;
    }
    // What only these call goes with them.
    let all = (0..module.functions.len() as u32).map(FunctionId);
    let of_lanes = reached(module, lanes.iter().map(|of| of.lanes));
    let is_used = reached(module, all.filter(|id| !of_lanes[id.0 as usize]));
    let mut numbers = Vec::new();
    let mut next = 0;
    for &is_used in &is_used {
        numbers.push(FunctionId(next));
        next += u32::from(is_used);
    }
    let mut used = is_used.iter();
    module.functions.retain(|_| used.next() == Some(&true));
    for inst in module.functions.iter_mut().flat_map(|function| &mut function.insts) {
        if let Op::Call(function, _) | Op::Parallel { function, .. } = &mut inst.op {
            *function = numbers[function.0 as usize];
        }
    }
}

/// Which functions are called from some, these with them?
fn reached(module: &Module, from: impl Iterator<Item = FunctionId>) -> Vec<bool> {
    let (mut found, mut work) = (vec![false; module.functions.len()], from.collect::<Vec<_>>());
    while let Some(id) = work.pop() {
        if std::mem::replace(&mut found[id.0 as usize], true) {
            continue;
        }
        let function = &module.functions[id.0 as usize];
        for &inst in function.blocks.iter().flat_map(|block| &block.insts) {
            if let Op::Call(callee, _) | Op::Parallel { function: callee, .. } = function.insts[inst.0 as usize].op {
                work.push(callee);
            }
        }
    }
    found
}
