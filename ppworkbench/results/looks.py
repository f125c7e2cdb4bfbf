"""How marks look, in the window, on pages and in print: all of it comes from one token file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from ppworkbench.core.files import resource
from ppworkbench.results.picture import Role

_TOKENS = {Role.ESTIMATE: "reconstructed", Role.REPORTED: "distorted", Role.TRUE: "original"}
"""What the tokens call the roles."""


@cache
def tokens() -> Mapping[str, Any]:
    """Colours and sizes by name."""
    found: Mapping[str, Any] = json.loads(resource("ui", "tokens.json").read_text(encoding="utf-8"))
    return found


def role_colours(role: str, theme: str = "light") -> Mapping[str, str]:
    """Fill, tint, line and text of original, distorted or reconstructed answers."""
    colours: Mapping[str, str] = tokens()["data"][theme][role]
    return colours


def theme_colour(name: str, theme: str = "light") -> str:
    """A colour of text, surface and the like.

    >>> theme_colour("accent")
    '#5B3FB5'
    """
    return str(tokens()["colour"][theme][name])


@dataclass(frozen=True)
class Look:
    """Colours and patterns of a mark; ``dash`` are lengths of strokes and gaps, none if solid."""

    line: str
    fill: str
    text: str
    is_hatched: bool = False
    marker: str = "circle"
    dash: tuple[float, ...] = ()
    theme: str = "light"


def look_of(role: Role, place: int = 0, theme: str = "light") -> Look:
    """The look of a role; of a series, that of its place among the series.

    >>> look_of(Role.REPORTED).is_hatched, look_of(Role.SERIES, 1).marker
    (True, 'square')
    """
    if role is Role.REFERENCE:
        colour = theme_colour("axis", theme)
        return Look(colour, theme_colour("surface", theme), colour, dash=(4, 3), theme=theme)
    if role is Role.SERIES:
        series = tokens()["data"]["series"]
        colour = str(series[theme][place % len(series[theme])])
        marker = str(series["markers"][place % len(series["markers"])])
        return Look(colour, colour, colour, marker=marker, theme=theme)
    colours = role_colours(_TOKENS[role], theme)
    fill = colours["fill" if role is Role.TRUE else "tint"]
    marker = {Role.REPORTED: "square", Role.TRUE: "diamond"}.get(role, "circle")
    dash = tuple(map(float, tokens()["data"]["style"][_TOKENS[role]]["dash"]))
    is_hatched = role is Role.REPORTED
    return Look(colours["line"], fill, colours["text"], is_hatched, marker, dash, theme)
