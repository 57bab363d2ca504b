//! Rounds of a loop over single numbers become rounds over blocks of them.
//!
//! ```text
//! block1(i):                                  block7(i):
//!     branch i < n, block2, block5                branch n − i ≥ 8, block8, block1(i)
//! block2:                                     block8:
//!     x = load a + 4 · i: f32                     x = load a + 4 · i: f32×8
//!     c = compare.fgt x, h                        c = compare.fgt x, (splat h)
//!     branch c, block3, block4(x)       ──►       y = select c, (splat h), x
//! block3:                                         store o + 4 · i, y
//!     jump block4(h)                              jump block7(i + 8)
//! block4(y):                                  block1(i): those that are left, as before
//!     store o + 4 · i, y
//!     jump block1(i + 1)
//! block5:
//! ```
//! A `for` over the elements of arrays says what a `foreach` says wherever no round looks at what another one did; it is what whoever comes from C writes first.
//!
//! # Why this is right
//! * *Values.* Lane k of a block is round i + k. Numbers of the loop that go on by a constant from round to round stay scalars, and are a ramp where they are data; all else is
//!   computed lane by lane. Floats are not added up in another order.
//! * *Memory.* Of two accesses of which one writes, the later one of a round comes behind the earlier one of all rounds. So no round may touch what another one writes: the two lead to
//!   different memory ([`may_touch`]; arrays of an exported function that are written are no others), or go on by as much each round, and each round has bytes of its own,
//!   or the earlier one only touches what the later one does in the same round or one that is still to come (`a[i] = a[i] + a[i + 1]`),
//!   or they are as far apart as numbers say (`o[i]` and `o[i - 4]`; so many rounds are a block at most), or as two pointers are that go on alike, of which it is asked in front of the loop that it is more
//!   than a block has (`asked`).
//! * *Branches.* A block runs in the lanes whose rounds come to it, under a mask if that is not each round. What it computes has no effect, accesses have the mask, but for loads of what an array
//!   is promised to have, or stores there, which write what lies there where the machine has no mask for them, and what comes to a block by several ways is chosen by their masks.
//! * *Other counters.* What grows by a constant each round, `o += 4`, is a number that a block hands on once, grown by as many rounds.
//! * *Totals.* Integers that rounds add up, or combine by another operation that is the same in any order, are one for each lane, and become one behind the loop. So are
//!   sums of running sums, as sums of products (`running_sums`).
//! * *What waits for the round before.* A sum of floats is added up lane by lane behind the rest of a block (`in_order`).
//! * *What is handed on.* A round may look at what the one before it made, and at running totals, and may store behind what others stored (`carried`, `handed_on`).
//! * *Calls.* Who becomes lanes calls what does for lanes what was called for numbers (`lanes` of a module), which neither stores nor asks what other lanes do.
//! * *Control.* The loop is left from its header alone, and has no checks; of loops those of a few rounds, which are written out
//!   where it becomes lanes (`written_out`). Loops that are left where a round finds something, or keep what few rounds change, are `searches`. Rounds at the ends of an array, which ask for neighbours, are done apart (`edges`).
//! * *Loops in a round.* Where the rounds of an inner loop are no lanes, or wait for one another, those of the loop around it are (`outer`).
//! * *What is left.* Behind blocks of all lanes, fewer do what is left; or one block does, in which the lanes behind the end are off, where masks have registers, or which ends where
//!   the loop does, where rounds may be done twice (`write`).

mod access;
mod asked;
mod carried;
mod edges;
mod handed_on;
mod in_order;
mod lane_after_lane;
mod narrow;
mod outer;
mod outer_lanes;
mod peeled;
mod quiet;
mod running_sums;
mod searches;
mod stored_before;
mod sums_below;
mod totals;
mod write;
mod written_out;

use super::Surroundings;
use super::addresses::{Address, Apart, Sum};
use super::counted_loop::{each_round, has_few_rounds, values_of};
use super::jammed_loops::{Access as Place, Counter, constant, rising};
use super::loop_checks::is_pure;
use super::table_look_ups::is_looked_up;
use super::whole_accesses::is_own;
use super::widened_rounds::{Lanes, Total};
use crate::machine::{Machine, Packing};
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use access::{Access, LEAST_WAITING};
use carried::{Carried, What};
use in_order::InOrder;
use quiet::Quiet;
use rustc_hash::{FxHashMap, FxHashSet};

/// Rounds of more instructions, or blocks, are left alone.
const MAX_INSTS: usize = 2000;
const MAX_BLOCKS: usize = 256;
/// Copies of a function have so many instructions in all: twice as many loops in a function twice as long would take four times as long.
const MAX_COPIED: usize = 1 << 17;
/// Fewer lanes than a short register has are not worth it, in bytes.
const LEAST_BYTES: u64 = 16;
/// So many operations that lanes do at once are worth a load of which each lane has its own address.
const GATHER_WORK: usize = 5;
/// A loop of few rounds may be a block of lanes that so many registers have.
const FEW_REGISTERS: u64 = 4;
/// What else grows each round does so by less.
const MAX_GROWTH: u64 = 1 << 16;
/// So many operations of an address are computed in front of a loop.
const DEPTH: u32 = 8;
/// Of records of more members the members are not taken apart.
const MAX_STREAMS: u64 = 8;

