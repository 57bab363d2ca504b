//! Expressions as text, with no more brackets than they need.
//!
//! ```text
//! a / 4,  a % 4                    ──►     a >> 2,  a & 3            towards minus infinity
//! a / b                            ──►     floor_div(a, b)
//! (int) (x * s + t)  of floats     ──►     p_s_exact1(x, s, t)       a strict function, where the pipeline is not
//! ```

use super::super::expr::{Callee, Expr, ExprKind, Extremum, Source, Variable};
use super::super::limits::{ENUMERATED, FAR};
use super::super::simplify::{constant_value, minus, simplify};
use super::super::wide::is_decided_by_floats;
use super::printer::{Place, Printer, Value};
use super::program::Called;
use crate::target::FpMode;
use crate::typed::builtins::name_of;
use crate::typed::interpret::scalar;
use crate::typed::ir::{BinaryOp, Builtin, CompareOp, Constant, LaneOp, UnaryOp};
use crate::typed::print::{binary_symbol, compare_symbol};
use crate::types::Element;

/// How tightly operators bind, as in C.
mod binding {
    pub const CONDITIONAL: u8 = 1;
    pub const OR: u8 = 2;
    pub const AND: u8 = 3;
    pub const BIT_OR: u8 = 4;
    pub const BIT_XOR: u8 = 5;
    pub const BIT_AND: u8 = 6;
    pub const EQUALITY: u8 = 7;
    pub const ORDER: u8 = 8;
    pub const SHIFT: u8 = 9;
    pub const SUM: u8 = 10;
    pub const PRODUCT: u8 = 11;
    pub const PREFIX: u8 = 12;
    pub const ATOM: u8 = 13;
}

