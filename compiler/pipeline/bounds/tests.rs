//! The engine against all values, and against β₀.
//!
//! An expression is the index of a read of an image; what is asked for of the image is the engine's interval. Windows are
//! those of an output, known when the program runs, and those of a reduction domain, known when it is compiled.
//! `IVL_COUNT` (how many random expressions) and `IVL_SEED` change how much is done.

use super::super::expr::{Expr, ExprKind, Form, InputId, Source, Variable};
use super::super::limits::FAR;
use super::super::loops::{lower, print};
use super::super::simplify::constant_value;
use super::super::tests::built;
use super::super::value::{Environment, Value, evaluate, floor_div};
use super::infer::{Windows, infer};
use super::numbers::Numbers;
use crate::typed::interpret::scalar;
use crate::typed::ir::{BinaryOp, LaneOp, Program, UnaryOp};
use crate::types::Element;
use ivl_random::Random;
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// A window, both ends in it.
type Window = (i64, i64);

/// Values of variables.
struct Known<'k> {
    values: FxHashMap<Variable, i64>,
    program: &'k Program,
}

impl Environment for Known<'_> {
    fn variable(&mut self, variable: Variable) -> Value {
        Value::Bits(scalar::wrapped(Element::Int32, self.values[&variable].into()))
    }

    fn read(&mut self, _: Source, _: &[i64]) -> Value {
        unreachable!("an index that reads nothing")
    }

    fn program(&self) -> &Program {
        self.program
    }
}

impl Known<'_> {
    fn value(&mut self, e: &Expr) -> i64 {
        match evaluate(e, self) {
            Value::Bits(bits) => scalar::integer(Element::Int32, bits) as i64,
            error => panic!("{error:?}"),
        }
    }
}

/// A pipeline that reads image 0 at one place.
struct Case {
    windows: Windows,
    program: Program,
    index: Expr,
    condition: Option<Expr>,
}

impl Case {
    fn new(text: &str) -> Result<Case, String> {
        let (pipelines, program) = built(text)?;
        let windows = infer(&lower::lower(&pipelines[0], &[])).map_err(|faults| format!("{:?}", faults[0]))?;
        let mut found = None;
        let stages = pipelines[0].funcs.iter().flat_map(|func| &func.stages);
        for value in stages.flat_map(|stage| &stage.values) {
            find(value, None, &mut found);
        }
        let (index, condition) = found.expect("a read");
        Ok(Case { windows, program, index, condition })
    }

    /// What the engine asks for, for windows of the output.
    fn asked(&self, output: &[Window]) -> Option<Window> {
        let mut known = Known { values: FxHashMap::default(), program: &self.program };
        for (&[min, extent], &(low, high)) in self.windows.outputs[0].window.iter().zip(output) {
            known.values.insert(min, low);
            known.values.insert(extent, high - low + 1);
        }
        for (variable, value) in &self.windows.definitions[&None] {
            let unknown = |v: Variable| !known.values.contains_key(&v);
            assert!(!value.mentions(&unknown), "`{:?}` ends in {}", self.index, print::expression(&self.windows.nest, value));
            let value = known.value(value);
            known.values.insert(*variable, value);
        }
        let [low, high] = self.windows.inputs[0][0].map(|v| known.values[&v]);
        (low <= high).then_some((low, high))
    }

    /// What is read, if nothing leaves `int` on the way.
    fn exact(&self, variables: &[Variable], ranges: &[Window]) -> Option<Option<Window>> {
        let mut known = Known { values: FxHashMap::default(), program: &self.program };
        let mut found: Option<Window> = None;
        let mut points = vec![Vec::new()];
        for &(low, high) in ranges {
            points = points.into_iter().flat_map(|p: Vec<i64>| (low..=high).map(move |v| [&p[..], &[v]].concat())).collect();
        }
        for point in points {
            known.values.extend(variables.iter().copied().zip(point));
            for e in std::iter::once(&self.index).chain(&self.condition) {
                if leaves_int(e, &mut known) {
                    return None;
                }
            }
            if self.condition.as_ref().is_none_or(|c| matches!(evaluate(c, &mut known), Value::Bits(b) if b != 0)) {
                let value = known.value(&self.index);
                found = Some(found.map_or((value, value), |(low, high)| (low.min(value), high.max(value))));
            }
        }
        Some(found)
    }

