//! One definition with its schedules: enumeration, the evaluator, the interpreter of loops and machine code agree, on what is given and on
//! what is refused when it is called.
//!
//! Machine code runs through the entry of `ivlc run`, on tensors beside pages that nobody may touch, whose elements lie side by side, apart
//! or backwards (T6). What is refused has written nothing (T18).

use super::brute::{Nothing, Run, Tensor, points};
use super::images::Image as Memory;
use super::number::Number;
use super::signals;
use ivl::Buffer;
use ivl_random::Random;
use ivlc::driver::{Options, Session};
use ivlc::pipeline::algorithm::Pipeline;
use ivlc::pipeline::bounds::fill::completed;
use ivlc::pipeline::evaluate::{Arguments, Evaluator, Image};
use ivlc::pipeline::expr::{Expr, Source, Variable};
use ivlc::pipeline::loops::check::Subject;
use ivlc::pipeline::loops::interpret::{Event, Stuck, interpret, observe};
use ivlc::pipeline::loops::ir::{Nest, Statement};
use ivlc::pipeline::loops::{self, print};
use ivlc::pipeline::value::Value;
use ivlc::pipeline::{Entries, Outputs, RUN_ENTRY, Scheduled, Scheduling};
use ivlc::syntax::ast::Def;
use ivlc::typed::ir::Program;
use ivlc::vector::ir::Module;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A definition of a text, its arguments in the order of its parameters, and how it is looked at.
pub struct Case<'t> {
    /// The name of the file, whose folder others are looked for in.
    pub file: &'t str,
    /// All definitions and schedules.
    pub text: &'t str,
    /// The definitions, read.
    pub defs: &'t [Def],
    /// The one that is called.
    pub name: &'t str,
    /// Its arguments.
    pub given: &'t [Tensor],
    /// At what level machine code is made, if it is.
    pub level: Option<u8>,
    /// A mistake of enumeration: ranges that are found end so much later.
    pub longer: i64,
    /// A mistake of the compiler.
    pub mistake: Option<Mistake<'t>>,
}

/// A mistake of the compiler, and which of its steps makes it.
#[derive(Clone, Copy)]
pub enum Mistake<'t> {
    /// The algorithm has it, and the evaluator alone runs it; false where there is nothing to make it in.
    Algorithm(&'t dyn Fn(&mut Pipeline) -> bool),
    /// The loops have it, and their interpreter alone runs them.
    Loops(&'t dyn Fn(&Nest) -> Nest),
    /// The module has it that machine code is made of, which runs where the mistake changes something.
    Code(&'t dyn Fn(&mut Module)),
}

/// How it went.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Schedules that agree.
    pub pairs: u64,
    /// Values that were compared, over all schedules and oracles.
    pub values: u64,
    /// Values of which nothing is known: what floats decide that may be equal, and what is too large.
    pub doubtful: u64,
    /// Why it is refused when it is compiled.
    pub refused: Option<String>,
    /// Was it refused when it was called, by all?
    pub is_stopped: bool,
    /// Written schedules that ask for more than there is.
    pub asking: u64,
    /// Written schedules that are refused, and whose loops would do right without what refuses them.
    pub cautious: Vec<String>,
    /// Was a range empty?
    pub was_empty: bool,
    /// Schedules in which the mistake of the compiler has changed something.
    pub planted: u64,
    /// What machine code gave, for each schedule all results in a row.
    pub bits: Vec<Vec<u64>>,
}

/// A session with a text.
pub fn loaded(file: &str, text: &str) -> Session {
    let mut session = Session::default();
    let path = std::path::Path::new("examples/tensors").join(file);
    session.load_text(file.into(), Some(&path), text.to_owned());
    session
}

/// The first error of a session, with its code.
pub fn error(session: &Session) -> Option<(String, String)> {
    let mut errors = session.diagnostics.iter().filter(|d| d.severity == ivlc::diagnostics::Severity::Error);
    errors.next().map(|d| (d.code.name.to_owned(), d.message.clone()))
}

/// Why definitions and schedules are refused: the code and the message of the first error.
pub fn why_refused(text: &str) -> Option<(String, String)> {
    let mut session = loaded("random.ivl", text);
    let made = catch_unwind(AssertUnwindSafe(|| session.scheduling(&super::options(), Outputs::AsAsked)));
    // A panic is found once more where the text is run.
    made.ok().and_then(|_| error(&session))
}

/// [`run`], of which a panic is an error.
pub fn run_safely(case: &Case) -> Result<Outcome, String> {
    catch_unwind(AssertUnwindSafe(|| run(case))).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned().or_else(|| panic.downcast_ref::<&str>().map(|t| (*t).to_owned()));
        Err(format!("a panic: {}", text.unwrap_or_default()))
    })
}

