//! What is called: funcs, members of families, definitions with what they take.
//!
//! ```text
//! g[k - 1](x, y)         ──►   g[2](x, y)
//! down(g[k - 1])(x, y)   ──►   the body of `down`, in brackets
//! ```

use super::environment::{Callee, Environment, Found, Given, Level, Meaning};
use super::families::member_name;
use super::state::{Expander, all_of};
use crate::check::{Runs, closest};
use crate::diagnostics::{Diagnostic, codes};
use crate::pipeline::plain::{self, EDGES};
use crate::syntax::ast::{Expr, ExprKind as Ast, Name};
use std::rc::Rc;

impl<'a> Expander<'a> {
    /// `f(x, y)`
    pub fn call(&mut self, name: &Name, arguments: &[Expr], e: &Expr, environment: &Environment<'a>) -> Option<Expr> {
        if let Some(read) = arguments.first().filter(|_| self.is_edge(name, environment))
            && let Some(made) = self.edge_of_read(name, read, &arguments[1..], e, environment)
        {
            return made;
        }
        let meaning = environment.get(&name.text).cloned();
        let callee = match meaning {
            Some(Meaning::Callee(callee)) => callee,
            Some(Meaning::Renamed(_) | Meaning::Bound | Meaning::Constant(_) | Meaning::Value(_) | Meaning::Type(_)) => {
                Callee::Named(name.clone())
            }
            None => match self.definition(&name.text, environment.level) {
                Some(found) => Callee::Definition(found),
                None if self.pipeline.families.contains_key(&name.text) && environment.level.is_inside() => {
                    return self.family_by_itself(name);
                }
                None => Callee::Named(self.free(name, environment.level)),
            },
        };
        match callee {
            Callee::Named(named) => {
                let (name, arguments) = (named, self.arguments(arguments, environment)?);
                let template_arguments = match &e.kind {
                    Ast::Call { template_arguments, .. } => self.template_arguments(template_arguments, environment)?,
                    _ => Vec::new(),
                };
                Some(self.node(Ast::Call { name, template_arguments, arguments }, e.span))
            }
            Callee::Given(_) | Callee::Edge(_) => self.applied(&callee, arguments, e, environment),
            Callee::Definition(found) => {
                let takes: Vec<&str> = found.definition.parameters.iter().map(|p| &*p.name.text).collect();
                let message = format!("`{}` takes what it reads first", name.text);
                let error = Diagnostic::error(&codes::PIPELINE_DEFINITION, name.span, message);
                self.report(error.with_help(format!("write `{}({})(…)`", name.text, takes.join(", "))))
            }
        }
    }

    /// `g[k](x, y)`, `down(f)(x, y)`
    pub fn apply(&mut self, callee: &Expr, arguments: &[Expr], e: &Expr, environment: &Environment<'a>) -> Option<Expr> {
        match self.callee(callee, environment)? {
            Callee::Definition(found) => {
                let name = &found.definition.name.text;
                self.error(&codes::PIPELINE_DEFINITION, callee.span, format!("`{name}` takes what it reads first"))
            }
            callee => self.applied(&callee, arguments, e, environment),
        }
    }

    /// What is called, at some indices.
    pub fn applied(&mut self, callee: &Callee<'a>, arguments: &[Expr], e: &Expr, environment: &Environment<'a>) -> Option<Expr> {
        match callee {
            Callee::Named(name) => {
                let (name, arguments) = (name.clone(), self.arguments(arguments, environment)?);
                Some(self.node(Ast::Call { name, template_arguments: Vec::new(), arguments }, e.span))
            }
            Callee::Given(given) => self.one_value(given, arguments, e, environment),
            Callee::Edge(edge) => {
                let indices = self.arguments(arguments, environment)?;
                self.beyond(edge, indices, e)
            }
            Callee::Definition(found) => {
                let message = format!("`{}` takes what it reads first", found.definition.name.text);
                self.error(&codes::PIPELINE_DEFINITION, e.span, message)
            }
        }
    }

