"""Get the questions to people: ways out, a page on this computer, and how answers arrive."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QHideEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QWidget

from ppworkbench.analyses.collecting.live import live_targets
from ppworkbench.analyses.collecting.monitoring import Monitoring, monitor
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.progress import Progress
from ppworkbench.gui.collecting import Collecting, StartRequest
from ppworkbench.gui.dialogs import ButtonRole, Choice, ask, confirm, show_dialog
from ppworkbench.gui.files import FileActions
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.numbers import counted
from ppworkbench.gui.page_task import PageTask
from ppworkbench.gui.pages.collect.collection import (
    ClosingDialog,
    StartCard,
    closing_words,
    is_over,
)
from ppworkbench.gui.pages.collect.hand_out_card import HandOutCard
from ppworkbench.gui.pages.collect.progress_cards import (
    DaysCard,
    EstimateCard,
    MonitoringCard,
    StatusStrip,
)
from ppworkbench.gui.pages.collect.ways_card import WaysCard
from ppworkbench.gui.pages.page import Page
from ppworkbench.gui.widgets.banner import Banner
from ppworkbench.gui.widgets.controls import Segmented
from ppworkbench.gui.widgets.layout import column, named, row, stack
from ppworkbench.gui.widgets.splitter import are_moved, splitter
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.answer_state import AnswerState
from ppworkbench.study.bundle_target import file_stem
from ppworkbench.study.study import Study

if TYPE_CHECKING:
    from ppworkbench.fieldwork.responses.taken import TakenAnswers

HERE, WAYS = "here", "ways"
ESTIMATE, MONITORING = "estimate", "monitoring"
_LEFT, _RIGHT, _NARROW = 286, 432, 1190


def _find_addresses(progress: Progress) -> tuple[str, ...]:
    """The addresses of this computer; asking for its name may take seconds."""
    from ppworkbench.fieldwork.collector.server import own_addresses

    progress(0.0)
    return own_addresses()


class CollectPage(Page):
    """What is handed out and what arrives at the left and in the middle, ways out at the right."""

    name = "collect"

    def __init__(self, workbench: Workbench, files: FileActions | None = None) -> None:
        super().__init__(workbench)
        self.files = files
        self.title = self.tr("Collect")
        self.question = self.tr("Answers arrive already randomised")
        self.collecting = Collecting.of(workbench)
        self._monitored: Monitoring | None = None
        self._document: object = None
        self._problem = ""
        self._is_narrow = False
        self._addressing: PageTask[tuple[str, ...]] = PageTask(
            workbench, "addresses", self, quiet=True
        )
        self._monitoring: PageTask[Monitoring] = PageTask(workbench, "monitor", self, quiet=True)
        self._make_cards()
        self._make_actions()
        self._arrange()
        self._listen()

    @property
    def why_no_script(self) -> str:
        return self.tr(
            "Answers are still coming in. Ask for the estimate on Survey and copy its script."
        )

    def _make_actions(self) -> None:
        self.set_primary(
            "writeKit", self.tr("Export questionnaire kit…"), "export", self._on_primary
        )
        self.kit_action = self.action(
            "writeKitToo", self.tr("Export questionnaire kit…"), "export", self.ways.write_kit
        )
        self.pause = self.action("pauseCollecting", "", "pause", self._on_pause)
        self.close_action = self.action(
            "closeCollecting", self.tr("Close…"), "lock", self._ask_to_close
        )
        self.round = self.action(
            "newRound", self.tr("Start a new round"), "refresh", self._ask_for_round
        )
        self.secondary = [self.kit_action, self.pause, self.close_action, self.round]

    def _make_cards(self) -> None:
        themes = self.themes
        self.banner = named(Banner(themes), "collectBanner")
        self.strip = StatusStrip(themes)
        self.start_card = StartCard(themes)
        self.hand_out = HandOutCard(self.workbench, self.collecting)
        self.days = DaysCard(themes)
        self.estimate = EstimateCard(themes)
        self.monitoring = MonitoringCard(themes)
        self.ways = WaysCard(self.workbench, self.files)
        choices = [(ESTIMATE, self.tr("Estimate")), (MONITORING, self.tr("Monitoring"))]
        self.view = named(Segmented(themes, self.tr("What is shown"), choices), "collectView")
        parts = [(HERE, self.tr("Collect here")), (WAYS, self.tr("Other ways to ask"))]
        self.tabs = named(Segmented(themes, self.tr("Part of the page"), parts), "collectTabs")

    def _arrange(self) -> None:
        self.left = stack(self.start_card, self.hand_out)
        self.pictures = stack(self.estimate, self.monitoring)
        self.middle = QWidget()
        middle = column(
            self.days, row(self.view, None), self.pictures, parent=self.middle, spacing=8
        )
        middle.setStretch(0, 2)
        middle.setStretch(2, 5)
        across = Qt.Orientation.Horizontal
        self.here = splitter(across, "collectHere", self.left, self.middle)
        self.here.setStretchFactor(1, 1)
        self.columns = splitter(across, "collectColumns", self.here, self.ways)
        self.columns.setStretchFactor(0, 1)
        layout = column(
            self.banner, self.strip, row(self.tabs, None), self.columns, parent=self, spacing=8
        )
        layout.setContentsMargins(16, 4, 16, 12)
        layout.setStretch(3, 1)
        self.strip.hide()
        self.tabs.hide()

    def _listen(self) -> None:
        store, collecting = self.store, self.collecting
        self.follow(
            store.study_opened, store.data_changed, store.design_changed, store.goals_changed,
            store.results_changed, collecting.changed,
        )  # fmt: skip
        collecting.start_refused.connect(self._on_start_refused)
        collecting.taken.connect(self._on_taken)
        self.strip.closing.clicked.connect(self._ask_for_closing)
        self.strip.take_over.clicked.connect(collecting.take_over)
        self._addressing.finished.connect(self.start_card.show_addresses)
        self._monitoring.finished.connect(self._on_monitored)
        self.start_card.start_requested.connect(self.start)
        self.estimate.target_chosen.connect(collecting.set_target)
        self.view.chosen.connect(lambda _: self._show_middle())
        self.tabs.chosen.connect(lambda _: self._show_tab())

    # Showing

    @property
    def optional_panels(self) -> tuple[QWidget, ...]:
        return (self.ways,)

    def kept(self) -> tuple[str, ...]:
        return ("start_card.request", "_document")

    def shown(self) -> None:
        """Bring everything up to date, and look more often from now on."""
        super().shown()
        self.collecting.watch_closely(True)
        self._addressing.start("", _find_addresses)

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802
        """Look at the collection less often while nobody sees it."""
        super().hideEvent(event)
        self.collecting.watch_closely(False)

    def refresh(self) -> None:
        study = self.store.study
        self._suggest_database(study)
        self.ways.refresh()
        targets = live_targets(study)
        self.estimate.offer(study, targets)
        self.collecting.set_target(self.estimate.target)
        self._show_collection(study)
        self._update_actions(study)

    def _suggest_database(self, study: Study) -> None:
        document = self.store.document
        own = self.store.path
        folder = self.workbench.last_folder if own is None else own.parent
        place = folder / f"{file_stem(study.title)}-answers.sqlite"
        self.start_card.suggest(place, anew=document is not self._document)
        if document is not self._document:
            self._document, self._problem = document, ""

    def _show_collection(self, study: Study) -> None:
        seen, collecting = self.collecting.seen, self.collecting
        has_one = collecting.request is not None and seen is not None
        self.strip.setVisible(has_one)
        if collecting.problem:
            self.banner.say("error", collecting.problem, closable=False)
        elif has_one and collecting.is_open and is_over(collecting.until):
            self.banner.say("warning", self._overdue(), closable=False)
        else:
            self.banner.hide()
        if has_one and seen is not None:
            status = seen.status
            state = collecting.state
            is_open = state != "closed"
            self.strip.show_collection(
                "stopped" if collecting.is_open and not collecting.is_served else state,
                status.shown, seen.monitoring, status.round,
            )  # fmt: skip
            self.strip.show_closing(closing_words(collecting.until), is_open=is_open)
            self.hand_out.phone.show_study(study)
            self.hand_out.show_collection(
                status.address,
                is_secure=(status.address or "").startswith("https"),
                tokens_left=status.tokens_left,
            )  # fmt: skip
            self.days.show_monitoring(seen.monitoring, is_open=is_open)
            self.estimate.show_estimate(
                study, seen.estimate, is_open=is_open, is_live=is_open and collecting.is_served
            )
            self.monitoring.show_monitoring(study, seen.monitoring)
        else:
            self._monitor_study(study)
        is_idle = has_one and collecting.is_open and not collecting.is_served
        self.start_card.show_again(collecting.request if is_idle else None)
        self.start_card.show_problem(self._problem, is_busy=collecting.is_busy)
        self._show_left(self.hand_out if has_one and not is_idle else self.start_card)
        # Nothing is handed out of a closed collection.
        self.left.setVisible(not has_one or collecting.is_open)
        self._show_middle()
        self._fit()

    def _overdue(self) -> str:
        return self.tr(
            "The closing time has passed, but the collector did not run then: the collection is "
            "still open. Close it, or choose another time."
        )

    def _show_left(self, card: HandOutCard | StartCard) -> None:
        """Show another card at the left; the focus stays there, and the ways out begin anew."""
        if card is self.left.currentWidget():
            return
        focused = QApplication.focusWidget()
        has_focus = focused is not None and self.left.isAncestorOf(focused)
        self.left.setCurrentWidget(card)
        if has_focus:
            card.first.setFocus()
        self.ways.area.verticalScrollBar().setValue(0)

    def _show_middle(self) -> None:
        """Days and an estimate while there is a collection; reported answers alone otherwise."""
        has_one = self.collecting.request is not None and self.collecting.seen is not None
        is_reported = self.store.study.state is AnswerState.REPORTED
        self.middle.setVisible(has_one or is_reported)
        self.days.setVisible(has_one)
        self.view.setVisible(has_one)
        shows_estimate = has_one and self.view.current == ESTIMATE
        self.pictures.setCurrentWidget(self.estimate if shows_estimate else self.monitoring)

    def _monitor_study(self, study: Study) -> None:
        """Compare the reported answers of the study itself with what the design would give."""
        if study.state is not AnswerState.REPORTED:
            self._monitoring.drop()
            return

        def work(progress: Progress) -> Monitoring:
            return monitor(study, progress=progress)

        self._monitoring.start(self.tr("Monitoring"), work)

    def _on_monitored(self, found: Monitoring) -> None:
        self.monitoring.show_monitoring(self.store.study, found)

    def _update_actions(self, study: Study) -> None:
        collecting = self.collecting
        state = collecting.state if collecting.request is not None else ""
        is_open = state in ("open", "paused")
        self.pause.setVisible(is_open)
        # The button looks at the icon when it is told of the text.
        is_paused = state == "paused"
        self.pause.setProperty("iconName", "play" if is_paused else "pause")
        self.pause.setText(self.tr("Resume") if is_paused else self.tr("Pause", "collecting"))
        self.close_action.setVisible(is_open)
        self.round.setVisible(state == "closed")
        has_answers = study.state in (AnswerState.REPORTED, AnswerState.TRUE)
        adds = is_open or state == "closed" or has_answers
        self.kit_action.setVisible(adds and not is_open)
        self.primary.setProperty("iconName", "plus" if adds else "export")
        self.primary.setText(
            self.tr("Add responses…") if adds else self.tr("Export questionnaire kit…")
        )
        self.primary.setEnabled(self.files is not None if adds else bool(study.design.attributes))
        for control in (
            self.pause, self.close_action, self.round, self.strip.take_over, self.strip.closing,
            self.hand_out.stop, self.hand_out.make_tokens,
        ):  # fmt: skip
            control.setEnabled(not collecting.is_busy)
        # Once is enough on a page.
        self.ways.add_responses.setVisible(not adds)

    def _on_primary(self) -> None:
        study = self.store.study
        has_answers = study.state in (AnswerState.REPORTED, AnswerState.TRUE)
        if self.collecting.request is not None or has_answers:
            self.ways.add_responses.click()
        else:
            self.ways.write_kit()

    # Collecting

    def start(self, request: StartRequest) -> None:
        self._problem = ""
        self.collecting.start(request)

    def _on_start_refused(self, error: WorkbenchError) -> None:
        self._problem = translate(error.message)
        if self._is_front and self.left.currentWidget() is self.start_card:
            self._due.start(0)
        else:
            self.workbench.error_raised.emit(error)

    def _ask_for_closing(self) -> None:
        dialog = ClosingDialog(self.themes, self.collecting.until, self.window())
        dialog.chosen.connect(self.collecting.set_until)
        show_dialog(dialog, self.themes)

    def _on_pause(self) -> None:
        if self.collecting.state == "paused":
            self.collecting.resume()
        else:
            self.collecting.pause()

    def _ask_to_close(self) -> None:
        def on_answer(answer: str) -> None:
            if answer == "close":
                self.collecting.close_collection()
            elif answer == "round":
                self.collecting.begin_round()

        ask(
            self, self.themes, tr("Close the collection?"),
            tr("No more answers are taken, and the stored rows are mixed for good. A closed "
               "collection cannot be opened again; a new round begins with an empty count."),
            (
                Choice("close", tr("Close"), ButtonRole.AcceptRole),
                Choice("round", tr("Start a new round"), ButtonRole.AcceptRole),
            ),
            on_answer,
        )  # fmt: skip

    def _ask_for_round(self) -> None:
        confirm(
            self, self.themes, tr("Start a new round?"),
            tr("Answers are collected again, for the design as it is now. Rounds are kept "
               "apart and estimated apart."),
            tr("Start a new round"), self.collecting.begin_round,
        )  # fmt: skip

    def _on_taken(self, taken: TakenAnswers) -> None:
        held = self.store.study.table
        # What changed while the answers were read is not known to be taken over.
        foreign = taken.foreign if held is taken.held else self.store.study.rows
        if not taken.answers.rows:
            self.workbench.show_toast(tr("No answers have arrived yet."))
        elif foreign:
            self._ask_to_replace(foreign, lambda: self._take(taken))
        else:
            self._take(taken)

    def _ask_to_replace(self, foreign: int, replace: Callable[[], None]) -> None:
        asked = counted(
            foreign,
            tr("The study has 1 answer that was not imported from this collection, or was "
               "changed since. The collected answers replace it; Undo brings it back."),
            tr("The study has %s answers that were not imported from this collection, or were "
               "changed since. The collected answers replace them; Undo brings them back."),
        )  # fmt: skip
        title = tr("Replace the answers?")
        confirm(self, self.themes, title, asked, tr("Replace"), replace)

    def _take(self, taken: TakenAnswers) -> None:
        from ppworkbench.fieldwork.responses.taken import take_over

        rows = taken.answers.rows
        words = counted(rows, tr("Import 1 answer"), tr("Import %s answers"))
        told = tr("1 reported answer is in the study."), tr("%s reported answers are in the study.")
        self.store.apply(take_over(self.store.study, taken), words)
        self.workbench.show_toast(counted(rows, *told), can_undo=True)

    # Columns

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Give the ways out a tab of their own where there is little room."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        px = self.themes.theme.px
        is_narrow = self.width() < px(_NARROW)
        self._is_narrow = is_narrow
        self.strip.set_narrow(is_narrow)
        self._show_tab()
        if not are_moved(self.columns) and not is_narrow:
            self.columns.setSizes([self.width() - px(_RIGHT), px(_RIGHT)])
        if not are_moved(self.here):
            room = self.width() - (0 if is_narrow else px(_RIGHT))
            is_beside = not self.middle.isHidden()
            left = px(_LEFT) if is_beside else max(px(_LEFT + 90), room // 2)
            self.here.setSizes([left, max(room - left, 1)])

    def _show_tab(self) -> None:
        shows_ways = self.tabs.current == WAYS
        # An audience does without the ways out.
        is_projected = self.themes.is_projected
        self.tabs.setVisible(self._is_narrow and not is_projected)
        self.here.setVisible(not self._is_narrow or not shows_ways or is_projected)
        self.ways.setVisible((not self._is_narrow or shows_ways) and not is_projected)

    def column_stops(self) -> Sequence[QWidget]:
        return [part for part in (self.left, self.middle, self.ways) if part.isVisible()]
