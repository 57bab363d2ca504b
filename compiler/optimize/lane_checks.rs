//! Indices of neighbouring lanes are checked by one comparison, and what was checked already is not checked again.
//!
//! ```text
//! i = add (splat b), <0, 1, … 7>
//! good = not any(not (compare.ult i, splat n))     ──►    good = compare.ult b, (umax n, 7) − 7
//! check good, lane …                                      check good, lane …
//! ```
//! All of b + c₀ … b + c₁ are below n if and only if b + c₀ is below n − (c₁ − c₀), where n is at most half of what there are numbers
//! without a sign and c₁ − c₀ is less: with b + c₀ and b + c₁ both below n, the one is the other plus their distance, which does not wrap
//! then; and what is below n − (c₁ − c₀) does not wrap either. Which lane failed is still found out by all of them; that is only computed
//! where it is asked for.
//!
//! It comes behind [`loop_checks`](super::loop_checks()), which asks the lanes of a tail as it asks those of a block.

use super::ranges::range;
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use crate::vector::writer::Writer;
use std::collections::HashMap;

/// So many additions are looked through.
const DEPTH: u32 = 4;

/// Rewrites the checks of a function.
pub fn lane_checks(function: &mut Function) {
    let is_check = |inst: &Inst| matches!(function.insts[inst.0 as usize].op, Op::Check { .. });
    if !function.blocks.iter().any(|block| block.insts.iter().any(is_check)) {
        return;
    }
    let graph = Graph::new(function);
    let mut checked: HashMap<Value, Vec<Block>> = HashMap::new();
    for &block in &graph.order {
        let insts = std::mem::take(&mut function.blocks[block.0 as usize].insts);
        let mut out = Vec::with_capacity(insts.len());
        for inst in insts {
            let InstData { op: Op::Check { condition, .. }, span, .. } = function.insts[inst.0 as usize] else {
                out.push(inst);
                continue;
            };
            let before = checked.entry(condition).or_default();
            if before.iter().any(|&before| graph.dominates(before, block)) {
                continue;
            }
            before.push(block);
            if let Some(neighbours) = neighbours(function, condition) {
                let mut writer = Writer { function: &mut *function, out: &mut out, span };
                let good = neighbours.write(&mut writer);
                if let Op::Check { condition, .. } = &mut function.insts[inst.0 as usize].op {
                    *condition = good;
                }
            }
            out.push(inst);
        }
        function.blocks[block.0 as usize].insts = out;
    }
}

/// Lanes that are a sum of scalars plus a constant each, and are to be below a limit.
struct Neighbours {
    scalars: Vec<Value>,
    /// The least of the constants.
    first: i64,
    /// How much greater the greatest one is.
    distance: u64,
    limit: Value,
}

/// What a condition says, if it says that of all lanes.
fn neighbours(function: &Function, condition: Value) -> Option<Neighbours> {
    let Op::Unary(UnaryOp::Not, any) = *function.definition(condition)? else { return None };
    let Op::Any(bad) = *function.definition(any)? else { return None };
    let Op::Unary(UnaryOp::Not, good) = *function.definition(bad)? else { return None };
    let Op::Compare(CompareOp::ULt, index, limit) = *function.definition(good)? else { return None };
    let Op::Splat(limit) = *function.definition(limit)? else { return None };
    let mut sum = Sum { scalars: Vec::new(), lanes: vec![0; function.ty(index).length.into()] };
    sum.add(function, index, DEPTH)?;
    let (first, last) = (*sum.lanes.iter().min()?, *sum.lanes.iter().max()?);
    let half = 1i128 << (function.ty(limit).element.bits() - 1);
    let distance = i128::from(last) - i128::from(first);
    let is_found = !sum.scalars.is_empty() && distance < half && is_at_most(function, limit, half);
    is_found.then_some(Neighbours { scalars: sum.scalars, first, distance: distance as u64, limit })
}

/// Is a number without a sign at most `half`, the first one that would be negative?
fn is_at_most(function: &Function, limit: Value, half: i128) -> bool {
    let fits = |(low, high): (i64, i64)| low >= 0 && i128::from(high) <= half;
    match function.definition(limit) {
        Some(&Op::Convert(ConvertOp::Trunc, wide)) => fits(range(function, wide)),
        _ => fits(range(function, limit)),
    }
}

/// A vector, as what all of its lanes have in common and what each has of its own.
struct Sum {
    scalars: Vec<Value>,
    lanes: Vec<i64>,
}

impl Sum {
    fn add(&mut self, function: &Function, value: Value, depth: u32) -> Option<()> {
        let ty = function.ty(value);
        match *function.definition(value)? {
            Op::Splat(scalar) => self.scalars.push(scalar),
            Op::Const(ref bits) => {
                let unused = 64 - ty.element.bits();
                for lane in 0..self.lanes.len() {
                    let number = (bits[lane % bits.len()] << unused) as i64 >> unused;
                    self.lanes[lane] = self.lanes[lane].checked_add(number)?;
                }
            }
            Op::Ramp { base, step, exact: _ } => {
                self.scalars.push(base);
                for (number, lane) in (0..).zip(&mut self.lanes) {
                    *lane = lane.checked_add(step.checked_mul(number)?)?;
                }
            }
            Op::Binary(BinaryOp::Add, a, b) if depth > 0 => {
                self.add(function, a, depth - 1)?;
                self.add(function, b, depth - 1)?;
            }
            _ => return None,
        }
        Some(())
    }
}

impl Neighbours {
    /// Writes the comparison.
    fn write(self, writer: &mut Writer<'_>) -> Value {
        let ty = writer.function.ty(self.limit);
        let mut first = self.scalars[0];
        for &scalar in &self.scalars[1..] {
            first = writer.emit(Op::Binary(BinaryOp::Add, first, scalar), ty);
        }
        let number = |writer: &mut Writer<'_>, number: u64| {
            writer.emit(Op::Const(vec![number & (u64::MAX >> (64 - ty.element.bits()))]), ty)
        };
        if self.first != 0 {
            let by = number(writer, self.first as u64);
            first = writer.emit(Op::Binary(BinaryOp::Add, first, by), ty);
        }
        let distance = number(writer, self.distance);
        let limit = writer.emit(Op::Binary(BinaryOp::UMax, self.limit, distance), ty);
        let limit = writer.emit(Op::Binary(BinaryOp::Sub, limit, distance), ty);
        writer.emit(Op::Compare(CompareOp::ULt, first, limit), Type::scalar(Element::Bool))
    }
}
