//! Images whose channels lie side by side, as pixels of RGB do: which the automatic schedule has loops for, besides planes.
//!
//! ```text
//! out(x, y, c) = 255 - in(x, y, c);        where out.stride(x) == 3 && out.stride(c) == 1 && out.extent(c) == 3 && …, as are those of in:
//!                                          out.split(c, c.o, c.i, 3, shift).reorder(c.i, x, c.o, y).vectorize(x, 16).unroll(c.i)
//! ```
//! There and where the channel is the first index of all, dimension 0 in vectors would be lanes that lie apart, or of which few are on. All channels of
//! a vector of pixels are taken together, so that what is loaded and stored is whole vectors, whose lanes are shuffled.
//!
//! Only accesses count. A dimension can be that of channels, the last one or the first of three, where all that is read has there a constant or a variable by itself;
//! a constant there, in reads of inputs or in comparisons, says that it is. What has indices that are computed from data is no picture.

use super::super::algorithm::{Func, Notation, Pipeline};
use super::super::expr::{Expr, ExprKind, FuncId, Source, Variable};
use super::super::loops::ir::{Nest, Order, OutputWindow, StageName};
use super::super::simplify::constant_value;
use super::lanes::{InVectors, Vectors, lanes};
use super::state::Scheduler;
use super::target::Tail;
use crate::typed::ir::{CompareOp, Constant};
use crate::types::Element;

/// How many dimensions a picture with channels has.
const RANK: usize = 3;
/// The numbers of channels that there are copies for.
const COUNTS: [i64; 2] = [3, 4];

/// The name of the loops over lanes, in all copies: what is computed there is computed in each of them.
pub const LANES: &str = "lanes";

/// How the channels of the views of a pipeline lie.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Which dimension they are.
    channel: usize,
    /// How many there are.
    count: i64,
    /// Holds where the views are so.
    pub condition: Expr,
}

/// What the accesses of a func or an input say of its dimensions.
#[derive(Clone, Debug)]
struct Evidence {
    source: Source,
    /// May it be the dimension of channels?
    can_be: [bool; RANK],
    /// The greatest constant there, if there is one.
    constants: [Option<i64>; RANK],
    /// Does a definition choose by it?
    is_chosen: [bool; RANK],
    /// Is an index computed from data?
    is_table: bool,
}

impl Evidence {
    /// Is it of a func? Of views these are the outputs.
    fn is_output(&self) -> bool {
        matches!(self.source, Source::Func(..))
    }

    fn index(&mut self, d: usize, index: &Expr) {
        match constant_value(index) {
            Some(n) => self.constant(d, n),
            None => self.can_be[d] &= index.as_variable().is_some(),
        }
        self.is_table |= index.reads_or_calls();
    }

    fn constant(&mut self, d: usize, n: i64) {
        self.constants[d] = self.constants[d].max(Some(n));
        self.can_be[d] &= n >= 0;
    }
}

/// The layouts that there are copies for: none where nothing looks like a picture with channels.
pub fn layouts(nest: &Nest) -> Vec<Layout> {
    let pipeline = &nest.pipeline;
    if pipeline.notation != Notation::Pipeline {
        return Vec::new();
    }
    let all = evidence(pipeline);
    let is_view = |it: &&Evidence| match it.source {
        Source::Input(input) => pipeline.overwrites(input).is_none(),
        Source::Func(id, _) => is_plain_output(pipeline, id),
    };
    let views: Vec<&Evidence> = all.iter().filter(is_view).filter(|it| !it.is_table).collect();
    let has_output = views.iter().any(|it| it.is_output());
    let ends = [RANK - 1, 0].into_iter().filter(|&d| all.iter().all(|it| it.is_table || it.can_be[d]));
    let ends: Vec<usize> = ends.collect();
    let is_said = |d: &usize| views.iter().any(|it| it.constants[*d].is_some());
    let said: Vec<usize> = ends.iter().copied().filter(is_said).collect();
    let ends = match (said.is_empty(), has_output) {
        (false, _) => said,
        (true, true) => ends,
        (true, false) => Vec::new(),
    };
    let mut made = Vec::new();
    for (channel, count) in ends.into_iter().flat_map(|d| COUNTS.map(|count| (d, count))) {
        let fits = views.iter().all(|it| it.constants[channel].is_none_or(|n| n < count));
        // What is said of all channels but the last one says how many there are.
        let is_known = |it: &&&Evidence| it.is_chosen[channel] && it.constants[channel].is_some_and(|n| n + 2 < count);
        if !fits || views.iter().any(|it| is_known(&it)) {
            continue;
        }
        for [outputs, inputs] in mixtures(channel, &views) {
            let all = views.iter().flat_map(|it| {
                let places = if it.is_output() { outputs } else { inputs };
                conditions(nest, it.source, channel, count, places)
            });
            made.extend(all.reduce(|a, b| and(pipeline, a, b)).map(|condition| Layout { channel, count, condition }));
        }
        // Planes of which each has a definition of its own share what they read.
        let outputs = || views.iter().filter(|it| it.is_output());
        if channel > 0 && outputs().any(|it| it.is_chosen[channel]) {
            let planes = outputs().flat_map(|it| conditions(nest, it.source, channel, count, Places::Planes));
            made.extend(planes.reduce(|a, b| and(pipeline, a, b)).map(|condition| Layout { channel, count, condition }));
        }
    }
    made
}

/// Where the channels of outputs and of inputs may be together: side by side somewhere. What turns planes into pixels, or pixels into planes, has them in two ways.
fn mixtures(channel: usize, views: &[&Evidence]) -> Vec<[Places; 2]> {
    let has_both = views.iter().any(|it| it.is_output()) && views.iter().any(|it| !it.is_output());
    let mut made = vec![[Places::SideBySide; 2]];
    if channel > 0 && has_both {
        made.extend([[Places::SideBySide, Places::Planes], [Places::Planes, Places::SideBySide]]);
    }
    made
}

