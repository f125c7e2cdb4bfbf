"""What an attacker learns."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLineEdit, QSpinBox, QWidget

from ppworkbench.analyses.experiments.attack import (
    AttackRequest,
    AttackResult,
    linked_names,
    run_attack,
    usual_links,
)
from ppworkbench.analyses.survey.answers import (
    SurveyError,
    SurveyResult,
    answer_question,
)
from ppworkbench.analyses.survey.questions import (
    PARTICIPANTS,
    Question,
    first_question,
    problem_of,
    problem_with_parts,
)
from ppworkbench.core.attacks import attacks
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.message import Message, titled
from ppworkbench.core.survey.conditions.condition import as_condition
from ppworkbench.core.survey.participants import HIGHEST, RANDOM, WARNING, Participants
from ppworkbench.gui.charts.picture_chart import PictureChart
from ppworkbench.gui.dialogs import save_file
from ppworkbench.gui.files import write_answer, write_filters
from ppworkbench.gui.language import told_error, tr, translate
from ppworkbench.gui.numbers import number, with_unit
from ppworkbench.gui.page_task import PageTask
from ppworkbench.gui.pages.explore.attack_settings import (
    MEMBERS,
    AttackCard,
    why_not,
)
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.attribute_box import offer_attributes
from ppworkbench.gui.widgets.card import Card, EmptyReason, EmptyState
from ppworkbench.gui.widgets.controls import Button, IconButton, IconLabel, Segmented
from ppworkbench.gui.widgets.labels import ElidedLabel
from ppworkbench.gui.widgets.layout import (
    PageStack,
    column,
    line,
    named,
    reserve_least,
    row,
    scroll_area,
    scrolled,
    show_words,
    text,
)
from ppworkbench.gui.widgets.sheet_table import RowLooks, SheetTable
from ppworkbench.gui.widgets.splitter import ThreeColumns
from ppworkbench.gui.workbench import Workbench
from ppworkbench.results.sheet import Column, Kind, Sheet
from ppworkbench.study.study import Study

_SOME = 5
"""Attributes that are shown where no condition names any."""


def members_sheet(answer: SurveyResult, found: Participants) -> Sheet:
    """Record, the reported answers to what the condition asks, perhaps the truth, posterior."""
    table, study, rows, truly = answer.distorted, answer.study, found.rows, answer.truly

    def reported(name: str) -> Column:
        head = with_unit(study.shown(name), study.unit(name))
        meaning = f"{tr('reported answer')}\n{tr('Column: %s') % name}"
        column, kind = table[name], Kind.TEXT
        values: Any = column.data[rows]
        if column.is_categorical:
            # A missing answer has the code before the first one.
            values = np.array([*column.attribute.values, tr("missing")], object)[values]
        else:
            kind = Kind.NUMBER
        return Column(name, Message.of(head), kind, values, meaning=Message.of(meaning))

    unknown = np.full(len(rows), np.nan)
    columns = [
        Column(" record", Message(tr("Record")), Kind.COUNT, rows + 1),
        *map(reported, found.condition.attributes or table.names[:_SOME]),
    ]
    if truly is not None:
        true = np.where(truly, tr("yes"), tr("no")).astype(object)
        columns.append(Column(" true", Message(tr("True status")), Kind.TEXT, true))
    # Nobody knows an interval of it: it is drawn as a bar.
    columns += [
        Column(" posterior", Message(tr("Posterior")), Kind.SHARE, found.posterior, low=" low",
               high=" high"),
        Column(" low", Message(""), Kind.SHARE, unknown),
        Column(" high", Message(""), Kind.SHARE, unknown),
    ]  # fmt: skip
    return Sheet("members", Message(tr("Likely members")), tuple(columns))


_MOST = 10_000_000
_LARGEST_SEED = 2**31 - 1


class MembersCard(Card):
    """Who is looked for, how many are listed and how they are drawn, and what was found."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(tr("Likely members"))
        self._themes = themes
        self.warning = named(text(translate(WARNING), "body", wrap=True), "membersWarning")
        self.condition = named(QLineEdit(), "membersCondition", tr("Condition"))
        self.condition.setPlaceholderText("age >= 18 and vote = yes")
        self.size_box = self._box("sampleSize", tr("Number of people"), _MOST)
        self.size_box.setSpecialValueText(tr("as estimated"))
        self.draw = Segmented(
            themes, tr("Selection of people"),
            [(HIGHEST, tr("most probable")), (RANDOM, tr("at random"))],
        )  # fmt: skip
        self.draw.setObjectName("sampleDraw")
        self.seed = self._box("sampleSeed", tr("Seed of the draw"), _LARGEST_SEED)
        self.again = IconButton(themes, "dice", tr("Redraw with the next seed"), 16)
        self.again.setObjectName("sampleAgain")
        self.again.clicked.connect(lambda: self.seed.setValue(self.seed.value() + 1))
        self.summary = named(text("", "body", wrap=True), "membersSummary")
        self.truth = named(text("", "secondary", wrap=True), "membersTruth")
        self.remarks = named(text("", "captionHint", wrap=True), "membersRemarks")
        self.export = named(Button(themes, tr("Export list…"), "export"), "exportMembers")
        self.body.addLayout(row(IconLabel(themes, "warning", "warningText", 16), self.warning))
        self.add(line())
        for words, field in (
            (tr("Condition"), row(self.condition)),
            (tr("Number"), row(self.size_box, None)),
            (tr("Draw", "sampling"), row(self.draw, None)),
            (tr("Seed"), row(self.seed, self.again, None, spacing=4)),
        ):
            label = text(words, "label")
            label.setMinimumWidth(themes.theme.px(70))
            layout = row(label, field, stretch=1)
            self.body.addLayout(layout)
        self.add(line())
        for item in (self.summary, self.truth, self.remarks):
            self.add(item)
        self.body.addLayout(row(self.export, None))
        self.body.addStretch(1)

    def _box(self, name: str, words: str, high: int) -> QSpinBox:
        box = named(QSpinBox(), name, words)
        box.setRange(0, high)
        box.setGroupSeparatorShown(True)
        box.setKeyboardTracking(False)
        box.setMinimumWidth(self._themes.theme.px(120))
        return box

    def show_answer(self, answer: SurveyResult | None, words: str) -> None:
        """Tell what was found, or why there is nothing."""
        found = None if answer is None else answer.result
        show_words(self.summary, words)
        truth = ""
        remarks: tuple[str, ...] = ()
        if answer is not None and isinstance(found, Participants):
            remarks = tuple(one for one in answer.remarks if one != WARNING)
            if answer.truly is not None:
                right, listed = number(int(answer.truly.sum())), number(len(answer.truly))
                truth = tr(
                    "The true answers are known here: %s of the %s listed meet the condition."
                )
                truth %= (right, listed)
        show_words(self.truth, truth)
        show_words(self.remarks, "\n".join(map(translate, remarks)))
        self.export.setVisible(answer is not None)


