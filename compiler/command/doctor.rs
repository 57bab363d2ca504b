//! What `ivlc doctor` finds: is everything there that compiling, running and linking need?

use super::super::Failure;
use ivlc::driver::{Options, Session};
use ivlc::machine::Isa;
use std::env;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};

/// One thing that was looked at.
enum Finding {
    /// It is there; this says more of it.
    Fine(String),
    /// Not everybody needs it; this says what it is for and how it comes.
    Absent(String),
    /// Nothing works without it.
    Broken(String),
}

use Finding::{Absent, Broken, Fine};

/// Looks at everything, says what it found, and fails if nothing can be compiled.
///
/// # Errors
/// If standard output takes nothing.
pub fn doctor() -> Result<ExitCode, Failure> {
    let findings = [
        ("code generator", code_generator()),
        ("instruction sets", Fine(instruction_sets())),
        ("compiled program", compiled_program()),
        ("threads", threads()),
        ("temporary files", temporary_files()),
        ("C compiler", c_compiler()),
        ("run-time archive", archive()),
    ];
    let mut text = String::new();
    for (name, finding) in &findings {
        let (mark, said) = match finding {
            Fine(said) => ("ok", said),
            Absent(said) => ("--", said),
            Broken(said) => ("!!", said),
        };
        text += &format!("{mark}  {name:<17} {said}\n");
    }
    super::super::output::print(text.as_bytes())?;
    let is_broken = findings.iter().any(|(_, finding)| matches!(finding, Broken(_)));
    Ok(ExitCode::from(u8::from(is_broken)))
}

#[cfg(feature = "llvm")]
fn code_generator() -> Finding {
    Fine(format!("LLVM {}", ivlc::llvm::version()))
}

#[cfg(not(feature = "llvm"))]
fn code_generator() -> Finding {
    Broken("none: this ivlc checks and interprets; build it with cargo feature `llvm22`".into())
}

fn instruction_sets() -> String {
    let (here, others): (Vec<Isa>, Vec<Isa>) = Isa::ALL.into_iter().partition(|isa| isa.runs_here());
    let list = |all: &[Isa]| all.iter().map(|isa| isa.name()).collect::<Vec<_>>().join(", ");
    match others.is_empty() {
        true => list(&here),
        false => format!("{}; compiled only: {}", list(&here), list(&others)),
    }
}

/// A program whose result is known.
const PROGRAM: &str = "int main() { int block[8] v = <1, 2, 3, 4, 5, 6, 7, 8>; return reduce_add(v * v); }";
const RESULT: i32 = 204;

#[cfg(feature = "llvm")]
fn compiled_program() -> Finding {
    let isa = Isa::host();
    let options = Options::new(isa);
    let mut session = Session::default();
    session.load_text("doctor".into(), None, PROGRAM.into());
    let Some(program) = session.check(&options) else { return Broken("a program that is right is refused".into()) };
    let (_code, main) = match super::super::compiled_main(&mut session, &program, &options) {
        Ok(compiled) => compiled,
        Err(error) => return Broken(error),
    };
    match main() {
        RESULT => Fine(format!("runs on {isa}")),
        other => Broken(format!("gives {other} on {isa}, and should give {RESULT}")),
    }
}

#[cfg(not(feature = "llvm"))]
fn compiled_program() -> Finding {
    let mut session = Session::default();
    session.load_text("doctor".into(), None, PROGRAM.into());
    let Some(program) = session.check(&Options::new(Isa::BASELINE)) else {
        return Broken("a program that is right is refused".into());
    };
    let limits = ivlc::typed::interpret::Limits::default();
    match ivlc::typed::interpret::interpret(&program, limits, &mut |_: &str| ()) {
        Ok(RESULT) => Fine("is interpreted".into()),
        Ok(other) => Broken(format!("gives {other}, and should give {RESULT}")),
        Err(fault) => Broken(fault.message),
    }
}

fn threads() -> Finding {
    let machine = std::thread::available_parallelism().map_or(1, usize::from);
    match env::var("IVL_THREADS") {
        Err(_) => Fine(format!("{machine} run parallel loops")),
        Ok(text) => match text.trim().parse::<usize>() {
            Ok(count) if count > 0 => {
                Fine(format!("{count} run parallel loops (IVL_THREADS), of {machine} that the machine runs at once"))
            }
            _ => Absent(format!("IVL_THREADS is `{text}`, which is no number of threads: {machine} run parallel loops")),
        },
    }
}

fn temporary_files() -> Finding {
    match tempfile::NamedTempFile::new_in(".") {
        Ok(_) => Fine("can be written to this folder".into()),
        Err(error) => Absent(format!("cannot be written to this folder, and so can no output: {error}")),
    }
}

fn c_compiler() -> Finding {
    let name = env::var_os("CC").filter(|name| !name.is_empty()).unwrap_or_else(|| "cc".into());
    let shown = name.to_string_lossy().into_owned();
    let said = Command::new(&name).arg("--version").stdin(Stdio::null()).output();
    match said {
        Ok(output) if output.status.success() => {
            Fine(format!("{shown}: {}", String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or("it runs")))
        }
        Ok(_) | Err(_) => Absent(format!("`{shown}` does not run; C programs need one (Debian: apt-get install gcc libc6-dev)")),
    }
}

fn archive() -> Finding {
    let beside = |folder: PathBuf| folder.join("libivl.a");
    let place = env::current_exe().ok().and_then(|path| Some(beside(path.parent()?.to_path_buf()))).filter(|path| path.is_file());
    match place {
        Some(path) => Fine(path.display().to_string()),
        None => Absent("there is no libivl.a beside ivlc; C programs need it if their kernels print, check, allocate, use threads, or are objects of several targets (--dispatch) (cargo rustc --release -p ivl --crate-type staticlib)".into()),
    }
}
