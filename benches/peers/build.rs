//! Compiles the kernels twice: with checks, as a build script does it that says nothing, and without. The definitions of tensors are those
//! of the examples.

/// All kernels.
const FILES: [&str; 11] = ["call", "bytes", "hex", "base64", "utf8", "numbers", "maths", "yuv", "multiply", "packing", "blake3"];

/// Definitions of tensors.
const TENSORS: [&str; 4] = ["linear", "convolution", "networks", "statistics"];

fn main() -> Result<(), ivl_build::Error> {
    let new = || ivl_build::Build::new().isas(["avx2", "avx512"]).fp(ivl_build::Fp::Contract).opt_level(3);
    let tensors = TENSORS.iter().fold(new(), |build, file| build.file(format!("../../examples/tensors/{file}.tc")));
    tensors.compile("tensors")?;
    let build = || {
        let build = new();
        FILES.iter().fold(build, |build, file| build.file(format!("kernels/{file}.ivl")))
    };
    build().compile("checked")?;
    build().unchecked().compile("unchecked")
}
