"""What a person has chosen on the page; it belongs to the view, not to the study."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QObject, Signal

from ppworkbench.core.reconstruct.channel import NUMBERS, VALUES
from ppworkbench.gui.pages.explore.methods import first_focus, first_rule, first_ticked

FIRST_FIXED = 100


class Choices(QObject):
    """Algorithms, focus and stop rule, separately for values and for numbers."""

    work_changed = Signal()
    """Something must be worked out anew."""
    view_changed = Signal()
    """The same results are shown in another way."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        families = (VALUES, NUMBERS)
        self._ticked = {cells: first_ticked(cells) for cells in families}
        self._focus = {cells: first_focus(cells) for cells in families}
        self._rule = {cells: first_rule(cells) for cells in families}
        self._steps: dict[str, int] = {}
        self.fixed = FIRST_FIXED
        self.side_by_side = False

    def ticked(self, cells: str) -> tuple[str, ...]:
        """The algorithms that are shown."""
        return self._ticked[cells]

    def focus(self, cells: str, can: Iterable[str] | None = None) -> str:
        """The algorithm in focus; another ticked one where that cannot be had."""
        wanted = self._focus[cells]
        possible = list(self._ticked[cells] if can is None else can)
        return wanted if wanted in possible or not possible else possible[0]

    def rule(self, cells: str) -> str:
        """The stop rule."""
        return self._rule[cells]

    def steps(self, name: str) -> int | None:
        """How many steps the scale of an attribute has; None for the usual number."""
        return self._steps.get(name)

    def tick(self, cells: str, method: str, on: bool) -> None:
        """Show or hide an algorithm; the last one stays."""
        now = self._ticked[cells]
        if on == (method in now) or (not on and len(now) == 1):
            return
        rest = tuple(name for name in now if name != method)
        self._ticked[cells] = (*now, method) if on else rest
        if not on and self._focus[cells] == method:
            self._focus[cells] = rest[0]
        self.work_changed.emit()

    def set_focus(self, cells: str, method: str) -> None:
        """Bring an algorithm to the front, ticked if it is not."""
        if method == self._focus[cells]:
            return
        self._focus[cells] = method
        if method in self._ticked[cells]:
            self.view_changed.emit()
        else:
            self._ticked[cells] = (*self._ticked[cells], method)
            self.work_changed.emit()

    def set_rule(self, cells: str, rule: str) -> None:
        """Choose when iterations stop."""
        if rule != self._rule[cells]:
            self._rule[cells] = rule
            self.view_changed.emit()

    def set_fixed(self, iterations: int) -> None:
        """Choose the number of iterations of the fixed rule."""
        if iterations != self.fixed:
            self.fixed = iterations
            self.view_changed.emit()

    def set_steps(self, name: str, steps: int) -> None:
        """Cut the scale of an attribute into so many steps."""
        if steps != self._steps.get(name):
            self._steps[name] = steps
            self.work_changed.emit()

    def set_side_by_side(self, apart: bool) -> None:
        """Show the three distributions side by side, or one over the other."""
        if apart != self.side_by_side:
            self.side_by_side = apart
            self.view_changed.emit()

    def forget_steps(self) -> None:
        """Begin with the usual numbers of steps again; another study is shown."""
        self._steps.clear()
