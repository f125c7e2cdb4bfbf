"""Words that change with every frame of a drag, without anything else moving."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from ppworkbench.gui.widgets.layouts import text


class LiveLabel(QWidget):
    """A wrapping label in a room of so many lines that is kept free for it.

    A label asks the whole window to be laid out again whenever its text changes. This one is held
    by no layout, so that the request ends here.
    """

    def __init__(self, lines: int, kind: str = "body") -> None:
        super().__init__()
        self._lines = lines
        self.label: QLabel = text("", kind, wrap=True)
        self.label.setParent(self)
        self.label.setAlignment(Qt.AlignmentFlag.AlignVCenter)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_text(self, content: str) -> None:
        """Show other words."""
        if content != self.label.text():
            self.label.setText(content)
            if self.label.heightForWidth(self.width()) > self.height():
                self.updateGeometry()

    def text(self) -> str:
        """The words that are shown."""
        return self.label.text()

    def sizeHint(self) -> QSize:  # noqa: N802
        """The room for the lines, or for more of them if the words need it."""
        needed = self.label.heightForWidth(self.width()) if self.width() > 60 else 0
        # A line of rich text may be a pixel higher than the type says.
        return QSize(120, max(self._lines * (self.label.fontMetrics().height() + 1), needed))

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """No less than the words need."""
        return QSize(60, self.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Give the label the whole room."""
        self.label.setGeometry(self.rect())
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()
