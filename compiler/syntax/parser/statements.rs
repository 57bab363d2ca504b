//! Statements.

use super::{Parsed, Parser, is_reserved};
use crate::syntax::ast::{Block, Expr, ForeachIndex, Statement, StatementKind, SwitchCase};
use crate::syntax::token::TokenKind;

/// How many links a chain of `else if` may have.
const MAX_ELSE_IF: usize = 1000;

impl Parser<'_> {
    /// Could the current word begin a statement? Asked where a semicolon is missing.
    pub(super) fn starts_statement(&self) -> bool {
        let keyword = |name: &str| {
            matches!(
                name,
                "if" | "while"
                    | "do"
                    | "for"
                    | "foreach"
                    | "foreach_active"
                    | "foreach_unique"
                    | "switch"
                    | "scalar"
                    | "break"
                    | "continue"
                    | "return"
                    | "delete"
                    | "parallel"
                    | "case"
                    | "default"
            )
        };
        self.name_at(0).is_some_and(|name| keyword(name) || !is_reserved(name)) || self.is_certain_type(0)
    }

    pub(super) fn block(&mut self) -> Parsed<Block> {
        let start = self.span();
        self.expect_symbol("{")?;
        let statements = self.nested(|this| Ok(this.statements()))?;
        self.expect_symbol("}")?;
        Ok(Block { statements, span: self.since(start) })
    }

    /// Statements up to a `}`; broken ones are reported and skipped.
    fn statements(&mut self) -> Vec<Statement> {
        let mut statements = Vec::new();
        let depth = self.depth;
        while !self.is_symbol("}") && !self.is_end() {
            let (from, start) = (self.at, self.span());
            match self.statement() {
                Ok(statement) => statements.push(statement),
                Err(_) => {
                    self.depth = depth;
                    self.skip_statement(from);
                    statements.push(Statement { kind: StatementKind::Error, span: self.since(start) });
                }
            }
        }
        statements
    }

    fn statement(&mut self) -> Parsed<Statement> {
        self.nested(|this| {
            while let TokenKind::Doc(_) = this.token().kind {
                this.advance();
            }
            let start = this.span();
            let kind = this.statement_kind()?;
            Ok(Statement { kind, span: this.since(start) })
        })
    }

    fn boxed(&mut self) -> Parsed<Box<Statement>> {
        self.statement().map(Box::new)
    }

    fn parenthesized(&mut self) -> Parsed<Expr> {
        self.expect_symbol("(")?;
        let e = self.expression()?;
        self.expect_symbol(")")?;
        Ok(e)
    }

    fn statement_kind(&mut self) -> Parsed<StatementKind> {
        if self.is_symbol("{") {
            return self.block().map(StatementKind::Block);
        }
        if self.eat_symbol(";") {
            return Ok(StatementKind::Empty);
        }
        match self.name_at(0) {
            Some("if") => return self.if_statement(),
            Some("while") => {
                self.advance();
                let condition = self.parenthesized()?;
                return Ok(StatementKind::While { condition, body: self.boxed()? });
            }
            Some("do") => {
                self.advance();
                let body = self.boxed()?;
                if !self.eat_keyword("while") {
                    return Err(self.expected("`while` after the body of `do`"));
                }
                let condition = self.parenthesized()?;
                self.expect_semicolon("condition")?;
                return Ok(StatementKind::DoWhile { body, condition });
            }
            Some("for") => return self.for_statement(),
            Some("foreach" | "parallel") => return self.foreach(),
            Some("foreach_active") => {
                self.advance();
                self.expect_symbol("(")?;
                let ty = self.ty()?;
                let name = self.expect_name("the name of the lane")?;
                self.expect_symbol(")")?;
                return Ok(StatementKind::ForeachActive { ty, name, body: self.boxed()? });
            }
            Some("foreach_unique") => {
                self.advance();
                self.expect_symbol("(")?;
                let ty = self.ty()?;
                let name = self.expect_name("the name of the value")?;
                self.expect_symbol(":")?;
                let value = self.expression()?;
                self.expect_symbol(")")?;
                return Ok(StatementKind::ForeachUnique { ty, name, value, body: self.boxed()? });
            }
            Some("switch") => return self.switch(),
            Some("scalar") => {
                self.advance();
                return self.boxed().map(StatementKind::Scalar);
            }
            Some("break") => {
                self.advance();
                self.expect_semicolon("`break`")?;
                return Ok(StatementKind::Break);
            }
            Some("continue") => {
                self.advance();
                self.expect_semicolon("`continue`")?;
                return Ok(StatementKind::Continue);
            }
            Some("return") => {
                self.advance();
                let nothing = self.is_symbol(";") || self.is_symbol("}");
                let value = if nothing { None } else { Some(self.expression()?) };
                self.expect_semicolon("`return`")?;
                return Ok(StatementKind::Return(value));
            }
            Some("delete") => {
                self.advance();
                let pointer = self.expression()?;
                self.expect_semicolon("`delete`")?;
                return Ok(StatementKind::Delete(pointer));
            }
            Some("else") => return Err(self.expected("a statement (this `else` belongs to no `if`)")),
            Some(_) | None => {}
        }
        if self.starts_declaration() {
            return self.declaration().map(StatementKind::Declaration);
        }
        let e = self.expression()?;
        self.expect_semicolon("expression")?;
        Ok(StatementKind::Expression(e))
    }

    /// A chain of `else if` is read in a loop, so that it may be long.
    fn if_statement(&mut self) -> Parsed<StatementKind> {
        let mut links = Vec::new();
        let mut last = None;
        loop {
            let start = self.span();
            self.advance();
            let condition = self.parenthesized()?;
            let then = self.boxed()?;
            links.push((start, condition, then));
            if links.len() > MAX_ELSE_IF {
                return Err(self.too_deep(format!("a chain of `else if` is limited to {MAX_ELSE_IF} links")));
            }
            if !self.eat_keyword("else") {
                break;
            }
            if !self.is_keyword("if") {
                last = Some(self.boxed()?);
                break;
            }
        }
        let mut chain = None;
        while let Some((start, condition, then)) = links.pop() {
            let otherwise = last.take();
            let kind = StatementKind::If { condition, then, otherwise };
            if links.is_empty() {
                chain = Some(kind);
            } else {
                last = Some(Box::new(Statement { kind, span: self.since(start) }));
            }
        }
        Ok(chain.unwrap_or(StatementKind::Error))
    }

    fn for_statement(&mut self) -> Parsed<StatementKind> {
        self.advance();
        self.expect_symbol("(")?;
        let start = self.span();
        let init = if self.eat_symbol(";") {
            StatementKind::Empty
        } else if self.starts_declaration() {
            StatementKind::Declaration(self.declaration()?)
        } else {
            let e = self.expression()?;
            self.expect_symbol(";")?;
            StatementKind::Expression(e)
        };
        let init = Box::new(Statement { kind: init, span: self.since(start) });
        let condition = if self.is_symbol(";") { None } else { Some(self.expression()?) };
        self.expect_symbol(";")?;
        let step = if self.is_symbol(")") { None } else { Some(self.expression()?) };
        self.expect_symbol(")")?;
        Ok(StatementKind::For { init, condition, step, body: self.boxed()? })
    }

    fn foreach(&mut self) -> Parsed<StatementKind> {
        let start = self.span();
        let parallel = self.eat_keyword("parallel").then_some(start);
        if !self.eat_keyword("foreach") {
            return Err(self.expected("`foreach` after `parallel`"));
        }
        self.expect_symbol("(")?;
        let mut indices = Vec::new();
        loop {
            let start = self.span();
            let ty = self.ty()?;
            let name = self.expect_name("the name of the index")?;
            self.expect_symbol("=")?;
            let low = self.conditional()?;
            self.expect_symbol("..")?;
            let high = self.conditional()?;
            indices.push(ForeachIndex { ty, name, low, high, span: self.since(start) });
            if !self.eat_symbol(",") {
                break;
            }
        }
        self.expect_symbol(")")?;
        Ok(StatementKind::Foreach { parallel, indices, body: self.boxed()? })
    }

    fn switch(&mut self) -> Parsed<StatementKind> {
        self.advance();
        let value = self.parenthesized()?;
        self.expect_symbol("{")?;
        let mut cases = Vec::new();
        while !self.is_symbol("}") && !self.is_end() {
            let start = self.span();
            let mut labels = Vec::new();
            loop {
                if self.eat_keyword("case") {
                    labels.push(Some(self.conditional()?));
                } else if self.eat_keyword("default") {
                    labels.push(None);
                } else {
                    break;
                }
                self.expect_symbol(":")?;
            }
            if labels.is_empty() {
                return Err(self.expected("`case` or `default`"));
            }
            let mut statements = Vec::new();
            while !self.is_symbol("}") && !self.is_keyword("case") && !self.is_keyword("default") && !self.is_end() {
                statements.push(self.statement()?);
            }
            cases.push(SwitchCase { labels, statements, span: self.since(start) });
        }
        self.expect_symbol("}")?;
        Ok(StatementKind::Switch { value, cases })
    }
}
