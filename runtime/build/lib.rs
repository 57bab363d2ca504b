//! Compiles IVL kernels in build scripts.
//!
//! ```no_run
//! fn main() -> Result<(), ivl_build::Error> {
//!     ivl_build::compile("src/kernels.ivl")
//! }
//! ```
//! In the crate, `ivl::include_ivl!("kernels");` makes the module `kernels`, which has a function for each export, safe where no argument makes
//! it access memory that it was not given. It needs the
//! crate `ivl` as a dependency.
//!
//! ```text
//! environment    TARGET OUT_DIR DEBUG CARGO_CFG_TARGET_FEATURE …: what cargo says
//! compiler       IVLC_<target>, IVLC, PATH, the workspace's own build: the first that there is
//! pregenerated   the files that a crate publishes, so that those who use it need no compiler; used where there is none
//!
//! with a compiler      ivlc build … ──► OUT_DIR/k.rs, OUT_DIR/libk.a, and to cargo: what to link, when to run again
//! without              src/generated/k.rs, k.s ──► OUT_DIR/k.rs with global_asm!
//! for documentation    bindings alone, from either; none where there is neither
//! ```
//! Nothing here panics, exits or needs LLVM; diagnostics of the compiler go to standard error, which cargo shows when a build
//! script fails.

mod compiler;
mod environment;
mod pregenerated;

use compiler::Compiler;
use environment::Environment;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

/// The version of the compiler that these build scripts need: their own.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The variable that asks for pregenerated files to be written again.
const RENEW: &str = "IVL_RENEW";

/// Why kernels were not built. It shows as its message, also where `main` returns it.
#[derive(Clone, PartialEq, Eq)]
pub struct Error(String);

impl Error {
    fn new(message: impl Into<String>) -> Error {
        Error(message.into())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

/// Compiles a file with the defaults of [`Build`]; the module has the name of the file.
///
/// # Errors
/// As [`Build::compile`].
pub fn compile(file: impl AsRef<Path>) -> Result<(), Error> {
    let file = file.as_ref();
    let name =
        file.file_stem().and_then(|name| name.to_str()).ok_or_else(|| Error::new(format!("{}: is no file", file.display())))?;
    Build::new().file(file).compile(name)
}

/// The rules of floating-point arithmetic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fp {
    /// The same bits for every instruction set.
    #[default]
    Strict,
    /// Products and sums may be fused within an expression.
    Contract,
    /// Sums may be reordered; no care is taken of NaN and infinity.
    Fast,
}

impl Fp {
    fn name(self) -> &'static str {
        match self {
            Fp::Strict => "strict",
            Fp::Contract => "contract",
            Fp::Fast => "fast",
        }
    }
}

/// What is compiled, and how.
///
/// ```no_run
/// # fn main() -> Result<(), ivl_build::Error> {
/// ivl_build::Build::new().file("src/blur.ivl").isas(["sse4", "avx2", "avx512"]).pregenerated("src/generated").compile("blur")
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Build {
    files: Vec<PathBuf>,
    isas: Vec<String>,
    fp: Fp,
    width: Option<u8>,
    has_checks: bool,
    level: u8,
    debug: Option<bool>,
    prefix: Option<String>,
    schedules: Vec<String>,
    settings: Vec<String>,
    pregenerated: Option<PathBuf>,
}

impl Default for Build {
    fn default() -> Build {
        Build::new()
    }
}

impl Build {
    /// No file yet; `sse2`, `avx2` and `avx512`, strict arithmetic, level 3, checks, and what cargo says of line tables.
    pub fn new() -> Build {
        Build {
            files: Vec::new(),
            isas: ["sse2", "avx2", "avx512"].map(str::to_owned).to_vec(),
            fp: Fp::default(),
            width: None,
            has_checks: true,
            level: 3,
            debug: None,
            prefix: None,
            schedules: Vec::new(),
            settings: Vec::new(),
            pregenerated: None,
        }
    }

    /// Adds a file, relative to the package. What it imports comes along.
    pub fn file(mut self, file: impl AsRef<Path>) -> Build {
        self.files.push(file.as_ref().to_path_buf());
        self
    }

    /// The instruction sets that there is code for: of `sse2`, `sse4`, `avx`, `avx2`, `avx2vnni`, `avx512-256`, `avx512` and `avx512vnni`.
    /// The best one that the processor runs is chosen at run time; a processor that runs none of them gets an error. Those that never
    /// run, by what the crate itself is compiled for, are left out.
    pub fn isas(mut self, isas: impl IntoIterator<Item = impl AsRef<str>>) -> Build {
        self.isas = isas.into_iter().map(|isa| isa.as_ref().to_owned()).collect();
        self
    }

    /// The rules of floating-point arithmetic.
    pub fn fp(mut self, fp: Fp) -> Build {
        self.fp = fp;
        self
    }

