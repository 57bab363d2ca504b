//! Do rounds write different places?
//!
//! *Rows.* Round i of a loop writes at `i · row + x`, elements of one array, where x takes numbers from 0 on below `extent` that do not depend on i.
//! Where `extent` ≤ `row`, neither of two rounds writes what the other reads or writes. Indices of 32 bits wrap: below 2²⁸, as many rows as run
//! beside each other are less than 2³², so that different places have different numbers.
//!
//! *Columns.* Round i writes at `x · pace ± i + c`, for all lanes x of a vector, which are different numbers from 0 on below `extent`. As many rounds as
//! run beside each other, at most `pace`, write different places: those of two rounds would have a multiple of `pace` between them that is less
//! than `pace`. So it is while `extent · pace` is below 2³¹, and nothing wraps.

use super::super::addresses::is_same_number;
use super::super::alias::may_touch;
use super::super::ranges::range;
use super::nest::{Nest, SLOPE_DEPTH, before, constant, counter, is_harmless, is_hint, rising};
use crate::vector::graph::Graph;
use crate::vector::ir::*;

/// What must hold so that rounds write different places.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Fit {
    /// `extent` ≤ `row` < 2²⁸, as numbers without a sign.
    Rows { extent: Value, row: Value },
    /// As many rounds ≤ `pace` < 2²⁸, `extent` < 2²⁸ and `extent` · `pace` < 2³¹.
    Columns { extent: Value, pace: Value },
}

/// Where lanes are written, each in a row of its own.
pub(in super::super) struct Column {
    base: Value,
    scale: u64,
    /// The elements between two lanes.
    pub(in super::super) pace: Value,
    /// What moves by one from round to round.
    round: Value,
}

impl Column {
    /// Are they the same rows, and the same place of each?
    fn is(&self, function: &Function, other: &Column) -> bool {
        (self.base, self.scale, self.pace) == (other.base, other.scale, other.pace)
            && is_same_number(function, self.round, other.round)
    }
}

/// Where an access is.
#[derive(PartialEq)]
struct Place {
    base: Value,
    scale: u64,
    row: Value,
}

/// An access of consecutive elements.
pub(in super::super) struct Access {
    pub(in super::super) block: Block,
    pub(in super::super) pointer: Value,
    /// Bytes of an element.
    pub(in super::super) size: u64,
    /// How many elements.
    pub(in super::super) lanes: u8,
    pub(in super::super) mask: Option<Value>,
}

/// What must hold; `None` where a place is not known so well.
pub(super) fn fits(function: &Function, graph: &Graph, nest: &Nest) -> Option<Vec<Fit>> {
    let insts =
        || nest.blocks.iter().flat_map(|&block| function.blocks[block.0 as usize].insts.iter().map(move |&inst| (block, inst)));
    let (mut stores, mut scatters, mut fits) = (Vec::new(), Vec::new(), Vec::new());
    for (_, inst) in insts() {
        match &function.insts[inst.0 as usize].op {
            Op::Store { pointer, .. } => stores.push(*pointer),
            Op::Scatter { pointers, .. } => scatters.push(*pointers),
            op if !is_harmless(op) => return None,
            _ => {}
        }
    }
    for store in stores {
        let mut here: Option<Place> = None;
        for (block, inst) in insts() {
            let InstData { op, results, .. } = &function.insts[inst.0 as usize];
            if !may_touch(function, op, store) || is_hint(op) {
                continue;
            }
            let access = match op {
                Op::Load { pointer, mask } => Access::of(block, *pointer, function.ty(results[0]), *mask),
                Op::Store { pointer, value, mask, streaming: _ } => Access::of(block, *pointer, function.ty(*value), *mask),
                _ => return None,
            };
            let (place, fit) = access.place(function, graph, nest)?;
            if here.as_ref().is_some_and(|here| *here != place) {
                return None;
            }
            if !fits.contains(&fit) {
                fits.push(fit);
            }
            here = Some(place);
        }
    }
    for scatter in scatters {
        let mut here: Option<Column> = None;
        for (block, inst) in insts() {
            let data = &function.insts[inst.0 as usize];
            if !may_touch(function, &data.op, scatter) || is_hint(&data.op) {
                continue;
            }
            let (column, extent) = column(function, graph, nest, block, data)?;
            if here.as_ref().is_some_and(|here| !here.is(function, &column)) {
                return None;
            }
            let fit = Fit::Columns { extent, pace: column.pace };
            if !fits.contains(&fit) {
                fits.push(fit);
            }
            here = Some(column);
        }
    }
    Some(fits)
}

