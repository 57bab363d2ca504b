//! Stores of neighbours, each lane in a row of its own → a transposition, and a store of each row.
//!
//! ```text
//! scatter p + 256·i, a                        u = zip low a c;   v = zip high a c;   …
//! scatter p + 256·i + 4, b          ──►       r₀ = zip low u w;  r₁ = zip high u w;  …
//! scatter p + 256·i + 8, c                    store p, part 0 of r₀;  store p + 256, part 0 of r₁;  …
//! scatter p + 256·i + 12, d                   store p + 1024, part 1 of r₀;  …
//! ```
//! It is what [`transposed_loads`](super::super::transposed_loads) does, the other way round: as many columns as 128 bits have elements and as many lanes are a
//! square. So it is where the rows have gaps between them, as those of `o[64 * i + k]`.
//!
//! # Why this is right
//! Rows are at least as far apart as they are long, so that no two elements are one. All are stored where the last column was; nothing in between may touch what the
//! others write.

use super::super::addresses::Address;
use super::super::alias::may_touch;
use super::super::transposed_loads::{self, ROW};
use super::{DISTANCE, Regular};
use crate::vector::ir::*;
use crate::vector::writer::Writer;
use std::collections::HashMap;

/// A store is compared with so many in front of it.
const MOST_OPEN: usize = 64;

/// A store of a column, and how far it is behind the first one that was seen.
struct Column<'r> {
    store: &'r Regular,
    behind: i64,
}

/// What stands in the places of the stores of a block that make squares.
pub(super) fn transposed(function: &mut Function, block: usize, stores: &[&Regular]) -> HashMap<Inst, Vec<Inst>> {
    let mut instead = HashMap::new();
    for group in groups(function, stores) {
        let ty = function.ty(group[0].store.value);
        let side = (ROW / ty.element.size()) as usize;
        let mut rest = &group[..];
        while rest.len() >= side {
            let (square, behind) = rest.split_at(side);
            let is_row = square.windows(2).all(|pair| pair[1].behind - pair[0].behind == ty.element.size() as i64);
            if is_row && let Some(last) = last(function, block, square) {
                square.iter().for_each(|column| drop(instead.insert(column.store.inst, Vec::new())));
                let code = write(function, square, last);
                instead.insert(last.inst, code);
                rest = behind;
            } else {
                rest = &rest[1..];
            }
        }
    }
    instead
}

/// Columns of the same rows, in the order of their addresses.
fn groups<'r>(function: &mut Function, stores: &[&'r Regular]) -> Vec<Vec<Column<'r>>> {
    let mut groups: Vec<Vec<Column<'r>>> = Vec::new();
    let mut heads: Vec<(Type, i64, Address)> = Vec::new();
    for &store in stores {
        let ty = function.ty(store.value);
        let side = ROW / ty.element.size();
        let are_rows = store.form.stride.unsigned_abs() >= ROW && u64::from(ty.length) >= side;
        if store.mask.is_some() || store.form.pace.is_some() || !are_rows || matches!(ty.element, Element::Bool | Element::Ptr) {
            continue;
        }
        // What computes the first lane's address stands nowhere: it is only looked at.
        let span = function.insts[store.inst.0 as usize].span;
        let first = Writer { function, out: &mut Vec::new(), span }.scalar(&store.form.uniform);
        let address = Address::of(function, first);
        let skipped = heads.len().saturating_sub(MOST_OPEN);
        let found = heads.iter().enumerate().skip(skipped).find_map(|(k, (other, stride, head))| {
            let is_like = (*other, *stride) == (ty, store.form.stride);
            is_like.then(|| head.distance(&address)).flatten().map(|behind| (k, behind))
        });
        match found {
            Some((k, behind)) => groups[k].push(Column { store, behind }),
            None => {
                groups.push(vec![Column { store, behind: 0 }]);
                heads.push((ty, store.form.stride, address));
            }
        }
    }
    for group in &mut groups {
        // Of two stores to one place both stay.
        group.sort_by_key(|column| column.behind);
        let twice: Vec<i64> =
            group.windows(2).filter(|pair| pair[0].behind == pair[1].behind).map(|pair| pair[0].behind).collect();
        group.retain(|column| !twice.contains(&column.behind));
    }
    groups
}

/// The last store of a square, if the others may wait for it.
fn last<'r>(function: &Function, block: usize, square: &[Column<'r>]) -> Option<&'r Regular> {
    let last = square.iter().map(|column| column.store).max_by_key(|store| store.at)?;
    let is_member = |inst: &Inst| square.iter().any(|column| column.store.inst == *inst);
    let may_wait = |column: &Column<'_>| {
        let store = column.store;
        let Op::Scatter { pointers, .. } = function.insts[store.inst.0 as usize].op else { return false };
        let mut between = function.blocks[block].insts[store.at..last.at].iter().filter(|inst| !is_member(inst));
        last.at - store.at <= DISTANCE && !between.any(|inst| may_touch(function, &function.insts[inst.0 as usize].op, pointers))
    };
    square.iter().all(may_wait).then_some(last)
}

/// The rows of a square, stored where the last column was.
fn write(function: &mut Function, square: &[Column<'_>], last: &Regular) -> Vec<Inst> {
    let span = function.insts[last.inst.0 as usize].span;
    let (ty, side) = (function.ty(last.value), square.len());
    let mut code = Vec::new();
    let mut writer = Writer { function, out: &mut code, span };
    let rows = transposed_loads::transposed(&mut writer, square.iter().map(|column| column.store.value).collect());
    let places = writer.places(&square[0].store.form, ty.length);
    for (lane, pointer) in places.into_iter().enumerate() {
        let first = (lane / side * side) as i16;
        let row = rows[lane % side];
        let value = writer.shuffle([row, row], (first..first + side as i16).collect());
        writer.effect(Op::Store { pointer, value, mask: None, streaming: false });
    }
    code
}
