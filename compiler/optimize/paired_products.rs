//! Products of numbers that fit in words are added up two at a time.
//!
//! ```text
//! s₁ = add s₀, (mul (sext a), (splat (sext x)))          p = reinterpret (or (zext a), (shl (zext b), 16))
//! s₂ = add s₁, (mul (sext b), (splat (sext y)))   ──►    q = reinterpret (splat (or (zext x), (shl (zext y), 16)))
//!                                                        s₂ = add s₀, (dot2 p, q)
//! ```
//! So filters are that have a weight for each row or neighbour, and products of matrices of small numbers. One instruction multiplies pairs of words and adds what
//! comes of each pair; a product of 32 bits takes longer on all processors. What is no more than 128 bits is put side by side by unpacking, longer vectors are made
//! longer still, as they are loaded, and shifted. Two weights that lie side by side in memory are loaded as one number.
//!
//! The sum wraps as additions one after another do, which may be done in any order.

use crate::vector::graph::Graph;
use crate::vector::ir::*;
use crate::vector::writer::Writer;
use rustc_hash::{FxHashMap, FxHashSet};

/// Sums of more terms are left alone.
const MOST_TERMS: usize = 256;

/// Pairs the products of a function.
pub fn paired_products(function: &mut Function) {
    let is_product =
        |inst: &&InstData| matches!(inst.op, Op::Binary(BinaryOp::Mul, ..)) && is_sum_type(function.ty(inst.results[0]));
    if function.insts.iter().filter(is_product).count() < 2 {
        return;
    }
    let graph = Graph::new(function);
    let uses = function.uses();
    let mut same: FxHashMap<Value, Value> = FxHashMap::default();
    for &block in &graph.order {
        let insts = std::mem::take(&mut function.blocks[block.0 as usize].insts);
        let here: FxHashSet<Inst> = insts.iter().copied().collect();
        // The sums that are terms of others.
        let mut inner: FxHashSet<Inst> = FxHashSet::default();
        let mut found: FxHashMap<Inst, Vec<Value>> = FxHashMap::default();
        for &inst in insts.iter().rev() {
            if inner.contains(&inst) || !is_sum(function, inst) {
                continue;
            }
            let terms = terms(function, &uses, &here, inst, &mut inner);
            let products = terms.iter().filter(|&&term| uses[term.0 as usize] == 1 && factors(function, term).is_some()).count();
            if products >= 2 && terms.len() <= MOST_TERMS {
                found.insert(inst, terms);
            }
        }
        let mut out = Vec::with_capacity(insts.len());
        for inst in insts {
            if let Some(terms) = found.get(&inst) {
                let span = function.insts[inst.0 as usize].span;
                let mut writer = Writer { function, out: &mut out, span };
                let sum = writer.paired(&uses, terms);
                same.insert(function.insts[inst.0 as usize].results[0], sum);
                continue;
            }
            out.push(inst);
        }
        function.blocks[block.0 as usize].insts = out;
    }
    if !same.is_empty() {
        function.replace_uses(&same);
        super::dead_code(function);
    }
}

fn is_sum_type(ty: Type) -> bool {
    ty.element == Element::I32 && ty.length > 1 && 2 * ty.length <= Type::MOST_LANES
}

fn is_sum(function: &Function, inst: Inst) -> bool {
    let InstData { op, results, .. } = &function.insts[inst.0 as usize];
    matches!(op, Op::Binary(BinaryOp::Add, ..)) && is_sum_type(function.ty(results[0]))
}

/// Is a value of a loop one of those that are added up in pairs?
pub(super) fn is_product_of_words(function: &Function, value: Value) -> bool {
    is_sum_type(function.ty(value)) && factors(function, value).is_some()
}

/// What a sum adds up, through sums of the block that nobody else looks at.
fn terms(function: &Function, uses: &[u32], here: &FxHashSet<Inst>, sum: Inst, inner: &mut FxHashSet<Inst>) -> Vec<Value> {
    let (mut terms, mut work) = (Vec::new(), vec![sum]);
    let mut left: Vec<Value> = Vec::new();
    while let Some(sum) = work.pop() {
        let Op::Binary(_, a, b) = function.insts[sum.0 as usize].op else { unreachable!("a sum") };
        left.extend([b, a]);
        while let Some(value) = left.pop() {
            match function.values[value.0 as usize].def {
                ValueDef::Result(inst, _) if uses[value.0 as usize] == 1 && here.contains(&inst) && is_sum(function, inst) => {
                    inner.insert(inst);
                    work.push(inst);
                    break;
                }
                _ => terms.push(value),
            }
        }
    }
    terms
}

/// A factor that fits in 16 bits with a sign.
#[derive(Clone, Copy)]
enum Word {
    /// Lanes of 8 or 16 bits, and how they were made longer.
    Lanes(Value, ConvertOp),
    /// A number for all lanes, likewise.
    Same(Value, ConvertOp),
    /// The same constant in all lanes.
    Constant(u16),
}

/// The factors of a product of words, the one with lanes first.
fn factors(function: &Function, value: Value) -> Option<[Word; 2]> {
    let &Op::Binary(BinaryOp::Mul, a, b) = function.definition(value)? else { return None };
    match [word(function, a)?, word(function, b)?] {
        [a @ Word::Lanes(..), b] => Some([a, b]),
        [b, a @ Word::Lanes(..)] => Some([a, b]),
        _ => None,
    }
}

