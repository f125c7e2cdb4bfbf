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
from ppworkbench.core.params import Annotated, Info, Params, Within
from ppworkbench.core.progress import Progress, silent

_CHECKPOINTS = 45
_HOPELESS = 30.0


def checkpoints(most: int) -> NDArray[np.int64]:
    """About 45 numbers of iterations, each larger than the one before by the same factor."""
    return np.unique(np.rint(np.geomspace(1, most, _CHECKPOINTS)).astype(np.int64))


@dataclass(frozen=True, eq=False)
class Averaged:
    """The mean of estimates after different numbers of iterations, and their typical number."""

    probability: Numbers
    iterations: int
    numbers: NDArray[np.int64]
    estimates: Numbers


def average_iterations(
    matrix: Numbers,
    counts: Numbers,
    n: float,
    most: int = 2000,
    progress: Progress = silent,
    charge: float | None = None,
) -> Averaged:
    """The mean over the numbers T of iterations, weighted by what each has learnt from the answers.

    The weights are proportional to ``exp(l_T - charge df_T)`` with the log-likelihood l and the
    degrees of freedom of T iterations.

    Parameters
    ----------
    n
        The (effective) number of respondents.
    charge
        What a degree of freedom costs, :func:`charge_for` if it is not given.
    """
    used = (counts > 0) & (matrix.max(axis=1, initial=0.0) > 0)
    k = matrix.shape[1]
    start = np.full(k, 1 / k)
    if not used.any() or n <= 0:
        return Averaged(start, 0, np.array([0]), start[None])
    rows = np.ascontiguousarray(matrix[used])
    columns = np.ascontiguousarray(rows.T)
    share = counts[used] / counts[used].sum()
    coarse, merged = _merged(matrix)
    cost = charge_for(len(merged), n) if charge is None else charge
    numbers, estimates, scores = [0], [start], [-np.inf]
    x, iteration, tiny = start, 0, np.finfo(np.float64).tiny
    converged, settled = Converged(), most
    for target in checkpoints(most):
        progress(iteration / (most + 1), "looking for the best iteration")
        while iteration < target:
            before, x = x, x * (columns @ (share / np.maximum(rows @ x, tiny)))
            iteration += 1
            if settled == most and converged.met(before, x, n):
                settled = max(iteration - 1, 1)
        x = x / x.sum()
        likelihood = n * float(share @ np.log(np.maximum(rows @ x, tiny)))
        freedom = float(degrees_of_freedom(coarse, np.add.reduceat(x, merged), iteration))
        numbers.append(iteration)
        estimates.append(x)
        scores.append(likelihood - cost * freedom)
        if scores[-1] < max(scores) - _HOPELESS:
            # Likelihood gains less and less for every further degree of freedom.
            break
    progress(1.0, "looking for the best iteration")
    weights = np.exp(np.array(scores) - max(scores))
    weights /= weights.sum()
    mean = weights @ np.array(estimates)
    # The mean is never that of convergence, which comes after all others.
    typical = min(round(float(np.exp(weights[1:] @ np.log(numbers[1:])))), settled)
    kept = [place for place, number in enumerate(numbers) if number < typical]
    path = np.array([*(estimates[place] for place in kept), mean])
    return Averaged(mean, typical, np.array([*(numbers[i] for i in kept), typical]), path)


def charge_for(cells: int, n: float) -> float:
    """What a degree of freedom costs in log-likelihood.

    ``log(cells - 1)``, the risk inflation criterion (Foster and George 1994): few directions are
    all worth learning, of many the largest may be noise. At most ``log(n) / 2`` (Schwarz 1978), at
    least 1 (Akaike 1973). Schwarz's charge alone keeps a question with five values far too near
    to equal shares, Akaike's alone follows the noise on a fine grid.

    >>> [round(charge_for(cells, 10_000), 2) for cells in (2, 5, 64, 128)]
    [1.0, 1.39, 4.14, 4.61]
    """
    return max(1.0, min(float(np.log(max(cells - 1, 1))), 0.5 * float(np.log(max(n, 1.0)))))


