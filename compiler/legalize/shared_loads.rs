//! Loads of first lanes that take many instructions, and are many: one function loads for all of them.
//!
//! ```text
//! m = firstlanes n                           function @first_i16x32(ptr, i32) -> (i16x32):
//! a = load i16x32 p, mask m                      m = firstlanes n;  return load i16x32 p, mask m
//! b = load i16x32 q, mask m       ──►
//! …                                          a = call @first_i16x32(p, n)
//! z = load i16x32 s, mask m                  b = call @first_i16x32(q, n);  …
//! ```
//! Where the machine has no masked loads of their size, such lanes are loaded in parts that overlap, which are chosen by their number: some ten
//! branches. At the end of a row of a stencil each neighbour would have its own, more code than all the loop before; it runs once a row, and
//! waits for the call no longer than for the branches.

use crate::machine::Machine;
use crate::source::Span;
use crate::vector::build::FunctionBuilder;
use crate::vector::ir::*;
use crate::vector::print::type_text;
use std::collections::BTreeMap;

/// So many loads of a type stay in their function.
const FEW: usize = 4;
/// Lanes of so many bytes are loaded in less time than a call takes.
const SHORT: u64 = 16;

/// A load of first lanes.
struct Load {
    inst: Inst,
    pointer: Value,
    count: Value,
}

/// Rewrites the loads of a module.
pub fn shared_loads(module: &mut Module, machine: &Machine) {
    let mut shared: BTreeMap<Type, FunctionId> = BTreeMap::new();
    for id in 0..module.functions.len() {
        let many = loads(&module.functions[id], machine).into_iter().filter(|(_, loads)| loads.len() > FEW);
        for (ty, loads) in many {
            let callee = *shared.entry(ty).or_insert_with(|| {
                let function = load_of_first(ty, module.functions[id].span);
                module.functions.push(function);
                FunctionId(module.functions.len() as u32 - 1)
            });
            for Load { inst, pointer, count } in loads {
                module.functions[id].insts[inst.0 as usize].op = Op::Call(callee, vec![pointer, count]);
            }
        }
    }
}

/// The loads of first lanes that the machine takes in parts, by their types.
fn loads(function: &Function, machine: &Machine) -> BTreeMap<Type, Vec<Load>> {
    let mut loads: BTreeMap<Type, Vec<Load>> = BTreeMap::new();
    for &inst in function.blocks.iter().flat_map(|block| &block.insts) {
        let InstData { op: Op::Load { pointer, mask: Some(mask) }, results, .. } = &function.insts[inst.0 as usize] else {
            continue;
        };
        let ty = function.ty(results[0]);
        let is_long =
            !machine.has_masked_moves(ty.element.size(), ty.length) && ty.element != Element::Bool && ty.bytes() > SHORT;
        if let Some(&Op::FirstLanes(count)) = function.definition(*mask)
            && is_long
        {
            loads.entry(ty).or_default().push(Load { inst, pointer: *pointer, count });
        }
    }
    loads
}

/// The function that loads the first lanes of a type.
fn load_of_first(ty: Type, span: Span) -> Function {
    let parameters = [Type::scalar(Element::Ptr), Type::scalar(Element::I32)];
    let mut b = FunctionBuilder::new(format!("first_{}", type_text(ty)), &parameters, &[ty], span);
    let (pointer, count) = (b.function_parameters()[0], b.function_parameters()[1]);
    let mask = b.first_lanes(count, ty.length);
    let value = b.load(ty, pointer, Some(mask));
    b.ret(&[value]);
    let mut function = b.finish();
    function.signature = format!("{} {}(pointer, count)", type_text(ty), function.name);
    function.inlining = Inlining::Never;
    function
}
