"""What stands in the place of a page that needs answers while there are none."""

from __future__ import annotations

from PySide6.QtWidgets import QPushButton

from ppworkbench.gui.numbers import number
from ppworkbench.gui.pages.page import Page
from ppworkbench.gui.rehearsal import open_rehearsal, start_rehearsal
from ppworkbench.gui.widgets.card import EmptyState
from ppworkbench.gui.widgets.controls import Button
from ppworkbench.gui.widgets.layout import column, named
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.analyses.rehearsal import RehearsalSettings


class NoAnswersPage(Page):
    """Says that nobody has answered yet, and leads on: to a rehearsal, or to real answers."""

    def __init__(
        self, workbench: Workbench, name: str, title: str, question: str, icon_name: str
    ) -> None:
        self.name, self.title, self.question, self.icon_name = name, title, question, icon_name
        super().__init__(workbench)
        self.setObjectName(f"{name}NoAnswers")
        self.name_primary("rehearse", self.tr("Rehearse"), "arrow-right", self._on_rehearse)
        add = named(Button(self.themes, self.tr("Add responses…")), "addResponses")
        settings = named(QPushButton(self.tr("Rehearsal settings…")), "rehearsalSettings")
        settings.setProperty("look", "link")
        self.state = EmptyState(
            self.themes,
            icon_name,
            self.tr("No answers yet"),
            self.tr("Collect, add responses, or rehearse."),
            " ",
            (add, settings),
        )
        named(self.state.button, "rehearseInvented")
        self.state.button.clicked.connect(self._on_rehearse)
        add.clicked.connect(lambda: workbench.action_requested.emit("addResponses"))
        settings.clicked.connect(lambda: open_rehearsal(workbench, self.window()))
        column(self.state, parent=self)
        self.store.results_changed.connect(self._follow)
        self._follow()

    def shown(self) -> None:
        """Offer as many respondents as were chosen last."""
        super().shown()
        self._follow()
        self.state.button.setFocus()

    def _follow(self) -> None:
        n = RehearsalSettings.of(self.store.study).n
        words = self.tr("Rehearse with %s invented respondents") % number(n)
        self.state.button.setText(words)

    def _on_rehearse(self) -> None:
        start_rehearsal(self.workbench)
