//! How a round over blocks hands on what a round does: what is known of it, and how it is written.
//!
//! ```text
//! o[i] = s; s += a[i]                              x = load a + 4 · i: i32×8
//!                                                  y = add x, (x a lane up), …: in each lane all up to it
//!                                       ──►        t = add s, y
//!                                                  store o + 4 · i, (shuffle s, t, 7 8 9 10 11 12 13 14)
//!                                                  jump block7(i + 8, add s, (the last lane of y in each))
//! ```
//! A block does not wait for the lanes of the one before, but for one operation. A load that a total needs stands in front of who looks at the total.

use super::super::alias::may_touch;
use super::super::loop_checks::is_pure;
use super::carried::{Carried, What};
use super::write::Lanewise;
use super::{Frame, Rounds};
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use rustc_hash::FxHashSet;

/// Bytes in which a shuffle moves lanes at the least cost on all machines.
const PART_BYTES: u64 = 16;

/// The function with loads of which a loop hands something on in front of the others of their blocks, if some were behind stores to other memory.
pub(super) fn with_loads_first(function: &Function, graph: &Graph, header: Block) -> Option<Function> {
    let Frame { blocks, .. } = Frame::of(function, graph, header)?;
    let Terminator::Jump(back) = &function.blocks[blocks.last()?.0 as usize].terminator else { return None };
    let mut made = None;
    for (index, &next) in back.arguments.iter().enumerate() {
        let carried = Carried::of(function, header, &blocks, index, next);
        let Some(by) = carried.and_then(|carried| carried.by()) else { continue };
        let ValueDef::Result(load, _) = function.values[by.0 as usize].def else { continue };
        let Op::Load { mask: None, .. } = function.insts[load.0 as usize].op else { continue };
        let home = blocks.iter().find(|block| function.blocks[block.0 as usize].insts.contains(&load));
        let Some(&home) = home else { continue };
        let insts = &function.blocks[home.0 as usize].insts;
        let op = |inst: Inst| &function.insts[inst.0 as usize].op;
        let may_stand_behind = |&inst: &Inst| match op(inst) {
            Op::Store { pointer, .. } => !may_touch(function, op(load), *pointer),
            other => !other.has_effect(),
        };
        let before = insts.iter().take_while(|inst| **inst != load);
        if !before.clone().all(may_stand_behind) || before.clone().all(|&inst| !op(inst).has_effect()) {
            continue;
        }
        // With what its address is computed of.
        let mut moved = vec![load];
        for &inst in before.collect::<Vec<_>>().into_iter().rev() {
            let is_operand = |&user: &Inst| {
                let mut is_operand = false;
                op(user).for_each(|operand| is_operand |= function.insts[inst.0 as usize].results.contains(&operand));
                is_operand
            };
            if moved.iter().any(is_operand) {
                moved.insert(0, inst);
            }
        }
        // Another load may be of what is stored.
        if moved.iter().any(|&inst| inst != load && !is_pure(op(inst))) {
            continue;
        }
        let made = made.get_or_insert_with(|| function.clone());
        let insts = &mut made.blocks[home.0 as usize].insts;
        insts.retain(|inst| !moved.contains(inst));
        insts.splice(0..0, moved);
    }
    made
}

impl Rounds {
    /// Is a value a place, or computed from one?
    pub(super) fn is_of_place(&self, value: Value) -> bool {
        let places = self.carried.iter().filter_map(Carried::place);
        places.into_iter().any(|place| {
            place.merged.contains(&value) || place.lines.steps.get(&value).is_some_and(|_| !self.lines.steps.contains_key(&value))
        })
    }

    /// The place that an address goes on with, by how many bytes for each element.
    pub(super) fn place_of(&self, pointer: Value) -> Option<(usize, i64)> {
        (0..).zip(&self.carried).find_map(|(index, carried)| {
            let step = carried.place()?.lines.steps.get(&pointer).filter(|step| **step != 0)?;
            Some((index, *step))
        })
    }

    /// Learns of a number or an address that is computed from a place.
    pub(super) fn learn_of_places(&mut self, function: &Function, data: &InstData) -> bool {
        let [result] = data.results[..] else { return false };
        self.carried.iter_mut().filter_map(Carried::place_mut).any(|place| match place.lines.step(function, &data.op) {
            Some(step) if step != 0 => {
                place.lines.steps.insert(result, step);
                true
            }
            _ => false,
        })
    }

    /// Those of which something is handed on, and that are known before a round.
    pub(super) fn known_before(&self, function: &Function) -> Vec<Value> {
        let parameters = &function.blocks[self.header.0 as usize].parameters;
        let is_known = |value: &Value| {
            let is_same = parameters.contains(value) && self.carried.iter().all(|carried| carried.parameter != *value);
            !self.lines.inside.contains(value) || is_same
        };
        let mut known: Vec<Value> = self.carried.iter().filter_map(Carried::by).filter(is_known).collect();
        known.sort_unstable();
        known.dedup();
        known
    }

