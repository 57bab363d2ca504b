//! Images as compiled pipelines take them: the C ABI of `ivl_buffer`.

use crate::print::reason;
use std::cell::RefCell;
use std::ffi::{CString, c_char, c_void};

/// `ivl_dim`: a dimension of a [`Buffer`].
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dimension {
    /// The first coordinate.
    pub min: i32,
    /// How many coordinates there are.
    pub extent: i32,
    /// The distance of neighbours, in pixels.
    pub stride: i64,
}

/// `ivl_buffer`: an image of any type and rank, in memory that somebody else owns.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Buffer {
    /// The pixel whose coordinates are the minima.
    pub data: *mut c_void,
    /// As many dimensions as `rank` says.
    pub dim: *mut Dimension,
    /// The number of dimensions.
    pub rank: i32,
    /// The type of the pixels: [`Pixel::TYPE`].
    pub pixel: i32,
}

/// The types of pixels.
///
/// # Safety
/// `TYPE` is the number under which the compiler knows a type of this size and these values.
pub unsafe trait Pixel: Copy + Default + PartialEq + std::fmt::Debug + 'static {
    /// Its number in a [`Buffer`].
    const TYPE: i32;
}

macro_rules! pixels {
    ($($type:ty = $number:literal),*) => { $(
        // SAFETY: the numbers are those of `ivl_type` in the headers that the compiler writes; a test compares them.
        unsafe impl Pixel for $type {
            const TYPE: i32 = $number;
        }
    )* };
}

pixels!(bool = 1, i8 = 2, i16 = 3, i32 = 4, i64 = 5, u8 = 6, u16 = 7, u32 = 8, u64 = 9, f32 = 10, f64 = 11);

thread_local! {
    /// The reason that C was given last; it lives until the next one is asked for.
    static SHOWN: RefCell<CString> = RefCell::default();
}

/// Why the last pipeline of this thread that did not start did not; the text lives until the next call on this thread.
#[unsafe(no_mangle)]
pub extern "C" fn ivl_last_error() -> *const c_char {
    let text = CString::new(reason().replace('\0', "\u{fffd}")).expect("there are no zeros in it");
    SHOWN.set(text);
    SHOWN.with_borrow(|text| text.as_ptr())
}
