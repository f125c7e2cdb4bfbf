"""What a person has chosen on the page: settings of a run, and how tables are looked at."""

from __future__ import annotations

import dataclasses

from PySide6.QtCore import QObject, Signal

from ppworkbench.core.mining import Miner, miners
from ppworkbench.gui.pages.mine.itemset_table import TableQuery
from ppworkbench.gui.pages.mine.results_card import F1, RULES, SETS, TableCard
from ppworkbench.gui.pages.mine.settings_card import SettingsCard
from ppworkbench.gui.pages.mine.texts import method_names, why_no_certainty
from ppworkbench.study.analyses.mining import (
    LIKELY,
    PROBABLY,
    AvailableItems,
    ItemOption,
    Key,
    MiningRequest,
    with_certainty,
)
from ppworkbench.study.analyses.mining_tables import NAME

FIRST_SUPPORT, FIRST_CONFIDENCE = 0.05, 0.5


class PageSettings(QObject):
    """Settings of the page. They are not part of the study; a run takes a copy of them along."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._miners: dict[str, Miner] = {name: miners[name]() for name in method_names()}
        self.method = next(iter(self._miners))
        self.min_support = FIRST_SUPPORT
        self.min_confidence = FIRST_CONFIDENCE
        self.certainty = PROBABLY
        self._keys: tuple[Key, ...] | None = None

    def follow(self, card: SettingsCard) -> None:
        """Change as somebody says in the settings."""
        card.method_chosen.connect(self.set_method)
        card.miner_edited.connect(self.set_miner)
        card.support_moved.connect(self.set_min_support)
        card.confidence_moved.connect(self.set_min_confidence)
        card.certainty_chosen.connect(self.set_certainty)

    # Reading

    @property
    def miner(self) -> Miner:
        """The chosen method with its parameters."""
        return with_certainty(self.plain_miner, self.possible_certainty)

    @property
    def plain_miner(self) -> Miner:
        """The chosen method before a certainty is asked of it."""
        return dataclasses.replace(self._miners[self.method], min_support=self.min_support)

    @property
    def possible_certainty(self) -> str:
        """The chosen certainty, or the usual one where the method cannot have it."""
        return PROBABLY if why_no_certainty(self.certainty, self.method) else self.certainty

    def items(self, offer: AvailableItems) -> tuple[ItemOption, ...]:
        """The chosen items that the study has."""
        return offer.usual if self._keys is None else offer.pick(self._keys)

    def request(self, offer: AvailableItems) -> MiningRequest:
        """What a run would be asked for now."""
        keys = tuple(item.key for item in self.items(offer))
        return MiningRequest(keys, self.miner, self.min_confidence, self.possible_certainty)

    # Choosing

    def set_items(self, items: tuple[ItemOption, ...]) -> None:
        """Mine these items."""
        keys = tuple(item.key for item in items)
        if keys != self._keys:
            self._keys = keys
            self.changed.emit()

    def set_method(self, method: str) -> None:
        """Use another method."""
        if method != self.method and method in self._miners:
            self.method = method
            self.changed.emit()

    def set_miner(self, miner: Miner) -> None:
        """Use the chosen method with other parameters."""
        kept = self._without_certainty(miner)
        if kept != self._miners[miner.name]:
            self._miners[miner.name] = kept
            self.changed.emit()

    def _without_certainty(self, miner: Miner) -> Miner:
        """The miner with its own probability where a certainty has set another one."""
        if self.certainty == PROBABLY or not hasattr(miner, LIKELY):
            return miner
        return dataclasses.replace(miner, **{LIKELY: getattr(self._miners[miner.name], LIKELY)})

    def set_min_support(self, value: float) -> None:
        """Choose from which share a set is frequent."""
        if value != self.min_support:
            self.min_support = value
            self.changed.emit()

    def set_min_confidence(self, value: float) -> None:
        """Choose from which confidence a rule is kept."""
        if value != self.min_confidence:
            self.min_confidence = value
            self.changed.emit()

    def set_certainty(self, certainty: str) -> None:
        """Choose how sure a set has to be frequent."""
        if certainty != self.certainty:
            self.certainty = certainty
            self.changed.emit()

    def take_over(self, request: MiningRequest) -> None:
        """Choose what a run was asked for."""
        self._keys = request.items
        self.method = request.method
        self.min_support = request.min_support
        self.min_confidence = request.min_confidence
        self.certainty = request.certainty
        self._miners[request.method] = self._without_certainty(request.miner)
        self.changed.emit()

    def forget(self) -> None:
        """Begin with the usual items again: another study is shown."""
        self._keys = None
        self.changed.emit()


class TableState(QObject):
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

    def wish(self, view: str, bar: str) -> TableQuery:
        """What is asked of a table; it is sorted by its bars if nobody asked otherwise."""
        column, descending = self._sorting[view]
        least, most = self._sizes
        return TableQuery(self._text, least, most, column or bar, descending)

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
