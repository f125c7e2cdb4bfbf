"""Charts of a collection: answers by day, and an estimate that becomes more precise."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from pyqtgraph.functions import arrayToQPolygonF
from PySide6.QtCore import QDate, QEvent, QLineF, QLocale, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFontMetricsF,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from ppworkbench.analyses.collecting import LiveEstimate, LivePoint
from ppworkbench.analyses.monitoring import DayCount
from ppworkbench.core.arrays import Numbers
from ppworkbench.gui.charts.axes import number_ticks
from ppworkbench.gui.charts.chart import Rows, draw_hover_box
from ppworkbench.gui.charts.chart_export import picture_menu
from ppworkbench.gui.charts.looks import outline_pen, role_brush, role_pen
from ppworkbench.gui.dialogs import show_menu
from ppworkbench.gui.numbers import number, percent, significant
from ppworkbench.gui.theme import Theme, ThemeManager, set_fill, set_outline, smooth_painter

_MOST_DAYS = 60
_GROUND = 215
"""How much of a line still shines through the ground of words."""
_AXIS, _BOTTOM, _TOP, _RIGHT = 44.0, 24.0, 18.0, 12.0


def day_text(day: dt.date) -> str:
    """A day as people of the language write it, without the year."""
    form = QLocale().dateFormat(QLocale.FormatType.ShortFormat)
    for year in ("yyyy", "yy"):
        form = form.replace(year, "")
    return QLocale().toString(QDate(day.year, day.month, day.day), form.strip(" ./-,"))


class _Chart(QWidget):
    """What both charts share: one focus stop with a table, a summary and a menu."""

    def __init__(self, themes: ThemeManager, name: str) -> None:
        super().__init__()
        self._themes = themes
        self._hover: QPointF | None = None
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        themes.theme_changed.connect(self.update)

    def rows(self) -> Rows:
        """The numbers as a table."""
        raise NotImplementedError

    def _show(self) -> None:
        self.setAccessibleDescription("; ".join(" ".join(row) for row in self.rows()[1:][-12:]))
        self.update()

    def _area(self) -> QRectF:
        px = self._themes.theme.px
        width = max(self.width() - px(_AXIS) - _RIGHT, 40.0)
        return QRectF(px(_AXIS), _TOP, width, max(self.height() - _TOP - px(_BOTTOM), 30.0))

    def _draw_grid(
        self, painter: QPainter, area: QRectF, low: float, high: float, *, is_share: bool
    ) -> None:
        theme = self._themes.theme
        painter.setFont(theme.font("caption"))
        most = max(int(area.height() / theme.px(26)), 2)
        for value, words in number_ticks(low, high, most):
            y = area.bottom() - (value - low) / (high - low) * area.height()
            painter.setPen(QPen(theme.colour("axis" if value == 0 else "grid"), 1))
            painter.drawLine(QLineF(area.left(), round(y) + 0.5, area.right(), round(y) + 0.5))
            painter.setPen(theme.colour("axis"))
            said = percent(value) if is_share else words
            box = QRectF(0, y - 10, area.left() - 8, 20)
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, said)

    def _draw_focus(self, painter: QPainter) -> None:
        if self.hasFocus():
            set_outline(painter, QPen(self._themes.theme.colour("focus"), 2))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 6, 6)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        self._hover = event.position()
        self.update()

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802
        super().leaveEvent(event)
        self._hover = None
        self.update()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802
        """Offer to copy or save the picture and its numbers."""
        show_menu(picture_menu(self, self.rows), event.globalPos())


class DayChart(_Chart):
    """A hatched bar for every day: what arrives is reported answers."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(themes, "")
        self.setAccessibleName(self.tr("Answers per day"))
        self._days: tuple[DayCount, ...] = ()
        self.setMinimumHeight(96)

    @property
    def shown(self) -> tuple[DayCount, ...]:
        """What is drawn."""
        return self._days

    def show_days(self, days: Sequence[DayCount]) -> None:
        """Show other days; of very many the latest."""
        if tuple(days) != self._days:
            self._days = tuple(days)
            self._show()

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(420, 150)

    def rows(self) -> Rows:
        head = [self.tr("day"), self.tr("answers"), self.tr("in sum")]
        return [
            head,
            *([one.day.isoformat(), str(one.answers), str(one.total)] for one in self._days),
        ]

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        painter, theme, area = smooth_painter(self), self._themes.theme, self._area()
        days = self._days[-_MOST_DAYS:]
        most = max((one.answers for one in days), default=0)
        top = max(most * 1.08, 10.0)
        self._draw_grid(painter, area, 0.0, top, is_share=False)
        slot = area.width() / max(len(days), 7)
        bar = min(slot * 0.62, theme.px(38))
        metrics = QFontMetricsF(theme.font("caption"))
        widest = max((metrics.horizontalAdvance(day_text(one.day)) for one in days), default=0.0)
        every = max(int(-(-(widest + 8) // slot)), 1)
        for place, one in enumerate(days):
            middle = area.left() + (place + 0.5) * slot
            height = one.answers / top * area.height()
            box = QRectF(middle - bar / 2, area.bottom() - height, bar, height)
            painter.setPen(outline_pen(theme, "distorted"))
            painter.setBrush(role_brush(theme, "distorted"))
            painter.drawRect(box)
            painter.setFont(theme.font("caption"))
            painter.setPen(theme.colour("text2"))
            words = number(one.answers)
            if metrics.horizontalAdvance(words) < slot:
                above = QRectF(middle - slot / 2, box.top() - 17, slot, 16)
                painter.drawText(above, Qt.AlignmentFlag.AlignCenter, words)
            if (len(days) - 1 - place) % every == 0:
                below = QRectF(middle - widest, area.bottom() + 4, 2 * widest, 18)
                painter.setPen(theme.colour("axis"))
                painter.drawText(below, Qt.AlignmentFlag.AlignCenter, day_text(one.day))
        self._draw_hover(painter, area, days, slot)
        self._draw_focus(painter)

    def _draw_hover(
        self, painter: QPainter, area: QRectF, days: Sequence[DayCount], slot: float
    ) -> None:
        at = self._hover
        if at is None or not area.contains(at):
            return
        place = int((at.x() - area.left()) / slot)
        if place < len(days):
            one = days[place]
            entries = [
                ("distorted", self.tr("answers"), number(one.answers)),
                ("distorted", self.tr("in sum"), number(one.total)),
            ]
            draw_hover_box(painter, self._themes.theme, at, self.size(), day_text(one.day), entries)


@dataclass(frozen=True)
class _Scale:
    """Numbers of answers and values to pixels."""

    area: QRectF
    last: float
    low: float
    high: float

    def x(self, answers: float) -> float:
        return self.area.left() + answers / self.last * self.area.width()

    def y(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return self.area.bottom() - min(max(share, -0.5), 1.5) * self.area.height()

    def polygon(self, answers: Numbers, values: Numbers) -> QPolygonF:
        across = self.area.left() + answers / self.last * self.area.width()
        down = np.array([self.y(float(value)) for value in values])
        made: QPolygonF = arrayToQPolygonF(across, down)
        return made


class LiveChart(_Chart):
    """The steps of an estimate with their band, and what is expected from here to the goal."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(themes, "")
        self.setAccessibleName(self.tr("Estimate by number of answers"))
        self._found: LiveEstimate | None = None
        self._goal = ""
        self.setMinimumHeight(130)

    @property
    def shown(self) -> LiveEstimate | None:
        """What is drawn."""
        return self._found

    def show_estimate(self, found: LiveEstimate | None, goal: str) -> None:
        """Show another estimate; ``goal`` names the precision that is wanted."""
        if (found, goal) != (self._found, self._goal):
            self._found, self._goal = found, goal
            self._show()

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(420, 240)

    def rows(self) -> Rows:
        head = [self.tr("answers"), self.tr("estimate"), self.tr("low"), self.tr("high")]
        points = () if self._found is None else self._found.points
        return [
            head,
            *([str(p.answers), *(f"{v:.6g}" for v in (p.estimate, p.low, p.high))] for p in points),
        ]

    def _scale(self, found: LiveEstimate, now: LivePoint) -> _Scale:
        last = float(max(now.answers * 1.25, 50))
        if found.needed is not None and found.needed <= 12 * now.answers:
            last = max(last, found.needed * 1.06)
        # The first intervals of a few answers would flatten all others.
        first = [p for p in found.points if p.half_width <= 2.2 * now.half_width] or [now]
        low = min(p.low for p in first)
        high = max(p.high for p in first)
        if found.target.values:
            low, high = min(low, 0.0), max(high, 0.1)
        room = 0.08 * (high - low or 1.0)
        return _Scale(self._area(), last, low - room, high + room)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        """Draw grid, expected band, band so far, steps, and where the goal is reached."""
        painter, theme, found = smooth_painter(self), self._themes.theme, self._found
        now = None if found is None else found.now
        if found is None or now is None:
            return
        scale = self._scale(found, now)
        area, is_share = scale.area, bool(found.target.values)
        self._draw_grid(painter, area, scale.low, scale.high, is_share=is_share)
        self._draw_answers(painter, theme, scale)
        painter.save()
        painter.setClipRect(area.adjusted(-6, -2, 6, 2))
        self._draw_expected(painter, theme, scale, found)
        self._draw_steps(painter, theme, scale, found, now)
        painter.restore()
        self._draw_words(painter, theme, scale, found, now)
        self._draw_hover(painter, scale, found)
        self._draw_focus(painter)

    def _draw_answers(self, painter: QPainter, theme: Theme, scale: _Scale) -> None:
        painter.setFont(theme.font("caption"))
        painter.setPen(theme.colour("axis"))
        most = max(int(scale.area.width() / theme.px(64)), 2)
        for value, words in number_ticks(0, scale.last, most):
            box = QRectF(scale.x(value) - 40, scale.area.bottom() + 4, 80, 18)
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, words)

    def _draw_expected(
        self, painter: QPainter, theme: Theme, scale: _Scale, found: LiveEstimate
    ) -> None:
        answers, low, high = found.band(int(scale.last))
        if not len(answers):
            return
        band = scale.polygon(
            np.concatenate([answers, answers[::-1]]), np.concatenate([low, high[::-1]])
        )
        set_fill(painter, theme.colour("sunken"))
        painter.drawPolygon(band)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(theme.colour("text3"), 1, Qt.PenStyle.DashLine))
        for edge in (low, high):
            painter.drawPolyline(scale.polygon(answers, edge))
        if found.needed is not None and found.needed <= scale.last:
            x = scale.x(found.needed)
            ends = found.band(found.needed)
            if len(ends[0]):
                painter.setPen(QPen(theme.colour("text2"), theme.stroke(2)))
                low_y, high_y = scale.y(float(ends[1][-1])), scale.y(float(ends[2][-1]))
                painter.drawLine(QLineF(x, low_y, x, high_y))

    def _draw_steps(
        self,
        painter: QPainter,
        theme: Theme,
        scale: _Scale,
        found: LiveEstimate,
        now: LivePoint,
    ) -> None:
        colours = theme.role("reconstructed")
        answers = np.array([p.answers for p in found.points], float)
        low, high = (np.array([getattr(p, end) for p in found.points]) for end in ("low", "high"))
        if len(answers) > 1:
            tint = QColor(colours.tint)
            set_fill(painter, tint)
            painter.drawPolygon(
                scale.polygon(
                    np.concatenate([answers, answers[::-1]]), np.concatenate([low, high[::-1]])
                )
            )
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(role_pen(theme, "reconstructed"))
            painter.drawPolyline(
                scale.polygon(answers, np.array([p.estimate for p in found.points]))
            )
        painter.setPen(QPen(colours.line, theme.stroke(2)))
        x = scale.x(now.answers)
        painter.drawLine(QLineF(x, scale.y(now.low), x, scale.y(now.high)))
        set_fill(painter, colours.line)
        for point in found.points:
            radius = theme.stroke(4.5 if point is now else 3)
            painter.drawEllipse(
                QPointF(scale.x(point.answers), scale.y(point.estimate)), radius, radius
            )

    def _draw_words(
        self,
        painter: QPainter,
        theme: Theme,
        scale: _Scale,
        found: LiveEstimate,
        now: LivePoint,
    ) -> None:
        painter.setFont(theme.font("caption", "semibold"))
        painter.setPen(theme.role("reconstructed").text)
        words = self.tr("now, %s") % number(now.answers)
        top = max(scale.y(now.high) - 18, 0.0)
        painter.drawText(self._beside(painter, scale.x(now.answers), top, words), 0, words)
        painter.setFont(theme.font("caption"))
        painter.setPen(theme.colour("text2"))
        answers, low, high = found.band(int(scale.last))
        if not len(answers):
            return
        if found.needed is not None and now.answers < found.needed <= scale.last:
            words = self.tr("%s at %s") % (self._goal, number(found.needed))
            y = scale.y(float(np.interp(found.needed, answers, high))) - 18
            painter.drawText(self._beside(painter, scale.x(found.needed), y, words, -1), 0, words)
        words = self.tr("expected, if nothing changes")
        middle = (now.answers + scale.last) / 2
        if painter.fontMetrics().horizontalAdvance(words) < scale.x(scale.last) - scale.x(
            now.answers
        ):
            y = min(scale.y(float(np.interp(middle, answers, low))) + 3, scale.area.bottom() - 16)
            box = self._beside(painter, scale.x(middle), y, words, 0)
            ground = QColor(theme.colour("surface"))
            ground.setAlpha(_GROUND)
            painter.fillRect(box, ground)
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, words)

    def _beside(self, painter: QPainter, x: float, y: float, words: str, side: int = 1) -> QRectF:
        """A box right of a place, around it (0) or left of it (-1), within the chart."""
        width = painter.fontMetrics().horizontalAdvance(words) + 4
        left = {1: x + 6, 0: x - width / 2, -1: x - width + 4}[side]
        left = min(max(left, self._area().left()), self.width() - width - 2.0)
        return QRectF(left, y, width, 18)

    def _draw_hover(self, painter: QPainter, scale: _Scale, found: LiveEstimate) -> None:
        at = self._hover
        if at is None or not scale.area.contains(at) or not found.points:
            return
        near = min(found.points, key=lambda p: abs(scale.x(p.answers) - at.x()))
        said = [
            percent(value, 1) if found.target.values else significant(value)
            for value in (near.estimate, near.low, near.high)
        ]
        entries = [
            ("reconstructed", self.tr("estimate"), said[0]),
            ("reconstructed", self.tr("interval"), self.tr("%s to %s") % (said[1], said[2])),
        ]
        title = self.tr("%s answers") % number(near.answers)
        draw_hover_box(painter, self._themes.theme, at, self.size(), title, entries)
