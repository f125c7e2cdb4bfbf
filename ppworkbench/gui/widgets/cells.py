"""What the columns of a table are, and how their cells are painted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QPointF, QRect, QRectF, Qt
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
    """Remembers what it was asked for until the theme changes."""

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
        """The measures of a font of the theme."""
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


_MOST_TEXTS = 4_000

Laid = tuple[QStaticText, float, float]
"""A text with its width and height."""


class TextCache(QObject):
    """Most texts of a table are drawn again in the next frame."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._known: dict[tuple[str, str, int], Laid] = {}
        self._metrics: dict[str, QFontMetrics] = {}
        themes.theme_changed.connect(self._forget)

    def draw(
        self, painter: QPainter, words: str, area: QRectF, weight: str, *, is_right: bool
    ) -> None:
        """Write a line in the pen of the painter, with dots where there is no room."""
        text, width, height = self._lay_out(words, weight, int(area.width()))
        left = area.right() - width if is_right else area.left()
        painter.setFont(self._themes.theme.font("body", weight))
        top = area.top() + (area.height() - height) / 2
        painter.drawStaticText(QPointF(round(left), round(top)), text)

    def _lay_out(self, words: str, weight: str, room: int) -> Laid:
        key = words, weight, room
        laid = self._known.get(key)
        if laid is None:
            if len(self._known) >= _MOST_TEXTS:
                self._known.clear()
            font = self._themes.theme.font("body", weight)
            metrics = self._metrics.setdefault(weight, QFontMetrics(font))
            elided = metrics.elidedText(words, Qt.TextElideMode.ElideRight, room)
            text = QStaticText(elided)
            text.setTextFormat(Qt.TextFormat.PlainText)
            text.setPerformanceHint(QStaticText.PerformanceHint.AggressiveCaching)
            text.prepare(font=font)
            laid = text, text.size().width(), text.size().height()
            self._known[key] = laid
        return laid

    def _forget(self) -> None:
        self._known.clear()
        self._metrics.clear()


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
    bar
        A share between 0 and 1, which is drawn as a bar before its number.
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
    bar: Callable[[Row], float] | None = None
    has_menu: bool = False
    wraps: bool = False

    @property
    def side(self) -> Qt.AlignmentFlag:
        """Where the text stands."""
        if self.is_centred:
            return Qt.AlignmentFlag.AlignCenter
        return LEFT if self.is_left else RIGHT

    def ink_of(self, row: Row) -> str:
        """The colour of the text of a row; empty for that of any text."""
        return self.ink if isinstance(self.ink, str) else self.ink(row)


class CellSource(Protocol[Row]):
    """What cells are drawn of."""

    rows: tuple[Row, ...]
    columns: Sequence[Column[Row]]


PAD = 8
EDGE = 14
"""The first column keeps the distance of the card's own title."""
_ICON = 16
_BAR, _LONGEST_BAR = 8, 240
"""How high a bar is, and how long."""


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
        self._has_focus = has_focus
        self._inks = CellPalette(themes)
        self._texts = TextLayout(themes, self._inks)
        self._icons = IconPainter(themes)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        told: Any = option  # the stubs leave its fields out
        box, state, place = told.rect, told.state, index.column()
        row, column = self._model.rows[index.row()], self._model.columns[place]
        is_marked = self._draw_ground(painter, box, state, row)
        if self._line and not is_marked:
            is_last = place == len(self._model.columns) - 1
            start = box.left() + (self._edge if place == 0 else 0)
            stop = box.right() - (self._edge if is_last else 0)
            painter.setPen(self._inks.colour(self._line))
            painter.drawLine(start, box.bottom(), stop, box.bottom())
        area = box.adjusted(self._edge if place == 0 else self._pad, 0, -self._pad, 0)
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
        """Draw what a cell holds."""
        words = column.text(row)
        if column.is_chip is not None and column.is_chip(row):
            self._draw_chip(painter, area, words, is_right=not column.is_left)
            return
        if column.bar is not None:
            self._draw_bar(painter, area, words, column.bar(row))
            return
        ink, weight = self._ink(column, row, is_marked=is_marked)
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
            painter.drawText(area, int(LEFT | Qt.TextFlag.TextWordWrap), words)
            return
        badge = "" if column.badge is None else column.badge(row)
        if badge:
            area = area.adjusted(0, 0, -self._badge_width(badge) - PAD, 0)
        used = self._texts.draw(
            painter, words, area, colour=ink, weight=weight, is_right=not column.is_left
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

    def _ink(self, column: Column[Row], row: Row, *, is_marked: bool) -> tuple[str, str]:
        """The colour of a text and how bold it is."""
        ink = column.ink_of(row) or "text"
        weight = "regular" if column.weight is None else column.weight(row)
        if is_marked:
            # Grey of the third rank is too pale on the tint of a selection.
            ink = "text2" if ink == "text3" else ink
            weight = "semibold" if weight == "medium" else weight
        return ink, weight

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

    def _draw_bar(self, painter: QPainter, area: QRect, words: str, share: float) -> None:
        theme = self._themes.theme
        wide = self._inks.metrics().horizontalAdvance("100.0 %") + PAD
        room = min(max(area.width() - wide, 0), theme.px(_LONGEST_BAR))
        trough = QRectF(area.left(), QRectF(area).center().y() - _BAR / 2, room, _BAR)
        painter.fillRect(trough, self._inks.colour("sunken"))
        trough.setWidth(room * share)
        painter.fillRect(trough, theme.role("reconstructed").fill)
        self._texts.draw(
            painter, words, QRect(area.left(), area.top(), room + wide, area.height()),
            is_right=True,
        )  # fmt: skip
