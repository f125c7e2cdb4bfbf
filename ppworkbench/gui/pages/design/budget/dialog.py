"""Sharing out one total among the questions, seen before it is done."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QWidget,
)

from ppworkbench.analyses.designs.design import question_names
from ppworkbench.analyses.planning.study_budget import (
    BudgetBuilder,
    SharingPreview,
    SharingRow,
    belief_bounds,
    belief_total,
    make_finite,
    share_study,
    with_budget,
)
from ppworkbench.core.design.budget import (
    EQUAL,
    MAX,
    SUM,
    VARIANCE,
    WEIGHT,
    WEIGHTS,
    WIDTH,
    DesignBudget,
)
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.message import Message
from ppworkbench.gui.application import single_shot
from ppworkbench.gui.dialogs import resize_dialog
from ppworkbench.gui.language import told_error, tr, translate
from ppworkbench.gui.numbers import number, percent, probability, read_number, significant, trimmed
from ppworkbench.gui.page_task import PageTask
from ppworkbench.gui.pages.design.budget.summary import epsilon_text
from ppworkbench.gui.pages.design.cell_table import ENTER, CellModel, CellTable
from ppworkbench.gui.scripts import ScriptButton
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.cells import Column as TableColumn
from ppworkbench.gui.widgets.controls import Button, ChoiceBox, Segmented
from ppworkbench.gui.widgets.layout import (
    column,
    line,
    named,
    row,
    scroll_area,
    show_words,
    text,
)
from ppworkbench.gui.widgets.number_fields import CountBox, NumberBox
from ppworkbench.gui.widgets.sheet_table import RowLooks, SheetTable
from ppworkbench.gui.workbench import Workbench
from ppworkbench.results.sheet import Column, Kind, Sheet
from ppworkbench.study.study import Study

if TYPE_CHECKING:
    from ppworkbench.outputs.scripts.analysis import Analysis

TOTAL, BELIEF = "total", "belief"
_LOCK, _WEIGHT = 1, 2
_FIRST_TOTAL = 1.0
"""Epsilon per question that is suggested where no total is wanted yet and there is no bound."""
_PAIRS_TOLD = 3
_SURE = 0.99
"""A belief above which nothing is promised."""


class BudgetDialog(QDialog):
    """Total, rule, weights and locks at the left and in the table; accepted, one undo step."""

    shared = Signal(object, str)
    """The study with another budget, and what was done."""

    def __init__(self, workbench: Workbench, study: Study, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Divide the privacy budget"))
        self._study, self._themes = study, workbench.themes
        self._workbench = workbench
        self._before = study
        """What was there before any mechanism was made finite."""
        self._preview: SharingPreview | None = None
        self._task: PageTask[SharingPreview] = PageTask(workbench, "share out", self, quiet=True)
        self._task.finished.connect(self._show)
        self._due = single_shot(self, self._share, 40)
        kept = study.design.budget or DesignBudget()
        known = set(question_names(study.design))
        self._weights = {name: weight for name, weight in kept.weights if name in known}
        self._locked = [name for name in kept.locked if name in known]
        self._make_fields(kept)
        self._make_preview()
        self._make_buttons()
        self._arrange()
        self._listen()
        resize_dialog(self, 1000, 600)
        self._say_rule()
        self._show(share_study(study, self._budget()))

    # What is built

    def _make_fields(self, kept: DesignBudget) -> None:
        self._kept, themes = kept, self._themes
        self.aim = Segmented(
            themes, self.tr("What is wanted"),
            [(TOTAL, self.tr("Total ε")), (BELIEF, self.tr("Belief at most"))],
        )  # fmt: skip
        self.aim.setObjectName("budgetAim")
        self.total = named(NumberBox(), "budgetTotal", self.tr("Total epsilon"))
        self.total.setRange(0.01, 1000.0)
        self.total.setDecimals(2)
        self.total.setSingleStep(0.1)
        self.total.setKeyboardTracking(True)
        self.total.setValue(self._first_total() if kept.total is None else kept.total)
        self._shown_total = self.total.value()
        self.belief = named(NumberBox(is_share=True), "budgetBelief", self.tr("Belief at most"))
        self.belief.setRange(0.01, 0.99)
        self.belief.setDecimals(2)
        self.belief.setSingleStep(0.01)
        self.belief.hide()
        self.meaning = named(text("", "captionHint", wrap=True), "budgetMeaning")
        bounds = belief_bounds(self._study, self.total.value())
        if bounds is None:
            self.aim.set_disabled({BELIEF: self.tr("No answer is marked as sensitive.")})
        else:
            self.belief.setValue(min(max(round(bounds[1], 2), 0.01), 0.99))
        self.rule = ChoiceBox(
            "budgetRule",
            [(EQUAL, self.tr("The same for all")), (WEIGHTS, self.tr("By weight")),
             (SUM, self.tr("Best on average")), (MAX, self.tr("Best for the weakest question"))],
        )  # fmt: skip
        self.rule.setAccessibleName(self.tr("Rule"))
        self.rule.set_current(kept.rule)
        self.rule_words = text("", "captionHint", wrap=True)
        self.of = Segmented(
            themes, self.tr("What is made small"),
            [(WIDTH, self.tr("interval width")), (VARIANCE, self.tr("variance"))],
        )  # fmt: skip
        self.of.setObjectName("budgetOf")
        self.of.set_current(kept.of)
        self.ask = CountBox("budgetAsk", self.tr("Questions per person"), 1, 1)
        self._count_parts()
        self.ask.setValue(kept.ask if kept.ask is not None else self._parts)
        self.waves = CountBox("budgetWaves", self.tr("Waves"), 1, 999)
        self.waves.setValue(kept.waves)
        self.memoise = named(QCheckBox(self.tr("Same answer, same report")), "budgetMemoise")
        self.memoise.setToolTip(
            self.tr("The respondent's device keeps its reports; a changed report shows a change.")
        )
        self.memoise.setChecked(kept.memoise)
        self.linked = named(QCheckBox(self.tr("Link the waves of one person")), "budgetLinked")
        self.linked.setToolTip(self.tr("A random number tells which reports are of one person."))
        self.linked.setChecked(kept.linked)

    def _count_parts(self) -> None:
        """Offer as many questions per person as there are, blocks of them counted once."""
        design = replace(self._study.design, budget=self._kept)
        self._parts = max(len(design.parts), 1)
        self.ask.setMaximum(self._parts)
        self.ask.setSuffix(self.tr(" of %s") % number(self._parts))

    def _first_total(self) -> float:
        """What is spent now, or something to begin with where that has no end."""
        design = self._study.design.without_arms()
        view = BudgetBuilder().build(design)
        spent = view.spent
        if math.isinf(spent) or spent <= 0:
            return _FIRST_TOTAL * max(len(view.segments), 1)
        return round(spent, 2)

    def _make_preview(self) -> None:
        self.model: CellModel[SharingRow] = CellModel(
            self._themes, self, _columns(self._study),
            lambda index: index.column() == _WEIGHT and not self.model.rows[index.row()].in_group,
        )  # fmt: skip
        self.table = CellTable(
            self._themes, self.model, "sharingRows", self.tr("Questions before and after"),
            widths=self._widths, field="weightField",
            keys=dict.fromkeys((Qt.Key.Key_Space, Qt.Key.Key_L), self._turn_lock)
            | dict.fromkeys(ENTER, self._type_weight),
        )  # fmt: skip
        self.table.pressed.connect(lambda index: index.column() == _LOCK and self._turn_lock(index))
        self.summary = named(text("", wrap=True), "sharingSummary")
        self.problem = named(text("", "warning", wrap=True), "sharingProblem")
        self.remarks = named(text("", "captionHint", wrap=True), "sharingRemarks")
        for label in (self.problem, self.remarks):
            # Names of questions are nobody's markup.
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.hide()
        self.finite = self._link("useFinite", self.tr("Use finite mechanisms"), self._on_finite)
        self.finite.hide()
        self.split_table = SheetTable(
            self._themes, "budgetSplits", self.tr("Precision by questions per person"),
            chooses=False, sorts=False,
        )  # fmt: skip
        self.split_table.row_activated.connect(self._on_split)

    def _make_buttons(self) -> None:
        box = QDialogButtonBox.StandardButton
        self.buttons = QDialogButtonBox(box.Apply | box.Cancel)
        self.apply = self.buttons.button(box.Apply)
        self.apply.setObjectName("applySharing")
        self.apply.setProperty("look", "primary")
        self.apply.clicked.connect(self._on_apply)
        self.buttons.rejected.connect(self.reject)
        self.only = self._link("totalOnly", self.tr("Keep mechanisms"), self._on_only)
        self.only.setToolTip(self.tr("Set the total and change no question."))
        self.remove = self._link("noTotal", self.tr("Remove total"), self._on_remove)
        self.remove.setVisible(self._kept.total is not None)
        self.script = ScriptButton(self._workbench, self._analysis)

    def _link(self, name: str, words: str, act: Callable[[], None]) -> Button:
        button = named(Button(self._themes, words, look="link"), name)
        button.setAutoDefault(False)
        button.clicked.connect(act)
        return button

    def _arrange(self) -> None:
        asked = QWidget()
        self.split_words = text(
            self.tr(
                "± of a yes/no share of 50\u202f% at this total: fewer questions have less noise, "
                "but fewer people answer each."
            ),
            "captionHint", wrap=True,
        )  # fmt: skip
        self.separated = named(text("", "captionHint", wrap=True), "separatedPairs")
        self.separated.setTextFormat(Qt.TextFormat.PlainText)
        self.together = self._link("keepTogether", self.tr("Keep them together"), self._on_together)
        for part in (self.separated, self.together):
            part.hide()
        column(
            row(text(self.tr("Ask each person"), "label"), None, self.ask),
            self.split_words, self.split_table, self.separated, row(self.together, None), line(),
            parent=asked, spacing=8,
        ).setStretch(2, 1)  # fmt: skip
        self.split_table.setMinimumHeight(self._themes.theme.px(110))
        left = QWidget()
        waves = row(text(self.tr("Waves"), "label"), None, self.waves)
        fields = column(
            text(self.tr("Total"), "strong"), self.aim, row(self.total, self.belief, None),
            self.meaning, line(),
            text(self.tr("Rule"), "strong"), self.rule, self.of, self.rule_words, line(),
            asked, waves, self.memoise, self.linked, parent=left, spacing=8,
        )  # fmt: skip
        if self._parts > 1:
            fields.setStretchFactor(asked, 1)
        else:
            # Of one question nobody is asked fewer.
            asked.hide()
            fields.addStretch(1)
        area = scroll_area(left)
        area.setFixedWidth(self._themes.theme.px(292))
        card = Card(padding=1)
        card.add(self.table, 1)
        hint = text(
            self.tr(
                "A locked question keeps its epsilon. Type a weight; larger counts more. ± is in "
                "points of a share, or in the unit of a number."
            ),
            "captionHint", wrap=True,
        )  # fmt: skip
        right = column(
            self.summary, card, hint, self.remarks, self.problem, row(self.finite, None), spacing=8
        )
        right.setStretch(1, 1)
        both = row(area, right, spacing=16)
        both.setStretch(1, 1)
        foot = row(self.only, self.remove, self.script, None, self.buttons, spacing=8)
        column(both, foot, parent=self, margin=14, spacing=10).setStretch(0, 1)

    def _listen(self) -> None:
        self.aim.chosen.connect(self._on_aim)
        for changed in (
            self.total.valueChanged, self.belief.valueChanged, self.rule.chosen, self.of.chosen,
            self.ask.valueChanged, self.waves.valueChanged, self.memoise.toggled,
            self.linked.toggled,
        ):  # fmt: skip
            changed.connect(self._follow)
        self.model.typed.connect(self._on_weight)

    # What is wanted

    def _total(self) -> float:
        """The total of the fields; an error says why a belief gives none."""
        if self.aim.current == BELIEF:
            return belief_total(self._study, self.belief.value())
        shown, kept = self.total.value(), self._kept.total
        # A total that follows from a belief has more digits than the field.
        return kept if kept is not None and self._shown_total == shown else shown

    def _budget(self) -> DesignBudget:
        ask = self.ask.value()
        return replace(
            self._kept, total=self._total(), rule=self.rule.current, of=self.of.current,
            weights=tuple(self._weights.items()), locked=tuple(self._locked),
            ask=None if ask >= self._parts else ask, waves=self.waves.value(),
            memoise=self.memoise.isChecked() and self.waves.value() > 1,
            linked=self.linked.isChecked() and self.waves.value() > 1,
        )  # fmt: skip

    def _on_aim(self, aim: str) -> None:
        self.total.setVisible(aim == TOTAL)
        self.belief.setVisible(aim == BELIEF)
        self._follow()

    def _turn_lock(self, index: QModelIndex) -> bool:
        """Keep the epsilon of a question, or share it out again; a group keeps its own."""
        one = self.model.rows[index.row()]
        if not one.in_group:
            if one.name in self._locked:
                self._locked.remove(one.name)
            else:
                self._locked.append(one.name)
            self._follow()
        return True

    def _type_weight(self, index: QModelIndex) -> bool:
        self.table.edit(self.model.index(index.row(), _WEIGHT))
        return True

    def _widths(self, room: int) -> list[int]:
        """The columns of numbers as wide as these; the name takes the rest."""
        others = [self._themes.theme.px(width) for width in (34, 62, 70, 70, 78, 78)]
        return [max(room - sum(others), 20), *others]

    def _on_weight(self, index: QModelIndex, typed: str) -> None:
        name = self.model.rows[index.row()].name
        weight = read_number(typed)
        if weight is None or not WEIGHT.holds(weight):
            self._refuse(self.tr("“%s” is not a weight; type a number above 0.") % typed.strip())
            return
        if weight == 1:
            self._weights.pop(name, None)
        else:
            self._weights[name] = weight
        self._follow()

    def _on_finite(self) -> None:
        """Go on with mechanisms that have a bound; the study changes when all is applied."""
        self._study = make_finite(self._study)
        self._share()

    def _on_together(self) -> None:
        """Ask questions that were asked about together of the same people."""
        if self._preview is not None:
            self._kept = self._kept.keeping(self._preview.separated)
            self._count_parts()
            self._share()

    def _on_split(self, place: int) -> None:
        if self._preview is not None and place >= 0:
            self.ask.setValue(self._preview.splits[place].ask)

    def _follow(self, *_: object) -> None:
        """Share out again, as soon as nobody moves anything."""
        self._say_rule()
        self.apply.setEnabled(False)
        self._due.start()

    def _say_rule(self) -> None:
        words = {
            EQUAL: self.tr("Every question gets the same epsilon."),
            WEIGHTS: self.tr("Epsilon in proportion to the weight."),
            SUM: self.tr("The errors, times their weights, are smallest in sum."),
            MAX: self.tr("The largest error, times its weight, is as small as possible."),
        }
        self.rule_words.setText(words[self.rule.current])
        self.of.setEnabled(self.rule.current in (SUM, MAX))
        for box in (self.memoise, self.linked):
            box.setEnabled(self.waves.value() > 1)
        self.meaning.setText(self._means())

    def _means(self) -> str:
        """What the total means for belief, or the belief for the total."""
        try:
            total = self._total()
        except WorkbenchError:
            return ""
        bounds = belief_bounds(self._study, total)
        if self.aim.current == BELIEF:
            return self.tr("This is a total of ε %s.") % significant(total)
        if bounds is None:
            return ""
        before, after = bounds
        if after > _SURE:
            # "At most 100 %" would sound like a promise.
            words = self.tr("Belief in a sensitive answer can rise from %s to more than %s.")
            return words % (probability(before), percent(_SURE))
        words = self.tr("Belief in a sensitive answer rises from %s to at most %s.")
        return words % (probability(before), probability(after))

    def _share(self) -> None:
        try:
            budget = self._budget()
        except WorkbenchError as error:
            self._task.drop()
            self._refuse(told_error(error, self._study))
            return
        study = self._study
        self._task.start(
            self.tr("Sharing out the budget"), lambda told: share_study(study, budget, told)
        )

    # What is shown

    def _show(self, found: SharingPreview) -> None:
        self._preview = found
        if self.table.state() != QAbstractItemView.State.EditingState:
            self.model.set_rows(found.rows)
        self.split_table.set_sheet(*_split_sheet(found))
        self.summary.setText(_summary(found))
        self._show_separated(found)
        endless = any(math.isinf(one.epsilons[0]) for one in found.rows)
        self.finite.setVisible(endless and bool(found.refusal))
        remarks = [translate(self._study.titled(one)) for one in found.remarks]
        show_words(self.remarks, " ".join(remarks))
        if found.refusal:
            self._refuse(translate(self._study.titled(found.refusal)))
            return
        self.problem.hide()
        self.apply.setEnabled(found.study is not None)
        self.script.setEnabled(found.study is not None)

    def _show_separated(self, found: SharingPreview) -> None:
        """Name pairs that Survey asked about and that few people get both of."""
        pairs = [
            tr("“%s” with “%s”") % tuple(self._study.shown(name) for name in pair)
            for pair in found.separated[:_PAIRS_TOLD]
        ]
        more = len(found.separated) - len(pairs)
        if more > 0:
            pairs.append(tr("%s more") % number(more))
        words = tr("Asked about together on Survey: %s. Of all people %s get both.")
        self.separated.setText(words % (", ".join(pairs), percent(found.asked_both)))
        for part in (self.separated, self.together):
            part.setVisible(bool(pairs))

    def _refuse(self, sentence: str) -> None:
        show_words(self.problem, sentence)
        self.apply.setEnabled(False)
        self.script.setEnabled(False)

    def _analysis(self) -> tuple[Analysis, Study] | None:
        """What is shown as a call of the Python interface, with the study before it is changed."""
        from ppworkbench.outputs.scripts.results import budget_analysis

        found = self._preview
        if found is None or found.study is None:
            return None
        study = with_budget(self._study, found.budget)
        return budget_analysis(study, found.budget), study

    # What is done

    def _on_apply(self) -> None:
        found = self._preview
        if found is not None and found.study is not None:
            self.shared.emit(found.study, self.tr("Divide the privacy budget"))
            self.accept()

    def _on_only(self) -> None:
        try:
            changed = with_budget(self._before, self._budget())
        except WorkbenchError as error:
            self._refuse(told_error(error, self._study))
            return
        self.shared.emit(changed, self.tr("Set the privacy budget"))
        self.accept()

    def _on_remove(self) -> None:
        changed = with_budget(self._before, replace(self._kept, total=None))
        self.shared.emit(changed, self.tr("Remove the privacy budget"))
        self.accept()

    def done(self, result: int) -> None:
        self._due.stop()
        self._task.drop()
        super().done(result)


def _summary(found: SharingPreview) -> str:
    """The total before and after, what stays over and who stays outside."""
    before, after = found.spent
    total = found.budget.total
    if after is None:
        said = [tr("Total now: ε <b>%s</b>.") % epsilon_text(before)]
    else:
        words = tr("Total: ε %s before, <b>%s</b> after.")
        said = [words % (epsilon_text(before), epsilon_text(after))]
        if total is not None and found.left > 0.005:
            said.append(tr("%s stays over.") % epsilon_text(found.left))
    if found.undistorted:
        said.append(
            tr("Not randomised, and outside of the total: %s.") % number(len(found.undistorted))
        )
    return " ".join(said)


def _half_width(row_: SharingRow, value: float | None) -> str:
    if value is None or not math.isfinite(value):
        return "–" if value is None else "∞"
    return significant(value) if row_.is_number else number(100 * value, 1)


def _columns(study: Study) -> Sequence[TableColumn[SharingRow]]:
    def epsilon(value: float | None) -> str:
        return "–" if value is None else "∞" if math.isinf(value) else number(value, 2)

    def lock_tip(one: SharingRow) -> str:
        if one.in_group:
            return tr("One draw decides for the whole group, which keeps its epsilon.")
        return tr("Keeps its epsilon.") if one.is_locked else tr("Takes part in sharing out.")

    return (
        TableColumn(
            tr("Question"), lambda one: study.shown(one.name), is_left=True,
            weight=lambda _: "medium", tip=lambda one: study.label(one.name),
        ),
        TableColumn(
            "", lambda _: "", tip=lock_tip, spoken=lock_tip, meaning=tr("Lock"),
            icon=lambda one: "group" if one.in_group else "lock" if one.is_locked else "unlock",
            ink=lambda one: "accentInk" if one.is_locked else "textDisabled", is_centred=True,
        ),
        TableColumn(
            tr("Weight"), lambda one: "–" if one.in_group else trimmed(one.weight, 4),
            ink=lambda one: "text3" if one.weight == 1 else "accentInk",
            weight=lambda one: "regular" if one.weight == 1 else "semibold",
        ),
        TableColumn(tr("ε before"), lambda one: epsilon(one.epsilons[0]), ink="text2"),
        TableColumn(
            tr("ε after"), lambda one: epsilon(one.epsilons[1]), weight=lambda _: "semibold",
        ),
        TableColumn(
            tr("± before"), lambda one: _half_width(one, one.half_widths[0]), ink="text2",
            meaning=tr("half of the 95\u202f% interval: points of a share, or the number's unit"),
        ),
        TableColumn(
            tr("± after"), lambda one: _half_width(one, one.half_widths[1]),
            weight=lambda _: "semibold",
            meaning=tr("half of the 95\u202f% interval: points of a share, or the number's unit"),
        ),
    )  # fmt: skip


def _split_sheet(found: SharingPreview) -> tuple[Sheet, RowLooks]:
    """Precision by questions per person: the whole variance, never the noise alone."""
    splits = found.splits
    best = min(range(len(splits)), key=lambda place: splits[place].variance, default=-1)
    asked = found.budget.ask or found.parts

    def points(variance: float | None) -> float:
        return math.nan if variance is None else 196 * math.sqrt(variance / found.respondents)

    columns = (
        Column("ask", Message(tr("Asked")), Kind.COUNT, [one.ask for one in splits]),
        Column("points", Message(tr("± points")), Kind.NUMBER,
               [points(one.variance) for one in splits], best=(best,), decimals=1),
        Column("pair", Message(tr("± of a pair")), Kind.NUMBER,
               [points(one.pair) for one in splits], decimals=1,
               meaning=Message(tr("share of people with “yes” in two unrelated questions"))),
    )  # fmt: skip
    looks = RowLooks(
        chosen=[place for place, one in enumerate(splits) if one.ask == asked],
        sign=lambda place: ("star", "accentInk") if place == best else ("", ""),
        words=lambda place: tr("Most precise for one question.") if place == best else "",
    )
    return Sheet("splits", Message(""), columns), looks
