"""Worst-case bounds of statistics of a number under noise.

A smooth fit has a bias that its curvature does not know. These intervals do not rest on the fit: a
statistic ``L = sum_p l_p x_p`` of the true cells is at least the mean of *any* function b of the
reported cells with ``sum_s A[s, p] b_s <= l_p`` for all p, whatever the distribution x is. So
``mean b(z) - 1.96 se(b)`` is a lower limit, and the upper limit is minus the lower limit of ``-l``.
The fit only chooses b: a bad choice makes the interval wide, not wrong.

Every record may carry weights of several *parts*, whose expectations given the truth are a point of
a simplex: (h, 1 - h) where h undoes the distortion of a category. The function of a record is then
``sum_i weight_i b^i(z)`` and the statistic ``sum_i sum_p l^i_p x^i_p``; each b^i has its own l^i to
stay below.

References
----------
D. Donoho (1994), "Statistical estimation and optimal recovery", Annals of Statistics 22;
M. Stanley, P. Patil and M. Kuusela (2022), "Uncertainty quantification for wide-bin unfolding:
one-at-a-time strict bounds and prior-optimized confidence intervals", JINST 17.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dposv
from scipy.special import ndtri

from ppworkbench.core.arrays import Numbers

_FIRST_WEIGHT = 10.0
_GAP = 2e-4
_KINK = 1e-3
"""Share of the range of l that is added under the root: it has a kink where b is constant."""
_SMALLEST_SHAPE = 0.1
_DEPENDENT = 1e-3
_MOST_STEPS = 150
_CENTRED = 0.1
_AT_ONCE = 64
_DISTANCE = 0.02
_NEAR_LAST = 0.1
"""Where to start from the answer to a similar question: inside, and not from the first weight."""
_FINENESS = 1e-3
"""How precisely the end of an interval of ratios is found, as a share of what is possible."""


def repeat(values: Numbers, times: Numbers | None) -> Numbers:
    """Values of records, each as often as it came; None where that is once."""
    return values if times is None else values * times


@dataclass(frozen=True, eq=False)
class Sample:
    """Sums over the records in every reported cell, from which means and errors of b follow.

    Parameters
    ----------
    first
        Mean weight of every part, one row per part and one column per cell.
    second
        Mean products of the weights of two parts.
    cross, squares
        ``first`` and the sum of all with squared weights of respondents; for equal ones
        ``first`` and 1.
    size
        The (effective) number of records.
    """

    first: Numbers
    second: Numbers
    cross: Numbers
    squares: float
    size: float

    @classmethod
    def counted(cls, counts: Numbers, squares: Numbers | None = None) -> Sample:
        """The sums of answers without any other weight than that of their respondents."""
        shares = counts[None, :] / counts.sum()
        if squares is None:
            return cls(shares, shares[None], shares, 1.0, float(counts.sum()))
        size = float(counts.sum() ** 2 / squares.sum())
        scaled = size * squares[None, :] / counts.sum() ** 2
        return cls(shares, scaled[None], scaled, 1.0, size)

    @classmethod
    def weighted(
        cls,
        codes: NDArray[np.integer],
        parts: Numbers,
        cells: int,
        weights: Numbers | None = None,
        times: Numbers | None = None,
    ) -> Sample:
        """The sums of records with their cells and one row of weights per part.

        ``times`` says how many records each stands for, where equal ones were merged.
        """
        own = np.ones(parts.shape[1]) if weights is None else weights
        total = float(repeat(own, times).sum())
        size = total**2 / float(repeat(own**2, times).sum())
        plain, squared = repeat(own / total, times), repeat(size * (own / total) ** 2, times)

        def summed(values: Numbers) -> Numbers:
            return np.asarray(np.bincount(codes, values, cells), np.float64)

        first = np.stack([summed(part * plain) for part in parts])
        cross = np.stack([summed(part * squared) for part in parts])
        second = np.stack([[summed(a * b * squared) for b in parts] for a in parts])
        return cls(first, second, cross, float(squared.sum()), size)

    def repeated(self, times: float) -> Sample:
        return dataclasses.replace(self, size=times * self.size)

    def evaluate(self, functions: Numbers) -> tuple[Numbers, Numbers]:
        """The mean and the variance of the mean of functions (problems, parts, cells)."""
        mean = np.einsum("pim,im->p", functions, self.first)
        squares = np.einsum("pim,ijm,pjm->p", functions, self.second, functions)
        mixed = np.einsum("pim,im->p", functions, self.cross)
        variance = squares - 2 * mean * mixed + self.squares * mean**2
        return mean, np.maximum(variance, 0.0) / max(self.size - 1.0, 1.0)


@dataclass(frozen=True, eq=False)
class Model:
    """What the pilot expects: mean weights and mean products of weights in every cell."""

    first: Numbers
    second: Numbers


@dataclass(frozen=True, eq=False)
class Bounds:
    """The bounds of all statistics of one number, given what was reported.

    Parameters
    ----------
    channel
        ``A[s, p]``, columns summing to 1.
    shapes
        The distributions of which X is a mixture, one per column: bumps, or single cells.
    """

    channel: Numbers
    shapes: Numbers
    model: Model
    sample: Sample
    confidence: float = 0.95

    @property
    def parts(self) -> int:
        return len(self.sample.first)

    @cached_property
    def _reach(self) -> float:
        return float(ndtri((1 + self.confidence) / 2))

    @cached_property
    def _functions(self) -> Numbers:
        """Functions of the reported cell that b is made of, the constant 1 first."""
        total = self.model.first.sum(axis=0)
        root = np.sqrt(total / total.sum())
        seen = (self.channel @ self.shapes) / root[:, None]
        left, size, _ = np.linalg.svd(seen, full_matrices=False)
        kept = left[:, size > _SMALLEST_SHAPE * size[0] / math.sqrt(max(self.sample.size, 1.0))]
        # The constant is nearly among them already: only what is at right angles to it is new.
        apart, size, _ = np.linalg.svd(kept - np.outer(root, root @ kept), full_matrices=False)
        apart = apart[:, size > _DEPENDENT]
        return np.hstack([np.ones((len(root), 1)), apart / root[:, None]])

    @cached_property
    def _constraints(self) -> Numbers:
        """One row per shape: what a function gives there on the average; for all parts the same."""
        return np.asarray((self.channel @ self.shapes).T @ self._functions, np.float64)

    @cached_property
    def _expected(self) -> tuple[Numbers, Numbers]:
        """The mean of every function under the pilot, and their covariance."""
        functions, parts = self._functions, self.parts
        mean = (self.model.first @ functions).ravel()
        size = functions.shape[1]
        covariance = np.empty((parts * size, parts * size))
        for i in range(parts):
            for j in range(parts):
                block = functions.T @ (self.model.second[i, j][:, None] * functions)
                covariance[i * size : (i + 1) * size, j * size : (j + 1) * size] = block
        covariance -= np.outer(mean, mean)
        # Estimated moments may contradict each other a little.
        values, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
        return mean, (vectors * np.maximum(values, 0.0)) @ vectors.T

    def with_answers(self, times: float) -> Bounds:
        """The bounds if so many times as many respondents answered as the pilot expects.

        The same answers ten times over would contradict every distribution where chance made them
        such as none expects.
        """
        first, second = self.model.first, self.model.second
        expected = Sample(first, second, first, 1.0, times * self.sample.size)
        return dataclasses.replace(self, sample=expected)

    def limits(self, targets: Numbers) -> tuple[Numbers, Numbers]:
        """The lower and upper limits of statistics; see :meth:`best_functions` for the targets."""
        targets = np.asarray(targets, np.float64)
        both = self._lower(np.concatenate([targets, -targets]))
        low, high = both[: len(targets)], -both[len(targets) :]
        flat = targets.reshape(len(targets), -1)
        least, most = flat.min(axis=1), flat.max(axis=1)
        low, high = np.clip(low, least, most), np.clip(high, least, most)
        # Answers that contradict every distribution may put the ends the wrong way round.
        return np.minimum(low, high), np.maximum(low, high)

    def _lower(self, targets: Numbers, begun: Numbers | None = None) -> Numbers:
        """The lower limits; ``begun`` holds functions to start from, and then those found."""
        found = []
        for first in range(0, len(targets), _AT_ONCE):
            chosen = slice(first, first + _AT_ONCE)
            found.append(self._lower_of(targets[chosen], None if begun is None else begun[chosen]))
        return np.concatenate(found) if found else np.empty(0)

    def _lower_of(self, targets: Numbers, begun: Numbers | None) -> Numbers:
        functions, expected = self.best_functions(targets, begun)
        mean, variance = self.sample.evaluate(functions)
        # In thin tails the sample's own variance is too small more often than it is too large.
        error = np.sqrt(np.maximum(variance, expected / self.sample.size))
        return np.asarray(mean - self._reach * error)

    def best_functions(
        self, targets: Numbers, begun: Numbers | None = None
    ) -> tuple[Numbers, Numbers]:
        """The best functions below targets, and the variances that the pilot expects of them.

        Parameters
        ----------
        targets
            ``l`` for every problem, part and true cell; functions are those of reported cells.
        begun
            Coefficients of similar problems, nan where there are none; the new ones take their
            place.
        """
        problems = len(targets)
        flat = targets.reshape(problems, -1)
        least, span = flat.min(axis=1), np.ptp(flat, axis=1)
        scale = np.where(span > 0, span, 1.0)[:, None]
        below = ((targets - least[:, None, None]) @ self.shapes).reshape(problems, -1) / scale
        size = self._functions.shape[1]
        start = None
        if begun is not None:
            start = begun.copy()
            start[:, ::size] -= least[:, None]
            start /= scale
        found = scale * self._maximise(below, start)
        found[:, ::size] += least[:, None]
        if begun is not None:
            begun[:] = found
        variance = np.einsum("pa,pa->p", found @ self._expected[1], found)
        return found.reshape(problems, self.parts, size) @ self._functions.T, variance

    def _maximise(self, below: Numbers, start: Numbers | None = None) -> Numbers:
        """Coefficients of the best functions below targets from 0 to 1, by a log barrier.

        All problems are solved side by side. Every point inside is valid, so nothing depends on
        how near to the best one the iteration ends, nor on where it starts.
        """
        rows, (mean, covariance) = self._constraints, self._expected
        per_error = self._reach / math.sqrt(max(self.sample.size, 1.0))
        shapes, size, parts = *rows.shape, self.parts

        def averaged(at: Numbers) -> Numbers:
            """What functions give on the average for every part and shape."""
            return (at.reshape(-1, parts, size) @ rows.T).reshape(len(at), -1)

        y = np.zeros((len(below), parts * size))
        y[:, ::size] = -0.5
        weight = np.full(len(below), _FIRST_WEIGHT)
        last = below.shape[1] / _GAP
        if start is not None and (known := np.flatnonzero(np.isfinite(start[:, 0]))).size:
            # Towards the constant, just as far as keeps a distance to all that limits it.
            room, wanted = below[known] + 0.5, below[known] - averaged(start[known])
            short = _DISTANCE - wanted
            share = np.where(short > 0, short / (room - wanted), 0.0).max(axis=1)[:, None]
            y[known] = share * y[known] + (1 - share) * start[known]
            weight[known] = last * _NEAR_LAST
        active = np.arange(len(below))
        for _ in range(_MOST_STEPS):
            if not len(active):
                break
            now, t, limit = y[active], weight[active], below[active]
            inverse = 1 / (limit - averaged(now))
            by_part = inverse.reshape(-1, parts, shapes)
            moved = now @ covariance
            root = np.sqrt(np.maximum(np.einsum("pa,pa->p", now, moved), 0.0) + _KINK**2)
            pull = (t * per_error / root)[:, None]
            slope = t[:, None] * mean - pull * moved - (by_part @ rows).reshape(now.shape)
            unit = moved / root[:, None]
            curve = pull[:, :, None] * (covariance - unit[:, :, None] * unit[:, None, :])
            for part in range(parts):
                own = slice(part * size, (part + 1) * size)
                # A matrix times its own transpose takes half of the multiplications.
                scaled = rows * by_part[:, part][:, :, None]
                curve[:, own, own] += scaled.transpose(0, 2, 1) @ scaled
            diagonal = np.einsum("paa->pa", curve)
            diagonal += 1e-12 * diagonal.mean(axis=1, keepdims=True)
            step = _solve_each(curve, slope)
            gain = np.einsum("pa,pa->p", slope, step)

            def value(at: Numbers, t: Numbers = t, limit: Numbers = limit) -> Numbers:
                slack = limit - averaged(at)
                inside = slack.min(axis=1) > 0
                square = np.einsum("pa,pa->p", at @ covariance, at)
                root = np.sqrt(np.maximum(square, 0.0) + _KINK**2)
                barrier = np.log(np.where(slack > 0, slack, 1.0)).sum(axis=1)
                return np.where(inside, t * (at @ mean - per_error * root) + barrier, -np.inf)

            speed = averaged(step) * inverse
            furthest = 0.95 / np.maximum(speed.max(axis=1), 0.95)
            y[active], is_stuck = _walk(now, step, gain, furthest, value)
            centred = (gain < _CENTRED) | is_stuck
            done = centred & (t >= last)
            weight[active] = np.where(centred, np.minimum(10 * t, last), t)
            active = active[~done]
        return y

    def ratios(
        self, above: Numbers, below: Numbers, lowest: Numbers, highest: Numbers
    ) -> tuple[Numbers, Numbers]:
        """Limits of ratios of two statistics.

        All c with 0 between the limits of ``above - c * below``, where the ratio is known to lie
        between ``lowest`` and ``highest`` (Fieller 1954).
        """
        sign = np.concatenate([np.ones(len(above)), -np.ones(len(above))])
        top, bottom = np.concatenate([above, above]), np.concatenate([below, below])
        begun = np.full((len(sign), self.parts * self._functions.shape[1]), np.nan)

        def excess(c: Numbers, chosen: NDArray[np.intp]) -> Numbers:
            """Below 0 where the ratio may be c; above 0 towards the end of what is possible."""
            side = sign[chosen]
            apart = top[chosen] - c[:, None, None] * bottom[chosen]
            own = begun[chosen]
            found = self._lower(side[:, None, None] * apart, own)
            begun[chosen] = own
            return found

        inner, outer = np.concatenate([highest, lowest]), np.concatenate([lowest, highest])
        ends = _find_ends(excess, outer, inner)
        return ends[: len(above)], ends[len(above) :]


def _solve_each(matrices: Numbers, sides: Numbers) -> Numbers:
    """Solve ``A x = b`` for each of many positive definite matrices, by Cholesky's factors."""
    found = np.empty_like(sides)
    for at, (matrix, side) in enumerate(zip(matrices, sides, strict=True)):
        # Symmetric: transposed it lies in memory as LAPACK wants it.
        _, found[at], is_indefinite = dposv(matrix.T, side)
        if is_indefinite:
            # Rounding can do that to the last steps of nearly dependent functions.
            found[at] = np.linalg.solve(matrix, side)
    return found


