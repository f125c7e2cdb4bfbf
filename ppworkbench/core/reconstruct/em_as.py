"""EM/AS: the EM iteration for values under a P-matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ppworkbench.core.reconstruct.channel import VALUES
from ppworkbench.core.reconstruct.estimator import IteratedEstimator, estimators
from ppworkbench.core.reconstruct.stopping import Converged, StopRule


@estimators.register(
    "em-as", "EM/AS, iterated", short="EM/AS", hint="starts from equal shares", rank=20
)
@dataclass(frozen=True)
class EmAs(IteratedEstimator):
    """``x_p <- x_p * sum_s z_s P[s, p] / (P x)_s`` from the uniform distribution.

    Its limit is the maximum-likelihood estimate. With the published stop it ends long before that
    when answers are seldom kept; the loss that was blamed on the algorithm comes from the stop.

    References
    ----------
    P. Andruszkiewicz (2008), "Privacy preserving classification for continuous and nominal
    attributes", IIS; (2011), doctoral thesis, section 3.7.2.
    """

    name: ClassVar[str] = "em-as"
    serves: ClassVar[frozenset[str]] = frozenset({VALUES})
    counterpart: ClassVar[str] = "em"
    default_stop: ClassVar[StopRule | None] = Converged()
