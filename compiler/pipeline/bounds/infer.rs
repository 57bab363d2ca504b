//! The query 𝓑 (figure 10 (a)) and its answer: windows for every hole, func by func, from the last one to the first.
//!
//! A func's window is the hull of what its readers need. They come later in the order of the funcs, so that their windows are
//! known by name when it is its turn. What the loops between the place of the window and a read do to the read's indices,
//! `range` works out.
//!
//! * 𝓑_cpu: what decides — indices, branches, `let`s of these — must be in the compute window wherever it runs; what is only a
//!   value must be there where it ends up inside of the window of its stage.
//! * 𝓑_mem: whatever is read or written must be in the allocation.
//! * Stage i − 1 covers what stage i covers, and what stage i reads of it.

use super::super::algorithm::Pipeline;
use super::super::expr::{Expr, ExprKind, FuncId, InputId, Source, Variable};
use super::super::loops::ir::{
    Binder, Block, End, Fold, Hole, HoleKind, Loop, Nest, OutputWindow, Split, StageName, Statement, Store, is_block,
};
use super::super::loops::lower::{asserted_window, compute_window};
use super::super::loops::print;
use super::super::simplify::{constant_value, extremum, minus, offset, simplify};
use super::accesses::{Access, At, Place};
use super::asserted::{self, Need};
use super::names::Names;
use super::overflow::{self, Operands, Reach};
use super::parts::{Part, last};
use super::places::{Outline, Places, outlines, places};
use super::range::{Binding, Condition, Interval, Scope, Solved, Solver};
use super::size::Size;
use super::slide::{self, Slide};
use super::together;
use crate::source::Span;
use crate::types::Element;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::{Cell, RefCell};

/// The windows of a nest.
#[derive(Clone, Debug)]
pub struct Windows {
    /// The nest with a variable for everything that is defined.
    pub nest: Nest,
    /// At the beginning of each block, what is defined there, in order.
    pub definitions: FxHashMap<Block, Vec<(Variable, Expr)>>,
    /// For each input the least and the greatest coordinate that is read, by dimension, and a read that asks for it.
    pub inputs: Vec<Vec<[Variable; 2]>>,
    /// For each input and dimension who reads it, and where.
    pub reads: Vec<Vec<Vec<String>>>,
    /// What each output is asked for.
    pub outputs: Vec<OutputWindow>,
    /// What is needed of each window that the schedule asserts something of.
    pub bounds: Vec<Need>,
    /// What must be an `int` wherever it is computed.
    pub operands: Vec<Operands>,
    /// The windows inside of loops that must be near 0.
    pub reaches: Vec<Reach>,
}

/// Infers all windows.
///
/// # Errors
/// The accesses that nothing bounds, and the directives of storage that cannot be followed.
pub fn infer(nest: &Nest) -> Result<Windows, Vec<Fault>> {
    infer_without(nest, None)
}