/// What a call has: arguments for the interpreters, the windows of the outputs, and what they are to be.
struct Wanted<'t> {
    inputs: Arguments,
    /// For each output, in the order of the algorithm and of the text.
    windows: Vec<Vec<(i64, i64)>>,
    /// What enumeration has; nothing if the call is refused.
    tensors: Option<Vec<&'t Tensor>>,
    /// May it be refused, for a range that is empty, or for what no result needs?
    was_empty: bool,
}

/// Looks at a definition; an error says what differs.
pub fn run(case: &Case) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let def = case.defs.iter().find(|def| &*def.name.text == case.name).expect("a definition of the text");
    let made = {
        let mut session = loaded(case.file, case.text);
        let made = session.scheduling(&super::options(), Outputs::AsAsked);
        if let Some((code, message)) = error(&session) {
            outcome.refused = Some(format!("{code}: {message}"));
            return Ok(outcome);
        }
        made
    };
    let own: Vec<&Scheduled> = made.schedules.iter().filter(|s| &*s.windows.nest.pipeline.name == case.name).collect();
    assert!(own.len() >= 2, "`auto` and `breadth_first`");
    let mut pipeline = Pipeline::clone(&own[0].windows.nest.pipeline);
    let mut by_points = Run::new(case.defs, def, case.given.to_vec());
    (by_points.may_be_empty, by_points.longer) = (true, case.longer);
    let ended = by_points.run(def);
    outcome.was_empty = by_points.was_empty;
    // Who breaks his word may read anything.
    let is_outside = matches!(ended, Err(Nothing::Outside(_))) || by_points.may_stop;
    if is_outside && case.text.contains("unchecked(") {
        return Ok(outcome);
    }
    let inputs = arguments(def, case.given);
    if let Some(Mistake::Algorithm(make)) = case.mistake
        && !make(&mut pipeline)
    {
        return Ok(outcome);
    }
    let mut evaluator = Evaluator::new(&pipeline, &made.program, &inputs);
    let mut windows = Vec::new();
    for id in &pipeline.outputs {
        // The text counts dimensions from the outermost one.
        let ends = pipeline.ranges[id].iter().rev();
        let mut int = |e: &Expr| evaluator.startup_value(e).ok_or("an end of a range has no value");
        let window = ends.map(|[begin, end]| Ok((int(begin)?, int(end)?)));
        windows.push(window.collect::<Result<Vec<_>, &str>>()?);
    }
    let tensors = match &ended {
        Ok(()) => {
            let overwritten = def.parameters.iter().filter(|parameter| parameter.inout.is_some()).map(|p| &p.name);
            let names = overwritten.chain(def.results.iter().map(|result| &result.name));
            Some(names.map(|name| &by_points.tensors[&*name.text]).collect::<Vec<_>>())
        }
        Err(Nothing::Outside(_) | Nothing::Differs(_)) => None,
        // What no result needs is not run, and something later has asked for its points.
        Err(_) if by_points.may_stop => return Ok(outcome),
        Err(other @ (Nothing::Open(_) | Nothing::Empty)) => return Err(format!("accepted, and by enumeration {other:?}")),
    };
    for (window, tensor) in windows.iter().zip(tensors.iter().flatten()) {
        for (own, wanted) in window.iter().zip(&tensor.window) {
            // Of an index beside one without values anything may be said.
            if by_points.was_empty && own != wanted {
                return Ok(outcome);
            }
            let agrees = if wanted.1 > wanted.0 { own == wanted } else { own.1 <= own.0 };
            if !agrees {
                return Err(format!("the window is {window:?}, not {:?}", tensor.window));
            }
        }
    }
    // What enumeration stops at may be all that an empty result asks for.
    let is_empty = tensors.is_none() && windows.iter().any(|window| window.iter().any(|(begin, end)| end <= begin));
    let was_empty = by_points.was_empty || by_points.may_stop || is_empty;
    let wanted = Wanted { inputs, windows, tensors, was_empty };
    if wanted.tensors.is_some() && !matches!(case.mistake, Some(Mistake::Loops(_) | Mistake::Code(_))) {
        by_evaluator(&pipeline, &made.program, &wanted, &mut outcome)?;
    }
    if let Some(Mistake::Algorithm(_)) = case.mistake {
        return Ok(outcome);
    }
    let mut is_stopped = false;
    for scheduled in own {
        let text = case.text;
        let schedule = || {
            let name = format!("schedule {}.{} ", case.name, scheduled.name);
            text.lines().find(|line| line.starts_with(&name)).unwrap_or(&scheduled.name).to_owned()
        };
        let refused = by_loops(case, scheduled, &made, &wanted, &mut outcome).map_err(|e| format!("{}: {e}", schedule()))?;
        match &refused {
            None => outcome.pairs += 1,
            Some(_) if wanted.tensors.is_none() || wanted.was_empty => is_stopped = true,
            // Written schedules may ask for more than there is, where tails round, where partial results hide what conditions keep inside,
            // and where too little is asserted of a window.
            Some(why) if scheduled.name.starts_with('s') => match asks_for_more(scheduled, &made, &wanted) {
                Asks::ForMore => outcome.asking += 1,
                Asks::ForNothing => outcome.cautious.push(format!("{}: {why}", schedule())),
                Asks::For(why) => return Err(format!("{}: refused by what no schedule changes: {why}", schedule())),
            },
            Some(why) => return Err(format!("{}: refused: {why}", schedule())),
        }
        if let Some(level) = case.level {
            by_code(case, &scheduled.name, level, &wanted, refused.as_deref(), &mut outcome, false)
                .map_err(|e| format!("{}: machine code: {e}", schedule()))?;
        }
        outcome.pairs += u64::from(refused.is_some() && wanted.tensors.is_none());
    }
    outcome.is_stopped = is_stopped;
    Ok(outcome)
}

