"""What a store announces."""

from __future__ import annotations

from ppworkbench.gui.store import Store


class Signals:
    """Counts what a store announces."""

    NAMES = (
        "study_opened", "data_changed", "design_changed", "settings_changed",
        "goals_changed", "results_changed", "selection_changed", "file_changed",
    )  # fmt: skip

    def __init__(self, store: Store) -> None:
        self.seen: list[tuple[str, ...]] = []
        for name in self.NAMES:
            getattr(store, name).connect(lambda *given, name=name: self.seen.append((name, *given)))

    def take(self) -> list[tuple[str, ...]]:
        """What was announced since the last time, but for the state of the file."""
        seen = [one for one in self.seen if one[0] != "file_changed"]
        self.seen.clear()
        return seen
