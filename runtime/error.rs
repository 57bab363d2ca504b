//! Why something does not start.

use alloc::format;
use alloc::string::String;
use core::fmt;

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
