"""Colours, type, icons and style sheets of the window.

The one style sheet of the application: ``resources/ui/window.qss`` in the colours of a theme.

Widgets ask for a look by dynamic properties: ``look`` = primary, secondary, quiet, link; ``type`` =
title, subtitle, strong, caption, number, display, hint.
"""

from __future__ import annotations

import atexit
import hashlib
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from string import Template
from typing import Any

from PySide6.QtCore import QByteArray, QEvent, QObject, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QFontDatabase,
    QGuiApplication,
    QIcon,
    QPaintDevice,
    QPainter,
    QPalette,
    QPen,
    QPixmap,
)
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication, QWidget

from ppworkbench.core.files import (
    icons_folder,
    make_temporary_folder,
    remove_temporary_folder,
    resource,
)
from ppworkbench.results.looks import tokens

_LEAST_PROJECTED = 18
_DARKER = {"text3": "text2", "axis": "text2"}


@dataclass(frozen=True)
class Role:
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
    scale: float = 1.0
    projected: bool = False

    @property
    def is_dark(self) -> bool:
        return self.name == "dark"

    def hex(self, name: str) -> str:
        return str(self._value(name))[:7]

    def _value(self, name: str) -> str:
        seen = _DARKER.get(name, name) if self.projected else name
        return str(tokens()["colour"][self.name][seen])

    def colour(self, name: str) -> QColor:
        if name not in self._colours:
            value = self._value(name)
            opaque_first = f"#{value[7:9]}{value[1:7]}" if len(value) == 9 else value
            self._colours[name] = QColor(opaque_first)
        return self._colours[name]

    @cached_property
    def _roles(self) -> dict[str, Role]:
        colours = tokens()["data"][self.name]
        styles = tokens()["data"]["style"]
        return {
            name: Role(
                name,
                QColor(c["fill"]),
                QColor(c["tint"]),
                QColor(c["line"]),
                QColor(c["text"]),
                tuple(styles[name]["dash"]),
            )
            for name, c in colours.items()
        }

    def role(self, name: str) -> Role:
        return self._roles[name]

    @cached_property
    def series(self) -> tuple[QColor, ...]:
        return tuple(QColor(c) for c in tokens()["data"]["series"][self.name])

    @cached_property
    def heat(self) -> tuple[QColor, ...]:
        """The ramp of probabilities from just above 0 to 1."""
        return tuple(QColor(c) for c in tokens()["data"]["heat"][self.name])

    def heat_colour(self, probability: float) -> QColor:
        """The colour of a probability; exactly 0 is not on the ramp."""
        if probability <= 0:
            return QColor(tokens()["data"]["heat"]["zero"][self.name])
        position = min(probability, 1.0) * (len(self.heat) - 1)
        low = min(int(position), len(self.heat) - 2)
        return between(self.heat[low], self.heat[low + 1], position - low)

    def font(self, style: str = "body", weight: str = "regular") -> QFont:
        """A font of the type scale; painting asks for one hundreds of times a frame."""
        key = style, weight
        if key not in self._fonts:
            font = QFont(QApplication.font())
            # Readings are captions, too, but no part of a plot.
            of = "caption" if style == "reading" else style
            size = round(_font_size(of) * self.scale)
            raised = self.projected and style != "reading"
            font.setPixelSize(max(size, _LEAST_PROJECTED) if raised else size)
            font.setWeight(QFont.Weight(tokens()["font"]["weight"][weight]))
            self._fonts[key] = font
        return self._fonts[key]

    @cached_property
    def _fonts(self) -> dict[tuple[str, str], QFont]:
        return {}

    @cached_property
    def _colours(self) -> dict[str, QColor]:
        return {}

    def length(self, name: str) -> int:
        """A length of the token file, such as the width of the rail."""
        return self.px(tokens()["size"][name])

    def px(self, length: float) -> int:
        return round(length * self.scale)

    def stroke(self, width: float) -> float:
        return 1.5 * width if self.projected else width


def _font_size(style: str) -> float:
    """A type size in pixels of a theme that is not enlarged."""
    return float(tokens()["font"]["size"][style])


