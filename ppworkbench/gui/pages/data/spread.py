"""How the numbers of a column are spread over bars."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.data.attribute import Kind
from ppworkbench.core.data.table import Column
from ppworkbench.core.progress import Progress, silent
from ppworkbench.gui.plots.histogram import Histogram, Shares

Numbers = NDArray[np.float64]

AUTOMATIC = 0
"""Stands for as many bars as suit the numbers."""

_USUAL = 30
_EACH_NUMBER = 60
_CHUNK = 1 << 18


def bar_edges(column: Column, low: float, high: float, bars: int = AUTOMATIC) -> Numbers:
    """The ends of the bars for a column whose numbers run from low to high.

    Bars of an integer attribute begin and end half-way between whole numbers, so that no number
    lies on an edge.
    """
    if column.attribute.kind is Kind.INTEGER:
        count = int(high - low) + 1
        wanted = bars or (count if count <= _EACH_NUMBER else _USUAL)
        step = max(1, -(-count // wanted))
        edges = low - 0.5 + step * np.arange(-(-count // step) + 1, dtype=np.float64)
        # The last bar may be narrower; plots draw bars by their width.
        edges[-1] = high + 0.5
        return edges
    if high <= low:
        return np.array([low - 0.5, low + 0.5])
    return np.linspace(low, high, (bars or _USUAL) + 1)


def spread(
    column: Column, bars: int, role: str, word: str, progress: Progress = silent
) -> Histogram:
    """The histogram of a numeric column over its domain and whatever lies outside it."""
    low, high = column.attribute.domain or (0.0, 1.0)
    present = column.data[~column.missing]
    if not len(present):
        return Histogram()
    low, high = min(low, float(present.min())), max(high, float(present.max()))
    if column.attribute.kind is Kind.INTEGER:
        low, high = float(np.floor(low)), float(np.ceil(high))
    edges = bar_edges(column, low, high, bars)
    counts = np.zeros(len(edges) - 1)
    for start in range(0, len(present), _CHUNK):
        progress(start / len(present))
        counts += np.histogram(present[start : start + _CHUNK], edges)[0]
    shares = Shares(role, counts / len(present), edges)
    return Histogram((shares,), domain=column.attribute.domain, names={role: word})
