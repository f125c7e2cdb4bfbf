"""The sunken head of a table, aligned with its cells."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QHeaderView, QSizePolicy, QWidget

from ppworkbench.gui.pages.data.inks import Inks
from ppworkbench.gui.theme import ThemeManager

PAD = 8
EDGE = 14
"""The first column keeps the distance of the card's own title."""


class TableHeader(QHeaderView):
    """Draws names in the alignment of their columns; the marked ones in the accent colour."""

    def __init__(self, themes: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._themes = themes
        self._inks = Inks(themes)
        self._marked: frozenset[int] = frozenset()
        self.first_pad = EDGE
        self.setAccessibleName(self.tr("Names of the columns"))
        self.setHighlightSections(False)
        self.setSectionsClickable(True)
        self.setMinimumSectionSize(40)

    def mark(self, sections: frozenset[int]) -> None:
        """Show some sections as chosen."""
        if sections != self._marked:
            self._marked = sections
            self.viewport().update()

    @property
    def ground(self) -> QColor:
        """The colour under the names."""
        return self._inks.colour("sunken")

    @property
    def marked(self) -> frozenset[int]:
        """The sections that are shown as chosen."""
        return self._marked

    def sizeHint(self) -> QSize:  # noqa: N802
        """As high as a row."""
        return QSize(0, self._themes.theme.px(26))

    def paintSection(self, painter: QPainter, rect: QRect, logicalIndex: int) -> None:  # noqa: N802
        """Draw one name."""
        role = Qt.ItemDataRole
        model, across = self.model(), self.orientation()
        name = str(model.headerData(logicalIndex, across, role.DisplayRole) or "")
        side = model.headerData(logicalIndex, across, role.TextAlignmentRole)
        painter.fillRect(rect, self.ground)
        painter.setFont(self._inks.font("body", "semibold"))
        is_marked = logicalIndex in self._marked
        painter.setPen(self._inks.colour("accentInk" if is_marked else "text2"))
        left = self.first_pad if self.visualIndex(logicalIndex) == 0 else PAD
        area = rect.adjusted(left, 0, -PAD, 0)
        words = self._inks.metrics("body", "semibold").elidedText(
            name, Qt.TextElideMode.ElideRight, area.width()
        )
        painter.drawText(area, side or Qt.AlignmentFlag.AlignVCenter, words)


class HeaderEnd(QWidget):
    """Carries the ground of the head on over the scroll bar."""

    def __init__(self, head: TableHeader) -> None:
        super().__init__()
        self._head = head
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:  # noqa: N802
        """As high as the head."""
        return QSize(0, self._head.sizeHint().height())

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """Never lower than the head."""
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """Draw the ground."""
        QPainter(self).fillRect(event.rect(), self._head.ground)
