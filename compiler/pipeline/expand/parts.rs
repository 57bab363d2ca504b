//! The parts of a pipeline, in two rounds: first what stands in it for which indices, so that all members of families are known; then what
//! each part says.

use super::environment::{Environment, Found, Level, Meaning, Number};
use super::families::{Family, member_name};
use super::order;
use super::state::{Expander, OfPipeline, OfStage};
use crate::diagnostics::{Diagnostic, codes};
use crate::pipeline::plain::{self, Expansion, Part, PartKind};
use crate::source::Span;
use crate::syntax::ast::{
    self, Assertion, Attribute, BodyPart, Expr, ExprKind as Ast, Fun, Let, Member, Name, PipelineParameter, PipelinePart,
    PipelinePartKind, StaticIf, TypeKind, Update,
};
use crate::syntax::walk::parts;
use std::rc::Rc;

/// A part for some values of the indices around it.
struct Placed<'a> {
    part: &'a PipelinePart,
    environment: Environment<'a>,
    /// The func that it defines or updates.
    name: Option<Name>,
    /// Which member of a family that is.
    indices: Vec<i128>,
}

/// The most members that the families of a pipeline may have.
const MAX_MEMBERS: usize = 20_000;

impl<'a> Expander<'a> {
    /// A pipeline without stage zero, for what its parameters stand for.
    pub fn instance(
        &mut self,
        pipeline: &'a ast::Pipeline,
        name: &Name,
        attributes: &[Attribute],
        environment: &Environment<'a>,
    ) -> plain::Pipeline {
        let parameters = pipeline.parameters.iter().map(|parameter| {
            let ty = self.ty(&parameter.ty, environment);
            PipelineParameter { ty, ..parameter.clone() }
        });
        plain::Pipeline {
            name: name.clone(),
            attributes: attributes.to_vec(),
            parameters: parameters.collect(),
            outputs: pipeline.outputs.clone(),
            parts: self.parts(pipeline, environment),
        }
    }

    /// The parts of a pipeline, without stage zero.
    fn parts(&mut self, pipeline: &'a ast::Pipeline, environment: &Environment<'a>) -> Vec<Part> {
        (self.pipeline, self.stage) = (OfPipeline::default(), OfStage::default());
        for parameter in &pipeline.parameters {
            let name = &parameter.name.text;
            self.pipeline.declared.insert(name.clone());
            match parameter.rank {
                Some(_) => self.pipeline.sources.insert(name.clone()),
                None => self.pipeline.values.insert(name.clone()),
            };
        }
        self.declare(&pipeline.parts);
        let mut placed = Vec::new();
        let mut refused = Vec::new();
        self.place(&pipeline.parts, environment, &mut placed, &mut refused);
        self.clashes(&placed);
        let mut made = Vec::new();
        for placed in &placed {
            let part = self.part(placed);
            made.append(&mut self.pipeline.pending);
            made.extend(part);
        }
        let made = match order::ordered(made, &self.pipeline.families) {
            Ok(made) => made,
            Err(error) => {
                self.report::<()>(*error);
                vec![refused_part(pipeline.name.span)]
            }
        };
        for output in &pipeline.outputs {
            if self.pipeline.families.contains_key(&output.text) {
                let message = format!("`{}` is a family of funcs, and an output is one func", output.text);
                let error = Diagnostic::error(&codes::PIPELINE_DEFINITION, output.span, message);
                self.report::<()>(error.with_help(format!("define one: `fun out(…) = {}[…](…);`", output.text)));
                refused.push(output.span);
            }
        }
        refused.into_iter().map(refused_part).chain(self.with_aliases(made, pipeline)).collect()
    }