/// The blocks in which values are looked at.
pub(super) type Looks = FxHashMap<Value, Vec<Block>>;

/// Vectorises the loops of a function.
pub fn vectorized_rounds(function: &mut Function, around: Surroundings<'_>) {
    if function.inlining == Inlining::Cold {
        return;
    }
    // What earlier passes left without use is no work.
    super::dead_code(function);
    written_out::write_out(function, around);
    peeled::peel(function, around);
    edges::split_edges(function, around);
    stored_before::hand_on_stored(function, around);
    let graph = Graph::new(function);
    narrow::narrow_carried(function, &graph, &looks(function, &graph));
    let mut is_changed = outer::write_outer(function, &graph, around);
    let graph = if is_changed { Graph::new(function) } else { graph };
    let looks = looks(function, &graph);
    let is_header = |block: &Block| graph.innermost_loop(*block) == Some(*block) && !has_few_rounds(function, *block);
    let headers: Vec<Block> = graph.order.iter().copied().filter(is_header).collect();
    for header in headers {
        let rounds = |function: &Function, looks: &Looks| {
            let found = Rounds::of(function, &graph, around, looks, header)?;
            Some((found.times(function, around)?, found))
        };
        let changed = |change: fn(&Function, &Graph, Block) -> Option<Function>| {
            let changed = change(function, &graph, header)?;
            let found = rounds(&changed, &self::looks(&changed, &graph))?;
            Some((Some(changed), found))
        };
        // Sums of running sums are less work as products.
        let found = changed(running_sums::as_products)
            .or_else(|| Some((None, rounds(function, &looks)?)))
            .or_else(|| changed(handed_on::with_loads_first));
        // Where a table puts lanes side by side, few that are on are looked for.
        let packs_few = around.machine.packing == Packing::Table;
        let is_packed = found.as_ref().is_some_and(|(_, (_, found))| found.accesses.iter().any(|access| access.place.is_some()));
        let search =
            if found.is_none() || is_packed && packs_few { searches::Search::of(function, &graph, header, around) } else { None };
        match (search, found) {
            (Some(search), _) => search.write(function, &graph),
            (None, Some((changed, (times, found)))) => {
                changed.into_iter().for_each(|changed| *function = changed);
                found.hoist(function, &graph);
                found.write(function, &graph, around.machine, times);
            }
            (None, None) => {
                let changed = sums_below::with_limit(function, &graph, header);
                let search = |changed: Function| Some((searches::Search::of(&changed, &graph, header, around)?, changed));
                let Some((search, changed)) = changed.and_then(search) else { continue };
                *function = changed;
                search.write(function, &graph);
            }
        }
        is_changed = true;
    }
    if is_changed {
        function.sort_blocks();
    }
}

/// Do the rounds of a loop become lanes, as they are or with the loops in them?
pub(super) fn become_lanes(function: &Function, graph: &Graph, around: Surroundings<'_>, header: Block) -> bool {
    Rounds::are_lanes(function, graph, around, header)
        || written_out::without_loops(function, graph, around, header, &mut { MAX_COPIED }).is_some()
        || outer::are_lanes(function, graph, around, header)
}

