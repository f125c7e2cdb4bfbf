"""Curves over steps that have names instead of levels in percent."""

from __future__ import annotations

import math

from ppworkbench.gui.plots.level_plot import LevelPlot, Levels
from ppworkbench.gui.plots.picture_files import Rows
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.words import for_people


class StepCurves(LevelPlot):
    """The steps stand side by side at equal distances, whatever their names."""

    is_bounded = True

    def __init__(self, themes: ThemeManager, name: str) -> None:
        super().__init__(themes, name)
        self._ticks: tuple[str, ...] = ()

    def show_curves(self, curves: Levels, ticks: tuple[str, ...], axis: str) -> None:
        """Show other curves; ``ticks`` are the names of their levels."""
        self._ticks, self.axis_words = ticks, axis
        self.show_levels(curves)

    def _title(self, level: float) -> str:
        return f"{self._tick(level)} {self.axis_words}"

    def _tick(self, level: float) -> str:
        levels = self._shown.levels
        return self._ticks[levels.index(level)] if level in levels else f"{level:g}"

    def rows(self) -> Rows:
        """The numbers as a table."""
        head = [self.axis_words, "", self.tr("share"), self.tr("half of the interval")]
        lines = [
            [
                self._tick(p.level),
                line.name,
                f"{p.mean:.6g}",
                f"{p.sd:.6g}" if math.isfinite(p.sd) else "",
            ]
            for line in self._shown.lines
            for p in line.points
        ]
        lines += [["", one.name, f"{one.value:.6g}", ""] for one in self._shown.references]
        return [head, *lines]

    def summary(self) -> str:
        """The picture in words, for screen readers."""
        return "; ".join(
            " ".join(for_people(part) for part in row[:3] if part) for row in self.rows()[1:]
        )
