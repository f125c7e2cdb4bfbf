"""Pins of the current attribute: chips with a menu, and a button that pins."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPaintEvent, QPen
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from ppworkbench.analyses.designs.pins import LETTERS, Pin
from ppworkbench.gui.language import translate
from ppworkbench.gui.pages.design.view import DesignView
from ppworkbench.gui.theme import ThemeManager, smooth_painter
from ppworkbench.gui.widgets.controls import IconButton
from ppworkbench.gui.widgets.labels import LiveLabel
from ppworkbench.gui.widgets.layout import named, row


class PinChip(QToolButton):
    """Filled while it is the active one, underlined while it equals the design of now.

    A click or Enter opens its menu, Delete removes the pin.
    """

    activated = Signal(str)
    """The cards shall show the difference from the pin of this letter."""
    chosen = Signal(str)
    """The design of the pin is wanted."""
    removed = Signal(str)

    def __init__(self, themes: ThemeManager, letter: str) -> None:
        super().__init__()
        self._themes = themes
        self.add_scripts: Callable[[QMenu], None] | None = None
        """Adds the scripts of the pins to the menu."""
        self.letter = letter
        self.is_active = False
        self.is_now = False
        self._fits = True
        self.setObjectName(f"pin{letter}")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(lambda _: self._open())
        self.clicked.connect(self._open)
        themes.follow(self.updateGeometry, self.update)

    def show_pin(self, pin: Pin, *, active: bool, now: bool) -> None:
        """Show what the pin holds; cheap if nothing differs."""
        self._fits = pin.perturbation is not None
        name = self.tr("Pin %s: %s") % (pin.letter, translate(pin.summary()))
        if active:
            name += "\n" + self.tr("The cards show the difference from this design.")
        if now:
            name += "\n" + self.tr("This is the current design.")
        self.setToolTip(name)
        self.setAccessibleName(name.replace("\n", ". "))
        if (active, now) != (self.is_active, self.is_now):
            self.is_active, self.is_now = active, now
            self.update()

    def make_menu(self) -> QMenu:
        letter = self.letter
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        compare = menu.addAction(self.tr("Show the difference from %s") % letter)
        compare.setCheckable(True)
        compare.setChecked(self.is_active)
        compare.setEnabled(self._fits)
        compare.triggered.connect(lambda: self.activated.emit(letter))
        again = menu.addAction(self.tr("Apply this design"))
        again.setEnabled(self._fits and not self.is_now)
        again.triggered.connect(lambda: self.chosen.emit(letter))
        if self.add_scripts is not None:
            menu.addSeparator()
            self.add_scripts(menu)
        menu.addSeparator()
        gone = menu.addAction(self.tr("Remove %s") % letter)
        gone.triggered.connect(lambda: self.removed.emit(letter))
        return menu

    def _open(self) -> None:
        self.make_menu().popup(self.mapToGlobal(QPoint(0, self.height() + 2)))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._open()
        elif event.key() == Qt.Key.Key_Delete:
            self.removed.emit(self.letter)
        else:
            super().keyPressEvent(event)

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(self._themes.theme.px(24), self._themes.theme.px(24))

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        theme, focus = self._themes.theme, self.hasFocus()
        painter = smooth_painter(self)
        box = QRectF(self.rect()).adjusted(1.5, 1.5, -1.5, -1.5)
        line = "focus" if focus else "accentInk" if self.is_active else "outline"
        painter.setPen(QPen(theme.colour(line), 2 if focus else 1))
        ground = "accentTint" if self.is_active else "hover" if self.underMouse() else "surface"
        painter.setBrush(theme.colour(ground))
        painter.drawRoundedRect(box, 6, 6)
        ink = "accentInk" if self.is_active else "text2"
        painter.setPen(theme.colour(ink if self._fits else "textDisabled"))
        painter.setFont(theme.font("caption", "semibold"))
        painter.drawText(box.adjusted(0, 0, 0, -1), Qt.AlignmentFlag.AlignCenter, self.letter)
        if self.is_now:
            middle, foot = box.center().x(), box.bottom() - 3
            painter.setPen(QPen(theme.colour(ink), 1.5))
            painter.drawLine(QPointF(middle - 4, foot), QPointF(middle + 4, foot))


class PinBar(QWidget):
    """What the cards compare with, a chip for every pin, and a button that pins."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self.since = LiveLabel(1, "captionHint")
        self.since.label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.chips = {letter: PinChip(themes, letter) for letter in LETTERS}
        self.is_pinned = False
        """Whether the current design is one of the pinned ones."""
        self.button = named(IconButton(themes, "pin", "", 16), "pinButton")
        row(self.since, 4, *self.chips.values(), self.button, parent=self, spacing=4).setStretch(
            0, 1
        )
        for chip in self.chips.values():
            chip.hide()

    def set_view(self, view: DesignView) -> None:
        """Show the pins of the attribute; called with every frame of a drag."""
        pinned, words = view.pinned, ""
        active = pinned.active_pin
        if active is not None:
            held = active.letter, translate(active.summary())
            words = self.tr("difference from %s, %s") % held
        self.since.set_text(words)
        equal = pinned.letter_of(view.perturbation) if pinned.pins else ""
        for letter, chip in self.chips.items():
            pin = pinned.pin(letter)
            if pin is not None:
                chip.show_pin(pin, active=letter == pinned.active, now=letter == equal)
            chip.setHidden(pin is None)
        self.is_pinned = bool(equal)
        if equal:
            words = self.tr("Unpin %s, the current design (Ctrl+D)") % equal
        elif pinned.free_letter:
            words = self.tr("Pin this design for comparison (Ctrl+D)")
        else:
            words = self.tr("4 designs are pinned. Remove one to pin another.")
        self.button.setToolTip(words)
        self.button.setAccessibleName(words)
        self.button.setEnabled(bool(equal or pinned.free_letter))
