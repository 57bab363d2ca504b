//! Kernels that look up in arrays of a constant number of elements: that they are read as a whole, and no further.

use super::kernel::Kernel;

/// Arrays of a constant number of elements, which are looked up in registers.
pub fn kernels() -> Vec<Kernel> {
    vec![
        Kernel::new(
            "table_of_five",
            "foreach (int block i = 0 .. n) b[i] = a[index[i] & 3];",
            |d| {
                d.has(0..5, 0..d.n, 0..0);
                d.has_index(d.n, |k| k * 7);
            },
            |d| (0..d.n).for_each(|i| d.b[i] = d.a[d.at(i) & 3]),
        )
        .with_types("T[5]", "T", "T"),
        Kernel::new(
            "table_of_thirteen",
            "foreach (int block i = 0 .. n) if (index[i] < 13) b[i] = a[index[i] & 15];",
            |d| {
                d.has(0..13, 0..d.n, 0..0);
                d.has_index(d.n, |k| k % 16);
            },
            |d| {
                for i in 0..d.n {
                    if d.at(i) < 13 {
                        d.b[i] = d.a[d.at(i)];
                    }
                }
            },
        )
        .with_types("T[13]", "T", "T"),
    ]
}
