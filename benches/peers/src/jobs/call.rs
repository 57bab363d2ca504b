//! A safe function around a kernel that does next to nothing, beside the kernel itself.

use super::{floats, wide};
use crate::case::{Case, case};
use crate::pairs::Tolerance;
use crate::unchecked::sys;
use ivl::Level;

pub fn cases(isa: Level, count: usize) -> Vec<Case> {
    let raw = if isa == Level::Avx512 { sys::call__avx512 } else { sys::call__avx2 };
    let data = || (floats(0, count / 4, -1.0, 1.0), floats(1, count / 4, -1.0, 1.0));
    vec![case!(
        "call", count, Tolerance::None, "strict",
        data data(),
        ours |d| call(&d.0, &mut d.1) as |d, _n| wide(&d.1),
        // SAFETY: both slices have as many elements.
        "the raw function", |d| unsafe { raw(d.0.as_ptr(), d.1.as_mut_ptr(), d.0.len() as i32) }, as |d, _n| wide(&d.1)
    )]
}
