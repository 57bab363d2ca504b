//! Why a pipeline does not start: compiled code keeps the reason, its caller asks for it.

use crate::Error;
use crate::checks::{filled, text};
use crate::print::{IvlPiece, text_of};
use std::cell::RefCell;
use std::ffi::{CString, c_char};

thread_local! {
    /// Why the last pipeline of this thread that did not start did not.
    static REASON: RefCell<String> = const { RefCell::new(String::new()) };

    /// The reason that C was given last; it lives until the next one is asked for.
    static SHOWN: RefCell<CString> = RefCell::default();
}

/// Why the last pipeline of this thread that did not start did not.
pub fn reason() -> String {
    REASON.with_borrow(String::clone)
}

/// What the number means that a compiled pipeline returned on this thread just now.
///
/// # Errors
/// Why it did not start.
pub fn outcome(status: i32) -> Result<(), Error> {
    if status == 0 { Ok(()) } else { Err(Error::new(reason())) }
}

/// Why the last pipeline of this thread that did not start did not; the text lives until the next call on this thread.
#[unsafe(no_mangle)]
pub extern "C" fn ivl_last_error() -> *const c_char {
    let text = CString::new(reason().replace('\0', "\u{fffd}")).expect("there are no zeros in it");
    SHOWN.set(text);
    SHOWN.with_borrow(|text| text.as_ptr())
}

/// Keeps pieces as the reason why a pipeline does not start.
///
/// # Safety
/// As for [`ivl_print`](crate::ivl_print).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ivl_reason(pieces: *const IvlPiece, count: u64) {
    // SAFETY: the contract is that of `text_of`.
    REASON.set(unsafe { text_of(pieces, count) });
}

/// Keeps a text as the reason why a pipeline does not start, in which each zero byte stands for the next number.
///
/// # Safety
/// `format` leads to as many bytes as its length says, `numbers` to as many numbers as there are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ivl_reason_of(format: *const u8, length: u64, numbers: *const i64, count: u64) {
    // SAFETY: there are as many bytes, which is the contract.
    let format = unsafe { text(format, length) };
    // SAFETY: there are as many numbers, which is the contract.
    let numbers = if count == 0 { &[] } else { unsafe { core::slice::from_raw_parts(numbers, count as usize) } };
    REASON.set(filled(&format, '\0', numbers));
}

/// Keeps the reason that was kept, with pieces behind it, as why a function fails.
///
/// # Safety
/// As for [`ivl_print`](crate::ivl_print).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ivl_end(pieces: *const IvlPiece, count: u64) {
    // SAFETY: the contract is that of `text_of`.
    let text = unsafe { text_of(pieces, count) };
    crate::checks::keep(format!("{}{text}", reason()));
}
