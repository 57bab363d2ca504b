"""The applications of the group `pipelines` in Halide: the same algorithms, the same schedules, the same pictures.

    python applications.py OUT.json FOLDER TARGET APPLICATION THREADS ROUNDS

FOLDER holds the inputs as raw little-endian pixels, dimension 0 first, with their shapes and the numbers beside them in
`inputs.json`; results go there as `APPLICATION.halide.raw`. One process measures one number of threads, since Halide starts its
threads once. A vector has as many lanes as fit into a register, where the hand-written schedules of Halide say so.
"""

import json
import os
import sys
import time

import halide as hl
import numpy as np

from arrays import aligned

x, y, c, k, i = (hl.Var(n) for n in "xycki")
xo, yo, xi, yi = (hl.Var(n) for n in ("xo", "yo", "xi", "yi"))


def f32(value):
    return hl.f32(value)


def luma(image, px, py):
    return f32(0.299) * image[px, py, 0] + f32(0.587) * image[px, py, 1] + f32(0.114) * image[px, py, 2]


def blur(inputs, lanes):
    (source,) = inputs
    bx, by = hl.Func("bx"), hl.Func("by")
    bx[x, y] = (source[x, y] + source[x + 1, y] + source[x + 2, y]) / 3
    by[x, y] = (bx[x, y] + bx[x, y + 1] + bx[x, y + 2]) / 3
    by.split(y, yo, yi, 32).vectorize(x, 2 * lanes).parallel(yo)
    bx.compute_at(by, yo).vectorize(x, 2 * lanes)
    return by


def unsharp(inputs, lanes):
    (source,) = inputs
    near = hl.BoundaryConditions.repeat_edge(source)
    weights = [f32(w) for w in (0.26596153, 0.21296534, 0.10934005, 0.03599398)]

    def weighted(at):
        total = weights[0] * at(0)
        for d in (1, 2, 3):
            total = total + weights[d] * (at(-d) + at(d))
        return total

    gray, blur_y, blur_x, ratio, sharp = (hl.Func(n) for n in ("gray", "blur_y", "blur_x", "ratio", "sharp"))
    gray[x, y] = luma(near, x, y)
    blur_y[x, y] = weighted(lambda d: gray[x, y + d])
    blur_x[x, y] = weighted(lambda d: blur_y[x + d, y])
    ratio[x, y] = (2 * gray[x, y] - blur_x[x, y]) / gray[x, y]
    sharp[x, y, c] = ratio[x, y] * source[x, y, c]
    sharp.split(y, yo, yi, 32).vectorize(x, lanes).reorder(x, c, yi, yo).parallel(yo)
    gray.compute_at(sharp, yo).vectorize(x, lanes)
    blur_y.compute_at(sharp, yi).vectorize(x, lanes)
    ratio.compute_at(sharp, yi).vectorize(x, lanes)
    return sharp


def harris(inputs, lanes):
    (source,) = inputs
    gray, ix, iy, corners = (hl.Func(n) for n in ("gray", "ix", "iy", "corners"))
    gray[x, y] = luma(source, x, y)

    def derivative(dx, dy):
        total = None
        for side, weight in ((-1, 1), (0, 2), (1, 1)):
            for sign in (-1, 1):
                at = gray[x + sign * dx + side * dy, y + sign * dy + side * dx]
                term = at * f32(sign * weight / 12)
                total = term if total is None else total + term
        return total

    ix[x, y] = derivative(1, 0)
    iy[x, y] = derivative(0, 1)

    def summed(a, b):
        total = None
        for dx in (-1, 0, 1):
            for dy in (-1, 0, 1):
                term = a[x + dx, y + dy] * b[x + dx, y + dy]
                total = term if total is None else total + term
        return total

    xx, yy, xy = summed(ix, ix), summed(iy, iy), summed(ix, iy)
    corners[x, y] = xx * yy - xy * xy - f32(0.04) * (xx + yy) * (xx + yy)
    corners.split(y, yo, yi, 32).vectorize(x, lanes).parallel(yo)
    gray.compute_at(corners, yo).vectorize(x, lanes)
    ix.compute_at(corners, yo).vectorize(x, lanes)
    iy.compute_at(corners, yo).vectorize(x, lanes)
    return corners