class LikelyMembers(QWidget):
    """The question at the left, the list at the right; nothing of it is kept in the study."""

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self._workbench, self._store = workbench, workbench.store
        themes = self._themes = workbench.themes
        self.answer: SurveyResult | None = None
        self._asked: tuple[Question, Study] | None = None
        self._task: PageTask[SurveyResult | SurveyError] = PageTask(workbench, "members", self)
        self._task.finished.connect(self._on_done)
        self._task.failed.connect(
            lambda error: self._show(None, told_error(error, self._store.study))
        )
        self._task.stopped.connect(lambda: self._show(None, tr("Cancelled.")))
        self.card = MembersCard(themes)
        self.listing = Card(padding=0)
        self.listing.body.setContentsMargins(1, 1, 1, 6)
        self.table = SheetTable(themes, "membersTable", tr("Likely members"), pad=4)
        self.listing.add(self.table, 1)
        self.area = scroll_area(self.card)
        self.area.setFixedWidth(themes.theme.px(330))
        row(self.area, self.listing, parent=self, spacing=12, stretch=1)
        self.forget()
        self.card.condition.editingFinished.connect(self.refresh)
        self.card.size_box.valueChanged.connect(self.refresh)
        self.card.draw.chosen.connect(self.refresh)
        self.card.seed.valueChanged.connect(self.refresh)
        self.card.export.clicked.connect(self._export)

    def forget(self) -> None:
        """Another study is shown: begin with its sensitive answers."""
        self._task.drop()
        first = first_question(self._store.study).condition
        with QSignalBlocker(self.card.condition):
            self.card.condition.setText(str(first) if first.tests else "")
            # A long condition is read from its beginning.
            self.card.condition.setCursorPosition(0)
        self._show(None, "")

    def refresh(self) -> None:
        """List who meets the condition of now, unless that is shown or on its way."""
        card, study = self.card, self._store.study
        try:
            condition = as_condition(card.condition.text().strip())
            asked = Question(
                PARTICIPANTS, condition, size=card.size_box.value() or None,
                draw=card.draw.current, seed=card.seed.value(),
            )  # fmt: skip
            problem = problem_of(asked, study.design) or problem_with_parts(asked, study)
        except WorkbenchError as error:
            self._refuse(told_error(error, study))
            return
        if problem or not condition.tests:
            self._refuse(
                translate(study.titled(problem)) or tr("Enter a condition to list people.")
            )
            return
        asked, answer, source = asked.essence, self.answer, self._workbench.answers
        if answer is not None and answer.question == asked and answer.is_current(study):
            return
        if self._task.is_running and self._asked == (asked, study):
            return
        self._asked = asked, study
        self._show(None, tr("Computing…"))
        self._task.start(
            tr("Listing likely members"),
            lambda progress: answer_question(asked, study, source, progress),
        )

    def _refuse(self, words: str) -> None:
        self._task.drop()
        self._show(None, words)

    def _on_done(self, found: SurveyResult | SurveyError) -> None:
        if isinstance(found, SurveyError):
            self._show(None, translate(found.sentence))
        else:
            self._show(found, translate(found.sentence))

    def _show(self, answer: SurveyResult | None, words: str) -> None:
        self.answer = answer
        self.card.show_answer(answer, words)
        if answer is None or not isinstance(answer.result, Participants):
            self.table.hide()
            return
        self.table.set_sheet(members_sheet(answer, answer.result), RowLooks(reach=1.0))
        self.table.show()
        self.table.scrollToTop()

    def _export(self) -> None:
        answer, start = self.answer, f"{self._store.study.title}-members.csv"
        if answer is not None:
            save_file(
                self, tr("Export list"), start, write_filters(),
                lambda path: write_answer(self._workbench, answer, path),
            )  # fmt: skip


