//! What a loop loads from one place in all rounds is loaded in front of it, where it is asked that no round writes there.
//!
//! ```text
//! block1(i):                                      block4(i₀):
//!     w = load p + 4                                  w = load p + 4
//!     branch i < w, block2, block3                    branch i₀ < w, block5, block7(i₀)
//! block2:                                         block5:
//!     d = load p                                      d = load p
//!     …; store d + i, x                               branch [d + i₀, d + w) is apart from [p, p + 8), block1(i₀), block7(i₀)
//!     jump block1(i + 1)                 ──►      block1(i):
//!                                                     branch i < w, block2, block3
//!                                                 block2:
//!                                                     …; store d + i, x
//!                                                     jump block1(i + 1)
//!                                                 block7(i):                       the old loop
//! ```
//! `for (int i = 0; i < p->n; i++) p->data[i] = …` has so a limit and an array that are known in front of it. A pointer may lead anywhere, also to the record that it
//! was found in, so that nothing but the numbers can tell. Of loops in loops it is asked in front of the outermost one where that can be.
//!
//! # Why this is right
//! The header runs whenever the loop is come to, and where its condition holds so does what stands behind it without a branch, up to the header of a loop inside, whose
//! condition leads on. So what these load before anything else than loads and stores happens may be loaded before; where no store of the loop touches these places
//! ([`Areas`]), it is the same in all rounds.

use super::addresses::Address;
use super::alias::{base, may_write};
use super::areas::{Areas, InnerCounter};
use super::block_writer::{BlockWriter, IsInside, lead};
use super::closed_loops::{close, exits, seen_behind};
use super::common_values;
use super::counted_loop::{CountedLoop, inner_counter, is_computed_from};
use super::jammed_loops::Counter;
use super::loop_checks::is_pure;
use super::old_loops::{is_told, old_loop};
use super::repeated_loads;
use super::vectorized_rounds::is_division;
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// Loops of more instructions are left alone.
const MAX_INSTS: usize = 200;
/// So many loops of a function are there twice.
const MAX_COPIES: usize = 12;
/// So many pairs of arrays are asked for, and so many places in each.
const MAX_AREAS: usize = 8;
const MAX_PLACES: usize = 12;
/// So many operations of an address are computed in front of a loop.
const DEPTH: u32 = 6;
/// More rounds than this are not counted right.
const MAX_ROUNDS: u64 = 1 << 40;

/// Moves the loads of a function's loops.
pub fn asked_loads(function: &mut Function) {
    let mut has_moved = false;
    for _ in 0..MAX_COPIES {
        let graph = Graph::new(function);
        // Outer loops come first.
        let mut headers = graph.order.iter().copied().filter(|&block| graph.innermost_loop(block) == Some(block));
        let Some(found) = headers.find_map(|header| AskedLoads::of(function, &graph, header)) else { break };
        found.write(function, &graph);
        function.sort_blocks();
        has_moved = true;
    }
    // What a round loaded behind each of its stores is one value now, and so are addresses computed from it.
    if has_moved {
        repeated_loads(function);
        common_values(function);
    }
}

/// A loop with a counter, of which it is known that it has a round where this begins below its limit.
#[derive(Clone, Copy)]
struct Guard {
    header: Block,
    counter: Counter,
    first: Value,
}

/// What runs where some loop has a round.
struct Stage {
    /// The loop, where what moves must run, or comes from the loop that all of this is about.
    guard: Option<Guard>,
    /// What moves from here, in order.
    moved: Vec<Inst>,
}

/// A loop, and what of it is the same in all rounds.
struct AskedLoads {
    around: CountedLoop,
    /// The header, what it leads to, and so on in the loops inside.
    stages: Vec<Stage>,
    /// What moves, what is the same as that, and what all this computes.
    known: Known,
    /// What no round may touch.
    areas: Vec<Areas>,
}

#[derive(Default)]
struct Known {
    values: FxHashSet<Value>,
    /// What was loaded at so many bytes from a pointer.
    loads: FxHashMap<(Value, i64, Type), Value>,
    /// What is loaded from there once more, and what was before.
    same: FxHashMap<Value, Value>,
    /// Of what it is asked whether a store may write there.
    asked: Vec<Inst>,
}

