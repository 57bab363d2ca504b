//! Sums that are computed in more bits and limited to what fits in fewer become sums that saturate.
//!
//! ```text
//! s = add (sext a: i16), (sext b: i16)          i32×N
//! c = smin (smax s, -32768), 32767       ──►    r = saddsat a, b          i16×N
//! r = convert.trunc c                    i16×N
//! ```
//! So it is for differences, and for numbers without a sign, whose sums have no lower limit, and whose differences have no upper one. What is added fits by its
//! [range](super::ranges): it is extended, a constant, or computed of such numbers. Every machine has these operations on bytes and words. A sum that is looked at
//! elsewhere is computed anyway: there nothing is gained.

use super::ranges::{Range, exactly, range};
use crate::vector::ir::*;
use crate::vector::writer::{Writer, remake};

/// Rewrites the sums of a function.
pub fn saturated_sums(function: &mut Function) {
    let is_cut = |inst: &InstData| matches!(inst.op, Op::Convert(ConvertOp::Trunc, _));
    if !function.insts.iter().any(is_cut) {
        return;
    }
    let uses = function.uses();
    remake(function, |writer, inst| {
        let (function, InstData { op, results, .. }) = (&*writer.function, &writer.function.insts[inst.0 as usize]);
        let Op::Convert(ConvertOp::Trunc, limited) = *op else { return None };
        let ty = function.ty(results[0]);
        Some(Sum::of(function, &uses, limited, ty)?.write(writer, ty))
    });
}

/// From below and from above.
type Limits = (Option<i64>, Option<i64>);

/// A sum or a difference of numbers that fit, limited to those that fit.
struct Sum {
    op: BinaryOp,
    operands: [Value; 2],
}

impl Sum {
    /// What becomes a number of this type.
    fn of(function: &Function, uses: &[u32], limited: Value, ty: Type) -> Option<Sum> {
        let bits = ty.element.bits();
        if ty.length == 1 || !(8..=16).contains(&bits) {
            return None;
        }
        let (sum, limits) = unlimited(function, limited)?;
        let Some(&Op::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b)) = function.definition(sum) else { return None };
        let half = 1i64 << (bits - 1);
        let operands = [a, b].map(|operand| range(function, operand));
        let signed = [(-half, half - 1), (0, 2 * half - 1)].into_iter().zip([true, false]).find_map(|(fits, is_signed)| {
            let is_inside = |&(low, high): &Range| fits.0 <= low && high <= fits.1;
            if !operands.iter().all(is_inside) {
                return None;
            }
            // Of numbers of 16 bits nothing is lost.
            let exact = match op {
                BinaryOp::Add => (operands[0].0 + operands[1].0, operands[0].1 + operands[1].1),
                _ => (operands[0].0 - operands[1].1, operands[0].1 - operands[1].0),
            };
            let is_limited = |limit: Option<i64>, fits: i64, is_needless: bool| limit.map_or(is_needless, |limit| limit == fits);
            let is_this = is_limited(limits.0, fits.0, exact.0 >= fits.0) && is_limited(limits.1, fits.1, exact.1 <= fits.1);
            is_this.then_some(is_signed)
        })?;
        let op = match (op, signed) {
            (BinaryOp::Add, true) => BinaryOp::SAddSat,
            (BinaryOp::Add, false) => BinaryOp::UAddSat,
            (_, true) => BinaryOp::SSubSat,
            (_, false) => BinaryOp::USubSat,
        };
        (uses[sum.0 as usize] == 1).then_some(Sum { op, operands: [a, b] })
    }

    fn write(&self, writer: &mut Writer<'_>, ty: Type) -> Op {
        let [a, b] = self.operands.map(|operand| match writer.function.definition(operand) {
            Some(&Op::Convert(ConvertOp::SExt | ConvertOp::ZExt, narrow)) if writer.function.ty(narrow) == ty => narrow,
            _ => writer.emit(Op::Convert(ConvertOp::Trunc, operand), ty),
        });
        Op::Binary(self.op, a, b)
    }
}

/// What is limited, and by what from below and from above: by one constant on each side at most. `None` for what is not limited.
fn unlimited(function: &Function, value: Value) -> Option<(Value, Limits)> {
    let (mut value, mut limits) = (value, (None, None));
    for _ in 0..2 {
        let Some(&Op::Binary(op, a, b)) = function.definition(value) else { break };
        let side = match op {
            BinaryOp::SMax => &mut limits.0,
            BinaryOp::SMin => &mut limits.1,
            _ => break,
        };
        let (rest, limit) = exactly(function, b).map(|limit| (a, limit)).or_else(|| Some((b, exactly(function, a)?)))?;
        if side.replace(limit).is_some() {
            return None;
        }
        value = rest;
    }
    (limits != (None, None)).then_some((value, limits))
}