fn word(function: &Function, value: Value) -> Option<Word> {
    let narrow = |value: Value| match *function.definition(value)? {
        Op::Convert(op @ (ConvertOp::SExt | ConvertOp::ZExt), from) => {
            let element = function.ty(from).element;
            let fits = element == Element::I8 || element == Element::I16 && op == ConvertOp::SExt;
            fits.then_some((from, op))
        }
        _ => None,
    };
    match *function.definition(value)? {
        Op::Const(ref lanes) => {
            let number = lanes[0] as u32 as i32;
            let is_word = i16::try_from(number).is_ok() && lanes.iter().all(|lane| *lane == lanes[0]);
            is_word.then_some(Word::Constant(number as u16))
        }
        Op::Splat(number) => narrow(number).map(|(number, op)| Word::Same(number, op)),
        _ => narrow(value).map(|(lanes, op)| Word::Lanes(lanes, op)),
    }
}

impl Writer<'_> {
    /// The sum of terms.
    fn paired(&mut self, uses: &[u32], terms: &[Value]) -> Value {
        let ty = self.function.ty(terms[0]);
        // Of products whose lanes are made longer in the same way, and whose other factors are alike, two are a pair.
        let mut waiting: Vec<(Value, [Word; 2])> = Vec::new();
        let mut left = Vec::new();
        for &term in terms {
            let Some(factors) = factors(self.function, term).filter(|_| uses[term.0 as usize] == 1) else {
                left.push(term);
                continue;
            };
            let is_partner = |(_, other): &(Value, [Word; 2])| (0..2).all(|k| self.are_alike(factors[k], other[k]));
            match waiting.iter().position(is_partner) {
                Some(at) => {
                    let (_, first) = waiting.remove(at);
                    let [a, b] = [0, 1].map(|k| self.pairs_of_words([first[k], factors[k]], ty.length));
                    left.push(self.emit(Op::Dot2(a, b), ty));
                }
                None => waiting.push((term, factors)),
            }
        }
        left.extend(waiting.iter().map(|(term, _)| *term));
        // Sums of two, so that none waits for all others.
        while left.len() > 1 {
            let sum = |pair: &[Value]| match *pair {
                [a, b] => self.emit(Op::Binary(BinaryOp::Add, a, b), ty),
                [only] => only,
                _ => unreachable!("two at most"),
            };
            left = left.chunks(2).map(sum).collect();
        }
        left[0]
    }

    fn are_alike(&self, a: Word, b: Word) -> bool {
        match (a, b) {
            (Word::Lanes(a, op), Word::Lanes(b, other)) | (Word::Same(a, op), Word::Same(b, other)) => {
                op == other && self.function.ty(a) == self.function.ty(b)
            }
            (Word::Constant(_), Word::Constant(_)) => true,
            _ => false,
        }
    }

    /// The factors of two products side by side, of so many lanes: words, twice as many.
    fn pairs_of_words(&mut self, pair: [Word; 2], length: u8) -> Value {
        let words = Type::new(Element::I16, 2 * length);
        match pair {
            [Word::Lanes(a, op), Word::Lanes(b, _)] => {
                let ty = self.function.ty(a);
                if u64::from(2 * length) * ty.element.size() > 16 {
                    let pairs = self.joined([a, b], op, Type::new(Element::I32, length));
                    return self.emit(Op::Reinterpret(pairs), words);
                }
                let lanes = (0..2 * i16::from(length)).map(|lane| lane / 2 + lane % 2 * i16::from(length)).collect();
                let pairs = self.shuffle([a, b], lanes);
                if ty.element == Element::I16 { pairs } else { self.emit(Op::Convert(op, pairs), words) }
            }
            [Word::Same(a, op), Word::Same(b, _)] => {
                let pair = self.joined([a, b], op, Type::scalar(Element::I32));
                let pairs = self.emit(Op::Splat(pair), Type::new(Element::I32, length));
                self.emit(Op::Reinterpret(pairs), words)
            }
            [Word::Constant(a), Word::Constant(b)] => {
                let lanes = (0..2 * length).map(|lane| u64::from(if lane % 2 == 0 { a } else { b })).collect();
                self.emit(Op::Const(lanes), words)
            }
            _ => unreachable!("pairs are alike"),
        }
    }

    /// The first word in the lower half of a number of 32 bits, the second one in the upper half.
    fn joined(&mut self, pair: [Value; 2], op: ConvertOp, ty: Type) -> Value {
        // The upper bits of what is made longer from 16 do not stay.
        let op = if self.function.ty(pair[0]).element == Element::I16 { ConvertOp::ZExt } else { op };
        let [mut low, high] = pair.map(|word| self.emit(Op::Convert(op, word), ty));
        if op == ConvertOp::SExt {
            let mask = self.emit(Op::Const(vec![0xffff]), ty);
            low = self.emit(Op::Binary(BinaryOp::And, low, mask), ty);
        }
        let by = self.emit(Op::Const(vec![16]), ty);
        let high = self.emit(Op::Binary(BinaryOp::Shl, high, by), ty);
        self.emit(Op::Binary(BinaryOp::Or, low, high), ty)
    }
}
