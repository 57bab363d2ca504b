//! Sums that only matter as a whole are kept in the form in which they are cheapest, and added up behind the loop.
//!
//! ```text
//! block1(s: i32):                                 block1(t: i32x8):
//!     p = mul (sext a: i16x16), (sext b)              d = dot2 a, b
//!     r = reduce.add p                                u = add t, d
//!     n = add s, r                          ──►       branch c, block1(u), block2()
//!     branch c, block1(n), block2()               block2():
//! block2():                                           s = reduce.add t
//!     return s                                        return s
//! ```
//! A *total* is a set of values that flow into each other: parameters of blocks, `add v, x` of one of them, and selects between them. The
//! values of a total are scalars, or vectors that are only looked at by `reduce.add`. Each gets a *partial* value: lanes whose sum is that
//! of the value's own lanes, modulo 2ⁿ. What is added has a form of its own ([`Contribution`]): a product of numbers of 16 bits is
//! `dot2`, a sum of bytes `sad`, a count of lanes `popcnt` of their mask. Lanes of integers are added in any order.
//!
//! The minimum, the maximum, products, and logical operations of integers have totals as well, with the identity of each where a lane has
//! nothing; floats have none, whose sums depend on the order.
//!
//! # Invariant
//! `reduce(partial v)` = `v` for a scalar v and `reduce v` for a vector, wherever v is defined. So a look at v is a reduction there; it must
//! not lie in a loop that the total goes around, or nothing would be gained.

mod contribution;

use super::surroundings::Surroundings;
use crate::machine::Machine;
use crate::source::Span;
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use crate::vector::writer::Writer;
use contribution::{Contribution, Mask};
use rustc_hash::{FxHashMap, FxHashSet};

/// Rewrites the totals of a function, and the other reductions whose operands have a cheaper form.
pub fn partial_reductions(function: &mut Function, around: Surroundings<'_>) {
    let is_reduction = |op: &Op| matches!(op, Op::Reduce(op, _) if operation(*op).is_some());
    let insts = |function: &Function| function.blocks.iter().flat_map(|block| block.insts.clone()).collect::<Vec<Inst>>();
    if !insts(function).iter().any(|inst| is_reduction(&function.insts[inst.0 as usize].op)) {
        return;
    }
    let mut tried = FxHashSet::default();
    let mut graph = Graph::new(function);
    while let Some(total) = next(function, &graph, &mut tried, around.machine) {
        total.rewrite(function, &graph);
        graph = Graph::new(function);
    }
    rewrite_reductions(function, around.machine);
}

/// Reductions by themselves, of what has a cheaper form.
fn rewrite_reductions(function: &mut Function, machine: &Machine) {
    for block in 0..function.blocks.len() {
        let insts = std::mem::take(&mut function.blocks[block].insts);
        let mut out = Vec::with_capacity(insts.len());
        for inst in insts {
            let InstData { op, results, span } = &function.insts[inst.0 as usize];
            let span = *span;
            if let Op::Reduce(op @ ReduceOp::Add, _) = *op {
                let (result, ty) = (results[0], function.ty(results[0]));
                let contribution = Contribution::of(function, result, None, op);
                if ty.element.is_int()
                    && contribution.has_form()
                    && let Some(partial) = contribution::partial(ty, std::slice::from_ref(&contribution), machine)
                {
                    let mut writer = Writer { function, out: &mut out, span };
                    let lanes = contribution.write(&mut writer, op, partial);
                    contribution::reduced(&mut writer, lanes, op, ty.element);
                    let last = out.pop().expect("the number was computed last");
                    function.insts[inst.0 as usize].op = function.insts[last.0 as usize].op.clone();
                }
            }
            out.push(inst);
        }
        function.blocks[block].insts = out;
    }
}

/// What a reduction of integers does with two lanes; `None` for floats.
fn operation(op: ReduceOp) -> Option<BinaryOp> {
    OPERATIONS.iter().find(|(reduction, _)| *reduction == op).map(|(_, op)| *op)
}

/// That which does this with all lanes.
fn reduction(op: BinaryOp) -> Option<ReduceOp> {
    OPERATIONS.iter().find(|(_, operation)| *operation == op).map(|(op, _)| *op)
}

