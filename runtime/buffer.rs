//! Images as compiled pipelines take them: the C ABI of `ivl_buffer`.

use core::ffi::c_void;

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
pub unsafe trait Pixel: Copy + Default + PartialEq + core::fmt::Debug + 'static {
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

pixels!(bool = 1, i8 = 2, i16 = 3, i32 = 4, i64 = 5, u8 = 6, u16 = 7, u32 = 8, u64 = 9, f32 = 10, f64 = 11, crate::Float16 = 12);
