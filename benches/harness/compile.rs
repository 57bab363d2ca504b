//! Kernel files, compiled in memory as `ivlc run` does it.

use super::cases::Kernels;
use ivlc::driver::{Options, Session, with_stack};
use ivlc::llvm;
use ivlc::machine::Isa;
use ivlc::target::FpMode;
use std::path::Path;

/// Kernel files, compiled in memory.
pub struct Jits(Vec<llvm::Jit>);

impl Kernels for Jits {
    fn address(&self, name: &str) -> *const u8 {
        self.0.iter().find_map(|jit| jit.address(name)).unwrap_or_else(|| panic!("no export `{name}`"))
    }
}

/// Files with options. Panics on an error, since the sources are ours.
fn compiled(files: &[&str], options: Options) -> Jits {
    Jits(files.iter().map(|file| jit(file, &text(file), options)).collect())
}

fn text(file: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).expect("a kernel file")
}

fn jit(file: &str, text: &str, options: Options) -> llvm::Jit {
    with_stack(|| {
        let mut session = Session::default();
        session.load_text(file.to_owned(), None, text.to_owned());
        let program = session.check(&options);
        let program = program.unwrap_or_else(|| panic!("{file}: {:?}", session.diagnostics.iter().next()));
        let module = session.lower(&program, &options);
        let options = llvm::Options { isa: options.isa, level: 3, debug_info: false, sources: &session.sources };
        llvm::Jit::new(&module, &options).expect("code for a kernel file")
    })
}

/// The kernels of the group `core` at a width, with `--fp contract`.
pub fn jits(isa: Isa, width: u8) -> Jits {
    compiled(
        &["benches/core.ivl", "examples/kernels/aobench.ivl"],
        Options { width: Some(width), fp: FpMode::Contract, ..Options::new(isa) },
    )
}

/// A file of the group `ispc` at a width, or at that which is taken where none is given, with `--fp contract`.
pub fn example(file: &str, isa: Isa, width: Option<u8>) -> Jits {
    compiled(&[&format!("benches/ispc/{file}")], Options { width, fp: FpMode::Contract, ..Options::new(isa) })
}

/// The kernels of the group `maths`.
pub fn maths(isa: Isa, width: u8, fp: FpMode) -> Jits {
    compiled(&["benches/maths.ivl"], Options { width: Some(width), fp, ..Options::new(isa) })
}

/// The kernels of the group `checks`, with `--fp contract`, behind so many small functions.
pub fn checks(isa: Isa, check: bool, others: usize) -> Jits {
    let file = "benches/checks.ivl";
    let other = |k: usize| format!("export int other{k}(int x) {{ return x + {k}; }}\n");
    let text: String = (0..others).map(other).chain([text(file)]).collect();
    Jits(vec![jit(file, &text, Options { check, fp: FpMode::Contract, ..Options::new(isa) })])
}
