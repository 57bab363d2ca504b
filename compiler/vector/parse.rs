//! Reads the text that [`super::print`] writes, so that a pass can be tested on text.
//!
//! `parse(print(m))` prints like `m`. Three things are not in the text: source positions; the C signature of exported and
//! external functions, which are taken to have scalars only; and values of dead instructions, whose numbers stay free.

use super::ir::*;
use crate::source::Span;
use crate::target::{Channel, Memory};
use ivl::Format;
use rustc_hash::FxHashMap;

/// Reads a module.
///
/// # Errors
/// The number of the line that could not be read, and why.
pub fn parse(text: &str) -> Result<Module, String> {
    let mut module = Module::default();
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let mut names = Names::default();
    for line in &lines {
        if let Some(rest) = line.strip_prefix("global @") {
            let name = rest.split_whitespace().next().unwrap_or_default();
            names.globals.insert(name.to_owned(), GlobalId(names.globals.len() as u32));
        } else if let Some(at) = line.find("function @") {
            let name = line[at + "function @".len()..].split('(').next().unwrap_or_default();
            names.functions.insert(name.to_owned(), FunctionId(names.functions.len() as u32));
        }
    }
    let (mut signature, mut reader) = (String::new(), None::<Reader>);
    for (i, line) in lines.iter().enumerate() {
        let result: Result<(), String> = (|| {
            match (&mut reader, *line) {
                (_, "") => {}
                (Some(_), "}") => module.functions.push(reader.take().expect("a function").finish()),
                (Some(reader), line) => reader.line(line, &names)?,
                (None, line) => {
                    if let Some(text) = line.strip_prefix("// ") {
                        signature = text.to_owned();
                    } else if line.starts_with("global ") {
                        module.globals.push(global(&mut Cursor::new(line))?);
                    } else if line.starts_with("lanes ") {
                        module.lanes.push(lanes(&mut Cursor::new(line), &names)?);
                    } else {
                        let function = head(&mut Cursor::new(line), std::mem::take(&mut signature))?;
                        if line.ends_with('{') {
                            reader = Some(Reader::new(function));
                        } else {
                            module.functions.push(function);
                        }
                    }
                }
            }
            Ok(())
        })();
        result.map_err(|why| format!("line {}: {why}: {line}", i + 1))?;
    }
    if reader.is_some() { Err("the last function has no end".into()) } else { Ok(module) }
}

#[derive(Default)]
struct Names {
    functions: FxHashMap<String, FunctionId>,
    globals: FxHashMap<String, GlobalId>,
}

/// The rest of a line.
struct Cursor<'t> {
    rest: &'t str,
}

impl<'t> Cursor<'t> {
    fn new(text: &'t str) -> Self {
        Cursor { rest: text.trim_start() }
    }

    fn eat(&mut self, text: &str) -> bool {
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, text: &str) -> Result<(), String> {
        if self.eat(text) { Ok(()) } else { Err(format!("`{text}` is missing before `{}`", self.rest)) }
    }

