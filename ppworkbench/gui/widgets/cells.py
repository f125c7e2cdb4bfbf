"""What the columns of a table are, and how their cells are painted."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import (
    QLineF,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPointF,
    QRect,
    QRectF,
    Qt,
)
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen, QPixmap, QStaticText
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from ppworkbench.gui.theme import ThemeManager, pixmap, set_fill, set_outline


def draw_mini_bars(
    painter: QPainter, area: QRectF, shares: NDArray[np.float64], colour: QColor
) -> None:
    """Draw bars without axes; more than twelve cells are joined to twelve."""
    if len(shares) > 12:
        borders = np.linspace(0, len(shares), 13).astype(int)
        shares = np.add.reduceat(shares, borders[:-1])
    highest = float(shares.max(initial=0.0))
    if highest <= 0:
        return
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    set_fill(painter, colour)
    width = min(area.width() / len(shares), 6.0)
    area = area.adjusted(area.width() - width * len(shares), 0, 0, 0)
    for i, share in enumerate(shares.tolist()):
        height = max(1.0, area.height() * share / highest) if share > 0 else 0.0
        left, right = round(area.left() + i * width), round(area.left() + (i + 1) * width)
        top = round(area.bottom() - height)
        painter.drawRect(QRectF(left, top, max(right - left - 1, 1), height))
    painter.restore()


class IconPainter(QObject):
    """Draws icons of the set at a place; forgets them when the theme changes."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._made: dict[tuple[str, str, int, float], QPixmap] = {}
        themes.theme_changed.connect(self._forget)

    def _forget(self) -> None:
        self._made.clear()

    def draw(
        self,
        painter: QPainter,
        name: str,
        colour: str,
        left: float,
        middle: float,
        size: int = 16,
    ) -> None:
        """Draw an icon whose left edge and vertical middle are given."""
        key = (name, colour, size, painter.device().devicePixelRatioF())
        if key not in self._made:
            self._made[key] = pixmap(name, self._themes.theme.colour(colour), size, key[3])
        painter.drawPixmap(round(left), round(middle - size / 2), self._made[key])


class CellPalette(QObject):
    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._colours: dict[str, QColor] = {}
        self._fonts: dict[tuple[str, str], QFont] = {}
        self._metrics: dict[tuple[str, str], QFontMetrics] = {}
        themes.theme_changed.connect(self._forget)

    def colour(self, name: str) -> QColor:
        if name not in self._colours:
            self._colours[name] = self._themes.theme.colour(name)
        return self._colours[name]

    def font(self, style: str = "body", weight: str = "regular") -> QFont:
        key = (style, weight)
        if key not in self._fonts:
            self._fonts[key] = self._themes.theme.font(style, weight)
        return self._fonts[key]

    def metrics(self, style: str = "body", weight: str = "regular") -> QFontMetrics:
        key = (style, weight)
        if key not in self._metrics:
            self._metrics[key] = QFontMetrics(self.font(style, weight))
        return self._metrics[key]

    def _forget(self) -> None:
        self._colours.clear()
        self._fonts.clear()
        self._metrics.clear()


_MOST = 3000


class TextLayout(QObject):
    """Draws texts of a table; most of them repeat from row to row and from frame to frame."""

    def __init__(self, themes: ThemeManager, inks: CellPalette) -> None:
        super().__init__()
        self._inks = inks
        self._known: dict[tuple[str, int, str], QStaticText] = {}
        themes.theme_changed.connect(self._forget)

    def _forget(self) -> None:
        self._known.clear()

    def draw(
        self,
        painter: QPainter,
        content: str,
        area: QRect,
        *,
        colour: str = "text",
        weight: str = "regular",
        is_right: bool = False,
    ) -> int:
        """Write as much of a line as there is room for; how wide it became."""
        laid = self._lay_out(content, area.width(), weight)
        size = laid.size()
        left = area.right() + 1 - size.width() if is_right else area.left()
        painter.setFont(self._inks.font("body", weight))
        painter.setPen(self._inks.colour(colour))
        top = area.top() + (area.height() - size.height()) // 2
        painter.drawStaticText(QPointF(left, top), laid)
        return int(size.width())

    def _lay_out(self, content: str, room: int, weight: str) -> QStaticText:
        key = (content, room, weight)
        laid = self._known.get(key)
        if laid is None:
            if len(self._known) >= _MOST:
                self._known.clear()
            words = self._inks.metrics("body", weight).elidedText(
                content.replace("\n", " "), Qt.TextElideMode.ElideRight, room
            )
            laid = QStaticText(words)
            laid.setTextFormat(Qt.TextFormat.PlainText)
            laid.prepare(font=self._inks.font("body", weight))
            self._known[key] = laid
        return laid