/// The same, as if a rule of sliding always held: for tests that show that the rule is needed.
pub(in super::super) fn infer_without(nest: &Nest, disregarded: Option<slide::Rule>) -> Result<Windows, Vec<Fault>> {
    let mut work = nest.clone();
    let places = places(&nest.body);
    let done = slide::new_variables(&mut work, &places);
    let outputs = work.requests.clone();
    let pipeline = nest.pipeline.clone();
    let mut ends = |name: &str, d: usize| ["low", "high"].map(|end| work.new_variable(&format!("{name}.{end}.{d}"), Binder::Let));
    let inputs: Vec<Vec<[Variable; 2]>> =
        pipeline.inputs.iter().map(|i| (0..i.dimensions.len()).map(|d| ends(&i.name, d)).collect()).collect();
    let needs = asserted::needs(&mut work);
    let is_length = |hole: &Hole| matches!(hole.kind, HoleKind::Compute { .. }) && hole.end == End::Length;
    let mut lengths: Vec<Variable> = nest.holes.iter().filter(|(hole, _)| is_length(hole)).map(|(_, length)| *length).collect();
    lengths.sort_unstable();
    let names_of_highs = lengths.into_iter().map(|length| (length, work.new_variable("high", Binder::Let))).collect();
    let names = Names::new((pipeline.variables.len() + work.variables.len()) as u32);
    let inference = Inference {
        pipeline: &pipeline,
        nest: &work,
        needs: &needs,
        reads: pipeline.readers(),
        places,
        outlines: outlines(&work.body),
        splits_into: by_variables(&work.splits, |split| &split.parts),
        splits_of: by_variables(&work.splits, |split| std::slice::from_ref(&split.variable)),
        done,
        inner: together::inner_loops(&work),
        names_of_highs,
        disregarded,
        names,
        lets: pipeline.funcs.iter().flat_map(|func| &func.stages).flat_map(|stage| stage.lets.iter().cloned()).collect(),
        found: Found::default(),
    };
    for (id, _) in pipeline.numbered_funcs().rev().filter(|(id, _)| !nest.absent.contains(id)) {
        inference.func(id, outputs.iter().find(|o| o.func == id));
    }
    let reads = inputs.iter().enumerate().map(|(i, variables)| inference.input(InputId(i as u32), variables)).collect();
    let (operands, reaches) = (inference.operands(), inference.reaches());
    let readers = inference.readers_of_needs();
    let definitions = inference.found.definitions.into_inner();
    let mut faults = inference.found.faults.into_inner();
    faults.extend(inference.found.unbounded.into_inner().into_iter().map(Fault::Unbounded));
    if !faults.is_empty() {
        return Err(faults);
    }
    let names = inference.names.into_variables();
    let (slides, folds) = (inference.found.slides.into_inner(), inference.found.folds.into_inner());
    let bounds = needs.into_iter().zip(readers).map(|(need, readers)| Need { readers, ..need }).collect();
    let variables = work.variables.iter().cloned().chain(names).collect();
    let work = Nest { body: slide::insert(&work.body, &slides), folds, variables, ..work };
    Ok(Windows { definitions, inputs, reads, outputs, bounds, operands, reaches, nest: work })
}

/// The splits by variables of theirs, in their order.
fn by_variables(splits: &[Split], variables: impl Fn(&Split) -> &[Variable]) -> FxHashMap<Variable, Vec<&Split>> {
    let mut found: FxHashMap<Variable, Vec<&Split>> = FxHashMap::default();
    for split in splits {
        variables(split).iter().for_each(|variable| found.entry(*variable).or_default().push(split));
    }
    found
}

/// What was asked for and cannot be bounded.
#[derive(Clone, Debug)]
pub struct Unbounded {
    /// What is read.
    pub source: Source,
    /// In which dimension.
    pub dimension: usize,
    /// The index.
    pub index: Expr,
    /// Where the read is.
    pub span: Span,
    /// By which func.
    pub reader: FuncId,
}

/// Why windows cannot be inferred.
#[derive(Clone, Debug)]
pub enum Fault {
    /// Nothing bounds an access.
    Unbounded(Unbounded),
    /// A directive would overwrite what is read later.
    Storage {
        /// The func whose storage it is.
        func: FuncId,
        /// The directive.
        span: Span,
        /// What is wrong.
        message: String,
    },
}

/// A place where the func at hand is produced.
pub(super) struct Production {
    pub block: Block,
    /// How many variables the block has defined before.
    pub defined: usize,
    /// The window W that is needed of the func by dimension, both ends belonging to it; nothing where it is stored, too.
    pub asked: Vec<(Expr, Expr)>,
    /// Does W hold a point in each iteration?
    pub is_certain: bool,
    /// What is needed of the stage at hand.
    pub parts: Vec<Part>,
    /// What its holes are.
    pub windows: Vec<(Hole, Expr)>,
}

