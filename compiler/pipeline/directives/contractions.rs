//! Contractions: sums of products over indices, as comprehensions of tensors have them, and what their tiles need.
//!
//! ```text
//! C(i, j) = 0;                        ──►   T, U, R = the same;     P(j, k) = B(k, j);     T reads P in the place of B
//! rdom (k) C(i, j) += A(i, k) * B(k, j);    C(i, j) = c ? T(i, j) : d ? U(i, j) : R(i, j);
//! ```
//! T and U have a tile of accumulators, as many as registers hold, all through the reduction. What moves along the tile but not along its
//! other dimension is read again for each tile beside it: T has it packed, in a panel P whose rows lie one behind the other; and what does
//! not move along it, but far from step to step, it has turned. U has one vector of columns, some of which may be behind the last one: what
//! is read there is 0. Where the result is smaller than that, R does it by rows. Where there is no other dimension along which something is
//! used again, and rows are added to one another, there is R alone: `columns` has its schedule. A func that only goes on with the values of a contraction,
//! point by point, is the one that has the tiles; if it does so under conditions, it reads them in front of these, as a `let`, since a tile is
//! computed as a whole.
//!
//! Only accesses count: along the dense dimension of the result each read is dense, packed or does not move, and along another one some read
//! does not move, so that it is used again; names and the order of factors say nothing.

use super::super::algorithm::{Func, Notation, Pipeline, Stage, VariableInfo, VariableKind};
use super::super::associative;
use super::super::expr::{Expr, ExprKind, FuncId, Source, Variable, zero};
use super::super::loops::ir::StageName;
use super::super::simplify::{difference, linear, minus};
use super::columns::added_rows;
use super::lanes::{Vectors, lanes};
use crate::typed::ir::{BinaryOp, CompareOp, Constant};
use crate::types::Element;
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// Reads in a value are unrolled as often as a tile has accumulators: one that is larger than this is not.
const LARGEST: u32 = 32;

/// So many iterations take some tens of microseconds, as waking a thread does.
const MUCH: f64 = (1 << 21) as f64;

/// So many tiles, one beside the other, are worth a panel that saves nothing but misses of the cache…
const TILES_OF_DENSE: u64 = 4;

/// …and so many one without which lanes would be read one by one.
const TILES_OF_FAR: u64 = 2;

/// So many columns of tiles read the steps of a reduction that were turned for them…
pub const BLOCK: u64 = 32;

/// …and so many at least are worth it.
const COLUMNS_OF_TURNED: u64 = 8;

/// So many columns share a panel: the tiles that lie side by side in it read the same rows one after the other, which no cache that one core
/// has keeps for the next column.
const WIDE: u64 = 64;

/// So many panels are enough for threads to share; where there are fewer, they share the rows of each.
const PANELS: u64 = 16;

/// A tile with one vector of columns has so many rows: enough to wait for none of its sums.
const NARROW: u64 = 8;

/// A contraction, and how it is tiled.
#[derive(Clone, Debug)]
pub struct Contraction {
    /// The func that is tiled: pure, and the only reader of the accumulators.
    pub result: FuncId,
    /// Its copies with tiles: each where its condition holds, and none before it does. There are none where rows are added to one another.
    pub tiled: Vec<Tiled>,
    /// The accumulators of a row, for what is smaller than a tile.
    pub rows: FuncId,
    /// The dimension along which accumulators are used again, if there is one.
    pub across: Option<usize>,
    /// How many lanes a vector has.
    pub lanes: u8,
    /// Are there lanes that are read one by one, where nothing is packed?
    pub is_far: bool,
    /// Where threads share what has no tiles.
    pub much: Expr,
}

/// A copy of a result that has tiles.
#[derive(Clone, Debug)]
pub struct Tiled {
    /// The accumulators of a tile.
    pub tile: FuncId,
    /// How many columns and rows it has.
    pub size: [u64; 2],
    /// So many tiles lie side by side in a panel, and are computed one after the other.
    pub beside: u64,
    /// Does the last column of tiles reach beyond the result, and is not stored there?
    pub is_padded: bool,
    /// What is packed for a column of tiles.
    pub panels: Vec<FuncId>,
    /// What is turned for many columns of tiles.
    pub turned: Vec<FuncId>,
    /// Where threads share the columns of tiles, if they do not always.
    pub worth: Option<Expr>,
    /// Where they share the rows of tiles of a column, if they ever do.
    pub rows_worth: Option<Expr>,
}

