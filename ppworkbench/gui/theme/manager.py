"""The object that switches between themes."""

from __future__ import annotations

import math

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QWidget

from ppworkbench.gui.theme.application_look import interface_font, palette
from ppworkbench.gui.theme.style_sheet import style_sheet
from ppworkbench.gui.theme.theme import Theme
from ppworkbench.gui.theme.tokens import load_tokens

CHOICES = ("system", "light", "dark")
_SMALLEST, _LARGEST = 0.8, 2.0
_PROJECTED = 1.4
"""How much larger type is where it is projected."""
_LIGHT_WALL, _OWN_THEME = "light", "own"
"""Which theme is projected: the light one, or what the user chose since."""
_RULES = "ownRules"
"""The property that holds the rules that a widget has of its own."""


class ThemeManager(QObject):
    """Applies a theme to the application and tells everybody who paints by hand."""

    sheet_changed = Signal()
    """Emitted before ``theme_changed``, for what has a style sheet."""
    theme_changed = Signal()

    def __init__(self, choice: str = "system", scale: float = 1.0) -> None:
        super().__init__()
        self._choice = choice if choice in CHOICES else CHOICES[0]
        self._scale = _within(scale)
        self._projector = ""
        self._sheet = ""
        hints = QGuiApplication.styleHints()
        hints.colorSchemeChanged.connect(self._on_system_changed)
        self.theme = self._make()

    @property
    def choice(self) -> str:
        """What the user chose: ``system``, ``light`` or ``dark``."""
        return self._choice

    def choose(self, choice: str) -> None:
        """Use another theme."""
        if choice != self._choice or self._projector == _LIGHT_WALL:
            self._choice = choice
            self._projector = _OWN_THEME if self._projector else ""
            self.apply()

    @property
    def is_projected(self) -> bool:
        """Whether everything is drawn for an audience."""
        return bool(self._projector)

    def project(self, on: bool) -> None:
        """Draw for an audience: larger and stronger, and light until another theme is chosen."""
        if on != self.is_projected:
            self._projector = _LIGHT_WALL if on else ""
            self.apply()

    def zoom(self, scale: float) -> None:
        """Enlarge or shrink all type."""
        within = _within(scale)
        if within != self._scale:
            self._scale = within
            self.apply()

    @property
    def scale(self) -> float:
        """The enlargement of type."""
        return self._scale

    def apply(self) -> None:
        """Make font and palette of the application and the look of its windows the theme's."""
        app = QApplication.instance()
        if not isinstance(app, QApplication):
            return
        self.theme = self._make()
        if app.property("look") != "Fusion":
            # Every call of it looks at all widgets again.
            app.setStyle("Fusion")
            app.setProperty("look", "Fusion")
        self._sheet = style_sheet(self.theme)
        app.setFont(interface_font(self.theme))
        app.setPalette(palette(self.theme))
        self.sheet_changed.emit()
        self.theme_changed.emit()

    def dress(self, widget: QWidget) -> None:
        """Give a page, a part of the window or a dialog the style sheet, now and after changes.

        One sheet for the whole application would be looked up for all of its two thousand widgets
        at a stroke (2.6 s), and for every widget that is put into another.
        """
        _StyleSheet(widget, self)

    @property
    def sheet(self) -> str:
        """The style sheet of the theme."""
        if not self._sheet:
            self._sheet = style_sheet(self.theme)
        return self._sheet

    def _make(self) -> Theme:
        name = "light" if self._projector == _LIGHT_WALL else self._choice
        if name == "system":
            dark = QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark
            name = "dark" if dark else "light"
        if self._projector:
            return Theme(name, load_tokens(), self._scale * _PROJECTED, projected=True)
        return Theme(name, load_tokens(), self._scale)

    def _on_system_changed(self) -> None:
        if self._choice == "system":
            self.apply()


class _StyleSheet(QObject):
    """Keeps the style sheet of one widget, which is its parent, up to date.

    What is hidden is brought up to date when it is shown: a page takes up to 70 ms.
    """

    def __init__(self, widget: QWidget, themes: ThemeManager) -> None:
        super().__init__(widget)
        self._widget, self._themes = widget, themes
        self._is_current = False
        widget.installEventFilter(self)
        themes.sheet_changed.connect(self._on_changed)
        self.take()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: ARG002, N802
        """Take the sheet of a theme that changed while the widget was hidden."""
        if event.type() == QEvent.Type.Show and not self._is_current:
            self.take()
        return False

    def _on_changed(self) -> None:
        self._is_current = False
        if self._widget.isVisible():
            self.take()

    def take(self) -> None:
        """Give the widget the sheet of now, with the rules of its own."""
        self._is_current = True
        rules = self._widget.property(_RULES)
        self._widget.setStyleSheet(self._themes.sheet + (rules or ""))


def set_rules(widget: QWidget, rules: str) -> None:
    """Give a widget rules of its own, in addition to the style sheet of the theme."""
    if widget.property(_RULES) == rules:
        return
    widget.setProperty(_RULES, rules)
    for child in widget.children():
        if isinstance(child, _StyleSheet):
            child.take()
            return
    widget.setStyleSheet(rules)


def _within(scale: float) -> float:
    return min(max(scale, _SMALLEST), _LARGEST) if math.isfinite(scale) else 1.0
