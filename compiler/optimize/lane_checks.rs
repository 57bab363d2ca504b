//! Indices of neighbouring lanes are checked by one comparison, and what was checked already is not checked again.
//!
//! ```text
//! i = add (splat b), <0, 1, … 7>
//! good = not any(not (compare.ult i, splat n))     ──►    good = compare.ult b, (umax n, 7) − 7
//! check good, lane …                                      check good, lane …
//! ```
//! All of b + c₀ … b + c₁ are below n if and only if b + c₀ is below n − (c₁ − c₀), where n is at most half of what there are numbers
//! without a sign and c₁ − c₀ is less: with b + c₀ and b + c₁ both below n, the one is the other plus their distance, which does not wrap
//! then; and what is below n − (c₁ − c₀) does not wrap either.
//!
//! Which lane failed is only computed where it is asked for. Where lane k is b + s · k, it is lane 0 if b is not below n, else the first one from which
//! on it is not, ⌈(n − b) / s⌉. What a message tells of that lane is computed for it alone:
//!
//! ```text
//! x = extract (convert.sext (mul (ramp b, 1), <3>)), lane      ──►      x = convert.sext (mul (add b, lane), 3)
//! ```
//! Checks stand in rounds that are seldom run, and are most of what there is to compile of them.
//!
//! It comes behind [`loop_checks`](super::loop_checks()), which asks the lanes of a tail as it asks those of a block.

use super::ranges::range;
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use crate::vector::writer::Writer;
use rustc_hash::FxHashMap;
use std::cmp::Ordering;

/// So many additions are looked through.
const DEPTH: u32 = 4;

