"""The search for the best matrix at one privacy level after the other.

Best is what costs least: the expected information loss, or the error of the share of some values.

Linear algebra on one thread: for matrices of ten values more threads only wait for each other.

Measured with five values, the search took 3.5 times as long with two threads as with one.
"""

from __future__ import annotations

import importlib
import math
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy import optimize

from ppworkbench.core.arrays import Matrix
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design import Perturbation, Uniform
from ppworkbench.core.errors import DesignError, ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.privacy.optimiser.exposure import Exposure, exposure_of
from ppworkbench.core.privacy.optimiser.shapes import Shape, shapes_of, tidy
from ppworkbench.core.privacy.prior import Prior
from ppworkbench.core.privacy.utility.channel import Vector, factor, share_channel
from ppworkbench.core.privacy.utility.standard_errors import checked_n, expected_information_loss
from ppworkbench.core.progress import Progress, part, silent

_lock = threading.Lock()
_state: dict[str, Any] = {"users": 0, "limit": None}


@contextmanager
def one_thread() -> Iterator[None]:
    """Keep linear algebra on one thread while any search runs.

    The limit is the process's: it is set by the first search and lifted by the last, and does
    nothing where threadpoolctl, which comes with scikit-learn, is missing.
    """
    with _lock:
        _state["users"] += 1
        if _state["users"] == 1:
            _state["limit"] = _limited()
    try:
        yield
    finally:
        with _lock:
            _state["users"] -= 1
            if _state["users"] == 0 and _state["limit"] is not None:
                _state["limit"].restore_original_limits()
                _state["limit"] = None


def _limited() -> Any:
    try:
        library = importlib.import_module("threadpoolctl")
    except ImportError:
        return None
    return library.threadpool_limits(limits=1, user_api="blas")


_HOPELESS = 1e9
_SMOOTH = 1e-12
"""Added to variances: the root of one that is 0 has no slope."""


def information_loss(matrix: Matrix, shares: Vector, n: int) -> float:
    """The loss that a frontier shows; infinite for a singular matrix."""
    return expected_information_loss(factor(matrix), shares, n)


def summed_errors(matrix: Matrix, shares: Vector) -> tuple[float, Matrix]:
    """``Σ_i sqrt(var_i)`` for one respondent and its gradient with respect to P.

    The expected information loss is ``½ sqrt(2/(π n))`` times this sum. With ``B = P⁻¹``,
    ``z = P x`` and ``var_i = Σ_r B_ir² z_r - x_i²``, a change dP moves B by ``-B dP B`` and z by
    ``dP x``.

    Examples
    --------
    >>> value, slope = summed_errors(np.array([[0.7, 0.3], [0.3, 0.7]]), np.array([0.9, 0.1]))
    >>> round(value, 4), slope.shape
    (2.3685, (2, 2))
    """
    try:
        inverse = np.linalg.inv(matrix)
    except np.linalg.LinAlgError:
        return _HOPELESS, np.zeros_like(matrix)
    z = matrix @ shares
    squares = inverse * inverse
    variances = squares @ z - shares * shares
    errors = np.sqrt(np.maximum(variances, 0.0) + _SMOOTH)
    total = float(errors.sum())
    if not math.isfinite(total) or total > _HOPELESS:
        return _HOPELESS, np.zeros_like(matrix)
    weight = 0.5 / errors
    moved = weight[:, None] * inverse * z
    slope = -2 * inverse.T @ moved @ inverse.T + np.outer(weight @ squares, shares)
    return total, slope


class Cost(ABC):
    is_loss = True
    """Whether the cost is the information loss itself; else the loss has a ceiling, see Search."""

    @abstractmethod
    def value(self, matrix: Matrix) -> float:
        """The cost of a P-matrix; infinite where nothing can be estimated."""

    @abstractmethod
    def slope(self, matrix: Matrix) -> tuple[float, Matrix]:
        """A multiple of the cost that is smooth in P, and its gradient."""


class LossCost(Cost):
    def __init__(self, shares: Vector, n: int) -> None:
        self._shares, self._n = shares, n

    def value(self, matrix: Matrix) -> float:
        return information_loss(matrix, self._shares, self._n)

    def slope(self, matrix: Matrix) -> tuple[float, Matrix]:
        return summed_errors(matrix, self._shares)


