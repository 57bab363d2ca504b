//! Items: what stands at the level of the file.

use super::{Parsed, Parser};
use crate::diagnostics::codes;
use crate::source::Span;
use crate::syntax::ast::{Attribute, Declaration, Function, Item, ItemKind, Name, Parameter, Type, Variable};
use crate::syntax::token::TokenKind;

/// What stands in front of an item.
#[derive(Clone, Default)]
struct Head {
    docs: Vec<String>,
    attributes: Vec<Attribute>,
    template: Vec<Name>,
}

impl Parser<'_> {
    pub(super) fn items(&mut self) -> Vec<Item> {
        let mut items = Vec::new();
        while !self.is_end() {
            let from = self.at;
            if self.item(&mut items).is_err() {
                self.skip_item(from);
            }
        }
        items
    }

    /// Skips a broken item, and closing brackets that close nothing.
    fn skip_item(&mut self, from: usize) {
        self.depth = 0;
        self.skip_statement(from);
        while self.is_symbol("}") || self.is_symbol(";") {
            self.advance();
        }
    }

    fn item(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        let mut head = Head::default();
        while let TokenKind::Doc(line) = &self.token().kind {
            head.docs.push(line.clone());
            self.advance();
        }
        if self.is_end() || self.eat_symbol(";") {
            return Ok(());
        }
        let start = self.span();
        while self.is_symbol("[") && self.is_symbol_at(1, "[") {
            self.attributes(&mut head.attributes)?;
        }
        if self.eat_keyword("template") {
            self.template_parameters(&mut head.template)?;
        }
        if self.is_keyword("extern") {
            return self.external(start, head, items);
        }
        let kind = self.item_kind()?;
        items.push(self.finish(kind, start, head));
        Ok(())
    }

    fn finish(&self, kind: ItemKind, start: Span, head: Head) -> Item {
        let Head { docs, attributes, template } = head;
        Item { kind, span: self.since(start), docs, attributes, template }
    }

    fn item_kind(&mut self) -> Parsed<ItemKind> {
        if self.eat_keyword("import") {
            return self.import();
        }
        if self.is_keyword("struct") && (self.is_symbol_at(2, "{") || self.name_at(1).is_none()) {
            return self.structure();
        }
        if self.is_keyword("enum") {
            return self.enumeration();
        }
        if self.eat_keyword("typedef") {
            let base = self.base_type()?;
            let variable = self.declarator(&base)?;
            self.expect_semicolon("type definition")?;
            return Ok(ItemKind::Typedef { variable });
        }
        if self.is_keyword("pipeline") || self.is_keyword("schedule") {
            let span = self.span();
            let word = if self.is_keyword("pipeline") { "pipeline" } else { "schedule" };
            if self.name_at(1).is_some() {
                return Err(self.report(&codes::UNSUPPORTED, span, format!("a `{word}` is not there in this version")));
            }
        }
        let export = self.is_keyword("export").then(|| self.span());
        if export.is_some() {
            self.advance();
        }
        let result_start = self.at;
        let base = self.base_type()?;
        let ty = self.pointers(base.clone())?;
        if self.name_at(0).is_some() && self.is_symbol_at(1, "(") {
            return self.function(ty, export, None).map(ItemKind::Function);
        }
        if let Some(span) = export {
            return Err(self.report(&codes::UNEXPECTED_TOKEN, span, "only functions are exported"));
        }
        self.at = result_start;
        self.declaration().map(ItemKind::Global)
    }

    /// `[[name(a, b), …]]`
    fn attributes(&mut self, attributes: &mut Vec<Attribute>) -> Parsed<()> {
        self.expect_symbol("[")?;
        self.expect_symbol("[")?;
        loop {
            let name = self.expect_name("an attribute")?;
            let mut arguments = Vec::new();
            if self.eat_symbol("(") {
                loop {
                    arguments.push(self.expect_name("an argument")?);
                    if !self.eat_symbol(",") {
                        break;
                    }
                }
                self.expect_symbol(")")?;
            }
            attributes.push(Attribute { name, arguments });
            if !self.eat_symbol(",") {
                break;
            }
        }
        self.expect_symbol("]")?;
        self.expect_symbol("]")
    }

    fn template_parameters(&mut self, names: &mut Vec<Name>) -> Parsed<()> {
        self.expect_symbol("<")?;
        loop {
            if !self.eat_keyword("typename") {
                return Err(self.expected("`typename`"));
            }
            names.push(self.expect_name("a type parameter")?);
            if !self.eat_symbol(",") {
                break;
            }
        }
        self.expect_symbol(">")
    }

    /// `extern "C" f(…);` or `extern "C" { … }`
    fn external(&mut self, start: Span, head: Head, items: &mut Vec<Item>) -> Parsed<()> {
        self.advance();
        let span = self.since(start);
        match &self.token().kind {
            TokenKind::String(language) if language == "C" => self.advance(),
            _ => return Err(self.expected("`\"C\"`")),
        }
        if !self.eat_symbol("{") {
            let ty = self.ty()?;
            let kind = ItemKind::Function(self.function(ty, None, Some(span))?);
            items.push(self.finish(kind, start, head));
            return Ok(());
        }
        while !self.is_symbol("}") && !self.is_end() {
            let mut head = Head::default();
            while let TokenKind::Doc(line) = &self.token().kind {
                head.docs.push(line.clone());
                self.advance();
            }
            let start = self.span();
            let ty = self.ty()?;
            let kind = ItemKind::Function(self.function(ty, None, Some(span))?);
            items.push(self.finish(kind, start, head));
        }
        self.expect_symbol("}")
    }

    fn import(&mut self) -> Parsed<ItemKind> {
        let path_span = self.span();
        let TokenKind::String(path) = &self.token().kind else {
            return Err(self.expected("a file name in quotes"));
        };
        let path = path.clone();
        self.advance();
        self.expect_semicolon("import")?;
        Ok(ItemKind::Import { path, path_span })
    }

    fn structure(&mut self) -> Parsed<ItemKind> {
        self.advance();
        let name = self.expect_name("the name of the struct")?;
        self.expect_symbol("{")?;
        let mut members: Vec<Variable> = Vec::new();
        while !self.is_symbol("}") && !self.is_end() {
            let from = self.at;
            if let TokenKind::Doc(_) = self.token().kind {
                self.advance();
                continue;
            }
            match self.declaration() {
                Ok(declaration) => members.extend(declaration.variables),
                Err(_) => self.skip_statement(from),
            }
        }
        self.expect_symbol("}")?;
        self.eat_symbol(";");
        Ok(ItemKind::Struct { name, members })
    }

    fn enumeration(&mut self) -> Parsed<ItemKind> {
        self.advance();
        let name = self.expect_name("the name of the enum")?;
        let base = if self.eat_symbol(":") { Some(self.ty()?) } else { None };
        self.expect_symbol("{")?;
        let mut variants = Vec::new();
        while !self.is_symbol("}") {
            let name = self.expect_name("the name of a constant")?;
            let value = if self.eat_symbol("=") { Some(self.conditional()?) } else { None };
            variants.push((name, value));
            if !self.eat_symbol(",") {
                break;
            }
        }
        self.expect_symbol("}")?;
        self.eat_symbol(";");
        Ok(ItemKind::Enum { name, base, variants })
    }

    /// The name, parameters and body of a function.
    fn function(&mut self, result: Type, export: Option<Span>, extern_c: Option<Span>) -> Parsed<Function> {
        let name = self.expect_name("the name of the function")?;
        self.expect_symbol("(")?;
        let mut parameters = Vec::new();
        if self.is_keyword("void") && self.is_symbol_at(1, ")") {
            self.advance();
        }
        while !self.is_symbol(")") {
            parameters.push(self.parameter()?);
            if !self.eat_symbol(",") {
                break;
            }
        }
        self.expect_symbol(")")?;
        let body = if self.is_symbol("{") {
            Some(self.block()?)
        } else {
            self.expect_semicolon("function declaration")?;
            None
        };
        Ok(Function { name, result, parameters, body, export, extern_c })
    }

    fn parameter(&mut self) -> Parsed<Parameter> {
        let start = self.span();
        let ty = self.ty()?;
        let named = self.name_at(0).is_some();
        let name = if named { Some(self.expect_name("the name of the parameter")?) } else { None };
        let mut array = None;
        if self.eat_symbol("[") {
            let bound = if self.is_symbol("]") { None } else { Some(Box::new(self.expression()?)) };
            self.expect_symbol("]")?;
            array = Some(bound);
        }
        Ok(Parameter { ty, name, array, span: self.since(start) })
    }

    /// `scratch int x = 1, *p;`
    pub(super) fn declaration(&mut self) -> Parsed<Declaration> {
        let start = self.span();
        let scratch = self.eat_keyword("scratch");
        let base = self.base_type()?;
        let mut variables = vec![self.declarator(&base)?];
        while self.eat_symbol(",") {
            variables.push(self.declarator(&base)?);
        }
        self.expect_semicolon("declaration")?;
        Ok(Declaration { variables, scratch, span: self.since(start) })
    }
}
