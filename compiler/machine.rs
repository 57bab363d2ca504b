//! The machine as data: what each instruction set has. Below `check`, whatever depends on the target asks its row of [`MACHINES`].
//!
//! `predicate` chooses between blending and branching by it, `optimize` what becomes of gathers, strides and look-ups, `llvm` which
//! instructions there are. Nobody else names an instruction set: one that is like another but for a unit is a row more.

use ivl::Level;
use std::fmt;

/// An instruction set that code is generated for: the place of its [`Machine`] in the table. Where there is code for several, the last
/// one that the processor runs is taken. They are no chain: which others the processors have that run one, [`Level::includes`] says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Isa {
    /// SSE2.
    Sse2,
    /// SSE4.2.
    Sse4,
    /// AVX.
    Avx,
    /// AVX2.
    Avx2,
    /// AVX2 with AVX-VNNI.
    Avx2Vnni,
    /// AVX-512 in registers of 256 bits.
    Avx512x256,
    /// AVX-512.
    Avx512,
    /// AVX-512 with VBMI, VBMI2, VNNI, BITALG, VPOPCNTDQ and GFNI.
    Avx512Vnni,
}

/// Where masks live.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Masks {
    /// In vector registers, with lanes as wide as those of what they were compared from.
    Vectors,
    /// In registers of their own, a bit for each lane.
    Registers,
}

/// How lanes that are active are stored side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// Lane by lane.
    Lanes,
    /// Up to eight lanes at a time, in the order that a table has for their mask.
    Table,
    /// By an instruction, for lanes of 32 and 64 bits; narrower ones are widened.
    Compress,
}

/// Lanes that an instruction takes: none below a size, and few of them are better taken one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach {
    /// The least size of an element in bytes.
    pub size: u64,
    /// The least number of lanes for which it is worth it.
    pub lanes: u8,
}

impl Reach {
    /// Does it take lanes of this size and number?
    pub fn takes(self, size: u64, lanes: u8) -> bool {
        size >= self.size && lanes >= self.lanes
    }
}

/// An instruction that looks lanes up in one register, or in two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Permute {
    /// Bits of a lane.
    pub bits: u32,
    /// Lanes of the register.
    pub lanes: u32,
    /// Its name in LLVM.
    pub one: &'static str,
    /// With two registers at once.
    pub two: Option<&'static str>,
}

/// Instructions that make whole numbers of 32 bits of a register of floats; of what they cannot be, the least number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Truncation {
    /// Bits of a float.
    pub bits: u32,
    /// Lanes of the register.
    pub lanes: u32,
    /// The name in LLVM of the one that goes towards zero.
    pub name: &'static str,
    /// And of the one that goes to the nearest, of two to the even one.
    pub nearest: &'static str,
    /// Does it take what lanes that are off keep, which are on, and how to round, too?
    pub is_masked: bool,
}

