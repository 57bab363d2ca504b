//! What bit operations do with integers of which only intervals are known, and what remainders are known of them.

use super::super::expr::{Expr, ExprKind};
use super::super::simplify::{constant_value, linear};
use crate::typed::ir::{BinaryOp, LaneOp, UnaryOp};

/// The least and the greatest x ∘ y for x in \[a₀, a₁\] and y in \[b₀, b₁\], where ∘ is `&`, `|` or `^` on 32 bits. Both are
/// attained. Neither interval is empty.
///
/// The result is chosen bit by bit from the top, as small (as large) as it can be. What is known of x and y on the way is
/// whether the bits chosen so far are still those of an end of their interval.
pub fn extremes(op: BinaryOp, a: (i64, i64), b: (i64, i64)) -> (i64, i64) {
    let signs = |(low, high): (i64, i64)| {
        [(low, high.min(-1)), (low.max(0), high)].into_iter().filter(|(low, high)| low <= high).collect::<Vec<_>>()
    };
    // Numbers of one sign are ordered as their bits are.
    let pairs: Vec<_> = signs(a).into_iter().flat_map(|a| signs(b).into_iter().map(move |b| (a, b))).collect();
    let end = |wants: bool| pairs.iter().map(move |&(a, b)| extreme(op, a, b, wants));
    (end(false).min().expect("an interval"), end(true).max().expect("an interval"))
}

/// The extreme for intervals of one sign each; `greatest`: which one.
fn extreme(op: BinaryOp, a: (i64, i64), b: (i64, i64), greatest: bool) -> i64 {
    let bit = |n: i64, at: u32| (n >> at) & 1;
    // The bits that a number may have next, and whether it is at the ends then.
    let next = |ends: (i64, i64), (at_low, at_high): (bool, bool), at: u32| {
        let (low, high) = (bit(ends.0, at), bit(ends.1, at));
        [0, 1]
            .into_iter()
            .filter(move |&d| (!at_low || d >= low) && (!at_high || d <= high))
            .map(move |d| (d, (at_low && d == low, at_high && d == high)))
    };
    let mut states = vec![((true, true), (true, true))];
    let mut result = 0i64;
    for at in (0..32).rev() {
        // A sign makes a number smaller.
        let wanted = i64::from(greatest != (at == 31));
        let mut chosen = Vec::new();
        let mut digit = 1 - wanted;
        for &(x, y) in &states {
            for (dx, x) in next(a, x, at) {
                for (dy, y) in next(b, y, at) {
                    let d = match op {
                        BinaryOp::BitAnd => dx & dy,
                        BinaryOp::BitOr => dx | dy,
                        _ => dx ^ dy,
                    };
                    if d == wanted && digit != wanted {
                        (digit, chosen) = (wanted, Vec::new());
                    }
                    if d == digit && !chosen.contains(&(x, y)) {
                        chosen.push((x, y));
                    }
                }
            }
        }
        states = chosen;
        result += digit * if at == 31 { -(1 << 31) } else { 1 << at };
    }
    result
}

/// m and r with e ≡ r modulo m: an exact value for m = 0, nothing for m = 1.
pub fn congruence(e: &Expr) -> (i64, i64) {
    if let Some(n) = constant_value(e) {
        return (0, n);
    }
    match e.kind() {
        ExprKind::Unary(UnaryOp::Negate, _) | ExprKind::Binary(BinaryOp::Add | BinaryOp::Subtract, ..) => sum(e),
        ExprKind::Binary(BinaryOp::Multiply, a, b) => {
            let ((m, r), (n, s)) = (congruence(a), congruence(b));
            // (m·i + r)(n·j + s) = mn·ij + ms·i + nr·j + rs
            let product = |x: i64, y: i64| x.checked_mul(y);
            match (product(m, n), product(m, s), product(n, r), product(r, s)) {
                (Some(mn), Some(ms), Some(nr), Some(rs)) => reduced(gcd(gcd(mn, ms), nr), rs),
                _ => (1, 0),
            }
        }
        ExprKind::Binary(BinaryOp::Remainder, a, b) => match constant_value(b) {
            Some(n) if n != 0 => {
                let (m, r) = congruence(a);
                reduced(gcd(m, n), r)
            }
            _ => (1, 0),
        },
        ExprKind::Builtin(LaneOp::Min | LaneOp::Max, operands) => joined(&operands[0], &operands[1]),
        ExprKind::Builtin(LaneOp::Select, operands) => joined(&operands[1], &operands[2]),
        ExprKind::Conditional(_, a, b) => joined(a, b),
        ExprKind::Constant(_)
        | ExprKind::Variable(_)
        | ExprKind::Unary(..)
        | ExprKind::Binary(..)
        | ExprKind::Compare(..)
        | ExprKind::And(..)
        | ExprKind::Or(..)
        | ExprKind::Convert(_)
        | ExprKind::Builtin(..)
        | ExprKind::Call(..)
        | ExprKind::Read(..)
        | ExprKind::Within(..)
        | ExprKind::Extremum(_) => (1, 0),
    }
}

/// Of a sum, term by term.
fn sum(e: &Expr) -> (i64, i64) {
    let form = linear(e);
    form.terms.iter().fold((0, form.constant), |(m, r), (atom, c)| {
        // An atom that is a sum itself would come back here.
        let (n, s) = if matches!(atom.kind(), ExprKind::Binary(BinaryOp::Add | BinaryOp::Subtract, ..) | ExprKind::Unary(..)) {
            (1, 0)
        } else {
            congruence(atom)
        };
        match (n.checked_mul(*c), s.checked_mul(*c).and_then(|s| s.checked_add(r))) {
            (Some(n), Some(s)) => reduced(gcd(m, n), s),
            _ => (1, 0),
        }
    })
}

/// What either of two has.
fn joined(a: &Expr, b: &Expr) -> (i64, i64) {
    let ((m, r), (n, s)) = (congruence(a), congruence(b));
    match r.checked_sub(s) {
        Some(difference) => reduced(gcd(gcd(m, n), difference), r),
        None => (1, 0),
    }
}

fn reduced(m: i64, r: i64) -> (i64, i64) {
    if m == 0 { (0, r) } else { (m, r.rem_euclid(m)) }
}

/// The greatest common divisor; that of 0 and n is n.
pub fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i64::try_from(a).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extremes_of_bit_operations_are_those_of_all_pairs() {
        let ends: Vec<i64> = (-9..=9).collect();
        for &a in &ends {
            for &c in &ends {
                for (b, d) in [(a, c), (a + 3, c + 1), (a + 11, c + 6)] {
                    for op in [BinaryOp::BitAnd, BinaryOp::BitOr, BinaryOp::BitXor] {
                        let of = |x: i64, y: i64| match op {
                            BinaryOp::BitAnd => x & y,
                            BinaryOp::BitOr => x | y,
                            _ => x ^ y,
                        };
                        let all: Vec<i64> = (a..=b).flat_map(|x| (c..=d).map(move |y| of(x, y))).collect();
                        let exact = (*all.iter().min().expect("a pair"), *all.iter().max().expect("a pair"));
                        assert_eq!(extremes(op, (a, b), (c, d)), exact, "{op:?} on [{a}, {b}] and [{c}, {d}]");
                    }
                }
            }
        }
    }
}
