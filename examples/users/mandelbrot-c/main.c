/* Draws the Mandelbrot set as a PGM picture: mandelbrot OUT [LEVEL], LEVEL as `ivlc targets` names them. */
#include "kernels.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 480, HEIGHT = 320, ROUNDS = 200 };

static int level_of(const char *name) {
    static const char *const names[] = {"sse2", "sse4", "avx", "avx2", "avx512", "avx2vnni", "avx512-256", "avx512vnni"};
    for (int level = IVL_SSE2; level <= IVL_AVX512VNNI; ++level)
        if (strcmp(name, names[level]) == 0) return level;
    return -1;
}

int main(int count, char **words) {
    if (count < 2 || count > 3) return fprintf(stderr, "usage: mandelbrot OUT [LEVEL]\n"), 2;
    const struct frame whole = {-2.2f, -1.1f, 2.2f / HEIGHT};
    static int32_t rounds[WIDTH * HEIGHT];
    if (count == 3) {
        int level = level_of(words[2]);
        if (level < 0 || !ivl_level_supported((uint32_t) level)) return fprintf(stderr, "this processor does not run %s\n", words[2]), 1;
        mandelbrot_with((enum ivl_level) level, whole, WIDTH, HEIGHT, ROUNDS, rounds, WIDTH * HEIGHT);
    } else {
        mandelbrot(whole, WIDTH, HEIGHT, ROUNDS, rounds, WIDTH * HEIGHT);
    }
    FILE *out = fopen(words[1], "wb");
    if (!out) return perror(words[1]), 1;
    fprintf(out, "P5\n%d %d\n255\n", WIDTH, HEIGHT);
    for (int i = 0; i < WIDTH * HEIGHT; ++i) fputc(rounds[i] == ROUNDS ? 0 : 255 - rounds[i] % 64 * 3, out);
    return fclose(out) == 0 ? 0 : 1;
}
