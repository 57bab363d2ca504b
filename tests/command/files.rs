//! What is written, and what is there after a failure.

use super::{EMITS, Folder, GOOD, run};
use std::fs::{self, File};
use std::io::Read;
use std::process::Stdio;

#[test]
fn outputs_are_named_after_the_source() {
    let folder = Folder::new();
    folder.ivlc("build good.ivl").exits(0).prints("").says("");
    assert_eq!(folder.files(), ["good.o"]);
    folder.ivlc("build good.ivl --emit obj,asm,llvm-ir,core,legal,typed,header").exits(0);
    assert_eq!(folder.files(), ["good.core", "good.h", "good.legal", "good.ll", "good.o", "good.s", "good.typed"]);
}

#[test]
fn outputs_lie_in_the_current_folder() {
    let folder = Folder::new();
    fs::create_dir(folder.path("deep")).expect("a folder");
    folder.write("deep/source.ivl", GOOD);
    folder.ivlc("build deep/source.ivl").exits(0);
    assert_eq!(folder.files(), ["deep", "source.o"]);
}

#[test]
fn several_targets_have_several_objects_and_one_header() {
    let folder = Folder::new();
    folder.ivlc("build good.ivl --target sse2,avx512 --emit obj,header").exits(0);
    assert_eq!(folder.files(), ["good.avx512.o", "good.h", "good.sse2.o"]);
    folder.ivlc("build good.ivl --target sse2,avx2 --emit asm -o x").exits(0);
    assert!(folder.read("x.avx2.s").contains("twice:") && folder.read("x.sse2.s").contains("twice:"));
}

#[test]
fn an_output_has_the_name_that_it_is_given() {
    let folder = Folder::new();
    folder.ivlc("build good.ivl -o named").exits(0);
    assert!(folder.bytes("named").starts_with(b"\x7fELF"));
    folder.ivlc("build good.ivl --emit obj,asm -o both").exits(0);
    assert_eq!(folder.files(), ["both.o", "both.s", "named"]);
}

#[test]
fn a_dash_is_standard_output() {
    let folder = Folder::new();
    for (emit, part) in EMITS.into_iter().zip(["ELF", "twice:", "define", "twice", "twice", "twice", "int32_t twice(int32_t x);"])
    {
        let ran = folder.ivlc(&format!("build good.ivl --emit {emit} -o -")).exits(0);
        assert!(ran.stdout.contains(part), "{emit}:\n{}", ran.stdout);
    }
    assert!(folder.files().is_empty());
}

#[test]
fn objects_are_readable_by_all_that_the_user_allows() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let ivlc = env!("CARGO_BIN_EXE_ivlc");
    run(folder.other("sh").arg("-c").arg(format!("umask 027; '{ivlc}' build good.ivl"))).exits(0);
    let mode = fs::metadata(folder.path("good.o")).expect("it was written").permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
}

#[test]
fn a_refused_file_leaves_nothing() {
    let folder = Folder::new();
    for emit in EMITS {
        folder.ivlc(&format!("build bad.ivl --emit {emit}")).exits(1).says("`y` is not declared").prints("");
        folder.ivlc(&format!("build bad.ivl --emit {emit} -o out -M deps")).exits(1).prints("");
        folder.ivlc(&format!("build bad.ivl --emit {emit} -o -")).exits(1).prints("");
        assert!(folder.files().is_empty(), "{emit}: {:?}", folder.files());
    }
}

#[test]
fn a_refused_file_leaves_what_was_there() {
    let folder = Folder::new();
    for emit in EMITS {
        folder.write("out", "precious");
        folder.ivlc(&format!("build bad.ivl --emit {emit} -o out")).exits(1);
        assert_eq!(folder.read("out"), "precious", "{emit}");
    }
    assert_eq!(folder.files(), ["out"]);
}

#[test]
fn all_files_are_written_or_none() {
    let folder = Folder::new();
    folder.write("out.o", "precious");
    // The second one cannot be written.
    fs::create_dir(folder.path("out.s")).expect("a folder");
    folder.ivlc("build good.ivl --emit obj,asm -o out").exits(1).says("out.s: is a folder");
    assert_eq!(folder.read("out.o"), "precious");
    folder.ivlc("build good.ivl -o out.o -M no/deps").exits(1).says("no/deps: No such file or directory");
    assert_eq!(folder.read("out.o"), "precious");
    assert_eq!(folder.files(), ["out.o", "out.s"]);
}