/// What an instruction set has.
#[derive(Debug)]
pub struct Machine {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its number at run time.
    pub level: Level,
    /// Which processors have it, for people.
    pub processors: &'static str,
    /// LLVM's name of a processor that has it.
    pub cpu: &'static str,
    /// What LLVM is told of its features beside that.
    pub features: &'static str,
    /// Bytes of a vector register for floats.
    pub register_bytes: u8,
    /// So many vector registers there are.
    pub registers: u8,
    /// So many instructions on vector registers begin in a cycle.
    pub vector_ports: u8,
    /// Cycles from one division of a register of floats of 32 bits to the next, between those of Intel's processors and those of AMD's (with
    /// AVX2 3.5 to 5).
    pub float_division_cycles: u8,
    /// Where masks live.
    pub masks: Masks,
    /// Bytes of the least element whose loads and stores may be masked; `None` where none may be.
    pub masked_moves: Option<u64>,
    /// What gathers take.
    pub gather: Option<Reach>,
    /// What scatters take.
    pub scatter: Option<Reach>,
    /// How lanes are packed.
    pub packing: Packing,
    /// So many elements apart, lanes are picked from whole registers rather than loaded one by one.
    pub dense_stride: u64,
    /// Has it an instruction that rounds to whole floats?
    pub has_rounding: bool,
    /// Has it fused multiply-adds?
    pub has_fma: bool,
    /// Its conversions to binary16, of registers of 128 bits, 256, 512; those from it come with them.
    pub to_float16: &'static [&'static str],
    /// Its look-ups, by bits and lanes; of those that take a table, the first.
    pub permutes: &'static [Permute],
    /// Its look-ups of bytes within 128 bits, of registers of 128 bits, 256, 512.
    pub byte_shuffles: &'static [&'static str],
    /// Its look-ups of floats within 128 bits, likewise, which do not read the index above its two lowest bits.
    pub float_shuffles: &'static [&'static str],
    /// Its sums of two products of neighbours of 16 bits, of registers of 128 bits, 256, 512.
    pub dot2: &'static [&'static str],
    /// Its sums of four products of neighbours, of bytes without sign with bytes with one, and a number of 32 bits to begin with, likewise;
    /// none where it has them not.
    pub dot4: &'static [&'static str],
    /// Its sums of two products of neighbours, of bytes without sign with bytes with one, which saturate at 16 bits, likewise.
    pub saturating_dot2: &'static [&'static str],
    /// Its sums of eight distances of bytes, likewise.
    pub sad: &'static [&'static str],
    /// Its conversions to whole numbers, by bits and lanes.
    pub truncations: &'static [Truncation],
    /// Its rounded upper halves of products of 16 bits, of registers of 128 bits, 256, 512.
    pub rounding_products: &'static [&'static str],
    /// Its products of floats with powers of two, of registers of 128 bits, 256, 512.
    pub scalings: &'static [&'static str],
    /// Has it loads that go around the caches?
    pub has_streaming_loads: bool,
    /// Its product without carries of a lane of 64 bits of each of two registers of 128.
    pub carryless_product: Option<&'static str>,
}

const SHUFFLE_BYTES: &str = "llvm.x86.ssse3.pshuf.b.128";
const BYTE_SHUFFLES: [&str; 3] = [SHUFFLE_BYTES, "llvm.x86.avx2.pshuf.b", "llvm.x86.avx512.pshuf.b.512"];
const BYTE_SHUFFLES_128: &[&str] = BYTE_SHUFFLES.split_at(1).0;
const BYTE_SHUFFLES_256: &[&str] = BYTE_SHUFFLES.split_at(2).0;

const FLOAT_SHUFFLES: [&str; 3] =
    ["llvm.x86.avx.vpermilvar.ps", "llvm.x86.avx.vpermilvar.ps.256", "llvm.x86.avx512.vpermilvar.ps.512"];
const FLOAT_SHUFFLES_256: &[&str] = FLOAT_SHUFFLES.split_at(2).0;

const DOT2: [&str; 3] = ["llvm.x86.sse2.pmadd.wd", "llvm.x86.avx2.pmadd.wd", "llvm.x86.avx512.pmaddw.d.512"];
const DOT2_128: &[&str] = DOT2.split_at(1).0;
const DOT2_256: &[&str] = DOT2.split_at(2).0;

/// AVX-VNNI has the same names in LLVM.
const DOT4: [&str; 3] = ["llvm.x86.avx512.vpdpbusd.128", "llvm.x86.avx512.vpdpbusd.256", "llvm.x86.avx512.vpdpbusd.512"];
const DOT4_256: &[&str] = DOT4.split_at(2).0;

const SATURATING_DOT2: [&str; 3] =
    ["llvm.x86.ssse3.pmadd.ub.sw.128", "llvm.x86.avx2.pmadd.ub.sw", "llvm.x86.avx512.pmaddubs.w.512"];
const SATURATING_DOT2_128: &[&str] = SATURATING_DOT2.split_at(1).0;
const SATURATING_DOT2_256: &[&str] = SATURATING_DOT2.split_at(2).0;

