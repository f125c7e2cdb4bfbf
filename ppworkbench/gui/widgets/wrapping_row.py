"""A row of widgets that goes on in the next line when there is no room."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget


class WrappingRow(QLayout):
    """Lays widgets out like the words of a text."""

    def __init__(self, *widgets: QWidget, spacing: int = 12, line_spacing: int = 2) -> None:
        super().__init__()
        self._line_spacing = line_spacing
        self._items: list[QLayoutItem] = []
        self.setSpacing(spacing)
        self.setContentsMargins(0, 0, 0, 0)
        for widget in widgets:
            self.addWidget(widget)

    def addItem(self, item: QLayoutItem) -> None:  # noqa: N802
        """Put an item behind the others."""
        self._items.append(item)

    def count(self) -> int:
        """The number of items."""
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:  # noqa: N802
        """One item; None behind the last one."""
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:  # noqa: N802
        """Take an item out."""
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:  # noqa: N802
        """It never asks for more room."""
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:  # noqa: N802
        """The narrower, the higher."""
        return True

    def heightForWidth(self, width: int) -> int:  # noqa: N802
        """How high all lines are at a width."""
        return self._place(QRect(0, 0, width, 0), is_real=False)

    def setGeometry(self, rect: QRect) -> None:  # noqa: N802
        """Put the widgets into their places."""
        super().setGeometry(rect)
        self._place(rect, is_real=True)

    def sizeHint(self) -> QSize:  # noqa: N802
        """All in one line."""
        sizes = [item.sizeHint() for item in self._items]
        gaps = self.spacing() * max(len(sizes) - 1, 0)
        width = sum(size.width() for size in sizes) + gaps
        return QSize(width, max((size.height() for size in sizes), default=0))

    def minimumSize(self) -> QSize:  # noqa: N802
        """The widest of them alone."""
        smallest = QSize()
        for item in self._items:
            smallest = smallest.expandedTo(item.minimumSize())
        return smallest

    def _place(self, rect: QRect, *, is_real: bool) -> int:
        y = rect.top()
        for line in self._lines(rect.width()):
            height = max(item.sizeHint().height() for item in line)
            x = rect.left()
            for item in line:
                size = item.sizeHint().boundedTo(QSize(max(rect.width(), 1), 1 << 20))
                if is_real:
                    shift = (height - size.height()) // 2
                    item.setGeometry(QRect(QPoint(x, y + shift), size))
                x += size.width() + self.spacing()
            y += height + self._line_spacing
        return max(y - self._line_spacing - rect.top(), 0)

    def _lines(self, width: int) -> list[list[QLayoutItem]]:
        lines: list[list[QLayoutItem]] = []
        x = 0
        for item in self._items:
            if item.isEmpty():
                continue
            size = item.sizeHint()
            if not lines or x + size.width() > width:
                lines.append([])
                x = 0
            lines[-1].append(item)
            x += size.width() + self.spacing()
        return lines
