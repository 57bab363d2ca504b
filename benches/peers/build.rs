//! Compiles the kernels twice: with checks, as a build script does it that says nothing, and without.

/// All kernels.
const FILES: [&str; 11] = ["call", "bytes", "hex", "base64", "utf8", "numbers", "maths", "yuv", "multiply", "packing", "blake3"];

fn main() -> Result<(), ivl_build::Error> {
    let build = || {
        let build = ivl_build::Build::new().isas(["avx2", "avx512"]).fp(ivl_build::Fp::Contract).opt_level(3);
        FILES.iter().fold(build, |build, file| build.file(format!("kernels/{file}.ivl")))
    };
    build().compile("checked")?;
    build().unchecked().compile("unchecked")
}
