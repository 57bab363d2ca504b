//! Sums and extremes: `argminmax`, `simd-adler32`.

use super::{bytes, floats, up_to_avx2};
use crate::case::{Case, case};
use crate::pairs::Tolerance;
use argminmax::dtype_strategy::FloatIgnoreNaN;
use argminmax::simd::{AVX2, AVX512, SIMDArgMinMax};
use ivl::Level;

/// The crate's code for a level.
fn extremes(isa: Level, x: &[f32]) -> (usize, usize) {
    // SAFETY: the processor runs the level.
    unsafe { if isa == Level::Avx512 { AVX512::<FloatIgnoreNaN>::argminmax(x) } else { AVX2::<FloatIgnoreNaN>::argminmax(x) } }
}

pub fn cases(isa: Level, count: usize) -> Vec<Case> {
    vec![
        case!(
            "least and greatest float", count, Tolerance::None, "strict",
            data (floats(0, count / 4, -1.0, 1.0), [0; 2]),
            ours |d| argminmax(&d.0, &mut d.1) as |d, _n| d.1.iter().map(|&at| f64::from(at)).collect(),
            "argminmax", |d| extremes(isa, &d.0), as |_d, at| vec![at.0 as f64, at.1 as f64]
        ),
        case!(
            "Adler-32", count, Tolerance::None, "strict",
            data bytes(0, count),
            ours |d| adler32(d) as |_d, sum| vec![f64::from(*sum)],
            up_to_avx2(isa, "simd-adler32"), |d| simd_adler32::adler32(&&d[..]), as |_d, sum| vec![f64::from(*sum)]
        ),
        case!(
            "Adler-32 as defined", count, Tolerance::None, "strict",
            data bytes(0, count),
            ours |d| adler32_defined(d) as |_d, sum| vec![f64::from(*sum)],
            up_to_avx2(isa, "simd-adler32"), |d| simd_adler32::adler32(&&d[..]), as |_d, sum| vec![f64::from(*sum)]
        ),
    ]
}
