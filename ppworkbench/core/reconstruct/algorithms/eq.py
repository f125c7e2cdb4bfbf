"""EQ: solve the system of equations Z = P X."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ppworkbench.core.arrays import project
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.reconstruct.channel import NUMBERS, VALUES, CountedChannel
from ppworkbench.core.reconstruct.estimator import Estimator, Fit, estimators
from ppworkbench.core.reconstruct.stopping import StopRule


@estimators.register(
    "eq", "EQ, system of equations", short="EQ", hint="system of equations", rank=10
)
@dataclass(frozen=True)
class Eq(Estimator):
    """``x = P^-1 z``: unbiased, but entries may be negative.

    The raw solution is kept for sums and intervals; its Euclidean projection on the simplex is
    the distribution. A solution without negative entries is the maximum-likelihood estimate.
    A singular P has no inverse; the pseudo-inverse gives the shortest of all solutions.

    References
    ----------
    P. Andruszkiewicz (2008), "Probability distribution reconstruction for nominal attributes in
    privacy preserving classification", ICHIT.
    """

    name: ClassVar[str] = "eq"
    serves: ClassVar[frozenset[str]] = frozenset({VALUES, NUMBERS})

    def fit(
        self,
        counted: CountedChannel,
        stop: StopRule | None = None,  # noqa: ARG002 (nothing is iterated)
        seed: int = 0,  # noqa: ARG002
        progress: Progress = silent,
    ) -> Fit:
        if not counted.is_square:
            name = counted.attribute.name
            raise ParameterError.saying(
                "Attribute {attribute!r} has {count} distorted bins for {k} original "
                "ones, which EQ cannot solve; use smoothing or EM.",
                count=len(counted.counts),
                k=counted.k,
                attribute=name,
                field="algorithm",
            )
        progress(0.0, "solving")
        raw = counted.solution
        probability = project(raw)
        progress(1.0, "solved")
        return Fit(probability, raw, unbiased=True)
