//! `compute_at` and `store_at` (§8.3, §8.4): the loops of a func, and its allocation, move into a loop of another.

use super::super::expr::{ExprKind, FuncId, Source, Variable};
use super::super::loops::ir::{Loop, Order, StageName, Statement};
use super::Scheduler;
use crate::source::Span;
use crate::syntax::ast;

/// A loop, by stage and variable; the whole nest without.
type Site = Option<(StageName, Variable)>;

impl Scheduler<'_> {
    /// `compute_at(target, v)`
    pub fn compute_at_directive(&mut self, func: FuncId, directive: &ast::Directive, arguments: &[ast::Expr]) -> Option<()> {
        let site = self.site(func, directive, arguments)?;
        let name = self.nest.pipeline.func(func).name.clone();
        let reads = self.readers_outside(func, site);
        if let Some((reader, _)) = reads.first() {
            let reader = self.nest.pipeline.func(*reader).name.clone();
            let legal = self.legal_sites(func);
            let message = format!("the loops of `{name}` would not dominate the read in `{reader}`; legal: {legal}");
            return self.refuse_at(directive.span, site.0.func, message);
        }
        if let Some(inner) = self.concurrent_loop_of(func).filter(|_| self.is_inside_vector(site)) {
            let (l, what) = (self.nest.name(inner.variable), if inner.order == Order::Parallel { "parallel" } else { "vector" });
            let message = format!("{what} loop `{l}` of `{name}` would be inside a vector loop");
            return self.refuse_at(directive.span, site.0.func, message);
        }
        self.move_into(func, site, Part::Loops);
        self.placed.push(func);
        if !self.stored.contains(&func) {
            self.move_into(func, site, Part::Allocation);
        }
        Some(())
    }

    /// `store_at(target, v)`
    pub fn store_at_directive(&mut self, func: FuncId, directive: &ast::Directive, arguments: &[ast::Expr]) -> Option<()> {
        let site = self.site(func, directive, arguments)?;
        let name = self.nest.pipeline.func(func).name.clone();
        // The allocation must dominate the loops, and stand outside of them.
        let inside = self.path_to(func);
        if !inside.contains(&site) {
            let message = format!("the storage of `{name}` would be inside of its computation, or beside it");
            return self.refuse_at(directive.span, site.0.func, message);
        }
        let between: Vec<(StageName, Variable)> = inside.iter().skip_while(|s| **s != site).skip(1).copied().collect();
        self.not_shared(func, &between, site.0.func, directive.span)?;
        self.move_into(func, site, Part::Allocation);
        Some(())
    }

    /// A vector or parallel loop in what produces a func.
    fn concurrent_loop_of(&self, func: FuncId) -> Option<Loop> {
        let mut found = None;
        self.nest.body.walk(&mut |s| {
            if let Statement::Produce(id, body) = s
                && *id == func
            {
                body.walk(&mut |part| {
                    if let Statement::For(l) = part
                        && matches!(l.order, Order::Parallel | Order::Vector(_))
                    {
                        found.get_or_insert_with(|| (**l).clone());
                    }
                });
            }
        });
        found
    }

    /// `store_root()`: where the allocation is unless something moved it.
    pub fn store_root_directive(&mut self, func: FuncId, directive: &ast::Directive) -> Option<()> {
        self.arity(directive, 0, 0)?;
        let around = self.path_to(func);
        match around.first() {
            Some((stage, _)) => self.not_shared(func, &around, stage.func, directive.span),
            None => Some(()),
        }
    }

    /// Refuses storage of `func` outside of loops whose iterations run at the same time, in `reader`.
    fn not_shared(&mut self, func: FuncId, loops: &[(StageName, Variable)], reader: FuncId, span: Span) -> Option<()> {
        let Some(l) = self.forbidden(loops) else { return Some(()) };
        let (name, l) = (self.nest.pipeline.func(func).name.clone(), self.nest.name(l).to_owned());
        let message = format!("the storage of `{name}` would be shared by the iterations of `{l}`, which run at the same time");
        self.refuse_at(span, reader, message)
    }

    /// The outermost of these loops whose iterations run at the same time. Looked at when all is placed.
    fn forbidden(&self, loops: &[(StageName, Variable)]) -> Option<Variable> {
        let mut found = None;
        self.nest.body.walk(&mut |s| {
            if let Statement::For(l) = s
                && loops.contains(&(l.stage, l.variable))
                && matches!(l.order, Order::Parallel | Order::Vector(_))
            {
                found.get_or_insert(l.variable);
            }
        });
        found
    }

    fn site(&mut self, func: FuncId, directive: &ast::Directive, arguments: &[ast::Expr]) -> Option<(StageName, Variable)> {
        self.arity(directive, 2, 2)?;
        let stage = self.stage_argument(&arguments[0])?;
        let name = self.nest.pipeline.func(func).name.clone();
        if stage.func == func {
            self.refuse(directive.span, format!("`{name}` is not computed inside of itself"))?;
        }
        if self.nest.pipeline.outputs.contains(&func) {
            self.refuse(directive.span, format!("`{name}` is an output, which is computed at the root"))?;
        }
        if self.nest.inlined.contains(&stage.func) {
            let target = self.nest.pipeline.func(stage.func).name.clone();
            self.refuse(arguments[0].span, format!("`{target}` is inlined, and has no loops"))?;
        }
        if stage.func < func {
            let target = self.nest.pipeline.func(stage.func).name.clone();
            self.refuse(arguments[0].span, format!("`{target}` comes before `{name}`, and does not read it"))?;
        }
        let v = self.loop_argument(stage, &arguments[1])?;
        Some((stage, v))
    }

    /// The loops around the loops of a func, the outermost first.
    fn path_to(&self, func: FuncId) -> Vec<(StageName, Variable)> {
        fn walk(statement: &Statement, func: FuncId, path: &mut Vec<(StageName, Variable)>) -> bool {
            match statement {
                Statement::Produce(id, _) if *id == func => true,
                Statement::For(l) => {
                    path.push((l.stage, l.variable));
                    if walk(&l.body, func, path) {
                        return true;
                    }
                    path.pop();
                    false
                }
                other => other.children().into_iter().any(|child| walk(child, func, path)),
            }
        }
        let mut path = Vec::new();
        walk(&self.nest.body, func, &mut path);
        path
    }

    fn is_inside_vector(&self, site: (StageName, Variable)) -> bool {
        fn walk(statement: &Statement, site: (StageName, Variable), vector: bool) -> bool {
            match statement {
                Statement::For(l) => {
                    let vector = vector || matches!(l.order, Order::Vector(_));
                    ((l.stage, l.variable) == site && vector) || walk(&l.body, site, vector)
                }
                other => other.children().into_iter().any(|child| walk(child, site, vector)),
            }
        }
        walk(&self.nest.body, site, false)
    }

    /// Reads of a func by others that are not inside of a loop.
    fn readers_outside(&self, func: FuncId, site: (StageName, Variable)) -> Vec<(FuncId, Span)> {
        let mut all = Vec::new();
        self.reads(&self.nest.body, func, Some(site), None, &mut all);
        all
    }

    fn reads(&self, statement: &Statement, func: FuncId, except: Site, stage: Option<FuncId>, all: &mut Vec<(FuncId, Span)>) {
        let mut inner = stage;
        match statement {
            Statement::For(l) if Some((l.stage, l.variable)) == except => return,
            Statement::Stage(name, _) => inner = Some(name.func),
            _ => {}
        }
        for e in statement.expressions() {
            e.walk(&mut |part| {
                if let ExprKind::Read(Source::Func(read, _), _) = part.kind()
                    && *read == func
                    && let Some(reader) = stage.filter(|reader| *reader != func)
                {
                    all.push((reader, part.span()));
                }
            });
        }
        statement.children().into_iter().for_each(|child| self.reads(child, func, except, inner, all));
    }

    /// The places that dominate every read.
    fn legal_sites(&self, func: FuncId) -> String {
        let mut sites = vec!["root".to_owned()];
        let mut loops = Vec::new();
        self.nest.body.walk(&mut |s| {
            if let Statement::For(l) = s {
                loops.push((l.stage, l.variable));
            }
        });
        for (stage, v) in loops {
            if stage.func != func && self.readers_outside(func, (stage, v)).is_empty() {
                let target = &self.nest.pipeline.func(stage.func).name;
                sites.push(format!("{target} at {}", self.nest.name(v)));
            }
        }
        sites.join(", ")
    }

    fn move_into(&mut self, func: FuncId, site: (StageName, Variable), part: Part) {
        let mut taken = None;
        let without = take(&self.nest.body, func, part, &mut taken);
        let moved = taken.expect("a func has loops and an allocation");
        self.nest.body = put(&without, site, &moved);
    }
}

