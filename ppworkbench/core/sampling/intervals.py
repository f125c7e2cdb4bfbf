"""Intervals of a share: Wald, Wilson and logit, also for a share that is seen through a device.

References
----------
E. B. Wilson (1927), "Probable inference", JASA 22; E. L. Korn and B. I. Graubard (1998),
"Confidence intervals for proportions with small expected number of positive counts estimated from
survey data", Survey Methodology 24.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.sampling_roles import AUTO, LOGIT, WALD, WILSON


@dataclass(frozen=True)
class Line:
    """The reported share as a function of the true one: ``low + slope * share``.

    ``low`` is the share that reports the answer among those for whom it is not true.
    """

    low: float = 0.0
    slope: float = 1.0

    @property
    def is_plain(self) -> bool:
        """Whether the answer is reported as it is."""
        return self.low == 0 and self.slope == 1


def line_between(contributions: Numbers) -> Line | None:
    """The line of a share whose reports contribute one of two numbers; None for other ones.

    ``h = (1_reported - low) / slope``; reports with the larger contribution are those of the share.

    >>> line_between(np.array([2.0, -0.5, -0.5]))
    Line(low=0.2, slope=0.4)
    """
    low, high = float(contributions.min()), float(contributions.max())
    from_ends = np.minimum(contributions - low, high - contributions)
    if high - low < 1e-12 or from_ends.max() > 1e-9:
        return None
    slope = 1 / (high - low)
    return Line(round(-low * slope, 15) + 0.0, 1.0 if abs(slope - 1) < 1e-12 else slope)


def wald(estimate: float, error: float, t: float) -> tuple[float, float]:
    """``estimate ± t error``."""
    reach = t * error if error > 0 else 0.0
    return estimate - reach, estimate + reach


def wilson(share: float, n: float, t: float) -> tuple[float, float]:
    """Wilson's interval of a share of n answers.

    >>> tuple(round(end, 4) for end in wilson(0.1, 100, 1.96))
    (0.0552, 0.1744)
    """
    if not (n > 0 and math.isfinite(t)):
        return 0.0, 1.0
    if math.isinf(n):
        return share, share
    square = t**2 / n
    middle = (share + square / 2) / (1 + square)
    reach = t * math.sqrt(max(share * (1 - share) / n + square / (4 * n), 0.0)) / (1 + square)
    return max(middle - reach, 0.0), min(middle + reach, 1.0)


def logit(share: float, error: float, t: float) -> tuple[float, float]:
    """Wald's interval on the scale of log odds; a share of 0 or 1 has none but itself and all."""
    if not 0 < share < 1:
        return wald(share, error, t)
    odds, reach = math.log(share / (1 - share)), t * error / (share * (1 - share))
    return tuple(1 / (1 + math.exp(-_bounded(odds + side))) for side in (-reach, reach))  # type: ignore[return-value]


def _bounded(exponent: float) -> float:
    return min(max(exponent, -700.0), 700.0)


def share_interval(
    kind: str,
    share: float,
    error: float,
    t: float,
    *,
    line: Line | None = None,
    n: float = math.inf,
) -> tuple[str, float, float]:
    """The interval of a share and the name of its kind.

    Parameters
    ----------
    line
        How the reported share depends on the true one; None where more than two contributions
        occur. ``auto`` takes Wilson's interval for an undistorted share, else Wald's.
    n
        The number of answers over the weights' effect, for a share of exactly 0 or 1.
    """
    chosen = kind
    if kind == AUTO:
        chosen = WILSON if line is not None and line.is_plain else WALD
    if chosen == WILSON and line is not None and line.slope:
        reported = line.low + line.slope * share
        if 0 <= reported <= 1:
            ends = _wilson_by(reported, abs(line.slope) * error, t, n)
            low, high = sorted((end - line.low) / line.slope for end in ends)
            return WILSON, low, high
    if chosen == LOGIT and 0 < share < 1:
        return LOGIT, *logit(share, error, t)
    return WALD, *wald(share, error, t)


def _wilson_by(share: float, error: float, t: float, n: float) -> tuple[float, float]:
    """Wilson's interval with the number of answers that gives the error."""
    inside = share * (1 - share)
    if inside <= 1e-15:
        return wilson(min(max(share, 0.0), 1.0), n, t)
    return wilson(share, inside / error**2 if error > 0 else math.inf, t)
