//! `float16` in exports: `_Float16` for C, `ivl::Float16` for Rust; behind pointers alone, since it travels in registers that not all know.

use super::bindings::rustc;
use super::c::STRICT;
use super::{Folder, has, run};
use ivlc::machine::Isa;

const KERNELS: &str = "struct px { float16 v[2]; int k; };\n\
    export void scale(float16 a[n], const float16 b[n], int n, float by, const px p[1]) {\n\
    \x20   foreach (int block i = 0 .. n) a[i] = (float16) (b[i] * by + p[0].v[1]);\n\
    }\n\
    export void corner(float16 v[,]) { v(1, 1) = v(0, 0); }\n\
    pipeline twice(float16 in[,]) -> out { fun out(x, y) = (float16) (in(x, y) * 2); }\n\
    schedule twice.wide { out.vectorize(x, 8); }\n";

#[test]
fn c_has_it_behind_pointers() {
    let folder = Folder::new();
    folder.write(
        "k.ivl",
        "struct px { float16 v[2]; int k; };\n\
        export void scale(float16 a[n], const float16 b[n], int n, float by, const px &p) {\n\
        \x20   foreach (int block i = 0 .. n) a[i] = (float16) (b[i] * by + p.v[1]);\n\
        }\n",
    );
    folder.write(
        "main.c",
        "#include \"k.h\"\n#include <stdio.h>\n#include <string.h>\n\
        int main(void) {\n\
        \x20   static const uint16_t ones[3] = { 0x3c00, 0x3c01, 0x7bff };\n\
        \x20   _Float16 a[3], b[3];\n    struct px p = { { 0, 0 }, 7 };\n    uint16_t bits[3];\n\
        \x20   memcpy(b, ones, sizeof b);\n    memcpy(&p.v[1], ones, 2);\n    scale(a, b, 3, 0.5f, &p);\n\
        \x20   memcpy(bits, a, sizeof a);\n    printf(\"%x %x %x\\n\", bits[0], bits[1], bits[2]);\n    return 0;\n}\n",
    );
    for isa in [Isa::Sse2, Isa::host()] {
        folder.ivlc(&format!("build k.ivl --emit obj,header --target {isa}")).exits(0).prints("");
        let header = folder.read("k.h");
        let comment = "/* _Float16 is a type of GCC since 12 (C) and 13 (C++), of Clang since 15. */\n";
        assert!(header.contains(comment) && header.contains("_Float16 *a"), "{header}");
        // `-pedantic` refuses what is no part of the standard, where the compiler knows the type at all.
        folder.write("known.c", "_Float16 x;\n");
        if run(folder.other("cc").args(["-std=c11", "-fsyntax-only", "known.c"])).code != Some(0) {
            return;
        }
        let mut cc = folder.other("cc");
        cc.args(&STRICT[..3]).args(["-std=c11", "main.c", "k.o", "-o", "main"]);
        run(&mut cc).exits(0).says("");
        run(&mut folder.other(folder.path("main"))).prints("3e00 3e00 77ff\n").exits(0);
    }
    let without = "export void f(float x[n], int n) { x[0] = 0; }\n";
    folder.write("none.ivl", without);
    folder.ivlc("build none.ivl --emit header").exits(0);
    assert!(!folder.read("none.h").contains("Float16"));
}

#[test]
fn rust_has_a_type_of_its_own() {
    if !has("ar") || !has("rustc") {
        return;
    }
    let folder = Folder::new();
    folder.write("k.ivl", KERNELS);
    folder.write(
        "main.rs",
        "mod bindings { include!(\"bindings.rs\"); }\nuse ivl::Float16;\n\
         fn main() {\n\
         \x20   let half = |x: f32| Float16::from_f32(x);\n\
         \x20   let b = [1.0, 2.5, 65504.0].map(half);\n    let mut a = [Float16::default(); 3];\n\
         \x20   bindings::scale(&mut a, &b, 2.0, &[bindings::px { v: [half(0.0), half(0.25)], k: 1 }]);\n\
         \x20   println!(\"{} {} {}\", a[0], a[1], a[2]);\n\
         \x20   let image = ivl::Image::from_fn([0..9, 0..2], |[x, y]| half((x + 10 * y) as f32)).expect(\"memory\");\n\
         \x20   let twice = bindings::twice::wide(image.view(), [0..9, 0..2]).expect(\"an image\");\n\
         \x20   println!(\"{:?} {:?}\", twice.get([8, 1]), twice.get([9, 1]));\n\
         }\n",
    );
    for isa in [Isa::Sse2, Isa::host()] {
        folder
            .ivlc(&format!("build k.ivl --emit obj,rust -o bindings --schedule wide --target {isa}"))
            .exits(0)
            .prints("")
            .says("");
        run(folder.other("ar").args(["rcs", "libkernels.a", "bindings.o"])).exits(0);
        rustc(&folder).exits(0).says("");
        run(&mut folder.other(folder.path("main"))).prints("2.25 5.25 inf\nSome(36.0) None\n").exits(0);
    }
}