Index = QModelIndex | QPersistentModelIndex
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
Row = TypeVar("Row")


@dataclass(frozen=True)
class Column(Generic[Row]):
    """A column: its head, what a row says in it, and how that is drawn.

    Parameters
    ----------
    meaning
        What the column holds, where the head alone does not say it.
    tip
        What is told of a cell on which the pointer rests; its text if None.
    spoken
        What is read aloud instead of the text.
    is_left, is_centred
        Words stand at the left, numbers at the right or in the middle.
    ink, weight
        The colour of the text, and how bold it is in a row.
    icon, icon_ink
        An icon before the text, or alone in the middle of a cell without text; in the colour of the
        text unless another one is named.
    badge
        A few words in a frame behind the text.
    caption
        Smaller words in grey behind the text, where there is room for all of them.
    subtitle
        The same below the head.
    is_chip
        Whether the text is a warning in a frame of its own.
    interval
        A number with the ends of its interval, drawn as a bar with a whisker before its number.
    scale, rule
        The ends of the scale of those bars, and where a dashed line crosses them.
    spread, widest_spread
        Smaller words behind a number, and the widest of them, for which all rows leave room.
    below
        Smaller words in a second line.
    mark
        What is drawn at a place before the text.
    sign
        An icon behind the text, with its colour; none if its name is empty.
    is_pale
        Which rows are drawn paler than others.
    has_menu
        Whether an arrow at the end tells that a click opens a menu.
    wraps
        Whether a long text goes on in further lines, for which the rows must have room.
    """

    title: str
    text: Callable[[Row], str]
    meaning: str = ""
    tip: Callable[[Row], str] | None = None
    spoken: Callable[[Row], str] | None = None
    is_left: bool = False
    is_centred: bool = False
    ink: str | Callable[[Row], str] = ""
    weight: Callable[[Row], str] | None = None
    icon: Callable[[Row], str] | None = None
    icon_ink: str = ""
    badge: Callable[[Row], str] | None = None
    caption: Callable[[Row], str] | None = None
    subtitle: str = ""
    is_chip: Callable[[Row], bool] | None = None
    interval: Callable[[Row], tuple[float, float, float]] | None = None
    scale: tuple[float, float] = (0.0, 1.0)
    rule: float | None = None
    spread: Callable[[Row], str] | None = None
    widest_spread: str = ""
    below: Callable[[Row], str] | None = None
    mark: Callable[[QPainter, Row, QPointF], None] | None = None
    sign: Callable[[Row], tuple[str, str]] | None = None
    is_pale: Callable[[Row], bool] | None = None
    has_menu: bool = False
    wraps: bool = False

    @property
    def side(self) -> Qt.AlignmentFlag:
        if self.is_centred:
            return Qt.AlignmentFlag.AlignCenter
        return LEFT if self.is_left else RIGHT

    @property
    def is_right(self) -> bool:
        """Whether texts end at the right; numbers do, behind their interval as well."""
        return not self.is_left or self.interval is not None

    def ink_of(self, row: Row) -> str:
        """The colour of the text of a row; empty for that of any text."""
        return self.ink if isinstance(self.ink, str) else self.ink(row)


def unbroken(words: str) -> str:
    """The words with signs that begin a line rather than end it: a + b, a → b."""
    return words.replace(" + ", " +\u00a0").replace(" → ", " →\u00a0")


class CellSource(Protocol[Row]):
    rows: tuple[Row, ...]
    columns: Sequence[Column[Row]]


