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
use super::form::{Monotone, monotone, quotient};
use super::infer::{Fault, Inference, Production};
use super::places::Places;
use super::range::{Binding, Scope};
use crate::typed::ir::{BinaryOp, LaneOp};
use crate::types::Element;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::collections::BTreeSet;

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
    /// The holes of N: its first coordinate, and how many there are.
    pub holes: [Variable; 2],
    /// The ends of W: where v ranges, N begins anywhere in it and ends where it does.
    pub window: (Expr, Expr),
}

impl Slide {
    /// How many coordinates N has, by the first one.
    pub fn length(&self) -> Expr {
        let first = Expr::variable(self.holes[0], Element::Int32, self.window.0.span());
        offset(&minus(&self.window.1, &first), 1)
    }
}

/// The way from the storage of a func to its computation.
#[derive(Default)]
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
    pub production: &'p Production,
    /// A vector loop around the storage, which has one for each lane then.
    pub lanes: Option<Variable>,
}

impl<'n> Inference<'n> {
    /// Decides for each place where a func is produced along which loops it slides, makes N of W in `windows`, and folds its
    /// storage.
    pub fn slide_and_fold(&self, id: FuncId, productions: &mut [Production]) {
        let allocations = &self.places[&id].allocations;
        for production in productions {
            if allocations.contains(&production.block) {
                let why = "it is stored where it is computed; `store_at` and `store_root` store it further outside";
                self.fold(id, &[], None, &|_| why.to_owned());
                continue;
            }
            let path = allocations.iter().find_map(|&outer| self.path(outer, production.block, id));
            production.windows = self.slide_at(id, &path.expect("an allocation dominates the loops"), production);
        }
    }

    /// The same for one place: its windows.
    fn slide_at(&self, id: FuncId, path: &Path<'n>, production: &Production) -> Vec<(Hole, Expr)> {
        let around = self.path(None, production.block, id).expect("a func is produced in the nest");
        let lanes = around.loops.iter().find(|l| matches!(l.order, Order::Vector(_))).map(|l| l.variable);
        let question = Question { id, path, production, lanes };
        let slides = self.slide(&question);
        let mut windows = production.windows.clone();
        slides.iter().for_each(|slide| self.narrow(&question, slide, &mut windows));
        self.check_tails(&question, &slides);
        let why = |d: usize| {
            // Of the loop that moves the window, if there is one.
            let at = self.ends_depend_on(&question, d).first().copied().unwrap_or(path.loops.len() - 1);
            let rule = self.broken_rule(&question, at, d);
            rule.unwrap_or_else(|| "it slides in another dimension along that loop".to_owned())
        };
        self.fold(id, &slides, Some(&question), &why);
        self.found.slides.borrow_mut().extend(slides);
        windows
    }

    /// The loops along which a func slides, of those between its storage and its computation, the outermost first.
    fn slide(&self, question: &Question<'_, 'n>) -> Vec<Slide> {
        let Question { id, path, production, .. } = *question;
        let func = self.pipeline.func(id);
        let mut slides: Vec<Slide> = Vec::new();
        for at in 0..path.loops.len() {
            let mut fitting: Vec<usize> = (0..func.variables.len())
                .filter(|d| slides.iter().all(|slide| slide.dimension != *d))
                .filter(|&d| self.broken_rule(question, at, d).is_none())
                .collect();
            // That which the loop moves, if there is one; else any will do: all is computed in the first iteration.
            fitting.sort_by_key(|&d| self.depends_on(question, &production.asked[d].1).contains(&at));
            let Some(dimension) = fitting.pop() else { continue };
            let (l, window) = (path.loops[at], production.asked[dimension].clone());
            slides.push(Slide {
                func: id,
                production: production.block,
                dimension,
                along: (l.stage, l.variable),
                done: self.done[&(id, dimension)],
                is_certain: production.is_certain,
                reached: path.resolved(&window.1, at + 1),
                holes: self.last_window(id, dimension).map(|hole| self.nest.hole(hole)),
                window,
            });
        }
        slides
    }

    /// The holes of the last stage's window in a dimension.
    fn last_window(&self, func: FuncId, dimension: usize) -> [Hole; 2] {
        let kind = HoleKind::Compute { stage: self.pipeline.func(func).stages.len() - 1 };
        [End::Min, End::Length].map(|end| Hole { kind, func, dimension, end })
    }

