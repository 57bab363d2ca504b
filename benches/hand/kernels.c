/* The kernels of core.ivl, written by hand on the operations of a vector_*.h: compile with -include vector_avx2.h. */

struct block_data { int key[W], other[W]; };
struct body { float x, y, z, mass, vx, vy, vz; };
struct block_body { float x[W], y[W], z[W], mass[W], vx[W], vy[W], vz[W]; };

int search_hybrid(const struct block_data *data, int n) {
    for (int i = 0; i < n / W; ++i) {
        vi x = loadi(data[i].key);
        vm found;
        if (in_range_any(x, 4, 8, &found)) return or_lanes(blendi(found, x, alli(0)));
    }
    return -1;
}

void saxpy(float a, const float *restrict x, float *restrict y, int n) {
    vf va = all(a);
    int i = 0;
    for (; i + 2 * W <= n; i += 2 * W) {
        store(y + i, fma(va, load(x + i), load(y + i)));
        store(y + i + W, fma(va, load(x + i + W), load(y + i + W)));
    }
    for (; i < n; i += W) {
        vm m = first(n - i);
        store_first(y + i, m, fma(va, load_first(x + i, m), load_first(y + i, m)));
    }
}

/* 64 sums in 64 / W registers, added in halves. */
static inline float fold(vf *s) {
    for (int half = 64 / W / 2; half >= 1; half /= 2)
        for (int k = 0; k < half; ++k) s[k] = add(s[k], s[k + half]);
    return add_lanes(s[0]);
}

float sum(const float *x, int n) {
    vf s[64 / W];
    for (int k = 0; k < 64 / W; ++k) s[k] = all(0);
    int i = 0;
    for (; i + 64 <= n; i += 64)
        for (int k = 0; k < 64 / W; ++k) s[k] = add(s[k], load(x + i + k * W));
    for (int k = 0; i < n; i += W, ++k) {
        vm m = first(n - i);
        s[k] = add_where(m, s[k], load_first(x + i, m));
    }
    return fold(s);
}

float dot(const float *x, const float *y, int n) {
    vf s[64 / W];
    for (int k = 0; k < 64 / W; ++k) s[k] = all(0);
    int i = 0;
    for (; i + 64 <= n; i += 64)
        for (int k = 0; k < 64 / W; ++k) s[k] = fma(load(x + i + k * W), load(y + i + k * W), s[k]);
    for (int k = 0; i < n; i += W, ++k) {
        vm m = first(n - i);
        s[k] = fma(load_first(x + i, m), load_first(y + i, m), s[k]);
    }
    return fold(s);
}

void clamp_ifs(const float *restrict x, float *restrict y, int n, float low, float high) {
    vf l = all(low), h = all(high);
    int i = 0;
    for (; i + W <= n; i += W) {
        vf v = load(x + i);
        store(y + i, blend(lt(v, l), l, blend(gt(v, h), h, v)));
    }
    if (i < n) {
        vm m = first(n - i);
        vf v = load_first(x + i, m);
        store_first(y + i, m, blend(lt(v, l), l, blend(gt(v, h), h, v)));
    }
}

static inline vi escape_time(vf re, vf im, int limit, vm live) {
    vf x = re, y = im;
    vi rounds = alli(0);
    for (int k = 0; k < limit; ++k) {
        vf x2 = mul(x, x), y2 = mul(y, y);
        live = without(live, gt(add(x2, y2), all(4)));
        if (!any(live)) break;
        rounds = count_up(rounds, live);
        y = fma(add(x, x), y, im);
        x = add(sub(x2, y2), re);
    }
    return rounds;
}

void mandelbrot(float x0, float y0, float x1, float y1, int width, int height, int limit, int *counts) {
    float dx = (x1 - x0) / width, dy = (y1 - y0) / height;
    for (int j = 0; j < height; ++j) {
        vf im = all(y0 + j * dy);
        for (int i = 0; i < width; i += W) {
            vm m = first(width - i);
            vf re = fma(to_float(addi(alli(i), iota())), all(dx), all(x0));
            vi rounds = escape_time(re, im, limit, m);
            if (i + W <= width) storei(counts + j * width + i, rounds);
            else storei_first(counts + j * width + i, m, rounds);
        }
    }
}

/* The pull of one body at (x, y, z) on the lanes at p, added to a. */
#define PULL(x, y, z, m)                                                                                                 \
    vf dx = sub(all(x), px), dy = sub(all(y), py), dz = sub(all(z), pz);                                                 \
    vf d2 = fma(dz, dz, fma(dy, dy, fma(dx, dx, all(0.01f))));                                                           \
    vf inv = quotient(all(1), root(d2));                                                                                 \
    vf f = mul(all(m), mul(mul(inv, inv), inv));                                                                         \
    ax = fma(dx, f, ax), ay = fma(dy, f, ay), az = fma(dz, f, az);

void nbody_aos(struct body *b, int n, float dt) {
    vi seven = muli(iota(), alli(7));
    for (int i = 0; i < n; i += W) {
        vm m = first(n - i);
        vf px = gather(&b[i].x, seven, m), py = gather(&b[i].y, seven, m), pz = gather(&b[i].z, seven, m);
        vf ax = all(0), ay = all(0), az = all(0);
        for (int j = 0; j < n; ++j) {
            PULL(b[j].x, b[j].y, b[j].z, b[j].mass)
        }
        float sx[W], sy[W], sz[W];
        store(sx, ax), store(sy, ay), store(sz, az);
        for (int k = 0; k < W && i + k < n; ++k) {
            b[i + k].vx += dt * sx[k];
            b[i + k].vy += dt * sy[k];
            b[i + k].vz += dt * sz[k];
        }
    }
}

void nbody_hybrid(struct block_body *b, int blocks, float dt) {
    for (int k = 0; k < blocks; ++k) {
        vf px = load(b[k].x), py = load(b[k].y), pz = load(b[k].z);
        vf ax = all(0), ay = all(0), az = all(0);
        for (int j = 0; j < blocks; ++j) {
            for (int l = 0; l < W; ++l) {
                PULL(b[j].x[l], b[j].y[l], b[j].z[l], b[j].mass[l])
            }
        }
        store(b[k].vx, fma(all(dt), ax, load(b[k].vx)));
        store(b[k].vy, fma(all(dt), ay, load(b[k].vy)));
        store(b[k].vz, fma(all(dt), az, load(b[k].vz)));
    }
}
