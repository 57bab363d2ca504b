//! Numbers that need few bits are computed in few.
//!
//! ```text
//! s = add (zext a), (zext b)     i32×32        s = add (zext a), (zext b)     i16×32
//! m = ashr (add s, 1), 1                 ──►   m = lshr (add s, 1), 1
//! o = convert.trunc m            i8×32         o = convert.trunc m            i8×32
//! ```
//! By C's rules bytes are computed with as `int`, in four times their lanes' bits. Of a number of 32 bits the lower 16 can be computed
//! from those of its operands where it is a sum, a product, a difference or a logical operation of them; and where its operands fit in
//! 16 bits, with a sign or without, it may also be a shift to the right, a quotient, a minimum or a comparison, in the arithmetic that
//! they fit in. What is looked at ([`Root`]) is cut to at most so many bits, or compared; what it is computed from has to end in
//! numbers that were extended from so many bits, and constants. Whether numbers fit is told by their [ranges](super::ranges).
//!
//! A number that is shifted to the right and then cut to bits that its lower half has needs no more than that half, whether it fits or not.
//!
//! What is looked at in all of its bits as well is computed twice.

use super::dead_code;
use super::ranges::{Range, ranges};
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use crate::vector::writer::Writer;
use rustc_hash::{FxHashMap, FxHashSet};

/// Operations deep in each other are looked through so far.
const DEPTH: u32 = 64;

/// The bits in which it may be computed. Bytes are added, compared and chosen, but neither shifted nor multiplied.
const WIDTHS: [u32; 3] = [8, 16, 32];

/// Narrows the arithmetic of a function.
pub fn narrow_arithmetic(function: &mut Function) {
    let is_cut = |inst: &InstData| match inst.op {
        Op::Convert(ConvertOp::Trunc, a) => function.ty(a).length > 1,
        _ => false,
    };
    if !function.insts.iter().any(is_cut) {
        return;
    }
    let graph = Graph::new(function);
    let ranges = ranges(function, &graph);
    let mut narrowing = Narrowing { function, ranges: &ranges, known: FxHashMap::default() };
    let roots = narrowing.roots(&graph);
    if roots.is_empty() {
        return;
    }
    let known = narrowing.known;
    write(function, &graph, &ranges, &known, &roots);
    dead_code(function);
}

/// How a number fits in fewer bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fit {
    Signed,
    Unsigned,
}

/// Do numbers fit, all of them in the same way?
fn fit(ranges: &[Range], bits: u32) -> Option<Fit> {
    let all = |least: i64, most: i64| ranges.iter().all(|&(low, high)| least <= low && high <= most);
    let half = 1i64 << (bits - 1);
    match () {
        () if all(-half, half - 1) => Some(Fit::Signed),
        () if all(0, 2 * half - 1) => Some(Fit::Unsigned),
        () => None,
    }
}

/// What is looked at: a number that is cut, or a comparison whose mask is for what is narrow, too.
#[derive(Clone, Copy)]
struct Root {
    /// In so many bits.
    bits: u32,
    /// What is shifted to the right before it is cut, and by how much, where its lower bits are looked at alone.
    shifted: Option<(Value, u32)>,
}

/// Is the value computed in so many bits, and by how many operations?
type Known = FxHashMap<(Value, u32), Option<u32>>;

struct Narrowing<'f> {
    function: &'f Function,
    ranges: &'f [Range],
    known: Known,
}