/// What moves.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    Loops,
    Allocation,
}

fn take(statement: &Statement, func: FuncId, part: Part, taken: &mut Option<Statement>) -> Statement {
    let is_it = match statement {
        Statement::Produce(id, _) => part == Part::Loops && *id == func,
        Statement::Allocate(id) => part == Part::Allocation && *id == func,
        _ => false,
    };
    if is_it {
        *taken = Some(statement.clone());
        return Statement::Nop;
    }
    match statement {
        Statement::Sequence(list) => {
            let list = list.iter().map(|s| take(s, func, part, taken)).filter(|s| !matches!(s, Statement::Nop));
            Statement::Sequence(list.collect())
        }
        other => other.with_children(|child| take(child, func, part, taken)),
    }
}

/// Puts it just inside of a loop: behind the conditions and `let`s of splits there, in front of the funcs that come later.
fn put(statement: &Statement, site: (StageName, Variable), moved: &Statement) -> Statement {
    match statement {
        Statement::For(l) if (l.stage, l.variable) == site => {
            let mut made = (**l).clone();
            made.body = inside(&l.body, moved);
            Statement::For(Box::new(made))
        }
        other => other.with_children(|child| put(child, site, moved)),
    }
}

fn inside(statement: &Statement, moved: &Statement) -> Statement {
    match statement {
        Statement::If(condition, body) if !condition.reads_or_calls() => {
            Statement::If(condition.clone(), Box::new(inside(body, moved)))
        }
        Statement::Let(variable, value, body) if !value.reads_or_calls() => {
            Statement::Let(*variable, value.clone(), Box::new(inside(body, moved)))
        }
        Statement::Sequence(list) if super::super::bounds::is_block(list) => {
            // Allocations before loops, funcs in order.
            let key = |s: &Statement| match s {
                Statement::Allocate(id) => (0, id.0, 0),
                Statement::Produce(id, _) => (0, id.0, 1),
                _ => (1, 0, 0),
            };
            let mut list = list.clone();
            list.push(moved.clone());
            list.sort_by_key(key);
            Statement::Sequence(list)
        }
        other => Statement::Sequence(vec![moved.clone(), other.clone()]),
    }
}
