//! Built-ins that work lane by lane.

use super::super::context::Checker;
use super::super::operand::Operand;
use crate::source::Span;
use crate::syntax::ast;
use crate::typed::ir::{Builtin, Expr, ExprKind};
use crate::types::{Element, Type};

impl<'a> Checker<'a> {
    /// min, max, clamp, fma, select: operands meet as those of operators do.
    pub(super) fn elementwise(&mut self, text: &str, arguments: &'a [ast::Expr], span: Span, want: Option<Type>) -> Operand {
        if text == "select" {
            return self.select(arguments, span, want);
        }
        let operands: Vec<Operand> = arguments.iter().map(|e| self.expression(e, want)).collect();
        let want = if text == "fma" {
            Some(
                want.filter(|&w| self.program.types.element(w) == Some(Element::Double))
                    .unwrap_or_else(|| self.scalar(Element::Float)),
            )
        } else {
            want
        };
        let Some((mut exprs, element, length)) = self.meet_numbers(operands, want, span) else { return Operand::Error(span) };
        if element == Element::Bool || (text == "fma" && !element.is_float()) {
            return self.wrong_element(
                text,
                &exprs[0],
                if text == "fma" { "it is for floating-point numbers" } else { "it is for numbers" },
            );
        }
        let ty = self.program.types.vector(element, length);
        match text {
            "min" => self.made(Builtin::Min, exprs, ty, span),
            "max" => self.made(Builtin::Max, exprs, ty, span),
            "fma" => self.made(Builtin::Fma, exprs, ty, span),
            _ => {
                // clamp(x, low, high) = min(max(x, low), high)
                let high = exprs.pop().expect("three operands");
                let low = Expr { kind: ExprKind::Builtin(Builtin::Max, exprs), ty, span };
                self.made(Builtin::Min, vec![low, high], ty, span)
            }
        }
    }

    /// `select(m, a, b)`: strict.
    fn select(&mut self, arguments: &'a [ast::Expr], span: Span, want: Option<Type>) -> Operand {
        let mask = self.condition(&arguments[0]);
        let (a, b) = (self.expression(&arguments[1], want), self.expression(&arguments[2], want));
        let Some((a, b)) = self.meet_any(a, b, want, span) else { return Operand::Error(span) };
        if self.is_error(mask.ty) {
            return Operand::Error(span);
        }
        let operands = [mask, a, b];
        let Some(length) = self.meet_lengths(&operands, span) else { return Operand::Error(span) };
        let [mask, a, b] = operands;
        let [a, b] = [a, b].map(|e| self.at_length(e, length));
        let ty = a.ty;
        self.made(Builtin::Select, vec![mask, a, b], ty, span)
    }

    pub(super) fn unary_math(&mut self, text: &str, e: &'a ast::Expr, span: Span, want: Option<Type>) -> Operand {
        let (builtin, floats, integers) = match text {
            "abs" => (Builtin::Abs, true, true),
            "sqrt" => (Builtin::Sqrt, true, false),
            "rsqrt" => (Builtin::Rsqrt, true, false),
            "rcp" => (Builtin::Rcp, true, false),
            "floor" => (Builtin::Floor, true, false),
            "ceil" => (Builtin::Ceil, true, false),
            "round" => (Builtin::Round, true, false),
            "trunc" => (Builtin::Trunc, true, false),
            "clz" => (Builtin::Clz, false, true),
            "ctz" => (Builtin::Ctz, false, true),
            "popcnt" => (Builtin::Popcnt, false, true),
            _ => (Builtin::BitReverse, false, true),
        };
        let want = match want.and_then(|w| self.program.types.element(w)) {
            Some(element) if (element.is_float() && floats) || (element.is_integer() && integers) => want,
            Some(_) | None if !integers => Some(self.scalar(Element::Float)),
            Some(_) | None => None,
        };
        let operand = self.expression(e, want);
        if operand.is_error() {
            return Operand::Error(span);
        }
        let value = self.value(operand, want);
        if self.is_error(value.ty) {
            return Operand::Error(span);
        }
        let fits = self.program.types.element(value.ty).is_some_and(|e| (e.is_float() && floats) || (e.is_integer() && integers));
        if !fits {
            let help = match (floats, integers) {
                (true, false) => "it is for floating-point numbers: cast an integer first",
                (false, true) => "it is for integers",
                (true, true) | (false, false) => "it is for numbers",
            };
            return self.wrong_element(text, &value, help);
        }
        let ty = value.ty;
        self.made(builtin, vec![value], ty, span)
    }

