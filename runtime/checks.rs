//! What happens when a check does not hold.

use std::io::Write;
use std::sync::Mutex;

/// The exit code of a program that a check ended.
const EXIT_CODE: i32 = 101;

/// Writes a line to standard error and ends the program with exit code 101. Of several threads that want to end it the first
/// one does, and the others wait for the end.
pub(crate) fn end(message: &str) -> ! {
    static ENDING: Mutex<()> = Mutex::new(());
    let guard = ENDING.lock();
    // What the program has written so far comes first.
    let _ = std::io::stdout().flush();
    let _ = writeln!(std::io::stderr(), "{message}");
    std::mem::forget(guard);
    std::process::exit(EXIT_CODE)
}

/// Text that compiled code hands over; whatever is not UTF-8 is replaced.
///
/// # Safety
/// `text` leads to `length` bytes.
unsafe fn text<'a>(text: *const u8, length: u64) -> std::borrow::Cow<'a, str> {
    if length == 0 {
        return "".into();
    }
    String::from_utf8_lossy(unsafe { std::slice::from_raw_parts(text, length as usize) })
}

/// The message with the numbers in it: of as many `%` as there are numbers, each stands for the next one.
fn filled(message: &str, numbers: &[i64]) -> String {
    let mut parts = message.splitn(numbers.len() + 1, '%');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for (number, part) in numbers.iter().zip(parts) {
        text += &number.to_string();
        text += part;
    }
    text
}

/// Writes `file:line:column: message (lane k)` to standard error and ends the program with exit code 101. The numbers are put
/// into the message, see [`filled`].
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
) -> ! {
    let (message, file) = unsafe { (text(message, message_length), text(file, file_length)) };
    let numbers = if numbers.is_null() { &[] } else { unsafe { std::slice::from_raw_parts(numbers, number_count as usize) } };
    let message = filled(&message, numbers);
    let lane = if lane < 0 { String::new() } else { format!(" (lane {lane})") };
    end(&format!("{file}:{line}:{column}: {message}{lane}"))
}
