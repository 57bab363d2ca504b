/* The operations of the hand-written kernels on 8 lanes of AVX2. A mask is a vector of all-ones and all-zeros lanes. */
#include <immintrin.h>
#define W 8
typedef __m256 vf;
typedef __m256i vi;
typedef __m256 vm;
#define INLINE static inline __attribute__((always_inline))
INLINE vf load(const float *p) { return _mm256_loadu_ps(p); }
INLINE void store(float *p, vf v) { _mm256_storeu_ps(p, v); }
INLINE vi loadi(const int *p) { return _mm256_loadu_si256((const __m256i *)p); }
INLINE void storei(int *p, vi v) { _mm256_storeu_si256((__m256i *)p, v); }
INLINE vf all(float x) { return _mm256_set1_ps(x); }
INLINE vi alli(int x) { return _mm256_set1_epi32(x); }
INLINE vi iota(void) { return _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7); }
INLINE vm first(int n) { return _mm256_castsi256_ps(_mm256_cmpgt_epi32(alli(n), iota())); }
INLINE vf load_first(const float *p, vm m) { return _mm256_maskload_ps(p, _mm256_castps_si256(m)); }
INLINE void store_first(float *p, vm m, vf v) { _mm256_maskstore_ps(p, _mm256_castps_si256(m), v); }
INLINE void storei_first(int *p, vm m, vi v) { _mm256_maskstore_epi32(p, _mm256_castps_si256(m), v); }
INLINE vf gather(const float *p, vi at, vm m) {
    return _mm256_mask_i32gather_ps(_mm256_setzero_ps(), p, at, m, 4);
}
INLINE vf add(vf a, vf b) { return _mm256_add_ps(a, b); }
INLINE vf sub(vf a, vf b) { return _mm256_sub_ps(a, b); }
INLINE vf mul(vf a, vf b) { return _mm256_mul_ps(a, b); }
INLINE vf quotient(vf a, vf b) { return _mm256_div_ps(a, b); }
INLINE vf fma(vf a, vf b, vf c) { return _mm256_fmadd_ps(a, b, c); }   /* a·b + c */
INLINE vf fms(vf a, vf b, vf c) { return _mm256_fmsub_ps(a, b, c); }   /* a·b − c */
INLINE vf fnma(vf a, vf b, vf c) { return _mm256_fnmadd_ps(a, b, c); } /* c − a·b */
INLINE vf root(vf a) { return _mm256_sqrt_ps(a); }
INLINE vf down(vf a) { return _mm256_floor_ps(a); }
INLINE vf magnitude(vf a) { return _mm256_andnot_ps(all(-0.0f), a); }
INLINE vf negate(vf a) { return _mm256_xor_ps(all(-0.0f), a); }
INLINE vi addi(vi a, vi b) { return _mm256_add_epi32(a, b); }
INLINE vi muli(vi a, vi b) { return _mm256_mullo_epi32(a, b); }
INLINE vi shift_right(vi a, int n) { return _mm256_srli_epi32(a, n); }
INLINE vf to_float(vi a) { return _mm256_cvtepi32_ps(a); }
INLINE vm lt(vf a, vf b) { return _mm256_cmp_ps(a, b, _CMP_LT_OQ); }
INLINE vm le(vf a, vf b) { return _mm256_cmp_ps(a, b, _CMP_LE_OQ); }
INLINE vm gt(vf a, vf b) { return _mm256_cmp_ps(a, b, _CMP_GT_OQ); }
INLINE vm lti(vi a, vi b) { return _mm256_castsi256_ps(_mm256_cmpgt_epi32(b, a)); }
INLINE vm both(vm a, vm b) { return _mm256_and_ps(a, b); }
INLINE vm either(vm a, vm b) { return _mm256_or_ps(a, b); }
INLINE vm without(vm a, vm b) { return _mm256_andnot_ps(b, a); } /* a and not b */
INLINE int any(vm m) { return _mm256_movemask_ps(m) != 0; }
INLINE vm no_lane(void) { return _mm256_setzero_ps(); }
INLINE vm every_lane(void) { return _mm256_castsi256_ps(alli(-1)); }
INLINE vf blend(vm m, vf a, vf b) { return _mm256_blendv_ps(b, a, m); } /* m ? a : b */
INLINE vi blendi(vm m, vi a, vi b) {
    return _mm256_castps_si256(_mm256_blendv_ps(_mm256_castsi256_ps(b), _mm256_castsi256_ps(a), m));
}
INLINE vi count_up(vi a, vm m) { return _mm256_sub_epi32(a, _mm256_castps_si256(m)); } /* + 1 where m */
INLINE vf add_where(vm m, vf a, vf b) { return add(a, _mm256_and_ps(m, b)); }
INLINE int in_range_any(vi x, int low, int high, vm *m) { /* low < x <= high */
    __m256i inside = _mm256_andnot_si256(_mm256_cmpgt_epi32(x, alli(high)), _mm256_cmpgt_epi32(x, alli(low)));
    *m = _mm256_castsi256_ps(inside);
    return !_mm256_testz_si256(inside, inside);
}
INLINE int or_lanes(vi v) {
    __m128i h = _mm_or_si128(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    h = _mm_or_si128(h, _mm_unpackhi_epi64(h, h));
    h = _mm_or_si128(h, _mm_shuffle_epi32(h, 1));
    return _mm_cvtsi128_si32(h);
}
INLINE float add_lanes(vf v) {
    __m128 h = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    h = _mm_add_ps(h, _mm_movehl_ps(h, h));
    h = _mm_add_ss(h, _mm_movehdup_ps(h));
    return _mm_cvtss_f32(h);
}
