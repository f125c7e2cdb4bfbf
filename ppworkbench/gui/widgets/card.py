"""Cards, readouts and what stands where there is nothing to show."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from html import escape
from typing import ClassVar

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QLabel,
    QLayout,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from ppworkbench.gui.theme import ThemeManager, icon, set_fill, set_rules, smooth_painter
from ppworkbench.gui.widgets.controls import Button, IconLabel
from ppworkbench.gui.widgets.labels import ElidedLabel, break_lines
from ppworkbench.gui.widgets.layout import (
    ColumnLayout,
    RowLayout,
    column,
    named,
    row,
    scroll_area,
    show_words,
    text,
)


class Card(QFrame):
    """Title and hint on top, actions at the right of them, content below."""

    figure_subject = ""
    """Which question its charts are about, where their titles do not say so."""

    def __init__(
        self,
        title: str = "",
        hint: str = "",
        *,
        padding: int = 14,
        title_lines: int = 1,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._least = 0
        self.setProperty("look", "card")
        self.body = ColumnLayout(self)
        upper = max(padding - 2, 0)
        self.body.setContentsMargins(padding, upper, padding, upper)
        self.body.setSpacing(8)
        self.title_label = ElidedLabel("strong", title, hugs=True, lines=title_lines)
        self.hint_label = ElidedLabel("hint", hint, hugs=True)
        self.head = RowLayout()
        self.head.setSpacing(10)
        if title:
            self.head.addWidget(self.title_label)
            self.head.addWidget(self.hint_label)
            self.head.addStretch(1)
            self.body.addLayout(self.head)
        else:
            for label in (self.title_label, self.hint_label):
                # Without a parent it would be a window, and outlive the card.
                label.setParent(self)
                label.hide()

    def add(self, item: QWidget, stretch: int = 0) -> None:
        self.body.addWidget(item, stretch)

    def keep_at_least(self, width: int, themes: ThemeManager | None = None) -> None:
        """Never become narrower than this, nor than what the card holds.

        With themes these are pixels of normal text.
        """
        if themes is not None:
            themes.follow(lambda: self.keep_at_least(themes.theme.px(width)), owner=self)
            return
        self._least = width
        self.updateGeometry()

    def show_title_beside(self, *others: QWidget) -> None:
        """Show the title only where it need not be cut beside these widgets of the head."""
        margins = self.body.contentsMargins()
        taken = margins.left() + margins.right() + (2 + len(others)) * self.head.spacing()
        room = self.width() - taken - sum(other.sizeHint().width() for other in others)
        self.title_label.setVisible(room >= self.title_label.sizeHint().width())

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return super().minimumSizeHint().expandedTo(QSize(self._least, 0))


def card_part(*items: QWidget | QLayout | int | None, spacing: int) -> QWidget:
    """A part of a card: one thing below the other."""
    part = QWidget()
    column(*items, parent=part, spacing=spacing)
    return part


_MOST_LINES = (2, 4)
"""Lines of a label and of a reading that a card grows to."""


class ReadoutCard(QWidget):
    """Painted in one piece, so that nothing shifts while a slider moves.

    The whole card is one focus stop; Enter or a click on "?" opens the help of the measure. Long
    words get more lines by :func:`share_lines`, which keeps cards side by side alike.
    """

    help_requested = Signal(str)
    mark_taken = Signal()
    """The mark was clicked, or Delete was pressed while there is one."""

    def __init__(self, themes: ThemeManager, topic: str) -> None:
        super().__init__()
        self._themes = themes
        self.topic = topic
        self.label = ""
        self.number = ""
        self.unit = ""
        self.reading = ""
        self.change = ""
        self.change_is_good: bool | None = None
        self.mark = ""
        self._mark_icon = ""
        self.state = "ready"
        self._lines = (1, 2)
        self._needed: tuple[object, tuple[int, int]] | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMouseTracking(True)
        themes.follow(self.updateGeometry, self.update)

    def say(self, label: str, number: str, reading: str, unit: str = "") -> None:
        shown = self.label, self.number, self.reading, self.unit, self.state
        if shown == (label, number, reading, unit, "ready"):
            return
        self.label, self.number, self.reading, self.unit = label, number, reading, unit
        self.state = "ready"
        self._describe()

    def say_not_applicable(self, label: str, reason: str) -> None:
        self.say(label, "–", reason)
        self.state = "absent"
        self.set_change("")

    def set_stale(self, stale: bool) -> None:
        """Dim the value while a new one is worked out."""
        if self.state in ("ready", "stale"):
            self.state = "stale" if stale else "ready"
            self.update()

    def set_change(self, change: str, good: bool | None = None) -> None:
        """Show the change since a pinned design, with its sign."""
        if (change, good) == (self.change, self.change_is_good):
            return
        self.change, self.change_is_good = change, good
        self._describe()

    def set_mark(self, icon_name: str, words: str) -> None:
        """Mark the card by an icon beside the help, whose words are in the tooltip; empty: none."""
        if (icon_name, words) != (self._mark_icon, self.mark):
            self._mark_icon, self.mark = icon_name, words
            self._describe()

    def _describe(self) -> None:
        self.setAccessibleName(f"{self.label}: {self.number} {self.unit}".strip())
        self.setAccessibleDescription(" ".join(f"{self.reading} {self.change} {self.mark}".split()))
        self.setToolTip(f"{self.reading}\n{self.label}\n{self.mark}".strip())
        self.update()

    @property
    def lines(self) -> tuple[int, int]:
        """Lines that there is room for: of the label and of the reading."""
        return self._lines

    def needed_lines(self) -> tuple[int, int]:
        """Lines of label and reading at the width of now; a drag asks with every frame."""
        theme = self._themes.theme
        key = self.label, self.reading, self.width(), theme.scale, bool(self.mark)
        if self._needed is None or self._needed[0] != key:
            label = break_lines(self.label, theme.font("reading", "medium"), self._label_width())
            reading = break_lines(self.reading, theme.font("reading"), self._reading_width())
            self._needed = key, (max(len(label), 1), max(len(reading), 2))
        return self._needed[1]

    def set_lines(self, lines: tuple[int, int]) -> None:
        if lines != self._lines:
            self._lines = lines
            self.updateGeometry()
            self.update()

    def _label_width(self) -> float:
        return self.width() - self._themes.theme.px(11) - (52 if self.mark else 30)

    def _reading_width(self) -> float:
        return self.width() - 2 * self._themes.theme.px(11) + 4

    def _line_height(self) -> int:
        return QFontMetrics(self._themes.theme.font("reading")).height()

    def _height(self) -> int:
        label, reading = self._lines
        return self._themes.theme.px(83) + (label + reading - 3) * self._line_height()

    def sizeHint(self) -> QSize:  # noqa: N802
        """The width of three in a row at the smallest window."""
        return QSize(self._themes.theme.px(162), self._height())

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(self._themes.theme.px(121), self._height())

    def _help_box(self) -> QRectF:
        return QRectF(self.width() - 26, 7, 18, 18)

    def mark_box(self) -> QRectF:
        return self._help_box().translated(-22, 0)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        if self.mark and self.mark_box().adjusted(-3, -4, 1, 4).contains(event.position()):
            self.mark_taken.emit()
        elif self._help_box().adjusted(-4, -4, 4, 4).contains(event.position()):
            self.help_requested.emit(self.topic)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: ARG002, N802
        self.help_requested.emit(self.topic)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if self.mark and event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.mark_taken.emit()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_F1):
            self.help_requested.emit(self.topic)
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        theme = self._themes.theme
        painter = smooth_painter(self)
        box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        focus = self.hasFocus()
        painter.setPen(QPen(theme.colour("focus" if focus else "border"), 2 if focus else 1))
        painter.setBrush(theme.colour("sunken" if self.state == "absent" else "surface"))
        painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5) if focus else box, 8, 8)
        pad = theme.px(11)
        dim = "text3" if self.state != "ready" else "text"
        painter.setFont(theme.font("reading", "medium"))
        painter.setPen(theme.colour("text2"))
        height = self._line_height()
        above = (self._lines[0] - 1) * height
        top = theme.px(16) - height / 2
        _draw_lines(painter, QRectF(pad, top, self._label_width(), 0), self.label, self._lines[0])
        icon("question", theme.colour("text3")).paint(painter, self._help_box().toRect())
        if self.mark:
            spot = self.mark_box().toRect()
            icon(self._mark_icon, theme.colour("warningText")).paint(painter, spot)
        self._draw_number(painter, pad, dim, theme.px(25) + above)
        painter.setFont(theme.font("reading"))
        painter.setPen(theme.colour("text2"))
        area = QRectF(pad, theme.px(54) + above, self._reading_width(), 0)
        _draw_lines(painter, area, self.reading, self._lines[1])

    def _draw_number(self, painter: QPainter, pad: int, colour: str, top: int) -> None:
        theme = self._themes.theme
        painter.setFont(theme.font("number", "semibold"))
        painter.setPen(theme.colour(colour))
        line = QRectF(pad, top, self.width() - 2 * pad, theme.px(27))
        painter.drawText(line, Qt.AlignmentFlag.AlignVCenter, self.number)
        used = painter.fontMetrics().horizontalAdvance(self.number)
        painter.setFont(theme.font("body"))
        painter.setPen(theme.colour("text2"))
        rest = line.adjusted(used + 5, theme.px(3), 0, 0)
        painter.drawText(rest, Qt.AlignmentFlag.AlignVCenter, self.unit)
        if self.change:
            self._draw_change(painter, pad, top + theme.px(5))

    def _draw_change(self, painter: QPainter, pad: int, top: int) -> None:
        theme = self._themes.theme
        painter.setFont(theme.font("reading", "semibold"))
        width = painter.fontMetrics().horizontalAdvance(self.change) + 14
        chip = QRectF(self.width() - pad - width + 2, top, width, theme.px(18))
        set_fill(painter, theme.colour("sunken"))
        painter.drawRoundedRect(chip, 5, 5)
        good = {True: "good", False: "bad", None: "text2"}[self.change_is_good]
        painter.setPen(theme.colour(good))
        painter.drawText(chip, Qt.AlignmentFlag.AlignCenter, self.change)


def share_lines(cards: Sequence[ReadoutCard], *, afresh: bool) -> None:
    """Give cards side by side as many lines as the longest of them needs.

    Unless ``afresh`` they keep the lines that they have, so that nothing jumps during a drag.
    """
    wanted = [card.needed_lines() for card in cards]
    if not afresh:
        wanted += [card.lines for card in cards]
    label, reading = (max(lines) for lines in zip(*wanted, strict=True))
    for card in cards:
        card.set_lines((min(label, _MOST_LINES[0]), min(reading, _MOST_LINES[1])))


def _draw_lines(painter: QPainter, area: QRectF, words: str, most: int) -> None:
    """Draw at most so many lines; what does not fit ends with dots and is in the tooltip."""
    spans = break_lines(words, painter.font(), area.width())
    metrics = painter.fontMetrics()
    height = metrics.height()
    for place, (start, length) in enumerate(spans[:most]):
        piece = words[start : start + length].rstrip()
        if (place == most - 1 and len(spans) > most) or metrics.horizontalAdvance(
            piece
        ) > area.width() + 1:
            rest = words[start:] if place == most - 1 else piece
            piece = metrics.elidedText(rest, Qt.TextElideMode.ElideRight, int(area.width()))
        top = area.top() + place * height
        painter.drawText(QRectF(area.left(), top, area.width() + 1, height), 0, piece)


@dataclass(frozen=True)
class EmptyReason:
    """What is missing, what to do, and perhaps a button for it, which leads ``to`` somewhere."""

    missing: str
    advice: str = ""
    action: str = ""
    to: str = ""


class EmptyState(QWidget):
    """An icon, what is missing, what to do, and a button for it, rarely with more below it."""

    def __init__(
        self,
        themes: ThemeManager,
        icon_name: str,
        missing: str,
        advice: str,
        action: str = "",
        more: Sequence[QWidget] = (),
    ) -> None:
        super().__init__()
        self.heading = text(missing, "subtitle", wrap=True)
        self.advice = text(advice, "hint", wrap=True)
        for label in (self.heading, self.advice):
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            label.setMaximumWidth(440)
            label.setMinimumWidth(280)
        self.button = Button(themes, action)
        column(
            None,
            row(None, IconLabel(themes, icon_name, "accentInk", 36), None),
            row(None, self.heading, None),
            row(None, self.advice, None),
            row(None, self.button, None),
            *(row(None, widget, None) for widget in more),
            None,
            parent=self,
            spacing=10,
            margin=16,
        )
        self.button.setVisible(bool(action))

    def show_reason(self, reason: EmptyReason) -> None:
        """Say something else; without an action there is no button."""
        self.heading.setText(reason.missing)
        self.advice.setText(reason.advice)
        show_words(self.button, reason.action)


class Section(QWidget):
    """Closed at first; grey with a reason where it does not apply."""

    toggled = Signal(bool)

    def __init__(self, themes: ThemeManager, title: str, name: str) -> None:
        super().__init__()
        self._themes = themes
        self.button = named(QPushButton(title), name)
        self.button.setProperty("look", "link")
        self.button.setCheckable(True)
        self.button.setIconSize(QSize(14, 14))
        self.button.setCursor(Qt.CursorShape.PointingHandCursor)
        self.button.setStyleSheet("text-align: left; padding: 0;")
        self.content = QWidget()
        self.body: QVBoxLayout = column(parent=self.content, spacing=8)
        self.content.hide()
        column(self.button, self.content, parent=self, spacing=6)
        self.button.toggled.connect(self._on_toggled)
        themes.follow(self._draw)

    @property
    def is_open(self) -> bool:
        return self.button.isChecked()

    def reveal(self, part: QWidget) -> None:
        """Unfold what holds a widget, as a click would."""
        if self.content.isAncestorOf(part) and not self.is_open and self.button.isEnabled():
            self.button.click()

    def set_reason(self, reason: str) -> None:
        """Grey out and fold away what does not apply; empty brings it back."""
        if reason:
            self.button.setChecked(False)
        self.button.setEnabled(not reason)
        self.button.setToolTip(reason)
        self._draw()

    def _on_toggled(self, is_open: bool) -> None:
        self.content.setVisible(is_open)
        self._draw()
        self.toggled.emit(is_open)

    def _draw(self) -> None:
        theme = self._themes.theme
        name = "chevron-down" if self.is_open else "chevron-right"
        ink = theme.colour("accentInk")
        self.button.setIcon(icon(name, ink, theme.colour("textDisabled")))


class WordsBox(QFrame):
    """Wraps its sentence; keeps room for the longest usual one, so that nothing below jumps."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._warns = False
        self.label = text("", wrap=True)
        self.label.setTextFormat(Qt.TextFormat.RichText)
        self.label.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        column(self.label, parent=self).setContentsMargins(12, 9, 12, 9)
        themes.follow(self._colour)

    def say(self, sentence: str, *, warns: bool = False) -> None:
        self.label.setText(sentence)
        self.setAccessibleDescription(sentence.replace("<b>", "").replace("</b>", ""))
        if warns != self._warns:
            self._warns = warns
            self._colour()

    def _colour(self) -> None:
        theme = self._themes.theme
        fill, ink = ("warningBg", "warningText") if self._warns else ("accentTint", "text")
        set_rules(
            self,
            f"WordsBox {{ background: {theme.hex(fill)}; border-radius: 6px; }}"
            f"QLabel {{ color: {theme.hex(ink)}; font-size: {theme.px(12)}px; }}",
        )
        self.label.setMinimumHeight(theme.px(64))


