//! Instruction sets, and which of those that a program has code for runs on this processor.
//!
//! ```text
//! levels that there is code for        sse4 avx2 avx512
//! levels that the processor runs       sse2 sse4 avx avx2          CPUID, and XGETBV: does the system keep the registers?
//! levels that IVL_MAX_ISA includes     sse2 sse4 avx avx2          where it is set
//! the best of what is left             avx2
//! ```
//! Levels are no chain: AVX-VNNI is in processors without AVX-512, and AVX-512 in processors without it. So each level says which others
//! it [includes](Level::includes), which is an order in part, and each is asked for by itself. Of several that can run, the last one in the
//! order of [`Level::ALL`] is the best.
//!
//! Nothing is left where a processor is too old for a program, which is told so before it comes to an instruction that the
//! processor does not know.

use crate::Error;
use alloc::format;
use core::fmt;
use core::sync::atomic::{AtomicU32, Ordering};

/// An x86-64 instruction set level: what the compiler calls a target. Its number is part of what objects and the runtime agree on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Level {
    /// Every x86-64 processor.
    Sse2 = 0,
    /// SSE4.2 with popcnt: x86-64-v2 (2008).
    Sse4 = 1,
    /// 256-bit floats, carry-less products (2011).
    Avx = 2,
    /// AVX2, FMA, BMI, F16C: x86-64-v3 (2013).
    Avx2 = 3,
    /// AVX2 and AVX-VNNI: sums of products of bytes (2021).
    Avx2Vnni = 5,
    /// AVX-512 F, CD, BW, DQ, VL in registers of 256 bits.
    Avx512x256 = 6,
    /// AVX-512 F, CD, BW, DQ, VL: x86-64-v4 (2017).
    Avx512 = 4,
    /// AVX-512 with VBMI, VBMI2, VNNI, BITALG, VPOPCNTDQ and GFNI (2019).
    Avx512Vnni = 7,
}

impl Level {
    /// All levels, the best one last; none includes one behind it.
    pub const ALL: [Level; 8] =
        [Level::Sse2, Level::Sse4, Level::Avx, Level::Avx2, Level::Avx2Vnni, Level::Avx512x256, Level::Avx512, Level::Avx512Vnni];

