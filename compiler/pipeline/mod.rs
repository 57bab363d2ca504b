//! Pipelines: algorithm, schedule and bounds.
pub mod algorithm;
pub mod bounds;
pub mod build;
pub mod evaluate;
pub mod expr;
pub mod loops;
#[cfg(test)]
mod tests;
pub mod value;
