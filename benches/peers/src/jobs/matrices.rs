//! Products of matrices: `matrixmultiply`, whose feature for AVX-512 is that of the package.

use super::{floats, wide};
use crate::case::{Case, case};
use crate::pairs::Tolerance;
use ivl::Level;

pub fn cases(_isa: Level, count: usize) -> Vec<Case> {
    let n = (count / 4).isqrt();
    let matrix = |place| floats(place, n * n, -1.0, 1.0);
    let data = || (matrix(0), matrix(1), matrix(2), n as i32);
    vec![case!(
        "product of matrices", 4 * n * n, Tolerance::Relative(1e-5), "contract",
        data data(),
        ours |d| multiply(&d.0, &d.1, &mut d.2, d.3) as |d, _n| wide(&d.2),
        // SAFETY: each has n rows of n elements.
        "matrixmultiply", |d| unsafe {
            let (row, column) = (n as isize, 1);
            let (a, b, c) = (d.0.as_ptr(), d.1.as_ptr(), d.2.as_mut_ptr());
            matrixmultiply::sgemm(n, n, n, 1.0, a, row, column, b, row, column, 0.0, c, row, column);
        }, as |d, _n| wide(&d.2)
    )]
}
