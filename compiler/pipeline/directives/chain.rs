//! A stage taken apart: its loops from the outside in, the `let`s and conditions between them, and its store.

use super::super::expr::{Expr, Variable};
use super::super::loops::ir::{Loop, Nest, StageName, Statement};

/// A stage taken apart.
#[derive(Clone, Debug)]
pub struct Chain {
    /// The loops, the outermost first; their bodies are not looked at.
    pub loops: Vec<Loop>,
    /// What stands between loops, in order.
    pub between: Vec<Between>,
    /// What is inside of all.
    pub core: Statement,
}

/// A `let` or a condition.
#[derive(Clone, Debug)]
pub enum Between {
    /// let v = e
    Let(Variable, Expr),
    /// if e
    If(Expr),
}

impl Chain {
    /// Takes a stage apart.
    pub fn of(statement: &Statement) -> Chain {
        let mut chain = Chain { loops: Vec::new(), between: Vec::new(), core: Statement::Nop };
        let mut at = statement;
        loop {
            if let Statement::For(l) = at {
                let mut head = (**l).clone();
                head.body = Statement::Nop;
                chain.loops.push(head);
                at = &l.body;
            } else if let Statement::Let(variable, value, body) = at {
                chain.between.push(Between::Let(*variable, value.clone()));
                at = body;
            } else if let Statement::If(condition, body) = at {
                chain.between.push(Between::If(condition.clone()));
                at = body;
            } else {
                chain.core = at.clone();
                return chain;
            }
        }
    }

    /// The place of a loop of the stage.
    pub fn place(&self, variable: Variable) -> usize {
        self.loops.iter().position(|l| l.variable == variable).expect("a loop of the stage")
    }

    /// Puts it together: each `let` and condition as far outside as its variables allow, in their order.
    pub fn build(&self) -> Statement {
        // Inside of how many loops each variable is known, and each `let` and condition stands.
        let mut known: Vec<(Variable, usize)> = self.loops.iter().enumerate().map(|(i, l)| (l.variable, i + 1)).collect();
        let mut depth = Vec::new();
        for between in &self.between {
            let e = match between {
                Between::Let(_, e) | Between::If(e) => e,
            };
            let at = |v: &Variable| known.iter().find(|(variable, _)| variable == v).map(|(_, at)| *at);
            let mut least = e.free_variables().iter().filter_map(at).max().unwrap_or(0);
            // What reads or calls is not done where nobody asked for it: it stays inside of everything.
            if e.reads_or_calls() {
                least = self.loops.len();
            }
            depth.push(least);
            if let Between::Let(v, _) = between {
                known.push((*v, least));
            }
        }
        let mut body = self.core.clone();
        for level in (0..=self.loops.len()).rev() {
            for (between, _) in self.between.iter().zip(&depth).rev().filter(|(_, d)| **d == level) {
                body = match between {
                    Between::Let(variable, value) => Statement::Let(*variable, value.clone(), Box::new(body)),
                    Between::If(condition) => Statement::If(condition.clone(), Box::new(body)),
                };
            }
            if level > 0 {
                body = Statement::For(Box::new(Loop { body, ..self.loops[level - 1].clone() }));
            }
        }
        body
    }
}

impl Nest {
    /// A stage taken apart.
    pub fn chain(&self, stage: StageName) -> Chain {
        let found = self.around(stage.func).find(&|s| matches!(s, Statement::Stage(name, _) if *name == stage));
        let Some(Statement::Stage(_, body)) = found else { unreachable!("a stage of the nest") };
        Chain::of(body)
    }

    /// Puts a stage together again.
    pub fn set_chain(&mut self, stage: StageName, chain: &Chain) {
        *self.around_mut(stage.func).stage_mut(stage).expect("a stage of the nest") = chain.build();
    }
}
