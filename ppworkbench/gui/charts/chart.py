"""The chart that all others are made from, its legends and what a pointer tells.

Plots of pyqtgraph without the panel of controls that each of them makes for its own menu.

Plots of this window have a menu of their own and never open that one; yet its forty widgets took a
third of the time that it takes to make a plot, and thousands of objects to be searched for rubbish.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import pyqtgraph as pg
from pyqtgraph.graphicsItems.PlotItem import plotConfigTemplate_generic as template
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QTransform,
)
from PySide6.QtWidgets import QMenu, QWidget

from ppworkbench.gui.application import single_shot
from ppworkbench.gui.charts.axes import QuietAxis
from ppworkbench.gui.charts.chart_export import picture_menu
from ppworkbench.gui.charts.looks import (
    draw_swatch,
)
from ppworkbench.gui.dialogs import show_menu
from ppworkbench.gui.numbers import number
from ppworkbench.gui.theme import Theme, ThemeManager, set_outline, smooth_painter

_GROUPS = (
    "transformGroup", "decimateGroup", "averageGroup", "alphaGroup", "gridGroup", "pointsGroup",
)  # fmt: skip
"""What pyqtgraph puts into its menu."""
_VALUES = {
    "alphaGroup": (1, 1),
    "pointsGroup": (1, 1),
    "autoDownsampleCheck": (1, 1),
    "peakRadio": (1, 1),
    "autoPointsCheck": (1, 1),
    "alphaSlider": (1_000, 1_000),
    "gridAlphaSlider": (128, 255),
    "downsampleSpin": (1, 100_000),
}
"""Where controls stand that do not stand at nothing, and the most that they can say."""


class _Control:
    """The value of a control that there is no widget for; it calls who wants to know of it."""

    def __init__(self, value: int = 0, most: int = 1) -> None:
        self._value, self._most = value, most
        self._slots: list[Callable[[], object]] = []
        # Whatever the signal of such a widget is called.
        self.toggled = self.valueChanged = self.itemClicked = self
        self.setChecked = self.setValue

    def connect(self, slot: Callable[[], object]) -> None:
        self._slots.append(slot)

    def value(self) -> int:
        return self._value

    def maximum(self) -> int:
        return self._most

    def isChecked(self) -> bool:  # noqa: N802
        return bool(self._value)

    def setValue(self, value: int) -> None:  # noqa: N802
        if int(value) != self._value:
            self._value = int(value)
            for slot in self._slots:
                slot()

    def clear(self) -> None:
        """Forget the lines of a list."""


class NoControls:
    def setupUi(self, form: QWidget) -> None:  # noqa: N802
        """Make what pyqtgraph asks for by name while it makes a plot; groups are to be widgets."""
        for name in _GROUPS:
            group: Any = QWidget(form)
            control = _Control(*_VALUES.get(name, (0, 1)))
            group.toggled, group.isChecked = control, control.isChecked
            group.setChecked = control.setChecked
            setattr(self, name, group)

    def __getattr__(self, name: str) -> _Control:
        if name.startswith("_"):
            raise AttributeError(name)
        control = _Control(*_VALUES.get(name, (0, 1)))
        setattr(self, name, control)
        return control


template.Ui_Form = NoControls
# At the end pyqtgraph would disconnect a signal of every view that ever was. Views of this window
# have no name, so that nothing is connected to it; and many of them Qt has deleted by then.
pg.setConfigOption("exitCleanup", False)

Rows = list[list[str]]
Entry = tuple[str, str, str]
"""Look, name and value."""
_ROWS_TOLD = 40


class NumberAxis(QuietAxis):
    """An axis whose numbers are written as in the rest of the window."""

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:  # noqa: N802
        """Separate thousands; show as many digits as the spacing needs."""
        if self.logMode:
            powers: list[str] = super().tickStrings(values, scale, spacing)
            return powers
        digits = max(0, math.ceil(-math.log10(spacing * scale))) if spacing > 0 else 0
        return [number(value * scale, min(digits, 6)) for value in values]


class Plot(pg.PlotWidget):  # type: ignore[misc]  # pyqtgraph has no types
    """Axes, grid and menu of every plot. A plot gives its numbers as a table through ``rows``."""

    # Methods of Qt that come through pyqtgraph, which has no types.
    tr: Callable[..., str]
    width: Callable[[], int]

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
        self._told: tuple[QPointF, str, Sequence[Entry]] | None = None
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
        themes.follow(self._retheme)

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
        colour = self.themes.theme.hex("text3")
        size = f"{self.themes.theme.font('caption').pixelSize()}px"
        for side, content in (("bottom", bottom), ("left", left)):
            if content:
                self.setLabel(side, content, color=colour, **{"font-size": size})

    def summary(self) -> str:
        """What the plot shows, for those who do not see it."""
        return "; ".join(" ".join(row) for row in self.rows()[:_ROWS_TOLD])

    def sizeHint(self) -> QSize:  # noqa: N802
        """Small; it takes what room there is. Qt would ask for as much as the plot has."""
        return QSize(400, 170)

    def tell_at_rest(self) -> None:
        """Tell screen readers what is shown once the picture rests, not while it is dragged."""
        if self._rest is None:
            self._rest = single_shot(
                self, lambda: self.setAccessibleDescription(self.summary()), 300
            )
        self._rest.start()

    def focusInEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        """Tell what is shown, unless the plot has told it already."""
        super().focusInEvent(event)
        self.viewport().update()
        if not self.accessibleDescription():
            self.setAccessibleDescription(self.summary())

    def focusOutEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        super().focusOutEvent(event)
        self.viewport().update()

    def _on_moved(self, position: QPointF) -> None:
        box = self.getPlotItem().getViewBox()
        if box.sceneBoundingRect().contains(position):
            self.hovered.emit(box.mapSceneToView(position))
        else:
            self.hovered.emit(None)

    def leaveEvent(self, event: object) -> None:  # noqa: N802
        super().leaveEvent(event)
        self.hovered.emit(None)

    def show_hover(
        self, at: QPointF | None, title: str = "", entries: Sequence[Entry] = ()
    ) -> None:
        """Show a box with numbers at the pointer; None for none."""
        before, self._told = self._told, None if at is None else (at, title, entries)
        if before is not None or at is not None:
            self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        super().paintEvent(event)
        painter, theme, view = smooth_painter(self.viewport()), self.themes.theme, self.viewport()
        if self.hasFocus():
            set_outline(painter, QPen(theme.colour("focus"), 2))
            painter.drawRoundedRect(QRectF(view.rect()).adjusted(1, 1, -1, -1), 6, 6)
        if self._told is not None:
            draw_hover_box(painter, theme, self._told[0], view.size(), *self._told[1:])
        painter.end()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802
        show_menu(self.make_menu(), event.globalPos())

    def make_menu(self) -> QMenu:
        return picture_menu(self, self.rows)


class PixelItem(pg.GraphicsObject):  # type: ignore[misc]  # pyqtgraph has no types
    """Draws in device coordinates; new numbers do not make new items."""

    def __init__(self) -> None:
        super().__init__()
        self._bounds = QRectF()

    def cover(self, bounds: QRectF) -> None:
        """Take another area of the plot, and be drawn anew."""
        if bounds != self._bounds:
            self.prepareGeometryChange()
            self._bounds = bounds
        self.update()

    def boundingRect(self) -> QRectF:  # noqa: N802
        return self._bounds

    def paint(self, painter: QPainter, option: Any, widget: Any = None) -> None:  # noqa: ARG002
        """Draw as the axes are now; they would stretch brushes and pens otherwise."""
        to_device = painter.worldTransform()
        painter.save()
        painter.setWorldTransform(QTransform())
        self.draw(painter, to_device)
        painter.restore()

    @abstractmethod
    def draw(self, painter: QPainter, to_device: QTransform) -> None:
        """Draw; ``to_device`` leads from places of the axes to pixels."""


def draw_hover_box(
    painter: QPainter,
    theme: Theme,
    at: QPointF,
    area: QSize,
    title: str,
    entries: Sequence[Entry],
) -> None:
    """Draw a title and one line per entry, inside the area and clear of the pointer."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setFont(theme.font("caption", "semibold"))
    title_width = painter.fontMetrics().horizontalAdvance(title)
    painter.setFont(theme.font("caption"))
    metrics = painter.fontMetrics()
    line = metrics.height() + 4
    names = max((metrics.horizontalAdvance(name) for _, name, _ in entries), default=0)
    values = max((metrics.horizontalAdvance(value) for _, _, value in entries), default=0)
    width = max(names + values + 56, title_width + 20)
    height = line * (len(entries) + 1) + 12
    x = at.x() + 14
    if x + width > area.width() - 4:
        x = max(4.0, at.x() - 14 - width)
    y = min(max(at.y() - height / 2, 4.0), max(4.0, area.height() - height - 4.0))
    painter.setPen(QPen(theme.colour("outline"), 1))
    painter.setBrush(theme.colour("surface"))
    painter.drawRoundedRect(QRectF(round(x) + 0.5, round(y) + 0.5, width, height), 6, 6)
    painter.setPen(theme.colour("text"))
    painter.setFont(theme.font("caption", "semibold"))
    row = QRectF(x + 10, y + 6, width - 20, line)
    painter.drawText(row, Qt.AlignmentFlag.AlignVCenter, title)
    for look, name, value in entries:
        row.translate(0, line)
        if look:
            draw_swatch(painter, theme, look, QRectF(row.left(), row.center().y() - 5, 11, 9))
        painter.setFont(theme.font("caption"))
        painter.setPen(theme.colour("text2"))
        painter.drawText(row.adjusted(19, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, name)
        painter.setFont(theme.font("caption", "medium"))
        painter.setPen(theme.colour("text"))
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
        painter.drawText(row, flags, value)
