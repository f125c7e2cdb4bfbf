"""What every estimator of an original distribution is, and the list of all of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.params import Params
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.reconstruct.channel import CountedChannel
from ppworkbench.core.reconstruct.iteration import iterate
from ppworkbench.core.reconstruct.stopping import Converged, StopRule
from ppworkbench.core.reconstruct.trace import Trace
from ppworkbench.core.registry import Registry

Numbers = NDArray[np.float64]

estimators: Registry[type[Estimator]] = Registry("algorithm")


@dataclass(frozen=True, eq=False)
class Fit:
    """An estimated distribution and how it was found.

    Parameters
    ----------
    raw
        The estimate before it was made a distribution; unbiased for EQ.
    stop
        The rule that ended an iteration; None where nothing is iterated.
    finished
        Whether the rule was met, rather than the largest number of iterations.
    unbiased
        Whether the raw estimate solves the equations, whatever its sign.
    covariance
        The covariance of the estimate, where the estimator knows it best itself.
    cells
        Gives the channel and the counts from which resamples can be drawn, where an early stop
        asks for them.
    """

    probability: Numbers
    raw: Numbers
    iterations: int = 0
    stop: StopRule | None = None
    finished: bool = True
    trace: Trace | None = None
    unbiased: bool = False
    covariance: Numbers | None = None
    cells: Callable[[], tuple[Numbers, Numbers]] | None = None


@dataclass(frozen=True)
class Estimator(Params, ABC):
    """Estimates the distribution of X from the counts of Z.

    ``serves`` names the cells for which the estimator is made, ``counterpart`` the algorithm that
    does the same for the other ones.
    """

    name: ClassVar[str] = ""
    serves: ClassVar[frozenset[str]] = frozenset()
    counterpart: ClassVar[str] = ""
    default_stop: ClassVar[StopRule | None] = None

    @property
    def iterates(self) -> bool:
        """Whether a stop rule means anything to this estimator."""
        return self.default_stop is not None

    @abstractmethod
    def fit(
        self,
        counted: CountedChannel,
        stop: StopRule | None = None,
        seed: int = 0,
        progress: Progress = silent,
    ) -> Fit:
        """Estimate the distribution; counts that are all zero give the uniform one."""


@dataclass(frozen=True)
class IteratedEstimator(Estimator):
    """An estimator that repeats the EM step until a rule is met."""

    default_stop: ClassVar[StopRule | None] = Converged()

    def cells(self, counted: CountedChannel) -> tuple[Numbers, Numbers]:
        """A channel and whole counts, from which parts or resamples can be drawn.

        Where to stop can be seen on fewer cells of Z than are needed to get there exactly.
        """
        small = counted.merged(4 * max(counted.k, 50))
        return small.matrix, small.usable

    def system(self, counted: CountedChannel) -> tuple[Numbers, Numbers]:
        """The channel and the counts that are iterated."""
        return counted.matrix, counted.usable

    def fit(
        self,
        counted: CountedChannel,
        stop: StopRule | None = None,
        seed: int = 0,
        progress: Progress = silent,
    ) -> Fit:
        """Resolve the rule, then iterate."""
        # Undistorted answers are found by one step: nothing is gained by stopping before it.
        rule = Converged() if counted.is_undistorted else stop or self.default_stop
        assert rule is not None  # noqa: S101 (iterated estimators have a rule)
        half = 0.5 if rule.name == "auto" else 0.0
        resolved = rule
        if rule.name == "auto":
            resolved = rule.resolve(*self.cells(counted), seed, part(progress, 0.0, half))
        found = iterate(*self.system(counted), resolved, counted.size, part(progress, half, 1.0))
        return Fit(
            found.probability,
            found.probability,
            found.iterations,
            rule,
            found.stopped,
            Trace(found.numbers, found.estimates, counted.matrix, counted.usable),
            cells=lambda: self.cells(counted),
        )
