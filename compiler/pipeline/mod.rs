//! Pipelines: algorithm, schedule and bounds, compiled to functions of the language.
//!
//! ```text
//! tree ─build─► algorithm ─lower─► loops with holes ─directives─► loops ─bounds─► loops ─passes─► loops ─text─► source of the language
//!                   └ evaluate: what it means                               └ interpret
//! ```
//! The stages are those of *Formal Semantics for the Halide Language*: the algorithm (section 4) says what is computed, lowering
//! (section 6) gives loops whose bounds are holes, directives (section 8) rewrite them, bounds inference (section 7) fills the
//! holes. What comes out is a function of the language, which goes through the same stages as all others.
//!
//! * [`expr`], [`value`]: expressions, the values 𝕍 and what operators do with them.
//! * [`algorithm`], [`build`], [`evaluate`]: figure 5, Definitions 4.2 and 4.5, figure 6.
//! * [`associative`]: updates whose iterations may run in any order.
//! * [`limits`]: how far coordinates are from 0, and what follows from it.
//! * [`loops`]: figures 7, 8 and 9. [`bounds`]: figure 10.
//! * [`directives`]: figure 12.
//! * [`passes`]: optimisations of completed nests.
//! * [`text`]: a completed nest as a function. [`signature`]: what its callers know.
//! * [`picture`]: what a run does with the windows. [`wraps`]: which values did not fit.

pub mod algorithm;
pub mod associative;
pub mod bounds;
pub mod build;
pub mod directives;
pub mod evaluate;
pub mod expr;
mod facts;
pub mod limits;
pub mod loops;
pub mod passes;
pub mod picture;
pub mod signature;
#[cfg(test)]
mod tests;
pub mod text;
pub mod value;
mod wide;
pub mod wraps;

use crate::check::{self, ScalarExpressions};
use crate::diagnostics::{Diagnostic, Diagnostics, Edit, codes};
use crate::library;
use crate::source::Span;
use crate::syntax::ast;
use crate::typed::ir::Program;
use crate::types::Element;
use algorithm::Pipeline;
use bounds::infer::{Fault, Unbounded, Windows};
pub use directives::Outputs;
use expr::{FuncId, Source};
use loops::ir::{Nest, Statement};
use loops::verify::{Progress, verify};
use signature::Signature;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::rc::Rc;
use text::Pieces;
use text::entry::{self, Purpose};

/// Who calls pipelines, besides functions of the language that run them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Callers {
    /// Functions of the language ask for windows: `P.required(…)`.
    pub queries: bool,
    /// Programs of other languages.
    pub entries: Entries,
    /// The pipelines and schedules that functions of the language may call, if only those are compiled that somebody calls.
    pub called: Option<BTreeSet<(Rc<str>, Rc<str>)>>,
}

impl Callers {
    /// May somebody call this schedule?
    fn call(&self, name: &Rc<str>, of: &str) -> bool {
        let Some(called) = &self.called else { return true };
        called.contains(&(name.clone(), of.into()))
            || match &self.entries {
                Entries::None => false,
                Entries::All => true,
                Entries::One { pipeline, schedule } => **pipeline == **name && (schedule == of || of == "breadth_first"),
            }
    }
}

/// Which functions for other languages there are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Entries {
    /// None.
    #[default]
    None,
    /// `P_S` and `P_S_required` for each schedule of each pipeline, and `P` and `P_required` for the automatic one.
    All,
    /// [`RUN_ENTRY`] of one schedule, and [`WINDOW_ENTRY`]: what the algorithm itself requires.
    One {
        /// The pipeline.
        pipeline: String,
        /// Its schedule.
        schedule: String,
    },
}

/// Runs a schedule, with an array of pointers to the arguments.
pub const RUN_ENTRY: &str = "ivl_entry_run";
/// Gives the input windows that the schedule `breadth_first`, which computes nothing beyond what is asked for, requires.
pub const WINDOW_ENTRY: &str = "ivl_entry_window";

