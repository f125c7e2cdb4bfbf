"""The questions in order: drag, add, duplicate, delete and paste."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QItemSelectionModel, QRect, Qt, Signal
from PySide6.QtGui import (
    QFontMetrics,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QResizeEvent,
)
from PySide6.QtWidgets import QHeaderView, QLineEdit, QTableView, QWidget

from ppworkbench.analyses.collecting.rehearsal import RehearsalSettings
from ppworkbench.gui.application import single_shot
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.numbers import number
from ppworkbench.gui.pages.data.questions.view import (
    Check,
    QuestionsView,
    find_checks,
    question_kind,
    wording,
)
from ppworkbench.gui.pages.data.row_drag import DraggedRows
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card, MarkedLines
from ppworkbench.gui.widgets.cells import EDGE, PAD, CellDelegate, Column
from ppworkbench.gui.widgets.controls import Button, IconButton
from ppworkbench.gui.widgets.layout import line, named, row, text
from ppworkbench.gui.widgets.table import ColumnModel, show_as_rows
from ppworkbench.study.questionnaire.document import Question
from ppworkbench.study.state import why_not_rehearsed

_ROW = 38
_WIDTHS = (0, 116, 104, 80, 92)
"""Of the columns; the wording takes the rest."""
_LEAST_WORDING = 210
_WRAP = Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeft


def _columns(language: str) -> tuple[Column[Question], ...]:
    return (
        Column(
            tr("Wording"), lambda one: wording(one, language), is_left=True,
            icon=lambda _: "grip", icon_ink="text3", weight=lambda _: "medium",
            ink=lambda one: "" if one.text.get(language) else "text3", wraps=True,
        ),
        Column(tr("Name"), lambda one: one.name, is_left=True, ink="text2"),
        Column(
            tr("Kind"), lambda one: question_kind(one.kind), is_left=True,
            icon=lambda one: f"kind-{one.kind.value}", icon_ink="text2",
        ),
        Column(
            tr("Answers"),
            lambda one: number(len(one.answers)) if one.answers else one.unit.get(language, "–"),
            tip=lambda one: ", ".join(answer.value for answer in one.answers[:30]), ink="text2",
        ),
        Column(
            tr("Sensitive"), _sensitive, is_left=True,
            is_chip=lambda one: any(answer.sensitive for answer in one.answers),
            tip=lambda one: ", ".join(a.value for a in one.answers if a.sensitive), ink="text3",
        ),
    )  # fmt: skip


def _sensitive(question: Question) -> str:
    marked = [answer.value for answer in question.answers if answer.sensitive]
    if not marked:
        return "–"
    return marked[0] if len(marked) == 1 and len(marked[0]) <= 12 else number(len(marked))


class RowHeights:
    """Makes rows of a table as high as their wrapped texts need: words are never shortened."""

    def __init__(self, themes: ThemeManager, view: QTableView, least: int) -> None:
        self._themes, self._view, self._least = themes, view, least
        self._width = 0
        self._known: dict[str, int] = {}
        self.clear()

    def clear(self) -> None:
        """Measure everything again: the type has another size."""
        self._known = {}
        self._view.verticalHeader().setDefaultSectionSize(self._themes.theme.px(self._least))

    def fit(self, rows: Sequence[Sequence[str]], width: int) -> None:
        if width != self._width:
            self._width = width
            self._known = {}
        # A letter changes one text of many; the others were measured before.
        self._known = {words: self._height(words) for texts in rows for words in texts}
        for place, texts in enumerate(rows):
            height = max((self._known[words] for words in texts), default=0)
            if self._view.rowHeight(place) != height:
                self._view.setRowHeight(place, height)

    def _height(self, words: str) -> int:
        found = self._known.get(words)
        if found is not None:
            return found
        theme = self._themes.theme
        metrics = QFontMetrics(theme.font("body", "semibold"))
        room = QRect(0, 0, max(self._width, 1), 100_000)
        height = metrics.boundingRect(room, int(_WRAP), words).height() + theme.px(16)
        return max(height, theme.px(self._least))


class QuestionTable(DraggedRows, QTableView):
    """One question a row; a dragged row shows a line where it would go."""

    move_requested = Signal(int, int)
    """A row, and the place that it should have then."""
    delete_requested = Signal()
    pasted = Signal(str)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self.begin_drags(themes)
        self._fitted_width = 0
        self._heights = RowHeights(themes, self, _ROW)
        self._due = single_shot(self, self._fit, 0)
        self.rows: ColumnModel[Question] = ColumnModel(themes, _columns("en"), self)
        named(self, "questionList", self.tr("Questions"))
        self._delegate = CellDelegate(themes, self.rows, line="grid", edge=EDGE, has_focus=False)
        head = show_as_rows(self, themes, self.rows, self._delegate)
        head.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        themes.follow(self._rescale)

    def _rescale(self) -> None:
        self._heights.clear()
        self._share_width()

    def fit_rows(self) -> None:
        """Make every row as high as its wording needs: words are never shortened."""
        if self._wording_width() == self._fitted_width:
            self._fit()
        else:
            # On the way to its place the list has several widths, each of which breaks lines anew.
            self._due.start()

    def _wording_width(self) -> int:
        return self.columnWidth(0) - EDGE - PAD - 16 - PAD

    def _fit(self) -> None:
        self._fitted_width = self._wording_width()
        column = self.rows.columns[0]
        self._heights.fit([[column.text(one)] for one in self.rows.rows], self._fitted_width)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._share_width()

    def _share_width(self) -> None:
        px, room = self._themes.theme.px, self.viewport().width()
        widths = [max(px(width), self._head_width(at)) for at, width in enumerate(_WIDTHS)]
        widths[0] = 0
        # In a narrow list the name goes first, which is a caption, then the number of answers.
        for place in (1, 3):
            is_narrow = room - sum(widths) < px(_LEAST_WORDING)
            self.setColumnHidden(place, is_narrow)
            widths[place] = 0 if is_narrow else widths[place]
        widths[0] = max(room - sum(widths), px(120))
        for place, width in enumerate(widths):
            self.setColumnWidth(place, width)
        self.fit_rows()

    def _head_width(self, place: int) -> int:
        metrics = QFontMetrics(self._themes.theme.font("body", "semibold"))
        head = self.rows.headerData(place, Qt.Orientation.Horizontal)
        return metrics.horizontalAdvance(str(head)) + 2 * PAD + 4

    def drop(self, row: int, gap: int) -> None:
        self.move_requested.emit(row, gap - 1 if gap > row else gap)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.key() == Qt.Key.Key_Delete:
            self.delete_requested.emit()
        elif event.matches(QKeySequence.StandardKey.Paste):
            self.pasted.emit(QGuiApplication.clipboard().text())
        else:
            super().keyPressEvent(event)


class QuickAdd(QLineEdit):
    """A line that becomes a question; several pasted lines become several."""

    written = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        hint = self.tr("Add a question, or paste a list")
        named(self, "quickAdd", hint)
        self.setPlaceholderText(hint)
        self.returnPressed.connect(self._on_return)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Take a pasted list whole, where a field would make one line of it."""
        pasted = QGuiApplication.clipboard().text()
        if event.matches(QKeySequence.StandardKey.Paste) and ("\n" in pasted or "\t" in pasted):
            self.written.emit(pasted)
            return
        super().keyPressEvent(event)

    def _on_return(self) -> None:
        if self.text().strip():
            self.written.emit(self.text())


