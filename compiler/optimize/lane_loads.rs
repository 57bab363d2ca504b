//! A lane of a load is a load of that lane.
//!
//! ```text
//! v = load p                             i = and k, 3
//! x = extract v, k               ──►     q = ptrindex p, i, scale 4
//!                                        x = load q
//! ```
//! `get(b[j].x, k)` with a k that only the run knows would send the whole vector through memory to pick a lane. The load
//! has no mask, so that all lanes can be read, and nothing is written between it and the extraction, which stands in the
//! same block.

use crate::vector::ir::*;
use rustc_hash::FxHashMap;

/// Rewrites extractions at unknown positions in a function.
pub fn lane_loads(function: &mut Function) {
    for block in 0..function.blocks.len() {
        let insts = std::mem::take(&mut function.blocks[block].insts);
        let mut out = Vec::with_capacity(insts.len());
        // Loaded since the last write, with their addresses.
        let mut loaded: FxHashMap<Value, Value> = FxHashMap::default();
        for inst in insts {
            let data = &function.insts[inst.0 as usize];
            match data.op {
                Op::Load { pointer, mask: None } => drop(loaded.insert(data.results[0], pointer)),
                Op::Extract(vector, index) if !matches!(function.definition(index), Some(Op::Const(_))) => {
                    if let Some(&pointer) = loaded.get(&vector) {
                        load_lane(function, &mut out, inst, pointer, vector, index);
                    }
                }
                ref op if op.has_effect() => loaded.clear(),
                _ => {}
            }
            out.push(inst);
        }
        function.blocks[block].insts = out;
    }
}

/// Makes `inst`, which extracts a lane of `vector`, a load behind `pointer`.
fn load_lane(function: &mut Function, out: &mut Vec<Inst>, inst: Inst, pointer: Value, vector: Value, index: Value) {
    let (span, ty) = (function.insts[inst.0 as usize].span, function.ty(vector));
    let mut create = |op, ty| {
        let (inst, value) = function.create(op, ty, span);
        out.push(inst);
        value
    };
    let number = Type::scalar(Element::I32);
    let last = create(Op::Const(vec![u64::from(ty.length) - 1]), number);
    let index = create(Op::Binary(BinaryOp::And, index, last), number);
    let lane = Op::PtrIndex { base: pointer, index, scale: ty.element.size(), offset: 0 };
    let pointer = create(lane, Type::scalar(Element::Ptr));
    function.insts[inst.0 as usize].op = Op::Load { pointer, mask: None };
}
