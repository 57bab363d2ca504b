//! One object for several targets, from C: what it chooses, what it says where there is nothing to choose, and how exports are named.

use super::c::{STRICT, archive};
use super::{Folder, has, root, run};
use ivlc::machine::Isa;
use std::fs;

/// `dispatch.ivl` as `kernels`, compiled, and `dispatch.c` linked with it.
fn built(options: &str) -> Folder {
    let folder = Folder::new();
    for (from, to) in [("dispatch.ivl", "kernels.ivl"), ("dispatch.c", "main.c")] {
        folder.write(to, fs::read(root().join("tests/command").join(from)).expect("it is part of the tests"));
    }
    folder.ivlc(&format!("build kernels.ivl --dispatch --emit obj,header {options}")).exits(0).prints("").says("");
    let mut cc = folder.other("cc");
    cc.args(STRICT).args(["-std=c11", "main.c", "kernels.o"]).arg(archive()).args(["-lm", "-o", "main"]);
    run(&mut cc).exits(0).says("");
    folder
}

/// What the program prints with `IVL_MAX_ISA`.
fn at_most(folder: &Folder, isa: &str) -> String {
    run(folder.other(folder.path("main")).env("IVL_MAX_ISA", isa)).exits(0).stdout
}

#[test]
fn every_level_gives_the_same_bits() {
    for options in ["-O3", "-O0 --check", "-g -O2"] {
        let folder = built(&format!("--target avx512,sse4,sse2,avx,avx512vnni,avx512-256,avx2,avx2 {options}"));
        let bits = |text: &str| text.split_once("bits ").expect("bits").1.to_owned();
        let lowest = at_most(&folder, "sse2");
        assert!(lowest.starts_with("width 4, "), "{lowest}");
        for isa in Isa::ALL {
            let number = (isa.level() as u32).to_string();
            let named = run(folder.other(folder.path("main")).arg(number)).exits(0).stdout;
            if !isa.runs_here() {
                println!("not tested: this machine does not run {isa}");
                assert_eq!(named, "not supported\n");
                continue;
            }
            let limited = at_most(&folder, isa.name());
            // W says which code ran.
            assert!(limited.starts_with(&format!("width {}, ", isa.width())), "{isa}: {limited}");
            assert_eq!((bits(&limited), limited), (bits(&lowest), named), "{isa}");
        }
        assert_eq!(at_most(&folder, ""), at_most(&folder, Isa::host().name()));
    }
}

#[test]
fn older_processors_run_what_they_can() {
    if !has("qemu-x86_64") {
        return;
    }
    let folder = built("--target sse2,sse4,avx,avx2,avx512");
    let bits = at_most(&folder, "sse2");
    let bits = bits.split_once("bits ").expect("bits").1;
    for (cpu, isa) in [("qemu64", Isa::Sse2), ("Nehalem", Isa::Sse4), ("SandyBridge", Isa::Avx), ("Haswell", Isa::Avx2)] {
        let ran = run(folder.other("qemu-x86_64").args(["-cpu", cpu]).arg(folder.path("main"))).exits(0);
        ran.prints(&format!("width {}, bits {bits}", isa.width()));
        let above = Isa::ALL.into_iter().find(|&above| above > isa).expect("a level above").level() as u32;
        run(folder.other("qemu-x86_64").args(["-cpu", cpu]).arg(folder.path("main")).arg(above.to_string()))
            .prints("not supported\n");
    }
    let folder = built("--target avx2,avx512");
    let ran = run(folder.other("qemu-x86_64").args(["-cpu", "Nehalem"]).arg(folder.path("main"))).exits(101).prints("");
    ran.says("there is code for avx2, avx512, and this processor runs sse4 at most");
}

#[test]
fn a_level_between_targets_runs_the_code_below_it() {
    let folder = built("--target sse2,avx2");
    assert!(at_most(&folder, "avx").starts_with("width 4, "));
}

#[test]
fn code_for_bytes_runs_where_the_level_includes_it() {
    let folder = built("--target avx2,avx512-256,avx2vnni,avx512vnni");
    let symbols = folder.read("kernels.h");
    assert!(symbols.contains("wave__avx512_256(") && symbols.contains("IVL_AVX512_256 = 6"), "{symbols}");
    let width = |isa: Isa| at_most(&folder, isa.name()).split(',').next().map(str::to_owned);
    for (isa, chosen) in [(Isa::Avx2, 8), (Isa::Avx512x256, 8), (Isa::Avx512, 8), (Isa::Avx512Vnni, 16)] {
        if isa.runs_here() {
            assert_eq!(width(isa), Some(format!("width {chosen}")), "{isa}");
        } else {
            println!("not tested: this machine does not run {isa}");
        }
    }
}

