"""Answers on paper: one row per sheet, a digit gives the code of an answer, Enter goes on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QRect, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent
from PySide6.QtWidgets import QDialog, QWidget

from ppworkbench.core.errors import WorkbenchError
from ppworkbench.fieldwork.kit.paper import PaperQuestion, paper_questions, paper_responses
from ppworkbench.fieldwork.responses.add import Responses
from ppworkbench.gui.dialogs import ButtonRole, Choice, ask, resize_dialog
from ppworkbench.gui.language import translate
from ppworkbench.gui.numbers import counted, number
from ppworkbench.gui.responses.state_choice import StateChoice
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.controls import Button
from ppworkbench.gui.widgets.layout import column, named, row, show_words, text
from ppworkbench.gui.widgets.table import Index, TextTable
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.study import Study

_SIGNS = "-.,"
_WIDTH, _SPARE = 120, 8


class PaperModel(QAbstractTableModel):
    """Sheets with what was typed for every question: a code, or a number."""

    def __init__(self, study: Study, questions: Sequence[PaperQuestion]) -> None:
        super().__init__()
        self._study = study
        self.questions = tuple(questions)
        self.sheets: list[dict[str, str]] = [{}]

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802
        return 0 if parent.isValid() else len(self.sheets)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802
        return 0 if parent.isValid() else len(self.questions)

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation == Qt.Orientation.Vertical:
            return number(section + 1) if role == Qt.ItemDataRole.DisplayRole else None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._study.shown(self.questions[section].name)
        return self.questions[section].wording if role == Qt.ItemDataRole.ToolTipRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return None
        question = self.questions[index.column()]
        typed = self.typed(index)
        if question.is_number or not typed:
            return typed
        return f"{typed}  {question.texts[int(typed) - 1]}"

    def typed(self, index: Index) -> str:
        return self.sheets[index.row()].get(self.questions[index.column()].name, "")

    def type(self, index: Index, typed: str) -> None:
        """Put something into a cell; an empty text is no answer."""
        sheet, name = self.sheets[index.row()], self.questions[index.column()].name
        if typed:
            sheet[name] = typed
        else:
            sheet.pop(name, None)
        self.dataChanged.emit(index, index)

    def add_sheet(self) -> None:
        self.beginInsertRows(QModelIndex(), len(self.sheets), len(self.sheets))
        self.sheets.append({})
        self.endInsertRows()

    def remove_sheet(self, place: int) -> None:
        """Take a sheet away; there is always one to type on."""
        self.beginRemoveRows(QModelIndex(), place, place)
        del self.sheets[place]
        self.endRemoveRows()
        if not self.sheets:
            self.add_sheet()

    def answers(self) -> list[Mapping[str, str]]:
        """Values by question for every sheet; the last one only if something is on it."""
        sheets = self.sheets if self.sheets[-1] else self.sheets[:-1]
        return [
            {
                one.name: (typed.replace(",", ".") if one.is_number else one.value(typed)) or ""
                for one in self.questions
                if (typed := sheet.get(one.name, ""))
            }
            for sheet in sheets
        ]


class PaperTable(TextTable):
    """Takes digits for the cell that is current, and goes on by itself where a code is whole."""

    typed = Signal()
    refused = Signal(str)
    """A digit that is no code."""

    def __init__(self, themes: ThemeManager, words: str, model: PaperModel) -> None:
        super().__init__(themes, "paperSheets", words)
        self._sheets = model
        self._is_fresh = True
        """Whether the next digit begins a code anew."""
        self.setModel(model)
        self.setSelectionBehavior(TextTable.SelectionBehavior.SelectItems)
        self.setSelectionMode(TextTable.SelectionMode.SingleSelection)
        self.setShowGrid(True)
        self.verticalHeader().show()
        self._fit_headings()
        themes.theme_changed.connect(self._fit_headings)
        self.setCurrentIndex(model.index(0, 0))
        self.selectionModel().currentChanged.connect(self._on_moved)

    def _fit_headings(self) -> None:
        header, model = self.horizontalHeader(), self._sheets
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap)
        header.setTextElideMode(Qt.TextElideMode.ElideNone)
        font = QFont(self._themes.theme.font("caption"))
        font.setBold(True)
        metrics = QFontMetrics(font)
        height = metrics.height()
        for place in range(model.columnCount()):
            words = str(model.headerData(place, Qt.Orientation.Horizontal))
            longest = max(map(metrics.horizontalAdvance, words.split() or [""]))
            width = max(self._themes.theme.px(_WIDTH), longest + 2 * self.PAD + _SPARE)
            header.resizeSection(place, width)
            room = QRect(0, 0, width - 2 * self.PAD - _SPARE, 1 << 20)
            wrapped = metrics.boundingRect(room, Qt.TextFlag.TextWordWrap, words)
            height = max(height, wrapped.height())
        header.setFixedHeight(height + 2 * self.PAD)

    def _on_moved(self, _now: QModelIndex, _before: QModelIndex) -> None:
        self._is_fresh = True

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        key, words, index = event.key(), event.text(), self.currentIndex()
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.go_on()
        elif not index.isValid():
            super().keyPressEvent(event)
        elif key == Qt.Key.Key_Delete:
            self._put(index, "")
        elif key == Qt.Key.Key_Backspace:
            self._rub_out(index)
        elif words and (words in _SIGNS or (words.isascii() and words.isdigit())):
            self._type(index, words)
        else:
            super().keyPressEvent(event)

    def go_on(self) -> None:
        """The next question, or the first one of the next sheet."""
        index = self.currentIndex()
        place, sheet = index.column() + 1, index.row()
        if place >= self._sheets.columnCount():
            place, sheet = 0, sheet + 1
            if sheet >= self._sheets.rowCount():
                self._sheets.add_sheet()
                self.typed.emit()
        self.setCurrentIndex(self._sheets.index(sheet, place))

    def _type(self, index: QModelIndex, digit: str) -> None:
        question = self._sheets.questions[index.column()]
        before = "" if self._is_fresh else self._sheets.typed(index)
        code = before + digit
        if question.is_number:
            self._put(index, code)
        elif question.value(code) is None:
            self.refused.emit(code)
        else:
            self._put(index, code)
            if question.is_complete(code):
                self.go_on()

    def _rub_out(self, index: QModelIndex) -> None:
        """Take the last digit away; in an empty cell go back."""
        typed = self._sheets.typed(index)
        if typed:
            self._put(index, typed[:-1])
        elif index.column() > 0:
            self.setCurrentIndex(self._sheets.index(index.row(), index.column() - 1))
        elif index.row() > 0:
            last = self._sheets.columnCount() - 1
            self.setCurrentIndex(self._sheets.index(index.row() - 1, last))

    def _put(self, index: QModelIndex, words: str) -> None:
        self._sheets.type(index, words)
        self._is_fresh = False
        self.typed.emit()


class PaperDialog(QDialog):
    """Sheets of paper become responses of the study; what was typed is not lost unasked."""

    def __init__(self, workbench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self._study = workbench.store.study
        self.responses: Responses | None = None
        """What is to be added once the dialog is accepted."""
        self.setObjectName("paperAnswers")
        self.setWindowTitle(self.tr("Type in paper answers"))
        themes = workbench.themes
        self.model = PaperModel(self._study, paper_questions(self._study))
        self.model.setParent(self)
        self.table = PaperTable(themes, self.tr("Sheets"), self.model)
        self.state = StateChoice(self._study)
        self.wording = named(text("", "strong", wrap=True), "paperQuestion")
        self.codes = named(text("", "caption", wrap=True), "paperCodes")
        self.problem = named(text("", "error", wrap=True), "paperProblem")
        self.remove_button = named(Button(themes, self.tr("Remove sheet")), "removeSheet")
        cancel = named(Button(themes, self.tr("Cancel")), "cancelTyping")
        self.add_button = named(Button(themes, self.tr("Add"), look="primary"), "addSheets")
        for button in (self.remove_button, cancel, self.add_button):
            button.setAutoDefault(False)
        self.remove_button.clicked.connect(self._on_remove)
        cancel.clicked.connect(self.reject)
        self.add_button.clicked.connect(self._on_add)
        self.table.typed.connect(self._refresh)
        self.table.refused.connect(self._on_refused)
        self.table.selectionModel().currentChanged.connect(self._on_moved)
        self.state.chosen.connect(self._refresh)
        hint = self.tr("Type the answer's number. Enter: next. Delete: clear.")
        column(
            self.state, self.wording, self.codes, self.table, text(hint, "captionHint", wrap=True),
            self.problem, row(self.remove_button, None, cancel, self.add_button),
            parent=self, spacing=8, margin=16, stretch=3,
        )  # fmt: skip
        resize_dialog(self, 820, 560)
        self._show_codes()
        self._refresh()
        self.table.setFocus()

    @property
    def is_apart(self) -> bool:
        """Whether the answers make a study of their own."""
        return self.state.is_apart

    def _on_moved(self, _now: QModelIndex, _before: QModelIndex) -> None:
        show_words(self.problem, "")
        self._show_codes()

    def _show_codes(self) -> None:
        place = max(self.table.currentIndex().column(), 0)
        if place >= len(self.model.questions):
            return
        question = self.model.questions[place]
        self.wording.setText(question.wording)
        listed = ", ".join(f"{code} {words}" for code, words in enumerate(question.texts, 1))
        self.codes.setText(listed or self.tr("A number"))

    def _on_refused(self, code: str) -> None:
        show_words(self.problem, self.tr("There is no answer %s.") % code)

    def _on_remove(self) -> None:
        self.model.remove_sheet(max(self.table.currentIndex().row(), 0))
        self.table.setFocus()
        self._refresh()

    def _refresh(self) -> None:
        show_words(self.problem, "")
        count = len(self.model.answers())
        if self.is_apart:
            words = self.tr("Open as a new study")
        else:
            words = counted(count, self.tr("Add 1 sheet"), self.tr("Add %s sheets"))
            words = words if count else self.tr("Add")
        self.add_button.setText(words)
        why = "" if self.state.current else self.tr("Say what these answers are.")
        why = why if count else self.tr("No sheet has an answer.")
        self.add_button.setEnabled(not why)
        self.add_button.setToolTip(why)

    def _on_add(self) -> None:
        try:
            self.responses = paper_responses(self._study, self.model.answers(), self.state.current)
        except WorkbenchError as error:
            show_words(self.problem, self._study.titled(translate(error.message)))
            return
        self.accept()

    def reject(self) -> None:
        """Close; sheets that would be lost are asked about."""
        count = len(self.model.answers())
        if not count:
            super().reject()
            return

        def on_answer(answer: str) -> None:
            if answer == "discard":
                QDialog.reject(self)
            elif answer == "add" and self.state.current:
                self._on_add()
            elif answer == "add":
                show_words(self.problem, self.tr("Say what these answers are."))

        ask(
            self,
            self._workbench.themes,
            self.tr("Sheets not added"),
            self.tr("Typed sheets that are not part of the study yet: %s.") % number(count),
            (
                Choice("add", self.tr("Add them"), ButtonRole.AcceptRole),
                Choice("discard", self.tr("Discard"), ButtonRole.DestructiveRole),
                Choice("go on", self.tr("Go on typing"), ButtonRole.RejectRole),
            ),
            on_answer,
        )
