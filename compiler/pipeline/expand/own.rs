//! Funcs of definitions: a use of a definition that has some makes them, once for the same arguments.
//!
//! ```text
//! fun histogram(f, int n)(i) {
//!     fun count(i) = 0;
//!     rdom (x = 0 .. n) count((int) f(x)) += 1;          fun hist(b) = 0;
//!     return count(i);                            ──►    rdom (x = 0 .. (int) (w)) hist((int) in(x)) += 1;
//! }
//! fun hist(b) = histogram(in, w)(b);
//! ```
//! A func that is nothing but one of a definition, as here, gives it its name and its variables. Elsewhere they have names that no program
//! can write (`count'f1`). They stand in the pipeline, in front of what asks for them, so that nothing of the stage that does is known
//! in them.

use super::environment::{Callee, Environment, Given, Meaning, Own, OwnFuncs};
use super::state::{Expander, OfStage};
use crate::diagnostics::{Diagnostic, codes};
use crate::pipeline::plain::{self, Expansion, Part, PartKind};
use crate::source::Span;
use crate::syntax::ast::{BodyPart, Definition, Expr, ExprKind as Ast, Fun, LocalFun, Name, Update};
use crate::syntax::print;
use crate::syntax::walk::{names, parts};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The func of the pipeline that one of a definition is.
#[derive(Clone, Copy)]
struct Bound<'b> {
    local: &'b str,
    name: &'b Name,
    variables: &'b [Name],
}

/// What is known while the funcs of a use are made.
struct Making<'b> {
    definition: Rc<str>,
    /// How many indices `...` stands for.
    rest: usize,
    bound: Option<Bound<'b>>,
    funcs: OwnFuncs,
    made: Vec<Part>,
    /// The definitions that are being expanded.
    open: Vec<Expansion>,
    /// Names that stand for what the funcs do not know, and why they do not.
    unknown: FxHashMap<Rc<str>, String>,
}

/// What stands behind the name of a func that a definition has made, with a number.
const MARK: &str = "'f";

/// Was a func made by a definition, under a name of its own?
pub(super) fn is_own(name: &str) -> bool {
    name.contains(MARK)
}

/// Has a definition funcs of its own?
pub(super) fn has_funcs(body: &[BodyPart]) -> bool {
    body.iter().any(|part| match part {
        BodyPart::Fun(_) | BodyPart::Update(..) => true,
        BodyPart::StaticIf(chosen, _) => has_funcs(&chosen.then) || has_funcs(&chosen.otherwise),
        BodyPart::Let(_) | BodyPart::Return(_) => false,
    })
}

impl<'a> Expander<'a> {
    /// The funcs of a definition with what it is given, where `...` stands for so many indices.
    pub fn own_funcs(&mut self, given: &Given<'a>, rest: usize) -> Option<Rc<OwnFuncs>> {
        let mut key = format!("{rest}");
        self.key(given, &mut key);
        if let Some(known) = self.pipeline.own.get(&key) {
            return Some(known.clone());
        }
        let made = Rc::new(self.make(given, rest, None)?);
        self.pipeline.own.insert(key, made.clone());
        Some(made)
    }

