"""A card with so much in it that one style sheet for all of it would take long to be looked up."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.layouts import Item, column

_BORDER = 1


class PaintedCard(Card):
    """Looks like any card but draws itself: each of its parts has a style sheet of its own.

    See ``theme.islands``; what holds the parts has to be a ``Holder``.
    """

    only_holds = True

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(padding=0)
        self._themes = themes
        self.body.setContentsMargins(_BORDER, _BORDER, _BORDER, _BORDER)
        themes.theme_changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        """Draw what the style sheet draws for other cards."""
        theme = self._themes.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(theme.colour("border"))
        painter.setBrush(theme.colour("surface"))
        box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        round_ = theme.tokens.radius("card")
        painter.drawRoundedRect(box, round_, round_)


def card_part(*items: Item, spacing: int) -> QWidget:
    """What has a style sheet together, one below the other."""
    holder = QWidget()
    column(*items, parent=holder, spacing=spacing)
    return holder
