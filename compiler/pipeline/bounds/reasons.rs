//! Why a pipeline does not start: messages, and the numbers in them.
//!
//! ```text
//! input `in` is read from % to % in dimension 0 (`in(x - 1)`), and has % to %             -1, 62, 0, 63
//! index overflow: `(4 * x)` in `((4 * x) / 4)`, at which `f` reads dimension 0 of input `in`, is from % to %, …
//! ```

use super::super::expr::{Expr, FuncId, Source, Variable};
use super::super::limits::FAR;
use super::super::loops::check::{Check, Subject};
use super::super::loops::ir::BoundKind;
use super::super::loops::lower::memory_window;
use super::super::loops::print;
use super::super::simplify::offset;
use super::infer::Windows;
use super::overflow::{Operands, Reach};
use crate::typed::ir::BinaryOp;
use crate::types::Element;

/// A start check with its reason.
pub fn checked(windows: &Windows, condition: Expr, subject: Subject) -> Check {
    let (reason, numbers) = reason(windows, subject);
    Check { condition, subject, reason, numbers }
}

/// A text with a % for each number, and these.
fn reason(windows: &Windows, subject: Subject) -> (String, Vec<Expr>) {
    let nest = &windows.nest;
    let pipeline = &nest.pipeline;
    let name = |id: FuncId| &pipeline.func(id).name;
    let int = |v: Variable| Expr::variable(v, Element::Int32, pipeline.span);
    let last = |min: &Expr, length: &Expr| offset(&Expr::binary(BinaryOp::Add, min.clone(), length.clone()), -1);
    match subject {
        Subject::Extent(func, d) => {
            let extent = requested(windows, func, d)[1].clone();
            (format!("the extent of output `{}` in dimension {d} is %", name(func)), vec![extent])
        }
        Subject::Factor(number) => {
            let condition = escaped(&print::expression(nest, &nest.factors[number]));
            (format!("the factor of a split is less than 1: `{condition}` does not hold"), Vec::new())
        }
        Subject::Fit(number) => {
            let fit = &nest.fits[number];
            let (tail, needs) = if fit.is_shift { ("shift", "% or more") } else { ("round", "a multiple of %") };
            let (variable, output) = (nest.name(fit.variable), name(fit.func));
            let text = format!("loop `{variable}` of output `{output}` has % iterations; `{tail}` needs {needs}");
            (text, vec![fit.length.clone(), fit.factor.clone()])
        }
        Subject::Modulus(number) => {
            let bound = &nest.bounds[number];
            let BoundKind::Aligned { modulus, .. } = &bound.kind else { unreachable!("a modulus") };
            let directive = escaped(&bound.text);
            let text = format!("the modulus of `{directive}` of `{}` is %, and less than 1", name(bound.func));
            (text, vec![modulus.clone()])
        }
        Subject::Bound(number) => failed_bound(windows, number),
        Subject::Fold(id) => {
            let fold = nest.fold(id).expect("a folded func");
            let text = format!("the storage of `{}` is folded by %; it needs a power of two from {}", name(id), fold.least);
            (text, vec![fold.factor.clone()])
        }
        Subject::ReductionDomain(func, stage, variable) => {
            let variable_name = &pipeline.variable(variable).name;
            let text =
                format!("the range of reduction variable `{variable_name}` of `{}` is % .. %, which is negative", name(func));
            (text, domain(windows, func, stage, variable))
        }
        Subject::Input(id, d) => {
            let input = pipeline.input(id);
            let ends = windows.inputs[id.0 as usize][d].map(int);
            let (min, extent) = (int(input.dimensions[d].min), int(input.dimensions[d].extent));
            let reads = escaped(&windows.reads[id.0 as usize][d].join(", "));
            let text = format!("input `{}` is read from % to % in dimension {d} ({reads}), and has % to %", input.name);
            (text, ends.into_iter().chain([min.clone(), last(&min, &extent)]).collect())
        }
        Subject::Output(func, d) => {
            let ([min, extent], [low, length]) = (requested(windows, func, d), memory_window(nest, func, d));
            let bound = nest.bounds.iter().find(|bound| bound.func == func && bound.dimension == d);
            let why = match bound {
                Some(bound) => format!("by `{}`", escaped(&bound.text)),
                None => "since its schedule rounds up or its readers need it".to_owned(),
            };
            let text = format!("output `{}` is stored from % to % in dimension {d}, {why}, and has % to %", name(func));
            (text, vec![low.clone(), last(&low, &length), min.clone(), last(&min, &extent)])
        }
        Subject::Overlap(output, input) => {
            let input = &pipeline.input(input).name;
            (format!("output `{}` and input `{input}` have memory in common", name(output)), Vec::new())
        }
        Subject::OutputOverlap(a, b) => {
            (format!("the outputs `{}` and `{}` have memory in common", name(a), name(b)), Vec::new())
        }
        Subject::Component(func, component) => {
            (format!("the windows of the outputs `{0}.0` and `{0}.{component}` differ", name(func)), Vec::new())
        }
        Subject::Elements(func) => {
            let text = format!("func `{}` is read at computed places, and has more elements than 2147483647 there", name(func));
            (text, Vec::new())
        }
        Subject::Range(func, d) => (format!("the window of `{}` in dimension {d} is too far from 0", name(func)), Vec::new()),
        Subject::Reach(number) => {
            let Reach { func, dimension, ends } = &windows.reaches[number];
            let text = format!(
                "index overflow: `{}` is computed from % to % in dimension {dimension}, and may be from -{FAR} to {FAR}",
                name(*func)
            );
            (text, ends.map(int).to_vec())
        }
        Subject::DomainRange(func, stage, variable) => {
            let subject = format!("the range of reduction variable `{}` of `{}`", pipeline.variable(variable).name, name(func));
            let text = format!("index overflow: {subject} is % .. %, and may be within -{FAR} .. {FAR}");
            (text, domain(windows, func, stage, variable))
        }
        Subject::Operands(number) => {
            let what = escaped(&overflowing(windows, number));
            let text = format!("index overflow: {what} is from % to %, and `int` from {} to {}", i32::MIN, i32::MAX);
            (text, windows.operands[number].ends.map(int).to_vec())
        }
    }
}