/// Is an operation on integers the same in any order?
pub(super) fn is_any_order(op: BinaryOp) -> bool {
    reduction(op).is_some()
}

/// Lanes as many as a type has, with the same reduction by an operation that is the same in any order.
pub(super) fn folded(writer: &mut Writer<'_>, value: Value, op: BinaryOp, ty: Type) -> Value {
    if ty == Type::scalar(Element::Bool) {
        return writer.emit(if op == BinaryOp::And { Op::All(value) } else { Op::Any(value) }, ty);
    }
    contribution::fold(writer, value, reduction(op).expect("an operation of integers"), ty)
}

const OPERATIONS: [(ReduceOp, BinaryOp); 9] = [
    (ReduceOp::Add, BinaryOp::Add),
    (ReduceOp::Mul, BinaryOp::Mul),
    (ReduceOp::SMin, BinaryOp::SMin),
    (ReduceOp::SMax, BinaryOp::SMax),
    (ReduceOp::UMin, BinaryOp::UMin),
    (ReduceOp::UMax, BinaryOp::UMax),
    (ReduceOp::And, BinaryOp::And),
    (ReduceOp::Or, BinaryOp::Or),
    (ReduceOp::Xor, BinaryOp::Xor),
];

/// The element e with e ∘ x = x.
fn identity(op: ReduceOp, element: Element) -> u64 {
    let all = u64::MAX >> (64 - element.bits());
    match op {
        ReduceOp::Mul => 1,
        ReduceOp::And | ReduceOp::UMin => all,
        ReduceOp::SMin => all >> 1,
        ReduceOp::SMax => (all >> 1) + 1,
        _ => 0,
    }
}

/// The element that changes nothing.
pub(super) fn nothing(op: BinaryOp, element: Element) -> u64 {
    identity(reduction(op).expect("an operation of integers"), element)
}

/// Where a value is used.
#[derive(Clone, Copy)]
enum Use {
    By(Block, Inst),
    /// At the end of a block for a parameter of another one.
    Argument(Block, Value),
    /// By a branch or a return.
    End(Block),
}

fn uses(function: &Function, graph: &Graph) -> FxHashMap<Value, Vec<Use>> {
    let mut uses: FxHashMap<Value, Vec<Use>> = FxHashMap::default();
    for &block in &graph.order {
        let data = &function.blocks[block.0 as usize];
        for &inst in &data.insts {
            function.insts[inst.0 as usize].op.for_each(|value| uses.entry(value).or_default().push(Use::By(block, inst)));
        }
        for target in data.terminator.targets() {
            for (&argument, &parameter) in target.arguments.iter().zip(&function.blocks[target.block.0 as usize].parameters) {
                uses.entry(argument).or_default().push(Use::Argument(block, parameter));
            }
        }
        match &data.terminator {
            Terminator::Branch { condition, .. } => uses.entry(*condition).or_default().push(Use::End(block)),
            Terminator::Return(values) => values.iter().for_each(|v| uses.entry(*v).or_default().push(Use::End(block))),
            Terminator::Jump(_) | Terminator::Unreachable => {}
        }
    }
    uses
}

/// The next total for which it is worth it; those that were `tried` are not looked at again.
fn next(function: &Function, graph: &Graph, tried: &mut FxHashSet<Value>, machine: &Machine) -> Option<Total> {
    let mut found = None;
    for &header in &graph.order {
        if graph.innermost_loop(header) != Some(header) {
            continue;
        }
        for &start in &function.blocks[header.0 as usize].parameters {
            if function.ty(start).element.is_int() && tried.insert(start) {
                let uses = found.get_or_insert_with(|| uses(function, graph));
                if let Some(total) = Total::of(function, graph, uses, start, machine) {
                    tried.extend(total.members.iter().filter(|member| function.definition(**member).is_none()));
                    return Some(total);
                }
            }
        }
    }
    None
}

/// How a member comes from others.
enum Step {
    /// The members on both sides of the operation.
    Both(Value, Value),
    /// A member, and what comes to it in lanes of a mask.
    Gets(Value, Value, Option<Mask>),
    /// Between two values, of which one at least is a member, by a scalar.
    Either(Value, Value, Value),
}

