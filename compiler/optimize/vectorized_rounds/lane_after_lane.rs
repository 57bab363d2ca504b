//! How a block of rounds does in order what its rounds have to do [in order](super::in_order).
//!
//! ```text
//! s += sqrt(a[i])                                  x = sqrt (load a + 4 · i: f32×8)
//!                                       ──►        s0 = fadd s, (extract x, 0); s1 = fadd s0, (extract x, 1); …
//!                                                  jump block7(i + 8, s7)
//! ```
//! What comes to it by one of several ways is chosen in each lane by the masks of these.

use super::Rounds;
use super::in_order::{InOrder, Step};
use super::write::Lanewise;
use crate::vector::ir::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// Lanes save so many operations of a round at least.
const LEAST_WORK: u32 = 6;

impl Rounds {
    /// Do lanes save enough of a round that some of it is done in order?
    pub(super) fn is_worth_its_order(&self, function: &Function) -> bool {
        let insts = || self.blocks.iter().flat_map(|block| &function.blocks[block.0 as usize].insts);
        let work = insts().map(|inst| {
            let InstData { op, results, .. } = &function.insts[inst.0 as usize];
            let is_lanes = |result: &Value| !self.in_order.values.contains(result) && !self.lines.steps.contains_key(result);
            match op {
                _ if !results.iter().all(is_lanes) => 0,
                Op::Binary(BinaryOp::FDiv, ..) | Op::Unary(UnaryOp::Sqrt, _) | Op::Call(..) => LEAST_WORK,
                Op::Convert(ConvertOp::HToF | ConvertOp::FToH, _) => LEAST_WORK / 2,
                Op::Binary(..) | Op::Unary(..) | Op::Fma(..) | Op::Compare(..) | Op::Select(..) | Op::Convert(..) => 1,
                _ => 0,
            }
        });
        self.in_order.indices.is_empty() || work.sum::<u32>() >= LEAST_WORK
    }
}

impl Lanewise<'_, '_> {
    /// The steps that wait for each other, for one lane after another.
    pub(super) fn in_order(&mut self) {
        let (rounds, times) = (self.rounds, self.times);
        let InOrder { indices, values, steps } = &rounds.in_order;
        let parameters: Vec<Value> = {
            let all = &self.to.function.blocks[rounds.header.0 as usize].parameters;
            indices.iter().map(|&index| all[index]).collect()
        };
        let latch = rounds.blocks.last().expect("a round has a block");
        let Terminator::Jump(back) = self.to.function.blocks[latch.0 as usize].terminator.clone() else {
            unreachable!("the last block goes back")
        };
        // What leads to the blocks that choose, once for all lanes.
        let mut ways = FxHashMap::default();
        for step in steps {
            if let Step::Merge(block, _) = *step {
                ways.insert(block, self.ways(block));
            }
        }
        let mut now: FxHashMap<Value, Value> = parameters.iter().map(|parameter| (*parameter, self.same[parameter])).collect();
        let bool = Type::scalar(Element::Bool);
        for lane in 0..times {
            for &step in steps {
                match step {
                    Step::Inst(inst) => {
                        let InstData { mut op, results, span } = self.to.function.insts[inst.0 as usize].clone();
                        self.to.span = span;
                        let mut operands = Vec::new();
                        op.for_each(|operand| operands.push(operand));
                        let lanes: FxHashMap<Value, Value> =
                            operands.into_iter().map(|operand| (operand, self.lane(operand, lane, values, &now))).collect();
                        op.for_each_mut(|operand| *operand = lanes[operand]);
                        let ty = self.to.function.ty(results[0]);
                        let made = self.to.emit(op, ty);
                        now.insert(results[0], made);
                    }
                    Step::Merge(block, place) => {
                        let own = self.to.function.blocks[block.0 as usize].parameters[place];
                        let ty = self.to.function.ty(own);
                        let mut merged = None;
                        for &(way, ref arguments) in &ways[&block] {
                            let value = self.lane(arguments[place], lane, values, &now);
                            merged = Some(match (merged, way) {
                                (Some(other), Some(way)) => {
                                    let number = self.to.number(lane.into(), Type::scalar(Element::I32));
                                    let comes = self.to.emit(Op::Extract(way, number), bool);
                                    self.to.emit(Op::Select(comes, value, other), ty)
                                }
                                _ => value,
                            });
                        }
                        now.insert(own, merged.expect("a way leads to a block"));
                    }
                }
            }
            let next: Vec<Value> = indices.iter().map(|&index| self.lane(back.arguments[index], lane, values, &now)).collect();
            now.extend(parameters.iter().copied().zip(next));
        }
        for (&index, parameter) in indices.iter().zip(&parameters) {
            self.next.insert(index, now[parameter]);
        }
    }

    /// What a value is in a lane.
    fn lane(&mut self, value: Value, lane: u8, values: &FxHashSet<Value>, now: &FxHashMap<Value, Value>) -> Value {
        if values.contains(&value) {
            return now[&value];
        }
        if self.rounds.lines.step_of(self.to.function, value) == Some(0) {
            return self.now(value);
        }
        let vector = self.vector(value);
        let number = self.to.number(lane.into(), Type::scalar(Element::I32));
        let ty = self.to.function.ty(value);
        self.to.emit(Op::Extract(vector, number), ty)
    }
}