    /// `fun hist(i) = histogram(in, w, h)(i);`, where the definition returns a func of its own at its own indices: that func is the
    /// one that is defined here. `None` where this is another func.
    pub fn bound_to_own(&mut self, fun: &'a Fun, name: &Name, environment: &Environment<'a>) -> Option<Option<()>> {
        let [BodyPart::Return(values)] = &fun.body[..] else { return None };
        let [Expr { kind: Ast::Apply(callee, indices), span, .. }] = &values[..] else { return None };
        let is_variable =
            |(index, variable): (&Expr, &Name)| matches!(&index.kind, Ast::Name(name) if name.text == variable.text);
        if indices.len() != fun.variables.len() || !indices.iter().zip(&fun.variables).all(is_variable) {
            return None;
        }
        let mut inside = environment.clone();
        for variable in &fun.variables {
            inside.set(&variable.text, Meaning::Bound);
            self.stage.binders.insert(variable.text.clone());
        }
        let Some(Callee::Given(given)) = self.silently(|this| this.callee(callee, &inside)) else { return None };
        let definition = given.found.definition;
        let rest = indices.len().checked_sub(definition.variables.len())?;
        let Some(BodyPart::Return(returned)) = definition.body.last() else { return None };
        let [Expr { kind: Ast::Call { name: local, arguments, .. }, .. }] = &returned[..] else { return None };
        let local = definition.body.iter().find_map(|part| match part {
            BodyPart::Fun(own) if own.name.text == local.text => Some(own),
            _ => None,
        })?;
        let (named, last) = arguments.split_at(arguments.len().min(definition.variables.len()));
        let is_whole = named.len() == definition.variables.len()
            && named.iter().zip(&definition.variables).all(is_variable)
            && last.len() == usize::from(definition.rest.is_some())
            && last.iter().all(|e| matches!(e.kind, Ast::Rest));
        let its_rest = if local.rest.is_some() { rest } else { 0 };
        if !is_whole || (rest > 0 && definition.rest.is_none()) || local.variables.len() + its_rest != indices.len() {
            return None;
        }
        let what = format!("in this use of `{}`", definition.name.text);
        self.stage.open.push(Expansion { text: definition.span, place: *span, what });
        let bound = Bound { local: &local.name.text, name, variables: &fun.variables };
        let made = self.make(&given, rest, Some(bound));
        self.stage.open.pop();
        Some(made.map(|_| ()))
    }

    /// Makes the funcs of a use, in front of the part that asks for them.
    fn make(&mut self, given: &Given<'a>, rest: usize, bound: Option<Bound>) -> Option<OwnFuncs> {
        let definition = given.found.definition;
        let mut environment = Environment::clone(&given.found.environment);
        let mut unknown = FxHashMap::default();
        for (parameter, meaning) in definition.parameters.iter().zip(&given.meanings) {
            let name = &parameter.name;
            let meaning = match self.of_stage(meaning) {
                None => meaning.clone(),
                Some(variable) if matches!(meaning, Meaning::Callee(_)) => {
                    let message = format!("`{}` depends on `{variable}`, which belongs to the func that is defined", name.text);
                    let error = Diagnostic::error(&codes::PIPELINE_DEFINITION, name.span, message);
                    return self.report(error.with_help("the funcs of a definition know what the pipeline knows"));
                }
                Some(variable) => {
                    let what = format!(
                        "what stands for `{}` depends on `{variable}`, which belongs to the func that is defined",
                        name.text
                    );
                    self.unknown(name, what, &mut unknown)
                }
            };
            environment.set(&name.text, meaning);
        }
        for index in &definition.variables {
            let what =
                format!("`{}` is an index of `{}`, and its funcs have indices of their own", index.text, definition.name.text);
            let meaning = self.unknown(index, what, &mut unknown);
            environment.set(&index.text, meaning);
        }
        environment.rest = None;
        let outer = std::mem::take(&mut self.stage);
        let mut making = Making {
            definition: definition.name.text.clone(),
            rest,
            bound,
            funcs: OwnFuncs::default(),
            made: Vec::new(),
            open: outer.open.clone(),
            unknown,
        };
        self.stage.open.clone_from(&outer.open);
        let done = self.own_parts(&definition.body, &mut environment, &mut making);
        self.stage = outer;
        done?;
        self.pipeline.pending.extend(making.made);
        Some(making.funcs)
    }

