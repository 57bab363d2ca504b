/* The same loops for a C compiler that vectorises them with the functions of its C library; with SLEEF defined, those that call
   SLEEF for whole registers: `_10` within 1.0 ulp, `_35` within 3.5. */
#ifdef SLEEF
#include <sleef.h>
#ifdef __AVX512F__
#define LANES 16
#define VECTOR __m512
#define LOAD _mm512_loadu_ps
#define STORE _mm512_storeu_ps
#define ALL _mm512_set1_ps
#define CALL(f, ulp) Sleef_##f##f16_##ulp##avx512f
#else
#define LANES 8
#define VECTOR __m256
#define LOAD _mm256_loadu_ps
#define STORE _mm256_storeu_ps
#define ALL _mm256_set1_ps
#define CALL(f, ulp) Sleef_##f##f8_##ulp##avx2
#endif
#define ONE(f, ulp, name) \
    void name(const float *x, float *y, int n) { \
        for (int i = 0; i < n; i += LANES) STORE(y + i, CALL(f, ulp)(LOAD(x + i))); \
    }
#define TWO(f, ulp, name) \
    void name(const float *x, float *y, int n) { \
        for (int i = 0; i < n; i += LANES) STORE(y + i, CALL(f, ulp)(LOAD(x + i), ALL(2.2f))); \
    }
ONE(exp, u10, exp_all_10)
ONE(exp2, u10, exp2_all_10)
ONE(expm1, u10, expm1_all_10)
ONE(log, u10, log_all_10)
ONE(log2, u10, log2_all_10)
ONE(log10, u10, log10_all_10)
ONE(log1p, u10, log1p_all_10)
ONE(cbrt, u10, cbrt_all_10)
ONE(sin, u10, sin_all_10)
ONE(cos, u10, cos_all_10)
ONE(tan, u10, tan_all_10)
ONE(asin, u10, asin_all_10)
ONE(acos, u10, acos_all_10)
ONE(atan, u10, atan_all_10)
ONE(sinh, u10, sinh_all_10)
ONE(cosh, u10, cosh_all_10)
ONE(tanh, u10, tanh_all_10)
ONE(exp2, u35, exp2_all_35)
ONE(log, u35, log_all_35)
ONE(log2, u35, log2_all_35)
ONE(cbrt, u35, cbrt_all_35)
ONE(sin, u35, sin_all_35)
ONE(cos, u35, cos_all_35)
ONE(tan, u35, tan_all_35)
ONE(asin, u35, asin_all_35)
ONE(acos, u35, acos_all_35)
ONE(atan, u35, atan_all_35)
ONE(sinh, u35, sinh_all_35)
ONE(cosh, u35, cosh_all_35)
ONE(tanh, u35, tanh_all_35)
TWO(pow, u10, pow_all_10)
TWO(atan2, u10, atan2_all_10)
TWO(atan2, u35, atan2_all_35)
TWO(hypot, u05, hypot_all_10)
TWO(hypot, u35, hypot_all_35)
#else
#include <math.h>

#define ONE(name) \
    void name##_all(const float *restrict x, float *restrict y, int n) { \
        for (int i = 0; i < n; ++i) y[i] = name##f(x[i]); \
    }
#define TWO(name) \
    void name##_all(const float *restrict x, float *restrict y, int n) { \
        for (int i = 0; i < n; ++i) y[i] = name##f(x[i], 2.2f); \
    }
ONE(exp)
ONE(exp2)
ONE(expm1)
ONE(log)
ONE(log2)
ONE(log10)
ONE(log1p)
ONE(cbrt)
ONE(sin)
ONE(cos)
ONE(tan)
ONE(asin)
ONE(acos)
ONE(atan)
ONE(sinh)
ONE(cosh)
ONE(tanh)
TWO(pow)
TWO(atan2)
TWO(hypot)
#endif
