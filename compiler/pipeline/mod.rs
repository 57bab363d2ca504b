//! Pipelines: algorithm, schedule and bounds, compiled to functions of the typed program.
//!
//! ```text
//! tree ─expand─► tree without stage zero ─build─► algorithm ─loops::lower─► loops with holes ─directives─► loops ─bounds─► loops ─passes─► loops ─lower─► typed functions
//!                   └ evaluate: what it means                               └ interpret
//! ```
//! The stages are those of *Formal Semantics for the Halide Language*: the algorithm (section 4) says what is computed, lowering
//! (section 6) gives loops whose bounds are holes, directives (section 8) rewrite them, bounds inference (section 7) fills the
//! holes. What comes out are functions of the typed program, which go through the same stages as all others.
//!
//! * [`expr`], [`value`]: expressions, the values 𝕍 and what operators do with them. [`simplify`]: those of integers in a normal form.
//! * [`expand`], [`plain`]: stage zero, and what it leaves.
//! * [`algorithm`], [`build`], [`evaluate`]: figure 5, Definitions 4.2 and 4.5, figure 6.
//! * [`associative`]: updates whose iterations may run in any order.
//! * [`limits`]: how far coordinates are from 0, and what follows from it.
//! * [`loops`]: figures 7, 8 and 9. [`bounds`]: figure 10.
//! * [`directives`]: figure 12.
//! * [`passes`]: optimisations of completed nests.
//! * [`lower`]: a completed nest as a function. [`emit`]: as source text. [`signature`]: what its callers know.
//! * [`picture`]: what a run does with the windows. [`wraps`]: which values did not fit.

pub mod algorithm;
pub mod associative;
pub mod bounds;
pub mod build;
pub mod directives;
pub mod emit;
pub mod evaluate;
pub mod expand;
pub mod expr;
mod facts;
pub mod limits;
pub mod loops;
pub mod lower;
pub mod passes;
pub mod picture;
pub mod plain;
pub mod signature;
pub mod simplify;
#[cfg(test)]
mod tests;
pub mod text;
pub mod value;
mod wide;
pub mod wraps;

use crate::check::schedules::{Asked, Parameter, Purpose, Refusal, Schedules, Target, Wanted};
use crate::check::{self, ScalarExpressions};
use crate::diagnostics::{Diagnostic, Diagnostics, Edit, codes};
use crate::source::Span;
use crate::typed::ir::{FunctionId, Program};
use algorithm::{Notation, Pipeline};
use bounds::infer::{Fault, Unbounded, Windows};
pub use directives::Outputs;
use directives::Vectors;
use evaluate::Arguments;
use expr::{FuncId, Source, Variable};
use loops::in_place::is_in_place;
use loops::interpret::{Event, Run, Stuck, observe};
use loops::ir::{Nest, Statement};
use loops::verify::{Progress, keeps_invariants};
use lower::entry;
use plain::Plain;
use rustc_hash::FxHashMap;
use signature::Signature;
use std::cell::RefCell;
use std::rc::Rc;

/// Which functions for other languages there are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Entries {
    /// None.
    #[default]
    None,
    /// `P_S` and `P_S_required` for each schedule of each pipeline, and `P` and `P_required` for the automatic one.
    All,
    /// The same for these schedules, `S` or `P.S`; for a pipeline of which none is named, those that are written, and `auto` where
    /// there is none.
    Asked(Vec<String>),
    /// [`RUN_ENTRY`] of one schedule, and [`WINDOW_ENTRY`]: what the algorithm itself requires.
    One {
        /// The pipeline.
        pipeline: String,
        /// Its schedule.
        schedule: String,
    },
}

impl Entries {
    /// Which schedules of a pipeline programs of other languages may run, where these are written.
    fn exported(&self, pipeline: &str, written: &[String]) -> Vec<String> {
        let implied = || IMPLIED.map(str::to_owned).into_iter();
        let asked = match self {
            Entries::None | Entries::One { .. } => return Vec::new(),
            Entries::All => return implied().chain(written.iter().cloned()).collect(),
            Entries::Asked(asked) => asked,
        };
        let is_asked = |name: &String| asked.iter().any(|asked| is_meant(asked, pipeline, name));
        let named: Vec<String> = implied().chain(written.iter().cloned()).filter(is_asked).collect();
        match (named.is_empty(), written.is_empty()) {
            (false, _) => named,
            (true, false) => written.to_vec(),
            (true, true) => vec![AUTO.to_owned()],
        }
    }
}