const SAD: [&str; 3] = ["llvm.x86.sse2.psad.bw", "llvm.x86.avx2.psad.bw", "llvm.x86.avx512.psad.bw.512"];
const SAD_128: &[&str] = SAD.split_at(1).0;
const SAD_256: &[&str] = SAD.split_at(2).0;

/// Within 128 bits, by bytes.
const WITHIN_128: [Permute; 4] = [within_128(8), within_128(16), within_128(32), within_128(64)];

const fn within_128(bits: u32) -> Permute {
    Permute { bits, lanes: 128 / bits, one: SHUFFLE_BYTES, two: None }
}

const fn across(bits: u32, lanes: u32, one: &'static str, two: Option<&'static str>) -> Permute {
    Permute { bits, lanes, one, two }
}

const ACROSS_256: [Permute; 4] = [within_128(8), within_128(16), across(32, 8, "llvm.x86.avx2.permd", None), within_128(64)];

/// Across 256 bits, of one register and of two.
const ACROSS_TWO_256: [Permute; 5] = [
    within_128(8),
    across(16, 8, "llvm.x86.avx512.permvar.hi.128", None),
    across(16, 16, "llvm.x86.avx512.permvar.hi.256", Some("llvm.x86.avx512.vpermi2var.hi.256")),
    across(32, 8, "llvm.x86.avx2.permd", Some("llvm.x86.avx512.vpermi2var.d.256")),
    across(64, 4, "llvm.x86.avx512.permvar.di.256", Some("llvm.x86.avx512.vpermi2var.q.256")),
];

const ACROSS_512: [Permute; 7] = [
    within_128(8),
    across(16, 8, "llvm.x86.avx512.permvar.hi.128", None),
    across(16, 16, "llvm.x86.avx512.permvar.hi.256", None),
    across(16, 32, "llvm.x86.avx512.permvar.hi.512", Some("llvm.x86.avx512.vpermi2var.hi.512")),
    across(32, 8, "llvm.x86.avx2.permd", None),
    across(32, 16, "llvm.x86.avx512.permvar.si.512", Some("llvm.x86.avx512.vpermi2var.d.512")),
    across(64, 8, "llvm.x86.avx512.permvar.di.512", Some("llvm.x86.avx512.vpermi2var.q.512")),
];

/// Bytes across whole registers as well.
const BYTES_ACROSS_512: [Permute; 9] = {
    let [within, words_128, words_256, words_512, ints_256, ints_512, longs] = ACROSS_512;
    let bytes_256 = across(8, 32, "llvm.x86.avx512.permvar.qi.256", None);
    let bytes_512 = across(8, 64, "llvm.x86.avx512.permvar.qi.512", Some("llvm.x86.avx512.vpermi2var.qi.512"));
    [within, bytes_256, bytes_512, words_128, words_256, words_512, ints_256, ints_512, longs]
};

const fn truncation(bits: u32, lanes: u32, name: &'static str, nearest: &'static str) -> Truncation {
    Truncation { bits, lanes, name, nearest, is_masked: lanes * bits == 512 }
}

const TRUNCATIONS: [Truncation; 6] = [
    truncation(32, 4, "llvm.x86.sse2.cvttps2dq", "llvm.x86.sse2.cvtps2dq"),
    truncation(64, 2, "llvm.x86.sse2.cvttpd2dq", "llvm.x86.sse2.cvtpd2dq"),
    truncation(32, 8, "llvm.x86.avx.cvtt.ps2dq.256", "llvm.x86.avx.cvt.ps2dq.256"),
    truncation(64, 4, "llvm.x86.avx.cvtt.pd2dq.256", "llvm.x86.avx.cvt.pd2dq.256"),
    truncation(32, 16, "llvm.x86.avx512.mask.cvttps2dq.512", "llvm.x86.avx512.mask.cvtps2dq.512"),
    truncation(64, 8, "llvm.x86.avx512.mask.cvttpd2dq.512", "llvm.x86.avx512.mask.cvtpd2dq.512"),
];

