//! Sliding windows: what is stored outside of the loop in which it is computed is computed once.
//!
//! ```text
//! allocate g                            allocate g, y mod 4
//! for y …                               done = −∞
//!   produce g on W(y) = [lo, hi)  ──►   for y …
//!   f[y] = g[y - 1] + g[y + 1]            produce g on [max(lo, done + 1), hi)
//!                                         f[y] = g[y - 1] + g[y + 1]
//!                                         done = max(done, hi - 1)
//! ```
//! f stored at S and computed at C slides along loop v, inside S and at or outside C, in dimension d if
//!
//! 1. the loops from S to C run one iteration after the other;
//! 2. d is pure in every stage of f;
//! 3. the lower end of `W_d` does not fall as v rises;
//! 4. `W_d` depends on no loop inside v; neither the other `W_e` nor the ranges of loops inside v depend on v; where a stage runs on
//!    more than `W_e`, since a later one is not pure in e, that depends on no loop inside v either.
//!
//! Pairs (v, d) share no v and no d. A dimension whose window the schedule asserts does not slide: its loops run over what is
//! asserted.
//!
//! # Invariant
//! A production of N runs U₀, then each Uᵢ, exactly once per point and instance of N, and overwrites no finished point that is
//! read later. By (2) the instances at a coordinate c of d touch only c; N begins behind `done`, so that they run once; by (3)
//! all of \[lo, done\] is finished; by (4) it is finished in the whole extent of the other dimensions.

use super::super::expr::{Expr, ExprKind, FuncId, Variable};
use super::super::limits::FAR;
use super::super::loops::ir::{Binder, Block, End, Hole, HoleKind, Loop, Nest, Order, StageName, Statement};
use super::super::simplify::{constant_value, difference, extremum, is_nowhere, linear, minus, offset, plus, simplify};
use super::form::{Monotone, monotone};
use super::infer::{Fault, Inference, Production};
use super::places::Places;
use super::range::{Binding, Scope};
use crate::typed::ir::{BinaryOp, LaneOp};
use crate::types::Element;
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};

/// The rules above.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Rule {
    /// (1)
    Serial,
    /// (2)
    Pure,
    /// (3)
    Rising,
    /// (4)
    Independent,
}

/// A loop and a dimension along which a func slides.
#[derive(Clone, Debug)]
pub(super) struct Slide {
    pub func: FuncId,
    /// C
    pub production: Block,
    pub dimension: usize,
    /// v
    pub along: (StageName, Variable),
    /// The variable that says how far the func is finished.
    pub done: Variable,
    /// Does W hold a point in each iteration?
    pub is_certain: bool,
    /// The last coordinate of W, in terms of what is known in an iteration of v.
    reached: Expr,
    /// The holes of N, and what they are where v ranges: N begins anywhere in W and ends where W does.
    seen_from_outside: [(Variable, Binding); 2],
}

/// The window W of a func at its production.
pub(super) struct Asked {
    /// Where it is produced.
    pub production: Block,
    /// By dimension, both ends belonging to it; nothing where it is stored, too.
    pub ends: Vec<(Expr, Expr)>,
    /// Does it hold a point in each iteration?
    pub is_certain: bool,
}

/// The way from the storage of a func to its computation.
pub(super) struct Path<'n> {
    /// The blocks inside of that of the storage.
    pub blocks: Vec<Block>,
    /// The loops on it, the outermost first.
    pub loops: Vec<&'n Loop>,
    /// The conditions on it, each with the number of loops around it.
    conditions: Vec<(usize, &'n Expr)>,
    /// What is defined on it, in order, each with the number of loops around it.
    known: Vec<(usize, Variable, Expr)>,
}

/// What a rule needs to know about a func.
pub(super) struct Question<'p, 'n> {
    pub id: FuncId,
    pub path: &'p Path<'n>,
    pub asked: &'p Asked,
    /// A vector loop around the storage, which has one for each lane then.
    pub lanes: Option<Variable>,
}

