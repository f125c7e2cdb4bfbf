"""The ways a study gets out to people: cards, paper, pages and survey platforms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QSizePolicy, QWidget

from ppworkbench.analyses.collecting.ways_out import (
    InexactQuestion,
    TargetFit,
    inexact_questions,
    target_fits,
    with_nearest,
)
from ppworkbench.core.design.procedures import NO_DEVICE
from ppworkbench.core.message import attributes_in
from ppworkbench.core.progress import Progress
from ppworkbench.fieldwork.kit.nearest import NearestDevice
from ppworkbench.gui.dialogs import show_dialog
from ppworkbench.gui.files import FileActions
from ppworkbench.gui.language import speech, tr, translate
from ppworkbench.gui.page_task import PageTask
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.controls import Button, IconLabel
from ppworkbench.gui.widgets.layout import (
    clear,
    column,
    line,
    named,
    row,
    scroll_area,
    show_words,
    text,
)
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.language import translatable
from ppworkbench.study.study import Study

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

_TWO_COLUMNS = 380
"""Width of the card above which two ways stand side by side."""


@dataclass(frozen=True)
class WayOut:
    """One way out as its card shows it.

    Parameters
    ----------
    target
        What the writer of kits calls it; empty for what is only refused.
    group
        A: the device stays with the respondent; B: the page draws before it sends; C: refused.
    refused
        Why it cannot be written; empty if it can.
    """

    target: str
    title: str
    hint: str
    icon: str
    group: str
    refused: str = ""


def way_of(study: Study, fit: TargetFit) -> WayOut:
    title, hint, icon = _WAYS.get(fit.target, (fit.label, "", "export"))
    why = fit.why()
    refused = "" if why is None else translate(study.titled(why))
    group = "A" if fit.is_by_hand else "B"
    return WayOut(fit.target, translate(title), translate(hint), icon, group, refused)


def _badge(letter: str) -> QLabel:
    """The letter of a class: tinted for A, sunken for B, open for C."""
    label = text(letter, f"class{letter}")
    label.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
    label.setAccessibleName(tr("Class %s") % letter)
    label.setToolTip(label.accessibleName())
    return label


class _WayFrame(QFrame):
    """One way: what it is, its class, and a button, or why it is refused."""

    def __init__(self, themes: ThemeManager, way: WayOut, *, is_above: bool = False) -> None:
        super().__init__()
        self.way = way
        refused = tr("not possible with this design") if way.refused and is_above else way.refused
        name = way.target or "refused"
        self.setObjectName(f"way-{name}")
        self.setProperty("look", "card" if not way.refused else "note")
        self.setAccessibleName(way.title)
        head = row(
            IconLabel(themes, way.icon, "text2" if not way.refused else "text3", 17),
            text(way.title, "strong", wrap=True),
            _badge(way.group),
            spacing=8,
        )
        head.setStretch(1, 1)
        self.words = named(text(refused or way.hint, "hint", wrap=True), f"words-{name}")
        if way.refused:
            self.setToolTip(way.refused)
        self.export = named(Button(themes, tr("Export…"), look="link"), f"export-{name}")
        self.export.setAccessibleName(tr("Export %s…") % way.title)
        layout = column(head, self.words, None, row(self.export, None), parent=self, spacing=4)
        layout.setContentsMargins(11, 8, 9, 8)
        self.export.setVisible(not way.refused)


class WaysCard(Card):
    """Cards of all ways, and what their classes mean."""

    def __init__(self, workbench: Workbench, files: FileActions | None) -> None:
        super().__init__(padding=0)
        self.setObjectName("waysOut")
        themes = self._themes = workbench.themes
        self._workbench, self._store, self._files = workbench, workbench.store, files
        self.fits: tuple[TargetFit, ...] = ()
        self._fitted: tuple[object, ...] = ()
        self._fitting: PageTask[tuple[TargetFit, ...]] = PageTask(
            workbench, "ways out", self, quiet=True
        )
        self._fitting.finished.connect(self._on_fits)
        self._shown: tuple[WayOut, ...] | None = None
        self._frames: list[_WayFrame] = []
        self._columns = 0
        self._grid = QGridLayout()
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(8)
        self.note = named(text("", "warning", wrap=True, hidden=True), "waysNote")
        self.design = named(Button(themes, tr("Go to Design"), "arrow-right"), "waysToDesign")
        self.design.hide()
        self.nearest = named(Button(themes, tr("Nearest devices…"), "dice"), "waysNearest")
        self.nearest.hide()
        self.add_responses = named(Button(themes, tr("Add responses…"), "plus"), "addResponses")
        self.type_answers = named(
            Button(themes, tr("Type in paper answers…"), "edit"), "typeAnswers"
        )
        inner = QWidget()
        layout = column(
            column(
                text(tr("Other ways to ask"), "strong"),
                text(tr("the same design on paper and on other platforms"), "hint", wrap=True),
                spacing=1,
            ),
            self.note,
            row(self.nearest, self.design, None),
            self._grid,
            line(),
            self._legend(
                "A",
                tr("The device stays with the respondent"),
                tr("cards, a die, a birthday: nobody else sees the draw"),
            ),
            self._legend(
                "B",
                tr("The page draws before it sends"),
                tr("who serves the page could change it"),
            ),
            line(),
            text(tr("Answers from elsewhere come back by “Add responses…”."), "hint", wrap=True),
            row(self.add_responses, self.type_answers, None),
            None,
            parent=inner,
            spacing=8,
        )
        layout.setContentsMargins(14, 12, 14, 12)
        self.area = scroll_area(inner)
        self.body.addWidget(self.area, 1)
        for button, do in (
            (self.add_responses, self._on_add), (self.type_answers, self._on_type),
            (self.nearest, self.show_nearest), (self.design, self._show_refused),
        ):  # fmt: skip
            button.clicked.connect(do)
            button.setEnabled(files is not None or do not in (self._on_add, self._on_type))

    def _legend(self, letter: str, title: str, words: str) -> QWidget:
        holder = QWidget()
        said = column(text(title, "strong", wrap=True), text(words, "hint", wrap=True), spacing=1)
        row(_badge(letter), said, parent=holder, spacing=10, stretch=1)
        return holder

    @property
    def ways(self) -> tuple[WayOut, ...]:
        return self._shown or ()

    def show_ways(
        self, ways: Sequence[WayOut], note: str = "", *, has_nearest: bool = False
    ) -> None:
        """Show other ways; nothing is made anew where they are the same."""
        self.nearest.setVisible(has_nearest)
        if (tuple(ways), note) == (self._shown, self.note.text()):
            return
        self._shown = tuple(ways)
        show_words(self.note, note)
        self.design.setVisible(bool(note))
        clear(self._grid)
        self._frames = []
        for way in self._shown:
            frame = _WayFrame(self._themes, way, is_above=way.refused == note)
            frame.export.clicked.connect(
                lambda _=False, target=way.target: self.write_kit((target,))
            )
            self._frames.append(frame)
        self._columns = 0
        self._place()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Put the ways side by side where there is room."""
        super().resizeEvent(event)
        self._place()

    def _place(self) -> None:
        columns = max(self.width() // self._themes.theme.px(_TWO_COLUMNS // 2), 1)
        columns = min(columns, 4)
        if columns == self._columns:
            return
        self._columns = columns
        for place, frame in enumerate(self._frames):
            self._grid.addWidget(frame, place // columns, place % columns)
        for place in range(4):
            self._grid.setColumnStretch(place, 1 if place < columns else 0)

    def refresh(self) -> None:
        """Show the ways of the study, and find out again what each can say."""
        study = self._store.study
        self._show(study)
        asked = (study.asked_design, study.questionnaire, speech.language)
        if asked == self._fitted:
            return
        self._fitted = asked

        def work(progress: Progress) -> tuple[TargetFit, ...]:
            progress(0.0)
            return target_fits(study, speech.language)

        self._fitting.start(tr("Checking the ways out"), work)

    def _on_fits(self, fits: tuple[TargetFit, ...]) -> None:
        self.fits = fits
        self._show(self._store.study)

    def _show(self, study: Study) -> None:
        if not self.fits:
            return
        words = tr(
            "The platform stores the true answer or the draw beside it. That protects nobody."
        )
        title = tr("Random functions of a platform")
        refused = WayOut("", title, "", "warning", "C", words)
        ways = [way_of(study, fit) for fit in self.fits]
        # One reason for all of a class is said once, above them.
        reasons = Counter(way.refused for way in ways if way.refused)
        note, count = reasons.most_common(1)[0] if reasons else ("", 0)
        faults = (why for fit in self.fits for _, why in fit.faults)
        self.show_ways(
            (*ways, refused),
            note if count > 1 else "",
            has_nearest=any(why.code == NO_DEVICE for why in faults),
        )

    def _show_refused(self) -> None:
        note = self.note.text()
        why = next(fit.why() for fit in self.fits if way_of(self._store.study, fit).refused == note)
        self._workbench.show_question("".join(attributes_in(why or "")[:1]))

    def show_nearest(self) -> None:
        """Offer the devices that come nearest to questions which none does exactly."""
        study = self._store.study
        if self._store.design_lock:
            self._workbench.show_toast(self._store.design_lock)
            return

        def done(found: tuple[InexactQuestion, ...]) -> None:
            from ppworkbench.gui.pages.collect.ways_dialogs import NearestDialog

            if not found:
                self._workbench.show_toast(tr("No device comes near; use the page."))
                return
            dialog = NearestDialog(self._themes, study, found, self.window())
            dialog.chosen.connect(take)
            show_dialog(dialog, self._themes)

        def take(chosen: Mapping[str, NearestDevice]) -> None:
            # Answers may have come in while somebody chose; only another design is in the way.
            now = self._store.study
            if self._store.design_lock:
                self._workbench.show_toast(self._store.design_lock)
            elif now.design != study.design:
                words = tr("The design has changed; nothing was applied. Choose devices again.")
                self._workbench.show_toast(words)
            else:
                self._store.apply(with_nearest(now, chosen), tr("Choose nearest devices"))

        self._workbench.run(
            tr("Comparing devices"),
            lambda progress: inexact_questions(study, progress),
            done,
            key="nearest",
        )

    def write_kit(self, targets: Sequence[str] = ()) -> None:
        from ppworkbench.gui.pages.collect.ways_dialogs import KitDialog

        fits = self.fits or target_fits(self._store.study, speech.language)
        chosen = tuple(targets) or tuple(fit.target for fit in fits if not fit.faults)
        show_dialog(KitDialog(self._workbench, fits, chosen, self.window()), self._themes)

    def _on_add(self) -> None:
        if self._files is not None:
            self._files.responses.add_dialog()

    def _on_type(self) -> None:
        if self._files is not None:
            self._files.responses.type_answers()
