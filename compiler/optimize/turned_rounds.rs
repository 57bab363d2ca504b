//! Rounds of a loop in which lanes are stored, or loaded, each in a row of its own run beside each other: their neighbours are squares.
//!
//! ```text
//! for y:                                       while y ≤ n − 4:
//!     for x in blocks:                             for x in blocks:
//!         v = load a[y][x]                             v, w, t, u = load a[y][x], a[y + 1][x], a[y + 2][x], a[y + 3][x]
//!         scatter o[x][y], v               ──►         scatter o[x][y], v;  scatter o[x][y + 1], w;  …
//!                                                      assume the rows of o are at least 4 long
//!                                                  y += 4
//!                                              for y:  as it was
//! ```
//! So an image or a matrix is turned, `o[x * n + y] = a[y * m + x]`, whichever index has the lanes. By itself each lane is stored alone, in another
//! row of memory; where as many neighbours are at hand as 128 bits hold, they are a square, which [`interleaved_stores`](super::interleaved_stores)
//! and [`transposed_loads`](super::transposed_loads) transpose: each row has its neighbours stored, or loaded, at once.
//!
//! That rounds may run so, and what must hold in front of them, is what [`jammed_loops`](super::jammed_loops) knows of nests.

use super::jammed_loops::{MAX_LOOPS, Nest, column, jam};
use super::transposed_loads::ROW;
use crate::vector::graph::Graph;
use crate::vector::ir::*;

/// The instructions of a loop, and of all its copies.
const MAX_INSTS: usize = 1500;
/// So many lanes may be stored one by one at the ends of all rounds.
const MAX_LANES: u64 = 128;
/// So many operations are looked through for how much an address grows.
const DEPTH: u32 = 12;

/// Runs rounds of a function's loops beside each other.
pub fn turned_rounds(function: &mut Function) {
    let mut graph = Graph::new(function);
    let headers: Vec<Block> = graph.order.iter().copied().filter(|&block| graph.innermost_loop(block) == Some(block)).collect();
    if headers.len() < 2 || headers.len() > MAX_LOOPS {
        return;
    }
    let mut is_changed = false;
    for header in headers.into_iter().rev() {
        let Some(nest) = Nest::of(function, &graph, header) else { continue };
        let Some((size, pace)) = stored_apart(function, &graph, &nest).or_else(|| loaded_apart(function, &graph, &nest)) else {
            continue;
        };
        let rounds = (ROW / size) as usize;
        let lanes = lanes_at_the_end(function, &nest) * rounds as u64;
        if rounds < 2 || nest.insts(function) * rounds > MAX_INSTS || lanes > MAX_LANES {
            continue;
        }
        let before = function.blocks.len();
        jam(function, &graph, &nest, rounds);
        if let Some(pace) = pace {
            (before..function.blocks.len()).for_each(|block| assume_apart(function, block, pace, rounds as u64));
        }
        graph = Graph::new(function);
        is_changed = true;
    }
    if is_changed {
        function.sort_blocks();
    }
}

/// The size of what a nest stores in columns that move by one from round to round, and how far its lanes are apart.
fn stored_apart(function: &Function, graph: &Graph, nest: &Nest) -> Option<(u64, Option<Value>)> {
    let insts =
        nest.blocks.iter().flat_map(|&block| function.blocks[block.0 as usize].insts.iter().map(move |&inst| (block, inst)));
    let mut columns = insts.filter_map(|(block, inst)| {
        let data = &function.insts[inst.0 as usize];
        let Op::Scatter { value, mask: None, .. } = data.op else { return None };
        let ty = function.ty(value);
        let fills_squares =
            u64::from(ty.length) * ty.element.size() >= ROW && !matches!(ty.element, Element::Bool | Element::Ptr);
        let (column, _) = column(function, graph, nest, block, data).filter(|_| fills_squares)?;
        Some((ty.element.size(), Some(column.pace)))
    });
    columns.next()
}

/// How many lanes a round stores under masks, one by one where they are in rows of their own.
fn lanes_at_the_end(function: &Function, nest: &Nest) -> u64 {
    let insts = nest.blocks.iter().flat_map(|&block| &function.blocks[block.0 as usize].insts);
    let lanes = insts.map(|inst| match function.insts[inst.0 as usize].op {
        Op::Scatter { value, mask: Some(_), .. } => u64::from(function.ty(value).length),
        _ => 0,
    });
    lanes.sum()
}

/// The size of what the lanes of an inner loop load one by one, at places that move by one from round to round.
fn loaded_apart(function: &Function, graph: &Graph, nest: &Nest) -> Option<(u64, Option<Value>)> {
    let blocks = nest.blocks.iter().filter(|&&block| graph.innermost_loop(block) != Some(nest.header));
    let mut found = blocks.filter_map(|&block| {
        let insts = &function.blocks[block.0 as usize].insts;
        let put_together: Vec<Value> = (insts.iter())
            .filter_map(|inst| match function.insts[inst.0 as usize].op {
                Op::Insert(_, lane, _) => Some(lane),
                _ => None,
            })
            .collect();
        let mut lanes = insts.iter().filter_map(|inst| {
            let InstData { op: Op::Load { pointer, mask: None }, results, .. } = &function.insts[inst.0 as usize] else {
                return None;
            };
            let size = function.ty(results[0]).element.size();
            let is_lane = put_together.contains(&results[0]) && grows(function, nest, *pointer, DEPTH) == Some(size);
            is_lane.then_some(size)
        });
        let size = lanes.next()?;
        (1 + lanes.count() as u64 >= ROW / size).then_some((size, None))
    });
    found.next()
}

/// How many bytes an address grows from round to round, if that is a constant, modulo 2⁶⁴.
fn grows(function: &Function, nest: &Nest, pointer: Value, depth: u32) -> Option<u64> {
    match function.definition(pointer) {
        Some(&Op::PtrOffset(base, _)) if depth > 0 => grows(function, nest, base, depth - 1),
        Some(&Op::PtrIndex { base, index, scale, .. }) if depth > 0 => {
            let mut index = index;
            if let Some(&Op::Convert(ConvertOp::SExt, from)) = function.definition(index) {
                index = from;
            }
            let by = nest.slope(function, index, depth)?.wrapping_mul(scale).wrapping_mul(nest.counter.step);
            Some(grows(function, nest, base, depth - 1)?.wrapping_add(by))
        }
        _ if nest.varying.contains(&pointer) => None,
        _ => Some(0),
    }
}

/// Where a block scatters, lanes are so many elements apart at least: that was asked in front of it.
fn assume_apart(function: &mut Function, block: usize, pace: Value, least: u64) {
    let insts = function.blocks[block].insts.clone();
    let Some(&first) = insts.iter().find(|inst| matches!(function.insts[inst.0 as usize].op, Op::Scatter { .. })) else { return };
    let span = function.insts[first.0 as usize].span;
    let (bound, least) = function.create(Op::Const(vec![least]), function.ty(pace), span);
    let (asked, is_apart) = function.create(Op::Compare(CompareOp::SGe, pace, least), Type::scalar(Element::Bool), span);
    let assumed = Inst(function.insts.len() as u32);
    function.insts.push(InstData { op: Op::Assume(is_apart), results: Vec::new(), span });
    function.blocks[block].insts.splice(0..0, [bound, asked, assumed]);
}