impl<'n> Inference<'n> {
    /// Decides for each place where a func is produced along which loops it slides, makes N of W in `windows`, and folds its
    /// storage.
    pub fn slide_and_fold(&self, id: FuncId, asked: &[Asked], productions: &mut [Production]) {
        let allocations = &self.places[&id].allocations;
        for (asked, production) in asked.iter().zip(productions) {
            if allocations.contains(&asked.production) {
                let why = "it is stored where it is computed; `store_at` and `store_root` store it further outside";
                self.fold(id, &[], None, &|_| why.to_owned());
                continue;
            }
            let path = allocations.iter().find_map(|&outer| self.path(outer, asked.production, id));
            self.slide_at(id, asked, &path.expect("an allocation dominates the loops"), &mut production.windows);
        }
    }

    /// The same for one place.
    fn slide_at(&self, id: FuncId, asked: &Asked, path: &Path<'n>, windows: &mut [(Hole, Expr)]) {
        let around = self.path(None, asked.production, id).expect("a func is produced in the nest");
        let lanes = around.loops.iter().find(|l| matches!(l.order, Order::Vector(_))).map(|l| l.variable);
        let question = Question { id, path, asked, lanes };
        let before = windows.to_vec();
        let slides = self.slide(&question, windows);
        self.check_tails(&question, &slides);
        let why = |d: usize| {
            // Of the loop that moves the window, if there is one.
            let (low, high) = &asked.ends[d];
            let depends = &self.depends_on(&question, low) | &self.depends_on(&question, high);
            let at = depends.first().copied().unwrap_or(path.loops.len() - 1);
            let rule = self.broken_rule(&question, &before, at, d);
            rule.unwrap_or_else(|| "it slides in another dimension along that loop".to_owned())
        };
        self.fold(id, &slides, Some(&question), &why);
        self.slides.borrow_mut().extend(slides);
    }

    /// The loops along which a func slides, of those between its storage and its computation, the outermost first. What is in
    /// `windows` for the dimensions in which it does becomes N.
    pub fn slide(&self, question: &Question<'_, 'n>, windows: &mut [(Hole, Expr)]) -> Vec<Slide> {
        let Question { id, path, asked, .. } = *question;
        let func = self.pipeline.func(id);
        let mut slides: Vec<Slide> = Vec::new();
        for at in 0..path.loops.len() {
            let mut fitting: Vec<usize> = (0..func.variables.len())
                .filter(|d| slides.iter().all(|slide| slide.dimension != *d))
                .filter(|&d| self.broken_rule(question, windows, at, d).is_none())
                .collect();
            // That which the loop moves, if there is one; else any will do: all is computed in the first iteration.
            fitting.sort_by_key(|&d| self.depends_on(question, &asked.ends[d].1).contains(&at));
            let Some(dimension) = fitting.pop() else { continue };
            slides.push(self.new_slide(question, at, dimension));
        }
        for slide in &slides {
            self.narrow(question, slide, windows);
        }
        slides
    }

    fn new_slide(&self, question: &Question<'_, 'n>, at: usize, dimension: usize) -> Slide {
        let Question { id, path, asked, .. } = *question;
        let (low, high) = asked.ends[dimension].clone();
        let l = path.loops[at];
        let [min, length] = self.last_window(id, dimension).map(|hole| self.nest.hole(hole));
        let from = Expr::variable(min, Element::Int32, low.span());
        let rest = offset(&minus(&high, &from), 1);
        Slide {
            func: id,
            production: asked.production,
            dimension,
            along: (l.stage, l.variable),
            done: self.done[&(id, dimension)],
            is_certain: asked.is_certain,
            reached: path.resolved(&high, at + 1),
            seen_from_outside: [
                // Whether N is empty is a matter of the loops over it.
                (min, Binding::Loop(min, low, high, true)),
                (length, Binding::Let(length, rest)),
            ],
        }
    }

