"""What people see first: three ways in, by what they have."""

from __future__ import annotations

from ppworkbench.gui.dialogs import show_dialog
from ppworkbench.gui.files import FileActions
from ppworkbench.gui.pages.page import Page
from ppworkbench.gui.pages.start.card_grid import CardGrid
from ppworkbench.gui.pages.start.entry_card import EntryCard
from ppworkbench.gui.pages.start.lists import DemonstrationList, RecentCard, SampleCard
from ppworkbench.gui.pages.start.questions_dialog import QuestionsDialog
from ppworkbench.gui.widgets.banner import Banner
from ppworkbench.gui.widgets.layouts import column, scroll_area
from ppworkbench.gui.workbench import Workbench


class StartPage(Page):
    """Entry cards over recent studies, samples and demonstrations."""

    name = "start"

    def __init__(self, workbench: Workbench, files: FileActions) -> None:
        super().__init__(workbench)
        self.files = files
        self.title = self.tr("Start")
        self.question = self.tr("Choose what you have, or drop a file anywhere on this window")
        self.name_primary("openPrimary", self.tr("Open…"), "open", files.open_dialog)
        self._build()
        files.recent_changed.connect(self._offer_recovery)
        self._offer_recovery()

    def _build(self) -> None:
        themes, tr = self.themes, self.tr
        self.questionnaire = EntryCard(
            themes, "questionnaire", tr("A questionnaire, no data yet"),
            tr("List the questions, sketch how you expect people to answer, and see privacy and "
               "error before anyone is asked."),
            tr("Design before data"), tr("Open a design…"), "bars",
        )  # fmt: skip
        self.table = EntryCard(
            themes, "data", tr("A table of answers"),
            tr("CSV, Excel, SPSS, Stata, Parquet, ARFF or baskets. Kinds and labels are read and "
               "shown for you to check."),
            tr("Open data…"), tr("Distorted data with its design…"), "table",
        )  # fmt: skip
        self.teaching = EntryCard(
            themes, "learn", tr("A class to teach"),
            tr("Demonstrations set the pages up step by step, on sample data and with type large "
               "enough for a projector."),
            tr("Show demonstrations"), tr("Larger text"), "triple",
        )  # fmt: skip
        self.questionnaire.first.clicked.connect(self._on_questions)
        self.questionnaire.second.clicked.connect(self.files.open_dialog)
        self.table.first.clicked.connect(self.files.open_dialog)
        self.table.second.clicked.connect(self.files.open_dialog)
        self.teaching.first.clicked.connect(lambda *_: self.workbench.page_requested.emit("learn"))
        self.teaching.second.clicked.connect(self._on_larger)
        self.recent = RecentCard(self.workbench, self.files)
        self.samples = SampleCard(self.workbench, self.files)
        self.demonstrations = DemonstrationList(self.workbench)
        self.banner = Banner(themes)
        ways = (self.questionnaire, self.table, self.teaching)
        self.grid = CardGrid((ways, (self.recent, self.samples, self.demonstrations)))
        layout = column(self.banner, scroll_area(self.grid), parent=self, spacing=0)
        layout.setStretch(1, 1)

    def shown(self) -> None:
        """Bring the lists up to date."""
        super().shown()
        self.recent.refresh()
        self.demonstrations.refresh()

    def _on_questions(self) -> None:
        dialog = QuestionsDialog(self.workbench, self.window())
        dialog.accepted.connect(lambda: self.files.new_questionnaire(dialog.study))
        show_dialog(dialog, self.themes)

    def _on_larger(self) -> None:
        themes = self.themes
        themes.zoom(1.0 if themes.scale >= 1.39 else themes.scale + 0.2)
        self.workbench.settings.setValue("view/scale", themes.scale)

    def _offer_recovery(self) -> None:
        found = self.files.recoverable()
        if not found:
            self.banner.hide()
            return
        newest = found[0]
        self.banner.say(
            "info",
            self.tr("“%s” was not saved before an unexpected end.") % newest.title,
            self.tr("It can be restored."),
            (self.tr("Restore"), lambda: self.files.open_recovered(newest)),
            (self.tr("Discard"), lambda: self.files.discard_recovered(newest)),
            closable=False,
        )