#[test]
fn places_that_take_no_file_are_reported() {
    let folder = Folder::new();
    fs::create_dir(folder.path("folder")).expect("a folder");
    for emit in EMITS {
        let build = |output: &str| folder.ivlc(&format!("build good.ivl --emit {emit} -o {output}")).exits(1);
        build("folder").says("ivlc: folder: is a folder");
        let ran = build("none/out").says("ivlc: none/out: No such file or directory");
        assert!(!ran.stderr.contains(".ivlc-"), "the temporary is nobody's business: {}", ran.stderr);
        build("good.ivl/out").says("ivlc: good.ivl/out: ");
    }
    assert_eq!(folder.files(), ["folder"]);
    assert_eq!(folder.read("good.ivl"), GOOD);
}

#[test]
fn a_folder_that_may_not_be_written_is_reported() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    fs::create_dir(folder.path("locked")).expect("a folder");
    fs::set_permissions(folder.path("locked"), fs::Permissions::from_mode(0o555)).expect("it is ours");
    if File::create(folder.path("locked/probe")).is_ok() {
        println!("not tested: this user may write everywhere");
        return;
    }
    folder.ivlc("build good.ivl -o locked/out.o").exits(1).says("locked/out.o: Permission denied");
}

#[test]
fn devices_are_written_to_and_stay() {
    use std::os::unix::fs::FileTypeExt;
    let folder = Folder::new();
    // A link in between: if the device were replaced, only the link would be.
    for (device, code) in [("/dev/full", 1), ("/dev/null", 0)] {
        let link = folder.path("device");
        std::os::unix::fs::symlink(device, &link).expect("a link");
        for emit in EMITS {
            let ran = folder.ivlc(&format!("build good.ivl --emit {emit} -o device")).exits(code);
            if code == 1 {
                ran.says("ivlc: device: No space left on device");
            }
            let link_type = fs::symlink_metadata(&link).expect("the link is there").file_type();
            assert!(link_type.is_symlink(), "{emit}: {device}'s link was replaced");
            assert!(fs::metadata(device).expect("the device is there").file_type().is_char_device());
        }
        fs::remove_file(link).expect("it is ours");
    }
    assert!(folder.files().is_empty());
}

#[test]
fn a_full_disk_for_one_output_leaves_the_others_alone() {
    let folder = Folder::new();
    folder.write("out.o", "precious");
    folder.ivlc("build good.ivl -o out.o -M /dev/full").exits(1).says("/dev/full: No space left on device");
    assert_eq!(folder.read("out.o"), "precious");
    assert_eq!(folder.files(), ["out.o"]);
}

#[test]
fn a_link_stays_and_what_it_leads_to_is_written() {
    let folder = Folder::new();
    folder.write("real.o", "");
    std::os::unix::fs::symlink("real.o", folder.path("link.o")).expect("a link");
    folder.ivlc("build good.ivl -o link.o").exits(0);
    assert!(folder.bytes("real.o").starts_with(b"\x7fELF"));
    assert!(fs::symlink_metadata(folder.path("link.o")).expect("it is there").is_symlink());
}

#[test]
fn a_source_is_not_written_over() {
    let folder = Folder::new();
    folder.write("importer.ivl", "import \"good.ivl\";\n");
    for arguments in ["build good.ivl -o good.ivl", "build good.ivl -o ./good.ivl", "build importer.ivl -o good.ivl"] {
        folder.ivlc(arguments).exits(2).says("would be written over a source");
    }
    folder.ivlc("build good.ivl -o out -M ./out").exits(2).says("would be written over a source or another output");
    assert_eq!(folder.read("good.ivl"), GOOD);
    assert_eq!(folder.files(), ["importer.ivl"]);
}

