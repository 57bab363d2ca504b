//! A nest without holes: what `infer` found is computed at the beginning of each block, and what must hold is tested before any
//! work is done.

use super::super::expr::{Expr, FuncId, InputId, Source, Variable};
use super::super::limits::FAR;
use super::super::loops::ir::is_block;
use super::super::loops::ir::{BoundKind, Nest, Statement};
use super::super::loops::lower::memory_window;
use super::infer::{Block, Windows};
use super::overflow::{Operands, Reach};
use super::simplify::{constant_value, offset};
use crate::typed::ir::{BinaryOp, CompareOp};
use crate::types::Element;

/// What is tested before any work is done.
#[derive(Clone, Debug)]
pub struct StartCheck {
    /// What must hold.
    pub condition: Expr,
    /// What it is about.
    pub subject: Subject,
}

/// The subject of a start check.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Subject {
    /// The extent of a requested window is not negative.
    Extent(FuncId, usize),
    /// The factor of a split is at least 1.
    Factor(usize),
    /// An output is such that a split of it stays inside; by number.
    Fit(usize),
    /// The modulus of an alignment is at least 1; by number of its assertion.
    Modulus(usize),
    /// What is needed of a func lies in what the schedule asserts; by number of the assertion.
    Bound(usize),
    /// A factor of folded storage is a power of two, and large enough.
    Fold(FuncId),
    /// A reduction domain has no negative extent (Definition 5.2).
    ReductionDomain(FuncId, usize, Variable),
    /// An input has what is read of it.
    Input(InputId, usize),
    /// An output has room for what is stored; more than was asked for may be stored where a schedule rounds up.
    Output(FuncId, usize),
    /// An output and an input have no memory in common.
    Overlap(FuncId, InputId),
    /// Two outputs have no memory in common.
    OutputOverlap(FuncId, FuncId),
    /// The images of a tuple have one window.
    Component(FuncId, usize),
    /// Windows are far from the ends of `int`.
    Range(FuncId, usize),
    /// A func that is read at computed places has so few elements that an `int` numbers them.
    Elements(FuncId),
    /// Those of a func inside of loops are; by number.
    Reach(usize),
    /// A reduction domain is.
    DomainRange(FuncId, usize, Variable),
    /// What indices are computed of does not leave `int`; by number.
    Operands(usize),
}

impl Subject {
    /// Is it about startup expressions, and known before any window is?
    pub fn is_early(self) -> bool {
        match self {
            Subject::Extent(..) | Subject::Factor(_) | Subject::Fold(_) | Subject::Modulus(_) | Subject::ReductionDomain(..) => {
                true
            }
            Subject::Bound(_)
            | Subject::Fit(_)
            | Subject::Input(..)
            | Subject::Output(..)
            | Subject::Overlap(..)
            | Subject::OutputOverlap(..)
            | Subject::Component(..)
            | Subject::Range(..)
            | Subject::Elements(_)
            | Subject::Reach(_)
            | Subject::DomainRange(..)
            | Subject::Operands(_) => false,
        }
    }
}

