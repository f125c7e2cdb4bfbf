"""One theme, light or dark, and the object that switches between them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from ppworkbench.gui.theme.islands import dress_island, is_bare, islands
from ppworkbench.gui.theme.listeners import Listeners, is_in
from ppworkbench.gui.theme.pieces import Pieces
from ppworkbench.gui.theme.style_sheet import style_sheet
from ppworkbench.gui.theme.tokens import Tokens, load_tokens

FONTS = ("Inter", "Segoe UI Variable Text", "Segoe UI", "SF Pro Text", "Noto Sans", "DejaVu Sans")

CHOICES = ("system", "light", "dark")
_SMALLEST, _LARGEST = 0.8, 2.0
_PROJECTED = 1.4
"""How much larger type is where it is projected."""
_LEAST_PROJECTED = 18
_LIGHT_WALL, _OWN_THEME = "light", "own"
"""Which theme is projected: the light one, or what the user chose since."""
_DARKER = {"text3": "text2", "axis": "text2"}


@dataclass(frozen=True)
class Role:
    """The colours of original, distorted or reconstructed answers."""

    name: str
    fill: QColor
    tint: QColor
    line: QColor
    text: QColor
    dash: tuple[float, ...]


@dataclass(frozen=True)
class Theme:
    """All colours of one scheme. ``scale`` enlarges type for a classroom.

    A projector washes out pale text and thin lines: where one is ``projected`` to, hints are as
    dark as readings, lines are half as thick again, and plots have no text below 18 pixels.
    """

    name: str
    tokens: Tokens
    scale: float = 1.0
    projected: bool = False

    @property
    def is_dark(self) -> bool:
        """Whether text is light on dark."""
        return self.name == "dark"

    def hex(self, name: str) -> str:
        """A chrome colour as text, for style sheets."""
        return str(self._value(name))[:7]

    def _value(self, name: str) -> str:
        seen = _DARKER.get(name, name) if self.projected else name
        return str(self.tokens.raw["colour"][self.name][seen])

    def colour(self, name: str) -> QColor:
        """A chrome colour."""
        if name not in self._colours:
            value = self._value(name)
            opaque_first = f"#{value[7:9]}{value[1:7]}" if len(value) == 9 else value
            self._colours[name] = QColor(opaque_first)
        return self._colours[name]

    @cached_property
    def _roles(self) -> dict[str, Role]:
        colours = self.tokens.raw["data"][self.name]
        styles = self.tokens.raw["data"]["style"]
        return {
            name: Role(
                name,
                *(QColor(c[key]) for key in ("fill", "tint", "line", "text")),
                dash=tuple(styles[name]["dash"]),
            )
            for name, c in colours.items()
        }

    def role(self, name: str) -> Role:
        """The colours of ``original``, ``distorted`` or ``reconstructed``."""
        return self._roles[name]

    @cached_property
    def series(self) -> tuple[QColor, ...]:
        """Colours of algorithms, in order."""
        return tuple(QColor(c) for c in self.tokens.raw["data"]["series"][self.name])

    @cached_property
    def heat(self) -> tuple[QColor, ...]:
        """The ramp of probabilities from just above 0 to 1."""
        return tuple(QColor(c) for c in self.tokens.raw["data"]["heat"][self.name])

    def heat_colour(self, probability: float) -> QColor:
        """The colour of a probability; exactly 0 is not on the ramp."""
        if probability <= 0:
            return QColor(self.tokens.raw["data"]["heat"]["zero"][self.name])
        position = min(probability, 1.0) * (len(self.heat) - 1)
        low = min(int(position), len(self.heat) - 2)
        return _between(self.heat[low], self.heat[low + 1], position - low)

    def font(self, style: str = "body", weight: str = "regular") -> QFont:
        """A font of the type scale; painting asks for one hundreds of times a frame."""
        key = style, weight
        if key not in self._fonts:
            font = QFont(QApplication.font())
            # Readings are captions, too, but no part of a plot.
            of = "caption" if style == "reading" else style
            size = round(self.tokens.font_size(of) * self.scale)
            raised = self.projected and style != "reading"
            font.setPixelSize(max(size, _LEAST_PROJECTED) if raised else size)
            font.setWeight(QFont.Weight(self.tokens.weight(weight)))
            self._fonts[key] = font
        return self._fonts[key]

    @cached_property
    def _fonts(self) -> dict[tuple[str, str], QFont]:
        return {}

    @cached_property
    def _colours(self) -> dict[str, QColor]:
        return {}

    def px(self, length: float) -> int:
        """A length that grows with the type."""
        return round(length * self.scale)

    def stroke(self, width: float) -> float:
        """How thick a line of data is."""
        return 1.5 * width if self.projected else width


def _between(first: QColor, second: QColor, share: float) -> QColor:
    parts: list[Any] = [
        round(a + (b - a) * share)
        for a, b in zip(first.getRgb()[:3], second.getRgb()[:3], strict=True)
    ]
    return QColor(*parts)


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
        app.setFont(_interface_font(self.theme))
        app.setPalette(_palette(self.theme))
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


def _interface_font(theme: Theme) -> QFont:
    families = set(QFontDatabase.families())
    font = QFont(QApplication.font())
    chosen = next((family for family in FONTS if family in families), None)
    if chosen is not None:
        font.setFamily(chosen)
    font.setPixelSize(round(theme.tokens.font_size("body") * theme.scale))
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    return font


def _palette(theme: Theme) -> QPalette:
    roles = QPalette.ColorRole
    palette = QPalette()
    for role, name in {
        roles.Window: "window",
        roles.WindowText: "text",
        roles.Base: "surface",
        roles.AlternateBase: "sunken",
        roles.ToolTipBase: "text",
        roles.ToolTipText: "surface",
        roles.Text: "text",
        roles.PlaceholderText: "text3",
        roles.Button: "surface",
        roles.ButtonText: "text",
        roles.BrightText: "errorText",
        roles.Highlight: "accent",
        roles.HighlightedText: "accentText",
        roles.Link: "accentInk",
        roles.LinkVisited: "accentInk",
        roles.Light: "surface",
        roles.Midlight: "hover",
        roles.Mid: "border",
        roles.Dark: "outline",
        roles.Shadow: "text3",
        roles.Accent: "accent",
    }.items():
        palette.setColor(role, theme.colour(name))
    disabled = QPalette.ColorGroup.Disabled
    for role in (roles.WindowText, roles.Text, roles.ButtonText):
        palette.setColor(disabled, role, theme.colour("textDisabled"))
    palette.setColor(disabled, roles.Highlight, theme.colour("border"))
    return palette
