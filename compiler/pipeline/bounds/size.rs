//! How large the values of an expression can be, wherever it is computed: which of them may leave `int`.
//!
//! ```text
//! x                  ±(2³⁰ + 2²⁴), a coordinate             p                 any int, a parameter
//! 4 * x              ±2³² and a little: may leave int       (4 * x) / 8       ±2²⁹, once 4 * x is known to be an int
//! 3 * a(x), uint8    0 … 765                                7919 * b(x), int  data that may leave int by itself
//! ```
//! The reasoning is static: a start check sees to it that coordinates are near 0, whatever the arguments are. What is computed
//! of data alone may wrap, as arithmetic does; what is computed of coordinates may not (see `overflow`).

use super::super::algorithm::{Func, VariableKind};
use super::super::expr::{Expr, ExprKind, Form, FuncId, Source, Variable};
use super::super::limits::{COORDINATES, ROUNDED, UNCHECKED, WIDE};
use super::super::loops::ir::Binder;
use super::super::simplify::constant_value;
use super::infer::Inference;
use super::numbers::Numbers;
use super::range::{Interval, Solver};
use crate::typed::ir::BinaryOp;
use crate::types::Element;

/// Coordinates.
const NEAR: Numbers = Numbers { low: -(COORDINATES as i128), high: COORDINATES as i128 };

/// What is known of the values of an expression.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// All values.
    pub all: Numbers,
    /// What data alone makes of it, where all coordinates and parameters are 0.
    pub data: Numbers,
    /// Is its least, or its greatest value only known by its type, since data has no bounds?
    pub is_open: [bool; 2],
}

impl Size {
    /// Something that is no data.
    fn bound(all: Numbers) -> Size {
        Size { all, data: Numbers { low: 0, high: 0 }, is_open: [false; 2] }
    }

    /// Data, or a number.
    fn read(all: Numbers, is_open: [bool; 2]) -> Size {
        Size { all, data: all, is_open }
    }

    fn map(self, is_open: [bool; 2], f: impl Fn(Numbers) -> Numbers) -> Size {
        Size { all: f(self.all), data: f(self.data), is_open }
    }

    fn zip(self, other: Size, is_open: [bool; 2], f: impl Fn(Numbers, Numbers) -> Numbers) -> Size {
        Size { all: f(self.all, other.all), data: f(self.data, other.data), is_open }
    }

    fn negated(self) -> Size {
        let [low, high] = self.is_open;
        self.map([high, low], Numbers::negated)
    }

    fn either(self, other: Size) -> Size {
        let is_open = [self.is_open[0] || other.is_open[0], self.is_open[1] || other.is_open[1]];
        self.zip(other, is_open, Numbers::with)
    }

    /// The same of what is known to have a type.
    fn as_type(self, numbers: Numbers) -> Size {
        self.map(self.is_open, |n| n.within(numbers))
    }

    /// May it have values that are no `int`?
    pub fn may_leave_int(&self) -> bool {
        !self.all.fits(Numbers::INT)
    }

    /// Does data by itself leave `int`, or has it no bounds that could be looked at?
    pub fn is_data(&self) -> bool {
        self.is_open.contains(&true) || !self.data.fits(Numbers::INT)
    }
}

/// Is it right modulo 2³² where its operands are, and does it not look at their size?
pub fn is_modular(op: BinaryOp) -> bool {
    match op {
        BinaryOp::Add
        | BinaryOp::Subtract
        | BinaryOp::Multiply
        | BinaryOp::BitAnd
        | BinaryOp::BitOr
        | BinaryOp::BitXor
        | BinaryOp::ShiftLeft => true,
        BinaryOp::Divide | BinaryOp::Remainder | BinaryOp::ShiftRight => false,
    }
}

fn is_wide(op: BinaryOp, element: Element, a: Size, b: Size) -> bool {
    let is_product = matches!(op, BinaryOp::Multiply | BinaryOp::ShiftLeft);
    is_product && !Numbers::binary(op, element, a.all, b.all).fits(Numbers { low: -i128::from(WIDE), high: WIDE.into() })
}

