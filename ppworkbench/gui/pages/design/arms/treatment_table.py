"""What every arm does with every question, and what the estimate rests on."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QApplication, QMenu

from ppworkbench.analyses.designs.arms import (
    AS_DESIGNED,
    DIRECT,
    OMITTED,
    OWN,
    TREATMENTS,
    ArmsView,
    QuestionSummary,
)
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.numbers import number
from ppworkbench.gui.pages.design.cell_table import ENTER, CellModel, CellTable
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.cells import Column
from ppworkbench.gui.widgets.layout import named
from ppworkbench.study.study import Study

_NAME, _ARM, _NUMBER = 140, 110, 70
"""The least widths of the columns."""
_WIDE_NAME = 220


def treatment_words(treatment: str) -> str:
    return {
        AS_DESIGNED: tr("As the design"),
        OWN: tr("Own device…"),
        DIRECT: tr("Asked directly"),
        OMITTED: tr("Not asked"),
    }[treatment]


def points(half_width: float | None) -> str:
    return "–" if half_width is None else f"±\u202f{number(100 * half_width, 1)}"


def _cell(question: QuestionSummary, place: int) -> str:
    treatment, device = question.treatments[place], question.devices[place]
    if treatment == OWN and device is not None:
        return translate(device.summary())
    return treatment_words(treatment)


def _ink(question: QuestionSummary, place: int) -> str:
    return {AS_DESIGNED: "text2", OMITTED: "text3"}.get(question.treatments[place], "text")


def _arm_column(view: ArmsView, place: int) -> Column[QuestionSummary]:
    def weight(one: QuestionSummary) -> str:
        return "medium" if one.treatments[place] in (OWN, DIRECT) else "regular"

    def warns(one: QuestionSummary) -> str:
        return "warning" if one.name in view.arms[place].direct else ""

    return Column(
        view.arms[place].name, lambda one: _cell(one, place), is_left=True, has_menu=True,
        ink=lambda one: _ink(one, place), weight=weight, icon=warns, icon_ink="warningText",
    )  # fmt: skip


def _columns(view: ArmsView) -> list[Column[QuestionSummary]]:
    shown = view.study.shown
    arms = [_arm_column(view, place) for place in range(len(view.arms))]
    return [
        Column(
            tr("Question"), lambda one: shown(one.name), is_left=True,
            weight=lambda _: "medium",
        ),
        *arms,
        Column(
            tr("Respondents"), lambda one: number(one.respondents),
            tr("people whose arm asks the question"),
        ),
        Column(
            tr("± points"), lambda one: points(one.half_width),
            tr("half of the 95 % interval from all arms that ask the question"),
        ),
        Column(
            tr("± unsplit"), lambda one: points(one.unsplit),
            tr("the same if everybody answered by the device of the design"),
            ink="text2",
        ),
    ]  # fmt: skip


class TreatmentCard(Card):
    """The table of all questions and arms."""

    treatment_chosen = Signal(str, str, str)
    """Arm, question and what the arm shall do with it."""
    question_chosen = Signal(str)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(padding=0)
        self._themes = themes
        self._view = ArmsView(Study())
        self.model: CellModel[QuestionSummary] = CellModel(themes, self)
        pressed = (*ENTER, Qt.Key.Key_F2, Qt.Key.Key_Space)
        self.table = CellTable(
            themes, self.model, "armTreatments", self.tr("Questions by arm"), widths=self._widths,
            menu=self.make_menu, keys=dict.fromkeys(pressed, self._open_menu),
        )  # fmt: skip
        self.body.setContentsMargins(1, 1, 1, 6)
        self.add(self.table, 1)
        self.table.clicked.connect(self._on_clicked)
        self.table.selectionModel().currentRowChanged.connect(self._on_row)

    @property
    def current(self) -> str:
        """The question that is selected, else the first one."""
        rows, row = self.model.rows, self.table.currentIndex().row()
        if not rows:
            return ""
        return rows[row if 0 <= row < len(rows) else 0].name

    def set_view(self, view: ArmsView) -> None:
        """Show the questions of a study; the selected one stays selected."""
        self._view = view
        columns = _columns(view)
        is_same_size = len(columns) == len(self.model.columns)
        row, column = self.table.currentIndex().row(), self.table.currentIndex().column()
        self.model.set_rows(view.questions, columns)
        if not is_same_size:
            self.table.fit()
        if not self.table.currentIndex().isValid() and view.questions:
            place = min(max(row, 0), len(view.questions) - 1)
            within = min(max(column, 0), len(columns) - 1)
            self.table.setCurrentIndex(self.model.index(place, within))

    def select(self, name: str | None) -> None:
        names = [one.name for one in self.model.rows]
        if name in names and name != self.current:
            column = max(self.table.currentIndex().column(), 0)
            index = self.model.index(names.index(name), column)
            self.table.setCurrentIndex(index)
            self.table.scrollTo(index)

    def make_menu(self, index: QModelIndex) -> QMenu | None:
        if not 0 < index.column() < len(self.model.columns) - 3:
            return None
        question, place = self.model.rows[index.row()], index.column() - 1
        menu = named(QMenu(self), "treatmentMenu", self.tr("How the arm asks"))
        menu.setToolTipsVisible(True)
        arm = self._view.arms[place].name
        for treatment in TREATMENTS:
            action = menu.addAction(treatment_words(treatment))
            action.setObjectName(f"treatment-{treatment}")
            action.setCheckable(True)
            action.setChecked(treatment == question.treatments[place])
            if question.is_fixed and treatment != AS_DESIGNED:
                action.setEnabled(False)
                action.setToolTip(self.tr("It is randomised together with other columns."))
            action.triggered.connect(
                lambda *_, chosen=treatment: self.treatment_chosen.emit(arm, question.name, chosen)
            )
        return menu

    def _on_clicked(self, index: QModelIndex) -> None:
        if QApplication.keyboardModifiers() == Qt.KeyboardModifier.NoModifier:
            self._open_menu(index)

    def _open_menu(self, index: QModelIndex) -> bool:
        return self.table.open_menu(index)

    def _widths(self, room: int) -> list[int]:
        """What the columns need; the rest goes to questions and arms."""
        px, titles = self._themes.theme.px, [one.title for one in self.model.columns]
        if len(titles) < 4:
            return []
        arms = len(titles) - 4
        heads = QFontMetrics(self._themes.theme.font("body", "semibold"))
        cells = QFontMetrics(self._themes.theme.font("body"))
        # What is asked directly is said in bold type behind a sign.
        direct = heads.horizontalAdvance(treatment_words(DIRECT)) + px(24)
        told = (AS_DESIGNED, OMITTED)
        words = max(direct, *(cells.horizontalAdvance(treatment_words(one)) for one in told))
        arm = max(px(_ARM), words + px(38))
        rest = [max(px(_NUMBER), heads.horizontalAdvance(one) + px(20)) for one in titles[-3:]]
        if px(_NAME) + arms * arm + sum(rest) > room:
            # Many arms scroll sideways: words are never cut. The card of the selected question has
            # the last number, too.
            rest[2] = 0
        widths = [px(_NAME), *[arm] * arms, *rest]
        spare = max(room - sum(widths), 0)
        # Names first: they are what a reader looks for.
        widths[0] += min(spare, px(_WIDE_NAME - _NAME))
        spare -= widths[0] - px(_NAME)
        for place in range(arms + 1):
            widths[place] += spare // (arms + 1)
        return widths

    def _on_row(self, current: QModelIndex) -> None:
        if current.isValid() and current.row() < len(self.model.rows):
            self.question_chosen.emit(self.model.rows[current.row()].name)
