//! Operators: operands meet in one element and one length (T-BROADCAST). Those on pointers are in `pointers`, `&&`, `||` and `?:` in
//! `conditionals`.

use super::conversions::meet;
use super::operand::{Operand, Untyped};
use super::state::Checker;
use crate::diagnostics::{Diagnostic, codes};
use crate::source::Span;
use crate::syntax::ast;
use crate::typed::ir::{BinaryOp, CompareOp, Expr, ExprKind, UnaryOp};
use crate::types::{Element, Type};

/// An arithmetic operator of the tree as one of the typed program.
pub(crate) fn arithmetic(op: ast::BinaryOp) -> Option<BinaryOp> {
    use ast::BinaryOp as B;
    Some(match op {
        B::Multiply => BinaryOp::Multiply,
        B::Divide => BinaryOp::Divide,
        B::Remainder => BinaryOp::Remainder,
        B::Add => BinaryOp::Add,
        B::Subtract => BinaryOp::Subtract,
        B::ShiftLeft => BinaryOp::ShiftLeft,
        B::ShiftRight => BinaryOp::ShiftRight,
        B::BitAnd => BinaryOp::BitAnd,
        B::BitXor => BinaryOp::BitXor,
        B::BitOr => BinaryOp::BitOr,
        B::Less | B::LessEqual | B::Greater | B::GreaterEqual | B::Equal | B::NotEqual | B::And | B::Or => return None,
    })
}

/// A comparison of the tree as one of the typed program.
pub(crate) fn comparison(op: ast::BinaryOp) -> Option<CompareOp> {
    use ast::BinaryOp as B;
    Some(match op {
        B::Less => CompareOp::Less,
        B::LessEqual => CompareOp::LessEqual,
        B::Greater => CompareOp::Greater,
        B::GreaterEqual => CompareOp::GreaterEqual,
        B::Equal => CompareOp::Equal,
        B::NotEqual => CompareOp::NotEqual,
        B::Multiply
        | B::Divide
        | B::Remainder
        | B::Add
        | B::Subtract
        | B::ShiftLeft
        | B::ShiftRight
        | B::BitAnd
        | B::BitXor
        | B::BitOr
        | B::And
        | B::Or => return None,
    })
}

/// Operands of which one is no integer, unless an error has been reported.
type Uncounted = Option<Box<[Expr; 2]>>;

impl<'a> Checker<'a> {
    /// The lengths of operands meet: equal, or one is 1. Reports the rest at `span`.
    pub fn meet_lengths(&mut self, operands: &[Expr], span: Span) -> Option<u8> {
        let mut length = 1;
        for e in operands {
            let l = self.length(e.ty);
            if l != 1 && length != 1 && l != length {
                let types: Vec<String> = operands.iter().map(|e| format!("`{}`", self.display(e.ty))).collect();
                let message = format!("operands of lengths {length} and {l} meet: {}", types.join(" and "));
                let error = Diagnostic::error(&codes::LENGTH_MISMATCH, span, message);
                self.diagnostics.push(error.with_help("operands have equal lengths, or one is scalar and is broadcast"));
                return None;
            }
            length = length.max(l);
        }
        Some(length)
    }

    /// Brings numbers together that something is computed of: one element, one length, no `float16`. `span` is where a mismatch is
    /// reported. `None` after an error.
    pub fn meet_numbers(&mut self, operands: Vec<Operand>, want: Option<Type>, span: Span) -> Option<(Vec<Expr>, Element, u8)> {
        self.meet_in(Element::promoted, operands, want, span)
    }

    /// Brings numbers together of which some are chosen or moved: one element, one length.
    pub fn meet_moved(&mut self, operands: Vec<Operand>, want: Option<Type>, span: Span) -> Option<(Vec<Expr>, Element, u8)> {
        self.meet_in(|element| element, operands, want, span)
    }

