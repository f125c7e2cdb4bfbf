"""Which attack, on which attribute, by an attacker who knows what."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QButtonGroup, QWidget

from ppworkbench.analyses.survey.questions import PARTICIPANTS, statistics
from ppworkbench.core.attacks import attacks
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.attribute_box import (
    AttributeBox,
    AttributeTicks,
)
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.controls import IconButton, RadioRow
from ppworkbench.gui.widgets.layout import column, line, row, text
from ppworkbench.outputs.help.topic import key_about
from ppworkbench.study.study import Study

MEMBERS = "members"
"""The list of likely members, which needs no true answers."""


def why_not(study: Study, key: str, name: str | None) -> str:
    if study.original is None:
        return tr(
            "The reported answers are already randomised; without the true ones guesses cannot be "
            "checked."
        )
    attack = attacks[key]
    if study.design.has_arms and (
        not attack.takes_attribute or (name in study.design and _differs(study, name))
    ):
        return tr(
            "An attack needs one version of the questions, and the arms of this design differ."
        )
    reason = attack.why_not(study.original, study.design, name or "")
    return "" if reason is None else translate(reason)


def _differs(study: Study, name: str | None) -> bool:
    """Whether arms ask a question in different ways, or not at all."""
    return any(name in arm.named for arm in study.design.versions.members)


class AttackRow(RadioRow):
    """A radio button over a question; grey with its reason where the attack does not apply."""

    chosen = Signal(str)

    def __init__(self, themes: ThemeManager, key: str) -> None:
        super().__init__(themes)
        self.radio.setObjectName(f"attack_{key}")
        self.hint = text("", "captionHint", wrap=True)
        self.hint.setContentsMargins(24, 0, 0, 0)
        column(self.radio, self.hint, parent=self, spacing=1, margin=(8, 5, 6, 6))
        self.radio.clicked.connect(lambda: self.chosen.emit(key))

    def show_attack(self, title: str, hint: str, reason: str, *, current: bool) -> None:
        """``reason`` says why it cannot be carried out, if it cannot."""
        self.radio.setText(title)
        self.radio.setAccessibleName(title)
        self.radio.setAccessibleDescription(reason or hint)
        self.hint.setText(reason or hint)
        with QSignalBlocker(self.radio):
            self.radio.setChecked(current)
        self.radio.setEnabled(not reason)
        self.setToolTip(reason)
        font = self.radio.font()
        weight = "semibold" if current else "medium"
        font.setWeight(self._themes.theme.font("body", weight).weight())
        self.radio.setFont(font)
        self.update()


class AttackCard(Card):
    """Knows no study: it shows what it is given and tells what a person does."""

    attack_chosen = Signal(str)
    help_requested = Signal(str)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(padding=12)
        self._themes = themes
        self.help = IconButton(themes, "question", self.tr("About the attacks"), 15)
        self.help.setObjectName("attackHelp")
        self.group = QButtonGroup(self)
        keys = (*(one.name for one in attacks.ranked), MEMBERS)
        self.rows = {key: AttackRow(themes, key) for key in keys}
        for one in self.rows.values():
            self.group.addButton(one.radio)
            one.chosen.connect(self.attack_chosen)
        self.attribute = AttributeBox(themes, "attackAttribute", self.tr("Attacked attribute"))
        self.one = QWidget()
        column(text(self.tr("Attribute"), "strong"), self.attribute, parent=self.one, spacing=6)
        self.known = AttributeTicks(
            themes,
            "knownAttributes",
            self.tr("Attacker's knowledge"),
            title=self.tr("The attacker knows"),
        )
        self.note = text(
            self.tr("All attacks use the draw of this study; “Distort again” takes another one."),
            "captionHint",
            wrap=True,
        )
        self.body.setSpacing(7)
        self.body.addLayout(row(text(self.tr("Attack type"), "strong"), self.help, None, spacing=4))
        listed = column(*self.rows.values(), spacing=1)
        listed.setContentsMargins(-6, 0, -6, 0)
        self.body.addLayout(listed)
        self.body.addWidget(line())
        self.body.addWidget(self.one)
        self.body.addWidget(self.known, 1)
        self.rest = QWidget()
        self.body.addWidget(self.rest, 1)
        self.body.addWidget(line())
        self.body.addWidget(self.note)
        self.help.clicked.connect(self._on_help)
        self.keep_at_least(248, themes)

    def _on_help(self) -> None:
        chosen = next((key for key, one in self.rows.items() if one.radio.isChecked()), "")
        about = ("statistic", PARTICIPANTS) if chosen == MEMBERS else ("attack", chosen)
        self.help_requested.emit(key_about(*about, "attack-lab"))

    def show_attacks(self, study: Study, name: str | None, current: str) -> None:
        """What belongs to the chosen attack stands below the list."""
        listed = statistics[PARTICIPANTS]
        offered = [
            (one.name, one.label, one.hint, why_not(study, one.name, name))
            for one in attacks.ranked
        ]
        for key, title, hint, reason in (*offered, (MEMBERS, listed.short, listed.hint, "")):
            said = translate(title), translate(hint), reason
            self.rows[key].show_attack(*said, current=key == current)
        chosen = None if current == MEMBERS else attacks[current]
        takes_known = chosen is not None and chosen.takes_known
        self.one.setVisible(chosen is not None and chosen.takes_attribute)
        self.known.setVisible(takes_known)
        self.rest.setVisible(not takes_known)
