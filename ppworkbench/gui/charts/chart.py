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
    QFontMetricsF,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QTransform,
)
from PySide6.QtWidgets import QMenu, QSizePolicy, QWidget

from ppworkbench.gui.application import single_shot
from ppworkbench.gui.charts.axes import QuietAxis
from ppworkbench.gui.charts.chart_export import picture_menu
from ppworkbench.gui.charts.looks import (
    draw_line_sample,
    draw_swatch,
    is_series,
    outline_pen,
    role_brush,
    role_pen,
)
from ppworkbench.gui.dialogs import show_menu
from ppworkbench.gui.numbers import number
from ppworkbench.gui.theme import Theme, ThemeManager, smooth_painter

_GROUPS = {
    "transformGroup": False,
    "decimateGroup": False,
    "averageGroup": False,
    "alphaGroup": True,
    "gridGroup": False,
    "pointsGroup": True,
}
"""What pyqtgraph puts into its menu, and whether it is ticked."""
_VALUES = {
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

    def connect(self, slot: Callable[[], object]) -> None:
        """Call someone when the value changes."""
        self._slots.append(slot)

    def value(self) -> int:
        """Where it stands."""
        return self._value

    def maximum(self) -> int:
        """The most that it can say."""
        return self._most

    def isChecked(self) -> bool:  # noqa: N802
        """Whether it is ticked."""
        return bool(self._value)

    def setValue(self, value: int) -> None:  # noqa: N802
        """Stand elsewhere."""
        if value != self._value:
            self._value = value
            for slot in self._slots:
                slot()

    def setChecked(self, checked: bool) -> None:  # noqa: N802
        """Tick it or not."""
        self.setValue(int(checked))

    def clear(self) -> None:
        """Forget the lines of a list."""


class _Group(QWidget):
    """What stands in the menu; it has to be a widget."""

    def __init__(self, parent: QWidget, *, checked: bool) -> None:
        super().__init__(parent)
        control = _Control(int(checked))
        self.toggled, self.isChecked, self.setChecked = (
            control,
            control.isChecked,
            control.setChecked,
        )


class NoControls:
    """Takes the place of the panel."""

    def setupUi(self, form: QWidget) -> None:  # noqa: N802
        """Make what pyqtgraph asks for by name while it makes a plot."""
        for name, checked in _GROUPS.items():
            setattr(self, name, _Group(form, checked=checked))

    def __getattr__(self, name: str) -> _Control:
        if name.startswith("_"):
            raise AttributeError(name)
        control = _Control(*_VALUES.get(name, (0, 1)))
        setattr(self, name, control)
        return control


def leave_controls_out() -> None:
    """Let plots be made without them from now on."""
    template.Ui_Form = NoControls


# At the end pyqtgraph would disconnect a signal of every view that ever was. Views of this window
# have no name, so that nothing is connected to it; and many of them Qt has deleted by then.
pg.setConfigOption("exitCleanup", False)
leave_controls_out()

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
        if not self.accessibleDescription():
            self.setAccessibleDescription(self.summary())

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
        """Draw the plot, and the box of numbers over it."""
        super().paintEvent(event)
        if self._told is not None:
            painter = QPainter(self.viewport())
            draw_hover_box(painter, self.themes.theme, self._told[0], self.viewport().size(),
                           *self._told[1:])  # fmt: skip
            painter.end()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802
        """Offer to copy or save the picture and its numbers."""
        show_menu(self.make_menu(), event.globalPos())

    def make_menu(self) -> QMenu:
        """The menu of the right button."""
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


class Legend(QWidget):
    """Entries in role order; ``lines`` shows strokes instead of swatches."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._entries: tuple[tuple[str, str], ...] = ()
        self._lines = False
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        themes.theme_changed.connect(self.update)

    def show_entries(self, entries: tuple[tuple[str, str], ...], lines: bool = False) -> None:
        """Show (role, word) pairs."""
        if (entries, lines) == (self._entries, self._lines):
            return
        self._entries, self._lines = entries, lines
        self.setAccessibleName(", ".join(word for _, word in entries))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        metrics = self.fontMetrics()
        width = sum(metrics.horizontalAdvance(word) + 44 for _, word in self._entries)
        return QSize(width, self._themes.theme.px(20))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        theme = self._themes.theme
        painter = smooth_painter(self)
        painter.setFont(theme.font("caption"))
        metrics = painter.fontMetrics()
        x, middle = 0.0, self.height() / 2
        for role, word in self._entries:
            if self._lines and role != "original":
                painter.setPen(role_pen(theme, role))
                painter.drawLine(int(x), int(middle), int(x) + 20, int(middle))
                x += 26
            else:
                painter.setPen(outline_pen(theme, role))
                area = theme.role(role).tint if self._lines else role_brush(theme, role)
                painter.setBrush(area)
                painter.drawRect(QRectF(x + 1, middle - 5, 11, 10))
                x += 18
            painter.setPen(theme.colour("text2"))
            width = metrics.horizontalAdvance(word)
            painter.drawText(
                QRectF(x, 0, width + 4, self.height()), Qt.AlignmentFlag.AlignVCenter, word
            )
            x += width + 18


_GAP = 20
_SAMPLE, _SWATCH = 22, 12


class SeriesLegend(QWidget):
    """Entries of (look, words); ``lines`` draws strokes where the plot has curves."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self.entries: tuple[tuple[str, str], ...] = ()
        self._lines = False
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        themes.theme_changed.connect(self._resize)
        self._resize()

    def show_entries(self, entries: tuple[tuple[str, str], ...], lines: bool) -> None:
        if (entries, lines) != (self.entries, self._lines):
            self.entries, self._lines = entries, lines
            self.setAccessibleName(", ".join(words for _, words in entries))
            self._resize()

    def sizeHint(self) -> QSize:  # noqa: N802
        """One line, or more where the words do not fit."""
        return QSize(200, self.height())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._resize()

    def _line_height(self) -> int:
        return self._themes.theme.px(20)

    def _resize(self) -> None:
        lines = 1 + max((line for line, *_ in self._places()), default=0)
        self.setFixedHeight(lines * self._line_height())
        self.update()

    def _places(self) -> list[tuple[int, float, float]]:
        """Line, left end and width of the words of every entry."""
        theme = self._themes.theme
        metrics = QFontMetricsF(theme.font("caption"))
        found, line, x = [], 0, 0.0
        for look, words in self.entries:
            width = self._mark(look) + 6 + metrics.horizontalAdvance(words)
            if x > 0 and x + width > self.width():
                line, x = line + 1, 0.0
            found.append((line, x, width))
            x += width + _GAP
        return found

    def _mark(self, look: str) -> int:
        stroke = self._lines and look != "original"
        return _SAMPLE if stroke or is_series(look) else _SWATCH

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        theme = self._themes.theme
        painter = smooth_painter(self)
        painter.setFont(theme.font("caption"))
        height = self._line_height()
        for (look, words), (line, x, width) in zip(self.entries, self._places(), strict=True):
            middle, mark = line * height + height / 2, self._mark(look)
            if mark == _SAMPLE:
                draw_line_sample(painter, theme, look, QRectF(x, middle - 5, mark, 10))
            else:
                box = QRectF(x + 0.5, middle - 4.5, mark - 1, 9)
                draw_swatch(painter, theme, look, box, as_area=self._lines)
            painter.setPen(theme.colour("text2"))
            box = QRectF(x + mark + 6, line * height, width, height)
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, words)


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
        draw_swatch(painter, theme, look, QRectF(row.left(), row.center().y() - 5, 11, 9))
        painter.setFont(theme.font("caption"))
        painter.setPen(theme.colour("text2"))
        painter.drawText(row.adjusted(19, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, name)
        painter.setFont(theme.font("caption", "medium"))
        painter.setPen(theme.colour("text"))
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
        painter.drawText(row, flags, value)
