//! The run-time library of IVL programs.
