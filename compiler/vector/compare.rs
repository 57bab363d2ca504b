//! What comparisons say the other way round.

use super::ir::CompareOp;

impl CompareOp {
    /// What holds where a comparison of integers does not.
    pub fn negated(self) -> Option<CompareOp> {
        Some(match self {
            CompareOp::Eq => CompareOp::Ne,
            CompareOp::Ne => CompareOp::Eq,
            CompareOp::SLt => CompareOp::SGe,
            CompareOp::SLe => CompareOp::SGt,
            CompareOp::SGt => CompareOp::SLe,
            CompareOp::SGe => CompareOp::SLt,
            CompareOp::ULt => CompareOp::UGe,
            CompareOp::ULe => CompareOp::UGt,
            CompareOp::UGt => CompareOp::ULe,
            CompareOp::UGe => CompareOp::ULt,
            CompareOp::FEq | CompareOp::FNe | CompareOp::FLt | CompareOp::FLe | CompareOp::FGt | CompareOp::FGe => return None,
        })
    }

    /// The comparison of integers that are the same without a sign.
    pub fn without_sign(self) -> CompareOp {
        match self {
            CompareOp::SLt => CompareOp::ULt,
            CompareOp::SLe => CompareOp::ULe,
            CompareOp::SGt => CompareOp::UGt,
            CompareOp::SGe => CompareOp::UGe,
            op => op,
        }
    }

    /// The comparison with its sides exchanged.
    pub fn swapped(self) -> Option<CompareOp> {
        Some(match self {
            CompareOp::Eq | CompareOp::Ne => self,
            CompareOp::SLt => CompareOp::SGt,
            CompareOp::SLe => CompareOp::SGe,
            CompareOp::SGt => CompareOp::SLt,
            CompareOp::SGe => CompareOp::SLe,
            CompareOp::ULt => CompareOp::UGt,
            CompareOp::ULe => CompareOp::UGe,
            CompareOp::UGt => CompareOp::ULt,
            CompareOp::UGe => CompareOp::ULe,
            CompareOp::FEq | CompareOp::FNe | CompareOp::FLt | CompareOp::FLe | CompareOp::FGt | CompareOp::FGe => return None,
        })
    }
}
