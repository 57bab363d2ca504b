//! `split`, `fuse`, `tile`, `vectorize`, `unroll`.

use super::super::expr::{Expr, ExprKind, Source, Variable};
use super::super::loops::ir::{Binder, Fit, Loop, Order, Overcompute, Split, StageName};
use super::super::simplify::{constant_value, minus, offset, plus, simplify};
use super::chain::Between;
use super::parse::Directive;
use super::state::{Outputs, Scheduler};
use super::target::Tail;
use crate::source::Span;
use crate::typed::ir::{BinaryOp, CompareOp, LaneOp};
use crate::types::Element;

impl Scheduler<'_> {
    /// `split(v, o, i, n[, tail])`
    pub fn split_directive(&mut self, stage: StageName, it: &Directive<'_>) -> Option<()> {
        let [of, outer, inner] = it.names();
        let v = self.loop_argument(stage, of)?;
        self.new_loop_names(stage, &[outer, inner], &[v])?;
        let n = self.factor(it.others[0])?;
        self.split(stage, v, (&outer.text, &inner.text), n, it.tail, it.span).map(|_| ())
    }

    /// Splits a loop; the variables of the new ones.
    pub fn split(
        &mut self,
        stage: StageName,
        v: Variable,
        names: (&str, &str),
        n: Expr,
        tail: Tail,
        span: Span,
    ) -> Option<(Variable, Variable)> {
        let mut chain = self.nest.chain(stage);
        let at = chain.place(v);
        let old = chain.loops[at].clone();
        let name = self.nest.pipeline.func(stage.func).name.clone();
        if matches!(old.order, Order::Vector(_) | Order::Unrolled) {
            let what = if old.order == Order::Unrolled { "unrolled" } else { "a vector loop" };
            return self.refuse_at(span, stage.func, format!("loop `{}` of `{name}` is {what} already", self.nest.name(v)));
        }
        let blocks = self.whole_blocks(&n, &old.length);
        let tail = match tail {
            _ if blocks.is_some() => None,
            Tail::Auto if self.may_round(stage, &old) => Some(Tail::Round),
            Tail::Auto => Some(Tail::Guard),
            Tail::Shift | Tail::Round => {
                self.may_overcompute(stage, &old, tail == Tail::Shift, span)?;
                Some(tail)
            }
            Tail::Guard => Some(Tail::Guard),
        };
        // What is asked of the window is asked at the start; a copy of a func may not run at all.
        let is_roomy = tail == Some(Tail::Shift) && self.nest.roomy.contains(&(stage.func, stage.case));
        let is_output = self.nest.pipeline.outputs.contains(&stage.func) && !self.copies.contains_key(&stage.func) || is_roomy;
        let fits = matches!(tail, Some(Tail::Shift | Tail::Round)) && is_output && self.outputs == Outputs::AsAsked;
        let o = self.nest.new_variable(names.0, Binder::Loop);
        let i = self.nest.new_variable(names.1, Binder::Loop);
        let int = |v: Variable| Expr::variable(v, Element::Int32, span);
        let sum = |a: Expr, b: Expr| Expr::binary(BinaryOp::Add, a, b);
        let (m, length) = (old.min.clone(), old.length.clone());
        let first = Expr::binary(BinaryOp::Multiply, int(o), n.clone());
        let rounded = || Expr::binary(BinaryOp::Divide, sum(length.clone(), offset(&n, -1)), n.clone());
        let count = blocks.unwrap_or_else(|| simplify(&rounded()));
        let mut between = Vec::new();
        let mut made_guard = None;
        let start = match tail {
            Some(Tail::Shift) => Expr::builtin(LaneOp::Min, vec![first.clone(), minus(&length, &n)]),
            _ => first.clone(),
        };
        if tail == Some(Tail::Guard) {
            let guard = Expr::compare(CompareOp::Less, sum(first, int(i)), length.clone());
            between.push(Between::If(guard.clone()));
            made_guard = Some(guard);
        }
        between.push(Between::Let(v, sum(sum(m.clone(), start), int(i))));
        // Where the loops range as a whole, the variable does: over the window, and beyond it where a tail says so.
        let whole = simplify(&Expr::binary(BinaryOp::Multiply, count.clone(), n.clone()));
        let last = offset(&plus(&m, &length), -1);
        let (low, high) = match tail {
            Some(Tail::Round) if !fits => (m.clone(), offset(&plus(&m, &whole), -1)),
            Some(Tail::Shift) if !fits => {
                // A window that is shorter than n begins before its minimum.
                let shift = Expr::builtin(LaneOp::Min, vec![Expr::int(0, span), minus(&length, &n)]);
                (plus(&m, &shift), last)
            }
            _ => (m.clone(), last),
        };
        if is_roomy && fits {
            // Its condition says so.
        } else if fits {
            let is_shift = tail == Some(Tail::Shift);
            let fit = Fit { func: stage.func, variable: v, length: length.clone(), factor: n.clone(), is_shift };
            self.nest.fits.push(fit);
        } else if matches!(tail, Some(Tail::Shift | Tail::Round)) {
            self.nest.overcomputed.push(stage);
            let dimensions = self.dimensions_of(stage, v);
            let is_shift = tail == Some(Tail::Shift);
            self.nest.tails.push(Overcompute { func: stage.func, dimensions, is_shift, span });
            self.forget_splits_of(v);
        }
        self.nest.splits.push(Split { variable: v, low, high, parts: vec![o, i], length, guard: made_guard });
        let outer = Loop { variable: o, min: Expr::int(0, span), length: count, ..old.clone() };
        let inner = Loop { variable: i, min: Expr::int(0, span), length: n, ..old };
        chain.loops.splice(at..=at, [outer, inner]);
        // They come before what needs v.
        chain.between.splice(0..0, between);
        self.nest.set_chain(stage, &chain);
        Some((o, i))
    }

    /// The dimensions whose coordinates are computed from a loop.
    fn dimensions_of(&self, stage: StageName, v: Variable) -> Vec<usize> {
        let mut moved = vec![v];
        for between in &self.nest.chain(stage).between {
            if let Between::Let(variable, value) = between
                && value.mentions(&|part| moved.contains(&part))
            {
                moved.push(*variable);
            }
        }
        let variables = &self.nest.pipeline.func(stage.func).variables;
        (0..variables.len()).filter(|&d| moved.contains(&variables[d])).collect()
    }

    /// A loop of a split leaves its interval, so that what was computed from it may leave its own.
    fn forget_splits_of(&mut self, v: Variable) {
        let above: Vec<Variable> =
            self.nest.splits.iter().filter(|split| split.parts.contains(&v)).map(|split| split.variable).collect();
        self.nest.splits.retain(|split| !split.parts.contains(&v));
        above.into_iter().for_each(|variable| self.forget_splits_of(variable));
    }

    /// Is computing points beyond the window harmless? Of an update, too, where the loop is over a pure variable: by Definition
    /// 4.2 its instances at a coordinate touch that coordinate alone, and nobody asks for one behind the window. What is behind the
    /// end of the inner loop of a split is the beginning of the next one, where an update would be applied again.
    fn may_round(&self, stage: StageName, l: &Loop) -> bool {
        let pipeline = &self.nest.pipeline;
        let func = pipeline.func(stage.func);
        let body = &func.stages[stage.stage];
        // The memory of a caller, that of another output too, has its window and no more.
        let mut reads_caller = false;
        let mut is_partial = false;
        // What decides is needed beyond the window, too, and with it, perhaps, more of an input than there is (§7.1).
        let mut read_decides = false;
        let mut deciding = |e: &Expr| {
            read_decides |= e.any(&|part| matches!(part.kind(), ExprKind::Read(Source::Func(..), _)));
        };
        body.guard.iter().chain(&body.predicate).chain(&body.indices).for_each(&mut deciding);
        for e in body.expressions() {
            e.walk(&mut |part| {
                if let ExprKind::Read(source, indices) = part.kind() {
                    reads_caller |= match source {
                        Source::Input(_) => true,
                        Source::Func(read, _) => pipeline.outputs.contains(read),
                    };
                    indices.iter().for_each(&mut deciding);
                }
                part.decider().into_iter().for_each(&mut deciding);
                is_partial |= is_partial_call(part);
            });
        }
        let is_harmless = !reads_caller && !read_decides && !is_partial;
        // Where the other coordinates follow from that of the loop, points behind the window store where others do, or nowhere.
        let varies = |v: Variable| func.variables.contains(&v) || body.lets.iter().any(|(variable, _)| *variable == v);
        let keeps_to_itself =
            (0..func.variables.len()).all(|d| body.is_pure_dimension(&func.variables, d) || !body.indices[d].mentions(&varies));
        // What has storage of its own place may slide.
        let may_slide = self.stored.contains(&stage.func);
        let is_inner = !pipeline.outputs.contains(&stage.func) && !may_slide;
        let is_repeated = stage.stage > 0 && self.is_part_of_more(l.variable);
        l.is_pure && keeps_to_itself && is_inner && is_harmless && !is_repeated
    }

    /// Do other iterations of the same loops go on where this one ends? It is the inner loop of a split, or of such.
    fn is_part_of_more(&self, v: Variable) -> bool {
        let mut splits = self.nest.splits.iter().filter(|split| split.parts.contains(&v));
        splits.any(|split| split.parts.len() > 1 && split.parts.last() == Some(&v) || self.is_part_of_more(split.variable))
    }

    /// Shifting and rounding are for pure stages (§8.2), and for what ends on whatever it is given.
    fn may_overcompute(&mut self, stage: StageName, l: &Loop, is_shift: bool, span: Span) -> Option<()> {
        let pipeline = self.nest.pipeline.clone();
        let func = pipeline.func(stage.func);
        let word = if is_shift { "shift" } else { "round" };
        if stage.stage > 0 || !l.is_pure {
            let what = if l.is_pure { "an update" } else { "a reduction" };
            return self.refuse_at(span, stage.func, format!("{word} would apply {what} of `{}` twice; use guard", func.name));
        }
        let partial = func.stages[0].expressions().find_map(|e| e.find(&is_partial_call)).filter(|_| !is_shift);
        if let Some(ExprKind::Call(callee, _)) = partial.map(Expr::kind) {
            let callee = &callee.name;
            let message = format!(
                "`{}` calls `{callee}`, which may not end on values that are not set; round computes beyond the window: use guard",
                func.name
            );
            return self.refuse(span, message);
        }
        Some(())
    }

    /// `fuse(i, o, t)`: two adjacent loops become one.
    pub fn fuse(&mut self, stage: StageName, it: &Directive<'_>) -> Option<()> {
        let ([inner, outer, fused], span) = (it.names(), it.span);
        let inner = self.loop_argument(stage, inner)?;
        let outer = self.loop_argument(stage, outer)?;
        self.new_loop_names(stage, &[fused], &[inner, outer])?;
        let mut chain = self.nest.chain(stage);
        let (at, next) = (chain.place(outer), chain.place(inner));
        if next != at + 1 {
            let names = (self.nest.name(inner).to_owned(), self.nest.name(outer).to_owned());
            let message = format!(
                "the loops `{}` and `{}` are not adjacent: the first one stands directly in the second",
                names.0, names.1
            );
            return self.refuse_at(span, stage.func, message);
        }
        let (o, i) = (chain.loops[at].clone(), chain.loops[next].clone());
        if o.is_pure != i.is_pure {
            return self.refuse_at(span, stage.func, "a pure and a reduction loop are not fused");
        }
        if [o.order, i.order].iter().any(|order| matches!(order, Order::Vector(_) | Order::Unrolled)) {
            return self.refuse_at(span, stage.func, "vector loops and unrolled loops are not fused");
        }
        let t = self.nest.new_variable(&fused.text, Binder::Loop);
        let value = |v: Variable| Expr::variable(v, Element::Int32, span);
        let length = Expr::binary(BinaryOp::Multiply, i.length.clone(), o.length.clone());
        let of = |op, min: &Expr| Expr::binary(BinaryOp::Add, min.clone(), Expr::binary(op, value(t), i.length.clone()));
        let between = [Between::Let(outer, of(BinaryOp::Divide, &o.min)), Between::Let(inner, of(BinaryOp::Remainder, &i.min))];
        for l in [&o, &i] {
            let high = offset(&plus(&l.min, &l.length), -1);
            let length = l.length.clone();
            self.nest.splits.push(Split { variable: l.variable, low: l.min.clone(), high, parts: vec![t], length, guard: None });
        }
        let fused = Loop { variable: t, min: Expr::int(0, span), length: simplify(&length), ..o };
        chain.loops.splice(at..=next, [fused]);
        chain.between.splice(0..0, between);
        self.nest.set_chain(stage, &chain);
        Some(())
    }

    /// `tile(x, y, xo, yo, xi, yi, a, b[, tail])`: two splits, then the inner loops inside.
    pub fn tile(&mut self, stage: StageName, it: &Directive<'_>) -> Option<()> {
        let ([x, y, xo, yo, xi, yi], [a, b]) = (it.names(), it.numbers());
        let first = self.loop_argument(stage, x)?;
        let second = self.loop_argument(stage, y)?;
        if first == second {
            return self.refuse(y.span, format!("loop `{}` is named twice", y.text));
        }
        let (x, y) = (first, second);
        self.new_loop_names(stage, &[xo, yo, xi, yi], &[x, y])?;
        let (a, b) = (self.factor(a)?, self.factor(b)?);
        let (xo, xi) = self.split(stage, x, (&xo.text, &xi.text), a, it.tail, it.span)?;
        let (yo, yi) = self.split(stage, y, (&yo.text, &yi.text), b, it.tail, it.span)?;
        self.reorder(stage, &[xi, yi, xo, yo], it.span)
    }

    /// `vectorize(v[, N[, tail]])`
    pub fn vectorize(&mut self, stage: StageName, it: &Directive<'_>) -> Option<()> {
        let mut v = self.loop_argument(stage, it.names[0])?;
        if let Some(e) = it.others.first() {
            let lanes = self.lanes(e)?;
            if lanes == 1 {
                return Some(());
            }
            v = self.vector_split(stage, v, lanes, it.tail, it.span)?;
        }
        self.mark_vector(stage, v, it.span)
    }

    /// Splits off so many lanes; the outer loop keeps the name.
    pub fn vector_split(&mut self, stage: StageName, v: Variable, lanes: u8, tail: Tail, span: Span) -> Option<Variable> {
        self.split_off(stage, v, "lane", Expr::int(i64::from(lanes), span), tail, span)
    }

    /// Splits off an inner loop of n iterations, `v.suffix`; the outer loop keeps the name.
    fn split_off(&mut self, stage: StageName, v: Variable, suffix: &str, n: Expr, tail: Tail, span: Span) -> Option<Variable> {
        let name = self.nest.name(v).to_owned();
        let inner = format!("{name}.{suffix}");
        self.split(stage, v, (&name, &inner), n, tail, span).map(|(_, i)| i)
    }

    /// Marks a loop as a vector loop.
    pub fn mark_vector(&mut self, stage: StageName, v: Variable, span: Span) -> Option<()> {
        let chain = self.nest.chain(stage);
        let l = &chain.loops[chain.place(v)];
        let name = self.nest.name(v).to_owned();
        if !l.is_pure && !self.nest.atomic.contains(&stage) {
            let func = self.nest.pipeline.func(stage.func).name.clone();
            let message =
                format!("`{name}` is a reduction loop of `{func}`, whose iterations depend on one another: it needs atomic()");
            return self.refuse_at(span, stage.func, message);
        }
        let lanes = match constant_value(&simplify(&l.length)) {
            Some(n) if (1..=64).contains(&n) && (n as u64).is_power_of_two() => n as u8,
            _ => {
                let message = format!("a vector loop has a constant number of lanes, a power of two up to 64: split `{name}`");
                return self.refuse_at(span, stage.func, message);
            }
        };
        if let Some(other) = chain.loops.iter().find(|l| matches!(l.order, Order::Vector(_))) {
            let other = self.nest.name(other.variable).to_owned();
            let message = format!("vector loop inside a vector loop (`{other}`); fuse first");
            return self.refuse_at(span, stage.func, message);
        }
        self.mark(stage, v, Order::Vector(lanes));
        Some(())
    }

    /// `unroll(v[, n[, tail]])`
    pub fn unroll(&mut self, stage: StageName, it: &Directive<'_>) -> Option<()> {
        let mut v = self.loop_argument(stage, it.names[0])?;
        if let Some(e) = it.others.first() {
            let n = self.factor(e)?;
            v = self.split_off(stage, v, "unrolled", n, it.tail, it.span)?;
        }
        let chain = self.nest.chain(stage);
        if constant_value(&simplify(&chain.loops[chain.place(v)].length)).is_none_or(|n| n > 64) {
            let name = self.nest.name(v);
            let message = format!("an unrolled loop has a constant number of iterations up to 64: split `{name}`");
            return self.refuse_at(it.span, stage.func, message);
        }
        self.mark(stage, v, Order::Unrolled);
        Some(())
    }

    /// Sets the order of a loop.
    pub fn mark(&mut self, stage: StageName, v: Variable, order: Order) {
        let mut chain = self.nest.chain(stage);
        let at = chain.place(v);
        chain.loops[at].order = order;
        self.nest.set_chain(stage, &chain);
    }
}

/// Is it a call of what may not end, on values that are not those of the algorithm?
fn is_partial_call(e: &Expr) -> bool {
    matches!(e.kind(), ExprKind::Call(callee, _) if callee.is_partial)
}
