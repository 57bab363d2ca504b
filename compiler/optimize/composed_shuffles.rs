//! Moves of what was moved are one move, where that is one instruction.
//!
//! ```text
//! lo, hi = the even and the odd lanes of x, y
//! store p, shuffle hi, lo, <0, 8, 1, 9, …>      ──►     store p, shuffle x, x, <1, 0, 3, 2, …>
//! ```
//! Channels that are taken apart, exchanged and put together again need not have been apart. For each byte of a shuffle is found which byte
//! of what value it is, through shuffles and what looks at the same bits differently. Where one register has all of them, which may be one of several of a longer
//! value, and they move within 16 bytes or at least four at a time, it is a shuffle of that register, whatever else is done with what is in between.
//!
//! What is put together of three streams takes three shuffles and two `or`s. Where four bytes at a time come from the same 16 bytes of one of two registers, these are put
//! side by side within 16 bytes in both, and then moved by fours: pixels of four bytes become pixels of three so.
//!
//! ```text
//! r, g, b = three of the four streams of x, y                      p = shuffle x, <0, 1, 2, 4, 5, 6, 8, …>
//! t = or (shuffle r, <0, −1, −1, 1, …>), (shuffle g, …)     ──►     q = shuffle y, <0, 1, 2, 4, 5, 6, 8, …>
//! store o, or t, (shuffle b, …)                                    store o, shuffle p, q, <0, 1, 2, 4, 5, 6, 8, 9> of words
//! ```
//!
//! Where a machine takes any bytes of two registers at once, those of two registers are one shuffle, and those of three are two: pixels of three bytes whose channels are
//! exchanged are taken from the registers that they lay in, and from the ones beside them. Where one of two registers is a constant, such as the opaque alpha of pixels, an `or` puts it
//! between the bytes of the other one.

use super::interleave::BLOCK;
use super::surroundings::Surroundings;
use crate::machine::Machine;
use crate::vector::graph::Graph;
use crate::vector::ir::*;
use crate::vector::writer::Writer;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Longer values are not looked at, in bytes.
const LONGEST: u64 = 128;

/// Where each byte of a value comes from; `None` is a zero.
pub(super) type Trace = Rc<[Option<(Value, u16)>]>;

/// Rewrites the shuffles of a function.
pub fn composed_shuffles(function: &mut Function, around: Surroundings<'_>) {
    let is_shuffle = |inst: &InstData| matches!(inst.op, Op::Shuffle(..));
    if !function.insts.iter().any(is_shuffle) {
        return;
    }
    let graph = Graph::new(function);
    let register = u64::from(around.machine.register_bytes);
    let mut traces: FxHashMap<Value, Trace> = FxHashMap::default();
    let mut same: FxHashMap<Value, Value> = FxHashMap::default();
    for &block in &graph.order {
        let insts = std::mem::take(&mut function.blocks[block.0 as usize].insts);
        let mut out = Vec::with_capacity(insts.len());
        for inst in insts {
            let InstData { op, results, span } = &function.insts[inst.0 as usize];
            let Some(trace) = trace_of(function, &traces, op, results) else {
                out.push(inst);
                continue;
            };
            let (result, ty, span, mut direct) = (results[0], function.ty(results[0]), *span, Vec::new());
            op.for_each(|operand| direct.push(operand));
            let fits = ty.bytes() <= register;
            let move_ = Move::of(function, around.machine, &trace, ty).filter(|m| fits && !direct.contains(&m.source));
            let merge = match &move_ {
                None if fits => Merge::of(function, around.machine, &trace, ty).filter(|merge| merge.takes_less(function, op)),
                _ => None,
            };
            let choice = match (&move_, &merge) {
                (None, None) if fits => Choice::of(function, around.machine, &trace, op),
                _ => None,
            };
            traces.insert(result, trace);
            let mut writer = Writer { function: &mut *function, out: &mut out, span };
            let value = match (move_, merge, choice) {
                (Some(move_), ..) => move_.write(&mut writer, ty),
                (None, Some(merge), _) => merge.write(&mut writer, ty),
                (None, None, Some(choice)) => choice.write(&mut writer, ty),
                (None, None, None) => {
                    out.push(inst);
                    continue;
                }
            };
            same.insert(result, value);
        }
        function.blocks[block.0 as usize].insts = out;
    }
    function.replace_uses(&same);
}