    /// The length of `varying` and of a `block` index of `foreach`; by default it is that of the instruction set.
    pub fn width(mut self, width: u8) -> Build {
        self.width = Some(width);
        self
    }

    /// Leaves out the tests of pointers and indices. What they test is then up to callers: exports that have such accesses are unsafe:
    /// their `# Safety` lists them by file and line. Those that have none stay safe.
    pub fn unchecked(mut self) -> Build {
        self.has_checks = false;
        self
    }

    /// The optimisation level, 0 to 3; 3 where none is given, whatever cargo says: kernels are slow below 2, also where the rest is being
    /// debugged.
    pub fn opt_level(mut self, level: u8) -> Build {
        self.level = level;
        self
    }

    /// Line tables for debuggers, instead of cargo's setting.
    pub fn debug(mut self, debug: bool) -> Build {
        self.debug = Some(debug);
        self
    }

    /// What the symbols of exports begin with, another word for each module. By default that is the package, its version as far as others
    /// are incompatible with it, and the module (`images_0_3_blur_`), so that all of them can be linked into one program; nothing if it is
    /// empty.
    pub fn prefix(mut self, prefix: impl Into<String>) -> Build {
        self.prefix = Some(prefix.into());
        self
    }

    /// What a parameter of pipelines is where the program does not say so: `("N", 16)` of all that have an `N`, `("chain.N", 16)` of one,
    /// `("T", "uint8")` for a type.
    pub fn set(mut self, parameter: impl AsRef<str>, value: impl std::fmt::Display) -> Build {
        self.settings.push(format!("{}={value}", parameter.as_ref()));
        self
    }

    /// The schedules of pipelines that there are functions for: `tiled`, or `blur.tiled` for that of one pipeline. By default those that are
    /// written, and `auto` where there is none.
    pub fn schedules(mut self, schedules: impl IntoIterator<Item = impl AsRef<str>>) -> Build {
        self.schedules = schedules.into_iter().map(|schedule| schedule.as_ref().to_owned()).collect();
        self
    }

    /// The folder with the files that the package publishes: assembly and bindings. They are used where there is no compiler, and are
    /// an error where they are not those of the sources; `IVL_RENEW=1 cargo build` writes them.
    pub fn pregenerated(mut self, folder: impl AsRef<Path>) -> Build {
        self.pregenerated = Some(folder.as_ref().to_path_buf());
        self
    }

    /// Compiles all files to the module `name`, which `ivl::include_ivl!` brings into the crate, and tells cargo what to link and when to
    /// run again. It is called in build scripts.
    ///
    /// # Errors
    /// Where there is neither a compiler nor pregenerated files, the sources are refused, the pregenerated files are stale, the target has
    /// no code, or a file cannot be written. What the compiler said was written to standard error.
    pub fn compile(&self, name: &str) -> Result<(), Error> {
        let environment = Environment::read(|name| std::env::var(name).ok())?;
        let mut directives = Vec::new();
        let result = self.compile_in(name, &environment, &mut directives);
        // Also after a failure: cargo shall look again when what failed has changed.
        for directive in directives {
            println!("cargo::{directive}");
        }
        result
    }

    fn compile_in(&self, name: &str, environment: &Environment, directives: &mut Vec<String>) -> Result<(), Error> {
        self.is_sensible(name)?;
        for variable in environment.variables() {
            directives.push(format!("rerun-if-env-changed={variable}"));
        }
        for file in &self.files {
            directives.push(format!("rerun-if-changed={}", file.display()));
        }
        let found = Compiler::find(environment);
        if let Some(folder) = &self.pregenerated {
            if environment.renews {
                let compiler = found.as_ref().map_err(|missing| Error::new(missing.to_string()))?;
                let outputs = compiler.run(&self.command_for_all(name, environment), environment)?;
                pregenerated::write(&environment.path(folder), name, &self.options(name, environment), &outputs, environment)?;
            }
            let (folder_name, folder) = (folder, environment.path(folder));
            pregenerated::is_fresh(&folder, folder_name, name, &self.options(name, environment), environment, directives)?;
        }
        match (&found, &self.pregenerated) {
            (Ok(compiler), _) => self.with_compiler(compiler, name, environment, directives),
            (Err(compiler::Missing::Broken(message)), _) => Err(Error::new(message)),
            (Err(_), Some(folder)) => {
                if !environment.is_documentation {
                    environment.has_code()?;
                }
                pregenerated::include(&environment.path(folder), name, environment)
            }
            // What functions do is not looked at for documentation, and what kernels there are is not known.
            (Err(_), None) if environment.is_documentation => {
                directives.push(format!("warning=there is no compiler: the module `{name}` is documented without its functions"));
                write_module(name, "", environment)
            }
            (Err(missing), None) => Err(Error::new(missing.to_string())),
        }
    }