#[test]
fn a_processor_below_the_lowest_target_is_told_so() {
    let folder = built("--target avx2,avx512");
    let ran = run(folder.other(folder.path("main")).env("IVL_MAX_ISA", "sse4")).exits(101).prints("");
    let limit = if Isa::Avx.runs_here() { "IVL_MAX_ISA allows sse4 at most" } else { "this processor runs" };
    ran.says(&format!("there is code for avx2, avx512, and {limit}"));
    let ran = run(folder.other(folder.path("main")).env("IVL_MAX_ISA", "avx1024")).exits(101).prints("");
    ran.says("IVL_MAX_ISA is `avx1024`, and there are sse2, sse4, avx, avx2, avx2vnni, avx512-256, avx512, avx512vnni");
    if Isa::Sse4.runs_here() {
        run(folder.other(folder.path("main")).arg("1"))
            .exits(101)
            .says("there is code for avx2, avx512, and sse4 includes none of it");
    }
}

#[test]
fn headers_with_levels_are_strict_c_and_cpp() {
    let folder = Folder::new();
    folder.write("kernels.ivl", fs::read(root().join("tests/command/dispatch.ivl")).expect("it is part of the tests"));
    folder.ivlc("build kernels.ivl --dispatch --target sse2,avx2 --emit header").exits(0);
    folder.ivlc("build kernels.ivl --dispatch --target sse2 --emit header --prefix other_ -o other.h").exits(0);
    folder.write("alone.c", "#include \"kernels.h\"\n#include \"kernels.h\"\nint main(void) { return 0; }\n");
    for standard in ["-std=c11", "-std=c17", "-std=gnu11"] {
        run(folder.other("cc").args(STRICT).args([standard, "-fsyntax-only", "alone.c"])).exits(0).says("");
    }
    if has("c++") {
        for standard in ["-std=c++11", "-std=c++20"] {
            run(folder.other("c++").args(STRICT).args([standard, "-fsyntax-only", "-x", "c++", "alone.c"])).exits(0).says("");
        }
    }
    let header = folder.read("other.h");
    assert!(header.contains("int32_t width(void) __asm__(\"other_width\");"), "{header}");
}

#[test]
fn kernels_with_prefixes_are_linked_together() {
    let folder = Folder::new();
    folder.write("more.ivl", "export int one() { return 2; }\n");
    let main = "#include \"more.h\"\nint32_t first(void) __asm__(\"a_one\");\nint main(void) { return first() * 10 + one(); }\n";
    folder.write("main.c", main);
    folder.write("kernels.ivl", "export int one() { return 1; }\n");
    folder.ivlc("build kernels.ivl --prefix a_ --emit lib").exits(0);
    folder.ivlc("build more.ivl --prefix b_ --emit obj,header").exits(0);
    run(folder.other("cc").args(["main.c", "more.o", "kernels.a", "-o", "main"])).exits(0).says("");
    run(&mut folder.other(folder.path("main"))).exits(12);
    folder.ivlc("build kernels.ivl --prefix 1x").exits(2).says("begins with no digit");
    folder.ivlc("build kernels.ivl --prefix a-b").exits(2).says("letters, digits and `_`");
}

#[test]
fn symbols_stand_for_one_function() {
    let folder = Folder::new();
    folder.write("a.ivl", "export int f() { return 1; }\nexport int f__avx2() { return 2; }\n");
    folder.ivlc("build a.ivl --target avx2").exits(0);
    folder
        .ivlc("build a.ivl --dispatch --target sse2,avx2 -o x.o")
        .exits(1)
        .says("two functions would have the symbol `f__avx2`");
    folder.write("b.ivl", "extern \"C\" int k_f();\nexport int f() { return k_f(); }\n");
    folder.ivlc("build b.ivl --prefix k_ -o x.o").exits(1).says("two functions would have the symbol `k_f`");
    assert_eq!(folder.files(), ["a.ivl", "a.o", "b.ivl"]);
}

#[test]
fn what_callers_see_is_the_same_for_all_targets() {
    let folder = Folder::new();
    folder.write("b.ivl", "struct s { float x; };\nexport float f(const s varying p[n], int n) { return get(p[0].x, 0); }\n");
    for emit in ["header", "rust"] {
        let ran = folder.ivlc(&format!("build b.ivl --dispatch --target sse2,avx512 --emit obj,{emit}")).exits(1);
        ran.says("b.ivl: exports look different on sse2 and avx512, whose `varying` has other lengths: give --width");
        folder.ivlc(&format!("build b.ivl --dispatch --target sse2,avx512 --width 8 --emit {emit} -o -")).exits(0);
    }
}

#[test]
fn one_output_has_code_for_all_targets() {
    let folder = Folder::new();
    folder.ivlc("build good.ivl --dispatch --target sse2,avx2 --emit obj,lib,asm,llvm-ir,core,header -M deps").exits(0).says("");
    assert_eq!(folder.files(), ["deps", "good.a", "good.avx2.core", "good.h", "good.ll", "good.o", "good.s", "good.sse2.core"]);
    let assembly = folder.read("good.s");
    for symbol in ["twice:", "twice__sse2:", "twice__avx2:", "main:", "main__avx2:"] {
        assert!(assembly.contains(&format!("\n{symbol}")), "{symbol}: {assembly}");
    }
    assert!(folder.read("deps").ends_with(": good.ivl\n"));
    folder.ivlc("build good.ivl --dispatch --target sse2,avx2 -o named").exits(0);
    assert!(folder.bytes("named").starts_with(b"\x7fELF"));
    assert!(folder.bytes("good.a").starts_with(b"!<arch>\n"));
}