/// Those of registers of 128 bits.
const TRUNCATIONS_128: &[Truncation] = TRUNCATIONS.split_at(2).0;
/// And of 256.
const TRUNCATIONS_256: &[Truncation] = TRUNCATIONS.split_at(4).0;

const ROUNDING_PRODUCTS: [&str; 3] =
    ["llvm.x86.ssse3.pmul.hr.sw.128", "llvm.x86.avx2.pmul.hr.sw", "llvm.x86.avx512.pmul.hr.sw.512"];
const ROUNDING_PRODUCTS_128: &[&str] = ROUNDING_PRODUCTS.split_at(1).0;
const ROUNDING_PRODUCTS_256: &[&str] = ROUNDING_PRODUCTS.split_at(2).0;

const SCALINGS: [&str; 3] =
    ["llvm.x86.avx512.mask.scalef.ps.128", "llvm.x86.avx512.mask.scalef.ps.256", "llvm.x86.avx512.mask.scalef.ps.512"];
const SCALINGS_256: &[&str] = SCALINGS.split_at(2).0;

const TO_FLOAT16: [&str; 3] = ["llvm.x86.vcvtps2ph.128", "llvm.x86.vcvtps2ph.256", "llvm.x86.avx512.mask.vcvtps2ph.512"];
const TO_FLOAT16_256: &[&str] = TO_FLOAT16.split_at(2).0;

const CARRYLESS_PRODUCT: &str = "llvm.x86.pclmulqdq";

const AVX2: Machine = Machine {
    name: "avx2",
    level: Level::Avx2,
    processors: "processors since 2013 (x86-64-v3): the common choice",
    cpu: "x86-64-v3",
    // Carry-less products, which no level of x86-64 names: what has AVX has them, and `Level` asks.
    features: "+fast-gather,+pclmul",
    register_bytes: 32,
    registers: 16,
    vector_ports: 3,
    float_division_cycles: 4,
    masks: Masks::Vectors,
    masked_moves: Some(4),
    gather: Some(Reach { size: 4, lanes: 4 }),
    scatter: None,
    packing: Packing::Table,
    dense_stride: 4,
    has_rounding: true,
    has_fma: true,
    to_float16: TO_FLOAT16_256,
    permutes: &ACROSS_256,
    byte_shuffles: BYTE_SHUFFLES_256,
    float_shuffles: FLOAT_SHUFFLES_256,
    dot2: DOT2_256,
    dot4: &[],
    sad: SAD_256,
    truncations: TRUNCATIONS_256,
    rounding_products: ROUNDING_PRODUCTS_256,
    scalings: &[],
    saturating_dot2: SATURATING_DOT2_256,
    has_streaming_loads: true,
    carryless_product: Some(CARRYLESS_PRODUCT),
};

const AVX512: Machine = Machine {
    name: "avx512",
    level: Level::Avx512,
    processors: "servers since 2017, Zen 4 and later (x86-64-v4)",
    cpu: "x86-64-v4",
    // At its full width, whatever the processor prefers.
    features: "-prefer-256-bit,+pclmul",
    register_bytes: 64,
    registers: 32,
    vector_ports: 2,
    float_division_cycles: 8,
    masks: Masks::Registers,
    masked_moves: Some(1),
    gather: Some(Reach { size: 4, lanes: 4 }),
    scatter: Some(Reach { size: 4, lanes: 4 }),
    packing: Packing::Compress,
    dense_stride: 8,
    has_rounding: true,
    has_fma: true,
    to_float16: &TO_FLOAT16,
    permutes: &ACROSS_512,
    byte_shuffles: &BYTE_SHUFFLES,
    float_shuffles: &FLOAT_SHUFFLES,
    dot2: &DOT2,
    dot4: &[],
    sad: &SAD,
    truncations: &TRUNCATIONS,
    rounding_products: &ROUNDING_PRODUCTS,
    scalings: &SCALINGS,
    saturating_dot2: &SATURATING_DOT2,
    has_streaming_loads: true,
    carryless_product: Some(CARRYLESS_PRODUCT),
};

