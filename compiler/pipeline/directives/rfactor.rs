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
//! An algorithm is made of an algorithm. `split`, `fuse`, `reorder` and `tile` of reduction loops that stand before `rfactor` are
//! applied to the loops of the old one, and what they leave is the domain of g; all other directives find the stages that `rfactor`
//! leaves.
//!
//! # Invariants
//! 1. g comes directly before f. It has variables of its own for the dimensions of f; the `let`s of the update become its own.
//! 2. A domain of negative extent stays one: the start check is that of g or of f.
//! 3. [`ExprKind::Within`] is written only where the guard of the stage holds, which begins with u in its range: the window of
//!    g may be made wider.

use super::super::algorithm::{Func, Pipeline, ReductionVariable, Stage, VariableInfo, VariableKind};
use super::super::associative::{self, apply, combination, identity};
use super::super::expr::{Expr, ExprKind, FuncId, Known, Source, Variable};
use super::super::loops::ir::{Binder, Nest, StageName};
use super::super::simplify::{constant_value, minus, simplify};
use super::chain::Between;
use super::parse::{Apply, Directive, Written};
use super::state::Scheduler;
use crate::source::Span;
use crate::syntax::ast::{self, ExprKind as Ast};
use crate::typed::ir::{BinaryOp, CompareOp, LaneOp};
use crate::types::Element;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The reduction loops of an update, as the directives before `rfactor` leave them.
struct Domain {
    /// The loops, the first one innermost.
    loops: Vec<ReductionVariable>,
    /// What the variables of former loops are, by those of loops.
    values: FxHashMap<Variable, Expr>,
    /// What must hold where the values are used.
    guards: Vec<Expr>,
    /// Do values say in which range they are?
    says_ranges: bool,
}

