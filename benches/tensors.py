"""The definitions of `examples/tensors` in NumPy and in PyTorch, for the group `tensor`.

    python tensors.py numpy|torch THREADS any|avx2

It reads a line of JSON after the other and answers each with one, beginning with what it is:

    {"do": "load", "job": "tmm", "inputs": [{"file": "…", "type": "float32", "shape": [2, 3]}]}
    {"do": "reference", "file": "…"}    in double precision; all results, one behind the other
    {"do": "result", "file": "…"}       as it is measured
    {"do": "time", "runs": 7}           how long so many runs take, in nanoseconds

At one thread the time is that of the processor, which others on the machine do not change; at two it is the clock's. `avx2` is what the
libraries do on a machine that has no more; variables that they read for themselves are set by who starts this.
"""

import ctypes
import json
import os
import sys
import time

which, threads, level = sys.argv[1], int(sys.argv[2]), sys.argv[3]

import numpy as np

from arrays import aligned

DISABLED = "NPY_DISABLE_CPU_FEATURES"
if level == "avx2" and DISABLED not in os.environ:
    from numpy._core._multiarray_umath import __cpu_dispatch__ as dispatched

    # NumPy reads this where it is imported first.
    os.environ[DISABLED] = " ".join(f for f in dispatched if f.startswith("AVX512") or f == "X86_V4")
    os.execv(sys.executable, [sys.executable, *sys.argv])


def blas():
    """The library that products go to, and the kernels that it chose."""
    built = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    name = f"{built['name'].replace('scipy-openblas', 'OpenBLAS')} {'.'.join(built['version'].split('.')[:3])}"
    with open("/proc/self/maps") as maps:
        loaded = {line.split()[-1] for line in maps if "openblas" in line}
    for library in map(ctypes.CDLL, loaded):
        for symbol in ("scipy_openblas_get_corename64_", "openblas_get_corename64_", "openblas_get_corename"):
            if hasattr(library, symbol):
                corename = getattr(library, symbol)
                corename.restype = ctypes.c_char_p
                return f"{name} {corename().decode()}"
    return name


def product(a, b, out):
    return (np.matmul(a, b, out=out),)


# NumPy and PyTorch have the same operators.
def kronecker3(w0, w1, w2, x, out):
    m, n0 = x.shape[:2]
    xw2 = x @ w2.T
    xw1 = w1 @ xw2
    y = w0 @ xw1.reshape(m, n0, -1)
    return y.reshape(m, w0.shape[0], *xw1.shape[2:]), xw1, xw2


def group_convolution(i, w, b, out):
    n, g, c = i.shape[:3]
    f, (kh, kw) = w.shape[1], w.shape[3:]
    shown = np.lib.stride_tricks.sliding_window_view(i, (kh, kw), axis=(3, 4))
    h, wide = shown.shape[3:5]
    columns = shown.transpose(0, 1, 2, 5, 6, 3, 4).reshape(n, g, c * kh * kw, h * wide)
    o = w.reshape(g, f, c * kh * kw) @ columns
    o += b[:, :, None]
    return (o.reshape(n, g, f, h, wide),)


def lut1(table, at, out):
    return (table[at].sum(axis=1),)


def lut2(table1, at1, table2, at2, out):
    return table1[at1].sum(axis=1), table2[at2].sum(axis=1)


def layer(x, w, b):
    made = x @ w.T
    made += b
    return np.maximum(made, 0, out=made)


def mlp1(x, w, b, out):
    return (layer(x, w.T, b),)


def mlp3(x, w2, b2, w3, b3, w4, b4, out):
    o2 = layer(x, w2, b2)
    o3 = layer(o2, w3, b3)
    return o2, o3, layer(o3, w4, b4)


def softmax(x, out):
    greatest = x.max(axis=1, keepdims=True)
    distances = np.exp(x - greatest)
    sums = distances.sum(axis=1, keepdims=True)
    return distances / sums, greatest[:, 0], distances, sums[:, 0]


def moments(x, out):
    mean = x.mean(axis=1)
    return mean, np.einsum("nk,nk->n", x, x) / x.shape[1] - mean * mean


def group_norm(x, gamma, beta, out):
    n, g = x.shape[:2]
    flat = x.reshape(n, g, -1)
    sums = flat.sum(axis=2)
    squares = np.einsum("ngk,ngk->ng", flat, flat)
    mean = sums / flat.shape[2]
    var = squares / flat.shape[2] - mean * mean
    scale = gamma[None] / np.sqrt(var + x.dtype.type(1e-5))[:, :, None]
    shift = beta[None] - scale * mean[:, :, None]
    return x * scale[..., None, None] + shift[..., None, None], sums, squares


def layernorm(x, out):
    mean = x.mean(axis=2)
    centered = x - mean[..., None]
    var = (np.einsum("tbc,tbc->tb", centered, centered) + x.dtype.type(1e-5)) / x.shape[2]
    return centered / np.sqrt(var)[..., None], mean, centered, var


def batchnorm(x, mean_in, var_in, out):
    part = x.dtype.type(0.1)
    mean = x.mean(axis=(0, 2, 3))
    running = (1 - part) * mean_in + part * mean
    centered = x - running[:, None, None]
    variance = centered * centered
    expected = variance.mean(axis=(0, 2, 3)) + x.dtype.type(1e-5)
    scale = 1 / np.sqrt((1 - part) * var_in + part * expected)
    made = centered * scale[:, None, None]
    return made, running, scale, mean, centered, variance, expected, made.copy()


