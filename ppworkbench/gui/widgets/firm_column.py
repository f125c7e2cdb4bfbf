"""A vertical layout that keeps its wishes to itself."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout


class FirmColumn(QVBoxLayout):
    """A vertical layout that may shrink to its smallest height inside of a scroll area.

    A scroll area gives a widget with wrapping labels the height it would like to have; this layout
    hides from it that there are any.
    """

    def hasHeightForWidth(self) -> bool:  # noqa: N802
        """Never, as far as anybody outside is told."""
        return False