def between(first: QColor, second: QColor, share: float) -> QColor:
    """A colour so far on the way from one to another."""
    # Tuples, which the stubs do not say.
    start: Any = first.getRgb()
    end: Any = second.getRgb()
    return QColor(*(round(a + (b - a) * share) for a, b in zip(start[:3], end[:3], strict=True)))


_FONTS = ("Inter", "Segoe UI Variable Text", "Segoe UI", "SF Pro Text", "Noto Sans", "DejaVu Sans")
_WIDE = {"DejaVu Sans": 90}
"""Families that need more room than the others are drawn narrower, in percent."""


def interface_font(theme: Theme) -> QFont:
    families = set(QFontDatabase.families())
    font = QFont(QApplication.font())
    chosen = next((family for family in _FONTS if family in families), None)
    if chosen is not None:
        font.setFamily(chosen)
        font.setStretch(_WIDE.get(chosen, QFont.Stretch.Unstretched))
    font.setPixelSize(round(_font_size("body") * theme.scale))
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    return font


def palette(theme: Theme) -> QPalette:
    """The colours of whatever no style sheet is about."""
    roles = QPalette.ColorRole
    made = QPalette()
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
        made.setColor(role, theme.colour(name))
    disabled = QPalette.ColorGroup.Disabled
    for role in (roles.WindowText, roles.Text, roles.ButtonText):
        made.setColor(disabled, role, theme.colour("textDisabled"))
    made.setColor(disabled, roles.Highlight, theme.colour("border"))
    return made


_NAMES = (
    "window", "surface", "sunken", "hover", "border", "outline", "text", "text2", "text3",
    "textDisabled", "accent", "accentHover", "accentText", "accentTint", "accentLine", "accentInk",
    "focus", "warningBg", "warningLine", "warningText", "errorBg", "errorLine", "errorText",
    "infoBg", "infoLine", "infoText", "good", "bad",
)  # fmt: skip


def style_sheet(theme: Theme) -> str:
    from ppworkbench.gui.theme import icon_file

    colours = {name: theme.hex(name) for name in _NAMES}
    sizes = {
        style: round(_font_size(style) * theme.scale)
        for style in ("caption", "title", "subtitle", "number", "display")
    }
    control = theme.length("control") - 2
    template = Template(resource("ui", "window.qss").read_text(encoding="utf-8"))
    return template.substitute(
        colours,
        **sizes,
        control=control,
        controlInner=control,
        compact=theme.px(22),
        tick=theme.px(16),
        tickFocused=theme.px(16) - 2,
        tickRound=theme.px(16) // 2 + 1,
        spin=theme.px(18),
        arrow=theme.px(10),
        icon_up=icon_file("chevron-up", theme.colour("text2")),
        icon_down=icon_file("chevron-down", theme.colour("text2")),
        icon_check=icon_file("check", theme.colour("accentText")),
        icon_dot=icon_file("dot", theme.colour("accent")),
    )


CHOICES = ("system", "light", "dark")
_SMALLEST, _LARGEST = 0.8, 2.0
_PROJECTED = 1.4
"""How much larger type is where it is projected."""
_LIGHT_WALL, _OWN_THEME = "light", "own"
"""Which theme is projected: the light one, or what the user chose since."""
_RULES = "ownRules"
"""The property that holds the rules that a widget has of its own."""


class _Follower(QObject):
    """Belongs to its owner, so that it hears of no theme after the owner is gone."""

    def __init__(self, owner: QObject, slot: Callable[[], object]) -> None:
        super().__init__(owner)
        self._slot = slot

    def call(self) -> None:
        self._slot()


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
        within = _within(scale)
        if within != self._scale:
            self._scale = within
            self.apply()

    @property
    def scale(self) -> float:
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

    def follow(self, *slots: Callable[[], object], owner: QObject | None = None) -> None:
        """Call methods now and after every change of the theme.

        Functions are called as long as their owner is there, methods as long as their object.
        """
        for slot in slots:
            self.theme_changed.connect(slot if owner is None else _Follower(owner, slot).call)
            slot()

    def follow_size(self, widget: QWidget, points: float = 0.0) -> None:
        """Write a widget in the type of captions, or in one of so many pixels at normal text."""

        def fit() -> None:
            theme = self.theme
            size = theme.px(points) if points else theme.font("caption").pixelSize()
            set_rules(widget, f"font-size: {size}px;")

        self.follow(fit, owner=widget)

    def apply_theme(self, widget: QWidget) -> None:
        """Give a page, a part of the window or a dialog the style sheet, now and after changes.

        One sheet for the whole application would be looked up for all of its two thousand widgets
        at a stroke (2.6 s), and for every widget that is put into another.
        """
        _StyleSheet(widget, self)

    @property
    def sheet(self) -> str:
        if not self._sheet:
            self._sheet = style_sheet(self.theme)
        return self._sheet

    def _make(self) -> Theme:
        name = "light" if self._projector == _LIGHT_WALL else self._choice
        if name == "system":
            dark = QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark
            name = "dark" if dark else "light"
        if self._projector:
            return Theme(name, self._scale * _PROJECTED, projected=True)
        return Theme(name, self._scale)

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