impl Scheduler<'_> {
    /// All `rfactor`s of a schedule, with what they take; the directives that are left.
    pub fn rfactors<'s>(&mut self, mut rest: Vec<Written<'s>>) -> Option<Vec<Written<'s>>> {
        let is_one = |it: &Written<'_>| matches!(it.directive.apply, Apply::Rfactor);
        loop {
            // One of a func that another one makes comes behind that.
            let is_known = |it: &Written<'_>| self.nest.pipeline.funcs.iter().any(|func| func.name == it.func.text);
            let next = rest.iter().position(|it| is_one(it) && is_known(it)).or_else(|| rest.iter().position(is_one));
            let Some(at) = next else { return Some(rest) };
            let behind = rest.split_off(at + 1);
            let it = rest.pop().expect("an `rfactor`");
            self.rfactor(&it, &mut rest)?;
            rest.extend(behind);
        }
    }

    /// One `rfactor`, with the directives before it, of which it takes those of the loops of its domain.
    fn rfactor(&mut self, it: &Written<'_>, before: &mut Vec<Written<'_>>) -> Option<()> {
        let ([of, variable], [func]) = (it.directive.names(), it.directive.numbers());
        let span = it.directive.span;
        if it.copy.is_some() {
            return self.refuse(span, "`rfactor` is of a func with all its copies: name the func alone");
        }
        let (id, update) = self.stage_of(&it.func, it.update)?;
        let stage = StageName { func: id, case: 0, stage: update };
        if let Err(why) = associative::check(&self.nest.pipeline, stage) {
            return self.refuse_at(span, id, why);
        }
        let mut chain = self.nest.chain(stage);
        chain.loops.iter_mut().filter(|l| !l.is_pure).for_each(|l| l.length = simplify(&l.length));
        self.nest.set_chain(stage, &chain);
        before.retain(|other| {
            let is_of_it = other.copy.is_none() && other.func.text == it.func.text && number(other.update) == number(it.update);
            !(is_of_it && self.takes(stage, &other.directive))
        });
        if self.failed {
            return None;
        }
        let domain = self.domain(stage)?;
        let of = self.loop_among(stage, |l| !l.is_pure, "reduction loop", of)?;
        let pipeline = self.nest.pipeline.clone();
        if pipeline.func(id).variables.iter().any(|&v| pipeline.variable(v).name == variable.text) {
            return self.refuse_at(variable.span, id, format!("loop name `{}` is taken", variable.text));
        }
        self.new_loop_names(stage, &[variable], &[of])?;
        let name = self.new_func_name(func)?;
        let made = factored(&self.nest, stage, domain, of, variable, &name);
        self.rewrite(made, &[]);
        Some(())
    }

    /// Is it a directive of nothing but reduction loops that there are before `rfactor`? If so, it is applied.
    fn takes(&mut self, stage: StageName, directive: &Directive<'_>) -> bool {
        let Apply::Stage(apply) = directive.apply else { return false };
        let count = match directive.name {
            "split" | "fuse" => 1,
            "tile" => 2,
            "reorder" => directive.names.len(),
            _ => return false,
        };
        let is_there =
            |name: &&ast::Name| self.loops(stage).iter().any(|l| !l.is_pure && self.nest.name(l.variable) == &*name.text);
        let takes = !self.failed && directive.names[..count].iter().all(is_there);
        if takes {
            apply(self, stage, directive);
        }
        takes
    }

    /// The domain that the reduction loops of a stage make now.
    fn domain(&mut self, stage: StageName) -> Option<Domain> {
        let nest = &self.nest;
        let chain = nest.chain(stage);
        let rule = &nest.pipeline.func(stage.func).stages[stage.stage];
        let mut values: FxHashMap<Variable, Expr> = FxHashMap::default();
        // A func of an earlier `rfactor` has a guard, on which what it says of ranges relies.
        let mut says_ranges = rule.guard.is_some();
        let mut window = None;
        for between in &chain.between {
            let Between::Let(variable, value) = between else { continue };
            let Some(split) = nest.splits.iter().find(|split| split.variable == *variable) else { continue };
            value.walk(&mut |part| {
                if let ExprKind::Variable(v) = part.kind()
                    && nest.binder(*v) == Some(Binder::Let)
                {
                    window = Some(part.span());
                }
            });
            let place = minus(value, &split.low);
            let value = Expr::binary(BinaryOp::Add, split.low.clone(), place);
            let mut value = value.substitute(&|v| values.get(&v).cloned());
            if split.guard.is_some() || split.parts.len() == 1 {
                says_ranges = true;
                value = Expr::new(
                    ExprKind::Within(value, split.low.clone(), split.high.clone(), Known::Proven),
                    Element::Int32,
                    rule.span,
                );
            }
            values.insert(*variable, value);
        }
        let reductions = chain.loops.iter().rev().filter(|l| !l.is_pure);
        let loops = reductions.map(|l| match rule.rdom.iter().find(|r| r.variable == l.variable) {
            Some(r) => r.clone(),
            None => ReductionVariable { variable: l.variable, low: l.min.clone(), high: extent(nest, l.variable, &l.length) },
        });
        let guards = rule.guard.iter().chain(nest.splits.iter().filter_map(|split| split.guard.as_ref()));
        let domain = Domain { loops: loops.collect(), values, guards: guards.cloned().collect(), says_ranges };
        if let Some(span) = window {
            let message = "`rfactor` makes an algorithm, which does not know the windows of its outputs: a split before it \
                           has a factor of parameters and windows of inputs";
            return self.refuse(span, message);
        }
        Some(domain)
    }

    /// The name of a new func, which nothing of the pipeline has.
    fn new_func_name(&mut self, e: &ast::Expr) -> Option<ast::Name> {
        let made = self.nest.pipeline.clone();
        let Ast::Name(name) = &e.kind else {
            return self.refuse(e.span, "here stands the name of the func that `rfactor` makes");
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
            return Some(name.clone());
        };
        self.refuse(name.span, format!("the name `{}` is taken: it is that of {what} of `{}`", name.text, made.name))
    }
}

/// The number of an `update(n)`.
fn number(update: Option<&ast::Directive>) -> Option<u64> {
    match update?.arguments.as_deref()? {
        [ast::Expr { kind: Ast::Integer { value, .. }, .. }] => Some(*value),
        _ => None,
    }
}

