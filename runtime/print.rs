//! Printing: text and values, a vector as `<1,4,_,2>`.

use std::cell::RefCell;
use std::io::Write as _;
use std::sync::{Arc, Mutex, PoisonError};

/// A part of what is printed.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct IvlPiece {
    /// 0 text, 1 `bool` (a byte a lane), 2 i8, 3 i16, 4 i32, 5 i64, 6 f32, 7 f64, 8 pointer.
    pub kind: u8,
    /// Is an integer signed?
    pub signed: u8,
    /// How many lanes; 1 for a scalar.
    pub length: u16,
    /// How many bytes of text; of values how they are written ([`Format::bits`]).
    pub text_length: u32,
    /// The text or the lanes.
    pub data: *const u8,
    /// A byte for each lane, 0 where it is off; all are on where null.
    pub mask: *const u8,
}

/// The shortest text that reads back as the same number; very large and very small ones with an exponent.
pub fn float_text(value: impl std::fmt::Display + std::fmt::LowerExp + Into<f64> + Copy) -> String {
    let number: f64 = value.into();
    if number.is_nan() {
        return "nan".into();
    }
    let plain = number == 0.0 || number.is_infinite() || (1e-5..1e16).contains(&number.abs());
    if plain { format!("{value}") } else { format!("{value:e}") }
}

/// How a value is written: what stands in the braces of `%{8.3}`, `%{x}` or `%{8x}`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Format {
    /// At least so many characters a lane, with spaces in front.
    pub width: u8,
    /// So many digits behind the point of a float.
    pub precision: Option<u8>,
    /// The bits of an integer, by hexadecimal digits.
    pub is_hexadecimal: bool,
}

impl Format {
    /// What is written in braces; `None` if it is nothing of the kind, or too large.
    pub fn of(text: &str) -> Option<Format> {
        let number = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?;
        let (numbers, is_hexadecimal) = text.strip_suffix('x').map_or((text, false), |numbers| (numbers, true));
        let (width, precision) = match numbers.split_once('.') {
            Some((width, precision)) => (width, Some(number(precision)?)),
            None => (numbers, None),
        };
        let width = if width.is_empty() { 0 } else { number(width)? };
        (!text.is_empty()).then_some(Format { width, precision, is_hexadecimal })
    }

    /// As a number, which [`IvlPiece`] has; 0 for the one that says nothing.
    pub fn bits(self) -> u32 {
        let precision = self.precision.map_or(0, |digits| 1 + u32::from(digits));
        u32::from(self.width) | precision << 8 | u32::from(self.is_hexadecimal) << 24
    }

    fn from_bits(bits: u32) -> Format {
        let precision = (bits >> 8 & 0x1ff).checked_sub(1).map(|digits| digits as u8);
        Format { width: bits as u8, precision, is_hexadecimal: bits >> 24 != 0 }
    }

    /// The text of a lane, with spaces in front.
    pub fn padded(self, text: String) -> String {
        let width = usize::from(self.width);
        if text.len() < width { format!("{text:>width$}") } else { text }
    }

    /// A float: as [`float_text`], or with so many digits.
    pub fn float(self, value: impl std::fmt::Display + std::fmt::LowerExp + Into<f64> + Copy) -> String {
        match self.precision {
            Some(digits) if value.into().is_finite() => format!("{value:.0$}", usize::from(digits)),
            _ => float_text(value),
        }
    }
}

impl std::fmt::Display for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.width > 0 {
            write!(f, "{}", self.width)?;
        }
        if let Some(digits) = self.precision {
            write!(f, ".{digits}")?;
        }
        f.write_str(if self.is_hexadecimal { "x" } else { "" })
    }
}

