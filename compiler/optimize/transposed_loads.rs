//! Neighbours that are loaded lane by lane → a load of them for each lane, and a transposition.
//!
//! ```text
//! a = insert … (load p₀), (load p₁), (load p₂), (load p₃)              r₀ = load i32x4 p₀;  …  r₃ = load i32x4 p₃
//! b = insert … (load p₀ + 4), (load p₁ + 4), …                ──►      u = zip low r₀ r₂;   v = zip high r₀ r₂;   …
//! c = insert … (load p₀ + 8), (load p₁ + 8), …                         a = zip low u w;     b = zip high u w
//! d = insert … (load p₀ + 12), (load p₁ + 12), …                       c = zip low v x;     d = zip high v x
//! ```
//! Each lane has a row of its own, as in `a[i * n + k]` for lanes i. As many elements of it as 128 bits hold are read at once, by each of
//! as many lanes: a square, that log₂ steps of zips transpose. Longer vectors are several squares side by side, so that no lane of a register
//! moves across 128 bits.
//!
//! # Why this is right
//! Exactly the elements that were read are read, once each: the block loads all of them, under no mask. They are read where the first
//! vector is complete; nothing between the first of their loads and the last one writes what they read.

use super::addresses::Address;
use super::alias::may_write;
use crate::vector::ir::*;
use crate::vector::writer::Writer;
use rustc_hash::{FxHashMap, FxHashSet};

/// Bytes of a row of a square.
pub(super) const ROW: u64 = 16;
/// A vector is compared with so many in front of it.
const MOST_OPEN: usize = 64;

/// Rewrites the loads of a function.
pub fn transposed_loads(function: &mut Function) {
    let mut same = FxHashMap::default();
    for block in 0..function.blocks.len() {
        let columns = columns(function, &function.blocks[block].insts);
        if columns.len() < 2 {
            continue;
        }
        let squares = squares(function, &function.blocks[block].insts, columns);
        let insts = std::mem::take(&mut function.blocks[block].insts);
        let mut out = Vec::with_capacity(insts.len());
        for (at, inst) in insts.into_iter().enumerate() {
            out.push(inst);
            for square in squares.iter().filter(|square| square.at == at) {
                let span = function.insts[inst.0 as usize].span;
                square.write(&mut Writer { function, out: &mut out, span }, &mut same);
            }
        }
        function.blocks[block].insts = out;
    }
    function.replace_uses(&same);
}

/// A vector whose lanes are loaded one by one.
pub(super) struct Column {
    value: Value,
    /// The address of each lane.
    pointers: Vec<Value>,
    /// Where its first load and its last insertion stand in the block.
    first: usize,
    last: usize,
}

impl Column {
    /// That of a value; where it stands is not known yet.
    pub(super) fn of(function: &Function, value: Value) -> Option<Column> {
        let ty = function.ty(value);
        let mut pointers = vec![None; usize::from(ty.length)];
        let mut inner = value;
        while let Some(&Op::Insert(rest, lane, index)) = function.definition(inner) {
            let Some(Op::Const(index)) = function.definition(index) else { return None };
            let Some(&Op::Load { pointer, mask: None }) = function.definition(lane) else { return None };
            // The last insertion counts.
            pointers.get_mut(*index.first()? as usize)?.get_or_insert(pointer);
            inner = rest;
        }
        let pointers = pointers.into_iter().collect::<Option<Vec<Value>>>()?;
        let fits = ty.element != Element::Bool && ty.bytes() >= ROW && ty.length > 1;
        fits.then_some(Column { value, pointers, first: 0, last: 0 })
    }

    /// How many bytes each lane goes on where a counter grows by 1, if that is said by an index.
    pub(super) fn step(&self, function: &Function, counter: Value) -> Option<i64> {
        let mut steps = self.pointers.iter().map(|pointer| Address::of(function, *pointer).step(counter));
        let first = steps.next()??;
        steps.all(|step| step == Some(first)).then_some(first)
    }
}

/// The columns of a block, with all their loads.
fn columns(function: &Function, insts: &[Inst]) -> Vec<Column> {
    let places: FxHashMap<Inst, usize> = insts.iter().enumerate().map(|(at, inst)| (*inst, at)).collect();
    let mut inner = FxHashSet::default();
    for &inst in insts {
        if let Op::Insert(rest, ..) = function.insts[inst.0 as usize].op {
            inner.insert(rest);
        }
    }
    let mut columns = Vec::new();
    for (last, &inst) in insts.iter().enumerate() {
        let InstData { op: Op::Insert(..), results, .. } = &function.insts[inst.0 as usize] else { continue };
        if inner.contains(&results[0]) {
            continue;
        }
        let Some(column) = Column::of(function, results[0]) else { continue };
        if let Some(first) = first_load(function, &places, column.value) {
            columns.push(Column { first, last, ..column });
        }
    }
    columns
}

/// Where the first load of a chain of insertions stands; `None` if one is in another block.
fn first_load(function: &Function, places: &FxHashMap<Inst, usize>, mut value: Value) -> Option<usize> {
    let mut first = None;
    while let Some(&Op::Insert(rest, lane, _)) = function.definition(value) {
        let ValueDef::Result(inst, _) = function.values[lane.0 as usize].def else { return None };
        let at = *places.get(&inst)?;
        first = Some(first.map_or(at, |before: usize| before.min(at)));
        value = rest;
    }
    first
}

