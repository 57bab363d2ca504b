//! Clauses of the rule that tests leave out, one at a time: what finds mistakes has to find these.

use super::super::state::Checker;
use std::cell::Cell;

/// The mistakes and the list of them, from one text.
macro_rules! mistakes {
    ($($(#[$docs:meta])* $name:ident,)*) => {
        /// A clause that is left out.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Mistake {
            $($(#[$docs])* $name,)*
        }

        impl Mistake {
            /// All of them.
            pub const ALL: [Mistake; [$(Mistake::$name),*].len()] = [$(Mistake::$name),*];
        }
    };
}

mistakes! {
    /// (a): the first branch of a vector `if`.
    Then,
    /// (a): the second branch.
    Else,
    /// (a): the right side of a vector `&&`.
    And,
    /// (a): the right side of a vector `||`.
    Or,
    /// (a): the second operand of a vector `?:`.
    FirstArm,
    /// (a): the third operand.
    SecondArm,
    /// (a): the body of a vector `switch`.
    Switch,
    /// (b): a loop with a vector condition.
    LoopCondition,
    /// (b): a loop that a partial `break` leaves.
    Break,
    /// (b): what stands before the `break` in such a loop.
    BeforeBreak,
    /// (b): the condition of a loop.
    InCondition,
    /// (b): the step of a `for`.
    InStep,
    /// (c): what stands behind a partial `continue`.
    Continue,
    /// (c): the counter there.
    CounterBehindContinue,
    /// A `break` behind a partial `continue` is one of all lanes.
    BreakBehindContinue,
    /// (d): what stands behind a partial `break` of a `switch`.
    SwitchBreak,
    /// (e): what stands behind a partial `return`.
    Return,
    /// (e): the loops around it.
    ReturnInLoop,
    /// The result is no variable that narrowings reach.
    Result,
    /// Clause 1: the values that are assigned.
    Value,
    /// Clause 2: the indices on the way.
    Index,
    /// Where lanes come from: what a call gives that takes them by reference.
    CallOfReference,
    /// A call is no assignment to what it is given by reference.
    ByReference,
    /// The values that a callee gives to a reference are scalars.
    ReferenceValue,
    /// An assignment through a local reference is one to nothing.
    LocalReference,
}

thread_local! {
    static PLANTED: Cell<Option<Mistake>> = const { Cell::new(None) };
}

/// From now on this thread checks with a clause left out, or with none. Release builds keep all clauses.
pub fn plant(mistake: Option<Mistake>) {
    PLANTED.set(mistake);
}

/// Is this clause left out?
pub(in super::super) fn leaves_out(mistake: Mistake) -> bool {
    cfg!(debug_assertions) && PLANTED.get() == Some(mistake)
}

impl<'a> Checker<'a> {
    /// Runs a rule, outside of the innermost narrowing where that clause is left out.
    pub fn unless_left_out<T>(&mut self, clause: Mistake, rule: impl FnOnce(&mut Self) -> T) -> T {
        let hidden = if leaves_out(clause) { self.body.narrowings.pop() } else { None };
        let result = rule(self);
        self.body.narrowings.extend(hidden);
        result
    }
}
