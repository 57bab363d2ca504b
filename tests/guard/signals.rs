//! A process that faults, hangs or exits says in which case it was.

use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The text of the current case; handlers may not allocate.
static mut CASE: [u8; 256] = [0; 256];
static LENGTH: AtomicUsize = AtomicUsize::new(0);
static DONE: AtomicBool = AtomicBool::new(false);

/// What is said of a kernel that its clock stops.
pub const TOO_LONG: &str = "takes too long";

/// The handlers' own stack: a fault may come from the end of the usual one.
const STACK: usize = 64 << 10;

/// From now on, each end of the process but a good one names the case.
pub fn report_case() {
    // SAFETY: the stack is leaked and as large as said, a `sigaction` may be all zeros, the handler has the signature that `SA_SIGINFO` asks for,
    // and both handlers live as long as the process.
    unsafe {
        let stack = Box::leak(vec![0u8; STACK].into_boxed_slice());
        let stack = libc::stack_t { ss_sp: stack.as_mut_ptr().cast(), ss_flags: 0, ss_size: STACK };
        assert_eq!(libc::sigaltstack(&stack, std::ptr::null_mut()), 0);
        for signal in [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE, libc::SIGPROF, libc::SIGTRAP] {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = on_signal as *const () as usize;
            action.sa_flags = libc::SA_ONSTACK | libc::SA_SIGINFO;
            assert_eq!(libc::sigaction(signal, &action, std::ptr::null_mut()), 0);
        }
        assert_eq!(libc::atexit(on_exit), 0);
    }
}

/// The case that is about to run.
pub fn set_case(text: &str) {
    let length = text.len().min(256);
    LENGTH.store(0, Ordering::SeqCst);
    // SAFETY: only the thread that runs the cases writes there, at most as many bytes as there are; a handler sees none of them meanwhile.
    unsafe { (&raw mut CASE).cast::<u8>().copy_from(text.as_ptr(), length) };
    LENGTH.store(length, Ordering::SeqCst);
}

/// Gives the next kernel its time: of the processor, whatever else it does.
pub fn start_clock(seconds: u32) {
    let time = |seconds| libc::timeval { tv_sec: seconds, tv_usec: 0 };
    let timer = libc::itimerval { it_interval: time(0), it_value: time(seconds.into()) };
    // SAFETY: the timer is there, and the old one is not asked for.
    unsafe { assert_eq!(libc::setitimer(libc::ITIMER_PROF, &timer, std::ptr::null_mut()), 0) };
}

/// All is well, or has been reported.
pub fn done() {
    DONE.store(true, Ordering::SeqCst);
}

fn say(texts: &[&[u8]]) {
    for text in texts {
        // SAFETY: the text has so many bytes.
        unsafe { libc::write(2, text.as_ptr().cast(), text.len()) };
    }
}

fn case() -> &'static [u8] {
    // SAFETY: so many bytes of the text have been written, and handlers end the process before there is another one.
    unsafe { std::slice::from_raw_parts((&raw const CASE).cast(), LENGTH.load(Ordering::SeqCst)) }
}

extern "C" fn on_signal(signal: c_int, _: *mut libc::siginfo_t, _: *mut libc::c_void) {
    let what: &[u8] = match signal {
        libc::SIGSEGV | libc::SIGBUS => b"touches memory that it may not",
        libc::SIGILL | libc::SIGTRAP => b"meets an instruction that is none",
        libc::SIGFPE => b"traps in arithmetic",
        _ => TOO_LONG.as_bytes(),
    };
    say(&[case(), b": ", what, b"\n"]);
    // SAFETY: a handler may end the process so.
    unsafe { libc::_exit(1) }
}

extern "C" fn on_exit() {
    if !DONE.load(Ordering::SeqCst) {
        say(&[case(), b": ends the process\n"]);
    }
}
