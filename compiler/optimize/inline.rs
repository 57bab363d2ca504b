//! Calls of small functions become their bodies.
//!
//! ```text
//! block0(v0: ptr, v1: i32):                    block0(v0: ptr, v1: i32):
//!     v2: i32x8 = ramp v1, 1, exact                v2: i32x8 = ramp v1, 1, exact
//!     v3: f32x8 = call @at(v0, v2)       ──►       v5: ptrx8 = ptrindex v0, v2, scale 4, offset 0
//!     return v3                                    v3: f32x8 = gather v5
//!                                                  return v3
//! ```
//! LLVM inlines as well, but only after the passes here, which must see that an index that a function is given is a ramp,
//! and that a mask that it is given is all on. Callees are taken first, so that what is inlined is itself done. A
//! function stays in the module, for other callers.
//!
//! What has loops, and may be called for the lanes of a plain loop, is not: it would keep that loop from becoming lanes. Loops of few rounds that are known do not: they are
//! [written out](super::vectorized_rounds()) there.
//!
//! What takes a local by reference is inlined where that is more than small, since the local then needs no memory ([`slot_values`]).

use super::alias::base;
use super::slot_values::slot_values;
use super::unrolled_loops::Plan;
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use rustc_hash::FxHashMap;

/// A callee with at most so many instructions is inlined everywhere.
const SMALL: usize = 40;
/// So is, up to this size, one that is given the address of a local, which then needs no memory, and one that computes nothing but bytes of bytes, which may be
/// looked up ([`byte_tables`](super::byte_tables)) where it is known which lanes matter.
const MEDIUM: usize = 160;
/// One that accesses memory at addresses of its own for each lane is inlined up to this size: they may be regular. So is one that
/// runs under a mask and is given the address of a local, and one on single numbers that rounds of a loop call and that is not there for lanes: it would keep these rounds from
/// becoming lanes. One that asks for what all rounds give it alike is inlined, too.
const ACCESSING: usize = 400;
/// Loops of more rounds, or of more instructions in all of them, are not written out in rounds that become lanes.
const MAX_ROUNDS: usize = 16;
const MAX_WRITTEN_OUT: usize = 160;
/// A caller does not grow beyond so many instructions.
const MAX_CALLER: usize = 6000;

/// Inlines calls in all functions of a module.
pub fn inline(module: &mut Module) {
    let order = module.callees_first();
    // Whose body is complete and leads to no function that is not: so nothing recursive is ever inlined.
    let mut done = vec![false; module.functions.len()];
    let had_slots: Vec<bool> = module.functions.iter().map(|function| !function.slots.is_empty()).collect();
    let has_lanes: Vec<bool> =
        (0..module.functions.len() as u32).map(|id| module.lanes.iter().any(|of| of.one == FunctionId(id))).collect();
    // What has loops and may be called for lanes would keep the loops that call it from becoming lanes.
    let stays: Vec<bool> =
        has_lanes.iter().zip(&module.functions).map(|(&lanes, function)| lanes && has_long_loop(function)).collect();
    for id in order {
        let mut function = std::mem::replace(&mut module.functions[id.0 as usize], empty());
        let mut block = 0;
        let mut is_round = in_loops(&function);
        while block < function.blocks.len() {
            let call =
                function.blocks[block].insts.iter().enumerate().find_map(|(at, inst)| match function.insts[inst.0 as usize].op {
                    Op::Call(callee, ref arguments) if done[callee.0 as usize] && !stays[callee.0 as usize] => {
                        let had_slots = had_slots[callee.0 as usize];
                        let has_lanes = has_lanes[callee.0 as usize];
                        let callee = &module.functions[callee.0 as usize];
                        let is_scalar = || callee.parameters.iter().chain(&callee.results).all(|ty| ty.length == 1);
                        let keeps_rounds =
                            is_round[block] && is_scalar() && (!has_lanes || asks_what_stays(&function, callee, arguments));
                        is_worth_it(&function, callee, had_slots, keeps_rounds, arguments).then_some((at, callee))
                    }
                    _ => None,
                });
            match call {
                Some((at, callee)) => {
                    expand(&mut function, block, at, callee);
                    // What a round calls has its place in the round.
                    is_round.resize(function.blocks.len(), is_round[block]);
                }
                None => block += 1,
            }
        }
        function.sort_blocks();
        slot_values(&mut function);
        let mut is_complete = true;
        function.for_each_call(|callee, _| {
            let is_external = matches!(module.functions[callee.0 as usize].linkage, Linkage::Extern(_));
            is_complete &= done[callee.0 as usize] || is_external;
        });
        done[id.0 as usize] = is_complete;
        module.functions[id.0 as usize] = function;
    }
}