    /// `log2(x)`: of an integer it is a built-in, else a function of the library.
    pub(super) fn log2(&mut self, name: &'a ast::Name, e: &'a ast::Expr, span: Span, want: Option<Type>) -> Operand {
        let want = want.filter(|&w| self.program.types.element(w).is_some_and(Element::is_integer));
        let operand = self.expression(e, want);
        if operand.is_error() {
            return Operand::Error(span);
        }
        let ty = self.operand_type(&operand);
        let is_float = self.program.types.element(ty).is_some_and(Element::is_float);
        if let Some(overloads) = self.items.library.get(&name.text).filter(|_| is_float).cloned() {
            return self.call_of(name, &overloads, &[], vec![operand], span);
        }
        let value = self.value(operand, want);
        if self.is_error(value.ty) {
            return Operand::Error(span);
        }
        if !self.program.types.element(value.ty).is_some_and(Element::is_integer) {
            return self.wrong_element("log2", &value, "it is for integers");
        }
        let ty = value.ty;
        self.made(Builtin::Log2, vec![value], ty, span)
    }

    /// `rotl(a, n)`, `rotr(a, n)`: of the type of a, as shifts are.
    pub(super) fn rotation(&mut self, text: &str, arguments: &'a [ast::Expr], span: Span, want: Option<Type>) -> Operand {
        let want = want.filter(|&w| self.program.types.element(w).is_some_and(Element::is_integer));
        let [a, n] = [(&arguments[0], want), (&arguments[1], None)].map(|(e, want)| self.expression(e, want));
        if a.is_error() || n.is_error() {
            return Operand::Error(span);
        }
        let a = self.value(a, want);
        let n = self.value(n, None);
        let builtin = if text == "rotl" { Builtin::RotateLeft } else { Builtin::RotateRight };
        match self.counted(a, n, span) {
            Ok((a, n, ty)) => self.made(builtin, vec![a, n], ty, span),
            Err(Some(operands)) => {
                let [a, n] = &*operands;
                let is_integer = self.program.types.element(a.ty).is_some_and(Element::is_integer);
                self.wrong_element(text, if is_integer { n } else { a }, "it is for integers")
            }
            Err(None) => Operand::Error(span),
        }
    }

    /// intbits, floatbits, doublebits: the bits of a number as another type of the same width.
    pub(super) fn bits(&mut self, text: &str, e: &'a ast::Expr, span: Span) -> Operand {
        let (want, help) = match text {
            "intbits" => (Element::Float, "it is for `float` and `double`"),
            "floatbits" => (Element::Int32, "it is for integers of 32 bits"),
            _ => (Element::Int64, "it is for integers of 64 bits"),
        };
        let want = self.scalar(want);
        let operand = self.expression(e, Some(want));
        if operand.is_error() {
            return Operand::Error(span);
        }
        let value = self.value(operand, Some(want));
        if self.is_error(value.ty) {
            return Operand::Error(span);
        }
        let result = match (text, self.program.types.element(value.ty)) {
            ("intbits", Some(Element::Float)) => Element::Int32,
            ("intbits", Some(Element::Double)) => Element::Int64,
            ("floatbits", Some(Element::Int32 | Element::Uint32)) => Element::Float,
            ("doublebits", Some(Element::Int64 | Element::Uint64)) => Element::Double,
            (_, Some(_) | None) => return self.wrong_element(text, &value, help),
        };
        let ty = self.program.types.vector(result, self.length(value.ty));
        self.made(Builtin::Bits, vec![value], ty, span)
    }
}
