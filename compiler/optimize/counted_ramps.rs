//! Numbers of lanes that a loop counts with are kept in lanes.
//!
//! ```text
//!                                                 s = ramp (trunc a), 1
//! block1(i):            i from a on           block1(i, r):       r from s on
//!     u = ramp (trunc i), 1                       u = r
//!     v = ramp (trunc i) + 8, 1       ──►         v = add r, 8
//!     … u … v …                                   … u … v …
//!     jump block1(i + 16)                         t = add r, 16
//!                                                 jump block1(i + 16, t)
//! ```
//! The index of a `foreach`, where it is a number and not an address, is a scalar that is sent to all lanes, and the numbers of the lanes, in every round: three instructions, of
//! which two are of the port that shuffles. As lanes it is one addition.
//!
//! # What is looked for
//! Ramps of no more than a register in innermost loops with a counter, at which every round looks. Those a constant apart are made of one.

use super::counted_loop::{CountedLoop, growth};
use super::surroundings::Surroundings;
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use crate::vector::writer::Writer;
use rustc_hash::{FxHashMap, FxHashSet};

/// So many operations of the number that a ramp begins with are followed.
const DEPTH: u32 = 6;

/// Rewrites the ramps of a function's loops.
pub fn counted_ramps(function: &mut Function, around: Surroundings<'_>) {
    if !function.insts.iter().any(|inst| matches!(inst.op, Op::Ramp { .. })) {
        return;
    }
    let graph = Graph::new(function);
    for &header in &graph.order {
        let Some(mut found) = CountedLoop::of(function, &graph, header).filter(CountedLoop::is_innermost) else { continue };
        let ramps = ramps(function, &found, around);
        let mut groups: Vec<Vec<Ramp>> = Vec::new();
        for ramp in ramps {
            match groups.iter_mut().find(|group| group[0].is_beside(&ramp)) {
                Some(group) => group.push(ramp),
                None => groups.push(vec![ramp]),
            }
        }
        for group in groups {
            count(function, &mut found, &group);
        }
    }
    function.sort_blocks();
}

/// Lanes that begin with a constant behind some number, which grows each round.
#[derive(Clone, Copy)]
struct Ramp {
    value: Value,
    ty: Type,
    step: i64,
    /// What it begins with, but for a constant and for bits that are cut off.
    root: Value,
    behind: u64,
    /// What it grows by each round.
    growth: u64,
}

impl Ramp {
    fn is_beside(&self, other: &Ramp) -> bool {
        (self.root, self.ty, self.step) == (other.root, other.ty, other.step)
    }
}

/// The ramps of a loop at which every round looks.
fn ramps(function: &Function, around: &CountedLoop, Surroundings { machine, .. }: Surroundings<'_>) -> Vec<Ramp> {
    let insts = |block: &Block| function.blocks[block.0 as usize].insts.iter().map(|inst| &function.insts[inst.0 as usize]);
    let mut looked_at = FxHashSet::default();
    for data in around.blocks.iter().flat_map(insts) {
        data.op.for_each(|operand| {
            looked_at.insert(operand);
        });
    }
    let ramp = |data: &InstData| {
        let &Op::Ramp { base, step, exact: _ } = &data.op else { return None };
        let (value, ty) = (data.results[0], function.ty(data.results[0]));
        let is_short = ty.element.is_int() && u32::from(ty.length) <= u32::from(machine.lanes(ty.element.size()));
        if !is_short || !looked_at.contains(&value) {
            return None;
        }
        let (root, behind) = root(function, base);
        let is_inside = |value: Value| around.inside.contains(&value);
        let growth = growth(function, around.counter.value, &is_inside, root, DEPTH)?.wrapping_mul(around.counter.step);
        (growth != 0).then_some(Ramp { value, ty, step, root, behind, growth })
    };
    around.all.iter().flat_map(insts).filter_map(ramp).collect()
}

/// A number as another one and a constant, modulo what is cut off.
fn root(function: &Function, mut value: Value) -> (Value, u64) {
    let constant = |value: Value| match function.definition(value) {
        Some(Op::Const(bits)) => Some(bits[0]),
        _ => None,
    };
    let mut behind: u64 = 0;
    loop {
        value = match function.definition(value) {
            Some(&Op::Convert(ConvertOp::Trunc, from)) => from,
            Some(&Op::Binary(BinaryOp::Add, a, b)) => match (constant(a), constant(b)) {
                (_, Some(by)) => {
                    behind = behind.wrapping_add(by);
                    a
                }
                (Some(by), None) => {
                    behind = behind.wrapping_add(by);
                    b
                }
                (None, None) => return (value, behind),
            },
            _ => return (value, behind),
        };
    }
}

/// Makes ramps that are a constant apart of one that is handed from round to round.
fn count(function: &mut Function, around: &mut CountedLoop, ramps: &[Ramp]) {
    let first @ Ramp { ty, step, .. } = ramps[0];
    let mask = u64::MAX >> (64 - ty.element.bits());
    let mut before = around.before(function);
    let start = before.again(
        first.root,
        &|_, value| around.inside.contains(&value),
        &mut FxHashMap::from_iter([(around.counter.value, around.start)]),
    );
    let (of_root, scalar) = (before.function.ty(start), ty.with_length(1));
    let start = match of_root == scalar {
        true => start,
        false => before.emit(Op::Convert(ConvertOp::Trunc, start), scalar),
    };
    let base = match first.behind & mask {
        0 => start,
        behind => {
            let behind = before.number(behind, scalar);
            before.emit(Op::Binary(BinaryOp::Add, start, behind), scalar)
        }
    };
    let start = before.emit(Op::Ramp { base, step, exact: false }, ty);
    let lanes = around.parameter(function, ty, start, |latch, lanes| {
        let growth = latch.number(first.growth & mask, ty);
        latch.emit(Op::Binary(BinaryOp::Add, lanes, growth), ty)
    });
    let mut same = FxHashMap::default();
    for ramp in ramps {
        let apart = ramp.behind.wrapping_sub(first.behind) & mask;
        if apart == 0 {
            same.insert(ramp.value, lanes);
            continue;
        }
        let ValueDef::Result(inst, _) = function.values[ramp.value.0 as usize].def else { unreachable!("a ramp is a result") };
        let span = function.insts[inst.0 as usize].span;
        let block = around
            .all
            .iter()
            .copied()
            .find(|block| function.blocks[block.0 as usize].insts.contains(&inst))
            .expect("a block of the loop");
        let insts = std::mem::take(&mut function.blocks[block.0 as usize].insts);
        let mut out = Vec::with_capacity(insts.len() + 1);
        for other in insts {
            if other == inst {
                let apart = Writer { function, out: &mut out, span }.emit(Op::Const(vec![apart]), ty);
                function.insts[inst.0 as usize].op = Op::Binary(BinaryOp::Add, lanes, apart);
            }
            out.push(other);
        }
        function.blocks[block.0 as usize].insts = out;
    }
    function.replace_uses(&same);
}