/// Does `S`, or `P.S`, mean this schedule of a pipeline?
fn is_meant(asked: &str, pipeline: &str, schedule: &str) -> bool {
    asked == schedule || asked.split_once('.') == Some((pipeline, schedule))
}

/// Runs a schedule, with an array of pointers to the arguments.
pub const RUN_ENTRY: &str = "ivl_entry_run";
/// Gives the input windows that the schedule `breadth_first`, which computes nothing beyond what is asked for, requires.
pub const WINDOW_ENTRY: &str = "ivl_entry_window";

/// A schedule of a pipeline, completed.
#[derive(Clone, Debug)]
pub struct Scheduled {
    /// The name of the schedule.
    pub name: String,
    /// Its loops and their windows.
    pub windows: Windows,
}

impl Scheduled {
    /// What the callers ask of the outputs, where these windows, of which dimensions have minimum and extent, are asked for.
    fn asked(&self, windows: &[Vec<(i64, i64)>]) -> Vec<(Variable, i64)> {
        let outputs = self.windows.outputs.iter().zip(windows);
        let dimensions = outputs.flat_map(|(output, window)| output.window.iter().zip(window));
        dimensions.flat_map(|(&[min, extent], &(m, e))| [(min, m), (extent, e)]).collect()
    }

    /// Runs its loops in the interpreter, which tells what it does.
    fn observed(
        &self,
        program: &Program,
        arguments: &Arguments,
        asked: &[(Variable, i64)],
        observer: &mut dyn FnMut(Event<'_>),
    ) -> Result<Run, Stuck> {
        let nest = bounds::fill::fill(&self.windows, &bounds::checks::start_checks(&self.windows));
        observe(&nest, program, arguments, asked, observer)
    }
}

/// The pipelines of some files.
#[derive(Clone, Debug, Default)]
pub struct Scheduling {
    /// All schedules of all pipelines: `auto`, `breadth_first`, then those of the files.
    pub schedules: Vec<Scheduled>,
    /// The scalar functions that they call.
    pub program: Program,
}

/// A schedule of a pipeline, by their names.
#[derive(Clone, Debug)]
struct Made {
    pipeline: Rc<str>,
    schedule: Rc<str>,
    /// Its loops and their windows, unless it was refused.
    windows: Option<Rc<Windows>>,
}

/// The pipelines of a program, for those who call them. The schedules that are written are all checked; `auto` and `breadth_first` are
/// made where somebody asks for them, and `auto` where there is no other.
#[derive(Debug)]
pub struct Pipelines {
    pipelines: Vec<Rc<Pipeline>>,
    /// The schedules that are known so far.
    schedules: RefCell<Vec<Made>>,
    /// What they take and give.
    signatures: Vec<Signature>,
    /// The functions for other languages.
    entries: Entries,
    vectors: Vectors,
    /// The instances that were asked for when the program was expanded.
    instances: Vec<(Asked, Option<Rc<str>>)>,
    /// Those that are missing.
    missing: RefCell<Vec<Asked>>,
}

impl Pipelines {
    /// Schedules algorithms: those of the files, and what other notations have made.
    pub fn new(
        pipelines: Vec<Rc<Pipeline>>,
        plain: &Plain,
        options: &check::Options,
        entries: Entries,
        diagnostics: &mut Diagnostics,
    ) -> Self {
        let vectors = Vectors::of(options);
        let mut schedules = written(plain, &pipelines, Outputs::AsAsked, vectors, diagnostics);
        let mut signatures = Vec::new();
        for pipeline in &pipelines {
            let of = |made: &&Made| made.pipeline == pipeline.name && made.windows.is_some();
            let mut names: Vec<String> = schedules.iter().filter(of).map(|made| made.schedule.to_string()).collect();
            // An instance that the program alone calls has no name for others.
            let is_inner = pipeline.name.contains('<');
            let exported = if is_inner { Vec::new() } else { entries.exported(&pipeline.name, &names) };
            if names.is_empty() {
                let auto = implied(pipeline, AUTO, vectors, diagnostics);
                let is_refused = auto.windows.is_none();
                schedules.push(auto);
                if is_refused {
                    continue;
                }
            }
            names.splice(0..0, IMPLIED.map(str::to_owned));
            signatures.push(Signature { exported, ..Signature::new(pipeline, names) });
        }
        let (instances, missing) = (plain.instances.clone(), RefCell::default());
        Pipelines { pipelines, schedules: RefCell::new(schedules), signatures, entries, vectors, instances, missing }
    }

