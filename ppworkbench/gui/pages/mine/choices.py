"""What a person chose at the left: items, method, limits."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from ppworkbench.core.mining import Miner, miners
from ppworkbench.gui.pages.mine.items import Choosable, Offer
from ppworkbench.gui.pages.mine.methods import method_names, why_no_certainty
from ppworkbench.gui.pages.mine.request import LIKELY, PROBABLY, Key, Request, with_certainty

if TYPE_CHECKING:
    from ppworkbench.gui.pages.mine.settings_card import SettingsCard

FIRST_SUPPORT, FIRST_CONFIDENCE = 0.05, 0.5


class Choices(QObject):
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

    def items(self, offer: Offer) -> tuple[Choosable, ...]:
        """The chosen items that the study has."""
        return offer.usual if self._keys is None else offer.pick(self._keys)

    def request(self, offer: Offer) -> Request:
        """What a run would be asked for now."""
        keys = tuple(item.key for item in self.items(offer))
        return Request(keys, self.miner, self.min_confidence, self.possible_certainty)

    # Choosing

    def set_items(self, items: tuple[Choosable, ...]) -> None:
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

    def take_over(self, request: Request) -> None:
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
