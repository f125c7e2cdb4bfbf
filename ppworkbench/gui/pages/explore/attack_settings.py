"""Which attack, on which attribute, by an attacker who knows what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QButtonGroup, QListWidget, QListWidgetItem, QWidget

from ppworkbench.analyses.survey.questions import PARTICIPANTS
from ppworkbench.analyses.survey.statistic import statistics
from ppworkbench.core.attacks import attacks
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.numbers import number
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.attribute_box import AttributeBox, Offered, attribute_tip
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.controls import IconButton, RadioRow
from ppworkbench.gui.widgets.layout import column, line, named, row, text
from ppworkbench.outputs.help import key_about
from ppworkbench.study.study import Study

MEMBERS = "members"
"""The list of likely members, which needs no true answers."""


@dataclass(frozen=True)
class AttackOption:
    """An attack in the list; ``reason`` says why it cannot be carried out, if it cannot."""

    key: str
    title: str
    hint: str
    reason: str = ""


def attacks_on(study: Study, name: str | None) -> tuple[AttackOption, ...]:
    """The attacks on a study, in order."""
    measured = (
        AttackOption(
            entry.name, translate(entry.label), translate(entry.hint),
            why_not(study, entry.name, name),
        )
        for entry in attacks.ranked
    )  # fmt: skip
    listed = statistics.entry(PARTICIPANTS)
    return (*measured, AttackOption(MEMBERS, translate(listed.label), translate(listed.hint)))


def why_not(study: Study, key: str, name: str | None) -> str:
    """Why an attack cannot be carried out; empty if it can."""
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


class KnownList(QWidget):
    """Known attributes in the order of the questionnaire."""

    ticked = Signal(str, bool)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self.count = text("", "captionHint")
        self.view = named(QListWidget(), "knownAttributes", self.tr("Attacker's knowledge"))
        self.view.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.view.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.view.setMinimumHeight(themes.theme.px(96))
        self._themes = themes
        self._offered: list[Offered] = []
        themes.theme_changed.connect(self._resize)
        head = row(text(self.tr("The attacker knows"), "strong"), None, self.count)
        layout = column(head, self.view, parent=self, spacing=4)
        layout.setStretch(1, 1)
        self.view.itemChanged.connect(self._on_changed)

    def show_attributes(self, offered: Sequence[Offered], known: Sequence[str]) -> None:
        """Show all attributes with their ticks."""
        names = [name for name, *_ in offered]
        with QSignalBlocker(self.view):
            if self._offered != list(offered):
                self._offered = list(offered)
                self.view.clear()
                for name, _kind, question, title in offered:
                    item = QListWidgetItem(title)
                    item.setData(Qt.ItemDataRole.UserRole, name)
                    item.setToolTip(attribute_tip(name, question, title))
                    item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsUserCheckable)
                    self.view.addItem(item)
                self._resize()
            for place, name in enumerate(names):
                state = Qt.CheckState.Checked if name in known else Qt.CheckState.Unchecked
                self.view.item(place).setCheckState(state)
        self.count.setText(self.tr("%s of %s") % (number(len(known)), number(len(names))))
        self.view.viewport().update()

    def tick(self, name: str, on: bool) -> None:
        """Tick as a person would."""
        for place, (one, *_) in enumerate(self._offered):
            if one == name:
                state = Qt.CheckState.Checked if on else Qt.CheckState.Unchecked
                self.view.item(place).setCheckState(state)

    def _resize(self) -> None:
        size = QSize(10, self._themes.theme.px(24))
        with QSignalBlocker(self.view):
            for place in range(self.view.count()):
                self.view.item(place).setSizeHint(size)

    def _on_changed(self, item: QListWidgetItem) -> None:
        self.ticked.emit(
            item.data(Qt.ItemDataRole.UserRole), item.checkState() == Qt.CheckState.Checked
        )


class AttackRow(RadioRow):
    """A radio button over a question; grey with its reason where the attack does not apply."""

    chosen = Signal(str)

    def __init__(self, themes: ThemeManager, key: str) -> None:
        super().__init__(themes)
        self.radio.setObjectName(f"attack_{key}")
        self.hint = text("", "captionHint", wrap=True)
        self.hint.setContentsMargins(24, 0, 0, 0)
        layout = column(self.radio, self.hint, parent=self, spacing=1)
        layout.setContentsMargins(8, 5, 6, 6)
        self.radio.clicked.connect(lambda: self.chosen.emit(key))

    def show_attack(self, attack: AttackOption, current: bool) -> None:
        """Show title, question and whether it is the chosen one."""
        self.radio.setText(attack.title)
        self.radio.setAccessibleName(attack.title)
        self.radio.setAccessibleDescription(attack.reason or attack.hint)
        self.hint.setText(attack.reason or attack.hint)
        with QSignalBlocker(self.radio):
            self.radio.setChecked(current)
        self.radio.setEnabled(not attack.reason)
        self.setToolTip(attack.reason)
        font = self.radio.font()
        weight = "semibold" if current else "medium"
        font.setWeight(self._themes.theme.font("body", weight).weight())
        self.radio.setFont(font)
        self.update()


class AttackCard(Card):
    """Knows no study: it shows what it is given and tells what a person does."""

    attack_chosen = Signal(str)
    attribute_chosen = Signal(str)
    known_ticked = Signal(str, bool)
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
        self.known = KnownList(themes)
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
        self.attribute.chosen.connect(self.attribute_chosen)
        self.known.ticked.connect(self.known_ticked)
        themes.theme_changed.connect(self._restyle)
        self._restyle()

    def _on_help(self) -> None:
        chosen = next((key for key, one in self.rows.items() if one.radio.isChecked()), "")
        about = ("statistic", PARTICIPANTS) if chosen == MEMBERS else ("attack", chosen)
        self.help_requested.emit(key_about(*about, "attack-lab"))

    def show_attacks(self, options: Sequence[AttackOption], current: str) -> None:
        """Show the list; what belongs to the chosen attack stands below it."""
        for one in options:
            self.rows[one.key].show_attack(one, one.key == current)
        chosen = None if current == MEMBERS else attacks[current]
        takes_known = chosen is not None and chosen.takes_known
        self.one.setVisible(chosen is not None and chosen.takes_attribute)
        self.known.setVisible(takes_known)
        self.rest.setVisible(not takes_known)

    def _restyle(self) -> None:
        self.keep_at_least(self._themes.theme.px(248))
