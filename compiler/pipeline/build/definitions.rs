//! `let`s, funcs, updates and outputs: Definition 4.5.

use super::super::algorithm::{Func, ReductionVariable, Stage, VariableKind};
use super::super::expr::{Expr, ExprKind, FuncId, Source, Variable};
use super::super::plain::{self, Expansion, PartKind};
use super::{Builder, CurrentStage, all_of};
use crate::diagnostics::{Diagnostic, codes};
use crate::source::Span;
use crate::syntax::ast::{self, UpdateOp};
use crate::typed::ir::{BinaryOp, LaneOp};
use crate::types::Element;
use rustc_hash::FxHashMap;

impl<'a> Builder<'_, 'a> {
    /// The parts in order; each is refused alone.
    pub fn parts(&mut self, pipeline: &'a plain::Pipeline) {
        for part in &pipeline.parts {
            let mark = self.scope.diagnostics().len();
            match &part.kind {
                PartKind::Error(name) => {
                    self.failed = true;
                    self.refused.extend(name.clone());
                }
                PartKind::Let(definition) => _ = self.startup_let(definition),
                PartKind::Fun(fun) => {
                    self.fun(fun, part.span);
                    // Whatever came of it, the name is defined now.
                    self.all_funcs.remove(&fun.name.text);
                    if !self.funcs.contains_key(&fun.name.text) {
                        self.refused.insert(fun.name.text.clone());
                    }
                }
                PartKind::Update(update) => _ = self.update(update, part.span),
            }
            self.tell_expansions(&part.expansions, mark);
        }
    }

    /// Adds to what was said since there were so many diagnostics by what the text at its place was made. What is said of a member of
    /// a family is not said again of the next.
    fn tell_expansions(&mut self, expansions: &[Expansion], mark: usize) {
        for mut error in self.scope.diagnostics().split_off(mark) {
            for Expansion { text, place, what } in expansions {
                let is_inside = text.file == error.span.file && text.start <= error.span.start && error.span.end <= text.end;
                if is_inside && error.labels.iter().all(|(known, _)| known != place) {
                    error = error.with_secondary(*place, what.clone());
                }
            }
            let is_known = |known: &Diagnostic| known.code.name == error.code.name && known.span == error.span;
            if expansions.is_empty() || !self.scope.diagnostics().iter().any(is_known) {
                self.scope.diagnostics().push(error);
            }
        }
    }

    fn startup_let(&mut self, definition: &'a ast::Let) -> Option<()> {
        let value = self.value(&definition.value, None)?;
        if !self.made.is_startup(&value) {
            let message = format!(
                "`{}` reads a func or an image: what stands here is known when the pipeline starts",
                definition.name.text
            );
            return self.error(&codes::STARTUP_EXPRESSION, value.span(), message);
        }
        let variable = self.bind(&definition.name, value.element(), VariableKind::Startup);
        self.made.lets.push((variable, value));
        Some(())
    }

    /// `fun f(x, y) = …`: the pure stage.
    fn fun(&mut self, fun: &'a plain::Fun, span: Span) -> Option<()> {
        let plain::Fun { name, variables, lets, values } = fun;
        let taken = self.funcs.get(&name.text).map(|&id| ("func", self.made.func(id).span));
        let taken = taken.or_else(|| self.inputs.get(&name.text).map(|&id| ("input", self.made.input(id).span)));
        if let Some((what, first)) = taken {
            return self.twice(name.span, first, format!("{what} `{}` is defined twice", name.text));
        }
        let mut seen: FxHashMap<&str, Span> = FxHashMap::default();
        for variable in variables {
            if let Some(first) = seen.insert(&variable.text, variable.span) {
                return self.twice(variable.span, first, format!("pure variable `{}` is named twice", variable.text));
            }
        }
        let current = CurrentStage { func: name.text.clone(), id: None };
        let (pure, stage) = self.in_stage(current, |this| {
            let pure: Vec<Variable> = variables.iter().map(|v| this.bind(v, Element::Int32, VariableKind::Pure)).collect();
            this.visible = pure.iter().map(|&v| (v, None)).collect();
            let indices = pure.iter().zip(variables).map(|(&v, n)| Expr::variable(v, Element::Int32, n.span)).collect();
            let values = |this: &mut Self| all_of(values.iter().map(|e| this.value(e, None)));
            let stage = this.rule(lets, |this| Some(Stage::plain(indices, values(this)?, span)))?;
            Some((pure, stage))
        })?;
        let elements = stage.values.iter().map(Expr::element).collect();
        self.new_func(name, pure, elements, stage, false);
        Some(())
    }

    /// What is defined twice, or named.
    fn twice<T>(&mut self, span: Span, first: Span, message: String) -> Option<T> {
        self.report(Diagnostic::error(&codes::PIPELINE_DEFINITION, span, message).with_secondary(first, "first here"))
    }

    /// Reads a stage in a scope of its own.
    fn in_stage<T>(&mut self, stage: CurrentStage, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        self.scope.open();
        self.stage = Some(stage);
        let made = read(self);
        self.stage = None;
        self.visible.clear();
        self.scope.close();
        made
    }

    /// Registers a func with its pure stage.
    pub fn new_func(
        &mut self,
        name: &ast::Name,
        variables: Vec<Variable>,
        elements: Vec<Element>,
        stage: Stage,
        is_inline_reduction: bool,
    ) -> FuncId {
        let id = FuncId(self.made.funcs.len() as u32);
        let (text, span) = (name.text.clone(), name.span);
        if !is_inline_reduction {
            self.funcs.insert(text.clone(), id);
        }
        self.made.funcs.push(Func {
            name: text,
            variables,
            elements,
            stages: vec![stage],
            is_inline_reduction,
            is_partial: false,
            span,
        });
        id
    }

    /// The `let`s of a stage, then the stage that they are for.
    fn rule(&mut self, lets: &'a [ast::Let], rest: impl FnOnce(&mut Self) -> Option<Stage>) -> Option<Stage> {
        self.scope.open();
        let mut define = |definition: &'a ast::Let| {
            let value = self.value(&definition.value, None)?;
            let variable = self.bind(&definition.name, value.element(), VariableKind::Let);
            self.visible.push((variable, Some(value.clone())));
            Some((variable, value))
        };
        // What stands behind one that is refused may read it.
        let lets = lets.iter().map(&mut define).collect::<Option<Vec<_>>>();
        let made = lets.and_then(|lets| Some(Stage { lets, ..rest(self)? }));
        self.scope.close();
        made
    }

    /// A reduction domain in the innermost scope.
    pub fn reduction_domain(&mut self, ranges: &'a [ast::Range]) -> Option<Vec<ReductionVariable>> {
        let mut rdom: Vec<ReductionVariable> = Vec::new();
        let mut bound = Vec::new();
        let mut fits = true;
        let mut seen: FxHashMap<&str, Span> = FxHashMap::default();
        for range in ranges {
            let name = &range.name;
            if let Some(first) = seen.insert(&name.text, name.span) {
                self.twice::<()>(name.span, first, format!("reduction variable `{}` is named twice", name.text));
                fits = false;
            }
            let (low, high) = (self.converted(&range.low, Element::Int32), self.converted(&range.high, Element::Int32));
            let (Some(low), Some(high)) = (low, high) else {
                fits = false;
                continue;
            };
            fits &= self.startup_bound(&name.text, &low).and_then(|()| self.startup_bound(&name.text, &high)).is_some();
            bound.push((name, low, high));
        }
        for (name, low, high) in bound {
            let variable = self.bind(name, Element::Int32, VariableKind::Reduction);
            self.visible.push((variable, None));
            rdom.push(ReductionVariable { variable, low, high });
        }
        fits.then_some(rdom)
    }

    /// Definition 4.5: the bounds of reduction domains are startup expressions.
    fn startup_bound(&mut self, name: &str, e: &Expr) -> Option<()> {
        let pipeline = &self.made;
        let Some(part) = pipeline.not_startup(e) else { return Some(()) };
        let message = if let ExprKind::Read(source, _) = part.kind() {
            let read = pipeline.called(*source);
            format!("the bound of rdom variable `{name}` reads {read}; only parameters and input extents are allowed")
        } else {
            let info = pipeline.variable(part.as_variable().expect("a variable"));
            let what = match info.kind {
                VariableKind::Pure => format!("the pure variable `{}`", info.name),
                VariableKind::Reduction => format!("the reduction variable `{}`", info.name),
                VariableKind::Let | VariableKind::Startup => format!("`{}`, which is no startup value", info.name),
            };
            format!("the bound of `{name}` uses {what}")
        };
        self.error(&codes::STARTUP_EXPRESSION, part.span(), message)
    }

    /// `rdom (R) f(e…) op= values if predicate;`
    fn update(&mut self, update: &'a plain::Update, span: Span) -> Option<()> {
        let plain::Update { rdom, lets, name, indices, op, values, condition } = update;
        let Some(&id) = self.funcs.get(&name.text) else {
            let (code, message) = if self.all_funcs.contains(&name.text) {
                (&codes::PIPELINE_DEFINITION, format!("`{}` is updated before its definition", name.text))
            } else if self.inputs.contains_key(&name.text) {
                (&codes::PIPELINE_DEFINITION, format!("`{}` is an input, which is only read", name.text))
            } else if !self.failed {
                (&codes::UNKNOWN_NAME, format!("there is no func `{}`", name.text))
            } else {
                return None;
            };
            return self.error(code, name.span, message);
        };
        if let Some((reader, read)) = self.made.reader_of(id) {
            let message = format!("update of `{}` after its reader `{}`", name.text, self.made.func(reader).name);
            let error = Diagnostic::error(&codes::PIPELINE_DEFINITION, name.span, message);
            let error = error.with_secondary(read, "it is read here");
            return self.report(error.with_help("all updates of a func stand in front of the first func that reads it"));
        }
        let func = self.made.func(id);
        let (variables, elements) = (func.variables.clone(), func.elements.clone());
        let first_new = self.made.funcs.len();
        let current = CurrentStage { func: name.text.clone(), id: Some(id) };
        let made = self.in_stage(current, |this| {
            for &variable in &variables {
                let info = this.made.variable(variable);
                let pure = ast::Name { text: info.name.clone(), span: info.span };
                let local = this.scope.variable(&pure, Element::Int32);
                this.locals.insert(local, variable);
            }
            this.visible = variables.iter().map(|&v| (v, None)).collect();
            if let Some(range) = rdom.iter().find(|r| variables.iter().any(|&v| this.made.variable(v).name == r.name.text)) {
                let message = format!("reduction variable `{}` is a pure variable of `{}`, too", range.name.text, name.text);
                return this.error(&codes::PIPELINE_DEFINITION, range.name.span, message);
            }
            let rdom = this.reduction_domain(rdom)?;
            this.rule(lets, |this| {
                this.arity(name, variables.len(), indices.len(), name.span)?;
                let to = all_of(indices.iter().map(|e| this.converted(e, Element::Int32)))?;
                let values = this.updated(id, name, &elements, &to, *op, values)?;
                let predicate = condition.as_ref().map(|e| this.condition(e).ok_or(())).transpose().ok()?;
                Some(Stage { rdom, predicate, ..Stage::plain(to, values, span) })
            })
        });
        let Some(stage) = made else { return self.fail() };
        // What an inline reduction would read is not yet there.
        for anonymous in first_new..self.made.funcs.len() {
            if let Some(at) = self.made.funcs[anonymous].first_read(id) {
                let message = format!("an inline reduction in an update of `{}` reads `{}`", name.text, name.text);
                let error = Diagnostic::error(&codes::PIPELINE_DEFINITION, at, message);
                return self.report(error.with_help("reduce with an `rdom` of the update instead"));
            }
        }
        self.separation(id, &stage);
        self.made.funcs[id.0 as usize].stages.push(stage);
        Some(())
    }

    /// What an update stores: the values, combined with the old ones.
    fn updated(
        &mut self,
        id: FuncId,
        name: &ast::Name,
        elements: &[Element],
        indices: &[Expr],
        op: UpdateOp,
        values: &'a [ast::Expr],
    ) -> Option<Vec<Expr>> {
        if values.len() != elements.len() {
            let given = if values.len() == 1 { "1 is given".to_owned() } else { format!("{} are given", values.len()) };
            let has = if elements.len() == 1 { "1 value".to_owned() } else { format!("{} values", elements.len()) };
            return self.error(&codes::PIPELINE_TYPE, name.span, format!("`{}` has {has}, {given}", name.text));
        }
        if op != UpdateOp::Set && elements.len() > 1 {
            let error = Diagnostic::error(&codes::PIPELINE_TYPE, name.span, "the update of a tuple is `=`");
            return self.report(error.with_help(format!("write the old values: `{}(…).0`", name.text)));
        }
        let made = all_of(values.iter().zip(elements).map(|(e, &element)| self.converted(e, element)))?;
        if op == UpdateOp::Set {
            return Some(made);
        }
        let old = Expr::new(ExprKind::Read(Source::Func(id, 0), indices.to_vec()), elements[0], name.span);
        let is_logic = matches!(op, UpdateOp::And | UpdateOp::Or | UpdateOp::Xor);
        if (elements[0] == Element::Bool && !is_logic) || (elements[0].is_float() && is_logic) {
            let message = format!("this update does not work on `{}`", elements[0].name());
            return self.error(&codes::PIPELINE_TYPE, name.span, message);
        }
        let [new] = made.try_into().expect("one value");
        // Of `float16` it is computed as `float`, and rounded once where it is stored.
        let element = elements[0];
        match element.promoted() {
            wide if wide == element => Some(vec![combine(op, old, new)]),
            wide => Some(vec![combine(op, old.converted(wide), new.converted(wide)).converted(element)]),
        }
    }

    /// The outputs, and the order of the funcs.
    pub fn outputs(&mut self, pipeline: &'a plain::Pipeline) {
        for output in &pipeline.outputs {
            let is_it = |part: &plain::Part| matches!(&part.kind, PartKind::Fun(fun) if fun.name.text == output.text);
            match self.funcs.get(&output.text) {
                Some(&id) if !self.made.outputs.contains(&id) => self.made.outputs.push(id),
                // A func that was refused was defined, too.
                None if pipeline.parts.iter().any(is_it) => self.failed = true,
                // What could not be read may have defined it.
                None if pipeline.parts.iter().any(|part| matches!(part.kind, PartKind::Error(_))) => self.failed = true,
                known => {
                    let what = if known.is_some() { "named twice" } else { "not defined" };
                    let message = format!("output `{}` is {what}", output.text);
                    self.error::<()>(&codes::PIPELINE_DEFINITION, output.span, message);
                }
            }
        }
        let last = self.made.numbered_funcs().rfind(|(_, func)| !func.is_inline_reduction);
        if let Some((id, func)) = last
            && !self.failed
            && !self.made.outputs.contains(&id)
        {
            let message = format!("the last func, `{}`, is not an output", func.name);
            let error = Diagnostic::error(&codes::PIPELINE_DEFINITION, func.span, message);
            self.report::<()>(error.with_secondary(pipeline.outputs[0].span, "the outputs are these"));
        }
        if !self.failed {
            self.order();
        }
    }

    /// Numbers the funcs so that each comes behind those that it reads: an inline reduction of an update comes before its func.
    fn order(&mut self) {
        let count = self.made.funcs.len();
        let mut order: Vec<usize> = Vec::with_capacity(count);
        for func in 0..count {
            // Only inline reductions come too late, and they were made after all that they read.
            let late = |reader: usize| {
                let mut read = Vec::new();
                self.made.funcs[reader].reads(&mut |source, _, _| {
                    if let Source::Func(FuncId(id), _) = source {
                        read.extend(Some(id as usize).filter(|id| *id > func && *id != reader));
                    }
                });
                read
            };
            let (mut work, mut needed) = (late(func), Vec::new());
            while let Some(next) = work.pop() {
                if !needed.contains(&next) {
                    needed.push(next);
                    work.extend(late(next));
                }
            }
            needed.sort_unstable();
            order.extend(needed.into_iter().filter(|f| !order.contains(f)).collect::<Vec<_>>());
            if !order.contains(&func) {
                order.push(func);
            }
        }
        let order: Vec<FuncId> = order.into_iter().map(|func| FuncId(func as u32)).collect();
        self.made.reorder(&order);
    }
}

/// old op new
fn combine(op: UpdateOp, old: Expr, new: Expr) -> Expr {
    let op = match op {
        UpdateOp::Set => return new,
        UpdateOp::Add => BinaryOp::Add,
        UpdateOp::Subtract => BinaryOp::Subtract,
        UpdateOp::Multiply => BinaryOp::Multiply,
        UpdateOp::Divide => BinaryOp::Divide,
        UpdateOp::And => BinaryOp::BitAnd,
        UpdateOp::Or => BinaryOp::BitOr,
        UpdateOp::Xor => BinaryOp::BitXor,
        UpdateOp::Min => return Expr::builtin(LaneOp::Min, vec![old, new]),
        UpdateOp::Max => return Expr::builtin(LaneOp::Max, vec![old, new]),
    };
    Expr::binary(op, old, new)
}