    /// The holes of the last stage's window in a dimension.
    fn last_window(&self, func: FuncId, dimension: usize) -> [Hole; 2] {
        let kind = HoleKind::Compute { stage: self.pipeline.func(func).stages.len() - 1 };
        [End::Min, End::Length].map(|end| Hole { kind, func, dimension, end })
    }

    /// N instead of W: of the last stage by `done`, of the others by the last stage, whose coordinates they share.
    fn narrow(&self, question: &Question<'_, 'n>, slide: &Slide, windows: &mut [(Hole, Expr)]) {
        let (low, high) = &question.asked.ends[slide.dimension];
        let value = |v: Variable| Expr::variable(v, Element::Int32, low.span());
        let [min, length] = self.last_window(slide.func, slide.dimension);
        let first = extremum(false, &[low.clone(), offset(&value(slide.done), 1)]);
        let rest = offset(&minus(high, &value(self.nest.hole(min))), 1);
        let never_empty = question.asked.is_certain && self.rises(question, slide);
        let rest = if never_empty { rest } else { extremum(false, &[rest, Expr::int(0, low.span())]) };
        for (hole, window) in windows.iter_mut().filter(|(hole, _)| hole.dimension == slide.dimension) {
            *window = match (*hole == min, *hole == length, hole.end) {
                (true, ..) => first.clone(),
                (_, true, _) => rest.clone(),
                (.., End::Min) => value(self.nest.hole(min)),
                (.., End::Length) => value(self.nest.hole(length)),
            };
            let variable = self.nest.hole(*hole);
            if !never_empty {
                self.inhabited.borrow_mut().remove(&variable);
                self.together.borrow_mut().retain(|(func, _)| *func != slide.func);
            }
        }
    }

    /// Is the last coordinate of W greater in each iteration than in the one before, so that N is never empty?
    fn rises(&self, question: &Question<'_, 'n>, slide: &Slide) -> bool {
        let path = question.path;
        let high = path.resolved(&question.asked.ends[slide.dimension].1, 0);
        let next = high.substitute(&|v| (v == slide.along.1).then(|| offset(&Expr::variable(v, Element::Int32, high.span()), 1)));
        let is_plain = !high.mentions(&|v| self.nest.binder(v) == Some(Binder::Done));
        is_plain && difference(&next, &high).is_some_and(|step| step >= 1)
    }

    /// The first of the rules (1) to (4) that does not hold for a loop of the path and a dimension, in words.
    pub fn broken_rule(&self, question: &Question<'_, 'n>, windows: &[(Hole, Expr)], at: usize, d: usize) -> Option<String> {
        let unless =
            |rule: Rule, broken: &dyn Fn() -> Option<String>| if self.disregarded == Some(rule) { None } else { broken() };
        unless(Rule::Serial, &|| self.iterations_at_once(question))
            .or_else(|| unless(Rule::Pure, &|| self.impure_stage(question, d)))
            .or_else(|| self.nothing_to_slide(question, d))
            .or_else(|| unless(Rule::Rising, &|| self.falling_window(question, at, d)))
            .or_else(|| unless(Rule::Independent, &|| self.other_move(question, windows, at, d)))
    }

    /// What breaks rule (1).
    fn iterations_at_once(&self, question: &Question<'_, 'n>) -> Option<String> {
        let is_serial = |l: &&Loop| matches!(l.order, Order::Serial | Order::Unrolled);
        if let Some(l) = question.path.loops.iter().find(|l| !is_serial(l)) {
            return Some(format!("(1) the iterations of `{}` run at the same time", self.nest.name(l.variable)));
        }
        question.lanes.map(|lanes| format!("(1) the lanes of `{}` run at the same time", self.nest.name(lanes)))
    }

