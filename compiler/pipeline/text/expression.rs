//! Expressions as text of the language. Constants carry their types, so that each operator works on the type that it has in the
//! pipeline.

use super::super::bounds::simplify::{Linear, constant_value, linear, minus, simplify};
use super::super::expr::{Expr, ExprKind, Source, Variable};
use super::names::call_name;
use super::{NEIGHBOURS, Place, Writer};
use crate::typed::builtins::name_of;
use crate::typed::interpret::scalar;
use crate::typed::ir::{BinaryOp, Builtin, Constant, LaneOp, UnaryOp};
use crate::typed::print::{binary_symbol, compare_symbol};
use crate::types::Element;
use std::fmt::Write;

/// An extremum of extrema has so many operands where it is written as it is.
const FLAT: usize = 16;

impl Writer<'_> {
    /// An expression as an operand: a name, a call, or in brackets.
    pub fn operand(&mut self, e: &Expr) -> String {
        if let Some(call) = self.exact(e) {
            return call;
        }
        if let ExprKind::Builtin(builtin @ (LaneOp::Min | LaneOp::Max), _) = e.kind()
            && e.element().is_integer()
        {
            let mut operands = Vec::new();
            operands_of(e, *builtin, &mut operands);
            if operands.len() > FLAT {
                return self.extremum_of(name_of(Builtin::Lane(*builtin)), &operands);
            }
        }
        match e.kind() {
            ExprKind::Constant(constant) => self.constant(e.element(), *constant),
            ExprKind::Variable(variable) => self.variable(*variable),
            ExprKind::Unary(op, a) => {
                let symbol = match op {
                    UnaryOp::Negate => "-",
                    UnaryOp::Not if e.element() == Element::Bool => "!",
                    UnaryOp::Not => "~",
                };
                format!("({symbol}{})", self.operand(a))
            }
            ExprKind::Binary(op @ (BinaryOp::Divide | BinaryOp::Remainder), a, b) if e.element().is_signed() => {
                self.floor_division(*op, a, b)
            }
            // A sum is read from the left: a long one is not a deep one.
            ExprKind::Binary(op, a, b) if is_sum(*op) && matches!(a.kind(), ExprKind::Binary(op, ..) if is_sum(*op)) => {
                format!("({} {} {})", self.bare(a), binary_symbol(*op), self.operand(b))
            }
            ExprKind::Binary(op, a, b) => format!("({} {} {})", self.operand(a), binary_symbol(*op), self.operand(b)),
            ExprKind::Compare(op, a, b) => format!("({} {} {})", self.operand(a), compare_symbol(*op), self.operand(b)),
            ExprKind::And(a, b) => format!("({} && {})", self.operand(a), self.operand(b)),
            ExprKind::Or(a, b) => format!("({} || {})", self.operand(a), self.operand(b)),
            ExprKind::Conditional(c, a, b) => format!("({} ? {} : {})", self.operand(c), self.operand(a), self.operand(b)),
            ExprKind::Within(a, ..) => self.operand(a),
            ExprKind::Convert(a) => format!("(({}) {})", e.element().name(), self.operand(a)),
            ExprKind::Builtin(LaneOp::Bits, operands) => {
                let name = match e.element() {
                    Element::Float => "floatbits",
                    Element::Double => "doublebits",
                    _ => "intbits",
                };
                format!("{name}({})", self.operand(&operands[0]))
            }
            ExprKind::Builtin(builtin, operands) => format!("{}({})", name_of(Builtin::Lane(*builtin)), self.operands(operands)),
            ExprKind::Call(callee, arguments) if self.length > 1 => self.call_of_lanes(callee, arguments, e.element()),
            ExprKind::Call(callee, arguments) => format!("{}({})", call_name(callee), self.operands(arguments)),
            ExprKind::Read(source, indices) => self.element_of(*source, indices),
            ExprKind::Extremum(x) => self.extremum(e, x),
        }
    }

    /// The least or greatest of many integers, no deeper than need be.
    fn extremum_of(&mut self, name: &str, operands: &[&Expr]) -> String {
        if let [operand] = operands {
            return self.bare(operand);
        }
        let (a, b) = operands.split_at(operands.len() / 2);
        format!("{name}({}, {})", self.extremum_of(name, a), self.extremum_of(name, b))
    }

    pub fn operands(&mut self, list: &[Expr]) -> String {
        list.iter().map(|e| self.bare(e)).collect::<Vec<_>>().join(", ")
    }

    /// An expression without the brackets around it.
    pub fn bare(&mut self, e: &Expr) -> String {
        let text = self.operand(e);
        // The bracket at the beginning must be closed by that at the end.
        let closes_early = || {
            let mut depth = 0;
            text.char_indices().any(|(i, c)| {
                depth += match c {
                    '(' => 1,
                    ')' => -1,
                    _ => 0,
                };
                depth == 0 && i + 1 < text.len()
            })
        };
        if text.starts_with('(') && text.ends_with(')') && !closes_early() { text[1..text.len() - 1].to_owned() } else { text }
    }

    fn variable(&mut self, variable: Variable) -> String {
        self.names.of(self.nest, variable)
    }

    /// Towards minus infinity: a shift or a mask for powers of two.
    fn floor_division(&mut self, op: BinaryOp, a: &Expr, b: &Expr) -> String {
        let element = a.element();
        let power = constant_value(b).filter(|n| *n > 0 && n.count_ones() == 1);
        if let Some(n) = power {
            let (symbol, by) = match op {
                BinaryOp::Divide => (">>", n.trailing_zeros() as i64),
                _ => ("&", n - 1),
            };
            let by = self.constant(element, Constant::Int(by as u64));
            return format!("({} {symbol} {by})", self.operand(a));
        }
        if self.length > 1 && self.is_uniform(a) && self.is_uniform(b) {
            // A call in a vector context gives a vector; this stays scalar.
            let (a, b) = (self.operand(a), self.operand(b));
            let is_between = format!("(({a} % {b} != 0) & (({a} ^ {b}) < 0))");
            let [zero, one] = [0, 1].map(|n| self.constant(element, Constant::Int(n)));
            return match op {
                BinaryOp::Divide => format!("({a} / {b} - ({is_between} ? {one} : {zero}))"),
                _ => format!("({a} % {b} + ({is_between} ? {b} : {zero}))"),
            };
        }
        let name = if op == BinaryOp::Divide { "floor_div" } else { "floor_mod" };
        format!("{name}({}, {})", self.bare(a), self.bare(b))
    }

    /// A constant of its type.
    fn constant(&mut self, element: Element, constant: Constant) -> String {
        let bits = scalar::constant(element, constant);
        match element {
            Element::Bool => (if bits != 0 { "true" } else { "false" }).to_owned(),
            Element::Float => {
                float(f64::from(f32::from_bits(bits as u32)), &format!("{:?}f", f32::from_bits(bits as u32)), || {
                    format!("floatbits({})", self.constant(Element::Int32, Constant::Int(bits)))
                })
            }
            Element::Double => float(f64::from_bits(bits), &format!("{:?}d", f64::from_bits(bits)), || {
                format!("doublebits({})", self.constant(Element::Int64, Constant::Int(bits)))
            }),
            _ => {
                let value = scalar::integer(element, bits);
                let least = -(1i128 << (element.bits() - 1));
                match element {
                    Element::Int32 if value == least => "(-2147483647 - 1)".to_owned(),
                    Element::Int32 => value.to_string(),
                    Element::Int64 if value == least => "(-9223372036854775807l - 1l)".to_owned(),
                    Element::Int64 if value < 0 => format!("({value}l)"),
                    Element::Int64 => format!("{value}l"),
                    _ if value < 0 => format!("(({}) ({value}))", element.name()),
                    _ => format!("(({}) {value})", element.name()),
                }
            }
        }
    }

    /// Is it the same in all lanes, and a scalar? What a function gives in a vector context is a vector.
    pub fn is_uniform(&self, e: &Expr) -> bool {
        let mut calls = false;
        if self.length > 1 {
            e.walk(&mut |part| calls |= matches!(part.kind(), ExprKind::Call(..)));
        }
        !calls && !e.mentions(&|v| self.varying.contains(&v)) && !self.reads_lanes(e)
    }

    /// An element of a func or an image. The part of the index that all lanes share goes to the pointer, so that neighbouring
    /// lanes are seen to access neighbouring elements.
    pub fn element_of(&mut self, source: Source, indices: &[Expr]) -> String {
        let place = self.place_of(source);
        if place.has_lanes {
            return self.element_of_lanes(&place, indices);
        }
        if let (true, Source::Func(id, _)) = (place.may_be_narrow, source)
            && indices.iter().any(|index| self.is_computed(index))
        {
            self.narrow.insert(id);
            return self.gathered(&place, indices);
        }
        let mut shared: Vec<String> = Vec::new();
        let mut own: Vec<String> = Vec::new();
        for (d, index) in indices.iter().enumerate() {
            let (min, stride) = (&place.mins[d], place.strides[d].as_ref());
            if let Some((folded, mask)) = &place.fold
                && *folded == d
            {
                let slot = format!("{} & {mask}", self.operand(index));
                if self.is_uniform(index) { &mut shared } else { &mut own }.push(scaled(&slot, stride));
                continue;
            }
            // x + c with lanes x: c goes to the pointer. What counts the lanes is the index: it is there in 64 bits as well.
            let distance = place.low.get(d).and_then(|low| self.distance(index, low));
            let from = Some(min).filter(|_| distance.is_none());
            let form = distance.unwrap_or_else(|| self.linear_by_lanes(index));
            let (mut rest, mut lanes) = (Linear { constant: 0, ..form.clone() }, Linear { constant: 0, ..form.clone() });
            rest.terms.retain(|(atom, _)| self.is_uniform(atom));
            lanes.terms.retain(|(atom, _)| !self.is_uniform(atom));
            if let Some(sum) = self.sum_in_64_bits(&rest, from) {
                shared.push(match stride {
                    Some(stride) => format!("({sum} * {stride})"),
                    None => sum,
                });
            }
            // A constant is added in 64 bits, so that neighbours are seen to be at constant distances.
            shared.extend(steps(form.constant, stride));
            let text = match &lanes.terms[..] {
                [] => continue,
                [(atom, 1)] => self.bare(atom),
                _ => self.sum_in_64_bits(&lanes, None).expect("terms"),
            };
            own.push(match stride {
                Some(stride) => format!("(int64) ({text}) * {stride}"),
                None => text,
            });
        }
        place.element(&shared, &own)
    }
}

