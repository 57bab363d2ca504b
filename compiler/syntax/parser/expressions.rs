//! Expressions, by precedence climbing.

use super::{MAX_CHAIN, Parsed, Parser, is_reserved};
use crate::source::Span;
use crate::syntax::ast::{BinaryOp, Expr, ExprKind, Name, UnaryOp};
use crate::syntax::token::TokenKind;

/// A binary operator with its precedence; a higher one binds tighter.
fn binary_operator(symbol: &str) -> Option<(BinaryOp, u8)> {
    Some(match symbol {
        "*" => (BinaryOp::Multiply, 10),
        "/" => (BinaryOp::Divide, 10),
        "%" => (BinaryOp::Remainder, 10),
        "+" => (BinaryOp::Add, ADDITIVE),
        "-" => (BinaryOp::Subtract, ADDITIVE),
        "<<" => (BinaryOp::ShiftLeft, 8),
        ">>" => (BinaryOp::ShiftRight, 8),
        "<" => (BinaryOp::Less, 7),
        "<=" => (BinaryOp::LessEqual, 7),
        ">" => (BinaryOp::Greater, 7),
        ">=" => (BinaryOp::GreaterEqual, 7),
        "==" => (BinaryOp::Equal, 6),
        "!=" => (BinaryOp::NotEqual, 6),
        "&" => (BinaryOp::BitAnd, 5),
        "^" => (BinaryOp::BitXor, 4),
        "|" => (BinaryOp::BitOr, 3),
        "&&" => (BinaryOp::And, 2),
        "||" => (BinaryOp::Or, 1),
        _ => return None,
    })
}

/// The precedence of `+`, that of the elements of a vector literal.
const ADDITIVE: u8 = 9;