    /// N instead of W: of the last stage by `done`, of the others by the last stage, whose coordinates they share.
    fn narrow(&self, question: &Question<'_, 'n>, slide: &Slide, windows: &mut [(Hole, Expr)]) {
        let low = &slide.window.0;
        let value = |v: Variable| Expr::variable(v, Element::Int32, low.span());
        let [min, length] = self.last_window(slide.func, slide.dimension);
        let first = extremum(false, &[low.clone(), offset(&value(slide.done), 1)]);
        let never_empty = question.production.is_certain && self.rises(question, slide);
        let rest = if never_empty { slide.length() } else { extremum(false, &[slide.length(), Expr::int(0, low.span())]) };
        for (hole, window) in windows.iter_mut().filter(|(hole, _)| hole.dimension == slide.dimension) {
            *window = match (*hole == min, *hole == length, hole.end) {
                (true, ..) => first.clone(),
                (_, true, _) => rest.clone(),
                (.., end) => value(slide.holes[end as usize]),
            };
            if !never_empty {
                self.found.inhabited.borrow_mut().remove(&self.nest.hole(*hole));
                self.found.together.borrow_mut().retain(|(func, _)| *func != slide.func);
            }
        }
    }

    /// Is the last coordinate of W greater in each iteration than in the one before, so that N is never empty?
    fn rises(&self, question: &Question<'_, 'n>, slide: &Slide) -> bool {
        let path = question.path;
        let high = path.resolved(&question.production.asked[slide.dimension].1, 0);
        let next = high.substitute(&|v| (v == slide.along.1).then(|| offset(&Expr::variable(v, Element::Int32, high.span()), 1)));
        let is_plain = !high.mentions(&|v| self.nest.binder(v) == Some(Binder::Done));
        is_plain && difference(&next, &high).is_some_and(|step| step >= 1)
    }

    /// The first of the rules (1) to (4) that does not hold for a loop of the path and a dimension, in words.
    fn broken_rule(&self, question: &Question<'_, 'n>, at: usize, d: usize) -> Option<String> {
        let Question { id, path, production, .. } = *question;
        let func = self.pipeline.func(id);
        let (x, v) = (self.nest.name(func.variables[d]), self.nest.name(path.loops[at].variable));
        let counts = |rule: Rule| self.disregarded != Some(rule);
        if counts(Rule::Serial) {
            if let Some(l) = path.loops.iter().find(|l| !matches!(l.order, Order::Serial | Order::Unrolled)) {
                return Some(format!("(1) the iterations of `{}` run at the same time", self.nest.name(l.variable)));
            }
            if let Some(lanes) = question.lanes {
                return Some(format!("(1) the lanes of `{}` run at the same time", self.nest.name(lanes)));
            }
        }
        if counts(Rule::Pure)
            && let Some(stage) = func.stages.iter().position(|stage| !stage.is_pure_dimension(&func.variables, d))
        {
            return Some(format!("(2) `{x}` is not pure in update {} of `{}`", stage - 1, func.name));
        }
        if self.nest.bounds.iter().any(|bound| bound.func == id && bound.dimension == d) {
            return Some(format!("all of what is asserted of `{x}` is computed in each iteration"));
        }
        let (_, low) = without_condition(&production.asked[d].0);
        if constant_value(low) == Some(FAR) {
            return Some(format!("nobody reads `{}`", func.name));
        }
        let is_kept = || matches!(self.trend(path, low, at, &RefCell::default()), Monotone::Constant | Monotone::Rising);
        if counts(Rule::Rising) && !is_kept() {
            return Some(format!("(3) the window in `{x}` may begin further down as `{v}` rises"));
        }
        if counts(Rule::Independent) { self.other_move(question, at, d) } else { None }
    }

