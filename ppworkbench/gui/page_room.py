"""Room for pages: one that needs more than the window has can be scrolled."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QStackedWidget, QWidget


class PageStack(QStackedWidget):
    """Asks for the room of the page in front; a plain stack asks for that of its largest page."""

    only_holds = True

    def __init__(self) -> None:
        super().__init__()
        self.currentChanged.connect(self.updateGeometry)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """As small as the page in front can be."""
        shown = self.currentWidget()
        return QSize() if shown is None else _smallest(shown)

    def sizeHint(self) -> QSize:  # noqa: N802
        """As large as the page in front would like to be."""
        shown = self.currentWidget()
        return QSize() if shown is None else shown.sizeHint()


class PageRoom(QScrollArea):
    """Pages fit their columns to the room; scroll bars appear only where text was enlarged so much,
    or the window made so small, that the columns cannot get any narrower.
    """

    only_holds = True

    def __init__(self, stack: PageStack) -> None:
        super().__init__()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidgetResizable(True)
        self.setWidget(stack)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """Never a reason for the window to grow."""
        return QSize(0, 0)


def _smallest(widget: QWidget) -> QSize:
    return widget.minimumSizeHint().expandedTo(widget.minimumSize())
