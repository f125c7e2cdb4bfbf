"""Compiled loops and when they are made."""

from __future__ import annotations

import numpy as np
import pytest
from patience import PATIENCE

from ppworkbench.core.kernels import Kernel, compile_soon


def _double(values: object) -> None:
    for i in range(values.size):  # type: ignore[attr-defined]
        values[i] *= 2  # type: ignore[index]


def test_that_kernels_are_compiled_once_in_the_background() -> None:
    pytest.importorskip("numba")
    kernel = Kernel(_double, lambda: (np.ones(1),))
    thread = compile_soon([kernel])
    assert thread is not None
    assert compile_soon([kernel]) is None
    thread.join(PATIENCE)
    assert kernel.compiled is not None
    values = np.arange(3.0)
    kernel.compiled(values)
    assert values.tolist() == [0.0, 2.0, 4.0]
    assert compile_soon([kernel]) is None
