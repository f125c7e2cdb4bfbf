"""A tick box whose words end with dots where there is no room, and are told by its tooltip."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QCheckBox, QSizePolicy, QStyle, QStyleOptionButton


class ElidedCheck(QCheckBox):
    """Takes whatever width it is given; ``explanation`` follows the words in the tooltip."""

    def __init__(self, words: str, explanation: str = "") -> None:
        super().__init__()
        self._words = words
        self.setAccessibleName(words)
        self.setToolTip(words if explanation in ("", words) else f"{words}: {explanation}")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._fit()

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """The box and a few letters."""
        return QSize(60, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Show as much as fits."""
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Measure other type."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit()

    def _fit(self) -> None:
        option = QStyleOptionButton()
        self.initStyleOption(option)
        part = QStyle.SubElement.SE_CheckBoxContents
        room = self.style().subElementRect(part, option, self).width()
        right = Qt.TextElideMode.ElideRight
        shown = self.fontMetrics().elidedText(self._words, right, max(room, 16))
        if shown != self.text():
            self.setText(shown)