/// The start checks in the order in which they are made, behind the definitions of the root block.
pub fn start_checks(windows: &Windows) -> Vec<StartCheck> {
    let nest = &windows.nest;
    let pipeline = &nest.pipeline;
    let mut checks = Vec::new();
    let int = |v: Variable| Expr::variable(v, Element::Int32, pipeline.span);
    let constant = |n: i64| Expr::int(n, pipeline.span);
    for output in &windows.outputs {
        for (d, &[_, extent]) in output.window.iter().enumerate() {
            let condition = Expr::compare(CompareOp::GreaterEqual, int(extent), constant(0));
            checks.push(StartCheck { condition, subject: Subject::Extent(output.func, d) });
        }
    }
    for (number, condition) in nest.factors.iter().enumerate() {
        checks.push(StartCheck { condition: condition.clone(), subject: Subject::Factor(number) });
    }
    for (number, fit) in nest.fits.iter().enumerate() {
        let condition = if fit.is_shift {
            let is_long = Expr::compare(CompareOp::GreaterEqual, fit.length.clone(), fit.factor.clone());
            Expr::binary(BinaryOp::BitOr, is_long, Expr::compare(CompareOp::LessEqual, fit.length.clone(), constant(0)))
        } else {
            let rest = Expr::binary(BinaryOp::Remainder, fit.length.clone(), fit.factor.clone());
            Expr::compare(CompareOp::Equal, rest, constant(0))
        };
        checks.push(StartCheck { condition, subject: Subject::Fit(number) });
    }
    for fold in nest.folds.iter().filter(|fold| constant_value(&fold.factor).is_none()) {
        let bits = Expr::binary(BinaryOp::BitAnd, fold.factor.clone(), offset(&fold.factor, -1));
        let is_power = Expr::compare(CompareOp::Equal, bits, constant(0));
        let is_enough = Expr::compare(CompareOp::GreaterEqual, fold.factor.clone(), constant(fold.least));
        checks.push(StartCheck {
            condition: Expr::binary(BinaryOp::BitAnd, is_power, is_enough),
            subject: Subject::Fold(fold.func),
        });
    }
    for (id, func) in pipeline.numbered_funcs().filter(|(id, _)| !nest.absent.contains(id)) {
        for (number, stage) in func.stages.iter().enumerate() {
            for r in &stage.rdom {
                let condition = Expr::compare(CompareOp::LessEqual, r.low.clone(), r.high.clone());
                checks.push(StartCheck { condition, subject: Subject::ReductionDomain(id, number, r.variable) });
            }
        }
    }
    for (number, (bound, need)) in nest.bounds.iter().zip(&windows.bounds).enumerate() {
        let compare = |op, a: &Expr, b: &Expr| Expr::compare(op, a.clone(), b.clone());
        let both = |a, b| Expr::binary(BinaryOp::BitAnd, a, b);
        let needed: Vec<Expr> = need.variables.iter().map(|&v| int(v)).collect();
        let (condition, subject) = match (&bound.kind, &needed[..]) {
            (BoundKind::Window { min, length }, [low, high]) => {
                let end = Expr::binary(BinaryOp::Add, min.clone(), length.clone());
                let from = compare(CompareOp::GreaterEqual, low, min);
                let to = compare(CompareOp::Less, high, &end);
                let nothing = compare(CompareOp::Greater, low, high);
                let is_window = compare(CompareOp::GreaterEqual, length, &constant(0));
                (both(is_window, Expr::binary(BinaryOp::BitOr, nothing, both(from, to))), Subject::Bound(number))
            }
            (BoundKind::Extent(length), [extent]) => {
                let fits = compare(CompareOp::LessEqual, extent, length);
                (both(compare(CompareOp::GreaterEqual, length, &constant(0)), fits), Subject::Bound(number))
            }
            (BoundKind::Aligned { modulus, .. }, _) => {
                (compare(CompareOp::GreaterEqual, modulus, &constant(1)), Subject::Modulus(number))
            }
            (BoundKind::Window { .. } | BoundKind::Extent(_), _) => unreachable!("as `asserted` makes them"),
        };
        checks.push(StartCheck { condition, subject });
    }
    checks.extend(overflow_checks(windows));
    for (i, dimensions) in windows.inputs.iter().enumerate() {
        let id = InputId(i as u32);
        for (d, &[low, high]) in dimensions.iter().enumerate() {
            let own = pipeline.input(id).dimensions[d];
            let end = Expr::binary(BinaryOp::Add, int(own.min), int(own.extent));
            let from = Expr::compare(CompareOp::GreaterEqual, int(low), int(own.min));
            let to = Expr::compare(CompareOp::Less, int(high), end);
            let nothing = Expr::compare(CompareOp::Greater, int(low), int(high));
            let both = Expr::binary(BinaryOp::BitAnd, from, to);
            checks.push(StartCheck { condition: Expr::binary(BinaryOp::BitOr, nothing, both), subject: Subject::Input(id, d) });
        }
    }
    checks
}

