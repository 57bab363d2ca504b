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
//! A round must not make what it hands on of what it was handed, but for a running total and a place. What it makes it of comes before those who look at what it was handed.

use super::super::partial_reductions::is_any_order;
use super::super::widened_rounds::Lanes;
use crate::vector::ir::*;
use rustc_hash::{FxHashMap, FxHashSet};

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
    pub(super) merged: FxHashSet<Value>,
    /// The numbers and addresses that are computed from it, and what they grow by.
    pub(super) lines: Lanes,
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
    pub(super) fn by(&self) -> Option<Value> {
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
