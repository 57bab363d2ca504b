//! Directives as written, parsed once: each is a line of [`DIRECTIVES`], with arguments of the kinds that the line asks for. What a name
//! means, the nest says when the directive is applied.
//!
//! ```text
//! f.update(0).split(r, ro, ri, 8, guard);   ──►   f, update(0):  split, names [r, ro, ri], numbers [8], tail Guard
//! ```

use super::super::expr::FuncId;
use super::super::loops::ir::{Order, StageName};
use super::super::plain;
use super::state::Scheduler;
use super::target::{Copy, TAILS, Tail, Target};
use crate::check::closest;
use crate::diagnostics::{Diagnostic, Edit, codes};
use crate::source::Span;
use crate::syntax::ast::{self, Expr, Name};

/// A directive, and what it is about.
#[derive(Clone, Debug)]
pub struct Written<'s> {
    /// The func.
    pub func: Name,
    /// `case(n)` or `otherwise`, if one of the copies is meant, and its place.
    pub copy: Option<(Copy, Span)>,
    /// `update(n)`, if an update is meant.
    pub update: Option<&'s ast::Directive>,
    /// The directive.
    pub directive: Directive<'s>,
}

/// A directive, with as many arguments of each kind as its line of [`DIRECTIVES`] allows.
#[derive(Clone, Debug)]
pub struct Directive<'s> {
    /// Its name.
    pub name: &'static str,
    /// When it is applied.
    pub phase: Phase,
    /// What it does.
    pub apply: Apply,
    /// Names of loops, dimensions and funcs.
    pub names: Vec<&'s Name>,
    /// Numbers, conditions and targets.
    pub others: Vec<&'s Expr>,
    /// φ; `Auto` where none is written.
    pub tail: Tail,
    /// Its place in the schedule.
    pub span: Span,
}

impl<'s> Directive<'s> {
    /// Its names, of which it has so many.
    pub fn names<const N: usize>(&self) -> [&'s Name; N] {
        self.names[..].try_into().expect("as many as its line asks for")
    }

    /// Its numbers, of which it has so many.
    pub fn numbers<const N: usize>(&self) -> [&'s Expr; N] {
        self.others[..].try_into().expect("as many as its line asks for")
    }
}

/// A directive with its target.
pub struct Step<'s> {
    /// What it is about.
    pub target: Target,
    /// What it does to it.
    pub directive: Directive<'s>,
}

/// What directives do, by what they are about.
#[derive(Clone, Copy, Debug)]
pub enum Apply {
    /// `rfactor`
    Rfactor,
    /// `inline`
    Inline,
    /// A func as a whole.
    Func(fn(&mut Scheduler<'_>, FuncId, &Directive<'_>) -> Option<()>),
    /// The loops of a stage.
    Stage(fn(&mut Scheduler<'_>, StageName, &Directive<'_>) -> Option<()>),
    /// Where a func is: all such directives of it at once.
    Place(fn(&mut Scheduler<'_>, FuncId, &[Step<'_>]) -> Option<()>),
}

/// When a directive is applied: those of one func come behind one another in this order. `rfactor` and `inline`, which make another
/// algorithm, come before all others.
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

/// What an argument is.
#[derive(Clone, Copy)]
enum Argument {
    /// A name, which is not looked up yet.
    Name,
    /// A number, a condition or a target.
    Other,
    /// φ
    Tail,
}

/// A directive that there is.
struct Entry {
    name: &'static str,
    /// How many arguments it takes at least and at most.
    count: [usize; 2],
    /// What they are; all behind are like the last one.
    arguments: &'static [Argument],
    phase: Phase,
    apply: Apply,
}

const fn entry(name: &'static str, count: [usize; 2], arguments: &'static [Argument], phase: Phase, apply: Apply) -> Entry {
    Entry { name, count, arguments, phase, apply }
}

/// As many conditions as a func may have.
const CONDITIONS: usize = 16;

const N: Argument = Argument::Name;
const E: Argument = Argument::Other;
const T: Argument = Argument::Tail;