/// What came of the pipelines of some files.
#[derive(Clone, Debug, Default)]
pub struct Compiled {
    /// Their schedules as source of the language, then the functions for other languages.
    pub generated: Vec<Generated>,
    /// What they take and give.
    pub signatures: Vec<Signature>,
}

/// A schedule of a pipeline as source of the language.
#[derive(Clone, Debug)]
pub struct Generated {
    /// `pipeline.schedule`
    pub name: String,
    /// Its functions: `__pipeline__schedule`, and what calls it and ends the program if it does not start.
    pub text: String,
    /// For each line of the text what it was made from.
    pub lines: Vec<Span>,
    /// Is it for callers in other languages?
    pub is_entry: bool,
}

impl Generated {
    /// What a place in the text was made from.
    pub fn origin(&self, offset: usize) -> Option<Span> {
        let line = self.text.get(..offset)?.matches('\n').count();
        self.lines.get(line).copied()
    }
}

/// A schedule of a pipeline, completed.
#[derive(Clone, Debug)]
pub struct Scheduled {
    /// The name of the schedule.
    pub name: String,
    /// Its loops and their windows.
    pub windows: Windows,
}

/// The pipelines of some files.
#[derive(Clone, Debug, Default)]
pub struct Scheduling {
    /// All schedules of all pipelines: `auto`, `breadth_first`, then those of the files.
    pub schedules: Vec<Scheduled>,
    /// The scalar functions that they call.
    pub program: Program,
}

/// Compiles the pipelines of the files. What is wrong with them goes to `diagnostics`.
pub fn compile(
    files: &[ast::File],
    library: &[ast::File],
    options: &check::Options,
    callers: &Callers,
    pieces: Pieces,
    diagnostics: &mut Diagnostics,
) -> Compiled {
    let made = schedule(files, library, options, Outputs::AsAsked, diagnostics);
    let mut compiled = Compiled::default();
    let is_called = |s: &Scheduled| callers.call(&s.windows.nest.pipeline.name, &s.name);
    for scheduled in &made.schedules {
        if is_called(scheduled) {
            compiled.generated.push(generated(&scheduled.windows, &scheduled.name, pieces));
        }
        let pipeline = &scheduled.windows.nest.pipeline;
        match compiled.signatures.iter_mut().find(|s| s.name == pipeline.name) {
            Some(signature) => signature.schedules.push(scheduled.name.clone()),
            None => compiled.signatures.push(Signature::new(pipeline, vec![scheduled.name.clone()])),
        }
    }
    for scheduled in made.schedules.iter().filter(|s| is_called(s)) {
        let is_wanted = match &callers.entries {
            Entries::None => callers.queries,
            Entries::All => true,
            Entries::One { pipeline, .. } => {
                callers.queries || (**pipeline == *scheduled.windows.nest.pipeline.name && scheduled.name == "breadth_first")
            }
        };
        if is_wanted {
            let made = required(&scheduled.windows, &scheduled.name, pieces);
            compiled.generated.push(Generated { is_entry: !callers.queries, ..made });
        }
    }
    for signature in &compiled.signatures {
        compiled.generated.extend(entries(signature, &callers.entries));
    }
    compiled
}