/// The operator of a compound assignment.
fn assignment_operator(symbol: &str) -> Option<Option<BinaryOp>> {
    if symbol == "=" {
        return Some(None);
    }
    let op = symbol.strip_suffix('=')?;
    let (op, precedence) = binary_operator(op)?;
    (precedence != 7 && precedence != 6 && precedence > 2).then_some(Some(op))
}

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        self.assignment()
    }

    fn symbol(&self) -> Option<&'static str> {
        match self.token().kind {
            TokenKind::Symbol(symbol) => Some(symbol),
            TokenKind::Name(_)
            | TokenKind::Integer { .. }
            | TokenKind::Float { .. }
            | TokenKind::Character(_)
            | TokenKind::String(_)
            | TokenKind::Doc(_)
            | TokenKind::End => None,
        }
    }

    /// `a = b`, right to left.
    pub(super) fn assignment(&mut self) -> Parsed<Expr> {
        let place = self.conditional()?;
        let Some(op) = self.symbol().and_then(assignment_operator) else { return Ok(place) };
        self.advance();
        let value = self.nested(|this| if this.is_symbol("{") { this.initializer() } else { this.assignment() })?;
        let span = place.span.to(value.span);
        Ok(Expr { kind: ExprKind::Assign { op, place: Box::new(place), value: Box::new(value) }, span })
    }

    /// `c ? a : b`
    pub(super) fn conditional(&mut self) -> Parsed<Expr> {
        let condition = self.binary(1)?;
        if !self.eat_symbol("?") {
            return Ok(condition);
        }
        let then = self.nested(|this| this.assignment())?;
        self.expect_symbol(":")?;
        let otherwise = self.nested(|this| this.conditional())?;
        let span = condition.span.to(otherwise.span);
        Ok(Expr { kind: ExprKind::Conditional(Box::new(condition), Box::new(then), Box::new(otherwise)), span })
    }

    fn binary(&mut self, least: u8) -> Parsed<Expr> {
        let mut left = self.unary()?;
        let mut operands = 1;
        while let Some((op, precedence)) = self.symbol().and_then(binary_operator).filter(|&(_, p)| p >= least) {
            operands += 1;
            if operands > MAX_CHAIN {
                return Err(self.too_deep(format!("a chain of operators is limited to {MAX_CHAIN} operands")));
            }
            let place = self.span();
            self.advance();
            let right = self.binary(precedence + 1)?;
            let span = left.span.to(right.span);
            left = Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right), place), span };
        }
        Ok(left)
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let op = match self.symbol() {
            Some("-") => UnaryOp::Negate,
            Some("+") => UnaryOp::Plus,
            Some("!") => UnaryOp::Not,
            Some("~") => UnaryOp::Complement,
            Some("*") => UnaryOp::Dereference,
            Some("&") => UnaryOp::AddressOf,
            Some("++" | "--") => {
                let delta = if self.is_symbol("++") { 1 } else { -1 };
                self.advance();
                let place = Box::new(self.nested(|this| this.unary())?);
                return Ok(Expr { kind: ExprKind::Increment { delta, prefix: true, place }, span: self.since(start) });
            }
            Some("(") if self.is_cast() => {
                self.advance();
                let ty = self.ty()?;
                self.expect_symbol(")")?;
                let operand = self.nested(|this| this.unary())?;
                return Ok(Expr { kind: ExprKind::Cast(ty, Box::new(operand)), span: self.since(start) });
            }
            Some(_) | None => return self.postfix(),
        };
        self.advance();
        let operand = self.nested(|this| this.unary())?;
        Ok(Expr { kind: ExprKind::Unary(op, Box::new(operand)), span: self.since(start) })
    }

    /// Is `( …` a cast? A name that the file does not declare as a type may be one from an import: `(T*) x`,
    /// `(T block[4]) x`, `(T) x` and `(T) 1`, but `(a) - b` and `(f)(x)` are not.
    fn is_cast(&self) -> bool {
        if self.is_certain_type(1) {
            return true;
        }
        if self.name_at(1).is_none_or(is_reserved) {
            return false;
        }
        if matches!(self.name_at(2), Some("block" | "scalar" | "varying" | "uniform")) {
            return true;
        }
        if self.is_symbol_at(2, "*") && self.is_symbol_at(3, ")") {
            return true;
        }
        self.is_symbol_at(2, ")")
            && match self.kind_at(3) {
                TokenKind::Name(name) => {
                    !is_reserved(name) || matches!(&**name, "true" | "false" | "null" | "new" | "lane_index")
                }
                TokenKind::Integer { .. } | TokenKind::Float { .. } | TokenKind::Character(_) => true,
                TokenKind::String(_) | TokenKind::Symbol(_) | TokenKind::Doc(_) | TokenKind::End => false,
            }
    }

    fn postfix(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let mut e = self.primary()?;
        let mut links = 0;
        loop {
            links += 1;
            if links > MAX_CHAIN {
                return Err(self.too_deep(format!("a chain of operators is limited to {MAX_CHAIN} operands")));
            }
            let kind = match self.symbol() {
                Some("[") => {
                    self.advance();
                    let index = self.nested(|this| this.expression())?;
                    self.expect_symbol("]")?;
                    ExprKind::Index(Box::new(e), Box::new(index))
                }
                Some(".") => {
                    self.advance();
                    ExprKind::Member(Box::new(e), self.expect_name("the name of a member")?)
                }
                Some("->") => {
                    self.advance();
                    ExprKind::Arrow(Box::new(e), self.expect_name("the name of a member")?)
                }
                Some("++" | "--") => {
                    let delta = if self.is_symbol("++") { 1 } else { -1 };
                    self.advance();
                    ExprKind::Increment { delta, prefix: false, place: Box::new(e) }
                }
                Some(_) | None => return Ok(e),
            };
            e = Expr { kind, span: self.since(start) };
        }
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let kind = match self.token().kind.clone() {
            TokenKind::Integer { value, suffix } => self.take(ExprKind::Integer { value, suffix }),
            TokenKind::Float { text, suffix } => self.take(ExprKind::Float { text, suffix }),
            TokenKind::Character(c) => self.take(ExprKind::Character(c)),
            TokenKind::String(mut text) => {
                self.advance();
                // Neighbouring strings are one, as in C.
                while let TokenKind::String(more) = &self.token().kind {
                    text.push_str(more);
                    self.advance();
                }
                ExprKind::String(text)
            }
            TokenKind::Symbol("(") => {
                self.advance();
                let inner = self.nested(|this| this.expression())?;
                self.expect_symbol(")")?;
                ExprKind::Parenthesized(Box::new(inner))
            }
            TokenKind::Symbol("<") => {
                self.advance();
                let mut lanes = Vec::new();
                self.nested(|this| {
                    loop {
                        lanes.push(this.binary(ADDITIVE)?);
                        if !this.eat_symbol(",") {
                            return Ok(());
                        }
                    }
                })?;
                self.expect_symbol(">")?;
                ExprKind::VectorLiteral(lanes)
            }
            TokenKind::Symbol("[") => {
                self.advance();
                let (active, inactive) = self.nested(|this| {
                    let active = this.assignment()?;
                    this.expect_symbol(",")?;
                    Ok((active, this.assignment()?))
                })?;
                self.expect_symbol("]")?;
                ExprKind::Blend(Box::new(active), Box::new(inactive))
            }
            TokenKind::Name(name) => return self.name(Name { text: name, span: start }),
            TokenKind::Symbol(_) | TokenKind::Doc(_) | TokenKind::End => return Err(self.expected("an expression")),
        };
        Ok(Expr { kind, span: self.since(start) })
    }

    fn take(&mut self, kind: ExprKind) -> ExprKind {
        self.advance();
        kind
    }

    fn name(&mut self, name: Name) -> Parsed<Expr> {
        let start: Span = name.span;
        let kind = match &*name.text {
            "true" => self.take(ExprKind::Bool(true)),
            "false" => self.take(ExprKind::Bool(false)),
            "null" => self.take(ExprKind::Null),
            "current_mask" => self.take(ExprKind::CurrentMask),
            "lane_index" => self.take(ExprKind::LaneIndex),
            "new" => {
                self.advance();
                let base = self.base_type()?;
                let ty = self.pointers(base)?;
                self.expect_symbol("[")?;
                let count = self.nested(|this| this.expression())?;
                self.expect_symbol("]")?;
                ExprKind::New(ty, Box::new(count))
            }
            "sizeof" | "lengthof" | "preferred_lengthof" => {
                self.advance();
                self.expect_symbol("(")?;
                let is_type = self.is_certain_type(0) || (self.name_at(0).is_some() && &*name.text == "preferred_lengthof");
                if is_type {
                    let ty = self.ty()?;
                    self.expect_symbol(")")?;
                    ExprKind::TypeQuery(name, ty)
                } else {
                    let argument = self.nested(|this| this.expression())?;
                    self.expect_symbol(")")?;
                    ExprKind::Call { name, template_arguments: Vec::new(), arguments: vec![argument] }
                }
            }
            text if is_reserved(text) => return Err(self.expected("an expression")),
            text => {
                let is_template = self.templates.contains(text);
                self.advance();
                let mut template_arguments = Vec::new();
                if is_template && self.eat_symbol("<") {
                    loop {
                        template_arguments.push(self.ty()?);
                        if !self.eat_symbol(",") {
                            break;
                        }
                    }
                    self.expect_symbol(">")?;
                }
                if self.eat_symbol("(") {
                    let arguments = self.nested(|this| this.arguments())?;
                    ExprKind::Call { name, template_arguments, arguments }
                } else {
                    ExprKind::Name(name)
                }
            }
        };
        Ok(Expr { kind, span: self.since(start) })
    }

    fn arguments(&mut self) -> Parsed<Vec<Expr>> {
        let mut arguments = Vec::new();
        while !self.is_symbol(")") {
            arguments.push(self.assignment()?);
            if !self.eat_symbol(",") {
                break;
            }
        }
        self.expect_symbol(")")?;
        Ok(arguments)
    }
}
