//! Warnings about an instance that is checked: what its typed body does, told where the text has it.
//!
//! ```text
//! int a[4]; a[4] = x;      int *p = …; return &local;      int x; return x;      if (v > 0) count = 1;      int s = byte + byte;
//! ```
//! A warning is only about what is so for every input: these rules see too little rather than too much. The one about narrow arithmetic is about what is so for some,
//! and has a cast that says that it is meant; the one about crossed lanes is about time. What the text alone tells is said by the rules of expressions, where they meet it.

mod comparisons;
mod crossed_lanes;
mod escapes;
mod indices;
mod lane_order;
mod narrow;
mod one_per_lane;
mod parts;
mod shifts;
mod stored_once;
mod unset;

use super::state::Checker;
use crate::source::Span;
use crate::typed::ir::{Block, StatementKind};

impl Checker<'_> {
    /// What is strange about the body of the instance that was just checked; nothing where something in it was refused.
    pub fn warn_of_body(&mut self, body: &Block) {
        self.warn_of_unset(body);
        self.warn_of_lanes_as_one(body);
        // What a `foreach_unique` does once for each value is meant to be done once.
        let mut blocks = vec![(body, false)];
        while let Some((block, is_unique)) = blocks.pop() {
            for statement in &block.statements {
                for part in parts::of_statement(statement) {
                    self.warn_of_indices(part);
                    self.warn_of_comparisons(part);
                    self.warn_of_shifts(part);
                    self.warn_of_wrapping(part);
                    if block.context > 1 && !is_unique {
                        self.warn_of_stores(part, statement);
                    }
                }
                self.warn_of_crossed_lanes(statement);
                self.warn_of_lane_order(statement);
                if let StatementKind::Return(Some(value)) = &statement.kind {
                    self.warn_of_returned(value);
                }
                let is_unique = is_unique || matches!(statement.kind, StatementKind::ForeachUnique { .. });
                blocks.extend(parts::blocks_of(statement).into_iter().map(|block| (block, is_unique)));
            }
        }
    }

    /// The name of a local, and where it is declared; `None` for what the compiler made.
    fn named(&self, local: crate::typed::ir::LocalId) -> Option<(String, Span)> {
        let found = &self.body.locals[local.0 as usize];
        (!found.name.is_empty()).then(|| (found.name.clone(), found.span))
    }
}
