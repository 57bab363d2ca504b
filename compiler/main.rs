//! The command: arguments, files and the exit code. Nothing else of the compiler reads arguments or writes files.

mod command;
mod output;

use clap::{ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use command::arguments::Request;
use command::build::Outputs;
use command::draw::Drawing;
use ivlc::diagnostics::levels::{Level, Levels, Warnings};
use ivlc::diagnostics::{Code, codes};
use ivlc::driver::{self, Session};
use ivlc::machine::Isa;
use ivlc::settings::Setting;
use ivlc::target::FpMode;
use ivlc::typed::facts;
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
    /// How many errors are shown; the others are counted. 0 shows all.
    #[arg(long, global = true, value_name = "N", default_value_t = 50)]
    error_limit: usize,
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
        #[arg(long, value_parser = threads)]
        threads: Option<usize>,
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
    /// Compiles a file to objects, archives, assembly, IR, a C header or functions of Rust.
    Build {
        file: PathBuf,
        #[command(flatten)]
        options: Compile,
        #[command(flatten)]
        outputs: Outputs,
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
        /// Prints the type of each variable and result in each instance, and why it has its length: a JSON object a line.
        #[arg(long)]
        types: bool,
    },
    /// Explains a diagnostic by its code (E0300) or name (length-mismatch); without either, lists them all.
    Explain { code: Option<String> },
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
    /// sse2, sse4, avx, avx2, avx2vnni, avx512-256, avx512, avx512vnni or host; build takes a list.
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
    /// What a parameter of templates is where a program does not say so: a number, `true`, `false`, or an element type.
    #[arg(long = "set", value_name = "[TEMPLATE.]NAME=VALUE")]
    settings: Vec<Setting>,
    /// Prints how long each stage took.
    #[arg(long)]
    time_passes: bool,
    #[command(flatten)]
    warnings: WarningOptions,
}

/// Which warnings are told; of several decisions on one, the last counts.
#[derive(Args)]
#[command(next_help_heading = "Warnings")]
struct WarningOptions {
    /// Tells these warnings: a name that `ivlc explain` lists, or `warnings` for all.
    #[arg(long, value_name = "NAME", value_parser = Warnings::from_name)]
    warn: Vec<Warnings>,
    /// Does not tell these warnings.
    #[arg(long, value_name = "NAME", value_parser = Warnings::from_name)]
    allow: Vec<Warnings>,
    /// Makes errors of these warnings.
    #[arg(long, value_name = "NAME", value_parser = Warnings::from_name)]
    deny: Vec<Warnings>,
    #[arg(skip)]
    levels: Levels,
}

impl WarningOptions {
    /// Brings the decisions into the order of the command line, which the arguments keep.
    fn decide(&mut self, arguments: &ArgMatches) {
        let lists = [("warn", Level::Warn, &self.warn), ("allow", Level::Allow, &self.allow), ("deny", Level::Deny, &self.deny)];
        let mut decisions = Vec::new();
        for (name, level, warnings) in lists {
            let places = arguments.indices_of(name).into_iter().flatten();
            decisions.extend(places.zip(warnings).map(|(place, &warnings)| (place, warnings, level)));
        }
        decisions.sort_by_key(|(place, ..)| *place);
        decisions.into_iter().for_each(|(_, warnings, level)| self.levels.set(warnings, level));
    }
}

