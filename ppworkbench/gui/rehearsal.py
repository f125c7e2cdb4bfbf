"""Invented respondents in the window: starting a rehearsal, its settings, and what answers are."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QPushButton,
    QRadioButton,
    QWidget,
)

from ppworkbench.analyses.collecting.rehearsal import (
    MOST_RESPONDENTS,
    RESULTS,
    RehearsalSettings,
    Strength,
    rehearse,
)
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.message import Message
from ppworkbench.core.planning.questionnaire import planned_names
from ppworkbench.core.progress import Progress
from ppworkbench.gui.dialogs import ok_cancel, show_dialog
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.controls import ChoiceBox
from ppworkbench.gui.widgets.labels import ElidedLabel
from ppworkbench.gui.widgets.layout import column, named, row, scroll_area, show_words, text
from ppworkbench.gui.widgets.number_fields import CountBox, NumberBox
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.answer_state import AnswerState
from ppworkbench.study.state import why_not_state, with_state, without_invented
from ppworkbench.study.study import Study, have_same_answers

_LARGEST_SEED = 2**53
_MOST_ROWS = 200
"""Questions that have a box of their own; more than these go together as one box says."""
_DIFFERENT = ""


def start_rehearsal(
    workbench: Workbench,
    settings: RehearsalSettings | None = None,
    done: Callable[[], object] | None = None,
) -> None:
    """Invent answers in a job; they arrive as one undo step, unless somebody went on working."""
    study = workbench.store.study
    chosen = settings or RehearsalSettings.of(study)

    def work(progress: Progress) -> Study:
        return rehearse(study, chosen, progress)

    def on_done(rehearsed: Study) -> None:
        store = workbench.store
        now = store.study
        if not have_same_answers(now, study):
            return
        store.apply(
            now.with_(original=rehearsed.original, invented=True, settings=rehearsed.settings),
            tr("Invent answers"),
        )
        store.set_results(RESULTS, chosen.to_json())
        if done is not None:
            done()

    workbench.run(tr("Inventing answers"), work, on_done, key="rehearsal")


def open_rehearsal(workbench: Workbench, parent: QWidget) -> None:
    dialog = RehearsalDialog(workbench.themes, workbench.store.study, parent)
    dialog.chosen.connect(lambda settings: start_rehearsal(workbench, settings))
    show_dialog(dialog, workbench.themes)


def remove_invented(workbench: Workbench) -> None:
    """Take invented answers away; an undo brings them back."""
    study = workbench.store.study
    if study.state is AnswerState.INVENTED:
        workbench.store.apply(without_invented(study), tr("Remove simulated answers"))


class RehearsalDialog(QDialog):
    """How many people, which seed, and how strongly each question goes with the others."""

    chosen = Signal(object)
    """The settings."""

    def __init__(self, themes: ThemeManager, study: Study, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Simulation"))
        self.setObjectName("rehearsalDialog")
        usual = RehearsalSettings.of(study)
        self.n = CountBox("rehearsalN", self.tr("Invented respondents"), 1, MOST_RESPONDENTS)
        self.n.setGroupSeparatorShown(True)
        self.n.setValue(usual.n)
        self.seed = named(NumberBox(), "rehearsalSeed", self.tr("Random seed"))
        self.seed.setDecimals(0)
        self.seed.setGroupSeparatorShown(False)
        self.seed.setRange(0, _LARGEST_SEED)
        self.seed.setValue(study.settings.seed)
        names = planned_names(study.design)
        words = [(str(one), translate(one.words)) for one in Strength]
        self.all = ChoiceBox(self.tr("All questions"), [(_DIFFERENT, "–"), *words])
        self.all.setObjectName("strengthOfAll")
        self.all.chosen.connect(self._on_all)
        self.strengths: dict[str, ChoiceBox] = {}
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(6)
        for place, name in enumerate(names[:_MOST_ROWS]):
            shown = study.shown(name)
            box = named(ChoiceBox(self.tr("Association of %s") % shown, words), f"strength-{name}")
            box.set_current(str(usual.strength(name)))
            box.chosen.connect(lambda _: self._follow())
            self.strengths[name] = box
            grid.addWidget(ElidedLabel("body", shown), place, 0)
            grid.addWidget(box, place, 1)
        grid.setColumnStretch(0, 1)
        self._rest = {name: usual.strength(name) for name in names[_MOST_ROWS:]}
        inner = QWidget()
        column(grid, None, parent=inner)
        listed = scroll_area(inner)
        px = themes.theme.px
        listed.setMinimumHeight(px(min(34 * max(len(self.strengths), 1), 260)))
        buttons = ok_cancel(self, self._on_accept, self.tr("Simulate"))
        lead = self.tr(
            "Invented people answer every question as its expected distribution says. Nothing "
            "about them is real."
        )
        explained = self.tr(
            "Association: a question with “none” is answered independently of the others."
        )
        layout = column(
            text(lead, "secondary", wrap=True),
            row(text(self.tr("Invented respondents"), "label"), None, self.n),
            row(text(self.tr("Random seed"), "label"), None, self.seed),
            row(text(self.tr("Association of the questions"), "label"), None, self.all),
            listed,
            text(explained, "captionHint", wrap=True),
            buttons,
            parent=self, margin=16, spacing=10, stretch=4,
        )  # fmt: skip
        layout.addStrut(px(420))
        self._follow()

    @property
    def settings(self) -> RehearsalSettings:
        strengths = {name: Strength(box.current) for name, box in self.strengths.items()}
        return RehearsalSettings(
            self.n.value(), int(self.seed.value()), MappingProxyType(self._rest | strengths)
        )

    def _on_all(self, strength: str) -> None:
        if strength != _DIFFERENT:
            for box in self.strengths.values():
                box.set_current(strength)
            self._rest = dict.fromkeys(self._rest, Strength(strength))

    def _follow(self) -> None:
        found = {box.current for box in self.strengths.values()}
        found |= {str(strength) for strength in self._rest.values()}
        self.all.set_current(found.pop() if len(found) == 1 else _DIFFERENT)

    def _on_accept(self) -> None:
        self.chosen.emit(self.settings)
        self.accept()


class StateDialog(QDialog):
    """What the answers of a study are; a person may correct it, and nobody else does."""

    def __init__(
        self, workbench: Workbench, parent: QWidget, said: tuple[Message, Message]
    ) -> None:
        super().__init__(parent)
        self._workbench = workbench
        study = workbench.store.study
        self.setWindowTitle(self.tr("Kind of answers"))
        self.setObjectName("stateDialog")
        now = study.state
        heading = text(translate(said[0]), "subtitle", wrap=True)
        meaning = text(translate(said[1]), "secondary", wrap=True)
        self.reported = named(
            QRadioButton(self.tr("Reported: randomised by a card or page")), "stateReported"
        )
        self.true = named(QRadioButton(self.tr("True: asked directly")), "stateTrue")
        self._buttons = {AnswerState.REPORTED: self.reported, AnswerState.TRUE: self.true}
        self.problem = named(text("", "captionHint", wrap=True), "stateProblem")
        is_real = now in self._buttons
        reasons = []
        for state, button in self._buttons.items():
            button.setVisible(is_real)
            button.setChecked(state is now)
            why = why_not_state(study, state) if is_real else None
            button.setEnabled(why is None)
            if why is not None:
                reasons.append(translate(study.titled(why)))
        show_words(self.problem, " ".join(reasons))
        box = QDialogButtonBox.StandardButton
        self.buttons = QDialogButtonBox(box.Ok | box.Cancel if is_real else box.Close)
        if not is_real:
            self.buttons.button(box.Close).setText(self.tr("Close"))
        self._add_ways(now)
        self.buttons.accepted.connect(self._on_accept)
        self.buttons.rejected.connect(self.reject)
        layout = column(
            heading, meaning, self.reported, self.true, self.problem, self.buttons,
            parent=self, margin=16, spacing=10,
        )  # fmt: skip
        layout.addStrut(workbench.themes.theme.px(420))

    def _add_ways(self, now: AnswerState) -> None:
        role = QDialogButtonBox.ButtonRole.ActionRole
        if now in self._buttons:
            return
        begin = named(QPushButton(self.tr("Simulate…")), "stateRehearse")
        begin.clicked.connect(self._on_rehearse)
        self.buttons.addButton(begin, role)
        if now is AnswerState.INVENTED:
            remove = named(QPushButton(self.tr("Remove simulated answers")), "stateRemove")
            remove.clicked.connect(self._on_remove)
            self.buttons.addButton(remove, role)

    def _on_rehearse(self) -> None:
        workbench, parent = self._workbench, self.parentWidget()
        self.accept()
        open_rehearsal(workbench, parent)

    def _on_remove(self) -> None:
        remove_invented(self._workbench)
        self.accept()

    def _on_accept(self) -> None:
        study, store = self._workbench.store.study, self._workbench.store
        chosen = next((state for state, one in self._buttons.items() if one.isChecked()), None)
        if chosen is not None and chosen is not study.state:
            try:
                store.apply(with_state(study, chosen), self.tr("Change the kind of answers"))
            except WorkbenchError as error:
                self._workbench.error_raised.emit(error)
        self.accept()


def open_state(workbench: Workbench, parent: QWidget, said: tuple[Message, Message]) -> None:
    if not workbench.store.study.is_empty:
        show_dialog(StateDialog(workbench, parent, said), workbench.themes)
