"""A call-out that points at a widget, and the ring around that widget."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPainterPath, QPaintEvent, QPen, QShowEvent
from PySide6.QtWidgets import QWidget

from ppworkbench.gui.hints.placing import ARROW, BELOW, Spot, best_spot
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.icon_button import Button, IconButton, IconLabel
from ppworkbench.gui.widgets.layouts import column, row, text

_WIDTH, _RADIUS, _SHADOW = 316, 10.0, 6


class HintBubble(QWidget):
    """One hint: title, sentence, where in the row of hints it stands, and what to do with it."""

    next_wanted = Signal()
    close_wanted = Signal()
    off_wanted = Signal()

    def __init__(self, themes: ThemeManager, parent: QWidget) -> None:
        super().__init__(parent)
        self._themes = themes
        self.setObjectName("hintBubble")
        self._spot = Spot(BELOW, QRect(), 0)
        self._where = QRect(), QRect()
        self.title = text("", "strong", wrap=True)
        self.says = text("", "secondary", wrap=True)
        self.count = text("", "captionHint")
        self.close_button = IconButton(themes, "close", self.tr("Close (Esc)"), 14)
        self.close_button.setObjectName("hintClose")
        self.off_button = Button(themes, self.tr("Do not show hints"), look="link")
        self.off_button.setObjectName("hintsOff")
        self.next_button = Button(themes, self.tr("Next"), look="primary")
        self.next_button.setObjectName("hintNext")
        self.close_button.clicked.connect(self.close_wanted)
        self.off_button.clicked.connect(self.off_wanted)
        self.next_button.clicked.connect(self.next_wanted)
        head = row(IconLabel(themes, "lightbulb", "accentInk", 18), self.title, self.close_button)
        head.setStretch(1, 1)
        head.setAlignment(self.close_button, Qt.AlignmentFlag.AlignTop)
        self._body = column(
            head, self.says, row(self.count, None, self.off_button, 4, self.next_button),
            parent=self, spacing=8,
        )  # fmt: skip
        themes.theme_changed.connect(self.update)
        self.hide()

    def say(self, title: str, words: str, count: str, *, is_last: bool) -> None:
        """Fill in a hint."""
        self.title.setText(title)
        self.says.setText(words)
        self.count.setText(count)
        self.next_button.setText(self.tr("Got it") if is_last else self.tr("Next"))
        self.setAccessibleName(title)
        self.setAccessibleDescription(words)

    def place(self, target: QRect, room: QRect) -> None:
        """Stand beside the target, inside of the room, with the arrow at the target's middle."""
        self._where = target, room
        px = self._themes.theme.px
        edge = ARROW + _SHADOW
        self._body.setContentsMargins(edge + px(14), edge + px(12), edge + px(10), edge + px(12))
        width = px(_WIDTH) + 2 * edge
        height = self._body.heightForWidth(width)
        size = QSize(width, height if height > 0 else self.sizeHint().height())
        self._spot = best_spot(target, size, room)
        self.setGeometry(self._spot.box)
        self.update()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        """Measure again: only now the parts know their style, and the sentence might be cut."""
        super().showEvent(event)
        self.place(*self._where)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        """Draw a soft shadow, and the box with its arrow."""
        theme = self._themes.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        shape = self._shape()
        shade = theme.colour("scrim")
        for step in range(_SHADOW):
            shade.setAlpha(10 if theme.is_dark else 5)
            painter.setPen(QPen(shade, 2.0 * (step + 1), j=Qt.PenJoinStyle.RoundJoin))
            painter.drawPath(shape.translated(0, 1.5))
        painter.setPen(QPen(theme.colour("accentInk"), 1.2))
        painter.setBrush(theme.colour("surface"))
        painter.drawPath(shape)

    def _shape(self) -> QPainterPath:
        edge = ARROW + _SHADOW
        body = QRectF(self.rect()).adjusted(edge, edge, -edge, -edge)
        box, arrow = QPainterPath(), QPainterPath()
        box.addRoundedRect(body, _RADIUS, _RADIUS)
        tip, left, right = self._spot.arrow(body)
        arrow.moveTo(left)
        arrow.lineTo(tip)
        arrow.lineTo(right)
        arrow.closeSubpath()
        return box.united(arrow)


def within(widget: QWidget, over: QWidget) -> QRect:
    """Where a widget is seen, in the coordinates of another one around it."""
    return QRect(widget.mapTo(over, QPoint(0, 0)), widget.size())
