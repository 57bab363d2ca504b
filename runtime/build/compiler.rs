//! The compiler: where it is, and what it is asked.

use super::environment::Environment;
use super::{Error, VERSION};
use std::fmt;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{self, Stdio};

/// An `ivlc` of this version.
#[derive(Clone, Debug)]
pub struct Compiler {
    pub path: PathBuf,
}

/// Why there is none.
#[derive(Clone, Debug)]
pub enum Missing {
    /// The one that a variable names cannot be used.
    Broken(String),
    /// There is none; the ones that were passed over, and why.
    Absent { target: String, passed_over: Vec<String> },
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Missing::Broken(message) => f.write_str(message),
            Missing::Absent { target, passed_over } => {
                let target = target.replace('-', "_");
                writeln!(
                    f,
                    "the compiler of IVL was not found: IVLC_{target} and IVLC are not set, and PATH has no ivlc {VERSION}."
                )?;
                passed_over.iter().try_for_each(|line| writeln!(f, "{line}"))?;
                write!(
                    f,
                    "Install it, or set IVLC to where it is:\n  \
                     apt-get install llvm-22-dev libpolly-22-dev libzstd-dev zlib1g-dev    (Debian and Ubuntu; apt.llvm.org has it for older ones)\n  \
                     dnf install llvm-devel llvm-static libzstd-devel zlib-devel           (Fedora)\n  \
                     cargo install ivlc --version {VERSION}"
                )
            }
        }
    }
}

/// What is to be compiled.
#[derive(Clone, Debug)]
pub struct Command {
    pub name: String,
    pub files: Vec<PathBuf>,
    pub isas: Vec<String>,
    pub fp: &'static str,
    pub width: Option<u8>,
    pub has_checks: bool,
    pub level: u8,
    pub debug: bool,
    pub prefix: String,
    /// Those of pipelines that there are functions for; by default those that are written.
    pub schedules: Vec<String>,
    /// What parameters of pipelines are: `N=16`, `chain.N=16`.
    pub settings: Vec<String>,
    /// What is written: `rust`, and `lib` or `asm`.
    pub emit: &'static [&'static str],
}

/// What was written.
#[derive(Clone, Debug)]
pub struct Outputs {
    /// By extension.
    files: Vec<(&'static str, Vec<u8>)>,
    /// What was read, imports too, relative to the package where it lies there.
    pub sources: Vec<String>,
    /// What the compiler said.
    pub warnings: String,
}

impl Outputs {
    pub fn bytes(&self, extension: &str) -> Result<&[u8], Error> {
        let found = self.files.iter().find(|(known, _)| *known == extension);
        found.map(|(_, bytes)| &**bytes).ok_or_else(|| Error::new(format!("ivlc wrote no .{extension}")))
    }

    pub fn text(&self, extension: &str) -> Result<&str, Error> {
        std::str::from_utf8(self.bytes(extension)?)
            .map_err(|error| Error::new(format!("ivlc wrote a strange .{extension}: {error}")))
    }
}

impl Compiler {
    /// The first one that there is.
    pub fn find(environment: &Environment) -> Result<Compiler, Missing> {
        if let Some((variable, path)) = &environment.named_compiler {
            let broken = |message| Missing::Broken(format!("{variable} is {}: {message}", path.display()));
            // A word is looked for in PATH; a path begins where the build script runs, and the compiler may run elsewhere.
            let whole = if path.components().count() > 1 { std::path::absolute(path).ok() } else { None };
            return Compiler::at(whole.as_deref().unwrap_or(path)).map_err(broken);
        }
        let name = format!("ivlc{}", std::env::consts::EXE_SUFFIX);
        let folders = environment.search_path.iter().flat_map(|list| std::env::split_paths(list).collect::<Vec<_>>());
        let own = own_workspace().into_iter().flat_map(|target| [target.join("release"), target.join("debug")]);
        let mut passed_over = Vec::new();
        for path in folders.chain(own).map(|folder| folder.join(&name)).filter(|path| path.is_file()) {
            match Compiler::at(&path) {
                Ok(compiler) => return Ok(compiler),
                Err(message) => passed_over.push(format!("{} {message}", path.display())),
            }
        }
        Err(Missing::Absent { target: environment.target.clone(), passed_over })
    }

    /// The one at a path, if it has the right version.
    fn at(path: &Path) -> Result<Compiler, String> {
        let said = process::Command::new(path).arg("--version").stdin(Stdio::null()).output();
        let said = said.map_err(|error| format!("does not run: {error}"))?;
        let text = String::from_utf8_lossy(&said.stdout).trim().to_owned();
        match text.strip_prefix("ivlc ").and_then(|rest| rest.split_whitespace().next()) {
            Some(VERSION) => Ok(Compiler { path: path.to_path_buf() }),
            Some(other) => Err(format!("is version {other}, and ivl-build {VERSION} needs its own")),
            None => Err("is no ivlc".to_owned()),
        }
    }