impl Action {
    /// The options of those that compile.
    fn compile(&mut self) -> Option<&mut Compile> {
        match self {
            Action::Run { options, .. }
            | Action::Interp { options, .. }
            | Action::Build { options, .. }
            | Action::Schedule { options, .. }
            | Action::Check { options, .. } => Some(options),
            Action::Explain { .. } | Action::Targets | Action::Doctor | Action::Completions { .. } | Action::Man { .. } => None,
        }
    }
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Fp {
    Strict,
    Contract,
    Fast,
}

fn isa(name: &str) -> Result<Isa, String> {
    Isa::from_name(name).ok_or_else(|| format!("there are {}", Isa::names()))
}

fn threads(text: &str) -> Result<usize, String> {
    let most = ivl::most_threads();
    let count = text.parse().ok().filter(|count| (1..=most).contains(count));
    count.ok_or_else(|| format!("there are 1 to {most} threads"))
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
    let matches = Command::command().get_matches();
    let mut command = Command::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    if let (Some(options), Some((_, matches))) = (command.action.compile(), matches.subcommand()) {
        options.warnings.decide(matches);
    }
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
    let mut reporter = Reporter::new(command.error_format, command.error_limit);
    match &command.action {
        Action::Check { file, options, types } => {
            for &isa in &options.target {
                let mut session = load(file, options)?;
                if *types {
                    let program = session.check_in_part(&options.options(isa));
                    output::print(facts::json_lines(&program, &session.sources).as_bytes())?;
                } else {
                    session.check(&options.options(isa));
                }
                reporter.report(&session);
                times(&session, options);
                if session.diagnostics.has_errors() {
                    return Err(Failure::Refused);
                }
            }
        }
        Action::Run { file, request, options, threads, arguments: _ } => {
            ivl::set_threads(threads.unwrap_or(0));
            return run(file, request, options, &mut reporter);
        }
        Action::Schedule { file, options, drawing } => {
            return command::draw::draw(file, load(file, options)?, drawing, options, &mut reporter);
        }
        Action::Interp { file, options } => return interp(file, options, &mut reporter),
        Action::Build { file, options, outputs } => command::build::build(file, options, outputs, &mut reporter)?,
        Action::Explain { code } => output::print(explain(code.as_deref())?.as_bytes())?,
        Action::Targets => output::print(targets().as_bytes())?,
        Action::Doctor => return command::doctor::doctor(),
        Action::Completions { shell } => command::pages::completions(Command::command(), *shell)?,
        Action::Man { action } => command::pages::man(Command::command(), action.as_deref())?,
    }
    Ok(ExitCode::SUCCESS)
}

fn load(file: &Path, options: &Compile) -> Result<Session, Failure> {
    let (levels, settings) = (options.warnings.levels.clone(), options.settings.clone());
    let mut session = Session { levels, settings, ..Session::default() };
    if is_standard(file) {
        session.load_text("standard input".into(), None, standard_input()?);
    } else {
        session.load(file).map_err(|e| format!("{}: {e}", file.display()))?;
    }
    // A file with errors may have lost the names.
    match session.settings.iter().find(|setting| !session.has_parameter(setting)) {
        Some(setting) if !session.diagnostics.has_errors() => {
            let of = setting.template.as_ref().map_or("no template".to_owned(), |name| format!("no template `{name}`"));
            Err(Failure::Misuse(format!("{}: {of} has a parameter `{}`", file.display(), setting.parameter)))
        }
        Some(_) | None => Ok(session),
    }
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
        return command::apply::apply(file, load(file, options)?, request, options, reporter);
    }
    let driver_options = options.options(isa);
    let mut session = load(file, options)?;
    let program = session.check(&driver_options);
    reporter.report(&session);
    let program = program.ok_or(Failure::Refused)?;
    if program.main.is_none() {
        return Err(Failure::Message(format!("{}: there is no `int main()` to run", file.display())));
    }
    let (code, main) = compiled_main(&mut session, &program, &driver_options)?;
    times(&session, options);
    output::end_with_the_pipe();
    command::recursion::watch(&code, &session.sources);
    let code = main();
    std::process::exit(code & 0xff)
}

/// The main of a program that has one, in memory: it may be called as long as the code lives.
#[cfg(feature = "llvm")]
fn compiled_main(
    session: &mut Session,
    program: &ivlc::typed::ir::Program,
    options: &driver::Options,
) -> Result<(ivlc::llvm::Jit, extern "C" fn() -> i32), String> {
    let module = session.lower(program, options);
    let llvm = ivlc::llvm::Options { isa: options.isa, level: options.level, debug_info: false, sources: &session.sources };
    let start = std::time::Instant::now();
    let jit = ivlc::llvm::Jit::new(&module, &llvm)?;
    session.times.push(("llvm", start.elapsed()));
    let main = jit.address("main").ok_or_else(|| "the compiled program has no main".to_owned())?;
    // SAFETY: `predicate` gives the instance of main the C signature `int main(void)`.
    Ok((jit, unsafe { std::mem::transmute::<*const u8, extern "C" fn() -> i32>(main) }))
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
    let mut session = load(file, options)?;
    let program = session.check(&options.options(isa));
    reporter.report(&session);
    times(&session, options);
    let program = program.ok_or(Failure::Refused)?;
    if program.main.is_none() {
        return Err(Failure::Message(format!("{}: there is no `int main()` to run", file.display())));
    }
    output::end_with_the_pipe();
    // As in a compiled program, output that nobody reads is no error, and a full disk ends the program.
    let mut print = |text: &str| {
        if let Err(message) = output::print(text.as_bytes()) {
            output::complain(&format!("{message}\n"));
            std::process::exit(FAILED_CHECK)
        }
    };
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

fn explain(code: Option<&str>) -> Result<String, Failure> {
    let Some(code) = code else {
        let line = |code: &&Code| {
            let kind = if code.is_warning() { "warning" } else { "error" };
            format!("E{:04} {:<7} {:<22} {}\n", code.number, kind, code.name, code.message)
        };
        let mut all = codes::ALL.to_vec();
        all.sort_by_key(|code| code.number);
        return Ok(all.iter().map(line).collect());
    };
    let Some(code) = codes::find(code) else {
        return Err(Failure::Misuse(format!("there is no diagnostic `{code}`")));
    };
    let indent = |text: &str| text.lines().map(|l| format!("    {l}\n")).collect::<String>();
    let (number, name, message, why) = (code.number, code.name, code.message, code.why);
    let examples = format!("wrong:\n\n{}\nright:\n\n{}", indent(code.wrong), indent(code.right));
    Ok(format!("E{number:04} {name}: {message}\n\n{why}\n\n{examples}\n"))
}

fn targets() -> String {
    let mut text = String::from("target     W   this machine   when to use it\n");
    for isa in Isa::ALL {
        let runs = if isa.runs_here() { "runs" } else { "compiles only" };
        text += &format!("{:<10} {:<3} {:<14} {}\n", isa.name(), isa.width(), runs, isa.machine().processors);
    }
    text
}
