//! Comparisons that are collected over the rounds of a loop are one comparison, behind it, of the greatest or least number.
//!
//! ```text
//! block1(i, good):                              block1(i, g):
//!     branch i < n, block2, block3                  branch i < n, block2, block4
//! block2:                                       block2:
//!     c = compare.ugt x, 63                         h = umax g, x
//!     next = select c, false, good    ──►           jump block1(i + 64, h)
//!     jump block1(i + 64, next)                 block4:
//! block3:                                           c = compare.ugt g, 63
//!     all good                                      good = select c, false, true
//!                                                   jump block3
//! ```
//! Nobody looks at what was collected before the loop is left, which its header does. What is compared with is the same in all rounds, and it
//! is one number above or below which something happens: `x > k` for some round says the same as of the greatest x. Lanes keep to themselves, so
//! that it does not matter who looks at them afterwards. A number with which nothing happens is there before the first round.
//!
//! It is done where the machine has the greater of two numbers at no more than a comparison.

use super::surroundings::Surroundings;
use crate::machine::Machine;
use crate::source::Span;
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use rustc_hash::FxHashMap;

/// Rewrites what a function's loops collect.
pub fn collected_comparisons(function: &mut Function, around: Surroundings<'_>) {
    let is_mask = |value: &Value| matches!(function.ty(*value), Type { element: Element::Bool, length } if length > 1);
    if !function.blocks.iter().skip(1).any(|block| block.parameters.iter().any(is_mask)) {
        return;
    }
    // What earlier passes left without use looks at nothing.
    super::dead_code(function);
    let mut graph = Graph::new(function);
    let headers: Vec<Block> = graph.order.iter().copied().filter(|&block| graph.innermost_loop(block) == Some(block)).collect();
    let mut has_changed = false;
    for header in headers {
        while let Some(collection) = Collection::of(function, &graph, header, around.machine) {
            collection.rewrite(function);
            graph = Graph::new(function);
            has_changed = true;
        }
    }
    if has_changed {
        function.sort_blocks();
    }
}

/// What a loop collects in a parameter of its header.
struct Collection {
    header: Block,
    /// Its place among the parameters.
    place: usize,
    /// Where the loop is entered, and where it goes back.
    entry: Block,
    latch: Block,
    /// Where the loop goes on when it is left.
    exit: Block,
    /// Where the mask changes.
    block: Block,
    inst: Inst,
    event: Event,
    /// Are lanes switched on by it, rather than off?
    switches_on: bool,
}

/// A comparison with a number that is the same in all rounds.
#[derive(Clone, Copy)]
struct Event {
    value: Value,
    op: CompareOp,
    limit: Value,
}

impl Event {
    /// That a mask is on, or off.
    fn of(function: &Function, mask: Value, is_on: bool, is_known_before: impl Fn(Value) -> bool) -> Option<Event> {
        match *function.definition(mask)? {
            Op::Unary(UnaryOp::Not, mask) => Event::of(function, mask, !is_on, is_known_before),
            Op::Compare(op, a, b) => {
                let (value, op, limit) = match (is_known_before(a), is_known_before(b)) {
                    (false, true) => (a, op, b),
                    (true, false) => (b, op.swapped()?, a),
                    _ => return None,
                };
                Some(Event { value, op: if is_on { op } else { op.negated()? }, limit })
            }
            _ => None,
        }
    }

    /// The operation that keeps the number for which it happens first, and a number for which it does not happen.
    fn kept(self, function: &Function) -> Option<(BinaryOp, u64)> {
        let bits = function.ty(self.value).element.bits();
        let all = u64::MAX >> (64 - bits);
        let (op, start) = match self.op {
            CompareOp::UGt | CompareOp::UGe => (BinaryOp::UMax, 0),
            CompareOp::ULt | CompareOp::ULe => (BinaryOp::UMin, all),
            CompareOp::SGt | CompareOp::SGe => (BinaryOp::SMax, (all >> 1) + 1),
            CompareOp::SLt | CompareOp::SLe => (BinaryOp::SMin, all >> 1),
            _ => return None,
        };
        // It happens for all numbers where the limit is the last one.
        let is_strict = matches!(self.op, CompareOp::UGt | CompareOp::ULt | CompareOp::SGt | CompareOp::SLt);
        let is_never = || function.constant(self.limit).is_some_and(|lanes| lanes.iter().all(|lane| *lane != start));
        (is_strict || is_never()).then_some((op, start))
    }
}

