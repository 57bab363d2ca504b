//! The command: arguments, files and the exit code. Nothing else of the compiler reads arguments or writes files.

use clap::{Args, Parser, Subcommand, ValueEnum};
use ivlc::diagnostics::{codes, render};
use ivlc::driver::{self, Session};
use ivlc::target::Isa;
use ivlc::typed::ir::FpMode;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// A compiler for IVL: C with block types, for SSE, AVX, AVX2 and AVX-512.
#[derive(Parser)]
#[command(name = "ivlc", version = version(), disable_help_subcommand = true)]
struct Command {
    #[command(subcommand)]
    action: Action,
    /// How diagnostics are written.
    #[arg(long, global = true, value_enum, default_value_t = ErrorFormat::Human)]
    error_format: ErrorFormat,
}

fn version() -> &'static str {
    #[cfg(feature = "llvm")]
    {
        Box::leak(format!("{} (LLVM {})", env!("CARGO_PKG_VERSION"), ivlc::llvm::version()).into_boxed_str())
    }
    #[cfg(not(feature = "llvm"))]
    {
        concat!(env!("CARGO_PKG_VERSION"), " (without a code generator)")
    }
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum ErrorFormat {
    Human,
    Json,
}

#[derive(Subcommand)]
enum Action {
    /// Compiles a file in memory and calls its main.
    Run {
        file: PathBuf,
        #[command(flatten)]
        options: Compile,
    },
    /// Compiles a file to objects, assembly, IR or a C header.
    Build {
        file: PathBuf,
        #[command(flatten)]
        options: Compile,
        /// What to write: obj, asm, llvm-ir, core (the vector IR), typed, header.
        #[arg(long, value_enum, value_delimiter = ',', default_value = "obj")]
        emit: Vec<Emit>,
        /// The file to write; with several outputs their common beginning; `-` writes text to standard output.
        #[arg(short, long)]
        output: Option<PathBuf>,
        /// Writes line tables for debuggers.
        #[arg(short = 'g')]
        debug_info: bool,
        /// Writes what the outputs depend on, for make and ninja.
        #[arg(short = 'M', value_name = "DEPS")]
        dependencies: Option<PathBuf>,
    },
    /// Checks a file and writes nothing.
    Check {
        file: PathBuf,
        #[command(flatten)]
        options: Compile,
    },
    /// Explains a diagnostic by its code (E0300) or name (length-mismatch).
    Explain { code: String },
    /// Lists the instruction sets.
    Targets,
}

