"""What happens to missing answers, how many there are and which codes they held."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QFrame, QRadioButton, QVBoxLayout, QWidget

from ppworkbench.core.data.attribute import Kind, MissingPolicy
from ppworkbench.gui.pages.data.corrections import Corrections
from ppworkbench.gui.pages.data.facts import Facts, HeldCode, code_text
from ppworkbench.gui.pages.data.number_text import plain
from ppworkbench.gui.pages.data.subject import Subject
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.icon_button import Button, IconLabel
from ppworkbench.gui.widgets.layouts import column, row, text
from ppworkbench.gui.words import number, percent

_MOST_CODES = 6


class HeldCodes(QWidget):
    """The missing codes of the file that cells held; each can be taken for an answer."""

    restore_requested = Signal(object)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._list = QVBoxLayout(self)
        self._list.setContentsMargins(0, 0, 0, 0)
        self._list.setSpacing(2)

    def show_codes(self, held: tuple[HeldCode, ...], reason_against: str) -> None:
        """Show other codes."""
        while (item := self._list.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.setParent(None)
                widget.deleteLater()
        for code, label, count in held[:_MOST_CODES]:
            self._list.addWidget(self._line(code, label, count, reason_against))
        self.setVisible(bool(held))

    def _line(self, code: float | str, label: str, count: int, reason_against: str) -> QWidget:
        shown = code_text(code)
        what = self.tr("%s “%s”") % (shown, label) if label and label != shown else shown
        words = self.tr("%s, once") % what
        if count != 1:
            words = self.tr("%s, %s times") % (what, number(count))
        button = Button(self._themes, self.tr("It is an answer"), look="link")
        button.setObjectName(f"restore-{shown}")
        button.setAccessibleName(self.tr("%s is an answer") % shown)
        button.setEnabled(not reason_against)
        button.setToolTip(reason_against)
        button.clicked.connect(lambda *_: self.restore_requested.emit(code))
        line = QWidget()
        row(text(words, "caption"), None, button, parent=line)
        return line


class MissingSection(QWidget):
    """Four policies, and what the chosen one will do."""

    def __init__(self, themes: ThemeManager, corrections: Corrections) -> None:
        super().__init__()
        self._corrections = corrections
        self._subject: Subject | None = None
        self.count = text("", "captionHint")
        self.held = HeldCodes(themes)
        self.held.restore_requested.connect(self._on_restore)
        self.group = QButtonGroup(self)
        self.choices = {policy: QRadioButton() for policy in self._order}
        for place, (policy, radio) in enumerate(self.choices.items()):
            radio.setObjectName(f"missing-{policy.value}")
            self.group.addButton(radio, place)
        self.group.idClicked.connect(self._on_clicked)
        self.effect = text("", "caption", wrap=True)
        self.effect.setObjectName("missingEffect")
        column(
            row(text(self.tr("Missing answers"), "strong"), None, self.count),
            self.held,
            *self.choices.values(),
            self.effect,
            _note(themes, self.tr("Whether someone skipped a question can itself give an answer "
                                  "away.")),
            parent=self,
            spacing=7,
        )  # fmt: skip

    @property
    def _order(self) -> tuple[MissingPolicy, ...]:
        return (
            MissingPolicy.LEAVE, MissingPolicy.VALUE, MissingPolicy.IMPUTE, MissingPolicy.DROP,
        )  # fmt: skip

    def show_subject(self, subject: Subject) -> None:
        """Show another attribute, or what several share."""
        self._subject = subject
        attributes = subject.attributes
        numeric = [a for a in attributes if a.kind.is_numeric]
        words = {
            MissingPolicy.LEAVE: self.tr("Leave missing and do not randomise"),
            MissingPolicy.VALUE: self.tr("Treat “missing” as one more answer"),
            MissingPolicy.IMPUTE: self._impute_words(subject),
            MissingPolicy.DROP: self.tr("Drop the row"),
        }
        no_value = self.tr("Numbers have no room for an answer “missing”; change the kind first.")
        chosen = {attribute.missing for attribute in attributes}
        self.group.setExclusive(False)
        for policy, radio in self.choices.items():
            reason = subject.reason_against
            if policy is MissingPolicy.VALUE and numeric:
                reason = reason or no_value
            radio.setText(words[policy])
            radio.setChecked(chosen == {policy})
            radio.setEnabled(not reason)
            radio.setToolTip(reason)
        self.group.setExclusive(True)
        facts = subject.facts if subject.is_single else None
        self.held.show_codes(() if facts is None else facts.reasons, subject.reason_against)
        self.count.setText(self._count_words(subject))
        self.effect.setText(self._effect_words(subject, facts))
        self.effect.setVisible(bool(self.effect.text()))

    def _impute_words(self, subject: Subject) -> str:
        kinds = {attribute.kind.is_numeric for attribute in subject.attributes}
        if kinds == {True}:
            return self.tr("Fill in the mean")
        if kinds == {False}:
            return self.tr("Fill in the most frequent answer")
        return self.tr("Fill in the mean or the most frequent answer")

    def _count_words(self, subject: Subject) -> str:
        if not subject.is_single:
            return ""
        facts = subject.facts
        if facts is None:
            return self.tr("counting")
        if not facts.missing:
            return self.tr("none here")
        share = facts.missing / max(facts.rows, 1)
        parts = (number(facts.missing), number(facts.rows), percent(share, 1))
        return self.tr("%s of %s, %s") % parts

    def _effect_words(self, subject: Subject, facts: Facts | None) -> str:
        """What will happen, in a sentence with the number it concerns."""
        if facts is None or not facts.missing:
            return ""
        one, many = self._sentences(subject, facts)[subject.attribute.missing]
        sentence = one if facts.missing == 1 else many % number(facts.missing)
        is_value = subject.attribute.missing is MissingPolicy.VALUE
        if is_value and subject.attribute.kind is Kind.ORDINAL:
            return self.tr("%s The order of the answers is lost.") % sentence
        return sentence

    def _sentences(self, subject: Subject, facts: Facts) -> dict[MissingPolicy, tuple[str, str]]:
        """What each policy will do to one missing answer, and to so many."""
        left, filling = number(facts.rows - facts.missing), self._filling(subject, facts)
        return {
            MissingPolicy.LEAVE: (
                self.tr("One answer stays missing in everything that follows."),
                self.tr("%s answers stay missing in everything that follows."),
            ),
            MissingPolicy.DROP: (
                self.tr("One row is left out of every analysis; %s stay.") % left,
                self.tr("%s rows are left out of every analysis; %s stay.") % ("%s", left),
            ),
            MissingPolicy.VALUE: (
                self.tr("One answer becomes the value “missing” and is randomised."),
                self.tr("%s answers become the value “missing” and are randomised."),
            ),
            MissingPolicy.IMPUTE: (
                self.tr("One answer becomes %s.") % filling,
                self.tr("%s answers become %s.") % ("%s", filling.replace("%", "%%")),
            ),
        }

    def _filling(self, subject: Subject, facts: Facts) -> str:
        if not facts.present:
            return self.tr("nothing, since there is no answer to take")
        if subject.attribute.kind.is_categorical:
            return self.tr("“%s”") % subject.attribute.values[int(np.argmax(facts.counts))]
        is_whole = subject.attribute.kind is Kind.INTEGER
        return number(round(facts.mean)) if is_whole else plain(facts.mean, 2)

    def _on_clicked(self, place: int) -> None:
        if self._subject is not None:
            self._corrections.set_policy(self._subject.names, self._order[place])

    def _on_restore(self, code: float | str) -> None:
        if self._subject is not None:
            self._corrections.restore_missing(self._subject.name, code)


def _note(themes: ThemeManager, sentence: str) -> QFrame:
    frame = QFrame()
    frame.setProperty("look", "note")
    words = text(sentence, "caption", wrap=True)
    layout = row(IconLabel(themes, "info", "infoText", 16), words, parent=frame, spacing=10)
    layout.setContentsMargins(10, 6, 10, 6)
    layout.setStretch(1, 1)
    return frame