impl Narrowing<'_> {
    /// The instructions that begin to look, and in how many bits.
    fn roots(&mut self, graph: &Graph) -> FxHashMap<Inst, Root> {
        let mut roots = FxHashMap::default();
        let insts = || graph.order.iter().flat_map(|block| &self.function.blocks[block.0 as usize].insts).copied();
        let insts: Vec<Inst> = insts().collect();
        for &inst in &insts {
            let InstData { op, results, .. } = &self.function.insts[inst.0 as usize];
            let Op::Convert(ConvertOp::Trunc, a) = *op else { continue };
            let (from, to) = (self.function.ty(a), self.function.ty(results[0]).element.bits());
            let mut widths = WIDTHS.into_iter().filter(|&bits| to <= bits && bits < from.element.bits());
            if from.length > 1
                && let Some(bits) = widths.find(|&bits| self.operations(a, bits, DEPTH).is_some_and(|operations| operations > 0))
            {
                roots.insert(inst, Root { bits, shifted: None });
            } else if let Some(root) = self.shifted(a, to) {
                roots.insert(inst, root);
            }
        }
        let mut users: FxHashMap<Value, Vec<Inst>> = FxHashMap::default();
        for &inst in &insts {
            self.function.insts[inst.0 as usize].op.for_each(|value| users.entry(value).or_default().push(inst));
        }
        // A comparison goes with what its mask is for.
        for &inst in insts.iter().rev() {
            let InstData { op, results, .. } = &self.function.insts[inst.0 as usize];
            let Op::Compare(_, a, b) = *op else { continue };
            let from = self.function.ty(a);
            if from.length == 1 || !from.element.is_int() {
                continue;
            }
            let mut widths = WIDTHS.into_iter().filter(|&bits| bits < from.element.bits());
            let width = widths
                .find(|&bits| fit(&[self.range(a), self.range(b)], bits).is_some() && self.both(a, b, bits, DEPTH).is_some());
            if let Some(bits) = width
                && self.is_for_narrow(&users, results[0], bits, 8)
            {
                roots.insert(inst, Root { bits, shifted: None });
            }
        }
        roots
    }

    /// A shift to the right of which so many bits are looked at: all of them are lower ones of what is shifted.
    fn shifted(&mut self, value: Value, looked_at: u32) -> Option<Root> {
        let from = self.function.ty(value);
        let Op::Binary(BinaryOp::LShr | BinaryOp::AShr, a, count) = *self.function.definition(value)? else { return None };
        let (count, most) = self.range(count);
        let by = u32::try_from(count).ok().filter(|_| count == most)?;
        let mut widths =
            WIDTHS.into_iter().filter(|&bits| by + looked_at <= bits && bits < from.element.bits() && from.length > 1);
        let bits = widths.find(|&bits| self.operations(a, bits, DEPTH).is_some_and(|operations| operations > 0))?;
        Some(Root { bits, shifted: Some((a, by)) })
    }

    fn range(&self, value: Value) -> Range {
        self.ranges[value.0 as usize]
    }

    /// Is a mask for lanes of at most so many bits?
    fn is_for_narrow(&self, users: &FxHashMap<Value, Vec<Inst>>, mask: Value, bits: u32, depth: u32) -> bool {
        let is_narrow = |value: Value| self.function.ty(value).element.bits() <= bits;
        users.get(&mask).is_some_and(|users_of| {
            users_of.iter().all(|user| {
                let InstData { op, results, .. } = &self.function.insts[user.0 as usize];
                let is_through = || depth > 0 && self.is_for_narrow(users, results[0], bits, depth - 1);
                match op {
                    Op::Select(m, ..) if *m == mask && self.function.ty(results[0]).element != Element::Bool => {
                        is_narrow(results[0]) || matches!(self.known.get(&(results[0], bits)), Some(Some(_)))
                    }
                    Op::Select(..) | Op::Unary(..) | Op::Binary(..) => is_through(),
                    Op::Any(_) | Op::All(_) | Op::MaskBits(_) => true,
                    Op::Load { .. } => is_narrow(results[0]),
                    Op::Store { value, .. } => is_narrow(*value),
                    _ => false,
                }
            })
        })
    }

    /// The operations on narrow numbers that give the lower `bits` bits of a value, if there are any that do.
    fn operations(&mut self, value: Value, bits: u32, depth: u32) -> Option<u32> {
        if depth == 0 {
            return None;
        }
        if let Some(&known) = self.known.get(&(value, bits)) {
            return known;
        }
        let found = self.operations_of(value, bits, depth - 1);
        self.known.insert((value, bits), found);
        found
    }

    fn both(&mut self, a: Value, b: Value, bits: u32, depth: u32) -> Option<u32> {
        Some(self.operations(a, bits, depth)?.saturating_add(self.operations(b, bits, depth)?))
    }

    fn operations_of(&mut self, value: Value, bits: u32, depth: u32) -> Option<u32> {
        let function = self.function;
        let ty = function.ty(value);
        if !ty.element.is_int() || ty.length == 1 {
            return None;
        }
        let count = match function.definition(value)? {
            Op::Const(_) | Op::Splat(_) => return Some(0),
            Op::Convert(ConvertOp::ZExt | ConvertOp::SExt, a) if function.ty(*a).element.bits() <= bits => return Some(0),
            Op::Convert(ConvertOp::Trunc, a) => return self.operations(*a, bits, depth),
            Op::Shuffle(a, b, _) => return self.both(*a, *b, bits, depth),
            Op::Unary(UnaryOp::Neg | UnaryOp::Not, a) => self.operations(*a, bits, depth)?,
            Op::Unary(UnaryOp::Abs, a) => {
                let is_signed = fit(&[self.range(*a)], bits) == Some(Fit::Signed);
                self.operations(*a, bits, depth).filter(|_| is_signed)?
            }
            Op::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor, a, b) => {
                self.both(*a, *b, bits, depth)?
            }
            Op::Binary(
                BinaryOp::Mul
                | BinaryOp::Shl
                | BinaryOp::LShr
                | BinaryOp::AShr
                | BinaryOp::SDiv
                | BinaryOp::UDiv
                | BinaryOp::SRem
                | BinaryOp::URem,
                ..,
            ) if bits == 8 => return None,
            Op::Binary(BinaryOp::Mul, a, b) => self.both(*a, *b, bits, depth)?,
            Op::Binary(BinaryOp::Shl, a, count) => {
                self.is_count(*count, bits)?;
                self.both(*a, *count, bits, depth)?
            }
            Op::Binary(BinaryOp::LShr | BinaryOp::AShr, a, count) => {
                self.is_count(*count, bits)?;
                let is_positive = self.range(*a).0 >= 0;
                let is_shift = matches!(function.definition(value), Some(Op::Binary(BinaryOp::AShr, ..)));
                fit(&[self.range(*a)], bits).filter(|_| is_shift || is_positive)?;
                self.both(*a, *count, bits, depth)?
            }
            Op::Binary(BinaryOp::SDiv | BinaryOp::UDiv | BinaryOp::SRem | BinaryOp::URem, a, b) => {
                let (dividend, divisor) = (self.range(*a), self.range(*b));
                // Division by a number is a product; that of MIN by −1 is left alone, and so is what is large without a sign.
                if divisor.0 != divisor.1 || divisor.0 <= 0 || dividend.0 < 0 && !self.is_signed_division(value) {
                    return None;
                }
                fit(&[dividend, divisor], bits)?;
                self.both(*a, *b, bits, depth)?
            }
            Op::Binary(op @ (BinaryOp::SMin | BinaryOp::SMax | BinaryOp::UMin | BinaryOp::UMax), a, b) => {
                let ranges = [self.range(*a), self.range(*b)];
                let is_signed = matches!(op, BinaryOp::SMin | BinaryOp::SMax);
                fit(&ranges, bits).filter(|_| is_signed || ranges.iter().all(|range| range.0 >= 0))?;
                self.both(*a, *b, bits, depth)?
            }
            Op::Select(_, a, b) => self.both(*a, *b, bits, depth)?,
            _ => return None,
        };
        Some(count.saturating_add(1))
    }

    fn is_signed_division(&self, value: Value) -> bool {
        matches!(self.function.definition(value), Some(Op::Binary(BinaryOp::SDiv | BinaryOp::SRem, ..)))
    }

    /// The same number for all lanes, less than the bits.
    fn is_count(&self, count: Value, bits: u32) -> Option<()> {
        let (low, high) = self.range(count);
        (low == high && (0..i64::from(bits)).contains(&low)).then_some(())
    }
}

