//! A kernel file, compiled in memory: the stages one after another.

use ivlc::{
    check,
    diagnostics::Diagnostics,
    llvm, optimize, predicate,
    source::SourceMap,
    syntax,
    target::{FpMode, Isa},
};
use std::{error::Error, fs, path::Path};

/// A compiled kernel file.
pub struct Compiled {
    /// W: the length of `varying`.
    pub width: u8,
    jit: llvm::Jit,
}

impl Compiled {
    /// Compiles `examples/kernels/<file>`.
    pub fn new(file: &str, isa: Isa, width: u8) -> Result<Compiled, Box<dyn Error>> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/kernels").join(file);
        let text = fs::read_to_string(&path)?;
        let (mut sources, mut diagnostics) = (SourceMap::default(), Diagnostics::new());
        let id = sources.add(file, Some(&path), text.as_str());
        let tree = syntax::parse(id, &text, &mut diagnostics);
        let options = check::Options { width, register_bytes: isa.register_bytes(), fp: FpMode::Strict };
        let program = check::check(&[tree], &[], &options, &mut diagnostics);
        if let Some(first) = diagnostics.iter().find(|d| d.severity == ivlc::diagnostics::Severity::Error) {
            let (line, column) = sources.file(first.span.file).line_column(first.span.start);
            return Err(format!("{file}:{line}:{column}: {}", first.message).into());
        }
        let mut module = predicate::predicate(&program, &predicate::Options::default());
        optimize::optimize(&mut module);
        let options = llvm::Options { isa, level: 3, debug_info: false, sources: &sources };
        Ok(Compiled { width, jit: llvm::Jit::new(&module, &options)? })
    }

    /// An exported function; `F` is its C signature.
    pub fn function<F: Copy>(&self, name: &str) -> F {
        assert_eq!(size_of::<F>(), size_of::<*const u8>(), "F is a function pointer");
        let address = self.jit.address(name).unwrap_or_else(|| panic!("no export `{name}`"));
        // SAFETY: the caller names the signature that the kernel file declares.
        unsafe { std::mem::transmute_copy(&address) }
    }
}
