//! How long functions and pieces may be, and which instructions count.

use crate::vector::ir::Op;

/// How long functions and pieces may be, in instructions that are not computed again in each piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// A function is cut from this length on.
    pub long: usize,
    /// A piece with loops is closed behind the loop that makes it so long.
    pub piece: usize,
    /// So many instructions without loops and vectors in a row are cold.
    pub cold_from: usize,
    /// A cold piece is about so long.
    pub cold: usize,
}

impl Default for Limits {
    /// With the pipelines of `examples`, pieces of 400, 800 and 1600 instructions were no better or worse for LLVM's time than
    /// measurements differ. The other limits are chosen, not measured: about two pieces are worth a cut.
    fn default() -> Self {
        Limits { long: 2000, piece: 1200, cold_from: 200, cold: 1000 }
    }
}

/// Is it computed again in each piece that needs it, rather than handed on? Its operands are then handed on, of which
/// there are not more.
pub(super) fn is_copied(op: &Op) -> bool {
    matches!(
        op,
        Op::Const(_)
            | Op::Splat(_)
            | Op::Ramp { .. }
            | Op::FirstLanes(_)
            | Op::Convert(..)
            | Op::PtrIndex { .. }
            | Op::PtrOffset(..)
            | Op::SlotAddress(_)
            | Op::GlobalAddress(_)
    )
}
