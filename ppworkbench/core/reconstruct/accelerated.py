"""The answer of converged EM in a few Newton steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ppworkbench.core.params import Annotated, Info, Within
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.reconstruct.channel import NUMBERS, VALUES, CountedChannel
from ppworkbench.core.reconstruct.estimator import Estimator, Fit, estimators
from ppworkbench.core.reconstruct.interior_point import maximise
from ppworkbench.core.reconstruct.stopping import StopRule
from ppworkbench.core.reconstruct.trace import Trace, log_likelihood


@estimators.register("accelerated", "Accelerated EM, maximum likelihood")
@dataclass(frozen=True)
class Accelerated(Estimator):
    """The maximum-likelihood distribution by a primal-dual interior-point method.

    Values under a P-matrix: the default wherever EQ has negative entries. Numbers under noise: the
    limit of EM, which fits the noise; use it to see that, not to estimate.

    References
    ----------
    B. G. Lindsay (1983), "The geometry of mixture likelihoods", Annals of Statistics 11;
    R. Koenker and I. Mizera (2014), "Convex optimization, shape constraints, compound decisions,
    and empirical Bayes rules", JASA 109.
    """

    tolerance: Annotated[
        float,
        Within(0, open_low=True),
        Info("Tolerance", "How much the mean log-likelihood may still grow"),
    ] = 1e-12

    name: ClassVar[str] = "accelerated"
    serves: ClassVar[frozenset[str]] = frozenset({VALUES, NUMBERS})

    def fit(
        self,
        counted: CountedChannel,
        stop: StopRule | None = None,  # noqa: ARG002 (the end is where the likelihood is largest)
        seed: int = 0,  # noqa: ARG002
        progress: Progress = silent,
    ) -> Fit:
        """Follow the central path to the largest likelihood."""
        used = counted.usable > 0
        if not used.any():
            x = np.full(counted.k, 1 / counted.k)
            return Fit(x, x, counted.matrix, counted.usable)
        matrix, shares = counted.matrix[used], counted.shares[used]
        found = maximise(matrix, shares[None, :], self.tolerance, progress=progress)
        x = found.probability[0]
        estimates = np.vstack([*found.path[:-1], x[None, :]])
        estimates /= estimates.sum(axis=1, keepdims=True)
        trace = Trace(
            np.arange(len(estimates)),
            estimates,
            log_likelihood(matrix, counted.usable[used], estimates),
        )
        return Fit(
            x,
            x,
            counted.matrix,
            counted.usable,
            found.iterations,
            None,
            bool(found.gap[0] <= 10 * self.tolerance),
            trace,
        )