/// Writes, beside each value that a root is computed from, the same in fewer bits; roots take these.
fn write(function: &mut Function, graph: &Graph, ranges: &[Range], known: &Known, roots: &FxHashMap<Inst, Root>) {
    let needed = needed(function, known, roots);
    let mut made: FxHashMap<(Value, u32), Value> = FxHashMap::default();
    let mut same: FxHashMap<Value, Value> = FxHashMap::default();
    for &block in &graph.order {
        let insts = std::mem::take(&mut function.blocks[block.0 as usize].insts);
        let mut out = Vec::with_capacity(insts.len());
        for inst in insts {
            for result in function.insts[inst.0 as usize].results.clone() {
                for bits in WIDTHS {
                    if needed.contains(&(result, bits)) {
                        let span = function.insts[inst.0 as usize].span;
                        let mut writer = Writer { function: &mut *function, out: &mut out, span };
                        let narrow = narrowed(&mut writer, ranges, &made, result, bits);
                        made.insert((result, bits), narrow);
                    }
                }
            }
            if let Some(root) = roots.get(&inst) {
                let InstData { op, results, .. } = function.insts[inst.0 as usize].clone();
                match op {
                    Op::Convert(ConvertOp::Trunc, a) => {
                        let narrow = match root.shifted {
                            Some((a, by)) => {
                                let (narrow, span) = (made[&(a, root.bits)], function.insts[inst.0 as usize].span);
                                let ty = function.ty(narrow);
                                let mut writer = Writer { function: &mut *function, out: &mut out, span };
                                let by = writer.emit(Op::Const(vec![by.into()]), ty);
                                writer.emit(Op::Binary(BinaryOp::LShr, narrow, by), ty)
                            }
                            None => made[&(a, root.bits)],
                        };
                        if function.ty(results[0]) == function.ty(narrow) {
                            same.insert(results[0], narrow);
                            continue;
                        }
                        function.insts[inst.0 as usize].op = Op::Convert(ConvertOp::Trunc, narrow);
                    }
                    Op::Compare(op, a, b) => {
                        let fit = fit(&[ranges[a.0 as usize], ranges[b.0 as usize]], root.bits).expect("it was asked before");
                        let op = compared(op, fit);
                        function.insts[inst.0 as usize].op = Op::Compare(op, made[&(a, root.bits)], made[&(b, root.bits)]);
                    }
                    _ => unreachable!("roots are numbers that are cut, and comparisons"),
                }
            }
            out.push(inst);
        }
        function.blocks[block.0 as usize].insts = out;
    }
    function.replace_uses(&same);
}

