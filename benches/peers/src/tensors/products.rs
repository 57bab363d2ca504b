//! Products of matrices by the crates `matrixmultiply` and `gemm`, and in double precision.

use super::jobs::{Job, Tensor};

/// A product of matrices, or several of them one behind the other; the result lies by rows.
#[derive(Clone, Copy)]
pub struct Product {
    pub batch: usize,
    pub m: usize,
    pub n: usize,
    pub k: usize,
    /// Does the left matrix lie by columns?
    pub a_by_columns: bool,
    /// Does the right one?
    pub b_by_columns: bool,
}

impl Product {
    fn a(&self) -> [usize; 2] {
        if self.a_by_columns { [1, self.m] } else { [self.k, 1] }
    }

    fn b(&self) -> [usize; 2] {
        if self.b_by_columns { [1, self.k] } else { [self.n, 1] }
    }

    /// A place for the result.
    pub fn empty(&self) -> Vec<f32> {
        vec![0.0; self.batch * self.m * self.n]
    }

    /// The result in double precision.
    pub fn reference(&self, job: &Job) -> Vec<f64> {
        let [a, b] = [&job.inputs[0], &job.inputs[1]].map(Tensor::floats);
        let ([a_row, a_column], [b_row, b_column]) = (self.a(), self.b());
        let mut result = vec![0.0; self.batch * self.m * self.n];
        for (i, to) in result.chunks_mut(self.n).enumerate() {
            let (batch, i) = (i / self.m, i % self.m);
            let (a, b) = (&a[batch * self.m * self.k..], &b[batch * self.k * self.n..]);
            for k in 0..self.k {
                let factor = f64::from(a[i * a_row + k * a_column]);
                to.iter_mut().enumerate().for_each(|(j, sum)| *sum += factor * f64::from(b[k * b_row + j * b_column]));
            }
        }
        result
    }
}

/// A crate: the product, its matrices, the result and the number of threads.
type Multiply = fn(&Product, &Tensor, &Tensor, &mut [f32], usize);

/// The crates. Those who use them take care of matrices that lie behind each other.
pub const CRATES: [(&str, Multiply); 2] = [("matrixmultiply", by_matrixmultiply), ("gemm", by_gemm)];

/// The matrices of each product, which have as many elements as it says.
fn each(p: &Product, a: &Tensor, b: &Tensor, c: &mut [f32], mut multiply: impl FnMut(&[f32], &[f32], &mut [f32])) {
    assert!(c.len() == p.batch * p.m * p.n, "a place for all results");
    let matrices = a.floats().chunks_exact(p.m * p.k).zip(b.floats().chunks_exact(p.k * p.n));
    for ((a, b), c) in matrices.zip(c.chunks_exact_mut(p.m * p.n)) {
        multiply(a, b, c);
    }
}

/// How many threads it uses says a variable (`MATMUL_NUM_THREADS`).
fn by_matrixmultiply(p: &Product, a: &Tensor, b: &Tensor, c: &mut [f32], _threads: usize) {
    let ([ar, ac], [br, bc]) = (p.a().map(|s| s as isize), p.b().map(|s| s as isize));
    each(p, a, b, c, |a, b, c| {
        // SAFETY: `each` gives it whole matrices.
        unsafe {
            matrixmultiply::sgemm(
                p.m,
                p.k,
                p.n,
                1.0,
                a.as_ptr(),
                ar,
                ac,
                b.as_ptr(),
                br,
                bc,
                0.0,
                c.as_mut_ptr(),
                p.n as isize,
                1,
            );
        }
    });
}

fn by_gemm(p: &Product, a: &Tensor, b: &Tensor, c: &mut [f32], threads: usize) {
    let ([ar, ac], [br, bc]) = (p.a().map(|s| s as isize), p.b().map(|s| s as isize));
    let parallelism = if threads == 1 { gemm::Parallelism::None } else { gemm::Parallelism::Rayon(threads) };
    each(p, a, b, c, |a, b, c| {
        let (a, b, c) = (a.as_ptr(), b.as_ptr(), c.as_mut_ptr());
        // SAFETY: `each` gives it whole matrices.
        unsafe {
            gemm::gemm(
                p.m,
                p.n,
                p.k,
                c,
                1,
                p.n as isize,
                false,
                a,
                ac,
                ar,
                b,
                bc,
                br,
                0.0,
                1.0,
                false,
                false,
                false,
                parallelism,
            );
        }
    });
}
