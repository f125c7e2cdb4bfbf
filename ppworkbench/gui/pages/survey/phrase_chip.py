"""A chip that says a phrase: a condition, an outcome or a predictor."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QMouseEvent, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from ppworkbench.gui.pages.survey.texts import Phrase
from ppworkbench.gui.theme import ThemeManager, icon, smooth_painter

OPENING_KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space, Qt.Key.Key_F2)
_HEIGHT = 30


class PhraseChip(QWidget):
    """The icon of a kind, words, a mask where they are about randomised answers, and a cross.

    Parameters
    ----------
    widest
        How wide the words may become, in pixels of the usual type.
    has_cross
        Whether it can be removed, by its cross or by Delete.
    """

    remove_requested = Signal()
    walk_requested = Signal(int)
    """The keyboard goes to a neighbour."""

    def __init__(self, themes: ThemeManager, widest: int, *, has_cross: bool = True) -> None:
        super().__init__()
        self._themes, self._widest, self._has_cross = themes, widest, has_cross
        self._phrase: Phrase = ()
        self._kind, self._is_randomised = "", False
        self._laid: list[tuple[str, str, float]] | None = None
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        themes.theme_changed.connect(self._relay)

    def show_phrase(self, phrase: Phrase, kind: str, *, is_randomised: bool = False) -> None:
        self._phrase, self._kind, self._is_randomised = phrase, kind, is_randomised
        self._relay()

    @property
    def words(self) -> str:
        return "".join(words for words, _ in self._phrase)

    def _relay(self) -> None:
        self._laid = None
        self.updateGeometry()
        self.update()

    def _parts(self) -> list[tuple[str, str, float]]:
        """Words, weight and width of every part, measured once: layouts ask very often."""
        if self._laid is None:
            self._laid = self._measured()
        return self._laid

    def _measured(self) -> list[tuple[str, str, float]]:
        """The last part ends with dots where a phrase is long."""
        theme = self._themes.theme
        room = float(theme.px(self._widest))
        found = []
        for words, strong in self._phrase:
            weight = "semibold" if strong else "regular"
            metrics = QFontMetricsF(theme.font("body", weight))
            width = metrics.horizontalAdvance(words)
            if width > room:
                cut = metrics.elidedText(words, Qt.TextElideMode.ElideRight, max(room, 0.0))
                found.append((cut, weight, metrics.horizontalAdvance(cut)))
                break
            found.append((words, weight, width))
            room -= width
        return found

    def sizeHint(self) -> QSize:  # noqa: N802
        px = self._themes.theme.px
        words = sum(width for *_, width in self._parts())
        around = px(32) + (px(22) if self._is_randomised else 0)
        around += px(30) if self._has_cross else px(14)
        return QSize(round(words) + around, px(_HEIGHT))

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """The same: a chip is whole or in the next line."""
        return self.sizeHint()

    def _cross(self) -> QRectF:
        side = self._themes.theme.px(24)
        return QRectF(self.width() - side - 4, (self.height() - side) / 2, side, side)

    def _is_on_cross(self, event: QMouseEvent) -> bool:
        return self._has_cross and self._cross().contains(event.position())

    def _opacity(self) -> float:
        return 1.0

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        theme, focus = self._themes.theme, self.hasFocus()
        painter = smooth_painter(self)
        painter.setOpacity(self._opacity())
        edge = 1.0 if focus else 0.5
        box = QRectF(self.rect()).adjusted(edge, edge, -edge, -edge)
        painter.setPen(QPen(theme.colour("focus" if focus else "accentLine"), 2 * edge))
        painter.setBrush(theme.colour("accentTint"))
        painter.drawRoundedRect(box, box.height() / 2, box.height() / 2)
        size = theme.px(16)
        spot = QRectF(theme.px(10), (self.height() - size) / 2, size, size)
        icon(f"kind-{self._kind}", theme.colour("accentInk")).paint(painter, spot.toRect())
        x = float(theme.px(32))
        painter.setPen(theme.colour("text"))
        for words, weight, width in self._parts():
            painter.setFont(theme.font("body", weight))
            line = QRectF(x, 0, width + 4, self.height())
            painter.drawText(line, Qt.AlignmentFlag.AlignVCenter, words)
            x += width
        if self._is_randomised:
            spot.moveLeft(x + theme.px(7))
            icon("mask", theme.colour("warningText")).paint(painter, spot.toRect())
        if self._has_cross:
            mark = self._cross().adjusted(5, 5, -5, -5)
            icon("close", theme.colour("text2")).paint(painter, mark.toRect())

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        if event.button() == Qt.MouseButton.LeftButton and self._is_on_cross(event):
            self.remove_requested.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        key = Qt.Key(event.key())
        back = key in (Qt.Key.Key_Left, Qt.Key.Key_Up)
        if key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace) and self._has_cross:
            self.remove_requested.emit()
        elif back or key in (Qt.Key.Key_Right, Qt.Key.Key_Down):
            self.walk_requested.emit(-1 if back else 1)
        else:
            super().keyPressEvent(event)