/// All of them, in the order of [`Isa`].
pub const MACHINES: [Machine; 8] = [
    Machine {
        name: "sse2",
        level: Level::Sse2,
        processors: "every x86-64 processor",
        cpu: "x86-64",
        features: "",
        register_bytes: 16,
        registers: 16,
        vector_ports: 3,
        float_division_cycles: 3,
        masks: Masks::Vectors,
        masked_moves: None,
        gather: None,
        scatter: None,
        packing: Packing::Lanes,
        dense_stride: 4,
        has_rounding: false,
        has_fma: false,
        to_float16: &[],
        permutes: &[],
        byte_shuffles: &[],
        float_shuffles: &[],
        dot2: DOT2_128,
        dot4: &[],
        sad: SAD_128,
        truncations: TRUNCATIONS_128,
        rounding_products: &[],
        scalings: &[],
        saturating_dot2: &[],
        has_streaming_loads: false,
        carryless_product: None,
    },
    Machine {
        name: "sse4",
        level: Level::Sse4,
        processors: "processors since 2008 (x86-64-v2)",
        cpu: "x86-64-v2",
        features: "",
        register_bytes: 16,
        registers: 16,
        vector_ports: 3,
        float_division_cycles: 3,
        masks: Masks::Vectors,
        masked_moves: None,
        gather: None,
        scatter: None,
        packing: Packing::Lanes,
        dense_stride: 4,
        has_rounding: true,
        has_fma: false,
        to_float16: &[],
        permutes: &WITHIN_128,
        byte_shuffles: BYTE_SHUFFLES_128,
        float_shuffles: &[],
        dot2: DOT2_128,
        dot4: &[],
        sad: SAD_128,
        truncations: TRUNCATIONS_128,
        rounding_products: ROUNDING_PRODUCTS_128,
        scalings: &[],
        saturating_dot2: SATURATING_DOT2_128,
        has_streaming_loads: true,
        carryless_product: None,
    },
    Machine {
        name: "avx",
        level: Level::Avx,
        processors: "processors since 2011 without AVX2",
        cpu: "sandybridge",
        features: "",
        register_bytes: 32,
        registers: 16,
        vector_ports: 3,
        float_division_cycles: 10,
        masks: Masks::Vectors,
        masked_moves: Some(4),
        gather: None,
        scatter: None,
        packing: Packing::Lanes,
        dense_stride: 4,
        has_rounding: true,
        has_fma: false,
        to_float16: &[],
        permutes: &WITHIN_128,
        byte_shuffles: BYTE_SHUFFLES_128,
        float_shuffles: FLOAT_SHUFFLES_256,
        dot2: DOT2_128,
        dot4: &[],
        sad: SAD_128,
        truncations: TRUNCATIONS_256,
        rounding_products: ROUNDING_PRODUCTS_128,
        scalings: &[],
        saturating_dot2: SATURATING_DOT2_128,
        has_streaming_loads: true,
        carryless_product: Some(CARRYLESS_PRODUCT),
    },
    AVX2,
    Machine {
        name: "avx2vnni",
        level: Level::Avx2Vnni,
        processors: "as avx2, with sums of products of bytes: Intel since 2021, Zen 5",
        features: "+fast-gather,+pclmul,+avxvnni",
        dot4: DOT4_256,
        ..AVX2
    },
    // Registers of 256 bits do not slow processors down, and masks are as good there.
    Machine {
        name: "avx512-256",
        level: Level::Avx512x256,
        processors: "as avx512 with masks, in registers of 256 bits: where those of 512 slow down",
        features: "+pclmul",
        register_bytes: 32,
        vector_ports: 3,
        float_division_cycles: 4,
        dense_stride: 4,
        permutes: &ACROSS_TWO_256,
        byte_shuffles: BYTE_SHUFFLES_256,
        float_shuffles: FLOAT_SHUFFLES_256,
        dot2: DOT2_256,
        sad: SAD_256,
        to_float16: TO_FLOAT16_256,
        truncations: TRUNCATIONS_256,
        rounding_products: ROUNDING_PRODUCTS_256,
        scalings: SCALINGS_256,
        saturating_dot2: SATURATING_DOT2_256,
        ..AVX512
    },
    AVX512,
    Machine {
        name: "avx512vnni",
        level: Level::Avx512Vnni,
        processors: "as avx512, with look-ups of bytes and sums of their products: Ice Lake, Zen 4 and later",
        features: "-prefer-256-bit,+pclmul,+avx512vnni,+avx512vbmi,+avx512vbmi2,+avx512bitalg,+avx512vpopcntdq,+gfni",
        permutes: &BYTES_ACROSS_512,
        dot4: &DOT4,
        ..AVX512
    },
];

