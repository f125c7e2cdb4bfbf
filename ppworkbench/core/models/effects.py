"""Average effects of predictors, and expected outcomes if everybody had some values.

Each is a weighted mean over the rows as they stand; the error is that of the coefficients (delta
method). Hidden predictors are averaged over what the reports say of them.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.models.coding import value_place
from ppworkbench.core.models.estimating import Problem
from ppworkbench.core.models.family import Fitted
from ppworkbench.core.models.results import Effect, Prediction
from ppworkbench.core.progress import Progress, silent

_STEP = 1e-4
"""Of a standard deviation: a derivative is the slope over twice this."""
_AT_ONCE = 1 << 14


@dataclass(frozen=True, eq=False)
class Averages:
    """Averages over the rows of what a fit expects.

    Parameters
    ----------
    covariance
        Of the coefficients.
    factor
        How many standard errors an interval reaches to each side.
    unlimited
        Terms with a coefficient that the answers do not limit: their effects have no error.
    """

    problem: Problem
    fitted: Fitted
    covariance: Numbers
    factor: float
    progress: Progress = silent
    unlimited: Collection[str] = ()

    @cached_property
    def weights(self) -> Numbers:
        """The share of each row, or of each cell in each row; they add up to 1."""
        likelihood = self.problem.likelihood
        weights = np.asarray(likelihood.weights / likelihood.weights.sum(), np.float64)
        if self.problem.noises and likelihood.hidden is None:
            raise ParameterError(
                "Averages over people need the distribution of a number under noise, which the "
                "closed correction leaves open; use the likelihood.",
                field="method",
            )
        if likelihood.hidden is None:
            return weights
        if len(self.fitted.theta) == likelihood.size:
            return np.asarray(weights[:, None] * likelihood.posterior(self.fitted.theta))
        # Without a model of the cells, weights that are unbiased for them take its place.
        assert self.problem.cell_weights is not None  # noqa: S101 (the method needs them)
        return np.asarray(weights[:, None] * self.problem.cell_weights)

    @property
    def outcomes(self) -> tuple[tuple[int, str], ...]:
        """The places in the mean that are told, and the values that they are about."""
        return self.problem.likelihood.family.outcomes

    def expected(self, changes: Mapping[str, NDArray[Any] | float]) -> tuple[Numbers, Numbers]:
        """The mean outcome when some predictors are replaced, and its slope by coefficients."""
        likelihood = self.problem.likelihood
        beta = (likelihood.maps @ self.fitted.theta[: likelihood.coefficients]).T
        mean: Numbers | float = 0.0
        gradient: Numbers | float = 0.0
        for rows in self._parts():
            self.progress(1.0, "fitting")
            matrix = self._matrix(changes, rows)
            eta = matrix @ beta
            flat = self.weights[rows].reshape(-1)
            matrix = matrix.reshape(-1, matrix.shape[-1])
            eta = eta.reshape(-1, eta.shape[-1])
            mean = mean + flat @ likelihood.family.mean(eta)
            slopes = likelihood.family.mean_slope(eta)
            for k, one in enumerate(likelihood.maps):
                gradient = gradient + ((slopes[:, :, k] * flat[:, None]).T @ matrix) @ one
        return np.asarray(mean), np.asarray(gradient)

    def _matrix(self, changes: Mapping[str, NDArray[Any] | float], rows: slice) -> Numbers:
        likelihood = self.problem.likelihood
        count = rows.stop - rows.start
        shape: tuple[int, ...] = (count,)
        data: dict[str, Any] = {name: column[rows] for name, column in likelihood.data.items()}
        if likelihood.hidden is not None:
            shape = (count, likelihood.hidden.count)
            data = {name: column[:, None] for name, column in data.items()}
            data |= likelihood.hidden.data
        for name, change in changes.items():
            changed = np.asarray(change)
            by_row = changed.ndim > 0 and len(changed) == likelihood.rows
            data[name] = changed[rows] if by_row else changed
        return likelihood.coding.matrix(data, shape)

    def _parts(self) -> Iterator[slice]:
        likelihood = self.problem.likelihood
        cells = 1 if likelihood.hidden is None else likelihood.hidden.count
        step = max(_AT_ONCE // cells, 16)
        for start in range(0, likelihood.rows, step):
            yield slice(start, min(start + step, likelihood.rows))

    def column(self, name: str) -> NDArray[Any]:
        """The values of a predictor as they stand, by row or by cell."""
        likelihood = self.problem.likelihood
        if likelihood.hidden is None:
            return likelihood.data[name]
        if name in likelihood.hidden.data:
            return likelihood.hidden.data[name]
        return likelihood.data[name][:, None]

    def error(self, slope: Numbers) -> float:
        """The standard error of what moves so with the coefficients."""
        return math.sqrt(max(float(slope @ self.covariance @ slope), 0.0))


def effects_of(averages: Averages) -> tuple[Effect, ...]:
    """A value against its reference, or one unit more of a number, for every predictor."""
    found: list[Effect] = []
    formula = averages.problem.formula
    for name in formula.predictors:
        attribute = averages.problem.attributes[name]
        if attribute.kind.is_categorical:
            given = next(
                (v.reference for t in formula.terms for v in t.variables if v.name == name), ""
            )
            base = value_place(attribute, given) if given else 0
            reference = averages.expected({name: float(base)})
            for place, value in enumerate(attribute.values):
                if place != base:
                    other = averages.expected({name: float(place)})
                    found += _effects(averages, name, value, other, reference, 1.0)
        else:
            column = np.asarray(averages.column(name), np.float64)
            step = _STEP * (float(column.std()) or 1.0)
            up, down = (averages.expected({name: column + way * step}) for way in (1, -1))
            found += _effects(averages, name, "", up, down, 2 * step)
    return tuple(found)


def _effects(
    averages: Averages,
    name: str,
    level: str,
    more: tuple[Numbers, Numbers],
    less: tuple[Numbers, Numbers],
    step: float,
) -> list[Effect]:
    rows = []
    terms = [term for term in averages.problem.formula.terms if term.label in averages.unlimited]
    is_limited = all(name != one.name for term in terms for one in term.variables)
    for place, outcome in averages.outcomes:
        estimate = float(more[0][place] - less[0][place]) / step
        error = averages.error((more[1][place] - less[1][place]) / step) if is_limited else math.nan
        reach = averages.factor * error
        shown = outcome if len(averages.outcomes) > 1 else ""
        rows.append(Effect(name, level, shown, estimate, error, estimate - reach, estimate + reach))
    return rows


def predictions_of(
    averages: Averages, wanted: Sequence[Mapping[str, str]]
) -> tuple[Prediction, ...]:
    """The expected outcome if everybody had the given values; a share stays between 0 and 1."""
    found: list[Prediction] = []
    for given in wanted:
        changes = {name: _value(averages.problem, name, text) for name, text in given.items()}
        mean, gradient = averages.expected(changes)
        for place, outcome in averages.outcomes:
            estimate, error = float(mean[place]), averages.error(gradient[place])
            family = averages.problem.likelihood.family
            low, high = family.mean_interval(estimate, averages.factor * error)
            shown = outcome if len(averages.outcomes) > 1 else ""
            found.append(Prediction(dict(given), shown, estimate, error, low, high))
    return tuple(found)


def _value(problem: Problem, name: str, text: str) -> float:
    if name not in problem.formula.predictors:
        raise ParameterError.saying(
            "{attribute!r} is not among the predictors; they are {known}.",
            known=", ".join(problem.formula.predictors),
            attribute=name,
            field="predict",
        )
    attribute = problem.attributes[name]
    if attribute.kind.is_categorical:
        return float(value_place(attribute, text))
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ParameterError.saying(
            "{attribute!r} is a number, not {text!r}.", text=text, attribute=name, field="predict"
        )
    return number
