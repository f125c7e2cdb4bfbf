"""A label that ends with dots where there is no room, and tells the rest in its tooltip."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy


class ElidedLabel(QLabel):
    """One line of a type style of the style sheet.

    It takes whatever width it is given; one that ``hugs`` its words asks for no more than these.
    """

    def __init__(self, kind: str = "body", words: str = "", *, hugs: bool = False) -> None:
        super().__init__()
        self._words = ""
        self._hugs = hugs
        self.setProperty("type", kind)
        across = QSizePolicy.Policy.Preferred if hugs else QSizePolicy.Policy.Ignored
        self.setSizePolicy(across, QSizePolicy.Policy.Preferred)
        self.setText(words)

    def setText(self, words: str) -> None:  # noqa: N802
        """Show other words."""
        if words == self._words:
            return
        self._words = words
        self.setAccessibleName(words)
        if self._hugs:
            self.updateGeometry()
        self._fit()

    def words(self) -> str:
        """All of the words, shown or not."""
        return self._words

    def sizeHint(self) -> QSize:  # noqa: N802
        """All of the words."""
        wanted = super().sizeHint()
        if self._hugs:
            margins = self.contentsMargins()
            words = self.fontMetrics().horizontalAdvance(self._words)
            wanted.setWidth(words + margins.left() + margins.right() + 1)
        return wanted

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """A few letters, or all of them where they are fewer."""
        least = QSize(40, super().minimumSizeHint().height())
        return least.boundedTo(self.sizeHint()) if self._hugs else least

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Show as much as fits."""
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Measure other type."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit()

    def _fit(self) -> None:
        shown = self.fontMetrics().elidedText(
            self._words, Qt.TextElideMode.ElideRight, max(self.contentsRect().width(), 16)
        )
        self.setToolTip("" if shown == self._words else self._words)
        if shown != self.text():
            super().setText(shown)
