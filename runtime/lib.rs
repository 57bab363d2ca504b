//! The run-time library of IVL programs: what compiled code calls, and what Rust programs that call it use.
//!
//! The functions have the C ABI and the names that the code generator knows. Nothing here depends on the compiler, so
//! that a program is linked with this library alone.
//!
//! * Containers: [`Hsoa`], blocks of elements; [`Image`], [`View`] and [`ViewMut`], pixels; [`Plane`], what a kernel sees of them.
//! * [`Level`] and [`Levels`]: which code this processor runs.
//! * [`include_ivl!`] makes a module of what `ivl-build` compiled.
//!
//! With the feature `ndarray`, [`View`] and [`ViewMut`] are made of arrays of that crate by `try_into`.
//! Without the feature `std` this is a `no_std` library (with `alloc`) for kernels that neither print, allocate nor use
//! threads, and without pipelines.

#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

#[cfg(feature = "ndarray")]
mod arrays;
mod buffer;
mod checks;
mod error;
mod float16;
mod hsoa;
mod image;
mod level;
#[cfg(feature = "std")]
mod memory;
mod plane;
#[cfg(feature = "std")]
mod print;
#[cfg(feature = "std")]
mod reason;
#[cfg(feature = "std")]
mod scratch;
#[cfg(feature = "std")]
mod threads;

pub use buffer::{Buffer, Dimension, Pixel};
pub use checks::{completed, ivl_check_failed, ivl_failed};
pub use error::{Error, Extent, fail, wrong_length, wrong_lengths};
pub use float16::Float16;
pub use hsoa::{Hsoa, Lanes};
pub use image::{Image, Shape, View, ViewMut, Window};
pub use level::{Level, Levels, ivl_dispatch, ivl_dispatch_at_most, ivl_level_supported};
pub use plane::Plane;
#[cfg(feature = "std")]
pub use {
    memory::{ivl_allocate, ivl_free},
    print::{Format, IvlPiece, captured, float_text, ivl_eprint, ivl_print, write_error},
    reason::{ivl_end, ivl_last_error, ivl_reason, ivl_reason_of, outcome, reason},
    scratch::{ivl_release, ivl_release_from, ivl_scratch},
    threads::{IvlTask, ivl_parallel, most_threads, set_threads},
};

/// The module `k` of what the build script compiled as `"k"` with `ivl-build`: its exports as safe functions.
///
/// ```ignore
/// ivl::include_ivl!("k");
///
/// k::saxpy(2.0, &x, &mut y);
/// ```
#[macro_export]
macro_rules! include_ivl {
    ($name:literal) => {
        include!(concat!(env!("OUT_DIR"), "/", $name, ".rs"));
    };
}
