//! Operations on single elements, given by their bits: total, as the vector IR defines them.

use crate::vector::ir::{BinaryOp, CompareOp, ConvertOp, Element, ReduceOp, UnaryOp};

/// The bits that an element has.
pub(in crate::vector) fn cut(element: Element, bits: u64) -> u64 {
    bits & (u64::MAX >> (64 - element.bits()))
}

/// The value of the bits as a signed number.
pub(super) fn signed(element: Element, bits: u64) -> i64 {
    let unused = 64 - element.bits();
    (bits << unused) as i64 >> unused
}

/// Applies an operation of floats to bits; the number of bits decides which.
macro_rules! float {
    ($element:expr, |$($x:ident),+| $body:expr) => {
        if $element == Element::F64 {
            $(let $x = f64::from_bits($x);)+
            ($body).to_bits()
        } else {
            $(let $x = f32::from_bits($x as u32);)+
            u64::from(($body).to_bits())
        }
    };
}

/// Compares floats.
macro_rules! compare_floats {
    ($element:expr, $a:ident $op:tt $b:ident) => {
        if $element == Element::F64 {
            f64::from_bits($a) $op f64::from_bits($b)
        } else {
            f32::from_bits($a as u32) $op f32::from_bits($b as u32)
        }
    };
}

/// An operation of one operand.
pub(in crate::vector) fn unary(op: UnaryOp, element: Element, a: u64) -> u64 {
    let width = u64::from(element.bits());
    let bits = match op {
        UnaryOp::Neg => a.wrapping_neg(),
        UnaryOp::Not => !a,
        UnaryOp::Likely => a,
        UnaryOp::Abs => signed(element, a).wrapping_abs() as u64,
        UnaryOp::FNeg => a ^ 1 << (width - 1),
        UnaryOp::FAbs => a & !(1 << (width - 1)),
        UnaryOp::Sqrt => float!(element, |a| a.sqrt()),
        UnaryOp::Rsqrt => float!(element, |a| 1.0 / a.sqrt()),
        UnaryOp::Rcp => float!(element, |a| 1.0 / a),
        UnaryOp::Floor => float!(element, |a| a.floor()),
        UnaryOp::Ceil => float!(element, |a| a.ceil()),
        UnaryOp::Round => float!(element, |a| a.round()),
        UnaryOp::Trunc => float!(element, |a| a.trunc()),
        UnaryOp::Rint => float!(element, |a| a.round_ties_even()),
        UnaryOp::Clz => u64::from(a.leading_zeros()) - (64 - width),
        UnaryOp::Ctz => u64::from(a.trailing_zeros()).min(width),
        UnaryOp::Popcnt => u64::from(a.count_ones()),
        UnaryOp::BitReverse => a.reverse_bits() >> (64 - width),
    };
    cut(element, bits)
}

/// For each `size` neighbours of two vectors, the sum of what `of` says of a pair; wraps.
pub(super) fn sums_of_groups(a: &[u64], b: &[u64], size: usize, of: impl Fn(u64, u64) -> u64) -> Vec<u64> {
    let group = |(a, b): (&[u64], &[u64])| a.iter().zip(b).fold(0u64, |sum, (&a, &b)| sum.wrapping_add(of(a, b)));
    a.chunks(size).zip(b.chunks(size)).map(group).collect()
}

/// An operation of two operands.
pub(in crate::vector) fn binary(op: BinaryOp, element: Element, a: u64, b: u64) -> u64 {
    let count = b % u64::from(element.bits());
    let (x, y) = (signed(element, a), signed(element, b));
    let bits = match op {
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Sub => a.wrapping_sub(b),
        BinaryOp::Mul => a.wrapping_mul(b),
        BinaryOp::SDiv if y == 0 => 0,
        BinaryOp::SDiv => x.wrapping_div(y) as u64,
        BinaryOp::UDiv => a.checked_div(b).unwrap_or(0),
        BinaryOp::SRem if y == 0 => 0,
        BinaryOp::SRem => x.wrapping_rem(y) as u64,
        BinaryOp::URem => a.checked_rem(b).unwrap_or(0),
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
        BinaryOp::Shl => a << count,
        BinaryOp::LShr => a >> count,
        BinaryOp::AShr => (x >> count) as u64,
        BinaryOp::SMin => x.min(y) as u64,
        BinaryOp::SMax => x.max(y) as u64,
        BinaryOp::UMin => a.min(b),
        BinaryOp::UMax => a.max(b),
        BinaryOp::SAddSat => nearest(element, i128::from(x) + i128::from(y)),
        BinaryOp::UAddSat => a.saturating_add(b).min(cut(element, u64::MAX)),
        BinaryOp::SSubSat => nearest(element, i128::from(x) - i128::from(y)),
        BinaryOp::USubSat => a.saturating_sub(b),
        BinaryOp::SMulHigh => ((i128::from(x) * i128::from(y)) >> element.bits()) as u64,
        BinaryOp::UMulHigh => ((u128::from(a) * u128::from(b)) >> element.bits()) as u64,
        BinaryOp::SMulRound => {
            let half = 1 << (element.bits() - 2);
            ((i128::from(x) * i128::from(y) + half) >> (element.bits() - 1)) as u64
        }
        BinaryOp::ClMul => without_carries(a, b) as u64,
        BinaryOp::ClMulHigh => (without_carries(a, b) >> element.bits()) as u64,
        BinaryOp::FScale => {
            let [a, n] = [a, b].map(|bits| f64::from(f32::from_bits(bits as u32)));
            u64::from(((a * 2f64.powf(n)) as f32).to_bits())
        }
        BinaryOp::FAdd => float!(element, |a, b| a + b),
        BinaryOp::FSub => float!(element, |a, b| a - b),
        BinaryOp::FMul => float!(element, |a, b| a * b),
        BinaryOp::FDiv => float!(element, |a, b| a / b),
        BinaryOp::FRem => float!(element, |a, b| a % b),
        BinaryOp::FMin => {
            if compare_floats!(element, a < b) {
                a
            } else {
                b
            }
        }
        BinaryOp::FMax => {
            if compare_floats!(element, a > b) {
                a
            } else {
                b
            }
        }
    };
    cut(element, bits)
}