def histogram(inputs, lanes):
    (source,) = inputs
    width, height = source.dim(0).extent(), source.dim(1).extent()
    gray, bins, counts, rows, hist, cdf = (hl.Func(n) for n in ("gray", "bins", "counts", "rows", "hist", "cdf"))
    as_float = lambda px, py, pc: hl.f32(source[px, py, pc])
    brightness = lambda px, py: (f32(0.299) * as_float(px, py, 0) + f32(0.587) * as_float(px, py, 1)
                                 + f32(0.114) * as_float(px, py, 2))
    bins[x, y] = hl.clamp(hl.i32(brightness(x, y)), 0, 255)
    rx, ry, rb = hl.RDom([(0, width)]), hl.RDom([(0, height)]), hl.RDom([(1, 255)])
    counts[i, y] = 0
    counts[bins[rx.x, y], y] += 1
    rows[i, y] = counts[i, y]
    hist[i] = 0
    hist[i] += rows[i, ry.x]
    cdf[i] = hist[0]
    cdf[rb.x] = cdf[rb.x - 1] + hist[rb.x]
    gray[x, y] = brightness(x, y)
    equal, red, green, blue, out = (hl.Func(n) for n in ("equal", "red", "green", "blue", "out"))
    cr = (as_float(x, y, 0) - gray[x, y]) * f32(0.713) + f32(128)
    cb = (as_float(x, y, 2) - gray[x, y]) * f32(0.564) + f32(128)
    byte = lambda e: hl.u8(hl.clamp(e, f32(0), f32(255)))
    equal[x, y] = hl.clamp(cdf[hl.i32(byte(gray[x, y]))] * (f32(255) / hl.f32(height * width)), f32(0), f32(255))
    red[x, y] = byte(equal[x, y] + (cr - f32(128)) * f32(1.4))
    green[x, y] = byte(equal[x, y] - f32(0.343) * (cb - f32(128)) - f32(0.711) * (cr - f32(128)))
    blue[x, y] = byte(equal[x, y] + f32(1.765) * (cb - f32(128)))
    out[x, y, c] = hl.select(c == 0, red[x, y], c == 1, green[x, y], blue[x, y])
    rows.compute_root().vectorize(i, lanes).parallel(y)
    counts.compute_at(rows, y).vectorize(i, lanes).update().unscheduled()
    bins.compute_at(rows, y).vectorize(x, lanes)
    hist.compute_root().vectorize(i, lanes)
    hist.update().reorder(i, ry.x).vectorize(i, lanes)
    cdf.compute_root()
    out.reorder(x, c, y).vectorize(x, lanes).parallel(y)
    for func in (gray, equal, red, green, blue):
        func.compute_at(out, y).vectorize(x, lanes)
    return out


def multiply(inputs, lanes):
    a, b = inputs
    product, out = hl.Func("product"), hl.Func("out")
    r = hl.RDom([(0, a.dim(0).extent())])
    product[x, y] = f32(0)
    product[x, y] += a[r.x, y] * b[x, r.x]
    out[x, y] = product[x, y]
    out.tile(x, y, xo, yo, xi, yi, 2 * lanes, 8).vectorize(xi, lanes).parallel(yo)
    product.compute_at(out, xo).vectorize(x, lanes).unroll(y)
    product.update().reorder(x, y, r.x).vectorize(x, lanes).unroll(x).unroll(y)
    return out


def iir_blur(inputs, lanes):
    source, alpha = inputs
    width, height = source.dim(0).extent(), source.dim(1).extent()

    def passes(read, length, name):
        lines = hl.Func(name)
        r, s = hl.RDom([(1, length - 1)]), hl.RDom([(1, length - 1)])
        lines[x, y, c] = read(x, y, c)
        lines[x, r.x, c] = (1 - alpha) * lines[x, r.x - 1, c] + alpha * read(x, r.x, c)
        back = length - 1 - s.x
        lines[x, back, c] = (1 - alpha) * lines[x, back + 1, c] + alpha * lines[x, back, c]
        return lines, r, s

    def strips(out, lines, r, s):
        out.tile(x, y, xo, yo, xi, yi, 16, 32).reorder(xi, yi, xo, yo, c).vectorize(xi, lanes).parallel(yo)
        lines.compute_at(out, yo).vectorize(x, lanes)
        lines.update(0).reorder(x, r.x, c).vectorize(x, lanes)
        lines.update(1).reorder(x, s.x, c).vectorize(x, lanes)

    first = passes(lambda px, py, pc: source[px, py, pc], height, "first")
    turned, out = hl.Func("turned"), hl.Func("out")
    turned[x, y, c] = first[0][y, x, c]
    strips(turned.compute_root(), *first)
    second = passes(lambda px, py, pc: turned[px, py, pc], width, "second")
    out[x, y, c] = second[0][y, x, c]
    strips(out, *second)
    return out


def clamped(image):
    return hl.BoundaryConditions.repeat_edge(image)


def total(terms):
    made = None
    for term in terms:
        made = term if made is None else made + term
    return made


def funcs(names):
    return [hl.Func(n) for n in names.split()]