/// The text of a subject that has no numbers, which is about memory of the caller or the number of elements of a func.
pub fn plain_reason(windows: &Windows, subject: Subject) -> String {
    let (text, numbers) = reason(windows, subject);
    debug_assert!(numbers.is_empty(), "a subject without numbers");
    text
}

/// Text in which no number stands for a `%`.
fn escaped(text: &str) -> String {
    text.replace('%', "%%")
}

/// Minimum and extent of what the caller asks of an output in a dimension.
fn requested(windows: &Windows, func: FuncId, dimension: usize) -> [Expr; 2] {
    let output = windows.outputs.iter().find(|output| output.func == func).expect("an output");
    output.window[dimension].map(|v| Expr::variable(v, Element::Int32, windows.nest.pipeline.span))
}

/// The ends of a reduction variable.
fn domain(windows: &Windows, func: FuncId, stage: usize, variable: Variable) -> Vec<Expr> {
    let rdom = &windows.nest.pipeline.func(func).stages[stage].rdom;
    let r = rdom.iter().find(|r| r.variable == variable).expect("a reduction variable");
    vec![r.low.clone(), r.high.clone()]
}

/// What is needed of a func is not what the schedule asserts.
fn failed_bound(windows: &Windows, number: usize) -> (String, Vec<Expr>) {
    let (nest, need) = (&windows.nest, &windows.bounds[number]);
    let bound = &nest.bounds[number];
    let func = &nest.pipeline.func(bound.func).name;
    let needed = need.variables.iter().map(|&v| Expr::variable(v, Element::Int32, nest.pipeline.span));
    let readers = match need.readers.is_empty() {
        true => String::new(),
        false => format!(" ({})", escaped(&need.readers.join(", "))),
    };
    let subject = format!("failed bound `{}`: func `{func}` is needed", escaped(&bound.text));
    let dimension = bound.dimension;
    match &bound.kind {
        BoundKind::Window { min, length } => {
            let text = format!("{subject} from % to % in dimension {dimension}{readers}, and given % to %");
            let last = offset(&Expr::binary(BinaryOp::Add, min.clone(), length.clone()), -1);
            (text, needed.chain([min.clone(), last]).collect())
        }
        BoundKind::Extent(length) => {
            let text = format!("{subject} over % coordinates in dimension {dimension}{readers}, and given %");
            (text, needed.chain([length.clone()]).collect())
        }
        BoundKind::Aligned { .. } => unreachable!("an alignment always holds"),
    }
}

/// Operands that leave `int`, and the access that needs them.
fn overflowing(windows: &Windows, number: usize) -> String {
    let pipeline = &windows.nest.pipeline;
    let Operands { func, index, texts, .. } = &windows.operands[number];
    let name = |id: FuncId| format!("`{}`", pipeline.func(id).name);
    let reader = func.map_or("the schedule".to_owned(), name);
    let texts: Vec<String> = texts
        .iter()
        .map(|[whole, operand]| if whole == operand { format!("`{operand}`") } else { format!("`{operand}` in `{whole}`") })
        .collect();
    let texts = texts.join(", ");
    match index {
        None => format!("{texts}, which decides in {reader},"),
        Some((Source::Func(stored, _), d)) if Some(*stored) == *func => format!("{texts}, dimension {d} of {reader},"),
        Some((source, d)) => {
            let source = match source {
                Source::Func(id, _) => format!("func {}", name(*id)),
                Source::Input(id) => format!("input `{}`", pipeline.input(*id).name),
            };
            format!("{texts}, at which {reader} reads dimension {d} of {source},")
        }
    }
}