/// Rewrites the checks of a function.
pub fn lane_checks(function: &mut Function) {
    let is_check = |inst: &Inst| matches!(function.insts[inst.0 as usize].op, Op::Check { .. });
    if !function.blocks.iter().any(|block| block.insts.iter().any(is_check)) {
        return;
    }
    let graph = Graph::new(function);
    let mut checked: FxHashMap<Value, Vec<Block>> = FxHashMap::default();
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
            let found = neighbours(function, condition);
            let mut writer = Writer { function: &mut *function, out: &mut out, span };
            let mut check = writer.function.insts[inst.0 as usize].op.clone();
            if let Op::Check { condition, lane, numbers, .. } = &mut check {
                if let Some(found) = &found {
                    *condition = found.write(&mut writer);
                }
                if let Some(named) = lane {
                    let failed = found.and_then(|found| found.failed(&mut writer)).unwrap_or(*named);
                    for number in numbers {
                        if let Some(&Op::Extract(lanes, of)) = writer.function.definition(*number)
                            && of == *named
                        {
                            *number = lane_of(&mut writer, lanes, failed, DEPTH);
                        }
                    }
                    *named = failed;
                }
            }
            function.insts[inst.0 as usize].op = check;
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
    /// What they grow by from each lane to the next, if that is the same for all.
    step: Option<u64>,
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
    let step = match sum.lanes[..] {
        [a, b, ..] if b > a && sum.lanes.windows(2).all(|pair| pair[1] - pair[0] == b - a) => Some((b - a) as u64),
        _ => None,
    };
    is_found.then_some(Neighbours { scalars: sum.scalars, first, distance: distance as u64, step, limit })
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

/// What a vector has in a lane, computed for that lane alone as far as it is computed lane by lane.
fn lane_of(writer: &mut Writer<'_>, lanes: Value, lane: Value, depth: u32) -> Value {
    let ty = writer.function.ty(lanes).with_length(1);
    let extract = |writer: &mut Writer<'_>| writer.emit(Op::Extract(lanes, lane), ty);
    let Some(op) = writer.function.definition(lanes).filter(|_| depth > 0).cloned() else { return extract(writer) };
    match op {
        Op::Splat(scalar) => scalar,
        Op::Const(bits) if bits.iter().all(|lane| *lane == bits[0]) => number(writer, bits[0], ty),
        Op::Const(bits) => match progression(&bits, ty.element.bits()) {
            Some(step) => {
                let first = number(writer, bits[0], ty);
                along(writer, first, step, lane)
            }
            None => extract(writer),
        },
        Op::Ramp { base, step, exact: _ } => along(writer, base, step as u64, lane),
        Op::Convert(op @ (ConvertOp::SExt | ConvertOp::ZExt | ConvertOp::Trunc), from)
            if writer.function.ty(from).element.is_int() =>
        {
            let from = lane_of(writer, from, lane, depth - 1);
            writer.emit(Op::Convert(op, from), ty)
        }
        Op::Binary(op @ (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul), a, b) => {
            let [a, b] = [a, b].map(|side| lane_of(writer, side, lane, depth - 1));
            writer.emit(Op::Binary(op, a, b), ty)
        }
        _ => extract(writer),
    }
}

/// What constants grow by from each lane to the next, modulo 2ⁿ, if that is the same for all.
fn progression(bits: &[u64], width: u32) -> Option<u64> {
    let mask = u64::MAX >> (64 - width);
    let step = bits.get(1)?.wrapping_sub(bits[0]) & mask;
    bits.windows(2).all(|pair| pair[1].wrapping_sub(pair[0]) & mask == step).then_some(step)
}

/// What numbers that begin with this one and grow by as much from lane to lane are in a lane (i32×1).
fn along(writer: &mut Writer<'_>, first: Value, step: u64, lane: Value) -> Value {
    let ty = writer.function.ty(first);
    let lane = match ty.element.bits().cmp(&32) {
        Ordering::Less => writer.emit(Op::Convert(ConvertOp::Trunc, lane), ty),
        Ordering::Equal => lane,
        Ordering::Greater => writer.emit(Op::Convert(ConvertOp::ZExt, lane), ty),
    };
    let step = number(writer, step, ty);
    let behind = writer.emit(Op::Binary(BinaryOp::Mul, lane, step), ty);
    writer.emit(Op::Binary(BinaryOp::Add, first, behind), ty)
}

fn number(writer: &mut Writer<'_>, number: u64, ty: Type) -> Value {
    writer.emit(Op::Const(vec![number & (u64::MAX >> (64 - ty.element.bits()))]), ty)
}

impl Neighbours {
    /// The number of the lane with the least constant.
    fn least(&self, writer: &mut Writer<'_>) -> Value {
        let ty = writer.function.ty(self.limit);
        let mut first = self.scalars[0];
        for &scalar in &self.scalars[1..] {
            first = writer.emit(Op::Binary(BinaryOp::Add, first, scalar), ty);
        }
        if self.first != 0 {
            let by = number(writer, self.first as u64, ty);
            first = writer.emit(Op::Binary(BinaryOp::Add, first, by), ty);
        }
        first
    }

    /// The first lane (i32×1) that is not below the limit, where one is not.
    fn failed(&self, writer: &mut Writer<'_>) -> Option<Value> {
        let step = self.step?;
        let ty = writer.function.ty(self.limit);
        let first = self.least(writer);
        let is_below = writer.emit(Op::Compare(CompareOp::ULt, first, self.limit), Type::scalar(Element::Bool));
        let mut distance = writer.emit(Op::Binary(BinaryOp::Sub, self.limit, first), ty);
        if step > 1 {
            let more = number(writer, step - 1, ty);
            let by = number(writer, step, ty);
            let sum = writer.emit(Op::Binary(BinaryOp::Add, distance, more), ty);
            distance = writer.emit(Op::Binary(BinaryOp::UDiv, sum, by), ty);
        }
        let zero = number(writer, 0, ty);
        let lane = writer.emit(Op::Select(is_below, distance, zero), ty);
        let of_lane = Type::scalar(Element::I32);
        Some(if ty == of_lane { lane } else { writer.emit(Op::Convert(ConvertOp::Trunc, lane), of_lane) })
    }

    /// Writes the comparison.
    fn write(&self, writer: &mut Writer<'_>) -> Value {
        let ty = writer.function.ty(self.limit);
        let first = self.least(writer);
        let distance = number(writer, self.distance, ty);
        let limit = writer.emit(Op::Binary(BinaryOp::UMax, self.limit, distance), ty);
        let limit = writer.emit(Op::Binary(BinaryOp::Sub, limit, distance), ty);
        writer.emit(Op::Compare(CompareOp::ULt, first, limit), Type::scalar(Element::Bool))
    }
}