/// Where the bytes of a result come from, if the operation moves them; of masks nothing is known, whose lanes are bits.
pub(super) fn trace_of(function: &Function, traces: &FxHashMap<Value, Trace>, op: &Op, results: &[Value]) -> Option<Trace> {
    let &[result] = results else { return None };
    let of = |value: Value| -> Trace {
        traces.get(&value).cloned().unwrap_or_else(|| (0..function.ty(value).bytes() as u16).map(|k| Some((value, k))).collect())
    };
    let ty = function.ty(result);
    let is_number = |value: Value| {
        let ty = function.ty(value);
        !matches!(ty.element, Element::Bool | Element::Ptr) && ty.bytes() <= LONGEST
    };
    match op {
        Op::Shuffle(a, b, lanes) if is_number(*a) && is_number(result) => {
            let (size, length) = (ty.element.size() as usize, i16::from(function.ty(*a).length));
            let (a, b) = (of(*a), of(*b));
            let from = |lane: i16, k: usize| match lane {
                ..0 => None,
                lane if lane < length => a[lane as usize * size + k],
                lane => b[(lane - length) as usize * size + k],
            };
            Some(lanes.iter().flat_map(|&lane| (0..size).map(move |k| from(lane, k))).collect())
        }
        Op::Reinterpret(a) | Op::Convert(ConvertOp::Bits, a) if is_number(*a) && is_number(result) && ty.length > 1 => {
            Some(of(*a))
        }
        // Bytes of which one is zero.
        Op::Binary(BinaryOp::Or, a, b) if is_number(result) => {
            let both = of(*a).iter().copied().zip(of(*b).iter().copied()).collect::<Vec<_>>();
            let is_apart = both.iter().all(|(a, b)| a.is_none() || b.is_none());
            is_apart.then(|| both.into_iter().map(|(a, b)| a.or(b)).collect())
        }
        _ => None,
    }
}

/// One vector whose parts take the places of a result.
pub(super) struct Move {
    source: Value,
    /// The bytes in front of the part of the source that is as long as the result.
    before: u64,
    /// The bytes of a part.
    size: u64,
    /// Which part is where.
    parts: Vec<i16>,
}

impl Move {
    /// The move that a trace is, if it is an instruction.
    pub(super) fn of(function: &Function, machine: &Machine, trace: &Trace, ty: Type) -> Option<Move> {
        let source = trace.iter().flatten().next()?.0;
        if trace.iter().any(|byte| byte.is_none_or(|(value, _)| value != source))
            || !function.ty(source).bytes().is_multiple_of(ty.bytes())
        {
            return None;
        }
        let from: Vec<u64> = trace.iter().flatten().map(|&(_, k)| u64::from(k)).collect();
        let before = from[0] / ty.bytes() * ty.bytes();
        let from: Vec<u64> =
            from.into_iter().map(|k| k.checked_sub(before).filter(|&k| k < ty.bytes())).collect::<Option<_>>()?;
        let are_whole = |size: &u64| {
            let parts = from.chunks(*size as usize);
            parts.clone().all(|part| part[0] % size == 0)
                && parts.flat_map(|part| part.windows(2)).all(|pair| pair[1] == pair[0] + 1)
        };
        // Two parts at least: one is no vector.
        let size = [8, 4, 2, 1].into_iter().filter(|size| 2 * size <= ty.bytes()).find(are_whole)?;
        let stays = (0..).zip(&from).all(|(to, &from): (u64, _)| to / BLOCK == from / BLOCK);
        if function.ty(source).bytes() / size > u64::from(Type::MOST_LANES) {
            return None;
        }
        let is_one = if size < 4 { stays && !machine.byte_shuffles.is_empty() } else { true };
        is_one.then(|| {
            let parts = from.iter().step_by(size as usize).map(|k| (k / size) as i16).collect();
            Move { source, before, size, parts }
        })
    }

    /// Is all where it was, in the register where it was?
    pub(super) fn is_nothing(&self) -> bool {
        (0..).zip(&self.parts).all(|(to, &from)| to == from)
    }

    /// Writes it, as a vector of a type.
    pub(super) fn write(&self, writer: &mut Writer<'_>, ty: Type) -> Value {
        let element = Element::integer(self.size).expect("parts are 1, 2, 4 or 8 bytes");
        let whole = writer.function.ty(self.source);
        if self.is_nothing() && whole.bytes() == ty.bytes() {
            return writer.seen_as(self.source, ty);
        }
        let value = writer.seen_as(self.source, Type::new(element, (whole.bytes() / self.size) as u8));
        let before = (self.before / self.size) as i16;
        let value = writer.shuffle([value, value], self.parts.iter().map(|part| before + part).collect());
        writer.seen_as(value, ty)
    }
}

/// The bytes of a word in a register.
type Word = [u16; WORD];

/// Bytes that go together.
const WORD: usize = 4;

/// One register, or two, words of which take the places of a result.
struct Merge {
    /// The registers, as values with the bytes in front of the register.
    sources: Vec<(Value, u16)>,
    /// Which word of which source is where.
    words: Vec<(usize, Word)>,
}

