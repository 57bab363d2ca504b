//! The vector IR as text: for `--emit core`, for tests of passes, and for reading.
//!
//! ```text
//! // float block[4] dot(vec3 block[4] a, vec3 scalar b)
//! function @dot.0(f32x4, f32x4, f32x4, f32, f32, f32) -> f32x4 fp=strict {
//! block0(v0: f32x4, v1: f32x4, v2: f32x4, v3: f32, v4: f32, v5: f32):
//!     v6: f32x4 = splat v3
//!     v7: f32x4 = fmul v0, v6
//!     …
//!     return v14
//! }
//! ```

use super::ir::*;
use crate::target::Memory;
use ivl::Format;
use std::fmt::Write;

/// The whole module.
pub fn print(module: &Module) -> String {
    let mut out = String::new();
    for global in &module.globals {
        let _ = write!(out, "global @{} size={} align={}", global.name, global.size, global.alignment);
        if global.is_const {
            out.push_str(" const");
        }
        if let Some(bytes) = &global.bytes {
            let hex: String = bytes.iter().map(|b| format!("{b:02x}")).collect();
            let _ = write!(out, " = {hex}");
        }
        out.push('\n');
    }
    for of in &module.lanes {
        let [one, lanes] = [of.one, of.lanes].map(|id| &module.functions[id.0 as usize].name);
        let _ = writeln!(out, "lanes @{one}: @{lanes}{}", if of.is_total { " total" } else { "" });
    }
    for function in &module.functions {
        if !out.is_empty() {
            out.push('\n');
        }
        function_text(&mut out, module, function);
    }
    out
}

/// `f32x8`, `f32`
pub fn type_text(ty: Type) -> String {
    if ty.length == 1 { ty.element.name().into() } else { format!("{}x{}", ty.element.name(), ty.length) }
}

fn list<T>(items: &[T], text: impl Fn(&T) -> String) -> String {
    items.iter().map(text).collect::<Vec<_>>().join(", ")
}

fn value(v: &Value) -> String {
    format!("v{}", v.0)
}

fn function_text(out: &mut String, module: &Module, function: &Function) {
    let linkage = match &function.linkage {
        Linkage::Internal => "",
        Linkage::Export(_) => "export ",
        Linkage::Extern(_) => "extern ",
    };
    let fp = match function.fp {
        FpMode::Strict => "strict",
        FpMode::Contract => "contract",
        FpMode::Fast => "fast",
    };
    let parameter = |(i, ty): (usize, &Type)| {
        let flags = function.parameter_flags.get(i).copied().unwrap_or_default();
        let noalias = if flags.noalias { " noalias" } else { "" };
        let read_only = if flags.read_only { " readonly" } else { "" };
        let elements = flags.elements.map_or(String::new(), |Elements { count, size }| match count {
            Count::Parameter(index) => format!(" elements {index} {size}"),
            Count::Constant(count) => format!(" elements const {count} {size}"),
        });
        format!("{}{noalias}{read_only}{elements}", type_text(*ty))
    };
    let parameters: Vec<String> = function.parameters.iter().enumerate().map(parameter).collect();
    let results = list(&function.results, |ty| type_text(*ty));
    let _ = writeln!(out, "// {}", function.signature);
    let inlining = match function.inlining {
        Inlining::Allowed => "",
        Inlining::Never => " noinline",
        Inlining::Rare => " noinline cold",
        Inlining::Cold => " cold",
    };
    let asks = if function.asks_lanes { " asks" } else { "" };
    let _ = write!(out, "{linkage}function @{}({}) -> ({results}) fp={fp}{inlining}{asks}", function.name, parameters.join(", "));
    if function.blocks.is_empty() {
        out.push('\n');
        return;
    }
    out.push_str(" {\n");
    for (i, slot) in function.slots.iter().enumerate() {
        let _ = writeln!(out, "    slot{i} size={} align={}", slot.size, slot.alignment);
    }
    for (i, block) in function.blocks.iter().enumerate() {
        let parameters = list(&block.parameters, |v| format!("v{}: {}", v.0, type_text(function.values[v.0 as usize].ty)));
        let _ = writeln!(out, "block{i}({parameters}):");
        for &inst in &block.insts {
            let data = &function.insts[inst.0 as usize];
            let results = list(&data.results, |v| format!("v{}: {}", v.0, type_text(function.values[v.0 as usize].ty)));
            let equals = if data.results.is_empty() { "" } else { " = " };
            let _ = writeln!(out, "    {results}{equals}{}", op_text(module, &data.op));
        }
        let target = |t: &Target| format!("block{}({})", t.block.0, list(&t.arguments, value));
        let terminator = match &block.terminator {
            Terminator::Jump(to) => format!("jump {}", target(to)),
            Terminator::Branch { condition, then, otherwise } => {
                format!("branch {}, {}, {}", value(condition), target(then), target(otherwise))
            }
            Terminator::Return(values) => format!("return {}", list(values, value)).trim_end().to_owned(),
            Terminator::Unreachable => "unreachable".into(),
        };
        let _ = writeln!(out, "    {terminator}");
    }
    out.push_str("}\n");
}

