//! The command: arguments, files and the exit code. Nothing else of the compiler reads arguments or writes files.

mod command;
mod output;

use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use command::arguments::Request;
use command::draw::Drawing;
use ivlc::diagnostics::codes;
use ivlc::driver::{self, Session};
use ivlc::pipeline::Entries;
use ivlc::target::{FpMode, Isa};
use ivlc::typed::interpret::{Limits, interpret};
use output::{ErrorFormat, Reporter};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::OnceLock;

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

#[derive(Subcommand)]
enum Action {
    /// Compiles a file in memory and calls its main, or runs a pipeline of it on image files.
    Run {
        /// The source; `-` is standard input, whose imports are looked for in the current folder.
        file: PathBuf,
        #[command(flatten)]
        options: Compile,
        #[command(flatten)]
        request: Request,
        /// How many threads run parallel loops; by default as many as the machine runs at once, or IVL_THREADS.
        #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
        threads: Option<u16>,
        /// Words for the program. Its main takes none: they are for C functions that ask the system for them.
        #[arg(trailing_var_arg = true)]
        arguments: Vec<String>,
    },
    /// Runs a file by the rules of the language, without a code generator: slowly, and watching every access.
    Interp {
        file: PathBuf,
        #[command(flatten)]
        options: Compile,
    },
    /// Compiles a file to objects, assembly, IR or a C header.
    Build {
        file: PathBuf,
        #[command(flatten)]
        options: Compile,
        /// What to write: obj, asm, llvm-ir, core (the vector IR), typed, header, rust (safe functions to call exports and
        /// pipelines), and of pipelines ivl (their schedules as source).
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
    /// Draws what a schedule of a pipeline does, as SVG, and prints how much is computed, stored and read.
    Schedule {
        file: PathBuf,
        #[command(flatten)]
        options: Compile,
        #[command(flatten)]
        drawing: Drawing,
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
    /// Looks whether everything is there: the code generator, a processor that runs its code, a C compiler, the run-time archive.
    Doctor,
    /// Prints completions for a shell, to be read by it when it starts.
    Completions { shell: clap_complete::Shell },
    /// Prints the manual page of the command, or of one of its actions, as roff: `ivlc man build | man -l -`.
    Man { action: Option<String> },
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
    /// The schedules of pipelines as source of the language.
    Ivl,
    /// Exports and pipelines as safe functions of Rust.
    Rust,
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
            Emit::Ivl => "ivl",
            Emit::Rust => "rs",
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

    /// The target, where there can be one only.
    fn only_target(&self, command: &str) -> Result<Isa, Failure> {
        match *self.target {
            [isa] => Ok(isa),
            _ => Err(Failure::Misuse(format!("{command} takes one target"))),
        }
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
    /// A pipeline that does not start.
    Start(String),
}

impl From<String> for Failure {
    fn from(message: String) -> Self {
        Failure::Message(message)
    }
}

fn main() -> ExitCode {
    let command = Command::parse();
    let result = driver::with_stack(|| act(&command));
    let (code, message) = match result {
        Ok(code) => return code,
        Err(Failure::Refused) => return ExitCode::from(1),
        Err(Failure::Message(message)) => (1, message),
        Err(Failure::Misuse(message)) => (2, message),
        Err(Failure::Start(message)) => (FAILED_CHECK as u8, message),
    };
    output::complain_of(&message, command.error_format);
    ExitCode::from(code)
}

fn act(command: &Command) -> Result<ExitCode, Failure> {
    let mut reporter = Reporter::new(command.error_format);
    match &command.action {
        Action::Check { file, options } => {
            for &isa in &options.target {
                let mut session = load(file)?;
                let program = session.check(&options.options(isa));
                reporter.report(&session);
                times(&session, options);
                program.ok_or(Failure::Refused)?;
            }
        }
        Action::Run { file, request, options, threads, arguments: _ } => {
            ivl::set_threads(threads.unwrap_or(0).into());
            return run(file, request, options, &mut reporter);
        }
        Action::Schedule { file, options, drawing } => {
            return command::draw::draw(file, load(file)?, drawing, options, &mut reporter);
        }
        Action::Interp { file, options } => return interp(file, options, &mut reporter),
        Action::Build { file, options, emit, output, debug_info, dependencies } => {
            let what =
                Outputs { emit, output: output.as_deref(), debug_info: *debug_info, dependencies: dependencies.as_deref() };
            build(file, options, &what, &mut reporter)?;
        }
        Action::Explain { code } => output::print(explain(code)?.as_bytes())?,
        Action::Targets => output::print(targets().as_bytes())?,
        Action::Doctor => return command::doctor::doctor(),
        Action::Completions { shell } => command::pages::completions(Command::command(), *shell)?,
        Action::Man { action } => command::pages::man(Command::command(), action.as_deref())?,
    }
    Ok(ExitCode::SUCCESS)
}

fn load(file: &Path) -> Result<Session, Failure> {
    let mut session = Session::default();
    if is_standard(file) {
        session.load_text("standard input".into(), None, standard_input()?);
    } else {
        session.load(file).map_err(|e| format!("{}: {e}", file.display()))?;
    }
    Ok(session)
}

/// Does `-` stand for the standard input or output?
fn is_standard(file: &Path) -> bool {
    file == Path::new("-")
}

/// What was read, once: several targets compile the same text.
fn standard_input() -> Result<String, Failure> {
    static TEXT: OnceLock<Result<String, String>> = OnceLock::new();
    let read = || {
        let mut bytes = Vec::new();
        std::io::stdin().read_to_end(&mut bytes).map_err(|error| error.to_string())?;
        driver::text(bytes).map_err(|error| error.to_string())
    };
    TEXT.get_or_init(read).clone().map_err(|error| Failure::Message(format!("standard input: {error}")))
}

fn times(session: &Session, options: &Compile) {
    if options.time_passes {
        for (stage, time) in &session.times {
            output::complain(&format!("{stage:>12} {:9.3} ms\n", time.as_secs_f64() * 1e3));
        }
    }
}

#[cfg(feature = "llvm")]
fn run(file: &Path, request: &Request, options: &Compile, reporter: &mut Reporter) -> Result<ExitCode, Failure> {
    let isa = options.only_target("run")?;
    if !isa.runs_here() {
        return Err(Failure::Message(format!("this machine does not run {isa}; `ivlc targets` lists what it runs")));
    }
    if request.is_some() {
        return command::apply::apply(file, load(file)?, request, options, reporter);
    }
    let driver_options = options.options(isa);
    let mut session = load(file)?;
    let program = session.check(&driver_options);
    reporter.report(&session);
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
    output::end_with_the_pipe();
    let code = main();
    std::process::exit(code & 0xff)
}

#[cfg(not(feature = "llvm"))]
fn run(_: &Path, _: &Request, _: &Compile, _: &mut Reporter) -> Result<ExitCode, Failure> {
    Err(Failure::Message("this ivlc was built without its code generator (cargo feature `llvm22`)".into()))
}

/// Interprets the typed program; output and exit code are those of `run`.
fn interp(file: &Path, options: &Compile, reporter: &mut Reporter) -> Result<ExitCode, Failure> {
    let isa = options.only_target("interp")?;
    if options.fp != Fp::Strict {
        return Err(Failure::Misuse("interp computes as `--fp strict` does".into()));
    }
    let mut session = load(file)?;
    let program = session.check(&options.options(isa));
    reporter.report(&session);
    times(&session, options);
    let program = program.ok_or(Failure::Refused)?;
    if program.main.is_none() {
        return Err(Failure::Message(format!("{}: there is no `int main()` to run", file.display())));
    }
    output::end_with_the_pipe();
    // As in a compiled program, output that nobody takes is no error.
    let mut print = |text: &str| drop(output::print(text.as_bytes()));
    match interpret(&program, Limits::default(), &mut print) {
        Ok(code) => std::process::exit(code & 0xff),
        Err(fault) => {
            let source = session.sources.file(fault.span.file);
            let (line, column) = source.line_column(fault.span.start);
            let lane = fault.lane.map_or(String::new(), |lane| format!(" (lane {lane})"));
            output::complain(&format!("{}:{line}:{column}: {}{lane}\n", source.name, fault.message));
            std::process::exit(FAILED_CHECK)
        }
    }
}

/// The exit code of a program that a failed check ended, as in the runtime.
const FAILED_CHECK: i32 = 101;

/// What `build` is to write.
struct Outputs<'a> {
    emit: &'a [Emit],
    output: Option<&'a Path>,
    debug_info: bool,
    dependencies: Option<&'a Path>,
}

impl Outputs<'_> {
    /// The file for one kind of output; `None` for standard output.
    fn path(&self, source: &Path, options: &Compile, isa: Isa, kind: Emit) -> Option<PathBuf> {
        let several = self.emit.len() * options.target.len() > 1;
        let stem = match self.output {
            Some(path) if is_standard(path) => return None,
            Some(path) if !several => return Some(path.to_path_buf()),
            Some(path) => path.as_os_str(),
            None => source.file_stem().unwrap_or(source.as_os_str()),
        };
        let mut name = stem.to_owned();
        if options.target.len() > 1 && !matches!(kind, Emit::Header | Emit::Rust) {
            name.push(format!(".{isa}"));
        }
        name.push(format!(".{}", kind.extension()));
        Some(PathBuf::from(name))
    }
}

fn build(file: &Path, options: &Compile, what: &Outputs<'_>, reporter: &mut Reporter) -> Result<(), Failure> {
    if is_standard(file) && what.output.is_none() {
        return Err(Failure::Misuse("an output of what stands in no file needs a name: -o FILE, or -o - for text".into()));
    }
    // What stands in no file is named after the output.
    let name = match what.output {
        Some(output) if is_standard(file) => {
            Some(output).filter(|output| !is_standard(output)).unwrap_or(Path::new("kernels.ivl"))
        }
        Some(_) | None => file,
    };
    let mut files: Vec<(PathBuf, Vec<u8>)> = Vec::new();
    let (mut text, mut sources) = (Vec::new(), Vec::new());
    for &isa in &options.target {
        let driver_options = options.options(isa);
        let mut session = load(file)?;
        session.entries = Entries::All;
        let program = session.check(&driver_options);
        reporter.report(&session);
        let program = program.ok_or(Failure::Refused)?;
        sources = session.sources.files().filter_map(|(_, f)| f.path.clone()).collect();
        let module = session.lower(&program, &driver_options);
        for &kind in what.emit {
            let path = what.path(file, options, isa, kind);
            if path.as_ref().is_some_and(|path| files.iter().any(|(other, _)| other == path)) {
                continue;
            }
            let bytes = match kind {
                Emit::Core => ivlc::vector::print::print(&module).into_bytes(),
                Emit::Typed => ivlc::typed::print::print(&program).into_bytes(),
                Emit::Header => ivlc::header::header(&program, name).into_bytes(),
                Emit::Ivl => session.generated_text().into_bytes(),
                Emit::Rust => ivlc::bindings::rust(&program, &session.signatures, name).into_bytes(),
                Emit::Obj | Emit::Asm | Emit::LlvmIr => machine_code(&mut session, &module, kind, isa, options, what.debug_info)?,
            };
            match path {
                Some(path) => files.push((path, bytes)),
                None => text.extend(bytes),
            }
        }
        times(&session, options);
    }
    if let Some(path) = what.dependencies {
        let outputs: Vec<PathBuf> = files.iter().map(|(path, _)| path.clone()).collect();
        if outputs.is_empty() {
            return Err(Failure::Misuse("-M needs an output file: a rule names what it makes".into()));
        }
        files.push((path.to_path_buf(), output::rule(&outputs, &sources).into_bytes()));
    }
    output::are_different(&files, &sources).map_err(Failure::Misuse)?;
    output::write_all(files)?;
    Ok(output::print(&text)?)
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
        Emit::LlvmIr | Emit::Core | Emit::Typed | Emit::Header | Emit::Ivl | Emit::Rust => ivlc::llvm::Output::LlvmIr,
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

fn explain(code: &str) -> Result<String, Failure> {
    let Some(code) = codes::find(code) else {
        return Err(Failure::Misuse(format!("there is no diagnostic `{code}`")));
    };
    let indent = |text: &str| text.lines().map(|l| format!("    {l}\n")).collect::<String>();
    let (number, name, message, why) = (code.number, code.name, code.message, code.why);
    let examples = format!("wrong:\n\n{}\nright:\n\n{}", indent(code.wrong), indent(code.right));
    Ok(format!("E{number:04} {name}: {message}\n\n{why}\n\n{examples}\n"))
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