/// Builds the algorithms of the files and schedules them.
pub fn schedule(
    files: &[ast::File],
    library: &[ast::File],
    options: &check::Options,
    outputs: Outputs,
    diagnostics: &mut Diagnostics,
) -> Scheduling {
    let items = || files.iter().flat_map(|file| &file.items);
    if !items().any(|item| matches!(item.kind, ast::ItemKind::Pipeline(_) | ast::ItemKind::Schedule(_))) {
        return Scheduling::default();
    }
    let mut built: Vec<Rc<Pipeline>> = Vec::new();
    let mut scope = ScalarExpressions::new(files, library, options, diagnostics);
    for item in items() {
        if let ast::ItemKind::Pipeline(pipeline) = &item.kind {
            let fp = scope.fp_mode(&item.attributes);
            built.extend(build::build(pipeline, fp, &mut scope).map(Rc::new));
        }
    }
    let mut made = Scheduling { schedules: Vec::new(), program: scope.into_program() };
    let settings = directives::Options { width: options.width };
    for pipeline in &built {
        let nests = [("auto", directives::auto(pipeline, settings)), ("breadth_first", loops::lower::lower(pipeline, &[]))];
        made.schedules.extend(nests.into_iter().filter_map(|(name, nest)| completed(&nest, name, diagnostics)));
    }
    for item in items() {
        let ast::ItemKind::Schedule(schedule) = &item.kind else { continue };
        let name = &schedule.pipeline;
        let Some(pipeline) = built.iter().find(|pipeline| pipeline.name == name.text) else {
            let is_it = |item: &ast::Item| matches!(&item.kind, ast::ItemKind::Pipeline(p) if p.name.text == name.text);
            if !items().any(is_it) {
                let message = format!("there is no pipeline `{}`", name.text);
                diagnostics.push(Diagnostic::error(&codes::UNKNOWN_NAME, name.span, message));
            }
            continue;
        };
        if &*schedule.name.text == "required" {
            let message = "`required` is the name of what gives the windows of the inputs";
            diagnostics.push(Diagnostic::error(&codes::DUPLICATE_NAME, schedule.name.span, message));
            continue;
        }
        let is_known = |s: &Scheduled| s.name == *schedule.name.text && s.windows.nest.pipeline.name == pipeline.name;
        if made.schedules.iter().any(is_known) {
            let message = format!("pipeline `{}` has a schedule `{}` already", pipeline.name, schedule.name.text);
            diagnostics.push(Diagnostic::error(&codes::DUPLICATE_NAME, schedule.name.span, message));
            continue;
        }
        if let Some(nest) = directives::apply(pipeline, schedule, outputs, diagnostics) {
            made.schedules.extend(completed(&nest, &schedule.name.text, diagnostics));
        }
    }
    made
}

/// In debug builds, a nest keeps its invariants behind a step.
fn keeps_invariants(nest: &Nest, progress: Progress<'_>, step: &str) {
    if cfg!(debug_assertions)
        && let Err(broken) = verify(nest, progress)
    {
        panic!("behind `{step}`, a nest of `{}` breaks invariant {broken}", nest.pipeline.name);
    }
}

/// A nest with its windows; what nothing bounds is reported once.
fn completed(nest: &Nest, schedule: &str, diagnostics: &mut Diagnostics) -> Option<Scheduled> {
    let nest = &loops::prune::prune(nest);
    keeps_invariants(nest, Progress::Scheduled, "prune");
    match bounds::infer::infer(nest) {
        Ok(windows) => {
            keeps_invariants(&windows.nest, Progress::Bounded(&windows.definitions), "bounds");
            Some(Scheduled { name: schedule.to_owned(), windows })
        }
        Err(faults) => {
            let error = |fault: &Fault| match fault {
                Fault::Unbounded(unbounded) => unbounded_access(nest, unbounded),
                Fault::Storage { func, span, message } => {
                    let error = Diagnostic::error(&codes::INVALID_SCHEDULE, *span, message.clone());
                    error.with_help(format!("the loops at this point:\n{}", around(nest, *func).trim_end()))
                }
            };
            for error in faults.iter().map(error) {
                if !diagnostics.iter().any(|known| known.span == error.span && known.code.name == error.code.name) {
                    diagnostics.push(error);
                }
            }
            None
        }
    }
}

/// The loops in which a func is computed, from the outermost func on.
fn around(nest: &Nest, func: FuncId) -> String {
    let mut text = String::new();
    nest.body.walk(&mut |s| {
        let is_it = |s: &Statement| matches!(s, Statement::Produce(id, _) if *id == func);
        let mut holds = false;
        s.walk(&mut |inner| holds |= is_it(inner));
        if text.is_empty() && holds && matches!(s, Statement::Produce(..)) {
            text = loops::print::statement(nest, s);
        }
    });
    text
}

