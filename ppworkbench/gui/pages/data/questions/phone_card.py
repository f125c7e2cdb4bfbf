"""One question as a telephone shows it, in each of the languages."""

from __future__ import annotations

from PySide6.QtCore import Signal

from ppworkbench.core.errors import WorkbenchError
from ppworkbench.gui.application import single_shot
from ppworkbench.gui.language import translate
from ppworkbench.gui.pages.data.questions.view import QuestionsView, language_name
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.controls import Button, ChoiceBox
from ppworkbench.gui.widgets.layout import named, row, text
from ppworkbench.gui.widgets.phone import Phone
from ppworkbench.study.questionnaire.model import Screen, question_screen


class PhoneCard(Card):
    """The preview with its language; the real page opens in the browser."""

    try_requested = Signal(str)
    """Open the page in this language."""
    languages_requested = Signal()

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(themes.tr("As on a phone"))
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
        self.languages_button = named(
            Button(themes, self.tr("Languages…"), look="link"), "languages"
        )
        self.languages_button.clicked.connect(lambda *_: self.languages_requested.emit())
        middle = row(None, self.phone, None)
        self.body.addLayout(middle, 1)
        self.add(self.note)
        self.body.addLayout(row(self.try_button, None, self.languages_button))

    def set_view(self, view: QuestionsView) -> None:
        """Show the question of a view, in the language that was chosen."""
        self._view = view
        codes = view.asked.languages
        if self.language.keys != list(codes):
            chosen = self.language.current
            self.language.set_choices([(code, language_name(code)) for code in codes])
            self.language.set_current(chosen if chosen in codes else codes[0])
        self.try_button.setEnabled(bool(view.asked.questions))
        self._due.start()

    def _draw(self) -> None:
        view, language = self._view, self.language.current
        screen, note = self._find_screen(view, language)
        count = len(view.asked.questions)
        heading = self.tr("Question %s of %s") % (view.place + 1, count) if view.name else ""
        self.phone.screen_shown.show_screen(screen, view.place, count, heading)
        self.note.setText(note)
        self.note.setVisible(bool(note))

    def _find_screen(self, view: QuestionsView, language: str) -> tuple[Screen | None, str]:
        if not view.name:
            return None, self.tr("The question appears here as people read it.")
        try:
            found, fallback = question_screen(view.study.design, view.asked, view.name, language)
        except WorkbenchError as error:
            return None, translate(error.message)
        if any(not words.get(language) for _, words in view.asked[view.name].texts()):
            return found, self.tr("Texts without a translation are shown in %s.") % language_name(
                view.language
            )
        return found, fallback