pub(super) struct Inference<'n> {
    pub pipeline: &'n Pipeline,
    pub nest: &'n Nest,
    /// By assertion of the schedule.
    pub needs: &'n [Need],
    pub reads: FxHashMap<Source, FxHashSet<FuncId>>,
    pub places: FxHashMap<FuncId, Places<'n>>,
    pub outlines: FxHashMap<Block, Outline<'n>>,
    /// The splits that made a loop, by its variable.
    pub splits_into: FxHashMap<Variable, Vec<&'n Split>>,
    /// The splits of a variable.
    pub splits_of: FxHashMap<Variable, Vec<&'n Split>>,
    /// For each dimension of a func that is stored outside of where it is computed, how far it is done.
    pub done: FxHashMap<(FuncId, usize), Variable>,
    /// The loops inside of one that has no iteration where the window of its stage has no point.
    pub inner: FxHashSet<(StageName, Variable)>,
    /// A rule of sliding that is not looked at.
    pub disregarded: Option<slide::Rule>,
    /// Names for what `Found::highs` holds, by the length.
    pub names_of_highs: FxHashMap<Variable, Variable>,
    /// The names of large ends.
    pub names: Names,
    /// The `let`s of the stages.
    pub lets: FxHashMap<Variable, Expr>,
    pub found: Found,
}

/// What is known so far.
#[derive(Default)]
pub(super) struct Found {
    /// What slides, as far as it is known.
    pub slides: RefCell<Vec<Slide>>,
    /// What is folded.
    pub folds: RefCell<Vec<Fold>>,
    /// What is wrong with the directives of storage.
    pub faults: RefCell<Vec<Fault>>,
    pub definitions: RefCell<FxHashMap<Block, Vec<(Variable, Expr)>>>,
    pub unbounded: RefCell<Vec<Unbounded>>,
    pub values: RefCell<FxHashMap<Source, Interval>>,
    /// The scopes that were asked last, the latest first.
    pub solved: RefCell<Vec<Solved>>,
    /// The lengths of windows that are known to be positive in some iteration of these loops around; always, if there are none.
    pub inhabited: RefCell<FxHashMap<Variable, Vec<Variable>>>,
    /// The stages whose windows have a length of 0 in all dimensions or in none.
    pub together: RefCell<FxHashSet<(FuncId, usize)>>,
    /// In a block, for the length of a window, its greatest coordinate. From outside of the loops around, min + length − 1 would
    /// be looser: what the two owe to the loops they would owe apart.
    pub highs: RefCell<FxHashMap<(Block, Variable), Expr>>,
    /// How large variables can be.
    pub sizes: RefCell<FxHashMap<Variable, Size>>,
    /// How large the values of expressions can be.
    pub known_sizes: RefCell<FxHashMap<Expr, Size>>,
    /// How many reaches are being worked out.
    pub open_reaches: Cell<usize>,
    /// The dimensions of funcs inside of loops whose windows may be far from 0.
    pub far: RefCell<FxHashSet<(FuncId, usize)>>,
    /// What must be an `int` since bounds of values are known by it: the func, and its ends.
    pub trusted: RefCell<Vec<overflow::Trusted>>,
}

impl<'n> Inference<'n> {
    pub fn define(&self, block: Block, variable: Variable, value: Expr) {
        self.found.definitions.borrow_mut().entry(block).or_default().push((variable, value));
    }

