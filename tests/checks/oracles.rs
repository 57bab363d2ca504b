//! What a program with checks does by the rules, at each stage and as machine code, and that loops which are checked once before they
//! begin change nothing of it.
//!
//! ```text
//! typed::interpret = vector::interpret (as predicated, optimized, optimized without `loop_checks`) = machine code of the last two
//! ```

use ivlc::driver::{Options, Session};
use ivlc::machine::Isa;
use ivlc::source::Span;
use ivlc::typed::interpret::{Limits, interpret};
use ivlc::vector::interpret::Machine;
use ivlc::vector::ir::{Function, Inst, Module, Op};
use ivlc::{diagnostics, legalize, llvm, optimize};

/// How many steps a program may take.
const STEPS: u64 = 2_000_000;

/// What a program printed, and how it ended: `exit 3`, or `5:7: index out of bounds: … (lane 2)`.
#[derive(Clone, PartialEq, Debug)]
pub struct Report {
    pub output: String,
    pub end: String,
}

impl Report {
    pub fn is_fault(&self) -> bool {
        !self.end.starts_with("exit")
    }
}

/// A stage, and what the program does there.
pub struct Stage {
    pub name: String,
    pub report: Report,
}

/// A program that is compiled with checks, as it is at each stage. It has an export `run`.
pub struct Checked {
    session: Session,
    program: ivlc::typed::ir::Program,
    modules: [(&'static str, Module); 3],
}

impl Checked {
    /// Compiles a program; why not, if it is refused.
    pub fn new(text: &str) -> Result<Checked, String> {
        let mut session = Session::default();
        session.load_text("program.ivl".into(), None, text.to_owned());
        let options = Options { width: Some(8), level: 0, check: true, ..Options::new(Isa::Avx2) };
        let Some(program) = session.check(&options) else {
            let error = session.diagnostics.iter().find(|d| d.severity == diagnostics::Severity::Error);
            return Err(error.map_or(String::new(), |d| format!("{}: {}", place(&session, d.span), d.message)));
        };
        let predicated = session.optimized(&program, &options);
        let [mut hoisted, mut plain] = [predicated.clone(), predicated.clone()];
        for (name, pass) in optimize::PASSES {
            pass.run(&mut hoisted, options.isa.machine());
            if *name != "loop_checks" {
                pass.run(&mut plain, options.isa.machine());
            }
        }
        let modules = [("predicated", predicated), ("each access checked", plain), ("loops checked", hoisted)];
        Ok(Checked { session, program, modules })
    }

    /// Does the pass change anything?
    pub fn is_versioned(&self) -> bool {
        let checks = |module: &Module| module.functions.iter().map(|f| f.blocks.len()).sum::<usize>();
        checks(&self.modules[1].1) != checks(&self.modules[2].1)
    }

    /// As vector IR whose loops are checked before they begin by nothing at all: the bug that the test is to find.
    pub fn without_checks(&self) -> Report {
        let mut module = self.modules[2].1.clone();
        for function in &mut module.functions {
            let Function { blocks, insts, .. } = function;
            let is_check = |inst: &Inst| matches!(insts[inst.0 as usize].op, Op::Check { .. });
            blocks.iter_mut().for_each(|block| block.insts.retain(|inst| !is_check(inst)));
        }
        self.run(&module)
    }

    /// As vector IR behind a mistake of a pass, in the instructions that it added: those from a number on.
    pub fn with_mistake(&self, guilty: &str, make: fn(&mut Function, usize)) -> Report {
        let mut module = self.modules[0].1.clone();
        for (name, pass) in optimize::PASSES {
            let before: Vec<usize> = module.functions.iter().map(|function| function.insts.len()).collect();
            pass.run(&mut module, Isa::Avx2.machine());
            if *name == guilty {
                module.functions.iter_mut().zip(before).for_each(|(function, before)| make(function, before));
            }
        }
        self.run(&module)
    }

    /// By the rules.
    pub fn by_the_rules(&self) -> Report {
        let mut output = String::new();
        let limits = Limits { steps: Some(STEPS), ..Limits::default() };
        let end = match interpret(&self.program, limits, &mut |text| output.push_str(text)) {
            Ok(code) => format!("exit {}", code & 0xff),
            Err(fault) => fault_text(&self.session, fault.span, &fault.message, fault.lane.map(u64::from)),
        };
        Report { output, end }
    }

    /// As vector IR.
    pub fn as_vectors(&self) -> Vec<Stage> {
        self.modules.iter().map(|(name, module)| Stage { name: (*name).to_owned(), report: self.run(module) }).collect()
    }

    fn run(&self, module: &Module) -> Report {
        let mut machine = Machine::new(module);
        machine.fuel = STEPS * 100;
        let end = match machine.main() {
            Ok(code) => format!("exit {}", code & 0xff),
            Err(fault) => fault_text(&self.session, fault.span, &fault.message, fault.lane),
        };
        Report { output: machine.output, end }
    }

    /// As machine code, with and without `loop_checks`.
    pub fn as_code(&self, isa: Isa, level: u8) -> Vec<Stage> {
        let run = |(name, module): &(&str, Module)| {
            let options = llvm::Options { isa, level, debug_info: false, sources: &self.session.sources };
            let mut module = module.clone();
            legalize::legalize(&mut module, isa.machine());
            let jit = llvm::Jit::new(&module, &options).expect("LLVM takes the program");
            let (end, output) = match jit.address("run.status") {
                Some(run) => {
                    // SAFETY: the wrapper of an export that may fail writes the result where it is told and returns a status.
                    let run: extern "C" fn(*mut i32) -> u32 = unsafe { std::mem::transmute(run) };
                    let mut code = 0;
                    let (status, output) = ivl::captured(|| run(&mut code));
                    let end = match ivl::completed(status) {
                        Ok(()) => format!("exit {}", code & 0xff),
                        Err(error) => error.to_string().trim_start_matches("program.ivl:").to_owned(),
                    };
                    (end, output)
                }
                None => {
                    let run = jit.address("run").expect("the export");
                    // SAFETY: an export that cannot fail has its C signature alone.
                    let run: extern "C" fn() -> i32 = unsafe { std::mem::transmute(run) };
                    let (code, output) = ivl::captured(|| run());
                    (format!("exit {}", code & 0xff), output)
                }
            };
            Stage { name: format!("{isa} -O{level}, {name}"), report: Report { output, end } }
        };
        self.modules[1..].iter().map(run).collect()
    }
}

fn place(session: &Session, span: Span) -> String {
    let (line, column) = session.sources.file(span.file).line_column(span.start);
    format!("{line}:{column}")
}

fn fault_text(session: &Session, span: Span, message: &str, lane: Option<u64>) -> String {
    let lane = lane.map_or(String::new(), |lane| format!(" (lane {lane})"));
    format!("{}: {message}{lane}", place(session, span))
}