    /// Letters, digits, `_`, `.` and `-`.
    fn word(&mut self) -> Result<&'t str, String> {
        let end = self.rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '-'))).unwrap_or(self.rest.len());
        if end == 0 {
            return Err(format!("a word is missing before `{}`", self.rest));
        }
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        Ok(word)
    }

    /// `@name(`, where arguments begin.
    fn function(&mut self, names: &Names) -> Result<FunctionId, String> {
        self.expect("@")?;
        let name = self.word()?;
        self.expect("(")?;
        names.functions.get(name).copied().ok_or_else(|| format!("there is no function @{name}"))
    }

    fn number<N: TryFrom<i128>>(&mut self) -> Result<N, String> {
        let word = self.word()?;
        let value = match word.strip_prefix("0x") {
            Some(hex) => i128::from_str_radix(hex, 16),
            None => word.parse(),
        };
        value.ok().and_then(|n| N::try_from(n).ok()).ok_or_else(|| format!("`{word}` is no number that fits"))
    }

    /// A word with a number behind `prefix`, as `v12` or `block3`.
    fn indexed(&mut self, prefix: &str) -> Result<u32, String> {
        let word = self.word()?;
        word.strip_prefix(prefix).and_then(|n| n.parse().ok()).ok_or_else(|| format!("`{word}` is no `{prefix}` with a number"))
    }

    fn value(&mut self) -> Result<Value, String> {
        self.indexed("v").map(Value)
    }

    fn ty(&mut self) -> Result<Type, String> {
        let word = self.word()?;
        let elements =
            [Element::Bool, Element::I8, Element::I16, Element::I32, Element::I64, Element::F32, Element::F64, Element::Ptr];
        let found = elements.into_iter().find_map(|element| {
            let rest = word.strip_prefix(element.name())?;
            let length = if rest.is_empty() { Some(1) } else { rest.strip_prefix('x')?.parse().ok() };
            Some(Type::new(element, length.filter(|l: &u8| l.is_power_of_two() && *l <= 64)?))
        });
        found.ok_or_else(|| format!("`{word}` is no type"))
    }

    /// Items separated by commas up to `end`.
    fn list<T>(&mut self, end: &str, mut item: impl FnMut(&mut Self) -> Result<T, String>) -> Result<Vec<T>, String> {
        let mut items = Vec::new();
        if self.eat(end) {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if !self.eat(",") {
                break;
            }
        }
        self.expect(end)?;
        Ok(items)
    }

    /// How numbers are printed.
    fn format(&mut self) -> Result<Format, String> {
        let end = self.rest.find([',', ' ']).unwrap_or(self.rest.len());
        let (format, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        Format::of(format).ok_or_else(|| format!("`{format}` is no format"))
    }

    /// A text in quotes, escaped as Rust's `Debug` does.
    fn text(&mut self) -> Result<String, String> {
        // Blanks behind the quote belong to the text.
        self.rest = self.rest.strip_prefix('"').ok_or_else(|| format!("a text is missing before `{}`", self.rest))?;
        let mut text = String::new();
        let mut characters = self.rest.char_indices();
        while let Some((at, c)) = characters.next() {
            match c {
                '"' => {
                    self.rest = self.rest[at + 1..].trim_start();
                    return Ok(text);
                }
                '\\' => match characters.next().map(|(_, c)| c) {
                    Some('n') => text.push('\n'),
                    Some('t') => text.push('\t'),
                    Some('r') => text.push('\r'),
                    Some('0') => text.push('\0'),
                    Some('u') => {
                        let digits = characters.by_ref().map(|(_, c)| c).skip(1).take_while(|c| *c != '}');
                        let code = u32::from_str_radix(&digits.collect::<String>(), 16).ok().and_then(char::from_u32);
                        text.push(code.ok_or("`\\u{…}` without a code point")?);
                    }
                    Some(other) => text.push(other),
                    None => break,
                },
                other => text.push(other),
            }
        }
        Err("a text without end".into())
    }

    fn optional(&mut self, prefix: &str) -> Result<Option<Value>, String> {
        if self.eat(prefix) { self.value().map(Some) } else { Ok(None) }
    }

    fn object(&mut self) -> Result<Option<Object>, String> {
        if !self.eat(", object ") {
            return Ok(None);
        }
        let offset = self.number()?;
        self.expect("/")?;
        Ok(Some(Object { offset, size: self.number()? }))
    }
}

fn global(c: &mut Cursor) -> Result<Global, String> {
    c.expect("global @")?;
    let name = c.word()?.to_owned();
    c.expect("size=")?;
    let size = c.number()?;
    c.expect("align=")?;
    let alignment = c.number()?;
    let is_const = c.eat("const");
    let mut bytes = None;
    if c.eat("=") {
        let digits = c.word()?;
        let pairs = digits.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).unwrap_or_default());
        let all: Result<Vec<u8>, _> = pairs.map(|pair| u8::from_str_radix(pair, 16)).collect();
        bytes = Some(all.map_err(|_| "bytes are pairs of hexadecimal digits")?);
    }
    Ok(Global { name, bytes, size, alignment, is_const })
}