impl Printer<'_> {
    /// An expression.
    pub fn text(&mut self, e: &Expr) -> String {
        let e = self.resolved(e);
        self.bound(&e).0
    }

    /// The same as an operand of whatever operator.
    pub fn operand(&mut self, e: &Expr) -> String {
        let e = self.resolved(e);
        self.part(&e, binding::PREFIX)
    }

    /// The text of an expression, in brackets if it binds less tightly than its surroundings.
    fn part(&mut self, e: &Expr, around: u8) -> String {
        let (text, own) = self.bound(e);
        if own < around { format!("({text})") } else { text }
    }

    /// A number that is only shown.
    pub fn number(&mut self, e: &Expr) -> String {
        let e = self.resolved(e);
        self.bound(unwidened(&e).unwrap_or(&e)).0
    }

    fn list(&mut self, list: &[Expr]) -> String {
        list.iter().map(|e| self.bound(e).0).collect::<Vec<_>>().join(", ")
    }

    /// An operand beside another one of its type: a number takes the type of that.
    fn beside(&mut self, e: &Expr, other: &Expr, around: u8) -> String {
        match (constant_value(e), constant_value(other)) {
            (Some(n), None) => {
                let own = if n < 0 { binding::PREFIX } else { binding::ATOM };
                if own < around { format!("({n})") } else { n.to_string() }
            }
            _ => self.part(e, around),
        }
    }

    fn infix(&mut self, a: &Expr, symbol: &str, b: &Expr, own: u8) -> (String, u8) {
        let (left, right) = (self.beside(a, b, own), self.beside(b, a, own + 1));
        (format!("{left} {symbol} {right}"), own)
    }

    /// The text of an expression, and how tightly it binds.
    fn bound(&mut self, e: &Expr) -> (String, u8) {
        if let Some(call) = self.exact(e) {
            return (call, binding::ATOM);
        }
        match e.kind() {
            ExprKind::Constant(constant) => number(e.element(), *constant),
            ExprKind::Variable(variable) => self.variable(*variable),
            ExprKind::Unary(op, a) => {
                let symbol = match (op, e.element()) {
                    (UnaryOp::Negate, _) => "-",
                    (UnaryOp::Not, Element::Bool) => "!",
                    (UnaryOp::Not, _) => "~",
                };
                (format!("{symbol}{}", self.part(a, binding::ATOM)), binding::PREFIX)
            }
            ExprKind::Binary(op @ (BinaryOp::Divide | BinaryOp::Remainder), a, b) if e.element().is_signed() => {
                self.floor_division(*op, a, b)
            }
            ExprKind::Binary(op, a, b) => self.infix(a, binary_symbol(*op), b, binary(*op)),
            ExprKind::Compare(op, a, b) => {
                let own = if matches!(op, CompareOp::Equal | CompareOp::NotEqual) { binding::EQUALITY } else { binding::ORDER };
                let [a, b] = narrowed(a, b).unwrap_or([a, b]);
                self.infix(a, compare_symbol(*op), b, own)
            }
            ExprKind::And(a, b) => self.infix(a, "&&", b, binding::AND),
            ExprKind::Or(a, b) => self.infix(a, "||", b, binding::OR),
            ExprKind::Conditional(c, a, b) => {
                let c = self.part(c, binding::OR);
                let (a, b) = (self.part(a, binding::OR), self.part(b, binding::CONDITIONAL));
                (format!("{c} ? {a} : {b}"), binding::CONDITIONAL)
            }
            ExprKind::Within(a, ..) => self.bound(a),
            ExprKind::Convert(a) => (format!("({}) {}", e.element().name(), self.part(a, binding::PREFIX)), binding::PREFIX),
            ExprKind::Builtin(op, operands) => {
                let name = match (op, e.element()) {
                    (LaneOp::Bits, Element::Float) => "floatbits",
                    (LaneOp::Bits, Element::Double) => "doublebits",
                    (LaneOp::Bits, element) if element.is_signed() => "intbits",
                    (LaneOp::Bits, Element::Uint64) => "bits<uint64>",
                    (LaneOp::Bits, _) => "bits<uint>",
                    _ => name_of(Builtin::Lane(*op)),
                };
                let name = match op {
                    LaneOp::SaturatingCast => format!("{name}<{}>", e.element().name()),
                    _ => name.to_owned(),
                };
                (format!("{name}({})", self.list(operands)), binding::ATOM)
            }
            ExprKind::Call(callee, arguments) => (self.call(callee, arguments, e), binding::ATOM),
            ExprKind::Read(source, indices) => (self.element_of(*source, indices), binding::ATOM),
            ExprKind::Extremum(x) => (self.extremum(e, x), binding::PREFIX),
        }
    }

    fn variable(&mut self, variable: Variable) -> (String, u8) {
        match self.values.get(&variable).cloned() {
            Some(Value::Local(name, definition)) => {
                self.lines.uses(definition);
                (name, binding::ATOM)
            }
            Some(Value::Text(text)) => (text, binding::ATOM),
            Some(Value::Same(e)) => self.bound(&e),
            None => panic!("`{}` is bound", self.nest.name(variable)),
        }
    }

    /// An element of a func or an image.
    pub fn element_of(&mut self, source: Source, indices: &[Expr]) -> String {
        let indices: Vec<Expr> = indices.iter().map(|e| self.coordinate(e)).collect();
        match self.places[&source].clone() {
            Place::Reference(name) => name,
            Place::Image { name, fold } => {
                let mut texts = Vec::new();
                for (d, index) in indices.iter().enumerate() {
                    texts.push(match &fold {
                        Some((dimension, mask)) if *dimension == d => {
                            format!("{} & {}", self.part(index, binding::BIT_AND), self.part(mask, binding::EQUALITY))
                        }
                        _ => self.bound(index).0,
                    });
                }
                format!("{name}({})", texts.join(", "))
            }
            Place::Scratch { name, window, has_lanes: _ } => {
                let mut at: Option<Expr> = None;
                for (index, [min, extent]) in indices.iter().zip(&window).rev() {
                    let distance = minus(index, min);
                    at = Some(match at {
                        Some(rest) => {
                            let rows = Expr::binary(BinaryOp::Multiply, rest, extent.clone());
                            simplify(&Expr::binary(BinaryOp::Add, rows, distance))
                        }
                        None => distance,
                    });
                }
                let at = at.map_or("0".to_owned(), |at| self.text(&at));
                format!("{name}[{at}]")
            }
        }
    }

    fn floor_division(&mut self, op: BinaryOp, a: &Expr, b: &Expr) -> (String, u8) {
        match (op, constant_value(b).filter(|n| *n > 0 && n.count_ones() == 1)) {
            (BinaryOp::Divide, Some(n)) => {
                (format!("{} >> {}", self.part(a, binding::SHIFT), n.trailing_zeros()), binding::SHIFT)
            }
            (_, Some(n)) => (format!("{} & {}", self.part(a, binding::BIT_AND), n - 1), binding::BIT_AND),
            (_, None) => {
                let name = if op == BinaryOp::Divide { "floor_div" } else { "floor_mod" };
                (format!("{name}({}, {})", self.bound(a).0, self.bound(b).0), binding::ATOM)
            }
        }
    }

    /// A call; one lane after the other, where the function on vectors is not the function on each lane.
    fn call(&mut self, callee: &Callee, arguments: &[Expr], e: &Expr) -> String {
        let called = Called {
            name: callee.name.clone(),
            is_library: callee.is_library,
            is_contracted: callee.is_library && !self.is_exact && self.nest.pipeline.fp != FpMode::Strict,
        };
        let callee_name = self.program.name_of(&called);
        if !self.called.contains(&called) {
            self.called.push(called);
        }
        let given = self.list(arguments);
        let n = self.lanes;
        if callee.is_lane_wise || n == 1 {
            return format!("{callee_name}({given})");
        }
        let name = self.helper(format!("{callee_name} by {n}"), "lanes", |this, name| {
            let ty = |e: &Expr| format!("{} block[{n}]", e.element().name());
            let parameters: Vec<String> = arguments.iter().enumerate().map(|(k, e)| format!("{} a{k}", ty(e))).collect();
            this.lines.open(format!("{} {name}({}) {{", ty(e), parameters.join(", ")));
            this.lines.push(format!("{} all = ({}) 0;", ty(e), e.element().name()));
            let lanes: Vec<String> = (0..arguments.len()).map(|k| format!("get(a{k}, lane)")).collect();
            this.lines.push(format!("foreach_active (int lane) set(all, {callee_name}({}), lane);", lanes.join(", ")));
            this.lines.push("return all;".into());
            this.lines.close("}");
        });
        format!("{name}({given})")
    }

    /// The call of a strict function, where the pipeline is not and integers are decided by floats (`lower::instances`).
    fn exact(&mut self, e: &Expr) -> Option<String> {
        let has_reason = self.nest.pipeline.fp != FpMode::Strict && !self.is_exact && is_decided_by_floats(e);
        if !has_reason || e.reads_or_calls() || e.has_extrema() {
            return None;
        }
        let used = e.free_variables().to_vec();
        let given: Vec<String> = used.iter().map(|v| self.variable(*v).0).collect();
        let body = self.bound_strictly(e);
        let name = self.helper(format!("strict {body}"), "exact", |this, name| {
            let parameters = this.parameters(&used);
            this.lines.open(format!("[[fp(strict)]] {} {name}({parameters}) {{", e.element().name()));
            let value = this.bound_strictly(e);
            this.lines.push(format!("return {value};"));
            this.lines.close("}");
        });
        Some(format!("{name}({})", given.join(", ")))
    }

    fn bound_strictly(&mut self, e: &Expr) -> String {
        let outer = std::mem::replace(&mut self.is_exact, true);
        let text = self.bound(e).0;
        self.is_exact = outer;
        text
    }

    /// Parameters for variables, which stand for them from here on.
    fn parameters(&mut self, variables: &[Variable]) -> String {
        let mut parameters = Vec::new();
        for &variable in variables {
            let name = self.fresh(self.nest.name(variable));
            parameters.push(format!("{} {name}", self.nest.element(variable).name()));
            self.values.insert(variable, Value::Text(name));
        }
        parameters.join(", ")
    }

    /// The call that gives the end of a window which is looked for (`lower::instances`).
    fn extremum(&mut self, e: &Expr, x: &Extremum) -> String {
        let used = x.variables();
        let mut given: Vec<String> = [&x.low, &x.high, &x.otherwise].map(|e| self.bound(e).0).to_vec();
        given.extend(used.iter().map(|v| self.variable(*v).0));
        let name = self.helper(format!("end {x:?}"), if x.is_min { "least" } else { "greatest" }, |this, name| {
            let own = ["low", "high", "otherwise"].map(|name| format!("int64 {}", this.fresh(name))).join(", ");
            let more = this.parameters(&used);
            let more = if more.is_empty() { more } else { format!(", {more}") };
            this.lines.open(format!("int64 {name}({own}{more}) {{"));
            this.lines.push(format!("if (high - low >= {ENUMERATED} | low < -{FAR} | high > {FAR}) return otherwise;"));
            let best = this.fresh("best");
            this.lines.push(format!("int64 {best} = {};", x.nothing));
            let variable = this.fresh(this.nest.name(x.variable));
            this.values.insert(x.variable, Value::Text(variable.clone()));
            this.lines.open(format!("foreach (int scalar {variable} = (int) low .. (int) high + 1) {{"));
            let value = this.part(&x.value, binding::PREFIX);
            let (op, cast) =
                (if x.is_min { "min" } else { "max" }, if x.value.element() == Element::Int64 { "" } else { "(int64) " });
            let update = format!("{best} = {op}({best}, {cast}{value});");
            let update = match &x.condition {
                Some(condition) => format!("if ({}) {update}", this.bound(condition).0),
                None => update,
            };
            this.lines.push(update);
            this.lines.close("}");
            this.lines.push(format!("return {best};"));
            this.lines.close("}");
        });
        let call = format!("{name}({})", given.join(", "));
        if e.element() == Element::Int64 { call } else { format!("({}) {call}", e.element().name()) }
    }
}

