"""The page of a question as a telephone shows it, in each of the languages."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QDialog, QDialogButtonBox, QWidget

from ppworkbench.core.errors import WorkbenchError
from ppworkbench.fieldwork.page.model import Sheet, page_model
from ppworkbench.gui.application import single_shot
from ppworkbench.gui.dialogs import resize_dialog, show_dialog
from ppworkbench.gui.language import language_name, tr, translate
from ppworkbench.gui.pages.data.questions.view import QuestionEdit, QuestionsView
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.controls import Button, ChoiceBox
from ppworkbench.gui.widgets.layout import column, named, row, scroll_area, show_words, text
from ppworkbench.gui.widgets.phone import Phone, PhoneScreen, scroll_to
from ppworkbench.study.questionnaire import edits

WIDE = 820
"""Pixels of a tablet, for which the page has more room than it uses."""


class PhoneCard(Card):
    """The preview with its language; the real page opens in the browser."""

    try_requested = Signal(str)
    """Open the page in this language."""
    languages_requested = Signal()
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
        self.languages_button.clicked.connect(lambda *_: self.languages_requested.emit())
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
        """Show the question of a view, in the language that was chosen."""
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
        self.note.setText(note)
        self.note.setVisible(bool(note))


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
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        self.area = scroll_area(self.screen_shown)
        self._due = single_shot(
            self, lambda: scroll_to(self.area, self.screen_shown, self._view.name), 0
        )
        column(
            row(text(self.windowTitle(), "strong"), None, self.language), self.area, self.note,
            buttons, parent=self, margin=16, spacing=10,
        ).setStretch(1, 1)  # fmt: skip
        resize_dialog(self, WIDE + 60, 620)
        self._draw()

    def _draw(self) -> None:
        sheet, note = _find_sheet(self._view, self.language.current)
        self.screen_shown.show_sheet(sheet)
        self._due.start()
        show_words(self.note, note)


def _find_sheet(view: QuestionsView, language: str) -> tuple[Sheet | None, str]:
    """The page that asks the question of a view, and what is to be said of it."""
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
