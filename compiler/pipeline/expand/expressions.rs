//! The copy of an expression in which names stand for what the environment says, and nothing of stage zero is left.

use super::environment::{Callee, Environment, Level, Meaning};
use super::state::{Expander, all_of};
use crate::diagnostics::codes;
use crate::syntax::ast::{BinaryOp, Expr, ExprKind as Ast, Name, Range, TemplateArgument, Type, TypeKind, UnaryOp};
use crate::syntax::walk::names;

impl<'a> Expander<'a> {
    /// A copy of an expression; `None` if something in it was refused.
    pub fn expression(&mut self, e: &Expr, environment: &Environment<'a>) -> Option<Expr> {
        if self.room == 0 {
            let message = "this expands to more than the compiler reads";
            return self.error(&codes::PIPELINE_DEFINITION, e.span, message);
        }
        let one = |this: &mut Self, e: &Expr| this.expression(e, environment).map(Box::new);
        let kind = match &e.kind {
            Ast::Integer { .. }
            | Ast::Float { .. }
            | Ast::Bool(_)
            | Ast::Null
            | Ast::Character(_)
            | Ast::String(_)
            | Ast::CurrentMask
            | Ast::LaneIndex
            | Ast::Error => e.kind.clone(),
            Ast::TypeQuery(name, ty) => Ast::TypeQuery(name.clone(), self.ty(ty, environment)),
            Ast::Instance(name, arguments) => Ast::Instance(name.clone(), self.template_arguments(arguments, environment)?),
            Ast::Name(name) => return self.name(name, e, environment),
            Ast::Call { name, arguments, .. } => return self.call(name, arguments, e, environment),
            Ast::Apply(callee, arguments) => return self.apply(callee, arguments, e, environment),
            Ast::Component(inner, component) => return self.component(inner, *component, e, environment),
            Ast::Reduction { .. } => return self.reduction(e, environment),
            Ast::Rest => {
                let message = "`...` stands for the remaining indices of a definition, as the last of some indices";
                return self.error(&codes::PIPELINE_DEFINITION, e.span, message);
            }
            Ast::VectorLiteral(list) => Ast::VectorLiteral(self.all(list, environment)?),
            Ast::Aggregate(list) => Ast::Aggregate(self.all(list, environment)?),
            Ast::Blend(a, b) => {
                let (a, b) = (one(self, a), one(self, b));
                Ast::Blend(a?, b?)
            }
            Ast::Unary(op, a) => Ast::Unary(*op, one(self, a)?),
            Ast::Increment { delta, prefix, place } => {
                Ast::Increment { delta: *delta, prefix: *prefix, place: one(self, place)? }
            }
            Ast::Binary(op, a, b, span) => {
                let a = one(self, a);
                // The right side of `&&` and `||` is read where the left one says so.
                let made = if op.is_lazy() { self.where_decided(|this| one(this, b)) } else { one(self, b) };
                let (a, made) = (a?, made?);
                match (opposite(*op), negated(b, &made)) {
                    (Some(opposite), Some(number)) => Ast::Binary(opposite, a, Box::new(number), *span),
                    _ => Ast::Binary(*op, a, made, *span),
                }
            }
            Ast::Assign { op, place, value } => {
                let (place, value) = (one(self, place), one(self, value));
                Ast::Assign { op: *op, place: place?, value: value? }
            }
            Ast::Conditional(a, b, c) => {
                let a = one(self, a);
                let (b, c) = self.where_decided(|this| (one(this, b), one(this, c)));
                Ast::Conditional(a?, b?, c?)
            }
            Ast::Cast(ty, a) => {
                let ty = self.ty(ty, environment);
                Ast::Cast(ty, one(self, a)?)
            }
            Ast::New(form, ty, a) => Ast::New(*form, ty.clone(), one(self, a)?),
            Ast::Index(a, i) => {
                if let Some(family) = self.family(a, environment) {
                    return self.family_by_itself(&family);
                }
                let (a, i) = (one(self, a), one(self, i));
                Ast::Index(a?, i?)
            }
            Ast::Indices(a, list) => {
                if let Some(family) = self.family(a, environment) {
                    return self.family_by_itself(&family);
                }
                let (a, list) = (one(self, a), self.all(list, environment));
                Ast::Indices(a?, list?)
            }
            Ast::Member(a, name) => Ast::Member(one(self, a)?, name.clone()),
            Ast::Arrow(a, name) => Ast::Arrow(one(self, a)?, name.clone()),
            Ast::Method(of, name, arguments) => {
                let (of, arguments) = (one(self, of), self.all(arguments, environment));
                Ast::Method(of?, name.clone(), arguments?)
            }
            Ast::Range(a, b) => {
                let (a, b) = (one(self, a), one(self, b));
                Ast::Range(a?, b?)
            }
            Ast::Parenthesized(a) => Ast::Parenthesized(one(self, a)?),
        };
        Some(self.node(kind, e.span))
    }