    fn meet_in(
        &mut self,
        made: fn(Element) -> Element,
        operands: Vec<Operand>,
        want: Option<Type>,
        span: Span,
    ) -> Option<(Vec<Expr>, Element, u8)> {
        if operands.iter().any(Operand::is_error) {
            return None;
        }
        let mut element = None;
        let mut untyped_float = false;
        for operand in &operands {
            match operand {
                Operand::Untyped(untyped, at) => {
                    untyped_float |= untyped.is_float();
                    if *untyped == Untyped::Null {
                        self.error(&codes::TYPE_MISMATCH, *at, "`null` where a number is asked for");
                        return None;
                    }
                }
                Operand::Value(_) | Operand::Place(_) | Operand::Element(_) => {
                    let ty = self.operand_type(operand);
                    match self.program.types.element(ty) {
                        Some(e) => element = Some(element.map_or(e, |other| meet(other, e))),
                        None => {
                            if !self.is_error(ty) {
                                let message = format!("`{}` where a number is asked for", self.display(ty));
                                self.error(&codes::TYPE_MISMATCH, operand.span(), message);
                            }
                            return None;
                        }
                    }
                }
                Operand::Error(_) => return None,
            }
        }
        let wanted = want.and_then(|w| self.program.types.element(w)).filter(|&w| w != Element::Bool);
        let element = match element {
            Some(e) if untyped_float && !e.is_float() => Element::Float,
            Some(e) => e,
            None if untyped_float => wanted.filter(|w| w.is_float()).unwrap_or(Element::Float),
            None => wanted.unwrap_or(Element::Int32),
        };
        let element = made(element);
        let mut exprs = Vec::new();
        for operand in operands {
            let e = match operand {
                Operand::Untyped(Untyped::Int(n), at) if element.bits() < Element::Int32.bits() && element != Element::Bool => {
                    self.constant_beside(n, element, at)
                }
                Operand::Untyped(untyped, at) if element != Element::Bool => self.constant(&untyped, element, at),
                other => self.value(other, None),
            };
            if self.is_error(e.ty) {
                return None;
            }
            exprs.push(e);
        }
        let length = self.meet_lengths(&exprs, span)?;
        let to = self.program.types.vector(element, length);
        let mut met = Vec::new();
        for e in exprs {
            if element == Element::Bool && self.program.types.element(e.ty) != Some(Element::Bool) {
                self.error(&codes::TYPE_MISMATCH, e.span, "a number where a `bool` is asked for");
                return None;
            }
            let own = self.length(e.ty);
            let middle = self.program.types.vector(element, own);
            let e = self.converted(e, middle);
            met.push(self.broadcast(e, to));
        }
        Some((met, element, length))
    }

    /// `a op b`
    pub fn binary_operator(
        &mut self,
        op: ast::BinaryOp,
        a: &'a ast::Expr,
        b: &'a ast::Expr,
        at: Span,
        span: Span,
        want: Option<Type>,
    ) -> Operand {
        if matches!(op, ast::BinaryOp::And | ast::BinaryOp::Or) {
            return self.short_circuit(op == ast::BinaryOp::And, a, b, span);
        }
        let want = if op.is_comparison() { None } else { want };
        let left = self.expression(a, want);
        let right = self.expression(b, want);
        self.binary(op, left, right, at, span, want)
    }