/// Tensors and numbers as the interpreters take them: dimensions are counted from the dense one on.
fn arguments(def: &Def, given: &[Tensor]) -> Arguments {
    let (mut inputs, mut scalars) = (Vec::new(), Vec::new());
    for (parameter, tensor) in def.parameters.iter().zip(given) {
        let bits = tensor.values.iter().map(|v| v.bits(tensor.element));
        if parameter.ty.sizes.is_empty() {
            scalars.extend(bits);
            continue;
        }
        let window = tensor.window.iter().rev().map(|&(b, e)| (b, e - b)).collect();
        let mut image = Image::new(tensor.element, window);
        image.pixels = bits.collect();
        inputs.push(image);
    }
    Arguments { inputs, scalars }
}

impl Outcome {
    /// Notes one value that was found.
    fn compare(
        &mut self,
        what: &str,
        k: usize,
        point: &[i64],
        found: Option<u64>,
        tensor: &Tensor,
        number: Number,
    ) -> Result<(), String> {
        self.values += 1;
        self.doubtful += u64::from(!number.is_known());
        if found.is_some_and(|found| number.is_near(found, tensor.element)) {
            return Ok(());
        }
        let (found, wanted) =
            (found.map_or("nothing".to_owned(), |bits| shown(bits, tensor)), shown(number.bits(tensor.element), tensor));
        Err(format!("{what}: result {k} at {point:?}: {found}, not {wanted} ± {:e}", number.error))
    }
}

