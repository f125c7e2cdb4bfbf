"""One mechanism, several names: the same matrix under every design that gives it."""

from __future__ import annotations

from dataclasses import dataclass

from ppworkbench.core.arrays import Matrix
from ppworkbench.core.design.matrices import MatrixPerturbation
from ppworkbench.core.design.perturbation import Perturbation
from ppworkbench.core.design.presets.base import Preset, presets
from ppworkbench.core.registry import Entry


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
