//! Kernel files, compiled in memory by the stages one after another.

use super::cases::Kernels;
use ivlc::{
    check,
    diagnostics::Diagnostics,
    llvm, optimize, predicate,
    source::SourceMap,
    syntax,
    target::{FpMode, Isa},
};
use std::{fs, path::Path};

/// Kernel files, compiled in memory.
pub struct Jits(Vec<llvm::Jit>);

impl Kernels for Jits {
    fn address(&self, name: &str) -> *const u8 {
        self.0.iter().find_map(|jit| jit.address(name)).unwrap_or_else(|| panic!("no export `{name}`"))
    }
}

/// The kernels of the group `core` at a width, with `--fp contract`. Panics on an error, since the sources are ours.
pub fn jits(isa: Isa, width: u8) -> Jits {
    let jit = |file: &str| {
        let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).expect("a kernel file");
        let (mut sources, mut diagnostics) = (SourceMap::default(), Diagnostics::new());
        let tree = syntax::parse(sources.add(file, None, text.as_str()), &text, &mut diagnostics);
        let options = check::Options { width, register_bytes: isa.register_bytes(), fp: FpMode::Contract };
        let program = check::check(&[tree], &[], &options, &mut diagnostics);
        assert!(!diagnostics.has_errors(), "{file}: {:?}", diagnostics.iter().next());
        let mut module = predicate::predicate(&program, &predicate::Options::default());
        optimize::optimize(&mut module);
        let options = llvm::Options { isa, level: 3, debug_info: false, sources: &sources };
        llvm::Jit::new(&module, &options).expect("code for a kernel file")
    };
    Jits(["benches/core.ivl", "examples/kernels/aobench.ivl"].map(jit).into())
}
