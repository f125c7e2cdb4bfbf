"""Which answers go together, estimated from distorted data."""

from __future__ import annotations

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from ppworkbench.gui.columns import are_moved, restore_columns
from ppworkbench.gui.dialogs import show_dialog
from ppworkbench.gui.files import FileActions
from ppworkbench.gui.pages.mine.absences import CHOOSE, MINE, Absence, why_not_mine
from ppworkbench.gui.pages.mine.banners import Banners
from ppworkbench.gui.pages.mine.belonging import mark_of
from ppworkbench.gui.pages.mine.choices import Choices
from ppworkbench.gui.pages.mine.errors_card import ErrorsCard
from ppworkbench.gui.pages.mine.exporting import Exporting
from ppworkbench.gui.pages.mine.item_dialog import ItemDialog
from ppworkbench.gui.pages.mine.items import Offer, offer_of
from ppworkbench.gui.pages.mine.listing import Listing
from ppworkbench.gui.pages.mine.mining import Mining
from ppworkbench.gui.pages.mine.request import Request
from ppworkbench.gui.pages.mine.settings_card import WIDTH, SettingsCard
from ppworkbench.gui.pages.mine.showing import Showing
from ppworkbench.gui.pages.mine.table_card import RULES, SETS, TableCard
from ppworkbench.gui.pages.mine.telling import Telling
from ppworkbench.gui.pages.mine.truth_card import TruthCard
from ppworkbench.gui.pages.mine.viewing import Viewing
from ppworkbench.gui.pages.page import Page
from ppworkbench.gui.single_shot import single_shot
from ppworkbench.gui.widgets.layouts import column, scroll_area, three_columns
from ppworkbench.gui.workbench import Workbench

_RIGHT = 336