    fn variables(&self) -> Vec<Variable> {
        let pipeline = &self.windows.nest.pipeline;
        let func = pipeline.func(pipeline.outputs[0]);
        let stage = func.stages.last().expect("a stage");
        let reductions = stage.rdom.iter().map(|r| r.variable);
        let pure = func.variables.iter().copied().enumerate().filter(|(d, _)| stage.is_pure_dimension(&func.variables, *d));
        pure.map(|(_, v)| v).chain(reductions).collect()
    }

    fn baseline(&self, variables: &[Variable], ranges: &[Window], division: Division) -> Option<Window> {
        let gamma = |v: Variable| {
            let at = variables.iter().position(|known| *known == v)?;
            Some(Numbers { low: ranges[at].0.into(), high: ranges[at].1.into() })
        };
        let Numbers { low, high } = paper_interval(&self.index, &gamma, division)?;
        Some((low.try_into().ok()?, high.try_into().ok()?))
    }
}

/// Which rule for `div` is meant.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Division {
    /// \[−M, 2M − 1\], a minimum and a length, as the paper prints it: it ends at M − 2, so that 3 div 1 is not in it.
    Printed,
    /// \[−M, 2M + 1\]: up to M.
    Sound,
}

/// Γ of figure 10 (b), for variables.
type Gamma<'e> = &'e dyn Fn(Variable) -> Option<Numbers>;

/// β₀, the baseline of figure 10 (b): 𝓘(e, Γ), interval arithmetic with nothing known but the intervals of variables. A bounds
/// engine is to be no worse (Definition 3.7). Intervals have their last value instead of a length; `None` is \[−∞, ∞\].
fn paper_interval(e: &Expr, gamma: Gamma<'_>, division: Division) -> Option<Numbers> {
    let of = |e: &Expr| paper_interval(e, gamma, division);
    match e.form() {
        Form::Variable(v) => gamma(v),
        Form::Negate(a) => of(a).map(Numbers::negated),
        Form::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply), a, b) => {
            Some(Numbers::binary(op, e.element(), of(a)?, of(b)?))
        }
        Form::Binary(BinaryOp::Divide, a, _) => {
            let Numbers { low, high } = of(a)?;
            let m = (-low).max(high);
            Some(Numbers { low: -m, high: if division == Division::Printed { m - 2 } else { m } })
        }
        // Whatever is divided.
        Form::Binary(BinaryOp::Remainder, _, b) => {
            of(b).map(|b| Numbers::binary(BinaryOp::Remainder, e.element(), Numbers::ALL, b))
        }
        Form::Extremum(is_min, [a, b]) => Some(of(a)?.extremum(is_min, of(b)?)),
        Form::Choice(_, a, b) => Some(of(a)?.with(of(b)?)),
        // The paper has no others: nothing is known of them.
        _ => constant_value(e).map(|n| Numbers { low: n.into(), high: n.into() }),
    }
}

/// The index of the read of image 0, and the condition under which it stands.
fn find(e: &Expr, condition: Option<&Expr>, found: &mut Option<(Expr, Option<Expr>)>) {
    match e.kind() {
        ExprKind::Read(Source::Input(InputId(0)), indices) => *found = Some((indices[0].clone(), condition.cloned())),
        ExprKind::Conditional(c, a, b) if condition.is_none() => {
            find(a, Some(c), found);
            find(b, None, found);
        }
        _ => e.children().into_iter().for_each(|child| find(child, condition, found)),
    }
}

