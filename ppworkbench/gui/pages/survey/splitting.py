"""Splits the answer on the page by another attribute."""

from __future__ import annotations

from PySide6.QtCore import QObject

from ppworkbench.gui.pages.survey.asker import Asker
from ppworkbench.gui.pages.survey.question import COUNT, MEAN
from ppworkbench.gui.pages.survey.replies import Reply
from ppworkbench.gui.pages.survey.results_area import ResultsArea
from ppworkbench.gui.pages.survey.splits import choices, first_choice
from ppworkbench.gui.single_shot import single_shot


class Splitting(QObject):
    """Keeps to the attribute that a person chose, as long as the question can be split by it."""

    def __init__(self, asker: Asker, results: ResultsArea, parent: QObject) -> None:
        super().__init__(parent)
        self._asker, self._results = asker, results
        self._wanted = ""
        # Not at once: the card may have to be made, which is work for an event of its own.
        self._due = single_shot(self, self.show)
        asker.split_changed.connect(self.show)
        results.split_chosen.connect(self._on_chosen)

    def forget(self) -> None:
        """Another study is shown."""
        self._wanted = ""

    def ask(self) -> None:
        """Split the answer on the page, if it can be split."""
        reply = self._reply()
        if reply is None:
            self._asker.drop_split()
            return
        by = self._by(reply)
        if by:
            self._asker.ask_split(by)
        else:
            self._asker.drop_split()
        self._due.start()

    def show(self) -> None:
        """Show the rows that there are, or that they are on their way."""
        reply = self._reply()
        if reply is not None:
            asker = self._asker
            self._results.show_split(reply, self._by(reply), asker.split, asker.is_splitting)

    def _reply(self) -> Reply | None:
        reply = self._asker.reply
        return reply if reply is not None and reply.question.statistic in (COUNT, MEAN) else None

    def _by(self, reply: Reply) -> str:
        offered = choices(reply.question, reply.study.design)
        if self._wanted in offered:
            return self._wanted
        return first_choice(reply.question, reply.study.design)

    def _on_chosen(self, by: str) -> None:
        self._wanted = by
        self.ask()
