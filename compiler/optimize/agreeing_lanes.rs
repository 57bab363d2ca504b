//! Rounds in which all lanes agree about what is asked of the loop's index exist twice: as they are, and without the questions.
//!
//! ```text
//! block1(b):                               block1(b):
//!     branch b < n, block2, out                branch b < n, block5, out
//! block2:                                  block5:
//!     i = ramp b, 1                            first = b; last = b + 63
//!     m = compare.sgt i, splat 0    ──►        branch first > 0 & last ≥ first, block6, block2
//!     x = load a[i − 1], mask m            block2:  as it was
//!     jump block1(b + 64)                  block6:  with m all on
//! ```
//! The neighbours of an element at the edge of an array are asked for in each round, by as many registers of indices as there are, and
//! what they guard is read under a mask; but all lanes agree in all rounds save one or two. The same is said of `min` and `max`:
//! `a[clamp(i − 1, 0, n − 1)]` is a gather, and a load where the index is inside.
//!
//! A question is a comparison, minimum or maximum of a number that is linear in the lane, and one that all lanes share. That all agree
//! shows at both ends, unless the lanes in between wrap, which is asked too; what wrapped before it was extended is no question. Which answer most rounds have is guessed: an index is
//! greater than a constant, less than a length, and equal to nothing. A guess that is wrong costs the question about both ends.
//!
//! Both copies are there, and the rounds between are what they were: nothing else is asked of a loop than that its rounds begin at one
//! place, and that what they compute is used behind it through parameters of blocks alone.

use super::block_writer::{again, new_block};
use super::copied_blocks::copied_blocks;
use super::counted_loop::has_few_rounds;
use super::memory_access::{Forms, Linear, Scalar};
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use crate::vector::writer::Writer;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Rounds of more instructions are not copied, those for checks not counted.
const MAX_ROUND: usize = 150;
/// A function does not grow beyond this number of instructions.
const MAX_INSTS: usize = 20_000;
/// So many questions of a round are decided.
const MAX_QUESTIONS: usize = 16;

/// Copies the rounds of a function's loops.
pub fn agreeing_lanes(function: &mut Function) {
    let mut seen = FxHashSet::default();
    while function.insts.len() < MAX_INSTS {
        let graph = Graph::new(function);
        let is_header = |block: Block| graph.innermost_loop(block) == Some(block) && !has_few_rounds(function, block);
        let is_new = |block: &&Block| is_header(**block) && !seen.contains(*block);
        // Headers of outer loops come before those inside.
        let headers: Vec<Block> = graph.order.iter().filter(is_new).copied().collect();
        seen.extend(headers.iter().copied());
        let found = headers.iter().find_map(|&header| {
            let round = Round::of(function, &graph, header)?;
            let questions = round.questions(function);
            (!questions.is_empty() && !round.is_used_behind(function, &graph)).then_some((header, round, questions))
        });
        let Some((header, round, questions)) = found else { break };
        // Those behind it were not looked at; what is inside of it is as it was in rare rounds alone.
        for &later in headers.iter().skip_while(|&&other| other != header).skip(1) {
            seen.remove(&later);
        }
        seen.extend(round.blocks.iter().copied());
        round.copy(function, questions);
    }
    function.sort_blocks();
}

/// The blocks of a loop but for its header, of which one is the first.
struct Round {
    header: Block,
    blocks: Vec<Block>,
    /// The same by number.
    has: Vec<bool>,
    /// The instructions of these blocks.
    insts: FxHashSet<Inst>,
}

/// Something that all lanes may agree about.
struct Question {
    /// The comparison, minimum or maximum.
    value: Value,
    linear: Linear,
    uniform: Rc<Scalar>,
    /// How the linear side compares in all lanes, most often.
    answer: CompareOp,
    /// The numbers that are compared.
    ty: Type,
    /// From the first lane to the last.
    distance: i64,
    gives: Gives,
}

/// What the value is where all lanes agree.
#[derive(Clone, Copy)]
enum Gives {
    Mask(bool),
    Number(Value),
}