    /// `left op right` on checked operands.
    pub fn binary(
        &mut self,
        op: ast::BinaryOp,
        left: Operand,
        right: Operand,
        at: Span,
        span: Span,
        want: Option<Type>,
    ) -> Operand {
        if left.is_error() || right.is_error() {
            return Operand::Error(span);
        }
        if let (Operand::Untyped(a, _), Operand::Untyped(b, _)) = (&left, &right)
            && let Some(folded) = super::constants::fold(op, a, b)
        {
            return Operand::Untyped(folded, span);
        }
        let (lt, rt) = (self.operand_type(&left), self.operand_type(&right));
        let pointers = [lt, rt].map(|ty| self.program.types.pointee(ty).is_some());
        if pointers != [false, false] {
            return self.pointer_operator(op, left, right, pointers, span);
        }
        if let Some(compare) = comparison(op) {
            let Some((operands, element, length)) = self.meet_numbers(vec![left, right], None, span) else {
                return Operand::Error(span);
            };
            if element == Element::Bool && !matches!(compare, CompareOp::Equal | CompareOp::NotEqual) {
                self.error(&codes::TYPE_MISMATCH, at, format!("`bool` values have no order: `{}`", op.symbol()));
                return Operand::Error(span);
            }
            let ty = self.program.types.vector(Element::Bool, length);
            let [a, b] = two(operands);
            return Operand::Value(Expr { kind: ExprKind::Compare(compare, a, b), ty, span });
        }
        let Some(arithmetic) = arithmetic(op) else { return Operand::Error(span) };
        if matches!(arithmetic, BinaryOp::ShiftLeft | BinaryOp::ShiftRight) {
            return self.shift(arithmetic, left, right, at, span, want);
        }
        let Some((operands, element, length)) = self.meet_numbers(vec![left, right], want, span) else {
            return Operand::Error(span);
        };
        let bitwise = matches!(arithmetic, BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor);
        if element == Element::Bool && !bitwise {
            let message = format!("`{}` on `bool`", op.symbol());
            let error = Diagnostic::error(&codes::TYPE_MISMATCH, at, message);
            self.diagnostics.push(error.with_help("`&`, `|` and `^` work on `bool`; a cast makes numbers of it"));
            return Operand::Error(span);
        }
        if element.is_float() && bitwise {
            let error = Diagnostic::error(&codes::TYPE_MISMATCH, at, format!("`{}` on `{}`", op.symbol(), element.name()));
            self.diagnostics.push(error.with_help("bits are for integers and `bool`"));
            return Operand::Error(span);
        }
        let ty = self.program.types.vector(element, length);
        let [a, b] = two(operands);
        Operand::Value(Expr { kind: ExprKind::Binary(arithmetic, a, b), ty, span })
    }

    /// Shifts have the type of the left side; the count is taken modulo its width.
    fn shift(&mut self, op: BinaryOp, left: Operand, right: Operand, at: Span, span: Span, want: Option<Type>) -> Operand {
        let want = want.filter(|&w| self.program.types.element(w).is_some_and(Element::is_integer));
        let left = self.value(left, want);
        let right = self.value(right, Some(left.ty));
        if self.is_error(left.ty) || self.is_error(right.ty) {
            return Operand::Error(span);
        }
        match self.counted(left, right, span) {
            Ok((a, b, ty)) => Operand::Value(Expr { kind: ExprKind::Binary(op, Box::new(a), Box::new(b)), ty, span }),
            Err(Some(operands)) => {
                let [left, right] = &*operands;
                let message = format!("a shift of `{}` by `{}`", self.display(left.ty), self.display(right.ty));
                self.error(&codes::TYPE_MISMATCH, at, message);
                Operand::Error(span)
            }
            Err(None) => Operand::Error(span),
        }
    }

    /// An integer and a count as operands of one type, which has the element of the integer.
    ///
    /// # Errors
    /// The operands, if they are no integers; nothing, if an error has been reported.
    pub(super) fn counted(&mut self, value: Expr, count: Expr, span: Span) -> Result<(Expr, Expr, Type), Uncounted> {
        if self.is_error(value.ty) || self.is_error(count.ty) {
            return Err(None);
        }
        let elements = [&value, &count].map(|e| self.program.types.element(e.ty).filter(|e| e.is_integer()));
        let [Some(element), Some(_)] = elements else { return Err(Some(Box::new([value, count]))) };
        let operands = [value, count];
        let length = self.meet_lengths(&operands, span).ok_or(None)?;
        let ty = self.program.types.vector(element, length);
        let [value, count] = operands.map(|e| {
            let own = self.length(e.ty);
            let middle = self.program.types.vector(element, own);
            let e = self.converted(e, middle);
            self.broadcast(e, ty)
        });
        Ok((value, count, ty))
    }

