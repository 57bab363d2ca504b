/* Calls the pipelines of `pipelines.ivl`. */
#include "pipelines.h"
#include "pipelines.h"
#include <stdio.h>
#include <string.h>

static int failures;

static void expect(int holds, const char *what) {
    if (!holds) {
        printf("wrong: %s (%s)\n", what, ivl_last_error());
        failures++;
    }
}

static uint16_t pixel(int x, int y) { return (uint16_t)(x * 3 + y * 50 + 100); }

static uint16_t row(int x, int y) { return (uint16_t)((pixel(x - 1, y) + pixel(x, y) + pixel(x + 1, y)) / 3); }

typedef int run(ivl_buffer *, const ivl_buffer *, int32_t);
typedef int query(const ivl_buffer *, ivl_buffer *, int32_t);

static void blurs(const char *name, run *run, query *required, int widest) {
    static uint16_t pixels[12 * 64];
    uint16_t result[5 * 24];
    ivl_dim out_dim[2] = { { 2, 20, 1 }, { -1, 5, 24 } };
    ivl_buffer out = { result, out_dim, 2, IVL_UINT16 };
    ivl_dim in_dim[2] = { { 0, 0, 0 }, { 0, 0, 0 } };
    ivl_buffer in = { NULL, in_dim, 2, IVL_UINT16 };
    expect(required(&out, &in, 3) == 0, name);
    expect(in_dim[0].min == 1 && in_dim[0].extent == widest && in_dim[0].stride == 1, name);
    expect(in_dim[1].min == -2 && in_dim[1].extent == 9 && in_dim[1].stride == widest, name);
    in.data = pixels;
    for (int y = 0; y < in_dim[1].extent; y++)
        for (int x = 0; x < in_dim[0].extent; x++)
            pixels[y * in_dim[1].stride + x] = pixel(in_dim[0].min + x, in_dim[1].min + y);
    memset(result, 0xAB, sizeof result);
    expect(run(&out, &in, 3) == 0, name);
    for (int y = -1; y < 4; y++)
        for (int x = 2; x < 26; x++) {
            uint16_t value = x < 22 ? (uint16_t)(row(x, y - 1) + row(x, y + 3)) : 0xABAB;
            expect(result[(y + 1) * 24 + x - 2] == value, name);
        }

    /* What does not start says why, and writes nothing. */
    memset(result, 0xAB, sizeof result);
    in_dim[1].extent--;
    expect(run(&out, &in, 3) != 0, name);
    expect(strstr(ivl_last_error(), "pipeline `blur`: input `in` is read from -2 to 6 in dimension 1") != NULL, name);
    in_dim[1].extent++;
    in.type = IVL_INT16;
    expect(run(&out, &in, 3) != 0, name);
    expect(strcmp(ivl_last_error(), "pipeline `blur`: input `in` has pixels of type 3, `uint16` (7) is needed") == 0, name);
    expect(required(&out, &in, 3) != 0, name);
    in.type = IVL_UINT16;
    in.rank = 3;
    expect(run(&out, &in, 3) != 0, name);
    expect(strcmp(ivl_last_error(), "pipeline `blur`: input `in` has 3 dimensions, 2 are needed") == 0, name);
    in.rank = 2;
    expect(run(NULL, &in, 3) != 0, name);
    expect(strcmp(ivl_last_error(), "pipeline `blur`: output `by` is the null pointer") == 0, name);
    in.data = NULL;
    expect(run(&out, &in, 3) != 0, name);
    expect(strcmp(ivl_last_error(), "pipeline `blur`: input `in` has no pixels: `data` is the null pointer") == 0, name);
    in.data = result + 3;
    expect(run(&out, &in, 3) != 0, name);
    expect(strstr(ivl_last_error(), "output `by` and input `in` have memory in common") != NULL, name);
    out_dim[0].extent = -1;
    expect(required(&out, &in, 3) != 0, name);
    expect(strstr(ivl_last_error(), "the extent of output `by` in dimension 0 is -1") != NULL, name);
    for (size_t i = 0; i < sizeof result / sizeof *result; i++) expect(result[i] == 0xABAB, name);
}

int main(void) {
    blurs("blur", blur, blur_required, 22);
    blurs("auto", blur_auto, blur_auto_required, 22);
    blurs("breadth_first", blur_breadth_first, blur_breadth_first_required, 22);
    blurs("tiled", blur_tiled, blur_tiled_required, 22);
    blurs("wide", blur_wide, blur_wide_required, 34);

    float image[12], scaled[12], rows[3];
    uint8_t mask[12];
    int64_t offsets[12];
    int32_t total;
    int32_t expected = 0;
    for (int i = 0; i < 12; i++) {
        image[i] = (float)i;
        mask[i] = (uint8_t)(20 * i);
        expected += mask[i];
    }
    ivl_dim dim[2] = { { 0, 4, 1 }, { 0, 3, 4 } };
    ivl_dim rows_dim = { 0, 3, 1 };
    ivl_buffer image_buffer = { image, dim, 2, IVL_FLOAT }, mask_buffer = { mask, dim, 2, IVL_UINT8 };
    ivl_buffer both_0 = { scaled, dim, 2, IVL_FLOAT }, both_1 = { offsets, dim, 2, IVL_INT64 };
    ivl_buffer rows_buffer = { rows, &rows_dim, 1, IVL_FLOAT }, total_buffer = { &total, NULL, 0, IVL_INT };
    int64_t big = (int64_t)1 << 40;
    for (int up = 0; up < 2; up++) {
        expect(stats(&both_0, &both_1, &rows_buffer, &total_buffer, &image_buffer, &mask_buffer, 0.5, up, big) == 0, "stats");
        for (int i = 0; i < 12; i++) {
            expect(scaled[i] == image[i] * 0.5f, "scaled");
            expect(offsets[i] == big + (up ? mask[i] : 0), "offsets");
        }
        expect(rows[0] == 6 && rows[1] == 22 && rows[2] == 38, "rows");
        expect(total == expected, "total");
    }
    ivl_dim image_dim[2], mask_dim[2];
    memset(image_dim, 0, sizeof image_dim);
    memset(mask_dim, 0, sizeof mask_dim);
    image_buffer.dim = image_dim;
    mask_buffer.dim = mask_dim;
    dim[1].extent = 2;
    expect(stats_required(&both_0, &both_1, &rows_buffer, &total_buffer, &image_buffer, &mask_buffer, 1, 1, 0) == 0, "required");
    expect(image_dim[0].extent == 4 && image_dim[1].extent == 3, "required image");
    expect(mask_dim[0].extent == 4 && mask_dim[1].extent == 3 && mask_dim[1].stride == 4, "required mask");

    int32_t line[5] = { 1, 2, 3, 4, 5 }, sums[5];
    ivl_dim line_dim = { -2, 5, 1 };
    ivl_buffer in = { line, &line_dim, 1, IVL_INT }, out = { sums, &line_dim, 1, IVL_INT };
    expect(match_auto(&out, &in, 7) == 0 && sums[0] == 8 && sums[4] == 12, "match");
    if (!failures) puts("all values are right");
    return failures != 0;
}