impl Place {
    /// The element at a distance: what all lanes share goes to the pointer.
    pub fn element(&self, shared: &[String], own: &[String]) -> String {
        let pointer = match shared.is_empty() {
            true => self.pointer.clone(),
            false => format!("({} + ({}))", self.pointer, shared.join(" + ")),
        };
        match own {
            [] => format!("*{pointer}"),
            [one] => format!("{pointer}[{one}]"),
            more => format!("{pointer}[{}]", more.iter().map(|t| format!("({t})")).collect::<Vec<_>>().join(" + ")),
        }
    }
}

/// So many coordinates along a dimension as elements.
fn scaled(text: &str, stride: Option<&String>) -> String {
    match stride {
        Some(stride) => format!("((int64) ({text}) * {stride})"),
        None => format!("(int64) ({text})"),
    }
}

/// The same for a number of them, if there are any.
fn steps(count: i64, stride: Option<&String>) -> Option<String> {
    match (stride, count) {
        (_, 0) => None,
        (Some(stride), 1) => Some(stride.clone()),
        (Some(stride), c) => Some(format!("{c}l * {stride}")),
        (None, c) => Some(format!("{c}l")),
    }
}

/// Elements at places that are computed lane by lane: gathers.
impl Writer<'_> {
    /// Is it more than sums and multiples of what counts the lanes?
    fn is_computed(&self, index: &Expr) -> bool {
        if self.is_uniform(index) {
            return false;
        }
        let form = self.linear_by_lanes(index);
        form.terms.iter().any(|(atom, _)| !matches!(atom.kind(), ExprKind::Variable(_)) && !self.is_uniform(atom))
    }

    /// A sum of multiples of `int`s less a coordinate, unless that is nothing. An index is an `int` as a whole. A part of one may not
    /// be: `0 - min` of a view that begins at the least `int`, or `4 * x` in `4 * x + p`.
    fn sum_in_64_bits(&mut self, sum: &Linear, less: Option<&String>) -> Option<String> {
        let mut text = String::new();
        for (atom, factor) in &sum.terms {
            let sign = if text.is_empty() { "" } else { " + " };
            let factor = if *factor == 1 { String::new() } else { format!(" * {factor}l") };
            let _ = write!(text, "{sign}(int64) {}{factor}", self.operand(atom));
        }
        if let Some(min) = less {
            let sign = if text.is_empty() { "-" } else { " - " };
            let _ = write!(text, "{sign}(int64) {min}");
        }
        (!text.is_empty()).then(|| format!("({text})"))
    }

    /// A coordinate as a sum of multiples, by what counts the lanes.
    fn linear_by_lanes(&self, index: &Expr) -> Linear {
        let by_lanes = |e: &Expr| e.substitute(&|v| self.sums.get(&v).filter(|_| self.varying.contains(&v)).cloned());
        linear(&simplify(&by_lanes(&index.without_ranges())))
    }

    /// An element at an index of 32 bits from the first one, which is half the work for a processor. Coordinates are inside of
    /// the func's window, and a start check says that it is small enough ([`Writer::reach`]); those of lanes that are off may
    /// overflow. What all lanes share and constants go to the pointer, in 64 bits: accesses nearby have one index.
    fn gathered(&mut self, place: &Place, indices: &[Expr]) -> String {
        let (mut shared, mut own) = (Vec::new(), Vec::new());
        for (d, index) in indices.iter().enumerate() {
            let (min, stride) = (&place.mins[d], place.strides[d].as_ref());
            if self.is_uniform(index) {
                let text = format!("{} - {min}", self.operand(index));
                shared.push(scaled(&text, stride));
                continue;
            }
            let mut form = self.linear_by_lanes(index);
            if form.constant.abs() <= NEIGHBOURS {
                shared.extend(steps(std::mem::take(&mut form.constant), stride));
            }
            let coordinate = self.operand(&form.to_expr(index.span()));
            own.push(match stride {
                Some(stride) => format!("({coordinate} - {min}) * (int) ({stride})"),
                None => format!("{coordinate} - {min}"),
            });
        }
        place.element(&shared, &own)
    }
}