    /// What breaks rule (4).
    fn other_move(&self, question: &Question<'_, 'n>, at: usize, d: usize) -> Option<String> {
        let Question { id, path, production, .. } = *question;
        let func = self.pipeline.func(id);
        let (x, v) = (self.nest.name(func.variables[d]), self.nest.name(path.loops[at].variable));
        let (condition, _) = without_condition(&production.asked[d].0);
        let ends = |d: usize| self.ends_depend_on(question, d);
        if let Some(&inner) = ends(d).range(at + 1..).next() {
            let inner = self.nest.name(path.loops[inner].variable);
            return Some(format!("(4) the window in `{x}` depends on the loop `{inner}`, which is inside of `{v}`"));
        }
        let moves = |e: &Expr| {
            // Under the condition of W_d itself nothing is computed in any dimension.
            let (own, inner) = without_condition(e);
            self.depends_on(question, if own == condition { inner } else { e }).contains(&at)
        };
        for (e, ends) in production.asked.iter().enumerate().filter(|(e, _)| *e != d) {
            if moves(&ends.0) || moves(&ends.1) {
                let e = self.nest.name(func.variables[e]);
                return Some(format!("(4) the window in `{e}` depends on `{v}`, too"));
            }
        }
        let last = func.stages.len() - 1;
        let is_earlier = |hole: &Hole| hole.dimension != d && matches!(hole.kind, HoleKind::Compute { stage } if stage < last);
        for (hole, window) in production.windows.iter().filter(|(hole, _)| is_earlier(hole)) {
            let HoleKind::Compute { stage } = hole.kind else { unreachable!("a compute hole") };
            let e = self.nest.name(func.variables[hole.dimension]);
            let own = self.depends_on(question, window);
            if own.contains(&at) {
                return Some(format!("(4) the window of stage {stage} in `{e}` depends on `{v}`, too"));
            }
            // A stage that runs on more than W begins anew with points that an earlier iteration of an inner loop finished.
            let is_larger = !func.stages.iter().all(|s| s.is_pure_dimension(&func.variables, hole.dimension));
            // It is in terms of W.
            let moved = &own | &ends(hole.dimension);
            if let Some(&inner) = moved.range(at..).next().filter(|_| is_larger) {
                let inner = self.nest.name(path.loops[inner].variable);
                return Some(format!("(4) the window of stage {stage} in `{e}`, which is larger, moves with `{inner}`"));
            }
        }
        let moves = |e: &Expr| self.depends_on(question, e).contains(&at);
        if let Some(l) = path.loops[at + 1..].iter().find(|l| moves(&l.min) || moves(&l.length)) {
            return Some(format!("(4) the range of the loop `{}` depends on `{v}`", self.nest.name(l.variable)));
        }
        let mut inside = path.conditions.iter().filter(|(depth, _)| *depth > at + 1);
        inside.any(|(_, condition)| moves(condition)).then(|| format!("(4) a condition inside of `{v}` depends on it"))
    }

    /// The loops of the path that either end of W depends on.
    fn ends_depend_on(&self, question: &Question<'_, 'n>, dimension: usize) -> BTreeSet<usize> {
        let (low, high) = &question.production.asked[dimension];
        &self.depends_on(question, low) | &self.depends_on(question, high)
    }

    /// The loops of the path that an expression depends on, by their numbers; `done` depends on the loop along which it is.
    pub fn depends_on(&self, question: &Question<'_, 'n>, e: &Expr) -> BTreeSet<usize> {
        let is_own = |v: Variable| matches!(self.nest.binder(v), Some(Binder::Hole(hole)) if hole.func == question.id && hole.end == End::Length);
        let (mut found, mut seen, mut work) = (BTreeSet::new(), FxHashSet::default(), vec![e]);
        while let Some(e) = work.pop() {
            if let Some(v) = e.as_variable() {
                if let Some(at) = self.moving_loop(question.path, v) {
                    found.insert(at);
                } else if seen.insert(v) {
                    work.extend(question.path.definition(v));
                }
            } else if let (Some(condition), inner) = without_condition(e)
                && !condition.mentions(&|v| !is_own(v))
            {
                // Where a window of the func itself is empty, nothing is computed: its other dimensions do not matter.
                work.push(inner);
            } else {
                work.extend(e.children());
            }
        }
        found
    }

    /// The loop of the path that changes a variable: its own, or that along which it says what is done.
    fn moving_loop(&self, path: &Path<'_>, variable: Variable) -> Option<usize> {
        let slides = self.found.slides.borrow();
        let is_along = |l: &Loop| slides.iter().any(|slide| slide.done == variable && slide.along == (l.stage, l.variable));
        path.loops.iter().position(|l| l.variable == variable || is_along(l))
    }

    /// How an expression changes with a loop of the path, for fixed values of those around it.
    fn trend(&self, path: &Path<'_>, e: &Expr, at: usize, memo: &RefCell<FxHashMap<Variable, Monotone>>) -> Monotone {
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
        let mut path = Path::default();
        for &(statement, block) in self.way(outer, production, func)? {
            let depth = path.loops.len();
            if let Statement::For(l) = statement {
                path.loops.push(l);
            } else if let Statement::If(condition, _) = statement {
                path.conditions.push((depth, condition));
            } else if let Statement::Let(variable, value, _) = statement {
                path.known.push((depth, *variable, value.clone()));
            } else if statement.as_block().is_some() && block != outer {
                path.blocks.push(block);
                let definitions = self.found.definitions.borrow();
                let list = definitions.get(&block).into_iter().flatten();
                path.known.extend(list.map(|(variable, value)| (depth, *variable, value.clone())));
            }
        }
        Some(path)
    }

