//! `-` in the place of a file.

use super::{BAD, Folder, GOOD, Ran};
use std::io::Write;
use std::process::Stdio;

/// Runs the command with this text as its standard input.
fn fed(folder: &Folder, arguments: &str, text: &[u8]) -> Ran {
    let mut command = folder.command(arguments);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    child.stdin.take().expect("a pipe").write_all(text).expect("it is read");
    Ran::of(&child.wait_with_output().expect("it ends"))
}

#[test]
fn programs_are_read_from_standard_input() {
    let folder = Folder::new();
    fed(&folder, "run -", GOOD.as_bytes()).exits(7).prints("42\n");
    fed(&folder, "interp -", GOOD.as_bytes()).exits(7).prints("42\n");
    fed(&folder, "check -", GOOD.as_bytes()).exits(0).prints("");
    fed(&folder, "check -", BAD.as_bytes()).exits(1).says("standard input:1:");
}

#[test]
fn imports_of_standard_input_lie_in_the_current_folder() {
    let folder = Folder::new();
    folder.write("three.ivl", "int three() { return 3; }\n");
    fed(&folder, "run -", b"import \"three.ivl\";\nint main() { return three(); }\n").exits(3);
    fed(&folder, "check -", b"import \"four.ivl\";\n").exits(1).says("four.ivl");
}

#[test]
fn several_targets_compile_the_same_text() {
    let folder = Folder::new();
    fed(&folder, "build - --target sse2,avx2 --emit obj,header -M all.d -o all", GOOD.as_bytes()).exits(0);
    assert_eq!(folder.files(), ["all.avx2.o", "all.d", "all.h", "all.sse2.o"]);
    assert!(folder.read("all.h").contains("IVL_ALL_H"), "{}", folder.read("all.h"));
    let text = fed(&folder, "build - --emit asm -o -", GOOD.as_bytes()).exits(0).stdout;
    assert!(text.contains("twice:"), "{text}");
}

#[test]
fn what_stands_in_no_file_needs_a_name() {
    let folder = Folder::new();
    fed(&folder, "build -", GOOD.as_bytes()).exits(2).says("-o FILE");
    assert_eq!(folder.files(), [""; 0]);
}

#[test]
fn standard_input_is_text() {
    let folder = Folder::new();
    fed(&folder, "check -", b"int f() {\n\xff }").exits(1).says("standard input: the text is not UTF-8 (line 2, byte 10)");
}