fn lanes(c: &mut Cursor, names: &Names) -> Result<LaneFunction, String> {
    let id = |name: &str| names.functions.get(name).copied().ok_or_else(|| format!("there is no function `{name}`"));
    c.expect("lanes @")?;
    let one = id(c.word()?)?;
    c.expect(": @")?;
    Ok(LaneFunction { one, lanes: id(c.word()?)?, is_total: c.eat("total") })
}

fn head(c: &mut Cursor, signature: String) -> Result<Function, String> {
    let exported = c.eat("export ");
    let external = !exported && c.eat("extern ");
    c.expect("function @")?;
    let name = c.word()?.to_owned();
    c.expect("(")?;
    let parameters = c.list(")", |c| {
        let ty = c.ty()?;
        let noalias = c.eat("noalias");
        let read_only = c.eat("readonly");
        let elements = match c.eat("elements") {
            true => {
                let count = if c.eat("const") { Count::Constant(c.number()?) } else { Count::Parameter(c.number()?) };
                Some(Elements { count, size: c.number()? })
            }
            false => None,
        };
        Ok((ty, ParameterFlags { noalias, read_only, elements }))
    })?;
    c.expect("-> (")?;
    let results = c.list(")", Cursor::ty)?;
    c.expect("fp=")?;
    let fp = match c.word()? {
        "strict" => FpMode::Strict,
        "contract" => FpMode::Contract,
        "fast" => FpMode::Fast,
        other => return Err(format!("`{other}` is no mode of arithmetic")),
    };
    let inlining = match (c.eat("noinline"), c.eat("cold")) {
        (true, true) => Inlining::Rare,
        (true, false) => Inlining::Never,
        (false, true) => Inlining::Cold,
        (false, false) => Inlining::Allowed,
    };
    let asks_lanes = c.eat("asks");
    let (parameters, parameter_flags): (Vec<Type>, Vec<ParameterFlags>) = parameters.into_iter().unzip();
    let scalar = |ty: &Type| AbiType::Scalar { element: ty.element, signed: true };
    let abi = Abi { parameters: parameters.iter().map(scalar).collect(), result: results.first().map(scalar) };
    let linkage = match (exported, external) {
        (true, _) => Linkage::Export(abi),
        (false, true) => Linkage::Extern(abi),
        (false, false) => Linkage::Internal,
    };
    let span = Span::default();
    let (slots, blocks, insts, values) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    Ok(Function {
        name,
        signature,
        linkage,
        fp,
        inlining,
        asks_lanes,
        parameters,
        parameter_flags,
        results,
        slots,
        blocks,
        insts,
        values,
        loose: Vec::new(),
        span,
    })
}

/// Reads the lines of a body.
struct Reader {
    function: Function,
}

impl Reader {
    fn new(function: Function) -> Self {
        Reader { function }
    }

    fn finish(self) -> Function {
        self.function
    }

    /// Makes room for a value's number; those that never get a definition belong to nothing.
    fn define(&mut self, value: Value, data: ValueData) {
        let free = ValueData { ty: Type::scalar(Element::Bool), def: ValueDef::Parameter(Block(0), u32::MAX) };
        let values = &mut self.function.values;
        values.resize(values.len().max(value.0 as usize + 1), free);
        values[value.0 as usize] = data;
    }

