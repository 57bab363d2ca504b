//! Crates that publish what the compiler made.

use super::{Crate, cargo_without, root, run, target};
use std::fs;
use std::path::{Path, PathBuf};

/// What build scripts of a package have made of its kernels.
fn modules(package: &str) -> Vec<PathBuf> {
    let builds = fs::read_dir(target().join("debug/build")).expect("build folders").flatten().map(|entry| entry.path());
    let is_its = |path: &Path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&format!("{package}-")));
    builds.filter(|path| is_its(path)).map(|path| path.join("out/kernels.rs")).filter(|path| path.is_file()).collect()
}

#[test]
fn a_published_crate_is_built_without_a_compiler() {
    let folder = root().join("examples/users/count-bytes");
    run(&mut cargo_without(&folder, "test --locked")).succeeds().says("every_level_counts_what_is_there ... ok");
    let assembled = modules("count-bytes").iter().any(|path| fs::read_to_string(path).is_ok_and(|t| t.contains("global_asm!")));
    assert!(assembled, "its assembly is used");
}

#[test]
fn documentation_is_built_of_bindings_alone() {
    let made = Crate::copy("count-bytes");
    made.write("Cargo.toml", &made.read("Cargo.toml").replace("\"count-bytes\"", "\"documented\""));
    // The prefix has the name of the package in it.
    run(made.cargo("check").env("IVL_RENEW", "1")).succeeds();
    run(made.cargo_without("doc --no-deps").env("DOCS_RS", "1")).succeeds();
    let page = target().join("doc/documented/kernels/fn.count.html");
    assert!(fs::read_to_string(page).expect("a page").contains("How often a byte occurs."));
    let is_bare = |path: &PathBuf| fs::read_to_string(path).is_ok_and(|text| !text.contains("global_asm!"));
    assert!(modules("documented").iter().any(is_bare));
}

#[test]
fn documentation_is_built_where_nothing_is_known_of_the_kernels() {
    let made = Crate::new("undocumented", "ivl_build::compile(\"src/k.ivl\")");
    made.write("src/k.ivl", "export int k() { return 1; }\n");
    made.write("src/lib.rs", "//! Calls a kernel.\nivl::include_ivl!(\"k\");\n/// One.\npub fn one() -> i32 { k::k() }\n");
    let ran = run(made.cargo_without("doc --no-deps").env("DOCS_RS", "1")).succeeds();
    ran.says("there is no compiler: the module `k` is documented without its functions");
    assert!(target().join("doc/undocumented/fn.one.html").is_file());
    run(made.cargo("doc --no-deps").env("DOCS_RS", "1")).succeeds();
    assert!(target().join("doc/undocumented/k/fn.k.html").is_file());
}

#[test]
fn stale_files_are_errors_that_say_how_to_renew_them() {
    let made = Crate::copy("count-bytes");
    run(&mut made.cargo_without("check")).succeeds();
    made.write("src/kernels.ivl", &made.read("src/kernels.ivl").replace("255 * 64", "254 * 64"));
    for cargo in [&mut made.cargo_without("check"), &mut made.cargo("check")] {
        let ran = run(cargo).fails();
        ran.says("src/generated/kernels.rs is stale: src/kernels.ivl or the options have changed since")
            .says("IVL_RENEW=1 cargo build");
    }
    // Without a compiler there is no renewing.
    run(made.cargo_without("check").env("IVL_RENEW", "1")).fails().says("the compiler of IVL was not found");
    run(made.cargo("check").env("IVL_RENEW", "1")).succeeds();
    run(&mut made.cargo_without("test --lib")).succeeds();
    // Options count as sources do.
    let build = made.read("build.rs");
    made.write("build.rs", &build.replace(".opt_level(3)", ".opt_level(3).isas([\"sse4\"])"));
    run(&mut made.cargo_without("check")).fails().says("is stale");
    made.write("build.rs", &build);
    fs::remove_file(made.path().join("src/generated/kernels.s")).expect("it was there");
    run(&mut made.cargo_without("check")).fails().says("src/generated/kernels.rs and its assembly are not there");
}

#[test]
fn files_are_the_same_on_every_machine() {
    let files = |made: &Crate| [made.read("src/generated/kernels.rs"), made.read("src/generated/kernels.s")];
    let renewed = || {
        let made = Crate::copy("count-bytes");
        made.write("src/generated/kernels.rs", "");
        run(made.cargo("check").env("IVL_RENEW", "1")).succeeds();
        made
    };
    let (one, other) = (files(&renewed()), files(&renewed()));
    assert_eq!(one, other, "whatever folder they lie in");
    let published =
        fs::read_to_string(root().join("examples/users/count-bytes/src/generated/kernels.rs")).expect("it is published");
    assert_eq!(one[0], published, "IVL_RENEW=1 cargo build in examples/users/count-bytes writes it");
    // Line ends of version control do not count.
    let made = Crate::copy("count-bytes");
    made.write("src/kernels.ivl", &made.read("src/kernels.ivl").replace('\n', "\r\n"));
    run(&mut made.cargo_without("check")).succeeds();
}

#[test]
fn modules_have_labels_of_their_own() {
    let build = "for name in [\"a\", \"b\"] {
        ivl_build::Build::new().file(format!(\"src/{name}.ivl\")).pregenerated(\"src/generated\").compile(name)?;
    }
    Ok(())";
    let made = Crate::new("labels", build);
    for (name, factor) in [("a", 2), ("b", 3)] {
        // Each has a helper, constants and branches with the names of the other's.
        let text = format!(
            "float helper(float x) {{ return x > 1.5f ? sin(x) : x * {factor}.25f; }}\n\
             export float total(const float x[n], int n) {{\n    float sum = 0;\n    for (int i = 0; i < n; ++i) sum += helper(x[i]);\n    \
             print(\"%\\n\", sum);\n    return sum;\n}}\n"
        );
        made.write(format!("src/{name}.ivl"), &text);
    }
    let main = "ivl::include_ivl!(\"a\");\nivl::include_ivl!(\"b\");\n\
                fn main() { assert_eq!(a::total(&[1.0, 1.0]), 4.5); assert_eq!(b::total(&[1.0]), 3.25); }\n";
    made.write("src/main.rs", main);
    run(made.cargo("run").env("IVL_RENEW", "1")).succeeds();
    run(&mut made.cargo_without("run")).succeeds().says("4.5\n").says("3.25\n");
    run(&mut made.cargo_without("run --release")).succeeds();
}