impl AskedLoads {
    fn of(function: &Function, graph: &Graph, header: Block) -> Option<AskedLoads> {
        if is_told(function, header) {
            return None;
        }
        let data = |block: Block| &function.blocks[block.0 as usize];
        let op = |inst: &Inst| &function.insts[inst.0 as usize].op;
        let around = CountedLoop::of(function, graph, header)?;
        let insts = || around.all.iter().flat_map(|&block| &data(block).insts);
        let is_load = |inst: &Inst| matches!(op(inst), Op::Load { mask: None, .. });
        if insts().count() > MAX_INSTS || !insts().any(is_load) {
            return None;
        }
        let effects: Vec<&Op> = insts().map(op).filter(|op| op.has_effect()).collect();

        let first = Guard { header, counter: around.counter, first: around.start };
        let mut found = AskedLoads { around, stages: Vec::new(), known: Known::default(), areas: Vec::new() };
        let mut stage = Stage { guard: None, moved: Vec::new() };
        found.look_at(function, &effects, header, &mut stage)?;
        found.stages.push(stage);
        let mut work = VecDeque::from([first]);
        while let Some(guard) = work.pop_front() {
            let are_known = found.is_outer(function, guard.first) && found.is_outer(function, guard.counter.limit);
            if !are_known || graph.predecessors[guard.counter.body.0 as usize] != [guard.header] {
                continue;
            }
            let is_first = guard.header == header;
            let mut stage = Stage { guard: is_first.then_some(guard), moved: Vec::new() };
            work.extend(found.walk(function, graph, &effects, guard.counter.body, &mut stage));
            let must_run = |inst: &Inst| is_load(inst) || matches!(*op(inst), Op::Binary(op, ..) if is_division(op));
            if stage.moved.iter().any(must_run) {
                stage.guard = Some(guard);
            }
            if is_first || !stage.moved.is_empty() {
                found.stages.push(stage);
            }
        }
        if found.stages.len() == 1 {
            return None;
        }
        found.areas = found.areas(function, graph, &effects)?;
        found.is_useful(function, is_load).then_some(found)
    }

    /// What is the same in all rounds of what runs without a branch from a block on; gives the loops that are come to.
    fn walk(&mut self, function: &Function, graph: &Graph, effects: &[&Op], from: Block, stage: &mut Stage) -> Vec<Guard> {
        let (mut block, mut inner) = (from, Vec::new());
        loop {
            if self.look_at(function, effects, block, stage).is_none() {
                return inner;
            }
            let Terminator::Jump(target) = &function.blocks[block.0 as usize].terminator else { return inner };
            let next = target.block;
            if graph.predecessors[next.0 as usize].len() == 1 {
                block = next;
                continue;
            }
            let is_inside = next != self.around.header && self.around.all.contains(&next);
            let counted = if is_inside { CountedLoop::of(function, graph, next) } else { None };
            let Some(counted) = counted.filter(|counted| counted.before == block) else { return inner };
            if self.look_at(function, effects, next, stage).is_none() {
                return inner;
            }
            inner.push(Guard { header: next, counter: counted.counter, first: counted.start });
            let Some(behind) = function.blocks[next.0 as usize].terminator.targets().nth(1) else { return inner };
            // What calls or checks may never come to what is behind.
            let stores = |op: &Op| matches!(op, Op::Store { .. });
            let insts = counted.all.iter().flat_map(|block| &function.blocks[block.0 as usize].insts);
            let comes_to_an_end = insts.map(|inst| &function.insts[inst.0 as usize].op).all(|op| !op.has_effect() || stores(op));
            let is_left_at_the_top = exits(function, &counted.all)[..] == [(next, 1)];
            if !comes_to_an_end || !is_left_at_the_top || graph.predecessors[behind.block.0 as usize] != [next] {
                return inner;
            }
            block = behind.block;
        }
    }

    /// What is the same in all rounds, of a block; `None` if what is behind it may not run.
    fn look_at(&mut self, function: &Function, effects: &[&Op], block: Block, stage: &mut Stage) -> Option<()> {
        for &inst in &function.blocks[block.0 as usize].insts {
            let InstData { op, results, .. } = &function.insts[inst.0 as usize];
            let mut is_same = true;
            op.for_each(|operand| is_same = is_same && self.is_there(operand));
            let is_moved = match *op {
                Op::Load { pointer, mask: None } if is_same => {
                    let size = function.ty(results[0]).bytes();
                    let ways: Vec<Meets> = effects.iter().map(|op| Meets::of(function, op, pointer, size)).collect();
                    let (is_written, may_be_asked) = (ways.contains(&Meets::MayBe), !ways.contains(&Meets::Surely));
                    let (base, offset) = self.place(function, pointer);
                    let place = (base, offset, function.ty(results[0]));
                    match self.known.loads.get(&place) {
                        Some(&before) => {
                            self.known.same.insert(results[0], before);
                            self.known.values.insert(results[0]);
                            false
                        }
                        None if may_be_asked => {
                            self.known.loads.insert(place, results[0]);
                            if is_written {
                                self.known.asked.push(inst);
                            }
                            true
                        }
                        None => false,
                    }
                }
                Op::Load { .. } | Op::Store { .. } => false,
                _ if op.has_effect() => return None,
                _ => is_same && is_pure(op),
            };
            if is_moved {
                stage.moved.push(inst);
                self.known.values.extend(results.iter().copied());
            }
        }
        Some(())
    }

