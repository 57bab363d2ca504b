//! What a round hands on to the next one.
//!
//! ```text
//! block2:                                          block8:
//!     x = load a + 4 · i                               x = load a + 4 · i: i32×8
//!     y = sub x, before                     ──►        b = shuffle before, x, 7 8 9 10 11 12 13 14
//!     store o + 4 · i, y                               y = sub x, b
//!     jump block1(i + 1, x)                            store o + 4 · i, y
//!                                                      jump block7(i + 8, x)
//! ```
//! * *The last round's.* A round looks at what the one before it made of something: lane k at what lane k − 1 did, lane 0 at the last lane of the block before. The loop of blocks hands on
//!   vectors.
//! * *Running totals.* `s += x; o[i] = s`: lane k has the sum of the lanes up to it, and of all blocks before, which is handed on in each lane. Sums of lanes are made in as many steps as doubling
//!   takes; operations on integers are the same in any order.
//! * *Places.* `if (c) { o[k] = x; ++k; }`: the lanes that are on are stored one behind another, and the place goes on by as many ([`Op::PackedStore`]). Nobody else looks at the place, and it grows in
//!   the rounds in which it is stored to, and by one.
//!
//! A round must not make what it hands on of what it was handed, but for a running total. What it makes it of comes before those who look at what it was handed.

use super::super::alias::may_touch;
use super::super::partial_reductions::is_any_order;
use super::super::widened_rounds::Lanes;
use super::write::Lanewise;
use super::{Frame, Rounds};
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// Bytes in which a shuffle moves lanes at the least cost on all machines.
const PART_BYTES: u64 = 16;

/// A parameter of a loop's header that a round hands on.
pub(super) struct Carried {
    /// Its place among the parameters.
    pub(super) index: usize,
    pub(super) parameter: Value,
    pub(super) what: What,
}

/// What is handed on.
pub(super) enum What {
    /// What the round made of something.
    Last(Value),
    /// All before, combined with something.
    Running {
        op: BinaryOp,
        with: Value,
        /// The result.
        next: Value,
    },
    /// Where an element is stored.
    Place(Place),
}

/// A place that grows by one in some rounds.
pub(super) struct Place {
    /// Where it grows, and whose lanes are stored.
    pub(super) block: Block,
    /// What it is behind that: parameters of blocks.
    merged: FxHashSet<Value>,
    /// The numbers and addresses that are computed from it, and what they grow by.
    pub(super) lines: Lanes,
}

/// The function with loads of which a loop hands something on in front of the others of their blocks, if some were behind stores to other memory.
pub(super) fn with_loads_first(function: &Function, graph: &Graph, header: Block) -> Option<Function> {
    let Frame { blocks, .. } = Frame::of(function, graph, header)?;
    let Terminator::Jump(back) = &function.blocks[blocks.last()?.0 as usize].terminator else { return None };
    let mut made = None;
    for (&parameter, &next) in function.blocks[header.0 as usize].parameters.iter().zip(&back.arguments) {
        let by = match function.definition(next) {
            Some(&Op::Binary(_, a, b)) if a == parameter => b,
            Some(&Op::Binary(_, a, b)) if b == parameter => a,
            _ => next,
        };
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
        let made = made.get_or_insert_with(|| function.clone());
        let insts = &mut made.blocks[home.0 as usize].insts;
        insts.retain(|inst| !moved.contains(inst));
        insts.splice(0..0, moved);
    }
    made
}

impl Carried {
    /// That in a place of the header's parameters, of which the last of the blocks makes `next`.
    pub(super) fn of(function: &Function, header: Block, blocks: &[Block], index: usize, next: Value) -> Option<Carried> {
        let parameter = function.blocks[header.0 as usize].parameters[index];
        let ty = function.ty(parameter);
        if ty.length != 1 || ty.element == Element::Ptr {
            return None;
        }
        let running = || match function.definition(next) {
            Some(&Op::Binary(op, a, b)) if (a == parameter) != (b == parameter) && is_any_order(op) && op != BinaryOp::Mul => {
                let with = if a == parameter { b } else { a };
                ty.element.is_int().then_some(What::Running { op, with, next })
            }
            _ => None,
        };
        let place = Place::of(function, header, blocks, index, next).map(What::Place);
        let what = place.or_else(running).unwrap_or(What::Last(next));
        Some(Carried { index, parameter, what })
    }