def _walk(
    now: Numbers,
    step: Numbers,
    gain: Numbers,
    length: Numbers,
    value: Callable[[Numbers], Numbers],
) -> tuple[Numbers, NDArray[np.bool_]]:
    """Go along each step as far as it pays; also tell which ones lead nowhere."""
    before = value(now)
    there = now + length[:, None] * step
    bad = ~(value(there) >= before + 0.01 * length * gain)
    for _ in range(40):
        if not bad.any():
            break
        length[bad] *= 0.5
        there = now + length[:, None] * step
        bad = ~(value(there) >= before + 0.01 * length * gain)
    return np.where(bad[:, None], now, there), bad


def _find_ends(
    excess: Callable[[Numbers, NDArray[np.intp]], Numbers], outer: Numbers, inner: Numbers
) -> Numbers:
    """Where each function changes from above 0 at the outer end to below 0 further in.

    The bracket shrinks by ITP (Oliveira and Takahashi 2020), a secant that never needs many more
    steps than bisection; its outer end is taken, so that nothing possible is left out.
    """
    result, everything = outer.copy(), np.arange(len(outer))
    at_outer, at_inner = excess(outer, everything), excess(inner, everything)
    # Where even the outer end is possible it is the limit; where nothing is, the inner end is.
    active = np.flatnonzero((at_outer > 0) & (at_inner <= 0) & (outer != inner))
    never = (at_outer > 0) & (at_inner > 0)
    result[never] = inner[never]
    a, b = np.zeros(len(active)), np.ones(len(active))
    fa, fb = at_outer[active], at_inner[active]
    steps = math.ceil(math.log2(1 / _FINENESS))
    for step in range(steps + 2):
        if not len(active):
            break
        half = (a + b) / 2
        slack = np.maximum(_FINENESS / 2 * 2.0 ** (steps + 1 - step) - (b - a) / 2, 0.0)
        secant = (fb * a - fa * b) / (fb - fa)
        side = np.sign(half - secant)
        # Beyond the secant's root towards the middle: the next bracket is then the small one.
        beyond = 0.2 * (b - a) ** 2 + 0.4 * _FINENESS
        moved = secant + side * np.minimum(beyond, np.abs(half - secant))
        x = np.where(np.abs(moved - half) <= slack, moved, half - side * slack)
        fx = excess(outer[active] + x * (inner - outer)[active], active)
        positive = fx > 0
        a, fa = np.where(positive, x, a), np.where(positive, fx, fa)
        b, fb = np.where(positive, b, x), np.where(positive, fb, fx)
        result[active] = outer[active] + a * (inner - outer)[active]
        going = b - a > _FINENESS
        active, a, b, fa, fb = active[going], a[going], b[going], fa[going], fb[going]
    return result
