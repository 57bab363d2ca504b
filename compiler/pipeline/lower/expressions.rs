//! Expressions of pipelines as typed ones, at the lengths that their parts have: what is the same in all lanes is a scalar.
//!
//! ```text
//! x + 1         with lanes x: ⟨int | 8⟩     ──►     x + broadcast 1
//! a / 4,  a % 4                             ──►     a >> 2,  a & 3          towards minus infinity
//! a / b                                     ──►     floor_div(a, b)         of the library, at the lengths of a and b
//! steps(x)      which is not lane-wise      ──►     steps'(x)               one lane after the other
//! ```

use super::super::expr::{Callee, Expr, ExprKind, Known, Source, Variable, zero};
use super::super::simplify::constant_value;
use super::body::parameter;
use super::state::Lowering;
use crate::check::schedules::new_local;
use crate::typed::interpret::scalar;
use crate::typed::ir::{self, BinaryOp, CompareOp, Constant, LaneOp, Local, StatementKind};
use crate::types::{Element, Type};

impl Lowering<'_> {
    /// An expression.
    pub fn value(&mut self, e: &Expr) -> ir::Expr {
        if let Some(call) = self.exact(e) {
            return call;
        }
        match e.kind() {
            ExprKind::Constant(constant) => self.constant(e.element(), *constant),
            ExprKind::Variable(variable) => self.variable(*variable),
            ExprKind::Unary(op, a) => self.b.unary(*op, self.value(a)),
            ExprKind::Binary(op @ (BinaryOp::Divide | BinaryOp::Remainder), a, b) if e.element().is_signed() => {
                self.floor_division(*op, a, b)
            }
            ExprKind::Binary(op, a, b) => self.b.binary(*op, self.value(a), self.value(b)),
            ExprKind::Compare(op, a, b) => self.b.compare(*op, self.value(a), self.value(b)),
            ExprKind::And(a, b) => self.b.lazy(ir::ExprKind::And, self.value(a), self.value(b)),
            ExprKind::Or(a, b) => self.b.lazy(ir::ExprKind::Or, self.value(a), self.value(b)),
            ExprKind::Conditional(c, a, b) => self.b.conditional(self.value(c), self.value(a), self.value(b)),
            ExprKind::Within(a, .., Known::Proven) => self.value(a),
            ExprKind::Within(a, low, high, Known::Said { of, axis }) => self.said(a, [low, high], of, *axis),
            ExprKind::Convert(a) => self.b.convert(self.value(a), e.element()),
            ExprKind::Builtin(op, operands) => self.b.builtin(*op, self.values(operands), e.element()),
            ExprKind::Call(callee, arguments) => self.call(callee, arguments, e),
            ExprKind::Read(source, indices) => self.b.pointed(self.address_of(*source, indices)),
            ExprKind::Extremum(x) => self.extremum(e, x),
        }
    }

    /// Several expressions.
    pub fn values(&mut self, list: &[Expr]) -> Vec<ir::Expr> {
        list.iter().map(|e| self.value(e)).collect()
    }

    /// An index that the author says is inside.
    fn said(&mut self, index: &Expr, [low, high]: [&Expr; 2], of: &str, axis: usize) -> ir::Expr {
        let span = index.span();
        let (index, min, last) = (self.value(index), self.value(low), self.value(high));
        let extent = self.b.add(self.b.subtract(last, min.clone()), self.b.int(1));
        let window = ir::Window { name: of.to_owned(), dimension: Some(axis), min, extent };
        ir::Expr { ty: index.ty, kind: ir::ExprKind::Within(Box::new(ir::Expr { span, ..index }), Box::new(window)), span }
    }

    /// A variable's value.
    pub fn variable(&self, variable: Variable) -> ir::Expr {
        let local = self.bound.get(&variable).unwrap_or_else(|| panic!("`{}` is bound", self.nest.name(variable)));
        self.b.load(*local)
    }

    /// Is it the same in all lanes? A call in a vector loop gives a vector.
    pub fn is_uniform(&self, e: &Expr) -> bool {
        if self.b.context() == 1 {
            return true;
        }
        let has_place = |source: &Source| self.places.get(source).is_some_and(|place| place.has_lanes);
        let is_vector = |part: &Expr| {
            matches!(part.kind(), ExprKind::Call(..)) || matches!(part.kind(), ExprKind::Read(source, _) if has_place(source))
        };
        !e.mentions(&|v| self.has_lanes(v)) && !e.any(&is_vector)
    }

    /// Does a variable differ between the lanes?
    pub fn has_lanes(&self, variable: Variable) -> bool {
        self.varying.contains(&variable)
    }

    /// A constant of its type.
    fn constant(&self, element: Element, constant: Constant) -> ir::Expr {
        let bits = scalar::constant(element, constant);
        let by_bits = |of| self.b.builtin(LaneOp::Bits, vec![self.b.constant(Constant::Int(bits), of)], element);
        match element {
            Element::Bool => self.b.constant(Constant::Bool(bits != 0), element),
            Element::Float16 if !ivl::Float16::from_bits(bits as u16).to_f32().is_finite() => by_bits(Element::Int16),
            Element::Float16 => self.b.constant(Constant::Float(ivl::Float16::from_bits(bits as u16).to_f64()), element),
            Element::Float if !f32::from_bits(bits as u32).is_finite() => by_bits(Element::Int32),
            Element::Float => self.b.constant(Constant::Float(f64::from(f32::from_bits(bits as u32))), element),
            Element::Double if !f64::from_bits(bits).is_finite() => by_bits(Element::Int64),
            Element::Double => self.b.constant(Constant::Float(f64::from_bits(bits)), element),
            _ => self.b.constant(Constant::Int(bits), element),
        }
    }

    /// Towards minus infinity: a shift or a mask for powers of two.
    fn floor_division(&mut self, op: BinaryOp, a: &Expr, b: &Expr) -> ir::Expr {
        let element = a.element();
        if let Some(n) = constant_value(b).filter(|n| *n > 0 && n.count_ones() == 1) {
            let (op, by) = match op {
                BinaryOp::Divide => (BinaryOp::ShiftRight, i64::from(n.trailing_zeros())),
                _ => (BinaryOp::BitAnd, n - 1),
            };
            return self.b.binary(op, self.value(a), self.b.integer(by, element));
        }
        let are_uniform = self.b.context() > 1 && self.is_uniform(a) && self.is_uniform(b);
        let (a, b) = (self.value(a), self.value(b));
        if are_uniform {
            // A call in a vector context gives a vector; this stays scalar.
            return self.floor_division_of_scalars(op, a, b, element);
        }
        let name = if op == BinaryOp::Divide { "floor_div" } else { "floor_mod" };
        let (types, context) = (vec![a.ty, b.ty], self.b.context());
        let function = self.b.target().of_library(name, element, context, types, self.b.span.get());
        self.b.call(function, vec![a, b])
    }

    /// One less than C's quotient, or b more than its remainder, where the signs differ and something is left.
    fn floor_division_of_scalars(&self, op: BinaryOp, x: ir::Expr, y: ir::Expr, element: Element) -> ir::Expr {
        let (b, zero) = (self.b, self.b.integer(0, element));
        let rest = b.binary(BinaryOp::Remainder, x.clone(), y.clone());
        let is_left = b.compare(CompareOp::NotEqual, rest.clone(), zero.clone());
        let differ = b.compare(CompareOp::Less, b.binary(BinaryOp::BitXor, x.clone(), y.clone()), zero.clone());
        let is_between = b.binary(BinaryOp::BitAnd, is_left, differ);
        match op {
            BinaryOp::Divide => b.subtract(b.binary(op, x, y), b.conditional(is_between, b.integer(1, element), zero)),
            _ => b.add(rest, b.conditional(is_between, y, zero)),
        }
    }

    /// A call. In a vector loop all operands are vectors: an instance for some scalars would be another one.
    fn call(&mut self, callee: &Callee, arguments: &[Expr], e: &Expr) -> ir::Expr {
        let n = self.b.context();
        let mut given = self.values(arguments);
        if n > 1 {
            given = given.into_iter().map(|e| self.b.at_length(e, n)).collect();
        }
        let function = match callee.is_lane_wise || n == 1 {
            true => {
                let types = given.iter().map(|e| e.ty).collect();
                self.b.target().instance(callee.function, n, types, e.span())
            }
            false => self.lane_by_lane(callee, arguments, e),
        };
        self.b.call(function, given)
    }

    /// A function that calls one for each active lane by itself.
    ///
    /// ```text
    /// int block[8] steps'(int block[8] a) { int block[8] r = 0; foreach_active (int k) set(r, steps(get(a, k)), k); return r; }
    /// ```
    fn lane_by_lane(&mut self, callee: &Callee, arguments: &[Expr], e: &Expr) -> ir::FunctionId {
        let n = self.b.context();
        let key = (callee.function, n);
        if let Some(&known) = self.by_lane.get(&key) {
            return known;
        }
        let elements: Vec<Element> = arguments.iter().map(Expr::element).collect();
        let types: Vec<Type> = elements.iter().map(|&element| self.b.vector(element, n)).collect();
        let parameters = types.iter().map(|&ty| new_local("", ty, self.b.span.get())).collect();
        let result = self.b.vector(e.element(), n);
        let name = format!("{}.{}.lanes{}", self.name, callee.name, self.by_lane.len() + 1);
        let (element, span) = (e.element(), e.span());
        let function = self.beside(&name, parameters, n, result, |this| {
            let b = this.b;
            let all = b.declare("all", b.at_length(b.constant(zero(element), element), n));
            let lane = b.local("lane", b.scalar(Element::Int32));
            let body = b.block(1, || {
                let lanes = elements.iter().enumerate().map(|(k, &element)| b.lane(parameter(k), lane, element));
                let given: Vec<ir::Expr> = lanes.collect();
                let types = given.iter().map(|e| e.ty).collect();
                let scalar = b.target().instance(callee.function, 1, types, span);
                let (value, index) = (Box::new(b.call(scalar, given)), Box::new(b.load(lane)));
                b.run(b.expr(ir::ExprKind::SetLane { place: b.place_of(all), value, index }, b.void()));
            });
            b.push(StatementKind::ForeachActive { index: lane, body });
            b.give(b.load(all));
        });
        self.by_lane.insert(key, function);
        function
    }

    /// Parameters for variables, of the types that they have here or, as scalars, of their elements.
    pub fn parameters_for(&self, variables: &[Variable], are_scalars: bool) -> Vec<Local> {
        let length = if are_scalars { 1 } else { self.b.context() };
        let parameter = |&v: &Variable| (self.nest.name(v), self.b.vector(self.nest.element(v), length));
        variables.iter().map(parameter).map(|(name, ty)| new_local(name, ty, self.b.span.get())).collect()
    }
}
