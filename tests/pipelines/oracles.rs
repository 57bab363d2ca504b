//! The evaluator, the interpreter of loops, the typed interpreter and machine code.

use super::generator::{INPUT, Program, pixel_a, pixel_b};
use super::guarded;
use super::order::permuted;
use super::plants::{Mistake, Plant};
use ivl_random::Random;
use ivlc::driver::{Options, Session};
use ivlc::machine::Isa;
use ivlc::pipeline::bounds::fill::completed;
use ivlc::pipeline::bounds::infer::Windows;
use ivlc::pipeline::evaluate::{Arguments, Evaluator, Image, points};
use ivlc::pipeline::expr::{InputId, Source, Variable};
use ivlc::pipeline::loops::in_place::is_in_place;
use ivlc::pipeline::loops::interpret::Event;
use ivlc::pipeline::loops::ir::{Nest, Statement};
use ivlc::pipeline::loops::{interpret, print};
use ivlc::pipeline::passes;
use ivlc::pipeline::value::Value;
use ivlc::pipeline::{Entries, Outputs, Scheduled, Scheduling};
use ivlc::target::FpMode;
use ivlc::typed::interpret::scalar;
use ivlc::types::Element;
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// How it went.
pub struct Outcome {
    /// Schedules whose result was that of the algorithm.
    pub pairs: u64,
    /// Schedules that ask for more than the inputs and outputs have.
    pub refused: u64,
    /// Of those that agreed, in which a func slides.
    pub sliding: u64,
    /// Of those, in which storage is folded.
    pub folded: u64,
}

fn options() -> Options {
    Options { width: Some(8), ..Options::new(Isa::host()) }
}

/// A session with a text.
pub fn loaded(text: &str) -> Session {
    let mut session = Session::default();
    session.load_text("program.ivl".into(), None, text.to_owned());
    session
}

/// Does a pipeline with its schedules compile?
pub fn is_accepted(text: &str) -> bool {
    let mut session = loaded(text);
    let made = catch_unwind(AssertUnwindSafe(|| session.scheduling(&options(), Outputs::AsAsked)));
    made.is_ok() && !session.diagnostics.has_errors()
}

fn arguments() -> Arguments {
    let (low, extent) = INPUT;
    let image = |element, window: Vec<(i64, i64)>, pixel: &dyn Fn(&[i64]) -> i64| {
        let mut image = Image::new(element, window);
        let pixels = image.points().iter().map(|p| scalar::wrapped(element, pixel(p).into())).collect();
        image.pixels = pixels;
        image
    };
    let a = image(Element::Int32, vec![(low, extent)], &|p| pixel_a(p[0]));
    let b = image(Element::Uint8, vec![(low, extent), (low, extent)], &|p| pixel_b(p[0], p[1]));
    Arguments { inputs: vec![a, b], scalars: vec![3] }
}

thread_local! {
    static ARGUMENTS: Arguments = arguments();
}

/// Runs all schedules; an error is what differs. With a planted mistake only the loops run.
pub fn run(program: &Program, seed: &str, plant: Option<&Plant>) -> Result<Outcome, String> {
    let run = || ARGUMENTS.with(|arguments| run_with(program, arguments, seed, plant));
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned().or_else(|| panic.downcast_ref::<&str>().map(|t| (*t).to_owned()));
        Err(format!("a panic: {}", text.unwrap_or_default()))
    })
}

fn run_with(program: &Program, arguments: &Arguments, seed: &str, plant: Option<&Plant>) -> Result<Outcome, String> {
    let text = program.text();
    let mut session = loaded(&text);
    let made = session.scheduling(&options(), Outputs::AsAsked);
    if let Some(error) = session.diagnostics.iter().find(|d| d.severity == ivlc::diagnostics::Severity::Error) {
        // A generated read may be unbounded; then there is nothing to compare.
        return match error.code.name {
            "unbounded-access" => Ok(Outcome { pairs: 0, refused: 0, sliding: 0, folded: 0 }),
            _ => Err(format!("refused: {}", error.message)),
        };
    }
    let Some(first) = made.schedules.first() else { return Err("there are no schedules".into()) };
    if plant.is_none() {
        order_is_free(program, &made)?;
    }
    let pipeline = &first.windows.nest.pipeline;
    let output = pipeline.outputs[0];
    let element = pipeline.func(output).elements[0];
    let mut evaluator = Evaluator::new(pipeline, &made.program, arguments);
    let wanted: Vec<Value> = points(&program.window).iter().map(|p| evaluator.at(output, p)[0]).collect();
    let mut starting = Vec::new();
    let (mut refused, mut sliding, mut folded) = (0, 0, 0);
    for scheduled in &made.schedules {
        match loops(scheduled, &made, arguments, program, &wanted, plant)? {
            true => {
                starting.push(scheduled.name.clone());
                let nest = &scheduled.windows.nest;
                let mut slides = false;
                nest.body.walk(&mut |s| slides |= matches!(s, Statement::Slide(..)));
                sliding += u64::from(slides);
                folded += u64::from(!nest.folds.is_empty());
            }
            false => refused += 1,
        }
    }
    if !wanted.iter().all(|v| v.bits().is_some()) {
        return if starting.is_empty() {
            Ok(Outcome { pairs: 0, refused, sliding: 0, folded: 0 })
        } else {
            Err("an error value, and loops that start".into())
        };
    }
    // Of loops alone more can be looked at.
    if std::env::var_os("IVL_LOOPS").is_none() && plant.is_none() {
        compiled(program, &starting, element, &wanted, seed)?;
    }
    Ok(Outcome { pairs: starting.len() as u64, refused, sliding, folded })
}

