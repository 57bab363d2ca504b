//! Loops: Tgt and Tgt? of figure 7, loop nests whose bounds are holes until `bounds` fills them.
//!
//! ```text
//! fun g(x) = x * x;                       allocate g(?mem g_x)
//! fun f(x) = g(x) + g(x + 1);    ─𝓛─►     label g: for x in ?cpu g_x do g[x] ← x * x
//!                                         allocate f(?mem f_x)
//!                                         label f: for x in ?cpu f_x do f[x] ← g[x] + g[x + 1]
//! ```
//! * `ir`: statements, loop names (Lemma 6.1), holes (Definition 6.3). `check`: what must hold before they run. `print`: as the paper's figures show them.
//! * `lower`: 𝓛 of figure 9. `prune`: behind the directives, without what no output needs. `look_ups`: indices that are held inside where loops may go too far. `verify`: the invariants. `interpret`: figure 8, whose memory begins as ε_mem;
//!   `integers`: its start checks. `in_place`: what may be overwritten by what is made of it.

pub mod check;
pub mod in_place;
mod integers;
pub mod interpret;
pub mod ir;
pub mod look_ups;
pub mod lower;
pub mod print;
pub mod prune;
pub mod verify;
