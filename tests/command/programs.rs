//! `ivlc run`.

use super::{Folder, root, run};
use std::io::{BufRead, BufReader};
use std::process::Stdio;

#[test]
fn the_exit_code_is_mains() {
    let folder = Folder::new();
    folder.ivlc("run good.ivl").exits(7).prints("42\n").says("");
    for (body, code) in [("return 0;", 0), ("return 255;", 255), ("return 256;", 0), ("return -1;", 255), ("return 101;", 101)] {
        folder.write("main.ivl", format!("int main() {{ {body} }}\n"));
        folder.ivlc("run main.ivl").exits(code).prints("");
    }
    folder.write("void.ivl", "void main() { print(\"here\\n\"); }\n");
    folder.ivlc("run void.ivl").exits(0).prints("here\n");
}

#[test]
fn options_are_those_of_build() {
    let folder = Folder::new();
    folder.write("width.ivl", "int main() { int varying x = 0; return lengthof(x); }\n");
    for options in ["--width 4", "--width 32 -O0", "--target sse2 --width 16 -O1", "--width 8 --fp fast --check -O2"] {
        let width = options.split_whitespace().skip_while(|w| *w != "--width").nth(1).expect("a width");
        folder.ivlc(&format!("run width.ivl {options}")).exits(width.parse().expect("a number"));
    }
    for (target, width) in [("sse2", 4), ("sse4", 4)] {
        folder.ivlc(&format!("run width.ivl --target {target}")).exits(width);
    }
    let parallel = "int main() { parallel foreach (int i = 0 .. 9) print(\"% \", i); return 0; }\n";
    folder.write("parallel.ivl", parallel);
    folder.ivlc("run parallel.ivl --threads 1").exits(0).prints("0 1 2 3 4 5 6 7 8 ");
    folder.ivlc("run parallel.ivl --threads 0").exits(2);
    let times = folder.ivlc("run width.ivl --width 2 --time-passes").exits(2);
    times.says("parse").says("check").says("llvm");
}

#[test]
fn a_refused_program_does_not_run() {
    let folder = Folder::new();
    folder.write("main.ivl", "int main() { print(\"no\\n\"); return y; }\n");
    folder.ivlc("run main.ivl").exits(1).prints("").says("`y` is not declared");
    folder.write("kernel.ivl", "export int f() { return 1; }\n");
    folder.ivlc("run kernel.ivl").exits(1).prints("").says("there is no `int main()` to run");
    for signature in ["int main(int x)", "float main()", "int8 main()", "int *main()"] {
        folder.write("main.ivl", format!("{signature} {{ return 0; }}\n"));
        folder.ivlc("run main.ivl").exits(1).prints("").says("main");
    }
}

#[test]
fn words_behind_the_file_are_the_programs() {
    let folder = Folder::new();
    folder.ivlc("run good.ivl one two three").exits(7).prints("42\n");
    folder.ivlc("run good.ivl -O0 -- --one -2").exits(7).prints("42\n");
}

#[test]
fn bounds_are_sums_and_products() {
    let folder = Folder::new();
    let text = "void fill(float img[w * (h + 1)], int w, int64 h) { for (int i = 0; i < 6; ++i) img[i] = 1; }\n\
                int main() { float a[64]; fill(a, 3, 1); print(\"before\\n\"); fill(a, W, H); return 0; }\n";
    let run = |w: &str, h: &str| {
        folder.write("main.ivl", text.replace('W', w).replace('H', h));
        folder.ivlc("run main.ivl --check")
    };
    run("2", "2").exits(0);
    run("5", "0").exits(101).prints("before\n").says("main.ivl:1:").says("index 5 of `img`, which has 5 elements");
    let message = "main.ivl:1:17: `img` is to have `w * (h + 1)` elements, which is negative or too large";
    run("-1", "8").exits(101).prints("before\n").says(message);
    // A product that is 0 if it wraps, and one that is positive if it does.
    run("1 << 30", "(1L << 34) - 1").exits(101).says(message);
    run("1 << 30", "-(1L << 34) + 99").exits(101).says("`img` is to have ");
}