/// Directives in another order that means the same make the same loops.
fn order_is_free(program: &Program, made: &Scheduling) -> Result<(), String> {
    let mut random = Random::new(program.text().len() as u64);
    let schedules = program.schedules.iter().map(|schedule| permuted(schedule, &mut random)).collect();
    let text = Program { schedules, ..program.clone() }.text();
    let mut session = loaded(&text);
    let other = session.scheduling(&options(), Outputs::AsAsked);
    if let Some(error) = session.diagnostics.iter().find(|d| d.severity == ivlc::diagnostics::Severity::Error) {
        return Err(format!("order: refused: {}\n{text}", error.message));
    }
    for (one, other) in made.schedules.iter().zip(&other.schedules) {
        let [one, other] = [one, other].map(|scheduled| print::print(&scheduled.windows.nest));
        if one != other {
            return Err(format!("order: other loops:\n{one}\nand\n{other}\n{text}"));
        }
    }
    Ok(())
}

/// The interpreter of loops; false where a start check refuses.
fn loops(
    s: &Scheduled,
    made: &Scheduling,
    arguments: &Arguments,
    program: &Program,
    wanted: &[Value],
    plant: Option<&Plant>,
) -> Result<bool, String> {
    let windows = &s.windows;
    let given: Vec<_> = windows.outputs[0]
        .window
        .iter()
        .zip(&program.window)
        .flat_map(|(&[min, extent], &(m, e))| [(min, m), (extent, e)])
        .collect();
    let points = points(&program.window);
    let run = |nest: &Nest| match interpret::interpret(nest, &made.program, arguments, &given) {
        Ok(run) => {
            let found = |point: &Vec<i64>| run.outputs[0].at(point).map(|v| v[0]);
            match points.iter().zip(wanted).find(|(point, wanted)| found(point) != Some(**wanted)) {
                None => Ok(()),
                Some((point, wanted)) => Err(Wrong::Loops(format!("at {point:?}: {:?}, not {wanted:?}", found(point)))),
            }
        }
        Err(interpret::Stuck::Assertion(why)) => Err(Wrong::Refused(why)),
        Err(stuck) => Err(Wrong::Loops(format!("{stuck:?}"))),
    };
    let nest = completed(windows);
    match run(&nest) {
        Ok(()) => overwrites(windows, &nest, made, arguments, &given, plant).map_err(|what| {
            let loops = print::print(&nest);
            format!("{}: {what}\n{loops}", s.name)
        })?,
        Err(Wrong::Refused(_)) => return Ok(false),
        Err(Wrong::Loops(what)) => return Err(format!("{}: loops: {what}\n{}", s.name, print::print(&nest))),
    }
    // Behind each pass they start as well, and do what they did.
    let mut result = Ok(true);
    passes::stepwise(nest, &mut |pass, nest| {
        let planted = plant.and_then(|plant| plant.applied(pass, nest));
        let nest = planted.as_ref().unwrap_or(nest);
        if result.is_ok()
            && let Err(Wrong::Refused(what) | Wrong::Loops(what)) = run(nest)
        {
            result = Err(format!("{}: loops behind `{pass}`: {what}\n{}", s.name, print::print(nest)));
        }
    });
    result
}

/// What may be overwritten is read no more where it was: the loops do not load a point of the input behind its store.
fn overwrites(
    windows: &Windows,
    nest: &Nest,
    made: &Scheduling,
    arguments: &Arguments,
    given: &[(Variable, i64)],
    plant: Option<&Plant>,
) -> Result<(), String> {
    let may_overwrite = match plant.map(|plant| plant.mistake) {
        Some(Mistake::InPlace(planted)) => planted,
        Some(Mistake::Made(_)) => return Ok(()),
        None => is_in_place,
    };
    let pipeline = &nest.pipeline;
    let output = pipeline.outputs[0];
    for (k, image) in arguments.inputs.iter().enumerate() {
        let input = InputId(k as u32);
        let is_alike = image.element == pipeline.func(output).elements[0];
        if !is_alike || !may_overwrite(&windows.nest, output, input) {
            continue;
        }
        let (mut stored, mut late) = (HashSet::new(), None);
        let mut observer = |event: Event<'_>| match event {
            Event::Store(func, _, point) if func == output => drop(stored.insert(point.to_vec())),
            Event::Load(Source::Input(read), point) if read == input && stored.contains(point) => late = Some(point.to_vec()),
            _ => {}
        };
        interpret::observe(nest, &made.program, arguments, given, &mut observer).map_err(|stuck| format!("{stuck:?}"))?;
        if let Some(point) = late {
            return Err(format!(
                "in place: {} is read at {point:?}, where it is overwritten",
                pipeline.name_of(Source::Input(input))
            ));
        }
    }
    Ok(())
}