    /// The instances that were asked for and are not there: when the program is expanded with them, and checked again, they are.
    pub fn missing(&self) -> Vec<Asked> {
        self.missing.borrow().clone()
    }

    /// What they take and give.
    pub fn signatures(&self) -> &[Signature] {
        &self.signatures
    }

    /// The exported schedules as a file of the language.
    ///
    /// # Errors
    /// What the language has no words for, as a message.
    pub fn source(&self, program: &emit::Program<'_>) -> Result<String, String> {
        let known = self.schedules.borrow();
        let mut schedules = Vec::new();
        for signature in &self.signatures {
            for schedule in &signature.exported {
                let is_it = |made: &&Made| *made.pipeline == *signature.name && *made.schedule == **schedule;
                let windows = known.iter().find(is_it).and_then(|made| made.windows.as_deref());
                let function = format!("{}_{schedule}", signature.name);
                schedules.extend(windows.map(|windows| emit::Printed { schedule, function, windows }));
            }
        }
        emit::file(&schedules, program)
    }

    /// Has a pipeline this schedule: `S`, or `P.S` of pipeline P?
    pub fn has_schedule(&self, asked: &str) -> bool {
        let has = |signature: &Signature| signature.schedules.iter().any(|name| is_meant(asked, &signature.name, name));
        self.signatures.iter().any(has)
    }

    fn signature(&self, pipeline: &str) -> Option<&Signature> {
        self.signatures.iter().find(|signature| *signature.name == *pipeline)
    }

    /// The windows of a schedule; `None` of one that is refused.
    fn windows(&self, wanted: &Wanted, target: &mut dyn Target) -> Option<Rc<Windows>> {
        let is_it = |made: &&Made| made.pipeline == wanted.pipeline && made.schedule == wanted.schedule;
        if let Some(known) = self.schedules.borrow().iter().find(is_it) {
            return known.windows.clone();
        }
        let pipeline = self.pipelines.iter().find(|pipeline| pipeline.name == wanted.pipeline).expect("a pipeline");
        let made = implied(pipeline, &wanted.schedule, self.vectors, target.diagnostics());
        self.schedules.borrow_mut().push(made.clone());
        made.windows
    }
}

impl Schedules for Pipelines {
    fn instance(&self, asked: &Asked) -> Option<Rc<str>> {
        let is_it = |known: &Asked| known.pipeline == asked.pipeline && known.values == asked.values;
        if let Some((_, name)) = self.instances.iter().find(|(known, _)| is_it(known)) {
            return name.clone();
        }
        let mut missing = self.missing.borrow_mut();
        if !missing.iter().any(is_it) {
            missing.push(asked.clone());
        }
        None
    }

    fn parameters(&self, pipeline: &str) -> Option<(Vec<Parameter>, Span)> {
        let signature = self.signature(pipeline)?;
        Some((signature.passed(), signature.span))
    }

    fn schedules(&self, pipeline: &str) -> Vec<Rc<str>> {
        let schedules = self.signature(pipeline).map_or(&[][..], |signature| &signature.schedules);
        schedules.iter().map(|name| name.as_str().into()).collect()
    }

    fn entries(&self, target: &mut dyn Target) -> Vec<FunctionId> {
        let mut made = Vec::new();
        for signature in &self.signatures {
            match &self.entries {
                Entries::None => {}
                Entries::All | Entries::Asked(_) => {
                    // A schedule that has two names is one function, and another that calls it.
                    let mut known: FxHashMap<&str, [FunctionId; 2]> = FxHashMap::default();
                    for (schedule, name) in signature.entries() {
                        let names = [name.clone(), format!("{name}_required")];
                        let own = match known.get(schedule) {
                            Some(&same) => [0, 1].map(|k| entry::alias(same[k], &names[k], target)),
                            None => [(0, Purpose::Run), (1, Purpose::Required)]
                                .map(|(k, purpose)| entry::entry(signature, schedule, &names[k], purpose, target)),
                        };
                        known.entry(schedule).or_insert(own);
                        made.extend(own);
                    }
                }
                Entries::One { pipeline, schedule } if **pipeline == *signature.name => {
                    let run = entry::entry(signature, schedule, "ivl_entry_run_named", Purpose::Run, target);
                    let window = entry::entry(signature, "breadth_first", "ivl_entry_window_named", Purpose::Required, target);
                    made.extend([run, window]);
                    made.push(entry::array_entry(signature, run, RUN_ENTRY, target));
                    made.push(entry::array_entry(signature, window, WINDOW_ENTRY, target));
                }
                Entries::One { .. } => {}
            }
        }
        made
    }

