"""Text that somebody has made larger than usual: it may need more lines and folded columns."""

from __future__ import annotations

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

NORMAL = 13
"""The size of normal text in pixels."""


def enlargement(widget: QWidget) -> float:
    """How many times as large as usual text is; 1 if it is usual or smaller."""
    return max(widget.fontInfo().pixelSize() / NORMAL, 1.0)


def is_enlarged(widget: QWidget) -> bool:
    """Whether text is larger than usual."""
    return enlargement(widget) > 1


def ask_anew_if_enlarged(widget: QWidget, event: QResizeEvent) -> None:
    """Let a widget ask for another height when its enlarged text breaks lines elsewhere."""
    if is_enlarged(widget) and event.size().width() != event.oldSize().width():
        widget.updateGeometry()