    fn line(&mut self, line: &str, names: &Names) -> Result<(), String> {
        let c = &mut Cursor::new(line);
        if line.starts_with("slot") && !line.starts_with("slotaddress") {
            c.indexed("slot")?;
            c.expect("size=")?;
            let size = c.number()?;
            c.expect("align=")?;
            self.function.slots.push(SlotData { size, alignment: c.number()? });
        } else if line.starts_with("block") && line.ends_with(':') {
            let number = c.indexed("block")?;
            let block = Block(self.function.blocks.len() as u32);
            if number != block.0 {
                return Err("blocks are numbered in their order".into());
            }
            c.expect("(")?;
            let parameters = c.list(")", typed_value)?;
            for (index, (value, ty)) in (0..).zip(&parameters) {
                self.define(*value, ValueData { ty: *ty, def: ValueDef::Parameter(block, index) });
            }
            let parameters = parameters.into_iter().map(|(value, _)| value).collect();
            self.function.blocks.push(BlockData { parameters, ..BlockData::empty() });
        } else if let Some(terminator) = terminator(c)? {
            self.block()?.terminator = terminator;
        } else {
            let mut results = Vec::new();
            if line.starts_with('v') {
                results = c.list("=", typed_value)?;
            }
            let op = operation(c, names)?;
            let inst = Inst(self.function.insts.len() as u32);
            for (index, (value, ty)) in (0..).zip(&results) {
                self.define(*value, ValueData { ty: *ty, def: ValueDef::Result(inst, index) });
            }
            let results = results.into_iter().map(|(value, _)| value).collect();
            self.function.insts.push(InstData { op, results, span: Span::default() });
            self.block()?.insts.push(inst);
        }
        Ok(())
    }

    fn block(&mut self) -> Result<&mut BlockData, String> {
        self.function.blocks.last_mut().ok_or_else(|| "there is no block yet".into())
    }
}

fn typed_value(c: &mut Cursor) -> Result<(Value, Type), String> {
    let value = c.value()?;
    c.expect(":")?;
    Ok((value, c.ty()?))
}

fn target(c: &mut Cursor) -> Result<Target, String> {
    let block = Block(c.indexed("block")?);
    c.expect("(")?;
    Ok(Target { block, arguments: c.list(")", Cursor::value)? })
}

fn terminator(c: &mut Cursor) -> Result<Option<Terminator>, String> {
    Ok(Some(if c.eat("jump ") {
        Terminator::Jump(target(c)?)
    } else if c.eat("branch ") {
        let condition = c.value()?;
        c.expect(",")?;
        let then = target(c)?;
        c.expect(",")?;
        Terminator::Branch { condition, then, otherwise: target(c)? }
    } else if c.eat("return") {
        let mut values = Vec::new();
        while !c.rest.is_empty() {
            values.push(c.value()?);
            c.eat(",");
        }
        Terminator::Return(values)
    } else if c.eat("unreachable") {
        Terminator::Unreachable
    } else {
        return Ok(None);
    }))
}

/// The operation whose lower-case `Debug` text is `word`.
fn named<T: Copy + std::fmt::Debug>(all: &[T], word: &str) -> Option<T> {
    all.iter().copied().find(|op| format!("{op:?}").to_lowercase() == word)
}

