//! What is tested before any work is done.

use super::super::expr::{Expr, FuncId, InputId, Source, Variable};

/// A condition without which a pipeline does not start.
#[derive(Clone, Debug)]
pub struct Check {
    /// What must hold.
    pub condition: Expr,
    /// What it is about.
    pub subject: Subject,
    /// Why the pipeline does not start: each `%` stands for a number, and `%%` for itself.
    pub reason: String,
    /// The numbers.
    pub numbers: Vec<Expr>,
}

/// The subject of a start check.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Subject {
    /// What the algorithm requires; by number.
    Requirement(usize),
    /// What it requires of a func; by number.
    Guard(usize),
    /// An output has the window that its algorithm says.
    Exact(FuncId, usize),
    /// The extent of a requested window is not negative.
    Extent(FuncId, usize),
    /// The factor of a split is at least 1.
    Factor(usize),
    /// An output is such that a split of it stays inside; by number.
    Fit(usize),
    /// The modulus of an alignment is at least 1; by number of its assertion.
    Modulus(usize),
    /// What is needed of a func lies in what the schedule asserts; by number of the assertion.
    Bound(usize),
    /// A factor of folded storage is a power of two, and large enough.
    Fold(FuncId),
    /// A reduction domain has no negative extent (Definition 5.2).
    ReductionDomain(FuncId, usize, Variable),
    /// An input has what is read of it.
    Input(InputId, usize),
    /// An output has room for what is stored; more than was asked for may be stored where a schedule rounds up.
    Output(FuncId, usize),
    /// An output and an input have no memory in common.
    Overlap(FuncId, InputId),
    /// Two outputs have no memory in common.
    OutputOverlap(FuncId, FuncId),
    /// An image or an output that has points has memory.
    Pixels(Source),
    /// The images of a tuple have one window.
    Component(FuncId, usize),
    /// Windows are far from the ends of `int`.
    Range(FuncId, usize),
    /// A func that is read at computed places has so few elements that an `int` numbers them.
    Elements(FuncId),
    /// Those of a func inside of loops are; by number.
    Reach(usize),
    /// A reduction domain is.
    DomainRange(FuncId, usize, Variable),
    /// What indices are computed of does not leave `int`; by number.
    Operands(usize),
}

impl Subject {
    /// Must it hold for windows to be right, whatever memory the caller has?
    pub fn is_of_windows(self) -> bool {
        use Subject::{Bound, DomainRange, Operands, Range, Reach};
        matches!(self, Range(..) | Bound(_) | Reach(_) | DomainRange(..) | Operands(_))
    }

    /// Is it about startup expressions, and known before any window is?
    pub fn is_early(self) -> bool {
        matches!(
            self,
            Subject::Requirement(_)
                | Subject::Exact(..)
                | Subject::Extent(..)
                | Subject::Factor(_)
                | Subject::Fold(_)
                | Subject::Modulus(_)
                | Subject::ReductionDomain(..)
        )
    }
}
