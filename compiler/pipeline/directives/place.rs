//! `compute_at` and `store_at` (§8.3, §8.4): the loops of a func, and its allocation, move into a loop of another.
//! `fold_storage`: what it asks for is kept until the windows are known.

use super::super::expr::{FuncId, Variable};
use super::super::loops::ir::{Fold, Order, StageName, Statement};
use super::super::simplify::{constant_value, simplify};
use super::parse::{Directive, Step};
use super::state::Scheduler;
use crate::source::Span;

/// A loop, by stage and variable.
type Site = (StageName, Variable);

/// Loops in one another, the outermost first, and how they run.
type Path = Vec<(Site, Order)>;

impl Scheduler<'_> {
    /// `compute_at(target, v)`, `compute_root()`: all such directives of a func. In a func that has copies, one nest stands in
    /// each.
    pub fn compute(&mut self, func: FuncId, steps: &[Step<'_>]) -> Option<()> {
        let named = self.sites(func, steps, "computed")?;
        let name = self.nest.pipeline.func(func).name.clone();
        let clashes = |a: &Site, b: &Site| a.0.func != b.0.func || a.0.case == b.0.case;
        if let Some(k) = (1..named.len()).find(|&k| named[..k].iter().any(|(known, _)| clashes(&named[k].0, known))) {
            let message = format!("`{name}` is computed in one loop, or in one loop of each copy of a func");
            return self.refuse(named[k].1, message);
        }
        let sites: Vec<Site> = named.iter().map(|(site, _)| *site).collect();
        let Some(&(last, span)) = named.last() else { return Some(()) };
        if let Some(reader) = self.reader_outside(func, &sites) {
            let reader = self.nest.pipeline.func(reader).name.clone();
            let legal = self.legal_sites(func);
            let message = format!("the loops of `{name}` would not dominate the read in `{reader}`; legal: {legal}");
            return self.refuse_at(span, last.0.func, message);
        }
        let own = self.stages_of(func);
        let inner = own.iter().flat_map(|stage| self.loops(*stage)).find(|l| is_concurrent(l.order));
        let is_inside_vector = |site: &Site| {
            let paths = self.paths(&|s| matches!(s, Statement::For(l) if (l.stage, l.variable) == *site));
            paths.iter().flatten().any(|(_, order)| matches!(order, Order::Vector(_)))
        };
        if let Some(inner) = inner
            && let Some((site, span)) = named.iter().find(|(site, _)| is_inside_vector(site))
        {
            let (l, what) = (self.nest.name(inner.variable), if inner.order == Order::Parallel { "parallel" } else { "vector" });
            let message = format!("{what} loop `{l}` of `{name}` would be inside a vector loop");
            return self.refuse_at(*span, site.0.func, message);
        }
        self.move_into(func, &sites, Part::Loops);
        if !self.stored.contains(&func) {
            self.move_into(func, &sites, Part::Allocation);
        }
        Some(())
    }

    /// Computes a func in the loops over lanes of the func that reads it, if these are vectors of its dimension 0 inside of its window and there are no other reads.
    pub fn compute_in_lanes(&mut self, func: FuncId, reader: FuncId) -> bool {
        let dimension = self.nest.pipeline.func(reader).variables[0];
        let mut sites: Vec<Site> = Vec::new();
        let mut are_right = true;
        self.nest.body.walk(&mut |s| {
            if let Statement::For(l) = s
                && l.stage.func == reader
                && matches!(l.order, Order::Vector(_))
            {
                are_right &= self.is_part_of(l.variable, dimension);
                sites.push((l.stage, l.variable));
            }
        });
        // Points beyond the window of the reader would ask for more than there is.
        are_right &= !self.nest.overcomputed.iter().any(|stage| stage.func == reader);
        if sites.is_empty() || !are_right || self.reader_outside(func, &sites).is_some() {
            return false;
        }
        self.move_into(func, &sites, Part::Loops);
        self.move_into(func, &sites, Part::Allocation);
        true
    }

    /// Is a loop what splits made of that of a variable, or that itself?
    fn is_part_of(&self, v: Variable, of: Variable) -> bool {
        v == of || self.nest.splits.iter().any(|split| split.parts.contains(&v) && self.is_part_of(split.variable, of))
    }

    /// `store_at(target, v)`, `store_root()`: all such directives of a func.
    pub fn store(&mut self, func: FuncId, steps: &[Step<'_>]) -> Option<()> {
        let named = self.sites(func, steps, "stored")?;
        let name = self.nest.pipeline.func(func).name.clone();
        let paths = self.paths(&|s| s.produces(func));
        // The allocation must dominate the loops, and stand outside of them: at one place for each.
        let is_on = |path: &&Path, list: &[(Site, Span)]| path.iter().any(|(v, _)| list.iter().any(|(site, _)| site == v));
        let is_wrong = |k: &usize| {
            let own: Vec<&Path> = paths.iter().filter(|path| is_on(path, &named[*k..=*k])).collect();
            own.is_empty() || own.iter().any(|path| is_on(path, &named[..*k]))
        };
        let last = named.len().checked_sub(1).filter(|_| !paths.iter().all(|path| is_on(&path, &named)));
        if let Some(k) = (0..named.len()).find(is_wrong).or(last) {
            let (site, span) = named[k];
            let message = format!("the storage of `{name}` would be inside of its computation, or beside it");
            return self.refuse_at(span, site.0.func, message);
        }
        let root = steps.last().expect("a directive").directive.span;
        for path in &paths {
            // At the root, where the allocation is unless something moved it, all loops are inside.
            let at = path
                .iter()
                .enumerate()
                .find_map(|(at, (site, _))| named.iter().find(|(known, _)| known == site).map(|(_, span)| (at + 1, *span)));
            let (first, span) = at.unwrap_or((0, root));
            if let Some(((_, l), _)) = path[first..].iter().find(|(_, order)| is_concurrent(*order)) {
                let l = self.nest.name(*l).to_owned();
                let message =
                    format!("the storage of `{name}` would be shared by the iterations of `{l}`, which run at the same time");
                return self.refuse_at(span, path[first.saturating_sub(1)].0.0.func, message);
            }
        }
        if !named.is_empty() {
            let sites: Vec<Site> = named.iter().map(|(site, _)| *site).collect();
            self.move_into(func, &sites, Part::Allocation);
        }
        Some(())
    }

    /// `fold_storage(x, F)`
    pub fn fold_storage(&mut self, func: FuncId, it: &Directive<'_>) -> Option<()> {
        let ([name], [factor], span) = (it.names(), it.numbers(), it.span);
        let dimension = self.dimension(func, name)?;
        if let Some(other) = self.nest.fold(func) {
            let func = self.nest.pipeline.func(func);
            let message = format!(
                "the storage of `{}` is folded in `{}` already",
                func.name,
                self.nest.name(func.variables[other.dimension])
            );
            return self.refuse(span, message);
        }
        let place = factor.span;
        let factor = simplify(&self.startup(factor)?);
        if let Some(n) = constant_value(&factor)
            && !(n > 0 && n.count_ones() == 1)
        {
            return self.refuse(place, format!("storage is folded by a power of two, and {n} is none"));
        }
        self.nest.folds.push(Fold { func, dimension, factor, least: 1, span: Some(span) });
        Some(())
    }

    /// The loops that directives name, one each or that of each copy, with the places of the directives.
    fn sites(&mut self, func: FuncId, steps: &[Step<'_>], done: &str) -> Option<Vec<(Site, Span)>> {
        let name = self.nest.pipeline.func(func).name.clone();
        let mut sites = Vec::new();
        for Step { target: own, directive, .. } in steps {
            let span = directive.span;
            if own.copy.is_some() {
                return self.refuse(span, format!("all copies of `{name}` are {done} at one place: name the func alone"));
            }
            let ([of], [site]) = (&directive.names[..], &directive.others[..]) else { continue };
            let target = self.target_argument(site)?;
            if target.func == func {
                return self.refuse(span, format!("`{name}` is not computed inside of itself"));
            }
            if self.nest.pipeline.outputs.contains(&func) {
                return self.refuse(span, format!("`{name}` is an output, which is computed at the root"));
            }
            let other = self.nest.pipeline.func(target.func).name.clone();
            if self.nest.absent.contains(&target.func) {
                return self.refuse(site.span, format!("`{other}` is inlined, and has no loops"));
            }
            if target.func < func {
                return self.refuse(site.span, format!("`{other}` comes before `{name}`, and does not read it"));
            }
            for stage in self.stages(target)? {
                let made = (stage, self.loop_argument(stage, of)?);
                if sites.iter().all(|(known, _)| *known != made) {
                    sites.push((made, span));
                }
            }
        }
        Some(sites)
    }

    /// For each statement of a kind the loops around it, the outermost first; a loop is among its own.
    fn paths(&self, is_one: &dyn Fn(&Statement) -> bool) -> Vec<Path> {
        fn walk(statement: &Statement, is_one: &dyn Fn(&Statement) -> bool, path: &mut Path, all: &mut Vec<Path>) {
            let outside = path.len();
            if let Statement::For(l) = statement {
                path.push(((l.stage, l.variable), l.order));
            }
            if is_one(statement) {
                all.push(path.clone());
            }
            statement.children().into_iter().for_each(|child| walk(child, is_one, path, all));
            path.truncate(outside);
        }
        let mut all = Vec::new();
        walk(&self.nest.body, is_one, &mut Vec::new(), &mut all);
        all
    }

    /// The first other func that reads one outside of these loops.
    fn reader_outside(&self, func: FuncId, sites: &[Site]) -> Option<FuncId> {
        fn find(statement: &Statement, func: FuncId, except: &[Site], reader: Option<FuncId>) -> Option<FuncId> {
            if matches!(statement, Statement::For(l) if except.contains(&(l.stage, l.variable))) {
                return None;
            }
            if reader.is_some_and(|reader| reader != func) && statement.expressions().iter().any(|e| e.reads_func(func)) {
                return reader;
            }
            let reader = if let Statement::Stage(name, _) = statement { Some(name.func) } else { reader };
            statement.children().into_iter().find_map(|child| find(child, func, except, reader))
        }
        find(&self.nest.body, func, sites, None)
    }

    /// The places that dominate every read.
    fn legal_sites(&self, func: FuncId) -> String {
        // Loops of one name in the copies of a stage are one place.
        let mut places: Vec<(FuncId, usize, String, Vec<Site>)> = Vec::new();
        self.nest.body.walk(&mut |s| {
            let Statement::For(l) = s else { return };
            let (id, stage, name) = (l.stage.func, l.stage.stage, self.nest.name(l.variable));
            match places.iter_mut().find(|place| (place.0, place.1, &*place.2) == (id, stage, name)) {
                Some((.., sites)) => sites.push((l.stage, l.variable)),
                None => places.push((id, stage, name.to_owned(), vec![(l.stage, l.variable)])),
            }
        });
        let mut legal = vec!["root".to_owned()];
        for (id, stage, name, sites) in places {
            if id != func && self.reader_outside(func, &sites).is_none() {
                let update = if stage > 0 { format!(".update({})", stage - 1) } else { String::new() };
                legal.push(format!("{}{update} at {name}", self.nest.pipeline.func(id).name));
            }
        }
        legal.join(", ")
    }

    /// Puts the loops or the allocation of a func into these loops, a copy into each.
    fn move_into(&mut self, func: FuncId, sites: &[Site], part: Part) {
        let mut taken = None;
        self.nest.body = self.nest.body.without(&mut |s| {
            let is_it = match part {
                Part::Loops => s.produces(func),
                Part::Allocation => matches!(s, Statement::Allocate(id, _) if *id == func),
            };
            if is_it {
                taken = Some(s.clone());
            }
            is_it
        });
        let moved = taken.expect("a func has loops and an allocation");
        let own = self.copies.get(&func).copied().unwrap_or(1);
        let of_func = |list: &[StageName]| -> Vec<StageName> { list.iter().filter(|name| name.func == func).copied().collect() };
        let (overcomputed, atomic) = (of_func(&self.nest.overcomputed), of_func(&self.nest.atomic));
        for (k, &site) in sites.iter().enumerate() {
            let number = |case: usize| k * own + case;
            let is_it = |s: &Statement| matches!(s, Statement::For(l) if (l.stage, l.variable) == site);
            let copy = moved.copied(func, &number);
            self.nest.body = self.nest.body.with_bodies(&is_it, &|body| inside(body, &copy));
            if k > 0 && part == Part::Loops {
                let copy = |name: &StageName| StageName { case: number(name.case), ..*name };
                self.nest.overcomputed.extend(overcomputed.iter().map(copy));
                self.nest.atomic.extend(atomic.iter().map(copy));
            }
        }
    }
}

/// Do iterations run at the same time?
fn is_concurrent(order: Order) -> bool {
    matches!(order, Order::Parallel | Order::Vector(_))
}

/// What moves.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    Loops,
    Allocation,
}

/// Just inside of a loop: behind the conditions and `let`s of splits there, in front of the funcs that come later.
fn inside(statement: &Statement, moved: &Statement) -> Statement {
    if let Statement::If(e, _) | Statement::Let(_, e, _) = statement
        && !e.reads_or_calls()
    {
        return statement.with_children(|body| inside(body, moved));
    }
    let Some(list) = statement.as_block() else { return Statement::Sequence(vec![moved.clone(), statement.clone()]) };
    // Allocations before loops, funcs in order.
    let key = |s: &Statement| {
        let (Statement::Allocate(id, _) | Statement::Produce(id, _)) = s else { return (1, 0, false) };
        (0, id.0, matches!(s, Statement::Produce(..)))
    };
    let mut list = [list, std::slice::from_ref(moved)].concat();
    list.sort_by_key(key);
    Statement::Sequence(list)
}
