"""How the results are looked at: which table, sorted and filtered how."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from ppworkbench.gui.pages.mine.arrange import Wish
from ppworkbench.gui.pages.mine.listing import NAME
from ppworkbench.gui.pages.mine.runs_model import F1
from ppworkbench.gui.pages.mine.table_card import RULES, SETS, TableCard


class Viewing(QObject):
    """Kept while the window is open; no part of the study."""

    view_changed = Signal()
    """Another table is looked at."""
    wish_changed = Signal()
    """The same table is sorted or filtered in another way."""
    measure_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.view = SETS
        self.measure = F1
        self._text = ""
        self._sizes = (2, 0)
        self._sorting: dict[str, tuple[str, bool]] = {SETS: ("", True), RULES: ("", True)}

    def follow(self, table: TableCard) -> None:
        """Change as somebody says over the table."""
        table.view_chosen.connect(self.set_view)
        table.filter_typed.connect(self.set_text)
        table.size_chosen.connect(self.set_sizes)
        table.measure_chosen.connect(self.set_measure)

    @property
    def text(self) -> str:
        """What was typed into the filter."""
        return self._text

    @property
    def sizes(self) -> tuple[int, int]:
        """The least and the most items of a row; a most of 0 is no bound."""
        return self._sizes

    def wish(self, view: str, bar: str) -> Wish:
        """What is asked of a table; it is sorted by its bars if nobody asked otherwise."""
        column, descending = self._sorting[view]
        least, most = self._sizes
        return Wish(self._text, least, most, column or bar, descending)

    def set_view(self, view: str) -> None:
        """Look at another table."""
        if view != self.view:
            self.view = view
            self.view_changed.emit()

    def set_text(self, text: str) -> None:
        """Filter by the names of items."""
        if text != self._text:
            self._text = text
            self.wish_changed.emit()

    def set_sizes(self, least: int, most: int) -> None:
        """Filter by the number of items."""
        if (least, most) != self._sizes:
            self._sizes = least, most
            self.wish_changed.emit()

    def show_all(self) -> None:
        """Drop both filters at once."""
        if self._text or self._sizes != (1, 0):
            self._text, self._sizes = "", (1, 0)
            self.wish_changed.emit()

    def sort_by(self, view: str, column: str, bar: str) -> None:
        """Sort by a column; by the same one again the other way round."""
        before = self.wish(view, bar)
        down = not before.descending if before.column == column else column != NAME
        self._sorting[view] = column, down
        self.wish_changed.emit()

    def set_measure(self, measure: str) -> None:
        """Compare runs by another measure."""
        if measure != self.measure:
            self.measure = measure
            self.measure_changed.emit()

    def begin(self, longest: int) -> None:
        """Get ready for a new result, without a word: its sets may all be small."""
        least, most = self._sizes
        if least > max(longest, 1) or (most and most > max(longest, 1)):
            self._sizes = (1, 0) if longest < 2 else (2, 0)
