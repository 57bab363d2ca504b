//! What the language calls its built-ins (language.md §7): a line each. Checking, guesses at misspelt names and the printing of
//! pipelines read it.

use super::ir::{Builtin, CrossOp, EffectOp, LaneOp, RearrangeOp, ReduceOp};
use crate::types::Element;

/// A name.
#[derive(Clone, Copy, Debug)]
pub struct Name {
    /// As written.
    pub text: &'static str,
    /// How many operands it takes; any number if this is empty.
    pub operands: &'static [usize],
    /// What it stands for.
    pub meaning: Meaning,
}

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// The number of lanes of a type or a value.
    Lengthof,
    /// The length at which a type fills a register.
    PreferredLengthof,
    /// The bytes of a type or a value.
    Sizeof,
    /// <0, 1, …, N − 1>
    Iota,
    /// (v, x, i): lane i of v becomes x.
    Set,
    /// (x, low, high): min(max(x, low), high).
    Clamp,
    /// (a): its bits as a number of this type, or of the signed one as wide as `double` is.
    Bits(Element),
    /// `<T>`(v): its bits as a scalar or block of T.
    BitsAs,
    /// ("format", …)
    Print,
    /// The same for standard error.
    PrintError,
    /// (m): ends the program unless m holds in all active lanes.
    Assert,
    /// (m, "format", …): does not go on unless m holds; a statement.
    Require,
    /// An operation of the typed program, or with more operands its sibling: `Shuffle2`. Numbers in it are those of the call.
    Operation(Builtin),
}

const fn name(text: &'static str, operands: &'static [usize], meaning: Meaning) -> Name {
    Name { text, operands, meaning }
}

const fn lane(text: &'static str, operands: &'static [usize], op: LaneOp) -> Name {
    name(text, operands, Meaning::Operation(Builtin::Lane(op)))
}

const fn cross(text: &'static str, operands: &'static [usize], op: CrossOp) -> Name {
    name(text, operands, Meaning::Operation(Builtin::Cross(op)))
}

const fn rearrange(text: &'static str, operands: &'static [usize], op: RearrangeOp) -> Name {
    name(text, operands, Meaning::Operation(Builtin::Rearrange(op)))
}

const fn effect(text: &'static str, operands: &'static [usize], op: EffectOp) -> Name {
    name(text, operands, Meaning::Operation(Builtin::Effect(op)))
}

