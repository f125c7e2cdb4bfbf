"""A list of attributes to choose one from."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QComboBox, QSizePolicy

from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.theme.icons import icon


class AttributeBox(QComboBox):
    """Attributes with the icons of their kinds; as wide as there is room."""

    chosen = Signal(str)
    """The attribute that a person chose."""

    def __init__(self, themes: ThemeManager, name: str, words: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setAccessibleName(words)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._themes = themes
        self._offered: list[tuple[str, str, str]] = []
        self.activated.connect(lambda place: self.chosen.emit(self.itemData(place)))
        themes.theme_changed.connect(self._colour)

    def offer(self, attributes: Sequence[tuple[str, str, str]], current: str | None) -> None:
        """Offer (name, kind, question) triples; a question is what a tooltip says."""
        names = [name for name, _, _ in attributes]
        is_new = self._offered != list(attributes)
        with QSignalBlocker(self):
            if is_new:
                self._offered = list(attributes)
                self.clear()
                self.addItems(names)
                for place, (name, _, question) in enumerate(attributes):
                    self.setItemData(place, name)
                    self.setItemData(place, question, Qt.ItemDataRole.ToolTipRole)
            self.setCurrentIndex(names.index(current) if current in names else -1)
        if is_new:
            self._colour()

    def step(self, step: int) -> None:
        """Choose the attribute before or after, as a person would."""
        place = min(max(self.currentIndex() + step, 0), self.count() - 1)
        if self.isEnabled() and place >= 0 and place != self.currentIndex():
            self.setCurrentIndex(place)
            self.activated.emit(place)

    def _colour(self) -> None:
        ink = self._themes.theme.colour("text2")
        icons = {kind: icon(f"kind-{kind}", ink) for kind in {kind for _, kind, _ in self._offered}}
        for place, (_, kind, _) in enumerate(self._offered):
            self.setItemIcon(place, icons[kind])
