"""Keeps the questions that were asked with the study, and shows them."""

from __future__ import annotations

from PySide6.QtCore import QObject

from ppworkbench.gui.pages.survey.asked import (
    MOST_KEPT,
    RESULTS,
    Asked,
    asked_from_json,
    asked_to_json,
)
from ppworkbench.gui.pages.survey.asked_card import AskedCard
from ppworkbench.gui.pages.survey.replies import Reply
from ppworkbench.gui.store import Store


class History(QObject):
    """The study holds the list; the card shows what the study holds."""

    def __init__(self, store: Store, card: AskedCard, parent: QObject) -> None:
        super().__init__(parent)
        self._store, self._card = store, card
        store.study_opened.connect(self.refresh)
        store.results_changed.connect(self._on_results_changed)
        card.removed.connect(self.remove)
        card.cleared.connect(lambda: self._keep(()))
        self.refresh()

    @property
    def rows(self) -> tuple[Asked, ...]:
        """What was asked, the newest first."""
        return self._card.model.rows

    def refresh(self) -> None:
        """Show what the study holds."""
        rows = asked_from_json(self._store.study.results.get(RESULTS))
        if rows != self.rows:
            self._card.show_rows(rows)

    def remember(self, reply: Reply) -> None:
        """Put an answer at the top; an older one to the same question goes."""
        row = Asked.of_reply(reply)
        others = [one for one in self.rows if one.question != row.question]
        self._keep((row, *others)[:MOST_KEPT])

    def remove(self, place: int) -> None:
        """Forget one question."""
        self._keep((*self.rows[:place], *self.rows[place + 1 :]))

    def _keep(self, rows: tuple[Asked, ...]) -> None:
        self._store.set_results(RESULTS, asked_to_json(rows) if rows else None)

    def _on_results_changed(self, page: str) -> None:
        if page in ("", RESULTS):
            self.refresh()
