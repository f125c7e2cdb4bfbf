"""Expected answers drawn with the mouse."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from ppworkbench.gui.dialogs import ask_number
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.words import percent

Numbers = NDArray[np.float64]


class DrawnBars(QWidget):
    """Bars with handles: dragging one rescales the others in proportion."""

    drawn = Signal(object, str)

    _drags = 0

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._shares: Numbers = np.ones(2) / 2
        self._labels: tuple[str, ...] = ("", "")
        self._chosen = 0
        self._gesture = ""
        self._top = 0.6
        self.setObjectName("drawnBars")
        self.setAccessibleName(self.tr("Expected answers, drawn"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setToolTip(
            self.tr("Drag a bar, or use the arrows; a double-click or Enter types a percentage")
        )
        themes.theme_changed.connect(self.update)

    def show_shares(self, shares: Numbers, labels: tuple[str, ...]) -> None:
        """Show what was drawn."""
        self._shares, self._labels = shares, labels
        self._chosen = min(self._chosen, len(shares) - 1)
        if not self._gesture:
            self._top = min(1.0, max(0.3, float(shares.max()) * 1.35))
        self._describe()
        self.update()

    def _describe(self) -> None:
        chosen = self._chosen
        self.setAccessibleDescription(
            f"{self._labels[chosen]}: {percent(float(self._shares[chosen]))}"
        )

    def rows(self) -> list[list[str]]:
        """The numbers as a table."""
        shares = [percent(share, 1) for share in self._shares.tolist()]
        cells = [list(pair) for pair in zip(self._labels, shares, strict=True)]
        return [[self.tr("answer"), self.tr("expected share")], *cells]

    def sizeHint(self) -> QSize:  # noqa: N802
        """As large as the preview."""
        return QSize(400, 170)

    def _area(self) -> QRectF:
        return QRectF(8, 20, self.width() - 16, self.height() - 44)

    def _bar(self, i: int) -> QRectF:
        area = self._area()
        pitch = area.width() / len(self._shares)
        height = area.height() * min(float(self._shares[i]) / self._top, 1.0)
        width = min(pitch * 0.7, 60.0)
        left = area.left() + i * pitch + (pitch - width) / 2
        return QRectF(left, area.bottom() - height, width, height)

    def _at(self, position: QPointF) -> int:
        area = self._area()
        pitch = area.width() / len(self._shares)
        return int(np.clip((position.x() - area.left()) // pitch, 0, len(self._shares) - 1))

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Take hold of the bar under the pointer."""
        DrawnBars._drags += 1
        self._gesture = f"draw {DrawnBars._drags}"
        self._chosen = self._at(event.position())
        self._set_from(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Follow the pointer."""
        if self._gesture:
            self._set_from(event.position())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: ARG002, N802
        """Let go."""
        self._gesture = ""
        self.show_shares(self._shares, self._labels)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Type a percentage."""
        self._chosen = self._at(event.position())
        self._type()

    def _type(self) -> None:
        now = float(self._shares[self._chosen]) * 100
        title, label = self.tr("Expected share"), self._labels[self._chosen]
        chosen = self._chosen
        ask_number(
            self, self._themes, title, f"{label}, %", now, (0.0, 100.0),
            lambda percent: self.set_share(chosen, percent / 100, ""),
        )  # fmt: skip

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Arrows choose a bar and move its top; Enter types a percentage."""
        key = Qt.Key(event.key())
        if key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            step = 1 if key == Qt.Key.Key_Right else -1
            self._chosen = int(np.clip(self._chosen + step, 0, len(self._shares) - 1))
            self._describe()
            self.update()
        elif key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            step = 0.01 if key == Qt.Key.Key_Up else -0.01
            if not event.isAutoRepeat():
                DrawnBars._drags += 1
            share = float(self._shares[self._chosen]) + step
            self.set_share(self._chosen, share, f"draw key {DrawnBars._drags}")
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._type()
        else:
            super().keyPressEvent(event)

    def _set_from(self, position: QPointF) -> None:
        area = self._area()
        share = (area.bottom() - position.y()) / area.height() * self._top
        self.set_share(self._chosen, share, self._gesture)

    def set_share(self, chosen: int, share: float, gesture: str) -> None:
        """Give one answer a share; the others keep their proportions."""
        new = redrawn(self._shares, chosen, share)
        self._shares = new
        self._describe()
        self.update()
        self.drawn.emit(new, gesture)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        """Draw bars, handles, shares and labels."""
        theme = self._themes.theme
        role = theme.role("original")
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = self._area()
        painter.setFont(theme.font("caption"))
        metrics = painter.fontMetrics()
        pitch = area.width() / len(self._shares)
        for i, share in enumerate(self._shares.tolist()):
            bar = self._bar(i)
            painter.setPen(QPen(role.line, 1))
            painter.setBrush(role.tint)
            painter.drawRect(bar)
            focused = self.hasFocus() and i == self._chosen
            painter.setPen(QPen(theme.colour("focus") if focused else role.line, 2))
            painter.setBrush(theme.colour("surface"))
            painter.drawRoundedRect(QRectF(bar.left() - 3, bar.top() - 4, bar.width() + 6, 8), 4, 4)
            painter.setPen(theme.colour("text2"))
            if pitch >= 26:
                above = QRectF(bar.center().x() - pitch / 2, bar.top() - 22, pitch, 16)
                painter.drawText(above, Qt.AlignmentFlag.AlignCenter, percent(share))
            if pitch >= 18:
                below = QRectF(bar.center().x() - pitch / 2 + 2, area.bottom() + 5, pitch - 4, 16)
                label = metrics.elidedText(
                    self._labels[i], Qt.TextElideMode.ElideRight, int(below.width())
                )
                painter.drawText(below, Qt.AlignmentFlag.AlignCenter, label)
        painter.setPen(QPen(theme.colour("axis"), 1))
        painter.drawLine(area.bottomLeft(), area.bottomRight())


def redrawn(shares: Numbers, chosen: int, share: float) -> Numbers:
    """The distribution with one share set and the others in their old proportions.

    >>> redrawn(np.array([0.5, 0.3, 0.2]), 0, 0.75).round(3).tolist()
    [0.75, 0.15, 0.1]
    """
    share = min(max(share, 0.0), 1.0)
    if len(shares) == 1:
        return np.ones(1)
    result = shares.copy()
    rest = 1.0 - float(shares[chosen])
    others = np.arange(len(shares)) != chosen
    if rest > 1e-12:
        result[others] = shares[others] * (1 - share) / rest
    else:
        result[others] = (1 - share) / (len(shares) - 1)
    result[chosen] = share
    return result / result.sum()
