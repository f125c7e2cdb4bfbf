"""A field for a whole number."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSpinBox


class CountBox(QSpinBox):
    """Tells a number when it is complete, not digit by digit."""

    def __init__(self, name: str, words: str, low: int = 0, high: int = 99) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setAccessibleName(words)
        self.setRange(low, high)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setKeyboardTracking(False)