/// How many iterations a loop has: less than none where that is so of one that it is made of, for the start check.
fn extent(nest: &Nest, variable: Variable, length: &Expr) -> Expr {
    let made_of = nest.splits.iter().filter(|split| split.parts.first() == Some(&variable));
    let extents: Vec<Expr> = made_of.map(|split| extent(nest, split.variable, &split.length)).collect();
    let least = |a: &Expr, b: &Expr| Expr::builtin(LaneOp::Min, vec![a.clone(), b.clone()]);
    simplify(&match &extents[..] {
        // A constant says by itself whether it is less than none.
        [_] if constant_value(length).is_some_and(|n| n > 0) => length.clone(),
        [split] => least(split, length),
        [outer, inner] => {
            let zero = Expr::int(0, length.span());
            let positive = |e: &Expr| Expr::builtin(LaneOp::Max, vec![e.clone(), zero.clone()]);
            let product = Expr::binary(BinaryOp::Multiply, positive(inner), positive(outer));
            Expr::binary(BinaryOp::Add, product, least(&least(inner, outer), &zero))
        }
        _ => length.clone(),
    })
}

fn new_variable(pipeline: &mut Pipeline, name: &str, kind: VariableKind, span: Span) -> Variable {
    pipeline.variables.push(VariableInfo { name: name.into(), element: Element::Int32, kind, span });
    Variable(pipeline.variables.len() as u32 - 1)
}

/// The pipeline in which a reduction loop of the domain has become dimension `u` of a func.
fn factored(nest: &Nest, stage: StageName, mut domain: Domain, of: Variable, u: &ast::Name, name: &ast::Name) -> Pipeline {
    let mut made = (*nest.pipeline).clone();
    let own = made.func(stage.func).clone();
    let rule = own.stages[stage.stage].clone();
    let element = own.elements[0];
    let span = rule.span;
    let int = |v: Variable| Expr::variable(v, Element::Int32, span);
    let factored = domain.loops.iter().position(|r| r.variable == of).expect("a loop of the domain");
    let factored = domain.loops.remove(factored);
    if domain.says_ranges {
        let from = Expr::compare(CompareOp::GreaterEqual, int(factored.variable), factored.low.clone());
        let to = Expr::compare(CompareOp::Less, int(factored.variable), factored.high.clone());
        domain.guards.splice(0..0, [from, to]);
    }
    // g stands where f stood.
    let (partial, total) = (stage.func, FuncId(stage.func.0 + 1));
    made.renumber(&|id| if id < stage.func { id } else { FuncId(id.0 + 1) });
    let mut renamed: FxHashMap<Variable, Expr> = FxHashMap::default();
    for r in domain.loops.iter_mut().filter(|r| nest.binder(r.variable).is_some()) {
        let copy = new_variable(&mut made, nest.name(r.variable), VariableKind::Reduction, r.low.span());
        renamed.insert(r.variable, int(copy));
        r.variable = copy;
    }
    let mut variables = Vec::new();
    for &v in &own.variables {
        let info = made.variable(v).clone();
        let copy = new_variable(&mut made, &info.name, VariableKind::Pure, info.span);
        renamed.insert(v, int(copy));
        variables.push(copy);
    }
    let pure = new_variable(&mut made, &u.text, VariableKind::Pure, u.span);
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
    let point = variables.iter().map(|&v| int(v)).collect();
    let first = Stage::plain(point, vec![identity(combine, element, span)], span);
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
    let g = Func {
        name: name.text.clone(),
        variables,
        elements,
        stages,
        is_inline_reduction: false,
        is_partial: true,
        span: name.span,
    };
    made.funcs.insert(partial.0 as usize, g);
    // f reduces what is left.
    let r = new_variable(&mut made, &u.text, VariableKind::Reduction, u.span);
    let point: Vec<Expr> = own.variables.iter().map(|&v| int(v)).collect();
    let from: Vec<Expr> = point.iter().cloned().chain([int(r)]).collect();
    let values = vec![apply(combine, read(total, &point), read(partial, &from))];
    let rdom = vec![ReductionVariable { variable: r, low: factored.low, high: factored.high }];
    made.funcs[total.0 as usize].stages[stage.stage] = Stage { rdom, ..Stage::plain(point, values, span) };
    made
}