impl Merge {
    /// The words that a trace is, if each source can put those that are taken from 16 of its bytes side by side in them.
    fn of(function: &Function, machine: &Machine, trace: &Trace, ty: Type) -> Option<Merge> {
        let (size, block) = (ty.bytes(), BLOCK as u16);
        if size < BLOCK || machine.byte_shuffles.len() <= (size / BLOCK).ilog2() as usize {
            return None;
        }
        let mut merge = Merge { sources: Vec::new(), words: Vec::new() };
        for word in trace.chunks(WORD) {
            let (value, first) = word[0]?;
            let before = first / size as u16 * size as u16;
            let mut from = Word::default();
            for (byte, from) in word.iter().zip(&mut from) {
                let (other, k) = (*byte)?;
                if other != value || k / block != first / block {
                    return None;
                }
                *from = k - before;
            }
            let source = merge.sources.iter().position(|source| *source == (value, before)).unwrap_or_else(|| {
                merge.sources.push((value, before));
                merge.sources.len() - 1
            });
            merge.words.push((source, from));
        }
        let are_registers = merge
            .sources
            .iter()
            .map(|&(value, _)| function.ty(value).bytes())
            .all(|whole| whole.is_multiple_of(size) && whole <= u64::from(Type::MOST_LANES));
        let has_room = |words: Vec<Word>| words.len() * WORD <= BLOCK as usize;
        let have_room = |source: usize| merge.taken(source, size).into_iter().all(has_room);
        (merge.sources.len() <= 2 && are_registers && (0..merge.sources.len()).all(have_room)).then_some(merge)
    }

    /// The words that are taken from a source, by its blocks of 16 bytes.
    fn taken(&self, source: usize, size: u64) -> Vec<Vec<Word>> {
        let mut taken = vec![Vec::new(); (size / BLOCK) as usize];
        for (_, word) in self.words.iter().filter(|(from, _)| *from == source) {
            let block: &mut Vec<Word> = &mut taken[(u64::from(word[0]) / BLOCK) as usize];
            if !block.contains(word) {
                block.push(*word);
            }
        }
        taken
    }

    /// Does this take no more than what a result is put together with by `or`? It moves each source twice, and puts two together.
    fn takes_less(&self, function: &Function, result: &Op) -> bool {
        let needed = 3 * self.sources.len() - 1;
        let defined = |value: Value| function.definition(seen(function, value));
        // A shuffle moves what was put together; others may be there for somebody else, too.
        let (mut work, mut found) = match *result {
            Op::Shuffle(a, b, _) => {
                let both = [Some(a), Some(b).filter(|&b| b != a)].into_iter().flatten().filter_map(defined);
                (both.filter(|op| matches!(op, Op::Binary(..))).collect(), 1)
            }
            _ => (vec![result], 0),
        };
        while let Some(op) = work.pop().filter(|_| found < needed) {
            match *op {
                Op::Binary(BinaryOp::Or, a, b) => {
                    found += 1;
                    work.extend([a, b].into_iter().filter_map(defined));
                }
                Op::Shuffle(..) => found += 1,
                _ => {}
            }
        }
        found >= needed
    }

    /// Writes it, as a vector of a type.
    fn write(&self, writer: &mut Writer<'_>, ty: Type) -> Value {
        let size = ty.bytes();
        let mut places: FxHashMap<(usize, Word), i16> = FxHashMap::default();
        let mut beside: Vec<Value> = Vec::new();
        for (source, &(value, before)) in self.sources.iter().enumerate() {
            let mut lanes = Vec::new();
            for (block, words) in self.taken(source, size).into_iter().enumerate() {
                lanes.extend(words.iter().flatten().map(|&byte| (before + byte) as i16));
                lanes.resize((block + 1) * BLOCK as usize, -1);
                let first = (source as u64 * size + block as u64 * BLOCK) as i16 / WORD as i16;
                places.extend((first..).zip(words).map(|(place, word)| ((source, word), place)));
            }
            let all = writer.function.ty(value).bytes() as u8;
            let value = writer.seen_as(value, Type::new(Element::I8, all));
            let value = writer.shuffle([value, value], lanes);
            beside.push(writer.seen_as(value, Type::new(Element::I32, (size / WORD as u64) as u8)));
        }
        let last = *beside.last().expect("a result has bytes");
        let value = writer.shuffle([beside[0], last], self.words.iter().map(|word| places[word]).collect());
        writer.seen_as(value, ty)
    }
}

/// Any bytes of two registers, or of three.
struct Choice {
    sources: Vec<Value>,
    /// Which byte of which source is where.
    bytes: Vec<(usize, i16)>,
}

