//! The operations of the hand-written kernels on 8 lanes of AVX2. A mask is a vector of all-ones and all-zeros lanes.

use core::arch::x86_64::*;

pub const W: usize = 8;
pub type Vf = __m256;
pub type Vi = __m256i;
pub type Vm = __m256;

macro_rules! ops {
    ($(fn $name:ident($($p:ident: $t:ty),*) $(-> $r:ty)? $body:block)*) => {
        $(#[allow(unused_unsafe)] #[target_feature(enable = "avx2,fma")] #[inline] pub unsafe fn $name($($p: $t),*) $(-> $r)? {
            // SAFETY: the processor has the features, and memory is only touched by the operations that take its address, whose callers vouch for it.
            unsafe { $body }
        })*
    };
}

ops! {
    fn load(p: *const f32) -> Vf { _mm256_loadu_ps(p) }
    fn store(p: *mut f32, v: Vf) { _mm256_storeu_ps(p, v) }
    fn loadi(p: *const i32) -> Vi { _mm256_loadu_si256(p.cast()) }
    fn storei(p: *mut i32, v: Vi) { _mm256_storeu_si256(p.cast(), v) }
    fn all(x: f32) -> Vf { _mm256_set1_ps(x) }
    fn alli(x: i32) -> Vi { _mm256_set1_epi32(x) }
    fn iota() -> Vi { _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7) }
    fn first(n: i32) -> Vm { _mm256_castsi256_ps(_mm256_cmpgt_epi32(alli(n), iota())) }
    fn load_first(p: *const f32, m: Vm) -> Vf { _mm256_maskload_ps(p, _mm256_castps_si256(m)) }
    fn store_first(p: *mut f32, m: Vm, v: Vf) { _mm256_maskstore_ps(p, _mm256_castps_si256(m), v) }
    fn storei_first(p: *mut i32, m: Vm, v: Vi) { _mm256_maskstore_epi32(p, _mm256_castps_si256(m), v) }
    fn gather(p: *const f32, at: Vi, m: Vm) -> Vf { _mm256_mask_i32gather_ps::<4>(_mm256_setzero_ps(), p, at, m) }
    fn add(a: Vf, b: Vf) -> Vf { _mm256_add_ps(a, b) }
    fn sub(a: Vf, b: Vf) -> Vf { _mm256_sub_ps(a, b) }
    fn mul(a: Vf, b: Vf) -> Vf { _mm256_mul_ps(a, b) }
    fn quotient(a: Vf, b: Vf) -> Vf { _mm256_div_ps(a, b) }
    fn fma(a: Vf, b: Vf, c: Vf) -> Vf { _mm256_fmadd_ps(a, b, c) }
    fn fms(a: Vf, b: Vf, c: Vf) -> Vf { _mm256_fmsub_ps(a, b, c) }
    fn root(a: Vf) -> Vf { _mm256_sqrt_ps(a) }
    fn down(a: Vf) -> Vf { _mm256_floor_ps(a) }
    fn magnitude(a: Vf) -> Vf { _mm256_andnot_ps(all(-0.0), a) }
    fn negate(a: Vf) -> Vf { _mm256_xor_ps(all(-0.0), a) }
    fn addi(a: Vi, b: Vi) -> Vi { _mm256_add_epi32(a, b) }
    fn muli(a: Vi, b: Vi) -> Vi { _mm256_mullo_epi32(a, b) }
    fn shift_right_8(a: Vi) -> Vi { _mm256_srli_epi32::<8>(a) }
    fn to_float(a: Vi) -> Vf { _mm256_cvtepi32_ps(a) }
    fn lt(a: Vf, b: Vf) -> Vm { _mm256_cmp_ps::<_CMP_LT_OQ>(a, b) }
    fn gt(a: Vf, b: Vf) -> Vm { _mm256_cmp_ps::<_CMP_GT_OQ>(a, b) }
    fn both(a: Vm, b: Vm) -> Vm { _mm256_and_ps(a, b) }
    fn either(a: Vm, b: Vm) -> Vm { _mm256_or_ps(a, b) }
    fn without(a: Vm, b: Vm) -> Vm { _mm256_andnot_ps(b, a) }
    fn any(m: Vm) -> bool { _mm256_movemask_ps(m) != 0 }
    fn no_lane() -> Vm { _mm256_setzero_ps() }
    fn every_lane() -> Vm { _mm256_castsi256_ps(alli(-1)) }
    fn blend(m: Vm, a: Vf, b: Vf) -> Vf { _mm256_blendv_ps(b, a, m) }
    fn blendi(m: Vm, a: Vi, b: Vi) -> Vi {
        _mm256_castps_si256(_mm256_blendv_ps(_mm256_castsi256_ps(b), _mm256_castsi256_ps(a), m))
    }
    fn count_up(a: Vi, m: Vm) -> Vi { _mm256_sub_epi32(a, _mm256_castps_si256(m)) }
    fn add_where(m: Vm, a: Vf, b: Vf) -> Vf { add(a, _mm256_and_ps(m, b)) }
    fn in_range(x: Vi, low: i32, high: i32) -> Vm {
        _mm256_castsi256_ps(_mm256_andnot_si256(_mm256_cmpgt_epi32(x, alli(high)), _mm256_cmpgt_epi32(x, alli(low))))
    }
    fn or_lanes(v: Vi) -> i32 {
        let h = _mm_or_si128(_mm256_castsi256_si128(v), _mm256_extracti128_si256::<1>(v));
        let h = _mm_or_si128(h, _mm_unpackhi_epi64(h, h));
        _mm_cvtsi128_si32(_mm_or_si128(h, _mm_shuffle_epi32::<1>(h)))
    }
    fn add_lanes(v: Vf) -> f32 {
        let h = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps::<1>(v));
        let h = _mm_add_ps(h, _mm_movehl_ps(h, h));
        _mm_cvtss_f32(_mm_add_ss(h, _mm_movehdup_ps(h)))
    }
}