fn shown(bits: u64, tensor: &Tensor) -> String {
    use ivlc::types::Element;
    match tensor.element {
        Element::Float16 => ivl::Float16::from_bits(bits as u16).to_f32().to_string(),
        Element::Float => f32::from_bits(bits as u32).to_string(),
        Element::Double => f64::from_bits(bits).to_string(),
        element => ivlc::typed::interpret::scalar::integer(element, bits).to_string(),
    }
}

fn reversed(point: &[i64]) -> Vec<i64> {
    point.iter().rev().copied().collect()
}

fn by_evaluator(pipeline: &Pipeline, program: &Program, wanted: &Wanted, outcome: &mut Outcome) -> Result<(), String> {
    let mut evaluator = Evaluator::new(pipeline, program, &wanted.inputs);
    for (k, tensor) in wanted.tensors.iter().flatten().enumerate() {
        for (point, &number) in points(&tensor.window).iter().zip(&tensor.values) {
            let found = evaluator.at(pipeline.outputs[k], &reversed(point))[0].bits();
            // A range that is empty may be one that is negative.
            if found.is_none() && wanted.was_empty {
                return Ok(());
            }
            outcome.compare("the evaluator", k, point, found, tensor, number)?;
        }
    }
    Ok(())
}

/// What a schedule asks for that is refused.
enum Asks {
    /// For a place outside of a tensor, or of a window, or for a loop that cannot be.
    ForMore,
    /// For nothing that is not there, in this call.
    ForNothing,
    /// For what other schedules ask for as well: why it is refused.
    For(String),
}

/// Runs the loops of a schedule without the start checks that schedules may fail.
fn asks_for_more(scheduled: &Scheduled, made: &Scheduling, wanted: &Wanted) -> Asks {
    let nest = completed(&scheduled.windows);
    let without = |is_gone: fn(Subject) -> bool| {
        let is_it = |s: &Statement| matches!(s, Statement::Assert(check) if is_gone(check.subject));
        Nest { body: nest.body.without(&mut |s| is_it(s)), ..nest.clone() }
    };
    let run = |nest: &Nest, watch: &mut dyn FnMut(Event<'_>)| {
        observe(nest, &made.program, &wanted.inputs, &asked(scheduled, wanted), watch)
    };
    let is_of_windows =
        |subject| matches!(subject, Subject::Bound(_) | Subject::Fit(_) | Subject::Output(..) | Subject::Input(..));
    // Of numbers that cannot be no loops are made.
    let all_but_numbers = |subject| !matches!(subject, Subject::Factor(_) | Subject::Fold(_) | Subject::Modulus(_));
    if let Err(Stuck::Assertion(_)) = run(&without(all_but_numbers), &mut |_| {}) {
        return Asks::ForMore;
    }
    let mut leaves = false;
    let outputs = &nest.pipeline.outputs;
    // What is stored there, and what a loop that goes too far reads there, is the caller's memory.
    let mut watch = |event: Event<'_>| {
        let (Event::Store(func, _, point) | Event::Load(Source::Func(func, _), point)) = event else { return };
        if let Some(k) = outputs.iter().position(|id| *id == func) {
            leaves |= point.iter().zip(wanted.windows[k].iter().rev()).any(|(at, (begin, end))| at < begin || at >= end);
        }
    };
    match run(&without(is_of_windows), &mut watch) {
        Ok(run) if !leaves && compare_loops(&run, wanted, &mut Outcome::default()).is_ok() => Asks::ForNothing,
        Ok(_) => Asks::ForMore,
        Err(Stuck::Assertion(why)) => Asks::For(why),
        Err(_) => Asks::ForMore,
    }
}

/// The windows of results, as the interpreter of loops takes them.
fn asked(scheduled: &Scheduled, wanted: &Wanted) -> Vec<(Variable, i64)> {
    let outputs = scheduled.windows.outputs.iter().zip(&wanted.windows);
    outputs
        .flat_map(|(output, window)| output.window.iter().zip(window.iter().rev()))
        .flat_map(|(&[min, extent], &(b, e))| [(min, b), (extent, (e - b).max(0))])
        .collect()
}

