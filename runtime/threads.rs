//! Parallel loops: threads take pieces of the iterations until none is left.
//!
//! ```text
//! 0 ──────────────────────────── count
//! a share of what is left, then of what is left then, …, one by one at the end: threads that got less work take more pieces
//! ```
//! The thread that comes to the loop takes pieces like all others; those of a pool help. The pool starts with the first parallel
//! loop. With it there are as many threads as the machine runs at once, or as `IVL_THREADS` or [`set_threads`] says. With one
//! thread there is no pool: the loop runs where it stands, in order.

use crate::{checks, print};
use rayon_core::{Scope, ThreadPool, ThreadPoolBuilder};
use std::io::Write;
use std::sync::atomic::{AtomicI64, AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Runs the iterations from `low` to before `high` of a loop whose variables `context` leads to. 0 if all have run, else 1: one has
/// failed, and why was kept for the thread.
pub type IvlTask = unsafe extern "C" fn(context: *const u8, low: i64, high: i64) -> u32;

/// A piece is one of so many for each thread of what is left: uneven iterations are spread evenly.
const PIECES: i64 = 4;

/// The thread of a loop looks so many times whether the others are done before it sleeps: waking up takes as long as a small loop.
const LOOKS: u32 = 2000;

/// A thread has as much stack as the first thread of a program usually has.
const STACK: usize = 8 << 20;

/// What [`set_threads`] asks for; 0: nothing.
static WANTED: AtomicUsize = AtomicUsize::new(0);

/// Sets how many threads run parallel loops, at most [`most_threads`]; 0 leaves it to `IVL_THREADS` and the machine. It counts if no
/// parallel loop has run yet.
pub fn set_threads(count: usize) {
    WANTED.store(count, Ordering::Relaxed);
}

/// How many threads may run parallel loops: some for each that the machine runs at once, and enough to try out what many do. More
/// would have nothing to run on, and take memory and time to start.
pub fn most_threads() -> usize {
    (4 * of_the_machine()).max(64)
}

fn of_the_machine() -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get())
}

/// How many threads there are to be, and what is said of the variable.
fn wanted(set: usize, variable: Option<&str>) -> (usize, Option<String>) {
    let most = most_threads();
    match (set, variable) {
        (0, None) => (of_the_machine(), None),
        (0, Some(text)) => match text.trim().parse::<usize>() {
            Ok(count) if (1..=most).contains(&count) => (count, None),
            Ok(count) if count > most => (most, Some(format!("IVL_THREADS={text}: there are {most} threads at most"))),
            Ok(_) | Err(_) => {
                let count = of_the_machine();
                (count, Some(format!("IVL_THREADS={text}: not a number from 1 to {most}; there are {count} threads")))
            }
        },
        (count, _) => (count.min(most), None),
    }
}

/// The threads that help in a process; `None` if there are none, or the system has no more.
struct Pool {
    process: u32,
    threads: Option<ThreadPool>,
}

impl Pool {
    fn start(process: u32) -> Pool {
        let variable = std::env::var_os("IVL_THREADS").map(|text| text.to_string_lossy().into_owned());
        let (count, complaint) = wanted(WANTED.load(Ordering::Relaxed), variable.as_deref());
        if let Some(complaint) = complaint {
            // Nobody is left to tell if that is gone.
            let _ = writeln!(std::io::stderr(), "{complaint}");
        }
        let name = |k| format!("ivl-{k}");
        let build = || ThreadPoolBuilder::new().num_threads(count - 1).thread_name(name).stack_size(STACK).build().ok();
        Pool { process, threads: if count > 1 { build() } else { None } }
    }
}

