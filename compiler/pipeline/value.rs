//! The set 𝕍 of values: elements and the two error values of Definition 4.1, and the operators on them.

use super::expr::{Callee, Expr, ExprKind, Extremum, Source, Variable};
use super::limits::{ENUMERATED, FAR};
use crate::typed::interpret::{Limits, scalar};
use crate::typed::ir::{BinaryOp, Program, UnaryOp};
use crate::types::Element;
use rustc_hash::FxHashMap;

/// c ∈ 𝕍
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Value {
    /// An element by its bits: integers zero-extended, floats by their bits, `bool` 0 or 1.
    Bits(u64),
    /// ε_rdom: a reduction domain of negative extent.
    RdomError,
    /// ε_mem: memory that nobody has written. Greater than ε_rdom.
    MemoryError,
}

impl Value {
    /// Is it no error?
    pub fn bits(self) -> Option<u64> {
        match self {
            Value::Bits(bits) => Some(bits),
            Value::RdomError | Value::MemoryError => None,
        }
    }
}

/// Where an expression is evaluated: what its variables and reads are.
pub trait Environment {
    /// Σ(v)
    fn variable(&mut self, variable: Variable) -> Value;
    /// f\[c₁, …, cₙ\]
    fn read(&mut self, source: Source, indices: &[i64]) -> Value;
    /// The functions that are called.
    fn program(&self) -> &Program;
    /// An operation on integers gave something else than the numbers do, since that does not fit in its type.
    fn wrapped(&mut self) {}
}

/// Σ where nothing is read.
pub struct Known<'p> {
    /// The functions that are called.
    pub program: &'p Program,
    /// What is known.
    pub variables: FxHashMap<Variable, Value>,
}

impl Known<'_> {
    /// Evaluates definitions, each of which may mention those in front of it.
    pub fn define(&mut self, definitions: &[(Variable, Expr)]) {
        for (variable, value) in definitions {
            let value = evaluate(value, self);
            self.variables.insert(*variable, value);
        }
    }
}

impl Environment for Known<'_> {
    fn variable(&mut self, variable: Variable) -> Value {
        self.variables.get(&variable).copied().unwrap_or(Value::MemoryError)
    }

    fn read(&mut self, _: Source, _: &[i64]) -> Value {
        Value::MemoryError
    }

    fn program(&self) -> &Program {
        self.program
    }
}

/// e ⇓ c. An operation on error values gives the greatest of them; lazy operators do not evaluate what they do not need.
pub fn evaluate(e: &Expr, environment: &mut dyn Environment) -> Value {
    let element = e.element();
    match e.kind() {
        ExprKind::Constant(constant) => Value::Bits(scalar::constant(element, *constant)),
        ExprKind::Variable(variable) => environment.variable(*variable),
        ExprKind::Unary(op, a) => on([a], environment, |environment, a| {
            let exact = matches!(op, UnaryOp::Negate).then(|| -scalar::integer(element, a[0]));
            tell_wrapped(environment, element, exact);
            scalar::unary(*op, element, a[0])
        }),
        ExprKind::Binary(op, a, b) => on([a, b], environment, |environment, x| {
            tell_wrapped(environment, element, exact(*op, element, x[0], x[1]));
            binary(*op, element, x[0], x[1])
        }),
        ExprKind::Compare(op, a, b) => on([a, b], environment, |_, x| u64::from(scalar::compare(*op, a.element(), x[0], x[1]))),
        ExprKind::And(a, b) => match evaluate(a, environment) {
            Value::Bits(0) => Value::Bits(0),
            Value::Bits(_) => evaluate(b, environment),
            error => error,
        },
        ExprKind::Or(a, b) => match evaluate(a, environment) {
            Value::Bits(0) => evaluate(b, environment),
            other => other,
        },
        ExprKind::Conditional(c, a, b) => match evaluate(c, environment) {
            Value::Bits(0) => evaluate(b, environment),
            Value::Bits(_) => evaluate(a, environment),
            error => error,
        },
        ExprKind::Within(a, ..) => evaluate(a, environment),
        ExprKind::Convert(a) => on([a], environment, |environment, x| {
            let from = a.element();
            tell_wrapped(environment, element, from.is_integer().then(|| scalar::integer(from, x[0])));
            scalar::convert(from, element, x[0])
        }),
        // Strict: an error in the part that `select` does not choose counts, too.
        ExprKind::Builtin(builtin, operands) => {
            on(operands, environment, |_, x| scalar::builtin(*builtin, operands[0].element(), element, x))
        }
        ExprKind::Call(callee, arguments) => on(arguments, environment, |environment, x| call(callee, x, environment.program())),
        ExprKind::Read(source, indices) => {
            let mut at = Vec::with_capacity(indices.len());
            let mut error = None;
            for index in indices {
                match evaluate(index, environment) {
                    Value::Bits(bits) => at.push(scalar::integer(index.element(), bits) as i64),
                    other => error = error.max(Some(other)),
                }
            }
            match error {
                Some(error) => error,
                None => environment.read(*source, &at),
            }
        }
        ExprKind::Extremum(x) => extremum(x, element, environment),
    }
}

/// The environment of what an extremum looks at.
struct Bound<'e> {
    outer: &'e mut dyn Environment,
    variable: Variable,
    value: i64,
}