    fn with_buffers(&self, callee: FunctionId, name: &str, target: &mut dyn Target) -> FunctionId {
        entry::with_buffers(callee, name, target)
    }

    fn lower(&self, wanted: &Wanted, function: FunctionId, target: &mut dyn Target) {
        match (wanted.refusal, wanted.purpose) {
            (Refusal::EndProgram, _) => {
                let status = target.scheduled(&Wanted { refusal: Refusal::Status, ..wanted.clone() });
                let signature = self.signature(&wanted.pipeline);
                let notation = signature.map(|signature| signature.notation).unwrap_or_default();
                lower::or_end(status, function, notation, target);
            }
            (Refusal::Status, purpose) => match (self.windows(wanted, target), purpose) {
                (None, _) => lower::refused(function, target),
                (Some(windows), Purpose::Run) => lower::run(&windows, wanted, function, target),
                (Some(windows), Purpose::Required) => lower::required(&windows, wanted, function, target),
            },
        }
    }
}

/// Schedules algorithms; `program` has the scalar functions that they call.
pub fn schedule(
    pipelines: &[Rc<Pipeline>],
    plain: &Plain,
    program: Program,
    vectors: Vectors,
    outputs: Outputs,
    diagnostics: &mut Diagnostics,
) -> Scheduling {
    let mut made = Vec::new();
    for pipeline in pipelines {
        made.extend(IMPLIED.map(|name| implied(pipeline, name, vectors, diagnostics)));
    }
    made.extend(written(plain, pipelines, outputs, vectors, diagnostics));
    let scheduled = |made: Made| Some(Scheduled { name: made.schedule.to_string(), windows: (*made.windows?).clone() });
    Scheduling { schedules: made.into_iter().filter_map(scheduled).collect(), program }
}

/// The algorithms of the files, in a scope that knows their names.
pub fn algorithms<'a>(plain: &'a Plain, scope: &mut ScalarExpressions<'a>) -> Vec<Rc<Pipeline>> {
    let mut built: Vec<Rc<Pipeline>> = Vec::new();
    for pipeline in &plain.pipelines {
        let fp = scope.fp_mode(&pipeline.attributes);
        built.extend(build::build(pipeline, fp, scope).map(Rc::new));
    }
    built
}

/// The automatic schedule.
const AUTO: &str = "auto";
/// The schedules that every pipeline has.
const IMPLIED: [&str; 2] = [AUTO, "breadth_first"];

/// A schedule that every pipeline has.
fn implied(pipeline: &Rc<Pipeline>, schedule: &str, vectors: Vectors, diagnostics: &mut Diagnostics) -> Made {
    let nest = if schedule == AUTO { directives::auto(pipeline, vectors) } else { loops::lower::lower(pipeline, &[]) };
    Made { pipeline: pipeline.name.clone(), schedule: schedule.into(), windows: completed(&nest, diagnostics).map(Rc::new) }
}

/// The schedules that are written.
fn written(
    plain: &Plain,
    pipelines: &[Rc<Pipeline>],
    outputs: Outputs,
    vectors: Vectors,
    diagnostics: &mut Diagnostics,
) -> Vec<Made> {
    let mut made: Vec<Made> = Vec::new();
    for schedule in &plain.schedules {
        let (of, name) = (&schedule.pipeline, &schedule.name);
        let mut refuse = |code, span, message: String| diagnostics.push(Diagnostic::error(code, span, message));
        let Some(pipeline) = pipelines.iter().find(|pipeline| pipeline.name == of.text) else {
            let is_refused = plain.pipelines.iter().any(|pipeline| pipeline.name.text == of.text);
            if !is_refused && !plain.declared.contains(&of.text) {
                refuse(&codes::UNKNOWN_NAME, of.span, format!("there is no pipeline `{}`", of.text));
            }
            continue;
        };
        if &*name.text == "required" {
            let message = "`required` is the name of what gives the windows of the inputs";
            refuse(&codes::DUPLICATE_NAME, name.span, message.to_owned());
            continue;
        }
        let is_known = made.iter().any(|known| known.pipeline == pipeline.name && known.schedule == name.text);
        if is_known || IMPLIED.contains(&&*name.text) {
            let message = format!("pipeline `{}` has a schedule `{}` already", pipeline.name, name.text);
            refuse(&codes::DUPLICATE_NAME, name.span, message);
            continue;
        }
        let nest = directives::apply(pipeline, schedule, outputs, vectors, diagnostics);
        let windows = nest.and_then(|nest| completed(&nest, diagnostics)).map(Rc::new);
        made.push(Made { pipeline: pipeline.name.clone(), schedule: name.text.clone(), windows });
    }
    made
}

