"""Pictures of results on the axes of matplotlib, which nothing here needs to be imported for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INK, GREY, DARK = "#1f5fa8", "#8a8f98", "#2b2f36"
MOST_LABELS, LONG_LABELS = 14, 48
"""Labels under an axis, and letters in all of them that still fit side by side."""
_BETWEEN_LANES = 0.3
MOST_LINES = 18
"""Lines of a picture below each other; :meth:`Result.to_frame` has all."""


class HasInterval(Protocol):
    """A number with the ends of its interval."""

    @property
    def estimate(self) -> float:
        """The number."""

    @property
    def low(self) -> float:
        """The lower end."""

    @property
    def high(self) -> float:
        """The upper end."""


@dataclass(frozen=True)
class Interval:
    """A number with the ends of its interval, where a result keeps them apart."""

    estimate: float
    low: float
    high: float


def draw_intervals(
    axes: Axes, labels: Sequence[str], values: Sequence[HasInterval], *, zero: bool = False
) -> None:
    """A point with its interval per line, the first on top; ``zero`` marks no difference."""
    middle, reach = _reach(values)
    places = np.arange(len(labels))
    axes.errorbar(middle, places, xerr=reach, fmt="o", color=INK, ecolor=INK, capsize=3)
    axes.set_yticks(places, labels)
    axes.set_ylim(len(labels) - 0.5, -0.5)
    if zero:
        axes.axvline(0.0, color=GREY, linewidth=1, linestyle="--")


@dataclass(frozen=True)
class Lane:
    """One of several intervals on each line: whose they are, and one per line or None."""

    name: str
    colour: str
    values: Sequence[HasInterval | None]


def draw_lanes(axes: Axes, labels: Sequence[str], lanes: Sequence[Lane]) -> None:
    """Intervals of several below each other on every line, the first line on top."""
    for lane, one in enumerate(lanes):
        places = [place for place, value in enumerate(one.values) if value is not None]
        middle, reach = _reach(value for value in one.values if value is not None)
        apart = (lane - (len(lanes) - 1) / 2) * _BETWEEN_LANES
        axes.errorbar(
            middle, np.array(places) + apart, xerr=reach, fmt="o", color=one.colour,
            ecolor=one.colour, capsize=3, label=one.name,
        )  # fmt: skip
    axes.set_yticks(np.arange(len(labels)), labels)
    axes.set_ylim(len(labels) - 0.5, -0.5)
    _put_legend_above(axes, len(lanes))


def draw_changes(
    axes: Axes, labels: Sequence[str], before: Sequence[float], after: Sequence[float]
) -> None:
    """What was known before and what is known after on a line each, and the way between them."""
    places = np.arange(len(labels))
    axes.hlines(places, before, after, color=GREY, linewidth=2, zorder=1)
    axes.plot(before, places, "o", color=GREY, label="before")
    axes.plot(after, places, "o", color=INK, label="after a report")
    axes.set_yticks(places, labels)
    axes.set_ylim(len(labels) - 0.5, -0.5)
    axes.set_xlim(-0.02, 1.02)
    _put_legend_above(axes, 2)


def _put_legend_above(axes: Axes, columns: int) -> None:
    """Beside the lines there is no place that no line needs."""
    axes.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=columns, frameon=False)


def draw_lengths(axes: Axes, labels: Sequence[str], values: Sequence[float]) -> None:
    """A lying bar per line, the first on top; what has no end is marked in place of a bar."""
    places = np.arange(len(labels))
    lengths = np.asarray(values, np.float64)
    is_finite = np.isfinite(lengths)
    axes.barh(places, np.where(is_finite, lengths, 0.0), color=INK)
    for place in places[~is_finite]:
        axes.annotate("∞", (0.0, float(place)), (4, 0), textcoords="offset points", va="center")
    axes.set_yticks(places, labels)
    axes.set_ylim(len(labels) - 0.5, -0.5)


def draw_dots(axes: Axes, labels: Sequence[str], values: Sequence[np.ndarray]) -> None:
    """A dot per value on the line of its label, the first on top; a stroke marks each mean."""
    for place, line in enumerate(values):
        # Neighbours lie at different heights, so that equal values do not hide each other.
        height = place + 0.3 * (np.arange(len(line)) % 7 - 3) / 3
        axes.plot(line, height, "o", color=INK, alpha=0.5, markersize=3)
        middle = float(np.mean(line))
        axes.plot([middle, middle], [place - 0.4, place + 0.4], color=DARK, linewidth=2)
    axes.set_yticks(np.arange(len(labels)), labels)
    axes.set_ylim(len(labels) - 0.5, -0.5)
    axes.set_xlim(left=0.0)


def draw_curves(
    axes: Axes,
    curves: Mapping[str, tuple[np.ndarray, np.ndarray, np.ndarray]],
    reference: tuple[str, float],
) -> None:
    """A line with its standard deviations per name, and a dotted level to compare them with."""
    for name, (x, middle, spread) in curves.items():
        if len(x):
            axes.errorbar(x, middle, yerr=spread, marker="o", markersize=4, capsize=2, label=name)
    label, level = reference
    axes.axhline(level, color=GREY, linewidth=1, linestyle=":", label=label)
    axes.legend()


def draw_bars(axes: Axes, labels: Sequence[str], values: Sequence[HasInterval]) -> None:
    """A bar per value with its interval, as shares; of many values only some have their label."""
    middle, reach = _reach(values)
    places = np.arange(len(labels))
    is_many = len(labels) > MOST_LABELS
    axes.bar(places, middle, yerr=reach, color=INK, ecolor=DARK, capsize=0 if is_many else 3)
    step = -(-len(labels) // MOST_LABELS)
    shown = labels[::step]
    is_long = sum(map(len, shown)) > LONG_LABELS
    turned: dict[str, Any] = {"rotation": 45.0, "ha": "right"} if is_long else {}
    axes.set_xticks(places[::step], shown, **turned)
    axes.set_ylabel("share")


def _reach(values: Iterable[HasInterval]) -> tuple[np.ndarray, np.ndarray]:
    """The numbers, and how far their intervals reach to both sides; unknown ends reach nowhere."""
    ends = np.array([[one.estimate, one.low, one.high] for one in values], np.float64)
    ends = ends.reshape(-1, 3)
    middle = ends[:, 0]
    # A published estimate may lie outside of its own interval, where matplotlib takes no length.
    reach = np.stack([middle - ends[:, 1], ends[:, 2] - middle])
    return middle, np.where(np.isfinite(reach), np.maximum(reach, 0.0), 0.0)