/// Is what is computed on the way to an index an `int`? These conditions hold in ℤ: their numbers may be larger.
fn overflow_checks(windows: &Windows) -> Vec<StartCheck> {
    let pipeline = &windows.nest.pipeline;
    let between = |ends: [Expr; 2], least: i64, most: i64| {
        let [low, high] = ends;
        let constant = |n: i64| Expr::int(n, pipeline.span);
        let from = Expr::compare(CompareOp::GreaterEqual, low, constant(least));
        Expr::binary(BinaryOp::BitAnd, from, Expr::compare(CompareOp::LessEqual, high, constant(most)))
    };
    let unless_empty = |ends: [Variable; 2], least: i64, most: i64| {
        let [low, high] = ends.map(|v| Expr::variable(v, Element::Int32, pipeline.span));
        let nothing = Expr::compare(CompareOp::Greater, low.clone(), high.clone());
        Expr::binary(BinaryOp::BitOr, nothing, between([low, high], least, most))
    };
    let mut checks = Vec::new();
    for (id, func) in pipeline.numbered_funcs().filter(|(id, _)| !windows.nest.absent.contains(id)) {
        for (number, stage) in func.stages.iter().enumerate() {
            for r in &stage.rdom {
                let ends = [&r.low, &r.high];
                if !ends.iter().all(|e| constant_value(e).is_some_and(|n| n.abs() <= FAR)) {
                    let condition = between(ends.map(Expr::clone), -FAR, FAR);
                    checks.push(StartCheck { condition, subject: Subject::DomainRange(id, number, r.variable) });
                }
            }
        }
    }
    for (number, reach) in windows.reaches.iter().enumerate() {
        checks.push(StartCheck { condition: unless_empty(reach.ends, -FAR, FAR), subject: Subject::Reach(number) });
    }
    for (number, operands) in windows.operands.iter().enumerate() {
        let condition = unless_empty(operands.ends, i32::MIN.into(), i32::MAX.into());
        checks.push(StartCheck { condition, subject: Subject::Operands(number) });
    }
    checks
}

/// Does what is stored fit into the windows that the caller gave? Only where the caller owns the memory.
pub fn output_checks(windows: &Windows) -> Vec<StartCheck> {
    let pipeline = &windows.nest.pipeline;
    let mut checks = Vec::new();
    for output in &windows.outputs {
        for (d, &[min, extent]) in output.window.iter().enumerate() {
            let int = |v: Variable| Expr::variable(v, Element::Int32, pipeline.span);
            let [low, length] = memory_window(&windows.nest, output.func, d);
            let end = |min: Expr, length: Expr| Expr::binary(BinaryOp::Add, min, length);
            let from = Expr::compare(CompareOp::GreaterEqual, low.clone(), int(min));
            let nothing = Expr::compare(CompareOp::LessEqual, length.clone(), Expr::int(0, pipeline.span));
            let to = Expr::compare(CompareOp::LessEqual, end(low, length), end(int(min), int(extent)));
            let condition = Expr::binary(BinaryOp::BitOr, nothing, Expr::binary(BinaryOp::BitAnd, from, to));
            checks.push(StartCheck { condition, subject: Subject::Output(output.func, d) });
        }
    }
    checks
}

/// The nest with the definitions of all blocks in place but those of the root.
pub fn blocks(windows: &Windows) -> Nest {
    Nest { body: filled(&windows.nest.body, None, windows), ..windows.nest.clone() }
}

/// The nest with all definitions in place, behind assertions for `checks`.
pub fn fill(windows: &Windows, checks: &[StartCheck]) -> Nest {
    start(blocks(windows), windows, checks)
}

/// A nest whose blocks have their definitions, behind those of the root block and assertions for `checks`.
pub fn start(nest: Nest, windows: &Windows, checks: &[StartCheck]) -> Nest {
    let mut body = nest.body;
    if let Some(list) = windows.definitions.get(&None) {
        let mut sequence: Vec<Statement> =
            checks.iter().map(|check| Statement::Assert(check.condition.clone(), describe(windows, check).into())).collect();
        sequence.push(body);
        body = list.iter().rev().fold(Statement::Sequence(flattened(sequence)), |inner, (variable, value)| {
            Statement::Let(*variable, value.clone(), Box::new(inner))
        });
    }
    Nest { body, ..nest }
}

