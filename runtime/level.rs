//! Instruction sets, and which of those that a program has code for runs on this processor.
//!
//! ```text
//! levels that there is code for        sse4 avx2 avx512
//! levels that the processor runs       sse2 sse4 avx avx2          CPUID, and XGETBV: does the system keep the registers?
//! at most IVL_MAX_ISA                  sse2 sse4 avx avx2          where it is set
//! the highest of what is left          avx2
//! ```
//! Nothing is left where a processor is too old for a program, which is told so before it comes to an instruction that the
//! processor does not know.

use crate::Error;
use alloc::format;
use core::fmt;
use core::sync::atomic::{AtomicU32, Ordering};

/// An x86-64 instruction set level: what the compiler calls a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// Every x86-64 processor.
    Sse2,
    /// SSE4.2 with popcnt: x86-64-v2 (2008).
    Sse4,
    /// 256-bit floats (2011).
    Avx,
    /// AVX2, FMA, BMI, F16C: x86-64-v3 (2013).
    Avx2,
    /// AVX-512 F, CD, BW, DQ, VL: x86-64-v4 (2017).
    Avx512,
}

impl Level {
    /// All levels, the lowest first; each includes those before it.
    pub const ALL: [Level; 5] = [Level::Sse2, Level::Sse4, Level::Avx, Level::Avx2, Level::Avx512];

    /// Its name as a target and in `IVL_MAX_ISA`.
    pub fn name(self) -> &'static str {
        match self {
            Level::Sse2 => "sse2",
            Level::Sse4 => "sse4",
            Level::Avx => "avx",
            Level::Avx2 => "avx2",
            Level::Avx512 => "avx512",
        }
    }

    /// The level of this name.
    pub fn from_name(name: &str) -> Option<Level> {
        Level::ALL.into_iter().find(|level| level.name() == name)
    }

    /// Does this processor run it, and does the system keep its registers? Whatever `IVL_MAX_ISA` says.
    pub fn supported(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        {
            use core_detect::is_x86_feature_detected as has;
            match self {
                Level::Sse2 => true,
                Level::Sse4 => has!("sse4.2") && has!("popcnt") && has!("ssse3"),
                Level::Avx => Level::Sse4.supported() && has!("avx"),
                Level::Avx2 => {
                    let scalar = has!("bmi1") && has!("bmi2") && has!("lzcnt");
                    Level::Avx.supported() && has!("avx2") && has!("fma") && has!("f16c") && scalar
                }
                Level::Avx512 => {
                    let vector = has!("avx512f") && has!("avx512bw") && has!("avx512dq") && has!("avx512vl") && has!("avx512cd");
                    Level::Avx2.supported() && vector
                }
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            false
        }
    }

    /// The highest level that this machine runs; `None` where it is no x86-64 processor.
    pub fn host() -> Option<Level> {
        Level::ALL.into_iter().rev().find(|level| level.supported())
    }

    const fn bit(self) -> u32 {
        1 << self as u32
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Levels that there is code for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Levels(u32);

impl Levels {
    /// These levels.
    pub const fn new(levels: &[Level]) -> Levels {
        let (mut bits, mut k) = (0, 0);
        while k < levels.len() {
            bits |= levels[k].bit();
            k += 1;
        }
        Levels(bits)
    }

    /// Is there code for this one?
    pub const fn contains(self, level: Level) -> bool {
        self.0 & level.bit() != 0
    }

    /// The highest level that this processor runs and `IVL_MAX_ISA` allows. What they say is looked up once.
    ///
    /// # Errors
    /// If there is none, and if `IVL_MAX_ISA` names no level.
    pub fn best(self) -> Result<Level, Error> {
        self.highest(usable()?).ok_or_else(|| {
            let limit = limit().ok().flatten();
            let reason = match (Level::host(), limit) {
                (None, _) => "this is no x86-64 processor".into(),
                (Some(host), Some(limit)) if limit < host => format!("IVL_MAX_ISA allows {limit} at most"),
                (Some(host), _) => format!("this processor runs {host} at most"),
            };
            Error::new(format!("there is code for {self}, and {reason}"))
        })
    }

    /// The level that a processor would run whose highest one is `level`.
    ///
    /// # Errors
    /// If this processor does not run that level, or there is no code for it or one below.
    pub fn at_most(self, level: Level) -> Result<Level, Error> {
        if !level.supported() {
            return Err(Error::new(format!("this processor does not run {level}")));
        }
        self.highest(2 * level.bit() - 1).ok_or_else(|| Error::new(format!("there is code for {self}, and {level} is below it")))
    }

    fn highest(self, usable: u32) -> Option<Level> {
        Level::ALL.into_iter().rev().find(|level| self.0 & usable & level.bit() != 0)
    }
}

impl fmt::Display for Levels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut is_first = true;
        for level in Level::ALL.into_iter().filter(|&level| self.contains(level)) {
            f.write_str(if is_first { "" } else { ", " })?;
            f.write_str(level.name())?;
            is_first = false;
        }
        Ok(())
    }
}

