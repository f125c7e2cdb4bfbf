"""What answers are: a choice that nobody makes for a person."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QRadioButton, QWidget

from ppworkbench.fieldwork.responses.draft import why_not_state
from ppworkbench.gui.language import translate
from ppworkbench.gui.widgets.layout import column, named, show_words, text
from ppworkbench.study.answer_state import AnswerState
from ppworkbench.study.study import Study

REPORTED, TRUE, ANOTHER = "reported", "true", "another"


class StateChoice(QWidget):
    """Radio buttons of which none is on at first, and what the choice means for the study."""

    chosen = Signal(str)

    def __init__(self, study: Study, *, can_open: bool = False) -> None:
        super().__init__()
        self._study = study
        self._group = QButtonGroup(self)
        words = {
            REPORTED: self.tr("Reported: randomised by a card or page"),
            TRUE: self.tr("True: asked directly"),
        }
        if can_open:
            words[ANOTHER] = self.tr("Another study")
        self.buttons = {
            key: named(QRadioButton(label), f"{key}Answers") for key, label in words.items()
        }
        self.note = named(text("", "warning", wrap=True), "stateNote")
        for button in self.buttons.values():
            self._group.addButton(button)
        self._group.buttonClicked.connect(self._on_clicked)
        column(
            text(self.tr("What are these answers?"), "label"), *self.buttons.values(), self.note,
            parent=self, spacing=4,
        )  # fmt: skip
        show_words(self.note, self._meaning())

    @property
    def current(self) -> str:
        """What was chosen; empty while nothing is."""
        return next((key for key, one in self.buttons.items() if one.isChecked()), "")

    @property
    def is_apart(self) -> bool:
        """Whether answers of the chosen state make a study of their own."""
        return self.current in (REPORTED, TRUE) and bool(why_not_state(self._study, self.current))

    def _on_clicked(self) -> None:
        show_words(self.note, self._meaning())
        self.chosen.emit(self.current)

    def _meaning(self) -> str:
        if self.is_apart:
            word = translate(str(self._study.state))
            return (
                self.tr(
                    "The open study holds %s answers, and the two are never mixed: these become a "
                    "study of their own with the same design."
                )
                % word
            )
        if self._study.state is AnswerState.INVENTED and self.current != ANOTHER:
            return self.tr("Adding responses removes the simulated respondents.")
        return ""
