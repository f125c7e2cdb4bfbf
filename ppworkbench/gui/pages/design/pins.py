"""Up to four designs of an attribute that are kept to be compared with, as the study holds them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, Signal

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design import Identity, Perturbation
from ppworkbench.core.design.perturbation import read_perturbation
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.gui.language.text import later, told
from ppworkbench.gui.pages.design.apply import apply_to
from ppworkbench.gui.workbench import Workbench
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
        return told(self.problem if self.perturbation is None else self.perturbation.summary())


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


class PinBoard(QObject):
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
        return Pin(letter, None, later("This design cannot be read."))
    try:
        plain = given == {"type": "none"}
        found = Identity() if plain else read_perturbation(given, attribute.name)
        found.check(attribute)
    except WorkbenchError as error:
        return Pin(letter, None, error.message)
    return Pin(letter, found)