/// # Safety
/// `data` leads to lanes of the kind, more than `index` of them.
unsafe fn lane_text(format: Format, kind: u8, signed: bool, data: *const u8, index: usize) -> String {
    macro_rules! lane {
        ($type:ty) => {
            // SAFETY: there are more than `index` lanes of the kind, which is the contract; they need not be aligned.
            unsafe { data.cast::<$type>().add(index).read_unaligned() }
        };
    }
    let is_signed = signed && !format.is_hexadecimal;
    macro_rules! integer {
        ($signed:ty, $unsigned:ty) => {
            match (is_signed, format.is_hexadecimal) {
                (true, _) => lane!($signed).to_string(),
                (false, false) => lane!($unsigned).to_string(),
                (false, true) => format!("{:x}", lane!($unsigned)),
            }
        };
    }
    match kind {
        1 => if lane!(u8) == 0 { "F" } else { "T" }.into(),
        2 => integer!(i8, u8),
        3 => integer!(i16, u16),
        4 => integer!(i32, u32),
        5 => integer!(i64, u64),
        6 => format.float(lane!(f32)),
        7 => format.float(lane!(f64)),
        _ => format!("{:#x}", lane!(u64)),
    }
}

/// # Safety
/// As for [`ivl_print`].
pub(crate) unsafe fn text_of(pieces: *const IvlPiece, count: u64) -> String {
    // SAFETY: there are as many pieces, which is the contract.
    let pieces = if count == 0 { &[] } else { unsafe { std::slice::from_raw_parts(pieces, count as usize) } };
    let mut text = String::new();
    for piece in pieces {
        if piece.kind == 0 {
            if piece.text_length > 0 {
                // SAFETY: the text of a piece is as long as it says, which is the contract.
                let bytes = unsafe { std::slice::from_raw_parts(piece.data, piece.text_length as usize) };
                text.push_str(&String::from_utf8_lossy(bytes));
            }
            continue;
        }
        let (lanes, format) = (usize::from(piece.length), Format::from_bits(piece.text_length));
        if lanes > 1 {
            text.push('<');
        }
        for lane in 0..lanes {
            if lane > 0 {
                text.push(',');
            }
            // SAFETY: a mask has a byte for each lane.
            let is_on = piece.mask.is_null() || unsafe { piece.mask.add(lane).read() } != 0;
            // SAFETY: the piece has so many lanes of its kind, which is the contract.
            let lane = is_on.then(|| unsafe { lane_text(format, piece.kind, piece.signed != 0, piece.data, lane) });
            text.push_str(&format.padded(lane.unwrap_or_else(|| "_".into())));
        }
        if lanes > 1 {
            text.push('>');
        }
    }
    text
}

/// Where text is collected instead of being written. The threads of a parallel loop share one.
pub(crate) type Sink = Arc<Mutex<String>>;

thread_local! {
    /// What this thread prints, while somebody wants it.
    static CAPTURED: RefCell<Option<Sink>> = const { RefCell::new(None) };
}

/// Where this thread prints, if not to standard output.
pub(crate) fn sink() -> Option<Sink> {
    CAPTURED.with_borrow(Option::clone)
}

/// Runs `f`, which prints to `sink` in the meantime.
pub(crate) fn printing_to<T>(sink: &Option<Sink>, f: impl FnOnce() -> T) -> T {
    let before = CAPTURED.replace(sink.clone());
    let result = f();
    CAPTURED.set(before);
    result
}

/// Runs `f` and gives what programs print in the meantime on this thread, and in its parallel loops, which does not go to
/// standard output.
pub fn captured<T>(f: impl FnOnce() -> T) -> (T, String) {
    let sink = Sink::default();
    let result = printing_to(&Some(sink.clone()), f);
    let text = std::mem::take(&mut *sink.lock().unwrap_or_else(PoisonError::into_inner));
    (result, text)
}

/// Writes pieces to standard output, all of them at once. Where it does not take them, as on a full disk, the program ends.
///
/// # Safety
/// `pieces` leads to `count` pieces, whose pointers lead to what they say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ivl_print(pieces: *const IvlPiece, count: u64) {
    if count == 0 {
        return;
    }
    // SAFETY: the contract is that of `text_of`.
    let text = unsafe { text_of(pieces, count) };
    if let Some(sink) = sink() {
        sink.lock().unwrap_or_else(PoisonError::into_inner).push_str(&text);
        return;
    }
    let mut output = std::io::stdout().lock();
    // The end of the program may not pass here, so nothing is kept back.
    let written = output.write_all(text.as_bytes()).and_then(|()| output.flush());
    drop(output);
    match written {
        // A program whose output nobody reads goes on.
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => crate::checks::end(&format!("standard output: {error}")),
        Ok(()) | Err(_) => {}
    }
}