impl Contraction {
    /// The same, of a pipeline whose funcs have other numbers.
    pub fn with_funcs(&self, number: &dyn Fn(FuncId) -> FuncId) -> Contraction {
        let tiled = self.tiled.iter().map(|it| Tiled {
            tile: number(it.tile),
            panels: it.panels.iter().map(|&panel| number(panel)).collect(),
            turned: it.turned.iter().map(|&turned| number(turned)).collect(),
            worth: it.worth.clone(),
            rows_worth: it.rows_worth.clone(),
            ..*it
        });
        Contraction { result: number(self.result), tiled: tiled.collect(), rows: number(self.rows), ..self.clone() }
    }

    /// What is chosen for it, and why.
    pub fn reason(&self, pipeline: &Pipeline, vectors: Vectors) -> String {
        let func = pipeline.func(self.result);
        if self.tiled.is_empty() {
            return self.reason_of_columns(pipeline);
        }
        let name = |d: usize| &pipeline.variable(func.variables[d]).name;
        let tile = |it: &Tiled| {
            let [columns, rows] = it.size;
            let registers = columns / u64::from(self.lanes) * rows;
            let tile = match self.across {
                Some(d) => format!("{rows} {} by {columns} {}", name(d), name(0)),
                None => format!("{columns} {}", name(0)),
            };
            (tile, registers)
        };
        let (largest, registers) = tile(&self.tiled[0]);
        let mut text =
            format!("`{}` is a contraction: tiles of {largest} are {registers} of {} registers", func.name, vectors.count);
        let read = |panel: &FuncId| {
            let mut found = String::new();
            pipeline.func(*panel).reads(&mut |source, _, _| found = pipeline.name_of(source).to_string());
            format!("`{found}`")
        };
        if let Some(Tiled { panels, .. }) = self.tiled.first().filter(|it| !it.panels.is_empty()) {
            let all: Vec<String> = panels.iter().map(read).collect();
            let why = if self.is_far { "whose lanes lie apart" } else { "which each tile reads again" };
            let _ = write!(text, "; {}, {why}, is packed by columns of tiles", all.join(" and "));
        }
        if let Some(Tiled { turned, .. }) = self.tiled.first().filter(|it| !it.turned.is_empty()) {
            let all: Vec<String> = turned.iter().map(read).collect();
            let _ = write!(text, "; {}, whose steps lie apart, is turned for {BLOCK} columns of tiles", all.join(" and "));
        }
        if let Some(narrow) = self.tiled.last().filter(|it| it.size != self.tiled[0].size) {
            let _ = write!(text, "; where less is there, of {}", tile(narrow).0);
        }
        let _ = write!(text, "; threads from {} steps on; less than a tile goes by rows", MUCH as u64);
        text
    }

    /// All funcs that are scheduled with it.
    pub fn funcs(&self) -> impl Iterator<Item = FuncId> + '_ {
        let tiles = self.tiled.iter().flat_map(|it| it.turned.iter().chain(&it.panels).copied().chain([it.tile]));
        tiles.chain([self.rows, self.result])
    }
}

/// A pipeline whose contractions have accumulators of their own.
pub struct Separated {
    /// The pipeline.
    pub pipeline: Pipeline,
    /// These.
    pub contractions: Vec<Contraction>,
    /// The funcs that nobody reads.
    pub unread: Vec<FuncId>,
}