impl Round {
    fn of(function: &Function, graph: &Graph, header: Block) -> Option<Round> {
        let mut has = graph.natural_loop(header)?;
        has[header.0 as usize] = false;
        let Terminator::Branch { then, .. } = &function.blocks[header.0 as usize].terminator else { return None };
        let first = then.block;
        let is_entry = has[first.0 as usize] && graph.predecessors[first.0 as usize][..] == [header] && then.arguments.is_empty();
        let blocks: Vec<Block> = graph.order.iter().copied().filter(|block| has[block.0 as usize]).collect();
        let insts: FxHashSet<Inst> = blocks.iter().flat_map(|block| &function.blocks[block.0 as usize].insts).copied().collect();
        (is_entry && blocks.first() == Some(&first)).then_some(Round { header, blocks, has, insts })
    }

    /// Is a value of the round used elsewhere, other than by arguments?
    fn is_used_behind(&self, function: &Function, graph: &Graph) -> bool {
        let mut used = false;
        for &block in graph.order.iter().filter(|block| !self.has[block.0 as usize]) {
            let mut look = |value: Value| used |= self.defines(function, value);
            let data = &function.blocks[block.0 as usize];
            data.insts.iter().for_each(|inst| function.insts[inst.0 as usize].op.for_each(&mut look));
            data.terminator.for_each(look);
        }
        used
    }

    fn defines(&self, function: &Function, value: Value) -> bool {
        match function.values[value.0 as usize].def {
            ValueDef::Parameter(block, _) => self.has[block.0 as usize],
            ValueDef::Result(inst, _) => self.insts.contains(&inst),
        }
    }

    fn questions(&self, function: &Function) -> Vec<Question> {
        let mut forms = Forms::default();
        let mut questions = Vec::new();
        let (wanted, size) = self.wanted(function);
        if size > MAX_ROUND {
            return questions;
        }
        let insts = self.blocks.iter().flat_map(|block| &function.blocks[block.0 as usize].insts);
        for data in insts.map(|inst| &function.insts[inst.0 as usize]) {
            if questions.len() == MAX_QUESTIONS {
                break;
            }
            if !data.results.iter().all(|result| wanted.contains(result)) {
                continue;
            }
            let Some(question) = self.question(function, &mut forms, data) else { continue };
            if let Gives::Number(_) = question.gives {
                // What is clamped at both sides is asked for one after the other.
                forms.assume(question.value, question.linear.clone());
            }
            questions.push(question);
        }
        questions
    }

    /// What others than checks look at, which are decided before the loop ([`super::loop_checks`]), and by how many instructions.
    fn wanted(&self, function: &Function) -> (FxHashSet<Value>, usize) {
        let (mut wanted, mut size) = (FxHashSet::default(), 0);
        for &block in self.blocks.iter().rev() {
            let data = &function.blocks[block.0 as usize];
            data.terminator.for_each(|value| _ = wanted.insert(value));
            for data in data.insts.iter().rev().map(|inst| &function.insts[inst.0 as usize]) {
                let is_dead = !data.op.has_effect() && data.results.iter().all(|result| !wanted.contains(result));
                if !matches!(data.op, Op::Check { .. }) && !is_dead {
                    data.op.for_each(|value| _ = wanted.insert(value));
                    size += 1;
                }
            }
        }
        (wanted, size)
    }

