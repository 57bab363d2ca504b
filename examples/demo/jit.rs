//! A kernel file, compiled in memory.

use ivlc::diagnostics::Severity;
use ivlc::driver::{Options, Session};
use ivlc::{llvm, machine::Isa};
use std::{error::Error, path::Path};

/// A compiled kernel file.
pub struct Compiled {
    /// W: the length of `varying`.
    pub width: u8,
    jit: llvm::Jit,
}

impl Compiled {
    /// Compiles `examples/kernels/<file>`.
    pub fn new(file: &str, isa: Isa, width: u8) -> Result<Compiled, Box<dyn Error>> {
        let mut session = Session::default();
        session.load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/kernels").join(file))?;
        let options = Options { width: Some(width), ..Options::new(isa) };
        let Some(program) = session.check(&options) else {
            let mut errors = session.diagnostics.iter().filter(|d| d.severity == Severity::Error);
            return Err(format!("{file}: {}", errors.next().map_or("", |d| &d.message)).into());
        };
        let module = session.lower(&program, &options);
        let options = llvm::Options { isa, level: 3, debug_info: false, sources: &session.sources };
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