/// Makes them, in a pipeline some funcs of which are read by nobody.
pub fn separated(pipeline: &Pipeline, unread: &[FuncId], vectors: Vectors) -> Separated {
    let mut made = pipeline.clone();
    let mut unread = unread.to_vec();
    let mut found: Vec<Contraction> = Vec::new();
    let mut before: FxHashMap<FuncId, Vec<FuncId>> = FxHashMap::default();
    for (id, func) in pipeline.numbered_funcs() {
        if unread.contains(&id) {
            continue;
        }
        let Some(shape) = shape(pipeline, id, vectors) else { continue };
        let reader = only_reader(pipeline, &unread, id).filter(|reader| found.iter().all(|other| other.result != *reader));
        let result = reader.unwrap_or(id);
        // Behind all others, until they are put in order.
        let own = before.entry(result).or_default();
        let (mut conditions, mut tiled) = (Vec::new(), Vec::new());
        let much = shape.much(pipeline, id, result);
        for (number, copy) in shape.copies(pipeline, id, result, &much).into_iter().enumerate() {
            let tile = copied(&mut made, func, id, &format!("tile{number}"));
            if copy.is_padded {
                pad(&mut made, tile, &pipeline.ranges[&id][0][1]);
            }
            let across = shape.across.map(|d| made.func(tile).variables[d]).filter(|_| copy.is_packed);
            let panels = across.map_or(Vec::new(), |across| packed(&mut made, tile, across, "panel", is_packable));
            let turned = across.filter(|_| copy.is_turned);
            let turned = turned.map_or(Vec::new(), |across| packed(&mut made, tile, across, "turned", is_turnable));
            own.extend(turned.iter().chain(&panels));
            own.push(tile);
            conditions.push(copy.condition);
            let Copy { size, beside, is_padded, worth, rows_worth, .. } = copy;
            tiled.push(Tiled { tile, size, beside, is_padded, panels, turned, worth, rows_worth });
        }
        let rows = copied(&mut made, func, id, "rows");
        own.push(rows);
        let (at, span) = (made.func(result).stages[0].indices.clone(), func.span);
        let goes_on = Some(made.func(result).stages[0].values[0].clone()).filter(|_| result != id);
        let read = |of: FuncId| Expr::new(ExprKind::Read(Source::Func(of, 0), at.clone()), func.elements[0], span);
        let chosen = |value: &dyn Fn(FuncId) -> Expr| {
            let copies = conditions.iter().zip(&tiled).rev();
            copies.fold(value(rows), |other, (condition, it)| Expr::conditional(condition.clone(), value(it.tile), other))
        };
        let stage = match goes_on {
            Some(value) if is_read_by_choice(&value, id) => {
                let info = VariableInfo { name: func.name.clone(), element: func.elements[0], kind: VariableKind::Let, span };
                let sum = Variable(made.variables.len() as u32);
                made.variables.push(info);
                let value = with_part(&value, &read(id), &Expr::variable(sum, func.elements[0], span));
                Stage { lets: vec![(sum, chosen(&read))], ..Stage::plain(at.clone(), vec![value], span) }
            }
            Some(value) => {
                let value = chosen(&|of| value.with_funcs(&|read| if read == id { of } else { read }));
                Stage::plain(at.clone(), vec![value], span)
            }
            None => Stage::plain(at.clone(), vec![chosen(&read)], span),
        };
        made.funcs[result.0 as usize].stages = vec![stage];
        if result != id {
            unread.push(id);
        }
        let Shape { across, lanes, is_far, .. } = shape;
        found.push(Contraction { result, tiled, rows, across, lanes, is_far, much });
    }
    let order: Vec<FuncId> =
        pipeline.numbered_funcs().flat_map(|(id, _)| before.remove(&id).unwrap_or_default().into_iter().chain([id])).collect();
    let numbers = made.reorder(&order);
    let number = |id: FuncId| numbers[id.0 as usize];
    Separated {
        pipeline: made,
        contractions: found.iter().map(|contraction| contraction.with_funcs(&number)).collect(),
        unread: unread.into_iter().map(number).collect(),
    }
}

