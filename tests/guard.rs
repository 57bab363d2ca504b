//! Lanes that are off do nothing: no load, store, call, trap, division or endless loop, whatever the element type, the
//! instruction set and the optimisation level.
//!
//! Two families of kernels run on memory that begins or ends where a page begins that nobody may touch: `foreach` loops
//! of every extent up to two vectors and a bit ([`loops`]), and functions on masks ([`masks`]). What they write is
//! compared with a model in Rust, and so is what lies around it.
//!
//! Each element type, instruction set and level is a test, in a process of its own: a fault ends that process with the
//! case in its message, and not the other tests. That this would be so is a test, too: kernels that are wrong on purpose
//! have to be found out ([`wrong`]).

#[path = "guard/kernel.rs"]
mod kernel;
#[path = "guard/loops.rs"]
mod loops;
#[path = "guard/masks.rs"]
mod masks;
#[path = "guard/memory.rs"]
mod memory;
#[path = "guard/signals.rs"]
mod signals;
#[path = "guard/tables.rs"]
mod tables;
#[path = "guard/wrong.rs"]
mod wrong;

use ivlc::{
    diagnostics::Severity,
    driver,
    llvm::{self, Jit},
    machine::Isa,
};
use kernel::{Data, Kernel};
use libtest_mimic::{Arguments, Failed, Trial};
use memory::{Element, Guarded, Numbers, Place};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Names the configuration that a process is to run: `avx2 W8 O3 float`.
const VARIABLE: &str = "IVL_GUARD";

/// How a program is compiled: the instruction set, W, the level, tests at run time.
#[derive(Clone, Copy)]
struct Configuration {
    isa: Isa,
    width: u8,
    level: u8,
    check: bool,
    element: Element,
}

impl Configuration {
    fn all() -> impl Iterator<Item = Configuration> {
        let mut all = Vec::new();
        for isa in Isa::PRINCIPAL {
            let of = |level: u8, element: Element| Configuration { isa, width: isa.width(), level, check: false, element };
            all.extend(Element::ALL.map(|element| of(3, element)));
            // Without optimisation, every other element in turn, or with `./x test --every` each.
            let (first, step) = if std::env::var_os("IVL_EVERY").is_some() { (0, 1) } else { (isa as usize % 2, 2) };
            all.extend(Element::ALL.into_iter().skip(first).step_by(step).map(|element| of(0, element)));
        }
        for isa in Isa::ALL.into_iter().filter(|isa| !Isa::PRINCIPAL.contains(isa)) {
            let elements = [Element::Uint8, Element::Float];
            all.extend(elements.map(|element| Configuration { isa, width: isa.width(), level: 3, check: false, element }));
        }
        // Tests at run time do not depend on the instruction set.
        let isa = Isa::host();
        all.extend(Element::ALL.map(|element| Configuration { isa, width: isa.width(), level: 3, check: true, element }));
        // Vectors of a part of a register, and of many registers.
        for (isa, width) in [(Isa::Sse2, 2), (Isa::Sse2, 64), (isa, 2), (isa, 64)] {
            let elements = [Element::Uint8, Element::Float];
            all.extend(elements.map(|element| Configuration { isa, width, level: 3, check: false, element }));
        }
        // What is narrower than what has masked moves, in a whole register.
        for (isa, width, elements) in [
            (Isa::Sse4, 16, [Element::Int8, Element::Uint16]),
            (Isa::Avx, 32, [Element::Bool, Element::Int16]),
            (Isa::Avx2, 32, [Element::Uint8, Element::Uint16]),
        ] {
            all.extend(elements.map(|element| Configuration { isa, width, level: 3, check: false, element }));
        }
        all.into_iter()
    }

    fn name(self) -> String {
        let check = if self.check { " check" } else { "" };
        format!("{} W{} O{}{check} {}", self.isa, self.width, self.level, self.element.name())
    }
}