/// The column that a scatter of a nest writes in each round, and what its lanes are below.
pub(in super::super) fn column(
    function: &Function,
    graph: &Graph,
    nest: &Nest,
    block: Block,
    data: &InstData,
) -> Option<(Column, Value)> {
    let Op::Scatter { pointers, value, mask } = data.op else { return None };
    let Some(&Op::PtrIndex { base, mut index, scale, offset: 0 }) = function.definition(pointers) else { return None };
    let ty = function.ty(value);
    if nest.defines(function, base) || function.ty(base).length != 1 || scale != ty.element.size() {
        return None;
    }
    if let Some(&Op::Convert(ConvertOp::SExt, from)) = function.definition(index) {
        index = from;
    }
    let splat = |value: Value| match function.definition(value) {
        Some(&Op::Splat(scalar)) => Some(scalar),
        _ => None,
    };
    let pair = |value: Value, is: BinaryOp| match function.definition(value) {
        Some(&Op::Binary(op, a, b)) if op == is => splat(b).map(|b| (a, b)).or_else(|| splat(a).map(|a| (b, a))),
        _ => None,
    };
    let (product, round) = pair(index, BinaryOp::Add)?;
    let (lanes, pace) = pair(product, BinaryOp::Mul)?;
    let Some(&Op::Ramp { base: first, step: 1, .. }) = function.definition(lanes) else { return None };
    let moves_by_one = nest.counter.step == 1 && matches!(nest.slope(function, round, SLOPE_DEPTH), Some(1 | u64::MAX));
    if nest.defines(function, pace) || nest.varying.contains(&first) || !moves_by_one {
        return None;
    }
    let access = Access { block, pointer: pointers, size: scale, lanes: ty.length, mask };
    let extent = access.extent(function, graph, first).filter(|&extent| nest.is_outer(function, extent))?;
    Some((Column { base, scale, pace, round }, extent))
}

/// The number of which a value is the greater one of that and 0.
pub(in super::super) fn positive(function: &Function, value: Value) -> Option<Value> {
    let is_zero = |value: Value| constant(function, value) == Some(0);
    match *function.definition(value)? {
        Op::Binary(BinaryOp::SMax, a, b) if is_zero(b) => Some(a),
        Op::Binary(BinaryOp::SMax, a, b) if is_zero(a) => Some(b),
        Op::Select(condition, a, b) if is_zero(b) => match *function.definition(condition)? {
            Op::Compare(CompareOp::SLt, zero, number) if is_zero(zero) && number == a => Some(a),
            Op::Compare(CompareOp::SGt, number, zero) if is_zero(zero) && number == a => Some(a),
            _ => None,
        },
        _ => None,
    }
}

/// A constant with its sign.
fn signed_constant(function: &Function, value: Value) -> Option<i64> {
    let bits = function.ty(value).element.bits();
    Some(((constant(function, value)? << (64 - bits)) as i64) >> (64 - bits))
}

/// A number of 32 bits, where it is extended.
fn unextended(function: &Function, value: Value) -> Value {
    match function.definition(value) {
        Some(&Op::Convert(ConvertOp::SExt, from)) => from,
        _ => value,
    }
}

/// An index without what is added to it, and that. Indices of int stay what they are: see [`memory_access`](super::super::memory_access).
pub(in super::super) fn without_constant(function: &Function, mut index: Value) -> (Value, i64) {
    let mut more = 0;
    loop {
        match function.definition(index) {
            Some(&Op::Convert(ConvertOp::Trunc | ConvertOp::SExt, from)) => index = from,
            Some(&Op::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b)) => {
                let small = |value| signed_constant(function, value).filter(|number| number.unsigned_abs() < 1 << 30);
                let (number, of) = match (op, small(a), small(b)) {
                    (BinaryOp::Add, _, Some(number)) => (number, a),
                    (BinaryOp::Add, Some(number), None) => (number, b),
                    (_, _, Some(number)) => (-number, a),
                    _ => break,
                };
                more += number;
                index = of;
            }
            _ => break,
        }
    }
    (index, more)
}

/// Is what a counter begins with a multiple that is not negative: a constant, or where the counter of a loop in front of it ends?
fn begins_at_multiple(function: &Function, graph: &Graph, start: Value, of: u64) -> bool {
    let ValueDef::Parameter(header, _) = function.values[start.0 as usize].def else {
        return constant(function, start).is_some_and(|start| start % of == 0);
    };
    let before = counter(function, graph, header).filter(|counter| counter.value == start && counter.step % of == 0);
    before.and_then(|counter| counter.start).is_some_and(|start| begins_at_multiple(function, graph, start, of))
}