    fn question(&self, function: &Function, forms: &mut Forms, data: &InstData) -> Option<Question> {
        let (a, b) = match data.op {
            Op::Compare(_, a, b) => (a, b),
            Op::Binary(BinaryOp::SMin | BinaryOp::SMax | BinaryOp::UMin | BinaryOp::UMax, a, b) => (a, b),
            _ => return None,
        };
        let ty = function.ty(a);
        if ty.length == 1 || !ty.element.is_int() {
            return None;
        }
        let mut number = |value| forms.of_number(function, value);
        let (Some(of_a), Some(of_b)) = (number(a), number(b)) else { return None };
        let is_first = of_a.stride != 0;
        if is_first == (of_b.stride != 0) {
            return None;
        }
        let (side, linear, uniform) = if is_first { (a, of_a, of_b.uniform) } else { (b, of_b, of_a.uniform) };
        // The greatest distance of lanes is a number of the type.
        let distance = linear.stride.checked_mul(i64::from(ty.length) - 1)?;
        if distance.unsigned_abs() >= 1 << (ty.element.bits() - 2) {
            return None;
        }
        let is_constant = is_constant(function, &uniform);
        let (answer, gives) = match data.op {
            Op::Compare(op, ..) => {
                let op = if is_first { op } else { op.swapped()? };
                let holds = match op {
                    CompareOp::SGt | CompareOp::SGe | CompareOp::UGt | CompareOp::UGe => is_constant,
                    CompareOp::SLt | CompareOp::SLe | CompareOp::ULt | CompareOp::ULe => !is_constant,
                    other => other == CompareOp::Ne,
                };
                (if holds { op } else { op.negated()? }, Gives::Mask(holds))
            }
            Op::Binary(op, ..) => {
                let answer = match op {
                    BinaryOp::SMin => CompareOp::SLe,
                    BinaryOp::SMax => CompareOp::SGe,
                    BinaryOp::UMin => CompareOp::ULe,
                    _ => CompareOp::UGe,
                };
                (answer, Gives::Number(side))
            }
            _ => return None,
        };
        let is_there = |scalar: &Scalar| self.can_be_early(function, scalar);
        (is_there(&linear.uniform) && is_there(&uniform)).then(|| Question {
            value: data.results[0],
            linear,
            uniform,
            answer,
            ty: ty.with_length(1),
            distance,
            gives,
        })
    }

    /// Can a scalar be computed where the round begins?
    fn can_be_early(&self, function: &Function, scalar: &Scalar) -> bool {
        match scalar {
            Scalar::Value(value) => self.value_can_be_early(function, *value, 0),
            Scalar::Const(..) => true,
            Scalar::Unary(_, a, _) | Scalar::Convert(_, a, _) | Scalar::PtrOffset(a, _) => self.can_be_early(function, a),
            Scalar::Binary(_, a, b, _) | Scalar::PtrIndex(a, b, ..) => {
                self.can_be_early(function, a) && self.can_be_early(function, b)
            }
        }
    }

    fn value_can_be_early(&self, function: &Function, value: Value, depth: u32) -> bool {
        if !self.defines(function, value) {
            return true;
        }
        let Some(op) = function.definition(value) else { return false };
        let is_simple =
            matches!(op, Op::Const(_) | Op::Unary(..) | Op::Convert(..)) || matches!(op, Op::Binary(op, ..) if !divides(*op));
        let mut early = is_simple && depth < 8 && function.ty(value).length == 1;
        if early {
            op.for_each(|operand| early &= self.value_can_be_early(function, operand, depth + 1));
        }
        early
    }

    fn copy(&self, function: &mut Function, questions: Vec<Question>) {
        let first = self.blocks[0];
        let (copies, same) = copied_blocks(function, &self.blocks, |_| false, |_| ());
        let mut out = Vec::new();
        let span =
            function.blocks[first.0 as usize].insts.first().map_or(function.span, |inst| function.insts[inst.0 as usize].span);
        let mut early = Early { round: self, moved: FxHashMap::default(), writer: Writer { function, out: &mut out, span } };
        let (first_question, others) = questions.split_first().expect("a round is copied for its questions");
        let start = early.agree(first_question);
        let condition = others.iter().fold(start, |before, question| {
            let agree = early.agree(question);
            early.writer.emit(Op::Binary(BinaryOp::And, before, agree), Type::scalar(Element::Bool))
        });
        let mut given = FxHashMap::default();
        for question in &questions {
            let value = same[&question.value];
            match (question.gives, function.values[value.0 as usize].def) {
                (Gives::Mask(holds), ValueDef::Result(inst, _)) => {
                    function.insts[inst.0 as usize].op = Op::Const(vec![u64::from(holds)])
                }
                (Gives::Mask(_), ValueDef::Parameter(..)) => unreachable!("a comparison is computed"),
                (Gives::Number(side), _) => _ = given.insert(value, *same.get(&side).unwrap_or(&side)),
            }
        }
        function.replace_uses(&given);
        let decide = new_block(function);
        let target = |block| Target { block, arguments: Vec::new() };
        let terminator = Terminator::Branch { condition, then: target(copies[0]), otherwise: target(first) };
        function.blocks[decide.0 as usize] = BlockData { parameters: Vec::new(), insts: out, terminator };
        if let Terminator::Branch { then, .. } = &mut function.blocks[self.header.0 as usize].terminator {
            then.block = decide;
        }
    }
}

