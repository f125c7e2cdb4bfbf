"""The kept designs of the current attribute, over the cards that show the change since one."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from ppworkbench.core.design import Perturbation
from ppworkbench.gui.pages.design.pin_chip import PinChip
from ppworkbench.gui.pages.design.pins import LETTERS, PinBoard, Pinned
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.elided_label import ElidedLabel
from ppworkbench.gui.widgets.icon_button import IconButton
from ppworkbench.gui.widgets.layouts import row


class PinBar(QWidget):
    """What the cards compare with, a chip for every pin, and a button that pins."""

    def __init__(self, themes: ThemeManager, board: PinBoard, pin: QAction) -> None:
        super().__init__()
        self.since = ElidedLabel("captionHint")
        self.since.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.chips = {letter: PinChip(themes, board, letter) for letter in LETTERS}
        self.button = IconButton(themes, "pin", "", 16)
        self.button.setObjectName("pinButton")
        self.button.clicked.connect(pin.trigger)
        self._pin = pin
        row(self.since, 4, *self.chips.values(), self.button, parent=self, spacing=4).setStretch(
            0, 1
        )
        for chip in self.chips.values():
            chip.hide()

    def show_pins(self, pinned: Pinned, now: Perturbation) -> None:
        """Show the pins of an attribute that is distorted like this now."""
        active = pinned.active_pin
        words = self.tr("change since %s, %s") % (active.letter, active.summary()) if active else ""
        if words != self.since.words():
            self.since.setText(words)
        equal = pinned.letter_of(now) if pinned.pins else ""
        for letter, chip in self.chips.items():
            pin = pinned.pin(letter)
            if pin is not None:
                chip.show_pin(pin, active=letter == pinned.active, now=letter == equal)
            if chip.isHidden() != (pin is None):
                chip.setHidden(pin is None)
        self._say_what_pinning_does(equal, full=not pinned.free_letter)

    def _say_what_pinning_does(self, equal: str, *, full: bool) -> None:
        if equal:
            words = self.tr("Unpin %s, the design of now (Ctrl+D)") % equal
        elif full:
            words = self.tr("Four designs are pinned. Remove one to pin another.")
        else:
            words = self.tr("Pin this design to compare others with it (Ctrl+D)")
        if words != self._pin.toolTip():
            self._pin.setToolTip(words)
            self.button.setToolTip(words)
            self.button.setAccessibleName(words)
        possible = bool(equal) or not full
        if self.button.isEnabled() != possible:
            self.button.setEnabled(possible)
