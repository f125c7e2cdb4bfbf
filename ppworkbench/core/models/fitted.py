"""A fit: estimates of the coefficients, with what moves them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message
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
        """The number of coefficients and of the family's own parameters."""
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
    return DataError(
        Message(
            "The fit by {method} did not converge; use fewer terms or more answers.", method=what
        ),
        field="formula",
    )


def all_noise() -> DataError:
    """The error when a predictor varies by its noise alone."""
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
