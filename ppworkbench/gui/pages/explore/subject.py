"""What is explored: one column of answers and the way it is distorted."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column
from ppworkbench.core.design import DesignedAttribute, Perturbation
from ppworkbench.core.reconstruct.channel import NUMBERS, VALUES
from ppworkbench.core.reconstruct.grid import DEFAULT_BINS
from ppworkbench.study.study import Study

MOST_STEPS = 500
"""More steps than pixels show nothing, and every iteration pays for them."""

_EACH_NUMBER = 200
"""Whole numbers up to which each has a step of its own unless somebody asks otherwise."""


@dataclass(frozen=True)
class Subject:
    """One attribute of a study, ready to be drawn from.

    Parameters
    ----------
    column
        The original answers, or the distorted ones where nobody knows the original.
    designed
        The attribute with its own perturbation, that of its group where it is in one.
    known
        Whether the column holds the true answers.
    steps
        How many intervals a scale of numbers is cut into; None for values.
    """

    column: Column
    designed: DesignedAttribute
    known: bool
    steps: int | None = None

    @property
    def name(self) -> str:
        """The attribute's name."""
        return self.designed.name

    @property
    def attribute(self) -> Attribute:
        """The attribute as the design knows it."""
        return self.designed.attribute

    @property
    def perturbation(self) -> Perturbation:
        """How it is distorted."""
        return self.designed.perturbation

    @property
    def cells(self) -> str:
        """Whether its answers are values or numbers."""
        return VALUES if self.attribute.kind.is_categorical else NUMBERS

    @property
    def is_distorted(self) -> bool:
        """Whether the design distorts it at all."""
        return not self.perturbation.is_identity


def subject_of(study: Study, name: str | None, steps: int | None = None) -> Subject | None:
    """The subject of that name; None where the study has no answers or no design for it."""
    table = study.table
    if name is None or table is None or name not in table or name not in study.design:
        return None
    designed = replace(study.design[name], perturbation=study.design.perturbation(name))
    if designed.attribute.kind.is_categorical:
        steps = None
    else:
        wanted = default_steps(designed) if steps is None else steps
        steps = max(1, min(wanted, most_steps(designed.attribute)))
    return Subject(table[name], designed, study.original is not None, steps)


def default_steps(designed: DesignedAttribute) -> int:
    """How many steps a scale has if nobody asks otherwise."""
    attribute = designed.attribute
    edges = designed.perturbation.interval_edges(attribute)
    if edges is not None:
        return len(edges) - 1
    if attribute.kind is Kind.INTEGER and attribute.width + 1 <= _EACH_NUMBER:
        return int(attribute.width) + 1
    return DEFAULT_BINS


def most_steps(attribute: Attribute) -> int:
    """How many steps a scale can have."""
    if attribute.kind is Kind.INTEGER:
        return min(MOST_STEPS, int(attribute.width) + 1)
    return MOST_STEPS if attribute.width > 0 else 1