    /// The windows of a func: of its last stage by its readers, of the others by the stages behind them, then its allocation.
    fn func(&self, id: FuncId, output: Option<&OutputWindow>) {
        let func = self.pipeline.func(id);
        let places = &self.places[&id];
        let last = func.stages.len() - 1;
        let new = |&block: &Block| {
            let parts = self.needed(block, id, output);
            // Where it is stored where it is computed nobody asks.
            let rank = if places.allocations.contains(&block) { 0 } else { func.variables.len() };
            let asked = (0..rank).map(|d| self.ends(&parts, d, func.span)).collect();
            let is_certain = parts.iter().any(Part::is_certain);
            Production { block, defined: self.defined_in(block), asked, is_certain, parts, windows: Vec::new() }
        };
        let mut productions: Vec<Production> = places.productions.iter().map(new).collect();
        self.need(id, &productions, output);
        // Over which stages run, in the order in which they are known: the last one first.
        self.stage(StageName { func: id, case: 0, stage: last }, &mut productions);
        for stage in (0..last).rev() {
            let behind = StageName { func: id, case: 0, stage: stage + 1 };
            for production in &mut productions {
                // Of the loops of the stages behind, more is known now.
                let accesses = self.accesses(production.block, Source::Func(id, 0));
                let reads = accesses.iter().filter(|a| a.place.reader.func == id && a.place.reader.stage == stage + 1);
                production.parts =
                    std::iter::once(self.window_of(behind)).chain(reads.filter_map(|a| self.part(a, true))).collect();
            }
            self.stage(StageName { stage, ..behind }, &mut productions);
        }
        self.slide_and_fold(id, &mut productions);
        for Production { block, defined, windows, .. } in productions {
            windows.into_iter().for_each(|(hole, value)| self.define(block, self.nest.hole(hole), value));
            self.order_from(block, defined);
        }
        places.allocations.iter().for_each(|&block| self.allocation(id, block));
    }

    /// The windows of a stage, by what is needed of it wherever it is produced.
    fn stage(&self, name: StageName, productions: &mut [Production]) {
        let StageName { func: id, stage, .. } = name;
        let func = self.pipeline.func(id);
        let parts = productions.iter().map(|production| &production.parts);
        let fewest = parts.clone().map(|parts| parts.iter().filter_map(Part::passing).min_by_key(|loops| loops.len()));
        let passing = fewest.collect::<Option<Vec<_>>>().map(|lists| lists.concat());
        let is_certain = passing.as_ref().is_some_and(Vec::is_empty);
        if self.lengths_are_together(id, parts.flatten()) {
            self.found.together.borrow_mut().insert((id, stage));
        }
        for Production { block, parts, windows, .. } in productions {
            for (dimension, (min, length)) in self.hull(parts, func, *block).into_iter().enumerate() {
                let hole = |end| Hole { kind: HoleKind::Compute { stage }, func: id, dimension, end };
                let variable = self.nest.hole(hole(End::Length));
                let (min, length) = match asserted_window(self.nest, name, dimension) {
                    Some([min, length]) if stage + 1 < func.stages.len() => (min, length),
                    Some(_) => self.asserted(id, dimension, (min, length), is_certain),
                    None => {
                        if block.is_some() {
                            let (_, high) = self.ends(parts, dimension, func.span);
                            self.found.highs.borrow_mut().insert((*block, variable), high);
                        }
                        (min, length)
                    }
                };
                if let Some(loops) = &passing {
                    // What is asserted holds when the work begins.
                    for v in std::iter::once(variable).chain(length.as_variable()) {
                        self.found.inhabited.borrow_mut().insert(v, loops.clone());
                    }
                }
                windows.extend([(hole(End::Min), min), (hole(End::Length), length)]);
            }
        }
    }