/// What all reads and definitions say.
fn evidence(pipeline: &Pipeline) -> Vec<Evidence> {
    let none =
        |source| Evidence { source, can_be: [true; RANK], constants: [None; RANK], is_chosen: [false; RANK], is_table: false };
    let funcs = pipeline.numbered_funcs().map(|(id, _)| Source::Func(id, 0));
    let inputs = pipeline.strides().filter(|(_, d, _)| *d == 0).map(|(id, ..)| Source::Input(id));
    let mut all: Vec<Evidence> = funcs.chain(inputs).filter(|&source| pipeline.rank(source) == RANK).map(none).collect();
    for (id, func) in pipeline.numbered_funcs() {
        func.reads(&mut |source, indices, _| {
            if let Some(it) = all.iter_mut().find(|it| it.source == source.whole()) {
                indices.iter().enumerate().for_each(|(d, index)| it.index(d, index));
            }
        });
        if let Some(it) = all.iter_mut().find(|it| it.source == Source::Func(id, 0)) {
            compared(func, it);
        }
    }
    all
}

/// What comparisons of a func's own variables say.
fn compared(func: &Func, it: &mut Evidence) {
    let place = |e: &Expr| e.as_variable().and_then(|v| func.variables.iter().position(|&own| own == v));
    for e in func.stages.iter().flat_map(|stage| stage.expressions()) {
        e.walk(&mut |part| {
            if let ExprKind::Compare(CompareOp::Equal | CompareOp::NotEqual, a, b) = part.kind()
                && let Some((d, n)) = place(a).zip(constant_value(b))
            {
                it.constant(d, n);
                it.is_chosen[d] = true;
            }
        });
    }
}

/// Is it an output in memory that has nothing else?
fn is_plain_output(pipeline: &Pipeline, id: FuncId) -> bool {
    pipeline.outputs.contains(&id) && pipeline.func(id).elements.len() == 1 && pipeline.overwritten_by(id).is_none()
}

/// Where channels are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Places {
    /// Those of a pixel lie side by side.
    SideBySide,
    /// Each has a plane.
    Planes,
}

/// What is asked of the numbers of a view.
fn conditions(nest: &Nest, source: Source, channel: usize, count: i64, places: Places) -> Vec<Expr> {
    let (min, strides): (Variable, Vec<Variable>) = match source {
        Source::Input(input) => {
            let dimensions = &nest.pipeline.input(input).dimensions;
            (dimensions[channel].min, dimensions.iter().map(|d| d.stride).collect())
        }
        Source::Func(id, _) => {
            let request = requested(nest, id);
            (request.window[channel][0], request.strides.clone())
        }
    };
    let next = if channel == 0 { 1 } else { 0 };
    let mut made = match places {
        Places::SideBySide => vec![equal(nest, strides[next], count), equal(nest, strides[channel], 1)],
        Places::Planes => vec![equal(nest, strides[next], 1)],
    };
    made.push(equal(nest, min, 0));
    if let Source::Func(id, _) = source {
        made.push(equal(nest, requested(nest, id).window[channel][1], count));
    }
    made
}

fn requested(nest: &Nest, id: FuncId) -> &OutputWindow {
    nest.requests.iter().find(|request| request.func == id).expect("an output")
}

/// Both conditions.
pub fn and(pipeline: &Pipeline, a: Expr, b: Expr) -> Expr {
    Expr::new(ExprKind::And(a, b), Element::Bool, pipeline.span)
}

/// A number that is known at startup is this one.
pub fn equal(nest: &Nest, variable: Variable, n: i64) -> Expr {
    let (element, span) = (nest.element(variable), nest.pipeline.span);
    let value = Expr::new(ExprKind::Constant(Constant::Int(n as u64)), element, span);
    Expr::compare(CompareOp::Equal, Expr::variable(variable, element, span), value)
}

/// May a func have copies for layouts?
pub fn has_copies(pipeline: &Pipeline, id: FuncId) -> bool {
    let func = pipeline.func(id);
    let is_pure = |stage: usize| (0..RANK).all(|d| func.stages[stage].is_pure_dimension(&func.variables, d));
    is_plain_output(pipeline, id) && func.variables.len() == RANK && func.stages.len() == 1 && is_pure(0)
}

impl Scheduler<'_> {
    /// The loops of a copy for a layout: vectors of pixels, with all channels of each.
    pub fn in_channels(&mut self, name: StageName, layout: &Layout, registers: u8, vectors: Vectors) -> Option<InVectors> {
        let pipeline = self.nest.pipeline.clone();
        let func = pipeline.func(name.func);
        let span = func.span;
        let channel = func.variables[layout.channel];
        let mut others = func.variables.iter().copied().filter(|&v| v != channel);
        let dimension = others.next()?;
        let (outer, inner) = (format!("{}.o", self.nest.name(channel)), format!("{}.i", self.nest.name(channel)));
        self.nest.roomy.push((name.func, name.case));
        let (outer, inner) = self.split(name, channel, (&outer, &inner), Expr::int(layout.count, span), Tail::Shift, span)?;
        let order: Vec<_> = [inner, dimension, outer].into_iter().chain(others).collect();
        self.reorder(name, &order, span);
        let lanes = (registers * lanes(&pipeline, &func.stages[name.stage], &func.elements, vectors)).min(64);
        let made = self.blocks_of_lanes(name, dimension, lanes, Some(LANES));
        self.mark(name, inner, Order::Unrolled);
        made
    }
}
