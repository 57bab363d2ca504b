//! Kernels that are wrong: what they do has to be noticed, and what is said has to name them.

use super::kernel::Kernel;
use super::signals::TOO_LONG;

/// Names the kernel that a process is to run.
pub const VARIABLE: &str = "IVL_GUARD_WRONG";

/// The kernels, with what is said about each.
pub fn kernels() -> Vec<(Kernel, &'static str)> {
    let copied = |d: &mut super::kernel::Data| (0..d.n).for_each(|i| d.b[i] = d.a[i]);
    vec![
        (
            Kernel::new(
                "reads_one_too_many",
                "foreach (int block i = 0 .. n + 1) { T x = a[i]; if (i < n) b[i] = x; }",
                |d| d.has(0..d.n, 0..d.n, 0..0),
                copied,
            ),
            "n = 0, memory at the Start of its pages: touches memory that it may not",
        ),
        (
            Kernel::new(
                "reads_one_before",
                "foreach (int block i = 0 .. n) b[i] = a[i] + 0 * a[i - 1];",
                |d| d.has(0..d.n, 0..d.n, 0..0),
                copied,
            ),
            "memory at the Start of its pages: touches memory that it may not",
        ),
        (
            Kernel::new(
                "writes_one_too_many",
                "foreach (int block i = 0 .. n) b[i] = a[i]; if (n > 0) b[n] = 1;",
                |d| d.has(0..d.n, 0..d.n, 0..0),
                copied,
            ),
            "in `b` byte 4 (element 1) is 0x00 instead of 0xa5",
        ),
        (
            Kernel::new(
                "forgets_the_last",
                "foreach (int block i = 0 .. n - 1) b[i] = a[i];",
                |d| d.has(0..d.n, 0..d.n, 0..0),
                copied,
            ),
            "(element 0) is ",
        ),
        (Kernel::new("calls", "ivl_test_call(n);", |_| {}, |_| {}), "in `calls` there are 1 instead of 0"),
        (Kernel::new("does_not_end", "while (true) { }", |_| {}, |_| {}), TOO_LONG),
        (Kernel::new("recurses", "T x = never_ends((T) 1); *b = x;", |_| {}, |_| {}), "touches memory that it may not"),
        (Kernel::new("asserts", "assert(n > 0);", |_| {}, |_| {}), "ends the process"),
    ]
}
