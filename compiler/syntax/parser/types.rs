//! Types and declarators.

use super::{Parsed, Parser, is_reserved};
use crate::source::Span;
use crate::syntax::ast::{Expr, Name, Qualifier, Type, TypeKind, Variable};
use crate::types::Element;

/// The element type of this name.
pub(super) fn element(name: &str) -> Option<Element> {
    match name {
        "int32" => Some(Element::Int32),
        "uint32" => Some(Element::Uint32),
        _ => Element::ALL.into_iter().find(|e| e.name() == name),
    }
}

impl Parser<'_> {
    /// Does a type begin `ahead` words from here, whatever follows it?
    pub(super) fn is_certain_type(&self, ahead: usize) -> bool {
        let known = |name: &str| {
            matches!(name, "void" | "const" | "varying" | "uniform" | "float16")
                || element(name).is_some()
                || self.types.contains(name)
        };
        self.name_at(ahead).is_some_and(known)
    }

    /// Does a declaration begin here? A name that the file does not declare may come from an import: then what follows
    /// decides.
    pub(super) fn starts_declaration(&self) -> bool {
        if self.is_keyword("scratch") {
            return true;
        }
        if self.is_certain_type(0) {
            return true;
        }
        let Some(name) = self.name_at(0).filter(|name| !is_reserved(name)) else { return false };
        let _ = name;
        match self.name_at(1) {
            Some("block" | "scalar" | "varying" | "uniform") => return true,
            Some(next) => return !is_reserved(next),
            None => {}
        }
        let pointer = self.is_symbol_at(1, "*") || self.is_symbol_at(1, "&");
        let ends = |at: usize| ["=", ";", ",", "["].iter().any(|s| self.is_symbol_at(at, s));
        pointer
            && match self.name_at(2) {
                Some("scalar" | "block" | "varying" | "uniform" | "const" | "restrict") => true,
                Some(name) => !is_reserved(name) && ends(3),
                None => self.is_symbol_at(2, "*") && self.name_at(3).is_some() && ends(4),
            }
    }

    /// A type with all its `*` and `&`.
    pub(super) fn ty(&mut self) -> Parsed<Type> {
        let base = self.base_type()?;
        self.pointers(base)
    }

    /// A type up to the first `*`.
    pub(super) fn base_type(&mut self) -> Parsed<Type> {
        let start = self.span();
        let mut is_const = self.eat_keyword("const");
        let prefix = match self.name_at(0) {
            Some("varying") => Some(Qualifier::Varying(self.span())),
            Some("uniform") => Some(Qualifier::Scalar(self.span())),
            Some(_) | None => None,
        };
        if prefix.is_some() {
            self.advance();
        }
        is_const |= self.eat_keyword("const");
        let kind = match self.name_at(0) {
            Some("void") => TypeKind::Void,
            Some("float16") => TypeKind::Float16,
            Some("unsigned" | "signed" | "long" | "short" | "char") => {
                return Err(self.expected("a type: integers are `int8` … `int64` and `uint8` … `uint64`"));
            }
            Some(name) => match element(name) {
                Some(element) => TypeKind::Element(element),
                None if !is_reserved(name) => TypeKind::Named(Name { text: name.into(), span: self.span() }, Vec::new()),
                None => return Err(self.expected("a type")),
            },
            None => return Err(self.expected("a type")),
        };
        self.advance();
        let written = self.qualifier()?;
        let qualifier = match written {
            Qualifier::Unbound => prefix.unwrap_or(Qualifier::Unbound),
            other => other,
        };
        is_const |= self.eat_keyword("const");
        Ok(Type { kind, qualifier, is_const, is_restrict: false, span: self.since(start) })
    }

    fn qualifier(&mut self) -> Parsed<Qualifier> {
        let start = self.span();
        if self.eat_keyword("block") {
            if !self.eat_symbol("[") {
                return Ok(Qualifier::Block(start));
            }
            let length = self.nested(|this| this.expression())?;
            self.expect_symbol("]")?;
            return Ok(Qualifier::BlockOf(Box::new(length), self.since(start)));
        }
        // `T scalar x`, but not the statement behind `T x; scalar …`.
        if self.eat_keyword("scalar") || self.eat_keyword("uniform") {
            return Ok(Qualifier::Scalar(start));
        }
        if self.eat_keyword("varying") {
            return Ok(Qualifier::Varying(start));
        }
        Ok(Qualifier::Unbound)
    }

    /// The `*` and `&` that follow a type, each with its qualifier.
    pub(super) fn pointers(&mut self, base: Type) -> Parsed<Type> {
        let mut ty = base;
        let mut layers = 0;
        while self.is_symbol("*") || self.is_symbol("&") {
            layers += 1;
            if layers > 32 {
                return Err(self.too_deep("a type may have 32 levels of pointers".into()));
            }
            let is_pointer = self.is_symbol("*");
            self.advance();
            let span = ty.span;
            let inner = Box::new(ty);
            let kind = if is_pointer { TypeKind::Pointer(inner) } else { TypeKind::Reference(inner) };
            let (mut is_const, mut is_restrict) = (false, false);
            let qualifier = self.qualifier()?;
            while self.is_keyword("const") || self.is_keyword("restrict") {
                is_const |= self.is_keyword("const");
                is_restrict |= self.is_keyword("restrict");
                self.advance();
            }
            ty = Type { kind, qualifier, is_const, is_restrict, span: self.since(span) };
        }
        Ok(ty)
    }

    /// `*p[4] = e` behind a base type.
    pub(super) fn declarator(&mut self, base: &Type) -> Parsed<Variable> {
        let ty = self.pointers(base.clone())?;
        let start = self.span();
        let name = self.expect_name("a name")?;
        let dimensions = self.dimensions()?;
        let initializer = if self.eat_symbol("=") { Some(self.initializer()?) } else { None };
        Ok(Variable { ty, name, dimensions, initializer, span: self.since(start) })
    }

    pub(super) fn dimensions(&mut self) -> Parsed<Vec<Option<Expr>>> {
        let mut dimensions = Vec::new();
        while self.eat_symbol("[") {
            let size = if self.is_symbol("]") { None } else { Some(self.nested(|this| this.expression())?) };
            self.expect_symbol("]")?;
            dimensions.push(size);
        }
        Ok(dimensions)
    }

    /// An expression or `{ … }`.
    pub(super) fn initializer(&mut self) -> Parsed<Expr> {
        let start: Span = self.span();
        if !self.eat_symbol("{") {
            return self.assignment();
        }
        self.nested(|this| {
            let mut parts = Vec::new();
            while !this.is_symbol("}") {
                parts.push(this.initializer()?);
                if !this.eat_symbol(",") {
                    break;
                }
            }
            this.expect_symbol("}")?;
            Ok(Expr { kind: crate::syntax::ast::ExprKind::Aggregate(parts), span: this.since(start) })
        })
    }
}
