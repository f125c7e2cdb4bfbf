"""The colours of the interface for pages: the same tokens that the window is painted with."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from ppworkbench.core.resources import resource

ROLES = ("original", "distorted", "reconstructed")


@cache
def _tokens() -> Mapping[str, Any]:
    tokens: Mapping[str, Any] = json.loads(
        resource("ui", "tokens.json").read_text(encoding="utf-8")
    )
    return tokens


def role_colours(role: str, theme: str = "light") -> Mapping[str, str]:
    """Fill, tint, line and text of original, distorted or reconstructed answers."""
    colours: Mapping[str, str] = _tokens()["data"][theme][role]
    return colours


def css_variables(*, dark: bool = True) -> str:
    """All colours as CSS variables; with ``dark``, those of the dark theme where it is wanted.

    >>> "--accent: #5B3FB5;" in css_variables()
    True
    """
    light = f":root {{\n{_variables('light')}}}\n"
    if not dark:
        return light
    return f"{light}@media (prefers-color-scheme: dark) {{\n:root {{\n{_variables('dark')}}}\n}}\n"


def _variables(theme: str) -> str:
    tokens = _tokens()
    named = dict(tokens["colour"][theme])
    for role in ROLES:
        named |= {f"{role}-{part}": value for part, value in role_colours(role, theme).items()}
    return "".join(f"  --{name}: {value};\n" for name, value in named.items())