_LINK = (
    Qt.TextInteractionFlag.LinksAccessibleByMouse | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
)
_NO_LINK = Qt.TextInteractionFlag.NoTextInteraction


class MarkedLines(ColumnLayout):
    """Lines of words behind a mark: in order, a doubt, or something to know.

    Lines that lead somewhere are links.
    """

    line_chosen = Signal(int)

    _MARKS: ClassVar[dict[str, tuple[str, str]]] = {
        "good": ("check", "good"),
        "doubt": ("warning", "warningText"),
        "info": ("info", "text3"),
    }

    def __init__(self, themes: ThemeManager, spacing: int) -> None:
        super().__init__()
        self._themes = themes
        self._lines: list[tuple[IconLabel, QLabel, QWidget]] = []
        self._said: list[str] = []
        self.setSpacing(spacing)
        self.setContentsMargins(0, 0, 0, 0)

    @property
    def texts(self) -> list[str]:
        return self._said

    def show_lines(
        self, lines: Sequence[tuple[str, str]], links: Collection[int] = frozenset()
    ) -> None:
        """Show other lines of (kind, words): ``good``, ``doubt`` or ``info``.

        The places of those that can be chosen are ``links``.
        """
        self._said = [said for _, said in lines]
        while len(self._lines) < len(lines):
            mark, words = IconLabel(self._themes, "check", "text2", 15), text("", wrap=True)
            words.setTextFormat(Qt.TextFormat.PlainText)
            words.setProperty("type", "secondary")
            words.linkActivated.connect(lambda place: self.line_chosen.emit(int(place)))
            holder = QWidget()
            layout = row(mark, words, parent=holder, spacing=8, stretch=1)
            layout.setAlignment(mark, Qt.AlignmentFlag.AlignTop)
            self.addWidget(holder)
            self._lines.append((mark, words, holder))
        for place, (mark, words, holder) in enumerate(self._lines):
            holder.setVisible(place < len(lines))
            if place < len(lines):
                kind, said = lines[place]
                mark.show_icon(*self._MARKS[kind])
                is_link = place in links
                words.setTextFormat(Qt.TextFormat.RichText if is_link else Qt.TextFormat.PlainText)
                words.setText(f'<a href="{place}">{escape(said)}</a>' if is_link else said)
                words.setAccessibleName(said)
                words.setTextInteractionFlags(_LINK if is_link else _NO_LINK)
                words.setFocusPolicy(
                    Qt.FocusPolicy.StrongFocus if is_link else Qt.FocusPolicy.NoFocus
                )


class CardArea(QWidget):
    """Cards in a grid that scrolls; they are placed anew where there is little room."""

    narrow: ClassVar[int]
    """The width below which there is."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._is_narrow: bool | None = None
        inside = QWidget()
        self._grid = QGridLayout(inside)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(10)
        self.area = scroll_area(inside)
        column(self.area, parent=self)

    def arrange(self, *, is_narrow: bool) -> None:
        """Place the cards, unless they stand like that already."""
        if is_narrow != self._is_narrow:
            self._is_narrow = is_narrow
            self._place(is_narrow=is_narrow)

    def _place(self, *, is_narrow: bool) -> None:
        raise NotImplementedError

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self.arrange(is_narrow=self.width() < self._themes.theme.px(self.narrow))