    /// What the parts declare, in whichever of them.
    fn declare(&mut self, parts: &'a [PipelinePart]) {
        for part in parts {
            match &part.kind {
                PipelinePartKind::Let(definition) => {
                    self.pipeline.values.insert(definition.name.text.clone());
                    self.declare_name(&definition.name);
                }
                PipelinePartKind::Fun(fun) => {
                    self.pipeline.sources.insert(fun.name.text.clone());
                    self.declare_name(&fun.name);
                    fun.variables.iter().for_each(|name| self.declare_name(name));
                    self.declare_body(&fun.body);
                }
                PipelinePartKind::Update(update) => {
                    update.rdom.iter().for_each(|range| self.declare_name(&range.name));
                    update.lets.iter().for_each(|definition| self.declare_name(&definition.name));
                }
                PipelinePartKind::Definition(definition) => self.declare_name(&definition.name),
                PipelinePartKind::StaticIf(StaticIf { then, otherwise, .. }) => {
                    self.declare(then);
                    self.declare(otherwise);
                }
                PipelinePartKind::StaticFor(repeated) => self.declare(&repeated.body),
                PipelinePartKind::StaticAssert(_) | PipelinePartKind::Error => {}
            }
        }
    }

    fn declare_body(&mut self, parts: &'a [BodyPart]) {
        for part in parts {
            match part {
                BodyPart::Let(definition) => self.declare_name(&definition.name),
                BodyPart::Return(_) | BodyPart::Fun(_) | BodyPart::Update(..) => {}
                BodyPart::StaticIf(chosen, _) => {
                    self.declare_body(&chosen.then);
                    self.declare_body(&chosen.otherwise);
                }
            }
        }
    }

    fn declare_name(&mut self, name: &Name) {
        self.pipeline.declared.insert(name.text.clone());
    }

    /// The first round: which parts there are, for which values of the indices around them.
    fn place(
        &mut self,
        parts: &'a [PipelinePart],
        environment: &Environment<'a>,
        placed: &mut Vec<Placed<'a>>,
        refused: &mut Vec<Span>,
    ) {
        for part in parts {
            let done = match &part.kind {
                PipelinePartKind::Let(definition) => {
                    self.note_number(definition, environment);
                    placed.push(Placed { part, environment: environment.clone(), name: None, indices: Vec::new() });
                    Some(())
                }
                PipelinePartKind::Fun(fun) => self.place_fun(part, fun, environment, placed),
                PipelinePartKind::Update(update) => {
                    let mut all = Vec::new();
                    let found = self.members(&update.members, environment, &mut Vec::new(), &mut all);
                    found.map(|()| {
                        for (indices, environment) in all {
                            let name = Some(named(&update.name, &update.members, &indices));
                            placed.push(Placed { part, environment, name, indices });
                        }
                    })
                }
                PipelinePartKind::Definition(definition) => {
                    let environment = Rc::new(environment.at(Level::Pipeline));
                    let found = Found { definition, environment };
                    let known = self.pipeline.definitions.insert(definition.name.text.clone(), found);
                    match known.map(|known| known.definition.name.span) {
                        Some(first) if first != definition.name.span => {
                            let message = format!("`{}` is defined twice", definition.name.text);
                            let error = Diagnostic::error(&codes::PIPELINE_DEFINITION, definition.name.span, message);
                            self.report(error.with_secondary(first, "first here"))
                        }
                        Some(_) | None => Some(()),
                    }
                }
                PipelinePartKind::StaticIf(StaticIf { condition, then, otherwise }) => {
                    self.constant(condition, environment).map(|holds| {
                        let arm = if holds != 0 { then } else { otherwise };
                        self.place(arm, environment, placed, refused);
                    })
                }
                PipelinePartKind::StaticFor(repeated) => {
                    let element = repeated.ty.as_ref().and_then(|ty| match ty.kind {
                        TypeKind::Element(element) => Some(element),
                        _ => None,
                    });
                    self.rounds(&repeated.range, environment).map(|rounds| {
                        for value in rounds {
                            let number = Meaning::Constant(Number { value, element });
                            let inside = environment.with(&repeated.range.name.text, number);
                            self.place(&repeated.body, &inside, placed, refused);
                        }
                    })
                }
                PipelinePartKind::StaticAssert(Assertion { condition, message }) => {
                    self.constant(condition, environment).and_then(|holds| match holds {
                        0 => {
                            let message = message.clone().unwrap_or_else(|| "this assertion does not hold".to_owned());
                            self.error(&codes::STATIC_ASSERTION, condition.span, message)
                        }
                        _ => Some(()),
                    })
                }
                PipelinePartKind::Error => None,
            };
            if done.is_none() {
                if let PipelinePartKind::Fun(fun) = &part.kind
                    && !fun.members.is_empty()
                {
                    self.pipeline.refused.insert(fun.name.text.clone());
                }
                refused.push(part.span);
            }
        }
    }