/// How loops may differ from the algorithm.
enum Wrong {
    /// A start check refuses them.
    Refused(String),
    /// They get stuck, or give something else.
    Loops(String),
}

/// The typed interpreter and machine code: the C entries on guarded images always, a whole program at each level for some.
fn compiled(program: &Program, starting: &[String], element: Element, wanted: &[Value], seed: &str) -> Result<(), String> {
    let line: String = wanted.iter().filter_map(|v| v.bits()).map(|bits| shown(element, bits) + " ").collect::<String>() + "\n";
    let expected = line.repeat(starting.len());
    let text = program.with_main(starting);
    let mut session = loaded(&text);
    let options = options();
    let Some(typed) = session.check(&options) else {
        let errors: Vec<String> = session.diagnostics.iter().map(|d| d.message.clone()).collect();
        return Err(format!("the program is refused: {}\n{text}\n{}", errors.join("; "), printed(&text)));
    };
    let compare = |stage: &str, found: &str| {
        if found == expected {
            return Ok(());
        }
        let at = found.lines().zip(expected.lines()).position(|(a, b)| a != b).unwrap_or(starting.len() - 1);
        let generated = printed(&text);
        Err(format!("{stage}: {}\n{}\nnot\n{}\n{generated}", starting[at], found.lines().nth(at).unwrap_or(""), line))
    };
    let mut output = String::new();
    let limits = ivlc::typed::interpret::Limits::default();
    if let Err(fault) = ivlc::typed::interpret::interpret(&typed, limits, &mut |t| output.push_str(t)) {
        return Err(format!("the rules: {}\n{}", fault.message, printed(&text)));
    }
    compare("the rules", &output)?;
    if program.is_printed {
        compare("what is printed", &run_by_the_rules(&(printed(&program.text()) + &program.main(starting, "int status = p_")))?)?;
    }
    let fp = if program.is_contracted { FpMode::Contract } else { FpMode::Strict };
    let jit = jitted(&program.text(), Entries::All, &Options { level: program.level, fp, ..options })?;
    let bits: Vec<u64> = wanted.iter().filter_map(|v| v.bits()).collect();
    guarded::run(&jit, program, starting, element, &bits, seed)?;
    let levels: &[(u8, bool)] = if program.is_thorough { &[(3, false), (0, false), (3, true)] } else { &[] };
    for &(level, check) in levels {
        let jit = jitted(&text, Entries::None, &Options { level, check, ..options })?;
        let main = jit.address("main").expect("a program with a main");
        // SAFETY: `predicate` gives the instance of main the C signature `int main(void)`.
        let main: extern "C" fn() -> i32 = unsafe { std::mem::transmute(main) };
        let (code, output) = ivl::captured(|| main());
        if code != 0 {
            return Err(format!("-O{level}: exit {code}"));
        }
        compare(&format!("machine code -O{level}{}", if check { " --check" } else { "" }), &output)?;
    }
    Ok(())
}

/// The schedules of a text as `--emit ivl` prints them.
fn printed(text: &str) -> String {
    let mut session = loaded(text);
    session.entries = Entries::All;
    session.check(&options());
    session.source().unwrap_or_else(|why| why)
}

/// What a printed program says.
fn run_by_the_rules(text: &str) -> Result<String, String> {
    let mut session = loaded(text);
    let Some(typed) = session.check(&options()) else {
        let errors: Vec<String> = session.diagnostics.iter().map(|d| d.message.clone()).collect();
        return Err(format!("what is printed is refused: {}\n{text}", errors.join("; ")));
    };
    let mut output = String::new();
    let limits = ivlc::typed::interpret::Limits::default();
    match ivlc::typed::interpret::interpret(&typed, limits, &mut |t| output.push_str(t)) {
        Ok(_) => Ok(output),
        Err(fault) => Err(format!("what is printed: {}\n{text}", fault.message)),
    }
}

/// Machine code of a text that was accepted before.
fn jitted(text: &str, entries: Entries, options: &Options) -> Result<ivlc::llvm::Jit, String> {
    let mut session = loaded(text);
    session.entries = entries;
    let typed = session.check(options).expect("it was accepted before");
    let module = session.lower(&typed, options);
    let settings = ivlc::llvm::Options { isa: options.isa, level: options.level, debug_info: false, sources: &session.sources };
    ivlc::llvm::Jit::new(&module, &settings).map_err(|e| format!("LLVM: {e}"))
}

/// As `print` writes it.
fn shown(element: Element, bits: u64) -> String {
    match element {
        Element::Float16 => ivl::float_text(ivl::Float16::from_bits(bits as u16).to_f32()),
        Element::Float => ivl::float_text(f32::from_bits(bits as u32)),
        Element::Double => ivl::float_text(f64::from_bits(bits)),
        _ => scalar::integer(element, bits).to_string(),
    }
}
