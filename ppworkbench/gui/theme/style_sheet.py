"""The one style sheet of the application: ``resources/ui/window.qss`` in the colours of a theme.

Widgets ask for a look by dynamic properties: ``look`` = primary, secondary, quiet, link; ``type`` =
title, subtitle, strong, caption, number, display, hint.
"""

from __future__ import annotations

from string import Template
from typing import TYPE_CHECKING

from ppworkbench.core.resources import resource

if TYPE_CHECKING:
    from ppworkbench.gui.theme.theme import Theme

_NAMES = (
    "window", "surface", "sunken", "hover", "border", "outline", "text", "text2", "text3",
    "textDisabled", "accent", "accentHover", "accentText", "accentTint", "accentLine", "accentInk",
    "focus", "warningBg", "warningLine", "warningText", "errorBg", "errorLine", "errorText",
    "infoBg", "infoLine", "infoText", "good", "bad",
)  # fmt: skip


def style_sheet(theme: Theme) -> str:
    """The style sheet of a theme."""
    from ppworkbench.gui.theme.icons import icon_file

    colours = {name: theme.hex(name) for name in _NAMES}
    sizes = {
        style: round(theme.tokens.font_size(style) * theme.scale)
        for style in ("caption", "title", "subtitle", "number", "display")
    }
    control = theme.px(theme.tokens.size("control")) - 2
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
