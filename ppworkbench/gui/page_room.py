"""Room for pages: one that needs more than the window has can be scrolled."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QStackedWidget, QWidget

from ppworkbench.gui.widgets.enlarged import ask_anew_if_enlarged, is_enlarged
from ppworkbench.gui.widgets.firm_column import FirmColumn
from ppworkbench.gui.widgets.measured import measured
from ppworkbench.gui.widgets.wanted_height import least_height


class PageStack(QStackedWidget):
    """Asks for the room of the page in front; a plain stack asks for that of its largest page."""

    gives_way = True
    """Whether all can be lower than it asks, as columns scroll; only enlarged text cannot."""

    def __init__(self) -> None:
        super().__init__()
        self.currentChanged.connect(self.updateGeometry)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Ask for other room when the type changes."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.updateGeometry()

    @measured
    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """As small as the page in front can be."""
        shown = self.currentWidget()
        if shown is None:
            return QSize()
        least = _smallest(shown)
        if is_enlarged(self) or not self.gives_way:
            least.setHeight(least_height(shown, self.width()))
        else:
            least.setHeight(0)
        return least

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Ask for other room when enlarged text goes on in other lines."""
        super().resizeEvent(event)
        ask_anew_if_enlarged(self, event)

    def hasHeightForWidth(self) -> bool:  # noqa: N802
        """Never: a plain stack asks all of its pages, which measures those that nobody sees."""
        return False

    @measured
    def sizeHint(self) -> QSize:  # noqa: N802
        """As large as the page in front would like to be."""
        shown = self.currentWidget()
        return QSize() if shown is None else shown.sizeHint()


class _Holder(QWidget):
    """Keeps from the area that a page would like to be higher than it has to be."""

    def __init__(self, stack: PageStack) -> None:
        super().__init__()
        layout = FirmColumn(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(stack)


class PageRoom(QScrollArea):
    """Pages fit their columns to the room; scroll bars appear only where text was enlarged so much,
    or the window made so small, that the columns cannot get any narrower.
    """

    def __init__(self, stack: PageStack) -> None:
        super().__init__()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidgetResizable(True)
        self.setWidget(_Holder(stack))

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """Never a reason for the window to grow."""
        return QSize(0, 0)


def _smallest(widget: QWidget) -> QSize:
    return widget.minimumSizeHint().expandedTo(widget.minimumSize())