fn main() {
    if let Ok(name) = std::env::var(VARIABLE) {
        let configuration = Configuration::all().find(|c| c.name() == name).expect("the name of a configuration");
        return driver::with_stack(|| run(configuration));
    }
    if let Ok(name) = std::env::var(wrong::VARIABLE) {
        return driver::with_stack(|| run_wrong(&name));
    }
    let arguments = Arguments::from_args();
    let trial = |configuration: Configuration| {
        let runs_here = configuration.isa.runs_here();
        let name = configuration.name();
        Trial::test(name.clone(), move || in_process(&name)).with_ignored_flag(!runs_here)
    };
    for isa in Isa::ALL.into_iter().filter(|isa| !isa.runs_here()) {
        println!("{isa}: not run here, this machine lacks it");
    }
    let mut trials: Vec<Trial> = Configuration::all().map(trial).collect();
    for (kernel, message) in wrong::kernels() {
        trials.push(Trial::test(format!("found out {}", kernel.name), move || is_found_out(kernel.name, message)));
    }
    libtest_mimic::run(&arguments, trials).exit();
}

/// Runs a configuration in a process of its own.
fn in_process(name: &str) -> Result<(), Failed> {
    let this = std::env::current_exe()?;
    let output = Command::new(this).env(VARIABLE, name).output()?;
    let stdout = String::from_utf8_lossy(&output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(format!("{}\n{stdout}{stderr}", output.status).into());
    }
    if stdout != "done\n" || !stderr.is_empty() {
        return Err(format!("something was printed:\n{stdout}{stderr}").into());
    }
    Ok(())
}

/// A wrong kernel has to fail, with this in its message.
fn is_found_out(name: &str, message: &str) -> Result<(), Failed> {
    let this = std::env::current_exe()?;
    let output = Command::new(this).env(wrong::VARIABLE, name).output()?;
    let stderr = String::from_utf8_lossy(&output.stderr);
    if output.status.success() || !stderr.contains(message) || !stderr.contains(name) {
        return Err(format!("{} and `{message}` expected\n{stderr}", output.status).into());
    }
    Ok(())
}

/// How often a kernel called the external function.
static CALLS: AtomicUsize = AtomicUsize::new(0);

extern "C" fn test_call(_: i32) {
    CALLS.fetch_add(1, Ordering::Relaxed);
}

fn compile(configuration: Configuration, source: String) -> Jit {
    let Configuration { isa, width, level, check, element: _ } = configuration;
    let options = driver::Options { width: Some(width), level, check, ..driver::Options::new(isa) };
    let mut session = driver::Session::default();
    session.load_text("kernels.ivl".into(), None, source);
    let program = session.check(&options).unwrap_or_else(|| {
        for diagnostic in session.diagnostics.iter().filter(|d| d.severity == Severity::Error) {
            eprintln!("{}", ivlc::diagnostics::render::human(diagnostic, &session.sources, false));
        }
        panic!("the kernels are refused");
    });
    let module = session.lower(&program, &options);
    let options = llvm::Options { isa, level, debug_info: false, sources: &session.sources };
    let symbols = [("ivl_test_call".to_owned(), test_call as *const () as usize)];
    Jit::with_symbols(&module, &options, &symbols).expect("LLVM takes the kernels")
}

/// Seconds that a kernel may take.
const TIME: u32 = 30;

/// A wrong kernel, on the lowest instruction set. One that its clock is to find gets a short one; to fill the stack takes its time.
fn run_wrong(name: &str) {
    signals::report_case();
    let (kernel, message) = wrong::kernels().into_iter().find(|(kernel, _)| kernel.name == name).expect("a wrong kernel");
    let configuration = Configuration { isa: Isa::Sse2, width: 4, level: 3, check: true, element: Element::Float };
    run_kernels(configuration, &[(&kernel, None)], if message == signals::TOO_LONG { 1 } else { TIME });
}

/// All cases of a configuration; the first one that goes wrong ends the process.
fn run(configuration: Configuration) {
    signals::report_case();
    let (loops, masks) = (loops::kernels(), masks::kernels());
    let fits = |kernel: &&Kernel| (kernel.elements)(configuration.element);
    let on_loops = loops.iter().filter(fits).map(|kernel| (kernel, None));
    let on_masks = masks.iter().filter(fits).flat_map(|kernel| masks::LENGTHS.map(|length| (kernel, Some(length))));
    let kernels: Vec<(&Kernel, Option<usize>)> = on_loops.chain(on_masks).collect();
    run_kernels(configuration, &kernels, TIME);
}