fn compare_loops(run: &loops::interpret::Run, wanted: &Wanted, outcome: &mut Outcome) -> Result<(), String> {
    for (k, tensor) in wanted.tensors.iter().flatten().enumerate() {
        for (point, &number) in points(&tensor.window).iter().zip(&tensor.values) {
            let found = run.outputs[k].at(&reversed(point)).and_then(|values: &[Value]| values[0].bits());
            outcome.compare("loops", k, point, found, tensor, number)?;
        }
    }
    Ok(())
}

/// Runs the loops; what they say if they do not start.
fn by_loops(
    case: &Case,
    scheduled: &Scheduled,
    made: &Scheduling,
    wanted: &Wanted,
    outcome: &mut Outcome,
) -> Result<Option<String>, String> {
    let mut nest = completed(&scheduled.windows);
    if let Some(Mistake::Loops(make)) = case.mistake {
        let wrong = make(&nest);
        outcome.planted += u64::from(print::print(&wrong) != print::print(&nest));
        nest = wrong;
    }
    let run = match interpret(&nest, &made.program, &wanted.inputs, &asked(scheduled, wanted)) {
        Ok(run) => run,
        Err(Stuck::Assertion(why)) => return Ok(Some(why)),
        // In front of their passes loops over nothing may have a length below 0.
        Err(Stuck::NegativeExtent(why)) if wanted.was_empty => return Ok(Some(why)),
        Err(stuck) => return Err(format!("loops: {stuck:?}")),
    };
    if wanted.tensors.is_none() {
        return Err("loops: they start".into());
    }
    compare_loops(&run, wanted, outcome).map(|()| None)
}

/// The C signature of what runs a schedule.
type Entry = unsafe extern "C" fn(*const *const c_void) -> i32;

/// A tensor in memory that is guarded; the distance of neighbours in its last dimension.
fn placed(tensor: &Tensor, step: i64, at_end: bool) -> Memory {
    let window: Vec<(i64, i64)> = tensor.window.iter().rev().map(|&(b, e)| (b, (e - b).max(0))).collect();
    let mut memory = Memory::new(tensor.element, &window, step, at_end);
    memory.dimensions.reverse();
    memory.window.reverse();
    for (point, value) in points(&tensor.window).iter().zip(&tensor.values) {
        memory.put(point, value.bits(tensor.element));
    }
    memory
}

/// The element of an output that nobody has written.
const NOBODY: u64 = 0xa5a5_a5a5_a5a5_a5a5;

/// Does a schedule ask for the strides of what is passed? The loops take these to be 1.
fn asks_for_strides(text: &str, def: &str, schedule: &str) -> bool {
    let own = text.split("schedule ").find(|part| part.starts_with(&format!("{def}.{schedule} ")));
    own.is_some_and(|own| own.contains(".stride("))
}