    /// Copies of some expressions, whatever came of those in front of each.
    pub fn all(&mut self, list: &[Expr], environment: &Environment<'a>) -> Option<Vec<Expr>> {
        all_of(list.iter().map(|e| self.expression(e, environment)))
    }

    /// Copies of arguments; `...` is all that it stands for.
    pub fn arguments(&mut self, list: &[Expr], environment: &Environment<'a>) -> Option<Vec<Expr>> {
        let mut made = Vec::new();
        let mut fits = true;
        for (k, e) in list.iter().enumerate() {
            match (&e.kind, &environment.rest) {
                (Ast::Rest, Some(rest)) if k + 1 == list.len() => {
                    for e in rest {
                        made.extend(self.copy(e));
                    }
                }
                _ => match self.expression(e, environment) {
                    Some(e) => made.push(e),
                    None => fits = false,
                },
            }
        }
        fits.then_some(made)
    }

    /// Copies of the arguments of a template.
    pub fn template_arguments(
        &mut self,
        list: &[TemplateArgument],
        environment: &Environment<'a>,
    ) -> Option<Vec<TemplateArgument>> {
        let copy = |argument: &TemplateArgument| match argument {
            TemplateArgument::Type(ty) => Some(TemplateArgument::Type(self.ty(ty, environment))),
            TemplateArgument::Value(e) => self.expression(e, environment).map(TemplateArgument::Value),
            TemplateArgument::Name(e) => match argument.name().and_then(|name| environment.get(&name.text)) {
                Some(Meaning::Type(ty)) => Some(TemplateArgument::Type(ty.clone())),
                Some(Meaning::Constant(_) | Meaning::Value(_)) => self.expression(e, environment).map(TemplateArgument::Value),
                Some(Meaning::Callee(_) | Meaning::Bound | Meaning::Renamed(_)) | None => {
                    self.expression(e, environment).map(TemplateArgument::Name)
                }
            },
        };
        all_of(list.iter().map(copy))
    }

    /// A type, in which parameters of templates stand for theirs.
    pub fn ty(&mut self, ty: &Type, environment: &Environment<'a>) -> Type {
        match &ty.kind {
            TypeKind::Named(name, arguments) if arguments.is_empty() => match environment.get(&name.text) {
                Some(Meaning::Type(given)) => Type { span: ty.span, ..given.clone() },
                Some(Meaning::Constant(_) | Meaning::Value(_) | Meaning::Callee(_) | Meaning::Bound | Meaning::Renamed(_))
                | None => ty.clone(),
            },
            _ => ty.clone(),
        }
    }

    /// A copy of what is already expanded.
    pub fn copy(&mut self, e: &Expr) -> Option<Expr> {
        self.expression(e, &Environment::default())
    }

    /// Runs a rule for what is read only where something decides so.
    pub fn where_decided<T>(&mut self, rule: impl FnOnce(&mut Self) -> T) -> T {
        let lets = self.stage.lets.take();
        let made = rule(self);
        self.stage.lets = lets;
        made
    }

