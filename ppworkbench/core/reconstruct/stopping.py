"""When an iteration stops.

More likelihood is not more accuracy: undoing noise on a fine grid is ill-posed, and a converged
estimate fits the noise. See ``resources/help/stopping-rules.md`` for what each rule costs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Annotated, Info, Params, Within
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.rng import SeededStreams

_PATIENCE = 3
_AT_LEAST = 30


def best_iteration(
    matrix: Numbers,
    counts: Numbers,
    parts: int = 5,
    most: int = 2000,
    seed: int = 0,
    progress: Progress = silent,
) -> int:
    """The number of EM iterations with the largest held-out likelihood.

    All parts are iterated together, one column each. The search ends when the best iteration lies
    a third of the way back: held-out likelihood falls slowly and smoothly once it falls.
    """
    used = (counts > 0) & (matrix.max(axis=1, initial=0.0) > 0)
    matrix, counts = matrix[used], counts[used]
    held = thinned(counts, parts, seed)
    rest = counts - held
    sizes = rest.sum(axis=1, keepdims=True)
    if held.sum() <= 0 or np.any(sizes <= 0):
        return 0
    rest = rest / sizes
    k = matrix.shape[1]
    x = np.full((parts, k), 1 / k)
    transposed = np.ascontiguousarray(matrix.T)
    tiny = np.finfo(np.float64).tiny
    best, best_at = -np.inf, 0
    for iteration in range(most + 1):
        fitted = np.maximum(x @ transposed, tiny)
        predicted = float(np.vdot(held, np.log(fitted)))
        if predicted > best:
            best, best_at = predicted, iteration
        elif iteration > _PATIENCE * best_at + _AT_LEAST:
            break
        if iteration % 16 == 0:
            progress(iteration / (most + 1), "looking for the best iteration")
        x *= (rest / fitted) @ matrix
    progress(1.0, "looking for the best iteration")
    return best_at


def thinned(counts: Numbers, parts: int, seed: int = 0) -> Numbers:
    """Deal the counts at random into parts, one row each.

    Whole counts are dealt one respondent at a time. Weighted ones are not whole; they are dealt
    as if every respondent of a cell weighed the same.
    """
    generator = SeededStreams(seed).generator("held out")
    whole = np.rint(counts).astype(np.int64)
    left = whole.copy()
    dealt = np.empty((parts, len(counts)))
    for part in range(parts - 1):
        drawn = generator.binomial(left, 1 / (parts - part))
        dealt[part] = drawn
        left = left - drawn
    dealt[-1] = left
    if np.array_equal(whole, counts):
        return dealt
    scale = np.divide(counts, whole, out=np.zeros_like(counts), where=whole > 0)
    return np.asarray(dealt * scale)


WORDS = ("published", "converged", "auto")


@dataclass(frozen=True)
class StopRule(Params, ABC):
    """Decides after each iteration whether it was the last."""

    name: ClassVar[str] = ""

    @property
    @abstractmethod
    def limit(self) -> int:
        """The number of iterations after which the rule stops in any case."""

    @abstractmethod
    def met(self, old: Numbers, new: Numbers, n: float) -> NDArray[np.bool_]:
        """Whether to stop, for estimates along the last axis."""

    def resolve(
        self,
        matrix: Numbers,  # noqa: ARG002 (one rule looks at the data, the others do not)
        counts: Numbers,  # noqa: ARG002
        seed: int = 0,  # noqa: ARG002
        progress: Progress = silent,  # noqa: ARG002
    ) -> StopRule:
        """The rule to iterate with, where it depends on the data."""
        return self

    @property
    def words(self) -> str:
        """The rule as it is written on a command line."""
        return self.name


@dataclass(frozen=True)
class Published(StopRule):
    """Stop when two estimates differ by less than a share of a chi-squared quantile.

    ``n * sum((new - old)^2 / old) < share * quantile(level)`` with k - 1 degrees of freedom
    (Agrawal and Srikant 2000). With few respondents this stops very early.
    """

    share: Annotated[
        float, Within(0, open_low=True), Info("Share", "Share of the chi-squared quantile")
    ] = 0.01
    level: Annotated[
        float, Within(0, 1, open_low=True, open_high=True), Info("Level", "Level of the quantile")
    ] = 0.95
    most: Annotated[int, Within(1, 10**10), Info("Maximum", "Maximum number of iterations")] = (
        20_000
    )

    name: ClassVar[str] = "published"

    @property
    def limit(self) -> int:
        """The largest number of iterations."""
        return self.most

    def met(self, old: Numbers, new: Numbers, n: float) -> NDArray[np.bool_]:
        """Compare the chi-squared distance with the threshold."""
        change = np.square(new - old)
        change /= np.maximum(old, np.finfo(np.float64).tiny)
        return np.asarray(n * change.sum(axis=-1) < self.threshold(old.shape[-1]))

    def threshold(self, k: int) -> float:
        """The share of the quantile; any change will do when k is 1."""
        return self.share * _quantile(self.level, k - 1) if k > 1 else float("inf")


@lru_cache(maxsize=256)
def _quantile(level: float, freedom: int) -> float:
    from scipy.special import chdtri

    return float(chdtri(freedom, 1 - level))


@dataclass(frozen=True)
class Converged(StopRule):
    """Stop when the estimate hardly moves any more: the maximum-likelihood estimate."""

    tolerance: Annotated[
        float,
        Within(0, open_low=True),
        Info("Tolerance", "Sum of absolute changes at convergence"),
    ] = 1e-8
    most: Annotated[int, Within(1, 10**10), Info("Maximum", "Maximum number of iterations")] = (
        20_000
    )

    name: ClassVar[str] = "converged"

    @property
    def limit(self) -> int:
        """The largest number of iterations."""
        return self.most

    def met(self, old: Numbers, new: Numbers, n: float) -> NDArray[np.bool_]:  # noqa: ARG002
        """Compare the sum of absolute changes with the tolerance."""
        return np.asarray(np.abs(new - old).sum(axis=-1) < self.tolerance)


@dataclass(frozen=True)
class Fixed(StopRule):
    """Stop after a fixed number of iterations."""

    iterations: Annotated[int, Within(0, 1_000_000), Info("Iterations", "Number of iterations")] = (
        100
    )

    name: ClassVar[str] = "fixed"

    @property
    def limit(self) -> int:
        """The number of iterations."""
        return self.iterations

    def met(self, old: Numbers, new: Numbers, n: float) -> NDArray[np.bool_]:  # noqa: ARG002
        """Never before the last iteration."""
        return np.zeros(old.shape[:-1], bool)

    @property
    def words(self) -> str:
        """The number."""
        return str(self.iterations)


@dataclass(frozen=True)
class Auto(StopRule):
    """Stop where estimates from a part of the answers best foretell the other answers.

    The count vector is dealt into ``parts`` by binomial thinning; each part in turn is held out,
    the rest iterated, and the iteration with the largest held-out likelihood is taken.
    """

    parts: Annotated[int, Within(2, 100), Info("Parts", "Parts held out in turn")] = 5
    most: Annotated[int, Within(1, 10**10), Info("Maximum", "Maximum number of iterations")] = 2000

    name: ClassVar[str] = "auto"

    @property
    def limit(self) -> int:
        """The largest number of iterations."""
        return self.most

    def met(self, old: Numbers, new: Numbers, n: float) -> NDArray[np.bool_]:  # noqa: ARG002
        """Never: the rule has to be resolved first."""
        return np.zeros(old.shape[:-1], bool)

    def resolve(
        self, matrix: Numbers, counts: Numbers, seed: int = 0, progress: Progress = silent
    ) -> StopRule:
        """The fixed number of iterations that foretells held-out answers best."""
        found = best_iteration(matrix, counts, self.parts, self.most, seed, progress)
        return Fixed(found)


def stop_rule(given: StopRule | str | int | None) -> StopRule | None:
    """The rule of that name, or the one that stops after that many iterations.

    >>> stop_rule("published").words
    'published'
    >>> stop_rule("25")
    Fixed(iterations=25)
    """
    if given is None or isinstance(given, StopRule):
        return given
    known: dict[str, type[StopRule]] = {rule.name: rule for rule in (Published, Converged, Auto)}
    text = str(given).strip()
    if text in known:
        return known[text]()
    if text.isascii() and text.isdigit():
        return Fixed(int(text))
    raise ParameterError(
        Message(
            "Stop is {given!r}; it must be {words} or a number of iterations.",
            given=given,
            words=", ".join(WORDS),
        ),
        field="stop",
    )