    /// What breaks rule (2).
    fn impure_stage(&self, question: &Question<'_, 'n>, d: usize) -> Option<String> {
        let func = self.pipeline.func(question.id);
        let stage = func.stages.iter().position(|stage| !stage.is_pure_dimension(&func.variables, d))?;
        let x = self.nest.name(func.variables[d]);
        Some(format!("(2) `{x}` is not pure in update {} of `{}`", stage - 1, func.name))
    }

    /// A dimension whose window is asserted, or that nobody reads.
    fn nothing_to_slide(&self, question: &Question<'_, 'n>, d: usize) -> Option<String> {
        let func = self.pipeline.func(question.id);
        if self.nest.bounds.iter().any(|bound| bound.func == question.id && bound.dimension == d) {
            let x = self.nest.name(func.variables[d]);
            return Some(format!("all of what is asserted of `{x}` is computed in each iteration"));
        }
        let is_far = constant_value(&without_condition(&question.asked.ends[d].0).1) == Some(FAR);
        is_far.then(|| format!("nobody reads `{}`", func.name))
    }

    /// What breaks rule (3).
    fn falling_window(&self, question: &Question<'_, 'n>, at: usize, d: usize) -> Option<String> {
        let Question { id, path, asked, .. } = *question;
        let (_, low) = without_condition(&asked.ends[d].0);
        let trend = self.trend(path, &low, at, &RefCell::default());
        let (x, v) = (self.nest.name(self.pipeline.func(id).variables[d]), self.nest.name(path.loops[at].variable));
        let is_kept = matches!(trend, Monotone::Constant | Monotone::Rising);
        (!is_kept).then(|| format!("(3) the window in `{x}` may begin further down as `{v}` rises"))
    }

    /// What breaks rule (4).
    fn other_move(&self, question: &Question<'_, 'n>, windows: &[(Hole, Expr)], at: usize, d: usize) -> Option<String> {
        let Question { id, path, asked, .. } = *question;
        let func = self.pipeline.func(id);
        let (x, v) = (self.nest.name(func.variables[d]), self.nest.name(path.loops[at].variable));
        let (condition, _) = without_condition(&asked.ends[d].0);
        let depends = &self.depends_on(question, &asked.ends[d].0) | &self.depends_on(question, &asked.ends[d].1);
        if let Some(&inner) = depends.range(at + 1..).next() {
            let inner = self.nest.name(path.loops[inner].variable);
            return Some(format!("(4) the window in `{x}` depends on the loop `{inner}`, which is inside of `{v}`"));
        }
        let moves = |e: &Expr| {
            // Under the condition of W_d itself nothing is computed in any dimension.
            let (own, inner) = without_condition(e);
            let is_shared = matches!((&own, &condition), (Some(a), Some(b)) if a.is_same(b));
            self.depends_on(question, if is_shared { &inner } else { e }).contains(&at)
        };
        for (e, ends) in asked.ends.iter().enumerate().filter(|(e, _)| *e != d) {
            if moves(&ends.0) || moves(&ends.1) {
                let e = self.nest.name(func.variables[e]);
                return Some(format!("(4) the window in `{e}` depends on `{v}`, too"));
            }
        }
        let last = func.stages.len() - 1;
        let is_earlier = |hole: &Hole| hole.dimension != d && matches!(hole.kind, HoleKind::Compute { stage } if stage < last);
        for (hole, window) in windows.iter().filter(|(hole, _)| is_earlier(hole)) {
            let HoleKind::Compute { stage } = hole.kind else { unreachable!("a compute hole") };
            let e = self.nest.name(func.variables[hole.dimension]);
            if self.depends_on(question, window).contains(&at) {
                return Some(format!("(4) the window of stage {stage} in `{e}` depends on `{v}`, too"));
            }
            // A stage that runs on more than W begins anew with points that an earlier iteration of an inner loop finished.
            let is_larger = !func.stages.iter().all(|s| s.is_pure_dimension(&func.variables, hole.dimension));
            // It is in terms of W.
            let ends = &asked.ends[hole.dimension];
            let moved: BTreeSet<usize> =
                [&ends.0, &ends.1, window].into_iter().flat_map(|e| self.depends_on(question, e)).collect();
            if let Some(&inner) = moved.range(at..).next().filter(|_| is_larger) {
                let inner = self.nest.name(path.loops[inner].variable);
                return Some(format!("(4) the window of stage {stage} in `{e}`, which is larger, moves with `{inner}`"));
            }
        }
        let inner = path.loops[at + 1..]
            .iter()
            .find(|l| [&l.min, &l.length].into_iter().any(|e| self.depends_on(question, e).contains(&at)));
        if let Some(l) = inner {
            return Some(format!("(4) the range of the loop `{}` depends on `{v}`", self.nest.name(l.variable)));
        }
        let mut inside = path.conditions.iter().filter(|(depth, _)| *depth > at + 1);
        if inside.any(|(_, condition)| self.depends_on(question, condition).contains(&at)) {
            return Some(format!("(4) a condition inside of `{v}` depends on it"));
        }
        None
    }

