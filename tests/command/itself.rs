//! What the command says of itself and of the machine.

use super::{Folder, has, run};

#[test]
fn the_doctor_finds_what_is_there() {
    let folder = Folder::new();
    let ran = folder.ivlc("doctor").exits(0);
    for name in ["code generator", "instruction sets", "compiled program", "threads", "C compiler", "run-time archive"] {
        assert!(ran.stdout.contains(name), "{name}: {}", ran.stdout);
    }
    assert!(ran.stdout.contains("LLVM ") && ran.stdout.contains("runs on "), "{}", ran.stdout);
    assert_eq!(folder.files(), [""; 0], "it leaves nothing behind");
}

#[test]
fn the_doctor_finds_what_is_missing() {
    let folder = Folder::new();
    let ran = run(folder.command("doctor").env("CC", "no-such-compiler").env("IVL_THREADS", "many")).exits(0);
    assert!(ran.stdout.contains("--  C compiler") && ran.stdout.contains("`no-such-compiler` does not run"), "{}", ran.stdout);
    assert!(ran.stdout.contains("--  threads") && ran.stdout.contains("`many`"), "{}", ran.stdout);
    run(folder.command("doctor").env("IVL_THREADS", "3")).exits(0).stdout.find("3 run parallel loops").expect("three threads");
}

#[test]
fn shells_complete_actions_and_options() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ran = folder.ivlc(&format!("completions {shell}")).exits(0);
        for word in ["interp", "doctor", "emit", "time-passes"] {
            assert!(ran.stdout.contains(word), "{shell}: {word}");
        }
    }
    if has("bash") {
        folder.write("completions", folder.ivlc("completions bash").exits(0).stdout);
        run(folder.other("bash").args(["-n", "completions"])).exits(0).says("");
    }
    folder.ivlc("completions tcsh").exits(2);
}

#[test]
fn each_action_has_a_manual_page() {
    let folder = Folder::new();
    let all = folder.ivlc("man").exits(0).stdout;
    assert!(all.contains(".TH ivlc 1") && all.contains(".SH SUBCOMMANDS"), "{all}");
    for action in ["run", "interp", "build", "schedule", "check", "explain", "targets", "doctor", "completions", "man"] {
        assert!(all.contains(&format!("ivlc\\-{action}(1)")), "{action}: {all}");
        let page = folder.ivlc(&format!("man {action}")).exits(0).stdout;
        assert!(page.starts_with(".ie") && page.contains(&format!("ivlc\\-{action}")), "{page}");
    }
    folder.ivlc("man nothing").exits(2).says("there is no `ivlc nothing`");
}
