"""Compiling the loops of the tree once there is enough work for them."""

from __future__ import annotations

from ppworkbench.core.classify.tree.em_kernel import em_rows
from ppworkbench.core.classify.tree.histograms import count_records
from ppworkbench.core.kernels import Kernel, compile_soon

KERNELS: tuple[Kernel, ...] = (count_records, em_rows)

WORTH_COMPILING = 1_000_000
"""Answers in all records of all trees from which compiled loops save more than they cost."""


class _Work:
    """Counts answers that trees have grown from, and begins to compile when they are many."""

    def __init__(self) -> None:
        self._answers = 0

    def add(self, answers: int) -> None:
        """Note work; two threads that do so at once may start late, never twice."""
        self._answers += answers
        if self._answers >= WORTH_COMPILING:
            compile_soon(KERNELS)


work = _Work()


def compile_now() -> bool:
    """Compile in the foreground; False where numba is absent."""
    ready = [kernel.compile() for kernel in KERNELS]
    return all(ready)