impl Isa {
    /// All of them, the best one last.
    pub const ALL: [Isa; 8] =
        [Isa::Sse2, Isa::Sse4, Isa::Avx, Isa::Avx2, Isa::Avx2Vnni, Isa::Avx512x256, Isa::Avx512, Isa::Avx512Vnni];

    /// Those that the others are variants of, which differ from them in some instructions: tests that take long run all of these, and of
    /// the others a part.
    pub const PRINCIPAL: [Isa; 5] = [Isa::Sse2, Isa::Sse4, Isa::Avx, Isa::Avx2, Isa::Avx512];

    /// What every processor has.
    pub const BASELINE: Isa = Isa::Sse2;

    /// What programs are looked at for where nobody says for what.
    pub const COMMON: Isa = Isa::Avx2;

    /// What it has.
    pub fn machine(self) -> &'static Machine {
        &MACHINES[self as usize]
    }

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        self.machine().name
    }

    /// Its name in identifiers.
    pub fn identifier(self) -> String {
        self.name().replace('-', "_")
    }

    /// The one of this name; `host` is the best one that this machine runs.
    pub fn from_name(name: &str) -> Option<Isa> {
        if name == "host" { Some(Isa::host()) } else { Isa::ALL.into_iter().find(|isa| isa.name() == name) }
    }

    /// The names, for people: `sse2, sse4 and host`.
    pub fn names() -> String {
        let names: Vec<&str> = Isa::ALL.iter().map(|isa| isa.name()).collect();
        names.join(", ") + " and host"
    }

    /// Bytes of a vector register for floats.
    pub fn register_bytes(self) -> u8 {
        self.machine().register_bytes
    }

    /// The default W: the preferred length for `float`.
    pub fn width(self) -> u8 {
        self.register_bytes() / 4
    }

    /// What it is called at run time.
    pub fn level(self) -> Level {
        self.machine().level
    }

    /// Does this machine run it?
    pub fn runs_here(self) -> bool {
        self.level().supported()
    }

    /// The best one that this machine runs; the baseline where it runs none.
    pub fn host() -> Isa {
        Isa::ALL.into_iter().rev().find(|isa| isa.runs_here()).unwrap_or(Isa::BASELINE)
    }
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Permute {
    /// Does it look up the bytes of lanes, rather than lanes?
    pub fn is_by_bytes(&self) -> bool {
        self.one == SHUFFLE_BYTES
    }

    /// So many of it look up a register of indices in a table.
    fn look_ups(&self, table: u32) -> u32 {
        table.div_ceil(self.lanes * if self.two.is_some() { 2 } else { 1 })
    }
}

impl Machine {
    /// Has it mask registers?
    pub fn has_mask_registers(&self) -> bool {
        self.masks == Masks::Registers
    }

    /// How many lanes of `size` bytes a register has.
    pub fn lanes(&self, size: u64) -> u8 {
        (u64::from(self.register_bytes) / size) as u8
    }

    /// So many registers hold a vector of so many lanes of `size` bytes; one holds a scalar.
    pub fn registers_of(&self, size: u64, lanes: u8) -> usize {
        (usize::from(lanes) * size as usize).div_ceil(usize::from(self.register_bytes))
    }