class ShareCost(Cost):
    """The standard error of the share of some values together.

    With ``P' a = w``, where w is 1 at these values, the estimate is ``a' z`` and its variance for
    one respondent ``Σ_r a_r² z_r - (a' z)²``. A change dP moves a by ``-P⁻ᵀ dP' a``.

    Parameters
    ----------
    ignored
        What respondents who do not follow the instructions add to ``z = (1 - c) P x``; it sums to
        their share c. Nobody ignores them if it is not given.

    Examples
    --------
    >>> cost = ShareCost(np.array([0.9, 0.1]), [1], 1000)
    >>> round(cost.value(np.array([[0.7, 0.3], [0.3, 0.7]])), 4)
    0.0374
    """

    is_loss = False

    def __init__(
        self, shares: Vector, places: Sequence[int], n: int, ignored: Vector | None = None
    ) -> None:
        self._shares, self._n = shares, n
        self._wanted = np.zeros(len(shares))
        self._wanted[list(places)] = 1.0
        self._ignored = np.zeros(len(shares)) if ignored is None else ignored
        self._follow = 1.0 - float(self._ignored.sum())

    def value(self, matrix: Matrix) -> float:
        error = self.slope(matrix)[0]
        return math.inf if error >= _HOPELESS else error / math.sqrt(self._n)

    def slope(self, matrix: Matrix) -> tuple[float, Matrix]:
        try:
            inverse = np.linalg.inv(matrix)
        except np.linalg.LinAlgError:
            return _HOPELESS, np.zeros_like(matrix)
        weights = inverse.T @ self._wanted
        z = self._follow * (matrix @ self._shares) + self._ignored
        mean = float(weights @ z)
        variance = float(weights**2 @ z) - mean**2
        error = math.sqrt(max(variance, 0.0) + _SMOOTH)
        if not math.isfinite(error) or error > _HOPELESS:
            return _HOPELESS, np.zeros_like(matrix)
        by_weights = inverse @ (2 * weights * z - 2 * mean * z)
        by_reports = self._follow * (weights**2 - 2 * mean * weights)
        slope = np.outer(by_reports, self._shares) - np.outer(weights, by_weights)
        return error, slope / (2 * error)


_ITERATIONS = 80
_ITERATIONS_BELOW = 20
"""Steps along a ceiling are many and small; what they still gain is not worth their time."""
_INSIDE = 1e-9


def solve(  # noqa: PLR0913 (one problem in its parts)
    shape: Shape,
    exposure: Exposure,
    level: float,
    start: Vector,
    anchor: Vector,
    check: Callable[[], None] = lambda: None,
    *,
    cost: Cost | None = None,
    ceiling: float = math.inf,
) -> Vector | None:
    """θ of the cheapest member found from a start, or None if none is private enough.

    Sequential quadratic programming (Kraft 1988) with exact gradients. What it returns may miss
    the level by a hair; it is then moved towards the anchor until it holds exactly.

    Parameters
    ----------
    anchor
        A member that is private enough.
    check
        Called at every step; it may raise to stop the work.
    cost
        What is kept low; the information loss if not given.
    ceiling
        The most that the sum of the errors of all shares may be.
    """
    size = shape.size
    shares = exposure.shares
    kept_low = cost or LossCost(shares, 1)

    def objective(point: Vector) -> tuple[float, Vector]:
        check()
        theta = point[:size]
        value, slope = kept_low.slope(shape.matrix(theta))
        by_theta = slope.ravel() @ shape.slopes(theta)
        return value, np.concatenate([by_theta, np.zeros(len(point) - size)])

    def slack(point: Vector) -> Vector:
        matrix = shape.matrix(point[:size])
        return np.concatenate([exposure.slack(matrix, point[size:], level), np.diagonal(matrix)])

    def slack_slopes(point: Vector) -> Matrix:
        theta = point[:size]
        slopes = shape.slopes(theta)
        by_entry, by_helper = exposure.slopes(shape.matrix(theta), level)
        diagonal = slopes[:: shape.k + 1]
        upper = np.hstack([by_entry @ slopes, by_helper])
        lower = np.hstack([diagonal, np.zeros((shape.k, by_helper.shape[1]))])
        return np.vstack([upper, lower])

    def room(point: Vector) -> float:
        return 1.0 - summed_errors(shape.matrix(point[:size]), shares)[0] / ceiling

    def room_slopes(point: Vector) -> Vector:
        theta = point[:size]
        by_theta = summed_errors(shape.matrix(theta), shares)[1].ravel() @ shape.slopes(theta)
        return np.concatenate([-by_theta / ceiling, np.zeros(len(point) - size)])

    constraints: list[dict[str, object]] = [{"type": "ineq", "fun": slack, "jac": slack_slopes}]
    if math.isfinite(ceiling):
        constraints.append({"type": "ineq", "fun": room, "jac": room_slopes})
    first = np.concatenate([start, exposure.helpers(shape.matrix(start))])
    found = optimize.minimize(
        objective,
        first,
        jac=True,
        method="SLSQP",
        bounds=[(0.0, 1.0)] * len(first),
        constraints=constraints,
        options={
            "maxiter": _ITERATIONS if math.isinf(ceiling) else _ITERATIONS_BELOW,
            "ftol": 1e-9,
        },
    )
    if not np.isfinite(found.x).all():
        return None
    return _repaired(shape, exposure, level, tidy(found.x[:size]), anchor)


