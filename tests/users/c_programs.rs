//! C programs that are built by make and by CMake.

use super::{clean, has, root, run};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The archive of the runtime.
fn archive() -> PathBuf {
    let folder = super::target();
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(root()).args(["rustc", "--quiet", "--offline", "-p", "ivl", "--crate-type", "staticlib", "--target-dir"]);
    run(cargo.arg(&folder)).succeeds();
    folder.join("debug/libivl.a")
}

fn example() -> PathBuf {
    root().join("examples/users/mandelbrot-c")
}

/// Draws with all levels, and compares.
#[track_caller]
fn draws(program: &Path) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let picture = |words: &[&str], limit: &str| {
        run(clean(program, folder.path()).arg("out.pgm").args(words).env("IVL_MAX_ISA", limit)).succeeds();
        fs::read(folder.path().join("out.pgm")).expect("a picture")
    };
    let best = picture(&[], "");
    assert!(best.starts_with(b"P5\n480 320\n255\n") && best.len() == 15 + 480 * 320);
    // Black inside of the set, which the middle of the left half is in.
    assert_eq!(best[15 + 160 * 480 + 240], 0);
    for level in ivl::Level::ALL.into_iter().filter(|level| level.supported()) {
        assert!(picture(&[], level.name()) == best && picture(&[level.name()], "") == best, "{level}");
    }
}

#[test]
fn make_builds_it() {
    if !has("make") {
        return;
    }
    let out = tempfile::tempdir().expect("a temporary folder");
    let make = || {
        let mut make = clean("make", &example());
        make.arg(format!("OUT={}", out.path().display())).arg(format!("IVLC={}", env!("CARGO_BIN_EXE_ivlc")));
        run(make.arg(format!("IVL_LIB={}", archive().display()))).succeeds()
    };
    make().says("--emit obj,header");
    draws(&out.path().join("mandelbrot"));
    make().says("up to date");
}

#[test]
fn cmake_builds_it() {
    if !has("cmake") {
        return;
    }
    let out = tempfile::tempdir().expect("a temporary folder");
    let mut cmake = clean("cmake", out.path());
    cmake.arg(example()).arg(format!("-DIVLC={}", env!("CARGO_BIN_EXE_ivlc"))).arg(format!("-DIVL_LIB={}", archive().display()));
    run(&mut cmake).succeeds();
    let build = || run(clean("cmake", out.path()).args(["--build", "."])).succeeds();
    build();
    draws(&out.path().join("mandelbrot"));
    build();
}
