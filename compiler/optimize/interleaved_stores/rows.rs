//! Stores of neighbours, each lane in a row of its own → a transposition, and a store of each row.
//!
//! ```text
//! scatter p + 256·i, a                        u = zip low a c;   v = zip high a c;   …
//! scatter p + 256·i + 4, b          ──►       r₀ = zip low u w;  r₁ = zip high u w;  …
//! scatter p + 256·i + 8, c                    store p, part 0 of r₀;  store p + 256, part 0 of r₁;  …
//! scatter p + 256·i + 12, d                   store p + 1024, part 1 of r₀;  …
//! ```
//! It is what [`transposed_loads`](super::super::transposed_loads) does, the other way round: as many columns as 128 bits have elements and as many lanes are a
//! square. So it is where the rows have gaps between them, as those of `o[64 * i + k]`, or of `o[n * i + k]` where it is assumed that n is no less
//! ([`turned_rounds`](super::super::turned_rounds)).
//!
//! # Why this is right
//! Rows are at least as far apart as they are long, so that no two elements are one. All are stored where the last column was; nothing in between may touch what the
//! others write.

use super::super::addresses::Address;
use super::super::alias::may_touch;
use super::super::memory_access::Scalar;
use super::super::transposed_loads::{self, ROW, by_distance, in_squares};
use super::{DISTANCE, Regular};
use crate::vector::ir::*;
use crate::vector::writer::Writer;
use rustc_hash::FxHashMap;

/// A store of a column.
struct Column<'r> {
    store: &'r Regular,
    ty: Type,
    /// So many elements are between two lanes, which is no constant.
    pace: Option<Value>,
    /// Of the first lane.
    address: Address,
}

/// Numbers that a block is told to be no less than another one.
fn assumed(function: &Function, block: usize) -> Vec<(Value, u64)> {
    let insts = &function.blocks[block].insts;
    let told = insts.iter().filter_map(|inst| match function.insts[inst.0 as usize].op {
        Op::Assume(condition) => match *function.definition(condition)? {
            Op::Compare(CompareOp::SGe, number, least) => Some((number, u64::try_from(function.signed_constant(least)?).ok()?)),
            _ => None,
        },
        _ => None,
    });
    told.collect()
}

/// The number of elements that lanes are apart, as [`Forms`](super::Forms) says it: so many times the size.
fn elements(pace: &Scalar, size: u64) -> Option<Value> {
    let Scalar::Binary(BinaryOp::Mul, number, bytes, _) = pace else { return None };
    if !matches!(**bytes, Scalar::Const(bytes, _) if bytes == size) {
        return None;
    }
    let mut number = number;
    loop {
        number = match &**number {
            Scalar::Value(number) => return Some(*number),
            Scalar::Convert(ConvertOp::SExt, from, _) => from,
            Scalar::Binary(BinaryOp::Mul, one, from, _) if matches!(**one, Scalar::Const(1, _)) => from,
            _ => return None,
        };
    }
}

/// What stands in the places of the stores of a block that make squares.
pub(super) fn transposed(function: &mut Function, block: usize, stores: &[&Regular]) -> FxHashMap<Inst, Vec<Inst>> {
    let apart = assumed(function, block);
    let columns: Vec<Column> = stores.iter().filter_map(|store| Column::of(function, store, &apart)).collect();
    let groups = by_distance(columns, |head, column| {
        let is_like = (head.ty, head.store.form.stride, head.pace) == (column.ty, column.store.form.stride, column.pace);
        is_like.then(|| head.address.distance(&column.address)).flatten()
    });
    let mut instead = FxHashMap::default();
    for mut group in groups {
        // Of two stores to one place both stay.
        let twice: Vec<i64> = group.windows(2).filter(|pair| pair[0].0 == pair[1].0).map(|pair| pair[0].0).collect();
        group.retain(|(behind, _)| !twice.contains(behind));
        let Some(size) = group.first().map(|(_, column)| column.ty.element.size()) else { continue };
        in_squares(size, &group, |square| {
            let stores: Vec<&Regular> = square.iter().map(|(_, column)| column.store).collect();
            let last = last(function, block, &stores)?;
            stores.iter().for_each(|store| drop(instead.insert(store.inst, Vec::new())));
            instead.insert(last.inst, write(function, &stores, last));
            Some(())
        });
    }
    instead
}

impl<'r> Column<'r> {
    /// That of a store of numbers in rows that are as far apart as they are long, at least, with lanes for a square.
    fn of(function: &mut Function, store: &'r Regular, apart: &[(Value, u64)]) -> Option<Column<'r>> {
        let ty = function.ty(store.value);
        let side = ROW / ty.element.size();
        let pace = match &store.form.pace {
            Some(pace) => Some(elements(pace, ty.element.size())?),
            None => None,
        };
        let are_rows = match pace {
            Some(pace) => store.form.stride == 0 && apart.iter().any(|&(number, least)| number == pace && least >= side),
            None => store.form.stride.unsigned_abs() >= ROW,
        };
        if store.mask.is_some() || !are_rows || u64::from(ty.length) < side || matches!(ty.element, Element::Bool | Element::Ptr)
        {
            return None;
        }
        if let (Op::Scatter { pointers, .. }, true) = (&function.insts[store.inst.0 as usize].op, pace.is_some()) {
            return Some(Column { store, ty, pace, address: Address::of(function, *pointers) });
        }
        // What computes the first lane's address stands nowhere: it is only looked at.
        let span = function.insts[store.inst.0 as usize].span;
        let first = Writer { function, out: &mut Vec::new(), span }.scalar(&store.form.uniform);
        Some(Column { store, ty, pace, address: Address::of(function, first) })
    }
}

/// The last store of a square, if the others may wait for it.
fn last<'r>(function: &Function, block: usize, square: &[&'r Regular]) -> Option<&'r Regular> {
    let last = *square.iter().max_by_key(|store| store.at)?;
    let is_member = |inst: &Inst| square.iter().any(|store| store.inst == *inst);
    let may_wait = |store: &&Regular| {
        let Op::Scatter { pointers, .. } = function.insts[store.inst.0 as usize].op else { return false };
        let mut between = function.blocks[block].insts[store.at..last.at].iter().filter(|inst| !is_member(inst));
        last.at - store.at <= DISTANCE && !between.any(|inst| may_touch(function, &function.insts[inst.0 as usize].op, pointers))
    };
    square.iter().all(may_wait).then_some(last)
}

/// The rows of a square, stored where the last column was.
fn write(function: &mut Function, square: &[&Regular], last: &Regular) -> Vec<Inst> {
    let span = function.insts[last.inst.0 as usize].span;
    let (ty, side) = (function.ty(last.value), square.len());
    let mut code = Vec::new();
    let mut writer = Writer { function, out: &mut code, span };
    let rows = transposed_loads::transposed(&mut writer, square.iter().map(|store| store.value).collect());
    let places = writer.places(&square[0].form, ty.length);
    for (lane, pointer) in places.into_iter().enumerate() {
        let first = (lane / side * side) as i16;
        let row = rows[lane % side];
        let value = writer.shuffle([row, row], (first..first + side as i16).collect());
        writer.effect(Op::Store { pointer, value, mask: None, streaming: false });
    }
    code
}
