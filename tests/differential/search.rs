//! Looks for the random programs by which the oracles notice planted mistakes: for all mistakes at once, because nearly all of the time
//! goes into programs that have nothing a mistake could be made in.
//!
//! ```text
//! program → predicated → pass → pass → pass → …
//!                         └ a mistake that changes something → pass → pass → … → run, and compared with the rules
//! ```

use super::generator;
use super::mutants::Mistake;
use ivlc::driver::{Options, Session, with_stack};
use ivlc::machine::Isa;
use ivlc::typed::interpret::{Limits, interpret};
use ivlc::vector::interpret::Machine;
use ivlc::vector::ir::Module;
use ivlc::{legalize, optimize};
use std::cell::OnceCell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

/// Programs are tried until one shows the mistake.
const PROGRAMS: u64 = 20_000;

/// For each mistake, the seed of the first program by which the oracles find it.
pub fn first_programs(mistakes: &[Mistake]) -> Vec<Option<u64>> {
    let first: Vec<AtomicU64> = mistakes.iter().map(|_| AtomicU64::new(PROGRAMS)).collect();
    let next = AtomicU64::new(0);
    // Seeds are taken in order, and a mistake is looked for in all below the least one that shows it.
    let look = || {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            let open: Vec<usize> = (0..mistakes.len()).filter(|&k| seed < first[k].load(Ordering::Relaxed)).collect();
            if open.is_empty() {
                break;
            }
            let looked_for: Vec<Mistake> = open.iter().map(|&k| mistakes[k]).collect();
            let shown = shown(&looked_for, &generator::program(seed));
            for (k, _) in open.into_iter().zip(shown).filter(|(_, is_shown)| *is_shown) {
                first[k].fetch_min(seed, Ordering::Relaxed);
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, |n| n.get()) {
            scope.spawn(|| with_stack(look));
        }
    });
    first.into_iter().map(|seed| Some(seed.into_inner()).filter(|&seed| seed < PROGRAMS)).collect()
}

/// Does this program show the mistake?
pub fn shows(mistake: Mistake, text: &str) -> bool {
    with_stack(|| shown(&[mistake], text)[0])
}

/// Which of the mistakes does this program show?
fn shown(mistakes: &[Mistake], text: &str) -> Vec<bool> {
    let mut shown = vec![false; mistakes.len()];
    for isa in Isa::ALL {
        let of_isa: Vec<usize> = (0..mistakes.len()).filter(|&k| mistakes[k].isa == isa).collect();
        if !of_isa.is_empty() {
            of_isa.iter().zip(shown_on(isa, mistakes, &of_isa, text)).for_each(|(&k, is_shown)| shown[k] = is_shown);
        }
    }
    shown
}

/// The same of those of one target, whose numbers are `open`.
fn shown_on(isa: Isa, mistakes: &[Mistake], open: &[usize], text: &str) -> Vec<bool> {
    let mut shown = vec![false; open.len()];
    let mut session = Session::default();
    session.load_text("program.ivl".into(), None, text.to_owned());
    let options = Options { width: Some(8), level: 0, ..Options::new(isa) };
    let Some(program) = session.check(&options).filter(|program| program.main.is_some()) else { return shown };
    let mut module = session.optimized(&program, &options);
    let predicated = module.clone();

    let expected = OnceCell::new();
    let by_the_rules = || {
        let mut output = String::new();
        let limits = Limits { steps: Some(60_000), ..Limits::default() };
        interpret(&program, limits, &mut |text| output.push_str(text)).ok().map(|code| (code, output))
    };
    let differs = |module: &Module| {
        let Some((code, output)) = expected.get_or_init(by_the_rules) else { return false };
        let mut machine = Machine::new(module);
        machine.fuel = 10_000_000;
        machine.main().map_or(true, |found| (found, &machine.output) != (*code, output))
    };
    let is_defined = OnceCell::new();
    // What is never set may be anything, with a mistake or without.
    let is_noticed = |module: &Module| differs(module) && *is_defined.get_or_init(|| !differs(&predicated));

    let passes: Vec<_> = optimize::PASSES.iter().chain(legalize::PASSES).collect();
    let sizes = |module: &Module| module.functions.iter().map(|function| function.insts.len()).collect::<Vec<_>>();
    // Those that have changed nothing yet, and the last pass that they could be made behind.
    let mut left = Vec::new();
    for (k, mistake) in open.iter().map(|&k| mistakes[k]).enumerate() {
        match mistake.pass {
            None => {
                let mut wrong = module.clone();
                shown[k] = mistake.make(&mut wrong, &vec![0; module.functions.len()]) && is_noticed(&wrong);
            }
            Some(at_fault) => {
                let last = passes.iter().rposition(|(name, _)| *name == at_fault).expect("mistakes name their passes");
                left.push((k, mistake, at_fault, last));
            }
        }
    }
    for (at, (name, pass)) in passes.iter().enumerate() {
        left.retain(|&(.., last)| last >= at);
        if left.is_empty() {
            break;
        }
        let before = sizes(&module);
        pass.run(&mut module, options.isa.machine());
        left.retain(|&(k, mistake, at_fault, _)| {
            if at_fault != *name {
                return true;
            }
            let mut wrong = module.clone();
            if !mistake.make(&mut wrong, &before) {
                return true;
            }
            for (name, pass) in &passes[at + 1..] {
                let before = sizes(&wrong);
                pass.run(&mut wrong, options.isa.machine());
                if at_fault == *name {
                    mistake.make(&mut wrong, &before);
                }
            }
            shown[k] = is_noticed(&wrong);
            false
        });
    }
    shown
}