/// Stands for a function while it is worked on.
fn empty() -> Function {
    Function {
        name: String::new(),
        signature: String::new(),
        linkage: Linkage::Internal,
        fp: FpMode::Strict,
        inlining: Inlining::Allowed,
        asks_lanes: false,
        parameters: Vec::new(),
        parameter_flags: Vec::new(),
        results: Vec::new(),
        slots: Vec::new(),
        blocks: Vec::new(),
        insts: Vec::new(),
        values: Vec::new(),
        loose: Vec::new(),
        span: crate::source::Span::default(),
    }
}

/// Has it a loop that is not written out in rounds of another one: of rounds that are not known, or of many instructions in all, or in another loop?
fn has_long_loop(function: &Function) -> bool {
    let graph = Graph::new(function);
    let is_header = |block: &&Block| graph.innermost_loop(**block) == Some(**block);
    graph.order.iter().filter(is_header).any(|&header| {
        let Some(plan) = Plan::of_known_rounds(function, &graph, header, MAX_ROUNDS) else { return true };
        let insts: usize = plan.blocks.iter().map(|block| function.blocks[block.0 as usize].insts.len()).sum();
        let has_loops = plan.blocks.iter().any(|&block| graph.innermost_loop(block) != Some(header));
        has_loops || plan.rounds * insts > MAX_WRITTEN_OUT
    })
}

/// Which blocks are in loops.
fn in_loops(function: &Function) -> Vec<bool> {
    let graph = Graph::new(function);
    (0..function.blocks.len() as u32).map(|block| graph.innermost_loop(Block(block)).is_some()).collect()
}

fn size(function: &Function) -> usize {
    function.blocks.iter().map(|block| block.insts.len() + 1).sum()
}

fn is_worth_it(caller: &Function, callee: &Function, had_slots: bool, keeps_rounds: bool, arguments: &[Value]) -> bool {
    let size_of_callee = size(callee);
    // A `noalias` pointer says something about the whole call, which is lost in the caller; a slot is zero when the call
    // begins, which it would not be in a loop of the caller.
    if callee.linkage != Linkage::Internal
        || callee.blocks.is_empty()
        || callee.fp != caller.fp
        || callee.inlining != Inlining::Allowed
        || !callee.slots.is_empty()
        || callee.parameter_flags.iter().any(|flags| flags.noalias)
        || size(caller) + size_of_callee > MAX_CALLER
    {
        return false;
    }
    let insts = || callee.blocks.iter().flat_map(|block| &block.insts).map(|inst| &callee.insts[inst.0 as usize].op);
    let accesses = || insts().any(|op| matches!(op, Op::Gather { .. } | Op::Scatter { .. }));
    // The first parameter of what runs under a mask is the mask.
    let has_mask = callee.parameters.first().is_some_and(|ty| ty.element == Element::Bool && ty.length > 1);
    let is_local = |&argument: &Value| matches!(caller.definition(base(caller, argument)), Some(Op::SlotAddress(_)));
    let is_given_local = || arguments.iter().any(is_local);
    // What works with memory of its own, as the stages of a pipeline do, is long enough to stay by itself without a mask.
    (has_mask || !had_slots || keeps_rounds)
        && (size_of_callee <= SMALL
            || (size_of_callee <= MEDIUM && (is_of_bytes(callee) || is_given_local()))
            || (size_of_callee <= ACCESSING && (accesses() || has_mask && is_given_local() || keeps_rounds)))
}

/// Does a function ask for what its caller is given itself, which is the same in all rounds of the caller's loops? Behind
/// [`unswitched_loops`](super::unswitched_loops()) no round does.
fn asks_what_stays(caller: &Function, callee: &Function, arguments: &[Value]) -> bool {
    let given = |function: &Function, mut value: Value| {
        while let Some(&Op::Convert(_, from)) = function.definition(value) {
            value = from;
        }
        match function.values[value.0 as usize].def {
            ValueDef::Parameter(Block(0), index) => Some(index as usize),
            _ => None,
        }
    };
    let stays = |value: Value| given(callee, value).is_some_and(|index| given(caller, arguments[index]).is_some());
    callee.blocks.iter().any(|data| match data.terminator {
        Terminator::Branch { condition, .. } => match callee.definition(condition) {
            Some(&Op::Compare(_, a, b)) => stays(a) && callee.constant(b).is_some(),
            _ => stays(condition),
        },
        _ => false,
    })
}

