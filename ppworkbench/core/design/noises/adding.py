"""The sum of answers and noise in one pass over the memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from ppworkbench.core.kernels import Kernel


def add_loop(out: Any, data: Any, scale: float, low: float, high: float) -> int:
    """Make noise of scale 1 in ``out`` the sum; how many answers lie outside of the domain."""
    outside = 0
    for i in range(data.size):
        value = data[i]
        # Both are false for a missing answer.
        outside += (value < low) | (value > high)
        out[i] = out[i] * scale + value
    return outside


def _add_example() -> tuple[Any, ...]:
    data = np.zeros(4)
    data.flags.writeable = False
    return np.zeros(4), data, 1.0, 0.0, 1.0


ADD_KERNEL = Kernel(add_loop, _add_example)