#[derive(Args)]
struct Compile {
    /// sse2, sse4, avx, avx2, avx512 or host; build takes a list.
    #[arg(long, value_delimiter = ',', default_value = "host", value_parser = isa)]
    target: Vec<Isa>,
    /// The length of `varying` and of a `block` index of `foreach`.
    #[arg(long, value_parser = width)]
    width: Option<u8>,
    /// Optimisation level, 0 to 3.
    #[arg(short = 'O', default_value_t = 3, value_parser = clap::value_parser!(u8).range(0..=3))]
    level: u8,
    /// The rules of floating-point arithmetic.
    #[arg(long, value_enum, default_value_t = Fp::Strict)]
    fp: Fp,
    /// Tests pointers and indices at run time.
    #[arg(long)]
    check: bool,
    /// Prints how long each stage took.
    #[arg(long)]
    time_passes: bool,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Fp {
    Strict,
    Contract,
    Fast,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Emit {
    Obj,
    Asm,
    LlvmIr,
    Core,
    Typed,
    Header,
}

impl Emit {
    fn extension(self) -> &'static str {
        match self {
            Emit::Obj => "o",
            Emit::Asm => "s",
            Emit::LlvmIr => "ll",
            Emit::Core => "core",
            Emit::Typed => "typed",
            Emit::Header => "h",
        }
    }
}

fn isa(name: &str) -> Result<Isa, String> {
    Isa::from_name(name).ok_or_else(|| "there are sse2, sse4, avx, avx2, avx512 and host".into())
}

fn width(text: &str) -> Result<u8, String> {
    let n: u8 = text.parse().map_err(|_| "a length is a number".to_owned())?;
    if n.is_power_of_two() && n <= 64 { Ok(n) } else { Err("lengths are the powers of two from 1 to 64".into()) }
}

impl Compile {
    fn options(&self, isa: Isa) -> driver::Options {
        let fp = match self.fp {
            Fp::Strict => FpMode::Strict,
            Fp::Contract => FpMode::Contract,
            Fp::Fast => FpMode::Fast,
        };
        driver::Options { isa, width: self.width, fp, check: self.check, level: self.level }
    }
}

/// Why the command ends without success.
enum Failure {
    /// Diagnostics were printed.
    Refused,
    /// Something outside of the program: a file, a machine without the instruction set.
    Message(String),
    /// The command itself is wrong.
    Misuse(String),
}

impl From<String> for Failure {
    fn from(message: String) -> Self {
        Failure::Message(message)
    }
}

fn main() -> ExitCode {
    // A closed pipe ends the output, not in a panic.
    let command = Command::parse();
    let result = driver::with_stack(|| act(&command));
    match result {
        Ok(code) => code,
        Err(Failure::Refused) => ExitCode::from(1),
        Err(Failure::Message(message)) => {
            eprintln!("ivlc: {message}");
            ExitCode::from(1)
        }
        Err(Failure::Misuse(message)) => {
            eprintln!("ivlc: {message}");
            ExitCode::from(2)
        }
    }
}

fn act(command: &Command) -> Result<ExitCode, Failure> {
    let format = command.error_format;
    match &command.action {
        Action::Check { file, options } => {
            let mut session = load(file, format)?;
            let program = session.check(&options.options(options.target[0]));
            report(&session, format);
            times(&session, options);
            program.map(|_| ExitCode::SUCCESS).ok_or(Failure::Refused)
        }
        Action::Run { file, options } => run(file, options, format),
        Action::Build { file, options, emit, output, debug_info, dependencies } => {
            build(file, options, emit, output.as_deref(), *debug_info, dependencies.as_deref(), format)
        }
        Action::Explain { code } => explain(code),
        Action::Targets => {
            print!("{}", targets());
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn load(file: &Path, format: ErrorFormat) -> Result<Session, Failure> {
    let mut session = Session::default();
    let _ = format;
    session.load(file).map_err(|e| format!("{}: {e}", file.display()))?;
    Ok(session)
}

/// Prints all diagnostics to standard error.
fn report(session: &Session, format: ErrorFormat) {
    let color = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
    let mut stderr = std::io::stderr().lock();
    for diagnostic in session.diagnostics.iter() {
        let text = match format {
            ErrorFormat::Human => render::human(diagnostic, &session.sources, color),
            ErrorFormat::Json => render::json(diagnostic, &session.sources) + "\n",
        };
        // Nobody is left to tell if standard error is gone.
        let _ = stderr.write_all(text.as_bytes());
    }
}

fn times(session: &Session, options: &Compile) {
    if options.time_passes {
        for (stage, time) in &session.times {
            eprintln!("{stage:>12} {:9.3} ms", time.as_secs_f64() * 1e3);
        }
    }
}

#[cfg(feature = "llvm")]
fn run(file: &Path, options: &Compile, format: ErrorFormat) -> Result<ExitCode, Failure> {
    let [isa] = *options.target else {
        return Err(Failure::Misuse("run takes one target".into()));
    };
    if !isa.runs_here() {
        return Err(Failure::Message(format!("this machine does not run {isa}; `ivlc targets` lists what it runs")));
    }
    let driver_options = options.options(isa);
    let mut session = load(file, format)?;
    let program = session.check(&driver_options);
    report(&session, format);
    let program = program.ok_or(Failure::Refused)?;
    if program.main.is_none() {
        return Err(Failure::Message(format!("{}: there is no `int main()` to run", file.display())));
    }
    let module = session.lower(&program, &driver_options);
    let llvm = ivlc::llvm::Options { isa, level: options.level, debug_info: false, sources: &session.sources };
    let start = std::time::Instant::now();
    let jit = ivlc::llvm::Jit::new(&module, &llvm)?;
    session.times.push(("llvm", start.elapsed()));
    times(&session, options);
    let main = jit.address("main").ok_or_else(|| "the compiled program has no main".to_owned())?;
    // SAFETY: `predicate` gives the instance of main the C signature `int main(void)`.
    let main: extern "C" fn() -> i32 = unsafe { std::mem::transmute(main) };
    let code = main();
    std::process::exit(code & 0xff)
}

#[cfg(not(feature = "llvm"))]
fn run(_: &Path, _: &Compile, _: ErrorFormat) -> Result<ExitCode, Failure> {
    Err(Failure::Message("this ivlc was built without its code generator (cargo feature `llvm22`)".into()))
}

fn build(
    file: &Path,
    options: &Compile,
    emit: &[Emit],
    output: Option<&Path>,
    debug_info: bool,
    dependencies: Option<&Path>,
    format: ErrorFormat,
) -> Result<ExitCode, Failure> {
    let several = emit.len() * options.target.len() > 1;
    let stem = match output {
        Some(path) if path == Path::new("-") => None,
        Some(path) => Some(path.to_path_buf()),
        None => Some(PathBuf::from(file.file_stem().unwrap_or(file.as_os_str()))),
    };
    let mut files: Vec<(PathBuf, Vec<u8>)> = Vec::new();
    let mut sources = Vec::new();
    for &isa in &options.target {
        let driver_options = options.options(isa);
        let mut session = load(file, format)?;
        let program = session.check(&driver_options);
        report(&session, format);
        let program = program.ok_or(Failure::Refused)?;
        sources = session.sources.files().map(|(_, f)| f.name.clone()).collect();
        let module = session.lower(&program, &driver_options);
        for &kind in emit {
            let bytes = match kind {
                Emit::Core => ivlc::vector::print::print(&module).into_bytes(),
                Emit::Typed => ivlc::typed::print::print(&program).into_bytes(),
                Emit::Header => ivlc::header::header(&program, file).into_bytes(),
                Emit::Obj | Emit::Asm | Emit::LlvmIr => machine_code(&mut session, &module, kind, isa, options, debug_info)?,
            };
            let Some(stem) = &stem else {
                std::io::stdout().write_all(&bytes).map_err(|e| format!("standard output: {e}"))?;
                continue;
            };
            let path = if output.is_some() && !several {
                stem.clone()
            } else {
                let target = if options.target.len() > 1 && kind != Emit::Header { format!(".{isa}") } else { String::new() };
                PathBuf::from(format!("{}{target}.{}", stem.display(), kind.extension()))
            };
            if !files.iter().any(|(other, _)| *other == path) {
                files.push((path, bytes));
            }
        }
        times(&session, options);
    }
    if let Some(path) = dependencies {
        let escape = |text: &str| text.replace(' ', "\\ ");
        let outputs: Vec<String> = files.iter().map(|(p, _)| escape(&p.display().to_string())).collect();
        let inputs: Vec<String> = sources.iter().map(|s| escape(s)).collect();
        files.push((path.to_path_buf(), format!("{}: {}\n", outputs.join(" "), inputs.join(" ")).into_bytes()));
    }
    write_all(files)?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(feature = "llvm")]
fn machine_code(
    session: &mut Session,
    module: &ivlc::vector::ir::Module,
    kind: Emit,
    isa: Isa,
    options: &Compile,
    debug_info: bool,
) -> Result<Vec<u8>, Failure> {
    let llvm = ivlc::llvm::Options { isa, level: options.level, debug_info, sources: &session.sources };
    let output = match kind {
        Emit::Obj => ivlc::llvm::Output::Object,
        Emit::Asm => ivlc::llvm::Output::Assembly,
        Emit::LlvmIr | Emit::Core | Emit::Typed | Emit::Header => ivlc::llvm::Output::LlvmIr,
    };
    let start = std::time::Instant::now();
    let bytes = ivlc::llvm::compile(module, &llvm, output)?;
    session.times.push(("llvm", start.elapsed()));
    Ok(bytes)
}

#[cfg(not(feature = "llvm"))]
fn machine_code(
    _: &mut Session,
    _: &ivlc::vector::ir::Module,
    _: Emit,
    _: Isa,
    _: &Compile,
    _: bool,
) -> Result<Vec<u8>, Failure> {
    Err(Failure::Message("this ivlc was built without its code generator (cargo feature `llvm22`)".into()))
}

/// Writes all files or none: each to a temporary beside its place, then all are renamed.
fn write_all(files: Vec<(PathBuf, Vec<u8>)>) -> Result<(), Failure> {
    let mut temporaries = Vec::new();
    for (path, bytes) in files {
        let fail = |e: std::io::Error| Failure::Message(format!("{}: {e}", path.display()));
        if path.is_dir() {
            return Err(Failure::Message(format!("{}: is a folder", path.display())));
        }
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut temporary = tempfile::Builder::new().prefix(".ivlc-").tempfile_in(folder).map_err(fail)?;
        temporary.write_all(&bytes).map_err(fail)?;
        temporary.as_file().sync_data().map_err(fail)?;
        temporaries.push((temporary, path));
    }
    for (temporary, path) in temporaries {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // A temporary is private; what is built is for everybody.
            let readable = std::fs::Permissions::from_mode(0o644);
            std::fs::set_permissions(temporary.path(), readable).map_err(|e| format!("{}: {e}", path.display()))?;
        }
        temporary.persist(&path).map_err(|e| format!("{}: {}", path.display(), e.error))?;
    }
    Ok(())
}

fn explain(code: &str) -> Result<ExitCode, Failure> {
    let Some(code) = codes::find(code) else {
        return Err(Failure::Misuse(format!("there is no diagnostic `{code}`")));
    };
    let indent = |text: &str| text.lines().map(|l| format!("    {l}\n")).collect::<String>();
    println!("E{:04} {}: {}\n\n{}\n", code.number, code.name, code.message, code.why);
    println!("wrong:\n\n{}\nright:\n\n{}", indent(code.wrong), indent(code.right));
    Ok(ExitCode::SUCCESS)
}

fn targets() -> String {
    let mut text = String::from("target   W   this machine   when to use it\n");
    for isa in Isa::ALL {
        let when = match isa {
            Isa::Sse2 => "every x86-64 processor",
            Isa::Sse4 => "processors since 2008 (x86-64-v2)",
            Isa::Avx => "processors since 2011 without AVX2",
            Isa::Avx2 => "processors since 2013 (x86-64-v3): the common choice",
            Isa::Avx512 => "servers since 2017, Zen 4 and later (x86-64-v4)",
        };
        let runs = if isa.runs_here() { "runs" } else { "compiles only" };
        text += &format!("{:<8} {:<3} {:<14} {when}\n", isa.name(), isa.width(), runs);
    }
    text
}
