"""What people said to the short and to the long list, and what each number gives away."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QContextMenuEvent, QFontMetricsF, QMouseEvent, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from ppworkbench.core.compliance.assess_list import ListResult
from ppworkbench.gui.charts.chart import draw_hover_box
from ppworkbench.gui.charts.chart_export import Rows, picture_menu
from ppworkbench.gui.charts.looks import look_colour, series_look
from ppworkbench.gui.dialogs import show_menu
from ppworkbench.gui.numbers import percent
from ppworkbench.gui.theme import ThemeManager, set_fill, smooth_painter

SHORT, LONG = series_look(0), series_look(1)
_GAP = 0.22
"""The part of the room of a number that stays free beside its bars."""


class CountsChart(QWidget):
    """Two bars for every number; below them how likely the item is after it."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._found: ListResult | None = None
        self._place: int | None = None
        self._at = QPointF()
        self._is_stale = False
        self.setObjectName("listCounts")
        self.setAccessibleName(self.tr("Counts by list"))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        themes.theme_changed.connect(self.updateGeometry)
        themes.theme_changed.connect(self.update)

    def show_result(self, found: ListResult) -> None:
        self._found, self._place = found, None
        self.setAccessibleDescription("; ".join(" ".join(row) for row in self.rows()[1:]))
        self.update()

    def set_stale(self, stale: bool) -> None:
        """Dim what belongs to another question or design."""
        self._is_stale = stale
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(self._themes.theme.px(360), self._themes.theme.px(190))

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(self._themes.theme.px(240), self._themes.theme.px(150))

    def rows(self) -> Rows:
        """The numbers of the picture."""
        heads = [self.tr("Count"), self.tr("Short list"), self.tr("Long list"), self.tr("Belief")]
        return [heads, *([str(place), *self._cells(place)] for place in range(self._numbers))]

    @property
    def _numbers(self) -> int:
        return 0 if self._found is None else len(self._found.belief)

    def _shares(self, place: int) -> tuple[float | None, float]:
        assert self._found is not None  # noqa: S101 (there are numbers)
        short, long = self._found.counts.short_shares, self._found.counts.long_shares
        return (float(short[place]) if place < len(short) else None), float(long[place])

    def _cells(self, place: int) -> list[str]:
        assert self._found is not None  # noqa: S101 (there are numbers)
        short, long = self._shares(place)
        first = "–" if short is None else percent(short, 1)
        return [first, percent(long, 1), percent(self._found.belief[place], 1)]

    def _lines(self) -> tuple[float, float]:
        """How high a line of small words is, and all that stands below the bars."""
        line = QFontMetricsF(self._themes.theme.font("caption")).height() + 3
        return line, 3 * line + 4

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        """Draw the bars, the numbers below them and the beliefs."""
        if self._found is None:
            return
        theme = self._themes.theme
        painter = smooth_painter(self)
        painter.setOpacity(0.45 if self._is_stale else 1.0)
        line, below = self._lines()
        area = QRectF(2, line + 2, self.width() - 4, self.height() - below - line - 2)
        every = [one for place in range(self._numbers) for one in self._shares(place)]
        top = max((one for one in every if one is not None), default=1.0) or 1.0
        room = area.width() / self._numbers
        width = room * (1 - _GAP) / 2
        painter.setFont(theme.font("caption"))
        centre = Qt.AlignmentFlag.AlignCenter
        for place in range(self._numbers):
            left = area.left() + place * room + room * _GAP / 2
            for side, (look, share) in enumerate(
                zip((SHORT, LONG), self._shares(place), strict=True)
            ):
                if share is None:
                    continue
                high = area.height() * share / top
                box = QRectF(left + side * width + 1, area.bottom() - high, width - 2, high)
                ink = QColor(look_colour(theme, look))
                ink.setAlpha(200)
                set_fill(painter, ink)
                painter.drawRect(box)
                painter.setPen(theme.colour("text2"))
                words = percent(share)
                painter.drawText(
                    QRectF(box.left() - 10, box.top() - line, width + 20, line), centre, words
                )
            middle = QRectF(area.left() + place * room, area.bottom() + 3, room, line)
            painter.setPen(theme.colour("text"))
            painter.drawText(middle, centre, str(place))
            belief = self._found.belief[place]
            is_certain = place in (0, self._numbers - 1)
            painter.setPen(theme.colour("warningText" if is_certain else "text2"))
            painter.drawText(middle.translated(0, 2 * line), centre, percent(belief))
        painter.setPen(QPen(theme.colour("axis"), 1))
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        painter.setPen(theme.colour("text3"))
        caption = QRectF(area.left(), area.bottom() + 3 + line, area.width(), line)
        painter.drawText(
            caption, centre, self.tr("Belief in “%s” after each count of the long list")
            % self._found.question.sensitive,
        )  # fmt: skip
        painter.setOpacity(1.0)
        if self._place is not None:
            names = (self.tr("Short list"), self.tr("Long list"), self.tr("Belief"))
            looks = (SHORT, LONG, "reconstructed")
            entries = list(zip(looks, names, self._cells(self._place), strict=True))
            title = self.tr("Count %s") % self._place
            draw_hover_box(painter, theme, self._at, self.size(), title, entries)
        painter.end()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        if self._numbers:
            self._at = event.position()
            place = int(self._at.x() / max(self.width() / self._numbers, 1))
            self._place = min(max(place, 0), self._numbers - 1)
            self.update()

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802
        super().leaveEvent(event)
        self._place = None
        self.update()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802
        """Offer to copy or save the picture and its numbers."""
        show_menu(picture_menu(self, self.rows), event.globalPos())
