//! What is computed already is not computed again.
//!
//! ```text
//! p = ptrindex a, i, scale 4             p = ptrindex a, i, scale 4
//! store p, x                             store p, x
//! q = ptrindex a, i, scale 4     ──►     store p, y
//! store q, y
//! ```
//! Two operations without effect on the same operands are the same value, if one dominates the other; so are a number and its sum with 0, which is left
//! where a loop was written out. A constant in a product of three is its last factor, so that `2 * w * h` is twice what `w * h` is. Loads are left to
//! LLVM, which knows more of memory; what counts here is that passes behind this one compare addresses by looking at
//! values.

use crate::vector::graph::Graph;
use crate::vector::ir::*;
use rustc_hash::FxHashMap;

/// Replaces repeated computations in a function.
pub fn common_values(function: &mut Function) {
    let graph = Graph::new(function);
    let mut seen: FxHashMap<(Op, Type), Vec<(Block, Value)>> = FxHashMap::default();
    let mut same: FxHashMap<Value, Value> = FxHashMap::default();
    for &block in &graph.order {
        let insts = std::mem::take(&mut function.blocks[block.0 as usize].insts);
        let mut kept = Vec::with_capacity(insts.len());
        for inst in insts {
            let data = &mut function.insts[inst.0 as usize];
            data.op.for_each_mut(|value| *value = *same.get(value).unwrap_or(value));
            if let Some((product, constant)) = reordered(function, inst) {
                let ty = function.ty(constant);
                let known = seen.entry((product.clone(), ty)).or_default();
                let value = match there(&graph, known, block) {
                    Some(value) => value,
                    None => {
                        let span = function.insts[inst.0 as usize].span;
                        let (made, value) = function.create(product, ty, span);
                        known.push((block, value));
                        kept.push(made);
                        value
                    }
                };
                function.insts[inst.0 as usize].op = Op::Binary(BinaryOp::Mul, value, constant);
            }
            let data = &function.insts[inst.0 as usize];
            if let Some(number) = unchanged(function, &data.op) {
                same.insert(data.results[0], number);
                continue;
            }
            if let [result] = data.results[..]
                && is_computed(&data.op)
            {
                let known = seen.entry((data.op.clone(), function.ty(result))).or_default();
                if let Some(value) = there(&graph, known, block) {
                    same.insert(result, value);
                    continue;
                }
                known.push((block, result));
            }
            kept.push(inst);
        }
        function.blocks[block.0 as usize].insts = kept;
    }
    function.replace_uses(&same);
}

/// The value among these, each computed in a block, that is there in another block.
fn there(graph: &Graph, known: &[(Block, Value)], block: Block) -> Option<Value> {
    known.iter().find(|(at, _)| graph.dominates(*at, block)).map(|&(_, value)| value)
}

/// The product of two numbers that are no constants, and the constant by which it is multiplied, where an instruction multiplies a product by a constant with
/// another number: of scalars, as addresses are computed of.
fn reordered(function: &Function, inst: Inst) -> Option<(Op, Value)> {
    let factors = |op: &Op| match *op {
        Op::Binary(BinaryOp::Mul, a, b) => Some((a, b)),
        _ => None,
    };
    let is_constant = |value: Value| matches!(function.definition(value), Some(Op::Const(_)));
    let (a, b) = factors(&function.insts[inst.0 as usize].op)?;
    if function.ty(a).length > 1 || is_constant(a) || is_constant(b) {
        return None;
    }
    [(a, b), (b, a)].into_iter().find_map(|(product, other)| {
        let (x, y) = factors(function.definition(product)?)?;
        let (number, constant) = if is_constant(y) { (x, y) } else { (y, x) };
        let product = Op::Binary(BinaryOp::Mul, number, other);
        (is_constant(constant) && !is_constant(number)).then_some((product, constant))
    })
}

/// The number of which an operation makes the same.
fn unchanged(function: &Function, op: &Op) -> Option<Value> {
    let is = |value: Value, number: u64| {
        function.ty(value).element.is_int() && matches!(function.definition(value), Some(Op::Const(bits)) if bits[..] == [number])
    };
    let (is_zero, is_one) = (|value: Value| is(value, 0), |value: Value| is(value, 1));
    match *op {
        Op::Binary(BinaryOp::Mul, a, b) if is_one(b) => Some(a),
        Op::Binary(BinaryOp::Mul, a, b) if is_one(a) => Some(b),
        Op::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) if is_zero(b) => Some(a),
        Op::Binary(BinaryOp::Add, a, b) if is_zero(a) => Some(b),
        _ => None,
    }
}

/// Is the result given by the operands alone? An unset value is not: it may be another each time it is made.
fn is_computed(op: &Op) -> bool {
    match op {
        Op::Unset | Op::Load { .. } | Op::StreamingLoad { .. } | Op::Gather { .. } | Op::StridedLoad { .. } => false,
        other => !other.has_effect(),
    }
}