    /// A `let` that is a number is one for stage zero.
    fn note_number(&mut self, definition: &Let, environment: &Environment<'a>) {
        let known = self.silently(|this| this.constant(&definition.value, environment));
        if let Some(value) = known {
            self.pipeline.lets.insert(definition.name.text.clone(), value);
        }
    }

    fn place_fun(
        &mut self,
        part: &'a PipelinePart,
        fun: &'a Fun,
        environment: &Environment<'a>,
        placed: &mut Vec<Placed<'a>>,
    ) -> Option<()> {
        let mut all = Vec::new();
        self.members(&fun.members, environment, &mut Vec::new(), &mut all)?;
        if !fun.members.is_empty() {
            let count: usize = self.pipeline.families.values().map(|family| family.members.len()).sum();
            if count + all.len() > MAX_MEMBERS {
                let message = format!("more than {MAX_MEMBERS} members of families");
                return self.error(&codes::PIPELINE_DEFINITION, fun.name.span, message);
            }
            let span = fun.name.span;
            let family = self.pipeline.families.entry(fun.name.text.clone());
            let family = family.or_insert_with(|| Family { span, ..Family::default() });
            let count = fun.members.len();
            let others = family.members.keys().next().map(Vec::len);
            let twice = all.iter().find_map(|(indices, _)| Some((indices, *family.members.get(indices)?)));
            let twice = twice.map(|(indices, first)| (member_name(&fun.name.text, indices), first));
            if let Some(other) = others.filter(|&other| other != count) {
                let first = family.span;
                let message = format!("`{}` has {other} indices elsewhere, and {count} here", fun.name.text);
                let error = Diagnostic::error(&codes::PIPELINE_DEFINITION, fun.name.span, message);
                return self.report(error.with_secondary(first, "the family is defined here"));
            }
            if let Some((name, first)) = twice {
                let error = Diagnostic::error(&codes::PIPELINE_DEFINITION, fun.name.span, format!("`{name}` is defined twice"));
                return self.report(error.with_secondary(first, "first here"));
            }
            family.members.extend(all.iter().map(|(indices, _)| (indices.clone(), span)));
        }
        for (indices, environment) in all {
            let name = Some(named(&fun.name, &fun.members, &indices));
            placed.push(Placed { part, environment, name, indices });
        }
        Some(())
    }

