//! Predication against its own definition: N lanes of an instance do what N scalar runs do.
//!
//! `random` makes structured programs with jumps and instantiates each of them twice, at length 1 (plain control flow)
//! and at length N (masks); `vector::interpret` runs both. The other tests look at the shape of what is emitted.

mod builtins;
mod random;
mod shapes;
mod typed;
