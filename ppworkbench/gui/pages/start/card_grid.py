"""Cards in rows and columns that come one below the other where text is too large."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QWidget

from ppworkbench.gui.widgets.enlarged import is_enlarged


class CardGrid(QWidget):
    """Rows of cards, the last of which takes the free room."""

    def __init__(self, rows: Sequence[Sequence[QWidget]]) -> None:
        super().__init__()
        self._rows = rows
        self._is_folded = False
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(16, 4, 16, 12)
        self._grid.setSpacing(12)
        self._arrange()

    @property
    def is_folded(self) -> bool:
        """Whether there is but one column."""
        return self._is_folded

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """As narrow as the widest card, if it can fold."""
        least = super().minimumSizeHint()
        if is_enlarged(self):
            cards = [card for row in self._rows for card in row]
            least.setWidth(max(card.minimumSizeHint().width() for card in cards) + self._margins)
        return least

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Fold and unfold."""
        super().resizeEvent(event)
        self._fit()

    def event(self, event: QEvent) -> bool:
        """Look again when a card needs another width."""
        done = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self._fit()
        return done

    @property
    def _margins(self) -> int:
        margins = self._grid.contentsMargins()
        return margins.left() + margins.right()

    def _fit(self) -> None:
        fold = is_enlarged(self) and self._least_across() > self.width()
        if fold != self._is_folded:
            self._is_folded = fold
            self._arrange()
            self.updateGeometry()

    def _least_across(self) -> int:
        columns = zip(*self._rows, strict=True)
        widths = [max(card.minimumSizeHint().width() for card in column) for column in columns]
        return sum(widths) + self._grid.spacing() * (len(widths) - 1) + self._margins

    def _arrange(self) -> None:
        cards = [(card, r, c) for r, row in enumerate(self._rows) for c, card in enumerate(row)]
        last = len(cards) - 1 if self._is_folded else len(self._rows) - 1
        for place, (card, row, column) in enumerate(cards):
            self._grid.removeWidget(card)
            where = (place, 0) if self._is_folded else (row, column)
            self._grid.addWidget(card, *where)
        for place in range(len(cards)):
            self._grid.setRowStretch(place, int(place == last))
            self._grid.setColumnStretch(place, int(place < (1 if self._is_folded else 3)))