    /// The loops of the path that an expression depends on, by their numbers; `done` depends on the loop along which it is.
    pub fn depends_on(&self, question: &Question<'_, 'n>, e: &Expr) -> BTreeSet<usize> {
        self.dependence(question, e, &mut HashMap::new())
    }

    fn dependence(
        &self,
        question: &Question<'_, 'n>,
        e: &Expr,
        memo: &mut HashMap<Variable, BTreeSet<usize>>,
    ) -> BTreeSet<usize> {
        let path = question.path;
        if let ExprKind::Variable(variable) = e.kind() {
            if let Some(at) = self.moving_loop(path, *variable) {
                return BTreeSet::from([at]);
            }
            if let Some(known) = memo.get(variable) {
                return known.clone();
            }
            let made = path.definition(*variable).map(|value| self.dependence(question, value, memo)).unwrap_or_default();
            memo.insert(*variable, made.clone());
            return made;
        }
        // Where a window of the func itself is empty, nothing is computed: its other dimensions do not matter.
        if let (Some(condition), inner) = without_condition(e) {
            let is_own = |v: Variable| matches!(self.nest.binder(v), Some(Binder::Hole(hole)) if hole.func == question.id && hole.end == End::Length);
            if !condition.mentions(&|v| !is_own(v)) {
                return self.dependence(question, &inner, memo);
            }
        }
        e.children().into_iter().flat_map(|child| self.dependence(question, child, memo)).collect()
    }

    /// The loop of the path that changes a variable: its own, or that along which it says what is done.
    fn moving_loop(&self, path: &Path<'_>, variable: Variable) -> Option<usize> {
        let slides = self.slides.borrow();
        let is_along = |l: &Loop| slides.iter().any(|slide| slide.done == variable && slide.along == (l.stage, l.variable));
        path.loops.iter().position(|l| l.variable == variable || is_along(l))
    }

    /// How an expression changes with a loop of the path, for fixed values of those around it.
    fn trend(&self, path: &Path<'_>, e: &Expr, at: usize, memo: &RefCell<HashMap<Variable, Monotone>>) -> Monotone {
        monotone(e, &|variable| {
            if let Some(known) = memo.borrow().get(&variable) {
                return *known;
            }
            let made = match self.moving_loop(path, variable) {
                Some(l) if l == at => Monotone::Rising,
                // (4) looks whether inner loops matter.
                Some(_) => Monotone::Constant,
                None => path.definition(variable).map_or(Monotone::Constant, |value| self.trend(path, value, at, memo)),
            };
            memo.borrow_mut().insert(variable, made);
            made
        })
    }

