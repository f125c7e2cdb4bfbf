"""One theme, light or dark."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from PySide6.QtGui import QColor, QFont
from PySide6.QtWidgets import QApplication

from ppworkbench.gui.theme.tokens import Tokens

_LEAST_PROJECTED = 18
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
