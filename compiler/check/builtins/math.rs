//! Built-ins that work lane by lane.

use super::super::declared::Base;
use super::super::operand::Operand;
use super::super::state::Checker;
use crate::diagnostics::codes;
use crate::source::Span;
use crate::syntax::ast;
use crate::typed::ir::{Builtin, Expr, ExprKind, LaneOp};
use crate::types::{Element, Type};

impl<'a> Checker<'a> {
    /// A built-in that works lane by lane.
    pub(super) fn lane_wise(
        &mut self,
        op: LaneOp,
        name: &'a ast::Name,
        arguments: &'a [ast::Expr],
        span: Span,
        want: Option<Type>,
    ) -> Operand {
        let text = &*name.text;
        // Which numbers it is for.
        let (floats, integers) = match op {
            LaneOp::Select => return self.select(arguments, span, want),
            LaneOp::Min | LaneOp::Max => {
                let Some((exprs, ty)) = self.numbers(text, arguments, span, want) else { return Operand::Error(span) };
                return self.made(Builtin::Lane(op), exprs, ty, span);
            }
            LaneOp::Fma | LaneOp::Scale => return self.of_floats(op, text, arguments, span, want),
            LaneOp::Log2 => return self.log2(name, &arguments[0], span, want),
            LaneOp::RotateLeft | LaneOp::RotateRight => return self.rotation(op, text, arguments, span, want),
            LaneOp::SaturatingAdd
            | LaneOp::SaturatingSub
            | LaneOp::MulHigh
            | LaneOp::MulRoundHigh
            | LaneOp::Clmul
            | LaneOp::ClmulHigh => return self.of_integers(op, text, arguments, span, want),
            LaneOp::SaturatingCast => unreachable!("it is called with a type"),
            LaneOp::InBlocks { .. } => unreachable!("no built-in of the language"),
            LaneOp::Bits => unreachable!("the bits of a number have names for what they become"),
            LaneOp::Abs => (true, true),
            LaneOp::Sqrt
            | LaneOp::Rsqrt
            | LaneOp::Rcp
            | LaneOp::Floor
            | LaneOp::Ceil
            | LaneOp::Round
            | LaneOp::Trunc
            | LaneOp::Rint => (true, false),
            LaneOp::Clz | LaneOp::Ctz | LaneOp::Popcnt | LaneOp::BitReverse => (false, true),
        };
        self.unary_math(op, text, [floats, integers], &arguments[0], span, want)
    }

    /// Operands that are numbers and meet as those of operators do, and their type.
    fn numbers(&mut self, text: &str, arguments: &'a [ast::Expr], span: Span, want: Option<Type>) -> Option<(Vec<Expr>, Type)> {
        let operands: Vec<Operand> = arguments.iter().map(|e| self.expression(e, want)).collect();
        let (exprs, element, length) = self.meet_numbers(operands, want, span)?;
        if element == Element::Bool {
            self.wrong_element(text, &exprs[0], "it is for numbers");
            return None;
        }
        Some((exprs, self.program.types.vector(element, length)))
    }

    /// Of two integers of one type.
    fn of_integers(&mut self, op: LaneOp, text: &str, arguments: &'a [ast::Expr], span: Span, want: Option<Type>) -> Operand {
        let want = want.filter(|&w| self.program.types.element(w).is_some_and(Element::is_integer));
        let Some((exprs, ty)) = self.numbers(text, arguments, span, want) else { return Operand::Error(span) };
        let element = self.program.types.element(ty).filter(|element| element.is_integer());
        let help = match element {
            None => "it is for integers",
            Some(element) if op == LaneOp::MulRoundHigh && !element.is_signed() => "it is for signed integers",
            Some(_) => return self.made(Builtin::Lane(op), exprs, ty, span),
        };
        self.wrong_element(text, &exprs[0], help)
    }

    /// `saturating_cast<T>(v)`: the nearest integers of type T, at the length of v.
    pub(super) fn saturating_cast(
        &mut self,
        text: &str,
        types: &'a [ast::TemplateArgument],
        e: &'a ast::Expr,
        span: Span,
    ) -> Operand {
        let operand = self.expression(e, None);
        let [to] = types else {
            let message = format!("`{text}` takes a type: `{text}<int16>(v)`");
            self.error(&codes::TEMPLATE_ARGUMENTS, span, message);
            return Operand::Error(span);
        };
        let declared = self.type_argument(to);
        let Base::Element(element) = declared.base else {
            if !matches!(declared.base, Base::Error) {
                self.error(&codes::TYPE_MISMATCH, to.span(), format!("`{text}` makes integers"));
            }
            return Operand::Error(span);
        };
        if operand.is_error() {
            return Operand::Error(span);
        }
        if !element.is_integer() {
            self.error(&codes::TYPE_MISMATCH, to.span(), format!("`{text}` makes integers, not `{}`", element.name()));
            return Operand::Error(span);
        }
        let value = self.value(operand, None);
        if self.is_error(value.ty) {
            return Operand::Error(span);
        }
        if self.program.types.element(value.ty).is_none_or(|from| from == Element::Bool) {
            return self.wrong_element(text, &value, "it is for numbers");
        }
        let value = self.promoted(value);
        let ty = self.program.types.vector(element, self.length(value.ty));
        self.made(Builtin::Lane(LaneOp::SaturatingCast), vec![value], ty, span)
    }

