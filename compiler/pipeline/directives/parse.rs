//! Directives as written, parsed once: each becomes a [`Kind`] with its arguments, and knows its phase. What a name means, the nest
//! says when the directive is applied.
//!
//! ```text
//! f.update(0).split(r, ro, ri, 8, guard);   ──►   f, update(0):  Split { of: r, outer: ro, inner: ri, factor: 8, tail: Guard }
//! ```

use super::super::loops::ir::Order;
use super::state::Scheduler;
use super::target::{Copy, Tail, Target};
use crate::source::Span;
use crate::syntax::ast::{self, Expr, Name};

/// A directive, and what it is about.
#[derive(Clone, Debug)]
pub struct Written<'s> {
    /// The func.
    pub func: &'s Name,
    /// `case(n)` or `otherwise`, if one of the copies is meant, and its place.
    pub copy: Option<(Copy, Span)>,
    /// `update(n)`, if an update is meant.
    pub update: Option<&'s ast::Directive>,
    /// The directive.
    pub directive: Directive<'s>,
}

/// A directive.
#[derive(Clone, Debug)]
pub struct Directive<'s> {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub kind: Kind<'s>,
    /// Its place in the schedule.
    pub span: Span,
}

/// A directive with its target.
pub struct Step<'s> {
    /// What it is about.
    pub target: Target,
    /// What it does to it.
    pub directive: Directive<'s>,
}