#[test]
fn a_full_standard_output_is_an_error() {
    let folder = Folder::new();
    for arguments in ["targets", "explain E0300", "build good.ivl --emit asm -o -", "build good.ivl --emit header -o -"] {
        let full = File::create("/dev/full").expect("the device is there");
        let output = folder.command(arguments).stdout(full).stderr(Stdio::piped()).output().expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments}: {said}");
        assert_eq!(said, "ivlc: standard output: No space left on device (os error 28)\n", "{arguments}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let folder = Folder::new();
    for arguments in ["targets", "explain E0300", "build good.ivl --emit asm -o -", "--help"] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let output = folder.command(arguments).stdout(writer).stderr(Stdio::piped()).output().expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{arguments}: {said}");
        assert_eq!(said, "", "{arguments}");
    }
}

#[test]
fn nobody_listening_to_errors_is_no_panic() {
    let folder = Folder::new();
    for (arguments, code) in [("check bad.ivl", 1), ("check none.ivl", 1), ("explain nothing", 2), ("check", 2)] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let output = folder.command(arguments).stdout(Stdio::piped()).stderr(writer).output().expect("it runs");
        assert_eq!(output.status.code(), Some(code), "{arguments}");
        assert!(output.stdout.is_empty(), "{arguments}");
    }
}

#[test]
fn dependencies_name_all_that_was_read() {
    let folder = Folder::new();
    fs::create_dir(folder.path("with space")).expect("a folder");
    folder.write("with space/part $1.ivl", "import \"#deep.ivl\";\nint one() { return deep(); }\n");
    folder.write("with space/#deep.ivl", "int deep() { return 1; }\n");
    folder.write("main.ivl", "import \"with space/part $1.ivl\";\nexport int f() { return one(); }\n");
    folder.ivlc("build main.ivl --emit obj,header -M deps").exits(0);
    let text = folder.read("deps");
    assert_eq!(text, "main.o main.h: main.ivl with\\ space/part\\ $$1.ivl with\\ space/\\#deep.ivl\n");
    run(folder.command("build main.ivl -M deps -o").arg("my out.o")).exits(0);
    assert!(folder.read("deps").starts_with("my\\ out.o: main.ivl "));
    folder.ivlc("build main.ivl -M deps -o -").exits(2).says("-M needs an output file");
    // make agrees on what they are.
    if super::has("make") {
        folder.write("Makefile", "include deps\nmain.o:\n\t@touch main.o; echo made\n");
        folder.ivlc("build main.ivl -M deps").exits(0);
        assert!(run(folder.other("make").arg("main.o")).exits(0).stdout.contains("up to date"));
        let later = std::time::SystemTime::now() + std::time::Duration::from_secs(5);
        let deep = File::options().append(true).open(folder.path("with space/#deep.ivl")).expect("it is there");
        deep.set_modified(later).expect("it is ours");
        run(folder.other("make").arg("main.o")).exits(0).prints("made\n");
    }
}

#[test]
fn line_tables_name_the_source() {
    let folder = Folder::new();
    folder.ivlc("build good.ivl -o plain.o").exits(0);
    folder.ivlc("build good.ivl -g -o debug.o").exits(0);
    if super::has("objdump") {
        let lines = |object: &str| run(folder.other("objdump").args(["-d", "-l", object])).exits(0).stdout;
        assert!(lines("debug.o").contains("good.ivl:1"), "{}", lines("debug.o"));
        assert!(!lines("plain.o").contains("good.ivl"));
    }
    if super::has("readelf") {
        let table = run(folder.other("readelf").args(["--debug-dump=decodedline", "debug.o"])).exits(0);
        assert!(table.stdout.contains("good.ivl"), "{}", table.stdout);
    }
}

#[test]
fn a_pipe_as_output_takes_the_text() {
    let folder = Folder::new();
    let path = folder.path("fifo");
    run(folder.other("mkfifo").arg(&path)).exits(0);
    let child = folder.command("build good.ivl --emit header -o fifo").spawn().expect("it runs");
    let mut text = String::new();
    File::open(&path).and_then(|mut fifo| fifo.read_to_string(&mut text)).expect("a pipe is read");
    assert!(text.contains("twice"), "{text}");
    assert!(child.wait_with_output().expect("it ends").status.success());
}
