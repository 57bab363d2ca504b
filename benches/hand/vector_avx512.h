/* The operations of the hand-written kernels on 16 lanes of AVX-512. A mask is a mask register. */
#include <immintrin.h>
#define W 16
typedef __m512 vf;
typedef __m512i vi;
typedef __mmask16 vm;
#define INLINE static inline __attribute__((always_inline))
INLINE vf load(const float *p) { return _mm512_loadu_ps(p); }
INLINE void store(float *p, vf v) { _mm512_storeu_ps(p, v); }
INLINE vi loadi(const int *p) { return _mm512_loadu_si512(p); }
INLINE void storei(int *p, vi v) { _mm512_storeu_si512(p, v); }
INLINE vf all(float x) { return _mm512_set1_ps(x); }
INLINE vi alli(int x) { return _mm512_set1_epi32(x); }
INLINE vi iota(void) { return _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15); }
INLINE vm first(int n) { return _mm512_cmplt_epi32_mask(iota(), alli(n)); }
INLINE vf load_first(const float *p, vm m) { return _mm512_maskz_loadu_ps(m, p); }
INLINE void store_first(float *p, vm m, vf v) { _mm512_mask_storeu_ps(p, m, v); }
INLINE void storei_first(int *p, vm m, vi v) { _mm512_mask_storeu_epi32(p, m, v); }
INLINE vf gather(const float *p, vi at, vm m) { return _mm512_mask_i32gather_ps(_mm512_setzero_ps(), m, at, p, 4); }
INLINE vf add(vf a, vf b) { return _mm512_add_ps(a, b); }
INLINE vf sub(vf a, vf b) { return _mm512_sub_ps(a, b); }
INLINE vf mul(vf a, vf b) { return _mm512_mul_ps(a, b); }
INLINE vf quotient(vf a, vf b) { return _mm512_div_ps(a, b); }
INLINE vf fma(vf a, vf b, vf c) { return _mm512_fmadd_ps(a, b, c); }
INLINE vf fms(vf a, vf b, vf c) { return _mm512_fmsub_ps(a, b, c); }
INLINE vf fnma(vf a, vf b, vf c) { return _mm512_fnmadd_ps(a, b, c); }
INLINE vf root(vf a) { return _mm512_sqrt_ps(a); }
INLINE vf down(vf a) { return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC); }
INLINE vf magnitude(vf a) { return _mm512_abs_ps(a); }
INLINE vf negate(vf a) { return _mm512_xor_ps(all(-0.0f), a); }
INLINE vi addi(vi a, vi b) { return _mm512_add_epi32(a, b); }
INLINE vi muli(vi a, vi b) { return _mm512_mullo_epi32(a, b); }
INLINE vi shift_right(vi a, int n) { return _mm512_srli_epi32(a, n); }
INLINE vf to_float(vi a) { return _mm512_cvtepi32_ps(a); }
INLINE vm lt(vf a, vf b) { return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ); }
INLINE vm le(vf a, vf b) { return _mm512_cmp_ps_mask(a, b, _CMP_LE_OQ); }
INLINE vm gt(vf a, vf b) { return _mm512_cmp_ps_mask(a, b, _CMP_GT_OQ); }
INLINE vm lti(vi a, vi b) { return _mm512_cmplt_epi32_mask(a, b); }
INLINE vm both(vm a, vm b) { return a & b; }
INLINE vm either(vm a, vm b) { return a | b; }
INLINE vm without(vm a, vm b) { return a & ~b; }
INLINE int any(vm m) { return m != 0; }
INLINE vm no_lane(void) { return 0; }
INLINE vm every_lane(void) { return 0xffff; }
INLINE vf blend(vm m, vf a, vf b) { return _mm512_mask_blend_ps(m, b, a); }
INLINE vi blendi(vm m, vi a, vi b) { return _mm512_mask_blend_epi32(m, b, a); }
INLINE vi count_up(vi a, vm m) { return _mm512_mask_add_epi32(a, m, a, alli(1)); }
INLINE vf add_where(vm m, vf a, vf b) { return _mm512_mask_add_ps(a, m, a, b); }
INLINE int in_range_any(vi x, int low, int high, vm *m) {
    vm above = _mm512_cmpgt_epi32_mask(x, alli(low));
    *m = _mm512_mask_cmple_epi32_mask(above, x, alli(high));
    return *m != 0;
}
INLINE int or_lanes(vi v) { return _mm512_reduce_or_epi32(v); }
INLINE float add_lanes(vf v) {
    __m256 q = _mm256_add_ps(_mm512_castps512_ps256(v), _mm512_extractf32x8_ps(v, 1));
    __m128 h = _mm_add_ps(_mm256_castps256_ps128(q), _mm256_extractf128_ps(q, 1));
    h = _mm_add_ps(h, _mm_movehl_ps(h, h));
    h = _mm_add_ss(h, _mm_movehdup_ps(h));
    return _mm_cvtss_f32(h);
}