/// Makes and runs machine code, on tensors with neighbours at some distance, or side by side.
fn by_code(
    case: &Case,
    schedule: &str,
    level: u8,
    wanted: &Wanted,
    refused: Option<&str>,
    outcome: &mut Outcome,
    is_dense: bool,
) -> Result<(), String> {
    let options = Options { level, ..super::options() };
    let mut session = loaded(case.file, case.text);
    session.entries = Entries::One { pipeline: case.name.to_owned(), schedule: schedule.to_owned() };
    let Some(typed) = session.check(&options) else { return Err(format!("refused: {:?}", error(&session))) };
    let signature = session.signatures().iter().find(|s| *s.name == *case.name).cloned().expect("a signature");
    let mut module = session.lower(&typed, &options);
    if let Some(Mistake::Code(make)) = case.mistake {
        let before = ivlc::vector::print::print(&module);
        make(&mut module);
        if ivlc::vector::print::print(&module) == before {
            return Ok(());
        }
        outcome.planted += 1;
    }
    let settings = ivlc::llvm::Options { isa: options.isa, level, debug_info: false, sources: &session.sources };
    let jit = ivlc::llvm::Jit::new(&module, &settings).map_err(|e| format!("LLVM: {e}"))?;
    let address = jit.address(RUN_ENTRY).ok_or("there is no entry")?;
    // SAFETY: the entry has this signature.
    let run = unsafe { std::mem::transmute::<*const u8, Entry>(address) };
    let random = &mut Random::new(case.text.len() as u64 + schedule.len() as u64);
    let at_end = !random.one_in(3);
    let def = case.defs.iter().find(|def| &*def.name.text == case.name).expect("the definition");
    let mut step = || if is_dense { 1 } else { random.pick(&[1, 1, 1, 2, 3, -1]) };
    let mut memory: Vec<Memory> = Vec::new();
    let inout = def.parameters.iter().filter(|parameter| parameter.inout.is_some()).count();
    for (output, window) in signature.outputs.iter().zip(&wanted.windows[inout..]) {
        let element = output.images()[0].element;
        let window: Vec<(i64, i64)> = window.iter().map(|&(b, e)| (b, e.max(b))).collect();
        let mut own = placed(&Tensor { element, values: Vec::new(), window: window.clone() }, step(), at_end);
        points(&window).iter().for_each(|point| own.put(point, NOBODY));
        memory.push(own);
    }
    let results = memory.len();
    memory.extend(case.given.iter().filter(|tensor| !tensor.window.is_empty()).map(|tensor| placed(tensor, step(), at_end)));
    let buffers: Vec<Buffer> = memory.iter_mut().map(Memory::buffer).collect();
    let scalars: Vec<[u8; 8]> = wanted.inputs.scalars.iter().map(|bits| bits.to_le_bytes()).collect();
    let mut pointers: Vec<*const c_void> = buffers[..results].iter().map(|buffer| std::ptr::from_ref(buffer).cast()).collect();
    let (mut next_buffer, mut next_scalar) = (buffers[results..].iter(), scalars.iter());
    for parameter in &def.parameters {
        pointers.push(match parameter.ty.sizes.is_empty() {
            true => std::ptr::from_ref(next_scalar.next().expect("a number")).cast(),
            false => std::ptr::from_ref(next_buffer.next().expect("a buffer")).cast(),
        });
    }
    let before: Vec<Vec<u64>> = memory.iter().map(Memory::bits).collect();
    signals::set_case(&format!("{schedule} of {}", case.text));
    // SAFETY: the pointers lead to what the parameters are.
    let status = unsafe { run(pointers.as_ptr()) };
    signals::done();
    let after: Vec<Vec<u64>> = memory.iter().map(Memory::bits).collect();
    // Of what is empty the loops may ask for something that code with its passes knows not to need.
    if (status != 0) != refused.is_some() && !wanted.was_empty {
        if !is_dense && asks_for_strides(case.text, case.name, schedule) {
            // It may be right for these strides, and refused for others.
            return by_code(case, schedule, level, wanted, refused, outcome, true);
        }
        let reason = if status == 0 { String::new() } else { ivl::reason() };
        return Err(format!("status {status} {reason}, and by loops it is refused by {refused:?}"));
    }
    if status != 0 {
        return if before == after { Ok(()) } else { Err("it is refused, and something is written".into()) };
    }
    let overwritten: Vec<usize> = {
        let tensors = def.parameters.iter().filter(|parameter| !parameter.ty.sizes.is_empty());
        tensors.enumerate().filter(|(_, parameter)| parameter.inout.is_some()).map(|(k, _)| results + k).collect()
    };
    let mut bits = Vec::new();
    let places: Vec<usize> = overwritten.iter().copied().chain(0..results).collect();
    for (k, (&place, tensor)) in places.iter().zip(wanted.tensors.iter().flatten()).enumerate() {
        for (point, &number) in points(&tensor.window).iter().zip(&tensor.values) {
            let found = memory[place].get(point);
            bits.push(found);
            outcome.compare("machine code", k, point, Some(found), tensor, number)?;
        }
    }
    outcome.bits.push(bits);
    let is_kept = |k: &usize| places.contains(k) || before[*k] == after[*k];
    if (0..memory.len()).all(|k| is_kept(&k)) { Ok(()) } else { Err("what is only read is written".into()) }
}
