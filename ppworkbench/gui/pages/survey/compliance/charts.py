"""Pictures of compliance: reports by arm, classes of people, and the band over their share."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from pyqtgraph.functions import arrayToQPolygonF
from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from ppworkbench.analyses.compliance.figures import ArmBar, ClassPart
from ppworkbench.core.arrays import Numbers
from ppworkbench.gui.charts.axes import number_ticks
from ppworkbench.gui.charts.looks import role_brush
from ppworkbench.gui.language import translate
from ppworkbench.gui.numbers import THIN, number, percent
from ppworkbench.gui.theme import ThemeManager, set_fill, smooth_painter

_Scale = Callable[[float], float]
_CAP = 4.0
_FINE, _COARSE = 0.005, 0.05
"""Steps of the line by the arrows and by the page keys."""


class _Picture(QWidget):
    """A painted picture that is drawn again with another theme, and can be dimmed."""

    usual: ClassVar[tuple[int, int]]
    least: ClassVar[tuple[int, int]]
    """Width and height, and those at which it can still be read."""

    def __init__(self, themes: ThemeManager, name: str) -> None:
        super().__init__()
        self._themes = themes
        self._is_stale = False
        self.setObjectName(name)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        themes.theme_changed.connect(self.update)
        themes.theme_changed.connect(self.updateGeometry)

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(*map(self._themes.theme.px, self.usual))

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(*map(self._themes.theme.px, self.least))

    def set_stale(self, stale: bool) -> None:
        """Dim what belongs to another question or design."""
        if stale != self._is_stale:
            self._is_stale = stale
            self.update()

    def _painter(self) -> QPainter:
        painter = smooth_painter(self)
        if self._is_stale:
            painter.setOpacity(0.45)
        return painter


def _axis_top(highest: float) -> float:
    """The end of an axis of shares, with room for words above the highest."""
    wanted = min(max(highest * 1.12, 0.01), 1.0)
    for top in (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8):
        if wanted <= top:
            return top
    return 1.0


def _share_ticks(top: float, most: int) -> list[tuple[float, str]]:
    return [(value / 100, f"{words}{THIN}%") for value, words in number_ticks(0, 100 * top, most)]


class ArmsChart(_Picture):
    """The share of a sensitive answer among the reports of every arm, and what it would be."""

    usual = (320, 150)
    least = (220, 130)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(themes, "armsChart")
        self._bars: tuple[ArmBar, ...] = ()
        self._hatch: tuple[object, QBrush] | None = None

    @property
    def shown(self) -> tuple[ArmBar, ...]:
        """What is drawn."""
        return self._bars

    def show_bars(self, bars: Sequence[ArmBar], words: str) -> None:
        """Show other arms; ``words`` tell them to a screen reader."""
        self._bars = tuple(bars)
        self.setAccessibleDescription(words)
        tips = [
            self.tr("%s: %s reported, %s if all followed; %s")
            % (
                self._name(bar),
                percent(bar.share, 1),
                percent(bar.expected, 1),
                translate(bar.caption),
            )
            for bar in bars
        ]
        self.setToolTip("\n".join(tips))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        if not self._bars:
            return
        theme = self._themes.theme
        painter = self._painter()
        small = QFontMetricsF(theme.font("caption"))
        foot = 2 * small.height() + 8
        top = _axis_top(max(max(bar.high, bar.expected) for bar in self._bars))
        area = QRectF(theme.px(46), 8, self.width() - theme.px(46) - 4, self.height() - foot - 8)

        def level(share: float) -> float:
            return area.bottom() - min(share / top, 1.0) * area.height()

        painter.setFont(theme.font("caption"))
        for value, words in _share_ticks(top, 3):
            y = round(level(value)) + 0.5
            painter.setPen(QPen(theme.colour("axis" if value == 0 else "grid"), 1))
            painter.drawLine(QLineF(area.left(), y, area.right(), y))
            painter.setPen(theme.colour("text2"))
            box = QRectF(0, y - 10, area.left() - 8, 20)
            painter.drawText(
                box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, words
            )
        slot = area.width() / len(self._bars)
        width = min(theme.px(56), slot * 0.4)
        for place, bar in enumerate(self._bars):
            middle = area.left() + slot * (place + 0.5)
            self._draw_bar(painter, bar, middle, width, (level, slot))
            self._draw_names(painter, bar, QRectF(middle - slot / 2, area.bottom() + 4, slot, foot))

    def _draw_bar(
        self, painter: QPainter, bar: ArmBar, x: float, width: float, frame: tuple[_Scale, float]
    ) -> None:
        theme, (level, slot) = self._themes.theme, frame
        role = theme.role("distorted")
        if self._hatch is None or self._hatch[0] is not theme:
            self._hatch = theme, role_brush(theme, "distorted")
        painter.setPen(QPen(role.line, 1))
        painter.setBrush(self._hatch[1])
        top = level(bar.share)
        painter.drawRect(QRectF(x - width / 2, top, width, level(0.0) - top))
        painter.setPen(QPen(theme.colour("text"), theme.stroke(1.5)))
        low, high = level(bar.low), level(bar.high)
        painter.drawLines([
            QLineF(x, low, x, high), QLineF(x - _CAP, low, x + _CAP, low),
            QLineF(x - _CAP, high, x + _CAP, high),
        ])  # fmt: skip
        painter.setPen(QPen(theme.colour("text"), theme.stroke(2.5)))
        line = level(bar.expected)
        reach = min(width * 0.75, slot / 2 - 2)
        painter.drawLine(QLineF(x - reach, line, x + reach, line))
        painter.setFont(theme.font("caption", "semibold"))
        painter.setPen(role.text)
        words = percent(bar.share, 1)
        room = QFontMetricsF(painter.font()).horizontalAdvance(words)
        left = x + width / 2 + 6
        # Beside the bar, or in the middle of it where arms stand close together.
        if left + room > x + slot / 2:
            left = x - room / 2
        y = top + (14 if abs(line - top) < 12 and line <= top else -2)
        ground = QColor(theme.colour("surface"))
        ground.setAlpha(215)
        box = QRectF(left - 2, y - 9, room + 4, 18)
        painter.fillRect(box, ground)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, words)

    def _name(self, bar: ArmBar) -> str:
        return self.tr("Arm %s") % bar.name if bar.name else self.tr("All respondents")

    def _draw_names(self, painter: QPainter, bar: ArmBar, box: QRectF) -> None:
        theme = self._themes.theme
        for place, (words, weight, ink) in enumerate(
            ((self._name(bar), "semibold", "text"),
             (translate(bar.caption), "regular", "text2"))
        ):  # fmt: skip
            painter.setFont(theme.font("caption", weight))
            painter.setPen(theme.colour(ink))
            metrics = QFontMetricsF(painter.font())
            shown = metrics.elidedText(words, Qt.TextElideMode.ElideRight, box.width() - 4)
            line = QRectF(box.left(), box.top() + place * metrics.height(), box.width(), 18)
            painter.drawText(line, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop, shown)


class ClassBar(_Picture):
    """All people as one bar: followers by their true answer, then those who do not follow."""

    usual = (300, 44)
    least = (180, 44)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(themes, "classBar")
        self._parts: tuple[ClassPart, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    @property
    def shown(self) -> tuple[ClassPart, ...]:
        """What is drawn."""
        return self._parts

    def show_parts(self, parts: Sequence[ClassPart]) -> None:
        """Show other classes."""
        self._parts = tuple(parts)
        told = [f"{translate(part.name)} {self._numbers(part)}{THIN}%" for part in parts]
        self.setAccessibleDescription("; ".join(told))
        self.setToolTip("\n".join(told))
        self.update()

    def _numbers(self, part: ClassPart) -> str:
        share = number(100 * part.share)
        if not math.isfinite(part.half):
            return share
        return f"{share} ± {number(100 * part.half)}"

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        """Draw the parts, each with its number where it has room."""
        theme = self._themes.theme
        painter = self._painter()
        height, total = theme.px(21), sum(part.share for part in self._parts) or 1.0
        x, width = 0.5, self.width() - 1.0
        sensitive = True
        for part in self._parts:
            box = QRectF(x, 0.5, width * part.share / total, height - 1)
            x += box.width()
            if box.width() < 1.5:
                sensitive = False
                continue
            inside = box.adjusted(0, 0, -1.5, 0)
            self._fill(painter, inside, part, sensitive=sensitive)
            sensitive = False
        painter.setFont(theme.font("caption"))
        line = QRectF(0, height + 3, self.width(), self.height() - height - 3)
        painter.setPen(theme.colour("text2"))
        painter.drawText(
            line, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop,
            self.tr("followers, by true answer"),
        )  # fmt: skip
        others = ", ".join(translate(part.name) for part in self._parts if not part.is_follower)
        painter.setFont(theme.font("caption", "semibold"))
        painter.setPen(theme.colour("warningText"))
        painter.drawText(line, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop, others)

    def _fill(self, painter: QPainter, box: QRectF, part: ClassPart, *, sensitive: bool) -> None:
        theme = self._themes.theme
        role = theme.role("reconstructed")
        fill, edge, ink = role.tint, role.line, theme.colour("text")
        if not part.is_follower:
            fill, edge = theme.colour("warningBg"), theme.colour("warningText")
            ink = theme.colour("warningText")
        elif sensitive:
            fill, ink = role.fill, theme.colour("surface")
        painter.setPen(QPen(edge, 1))
        painter.setBrush(fill)
        painter.drawRoundedRect(box, 3, 3)
        painter.setFont(theme.font("caption", "semibold"))
        painter.setPen(ink)
        metrics = QFontMetricsF(painter.font())
        words = self._numbers(part)
        full = f"{translate(part.name)} {words}" if part.is_follower else words
        for said in (full, words, number(100 * part.share)):
            if metrics.horizontalAdvance(said) <= box.width() - 4:
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, said)
                return


@dataclass(frozen=True, eq=False)
class BandCurve:
    """The estimate over the share of people who do not follow.

    Parameters
    ----------
    most
        The largest share that the data allow.
    measured
        From where to where the arms put that share; None where they do not.
    axis
        What is said below the axis.
    """

    x: Numbers
    y: Numbers
    low: Numbers
    high: Numbers
    most: float
    measured: tuple[float, float] | None
    axis: str


class BandPlot(_Picture):
    """A dashed line with its ribbon, and a vertical line that people drag to their judgement.

    The arrows move it by half a point, the page keys by five; Home and End go to the ends.
    """

    usual = (360, 150)
    least = (220, 120)

    moved = Signal(float)
    """The line stands at another share."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(themes, "bandPlot")
        self._curve: BandCurve | None = None
        self._share = 0.0
        self._estimate = math.nan
        self._is_held = False
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Share of people who do not follow"))
        self.setCursor(Qt.CursorShape.SizeHorCursor)

    @property
    def share(self) -> float:
        """Where the line stands."""
        return self._share

    @property
    def shown(self) -> BandCurve | None:
        """What is drawn."""
        return self._curve

    def show_curve(self, curve: BandCurve, share: float, estimate: float) -> None:
        """Show another band, the line at a share and what the estimate is there."""
        self._curve, self._share, self._estimate = curve, share, estimate
        self.setAccessibleDescription(
            self.tr("%s if %s do not follow") % (percent(estimate, 1), percent(share, 1))
        )
        self.update()

    def _area(self) -> QRectF:
        theme = self._themes.theme
        foot = 2 * QFontMetricsF(theme.font("caption")).height() + 12
        left = theme.px(44)
        return QRectF(
            left, 10, max(self.width() - left - 14, 10), max(self.height() - foot - 10, 10)
        )

    def _top(self, curve: BandCurve) -> float:
        ends = [end for end in (*curve.high, *curve.y) if math.isfinite(end)]
        return _axis_top(min(max(ends, default=0.5), 1.0))

    def _move_to(self, share: float) -> None:
        curve = self._curve
        if curve is None:
            return
        share = min(max(share, float(curve.x[0])), float(curve.x[-1]))
        share = round(share, 3)
        if share != self._share:
            self._share = share
            self.moved.emit(share)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        if event.button() == Qt.MouseButton.LeftButton:
            self._is_held = True
            self._follow(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        if self._is_held:
            self._follow(event.position())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: ARG002, N802
        self._is_held = False

    def _follow(self, at: QPointF) -> None:
        curve, area = self._curve, self._area()
        if curve is not None:
            first, last = float(curve.x[0]), float(curve.x[-1])
            self._move_to(first + (at.x() - area.left()) / area.width() * (last - first))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        steps = {
            Qt.Key.Key_Left: -_FINE, Qt.Key.Key_Down: -_FINE, Qt.Key.Key_Right: _FINE,
            Qt.Key.Key_Up: _FINE, Qt.Key.Key_PageDown: -_COARSE, Qt.Key.Key_PageUp: _COARSE,
            Qt.Key.Key_Home: -1.0, Qt.Key.Key_End: 1.0,
        }  # fmt: skip
        step = steps.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
        else:
            self._move_to(self._share + step)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        """Draw axes, the range of the arms, ribbon, line and handle."""
        curve = self._curve
        if curve is None:
            return
        theme, area, top = self._themes.theme, self._area(), self._top(curve)
        painter = self._painter()
        first, last = float(curve.x[0]), float(curve.x[-1])

        def across(share: float) -> float:
            return area.left() + (share - first) / (last - first) * area.width()

        def level(value: float) -> float:
            return area.bottom() - min(max(value / top, 0.0), 1.0) * area.height()

        self._draw_measured(painter, curve, area, across)
        self._draw_axes(painter, curve, area, (across, level, top))
        known = [place for place, value in enumerate(curve.y) if math.isfinite(value)]
        x = [across(float(curve.x[place])) for place in known]
        role = theme.role("reconstructed")
        ribbon = QColor(role.fill)
        ribbon.setAlpha(55)
        set_fill(painter, ribbon)
        low = [level(float(curve.low[place])) for place in known]
        high = [level(float(curve.high[place])) for place in known]
        painter.drawPolygon(
            arrayToQPolygonF(np.array([*x, *x[::-1]]), np.array([*low, *high[::-1]]))
        )
        pen = QPen(role.line, theme.stroke(2))
        pen.setDashPattern([4, 2.5])
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        y = [level(float(curve.y[place])) for place in known]
        painter.drawPolyline(arrayToQPolygonF(np.array(x), np.array(y)))
        self._draw_line(painter, area, across(self._share), level)
        if self.hasFocus():
            painter.setPen(QPen(theme.colour("focus"), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 6, 6)

    def _draw_measured(
        self, painter: QPainter, curve: BandCurve, area: QRectF, across: _Scale
    ) -> None:
        if curve.measured is None:
            return
        theme = self._themes.theme
        first, last = float(curve.x[0]), float(curve.x[-1])
        low, high = (min(max(end, first), last) for end in curve.measured)
        box = QRectF(across(low), area.top(), across(high) - across(low), area.height())
        painter.fillRect(box, theme.colour("accentTint"))
        painter.setFont(theme.font("caption"))
        painter.setPen(theme.colour("accentInk"))
        words = self.tr("arms: %s to %s") % (
            number(100 * curve.measured[0]), percent(curve.measured[1]),
        )  # fmt: skip
        room = QFontMetricsF(painter.font()).horizontalAdvance(words)
        left = min(box.left() + 6, area.right() - room)
        line = QRectF(left, area.bottom() - 20, room + 4, 18)
        painter.drawText(line, Qt.AlignmentFlag.AlignVCenter, words)

    def _draw_axes(
        self,
        painter: QPainter,
        curve: BandCurve,
        area: QRectF,
        scale: tuple[_Scale, _Scale, float],
    ) -> None:
        theme, (across, level, top) = self._themes.theme, scale
        painter.setFont(theme.font("caption"))
        for value, words in _share_ticks(top, max(2, int(area.height() // 45))):
            y = round(level(value)) + 0.5
            painter.setPen(QPen(theme.colour("axis" if value == 0 else "grid"), 1))
            painter.drawLine(QLineF(area.left(), y, area.right(), y))
            painter.setPen(theme.colour("text2"))
            box = QRectF(0, y - 10, area.left() - 8, 20)
            painter.drawText(
                box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, words
            )
        height = QFontMetricsF(painter.font()).height()
        last = float(curve.x[-1])
        for value, words in _share_ticks(last, max(2, int(area.width() // 60))):
            if value < float(curve.x[0]) - 1e-9:
                continue
            box = QRectF(across(value) - 30, area.bottom() + 4, 60, height + 2)
            painter.drawText(box, Qt.AlignmentFlag.AlignHCenter, words)
        box = QRectF(area.left(), area.bottom() + height + 6, area.width(), height + 2)
        painter.drawText(box, Qt.AlignmentFlag.AlignHCenter, curve.axis)
        if curve.most < last:
            x = across(curve.most)
            pen = QPen(theme.colour("warningText"), 1)
            pen.setDashPattern([2, 3])
            painter.setPen(pen)
            painter.drawLine(QLineF(x, area.top(), x, area.bottom()))

    def _draw_line(self, painter: QPainter, area: QRectF, x: float, level: _Scale) -> None:
        theme = self._themes.theme
        painter.setPen(QPen(theme.colour("accentInk"), theme.stroke(2)))
        painter.drawLine(QLineF(x, area.top(), x, area.bottom()))
        painter.setBrush(theme.colour("surface"))
        painter.drawEllipse(QPointF(x, area.top()), 6, 6)
        if not math.isfinite(self._estimate):
            return
        role = theme.role("reconstructed")
        y = level(self._estimate)
        painter.setPen(QPen(theme.colour("surface"), 1))
        painter.setBrush(role.fill)
        painter.drawEllipse(QPointF(x, y), 5.5, 5.5)
        painter.setFont(theme.font("body", "semibold"))
        words = percent(self._estimate, 1)
        room = QFontMetricsF(painter.font()).horizontalAdvance(words)
        left = x - room - 12 if x - room - 12 > area.left() else x + 12
        box = QRectF(left - 2, y - 26, room + 4, 18)
        ground = QColor(theme.colour("surface"))
        ground.setAlpha(200)
        painter.fillRect(box, ground)
        painter.setPen(role.text)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, words)
