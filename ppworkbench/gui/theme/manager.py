"""The object that switches between themes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QDialog, QWidget
from shiboken6 import isValid

from ppworkbench.gui.theme.application_look import interface_font, palette
from ppworkbench.gui.theme.dialog_buttons import tidy_buttons
from ppworkbench.gui.theme.islands import dress_island, is_bare, islands
from ppworkbench.gui.theme.listeners import Listeners, is_in
from ppworkbench.gui.theme.pieces import Pieces
from ppworkbench.gui.theme.style_sheet import style_sheet
from ppworkbench.gui.theme.theme import Theme
from ppworkbench.gui.theme.tokens import load_tokens

CHOICES = ("system", "light", "dark")
_SMALLEST, _LARGEST = 0.8, 2.0
_PROJECTED = 1.4
"""How much larger type is where it is projected."""
_LIGHT_WALL, _OWN_THEME = "light", "own"
"""Which theme is projected: the light one, or what the user chose since."""


class ThemeManager(QObject):
    """Applies a theme to the application and tells everybody who paints by hand.

    With ``in_pieces`` that is done in pieces too short to be noticed, what is seen first.
    """

    def __init__(
        self, choice: str = "system", scale: float = 1.0, *, in_pieces: bool = False
    ) -> None:
        super().__init__()
        self.theme_changed = Listeners()
        self._pieces = Pieces(self) if in_pieces else None
        self._choice = choice if choice in CHOICES else CHOICES[0]
        self._scale = min(max(scale, _SMALLEST), _LARGEST)
        self._windows: list[QWidget] = []
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
        within = min(max(scale, _SMALLEST), _LARGEST)
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
        if self._pieces is not None and self._windows:
            self._pieces.begin(self._windows, self._parts(), self._sheet, self.theme_changed)
            return
        for part in self._parts():
            dress_island(part, self._sheet)
        self.theme_changed.emit()

    @property
    def is_settled(self) -> bool:
        """Whether everything has the look of the theme."""
        return self._pieces is None or self._pieces.is_over

    def afterwards(self, do: Callable[[], None]) -> None:
        """Do something once everything has the look of the theme."""
        if self._pieces is None or self._pieces.is_over:
            do()
        else:
            self._pieces.afterwards(do)

    def hurry(self, widget: QWidget) -> None:
        """Let a widget have the look of the theme at once, if it is still waiting for it."""
        if self._pieces is not None:
            self._pieces.hurry(widget)

    def forget(self, widget: QWidget) -> None:
        """Tell a widget that is about to go, and all that is in it, nothing any more."""
        self.theme_changed.forget(widget)
        self._windows = [one for one in self._windows if not is_in(one, widget)]
        if self._pieces is not None:
            self._pieces.drop(widget)

    def dress(self, window: QWidget) -> None:
        """Give a window, or what is going to be in one, the look of the theme.

        A style sheet of the application would do the same, but then Qt looks at every widget
        again whenever it is put into another while a page is being built.
        """
        for _ in self.dress_parts(window):
            pass

    def dress_parts(self, window: QWidget) -> Iterator[None]:
        """The same, one part at a time."""
        if not any(known is window or known.isAncestorOf(window) for known in self._windows):
            self._windows.append(window)
            window.destroyed.connect(self._on_window_destroyed)
        if isinstance(window, QDialog):
            tidy_buttons(window)
        for part in tuple(islands(window)):
            if isValid(part):
                dress_island(part, self.sheet)
                yield

    def dress_child(self, child: QObject) -> None:
        """Dress what came late to a parent that has no look to pass on: a dialog, a menu."""
        if isinstance(child, QWidget) and is_bare(child):
            self.dress(child)

    @property
    def sheet(self) -> str:
        """The style sheet of the theme."""
        if not self._sheet:
            self._sheet = style_sheet(self.theme)
        return self._sheet

    def _parts(self) -> list[QWidget]:
        found = {id(part): part for window in self._windows for part in islands(window)}
        return list(found.values())

    def _on_window_destroyed(self) -> None:
        self._windows = [window for window in self._windows if isValid(window)]

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
