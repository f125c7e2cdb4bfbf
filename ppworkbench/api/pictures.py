"""Pictures of results on the axes of matplotlib, which nothing here needs to be imported for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ppworkbench.results.picture import MOST_LINES, Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["MOST_LINES", "Interval", "draw_bars", "draw_intervals"]

INK, GREY, DARK = "#1f5fa8", "#8a8f98", "#2b2f36"
MOST_LABELS, LONG_LABELS = 14, 48
"""Labels under an axis, and letters in all of them that still fit side by side."""


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