impl Choice {
    /// The bytes of a trace, if the machine chooses from registers as long as the result, which was made by as many shuffles of shuffles.
    fn of(function: &Function, machine: &Machine, trace: &Trace, result: &Op) -> Option<Choice> {
        let size = trace.len() as u32;
        machine.permute(8, size, size).filter(|unit| unit.lanes == size && unit.lanes * 8 > 128)?;
        let mut choice = Choice { sources: Vec::new(), bytes: Vec::new() };
        for byte in trace.iter() {
            let (value, k) = (*byte)?;
            let source = choice.sources.iter().position(|source| *source == value).unwrap_or_else(|| {
                choice.sources.push(value);
                choice.sources.len() - 1
            });
            choice.bytes.push((source, k as i16));
        }
        let are_registers = choice.sources.iter().all(|&source| function.ty(source).bytes() == u64::from(size));
        let operands = |op: &Op| match *op {
            Op::Shuffle(a, b, _) => {
                [a, b].map(|value| function.definition(seen(function, value))).into_iter().flatten().collect()
            }
            _ => Vec::new(),
        };
        // The last of them goes in any case, and one more in front of it for each source beyond two; so does what is in front of these, where nobody else looks at it.
        let is_moved = |op: &&Op| matches!(op, Op::Shuffle(..));
        let before: Vec<&Op> = operands(result).into_iter().filter(is_moved).collect();
        let is_long = before.iter().any(|op| operands(op).iter().any(is_moved));
        // What is the same whatever lies in memory is put there by an `or`.
        let is_known = |source: &Value| matches!(function.definition(seen(function, *source)), Some(Op::Const(_)));
        let is_with_constant = choice.sources.len() == 2 && before.len() == 2 && choice.sources.iter().any(is_known);
        (matches!(choice.sources.len(), 2 | 3) && are_registers && (is_long || is_with_constant)).then_some(choice)
    }

    /// The bytes of the only source that is no constant, with zeros between, and what stands there, of a source that is one.
    fn with_constant(&self, function: &Function) -> Option<(Value, Vec<i16>, Vec<u64>)> {
        let &[one, other] = &self.sources[..] else { return None };
        let constant = |value: Value| {
            let known = seen(function, value);
            let (lanes, size) = (function.constant(known)?, function.ty(known).element.size() as usize);
            Some(lanes.iter().flat_map(|lane| lane.to_le_bytes().into_iter().take(size)).collect::<Vec<u8>>())
        };
        let (moved, bytes) = match (constant(one), constant(other)) {
            (None, Some(bytes)) => (0, bytes),
            (Some(bytes), None) => (1, bytes),
            _ => return None,
        };
        let lanes = self.bytes.iter().map(|&(source, k)| if source == moved { k } else { -1 }).collect();
        let between = self.bytes.iter().map(|&(source, k)| if source == moved { 0 } else { u64::from(bytes[k as usize]) });
        Some((self.sources[moved], lanes, between.collect()))
    }

    /// Writes it, as a vector of a type.
    fn write(&self, writer: &mut Writer<'_>, ty: Type) -> Value {
        let size = self.bytes.len() as i16;
        let bytes = Type::new(Element::I8, size as u8);
        if let Some((source, lanes, between)) = self.with_constant(writer.function) {
            let source = writer.seen_as(source, bytes);
            let moved = writer.shuffle([source, source], lanes);
            let between = writer.emit(Op::Const(between), bytes);
            let value = writer.emit(Op::Binary(BinaryOp::Or, moved, between), bytes);
            return writer.seen_as(value, ty);
        }
        let sources: Vec<Value> = self.sources.iter().map(|&source| writer.seen_as(source, bytes)).collect();
        // Where the third one's come to stand anything may stand before.
        let of_two = |(place, &(source, k)): (i16, &(usize, i16))| if source < 2 { source as i16 * size + k } else { place };
        let first = (0..).zip(&self.bytes).map(of_two);
        let mut value = writer.shuffle([sources[0], sources[1]], first.collect());
        if let Some(&third) = sources.get(2) {
            let both = (0..).zip(&self.bytes).map(|(place, &(source, k))| if source < 2 { place } else { size + k });
            value = writer.shuffle([value, third], both.collect());
        }
        writer.seen_as(value, ty)
    }
}

/// What has the bits of a value before it was seen as another type.
fn seen(function: &Function, mut value: Value) -> Value {
    while let Some(&(Op::Reinterpret(before) | Op::Convert(ConvertOp::Bits, before))) = function.definition(value) {
        value = before;
    }
    value
}

impl Writer<'_> {
    /// The same bits as a vector of another type.
    fn seen_as(&mut self, value: Value, ty: Type) -> Value {
        match self.function.ty(value) {
            from if from == ty => value,
            from if from.length == ty.length => self.emit(Op::Convert(ConvertOp::Bits, value), ty),
            _ => self.emit(Op::Reinterpret(value), ty),
        }
    }
}
