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
            fn from(number: $integer) -> Extent {
                Extent(Some(number.into()))
            }
        }
    )*};
}

extents!(i8, i16, i32, i64, u8, u16, u32, u64);

impl Add for Extent {
    type Output = Extent;

    fn add(self, other: Extent) -> Extent {
        Extent(self.0.zip(other.0).and_then(|(a, b)| a.checked_add(b)))
    }
}

impl Mul for Extent {
    type Output = Extent;

    fn mul(self, other: Extent) -> Extent {
        Extent(self.0.zip(other.0).and_then(|(a, b)| a.checked_mul(b)))
    }
}

/// The slice has as many elements as the kernel takes it to have: `bound`, where `parameters` have these values.
///
/// # Errors
/// If it has fewer or more.
pub fn has_length(slice: &str, found: usize, bound: &str, needed: Extent, parameters: &[(&str, Extent)]) -> Result<(), Error> {
    if needed.0.is_some_and(|needed| usize::try_from(needed) == Ok(found)) {
        return Ok(());
    }
    let mut message = format!("`{slice}` has {found} elements and `{bound}` is {needed}");
    for (at, (name, value)) in parameters.iter().enumerate() {
        message += &format!("{}{name} = {value}", if at == 0 { " (" } else { ", " });
    }
    message += if parameters.is_empty() { "" } else { ")" };
    Err(Error(message))
}

/// The length that slices have, as the kernel counts it.
///
/// # Errors
/// If two slices have different lengths, or there are more elements than the type counts.
pub fn length<N: TryFrom<usize>>(count: &str, slices: &[(&str, usize)]) -> Result<N, Error> {
    let Some(&(first, length)) = slices.first() else { return N::try_from(0).map_err(|_| Error::new("no slice")) };
    if let Some((other, found)) = slices.iter().find(|(_, found)| *found != length) {
        let message = format!("`{first}` has {length} elements and `{other}` has {found}: both are to have `{count}`");
        return Err(Error(message));
    }
    N::try_from(length).map_err(|_| Error(format!("`{first}` has {length} elements, which are more than `{count}` counts")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_do_not_wrap() {
        let has = |found, needed| has_length("a", found, "w * h", needed, &[("w", 3.into()), ("h", 2.into())]);
        assert!(has(6, Extent::from(3) * Extent::from(2u64)).is_ok());
        assert!(has(7, Extent::from(3i8) * Extent::from(2) + Extent::from(1)).is_ok());
        let said = |found, needed| has(found, needed).expect_err("another length").to_string();
        assert_eq!(said(5, Extent::from(3) * Extent::from(2)), "`a` has 5 elements and `w * h` is 6 (w = 3, h = 2)");
        let large = Extent::from(u64::MAX) * Extent::from(i64::MAX);
        assert_eq!(said(0, large * large), "`a` has 0 elements and `w * h` is more than memory has (w = 3, h = 2)");
        // What would be right if it wrapped.
        assert!(has(0, Extent::from(1u64 << 32) * Extent::from(1u64 << 32)).is_err());
        assert!(has(0, Extent::from(-1) * Extent::from(1)).is_err());
    }
}
