//! Stage llvm.