/// The threads that help. A child that `fork` made has none of those of its parent, and starts its own: what the parent knew of its
/// threads is left as it is.
fn pool() -> Option<&'static ThreadPool> {
    static POOL: AtomicPtr<Pool> = AtomicPtr::new(std::ptr::null_mut());
    let process = std::process::id();
    let mut known = POOL.load(Ordering::Acquire);
    // SAFETY: what is kept in `POOL` is whole and lives as long as the process.
    while unsafe { known.as_ref() }.is_none_or(|pool| pool.process != process) {
        let fresh = Box::into_raw(Box::new(Pool::start(process)));
        match POOL.compare_exchange(known, fresh, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => known = fresh,
            Err(others) => {
                // SAFETY: nobody else has seen it.
                drop(unsafe { Box::from_raw(fresh) });
                known = others;
            }
        }
    }
    // SAFETY: as above, and it is not null now.
    unsafe { &*known }.threads.as_ref()
}

/// A loop that runs.
struct Loop<'a> {
    task: IvlTask,
    context: *const u8,
    count: i64,
    /// Where its iterations print.
    sink: &'a Option<print::Sink>,
    /// With the one that came to it.
    threads: i64,
    /// The first iteration that nobody took.
    next: AtomicI64,
    /// How many threads were asked to help and are not done.
    helping: AtomicUsize,
    /// Where the first piece begins that failed, and why it did. All pieces before it have been taken, so that the least iteration that
    /// fails is the one that is reported, whichever thread was faster.
    failure: Mutex<Option<(i64, String)>>,
}

// SAFETY: what it leads to, iterations share: `ivl_parallel` is only called with a task that may run at the same time with its context.
unsafe impl Sync for Loop<'_> {}

impl Loop<'_> {
    /// Runs pieces until none is left.
    fn run(&self) {
        let end = |low: i64| low + ((self.count - low) / (PIECES * self.threads)).max(1);
        let take = || self.next.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |low| (low < self.count).then(|| end(low)));
        while let Ok(low) = take() {
            // SAFETY: the task may be called for any part of the iterations, which is the contract of `ivl_parallel`.
            if print::printing_to(self.sink, || unsafe { (self.task)(self.context, low, end(low)) }) != 0 {
                // Nothing is left for anybody.
                self.next.store(self.count, Ordering::Relaxed);
                let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
                if failure.as_ref().is_none_or(|(first, _)| low < *first) {
                    *failure = Some((low, checks::kept()));
                }
            }
        }
    }

    /// Asks so many threads to help: each asks half of the others in its turn, so that many are awake soon.
    fn ask<'s>(&'s self, scope: &Scope<'s>, mut others: usize) {
        while others > 0 {
            let half = others / 2;
            others -= half + 1;
            scope.spawn(move |scope| {
                self.ask(scope, half);
                self.run();
                self.helping.fetch_sub(1, Ordering::Release);
            });
        }
    }

    /// Waits a little for the others.
    fn look(&self) {
        let is_done = || self.helping.load(Ordering::Acquire) == 0;
        let _ = (0..LOOKS).take_while(|_| !is_done()).map(|_| std::hint::spin_loop()).count();
    }
}

