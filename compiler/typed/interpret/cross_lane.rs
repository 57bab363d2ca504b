//! Built-ins whose lanes look at other lanes (language.md §7). Reductions and scans are over the active lanes; the others
//! take lanes whatever P.

use super::arithmetic::{self, integer};
use super::builtins::extremum;
use super::{Interpreter, Lane, Result, Value};
use crate::typed::ir::{BinaryOp, CompareOp, CrossOp, Expr, ReduceOp};
use crate::types::Element;

impl Interpreter<'_> {
    /// A built-in whose lanes look at others, of which `e` is the call.
    pub(super) fn cross_lane(&mut self, op: CrossOp, operands: &[Expr], e: &Expr) -> Result<Value> {
        let v = self.expression(&operands[0])?;
        let leaf = self.layouts.leaf(v.ty);
        let length = i128::from(leaf.length);
        let mask = self.frame.mask;
        let active = |lane: &u8| mask.governs(leaf.length, *lane);
        let lanes: Vec<Lane> = (0..leaf.length).map(|lane| v.lane(&leaf, lane)).collect();
        let truths = || (0..leaf.length).filter(active).map(|lane| lanes[usize::from(lane)]);
        let scalar = |this: &Self, lane: Lane| Ok(this.layouts.vector(e.ty, |_| lane));
        // Lane i takes the lane that `from` names; zero where it names none.
        let moved = |this: &Self, from: &dyn Fn(i128) -> Option<i128>| {
            Ok(this.layouts.vector(e.ty, |i| from(i.into()).map_or(Lane::set(0), |lane| lanes[lane as usize])))
        };
        match op {
            CrossOp::Any => {
                let any = truths().fold(Lane::set(0), |a, b| a.with(b, |a, b| a | b));
                scalar(self, any)
            }
            CrossOp::All => {
                let all = truths().fold(Lane::set(1), |a, b| a.with(b, |a, b| a & b));
                scalar(self, all)
            }
            CrossOp::None => {
                let any = truths().fold(Lane::set(0), |a, b| a.with(b, |a, b| a | b));
                scalar(self, any.map(|any| any ^ 1))
            }
            CrossOp::PopcountMask => {
                let count = truths().fold(Lane::set(0), |a, b| a.with(b, |a, b| a + b));
                scalar(self, count)
            }
            CrossOp::ReduceEqual => {
                let mut on = truths();
                let Some(first) = on.next() else { return scalar(self, Lane::set(1)) };
                let same = |x, y| u64::from(arithmetic::compare(CompareOp::Equal, leaf.element, x, y));
                let equal = first.with(first, same);
                scalar(self, on.fold(equal, |all, lane| all.with(lane.with(first, same), |a, b| a & b)))
            }
            CrossOp::BitScan => {
                let start = self.scalar_integer(&operands[1])?.max(0);
                let mut found = Lane::set(u64::from(-1i32 as u32));
                for lane in (0..leaf.length).rev().filter(|&lane| i128::from(lane) >= start) {
                    found = match lanes[usize::from(lane)] {
                        Lane { is_unset: true, .. } => Lane::UNSET,
                        Lane { bits: 0, .. } => found,
                        Lane { .. } => Lane::set(lane.into()),
                    };
                }
                scalar(self, found)
            }
            CrossOp::Reduce(op) => {
                let element = leaf.element.expect("a reduction of elements");
                // 0 + (−0) is 0: only −0 is neutral for the sign of zero.
                let neutral = match (op, element) {
                    (ReduceOp::Add, Element::Float) => u64::from((-0.0f32).to_bits()),
                    (ReduceOp::Add, Element::Double) => (-0.0f64).to_bits(),
                    (op, element) => neutral(op, element),
                };
                let on = (0..leaf.length).map(|lane| if active(&lane) { lanes[usize::from(lane)] } else { Lane::set(neutral) });
                scalar(self, tree(op, element, on.collect()))
            }
            CrossOp::Scan(op) => {
                let element = leaf.element.expect("a scan of elements");
                let neutral = Lane::set(neutral(op, element));
                let on = |lane: u8| if active(&lane) { lanes[usize::from(lane)] } else { neutral };
                let scanned = scan(op, element, neutral, (0..leaf.length).map(on).collect());
                Ok(self.layouts.vector(e.ty, |lane| scanned[usize::from(lane)]))
            }
            CrossOp::WholeRegShr | CrossOp::WholeRegShl => {
                let n = self.cut(&operands[1])?;
                let by = if op == CrossOp::WholeRegShr { n } else { -n };
                let is_inside = (0..length).contains(&n);
                moved(self, &|i| Some(i + by).filter(|from| is_inside && (0..length).contains(from)))
            }
            CrossOp::Rotate => {
                let n = self.cut(&operands[1])?;
                moved(self, &|i| Some((i + n).rem_euclid(length)))
            }
            CrossOp::Dot2 | CrossOp::Dot4 => {
                let w = self.expression(&operands[1])?;
                let sum = operands.get(2).map(|c| self.expression(c)).transpose()?;
                let (other, int) = (self.layouts.leaf(w.ty), self.layouts.leaf(e.ty));
                let [a, b] = [&leaf, &other].map(|leaf| leaf.element.expect("a product of elements"));
                let count = leaf.length / int.length;
                let product = |x, y| arithmetic::wrapped(Element::Int32, integer(a, x) * integer(b, y));
                let add = |x, y| arithmetic::binary(BinaryOp::Add, Element::Int32, x, y);
                Ok(self.layouts.vector(e.ty, |i| {
                    let first = sum.as_ref().map_or(Lane::set(0), |sum| sum.lane(&int, i));
                    let products = (count * i..count * (i + 1)).map(|k| lanes[usize::from(k)].with(w.lane(&other, k), product));
                    products.fold(first, |sum, product| sum.with(product, add))
                }))
            }
            CrossOp::Reverse => moved(self, &|i| Some(length - 1 - i)),
            CrossOp::BroadcastLane => {
                let n = self.cut(&operands[1])?.rem_euclid(length);
                moved(self, &|_| Some(n))
            }
            CrossOp::Shuffle | CrossOp::Shuffle2 => {
                let mut from = lanes.clone();
                if op == CrossOp::Shuffle2 {
                    let w = self.expression(&operands[1])?;
                    from.extend((0..leaf.length).map(|lane| w.lane(&leaf, lane)));
                }
                let indices = self.expression(&operands[operands.len() - 1])?;
                let index = self.layouts.leaf(indices.ty);
                let element = index.element.expect("an index is a number");
                Ok(self.layouts.vector(e.ty, |i| match indices.lane(&index, i) {
                    Lane { is_unset: true, .. } => Lane::UNSET,
                    Lane { bits, .. } => from[integer(element, bits).rem_euclid(from.len() as i128) as usize],
                }))
            }
        }
    }

    /// The number of a lane, cut to 32 bits.
    fn cut(&mut self, e: &Expr) -> Result<i128> {
        Ok(i128::from(self.scalar_integer(e)? as i32))
    }

    /// (v or record, i): lane i, modulo the length, of every vector.
    pub(super) fn get(&mut self, operands: &[Expr], e: &Expr) -> Result<Value> {
        let v = self.expression(&operands[0])?;
        let number = self.cut(&operands[1])?;
        let mut value = self.layouts.unset(e.ty);
        for (from, to) in self.layouts.leaves(v.ty).iter().zip(self.layouts.leaves(e.ty).iter()) {
            let lane = number.rem_euclid(from.length.into()) as u8;
            for i in 0..to.length {
                value.set_lane(to, i, v.lane(from, if from.length == to.length { i } else { lane }));
            }
        }
        Ok(value)
    }

    /// (p, v): the active lanes one after another at p; their number.
    pub(super) fn e_packed_store(&mut self, operands: &[Expr], e: &Expr) -> Result<Value> {
        let p = self.expression(&operands[0])?;
        let pointer = self.layouts.leaf(p.ty);
        let address = self.decided(p.lane(&pointer, 0), operands[0].span, None)?;
        let v = self.expression(&operands[1])?;
        let leaf = self.layouts.leaf(v.ty);
        let on = (0..leaf.length).filter(|&lane| self.frame.mask.governs(leaf.length, lane)).count();
        self.run_inside(&operands[0], &p, on as i128, e.span)?;
        let mut count = 0;
        for lane in (0..leaf.length).filter(|&lane| self.frame.mask.governs(leaf.length, lane)) {
            let at = address.wrapping_add(count * leaf.size as u64);
            let written = self.memory.write_lane(at, leaf.size, v.lane(&leaf, lane));
            written.or_else(|m| self.misuse(m, e.span, Some(lane)))?;
            count += 1;
        }
        Ok(self.layouts.vector(e.ty, |_| Lane::set(count)))
    }

    /// (p, v…): reads, writes what `after` makes of the element, of what it read and of the values, for each active lane in ascending
    /// order; what was read.
    pub(super) fn e_atomic(
        &mut self,
        operands: &[Expr],
        e: &Expr,
        after: impl Fn(Element, Lane, &[Lane]) -> Lane,
    ) -> Result<Value> {
        let p = self.expression(&operands[0])?;
        let values = operands[1..].iter().map(|operand| self.expression(operand)).collect::<Result<Vec<_>>>()?;
        let (pointer, leaf) = (self.layouts.leaf(p.ty), self.layouts.leaf(e.ty));
        let element = leaf.element.expect("a value with elements");
        let mut old = self.layouts.vector(e.ty, |_| Lane::set(0));
        for lane in (0..leaf.length).filter(|&lane| self.frame.mask.governs(leaf.length, lane)).collect::<Vec<_>>() {
            let number = Some(lane).filter(|_| leaf.length > 1);
            let address = self.decided(p.lane(&pointer, lane), operands[0].span, number)?;
            let before = self.memory.read_lane(address, leaf.size).or_else(|m| self.misuse(m, e.span, number))?;
            let given: Vec<Lane> = values.iter().map(|v| v.lane(&leaf, lane)).collect();
            let written = self.memory.write_lane(address, leaf.size, after(element, before, &given));
            written.or_else(|m| self.misuse(m, e.span, number))?;
            old.set_lane(&leaf, lane, before);
        }
        Ok(old)
    }
}