/// Has the machine this operation for such numbers?
fn is_cheap(op: BinaryOp, element: Element, machine: &Machine) -> bool {
    let is_signed = matches!(op, BinaryOp::SMin | BinaryOp::SMax);
    match element {
        Element::I8 => !is_signed || machine.looks_up(8, 16, 16),
        Element::I16 => is_signed || machine.looks_up(8, 16, 16),
        Element::I32 => machine.looks_up(8, 16, 16),
        _ => element == Element::I64 && machine.has_mask_registers(),
    }
}

impl Collection {
    fn of(function: &Function, graph: &Graph, header: Block, machine: &Machine) -> Option<Collection> {
        let inside = graph.natural_loop(header)?;
        let [a, b] = graph.predecessors[header.0 as usize][..] else { return None };
        let (entry, latch) = match (inside[a.0 as usize], inside[b.0 as usize]) {
            (false, true) => (a, b),
            (true, false) => (b, a),
            _ => return None,
        };
        let is_inside = |block: Block| inside[block.0 as usize];
        let mut exits = Vec::new();
        for &block in graph.order.iter().filter(|block| is_inside(**block)) {
            let targets = function.blocks[block.0 as usize].terminator.targets().map(|target| target.block);
            exits.extend(targets.filter(|target| !is_inside(*target)).map(|target| (block, target)));
        }
        let exit = match exits[..] {
            [(from, exit)] if from == header => exit,
            _ => return None,
        };
        let is_made_inside: FxHashMap<Inst, Block> = graph
            .order
            .iter()
            .filter(|block| is_inside(**block))
            .flat_map(|&block| function.blocks[block.0 as usize].insts.iter().map(move |&inst| (inst, block)))
            .collect();
        let is_known_before = |value: Value| match function.values[value.0 as usize].def {
            ValueDef::Parameter(block, _) => !is_inside(block),
            ValueDef::Result(inst, _) => !is_made_inside.contains_key(&inst) || function.constant(value).is_some(),
        };
        let uses = function.uses();
        let Terminator::Jump(back) = &function.blocks[latch.0 as usize].terminator else { return None };
        let parameters = &function.blocks[header.0 as usize].parameters;
        (0..parameters.len()).find_map(|place| {
            let (mask, next) = (parameters[place], back.arguments[place]);
            let ValueDef::Result(inst, _) = function.values[next.0 as usize].def else { return None };
            let block = *is_made_inside.get(&inst)?;
            let is_alone = uses[next.0 as usize] == 1 && graph.dominates(block, latch) && function.ty(mask).length > 1;
            let is_all =
                |value: Value, bit: u64| function.constant(value).is_some_and(|lanes| lanes.iter().all(|lane| lane & 1 == bit));
            let (changed, is_on, switches_on) = match *function.definition(next)? {
                Op::Select(m, a, old) if old == mask && is_all(a, 0) => (m, true, false),
                Op::Select(m, old, a) if old == mask && is_all(a, 0) => (m, false, false),
                Op::Select(m, a, old) if old == mask && is_all(a, 1) => (m, true, true),
                Op::Select(m, old, a) if old == mask && is_all(a, 1) => (m, false, true),
                Op::Binary(BinaryOp::And, a, b) if a == mask || b == mask => (if a == mask { b } else { a }, false, false),
                Op::Binary(BinaryOp::Or, a, b) if a == mask || b == mask => (if a == mask { b } else { a }, true, true),
                _ => return None,
            };
            let is_of_lanes = function.ty(changed).length == function.ty(mask).length && uses[changed.0 as usize] == 1;
            let event = Event::of(function, changed, is_on, is_known_before).filter(|_| is_alone && is_of_lanes)?;
            let (op, _) = event.kept(function)?;
            let is_worth_it = is_cheap(op, function.ty(event.value).element, machine);
            // In the loop the mask is only changed.
            let mut looks = 0;
            for block in graph.order.iter().filter(|block| is_inside(**block)) {
                let data = &function.blocks[block.0 as usize];
                let mut look = |value: Value| looks += usize::from(value == mask);
                data.insts.iter().for_each(|inst| function.insts[inst.0 as usize].op.for_each(&mut look));
                let stays_inside = |target: &&Target| is_inside(target.block);
                data.terminator.targets().filter(stays_inside).flat_map(|target| &target.arguments).for_each(|v| look(*v));
            }
            let found = Collection { header, place, entry, latch, exit, block, inst, event, switches_on };
            (is_worth_it && looks == 1).then_some(found)
        })
    }

