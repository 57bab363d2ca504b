//! The start checks of a schedule: what must hold of its windows, its startup expressions and its outputs, and why a pipeline does
//! not start, with a % for each number.
//!
//! ```text
//! input `in` is read from % to % in dimension 0 (`in(x - 1)`), and has % to %             -1, 62, 0, 63
//! index overflow: `(4 * x)` in `((4 * x) / 4)`, at which `f` reads dimension 0 of input `in`, is from % to %, …
//! ```

use super::super::algorithm::{Pipeline, ReductionVariable, Requirement};
use super::super::expr::{Expr, ExprKind, FuncId, InputId, Source, Variable};
use super::super::limits::{FAR, ROUNDED};
use super::super::loops::check::{Check, Subject};
use super::super::loops::ir::{Binder, Bound, BoundKind, End, Hole, Nest};
use super::super::loops::lower::memory_window;
use super::super::loops::print;
use super::super::simplify::{constant_value, offset};
use super::asserted::Need;
use super::infer::Windows;
use super::overflow::{Operands, Reach};
use super::parts::last;
use super::places::domains;
use crate::typed::ir::{BinaryOp, CompareOp, UnaryOp};
use crate::types::Element;
use std::collections::BTreeMap;

/// The start checks in the order in which they are made, behind the definitions of the root block.
pub fn start_checks(windows: &Windows) -> Vec<Check> {
    let nest = &windows.nest;
    let mut checks = Checks { windows, nest, pipeline: &nest.pipeline, made: Vec::new() };
    for (number, requirement) in nest.pipeline.requirements.iter().enumerate() {
        let Requirement { condition, reason, numbers } = requirement.clone();
        checks.add(Subject::Requirement(number), condition, reason, numbers);
    }
    checks.of_ranges();
    checks.of_distances();
    for output in &windows.outputs {
        for (d, &[_, extent]) in output.window.iter().enumerate() {
            let (extent, axis) = (checks.int(extent), checks.axis(output.func, d));
            let text = format!("the extent of output `{}` in dimension {axis} is %", checks.name(output.func));
            let condition = is(CompareOp::GreaterEqual, &extent, &checks.constant(0));
            checks.add(Subject::Extent(output.func, d), condition, text, vec![extent]);
        }
    }
    checks.of_schedule();
    for (id, number, r) in domains(nest) {
        let condition = is(CompareOp::LessEqual, &r.low, &r.high);
        let text = format!("{} is % .. %, which is negative", checks.domain(id, r));
        checks.add(Subject::ReductionDomain(id, number, r.variable), condition, text, vec![r.low.clone(), r.high.clone()]);
    }
    for (number, (bound, need)) in nest.bounds.iter().zip(&windows.bounds).enumerate() {
        checks.of_assertion(number, bound, need);
    }
    checks.of_overflow();
    for (i, (input, dimensions)) in nest.pipeline.inputs.iter().zip(&windows.inputs).enumerate() {
        for (d, ends) in dimensions.iter().enumerate() {
            let [low, high] = ends.map(|v| checks.int(v));
            let [min, extent] = [input.dimensions[d].min, input.dimensions[d].extent].map(|v| checks.int(v));
            let reads = escaped(&windows.reads[i][d].join(", "));
            let axis = nest.pipeline.axis(input.dimensions.len(), d);
            let text = format!("input `{}` is read from % to % in dimension {axis} ({reads}), and has % to %", input.name);
            let condition = or(is(CompareOp::Greater, &low, &high), inside([&low, &high], [&min, &extent]));
            checks.add(Subject::Input(InputId(i as u32), d), condition, text, vec![low, high, min.clone(), last(&min, &extent)]);
        }
    }
    checks.made
}

/// Does what is stored fit into the windows that the caller gave? Only where the caller owns the memory.
pub fn output_checks(windows: &Windows) -> Vec<Check> {
    let nest = &windows.nest;
    let mut checks = Checks { windows, nest, pipeline: &nest.pipeline, made: Vec::new() };
    for output in &windows.outputs {
        for (d, asked) in output.window.iter().enumerate() {
            let [min, extent] = asked.map(|v| checks.int(v));
            let [low, length] = memory_window(nest, output.func, d);
            let nothing = is(CompareOp::LessEqual, &length, &checks.constant(0));
            let from = is(CompareOp::GreaterEqual, &low, &min);
            let condition = or(nothing, and(from, is(CompareOp::LessEqual, &sum(&low, &length), &sum(&min, &extent))));
            let bound = nest.bounds.iter().find(|bound| bound.func == output.func && bound.dimension == d);
            let why = match bound {
                Some(bound) => format!("by `{}`", escaped(&bound.text)),
                None => "since its schedule rounds up or its readers need it".to_owned(),
            };
            let (name, axis) = (checks.name(output.func), checks.axis(output.func, d));
            let text = format!("output `{name}` is stored from % to % in dimension {axis}, {why}, and has % to %");
            let numbers = vec![low.clone(), last(&low, &length), min.clone(), last(&min, &extent)];
            checks.add(Subject::Output(output.func, d), condition, text, numbers);
        }
    }
    checks.made
}