/// A set of values that flow into each other, and what holds their partial values.
struct Total {
    members: FxHashSet<Value>,
    /// Members that are only there to be selected under a mask, which need no partial value.
    selected: FxHashSet<Value>,
    op: ReduceOp,
    /// The type of partial values.
    partial: Type,
}

impl Total {
    /// That of the parameter of a loop's header.
    fn of(
        function: &Function,
        graph: &Graph,
        uses: &FxHashMap<Value, Vec<Use>>,
        start: Value,
        machine: &Machine,
    ) -> Option<Total> {
        let (members, op) = reached(function, uses, start)?;
        let mut total = Total { members, selected: FxHashSet::default(), op, partial: function.ty(start) };
        let loops = loop {
            let loops = total.loops(function, graph);
            let is_bad =
                |&value: &Value| !total.is_member(function, graph, value) || total.is_seen(function, uses, &loops, value);
            let bad: Vec<Value> = total.members.iter().copied().filter(is_bad).collect();
            if bad.is_empty() {
                break loops;
            }
            total.members.retain(|value| !bad.contains(value));
            if !total.members.contains(&start) {
                return None;
            }
        };
        total.selected = total.members.iter().copied().filter(|&value| total.is_only_selected(function, uses, value)).collect();
        let mut contributions = Vec::new();
        for &block in graph.order.iter().filter(|block| loops.iter().any(|inside| inside[block.0 as usize])) {
            for &inst in &function.blocks[block.0 as usize].insts {
                if let Some(&result) = function.insts[inst.0 as usize].results.first()
                    && let Some(Step::Gets(_, value, mask)) = total.step(function, result)
                    && !total.selected.contains(&result)
                {
                    contributions.push(Contribution::of(function, value, mask, op));
                }
            }
        }
        total.partial = contribution::partial(function.ty(start), &contributions, machine)?;
        Some(total)
    }

    /// The loops that it goes around, as the blocks that lie in them.
    fn loops(&self, function: &Function, graph: &Graph) -> Vec<Vec<bool>> {
        let headers = graph.order.iter().filter(|block| {
            let has_one = || function.blocks[block.0 as usize].parameters.iter().any(|p| self.members.contains(p));
            graph.innermost_loop(**block) == Some(**block) && has_one()
        });
        headers.filter_map(|&header| graph.natural_loop(header)).collect()
    }

    /// How an instruction's result comes from members; `None` if it is none of them, or comes from them in no such way.
    fn step(&self, function: &Function, result: Value) -> Option<Step> {
        let is_member = |value: &Value| self.members.contains(value);
        if !is_member(&result) {
            return None;
        }
        match *function.definition(result)? {
            Op::Binary(_, a, b) => match (is_member(&a), is_member(&b)) {
                (true, true) => Some(Step::Both(a, b)),
                (true, false) => Some(Step::Gets(a, b, None)),
                (false, true) => Some(Step::Gets(b, a, None)),
                (false, false) => None,
            },
            Op::Select(m, a, b) if function.ty(m).length == 1 => {
                (is_member(&a) || is_member(&b)).then_some(Step::Either(m, a, b))
            }
            Op::Select(mask, a, b) => [(a, b, true), (b, a, false)].into_iter().find_map(|(new, old, is_on)| {
                match self
                    .step(function, new)
                    .filter(|_| function.definition(new).is_some_and(|op| matches!(op, Op::Binary(..))))?
                {
                    Step::Gets(from, value, None) if from == old => Some(Step::Gets(from, value, Some(Mask { mask, is_on }))),
                    _ => None,
                }
            }),
            _ => None,
        }
    }

    /// Does it come from members?
    fn is_member(&self, function: &Function, graph: &Graph, value: Value) -> bool {
        match function.values[value.0 as usize].def {
            ValueDef::Result(..) => self.step(function, value).is_some(),
            ValueDef::Parameter(block, index) => graph.predecessors[block.0 as usize].iter().any(|from| {
                let mut targets = function.blocks[from.0 as usize].terminator.targets().filter(|target| target.block == block);
                targets.any(|target| self.members.contains(&target.arguments[index as usize]))
            }),
        }
    }