/// All names of this version.
pub const NAMES: &[Name] = &[
    name("lengthof", &[1], Meaning::Lengthof),
    name("preferred_lengthof", &[1], Meaning::PreferredLengthof),
    name("sizeof", &[1], Meaning::Sizeof),
    name("get", &[2], Meaning::Operation(Builtin::Get)),
    name("set", &[3], Meaning::Set),
    name("iota", &[1], Meaning::Iota),
    cross("any", &[1], CrossOp::Any),
    cross("all", &[1], CrossOp::All),
    cross("none", &[1], CrossOp::None),
    cross("popcount", &[1], CrossOp::PopcountMask),
    cross("reduce_equal", &[1, 2], CrossOp::ReduceEqual),
    cross("bitscan", &[2], CrossOp::BitScan),
    cross("reduce_add", &[1], CrossOp::Reduce(ReduceOp::Add)),
    cross("reduce_mul", &[1], CrossOp::Reduce(ReduceOp::Multiply)),
    cross("reduce_min", &[1], CrossOp::Reduce(ReduceOp::Min)),
    cross("reduce_max", &[1], CrossOp::Reduce(ReduceOp::Max)),
    cross("reduce_and", &[1], CrossOp::Reduce(ReduceOp::And)),
    cross("reduce_or", &[1], CrossOp::Reduce(ReduceOp::Or)),
    cross("reduce_xor", &[1], CrossOp::Reduce(ReduceOp::Xor)),
    cross("scan_add", &[1], CrossOp::Scan(ReduceOp::Add)),
    cross("scan_min", &[1], CrossOp::Scan(ReduceOp::Min)),
    cross("scan_max", &[1], CrossOp::Scan(ReduceOp::Max)),
    cross("scan_and", &[1], CrossOp::Scan(ReduceOp::And)),
    cross("scan_or", &[1], CrossOp::Scan(ReduceOp::Or)),
    cross("scan_xor", &[1], CrossOp::Scan(ReduceOp::Xor)),
    cross("whole_reg_shr", &[2], CrossOp::WholeRegShr),
    cross("whole_reg_shl", &[2], CrossOp::WholeRegShl),
    cross("rotate", &[2], CrossOp::Rotate),
    cross("shuffle", &[2, 3], CrossOp::Shuffle),
    cross("reverse", &[1], CrossOp::Reverse),
    cross("broadcast", &[2], CrossOp::BroadcastLane),
    cross("dot2", &[2, 3], CrossOp::Dot2),
    cross("dot4", &[2, 3], CrossOp::Dot4),
    name("bits", &[1], Meaning::BitsAs),
    rearrange("interleave", &[2, 4], RearrangeOp::Interleave),
    rearrange("deinterleave", &[3], RearrangeOp::Deinterleave { first: 0, step: 1 }),
    rearrange("transpose", &[2], RearrangeOp::Transpose { rows: 1 }),
    rearrange("align", &[3], RearrangeOp::Align),
    rearrange("lookup", &[2], RearrangeOp::LookUp),
    rearrange("mask_bits", &[1], RearrangeOp::MaskBits),
    rearrange("mask_of", &[2], RearrangeOp::MaskOf),
    rearrange("compress", &[2], RearrangeOp::Compress),
    rearrange("expand", &[2], RearrangeOp::Expand),
    effect("packed_store", &[2], EffectOp::PackedStore),
    lane("select", &[3], LaneOp::Select),
    lane("min", &[2], LaneOp::Min),
    lane("max", &[2], LaneOp::Max),
    lane("abs", &[1], LaneOp::Abs),
    name("clamp", &[3], Meaning::Clamp),
    lane("fma", &[3], LaneOp::Fma),
    lane("sqrt", &[1], LaneOp::Sqrt),
    lane("rsqrt", &[1], LaneOp::Rsqrt),
    lane("rcp", &[1], LaneOp::Rcp),
    lane("floor", &[1], LaneOp::Floor),
    lane("ceil", &[1], LaneOp::Ceil),
    lane("round", &[1], LaneOp::Round),
    lane("trunc", &[1], LaneOp::Trunc),
    lane("rint", &[1], LaneOp::Rint),
    lane("log2", &[1], LaneOp::Log2),
    lane("clz", &[1], LaneOp::Clz),
    lane("ctz", &[1], LaneOp::Ctz),
    lane("popcnt", &[1], LaneOp::Popcnt),
    lane("bitreverse", &[1], LaneOp::BitReverse),
    lane("rotl", &[2], LaneOp::RotateLeft),
    lane("rotr", &[2], LaneOp::RotateRight),
    lane("saturating_add", &[2], LaneOp::SaturatingAdd),
    lane("saturating_sub", &[2], LaneOp::SaturatingSub),
    lane("mul_high", &[2], LaneOp::MulHigh),
    lane("mul_round_high", &[2], LaneOp::MulRoundHigh),
    lane("__scale", &[2], LaneOp::Scale),
    lane("clmul", &[2], LaneOp::Clmul),
    lane("clmul_high", &[2], LaneOp::ClmulHigh),
    lane("saturating_cast", &[1], LaneOp::SaturatingCast),
    name("intbits", &[1], Meaning::Bits(Element::Int32)),
    name("floatbits", &[1], Meaning::Bits(Element::Float)),
    name("doublebits", &[1], Meaning::Bits(Element::Double)),
    effect("prefetch", &[1], EffectOp::Prefetch),
    effect("streaming_store", &[2], EffectOp::StreamingStore),
    effect("streaming_load", &[1], EffectOp::StreamingLoad),
    name("print", &[], Meaning::Print),
    name("eprint", &[], Meaning::PrintError),
    name("assert", &[1], Meaning::Assert),
    name("require", &[], Meaning::Require),
    effect("assume", &[1], EffectOp::Assume),
    effect("atomic_add", &[2], EffectOp::Atomic(ReduceOp::Add)),
    effect("atomic_mul", &[2], EffectOp::Atomic(ReduceOp::Multiply)),
    effect("atomic_min", &[2], EffectOp::Atomic(ReduceOp::Min)),
    effect("atomic_max", &[2], EffectOp::Atomic(ReduceOp::Max)),
    effect("atomic_and", &[2], EffectOp::Atomic(ReduceOp::And)),
    effect("atomic_or", &[2], EffectOp::Atomic(ReduceOp::Or)),
    effect("atomic_xor", &[2], EffectOp::Atomic(ReduceOp::Xor)),
    effect("atomic_swap", &[2], EffectOp::AtomicSwap),
    effect("atomic_compare_exchange", &[3], EffectOp::AtomicCompareExchange),
];

/// What a name says, if it is one of a built-in.
pub fn named(text: &str) -> Option<&'static Name> {
    NAMES.iter().find(|name| name.text == text)
}

/// What the language calls an operation: the first of its names.
pub fn name_of(builtin: Builtin) -> &'static str {
    match builtin {
        Builtin::Lane(LaneOp::Bits) | Builtin::Rearrange(RearrangeOp::Bits) => "bits",
        Builtin::Lane(LaneOp::InBlocks { .. }) => "hsoa",
        Builtin::Cross(CrossOp::Shuffle2) => "shuffle",
        Builtin::Rearrange(RearrangeOp::Deinterleave { .. }) => "deinterleave",
        Builtin::Rearrange(RearrangeOp::Transpose { .. }) => "transpose",
        Builtin::Get | Builtin::Lane(_) | Builtin::Cross(_) | Builtin::Rearrange(_) | Builtin::Effect(_) => {
            let is_it = |name: &&Name| name.meaning == Meaning::Operation(builtin);
            NAMES.iter().find(is_it).expect("every operation has a name").text
        }
    }
}
