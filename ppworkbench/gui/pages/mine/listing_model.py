"""The rows of a listing, read when a cell is looked at."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from ppworkbench.gui.pages.mine.arrange import Arranged
from ppworkbench.gui.pages.mine.listing import (
    CONFIDENCE,
    LIFT,
    NAME,
    RAW,
    SIZE,
    SUPPORT,
    TRUE,
    Listing,
    Order,
    no_listing,
)
from ppworkbench.gui.pages.mine.words import points, share
from ppworkbench.gui.words import number

Index = QModelIndex | QPersistentModelIndex

_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class ListingModel(QAbstractTableModel):
    """A listing through an order: sorting and filtering exchange the order, nothing is copied."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.listing: Listing = no_listing()
        self.order: Order = np.empty(0, np.intp)
        self.columns: tuple[str, ...] = self.listing.columns
        self.confidence = 0.95
        self.reach = 1.0

    def show(self, listing: Listing, arranged: Arranged, confidence: float) -> None:
        """Show another listing, or other rows of the same."""
        self.beginResetModel()
        self.listing, self.order, self.confidence = listing, arranged.order, confidence
        self.reach = arranged.reach
        self.columns = listing.columns
        self.endResetModel()

    def place(self, row: int) -> int:
        """The place in the listing of a row that is shown."""
        return int(self.order[row])

    def row_of(self, place: int) -> int | None:
        """The row that shows a place of the listing; None where it is filtered out."""
        found = np.flatnonzero(self.order == place)
        return int(found[0]) if len(found) else None

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802
        """The number of rows that are shown."""
        return 0 if parent.isValid() else len(self.order)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802
        """The number of columns that are known."""
        return 0 if parent.isValid() else len(self.columns)

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Names and what they mean."""
        if orientation is Qt.Orientation.Vertical or not 0 <= section < len(self.columns):
            return None
        name = self.columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return self._title(name)
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"{self._title(name)}: {self._meaning(name)}"
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _LEFT if name in (NAME, self.listing.bar) else _RIGHT
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """One cell."""
        if not index.isValid():
            return None
        name = self.columns[index.column()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return self.text(self.place(index.row()), name)
        if role == Qt.ItemDataRole.ToolTipRole:
            if name == NAME:
                return self.listing.name(self.place(index.row()))
            return self.interval_words(self.place(index.row())) if name == self.listing.bar else ""
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _LEFT if name == NAME else _RIGHT
        return None

    def text(self, place: int, column: str) -> str:
        """What a cell says."""
        listing = self.listing
        if column == NAME:
            return listing.name(place)
        if column == SIZE:
            return number(int(listing.size[place]))
        value = float(listing.values[column][place])
        if column == LIFT:
            return number(value, 2)
        if column == listing.bar:
            return share(value)
        return points(value)

    def interval_words(self, place: int) -> str:
        """The estimate of a row with its interval, in words."""
        listing = self.listing
        value, low, high = (
            float(numbers[place])
            for numbers in (listing.values[listing.bar], listing.low, listing.high)
        )
        if np.isnan(low) or np.isnan(high):
            return share(value)
        words = self.tr("%s, between %s and %s in %s of 100 surveys")
        return words % (share(value), share(low), share(high), number(100 * self.confidence))

    def _title(self, name: str) -> str:
        level = number(100 * self.confidence)
        if name == self.listing.bar:
            has_interval = bool(np.isfinite(self.listing.high).any())
            if name == SUPPORT:
                if has_interval:
                    return self.tr("Estimated support ± %s %%") % level
                return self.tr("Support")
            return self.tr("Confidence ± %s %%") % level if has_interval else self.tr("Confidence")
        names = {
            NAME: self.tr("Items that occur together"),
            SIZE: self.tr("Size", "head"),
            SUPPORT: self.tr("Support"),
            CONFIDENCE: self.tr("Confidence"),
            LIFT: self.tr("Lift"),
            RAW: self.tr("Raw"),
            TRUE: self.tr("True"),
        }
        if name == NAME and self.listing.heads is not None:
            return self.tr("Who has these → also has")
        return names[name]

    def _meaning(self, name: str) -> str:
        meanings = {
            NAME: self.tr("Sort by the names of the items"),
            SIZE: self.tr("How many items the set has"),
            SUPPORT: self.tr("Share of all people who have all of the items, in percent"),
            CONFIDENCE: self.tr(
                "Share of those with the items before the arrow who also have those behind it"
            ),
            LIFT: self.tr(
                "How many times more frequent the items behind the arrow are among those who have "
                "the items before it; 1 means that the two have nothing to do with each other"
            ),
            RAW: self.tr("Counted in the distorted table, uncorrected, in percent"),
            TRUE: self.tr("Counted in the original table, in percent"),
        }
        return meanings[name]
