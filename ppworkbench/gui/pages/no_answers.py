"""What stands in the place of a page while there is no study, or while there are no answers."""

from __future__ import annotations

from PySide6.QtWidgets import QPushButton

from ppworkbench.analyses.collecting.rehearsal import RehearsalSettings
from ppworkbench.gui.collecting import Collecting
from ppworkbench.gui.numbers import number
from ppworkbench.gui.pages.page import Page
from ppworkbench.gui.rehearsal import open_rehearsal, start_rehearsal
from ppworkbench.gui.widgets.card import EmptyState
from ppworkbench.gui.widgets.controls import Button
from ppworkbench.gui.widgets.layout import column, named
from ppworkbench.gui.workbench import Workbench


class NoStudyPage(Page):
    """Says that nothing is open yet, and leads on: to questions, a file, or the start screen."""

    def __init__(
        self, workbench: Workbench, name: str, title: str, question: str, icon_name: str
    ) -> None:
        self.name, self.title, self.question, self.icon_name = name, title, question, icon_name
        super().__init__(workbench)
        self.setObjectName(f"{name}NoStudy")
        self.set_primary("writeQuestions", self.tr("Write questions"), "arrow-right", self._write)
        open_ = named(Button(self.themes, self.tr("Open…"), "open"), "openStudy")
        start = named(QPushButton(self.tr("Samples and demonstrations")), "goToStart")
        start.setProperty("look", "link")
        self.state = EmptyState(
            self.themes,
            icon_name,
            self.tr("No study open"),
            self.tr("Write questions, open a table or a study, or begin with a sample."),
            self.tr("Write questions"),
            (open_, start),
        )
        named(self.state.button, "beginQuestions")
        self.state.button.clicked.connect(self._write)
        open_.clicked.connect(lambda: workbench.action_requested.emit("open"))
        start.clicked.connect(lambda: workbench.page_requested.emit("start"))
        column(self.state, parent=self)

    def shown(self) -> None:
        """Let Enter take the first step."""
        super().shown()
        self.state.button.setFocus()

    def _write(self) -> None:
        self.workbench.page_requested.emit("data")


class NoAnswersPage(Page):
    """Says that nobody has answered yet, and leads on: to a rehearsal, or to real answers."""

    def __init__(
        self, workbench: Workbench, name: str, title: str, question: str, icon_name: str
    ) -> None:
        self.name, self.title, self.question, self.icon_name = name, title, question, icon_name
        super().__init__(workbench)
        self.setObjectName(f"{name}NoAnswers")
        self.set_primary("rehearse", self.tr("Simulate"), "arrow-right", self._on_rehearse)
        self.collect = named(Button(self.themes, self.tr("Go to Collect")), "goToCollect")
        self.collect.clicked.connect(lambda: workbench.page_requested.emit("collect"))
        add = named(Button(self.themes, self.tr("Add responses…")), "addResponses")
        settings = named(QPushButton(self.tr("Simulation settings…")), "rehearsalSettings")
        settings.setProperty("look", "link")
        self.state = EmptyState(
            self.themes,
            icon_name,
            self.tr("No answers yet"),
            " ",
            " ",
            (self.collect, add, settings),
        )
        named(self.state.button, "rehearseInvented")
        self.state.button.clicked.connect(self._on_rehearse)
        add.clicked.connect(lambda: workbench.action_requested.emit("addResponses"))
        settings.clicked.connect(lambda: open_rehearsal(workbench, self.window()))
        column(self.state, parent=self)
        self.store.results_changed.connect(self._follow)
        self._collecting = Collecting.find(workbench)
        if self._collecting is not None:
            self._collecting.changed.connect(self._follow)
        self._follow()

    def shown(self) -> None:
        """Offer as many respondents as were chosen last."""
        super().shown()
        self._follow()
        self.state.button.setFocus()

    def _follow(self) -> None:
        n = RehearsalSettings.of(self.store.study).n
        words = self.tr("Simulate %s respondents") % number(n)
        self.state.button.setText(words)
        collected = 0 if self._collecting is None else self._collecting.shown
        self.collect.setVisible(collected > 0)
        advice, missing = self.tr("Collect, add responses, or simulate."), self.tr("No answers yet")
        if collected:
            missing = self.tr("No answers in the study yet")
            taken = self.tr("%s answers are collected, but not in the study. Import them on "
                            "Collect, add responses, or simulate.")  # fmt: skip
            advice = taken % number(collected)
        self.state.heading.setText(missing)
        self.state.advice.setText(advice)

    def _on_rehearse(self) -> None:
        start_rehearsal(self.workbench)
