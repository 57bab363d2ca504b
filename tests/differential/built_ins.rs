//! Every built-in and library function with a call of it, and the types that it has.

use super::generator::{Elem, Elem::*};

pub const INTS: &[Elem] = &[Int(8), Int(16), Int(32), Int(64), Uint(8), Uint(16), Uint(32), Uint(64)];
pub const FLOATS: &[Elem] = &[Float, Double];
const NUMBERS: &[Elem] = &[Int(8), Int(16), Int(32), Int(64), Uint(8), Uint(16), Uint(32), Uint(64), Float, Double];
pub const ALL: &[Elem] = &[Bool, Int(8), Int(16), Int(32), Int(64), Uint(8), Uint(16), Uint(32), Uint(64), Float, Double];

/// `V` and `W` stand for vectors of the type, `S` for a scalar of it, `M` for a mask, `I` for an `int`, `J` for a vector of
/// `int`.
const BUILT_INS: &[(&[Elem], &str)] = &[
    (NUMBERS, "min(V, W)"),
    (NUMBERS, "max(V, W)"),
    (NUMBERS, "min(V, S)"),
    (NUMBERS, "abs(V)"),
    (NUMBERS, "clamp(V, S, W)"),
    (ALL, "select(M, V, W)"),
    (FLOATS, "fma(V, W, S)"),
    (FLOATS, "sqrt(V)"),
    (FLOATS, "rsqrt(V)"),
    (FLOATS, "rcp(V)"),
    (FLOATS, "floor(V)"),
    (FLOATS, "ceil(V)"),
    (FLOATS, "round(V)"),
    (FLOATS, "trunc(V)"),
    (FLOATS, "rint(V)"),
    (FLOATS, "(int) rint(V)"),
    (FLOATS, "(int) round(V)"),
    (FLOATS, "exp(V)"),
    (FLOATS, "exp2(V)"),
    (FLOATS, "log(V)"),
    (FLOATS, "log2(V)"),
    (FLOATS, "pow(V, W)"),
    (FLOATS, "sin(V)"),
    (FLOATS, "cos(V)"),
    (FLOATS, "tan(V)"),
    (FLOATS, "asin(V)"),
    (FLOATS, "acos(V)"),
    (FLOATS, "atan(V)"),
    (FLOATS, "atan2(V, W)"),
    (FLOATS, "tanh(V)"),
    // Which NaN it is, nobody promises.
    (FLOATS, "select(V == V, intbits(V), 0)"),
    (&[Int(32)], "intbits(floatbits(V))"),
    (&[Int(64)], "intbits(doublebits(V))"),
    (INTS, "log2(V)"),
    (INTS, "clz(V)"),
    (INTS, "ctz(V)"),
    (INTS, "popcnt(V)"),
    (INTS, "bitreverse(V)"),
    (INTS, "floor_div(V, W)"),
    (INTS, "floor_mod(V, W)"),
    (INTS, "rotl(V, W)"),
    (INTS, "rotr(V, W)"),
    (INTS, "average(V, W)"),
    (INTS, "rounding_average(V, W)"),
    (INTS, "saturating_add(V, W)"),
    (INTS, "saturating_sub(V, W)"),
    (INTS, "saturating_mul(V, W)"),
    (INTS, "mul_high(V, W)"),
    (&[Int(8), Int(16), Int(32), Int(64)], "mul_round_high(V, W)"),
    (INTS, "clmul(V, W)"),
    (INTS, "clmul_high(V, W)"),
    (NUMBERS, "saturating_cast<int8>(V)"),
    (NUMBERS, "saturating_cast<uint8>(V)"),
    (NUMBERS, "saturating_cast<int16>(V)"),
    (NUMBERS, "saturating_cast<uint16>(V)"),
    (NUMBERS, "saturating_cast<int>(V)"),
    (NUMBERS, "saturating_cast<uint>(V)"),
    (NUMBERS, "saturating_cast<int64>(V)"),
    (NUMBERS, "saturating_cast<uint64>(V)"),
    (ALL, "reduce_equal(V)"),
    (ALL, "get(V, I)"),
    (&[Bool], "any(V)"),
    (&[Bool], "all(V)"),
    (&[Bool], "none(V)"),
    (&[Bool], "popcount(V)"),
    (&[Bool], "bitscan(V, I)"),
    (NUMBERS, "reduce_add(V)"),
    // Sums for which LLVM has instructions of their own.
    (&[Uint(8)], "reduce_add(abs((int) V - (int) W))"),
    (&[Uint(8)], "reduce_add((int) V * (int) (int8) W)"),
    (&[Int(16)], "reduce_add((int) V * (int) W)"),
    (NUMBERS, "reduce_mul(V)"),
    (NUMBERS, "reduce_min(V)"),
    (NUMBERS, "reduce_max(V)"),
    (INTS, "reduce_and(V)"),
    (INTS, "reduce_or(V)"),
    (INTS, "reduce_xor(V)"),
    (NUMBERS, "scan_add(V)"),
    (NUMBERS, "scan_min(V)"),
    (NUMBERS, "scan_max(V)"),
    (&[Bool, Int(8), Int(16), Int(32), Int(64), Uint(8), Uint(16), Uint(32), Uint(64)], "scan_and(V)"),
    (&[Bool, Int(8), Int(16), Int(32), Int(64), Uint(8), Uint(16), Uint(32), Uint(64)], "scan_or(V)"),
    (&[Bool, Int(8), Int(16), Int(32), Int(64), Uint(8), Uint(16), Uint(32), Uint(64)], "scan_xor(V)"),
    (ALL, "whole_reg_shr(V, I)"),
    (ALL, "whole_reg_shl(V, I)"),
    (ALL, "rotate(V, I)"),
    (ALL, "reverse(V)"),
    (ALL, "broadcast(V, I)"),
    (ALL, "shuffle(V, J)"),
    (ALL, "shuffle(V, W, J)"),
    (ALL, "shuffle(V, W, iota(lengthof(V)) + 3)"),
    (ALL, "shuffle(V, iota(lengthof(V)) * 5 + 2)"),
    (ALL, "lengthof(V)"),
    (ALL, "sizeof(V)"),
];

/// Every built-in at every type that it has.
pub fn built_in_entries() -> Vec<(Elem, &'static str)> {
    BUILT_INS.iter().flat_map(|&(elems, call)| elems.iter().map(move |&elem| (elem, call))).collect()
}

/// How the table calls an entry.
pub fn entry_name((elem, call): (Elem, &str)) -> String {
    format!("{call} of {}", elem.name())
}
