"""How one attribute looks before and after distortion."""

from __future__ import annotations

import numpy as np

from ppworkbench.core.data.table import Column
from ppworkbench.gui.plots.histogram import MOST_BARS, Histogram, Shares
from ppworkbench.study.reported import Answers

_CELLS = 30


def before_and_after(answers: Answers, name: str, names: dict[str, str]) -> Histogram:
    """The true answers beside the distorted ones; only these where nobody knows the truth."""
    distorted = answers.distorted[name]
    original = None
    if answers.original is not None and name in answers.original:
        original = answers.original[name]
    columns = {"original": original, "distorted": distorted}
    present = {role: column for role, column in columns.items() if column is not None}
    if all(_has_few_values(column) for column in present.values()):
        same = {column.attribute.values for column in present.values()}
        shown = present if len(same) == 1 else {"distorted": distorted}
        series = tuple(Shares(role, _value_shares(column)) for role, column in shown.items())
        return Histogram(series, distorted.attribute.values, names=names)
    numeric = {r: c for r, c in present.items() if not c.is_categorical}
    known = [column.data[~column.missing] for column in numeric.values()]
    known = [numbers for numbers in known if len(numbers)]
    if not known:
        return Histogram()
    low, high = min(x.min() for x in known), max(x.max() for x in known)
    edges = np.linspace(low, high if high > low else low + 1, _CELLS + 1)
    series = tuple(Shares(r, _number_shares(c, edges), edges) for r, c in numeric.items())
    return Histogram(series, domain=(float(edges[0]), float(edges[-1])), names=names)


def _has_few_values(column: Column) -> bool:
    return column.is_categorical and column.attribute.k <= MOST_BARS * 3


def _value_shares(column: Column) -> np.ndarray:
    return column.counts / max(int(column.counts.sum()), 1)


def _number_shares(column: Column, edges: np.ndarray) -> np.ndarray:
    numbers = column.data[~column.missing]
    return np.histogram(numbers, edges)[0] / max(len(numbers), 1)