/// What is said of an image or a view that has points and no memory.
pub const NO_PIXELS: &str = "has no pixels: `data` is the null pointer";

/// The text of a subject that is about memory of the caller or the number of elements of a func: it has no numbers.
pub fn plain_reason(windows: &Windows, subject: Subject) -> String {
    let pipeline = &windows.nest.pipeline;
    let name = |id: FuncId| &pipeline.func(id).name;
    match subject {
        Subject::Overlap(output, input) => {
            format!("output `{}` and input `{}` have memory in common", name(output), pipeline.input(input).name)
        }
        Subject::OutputOverlap(a, b) => format!("the outputs `{}` and `{}` have memory in common", name(a), name(b)),
        Subject::Pixels(source) => {
            let role = if matches!(source, Source::Input(_)) { "input" } else { "output" };
            format!("{role} `{}` {NO_PIXELS}", pipeline.name_of(source))
        }
        Subject::Component(func, component) => {
            format!("the windows of the outputs `{0}.0` and `{0}.{component}` differ", name(func))
        }
        Subject::Elements(func) => {
            format!("func `{}` is read at computed places, and has more elements than 2147483647 there", name(func))
        }
        _ => unreachable!("a subject with a condition in the nest"),
    }
}

/// Text in which no number stands for a `%`.
fn escaped(text: &str) -> String {
    text.replace('%', "%%")
}

fn is(op: CompareOp, a: &Expr, b: &Expr) -> Expr {
    Expr::compare(op, a.clone(), b.clone())
}

fn and(a: Expr, b: Expr) -> Expr {
    Expr::binary(BinaryOp::BitAnd, a, b)
}

fn or(a: Expr, b: Expr) -> Expr {
    Expr::binary(BinaryOp::BitOr, a, b)
}

fn sum(a: &Expr, b: &Expr) -> Expr {
    Expr::binary(BinaryOp::Add, a.clone(), b.clone())
}

/// Do both ends lie in a window?
fn inside([low, high]: [&Expr; 2], [min, length]: [&Expr; 2]) -> Expr {
    and(is(CompareOp::GreaterEqual, low, min), is(CompareOp::Less, high, &sum(min, length)))
}

/// The checks so far.
struct Checks<'w> {
    windows: &'w Windows,
    nest: &'w Nest,
    pipeline: &'w Pipeline,
    made: Vec<Check>,
}

impl<'w> Checks<'w> {
    fn add(&mut self, subject: Subject, condition: Expr, reason: String, numbers: Vec<Expr>) {
        self.made.push(Check { condition, subject, reason, numbers });
    }

    fn int(&self, v: Variable) -> Expr {
        Expr::variable(v, Element::Int32, self.pipeline.span)
    }

    fn constant(&self, n: i64) -> Expr {
        Expr::int(n, self.pipeline.span)
    }

