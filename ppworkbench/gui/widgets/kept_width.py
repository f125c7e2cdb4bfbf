"""A width that does not depend on what a field shows, and grows with the type."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from ppworkbench.gui.theme import ThemeManager


def keep_width(widget: QWidget, themes: ThemeManager, width: int) -> None:
    """Make a widget so many pixels wide, counted at normal text."""
    _KeptWidth(widget, themes, width)


class _KeptWidth(QObject):
    """Belongs to its widget, so that it hears of no theme after the widget is gone."""

    def __init__(self, widget: QWidget, themes: ThemeManager, width: int) -> None:
        super().__init__(widget)
        self._widget, self._themes, self._width = widget, themes, width
        themes.theme_changed.connect(self._fit)
        self._fit()

    def _fit(self) -> None:
        self._widget.setFixedWidth(self._themes.theme.px(self._width))
