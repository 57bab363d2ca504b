//! Checks say the same everywhere: the interpreter of the rules, compiled code on every target, and compiled code whose loops are checked
//! once before they begin agree on what a program prints, on whether it goes wrong, and on the message with its position, lane, index
//! and extent.
//!
//! The programs are those of `faults/` and random ones ([`generator`]); `IVL_COUNT` and `IVL_SEED` say how many, and where to begin.

#[path = "checks/generator.rs"]
mod generator;
#[path = "checks/oracles.rs"]
mod oracles;

use generator::{HOMES, WALKS};
use ivlc::driver::with_stack;
use ivlc::machine::Isa;
use ivlc::vector::ir::{BinaryOp, CompareOp, Function, InstData, Op, UnaryOp, Value};
use libtest_mimic::{Arguments, Failed, Trial};
use oracles::{Checked, Report};
use std::{fs, path::Path};

/// One random program in so many runs as machine code.
const CODE: u64 = 4;

fn main() {
    let trials = vec![
        Trial::test("programs that go wrong say the same with and without hoisting", || with_stack(corpus)),
        Trial::test("checks that go missing are found", || with_stack(missing)),
        Trial::test("a guard that is one too weak is found", || with_stack(|| found("loop_checks", weaker_guard))),
        Trial::test("a guard without its last condition is found", || with_stack(|| found("loop_checks", dropped_condition))),
        Trial::test("a check of the first lane alone is found", || with_stack(|| found("lane_checks", first_lane_alone))),
        Trial::test("random programs say the same everywhere", || with_stack(random)),
    ];
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|n| n.parse().ok())
}

