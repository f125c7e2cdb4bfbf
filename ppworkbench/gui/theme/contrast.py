"""Ink that can be read on any colour."""

from __future__ import annotations

from PySide6.QtGui import QColor


def contrast(fill: QColor) -> QColor:
    """Pure black or white, whichever stands out more."""

    def linear(part: float) -> float:
        return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(part) for part in (fill.redF(), fill.greenF(), fill.blueF()))
    luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    return QColor("#000000") if luminance > 0.179 else QColor("#FFFFFF")
