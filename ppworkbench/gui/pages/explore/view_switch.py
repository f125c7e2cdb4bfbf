"""The switch between the two halves of the page."""

from __future__ import annotations

from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.segmented import Segmented

RECONSTRUCT, ATTACK = "reconstruct", "attack"


class ViewSwitch(Segmented):
    """Stands over the left column of either half, and always shows the half it stands in."""

    def __init__(self, themes: ThemeManager, own: str) -> None:
        super().__init__(themes, "", [])
        self.setAccessibleName(self.tr("View"))
        self.set_choices([(RECONSTRUCT, self.tr("Reconstruct")), (ATTACK, self.tr("Attack"))])
        self.set_current(own)
        self._own = own
        self.chosen.connect(lambda _: self.set_current(own))
