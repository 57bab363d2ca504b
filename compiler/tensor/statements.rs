//! One statement: its indices, their ranges, and the func that it is ("Statements").
//!
//! ```text
//! C(i) +=! A(i, k) * x(k)   ──►   fun C(i) = 0;                      rdom (k = 0 .. K) C(i) += A(i, k) * x(k);
//! C(i) += B(i)              ──►   fun C(i) = C.statement(0)(i) + B(i);
//! ```

use super::comprehension::{Given, Inferred, Shown};
use super::definition::Definition;
use super::lookups::{self, Place};
use super::names::is_inside;
use super::ranges::{self, Access, Found, Index, Range};
use crate::diagnostics::{Diagnostic, codes};
use crate::pipeline::algorithm::{Func, Pipeline, ReductionVariable, Requirement, Stage, VariableKind};
use crate::pipeline::associative::{apply, identity};
use crate::pipeline::expr::{Expr, ExprKind, FuncId, Known, Source, Variable};
use crate::pipeline::simplify::{constant_value, difference, offset, simplify};
use crate::source::Span;
use crate::syntax::ast::{Clause, ExprKind as Ast, Name, Reduction, TensorStatement};
use crate::syntax::print;
use crate::typed::ir::{CompareOp, ReduceOp};
use crate::types::Element;
use rustc_hash::FxHashMap;

/// An access with what is said of it.
struct Seen {
    access: Access,
    /// Under which it is evaluated; none of what is unchecked.
    conditions: Vec<Expr>,
    source: Source,
    /// In which dimension, as the text counts.
    axis: usize,
    text: String,
}

