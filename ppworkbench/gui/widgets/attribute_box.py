"""A list of attributes to choose one from."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QSizePolicy

from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.offered_model import Offered, OfferedModel

_LEAST = 8
"""So many letters are seen in the narrowest column."""


class AttributeBox(QComboBox):
    """Attributes with the icons of their kinds; as wide as there is room."""

    chosen = Signal(str)
    """The attribute that a person chose."""

    def __init__(self, themes: ThemeManager, name: str, words: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setAccessibleName(words)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        # By its contents it would measure every name, although it is as wide as its column.
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(_LEAST)
        self._model = OfferedModel(themes, self)
        self.setModel(self._model)
        self.activated.connect(lambda place: self.chosen.emit(self.itemData(place)))

    def offer(self, attributes: Sequence[Offered], current: str | None) -> None:
        """Offer attributes, one of which is chosen."""
        names = [name for name, _, _ in attributes]
        with QSignalBlocker(self):
            self._model.offer(attributes)
            self.setCurrentIndex(names.index(current) if current in names else -1)

    def step(self, step: int) -> None:
        """Choose the attribute before or after, as a person would."""
        place = min(max(self.currentIndex() + step, 0), self.count() - 1)
        if self.isEnabled() and place >= 0 and place != self.currentIndex():
            self.setCurrentIndex(place)
            self.activated.emit(place)
