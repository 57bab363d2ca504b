//! Exports from Rust: what is generated compiles without a warning, and is as safe as it says.

use super::c::runtime;
use super::{Folder, Ran, has, root, run};
use ivlc::machine::Isa;
use std::fs;

/// Compiles `main.rs` with `libkernels.a` and the crate `ivl`, warnings being errors.
pub(super) fn rustc(folder: &Folder) -> Ran {
    rustc_of(folder, "2024")
}

fn rustc_of(folder: &Folder, edition: &str) -> Ran {
    let library = runtime();
    let dependencies = library.with_file_name("deps");
    let mut rustc = folder.other("rustc");
    rustc.args(["--edition", edition, "-D", "warnings", "main.rs", "-L", ".", "-l", "static=kernels", "-o", "main"]);
    rustc.arg("-L").arg(format!("dependency={}", dependencies.display()));
    rustc.arg("--extern").arg(format!("ivl={}", library.display()));
    run(&mut rustc)
}

/// A folder with the object of `exports.ivl` in an archive, and its bindings.
fn with_exports(options: &str) -> Option<Folder> {
    if !has("ar") || !has("rustc") {
        return None;
    }
    let folder = Folder::new();
    for name in ["exports.ivl", "exports.rs"] {
        folder.write(name, fs::read(root().join("tests/command").join(name)).expect("it is part of the tests"));
    }
    fs::rename(folder.path("exports.rs"), folder.path("main.rs")).expect("the program");
    folder.ivlc(&format!("build exports.ivl --emit obj,rust -o bindings {options}")).exits(0).prints("").says("");
    run(folder.other("ar").args(["rcs", "libkernels.a", "bindings.o"])).exits(0);
    Some(folder)
}

#[test]
fn exports_are_safe_functions() {
    for options in ["-O0 --target sse2".to_owned(), format!("-O3 --target {}", Isa::host()), "-O1 --check".to_owned()] {
        let Some(folder) = with_exports(&options) else { return };
        rustc(&folder).exits(0).says("");
        run(&mut folder.other(folder.path("main"))).prints("all values are right\n").exits(0);
    }
}

#[test]
fn what_callers_have_to_see_to_is_unsafe() {
    let Some(folder) = with_exports("") else { return };
    let text = folder.read("bindings.rs");
    let safety = "/// # Safety\n/// `p` leads to what the function accesses through it.\n";
    assert!(text.contains(safety) && text.contains("pub unsafe fn anywhere(p: *mut f32, n: i32) {"), "{text}");
    assert!(text.contains("pub fn anywhere(p: *mut f32, n: i32);"), "{text}");
    assert!(text.contains("/// y = a·x + y, for all of them.\n///\n/// # Panics\n"), "{text}");
    // What has no comment begins with a line about it.
    assert!(text.contains("/// The export `dot`.\n"), "{text}");
    // Comments of structs are kept.
    assert!(text.contains("/// A point, or a direction.\n#[repr(C)]\n"), "{text}");
    // What nobody checks is listed.
    let before = text.split_once("pub unsafe fn fresh(n: i32)").expect("an unsafe function").0;
    let section = before.rsplit_once("/// # Safety").expect("what callers see to").1;
    assert!(section.contains("which nothing checks") && section.contains("/// * exports.ivl:"), "{section}");
    assert!(text.contains("pub fn through(x: &[f32]) -> f32 {"), "{text}");
    // Without checks, what they would test is listed; what has nothing to test is safe.
    folder.ivlc("build exports.ivl --emit rust --unchecked -o bindings.rs").exits(0).says("");
    let text = folder.read("bindings.rs");
    let safety = "/// # Safety\n/// These accesses, which nothing checks, stay inside of what there is:\n/// * exports.ivl:";
    assert!(text.contains(safety) && text.contains("pub unsafe fn element(x: &[f32], at: i32) -> f32 {"), "{text}");
    assert!(text.contains("pub fn dot(a: vec3, b: vec3) -> f32 {"), "{text}");
    folder.ivlc("build exports.ivl --emit rust --unchecked --check").exits(2);
}

#[test]
fn a_call_compares_in_line_and_makes_messages_out_of_line() {
    let Some(folder) = with_exports("--dispatch --target sse2,avx2") else { return };
    let text = folder.read("bindings.rs");
    let (before, after) = text.split_once("pub fn try_saxpy(").expect("a function that says why");
    assert!(before.ends_with("#[inline]\n"), "{before}");
    let body = after.split_once("\n}\n").expect("its end").0;
    let compared = "    let n = x.len() as i32;\n    if n as usize != x.len() || y.len() != x.len() {\n        return Err(ivl::wrong_lengths(";
    assert!(body.contains(compared), "{body}");
    let (before, after) = text.split_once("pub fn saxpy(a: f32, x: &[f32]").expect("a function that panics");
    assert!(before.ends_with("#[inline]\n#[track_caller]\n"), "{before}");
    assert!(after.split_once("\n}\n").expect("its end").0.contains("Err(error) => ivl::fail(error),"), "{after}");
}

#[test]
fn all_editions_compile_what_is_generated() {
    let Some(folder) = with_exports("") else { return };
    for edition in ["2018", "2021", "2024"] {
        folder.write("main.rs", "mod bindings { include!(\"bindings.rs\"); }\nfn main() { bindings::element(&[1.0], 1); }\n");
        rustc_of(&folder, edition).exits(0).says("");
        let ran = run(&mut folder.other(folder.path("main")));
        assert_eq!(ran.code, Some(101), "it panics, and the program ends: {}", ran.stderr);
        ran.says("main.rs:2:13").says("exports.ivl:").says("index 1 of `x`, which has 1 elements");
    }
}

#[test]
fn overlapping_slices_are_refused_by_their_types() {
    let Some(folder) = with_exports("") else { return };
    let wrong = "mod bindings { include!(\"bindings.rs\"); }\n\
                 fn main() { let mut v = [1.0f32; 4]; let x = &v[..]; bindings::saxpy(2.0, x, &mut v); }\n";
    folder.write("main.rs", wrong);
    rustc(&folder).exits(1).says("cannot borrow `v` as mutable");
}
