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

/// What is known of a loop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LoopInfo {
    /// The mask of its rounds is narrower than at its start: the condition is a vector, or a jump is divergent.
    pub loses_lanes: bool,
    /// Lanes leave it one by one by `break` or `return`.
    pub lanes_leave: bool,
    /// Lanes leave it early by `return` alone: its condition is the same for all of them, and nothing breaks out of it.
    pub only_returns: bool,
    /// There are `continue`s to it, of whatever kind: the lanes at its end are not those of the next round.
    pub continues: bool,
}

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

impl LoopInfo {
    /// Looks at a loop; a `foreach` has no condition.
    pub fn of(types: &Types, condition: Option<&Expr>, body: &Block) -> LoopInfo {
        of_loop(types, condition, body).0
    }
}

fn of_block(types: &Types, block: &Block) -> Escapes {
    let statements = block.statements.iter();
    statements.fold(Escapes::default(), |all, s| all.join(of_statement(types, s, block.context)))
}

fn of_statement(types: &Types, statement: &Statement, context: u8) -> Escapes {
    let here = Jumps { real: context == 1, uniform: context > 1, divergent: false };
    match &statement.kind {
        StatementKind::Declare { .. } | StatementKind::Expression(_) | StatementKind::Delete(..) => Escapes::default(),
        StatementKind::Break => Escapes { breaks: here, ..Escapes::default() },
        StatementKind::Continue => Escapes { continues: here, ..Escapes::default() },
        StatementKind::Return(_) => Escapes { returns: here, ..Escapes::default() },
        StatementKind::Block(block) | StatementKind::Scalar(block) => of_block(types, block),
        StatementKind::If { condition, then, otherwise } => {
            let escapes = of_block(types, then).join(of_block(types, otherwise));
            if is_vector(types, condition) { escapes.narrowed() } else { escapes }
        }
        StatementKind::Switch { value, arms } => {
            let escapes = arms.iter().fold(Escapes::default(), |all, arm| all.join(of_block(types, &arm.body)));
            // Behind a divergent `break` of the switch its other jumps are taken by what is left of the lanes.
            let narrows = is_vector(types, value) || escapes.breaks.divergent;
            let escapes = Escapes { breaks: Jumps::default(), ..escapes };
            if narrows { escapes.narrowed() } else { escapes }
        }
        StatementKind::Loop { test_first: _, unrolling: _, condition, step: _, body } => {
            of_loop(types, condition.as_ref(), body).1
        }
        StatementKind::Foreach { parallel: _, unrolling: _, indices: _, body } => of_loop(types, None, body).1,
        StatementKind::ForeachActive { index: _, body } => of_block(types, body).behind_loop(),
        StatementKind::ForeachUnique { local: _, value: _, body } => of_block(types, body).behind_loop().narrowed(),
    }
}

/// What is known of a loop, and the jumps that leave it.
fn of_loop(types: &Types, condition: Option<&Expr>, body: &Block) -> (LoopInfo, Escapes) {
    let mut escapes = of_block(types, body);
    let divergent = escapes.breaks.divergent || escapes.continues.divergent || escapes.returns.divergent;
    if divergent {
        // Behind a divergent jump the other jumps of the round are taken by what is left of the lanes.
        escapes = escapes.narrowed();
    }
    let lanes_leave = escapes.breaks.divergent || escapes.returns.divergent;
    let loses_lanes = divergent || condition.is_some_and(|c| is_vector(types, c));
    let only_returns = !escapes.breaks.any() && !condition.is_some_and(|c| is_vector(types, c));
    let info = LoopInfo { loses_lanes, lanes_leave, only_returns, continues: escapes.continues.any() };
    let outside = escapes.behind_loop();
    (info, if loses_lanes { outside.narrowed() } else { outside })
}

/// Has the value more than one lane?
pub(super) fn is_vector(types: &Types, expr: &Expr) -> bool {
    types.length(expr.ty) > 1
}
