//! The standard library: the files of `stdlib/`, which are a part of the compiler, and the names that they define.
//!
//! A file is read when a program mentions one of its names. A function of the program hides the library's of that name.

/// A file of the library.
pub struct LibraryFile {
    /// Its name in messages and line tables.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
    /// The functions, structs and definitions that it is there for.
    pub functions: &'static [&'static str],
    /// Do pipelines call them, whatever the program mentions?
    pub is_for_pipelines: bool,
}

/// The mathematical functions, each for double, for float, and some of these in several versions.
const MATHS: &[&str] = &[
    "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "pow", "cbrt", "hypot", "sin", "cos", "sincos", "tan", "asin",
    "acos", "atan", "atan2", "sinh", "cosh", "tanh",
];

/// Definitions for pipelines, and functions that these take.
const PIPELINES: &[&str] = &[
    "as_int",
    "as_float",
    "down_x",
    "down_y",
    "down",
    "up_x",
    "up_y",
    "up",
    "shrink_x",
    "shrink_y",
    "shrink",
    "nearest_x",
    "nearest_y",
    "nearest",
    "linear_x",
    "linear_y",
    "linear",
    "histogram_x",
    "histogram",
    "integral_x",
    "integral_y",
    "integral",
    "convolve_x",
    "convolve_y",
    "box_kernel",
    "triangle_kernel",
    "cubic_kernel",
    "lanczos_kernel",
    "resample_x",
    "resample_y",
    "luma",
    "luma709",
    "to_ycbcr",
    "to_ycbcr709",
    "from_ycbcr",
    "from_ycbcr709",
    "to_hsv",
    "from_hsv",
    "to_srgb",
    "to_linear",
];

/// All of them, those that mention others before these.
pub const FILES: &[LibraryFile] = &[
    LibraryFile {
        name: "stdlib/pipelines.ivl",
        text: include_str!("../stdlib/pipelines.ivl"),
        functions: PIPELINES,
        is_for_pipelines: false,
    },
    LibraryFile {
        name: "stdlib/containers.ivl",
        text: include_str!("../stdlib/containers.ivl"),
        functions: &["hsoa", "block_index"],
        is_for_pipelines: false,
    },
    LibraryFile { name: "stdlib/math.ivl", text: include_str!("../stdlib/math.ivl"), functions: MATHS, is_for_pipelines: false },
    LibraryFile {
        name: "stdlib/math_float.ivl",
        text: include_str!("../stdlib/math_float.ivl"),
        functions: MATHS,
        is_for_pipelines: false,
    },
    LibraryFile {
        name: "stdlib/math_versions.ivl",
        text: include_str!("../stdlib/math_versions.ivl"),
        functions: MATHS,
        is_for_pipelines: false,
    },
    LibraryFile {
        name: "stdlib/integers.ivl",
        text: include_str!("../stdlib/integers.ivl"),
        functions: &["floor_div", "floor_mod", "average", "rounding_average", "saturating_mul", "packed_load", "reduce_equal"],
        is_for_pipelines: true,
    },
];