def contrast(fill: QColor) -> QColor:
    """Pure black or white, whichever stands out more."""

    def linear(part: float) -> float:
        return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(part) for part in (fill.redF(), fill.greenF(), fill.blueF()))
    luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    return QColor("#000000") if luminance > 0.179 else QColor("#FFFFFF")


def clear_pixmap(size: QSize, ratio: float) -> QPixmap:
    """An empty picture of a size in pixels of the window, as sharp as the screen."""
    made = QPixmap(size * ratio)
    made.setDevicePixelRatio(ratio)
    made.fill(Qt.GlobalColor.transparent)
    return made


def smooth_painter(device: QPaintDevice) -> QPainter:
    painter = QPainter(device)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    return painter


def set_fill(painter: QPainter, brush: QBrush | QColor) -> None:
    """Draw areas without an edge from now on."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(brush)


def set_outline(painter: QPainter, pen: QPen | QColor) -> None:
    """Draw edges of nothing from now on."""
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)


_icon_files: Path | None = None
_SIZE_WITHOUT_FILES = 48


@cache
def _icon_source(name: str) -> str:
    return (icons_folder() / f"{name}.svg").read_text(encoding="utf-8")


def coloured_svg(name: str, colour: QColor) -> bytes:
    """The icon's SVG with every ``currentColor`` replaced."""
    return _icon_source(name).replace("currentColor", colour.name()).encode()


def icon(name: str, colour: QColor, disabled: QColor | None = None) -> QIcon:
    return _icon(name, colour.name(), (disabled or colour).name())


@cache
def _icon(name: str, colour: str, disabled: str) -> QIcon:
    # Qt draws the file at whatever size and scale is asked for, so that it is always sharp. An
    # engine in Python would be deleted under Qt's hands when Qt clones it.
    made = QIcon()
    for mode, shade in ((QIcon.Mode.Normal, colour), (QIcon.Mode.Disabled, disabled)):
        file = icon_file(name, QColor(shade))
        if file:
            made.addFile(file, QSize(), mode)
        else:
            made.addPixmap(pixmap(name, QColor(shade), _SIZE_WITHOUT_FILES), mode)
    return made


def pixmap(name: str, colour: QColor, size: int, ratio: float = 1.0) -> QPixmap:
    made = QPixmap(round(size * ratio), round(size * ratio))
    made.setDevicePixelRatio(ratio)
    made.fill(Qt.GlobalColor.transparent)
    painter = QPainter(made)
    QSvgRenderer(QByteArray(coloured_svg(name, colour))).render(painter, QRectF(0, 0, size, size))
    painter.end()
    return made


def icon_file(name: str, colour: QColor) -> str:
    """A coloured icon as a file, because style sheets take nothing else; empty on a full disk."""
    global _icon_files  # noqa: PLW0603 (one temporary folder for the life of the program)
    svg = coloured_svg(name, colour)
    digest = hashlib.sha256(svg).hexdigest()[:12]
    try:
        if _icon_files is None:
            _icon_files = make_temporary_folder()
            atexit.register(remove_temporary_folder, _icon_files)
        path = _icon_files / f"{name}-{digest}.svg"
        if not path.exists() or path.stat().st_size != len(svg):
            path.write_bytes(svg)
    except OSError:
        return ""
    return path.as_posix()
