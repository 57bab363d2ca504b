//! Parallel loops: the iterations of one are cut into pieces, which the threads of a pool take from one another.
//!
//! ```text
//! 0 ──────────────────────────── count
//! half and half again, until there are some pieces for each thread;   a piece that another thread takes is cut anew
//! ```
//! The pool starts with the first parallel loop. It has as many threads as the machine runs at once, or as
//! `IVL_THREADS` or [`set_threads`] says. With one thread there is no pool: the loop runs where it stands, in order.

use crate::print;
use rayon_core::{FnContext, ThreadPool, ThreadPoolBuilder, join_context};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Runs the iterations from `low` to before `high` of a loop whose variables `context` leads to.
pub type IvlTask = unsafe extern "C" fn(context: *const u8, low: i64, high: i64);

/// So many pieces there are for each thread, if there are as many iterations: uneven iterations are spread evenly.
const PIECES: usize = 8;

/// A thread has as much stack as the first thread of a program usually has.
const STACK: usize = 8 << 20;

/// What [`set_threads`] asks for; 0: nothing.
static WANTED: AtomicUsize = AtomicUsize::new(0);

/// Sets how many threads run parallel loops; 0 leaves it to `IVL_THREADS` and the machine. It counts if no parallel loop
/// has run yet.
pub fn set_threads(count: usize) {
    WANTED.store(count, Ordering::Relaxed);
}

/// How many threads there are to be.
fn wanted() -> usize {
    let variable = || std::env::var("IVL_THREADS").ok()?.trim().parse().ok();
    let machine = || std::thread::available_parallelism().map_or(1, |n| n.get());
    let some = |count: &usize| *count > 0;
    Some(WANTED.load(Ordering::Relaxed)).filter(some).or_else(|| variable().filter(some)).unwrap_or_else(machine)
}

/// The threads; `None` if there is one alone, or the system has no more.
fn pool() -> Option<&'static ThreadPool> {
    static POOL: OnceLock<Option<ThreadPool>> = OnceLock::new();
    let start = || match wanted() {
        1 => None,
        count => {
            let name = |k| format!("ivl-{k}");
            ThreadPoolBuilder::new().num_threads(count).thread_name(name).stack_size(STACK).build().ok()
        }
    };
    POOL.get_or_init(start).as_ref()
}

/// A loop that runs.
#[derive(Clone, Copy)]
struct Loop<'a> {
    task: IvlTask,
    context: *const u8,
    /// Where its iterations print.
    sink: &'a Option<print::Sink>,
    threads: usize,
}

// Iterations of a parallel loop share the variables of the function around it; that is what the programmer asked for.
unsafe impl Send for Loop<'_> {}
unsafe impl Sync for Loop<'_> {}

impl Loop<'_> {
    /// Runs iterations, cut into at most `pieces` pieces. Those that moved to another thread show that there are idle
    /// ones, and are cut again.
    fn run(self, low: i64, high: i64, pieces: usize, migrated: bool) {
        let pieces = if migrated { pieces.max(self.threads) } else { pieces };
        if pieces <= 1 || high - low <= 1 {
            return print::printing_to(self.sink, || unsafe { (self.task)(self.context, low, high) });
        }
        let middle = low + (high - low) / 2;
        let part = |low, high| move |f: FnContext| self.run(low, high, pieces / 2, f.migrated());
        join_context(part(low, middle), part(middle, high));
    }
}

/// Runs `count` iterations, on the threads of the pool, and comes back when all have run.
///
/// # Safety
/// `task` may be called with `context` for any part of the iterations, and for several parts at the same time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ivl_parallel(task: IvlTask, context: *const u8, count: i64) {
    let pool = if count > 1 { pool() } else { None };
    match pool {
        Some(pool) => {
            let (sink, threads) = (&print::sink(), pool.current_num_threads());
            let all = Loop { task, context, sink, threads };
            pool.install(|| all.run(0, count, threads * PIECES, false));
        }
        None if count > 0 => unsafe { task(context, 0, count) },
        None => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU32;

    unsafe extern "C" fn count(context: *const u8, low: i64, high: i64) {
        let counters = unsafe { std::slice::from_raw_parts(context.cast::<AtomicU32>(), 1000) };
        for k in low..high {
            counters[k as usize].fetch_add(1, Ordering::Relaxed);
        }
    }

    unsafe extern "C" fn nested(context: *const u8, low: i64, high: i64) {
        for _ in low..high {
            unsafe { ivl_parallel(count, context, 1000) };
        }
    }

    #[test]
    fn every_iteration_runs_once() {
        for n in [-1, 0, 1, 2, 3, 16, 17, 999, 1000] {
            let counters: Vec<AtomicU32> = (0..1000).map(|_| AtomicU32::new(0)).collect();
            unsafe { ivl_parallel(count, counters.as_ptr().cast(), n) };
            let ran = |k: usize| counters[k].load(Ordering::Relaxed);
            assert!((0..1000).all(|k| ran(k) == u32::from((k as i64) < n)), "{n}");
        }
    }

    #[test]
    fn parallel_loops_nest() {
        let counters: Vec<AtomicU32> = (0..1000).map(|_| AtomicU32::new(0)).collect();
        unsafe { ivl_parallel(nested, counters.as_ptr().cast(), 50) };
        assert!(counters.iter().all(|counter| counter.load(Ordering::Relaxed) == 50));
    }

    unsafe extern "C" fn shout(_: *const u8, low: i64, high: i64) {
        for _ in low..high {
            let (data, mask) = (c"x".as_ptr().cast(), std::ptr::null());
            let piece = crate::IvlPiece { kind: 0, signed: 0, length: 0, text_length: 1, data, mask };
            unsafe { crate::ivl_print(&raw const piece, 1) };
        }
    }

    #[test]
    fn what_iterations_print_is_captured_with_the_rest() {
        let ((), text) = crate::captured(|| unsafe { ivl_parallel(shout, std::ptr::null(), 40) });
        assert_eq!(text, "x".repeat(40));
    }
}
