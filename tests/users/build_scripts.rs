//! Build scripts with a compiler, and without one where they need it.

use super::{Crate, clean, path_with, root, run, target};
use std::fs;
use std::path::Path;

const SAXPY: &str = "/// y = a·x + y\nexport void saxpy(float a, const float x[n], float y[n], int n) {\n    \
                     foreach (int block i = 0 .. n) y[i] = a * x[i] + y[i];\n}\n";

/// A crate that calls `saxpy`.
fn saxpy(name: &str, build: &str, main: &str) -> Crate {
    let made = Crate::new(name, build);
    made.write("src/k.ivl", SAXPY);
    made.write("src/main.rs", &format!("ivl::include_ivl!(\"k\");\nfn main() {{ {main} }}\n"));
    made
}

/// The code blocks of a part of the README, with the words in front of each.
fn blocks(text: &str) -> Vec<(String, String)> {
    let mut parts = text.split("```");
    let mut all = Vec::new();
    while let (Some(before), Some(block)) = (parts.next(), parts.next()) {
        let body = block.split_once('\n').expect("a language").1;
        all.push((before.trim().lines().last().unwrap_or_default().to_owned(), body.to_owned()));
    }
    all
}

#[test]
fn the_readme_makes_a_crate_that_runs() {
    let readme = fs::read_to_string(root().join("README.md")).expect("there is a README");
    let part = readme.split_once("## From Rust\n").expect("a section").1.split_once("\n## ").expect("an end").0;
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::os::unix::fs::symlink(root(), folder.path().join("ivlc")).expect("a link");
    let compiler = Path::new(env!("CARGO_BIN_EXE_ivlc")).parent().expect("a folder");
    let command = |program: &str, at: &Path| {
        let mut command = clean(program, at);
        command.env("PATH", path_with(compiler)).env("CARGO_NET_OFFLINE", "true");
        command
    };
    let blocks = blocks(part);
    assert_eq!(blocks.len(), 4, "{blocks:?}");
    run(command("sh", folder.path()).args(["-e", "-c", &blocks[0].1])).succeeds();
    let package = folder.path().join("fast");
    for (before, text) in &blocks[1..] {
        let name = before.trim_end_matches(':').trim_matches('`');
        fs::write(package.join(name), text).expect("a file of the crate");
    }
    assert!(package.join("build.rs").is_file() && package.join("src/kernels.ivl").is_file());
    let expected = part.split_once("`cargo run` prints `").expect("what it prints").1.split_once('`').expect("an end").0;
    run(command(env!("CARGO"), &package).args(["run", "--quiet"])).succeeds().says(expected);
}

#[test]
fn kernels_that_fail_show_their_diagnostics() {
    let made = saxpy("failing", "ivl_build::compile(\"src/k.ivl\")", "");
    made.write("src/k.ivl", &SAXPY.replace("a * x[i]", "b * x[i]"));
    let ran = run(&mut made.cargo("build")).fails();
    ran.says("Error: `b` is not declared").says("src/k.ivl:3:").says("src/k.ivl is not compiled (exit status: 1)");
    // What is mended is compiled.
    made.write("src/k.ivl", SAXPY);
    run(&mut made.cargo("build")).succeeds();
}

#[test]
fn who_has_no_compiler_is_told_how_to_get_one() {
    let made = saxpy("missing", "ivl_build::compile(\"src/k.ivl\")", "");
    let ran = run(&mut made.cargo_without("build")).fails();
    ran.says("the compiler of IVL was not found").says("apt-get install llvm-22-dev").says("cargo install ivlc");
    let ran = run(made.cargo_without("build").env("IVLC", "/no/such/ivlc")).fails();
    ran.says("IVLC is /no/such/ivlc: does not run");
    let ran = run(made.cargo("build").env("IVLC_x86_64_unknown_linux_gnu", "/bin/true")).fails();
    ran.says("IVLC_x86_64_unknown_linux_gnu is /bin/true: is no ivlc");
}

#[test]
fn the_compiler_of_the_workspace_is_found() {
    let made = saxpy("own", "ivl_build::compile(\"src/k.ivl\")", "k::saxpy(1.0, &[], &mut [])");
    let workspace = Path::new(env!("CARGO_BIN_EXE_ivlc")).ancestors().nth(2).expect("a target folder");
    let mut cargo = made.cargo_without("run --target-dir");
    run(cargo.arg(target()).env("CARGO_TARGET_DIR", workspace)).succeeds();
}