/// What `IVL_MAX_ISA` allows at most, where it is set; without the standard library it is not looked at.
fn limit() -> Result<Option<Level>, Error> {
    #[cfg(feature = "std")]
    let name = std::env::var_os("IVL_MAX_ISA").map(|name| name.to_string_lossy().into_owned());
    #[cfg(not(feature = "std"))]
    let name = None::<alloc::string::String>;
    let Some(name) = name.filter(|name| !name.is_empty()) else { return Ok(None) };
    let unknown = || Error::new(format!("IVL_MAX_ISA is `{name}`, and there are {}", Levels::new(&Level::ALL)));
    Level::from_name(&name).map(Some).ok_or_else(unknown)
}

/// The levels that this processor runs and `IVL_MAX_ISA` allows, as bits.
fn usable() -> Result<u32, Error> {
    const UNKNOWN: u32 = u32::MAX;
    static USABLE: AtomicU32 = AtomicU32::new(UNKNOWN);
    let known = USABLE.load(Ordering::Relaxed);
    if known != UNKNOWN {
        return Ok(known);
    }
    let limit = limit()?.map_or(u32::MAX, |level| 2 * level.bit() - 1);
    let host = Level::host().map_or(0, |level| 2 * level.bit() - 1);
    USABLE.store(host & limit, Ordering::Relaxed);
    Ok(host & limit)
}

/// What C is told when there is no code that can run.
fn ends<T>(result: Result<T, Error>) -> T {
    result.unwrap_or_else(|error| {
        #[cfg(feature = "std")]
        crate::checks::end(error.message());
        #[cfg(not(feature = "std"))]
        panic!("{error}")
    })
}

/// Of the levels whose bits are set, the number of the one whose code is to run. A program for which there is none ends with a line that
/// says so, and exit code 101.
#[unsafe(no_mangle)]
pub extern "C" fn ivl_dispatch(levels: u32) -> u32 {
    ends(Levels(levels).best()) as u32
}

/// As [`ivl_dispatch`], for a processor whose highest level is number `level`.
#[unsafe(no_mangle)]
pub extern "C" fn ivl_dispatch_at_most(levels: u32, level: u32) -> u32 {
    let known = Level::ALL.get(level as usize).copied();
    ends(known.ok_or_else(|| Error::new(format!("there is no level {level}"))).and_then(|level| Levels(levels).at_most(level)))
        as u32
}

/// Does this processor run the level of this number?
#[unsafe(no_mangle)]
pub extern "C" fn ivl_level_supported(level: u32) -> bool {
    Level::ALL.get(level as usize).is_some_and(|level| level.supported())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_level_below_a_limit_is_taken() {
        let levels = Levels::new(&[Level::Avx512, Level::Sse4]);
        assert!(levels.contains(Level::Sse4) && !levels.contains(Level::Avx2));
        let highest = |limit: Level| levels.highest(2 * limit.bit() - 1);
        assert_eq!(Level::ALL.map(highest), [None, Some(Level::Sse4), Some(Level::Sse4), Some(Level::Sse4), Some(Level::Avx512)]);
    }

    #[test]
    fn what_cannot_run_is_an_error() {
        let message = |result: Result<Level, Error>| result.expect_err("no level").message().to_owned();
        assert_eq!(message(Levels::new(&[Level::Avx]).at_most(Level::Sse2)), "there is code for avx, and sse2 is below it");
        assert!(message(Levels::new(&[]).best()).starts_with("there is code for , and this processor runs "));
        assert_eq!(Levels::new(&Level::ALL).at_most(Level::Sse2), Ok(Level::Sse2));
    }

    #[test]
    fn levels_have_names_and_an_order() {
        assert_eq!(Level::ALL.map(|level| Level::from_name(level.name())), Level::ALL.map(Some));
        assert!(Level::ALL.is_sorted());
        assert_eq!(Levels::new(&Level::ALL).to_string(), "sse2, sse4, avx, avx2, avx512");
        // Who runs a level runs those below.
        assert!(Level::ALL.windows(2).all(|pair| pair[0].supported() || !pair[1].supported()));
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn the_processor_runs_what_the_standard_library_says() {
        use std::is_x86_feature_detected as has;
        assert_eq!(Level::Sse4.supported(), has!("sse4.2") && has!("popcnt"));
        assert_eq!(Level::Avx.supported(), has!("avx"));
        assert_eq!(Level::Avx2.supported(), has!("avx2") && has!("fma") && has!("bmi2"));
        assert_eq!(Level::Avx512.supported(), has!("avx512f") && has!("avx512vl") && has!("avx512bw"));
    }
}