/// Does it compute bytes of bytes, and masks, lane by lane?
fn is_of_bytes(function: &Function) -> bool {
    let is_byte = |ty: &Type| matches!(ty.element, Element::I8 | Element::Bool) && ty.length > 1;
    let is_lane_by_lane = |inst: &Inst| {
        let op = &function.insts[inst.0 as usize].op;
        matches!(
            op,
            Op::Const(_) | Op::Splat(_) | Op::Unary(..) | Op::Binary(..) | Op::Compare(..) | Op::Select(..) | Op::Convert(..)
        )
    };
    matches!(&function.blocks[..], [only] if only.insts.iter().all(is_lane_by_lane))
        && function.parameters.iter().chain(&function.results).all(is_byte)
}

/// Puts the body of `callee` in the place of the call at position `at` of `block`.
fn expand(function: &mut Function, block: usize, at: usize, callee: &Function) {
    let call = function.blocks[block].insts[at];
    let InstData { op: Op::Call(_, arguments), results, span: _ } = function.insts[call.0 as usize].clone() else {
        panic!("a call")
    };
    let mut body = copy(function, callee, arguments);
    function.loose.extend(&callee.loose);
    function.asks_lanes |= callee.asks_lanes;
    if let [BlockData { terminator: Terminator::Return(values), .. }] = &body[..] {
        let same = results.into_iter().zip(values.iter().copied()).collect();
        let insts = std::mem::take(&mut body[0].insts);
        function.blocks[block].insts.splice(at..=at, insts);
        function.replace_uses(&same);
        return;
    }
    // What follows the call moves to a block of its own, whose parameters are the results.
    let behind = Block((function.blocks.len() + body.len() - 1) as u32);
    for (index, result) in (0..).zip(&results) {
        function.values[result.0 as usize].def = ValueDef::Parameter(behind, index);
    }
    for data in &mut body {
        if let Terminator::Return(values) = &mut data.terminator {
            data.terminator = Terminator::Jump(Target { block: behind, arguments: std::mem::take(values) });
        }
    }
    let entry = body.remove(0);
    let data = &mut function.blocks[block];
    let rest = data.insts.split_off(at + 1);
    data.insts.pop();
    data.insts.extend(entry.insts);
    let terminator = std::mem::replace(&mut data.terminator, entry.terminator);
    function.blocks.extend(body);
    function.blocks.push(BlockData { parameters: results, insts: rest, terminator });
}

/// The blocks of `callee` with values and instructions of `function`; the arguments stand for the parameters. The
/// blocks behind the entry get the numbers behind those of `function`.
fn copy(function: &mut Function, callee: &Function, arguments: Vec<Value>) -> Vec<BlockData> {
    let first_block = function.blocks.len() as u32;
    let moved = |block: Block| Block(first_block + block.0 - 1);
    let mut values: FxHashMap<Value, Value> = callee.blocks[0].parameters.iter().copied().zip(arguments).collect();
    let mut fresh = |function: &mut Function, value: Value, def: ValueDef| {
        let new = Value(function.values.len() as u32);
        function.values.push(ValueData { ty: callee.ty(value), def });
        values.insert(value, new);
        new
    };
    let mut body = Vec::with_capacity(callee.blocks.len());
    for (i, data) in callee.blocks.iter().enumerate() {
        let mut copied = BlockData { terminator: data.terminator.clone(), ..BlockData::empty() };
        for (index, &parameter) in (0..).zip(&data.parameters).filter(|_| i > 0) {
            let def = ValueDef::Parameter(moved(Block(i as u32)), index);
            copied.parameters.push(fresh(function, parameter, def));
        }
        for &inst in &data.insts {
            let (data, new) = (&callee.insts[inst.0 as usize], Inst(function.insts.len() as u32));
            let results = (0..).zip(&data.results).map(|(index, &r)| fresh(function, r, ValueDef::Result(new, index)));
            let results = results.collect();
            function.insts.push(InstData { op: data.op.clone(), results, span: data.span });
            copied.insts.push(new);
        }
        body.push(copied);
    }
    let rename = |value: &mut Value| *value = values[value];
    for copied in &mut body {
        for inst in &copied.insts {
            function.insts[inst.0 as usize].op.for_each_mut(rename);
        }
        copied.terminator.for_each_mut(rename);
        copied.terminator.targets_mut().for_each(|target| target.block = moved(target.block));
    }
    body
}
