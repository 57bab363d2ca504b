"""What both comparisons with Python do with arrays."""

import numpy as np


def aligned(array):
    """A copy that begins at a cache line, as those of the other side do."""
    memory = np.empty(array.nbytes + 64, dtype=np.uint8)
    start = -memory.ctypes.data % 64
    copy = memory[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy
