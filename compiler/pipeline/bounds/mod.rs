//! Bounds inference (section 7): expressions for every hole.
//!
//! ```text
//! label g: for x in ?cpu g_x do …         let f.min = out.min(x), f.len = out.extent(x)
//! label f: for x in ?cpu f_x do     ──►   let g.min = f.min, g.len = f.len + 1
//!            f[x] ← g[x] + g[x + 1]       label g: for x in [g.min, +g.len) do …
//! ```
//! * `range`: what values an expression takes while variables range, by its `form` in `interval`, by cases in `pieces`, by trying
//!   in `enumerate`; `numbers` and `constants` for what numbers bound, `arithmetic` for bits.
//! * `places`: where funcs are produced. `accesses`: the reads of a nest.
//! * `infer`: the query 𝓑 of figure 10 (a), answered func by func from the last to the first. `parts`: what one reader needs, and
//!   the hull of such. `together`: which lengths are 0 together.
//! * `asserted`: what the schedule says of windows. `slide`, `fold`: what is stored outside of the loop in which it is computed.
//! * `names`: variables for large ends. `values`: what funcs can be. `overflow`, `size`: what must not leave `int`. `checks`: what
//!   is tested at the start. `fill`: the nest without holes behind that.
//!
//! # Invariants
//! 1. Compute windows cover every point that a decision (index, branch) needs, whatever is computed beyond the windows, and
//!    every point that a value inside of a compute window needs (§7.1).
//! 2. Allocation windows cover every access.
//! 3. A window derived from an empty one is empty.

mod accesses;
mod arithmetic;
pub mod asserted;
pub mod checks;
mod constants;
mod enumerate;
pub mod fill;
mod fold;
mod form;
pub mod infer;
mod interval;
mod names;
pub mod numbers;
pub mod overflow;
mod parts;
mod pieces;
mod places;
pub mod range;
mod size;
pub(super) mod slide;
#[cfg(test)]
mod slide_tests;
#[cfg(test)]
mod tests;
mod together;
mod values;