NUMPY = {
    "mm": lambda a, b, out: product(a, b, out),
    "mm_by_columns": lambda a, b, out: product(a.T, b, out),
    "tmm": lambda a, b, out: product(a, b.T, out),
    "c3": lambda a, b, out: product(a, b.T, out),
    "tbmm": lambda x, y, out: product(x, y.transpose(0, 2, 1), out),
    "kronecker3": kronecker3,
    "group_convolution": group_convolution,
    "lut1": lut1,
    "lut2": lut2,
    "mlp1": mlp1,
    "mlp3": mlp3,
    "softmax": softmax,
    "moments": moments,
    "group_normalization": group_norm,
    "layernorm": layernorm,
    "batchnorm": batchnorm,
}


def torches(torch):
    """The same in PyTorch: its own layers where it has them, which give the first result alone."""
    F = torch.nn.functional

    def group_convolution(i, w, b, out):
        n, g, c, h, wide = i.shape
        made = F.conv2d(i.view(n, g * c, h, wide), w.flatten(0, 1), b.flatten(), groups=g)
        return (made.view(n, g, w.shape[1], *made.shape[2:]),)

    def linear(x, w, b):
        return torch.relu_(F.linear(x, w, b))

    def mlp3(x, w2, b2, w3, b3, w4, b4, out):
        o2 = linear(x, w2, b2)
        o3 = linear(o2, w3, b3)
        return o2, o3, linear(o3, w4, b4)

    def group_norm(x, gamma, beta, out):
        n, g, d, h, w = x.shape
        made = F.group_norm(x.view(n, g * d, h, w), g, gamma.flatten(), beta.flatten(), 1e-5)
        return (made.view(x.shape),)

    def moments(x, out):
        var, mean = torch.var_mean(x, 1, correction=0)
        return mean, var

    def batchnorm(x, mean_in, var_in, out):
        mean = x.mean((0, 2, 3))
        centered = x - (0.9 * mean_in + 0.1 * mean)[:, None, None]
        expected = (centered * centered).mean((0, 2, 3)) + 1e-5
        return (centered * torch.rsqrt(0.9 * var_in + 0.1 * expected)[:, None, None],)

    bag = lambda table, at: F.embedding_bag(at, table, mode="sum")
    return {
        "mm": lambda a, b, out: (torch.matmul(a, b, out=out),),
        "mm_by_columns": lambda a, b, out: (torch.matmul(a.T, b, out=out),),
        "tmm": lambda a, b, out: (torch.matmul(a, b.T, out=out),),
        "c3": lambda a, b, out: (torch.matmul(a, b.T, out=out),),
        "tbmm": lambda x, y, out: (torch.bmm(x, y.transpose(1, 2), out=out),),
        "kronecker3": kronecker3,
        "group_convolution": group_convolution,
        "lut1": lambda t, i, out: (bag(t, i),),
        "lut2": lambda t1, i1, t2, i2, out: (bag(t1, i1), bag(t2, i2)),
        "mlp1": lambda x, w, b, out: (linear(x, w.T, b),),
        "mlp3": mlp3,
        "softmax": lambda x, out: (torch.softmax(x, 1),),
        "moments": moments,
        "group_normalization": group_norm,
        "layernorm": lambda x, out: (F.layer_norm(x, x.shape[2:], eps=1e-5 / x.shape[2]),),
        "batchnorm": batchnorm,
    }


class Side:
    """A job with its data."""

    def __init__(self, functions, make):
        self.functions, self.make = functions, make

    def load(self, job, inputs):
        self.raw = [np.fromfile(i["file"], dtype=i["type"]).reshape(i["shape"]) for i in inputs]
        self.job, self.function = job, self.functions[job]
        self.arguments = [self.make(array) for array in self.raw]
        # Products are put where the last one was.
        self.out = None
        self.out = self.function(*self.arguments, None)[0]

    def run(self):
        return self.function(*self.arguments, self.out)

    def time(self, runs):
        clock = time.process_time_ns if threads == 1 else time.perf_counter_ns
        function, arguments, out = self.function, self.arguments, self.out
        start = clock()
        for _ in range(runs):
            function(*arguments, out)
        return clock() - start

    def reference(self):
        return NUMPY[self.job](*(a.astype(np.float64) if a.dtype == np.float32 else a for a in self.raw), None)


def write(results, file):
    with open(file, "wb") as f:
        for result in results:
            f.write(np.ascontiguousarray(result).tobytes())


def main():
    if which == "torch":
        import torch

        torch.set_num_threads(threads)
        torch.set_grad_enabled(False)
        name = f"PyTorch {torch.__version__} {torch.backends.cpu.get_cpu_capability()}"
        side = Side(torches(torch), lambda array: torch.from_numpy(aligned(array)))
    else:
        name = f"NumPy {np.__version__}, {blas()}"
        side = Side(NUMPY, aligned)
    print(json.dumps({"name": name}), flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        answer = {}
        match asked["do"]:
            case "load":
                side.load(asked["job"], asked["inputs"])
            case "reference":
                write(side.reference(), asked["file"])
            case "result":
                write(side.run(), asked["file"])
            case "time":
                answer["ns"] = side.time(asked["runs"])
        print(json.dumps(answer), flush=True)


main()