impl Environment for Bound<'_> {
    fn variable(&mut self, variable: Variable) -> Value {
        if variable != self.variable {
            return self.outer.variable(variable);
        }
        Value::Bits(scalar::wrapped(Element::Int32, self.value.into()))
    }

    fn read(&mut self, source: Source, indices: &[i64]) -> Value {
        self.outer.read(source, indices)
    }

    fn program(&self) -> &Program {
        self.outer.program()
    }

    fn wrapped(&mut self) {
        self.outer.wrapped();
    }
}

fn extremum(x: &Extremum, element: Element, environment: &mut dyn Environment) -> Value {
    let (low, high) = match (evaluate(&x.low, environment), evaluate(&x.high, environment)) {
        (Value::Bits(low), Value::Bits(high)) => {
            (scalar::integer(x.low.element(), low) as i64, scalar::integer(x.high.element(), high) as i64)
        }
        (a, b) => return a.max(b),
    };
    if high.saturating_sub(low) >= ENUMERATED || low < -FAR || high > FAR {
        return evaluate(&x.otherwise, environment);
    }
    let mut best: Option<i128> = None;
    let mut inner = Bound { outer: environment, variable: x.variable, value: low };
    for value in low..=high {
        inner.value = value;
        match x.condition.as_ref().map(|c| evaluate(c, &mut inner)) {
            Some(Value::Bits(0)) => continue,
            Some(error @ (Value::RdomError | Value::MemoryError)) => return error,
            Some(Value::Bits(_)) | None => {}
        }
        match evaluate(&x.value, &mut inner) {
            Value::Bits(bits) => {
                let found = scalar::integer(x.value.element(), bits);
                best = Some(best.map_or(found, |best| if x.is_min { best.min(found) } else { best.max(found) }));
            }
            error => return error,
        }
    }
    Value::Bits(scalar::wrapped(element, best.unwrap_or(x.nothing.into())))
}

/// A strict operation.
fn on<'e>(
    operands: impl IntoIterator<Item = &'e Expr, IntoIter: ExactSizeIterator>,
    environment: &mut dyn Environment,
    f: impl FnOnce(&mut dyn Environment, &[u64]) -> u64,
) -> Value {
    let operands = operands.into_iter();
    // Nearly all have room here.
    let (mut few, mut many, mut error) = ([0; 4], Vec::new(), None);
    let bits = match few.get_mut(..operands.len()) {
        Some(few) => few,
        None => {
            many.resize(operands.len(), 0);
            &mut many[..]
        }
    };
    for (bits, operand) in bits.iter_mut().zip(operands) {
        match evaluate(operand, environment) {
            Value::Bits(found) => *bits = found,
            other => error = error.max(Some(other)),
        }
    }
    error.unwrap_or_else(|| Value::Bits(f(environment, bits)))
}

/// Tells that the exact result of an operation does not fit in its type, if that is one of integers.
fn tell_wrapped(environment: &mut dyn Environment, element: Element, exact: Option<i128>) {
    let fits = |exact| scalar::integer(element, scalar::wrapped(element, exact)) == exact;
    if element.is_integer() && exact.is_some_and(|exact| !fits(exact)) {
        environment.wrapped();
    }
}

/// What an operator gives in ℤ; `None` for those that do not leave their type.
fn exact(op: BinaryOp, element: Element, a: u64, b: u64) -> Option<i128> {
    if !element.is_integer() {
        return None;
    }
    let (a, b) = (scalar::integer(element, a), scalar::integer(element, b));
    match op {
        BinaryOp::Add => Some(a + b),
        BinaryOp::Subtract => Some(a - b),
        BinaryOp::Multiply => Some(a.saturating_mul(b)),
        BinaryOp::Divide
        | BinaryOp::Remainder
        | BinaryOp::BitAnd
        | BinaryOp::BitOr
        | BinaryOp::BitXor
        | BinaryOp::ShiftLeft
        | BinaryOp::ShiftRight => None,
    }
}

/// Like the operators of functions, but integers divide towards minus infinity.
pub fn binary(op: BinaryOp, element: Element, a: u64, b: u64) -> u64 {
    if !element.is_integer() || !matches!(op, BinaryOp::Divide | BinaryOp::Remainder) {
        return scalar::binary(op, element, a, b);
    }
    let (x, y) = (scalar::integer(element, a), scalar::integer(element, b));
    let result = match op {
        _ if y == 0 => 0,
        BinaryOp::Divide => floor_div(x, y),
        _ => x - y * floor_div(x, y),
    };
    scalar::wrapped(element, result)
}

/// ⌊x / y⌋ for y ≠ 0.
pub fn floor_div(x: i128, y: i128) -> i128 {
    let quotient = x / y;
    if x % y != 0 && ((x < 0) != (y < 0)) { quotient - 1 } else { quotient }
}

/// A call of a pure function. One that goes wrong on the algorithm's values is the program's fault: its value is 0.
fn call(callee: &Callee, arguments: &[u64], program: &Program) -> u64 {
    scalar::call(program, callee.function, arguments, Limits { steps: Some(10_000_000), ..Limits::default() }).unwrap_or(0)
}
