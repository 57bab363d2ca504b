//! `ivlc build`: what is written, for which targets, and under which names.
//!
//! ```text
//! --target avx2,avx512                 k.avx2.o  k.avx512.o        an output for each target
//! --target avx2,avx512 --dispatch      k.o                         one for all of them, which chooses when it runs
//! ```

use super::super::{Compile, Failure, is_standard, load, times};
use crate::output::{self, Reporter};
use clap::{Args, ValueEnum};
use ivlc::bindings::Facts;
use ivlc::driver::Session;
use ivlc::machine::Isa;
use ivlc::pipeline::Entries;
use ivlc::symbols::{self, Dispatcher, Symbols};
use ivlc::typed::ir::Program;
use ivlc::vector;
use std::path::{Path, PathBuf};

/// What `build` is to write.
#[derive(Args)]
pub struct Outputs {
    /// What to write: obj, lib (an archive with the object), asm, llvm-ir, core (the vector IR), legal (as the target has instructions for it), typed, header, rust (safe functions
    /// to call exports and pipelines), and of pipelines ivl (their schedules as source).
    #[arg(long, value_enum, value_delimiter = ',', default_value = "obj")]
    emit: Vec<Emit>,
    /// The file to write; with several outputs their common beginning; `-` writes text to standard output.
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Writes one object for all targets; when it runs, it chooses the best one of the processor, up to IVL_MAX_ISA.
    #[arg(long)]
    dispatch: bool,
    /// What stands in front of the symbols of exports: kernels of several libraries may be linked together.
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true, value_parser = symbols::prefix)]
    prefix: String,
    /// Leaves out the checks that code for Rust has; what they would test is up to callers: those functions are unsafe.
    #[arg(long, conflicts_with = "check")]
    unchecked: bool,
    /// The schedules of pipelines that C and Rust may run: S, or P.S for that of one pipeline. By default those that are written, and
    /// `auto` where there is none.
    #[arg(long, value_name = "S", value_delimiter = ',')]
    schedule: Vec<String>,
    /// Writes line tables for debuggers.
    #[arg(short = 'g')]
    debug_info: bool,
    /// Writes what the outputs depend on, for make and ninja.
    #[arg(short = 'M', value_name = "DEPS")]
    dependencies: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Emit {
    Obj,
    /// An archive with the object.
    Lib,
    Asm,
    LlvmIr,
    Core,
    Legal,
    Typed,
    Header,
    /// The schedules of pipelines as source of the language.
    Ivl,
    /// Exports and pipelines as safe functions of Rust.
    Rust,
    /// The ranges of indices of tensor comprehensions, and the accesses that gave them.
    Ranges,
}

impl Emit {
    fn extension(self) -> &'static str {
        match self {
            Emit::Obj => "o",
            Emit::Lib => "a",
            Emit::Asm => "s",
            Emit::LlvmIr => "ll",
            Emit::Core => "core",
            Emit::Legal => "legal",
            Emit::Typed => "typed",
            Emit::Header => "h",
            Emit::Ivl => "ivl",
            Emit::Rust => "rs",
            Emit::Ranges => "ranges",
        }
    }

    /// Is it one text for all targets?
    fn is_interface(self) -> bool {
        matches!(self, Emit::Header | Emit::Rust | Emit::Ranges)
    }

    /// Is it code, which can be for several targets at once?
    fn is_code(self) -> bool {
        matches!(self, Emit::Obj | Emit::Lib | Emit::Asm | Emit::LlvmIr)
    }
}

impl Outputs {
    /// The file for one kind of output; `None` for standard output.
    fn path(&self, source: &Path, options: &Compile, isa: Isa, kind: Emit) -> Option<PathBuf> {
        let is_shared = |kind: Emit| kind.is_interface() || self.dispatch && kind.is_code();
        let count = |&kind: &Emit| if self.dispatch && is_shared(kind) { 1 } else { options.target.len() };
        let several = self.emit.iter().map(count).sum::<usize>() > 1;
        let stem = match &self.output {
            Some(path) if is_standard(path) => return None,
            Some(path) if !several => return Some(path.clone()),
            Some(path) => path.as_os_str(),
            None => source.file_stem().unwrap_or(source.as_os_str()),
        };
        let mut name = stem.to_owned();
        if options.target.len() > 1 && !is_shared(kind) {
            name.push(format!(".{isa}"));
        }
        name.push(format!(".{}", kind.extension()));
        Some(PathBuf::from(name))
    }