/// The func that reads another one once, at the point itself, over the same range: it goes on with its values.
fn only_reader(pipeline: &Pipeline, unread: &[FuncId], id: FuncId) -> Option<FuncId> {
    if pipeline.outputs.contains(&id) {
        return None;
    }
    let (mut count, mut found) = (0, None);
    for (reader, func) in pipeline.numbered_funcs().filter(|(reader, _)| *reader != id && !unread.contains(reader)) {
        func.reads(&mut |source, indices, _| {
            if source.whole() == Source::Func(id, 0) {
                count += 1;
                let is_at_point = indices.iter().map(Expr::as_variable).eq(func.variables.iter().copied().map(Some));
                found = (is_at_point && func.stages.len() == 1 && func.elements.len() == 1).then_some(reader);
            }
        });
    }
    let reader = found.filter(|reader| count == 1 && pipeline.overwritten_by(*reader).is_none())?;
    let (ours, theirs) = (pipeline.ranges.get(&id)?, pipeline.ranges.get(&reader)?);
    let is_same = |a: &[Expr; 2], b: &[Expr; 2]| a.iter().zip(b).all(|(a, b)| difference(a, b) == Some(0));
    ours.iter().zip(theirs).all(|(a, b)| is_same(a, b)).then_some(reader)
}

/// Does a value read a func only where it decides to? Tiles are computed as a whole: what goes on with them reads them in front of that, so
/// that it never asks for a part of one.
fn is_read_by_choice(value: &Expr, id: FuncId) -> bool {
    value.any(&|part| part.decider().is_some() && part.children()[1..].iter().any(|way| way.reads_func(id)))
}

/// What chooses between the accumulators of the copies of a result: its value, or the one that this goes on with.
pub fn choice(result: &Func) -> &Expr {
    let stage = &result.stages[0];
    stage.lets.first().map_or(&stage.values[0], |(_, value)| value)
}

/// Adds a func with the stages of another one, variables of its own, and its name behind that of the other.
pub fn copied(made: &mut Pipeline, func: &Func, id: FuncId, word: &str) -> FuncId {
    let own = FuncId(made.funcs.len() as u32);
    let mut renamed: Vec<(Variable, Variable)> = Vec::new();
    let all = func.variables.iter().copied().chain(func.stages.iter().flat_map(|stage| stage.rdom.iter().map(|r| r.variable)));
    for variable in all.chain(func.stages.iter().flat_map(|stage| stage.lets.iter().map(|(v, _)| *v))) {
        let info: VariableInfo = made.variable(variable).clone();
        renamed.push((variable, Variable(made.variables.len() as u32)));
        made.variables.push(info);
    }
    let new = |v: Variable| renamed.iter().find(|(old, _)| *old == v).map_or(v, |(_, new)| *new);
    let infos = made.variables.clone();
    let change = |e: &Expr| {
        let e = e.substitute(&|v| {
            let found = new(v);
            (found != v).then(|| Expr::variable(found, infos[v.0 as usize].element, e.span()))
        });
        e.with_funcs(&|read| if read == id { own } else { read })
    };
    let mut stages = func.stages.clone();
    for stage in &mut stages {
        stage.change(&change);
        stage.rdom.iter_mut().for_each(|r| {
            r.variable = new(r.variable);
            (r.low, r.high) = (change(&r.low), change(&r.high));
        });
        stage.lets.iter_mut().for_each(|(v, _)| *v = new(*v));
    }
    let variables = func.variables.iter().map(|&v| new(v)).collect();
    made.funcs.push(Func { name: format!("{}.{word}", func.name).into(), variables, stages, ..func.clone() });
    own
}

/// Reads that move with the columns of a tile are 0 behind the last column, so that the tile may reach beyond it.
fn pad(made: &mut Pipeline, tile: FuncId, end: &Expr) {
    let func = made.func(tile).clone();
    let column = Expr::variable(func.variables[0], Element::Int32, func.span);
    let is_there = Expr::compare(CompareOp::Less, column, end.clone());
    made.funcs[tile.0 as usize].stages[1].values = vec![padded(&func.stages[1].values[0], tile, func.variables[0], &is_there)];
}

fn padded(e: &Expr, tile: FuncId, column: Variable, is_there: &Expr) -> Expr {
    if let ExprKind::Read(source, indices) = e.kind()
        && source.whole() != Source::Func(tile, 0)
        && moves(indices, column) != Moves::Not
    {
        let zero = Expr::new(ExprKind::Constant(zero(e.element())), e.element(), e.span());
        return Expr::conditional(is_there.clone(), e.clone(), zero);
    }
    e.with_children(|part| padded(part, tile, column, is_there))
}