    /// Is it only there to be selected under a mask?
    fn is_only_selected(&self, function: &Function, uses: &FxHashMap<Value, Vec<Use>>, value: Value) -> bool {
        uses.get(&value).is_some_and(|uses| {
            uses.iter().all(|used| match used {
                Use::By(_, inst) => {
                    let data = &function.insts[inst.0 as usize];
                    matches!(data.op, Op::Select(m, ..) if function.ty(m).length > 1 && self.members.contains(&data.results[0]))
                }
                Use::Argument(..) | Use::End(_) => false,
            })
        })
    }

    /// Is a member looked at by anything that needs it as it is: in one of the loops, or a vector by anything but a reduction?
    fn is_seen(&self, function: &Function, uses: &FxHashMap<Value, Vec<Use>>, loops: &[Vec<bool>], value: Value) -> bool {
        let is_scalar = function.ty(value).length == 1;
        uses.get(&value).into_iter().flatten().any(|used| {
            let (block, may_be) = match *used {
                Use::By(_, inst) if self.is_inside(function, inst) => return false,
                Use::Argument(_, parameter) if self.members.contains(&parameter) => return false,
                Use::By(block, inst) => (block, is_scalar || self.is_read(function, inst)),
                Use::Argument(block, _) | Use::End(block) => (block, is_scalar),
            };
            !may_be || loops.iter().any(|inside| inside[block.0 as usize])
        })
    }

    fn is_inside(&self, function: &Function, inst: Inst) -> bool {
        function.insts[inst.0 as usize].results.first().is_some_and(|result| self.members.contains(result))
    }

    /// Is it the reduction of a vector?
    fn is_read(&self, function: &Function, inst: Inst) -> bool {
        matches!(function.insts[inst.0 as usize].op, Op::Reduce(op, _) if op == self.op)
    }

    /// Gives each member a partial value, and those who look at members what they are.
    fn rewrite(self, function: &mut Function, graph: &Graph) {
        let mut partials: FxHashMap<Value, Value> = FxHashMap::default();
        let mut members_of: Vec<Vec<usize>> = Vec::new();
        for block in 0..function.blocks.len() {
            let parameters = function.blocks[block].parameters.clone();
            let places: Vec<usize> = (0..parameters.len()).filter(|&k| self.members.contains(&parameters[k])).collect();
            for &place in &places {
                let (value, index) = (Value(function.values.len() as u32), function.blocks[block].parameters.len() as u32);
                let def = ValueDef::Parameter(Block(block as u32), index);
                function.values.push(ValueData { ty: self.partial, def });
                function.blocks[block].parameters.push(value);
                partials.insert(parameters[place], value);
            }
            members_of.push(places);
        }
        let mut same = FxHashMap::default();
        for &block in &graph.order {
            let insts = std::mem::take(&mut function.blocks[block.0 as usize].insts);
            let mut out = Vec::with_capacity(insts.len());
            let mut read: FxHashMap<Value, Value> = FxHashMap::default();
            for inst in insts {
                let span = function.insts[inst.0 as usize].span;
                let step = function.insts[inst.0 as usize].results.first().and_then(|result| self.step(function, *result));
                if let Some(step) = step {
                    out.push(inst);
                    let result = function.insts[inst.0 as usize].results[0];
                    if self.selected.contains(&result) {
                        continue;
                    }
                    let partial = self.partial_of(&mut Writer { function, out: &mut out, span }, &partials, step);
                    partials.insert(result, partial);
                    continue;
                }
                let mut op = function.insts[inst.0 as usize].op.clone();
                let mut writer = Writer { function, out: &mut out, span };
                op.for_each_mut(|value| self.look(&mut writer, &partials, &mut read, value));
                match op {
                    Op::Reduce(_, value) if self.is_read(function, inst) && function.ty(value).length == 1 => {
                        same.insert(function.insts[inst.0 as usize].results[0], value);
                    }
                    op => {
                        function.insts[inst.0 as usize].op = op;
                        out.push(inst);
                    }
                }
            }
            let mut terminator = std::mem::replace(&mut function.blocks[block.0 as usize].terminator, Terminator::Unreachable);
            let mut writer = Writer { function, out: &mut out, span: Span::default() };
            for target in terminator.targets_mut() {
                for &place in &members_of[target.block.0 as usize] {
                    let argument = self.partial_or_new(&mut writer, &partials, target.arguments[place]);
                    target.arguments.push(argument);
                }
            }
            // What only flows on in the total stays as it is, and is dead.
            let is_inside: FxHashSet<(Block, usize)> = (0..)
                .map(Block)
                .zip(&members_of)
                .flat_map(|(block, places)| places.iter().map(move |&place| (block, place)))
                .collect();
            match &mut terminator {
                Terminator::Branch { condition, .. } => self.look(&mut writer, &partials, &mut read, condition),
                Terminator::Return(values) => values.iter_mut().for_each(|v| self.look(&mut writer, &partials, &mut read, v)),
                Terminator::Jump(_) | Terminator::Unreachable => {}
            }
            for target in terminator.targets_mut() {
                for (place, argument) in target.arguments.iter_mut().enumerate() {
                    if !is_inside.contains(&(target.block, place)) {
                        self.look(&mut writer, &partials, &mut read, argument);
                    }
                }
            }
            function.blocks[block.0 as usize].terminator = terminator;
            function.blocks[block.0 as usize].insts = out;
        }
        function.replace_uses(&same);
    }