    fn symbols(&self, options: &Compile) -> Symbols {
        let mut targets = options.target.clone();
        targets.sort();
        targets.dedup();
        Symbols { prefix: self.prefix.clone(), targets: if self.dispatch { targets } else { Vec::new() } }
    }
}

/// A program for one target.
struct Part {
    isa: Isa,
    session: Session,
    program: Program,
    /// The optimized vector IR as text, where that is asked for.
    optimized: Option<String>,
    /// The vector IR of what the target has.
    module: vector::ir::Module,
    dispatchers: Vec<Dispatcher>,
    /// What bindings have to know of the code.
    facts: Facts,
}

/// Compiles a file and writes all outputs or none.
///
/// # Errors
/// Where the program is refused, outputs would be lost, or the system does not take them.
pub fn build(file: &Path, options: &Compile, what: &Outputs, reporter: &mut Reporter) -> Result<(), Failure> {
    if is_standard(file) && what.output.is_none() {
        return Err(Failure::Misuse("an output of what stands in no file needs a name: -o FILE, or -o - for text".into()));
    }
    // What stands in no file is named after the output.
    let name = match &what.output {
        Some(output) if is_standard(file) => {
            Some(&**output).filter(|output| !is_standard(output)).unwrap_or(Path::new("kernels.ivl"))
        }
        Some(_) | None => file,
    };
    let symbols = what.symbols(options);
    let targets = if what.dispatch { &symbols.targets } else { &options.target };
    let mut parts = Vec::new();
    for &isa in targets {
        parts.push(part(file, isa, options, what, &symbols, reporter)?);
    }
    let sources: Vec<PathBuf> = parts[0].session.sources.files().filter_map(|(_, f)| f.path.clone()).collect();
    let mut files: Vec<(PathBuf, Vec<u8>)> = Vec::new();
    let mut text = Vec::new();
    let mut add = |kind: Emit, isa: Isa, bytes: Vec<u8>| match what.path(file, options, isa, kind) {
        Some(path) if files.iter().any(|(other, _)| *other == path) => {}
        Some(path) => files.push((path, bytes)),
        None => text.extend(bytes),
    };
    for k in 0..parts.len() {
        for &kind in &what.emit {
            let shares = what.dispatch && kind.is_code() || kind.is_interface();
            if shares && k > 0 {
                continue;
            }
            let code = |parts: &mut [Part], kind| machine_code(parts, kind, options, what);
            let these = if shares { 0..parts.len() } else { k..k + 1 };
            let bytes = match kind {
                Emit::Core => parts[k].optimized.clone().unwrap_or_default().into_bytes(),
                Emit::Legal => vector::print::print(&parts[k].module).into_bytes(),
                Emit::Typed => ivlc::typed::print::print(&parts[k].program, &parts[k].session.sources).into_bytes(),
                Emit::Ivl => parts[k].session.source().map_err(Failure::Message)?.into_bytes(),
                Emit::Ranges => ivlc::tensor::print::ranges(&parts[k].session.comprehensions).into_bytes(),
                Emit::Header | Emit::Rust => interface(&parts, kind, name, &symbols)?.into_bytes(),
                Emit::Obj | Emit::Asm | Emit::LlvmIr => code(&mut parts[these], kind)?,
                Emit::Lib => output::archive(name, code(&mut parts[these], Emit::Obj)?)?,
            };
            add(kind, parts[k].isa, bytes);
        }
        times(&parts[k].session, options);
    }
    if let Some(path) = &what.dependencies {
        let outputs: Vec<PathBuf> = files.iter().map(|(path, _)| path.clone()).collect();
        if outputs.is_empty() {
            return Err(Failure::Misuse("-M needs an output file: a rule names what it makes".into()));
        }
        files.push((path.clone(), output::rule(&outputs, &sources).into_bytes()));
    }
    output::are_different(&files, &sources).map_err(Failure::Misuse)?;
    output::write_all(files)?;
    Ok(output::print(&text)?)
}