/// Copies of what a tile reads where that is asked for, which it reads now: the column or the step of the reduction is dense in them.
fn packed(
    made: &mut Pipeline,
    tile: FuncId,
    across: Variable,
    word: &str,
    is_asked_for: fn(&Func, &[Expr], Variable) -> bool,
) -> Vec<FuncId> {
    let func = made.func(tile).clone();
    let value = &func.stages[1].values[0];
    let mut reads: Vec<Expr> = Vec::new();
    value.walk(&mut |part| {
        if let ExprKind::Read(source, indices) = part.kind()
            && source.whole() != Source::Func(tile, 0)
            && is_asked_for(&func, indices, across)
            && !reads.contains(part)
        {
            reads.push(part.clone());
        }
    });
    let mut replaced = value.clone();
    let mut panels = Vec::new();
    for read in reads {
        let is_mentioned = |v: &Variable| read.mentions(&|known| known == *v);
        let reduced = func.stages[1].rdom.iter().map(|r| r.variable).filter(is_mentioned);
        let others = func.variables[1..].iter().copied().filter(is_mentioned);
        let column = [func.variables[0]].into_iter().filter(is_mentioned);
        let at: Vec<Variable> = column.chain(reduced).chain(others).collect();
        let mut own = Vec::new();
        for &v in &at {
            let info = VariableInfo { kind: VariableKind::Pure, ..made.variable(v).clone() };
            own.push(Variable(made.variables.len() as u32));
            made.variables.push(info);
        }
        let span = read.span();
        let int = |v: &Variable| Expr::variable(*v, Element::Int32, span);
        let value = read.substitute(&|v| at.iter().position(|known| *known == v).map(|k| int(&own[k])));
        let id = FuncId(made.funcs.len() as u32);
        made.funcs.push(Func {
            name: format!("{}.{word}{}", func.name, panels.len()).into(),
            stages: vec![Stage::plain(own.iter().map(int).collect(), vec![value], span)],
            variables: own,
            elements: vec![read.element()],
            is_inline_reduction: false,
            is_partial: false,
            span,
        });
        let panel = Expr::new(ExprKind::Read(Source::Func(id, 0), at.iter().map(int).collect()), read.element(), span);
        replaced = with_part(&replaced, &read, &panel);
        panels.push(id);
    }
    made.funcs[tile.0 as usize].stages[1].values = vec![replaced];
    panels
}

/// An expression with one in the place of a part.
fn with_part(e: &Expr, part: &Expr, by: &Expr) -> Expr {
    if e == part { by.clone() } else { e.with_children(|child| with_part(child, part, by)) }
}

/// Is what is read used again along the other dimension of a tile, in each step of the reduction something else, and does it lie such
/// that a panel is worth its while?
fn is_packable(func: &Func, indices: &[Expr], across: Variable) -> bool {
    let mentions = |v: Variable| indices.iter().any(|index| index.mentions(&|known| known == v));
    let is_step = func.stages[1].rdom.iter().any(|r| mentions(r.variable));
    is_step
        && !mentions(across)
        && match moves(indices, func.variables[0]) {
            Moves::Not => false,
            // Sums of indices read what lies side by side.
            Moves::Dense => indices.iter().all(|index| index.as_variable().is_some()),
            Moves::Far => true,
        }
}

/// Is what is read the same in all columns, dense along the other dimension of a tile, and in each step of the reduction somewhere else?
fn is_turnable(func: &Func, indices: &[Expr], across: Variable) -> bool {
    let is_step = |index: &Expr| func.stages[1].rdom.iter().any(|r| index.mentions(&|v| v == r.variable));
    moves(indices, func.variables[0]) == Moves::Not
        && indices.first().is_some_and(|index| index.as_variable() == Some(across))
        && indices[1..].iter().any(is_step)
}

/// How a variable moves through the dense dimension of a read.
#[derive(Clone, Copy, PartialEq)]
pub enum Moves {
    /// Not at all.
    Not,
    /// To the neighbour.
    Dense,
    /// To somewhere else.
    Far,
}