/// Computes scalars where a round begins.
struct Early<'a, 'f> {
    round: &'a Round,
    /// What is computed there already, by the value of the round.
    moved: FxHashMap<Value, Value>,
    writer: Writer<'f>,
}

impl Early<'_, '_> {
    /// Do all lanes give the answer?
    fn agree(&mut self, question: &Question) -> Value {
        let (ty, bool_type) = (question.ty, Type::scalar(Element::Bool));
        let first = self.scalar(&question.linear.uniform);
        let limit = self.scalar(&question.uniform);
        let mask = u64::MAX >> (64 - ty.element.bits());
        let distance = self.writer.emit(Op::Const(vec![question.distance as u64 & mask]), ty);
        let last = self.writer.emit(Op::Binary(BinaryOp::Add, first, distance), ty);
        let (low, high) = if question.linear.stride > 0 { (first, last) } else { (last, first) };
        let mut compare = |op, a, b| self.writer.emit(Op::Compare(op, a, b), bool_type);
        let is_signed = !matches!(question.answer, CompareOp::ULt | CompareOp::ULe | CompareOp::UGt | CompareOp::UGe);
        let in_order = compare(if is_signed { CompareOp::SLe } else { CompareOp::ULe }, low, high);
        let answer = match question.answer {
            op @ (CompareOp::SLt | CompareOp::SLe | CompareOp::ULt | CompareOp::ULe) => compare(op, high, limit),
            CompareOp::Ne => {
                let (below, above) = (compare(CompareOp::SLt, high, limit), compare(CompareOp::SGt, low, limit));
                self.writer.emit(Op::Binary(BinaryOp::Or, below, above), bool_type)
            }
            op => compare(op, low, limit),
        };
        self.writer.emit(Op::Binary(BinaryOp::And, in_order, answer), bool_type)
    }

    fn scalar(&mut self, scalar: &Scalar) -> Value {
        let moved = self.early(scalar);
        self.writer.scalar(&moved)
    }

    /// The same of values that are there where the round begins.
    fn early(&mut self, scalar: &Scalar) -> Rc<Scalar> {
        Rc::new(match scalar {
            Scalar::Value(value) => Scalar::Value(self.value(*value)),
            Scalar::Const(bits, ty) => Scalar::Const(*bits, *ty),
            Scalar::Unary(op, a, ty) => Scalar::Unary(*op, self.early(a), *ty),
            Scalar::Convert(op, a, ty) => Scalar::Convert(*op, self.early(a), *ty),
            Scalar::PtrOffset(a, offset) => Scalar::PtrOffset(self.early(a), *offset),
            Scalar::Binary(op, a, b, ty) => Scalar::Binary(*op, self.early(a), self.early(b), *ty),
            Scalar::PtrIndex(a, b, scale, offset) => Scalar::PtrIndex(self.early(a), self.early(b), *scale, *offset),
        })
    }

    fn value(&mut self, value: Value) -> Value {
        let (round, Writer { function, out, span }) = (self.round, &mut self.writer);
        again(function, out, *span, value, &|function, value| round.defines(function, value), &mut self.moved)
    }
}

fn is_constant(function: &Function, scalar: &Scalar) -> bool {
    match scalar {
        Scalar::Const(..) => true,
        Scalar::Value(value) => matches!(function.definition(*value), Some(Op::Const(_))),
        _ => false,
    }
}

fn divides(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::SDiv | BinaryOp::UDiv | BinaryOp::SRem | BinaryOp::URem)
}
