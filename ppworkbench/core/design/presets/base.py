"""What every named design offers, and which of them give the same matrix."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Self

from ppworkbench.core.arrays import Matrix
from ppworkbench.core.design.matrices import MatrixPerturbation
from ppworkbench.core.design.perturbation import Perturbation
from ppworkbench.core.errors import DesignError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Params
from ppworkbench.core.registry import Entry, Registry

presets: Registry[type[Preset]] = Registry("named design")

SAME = 1e-9
"""How far two probabilities may lie apart and still be called the same."""


@dataclass(frozen=True)
class Preset(Params, ABC):
    """A named mechanism with the parameters that its authors gave it."""

    two_values: ClassVar[bool] = False
    reference: ClassVar[str] = ""

    @abstractmethod
    def fill(self, values: tuple[str, ...]) -> MatrixPerturbation:
        """The perturbation for attributes with these values."""

    @abstractmethod
    def recipe(self, values: tuple[str, ...]) -> str:
        """What the respondent does, with a coin, a die, cards or a computer."""

    @classmethod
    @abstractmethod
    def recognise(cls, matrix: Matrix) -> Self | None:
        """The parameters with which this mechanism gives the matrix, if there are any."""

    @classmethod
    def from_perturbation(cls, perturbation: Perturbation, k: int) -> Self | None:
        """The parameters with which this mechanism is the perturbation, if there are any.

        Mechanisms whose parameters do not all show in the matrix read them off the perturbation.
        """
        return cls.recognise(perturbation.values.matrix(k))

    def perturbation(self, values: tuple[str, ...]) -> MatrixPerturbation:
        """The perturbation under this name, refused when the number of values does not fit."""
        if self.two_values and len(values) != 2:
            raise DesignError.saying(
                "The {name} design needs questions with 2 answers, not {count}.",
                name=type(self).__name__,
                count=len(values),
            )
        filled = self.fill(values)
        name = next((entry.name for entry in presets if entry.item is type(self)), None)
        if name == filled.own_design:
            return filled
        return dataclasses.replace(filled, named_design=name)


def same(first: float, second: float) -> bool:
    """Whether two probabilities are equal up to rounding."""
    return abs(first - second) <= SAME


def percent(probability: float) -> Message:
    """A probability for a recipe.

    >>> percent(0.25), percent(1 / 3)
    ('25 %', '33.3 %')
    """
    return Message("{percent:.3g} %", percent=100 * probability)


@dataclass(frozen=True)
class Conversion:
    """A named design with the parameters that reproduce a given mechanism."""

    name: str
    label: str
    preset: Preset
    recipe: str


def convert(perturbation: MatrixPerturbation, values: tuple[str, ...]) -> tuple[Conversion, ...]:
    """All named designs that distort exactly as this perturbation does.

    >>> from ppworkbench.core.design.matrices import Related
    >>> [c.name for c in convert(Related(theta=0.7), ("no", "yes"))][:3]
    ['kuk', 'grr', 'pram']
    """
    matrix = perturbation.matrix(len(values))
    found = [_conversion(entry, matrix, values) for entry in presets]
    return tuple(conversion for conversion in found if conversion is not None)


def named_design(perturbation: Perturbation, values: tuple[str, ...]) -> Conversion | None:
    """The named design that was chosen for a perturbation; None where none was, or none fits.

    >>> from ppworkbench.core.design.matrices import Forced, Uniform
    >>> named_design(Forced(p_truth=0.5), ("no", "yes")).name
    'forced-response'
    >>> named_design(Uniform(keep=0.7), ("no", "yes"))
    """
    name = perturbation.design_name
    if name is None or name not in presets:
        return None
    entry, k = presets.entry(name), len(values)
    if entry.item.two_values and k != 2:
        return None
    preset = entry.item.from_perturbation(perturbation, k)
    if preset is None:
        return None
    return Conversion(name, entry.label, preset, preset.recipe(values))


def _conversion(
    entry: Entry[type[Preset]], matrix: Matrix, values: tuple[str, ...]
) -> Conversion | None:
    preset = entry.item.recognise(matrix)
    if preset is None:
        return None
    return Conversion(entry.name, entry.label, preset, preset.recipe(values))
