"""Listing questions before there are any data."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QHeaderView,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from ppworkbench.core.data.attribute import QUESTION_KINDS, Kind
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.gui.dialogs import resize_dialog
from ppworkbench.gui.language import speech, translate
from ppworkbench.gui.widgets.controls import Button
from ppworkbench.gui.widgets.layout import column, named, row, text
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.language import translatable
from ppworkbench.study.questions import Question
from ppworkbench.study.study import Study

EXAMPLES = (
    (translatable("Ever evaded a fare"), Kind.BINARY, translatable("no, yes")),
    (
        translatable("City is well governed"),
        Kind.ORDINAL,
        translatable("strongly disagree, disagree, neither, agree, strongly agree"),
    ),
    (translatable("Age"), Kind.INTEGER, translatable("18 to 90")),
)


class QuestionsDialog(QDialog):
    """A table of questions: name, kind, answers or range."""

    def __init__(self, workbench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Questions without data"))
        self.study = Study()
        themes = workbench.themes
        px = themes.theme.px
        self.table = QTableWidget(0, 3)
        self.table.setTabKeyNavigation(False)
        self.table.setObjectName("questions")
        self.table.setAccessibleName(self.tr("Questions"))
        self.table.setHorizontalHeaderLabels(
            [self.tr("Question"), self.tr("Kind"), self.tr("Answers or range")]
        )
        self.table.verticalHeader().setVisible(False)
        self.table.verticalHeader().setDefaultSectionSize(px(34))
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        header = self.table.horizontalHeader()
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setSectionResizeMode(2, QHeaderView.ResizeMode.Stretch)
        self.table.setColumnWidth(0, px(210))
        self.table.setColumnWidth(1, px(130))
        for name, kind, answers in EXAMPLES:
            self.add_question(self.tr(name), kind, self.tr(answers))
        self.add_button = named(Button(themes, self.tr("Add question"), "plus"), "addQuestion")
        self.add_button.clicked.connect(lambda *_: self._add_empty())
        self.remove_button = named(Button(themes, self.tr("Remove"), look="link"), "removeQuestion")
        self.remove_button.clicked.connect(self._on_remove)
        self.problem = text("", "error", wrap=True)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.start_button = Button(themes, self.tr("Go to Design"), look="primary")
        self.start_button.setObjectName("startDesigning")
        buttons.addButton(self.start_button, QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.accepted.connect(self._on_accept)
        buttons.rejected.connect(self.reject)
        advice = self.tr(
            "Separate answers by commas, ordered ones from low to high; a number has a "
            "range such as 18 to 90."
        )
        column(
            text(advice, "secondary", wrap=True),
            self.table,
            row(self.add_button, self.remove_button, None),
            self.problem,
            buttons,
            parent=self,
            margin=16,
            spacing=10,
        )
        resize_dialog(self, 760, 440)

    def add_question(self, name: str, kind: Kind, answers: str) -> None:
        """Append a row."""
        place = self.table.rowCount()
        self.table.insertRow(place)
        self.table.setItem(place, 0, QTableWidgetItem(name))
        kinds = QComboBox()
        kinds.setAccessibleName(self.tr("Question kind"))
        for one in QUESTION_KINDS:
            kinds.addItem(self.tr(one.value), one)
        kinds.setCurrentIndex(QUESTION_KINDS.index(kind))
        self.table.setCellWidget(place, 1, kinds)
        item = QTableWidgetItem(answers)
        item.setToolTip(answers)
        self.table.setItem(place, 2, item)

    def _add_empty(self) -> None:
        self.add_question("", Kind.BINARY, self.tr("no, yes"))

    def questions(self) -> list[Question]:
        """The questions as they are typed, empty rows left out."""
        found = []
        for place in range(self.table.rowCount()):
            kinds = self.table.cellWidget(place, 1)
            assert isinstance(kinds, QComboBox)  # noqa: S101 (put there above)
            name, answers = (self._cell(place, 0), self._cell(place, 2))
            if name or answers:
                found.append(Question(name, Kind(kinds.currentData()), answers))
        return found

    def _cell(self, place: int, position: int) -> str:
        item = self.table.item(place, position)
        return "" if item is None else item.text().strip()

    def _on_remove(self) -> None:
        for place in sorted({index.row() for index in self.table.selectedIndexes()}, reverse=True):
            self.table.removeRow(place)

    def _on_accept(self) -> None:
        # It brings libraries of tables, for which the window need not wait when it opens.
        from ppworkbench.study.questionnaire.edits import study_of_questions

        questions = self.questions()
        if not questions:
            self.problem.setText(self.tr("No questions yet. Add the first."))
            return
        try:
            self.study = study_of_questions(
                questions, self.tr("New questionnaire"), speech.language
            )
        except WorkbenchError as error:
            self.problem.setText(translate(error.message))
            return
        self.accept()