    /// An allocation covers the largest compute window, and what is accessed beyond it.
    fn allocation(&self, id: FuncId, allocation: Block) {
        let func = self.pipeline.func(id);
        let first = StageName { func: id, case: 0, stage: 0 };
        let window = self.window_of(first);
        let productions = &self.places[&id].productions;
        let is_here = productions.contains(&allocation);
        let mut parts = Vec::new();
        for &production in productions.iter().filter(|_| !is_here) {
            let Some(way) = self.way(allocation, production, id) else { continue };
            let seen = match self.seen_in(&self.scope_of(way), allocation, &self.first_window(production, id)) {
                Ok(seen) => seen,
                Err(open) => {
                    // No memory is large enough.
                    if let Some(access) = self.accesses(allocation, Source::Func(id, 0)).first() {
                        open.iter().for_each(|&d| self.is_unbounded(access.place, d, &access.indices[d]));
                    }
                    continue;
                }
            };
            // Ends of a window that is empty may lie the wrong way round; what slides may have an empty N in a W that is not.
            let slides = self.found.slides.borrow();
            let mut here = slides.iter().filter(|slide| slide.func == id && slide.production == production).peekable();
            let is_inhabited = if here.peek().is_some() { here.all(|s| s.is_certain) } else { window.conditions.is_empty() };
            parts.push(Part { is_sure: seen.is_sure && is_inhabited, ..seen });
        }
        if is_here {
            parts.push(window);
        }
        let around = self.accesses(allocation, Source::Func(id, 0));
        for access in around.iter().filter(|a| !a.decides && self.nest.overcomputed.contains(&a.place.reader)) {
            let (Some(inside), Some(all)) = (self.part(access, true), self.part(access, false)) else { continue };
            if !inside.is_same(&all) {
                parts.push(all);
            }
        }
        parts.extend(self.stores(allocation, id));
        let hull = match &parts[..] {
            // Nothing beyond the compute window.
            [_] if is_here => (0..func.variables.len()).map(|d| compute_window(self.nest, first, d).into()).collect(),
            _ => self.hull(&parts, func, allocation),
        };
        let folds = self.found.folds.borrow();
        let folded = folds.iter().find(|fold| fold.func == id);
        for (dimension, window) in hull.into_iter().enumerate() {
            let hole = |end| self.nest.hole(Hole { kind: HoleKind::Memory, func: id, dimension, end });
            let folded = folded.filter(|fold| fold.dimension == dimension);
            let (min, length) = folded.map_or(window, |fold| (Expr::int(0, func.span), fold.factor.clone()));
            self.define(allocation, hole(End::Min), min);
            self.define(allocation, hole(End::Length), length);
        }
    }

    /// What is read of an input: everything, whatever becomes of it.
    fn input(&self, id: InputId, variables: &[[Variable; 2]]) -> Vec<Vec<String>> {
        let input = self.pipeline.input(id);
        let accesses = self.accesses(None, Source::Input(id));
        let parts: Vec<Part> = accesses.iter().filter_map(|a| self.part(a, false)).collect();
        for (dimension, ends) in variables.iter().enumerate() {
            let (low, high) = self.ends(&parts, dimension, input.span);
            self.define(None, ends[0], low);
            self.define(None, ends[1], high);
        }
        self.descriptions(&accesses, variables.len())
    }

