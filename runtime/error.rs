//! Why something does not start.

use alloc::format;
use alloc::string::String;
use core::fmt;
use core::ops::{Add, Mul};

/// Why something does not start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(String);

impl Error {
    /// An error of these words.
    pub fn new(message: impl Into<String>) -> Error {
        Error(message.into())
    }

    /// What it is about, what is needed and what was given.
    pub fn message(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl core::error::Error for Error {}

/// A number of elements: a sum or product of integers that does not wrap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent(Option<i128>);

impl Extent {
    /// Is it the length of a slice?
    #[inline]
    pub fn is(self, length: usize) -> bool {
        self.0 == i128::try_from(length).ok()
    }
}

impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(number) => number.fmt(f),
            None => f.write_str("more than memory has"),
        }
    }
}

macro_rules! extents {
    ($($integer:ty),*) => {$(
        impl From<$integer> for Extent {
            #[inline]
            fn from(number: $integer) -> Extent {
                Extent(Some(number.into()))
            }
        }
    )*};
}

extents!(i8, i16, i32, i64, u8, u16, u32, u64);

impl Add for Extent {
    type Output = Extent;

    #[inline]
    fn add(self, other: Extent) -> Extent {
        Extent(self.0.zip(other.0).and_then(|(a, b)| a.checked_add(b)))
    }
}

impl Mul for Extent {
    type Output = Extent;

    #[inline]
    fn mul(self, other: Extent) -> Extent {
        Extent(self.0.zip(other.0).and_then(|(a, b)| a.checked_mul(b)))
    }
}

/// What is said of a slice that has not as many elements as `bound` is, where `parameters` have these values.
#[cold]
#[inline(never)]
pub fn wrong_length(slice: &str, found: usize, bound: &str, needed: Extent, parameters: &[(&str, Extent)]) -> Error {
    let mut message = format!("`{slice}` has {found} elements and `{bound}` is {needed}");
    for (at, (name, value)) in parameters.iter().enumerate() {
        message += &format!("{}{name} = {value}", if at == 0 { " (" } else { ", " });
    }
    message += if parameters.is_empty() { "" } else { ")" };
    Error(message)
}

/// What is said of slices that have not all the same length, or more elements than the type of `count` counts.
#[cold]
#[inline(never)]
pub fn wrong_lengths(count: &str, slices: &[(&str, usize)]) -> Error {
    let Some(&(first, length)) = slices.first() else { return Error::new("no slice") };
    Error(match slices.iter().find(|(_, found)| *found != length) {
        Some((other, found)) => {
            format!("`{first}` has {length} elements and `{other}` has {found}: both are to have `{count}`")
        }
        None => format!("`{first}` has {length} elements, which are more than `{count}` counts"),
    })
}

/// Panics with an error, at the line of the caller.
#[cold]
#[inline(never)]
#[track_caller]
pub fn fail(error: Error) -> ! {
    panic!("{error}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_do_not_wrap() {
        assert!((Extent::from(3) * Extent::from(2u64)).is(6));
        assert!((Extent::from(3i8) * Extent::from(2) + Extent::from(1)).is(7));
        let said = |found, needed| wrong_length("a", found, "w * h", needed, &[("w", 3.into()), ("h", 2.into())]).to_string();
        assert_eq!(said(5, Extent::from(3) * Extent::from(2)), "`a` has 5 elements and `w * h` is 6 (w = 3, h = 2)");
        let large = Extent::from(u64::MAX) * Extent::from(i64::MAX);
        assert_eq!(said(0, large * large), "`a` has 0 elements and `w * h` is more than memory has (w = 3, h = 2)");
        // What would be right if it wrapped.
        assert!(!(large * large).is(0));
        assert!(!(Extent::from(1u64 << 32) * Extent::from(1u64 << 32)).is(0));
        assert!(!(Extent::from(-1) * Extent::from(1)).is(0));
        assert!(!Extent::from(-1).is(usize::MAX));
    }

    #[test]
    fn slices_that_differ_are_named() {
        let said = |slices: &[(&str, usize)]| wrong_lengths("n", slices).to_string();
        assert_eq!(said(&[("x", 3), ("y", 3), ("z", 2)]), "`x` has 3 elements and `z` has 2: both are to have `n`");
        assert_eq!(said(&[("x", 1 << 31)]), "`x` has 2147483648 elements, which are more than `n` counts");
    }
}
