"""A telephone that shows one screen of the questionnaire page."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QScrollArea, QSizePolicy, QWidget

from ppworkbench.gui.theme import ThemeManager, set_fill, set_outline, smooth_painter
from ppworkbench.gui.widgets.layout import named
from ppworkbench.study.questionnaire.model import Screen

_WIDTH, _HEIGHT, _TALLEST = 264, 500, 600
_FRAME, _RADIUS = 6, 26
_MARGIN = 20
_WIDEST = 680
"""Of the texts: the page leaves the rest of a wider screen empty."""
_WRAP = Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop


@dataclass(frozen=True)
class _Part:
    """A text at its place: plain, in a frame with a ring, on a tinted ground, or as the button."""

    words: str
    box: QRectF
    look: str
    font: QFont


class PhoneScreen(QWidget):
    """What stands on the screen, as high as it needs to be."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._screen: Screen | None = None
        self._step = (0, 0)
        self._heading = ""
        self._parts: list[_Part] = []
        named(self, "phoneScreen", self.tr("Preview of the question"))
        themes.theme_changed.connect(self._arrange)

    def show_screen(self, screen: Screen | None, place: int, count: int, heading: str) -> None:
        """Show another question, or what stands there instead of one."""
        self._screen, self._step, self._heading = screen, (place, count), heading
        said = [heading]
        if screen is not None:
            said += [screen.heading, screen.text, screen.instruction, *screen.answers]
            said += [screen.field, screen.skip, screen.button]
        self.setAccessibleDescription(". ".join(words for words in said if words))
        self._arrange()

    def texts(self) -> list[str]:
        """What is read on the screen, from top to bottom."""
        return [part.words for part in self._parts]

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Break the lines anew."""
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self._arrange()

    @property
    def _margin(self) -> float:
        return max(_MARGIN, (self.width() - _WIDEST) / 2)

    def _arrange(self) -> None:
        theme, width = self._themes.theme, max(self.width() - 2 * self._margin, 80)
        self._parts = []
        y = 26.0
        small, body = theme.font("caption"), theme.font("body")
        y = self._put(self._heading, "hint", small, y, width) + 4
        screen = self._screen
        if screen is not None:
            y = self._put(screen.heading, "text", theme.font("body", "semibold"), y, width) + 10
            y = self._put(screen.text, "hint", small, y, width) + 4
            y = self._put(screen.instruction, "hint", small, y, width) + 12
            for answer in screen.answers:
                y = self._put(answer, "answer", body, y, width) + 8
            if not screen.answers and screen.field:
                words = f"{screen.field} {screen.unit}".strip()
                y = self._put(words, "field", body, y, width) + 8
            y = self._put(screen.skip, "answer", body, y, width) + 8
            y = self._put(screen.button, "button", theme.font("body", "semibold"), y + 6, width)
        self.setMinimumHeight(int(y + 16))
        self.update()

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
        """Draw the bar of the questions and every text."""
        painter = smooth_painter(self)
        theme = self._themes.theme
        self._draw_bar(painter)
        for part in self._parts:
            painter.setFont(part.font)
            box = part.box
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

    def _draw_bar(self, painter: QPainter) -> None:
        place, count = self._step
        if not count:
            return
        theme = self._themes.theme
        shown = min(count, 12)
        left = self._margin
        width = (self.width() - 2 * left - 4 * (shown - 1)) / shown
        done = (place + 1) * shown / count
        for number in range(shown):
            set_fill(painter, theme.colour("accent" if number < done else "grid"))
            painter.drawRoundedRect(QRectF(left + number * (width + 4), 12, width, 4), 2, 2)


class Phone(QWidget):
    """The frame around the screen."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self.screen_shown = PhoneScreen(themes)
        self.area = QScrollArea(self)
        self.area.setWidgetResizable(True)
        self.area.setFrameShape(QScrollArea.Shape.NoFrame)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.area.setWidget(self.screen_shown)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)
        themes.theme_changed.connect(self._rescale)
        self._rescale()

    def _rescale(self) -> None:
        # No telephone is longer, however high the window is.
        self.setMaximumHeight(self._themes.theme.px(_TALLEST))
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        """The proportions of a telephone."""
        return QSize(self._themes.theme.px(_WIDTH), self._themes.theme.px(_HEIGHT))

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """As wide as it is, and lower where there is no room."""
        return QSize(self._themes.theme.px(_WIDTH), 240)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Fit the screen into the frame."""
        super().resizeEvent(event)
        self.area.setGeometry(self.rect().adjusted(_FRAME + 2, 24, -_FRAME - 2, -16))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        """Draw the frame and the loudspeaker."""
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
