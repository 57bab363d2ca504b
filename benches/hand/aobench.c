/* examples/kernels/aobench.ivl by hand: the same steps in the same order, a mask where an if is. */

typedef struct { vf x, y, z; } v3;
typedef struct { v3 origin, direction; } ray_t;
typedef struct { vf t; v3 point, normal; vm found; } hit_t;

INLINE v3 make(vf x, vf y, vf z) { return (v3){x, y, z}; }
INLINE v3 add3(v3 a, v3 b) { return make(add(a.x, b.x), add(a.y, b.y), add(a.z, b.z)); }
INLINE v3 sub3(v3 a, v3 b) { return make(sub(a.x, b.x), sub(a.y, b.y), sub(a.z, b.z)); }
INLINE v3 scale3(v3 a, vf s) { return make(mul(a.x, s), mul(a.y, s), mul(a.z, s)); }
INLINE vf dot3(v3 a, v3 b) { return fma(a.z, b.z, fma(a.x, b.x, mul(a.y, b.y))); }
INLINE v3 cross3(v3 a, v3 b) {
    return make(fms(a.y, b.z, mul(a.z, b.y)), fms(a.z, b.x, mul(a.x, b.z)), fms(a.x, b.y, mul(a.y, b.x)));
}
INLINE v3 normalize3(v3 a) { return scale3(a, quotient(all(1), root(dot3(a, a)))); }
INLINE v3 blend3(vm m, v3 a, v3 b) { return make(blend(m, a.x, b.x), blend(m, a.y, b.y), blend(m, a.z, b.z)); }

INLINE vf cos_turns(vf u) {
    vf t = mul(sub(magnitude(sub(u, all(0.5f))), all(0.25f)), all(6.2831853f));
    vf t2 = mul(t, t);
    vf p = fma(t2, all(2.7525562e-6f), all(-0.00019840874f));
    p = fma(t2, p, all(0.0083333310f));
    p = fma(t2, p, all(-0.16666667f));
    return mul(t, fma(t2, p, all(1)));
}
INLINE vf sin_turns(vf u) {
    vf shifted = add(u, all(0.75f));
    return cos_turns(sub(shifted, down(shifted)));
}
INLINE vi advance(vi s) { return addi(muli(s, alli(1664525)), alli(1013904223)); }
INLINE vf unit(vi s) { return mul(to_float(shift_right(s, 8)), all(5.9604645e-8f)); }

INLINE hit_t sphere(hit_t best, ray_t ray, float cx, float cy, float cz, float radius, vm on) {
    v3 center = make(all(cx), all(cy), all(cz));
    v3 rs = sub3(ray.origin, center);
    vf b = dot3(rs, ray.direction);
    vf c = sub(dot3(rs, rs), all(radius * radius));
    vf d = fms(b, b, c);
    vm m = both(on, gt(d, all(0)));
    if (any(m)) {
        vf t = sub(negate(b), root(d));
        m = both(m, both(gt(t, all(0)), lt(t, best.t)));
        if (any(m)) {
            v3 point = add3(ray.origin, scale3(ray.direction, t));
            v3 normal = normalize3(sub3(point, center));
            best.t = blend(m, t, best.t);
            best.found = either(best.found, m);
            best.point = blend3(m, point, best.point);
            best.normal = blend3(m, normal, best.normal);
        }
    }
    return best;
}

INLINE hit_t ground(hit_t best, ray_t ray, vm on) {
    vf d = ray.direction.y;
    vm m = both(on, gt(magnitude(d), all(1.0e-17f)));
    if (any(m)) {
        vf t = quotient(negate(add(ray.origin.y, all(0.5f))), d);
        m = both(m, both(gt(t, all(0)), lt(t, best.t)));
        if (any(m)) {
            best.t = blend(m, t, best.t);
            best.found = either(best.found, m);
            best.point = blend3(m, add3(ray.origin, scale3(ray.direction, t)), best.point);
            best.normal = blend3(m, make(all(0), all(1), all(0)), best.normal);
        }
    }
    return best;
}

INLINE hit_t trace(ray_t ray, vm on) {
    v3 zero = make(all(0), all(0), all(0));
    hit_t best = {all(1.0e17f), zero, zero, no_lane()};
    best = sphere(best, ray, -2, 0, -3.5f, 0.5f, on);
    best = sphere(best, ray, -0.5f, 0, -3, 0.5f, on);
    best = sphere(best, ray, 1, 0, -2.2f, 0.5f, on);
    return ground(best, ray, on);
}

static __attribute__((noinline)) vf occlusion(hit_t hit, vi seed, vm on) {
    vf limit = all(0.6f), one = all(1), zero = all(0);
    vm x = lt(magnitude(hit.normal.x), limit);
    vm y = without(lt(magnitude(hit.normal.y), limit), x);
    vm z = without(without(every_lane(), x), y);
    v3 side = make(blend(x, one, zero), blend(y, one, zero), blend(z, one, zero));
    v3 u = normalize3(cross3(side, hit.normal));
    v3 v = cross3(hit.normal, u);
    ray_t ray;
    ray.origin = add3(hit.point, scale3(hit.normal, all(0.0001f)));
    vi state = seed;
    vf open = all(0);
    for (int k = 0; k < 64; ++k) {
        state = advance(state);
        vf r = unit(state);
        state = advance(state);
        vf turn = unit(state);
        vf radius = root(r);
        vf dx = mul(cos_turns(turn), radius);
        vf dy = mul(sin_turns(turn), radius);
        vf dz = root(sub(one, r));
        ray.direction = add3(add3(scale3(u, dx), scale3(v, dy)), scale3(hit.normal, dz));
        hit_t occluder = trace(ray, on);
        open = add_where(without(on, occluder.found), open, one);
    }
    return mul(open, all(0.015625f));
}

void aobench(int width, int height, int sub_, float *image) {
    for (int y = 0; y < height; ++y) {
        for (int i = 0; i < width; i += W) {
            vm on = first(width - i);
            vi xi = addi(alli(i), iota());
            vf x = to_float(xi), total = all(0);
            for (int v = 0; v < sub_; ++v) {
                for (int u = 0; u < sub_; ++u) {
                    vf px = quotient(sub(add(x, all((float)u / sub_)), all(width * 0.5f)), all(width * 0.5f));
                    vf py = all(-(y + (float)v / sub_ - height * 0.5f) / (height * 0.5f));
                    ray_t camera = {make(all(0), all(0), all(0)), normalize3(make(px, py, all(-1)))};
                    hit_t hit = trace(camera, on);
                    vm m = both(on, hit.found);
                    if (any(m)) {
                        vi n = addi(muli(addi(muli(addi(xi, alli(y * width)), alli(sub_)), alli(v)), alli(sub_)), alli(u));
                        vi seed = addi(muli(n, alli(747796405)), alli((int)2891336453u));
                        total = add_where(m, total, occlusion(hit, seed, m));
                    }
                }
            }
            total = quotient(total, all((float)(sub_ * sub_)));
            if (i + W <= width) store(image + y * width + i, total);
            else store_first(image + y * width + i, on, total);
        }
    }
}
