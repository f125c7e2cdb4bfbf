"""What every attack is: what it needs, why it may not apply, and how it is carried out.

:data:`attacks` lists them by name; the window, the command line and Python read that list.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers, Places
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design.design import Design, DesignedAttribute
from ppworkbench.core.design.fit import fit_column
from ppworkbench.core.errors import DataError, DesignError
from ppworkbench.core.message import Message
from ppworkbench.core.privacy.joint import Joint
from ppworkbench.core.privacy.prior import Prior, sliced_edges
from ppworkbench.core.progress import Progress
from ppworkbench.core.reconstruct.grid import EdgeCells, make_grid
from ppworkbench.core.registry import Registry

SLICES = 12
"""Slices of a scale of numbers, one of which an attacker guesses."""
FINE = 20 * SLICES
"""Cells within them: where a number lies in its slice matters for what is reported."""


@dataclass(frozen=True, eq=False)
class PublishedData:
    """The records that have both answers.

    Parameters
    ----------
    true, reported
        The cell of every record's true and reported answer, -1 where one is missing.
    channel
        ``A[s, p]``: the probability of cell s being reported when the truth lies in cell p.
    """

    designed: DesignedAttribute
    edges: Numbers | None
    true: Places
    reported: Places
    channel: Numbers

    @property
    def name(self) -> str:
        return self.designed.name

    @property
    def cells(self) -> int:
        """How many cells the true answer may lie in."""
        return int(self.channel.shape[1])

    @cached_property
    def both(self) -> NDArray[np.bool_]:
        return np.asarray((self.true >= 0) & (self.reported >= 0))

    @cached_property
    def prior(self) -> Prior:
        """The distribution of the true answers: an attacker who knows it is the worst case."""
        counts = np.bincount(self.true[self.both], minlength=self.cells)
        return Prior(self.designed.attribute, counts.astype(np.float64), self.edges, "data")

    @cached_property
    def view(self) -> View:
        """What is guessed: a value, or the slice of the scale in which a number lies."""
        if self.edges is None:
            places = np.arange(self.cells)
            prior = self.prior
        else:
            places = np.arange(self.cells) * min(SLICES, self.cells) // self.cells
            edges = np.append(self.edges[starts_of(places)], self.edges[-1])
            weights = np.add.reduceat(self.prior.probabilities, starts_of(places))
            prior = Prior(self.designed.attribute, weights, edges, "data")
        return View(sliced_joint(self.channel, self.prior.probabilities, places), prior, places)


@dataclass(frozen=True, eq=False)
class View:
    """True answers as coarse as they are guessed; ``places`` is the slice of every cell."""

    joint: Joint
    prior: Prior
    places: Places


def starts_of(places: Places) -> Places:
    """The first cell of every slice, where slices rise."""
    return np.flatnonzero(np.diff(places, prepend=-1))


def sliced_joint(channel: Numbers, prior: Numbers, places: Places) -> Joint:
    """Slices of true answers and reported answers together.

    >>> seen = sliced_joint(np.eye(3), np.array([0.2, 0.3, 0.5]), np.array([0, 0, 1]))
    >>> seen.prior.tolist(), seen.published.tolist()
    ([0.5, 0.5], [0.2, 0.3, 0.5])
    """
    starts = starts_of(places)
    mass = np.add.reduceat(prior, starts)
    joint = np.add.reduceat(channel * prior, starts, axis=1)
    return Joint.of(joint / np.where(mass > 0, mass, 1.0), mass)


def seen_attribute(
    original: Column, distorted: Column, designed: DesignedAttribute, cells: int = FINE
) -> PublishedData:
    """Put the answers into cells: values as they are, numbers into parts of the domain.

    ``designed`` has the perturbation in effect, that of its group where it is in one.
    """
    if designed.why_not_single is not None:
        raise DesignError(designed.why_not_single, attribute=designed.name, field="type")
    attribute = designed.attribute
    numeric = attribute.kind.is_numeric
    edges = sliced_edges(attribute, cells) if numeric else None
    grid = make_grid(attribute, designed.perturbation, edges)
    data = fit_column(original, designed)
    if edges is None:
        true = data.astype(np.intp)
    elif len(edges) == 2:
        true = np.where(np.isnan(data), -1, 0)
    else:
        true = EdgeCells(edges).place(data)
    reported = grid.z_cells.place(distorted.data)
    if not ((true >= 0) & (reported >= 0)).any():
        raise DataError.saying(
            "Attribute {attribute!r} has no answers to attack; choose another one.",
            attribute=attribute.name,
        )
    channel = np.maximum(grid.matrix(), 0.0)
    # The tails that no cell holds are shared out, so that nothing is lost.
    return PublishedData(designed, edges, true, reported, channel / channel.sum(axis=0))


_Z = 1.959963984540054
"""The standard normal's 97.5 % point."""


