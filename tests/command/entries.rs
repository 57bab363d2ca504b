//! Pipelines from C and from Rust.

use super::bindings::rustc;
use super::c::{STRICT, archive};
use super::{Folder, has, root, run};
use ivl::Pixel;
use ivlc::machine::Isa;
use ivlc::pipeline::lower::entry::type_number;
use ivlc::types::Element;
use std::fs;

fn with_pipelines() -> Folder {
    let folder = Folder::new();
    for name in ["pipelines.ivl", "pipelines.c", "pipelines.rs"] {
        folder.write(name, fs::read(root().join("tests/command").join(name)).expect("it is part of the tests"));
    }
    folder
}

#[test]
fn c_runs_every_schedule() {
    let folder = with_pipelines();
    for (isa, options) in [(Isa::Sse2, "-O0"), (Isa::host(), "-O3"), (Isa::host(), "-O3 --check")] {
        folder
            .ivlc(&format!(
                "build pipelines.ivl --emit obj,header --target {isa} --schedule auto,breadth_first,tiled,wide {options}"
            ))
            .exits(0)
            .prints("");
        let mut cc = folder.other("cc");
        cc.args(STRICT).args(["-std=c11", "pipelines.c", "pipelines.o"]).arg(archive()).args(["-lm", "-o", "main"]);
        run(&mut cc).exits(0).says("");
        run(&mut folder.other(folder.path("main"))).prints("all values are right\n").exits(0);
    }
    if has("c++") {
        folder.write("alone.cc", "#include \"pipelines.h\"\nint main() { return ivl_buffer().rank; }\n");
        run(folder.other("c++").args(STRICT).args(["-std=c++17", "-fsyntax-only", "alone.cc"])).exits(0).says("");
    }
}

#[test]
fn rust_runs_every_schedule() {
    if !has("ar") || !has("rustc") {
        return;
    }
    let folder = with_pipelines();
    folder.ivlc("build pipelines.ivl --emit obj,rust --schedule auto,breadth_first,tiled,wide").exits(0).prints("");
    fs::rename(folder.path("pipelines.o"), folder.path("kernels.o")).expect("an object");
    // The bindings have the name of the program, as the test itself.
    let text = folder.read("pipelines.rs");
    assert!(text.starts_with("// What pipelines.ivl exports.\n"), "{text}");
    folder.write("bindings.rs", text);
    folder.write("main.rs", fs::read(root().join("tests/command/pipelines.rs")).expect("it is part of the tests"));
    run(folder.other("ar").args(["rcs", "libkernels.a", "kernels.o"])).exits(0);
    rustc(&folder).exits(0).says("");
    run(&mut folder.other(folder.path("main"))).prints("all values are right\n").exits(0);
}

