//! The functions of the runtime that compiled code calls, for linking in memory.
//!
//! An object names them and is linked with the runtime's library; in memory they are those of this process.

use std::ffi::CStr;

/// Name and address of each function.
pub(super) fn all() -> [(&'static CStr, usize); 13] {
    [
        (c"ivl_print", ivl::ivl_print as *const () as usize),
        (c"ivl_eprint", ivl::ivl_eprint as *const () as usize),
        (c"ivl_reason", ivl::ivl_reason as *const () as usize),
        (c"ivl_reason_of", ivl::ivl_reason_of as *const () as usize),
        (c"ivl_end", ivl::ivl_end as *const () as usize),
        (c"ivl_check_failed", ivl::ivl_check_failed as *const () as usize),
        (c"ivl_failed", ivl::ivl_failed as *const () as usize),
        (c"ivl_release_from", ivl::ivl_release_from as *const () as usize),
        (c"ivl_parallel", ivl::ivl_parallel as *const () as usize),
        (c"ivl_allocate", ivl::ivl_allocate as *const () as usize),
        (c"ivl_scratch", ivl::ivl_scratch as *const () as usize),
        (c"ivl_release", ivl::ivl_release as *const () as usize),
        (c"ivl_free", ivl::ivl_free as *const () as usize),
    ]
}
