//! Built-ins that put lanes elsewhere, or take them for bits (language.md §7). Lanes are taken whatever P; of a mask, those that are
//! active.

use super::arithmetic::integer;
use super::{Interpreter, Lane, Result, Value};
use crate::typed::ir::{Expr, RearrangeOp};

impl Interpreter<'_> {
    /// A built-in that rearranges lanes, of which `e` is the call.
    pub(super) fn rearranged(&mut self, op: RearrangeOp, operands: &[Expr], e: &Expr) -> Result<Value> {
        let values = operands.iter().map(|operand| self.expression(operand)).collect::<Result<Vec<_>>>()?;
        let lanes: Vec<Vec<Lane>> = values.iter().map(|value| self.lanes_of(value)).collect();
        let (first, result) = (&lanes[0], self.layouts.leaf(e.ty));
        let made: Vec<Lane> = match op {
            RearrangeOp::Bits => {
                let from = self.layouts.leaf(values[0].ty).size;
                let (mut bytes, mut unset) = (vec![0; from * first.len()], vec![false; from * first.len()]);
                for ((lane, bytes), unset) in first.iter().zip(bytes.chunks_mut(from)).zip(unset.chunks_mut(from)) {
                    lane.to_bytes(bytes, unset);
                }
                bytes.chunks(result.size).zip(unset.chunks(result.size)).map(|(b, u)| Lane::from_bytes(b, u)).collect()
            }
            RearrangeOp::Interleave => (0..first.len()).flat_map(|i| lanes.iter().map(move |lanes| lanes[i])).collect(),
            RearrangeOp::Deinterleave { first: k, step } => first.iter().copied().skip(k.into()).step_by(step.into()).collect(),
            RearrangeOp::Transpose { rows } => {
                let rows = usize::from(rows);
                let columns = first.len() / rows;
                (0..columns).flat_map(|column| (0..rows).map(move |row| first[row * columns + column])).collect()
            }
            RearrangeOp::Align => {
                let both = [&first[..], &lanes[1]].concat();
                let n = self.number_in(&values[2], lanes[2][0]);
                let from = |i: i128| n.map_or(Lane::UNSET, |n| both[(i + n).rem_euclid(both.len() as i128) as usize]);
                (0..first.len() as i128).map(from).collect()
            }
            RearrangeOp::LookUp => {
                let from = |&index: &Lane| {
                    let index = self.number_in(&values[1], index);
                    index.map_or(Lane::UNSET, |index| first[index.rem_euclid(first.len() as i128) as usize])
                };
                lanes[1].iter().map(from).collect()
            }
            RearrangeOp::MaskBits => {
                let active = self.active_lanes(first);
                let bits =
                    active.iter().zip(0..).fold(Lane::set(0), |bits, (lane, i)| bits.with(*lane, |bits, on| bits | on << i));
                vec![bits]
            }
            RearrangeOp::MaskOf => (0..result.length).map(|i| first[0].map(|bits| bits >> i & 1)).collect(),
            RearrangeOp::Compress | RearrangeOp::Expand => {
                let active = self.active_lanes(&lanes[1]);
                let is_on = |i: usize| active[i].bits == 1;
                let length = first.len();
                match () {
                    () if active.iter().any(|lane| lane.is_unset) => vec![Lane::UNSET; length],
                    () if op == RearrangeOp::Compress => {
                        let kept = (0..length).filter(|&i| is_on(i)).map(|i| first[i]);
                        kept.chain(std::iter::repeat(Lane::set(0))).take(length).collect()
                    }
                    () => {
                        let mut rest = first.iter();
                        let mut next = || *rest.next().expect("there are as many lanes as places");
                        (0..length).map(|i| if is_on(i) { next() } else { Lane::set(0) }).collect()
                    }
                }
            }
        };
        Ok(self.layouts.vector(e.ty, |lane| made[usize::from(lane)]))
    }

    fn lanes_of(&self, value: &Value) -> Vec<Lane> {
        let leaf = self.layouts.leaf(value.ty);
        (0..leaf.length).map(|lane| value.lane(&leaf, lane)).collect()
    }

    /// The integer that a lane of a value is, if it is set.
    fn number_in(&self, value: &Value, lane: Lane) -> Option<i128> {
        let element = self.layouts.leaf(value.ty).element.expect("lane numbers are numbers");
        (!lane.is_unset).then(|| integer(element, lane.bits))
    }

    /// The lanes of a mask; those that are off are not true.
    fn active_lanes(&self, mask: &[Lane]) -> Vec<Lane> {
        let length = mask.len() as u8;
        let lane = |(&lane, i)| if self.frame.mask.governs(length, i) { lane } else { Lane::set(0) };
        mask.iter().zip(0..).map(lane).collect()
    }
}
