//! Which loops lose lanes one by one, and which are left by all lanes together.
//!
//! A jump is *uniform* in a loop if nothing between them narrows the mask: all lanes of the round take it, and it is
//! an ordinary jump. It is *divergent* below a vector `if`, `foreach_unique` or another loop that loses lanes. A loop
//! must carry a mask of its live lanes if its condition is a vector or a divergent jump leaves its round:
//!
//! ```text
//! while (n > 0) { if (v < 0) break; }       divergent: the loop carries a mask        (v: a vector)
//! while (n > 0) { if (n == 7) break; }      uniform: a plain loop, the mask stays P   (n: a scalar)
//! ```

use crate::typed::ir::{Block, Expr, Statement, StatementKind};
use crate::types::Types;
use std::collections::HashMap;

/// What is known of a loop.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct LoopInfo {
    /// The mask of its rounds is narrower than at its start: the condition is a vector, or a jump is divergent.
    pub loses_lanes: bool,
    /// Lanes leave it one by one by `break` or `return`.
    pub lanes_leave: bool,
    /// There are `continue`s to it, of whatever kind: the lanes at its end are not those of the next round.
    pub continues: bool,
}

/// What is known of the loops of a function, by their bodies.
#[derive(Debug, Default)]
pub(super) struct Uniformity(HashMap<*const Block, LoopInfo>);

/// The jumps that leave a statement.
#[derive(Clone, Copy, Debug, Default)]
struct Escapes {
    breaks: Jumps,
    continues: Jumps,
    returns: Jumps,
}

/// Jumps of one kind.
#[derive(Clone, Copy, Debug, Default)]
struct Jumps {
    /// Some in context 1: ordinary jumps of all lanes wherever they stand (`scalar { break; }`).
    real: bool,
    /// Some of all lanes of the round together.
    uniform: bool,
    /// Some of a part of the lanes.
    divergent: bool,
}

impl Jumps {
    fn any(self) -> bool {
        self.real || self.uniform || self.divergent
    }

    fn join(self, other: Jumps) -> Jumps {
        Jumps {
            real: self.real || other.real,
            uniform: self.uniform || other.uniform,
            divergent: self.divergent || other.divergent,
        }
    }

    /// Seen from outside of something that narrows the mask.
    fn narrowed(self) -> Jumps {
        Jumps { real: self.real, uniform: false, divergent: self.uniform || self.divergent }
    }
}

impl Escapes {
    fn join(self, other: Escapes) -> Escapes {
        Escapes {
            breaks: self.breaks.join(other.breaks),
            continues: self.continues.join(other.continues),
            returns: self.returns.join(other.returns),
        }
    }

    /// Seen from outside of something that narrows the mask.
    fn narrowed(self) -> Escapes {
        Escapes { breaks: self.breaks.narrowed(), continues: self.continues.narrowed(), returns: self.returns.narrowed() }
    }

    /// Seen from outside of a loop: only returns go on.
    fn behind_loop(self) -> Escapes {
        Escapes { returns: self.returns, ..Escapes::default() }
    }
}

impl Uniformity {
    /// Looks at every loop of a function body.
    pub fn of(types: &Types, body: &Block) -> Uniformity {
        let mut uniformity = Uniformity::default();
        uniformity.block(types, body);
        uniformity
    }

    /// What is known of the loop with this body.
    pub fn loop_info(&self, body: &Block) -> LoopInfo {
        self.0.get(&std::ptr::from_ref(body)).copied().unwrap_or_default()
    }

    fn block(&mut self, types: &Types, block: &Block) -> Escapes {
        let statements = block.statements.iter();
        statements.fold(Escapes::default(), |all, s| all.join(self.statement(types, s, block.context)))
    }

    fn statement(&mut self, types: &Types, statement: &Statement, context: u8) -> Escapes {
        let here = Jumps { real: context == 1, uniform: context > 1, divergent: false };
        match &statement.kind {
            StatementKind::Declare { .. } | StatementKind::Expression(_) | StatementKind::Delete(..) => Escapes::default(),
            StatementKind::Break => Escapes { breaks: here, ..Escapes::default() },
            StatementKind::Continue => Escapes { continues: here, ..Escapes::default() },
            StatementKind::Return(_) => Escapes { returns: here, ..Escapes::default() },
            StatementKind::Block(block) | StatementKind::Scalar(block) => self.block(types, block),
            StatementKind::If { condition, then, otherwise } => {
                let escapes = self.block(types, then).join(self.block(types, otherwise));
                if is_vector(types, condition) { escapes.narrowed() } else { escapes }
            }
            StatementKind::Switch { value, arms } => {
                let escapes = arms.iter().fold(Escapes::default(), |all, arm| all.join(self.block(types, &arm.body)));
                // Behind a divergent `break` of the switch its other jumps are taken by what is left of the lanes.
                let narrows = is_vector(types, value) || escapes.breaks.divergent;
                let escapes = Escapes { breaks: Jumps::default(), ..escapes };
                if narrows { escapes.narrowed() } else { escapes }
            }
            StatementKind::Loop { test_first: _, condition, step: _, body } => {
                let vector = condition.as_ref().is_some_and(|c| is_vector(types, c));
                self.loop_body(types, body, vector)
            }
            StatementKind::Foreach { parallel: _, indices: _, body } => self.loop_body(types, body, false),
            StatementKind::ForeachActive { index: _, body } => self.block(types, body).behind_loop(),
            StatementKind::ForeachUnique { local: _, value: _, body } => self.block(types, body).behind_loop().narrowed(),
        }
    }

    fn loop_body(&mut self, types: &Types, body: &Block, vector_condition: bool) -> Escapes {
        let mut escapes = self.block(types, body);
        let divergent = escapes.breaks.divergent || escapes.continues.divergent || escapes.returns.divergent;
        if divergent {
            // Behind a divergent jump the other jumps of the round are taken by what is left of the lanes.
            escapes = escapes.narrowed();
        }
        let lanes_leave = escapes.breaks.divergent || escapes.returns.divergent;
        let loses_lanes = vector_condition || divergent;
        let info = LoopInfo { loses_lanes, lanes_leave, continues: escapes.continues.any() };
        self.0.insert(std::ptr::from_ref(body), info);
        let outside = escapes.behind_loop();
        if info.loses_lanes { outside.narrowed() } else { outside }
    }
}

/// Has the value more than one lane?
pub(super) fn is_vector(types: &Types, expr: &Expr) -> bool {
    types.length(expr.ty) > 1
}