/// A function that takes views is called with images, as a pipeline is, and so is what a schedule is printed as.
#[test]
fn views_are_images_for_c() {
    let folder = Folder::new();
    folder.write(
        "blur.ivl",
        "pipeline blur(uint16 in[,]) -> by {\n    fun by(x, y) = (uint16) (((int) in(x - 1, y) + in(x, y) + in(x + 1, y)) / 3);\n}\n\
         schedule blur.wide { by.vectorize(x, 8); }\n",
    );
    folder.ivlc("build blur.ivl --schedule wide --emit ivl -o printed.ivl").exits(0).says("");
    let kernels = "/// The first pixel of a line, times a number.\n\
                   export double first(const double v[:], double scratch_of[,], double by) { scratch_of(0, 0) = by; return v(v.min(0)) * by; }\n\
                   export void clear(int v[,]) { foreach (int y = v.min(1) .. v.min(1) + v.extent(1), int x = v.min(0) .. \
                   v.min(0) + v.extent(0)) v(x, y) = 0; }\n";
    folder.write("all.ivl", folder.read("printed.ivl") + kernels);
    folder.write("main.c", fs::read(root().join("tests/command/views.c")).expect("it is part of the tests"));
    for (isa, options) in [(Isa::Sse2, "-O0"), (Isa::host(), "-O3"), (Isa::host(), "-O3 --check")] {
        folder.ivlc(&format!("build all.ivl --emit obj,header --target {isa} {options}")).exits(0).prints("");
        let header = folder.read("all.h");
        for declared in [
            "int32_t blur_wide(ivl_buffer *by, const ivl_buffer *in);",
            "double first(const ivl_buffer *v, ivl_buffer *scratch_of, double by);",
            "void clear(ivl_buffer *v);",
        ] {
            assert!(header.contains(declared), "{declared}\n{header}");
        }
        let mut cc = folder.other("cc");
        cc.args(STRICT).args(["-std=c11", "main.c", "all.o"]).arg(archive()).args(["-lm", "-o", "main"]);
        run(&mut cc).exits(0).says("");
        run(&mut folder.other(folder.path("main"))).prints("all values are right\n").exits(0);
        run(folder.other(folder.path("main")).arg("rank")).exits(101).says("`clear`: `v` has 1 dimensions, 2 are needed\n");
        run(folder.other(folder.path("main")).arg("type"))
            .exits(101)
            .says("`first`: `v` has pixels of type 10, `double` (11) is needed\n");
        run(folder.other(folder.path("main")).arg("null")).exits(101).says("`clear`: `v` is the null pointer\n");
    }
}

#[test]
fn types_of_pixels_have_one_number() {
    let integers = [i8::TYPE, i16::TYPE, i32::TYPE, i64::TYPE, u8::TYPE, u16::TYPE, u32::TYPE, u64::TYPE];
    let ours = [&[bool::TYPE], &integers[..], &[f32::TYPE, f64::TYPE, ivl::Float16::TYPE]].concat();
    assert_eq!(Element::ALL.map(|element| type_number(element) as i32).to_vec(), ours);
}

#[test]
fn schedules_are_exported_where_they_are_asked_for() {
    let folder = Folder::new();
    let text = "pipeline p(int in[]) -> f { fun f(x) = in(x); }\nschedule p.s { f.serial(x); }\nschedule p.t { f.parallel(x); }\n\
                pipeline q(int in[]) -> f { fun f(x) = in(x); }\n";
    folder.write("two.ivl", text);
    let exported = |options: &str| {
        let header = folder.ivlc(&format!("build two.ivl --emit header -o - {options}")).exits(0).stdout;
        let names =
            header.lines().filter_map(|line| line.strip_prefix("int32_t ")?.split_once('(').map(|(name, _)| name.to_owned()));
        names.filter(|name| !name.ends_with("_required")).collect::<Vec<_>>()
    };
    assert_eq!(exported(""), ["p_s", "p_t", "q_auto", "q"]);
    assert_eq!(exported("--schedule p.t"), ["p_t", "q_auto", "q"]);
    assert_eq!(exported("--schedule auto,breadth_first"), ["p_auto", "p", "p_breadth_first", "q_auto", "q", "q_breadth_first"]);
    folder.ivlc("build two.ivl --schedule p.u").exits(2).says("no pipeline has a schedule `p.u`");
}

#[test]
fn symbols_of_schedules_are_unique() {
    let folder = Folder::new();
    let text = "pipeline a(int in[]) -> f { fun f(x) = in(x); }\nschedule a.b_c { f.serial(x); }\n\
                pipeline a_b(int in[]) -> f { fun f(x) = in(x); }\nschedule a_b.c { f.serial(x); }\n";
    folder.write("two.ivl", text);
    folder.ivlc("check two.ivl").exits(0);
    folder.ivlc("build two.ivl").exits(1).says("two functions are `a_b_c` for C");
    folder.write("two.ivl", "pipeline a(int in[]) -> f { fun f(x) = in(x); }\nexport int a_auto() { return 1; }\n");
    folder.ivlc("build two.ivl").exits(1).says("two functions are `a_auto` for C");
}
