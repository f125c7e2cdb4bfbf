"""What of a theme holds for the whole application: the font and the palette."""

from __future__ import annotations

from PySide6.QtGui import QFont, QFontDatabase, QPalette
from PySide6.QtWidgets import QApplication

from ppworkbench.gui.theme.theme import Theme

_FONTS = ("Inter", "Segoe UI Variable Text", "Segoe UI", "SF Pro Text", "Noto Sans", "DejaVu Sans")
_WIDE = {"DejaVu Sans": 90}
"""Families that need more room than the others are drawn narrower, in percent."""


def interface_font(theme: Theme) -> QFont:
    """The font of all text that has no other."""
    families = set(QFontDatabase.families())
    font = QFont(QApplication.font())
    chosen = next((family for family in _FONTS if family in families), None)
    if chosen is not None:
        font.setFamily(chosen)
        font.setStretch(_WIDE.get(chosen, QFont.Stretch.Unstretched))
    font.setPixelSize(round(theme.tokens.font_size("body") * theme.scale))
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