/// May loops compute points beyond those of the statements? Partial results hide the conditions under which something is read.
fn goes_beyond(nest: &Nest) -> bool {
    let is_beyond = |bound: &loops::ir::Bound| {
        let range = nest.pipeline.ranges.get(&bound.func).map(|range| &range[bound.dimension]);
        let loops::ir::BoundKind::Window { min, length } = &bound.kind else { return true };
        range.is_none_or(|[begin, end]| !min.is_same(begin) || !length.is_same(&simplify::minus(end, begin)))
    };
    nest.pipeline.funcs.iter().any(|func| func.is_partial) || !nest.overcomputed.is_empty() || nest.bounds.iter().any(is_beyond)
}

/// A nest of an algorithm with its windows; what nothing bounds is reported once.
fn completed(nest: &Nest, diagnostics: &mut Diagnostics) -> Option<Windows> {
    let mut nest = loops::prune::prune(nest);
    if goes_beyond(&nest) {
        nest = loops::look_ups::hold_inside(&nest);
    }
    let nest = &nest;
    keeps_invariants(nest, Progress::Scheduled, "prune");
    match bounds::infer::infer(nest) {
        Ok(windows) => {
            for &(input, output) in &nest.pipeline.inout {
                if is_in_place(&windows.nest, output, input) {
                    continue;
                }
                let name = &nest.pipeline.input(input).name;
                let message = format!("`{name}` is overwritten before its old value has been read everywhere");
                let error = Diagnostic::error(&codes::INVALID_SCHEDULE, nest.pipeline.func(output).span, message);
                diagnostics.push(error.with_help("compute what reads the old value at the root, in front of it"));
                return None;
            }
            keeps_invariants(&windows.nest, Progress::Bounded(&windows.definitions), "bounds");
            Some(windows)
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
    let is_around = |s: &Statement| matches!(s, Statement::Produce(..)) && s.any(&|s| s.produces(func));
    nest.body.find(&is_around).map(|s| loops::print::statement(nest, s)).unwrap_or_default()
}

/// An access that nothing bounds: what is read, at what, the reads that lead from an output to it, and a clamp that would bound it.
fn unbounded_access(nest: &Nest, unbounded: &Unbounded) -> Diagnostic {
    let pipeline = &nest.pipeline;
    let written = text::expression(pipeline, &|v| nest.name(v).to_owned(), &unbounded.index);
    let source = pipeline.called(unbounded.source);
    let d = pipeline.axis(pipeline.rank(unbounded.source), unbounded.dimension);
    let clamp = match unbounded.source {
        Source::Func(..) => format!("clamp({written}, 0, 255)"),
        Source::Input(id) => {
            let name = &pipeline.input(id).name;
            match pipeline.notation {
                Notation::Pipeline => format!("clamp({written}, {name}.min({d}), {name}.min({d}) + {name}.extent({d}) - 1)"),
                Notation::Tensors => format!("clamp({written}, 0, {name}.{d} - 1)"),
            }
        }
    };
    let message = format!("nothing bounds dimension {d} of {source}, which is read at `{written}`");
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
fn chain(pipeline: &Pipeline, wanted: FuncId) -> Vec<(FuncId, FuncId, Span)> {
    let (mut found, mut at) = (Vec::new(), wanted);
    // A func is read by later ones only, so that this ends.
    while !pipeline.outputs.contains(&at)
        && let Some((reader, span)) = pipeline.reader_of(at)
    {
        found.push((reader, at, span));
        at = reader;
    }
    found
}