impl<'a> Definition<'_, 'a> {
    /// A statement, of which nothing more is said where it was refused.
    pub fn statement(&mut self, statement: &'a TensorStatement) {
        let done = match self.called(statement) {
            Some(call) => self.call(statement, call),
            None => self.rule(statement),
        };
        if done.is_none() {
            self.builder.failed = true;
            for target in &statement.targets {
                self.builder.all_funcs.remove(&target.name.text);
                if !self.builder.funcs.contains_key(&target.name.text) {
                    self.builder.refused.insert(target.name.text.clone());
                }
            }
        }
    }

    fn rule(&mut self, statement: &'a TensorStatement) -> Option<()> {
        let [target] = &statement.targets[..] else {
            let help = "several tensors are defined by the call of a definition: `x, y = f(a, b)`";
            return self.refuse(statement.span, "a statement defines one tensor", help);
        };
        let name = &target.name;
        self.may_be_defined(name)?;
        let indices = self.left_side(target.indices.as_deref().unwrap_or_default())?;
        let before = self.before(name);
        let rank = indices.len();
        if let Some((_, first)) = before
            && self.rank(before.expect("a source").0) != rank
        {
            let message =
                format!("`{}` has {} here, and {} before", name.text, dimensions(rank), dimensions(self.rank(before?.0)));
            return self.twice(name.span, first, message, "a tensor has as many dimensions in each of its statements");
        }
        if statement.op.reduction.is_some() && !statement.op.is_initialized && before.is_none() {
            // What was refused would be there.
            if self.builder.refused.contains(&name.text) {
                return None;
            }
            let message = format!("`{}` is folded into, and has nothing in it yet", name.text);
            let op = statement.op.symbol();
            let help =
                format!("begin from the identity by `{op}!`, or take what the caller has: `inout` in front of the parameter");
            return self.refuse(name.span, message, &help);
        }
        let mut found = indices.clone();
        self.indices_in(&statement.value, &mut found);
        for clause in &statement.clauses {
            if let Clause::Exists(e) = clause {
                self.indices_in(e, &mut found);
            }
        }
        self.builder.scope.open();
        let made = self.in_scope(statement, name, &indices, &found);
        self.builder.scope.close();
        self.builder.visible.clear();
        made
    }

    /// Reads a statement whose names are bound in a scope of its own.
    fn in_scope(&mut self, statement: &'a TensorStatement, name: &'a Name, left: &[Name], all: &[Name]) -> Option<()> {
        let mut fixed: FxHashMap<&str, ([Expr; 2], Span)> = FxHashMap::default();
        for clause in &statement.clauses {
            let Clause::Range { index, low, high } = clause else { continue };
            let is_known = all.iter().any(|known| known.text == index.text);
            if !is_known {
                let help = "`where` fixes the indices of its statement";
                return self.refuse(index.span, format!("`{}` is no index of this statement", index.text), help);
            }
            let mut used = Vec::new();
            [low, high].into_iter().for_each(|e| self.indices_in(e, &mut used));
            if let Some(used) = used.first() {
                let what = if all.iter().any(|known| known.text == used.text) { "an index" } else { "unknown" };
                let message = format!("the bound of `{}` uses `{}`, which is {what}", index.text, used.text);
                let error = Diagnostic::error(&codes::STARTUP_EXPRESSION, used.span, message);
                return self.builder.report(error.with_help("bounds are made of sizes, numbers that are passed, and `T.d`"));
            }
            let bounds = [low, high].map(|e| self.builder.converted(e, Element::Int32));
            let [Some(begin), Some(end)] = bounds else { return None };
            for e in [&begin, &end] {
                if let Some(part) = self.builder.made.not_startup(e) {
                    let (span, message) = (part.span(), format!("the bound of `{}` reads a tensor", index.text));
                    let error = Diagnostic::error(&codes::STARTUP_EXPRESSION, span, message);
                    return self.builder.report(error.with_help("bounds are made of sizes, numbers that are passed, and `T.d`"));
                }
            }
            let (begin, end) = (simplify(&begin), simplify(&end));
            if difference(&end, &begin).is_some_and(|length| length <= 0) {
                let message = format!("the range of `{}` is empty", index.text);
                return self.range_error(low.span.to(high.span), message, "its end lies behind its last value");
            }
            if let Some((_, first)) = fixed.get(&*index.text) {
                let (first, message) = (*first, format!("`where` fixes `{}` twice", index.text));
                return self.twice(index.span, first, message, "an index has one range");
            }
            fixed.insert(&index.text, ([begin, end], index.span));
        }
        let mut variables = Vec::new();
        for index in all {
            let is_left = left.iter().any(|known| known.text == index.text);
            let kind = if is_left { VariableKind::Pure } else { VariableKind::Reduction };
            variables.push(self.builder.bind(index, Element::Int32, kind));
        }
        self.builder.visible = variables.iter().map(|&v| (v, None)).collect();
        let element = self.element_of(name)?;
        let value = match element {
            Some(element) => self.builder.converted(&statement.value, element),
            None => self.builder.value(&statement.value, None),
        }?;
        if let Some((element, ty)) = element.zip(self.annotated(name)) {
            let own = self.builder.value(&statement.value, None)?.element();
            let is_literal = matches!(value.kind(), ExprKind::Constant(_));
            if narrows(own, element) && !is_literal {
                let message = format!("`{}` is `{}`, and its value `{}`", name.text, element.name(), own.name());
                let error = Diagnostic::error(&codes::TYPE_MISMATCH, statement.value.span, message);
                let error = error.with_secondary(ty, "its type is written here");
                return self.builder.report(error.with_help(format!("convert the value: `({}) (…)`", element.name())));
            }
        }
        // What is reduced is computed in float, which float16 only stores.
        let value = match (statement.op.reduction, value.element()) {
            (Some(_), Element::Float16) if element.is_some() => {
                let message = format!("`{}` stores float16, which is not reduced", name.text);
                return self.refuse(
                    name.span,
                    message,
                    "reduce in a tensor of `float`, and convert it by a statement of its own",
                );
            }
            (Some(_), Element::Float16) => value.converted(Element::Float),
            _ => value,
        };
        let mut seen = Vec::new();
        self.accesses(&value, &mut Vec::new(), &mut seen);
        for clause in &statement.clauses {
            let Clause::Exists(e) = clause else { continue };
            let read = self.builder.value(e, None)?;
            if !matches!(read.kind(), ExprKind::Read(..)) {
                return self.refuse(e.span, "`exists` names an access: `exists T(i)`", "");
            }
            self.accesses(&read, &mut Vec::new(), &mut seen);
        }
        let mut known: Vec<Index> = Vec::new();
        for (name, &variable) in all.iter().zip(&variables) {
            let range =
                fixed.get(&*name.text).map(|([begin, end], _)| Range { begin: begin.clone(), end: end.clone(), by: Vec::new() });
            known.push(Index { variable, range });
        }
        let accesses: Vec<Access> = seen.iter().map(|seen| seen.access.clone()).collect();
        let found = ranges::infer(&mut known, &accesses);
        self.tell(statement, all, &known, &seen, &found)?;
        self.check_ranges(name, all, &known, &seen, &found);
        // The funcs that look come first, and this one behind them.
        let looks = self.builder.made.guards.len();
        let place = Place { tensor: name, indices: &known, user: FuncId(u32::MAX) };
        let value = self.with_lookups(&value, &mut Vec::new(), &place);
        let user = FuncId(self.builder.made.funcs.len() as u32);
        self.builder.made.guards[looks..].iter_mut().for_each(|guard| guard.user = user);
        self.define(statement, name, left, all, &known, value)
    }

    /// The func of a statement.
    fn define(
        &mut self,
        statement: &'a TensorStatement,
        name: &'a Name,
        left: &[Name],
        all: &[Name],
        indices: &[Index],
        value: Expr,
    ) -> Option<()> {
        let span = statement.span;
        let of = |name: &Name| &indices[all.iter().position(|known| known.text == name.text).expect("an index")];
        // Dimensions are numbered from the dense one on.
        let pure: Vec<Variable> = left.iter().rev().map(|name| of(name).variable).collect();
        let window: Vec<[Expr; 2]> = left
            .iter()
            .rev()
            .map(|name| of(name).range.as_ref().map(|r| [r.begin.clone(), r.end.clone()]).expect("a range"))
            .collect();
        let reduced: Vec<&Index> = indices.iter().filter(|index| !pure.contains(&index.variable)).collect();
        let before = self.before(name);
        self.reads_itself(name, &pure, &value, before)?;
        let element = value.element();
        let op = match statement.op.reduction {
            None if !reduced.is_empty() => {
                let named = all.iter().zip(indices).find(|(_, index)| index.variable == reduced[0].variable);
                let index = named.expect("an index").0;
                let message = format!("`{}` stands on the right only: it is reduced, which takes an operator", index.text);
                return self.refuse(index.span, message, "say how: by +=!, *=!, min=! or max=!");
            }
            None => None,
            Some(Reduction::Add) => Some(ReduceOp::Add),
            Some(Reduction::Multiply) => Some(ReduceOp::Multiply),
            Some(Reduction::Min) => Some(ReduceOp::Min),
            Some(Reduction::Max) => Some(ReduceOp::Max),
        };
        if op.is_some() && element == Element::Bool {
            return self.refuse(statement.value.span, "truth values are not reduced", "convert them: `(int) (a > b)`");
        }
        let at: Vec<Expr> = pure.iter().map(|&v| Expr::variable(v, Element::Int32, name.span)).collect();
        let old = before.map(|(source, _)| Expr::new(ExprKind::Read(source, at.clone()), element, name.span));
        let begins = statement.op.is_initialized;
        let first = match (op, old) {
            (None, _) => value.clone(),
            (Some(op), _) if begins && !reduced.is_empty() => identity(op, element, span),
            (Some(_), _) if begins => value.clone(),
            (Some(_), Some(old)) if !reduced.is_empty() => old,
            (Some(op), Some(old)) => apply(op, old, value.clone()),
            (Some(_), None) => unreachable!("it was looked for"),
        };
        let mut stages = vec![Stage::plain(at.clone(), vec![first], span)];
        let id = FuncId(self.builder.made.funcs.len() as u32);
        if let Some(op) = op.filter(|_| !reduced.is_empty()) {
            let own = Expr::new(ExprKind::Read(Source::Func(id, 0), at.clone()), element, name.span);
            // The index that comes last is the innermost one.
            let rdom = reduced.iter().rev().map(|index| {
                let Range { begin, end, .. } = index.range.clone().expect("a range");
                ReductionVariable { variable: index.variable, low: begin, high: end }
            });
            stages.push(Stage { rdom: rdom.collect(), ..Stage::plain(at, vec![apply(op, own, value)], span) });
        }
        if let Some((source, first)) = before {
            self.same_window(name, first, &self.windows[&source].clone(), &window)?;
        }
        let func = Func {
            name: name.text.clone(),
            variables: pure,
            elements: vec![element],
            stages,
            is_inline_reduction: false,
            is_partial: false,
            span: name.span,
        };
        self.builder.made.funcs.push(func);
        self.defined(name, id, window);
        Some(())
    }

    /// From now on a tensor is this func.
    pub fn defined(&mut self, name: &Name, id: FuncId, window: Vec<[Expr; 2]>) {
        self.builder.all_funcs.remove(&name.text);
        self.builder.funcs.insert(name.text.clone(), id);
        self.builder.made.ranges.insert(id, window.clone());
        self.windows.insert(Source::Func(id, 0), window);
        match self.tensors.iter_mut().find(|(tensor, _)| *tensor == name.text) {
            Some((_, funcs)) => funcs.push(id),
            None => self.tensors.push((name.text.clone(), vec![id])),
        }
    }

    /// May a statement define this tensor?
    pub fn may_be_defined(&mut self, name: &Name) -> Option<()> {
        let is_overwritten = self.overwritten.iter().any(|(known, _)| *known == name.text);
        if self.builder.inputs.contains_key(&name.text) && !is_overwritten {
            let message = format!("`{}` is a parameter, which is only read", name.text);
            return self.refuse(name.span, message, "give the result another name");
        }
        let is_number = self.builder.scope.has_value(&name.text) && self.names.contains_key(&name.text);
        if is_number {
            let message = format!("`{}` is a size or a number, and no tensor", name.text);
            return self.refuse(name.span, message, "sizes, tensors and indices share one namespace");
        }
        Some(())
    }

    /// What a tensor is in front of a statement, and where it was defined.
    fn before(&self, name: &Name) -> Option<(Source, Span)> {
        if let Some(id) = self.builder.funcs.get(&name.text) {
            return Some((Source::Func(*id, 0), self.builder.made.func(*id).span));
        }
        let (_, id) = self.overwritten.iter().find(|(known, _)| *known == name.text)?;
        Some((Source::Input(*id), self.builder.made.input(*id).span))
    }

    fn rank(&self, source: Source) -> usize {
        self.windows[&source].len()
    }

    /// The indices on the left: names, each once.
    fn left_side(&mut self, indices: &'a [crate::syntax::ast::Expr]) -> Option<Vec<Name>> {
        let mut names: Vec<Name> = Vec::new();
        for index in indices {
            let Ast::Name(name) = &index.kind else {
                let message = format!("`{}` on the left is no name of an index", print::expression(index));
                return self.refuse(
                    index.span,
                    message,
                    "a statement defines all points of a tensor: shift the indices on the right",
                );
            };
            if let Some(first) = names.iter().find(|known| known.text == name.text) {
                let (first, message) = (first.span, format!("`{}` stands twice on the left", name.text));
                return self.twice(name.span, first, message, "the indices on the left are different names");
            }
            if self.names.contains_key(&name.text) {
                let message = format!("`{}` is a size or a tensor, and no index", name.text);
                return self.refuse(name.span, message, "sizes, tensors and indices share one namespace");
            }
            names.push(name.clone());
        }
        Some(names)
    }

    /// The element type that a tensor has already, or that is written.
    fn element_of(&mut self, name: &Name) -> Option<Option<Element>> {
        if let Some((source, _)) = self.before(name) {
            return Some(Some(self.builder.made.element_of(source)));
        }
        let results = self.results;
        match results.iter().find(|result| result.name.text == name.text).and_then(|result| result.ty.as_ref()) {
            Some(ty) => Some(Some(self.element(ty)?)),
            None => Some(None),
        }
    }

    /// Where the type of a result is written.
    fn annotated(&self, name: &Name) -> Option<Span> {
        let result = self.results.iter().find(|result| result.name.text == name.text)?;
        result.ty.as_ref().map(|ty| ty.span)
    }

    /// A tensor reads its own old value at the same point only.
    fn reads_itself(&mut self, name: &Name, pure: &[Variable], value: &Expr, before: Option<(Source, Span)>) -> Option<()> {
        let Some((source, _)) = before else { return Some(()) };
        let mut shifted = None;
        value.reads(&mut |read, indices, span| {
            let is_same = indices.iter().map(Expr::as_variable).eq(pure.iter().copied().map(Some));
            if read == source && !is_same {
                shifted.get_or_insert(span);
            }
        });
        let Some(span) = shifted else { return Some(()) };
        let message = format!("`{}` reads itself at other indices than it defines", name.text);
        self.refuse(span, message, "give the new tensor another name: the order of its points must not matter")
    }

    /// The reads in an expression that is evaluated under conditions.
    fn accesses(&self, e: &Expr, conditions: &mut Vec<Expr>, found: &mut Vec<Seen>) {
        if let Some((decider, arms)) = lookups::decided(e) {
            self.accesses(decider, conditions, found);
            for (part, condition) in e.children().into_iter().skip(1).zip(arms) {
                conditions.push(condition);
                self.accesses(part, conditions, found);
                conditions.pop();
            }
            return;
        }
        for part in e.children() {
            self.accesses(part, conditions, found);
        }
        let ExprKind::Read(source, indices) = e.kind() else { return };
        let Some(window) = self.windows.get(source) else { return };
        let rank = indices.len();
        for (d, (index, window)) in indices.iter().zip(window).enumerate().rev() {
            // What is unchecked gives ranges as other accesses do, and is not looked at.
            let (index, is_trusted) = match index.kind() {
                ExprKind::Within(inner, .., Known::Said { .. }) => (inner, true),
                _ => (index, false),
            };
            let is_opaque = index.any(&|part| matches!(part.kind(), ExprKind::Read(..) | ExprKind::Within(..)));
            let access = Access {
                index: index.clone(),
                window: window.clone(),
                is_guarded: is_trusted || !conditions.is_empty(),
                deciders: conditions.iter().flat_map(|condition| condition.free_variables().iter().copied()).collect(),
                is_opaque,
                span: e.span(),
            };
            let axis = self.builder.made.axis(rank, d);
            let conditions = if is_trusted { Vec::new() } else { conditions.clone() };
            found.push(Seen { access, conditions, source: *source, axis, text: self.text(e) });
        }
    }

    /// An error about ranges.
    fn range_error<T>(&mut self, span: Span, message: impl Into<String>, help: impl Into<String>) -> Option<T> {
        let error = Diagnostic::error(&codes::TENSOR_RANGE, span, message);
        self.builder.report(error.with_help(help.into()))
    }

    /// Reports what inference could not find, and notes what it found.
    fn tell(&mut self, statement: &TensorStatement, all: &[Name], indices: &[Index], seen: &[Seen], found: &Found) -> Option<()> {
        if !found.open.is_empty() {
            let names: Vec<String> = found.open.iter().map(|&i| format!("`{}`", all[i].text)).collect();
            let open: Vec<Variable> = found.open.iter().map(|&i| indices[i].variable).collect();
            let of: Vec<&Seen> = seen.iter().filter(|seen| seen.access.index.mentions(&|v| open.contains(&v))).collect();
            let help = format!("fix its range behind the statement: where {} in 0:…", all[found.open[0]].text);
            let (what, has, itself) =
                if names.len() == 1 { ("index", "has", "itself") } else { ("indices", "have", "themselves") };
            let message = match of.first() {
                None => format!("nothing gives the {what} {} a range", names.join(", ")),
                Some(access) => {
                    let [low, high] = &access.access.window;
                    let (low, high) = (self.text(low), self.text(high));
                    let index = self.text(&access.access.index);
                    format!("the {what} {} {has} no range by {itself}: there is only {low} <= {index} < {high}", names.join(", "))
                }
            };
            let span = of.first().map_or(all[found.open[0]].span, |seen| seen.access.span);
            return self.range_error(span, message, help);
        }
        if let Some((number, _)) = found.ambiguous.first() {
            let Seen { access, text, .. } = &seen[*number];
            let open: Vec<&Name> = all
                .iter()
                .zip(indices)
                .filter(|(_, index)| access.index.mentions(&|v| v == index.variable))
                .map(|(name, _)| name)
                .collect();
            let (low, high, index) = (self.text(&access.window[0]), self.text(&access.window[1]), self.text(&access.index));
            let names: Vec<String> = open.iter().map(|name| format!("`{}`", name.text)).collect();
            let message = format!(
                "the ranges of {} are ambiguous: `{text}` needs {low} <= {index} < {high}, which either of them may keep",
                names.join(" and ")
            );
            let help = format!("fix one of them behind the statement: where {} in 0:…", open[0].text);
            return self.range_error(access.span, message, help);
        }
        for (name, index) in all.iter().zip(indices) {
            let range = index.range.as_ref().expect("a range");
            if difference(&range.end, &range.begin).is_some_and(|length| length <= 0) {
                let (begin, end) = (self.text(&range.begin), self.text(&range.end));
                let message = format!("the range of `{}` is empty: [{begin}, {end})", name.text);
                let span = range.by.first().map_or(name.span, |&by| seen[by].access.span);
                return self.range_error(span, message, "no value of the index stays inside of what is accessed");
            }
        }
        for (number, [least, greatest]) in &found.unproven {
            let Seen { access, text, .. } = &seen[*number];
            let beyond = difference(&access.window[0], least).is_some_and(|d| d > 0)
                || difference(greatest, &access.window[1]).is_some_and(|d| d >= 0);
            if beyond {
                let (least, greatest) = (self.text(least), self.text(greatest));
                let (low, high) = (self.text(&access.window[0]), self.text(&access.window[1]));
                let message = format!("`{text}` is read from {least} to {greatest}, and has [{low}, {high})");
                return self.range_error(access.span, message, "change the range behind `where`, or clamp the index");
            }
        }
        let shown = all.iter().zip(indices).map(|(name, index)| {
            let range = index.range.as_ref().expect("a range");
            let by = match range.by.len() {
                0 => Given::Where,
                _ => {
                    let mut texts: Vec<String> = Vec::new();
                    for &by in &range.by {
                        if !texts.contains(&seen[by].text) {
                            texts.push(seen[by].text.clone());
                        }
                    }
                    Given::Accesses(texts)
                }
            };
            Shown { name: name.text.clone(), range: [self.text(&range.begin), self.text(&range.end)], by }
        });
        let inferred = Inferred { statement: print::tensors::statement(statement), indices: shown.collect() };
        self.ranges.push(inferred);
        Some(())
    }

    /// What must hold of ranges when the definition is called: none has a negative extent, and no access leaves its tensor.
    fn check_ranges(&mut self, tensor: &Name, all: &[Name], indices: &[Index], seen: &[Seen], found: &Found) {
        let mut empty = Vec::new();
        for (name, index) in all.iter().zip(indices) {
            let range = index.range.as_ref().expect("a range");
            if difference(&range.end, &range.begin).is_some_and(|length| length >= 0) {
                continue;
            }
            empty.push(Expr::compare(CompareOp::LessEqual, range.end.clone(), range.begin.clone()));
            if is_size(range) {
                continue;
            }
            let condition = Expr::compare(CompareOp::LessEqual, range.begin.clone(), range.end.clone());
            let reason = format!("the range of index `{}` of `{}` is % .. %, which is negative", name.text, tensor.text);
            let numbers = vec![range.begin.clone(), range.end.clone()];
            self.builder.made.requirements.push(Requirement { condition, reason, numbers });
        }
        let unproven = found.unproven.iter().map(|(number, ends)| (&seen[*number], ends.clone(), empty.clone()));
        let known = ranges::known(indices);
        let guarded = seen.iter().filter_map(|seen| guarded_read(seen, &known, &self.builder.made, &empty));
        for (seen, ends, unless) in unproven.chain(guarded.collect::<Vec<_>>()) {
            let Seen { access, text, axis, source, .. } = seen;
            let condition = is_inside(&ends, &access.window, unless);
            let what = self.builder.made.name_of(*source);
            let text = text.replace('%', "%%");
            let reason = format!("`{text}` reads `{what}` from % to % in dimension {axis}, and it is from % to %");
            let last = offset(&access.window[1], -1);
            let numbers = vec![ends[0].clone(), ends[1].clone(), access.window[0].clone(), last];
            self.builder.made.requirements.push(Requirement { condition, reason, numbers });
        }
    }

    /// A tensor has the same points in each of its statements.
    fn same_window(&mut self, name: &Name, first: Span, old: &[[Expr; 2]], new: &[[Expr; 2]]) -> Option<()> {
        let rank = old.len();
        for (d, (old, new)) in old.iter().zip(new).enumerate() {
            let axis = self.builder.made.axis(rank, d);
            for (old, new) in old.iter().zip(new) {
                match difference(old, new) {
                    Some(0) => {}
                    Some(_) => {
                        let (old, new) = (self.text(old), self.text(new));
                        let message =
                            format!("`{}` has another range in dimension {axis} than before: {new} in place of {old}", name.text);
                        let error = Diagnostic::error(&codes::TENSOR_RANGE, name.span, message);
                        let error = error.with_secondary(first, "it was defined here");
                        return self.builder.report(error.with_help("give the new tensor another name"));
                    }
                    None => {
                        let reason =
                            format!("`{}` ends at % in dimension {axis}, and at % where it was defined first", name.text);
                        self.require(old, new, reason, vec![new.clone(), old.clone()]);
                    }
                }
            }
        }
        Some(())
    }
}

