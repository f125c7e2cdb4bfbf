"""A pyqtgraph plot that looks like the rest of the window."""

from __future__ import annotations

import math
from collections.abc import Callable

import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt, QTimer, Signal
from PySide6.QtGui import QContextMenuEvent, QFocusEvent
from PySide6.QtWidgets import QMenu, QWidget

from ppworkbench.gui.dialogs import show_menu
from ppworkbench.gui.plots.no_controls import leave_controls_out
from ppworkbench.gui.plots.picture_files import add_picture_actions
from ppworkbench.gui.plots.quiet_axis import QuietAxis
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.words import number

# At the end pyqtgraph would disconnect a signal of every view that ever was. Views of this window
# have no name, so that nothing is connected to it; and many of them Qt has deleted by then.
pg.setConfigOption("exitCleanup", False)
leave_controls_out()

Rows = list[list[str]]
_ROWS_TOLD = 40


class NumberAxis(QuietAxis):
    """An axis whose numbers are written as in the rest of the window."""

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:  # noqa: N802
        """Separate thousands; show as many digits as the spacing needs."""
        if self.logMode:
            return super().tickStrings(values, scale, spacing)
        digits = max(0, math.ceil(-math.log10(spacing * scale))) if spacing > 0 else 0
        return [number(value * scale, min(digits, 6)) for value in values]


class Plot(pg.PlotWidget):
    """Axes, grid and menu of every plot. A plot gives its numbers as a table through ``rows``."""

    hovered = Signal(object)
    """Where the pointer is in the plot's own units, None when it left."""

    def __init__(
        self,
        themes: ThemeManager,
        name: str,
        parent: QWidget | None = None,
        *,
        left: QuietAxis | None = None,
        right: QuietAxis | None = None,
    ) -> None:
        axes = {
            "left": left or NumberAxis("left"),
            "bottom": NumberAxis("bottom"),
            "top": QuietAxis("top"),
            "right": right or QuietAxis("right"),
        }
        # The menus of pyqtgraph take long to make, and a plot of this window has its own.
        super().__init__(parent, background=None, axisItems=axes, enableMenu=False)
        self.hideAxis("top")
        if right is None:
            self.hideAxis("right")
        self.themes = themes
        self.rows: Callable[[], Rows] = list
        self._rest: QTimer | None = None
        self._head_room = 0
        self.setAccessibleName(name)
        self.setMenuEnabled(False)
        self.setMouseEnabled(False, False)
        self.hideButtons()
        self.getPlotItem().getViewBox().setDefaultPadding(0)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setFrameShape(self.Shape.NoFrame)
        for side in ("left", "bottom"):
            axis = self.getAxis(side)
            axis.setStyle(tickLength=0, autoExpandTextSpace=True)
        self.scene().sigMouseMoved.connect(self._on_moved)
        themes.theme_changed.connect(self._retheme)
        self._retheme()

    def _retheme(self) -> None:
        theme = self.themes.theme
        font = theme.font("caption")
        for side in ("left", "bottom"):
            axis = self.getAxis(side)
            axis.setTextPen(theme.colour("axis"))
            axis.setPen(theme.colour("axis" if side == "bottom" else "surface"))
            axis.setTickFont(font)
        self._make_head_room(font.pixelSize())
        self.retheme()

    def _make_head_room(self, size: int) -> None:
        """Leave room for the upper half of the highest number, where type is large."""
        item, room = self.getPlotItem(), max(0, round(0.6 * size) - 7)
        left, top, right, bottom = item.getContentsMargins()
        item.setContentsMargins(left, max(top - self._head_room, 0) + room, right, bottom)
        self._head_room = room

    def retheme(self) -> None:
        """Colour what the plot draws; called with every change of the theme."""

    def label_axes(self, bottom: str = "", left: str = "") -> None:
        """Name the axes."""
        colour = self.themes.theme.hex("text3")
        size = f"{self.themes.theme.font('caption').pixelSize()}px"
        for side, content in (("bottom", bottom), ("left", left)):
            if content:
                self.setLabel(side, content, color=colour, **{"font-size": size})

    def summary(self) -> str:
        """What the plot shows, for those who do not see it."""
        return "; ".join(" ".join(row) for row in self.rows()[:_ROWS_TOLD])

    def tell_at_rest(self) -> None:
        """Tell screen readers what is shown once the picture rests, not while it is dragged."""
        if self._rest is None:
            self._rest = QTimer(self)
            self._rest.setSingleShot(True)
            self._rest.setInterval(300)
            self._rest.timeout.connect(lambda: self.setAccessibleDescription(self.summary()))
        self._rest.start()

    def focusInEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        """Tell what is shown, unless the plot has told it already."""
        super().focusInEvent(event)
        if not self.accessibleDescription():
            self.setAccessibleDescription(self.summary())

    def _on_moved(self, position: QPointF) -> None:
        box = self.getPlotItem().getViewBox()
        if box.sceneBoundingRect().contains(position):
            self.hovered.emit(box.mapSceneToView(position))
        else:
            self.hovered.emit(None)

    def leaveEvent(self, event: object) -> None:  # noqa: N802
        """Forget the pointer."""
        super().leaveEvent(event)
        self.hovered.emit(None)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802
        """Offer to copy or save the picture and its numbers."""
        show_menu(self.make_menu(), event.globalPos())

    def make_menu(self) -> QMenu:
        """The menu of the right button."""
        menu = QMenu(self)
        add_picture_actions(menu, self, self.rows)
        return menu
