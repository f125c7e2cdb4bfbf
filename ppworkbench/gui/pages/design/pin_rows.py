"""The kept designs in words, each with what can be done with it."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from ppworkbench.core.design import Perturbation
from ppworkbench.gui.language.text import told
from ppworkbench.gui.pages.design.pin_chip import PinChip
from ppworkbench.gui.pages.design.pins import LETTERS, PinBoard, Pinned
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.elided_label import ElidedLabel
from ppworkbench.gui.widgets.icon_button import Button, IconButton
from ppworkbench.gui.widgets.layouts import column, row


class PinRow(QWidget):
    """Letter, mechanism, "Use again", remove."""

    def __init__(self, themes: ThemeManager, board: PinBoard, letter: str) -> None:
        super().__init__()
        self.chip = PinChip(themes, board, letter)
        self.chip.setObjectName(f"comparePin{letter}")
        self.summary = ElidedLabel()
        self.use = Button(themes, self.tr("Use again"), look="link")
        self.use.setObjectName(f"usePin{letter}")
        self.use.setAccessibleName(self.tr("Use design %s again") % letter)
        self.use.clicked.connect(lambda: board.use(board.store.current or "", letter))
        self.remove = IconButton(themes, "close", self.tr("Remove %s") % letter, 14)
        self.remove.setObjectName(f"removePin{letter}")
        self.remove.clicked.connect(lambda: board.remove(board.store.current or "", letter))
        row(self.chip, self.summary, self.use, self.remove, parent=self, spacing=8).setStretch(1, 1)


class PinRows(QWidget):
    """A row for every pin of the current attribute."""

    def __init__(self, themes: ThemeManager, board: PinBoard) -> None:
        super().__init__()
        self.rows = {letter: PinRow(themes, board, letter) for letter in LETTERS}
        column(*self.rows.values(), parent=self, spacing=2)

    def show_pins(self, pinned: Pinned, now: Perturbation) -> None:
        """Show the pins of an attribute that is distorted like this now."""
        equal = pinned.letter_of(now)
        for letter, one in self.rows.items():
            pin = pinned.pin(letter)
            if one.isHidden() != (pin is None):
                one.setHidden(pin is None)
            if pin is None:
                continue
            one.chip.show_pin(pin, active=letter == pinned.active, now=letter == equal)
            if pin.summary() != one.summary.words():
                one.summary.setText(pin.summary())
            usable = pin.perturbation is not None and letter != equal
            if one.use.isEnabled() != usable:
                one.use.setEnabled(usable)
            why = self.tr("The attribute is distorted like this now.") if letter == equal else (
                told(pin.problem)
            )  # fmt: skip
            if why != one.use.toolTip():
                one.use.setToolTip(why)