def bilateral_grid(inputs, lanes):
    source, sigma = inputs
    s = 8
    z = hl.Var("z")
    value, grid, blur_z, blur_x, blur_y, smooth = funcs("value grid blur_z blur_x blur_y smooth")
    near = clamped(source)
    value[x, y] = hl.clamp(near[x, y], f32(0), f32(1))
    r = hl.RDom([(0, s), (0, s)])
    v = value[x * s + r.x - s // 2, y * s + r.y - s // 2]
    grid[x, y, z, c] = f32(0)
    grid[x, y, hl.clamp(hl.i32(v * (f32(1) / sigma) + f32(0.5)), 0, 31), c] += hl.select(c == 0, v, f32(1))
    five = lambda at: at(-2) + at(-1) * 4 + at(0) * 6 + at(1) * 4 + at(2)
    blur_z[x, y, z, c] = five(lambda d: grid[x, y, z + d, c])
    blur_x[x, y, z, c] = five(lambda d: blur_z[x + d, y, z, c])
    blur_y[x, y, z, c] = five(lambda d: blur_x[x, y + d, z, c])
    zv = hl.clamp(source[x, y], f32(0), f32(1)) * (f32(1) / sigma)
    zi = hl.clamp(hl.i32(zv), 0, 30)
    zf, xf, yf = zv - zi, hl.f32(x % s) / f32(s), hl.f32(y % s) / f32(s)
    xi_, yi_ = x / s, y / s

    def between(ch):
        plane = lambda pz: hl.lerp(hl.lerp(blur_y[xi_, yi_, pz, ch], blur_y[xi_ + 1, yi_, pz, ch], xf),
                                   hl.lerp(blur_y[xi_, yi_ + 1, pz, ch], blur_y[xi_ + 1, yi_ + 1, pz, ch], xf), yf)
        return hl.lerp(plane(zi), plane(zi + 1), zf)

    smooth[x, y] = between(0) / between(1)
    blur_z.compute_root().reorder(x, z, c, y).vectorize(x, lanes).parallel(y)
    grid.compute_at(blur_z, y).vectorize(x, lanes)
    grid.update().reorder(c, r.x, r.y, x, y).unroll(c, 2)
    blur_x.compute_root().reorder(x, y, z, c).vectorize(x, lanes).parallel(z)
    blur_y.compute_root().reorder(x, y, z, c).vectorize(x, lanes).parallel(z)
    smooth.vectorize(x, lanes).parallel(y)
    return smooth


def local_laplacian(inputs, lanes):
    source, alpha, beta = inputs
    levels, steps = 8, 8
    near = clamped(source)
    floating, gray, remap, out = funcs("floating gray remap out")
    floating[x, y, c] = near[x, y, c] / f32(65535)
    gray[x, y] = luma(floating, x, y)
    t = hl.f32(i) / f32(256)
    remap[i] = alpha * t * hl.exp(-t * t / f32(2))

    def down(f, name, rest):
        wide, made = hl.Func(name + "x"), hl.Func(name)
        four = lambda at: (at(-1) + 3 * (at(0) + at(1)) + at(2)) / 8
        wide[(x, y, *rest)] = four(lambda d: f[(2 * x + d, y, *rest)])
        made[(x, y, *rest)] = four(lambda d: wide[(x, 2 * y + d, *rest)])
        return wide, made

    def up(f, name, rest):
        wide, made = hl.Func(name + "x"), hl.Func(name)
        wide[(x, y, *rest)] = f32(0.25) * f[(x / 2 - 1 + 2 * (x % 2), y, *rest)] + f32(0.75) * f[(x / 2, y, *rest)]
        made[(x, y, *rest)] = f32(0.25) * wide[(x, y / 2 - 1 + 2 * (y % 2), *rest)] + f32(0.75) * wide[(x, y / 2, *rest)]
        return made

    g, p = [hl.Func("g0")], [gray]
    level = k * f32(1 / (steps - 1))
    index = hl.clamp(hl.i32(gray[x, y] * f32((steps - 1) * 256)), 0, (steps - 1) * 256)
    g[0][x, y, k] = beta * (gray[x, y] - level) + level + remap[index - 256 * k]
    gray.compute_root().vectorize(x, lanes).parallel(y)
    remap.compute_root()
    for j in range(1, levels):
        wide, made = down(g[-1], f"g{j}", (k,))
        made.compute_root().reorder(x, k, y).vectorize(x, lanes).parallel(y)
        wide.compute_at(made, y).vectorize(x, lanes)
        g.append(made)
        wide, made = down(p[-1], f"i{j}", ())
        made.compute_root().vectorize(x, lanes).parallel(y)
        wide.compute_at(made, y).vectorize(x, lanes)
        p.append(made)
    r = None
    for j in reversed(range(levels)):
        pyramid = g[j]
        if j < levels - 1:
            pyramid = hl.Func(f"l{j}")
            pyramid[x, y, k] = g[j][x, y, k] - up(g[j + 1], f"u{j}", (k,))[x, y, k]
        place = p[j][x, y] * f32(steps - 1)
        at = hl.clamp(hl.i32(place), 0, steps - 2)
        share = place - at
        made = hl.Func(f"r{j}")
        value = (f32(1) - share) * pyramid[x, y, at] + share * pyramid[x, y, at + 1]
        made[x, y] = value if r is None else up(r, f"v{j}", ())[x, y] + value
        made.compute_root().vectorize(x, lanes).parallel(y)
        r = made
    value = r[x, y] * (floating[x, y, c] + f32(0.01)) / (gray[x, y] + f32(0.01))
    out[x, y, c] = hl.u16(hl.clamp(value, f32(0), f32(1)) * f32(65535))
    out.reorder(x, c, y).vectorize(x, lanes).parallel(y)
    return out


def camera_pipe(inputs, lanes):
    source, warm, cold, temperature, gamma, contrast, sharpness = inputs
    wide = 2 * lanes
    i16 = hl.i16
    mean = lambda a, b: i16((hl.i32(a) + hl.i32(b) + 1) / 2)
    mean8 = lambda a, b: hl.u8((hl.u16(a) + hl.u16(b) + 1) / 2)
    differ = lambda a, b: hl.absd(a, b)
    cool = hl.Func("cool")
    raw = lambda px, py: i16(source[px + 16, py + 12])
    cool[x, y] = hl.min(raw(x, y), hl.max(hl.max(raw(x - 2, y), raw(x + 2, y)), hl.max(raw(x, y - 2), raw(x, y + 2))))
    gr, r, b, gb, g_at_r, g_at_b = funcs("gr r b gb g_at_r g_at_b")
    gr[x, y], r[x, y] = cool[2 * x, 2 * y], cool[2 * x + 1, 2 * y]
    b[x, y], gb[x, y] = cool[2 * x, 2 * y + 1], cool[2 * x + 1, 2 * y + 1]
    pick = lambda p, q, s, t: hl.select(differ(p, q) < differ(s, t), mean(p, q), mean(s, t))
    g_at_r[x, y] = pick(gr[x + 1, y], gr[x, y], gb[x, y - 1], gb[x, y])
    g_at_b[x, y] = pick(gb[x - 1, y], gb[x, y], gr[x, y + 1], gr[x, y])
    r_at_gr, b_at_gr, r_at_gb, b_at_gb, r_at_b, b_at_r = funcs("r_at_gr b_at_gr r_at_gb b_at_gb r_at_b b_at_r")
    beside = lambda green, greens, colour, p: green[x, y] - mean(greens[x, y], greens[p]) + mean(colour[x, y], colour[p])
    r_at_gr[x, y] = gr[x, y] - mean(g_at_r[x, y], g_at_r[x - 1, y]) + mean(r[x - 1, y], r[x, y])
    b_at_gr[x, y] = beside(gr, g_at_b, b, (x, y - 1))
    r_at_gb[x, y] = beside(gb, g_at_r, r, (x, y + 1))
    b_at_gb[x, y] = beside(gb, g_at_b, b, (x + 1, y))

    def across(green, colour, greens, p, q, t):
        along = lambda first, second: mean(colour[first], colour[second]) - mean(greens[first], greens[second])
        here = (x, y)
        return green[here] + hl.select(differ(colour[here], colour[p]) < differ(colour[q], colour[t]), along(here, p), along(q, t))

    r_at_b[x, y] = across(g_at_b, r, g_at_r, (x - 1, y + 1), (x - 1, y), (x, y + 1))
    b_at_r[x, y] = across(g_at_r, b, g_at_b, (x + 1, y - 1), (x + 1, y), (x, y - 1))
    quad = lambda *four: hl.select(y % 2 == 0, hl.select(x % 2 == 0, *(f[x / 2, y / 2] for f in four[:2])),
                                   hl.select(x % 2 == 0, *(f[x / 2, y / 2] for f in four[2:])))
    red, green, blue = funcs("red green blue")
    red[x, y] = quad(r_at_gr, r, r_at_b, r_at_gb)
    green[x, y] = quad(gr, g_at_r, g_at_b, gb)
    blue[x, y] = quad(b_at_gr, b_at_r, b, b_at_gb)
    coldness = (f32(1) / temperature - f32(1 / 3200)) / f32(1 / 7000 - 1 / 3200)
    matrix, curve, tone, soft_y, out = funcs("matrix curve tone soft_y out")
    matrix[i, c] = hl.i32((cold[i, c] * coldness + warm[i, c] * (f32(1) - coldness)) * f32(256))
    corrected = i16((matrix[3, c] + matrix[0, c] * red[x, y] + matrix[1, c] * green[x, y] + matrix[2, c] * blue[x, y]) / 256)
    z = hl.clamp(hl.f32(i - 25) / f32(1023 - 25), f32(0), f32(1))
    g = hl.pow(z, f32(1) / gamma)
    cb = f32(2) - hl.pow(f32(2), contrast / f32(100))
    ca = f32(2) - f32(2) * cb
    bent = hl.select(g > f32(0.5), f32(1) - (ca * (f32(1) - g) * (f32(1) - g) + cb * (f32(1) - g)), ca * g * g + cb * g)
    curve[i] = hl.u8(hl.clamp(bent * f32(255) + f32(0.5), f32(0), f32(255)))
    tone[x, y, c] = curve[hl.i32(hl.clamp(corrected, i16(0), i16(1023)))]
    strength = i16(hl.clamp(sharpness * f32(32), f32(0), f32(127)))
    three = lambda at: mean8(mean8(at(-1), at(1)), at(0))
    soft_y[x, y, c] = three(lambda d: tone[x, y + d, c])
    soft = three(lambda d: soft_y[x + d, y, c])
    out[x, y, c] = hl.u8(hl.clamp(i16(tone[x, y, c]) + (i16(tone[x, y, c]) - i16(soft)) * strength / i16(32), i16(0), i16(255)))
    out.split(y, yo, yi, 32).reorder(x, c, yi, yo).vectorize(x, wide).parallel(yo)
    soft_y.compute_at(out, c).vectorize(x, wide)
    tone.compute_at(out, yo).reorder(x, c, y).vectorize(x, wide)
    for func in (red, green, blue):
        func.compute_at(tone, y).vectorize(x, wide)
    for func in (gr, r, b, gb, g_at_r, g_at_b, cool, r_at_gr, b_at_gr, r_at_gb, b_at_gb, r_at_b, b_at_r):
        func.compute_at(out, yo).vectorize(x, wide)
    matrix.compute_root()
    curve.compute_root().vectorize(i, lanes)
    return out


def max_filter(inputs, lanes):
    (source,) = inputs
    radius, slices = 26, 6
    t = hl.Var("t")
    near = clamped(source)
    high, slice_of, reach, column, out = funcs("high slice_of reach column out")
    r = hl.RDom([(-radius, source.dim(1).extent() + 2 * radius), (1, slices - 1)])
    high[x, y, c, t] = near[x, y, c]
    high[x, r.x, c, r.y] = hl.max(high[x, r.x, c, r.y - 1],
                                  high[x, r.x + hl.clamp(hl.i32(1) << (r.y - 1), 0, 2 * radius), c, r.y - 1])
    slice_of[t] = hl.i32(hl.floor(hl.log(hl.f32(2 * t + 1)) / f32(0.693147)))
    at = hl.clamp(slice_of[t], 0, slices - 1)
    column[x, y, c, t] = hl.max(high[x, y - t, c, at], high[x, y + t + 1 - hl.clamp(hl.i32(1) << at, 0, 2 * radius), c, at])
    d = hl.RDom([(1, radius)])
    reach[x] = 0
    reach[x] += hl.select(x * x + d.x * d.x < 690, 1, 0)
    s = hl.RDom([(-radius, 2 * radius + 1)])
    out[x, y, c] = near[x, y, c]
    out[x, y, c] = hl.max(out[x, y, c], column[x + s.x, y, c, hl.clamp(reach[s.x], 0, radius)])
    high.compute_root().vectorize(x, lanes).parallel(c)
    high.update().reorder(x, r.x, r.y, c).vectorize(x, lanes).parallel(c)
    slice_of.compute_root()
    reach.compute_root()
    out.vectorize(x, lanes).parallel(y)
    out.update().reorder(x, s.x, y, c).vectorize(x, lanes).parallel(y)
    return out


def stencil_chain(inputs, lanes):
    (source,) = inputs
    chain = [hl.Func("f0")]
    chain[0][x, y] = clamped(source)[x, y]
    for n in range(1, 33):
        f = hl.Func(f"f{n}")
        before = chain[-1]
        f[x, y] = total(before[x + dx, y + dy] * hl.u16((dx + 3) * (dy + 3)) for dy in range(-2, 3) for dx in range(-2, 3))
        chain.append(f)
    chain[0].compute_root().vectorize(x, 2 * lanes).parallel(y)
    for last in (8, 16, 24, 32):
        chain[last].compute_root().split(y, yo, yi, 64).vectorize(x, 2 * lanes).parallel(yo)
        for n in range(last - 7, last):
            chain[n].compute_at(chain[last], yo).vectorize(x, 2 * lanes)
    return chain[32]


def nl_means(inputs, lanes):
    source, sigma = inputs
    dx, dy = hl.Var("dx"), hl.Var("dy")
    near = clamped(source)
    scale = f32(-1) / (sigma * sigma * f32(49))
    distance, blur_y, blurred, weight, sums, out = funcs("distance blur_y blurred weight sums out")
    square = lambda e: e * e
    distance[x, y, dx, dy] = total(square(near[x, y, ch] - near[x + dx, y + dy, ch]) for ch in range(3))
    ry, rx = hl.RDom([(-3, 7)]), hl.RDom([(-3, 7)])
    blur_y[x, y, dx, dy] = f32(0)
    blur_y[x, y, dx, dy] += distance[x, y + ry.x, dx, dy]
    blurred[x, y, dx, dy] = f32(0)
    blurred[x, y, dx, dy] += blur_y[x + rx.x, y, dx, dy]
    weight[x, y, dx, dy] = hl.exp(blurred[x, y, dx, dy] * scale)
    s = hl.RDom([(-3, 7), (-3, 7)])
    sums[x, y, c] = f32(0)
    sums[x, y, c] += weight[x, y, s.x, s.y] * hl.select(c == 3, f32(1), near[x + s.x, y + s.y, hl.min(c, 2)])
    out[x, y, c] = hl.clamp(sums[x, y, c] / sums[x, y, 3], f32(0), f32(1))
    out.tile(x, y, xo, yo, xi, yi, 64, 32).reorder(xi, yi, c, xo, yo).vectorize(xi, lanes).parallel(yo)
    sums.compute_at(out, xo).vectorize(x, lanes)
    sums.update().reorder(x, c, y, s.x, s.y).vectorize(x, lanes)
    weight.compute_at(sums, s.x).vectorize(x, lanes)
    blurred.compute_at(sums, s.x).vectorize(x, lanes)
    blurred.update().reorder(rx.x, x, y).vectorize(x, lanes).unroll(rx.x)
    blur_y.compute_at(sums, s.x).vectorize(x, lanes)
    blur_y.update().reorder(ry.x, x, y).vectorize(x, lanes).unroll(ry.x)
    distance.compute_at(sums, s.x).vectorize(x, lanes)
    return out


def lens_blur(inputs, lanes):
    left, right, slices, focus, scale, samples = inputs
    levels = 8
    z, s = hl.Var("z"), hl.Var("s")
    near_left, near_right = clamped(left), clamped(right)
    radius = hl.i32(hl.max(slices - focus, focus) * scale)
    l = lambda px, py, ch: hl.i32(near_left[px, py, ch])
    r = lambda px, py, ch: hl.i32(near_right[px, py, ch])
    off = lambda ch: hl.f32(hl.min(hl.abs(l(x, y, ch) - r(x + 2 * z, y, ch)), hl.abs(l(x, y, ch) - r(x + 2 * z + 1, y, ch))))
    cost, average, squares, confidence = funcs("cost average squares confidence")
    cost[x, y, z] = total(off(ch) * off(ch) for ch in range(3))
    ra, rs = hl.RDom([(0, slices)]), hl.RDom([(0, slices)])
    average[x, y] = f32(0)
    average[x, y] += cost[x, y, ra.x] / slices
    squares[x, y] = f32(0)
    squares[x, y] += cost[x, y, rs.x] * cost[x, y, rs.x]
    confidence[x, y] = squares[x, y] / slices - average[x, y] * average[x, y]
    push = [hl.Func("push_0")]
    push[0][x, y, z, c] = hl.select(c == 0, cost[x, y, z] * confidence[x, y], confidence[x, y])
    push[0].compute_root().reorder(x, c, z, y).vectorize(x, lanes).parallel(y)
    for func in (cost, average, squares, confidence):
        func.compute_at(push[0], y).vectorize(x, lanes)
    average.update().reorder(x, ra.x, y).vectorize(x, lanes)
    squares.update().reorder(x, rs.x, y).vectorize(x, lanes)
    stored = [push[0]]
    w, h = left.dim(0).extent(), left.dim(1).extent()
    four = lambda at: (at(-1) + 3 * (at(0) + at(1)) + at(2)) / 8
    for n in range(1, levels):
        narrow, small, padded = funcs(f"narrow_{n} small_{n} push_{n}")
        before = push[-1]
        narrow[x, y, z, c] = four(lambda d: before[2 * x + d, y, z, c])
        small[x, y, z, c] = four(lambda d: narrow[x, 2 * y + d, z, c])
        inside = lambda v, length: hl.clamp(v, 0, hl.max(length / (1 << n), 1) - 1)
        padded[x, y, z, c] = small[inside(x, w), inside(y, h), z, c]
        small.compute_root().reorder(x, c, z, y).vectorize(x, lanes).parallel(y)
        narrow.compute_at(small, y).vectorize(x, lanes)
        push.append(padded)
    pull = push[-1]
    for n in reversed(range(levels - 1)):
        wide, large, mixed = funcs(f"wide_{n} large_{n} pull_{n}")
        wide[x, y, z, c] = f32(0.25) * pull[x / 2 - 1 + 2 * (x % 2), y, z, c] + f32(0.75) * pull[x / 2, y, z, c]
        large[x, y, z, c] = f32(0.25) * wide[x, y / 2 - 1 + 2 * (y % 2), z, c] + f32(0.75) * wide[x, y / 2, z, c]
        mixed[x, y, z, c] = hl.lerp(large[x, y, z, c], push[n][x, y, z, c], f32(0.5))
        if n > 0:
            mixed.compute_root().reorder(x, c, z, y).vectorize(x, lanes).parallel(y)
        pull = mixed
    filtered = lambda pz: pull[x, y, pz, 0] / pull[x, y, pz, 1]
    best, depth, spread, worst_y, worst, colour = funcs("best depth spread worst_y worst colour")
    rz = hl.RDom([(1, slices - 1)])
    best[x, y] = hl.Tuple([hl.i32(0), filtered(0)])
    best[x, y] = hl.Tuple([hl.select(filtered(rz.x) < best[x, y][1], rz.x, best[x, y][0]), hl.min(filtered(rz.x), best[x, y][1])])
    depth[x, y] = best[x, y][0]
    spread[x, y] = hl.f32(hl.abs(depth[x, y] - focus)) * scale
    squared = lambda px, py: spread[px, py] * spread[px, py]
    dy_, dx_ = hl.RDom([(-radius, 2 * radius + 1)]), hl.RDom([(-radius, 2 * radius + 1)])
    worst_y[x, y] = f32(0)
    worst_y[x, y] = hl.max(worst_y[x, y], spread[x, y + dy_.x])
    worst[x, y] = f32(0)
    worst[x, y] = hl.max(worst[x, y], worst_y[x + dx_.x, y])
    colour[x, y, c] = hl.select(c < 3, hl.f32(l(x, y, hl.min(c, 2))), f32(255))

    def noise(number):
        mixed = lambda e, constant: hl.u32(e) * hl.u32(constant)
        hashed = mixed(x, 0x9E3779B1) ^ mixed(y, 0x85EBCA77) ^ mixed(number, 0xC2B2AE3D)
        hashed = (hashed ^ (hashed >> 15)) * hl.u32(0x2C1B3C6D)
        hashed = (hashed ^ (hashed >> 12)) * hl.u32(0x297A2D39)
        return hl.f32(hl.i32((hashed ^ (hashed >> 15)) >> 8)) * f32(1 / 16777216)

    place, weight, sums, out = funcs("place weight sums out")
    shift = lambda number: hl.clamp(hl.i32((noise(number) - f32(0.5)) * f32(2) * worst[x, y]), -radius, radius)
    place[x, y, s] = hl.Tuple([shift(2 * s), shift(2 * s + 1)])
    u, v = place[x, y, s][0], place[x, y, s][1]
    u, v = hl.clamp(u, -radius, radius), hl.clamp(v, -radius, radius)
    far = hl.f32(u * u + v * v)
    reaches = (far < squared(x, y)) | (depth[x + u, y + v] < depth[x, y])
    weight[x, y, s] = hl.select(reaches & (far < squared(x + u, y + v)), f32(1), f32(0))
    rn = hl.RDom([(0, samples)])
    bounded = lambda e: hl.clamp(e, -radius, radius)
    pu, pv = bounded(place[x, y, rn.x][0]), bounded(place[x, y, rn.x][1])
    sums[x, y, c] = colour[x, y, c]
    sums[x, y, c] += weight[x, y, rn.x] * colour[x + pu, y + pv, c]
    out[x, y, c] = sums[x, y, c] / sums[x, y, 3]
    depth.compute_root().vectorize(x, lanes).parallel(y)
    best.compute_at(depth, y).vectorize(x, lanes)
    best.update().reorder(x, rz.x, y).vectorize(x, lanes)
    spread.compute_root().vectorize(x, lanes).parallel(y)
    worst_y.compute_root().vectorize(x, lanes).parallel(y)
    worst_y.update().reorder(x, dy_.x, y).vectorize(x, lanes).parallel(y)
    colour.compute_root().reorder(x, c, y).vectorize(x, lanes).parallel(y)
    worst.compute_at(out, y).vectorize(x, lanes)
    worst.update().reorder(x, dx_.x, y).vectorize(x, lanes)
    place.compute_at(out, y).reorder(x, s, y).vectorize(x, lanes)
    weight.compute_at(out, y).reorder(x, s, y).vectorize(x, lanes)
    sums.compute_at(out, y).vectorize(x, lanes)
    sums.update().reorder(x, rn.x, c, y).vectorize(x, lanes)
    out.reorder(x, c, y).vectorize(x, lanes).parallel(y)
    return out


def interpolate(inputs, lanes):
    (source,) = inputs
    levels = 10
    near = clamped(source)
    down = [hl.Func("down_0")]
    down[0][x, y, c] = hl.select(c < 3, near[x, y, c] * near[x, y, 3], near[x, y, 3])
    three = lambda at: (at(-1) + 2 * at(0) + at(1)) * f32(0.25)
    large = 4

    def rows(level, func, beside):
        func.compute_root()
        if level <= large:
            func.split(y, yo, yi, 32).reorder(x, c, yi, yo).vectorize(x, lanes).parallel(yo)
            beside.store_at(func, yo).compute_at(func, yi).vectorize(x, lanes)
            return
        func.reorder(x, c, y).vectorize(x, lanes)
        if level == 0 or beside.name().startswith("half"):
            beside.compute_at(func, y).vectorize(x, lanes)

    for n in range(1, levels):
        half, made = funcs(f"half_{n} down_{n}")
        before = down[-1]
        half[x, y, c] = three(lambda d: before[2 * x + d, y, c])
        made[x, y, c] = three(lambda d: half[x, 2 * y + d, c])
        rows(n, made, half)
        down.append(made)
    fill = down[-1]
    for n in reversed(range(levels - 1)):
        wide, up, made = funcs(f"wide_{n} up_{n} fill_{n}")
        wide[x, y, c] = (fill[x / 2, y, c] + fill[(x + 1) / 2, y, c]) / 2
        up[x, y, c] = (wide[x, y / 2, c] + wide[x, (y + 1) / 2, c]) / 2
        made[x, y, c] = down[n][x, y, c] + (f32(1) - down[n][x, y, 3]) * up[x, y, c]
        if n > 0:
            rows(n, made, wide)
        fill = made
    out = hl.Func("out")
    out[x, y, c] = fill[x, y, c] / fill[x, y, 3]
    out.split(y, yo, yi, 32).reorder(x, c, yi, yo).vectorize(x, lanes).parallel(yo)
    fill.compute_at(out, yi).vectorize(x, lanes)
    wide.store_at(out, yo).compute_at(out, yi).vectorize(x, lanes)
    return out


def convolution(inputs, lanes):
    source, weights, bias = inputs
    n, co, ci = hl.Var("n"), hl.Var("co"), hl.Var("ci")
    conv, out = funcs("conv out")
    r = hl.RDom([(0, source.dim(0).extent()), (0, 3), (0, 3)])
    conv[c, x, y, n] = bias[c]
    conv[c, x, y, n] += weights[c, r.y, r.z, r.x] * source[r.x, x + r.y, y + r.z, n]
    out[c, x, y, n] = hl.max(conv[c, x, y, n], f32(0))
    out.tile(c, x, co, xo, ci, xi, 2 * lanes, 5).vectorize(ci, lanes).parallel(y)
    conv.compute_at(out, co).bound_extent(c, 2 * lanes).bound_extent(x, 5).vectorize(c, lanes).unroll(x)
    conv.update().reorder(c, x, y, r.x, r.y, r.z, n).vectorize(c, lanes).unroll(c).unroll(x)
    return out


APPLICATIONS = {
    "blur": blur,
    "unsharp": unsharp,
    "harris": harris,
    "equalize": histogram,
    "multiply": multiply,
    "iir_blur": iir_blur,
    "bilateral_grid": bilateral_grid,
    "local_laplacian": local_laplacian,
    "camera_pipe": camera_pipe,
    "max_filter": max_filter,
    "stencil_chain": stencil_chain,
    "nl_means": nl_means,
    "lens_blur": lens_blur,
    "interpolate": interpolate,
    "convolution": convolution,
}


def main():
    out_path, folder, target_name, name, threads, rounds = sys.argv[1:]
    os.environ["HL_NUM_THREADS"] = threads
    target = hl.Target(target_name)
    with open(os.path.join(folder, "inputs.json")) as f:
        shapes = json.load(f)[name]

    kinds = {"uint8": hl.UInt(8), "uint16": hl.UInt(16), "float32": hl.Float(32), "int32": hl.Int(32)}
    params, arguments = [], []
    for number, shape in enumerate(shapes["inputs"]):
        if "value" in shape:
            params.append(hl.Param(kinds[shape["type"]], f"in{number}"))
            arguments.append(shape["value"])
        else:
            params.append(hl.ImageParam(kinds[shape["type"]], len(shape["extents"]), f"in{number}"))
            pixels = aligned(np.fromfile(os.path.join(folder, f"{name}.{number}.raw"), dtype=shape["type"]))
            arguments.append(hl.Buffer(pixels.reshape(shape["extents"][::-1]), reverse_axes=True))
    lanes = 16 if "avx512" in target_name else 8
    start = time.process_time()
    func = APPLICATIONS[name](params, lanes)
    pipeline = hl.Pipeline(func)
    compiled = pipeline.compile_to_callable(params, target)
    compile_ns = (time.process_time() - start) * 1e9
    output = shapes["output"]
    result = aligned(np.zeros(output["extents"][::-1], dtype=output["type"]))
    result_buffer = hl.Buffer(result, reverse_axes=True)
    result_buffer.set_min(output["min"])
    times = []
    for _ in range(int(rounds) + 2):
        # At one thread the time of the processor, which others on the machine do not change.
        clock = time.process_time_ns if threads == "1" else time.perf_counter_ns
        start = clock()
        compiled(*arguments, result_buffer)
        times.append(clock() - start)
    times = times[2:]
    result.tofile(os.path.join(folder, f"{name}.halide.raw"))
    report = {"times_ns": times, "compile_ns": compile_ns}
    with open(out_path, "w") as f:
        json.dump(report, f)


main()