    /// `repeat_edge(f(x))` where f is a definition, or has edges itself; `None` where `build` knows what is read.
    fn edge_of_read(
        &mut self,
        word: &Name,
        read: &Expr,
        rest: &[Expr],
        e: &Expr,
        environment: &Environment<'a>,
    ) -> Option<Option<Expr>> {
        let (of, indices) = match &read.kind {
            Ast::Call { name, arguments, .. } => match environment.get(&name.text) {
                Some(Meaning::Callee(of)) => (of.clone(), arguments),
                _ => return None,
            },
            Ast::Apply(callee, arguments) => (self.silently(|this| this.callee(callee, environment))?, arguments),
            _ => return None,
        };
        if !matches!(of, Callee::Given(_) | Callee::Edge(_)) {
            return None;
        }
        let callee = self.edge_around(word, of, rest, e, environment);
        Some(callee.and_then(|callee| self.applied(&callee, indices, e, environment)))
    }

    fn one_value(&mut self, given: &Rc<Given<'a>>, arguments: &[Expr], e: &Expr, environment: &Environment<'a>) -> Option<Expr> {
        let mut values = self.expanded(given, arguments, e, environment)?;
        if values.len() == 1 {
            return Some(values.remove(0));
        }
        let message = format!("`{}` has {} values", given.found.definition.name.text, values.len());
        let error = Diagnostic::error(&codes::PIPELINE_TYPE, e.span, message);
        self.report(error.with_help("read one of them: `(…).0`"))
    }

    /// `f(x).0`
    pub fn component(&mut self, inner: &Expr, component: usize, e: &Expr, environment: &Environment<'a>) -> Option<Expr> {
        let arguments = match &inner.kind {
            Ast::Apply(callee, arguments) => Some((self.callee(callee, environment)?, arguments)),
            Ast::Call { name, arguments, .. } => match environment.get(&name.text) {
                Some(Meaning::Callee(callee)) => Some((callee.clone(), arguments)),
                Some(Meaning::Constant(_) | Meaning::Value(_) | Meaning::Type(_) | Meaning::Bound | Meaning::Renamed(_))
                | None => None,
            },
            _ => None,
        };
        if let Some((Callee::Given(given), arguments)) = arguments {
            let mut values = self.expanded(&given, arguments, e, environment)?;
            let name = &given.found.definition.name.text;
            return match values.len() {
                1 => self.error(&codes::PIPELINE_TYPE, e.span, format!("`{name}` has one value, and no component {component}")),
                count if component < count => Some(values.remove(component)),
                count => {
                    let message = format!("`{name}` has {count} values, and no component {component}");
                    self.error(&codes::PIPELINE_TYPE, e.span, message)
                }
            };
        }
        let inner = self.expression(inner, environment)?;
        Some(self.node(Ast::Component(Box::new(inner), component), e.span))
    }