/// The same on standard error, which is not captured; that nobody takes it is no error.
///
/// # Safety
/// As for [`ivl_print`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ivl_eprint(pieces: *const IvlPiece, count: u64) {
    // SAFETY: the contract is that of `text_of`.
    write_error(&unsafe { text_of(pieces, count) });
}

/// Writes a text to standard error at once.
pub fn write_error(text: &str) {
    drop(std::io::stderr().lock().write_all(text.as_bytes()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_as_short_as_they_read_back() {
        let single = [(0.1, "0.1"), (1.0, "1"), (-0.0, "-0"), (1e20, "1e20"), (1.5e-7, "1.5e-7"), (f32::INFINITY, "inf")];
        for (value, text) in single {
            assert_eq!(float_text(value), text);
        }
        assert_eq!(float_text(0.1f64 + 0.2), "0.30000000000000004");
        assert_eq!(float_text(f64::NAN), "nan");
        assert_eq!(float_text(-f64::INFINITY), "-inf");
    }

    #[test]
    fn what_is_printed_can_be_captured() {
        let piece = |text: &'static str| {
            let (data, mask, text_length) = (text.as_ptr(), std::ptr::null(), text.len() as u32);
            IvlPiece { kind: 0, signed: 0, length: 0, text_length, data, mask }
        };
        let (inner, outer) = captured(|| {
            // SAFETY: there is one piece, whose text is a literal.
            unsafe { ivl_print([piece("a")].as_ptr(), 1) };
            // SAFETY: there is one piece, whose text is a literal.
            let inner = captured(|| unsafe { ivl_print([piece("b")].as_ptr(), 1) });
            // SAFETY: there is one piece, whose text is a literal.
            unsafe { ivl_print([piece("c")].as_ptr(), 1) };
            inner
        });
        assert_eq!((inner.1.as_str(), outer.as_str()), ("b", "ac"));
    }

    #[test]
    fn formats_are_read_written_and_numbered() {
        for (text, number, float) in
            [("8.3", 0x408, "   2.500"), ("8", 8, "     2.5"), (".0", 0x100, "2"), ("12x", 0x100_000c, "         2.5")]
        {
            let format = Format::of(text).expect("it is one");
            assert_eq!((format.to_string().as_str(), format.bits()), (text, number));
            assert_eq!(Format::from_bits(number), format);
            assert_eq!(format.padded(format.float(2.5f32)), float);
        }
        assert_eq!(Format::default().bits(), 0);
        for text in ["", "8.", "3f", "300", "-2", "+2", "x8", ".300", "8.3.1", "é"] {
            assert_eq!(Format::of(text), None, "{text}");
        }
        assert_eq!(Format::of(".255").map(|format| Format::from_bits(format.bits())), Format::of(".255"));
    }

    #[test]
    fn vectors_have_brackets_and_lanes_that_are_off_do_not_show() {
        let words = b"v = ";
        let numbers = [1i32, -4, 5];
        let bytes = [200u8];
        let truths = [1u8, 0];
        let mask = [1u8, 0, 1];
        let piece = |kind, signed, length, data: *const u8, mask| {
            // Four bytes of text, and values that are written as they are.
            let text_length = if kind == 0 { 4 } else { 0 };
            IvlPiece { kind, signed, length, text_length, data, mask }
        };
        let null = std::ptr::null();
        let pieces = [
            piece(0, 0, 0, words.as_ptr(), null),
            piece(4, 1, 3, numbers.as_ptr().cast(), mask.as_ptr()),
            piece(2, 0, 1, bytes.as_ptr(), null),
            piece(1, 0, 2, truths.as_ptr(), null),
        ];
        // SAFETY: there are four pieces, of as many lanes as there are numbers.
        assert_eq!(unsafe { text_of(pieces.as_ptr(), 4) }, "v = <1,_,5>200<T,F>");
    }
}