class ListCard(Card):
    """The list with its buttons, and what is in order below it."""

    name_chosen = Signal(str)
    check_chosen = Signal(object)
    """Go to what a check speaks of."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(themes.tr("Questions"), padding=13)
        self._view = QuestionsView()
        self.duplicate = named(
            IconButton(themes, "copy", self.tr("Duplicate question")), "duplicateQuestion"
        )
        self.delete = named(
            IconButton(themes, "delete", self.tr("Delete question")), "deleteQuestion"
        )
        self.add_button = named(Button(themes, self.tr("Add question"), "plus"), "newQuestion")
        # Close together, so that large type leaves the heading whole in a narrow window.
        self.head.setSpacing(2)
        for widget in (self.duplicate, self.delete, self.add_button):
            self.head.addWidget(widget)
        self.table = QuestionTable(themes)
        self.table.selectionModel().currentRowChanged.connect(lambda *_: self._on_row())
        self.empty = named(text("", "secondary", wrap=True), "noQuestions")
        self.empty.setText(self.tr("No questions yet. Write the first, or paste a list."))
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        examples = Button(themes, self.tr("Begin with three examples"), look="link")
        self.examples = named(examples, "exampleQuestions")
        self.quick = QuickAdd()
        self.quick.setToolTip(
            self.tr("One question a line, answers after a colon, * for sensitive ones")
        )
        self.checks = MarkedLines(themes, 6)
        self.checks.line_chosen.connect(lambda place: self.check_chosen.emit(self._found[place]))
        self._found: list[Check] = []
        self.checks_title = text(self.tr("Checks"), "strong")
        self.add(self.table, 1)
        self.add(self.empty, 1)
        self.body.addLayout(row(None, self.examples, None))
        self.add(self.quick)
        self.rule: QWidget = line()
        self.add(self.rule)
        self.add(self.checks_title)
        self.body.addLayout(self.checks)
        self.rehearse_button = named(Button(themes, "", "people"), "rehearse")
        self.body.addLayout(row(self.rehearse_button, None))

    def set_view(self, view: QuestionsView) -> None:
        self._view = view
        asked = view.asked.questions
        self.hint_label.setText(number(len(asked)) if asked else "")
        for button in (self.duplicate, self.delete):
            button.setVisible(bool(asked))
        self.table.rows.set_rows(asked, _columns(view.language))
        self.table.fit_rows()
        had_focus = self.table.hasFocus()
        self.table.setVisible(bool(asked))
        if had_focus and not asked:
            # Qt would put it on the rail; what comes next is the first question.
            self.quick.setFocus()
        self.empty.setVisible(not asked)
        self.examples.setVisible(not asked)
        self._choose(view.place)
        self._found = find_checks(view)
        self.checks.show_lines(
            [(one.kind, one.words) for one in self._found],
            {place for place, one in enumerate(self._found) if one.field},
        )
        for widget in (self.rule, self.checks_title):
            widget.setVisible(bool(self._found))
        self._lock(view)
        people = RehearsalSettings.of(view.study).n
        words = self.tr("Simulate %s respondents") % number(people)
        self.rehearse_button.setText(words)
        self.rehearse_button.setVisible(why_not_rehearsed(view.study) is None)

    def _lock(self, view: QuestionsView) -> None:
        """Let questions that people have answered stay; others can be added beside them."""
        reason = "" if view.locked is None else translate(view.locked)
        self.duplicate.setEnabled(bool(view.name))
        self.delete.setEnabled(bool(view.name) and not reason)
        self.delete.setToolTip(reason or self.delete.accessibleName())

    def _choose(self, place: int) -> None:
        selection = self.table.selectionModel()
        if place < 0 or self.table.currentIndex().row() == place:
            return
        index = self.table.rows.index(place, 0)
        flags = QItemSelectionModel.SelectionFlag
        selection.setCurrentIndex(index, flags.ClearAndSelect | flags.Rows)
        self.table.scrollTo(index)

    def _on_row(self) -> None:
        place = self.table.currentIndex().row()
        listed = self.table.rows.rows
        if 0 <= place < len(listed) and listed[place].name != self._view.name:
            self.name_chosen.emit(listed[place].name)