/// How a read moves with a variable.
pub fn moves(indices: &[Expr], variable: Variable) -> Moves {
    let mut found = Moves::Not;
    for (d, index) in indices.iter().enumerate() {
        if !index.mentions(&|v| v == variable) {
            continue;
        }
        let sum = linear(index);
        let is_step = sum.terms.iter().any(|(atom, factor)| atom.as_variable() == Some(variable) && *factor == 1);
        let is_only = sum.terms.iter().filter(|(atom, _)| atom.mentions(&|v| v == variable)).count() == 1;
        found = if d == 0 && is_step && is_only && found == Moves::Not { Moves::Dense } else { Moves::Far };
    }
    found
}

/// A func that is a contraction.
struct Shape {
    /// The dimension along which accumulators are used again, if there is one.
    across: Option<usize>,
    /// How many columns and rows a tile has.
    size: [u64; 2],
    /// How many lanes a vector has.
    lanes: u8,
    /// How many rows are worth a panel, if there may be one.
    least_rows: Option<u64>,
    /// Are there lanes that would be read one by one without?
    is_far: bool,
    /// Are there steps of the reduction that lie apart?
    is_turnable: bool,
    /// Are rows added to one another?
    adds_rows: bool,
}

/// A copy to be made.
struct Copy {
    condition: Expr,
    size: [u64; 2],
    beside: u64,
    is_padded: bool,
    is_packed: bool,
    is_turned: bool,
    worth: Option<Expr>,
    rows_worth: Option<Expr>,
}

impl Shape {
    /// Threads are worth their while where there is much to do.
    fn much(&self, pipeline: &Pipeline, id: FuncId, result: FuncId) -> Expr {
        let span = pipeline.func(id).span;
        let extents = pipeline.ranges[&result].iter().map(|[begin, end]| minus(end, begin));
        let extents = extents.chain(pipeline.func(id).stages[1].rdom.iter().map(|r| minus(&r.high, &r.low)));
        let count = extents.map(|extent| extent.converted(Element::Double));
        let count = count.reduce(|a, b| Expr::binary(BinaryOp::Multiply, a, b)).expect("dimensions");
        let least = Expr::new(ExprKind::Constant(Constant::Float(MUCH)), Element::Double, span);
        Expr::compare(CompareOp::GreaterEqual, count, least)
    }

    /// The copies that have tiles, and when they are chosen: the most special one first.
    fn copies(&self, pipeline: &Pipeline, id: FuncId, result: FuncId, much: &Expr) -> Vec<Copy> {
        if self.adds_rows {
            return Vec::new();
        }
        let span = pipeline.func(id).span;
        let window = &pipeline.ranges[&result];
        let and = |a: Expr, b: Expr| Expr::new(ExprKind::And(a, b), Element::Bool, span);
        let has = |d: usize, least: u64| {
            let [begin, end] = &window[d];
            Expr::compare(CompareOp::GreaterEqual, minus(end, begin), Expr::int(least as i64, span))
        };
        let [columns, rows] = self.size;
        let has_rows = |least: u64| match self.across {
            Some(d) => and(has(0, columns), has(d, least)),
            None => has(0, columns),
        };
        let copy = |condition: Expr, is_packed| Copy {
            condition,
            size: self.size,
            beside: 1,
            is_padded: false,
            is_packed,
            is_turned: false,
            worth: Some(much.clone()),
            rows_worth: None,
        };
        let mut made = Vec::new();
        if let Some(least) = self.least_rows {
            let beside = (WIDE / columns).max(1);
            let tiles = if self.is_turnable { COLUMNS_OF_TURNED.max(beside) } else { beside };
            let condition = and(and(has_rows(least), has(0, tiles * columns)), much.clone());
            // Other dimensions are shared among threads as a whole.
            let has_others = window.len() > 2;
            let has_panels = has(0, PANELS * beside * columns);
            let few = has_panels.clone().negated();
            let [worth, rows_worth] = [has_panels, few].map(|condition| Some(condition).filter(|_| !has_others));
            made.push(Copy { beside, is_turned: self.is_turnable, worth, rows_worth, ..copy(condition, true) });
        }
        match self.least_rows.filter(|_| self.is_far) {
            Some(least) => made.push(copy(has_rows(least), true)),
            None => made.push(copy(has_rows(rows), false)),
        }
        // One vector of columns, of which some may be too many where nothing has to be packed for it.
        if let Some(d) = self.across {
            let (lanes, is_padded) = (u64::from(self.lanes), !self.is_far);
            let size = [lanes, NARROW];
            let condition = match is_padded {
                true => has(d, NARROW),
                false => and(has(0, lanes), has(d, TILES_OF_FAR * NARROW)),
            };
            made.push(Copy { size, is_padded, ..copy(condition, self.is_far) });
        }
        made
    }
}

