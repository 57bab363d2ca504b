//! Functions of floats: `rten-vecmath`.

use super::{floats, wide};
use crate::buffer::Buffer;
use crate::case::{Case, case};
use crate::pairs::Tolerance;
use ivl::Level;
use rten_simd::functional::simd_map;
use rten_simd::isa::Avx2Isa;
use rten_simd::ops::GetNumOps;
use rten_simd::{SimdOp, SimdUnaryOp};
use rten_vecmath::{Exp, Sin, Softmax, Tanh};
use std::mem::MaybeUninit;

/// The crate's code for a level.
fn run<O: SimdOp>(isa: Level, operation: O) -> O::Output {
    #[target_feature(enable = "avx2,avx,fma,f16c")]
    fn avx2<O: SimdOp>(operation: O, isa: Avx2Isa) -> O::Output {
        operation.eval(isa)
    }
    match Avx2Isa::new() {
        // SAFETY: there is an `Avx2Isa` where the processor has these features.
        Some(avx) if isa == Level::Avx2 => unsafe { avx2(operation, avx) },
        _ => operation.dispatch(),
    }
}

/// The same elements, as the crate takes those that it writes.
fn unset(y: &mut [f32]) -> &mut [MaybeUninit<f32>] {
    // SAFETY: the layout is the same, and the crate writes all elements, so that none becomes unset.
    unsafe { &mut *(std::ptr::from_mut(y) as *mut [MaybeUninit<f32>]) }
}

fn map<O: SimdUnaryOp<f32>>(isa: Level, operation: O, d: &mut (Buffer<f32>, Buffer<f32>)) {
    struct Map<'a, O>(O, &'a [f32], &'a mut [MaybeUninit<f32>]);
    impl<O: SimdUnaryOp<f32>> SimdOp for Map<'_, O> {
        type Output = ();

        #[inline(always)]
        fn eval<I: rten_simd::Isa>(self, isa: I) {
            simd_map(
                f32::num_ops(isa),
                (self.1, self.2),
                #[inline(always)]
                |x| self.0.eval(isa, x),
            );
        }
    }
    run(isa, Map(operation, &d.0, unset(&mut d.1)));
}

pub fn cases(isa: Level, count: usize) -> Vec<Case> {
    let data = |low, high| (floats(0, count / 4, low, high), Buffer::new(1, &vec![0f32; count / 4]));
    vec![
        case!(
            "softmax", count, Tolerance::Each(1e-5), "contract",
            data data(-8.0, 8.0),
            ours |d| softmax(&d.0, &mut d.1) as |d, _n| wide(&d.1),
            "rten-vecmath", |d| { run(isa, Softmax::new(&d.0, unset(&mut d.1))); }, as |d, _n| wide(&d.1)
        ),
        case!(
            "exp", count, Tolerance::Each(1e-6), "contract",
            data data(-20.0, 20.0),
            ours |d| exp_all(&d.0, &mut d.1) as |d, _n| wide(&d.1),
            "rten-vecmath", |d| map(isa, Exp {}, d), as |d, _n| wide(&d.1)
        ),
        case!(
            "sin", count, Tolerance::Relative(1e-6), "contract",
            data data(-100.0, 100.0),
            ours |d| sin_all(&d.0, &mut d.1) as |d, _n| wide(&d.1),
            "rten-vecmath", |d| map(isa, Sin::new(), d), as |d, _n| wide(&d.1)
        ),
        case!(
            "tanh", count, Tolerance::Each(1e-6), "contract",
            data data(-5.0, 5.0),
            ours |d| tanh_all(&d.0, &mut d.1) as |d, _n| wide(&d.1),
            "rten-vecmath", |d| map(isa, Tanh {}, d), as |d, _n| wide(&d.1)
        ),
    ]
}