/// Sequences in sequences end their allocations too early.
fn flattened(list: Vec<Statement>) -> Vec<Statement> {
    list.into_iter()
        .flat_map(|s| match s {
            Statement::Sequence(inner) => inner,
            other => vec![other],
        })
        .collect()
}

fn filled(statement: &Statement, block: Block, windows: &Windows) -> Statement {
    match statement {
        Statement::For(l) => {
            let block = Some((l.stage, l.variable));
            let mut made = (**l).clone();
            made.body = filled(&l.body, block, windows);
            Statement::For(Box::new(made))
        }
        Statement::Sequence(list) if block.is_some() && is_block(list) => {
            let inner = Statement::Sequence(list.iter().map(|s| filled(s, block, windows)).collect());
            let definitions = windows.definitions.get(&block).map_or(&[][..], |list| list);
            definitions
                .iter()
                .rev()
                .fold(inner, |inner, (variable, value)| Statement::Let(*variable, value.clone(), Box::new(inner)))
        }
        other => other.with_children(|child| filled(child, block, windows)),
    }
}

/// A start check in words, without the numbers.
pub fn describe(windows: &Windows, check: &StartCheck) -> String {
    let pipeline = &windows.nest.pipeline;
    match check.subject {
        Subject::Extent(func, d) => format!("the extent of output `{}` in dimension {d} is negative", pipeline.func(func).name),
        Subject::Factor(_) => "the factor of a split is less than 1".to_owned(),
        Subject::Fit(number) => {
            let func = &pipeline.func(windows.nest.fits[number].func).name;
            format!("output `{func}` has not the size that its schedule needs")
        }
        Subject::Modulus(number) => {
            let bound = &windows.nest.bounds[number];
            format!("the modulus of `{}` of `{}` is less than 1", bound.text, pipeline.func(bound.func).name)
        }
        Subject::Bound(number) => {
            let bound = &windows.nest.bounds[number];
            let func = &pipeline.func(bound.func).name;
            format!("`{func}` is needed beyond `{}` in dimension {}", bound.text, bound.dimension)
        }
        Subject::Fold(func) => format!("the slots of `{}` are no power of two, or not enough", pipeline.func(func).name),
        Subject::ReductionDomain(func, _, variable) => {
            let (func, variable) = (&pipeline.func(func).name, &pipeline.variable(variable).name);
            format!("the extent of reduction variable `{variable}` of `{func}` is negative")
        }
        Subject::Input(id, d) => {
            format!("input `{}` is too small in dimension {d}", pipeline.input(id).name)
        }
        Subject::Output(func, d) => {
            format!("output `{}` has no room in dimension {d} for what its schedule rounds up to", pipeline.func(func).name)
        }
        Subject::Overlap(..) | Subject::OutputOverlap(..) | Subject::Component(..) => {
            unreachable!("only memory of the caller has overlaps and windows that differ")
        }
        Subject::Range(..) | Subject::Elements(_) => unreachable!("only the machine has numbers with ends"),
        Subject::Reach(number) => {
            let Reach { func, dimension, .. } = windows.reaches[number];
            format!("index overflow: the window of `{}` in dimension {dimension} is too far from 0", pipeline.func(func).name)
        }
        Subject::DomainRange(func, _, variable) => {
            let (func, variable) = (&pipeline.func(func).name, &pipeline.variable(variable).name);
            format!("index overflow: the range of reduction variable `{variable}` of `{func}` is too far from 0")
        }
        Subject::Operands(number) => format!("index overflow: {} leaves `int`", overflowing(windows, number)),
    }
}

/// Operands that leave `int`, and the access that needs them.
pub fn overflowing(windows: &Windows, number: usize) -> String {
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