class MinePage(Page):
    """Settings at the left, the table in the middle, the truth at the right."""

    name = "mine"

    def __init__(self, workbench: Workbench, files: FileActions | None = None) -> None:
        super().__init__(workbench)
        self.files = files
        self.title = self.tr("Mine")
        self.question = self.tr("Which answers go together, estimated from distorted data")
        self.choices = Choices(self)
        self.viewing = Viewing(self)
        self.mining = Mining(workbench, self)
        self.exporting = Exporting(self)
        self.offer = Offer()
        self.mark = ""
        self._offered: object = None
        self._marked: object = None
        self._due = single_shot(self, self._on_due)
        self._later = single_shot(self, self._show_truth)
        self._stale_due = single_shot(self, self._look_for_staleness, 300)
        self._make_actions()
        self._make_parts()

    def _make_parts(self) -> None:
        self._build()
        self.showing = Showing(self)
        self.telling = Telling(self.workbench, self.mining, self.table_card, self)
        self._listen()
        self._restore()

    def _make_actions(self) -> None:
        self.name_primary("mineNow", self.tr("Mine", "verb"), "play", self.mine)
        self.copy_action = self.action("mineCopy", self.tr("Copy"), "copy", self.exporting.copy)
        self.export_action = self.action(
            "mineExport", self.tr("Export table…"), "export", self.exporting.ask
        )
        self.cancel_action = self.action(
            "mineCancel", self.tr("Cancel"), "close", self.mining.cancel
        )
        self.cancel_action.setVisible(False)
        self.secondary = [self.copy_action, self.export_action, self.cancel_action]

    def _build(self) -> None:
        themes = self.themes
        self.settings_card = SettingsCard(themes)
        self.table_card = TableCard(themes)
        self.truth = TruthCard(themes)
        self.errors = ErrorsCard(themes)
        self.truth.make_plot()
        self.table_card.make_runs()
        # The page itself decides whether there are errors to be seen, an audience about the room.
        inner, self.below = QWidget(), QWidget()
        column(self.errors, parent=self.below)
        self._inner = column(self.truth, self.below, parent=inner, spacing=12)
        self._inner.setStretch(0, 55)
        self.show_errors(True)
        self.right = scroll_area(inner)
        self.columns = three_columns("mineColumns", self.settings_card, self.table_card, self.right)
        self.banners = Banners(self)
        layout = column(self.banners.stale, self.banners.note, self.columns, parent=self, spacing=8)
        layout.setContentsMargins(16, 4, 16, 12)
        layout.setStretch(2, 1)
        restore_columns(self, self.workbench.settings)
        self._restyle()

    def _restyle(self) -> None:
        self.right.setMinimumWidth(self.themes.theme.px(272))

    def _listen(self) -> None:
        store, card, table = self.store, self.settings_card, self.table_card
        store.study_opened.connect(self._on_opened)
        store.data_changed.connect(self._on_study_changed)
        store.design_changed.connect(self._on_study_changed)
        store.settings_changed.connect(self._on_study_changed)
        store.results_changed.connect(self._on_results)
        self.choices.changed.connect(self._on_choices)
        self.viewing.view_changed.connect(self._on_view)
        self.viewing.wish_changed.connect(self._on_wish)
        self.viewing.measure_changed.connect(self.showing.show_runs)
        self.mining.runs_changed.connect(self._on_runs)
        self.telling.changed.connect(self._update_actions)
        card.choose_requested.connect(self.choose_items)
        card.item_removed.connect(self._on_removed)
        self.choices.follow(card)
        card.help_requested.connect(self.workbench.help_requested)
        self.viewing.follow(table)
        table.action_requested.connect(self._on_empty_action)
        for view in (SETS, RULES):
            table.listing_view(view).sort_requested.connect(
                lambda name, v=view: self._on_sort(v, name)
            )
        table.sets.current_changed.connect(self.truth.choose)
        table.run_chosen.connect(self.bring_back)
        table.run_removed.connect(self.mining.remove)
        self.truth.place_chosen.connect(self.showing.choose_place)
        self.themes.theme_changed.connect(self._restyle)

    # The study

    def show_errors(self, are_known: bool) -> None:
        """Show errors by size; without them the picture above has all of the column."""
        self.errors.setVisible(are_known)
        self._inner.setStretch(1, 45 if are_known else 0)
        self._inner.setSpacing(12 if are_known else 0)

    @property
    def asides(self) -> tuple[QWidget, ...]:
        """Parts that an audience does without."""
        return (self.settings_card, self.below)

    def shown(self) -> None:
        """Bring everything up to date."""
        super().shown()
        self._on_study_changed()

    def _on_opened(self) -> None:
        # First: what is forgotten is shown, and items of the study before are unknown to this one.
        self.offer, self._offered = Offer(), None
        self.mining.forget()
        self.choices.forget()

    def _on_results(self, name: str) -> None:
        if name in ("", self.name) and not self.mining.is_keeping:
            self._restore()

    def _restore(self) -> None:
        """Take up the runs of the study, with the settings of the last one."""
        self.mining.restore()
        run = self.mining.current
        if run is not None and not self.mining.is_running:
            self.choices.take_over(run.request)

    def _on_study_changed(self) -> None:
        if self._is_front:
            self._due.start(0)
        elif self.mining.current is not None:
            # Somebody may be dragging on another page; the dot in the rail can wait.
            self._stale_due.start()

    def _look_for_staleness(self) -> None:
        self.mark = mark_of(self.store.study)
        self.stale_changed.emit(self.is_stale)

    def _on_due(self) -> None:
        """Get ready for another design first, each step in an event of its own."""
        study = self.store.study
        if self._marked is not study.design:
            self._marked = study.design
            mark_of(study)
            self._due.start(0)
        elif self._offered is not study.design:
            self._read_offer()
            self._due.start(0)
        else:
            self.refresh()

    def _read_offer(self) -> None:
        self._offered = self.store.study.design
        self.offer = offer_of(self.store.study)

    def refresh(self) -> None:
        """Show the study, the choices and the runs as they are now."""
        study = self.store.study
        if self._offered is not study.design:
            self._read_offer()
        self.mark = mark_of(study)
        self.showing.show_settings()
        self.showing.show_results()
        # The right column follows in an event of its own: together they would take too long.
        self._later.start(0)
        self.banners.show()
        self._update_actions()
        self.stale_changed.emit(self.is_stale)

    def _show_truth(self) -> None:
        self.showing.show_truth()

    @property
    def blocked(self) -> Absence | None:
        """Why nothing can be mined; None if something can."""
        return why_not_mine(self.store.study, self.offer, len(self.choices.items(self.offer)))

    @property
    def is_stale(self) -> bool:
        """Whether the run in front belongs to another design or other answers."""
        run = self.mining.current
        return run is not None and run.belongs_to != self.mark

    def listing(self, view: str) -> Listing | None:
        """The itemsets or the rules of the run in front."""
        run = self.mining.current
        if run is None:
            return None
        return run.rules if view == RULES else run.sets

    def request(self) -> Request:
        """What a run would be asked for now."""
        return self.choices.request(self.offer)

    # What a person does

    def mine(self) -> None:
        """Start a run with the chosen settings."""
        if self.blocked is None and not self.mining.is_running:
            self.mining.mine(self.request())

    def bring_back(self, number: int) -> None:
        """Show an earlier run and its settings."""
        run = next((one for one in self.mining.runs if one.number == number), None)
        if run is None or self.mining.is_running:
            return
        self.choices.take_over(run.request)
        self.mining.bring_back(number)

    def choose_items(self) -> ItemDialog:
        """Open the list of items."""
        chosen = self.choices.items(self.offer)
        dialog = ItemDialog(self.themes, self.offer, chosen, self.window())
        dialog.accepted.connect(lambda: self.choices.set_items(dialog.chosen))
        show_dialog(dialog, self.themes)
        return dialog

    def _on_removed(self, place: int) -> None:
        items = self.choices.items(self.offer)
        self.choices.set_items((*items[:place], *items[place + 1 :]))

    def _on_choices(self) -> None:
        if self._is_front:
            self.showing.show_settings()
            self.showing.show_view()
            self._update_actions()

    def _on_view(self) -> None:
        self.showing.show_view()
        self._update_actions()

    def _on_wish(self) -> None:
        self.table_card.filter.setText(self.viewing.text)
        run = self.mining.current
        if run is not None:
            self.table_card.show_sizes(len(run.found), *self.viewing.sizes)
        self.showing.arrange()

    def _on_sort(self, view: str, column_name: str) -> None:
        listing = self.listing(view)
        if listing is not None:
            self.viewing.sort_by(view, column_name, listing.bar)

    def _on_empty_action(self) -> None:
        absence = self.showing.absence
        if absence is None:
            return
        if absence.to == MINE:
            self.mine()
        elif absence.to == CHOOSE:
            self.choose_items()
        else:
            self.workbench.page_requested.emit(absence.to)

    # States

    def _on_runs(self) -> None:
        # In an event of its own: the result has just been taken over.
        self._on_study_changed()

    def _update_actions(self) -> None:
        running, blocked = self.mining.is_running, self.blocked
        self.primary.setText(self.tr("Running…") if running else self.tr("Mine", "verb"))
        self.primary.setEnabled(not running and blocked is None)
        why = "" if blocked is None else blocked.missing
        self.primary.setToolTip(why or self.tr("Find the itemsets and rules (Ctrl+Enter)"))
        self.cancel_action.setVisible(running)
        self.copy_action.setVisible(not running)
        self.exporting.update_actions()
        locked = self.tr("Locked while a run is under way; cancel to change.")
        self.settings_card.set_locked(locked if self.telling.is_telling else "")

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Give the table what room there is, unless somebody moved the columns."""
        super().resizeEvent(event)
        if not are_moved(self.columns):
            px = self.themes.theme.px
            left, right = (WIDTH, _RIGHT) if self.width() >= px(1190) else (0, 0)
            if self.width() >= px(1600):
                left, right = 280, 460
            self.columns.setSizes([px(left), self.width(), px(right)])