/// Columns side by side.
struct Square {
    /// The instruction of the block behind which it is read.
    at: usize,
    ty: Type,
    /// The addresses of the first elements, and how far these are behind the first column.
    pointers: Vec<Value>,
    behind: i64,
    /// In order.
    columns: Vec<Value>,
}

/// Those that the columns of a block make.
fn squares(function: &Function, insts: &[Inst], columns: Vec<Column>) -> Vec<Square> {
    let addresses = |column: Column| {
        let addresses: Vec<Address> = column.pointers.iter().map(|pointer| Address::of(function, *pointer)).collect();
        (addresses, column)
    };
    // Columns whose lanes are all as far from those of the first one, by the distance.
    let groups = by_distance(columns.into_iter().map(addresses), |(head, first), (addresses, column)| {
        if function.ty(first.value) != function.ty(column.value) || head.len() != addresses.len() {
            return None;
        }
        let mut distances = head.iter().zip(addresses).map(|(a, b)| a.distance(b));
        let first = distances.next()??;
        distances.all(|other| other == Some(first)).then_some(first)
    });
    let mut squares = Vec::new();
    for group in groups {
        let mut group: Vec<(i64, Column)> = group.into_iter().map(|(distance, (_, column))| (distance, column)).collect();
        group.dedup_by_key(|(distance, _)| *distance);
        let ty = function.ty(group[0].1.value);
        in_squares(ty.element.size(), &group, |columns| square(function, insts, ty, columns).map(|square| squares.push(square)));
    }
    squares
}

/// What is a known number of bytes behind the first one of a group, in that order. Each is compared with the last groups.
pub(super) fn by_distance<T>(all: impl IntoIterator<Item = T>, distance: impl Fn(&T, &T) -> Option<i64>) -> Vec<Vec<(i64, T)>> {
    let mut groups: Vec<Vec<(i64, T)>> = Vec::new();
    for one in all {
        let skipped = groups.len().saturating_sub(MOST_OPEN);
        let mut open = groups.iter().enumerate().skip(skipped);
        match open.find_map(|(k, group)| Some((k, distance(&group[0].1, &one)?))) {
            Some((k, distance)) => groups[k].push((distance, one)),
            None => groups.push(vec![(0, one)]),
        }
    }
    groups.iter_mut().for_each(|group| group.sort_by_key(|(distance, _)| *distance));
    groups
}

/// Makes squares of columns side by side, as many at a time as a row has elements of a size, where they may be made.
pub(super) fn in_squares<T>(size: u64, mut columns: &[(i64, T)], mut make: impl FnMut(&[(i64, T)]) -> Option<()>) {
    let side = (ROW / size) as usize;
    while columns.len() >= side {
        let (square, behind) = columns.split_at(side);
        let is_row = square.windows(2).all(|pair| pair[1].0 - pair[0].0 == size as i64);
        columns = if is_row && make(square).is_some() { behind } else { &columns[1..] };
    }
}

/// That of columns side by side, if nothing between their loads writes what they read.
fn square(function: &Function, insts: &[Inst], ty: Type, columns: &[(i64, Column)]) -> Option<Square> {
    let (first, last) = (columns.iter().map(|(_, c)| c.first).min()?, columns.iter().map(|(_, c)| c.last).max()?);
    let (distance, head) = columns.iter().min_by_key(|(_, column)| column.last)?;
    let is_written = |inst: &Inst| {
        let op = &function.insts[inst.0 as usize].op;
        op.has_effect() && head.pointers.iter().any(|pointer| may_write(function, op, *pointer))
    };
    if insts[first..=last].iter().any(is_written) {
        return None;
    }
    let values = columns.iter().map(|(_, column)| column.value).collect();
    Some(Square { at: head.last, ty, pointers: head.pointers.clone(), behind: columns[0].0 - distance, columns: values })
}

impl Square {
    fn write(&self, writer: &mut Writer<'_>, same: &mut FxHashMap<Value, Value>) {
        let side = self.columns.len();
        let row = self.ty.with_length(side as u8);
        // Row i of each square, side by side.
        let rows = (0..side)
            .map(|i| {
                let parts = self.pointers.iter().skip(i).step_by(side).map(|&pointer| {
                    let pointer = writer.offset(pointer, self.behind);
                    writer.emit(Op::Load { pointer, mask: None }, row)
                });
                let parts = parts.collect();
                writer.concatenated(parts)
            })
            .collect();
        same.extend(self.columns.iter().copied().zip(transposed(writer, rows)));
    }
}

/// The columns of squares side by side whose rows these are, by as many steps of zips as a square has bits.
pub(super) fn transposed(writer: &mut Writer<'_>, mut rows: Vec<Value>) -> Vec<Value> {
    let (side, ty) = (rows.len(), writer.function.ty(rows[0]));
    for _ in 0..side.ilog2() {
        let zip = |k: usize| {
            let (a, b) = (rows[k / 2], rows[k / 2 + side / 2]);
            writer.emit(Op::Shuffle(a, b, zipped(ty.length, side as i16, k % 2 == 1)), ty)
        };
        rows = (0..side).map(zip).collect();
    }
    rows
}

/// The lanes of the lower halves of both vectors' squares, or of the higher ones, one of each in turn.
fn zipped(length: u8, side: i16, is_high: bool) -> Vec<i16> {
    let length = i16::from(length);
    let lane = |lane: i16| {
        let (square, place) = (lane / side * side, lane % side);
        square + place / 2 + if is_high { side / 2 } else { 0 } + if place % 2 == 1 { length } else { 0 }
    };
    (0..length).map(lane).collect()
}
