//! What code is generated for, described without LLVM: instruction sets (`check` asks for lengths, `llvm` for features) and
//! how freely floating-point operations may be rewritten.

use std::fmt;

/// How floating-point operations may be rewritten (language.md §6), from the least freedom to the most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum FpMode {
    /// No contraction, no reassociation.
    #[default]
    Strict,
    /// Fused multiply-add within one expression.
    Contract,
    /// Reassociation, approximations, no NaN or infinity care.
    Fast,
}

/// Does a function become a part of its callers, and is it worth the work to optimise it? From the usual to the least.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Inlining {
    /// It may.
    #[default]
    Allowed,
    /// `[[noinline]]`: its callers call it.
    Never,
    /// `[[cold]]`: it runs rarely. Its callers call it, and it is compiled quickly rather than optimised.
    Cold,
}

/// Where memory of a length that is known at run time comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Memory {
    /// `new`: the heap, until `delete`.
    Heap,
    /// `scratch`: the thread's own stack of such memory, until the end of the scope. What came last is given back first.
    Scratch,
}

/// Where text goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Channel {
    /// Standard output: `print`.
    Output,
    /// It is kept as the reason why a pipeline does not start.
    Reason,
    /// It goes to standard error behind the reason that was kept, and the program ends with exit code 101.
    End,
}

impl Channel {
    /// Its word in the IRs; nothing for `print`.
    pub fn word(self) -> &'static str {
        match self {
            Channel::Output => "",
            Channel::Reason => "reason ",
            Channel::End => "end ",
        }
    }
}

impl FpMode {
    /// Its name in attributes and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            FpMode::Strict => "strict",
            FpMode::Contract => "contract",
            FpMode::Fast => "fast",
        }
    }
}

/// An x86-64 instruction set level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Isa {
    /// SSE2: every x86-64 processor.
    Sse2,
    /// SSE4.2 with popcnt: x86-64-v2 (2008).
    Sse4,
    /// AVX: 256-bit floats (2011).
    Avx,
    /// AVX2, FMA, BMI, F16C: x86-64-v3 (2013).
    Avx2,
    /// AVX-512 F, CD, BW, DQ, VL: x86-64-v4 (2017).
    Avx512,
}

impl Isa {
    /// All levels, the lowest first.
    pub const ALL: [Isa; 5] = [Isa::Sse2, Isa::Sse4, Isa::Avx, Isa::Avx2, Isa::Avx512];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        self.level().name()
    }

    /// The level of this name; `host` is the highest one that this machine runs.
    pub fn from_name(name: &str) -> Option<Isa> {
        if name == "host" { Some(Isa::host()) } else { Isa::ALL.into_iter().find(|isa| isa.name() == name) }
    }

    /// LLVM's name of a processor of this level.
    pub fn cpu(self) -> &'static str {
        match self {
            Isa::Sse2 => "x86-64",
            Isa::Sse4 => "x86-64-v2",
            Isa::Avx => "sandybridge",
            Isa::Avx2 => "x86-64-v3",
            Isa::Avx512 => "x86-64-v4",
        }
    }

    /// Bytes of a vector register for floats.
    pub fn register_bytes(self) -> u8 {
        match self {
            Isa::Sse2 | Isa::Sse4 => 16,
            Isa::Avx | Isa::Avx2 => 32,
            Isa::Avx512 => 64,
        }
    }

    /// The default W: the preferred length for `float`.
    pub fn width(self) -> u8 {
        self.register_bytes() / 4
    }

    /// Has it mask registers and masked memory access?
    pub fn has_mask_registers(self) -> bool {
        self == Isa::Avx512
    }

    /// What it is called at run time.
    pub fn level(self) -> ivl::Level {
        match self {
            Isa::Sse2 => ivl::Level::Sse2,
            Isa::Sse4 => ivl::Level::Sse4,
            Isa::Avx => ivl::Level::Avx,
            Isa::Avx2 => ivl::Level::Avx2,
            Isa::Avx512 => ivl::Level::Avx512,
        }
    }

    /// Does this machine run it?
    pub fn runs_here(self) -> bool {
        self.level().supported()
    }

    /// The highest level that this machine runs; `Sse2` where it runs none.
    pub fn host() -> Isa {
        Isa::ALL.into_iter().rev().find(|isa| isa.runs_here()).unwrap_or(Isa::Sse2)
    }
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