    /// What a pointer is so many bytes behind.
    fn place(&self, function: &Function, mut pointer: Value) -> (Value, i64) {
        let mut bytes = 0i64;
        while let Some(&Op::PtrOffset(base, offset)) = function.definition(pointer) {
            (pointer, bytes) = (base, bytes.wrapping_add(offset));
        }
        (self.now(pointer), bytes)
    }

    /// What a value is the same as.
    fn now(&self, value: Value) -> Value {
        *self.known.same.get(&value).unwrap_or(&value)
    }

    /// Is a value the same in all rounds?
    fn is_there(&self, value: Value) -> bool {
        !self.around.inside.contains(&value) || self.known.values.contains(&value)
    }

    /// Is it computed from such values?
    fn is_outer(&self, function: &Function, value: Value) -> bool {
        is_computed_from(function, &|value| self.is_there(value), value, DEPTH)
    }

    /// Can it be asked, or is there something that moves and need not be asked for?
    fn is_useful(&mut self, function: &Function, is_load: impl Fn(&Inst) -> bool) -> bool {
        let all = &self.around.all;
        let exits = exits(function, all);
        if self.areas.is_empty() {
            // Only the first condition leads behind the loop.
            let left = self.stages.split_off(2);
            for result in left.iter().flat_map(|stage| &stage.moved).flat_map(|inst| &function.insts[inst.0 as usize].results) {
                self.known.values.remove(result);
            }
            let Known { values, same, .. } = &mut self.known;
            same.retain(|again, before| values.contains(before) || !values.remove(again));
            // Numbers that nobody writes LLVM loads in front as well.
            let is_array = |inst: &Inst| {
                let results = &function.insts[inst.0 as usize].results;
                is_load(inst) && results.iter().any(|&result| function.ty(result).element == Element::Ptr)
            };
            let is_of_use = self.stages[0].moved.iter().any(&is_load) || self.stages[1].moved.iter().any(is_array);
            return is_of_use && exits[..] == [(self.around.header, 1)];
        }
        let is_outer = |value: Value| self.is_outer(function, value);
        self.areas.iter().all(|areas| areas.is_known(function, &is_outer))
            && (exits.len() == 1 || seen_behind(function, all, &self.around.inside).is_empty())
    }

    /// What stores touch in all rounds, and what is loaded, array by array; `None` where that is too much.
    fn areas(&self, function: &Function, graph: &Graph, effects: &[&Op]) -> Option<Vec<Areas>> {
        let CountedLoop { header, counter, all, .. } = &self.around;
        let own = (counter.value, counter.step, counter.op == CompareOp::SLt);
        let is_header = |block: &Block| block != header && graph.innermost_loop(*block) == Some(*block);
        let is_outer = |value: Value| self.is_outer(function, value);
        let inner = all.iter().filter(|block| is_header(block));
        let inner: Vec<InnerCounter> = inner.filter_map(|&block| inner_counter(function, graph, block, is_outer)).collect();
        let mut areas: Vec<Areas> = Vec::new();
        for loaded in &self.known.asked {
            let InstData { op: Op::Load { pointer, .. }, results, .. } = &function.insts[loaded.0 as usize] else { continue };
            let size = function.ty(results[0]).bytes();
            for store in effects.iter().filter(|op| Meets::of(function, op, *pointer, size) == Meets::MayBe) {
                let &Op::Store { pointer: written, value, .. } = *store else { continue };
                let pair =
                    [(self.now(*pointer), function.ty(results[0]).bytes()), (self.now(written), function.ty(value).bytes())];
                let of = |pointer: Value| self.now(base(function, pointer));
                let is_same = |areas: &&mut Areas| (0..2).all(|group| of(areas.both[group][0].0) == of(pair[group].0));
                match areas.iter_mut().find(is_same) {
                    Some(areas) => {
                        for (group, place) in areas.both.iter_mut().zip(pair) {
                            if !group.contains(&place) {
                                group.push(place);
                            }
                        }
                    }
                    None => areas.push(Areas { both: pair.map(|place| vec![place]), own, inner: inner.clone() }),
                }
            }
        }
        let groups = || areas.iter().flat_map(|areas| &areas.both);
        (areas.len() <= MAX_AREAS && groups().all(|group| group.len() <= MAX_PLACES)).then_some(areas)
    }

