// Functions that take views, called with images.
#include "all.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void expect(int holds, const char *what) {
    if (!holds) {
        printf("wrong: %s\n", what);
        exit(1);
    }
}

int main(int count, char **arguments) {
    const char *wrong = count > 1 ? arguments[1] : "";
    int32_t numbers[12];
    for (int k = 0; k < 12; ++k) numbers[k] = k + 1;
    ivl_dim part[] = {{-1, 2, 2}, {3, 2, 6}};
    ivl_buffer ints = {numbers, part, 2, IVL_INT};
    if (strcmp(wrong, "rank") == 0) ints.rank = 1;
    clear(strcmp(wrong, "null") == 0 ? NULL : &ints);
    for (int k = 0; k < 12; ++k) {
        int is_part = k == 0 || k == 2 || k == 6 || k == 8;
        expect(numbers[k] == (is_part ? 0 : k + 1), "the pixels that are cleared");
    }
    double line[] = {1, 2, 3, 4}, place[1] = {0};
    ivl_dim backwards[] = {{5, 4, -1}}, one[] = {{0, 1, 1}, {0, 1, 1}};
    ivl_buffer doubles = {line + 3, backwards, 1, strcmp(wrong, "type") == 0 ? IVL_FLOAT : IVL_DOUBLE}, to = {place, one, 2, IVL_DOUBLE};
    expect(first(&doubles, &to, 2.5) == 10.0 && place[0] == 2.5, "the first pixel");

    uint16_t in[20 * 3], out[18 * 3];
    for (int k = 0; k < 60; ++k) in[k] = (uint16_t) (k * k % 97);
    ivl_dim in_dim[] = {{0, 20, 1}, {0, 3, 20}}, out_dim[] = {{1, 18, 1}, {0, 3, 18}};
    ivl_buffer from = {in, in_dim, 2, IVL_UINT16}, by = {out, out_dim, 2, IVL_UINT16};
    expect(blur_wide(&by, &from) == 0, "it runs");
    for (int y = 0; y < 3; ++y) {
        for (int x = 1; x < 19; ++x) {
            int sum = in[20 * y + x - 1] + in[20 * y + x] + in[20 * y + x + 1];
            expect(out[18 * y + x - 1] == sum / 3, "a mean");
        }
    }
    from.type = IVL_INT16;
    expect(blur_wide(&by, &from) == -1, "other pixels");
    expect(strstr(ivl_last_error(), "`blur_wide`: `in` has pixels of type 3, `uint16` (7) is needed") != NULL, "why not");
    from.type = IVL_UINT16;
    out_dim[0].extent = 19;
    expect(blur_wide(&by, &from) > 0, "a requirement");
    expect(strstr(ivl_last_error(), "input `in` is read from 0 to 20 in dimension 0") != NULL, ivl_last_error());
    puts("all values are right");
    return 0;
}