/// The nearest signed number that an element has.
fn nearest(element: Element, number: i128) -> u64 {
    let limit = 1i128 << (element.bits() - 1);
    number.clamp(-limit, limit - 1) as u64
}

/// The product of two numbers whose partial products are added without carries.
fn without_carries(a: u64, b: u64) -> u128 {
    (0..64).filter(|place| b >> place & 1 == 1).fold(0, |sum, place| sum ^ u128::from(a) << place)
}

/// a·b + c, rounded once.
pub(super) fn fma(element: Element, a: u64, b: u64, c: u64) -> u64 {
    float!(element, |a, b, c| a.mul_add(b, c))
}

/// A comparison.
pub(in crate::vector) fn compare(op: CompareOp, element: Element, a: u64, b: u64) -> bool {
    let (x, y) = (signed(element, a), signed(element, b));
    match op {
        CompareOp::Eq => a == b,
        CompareOp::Ne => a != b,
        CompareOp::SLt => x < y,
        CompareOp::SLe => x <= y,
        CompareOp::SGt => x > y,
        CompareOp::SGe => x >= y,
        CompareOp::ULt => a < b,
        CompareOp::ULe => a <= b,
        CompareOp::UGt => a > b,
        CompareOp::UGe => a >= b,
        CompareOp::FEq => compare_floats!(element, a == b),
        CompareOp::FNe => compare_floats!(element, a != b),
        CompareOp::FLt => compare_floats!(element, a < b),
        CompareOp::FLe => compare_floats!(element, a <= b),
        CompareOp::FGt => compare_floats!(element, a > b),
        CompareOp::FGe => compare_floats!(element, a >= b),
    }
}

/// A conversion.
pub(in crate::vector) fn convert(op: ConvertOp, from: Element, to: Element, a: u64) -> u64 {
    let x = signed(from, a);
    let wide = || if from == Element::F64 { f64::from_bits(a) } else { f64::from(f32::from_bits(a as u32)) };
    let bits = match op {
        ConvertOp::Trunc | ConvertOp::ZExt | ConvertOp::PtrToInt | ConvertOp::IntToPtr | ConvertOp::Bits => a,
        ConvertOp::SExt => x as u64,
        ConvertOp::FToS => {
            let limit = 1i128 << (to.bits() - 1);
            (wide() as i128).clamp(-limit, limit - 1) as u64
        }
        ConvertOp::FToU => (wide() as i128).clamp(0, (1i128 << to.bits()) - 1) as u64,
        ConvertOp::SToF if to == Element::F64 => (x as f64).to_bits(),
        ConvertOp::SToF => u64::from((x as f32).to_bits()),
        ConvertOp::UToF if to == Element::F64 => (a as f64).to_bits(),
        ConvertOp::UToF => u64::from((a as f32).to_bits()),
        ConvertOp::FToF if to == Element::F64 => wide().to_bits(),
        ConvertOp::FToF => u64::from((wide() as f32).to_bits()),
        ConvertOp::HToF => u64::from(ivl::Float16::from_bits(a as u16).to_f32().to_bits()),
        ConvertOp::FToH => ivl::Float16::from_f32(f32::from_bits(a as u32)).to_bits().into(),
    };
    cut(to, bits)
}

/// What a reduction repeats.
pub(super) fn reduction(op: ReduceOp) -> BinaryOp {
    match op {
        ReduceOp::Add => BinaryOp::Add,
        ReduceOp::Mul => BinaryOp::Mul,
        ReduceOp::SMin => BinaryOp::SMin,
        ReduceOp::SMax => BinaryOp::SMax,
        ReduceOp::UMin => BinaryOp::UMin,
        ReduceOp::UMax => BinaryOp::UMax,
        ReduceOp::And => BinaryOp::And,
        ReduceOp::Or => BinaryOp::Or,
        ReduceOp::Xor => BinaryOp::Xor,
        ReduceOp::FAdd => BinaryOp::FAdd,
        ReduceOp::FMul => BinaryOp::FMul,
        ReduceOp::FMin => BinaryOp::FMin,
        ReduceOp::FMax => BinaryOp::FMax,
    }
}