#[test]
fn a_failed_assertion_is_exit_code_101() {
    let folder = Folder::new();
    let text = "int main() {\n    print(\"before\\n\");\n    int block[4] v = <1, 2, 3, 4>;\n    assert(v < 3);\n    print(\"after\\n\");\n    return 0;\n}\n";
    folder.write("main.ivl", text);
    folder.ivlc("run main.ivl --check").exits(101).prints("before\n").says("main.ivl:4:").says("(lane 2)");
    folder.write("null.ivl", "int main() { int *p = null; return *p; }\n");
    folder.ivlc("run null.ivl --check").exits(101).says("null.ivl:1:");
}

#[test]
fn a_symbol_that_is_nowhere_is_reported() {
    let folder = Folder::new();
    folder.write("main.ivl", "extern \"C\" int ivl_no_such_function(int x);\nint main() { return ivl_no_such_function(1); }\n");
    folder.ivlc("run main.ivl").exits(1).prints("").says("ivl_no_such_function");
}

#[test]
fn a_program_that_prints_for_ever_ends_with_its_reader() {
    let folder = Folder::new();
    folder.write("main.ivl", "int main() { while (true) print(\"again\\n\"); return 0; }\n");
    let mut child = folder.command("run main.ivl").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    assert_eq!(lines.next().expect("a line").expect("text"), "again");
    drop(lines);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn programs_import_what_lies_beside_them() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("parts")).expect("a folder");
    folder.write("parts/one.ivl", "import \"two.ivl\";\nint one() { return two() - 1; }\n");
    folder.write("parts/two.ivl", "int two() { return 2; }\n");
    folder.write("main.ivl", "import \"parts/one.ivl\";\nimport \"parts/two.ivl\";\nint main() { return one() + two(); }\n");
    folder.ivlc("run main.ivl").exits(3);
    // Also from elsewhere.
    let path = folder.path("main.ivl");
    run(folder.other(env!("CARGO_BIN_EXE_ivlc")).current_dir("/").arg("run").arg(path)).exits(3);
}

#[test]
fn the_vector_ir_shows_the_four_instances_of_dot() {
    let folder = Folder::new();
    folder.write("dot.ivl", std::fs::read(root().join("tests/paper/section_2_dot.ivl")).expect("it is part of the tests"));
    let core = folder.ivlc("build dot.ivl --emit core -o -").exits(0).stdout;
    // As section 2 of the paper writes them.
    for signature in [
        "float block[4] dot(vec3 block[4] a, vec3 scalar b)",
        "float dot(vec3 scalar a, vec3 scalar b)",
        "float block[4] dot(vec3 block[4] a, vec3 block[4] b)",
        "float block[4] dot(bool block[4] current_mask, vec3 block[4] a, vec3 scalar b)",
    ] {
        assert!(core.contains(&format!("// {signature}\n")), "{signature} is not in\n{core}");
    }
}