    /// Who reads, and at which index, by dimension.
    pub fn descriptions(&self, accesses: &[Access<'_>], rank: usize) -> Vec<Vec<String>> {
        let mut reads = vec![Vec::new(); rank];
        for access in accesses {
            let reader = &self.pipeline.func(access.place.reader.func).name;
            for (list, index) in reads.iter_mut().zip(access.indices) {
                let text = format!("`{reader}` at `{}`", print::expression(self.nest, index));
                if list.len() < 4 && !list.contains(&text) {
                    list.push(text);
                }
            }
        }
        reads
    }

    /// Visits a statement and what stands in it, outer ones first, each with its scope; below those of which `visit` says no,
    /// nothing is visited.
    fn walk(
        &self,
        statement: &'n Statement,
        at: At,
        scope: &mut Scope,
        visit: &mut impl FnMut(&'n Statement, At, &mut Scope) -> bool,
    ) {
        if !visit(statement, at, scope) {
            return;
        }
        let mark = scope.mark();
        let mut inside = at;
        if let Statement::For(l) = statement {
            inside.block = Some((l.stage, l.variable));
        } else if let Statement::Stage(stage, _) = statement {
            inside.stage = Some(*stage);
        }
        self.enter(statement, at.block, scope);
        statement.children().into_iter().for_each(|child| self.walk(child, inside, scope, visit));
        scope.reset(mark);
    }

    /// What ranges and holds inside of a statement of a block.
    pub fn enter(&self, statement: &Statement, block: Block, scope: &mut Scope) {
        match statement {
            Statement::Sequence(list) if is_block(list) => self.enter_block(block, scope),
            Statement::For(l) => self.enter_loop(l, scope),
            Statement::If(condition, body) => self.assume(condition, body, scope),
            Statement::Let(variable, value, _) => self.enter_let(*variable, value, scope),
            Statement::Nop | Statement::Sequence(_) | Statement::Allocate(..) | Statement::Store(_) => {}
            Statement::Produce(..) | Statement::Stage(..) => {}
            Statement::Either(..) | Statement::Foreach(_) | Statement::Greatest(..) | Statement::Accumulate(_) => {
                unreachable!("passes make them")
            }
            // It is about a func that is looked at, in front of all others.
            Statement::Assert(_) => {}
            Statement::Slide(..) | Statement::Advance(..) => {
                unreachable!("they are made of nests that have their bounds")
            }
        }
    }

    /// Visits what a block consists of. What the block itself defines is known there by name.
    pub fn walk_block(&self, block: Block, visit: &mut impl FnMut(&'n Statement, At, &mut Scope) -> bool) {
        self.outlines[&block].all().iter().for_each(|s| self.walk(s, At::block(block), &mut Scope::default(), visit));
    }

    /// The same, of what has one of some funcs in it, and of what is none of a func.
    pub fn walk_block_of(
        &self,
        block: Block,
        funcs: impl Iterator<Item = FuncId>,
        visit: &mut impl FnMut(&'n Statement, At, &mut Scope) -> bool,
    ) {
        let statements = self.outlines[&block].statements(funcs);
        statements.into_iter().for_each(|s| self.walk(s, At::block(block), &mut Scope::default(), visit));
    }

    /// What a block defines.
    fn enter_block(&self, block: Block, scope: &mut Scope) {
        for (variable, value) in self.found.definitions.borrow().get(&block).into_iter().flatten() {
            if block.is_none() {
                // There is no loop around, along which something could slide or a window move.
                scope.push(Binding::Window(*variable, value.clone()));
                continue;
            }
            scope.push(self.binding(block, *variable, value, scope));
            if let Some(high) = self.found.highs.borrow().get(&(block, *variable)) {
                let high = self.by_ends(high, scope);
                scope.push(Binding::Window(self.names_of_highs[variable], high));
            }
        }
    }

    /// With high − min + 1 for the lengths of windows inside of the loops of a scope.
    pub fn by_ends(&self, e: &Expr, scope: &Scope) -> Expr {
        let e = self.with_nothing_done(e, scope);
        let known = |v: Variable| self.known_ends(v, scope).map(|[min, high]| offset(&minus(&high, &min), 1));
        let made = e.substitute(&known);
        if made.is_same(&e) { e } else { simplify(&made) }
    }

    /// The ends of a window inside of the loops of a scope, by the variable of its length.
    fn known_ends(&self, length: Variable, scope: &Scope) -> Option<[Expr; 2]> {
        let name = self.names_of_highs.get(&length).filter(|name| scope.window(**name).is_some())?;
        let Some(Binder::Hole(hole)) = self.nest.binder(length) else { return None };
        let min = self.nest.hole_value(Hole { end: End::Min, ..hole });
        let high = Expr::variable(*name, Element::Int32, min.span());
        Some([min, high])
    }

    /// The greatest coordinate of a window inside of the loops of a scope, if min and length are those of one. What a split by 1
    /// makes has the length of a window, too, but begins at 0.
    fn known_high(&self, min: &Expr, length: &Expr, scope: &Scope) -> Option<Expr> {
        let [first, high] = self.known_ends(length.as_variable()?, scope)?;
        min.is_same(&first).then_some(high)
    }

    /// The last value of [min, +length) inside of the loops of a scope.
    fn last_in(&self, min: &Expr, length: &Expr, scope: &Scope) -> Expr {
        self.known_high(min, length, scope).unwrap_or_else(|| last(min, length))
    }

    fn enter_loop(&self, l: &Loop, scope: &mut Scope) {
        // A loop that has an iteration ranges to the end of its window.
        let high = self.last_in(&l.min, &l.length, scope);
        let is_inhabited = self.is_inhabited(l);
        scope.push(Binding::Loop(l.variable, l.min.clone(), high, is_inhabited));
        if is_inhabited {
            let inhabited = self.found.inhabited.borrow();
            for length in self.splits_into(l.variable).map(|split| &split.length).chain([&l.length]) {
                let loops = length.free_variables().iter().filter_map(|v| inhabited.get(v)).filter(|loops| !loops.is_empty());
                loops.for_each(|loops| self.assume_passed(loops, scope));
            }
        }
    }

    /// The splits that made a loop.
    fn splits_into(&self, part: Variable) -> impl Iterator<Item = &'n Split> {
        self.splits_into.get(&part).into_iter().flatten().copied()
    }

    /// Is the loop known to have an iteration? Its window is not empty, or it is of splits of such loops: the inner one has as many
    /// iterations as its factor says, the outer one as its length needs, and ⌈L / n⌉ is positive if L is.
    fn is_inhabited(&self, l: &Loop) -> bool {
        let is_positive = |length: &Expr| match length.as_variable() {
            Some(v) => self.is_positive_in(l, v),
            None => constant_value(length).is_some_and(|n| n > 0),
        };
        let is_rounded = |length: &Expr| {
            let mentions = length.free_variables();
            let is_quotient = matches!(length.kind(), ExprKind::Binary(..)) && !mentions.is_empty();
            is_quotient && mentions.iter().all(|v| self.is_positive_in(l, *v))
        };
        let mut splits = self.splits_into(l.variable).peekable();
        let is_split = splits.peek().is_some();
        is_positive(&l.length) || is_split && splits.all(|split| is_positive(&split.length) || is_rounded(&split.length))
    }

    /// What holds in the body of a condition.
    fn assume(&self, condition: &Expr, body: &Statement, scope: &mut Scope) {
        if self.nest.cases.iter().any(|case| case.is_same(condition)) {
            // The copies of a func differ in what they do beyond windows, and in nothing else.
            if self.is_overcomputed(body) {
                scope.add(condition.clone(), Condition::Case);
            }
            return;
        }
        match self.nest.splits.iter().find(|split| split.guard.as_ref().is_some_and(|guard| guard.is_same(condition))) {
            Some(split) => scope.add(condition.clone(), Condition::Guard(*split.parts.last().expect("an inner loop"))),
            None => scope.assume(self.guarded(condition)),
        }
    }

    /// Do loops in it leave their windows?
    fn is_overcomputed(&self, statement: &Statement) -> bool {
        let leaves =
            |name: &StageName| self.nest.overcomputed.contains(name) || self.nest.roomy.contains(&(name.func, name.case));
        statement.any(&|s| matches!(s, Statement::Stage(name, _) if leaves(name)))
    }

    fn enter_let(&self, variable: Variable, value: &Expr, scope: &mut Scope) {
        // Stages of a func have the same variables, and splits of their own.
        let is_it = |split: &&&Split| split.parts.iter().all(|part| value.mentions(&|v| v == *part));
        match self.splits_of.get(&variable).into_iter().flatten().find(is_it) {
            Some(&split) => {
                let mut split = split.clone();
                split.low = self.low_of_split(&split, scope);
                let by_ends = self.by_ends(&split.high, scope);
                let first = offset(&minus(&split.high, &split.length), 1);
                if self.known_high(&first, &split.length, scope).is_some() {
                    // It ends with the window, at minimum + length − 1, unless it rounds up.
                    split.high = by_ends;
                } else if self.ends_behind_slide(&split.high, scope) {
                    split.high = extremum(true, &[slide::relaxed(&split.high), slide::relaxed(&by_ends)]);
                } else if !self.has_fixed_length(&split, scope) {
                    // A window that moves and is cut off ends where it ends, rounded up, not where the longest one would.
                    split.high = extremum(true, &[split.high, by_ends]);
                }
                scope.push(Binding::Split(value.clone(), split));
            }
            None => scope.push(Binding::Let(variable, self.guarded(value))),
        }
    }

    /// Has the window that was split the same length in all iterations of the loops of a scope?
    fn has_fixed_length(&self, split: &Split, scope: &Scope) -> bool {
        !split.length.mentions(&|v| scope.window(v).is_some_and(|value| constant_value(value).is_none()))
    }

    /// Where a split begins, in terms of the end of its window. With a shift that is n in front of the end, and no more than
    /// n − 1 in front of the beginning, since what has an iteration has a length of at least 1.
    fn low_of_split(&self, split: &Split, scope: &Scope) -> Expr {
        let length = split.length.as_variable().filter(|v| self.known_ends(*v, scope).is_some());
        let is_length = |v: Variable| Some(v) == length;
        if !split.low.mentions(&is_length) {
            return split.low.clone();
        }
        let one = Expr::int(1, split.low.span());
        let least = simplify(&split.low.substitute(&|v| is_length(v).then(|| one.clone())));
        extremum(false, &[self.by_ends(&split.low, scope), least])
    }

    // ---- Accesses -------------------------------------------------------------------------------------------------

    /// Where all stores of a func go, from a block on; only those that may leave the compute windows.
    pub fn stores(&self, block: Block, func: FuncId) -> Vec<Part> {
        let mut parts = Vec::new();
        self.walk_block_of(block, std::iter::once(func), &mut |statement, _, scope| {
            if let Statement::Store(store) = statement
                && store.stage.func == func
            {
                parts.extend(self.store(store, scope, block));
            }
            // Only what is the production of the func, or contains that.
            !matches!(statement, Statement::Produce(id, _) if *id != func && !self.places[id].inside.contains(&func))
        });
        parts
    }

    /// Where a store goes, unless that is the window of its stage.
    fn store(&self, store: &Store, scope: &Scope, block: Block) -> Option<Part> {
        let func = self.pipeline.func(store.stage.func);
        let stage = &func.stages[store.stage.stage];
        let is_pure = (0..func.variables.len()).all(|d| stage.is_pure_dimension(&func.variables, d));
        if is_pure && !self.nest.overcomputed.contains(&store.stage) {
            return None;
        }
        let source = Source::Func(store.stage.func, 0);
        let place = Place { source, reader: store.stage, span: store.span, block };
        // How many conditions there are that are not just ends of loops.
        let open = |scope: &Scope| Solver::new(scope, self, Some(block)).known.conditions.len();
        let (all, before) = (self.part_of(&store.indices, scope, place, true)?, open(scope));
        let mut narrowed = scope.clone();
        self.clip(store.stage, &mut narrowed);
        let inside = self.part_of(&store.indices, &narrowed, place, false)?;
        // Where what cuts off is more than the end of a loop, it says nothing that it changes nothing.
        let is_cut = open(&narrowed) == before;
        let is_same = |d: usize| all.ends[d] == inside.ends[d] && stage.is_pure_dimension(&func.variables, d);
        (!(is_cut && (0..all.ends.len()).all(is_same))).then_some(all)
    }

    /// x ∈ ?cpu for the pure variables of a stage.
    pub fn clip(&self, stage: StageName, scope: &mut Scope) {
        let func = self.pipeline.func(stage.func);
        for (d, &variable) in func.variables.iter().enumerate() {
            if !func.stages[stage.stage].is_pure_dimension(&func.variables, d) {
                continue;
            }
            let [min, length] = compute_window(self.nest, stage, d);
            let high = self.last_in(&min, &length, scope);
            scope.clip(variable, min, high);
        }
    }
}
