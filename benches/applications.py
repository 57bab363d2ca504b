"""The applications of the group `pipelines` in Halide: the same algorithms, the same schedules, the same pictures.

    python applications.py OUT.json FOLDER TARGET APPLICATION THREADS ROUNDS

FOLDER holds the inputs as raw little-endian pixels, dimension 0 first, with their shapes in `inputs.json`; results go there as
`APPLICATION.halide.raw`. One process measures one number of threads, since Halide starts its threads once.
"""

import json
import os
import sys
import time

import halide as hl
import numpy as np

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
    (source,) = inputs
    alpha = f32(0.1)
    width, height = source.dim(0).extent(), source.dim(1).extent()

    def passes(read, length, name):
        lines = hl.Func(name)
        r, s = hl.RDom([(1, length - 1)]), hl.RDom([(1, length - 1)])
        lines[x, y, c] = read(x, y, c)
        lines[x, r.x, c] = (1 - alpha) * lines[x, r.x - 1, c] + alpha * read(x, r.x, c)
        back = length - 1 - s.x
        lines[x, back, c] = (1 - alpha) * lines[x, back + 1, c] + alpha * lines[x, back, c]
        lines.compute_root().vectorize(x, lanes).parallel(c)
        lines.update(0).reorder(x, r.x, c).vectorize(x, lanes).parallel(c)
        lines.update(1).reorder(x, s.x, c).vectorize(x, lanes).parallel(c)
        return lines

    first = passes(lambda px, py, pc: source[px, py, pc], height, "first")
    turned = hl.Func("turned")
    turned[x, y, c] = first[y, x, c]
    turned.compute_root().vectorize(x, lanes).parallel(y)
    second = passes(lambda px, py, pc: turned[px, py, pc], width, "second")
    out = hl.Func("out")
    out[x, y, c] = second[y, x, c]
    out.vectorize(x, lanes).parallel(y)
    return out


APPLICATIONS = {
    "blur": blur,
    "unsharp": unsharp,
    "harris": harris,
    "equalize": histogram,
    "multiply": multiply,
    "iir_blur": iir_blur,
}


def main():
    out_path, folder, target_name, name, threads, rounds = sys.argv[1:]
    os.environ["HL_NUM_THREADS"] = threads
    target = hl.Target(target_name)
    with open(os.path.join(folder, "inputs.json")) as f:
        shapes = json.load(f)[name]

    def image(number, shape):
        pixels = np.fromfile(os.path.join(folder, f"{name}.{number}.raw"), dtype=shape["type"])
        return pixels.reshape(shape["extents"][::-1])

    arrays = [image(number, shape) for number, shape in enumerate(shapes["inputs"])]
    kinds = {"uint8": hl.UInt(8), "uint16": hl.UInt(16), "float32": hl.Float(32)}
    params = [hl.ImageParam(kinds[s["type"]], len(s["extents"]), f"in{n}") for n, s in enumerate(shapes["inputs"])]
    lanes = 16 if "avx512" in target_name else 8
    start = time.process_time()
    func = APPLICATIONS[name](params, lanes)
    pipeline = hl.Pipeline(func)
    compiled = pipeline.compile_to_callable(params, target)
    compile_ms = (time.process_time() - start) * 1e3
    output = shapes["output"]
    result = np.zeros(output["extents"][::-1], dtype=output["type"])
    result_buffer = hl.Buffer(result, reverse_axes=True)
    result_buffer.set_min(output["min"])
    buffers = [hl.Buffer(a, reverse_axes=True) for a in arrays]
    times = []
    for _ in range(int(rounds) + 2):
        # At one thread the time of the processor, which others on the machine do not change.
        clock = time.process_time_ns if threads == "1" else time.perf_counter_ns
        start = clock()
        compiled(*buffers, result_buffer)
        times.append(clock() - start)
    times = sorted(times[2:])
    result.tofile(os.path.join(folder, f"{name}.halide.raw"))
    report = {"min_ns": times[0], "median_ns": times[len(times) // 2], "compile_ms": compile_ms}
    with open(out_path, "w") as f:
        json.dump(report, f)


main()
