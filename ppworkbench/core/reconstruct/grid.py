"""The cells of original and distorted answers under one perturbation.

Categorical answers have a cell per value. Whole numbers have a cell per number while there are few
enough. All other numbers are cut into intervals, the distorted ones finer than the original ones:
within an interval of X it matters where Z lies.
"""

from __future__ import annotations

import itertools
import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers, Places
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design.noises.base import domain_of, integer_edges
from ppworkbench.core.design.perturbation import Identity, Perturbation
from ppworkbench.core.errors import DesignError, ParameterError
from ppworkbench.core.message import Message

NOWHERE = -1
"""The place of an answer that is missing or that no cell holds."""


class Cells(ABC):
    @property
    @abstractmethod
    def count(self) -> int:
        """How many cells there are."""

    @abstractmethod
    def place(self, data: NDArray[Any]) -> Places:
        """The cell of every answer; :data:`NOWHERE` for one that is in none."""

    @property
    @abstractmethod
    def edges(self) -> Numbers | None:
        """The borders of the cells; None where cells are codes."""


@dataclass(frozen=True)
class CodeCells(Cells):
    """One cell per code of a categorical column."""

    k: int
    borders: tuple[float, ...] | None = None

    @property
    def count(self) -> int:
        return self.k

    def place(self, data: NDArray[Any]) -> Places:
        return data.astype(np.intp)

    @property
    def edges(self) -> Numbers | None:
        return None if self.borders is None else np.array(self.borders)


@dataclass(frozen=True)
class StepCells(Cells):
    """Cells of one width, on the numbers themselves or on their logarithms."""

    start: float
    width: float
    steps: int
    logarithmic: bool = False

    @property
    def count(self) -> int:
        return self.steps

    @property
    def edges(self) -> Numbers:
        edges = self.start + self.width * np.arange(self.steps + 1)
        return np.asarray(np.exp(edges) if self.logarithmic else edges)

    def place(self, data: NDArray[Any]) -> Places:
        """Count the steps from the start: no search, so a million numbers take milliseconds."""
        return self.locate(data)[0]

    def locate(self, data: NDArray[Any]) -> tuple[Places, Numbers]:
        """The cell of every number and the position within it, 0 to 1."""
        with np.errstate(invalid="ignore", divide="ignore"):
            position = np.log(data) if self.logarithmic else data
            position = position - self.start
            position *= 1 / self.width
            # Comparisons with NaN are false, which sends a missing number nowhere.
            if not (position.size and position.min() >= 0 and position.max() < self.steps):
                # A number on the last border belongs to the last cell.
                inside = (position >= -1e-9) & (position <= self.steps + 1e-9)
                position[~inside] = NOWHERE
        placed = position.astype(np.intp)
        np.minimum(placed, self.steps - 1, out=placed)
        position -= placed
        return placed, position


@dataclass(frozen=True, eq=False)
class EdgeCells(Cells):
    """Cells between given borders; the last one includes its upper border."""

    borders: Numbers

    @property
    def count(self) -> int:
        return len(self.borders) - 1

    @property
    def edges(self) -> Numbers:
        return self.borders

    def place(self, data: NDArray[Any]) -> Places:
        placed = np.searchsorted(self.borders, data, side="right") - 1
        placed[data == self.borders[-1]] = self.count - 1
        placed[(placed >= self.count) | np.isnan(data)] = NOWHERE
        return placed.astype(np.intp)


DEFAULT_BINS = 40
"""Intervals of a continuous attribute when nobody asks for another number."""

MOST_BINS = 10_000
MOST_NUMBERS = 1000
"""Whole numbers up to which each has a cell of its own."""

_MOST_GROWING_CELLS = 8192
_MOST_FINE_CELLS = 65536
"""Noise far wider than the domain leaves nothing to see in finer cells."""

Bins = int | Sequence[float] | NDArray[np.float64] | None


