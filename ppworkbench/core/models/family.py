"""What a regression asks its kind of outcome: a family answers for itself.

A family says how likely a reported outcome is, how that changes with the linear predictors, where
a search begins, and what its coefficients mean. What is not special to one is answered here; a new
family is a file of :mod:`ppworkbench.core.models.families` and a line in the lists there.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Codes, Numbers
from ppworkbench.core.data.attribute import Kind
from ppworkbench.core.design.noises.distribution import AddedNoise
from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.models.coding import ColumnLabel, ModelRows
from ppworkbench.core.progress import Progress, silent

_AT_ONCE = 1 << 14


@dataclass(frozen=True, eq=False)
class Fitted:
    """Estimates of the coefficients (and of sigma), with what their errors need.

    Parameters
    ----------
    theta
        Everything that was estimated.
    inverse
        The inverse of the information, of the coefficients and the family's own parameters.
    find_influence
        Works out the influences of some rows, which not every error needs.
    """

    theta: Numbers
    inverse: Numbers
    find_influence: Callable[[slice], Numbers]
    iterations: int
    value: float | None
    separated: bool = False
    remarks: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        return len(self.inverse)

    @cached_property
    def influence(self) -> Numbers:
        """One row per merged row: what its weight is multiplied by in the estimates."""
        return self.find_influence(slice(None))

    def squared_influence(self, weights: Numbers, progress: Progress = silent) -> Numbers:
        """The weighted sum of influences times themselves, without holding all of them."""
        found = np.zeros((self.size, self.size))
        for rows in row_parts(len(weights)):
            progress(rows.start / len(weights), "fitting")
            influence = self.find_influence(rows)
            found += (influence.T * weights[rows]) @ influence
        return found


def not_converged(what: str) -> DataError:
    """The error when a search ends without a result: a table would be made up."""
    return DataError.saying(
        "The fit by {method} did not converge; use fewer terms or more answers.",
        method=what,
        field="formula",
    )


def weak_answers(names: Sequence[str], n: int) -> DataError:
    """The error when inverse weights have nothing to hold on to."""
    return DataError.saying(
        "The answers to {names} are randomised so strongly that {n:,} records do not determine the "
        "coefficients by inverse weights; ask more people, use a device that keeps more of the "
        "truth, or leave that predictor out.",
        names=", ".join(names),
        n=n,
        field="formula",
    )


def all_noise() -> DataError:
    return DataError(
        "The noise explains all that a predictor varies, so there is nothing left to fit; use "
        "a wider range of answers or less noise.",
        field="method",
    )


def row_parts(rows: int, cells: int = 1) -> Iterator[slice]:
    """Rows in parts whose temporary arrays are small."""
    step = max(_AT_ONCE // cells, 16)
    for start in range(0, rows, step):
        yield slice(start, min(start + step, rows))


DEVICE = "device"
"""The unknown parameter of a device, a probability."""
LOG_SIGMA = "log_sigma"
"""The logarithm of the spread of a normal error."""
FAR = 30.0
"""Linear predictors beyond are told apart by rounding errors only."""
LEAST = 1e-300
"""Probabilities below are taken for this one, so that they have a logarithm."""


@dataclass(frozen=True, eq=False)
class Curve:
    """A log-likelihood with its derivatives by the linear predictors, one row per observation.

    ``information`` is minus the second derivative. The last places are those of the family's own
    parameters, such as the logarithm of sigma.
    """

    value: Numbers
    gradient: Numbers
    information: Numbers


@dataclass(frozen=True)
class OutcomeChange:
    """What a coefficient says of the outcome ``of``.

    Parameters
    ----------
    change
        The ratio, or by how much the mean changes where coefficients are no ratios.
    value, base
        The value that the coefficient is about, and the one that it is compared with.
    is_more
        Whether the mean rises, where coefficients are no ratios.
    """

    of: str
    change: Message
    value: str
    base: str
    is_more: bool


class Family(ABC):
    name: ClassVar[str] = ""
    title: ClassVar[str] = ""
    """What the model is called in a publication."""
    offered_for: ClassVar[frozenset[Kind]] = frozenset()
    """The kinds of outcomes that it is a model of."""
    gives_shares: ClassVar[bool] = False
    """Whether the mean is shares of values, which a large linear predictor makes 0 or 1."""
    is_for_counts: ClassVar[bool] = False
    """Whether the outcome is a number of things, from none on."""
    takes_odds: ClassVar[bool] = False
    """Whether the exponential of a coefficient is an odds ratio."""
    takes_ratios: ClassVar[bool] = True
    """Whether that is a ratio at all, of odds or of means."""
    has_linear_score: ClassVar[bool] = False
    """Whether the score is linear in the coefficients, so that one step solves its equations."""
    has_thresholds: ClassVar[bool] = False
    """Whether thresholds stand in the place of the intercept, which must then not be left out."""
    own_parameters: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    """The values of the outcome; none for a number."""

    # What is expected

    @property
    def predictors(self) -> int:
        """The number of linear predictors."""
        return 1

    @abstractmethod
    def curve(self, eta: Numbers, reported: NDArray[Any], own: Numbers) -> Curve:
        """The log-likelihood of reports; ``eta`` has one column per linear predictor."""

    def unbiased_curve(
        self,
        eta: Numbers,
        reported: NDArray[Any],
        weights: Numbers | None,  # noqa: ARG002
    ) -> tuple[Numbers, Numbers]:
        """Gradient and information of the true outcomes, by row and cell, without bias.

        Parameters
        ----------
        eta
            By row, cell and linear predictor.
        weights
            For every report of values what is unbiased for the true ones. A number is reported
            without bias itself.
        """
        each = np.broadcast_to(reported[:, None], eta.shape[:2])
        found = self.curve(eta, each, np.zeros(len(self.own_parameters)))
        count = self.predictors
        return found.gradient[..., :count], found.information[..., :count, :count]

    @abstractmethod
    def mean(self, eta: Numbers) -> Numbers:
        """The expected true outcome: one column per value, or one of numbers."""

    @abstractmethod
    def mean_slope(self, eta: Numbers) -> Numbers:
        """Derivatives of the mean by the linear predictors: rows, values, predictors."""

    @property
    def outcomes(self) -> tuple[tuple[int, str], ...]:
        """The places in the mean that are told, and the values that they are about."""
        return ((0, ""),)

    def mean_interval(self, estimate: float, reach: float) -> tuple[float, float]:
        """The interval of a mean that reaches so far to each side, within what is possible."""
        return estimate - reach, estimate + reach

    # How it is fitted

    def maps(self, size: int, intercept: int | None) -> Numbers:  # noqa: ARG002
        """``eta_k = x (T_k theta)``: one matrix per linear predictor, columns by coefficients."""
        count = self.predictors
        found = np.zeros((count, size, count * size))
        for k in range(count):
            found[k, :, k * size : (k + 1) * size] = np.eye(size)
        return found

    @abstractmethod
    def start(self, rows: ModelRows) -> Numbers:
        """Where the search begins: the coefficients, and then the family's own parameters."""

    def with_free_slopes(self) -> Family | None:
        """The model that this one simplifies by slopes in common; None where it has none."""
        return None

    def fit_corrected(
        self,
        naive: ModelRows,  # noqa: ARG002
        noises: Mapping[int, AddedNoise],  # noqa: ARG002
        outcome_weights: Numbers | None,  # noqa: ARG002
        progress: Progress,  # noqa: ARG002
        start: Numbers | None,  # noqa: ARG002
    ) -> Fitted:
        """The fit by a closed correction of noise on predictors; refused where none is known.

        Parameters
        ----------
        naive
            The predictors as they were reported.
        noises
            What was added to some of the columns.
        outcome_weights
            For every report of values what is unbiased for the true ones; None for a number, and
            where the device cannot be undone.
        start
            Estimates that are near, if any are known.
        """
        raise ParameterError.saying(
            "There is no closed correction for {model}; use the likelihood.",
            model=self.title,
            field="method",
        )

    def error_scale(self, n: int, coefficients: int) -> float:  # noqa: ARG002
        """What the covariance by the likelihood is multiplied by."""
        return 1.0

    # What was reported

    def check_reports(self, reported: NDArray[Any], attribute: str) -> None:  # noqa: B027
        """Refuse numbers that the model cannot have made, with the reason."""

    def possible_reports(self, reported: Codes) -> Iterator[Codes]:  # noqa: ARG002
        """For every report that can be given, the codes if all had given it; none for a number."""
        return iter(())

    def devices(self, reported: Codes) -> Numbers | None:  # noqa: ARG002
        """The matrix of each row's own device; None for a number, and where it is not known."""
        return None

    def through(self, parameter: float) -> Self:  # noqa: ARG002
        """The same with the unknown parameter of the device known, where there is one."""
        return self

    # What is told

    def coefficient_labels(
        self,
        labels: Sequence[ColumnLabel],
        intercept: int | None,  # noqa: ARG002
    ) -> list[tuple[str, ColumnLabel]]:
        """The outcome's value and the column of every coefficient, in their order."""
        return [("", label) for label in labels]

    @classmethod
    @abstractmethod
    def effect_message(cls, moved: OutcomeChange) -> Message:
        """What a higher predictor does to the outcome."""
