r"""The likelihood of reports when the outcome, the predictors, or both were distorted.

Where predictors are distorted their true values together are a cell c that is not seen::

    L_i = sum_c Pr(c | v_i; gamma) A[z_i, c] f(y_i | x_i(c); beta)

with v the undistorted predictors and f the likelihood of the reported outcome. The distribution of
the cells is log-linear, ``log Pr(c | v)`` being a sum of blocks ``V gamma B'`` less what makes it
add up to 1. Second derivatives follow from what is known about the complete data (Louis): the
expected information given the report, less the covariance of the complete scores.

References
----------
T. A. Louis (1982), Finding the observed information matrix when using the EM algorithm, *Journal of
the Royal Statistical Society B* 44.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Self

import numpy as np

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.models.coding import CellBlock, ModelRows
from ppworkbench.core.models.family import DEVICE, Curve, Family
from ppworkbench.core.models.maximise import Evaluation
from ppworkbench.core.progress import Progress, silent

_ROOM = 1 << 21
"""Numbers that a temporary array may have."""
_AT_ONCE = 1 << 14
"""Rows whose temporary arrays stay in the processor's cache."""


@dataclass(frozen=True, eq=False)
class Likelihood(ModelRows):
    """Rows with their weights, and the model that they are to fit.

    Parameters
    ----------
    check
        By row, how far the answer to a check question lies from one half for each unit of the
        unknown parameter of the device; None where there is no such question.
    """

    family: Family = field(kw_only=True)
    check: Numbers | None = None

    @cached_property
    def maps(self) -> Numbers:
        return self.family.maps(self.coding.size, self.coding.intercept)

    @property
    def coefficients(self) -> int:
        return int(self.maps.shape[2])

    @property
    def own(self) -> int:
        """The number of the family's own parameters, and of an unknown one of a predictor."""
        return len(self.own_parameters)

    @property
    def own_parameters(self) -> tuple[str, ...]:
        """Parameters besides the coefficients and the distribution of hidden cells."""
        hidden = () if self.hidden is None or self.hidden.slope is None else (DEVICE,)
        return (*self.family.own_parameters, *hidden)

    @property
    def device_place(self) -> int | None:
        """Where among all parameters the unknown one of a device is."""
        names = self.own_parameters
        return self.coefficients + names.index(DEVICE) if DEVICE in names else None

    def through(self, parameter: float) -> Self:
        hidden = None if self.hidden is None else self.hidden.through(parameter)
        return replace(self, family=self.family.through(parameter), hidden=hidden, check=None)

    @property
    def size(self) -> int:
        hidden = 0 if self.hidden is None else self.hidden.size
        return self.coefficients + self.own + hidden

    def with_weights(self, weights: Numbers) -> Self:
        return replace(self, weights=weights)

    def every(self, step: int) -> Self:
        chosen = super().every(step)
        return replace(chosen, check=None if self.check is None else self.check[::step])

    def coefficient_spread(self) -> Numbers:
        """For every coefficient the standard deviation of its column; 1 for a constant."""
        weights = self.weights / self.weights.sum()
        # Part by part: the columns of millions of rows would take more room than the rows.
        mean = sum(weights[rows] @ self.mean_matrix(rows) for rows in self._parts())
        squares = sum(
            weights[rows] @ (self.mean_matrix(rows) - mean) ** 2 for rows in self._parts()
        )
        spread = np.sqrt(np.maximum(squares, 0.0))
        spread = np.where(spread > 1e-9 * (1e-9 + np.abs(mean)), spread, 1.0)
        return np.asarray(np.abs(self.maps).max(axis=0).T @ spread)

    def evaluate(self, theta: Numbers, progress: Progress = silent) -> Evaluation:
        value, farthest = 0.0, 0.0
        score = np.zeros(self.size)
        information = np.zeros((self.size, self.size))
        for rows in self._parts():
            progress(rows.start / max(self.rows, 1), "fitting")
            part = self._plain if self.hidden is None else self._mixed
            with np.errstate(over="ignore", invalid="ignore"):
                one = part(theta, rows)
            value += one.value
            score += one.score
            information += one.information
            farthest = max(farthest, one.farthest)
        if self.check is not None:
            place = self.device_place
            chance, rate = self._checked(theta, slice(0, self.rows))
            value += _sum(self.weights, chance)
            score[place] += self.weights @ rate
            information[place, place] += self.weights @ rate**2
        if self.hidden is not None and self.hidden.ridge:
            free = slice(self.coefficients + self.own, self.size)
            value -= 0.5 * self.hidden.ridge * float(theta[free] @ theta[free])
            score[free] -= self.hidden.ridge * theta[free]
            places = np.arange(self.size)[free]
            information[places, places] += self.hidden.ridge
        if not np.isfinite(information).all():
            # So far away that numbers overflow: a step there is refused.
            value = -np.inf
        return Evaluation(value, score, information, farthest)

    def expected_information(self, theta: Numbers) -> Numbers:
        """The information that reports of these people are expected to give; never indefinite.

        For outcomes with values, where no predictor is hidden.
        """
        found = np.zeros((self.size, self.size))
        for reported in self.family.possible_reports(self.reported):
            other = replace(self, reported=reported)
            share = self.weights * np.exp(other.log_likelihoods(theta))
            scores = other.scores(theta)
            found += (scores.T * share) @ scores
        return found

    def scores(self, theta: Numbers, chosen: slice = slice(None)) -> Numbers:
        """The gradient of each row's log-likelihood, before weights; of some rows if wanted."""
        first, last, _ = chosen.indices(self.rows)
        found = np.empty((last - first, self.size))
        for rows in self._parts(first, last):
            at = slice(rows.start - first, rows.stop - first)
            if self.hidden is None:
                matrix, curve, _ = self._curve(theta, rows)
                found[at] = self._complete_scores(matrix, curve, None)
            else:
                found[at] = self._expectations(theta, rows).scores
        if self.check is not None:
            found[:, self.device_place] += self._checked(theta, slice(first, last))[1]
        return found

    def value(self, theta: Numbers) -> float:
        return sum(float(self.weights[rows] @ self._values(theta, rows)) for rows in self._parts())

    def log_likelihoods(self, theta: Numbers) -> Numbers:
        """The log-likelihood of each row, before weights."""
        return np.concatenate([self._values(theta, rows) for rows in self._parts()])

    def log_evidence(self, theta: Numbers) -> Numbers:
        """The logarithm of how likely the reports of the predictors are by themselves."""
        hidden = self.hidden
        if hidden is None:
            return np.zeros(self.rows)
        shares = np.exp(hidden.log_shares(theta[self.coefficients + self.own :], slice(None)))
        chances = hidden.chances(self._device(theta), slice(None))
        return np.asarray(np.log(np.maximum((shares * chances).sum(axis=1), 1e-300)))

    def _device(self, theta: Numbers) -> float:
        """The unknown parameter of a device; 1 where there is none."""
        place = self.device_place
        return 1.0 if place is None else float(theta[place])

    def posterior(self, theta: Numbers) -> Numbers:
        """The probabilities of the hidden cells given all reports of each row."""
        return np.concatenate([self._expectations(theta, rows).posterior for rows in self._parts()])

    def _values(self, theta: Numbers, rows: slice) -> Numbers:
        if self.hidden is None:
            found = self._curve(theta, rows)[1].value
        else:
            found = self._expectations(theta, rows).values
        return found if self.check is None else found + self._checked(theta, rows)[0]

    def _checked(self, theta: Numbers, rows: slice) -> tuple[Numbers, Numbers]:
        """The logarithm of the chance of each answer to the check question, and its slope."""
        assert self.check is not None  # noqa: S101 (asked for where there is one)
        moved = self.check[rows]
        chance = 0.5 + self._device(theta) * moved
        possible = chance > 0
        inside = np.where(possible, chance, 1.0)
        return np.where(possible, np.log(inside), -np.inf), np.where(possible, moved / inside, 0.0)

    @cached_property
    def whole_matrix(self) -> Numbers | None:
        """The columns of all rows, where they need not be made anew in every pass."""
        cells = 1 if self.hidden is None else self.hidden.count
        if self.rows * cells * self.coding.size > 16 * _ROOM:
            return None
        return self.matrix(slice(0, self.rows))

    def _parts(self, first: int = 0, last: int | None = None) -> Iterator[slice]:
        cells = 1 if self.hidden is None else self.hidden.count
        each = cells * (self.coefficients + self.own) * (1 + self.family.predictors)
        if self.hidden is not None:
            each += sum(block.b.shape[1] ** 2 for block in self.hidden.blocks)
        step = max(min(_ROOM // max(each, 1), _AT_ONCE), 16)
        last = self.rows if last is None else last
        for start in range(first, last, step):
            yield slice(start, min(start + step, last))

    def _curve(self, theta: Numbers, rows: slice) -> tuple[Numbers, Curve, Numbers]:
        whole = self.whole_matrix
        matrix = self.matrix(rows) if whole is None else whole[rows]
        beta = self.maps @ theta[: self.coefficients]
        own = theta[self.coefficients : self.coefficients + len(self.family.own_parameters)]
        reported = self.reported[rows]
        if self.hidden is not None:
            reported = np.broadcast_to(reported[:, None], matrix.shape[:-1])
        eta = matrix @ beta.T
        return matrix, self.family.curve(eta, reported, own), eta

    def _complete_scores(self, matrix: Numbers, curve: Curve, rate: Numbers | None) -> Numbers:
        """Gradients by the coefficients and the other parameters but those of the cells.

        ``rate`` is that of the reported predictors by an unknown parameter of their device.
        """
        count = self.family.predictors
        found = np.zeros((*matrix.shape[:-1], self.coefficients + self.own))
        for k in range(count):
            found[..., : self.coefficients] += curve.gradient[..., k : k + 1] * (
                matrix @ self.maps[k]
            )
        family = self.coefficients + len(self.family.own_parameters)
        found[..., self.coefficients : family] = curve.gradient[..., count:]
        if rate is not None:
            found[..., -1] = rate
        return found

    def _complete_information(self, matrix: Numbers, curve: Curve, weights: Numbers) -> Numbers:
        flat = matrix.reshape(-1, matrix.shape[-1])
        weight = weights.reshape(-1)
        depth = curve.information.shape[-1]
        information = curve.information.reshape(-1, depth, depth)
        count, coefficients = self.family.predictors, self.coefficients
        own = len(self.family.own_parameters)
        found = np.zeros((coefficients + self.own, coefficients + self.own))
        for k in range(count):
            for other in range(count):
                inner = (flat.T * (weight * information[:, k, other])) @ flat
                found[:coefficients, :coefficients] += self.maps[k].T @ inner @ self.maps[other]
            for place in range(own):
                cross = self.maps[k].T @ (flat.T @ (weight * information[:, k, count + place]))
                found[:coefficients, coefficients + place] += cross
                found[coefficients + place, :coefficients] += cross
        for place in range(own):
            for other in range(own):
                found[coefficients + place, coefficients + other] += (
                    weight @ (information[:, count + place, count + other])
                )
        return found

    def _plain(self, theta: Numbers, rows: slice) -> Evaluation:
        matrix, curve, eta = self._curve(theta, rows)
        weights = self.weights[rows]
        score = np.zeros(self.size)
        count = self.family.predictors
        sums = matrix.T @ (curve.gradient * weights[:, None])
        for k in range(count):
            score[: self.coefficients] += self.maps[k].T @ sums[:, k]
        score[self.coefficients :] = weights @ curve.gradient[:, count:]
        information = self._complete_information(matrix, curve, weights)
        return Evaluation(_sum(weights, curve.value), score, information, self.farthest(eta))

    def farthest(self, eta: Numbers) -> float:
        """The largest linear predictor, in size; 0 where large ones mean nothing."""
        if not self.family.gives_shares:
            return 0.0
        return max(float(eta.max(initial=0.0)), -float(eta.min(initial=0.0)))

    def _expectations(self, theta: Numbers, rows: slice) -> _Expectations:
        hidden = self.hidden
        assert hidden is not None  # noqa: S101 (only asked for where cells are hidden)
        matrix, curve, eta = self._curve(theta, rows)
        log_shares = hidden.log_shares(theta[self.coefficients + self.own :], rows)
        chances = hidden.chances(self._device(theta), rows)
        rate = None
        if hidden.slope is not None:
            rate = np.divide(
                hidden.slope[rows], chances, out=np.zeros_like(chances), where=chances > 0
            )
        with np.errstate(divide="ignore"):
            joint = curve.value + np.log(chances) + log_shares
        top = joint.max(axis=1, keepdims=True)
        top = np.where(np.isfinite(top), top, 0.0)
        posterior = np.exp(joint - top)
        total = posterior.sum(axis=1, keepdims=True)
        values = (np.log(np.maximum(total, 1e-300)) + top)[:, 0]
        values = np.where(total[:, 0] > 0, values, -np.inf)
        posterior /= np.maximum(total, 1e-300)
        shares = np.broadcast_to(np.exp(log_shares), posterior.shape)
        complete = self._complete_scores(matrix, curve, rate)
        mean = np.einsum("ic,icp->ip", posterior, complete)
        parts = [mean]
        for block in hidden.blocks:
            moved = (posterior - shares) @ block.b
            parts.append((block.v[rows][:, :, None] * moved[:, None, :]).reshape(len(moved), -1))
        return _Expectations(
            matrix, curve, eta, posterior, shares, complete, values, np.hstack(parts)
        )

    def _mixed(self, theta: Numbers, rows: slice) -> Evaluation:
        hidden = self.hidden
        assert hidden is not None  # noqa: S101 (only asked for where cells are hidden)
        found = self._expectations(theta, rows)
        weights = self.weights[rows]
        inner = self.coefficients + self.own
        information = np.zeros((self.size, self.size))
        by_cell = weights[:, None] * found.posterior
        complete = found.complete.reshape(-1, inner)
        mean = found.scores[:, :inner]
        own = self._complete_information(found.matrix, found.curve, by_cell)
        if hidden.slope is not None:
            # A chance is linear in the parameter, so that minus the second derivative is a square.
            own[-1, -1] += float((by_cell * found.complete[..., -1] ** 2).sum())
        information[:inner, :inner] = (
            own - (complete.T * by_cell.reshape(-1)) @ complete + (mean.T * weights) @ mean
        )
        start = inner
        for place, block in enumerate(hidden.blocks):
            at = slice(start, start + block.size)
            v, average = block.v[rows] * weights[:, None], found.posterior @ block.b
            # The covariance of the cell's features with the scores, given the report.
            information[at, :inner] = _products(v, average).T @ mean
            if v.shape[1] <= block.b.shape[1]:
                held = np.einsum("ia,ic,icp->acp", v, found.posterior, found.complete,
                                 optimize=["einsum_path", (0, 1), (0, 1)])  # fmt: skip
                both = np.einsum("acp,cb->abp", held, block.b, optimize=True)
            else:
                both = np.einsum("ia,ic,cb,icp->abp", v, found.posterior, block.b, found.complete,
                                 optimize=True)  # fmt: skip
            information[at, :inner] -= both.reshape(block.size, inner)
            information[:inner, at] = information[at, :inner].T
            second = start
            for other in hidden.blocks[place:]:
                to = slice(second, second + other.size)
                found_block = _block_information(block, other, found, weights, rows)
                information[at, to] = found_block
                information[to, at] = found_block.T
                second += other.size
            start += block.size
        return Evaluation(
            _sum(weights, found.values), weights @ found.scores, information,
            self.farthest(found.eta),
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class _Expectations:
    matrix: Numbers
    curve: Curve
    eta: Numbers
    posterior: Numbers
    shares: Numbers
    complete: Numbers
    values: Numbers
    scores: Numbers


def _block_information(
    block: CellBlock, other: CellBlock, found: _Expectations, weights: Numbers, rows: slice
) -> Numbers:
    """The covariance of features under the model less that given the report."""
    v, w = block.v[rows] * weights[:, None], other.v[rows]

    def covariance(probability: Numbers) -> Numbers:
        both = np.einsum("ic,ca,cb->iab", probability, block.b, other.b, optimize=True)
        first, second = probability @ block.b, probability @ other.b
        return np.asarray(both - first[:, :, None] * second[:, None, :])

    def summed(probability: Numbers) -> Numbers:
        pairs = (v[:, :, None] * w[:, None, :]).reshape(len(v), -1)
        held = (pairs.T @ probability).reshape(v.shape[1], w.shape[1], -1)
        both = np.einsum("pqc,ca,cb->paqb", held, block.b, other.b, optimize=True)
        first = _products(v, probability @ block.b)
        second = _products(w, probability @ other.b)
        return np.asarray(both.reshape(block.size, other.size) - first.T @ second)

    if v.shape[1] * w.shape[1] <= block.b.shape[1] * other.b.shape[1]:
        # Many features of the cells, few columns: rows are added up before features are multiplied.
        return summed(found.shares) - summed(found.posterior)
    inner = covariance(found.shares) - covariance(found.posterior)
    whole = np.einsum("ip,iq,iab->paqb", v, w, inner, optimize=True)
    return np.asarray(whole.reshape(block.size, other.size))


def _products(first: Numbers, second: Numbers) -> Numbers:
    """Every column of one times every column of the other, by row."""
    return np.asarray((first[:, :, None] * second[:, None, :]).reshape(len(first), -1))


def _sum(weights: Numbers, values: Numbers) -> float:
    """A weighted sum in which rows of no weight count nothing, even if they are impossible."""
    counted = weights > 0
    if counted.all():
        return float(weights @ values)
    return float(weights[counted] @ values[counted])