@dataclass(frozen=True, eq=False)
class Grid:
    """Cells of X (its values, or intervals between ``x_edges``) and of Z."""

    attribute: Attribute
    perturbation: Perturbation
    x_edges: Numbers | None
    z_cells: Cells

    @property
    def k(self) -> int:
        """How many cells X has."""
        return self.attribute.k if self.x_edges is None else len(self.x_edges) - 1

    @property
    def may_be_trimmed(self) -> bool:
        """Whether distorted cells are borders on a line that only noise spreads over."""
        noisy = self.x_edges is not None and not self.perturbation.is_identity
        return noisy and self.k > 1 and not isinstance(self.z_cells, CodeCells)

    @property
    def has_positions(self) -> bool:
        """Whether it is known how likely each point of a distorted cell is, not only the cell."""
        if self.attribute.kind is not Kind.CONTINUOUS:
            return False
        noise = self.perturbation
        plain = (
            noise.numbers.added_noise(self.attribute) is not None
            and noise.numbers.published_step is None
        )
        return plain and self.k > 1 and isinstance(self.z_cells, StepCells)

    def matrix(self, z_edges: Numbers | None = None) -> Numbers:
        """``A[s, p] = Pr(Z in cell s | X in cell p)`` for all cells of Z, or for these."""
        perturbation = self.perturbation
        if self.x_edges is None or perturbation.is_identity:
            return perturbation.values.matrix(self.k)
        if self.k == 1:
            return np.ones((self.z_cells.count, 1)) / self.z_cells.count
        edges = self.z_cells.edges if z_edges is None else z_edges
        assert edges is not None  # noqa: S101 (noise always has borders)
        noise = perturbation.numbers.added_noise(self.attribute) if self.has_positions else None
        if noise is not None:
            return noise.channel(self.x_edges, edges)
        return perturbation.numbers.channel(self.x_edges, edges, self.attribute)


def make_grid(attribute: Attribute, perturbation: Perturbation, bins: Bins = None) -> Grid:
    """Choose the cells for an attribute under a perturbation.

    Parameters
    ----------
    bins
        The number of intervals of X, or their borders; ignored where answers are values. The
        default is one cell per whole number while there are at most 1000, else 40 intervals.
        They are equally wide, under multiplicative noise on the scale of logarithms.
    """
    if attribute.kind.is_categorical:
        return Grid(attribute, perturbation, None, CodeCells(attribute.k))
    x_edges = _x_edges(attribute, perturbation, bins)
    if len(x_edges) > 2:
        refuse_only_mean(attribute, perturbation)
    if len(x_edges) == 2:
        # One cell holds everything that can be answered: nothing is left to estimate.
        return Grid(attribute, perturbation, x_edges, _one_cell(attribute, perturbation))
    borders = perturbation.numbers.interval_edges(attribute)
    if borders is not None:
        cells = CodeCells(len(borders) - 1, tuple(borders.tolist()))
        return Grid(attribute, perturbation, x_edges, cells)
    return Grid(attribute, perturbation, x_edges, _z_cells(attribute, perturbation, x_edges))


def refuse_only_mean(attribute: Attribute, perturbation: Perturbation) -> None:
    """Refuse to look for a distribution where reports tell the mean only."""
    why = perturbation.numbers.why_only_mean(attribute)
    if why:
        raise DesignError(why, attribute=attribute.name, field="type")


def _one_cell(attribute: Attribute, perturbation: Perturbation) -> Cells:
    intervals = perturbation.numbers.interval_edges(attribute)
    if intervals is not None:
        return CodeCells(len(intervals) - 1)
    low, high = perturbation.numbers.support(attribute)
    margin = 1.0 + 1e-9 * max(abs(low), abs(high))
    return EdgeCells(np.array([low - margin, high + margin]))