impl Access {
    /// That of a vector.
    pub(in super::super) fn of(block: Block, pointer: Value, ty: Type, mask: Option<Value>) -> Access {
        Access { block, pointer, size: ty.element.size(), lanes: ty.length, mask }
    }

    fn place(&self, function: &Function, graph: &Graph, nest: &Nest) -> Option<(Place, Fit)> {
        let Some(&Op::PtrIndex { base, index, scale, offset: 0 }) = function.definition(self.pointer) else { return None };
        if nest.defines(function, base) || scale != self.size || function.ty(index).length != 1 {
            return None;
        }
        let Some(&Op::Binary(BinaryOp::Add, a, b)) = function.definition(index) else { return None };
        let row = |value: Value| match function.definition(value) {
            Some(&Op::Binary(BinaryOp::Mul, i, row)) if i == nest.counter.value => Some(row),
            Some(&Op::Binary(BinaryOp::Mul, row, i)) if i == nest.counter.value => Some(row),
            _ => None,
        };
        let (row, x) = row(a).map(|row| (row, b)).or_else(|| row(b).map(|row| (row, a)))?;
        if nest.defines(function, row) || nest.varying.contains(&x) {
            return None;
        }
        let extent = self.extent(function, graph, x).filter(|&extent| nest.is_outer(function, extent))?;
        Some((Place { base, scale, row }, Fit::Rows { extent, row }))
    }

    /// Are these elements of an array parameter that has as many as the loop has steps, or so many more as they lie further on? The caller
    /// promises that they are there. How far on they lie, which is less than 0 where the loop begins so much further on. `a[4 * n]` has n
    /// elements of four: where x · 4 is looked at, that is one of them.
    pub(in super::super) fn promised(&self, function: &Function, graph: &Graph) -> Option<i64> {
        self.promised_from(function, graph, None)
    }

