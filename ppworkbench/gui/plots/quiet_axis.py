"""An axis that lays its label out only when there is one to be read."""

from __future__ import annotations

import pyqtgraph as pg


class QuietAxis(pg.AxisItem):
    """Else every change of the range lays out a label as a paragraph, which mostly is empty."""

    def updateAutoSIPrefix(self) -> None:  # noqa: N802
        """Draw other numbers, but leave the label: they are written in full in this window."""
        self.picture = None
        self.update()

    def _updateLabel(self) -> None:  # noqa: N802
        if self.labelText:
            super()._updateLabel()
            return
        # A label without words is hidden; the rest of the axis has to be drawn anew all the same.
        self._adjustSize()
        self.picture = None
        self.update()