    fn name(&self, id: FuncId) -> &'w str {
        &self.pipeline.func(id).name
    }

    /// The number that the text has for a dimension of a func.
    fn axis(&self, id: FuncId, dimension: usize) -> usize {
        self.pipeline.axis(self.pipeline.func(id).variables.len(), dimension)
    }

    /// Have outputs the windows that the algorithm says?
    fn of_ranges(&mut self) {
        for output in &self.windows.outputs {
            let Some(range) = self.pipeline.ranges.get(&output.func) else { continue };
            for (d, ([min, extent], [begin, end])) in output.window.iter().zip(range).enumerate() {
                let (min, extent) = (self.int(*min), self.int(*extent));
                let length = Expr::binary(BinaryOp::Subtract, end.clone(), begin.clone());
                let is_begin = is(CompareOp::Equal, &min, begin);
                let is_empty = is(CompareOp::Equal, &extent, &self.constant(0));
                let condition = and(is(CompareOp::Equal, &extent, &length), or(is_empty, is_begin));
                let (name, axis) = (self.name(output.func), self.axis(output.func, d));
                let text = format!("output `{name}` is from % to % in dimension {axis}, and has % to %");
                let numbers = vec![begin.clone(), offset(end, -1), min.clone(), last(&min, &extent)];
                self.add(Subject::Exact(output.func, d), condition, text, numbers);
            }
        }
    }

    /// Are the windows of the root block such that no coordinate leaves `int`? One check for a dimension of a func, however many
    /// of its stages and stores have windows of their own.
    fn of_distances(&mut self) {
        let definitions = self.windows.definitions.get(&None).into_iter().flatten();
        let hole = |v: Variable| if let Some(Binder::Hole(hole)) = self.nest.binder(v) { Some(hole) } else { None };
        let holes: BTreeMap<Hole, (Variable, &Expr)> =
            definitions.filter_map(|(variable, value)| Some((hole(*variable)?, (*variable, value)))).collect();
        let mut far: BTreeMap<(FuncId, usize), Expr> = BTreeMap::new();
        for (&min_hole, &(min, min_value)) in holes.iter().filter(|(hole, _)| hole.end == End::Min) {
            let (length, length_value) = holes[&Hole { end: End::Length, ..min_hole }];
            // A copy of another window is as near as that.
            let [copied, with] = [min_value, length_value].map(|value| value.as_variable().and_then(hole));
            if copied.is_some_and(|copied| copied.end == End::Min && with == Some(Hole { end: End::Length, ..copied })) {
                continue;
            }
            let than = |op, v: Variable, n: i64| is(op, &self.int(v), &self.constant(n));
            // Nobody looks at where an empty window begins.
            let is_outside = or(than(CompareOp::LessEqual, min, -FAR), than(CompareOp::Greater, min, FAR));
            let begins_far = and(than(CompareOp::Greater, length, 0), is_outside);
            let is_far = or(than(CompareOp::Greater, length, FAR), begins_far);
            far.entry((min_hole.func, min_hole.dimension))
                .and_modify(|others| *others = or(others.clone(), is_far.clone()))
                .or_insert(is_far);
        }
        for ((func, d), is_far) in far {
            let near = Expr::new(ExprKind::Unary(UnaryOp::Not, is_far), Element::Bool, self.pipeline.span);
            let axis = self.axis(func, d);
            let text = format!("the window of `{}` in dimension {axis} is too far from 0", self.name(func));
            self.add(Subject::Range(func, d), near, text, Vec::new());
        }
    }

    /// The factors of splits, the lengths that they ask for, and the factors of folded storage.
    fn of_schedule(&mut self) {
        let nest = self.nest;
        for (number, condition) in nest.factors.iter().enumerate() {
            let factor = escaped(&print::expression(nest, condition));
            let text = format!("the factor of a split is less than 1: `{factor}` does not hold");
            self.add(Subject::Factor(number), condition.clone(), text, Vec::new());
        }
        for (number, fit) in nest.fits.iter().enumerate() {
            let (length, factor, zero) = (&fit.length, &fit.factor, self.constant(0));
            let (condition, tail, needs) = if fit.is_shift {
                let is_long = is(CompareOp::GreaterEqual, length, factor);
                (or(is_long, is(CompareOp::LessEqual, length, &zero)), "shift", "% or more")
            } else {
                let rest = Expr::binary(BinaryOp::Remainder, length.clone(), factor.clone());
                (is(CompareOp::Equal, &rest, &zero), "round", "a multiple of %")
            };
            let (variable, output) = (nest.name(fit.variable), self.name(fit.func));
            let text = format!("loop `{variable}` of output `{output}` has % iterations; `{tail}` needs {needs}");
            self.add(Subject::Fit(number), condition, text, vec![length.clone(), factor.clone()]);
        }
        for fold in nest.folds.iter().filter(|fold| constant_value(&fold.factor).is_none()) {
            let bits = Expr::binary(BinaryOp::BitAnd, fold.factor.clone(), offset(&fold.factor, -1));
            let is_power = is(CompareOp::Equal, &bits, &self.constant(0));
            let is_enough = is(CompareOp::GreaterEqual, &fold.factor, &self.constant(fold.least));
            let (name, least) = (self.name(fold.func), fold.least);
            let text = format!("the storage of `{name}` is folded by %; it needs a power of two from {least}");
            self.add(Subject::Fold(fold.func), and(is_power, is_enough), text, vec![fold.factor.clone()]);
        }
    }

    fn domain(&self, id: FuncId, r: &ReductionVariable) -> String {
        format!("the range of reduction variable `{}` of `{}`", self.pipeline.variable(r.variable).name, self.name(id))
    }

    /// Does what is needed of a func lie in what the schedule asserts?
    fn of_assertion(&mut self, number: usize, bound: &Bound, need: &Need) {
        let (name, directive, axis) = (self.name(bound.func), escaped(&bound.text), self.axis(bound.func, bound.dimension));
        let readers = if need.readers.is_empty() { String::new() } else { format!(" ({})", escaped(&need.readers.join(", "))) };
        let subject = format!("failed bound `{directive}`: func `{name}` is needed");
        let needed: Vec<Expr> = need.variables.iter().map(|&v| self.int(v)).collect();
        let at_least = |e: &Expr, n: i64| is(CompareOp::GreaterEqual, e, &self.constant(n));
        match (&bound.kind, &needed[..]) {
            (BoundKind::Window { min, length }, [low, high]) => {
                let fits = or(is(CompareOp::Greater, low, high), inside([low, high], [min, length]));
                let text = format!("{subject} from % to % in dimension {axis}{readers}, and given % to %");
                let numbers = vec![low.clone(), high.clone(), min.clone(), last(min, length)];
                self.add(Subject::Bound(number), and(at_least(length, 0), fits), text, numbers);
            }
            (BoundKind::Extent(length), [extent]) => {
                let fits = is(CompareOp::LessEqual, extent, length);
                let text = format!("{subject} over % coordinates in dimension {axis}{readers}, and given %");
                self.add(Subject::Bound(number), and(at_least(length, 0), fits), text, vec![extent.clone(), length.clone()]);
            }
            (BoundKind::Aligned { modulus, .. }, _) => {
                let text = format!("the modulus of `{directive}` of `{name}` is %, and less than 1");
                self.add(Subject::Modulus(number), at_least(modulus, 1), text, vec![modulus.clone()]);
            }
            (BoundKind::Window { .. } | BoundKind::Extent(_), _) => unreachable!("as `asserted` makes them"),
        }
    }

    /// Is what is computed on the way to an index an `int`? These conditions hold in ℤ: their numbers may be larger.
    fn of_overflow(&mut self) {
        let windows = self.windows;
        for (id, number, r) in domains(self.nest) {
            let ends = [&r.low, &r.high];
            if !ends.iter().all(|e| constant_value(e).is_some_and(|n| n.abs() <= FAR)) {
                let text = format!("index overflow: {} is % .. %, and may be within -{FAR} .. {FAR}", self.domain(id, r));
                let condition = self.between(ends, -FAR, FAR);
                self.add(Subject::DomainRange(id, number, r.variable), condition, text, ends.map(Expr::clone).to_vec());
            }
        }
        for (number, Reach { func, dimension, ends }) in windows.reaches.iter().enumerate() {
            let name = self.name(*func);
            let axis = self.axis(*func, *dimension);
            let what = format!("`{name}` is computed from % to % in dimension {axis}, and may be from -{FAR} to {FAR}");
            // What is needed of it may be empty, and begins FAR away; it is as long as was asserted all the same.
            let length = self.nest.bounds.iter().find_map(|bound| match &bound.kind {
                BoundKind::Extent(length) if (bound.func, bound.dimension) == (*func, *dimension) => constant_value(length),
                _ => None,
            });
            let beyond = length.unwrap_or(0).clamp(0, ROUNDED);
            self.unless_empty(Subject::Reach(number), *ends, (-FAR - beyond, FAR + beyond), what);
        }
        for (number, operands) in windows.operands.iter().enumerate() {
            let (least, most) = (i32::MIN, i32::MAX);
            let what = format!("{} is from % to %, and `int` from {least} to {most}", escaped(&self.overflowing(operands)));
            self.unless_empty(Subject::Operands(number), operands.ends, (least.into(), most.into()), what);
        }
    }

    fn between(&self, [low, high]: [&Expr; 2], least: i64, most: i64) -> Expr {
        let from = is(CompareOp::GreaterEqual, low, &self.constant(least));
        and(from, is(CompareOp::LessEqual, high, &self.constant(most)))
    }

    /// Values that are between two numbers, if there are any.
    fn unless_empty(&mut self, subject: Subject, ends: [Variable; 2], (least, most): (i64, i64), what: String) {
        let [low, high] = ends.map(|v| self.int(v));
        let condition = or(is(CompareOp::Greater, &low, &high), self.between([&low, &high], least, most));
        self.add(subject, condition, format!("index overflow: {what}"), vec![low, high]);
    }

    /// Operands that leave `int`, and the access that needs them.
    fn overflowing(&self, Operands { func, index, texts, .. }: &Operands) -> String {
        let name = |id: FuncId| format!("`{}`", self.name(id));
        let reader = func.map_or("the schedule".to_owned(), name);
        let texts = texts.iter().map(
            |[whole, operand]| {
                if whole == operand { format!("`{operand}`") } else { format!("`{operand}` in `{whole}`") }
            },
        );
        let texts = texts.collect::<Vec<_>>().join(", ");
        match index {
            None => format!("{texts}, which decides in {reader},"),
            Some((Source::Func(stored, _), d)) if Some(*stored) == *func => {
                format!("{texts}, dimension {} of {reader},", self.axis(*stored, *d))
            }
            Some((source, d)) => {
                let axis = self.pipeline.axis(self.pipeline.rank(*source), *d);
                let source = match source {
                    Source::Func(id, _) => format!("func {}", name(*id)),
                    Source::Input(id) => format!("input `{}`", self.pipeline.input(*id).name),
                };
                format!("{texts}, at which {reader} reads dimension {axis} of {source},")
            }
        }
    }
}
