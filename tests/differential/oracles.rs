//! The oracles: what a program does by the rules, and at every stage behind them.
//!
//! ```text
//! typed::interpret = vector::interpret (as predicated, optimized, with --check, in pieces, legalized) = JIT (every target of the machine, -O0 and -O3)
//! ```

use ivlc::driver::{Options, Session};
use ivlc::machine::Isa;
use ivlc::typed::interpret::{FaultKind, Limits, interpret};
use ivlc::vector::interpret::Machine;
use ivlc::{legalize, llvm, optimize, typed, vector};

/// How many steps a program may take.
const STEPS: u64 = 60_000;

/// What became of a program.
#[derive(Clone, PartialEq, Debug)]
pub enum Outcome {
    /// All oracles agree.
    Agreed,
    /// The checker does not accept it.
    Refused(String),
    /// By the rules it does not come to an end, or to no defined one.
    Undefined(FaultKind),
    /// The first stage that differs from the rules, with both outputs.
    Differs { stage: String, expected: String, found: String },
}

/// Which machine code is run.
#[derive(Clone, Copy)]
pub struct Targets<'t> {
    pub isas: &'t [Isa],
    pub levels: &'t [u8],
}

/// What is looked at on the way.
pub trait Watch {
    /// The program as checked.
    fn typed(&mut self, _: &typed::ir::Program) {}
    /// The module as `predicate` and `optimize` made it.
    fn vector(&mut self, _: &vector::ir::Module) {}
}

/// The exit code and what was printed, as one text.
fn report(code: i32, output: &str) -> String {
    format!("{output}exit {}\n", code & 0xff)
}

/// A module as the last stage before machine code makes it.
fn legalized(module: &vector::ir::Module, isa: Isa) -> vector::ir::Module {
    let mut legal = module.clone();
    legalize::legalize(&mut legal, isa.machine());
    let wrong = vector::verify::verify(&legal);
    assert!(wrong.is_empty(), "legalize for {isa} breaks invariants: {}", wrong.join("\n"));
    legal
}

/// Runs a program through all oracles.
pub fn run(text: &str, targets: Targets, watch: &mut dyn Watch) -> Outcome {
    let mut session = Session::default();
    session.load_text("program.ivl".into(), None, text.to_owned());
    let options = Options { width: Some(8), level: 0, ..Options::new(Isa::Avx2) };
    let Some(program) = session.check(&options) else {
        let error = session.diagnostics.iter().find(|d| d.severity == ivlc::diagnostics::Severity::Error);
        return Outcome::Refused(error.map_or(String::new(), |d| {
            let line = session.sources.file(d.span.file).line_column(d.span.start).0;
            format!("line {line}: {}", d.message)
        }));
    };
    if program.main.is_none() {
        return Outcome::Refused("there is no main".into());
    }
    watch.typed(&program);
    let mut output = String::new();
    let limits = Limits { steps: Some(STEPS), ..Limits::default() };
    let expected = match interpret(&program, limits, &mut |text| output.push_str(text)) {
        Ok(code) => report(code, &output),
        Err(fault) => match fault.kind {
            FaultKind::Unset | FaultKind::Limit => return Outcome::Undefined(fault.kind),
            // The generator promises that these do not happen; the shrinker may make them happen.
            FaultKind::Memory | FaultKind::Refused | FaultKind::Assertion | FaultKind::External | FaultKind::Stuck => {
                let line = session.sources.file(fault.span.file).line_column(fault.span.start).0;
                let found = format!("{:?}: line {line}: {} (lane {:?})", fault.kind, fault.message, fault.lane);
                return Outcome::Differs { stage: "the rules".into(), expected: String::new(), found };
            }
        },
    };
    let modules = [(0, false), (3, false), (3, true)]
        .map(|(level, check)| session.optimized(&program, &Options { level, check, ..options }));
    let mut pieces = modules[0].clone();
    optimize::outline_with(&mut pieces, optimize::Limits { long: 0, piece: 4, cold_from: 4, cold: 4 });
    let wrong = vector::verify::verify(&pieces);
    assert!(wrong.is_empty(), "pieces break invariants: {}", wrong.join("\n"));
    // Machines take turns; what is optimized for one is right for all.
    let turn = Isa::ALL[text.len() % Isa::ALL.len()];
    let legal = Some(legalized(&modules[1], turn)).filter(|legal| *legal != modules[1]);
    let stages = ["predicate", "optimize", "--check", "pieces", "legalize"];
    for (stage, module) in stages.iter().zip(modules.iter().chain([&pieces]).chain(&legal)) {
        watch.vector(module);
        let mut machine = Machine::new(module);
        machine.fuel = STEPS * 1000;
        let found = match machine.main() {
            Ok(code) => report(code, &machine.output),
            Err(fault) => format!("{}{:?}: {}", machine.output, fault.kind, fault.message),
        };
        if found != expected {
            return Outcome::Differs { stage: (*stage).into(), expected, found };
        }
    }
    for &isa in targets.isas {
        for &level in targets.levels {
            let module = &legalized(&modules[usize::from(level > 0)], isa);
            let options = llvm::Options { isa, level, debug_info: false, sources: &session.sources };
            let found = match llvm::Jit::new(module, &options) {
                Ok(jit) => {
                    let main = jit.address("main").expect("a program with a main");
                    // SAFETY: `predicate` gives the instance of main the C signature `int main(void)`.
                    let main: extern "C" fn() -> i32 = unsafe { std::mem::transmute(main) };
                    let (code, output) = ivl::captured(|| main());
                    report(code, &output)
                }
                Err(message) => message,
            };
            if found != expected {
                return Outcome::Differs { stage: format!("llvm {isa} -O{level}"), expected, found };
            }
        }
    }
    Outcome::Agreed
}
