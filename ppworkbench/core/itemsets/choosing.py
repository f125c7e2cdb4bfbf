"""CTS: choosing the transactions that most probably hold a set (Andruszkiewicz 2011, section 4.3).

As many are wanted as the set's estimated support. Taken are transactions that show the whole set,
then those of the pattern i with the next highest probability ``M[i, full]`` that the full set was
distorted into it; of the last pattern the first ones only.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.itemsets.item_data import Bits
from ppworkbench.core.kernels import Kernel

Places = NDArray[np.int32]


def _choose_loop(
    bits: Any, rows: Any, items: Any, pattern: Any, wanted: Any, count: Any, out: Any
) -> Any:
    m1, m2 = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333)
    m4, ones = np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(0x0101010101010101)
    one, two, four, top = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(56)
    size = items.size
    for w in range(bits.shape[1]):
        x = ~np.uint64(0)
        for j in range(size):
            column = bits[items[j], w]
            x &= column if (pattern >> (size - 1 - j)) & 1 else ~column
        while x != 0:
            # The place of the lowest bit is the number of bits below it.
            below = (x & (~x + one)) - one
            x &= x - one
            below -= (below >> one) & m1
            below = (below & m2) + ((below >> two) & m2)
            below = (below + (below >> four)) & m4
            t = 64 * w + np.int64((below * ones) >> top)
            if t >= rows or count == wanted:
                return count
            out[count] = t
            count += 1
    return count


def _choose_example() -> tuple[Any, ...]:
    places = np.zeros(1, np.int32)
    return np.zeros((1, 1), np.uint64), 1, places, 1, 1, 0, np.zeros(1, np.int32)


choose_kernel = Kernel(_choose_loop, _choose_example)


def pattern_order(keep_one: Numbers) -> NDArray[np.int64]:
    """The patterns by falling probability that a full set becomes them.

    The first item is the highest digit of a pattern's number. The thesis leaves open which of two
    equally probable patterns comes first; with p = 1/2 all are. Here the one that shows more items
    does, since transactions of that pattern more often truly hold the set, then the lower number.

    >>> pattern_order(np.array([0.9, 0.8])).tolist()
    [3, 2, 1, 0]
    >>> pattern_order(np.array([0.8, 0.8])).tolist()
    [3, 1, 2, 0]
    >>> pattern_order(np.array([0.5, 0.5])).tolist()
    [3, 1, 2, 0]
    """
    return _pattern_order(tuple(keep_one.tolist()))


@lru_cache(maxsize=4096)
def _pattern_order(keep_one: tuple[float, ...]) -> NDArray[np.int64]:
    chances = np.ones(1)
    for keep in keep_one:
        chances = np.outer(chances, [1.0 - keep, keep]).ravel()
    numbers = np.arange(len(chances))
    # Equal products in another order of factors differ in their last digits.
    return np.lexsort((numbers, -np.bitwise_count(numbers).astype(int), -np.round(chances, 12)))


def choose_transactions(
    bits: Bits,
    rows: int,
    items: Places,
    keep_one: Numbers,
    wanted: int,
    among: Places | None = None,
) -> Places:
    """The places of the ``wanted`` transactions that most probably hold all items.

    Parameters
    ----------
    bits
        One row of packed transactions per item.
    keep_one
        For each of the items the probability that it stays.
    among
        The transactions to choose from; the default is all.
    """
    available = rows if among is None else len(among)
    wanted = min(max(wanted, 0), available)
    if not wanted:
        return np.zeros(0, np.int32)
    patterns = pattern_order(keep_one).tolist()
    if choose_kernel.compiled is None or among is not None:
        places = np.arange(rows, dtype=np.int32) if among is None else among
        return _choose_with_numpy(bits, items, patterns, wanted, places)
    out = np.empty(wanted, np.int32)
    count = 0
    for pattern in patterns:
        count = choose_kernel.compiled(bits, rows, items, pattern, wanted, count, out)
        if count == wanted:
            break
    return out


def _choose_with_numpy(
    bits: Bits, items: Places, patterns: list[int], wanted: int, places: Places
) -> Places:
    number = np.zeros(len(places), np.int64)
    for shown in shown_in(bits, items, places):
        number = 2 * number + shown
    parts: list[Places] = []
    for pattern in patterns:
        parts.append(places[number == pattern][:wanted])
        wanted -= len(parts[-1])
        if not wanted:
            break
    return np.concatenate(parts)


def shown_in(bits: Bits, items: Places, places: Places) -> NDArray[np.uint8]:
    """Whether transactions show items: one row per item."""
    words = bits[items[:, None], places >> 6]
    shown = (words >> (places & 63).astype(np.uint64)) & np.uint64(1)
    return np.asarray(shown, np.uint8)