    /// A definition of a block as a scope sees it: where the loop along which N moves ranges, N may be anywhere in W.
    pub fn binding(&self, block: Block, variable: Variable, value: &Expr, scope: &Scope) -> Binding {
        let slides = self.found.slides.borrow();
        let is_it = |s: &&Slide| s.production == block && scope.ranges(s.along.1) && s.holes.contains(&variable);
        match slides.iter().find(is_it) {
            // Whether N is empty is a matter of the loops over it.
            Some(Slide { holes, window: (low, high), .. }) if holes[0] == variable => {
                Binding::Loop(variable, self.by_ends(low, scope), self.by_ends(high, scope), true)
            }
            Some(slide) => Binding::Let(variable, self.by_ends(&slide.length(), scope)),
            None => Binding::Window(variable, self.by_ends(value, scope)),
        }
    }

    /// An expression as a scope sees it: where the loop of a slide ranges, as if nothing were done yet, so that N is all of W.
    /// What is computed from a larger N contains what is computed from a smaller one.
    pub fn with_nothing_done(&self, e: &Expr, scope: &Scope) -> Expr {
        let slides = self.found.slides.borrow();
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
        let slides = self.found.slides.borrow();
        let around = slides.iter().filter(|slide| scope.ranges(slide.along.1));
        let done: Vec<Variable> = around.flat_map(|slide| [slide.done, slide.holes[1]]).collect();
        let definitions = self.found.definitions.borrow();
        let (mut seen, mut work) = (FxHashSet::default(), if done.is_empty() { Vec::new() } else { vec![high] });
        while let Some(e) = work.pop() {
            if e.mentions(&|v| done.contains(&v)) {
                return true;
            }
            let new = e.free_variables().iter().filter(|v| seen.insert(**v));
            work.extend(new.filter_map(|v| definitions.values().flatten().find(|(known, _)| known == v)).map(|(_, value)| value));
        }
        false
    }

    /// Reports tails that would overwrite finished points: in a dimension that slides, what is in front of N is finished; in
    /// one whose window moves while others are kept, both sides are.
    pub fn check_tails(&self, question: &Question<'_, 'n>, slides: &[Slide]) {
        let Question { id, path, production, .. } = *question;
        let func = self.pipeline.func(id);
        let Some(slide) = slides.first() else { return };
        for tail in self.nest.tails.iter().filter(|tail| tail.func == id) {
            for &e in &tail.dimensions {
                let ends = [&production.asked[e].0, &production.asked[e].1].map(|end| without_condition(end).1);
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
                self.found.faults.borrow_mut().push(Fault::Storage { func: id, span: tail.span, message });
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
        let with = |e: Expr, variable, value: &Expr| simplify(&e.substitute(&|v| (v == variable).then(|| value.clone())));
        inner.fold(e.clone(), |e, (_, v, value)| if e.mentions(&|w| w == *v) { with(e, *v, value) } else { e })
    }

    /// What is defined on the path, the innermost first.
    pub fn definitions(&self) -> impl Iterator<Item = (Variable, &Expr)> {
        self.known.iter().rev().filter(|(depth, ..)| *depth > 0).map(|(_, variable, value)| (*variable, value))
    }
}

/// The end of a window that counts under a condition, and the condition.
pub(super) fn without_condition(e: &Expr) -> (Option<&Expr>, &Expr) {
    let ExprKind::Conditional(c, a, b) = e.kind() else { return (None, e) };
    if is_nowhere(b) { (Some(c), a) } else { (None, e) }
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
pub(super) fn new_variables(nest: &mut Nest, places: &FxHashMap<FuncId, Places<'_>>) -> FxHashMap<(FuncId, usize), Variable> {
    let pipeline = nest.pipeline.clone();
    let mut made = FxHashMap::default();
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
        let (e, c) = match quotient(atom).filter(|(_, n)| c % n == 0) {
            Some((a, n)) if *c > 0 => (a.clone(), c / n),
            Some((a, n)) => (offset(a, 1 - n), c / n),
            None => (atom.clone(), *c),
        };
        made = plus(&made, &Expr::binary(BinaryOp::Multiply, e, Expr::int(c, atom.span())));
    }
    made
}
