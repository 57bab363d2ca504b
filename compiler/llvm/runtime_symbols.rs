//! The functions of the runtime that compiled code calls, for linking in memory.
//!
//! An object names them and is linked with the runtime's library; in memory they are those of this process.

use std::ffi::CStr;

/// Name and address of each function.
pub(super) fn all() -> Vec<(&'static CStr, usize)> {
    vec![]
}