@dataclass(frozen=True)
class Counted:
    """``hits`` of ``n`` trials.

    >>> Counted(8, 10).share
    0.8
    """

    hits: int
    n: int

    @property
    def share(self) -> float:
        """The share of hits; NaN without trials."""
        return self.hits / self.n if self.n else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of Wilson (1927), which holds also for no hit and for all.

        >>> [round(end, 4) for end in Counted(0, 100).interval]
        [0.0, 0.037]
        """
        if not self.n:
            return 0.0, 1.0
        p, n, z2 = self.share, self.n, _Z**2
        middle = (p + z2 / (2 * n)) / (1 + z2 / n)
        half = _Z * math.sqrt(p * (1 - p) / n + z2 / (4 * n**2)) / (1 + z2 / n)
        low = 0.0 if self.hits == 0 else max(middle - half, 0.0)
        high = 1.0 if self.hits == n else min(middle + half, 1.0)
        return low, high


@dataclass(frozen=True)
class Measured:
    """A number with its standard error; 0 where it was computed and not simulated."""

    value: float
    error: float = 0.0

    @property
    def interval(self) -> tuple[float, float]:
        return self.value - _Z * self.error, self.value + _Z * self.error


def in_slices(slices: int | None) -> list[Message]:
    """What counts as a guessed number; nothing for values."""
    if slices is None:
        return []
    words = "A number is guessed correctly if its bin, one of {slices}, is."
    return [Message(words, slices=slices)]


@dataclass(frozen=True)
class Finding(ABC):
    measure: ClassVar[str]
    """What the numbers of :meth:`points` are, for an axis."""
    drawn: ClassVar[Message] = Message("this draw, 95 % interval")
    """What the points are called among what is drawn beside them."""
    along: ClassVar[Message | None] = None
    """What the points follow each other along; None where they are things."""
    shares: ClassVar[tuple[str, ...]] = ()
    """The keys of :meth:`rows` that are shares; the first one lies between ``low`` and ``high``."""

    @property
    @abstractmethod
    def sentence(self) -> Message:
        """How well the attack works, and how well a guess without it."""

    @abstractmethod
    def rows(self) -> list[Mapping[str, object]]:
        """A row for each report, number of reports, attribute or set of known attributes."""

    @abstractmethod
    def points(self) -> list[tuple[str, float, tuple[float, float]]]:
        """What is drawn: a label, the number and its 95 % interval for each row that has one."""

    def readings(self) -> list[Message]:
        """What the attacker is taken to know, and how the numbers are read."""
        return [Message("The attacker knows the design and the true distribution.")]

    def beside(self) -> list[tuple[Message, list[float]]]:
        """What is drawn beside the points, by name: as many numbers as there are points."""
        return []


@dataclass(frozen=True, eq=False)
class AttackedAnswers:
    """Reported answers beside the true ones, row by row of the same people.

    Parameters
    ----------
    name
        The attribute that is attacked, by an attack on a single one.
    known
        The attributes that the attacker knows of everybody, where the attack takes some.
    seed
        Where draws start.
    """

    original: Table
    reported: Table
    design: Design
    name: str = ""
    known: Sequence[str] = ()
    seed: int = 0

    @property
    def columns(self) -> tuple[Column, Column]:
        return self.original[self.name], self.reported[self.name]

    @property
    def designed(self) -> DesignedAttribute:
        """The attacked attribute; in a group the coin of the group is the one that counts."""
        return replace(self.design[self.name], perturbation=self.design.perturbation(self.name))


class Attack(ABC):
    """An attack, known by its class: there is nothing to be set."""

    words: ClassVar[str]
    """What it does, in a list of all attacks."""
    takes_attribute: ClassVar[bool] = False
    """Whether a single attribute is attacked."""
    takes_known: ClassVar[bool] = False
    """Whether the attacker is taken to know some answers of everybody."""
    target: ClassVar[Message] = Message("the answers")
    """What is attacked where it is no single attribute."""

    @classmethod
    def why_not(cls, original: Table, design: Design, name: str) -> Message | None:
        """Why it cannot be carried out on true answers and a design; None if it can."""
        if cls.takes_attribute and (name not in original or name not in design):
            return Message("Choose an attribute that is part of the design.")
        return None

    @classmethod
    @abstractmethod
    def run(cls, answers: AttackedAnswers, progress: Progress) -> Finding:
        """Carry it out and count how often it succeeds."""


attacks: Registry[type[Attack]] = Registry("attack")


def linkable(original: Table, design: Design) -> tuple[str, ...]:
    """The attributes that an attacker may know of people."""
    return tuple(name for name in design.names if name in original)