    /// A name for what funcs of a definition do not know.
    fn unknown(&mut self, name: &Name, what: String, unknown: &mut FxHashMap<Rc<str>, String>) -> Meaning<'a> {
        let text = self.fresh(&name.text);
        unknown.insert(text.clone(), what);
        Meaning::Value(self.node(Ast::Name(Name { text, span: name.span }), name.span))
    }

    /// The variable of the stage at hand that something mentions.
    fn of_stage(&self, meaning: &Meaning<'a>) -> Option<Rc<str>> {
        let is_of_stage = |name: &Name| {
            let is_made =
                |text: &str| text.rsplit_once('\'').is_some_and(|(_, number)| number.starts_with(|c: char| c.is_ascii_digit()));
            self.stage.binders.contains(&name.text) || is_made(&name.text)
        };
        let mut found = None;
        match meaning {
            Meaning::Value(value) => names(value, &mut |name| {
                if found.is_none() && is_of_stage(name) {
                    found = Some(name.text.split('\'').next().unwrap_or_default().into());
                }
            }),
            Meaning::Callee(Callee::Given(given)) => found = given.meanings.iter().find_map(|meaning| self.of_stage(meaning)),
            Meaning::Callee(Callee::Edge(edge)) => {
                found = edge.values().cloned().find_map(|value| self.of_stage(&Meaning::Value(value)));
                found = found.or_else(|| self.of_stage(&Meaning::Callee(edge.of.clone())));
            }
            Meaning::Callee(Callee::Named(_) | Callee::Definition(_))
            | Meaning::Constant(_)
            | Meaning::Type(_)
            | Meaning::Bound
            | Meaning::Renamed(_) => {}
        }
        found
    }

    /// What tells uses of definitions with funcs apart.
    fn key(&self, given: &Given<'a>, text: &mut String) {
        definition_key(given.found.definition, text);
        *text += "(";
        for meaning in &given.meanings {
            match meaning {
                // What the funcs do not know makes no others of them.
                Meaning::Value(_) if self.of_stage(meaning).is_some() => *text += "_",
                Meaning::Value(value) => value_key(value, text),
                Meaning::Constant(number) => *text += &number.value.to_string(),
                Meaning::Callee(callee) => self.callee_key(callee, text),
                Meaning::Type(_) | Meaning::Bound | Meaning::Renamed(_) => {
                    unreachable!("definitions take what is called, and values")
                }
            }
            *text += ", ";
        }
        *text += ")";
    }

    fn callee_key(&self, callee: &Callee<'a>, text: &mut String) {
        match callee {
            Callee::Named(name) => *text += &name.text,
            Callee::Given(given) => self.key(given, text),
            Callee::Definition(found) => definition_key(found.definition, text),
            Callee::Edge(edge) => {
                *text += &edge.word.text;
                self.callee_key(&edge.of, text);
                edge.values().for_each(|value| value_key(value, text));
            }
        }
    }

    /// The funcs and updates in a body.
    fn own_parts(&mut self, body: &'a [BodyPart], environment: &mut Environment<'a>, making: &mut Making) -> Option<()> {
        let mut fits = true;
        for part in body {
            let done = match part {
                BodyPart::Return(_) => Some(()),
                BodyPart::Let(definition) => {
                    self.stage = OfStage { open: making.open.clone(), ..OfStage::default() };
                    self.expression(&definition.value, environment).map(|value| {
                        let value = self.bracketed(value);
                        environment.set(&definition.name.text, Meaning::Value(value));
                    })
                }
                BodyPart::StaticIf(chosen, _) => self.constant(&chosen.condition, environment).and_then(|holds| {
                    let arm = if holds != 0 { &chosen.then } else { &chosen.otherwise };
                    self.own_parts(arm, &mut environment.clone(), making)
                }),
                BodyPart::Fun(fun) => self.own_fun(fun, environment, making),
                BodyPart::Update(update, span) => self.own_update(update, *span, environment, making),
            };
            fits &= done.is_some();
        }
        fits.then_some(())
    }

    fn own_fun(&mut self, fun: &'a LocalFun, environment: &mut Environment<'a>, making: &mut Making) -> Option<()> {
        let name = &fun.name;
        if let Some(first) = making.funcs.get(&name.text) {
            let error = Diagnostic::error(&codes::PIPELINE_DEFINITION, name.span, format!("`{}` is defined twice", name.text));
            let first = first.span;
            return self.report(error.with_secondary(first, "first here"));
        }
        self.stage = OfStage { lets: Some(Vec::new()), open: making.open.clone(), ..OfStage::default() };
        let mut inside = environment.clone();
        let has_rest = fun.rest.is_some();
        let own = match making.bound.filter(|bound| bound.local == &*name.text) {
            Some(bound) => Own {
                name: bound.name.clone(),
                variables: bound.variables.to_vec(),
                named: fun.variables.clone(),
                has_rest,
                span: name.span,
            },
            None => {
                self.names += 1;
                let made = Name { text: format!("{}{MARK}{}", name.text, self.names).into(), span: name.span };
                let mut variables: Vec<Name> = fun.variables.iter().map(|v| self.bound(v, &mut inside)).collect();
                if let Some(span) = fun.rest {
                    variables.extend((0..making.rest).map(|_| Name { text: self.fresh("i"), span }));
                }
                Own { name: made, variables, named: fun.variables.clone(), has_rest, span: name.span }
            }
        };
        self.enter(&own, &mut inside);
        self.bind_lets(&fun.body);
        let made = self.chosen(&fun.body, &mut inside, name.span).and_then(|(mut lets, values)| {
            lets.extend(self.stage.lets.take().unwrap_or_default());
            let kind = PartKind::Fun(plain::Fun { name: own.name.clone(), variables: own.variables.clone(), lets, values });
            self.own_part(kind, fun.span, making)
        });
        // What stands behind one that is refused may read it.
        environment.set(&name.text, Meaning::Callee(Callee::Named(own.name.clone())));
        making.funcs.insert(name.text.clone(), own);
        made
    }

    fn own_update(&mut self, update: &'a Update, span: Span, environment: &Environment<'a>, making: &mut Making) -> Option<()> {
        let name = &update.name;
        let Some(own) = making.funcs.get(&name.text).filter(|_| update.members.is_empty()) else {
            let what = if update.members.is_empty() { "no func" } else { "no family of funcs" };
            let message = format!("`{}` is {what} of `{}`", name.text, making.definition);
            let error = Diagnostic::error(&codes::PIPELINE_DEFINITION, name.span, message);
            return self.report(error.with_help("an update in a definition stands behind the func that it is of"));
        };
        self.stage = OfStage { lets: Some(Vec::new()), open: making.open.clone(), ..OfStage::default() };
        let mut inside = environment.clone();
        self.enter(own, &mut inside);
        let name = own.name.clone();
        let kind = self.rule(update, name, &inside)?;
        self.own_part(kind, span, making)
    }

    /// The variables of a func, as it calls them.
    fn enter(&mut self, own: &Own, inside: &mut Environment<'a>) {
        self.stage.binders.extend(own.variables.iter().map(|variable| variable.text.clone()));
        let mut variable = |name: &Name| self.node(Ast::Name(name.clone()), name.span);
        for (named, made) in own.named.iter().zip(&own.variables) {
            let meaning = if named.text == made.text { Meaning::Bound } else { Meaning::Value(variable(made)) };
            inside.set(&named.text, meaning);
        }
        inside.rest = own.has_rest.then(|| own.variables[own.named.len()..].iter().map(variable).collect());
    }

    /// Puts out a part, if it says nothing of what it does not know.
    fn own_part(&mut self, kind: PartKind, span: Span, making: &mut Making) -> Option<()> {
        let mut expansions = std::mem::take(&mut self.stage.expansions);
        expansions.extend(making.open.iter().rev().cloned());
        let part = Part { kind, span, expansions };
        let mut refused = None;
        super::walk::reads(&part, &mut |name| {
            if let Some(what) = making.unknown.get(&name.text) {
                refused = refused.take().or(Some((name.span, what.clone())));
            }
        });
        if let Some((place, what)) = refused {
            let error = Diagnostic::error(&codes::PIPELINE_DEFINITION, span, what);
            return self.report(error.with_secondary(place, "this is it"));
        }
        making.made.push(part);
        Some(())
    }
}

fn definition_key(definition: &Definition, text: &mut String) {
    *text += &format!(" {:?} {}", definition.span.file, definition.span.start);
}

/// An expression as it is written, and the types of its numbers.
fn value_key(e: &Expr, text: &mut String) {
    fn suffixes(e: &Expr, text: &mut String) {
        match &e.kind {
            Ast::Integer { suffix, .. } => *text += &format!("{suffix:?}"),
            Ast::Float { suffix, .. } => *text += &format!("{suffix:?}"),
            _ => {}
        }
        parts(e, &mut |part| suffixes(part, text));
    }
    *text += &format!("; {}", print::expression(e));
    suffixes(e, text);
}