def _x_edges(attribute: Attribute, perturbation: Perturbation, bins: Bins) -> Numbers:
    low, high = domain_of(attribute)
    if bins is not None and not isinstance(bins, int | np.integer):
        return _checked_edges(np.asarray(bins, np.float64), attribute)
    if bins is not None and not 1 <= bins <= MOST_BINS:
        raise ParameterError.saying(
            "Bins is {bins}; it must lie between 1 and {most_bins}.",
            bins=bins,
            most_bins=MOST_BINS,
            field="bins",
        )
    intervals = perturbation.numbers.interval_edges(attribute)
    if bins is None and intervals is not None:
        return _clipped(intervals, attribute)
    if attribute.kind is Kind.INTEGER:
        return _integer_edges(low, high, bins)
    count = int(bins or DEFAULT_BINS)
    if perturbation.is_factor and low < high:
        # A factor spreads all numbers alike on the scale of their logarithms.
        return np.geomspace(low, high, count + 1)
    return np.linspace(low, high, count + 1 if low < high else 2)


def _integer_edges(low: float, high: float, bins: int | None) -> Numbers:
    numbers = int(high - low) + 1
    wanted = numbers if bins is None and numbers <= MOST_NUMBERS else bins or DEFAULT_BINS
    if wanted >= numbers:
        return integer_edges(low, high)
    return np.asarray(np.rint(np.linspace(low - 0.5, high + 0.5, wanted + 1) - 0.5) + 0.5)


def _checked_edges(edges: Numbers, attribute: Attribute) -> Numbers:
    if edges.ndim != 1 or len(edges) < 2 or not np.all(np.diff(edges) > 0):
        raise ParameterError.saying(
            "Attribute {attribute!r}: borders must be two or more increasing numbers.",
            attribute=attribute.name,
            field="bins",
        )
    low, high = domain_of(attribute)
    if edges[0] > low or edges[-1] < high:
        raise ParameterError.saying(
            "Attribute {attribute!r}: the borders from {first:g} to {last:g} do not "
            "cover the domain [{low:g}, {high:g}].",
            first=edges[0],
            last=edges[-1],
            low=low,
            high=high,
            attribute=attribute.name,
            field="bins",
        )
    return edges


def _clipped(edges: Numbers, attribute: Attribute) -> Numbers:
    """Borders of intervals without those that lie wholly outside the domain."""
    low, high = domain_of(attribute)
    first = int(np.searchsorted(edges, low, side="right")) - 1
    last = int(np.searchsorted(edges, high, side="left"))
    return edges[max(first, 0) : last + 1]