/// Compiles a file for a target, up to the vector IR.
fn part(
    file: &Path,
    isa: Isa,
    options: &Compile,
    what: &Outputs,
    symbols: &Symbols,
    reporter: &mut Reporter,
) -> Result<Part, Failure> {
    let is_for_rust = what.emit.contains(&Emit::Rust);
    let mut driver_options = options.options(isa);
    driver_options.check |= is_for_rust && !what.unchecked;
    let mut session = load(file, options)?;
    session.entries = Entries::Asked(what.schedule.clone());
    let program = session.check(&driver_options);
    reporter.report(&session);
    let program = program.ok_or(Failure::Refused)?;
    let is_unknown = |asked: &&String| !session.pipelines.as_ref().is_some_and(|pipelines| pipelines.has_schedule(asked));
    if let Some(unknown) = what.schedule.iter().find(is_unknown) {
        return Err(Failure::Misuse(format!("{}: no pipeline has a schedule `{unknown}`", file.display())));
    }
    let mut module = session.optimized(&program, &driver_options);
    let facts = match (is_for_rust, driver_options.check) {
        (false, _) => Facts::default(),
        (true, true) => Facts::of(&program, &module, &session.sources),
        (true, false) => {
            let checked = session.optimized(&program, &ivlc::driver::Options { check: true, ..driver_options });
            Facts::without_checks(&program, &module, &checked, &session.sources)
        }
    };
    let taken = |name| format!("{}: two functions would have the symbol `{name}`", file.display());
    let dispatchers = symbols.apply(&mut module, isa).map_err(taken)?;
    let optimized = what.emit.contains(&Emit::Core).then(|| vector::print::print(&module));
    session.legalize(&mut module, &driver_options);
    Ok(Part { isa, session, program, optimized, module, dispatchers, facts })
}

/// What callers see, which has to be the same for all targets.
fn interface(parts: &[Part], kind: Emit, name: &Path, symbols: &Symbols) -> Result<String, Failure> {
    let facts = parts.iter().fold(Facts::default(), |all, part| all.and(part.facts.clone()));
    let text = |part: &Part| match kind == Emit::Rust {
        true => ivlc::bindings::rust(&part.program, part.session.signatures(), name, symbols, &facts),
        false => ivlc::header::header(&part.program, name, symbols),
    };
    let first = text(&parts[0]);
    match parts.iter().find(|part| text(part) != first) {
        Some(other) => Err(Failure::Message(format!(
            "{}: exports look different on {} and {}, whose `varying` has other lengths: give --width",
            name.display(),
            parts[0].isa,
            other.isa
        ))),
        None => Ok(first),
    }
}

/// Code for the targets of all parts at once.
#[cfg(feature = "llvm")]
fn machine_code(parts: &mut [Part], kind: Emit, options: &Compile, what: &Outputs) -> Result<Vec<u8>, Failure> {
    let output = match kind {
        Emit::Obj | Emit::Lib => ivlc::llvm::Output::Object,
        Emit::Asm => ivlc::llvm::Output::Assembly,
        Emit::LlvmIr | Emit::Core | Emit::Legal | Emit::Typed | Emit::Header | Emit::Ivl | Emit::Rust | Emit::Ranges => {
            ivlc::llvm::Output::LlvmIr
        }
    };
    let start = std::time::Instant::now();
    let mut modules = Vec::new();
    for part in &*parts {
        let llvm = ivlc::llvm::Options {
            isa: part.isa,
            level: options.level,
            debug_info: what.debug_info,
            sources: &part.session.sources,
        };
        modules.push((&part.module, llvm));
    }
    let bytes = ivlc::llvm::compile_for_several(&modules, &parts[0].dispatchers, &what.prefix, output)?;
    parts[0].session.times.push(("llvm", start.elapsed()));
    Ok(bytes)
}

#[cfg(not(feature = "llvm"))]
fn machine_code(_: &mut [Part], _: Emit, _: &Compile, _: &Outputs) -> Result<Vec<u8>, Failure> {
    Err(Failure::Message("this ivlc was built without its code generator (cargo feature `llvm22`)".into()))
}
