"""The independent parts of a distortion: single attributes, and groups that share a coin.

A factor has cells of true answers and of distorted ones, the channel between them, and weights that
undo it. Given the true answers of a respondent, the distorted ones of different factors are
independent, so that the product of their weights undoes them together.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers, Places
from ppworkbench.core.data import sets
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.data.sets import Sets
from ppworkbench.core.design.channels import Naming
from ppworkbench.core.design.group import Group
from ppworkbench.core.design.matrices import Unrelated
from ppworkbench.core.design.matrices.base import NEARLY_SINGULAR, condition_number
from ppworkbench.core.design.perturbation import Cases, Perturbation
from ppworkbench.core.errors import DesignError
from ppworkbench.core.message import Message
from ppworkbench.core.reconstruct.grid import Grid
from ppworkbench.core.survey.answers import Asked

_TOLERANCE = 1e-7
_MOST_KINDS = 40
"""True answers of so many kinds are looked at one by one."""
_MARK = 2
"""Bytes before a set that say which device made it."""


@dataclass(frozen=True, eq=False)
class Weights:
    """One weight per cell of the distorted answer and per target.

    Parameters
    ----------
    matrix
        ``H[s, r]``, with ``E[H[Z, r] | X in cell p] = B[p, r]``.
    inflation
        The root mean square weight over that of the target itself, when true answers have the
        given shares; the largest among the targets. So many times larger is the standard error
        than it would be without distortion, about.
    holds
        Whether the expectation holds. It cannot where the channel maps different true answers to
        the same distorted ones.
    """

    matrix: Numbers
    inflation: float
    holds: bool


def inverse_weights(channel: Numbers, targets: Numbers, true_share: Numbers) -> Weights:
    """Weights H with ``A' H = B``, of the smallest mean square.

    For a square, regular channel there is only ``H = A^{-T} B``. Where Z has more cells than X many
    H are right; the one that minimises ``sum_s q_s H_s^2`` gives the smallest standard error when Z
    is distributed as ``q = A x``, with x the given share of true answers. It is the weighted
    pseudo-inverse ``H = Q^{-1/2} (A' Q^{-1/2})^+ B``. As x does not depend on the data, the weights
    are unbiased whatever it is.

    >>> P = np.array([[0.6, 0.4], [0.4, 0.6]])
    >>> inverse_weights(P, np.array([[1.0], [0.0]]), np.full(2, 0.5)).matrix.round(6).tolist()
    [[3.0], [-2.0]]
    """
    q = channel @ true_share
    reached = q > 0
    root = np.sqrt(q[reached])
    scaled = channel[reached].T / root
    weights = np.zeros((len(q), targets.shape[1]))
    weights[reached] = np.linalg.pinv(scaled, rcond=1e-12) @ targets / root[:, None]
    off = np.abs(channel.T @ weights - targets).max(initial=0.0)
    undistorted = true_share @ targets**2
    asked = undistorted > 0
    squares = (q @ weights**2)[asked] / undistorted[asked]
    inflation = float(np.sqrt(squares.max(initial=0.0)))
    return Weights(weights, inflation, bool(off <= _TOLERANCE))


def even_weights(channel: Numbers, targets: Numbers, true_share: Numbers) -> Weights:
    """Weights for published intervals: the share of the interval that each target takes up."""
    mass = channel * true_share
    total = mass.sum(axis=1, keepdims=True)
    weights = np.divide(mass, total, out=np.zeros_like(mass), where=total > 0) @ targets
    off = np.abs(channel.T @ weights - targets).max(initial=0.0)
    return Weights(weights, 1.0, bool(off <= _TOLERANCE))


Codes = NDArray[np.signedinteger[Any]]

SMALLEST_KEEP = 1e-9
"""Below this probability of the truth, weights are all rounding error."""

NOTHING_KEPT = Message("none of its numbers is kept")
SINGULAR = Message("its transition matrix is singular")


class Factor(ABC):
    """One or several attributes that are distorted independently of all others."""

    asked: tuple[Asked, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(asked.name for asked in self.asked)

    @property
    def needs(self) -> tuple[str, ...]:
        """The columns that tell the cell of a record; mostly the attributes alone."""
        return self.names

    @abstractmethod
    def codes(self, data: Mapping[str, NDArray[Any]]) -> Codes:
        """The cell of every record's distorted answers; -1 where the design cannot put any."""

    @property
    @abstractmethod
    def channel(self) -> Numbers:
        """``A[s, p]``: the probability of cell s of Z given cell p of X."""

    @property
    @abstractmethod
    def targets(self) -> Numbers:
        """One row per cell of X, one column per target."""

    @property
    @abstractmethod
    def weights(self) -> Weights:
        """One row per cell of Z, one column per target."""

    @property
    @abstractmethod
    def true_share(self) -> Numbers:
        """Every true answer equally likely."""

    @property
    def sizes(self) -> dict[str, int]:
        """By attribute, how many cells its true answers have."""
        return {asked.name: asked.attribute.k for asked in self.asked}

    @property
    def edges(self) -> Numbers | None:
        """The borders of X's cells where it is a number; None for values."""
        return None

    @property
    def is_number(self) -> bool:
        return self.edges is not None

    @property
    def slope(self) -> Numbers | None:
        """What one unit of an unknown parameter adds to the channel; None where all is known."""
        return None

    @property
    def undo(self) -> Numbers | None:
        """The weights by cell, to undo the factor by itself; None where that cannot be done."""
        return self.weights.matrix

    @cached_property
    def least_variance(self) -> Numbers:
        """For every target, the smallest variance of its weight that a true answer leads to.

        A handful of records may show less, or none at all when a rare answer did not come.
        """
        squares = self.channel.T @ self.weights.matrix**2
        return np.asarray(np.maximum((squares - self.targets**2).min(axis=0), 0.0))

    @property
    def is_smooth(self) -> bool:
        """Whether the cells are numbers under noise, whose undoing may need smoothing."""
        return False

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a reader of the result should know."""
        return ()


@dataclass(frozen=True, eq=False)
class ValueFactor(Factor):
    """A categorical attribute under a P-matrix, or undistorted."""

    asked: tuple[Asked]

    def codes(self, data: Mapping[str, NDArray[Any]]) -> Codes:
        found: Codes = data[self.asked[0].name]
        return found

    @cached_property
    def channel(self) -> Numbers:
        asked = self.asked[0]
        return asked.perturbation.values.matrix(asked.attribute.k)

    @property
    def targets(self) -> Numbers:
        return self.asked[0].targets()

    @property
    def true_share(self) -> Numbers:
        return np.full(len(self.channel), 1 / len(self.channel))

    @cached_property
    def weights(self) -> Weights:
        """``h = P^{-T} 1_S``."""
        weights = inverse_weights(self.channel, self.targets, self.true_share)
        if not weights.holds:
            raise uninformative(self.asked[0].name, SINGULAR)
        return weights

    @property
    def remarks(self) -> tuple[str, ...]:
        if condition_number(self.channel) <= NEARLY_SINGULAR:
            return ()
        return (
            Message(
                "The transition matrix of {attribute!r} is nearly singular, so the interval "
                "is very wide.",
                attribute=self.asked[0].name,
            ),
        )


@dataclass(frozen=True, eq=False)
class SetFactor(Factor):
    """A categorical attribute whose reports are sets; its cells are the sets that occur.

    The score ``([v in z] - h) / (g - h)`` of every value v stands in the place of a row of P^-1.
    Where the device differs by arm, a set through another device is another cell.

    Parameters
    ----------
    columns
        The attributes that decide about the device, by name.
    devices, owners
        The devices that records have, and which of them made each of the sets.
    """

    asked: tuple[Asked]
    columns: Mapping[str, Attribute]
    devices: tuple[Perturbation, ...]
    found: Sets
    owners: Places
    places: Mapping[bytes, int]

    @classmethod
    def of(
        cls, asked: Asked, data: Mapping[str, NDArray[Any]], columns: Mapping[str, Attribute]
    ) -> SetFactor:
        cases = asked.perturbation.cases_of(data, columns, asked.name)
        devices = tuple(dict.fromkeys(cases.devices))
        marked = sets.distinct(_marked(data[asked.name], cases, devices))[0]
        owners = marked[:, 0].astype(np.intp) * 256 + marked[:, 1]
        places = {row.tobytes(): place for place, row in enumerate(marked)}
        return cls((asked,), columns, devices, marked[:, _MARK:], owners, places)

    @property
    def needs(self) -> tuple[str, ...]:
        return (*self.names, *self.columns)

    def codes(self, data: Mapping[str, NDArray[Any]]) -> Codes:
        only = self.asked[0]
        cases = only.perturbation.cases_of(data, self.columns, only.name)
        some, inverse, _ = sets.distinct(_marked(data[only.name], cases, self.devices))
        known = np.array([self.places.get(row.tobytes(), -1) for row in some], np.int32)
        return known[inverse]

    @property
    def _namings(self) -> tuple[Naming, ...]:
        return tuple(one.sets.naming(self.asked[0].attribute.k) for one in self.devices)

    @property
    def channel(self) -> Numbers:
        raise DesignError.saying(
            "Reports of {attribute!r} are sets of values, which cannot be joined with a "
            "number under noise; leave one of them out.",
            attribute=self.asked[0].name,
        )

    @property
    def targets(self) -> Numbers:
        return self.asked[0].targets()

    @property
    def true_share(self) -> Numbers:
        k = self.asked[0].attribute.k
        return np.full(k, 1 / k)

    @cached_property
    def weights(self) -> Weights:
        targets, namings = self.targets, self._namings
        chance = np.array([one.h for one in namings])[self.owners, None]
        gap = np.array([one.gap for one in namings])[self.owners, None]
        matrix = np.empty((len(self.found), targets.shape[1]))
        for rows, named in sets.parts(self.found, len(targets)):
            matrix[rows] = (named - chance[rows]) / gap[rows] @ targets
        return Weights(matrix, 1.0, holds=True)

    @cached_property
    def least_variance(self) -> Numbers:
        return np.asarray(np.min([self._least_variance(one) for one in self._namings], axis=0))

    def _least_variance(self, naming: Naming) -> Numbers:
        targets = self.targets
        # Values that count for the same targets lead to the same variances.
        _, kinds = np.unique(targets, axis=0, return_index=True)
        if len(kinds) > _MOST_KINDS:
            # Every value is a target: a score varies least for a value that is not its own.
            alone = naming.variance(np.array([0.0, 1.0])).min()
            return np.full(targets.shape[1], float(alone))
        each = []
        for place in kinds:
            true = np.zeros(len(targets))
            true[place] = 1.0
            each.append(np.einsum("ij,ij->j", targets, naming.covariance(true) @ targets))
        return np.asarray(np.maximum(np.min(each, axis=0), 0.0))


def _marked(data: Sets, cases: Cases, devices: tuple[Perturbation, ...]) -> Sets:
    """Every set behind two bytes that say which device made it."""
    place = np.array([devices.index(one) for one in cases.devices], np.intp)[cases.codes]
    return np.column_stack([place >> 8, place & 255, data]).astype(np.uint8)


@dataclass(frozen=True, eq=False)
class GroupFactor(Factor):
    """Attributes of one group, truly answered or not by one coin.

    In the unrelated model ``Pr(z | x) = theta [z = x] + (1 - theta) w(z)`` with w the product of
    the personal distributions, in the related model ``theta [z = x] + (1 - theta) [z = not x]``.
    """

    asked: tuple[Asked, ...]
    group: Group

    @property
    def _sizes(self) -> tuple[int, ...]:
        return tuple(asked.attribute.k for asked in self.asked)

    def codes(self, data: Mapping[str, NDArray[Any]]) -> Codes:
        """The codes of all attributes as the digits of one number, the first one highest."""
        found = np.zeros(len(data[self.names[0]]), np.int32)
        for asked in self.asked:
            found = found * asked.attribute.k + data[asked.name]
        return found

    @cached_property
    def _personal(self) -> Numbers:
        """The distribution of the answers when the coin says "not the truth"."""
        listed = dict(self.group.personal)
        parts = [
            Unrelated(theta=0.0, personal=listed.get(asked.name)).matrix(asked.attribute.k)[:, 0]
            for asked in self.asked
        ]
        return _product(parts)

    @cached_property
    def channel(self) -> Numbers:
        theta, size = self.group.theta, int(np.prod(self._sizes))
        if self.group.type == "related":
            return theta * np.eye(size) + (1 - theta) * np.eye(size)[::-1]
        return theta * np.eye(size) + (1 - theta) * np.outer(self._personal, np.ones(size))

    @property
    def targets(self) -> Numbers:
        return _product([asked.targets() for asked in self.asked])

    @property
    def true_share(self) -> Numbers:
        size = int(np.prod(self._sizes))
        return np.full(size, 1 / size)

    @cached_property
    def weights(self) -> Weights:
        """``(1_S(z) - (1 - theta) w(S)) / theta``; related: with ``1_S`` of z and of not z."""
        theta, targets = self.group.theta, self.targets
        together = Message("the group of {attributes}", attributes=tuple(self.group.attributes))
        if self.group.type == "related":
            if abs(2 * theta - 1) < SMALLEST_KEEP:
                raise uninformative(
                    self.names[0], Message("theta is 0.5 in {together}", together=together)
                )
            # Reversing every binary answer reverses the order of all combinations.
            matrix = (theta * targets - (1 - theta) * targets[::-1]) / (2 * theta - 1)
        else:
            if theta < SMALLEST_KEEP:
                raise uninformative(
                    self.names[0], Message("theta is 0 in {together}", together=together)
                )
            matrix = (targets - (1 - theta) * (self._personal @ targets)) / theta
        return Weights(matrix, 1.0, holds=True)


@dataclass(frozen=True, eq=False)
class NumberFactor(Factor):
    """A number in the cells of a grid."""

    asked: tuple[Asked]
    grid: Grid

    def codes(self, data: Mapping[str, NDArray[Any]]) -> Codes:
        return self.grid.z_cells.place(data[self.asked[0].name])

    @property
    def sizes(self) -> dict[str, int]:
        return {self.asked[0].name: len(self.edges) - 1}

    @property
    def undo(self) -> None:
        """Nothing: cells of a number are so fine that weights by cell would be very large."""

    @property
    def edges(self) -> Numbers:
        assert self.grid.x_edges is not None  # noqa: S101 (the grid of a number has borders)
        return self.grid.x_edges

    @cached_property
    def channel(self) -> Numbers:
        return self.grid.matrix()

    @property
    def targets(self) -> Numbers:
        return self.asked[0].targets(self.edges)

    @property
    def true_share(self) -> Numbers:
        share = np.diff(self.edges)
        if share.sum() <= 0:
            return np.full(len(share), 1 / len(share))
        return np.asarray(share / share.sum())

    @cached_property
    def weights(self) -> Weights:
        """The pseudo-inverse, or an interval's share of the region."""
        asked, targets = self.asked[0], self.targets
        if asked.publishes_intervals:
            return even_weights(self.channel, targets, self.true_share)
        weights = inverse_weights(self.channel, targets, self.true_share)
        if not weights.holds and not self.is_smooth:
            raise uninformative(asked.name, NOTHING_KEPT)
        return weights

    @property
    def is_smooth(self) -> bool:
        return not (self.asked[0].is_exact or self.asked[0].publishes_intervals)

    @property
    def remarks(self) -> tuple[str, ...]:
        if self.is_smooth or self.weights.holds:
            return ()
        remark = Message(
            "A limit lies inside a reported interval of {attribute!r}; a uniform distribution "
            "within the interval is assumed.",
            attribute=self.asked[0].name,
        )
        return (remark,)


def _product(parts: Sequence[Numbers]) -> Numbers:
    """The Kronecker product, the first part varying slowest."""
    result = parts[0]
    for other in parts[1:]:
        result = np.asarray(np.kron(result, other), np.float64)
    return result


def uninformative(name: str, why: str) -> DesignError:
    return DesignError.saying(
        "Attribute {attribute!r} is not informative here, because {why}; leave it "
        "out or choose another design.",
        why=why,
        attribute=name,
    )