def sub_bins(k: int) -> int:
    """Into how many parts an interval of X is cut for Z: fewer when k is large, at least 4."""
    return int(np.clip(-(-1000 // k), 4, max(16, 256 // k)))


def _z_cells(attribute: Attribute, perturbation: Perturbation, x_edges: Numbers) -> Cells:
    if perturbation.numbers.exact_share is not None:
        # Kept numbers stay in their cell and replaced ones tell nothing: finer cells add nothing.
        return _like(x_edges, attribute)
    low, high = perturbation.numbers.support(attribute)
    low, high = min(low, float(x_edges[0])), max(high, float(x_edges[-1]))
    k = len(x_edges) - 1
    fine = float(x_edges[-1] - x_edges[0]) / (k * sub_bins(k))
    fine = max(fine, (high - low) / _MOST_FINE_CELLS)
    if attribute.kind is Kind.INTEGER:
        return _whole_cells(low, high, max(1.0, float(math.floor(fine))), perturbation)
    step = perturbation.numbers.published_step
    if step is not None:
        # Published multiples of a step lie in the middle of cells, one or several to each.
        stride = max(1.0, math.floor(fine / step)) * step
        start = (math.floor(low / step + 0.5) - 0.5) * step
        return StepCells(start, stride, math.ceil((high - start) / stride + 1e-9))
    if perturbation.is_factor and low > 0:
        reach = math.log(high / low)
        share = math.log(x_edges[-1] / x_edges[0]) / reach
        steps = min(math.ceil(k * sub_bins(k) / share), _MOST_GROWING_CELLS)
        return StepCells(math.log(low), reach / steps, steps, logarithmic=True)
    if _is_equal(x_edges):
        start = float(x_edges[0])
        before = math.ceil((start - low) / fine - 1e-9)
        after = math.ceil((high - start) / fine - 1e-9)
        return StepCells(start - before * fine, fine, before + after)
    return EdgeCells(_extended(x_edges, low, high, sub_bins(k)))


def _like(x_edges: Numbers, attribute: Attribute) -> Cells:
    if attribute.kind is Kind.INTEGER and _is_equal(x_edges):
        count = len(x_edges) - 1
        return StepCells(float(x_edges[0]), float(x_edges[-1] - x_edges[0]) / count, count)
    # A real number on a border must fall where a person computes that it falls.
    return EdgeCells(x_edges)


def _is_equal(edges: Numbers) -> bool:
    widths = np.diff(edges)
    return bool(np.ptp(widths) <= 1e-9 * widths.mean())


def _whole_cells(low: float, high: float, stride: float, perturbation: Perturbation) -> Cells:
    low, high = math.ceil(low - 0.5) - 0.5, math.floor(high + 0.5) + 0.5
    steps = math.ceil((high - low) / stride)
    if perturbation.is_factor and steps > _MOST_GROWING_CELLS:
        # Products reach far: cells grow with the numbers.
        far = np.geomspace(max(low, 0.5), high, _MOST_GROWING_CELLS)
        return EdgeCells(np.unique(np.floor(np.concatenate([[low], far, [high]])) + 0.5))
    return StepCells(low, stride, steps)


def _extended(x_edges: Numbers, low: float, high: float, parts: int) -> Numbers:
    """Borders that divide the cells of X, and go on with its mean width to both sides."""
    share = np.arange(parts) / parts
    inner = (x_edges[:-1, None] + np.diff(x_edges)[:, None] * share).ravel()
    fine = float(x_edges[-1] - x_edges[0]) / len(inner)
    below = x_edges[0] - fine * np.arange(math.ceil((x_edges[0] - low) / fine), 0, -1)
    above = x_edges[-1] + fine * np.arange(math.ceil((high - x_edges[-1]) / fine) + 1)
    return np.concatenate([below, inner, above])


def divide_edges(
    borders: Numbers, cells: int, attribute: Attribute, perturbation: Perturbation
) -> Numbers:
    """The borders with more between them, about so many cells in all.

    Factors spread numbers more the larger they are: there the cells grow with the numbers.
    """
    grows = perturbation.is_factor and borders[0] > 0
    scale = np.log(borders) if grows else borders
    width = (scale[-1] - scale[0]) / cells
    parts = [scale[:1]]
    for low, high in itertools.pairwise(scale):
        count = max(1, round((high - low) / width))
        parts.append(np.linspace(low, high, count + 1)[1:])
    edges = np.concatenate(parts)
    edges = np.exp(edges) if grows else edges
    if attribute.kind is Kind.INTEGER:
        edges = np.rint(edges - 0.5) + 0.5
    # Rounding must not move a limit that was asked for.
    exact = np.searchsorted(edges, borders - 1e-9 * np.abs(borders))
    edges[np.minimum(exact, len(edges) - 1)] = borders
    return np.unique(edges)


def undistorted(attribute: Attribute, x_edges: Numbers | None) -> Grid:
    """The grid of original answers in the cells of X."""
    one = x_edges is not None and len(x_edges) == 2
    return make_grid(attribute, Identity(), 1 if one else x_edges)


def labels_of(attribute: Attribute, edges: Numbers | None) -> tuple[str, ...]:
    """The values, or the intervals in words.

    >>> labels_of(Attribute("age", Kind.INTEGER, domain=(0, 3)), np.array([-0.5, 1.5, 3.5]))
    ('0 to 1', '2 to 3')
    """
    if edges is None:
        return attribute.values
    if attribute.kind is Kind.INTEGER:
        # Adding 0 turns the -0 that rounding up can give into 0.
        first, last = np.ceil(edges[:-1]) + 0.0, np.ceil(edges[1:]) - 1 + 0.0
        pairs = zip(first, last, strict=True)
        return tuple(
            f"{a:.15g}" if a == b else Message("{low:.15g} to {high:.15g}", low=a, high=b)
            for a, b in pairs
        )
    return tuple(
        Message("{low:.6g} to {high:.6g}", low=a, high=b) for a, b in itertools.pairwise(edges)
    )
