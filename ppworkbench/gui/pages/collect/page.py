"""Get the questions to people: ways out, a page on this computer, and how answers arrive."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QHideEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QStackedWidget, QWidget

from ppworkbench.analyses.collecting import live_targets
from ppworkbench.analyses.monitoring import Monitoring, monitor
from ppworkbench.analyses.ways_out import (
    InexactQuestion,
    TargetFit,
    inexact_questions,
    target_fits,
    with_nearest,
)
from ppworkbench.core.design.procedures import NO_DEVICE
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.message import attributes_in
from ppworkbench.core.progress import Progress
from ppworkbench.fieldwork.kit import NearestDevice, asked_in
from ppworkbench.fieldwork.poster import make_poster
from ppworkbench.gui.application import single_shot
from ppworkbench.gui.collecting import Collecting, StartRequest
from ppworkbench.gui.dialogs import ButtonRole, Choice, ask, ask_number, save_file, show_dialog
from ppworkbench.gui.files import FileActions
from ppworkbench.gui.language import speech, translate
from ppworkbench.gui.numbers import number
from ppworkbench.gui.page_task import PageTask
from ppworkbench.gui.pages.collect.closing import ClosingDialog, closing_words, is_over
from ppworkbench.gui.pages.collect.hand_out_card import AddressScreen, HandOutCard
from ppworkbench.gui.pages.collect.progress_cards import (
    DaysCard,
    EstimateCard,
    MonitoringCard,
    StatusStrip,
)
from ppworkbench.gui.pages.collect.start_card import StartCard
from ppworkbench.gui.pages.collect.ways_card import WayOut, WaysCard
from ppworkbench.gui.pages.page import Page
from ppworkbench.gui.pdf.kit import print_kit
from ppworkbench.gui.widgets.banner import Banner
from ppworkbench.gui.widgets.controls import Segmented
from ppworkbench.gui.widgets.layout import column, named, row
from ppworkbench.gui.widgets.splitter import are_moved, splitter
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.answer_state import AnswerState
from ppworkbench.study.bundle_target import file_stem
from ppworkbench.study.language import translatable
from ppworkbench.study.study import Study

if TYPE_CHECKING:
    from ppworkbench.fieldwork.responses.taken import TakenAnswers

HERE, WAYS = "here", "ways"
ESTIMATE, MONITORING = "estimate", "monitoring"
_LEFT, _RIGHT, _NARROW = 286, 432, 1190
_LARGEST_TOKENS = 100_000

_WAYS = {
    "cards": (translatable("Printable cards"), translatable("A6 or four on A4, PDF"), "copy"),
    "paper": (
        translatable("Paper form"), translatable("questions and instructions, PDF"), "file",
    ),
    "xlsform": ("XLSForm", translatable("ODK, KoboToolbox; XLSX"), "questionnaire"),
    "redcap": ("REDCap", translatable("data dictionary, CSV"), "data"),
    "limesurvey": ("LimeSurvey", translatable("question groups, tab-separated"), "questionnaire"),
    "qualtrics": ("Qualtrics", translatable("Advanced Format and a check list"), "survey"),
    "surveyjs": ("SurveyJS", translatable("JSON for your own page"), "design"),
    "text": (
        translatable("Plain text"), translatable("for Google Forms and e-mail"), "edit",
    ),
    "page": (
        translatable("Questionnaire page"), translatable("one HTML file, no server needed"), "app",
    ),
    "snippets": (
        translatable("Scripts for platforms"),
        translatable("SurveyJS, Qualtrics and LimeSurvey draw in the browser"), "shield",
    ),
}  # fmt: skip
"""Title, hint and icon of the targets of the kit."""


def way_of(study: Study, fit: TargetFit) -> WayOut:
    """How the page shows a target of the kit."""
    title, hint, icon = _WAYS.get(fit.target, (fit.label, "", "export"))
    why = fit.why()
    refused = "" if why is None else translate(study.titled(why))
    group = "A" if fit.is_by_hand else "B"
    return WayOut(fit.target, translate(title), translate(hint), icon, group, refused)


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
        self.fits: tuple[TargetFit, ...] = ()
        self._fitted: tuple[object, ...] = ()
        self._monitored: Monitoring | None = None
        self._document: object = None
        self._problem = ""
        self._is_narrow = False
        self._fitting: PageTask[tuple[TargetFit, ...]] = PageTask(
            workbench, "ways out", self, quiet=True
        )
        self._addressing: PageTask[tuple[str, ...]] = PageTask(
            workbench, "addresses", self, quiet=True
        )
        self._monitoring: PageTask[Monitoring] = PageTask(workbench, "monitor", self, quiet=True)
        self._due = single_shot(self, self.refresh)
        self._make_actions()
        self._make_cards()
        self._arrange()
        self._listen()

    @property
    def why_no_script(self) -> str:
        """Why nothing can be copied as a script."""
        return self.tr(
            "Answers are still coming in. Ask for the estimate on Survey and copy its script."
        )

    def _make_actions(self) -> None:
        self.set_primary("writeKit", self.tr("Write the kit…"), "export", self._on_primary)
        self.pause_action = self.action("pauseCollecting", "", "pause", self._on_pause)
        self.close_action = self.action(
            "closeCollecting", self.tr("Close…"), "lock", self._ask_to_close
        )
        self.kit_action = self.action(
            "writeKitToo", self.tr("Write the kit…"), "export", self.write_kit
        )
        self.round_action = self.action(
            "newRound", self.tr("Start a new round"), "refresh", self._ask_for_round
        )
        self.secondary = [
            self.kit_action, self.pause_action, self.close_action, self.round_action,
        ]  # fmt: skip

    def _make_cards(self) -> None:
        themes = self.themes
        self.banner = named(Banner(themes), "collectBanner")
        self.strip = StatusStrip(themes)
        self.start_card = StartCard(themes)
        self.hand_out = HandOutCard(themes)
        self.days = DaysCard(themes)
        self.estimate = EstimateCard(themes)
        self.monitoring = MonitoringCard(themes)
        self.ways = WaysCard(themes)
        choices = [(ESTIMATE, self.tr("Estimate")), (MONITORING, self.tr("Monitoring"))]
        self.view = named(Segmented(themes, self.tr("What is shown"), choices), "collectView")
        parts = [(HERE, self.tr("Collect here")), (WAYS, self.tr("Other ways out"))]
        self.tabs = named(Segmented(themes, self.tr("Part of the page"), parts), "collectTabs")

    def _arrange(self) -> None:
        self.left = QStackedWidget()
        self.left.addWidget(self.start_card)
        self.left.addWidget(self.hand_out)
        self.pictures = QStackedWidget()
        self.pictures.addWidget(self.estimate)
        self.pictures.addWidget(self.monitoring)
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
        for signal in (store.study_opened, store.data_changed, store.design_changed,
                       store.goals_changed, store.results_changed):  # fmt: skip
            signal.connect(self._on_study_changed)
        collecting.changed.connect(self._on_collecting)
        collecting.taken.connect(self._on_taken)
        collecting.start_refused.connect(self._on_start_refused)
        self._fitting.finished.connect(self._on_fits)
        self._addressing.finished.connect(self.start_card.show_addresses)
        self._monitoring.finished.connect(self._on_monitored)
        self.start_card.start_requested.connect(self.start)
        self.hand_out.stop_requested.connect(collecting.stop)
        self.hand_out.poster_requested.connect(self._choose_poster)
        self.strip.closing.clicked.connect(self._ask_for_closing)
        self.hand_out.screen_requested.connect(self.show_address)
        self.hand_out.tokens_requested.connect(self._ask_for_tokens)
        self.hand_out.open_requested.connect(self.workbench.open_outside)
        self.hand_out.copied.connect(lambda: self._say(self.tr("Address copied.")))
        self.estimate.target_chosen.connect(collecting.set_target)
        self.ways.export_requested.connect(lambda target: self.write_kit((target,)))
        self.ways.add_requested.connect(self.add_responses)
        self.ways.type_requested.connect(self.type_answers)
        self.ways.nearest_requested.connect(self.show_nearest)
        self.ways.design_requested.connect(self._show_refused)
        self.strip.take_over.clicked.connect(collecting.take_over)
        self.view.chosen.connect(lambda _: self._show_middle())
        self.tabs.chosen.connect(lambda _: self._show_tab())

    # Showing

    @property
    def optional_panels(self) -> tuple[QWidget, ...]:
        """Parts that an audience does without."""
        return (self.ways,)

    def kept(self) -> tuple[str, ...]:
        """What was chosen and found here."""
        return ("start_card.request", "_document")

    def shown(self) -> None:
        """Bring everything up to date, and look more often from now on."""
        super().shown()
        self.collecting.watch_closely(True)
        self._addressing.start("", _find_addresses)
        self._due.start(0)

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802
        """Look at the collection less often while nobody sees it."""
        super().hideEvent(event)
        self.collecting.watch_closely(False)

    def _on_study_changed(self, *_: object) -> None:
        if self._is_front:
            self._due.start(0)

    def _on_collecting(self) -> None:
        if self._is_front:
            self._due.start(0)

    def refresh(self) -> None:
        """Show the study and its collection as they are now."""
        study = self.store.study
        self._suggest_database(study)
        self._ask_fits(study)
        self._show_ways(study)
        targets = live_targets(study)
        self.estimate.offer(study, targets)
        self.collecting.set_target(self.estimate.target)
        self._show_collection(study)
        self._update_actions(study)

    def _suggest_database(self, study: Study) -> None:
        document = self.store.document
        folder = (
            self.store.path.parent
            if self.store.path is not None
            else Path(str(self.workbench.settings.value("files/folder", "") or Path.home()))
        )
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
        can_act = not collecting.is_busy
        is_open = state in ("open", "paused")
        self.pause_action.setVisible(is_open)
        # The button looks at the icon when it is told of the text.
        self.pause_action.setProperty("iconName", "play" if state == "paused" else "pause")
        self.pause_action.setText(
            self.tr("Resume") if state == "paused" else self.tr("Pause", "collecting")
        )
        self.close_action.setVisible(is_open)
        self.round_action.setVisible(state == "closed")
        has_answers = study.state in (AnswerState.REPORTED, AnswerState.TRUE)
        adds = is_open or state == "closed" or has_answers
        self.kit_action.setVisible(adds and not is_open)
        self.primary.setProperty("iconName", "plus" if adds else "export")
        self.primary.setText(self.tr("Add responses…") if adds else self.tr("Write the kit…"))
        self.primary.setEnabled(self.files is not None if adds else bool(study.design.attributes))
        for control in (
            self.pause_action, self.close_action, self.round_action, self.strip.take_over,
            self.strip.closing, self.hand_out.stop, self.hand_out.make_tokens,
        ):  # fmt: skip
            control.setEnabled(can_act)
        for button in (self.ways.add_responses, self.ways.type_answers):
            button.setEnabled(self.files is not None)
        # Once is enough on a page.
        self.ways.add_responses.setVisible(not adds)

    # Ways out

    def _ask_fits(self, study: Study) -> None:
        asked = (study.asked_design, study.questionnaire, speech.language)
        if asked == self._fitted:
            return
        self._fitted = asked

        def work(progress: Progress) -> tuple[TargetFit, ...]:
            progress(0.0)
            return target_fits(study, speech.language)

        self._fitting.start(self.tr("Checking the ways out"), work)

    def _on_fits(self, fits: tuple[TargetFit, ...]) -> None:
        self.fits = fits
        self._show_ways(self.store.study)

    def _show_ways(self, study: Study) -> None:
        if not self.fits:
            return
        words = self.tr(
            "The platform stores the true answer or the draw beside it. That protects nobody."
        )
        title = self.tr("Random functions of a platform")
        refused = WayOut("", title, "", "warning", "C", words)
        ways = [way_of(study, fit) for fit in self.fits]
        # One reason for all of a class is said once, above them.
        reasons = Counter(way.refused for way in ways if way.refused)
        note, count = reasons.most_common(1)[0] if reasons else ("", 0)
        faults = (why for fit in self.fits for _, why in fit.faults)
        self.ways.show_ways(
            (*ways, refused),
            note if count > 1 else "",
            has_nearest=any(why.code == NO_DEVICE for why in faults),
        )

    def _show_refused(self) -> None:
        """Show the question on Design for which the ways are refused."""
        note = self.ways.note.text()
        why = next(fit.why() for fit in self.fits if way_of(self.store.study, fit).refused == note)
        self.workbench.show_question("".join(attributes_in(why or "")[:1]))

    def show_nearest(self) -> None:
        """Offer the devices that come nearest to questions which none does exactly."""
        study = self.store.study
        if self.store.design_lock:
            self._say(self.store.design_lock)
            return

        def done(found: tuple[InexactQuestion, ...]) -> None:
            from ppworkbench.gui.pages.collect.nearest_dialog import NearestDialog

            if not found:
                self._say(self.tr("No device comes near; use the page."))
                return
            dialog = NearestDialog(self.themes, study, found, self.window())
            dialog.chosen.connect(take)
            show_dialog(dialog, self.themes)

        def take(chosen: Mapping[str, NearestDevice]) -> None:
            # Answers may have come in while somebody chose; only another design is in the way.
            now = self.store.study
            if self.store.design_lock:
                self._say(self.store.design_lock)
            elif now.design != study.design:
                words = self.tr(
                    "The design has changed; nothing was applied. Choose devices again."
                )
                self._say(words)
            else:
                self.store.apply(with_nearest(now, chosen), self.tr("Choose nearest devices"))

        self.workbench.run(
            self.tr("Comparing devices"),
            lambda progress: inexact_questions(study, progress),
            done,
            key="nearest",
        )

    def write_kit(self, targets: Sequence[str] = ()) -> None:
        """Open the window that writes the kit, or one target of it."""
        from ppworkbench.gui.pages.collect.kit_dialog import KitDialog

        fits = self.fits or target_fits(self.store.study, speech.language)
        chosen = tuple(targets) or tuple(fit.target for fit in fits if not fit.faults)
        show_dialog(KitDialog(self.workbench, fits, chosen, self.window()), self.themes)

    def add_responses(self) -> None:
        """Bring answers home that were given elsewhere."""
        if self.files is not None:
            self.files.responses.add_dialog()

    def type_answers(self) -> None:
        """Type in answers on paper."""
        if self.files is not None:
            self.files.responses.type_answers()

    def _on_primary(self) -> None:
        study = self.store.study
        has_answers = study.state in (AnswerState.REPORTED, AnswerState.TRUE)
        if self.collecting.request is not None or has_answers:
            self.add_responses()
        else:
            self.write_kit()

    # Collecting

    def start(self, request: StartRequest) -> None:
        """Begin to collect."""
        self._problem = ""
        self.collecting.start(request)

    def _on_start_refused(self, error: WorkbenchError) -> None:
        """Say beside the button why the collector did not start."""
        self._problem = translate(error.message)
        if self._is_front and self.left.currentWidget() is self.start_card:
            self._due.start(0)
        else:
            self.workbench.error_raised.emit(error)

    def show_address(self) -> None:
        """Show the address to a room."""
        address = self.hand_out.address.text()
        if address:
            title = self.store.study.title
            show_dialog(AddressScreen(self.themes, title, address, self.window()), self.themes)

    def _choose_poster(self) -> None:
        folder = str(self.workbench.settings.value("files/folder", "") or Path.home())
        name = f"{file_stem(self.store.study.title)}-poster.pdf"
        save_file(
            self, self.tr("Save the poster"), str(Path(folder) / name), "PDF (*.pdf)",
            self._write_poster,
        )  # fmt: skip

    def _write_poster(self, path: Path) -> None:
        study, address = self.store.study, self.hand_out.address.text()
        asked = asked_in(study, speech.language)
        language = speech.language if speech.language in asked.languages else asked.language

        def work(progress: Progress) -> None:
            progress(0.0)
            print_kit(make_poster(study, address, language), path)

        def done(_: object) -> None:
            self._say(self.tr("Saved %s.") % path.name)

        self.workbench.settings.setValue("files/folder", str(path.parent))
        self.workbench.run(self.tr("Saving %s") % path.name, work, done, key="poster")

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
            self, self.themes, self.tr("Close the collection?"),
            self.tr("No more answers are taken, and the stored rows are mixed for good. A closed "
                    "collection cannot be opened again; a new round begins with an empty count."),
            (
                Choice("close", self.tr("Close"), ButtonRole.AcceptRole),
                Choice("round", self.tr("Start a new round"), ButtonRole.AcceptRole),
                Choice("cancel", self.tr("Cancel"), ButtonRole.RejectRole),
            ),
            on_answer,
        )  # fmt: skip

    def _ask_for_round(self) -> None:
        ask(
            self, self.themes, self.tr("Start a new round?"),
            self.tr("Answers are collected again, for the design as it is now. Rounds are kept "
                    "apart and estimated apart."),
            (
                Choice("round", self.tr("Start a new round"), ButtonRole.AcceptRole),
                Choice("cancel", self.tr("Cancel"), ButtonRole.RejectRole),
            ),
            lambda answer: self.collecting.begin_round() if answer == "round" else None,
        )  # fmt: skip

    def _ask_for_tokens(self) -> None:
        from ppworkbench.fieldwork.collector.server import TOKEN_WARNING

        words = self.tr("How many? From then on every answer needs one.")
        dialog = ask_number(
            self, self.themes, self.tr("Make tokens"), f"{words}\n\n{translate(TOKEN_WARNING)}",
            100, (1, _LARGEST_TOKENS), lambda count: self._choose_token_file(int(count)),
        )  # fmt: skip
        dialog.setDoubleDecimals(0)

    def _choose_token_file(self, count: int) -> None:
        folder = str(self.workbench.settings.value("files/folder", "") or Path.home())
        save_file(
            self, self.tr("Save tokens"), str(Path(folder) / "tokens.csv"),
            self.tr("List or slips to print (*.csv *.html)"),
            lambda path: self._make_tokens(count, path),
        )  # fmt: skip

    def _make_tokens(self, count: int, path: Path) -> None:
        words = self.tr("%s tokens saved as %s.") % (number(count), path.name)
        self.collecting.make_tokens(count, path, lambda: self._say(words))

    # Taking answers over

    def _on_taken(self, taken: TakenAnswers) -> None:
        held = self.store.study.table
        # What changed while the answers were read is not known to be taken over.
        foreign = taken.foreign if held is taken.held else self.store.study.rows
        if not taken.answers.rows:
            self._say(self.tr("No answers have arrived yet."))
        elif foreign:
            self._ask_to_replace(foreign, lambda: self._take(taken))
        else:
            self._take(taken)

    def _ask_to_replace(self, foreign: int, replace: Callable[[], None]) -> None:
        asked = (
            self.tr("The study has 1 answer that was not taken over from this collection, or was "
                    "changed since. The collected answers replace it; Undo brings it back.")
            if foreign == 1
            else self.tr("The study has %s answers that were not taken over from this collection, "
                         "or were changed since. The collected answers replace them; Undo brings "
                         "them back.") % number(foreign)
        )  # fmt: skip
        ask(
            self, self.themes, self.tr("Replace the answers?"), asked,
            (
                Choice("replace", self.tr("Replace"), ButtonRole.AcceptRole),
                Choice("cancel", self.tr("Cancel"), ButtonRole.RejectRole),
            ),
            lambda answer: replace() if answer == "replace" else None,
        )  # fmt: skip

    def _take(self, taken: TakenAnswers) -> None:
        from ppworkbench.fieldwork.responses.taken import take_over

        rows = taken.answers.rows
        words = self.tr("Take over 1 answer")
        said = self.tr("1 reported answer is in the study.")
        if rows != 1:
            words = self.tr("Take over %s answers") % number(rows)
            said = self.tr("%s reported answers are in the study.") % number(rows)
        self.store.apply(take_over(self.store.study, taken), words)
        self.workbench.toast_requested.emit(said, True)

    def _say(self, words: str) -> None:
        self.workbench.toast_requested.emit(words, False)

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
        """The columns in sight."""
        return [part for part in (self.left, self.middle, self.ways) if part.isVisible()]