impl Writer<'_> {
    /// The distance of a coordinate from the first one, where it is known but for one variable: memory that is accessed at
    /// constant distances alone can be registers.
    fn distance(&self, index: &Expr, low: &Expr) -> Option<Linear> {
        let distance = linear(&minus(&self.by_sums(index), &self.by_sums(low)));
        let is_simple = |e: &Expr| matches!(e.kind(), ExprKind::Variable(_));
        (distance.terms.len() <= 1 && distance.terms.iter().all(|(atom, _)| is_simple(atom))).then_some(distance)
    }
}

/// The operands of an extremum of extrema of the same kind.
fn operands_of<'e>(e: &'e Expr, wanted: LaneOp, all: &mut Vec<&'e Expr>) {
    match e.kind() {
        ExprKind::Builtin(builtin, operands) if *builtin == wanted => operands.iter().for_each(|o| operands_of(o, wanted, all)),
        _ => all.push(e),
    }
}

fn is_sum(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Add | BinaryOp::Subtract)
}

/// A float that reads back the same; those without digits by their bits.
fn float(value: f64, text: &str, bits: impl FnOnce() -> String) -> String {
    match value.is_finite() {
        true if value.is_sign_negative() => format!("({text})"),
        true => text.to_owned(),
        false => bits(),
    }
}
