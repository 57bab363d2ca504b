//! Schedules: repeated and chosen directives, and those of members of families.
//!
//! ```text
//! for (k = 1 .. 3) g[k].compute_root().vectorize(x, 8);   ──►   g[1].compute_root().vectorize(x, 8);
//!                                                               g[2].compute_root().vectorize(x, 8);
//! ```

use super::environment::{Callee, Environment, Meaning, Number};
use super::state::{Expander, OfStage};
use crate::pipeline::plain::{Chain, Schedule};
use crate::syntax::ast::{self, Directive, DirectiveChain, Expr, ExprKind as Ast, Name, SchedulePart};

impl<'a> Expander<'a> {
    /// A schedule of the instance that was expanded last, by its name.
    pub fn schedule(&mut self, schedule: &'a ast::Schedule, of: &Name, environment: &Environment<'a>) -> Schedule {
        self.stage = OfStage::default();
        let mut chains = Vec::new();
        let done = self.directives(&schedule.parts, environment, &mut chains);
        let pipeline = Name { text: of.text.clone(), span: schedule.pipeline.span };
        let name = schedule.name.clone();
        Schedule { pipeline, name, chains, is_refused: done.is_none() }
    }

    fn directives(&mut self, parts: &'a [SchedulePart], environment: &Environment<'a>, chains: &mut Vec<Chain>) -> Option<()> {
        let mut fits = true;
        for part in parts {
            let done = match part {
                SchedulePart::Chain(chain) => self.chain(chain, environment).map(|chain| chains.push(chain)),
                SchedulePart::If(chosen) => self.constant(&chosen.condition, environment).and_then(|holds| {
                    let arm = if holds != 0 { &chosen.then } else { &chosen.otherwise };
                    self.directives(arm, environment, chains)
                }),
                SchedulePart::For(repeated) => self.rounds(&repeated.range, environment).and_then(|mut rounds| {
                    let name = &repeated.range.name.text;
                    rounds.try_for_each(|value| {
                        let number = Meaning::Constant(Number { value, element: None });
                        self.directives(&repeated.body, &environment.with(name, number), chains)
                    })
                }),
            };
            fits &= done.is_some();
        }
        fits.then_some(())
    }

    fn chain(&mut self, chain: &'a DirectiveChain, environment: &Environment<'a>) -> Option<Chain> {
        let func = match chain.members.is_empty() {
            true if self.pipeline.families.contains_key(&chain.func.text) => return self.family_by_itself(&chain.func),
            true => chain.func.clone(),
            false => {
                let family = self.node(Ast::Name(chain.func.clone()), chain.func.span);
                let member = Ast::Indices(Box::new(family), chain.members.clone());
                let span = chain.func.span.to(chain.members[chain.members.len() - 1].span);
                let member = self.node(member, span);
                self.member_of(&member, environment)?
            }
        };
        let mut links = Vec::new();
        for link in &chain.links {
            let arguments = match &link.arguments {
                None => None,
                Some(list) => {
                    let made: Option<Vec<Expr>> = list.iter().map(|e| self.argument(e, environment)).collect();
                    Some(made?)
                }
            };
            links.push(Directive { name: link.name.clone(), arguments, span: link.span });
        }
        Some(Chain { func, links })
    }

    fn member_of(&mut self, e: &Expr, environment: &Environment<'a>) -> Option<ast::Name> {
        match self.callee(e, environment)? {
            Callee::Named(name) => Some(name),
            Callee::Given(_) | Callee::Definition(_) | Callee::Edge(_) => unreachable!("brackets name a member"),
        }
    }

    /// An argument of a directive: a member of a family is the name of a func there.
    fn argument(&mut self, e: &'a Expr, environment: &Environment<'a>) -> Option<Expr> {
        match &e.kind {
            Ast::Index(family, _) | Ast::Indices(family, _) if self.family(family, environment).is_some() => {
                let name = self.member_of(e, environment)?;
                Some(self.node(Ast::Name(name), e.span))
            }
            Ast::Method(of, name, arguments) => {
                let of = self.argument(of, environment)?;
                let arguments: Option<Vec<Expr>> = arguments.iter().map(|e| self.argument(e, environment)).collect();
                Some(self.node(Ast::Method(Box::new(of), name.clone(), arguments?), e.span))
            }
            Ast::Member(of, name) => {
                let of = self.argument(of, environment)?;
                Some(self.node(Ast::Member(Box::new(of), name.clone()), e.span))
            }
            _ => self.expression(e, environment),
        }
    }
}
