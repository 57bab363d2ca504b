//! On what a schedule is drawn: windows of outputs, and what inputs have to begin with.
//!
//! ```text
//! def mean(float(N, D) X) -> (m) { m(n) +=! X(n, d) }      X: 16 × 16, and so m: 0 .. 16
//! --window n=0..20                                         N is 20
//! ```
//! Outputs of pipelines have any window. Those of a definition have the one that follows from its sizes, which the tensors that are passed
//! agree on: each takes what its parameters ask for, and else few elements.

use super::super::algorithm::{Notation, Pipeline};
use super::super::evaluate::{Arguments, Image, startup};
use super::super::expr::{Expr, ExprKind, Variable};
use super::super::value::{Known, evaluate};
use crate::typed::interpret::scalar;
use crate::typed::ir::{CompareOp, Program};
use crate::types::Element;

/// For each dimension first coordinate and extent.
pub type Window = Vec<(i64, i64)>;

/// First coordinate and extent in each dimension of an output, where something is asked for.
pub type Asked = Vec<Option<(i64, i64)>>;

/// The extent of the dimensions in which things are drawn.
const DRAWN: i64 = 16;

/// The extent of other ones.
const OTHERS: i64 = 3;

/// The extent of inputs of pipelines where no output has a dimension for it.
const OF_INPUTS: i64 = 4;

/// So often sizes are made to agree: a size follows from another one, and that from a third one at most.
const ROUNDS: usize = 8;

/// Windows of outputs and of inputs, the latter to begin with.
pub struct Sizes {
    /// Of each output.
    pub outputs: Vec<Window>,
    /// Of each input.
    pub inputs: Vec<Window>,
}

/// Windows for what is asked for; that is what some outputs are to have.
pub fn sizes(pipeline: &Pipeline, program: &Program, scalars: &[u64], asked: &[Asked]) -> Sizes {
    match pipeline.notation {
        Notation::Pipeline => {
            let extent = |d: usize| if d < 2 { DRAWN } else { OTHERS };
            let window = |asked: &Asked| asked.iter().enumerate().map(|(d, asked)| asked.unwrap_or((0, extent(d)))).collect();
            let outputs: Vec<Window> = asked.iter().map(window).collect();
            let first = outputs.first().cloned().unwrap_or_default();
            let ranks = pipeline.inputs.iter().map(|input| input.dimensions.len());
            let like_first = |rank: usize| (0..rank).map(|d| first.get(d).copied().unwrap_or((0, OF_INPUTS))).collect();
            let inputs = ranks.map(like_first).collect();
            Sizes { outputs, inputs }
        }
        Notation::Tensors => of_definition(pipeline, program, scalars, asked),
    }
}

fn of_definition(pipeline: &Pipeline, program: &Program, scalars: &[u64], asked: &[Asked]) -> Sizes {
    // Images have many dimensions and are large in two; what they are folded with is small.
    let extent = |k: usize, rank: usize, d: usize| if d < 2 && (k == 0 || rank < 3) { DRAWN } else { OTHERS };
    let first = |(k, rank): (usize, usize)| -> Window { (0..rank).map(|d| (0, extent(k, rank, d))).collect() };
    let mut inputs: Vec<Window> = pipeline.inputs.iter().map(|input| input.dimensions.len()).enumerate().map(first).collect();
    let place = |v: Variable| {
        let of = |(k, d): (usize, usize)| (pipeline.inputs[k].dimensions[d].extent == v).then_some((k, d));
        pipeline.inputs.iter().enumerate().flat_map(|(k, input)| (0..input.dimensions.len()).map(move |d| (k, d))).find_map(of)
    };
    let ranges = || pipeline.outputs.iter().map(|output| &pipeline.ranges[output]);
    for ([_, end], asked) in ranges().zip(asked).flat_map(|(range, asked)| range.iter().zip(asked)) {
        if let (Some((k, d)), Some((0, extent))) = (end.as_variable().and_then(place), asked) {
            inputs[k][d].1 = *extent;
        }
    }
    let values = |inputs: &[Window]| {
        let images = pipeline.inputs.iter().zip(inputs).map(|(input, window)| pattern(pipeline.notation, input.element, window));
        let arguments = Arguments { inputs: images.collect(), scalars: scalars.to_vec() };
        let mut known = Known { program, variables: startup(pipeline, program, &arguments) };
        move |e: &Expr| evaluate(e, &mut known).bits().map(|bits| scalar::integer(Element::Int32, bits) as i64)
    };
    for _ in 0..ROUNDS {
        let mut value = values(&inputs);
        let mut agree = true;
        for requirement in &pipeline.requirements {
            let ExprKind::Compare(CompareOp::Equal, a, b) = requirement.condition.kind() else { continue };
            let sides = [(a, b), (b, a)];
            let found = sides.into_iter().find_map(|(a, b)| Some((a.as_variable().and_then(place)?, value(b)?)));
            let Some(((k, d), wanted)) = found.filter(|((k, d), wanted)| inputs[*k][*d].1 != *wanted) else { continue };
            (inputs[k][d].1, agree) = (wanted, false);
        }
        if agree {
            break;
        }
    }
    let mut value = values(&inputs);
    let outputs = ranges().zip(asked).map(|(range, asked)| {
        let window = |([begin, end], asked): (&[Expr; 2], &Option<(i64, i64)>)| {
            let [begin, end] = [begin, end].map(|e| value(e).unwrap_or(0));
            asked.unwrap_or((begin, end - begin))
        };
        range.iter().zip(asked).map(window).collect()
    });
    Sizes { outputs: outputs.collect(), inputs }
}

/// An image of different pixels. Whole numbers of definitions may be indices of small tensors.
pub fn pattern(notation: Notation, element: Element, window: &Window) -> Image {
    let mut image = Image::new(element, window.clone());
    let weights = [37, 11, 101, 7];
    let number = |point: &[i64]| point.iter().zip(weights).map(|(&c, weight)| c * weight).sum::<i64>().rem_euclid(127);
    let pixel = |point: Vec<i64>| match element {
        Element::Float16 => ivl::Float16::from_f64(number(&point) as f64 / 127.0).to_bits().into(),
        Element::Float => u64::from((number(&point) as f32 / 127.0).to_bits()),
        Element::Double => (number(&point) as f64 / 127.0).to_bits(),
        Element::Bool => number(&point) as u64 & 1,
        _ if notation == Notation::Tensors => scalar::wrapped(element, (number(&point) % 3).into()),
        _ => scalar::wrapped(element, number(&point).into()),
    };
    image.pixels = image.points().into_iter().map(pixel).collect();
    image
}