    /// Writes the questions in front of the loop, and the old loop behind them. Where there are none, what would have no round goes on behind the loop.
    fn write(&self, function: &mut Function, graph: &Graph) {
        let CountedLoop { header, counter, all, inside, .. } = &self.around;
        close(function, all, inside);
        let span = counter.span(function);
        let old = (!self.areas.is_empty()).then(|| old_loop(function, graph, all, *header, span));

        self.rename(function);
        let mut writer = BlockWriter { function, block: *header, span };
        let start = writer.new_block();
        let arguments = writer.parameters_of(*header, start);
        let parameters = writer.function.blocks[header.0 as usize].parameters.iter().copied();
        let mut known: FxHashMap<Value, Value> = parameters.zip(arguments.iter().copied()).collect();
        let is_inside = |_: &Function, value: Value| !self.is_there(value);
        let bool = Type::scalar(Element::Bool);
        let otherwise = match old {
            Some(block) => Target { block, arguments: arguments.clone() },
            None => {
                let mut out = writer.function.blocks[header.0 as usize].terminator.targets().nth(1).expect("a way out").clone();
                for argument in &mut out.arguments {
                    *argument = *known.get(argument).unwrap_or(argument);
                }
                out
            }
        };

        writer.block = start;
        let mut rounds = None;
        for stage in &self.stages {
            if let Some(Guard { header: from, counter, first }) = stage.guard {
                let limit = writer.again(self.now(counter.limit), &is_inside, &mut known);
                let first = match from == *header {
                    true => arguments[counter.index],
                    false => writer.again(self.now(first), &is_inside, &mut known),
                };
                rounds.get_or_insert((Counter { limit, ..counter }, first));
                let condition = writer.emit(Op::Compare(counter.op, first, limit), bool);
                let block = writer.new_block();
                let then = Target { block, arguments: Vec::new() };
                writer.end(Terminator::Branch { condition, then, otherwise: otherwise.clone() });
                writer.block = block;
            }
            for &block in all {
                writer.function.blocks[block.0 as usize].insts.retain(|inst| !stage.moved.contains(inst));
            }
            writer.function.blocks[writer.block.0 as usize].insts.extend(&stage.moved);
        }
        let then = Target { block: *header, arguments };
        let end = match (old, rounds) {
            (Some(_), Some((counter, first))) => {
                let condition = self.are_apart(&mut writer, first, &counter, &is_inside, &mut known);
                Terminator::Branch { condition, then, otherwise }
            }
            _ => Terminator::Jump(then),
        };
        writer.end(end);
        lead(writer.function, graph, |block| all.contains(&block), *header, start);
    }

    /// What was loaded before is not loaded again.
    fn rename(&self, function: &mut Function) {
        let is_again = |inst: &Inst, function: &Function| {
            function.insts[inst.0 as usize].results.iter().any(|result| self.known.same.contains_key(result))
        };
        for block in &self.around.all {
            let mut insts = std::mem::take(&mut function.blocks[block.0 as usize].insts);
            insts.retain(|inst| !is_again(inst, function));
            for inst in &insts {
                function.insts[inst.0 as usize].op.for_each_mut(|value| *value = self.now(*value));
            }
            function.blocks[block.0 as usize].insts = insts;
            function.blocks[block.0 as usize].terminator.for_each_mut(|value| *value = self.now(*value));
        }
    }

    /// Asks whether no round touches what was loaded, where the counter begins with this number.
    fn are_apart(
        &self,
        writer: &mut BlockWriter<'_>,
        first: Value,
        own: &Counter,
        is_inside: &IsInside<'_>,
        known: &mut FxHashMap<Value, Value>,
    ) -> Value {
        let bool = Type::scalar(Element::Bool);
        let rounds = own.all_rounds(writer, first);
        let most = writer.number(MAX_ROUNDS, Type::scalar(Element::I64));
        let are_counted = writer.emit(Op::Compare(CompareOp::ULt, rounds, most), bool);
        self.areas.iter().fold(are_counted, |condition, areas| {
            let are_apart = areas.are_apart(writer, rounds, &mut |writer, value| writer.again(value, is_inside, known));
            writer.emit(Op::Binary(BinaryOp::And, condition, are_apart), bool)
        })
    }
}

/// Does an operation write what is loaded from a place that is the same in all rounds?
#[derive(Clone, Copy, PartialEq)]
enum Meets {
    Never,
    /// As can be asked.
    MayBe,
    /// Or nobody can ask.
    Surely,
}

impl Meets {
    /// Of so many bytes; other places of the same record are known.
    fn of(function: &Function, op: &Op, pointer: Value, size: u64) -> Meets {
        if !may_write(function, op, pointer) {
            return Meets::Never;
        }
        let &Op::Store { pointer: written, value, .. } = op else { return Meets::Surely };
        match Address::of(function, written).distance(&Address::of(function, pointer)) {
            Some(distance) if distance >= function.ty(value).bytes() as i64 || distance <= -(size as i64) => Meets::Never,
            Some(_) => Meets::Surely,
            None => Meets::MayBe,
        }
    }
}
