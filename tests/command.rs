//! The command from outside: exit codes, streams, files, headers for C, and what is there when something goes wrong.

#[path = "command/abi.rs"]
mod abi;
#[path = "command/arguments.rs"]
mod arguments;
#[path = "command/bindings.rs"]
mod bindings;
#[path = "command/c.rs"]
mod c;
#[path = "command/diagnostics.rs"]
mod diagnostics;
#[path = "command/dispatch.rs"]
mod dispatch;
#[path = "command/entries.rs"]
mod entries;
#[path = "command/files.rs"]
mod files;
#[path = "command/float16.rs"]
mod float16;
#[path = "command/itself.rs"]
mod itself;
#[path = "command/overloads.rs"]
mod overloads;
#[path = "command/pictures.rs"]
mod pictures;
#[path = "command/printed.rs"]
mod printed;
#[path = "command/programs.rs"]
mod programs;
#[path = "command/safety.rs"]
mod safety;
#[path = "command/schedules.rs"]
mod schedules;
#[path = "command/settings.rs"]
mod settings;
#[path = "command/shape.rs"]
mod shape;
#[path = "command/standard_input.rs"]
mod standard_input;
#[path = "command/tensors.rs"]
mod tensors;
#[path = "command/types.rs"]
mod types;

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// A program that is accepted, one that is refused.
const GOOD: &str = "export int twice(int x) { return 2 * x; }\nint main() { print(\"%\\n\", twice(21)); return 7; }\n";
const BAD: &str = "export int twice(int x) { return 2 * y; }\n";

/// All that `--emit` takes.
const EMITS: [&str; 7] = ["obj", "asm", "llvm-ir", "core", "legal", "typed", "header"];

/// What the command did.
struct Ran {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Ran {
    fn of(output: &Output) -> Ran {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ran { code: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr) }
    }

    /// The exit code, with all that was said if it is another.
    #[track_caller]
    fn exits(self, code: i32) -> Ran {
        assert_eq!(self.code, Some(code), "standard output:\n{}\nstandard error:\n{}", self.stdout, self.stderr);
        assert!(!self.stderr.contains("panicked") && !self.stderr.contains("backtrace"), "{}", self.stderr);
        self
    }

    #[track_caller]
    fn says(self, text: &str) -> Ran {
        assert!(self.stderr.contains(text), "`{text}` is not in standard error:\n{}", self.stderr);
        self
    }

    #[track_caller]
    fn prints(self, text: &str) -> Ran {
        assert_eq!(self.stdout, text, "standard error:\n{}", self.stderr);
        self
    }
}

/// A folder of its own for a test, in which the command runs.
struct Folder {
    folder: TempDir,
}

impl Folder {
    fn new() -> Folder {
        let folder = Folder { folder: tempfile::tempdir().expect("a temporary folder") };
        folder.write("good.ivl", GOOD);
        folder.write("bad.ivl", BAD);
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, contents: impl AsRef<[u8]>) {
        fs::write(self.path(name), contents).expect("the folder takes files");
    }

    fn read(&self, name: &str) -> String {
        String::from_utf8_lossy(&self.bytes(name)).into_owned()
    }

    #[track_caller]
    fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}; there is {:?}", self.files()))
    }

    /// The names of the files that are there beside the two sources, hidden ones too, sorted.
    fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).expect("the folder is there").flatten();
        let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.retain(|name| name != "good.ivl" && name != "bad.ivl");
        names.sort();
        names
    }

    /// The command, to be run in this folder.
    fn command(&self, arguments: &str) -> Command {
        let mut command = self.other(env!("CARGO_BIN_EXE_ivlc"));
        command.args(arguments.split_whitespace());
        command
    }

    /// Another program, to be run in this folder.
    fn other(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.folder.path()).env("NO_COLOR", "1").stdin(Stdio::null());
        command
    }

    /// Runs `ivlc` with arguments that have no spaces in them.
    #[track_caller]
    fn ivlc(&self, arguments: &str) -> Ran {
        run(&mut self.command(arguments))
    }
}

#[track_caller]
fn run(command: &mut Command) -> Ran {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    Ran::of(&output)
}

/// Is there such a program? If not, says so.
fn has(program: &str) -> bool {
    let found = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    if !found {
        println!("not tested: there is no {program}");
    }
    found
}

/// The root of the project.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}
