"""Numbered badges on the widgets that a step speaks of."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, QPoint, QRect, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QScrollArea, QWidget

from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.frame import Frame
from ppworkbench.study.demonstrations.demonstration import Look

SIZE = 22
_EVERY = 150
"""Milliseconds after which a badge has followed a widget that moved."""
_MOST_SCROLLS = 6
"""How often a step scrolls to a place; then it is the user who scrolls."""


class Badge(QWidget):
    """A number in a disc; clicks go through it."""

    def __init__(self, themes: ThemeManager, number: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._themes = themes
        self.number = number
        self.setObjectName(f"badge{number}")
        self.setAccessibleName(self.tr("Look here, number %s") % number)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFixedSize(self.sizeHint())
        themes.theme_changed.connect(self.update)

    def sizeHint(self) -> QSize:  # noqa: N802
        """The disc with its rim, which grows with the type."""
        return QSize(self._themes.theme.px(SIZE), self._themes.theme.px(SIZE))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        """Draw disc and number."""
        theme = self._themes.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme.colour("surface"), 2))
        painter.setBrush(theme.colour("accent"))
        painter.drawEllipse(QRectF(self.rect()).adjusted(1, 1, -1, -1))
        painter.setFont(theme.font("caption", "semibold"))
        painter.setPen(theme.colour("accentText"))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, str(self.number))


class Badges(QObject):
    """Puts badges on widgets and keeps them there; ``over`` is what they are drawn on."""

    def __init__(self, themes: ThemeManager, over: QWidget) -> None:
        super().__init__(over)
        self._themes, self._over = themes, over
        self._anchors: list[tuple[Badge, Look, Callable[[], QWidget | None]]] = []
        self.frame = Frame(themes, over)
        self._framed: int | None = None
        self._scrolls = 0
        self._timer = QTimer(self)
        self._timer.setInterval(_EVERY)
        self._timer.timeout.connect(self.follow)
        themes.theme_changed.connect(self.follow)

    @property
    def shown(self) -> tuple[Badge, ...]:
        """The badges that are seen."""
        return tuple(badge for badge, _, _ in self._anchors if not badge.isHidden())

    def show_looks(
        self, looks: Sequence[Look], find: Callable[[str], QWidget | None], shift: int = 0
    ) -> None:
        """Put a badge on each place; ``find`` is asked again whenever they move."""
        self.clear()
        for number, look in enumerate(looks, 1 + shift):
            badge = Badge(self._themes, number, self._over)
            badge.hide()
            self._anchors.append((badge, look, lambda name=look.at: find(name)))
        self._scrolls = _MOST_SCROLLS
        self.follow()
        if self._anchors:
            self._timer.start()

    def clear(self) -> None:
        """Take all badges away."""
        self._timer.stop()
        self.frame.hide()
        self._framed = None
        for badge, _, _ in self._anchors:
            badge.hide()
            badge.deleteLater()
        self._anchors.clear()

    def frame_look(self, place: int | None) -> None:
        """Draw a line around a place, or around none."""
        self._framed = place
        self.follow()

    def follow(self) -> None:
        """Go where the widgets are now."""
        framed = None
        for place, (badge, look, find) in enumerate(self._anchors):
            widget = find()
            seen = None
            if widget is not None and widget.isVisible():
                seen = _seen(widget, self._over)
                if seen is None and self._scrolls > 0:
                    # A page that has just come to the front does not know its sizes yet.
                    self._scrolls -= 1
                    _bring_into_view(widget)
            if seen is None:
                badge.hide()
                continue
            badge.setFixedSize(badge.sizeHint())
            half = badge.width() // 2
            x = seen.left() + round(look.x * seen.width()) - half
            y = seen.top() + round(look.y * seen.height()) - half
            room = self._over.rect()
            badge.move(
                min(max(x, 2), room.width() - badge.width() - 2),
                min(max(y, 2), room.height() - badge.height() - 2),
            )
            if badge.isHidden():
                badge.show()
            badge.raise_()
            if place == self._framed:
                framed = seen
        self.frame.setVisible(framed is not None)
        if framed is not None:
            self.frame.setGeometry(framed.adjusted(-3, -3, 3, 3))
            self.frame.raise_()


def _seen(widget: QWidget, over: QWidget) -> QRect | None:
    """The part of a widget that can be seen, in coordinates of another; None if nothing can."""
    region = widget.visibleRegion().boundingRect()
    if region.isEmpty():
        return None
    return QRect(widget.mapTo(over, QPoint()) + region.topLeft(), region.size())


def _bring_into_view(widget: QWidget) -> None:
    parent = widget.parentWidget()
    while parent is not None:
        if isinstance(parent, QScrollArea):
            parent.ensureWidgetVisible(widget, 0, 24)
        parent = parent.parentWidget()
