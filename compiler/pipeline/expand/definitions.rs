//! Definitions that take funcs: the body stands in for the use.
//!
//! ```text
//! fun blur(f, int r)(x, ...) {                          blur(in, 2)(2 * x, y)
//!     let a = f(x - r, ...);                      ──►   let a'1 = in(2 * x - (int) 2, y);
//!     return a + f(x + r, ...);                         (a'1 + in(2 * x + (int) 2, y))
//! }
//! ```
//! A `let` becomes one of the stage, where its reads are made whatever the stage decides; else its value stands for it.

use super::environment::{Callee, Environment, Found, Given, Level, Meaning, Number};
use super::own::has_funcs;
use super::state::{Expander, all_of};
use crate::diagnostics::{Diagnostic, codes};
use crate::pipeline::plain::Expansion;
use crate::source::Span;
use crate::syntax::ast::{self, BodyPart, Expr, ExprKind as Ast, Let, TypeKind};
use crate::types::Element;
use std::rc::Rc;

/// How many definitions may be expanded inside one another.
const MAX_DEPTH: usize = 64;

impl<'a> Expander<'a> {
    /// A definition with what it is given.
    pub fn given(
        &mut self,
        found: Found<'a>,
        arguments: &[Expr],
        e: &Expr,
        environment: &Environment<'a>,
    ) -> Option<Rc<Given<'a>>> {
        let definition = found.definition;
        let (name, wanted) = (&definition.name, definition.parameters.len());
        if wanted != arguments.len() {
            let takes = if wanted == 1 { "1 argument".to_owned() } else { format!("{wanted} arguments") };
            let message = format!("`{}` takes {takes}, {} given", name.text, arguments.len());
            let error = Diagnostic::error(&codes::ARGUMENT_COUNT, e.span, message);
            return self.report(error.with_secondary(name.span, "it is defined here"));
        }
        let has_funcs = has_funcs(&definition.body);
        let meaning = |(parameter, argument): (&ast::DefinitionParameter, &Expr)| match &parameter.ty {
            None => self.callee(argument, environment).map(Meaning::Callee),
            // A `let` of the stage would not be known in a func of the definition.
            Some(ty) if has_funcs => self.where_decided(|this| this.value(ty, argument, environment)),
            Some(ty) => self.value(ty, argument, environment),
        };
        let meanings = all_of(definition.parameters.iter().zip(arguments).map(meaning))?;
        Some(Rc::new(Given { found, meanings }))
    }

    /// A value: as a number where it is known, else as it stands, in its type.
    fn value(&mut self, ty: &ast::Type, argument: &Expr, environment: &Environment<'a>) -> Option<Meaning<'a>> {
        let made = self.expression(argument, environment)?;
        let element = match ty.kind {
            TypeKind::Element(element) => element,
            _ => return self.error(&codes::PIPELINE_TYPE, ty.span, "values are scalar numbers"),
        };
        if (element.is_integer() || element == Element::Bool)
            && let Some(value) = self.known(&made)
        {
            if !crate::check::fits(value, element) {
                let message = format!("{value} does not fit in `{}`", element.name());
                return self.error(&codes::CONSTANT_OUT_OF_RANGE, argument.span, message);
            }
            return Some(Meaning::Constant(Number { value, element: Some(element) }));
        }
        let span = made.span;
        let made = self.bracketed(made);
        let cast = self.node(Ast::Cast(ty.clone(), Box::new(made)), span);
        Some(Meaning::Value(cast))
    }

    /// The values of a definition at some indices.
    pub fn expanded(
        &mut self,
        given: &Rc<Given<'a>>,
        arguments: &[Expr],
        e: &Expr,
        environment: &Environment<'a>,
    ) -> Option<Vec<Expr>> {
        let Found { definition, environment: around } = &given.found;
        let name = &definition.name;
        let indices = self.arguments(arguments, environment)?;
        let named = definition.variables.len();
        if indices.len() < named || indices.len() > named && definition.rest.is_none() {
            let at_least = if definition.rest.is_some() { "at least " } else { "" };
            let wanted = if named == 1 { "1 index".to_owned() } else { format!("{named} indices") };
            let message = format!("`{}` takes {at_least}{wanted}, {} given", name.text, indices.len());
            let error = Diagnostic::error(&codes::PIPELINE_DEFINITION, e.span, message);
            return self.report(error.with_secondary(name.span, "it is defined here"));
        }
        if self.stage.open.len() >= MAX_DEPTH {
            let message = format!("`{}` is expanded inside of {MAX_DEPTH} definitions", name.text);
            let error = Diagnostic::error(&codes::INSTANCE_DEPTH, e.span, message);
            return self.report(error.with_help("a definition that uses itself needs a `static if` that ends it"));
        }
        let mut inside = Environment::clone(around);
        for (parameter, meaning) in definition.parameters.iter().zip(&given.meanings) {
            inside.set(&parameter.name.text, meaning.clone());
        }
        let mut indices = indices.into_iter();
        for (variable, index) in definition.variables.iter().zip(&mut indices) {
            inside.set(&variable.text, Meaning::Value(index));
        }
        let rest: Vec<Expr> = indices.collect();
        let count = rest.len();
        inside.rest = Some(rest);
        let expansion = Expansion { text: definition.span, place: e.span, what: format!("in this use of `{}`", name.text) };
        if !self.stage.expansions.contains(&expansion) {
            self.stage.expansions.push(expansion.clone());
        }
        self.stage.open.push(expansion);
        let values = self.body(given, count, inside);
        self.stage.open.pop();
        let values = values?;
        Some(values.into_iter().map(|value| self.bracketed(value)).collect())
    }

    /// What the body of a definition returns, where `...` stands for so many indices.
    fn body(&mut self, given: &Given<'a>, rest: usize, mut environment: Environment<'a>) -> Option<Vec<Expr>> {
        let definition = given.found.definition;
        if has_funcs(&definition.body) {
            for (local, own) in self.own_funcs(given, rest)?.iter() {
                environment.set(local, Meaning::Callee(Callee::Named(own.name.clone())));
            }
        }
        let (lets, values) = self.chosen(&definition.body, &mut environment, definition.name.span)?;
        debug_assert!(lets.is_empty(), "those of a definition are those of its stage");
        Some(values)
    }

    /// The `let`s and the values of a body, in which what is decided while compiling is chosen. The `let`s of a definition go to its stage.
    pub fn chosen(
        &mut self,
        parts: &'a [BodyPart],
        environment: &mut Environment<'a>,
        span: Span,
    ) -> Option<(Vec<Let>, Vec<Expr>)> {
        let mut lets = Vec::new();
        match self.choose(parts, environment, &mut lets)? {
            Some(values) => Some((lets, values)),
            None => self.error(&codes::MISSING_RETURN, span, "no `return` is chosen here"),
        }
    }

    fn choose(
        &mut self,
        parts: &'a [BodyPart],
        environment: &mut Environment<'a>,
        lets: &mut Vec<Let>,
    ) -> Option<Option<Vec<Expr>>> {
        for (k, part) in parts.iter().enumerate() {
            match part {
                BodyPart::Let(definition) => self.local(definition, environment, lets)?,
                // They are in the pipeline.
                BodyPart::Fun(_) | BodyPart::Update(..) => {}
                BodyPart::Return(values) => {
                    let values = self.all(values, environment)?;
                    if let Some(behind) = parts.get(k + 1) {
                        let message = "what stands behind a `return` is never read";
                        return self.error(&codes::PIPELINE_DEFINITION, place_of(behind), message);
                    }
                    return Some(Some(values));
                }
                BodyPart::StaticIf(chosen, _) => {
                    let holds = self.constant(&chosen.condition, environment)? != 0;
                    let arm = if holds { &chosen.then } else { &chosen.otherwise };
                    // The names of an arm end with it.
                    if let Some(values) = self.choose(arm, &mut environment.clone(), lets)? {
                        return Some(Some(values));
                    }
                }
            }
        }
        Some(None)
    }

    /// A `let` of a body.
    fn local(&mut self, definition: &Let, environment: &mut Environment<'a>, lets: &mut Vec<Let>) -> Option<()> {
        let value = self.expression(&definition.value, environment)?;
        let name = &definition.name;
        if environment.level == Level::Stage && self.stage.open.is_empty() {
            // Those of definitions in its value stand in front of it.
            lets.extend(self.stage.lets.as_mut().map(std::mem::take).unwrap_or_default());
            environment.set(&name.text, Meaning::Bound);
            lets.push(Let { name: name.clone(), value });
            return Some(());
        }
        if self.stage.lets.is_none() {
            environment.set(&name.text, Meaning::Value(value));
            return Some(());
        }
        let text = self.fresh(&name.text);
        environment.set(&name.text, Meaning::Renamed(text.clone()));
        let made = Let { name: ast::Name { text, span: name.span }, value };
        self.stage.lets.as_mut().expect("they are there").push(made);
        Some(())
    }
}

/// Where a part of a body stands.
fn place_of(part: &BodyPart) -> Span {
    match part {
        BodyPart::Let(definition) => definition.name.span,
        BodyPart::Return(values) => values[0].span,
        BodyPart::Fun(fun) => fun.span,
        BodyPart::StaticIf(_, span) | BodyPart::Update(_, span) => *span,
    }
}
