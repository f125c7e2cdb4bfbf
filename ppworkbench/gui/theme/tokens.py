"""The design tokens as they stand in ``resources/ui/tokens.json``."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import Any

from ppworkbench.core.resources import resource


@dataclass(frozen=True)
class Tokens:
    """The parsed token file with names for what is used most."""

    raw: dict[str, Any]

    def space(self, step: int) -> int:
        """A distance of the 4-8-12-16-24-32 scale."""
        return int(self.raw["space"][str(step)])

    def size(self, name: str) -> int:
        """A fixed length, such as the rail's width."""
        return int(self.raw["size"][name])

    def radius(self, name: str) -> int:
        """A corner radius."""
        return int(self.raw["radius"][name])

    def font_size(self, style: str) -> float:
        """A type size in logical pixels at the base of 13."""
        return float(self.raw["font"]["size"][style])

    def weight(self, name: str) -> int:
        """A type weight."""
        return int(self.raw["font"]["weight"][name])


@cache
def load_tokens() -> Tokens:
    """Read the token file once."""
    return Tokens(json.loads(resource("ui", "tokens.json").read_text(encoding="utf-8")))