/// All directives.
const DIRECTIVES: &[Entry] = &[
    // rfactor(r, u, g): the reduction loop whose iterations become lanes of g, the dimension of g, and g
    entry("rfactor", [3, 3], &[N, N, E], Phase::Funcs, Apply::Rfactor),
    entry("inline", [0, 0], &[], Phase::Funcs, Apply::Inline),
    entry("specialize", [1, CONDITIONS], &[E], Phase::Funcs, Apply::Func(|s, func, it| s.specialize(func, it))),
    entry("bound", [3, 3], &[N, E, E], Phase::Funcs, Apply::Func(|s, func, it| s.bound(func, it))),
    entry("bound_extent", [2, 2], &[N, E], Phase::Funcs, Apply::Func(|s, func, it| s.bound_extent(func, it))),
    entry("align_bounds", [2, 3], &[N, E], Phase::Funcs, Apply::Func(|s, func, it| s.align_bounds(func, it))),
    entry("atomic", [0, 0], &[], Phase::Atomic, Apply::Stage(|s, stage, it| s.atomic(stage, it))),
    entry("split", [4, 5], &[N, N, N, E, T], Phase::Loops, Apply::Stage(|s, stage, it| s.split_directive(stage, it))),
    entry("fuse", [3, 3], &[N], Phase::Loops, Apply::Stage(|s, stage, it| s.fuse(stage, it))),
    entry("reorder", [2, 64], &[N], Phase::Loops, Apply::Stage(|s, stage, it| s.reorder_directive(stage, it))),
    entry("swap", [1, 1], &[N], Phase::Loops, Apply::Stage(|s, stage, it| s.swap(stage, it))),
    entry("tile", [8, 9], &[N, N, N, N, N, N, E, E, T], Phase::Loops, Apply::Stage(|s, stage, it| s.tile(stage, it))),
    entry("vectorize", [1, 3], &[N, E, T], Phase::Loops, Apply::Stage(|s, stage, it| s.vectorize(stage, it))),
    entry("unroll", [1, 3], &[N, E, T], Phase::Loops, Apply::Stage(|s, stage, it| s.unroll(stage, it))),
    entry("parallel", [1, 1], &[N], Phase::Marks, Apply::Stage(|s, stage, it| s.traverse(stage, it, Order::Parallel))),
    entry("serial", [1, 1], &[N], Phase::Marks, Apply::Stage(|s, stage, it| s.traverse(stage, it, Order::Serial))),
    entry("compute_at", [2, 2], &[E, N], Phase::Compute, Apply::Place(|s, func, steps| s.compute(func, steps))),
    entry("compute_root", [0, 0], &[], Phase::Compute, Apply::Place(|s, func, steps| s.compute(func, steps))),
    entry("store_at", [2, 2], &[E, N], Phase::Store, Apply::Place(|s, func, steps| s.store(func, steps))),
    entry("store_root", [0, 0], &[], Phase::Store, Apply::Place(|s, func, steps| s.store(func, steps))),
    entry("fold_storage", [2, 2], &[N, E], Phase::Funcs, Apply::Func(|s, func, it| s.fold_storage(func, it))),
];