PAD = 8
EDGE = 14
"""The first column keeps the distance of the card's own title."""
_ICON, _SIGN = 16, 15
WIDEST_SHARE = "100.0 %"


class CellDelegate(QStyledItemDelegate, Generic[Row]):
    """Draws every cell as its column says.

    It is called for every cell of every frame while somebody scrolls, so it asks the model directly
    and not through Qt, and lays out each text once.

    Parameters
    ----------
    line
        The colour of the hairline under each row; none if empty.
    pad, edge
        The distance of a text from its neighbours, as in the heads, and that of the first column
        from the left edge.
    is_marked
        Which rows have the ground of a selection, where it is not the selection that tells.
    has_focus
        Whether the current cell has a frame; not where all of its row is tinted anyway.
    """

    def __init__(
        self,
        themes: ThemeManager,
        model: CellSource[Row],
        *,
        line: str = "",
        pad: int = PAD,
        edge: int | None = None,
        is_marked: Callable[[Row], bool] | None = None,
        has_focus: bool = True,
    ) -> None:
        super().__init__()
        self._themes, self._model = themes, model
        self._line, self._is_marked = line, is_marked
        self._pad, self._edge = pad, pad if edge is None else edge
        self.last_pad = pad
        """The distance of the last column from the right edge."""
        self.last_section = -1
        """The last column that is seen; the last one of all if negative."""
        self._has_focus = has_focus
        self._inks = CellPalette(themes)
        self._texts = TextLayout(themes, self._inks)
        self._icons = IconPainter(themes)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        told: Any = option  # the stubs leave its fields out
        box, state, place = told.rect, told.state, index.column()
        row, column = self._model.rows[index.row()], self._model.columns[place]
        is_marked = self._draw_ground(painter, box, state, row)
        is_last = place == (self.last_section % len(self._model.columns))
        if self._line and not is_marked:
            start = box.left() + (self._edge if place == 0 else 0)
            stop = box.right() - (self._edge if is_last else 0)
            painter.setPen(self._inks.colour(self._line))
            painter.drawLine(start, box.bottom(), stop, box.bottom())
        area = box.adjusted(
            self._edge if place == 0 else self._pad,
            0,
            -(self.last_pad if is_last else self._pad),
            0,
        )
        self.draw_content(painter, area, column, row, is_marked=is_marked)
        if self._has_focus and state & QStyle.StateFlag.State_HasFocus:
            set_outline(painter, QPen(self._inks.colour("focus"), 2))
            painter.drawRect(QRectF(box).adjusted(1, 1, -1, -2))

    def _draw_ground(
        self, painter: QPainter, box: QRect, state: QStyle.StateFlag, row: Row
    ) -> bool:
        """Tint the ground of a chosen row; whether it is one."""
        is_marked = (
            bool(state & QStyle.StateFlag.State_Selected)
            if self._is_marked is None
            else self._is_marked(row)
        )
        if is_marked:
            painter.fillRect(box, self._inks.colour("accentTint"))
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(box, self._inks.colour("hover"))
        return is_marked

    def draw_content(
        self, painter: QPainter, area: QRect, column: Column[Row], row: Row, *, is_marked: bool
    ) -> None:
        words = column.text(row)
        if column.is_chip is not None and column.is_chip(row):
            self._draw_chip(painter, area, words, is_right=not column.is_left)
            return
        ink, weight = self._ink(column, row, is_marked=is_marked)
        area = self._draw_around(painter, area, column, row)
        if column.has_menu:
            self._draw_icon(painter, "chevron-down", "text2", area.right() - 14, area, 12)
            area = area.adjusted(0, 0, -18, 0)
        name = "" if column.icon is None else column.icon(row)
        if name and column.is_left:
            self._draw_icon(painter, name, column.icon_ink or ink, area.left(), area)
            area = area.adjusted(_ICON + PAD, 0, 0, 0)
        if column.wraps:
            painter.setFont(self._inks.font("body", weight))
            painter.setPen(self._inks.colour(ink))
            painter.drawText(area, int(LEFT | Qt.TextFlag.TextWordWrap), unbroken(words))
            return
        self._draw_line(painter, area, column, row, words, ink, weight, is_marked=is_marked)

    def _draw_line(  # noqa: PLR0913 (what its only caller has found)
        self, painter: QPainter, area: QRect, column: Column[Row], row: Row, words: str, ink: str,
        weight: str, *, is_marked: bool,
    ) -> None:  # fmt: skip
        name = "" if column.icon is None else column.icon(row)
        badge = "" if column.badge is None else column.badge(row)
        if badge:
            area = area.adjusted(0, 0, -self._badge_width(badge) - PAD, 0)
        used = self._texts.draw(
            painter, words, area, colour=ink, weight=weight, is_right=column.is_right
        )
        if name and not column.is_left:
            left = area.right() - used - _ICON - 5 if words else area.center().x() - _ICON // 2
            self._draw_icon(painter, name, column.icon_ink or ink, left, area)
        if badge:
            self._draw_badge(painter, badge, area.left() + used + PAD, area, is_marked)
            used += PAD + self._badge_width(badge)
            area = area.adjusted(0, 0, self._badge_width(badge) + PAD, 0)
        if column.caption is not None:
            self._draw_caption(painter, column.caption(row), area.adjusted(used + PAD, 0, 0, 0))
        if column.sign is not None:
            sign, colour = column.sign(row)
            if sign:
                self._draw_icon(painter, sign, colour, area.left() + used + 4, area, _SIGN)

    def _draw_around(self, painter: QPainter, area: QRect, column: Column[Row], row: Row) -> QRect:
        """Draw what stands around a text; the room that it leaves."""
        if column.interval is not None:
            area = self._draw_interval(painter, area, column, row)
        below = "" if column.below is None else column.below(row)
        line = self._line_of(area) if below else area
        if column.mark is not None:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            column.mark(painter, row, QPointF(area.left() + 5, line.center().y()))
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            area, line = area.adjusted(18, 0, 0, 0), line.adjusted(18, 0, 0, 0)
        if below:
            self._draw_below(painter, area, below, is_right=column.is_right)
        if column.spread is not None:
            line = self._draw_spread(painter, line, column, row)
        if column.sign is not None and column.sign(row)[0]:
            line = line.adjusted(0, 0, -_SIGN - 4, 0)
        return line

    def _ink(self, column: Column[Row], row: Row, *, is_marked: bool) -> tuple[str, str]:
        ink = column.ink_of(row) or "text"
        if column.is_pale is not None and column.is_pale(row):
            ink = "text3"
        weight = "regular" if column.weight is None else column.weight(row)
        if is_marked:
            # Grey of the third rank is too pale on the tint of a selection.
            ink = "text2" if ink == "text3" else ink
            weight = "semibold" if weight == "medium" else weight
        return ink, weight

    def _line_of(self, area: QRect) -> QRect:
        """Where the first of two lines stands."""
        lines = self._inks.metrics().height(), self._inks.metrics("caption").height()
        top = area.top() + (area.height() - sum(lines)) // 2
        return QRect(area.left(), top, area.width(), lines[0])

    def _draw_below(self, painter: QPainter, area: QRect, words: str, *, is_right: bool) -> None:
        metrics = self._inks.metrics("caption")
        lines = self._inks.metrics().height(), metrics.height()
        top = area.top() + (area.height() - sum(lines)) // 2 + lines[0]
        shown = metrics.elidedText(words, Qt.TextElideMode.ElideRight, area.width())
        painter.setFont(self._inks.font("caption"))
        painter.setPen(self._inks.colour("text2"))
        side = RIGHT if is_right else LEFT
        painter.drawText(QRect(area.left(), top, area.width(), lines[1]), side, shown)

    def _draw_spread(self, painter: QPainter, area: QRect, column: Column[Row], row: Row) -> QRect:
        """Write what stands behind a number; the room that it leaves."""
        assert column.spread is not None  # noqa: S101 (asked for by the caller)
        painter.setFont(self._inks.font("caption"))
        painter.setPen(self._inks.colour("text2"))
        painter.drawText(area, RIGHT, column.spread(row))
        room = self._inks.metrics("caption").horizontalAdvance(column.widest_spread)
        return area.adjusted(0, 0, -room - 6, 0)

    def _draw_interval(
        self, painter: QPainter, area: QRect, column: Column[Row], row: Row
    ) -> QRect:
        """Draw a bar with its whisker; the room for the number behind it."""
        assert column.interval is not None  # noqa: S101 (asked for by the caller)
        theme, (least, most) = self._themes.theme, column.scale
        wide = self._inks.metrics("body", "semibold").horizontalAdvance(WIDEST_SHARE) + PAD
        width = max(area.width() - wide, 0)
        middle = QRectF(area).center().y()
        is_pale = column.is_pale is not None and column.is_pale(row)

        def place(value: float) -> float:
            share = (min(max(value, least), most) - least) / (most - least)
            return area.left() + width * share

        value, low, high = column.interval(row)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        role = theme.role("reconstructed")
        painter.setPen(QPen(self._inks.colour("outline") if is_pale else role.line, 1.2))
        painter.setBrush(self._inks.colour("sunken") if is_pale else role.tint)
        if not math.isnan(value):
            start, end = sorted((place(0.0), place(value)))
            half = theme.px(5)
            bar = QRectF(start, middle - half, end - start, 2 * half)
            painter.drawRoundedRect(bar.adjusted(0.6, 0.6, -0.6, -0.6), 1.5, 1.5)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if column.rule is not None and least <= column.rule <= most:
            pen = QPen(self._inks.colour("text2"), 1)
            pen.setDashPattern([3, 2])
            pen.setCapStyle(Qt.PenCapStyle.FlatCap)
            # The line goes on over all rows, with the same dashes.
            pen.setDashOffset(area.top() % 5)
            painter.setPen(pen)
            x = round(place(column.rule)) + 0.5
            painter.drawLine(QLineF(x, area.top(), x, area.bottom() + 1))
        if low <= high:
            left, right, cap = place(low), place(high), theme.px(4)
            painter.setPen(QPen(self._inks.colour("text3" if is_pale else "text"), 1.4))
            painter.drawLines(
                [
                    QLineF(left, middle, right, middle),
                    QLineF(left, middle - cap, left, middle + cap),
                    QLineF(right, middle - cap, right, middle + cap),
                ]
            )
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        return area.adjusted(width, 0, 0, 0)

    def _draw_caption(self, painter: QPainter, words: str, area: QRect) -> None:
        if words and self._inks.metrics("caption").horizontalAdvance(words) <= area.width():
            painter.setFont(self._inks.font("caption"))
            painter.setPen(self._inks.colour("text2"))
            painter.drawText(area, LEFT | Qt.AlignmentFlag.AlignVCenter, words)

    def _draw_icon(
        self, painter: QPainter, name: str, ink: str, left: float, area: QRect, size: int = _ICON
    ) -> None:
        self._icons.draw(painter, name, ink, left, area.center().y() + 0.5, size)

    def _badge_width(self, words: str) -> int:
        return self._inks.metrics("caption", "medium").horizontalAdvance(words) + 14

    def _draw_badge(
        self, painter: QPainter, words: str, left: int, area: QRect, is_marked: bool
    ) -> None:
        box = QRectF(left, area.center().y() - 8, self._badge_width(words), 18)
        ground = "surface" if is_marked else "accentTint"
        self._draw_framed(painter, words, box, "accentInk", ground, 6)

    def _draw_chip(self, painter: QPainter, area: QRect, words: str, *, is_right: bool) -> None:
        wide = self._inks.metrics("caption", "medium").horizontalAdvance(words) + 12
        width = min(wide, area.width())
        left = area.right() - width if is_right else area.left()
        height = min(area.height() - 7, self._themes.theme.px(26))
        box = QRectF(left, area.center().y() - height / 2, width, height)
        self._draw_framed(painter, words, box, "warningText", "warningBg", 4)

    def _draw_framed(
        self, painter: QPainter, words: str, box: QRectF, ink: str, ground: str, radius: int
    ) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        set_fill(painter, self._inks.colour(ground))
        painter.drawRoundedRect(box, radius, radius)
        painter.setPen(self._inks.colour(ink))
        painter.setFont(self._inks.font("caption", "medium"))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, words)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setBrush(Qt.BrushStyle.NoBrush)