    /// All values of the indices of some members.
    fn members(
        &mut self,
        members: &'a [Member],
        environment: &Environment<'a>,
        indices: &mut Vec<i128>,
        all: &mut Vec<(Vec<i128>, Environment<'a>)>,
    ) -> Option<()> {
        let Some((member, rest)) = members.split_first() else {
            all.push((indices.clone(), environment.clone()));
            return Some(());
        };
        match member {
            Member::One(e) => {
                indices.push(self.constant(e, environment)?);
                self.members(rest, environment, indices, all)?;
                indices.pop();
            }
            Member::Each(range) => {
                for value in self.rounds(range, environment)? {
                    indices.push(value);
                    let number = Meaning::Constant(Number { value, element: None });
                    self.members(rest, &environment.with(&range.name.text, number), indices, all)?;
                    indices.pop();
                }
            }
        }
        Some(())
    }

    /// A func and a family of the same name.
    fn clashes(&mut self, placed: &[Placed<'a>]) {
        for Placed { part, .. } in placed {
            if let PipelinePartKind::Fun(fun) = &part.kind
                && fun.members.is_empty()
                && let Some(family) = self.pipeline.families.get(&fun.name.text)
            {
                let message = format!("`{}` is a family of funcs, too", fun.name.text);
                let error = Diagnostic::error(&codes::PIPELINE_DEFINITION, fun.name.span, message);
                let first = family.span;
                self.report::<()>(error.with_secondary(first, "the family is defined here"));
            }
        }
    }

    /// The second round: what a part says; nothing where all of it is a func that a definition makes.
    fn part(&mut self, placed: &Placed<'a>) -> Option<Part> {
        let Placed { part, environment, name, indices } = placed;
        self.stage = OfStage { lets: Some(Vec::new()), ..OfStage::default() };
        let kind = match &part.kind {
            PipelinePartKind::Let(definition) => self.startup_let(definition, environment),
            PipelinePartKind::Fun(fun) => {
                let name = name.clone().expect("a func has a name");
                match self.bound_to_own(fun, &name, environment) {
                    Some(Some(())) => return None,
                    Some(None) => None,
                    None => self.fun(fun, name, environment),
                }
            }
            PipelinePartKind::Update(update) => {
                self.update(update, name.clone().expect("a func has a name"), indices, environment)
            }
            PipelinePartKind::Definition(_)
            | PipelinePartKind::StaticIf(_)
            | PipelinePartKind::StaticFor(_)
            | PipelinePartKind::StaticAssert(_)
            | PipelinePartKind::Error => None,
        };
        let mut expansions = std::mem::take(&mut self.stage.expansions);
        if let Some(name) = name.as_ref().filter(|name| name.text.ends_with(']')) {
            expansions.push(Expansion { text: part.span, place: name.span, what: format!("in `{}`", name.text) });
        }
        let kind = kind.unwrap_or_else(|| PartKind::Error(name.as_ref().map(|name| name.text.clone())));
        Some(Part { kind, span: part.span, expansions })
    }

    fn startup_let(&mut self, definition: &Let, environment: &Environment<'a>) -> Option<PartKind> {
        // It has no stage to which `let`s could go.
        let value = self.where_decided(|this| this.expression(&definition.value, environment))?;
        Some(PartKind::Let(Let { name: definition.name.clone(), value }))
    }

    fn fun(&mut self, fun: &'a Fun, name: Name, environment: &Environment<'a>) -> Option<PartKind> {
        let mut inside = environment.clone();
        for variable in &fun.variables {
            inside.set(&variable.text, Meaning::Bound);
            self.stage.binders.insert(variable.text.clone());
        }
        self.bind_lets(&fun.body);
        let (mut lets, values) = self.chosen(&fun.body, &mut inside, fun.name.span)?;
        lets.extend(self.stage.lets.take().unwrap_or_default());
        let variables = fun.variables.clone();
        Some(PartKind::Fun(plain::Fun { name, variables, lets, values }))
    }

    /// The names of the `let`s of a stage.
    pub fn bind_lets(&mut self, parts: &'a [BodyPart]) {
        for part in parts {
            match part {
                BodyPart::Let(definition) => _ = self.stage.binders.insert(definition.name.text.clone()),
                BodyPart::Return(values) => values.iter().for_each(|e| self.bind_reductions(e)),
                BodyPart::Fun(_) | BodyPart::Update(..) => {}
                BodyPart::StaticIf(chosen, _) => {
                    self.bind_lets(&chosen.then);
                    self.bind_lets(&chosen.otherwise);
                }
            }
        }
    }

    /// The names of the variables of inline reductions.
    fn bind_reductions(&mut self, e: &Expr) {
        if let Ast::Reduction { rdom, .. } = &e.kind {
            self.stage.binders.extend(rdom.iter().map(|range| range.name.text.clone()));
        }
        parts(e, &mut |part| self.bind_reductions(part));
    }

    fn update(&mut self, update: &'a Update, name: Name, indices: &[i128], environment: &Environment<'a>) -> Option<PartKind> {
        let family = self.pipeline.families.get(&update.name.text);
        if !update.members.is_empty() && family.is_none_or(|family| !family.members.contains_key(indices)) {
            let message = format!("there is no `{}`", name.text);
            let error = Diagnostic::error(&codes::PIPELINE_DEFINITION, update.name.span, message);
            let help = self.pipeline.families.get(&update.name.text).map(|family| family.describe(&update.name.text));
            return self.report(help.into_iter().fold(error, Diagnostic::with_help));
        }
        if update.members.is_empty() && self.pipeline.families.contains_key(&update.name.text) {
            return self.family_by_itself(&update.name);
        }
        self.rule(update, name, environment)
    }

    /// What an update does.
    pub fn rule(&mut self, update: &'a Update, name: Name, environment: &Environment<'a>) -> Option<PartKind> {
        let binders = update.rdom.iter().map(|range| &range.name).chain(update.lets.iter().map(|definition| &definition.name));
        self.stage.binders.extend(binders.map(|name| name.text.clone()));
        update.values.iter().for_each(|e| self.bind_reductions(e));
        let (rdom, mut inside) = self.where_decided(|this| this.domain(&update.rdom, environment))?;
        let mut lets = Vec::new();
        for definition in &update.lets {
            let value = self.expression(&definition.value, &inside)?;
            lets.extend(self.stage.lets.as_mut().map(std::mem::take).unwrap_or_default());
            let name = self.bound(&definition.name, &mut inside);
            lets.push(Let { name, value });
        }
        let condition = match &update.condition {
            Some(e) => Some(self.expression(e, &inside)?),
            None => None,
        };
        let rule = |this: &mut Self| (this.arguments(&update.indices, &inside), this.all(&update.values, &inside));
        // What a condition guards is read where it holds.
        let (indices, values) = if condition.is_some() { self.where_decided(rule) } else { rule(self) };
        lets.extend(self.stage.lets.take().unwrap_or_default());
        let (indices, values, op) = (indices?, values?, update.op);
        Some(PartKind::Update(plain::Update { rdom, lets, name, indices, op, values, condition }))
    }

    /// Gives what a definition reads where a stage hides it a further name, at the level of the pipeline.
    fn with_aliases(&mut self, parts: Vec<Part>, pipeline: &'a ast::Pipeline) -> Vec<Part> {
        let mut made = Vec::new();
        let aliases = std::mem::take(&mut self.pipeline.aliases);
        for parameter in &pipeline.parameters {
            if aliases.contains(&parameter.name.text) {
                made.push(self.alias(&parameter.name));
            }
        }
        for part in parts {
            let name = match &part.kind {
                PartKind::Let(definition) => Some(definition.name.clone()),
                PartKind::Fun(_) | PartKind::Update(_) | PartKind::Error(_) => None,
            };
            made.push(part);
            if let Some(name) = name.filter(|name| aliases.contains(&name.text)) {
                made.push(self.alias(&name));
            }
        }
        made
    }

    fn alias(&mut self, name: &Name) -> Part {
        let value = self.node(Ast::Name(name.clone()), name.span);
        let name = Name { text: format!("{}'", name.text).into(), span: name.span };
        Part { span: name.span, kind: PartKind::Let(Let { name, value }), expansions: Vec::new() }
    }
}

/// The name of a func, or of a member of a family.
fn named(name: &Name, members: &[Member], indices: &[i128]) -> Name {
    let text = if members.is_empty() { name.text.clone() } else { member_name(&name.text, indices) };
    Name { text, span: name.span }
}

/// What stands for something that was refused.
fn refused_part(span: Span) -> Part {
    Part { kind: PartKind::Error(None), span, expansions: Vec::new() }
}
