//! Boundary conditions as what is called: `repeat_edge(in)` is a func that goes on beyond the edges of `in`.
//!
//! ```text
//! down(mirror(in))(x)                      ──►   mirror(in(2 * x - 1)) …
//! down(mirror(half(in), 0 .. 8))(x)        ──►   half(in)(mirror of 2 * x - 1 within 0 .. 8) …
//! ```
//! Of a func or an input `build` knows the window; of a definition the indices are what is changed. What this makes has names that no
//! program can write: `mirror'` of a read, `mirror''` of an index.

use super::environment::{Callee, EdgeOf, Environment, Level};
use super::state::{Expander, all_of};
use crate::diagnostics::{Diagnostic, codes};
use crate::pipeline::plain::EDGES;
use crate::source::Span;
use crate::syntax::ast::{BinaryOp, Expr, ExprKind as Ast, Name};
use std::rc::Rc;

impl<'a> Expander<'a> {
    /// Is this the word for a boundary condition, and nothing else?
    pub fn is_edge(&self, name: &Name, environment: &Environment<'a>) -> bool {
        let level = environment.level;
        EDGES.contains(&&*name.text)
            && environment.get(&name.text).is_none()
            && (level == Level::Library || !self.functions.contains(&*name.text))
            && !(level.is_inside() && self.pipeline.sources.contains(&name.text))
            && self.definition(&name.text, level).is_none()
    }

    /// `repeat_edge(f, 0 .. w)`, `constant_exterior(f, 0)`
    pub fn edge(&mut self, word: &Name, arguments: &[Expr], e: &Expr, environment: &Environment<'a>) -> Option<Callee<'a>> {
        let Some((of, rest)) = arguments.split_first() else {
            let message = format!("`{}` takes what it reads first", word.text);
            return self.error(&codes::PIPELINE_DEFINITION, e.span, message);
        };
        let of = self.callee(of, environment)?;
        self.edge_around(word, of, rest, e, environment)
    }

    /// The same where what it is around is known; the ranges, and the value outside, stand behind it.
    pub fn edge_around(
        &mut self,
        word: &Name,
        of: Callee<'a>,
        rest: &[Expr],
        e: &Expr,
        environment: &Environment<'a>,
    ) -> Option<Callee<'a>> {
        let (mut ranges, mut outside) = (Vec::new(), None);
        for argument in rest {
            match &argument.kind {
                Ast::Range(low, high) if outside.is_none() => {
                    let (low, high) = (self.expression(low, environment), self.expression(high, environment));
                    ranges.push((low?, high?));
                }
                _ if &*word.text == "constant_exterior" && outside.is_none() => {
                    outside = Some(self.expression(argument, environment)?)
                }
                _ => {
                    return self.error(&codes::PIPELINE_TYPE, argument.span, format!("`{}` takes no such argument", word.text));
                }
            }
        }
        if &*word.text == "constant_exterior" && outside.is_none() {
            let error = Diagnostic::error(&codes::PIPELINE_TYPE, e.span, "the value outside is missing");
            return self.report(error.with_help("write it last: `constant_exterior(in, 0)`"));
        }
        Some(Callee::Edge(Rc::new(EdgeOf { word: word.clone(), of, ranges, outside })))
    }

    /// The value at some indices, which may be beyond the edges.
    pub fn beyond(&mut self, edge: &EdgeOf<'a>, indices: Vec<Expr>, e: &Expr) -> Option<Expr> {
        let EdgeOf { word, of, ranges, outside } = edge;
        let ranges = all_of(ranges.iter().map(|(low, high)| Some((self.copy(low)?, self.copy(high)?))))?;
        let outside = match outside {
            Some(outside) => Some(self.copy(outside)?),
            None => None,
        };
        let made = |text: String| Name { text: text.into(), span: word.span };
        if let Callee::Named(name) = of {
            let read = self.called(name.clone(), indices, e.span);
            let mut arguments = vec![read];
            for (low, high) in ranges {
                arguments.push(self.node(Ast::Range(Box::new(low), Box::new(high)), e.span));
            }
            arguments.extend(outside);
            return Some(self.called(made(format!("{}'", word.text)), arguments, e.span));
        }
        if ranges.is_empty() && !indices.is_empty() {
            let message = "a definition has no window: the range of dimension 0 is missing";
            let error = Diagnostic::error(&codes::PIPELINE_TYPE, e.span, message);
            return self.report(error.with_help(format!("write it behind: `{}(…, 0 .. n)`", word.text)));
        }
        if ranges.len() > indices.len() {
            let dimensions = if indices.len() == 1 { "1 dimension".to_owned() } else { format!("{} dimensions", indices.len()) };
            let message = format!("there are {} ranges for {dimensions}", ranges.len());
            return self.error(&codes::PIPELINE_TYPE, e.span, message);
        }
        let mut inside: Option<Expr> = None;
        let mut rewritten = Vec::new();
        let mut ranges = ranges.into_iter();
        for index in indices {
            let Some((low, high)) = ranges.next() else {
                rewritten.push(index);
                continue;
            };
            if outside.is_some() {
                for (op, bound) in [(BinaryOp::GreaterEqual, &low), (BinaryOp::Less, &high)] {
                    let (index, bound) = (self.copy(&index)?, self.copy(bound)?);
                    let here = self.both(op, index, bound, e.span);
                    inside = Some(match inside {
                        Some(before) => self.both(BinaryOp::And, before, here, e.span),
                        None => here,
                    });
                }
            }
            let range = self.node(Ast::Range(Box::new(low), Box::new(high)), e.span);
            rewritten.push(self.called(made(format!("{}''", word.text)), vec![index, range], e.span));
        }
        let read = |this: &mut Self| this.applied(of, &rewritten, e, &Environment::default());
        match (inside, outside) {
            (Some(inside), Some(outside)) => {
                let value = self.where_decided(read)?;
                let (value, outside) = (self.bracketed(value), self.bracketed(outside));
                let chosen = Ast::Conditional(Box::new(inside), Box::new(value), Box::new(outside));
                let chosen = self.node(chosen, e.span);
                Some(self.bracketed(chosen))
            }
            _ => read(self),
        }
    }

    fn called(&mut self, name: Name, arguments: Vec<Expr>, span: Span) -> Expr {
        self.node(Ast::Call { name, template_arguments: Vec::new(), arguments }, span)
    }

    /// `a op b`
    fn both(&mut self, op: BinaryOp, a: Expr, b: Expr, span: Span) -> Expr {
        let (a, b) = (self.bracketed(a), self.bracketed(b));
        let made = self.node(Ast::Binary(op, Box::new(a), Box::new(b), span), span);
        self.bracketed(made)
    }
}