/// What directives do. Those of one func come behind one another in the order of [`Phase`].
#[derive(Clone, Debug)]
pub enum Kind<'s> {
    /// `rfactor(r, u, g)`
    Rfactor {
        /// r: the reduction loop whose iterations become lanes of g.
        of: &'s Name,
        /// u: the dimension of g.
        variable: &'s Name,
        /// g
        func: &'s Expr,
    },
    /// `inline()`
    Inline,
    /// Something about a func.
    Func(OfFunc<'s>),
    /// Something about the loops of a stage.
    Stage(OfStage<'s>),
    /// `compute_at(f, v)`; `compute_root()` without a place.
    Compute(Option<Site<'s>>),
    /// `store_at(f, v)`; `store_root()` without a place.
    Store(Option<Site<'s>>),
}

/// A loop of another func.
#[derive(Clone, Debug)]
pub struct Site<'s> {
    /// `f`, `f.update(0)`, `f.case(0)`
    pub target: &'s Expr,
    /// v
    pub of: &'s Name,
}

/// Directives of a func as a whole.
#[derive(Clone, Debug)]
pub enum OfFunc<'s> {
    /// `specialize(e…)`
    Specialize(&'s [Expr]),
    /// `bound(x, lo, n)`
    Bound(&'s Name, &'s Expr, &'s Expr),
    /// `bound_extent(x, n)`
    BoundExtent(&'s Name, &'s Expr),
    /// `align_bounds(x, m[, r])`
    AlignBounds(&'s Name, &'s Expr, Option<&'s Expr>),
    /// `fold_storage(x, F)`
    FoldStorage(&'s Name, &'s Expr),
}

/// Directives of the loops of a stage.
#[derive(Clone, Debug)]
pub enum OfStage<'s> {
    /// `atomic()`
    Atomic,
    /// `split(v, o, i, n[, tail])`
    Split(Split<'s>),
    /// `fuse(i, o, t)`
    Fuse(Fuse<'s>),
    /// `reorder(v…)`, the innermost first.
    Reorder(Vec<&'s Name>),
    /// `swap(v)`
    Swap(&'s Name),
    /// `tile(x, y, xo, yo, xi, yi, a, b[, tail])`
    Tile(Box<Tile<'s>>),
    /// `vectorize(v[, N[, tail]])`
    Vectorize(&'s Name, Option<(&'s Expr, Tail)>),
    /// `unroll(v[, n[, tail]])`
    Unroll(&'s Name, Option<(&'s Expr, Tail)>),
    /// `parallel(v)`, `serial(v)`
    Traverse(&'s Name, Order),
}

/// `split(v, o, i, n[, tail])`
#[derive(Clone, Copy, Debug)]
pub struct Split<'s> {
    /// v
    pub of: &'s Name,
    /// o
    pub outer: &'s Name,
    /// i
    pub inner: &'s Name,
    /// n
    pub factor: &'s Expr,
    /// φ
    pub tail: Tail,
}

/// `fuse(i, o, t)`
#[derive(Clone, Copy, Debug)]
pub struct Fuse<'s> {
    /// i
    pub inner: &'s Name,
    /// o
    pub outer: &'s Name,
    /// t
    pub fused: &'s Name,
}

/// `tile(x, y, xo, yo, xi, yi, a, b[, tail])`, all in the order of x and y.
#[derive(Clone, Debug)]
pub struct Tile<'s> {
    /// x, y
    pub of: [&'s Name; 2],
    /// xo, yo
    pub outer: [&'s Name; 2],
    /// xi, yi
    pub inner: [&'s Name; 2],
    /// a, b
    pub factors: [&'s Expr; 2],
    /// φ
    pub tail: Tail,
}

/// When a directive is applied. `rfactor` and `inline`, which make another algorithm, come before all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Copies of a func, what is asserted of its windows, by which loops may be chosen, and how it is stored.
    Funcs,
    /// Which iterations may run in any order.
    Atomic,
    /// Loops are made, and put in order.
    Loops,
    /// How they run.
    Marks,
    /// Where funcs are computed.
    Compute,
    /// Where they are stored.
    Store,
}

impl Kind<'_> {
    /// When it is applied.
    pub fn phase(&self) -> Phase {
        match self {
            Kind::Rfactor { .. } | Kind::Inline | Kind::Func(_) => Phase::Funcs,
            Kind::Stage(OfStage::Atomic) => Phase::Atomic,
            Kind::Stage(OfStage::Traverse(..)) => Phase::Marks,
            Kind::Stage(_) => Phase::Loops,
            Kind::Compute(_) => Phase::Compute,
            Kind::Store(_) => Phase::Store,
        }
    }
}

/// As many conditions as a func may have.
const CONDITIONS: usize = 16;

/// A name, how many arguments it takes at least and at most, and what it makes of them.
struct Entry {
    name: &'static str,
    least: usize,
    most: usize,
    make: for<'s> fn(&mut Arguments<'_, '_, 's>) -> Option<Kind<'s>>,
}

const fn entry(
    name: &'static str,
    [least, most]: [usize; 2],
    make: for<'s> fn(&mut Arguments<'_, '_, 's>) -> Option<Kind<'s>>,
) -> Entry {
    Entry { name, least, most, make }
}

/// All directives.
const DIRECTIVES: &[Entry] = &[
    entry("rfactor", [3, 3], |a| Some(Kind::Rfactor { of: a.name(0)?, variable: a.name(1)?, func: a.at(2) })),
    entry("inline", [0, 0], |_| Some(Kind::Inline)),
    entry("specialize", [1, CONDITIONS], |a| Some(Kind::Func(OfFunc::Specialize(a.list)))),
    entry("bound", [3, 3], |a| Some(Kind::Func(OfFunc::Bound(a.name(0)?, a.at(1), a.at(2))))),
    entry("bound_extent", [2, 2], |a| Some(Kind::Func(OfFunc::BoundExtent(a.name(0)?, a.at(1))))),
    entry("align_bounds", [2, 3], |a| Some(Kind::Func(OfFunc::AlignBounds(a.name(0)?, a.at(1), a.list.get(2))))),
    entry("atomic", [0, 0], |_| Some(Kind::Stage(OfStage::Atomic))),
    entry("split", [4, 5], |a| {
        let [of, outer, inner] = a.names()?;
        Some(Kind::Stage(OfStage::Split(Split { of, outer, inner, factor: a.at(3), tail: a.tail(4)? })))
    }),
    entry("fuse", [3, 3], |a| {
        let [inner, outer, fused] = a.names()?;
        Some(Kind::Stage(OfStage::Fuse(Fuse { inner, outer, fused })))
    }),
    entry("reorder", [2, 64], |a| {
        let names = (0..a.list.len()).map(|k| a.name(k)).collect::<Option<_>>()?;
        Some(Kind::Stage(OfStage::Reorder(names)))
    }),
    entry("swap", [1, 1], |a| Some(Kind::Stage(OfStage::Swap(a.name(0)?)))),
    entry("tile", [8, 9], |a| {
        let [x, y, xo, yo, xi, yi] = a.names()?;
        let (of, outer, inner) = ([x, y], [xo, yo], [xi, yi]);
        Some(Kind::Stage(OfStage::Tile(Box::new(Tile { of, outer, inner, factors: [a.at(6), a.at(7)], tail: a.tail(8)? }))))
    }),
    entry("vectorize", [1, 3], |a| Some(Kind::Stage(OfStage::Vectorize(a.name(0)?, a.factor_with_tail()?)))),
    entry("unroll", [1, 3], |a| Some(Kind::Stage(OfStage::Unroll(a.name(0)?, a.factor_with_tail()?)))),
    entry("parallel", [1, 1], |a| Some(Kind::Stage(OfStage::Traverse(a.name(0)?, Order::Parallel)))),
    entry("serial", [1, 1], |a| Some(Kind::Stage(OfStage::Traverse(a.name(0)?, Order::Serial)))),
    entry("compute_at", [2, 2], |a| Some(Kind::Compute(Some(Site { target: a.at(0), of: a.name(1)? })))),
    entry("compute_root", [0, 0], |_| Some(Kind::Compute(None))),
    entry("store_at", [2, 2], |a| Some(Kind::Store(Some(Site { target: a.at(0), of: a.name(1)? })))),
    entry("store_root", [0, 0], |_| Some(Kind::Store(None))),
    entry("fold_storage", [2, 2], |a| Some(Kind::Func(OfFunc::FoldStorage(a.name(0)?, a.at(1))))),
];

/// The arguments of a directive, as many as it takes.
struct Arguments<'a, 'd, 's> {
    list: &'s [Expr],
    scheduler: &'a mut Scheduler<'d>,
}

impl<'s> Arguments<'_, '_, 's> {
    fn at(&self, k: usize) -> &'s Expr {
        &self.list[k]
    }

    fn name(&mut self, k: usize) -> Option<&'s Name> {
        self.scheduler.name_argument(&self.list[k])
    }

    /// The first ones, which are names.
    fn names<const N: usize>(&mut self) -> Option<[&'s Name; N]> {
        let names = (0..N).map(|k| self.name(k)).collect::<Option<Vec<_>>>()?;
        Some(names.try_into().expect("as many as were asked for"))
    }

    fn tail(&mut self, k: usize) -> Option<Tail> {
        self.scheduler.tail_argument(self.list.get(k))
    }

    /// `[, n[, tail]]` behind a loop
    fn factor_with_tail(&mut self) -> Option<Option<(&'s Expr, Tail)>> {
        let Some(factor) = self.list.get(1) else { return Some(None) };
        Some(Some((factor, self.tail(2)?)))
    }
}

impl Scheduler<'_> {
    /// The directives of a schedule, in its order. What is wrong with some is reported.
    pub fn parse<'s>(&mut self, schedule: &'s ast::Schedule) -> Option<Vec<Written<'s>>> {
        let mut all = Vec::new();
        for chain in &schedule.chains {
            let (mut copy, mut update) = (None, None);
            for link in &chain.links {
                match &*link.name.text {
                    "case" | "otherwise" => match self.copy(&link.name, link.arguments.as_deref(), link.span) {
                        Some(chosen) if copy.is_none() => copy = Some(chosen),
                        Some(_) => {
                            self.refuse(link.span, "a copy of a copy: one `case` or `otherwise` stands behind a func");
                            break;
                        }
                        None => break,
                    },
                    "update" => update = Some(link),
                    _ => {
                        if let Some(directive) = self.directive(link) {
                            all.push(Written { func: &chain.func, copy, update, directive });
                        }
                    }
                }
            }
        }
        self.unless_failed(all)
    }

    fn directive<'s>(&mut self, link: &'s ast::Directive) -> Option<Directive<'s>> {
        let written = &link.name.text;
        let Some(Entry { name, least, most, make }) = DIRECTIVES.iter().find(|entry| *entry.name == **written) else {
            let known: Vec<&str> = DIRECTIVES.iter().map(|entry| entry.name).collect();
            self.refuse(link.name.span, format!("there is no directive `{written}`: there are {}", known.join(", ")));
            return None;
        };
        let Some(list) = link.arguments.as_deref() else {
            self.refuse(link.span, format!("`{name}` is followed by its arguments in brackets"));
            return None;
        };
        if !(*least..=*most).contains(&list.len()) {
            let wanted = if least == most { least.to_string() } else { format!("{least} to {most}") };
            self.refuse(link.span, format!("`{name}` takes {wanted} arguments, not {}", list.len()));
            return None;
        }
        let kind = make(&mut Arguments { list, scheduler: self })?;
        Some(Directive { name, kind, span: link.span })
    }
}
