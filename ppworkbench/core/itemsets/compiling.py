"""Compiling the loops of the engine while the first lengths are still searched without them."""

from __future__ import annotations

from ppworkbench.core.itemsets.choosing import choose_kernel
from ppworkbench.core.itemsets.counting import count_kernel
from ppworkbench.core.itemsets.item_data import ItemData
from ppworkbench.core.itemsets.join import join_kernel
from ppworkbench.core.itemsets.projection import turn_kernel
from ppworkbench.core.itemsets.reduction import within_kernel
from ppworkbench.core.itemsets.transforms import transform_kernel
from ppworkbench.core.kernels import Kernel, compile_soon

KERNELS: tuple[Kernel, ...] = (
    count_kernel,
    join_kernel,
    transform_kernel,
    choose_kernel,
    within_kernel,
    turn_kernel,
)

WORTH_COMPILING = 2_000_000
"""Cells of a table from which compiled loops save more than they cost."""


def compile_in_background(data: ItemData) -> None:
    """Begin to compile when the data are large; the loops are used as soon as they are ready."""
    if data.rows * len(data) >= WORTH_COMPILING:
        compile_soon(KERNELS)


def compile_now() -> bool:
    """Compile in the foreground; False where numba is absent."""
    ready = [kernel.compile() for kernel in KERNELS]
    return all(ready)