    /// Its name as a target and in `IVL_MAX_ISA`.
    pub fn name(self) -> &'static str {
        match self {
            Level::Sse2 => "sse2",
            Level::Sse4 => "sse4",
            Level::Avx => "avx",
            Level::Avx2 => "avx2",
            Level::Avx2Vnni => "avx2vnni",
            Level::Avx512x256 => "avx512-256",
            Level::Avx512 => "avx512",
            Level::Avx512Vnni => "avx512vnni",
        }
    }

    /// The level of this name.
    pub fn from_name(name: &str) -> Option<Level> {
        Level::ALL.into_iter().find(|level| level.name() == name)
    }

    /// The level of this number.
    fn from_number(number: u32) -> Option<Level> {
        Level::ALL.into_iter().find(|&level| level as u32 == number)
    }

    /// The greatest level of which it is an extension.
    const fn base(self) -> Option<Level> {
        match self {
            Level::Sse2 => None,
            Level::Sse4 => Some(Level::Sse2),
            Level::Avx => Some(Level::Sse4),
            Level::Avx2 => Some(Level::Avx),
            Level::Avx2Vnni | Level::Avx512x256 => Some(Level::Avx2),
            Level::Avx512 => Some(Level::Avx512x256),
            Level::Avx512Vnni => Some(Level::Avx512),
        }
    }

    /// The levels whose code runs wherever its own does; itself is one of them.
    pub const fn includes(self) -> Levels {
        let (mut bits, mut next) = (self.bit(), self.base());
        while let Some(level) = next {
            bits |= level.bit();
            next = level.base();
        }
        Levels(bits)
    }

    /// Does this processor run it, and does the system keep its registers? Whatever `IVL_MAX_ISA` says.
    pub fn supported(self) -> bool {
        self.base().is_none_or(Level::supported) && self.is_added()
    }

    /// Has this processor what the level adds to its base?
    #[cfg(target_arch = "x86_64")]
    fn is_added(self) -> bool {
        use core_detect::is_x86_feature_detected as has;
        match self {
            Level::Sse2 | Level::Avx512 => true,
            Level::Sse4 => has!("sse4.2") && has!("popcnt") && has!("ssse3"),
            Level::Avx => has!("avx") && has!("pclmulqdq"),
            Level::Avx2 => {
                let scalar = has!("bmi1") && has!("bmi2") && has!("lzcnt");
                has!("avx2") && has!("fma") && has!("f16c") && scalar
            }
            Level::Avx2Vnni => has_avx_vnni(),
            Level::Avx512x256 => has!("avx512f") && has!("avx512bw") && has!("avx512dq") && has!("avx512vl") && has!("avx512cd"),
            Level::Avx512Vnni => {
                let bytes = has!("avx512vbmi") && has!("avx512vbmi2") && has!("avx512bitalg") && has!("avx512gfni");
                bytes && has!("avx512vnni") && has!("avx512vpopcntdq")
            }
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn is_added(self) -> bool {
        false
    }

    /// The best level that this machine runs; `None` where it is no x86-64 processor.
    pub fn host() -> Option<Level> {
        Level::ALL.into_iter().rev().find(|level| level.supported())
    }

    const fn bit(self) -> u32 {
        1 << self as u32
    }
}

/// Has the processor AVX-VNNI? `core_detect` does not know it. Its registers are those of AVX2.
#[cfg(target_arch = "x86_64")]
// Newer compilers take `__cpuid` for safe.
#[allow(unused_unsafe)]
fn has_avx_vnni() -> bool {
    use core::arch::x86_64::{__cpuid, __cpuid_count};
    // SAFETY: every x86-64 processor has CPUID.
    let leaves = unsafe { __cpuid(0) }.eax;
    // SAFETY: as above, and leaf 7 is there; its first part says how many parts it has.
    let parts = if leaves >= 7 { unsafe { __cpuid_count(7, 0) }.eax } else { 0 };
    // SAFETY: as above, and leaf 7 has a second part.
    parts >= 1 && unsafe { __cpuid_count(7, 1) }.eax & 1 << 4 != 0
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

    /// The best level that this processor runs and `IVL_MAX_ISA` allows. What they say is looked up once.
    ///
    /// # Errors
    /// If there is none, and if `IVL_MAX_ISA` names no level.
    #[inline]
    pub fn best(self) -> Result<Level, Error> {
        match self.best_of(Levels(USABLE.load(Ordering::Relaxed))) {
            Some(level) => Ok(level),
            None => self.looked_up(),
        }
    }

    /// [`Levels::best`] where nothing is known yet, or nothing can run.
    #[cold]
    #[inline(never)]
    fn looked_up(self) -> Result<Level, Error> {
        self.best_of(usable()?).ok_or_else(|| {
            let (host, limit) = (Levels::of_processor(), limit().ok().flatten());
            let reason = match limit {
                _ if host == Levels(0) => "this is no x86-64 processor".into(),
                Some(limit) if host.0 & !limit.includes().0 != 0 => format!("IVL_MAX_ISA allows {limit} at most"),
                _ => format!("this processor runs {} at most", host.greatest()),
            };
            Error::new(format!("there is code for {self}, and {reason}"))
        })
    }

    /// The level that a processor would run that has `level` and what it includes.
    ///
    /// # Errors
    /// If this processor does not run that level, or there is no code for it or one that it includes.
    #[inline]
    pub fn at_most(self, level: Level) -> Result<Level, Error> {
        match self.best_of(level.includes()) {
            // Who runs a level runs those that it includes.
            Some(best) if RUN_HERE.load(Ordering::Relaxed) & level.bit() != 0 => Ok(best),
            _ => self.looked_up_at_most(level),
        }
    }

    /// [`Levels::at_most`] where nothing is known yet, or it cannot run.
    #[cold]
    #[inline(never)]
    fn looked_up_at_most(self, level: Level) -> Result<Level, Error> {
        RUN_HERE.store(Levels::of_processor().0, Ordering::Relaxed);
        if !level.supported() {
            return Err(Error::new(format!("this processor does not run {level}")));
        }
        let found = self.best_of(level.includes());
        found.ok_or_else(|| Error::new(format!("there is code for {self}, and {level} includes none of it")))
    }

    /// The levels that this processor runs.
    fn of_processor() -> Levels {
        Levels(Level::ALL.into_iter().filter(|level| level.supported()).fold(0, |bits, level| bits | level.bit()))
    }

    /// Those of them that no other one of them includes.
    fn greatest(self) -> Levels {
        let is_included = |level: Level| {
            Level::ALL.into_iter().any(|other| other != level && self.contains(other) && other.includes().contains(level))
        };
        let greatest = Level::ALL.into_iter().filter(|&level| self.contains(level) && !is_included(level));
        Levels(greatest.fold(0, |bits, level| bits | level.bit()))
    }

    /// The best of those that are among the others, too.
    #[inline]
    fn best_of(self, usable: Levels) -> Option<Level> {
        Level::ALL.into_iter().rev().find(|&level| self.contains(level) && usable.contains(level))
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

/// The levels that this processor runs and `IVL_MAX_ISA` allows, as bits; none where that is not known yet.
static USABLE: AtomicU32 = AtomicU32::new(0);

/// The levels that this processor runs, whatever `IVL_MAX_ISA` says; none where that is not known yet.
static RUN_HERE: AtomicU32 = AtomicU32::new(0);

fn usable() -> Result<Levels, Error> {
    let allowed = limit()?.map_or(u32::MAX, |level| level.includes().0);
    let usable = Levels::of_processor().0 & allowed;
    USABLE.store(usable, Ordering::Relaxed);
    Ok(Levels(usable))
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

/// As [`ivl_dispatch`], for a processor that has the level of this number and what it includes.
#[unsafe(no_mangle)]
pub extern "C" fn ivl_dispatch_at_most(levels: u32, level: u32) -> u32 {
    let known = Level::from_number(level);
    ends(known.ok_or_else(|| Error::new(format!("there is no level {level}"))).and_then(|level| Levels(levels).at_most(level)))
        as u32
}

/// Does this processor run the level of this number?
#[unsafe(no_mangle)]
pub extern "C" fn ivl_level_supported(level: u32) -> bool {
    Level::from_number(level).is_some_and(Level::supported)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_level_that_a_limit_includes_is_taken() {
        let levels = Levels::new(&[Level::Avx512, Level::Sse4]);
        assert!(levels.contains(Level::Sse4) && !levels.contains(Level::Avx2));
        let sse4 = Some(Level::Sse4);
        let best = Level::ALL.map(|limit| levels.best_of(limit.includes()));
        assert_eq!(best, [None, sse4, sse4, sse4, sse4, sse4, Some(Level::Avx512), Some(Level::Avx512)]);
        let all = Levels::new(&Level::ALL);
        assert_eq!(Level::ALL.map(|limit| all.best_of(limit.includes())), Level::ALL.map(Some));
    }

    #[test]
    fn what_cannot_run_is_an_error() {
        let message = |result: Result<Level, Error>| result.expect_err("no level").message().to_owned();
        assert_eq!(
            message(Levels::new(&[Level::Avx]).at_most(Level::Sse2)),
            "there is code for avx, and sse2 includes none of it"
        );
        assert!(message(Levels::new(&[]).best()).starts_with("there is code for , and this processor runs "));
        assert_eq!(Levels::new(&Level::ALL).at_most(Level::Sse2), Ok(Level::Sse2));
    }

    #[test]
    fn levels_have_names_numbers_and_an_order() {
        assert_eq!(Level::ALL.map(|level| Level::from_name(level.name())), Level::ALL.map(Some));
        assert_eq!(Level::ALL.map(|level| Level::from_number(level as u32)), Level::ALL.map(Some));
        assert_eq!(Levels::new(&Level::ALL).to_string(), "sse2, sse4, avx, avx2, avx2vnni, avx512-256, avx512, avx512vnni");
        for (k, level) in Level::ALL.into_iter().enumerate() {
            // Who includes one comes behind it, and runs nowhere where that does not.
            assert!(!Level::ALL[k + 1..].iter().any(|&better| level.includes().contains(better)));
            let included = Level::ALL.into_iter().filter(|&other| level.includes().contains(other));
            assert!(!level.supported() || included.into_iter().all(Level::supported));
        }
    }

    #[test]
    fn levels_are_no_chain() {
        let (bytes, wide) = (Level::Avx2Vnni, Level::Avx512Vnni);
        assert!(!bytes.includes().contains(wide) && !wide.includes().contains(bytes));
        assert_eq!(Levels::new(&[Level::Sse4, bytes, Level::Avx2, wide, Level::Avx512]).greatest(), Levels::new(&[bytes, wide]));
        let levels = Levels::new(&[Level::Avx2, bytes]);
        assert_eq!((levels.best_of(wide.includes()), levels.best_of(bytes.includes())), (Some(Level::Avx2), Some(bytes)));
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn the_processor_runs_what_the_standard_library_says() {
        use std::is_x86_feature_detected as has;
        assert_eq!(Level::Sse4.supported(), has!("sse4.2") && has!("popcnt"));
        assert_eq!(Level::Avx.supported(), has!("avx"));
        assert_eq!(Level::Avx2.supported(), has!("avx2") && has!("fma") && has!("bmi2"));
        assert_eq!(Level::Avx2Vnni.supported(), Level::Avx2.supported() && has!("avxvnni"));
        assert_eq!(Level::Avx512.supported(), has!("avx512f") && has!("avx512vl") && has!("avx512bw"));
        assert_eq!(Level::Avx512x256.supported(), Level::Avx512.supported());
        let bytes = has!("avx512vbmi") && has!("avx512vbmi2") && has!("avx512bitalg") && has!("gfni");
        assert_eq!(Level::Avx512Vnni.supported(), bytes && has!("avx512vnni") && has!("avx512vpopcntdq"));
    }
}
