"""The editor of the questionnaire: list, question and preview side by side."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt, QUrl, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QCheckBox, QDialog, QWidget

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.files import make_temporary_folder, write_text
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress
from ppworkbench.fieldwork.page.model import Sheet, page_model
from ppworkbench.fieldwork.page.page import preview_html
from ppworkbench.gui.application import single_shot
from ppworkbench.gui.dialogs import (
    ButtonRole,
    Choice,
    ask,
    close_buttons,
    resize_dialog,
    show_dialog,
)
from ppworkbench.gui.language import language_name, speech, tr, translate
from ppworkbench.gui.numbers import number
from ppworkbench.gui.pages.data.questions.editor_card import EditorCard, unnamed
from ppworkbench.gui.pages.data.questions.languages_dialog import LanguagesDialog
from ppworkbench.gui.pages.data.questions.list_card import ListCard
from ppworkbench.gui.pages.data.questions.view import (
    DESIGN,
    TRANSLATION,
    Check,
    QuestionEdit,
    QuestionsView,
    usual_answers,
)
from ppworkbench.gui.rehearsal import start_rehearsal
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.controls import Button, ChoiceBox, Segmented
from ppworkbench.gui.widgets.layout import column, named, row, scroll_area, show_words, text
from ppworkbench.gui.widgets.phone import Phone, PhoneScreen, scroll_to
from ppworkbench.gui.widgets.splitter import splitter
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.language import translatable
from ppworkbench.study.questionnaire import edits
from ppworkbench.study.questionnaire.design_changes import consequences
from ppworkbench.study.questionnaire.document import Question
from ppworkbench.study.questionnaire.pasted import questions_of_text
from ppworkbench.study.questions import Question as TypedQuestion
from ppworkbench.study.study import Study

WIDE = 820
"""Pixels of a tablet, for which the page has more room than it uses."""


class PhoneCard(Card):
    """The preview with its language; the real page opens in the browser."""

    try_requested = Signal(str)
    """Open the page in this language."""
    edit_requested = Signal(object)
    """A :class:`QuestionEdit`."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(themes.tr("As on a phone"))
        self._themes = themes
        self._view = QuestionsView()
        self._due = single_shot(self, self._draw, 60)
        self.language = ChoiceBox(self.tr("Language of the preview"), [("en", "English")])
        self.language.setObjectName("previewLanguage")
        self.language.chosen.connect(lambda _: self._draw())
        self.head.addWidget(self.language)
        self.phone = Phone(themes)
        self.note = named(text("", "captionHint", wrap=True), "previewNote")
        self.try_button = named(Button(themes, self.tr("Try the page"), look="link"), "tryPage")
        self.try_button.setToolTip(
            self.tr("Open the whole page in the browser; it draws but sends nothing.")
        )
        self.try_button.clicked.connect(lambda *_: self.try_requested.emit(self.language.current))
        self.wide_button = named(Button(themes, self.tr("820 px…"), look="link"), "widePreview")
        self.wide_button.setToolTip(
            self.tr("Show the page at the width of a tablet, in each language")
        )
        self.wide_button.clicked.connect(lambda *_: self.show_wide())
        self.languages_button = named(
            Button(themes, self.tr("Languages…"), look="link"), "languages"
        )
        self.review = named(QCheckBox(self.tr("Show the draw (teaching)")), "showDraw")
        self.review.setToolTip(
            self.tr(
                "Before sending, respondents see what was drawn and cannot change their answers "
                "any more. Otherwise no draw is shown: it would invite them to protect themselves."
            )
        )
        self.review.clicked.connect(self._on_review)
        # The telephone has a greatest height; what holds it takes the rest of a high window.
        holder = QWidget()
        row(None, self.phone, None, parent=holder)
        self.add(holder, 1)
        self.add(self.note)
        self.add(self.review)
        self.body.addLayout(
            row(self.try_button, None, self.wide_button, None, self.languages_button)
        )

    def set_view(self, view: QuestionsView) -> None:
        self._view = view
        codes = view.asked.languages
        if self.language.keys != list(codes):
            chosen = self.language.current
            self.language.set_choices([(code, language_name(code)) for code in codes])
            self.language.set_current(chosen if chosen in codes else codes[0])
        self.review.setChecked(view.asked.review)
        for button in (self.try_button, self.wide_button, self.review):
            button.setEnabled(bool(view.asked.questions))
        self._due.start()

    def show_wide(self) -> WideDialog:
        """Show the page at 820 px; there is no room for that beside the editor."""
        dialog = WideDialog(self._themes, self._view, self.language.current, self.window())
        show_dialog(dialog, self._themes)
        return dialog

    def _on_review(self, on: bool) -> None:
        main = self._view.language
        words = self.tr("Show the draw") if on else self.tr("Show no draw")
        self.edit_requested.emit(
            QuestionEdit(words, lambda study: edits.set_review(study, on, main))
        )

    def _draw(self) -> None:
        sheet, note = _find_sheet(self._view, self.language.current)
        self.phone.show_sheet(sheet, self._view.name)
        show_words(self.note, note)


