//! The twins in C: compiled by clang when the benchmark runs, and loaded from a shared object.

use ivlc::machine::Isa;
use libloading::{Library, Symbol};
use std::{path::Path, process::Command};

/// A compiled set of C kernels.
pub struct CKernels {
    library: Library,
    /// The compiler, as `clang 22`.
    pub compiler: String,
}

impl CKernels {
    /// Compiles `hand/*.c` for `isa`; `None` (with the reason on standard error) where there is no clang.
    pub fn compile(isa: Isa, folder: &Path) -> Option<CKernels> {
        let compilers = ["clang-22", "clang-21", "clang-20", "clang-19", "clang"];
        let version = |c: &&str| Command::new(c).arg("--version").output().ok().filter(|o| o.status.success());
        let Some((clang, output)) = compilers.iter().find_map(|c| version(c).map(|o| (*c, o))) else {
            eprintln!("no clang here: the comparison with C intrinsics is left out");
            return None;
        };
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let number = text.split_whitespace().skip_while(|w| *w != "version").nth(1).unwrap_or("").to_owned();
        let major = number.split('.').next().unwrap_or("").to_owned();
        let (features, header): (&[&str], _) = match isa {
            Isa::Avx512 => (&["-march=x86-64-v4", "-mprefer-vector-width=512"], "vector_avx512.h"),
            Isa::Avx2 => (&["-march=x86-64-v3"], "vector_avx2.h"),
            Isa::Sse2 | Isa::Sse4 | Isa::Avx | Isa::Avx2Vnni | Isa::Avx512x256 | Isa::Avx512Vnni => return None,
        };
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/hand");
        let object = folder.join(format!("hand_{isa}.so"));
        let status = Command::new(clang)
            .args(["-O3", "-fPIC", "-shared", "-ffp-contract=off", "-Wno-unused-function"])
            .args(features)
            .arg("-include")
            .arg(source.join(header))
            .arg("-o")
            .arg(&object)
            .args([source.join("kernels.c"), source.join("aobench.c")])
            .status();
        if !status.is_ok_and(|s| s.success()) {
            eprintln!("{clang} did not compile the C kernels for {isa}: their comparison is left out");
            return None;
        }
        // SAFETY: the library was just built from our sources and runs no code when it is loaded.
        let library = unsafe { Library::new(&object) }.ok()?;
        Some(CKernels { library, compiler: format!("clang {major}") })
    }

    /// The address of a kernel.
    pub fn address(&self, name: &str) -> *const u8 {
        // SAFETY: the symbol is only turned into an address here; the caller gives it the type it has in C.
        let symbol: Symbol<unsafe extern "C" fn()> = unsafe { self.library.get(name.as_bytes()) }.expect("a kernel of hand/*.c");
        *symbol as *const u8
    }
}
