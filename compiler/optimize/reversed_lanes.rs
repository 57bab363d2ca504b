//! What is loaded backwards is put in order only where somebody looks at the order of lanes.
//!
//! ```text
//! a = shuffle (load p), <7, 6, …, 0>            a = load p
//! m = compare.eq a, (splat x)            ──►    m = compare.eq a, (splat x)
//! branch any m                                  branch any m
//! k = maskbits m                                k = bitreverse (shl (maskbits m), 56)
//! ```
//! A search from the last element to the first one asks whether a lane has found something; only where one has, it is asked which. What is loaded
//! backwards, computed with, and stored backwards is never turned.
//!
//! A value is *turned* if it is a reversal, or is computed lane by lane from turned values and from what is the same in all lanes. It is computed
//! in the other order where all that look at it are such values, or do not mind: a question for any or all lanes, a total of integers, the number that a mask is,
//! another reversal.

use crate::vector::graph::Graph;
use crate::vector::ir::*;
use crate::vector::writer::Writer;
use rustc_hash::{FxHashMap, FxHashSet};

/// Leaves the lanes of a function as they were loaded.
pub fn reversed_lanes(function: &mut Function) {
    let is_reversal = |inst: &InstData| matches!(&inst.op, Op::Shuffle(a, _, lanes) if is_reversed(lanes, function.ty(*a)));
    if !function.insts.iter().any(is_reversal) {
        return;
    }
    super::dead_code(function);
    let graph = Graph::new(function);
    let turned = Turned::of(function, &graph);
    if !turned.computed.is_empty() {
        turned.write(function, &graph);
        super::dead_code(function);
    }
}

/// Are these the lanes of the first operand from the last one on?
fn is_reversed(lanes: &[i16], ty: Type) -> bool {
    let length = i16::from(ty.length);
    length > 1 && lanes.len() == usize::from(ty.length) && (0..).zip(lanes).all(|(k, &lane)| lane == length - 1 - k)
}

/// What is computed in the other order.
struct Turned {
    /// What each reversal reverses.
    reversals: FxHashMap<Value, Value>,
    /// What is computed lane by lane of them.
    computed: FxHashSet<Value>,
}

impl Turned {
    fn of(function: &Function, graph: &Graph) -> Turned {
        let mut turned = Turned { reversals: FxHashMap::default(), computed: FxHashSet::default() };
        let insts: Vec<Inst> = graph.order.iter().flat_map(|&block| function.blocks[block.0 as usize].insts.clone()).collect();
        let mut users: FxHashMap<Value, Vec<Inst>> = FxHashMap::default();
        for &inst in &insts {
            let InstData { op, results, .. } = &function.insts[inst.0 as usize];
            op.for_each(|value| users.entry(value).or_default().push(inst));
            match op {
                Op::Shuffle(a, _, lanes) if is_reversed(lanes, function.ty(*a)) && !turned.is_turned(*a) => {
                    turned.reversals.insert(results[0], *a);
                }
                op if turned.is_computed(function, op) => drop(turned.computed.insert(results[0])),
                _ => {}
            }
        }
        // Whom others look at as well stays, and so does what is computed of it, and what it is computed of.
        let mut handed_on = FxHashSet::default();
        for &block in &graph.order {
            function.blocks[block.0 as usize].terminator.for_each(|value| _ = handed_on.insert(value));
        }
        let none = Vec::new();
        let mut work: Vec<Value> = turned.computed.iter().copied().collect();
        while let Some(value) = work.pop() {
            let users = users.get(&value).unwrap_or(&none);
            let results = |user: &Inst| function.insts[user.0 as usize].results.iter().copied();
            let is_for_lanes = |user: &Inst| {
                !does_not_mind(function, &function.insts[user.0 as usize].op)
                    && !results(user).any(|result| turned.computed.contains(&result))
            };
            let op = function.definition(value).expect("it is computed");
            let stays = handed_on.contains(&value) || users.iter().any(is_for_lanes) || !turned.is_computed(function, op);
            if stays && turned.computed.remove(&value) {
                work.extend(users.iter().flat_map(results).filter(|result| turned.computed.contains(result)));
                op.for_each(|operand| work.extend(turned.computed.contains(&operand).then_some(operand)));
            }
        }
        turned
    }

    fn is_turned(&self, value: Value) -> bool {
        self.reversals.contains_key(&value) || self.computed.contains(&value)
    }

    /// Is it done lane by lane, with turned values and with what is the same in all lanes?
    fn is_computed(&self, function: &Function, op: &Op) -> bool {
        let is_lane_by_lane =
            matches!(op, Op::Unary(..) | Op::Binary(..) | Op::Fma(..) | Op::Compare(..) | Op::Select(..) | Op::Convert(..));
        let is_alike = |value: Value| match function.definition(value) {
            Some(Op::Const(lanes)) => lanes.len() == 1,
            Some(Op::Splat(_)) => true,
            _ => function.ty(value).length == 1,
        };
        let (mut any, mut all) = (false, true);
        op.for_each(|value| {
            any |= self.is_turned(value);
            all &= self.is_turned(value) || is_alike(value);
        });
        is_lane_by_lane && any && all
    }

    /// Writes what is turned in the other order, where it stands.
    fn write(&self, function: &mut Function, graph: &Graph) {
        let mut other = self.reversals.clone();
        let mut same: FxHashMap<Value, Value> = FxHashMap::default();
        for &block in &graph.order {
            let insts = std::mem::take(&mut function.blocks[block.0 as usize].insts);
            let mut out = Vec::with_capacity(insts.len());
            for inst in insts {
                let InstData { mut op, results, span } = function.insts[inst.0 as usize].clone();
                let mut writer = Writer { function: &mut *function, out: &mut out, span };
                let mut is_of_turned = false;
                op.for_each(|value| is_of_turned |= self.computed.contains(&value));
                is_of_turned &= does_not_mind(writer.function, &op);
                match op {
                    _ if results.first().is_some_and(|result| self.computed.contains(result)) => {
                        let ty = writer.function.ty(results[0]);
                        op.for_each_mut(|value| *value = *other.get(value).unwrap_or(value));
                        let value = writer.emit(op, ty);
                        other.insert(results[0], value);
                    }
                    Op::Shuffle(a, ..) if is_of_turned => drop(same.insert(results[0], other[&a])),
                    Op::MaskBits(mask) if is_of_turned => {
                        let (lanes, ty) = (writer.function.ty(mask).length, Type::scalar(Element::I64));
                        let bits = writer.emit(Op::MaskBits(other[&mask]), ty);
                        let by = writer.emit(Op::Const(vec![64 - u64::from(lanes)]), ty);
                        let high = writer.emit(Op::Binary(BinaryOp::Shl, bits, by), ty);
                        let bits = writer.emit(Op::Unary(UnaryOp::BitReverse, high), ty);
                        same.insert(results[0], bits);
                    }
                    _ if is_of_turned => {
                        function.insts[inst.0 as usize].op.for_each_mut(|value| *value = *other.get(value).unwrap_or(value));
                        out.push(inst);
                    }
                    _ => out.push(inst),
                }
            }
            function.blocks[block.0 as usize].insts = out;
        }
        function.replace_uses(&same);
    }
}

/// Does it give the same, or is something else as cheap, where the lanes are in the other order?
fn does_not_mind(function: &Function, op: &Op) -> bool {
    match op {
        Op::Any(_) | Op::All(_) | Op::MaskBits(_) => true,
        Op::Reduce(_, value) => function.ty(*value).element.is_int(),
        Op::Shuffle(a, _, lanes) => is_reversed(lanes, function.ty(*a)),
        _ => false,
    }
}