    /// What has to be known before it is.
    fn by(&self) -> Option<Value> {
        match self.what {
            What::Last(value) | What::Running { with: value, .. } => Some(value),
            What::Place(_) => None,
        }
    }

    pub(super) fn place(&self) -> Option<&Place> {
        match &self.what {
            What::Place(place) => Some(place),
            What::Last(_) | What::Running { .. } => None,
        }
    }

    pub(super) fn place_mut(&mut self) -> Option<&mut Place> {
        match &mut self.what {
            What::Place(place) => Some(place),
            What::Last(_) | What::Running { .. } => None,
        }
    }
}

impl Place {
    fn of(function: &Function, header: Block, blocks: &[Block], index: usize, next: Value) -> Option<Place> {
        let data = |block: Block| &function.blocks[block.0 as usize];
        let parameter = data(header).parameters[index];
        if !function.ty(parameter).element.is_int() {
            return None;
        }
        let all = || [header].into_iter().chain(blocks.iter().copied());
        let targets = || all().flat_map(|from| data(from).terminator.targets().map(move |to| (from, to)));
        let (mut merged, mut grown, mut kept) = (FxHashSet::default(), None, Vec::new());
        let mut left = vec![next];
        while let Some(value) = left.pop() {
            match function.values[value.0 as usize].def {
                ValueDef::Parameter(block, place) if blocks.contains(&block) => {
                    if !merged.insert(value) {
                        continue;
                    }
                    for (from, to) in targets().filter(|(_, to)| to.block == block) {
                        let argument = to.arguments[place as usize];
                        if argument == parameter { kept.push(from) } else { left.push(argument) }
                    }
                }
                _ => match function.definition(value) {
                    Some(&Op::Binary(BinaryOp::Add, a, one)) if a == parameter && function.signed_constant(one) == Some(1) => {
                        if *grown.get_or_insert(value) != value {
                            return None;
                        }
                    }
                    _ => return None,
                },
            }
        }
        let grown = grown?;
        let ValueDef::Result(inst, _) = function.values[grown.0 as usize].def else { return None };
        let block = blocks.iter().copied().find(|&block| data(block).insts.contains(&inst))?;
        // Who comes by there hands on what it is then.
        let reach = |from: Block| {
            let (mut found, mut left) = (FxHashSet::default(), vec![from]);
            while let Some(block) = left.pop() {
                left.extend(data(block).terminator.targets().map(|to| to.block).filter(|&to| to != header && found.insert(to)));
            }
            found
        };
        let behind = reach(block);
        let is_old = |from: &Block| *from == block || behind.contains(from);
        let grows_again = |value: &Value| match function.values[value.0 as usize].def {
            ValueDef::Parameter(home, _) => home == block || reach(home).contains(&block),
            ValueDef::Result(..) => true,
        };
        if kept.iter().any(is_old) || merged.iter().any(grows_again) {
            return None;
        }
        // It is handed to nobody else.
        let is_it = |value: &Value| *value == parameter || *value == grown || merged.contains(value);
        let is_handed_on = targets().all(|(_, to)| {
            let is_left = to.block != header && !blocks.contains(&to.block);
            let receives = |place: usize| match to.block == header {
                true => place == index,
                false => merged.contains(&data(to.block).parameters[place]),
            };
            is_left || to.arguments.iter().enumerate().all(|(place, argument)| !is_it(argument) || receives(place))
        });
        let lines = Lanes { lanes: 1, inside: FxHashSet::default(), steps: FxHashMap::default() };
        is_handed_on.then_some(Place { block, merged, lines })
    }
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
            let step = *carried.place()?.lines.steps.get(&pointer)?;
            (step != 0).then_some((index, step))
        })
    }

    /// Learns of a number or an address that is computed from a place.
    pub(super) fn learn_of_places(&mut self, function: &Function, data: &InstData) -> bool {
        let [result] = data.results[..] else { return false };
        self.carried.iter_mut().filter_map(Carried::place_mut).any(|place| match place.lines.step(function, &data.op) {
            Some(step) => {
                place.lines.steps.insert(result, step);
                true
            }
            None => false,
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