/// Compiles and calls kernels, each of which may take so many seconds.
fn run_kernels(configuration: Configuration, kernels: &[(&Kernel, Option<usize>)], seconds: u32) {
    signals::set_case("the compiler");
    let jit = compile(configuration, kernel::program(configuration.element, kernels.iter().copied()));
    let mut memory = Memory::new();
    for &(kernel, length) in kernels {
        let name = kernel::function_name(kernel, length);
        let address = jit.address(&name).expect("kernels are exported");
        // SAFETY: it is the signature that `kernel::program` writes.
        let function: Function = unsafe { std::mem::transmute(address) };
        signals::start_clock(seconds);
        let cases: Vec<Data> = match length {
            None => {
                let width = isize::from(configuration.width);
                (0..=2 * width + 3).map(|n| Data::new(configuration.element, n, Vec::new())).collect()
            }
            Some(length) => {
                let masks = masks::masks(length).into_iter().filter(|m| !kernel.all_off_only || !m.contains(&true));
                masks.map(|mask| Data::new(configuration.element, length as isize, mask)).collect()
            }
        };
        for mut before in cases {
            (kernel.memory)(&mut before);
            let mut after = before.clone();
            (kernel.model)(&mut after);
            for place in [Place::Start, Place::End] {
                memory.case(&name, function, &before, &after, place);
            }
        }
    }
    signals::done();
    println!("done");
}

/// `mask`, `a`, `b`, `c`, `index` and n.
type Function = extern "C" fn(*mut u8, *mut u8, *mut u8, *mut u8, *mut u8, i32);

/// A guarded piece of memory for each pointer.
struct Memory {
    mask: Guarded,
    a: Guarded,
    b: Guarded,
    c: Guarded,
    index: Guarded,
}

impl Memory {
    fn new() -> Memory {
        let new = Guarded::new;
        Memory { mask: new(), a: new(), b: new(), c: new(), index: new() }
    }

    /// Calls a function and compares what it did with what it should have done.
    fn case(&mut self, name: &str, function: Function, before: &Data, after: &Data, place: Place) {
        let element = before.element;
        let mask: String = before.mask.iter().map(|&on| if on { '1' } else { '0' }).collect();
        let mask = if mask.is_empty() { mask } else { format!(", mask {mask}") };
        let case = format!("{name}, n = {}{mask}, memory at the {place:?} of its pages", before.n);
        let mut lanes = Numbers::some(Element::Bool, 0..before.mask.len() as isize, 0);
        before.mask.iter().zip(0..).for_each(|(&on, k)| lanes[k] = i64::from(on));
        let m = self.mask.put(&lanes, Element::Bool, place);
        let a = self.a.put(&before.a, element, place);
        let b = self.b.put(&before.b, element, place);
        let c = self.c.put(&before.c, element, place);
        let index = self.index.put(&before.index, Element::Int32, place);
        CALLS.store(0, Ordering::Relaxed);
        signals::set_case(&case);
        function(m, a, b, c, index, before.n as i32);
        let compare = |what: &str, result: Result<(), String>| {
            if let Err(difference) = result {
                signals::done();
                eprintln!("{case}: in `{what}` {difference}");
                std::process::exit(1);
            }
        };
        compare("mask", self.mask.compare(&lanes, Element::Bool, place));
        compare("a", self.a.compare(&after.a, element, place));
        compare("b", self.b.compare(&after.b, element, place));
        compare("c", self.c.compare(&after.c, element, place));
        compare("index", self.index.compare(&after.index, Element::Int32, place));
        let calls = CALLS.load(Ordering::Relaxed);
        let differ = || format!("there are {calls} instead of {}", after.calls);
        compare("calls", if calls == after.calls { Ok(()) } else { Err(differ()) });
    }
}
