//! Exports from Rust: what is generated compiles without a warning, and is as safe as it says.

use super::c::runtime;
use super::{Folder, Ran, has, root, run};
use ivlc::target::Isa;
use std::fs;

/// Compiles `main.rs` with `libkernels.a` and the crate `ivl`, warnings being errors.
pub(super) fn rustc(folder: &Folder) -> Ran {
    let library = runtime();
    let dependencies = library.with_file_name("deps");
    let mut rustc = folder.other("rustc");
    rustc.args(["--edition", "2024", "-D", "warnings", "main.rs", "-L", ".", "-l", "static=kernels", "-o", "main"]);
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
    for options in ["-O0 --target sse2".to_owned(), format!("-O3 --target {}", Isa::host()), "--check".to_owned()] {
        let Some(folder) = with_exports(&options) else { return };
        rustc(&folder).exits(0).says("");
        run(&mut folder.other(folder.path("main"))).prints("all values are right\n").exits(0);
    }
}

#[test]
fn bindings_say_what_they_leave_out() {
    let Some(folder) = with_exports("") else { return };
    let text = folder.read("bindings.rs");
    assert!(text.contains("// `anywhere` has pointers in its signature: it is in `sys` alone."), "{text}");
    assert!(text.contains("pub fn anywhere(p: *mut f32, n: i32);"), "{text}");
    assert!(text.contains("/// y = a·x + y, for all of them.\n///\n/// # Panics\n"), "{text}");
}

#[test]
fn overlapping_slices_are_refused_by_their_types() {
    let Some(folder) = with_exports("") else { return };
    let wrong = "mod bindings { include!(\"bindings.rs\"); }\n\
                 fn main() { let mut v = [1.0f32; 4]; let x = &v[..]; bindings::saxpy(2.0, x, &mut v); }\n";
    folder.write("main.rs", wrong);
    rustc(&folder).exits(1).says("cannot borrow `v` as mutable");
}
