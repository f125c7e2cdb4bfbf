"""What the lab shows of a result: a sentence, a picture and a table."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ppworkbench.gui.plots.interval_plot import IntervalRow
from ppworkbench.gui.plots.level_data import Levels


@dataclass(frozen=True)
class StepLevels(Levels):
    """Shares on an axis that begins at nothing, in steps of ten in a hundred."""

    @property
    def y_range(self) -> tuple[float, float]:
        """From 0 to a bit above everything."""
        values = [point.mean for line in self.lines for point in line.points]
        highest = max(values + [one.value for one in self.references], default=1.0)
        return 0.0, min(max(math.ceil(highest * 10 + 0.2) / 10, 0.2), 1.0)


@dataclass(frozen=True)
class Shown:
    """Rows of marks or curves, never both; the first column of the table is words.

    Parameters
    ----------
    title, axis
        Over the picture, and below it.
    legend
        Looks and words of the marks.
    knows
        What the attacker is taken to know, and how the numbers came about.
    """

    title: str
    axis: str
    sentence: str
    knows: str
    heads: tuple[str, ...]
    table: tuple[tuple[str, ...], ...]
    rows: tuple[IntervalRow, ...] = ()
    legend: tuple[tuple[str, str], ...] = ()
    curves: StepLevels | None = None
    ticks: tuple[str, ...] = ()
