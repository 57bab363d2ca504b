//! Kernel files, compiled in memory as `ivlc run` does it.

use super::cases::Kernels;
use ivlc::driver::{Options, Session, with_stack};
use ivlc::llvm;
use ivlc::target::{FpMode, Isa};
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
    let jit = |file: &str| {
        with_stack(|| {
            let mut session = Session::default();
            session.load(&Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).expect("a kernel file");
            let program = session.check(&options);
            let program = program.unwrap_or_else(|| panic!("{file}: {:?}", session.diagnostics.iter().next()));
            let module = session.lower(&program, &options);
            let options = llvm::Options { isa: options.isa, level: 3, debug_info: false, sources: &session.sources };
            llvm::Jit::new(&module, &options).expect("code for a kernel file")
        })
    };
    Jits(files.iter().map(|file| jit(file)).collect())
}

/// The kernels of the group `core` at a width, with `--fp contract`.
pub fn jits(isa: Isa, width: u8) -> Jits {
    compiled(
        &["benches/core.ivl", "examples/kernels/aobench.ivl"],
        Options { width: Some(width), fp: FpMode::Contract, ..Options::new(isa) },
    )
}

/// The kernels of the group `maths`.
pub fn maths(isa: Isa, width: u8) -> Jits {
    compiled(&["benches/maths.ivl"], Options { width: Some(width), ..Options::new(isa) })
}

/// The kernels of the group `checks`, with `--fp contract`.
pub fn checks(isa: Isa, check: bool) -> Jits {
    compiled(&["benches/checks.ivl"], Options { check, fp: FpMode::Contract, ..Options::new(isa) })
}
