//! The operations of the hand-written kernels on 16 lanes of AVX-512. A mask is a mask register.

use core::arch::x86_64::*;

pub const W: usize = 16;
pub type Vf = __m512;
pub type Vi = __m512i;
pub type Vm = __mmask16;

macro_rules! ops {
    ($(fn $name:ident($($p:ident: $t:ty),*) $(-> $r:ty)? $body:block)*) => {
        $(#[allow(unused_unsafe)] #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,fma")] #[inline]
        pub unsafe fn $name($($p: $t),*) $(-> $r)? {
            // SAFETY: the processor has the features, and memory is only touched by the operations that take its address, whose callers vouch for it.
            unsafe { $body }
        })*
    };
}

ops! {
    fn load(p: *const f32) -> Vf { _mm512_loadu_ps(p) }
    fn store(p: *mut f32, v: Vf) { _mm512_storeu_ps(p, v) }
    fn loadi(p: *const i32) -> Vi { _mm512_loadu_si512(p.cast()) }
    fn storei(p: *mut i32, v: Vi) { _mm512_storeu_si512(p.cast(), v) }
    fn all(x: f32) -> Vf { _mm512_set1_ps(x) }
    fn alli(x: i32) -> Vi { _mm512_set1_epi32(x) }
    fn iota() -> Vi { _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) }
    fn first(n: i32) -> Vm { _mm512_cmplt_epi32_mask(iota(), alli(n)) }
    fn load_first(p: *const f32, m: Vm) -> Vf { _mm512_maskz_loadu_ps(m, p) }
    fn store_first(p: *mut f32, m: Vm, v: Vf) { _mm512_mask_storeu_ps(p, m, v) }
    fn storei_first(p: *mut i32, m: Vm, v: Vi) { _mm512_mask_storeu_epi32(p, m, v) }
    fn gather(p: *const f32, at: Vi, m: Vm) -> Vf { _mm512_mask_i32gather_ps::<4>(_mm512_setzero_ps(), m, at, p.cast()) }
    fn add(a: Vf, b: Vf) -> Vf { _mm512_add_ps(a, b) }
    fn sub(a: Vf, b: Vf) -> Vf { _mm512_sub_ps(a, b) }
    fn mul(a: Vf, b: Vf) -> Vf { _mm512_mul_ps(a, b) }
    fn quotient(a: Vf, b: Vf) -> Vf { _mm512_div_ps(a, b) }
    fn fma(a: Vf, b: Vf, c: Vf) -> Vf { _mm512_fmadd_ps(a, b, c) }
    fn fms(a: Vf, b: Vf, c: Vf) -> Vf { _mm512_fmsub_ps(a, b, c) }
    fn root(a: Vf) -> Vf { _mm512_sqrt_ps(a) }
    fn down(a: Vf) -> Vf { _mm512_roundscale_ps::<{ _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC }>(a) }
    fn magnitude(a: Vf) -> Vf { _mm512_abs_ps(a) }
    fn negate(a: Vf) -> Vf { _mm512_xor_ps(all(-0.0), a) }
    fn addi(a: Vi, b: Vi) -> Vi { _mm512_add_epi32(a, b) }
    fn muli(a: Vi, b: Vi) -> Vi { _mm512_mullo_epi32(a, b) }
    fn shift_right_8(a: Vi) -> Vi { _mm512_srli_epi32::<8>(a) }
    fn to_float(a: Vi) -> Vf { _mm512_cvtepi32_ps(a) }
    fn lt(a: Vf, b: Vf) -> Vm { _mm512_cmp_ps_mask::<_CMP_LT_OQ>(a, b) }
    fn gt(a: Vf, b: Vf) -> Vm { _mm512_cmp_ps_mask::<_CMP_GT_OQ>(a, b) }
    fn both(a: Vm, b: Vm) -> Vm { a & b }
    fn either(a: Vm, b: Vm) -> Vm { a | b }
    fn without(a: Vm, b: Vm) -> Vm { a & !b }
    fn any(m: Vm) -> bool { m != 0 }
    fn no_lane() -> Vm { 0 }
    fn every_lane() -> Vm { 0xffff }
    fn blend(m: Vm, a: Vf, b: Vf) -> Vf { _mm512_mask_blend_ps(m, b, a) }
    fn blendi(m: Vm, a: Vi, b: Vi) -> Vi { _mm512_mask_blend_epi32(m, b, a) }
    fn count_up(a: Vi, m: Vm) -> Vi { _mm512_mask_add_epi32(a, m, a, alli(1)) }
    fn add_where(m: Vm, a: Vf, b: Vf) -> Vf { _mm512_mask_add_ps(a, m, a, b) }
    fn in_range(x: Vi, low: i32, high: i32) -> Vm {
        _mm512_mask_cmple_epi32_mask(_mm512_cmpgt_epi32_mask(x, alli(low)), x, alli(high))
    }
    fn or_lanes(v: Vi) -> i32 { _mm512_reduce_or_epi32(v) }
    fn add_lanes(v: Vf) -> f32 {
        let q = _mm256_add_ps(_mm512_castps512_ps256(v), _mm512_extractf32x8_ps::<1>(v));
        let h = _mm_add_ps(_mm256_castps256_ps128(q), _mm256_extractf128_ps::<1>(q));
        let h = _mm_add_ps(h, _mm_movehl_ps(h, h));
        _mm_cvtss_f32(_mm_add_ss(h, _mm_movehdup_ps(h)))
    }
}
