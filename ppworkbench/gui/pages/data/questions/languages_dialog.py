"""Every text of a questionnaire in each of its languages; what has no translation is seen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QLocale, Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QHeaderView,
    QTableView,
    QWidget,
)

from ppworkbench.gui.application import single_shot
from ppworkbench.gui.dialogs import close_buttons, resize_dialog
from ppworkbench.gui.language import language_name, tr
from ppworkbench.gui.numbers import number
from ppworkbench.gui.pages.data.questions.list_card import RowHeights
from ppworkbench.gui.pages.data.questions.view import QuestionEdit, QuestionsView
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.cells import PAD, CellDelegate, Column, Index
from ppworkbench.gui.widgets.controls import Button, ChoiceBox
from ppworkbench.gui.widgets.layout import column, named, row, show_words, text
from ppworkbench.gui.widgets.table import ColumnModel, show_as_rows
from ppworkbench.study.questionnaire import edits
from ppworkbench.study.questionnaire.document import Questionnaire, Words
from ppworkbench.study.study import Study

_OFFERED = (
    "ar", "be", "bg", "ca", "cs", "da", "de", "el", "en", "es", "et", "eu", "fa", "fi", "fr", "ga",
    "he", "hi", "hr", "hu", "id", "is", "it", "ja", "ka", "ko", "lt", "lv", "mk", "mt", "nb", "nl",
    "nn", "pl", "pt", "ro", "ru", "sk", "sl", "sq", "sr", "sv", "sw", "tr", "uk", "ur", "uz", "vi",
    "zh",
)  # fmt: skip
"""Languages that are offered; a document may have any other."""
_ICON = 24
"""The mark of a gap."""


@dataclass(frozen=True)
class TextRow:
    """One text: of which question, what it is, and its words by language."""

    name: str
    what: str
    title: str
    words: Words

    def changed(self, language: str, typed: str, main: str) -> Callable[[Study], Study]:
        if not self.name:
            return lambda study: edits.set_around(study, self.what, language, typed, main)
        if self.what in edits.WORDED:
            return lambda study: edits.set_text(study, self.name, self.what, language, typed, main)
        value = self.what.removeprefix("=")
        return lambda study: edits.set_answer_text(study, self.name, value, language, typed, main)


def text_rows(asked: Questionnaire) -> list[TextRow]:
    around = {
        "title": tr("Title"),
        "introduction": tr("Introduction"),
        "thanks": tr("Thanks"),
    }
    rows = [TextRow("", what, title, getattr(asked, what)) for what, title in around.items()]
    for place, one in enumerate(asked.questions, 1):
        rows.append(TextRow(one.name, "text", tr("Question %s") % place, one.text))
        rows += [
            TextRow(one.name, f"={answer.value}", f"    {answer.value}", answer.text)
            for answer in one.answers
        ]
        for what, title, words in (
            ("help", tr("Help"), one.help),
            ("unit", tr("Unit"), one.unit),
        ):
            if words:
                rows.append(TextRow(one.name, what, f"    {title}", words))
    return rows


def _language_column(code: str, main: str) -> Column[TextRow]:
    """The texts in one language; a gap is marked where there is something to translate."""

    def is_gap(row: TextRow) -> bool:
        return not row.words.get(code) and bool(row.words.get(main) or row.name)

    def said(row: TextRow) -> str:
        return row.words.get(code, "") or (tr("no text yet") if is_gap(row) else "")

    return Column(
        language_name(code), said, is_left=True,
        icon=lambda row: "warning" if is_gap(row) else "",
        ink=lambda row: "warningText" if is_gap(row) else "", wraps=True,
    )  # fmt: skip


class TextsModel(ColumnModel[TextRow]):
    """A row a text, a column a language."""

    typed = Signal(object, str, str)
    """A row, a language, and the new text."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(themes)
        self._codes: tuple[str, ...] = ()

    def show_texts(self, asked: Questionnaire) -> None:
        """Show the texts of a questionnaire; gaps are marked."""
        self._codes = asked.languages
        first: Column[TextRow] = Column(
            "", lambda row: row.title, is_left=True, ink="text2", tip=lambda row: row.name
        )
        columns = [first, *(_language_column(code, asked.language) for code in asked.languages)]
        self.set_rows(text_rows(asked), columns)

    def flags(self, index: Index) -> Qt.ItemFlag:
        found = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return found | Qt.ItemFlag.ItemIsEditable if index.column() else found

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The field begins with the text, not with the word for a gap."""
        if role == Qt.ItemDataRole.EditRole and index.column():
            return self.rows[index.row()].words.get(self._codes[index.column() - 1], "")
        return super().data(index, role)

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:  # noqa: N802
        """Ask for a new text; the table shows it when the study has it."""
        if role != Qt.ItemDataRole.EditRole or not index.column():
            return False
        row, code = self.rows[index.row()], self._codes[index.column() - 1]
        if row.words.get(code, "") != str(value).strip():
            self.typed.emit(row, code, str(value).strip())
        return True


class LanguagesDialog(QDialog):
    """The table of texts; every change is an undo step of the study at once."""

    edit_requested = Signal(object)

    def __init__(self, themes: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Languages"))
        self._view = QuestionsView()
        self.model = TextsModel(themes)
        self.model.typed.connect(self._on_typed)
        self.table = named(QTableView(), "languageTexts", self.tr("Texts by language"))
        self._delegate = CellDelegate(themes, self.model, line="grid")
        show_as_rows(self.table, themes, self.model, self._delegate)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectItems)
        triggers = QAbstractItemView.EditTrigger
        self.table.setEditTriggers(
            triggers.DoubleClicked | triggers.EditKeyPressed | triggers.AnyKeyPressed
        )
        self._heights = RowHeights(themes, self.table, 32)
        self._due = single_shot(self, self._fit_rows)
        self.table.horizontalHeader().sectionResized.connect(lambda *_: self._due.start())
        self.summary = named(text("", "secondary", wrap=True), "languageGaps")
        self.problem = named(text("", "error", wrap=True), "languageProblem")
        self.offered = named(ChoiceBox(self.tr("Language to add"), []), "languageToAdd")
        self.offered.setSizeAdjustPolicy(
            ChoiceBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.add_button = named(Button(themes, self.tr("Add language"), "plus"), "addLanguage")
        self.add_button.clicked.connect(lambda *_: self._on_add())
        self.removed = named(ChoiceBox(self.tr("Language to remove"), []), "languageToRemove")
        self.remove_button = named(
            Button(themes, self.tr("Remove language"), look="link"), "removeLanguage"
        )
        self.remove_button.clicked.connect(lambda *_: self._on_remove())
        column(
            text(
                self.tr("What people read. The first language is the main one; a page is not "
                        "exported in a language with gaps."),
                "secondary", wrap=True,
            ),
            self.table,
            self.summary,
            self.problem,
            row(self.offered, self.add_button, 16, self.removed, self.remove_button, None),
            close_buttons(self),
            parent=self, margin=16, spacing=10,
        )  # fmt: skip
        self.problem.hide()
        resize_dialog(self, 860, 560)

    def set_view(self, view: QuestionsView) -> None:
        self._view = view
        asked = view.asked
        self.model.show_texts(asked)
        head = self.table.horizontalHeader()
        head.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        head.setSectionResizeMode(0, QHeaderView.ResizeMode.Interactive)
        self.table.setColumnWidth(0, 170)
        self._due.start()
        found = [(code, len(asked.gaps(code))) for code in asked.languages]
        self.summary.setText(
            ", ".join(
                self.tr("%s: complete") % language_name(code)
                if not gaps
                else self.tr("%s: gaps: %s") % (language_name(code), number(gaps))
                for code, gaps in found
            )
        )
        free = [code for code in _OFFERED if code not in asked.languages]
        free.sort(key=lambda code: language_name(code).casefold())
        offered = [(code, f"{language_name(code)} ({code})") for code in free]
        if self.offered.keys != [code for code, _ in offered]:
            # By letters: to measure names in many scripts loads a font for each of them.
            self.offered.setMinimumContentsLength(
                max((len(name) for _, name in offered), default=0)
            )
            self.offered.set_choices(offered)
            # The page has words of its own in the first two.
            first = ("en", "pl", QLocale.system().name()[:2], "uk", "de")
            self.offered.set_current(next((code for code in (*first, *free) if code in free), ""))
            self.add_button.setEnabled(bool(free))
        others = asked.languages[1:]
        if others and self.removed.keys != list(others):
            self.removed.set_choices([(code, language_name(code)) for code in others])
        self.removed.setVisible(bool(others))
        self.remove_button.setVisible(bool(others))

    def choose(self, name: str, what: str, language: str) -> None:
        """Go to one text in a language: a wording, help or unit, or that of an answer."""
        wanted = what if not name or what in edits.WORDED else f"={what}"
        for place, one in enumerate(self.model.rows):
            if (one.name, one.what) == (name, wanted):
                index = self.model.index(place, 1 + self._view.asked.languages.index(language))
                self.table.setCurrentIndex(index)
                self.table.scrollTo(index)
                self.table.setFocus()

    def _fit_rows(self) -> None:
        codes = self._view.asked.languages
        width = self.table.columnWidth(1) - 2 * PAD - _ICON
        said = [[one.words.get(code, "") for code in codes] for one in self.model.rows]
        self._heights.fit(said, width)

    def refuse(self, why: str) -> None:
        show_words(self.problem, why)

    def _emit(self, words: str, make: Callable[[Study], Study]) -> None:
        show_words(self.problem, "")
        self.edit_requested.emit(QuestionEdit(words, make))

    def _on_typed(self, row: TextRow, language: str, typed: str) -> None:
        self._emit(tr("Change a text"), row.changed(language, typed, self._view.language))

    def _on_add(self) -> None:
        code, main = self.offered.current, self._view.language
        self._emit(
            tr("Add the language %s") % language_name(code),
            lambda study: edits.add_language(study, code, main),
        )

    def _on_remove(self) -> None:
        code, main = self.removed.current, self._view.language
        if code:
            self._emit(
                tr("Remove the language %s") % language_name(code),
                lambda study: edits.remove_language(study, code, main),
            )