/// The records of views that files and pipelines mention, and of buffers, if there are entries for other languages.
pub fn views(files: &[ast::File], entries: &Entries) -> Option<String> {
    let mut all: BTreeSet<(Element, usize)> = files.iter().flat_map(|file| file.views.iter().copied()).collect();
    for item in files.iter().flat_map(|file| &file.items) {
        let ast::ItemKind::Pipeline(pipeline) = &item.kind else { continue };
        // The types of outputs are known later; what is never used costs little.
        let ranks = pipeline.parts.iter().filter_map(|part| match &part.kind {
            ast::PipelinePartKind::Fun { variables, .. } => Some(variables.len()),
            _ => None,
        });
        for rank in ranks.chain(pipeline.parameters.iter().filter_map(|p| p.rank)).collect::<BTreeSet<_>>() {
            all.extend(Element::ALL.map(|element| (element, rank)));
        }
    }
    let mut declarations: String = all.into_iter().map(|(e, rank)| text::view_declaration(e, rank)).collect();
    if *entries != Entries::None {
        declarations += &entry::buffer_declarations();
    }
    (!declarations.is_empty()).then_some(declarations)
}

/// The function of a schedule, and the one that programs call.
fn generated(windows: &Windows, schedule: &str, pieces: Pieces) -> Generated {
    let mut made = text::write(windows, schedule, pieces);
    let name = library::schedule_function(&windows.nest.pipeline.name, schedule);
    let parameters: Vec<&str> = made.parameters.iter().map(|(_, name)| name.as_str()).collect();
    // Views of inputs may be `const`.
    let pipeline = &windows.nest.pipeline;
    let outputs: usize = pipeline.outputs.iter().map(|&id| pipeline.func(id).elements.len()).sum();
    let is_only_read = |k: usize, ty: &str| k >= outputs && !ty.ends_with("scalar");
    let declared = made.parameters.iter().enumerate().map(|(k, (ty, name))| match is_only_read(k, ty) {
        true => format!("const {ty} {name}"),
        false => format!("{ty} {name}"),
    });
    let declared: Vec<String> = declared.collect();
    let call = format!("{name}({})", parameters.join(", "));
    let _ = writeln!(made.text, "void {name}__run({}) {{\n    if ({call} != 0) __end(\"\");\n}}", declared.join(", "));
    made.lines.extend([windows.nest.pipeline.span; 3]);
    let name = format!("{}.{schedule}", windows.nest.pipeline.name);
    Generated { name, text: made.text, lines: made.lines, is_entry: false }
}

/// The function that gives the windows of the inputs of a schedule, and the one that programs call.
fn required(windows: &Windows, schedule: &str, pieces: Pieces) -> Generated {
    let mut made = text::write_required(windows, schedule, pieces);
    let pipeline = &windows.nest.pipeline;
    let name = library::schedule_function(&pipeline.name, schedule);
    let header = made.text.lines().nth(1).unwrap_or_default();
    let declared = header.split_once('(').and_then(|(_, rest)| rest.rsplit_once(')')).map_or("", |(list, _)| list).to_owned();
    let parameters: Vec<&str> = made.parameters.iter().map(|(_, name)| name.as_str()).collect();
    let call = format!("{name}__required({})", parameters.join(", "));
    let mut runs = vec![format!("{name}__required__run")];
    if schedule == "auto" {
        runs.push(format!("{}required__run", library::schedule_prefix(&pipeline.name)));
    }
    for run in runs {
        let _ = writeln!(made.text, "void {run}({declared}) {{\n    if ({call} != 0) __end(\"\");\n}}");
        made.lines.extend([pipeline.span; 3]);
    }
    let name = format!("{}.{schedule}.required", pipeline.name);
    Generated { name, text: made.text, lines: made.lines, is_entry: false }
}