    /// `clamp(x, low, high)` = min(max(x, low), high)
    pub(super) fn clamp(&mut self, text: &str, arguments: &'a [ast::Expr], span: Span, want: Option<Type>) -> Operand {
        let Some((mut exprs, ty)) = self.numbers(text, arguments, span, want) else { return Operand::Error(span) };
        let high = exprs.pop().expect("three operands");
        let low = Expr { kind: ExprKind::Builtin(Builtin::Lane(LaneOp::Max), exprs), ty, span };
        self.made(Builtin::Lane(LaneOp::Min), vec![low, high], ty, span)
    }

    /// `fma(a, b, c)` and what else is of floating-point numbers only: of `float` unless `double` is wanted or given.
    fn of_floats(&mut self, op: LaneOp, text: &str, arguments: &'a [ast::Expr], span: Span, want: Option<Type>) -> Operand {
        let operands: Vec<Operand> = arguments.iter().map(|e| self.expression(e, want)).collect();
        let is_double = want.filter(|&w| self.program.types.element(w) == Some(Element::Double));
        let want = is_double.unwrap_or_else(|| self.scalar(Element::Float));
        let Some((exprs, element, length)) = self.meet_numbers(operands, Some(want), span) else { return Operand::Error(span) };
        if !element.is_float() {
            return self.wrong_element(text, &exprs[0], "it is for floating-point numbers");
        }
        let ty = self.program.types.vector(element, length);
        self.made(Builtin::Lane(op), exprs, ty, span)
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
        self.made(Builtin::Lane(LaneOp::Select), vec![mask, a, b], ty, span)
    }

    /// Of floating-point numbers, of integers, or of both.
    fn unary_math(
        &mut self,
        op: LaneOp,
        text: &str,
        [floats, integers]: [bool; 2],
        e: &'a ast::Expr,
        span: Span,
        want: Option<Type>,
    ) -> Operand {
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
        let value = self.promoted(value);
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
        self.made(Builtin::Lane(op), vec![value], ty, span)
    }

    /// `log2(x)`: of an integer it is a built-in, else a function of the library.
    fn log2(&mut self, name: &'a ast::Name, e: &'a ast::Expr, span: Span, want: Option<Type>) -> Operand {
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
        self.made(Builtin::Lane(LaneOp::Log2), vec![value], ty, span)
    }

    /// `rotl(a, n)`, `rotr(a, n)`: of the type of a, as shifts are.
    fn rotation(&mut self, op: LaneOp, text: &str, arguments: &'a [ast::Expr], span: Span, want: Option<Type>) -> Operand {
        let want = want.filter(|&w| self.program.types.element(w).is_some_and(Element::is_integer));
        let [a, n] = [(&arguments[0], want), (&arguments[1], None)].map(|(e, want)| self.expression(e, want));
        if a.is_error() || n.is_error() {
            return Operand::Error(span);
        }
        let a = self.value(a, want);
        let n = self.value(n, None);
        match self.counted(a, n, span) {
            Ok((a, n, ty)) => self.made(Builtin::Lane(op), vec![a, n], ty, span),
            Err(Some(operands)) => {
                let [a, n] = &*operands;
                let is_integer = self.program.types.element(a.ty).is_some_and(Element::is_integer);
                self.wrong_element(text, if is_integer { n } else { a }, "it is for integers")
            }
            Err(None) => Operand::Error(span),
        }
    }

    /// intbits, floatbits, doublebits: the bits of a number as another type of the same width, `to` or, from a `double`, `int64`.
    pub(super) fn bits(&mut self, text: &str, to: Element, e: &'a ast::Expr, span: Span) -> Operand {
        let (want, help) = match (to.is_float(), to.bits()) {
            (false, _) => (Element::Float, "it is for floating-point numbers"),
            (true, 32) => (Element::Int32, "it is for integers of 32 bits"),
            (true, _) => (Element::Int64, "it is for integers of 64 bits"),
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
        let from = self.program.types.element(value.ty);
        let fits = from.filter(|from| match to.is_float() {
            true => from.is_integer() && from.bits() == to.bits(),
            false => from.is_float(),
        });
        let result = match fits {
            Some(Element::Double) => Element::Int64,
            Some(Element::Float16) => Element::Int16,
            Some(_) => to,
            None => return self.wrong_element(text, &value, help),
        };
        let ty = self.program.types.vector(result, self.length(value.ty));
        self.made(Builtin::Lane(LaneOp::Bits), vec![value], ty, span)
    }
}