def _merged(matrix: Numbers) -> tuple[Numbers, NDArray[np.intp]]:
    """A channel with neighbouring cells put together, and where each true one begins.

    What noise lets through of a distribution can be told on fewer cells.
    """
    m, k = matrix.shape
    rows, columns = (np.arange(0, size, -(-size // most)) for size, most in ((m, 512), (k, 128)))
    sizes = np.diff(np.append(columns, k))
    merged = np.add.reduceat(np.add.reduceat(matrix, rows, axis=0), columns, axis=1) / sizes
    # Densities are made probabilities; their columns have about the same sum.
    return merged / merged.sum(axis=0).mean(), columns


def degrees_of_freedom(matrix: Numbers, x: Numbers, iterations: int | NDArray[np.int64]) -> Numbers:
    """How many free parameters an estimate has after so many iterations.

    ``sum_i (1 - (1 - lambda_i)^T) - 1`` with the eigenvalues of ``diag(sqrt x) A' diag(1 / A x) A
    diag(sqrt x)``: the iteration has learnt directions with a large eigenvalue, and has not yet
    moved in those with a small one.
    """
    fitted = matrix @ x
    seen = fitted > 0
    root = (matrix[seen] * np.sqrt(x)) / np.sqrt(fitted[seen])[:, None]
    gram = root.T @ root if root.shape[1] <= root.shape[0] else root @ root.T
    speed = np.clip(np.linalg.eigvalsh(gram), 0.0, 1.0)
    learnt = 1 - (1 - speed) ** np.asarray(iterations)[..., None]
    return np.asarray(learnt.sum(axis=-1) - 1)


WORDS = ("published", "converged", "auto")


@dataclass(frozen=True)
class StopRule(Params, ABC):
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
        return self.most

    def met(self, old: Numbers, new: Numbers, n: float) -> NDArray[np.bool_]:
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
        return self.most

    def met(self, old: Numbers, new: Numbers, n: float) -> NDArray[np.bool_]:  # noqa: ARG002
        return np.asarray(np.abs(new - old).sum(axis=-1) < self.tolerance)


@dataclass(frozen=True)
class Fixed(StopRule):
    iterations: Annotated[int, Within(0, 1_000_000), Info("Iterations", "Number of iterations")] = (
        100
    )

    name: ClassVar[str] = "fixed"

    @property
    def limit(self) -> int:
        return self.iterations

    def met(self, old: Numbers, new: Numbers, n: float) -> NDArray[np.bool_]:  # noqa: ARG002
        return np.zeros(old.shape[:-1], bool)

    @property
    def words(self) -> str:
        return str(self.iterations)


@dataclass(frozen=True)
class Auto(StopRule):
    """Average over numbers of iterations, weighted by the likelihood and what it costs.

    Every iteration makes the answers likelier and the estimate freer. The weights balance both;
    see :func:`average_iterations` and :func:`charge_for`.
    """

    most: Annotated[int, Within(1, 10**10), Info("Maximum", "Maximum number of iterations")] = 2000

    name: ClassVar[str] = "auto"

    @property
    def limit(self) -> int:
        return self.most

    def met(self, old: Numbers, new: Numbers, n: float) -> NDArray[np.bool_]:  # noqa: ARG002
        return np.zeros(old.shape[:-1], bool)

    def resolve(
        self,
        matrix: Numbers,
        counts: Numbers,
        seed: int = 0,  # noqa: ARG002 (nothing is drawn)
        progress: Progress = silent,
    ) -> StopRule:
        n = float(counts.sum())
        return Fixed(average_iterations(matrix, counts, n, self.most, progress).iterations)


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
    raise ParameterError.saying(
        "Stop is {given!r}; it must be {words} or a number of iterations.",
        given=given,
        words=", ".join(WORDS),
        field="stop",
    )