RECONSTRUCT, ATTACK = "reconstruct", "attack"


class ViewSwitch(Segmented):
    """Stands over the left column of either half, and always shows the half it stands in."""

    def __init__(self, themes: ThemeManager, own: str) -> None:
        super().__init__(themes, "", [])
        self.setAccessibleName(self.tr("View"))
        self.set_choices([(RECONSTRUCT, self.tr("Reconstruct")), (ATTACK, self.tr("Attack"))])
        self.set_current(own)
        self._own = own
        self.chosen.connect(lambda _: self.set_current(own))


class AnswerCard(Card):
    """Says what happened before it shows numbers."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(padding=0)
        self.sentence = named(text("", "body", wrap=True, selectable=True), "attackSentence")
        self.knows = named(text("", "captionHint", wrap=True), "attackKnows")
        # What matters least is left out where the table is narrow.
        self.table = SheetTable(
            themes, "attackTable", self.tr("Attack table"), chooses=False, pad=4, wraps=True,
            sorts=False,
            spare=("n", "standard_error", "low", "high", "unique_reported", "before"),
        )  # fmt: skip
        head = row(
            IconLabel(themes, "shield", "accentInk", 16), text(self.tr("In words"), "strong"), None
        )
        for item in (head, row(self.sentence), row(self.knows)):
            item.setContentsMargins(12, 0, 12, 0)
            self.body.addLayout(item)
        self.body.setContentsMargins(1, 11, 1, 8)
        self.body.addWidget(self.table, 1)
        self.body.addStretch(0)

    def show_result(self, found: AttackResult | None) -> None:
        self.table.setVisible(found is not None)
        if found is None:
            self.sentence.setText(self.tr("No attack yet."))
            self.knows.setText("")
            return

        def called(words: str) -> str:
            return titled(words, found.shown)

        self.sentence.setText(translate(called(found.sentence())))
        self.knows.setText("\n".join(map(translate, found.readings())))
        self.table.set_sheet(found.sheet().titled(called))


class AttackPicture(Card):
    """A title, the state of the work, and the picture."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(padding=14)
        self.title = ElidedLabel("strong", lines=2)
        self.updating = text(self.tr("updating"), "badge")
        self.cancel = named(Button(themes, self.tr("Cancel"), "close"), "cancelAttack")
        self.chart = named(PictureChart(themes, self.tr("Attack success")), "attackChart")
        self.empty = EmptyState(themes, "shield", "", "", self.tr("Attack"))
        self.empty.button.setObjectName("attackAgain")
        self.stack = PageStack()
        made = QWidget()
        column(self.chart.legend, self.chart, parent=made, spacing=6).setStretch(1, 1)
        self.stack.addWidget(made)
        self.stack.addWidget(self.empty)
        head = row(self.title, self.updating, self.cancel, spacing=10, stretch=0)
        self.body.setSpacing(6)
        self.body.addLayout(head)
        self.body.addWidget(self.stack, 1)

    def show_result(self, found: AttackResult, title: str) -> None:
        self.title.setText(title)
        self.chart.set_picture(found.picture())
        self.stack.setCurrentIndex(0)

    def show_empty(self, reason: EmptyReason) -> None:
        self.title.setText("")
        self.empty.show_reason(reason)
        self.stack.setCurrentWidget(self.empty)