fn operation(c: &mut Cursor, names: &Names) -> Result<Op, String> {
    let word = c.word()?;
    let comma = |c: &mut Cursor| c.expect(",");
    let second = |c: &mut Cursor| comma(c).and_then(|()| c.value());
    Ok(match word {
        "const" => {
            let mut bits = vec![c.number()?];
            while c.eat(",") {
                bits.push(c.number()?);
            }
            Op::Const(bits)
        }
        "unset" => Op::Unset,
        "splat" => Op::Splat(c.value()?),
        "ramp" => {
            let base = c.value()?;
            comma(c)?;
            let step = c.number()?;
            Op::Ramp { base, step, exact: c.eat(", exact") }
        }
        "fma" => Op::Fma(c.value()?, second(c)?, second(c)?),
        "select" => Op::Select(c.value()?, second(c)?, second(c)?),
        "extract" => Op::Extract(c.value()?, second(c)?),
        "insert" => Op::Insert(c.value()?, second(c)?, second(c)?),
        "shuffle" => {
            let (a, b) = (c.value()?, second(c)?);
            c.expect(", <")?;
            Op::Shuffle(a, b, c.list(">", Cursor::number)?)
        }
        "permute" => Op::Permute(c.value()?, second(c)?),
        "permute2" => Op::Permute2(c.value()?, second(c)?, second(c)?),
        "dot2" => Op::Dot2(c.value()?, second(c)?),
        "sad" => Op::Sad(c.value()?, second(c)?),
        "firstlanes" => Op::FirstLanes(c.value()?),
        "reinterpret" => Op::Reinterpret(c.value()?),
        "compress" => Op::Compress(c.value()?, second(c)?),
        "expand" => Op::Expand(c.value()?, second(c)?),
        "any" => Op::Any(c.value()?),
        "all" => Op::All(c.value()?),
        "maskbits" => Op::MaskBits(c.value()?),
        "ptrindex" => {
            let (base, index) = (c.value()?, second(c)?);
            c.expect(", scale ")?;
            let scale = c.number()?;
            c.expect(", offset ")?;
            Op::PtrIndex { base, index, scale, offset: c.number()? }
        }
        "ptroffset" => {
            let base = c.value()?;
            comma(c)?;
            Op::PtrOffset(base, c.number()?)
        }
        "nowhere" => match c.word()? {
            "read" => Op::Nowhere(Access::Read),
            "write" => Op::Nowhere(Access::Write),
            other => return Err(format!("`{other}` is no access")),
        },
        "slotaddress" => Op::SlotAddress(Slot(c.indexed("slot")?)),
        "globaladdress" => {
            c.expect("@")?;
            let name = c.word()?;
            Op::GlobalAddress(*names.globals.get(name).ok_or_else(|| format!("there is no global @{name}"))?)
        }
        "load" => Op::Load { pointer: c.value()?, mask: c.optional(", mask ")? },
        "streamingload" => Op::StreamingLoad { pointer: c.value()?, mask: c.optional(", mask ")? },
        "exchange" => {
            let (pointer, value) = (c.value()?, second(c)?);
            Op::Exchange { pointer, expected: c.optional(", expected ")?, value }
        }
        "store" => {
            let (pointer, value, mask) = (c.value()?, second(c)?, c.optional(", mask ")?);
            Op::Store { pointer, value, mask, streaming: c.eat(", streaming") }
        }
        "gather" => Op::Gather { pointers: c.value()?, mask: c.optional(", mask ")?, object: c.object()? },
        "scatter" => Op::Scatter { pointers: c.value()?, value: second(c)?, mask: c.optional(", mask ")? },
        "stridedload" => {
            let pointer = c.value()?;
            c.expect(", stride ")?;
            let stride = c.number()?;
            Op::StridedLoad { pointer, stride, mask: c.optional(", mask ")?, object: c.object()? }
        }
        "copy" => {
            let (to, from) = (c.value()?, second(c)?);
            c.expect(", size ")?;
            Op::Copy { to, from, size: c.number()? }
        }
        "packedstore" => Op::PackedStore { pointer: c.value()?, value: second(c)?, mask: c.optional(", mask ")? },
        "lifetime" => Op::Lifetime(c.value()?, second(c)?),
        "prefetch" => Op::Prefetch(c.value()?),
        "allocate" => Op::Allocate(Memory::Heap, c.value()?),
        "scratch" => Op::Allocate(Memory::Scratch, c.value()?),
        "free" => Op::Free(Memory::Heap, c.value()?),
        "release" => Op::Free(Memory::Scratch, c.value()?),
        "call" => {
            let callee = c.function(names)?;
            Op::Call(callee, c.list(")", Cursor::value)?)
        }
        "parallel" => {
            let (function, arguments) = (c.function(names)?, c.list(")", Cursor::value)?);
            c.expect(", count ")?;
            Op::Parallel { function, arguments, count: c.value()? }
        }
        "print" => {
            let channels = [Channel::Error, Channel::Reason, Channel::End];
            let channel = channels.into_iter().find(|channel| c.eat(channel.word().trim())).unwrap_or(Channel::Output);
            let mut pieces = Vec::new();
            while !c.rest.is_empty() {
                if c.rest.starts_with('"') {
                    pieces.push(PrintPiece::Text(c.text()?));
                } else {
                    let (value, signed) = (c.value()?, c.eat("signed"));
                    let mask = c.optional("mask ")?;
                    let format = if c.eat("as ") { c.format()? } else { Format::default() };
                    pieces.push(PrintPiece::Value { value, signed, mask, format });
                }
                c.eat(",");
            }
            Op::Print { channel, pieces }
        }
        "check" => {
            let (condition, lane) = (c.value()?, c.optional(", lane ")?);
            comma(c)?;
            let (message, mut numbers) = (c.text()?, Vec::new());
            while c.eat(",") {
                numbers.push(c.value()?);
            }
            Op::Check { condition, lane, message, numbers }
        }
        "assume" => Op::Assume(c.value()?),
        "unroll" if c.eat("usual") => Op::Unroll(Unrolling::Usual),
        "unroll" if c.eat("all") => Op::Unroll(Unrolling::All),
        "unroll" => Op::Unroll(Unrolling::Rounds(c.number()?)),
        _ => return element_wise(c, word),
    })
}

