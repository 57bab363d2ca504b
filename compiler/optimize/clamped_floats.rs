//! Integers that are made of floats and clamped are made of clamped floats, which need no correction.
//!
//! ```text
//! i = ftos (rint x)                   y = select (feq x, x), (fmin x, 127.0), 0.0
//! a = smax i, −128           ──►      i = ftos (rint y)
//! r = smin a, 127                     a = smax i, −128;  r = smin a, 127
//! ```
//! The instruction that makes integers of floats takes what does not fit, and NaN, to the least number. That is right below; above, and for
//! NaN, which is 0, it takes three operations, and a choice between integers keeps these from being packed. With ends that are floats
//! themselves it is the same whether the float or the integer is clamped, before it is rounded or after: rounding is monotone, and leaves
//! whole numbers alone. NaN is 0 between these ends: where 0 is not above the least one, `fmax x, least` makes it that already, and where it
//! is not below the greatest one `fmin` does.
//!
//! The clamp of integers stays where they are narrowed next, since it becomes a part of that; otherwise what the float ensures goes.

use crate::vector::ir::*;
use crate::vector::writer::{Writer, remake};
use rustc_hash::FxHashMap;

/// Integers up to here are floats.
const EXACT: i64 = 1 << 24;

/// Rewrites the conversions of a function.
pub fn clamped_floats(function: &mut Function) {
    let is_conversion = |inst: &Inst| matches!(function.insts[inst.0 as usize].op, Op::Convert(ConvertOp::FToS, _));
    if !function.blocks.iter().any(|block| block.insts.iter().any(is_conversion)) {
        return;
    }
    let clamps = clamps(function);
    if clamps.is_empty() {
        return;
    }
    let uses = function.uses();
    remake(function, |writer, inst| {
        let InstData { op, results, .. } = &writer.function.insts[inst.0 as usize];
        let Op::Convert(ConvertOp::FToS, float) = *op else { return None };
        let clamp = clamps.get(results.first()?)?;
        Some(Op::Convert(ConvertOp::FToS, clamp.write(writer, float, &uses)))
    });
    let ensured = clamps.into_values().filter_map(|clamp| clamp.ensured).collect();
    function.replace_uses(&ensured);
}

/// What happens to an integer that was a float.
#[derive(Clone, Copy)]
struct Clamp {
    least: i64,
    greatest: i64,
    /// A minimum that the float ensures if it is clamped, and what takes its place.
    ensured: Option<(Value, Value)>,
}

/// For each conversion whose only use is a clamp, the clamp.
fn clamps(function: &Function) -> FxHashMap<Value, Clamp> {
    let uses = function.uses();
    let is_made = |value: Value| {
        let (ty, is_used_once) = (function.ty(value), uses[value.0 as usize] == 1);
        let float = match function.definition(value) {
            Some(&Op::Convert(ConvertOp::FToS, float)) if is_used_once && ty.element == Element::I32 && ty.length > 1 => float,
            _ => return false,
        };
        function.ty(float).element == Element::F32 && function.float_range(float).is_none_or(|(_, most)| most >= 2f64.powi(31))
    };
    // By what is clamped so far: the conversion, and the clamp.
    let mut inner: FxHashMap<Value, (Value, Clamp)> = FxHashMap::default();
    let mut is_narrowed = vec![false; function.values.len()];
    for inst in function.blocks.iter().flat_map(|block| &block.insts) {
        let InstData { op, results, .. } = &function.insts[inst.0 as usize];
        match *op {
            Op::Binary(op @ (BinaryOp::SMin | BinaryOp::SMax), a, b) => {
                let (value, end) = match (constant(function, a), constant(function, b)) {
                    (None, Some(end)) => (a, end),
                    (Some(end), None) => (b, end),
                    _ => continue,
                };
                let none = Clamp { least: i32::MIN.into(), greatest: i32::MAX.into(), ensured: None };
                let found = match inner.get(&value) {
                    Some(&found) if uses[value.0 as usize] == 1 => Some(found),
                    _ => is_made(value).then_some((value, none)),
                };
                let Some((made, clamp)) = found else { continue };
                let chosen = if op == BinaryOp::SMin { i64::min } else { i64::max };
                let ensured = if op == BinaryOp::SMin { Some((results[0], value)) } else { clamp.ensured };
                inner.remove(&value);
                inner.insert(
                    results[0],
                    (made, Clamp { least: chosen(clamp.least, end), greatest: chosen(clamp.greatest, end), ensured }),
                );
            }
            Op::Convert(ConvertOp::Trunc, value) => is_narrowed[value.0 as usize] = true,
            _ => {}
        }
    }
    let finished = |(result, (made, clamp)): (Value, (Value, Clamp))| {
        let is_float = |end: i64| (-EXACT..=EXACT).contains(&end);
        let is_exact = is_float(clamp.greatest) && (clamp.least == i64::from(i32::MIN) || is_float(clamp.least));
        // A maximum behind it could have made the greatest number greater than the minimum had left.
        let ensured = clamp.ensured.filter(|_| !is_narrowed[result.0 as usize] && clamp.least < clamp.greatest);
        is_exact.then_some((made, Clamp { ensured, ..clamp }))
    };
    inner.into_iter().filter_map(finished).collect()
}

/// The number that all lanes are.
fn constant(function: &Function, value: Value) -> Option<i64> {
    match function.definition(value)? {
        Op::Const(bits) => bits.iter().all(|lane| *lane == bits[0]).then_some(i64::from(bits[0] as u32 as i32)),
        Op::Splat(scalar) => constant(function, *scalar),
        _ => None,
    }
}

impl Clamp {
    /// What is converted instead of a float.
    fn write(&self, writer: &mut Writer<'_>, float: Value, uses: &[u32]) -> Value {
        let ty = writer.function.ty(float);
        let rounded = match writer.function.definition(float) {
            Some(&Op::Unary(op @ (UnaryOp::Rint | UnaryOp::Round | UnaryOp::Trunc | UnaryOp::Floor | UnaryOp::Ceil), x))
                if uses[float.0 as usize] == 1 =>
            {
                Some((op, x))
            }
            _ => None,
        };
        let inside = self.between(writer, rounded.map_or(float, |(_, x)| x));
        rounded.map_or(inside, |(op, _)| writer.emit(Op::Unary(op, inside), ty))
    }

    fn between(&self, writer: &mut Writer<'_>, x: Value) -> Value {
        let ty = writer.function.ty(x);
        let number = |writer: &mut Writer<'_>, number: i64| writer.emit(Op::Const(vec![(number as f32).to_bits().into()]), ty);
        let is_number = writer.function.float_range(x).is_some();
        let raised = if self.least >= 0 {
            let least = number(writer, self.least);
            writer.emit(Op::Binary(BinaryOp::FMax, x, least), ty)
        } else {
            x
        };
        let greatest = number(writer, self.greatest);
        let inside = writer.emit(Op::Binary(BinaryOp::FMin, raised, greatest), ty);
        if is_number || self.least >= 0 || self.greatest <= 0 {
            return inside;
        }
        let zero = number(writer, 0);
        let mask = writer.emit(Op::Compare(CompareOp::FEq, x, x), ty.with_element(Element::Bool));
        writer.emit(Op::Select(mask, inside, zero), ty)
    }
}
