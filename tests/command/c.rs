//! Headers and objects, as C and C++ see them, and linking with the runtime's archive.

use super::{Folder, has, root, run};
use ivlc::machine::Isa;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

pub(super) const STRICT: [&str; 4] = ["-Wall", "-Wextra", "-Werror", "-pedantic"];

/// A folder with `kernels.ivl` and `main.c`.
fn with_kernels() -> Folder {
    let folder = Folder::new();
    for name in ["kernels.ivl", "main.c"] {
        folder.write(name, fs::read(root().join("tests/command").join(name)).expect("it is part of the tests"));
    }
    folder
}

/// The folder of the profile of this test, in which cargo has put the runtime in the meantime, built by these words.
fn with_runtime(words: &[&str]) -> PathBuf {
    let profile = PathBuf::from(env!("CARGO_BIN_EXE_ivlc")).parent().expect("a folder").to_path_buf();
    let target = profile.parent().expect("a folder");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(root()).args(words).args(["--quiet", "--offline", "-p", "ivl", "--target-dir"]).arg(target);
    if profile.ends_with("release") {
        cargo.arg("--release");
    }
    run(&mut cargo).exits(0);
    profile
}

/// The archive of the runtime, built as the README says.
pub(super) fn archive() -> PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| with_runtime(&["rustc", "--crate-type", "staticlib"])).join("libivl.a")
}

/// The runtime as a crate.
pub(super) fn runtime() -> PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| with_runtime(&["build"])).join("libivl.rlib")
}

#[test]
fn the_readme_says_how_the_archive_is_made() {
    let readme = fs::read_to_string(root().join("README.md")).expect("there is a README");
    assert!(readme.contains("cargo rustc --release -p ivl --crate-type staticlib") && readme.contains("target/release/libivl.a"));
    assert!(archive().is_file(), "{} is not there", archive().display());
}

#[test]
fn headers_are_strict_c_and_cpp() {
    let folder = with_kernels();
    folder.ivlc("build kernels.ivl --emit header").exits(0).prints("");
    // Twice: the second time, the guard has to hold. Nothing else is included first.
    folder.write("alone.c", "#include \"kernels.h\"\n#include \"kernels.h\"\nint main(void) { return 0; }\n");
    for standard in ["-std=c11", "-std=c17", "-std=gnu11"] {
        run(folder.other("cc").args(STRICT).args([standard, "-fsyntax-only", "alone.c"])).exits(0).says("");
    }
    if has("c++") {
        for standard in ["-std=c++11", "-std=c++17", "-std=c++20"] {
            let arguments = [standard, "-fsyntax-only", "-x", "c++", "alone.c"];
            run(folder.other("c++").args(STRICT).args(arguments)).exits(0).says("");
        }
    }
}

#[test]
fn c_calls_all_kinds_of_exports() {
    let folder = with_kernels();
    for isa in Isa::ALL {
        for level in ["-O0", "-O3"] {
            folder.ivlc(&format!("build kernels.ivl --emit obj,header --target {isa} {level}")).exits(0).prints("");
            let arguments = ["-std=c11", "-O1", "main.c", "kernels.o", "-lm", "-o", "main"];
            run(folder.other("cc").args(STRICT).args(arguments)).exits(0).says("");
            if isa.runs_here() {
                run(&mut folder.other(folder.path("main"))).prints("all values are right\n").exits(0);
            } else {
                println!("{isa}: linked, and not run: this machine lacks it");
            }
        }
    }
}

#[test]
fn cpp_calls_exports() {
    if !has("c++") {
        return;
    }
    let folder = with_kernels();
    folder.ivlc("build kernels.ivl --emit obj,header").exits(0);
    let text = "#include \"kernels.h\"\nint main() {\n    vec3 a = { 1, 2, 3 };\n    float x[5] = { 1, 2, 3, 4, 5 };\n    \
                return add_vec3(a, a).z == 6 && total(x, 5) == 15 && words_of_c(1, 0, 0, 0, 0, words()) == 1 ? 0 : 1;\n}\n";
    folder.write("main.cc", text);
    run(folder.other("c++").args(STRICT).args(["main.cc", "kernels.o", "-o", "main"])).exits(0).says("");
    run(&mut folder.other(folder.path("main"))).exits(0);
}