fn lower(debug: impl std::fmt::Debug) -> String {
    format!("{debug:?}").to_lowercase()
}

fn masked(mask: &Option<Value>) -> String {
    mask.map_or(String::new(), |m| format!(", mask v{}", m.0))
}

fn in_object(object: &Option<Object>) -> String {
    object.map_or(String::new(), |o| format!(", object {}/{}", o.offset, o.size))
}

fn op_text(module: &Module, op: &Op) -> String {
    let v = value;
    match op {
        Op::Const(bits) => format!("const {}", list(bits, |b| format!("{b:#x}"))),
        Op::Unset => "unset".into(),
        Op::Splat(a) => format!("splat {}", v(a)),
        Op::Ramp { base, step, exact } => format!("ramp {}, {step}{}", v(base), if *exact { ", exact" } else { "" }),
        Op::Unary(op, a) => format!("{} {}", lower(op), v(a)),
        Op::Binary(op, a, b) => format!("{} {}, {}", lower(op), v(a), v(b)),
        Op::Fma(a, b, c) => format!("fma {}, {}, {}", v(a), v(b), v(c)),
        Op::Compare(op, a, b) => format!("compare.{} {}, {}", lower(op), v(a), v(b)),
        Op::Select(m, a, b) => format!("select {}, {}, {}", v(m), v(a), v(b)),
        Op::Convert(op, a) => format!("convert.{} {}", lower(op), v(a)),
        Op::Extract(a, i) => format!("extract {}, {}", v(a), v(i)),
        Op::Insert(a, x, i) => format!("insert {}, {}, {}", v(a), v(x), v(i)),
        Op::Shuffle(a, b, lanes) => format!("shuffle {}, {}, <{}>", v(a), v(b), list(lanes, i16::to_string)),
        Op::Permute(a, i) => format!("permute {}, {}", v(a), v(i)),
        Op::Permute2(a, b, i) => format!("permute2 {}, {}, {}", v(a), v(b), v(i)),
        Op::Dot2(a, b) => format!("dot2 {}, {}", v(a), v(b)),
        Op::Sad(a, b) => format!("sad {}, {}", v(a), v(b)),
        Op::Dot4 { a, b, sum, signed } => {
            let signs = signed.map(|signed| if signed { 's' } else { 'u' });
            format!("dot4.{}{} {}, {}, {}", signs[0], signs[1], v(a), v(b), v(sum))
        }
        Op::Reinterpret(a) => format!("reinterpret {}", v(a)),
        Op::Compress(a, m) => format!("compress {}, {}", v(a), v(m)),
        Op::Expand(a, m) => format!("expand {}, {}", v(a), v(m)),
        Op::Reduce(op, a) => format!("reduce.{} {}", lower(op), v(a)),
        Op::Any(m) => format!("any {}", v(m)),
        Op::All(m) => format!("all {}", v(m)),
        Op::FirstLanes(count) => format!("firstlanes {}", v(count)),
        Op::MaskBits(m) => format!("maskbits {}", v(m)),
        Op::PtrIndex { base, index, scale, offset } => {
            format!("ptrindex {}, {}, scale {scale}, offset {offset}", v(base), v(index))
        }
        Op::PtrOffset(base, offset) => format!("ptroffset {}, {offset}", v(base)),
        Op::SlotAddress(slot) => format!("slotaddress slot{}", slot.0),
        Op::Nowhere(access) => format!("nowhere {}", access.name()),
        Op::GlobalAddress(global) => format!("globaladdress @{}", module.globals[global.0 as usize].name),
        Op::Load { pointer, mask } => format!("load {}{}", v(pointer), masked(mask)),
        Op::StreamingLoad { pointer, mask } => format!("streamingload {}{}", v(pointer), masked(mask)),
        Op::Store { pointer, value, mask, streaming } => {
            format!("store {}, {}{}{}", v(pointer), v(value), masked(mask), if *streaming { ", streaming" } else { "" })
        }
        Op::Gather { pointers, mask, object } => format!("gather {}{}{}", v(pointers), masked(mask), in_object(object)),
        Op::Scatter { pointers, value, mask } => format!("scatter {}, {}{}", v(pointers), v(value), masked(mask)),
        Op::StridedLoad { pointer, stride, mask, object } => {
            format!("stridedload {}, stride {stride}{}{}", v(pointer), masked(mask), in_object(object))
        }
        Op::Copy { to, from, size } => format!("copy {}, {}, size {size}", v(to), v(from)),
        Op::PackedStore { pointer, value, mask } => format!("packedstore {}, {}{}", v(pointer), v(value), masked(mask)),
        Op::Atomic { op, pointer, value } => format!("atomic.{} {}, {}", lower(op), v(pointer), v(value)),
        Op::Exchange { pointer, expected, value } => {
            format!("exchange {}, {}{}", v(pointer), v(value), expected.map_or(String::new(), |e| format!(", expected v{}", e.0)))
        }
        Op::Lifetime(p, mask) => format!("lifetime {}, {}", v(p), v(mask)),
        Op::Prefetch(p) => format!("prefetch {}", v(p)),
        Op::Allocate(Memory::Heap, n) => format!("allocate {}", v(n)),
        Op::Allocate(Memory::Scratch, n) => format!("scratch {}", v(n)),
        Op::Free(Memory::Heap, p) => format!("free {}", v(p)),
        Op::Free(Memory::Scratch, p) => format!("release {}", v(p)),
        Op::Call(function, arguments) => {
            format!("call @{}({})", module.functions[function.0 as usize].name, list(arguments, value))
        }
        Op::Parallel { function, arguments, count } => {
            let name = &module.functions[function.0 as usize].name;
            format!("parallel @{name}({}), count {}", list(arguments, value), v(count))
        }
        Op::Print { channel, pieces } => {
            let piece = |p: &PrintPiece| match p {
                PrintPiece::Text(text) => format!("{text:?}"),
                PrintPiece::Value { value, signed, mask, format } => {
                    format!(
                        "{}{}{}{}",
                        v(value),
                        if *signed { " signed" } else { "" },
                        mask.map_or(String::new(), |m| format!(" mask v{}", m.0)),
                        if *format == Format::default() { String::new() } else { format!(" as {format}") }
                    )
                }
            };
            format!("print {}{}", channel.word(), list(pieces, piece))
        }
        Op::Check { condition, lane, message, numbers } => {
            let lane = lane.map_or(String::new(), |l| format!(", lane v{}", l.0));
            let numbers: String = numbers.iter().map(|n| format!(", v{}", n.0)).collect();
            format!("check {}{lane}, {message:?}{numbers}", v(condition))
        }
        Op::Assume(c) => format!("assume {}", v(c)),
        Op::Unroll(Unrolling::Usual) => "unroll usual".into(),
        Op::Unroll(Unrolling::All) => "unroll all".into(),
        Op::Unroll(Unrolling::Rounds(rounds)) => format!("unroll {rounds}"),
    }
}