    /// What an expression says is called: the argument of a definition, or what stands in front of indices.
    pub fn callee(&mut self, e: &Expr, environment: &Environment<'a>) -> Option<Callee<'a>> {
        match &e.kind {
            Ast::Parenthesized(inner) => self.callee(inner, environment),
            Ast::Name(name) => match environment.get(&name.text) {
                Some(Meaning::Callee(callee)) => Some(callee.clone()),
                Some(Meaning::Constant(_) | Meaning::Value(_) | Meaning::Type(_) | Meaning::Bound | Meaning::Renamed(_)) => {
                    let message = format!("`{}` is a value: here stands what is called", name.text);
                    self.error(&codes::PIPELINE_DEFINITION, e.span, message)
                }
                None if self.pipeline.families.contains_key(&name.text) && environment.level.is_inside() => {
                    self.family_by_itself(name)
                }
                None => Some(match self.definition(&name.text, environment.level) {
                    Some(found) => Callee::Definition(found),
                    None => Callee::Named(self.free(name, environment.level)),
                }),
            },
            Ast::Index(family, index) => self.member(family, std::slice::from_ref(&**index), e, environment),
            Ast::Indices(family, indices) => self.member(family, indices, e, environment),
            Ast::Call { name, arguments, .. } => {
                let found = match environment.get(&name.text) {
                    Some(Meaning::Callee(Callee::Definition(found))) => Some(found.clone()),
                    Some(_) => None,
                    None => self.definition(&name.text, environment.level),
                };
                match found {
                    Some(found) => self.given(found, arguments, e, environment).map(Callee::Given),
                    None if self.is_edge(name, environment) => self.edge(name, arguments, e, environment),
                    None if self.runs.contains_key(&*name.text) => {
                        self.report(plain::refused_call(name, self.runs[&*name.text], Runs::Pipeline))
                    }
                    None => {
                        let message = format!("`{}` is no definition that takes funcs", name.text);
                        let error = Diagnostic::error(&codes::PIPELINE_DEFINITION, name.span, message);
                        let meant = self.meant(name, environment);
                        self.report(error.with_guess(name.span, meant.as_deref()))
                    }
                }
            }
            _ => self.error(
                &codes::PIPELINE_DEFINITION,
                e.span,
                "here stands what is called: a func, an input, a function or a definition",
            ),
        }
    }

    /// The definition that was meant by a name that nothing else has.
    fn meant(&self, name: &Name, environment: &Environment<'a>) -> Option<String> {
        let is_other = environment.get(&name.text).is_some()
            || self.pipeline.sources.contains(&name.text)
            || self.functions.contains(&*name.text);
        let own = self.pipeline.definitions.keys().filter(|_| environment.level.is_inside());
        let known = own.chain(self.definitions.keys()).map(|known| &**known).filter(|known| !known.starts_with("__"));
        closest(&name.text, known.chain(EDGES)).filter(|_| !is_other).map(str::to_owned)
    }

    /// A member of a family, as a func.
    fn member(&mut self, family: &Expr, indices: &[Expr], e: &Expr, environment: &Environment<'a>) -> Option<Callee<'a>> {
        if let Ast::Name(name) = &family.kind
            && self.pipeline.refused.contains(&name.text)
            && !self.pipeline.families.contains_key(&name.text)
        {
            return None;
        }
        let Some(name) = self.family(family, environment) else {
            let what = if let Ast::Name(name) = &family.kind { format!("`{}`", name.text) } else { "this".to_owned() };
            return self.error(&codes::PIPELINE_DEFINITION, family.span, format!("{what} is no family of funcs"));
        };
        let values = all_of(indices.iter().map(|index| self.constant(index, environment)))?;
        let known = &self.pipeline.families[&name.text];
        if known.members.contains_key(&values) {
            return Some(Callee::Named(Name { text: member_name(&name.text, &values), span: e.span }));
        }
        let (message, first) = (format!("there is no `{}`", member_name(&name.text, &values)), known.span);
        let error = Diagnostic::error(&codes::PIPELINE_DEFINITION, e.span, message);
        let help = known.describe(&name.text);
        self.report(error.with_secondary(first, "the family is defined here").with_help(help))
    }

    /// The name of a family, where that is what it means.
    pub fn family(&self, e: &Expr, environment: &Environment<'a>) -> Option<Name> {
        let is_here = |name: &str| environment.level.is_inside() && environment.get(name).is_none();
        match &e.kind {
            Ast::Name(name) if self.pipeline.families.contains_key(&name.text) && is_here(&name.text) => Some(name.clone()),
            _ => None,
        }
    }

    pub fn family_by_itself<T>(&mut self, name: &Name) -> Option<T> {
        let help = self.pipeline.families[&name.text].describe(&name.text);
        let message = format!("`{}` is a family of funcs: here stands one of them, with its indices", name.text);
        self.report(Diagnostic::error(&codes::PIPELINE_DEFINITION, name.span, message).with_help(help))
    }

    /// The definition of a name: that of the pipeline hides that of the files, and a func hides both.
    pub fn definition(&self, name: &str, level: Level) -> Option<Found<'a>> {
        match level {
            Level::Library => return self.library.get(name).cloned(),
            Level::Files => return self.definitions.get(name).cloned(),
            Level::Stage | Level::Pipeline => {}
        }
        let own = self.pipeline.definitions.get(name).cloned();
        own.or_else(|| self.definitions.get(name).filter(|_| !self.pipeline.sources.contains(name)).cloned())
    }
}
