/* The same loops for a C compiler that vectorises them with the functions of its C library. */
#include <math.h>

void exp_all(const float *restrict x, float *restrict y, int n) { for (int i = 0; i < n; ++i) y[i] = expf(x[i]); }
void log_all(const float *restrict x, float *restrict y, int n) { for (int i = 0; i < n; ++i) y[i] = logf(x[i]); }
void sin_all(const float *restrict x, float *restrict y, int n) { for (int i = 0; i < n; ++i) y[i] = sinf(x[i]); }
void cos_all(const float *restrict x, float *restrict y, int n) { for (int i = 0; i < n; ++i) y[i] = cosf(x[i]); }
void atan_all(const float *restrict x, float *restrict y, int n) { for (int i = 0; i < n; ++i) y[i] = atanf(x[i]); }
void pow_all(const float *restrict x, float *restrict y, int n) { for (int i = 0; i < n; ++i) y[i] = powf(x[i], 2.2f); }
