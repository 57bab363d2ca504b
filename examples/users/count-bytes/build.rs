//! Compiles the kernels, or takes what was published.

fn main() -> Result<(), ivl_build::Error> {
    ivl_build::Build::new().file("src/kernels.ivl").pregenerated("src/generated").opt_level(3).compile("kernels")
}