/// A read of a tensor of the definition that conditions are not seen to keep inside, which has no values outside: the ends of its index
/// as far as nothing keeps them, and when it is not read at all. What is read of inputs is checked where their windows are.
fn guarded_read<'s>(
    seen: &'s Seen,
    known: &FxHashMap<Variable, [Expr; 2]>,
    made: &Pipeline,
    empty: &[Expr],
) -> Option<(&'s Seen, [Expr; 2], Vec<Expr>)> {
    let Seen { access: Access { index, window: [low, high], is_opaque, .. }, conditions, source, .. } = seen;
    if conditions.is_empty() || *is_opaque || !matches!(source, Source::Func(..)) {
        return None;
    }
    let [least, greatest] = ranges::ends(index, known)?;
    let [is_above, is_below] = lookups::bounded(conditions, index, &seen.access.window, true);
    let is_above = is_above || difference(&least, low).is_some_and(|d| d >= 0);
    let is_below = is_below || difference(high, &greatest).is_some_and(|d| d > 0);
    if is_above && is_below {
        return None;
    }
    let ends = [if is_above { low.clone() } else { least }, if is_below { offset(high, -1) } else { greatest }];
    let never = conditions.iter().filter(|condition| made.is_startup(condition)).map(|condition| condition.clone().negated());
    Some((seen, ends, empty.iter().cloned().chain(never).collect()))
}

/// Is a range that of a whole dimension, which is never negative?
fn is_size(range: &Range) -> bool {
    constant_value(&range.begin) == Some(0) && range.end.as_variable().is_some() && !range.by.is_empty()
}

/// Does a conversion lose values?
fn narrows(from: Element, to: Element) -> bool {
    match (from.is_float(), to.is_float()) {
        (true, true) => from.size() > to.size(),
        (true, false) => true,
        (false, true) => false,
        (false, false) => from.size() > to.size() || from.size() == to.size() && from != to,
    }
}

fn dimensions(rank: usize) -> String {
    if rank == 1 { "1 dimension".to_owned() } else { format!("{rank} dimensions") }
}