#[test]
fn interp_does_what_run_does() {
    let folder = Folder::new();
    let programs = [
        "int main() { print(\"% %\\n\", iota(4), 0.1f); return 258; }\n",
        "void main() { print(\"no code\\n\"); }\n",
        "int main() {\n    int block[4] v = iota(4);\n    print(\"before\\n\");\n    if (v > 1) assert(v != 3);\n    return 0;\n}\n",
        "int f(int x) { return x / 0 + 7 % x; }\nint main() { return f(<3, 5>) == 1 ? 4 : 5; }\n",
        "int helper() { return 1; }\n",
    ];
    for program in programs {
        folder.write("text.ivl", program);
        let run = folder.ivlc("run text.ivl");
        let interp = folder.ivlc("interp text.ivl");
        let of = |ran: &super::Ran| (ran.code, ran.stdout.clone(), ran.stderr.clone());
        assert_eq!(of(&run), of(&interp), "{program}");
    }
    // It needs no target that the machine has, and knows strict arithmetic alone.
    folder.write("good.ivl", "int main() { return preferred_lengthof(float) == 16 ? 0 : 1; }\n");
    folder.ivlc("interp good.ivl --target avx512").exits(0);
    folder.ivlc("interp good.ivl --fp fast").exits(2);
    folder.ivlc("interp good.ivl --target sse2,avx").exits(2);
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn endless_recursion_ends_with_the_place_of_a_function() {
    let folder = Folder::new();
    folder.write(
        "deep.ivl",
        "int f(int n) { int a[4]; a[n & 3] = f(n + 1); return a[(n + a[0]) & 3] * 3; }\nint main() { return f(1); }\n",
    );
    // The stack may be full in what a function calls, and of large frames.
    folder.write(
        "mutual.ivl",
        "int even(int n) { int a[3000]; a[n & 63] = odd(n + 1); return a[(n + a[1]) & 63] * 3; }\n\
         int odd(int n) { print(\"\"); int a[3]; a[n & 1] = even(n + 1); return a[(n + a[1]) & 1] * 5; }\n\
         int main() { return even(1); }\n",
    );
    folder.write(
        "threads.ivl",
        "int f(int n) { int a[4]; a[n & 3] = f(n + 1); return a[(n + a[0]) & 3] * 3; }\n\
         int main() { int x[64]; parallel foreach (int scalar i = 0 .. 64) x[i] = f(i); return x[3]; }\n",
    );
    folder.write("counted.ivl", "int f(int n) { return f(n + 1) + 1; }\nint main() { return f(1); }\n");
    folder.write("last.ivl", "int f(int n) { if (n > 3) return f(n - 2); return f(n + 1); }\nint main() { return f(1); }\n");
    for level in ["-O0", "-O3"] {
        let place = "1:5: too many calls inside one another: `f` finds the stack full\n";
        folder.ivlc(&format!("run deep.ivl {level}")).exits(101).prints("").says(&format!("deep.ivl:{place}"));
        folder.ivlc(&format!("run threads.ivl --threads 4 {level}")).exits(101).says(&format!("threads.ivl:{place}"));
        // LLVM would make loops of these, which run forever.
        folder.ivlc(&format!("run counted.ivl {level}")).exits(101).prints("").says(&format!("counted.ivl:{place}"));
        folder.ivlc(&format!("run last.ivl {level}")).exits(101).prints("").says(&format!("last.ivl:{place}"));
        folder.ivlc(&format!("run mutual.ivl {level}")).exits(101).says(":5: too many calls inside one another: `");
    }
    // Other faults are what they were, and so are calls that end.
    folder.write("wild.ivl", "int main() { int a[4]; for (int i = 0; i < 100000000; ++i) a[i] = i; return a[2]; }\n");
    assert_eq!(folder.command("run wild.ivl -O0").output().expect("it runs").status.code(), None);
    folder
        .write("many.ivl", "int f(int n) { return n == 0 ? 0 : f(n - 1) * 3 + n % 2; }\nint main() { return f(1000000) & 0; }\n");
    folder.ivlc("run many.ivl -O0").exits(0).says("");
}

#[test]
fn a_full_disk_ends_a_program_that_prints() {
    let folder = Folder::new();
    for action in ["run", "interp"] {
        let full = std::fs::File::create("/dev/full").expect("the device is there");
        let output = folder.command(&format!("{action} good.ivl")).stdout(full).stderr(Stdio::piped()).output().expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(101), "{action}: {said}");
        assert_eq!(said, "standard output: No space left on device (os error 28)\n", "{action}");
    }
}

#[test]
fn there_are_as_many_threads_as_make_sense() {
    let folder = Folder::new();
    folder.write(
        "parallel.ivl",
        "int main() { int s = 0; parallel foreach (int scalar i = 0 .. 9) atomic_add(&s, i); return s; }\n",
    );
    for wrong in ["0", "-1", "65535", "abc", "1000000"] {
        folder.ivlc(&format!("run parallel.ivl --threads={wrong}")).exits(2).says("--threads");
        let told = run(folder.command("run parallel.ivl").env("IVL_THREADS", wrong)).exits(36);
        told.says(&format!("IVL_THREADS={wrong}: "));
    }
    run(folder.command("run parallel.ivl").env("IVL_THREADS", "")).exits(36).says("IVL_THREADS=: not a number");
    run(folder.command("run parallel.ivl").env("IVL_THREADS", "3")).exits(36).says("");
}