    /// Is a value a running total, with what the round combines it with?
    pub(super) fn is_running(&self, value: Value) -> bool {
        self.carried.iter().any(|carried| matches!(carried.what, What::Running { next, .. } if next == value))
    }

    /// Is what a round is handed known where somebody looks at it, and is something stored at each place?
    pub(super) fn hands_on_in_order(&self, function: &Function) -> bool {
        let is_stored = |place: usize| self.accesses.iter().any(|access| access.place == Some(place));
        if (0..).zip(&self.carried).any(|(index, carried)| carried.place().is_some() && !is_stored(index)) {
            return false;
        }
        let mut unknown: FxHashSet<Value> =
            self.carried.iter().filter(|carried| carried.by().is_some()).map(|carried| carried.parameter).collect();
        let data = |block: Block| &function.blocks[block.0 as usize];
        let learn = |unknown: &mut FxHashSet<Value>, value: Value| {
            let mut left = vec![value];
            while let Some(value) = left.pop() {
                let by_it = self.carried.iter().filter(|carried| carried.by() == Some(value));
                left.extend(by_it.map(|carried| carried.parameter).filter(|parameter| unknown.remove(parameter)));
            }
        };
        self.known_before(function).into_iter().for_each(|value| learn(&mut unknown, value));
        for &block in [self.header].iter().chain(&self.blocks) {
            data(block).parameters.iter().filter(|_| block != self.header).for_each(|&value| learn(&mut unknown, value));
            let mut is_known = true;
            for inst in &data(block).insts {
                let InstData { op, results, .. } = &function.insts[inst.0 as usize];
                op.for_each(|operand| is_known &= !unknown.contains(&operand));
                results.iter().for_each(|&result| learn(&mut unknown, result));
            }
            let goes_on = |target: &&Target| target.block == self.header || self.blocks.contains(&target.block);
            let mut handed = data(block).terminator.targets().filter(goes_on).flat_map(|target| &target.arguments);
            if !is_known || handed.any(|argument| unknown.contains(argument)) {
                return false;
            }
        }
        unknown.is_empty()
    }
}

impl Lanewise<'_, '_> {
    /// What took the place of a value; who waited for it is known as well.
    pub(super) fn make(&mut self, value: Value, now: Value) {
        self.same.insert(value, now);
        self.hand_on(value);
    }

    /// The parameters that are known by a value.
    pub(super) fn hand_on(&mut self, by: Value) {
        let rounds = self.rounds;
        for carried in rounds.carried.iter().filter(|carried| carried.by() == Some(by)) {
            let vector = self.vector(by);
            let ty = self.to.function.ty(vector);
            let before = self.same[&carried.parameter];
            let last = ty.length as i16 - 1;
            let shifted: Vec<i16> = [last].into_iter().chain(last + 1..2 * last + 1).collect();
            let (of_round, handed) = match carried.what {
                What::Place(_) | What::Last(_) => (vector, vector),
                What::Running { op, next, .. } => {
                    let own = self.combined(op, vector);
                    let all = self.to.emit(Op::Binary(op, before, own), ty);
                    self.same.insert(next, all);
                    // The blocks before are not waited for.
                    let own = self.to.emit(Op::Shuffle(own, own, vec![last; ty.length.into()]), ty);
                    (all, self.to.emit(Op::Binary(op, before, own), ty))
                }
            };
            self.next.insert(carried.index, handed);
            let shifted = self.to.emit(Op::Shuffle(before, of_round, shifted), ty);
            self.make(carried.parameter, shifted);
        }
    }

    /// In each lane all up to it. Within a part of a register lanes take what is so many in front of them, then parts take the last lane of those before.
    fn combined(&mut self, op: BinaryOp, vector: Value) -> Value {
        let ty = self.to.function.ty(vector);
        let part = i16::try_from(PART_BYTES / ty.element.size()).expect("few lanes");
        let is_idempotent = !matches!(op, BinaryOp::Add | BinaryOp::Xor);
        let (mut all, mut distance) = (vector, 1);
        while distance < i16::from(ty.length) {
            let from = |lane: i16| match distance < part {
                true => Some(lane - distance).filter(|from| *from >= 0 && from / part == lane / part),
                false => Some(lane / distance * distance - 1).filter(|_| lane & distance != 0),
            };
            let lanes = (0..i16::from(ty.length)).map(|lane| from(lane).unwrap_or(if is_idempotent { lane } else { -1 }));
            let moved = self.to.emit(Op::Shuffle(all, all, lanes.collect()), ty);
            all = self.to.emit(Op::Binary(op, all, moved), ty);
            distance *= 2;
        }
        all
    }
}