impl Scheduler<'_> {
    /// The directives of a schedule, in its order. What is wrong with some is reported.
    pub fn parse<'s>(&mut self, schedule: &'s plain::Schedule) -> Option<Vec<Written<'s>>> {
        self.failed |= schedule.is_refused;
        let mut all = Vec::new();
        for chain in &schedule.chains {
            let (mut func, mut copy, mut update) = (chain.func.clone(), None, None);
            for link in &chain.links {
                match &*link.name.text {
                    "case" | "otherwise" => match self.copy(&link.name, link.arguments.as_deref(), link.span) {
                        Some(chosen) if copy.is_none() => copy = Some(chosen),
                        Some(_) => {
                            self.refuse::<()>(link.span, "a copy of a copy: one `case` or `otherwise` stands behind a func");
                            break;
                        }
                        None => break,
                    },
                    "update" => update = Some(link),
                    "statement" => match self.statement(&func, link.arguments.as_deref(), link.span) {
                        Some(name) => func = name,
                        None => break,
                    },
                    _ => {
                        if let Some(directive) = self.directive(link) {
                            all.push(Written { func: func.clone(), copy, update, directive });
                        }
                    }
                }
            }
        }
        self.unless_failed(all)
    }

    fn directive<'s>(&mut self, link: &'s ast::Directive) -> Option<Directive<'s>> {
        let written = &link.name.text;
        let Some(entry) = DIRECTIVES.iter().find(|entry| *entry.name == **written) else {
            let known = DIRECTIVES.iter().map(|entry| entry.name);
            let message =
                format!("there is no directive `{written}`: there are {}", known.clone().collect::<Vec<_>>().join(", "));
            let error = Diagnostic::error(&codes::INVALID_SCHEDULE, link.name.span, message);
            return self.report(error.with_guess(link.name.span, closest(written, known)));
        };
        let Entry { name, count: [least, most], arguments, phase, apply } = *entry;
        let Some(list) = link.arguments.as_deref() else {
            return self.refuse(link.span, format!("`{name}` is followed by its arguments in brackets"));
        };
        if !(least..=most).contains(&list.len()) {
            let wanted = if least == most { least.to_string() } else { format!("{least} to {most}") };
            let message = format!("`{name}` takes {wanted} arguments, not {}", list.len());
            let error = Diagnostic::error(&codes::INVALID_SCHEDULE, link.span, message);
            return self.report(with_arguments(error, entry, list));
        }
        let (names, others) = (Vec::new(), Vec::new());
        let mut made = Directive { name, phase, apply, names, others, tail: Tail::Auto, span: link.span };
        for (k, e) in list.iter().enumerate() {
            let word = if let ast::ExprKind::Name(name) = &e.kind { Some(name) } else { None };
            match (arguments[k.min(arguments.len() - 1)], word) {
                (Argument::Name, Some(name)) => made.names.push(name),
                (Argument::Name, None) => return self.refuse(e.span, "here stands the name of a loop"),
                (Argument::Other, _) => made.others.push(e),
                (Argument::Tail, _) => match TAILS.iter().find(|(known, _)| word.is_some_and(|word| *word.text == **known)) {
                    Some((_, tail)) => made.tail = *tail,
                    None => return self.refuse(e.span, "the tail strategies are `guard`, `shift`, `round` and `auto`"),
                },
            }
        }
        Some(made)
    }
}

/// What the arguments of a directive are; of a tile in the words of which two loops and two numbers are given, with names for the rest.
fn with_arguments(error: Diagnostic, entry: &Entry, list: &[Expr]) -> Diagnostic {
    let Some((_, given)) = GIVEN.iter().find(|(name, _)| *name == entry.name) else { return error };
    let words: Vec<Option<&Name>> =
        list.iter().map(|e| if let ast::ExprKind::Name(name) = &e.kind { Some(name) } else { None }).collect();
    match (entry.name, &words[..], list) {
        ("tile", [Some(x), Some(y), _, _], [.., a, _]) => {
            let [x, y] = [&x.text, &y.text];
            let names = format!("{x}o, {y}o, {x}i, {y}i, ");
            let title = format!("name the loops that it makes: {x}o, {y}o, {x}i and {y}i");
            error.with_fix(title, vec![Edit::before(a.span, names)])
        }
        _ => error.with_help(format!("its arguments are {given}")),
    }
}

/// The arguments of those directives of which they are more than a loop.
const GIVEN: &[(&str, &str)] = &[
    ("rfactor", "the reduction loop, the name of the dimension that it becomes, and that of the func of partial results"),
    ("bound", "a dimension, its least index and how many there are"),
    ("bound_extent", "a dimension, and how many indices it has"),
    ("align_bounds", "a dimension, what its ends are multiples of, and perhaps what is left of them"),
    (
        "split",
        "a loop, the names of the outer and the inner one that it becomes, how many iterations the inner one has, and perhaps a tail",
    ),
    ("fuse", "the inner loop, the outer one, and the name of the loop that they become"),
    ("reorder", "two loops or more, the innermost first"),
    ("swap", "the loop that changes places with the next one outside"),
    ("tile", "two loops, the names of the outer two and of the inner two that they become, two sizes, and perhaps a tail"),
    ("vectorize", "a loop, and perhaps how many lanes, and a tail"),
    ("unroll", "a loop, and perhaps how many iterations, and a tail"),
    ("compute_at", "the func that reads it, and one of its loops"),
    ("store_at", "the func that reads it, and one of its loops"),
    ("fold_storage", "a dimension, and how many indices are kept"),
];
