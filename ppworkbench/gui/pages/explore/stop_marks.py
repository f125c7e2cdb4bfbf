"""The marks under the slider: where each stop rule ends the iteration."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from ppworkbench.gui.pages.explore.iteration_slider import HANDLE, IterationSlider
from ppworkbench.gui.theme import ThemeManager

_GAP = 10


@dataclass(frozen=True)
class Mark:
    """A stop rule, in words, and its iteration; the chosen one keeps its words at any width."""

    words: str
    iteration: int
    is_chosen: bool = False


class StopMarks(QWidget):
    """Words that would run into others are left out; their tick stays. A click goes there."""

    chosen = Signal(int)

    def __init__(self, themes: ThemeManager, slider: IterationSlider) -> None:
        super().__init__()
        self._themes = themes
        self._slider = slider
        self.marks: tuple[Mark, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        themes.theme_changed.connect(self._resize)
        self._resize()

    def show_marks(self, marks: tuple[Mark, ...]) -> None:
        """Show other marks."""
        self.marks = marks
        self.setToolTip("\n".join(mark.words for mark in marks))
        self.setAccessibleName(", ".join(mark.words for mark in marks))
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        """A tick and a line of words."""
        return QSize(200, self._themes.theme.px(20))

    def _resize(self) -> None:
        self.setFixedHeight(self._themes.theme.px(20))
        self.update()

    def placed(self) -> list[tuple[Mark, float, QRectF | None]]:
        """Every mark with its place and the room of its words, None where they do not fit."""
        metrics = QFontMetricsF(self._themes.theme.font("caption"))
        taken: list[QRectF] = []
        found: dict[int, tuple[Mark, float, QRectF | None]] = {}
        order = sorted(range(len(self.marks)), key=lambda i: not self.marks[i].is_chosen)
        for place in order:
            mark = self.marks[place]
            x = self._slider.x_of(mark.iteration)
            width = metrics.horizontalAdvance(mark.words)
            left = min(max(x - width / 2, 0.0), max(self.width() - width, 0.0))
            box = QRectF(left, 5, width, self.height() - 5)
            wide = box.adjusted(-_GAP, 0, _GAP, 0)
            fits = not any(wide.intersects(other) for other in taken)
            if fits:
                taken.append(box)
            found[place] = (mark, x, box if fits else None)
        return [found[place] for place in range(len(self.marks))]

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Go to the mark whose words or tick are under the pointer."""
        for mark, x, box in self.placed():
            near = abs(event.position().x() - x) <= HANDLE
            if near or (box is not None and box.contains(event.position())):
                self.chosen.emit(mark.iteration)
                return

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        """Draw ticks and words."""
        theme = self._themes.theme
        painter = QPainter(self)
        painter.setFont(theme.font("caption"))
        grey = not self.isEnabled()
        for mark, x, box in self.placed():
            colour = "textDisabled" if grey else "text" if mark.is_chosen else "text3"
            painter.setPen(QPen(theme.colour("textDisabled" if grey else "text3"), 1))
            at = round(x) + 0.5
            painter.drawLine(QPointF(at, 0), QPointF(at, 4))
            if box is not None:
                painter.setPen(theme.colour(colour))
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, mark.words)
