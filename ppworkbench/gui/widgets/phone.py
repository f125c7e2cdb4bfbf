"""A telephone that shows a page of the questionnaire."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QScrollArea, QSizePolicy, QWidget

from ppworkbench.fieldwork.page.model import Screen, Sheet
from ppworkbench.gui.application import single_shot
from ppworkbench.gui.theme import ThemeManager, set_fill, set_outline, smooth_painter
from ppworkbench.gui.widgets.layout import named

_WIDTH, _HEIGHT, _TALLEST = 264, 500, 600
_FRAME, _RADIUS = 6, 26
_MARGIN = 20
_WIDEST = 680
"""Of the texts: the page leaves the rest of a wider screen empty."""
_WRAP = Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop


@dataclass(frozen=True)
class _Part:
    """A text at its place: plain, in a frame with a ring, as a button, or a bar or card without."""

    words: str
    box: QRectF
    look: str
    font: QFont


class PhoneScreen(QWidget):
    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._sheet: Sheet | None = None
        self._parts: list[_Part] = []
        self._cards: dict[str, QRectF] = {}
        named(self, "phoneScreen", self.tr("Preview of the page"))
        themes.theme_changed.connect(self._arrange)

    def show_sheet(self, sheet: Sheet | None) -> None:
        self._sheet = sheet
        self._arrange()
        self.setAccessibleDescription(". ".join(self.texts()))

    def place_of(self, name: str) -> float:
        """How far below the top the card of a question begins; 0 where there is none."""
        return self._cards[name].top() if name in self._cards else 0.0

    def texts(self) -> list[str]:
        return [part.words for part in self._parts if part.words]

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self._arrange()

    @property
    def _margin(self) -> float:
        return max(_MARGIN, (self.width() - _WIDEST) / 2)

    def _arrange(self) -> None:
        theme, width = self._themes.theme, max(self.width() - 2 * self._margin, 80)
        self._parts, self._cards = [], {}
        y = 20.0
        if self._sheet is not None:
            for screen in self._sheet.screens:
                y = self._put_screen(screen, y, width) + 16
            self._parts.append(
                _Part("", QRectF(self._margin, y, width, 4), "bar", theme.font("body"))
            )
            y = self._put(self._sheet.progress, "hint", theme.font("caption"), y + 10, width) + 10
            for button in self._sheet.buttons:
                y = self._put(button, "button", theme.font("body", "semibold"), y, width) + 8
        self.setMinimumHeight(int(y + 16))
        self.update()

    def _put_screen(self, screen: Screen, y: float, width: float) -> float:
        """Place a part of the page; a question stands on a card of its own."""
        theme, top = self._themes.theme, y
        small, body = theme.font("caption"), theme.font("body")
        y = self._put(screen.heading, "text", theme.font("body", "semibold"), y, width) + 10
        y = self._put(screen.text, "hint", small, y, width) + 4
        y = self._put(screen.instruction, "hint", small, y, width) + 12
        # Too many answers for buttons are a list, which shows none of them yet.
        for answer in () if screen.is_dropdown else screen.answers:
            y = self._put(answer, "answer", body, y, width) + 8
        if screen.field:
            y = self._put(f"{screen.field} {screen.unit}".strip(), "field", body, y, width) + 8
        if not screen.is_dropdown:
            y = self._put(screen.skip, "answer", body, y, width) + 8
        if screen.name:
            self._cards[screen.name] = QRectF(self._margin - 10, top - 10, width + 20, y - top + 12)
        return y

    def _put(self, words: str, look: str, font: QFont, y: float, width: float) -> float:
        """Place a text; where the next one may begin."""
        if not words:
            return y
        left = {"answer": 40.0, "field": 12.0}.get(look, 0.0)
        pad = {"answer": 10.0, "field": 9.0, "button": 10.0}.get(look, 0.0)
        room = QRectF(0, 0, width - left - pad, 10_000)
        height = QFontMetricsF(font).boundingRect(room, _WRAP, words).height()
        self._parts.append(
            _Part(words, QRectF(self._margin, y, width, height + 2 * pad), look, font)
        )
        return y + height + 2 * pad

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        painter = smooth_painter(self)
        theme = self._themes.theme
        set_outline(painter, QPen(theme.colour("border"), 1))
        for card in self._cards.values():
            painter.drawRoundedRect(card, 10, 10)
        for part in self._parts:
            painter.setFont(part.font)
            box = part.box
            if part.look == "bar":
                set_fill(painter, theme.colour("grid"))
                painter.drawRoundedRect(box, 2, 2)
                continue
            if part.look == "button":
                set_fill(painter, theme.colour("accent"))
                painter.drawRoundedRect(box, 7, 7)
                painter.setPen(theme.colour("accentText"))
                centred = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
                painter.drawText(box, int(centred), part.words)
                continue
            if part.look in ("answer", "field"):
                set_outline(painter, QPen(theme.colour("outline"), 1))
                painter.drawRoundedRect(box, 7, 7)
                left = 12.0
                if part.look == "answer":
                    painter.drawEllipse(QPointF(box.left() + 20, box.center().y()), 8, 8)
                    left = 40.0
                painter.setPen(theme.colour("text" if part.look == "answer" else "text2"))
                painter.drawText(box.adjusted(left, 10, -10, 0), int(_WRAP), part.words)
                continue
            painter.setPen(theme.colour("text2" if part.look == "hint" else "text"))
            painter.drawText(box, int(_WRAP), part.words)


def scroll_to(area: QScrollArea, shown: PhoneScreen, name: str) -> None:
    """Bring the card of a question to the top."""
    area.verticalScrollBar().setValue(max(int(shown.place_of(name)) - 8, 0))


class Phone(QWidget):
    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self.screen_shown = PhoneScreen(themes)
        self._name = ""
        # The bars follow what was placed only when the layout has been made.
        self._due = single_shot(
            self, lambda: scroll_to(self.area, self.screen_shown, self._name), 0
        )
        self.area = QScrollArea(self)
        self.area.setWidgetResizable(True)
        self.area.setFrameShape(QScrollArea.Shape.NoFrame)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.area.setWidget(self.screen_shown)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)
        themes.follow(self._rescale)

    def show_sheet(self, sheet: Sheet | None, name: str = "") -> None:
        self._name = name
        self.screen_shown.show_sheet(sheet)
        self._due.start()

    def _rescale(self) -> None:
        # No telephone is longer, however high the window is.
        self.setMaximumHeight(self._themes.theme.px(_TALLEST))
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(self._themes.theme.px(_WIDTH), self._themes.theme.px(_HEIGHT))

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """As wide as it is, and lower where there is no room."""
        return QSize(self._themes.theme.px(_WIDTH), 240)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self.area.setGeometry(self.rect().adjusted(_FRAME + 2, 24, -_FRAME - 2, -16))
        self._due.start()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        painter = smooth_painter(self)
        theme = self._themes.theme
        painter.setPen(QPen(theme.colour("text"), _FRAME))
        painter.setBrush(theme.colour("surface"))
        half = _FRAME / 2
        painter.drawRoundedRect(
            QRectF(self.rect()).adjusted(half, half, -half, -half), _RADIUS, _RADIUS
        )
        set_fill(painter, theme.colour("text"))
        painter.drawRoundedRect(QRectF(self.width() / 2 - 28, 14, 56, 6), 3, 3)