    fn with_compiler(
        &self,
        compiler: &Compiler,
        name: &str,
        environment: &Environment,
        directives: &mut Vec<String>,
    ) -> Result<(), Error> {
        directives.push(format!("rerun-if-changed={}", compiler.path.display()));
        let command = compiler::Command {
            isas: environment.needed(&self.isas),
            level: self.level,
            debug: self.debug.unwrap_or(environment.debug),
            emit: if environment.is_documentation { &["rust"] } else { &["rust", "lib"] },
            ..self.command_for_all(name, environment)
        };
        if !environment.is_documentation {
            environment.has_code()?;
        }
        let outputs = compiler.run(&command, environment)?;
        for source in &outputs.sources {
            directives.push(format!("rerun-if-changed={source}"));
        }
        for line in outputs.warnings.lines() {
            directives.push(format!("warning={line}"));
        }
        write_module(name, outputs.text("rs")?, environment)?;
        if !environment.is_documentation {
            let library = environment.prefix(name).trim_end_matches('_').to_owned();
            replace(&environment.out_dir.join(format!("lib{library}.a")), outputs.bytes("a")?)?;
            directives.push(format!("rustc-link-search=native={}", environment.out_dir.display()));
            directives.push(format!("rustc-link-lib=static={library}"));
        }
        Ok(())
    }

    /// The command for files that are the same on every machine.
    fn command_for_all(&self, name: &str, environment: &Environment) -> compiler::Command {
        compiler::Command {
            name: name.to_owned(),
            files: self.files.clone(),
            isas: self.isas.clone(),
            fp: self.fp.name(),
            width: self.width,
            has_checks: self.has_checks,
            level: 3,
            debug: false,
            prefix: self.prefix.clone().unwrap_or_else(|| environment.prefix(name)),
            schedules: self.schedules.clone(),
            settings: self.settings.clone(),
            emit: &["rust", "asm"],
        }
    }

    /// All that decides what pregenerated files hold, beside the sources and the compiler.
    fn options(&self, name: &str, environment: &Environment) -> String {
        let command = self.command_for_all(name, environment);
        let width = command.width.map_or_else(|| "of the target".to_owned(), |width| width.to_string());
        let schedules = match &command.schedules[..] {
            [] => String::new(),
            some => format!("; schedules {}", some.join(",")),
        };
        let settings: String = command.settings.iter().map(|setting| format!("; {setting}")).collect();
        format!(
            "targets {}; fp {}; width {width}; checks {}; prefix {}{schedules}{settings}; files {}",
            command.isas.join(","),
            command.fp,
            command.has_checks,
            command.prefix,
            names(&self.files)
        )
    }

    fn is_sensible(&self, name: &str) -> Result<(), Error> {
        let is_letter = |c: char| c.is_ascii_alphabetic() || c == '_';
        if !name.starts_with(is_letter) || !name.chars().all(|c| is_letter(c) || c.is_ascii_digit()) || name == "_" {
            return Err(Error::new(format!("`{name}` is no name of a module: give one to `compile`")));
        }
        if self.files.is_empty() {
            return Err(Error::new(format!("there is no file to compile to `{name}`: add one with `file`")));
        }
        if self.isas.is_empty() {
            return Err(Error::new("there is no instruction set to compile for: name some with `isas`"));
        }
        let known = environment::LEVELS.iter().map(|level| level.name);
        match self.isas.iter().find(|isa| !known.clone().any(|level| level == isa.as_str())) {
            Some(isa) => {
                Err(Error::new(format!("`{isa}` is no instruction set: there are {}", known.collect::<Vec<_>>().join(", "))))
            }
            None => Ok(()),
        }
    }
}

/// Writes what `ivl::include_ivl!` includes. Lints are for what people write.
fn write_module(name: &str, body: &str, environment: &Environment) -> Result<(), Error> {
    let module = format!(
        "/// Kernels of this package.\n#[allow(missing_docs, unreachable_pub, clippy::all, clippy::pedantic)]\npub mod {name} {{\n{body}}}\n"
    );
    replace(&environment.out_dir.join(format!("{name}.rs")), module.as_bytes())
}

/// Paths, the same on every machine.
fn names(files: &[PathBuf]) -> String {
    files.iter().map(|file| file.display().to_string().replace('\\', "/")).collect::<Vec<_>>().join(", ")
}

/// Writes a file beside its place and renames it, so that nobody sees half of it; one that has this content stays as it is.
fn replace(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    if fs::read(path).is_ok_and(|there| there == bytes) {
        return Ok(());
    }
    let fail = |error: std::io::Error| Error::new(format!("{}: {error}", path.display()));
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(fail)?;
    }
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(format!(".{}", std::process::id()));
    let written = fs::write(&temporary, bytes).and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written.map_err(fail)
}