/// The values that are made in fewer bits.
fn needed(function: &Function, known: &Known, roots: &FxHashMap<Inst, Root>) -> FxHashSet<(Value, u32)> {
    let mut needed = FxHashSet::default();
    let mut work: Vec<(Value, u32)> = Vec::new();
    for (inst, root) in roots {
        match root.shifted {
            Some((value, _)) => work.push((value, root.bits)),
            None => function.insts[inst.0 as usize].op.for_each(|value| work.push((value, root.bits))),
        }
    }
    while let Some((value, bits)) = work.pop() {
        let is_made = matches!(known.get(&(value, bits)), Some(Some(_)));
        if is_made && needed.insert((value, bits)) {
            match function.definition(value) {
                Some(Op::Const(_) | Op::Splat(_) | Op::Convert(ConvertOp::ZExt | ConvertOp::SExt, _)) | None => {}
                Some(op) => op.for_each(|operand| work.push((operand, bits))),
            }
        }
    }
    needed
}

/// The lower bits of a value, from those of its operands.
fn narrowed(writer: &mut Writer<'_>, ranges: &[Range], made: &FxHashMap<(Value, u32), Value>, value: Value, bits: u32) -> Value {
    let of = |value: &Value| made[&(*value, bits)];
    let element = Element::integer(u64::from(bits / 8)).expect("a width");
    let ty = writer.function.ty(value).with_element(element);
    let mask = u64::MAX >> (64 - bits);
    let range = |value: &Value| ranges[value.0 as usize];
    let op = match writer.function.definition(value).expect("it is computed").clone() {
        Op::Const(lanes) => Op::Const(lanes.iter().map(|lane| lane & mask).collect()),
        Op::Splat(a) => Op::Splat(writer.emit(Op::Convert(ConvertOp::Trunc, a), ty.with_length(1))),
        Op::Convert(op @ (ConvertOp::ZExt | ConvertOp::SExt), a) => {
            if writer.function.ty(a).element == element {
                return a;
            }
            Op::Convert(op, a)
        }
        Op::Convert(_, a) => return of(&a),
        Op::Shuffle(a, b, lanes) => Op::Shuffle(of(&a), of(&b), lanes),
        Op::Unary(op, a) => Op::Unary(op, of(&a)),
        Op::Select(m, a, b) => Op::Select(m, of(&a), of(&b)),
        Op::Binary(op, a, b) => {
            let fit = || fit(&[range(&a), range(&b)], bits);
            let is_unsigned = |range: Range| range.0 >= 0;
            let op = match op {
                BinaryOp::AShr | BinaryOp::LShr if is_unsigned(range(&a)) => BinaryOp::LShr,
                BinaryOp::SDiv if is_unsigned(range(&a)) => BinaryOp::UDiv,
                BinaryOp::SRem if is_unsigned(range(&a)) => BinaryOp::URem,
                BinaryOp::SMin | BinaryOp::UMin if fit() == Some(Fit::Signed) => BinaryOp::SMin,
                BinaryOp::SMax | BinaryOp::UMax if fit() == Some(Fit::Signed) => BinaryOp::SMax,
                BinaryOp::SMin => BinaryOp::UMin,
                BinaryOp::SMax => BinaryOp::UMax,
                op => op,
            };
            Op::Binary(op, of(&a), of(&b))
        }
        op => unreachable!("{op:?} is not narrowed"),
    };
    writer.emit(op, ty)
}

/// A comparison of numbers that fit so. What is extended with its sign keeps the order of numbers without one.
fn compared(op: CompareOp, fit: Fit) -> CompareOp {
    if fit == Fit::Unsigned { op.without_sign() } else { op }
}