def is_member(shape: Shape, exposure: Exposure, level: float, theta: Vector) -> bool:
    """Whether θ is a P-matrix that is private enough."""
    matrix = shape.matrix(theta)
    low = float(matrix.min())
    return math.isfinite(low) and low >= 0 and exposure.holds(matrix, level)


def _repaired(
    shape: Shape, exposure: Exposure, level: float, theta: Vector, anchor: Vector
) -> Vector | None:
    """The point nearest to θ on the way to the anchor that is private enough."""
    if is_member(shape, exposure, level, theta):
        return theta
    if not is_member(shape, exposure, level, anchor):
        return None
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        if is_member(shape, exposure, level, theta + middle * (anchor - theta)):
            high = middle
        else:
            low = middle
        if high - low < _INSIDE:
            break
    return np.asarray(theta + high * (anchor - theta))


FAMILIES = ("symmetric", "ordinal", "any", "uniform")
MOST_VALUES = 40
HOPELESS = 1e3
"""An expected information loss beyond which the published answers as good as tell nothing."""

_GAIN = 1e-6
"""Relative gain below which the simpler matrix is kept."""


@dataclass(frozen=True)
class FrontierPoint:
    """The best perturbation found that is at least as private as ``level``.

    ``uniform`` is the uniform perturbation of the same level, for comparison. ``cost`` is what the
    search kept low, usually the information loss.
    """

    level: float
    privacy: float
    information_loss: float
    perturbation: Perturbation
    uniform: Uniform
    uniform_loss: float
    cost: float


_TOLERANCE = 1e-3
"""Part of the ceiling by which a solution may miss it."""


