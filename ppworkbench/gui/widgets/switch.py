"""An on/off switch that looks like one."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy

from ppworkbench.gui.theme import ThemeManager


class Switch(QAbstractButton):
    """A checkable button drawn as a pill with a knob."""

    def __init__(self, themes: ThemeManager, name: str) -> None:
        super().__init__()
        self._themes = themes
        self.setCheckable(True)
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        themes.theme_changed.connect(self.update)

    def sizeHint(self) -> QSize:  # noqa: N802
        """A fixed size that grows with the type."""
        return QSize(self._themes.theme.px(36), self._themes.theme.px(22))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        """Draw the pill, the knob and the focus ring."""
        theme = self._themes.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        pill = QRectF(self.rect()).adjusted(2, 3, -2, -3)
        radius = pill.height() / 2
        on, enabled = self.isChecked(), self.isEnabled()
        outline = theme.colour("outline" if enabled else "border")
        fill = theme.colour("accent" if enabled else "border") if on else theme.colour("surface")
        painter.setPen(QPen(fill if on else outline, 1))
        painter.setBrush(fill)
        painter.drawRoundedRect(pill, radius, radius)
        knob = radius - 3
        x = pill.right() - radius if on else pill.left() + radius
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("accentText") if on else outline)
        painter.drawEllipse(QRectF(x - knob, pill.center().y() - knob, 2 * knob, 2 * knob))
        if self.hasFocus():
            painter.setPen(QPen(theme.colour("focus"), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            ring = QRectF(self.rect()).adjusted(1, 1, -1, -1)
            painter.drawRoundedRect(ring, ring.height() / 2, ring.height() / 2)
