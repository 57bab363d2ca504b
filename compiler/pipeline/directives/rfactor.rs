//! `rfactor(r, u, g)`: the iterations of a reduction loop get partial results of their own, in a func g with one more dimension.
//!
//! ```text
//! fun f(x) = e;                                    fun g(x, u) = 0;
//! rdom (r = 0 .. w) f(x) += a;    ─split(r, ro,    rdom (ro = 0 .. ⌈w / 8⌉) g(x, u) += a[8·ro + u / r] if (8·ro + u < w);
//!                                    ri, 8),       fun f(x) = e;
//!                                  rfactor(ri,     rdom (u = 0 .. 8) f(x) += g(x, u);
//!                                    u, g)─►
//! ```
//! The update is associative and integers know no rounding, so that the sum of partial sums is the sum. What was a reduction
//! loop is a pure loop of g, which can be a vector loop or a parallel one.
//!
//! An algorithm is made of an algorithm, before anything is lowered. Splits and fuses of reduction loops that stand before
//! `rfactor` are taken into the new one; all other directives find the stages that `rfactor` leaves.
//!
//! # Invariants
//! 1. g comes directly before f. It has variables of its own for the dimensions of f; the `let`s of the update become its own.
//! 2. A domain of negative extent stays one: the start check is that of g or of f.
//! 3. [`ExprKind::Within`] is written only where the guard of the stage holds, which begins with u in its range: the window of
//!    g may be made wider.

use super::super::algorithm::{Func, Pipeline, ReductionVariable, Stage, VariableInfo, VariableKind};
use super::super::associative::{self, apply, combination, identity};
use super::super::bounds::simplify::{constant_value, minus, offset, plus, simplify};
use super::super::expr::{Expr, ExprKind, FuncId, Source, Variable};
use super::super::loops::ir::StageName;
use super::super::loops::lower;
use super::Scheduler;
use super::parse::{self, Kind, OfStage, Written};
use super::split::Tail;
use crate::source::Span;
use crate::syntax::ast::{self, ExprKind as Ast};
use crate::typed::ir::{BinaryOp, CompareOp, LaneOp};
use crate::types::Element;
use std::collections::HashMap;
use std::rc::Rc;

/// The reduction loops of an update, as the splits and fuses before `rfactor` leave them.
struct Domain {
    /// The loops, the first one innermost.
    loops: Vec<ReductionVariable>,
    /// What the variables of former loops are, by those of loops.
    values: HashMap<Variable, Expr>,
    /// What must hold where the values are used.
    guards: Vec<Expr>,
    /// Do values say in which range they are?
    says_ranges: bool,
}

impl Domain {
    /// A loop is made of others.
    fn replace(&mut self, variable: Variable, value: &Expr) {
        let change = |e: &Expr| e.substitute(&|v| (v == variable).then(|| value.clone()));
        self.values.values_mut().for_each(|e| *e = change(e));
        self.guards.iter_mut().for_each(|e| *e = change(e));
        self.values.insert(variable, value.clone());
    }

    /// The place of a loop.
    fn place(&self, pipeline: &Pipeline, name: &str) -> Option<usize> {
        self.loops.iter().position(|r| &*pipeline.variable(r.variable).name == name)
    }
}