    fn rewrite(self, function: &mut Function) {
        let Event { value, op: comparison, limit } = self.event;
        let (mask, ty) = (function.blocks[self.header.0 as usize].parameters[self.place], function.ty(value));
        let (mask_type, span) = (function.ty(mask), function.insts[self.inst.0 as usize].span);
        let (op, start) = self.event.kept(function).expect("it was asked for");
        let at_entry = self.argument(function, self.entry);
        let start = push(function, self.entry, Op::Const(vec![start]), ty, span);
        // The parameter is the number from now on.
        let number = Value(function.values.len() as u32);
        function.values.push(ValueData { ty, def: ValueDef::Parameter(self.header, self.place as u32) });
        function.blocks[self.header.0 as usize].parameters[self.place] = number;
        self.set_argument(function, self.entry, start);
        let (kept, next) = function.create(Op::Binary(op, number, value), ty, span);
        let insts = &mut function.blocks[self.block.0 as usize].insts;
        let at = insts.iter().position(|inst| *inst == self.inst).expect("it stands there");
        insts[at] = kept;
        self.set_argument(function, self.latch, next);
        // Behind the loop the mask is what it was at first, changed once.
        let behind = Block(function.blocks.len() as u32);
        function.blocks.push(BlockData::empty());
        let limit = match function.constant(limit) {
            Some(mut lanes) => {
                if lanes.iter().all(|lane| *lane == lanes[0]) {
                    lanes.truncate(1);
                }
                push(function, behind, Op::Const(lanes), ty, span)
            }
            None => limit,
        };
        let has_happened = push(function, behind, Op::Compare(comparison, number, limit), mask_type, span);
        let changed = push(function, behind, Op::Const(vec![self.switches_on.into()]), mask_type, span);
        let collected = push(function, behind, Op::Select(has_happened, changed, at_entry), mask_type, span);
        let mut arguments = Vec::new();
        for target in function.blocks[self.header.0 as usize].terminator.targets_mut().filter(|target| target.block == self.exit)
        {
            arguments = std::mem::take(&mut target.arguments);
            target.block = behind;
        }
        function.blocks[behind.0 as usize].terminator = Terminator::Jump(Target { block: self.exit, arguments });
        function.replace_uses(&FxHashMap::from_iter([(mask, collected)]));
    }

    /// What the header is given from a block for the parameter.
    fn argument(&self, function: &Function, from: Block) -> Value {
        let mut targets = function.blocks[from.0 as usize].terminator.targets();
        targets.find(|target| target.block == self.header).expect("it goes there").arguments[self.place]
    }

    fn set_argument(&self, function: &mut Function, from: Block, value: Value) {
        for target in function.blocks[from.0 as usize].terminator.targets_mut().filter(|target| target.block == self.header) {
            target.arguments[self.place] = value;
        }
    }
}

/// Puts an operation at the end of a block.
fn push(function: &mut Function, block: Block, op: Op, ty: Type, span: Span) -> Value {
    let (inst, value) = function.create(op, ty, span);
    function.blocks[block.0 as usize].insts.push(inst);
    value
}