/// Prints, allocates and checks: needs the runtime.
const NEEDS_RUNTIME: &str = "
export void show(const int *a, int n) { foreach (int block[4] i = 0 .. n) print(\"%\\n\", a[i]); }
export int *fresh(int n) { int *scalar p = new int[n]; foreach (int block i = 0 .. n) p[i] = i; return p; }
export void give_back(int *p) { delete p; }
export void demand(int x) { assert(x > 0); }
export void squares(int *a, int n) { parallel foreach (int block[4] i = 0 .. n) a[i] = i * i; }
";

const CALLS_RUNTIME: &str = "#include \"k.h\"
#include <stdio.h>
int main(int argc, char **argv) {
    (void)argv;
    int32_t *p = fresh(1000);
    squares(p, 1000);
    for (int i = 0; i < 1000; i++) if (p[i] != i * i) return 1;
    give_back(p);
    p = fresh(6);
    show(p, 6);
    give_back(p);
    puts(\"from C\");
    fflush(stdout);
    demand(2 - argc);
    return 0;
}
";

#[test]
fn programs_link_with_the_archive() {
    let folder = Folder::new();
    folder.write("k.ivl", NEEDS_RUNTIME);
    folder.write("main.c", CALLS_RUNTIME);
    folder.ivlc("build k.ivl --emit obj,header --check").exits(0).prints("");
    // As the README has it.
    run(folder.other("cc").args(["main.c", "k.o"]).arg(archive()).args(["-lm", "-o", "main"])).exits(0).says("");
    let expected = "<0,1,2,3>\n<4,5,_,_>\nfrom C\n";
    for threads in ["1", "2", "7", "many"] {
        run(folder.other(folder.path("main")).env("IVL_THREADS", threads)).exits(0).prints(expected);
    }
    run(folder.other(folder.path("main")).arg("one")).exits(101).prints(expected).says("k.ivl:5:");
}

#[test]
fn objects_link_into_shared_libraries() {
    let folder = with_kernels();
    folder.ivlc("build kernels.ivl --emit obj,header").exits(0);
    let arguments = ["-shared", "-Wl,--no-undefined", "kernels.o", "-lm", "-o", "libkernels.so"];
    run(folder.other("cc").args(arguments)).exits(0).says("");
    run(folder.other("cc").args(["-std=c11", "main.c", "libkernels.so", "-Wl,-rpath,$ORIGIN", "-o", "main"])).exits(0);
    run(&mut folder.other(folder.path("main"))).exits(0).prints("all values are right\n");
}

#[test]
fn header_guards_are_identifiers() {
    let folder = Folder::new();
    folder.write("3-d filter.ivl", "export int f() { return 1; }\n");
    run(folder.command("build --emit header -o h.h").arg("3-d filter.ivl")).exits(0);
    assert!(folder.read("h.h").starts_with("#ifndef IVL_3_D_FILTER_H\n#define IVL_3_D_FILTER_H\n"), "{}", folder.read("h.h"));
    folder.write("main.c", "#include \"h.h\"\nint main(void) { return f() - 1; }\n");
    run(folder.other("cc").args(STRICT).args(["-fsyntax-only", "main.c"])).exits(0).says("");
}

#[test]
fn an_exported_main_is_c_s_own() {
    let folder = Folder::new();
    folder.ivlc("build good.ivl --emit obj,header").exits(0);
    assert!(!folder.read("good.h").contains("main"), "{}", folder.read("good.h"));
    // The program alone is a whole program.
    run(folder.other("cc").arg("good.o").arg(archive()).args(["-lm", "-o", "good"])).exits(0).says("");
    run(&mut folder.other(folder.path("good"))).exits(7).prints("42\n");
}
