"""One mechanism, several names: the same matrix under every design that gives it."""

from __future__ import annotations

from dataclasses import dataclass

from ppworkbench.core.design.matrices import MatrixPerturbation
from ppworkbench.core.design.presets.base import Matrix, Preset, presets
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


def _conversion(
    entry: Entry[type[Preset]], matrix: Matrix, values: tuple[str, ...]
) -> Conversion | None:
    preset = entry.item.recognise(matrix)
    if preset is None:
        return None
    return Conversion(entry.name, entry.label, preset, preset.recipe(values))
