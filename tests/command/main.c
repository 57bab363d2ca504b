/* Calls all exports of kernels.ivl; the exit code is 0 if every value is right. */

#include "kernels.h"

#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                             \
    do {                                                             \
        if (!(condition)) {                                          \
            printf("line %d: %s does not hold\n", __LINE__, #condition); \
            exit(1);                                                 \
        }                                                            \
    } while (0)

enum { N = 37 };

/* Elements up to the extent have one more, the one behind it is as it was. */
#define ARRAY(type, name, first)                                              \
    do {                                                                      \
        type a[N + 1];                                                        \
        for (int n = 0; n <= N; ++n) {                                        \
            for (int k = 0; k <= N; ++k) a[k] = (type)((type)(first) + (type)k); \
            add_##name(a, n);                                                 \
            for (int k = 0; k <= N; ++k)                                      \
                CHECK(a[k] == (type)((type)(first) + (type)k + (type)(k < n))); \
        }                                                                     \
    } while (0)

static void arrays(void) {
    ARRAY(int8_t, int8, INT8_MAX - 5);
    ARRAY(int16_t, int16, -7);
    ARRAY(int32_t, int32, -7);
    ARRAY(int64_t, int64, INT64_MAX / 2);
    ARRAY(uint8_t, uint8, UINT8_MAX - 5);
    ARRAY(uint16_t, uint16, UINT16_MAX - 5);
    ARRAY(uint32_t, uint32, UINT32_MAX - 5);
    ARRAY(uint64_t, uint64, UINT64_MAX - 5);
    ARRAY(float, float, 0.5);
    ARRAY(double, double, 0.25);
    bool b[N];
    for (int k = 0; k < N; ++k) b[k] = k % 3 == 0;
    add_bool(b, N - 1);
    for (int k = 0; k < N; ++k) CHECK(b[k] == ((k % 3 == 0) != (k < N - 1)));
}

static void scalars(void) {
    CHECK(not_bool(false) && !not_bool(true));
    CHECK(next_int8(INT8_MAX) == INT8_MIN && next_int8(-1) == 0);
    CHECK(next_int16(INT16_MAX) == INT16_MIN && next_int16(-300) == -299);
    CHECK(next_int32(INT32_MAX) == INT32_MIN);
    CHECK(register_(40) == 42);
    CHECK(next_int64(INT64_MAX) == INT64_MIN && next_int64(1LL << 40) == (1LL << 40) + 1);
    CHECK(next_uint8(UINT8_MAX) == 0 && next_uint8(200) == 201);
    CHECK(next_uint16(UINT16_MAX) == 0 && next_uint16(60000) == 60001);
    CHECK(next_uint32(UINT32_MAX) == 0 && next_uint32(4000000000u) == 4000000001u);
    CHECK(next_uint64(UINT64_MAX) == 0);
    CHECK(next_float(0.5f) == 1.5f && next_double(0.1) == 0.1 + 1);
    CHECK(many(-1, 2, true, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16) == 134);
    CHECK(many(-1, 2, false, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16) == -134);
    CHECK(words_of_c(1, 2, 3, 4, 5, (struct words){ 100000, 200000 }) == 354321);
}

static void structs(void) {
    struct vec3 v = add_vec3((struct vec3){ 1, 2, 3 }, (struct vec3){ 10, 20, 30 });
    CHECK(v.x == 11 && v.y == 22 && v.z == 33);
    struct Small s = small((struct Small){ -1, 1000 });
    CHECK(s.tag == 0 && s.value == 1002);
    struct Pair p = pair((struct Pair){ 0.5, 1 }, (struct Pair){ 0.25, 1LL << 50 });
    CHECK(p.d == 0.75 && p.k == (1LL << 50) + 1);
    int32_t k = 1;
    struct Mixed m = { false, { 1, 2, 3 }, { 4, 5, 6 }, 7.5, &k, { { 1, 2, 3 }, { 4, 5, 6 } } };
    struct Mixed r = mixed(m);
    CHECK(r.flag && r.v.x == 1 && r.v.y == 3 && r.v.z == 3 && r.a[0] == 4 && r.a[1] == 5 && r.a[2] == 7);
    CHECK(r.d == 15 && r.p == &k && k == 6 && r.m[0][0] == 1 && r.m[1][1] == 5 && r.m[1][2] == 7);
    CHECK(!m.flag && m.v.y == 2 && m.d == 7.5);
    const struct Nested n = { { 1, 2 }, { 3, 4, 5 } };
    struct Nested o = nested(&n);
    CHECK(o.s.tag == 1 && o.s.value == 2 && o.v.x == 3 && o.v.y == 4 && o.v.z == 5);
    struct Node c = { 3, NULL }, b = { 2, &c };
    const struct Node a = { 1, &b };
    CHECK(sum_list(&a) == 6 && sum_list(&c) == 3);
}

static void pointers_to_many(void) {
    static const float a[5] = { 1, 2, 3, 4, 5 };
    CHECK(total(a, 5) == 15 && total(a, 0) == 0);
    float b[6] = { 0, 0, 0, 0, 0, -1 };
    scale(5, a, b, 2);
    for (int k = 0; k < 5; ++k) CHECK(b[k] == 2 * a[k]);
    CHECK(b[5] == -1);
    const int32_t from[3] = { 7, 8, 9 };
    int32_t to[3] = { 0, 0, 0 };
    copy_restrict(from, to, 3);
    CHECK(to[0] == 7 && to[1] == 8 && to[2] == 9);
    const struct vec3 v[2] = { { 3, 4, 0 }, { 1, 2, 2 } };
    double out[2];
    lengths(v, out, 2);
    CHECK(out[0] == 5 && out[1] == 3);
    struct vec3_8 block;
    for (int k = 0; k < 8; ++k) {
        block.x[k] = (float)k;
        block.y[k] = 10;
        block.z[k] = -1;
    }
    float r[4];
    blocks(&block, a, r);
    for (int k = 0; k < 8; ++k) CHECK(block.x[k] == (float)(k + 10) && block.y[k] == 10 && block.z[k] == -1);
    for (int k = 0; k < 4; ++k) CHECK(r[k] == a[k] + 1);
}

static void plain_pointers(void) {
    int x = 0;
    const int y = 0;
    CHECK(same(&x) == &x && same(NULL) == NULL);
    CHECK(second(&x, &y) == &y);
    CHECK(is_opaque(NULL));
    float f = 1;
    const float g = 2;
    float *p = &f;
    const float *q = &g;
    CHECK(pointers(&p, &q) == &p && f == 2);
    f = 0;
    through(&f, &g);
    CHECK(f == 2);
}

int main(void) {
    arrays();
    scalars();
    structs();
    pointers_to_many();
    plain_pointers();
    puts("all values are right");
    return 0;
}