    fn name(&mut self, name: &Name, e: &Expr, environment: &Environment<'a>) -> Option<Expr> {
        match environment.get(&name.text) {
            Some(Meaning::Constant(number)) => Some(self.number(*number, e.span)),
            Some(Meaning::Value(value)) => {
                let copy = self.copy(value)?;
                Some(self.bracketed(copy))
            }
            Some(Meaning::Callee(Callee::Named(named))) => {
                let named = Name { span: e.span, ..named.clone() };
                Some(self.node(Ast::Name(named), e.span))
            }
            Some(Meaning::Callee(Callee::Given(_) | Callee::Definition(_) | Callee::Edge(_))) => {
                let message = format!("`{}` is a definition here, and not a value", name.text);
                self.error(&codes::PIPELINE_DEFINITION, e.span, message)
            }
            Some(Meaning::Renamed(text)) => {
                let name = Name { text: text.clone(), span: name.span };
                Some(self.node(Ast::Name(name), e.span))
            }
            Some(Meaning::Bound | Meaning::Type(_)) => Some(self.node(Ast::Name(name.clone()), e.span)),
            None => {
                let name = self.free(name, environment.level);
                Some(self.node(Ast::Name(name), e.span))
            }
        }
    }

    /// A name that the environment leaves as it is: what it means where the text stands, it means where the text is used.
    pub fn free(&mut self, name: &Name, level: Level) -> Name {
        let text = match level {
            Level::Files if self.pipeline.declared.contains(&name.text) => format!("::{}", name.text).into(),
            Level::Pipeline if self.stage.binders.contains(&name.text) && self.pipeline.values.contains(&name.text) => {
                self.pipeline.aliases.insert(name.text.clone());
                format!("{}'", name.text).into()
            }
            Level::Library if self.pipeline.declared.contains(&name.text) || self.functions.contains(&*name.text) => {
                format!("::library::{}", name.text).into()
            }
            Level::Files | Level::Library | Level::Pipeline | Level::Stage => name.text.clone(),
        };
        Name { text, span: name.span }
    }

    /// An expression that may stand anywhere.
    pub fn bracketed(&mut self, e: Expr) -> Expr {
        match &e.kind {
            Ast::Integer { .. }
            | Ast::Float { .. }
            | Ast::Bool(_)
            | Ast::Name(_)
            | Ast::Call { .. }
            | Ast::Component(..)
            | Ast::Method(..)
            | Ast::Parenthesized(_) => e,
            _ => {
                let span = e.span;
                self.node(Ast::Parenthesized(Box::new(e)), span)
            }
        }
    }

    /// The environment in which a variable of the text itself stands for itself, by another name if one of the expressions that are put
    /// in mentions it; and the name.
    pub fn bound(&mut self, name: &Name, environment: &mut Environment<'a>) -> Name {
        let mut is_captured = false;
        environment.values().for_each(|value| names(value, &mut |other| is_captured |= other.text == name.text));
        if !is_captured {
            environment.set(&name.text, Meaning::Bound);
            return name.clone();
        }
        let text = self.fresh(&name.text);
        environment.set(&name.text, Meaning::Renamed(text.clone()));
        Name { text, span: name.span }
    }

    /// A copy of a reduction domain, and the environment behind it.
    pub fn domain(&mut self, rdom: &[Range], environment: &Environment<'a>) -> Option<(Vec<Range>, Environment<'a>)> {
        let mut inside = environment.clone();
        let mut made = Vec::new();
        let mut fits = true;
        for range in rdom {
            let (low, high) = (self.expression(&range.low, environment), self.expression(&range.high, environment));
            let name = self.bound(&range.name, &mut inside);
            match (low, high) {
                (Some(low), Some(high)) => made.push(Range { name, low, high, span: range.span }),
                _ => fits = false,
            }
        }
        fits.then_some((made, inside))
    }
}

/// `+` for `-`, and `-` for `+`.
fn opposite(op: BinaryOp) -> Option<BinaryOp> {
    match op {
        BinaryOp::Add => Some(BinaryOp::Subtract),
        BinaryOp::Subtract => Some(BinaryOp::Add),
        _ => None,
    }
}

/// The number without its sign, if a name stands for a negative one: `x + k` is `x - 1`, as a person would write it.
fn negated(written: &Expr, made: &Expr) -> Option<Expr> {
    let (Ast::Name(_), Ast::Parenthesized(inner)) = (&written.kind, &made.kind) else { return None };
    match &inner.kind {
        Ast::Unary(UnaryOp::Negate, number) if matches!(number.kind, Ast::Integer { .. }) => Some((**number).clone()),
        _ => None,
    }
}
