//! The run-time library and bindings under the address sanitizer, where the toolchain has it.

use super::{Crate, clean, root, run, target};
use std::fs;
use std::path::Path;
use std::process::Command;

const TARGET: &str = "x86_64-unknown-linux-gnu";

/// Cargo that builds with the sanitizer; `None`, and a line that says so, where that does not work.
fn sanitized(folder: &Path, words: &str) -> Option<Command> {
    let with = |mut command: Command| {
        command.env("RUSTC_BOOTSTRAP", "1").env("RUSTFLAGS", "-Zsanitizer=address").env("CARGO_NET_OFFLINE", "true");
        command.env("ASAN_OPTIONS", "detect_leaks=0").env("CARGO_TARGET_DIR", target().join("sanitized"));
        command
    };
    let probe = tempfile::tempdir().expect("a temporary folder");
    fs::write(probe.path().join("probe.rs"), "fn main() {}").expect("a file");
    let mut rustc = with(clean("rustc", probe.path()));
    let words_of_probe = ["-Zsanitizer=address", "--target", TARGET, "probe.rs", "-o", "probe"];
    let is_there = rustc.args(words_of_probe).output().is_ok_and(|output| output.status.success());
    if !is_there {
        println!("not tested: this toolchain has no address sanitizer");
        return None;
    }
    let mut cargo = with(clean(env!("CARGO"), folder));
    cargo.args(words.split_whitespace()).args(["--target", TARGET]).env("IVLC", env!("CARGO_BIN_EXE_ivlc"));
    Some(cargo)
}

#[test]
fn the_sanitizer_finds_what_is_wrong() {
    let made = Crate::new("overrun", "ivl_build::compile(\"src/k.ivl\")");
    made.write("src/k.ivl", "export int k() { return 1; }\n");
    let main = "ivl::include_ivl!(\"k\");\nfn main() { let v = vec![k::k(); 3]; println!(\"{}\", unsafe { *v.as_ptr().add(v.len()) }); }\n";
    made.write("src/main.rs", main);
    let Some(mut cargo) = sanitized(made.path(), "run") else { return };
    let ran = run(&mut cargo);
    assert!(!ran.is_success && ran.text.contains("heap-buffer-overflow"), "{}", ran.text);
}

#[test]
fn the_run_time_library_passes() {
    let Some(mut cargo) = sanitized(&root().join("runtime"), "test --lib") else { return };
    // What asks for more than there is gets nothing, as without the sanitizer.
    cargo.env("ASAN_OPTIONS", "allocator_may_return_null=1");
    run(&mut cargo).succeeds().says("test result: ok");
}

#[test]
fn published_kernels_pass() {
    let Some(mut cargo) = sanitized(&root().join("examples/users/count-bytes"), "test --lib --locked") else { return };
    run(&mut cargo).succeeds().says("every_level_counts_what_is_there ... ok");
}

#[test]
fn exports_pass() {
    let made = Crate::new("exports", "ivl_build::Build::new().file(\"exports.ivl\").compile(\"bindings\")");
    let tests = root().join("tests/command");
    let main = fs::read_to_string(tests.join("exports.rs")).expect("it is part of the tests");
    let own = "mod bindings {\n    include!(\"bindings.rs\");\n}\n";
    assert!(main.contains(own), "it has bindings of its own");
    made.write("src/main.rs", &main.replace(own, "ivl::include_ivl!(\"bindings\");\n"));
    made.write("exports.ivl", &fs::read_to_string(tests.join("exports.ivl")).expect("it is part of the tests"));
    let Some(mut cargo) = sanitized(made.path(), "run") else { return };
    run(&mut cargo).succeeds().says("all values are right");
}
