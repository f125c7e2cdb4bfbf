"""Value-class membership: the interval is published instead of the number."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design.noises.base import FARTHEST, NoisePerturbation, domain_of, range_of
from ppworkbench.core.design.perturbation import FreeParameter, Perturbation, perturbations
from ppworkbench.core.errors import DesignError, ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Annotated, Info, Within
from ppworkbench.core.rng import Stream

_MOST = 10_000
_DIGITS = 1e-14
"""Intervals narrower than this share of their borders would have the same fifteen digits."""


@perturbations.register(
    "discretise",
    "Intervals only",
    short="Intervals",
    rank=40,
    hint="coarse, nothing is random",
)
@dataclass(frozen=True)
class Discretise(NoisePerturbation):
    """Equal intervals by number or by privacy level, or intervals between given edges.

    Nothing is random here: the published interval is always the true one. The distorted attribute
    is ordinal, its values are the intervals.
    """

    intervals: Annotated[
        int | None, Within(1, _MOST), Info("Intervals", "Number of equal intervals")
    ] = None
    edges: Annotated[
        tuple[float, ...] | None,
        Within(-FARTHEST, FARTHEST),
        Info("Edges", "Edges of the intervals, from the lowest to the highest value"),
    ] = None
    range_privacy: Annotated[
        float | None,
        Within(0.01, 100),
        Info("Range privacy", "Width of an interval in percent of the domain", "%"),
    ] = None

    type_name: ClassVar[str] = "discretise"

    def __post_init__(self) -> None:
        super().__post_init__()
        given = [self.intervals, self.edges, self.range_privacy]
        if sum(item is not None for item in given) != 1:
            raise ParameterError(
                "Intervals need their number, their edges or a range privacy.", field="intervals"
            )
        if self.edges is not None and (len(self.edges) < 2 or np.any(np.diff(self.edges) <= 0)):
            raise ParameterError("Edges must be 2 or more increasing numbers.", field="edges")
        if self.edges is not None and len(self.edges) > _MOST + 1:
            raise ParameterError.saying(
                "Edges make more than {most} intervals.", most=_MOST, field="edges"
            )

    def check(self, attribute: Attribute) -> None:
        super().check(attribute)
        low, high = domain_of(attribute)
        if self.edges is not None and (self.edges[0] > low or self.edges[-1] < high):
            raise DesignError.saying(
                "Attribute {attribute!r}: the edges from {first:g} to {last:g} do not "
                "cover the domain [{low:g}, {high:g}].",
                first=self.edges[0],
                last=self.edges[-1],
                low=low,
                high=high,
                attribute=attribute.name,
                field="edges",
            )
        edges = self.edges_of(attribute)
        if np.diff(edges).min() <= _DIGITS * np.abs(edges).max():
            raise DesignError.saying(
                "Attribute {attribute!r}: the domain [{low:g}, {high:g}] is too narrow "
                "for {count} intervals; make fewer.",
                low=low,
                high=high,
                count=len(edges) - 1,
                attribute=attribute.name,
                field="intervals",
            )

    def edges_of(self, attribute: Attribute) -> Numbers:
        """The borders for this attribute; integers have them half-way between numbers."""
        if self.edges is not None:
            return np.array(self.edges)
        low, high = domain_of(attribute)
        width = range_of(attribute)
        count = self.intervals
        if count is None:
            assert self.range_privacy is not None  # noqa: S101 (checked on construction)
            count = max(1, math.floor(100 / self.range_privacy + 0.5))
        if attribute.kind is Kind.INTEGER:
            count = min(count, int(width) + 1)
            inner = np.rint(np.linspace(low - 0.5, high + 0.5, count + 1) - 0.5) + 0.5
            return np.unique(inner)
        return np.linspace(low, high, count + 1)

    def interval_edges(self, attribute: Attribute) -> Numbers | None:
        return self.edges_of(attribute)

    def distorted(self, attribute: Attribute) -> Attribute:
        edges = self.edges_of(attribute)
        if attribute.kind is Kind.INTEGER:
            highest = np.ceil(edges[1:]) - 1
            # The last interval holds its upper border.
            highest[-1] = np.floor(edges[-1])
            pairs = zip(np.ceil(edges[:-1]), highest, strict=True)
            labels = [
                f"{a:.15g}" if a == b else Message("{low:.15g} to {high:.15g}", low=a, high=b)
                for a, b in pairs
            ]
        else:
            labels = [
                Message("{low:.15g} to {high:.15g}", low=a, high=b)
                for a, b in itertools.pairwise(edges)
            ]
        kind = Kind.ORDINAL if len(labels) != 2 else Kind.BINARY
        return attribute.with_(
            kind=kind, values=tuple(labels), domain=None, codes=(), number_labels=()
        )

    def distort(self, data: NDArray[Any], attribute: Attribute, stream: Stream) -> NDArray[Any]:
        """The number of the interval of every value; -1 where it is missing."""
        numbers = super().distort(data, attribute, stream)
        return np.where(np.isnan(numbers), -1, numbers).astype(np.int64)

    def draw(self, data: Numbers, attribute: Attribute, stream: Stream) -> Numbers:  # noqa: ARG002
        edges = self.edges_of(attribute)
        position = np.searchsorted(edges, data, side="right") - 1.0
        position = np.clip(position, 0, len(edges) - 2)
        return np.where(np.isnan(data), np.nan, position)

    def conditional_cdf(self, z: Numbers, x: Numbers, attribute: Attribute) -> Numbers:
        edges = self.edges_of(attribute)
        position = np.clip(np.searchsorted(edges, x, side="right") - 1, 0, len(edges) - 2)
        middle = (edges[:-1] + edges[1:])[position] / 2
        return np.asarray(middle <= z, np.float64)

    def channel(self, x_edges: Numbers, z_edges: Numbers, attribute: Attribute) -> Numbers:
        if attribute.kind is Kind.INTEGER:
            return super().channel(x_edges, z_edges, attribute)
        below = np.clip(z_edges[:, None] - x_edges[None, :-1], 0.0, np.diff(x_edges))
        return np.diff(below / np.diff(x_edges), axis=0)

    @property
    def has_exact_channel(self) -> bool:
        return True

    def support(self, attribute: Attribute) -> tuple[float, float]:
        edges = self.edges_of(attribute)
        return float(edges[0]), float(edges[-1])

    def unbiased(self, z: Numbers, attribute: Attribute) -> Numbers | None:  # noqa: ARG002
        """None: an interval says nothing about where in it the number lies."""
        return None

    def entropy_privacy(self, attribute: Attribute) -> float:
        """The mean width of the intervals on a geometric scale: two to the mean log width."""
        widths = np.diff(self.edges_of(attribute))
        share = widths / widths.sum()
        return float(2 ** (share @ np.log2(widths)))

    def interval_width(self, confidence: float, attribute: Attribute) -> float:
        """``c W`` with W the widest interval's width when they differ."""
        return confidence * float(np.diff(self.edges_of(attribute)).max())

    def free_parameters(self, attribute: Attribute) -> tuple[FreeParameter, ...]:
        def put(value: float) -> Perturbation:
            return Discretise(intervals=int(value))

        most = float(_MOST)
        if attribute.kind is Kind.INTEGER:
            most = min(most, attribute.width + 1)
        now = None if self.intervals is None else float(self.intervals)
        return (FreeParameter("intervals", most, 1.0, put, scale="log", whole=True, now=now),)

    def at_level(self, level: float) -> Perturbation:
        return Discretise(range_privacy=min(level, 100.0))

    def cautions(self, attribute: Attribute) -> Iterator[str]:  # noqa: ARG002
        yield ("Nothing is random: the reported interval always contains the true number.")

    def how_to_undo(self) -> str:
        return Message("shares of the intervals are exact; no information within an interval")

    def page_words(self, attribute: Attribute) -> tuple[str, Mapping[str, float | str]]:
        return "how_discretise", {"example": self.distorted(attribute).values[0]}

    def page_draw(self, attribute: Attribute) -> dict[str, Any]:
        return {"type": "discretise", "edges": self.edges_of(attribute).tolist()}

    @classmethod
    def start(cls, attribute: Attribute, before: Numbers | None = None) -> Perturbation:  # noqa: ARG003
        return cls(intervals=5)

    def summary(self) -> str:
        if self.edges is not None:
            return Message("{count} given intervals", count=len(self.edges) - 1)
        if self.intervals is not None:
            return Message("{intervals} equal intervals", intervals=self.intervals)
        return Message(
            "intervals of {range_privacy:.4g} % of range", range_privacy=self.range_privacy
        )