/// Does an `int` on the way to a value leave its type?
fn leaves_int(e: &Expr, known: &mut Known<'_>) -> bool {
    if e.children().into_iter().any(|child| leaves_int(child, known)) {
        return true;
    }
    if e.element() != Element::Int32 {
        return false;
    }
    let mut of = |e: &Expr| i128::from(known.value(e));
    let value = match e.kind() {
        ExprKind::Unary(UnaryOp::Negate, a) => -of(a),
        ExprKind::Binary(BinaryOp::Add, a, b) => of(a) + of(b),
        ExprKind::Binary(BinaryOp::Subtract, a, b) => of(a) - of(b),
        ExprKind::Binary(BinaryOp::Multiply, a, b) => of(a) * of(b),
        ExprKind::Binary(BinaryOp::Divide, a, b) if of(b) != 0 => floor_div(of(a), of(b)),
        ExprKind::Binary(BinaryOp::ShiftLeft, a, b) => of(a) << of(b).clamp(0, 31),
        ExprKind::Builtin(LaneOp::Abs, operands) => of(&operands[0]).abs(),
        _ => return false,
    };
    value.abs() >= i128::from(FAR)
}

fn of_output(index: &str) -> String {
    format!("pipeline p(int in[]) -> f {{ fun f(x) = in({index}); }}")
}

