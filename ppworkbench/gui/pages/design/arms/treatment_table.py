"""What every arm does with every question, and what the estimate rests on."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QFontMetrics, QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QMenu, QTableView

from ppworkbench.analyses.design_arms import (
    AS_DESIGNED,
    DIRECT,
    OMITTED,
    OWN,
    TREATMENTS,
    ArmsView,
    QuestionSummary,
)
from ppworkbench.gui.dialogs import show_menu
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.numbers import number
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.cells import EDGE, CellDelegate, Column
from ppworkbench.gui.widgets.layout import named
from ppworkbench.gui.widgets.table import (
    ColumnModel,
    show_as_rows,
)
from ppworkbench.study.study import Study

_ROW = 29
_NAME, _ARM, _NUMBER = 140, 110, 70
"""The least widths of the columns."""
_WIDE_NAME = 220


def treatment_words(treatment: str) -> str:
    """What an arm does with a question, as a choice."""
    return {
        AS_DESIGNED: tr("As the design"),
        OWN: tr("Own device…"),
        DIRECT: tr("Asked directly"),
        OMITTED: tr("Not asked"),
    }[treatment]


def points(half_width: float | None) -> str:
    """A half-width in points; a dash where there is none."""
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


class TreatmentTable(QTableView):
    """A click, Enter or Space on a cell of an arm offers what the arm may do with the question."""

    menu_requested = Signal(QModelIndex)

    def __init__(self, themes: ThemeManager, model: ColumnModel[QuestionSummary]) -> None:
        super().__init__()
        self._themes = themes
        self.setObjectName("armTreatments")
        self.setAccessibleName(self.tr("Questions by arm"))
        self._delegate = CellDelegate(themes, model, line="grid", edge=EDGE)
        show_as_rows(self, themes, model, self._delegate)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        themes.theme_changed.connect(self._rescale)
        self._rescale()

    def _rescale(self) -> None:
        self.verticalHeader().setDefaultSectionSize(self._themes.theme.px(_ROW))
        self.share_width()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self.share_width()
        if self.currentIndex().isValid():
            # It was selected before there were rows to scroll to.
            self.scrollTo(self.currentIndex())

    def share_width(self) -> None:
        """Give the columns what they need, and the rest to questions and arms."""
        px, count = self._themes.theme.px, self.model().columnCount()
        if count < 4:
            return
        arms = count - 4
        heads = QFontMetrics(self._themes.theme.font("body", "semibold"))
        cells = QFontMetrics(self._themes.theme.font("body"))
        across = Qt.Orientation.Horizontal
        numbers = [
            heads.horizontalAdvance(str(self.model().headerData(place, across))) + px(20)
            for place in range(count - 3, count)
        ]
        # What is asked directly is said in bold type behind a sign.
        direct = heads.horizontalAdvance(treatment_words(DIRECT)) + px(24)
        told = (AS_DESIGNED, OMITTED)
        words = max(direct, *(cells.horizontalAdvance(treatment_words(one)) for one in told))
        arm = max(px(_ARM), words + px(38))
        rest = [max(px(_NUMBER), one) for one in numbers]
        room = self.viewport().width()
        is_narrow = px(_NAME) + arms * arm + sum(rest) > room
        # The card of the selected question has the number, too.
        for place in range(count):
            self.setColumnHidden(place, is_narrow and place == count - 1)
        if is_narrow:
            # Many arms scroll sideways: words are never cut.
            rest[2] = 0
        widths = [px(_NAME), *[arm] * arms, *rest]
        spare = max(room - sum(widths), 0)
        # Names first: they are what a reader looks for.
        widths[0] += min(spare, px(_WIDE_NAME - _NAME))
        spare -= widths[0] - px(_NAME)
        for place in range(arms + 1):
            widths[place] += spare // (arms + 1)
        for place, width in enumerate(widths):
            self.setColumnWidth(place, width)

    def is_arm(self, index: QModelIndex) -> bool:
        """Whether a cell is of an arm."""
        return index.isValid() and 0 < index.column() < self.model().columnCount() - 3

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Offer the choices after a plain click on a cell of an arm."""
        super().mouseReleaseEvent(event)
        index = self.indexAt(event.position().toPoint())
        plain = event.modifiers() == Qt.KeyboardModifier.NoModifier
        if plain and event.button() == Qt.MouseButton.LeftButton and self.is_arm(index):
            self.menu_requested.emit(index)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        keys = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_F2, Qt.Key.Key_Space)
        if event.key() in keys and self.is_arm(self.currentIndex()):
            self.menu_requested.emit(self.currentIndex())
            return
        super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802
        """Offer the choices with the right button or the menu key."""
        by_mouse = event.reason() is QContextMenuEvent.Reason.Mouse
        index = self.indexAt(event.pos()) if by_mouse else self.currentIndex()
        if self.is_arm(index):
            self.menu_requested.emit(index)

    def below(self, index: QModelIndex) -> QPoint:
        """The place on the screen where the menu of a cell opens."""
        return self.viewport().mapToGlobal(self.visualRect(index).bottomLeft())


class TreatmentCard(Card):
    """The table of all questions and arms."""

    treatment_chosen = Signal(str, str, str)
    """Arm, question and what the arm shall do with it."""
    question_chosen = Signal(str)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(padding=0)
        self._themes = themes
        self._view = ArmsView(Study())
        self.model: ColumnModel[QuestionSummary] = ColumnModel(themes, parent=self)
        self.table = TreatmentTable(themes, self.model)
        self.body.setContentsMargins(1, 1, 1, 6)
        self.add(self.table, 1)
        self.table.menu_requested.connect(self._on_menu)
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
            self.table.share_width()
        if not self.table.currentIndex().isValid() and view.questions:
            place = min(max(row, 0), len(view.questions) - 1)
            within = min(max(column, 0), len(columns) - 1)
            self.table.setCurrentIndex(self.model.index(place, within))

    def select(self, name: str | None) -> None:
        """Select a question."""
        names = [one.name for one in self.model.rows]
        if name in names and name != self.current:
            column = max(self.table.currentIndex().column(), 0)
            index = self.model.index(names.index(name), column)
            self.table.setCurrentIndex(index)
            self.table.scrollTo(index)

    def menu(self, question: QuestionSummary, place: int) -> QMenu:
        """What an arm may do with a question."""
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

    def _on_menu(self, index: QModelIndex) -> None:
        question = self.model.rows[index.row()]
        show_menu(self.menu(question, index.column() - 1), self.table.below(index))

    def _on_row(self, current: QModelIndex) -> None:
        if current.isValid() and current.row() < len(self.model.rows):
            self.question_chosen.emit(self.model.rows[current.row()].name)