    /// Compiles. All files of the outputs are read, and nothing but them is left in `OUT_DIR`.
    pub fn run(&self, command: &Command, environment: &Environment) -> Result<Outputs, Error> {
        let stem = environment.out_dir.join(format!("{}.ivlc", command.name));
        let rule = environment.out_dir.join(format!("{}.ivlc.d", command.name));
        let fail = |what: &Path, error: std::io::Error| Error::new(format!("{}: {error}", what.display()));
        fs::create_dir_all(&environment.out_dir).map_err(|error| fail(&environment.out_dir, error))?;
        let mut ivlc = process::Command::new(&self.path);
        ivlc.current_dir(&environment.package).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // Messages name files, and what is generated is to be the same everywhere: paths begin at the package.
        match &command.files[..] {
            [one] => ivlc.arg("build").arg(one),
            _ => ivlc.arg("build").arg("-"),
        };
        ivlc.args(["--dispatch", "--target", &command.isas.join(","), "--emit", &command.emit.join(","), "--fp", command.fp]);
        ivlc.arg("-o").arg(&stem).arg("-M").arg(&rule).arg(format!("-O{}", command.level)).args(["--prefix", &command.prefix]);
        if !command.schedules.is_empty() {
            ivlc.args(["--schedule", &command.schedules.join(",")]);
        }
        for setting in &command.settings {
            ivlc.args(["--set", setting]);
        }
        if let Some(width) = command.width {
            ivlc.arg("--width").arg(width.to_string());
        }
        for (flag, is_given) in [("--unchecked", !command.has_checks), ("-g", command.debug)] {
            if is_given {
                ivlc.arg(flag);
            }
        }
        let started = |error| fail(&self.path, error);
        let mut child = ivlc.spawn().map_err(started)?;
        if let (Some(mut input), [_, _, ..]) = (child.stdin.take(), &command.files[..]) {
            let imports: String =
                command.files.iter().map(|file| format!("import {:?};\n", file.display().to_string())).collect();
            // One that ends before it has read says why.
            let _ = input.write_all(imports.as_bytes());
        }
        let said = child.wait_with_output().map_err(started)?;
        let messages = String::from_utf8_lossy(&said.stderr).into_owned();
        if !said.status.success() {
            eprint!("{messages}");
            let failed = format!("{} is not compiled ({}); why is written above", super::names(&command.files), said.status);
            return Err(Error::new(failed));
        }
        let mut files = Vec::new();
        for kind in command.emit {
            let extension = match *kind {
                "rust" => "rs",
                "lib" => "a",
                _ => "s",
            };
            // With one output its name is as given.
            let mut path = stem.clone().into_os_string();
            if command.emit.len() > 1 {
                path.push(format!(".{extension}"));
            }
            files.push((extension, taken(Path::new(&path))?));
        }
        let sources = sources(&String::from_utf8_lossy(&taken(&rule)?));
        let package = environment.package.display().to_string();
        let relative =
            |name: String| name.strip_prefix(&package).map_or(name.clone(), |rest| rest.trim_start_matches('/').to_owned());
        Ok(Outputs { files, sources: sources.into_iter().map(relative).collect(), warnings: messages })
    }
}

/// Reads a file and removes it.
fn taken(path: &Path) -> Result<Vec<u8>, Error> {
    let fail = |error: std::io::Error| Error::new(format!("{}: {error}", path.display()));
    let bytes = fs::read(path).map_err(fail)?;
    fs::remove_file(path).map_err(fail)?;
    Ok(bytes)
}

/// The target folder of the compiler's own workspace, if this crate is in it.
fn own_workspace() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent()?.parent()?;
    if !root.join("compiler/main.rs").is_file() {
        return None;
    }
    Some(std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from))
}

/// What stands behind the colon of a rule of make.
fn sources(rule: &str) -> Vec<String> {
    let Some((_, list)) = rule.split_once(": ") else { return Vec::new() };
    let (mut all, mut name) = (Vec::new(), String::new());
    let mut characters = list.trim_end().chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '\\' if matches!(characters.peek(), Some(' ' | '#')) => name.extend(characters.next()),
            '$' if characters.peek() == Some(&'$') => name.extend(characters.next()),
            ' ' => all.push(std::mem::take(&mut name)),
            other => name.push(other),
        }
    }
    all.push(name);
    all.retain(|name| !name.is_empty());
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_of_make_are_read() {
        assert_eq!(sources("k.o k.rs: src/k.ivl src/a\\ b.ivl src/$$c.ivl\n"), ["src/k.ivl", "src/a b.ivl", "src/$c.ivl"]);
        assert_eq!(sources("k.o: \n"), [""; 0]);
    }

    #[test]
    fn who_has_no_compiler_is_told_how_to_get_one() {
        let missing =
            Missing::Absent { target: "x86_64-unknown-linux-gnu".into(), passed_over: vec!["/bin/ivlc is no ivlc".into()] };
        let text = missing.to_string();
        for part in ["IVLC_x86_64_unknown_linux_gnu", "apt-get install llvm-22-dev", "cargo install ivlc", "/bin/ivlc is no ivlc"]
        {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
}