/// Runs `count` iterations, on the threads of the pool, and comes back when all have run. 0 if so, else 1: one has failed, after which
/// none began, and why the first of those that failed did was kept for this thread.
///
/// # Safety
/// `task` may be called with `context` for any part of the iterations, and for several parts at the same time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ivl_parallel(task: IvlTask, context: *const u8, count: i64) -> u32 {
    let pool = if count > 1 { pool() } else { None };
    match pool {
        Some(pool) => {
            let threads = pool.current_num_threads() + 1;
            let others = (threads - 1).min(count as usize - 1);
            let (next, helping, sink) = (AtomicI64::new(0), AtomicUsize::new(others), &print::sink());
            let failure = Mutex::new(None);
            let all = Loop { task, context, count, sink, threads: threads as i64, next, helping, failure };
            pool.in_place_scope(|scope| {
                all.ask(scope, others);
                all.run();
                // A thread of the pool has other work, and what it asked for may wait for itself.
                if pool.current_thread_index().is_none() {
                    all.look();
                }
            });
            match all.failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
                Some((_, message)) => {
                    checks::keep(message);
                    1
                }
                None => 0,
            }
        }
        // SAFETY: as the contract says; all iterations are one part.
        None if count > 0 => unsafe { task(context, 0, count) },
        None => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU32;

    unsafe extern "C" fn count(context: *const u8, low: i64, high: i64) -> u32 {
        // SAFETY: the tests hand over a thousand counters.
        let counters = unsafe { std::slice::from_raw_parts(context.cast::<AtomicU32>(), 1000) };
        for k in low..high {
            counters[k as usize].fetch_add(1, Ordering::Relaxed);
        }
        0
    }

    unsafe extern "C" fn nested(context: *const u8, low: i64, high: i64) -> u32 {
        // SAFETY: `count` takes the thousand counters that came as the context, and counts atomically.
        (low..high).map(|_| unsafe { ivl_parallel(count, context, 1000) }).sum()
    }

    #[test]
    fn every_iteration_runs_once() {
        for n in [-1, 0, 1, 2, 3, 16, 17, 999, 1000] {
            let counters: Vec<AtomicU32> = (0..1000).map(|_| AtomicU32::new(0)).collect();
            // SAFETY: there are a thousand counters, which are counted atomically.
            unsafe { ivl_parallel(count, counters.as_ptr().cast(), n) };
            let ran = |k: usize| counters[k].load(Ordering::Relaxed);
            assert!((0..1000).all(|k| ran(k) == u32::from((k as i64) < n)), "{n}");
        }
    }

    #[test]
    fn parallel_loops_nest() {
        let counters: Vec<AtomicU32> = (0..1000).map(|_| AtomicU32::new(0)).collect();
        // SAFETY: there are a thousand counters, which are counted atomically.
        unsafe { ivl_parallel(nested, counters.as_ptr().cast(), 50) };
        assert!(counters.iter().all(|counter| counter.load(Ordering::Relaxed) == 50));
    }

    #[test]
    fn threads_are_as_many_as_make_sense() {
        let most = most_threads();
        assert_eq!(wanted(3, Some("5")), (3, None));
        assert_eq!(wanted(0, Some(" 5 ")), (5, None));
        assert_eq!(wanted(0, None), (of_the_machine(), None));
        assert_eq!(wanted(1_000_000, None), (most, None));
        let (count, complaint) = wanted(0, Some("1000000"));
        assert_eq!(
            (count, complaint.as_deref()),
            (most, Some(&*format!("IVL_THREADS=1000000: there are {most} threads at most")))
        );
        for text in ["0", "-1", "abc", "", "99999999999999999999999"] {
            let (count, complaint) = wanted(0, Some(text));
            assert_eq!(count, of_the_machine());
            assert!(complaint.is_some_and(|said| said.starts_with(&format!("IVL_THREADS={text}: not a number from 1 to "))));
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_forked_child_runs_parallel_loops() {
        unsafe extern "C" {
            fn fork() -> i32;
            fn waitpid(child: i32, status: *mut i32, options: i32) -> i32;
            fn alarm(seconds: u32) -> u32;
            fn _exit(status: i32) -> !;
        }
        let runs = || {
            let counters: Vec<AtomicU32> = (0..1000).map(|_| AtomicU32::new(0)).collect();
            // SAFETY: there are a thousand counters, which are counted atomically.
            (0..20).for_each(|_| assert_eq!(unsafe { ivl_parallel(count, counters.as_ptr().cast(), 1000) }, 0));
            counters.iter().all(|counter| counter.load(Ordering::Relaxed) == 20)
        };
        set_threads(4);
        assert!(runs());
        // SAFETY: no other thread of the test holds what the child goes on to use: that is what is tested.
        let child = unsafe { fork() };
        if child == 0 {
            // The child of a child as well, and one that hangs ends by a signal.
            // SAFETY: it only asks for a signal.
            unsafe { alarm(20) };
            let good = runs();
            // SAFETY: no other thread of the test holds what the child goes on to use: that is what is tested.
            let grandchild = unsafe { fork() };
            if grandchild == 0 {
                // SAFETY: it only asks for a signal.
                unsafe { alarm(10) };
                // SAFETY: the child ends here.
                unsafe { _exit(i32::from(!runs())) };
            }
            let mut status = -1;
            // SAFETY: the status is a number of this function.
            unsafe { waitpid(grandchild, &raw mut status, 0) };
            // SAFETY: the child ends here.
            unsafe { _exit(i32::from(!good || status != 0)) };
        }
        let mut status = -1;
        // SAFETY: the status is a number of this function.
        assert_eq!(unsafe { waitpid(child, &raw mut status, 0) }, child);
        assert_eq!(status, 0, "of the child: an exit code times 256, or a signal");
        assert!(runs());
    }

    unsafe extern "C" fn shout(_: *const u8, low: i64, high: i64) -> u32 {
        for _ in low..high {
            let (data, mask) = (c"x".as_ptr().cast(), std::ptr::null());
            let piece = crate::IvlPiece { kind: 0, signed: 0, length: 0, text_length: 1, data, mask };
            // SAFETY: there is one piece, whose text has a byte.
            unsafe { crate::ivl_print(&raw const piece, 1) };
        }
        0
    }

    unsafe extern "C" fn fails_at_7(context: *const u8, low: i64, high: i64) -> u32 {
        // SAFETY: the context is what came.
        unsafe { count(context, low, high.min(8)) };
        if low <= 7 && 7 < high {
            checks::keep("the seventh".into());
        }
        u32::from(low <= 7 && 7 < high)
    }

    unsafe extern "C" fn fails_inside(context: *const u8, low: i64, high: i64) -> u32 {
        // SAFETY: the context is what came: a thousand counters.
        (low..high).map(|_| unsafe { ivl_parallel(fails_at_7, context, 100) }).max().unwrap_or(0)
    }

    #[test]
    fn a_failure_stops_the_loop_and_is_handed_over() {
        for task in [fails_at_7 as IvlTask, fails_inside] {
            for n in [8, 100] {
                let counters: Vec<AtomicU32> = (0..1000).map(|_| AtomicU32::new(0)).collect();
                checks::keep(String::new());
                // SAFETY: there are a thousand counters, which are counted atomically.
                assert_eq!(unsafe { ivl_parallel(task, counters.as_ptr().cast(), n) }, 1);
                assert_eq!(checks::completed(1).expect_err("a failure").message(), "the seventh");
                assert!(counters[7].load(Ordering::Relaxed) > 0);
            }
        }
        let counters: Vec<AtomicU32> = (0..1000).map(|_| AtomicU32::new(0)).collect();
        // SAFETY: there are a thousand counters, which are counted atomically.
        assert_eq!(unsafe { ivl_parallel(fails_at_7, counters.as_ptr().cast(), 7) }, 0);
    }

    /// All iterations from 8 on fail; what comes to the eighth lets another one fail before, if there is one.
    unsafe extern "C" fn fails_from_8(context: *const u8, low: i64, high: i64) -> u32 {
        if high <= 8 {
            return 0;
        }
        // SAFETY: the context is the flag.
        let has_failed = unsafe { &*context.cast::<AtomicU32>() };
        if low <= 8 {
            let start = std::time::Instant::now();
            while has_failed.load(Ordering::Acquire) == 0 && start.elapsed().as_millis() < 200 {
                std::thread::yield_now();
            }
        }
        checks::keep(format!("iteration {}", low.max(8)));
        has_failed.store(1, Ordering::Release);
        1
    }

    #[test]
    fn of_iterations_that_fail_the_first_is_reported() {
        for n in [9, 10, 40, 1000] {
            let has_failed = AtomicU32::new(0);
            // SAFETY: the flag is atomic.
            assert_eq!(unsafe { ivl_parallel(fails_from_8, (&raw const has_failed).cast(), n) }, 1);
            assert_eq!(checks::completed(1).expect_err("a failure").message(), "iteration 8");
        }
    }

    #[test]
    fn what_iterations_print_is_captured_with_the_rest() {
        // SAFETY: the task does not look at its context.
        let (_, text) = crate::captured(|| unsafe { ivl_parallel(shout, std::ptr::null(), 40) });
        assert_eq!(text, "x".repeat(40));
    }
}