/// The functions of a pipeline for other languages.
fn entries(signature: &Signature, wanted: &Entries) -> Option<Generated> {
    let mut text = String::new();
    match wanted {
        Entries::None => return None,
        Entries::All => {
            for (schedule, name) in signature.entries() {
                text += &entry::entry(signature, schedule, &name, Purpose::Run);
                text += &entry::entry(signature, schedule, &format!("{name}_required"), Purpose::Required);
            }
        }
        Entries::One { pipeline, schedule } => {
            if **pipeline != *signature.name {
                return None;
            }
            text += &entry::entry(signature, schedule, "ivl_entry_run_named", Purpose::Run);
            text += &entry::entry(signature, "breadth_first", "ivl_entry_window_named", Purpose::Required);
            text += &entry::array_entry(signature, "ivl_entry_run_named", RUN_ENTRY);
            text += &entry::array_entry(signature, "ivl_entry_window_named", WINDOW_ENTRY);
        }
    }
    let lines = vec![signature.span; text.lines().count()];
    Some(Generated { name: format!("{} for other languages", signature.name), text, lines, is_entry: true })
}

/// An access that nothing bounds: what is read, at what, the reads that lead from an output to it, and a clamp that would bound it.
fn unbounded_access(nest: &Nest, unbounded: &Unbounded) -> Diagnostic {
    let pipeline = &nest.pipeline;
    let index = loops::print::expression(nest, &unbounded.index);
    // As it is written in the language.
    let written = index.replace('[', "(").replace(']', ")");
    let (source, clamp) = match unbounded.source {
        Source::Func(id, _) => (format!("func `{}`", pipeline.func(id).name), format!("clamp({written}, 0, 255)")),
        Source::Input(id) => {
            let (name, d) = (&pipeline.input(id).name, unbounded.dimension);
            (format!("input `{name}`"), format!("clamp({written}, {name}.min({d}), {name}.min({d}) + {name}.extent({d}) - 1)"))
        }
    };
    let message = format!("nothing bounds dimension {} of {source}, which is read at `{index}`", unbounded.dimension);
    let mut error = Diagnostic::error(&codes::UNBOUNDED_ACCESS, unbounded.index.span(), message);
    let reader = &pipeline.func(unbounded.reader).name;
    error = error.with_secondary(unbounded.span, format!("`{reader}` reads it here"));
    for (func, read, span) in chain(pipeline, unbounded.reader) {
        let (func, read) = (&pipeline.func(func).name, &pipeline.func(read).name);
        error = error.with_secondary(span, format!("`{func}` reads `{read}` here"));
    }
    // The text may be that of a definition that is read elsewhere, with other arguments; then there is only the help.
    let text = unbounded.index.span();
    let (before, behind) = clamp.split_once(&written).unwrap_or_default();
    let is_there = text.start < text.end && unbounded.span.start <= text.start && text.end <= unbounded.span.end;
    let edits = is_there.then(|| vec![Edit::before(text, before), Edit::behind(text, behind)]);
    error.with_change(format!("clamp it: `{clamp}`"), edits)
}

/// The reads by which an output asks for a func, the one of this func first: who reads whom, and where.
fn chain(pipeline: &Pipeline, wanted: expr::FuncId) -> Vec<(expr::FuncId, expr::FuncId, Span)> {
    let mut reads: Vec<(expr::FuncId, expr::FuncId, Span)> = Vec::new();
    for (id, func) in pipeline.numbered_funcs() {
        func.reads(&mut |source, _, span| match source {
            Source::Func(read, _) if read != id => reads.push((id, read, span)),
            Source::Func(..) | Source::Input(_) => {}
        });
    }
    // A func is read by later ones only, so that this ends.
    let mut found = Vec::new();
    let mut at = wanted;
    while !pipeline.outputs.contains(&at)
        && let Some(&step) = reads.iter().find(|(_, read, _)| *read == at)
    {
        found.push(step);
        at = step.0;
    }
    found
}
