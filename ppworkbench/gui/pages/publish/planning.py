"""What a person changes about the plan of a release."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from ppworkbench.gui.pages.publish.plan import PAGE, PagePlan, starting_plan
from ppworkbench.gui.pages.publish.publisher import Publisher
from ppworkbench.gui.store import Store

if TYPE_CHECKING:
    from ppworkbench.gui.pages.publish.settings_card import SettingsCard


class Planning(QObject):
    """Holds the plan that is shown, and keeps every change of it with the study."""

    changed = Signal()

    def __init__(self, store: Store, publisher: Publisher, parent: QObject) -> None:
        super().__init__(parent)
        self._store = store
        self._publisher = publisher
        self.plan = PagePlan()

    def follow(self, card: SettingsCard) -> None:
        """Change the plan as somebody says in the settings."""
        card.mode_chosen.connect(lambda mode: self._set(dataclasses.replace(self.plan, mode=mode)))
        card.sensitive_chosen.connect(self._on_sensitive)
        card.option_chosen.connect(self.set_option)
        card.splits.ticked.connect(self._on_tick)
        card.splits.all_ticked.connect(self._on_tick_all)

    def read(self) -> None:
        """Take the plan from the study."""
        self.plan = PagePlan.of(self._store.study)

    def keep(self) -> None:
        """Keep plan and accuracies with the study."""
        kept = self._store.study.results.get(PAGE)
        curve = kept.get("curve") if isinstance(kept, dict) else None
        publisher = self._publisher
        if publisher.tally is not None and publisher.measured_plan is not None:
            curve = {
                "plan": publisher.measured_plan.to_json(),
                "accuracies": publisher.tally.to_json(),
            }
        self._store.set_results(PAGE, self.plan.to_json(curve))

    def _set(self, plan: PagePlan) -> None:
        """Publish in another way from now on."""
        if plan != self.plan:
            self.plan = plan
            self.keep()
            self.changed.emit()

    def set_option(self, name: str, value: object) -> None:
        """Change an option of deniable tables."""
        before = self.plan.denial
        if before is not None:
            changed = before.with_options(**{name: value})
            self._set(dataclasses.replace(self.plan, denial=changed))

    def _on_sensitive(self, name: str) -> None:
        table, before = self._store.study.original, self.plan.denial
        if table is None or before is None or name == before.sensitive:
            return
        plan = starting_plan(table, name)
        if plan is not None:
            minimum = plan.options.min_deniability
            options = dataclasses.replace(before.options, min_deniability=minimum)
            excluded = before.excluded - {name}
            denial = dataclasses.replace(plan, options=options, excluded=excluded)
            self._set(dataclasses.replace(self.plan, denial=denial))

    def _on_tick(self, name: str, on: bool) -> None:
        before = self.plan.denial
        if before is not None:
            excluded = before.excluded - {name} if on else before.excluded | {name}
            self._exclude(excluded)

    def _on_tick_all(self, on: bool) -> None:
        table, before = self._store.study.original, self.plan.denial
        if table is not None and before is not None:
            everything = frozenset(n for n in table.names if n != before.sensitive)
            self._exclude(frozenset() if on else everything)

    def _exclude(self, excluded: frozenset[str]) -> None:
        before = self.plan.denial
        if before is not None:
            denial = dataclasses.replace(before, excluded=excluded)
            self._set(dataclasses.replace(self.plan, denial=denial))