    /// Brings two values of any types together: numbers, `bool`s, pointers, records.
    pub fn meet_any(&mut self, a: Operand, b: Operand, want: Option<Type>, span: Span) -> Option<(Expr, Expr)> {
        if a.is_error() || b.is_error() {
            return None;
        }
        let (at, bt) = (self.operand_type(&a), self.operand_type(&b));
        if self.program.types.element(at).is_some() && self.program.types.element(bt).is_some() {
            let (operands, ..) = self.meet_moved(vec![a, b], want, span)?;
            let [a, b] = two(operands);
            return Some((*a, *b));
        }
        let hint = if matches!(a, Operand::Untyped(..)) { bt } else { at };
        let length = self.length(at).max(self.length(bt));
        let a = self.value(a, Some(hint));
        let ty = if matches!(b, Operand::Untyped(..)) || self.length(a.ty) > 1 { a.ty } else { bt };
        let _ = length;
        let b = self.coerce(b, ty, span);
        let a = self.coerce(Operand::Value(a), ty, span);
        (!self.is_error(a.ty) && !self.is_error(b.ty)).then_some((a, b))
    }

    /// Prefix operators other than `*` and `&`.
    pub fn unary_operator(&mut self, op: ast::UnaryOp, e: &'a ast::Expr, span: Span, want: Option<Type>) -> Operand {
        if op == ast::UnaryOp::Not {
            let value = self.condition(e);
            let ty = value.ty;
            if self.is_error(ty) {
                return Operand::Error(span);
            }
            return Operand::Value(Expr { kind: ExprKind::Unary(UnaryOp::Not, Box::new(value)), ty, span });
        }
        // The least number of a type is written with its suffix, though its digits alone are above the range.
        if let (ast::UnaryOp::Negate, ast::ExprKind::Integer { value, suffix: Some(element) }) = (op, &e.kind)
            && element.is_signed()
        {
            return self.suffixed(-i128::from(*value), *element, span);
        }
        let operand = self.expression(e, want);
        match (&operand, op) {
            (Operand::Error(_), _) => return Operand::Error(span),
            (Operand::Untyped(Untyped::Int(n), _), ast::UnaryOp::Negate) => return Operand::Untyped(Untyped::Int(-n), span),
            (Operand::Untyped(Untyped::Float(x, y), _), ast::UnaryOp::Negate) => {
                return Operand::Untyped(Untyped::Float(-x, -y), span);
            }
            (Operand::Untyped(Untyped::Int(n), _), ast::UnaryOp::Complement) => return Operand::Untyped(Untyped::Int(!n), span),
            (Operand::Untyped(Untyped::Int(_) | Untyped::Float(..), _), ast::UnaryOp::Plus) => return operand.at(span),
            _ => {}
        }
        let value = self.value(operand, want);
        let value = self.promoted(value);
        let ty = value.ty;
        let element = self.program.types.element(ty);
        let kind = match (op, element) {
            (_, _) if self.is_error(ty) => return Operand::Error(span),
            (ast::UnaryOp::Plus, Some(element)) if element != Element::Bool => return Operand::Value(value),
            (ast::UnaryOp::Negate, Some(element)) if element != Element::Bool => {
                ExprKind::Unary(UnaryOp::Negate, Box::new(value))
            }
            (ast::UnaryOp::Complement, Some(element)) if !element.is_float() => ExprKind::Unary(UnaryOp::Not, Box::new(value)),
            _ => {
                let symbol = match op {
                    ast::UnaryOp::Negate => "-",
                    ast::UnaryOp::Plus => "+",
                    ast::UnaryOp::Not => "!",
                    ast::UnaryOp::Complement => "~",
                    ast::UnaryOp::Dereference => "*",
                    ast::UnaryOp::AddressOf => "&",
                };
                self.error(&codes::TYPE_MISMATCH, span, format!("`{symbol}` on `{}`", self.display(ty)));
                return Operand::Error(span);
            }
        };
        Operand::Value(Expr { kind, ty, span })
    }
}

/// The two elements of a list of two, boxed.
pub(super) fn two(list: Vec<Expr>) -> [Box<Expr>; 2] {
    let mut list = list.into_iter().map(Box::new);
    [list.next().expect("a left operand"), list.next().expect("a right operand")]
}