impl Inference<'_> {
    /// What the values of an integer expression, or of a condition, can be. Operands of what is not modular are `int`s.
    pub fn size(&self, e: &Expr) -> Size {
        if let Some(known) = self.found.known_sizes.borrow().get(e) {
            return *known;
        }
        let size = self.size_by_kind(e);
        // While it is worked out how far windows reach, less is known than at last.
        if self.found.open_reaches.get() == 0 {
            self.found.known_sizes.borrow_mut().insert(e.clone(), size);
        }
        size
    }

    fn size_by_kind(&self, e: &Expr) -> Size {
        if let Some(n) = constant_value(e).filter(|_| e.element() == Element::Int32) {
            return Size::read(Numbers { low: n.into(), high: n.into() }, [false; 2]);
        }
        let of = |e: &Expr| self.size(e);
        let known = match e.form() {
            Form::Variable(v) => self.size_of_variable(v),
            _ if !e.element().is_integer() && e.element() != Element::Bool => self.size_of_leaf(e),
            Form::Negate(a) => of(a).negated(),
            Form::Not(a) if e.element().is_integer() => {
                let negative = of(a).negated();
                negative.map(negative.is_open, |n| Numbers::new(n.low - 1, n.high - 1))
            }
            Form::Binary(op, a, b) if e.element().is_integer() => self.size_of_binary(op, a, b),
            Form::Extremum(is_min, operands) => {
                let [a, b] = operands.map(|e| self.size_of_operand(e));
                let ([a_low, a_high], [b_low, b_high]) = (a.is_open, b.is_open);
                let is_open = if is_min { [a_low || b_low, a_high && b_high] } else { [a_low && b_low, a_high || b_high] };
                a.zip(b, is_open, |a, b| a.extremum(is_min, b))
            }
            Form::Abs(a) => {
                let a = self.size_of_operand(a);
                a.map([false, a.is_open.contains(&true)], Numbers::absolute)
            }
            Form::Choice(_, a, b) => of(a).either(of(b)),
            Form::Within(a, [low, high]) => {
                let ends = Numbers { low: of(low).all.low, high: of(high).all.high };
                let a = of(a);
                if ends.fits(Numbers::INT) { a.map([false; 2], |n| n.within(ends)) } else { a }
            }
            Form::Convert(a) if a.element().is_integer() || a.element() == Element::Bool => {
                let inner = of(a);
                match (Numbers::of_type(e.element()), a.element()) {
                    (Some(numbers), _) => inner.map([false; 2], |n| if n.fits(numbers) { n } else { numbers }),
                    // Their order is not that of ℤ: their bounds are those of the type that they get.
                    (None, Element::Uint32 | Element::Uint64) => self.size_of_leaf(e),
                    (None, _) => inner,
                }
            }
            Form::Not(_) | Form::Binary(..) | Form::Convert(_) | Form::Leaf => self.size_of_leaf(e),
        };
        Numbers::of_type(e.element()).map_or(known, |numbers| known.as_type(numbers))
    }

    /// An operand of what looks at its size: it is known to be an `int`, or data that wraps.
    fn size_of_operand(&self, e: &Expr) -> Size {
        let size = self.size(e);
        if e.element() == Element::Int32 { size.as_type(Numbers::INT) } else { size }
    }

    fn size_of_binary(&self, op: BinaryOp, a: &Expr, b: &Expr) -> Size {
        let (mut x, mut y) = (self.size(a), self.size(b));
        if a.element() == Element::Int32 && (!is_modular(op) || is_wide(op, a.element(), x, y)) {
            (x, y) = (x.as_type(Numbers::INT), y.as_type(Numbers::INT));
        }
        let any = [x.is_open.contains(&true) || y.is_open.contains(&true); 2];
        let or = |i: usize, j: usize| x.is_open[i] || y.is_open[j];
        let is_open = match op {
            BinaryOp::Add => [or(0, 0), or(1, 1)],
            BinaryOp::Subtract => [or(0, 1), or(1, 0)],
            BinaryOp::Remainder => [y.is_open.contains(&true); 2],
            BinaryOp::BitAnd if constant_value(b).is_some_and(|n| n >= 0) => [false; 2],
            _ => any,
        };
        x.zip(y, is_open, |x, y| Numbers::binary(op, a.element(), x, y))
    }

    /// Is it a product that may leave 64 bits, in which windows are computed? Then its operands have to be `int`s.
    pub fn is_wide(&self, op: BinaryOp, a: &Expr, b: &Expr) -> bool {
        matches!(op, BinaryOp::Multiply | BinaryOp::ShiftLeft) && is_wide(op, a.element(), self.size(a), self.size(b))
    }

    /// What only its type bounds, or the engine.
    fn size_of_leaf(&self, e: &Expr) -> Size {
        let e = e.expanded(&|v| self.lets.get(&v).cloned());
        let coordinates = e.free_variables().iter().copied().filter(|v| self.is_coordinate(*v));
        let scope = self.anywhere(coordinates, e.span());
        let interval = if let ExprKind::Read(source, _) = e.kind() {
            self.value_range(*source)
        } else {
            Solver::new(&scope, self, None).by_parts(&e)
        };
        self.size_of_interval(&interval)
    }

    /// The numbers of an interval whose ends are known at the start.
    pub fn size_of_interval(&self, interval: &Interval) -> Size {
        let end = |e: &Option<Expr>| e.as_ref().map(|e| self.size(e).all);
        let (low, high) = (end(&interval.low), end(&interval.high));
        let low_end = low.map_or(Numbers::INT.low, |n| n.low);
        let high_end = high.map_or(Numbers::INT.high, |n| n.high);
        Size::read(Numbers::new(low_end.min(high_end), high_end.max(low_end)), [low.is_none(), high.is_none()])
    }

    fn size_of_variable(&self, v: Variable) -> Size {
        if let Some(known) = self.found.sizes.borrow().get(&v) {
            return *known;
        }
        let size = self.new_size(v);
        self.found.sizes.borrow_mut().insert(v, size);
        size
    }

    fn new_size(&self, v: Variable) -> Size {
        if let Some(value) = self.lets.get(&v) {
            return self.size(value);
        }
        if let Some(r) = self.pipeline.funcs.iter().flat_map(|f| &f.stages).flat_map(|s| &s.rdom).find(|r| r.variable == v) {
            return match [&r.low, &r.high].map(constant_value) {
                [Some(low), Some(high)] if low < high => Size::bound(Numbers { low: low.into(), high: i128::from(high) - 1 }),
                _ => Size::bound(NEAR),
            };
        }
        let dimension = |(id, func): (FuncId, &Func)| Some(self.reach(id, func.variables.iter().position(|x| *x == v)?));
        let coordinate = self.pipeline.numbered_funcs().filter_map(dimension).reduce(Size::either);
        match self.pipeline.variables.get(v.0 as usize).map(|info| info.element) {
            Some(Element::Int32) => coordinate.unwrap_or(Size::bound(Numbers::INT)),
            Some(_) => Size::bound(Numbers::new(i64::MIN.into(), u64::MAX.into())),
            None => match self.nest.binder(v) {
                Some(Binder::Hole(_) | Binder::Loop | Binder::Done) => Size::bound(NEAR),
                // The name of an end.
                Some(Binder::Let) | None => Size::bound(Numbers::ALL),
            },
        }
    }

    /// What a dimension of a func ranges over: the windows of the root block are near 0; inside of loops it is what its readers
    /// ask for, or, if that may be far from 0, what is checked of it.
    fn reach(&self, id: FuncId, dimension: usize) -> Size {
        let near = Size::bound(NEAR);
        if self.places.get(&id).is_none_or(|places| places.productions.iter().all(Option::is_none)) {
            return near;
        }
        // While it is worked out, what it asks of itself is known.
        self.found.sizes.borrow_mut().insert(self.pipeline.func(id).variables[dimension], near);
        self.found.open_reaches.set(self.found.open_reaches.get() + 1);
        let mut asked = Vec::new();
        for (reader, func) in self.pipeline.numbered_funcs().filter(|(reader, _)| *reader >= id) {
            func.reads(&mut |source, indices, _| {
                if source.whole() == Source::Func(id, 0) {
                    asked.push(self.size(&indices[dimension]).all);
                }
            });
            let updates = func.stages.iter().skip(1).filter(|_| reader == id);
            let impure = updates.filter(|stage| !stage.is_pure_dimension(&func.variables, dimension));
            asked.extend(impure.map(|stage| self.size(&stage.indices[dimension]).all));
        }
        self.found.open_reaches.set(self.found.open_reaches.get() - 1);
        let read = asked.into_iter().reduce(Numbers::with);
        let all = read.map_or(NEAR, |read| Numbers::new(read.low - i128::from(ROUNDED), read.high + i128::from(ROUNDED)));
        let is_asserted = self.nest.bounds.iter().any(|bound| bound.func == id && bound.dimension == dimension);
        if !is_asserted && all.fits(Numbers { low: -i128::from(UNCHECKED), high: UNCHECKED.into() }) {
            return Size::bound(all);
        }
        self.found.far.borrow_mut().insert((id, dimension));
        near
    }

    /// Must it be checked that the windows of a func in a dimension are near 0? Those of the root block always are.
    pub fn may_be_far(&self, id: FuncId, dimension: usize) -> bool {
        self.size_of_variable(self.pipeline.func(id).variables[dimension]);
        self.found.far.borrow().contains(&(id, dimension))
    }

    /// A variable of loops, of a func or of a reduction domain?
    pub fn is_coordinate(&self, v: Variable) -> bool {
        let kind = self.pipeline.variables.get(v.0 as usize).map(|info| info.kind);
        matches!(kind, Some(VariableKind::Pure | VariableKind::Reduction))
    }
}