    /// The partial value of a member that comes from others.
    fn partial_of(&self, writer: &mut Writer<'_>, partials: &FxHashMap<Value, Value>, step: Step) -> Value {
        let op = operation(self.op).expect("the operation of a total");
        match step {
            Step::Both(a, b) => writer.emit(Op::Binary(op, partials[&a], partials[&b]), self.partial),
            Step::Gets(from, value, mask) => {
                let contribution = Contribution::of(writer.function, value, mask, self.op);
                contribution.add_to(writer, self.op, partials[&from])
            }
            Step::Either(condition, a, b) => {
                let [a, b] = [a, b].map(|value| self.partial_or_new(writer, partials, value));
                writer.emit(Op::Select(condition, a, b), self.partial)
            }
        }
    }

    /// The partial value of a member; of what comes from outside, one that is made here.
    fn partial_or_new(&self, writer: &mut Writer<'_>, partials: &FxHashMap<Value, Value>, value: Value) -> Value {
        match partials.get(&value) {
            Some(&partial) => partial,
            None => contribution::fold(writer, value, self.op, self.partial),
        }
    }

    /// Puts for a member the number that it is, or all its lanes are.
    fn look(
        &self,
        writer: &mut Writer<'_>,
        partials: &FxHashMap<Value, Value>,
        read: &mut FxHashMap<Value, Value>,
        value: &mut Value,
    ) {
        let Some(&partial) = partials.get(value).filter(|_| self.members.contains(value)) else { return };
        let element = writer.function.ty(*value).element;
        *value = *read.entry(*value).or_insert_with(|| contribution::reduced(writer, partial, self.op, element));
    }
}

/// The values that the parameter of a header flows into, and the operation on the way.
fn reached(function: &Function, uses: &FxHashMap<Value, Vec<Use>>, start: Value) -> Option<(FxHashSet<Value>, ReduceOp)> {
    let (mut members, mut work, mut found) = (FxHashSet::from_iter([start]), vec![start], None);
    while let Some(value) = work.pop() {
        for used in uses.get(&value).into_iter().flatten() {
            let next = match *used {
                Use::Argument(_, parameter) => parameter,
                Use::End(_) => continue,
                Use::By(_, inst) => {
                    let data = &function.insts[inst.0 as usize];
                    match data.op {
                        Op::Binary(op, ..) if reduction(op).is_some() && found.is_none_or(|known| known == op) => {
                            found = Some(op)
                        }
                        Op::Select(..) => {}
                        _ => continue,
                    }
                    data.results[0]
                }
            };
            if members.insert(next) {
                work.push(next);
            }
        }
    }
    Some((members, reduction(found?)?))
}