class WideDialog(QDialog):
    """The page of a question at the width of a tablet, in each of the languages."""

    def __init__(
        self, themes: ThemeManager, view: QuestionsView, language: str, parent: QWidget | None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("As on a tablet, 820 px wide"))
        self._view = view
        codes = [(code, language_name(code)) for code in view.asked.languages]
        self.language = ChoiceBox(self.tr("Language of the preview"), codes)
        self.language.setObjectName("widePreviewLanguage")
        self.language.set_current(language)
        self.language.chosen.connect(lambda _: self._draw())
        self.screen_shown = PhoneScreen(themes)
        self.screen_shown.setFixedWidth(WIDE)
        self.note = named(text("", "captionHint", wrap=True), "widePreviewNote")
        self.area = scroll_area(self.screen_shown)
        self._due = single_shot(
            self, lambda: scroll_to(self.area, self.screen_shown, self._view.name), 0
        )
        column(
            row(text(self.windowTitle(), "strong"), None, self.language), self.area, self.note,
            close_buttons(self), parent=self, margin=16, spacing=10,
        ).setStretch(1, 1)  # fmt: skip
        resize_dialog(self, WIDE + 60, 620)
        self._draw()

    def _draw(self) -> None:
        sheet, note = _find_sheet(self._view, self.language.current)
        self.screen_shown.show_sheet(sheet)
        self._due.start()
        show_words(self.note, note)


def _find_sheet(view: QuestionsView, language: str) -> tuple[Sheet | None, str]:
    if not view.name:
        return None, tr("The question appears here as people read it.")
    try:
        model = page_model(view.study.asked_design, view.asked, language)
    except WorkbenchError as error:
        return None, translate(error.message)
    if any(not words.get(language) for _, words in view.asked[view.name].texts()):
        said = tr("Texts without a translation are shown in %s.")
        return model.sheet(view.name), said % language_name(view.language)
    return model.sheet(view.name), model.fallback


EDIT, PHONE = "edit", "phone"
_EXAMPLES = (
    (translatable("Ever evaded a fare"), Kind.BINARY, translatable("no, yes")),
    (
        translatable("City is well governed"),
        Kind.ORDINAL,
        translatable("strongly disagree, disagree, neither, agree, strongly agree"),
    ),
    (translatable("Age"), Kind.INTEGER, translatable("18 to 90")),
)
_WIDE = 1190
"""Pixels from which the telephone stands beside the editor, at the usual size of type."""
_PREVIEW = "preview.html"