/// The programs of `faults/`. What goes wrong unnoticed by compiled code is left to vector IR, whose interpreter notices; what depends on
/// a value that was never set may do this or that behind each pass, and is left out.
fn corpus() -> Result<(), Failed> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/faults");
    let mut paths: Vec<_> = fs::read_dir(folder)?.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let (mut compared, mut run, mut wrong) = (0, 0, Vec::new());
    for path in paths {
        let text = fs::read_to_string(&path)?;
        let is_checked = text.lines().any(|line| line.starts_with("// checked") || line.starts_with("// compiled"));
        let exported = text.replace("int main() {", "export int run() {");
        if exported == text {
            continue;
        }
        let Ok(program) = Checked::new(&format!("{exported}\nint main() {{ return run(); }}\n")) else { continue };
        if program.by_the_rules().end.contains("never set") {
            continue;
        }
        let mut stages = program.as_vectors();
        if is_checked {
            for isa in [Isa::Sse2, Isa::host()] {
                stages.extend([0, 3].into_iter().flat_map(|level| program.as_code(isa, level)));
            }
            run += 1;
        }
        compared += 1;
        for stage in &stages[1..] {
            if stage.report != stages[0].report {
                wrong.push(format!("{}: {}: {:?}, but {:?}", path.display(), stage.name, stage.report, stages[0].report));
            }
        }
    }
    println!("{compared} programs, {run} of them as machine code");
    if compared < 30 || run < 15 {
        return Err("hardly any program was compared".into());
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

/// Without its checks, some program among the first few says something else.
fn missing() -> Result<(), Failed> {
    let is_found = |seed: &u64| {
        let program = Checked::new(&generator::program(*seed).text);
        program.is_ok_and(|program| program.without_checks() != program.by_the_rules())
    };
    match (0..20).find(is_found) {
        Some(seed) => {
            println!("found by program {seed}");
            Ok(())
        }
        None => Err("nobody noticed".into()),
    }
}

/// Some program soon says something else where a pass has made a mistake.
fn found(guilty: &str, make: fn(&mut Function, usize)) -> Result<(), Failed> {
    let is_found = |seed: &u64| {
        let program = Checked::new(&generator::program(*seed).text);
        program.is_ok_and(|program| program.with_mistake(guilty, make) != program.by_the_rules())
    };
    let seed = (0..400).find(is_found).ok_or("nobody noticed")?;
    println!("found by program {seed}");
    Ok(())
}

/// a ≤ b of a guard is a ≤ b + 1.
fn weaker_guard(function: &mut Function, from: usize) {
    for block in 0..function.blocks.len() {
        let insts = std::mem::take(&mut function.blocks[block].insts);
        let mut out = Vec::with_capacity(insts.len());
        for inst in insts {
            let InstData { ref op, span, .. } = function.insts[inst.0 as usize];
            if let Op::Compare(CompareOp::SLe, a, b) = *op
                && inst.0 as usize >= from
            {
                let ty = function.ty(b);
                let (first, one) = function.create(Op::Const(vec![1]), ty, span);
                let (second, more) = function.create(Op::Binary(BinaryOp::Add, b, one), ty, span);
                out.extend([first, second]);
                function.insts[inst.0 as usize].op = Op::Compare(CompareOp::SLe, a, more);
            }
            out.push(inst);
        }
        function.blocks[block].insts = out;
    }
}

/// Of the conditions of a guard the last one is not asked.
fn dropped_condition(function: &mut Function, from: usize) {
    let guards: Vec<Value> = function.insts[from..]
        .iter()
        .filter_map(|data| if let Op::Unary(UnaryOp::Likely, all) = data.op { Some(all) } else { None })
        .collect();
    for data in &mut function.insts[from..] {
        if let Op::Binary(BinaryOp::And, before, last) = &mut data.op
            && guards.contains(&data.results[0])
        {
            *last = *before;
        }
    }
}

/// Of lanes that are compared at once all but the first are forgotten.
fn first_lane_alone(function: &mut Function, from: usize) {
    for data in &mut function.insts[from..] {
        if let Op::Binary(op @ BinaryOp::Sub, limit, distance) = &mut data.op {
            *op = BinaryOp::Or;
            *distance = *limit;
        }
    }
}

/// What is counted of random programs.
#[derive(Default)]
struct Tally {
    programs: u64,
    faults: u64,
    versioned: u64,
    refused: Vec<String>,
    homes: [(u64, u64); HOMES.len()],
    walks: [(u64, u64); WALKS.len()],
}

fn random() -> Result<(), Failed> {
    let (first, count) = (number("IVL_SEED").unwrap_or(0), number("IVL_COUNT").unwrap_or(600));
    let isas: Vec<Isa> = Isa::ALL.into_iter().filter(|isa| isa.runs_here()).collect();
    let (mut tally, mut wrong) = (Tally::default(), Vec::new());
    for seed in first..first + count {
        let made = generator::program(seed);
        let program = match Checked::new(&made.text) {
            Ok(program) => program,
            Err(why) => {
                tally.refused.push(format!("{seed}: {why}"));
                continue;
            }
        };
        let expected = program.by_the_rules();
        let mut stages = program.as_vectors();
        // What the rules find and the checks do not is no program to run.
        if seed % CODE == 0 && stages.iter().all(|stage| stage.report == expected) {
            let turn = (seed / CODE) as usize;
            stages.extend(program.as_code(isas[turn % isas.len()], [3, 0, 2, 1][turn / isas.len() % 4]));
        }
        tally.add(&made, &expected, program.is_versioned());
        if let Some(stage) = stages.iter().find(|stage| stage.report != expected) {
            wrong.push(format!("seed {seed}, {}: {:?}, but {expected:?}\n{}", stage.name, stage.report, made.text));
        }
    }
    println!("{} programs, {} go wrong, {} have loops that are checked before", tally.programs, tally.faults, tally.versioned);
    println!("homes: {:?}", HOMES.iter().zip(tally.homes).collect::<Vec<_>>());
    println!("walks: {:?}", WALKS.iter().zip(tally.walks).collect::<Vec<_>>());
    if !wrong.is_empty() {
        let shown = wrong.iter().take(5).cloned().collect::<Vec<_>>().join("\n");
        return Err(format!("{} of {} programs differ\n{shown}", wrong.len(), tally.programs).into());
    }
    tally.is_good(count)
}

impl Tally {
    fn add(&mut self, made: &generator::Program, expected: &Report, is_versioned: bool) {
        let wrong = u64::from(expected.is_fault());
        self.programs += 1;
        self.faults += wrong;
        self.versioned += u64::from(is_versioned);
        for part in &made.parts {
            let home = HOMES.iter().position(|home| *home == part.home).expect("a home");
            let walk = WALKS.iter().position(|walk| *walk == part.walk).expect("a walk");
            for (all, faults) in [&mut self.homes[home], &mut self.walks[walk]] {
                *all += 1;
                *faults += wrong;
            }
        }
    }

    /// Enough of everything, half of it going wrong.
    fn is_good(&self, asked: u64) -> Result<(), Failed> {
        let is_thin = |(all, faults): &(u64, u64)| *faults == 0 || faults == all;
        let is_thin = asked >= 300 && (self.homes.iter().any(is_thin) || self.walks.iter().any(is_thin));
        if self.refused.len() as u64 * 50 > asked || is_thin || self.faults * 4 < self.programs || self.versioned == 0 {
            return Err(format!("something hardly occurs; refused: {:?}", self.refused).into());
        }
        Ok(())
    }
}