    /// Cycles from one division of a register of floats of `size` bytes to the next.
    pub fn division_cycles(&self, size: u64) -> usize {
        let of_floats = usize::from(self.float_division_cycles);
        if size == 8 { of_floats * 8 / 5 } else { of_floats }
    }

    /// May loads and stores of so many lanes of `size` bytes be masked?
    pub fn has_masked_moves(&self, size: u64, lanes: u8) -> bool {
        lanes > 1 && self.masked_moves.is_some_and(|least| size >= least)
    }

    /// Are so many lanes of a size in bytes stored side by side at once?
    pub fn packs(&self, size: u64, lanes: u8) -> bool {
        match self.packing {
            Packing::Lanes => false,
            Packing::Table => u64::from(lanes) >= (32 / size).min(8),
            Packing::Compress => lanes >= 4,
        }
    }

    /// How many of all lanes of memory are best moved under one mask of the first ones: a register's, or those of several where that takes
    /// branches.
    pub fn lanes_moved_at_once(&self, size: u64, all: u64) -> u8 {
        let register = u64::from(self.lanes(size));
        let most = if self.has_masked_moves(size, 2) { register } else { 4 * register };
        most.min(64).min(all.next_power_of_two()) as u8
    }

    /// The conversion of the least register that takes so many floats of so many bits, else of the greatest.
    pub fn truncation(&self, bits: u32, lanes: u32) -> Truncation {
        let of_size = || self.truncations.iter().filter(|truncation| truncation.bits == bits);
        *of_size()
            .find(|truncation| truncation.lanes >= lanes)
            .or_else(|| of_size().next_back())
            .expect("a row has some of each size")
    }

    /// Is a table of so many lanes of `bits` bits looked up by one instruction for a register of indices, however long that is?
    pub fn looks_up_within_128(&self, bits: u32, table: u32) -> bool {
        bits == 32 && table <= 4 && !self.float_shuffles.is_empty()
    }

    /// Is a table of so many lanes of `bits` bits looked up in registers rather than gathered, for `count` lanes? A register of the table
    /// takes a look-up and a choice for a register of indices; a lane without a gather takes its index out of that, a load, and to be put back.
    pub fn looks_up(&self, bits: u32, table: u32, count: u8) -> bool {
        let of_a_lane = if self.gather.is_some_and(|gather| gather.takes(u64::from(bits / 8), count)) { 1 } else { 3 };
        let most = if bits >= 32 { 4 } else { 16 };
        if self.looks_up_within_128(bits, table) {
            return true;
        }
        self.permute(bits, table, count.into()).is_some_and(|unit| {
            let lanes = if unit.is_by_bytes() { unit.lanes * self.byte_shuffles.len() as u32 } else { unit.lanes };
            let look_ups = unit.look_ups(table);
            look_ups <= most && 2 * look_ups <= of_a_lane * lanes.min(count.into())
        })
    }

    /// How many instructions that is for a register: look-ups, choices between two of them, which take more than one where masks are
    /// vectors, and for each bit that chooses a test; where nothing is looked up, more than anything else.
    pub fn look_up_steps(&self, bits: u32, table: u32, count: u8) -> usize {
        if self.looks_up_within_128(bits, table) {
            return 1;
        }
        let Some(unit) = self.permute(bits, table, count.into()).filter(|_| self.looks_up(bits, table, count)) else {
            return usize::MAX;
        };
        let look_ups = unit.look_ups(table) as usize;
        let of_a_choice = if self.has_mask_registers() { 1 } else { 2 };
        look_ups + (look_ups - 1) * of_a_choice + 2 * look_ups.next_power_of_two().ilog2() as usize
    }

    /// Its instructions that put the lanes of a register that are on one after another, and that take them apart, by their names in LLVM: of
    /// lanes of 32 and 64 bits, in registers of any size.
    pub fn compressions(&self) -> Option<[&'static str; 2]> {
        (self.packing == Packing::Compress).then_some(["llvm.x86.avx512.mask.compress", "llvm.x86.avx512.mask.expand"])
    }

