"""The left column of the lab: which attack, on which attribute, knowing what."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QButtonGroup, QWidget

from ppworkbench.gui.pages.explore.attack.kinds import ATTACKS, LINK, OF_ONE, Attack
from ppworkbench.gui.pages.explore.attack.known_list import KnownList
from ppworkbench.gui.pages.explore.radio_row import RadioRow
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.attribute_box import AttributeBox
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.icon_button import IconButton
from ppworkbench.gui.widgets.layouts import column, line, row, text
from ppworkbench.study.help import key_about


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

    def show_attack(self, attack: Attack, current: bool) -> None:
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
        self.rows = {key: AttackRow(themes, key) for key in ATTACKS}
        for one in self.rows.values():
            self.group.addButton(one.radio)
            one.chosen.connect(self.attack_chosen)
        self.attribute = AttributeBox(themes, "attackAttribute", self.tr("Attacked attribute"))
        self.one = QWidget()
        column(text(self.tr("Attribute"), "strong"), self.attribute, parent=self.one, spacing=6)
        self.known = KnownList(themes)
        self.note = text(
            self.tr("All attacks see the draw of this study; “Distort again” takes another one."),
            "captionHint",
            wrap=True,
        )
        self.body.setSpacing(7)
        self.body.addLayout(row(text(self.tr("Attack by"), "strong"), self.help, None, spacing=4))
        attacks = column(*self.rows.values(), spacing=1)
        attacks.setContentsMargins(-6, 0, -6, 0)
        self.body.addLayout(attacks)
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
        self.help_requested.emit(key_about("attack", chosen, "attack-lab"))

    def show_attacks(self, attacks: Sequence[Attack], current: str) -> None:
        """Show the list; what belongs to the chosen attack stands below it."""
        for attack in attacks:
            self.rows[attack.key].show_attack(attack, attack.key == current)
        self.one.setVisible(current in OF_ONE)
        self.known.setVisible(current == LINK)
        self.rest.setVisible(current != LINK)

    def _restyle(self) -> None:
        self.keep_at_least(self._themes.theme.px(248))