/// What makes a copy of a function in which the loop of a header is another one, if that is better; it takes what that costs from a number of instructions.
type Change = fn(&Function, &Graph, Surroundings<'_>, Block, &mut usize) -> Option<Function>;

/// Puts copies in the place of a function, as long as its innermost loops have some.
fn by_copies(function: &mut Function, around: Surroundings<'_>, change: Change) {
    let mut left = MAX_COPIED;
    loop {
        let graph = Graph::new(function);
        let headers = graph.order.iter().copied().filter(|&block| graph.innermost_loop(block) == Some(block));
        let Some(found) = headers.rev().find_map(|header| change(function, &graph, around, header, &mut left)) else { break };
        *function = found;
    }
}

/// The header of a loop in a function whose blocks were numbered anew, by what it counts with; `None` if nothing leads there any more.
fn header_of(function: &Function, counter: Value) -> Option<Block> {
    let ValueDef::Parameter(header, _) = function.values[counter.0 as usize].def else { return None };
    let data = function.blocks.get(header.0 as usize)?;
    data.parameters.contains(&counter).then_some(header)
}

/// Where values are looked at.
pub(super) fn looks(function: &Function, graph: &Graph) -> Looks {
    let mut looks = Looks::default();
    for &block in &graph.order {
        let data = &function.blocks[block.0 as usize];
        let mut look = |value: Value| looks.entry(value).or_default().push(block);
        data.insts.iter().for_each(|inst| function.insts[inst.0 as usize].op.for_each(&mut look));
        data.terminator.for_each(&mut look);
    }
    looks
}

/// Whoever looks at values behind a loop looks at others; `looks` knows where the former are looked at.
pub(super) fn replace_behind(
    function: &mut Function,
    looks: &Looks,
    is_inside: impl Fn(Block) -> bool,
    by: &FxHashMap<Value, Value>,
) {
    let place = |value: &mut Value| *value = by.get(value).copied().unwrap_or(*value);
    let blocks: FxHashSet<Block> = by.keys().flat_map(|value| looks.get(value)).flatten().copied().collect();
    for block in blocks.into_iter().filter(|&block| !is_inside(block)) {
        for inst in function.blocks[block.0 as usize].insts.clone() {
            function.insts[inst.0 as usize].op.for_each_mut(place);
        }
        function.blocks[block.0 as usize].terminator.for_each_mut(place);
    }
}

/// A loop whose header counts, and whose last block goes back to it; it may be left from any of them.
struct Frame {
    counter: Counter,
    /// Is a block in the loop?
    inside: Vec<bool>,
    /// Those behind the header, in order.
    blocks: Vec<Block>,
}

impl Frame {
    /// That of an innermost loop.
    fn of(function: &Function, graph: &Graph, header: Block) -> Option<Frame> {
        Frame::around(function, graph, header, rising(function, graph, header)?, false)
    }

    /// That of a header; `may_have_loops`: others in it, of which nothing is said.
    fn around(function: &Function, graph: &Graph, header: Block, counter: Counter, may_have_loops: bool) -> Option<Frame> {
        let inside = graph.natural_loop(header)?;
        let all = || graph.order.iter().copied().filter(|block| inside[block.0 as usize]);
        let is_own = |block: Block| graph.innermost_loop(block) == Some(header);
        if !may_have_loops && !all().all(is_own) {
            return None;
        }
        let blocks: Vec<Block> = all().filter(|block| *block != header).collect();
        let leads_to =
            |block: Block, to: Block| function.blocks[block.0 as usize].terminator.targets().any(|target| target.block == to);
        let (&latch, others) = blocks.split_last()?;
        let goes_on = matches!(&function.blocks[latch.0 as usize].terminator, Terminator::Jump(target) if target.block == header);
        if !goes_on
            || blocks.iter().any(|block| is_own(*block) && is_choice(function, *block))
            || others.iter().any(|block| leads_to(*block, header))
        {
            return None;
        }
        let insts_of = |block: Block| function.blocks[block.0 as usize].insts.iter().copied();
        let is_pointer = |value: &Value| function.ty(*value).element == Element::Ptr;
        let chooses_pointers = |block: &Block| function.blocks[block.0 as usize].parameters.iter().any(is_pointer);
        let is_small = all().flat_map(insts_of).count() <= MAX_INSTS && blocks.len() <= MAX_BLOCKS;
        let chooses = blocks.iter().any(|block| is_own(*block) && chooses_pointers(block));
        (is_small && !chooses).then_some(Frame { counter, inside, blocks })
    }
}

/// Do both ways of a branch lead to one block? They have no masks there.
fn is_choice(function: &Function, block: Block) -> bool {
    let mut targets = function.blocks[block.0 as usize].terminator.targets();
    targets.next().is_some_and(|first| targets.next().is_some_and(|second| second.block == first.block))
}

/// What becomes of the parameters of a header from round to round, by kind; of the others nothing does.
#[derive(Default)]
struct HandedOn {
    totals: Vec<Total>,
    carried: Vec<Carried>,
    in_order: InOrder,
    growing: Vec<(usize, i64)>,
}

/// A loop whose rounds may be lanes.
struct Rounds {
    header: Block,
    counter: Counter,
    totals: Vec<Total>,
    /// What a round hands on to the next one.
    carried: Vec<Carried>,
    /// What rounds do one after another.
    in_order: InOrder,
    /// What else grows by a constant each round, by its place among the header's parameters.
    growing: Vec<(usize, i64)>,
    /// As many rounds at most as another access of the same array is behind or ahead of one that writes; `None`: any number.
    most: Option<u64>,
    /// The blocks of a round behind the header, in order; the last one goes back.
    blocks: Vec<Block>,
    /// Which blocks are run in every round?
    in_each: FxHashSet<Block>,
    /// What goes on by a constant from round to round, and so stays a scalar.
    lines: Lanes,
    accesses: Vec<Access>,
    /// What has to be apart, and the greatest step and element of both.
    apart: Vec<(Apart, u64, u64)>,
    /// The stores that come behind all else of a block.
    late: Vec<Inst>,
    /// What is called for lanes, by who calls it for numbers, and of how many.
    calls: FxHashMap<Inst, (FunctionId, u8)>,
}

impl Rounds {
    fn of(function: &Function, graph: &Graph, around: Surroundings<'_>, looks: &Looks, header: Block) -> Option<Rounds> {
        let machine = around.machine;
        let (mut rounds, inside) = Rounds::shape(function, graph, around, header)?;
        let is_left = |block: &Block| {
            let mut targets = function.blocks[block.0 as usize].terminator.targets();
            targets.any(|target| !inside[target.block.0 as usize])
        };
        if rounds.blocks.iter().any(is_left) {
            return None;
        }
        rounds.find_promised(function, graph, machine);
        (rounds.knows_its_end(function, graph, &inside)
            && rounds.is_seen_as_a_whole(function, looks, &inside)
            && rounds.is_worth_its_order(function)
            && rounds.is_apart(function))
        .then_some(rounds)
    }

    /// Do the rounds of a loop become lanes?
    fn are_lanes(function: &Function, graph: &Graph, around: Surroundings<'_>, header: Block) -> bool {
        let rounds = Rounds::of(function, graph, around, &looks(function, graph), header);
        rounds.is_some_and(|rounds| rounds.times(function, around).is_some())
    }

    /// Are the rounds of a loop, as many as there are, one block whose lanes lie side by side wherever they are, of which none waits for another one?
    fn are_a_row(function: &Function, graph: &Graph, around: Surroundings<'_>, header: Block) -> bool {
        let rounds = Rounds::of(function, graph, around, &looks(function, graph), header);
        rounds.is_some_and(|rounds| {
            let waits = !rounds.totals.is_empty() || !rounds.carried.is_empty() || !rounds.in_order.indices.is_empty();
            let lanes = rounds.times(function, around).map(u64::from);
            !waits
                && rounds.accesses.iter().all(Access::is_one_or_dense)
                && lanes.is_some()
                && lanes == rounds.counter.rounds(function)
        })
    }

    /// Do rounds that have rows in them become lanes all the same? Rows are better than lanes of which one is in another row of memory than the next one, and than few
    /// lanes that go through the same memory together.
    fn are_lanes_beside_rows(function: &Function, graph: &Graph, around: Surroundings<'_>, header: Block) -> bool {
        let rounds = Rounds::of(function, graph, around, &looks(function, graph), header);
        rounds.is_some_and(|rounds| {
            let is_regular = match rounds.counter.rounds(function) {
                Some(_) => rounds.accesses.iter().all(Access::is_one_or_dense),
                None => rounds.is_dense(),
            };
            is_regular && rounds.times(function, around).is_some()
        })
    }

    /// A loop of which a round is made of what lanes do, and its blocks.
    fn shape(function: &Function, graph: &Graph, around: Surroundings<'_>, header: Block) -> Option<(Rounds, Vec<bool>)> {
        let frame = Frame::of(function, graph, header)?;
        let Frame { counter, blocks, .. } = &frame;
        let latch = *blocks.last()?;
        let Terminator::Jump(back) = &function.blocks[latch.0 as usize].terminator else { unreachable!("it goes back") };
        let HandedOn { mut totals, mut carried, mut in_order, mut growing } = HandedOn::default();
        for (index, (&parameter, &next)) in function.blocks[header.0 as usize].parameters.iter().zip(&back.arguments).enumerate()
        {
            if parameter != counter.value && parameter != next {
                if let Some(by) = each_round(function, parameter, next).filter(|growth| growth.unsigned_abs() <= MAX_GROWTH) {
                    growing.push((index, by));
                    continue;
                }
                match totals::total(function, header, counter, blocks, index) {
                    Some(total) => totals.push(total),
                    None => {
                        let found = Carried::of(function, header, blocks, index, next)?;
                        let is_last = matches!(found.what, What::Last(_));
                        match InOrder::of(function, header, blocks, index).filter(|_| is_last) {
                            Some(other) => in_order.and(function, header, blocks, other)?,
                            None => carried.push(found),
                        }
                    }
                }
            }
        }
        // What is known by others is no number of its own.
        totals.retain(|total| !in_order.indices.contains(&total.index));
        carried.retain(|carried| !in_order.indices.contains(&carried.index));
        let rounds = Rounds::of_frame(function, graph, around, header, &frame, HandedOn { totals, carried, in_order, growing })?;
        rounds.hands_on_in_order(function).then_some((rounds, frame.inside))
    }

    /// The quiet rounds of a loop, which are made of what lanes do, what tells them from others, and the loop's blocks.
    fn quiet(function: &Function, graph: &Graph, around: Surroundings<'_>, header: Block) -> Option<(Rounds, Quiet, Vec<bool>)> {
        let counter = rising(function, graph, header).or_else(|| sums_below::counter_below(function, graph, header))?;
        let mut frame = Frame::around(function, graph, header, counter, true)?;
        let quiet = Quiet::of(function, graph, header, &frame.counter, &frame.blocks)?;
        frame.blocks = quiet.blocks.clone();
        let rounds = Rounds::of_frame(function, graph, around, header, &frame, Default::default())?;
        rounds.apart.is_empty().then_some((rounds, quiet, frame.inside))
    }

    /// Rounds of the blocks of a frame, if lanes do what is in them. What the header is handed is the same in all of them, but for the counter and totals.
    fn of_frame(
        function: &Function,
        graph: &Graph,
        around: Surroundings<'_>,
        header: Block,
        Frame { counter, inside, blocks }: &Frame,
        HandedOn { totals, mut carried, in_order, growing }: HandedOn,
    ) -> Option<Rounds> {
        let (counter, blocks) = (*counter, blocks.clone());
        let within: Vec<Block> = graph.order.iter().copied().filter(|block| inside[block.0 as usize]).collect();
        let defined = values_of(function, &within);
        let parameters = function.blocks[header.0 as usize].parameters.iter().enumerate();
        let is_changed = |index: usize| {
            let is_carried = carried.iter().any(|carried| carried.index == index) || in_order.indices.contains(&index);
            is_carried || totals.iter().any(|total| total.index == index)
        };
        let same = parameters.filter(|(index, _)| !is_changed(*index));
        let grows = |index: usize| growing.iter().find(|(grown, _)| *grown == index).map(|(_, by)| *by);
        let steps: FxHashMap<Value, i64> =
            same.map(|(index, &parameter)| (parameter, grows(index).unwrap_or(counter.growth(parameter)))).collect();
        for carried in &mut carried {
            let parameter = carried.parameter;
            let Some(place) = carried.place_mut() else { continue };
            let outer = steps.iter().filter(|(_, step)| **step == 0).map(|(value, _)| (*value, 0));
            place.lines = Lanes { lanes: 1, inside: defined.clone(), steps: outer.chain([(parameter, 1)]).collect() };
        }
        let latch = *blocks.last()?;
        let in_each = blocks.iter().copied().filter(|&block| graph.dominates(block, latch)).collect();
        let lines = Lanes { lanes: 1, inside: defined, steps };
        let mut rounds = Rounds {
            header,
            counter,
            totals,
            carried,
            in_order,
            growing,
            blocks,
            in_each,
            lines,
            accesses: Vec::new(),
            apart: Vec::new(),
            late: Vec::new(),
            most: None,
            calls: FxHashMap::default(),
        };
        rounds.learn(function, around)?;
        Some(rounds)
    }

    /// Looks at all that a round does; `None` for what lanes do not.
    fn learn(&mut self, function: &Function, around: Surroundings<'_>) -> Option<()> {
        let Terminator::Branch { condition, .. } = function.blocks[self.header.0 as usize].terminator else { return None };
        for block in [self.header].into_iter().chain(self.blocks.clone()) {
            for &inst in &function.blocks[block.0 as usize].insts {
                let data = &function.insts[inst.0 as usize];
                let is_single = data.results.iter().all(|result| function.ty(*result).length == 1);
                if !is_single {
                    return None;
                }
                if data.results.iter().any(|result| self.in_order.values.contains(result)) {
                    continue;
                }
                if let [result] = data.results[..]
                    && let Some(step) = self.step(function, &data.op).or_else(|| self.asked_step(function, data))
                {
                    if matches!(data.op, Op::StreamingLoad { .. }) {
                        return None;
                    }
                    // A load that is the same in all rounds is there only if one of them comes to it.
                    if matches!(data.op, Op::Load { .. }) {
                        let access = self.access(function, block, inst)?;
                        if !self.in_each.contains(&block) && !self.is_there_below_sum(function, &access) {
                            return None;
                        }
                        self.accesses.push(access);
                    }
                    self.lines.steps.insert(result, step);
                    let places = self.carried.iter_mut().filter_map(Carried::place_mut).filter(|_| step == 0);
                    places.for_each(|place| _ = place.lines.steps.insert(result, 0));
                    continue;
                }
                if self.learn_of_places(function, data) {
                    continue;
                }
                // The header compares the counter, and has nothing else but what else it may go on by.
                if block == self.header {
                    let is_part =
                        || is_pure(&data.op) && matches!(function.definition(condition), Some(Op::Binary(BinaryOp::Or, ..)));
                    if data.results[..] == [condition] || is_part() {
                        continue;
                    }
                    return None;
                }
                let mut looks_at_place = false;
                data.op.for_each(|operand| looks_at_place |= self.is_of_place(operand));
                match data.op {
                    Op::Store { pointer, value, mask: None, streaming: false }
                        if self.is_of_place(pointer) && !self.is_of_place(value) =>
                    {
                        self.accesses.push(self.access(function, block, inst)?);
                    }
                    _ if looks_at_place => return None,
                    Op::Binary(op, _, by) if !is_division(op) || is_divisor(function, by) => {}
                    Op::Select(_, a, _) | Op::Compare(_, a, _) if function.ty(a).element == Element::Ptr => return None,
                    Op::Unary(..) | Op::Fma(..) | Op::Compare(..) | Op::Select(..) | Op::Convert(..) => {}
                    Op::PtrIndex { base, .. } if self.is_line(function, base) => {}
                    Op::Call(callee, ref arguments) => {
                        let (of, times) = around.lanes_of(function, callee, arguments)?;
                        let is_one = data.results.len() == 1 && self.calls.values().all(|(_, other)| *other == times);
                        if !is_one || !of.is_total && !self.in_each.contains(&block) {
                            return None;
                        }
                        self.calls.insert(inst, (of.lanes, times));
                    }
                    Op::Load { mask: None, .. } | Op::Store { mask: None, streaming: false, .. } => {
                        self.accesses.push(self.access(function, block, inst)?);
                    }
                    _ => return None,
                }
            }
        }
        Some(())
    }

    /// Is it known in front of the loop how far the counter goes, or computed by the header from what is known there?
    fn knows_its_end(&self, function: &Function, graph: &Graph, inside: &[bool]) -> bool {
        if !self.lines.inside.contains(&self.counter.limit) {
            return true;
        }
        let is_computed =
            self.invariant(function).iter().any(|inst| function.insts[inst.0 as usize].results[..] == [self.counter.limit]);
        is_computed && graph.predecessors[self.header.0 as usize].iter().filter(|block| !inside[block.0 as usize]).count() == 1
    }

    /// What the header computes from what is there before it.
    fn invariant(&self, function: &Function) -> Vec<Inst> {
        let mut computed = FxHashSet::default();
        let mut found = Vec::new();
        for &inst in &function.blocks[self.header.0 as usize].insts {
            let InstData { op, results, .. } = &function.insts[inst.0 as usize];
            let mut is_outer = is_pure(op);
            op.for_each(|operand| is_outer &= !self.lines.inside.contains(&operand) || computed.contains(&operand));
            if is_outer {
                computed.extend(results.iter().copied());
                found.push(inst);
            }
        }
        found
    }

    /// Moves that to the block that leads to the loop.
    fn hoist(&self, function: &mut Function, graph: &Graph) {
        if !self.lines.inside.contains(&self.counter.limit) {
            return;
        }
        let found = self.invariant(function);
        let is_before = |block: &&Block| **block != *self.blocks.last().expect("a round has a block");
        let before = graph.predecessors[self.header.0 as usize].iter().find(is_before).expect("a block leads to the loop");
        function.blocks[self.header.0 as usize].insts.retain(|inst| !found.contains(inst));
        function.blocks[before.0 as usize].insts.extend(found);
    }

    /// What the result of an operation grows by each round. The counter does not wrap below its end, and so is as many in more bits.
    fn step(&self, function: &Function, op: &Op) -> Option<i64> {
        let signed = self.counter.op == CompareOp::SLt;
        match op {
            Op::Convert(ConvertOp::SExt, from) if signed && *from == self.counter.value => Some(self.counter.growth(*from)),
            Op::Convert(ConvertOp::ZExt, from) if !signed && *from == self.counter.value => Some(self.counter.growth(*from)),
            op => self.lines.step(function, op),
        }
    }

    fn is_line(&self, function: &Function, value: Value) -> bool {
        self.lines.step_of(function, value).is_some()
    }

    fn access(&self, function: &Function, block: Block, inst: Inst) -> Option<Access> {
        let InstData { op, results, .. } = &function.insts[inst.0 as usize];
        let (pointer, value, is_store) = match *op {
            Op::Load { pointer, .. } => (pointer, results[0], false),
            Op::Store { pointer, value, .. } => (pointer, value, true),
            _ => return None,
        };
        let ty = function.ty(value);
        let step = self.lines.step_of(function, pointer);
        let is_aligned = step.is_none_or(|step| step % ty.element.size() as i64 == 0);
        let place = self.place_of(pointer);
        // Lanes of conditions lie side by side, and are neither packed nor taken apart.
        let is_side_by_side = place.is_none() && step.is_some_and(|step| step.unsigned_abs() <= 1);
        let is_number = ty.element.is_int() || ty.element.is_float() || ty.element == Element::Bool && is_side_by_side;
        let is_plain = ty.length == 1 && is_number;
        let is_packed = |(place, step): (usize, i64)| {
            self.carried[place].place().is_some_and(|place| place.block == block) && step == ty.element.size() as i64
        };
        (is_aligned && is_plain && place.is_none_or(is_packed) && !(is_store && step == Some(0))).then(|| Access {
            inst,
            pointer,
            address: Address::of(function, pointer),
            step,
            size: ty.element.size(),
            is_store,
            in_each: self.in_each.contains(&block),
            is_there: false,
            is_asked: false,
            place: place.map(|(place, _)| place),
        })
    }

    /// Finds the elements that the caller promises, in as many rounds as there are. A number of elements less some may wrap: then each
    /// round looks at others beside them. What is stored in some rounds is written as it was in others, if it is nobody else's, and may as well be
    /// looked at in each, where the machine does not store under a mask.
    fn find_promised(&mut self, function: &Function, graph: &Graph, machine: &Machine) {
        let times = self.accesses.iter().map(|access| access.size).max().map_or(1, |widest| machine.lanes(widest));
        for index in 0..self.accesses.len() {
            let access = &self.accesses[index];
            // Lanes of a mask are in the order of rounds, not of memory.
            let has_mask = machine.has_masked_moves(access.size, times) && access.step > Some(0);
            let has_no_mask = || !has_mask && is_own(function, access.pointer);
            if access.in_each || !access.is_dense() || access.is_store && !has_no_mask() {
                continue;
            }
            let is_beside =
                |other: &Access| other.in_each && other.step == access.step && other.address.distance(&access.address).is_some();
            let ty = match &function.insts[access.inst.0 as usize] {
                InstData { op: Op::Store { value, .. }, .. } => function.ty(*value),
                InstData { results, .. } => function.ty(results[0]),
            };
            let place = Place::of(self.counter.body, access.pointer, ty, None);
            let is_looked_at = |other: &Access| is_beside(other) && other.address.distance(&access.address) == Some(0);
            let is_given = |value: Value| matches!(function.values[value.0 as usize].def, ValueDef::Parameter(Block(0), _));
            let is_exact = match function.definition(self.counter.limit) {
                Some(&Op::Binary(BinaryOp::SMin, a, b)) => is_given(a) || is_given(b),
                _ => is_given(self.counter.limit),
            };
            // An object has all that lies between two of its elements.
            let is_on = |side: i64| {
                self.accesses
                    .iter()
                    .any(|other| is_beside(other) && other.address.distance(&access.address).is_some_and(|to| to * side >= 0))
            };
            let is_there = (is_exact || self.accesses.iter().any(is_beside)) && place.promised(function, graph).is_some()
                || !access.is_store && is_on(1) && is_on(-1)
                || access.step < Some(0) && self.is_promised_downwards(function, access)
                || access.is_store && self.accesses.iter().any(is_looked_at);
            self.accesses[index].is_there = is_there;
        }
    }

    /// Are all elements that rounds look at, from the last one on downwards, those that the caller promises? Of n elements round j of n + k looks at that of
    /// n − j + c: the first is one of them where c < 0, the last one where c ≥ k − 1.
    fn is_promised_downwards(&self, function: &Function, access: &Access) -> bool {
        let promised = || {
            let (array, index, size) = access.address.element()?;
            let ValueDef::Parameter(Block(0), place) = function.values[array.0 as usize].def else { return None };
            let elements = function.parameter_flags.get(place as usize)?.elements?;
            let Count::Parameter(count) = elements.count else { return None };
            let is_count = |value: Value| function.values[value.0 as usize].def == ValueDef::Parameter(Block(0), count);
            let Some(&Op::Select(_, rounds, zero)) = function.definition(self.counter.limit) else { return None };
            let rounds = Sum::of(function, rounds);
            let ([(of, 1)], Some(0)) = (&rounds.terms[..], constant(function, zero)) else { return None };
            let is_one = |value: &Value, factor: i64| index.terms.contains(&(*value, factor));
            let falls = index.terms.len() == 2 && is_one(of, 1) && is_one(&self.counter.value, -1);
            let is_inside = index.constant < 0 && index.constant + 1 >= rounds.constant;
            Some(is_count(*of) && falls && is_inside && size as u64 == elements.size && elements.size == access.size)
        };
        promised() == Some(true)
    }

    /// Does nobody behind the loop look at more than the parameters of its header?
    fn is_seen_as_a_whole(&self, function: &Function, looks: &Looks, inside: &[bool]) -> bool {
        let parameters = &function.blocks[self.header.0 as usize].parameters;
        let Terminator::Branch { otherwise, .. } = &function.blocks[self.header.0 as usize].terminator else { return false };
        let is_inside = |block: &Block| inside[block.0 as usize];
        self.lines.inside.iter().filter(|value| !parameters.contains(value)).all(|value| {
            !otherwise.arguments.contains(value) && looks.get(value).is_none_or(|blocks| blocks.iter().all(is_inside))
        })
    }

    /// Do accesses like this one go through the same memory together: loads through at least half of it, stores through all?
    fn is_interleaved(&self, access: &Access) -> bool {
        let Some(step) = access.step.map(i64::unsigned_abs).filter(|step| (1..=MAX_STREAMS * access.size).contains(step)) else {
            return false;
        };
        let is_like = |other: &&Access| {
            (other.step, other.size, other.is_store) == (access.step, access.size, access.is_store)
                && (other.in_each || !other.is_store)
        };
        let distances = self.accesses.iter().filter(is_like).filter_map(|other| other.address.distance(&access.address));
        let places: FxHashSet<i64> = distances.map(|bytes| bytes.rem_euclid(step as i64)).collect();
        let touched = places.len() as u64 * access.size;
        if access.is_store { touched == step } else { 2 * touched >= step }
    }

    /// The results of operations of every round that lanes do at once.
    fn computed<'a>(&'a self, function: &'a Function) -> impl Iterator<Item = Value> + 'a {
        let insts = self.in_each.iter().flat_map(|block| &function.blocks[block.0 as usize].insts);
        let is_work = |op: &Op| {
            matches!(op, Op::Unary(..) | Op::Binary(..) | Op::Fma(..) | Op::Compare(..) | Op::Select(..) | Op::Convert(..))
        };
        let data = insts.map(|inst| &function.insts[inst.0 as usize]).filter(move |data| is_work(&data.op));
        data.map(|data| data.results[0]).filter(|result| !self.lines.steps.contains_key(result))
    }

    /// How many of them there are.
    fn work(&self, function: &Function) -> usize {
        self.computed(function).count()
    }

    /// The bytes of the widest one.
    fn widest_number(&self, function: &Function) -> u64 {
        self.computed(function).map(|result| function.ty(result).element.size()).max().unwrap_or(0)
    }

    /// Are all accesses the same in all rounds, or side by side with those of other rounds?
    fn is_dense(&self) -> bool {
        let mut own = self.accesses.iter().filter(|access| access.step != Some(0) && access.place.is_none());
        own.all(|access| access.is_dense() || self.is_interleaved(access))
    }

    /// How many rounds are to be the lanes of one: as many as a register has of the widest numbers in memory.
    fn times(&self, function: &Function, around: Surroundings<'_>) -> Option<u8> {
        let machine = around.machine;
        let varying = || self.accesses.iter().filter(|access| access.step != Some(0));
        let own = varying().filter(|access| access.place.is_none());
        let widest = varying().map(|access| access.size).max()?;
        let is_in_table = |access: &&Access| {
            let lanes = machine.lanes(widest);
            access.step.is_none() && !access.is_store && is_looked_up(function, access.pointer, access.size, lanes, around)
        };
        // What small tables have is looked up in registers.
        let (dense, scattered): (Vec<_>, Vec<_>) =
            own.filter(|access| !is_in_table(access)).partition(|access| access.is_dense() || self.is_interleaved(access));
        let is_worth_gathers =
            || scattered.iter().all(|access| !access.is_store) && self.work(function) >= GATHER_WORK * scattered.len();
        let is_regular = !dense.is_empty() && (scattered.len() <= dense.len() || is_worth_gathers());
        let called = self.calls.values().next().map(|(_, times)| *times);
        let rounds = self.counter.rounds(function).unwrap_or(u64::MAX);
        // Few bytes may become wider numbers.
        let wide = widest.max(self.widest_number(function));
        let is_enough = |lanes: u8| u64::from(lanes) * wide >= LEAST_BYTES;
        // As many as there are, if these are few: then there is no loop.
        let all = u8::try_from(rounds).ok().filter(|all| {
            let bytes = u64::from(*all) * widest;
            all.is_power_of_two() && is_enough(*all) && bytes <= FEW_REGISTERS * u64::from(machine.register_bytes)
        });
        // Rounds that wait for one some rounds before run beside those in between.
        let waits = self.most.is_some_and(|most| most < called.or(all).unwrap_or(machine.lanes(widest)).into());
        let all = if waits { Some(u8::try_from(self.most?).ok().filter(|_| called.is_none())?) } else { all };
        let times = called.or(all).unwrap_or(machine.lanes(widest));
        // So few that no block of all lanes is ever there.
        let has_block = self.counter.most_rounds(function).is_none_or(|most| most >= u64::from(times));
        let has_mask = |access: &Access| access.step == Some(access.size as i64) && machine.has_masked_moves(access.size, times);
        let is_gathered = |access: &Access| {
            !access.is_store && access.step.is_none() && machine.gather.is_some_and(|reach| reach.takes(access.size, times))
        };
        let is_cheap = self.accesses.iter().all(|access| match access.place {
            Some(_) => machine.packs(access.size, times),
            None => access.in_each || access.is_there || has_mask(access) || is_gathered(access),
        });
        // Too few for two blocks of all lanes may be blocks of fewer lanes, if none is left.
        let times = if rounds >= 2 * u64::from(times) || rounds == u64::from(times) {
            times
        } else {
            let parts = u8::try_from(rounds & rounds.wrapping_neg()).ok()?.min(times);
            Some(parts).filter(|&parts| (is_enough(parts) || waits && u64::from(parts) >= LEAST_WAITING) && called.is_none())?
        };
        (is_regular && is_cheap && has_block && times > 1).then_some(times)
    }
}

/// Quotients by constants are products; by 0 and −1 they are asked for.
fn is_divisor(function: &Function, by: Value) -> bool {
    let bits = function.ty(by).element.bits();
    let minus_one = u64::MAX >> (64 - bits);
    let is_fine = |lanes: Vec<u64>| lanes.iter().all(|&by| by != 0 && by & minus_one != minus_one);
    bits <= 32 && function.constant(by).is_some_and(is_fine)
}

/// Other quotients have no instruction for vectors.
pub(super) fn is_division(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::SDiv | BinaryOp::UDiv | BinaryOp::SRem | BinaryOp::URem)
}