    /// The way from a block to where a func is produced in another.
    pub fn path(&self, outer: Block, production: Block, func: FuncId) -> Option<Path<'n>> {
        let mut trail = Vec::new();
        let found = self.follow(self.block(outer), outer, (production, func), &mut trail);
        found.then(|| {
            let mut path = Path { blocks: Vec::new(), loops: Vec::new(), conditions: Vec::new(), known: Vec::new() };
            for (statement, block) in trail {
                let depth = path.loops.len();
                if let Statement::For(l) = statement {
                    path.loops.push(l);
                } else if let Statement::If(condition, _) = statement {
                    path.conditions.push((depth, condition));
                } else if let Statement::Let(variable, value, _) = statement {
                    path.known.push((depth, *variable, value.clone()));
                } else if statement.as_block().is_some() && block != outer {
                    path.blocks.push(block);
                    let definitions = self.definitions.borrow();
                    let list = definitions.get(&block).into_iter().flatten();
                    path.known.extend(list.map(|(variable, value)| (depth, *variable, value.clone())));
                }
            }
            path
        })
    }

    /// The statements around a production, each with its block, the outermost first.
    fn follow(
        &self,
        statement: &'n Statement,
        block: Block,
        end: (Block, FuncId),
        trail: &mut Vec<(&'n Statement, Block)>,
    ) -> bool {
        if let Statement::Produce(id, _) = statement
            && *id == end.1
        {
            return block == end.0;
        }
        let inside = if let Statement::For(l) = statement { Some((l.stage, l.variable)) } else { block };
        trail.push((statement, block));
        let leads = self.leads_to(statement, end.1);
        let found = leads && statement.children().into_iter().any(|child| self.follow(child, inside, end, trail));
        if !found {
            trail.pop();
        }
        found
    }

    /// A definition of a block as a scope sees it: where the loop along which N moves ranges, N may be anywhere in W.
    pub fn binding(&self, block: Block, variable: Variable, value: &Expr, scope: &Scope) -> Binding {
        let slides = self.slides.borrow();
        let seen = slides.iter().filter(|slide| slide.production == block && scope.ranges(slide.along.1));
        let found = seen.flat_map(|slide| &slide.seen_from_outside).find(|(hole, _)| *hole == variable);
        match found.map(|(_, binding)| binding) {
            Some(Binding::Loop(v, low, high, is_inhabited)) => {
                Binding::Loop(*v, self.by_ends(low, scope), self.by_ends(high, scope), *is_inhabited)
            }
            Some(Binding::Let(v, value)) => Binding::Let(*v, self.by_ends(value, scope)),
            Some(other) => other.clone(),
            None => Binding::Window(variable, self.by_ends(value, scope)),
        }
    }

    /// An expression as a scope sees it: where the loop of a slide ranges, as if nothing were done yet, so that N is all of W.
    /// What is computed from a larger N contains what is computed from a smaller one.
    pub fn with_nothing_done(&self, e: &Expr, scope: &Scope) -> Expr {
        let slides = self.slides.borrow();
        let is_done = |v: Variable| slides.iter().any(|slide| slide.done == v && scope.ranges(slide.along.1));
        if e.mentions(&is_done) { without(e, &is_done) } else { e.clone() }
    }

    /// What an expression is in the first iteration of each loop of a slide.
    pub fn at_first(&self, e: &Expr) -> Expr {
        let whole = self.unnamed(e);
        let is_done = |v: Variable| self.nest.binder(v) == Some(Binder::Done);
        if whole.mentions(&is_done) { simplify(&without(&whole, &is_done)) } else { e.clone() }
    }

    /// May the end of a split be anything up to the pad behind a window? That is so for N, and for the window of what is computed for N: how
    /// many points are left, and so what they are rounded up to, depends on how much is done.
    pub fn ends_behind_slide(&self, high: &Expr, scope: &Scope) -> bool {
        let slides = self.slides.borrow();
        let around: Vec<&Slide> = slides.iter().filter(|slide| scope.ranges(slide.along.1)).collect();
        if around.is_empty() {
            return false;
        }
        let is_done = |v: Variable| around.iter().any(|slide| slide.done == v || slide.seen_from_outside[1].0 == v);
        let definitions = self.definitions.borrow();
        let (mut seen, mut work) = (HashSet::new(), vec![self.unnamed(high)]);
        while let Some(e) = work.pop() {
            for &v in e.free_variables() {
                if is_done(v) {
                    return true;
                }
                if seen.insert(v) {
                    let of = |list: &Vec<(Variable, Expr)>| {
                        list.iter().find(|(defined, _)| *defined == v).map(|(_, value)| value.clone())
                    };
                    work.extend(definitions.values().find_map(of).map(|value| self.unnamed(&value)));
                }
            }
        }
        false
    }

    /// Reports tails that would overwrite finished points: in a dimension that slides, what is in front of N is finished; in
    /// one whose window moves while others are kept, both sides are.
    pub fn check_tails(&self, question: &Question<'_, 'n>, slides: &[Slide]) {
        let Question { id, path, asked, .. } = *question;
        let func = self.pipeline.func(id);
        let Some(slide) = slides.first() else { return };
        for tail in self.nest.tails.iter().filter(|tail| tail.func == id) {
            for &e in &tail.dimensions {
                let ends = [&asked.ends[e].0, &asked.ends[e].1].map(|end| without_condition(end).1);
                let may_round = !tail.is_shift && slides.iter().any(|slide| slide.dimension == e);
                let movers = ends.iter().flat_map(|end| self.depends_on(question, end));
                let Some(mover) = movers.min().filter(|_| !may_round) else { continue };
                let mover = path.loops[mover].variable;
                let [x, along, mover] = [func.variables[e], slide.along.1, mover].map(|v| self.nest.name(v));
                let word = if tail.is_shift { "shift" } else { "round" };
                let message = format!(
                    "`{}` slides along `{along}`: {word} in `{x}`, whose window moves with `{mover}`, would overwrite finished \
                     points; use guard",
                    func.name
                );
                self.faults.borrow_mut().push(Fault::Storage { func: id, span: tail.span, message });
            }
        }
    }
}

