"""Designs of an attribute that were pinned to be compared; the study keeps them as results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design import DesignedAttribute, Perturbation
from ppworkbench.core.design.perturbation import read_perturbation
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.study.language import translatable
from ppworkbench.study.renaming import PINS
from ppworkbench.study.study import Study

RESULTS = PINS
LETTERS = "ABCD"


@dataclass(frozen=True)
class Pin:
    """One kept design; ``problem`` says why it does not fit the attribute any more."""

    letter: str
    perturbation: Perturbation | None
    problem: str = ""

    def summary(self) -> str:
        """The mechanism in a few words, or the problem; to be translated."""
        return self.problem if self.perturbation is None else self.perturbation.summary()


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
        return next((pin for pin in self.pins if pin.letter == letter), None)

    def letter_of(self, perturbation: Perturbation) -> str:
        """The letter under which a design is kept; empty if it is not."""
        return next((pin.letter for pin in self.pins if pin.perturbation == perturbation), "")


def read_pins(kept: object, attribute: Attribute) -> Pinned:
    """The pins of one attribute out of the results of a study, whatever a file may hold."""
    found = _plain_pins(kept, attribute.name)
    pins = tuple(_pin(letter, given, attribute) for letter, given in found["pins"].items())
    return Pinned(pins, found["active"])


def toggle_pin(study: Study, name: str) -> object:
    """The results with the design of now pinned, or unpinned if it is pinned already.

    They are as before when there are four pins.
    """
    pinned = read_pins(study.results.get(RESULTS), study.design[name].attribute)
    perturbation = study.design.usual_device(name)
    letter = pinned.letter_of(perturbation)
    if letter:
        return remove_pin(study, name, letter)
    kept = _plain_pins(study.results.get(RESULTS), name)
    letter = pinned.free_letter
    if not letter:
        return study.results.get(RESULTS)
    pins = {**kept["pins"], letter: perturbation.to_json()}
    return _with_pins(study, name, {key: pins[key] for key in sorted(pins)}, kept["active"])


def remove_pin(study: Study, name: str, letter: str) -> object:
    """The results without a pin; if it was the active one, the first of the others becomes it."""
    kept = _plain_pins(study.results.get(RESULTS), name)
    pins = {key: value for key, value in kept["pins"].items() if key != letter}
    return _with_pins(study, name, pins, kept["active"])


def activate_pin(study: Study, name: str, letter: str) -> object:
    kept = _plain_pins(study.results.get(RESULTS), name)
    active = letter if letter in kept["pins"] else kept["active"]
    return _with_pins(study, name, kept["pins"], active)


def _with_pins(study: Study, name: str, pins: Mapping[str, Any], active: str) -> object:
    kept = study.results.get(RESULTS)
    every = dict(kept) if isinstance(kept, Mapping) else {}
    every.pop(name, None)
    if pins:
        active = active if active in pins else next(iter(pins))
        every[name] = {"active": active, "pins": dict(pins)}
    return every or None


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
        device = read_perturbation(given, attribute.name)
        return Pin(letter, DesignedAttribute(attribute, device).perturbation)
    except WorkbenchError as error:
        return Pin(letter, None, error.message)
