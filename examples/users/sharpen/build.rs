//! Compiles the kernels.

fn main() -> Result<(), ivl_build::Error> {
    // Kernels are compiled with optimisation even where the rest is being debugged.
    ivl_build::Build::new().file("src/kernels.ivl").isas(["sse4", "avx2", "avx512"]).opt_level(3).compile("kernels")
}
