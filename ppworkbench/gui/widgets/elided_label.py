"""A label that ends with dots where there is no room, and tells the rest in its tooltip."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy


class ElidedLabel(QLabel):
    """One line of a type style of the style sheet."""

    def __init__(self, kind: str = "body") -> None:
        super().__init__()
        self._words = ""
        self.setProperty("type", kind)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def setText(self, words: str) -> None:  # noqa: N802
        """Show other words."""
        self._words = words
        self.setAccessibleName(words)
        self._fit()

    def words(self) -> str:
        """All of the words, shown or not."""
        return self._words

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """A few letters."""
        return QSize(40, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Show as much as fits."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        shown = self.fontMetrics().elidedText(
            self._words, Qt.TextElideMode.ElideRight, max(self.contentsRect().width(), 16)
        )
        self.setToolTip("" if shown == self._words else self._words)
        if shown != self.text():
            super().setText(shown)