    /// Has it an instruction that takes a vector apart under a mask? It has that of one register, of lanes of 32 bits and more, as which
    /// narrower ones go.
    pub fn expands(&self, size: u64, lanes: u8) -> bool {
        self.compressions().is_some() && lanes <= self.lanes(size.max(4))
    }

    /// Has it look-ups of lanes of so many bits in registers of more than 128?
    pub fn crosses(&self, bits: u32) -> bool {
        self.permutes.iter().any(|unit| unit.bits == bits && unit.bits * unit.lanes > 128)
    }

    /// Bits of the longest register whose bytes an instruction moves within 128 bits; 0 where none does.
    pub fn byte_shuffle_bits(&self) -> u32 {
        self.byte_shuffles.len().checked_sub(1).map_or(0, |most| 128 << most)
    }

    /// The look-up of `count` lanes in a table of so many lanes of `bits` bits: that of the least register that both fit into, else of
    /// the greatest.
    pub fn permute(&self, bits: u32, table: u32, count: u32) -> Option<Permute> {
        let of_size = || self.permutes.iter().filter(|unit| unit.bits == bits);
        of_size().find(|unit| unit.lanes >= table.max(count)).or_else(|| of_size().next_back()).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_a_row_for_each_instruction_set() {
        for (k, isa) in Isa::ALL.into_iter().enumerate() {
            assert_eq!(isa as usize, k);
            assert_eq!(Isa::from_name(isa.name()), Some(isa));
            assert_eq!(isa.name(), isa.level().name());
        }
        assert_eq!(Isa::BASELINE, Isa::ALL[0]);
        for machine in MACHINES.iter().filter(|machine| machine.carryless_product.is_some()) {
            // Sandy Bridge has products without carries untold.
            assert!(machine.features.contains("+pclmul") || machine.cpu == "sandybridge", "{}", machine.name);
        }
        assert_eq!(Isa::ALL.map(Isa::level), Level::ALL);
    }

    #[test]
    fn registers_hold_what_instructions_take() {
        for isa in Isa::ALL {
            let (machine, bits) = (isa.machine(), u32::from(isa.register_bytes()) * 8);
            assert!(machine.permutes.iter().all(|unit| unit.bits * unit.lanes <= bits), "{isa}");
            assert!(machine.truncations.iter().all(|unit| unit.bits * unit.lanes <= bits), "{isa}");
            let sizes = 1 + (bits / 128).ilog2() as usize;
            let names = [
                machine.byte_shuffles,
                machine.float_shuffles,
                machine.dot2,
                machine.dot4,
                machine.saturating_dot2,
                machine.sad,
                machine.rounding_products,
                machine.scalings,
            ];
            assert!(names.iter().all(|names| names.len() <= sizes), "{isa}");
        }
    }

    #[test]
    fn look_ups_take_the_least_register_that_holds_the_table() {
        let lanes = |isa: Isa, bits, table| isa.machine().permute(bits, table, 1).map(|unit| unit.lanes);
        assert_eq!(lanes(Isa::Sse2, 8, 16), None);
        assert_eq!(lanes(Isa::Avx2, 32, 16), Some(8));
        assert_eq!([8, 16, 32, 64].map(|table| lanes(Isa::Avx512, 16, table)), [Some(8), Some(16), Some(32), Some(32)]);
        assert_eq!([8, 16, 32, 64].map(|table| lanes(Isa::Avx512x256, 16, table)), [Some(8), Some(16), Some(16), Some(16)]);
        assert_eq!([16, 32, 64, 128].map(|table| lanes(Isa::Avx512Vnni, 8, table)), [Some(16), Some(32), Some(64), Some(64)]);
        assert_eq!([16, 32, 64].map(|table| lanes(Isa::Avx512, 8, table)), [Some(16); 3]);
    }
}