fn of_domain(index: &str, (low, high): Window) -> String {
    format!("pipeline p(int in[]) -> f {{ fun f(i) = 0; rdom (x = {low} .. {}) f(0) += in({index}); }}", high + 1)
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Random indices, windows and conditions.
trait Pieces {
    fn constant(&mut self) -> i64;
    fn window(&mut self) -> Window;
    fn condition(&mut self, variables: &[&str], depth: usize) -> String;
    fn expression(&mut self, variables: &[&str], depth: usize) -> String;
}

impl Pieces for Random {
    fn constant(&mut self) -> i64 {
        match self.below(4) {
            0 => [1, 2, 3, 4, 7, 8, 15, 16, 64, 100, 255, 256][self.below(12)],
            1 => -(self.below(20) as i64) - 1,
            _ => self.below(30) as i64,
        }
    }

    fn window(&mut self) -> Window {
        let low = self.below(400) as i64 - if self.below(3) == 0 { 300 } else { 20 };
        (low, low + [1, 2, 5, 12, 40, 150, 700][self.below(7)] * self.below(4) as i64)
    }

    fn condition(&mut self, variables: &[&str], depth: usize) -> String {
        let (a, b) = (self.expression(variables, depth), self.expression(variables, depth.min(1)));
        let op = self.pick(&["<", "<=", ">", ">=", "==", "!="]);
        let one = format!("{a} {op} {b}");
        match self.below(4) {
            0 => format!("({one} & {})", self.condition(variables, depth.saturating_sub(1))),
            1 if depth > 0 => format!("!({one})"),
            _ => one,
        }
    }

    fn expression(&mut self, variables: &[&str], depth: usize) -> String {
        if depth == 0 {
            return if self.below(5) == 0 { format!("({})", self.constant()) } else { self.pick(variables).to_owned() };
        }
        let a = self.expression(variables, depth - 1);
        let b = if self.below(3) == 0 { self.expression(variables, depth - 1) } else { format!("({})", self.constant()) };
        let (c, k) = (self.constant(), self.below(6));
        match self.below(25) {
            0 | 1 => format!("({a} + {b})"),
            2 => format!("({a} - {b})"),
            3 => format!("({b} - {a})"),
            4 => format!("({c} * {a})"),
            5 => format!("({a} * {b})"),
            6 | 7 => format!("({a} / {b})"),
            8 => format!("({c} / {a})"),
            9 | 10 => format!("({a} % {b})"),
            11 => format!("min({a}, {b})"),
            12 => format!("max({a}, {b})"),
            13 => format!("clamp({a}, {c}, {})", c + self.below(40) as i64),
            14 => format!("select({}, {a}, {b})", self.condition(variables, 1)),
            15 => format!("({} ? {a} : {b})", self.condition(variables, 1)),
            16 => format!("({a} & {b})"),
            17 => format!("({a} | {b})"),
            18 => format!("({a} ^ {b})"),
            19 => format!("({a} >> {k})"),
            20 => format!("({a} << {k})"),
            21 => format!("(int) ({}) {a}", self.pick(&["uint8", "int8", "uint16", "int16", "uint", "int64"])),
            22 => format!("(int) ((uint8) {a} + (uint8) {b})"),
            23 => format!("abs({a})"),
            _ => self.pick(&["(-Z)", "(~Z)"]).replace('Z', &a),
        }
    }
}

fn contains(outer: Window, inner: Window) -> bool {
    outer.0 <= inner.0 && inner.1 <= outer.1
}

#[test]
fn one_variable_is_exact() {
    let (first, count) = (number("IVL_SEED", 1), number("IVL_COUNT", 300));
    let (mut compared, mut refused, mut by_baseline) = (0, 0, 0);
    for seed in first..first + count {
        let mut random = Random::new(seed);
        let depth = 1 + random.below(3);
        let index = random.expression(&["x"], depth);
        let text = of_output(&index);
        let Ok(case) = Case::new(&text) else { panic!("seed {seed}: `{index}` is refused: {:?}", Case::new(&text).err()) };
        let variables = case.variables();
        for _ in 0..4 {
            let window = random.window();
            let Some(exact) = case.exact(&variables, &[window]) else {
                refused += 1;
                continue;
            };
            let ours = case.asked(&[window]);
            assert_eq!(ours, exact, "seed {seed}: `{index}` for x in {window:?}");
            let fixed = Case::new(&of_domain(&index, window)).expect("a window that is known bounds it");
            assert_eq!(fixed.asked(&[(0, 0)]), exact, "seed {seed}: `{index}` for r in {window:?}");
            if let (Some(baseline), Some(ours)) = (case.baseline(&variables, &[window], Division::Sound), ours) {
                assert!(contains(baseline, ours), "seed {seed}: `{index}` for x in {window:?}: {ours:?} is beyond {baseline:?}");
                by_baseline += 1;
            }
            compared += 1;
        }
    }
    println!("{compared} windows exact, {by_baseline} of them bounded by β₀, {refused} leave int");
    assert!(compared > 2 * refused && by_baseline > 0, "{compared} compared, {refused} not");
}

#[test]
fn conditions_on_one_variable_are_exact() {
    let (first, count) = (number("IVL_SEED", 1), number("IVL_COUNT", 150));
    let (mut compared, mut empty) = (0, 0);
    for seed in first..first + count {
        let mut random = Random::new(seed);
        let (condition, index) = (random.condition(&["x"], 1), random.expression(&["x"], 2));
        let text = format!("pipeline p(int in[]) -> f {{ fun f(x) = {condition} ? in({index}) : 0; }}");
        let case = Case::new(&text).unwrap_or_else(|e| panic!("seed {seed}: {text}: {e}"));
        for _ in 0..4 {
            let window = random.window();
            let Some(exact) = case.exact(&case.variables(), &[window]) else { continue };
            assert_eq!(case.asked(&[window]), exact, "seed {seed}: `{condition} ? in({index})` for x in {window:?}");
            compared += 1;
            empty += u64::from(exact.is_none());
        }
    }
    println!("{compared} windows exact, {empty} of them empty");
    assert!(compared > 0 && empty > 0);
}

#[test]
fn several_variables_are_sound() {
    let (first, count) = (number("IVL_SEED", 1), number("IVL_COUNT", 200));
    let (mut compared, mut exactly) = (0, 0);
    for seed in first..first + count {
        let mut random = Random::new(seed);
        let index = random.expression(&["x", "y", "r"], 2);
        let (low, high) = (random.below(9) as i64 - 4, random.below(5) as i64);
        let range = (low, low + high);
        let text = format!(
            "pipeline p(int in[]) -> f {{ fun f(x, y) = 0; rdom (r = {low} .. {}) f(x, y) += in({index}); }}",
            range.1 + 1
        );
        let case = Case::new(&text).unwrap_or_else(|e| panic!("seed {seed}: {text}: {e}"));
        let variables = case.variables();
        for _ in 0..3 {
            let at = |random: &mut Random| {
                let low = random.below(40) as i64 - 20;
                (low, low + random.below(12) as i64)
            };
            let (x, y) = (at(&mut random), at(&mut random));
            let Some(Some(exact)) = case.exact(&variables, &[x, y, range]) else { continue };
            let ours = case.asked(&[x, y]).expect("something is read");
            assert!(contains(ours, exact), "seed {seed}: `{index}` for {x:?}, {y:?}, {range:?}: {ours:?}, but {exact:?} is read");
            if let Some(baseline) = case.baseline(&variables, &[x, y, range], Division::Sound) {
                assert!(
                    contains(baseline, ours),
                    "seed {seed}: `{index}` for {x:?}, {y:?}, {range:?}: {ours:?} is beyond {baseline:?}"
                );
            }
            compared += 1;
            exactly += u64::from(ours == exact);
        }
    }
    println!("{compared} windows sound, {exactly} of them exact");
    assert!(compared > 0);
}

/// Expressions that engines are measured by.
const EXAMPLES: &[(&str, Window)] = &[
    ("x", (0, 9)),
    ("x + 3", (0, 9)),
    ("7 - 2 * x", (0, 9)),
    ("x - x / 2", (0, 9)),
    ("2 * x + 1", (0, 9)),
    ("x / 2", (-5, 9)),
    ("(x + 1) / 2 - x / 2", (0, 9)),
    ("x * 8 / 4", (0, 9)),
    ("x * (9 - x)", (0, 9)),
    ("x * x + x", (-1, 1)),
    ("select(x >= 4, x - 4, x)", (0, 7)),
    ("x < 3 ? x : x - 3", (0, 7)),
    ("min(x, 99 - x)", (0, 99)),
    ("max(x, 99 - x)", (0, 99)),
    ("min(x, 3) + max(x, 5)", (0, 9)),
    ("abs(x - 5)", (0, 9)),
    ("clamp(x, 3, 6)", (0, 9)),
    ("clamp(2 * x - 4, 0, 255)", (0, 9)),
    ("x % 10", (23, 26)),
    ("x % 10", (27, 32)),
    ("4 * x % 12", (0, 9)),
    ("x % 10 / 2 + 1", (14, 17)),
    ("(int) (uint8) x", (10, 19)),
    ("(int) (uint8) x", (250, 260)),
    ("(int) (int8) x", (120, 130)),
    ("(int) ((uint8) x + (uint8) 3)", (0, 9)),
    ("100 / (x + 1)", (0, 99)),
    ("100 / x", (-4, 4)),
    ("x ^ 1", (0, 99)),
    ("x | 3", (0, 99)),
    ("x & 6", (9, 11)),
    ("x & ~3", (5, 18)),
    ("1 << (x & 3)", (0, 9)),
    ("x >> 2 << 2", (5, 18)),
    ("x * x % 7 ^ 3", (0, 9)),
    ("x % 3 * 5 + x / 3", (0, 8)),
];

/// A table: exact, β₀ as printed, ours. `BLESS=1` writes it.
#[test]
fn the_table_of_examples() {
    let shown = |window: Option<Window>| window.map_or("unbounded".to_owned(), |(low, high)| format!("{low}..{high}"));
    let mut table = String::from("| index | x | exact | β₀ | ours |\n|---|---|---|---|---|\n");
    for (index, window) in EXAMPLES {
        let case = Case::new(&of_output(index)).unwrap_or_else(|e| panic!("{index}: {e}"));
        let exact = case.exact(&case.variables(), &[*window]).expect("it stays inside of int");
        let (ours, baseline) = (case.asked(&[*window]), case.baseline(&case.variables(), &[*window], Division::Printed));
        let (index, window) = (index.replace('|', "\\|"), shown(Some(*window)));
        let _ = writeln!(table, "| `{index}` | {window} | {} | {} | {} |", shown(exact), shown(baseline), shown(ours));
        assert_eq!(ours, exact, "{index}");
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/pipelines/bounds.md");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(path, &table).expect("a file that can be written");
    }
    assert_eq!(std::fs::read_to_string(path).unwrap_or_default(), table, "BLESS=1 rewrites {path}");
}
