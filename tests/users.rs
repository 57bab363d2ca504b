//! What users build: crates with build scripts, with and without a compiler, and C programs. Each test runs what they would run.

#[path = "users/build_scripts.rs"]
mod build_scripts;
#[path = "users/c_programs.rs"]
mod c_programs;
#[path = "users/examples.rs"]
mod examples;
#[path = "users/layouts.rs"]
mod layouts;
#[path = "users/pregenerated.rs"]
mod pregenerated;
#[path = "users/sanitized.rs"]
mod sanitized;
#[path = "users/tensors.rs"]
mod tensors;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// The root of the project.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Where users' crates are built, so that what they have in common is built once.
fn target() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("users")
}

/// What a command did.
#[derive(Debug)]
struct Ran {
    is_success: bool,
    /// Standard output and standard error.
    text: String,
}

impl Ran {
    #[track_caller]
    fn succeeds(self) -> Ran {
        assert!(self.is_success, "{}", self.text);
        self
    }

    #[track_caller]
    fn fails(self) -> Ran {
        assert!(!self.is_success, "{}", self.text);
        assert!(!self.text.contains("panicked"), "{}", self.text);
        self
    }

    #[track_caller]
    fn says(self, part: &str) -> Ran {
        assert!(self.text.contains(part), "`{part}` is not in:\n{}", self.text);
        self
    }
}

#[track_caller]
fn run(command: &mut Command) -> Ran {
    let output = command.stdin(Stdio::null()).output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    Ran { is_success: output.status.success(), text }
}

/// A command without what this test was started with: no compiler that a variable names, and none in the search path.
fn clean(program: impl AsRef<std::ffi::OsStr>, folder: &Path) -> Command {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy().into_owned();
        if name.starts_with("IVL") || name.starts_with("CARGO_PKG") || name == "DOCS_RS" || name == "RUSTFLAGS" {
            command.env_remove(name);
        }
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).filter(|folder| !folder.join("ivlc").exists());
    command.env("PATH", std::env::join_paths(folders).expect("a search path"));
    command.env("CARGO_TARGET_DIR", target()).env("CARGO_TERM_COLOR", "never").current_dir(folder);
    command
}

/// Cargo for a user who has no compiler.
fn cargo_without(folder: &Path, words: &str) -> Command {
    let mut cargo = clean(env!("CARGO"), folder);
    cargo.args(words.split_whitespace());
    cargo
}

/// Cargo for a user who has the compiler of this project.
fn cargo(folder: &Path, words: &str) -> Command {
    let mut cargo = cargo_without(folder, words);
    cargo.env("IVLC", env!("CARGO_BIN_EXE_ivlc"));
    cargo
}

/// Is there such a program? If not, says so.
fn has(program: &str) -> bool {
    let found = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    if !found {
        println!("not tested: there is no {program}");
    }
    found
}

/// A crate of its own for a test.
struct Crate {
    folder: TempDir,
}

impl Crate {
    /// A crate whose build script does this.
    fn new(name: &str, build: &str) -> Crate {
        let made = Crate { folder: tempfile::tempdir().expect("a temporary folder") };
        let runtime = root().join("runtime");
        let manifest = format!(
            "[package]\nname = {name:?}\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\nivl = {{ path = {runtime:?} }}\n\n\
             [build-dependencies]\nivl-build = {{ path = {:?} }}\n",
            runtime.join("build")
        );
        made.write("Cargo.toml", &manifest);
        made.write("build.rs", &format!("fn main() -> Result<(), ivl_build::Error> {{\n    {build}\n}}\n"));
        made
    }

    /// A copy of an example, wherever it lies.
    fn copy(example: &str) -> Crate {
        let made = Crate { folder: tempfile::tempdir().expect("a temporary folder") };
        let from = root().join("examples/users").join(example);
        let mut folders = vec![PathBuf::new()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(from.join(&folder)).expect("a folder of the example").flatten() {
                let path = folder.join(entry.file_name());
                match from.join(&path).is_dir() {
                    true => folders.push(path),
                    false => made.write(&path, &fs::read_to_string(from.join(&path)).expect("text")),
                }
            }
        }
        let manifest = made.read("Cargo.toml").replace("../../../runtime", &root().join("runtime").display().to_string());
        made.write("Cargo.toml", &manifest);
        made
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn write(&self, name: impl AsRef<Path>, text: &str) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("the folder takes files");
    }

    #[track_caller]
    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Cargo in it, for a user who has the compiler; what it needs was fetched for the workspace.
    fn cargo(&self, words: &str) -> Command {
        let mut cargo = cargo(self.path(), words);
        cargo.env("CARGO_NET_OFFLINE", "true");
        cargo
    }

    /// The same for a user who has none.
    fn cargo_without(&self, words: &str) -> Command {
        let mut cargo = cargo_without(self.path(), words);
        cargo.env("CARGO_NET_OFFLINE", "true");
        cargo
    }
}

/// The search path with a folder in front.
fn path_with(folder: &Path) -> OsString {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(std::iter::once(folder.to_path_buf()).chain(std::env::split_paths(&path))).expect("a search path")
}
