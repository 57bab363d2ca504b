//! What the command does: files for other programs, pipelines on image files, and what it says of itself.
//!
//! * [`build`]: what is written, and under which names.
//! * [`arguments`]: the words of the command line, against what the pipeline takes.
//! * [`picture`]: files and their samples. `numpy`: arrays of NumPy. [`window`]: the window of an output that nobody gave.
//! * [`apply`]: all of it together. [`draw`]: `ivlc schedule`.
//! * [`recursion`]: what is said of a program that runs and whose calls do not end.
//! * [`doctor`]: is everything there? [`pages`]: completions and manual pages.

#[cfg(feature = "llvm")]
pub mod apply;
pub mod arguments;
pub mod build;
pub mod doctor;
pub mod draw;
#[cfg(feature = "llvm")]
mod numpy;
pub mod pages;
#[cfg(feature = "llvm")]
mod picture;
#[cfg(feature = "llvm")]
pub mod recursion;
#[cfg(feature = "llvm")]
mod window;