/// The operations that are named by their own enumerations.
fn element_wise(c: &mut Cursor, word: &str) -> Result<Op, String> {
    let second = |c: &mut Cursor| c.expect(",").and_then(|()| c.value());
    let unknown = || format!("there is no operation `{word}`");
    if let Some(op) = word.strip_prefix("compare.") {
        let op = named(&COMPARISONS, op).ok_or_else(unknown)?;
        return Ok(Op::Compare(op, c.value()?, second(c)?));
    }
    if let Some(op) = word.strip_prefix("convert.") {
        return Ok(Op::Convert(named(&CONVERSIONS, op).ok_or_else(unknown)?, c.value()?));
    }
    if let Some(signs) = word.strip_prefix("dot4.") {
        let signed = match signs {
            "ss" => [true, true],
            "su" => [true, false],
            "us" => [false, true],
            "uu" => [false, false],
            _ => return Err(unknown()),
        };
        return Ok(Op::Dot4 { a: c.value()?, b: second(c)?, sum: second(c)?, signed });
    }
    if let Some(op) = word.strip_prefix("reduce.") {
        return Ok(Op::Reduce(named(&REDUCTIONS, op).ok_or_else(unknown)?, c.value()?));
    }
    if let Some(op) = word.strip_prefix("atomic.") {
        return Ok(Op::Atomic { op: named(&BINARY, op).ok_or_else(unknown)?, pointer: c.value()?, value: second(c)? });
    }
    if let Some(op) = named(&UNARY, word) {
        return Ok(Op::Unary(op, c.value()?));
    }
    let op = named(&BINARY, word).ok_or_else(unknown)?;
    Ok(Op::Binary(op, c.value()?, second(c)?))
}

#[rustfmt::skip]
const UNARY: [UnaryOp; 18] = {
    use UnaryOp::*;
    [Neg, Not, Likely, Abs, FNeg, FAbs, Sqrt, Rsqrt, Rcp, Floor, Ceil, Round, Trunc, Rint, Clz, Ctz, Popcnt, BitReverse]
};

#[rustfmt::skip]
const BINARY: [BinaryOp; 34] = {
    use BinaryOp::*;
    [Add, Sub, Mul, SDiv, UDiv, SRem, URem, And, Or, Xor, Shl, LShr, AShr, SMin, SMax, UMin, UMax, FAdd, FSub, FMul, FDiv, FRem,
     FMin, FMax, FScale, SAddSat, UAddSat, SSubSat, USubSat, SMulHigh, UMulHigh, SMulRound, ClMul, ClMulHigh]
};

#[rustfmt::skip]
const COMPARISONS: [CompareOp; 16] = {
    use CompareOp::*;
    [Eq, Ne, SLt, SLe, SGt, SGe, ULt, ULe, UGt, UGe, FEq, FNe, FLt, FLe, FGt, FGe]
};

#[rustfmt::skip]
const CONVERSIONS: [ConvertOp; 13] = {
    use ConvertOp::*;
    [Trunc, SExt, ZExt, FToS, FToU, SToF, UToF, FToF, HToF, FToH, PtrToInt, IntToPtr, Bits]
};

#[rustfmt::skip]
const REDUCTIONS: [ReduceOp; 13] = {
    use ReduceOp::*;
    [Add, Mul, SMin, SMax, UMin, UMax, And, Or, Xor, FAdd, FMul, FMin, FMax]
};
