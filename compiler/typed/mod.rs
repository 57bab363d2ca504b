//! The typed program, between `check` and `predicate`: monomorphic, all lengths resolved, masks implicit.
//!
//! `ir` defines it and lists its invariants, `operators` has its operators, `builtins` names what it calls, `rearrange` has those that put lanes elsewhere, `verify` checks them, `print` shows it, `facts` tells editors of it, `walk`
//! takes it apart, `origins` says where its pointers lead, `interpret` runs it.

pub mod builtins;
pub mod facts;
pub mod interpret;
pub mod ir;
mod operators;
pub mod origins;
pub mod print;
mod rearrange;
mod slice_bound;
pub mod verify;
pub mod walk;