impl Path<'_> {
    /// The value of what is defined on the path.
    fn definition(&self, variable: Variable) -> Option<&Expr> {
        self.known.iter().rev().find(|(_, known, _)| *known == variable).map(|(.., value)| value)
    }

    /// An expression in terms of what is known inside of so many loops of the path.
    fn resolved(&self, e: &Expr, depth: usize) -> Expr {
        let inner = self.known.iter().rev().filter(|(known, ..)| *known > depth);
        inner.fold(e.clone(), |e, (_, variable, value)| match e.mentions(&|v| v == *variable) {
            true => simplify(&e.substitute(&|v| (v == *variable).then(|| value.clone()))),
            false => e,
        })
    }

    /// What is defined on the path, the innermost first.
    pub fn definitions(&self) -> impl Iterator<Item = (Variable, &Expr)> {
        self.known.iter().rev().filter(|(depth, ..)| *depth > 0).map(|(_, variable, value)| (*variable, value))
    }
}

impl Slide {
    /// The holes of N: the first coordinate, and how many there are.
    pub fn holes(&self) -> [Variable; 2] {
        self.seen_from_outside.each_ref().map(|(hole, _)| *hole)
    }

    /// What a hole of N is where the loop ranges.
    pub fn hull(&self, hole: Variable) -> Option<&Binding> {
        self.seen_from_outside.iter().find(|(known, _)| *known == hole).map(|(_, binding)| binding)
    }
}

/// The end of a window that counts under a condition, and the condition.
pub(super) fn without_condition(e: &Expr) -> (Option<Expr>, Expr) {
    let ExprKind::Conditional(c, a, b) = e.kind() else { return (None, e.clone()) };
    if is_nowhere(b) { (Some(c.clone()), a.clone()) } else { (None, e.clone()) }
}