impl Scheduler<'_> {
    /// All `rfactor`s of a schedule in their order; the directives that neither they are nor take.
    pub fn rfactors<'s>(&mut self, written: Vec<Written<'s>>) -> Vec<Written<'s>> {
        let mut rest: Vec<Written<'s>> = Vec::new();
        for it in written {
            let Kind::Rfactor { of, variable, func } = it.directive.kind else {
                rest.push(it);
                continue;
            };
            let span = it.directive.span;
            if it.copy.is_some() {
                self.refuse(span, "`rfactor` is of a func with all its copies: name the func alone");
                return rest;
            }
            // The splits and fuses of this update that stand before it.
            let is_of_it = |other: &Written<'_>| {
                other.copy.is_none() && other.func.text == it.func.text && number(other.update) == number(it.update)
            };
            let before: Vec<(Span, OfStage<'s>)> = rest
                .iter()
                .filter(|other| is_of_it(other))
                .filter_map(|other| match &other.directive.kind {
                    Kind::Stage(of_stage @ (OfStage::Split(_) | OfStage::Fuse(_))) => {
                        Some((other.directive.span, of_stage.clone()))
                    }
                    _ => None,
                })
                .collect();
            let Some(taken) = self.rfactor(it.func, it.update, &before, [of, variable], func, span) else { return rest };
            rest.retain(|other| !taken.contains(&other.directive.span));
        }
        rest
    }

    /// One `rfactor`, with the splits and fuses before it; the places of those that it takes.
    fn rfactor(
        &mut self,
        func: &ast::Name,
        update: Option<&ast::Directive>,
        before: &[(Span, OfStage<'_>)],
        [of, variable]: [&ast::Name; 2],
        made_func: &ast::Expr,
        span: Span,
    ) -> Option<Vec<Span>> {
        let (id, number) = self.stage_of(func, update)?;
        let stage = StageName { func: id, case: 0, stage: number };
        if let Err(why) = associative::check(&self.nest.pipeline, stage) {
            self.refuse_at(span, id, why)?;
        }
        let mut made = (*self.nest.pipeline).clone();
        let rule = made.func(id).stages[number].clone();
        // A func of an earlier `rfactor` has a guard, on which what it says of ranges relies.
        let says_ranges = rule.guard.is_some();
        let guards = rule.guard.into_iter().collect();
        let mut domain = Domain { loops: rule.rdom, values: HashMap::new(), guards, says_ranges };
        let mut taken = Vec::new();
        for (place, directive) in before {
            // Those of pure loops are of the loops that there will be.
            match directive {
                OfStage::Split(split) if domain.place(&made, &split.of.text).is_some() => {
                    self.split_domain(&mut made, stage, &mut domain, split, *place)?;
                }
                OfStage::Fuse(fuse) if domain.place(&made, &fuse.inner.text).is_some() => {
                    self.fuse_domain(&mut made, stage, &mut domain, fuse, *place)?;
                }
                _ => continue,
            }
            taken.push(*place);
        }
        let at = self.domain_loop(&made, stage, &domain, of)?;
        let u = self.domain_name(&made, stage, &domain, variable, &[at])?;
        let name = self.new_func_name(&made, made_func)?;
        let name = ast::Name { text: name, span: made_func.span };
        factor(&mut made, stage, domain, at, &ast::Name { text: u, span: variable.span }, &name);
        let factors = std::mem::take(&mut self.nest.factors);
        self.nest = lower::lower(&Rc::new(made), &[]);
        self.nest.factors = factors;
        Some(taken)
    }

    /// `split(r, o, i, n[, tail])` of a reduction loop that `rfactor` takes.
    fn split_domain(
        &mut self,
        made: &mut Pipeline,
        stage: StageName,
        domain: &mut Domain,
        split: &parse::Split<'_>,
        span: Span,
    ) -> Option<()> {
        let at = self.domain_loop(made, stage, domain, split.of)?;
        let outer = self.domain_name(made, stage, domain, split.outer, &[at])?;
        let inner = self.domain_name(made, stage, domain, split.inner, &[at])?;
        if outer == inner {
            return self.refuse(split.inner.span, format!("loop name `{inner}` is taken"));
        }
        let n = self.factor(split.factor)?;
        let known = self.nest.pipeline.variables.len();
        if n.mentions(&|v| v.0 as usize >= known) {
            let message = "`rfactor` makes an algorithm, which does not know the windows of its outputs: a split before it \
                           has a factor of parameters and windows of inputs";
            return self.refuse(split.factor.span, message);
        }
        let ReductionVariable { variable, low, high } = domain.loops[at].clone();
        let length = simplify(&minus(&high, &low));
        let blocks = whole_blocks(&length, &n);
        let tail = split.tail;
        if blocks.is_none() && matches!(tail, Tail::Shift | Tail::Round) {
            let (word, func) = (if tail == Tail::Shift { "shift" } else { "round" }, made.func(stage.func).name.clone());
            return self.refuse_at(span, stage.func, format!("{word} would apply a reduction of `{func}` twice; use guard"));
        }
        let o = new_variable(made, &outer, VariableKind::Reduction, split.outer.span);
        let i = new_variable(made, &inner, VariableKind::Reduction, split.inner.span);
        let int = |v: Variable| Expr::variable(v, Element::Int32, span);
        let sum = |a: Expr, b: Expr| Expr::binary(BinaryOp::Add, a, b);
        let place = sum(Expr::binary(BinaryOp::Multiply, int(o), n.clone()), int(i));
        let value = sum(low.clone(), place.clone());
        let count = match blocks {
            Some(count) => {
                domain.replace(variable, &value);
                count
            }
            None => {
                domain.guards.push(Expr::compare(CompareOp::Less, place, length.clone()));
                domain.says_ranges = true;
                domain.replace(variable, &Expr::new(ExprKind::Within(value, low, offset(&high, -1)), Element::Int32, span));
                // ⌈L / n⌉, and negative where L is.
                let rounded = Expr::binary(BinaryOp::Divide, plus(&length, &offset(&n, -1)), n.clone());
                simplify(&Expr::builtin(LaneOp::Min, vec![length, rounded]))
            }
        };
        let zero = Expr::int(0, span);
        let inner = ReductionVariable { variable: i, low: zero.clone(), high: n };
        let outer = ReductionVariable { variable: o, low: zero, high: count };
        domain.loops.splice(at..=at, [inner, outer]);
        Some(())
    }

    /// `fuse(i, o, t)` of reduction loops that `rfactor` takes.
    fn fuse_domain(
        &mut self,
        made: &mut Pipeline,
        stage: StageName,
        domain: &mut Domain,
        fuse: &parse::Fuse<'_>,
        span: Span,
    ) -> Option<()> {
        let inner = self.domain_loop(made, stage, domain, fuse.inner)?;
        let outer = self.domain_loop(made, stage, domain, fuse.outer)?;
        let name = self.domain_name(made, stage, domain, fuse.fused, &[inner, outer])?;
        if outer != inner + 1 {
            let name = |at: usize| &made.variable(domain.loops[at].variable).name;
            let message = format!(
                "the loops `{}` and `{}` are not adjacent: the first one stands directly in the second",
                name(inner),
                name(outer)
            );
            return self.refuse_at(span, stage.func, message);
        }
        let (i, o) = (domain.loops[inner].clone(), domain.loops[outer].clone());
        let t = new_variable(made, &name, VariableKind::Reduction, fuse.fused.span);
        let length = |r: &ReductionVariable| simplify(&minus(&r.high, &r.low));
        let (short, long) = (length(&i), length(&o));
        for (r, op) in [(&i, BinaryOp::Remainder), (&o, BinaryOp::Divide)] {
            let part = Expr::binary(op, Expr::variable(t, Element::Int32, span), short.clone());
            let value = Expr::binary(BinaryOp::Add, r.low.clone(), part);
            let value = Expr::new(ExprKind::Within(value, r.low.clone(), offset(&r.high, -1)), Element::Int32, span);
            domain.replace(r.variable, &value);
        }
        domain.says_ranges = true;
        // The product, and negative where one of the extents is.
        let zero = Expr::int(0, span);
        let positive = |e: &Expr| Expr::builtin(LaneOp::Max, vec![e.clone(), zero.clone()]);
        let product = Expr::binary(BinaryOp::Multiply, positive(&short), positive(&long));
        let lack = Expr::builtin(LaneOp::Min, vec![Expr::builtin(LaneOp::Min, vec![short, long]), zero.clone()]);
        let high = simplify(&Expr::binary(BinaryOp::Add, product, lack));
        domain.loops.splice(inner..=outer, [ReductionVariable { variable: t, low: zero, high }]);
        Some(())
    }

    /// The place of a reduction loop that an argument names.
    fn domain_loop(&mut self, made: &Pipeline, stage: StageName, domain: &Domain, name: &ast::Name) -> Option<usize> {
        let found = domain.place(made, &name.text);
        if found.is_none() {
            let names: Vec<&str> = domain.loops.iter().rev().map(|r| &*made.variable(r.variable).name).collect();
            let has = if names.is_empty() { "it has none".to_owned() } else { format!("it has {}", names.join(", ")) };
            let func = &made.func(stage.func).name;
            self.refuse_at(name.span, stage.func, format!("`{func}` has no reduction loop `{}`; {has}", name.text));
        }
        found
    }

    /// A new name of a loop, which is none of a loop or of a dimension.
    fn domain_name(
        &mut self,
        made: &Pipeline,
        stage: StageName,
        domain: &Domain,
        name: &ast::Name,
        replaced: &[usize],
    ) -> Option<Rc<str>> {
        let kept = domain.loops.iter().enumerate().filter(|(at, _)| !replaced.contains(at)).map(|(_, r)| r.variable);
        let mut all = kept.chain(made.func(stage.func).variables.iter().copied());
        if all.any(|v| made.variable(v).name == name.text) {
            self.refuse_at(name.span, stage.func, format!("loop name `{}` is taken", name.text))?;
        }
        Some(name.text.clone())
    }

    /// The name of a new func, which nothing of the pipeline has.
    fn new_func_name(&mut self, made: &Pipeline, e: &ast::Expr) -> Option<Rc<str>> {
        let Ast::Name(name) = &e.kind else {
            self.refuse(e.span, "here stands the name of the func that `rfactor` makes")?;
            return None;
        };
        let is_it = |other: &Rc<str>| *other == name.text;
        let startup = made.variables.iter().filter(|info| info.kind == VariableKind::Startup).map(|info| &info.name);
        let what = if made.funcs.iter().any(|func| is_it(&func.name)) {
            "a func"
        } else if made.inputs.iter().any(|input| is_it(&input.name)) {
            "an input"
        } else if startup.into_iter().any(is_it) {
            "a parameter or a `let`"
        } else {
            return Some(name.text.clone());
        };
        self.refuse(name.span, format!("the name `{}` is taken: it is that of {what} of `{}`", name.text, made.name))?;
        None
    }
}

/// The number of an `update(n)`.
fn number(update: Option<&ast::Directive>) -> Option<u64> {
    match update?.arguments.as_deref()? {
        [ast::Expr { kind: Ast::Integer { value, .. }, .. }] => Some(*value),
        _ => None,
    }
}

/// How many blocks of n there are, if it is known that nothing is left.
fn whole_blocks(length: &Expr, n: &Expr) -> Option<Expr> {
    match (constant_value(length), constant_value(n)) {
        (_, Some(1)) => Some(length.clone()),
        (Some(l), Some(n)) if l >= 0 && l % n == 0 => Some(Expr::int(l / n, length.span())),
        _ if length.is_same(n) => Some(Expr::int(1, length.span())),
        _ => None,
    }
}

fn new_variable(pipeline: &mut Pipeline, name: &str, kind: VariableKind, span: Span) -> Variable {
    pipeline.variables.push(VariableInfo { name: name.into(), element: Element::Int32, kind, span });
    Variable(pipeline.variables.len() as u32 - 1)
}

/// The reduction loop at a place of the domain becomes dimension `u` of a func.
fn factor(made: &mut Pipeline, stage: StageName, mut domain: Domain, at: usize, u: &ast::Name, name: &ast::Name) {
    let own = made.func(stage.func).clone();
    let rule = own.stages[stage.stage].clone();
    let element = own.elements[0];
    let span = rule.span;
    let factored = domain.loops.remove(at);
    let int = |v: Variable| Expr::variable(v, Element::Int32, span);
    if domain.says_ranges {
        let from = Expr::compare(CompareOp::GreaterEqual, int(factored.variable), factored.low.clone());
        let to = Expr::compare(CompareOp::Less, int(factored.variable), factored.high.clone());
        domain.guards.splice(0..0, [from, to]);
    }
    // g stands where f stood.
    let (partial, total) = (stage.func, FuncId(stage.func.0 + 1));
    made.renumber(&|id| if id < stage.func { id } else { FuncId(id.0 + 1) });
    let mut renamed: HashMap<Variable, Expr> = HashMap::new();
    let mut variables = Vec::new();
    for &v in &own.variables {
        let info = made.variable(v).clone();
        let copy = new_variable(made, &info.name, VariableKind::Pure, info.span);
        renamed.insert(v, int(copy));
        variables.push(copy);
    }
    let pure = new_variable(made, &u.text, VariableKind::Pure, u.span);
    renamed.insert(factored.variable, int(pure));
    variables.push(pure);
    let change = |e: &Expr| {
        let e = e.substitute(&|v| domain.values.get(&v).cloned());
        e.substitute(&|v| renamed.get(&v).cloned())
    };
    let read = |func: FuncId, indices: &[Expr]| Expr::new(ExprKind::Read(Source::Func(func, 0), indices.to_vec()), element, span);
    let (combine, operand) =
        combination(stage.func, &rule.indices, &rule.values[0]).expect("an update that was found associative");
    let both = |a: Expr, b: Expr| Expr::binary(BinaryOp::BitAnd, a, b);
    let indices: Vec<Expr> = rule.indices.iter().map(change).chain([int(pure)]).collect();
    let first = Stage {
        rdom: Vec::new(),
        guard: None,
        lets: Vec::new(),
        predicate: None,
        indices: variables.iter().map(|&v| int(v)).collect(),
        values: vec![identity(combine, element, span)],
        span,
    };
    let update = Stage {
        guard: domain.guards.iter().map(change).reduce(both),
        lets: rule.lets.iter().map(|(v, e)| (*v, change(e))).collect(),
        predicate: rule.predicate.as_ref().map(change),
        values: vec![apply(combine, read(partial, &indices), change(&operand))],
        indices,
        rdom: domain.loops,
        span,
    };
    let (elements, stages) = (vec![element], vec![first, update]);
    let g = Func { name: name.text.clone(), variables, elements, stages, is_inline_reduction: false, span: name.span };
    made.funcs.insert(partial.0 as usize, g);
    // f reduces what is left.
    let r = new_variable(made, &u.text, VariableKind::Reduction, u.span);
    let point: Vec<Expr> = own.variables.iter().map(|&v| int(v)).collect();
    let from: Vec<Expr> = point.iter().cloned().chain([int(r)]).collect();
    made.funcs[total.0 as usize].stages[stage.stage] = Stage {
        rdom: vec![ReductionVariable { variable: r, low: factored.low, high: factored.high }],
        guard: None,
        lets: Vec::new(),
        predicate: None,
        values: vec![apply(combine, read(total, &point), read(partial, &from))],
        indices: point,
        span,
    };
}
