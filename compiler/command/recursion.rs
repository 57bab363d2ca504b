//! A compiled program whose calls do not end: the stack is full, and the program ends with the place of a function that was called.
//!
//! Nothing is tested in the calls themselves. A page behind each stack cannot be touched, and who touches it is asked where it stood: in
//! a function of the program, or in one of the runtime that the program called, whose addresses to go back to are on the stack.

use ivlc::llvm::Jit;
use ivlc::source::SourceMap;

/// Has messages written for what is compiled here, from now on.
#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
pub fn watch(_: &Jit, _: &SourceMap) {}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub use linux::watch;

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod linux {
    use super::{Jit, SourceMap};
    use std::ffi::{c_int, c_void};
    use std::ops::Range;
    use std::sync::OnceLock;

    /// Who touches memory so near to the end of its stack has come to the end of it: a frame is entered page by page.
    const NEAR: Range<isize> = -4096..8192;
    /// So much of a stack is looked through for addresses; a full one is larger.
    const WORDS: usize = 4096;

    /// What is written for each function.
    static PLACES: OnceLock<Vec<(Range<usize>, String)>> = OnceLock::new();

    /// Has messages written for what is compiled here, from now on. Other faults end the program as they did.
    pub fn watch(code: &Jit, sources: &SourceMap) {
        let message = |compiled: &ivlc::llvm::Compiled| {
            let file = sources.file(compiled.span.file);
            let (line, column) = file.line_column(compiled.span.start);
            let name = file.text.get(compiled.span.start as usize..compiled.span.end as usize).unwrap_or_default();
            let text =
                format!("{}:{line}:{column}: too many calls inside one another: `{name}` finds the stack full\n", file.name);
            (compiled.addresses.clone(), text)
        };
        let places = code.functions().iter().map(message).collect();
        if PLACES.set(places).is_err() {
            return;
        }
        // SAFETY: the action is whole, and `on_fault` does what handlers may do. Threads of Rust have a stack for signals.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = on_fault as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            libc::sigemptyset(&raw mut action.sa_mask);
            for signal in [libc::SIGSEGV, libc::SIGBUS] {
                libc::sigaction(signal, &raw const action, std::ptr::null_mut());
            }
        }
    }

    /// Ends the program where the stack is full; else the fault happens again, and ends it.
    extern "C" fn on_fault(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
        // SAFETY: the system hands over what belongs to the fault; a full stack has more than `WORDS` words above its end.
        unsafe {
            let registers = &(*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs;
            let (at, stack) = (registers[libc::REG_RIP as usize] as usize, registers[libc::REG_RSP as usize] as usize);
            let address = (*info).si_addr() as usize;
            if NEAR.contains(&(address.wrapping_sub(stack) as isize)) {
                let words = (stack.next_multiple_of(8) as *const usize).cast::<usize>();
                let above = (0..WORDS).map(|k| words.add(k)).filter(|&word| word as usize / 4096 != address / 4096);
                let text = place(at).or_else(|| above.map(|word| word.read()).find_map(place));
                let text = text.unwrap_or("too many calls inside one another\n");
                libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len());
                libc::_exit(crate::FAILED_CHECK);
            }
            libc::signal(signal, libc::SIG_DFL);
        }
    }

    /// What is written for code at an address.
    fn place(address: usize) -> Option<&'static str> {
        PLACES.get()?.iter().find(|(addresses, _)| addresses.contains(&address)).map(|(_, text)| text.as_str())
    }
}
