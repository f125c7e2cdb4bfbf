"""The product form of MASK, item by item.

Let ``G_j(X)`` be the sum over all records of the weights of the first j items of X times the bits
of the others: ``G_0`` counts records and ``G_m`` estimates the true support. With the weight of
item j ``absent + (present - absent) d``,

    G_j(X) = (present_j - absent_j) G_{j-1}(X) + absent_j G_{j-1}(X without x_j),

so the estimate of X needs one count and m numbers that the subsets have already. The subsets needed
are those that the candidates' prune looks up anyway. Squared weights go the same way and give the
variance.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.itemsets.frontier import Candidates, Frontier
from ppworkbench.core.itemsets.item_data import ItemData
from ppworkbench.core.kernels import Kernel


def _transform_loop(  # noqa: PLR0913, PLR0917 (a kernel takes plain arrays)
    members: Any, last: Any, first: Any, subsets: Any, counts: Any, slope: Any, offset: Any,
    shorter: Any, out: Any,
) -> None:  # fmt: skip
    length = members.shape[1]
    for c in range(first.size):
        for power in range(2):
            value = float(counts[c])
            out[c, 0, power] = value
            for j in range(length + 1):
                item = members[first[c], j] if j < length else last[c]
                value = (
                    slope[item, power] * value
                    + offset[item, power] * shorter[subsets[c, j], j, power]
                )
                out[c, j + 1, power] = value


def _example() -> tuple[Any, ...]:
    row, grid = np.zeros(1, np.int32), np.zeros((1, 1), np.int32)
    pair = np.zeros((1, 2))
    return (
        grid, row, row, np.zeros((1, 2), np.int32), np.zeros(1, np.int64), pair, pair,
        np.zeros((1, 2, 2)), np.zeros((1, 3, 2)),
    )  # fmt: skip


transform_kernel = Kernel(_transform_loop, _example)


def weights_of(data: ItemData) -> tuple[Numbers, Numbers]:
    """Slope and offset of every item's weight, and of its square, in the bit."""
    offset = np.column_stack([data.absent, data.absent**2])
    return np.column_stack([data.present, data.present**2]) - offset, offset


def transformed(
    frontier: Frontier,
    candidates: Candidates,
    counts: NDArray[np.int64],
    weights: tuple[Numbers, Numbers],
    shorter: Numbers,
) -> Numbers:
    """``G_0 ... G_m`` of every candidate: of the weights at [..., 0], of their squares at [..., 1].

    ``shorter`` are those of the frontier.
    """
    slope, offset = weights
    last = candidates.last(frontier)
    out = np.empty((len(candidates), frontier.length + 2, 2))
    if transform_kernel.compiled is not None:
        transform_kernel.compiled(
            frontier.members, last, candidates.first, candidates.subsets, counts, slope, offset,
            shorter, out,
        )  # fmt: skip
        return out
    out[:, 0] = counts[:, None]
    for j in range(frontier.length + 1):
        item = frontier.members[candidates.first, j] if j < frontier.length else last
        out[:, j + 1] = (
            slope[item] * out[:, j] + offset[item] * shorter[candidates.subsets[:, j], j]
        )
    return out
