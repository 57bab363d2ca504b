//! What happens when a check does not hold.
//!
//! Compiled code keeps the message for its thread and comes back, function by function, without unwinding; a parallel loop hands the first
//! message of its threads to the one that came to it. What called the kernel then asks for it: a Rust program by [`completed`], and
//! whatever has no use for a status ends by [`ivl_failed`].

use crate::Error;
use alloc::borrow::{Cow, ToOwned};
use alloc::format;
use alloc::string::{String, ToString};

/// The exit code of a program that a check ended.
#[cfg(feature = "std")]
const EXIT_CODE: i32 = 101;

/// Writes a line to standard error and ends the program with exit code 101. Of several threads that want to end it the first
/// one does, and the others wait for the end.
#[cfg(feature = "std")]
pub(crate) fn end(message: &str) -> ! {
    use std::io::Write;
    static ENDING: std::sync::Mutex<()> = std::sync::Mutex::new(());
    let guard = ENDING.lock();
    // What the program has written so far comes first.
    let _ = std::io::stdout().flush();
    let _ = writeln!(std::io::stderr(), "{message}");
    std::mem::forget(guard);
    std::process::exit(EXIT_CODE)
}

#[cfg(feature = "std")]
mod message {
    use std::cell::RefCell;

    thread_local! {
        /// Why the last function of this thread that failed did.
        static MESSAGE: RefCell<String> = const { RefCell::new(String::new()) };
    }

    pub fn keep(message: String) {
        MESSAGE.set(message);
    }

    pub fn kept() -> String {
        MESSAGE.with_borrow(String::clone)
    }
}

/// Without threads of its own, a program has one message.
#[cfg(not(feature = "std"))]
mod message {
    use alloc::string::String;
    use core::cell::UnsafeCell;
    use core::sync::atomic::{AtomicBool, Ordering};

    struct Message {
        is_taken: AtomicBool,
        text: UnsafeCell<String>,
    }

    // SAFETY: the text is looked at by whoever has taken it.
    unsafe impl Sync for Message {}

    static MESSAGE: Message = Message { is_taken: AtomicBool::new(false), text: UnsafeCell::new(String::new()) };

    fn with<T>(run: impl FnOnce(&mut String) -> T) -> T {
        while MESSAGE.is_taken.swap(true, Ordering::Acquire) {
            core::hint::spin_loop();
        }
        // SAFETY: it is taken, and given back below.
        let result = run(unsafe { &mut *MESSAGE.text.get() });
        MESSAGE.is_taken.store(false, Ordering::Release);
        result
    }

    pub fn keep(message: String) {
        with(|text| *text = message);
    }

    pub fn kept() -> String {
        with(|text| text.clone())
    }
}

/// Keeps a message as the reason why a function of this thread fails.
pub(crate) fn keep(text: String) {
    message::keep(text);
}

/// Why the last function of this thread that failed did.
pub(crate) fn kept() -> String {
    message::kept()
}

/// What the status means that a compiled function returned on this thread just now.
///
/// # Errors
/// The check that did not hold, with its position.
#[inline]
pub fn completed(status: u32) -> Result<(), Error> {
    if status == 0 { Ok(()) } else { Err(reason_kept()) }
}

#[cold]
#[inline(never)]
fn reason_kept() -> Error {
    Error::new(kept())
}

/// Ends the program with the message that was kept, and exit code 101.
#[unsafe(no_mangle)]
pub extern "C" fn ivl_failed() -> ! {
    #[cfg(feature = "std")]
    end(&kept());
    // What panics here ends the program, too.
    #[cfg(not(feature = "std"))]
    panic!("{}", kept());
}

/// Text that compiled code hands over; whatever is not UTF-8 is replaced.
///
/// # Safety
/// `text` leads to `length` bytes.
pub(crate) unsafe fn text<'a>(text: *const u8, length: u64) -> Cow<'a, str> {
    if length == 0 {
        return "".into();
    }
    // SAFETY: as the contract says, and it is not empty.
    String::from_utf8_lossy(unsafe { core::slice::from_raw_parts(text, length as usize) })
}

/// The message with the numbers in it: of as many marks as there are numbers, each stands for the next one.
pub(crate) fn filled(message: &str, mark: char, numbers: &[i64]) -> String {
    let mut parts = message.splitn(numbers.len() + 1, mark);
    let mut text = parts.next().unwrap_or_default().to_owned();
    for (number, part) in numbers.iter().zip(parts) {
        text += &number.to_string();
        text += part;
    }
    text
}

/// Keeps `file:line:column: message (lane k)` as the reason why a function fails. The numbers stand in the message where it has a place
/// for them.
///
/// # Safety
/// `message` and `file` lead to as many bytes as their lengths say, `numbers` to as many numbers as there are, or it is null and there
/// are none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ivl_check_failed(
    message: *const u8,
    message_length: u64,
    file: *const u8,
    file_length: u64,
    line: u32,
    column: u32,
    lane: i32,
    numbers: *const i64,
    number_count: u64,
) {
    // SAFETY: both lead to as many bytes as their lengths say, which is the contract.
    let (message, file) = unsafe { (text(message, message_length), text(file, file_length)) };
    // SAFETY: there are as many numbers, which is the contract; null is looked at before.
    let numbers = if numbers.is_null() { &[] } else { unsafe { core::slice::from_raw_parts(numbers, number_count as usize) } };
    let message = filled(&message, '%', numbers);
    let lane = if lane < 0 { String::new() } else { format!(" (lane {lane})") };
    keep(format!("{file}:{line}:{column}: {message}{lane}"));
}
