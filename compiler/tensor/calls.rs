//! Calls of other definitions: their statements stand in the place of the call, with names of their own.
//!
//! ```text
//! def relu(float(N) X) -> (Y) { Y(n) = max(X(n), 0.0) }
//! def f(float(N) A) -> (C) { T(i) = A(i) * 2.0   C = relu(T) }   ──►   T(i) = A(i) * 2.0   C(n) = max(T(n), 0.0)
//! ```
//! A name in the body means what it means there: its parameters are the tensors that are passed, its sizes their extents, its other
//! tensors are its own.

use super::definition::{Definition, last_func, targets};
use crate::diagnostics::{Diagnostic, codes};
use crate::pipeline::expr::{Expr, Source};
use crate::pipeline::simplify::minus;
use crate::syntax::ast::{Def, Expr as AstExpr, ExprKind as Ast, Name, Size, TensorStatement};

/// The definition that a statement calls, and what it passes.
pub(super) struct Call<'a> {
    def: &'a Def,
    name: &'a Name,
    arguments: &'a [AstExpr],
}

impl<'a> Definition<'_, 'a> {
    /// Is a statement the call of a definition? A tensor hides one of its name.
    pub fn called(&self, statement: &'a TensorStatement) -> Option<Call<'a>> {
        let Ast::Call { name, arguments, .. } = &statement.value.kind else { return None };
        let is_hidden = self.names.contains_key(&name.text);
        let def = self.defs.get(&*name.text).filter(|_| !is_hidden)?;
        Some(Call { def, name, arguments })
    }

    /// Reads the statements of a definition in the place of its call.
    pub fn call(&mut self, statement: &'a TensorStatement, call: Call<'a>) -> Option<()> {
        let Call { def, name, arguments } = call;
        let of = &name.text;
        if self.reading.contains(&&**of) {
            let message = format!("`{of}` calls itself");
            return self.refuse(name.span, message, "definitions stand in the place of their calls, and have an end");
        }
        if statement.op.reduction.is_some() || !statement.clauses.is_empty() {
            return self.refuse(
                statement.span,
                format!("the call of `{of}` is `x = {of}(…)`"),
                "fold its result in by a statement of its own",
            );
        }
        if let Some(target) = statement.targets.iter().find(|target| target.indices.is_some()) {
            return self.refuse(
                target.name.span,
                format!("`{of}` defines all points of a tensor"),
                "leave out the indices of what it defines",
            );
        }
        if let Some(parameter) = def.parameters.iter().find(|parameter| parameter.inout.is_some()) {
            let message = format!("`{of}` overwrites `{}`, and is called by programs only", parameter.name.text);
            return self.refuse(name.span, message, "give it a result behind `->` instead");
        }
        let count = |n: usize, what: &str| if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") };
        if arguments.len() != def.parameters.len() || statement.targets.len() != def.results.len() {
            let (takes, gives) = (count(def.parameters.len(), "argument"), count(def.results.len(), "result"));
            let message = format!("`{of}` takes {takes} and gives {gives}");
            let error = Diagnostic::error(&codes::ARGUMENT_COUNT, statement.span, message);
            let found =
                format!("here are {} and {}", count(arguments.len(), "argument"), count(statement.targets.len(), "result"));
            return self.builder.report(error.with_help(found));
        }
        for target in &statement.targets {
            self.may_be_defined(&target.name)?;
            if let Some(id) = self.builder.funcs.get(&target.name.text) {
                let first = self.builder.made.func(*id).span;
                let message = format!("`{}` is defined already", target.name.text);
                return self.twice(target.name.span, first, message, "give the result of the call another name");
            }
        }
        let passed: Option<Vec<Passed>> =
            arguments.iter().zip(&def.parameters).map(|(e, p)| self.passed(e, p.ty.sizes.len(), &p.name)).collect();
        let passed = passed?;
        // Names of its own, for the time of the call.
        let funcs = std::mem::take(&mut self.builder.funcs);
        let inputs = std::mem::take(&mut self.builder.inputs);
        let all = std::mem::replace(&mut self.builder.all_funcs, targets(def).collect());
        let refused = std::mem::take(&mut self.builder.refused);
        let names = std::mem::take(&mut self.names);
        let sizes = std::mem::take(&mut self.sizes);
        let tensors = std::mem::take(&mut self.tensors);
        let overwritten = std::mem::take(&mut self.overwritten);
        let results = std::mem::replace(&mut self.results, &def.results);
        self.reading.push(of);
        self.builder.scope.open();
        let bound = self.bind(def, passed);
        if bound.is_some() {
            for target in def.statements.iter().flat_map(|statement| &statement.targets) {
                self.names.entry(target.name.text.clone()).or_insert(target.name.span);
            }
            def.statements.iter().for_each(|statement| self.statement(statement));
        }
        self.builder.scope.close();
        self.reading.pop();
        let made = std::mem::replace(&mut self.tensors, tensors);
        (self.builder.funcs, self.builder.inputs, self.builder.all_funcs) = (funcs, inputs, all);
        (self.builder.refused, self.names, self.sizes, self.results) = (refused, names, sizes, results);
        self.overwritten = overwritten;
        bound?;
        if self.builder.failed {
            return None;
        }
        for (tensor, ids) in &made {
            for (number, id) in ids.iter().enumerate() {
                self.builder.made.funcs[id.0 as usize].name = format!("{of}.{tensor}.{number}").into();
            }
        }
        for (target, result) in statement.targets.iter().zip(&def.results) {
            let id = last_func(&made, &result.name.text)?;
            self.builder.made.funcs[id.0 as usize].name = target.name.text.clone();
            let window = self.windows[&Source::Func(id, 0)].clone();
            self.defined(&target.name, id, window);
        }
        Some(())
    }

    /// What is passed for a parameter.
    fn passed(&mut self, e: &'a AstExpr, rank: usize, parameter: &Name) -> Option<Passed> {
        let Ast::Name(name) = &e.kind else {
            return self.refuse(
                e.span,
                "what is passed to a definition is the name of a tensor or of a number",
                "define a tensor with this value first",
            );
        };
        let source = self.builder.funcs.get(&name.text).map(|&id| Source::Func(id, 0));
        let source = source.or_else(|| self.builder.inputs.get(&name.text).map(|&id| Source::Input(id)));
        let own = match source {
            Some(source) => self.windows[&source].len(),
            None => 0,
        };
        if source.is_none() && !self.names.contains_key(&name.text) {
            return self.builder.error(&codes::UNKNOWN_NAME, name.span, format!("there is no tensor `{}`", name.text));
        }
        if own != rank {
            let message = format!("`{}` has {own} dimensions, and parameter `{}` has {rank}", name.text, parameter.text);
            return self.refuse(e.span, message, "pass a tensor with as many dimensions");
        }
        match source {
            Some(source) => Some(Passed::Tensor(source)),
            None => self.builder.value(e, None).map(Passed::Number),
        }
    }

    /// The parameters of a definition that is called, and its sizes.
    fn bind(&mut self, def: &'a Def, passed: Vec<Passed>) -> Option<()> {
        for (parameter, passed) in def.parameters.iter().zip(passed) {
            let name = &parameter.name;
            self.names.insert(name.text.clone(), name.span);
            let element = self.element(&parameter.ty)?;
            let given = match &passed {
                Passed::Tensor(source) => self.builder.made.element_of(*source),
                Passed::Number(e) => e.element(),
            };
            if given != element {
                let message = format!(
                    "parameter `{}` has elements of type `{}`, and `{}` is passed",
                    name.text,
                    element.name(),
                    given.name()
                );
                let error = Diagnostic::error(&codes::TYPE_MISMATCH, name.span, message);
                return self.builder.report(error.with_help("convert the tensor by a statement of its own"));
            }
            let source = match passed {
                Passed::Tensor(source) => source,
                Passed::Number(e) => {
                    let variable = self.builder.bind(name, element, crate::pipeline::algorithm::VariableKind::Startup);
                    self.builder.made.lets.push((variable, e));
                    continue;
                }
            };
            match source {
                Source::Func(id, _) => _ = self.builder.funcs.insert(name.text.clone(), id),
                Source::Input(id) => _ = self.builder.inputs.insert(name.text.clone(), id),
            }
            let window = self.windows[&source].clone();
            for (axis, size) in parameter.ty.sizes.iter().enumerate() {
                let [begin, end] = &window[window.len() - 1 - axis];
                let extent = minus(end, begin);
                match size {
                    Size::Constant(value, at) => {
                        let wanted = Expr::int(i64::try_from(*value).unwrap_or(i64::MAX), *at);
                        let reason = format!(
                            "`{}` of `{}` has % elements in dimension {axis}, where it is to have {value}",
                            name.text, def.name.text
                        );
                        self.require(&extent, &wanted, reason, vec![extent.clone()]);
                    }
                    Size::Variable(size) => match self.sizes.get(&size.text).cloned() {
                        Some((known, of)) => {
                            let reason = format!(
                                "size `{}` of `{}` is % by {of}, and % by dimension {axis} of `{}`",
                                size.text, def.name.text, name.text
                            );
                            self.require(&extent, &known, reason, vec![known.clone(), extent.clone()]);
                        }
                        None => {
                            let of = format!("dimension {axis} of `{}`", name.text);
                            self.names.insert(size.text.clone(), size.span);
                            self.sizes.insert(size.text.clone(), (extent.clone(), of));
                            self.bind_size(size, &extent);
                        }
                    },
                }
            }
        }
        Some(())
    }

    /// A size of a definition that is called.
    fn bind_size(&mut self, name: &Name, extent: &Expr) {
        match extent.as_variable() {
            Some(variable) => self.builder.alias(name, variable),
            None => {
                let kind = crate::pipeline::algorithm::VariableKind::Startup;
                let variable = self.builder.bind(name, crate::types::Element::Int32, kind);
                self.builder.made.lets.push((variable, extent.clone()));
            }
        }
    }
}

/// What is passed for a parameter.
enum Passed {
    /// A tensor.
    Tensor(Source),
    /// A number.
    Number(Expr),
}