/// x ∘ y
pub(super) fn combine(op: ReduceOp, element: Element, x: u64, y: u64) -> u64 {
    match op {
        ReduceOp::Add => arithmetic::binary(BinaryOp::Add, element, x, y),
        ReduceOp::Multiply => arithmetic::binary(BinaryOp::Multiply, element, x, y),
        ReduceOp::Min => extremum(CompareOp::Less, element, x, y),
        ReduceOp::Max => extremum(CompareOp::Greater, element, x, y),
        ReduceOp::And => x & y,
        ReduceOp::Or => x | y,
        ReduceOp::Xor => x ^ y,
    }
}

/// The n with n ∘ y = y, but for the sign of zero.
pub(super) fn neutral(op: ReduceOp, element: Element) -> u64 {
    let (is_float, bits) = (element.is_float(), element.bits());
    let ones = if element == Element::Bool { 1 } else { u64::MAX >> (64 - bits) };
    match op {
        ReduceOp::Add | ReduceOp::Or | ReduceOp::Xor => 0,
        ReduceOp::Multiply if is_float => arithmetic::convert(Some(Element::Int32), Some(element), 1),
        ReduceOp::Multiply => 1,
        ReduceOp::And => ones,
        ReduceOp::Min if is_float => arithmetic::convert(Some(Element::Double), Some(element), f64::INFINITY.to_bits()),
        ReduceOp::Max if is_float => arithmetic::convert(Some(Element::Double), Some(element), f64::NEG_INFINITY.to_bits()),
        ReduceOp::Min if element.is_signed() => ones >> 1,
        ReduceOp::Max if element.is_signed() => 1 << (bits - 1),
        ReduceOp::Min => ones,
        ReduceOp::Max => 0,
    }
}

/// language.md §6: halves, lane i with lane i + N/2, down to one.
fn tree(op: ReduceOp, element: Element, mut lanes: Vec<Lane>) -> Lane {
    while lanes.len() > 1 {
        let upper = lanes.split_off(lanes.len() / 2);
        for (low, high) in lanes.iter_mut().zip(upper) {
            *low = low.with(high, |x, y| combine(op, element, x, y));
        }
    }
    lanes[0]
}

/// The exclusive scan in its fixed order: all lanes move up by one, then x := (x moved up by d) ∘ x for d = 1, 2, 4, …
fn scan(op: ReduceOp, element: Element, neutral: Lane, lanes: Vec<Lane>) -> Vec<Lane> {
    let up = |lanes: &[Lane], by: usize| -> Vec<Lane> {
        (0..lanes.len()).map(|i| if i < by { neutral } else { lanes[i - by] }).collect()
    };
    let mut x = up(&lanes, 1);
    let mut distance = 1;
    while distance < x.len() {
        let lower = up(&x, distance);
        x = lower.iter().zip(&x).map(|(a, b)| a.with(*b, |a, b| combine(op, element, a, b))).collect();
        distance *= 2;
    }
    x
}