    /// The same; `least` is a number that the counter is known not to begin below, where the loop does not tell.
    pub(in super::super) fn promised_from(&self, function: &Function, graph: &Graph, least: Option<i64>) -> Option<i64> {
        let Some(&Op::PtrIndex { mut base, index, scale, mut offset }) = function.definition(self.pointer) else { return None };
        while let Some(&Op::PtrIndex { base: of, index, scale, offset: more }) = function.definition(base) {
            let number = signed_constant(function, index)?;
            offset = offset.checked_add(number.checked_mul(scale as i64)?)?.checked_add(more)?;
            base = of;
        }
        let ValueDef::Parameter(Block(0), array) = function.values[base.0 as usize].def else { return None };
        let elements = function.parameter_flags.get(array as usize).and_then(|flags| flags.elements)?;
        let (index, more) = without_constant(function, index);
        let (index, factor) = match function.definition(index) {
            Some(&Op::Binary(BinaryOp::Mul, a, b)) => match (constant(function, a), constant(function, b)) {
                (Some(factor), _) => (b, factor),
                (_, Some(factor)) => (a, factor),
                _ => (index, 1),
            },
            _ => (index, 1),
        };
        let (size, bytes) = (elements.size as i64, more.checked_mul(scale as i64)?.checked_add(offset)?);
        if scale.checked_mul(factor)? != elements.size || elements.size != self.size || bytes % size != 0 {
            return None;
        }
        // The greatest of 0 and the number of elements; a counter that begins at 0 or above it is below it only if it is greater.
        let begin = self.begin(function, graph, index).or(least);
        let (extent, mut less) = self.extent_of(function, graph, index, least.is_some())?;
        let mut count = unextended(function, if begin.is_some() { extent } else { positive(function, extent)? });
        if let Some(&Op::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b)) = function.definition(count) {
            let number = signed_constant(function, b)?;
            let fewer = if op == BinaryOp::Add { number.checked_neg()? } else { number };
            (count, less) = (unextended(function, a), less.checked_add(fewer)?);
        }
        // Below the lesser of two numbers it is below both. What is not negative, and by so much below the greater of a number and as much, is below that number.
        let lesser = match function.definition(count) {
            Some(&Op::Binary(BinaryOp::SMin, a, b)) => [a, b].map(|number| unextended(function, number)),
            Some(&Op::Binary(BinaryOp::SMax, a, b))
                if begin.is_some() && signed_constant(function, b).is_some_and(|b| b <= less) =>
            {
                [unextended(function, a); 2]
            }
            _ => [count; 2],
        };
        let is_it =
            |index: u32| lesser.iter().any(|count| function.values[count.0 as usize].def == ValueDef::Parameter(Block(0), index));
        let is_count = match elements.count {
            Count::Parameter(index) => is_it(index),
            Count::Constant(most) => signed_constant(function, count).is_some_and(|number| number <= most as i64),
        };
        let further = bytes / size;
        (is_count && (-begin.unwrap_or(0)..=less).contains(&further)).then_some(further)
    }

    /// The number at which a counter with a sign begins, if it is one that is not negative.
    fn begin(&self, function: &Function, graph: &Graph, x: Value) -> Option<i64> {
        let ValueDef::Parameter(header, _) = function.values[x.0 as usize].def else { return None };
        let counter = rising(function, graph, header)?;
        let start = counter.start.filter(|_| counter.value == x && counter.op == CompareOp::SLt)?;
        signed_constant(function, start).filter(|&number| number >= 0)
    }

    /// Does its block only run where a number is less than another one?
    fn is_where_less(&self, function: &Function, graph: &Graph, a: Value, b: Value) -> bool {
        let [from] = graph.predecessors[self.block.0 as usize][..] else { return false };
        let Terminator::Branch { condition, then, .. } = &function.blocks[from.0 as usize].terminator else { return false };
        let is_less = |op: &Op| matches!(op, Op::Compare(CompareOp::SLt | CompareOp::ULt, x, limit) if (*x, *limit) == (a, b));
        then.block == self.block && function.definition(*condition).is_some_and(is_less)
    }

    /// What the elements from x on that are accessed are below.
    pub(in super::super) fn extent(&self, function: &Function, graph: &Graph, x: Value) -> Option<Value> {
        self.extent_of(function, graph, x, false).filter(|(_, less)| *less == 0).map(|(extent, _)| extent)
    }

    /// The same, and how many elements less than that; single elements from anywhere on, where it does not matter at what the counter begins.
    fn extent_of(&self, function: &Function, graph: &Graph, mut x: Value, begins_anywhere: bool) -> Option<(Value, i64)> {
        // Below 2²⁸ numbers keep their value.
        while let Some(&Op::Convert(ConvertOp::Trunc | ConvertOp::SExt, from)) = function.definition(x) {
            x = from;
        }
        let lanes = u64::from(self.lanes);
        let multiple = |value: Value| match function.definition(value) {
            Some(&Op::Binary(BinaryOp::And, whole, bits)) => match function.definition(bits) {
                Some(Op::Const(bits)) if bits[0] & (lanes - 1) == 0 => Some((whole, bits[0])),
                _ => None,
            },
            _ => None,
        };
        let is_positive = |value: Value| range(function, value).0 >= 0 || positive(function, value).is_some();
        // The tail: as many lanes as there are behind the last multiple.
        if let Some(mask) = self.mask {
            let Some(&Op::FirstLanes(mut count)) = function.definition(mask) else { return None };
            while let Some(&Op::Convert(ConvertOp::Trunc, from)) = function.definition(count) {
                count = from;
            }
            if let Some(&Op::Binary(BinaryOp::Sub, limit, from)) = function.definition(count)
                && from == x
                && self.is_where_less(function, graph, x, limit)
                && begins_at_multiple(function, graph, before(function, graph, x), 1)
            {
                return Some((limit, 0));
            }
            let (whole, bits) = multiple(x)?;
            let Some(&Op::Binary(BinaryOp::And, same, rest)) = function.definition(count) else { return None };
            let width = function.ty(x).element.bits();
            let rest = constant(function, rest)?;
            return (same == whole && rest == !bits & (u64::MAX >> (64 - width)) && is_positive(whole)).then_some((whole, 0));
        }
        let ValueDef::Parameter(header, _) = function.values[x.0 as usize].def else { return None };
        let counter = rising(function, graph, header).filter(|counter| counter.value == x)?;
        let is_below = graph.predecessors[counter.body.0 as usize].len() == 1 && graph.dominates(counter.body, self.block);
        let is_multiple = |start: Value| begins_at_multiple(function, graph, start, lanes);
        let begins = || begins_anywhere && lanes == 1 || counter.start.is_some_and(is_multiple);
        if !is_below || !begins() {
            return None;
        }
        // What begins at 0 or above it comes to no round where its end is negative.
        let begins_positive =
            counter.op == CompareOp::SLt && counter.start.is_some_and(|start| constant(function, start).is_some());
        let ends = |&whole: &Value| begins_positive || is_positive(whole);
        match lanes {
            1 => Some((counter.limit, -counter.more)),
            _ if counter.more == 0 && counter.step % lanes == 0 => {
                multiple(counter.limit).map(|(whole, _)| whole).filter(ends).map(|whole| (whole, 0))
            }
            _ => None,
        }
    }
}