class Search:
    """A search through one family; each level begins where the last one ended.

    A cost other than the information loss could be lowest where other shares cannot be estimated
    any more. So no matrix is taken that loses more information than the uniform one of its level.
    """

    def __init__(
        self,
        attribute: Attribute,
        exposure: Exposure,
        family: str,
        n: int,
        cost: Cost | None = None,
    ) -> None:
        self.attribute = attribute
        self.exposure = exposure
        self.family = family
        self.n = n
        self.cost = cost or LossCost(exposure.shares, n)
        self._ceiling = math.inf
        self._shapes = shapes_of(family, attribute.k)
        self._last: dict[int, Vector] = {}
        # Chance only picks starts, always the same ones: a frontier must be repeatable.
        self._chance = np.random.default_rng(2008)

    @classmethod
    def of(
        cls,
        attribute: Attribute,
        prior: Prior | None,
        n: int,
        privacy: str,
        family: str,
        cost: Cost | None = None,
    ) -> Search:
        ParameterError.unless_known(
            "There is no family {name!r}; known are {known}.", family, FAMILIES, field="family"
        )
        if not attribute.kind.is_categorical or not 2 <= attribute.k <= MOST_VALUES:
            what = (
                Message("{k} values", k=attribute.k)
                if attribute.kind.is_categorical
                else attribute.kind
            )
            raise DesignError.saying(
                "Attribute {attribute!r} ({what}) has no frontier; it needs 2 to "
                "{most_values} values.",
                what=what,
                most_values=MOST_VALUES,
                attribute=attribute.name,
            )
        shares = share_channel(attribute, Uniform(), prior).shares
        return cls(attribute, exposure_of(privacy, attribute, shares), family, checked_n(n), cost)

    @property
    def has_ceiling(self) -> bool:
        """Whether the information loss is limited while something else is kept low."""
        # Two shares have the same error, so that no matrix favours one of them.
        return not self.cost.is_loss and self.attribute.k > 2

    def point(
        self, level: float, progress: Progress = silent, *, afresh: bool = True
    ) -> FrontierPoint:
        """The best perturbation found at a level.

        ``afresh`` also starts from the uniform matrix and around it, not only from where the last
        level ended.
        """
        with one_thread():
            return self._point(level, progress, afresh)

    def _point(self, level: float, progress: Progress, afresh: bool) -> FrontierPoint:
        uniform = Uniform(keep=self._uniform_keep(level))
        matrix: Matrix = uniform.matrix(self.attribute.k)
        uniform_loss = self._loss(matrix)
        self._ceiling = self._errors(matrix) if self.has_ceiling else math.inf
        cost: float = self.cost.value(matrix)
        perturbation: Perturbation = uniform
        for i, shape in enumerate(self._shapes):
            step = part(progress, i / len(self._shapes), (i + 1) / len(self._shapes))
            anchor = shape.like_uniform(uniform.keep)
            if math.isinf(self.exposure.value(shape.matrix(anchor))) and uniform.keep < 1:
                continue  # The zeros of this shape rule answers out, whatever its numbers are.
            starts = [anchor, *self._starts(i, anchor, matrix, afresh)]
            theta = self._best(i, level, starts, step)
            found = math.inf if theta is None else self.cost.value(shape.matrix(theta))
            if theta is not None and found < cost * (1 - _GAIN):
                cost, matrix = found, shape.matrix(theta)
                perturbation = shape.perturbation(theta, self.attribute)
        reached, loss = self.exposure.value(matrix), self._loss(matrix)
        return FrontierPoint(level, reached, loss, perturbation, uniform, uniform_loss, cost)

    def _starts(self, number: int, anchor: Vector, known: Matrix, afresh: bool) -> list[Vector]:
        shape = self._shapes[number]
        starts = [self._last[number]] if number in self._last else []
        same = shape.like(known)
        if same is not None:
            starts.append(same)
        return [*starts, *self._far_starts(anchor)] if afresh else starts

    def _far_starts(self, anchor: Vector) -> list[Vector]:
        """Starts here and there: the loss has many valleys, one search ends in the nearest.

        Where a search is quick, more valleys are looked into. Half of the starts move only some
        values, and those far: the best matrices often exchange a few values and leave the rest.
        """
        size, chance = len(anchor), self._chance
        if self.has_ceiling:
            # The ceiling keeps the search near the uniform matrix.
            return [anchor * chance.uniform(0.6, 1.2, size)]
        count = 2 if size <= 2 else max(1, min(8, 40 // size))
        around = [anchor * chance.uniform(0.0, 2.0, size) for _ in range(count)]
        some = [(chance.random(size) < 0.3) * chance.random(size) for _ in range(count)]
        return [anchor * chance.uniform(0.6, 1.2, size), *around, *some]

    def _best(
        self, number: int, level: float, starts: list[Vector], progress: Progress
    ) -> Vector | None:
        shape, anchor = self._shapes[number], starts[0]
        best: tuple[float, Vector] | None = None
        for i, start in enumerate(starts):
            check = partial(progress, i / len(starts), Message("searching for matrices"))
            solved = solve(
                shape, self.exposure, level, start, anchor, check,
                cost=self.cost, ceiling=self._ceiling,
            )  # fmt: skip
            for theta in (start, solved):
                if theta is None or not self._is_good(shape, level, theta):
                    continue
                cost = self.cost.value(shape.matrix(theta))
                if best is None or cost < best[0]:
                    best = cost, theta
        if best is None:
            return None
        self._last[number] = best[1]
        return best[1]

    def _is_good(self, shape: Shape, level: float, theta: Vector) -> bool:
        if not is_member(shape, self.exposure, level, theta):
            return False
        most = self._ceiling * (1 + _TOLERANCE)
        return math.isinf(most) or self._errors(shape.matrix(theta)) <= most

    def _errors(self, matrix: Matrix) -> float:
        return summed_errors(matrix, self.exposure.shares)[0]

    def _uniform_keep(self, level: float) -> float:
        k = self.attribute.k
        low, high = 1 / k, 1.0
        if self.exposure.holds(np.eye(k), level):
            return 1.0
        for _ in range(60):
            middle = (low + high) / 2
            if self.exposure.holds(Uniform(keep=middle).build(k), level):
                low = middle
            else:
                high = middle
        return low

    def _loss(self, matrix: Matrix) -> float:
        return information_loss(matrix, self.exposure.shares, self.n)
