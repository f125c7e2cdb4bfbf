"""Designs that were pinned to be compared, and what changed since one of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design import Identity, Perturbation
from ppworkbench.core.design.perturbation import read_perturbation
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.privacy.assess import assess_attribute
from ppworkbench.core.privacy.report import AttributeReport
from ppworkbench.gui.language import translate
from ppworkbench.gui.pages.design.attribute_list import apply_to
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.controls import IconButton
from ppworkbench.gui.widgets.labels import LiveLabel
from ppworkbench.gui.widgets.layout import row
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.analyses.design import measures_of
from ppworkbench.study.language import translatable
from ppworkbench.study.renaming import PINS

RESULTS = PINS
LETTERS = "ABCD"


@dataclass(frozen=True)
class Pin:
    """One kept design; ``problem`` says why it does not fit the attribute any more."""

    letter: str
    perturbation: Perturbation | None
    problem: str = ""

    def summary(self) -> str:
        """The mechanism in a few words."""
        return translate(self.problem if self.perturbation is None else self.perturbation.summary())


@dataclass(frozen=True)
class Pinned:
    """The pins of one attribute; cards show the change since the active one."""

    pins: tuple[Pin, ...] = ()
    active: str = ""

    @property
    def active_pin(self) -> Pin | None:
        """The pin that the cards compare with, if it can be used."""
        found = self.pin(self.active)
        return found if found is not None and found.perturbation is not None else None

    @property
    def free_letter(self) -> str:
        """The letter of the next pin; empty when there are four."""
        taken = {pin.letter for pin in self.pins}
        return next((letter for letter in LETTERS if letter not in taken), "")

    def pin(self, letter: str) -> Pin | None:
        """The pin of that letter."""
        return next((pin for pin in self.pins if pin.letter == letter), None)

    def letter_of(self, perturbation: Perturbation) -> str:
        """The letter under which a design is kept; empty if it is not."""
        return next((pin.letter for pin in self.pins if pin.perturbation == perturbation), "")


class PinnedDesigns(QObject):
    """Reads and writes the pins of the study; nobody else knows how they are stored."""

    changed = Signal()

    def __init__(self, workbench: Workbench, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.workbench = workbench
        self.store = workbench.store
        self._read: tuple[object, Attribute, Pinned] | None = None
        self.store.results_changed.connect(self._on_results)

    def _on_results(self, name: str) -> None:
        if name in ("", RESULTS):
            self.changed.emit()

    def of(self, name: str | None) -> Pinned:
        """The pins of an attribute; a drag asks for them with every frame."""
        study = self.store.study
        if name is None or name not in study.design:
            return Pinned()
        kept, attribute = study.results.get(RESULTS), study.design[name].attribute
        if self._read is None or self._read[0] is not kept or self._read[1] is not attribute:
            self._read = kept, attribute, read_pins(kept, attribute)
        return self._read[2]

    def toggle(self, name: str) -> str:
        """Pin the design of now, or unpin it; the letter, empty when there is no room."""
        pinned = self.of(name)
        perturbation = self.store.study.design.perturbation(name)
        letter = pinned.letter_of(perturbation)
        if letter:
            self.remove(name, letter)
            return letter
        letter = pinned.free_letter
        if letter:
            kept = self._kept(name)
            pins = {**kept["pins"], letter: perturbation.to_json()}
            self._write(name, {key: pins[key] for key in sorted(pins)}, kept["active"] or letter)
        return letter

    def remove(self, name: str, letter: str) -> None:
        """Forget a pin; if it was the active one, the first of the others takes its place."""
        kept = self._kept(name)
        pins = {key: value for key, value in kept["pins"].items() if key != letter}
        active = kept["active"] if kept["active"] in pins else next(iter(pins), "")
        self._write(name, pins, active)

    def activate(self, name: str, letter: str) -> None:
        """Let the cards show the change since another pin."""
        kept = self._kept(name)
        if letter in kept["pins"]:
            self._write(name, kept["pins"], letter)

    def use(self, name: str, letter: str) -> None:
        """Distort the attribute as a pin says; one undo step."""
        pin = self.of(name).pin(letter)
        if pin is not None and pin.perturbation is not None:
            perturbation = pin.perturbation
            apply_to(self.workbench, [name], lambda _: perturbation)

    def _kept(self, name: str) -> dict[str, Any]:
        return _plain_pins(self.store.study.results.get(RESULTS), name)

    def _write(self, name: str, pins: Mapping[str, Any], active: str) -> None:
        kept = self.store.study.results.get(RESULTS)
        every = dict(kept) if isinstance(kept, Mapping) else {}
        every.pop(name, None)
        if pins:
            every[name] = {"active": active, "pins": dict(pins)}
        self.store.set_results(RESULTS, every or None)


def read_pins(kept: object, attribute: Attribute) -> Pinned:
    """The pins of one attribute out of the results of a study, whatever a file may hold."""
    found = _plain_pins(kept, attribute.name)
    pins = tuple(_pin(letter, given, attribute) for letter, given in found["pins"].items())
    return Pinned(pins, found["active"])


def _plain_pins(kept: object, name: str) -> dict[str, Any]:
    mine = kept.get(name) if isinstance(kept, Mapping) else None
    given = mine.get("pins") if isinstance(mine, Mapping) else None
    if not isinstance(mine, Mapping) or not isinstance(given, Mapping):
        return {"active": "", "pins": {}}
    pins = {letter: given[letter] for letter in LETTERS if letter in given}
    active = mine.get("active")
    return {"active": active if active in pins else next(iter(pins), ""), "pins": pins}


def _pin(letter: str, given: object, attribute: Attribute) -> Pin:
    if not isinstance(given, Mapping):
        return Pin(letter, None, translatable("This design cannot be read."))
    try:
        plain = given == {"type": "none"}
        found = Identity() if plain else read_perturbation(given, attribute.name)
        found.check(attribute)
    except WorkbenchError as error:
        return Pin(letter, None, error.message)
    return Pin(letter, found)


class PinChip(QToolButton):
    """Filled while it is the active one, underlined while it equals the design of now.

    A click or Enter opens its menu, Delete removes the pin.
    """

    def __init__(self, themes: ThemeManager, board: PinnedDesigns, letter: str) -> None:
        super().__init__()
        self._themes = themes
        self._board = board
        self.letter = letter
        self.is_active = False
        self.is_now = False
        self._fits = True
        self.setObjectName(f"pin{letter}")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(lambda _: self._open())
        self.clicked.connect(self._open)
        themes.theme_changed.connect(self.updateGeometry)
        themes.theme_changed.connect(self.update)

    def show_pin(self, pin: Pin, *, active: bool, now: bool) -> None:
        """Show what the pin holds; cheap if nothing differs."""
        self._fits = pin.perturbation is not None
        name = self.tr("Pin %s: %s") % (pin.letter, pin.summary())
        if active:
            name += "\n" + self.tr("The cards show the difference from this design.")
        if now:
            name += "\n" + self.tr("This is the current design.")
        if name != self.toolTip():
            self.setToolTip(name)
            self.setAccessibleName(name.replace("\n", ". "))
        if (active, now) != (self.is_active, self.is_now):
            self.is_active, self.is_now = active, now
            self.update()

    def make_menu(self) -> QMenu:
        """What can be done with this pin."""
        board, letter, name = self._board, self.letter, self._board.store.current or ""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        compare = menu.addAction(self.tr("Show the difference from %s") % letter)
        compare.setCheckable(True)
        compare.setChecked(self.is_active)
        compare.setEnabled(self._fits)
        compare.triggered.connect(lambda: board.activate(name, letter))
        again = menu.addAction(self.tr("Apply this design"))
        again.setEnabled(self._fits and not self.is_now)
        again.triggered.connect(lambda: board.use(name, letter))
        menu.addSeparator()
        gone = menu.addAction(self.tr("Remove %s") % letter)
        gone.triggered.connect(lambda: board.remove(name, letter))
        return menu

    def _open(self) -> None:
        self.make_menu().popup(self.mapToGlobal(QPoint(0, self.height() + 2)))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Open the menu with Enter, remove with Delete."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._open()
        elif event.key() == Qt.Key.Key_Delete:
            self._board.remove(self._board.store.current or "", self.letter)
        else:
            super().keyPressEvent(event)

    def sizeHint(self) -> QSize:  # noqa: N802
        """A small square."""
        return QSize(self._themes.theme.px(24), self._themes.theme.px(24))

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """No less than can be hit."""
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        """Draw the letter in its box."""
        theme, focus = self._themes.theme, self.hasFocus()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
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

    def __init__(self, themes: ThemeManager, board: PinnedDesigns, pin: QAction) -> None:
        super().__init__()
        self.since = LiveLabel(1, "captionHint")
        self.since.label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
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
        words = (
            self.tr("difference from %s, %s") % (active.letter, active.summary()) if active else ""
        )
        self.since.set_text(words)
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
            words = self.tr("Unpin %s, the current design (Ctrl+D)") % equal
        elif full:
            words = self.tr("4 designs are pinned. Remove one to pin another.")
        else:
            words = self.tr("Pin this design for comparison (Ctrl+D)")
        if words != self._pin.toolTip():
            self._pin.setToolTip(words)
            self.button.setToolTip(words)
            self.button.setAccessibleName(words)
        possible = bool(equal) or not full
        if self.button.isEnabled() != possible:
            self.button.setEnabled(possible)


class PinControl(QObject):
    """Pins the design of now, and shows the change since the active pin on the cards."""

    def __init__(self, workbench: Workbench, parent: QWidget) -> None:
        super().__init__(parent)
        self.workbench = workbench
        self.store = workbench.store
        self.board = PinnedDesigns(workbench, self)
        self.board.changed.connect(self.refresh)
        self.action = QAction(self.tr("Pin this design"), parent)
        self.action.setObjectName("pinDesign")
        self.action.setProperty("iconName", "pin")
        self.action.setShortcut(QKeySequence("Ctrl+D"))
        self.action.triggered.connect(self._on_pin)
        parent.addAction(self.action)
        self.bar = PinBar(workbench.themes, self.board, self.action)
        self._report: AttributeReport | None = None
        self._show_change: Callable[[dict[str, float] | None], None] | None = None
        self._target: Callable[[], float] = float
        self._measured: dict[object, dict[str, float]] = {}

    def tell(
        self, show_change: Callable[[dict[str, float] | None], None], target: Callable[[], float]
    ) -> None:
        """Tell somebody the numbers of the active pin, for the half-width that is wanted."""
        self._show_change, self._target = show_change, target

    def show_report(self, report: AttributeReport) -> None:
        """Show the change since the active pin; called with every frame of a drag."""
        self._report = report
        pinned = self.board.of(report.name)
        self.bar.show_pins(pinned, report.perturbation)
        active = pinned.active_pin
        before = None if active is None else self._numbers(report, active.perturbation)
        if self._show_change is not None:
            self._show_change(before)

    def refresh(self) -> None:
        """Show other pins."""
        if self._report is not None and self._report.name == self.store.current:
            self.show_report(self._report)

    def _numbers(
        self, report: AttributeReport, perturbation: Perturbation | None
    ) -> dict[str, float] | None:
        """What a pin would mean for the answers that are expected now."""
        if perturbation is None:
            return None
        n, target = report.utility.n, self._target()
        expected = report.prior.probabilities.tobytes()
        key = perturbation, report.attribute, expected, n, target, report.noncompliance
        if key not in self._measured:
            if len(self._measured) > 200:
                self._measured.clear()
            would = assess_attribute(
                (report.attribute, perturbation), report.prior, n, report.noncompliance
            )
            self._measured[key] = measures_of(would, target)
        return self._measured[key]

    def _on_pin(self) -> None:
        name = self.store.current
        if name is None or name not in self.store.study.design:
            return
        if not self.board.toggle(name):
            said = self.tr("4 designs are pinned. Remove one to pin another.")
            self.workbench.toast_requested.emit(said, False)