/// −∞ for some variables, which leaves the other operands of the extrema in which they stand.
fn without(e: &Expr, is_it: &dyn Fn(Variable) -> bool) -> Expr {
    if !e.mentions(is_it) {
        return e.clone();
    }
    if e.as_variable().is_some() {
        return Expr::int(-FAR, e.span());
    }
    let ExprKind::Builtin(builtin @ (LaneOp::Min | LaneOp::Max), operands) = e.kind() else {
        return e.with_children(|child| without(child, is_it));
    };
    let is_infinite = |e: &&Expr| linear(e).terms.iter().any(|(atom, _)| atom.as_variable().is_some_and(is_it));
    let (lost, kept): (Vec<&Expr>, Vec<&Expr>) = operands.iter().partition(is_infinite);
    let kept = if kept.is_empty() { lost } else { kept };
    let kept: Vec<Expr> = kept.into_iter().map(|e| without(e, is_it)).collect();
    extremum(*builtin == LaneOp::Min, &kept)
}

/// New variables for what is done of the funcs that are stored outside of where they are computed.
pub(super) fn new_variables(nest: &mut Nest, places: &HashMap<FuncId, Places>) -> HashMap<(FuncId, usize), Variable> {
    let pipeline = nest.pipeline.clone();
    let mut made = HashMap::new();
    for (id, func) in pipeline.numbered_funcs() {
        if places.get(&id).is_none_or(|places| places.allocations == places.productions) {
            continue;
        }
        for (dimension, &variable) in func.variables.iter().enumerate() {
            let name = format!("{}.done.{}", func.name, pipeline.variable(variable).name);
            made.insert((id, dimension), nest.new_variable(&name, Binder::Done));
        }
    }
    made
}

/// The nest with the states of all slides: set on entry to the loop, and changed at the end of its iterations.
pub(super) fn insert(statement: &Statement, slides: &[Slide]) -> Statement {
    let made = statement.with_children(|child| insert(child, slides));
    let Statement::For(mut l) = made else { return made };
    let own: Vec<&Slide> = slides.iter().filter(|slide| slide.along == (l.stage, l.variable)).collect();
    // What is computed later reads what is computed before, and W of the latter mentions what was done of the former when the
    // iteration began: those that slide later in the list advance first.
    let advance = |slide: &&Slide| Statement::Advance(slide.done, slide.reached.clone());
    let advances: Vec<Statement> = own.iter().rev().map(advance).collect();
    if !advances.is_empty() {
        l.body = at_end(l.body, advances);
    }
    own.iter().fold(Statement::For(l), |inner, slide| Statement::Slide(slide.done, Box::new(inner)))
}

/// At the end of an iteration, under the conditions under which something was computed.
fn at_end(body: Statement, more: Vec<Statement>) -> Statement {
    if let Statement::If(..) | Statement::Let(..) = body {
        let mut more = Some(more);
        return body.mapped(|inner| at_end(inner, more.take().expect("one body")));
    }
    let mut list = if let Statement::Sequence(list) = body { list } else { vec![body] };
    list.extend(more);
    Statement::Sequence(list)
}

/// An upper bound of a sum with roundings: n·⌊a / n⌋ ≤ a, −n·⌊a / n⌋ ≤ n − 1 − a.
pub(super) fn relaxed(e: &Expr) -> Expr {
    let form = linear(&simplify(e));
    let mut made = Expr::int(form.constant, e.span());
    for (atom, c) in &form.terms {
        let times = |e: &Expr, c: i64| Expr::binary(BinaryOp::Multiply, e.clone(), Expr::int(c, e.span()));
        let quotient =
            if let ExprKind::Binary(BinaryOp::Divide, a, n) = atom.kind() { Some(a).zip(constant_value(n)) } else { None };
        let term = match quotient {
            Some((a, n)) if n > 0 && c % n == 0 && *c > 0 => times(a, c / n),
            Some((a, n)) if n > 0 && c % n == 0 => times(&offset(a, 1 - n), c / n),
            Some(_) | None => times(atom, *c),
        };
        made = plus(&made, &term);
    }
    made
}