class QuestionsPage(QWidget):
    """Keeps what the store has; every edit is an undo step there."""

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self.workbench = workbench
        self.store = workbench.store
        self.themes = workbench.themes
        self.view = QuestionsView()
        self._dialog: LanguagesDialog | None = None
        self._selected: tuple[str, ...] = ()
        self._is_asking = False
        self._is_taking = False
        self.list = ListCard(self.themes)
        self.editor = EditorCard(self.themes)
        self.phone = PhoneCard(self.themes)
        self.tabs = Segmented(
            self.themes, self.tr("Editor or preview"),
            [(EDIT, self.tr("Question")), (PHONE, self.tr("Phone"))],
        )  # fmt: skip
        self.tabs.setObjectName("editorOrPhone")
        self.tabs.set_current(EDIT)
        self.tabs.chosen.connect(lambda _: self._fit())
        self._build()
        self._listen()

    def _build(self) -> None:
        self.right = named(QWidget(), "questionColumns")
        beside = row(self.editor, self.phone, spacing=12, stretch=0)
        column(self.tabs, beside, parent=self.right, spacing=8, stretch=1)
        self.list.keep_at_least(380)
        self.editor.keep_at_least(340)
        self.columns = splitter(
            Qt.Orientation.Horizontal, "questionsColumns", self.list, self.right
        )
        self.columns.setStretchFactor(0, 1)
        self.columns.setStretchFactor(1, 1)
        self.columns.setSizes([566, 690])
        column(self.columns, parent=self).setContentsMargins(16, 4, 16, 12)

    def _listen(self) -> None:
        self.list.name_chosen.connect(lambda name: self.store.select([name]))
        listed = self.list
        listed.add_button.clicked.connect(self.add_question)
        listed.examples.clicked.connect(self.add_examples)
        listed.duplicate.clicked.connect(self.duplicate_question)
        for signal in (listed.delete.clicked, listed.table.delete_requested):
            signal.connect(self.delete_question)
        listed.table.move_requested.connect(self._on_moved)
        for signal in (listed.quick.written, listed.table.pasted):
            signal.connect(self.add_text)
        listed.rehearse_button.clicked.connect(lambda: start_rehearsal(self.workbench))
        self.list.check_chosen.connect(self._on_check)
        self.editor.edit_requested.connect(self.make)
        self.editor.design_button.clicked.connect(
            lambda: self.workbench.page_requested.emit("design")
        )
        self.phone.try_requested.connect(self.try_page)
        self.phone.edit_requested.connect(self.make)
        self.phone.languages_button.clicked.connect(self.show_languages)

    # What is shown

    def refresh(self, *, anew: bool = False) -> None:
        """Show the questionnaire of the study, and the question that is selected in it.

        Several signals tell of one change; what is shown already is drawn ``anew`` only where a
        field holds something that was refused.
        """
        study = self.store.study
        if self._is_taking:
            return
        if not anew and study is self.view.study and self.store.selected == self._selected:
            return
        self._selected = self.store.selected
        asked = edits.questionnaire_of(study, speech.language)
        # A question that only words a list or its items has no card of its own.
        known = {name for name in asked.names if name in study.design}
        chosen = next((name for name in self.store.selected if name in known), "")
        name = chosen or next((one for one in asked.names if one in known), "")
        self.view = QuestionsView(study, asked, name)
        for card in (self.list, self.editor, self.phone):
            card.set_view(self.view)
        if self._dialog is not None:
            self._dialog.set_view(self.view)
        self.phone.setVisible(self._shows_phone())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Fold the telephone into a tab where there is no room beside the editor."""
        super().resizeEvent(event)
        self._fit()

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """As narrow as the list and the editor; the telephone may be a tab."""
        return QSize(760, 400)

    @property
    def is_folded(self) -> bool:
        return self.width() < self.themes.theme.px(_WIDE)

    def _shows_phone(self) -> bool:
        return not self.is_folded or self.tabs.current == PHONE

    def _fit(self) -> None:
        self.tabs.setVisible(self.is_folded)
        self.phone.setVisible(self._shows_phone())
        self.editor.setVisible(not self.is_folded or self.tabs.current == EDIT)

    def focus_first(self) -> None:
        """Put the cursor where the first question is written."""
        if not self.view.asked.questions:
            self.list.quick.setFocus()

    def _on_check(self, check: Check) -> None:
        if check.question in self.view.study.design:
            self.store.select([check.question])
        if check.field == DESIGN:
            self.workbench.page_requested.emit("design")
        elif check.field == TRANSLATION:
            self.show_languages().choose(check.question, *check.what)
        else:
            self.tabs.set_current(EDIT)
            self._fit()
            self.editor.go_to(check.field)

    # Edits

    def make(self, edit: QuestionEdit) -> None:
        before = self.store.study
        try:
            after = edit.make(before)
        except WorkbenchError as error:
            if edit.selects is None:
                self._refuse(translate(error.message), keeps_typed=edit.is_typed)
            else:
                # What is done to the list may leave no question to say it beside.
                self.workbench.error_raised.emit(error)
            return
        if after is before:
            return
        found = consequences(before, after)
        if not found:
            self._take(edit, after)
        elif not self._is_asking:
            self._ask(edit, before, after, found)

    def _refuse(self, why: str, *, keeps_typed: bool) -> None:
        if not keeps_typed:
            self.refresh(anew=True)
        target = self.editor if self._dialog is None else self._dialog
        target.refuse(why)

    def _ask(
        self, edit: QuestionEdit, before: Study, after: Study, found: tuple[Message, ...]
    ) -> None:
        self._is_asking = True

        def answered(key: str) -> None:
            self._is_asking = False
            if key == "change" and self.store.study is before:
                self._take(edit, after)
            else:
                self.refresh(anew=True)

        ask(
            self, self.themes, edit.text, "\n".join(translate(one) for one in found),
            (Choice("change", tr("Change"), ButtonRole.AcceptRole),), answered,
        )  # fmt: skip

    def _take(self, edit: QuestionEdit, after: Study) -> None:
        # The study and the selection change one after the other, and are shown once.
        self._is_taking = True
        try:
            self.store.apply(after, edit.text, edit.gesture or None, edit.renamed)
            if edit.selects is not None:
                self.store.select([edit.selects(after)])
        finally:
            self._is_taking = False
        self.refresh()
        if edit.then is not None:
            edit.then()
        if edit.said:
            self.workbench.show_toast(edit.said, can_undo=True)

    def add_question(self) -> None:
        name = unnamed(self.view.asked.names)
        fresh = Question.of(Attribute(name, Kind.BINARY, usual_answers()), self.view.language)
        blank = Question(name, fresh.kind, answers=fresh.answers)
        self._add((blank,), tr("Add a question"))
        self.tabs.set_current(EDIT)
        self._fit()
        self.editor.start_writing()

    def add_examples(self) -> None:
        typed = (TypedQuestion(tr(name), kind, tr(answers)) for name, kind, answers in _EXAMPLES)
        found = tuple(Question.of(one.attribute(), self.view.language) for one in typed)
        self._add(found, tr("Add %s questions") % number(len(found)))

    def add_text(self, pasted: str) -> None:
        try:
            found = questions_of_text(pasted, self.view.language, usual_answers())
        except WorkbenchError as error:
            self.workbench.error_raised.emit(error)
            return
        if not found:
            return
        text = tr("Add a question")
        said = ""
        if len(found) > 1:
            text = tr("Add %s questions") % number(len(found))
            said = tr("%s questions added.") % number(len(found))
        self._add(found, text, said, self.list.quick.clear)

    def _add(
        self,
        questions: tuple[Question, ...],
        text: str,
        said: str = "",
        then: Callable[[], None] | None = None,
    ) -> None:
        place, language = self.view.place + 1, self.view.language
        count = len(questions)
        at = place if self.view.name else None

        def last(after: Study) -> str:
            asked = after.questionnaire
            assert asked is not None  # noqa: S101 (questions were added)
            return asked.names[(at or 0) + count - 1]

        self.make(
            QuestionEdit(
                text,
                lambda study: edits.add_questions(study, questions, at, language),
                selects=last,
                said=said,
                then=then,
            )
        )

    def duplicate_question(self) -> None:
        """Ask the chosen question once more."""
        name, place = self.view.name, self.view.place
        if not name:
            return
        language = self.view.language

        def copy(after: Study) -> str:
            assert after.questionnaire is not None  # noqa: S101 (it has two questions at least)
            return after.questionnaire.names[place + 1]

        text = tr("Duplicate %s") % self.view.study.shown(name)
        self.make(
            QuestionEdit(
                text,
                lambda study: edits.duplicate_question(study, name, language),
                selects=copy,
            )
        )

    def delete_question(self) -> None:
        """Ask the chosen question no more; a toast brings it back."""
        name, place, names = self.view.name, self.view.place, self.view.asked.names
        if not name:
            return
        language, shown = self.view.language, self.view.study.shown(name)
        left = [one for one in names if one != name]
        after = left[min(place, len(left) - 1)] if left else ""
        self.make(
            QuestionEdit(
                tr("Delete %s") % shown,
                lambda study: edits.delete_questions(study, [name], language),
                selects=lambda _: after,
                said=tr("Deleted “%s”.") % shown,
            )
        )

    def step(self, by: int) -> None:
        names = self.view.asked.names
        place = self.view.place + by
        if self.view.name and 0 <= place < len(names):
            self.store.select([names[place]])

    def move_question(self, by: int) -> None:
        self._on_moved(self.view.place, self.view.place + by)

    def _on_moved(self, place: int, target: int) -> None:
        names, language = self.view.asked.names, self.view.language
        if not (0 <= place < len(names) and 0 <= target < len(names)) or place == target:
            return
        name = names[place]
        self.make(
            QuestionEdit(
                tr("Move %s") % self.view.study.shown(name),
                lambda study: edits.move_question(study, name, target, language),
                selects=lambda _: name,
            )
        )

    # Languages and the page

    def show_languages(self) -> LanguagesDialog:
        dialog = LanguagesDialog(self.themes, self.window())
        dialog.edit_requested.connect(self.make)
        dialog.set_view(self.view)
        self._dialog = dialog

        def closed(_: int) -> None:
            self._dialog = None

        show_dialog(dialog, self.themes, closed)
        return dialog

    def try_page(self, language: str) -> None:
        """Open the whole page in the browser; it draws but sends nothing."""
        study, asked = self.view.study, self.view.asked
        folder = self.workbench.folder or make_temporary_folder()
        path = folder / _PREVIEW

        def work(progress: Progress) -> str:
            progress(0.0)
            write_text(path, preview_html(study.design, asked, language))
            return str(path)

        def done(written: str) -> None:
            self.workbench.open_outside(QUrl.fromLocalFile(written))

        self.workbench.run(tr("Writing the page"), work, done, key="preview")
