// Prints the bits of all results, by what is dispatched to, or by the level whose number is given.
#include "kernels.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t hash = 1469598103934665603u;

static void add(const void *bytes, size_t count) {
    for (size_t i = 0; i < count; ++i) hash = (hash ^ ((const unsigned char *) bytes)[i]) * 1099511628211u;
}

int main(int count, char **words) {
    int level = count > 1 ? atoi(words[1]) : -1;
    enum ivl_level l = (enum ivl_level) level;
    if (level >= 0 && !ivl_level_supported((uint32_t) level)) return puts("not supported"), 0;
    float x[1000], y[1000];
    for (int i = 0; i < 1000; ++i) x[i] = (float) i * 0.013f - 5, y[i] = (float) i;
    if (level < 0) wave(1.5f, x, y, 1000);
    else wave_with(l, 1.5f, x, y, 1000);
    add(y, sizeof y);
    struct vec3 a = {1.25f, 2, 3}, b = {4, 5.5f, 6};
    struct vec3 c = level < 0 ? cross(a, b) : cross_with(l, a, b);
    add(&c, sizeof c);
    struct pair p = {1, 2};
    p = level < 0 ? swapped(p) : swapped_with(l, p);
    if (p.a != 2 || p.b != 1) return 1;
    struct large big = {{1, 2, 3, 4, 5}, 6};
    big = level < 0 ? more(big, 7) : more_with(l, big, 7);
    if (big.v[0] != 8 || big.v[4] != 12 || big.tag != 13) return 2;
    bool flags[3] = {false, false, true};
    if ((level < 0 ? any(flags, 2) : any_with(l, flags, 2)) || !(level < 0 ? any(flags, 3) : any_with(l, flags, 3))) return 3;
    float pixels[4 * 8], twice[3 * 2];
    for (int i = 0; i < 32; ++i) pixels[i] = (float) i;
    ivl_dim from_dim[] = {{0, 8, 1}, {0, 4, 8}}, to_dim[] = {{1, 3, 1}, {1, 2, 3}};
    ivl_buffer from = {pixels, from_dim, 2, IVL_FLOAT}, to = {twice, to_dim, 2, IVL_FLOAT};
    if (level < 0) doubled(&from, &to, 0);
    else doubled_with(l, &from, &to, 0);
    if (twice[0] != 18 || twice[5] != 38) return 4;
    uint16_t in[40 * 40], out[38 * 38];
    for (int i = 0; i < 1600; ++i) in[i] = (uint16_t) (i * i % 997);
    ivl_dim in_dim[] = {{0, 40, 1}, {0, 40, 40}}, out_dim[] = {{1, 38, 1}, {1, 38, 38}};
    ivl_buffer in_buffer = {in, in_dim, 2, IVL_UINT16}, out_buffer = {out, out_dim, 2, IVL_UINT16};
    int status = level < 0 ? blur_tiled(&out_buffer, &in_buffer) : blur_tiled_with(l, &out_buffer, &in_buffer);
    if (status != 0) return 5;
    add(out, sizeof out);
    printf("width %d, bits %016llx\n", level < 0 ? width() : width_with(l), (unsigned long long) hash);
    return 0;
}