class AttackLab(QWidget):
    """Follows the study while it is in front; every change of it is attacked anew."""

    view_chosen = Signal(str)

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self.workbench = workbench
        self.store = workbench.store
        self.attack = attacks.ranked[0].name
        self.result: AttackResult | None = None
        self.members: LikelyMembers | None = None
        """The list of likely members; made when it is first asked for."""
        self._known: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._task: PageTask[AttackResult] = PageTask(workbench, "attack lab", self, quiet=True)
        self._asked: tuple[AttackRequest, Study] | None = None
        """What was asked last; ``result`` answers it, or why there is none has been said."""
        self._build()

    def _build(self) -> None:
        themes = self.workbench.themes
        self.switch = named(ViewSwitch(themes, ATTACK), "attackView")
        self.settings = AttackCard(themes)
        self.picture = AttackPicture(themes)
        self.answer = AnswerCard(themes)
        left = QWidget()
        column(self.switch, scrolled(self.settings), parent=left, spacing=8, stretch=1)
        self.columns = ThreeColumns(themes, "attackColumns", left, self.picture, self.answer)
        self.left = left
        reserve_least(self.answer, themes, 340)
        reserve_least(self.picture, themes, 320)
        column(self.columns, parent=self)
        self._listen()

    def _listen(self) -> None:
        self.switch.chosen.connect(self.view_chosen)
        self.settings.attack_chosen.connect(self.choose)
        self.settings.attribute.chosen.connect(lambda name: self.store.select([name]))
        self.settings.known.ticked.connect(self._on_known)
        self.settings.help_requested.connect(self.workbench.help_requested)
        self.picture.cancel.clicked.connect(self._task.cancel)
        self.picture.empty.button.clicked.connect(self.refresh)
        self._task.show_while_slow(self.picture.updating, self.picture.cancel)
        self._task.finished.connect(self._on_done)
        self._task.failed.connect(self._on_failed)
        self._task.stopped.connect(self._on_stopped)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        px = self.workbench.themes.theme.px
        wide = self.width() >= px(1190)
        left, right = (264, 460 if self.width() >= px(1500) else 440) if wide else (0, 0)
        self.columns.setSizes([px(left), self.width(), px(right), self.width()])

    # What is attacked

    @property
    def listed(self) -> SurveyResult | None:
        is_shown = self.attack == MEMBERS and self.members is not None
        return self.members.answer if is_shown and self.members is not None else None

    @property
    def known(self) -> tuple[str, ...]:
        """What the attacker knows for linkage, in the order of the questionnaire."""
        study = self.store.study
        names = linked_names(study)
        return self._known.get(names, usual_links(study))

    @known.setter
    def known(self, known: tuple[str, ...]) -> None:
        self._known[linked_names(self.store.study)] = known

    def choose(self, key: str) -> None:
        if key == MEMBERS or key in attacks:
            self.attack = key
        self.refresh()

    def _on_known(self, name: str, on: bool) -> None:
        names = linked_names(self.store.study)
        ticked = {*self.known, name} if on else set(self.known) - {name}
        self.known = tuple(one for one in names if one in ticked)
        self.refresh()

    def refresh(self) -> None:
        """Attack what the study says now; what is known already is not done again."""
        study, name = self.store.study, self.store.current
        self._show_settings()
        if self._show_members():
            return
        reason = why_not(study, self.attack, name)
        kind = attacks[self.attack]
        if not reason and kind.takes_known and not self.known:
            reason = self.tr("Select at least 1 known attribute.")
        if reason:
            self._drop()
            self._show_nothing(EmptyReason(self.tr("This attack does not apply here."), reason))
            return
        request = AttackRequest(
            attack=self.attack,
            attribute=name if kind.takes_attribute else None,
            known=self.known if kind.takes_known else (),
        )
        if not self._is_asked(request, study):
            self._start(request, study)

    def _is_asked(self, request: AttackRequest, study: Study) -> bool:
        """Whether the same numbers are shown, or on their way."""
        if self._asked is None or self._asked[0] != request:
            return False
        before = self._asked[1]
        same_study = before.original is study.original and before.design is study.design
        return same_study and before.settings.seed == study.settings.seed

    @property
    def analysis(self) -> tuple[AttackRequest, Study] | None:
        return None if self.result is None else self._asked

    def _show_members(self) -> bool:
        """Whether the list of likely members takes the place of the numbers; it is shown then."""
        is_listed = self.attack == MEMBERS
        if is_listed and self.members is None:
            self.members = LikelyMembers(self.workbench)
            self.columns.addWidget(self.members)
            self.columns.setStretchFactor(self.columns.count() - 1, 1)
        for part in (self.picture, self.answer):
            part.setVisible(not is_listed)
        if self.members is not None:
            self.members.setVisible(is_listed)
        if is_listed and self.members is not None:
            self._drop()
            self.members.refresh()
        return is_listed

    def _show_settings(self) -> None:
        study, name = self.store.study, self.store.current
        names = [a.name for a in study.attributes if a.name in study.design]
        self.settings.attribute.offer(offer_attributes(study, names), name)
        self.settings.show_attacks(study, name, self.attack)
        self.settings.known.show_attributes(
            offer_attributes(study, linked_names(study)), self.known
        )

    def _start(self, request: AttackRequest, study: Study) -> None:
        answers = self.workbench.answers
        # The old numbers stay until the new ones come, but not under another attack's name.
        if self.result is None or self.result.attack != request.attack:
            self._show_nothing(EmptyReason(self.tr("Attacking…")))
        target = translate(attacks[request.attack].target)
        shown = study.shown(request.attribute) if request.attribute else target
        self._asked, self.result = (request, study), None
        self._task.start(
            self.tr("Attacking %s") % shown,
            lambda progress: run_attack(request, study, answers, progress),
            is_listed=True,
        )

    def forget(self) -> None:
        self._known.clear()
        self._drop()
        if self.members is not None:
            self.members.forget()

    def _drop(self) -> None:
        self._task.drop()
        self._asked = self.result = None

    # What came of it

    def _on_done(self, found: AttackResult) -> None:
        self.result = found
        entry = attacks.entry(found.attack)
        about = self._asked[0].attribute if self._asked is not None else None
        title = translate(entry.label)
        if about is not None:
            title = self.tr("%s: %s") % (title, found.shown(about))
        self.picture.show_result(found, title)
        self.answer.show_result(found)

    def _on_failed(self, error: BaseException) -> None:
        study = self.store.study if self._asked is None else self._asked[1]
        words = self.tr("This attack is not possible.")
        self._show_nothing(EmptyReason(words, told_error(error, study)))

    def _on_stopped(self) -> None:
        self._asked = None
        self._show_nothing(
            EmptyReason(
                self.tr("The attack was cancelled."),
                self.tr("Nothing was changed."),
                self.tr("Attack again"),
            )
        )

    def _show_nothing(self, reason: EmptyReason) -> None:
        self.picture.show_empty(reason)
        self.answer.show_result(None)
