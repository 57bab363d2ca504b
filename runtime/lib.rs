//! The run-time library of IVL programs: what compiled code calls.
//!
//! The functions have the C ABI and the names that the code generator knows. Nothing here depends on the compiler, so
//! that a program is linked with this library alone.

mod buffer;
mod checks;
mod hsoa;
mod image;
mod memory;
mod print;
mod scratch;
mod threads;

pub use buffer::{Buffer, Dimension, Pixel, ivl_last_error};
pub use checks::ivl_check_failed;
pub use hsoa::{Hsoa, Lanes};
pub use image::{Error, Image, Shape, View, ViewMut, Window, length, outcome};
pub use memory::{ivl_allocate, ivl_free};
pub use print::{IvlPiece, captured, float_text, ivl_end, ivl_print, ivl_reason, reason};
pub use scratch::{ivl_release, ivl_scratch};
pub use threads::{IvlTask, ivl_parallel, set_threads};