/// What was an `int` before it was one of 64 bits.
fn unwidened(e: &Expr) -> Option<&Expr> {
    let ExprKind::Convert(a) = e.kind() else { return None };
    (e.element() == Element::Int64 && a.element() == Element::Int32).then_some(a)
}

/// Operands of a comparison in 64 bits that compare as well as they were before.
fn narrowed<'e>(a: &'e Expr, b: &'e Expr) -> Option<[&'e Expr; 2]> {
    let is_int = |e: &Expr| constant_value(e).is_some_and(|n| i32::try_from(n).is_ok());
    match (unwidened(a), unwidened(b)) {
        (Some(a), Some(b)) => Some([a, b]),
        (Some(a), None) if is_int(b) => Some([a, b]),
        (None, Some(b)) if is_int(a) => Some([a, b]),
        _ => None,
    }
}

fn binary(op: BinaryOp) -> u8 {
    match op {
        BinaryOp::Add | BinaryOp::Subtract => binding::SUM,
        BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Remainder => binding::PRODUCT,
        BinaryOp::BitAnd => binding::BIT_AND,
        BinaryOp::BitOr => binding::BIT_OR,
        BinaryOp::BitXor => binding::BIT_XOR,
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight => binding::SHIFT,
    }
}

/// A number of its type.
fn number(element: Element, constant: Constant) -> (String, u8) {
    let bits = scalar::constant(element, constant);
    let whole = |suffix: &str| {
        let n = scalar::integer(element, bits);
        let own = if n < 0 { binding::PREFIX } else { binding::ATOM };
        (format!("{n}{suffix}"), own)
    };
    let float = |value: f64, text: String, of_bits: String| match value.is_finite() {
        true => (text, if value.is_sign_negative() { binding::PREFIX } else { binding::ATOM }),
        false => (of_bits, binding::ATOM),
    };
    match element {
        Element::Bool => ((bits != 0).to_string(), binding::ATOM),
        Element::Int32 => whole(""),
        Element::Int64 => whole("l"),
        Element::Uint32 => whole("u"),
        Element::Uint64 => whole("ul"),
        Element::Int8 | Element::Int16 | Element::Uint8 | Element::Uint16 => {
            (format!("({}) {}", element.name(), whole("").0), binding::PREFIX)
        }
        Element::Float16 => {
            let value = ivl::Float16::from_bits(bits as u16).to_f64();
            let of_bits = format!("bits<float16>((int16) {})", bits as u16 as i16);
            match value.is_finite() {
                true => (format!("(float16) {value:?}"), binding::PREFIX),
                false => (of_bits, binding::ATOM),
            }
        }
        Element::Float => {
            let value = f32::from_bits(bits as u32);
            float(f64::from(value), format!("{value:?}f"), format!("floatbits({})", bits as u32 as i32))
        }
        Element::Double => {
            let value = f64::from_bits(bits);
            float(value, format!("{value:?}d"), format!("doublebits({}l)", bits as i64))
        }
    }
}
