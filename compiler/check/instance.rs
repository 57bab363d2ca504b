//! What the checker knows of a function at some context and types.

use super::declared::Argument;
use super::infer::Learnt;
use crate::diagnostics::Diagnostic;
use crate::source::Span;
use crate::target::FpMode;
use crate::typed::ir::FunctionId;
use crate::types::Type;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Identifies an instance: T-INVOKE's f := (id, Λ, vec_Λ(t, ‖τ‖)), the arguments of a template, and the arithmetic that is asked of a
/// function of the library: its caller's.
pub(super) type InstanceKey = (usize, u8, Vec<Type>, Vec<Argument>, FpMode);

/// What is known of an instance beside its function.
#[derive(Default)]
pub(super) struct Instance {
    /// What the last round said.
    pub said: Vec<Diagnostic>,
    /// Whom the last round called, and where first.
    pub calls: Vec<(FunctionId, Span)>,
    /// Does it look at the lengths of its operands?
    pub looks_at_length: bool,
    /// What it is an instance of; `None` of functions that `pipeline` makes.
    pub key: Option<InstanceKey>,
    /// For each parameter: if it is a reference through which the function assigns, the length of what is assigned.
    pub references: Vec<Option<u8>>,
    /// Does all that it returns come from operations across lanes?
    pub is_cross_lane: bool,
    /// Who used its summary.
    pub users: BTreeSet<FunctionId>,
    /// What all rounds have found out.
    pub learnt: Learnt,
    pub is_open: bool,
    /// Has a summary that it used grown since?
    pub is_stale: bool,
    /// How often its result changed.
    pub results: u32,
}

impl Instance {
    /// That of a function which no source declares.
    pub fn made_elsewhere(parameters: usize) -> Instance {
        Instance { references: vec![None; parameters], ..Instance::default() }
    }

    /// The same with other numbers of functions.
    pub fn renumbered(mut self, numbers: &FxHashMap<FunctionId, FunctionId>) -> Instance {
        self.calls = self.calls.iter().filter_map(|(id, span)| Some((*numbers.get(id)?, *span))).collect();
        self.users = self.users.iter().filter_map(|id| numbers.get(id).copied()).collect();
        self
    }

    /// Forgets that an instance used it.
    pub fn forget_user(&mut self, user: FunctionId) {
        self.users.remove(&user);
    }
}
