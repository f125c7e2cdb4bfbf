"""A large card: what you have, what the program does with it, and a small picture."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QSizePolicy, QWidget

from ppworkbench.gui.plots.brushes import outline_pen, role_brush
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.icon_button import Button, IconLabel
from ppworkbench.gui.widgets.layouts import column, row, text
from ppworkbench.gui.widgets.wrapping_row import WrappingRow


class EntryCard(Card):
    """Icon and title, a sentence, a picture, two actions."""

    def __init__(
        self,
        themes: ThemeManager,
        icon_name: str,
        title: str,
        sentence: str,
        first: str,
        second: str,
        picture: str,
    ) -> None:
        super().__init__(padding=16)
        badge = QFrame()
        badge.setProperty("look", "iconBadge")
        badge.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        row(IconLabel(themes, icon_name, "accentInk", 20), parent=badge, margin=8)
        heading = text(title, "subtitle", wrap=True)
        words = text(sentence, "secondary", wrap=True)
        words.setAlignment(Qt.AlignmentFlag.AlignTop)
        words.setMinimumHeight(themes.theme.px(54))
        self.first = Button(themes, first)
        self.first.setObjectName(f"{picture}First")
        self.second = Button(themes, second, look="link")
        self.second.setObjectName(f"{picture}Second")
        head = row(badge, heading, spacing=12)
        head.setStretch(1, 1)
        middle = row(words, Sketch(themes, picture), spacing=12)
        middle.setStretch(0, 1)
        buttons = WrappingRow(self.first, self.second, spacing=14, line_spacing=4)
        self.body.addLayout(column(head, middle, buttons, spacing=10))


class Sketch(QWidget):
    """A picture of 100 by 56: drawn bars, a table, or the three roles."""

    def __init__(self, themes: ThemeManager, kind: str) -> None:
        super().__init__()
        self._themes, self._kind = themes, kind
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        themes.theme_changed.connect(self.update)

    def sizeHint(self) -> QSize:  # noqa: N802
        """A fixed size."""
        return QSize(102, 60)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        """Draw the picture of the card."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._kind == "table":
            self._table(painter)
        elif self._kind == "bars":
            self._drawn_bars(painter)
        else:
            self._triple(painter)

    def _base(self, painter: QPainter) -> None:
        painter.setPen(QPen(self._themes.theme.colour("axis"), 1))
        painter.drawLine(2, 57, 100, 57)

    def _drawn_bars(self, painter: QPainter) -> None:
        role = self._themes.theme.role("original")
        for i, height in enumerate((16, 26, 46, 36, 21)):
            box = QRectF(8 + i * 18, 57 - height, 12, height)
            painter.setPen(QPen(role.line, 1))
            painter.setBrush(role.tint)
            painter.drawRect(box)
            painter.setPen(QPen(role.line, 1.6))
            painter.setBrush(self._themes.theme.colour("surface"))
            painter.drawRoundedRect(QRectF(box.left() - 2, box.top() - 3, 16, 6), 3, 3)
        self._base(painter)

    def _table(self, painter: QPainter) -> None:
        theme = self._themes.theme
        painter.setPen(QPen(theme.colour("outline"), 1))
        painter.setBrush(theme.colour("surface"))
        frame = QRectF(6.5, 4.5, 90, 52)
        painter.drawRoundedRect(frame, 5, 5)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("sunken"))
        painter.drawRect(QRectF(7, 9, 89, 8))
        grey = QColor(theme.colour("outline"))
        grey.setAlpha(130)
        painter.setBrush(grey)
        for line in range(3):
            for cell, width in enumerate((18, 24, 14)):
                painter.drawRoundedRect(QRectF(14 + cell * 29, 23 + line * 11, width, 4), 2, 2)

    def _triple(self, painter: QPainter) -> None:
        theme = self._themes.theme
        for group, heights in enumerate(((22, 30, 17), (46, 36, 44), (32, 38, 29))):
            for i, (role, height) in enumerate(
                zip(("original", "distorted", "reconstructed"), heights, strict=True)
            ):
                painter.setPen(outline_pen(theme, role))
                painter.setBrush(role_brush(theme, role))
                painter.drawRect(QRectF(7 + group * 32 + i * 9, 57 - height, 7, height))
        self._base(painter)
