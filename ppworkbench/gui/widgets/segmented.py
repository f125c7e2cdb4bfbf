"""A row of choices of which one holds."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from ppworkbench.gui.theme import ThemeManager


class Segmented(QWidget):
    """One focus stop; arrows move, a click chooses. A segment can be disabled with a reason."""

    chosen = Signal(str)
    """The user chose another segment."""

    def __init__(self, themes: ThemeManager, name: str, choices: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self._themes = themes
        self._choices = list(choices)
        self._disabled: dict[str, str] = {}
        self._current = choices[0][0] if choices else ""
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setMouseTracking(True)
        themes.theme_changed.connect(self.updateGeometry)
        themes.theme_changed.connect(self.update)
        self._describe()

    @property
    def current(self) -> str:
        """The key of the chosen segment."""
        return self._current

    @property
    def keys(self) -> list[str]:
        """The keys of all segments."""
        return [key for key, _ in self._choices]

    def set_current(self, key: str) -> None:
        """Show a choice without announcing it."""
        if key != self._current:
            self._current = key
            self._describe()
            self.update()

    def set_choices(self, choices: Sequence[tuple[str, str]]) -> None:
        """Offer other segments."""
        if list(choices) != self._choices:
            self._choices = list(choices)
            self.updateGeometry()
            self.update()

    def set_disabled(self, reasons: dict[str, str]) -> None:
        """Grey segments out; each reason becomes the tooltip."""
        if reasons != self._disabled:
            self._disabled = dict(reasons)
            self.update()

    def choose(self, key: str) -> None:
        """Choose as a user would."""
        if key in self._disabled or key not in self.keys or not self.isEnabled():
            return
        if key != self._current:
            self.set_current(key)
            self.chosen.emit(key)

    def sizeHint(self) -> QSize:  # noqa: N802
        """Wide enough for every label."""
        metrics = self.fontMetrics()
        width = sum(metrics.horizontalAdvance(label) + 17 for _, label in self._choices)
        return QSize(width + 4, self._themes.theme.px(28))

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """The labels with less air."""
        metrics = self.fontMetrics()
        width = sum(metrics.horizontalAdvance(label) + 10 for _, label in self._choices)
        return QSize(width + 4, self._themes.theme.px(28))

    def _cells(self) -> list[QRectF]:
        metrics = self.fontMetrics()
        widths = [float(metrics.horizontalAdvance(label)) for _, label in self._choices]
        room = self.width() - 4
        air = (room - sum(widths)) / max(len(widths), 1)
        cells, x = [], 2.0
        for width in widths:
            cells.append(QRectF(x, 2, width + air, self.height() - 4))
            x += width + air
        return cells

    def _at(self, x: float) -> str | None:
        for cell, key in zip(self._cells(), self.keys, strict=True):
            if cell.left() <= x < cell.right():
                return key
        return None

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Choose the segment under the pointer."""
        key = self._at(event.position().x())
        if key is not None and event.button() == Qt.MouseButton.LeftButton:
            self.choose(key)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Say why a segment is grey."""
        key = self._at(event.position().x())
        self.setToolTip(self._disabled.get(key or "", ""))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Move with the arrows over segments that can be chosen."""
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
            return
        open_keys = [key for key in self.keys if key not in self._disabled]
        if self._current in open_keys:
            position = open_keys.index(self._current) + step
            if 0 <= position < len(open_keys):
                self.choose(open_keys[position])

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        """Draw the trough, the chosen segment and the labels."""
        theme = self._themes.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme.colour("border"), 1))
        painter.setBrush(theme.colour("sunken"))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
        for cell, (key, label) in zip(self._cells(), self._choices, strict=True):
            is_current = key == self._current
            if is_current:
                ring = theme.colour("focus" if self.hasFocus() else "text2")
                painter.setPen(QPen(ring, 2 if self.hasFocus() else 1))
                painter.setBrush(theme.colour("surface"))
                painter.drawRoundedRect(cell.adjusted(0.5, 0.5, -0.5, -0.5), 5, 5)
            font = self.font()
            font.setWeight(theme.font("body", "semibold" if is_current else "regular").weight())
            painter.setFont(font)
            grey = key in self._disabled or not self.isEnabled()
            painter.setPen(
                theme.colour("textDisabled" if grey else "text" if is_current else "text2")
            )
            painter.drawText(cell, Qt.AlignmentFlag.AlignCenter, label)

    def _describe(self) -> None:
        self.setAccessibleDescription(dict(self._choices).get(self._current, ""))
