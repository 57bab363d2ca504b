//! Mistakes that tests plant in what is decided and repeated while compiling, one at a time: what finds mistakes has to find these.

use std::cell::Cell;

/// A planted mistake.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StaticMistake {
    /// A `static for` leaves out its last round, if it has several.
    Round,
    /// Of a `static if` with an `else` the other part is taken.
    Arm,
    /// A template with other values is the instance that is there already.
    Instance,
    /// The index of a `static for` is the first number in each round.
    Index,
}

impl StaticMistake {
    /// All of them.
    pub const ALL: [StaticMistake; 4] = [StaticMistake::Round, StaticMistake::Arm, StaticMistake::Instance, StaticMistake::Index];
}

thread_local! {
    static PLANTED: Cell<Option<StaticMistake>> = const { Cell::new(None) };
}

/// From now on this thread makes a mistake, or none. Release builds make none.
pub fn plant_static(mistake: Option<StaticMistake>) {
    PLANTED.set(mistake);
}

/// Is this mistake made?
pub(super) fn makes(mistake: StaticMistake) -> bool {
    cfg!(debug_assertions) && PLANTED.get() == Some(mistake)
}
