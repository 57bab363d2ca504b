//! Directives that the automatic schedule makes, as a user would write them: they go the way of all directives.

use super::super::algorithm::Pipeline;
use super::super::plain::{Chain, Schedule};
use crate::source::{FileId, Span};
use crate::syntax::ast::{Directive, Expr, ExprKind as Ast, Name, NodeId};
use std::rc::Rc;

/// A part of a func: one of its copies, or an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The copy for the condition of this number.
    Case(u64),
    /// The copy where none of the conditions holds.
    Otherwise,
    /// The update of this number.
    Update(u64),
}

/// The directives of a func, one after the other.
pub struct Links {
    func: Rc<str>,
    links: Vec<Directive>,
    span: Span,
}

impl Links {
    /// None yet, for a func.
    pub fn of(func: &Rc<str>, span: Span) -> Links {
        Links { func: func.clone(), links: Vec::new(), span }
    }

    /// None yet, for a part of a func.
    pub fn of_part(func: &Rc<str>, part: Part, span: Span) -> Links {
        let all = Links::of(func, span);
        match part {
            Part::Case(number) => all.numbered("case", number),
            Part::Otherwise => all.with("otherwise", None),
            Part::Update(number) => all.numbered("update", number),
        }
    }

    fn with(mut self, name: &str, arguments: Option<Vec<Expr>>) -> Links {
        let name = Name { text: name.into(), span: self.span };
        self.links.push(Directive { name, arguments, span: self.span });
        self
    }

    fn numbered(self, name: &str, number: u64) -> Links {
        let number = self.number(number);
        self.with(name, Some(vec![number]))
    }

    fn node(&self, kind: Ast) -> Expr {
        Expr { id: NodeId { file: FileId::default(), number: u32::MAX }, kind, span: self.span }
    }

    fn word(&self, text: &str) -> Expr {
        self.node(Ast::Name(Name { text: text.into(), span: self.span }))
    }

    fn number(&self, value: u64) -> Expr {
        self.node(Ast::Integer { value, suffix: None })
    }

    /// A directive with names as its arguments.
    fn named(self, directive: &str, names: &[&str]) -> Links {
        let names = names.iter().map(|name| self.word(name)).collect();
        self.with(directive, Some(names))
    }

    /// A directive with a name and a number.
    fn sized(self, directive: &str, name: &str, number: u64) -> Links {
        let arguments = vec![self.word(name), self.number(number)];
        self.with(directive, Some(arguments))
    }

    /// `split(v, o, i, n, tail)`
    pub fn split(self, v: &str, parts: [&str; 2], n: u64, tail: &str) -> Links {
        let arguments = vec![self.word(v), self.word(parts[0]), self.word(parts[1]), self.number(n), self.word(tail)];
        self.with("split", Some(arguments))
    }

    /// `reorder(…)`, the innermost first; nothing for one loop.
    pub fn reorder(self, loops: &[String]) -> Links {
        if loops.len() < 2 {
            return self;
        }
        self.named("reorder", &loops.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// `rfactor(r, v, g)`
    pub fn rfactor(self, r: &str, v: &str, g: &str) -> Links {
        self.named("rfactor", &[r, v, g])
    }

    /// `vectorize(v, n)`
    pub fn vectorize(self, v: &str, n: u64) -> Links {
        self.sized("vectorize", v, n)
    }

    /// `bound_extent(v, n)`
    pub fn bound_extent(self, v: &str, n: u64) -> Links {
        self.sized("bound_extent", v, n)
    }

    /// `unroll(v)`
    pub fn unroll(self, v: &str) -> Links {
        self.named("unroll", &[v])
    }

    /// `parallel(v)`
    pub fn parallel(self, v: &str) -> Links {
        self.named("parallel", &[v])
    }

    /// `atomic()`
    pub fn atomic(self) -> Links {
        self.named("atomic", &[])
    }

    /// `compute_at(f.case(k), v)`, and so on.
    pub fn compute_at(self, func: &Rc<str>, part: Part, v: &str) -> Links {
        let span = self.span;
        let of = Box::new(self.word(func));
        let word = |text: &str| Name { text: text.into(), span };
        let of = self.node(match part {
            Part::Case(number) => Ast::Method(of, word("case"), vec![self.number(number)]),
            Part::Otherwise => Ast::Member(of, word("otherwise")),
            Part::Update(number) => Ast::Method(of, word("update"), vec![self.number(number)]),
        });
        let arguments = vec![of, self.word(v)];
        self.with("compute_at", Some(arguments))
    }

    /// `compute_at(f, v)`
    pub fn compute_inside(self, func: &str, v: &str) -> Links {
        self.named("compute_at", &[func, v])
    }

    /// What `more` adds, if there is something for it.
    pub fn with_some<T>(self, some: Option<T>, more: impl FnOnce(Links, T) -> Links) -> Links {
        match some {
            Some(it) => more(self, it),
            None => self,
        }
    }
}

/// The automatic schedule of a pipeline, of these.
pub fn schedule(pipeline: &Pipeline, all: Vec<Links>) -> Schedule {
    let name = |text: &Rc<str>, span| Name { text: text.clone(), span };
    let chains = all.into_iter().map(|links| Chain { func: name(&links.func, links.span), links: links.links });
    Schedule {
        pipeline: name(&pipeline.name, pipeline.span),
        name: name(&"auto".into(), pipeline.span),
        chains: chains.collect(),
        is_refused: false,
    }
}