/// Is a func a contraction that has tiles?
pub fn is_contraction(pipeline: &Pipeline, id: FuncId, vectors: Vectors) -> bool {
    shape(pipeline, id, vectors).is_some()
}

/// What a func is as a contraction.
fn shape(pipeline: &Pipeline, id: FuncId, vectors: Vectors) -> Option<Shape> {
    let func = pipeline.func(id);
    let is_right = pipeline.notation == Notation::Tensors
        && pipeline.ranges.contains_key(&id)
        && pipeline.overwritten_by(id).is_none()
        && func.stages.len() == 2
        && !func.variables.is_empty();
    if !is_right || associative::check(pipeline, StageName { func: id, case: 0, stage: 1 }).is_err() {
        return None;
    }
    let stage = &func.stages[1];
    let pure = (0..func.variables.len()).all(|d| stage.is_pure_dimension(&func.variables, d));
    let (_, value) = associative::combination(id, &stage.indices, &stage.values[0])?;
    if !pure || !stage.lets.is_empty() || stage.predicate.is_some() || value.size() > LARGEST || value.decider().is_some() {
        return None;
    }
    // All reads but that of the accumulator.
    let mut reads: Vec<Vec<Expr>> = Vec::new();
    value.reads(&mut |_, indices, _| reads.push(indices.to_vec()));
    let along: Vec<Moves> = reads.iter().map(|indices| moves(indices, func.variables[0])).collect();
    let mentions = |indices: &[Expr], v: Variable| indices.iter().any(|index| index.mentions(&|known| known == v));
    let moving = || reads.iter().zip(&along).filter(|(_, along)| **along != Moves::Not).map(|(indices, _)| indices);
    let is_far = along.contains(&Moves::Far);
    moving().next()?;
    let is_used_again = |d: &usize| {
        let mut again = moving().map(|indices| !mentions(indices, func.variables[*d]));
        if is_far { again.all(|it| it) } else { again.any(|it| it) }
    };
    let across = (1..func.variables.len()).find(is_used_again);
    // What a condition keeps inside is not read beside it.
    let is_free = !value.any(&|part| part.decider().is_some());
    let packable = |indices: &&Vec<Expr>| is_free && across.is_some_and(|d| is_packable(func, indices, func.variables[d]));
    if is_far && !moving().all(|indices| packable(&indices) || moves(indices, func.variables[0]) == Moves::Dense) {
        return None;
    }
    let lanes = lanes(pipeline, stage, &func.elements, vectors);
    // Three quarters of the registers hold accumulators, two columns of them; the others are for operands.
    let rows = across.map_or(1, |_| u64::from(vectors.count) * 3 / 8);
    let columns = if across.is_some() { 2 } else { 4 };
    let tiles = if is_far { TILES_OF_FAR } else { TILES_OF_DENSE };
    let least_rows = moving().any(|indices| packable(&indices)).then_some(tiles * rows);
    let is_turnable = is_free && across.is_some_and(|d| reads.iter().any(|read| is_turnable(func, read, func.variables[d])));
    let adds_rows = across.is_none() && !is_far && is_free && added_rows(func, &reads);
    Some(Shape { across, size: [columns * u64::from(lanes), rows], lanes, least_rows, is_far, is_turnable, adds_rows })
}