#[test]
fn wrong_builds_are_errors() {
    for (build, message) in [
        ("ivl_build::compile(\"src/none.ivl\")", "src/none.ivl is not compiled"),
        ("ivl_build::Build::new().compile(\"k\")", "there is no file to compile to `k`"),
        ("ivl_build::Build::new().file(\"src/k.ivl\").compile(\"k-1\")", "`k-1` is no name of a module"),
        (
            "ivl_build::Build::new().file(\"src/k.ivl\").isas([\"avx3\"]).compile(\"k\")",
            "`avx3` is no instruction set: there are sse2,",
        ),
        (
            "ivl_build::Build::new().file(\"src/k.ivl\").isas([\"\"; 0]).compile(\"k\")",
            "there is no instruction set to compile for",
        ),
        ("ivl_build::Build::new().file(\"src/k.ivl\").width(3).compile(\"k\")", "lengths are the powers of two"),
    ] {
        run(&mut saxpy("wrong", build, "").cargo("build")).fails().says(message);
    }
}

#[test]
fn options_reach_the_compiler() {
    let build = "ivl_build::Build::new().file(\"src/k.ivl\").isas([\"sse4\", \"avx2\"]).fp(ivl_build::Fp::Contract).width(8)\
                 .opt_level(1).debug(true).prefix(\"own_\").compile(\"k\")";
    let main = "assert_eq!(k::width(), 8); assert_eq!(k::LEVELS.to_string(), \"sse4, avx2\");
                unsafe extern \"C\" { fn own_width() -> i32; } assert_eq!(unsafe { own_width() }, 8);
                k::element(&[1.0, 2.0], 2);";
    let made = saxpy("options", build, main);
    let more = "export int width() { varying int i = 0; return lengthof(i); }\n\
                export float element(const float x[n], int n, int at) { return x[at]; }\n";
    made.write("src/k.ivl", more);
    let ran = run(&mut made.cargo("run"));
    // Checks are there: an index behind the slice is a panic.
    assert!(!ran.is_success, "{}", ran.text);
    ran.says("src/k.ivl:2:").says("index").says("src/main.rs:4:");
}

#[test]
fn several_files_are_one_module_and_changes_are_seen() {
    let made = Crate::new("several", "ivl_build::Build::new().file(\"src/a.ivl\").file(\"src/b.ivl\").compile(\"k\")");
    made.write("src/a.ivl", "import \"deep/base.ivl\";\nexport int a() { return base() + 1; }\n");
    made.write("src/b.ivl", "import \"deep/base.ivl\";\nexport int b() { return base() + 2; }\n");
    made.write("src/deep/base.ivl", "int base() { return 40; }\n");
    made.write("src/main.rs", "ivl::include_ivl!(\"k\");\nfn main() { println!(\"{} {}\", k::a(), k::b()); }\n");
    run(&mut made.cargo("run")).succeeds().says("41 42");
    // Time stamps of files may be as coarse as a second.
    std::thread::sleep(std::time::Duration::from_millis(1100));
    made.write("src/deep/base.ivl", "int base() { return 50; }\n");
    run(&mut made.cargo("run")).succeeds().says("51 52");
}

#[test]
fn slices_are_what_they_are() {
    let main = "let x: Vec<f32> = (0..50).map(|i| i as f32).collect();
        for start in 0..9 { let mut y = [1.0; 60]; k::saxpy(2.0, &x[start..], &mut y[start..50]); assert_eq!(y[49], 99.0); }
        let mut y = [1.0; 3];
        println!(\"{}\", k::try_saxpy(2.0, &x, &mut y).unwrap_err());
        k::saxpy(2.0, &x, &mut y);";
    let made = saxpy("slices", "ivl_build::compile(\"src/k.ivl\")", main);
    let ran = run(&mut made.cargo("run"));
    assert!(!ran.is_success, "{}", ran.text);
    let message = "`x` has 50 elements and `y` has 3: both are to have `n`";
    assert!(ran.text.matches(message).count() == 2 && ran.text.contains("src/main.rs:6:"), "{}", ran.text);
}

#[test]
fn overlapping_slices_are_refused_by_their_types() {
    let main = "let mut v = [1.0f32; 4]; let x = &v[..]; k::saxpy(2.0, x, &mut v);";
    let made = saxpy("overlapping", "ivl_build::compile(\"src/k.ivl\")", main);
    run(&mut made.cargo("build")).fails().says("cannot borrow `v` as mutable");
}

#[test]
fn nothing_is_left_behind_by_a_build() {
    let made = saxpy("tidy", "ivl_build::compile(\"src/k.ivl\")", "k::saxpy(1.0, &[], &mut [])");
    run(&mut made.cargo("build")).succeeds();
    let built = target().join("debug/build");
    let names = fs::read_dir(built).expect("build folders").flatten().map(|entry| entry.path());
    let out = names
        .filter(|path| path.file_name().is_some_and(|n| n.to_string_lossy().starts_with("tidy-")))
        .map(|path| path.join("out"));
    let outs: Vec<_> = out.filter(|path| path.is_dir()).collect();
    let mut files: Vec<String> = fs::read_dir(&outs[0])
        .expect("OUT_DIR")
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    files.sort();
    assert_eq!(files, ["k.rs", "libtidy_0_1_k.a"]);
}
