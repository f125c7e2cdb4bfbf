r"""The interval of a share whose reports contribute more than two numbers.

A share ``p`` is estimated by the mean of contributions with ``E[h | true answer]`` 1 for those who
have it and 0 for others. Their moments are known functions of p: ``E[h^m] = p a_m + (1 - p) b_m``
with ``a_m`` the mean among those who have it and ``b_m`` that among the others. Where p is less
than was estimated, the people who are left over count as the others whose reports vary most. An
interval holds every p from which the estimate is no further than its own error allows, corrected
for skewness::

    -z - c max(-g, 0) <= sqrt(n) (estimate - p) / s(p) <= z + c max(g, 0),   c = (z^2 - 1) / 6

with ``s(p)`` the standard deviation and ``g(p)`` the skewness of the mean. The correction widens
only. For two contributions it is Wilson's interval of the reported share but for the correction.

References
----------
E. B. Wilson (1927), "Probable inference", JASA 22; M. S. Bartlett (1953), "Approximate confidence
intervals II", Biometrika 40; J. J. Gart and J. Nam (1988), "Approximate interval estimation of the
ratio of binomial parameters: a review and corrections for skewness", Biometrics 44.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ppworkbench.core.arrays import Numbers

_HALVINGS = 50
_FEWEST_DEGREES = 4.0


@dataclass(frozen=True)
class Contributions:
    """The mean square and cube of contributions by whether the answer is true.

    Parameters
    ----------
    inside, outside
        Of those who have it, and of the others.
    most
        Of the others whose reports vary most.
    share
        The estimated share of those who have it.
    outside_spread
        How the squares differ between the kinds of others: their variance.

    Examples
    --------
    >>> device = np.array([0.99, 0.5])  # a no and a yes that are kept
    >>> no, yes = -0.01 / 0.49, 0.99 / 0.49
    >>> squares, cubes = ([0.99 * no**m + 0.01 * yes**m, 0.5 * no**m + 0.5 * yes**m]
    ...                   for m in (2, 3))
    >>> found = Contributions.of([0.95, 0.05], squares, cubes, [False, True])
    >>> round(found.error(0.05, 50), 4)
    0.0527
    >>> tuple(round(end, 4) for end in found.interval(no, 50, 1.959964))
    (0.0, 0.1252)
    """

    inside: tuple[float, float]
    outside: tuple[float, float]
    most: tuple[float, float]
    share: float
    outside_spread: float = 0.0

    @classmethod
    def of(cls, shares: Any, squares: Any, cubes: Any, meets: Any) -> Contributions:
        """Those of true answers of several kinds; negative shares count as 0."""
        shares, meets = np.maximum(np.asarray(shares, np.float64), 0.0), np.asarray(meets, np.bool_)
        moments = np.stack([np.asarray(squares, np.float64), np.asarray(cubes, np.float64)])
        means = []
        for some in (meets, ~meets):
            weights = shares[some] if shares[some].sum() > 0 else np.ones(int(some.sum()))
            weights = weights / weights.sum() if len(weights) else weights
            means.append(moments[:, some] @ weights)
        spread = float(weights @ (moments[0, ~meets] - means[1][0]) ** 2)
        others = moments[:, ~meets]
        most = others[:, np.argmax(others[0])] if len(weights) else means[1]
        inside, outside, largest = ((float(one[0]), float(one[1])) for one in (*means, most))
        share = float(shares[meets].sum() / (shares.sum() or 1.0))
        return cls(inside, outside, largest, share, spread)

    def _moment(self, m: int, p: float) -> float:
        others = min(1 - p, 1 - self.share)
        left_over = 1 - p - others
        return float(p * self.inside[m] + others * self.outside[m] + left_over * self.most[m])

    def _variance(self, p: float) -> float:
        return max(self._moment(0, p) - p * p, 0.0)

    def error(self, p: float, n: float) -> float:
        """The standard error of the mean of n contributions where the share is p."""
        return math.sqrt(self._variance(p) / n)

    def skewness(self, p: float, n: float) -> float:
        """The skewness of the mean of n contributions where the share is p."""
        variance = self._variance(p)
        if variance <= 1e-15:
            return 0.0
        third = self._moment(1, p) - 3 * p * self._moment(0, p) + 2 * p**3
        return float(third / (variance**1.5 * math.sqrt(n)))

    def interval(self, estimate: float, n: float, t: float) -> tuple[float, float]:
        """The interval of the share by n contributions that have this mean, within [0, 1]."""
        # An estimate outside of what is possible says no more than one a standard error outside.
        estimate = min(max(estimate, -self.error(0.0, n)), 1 + self.error(1.0, n))
        middle = min(max(estimate, 0.0), 1.0)
        t = self._wider(middle, n, t)
        return self._end(estimate, n, t, middle, 0.0), self._end(estimate, n, t, middle, 1.0)

    def _wider(self, p: float, n: float, t: float) -> float:
        """The factor that knows that the variance rests on estimated shares of the others."""
        spread = (1 - p) * self.outside_spread
        if spread <= 0:
            return t
        degrees = max(2 * n * self._variance(p) ** 2 / spread, _FEWEST_DEGREES)
        return t * (1 + (t * t + 1) / (4 * degrees))

    def _end(self, estimate: float, n: float, t: float, inside: float, outside: float) -> float:
        side, correction = (1.0 if outside == 0 else -1.0), (t * t - 1) / 6

        def is_outside(p: float) -> bool:
            reach = t + correction * max(side * self.skewness(p, n), 0.0)
            return side * (estimate - p) > reach * self.error(p, n) + 1e-15

        if not is_outside(outside):
            return outside
        for _ in range(_HALVINGS):
            middle = (inside + outside) / 2
            inside, outside = (inside, middle) if is_outside(middle) else (middle, outside)
        return inside


def cell_contributions(channel: Numbers, look_up: Numbers, shares: Numbers) -> list[Contributions]:
    """Those of every value of one question, by the reports of all values and their true shares.

    ``look_up`` has a row per reported value and a column per value that is estimated, ``channel``
    the probability of every report (rows) given the truth (columns).

    >>> P = np.array([[0.99, 0.5], [0.01, 0.5]])
    >>> found = cell_contributions(P, np.linalg.inv(P).T, np.array([0.95, 0.05]))
    >>> round(found[1].error(0.05, 50), 4)
    0.0527
    """
    squares, cubes = channel.T @ look_up**2, channel.T @ look_up**3
    places = np.arange(look_up.shape[1])
    return [
        Contributions.of(shares, squares[:, place], cubes[:, place], places == place)
        for place in places
    ]
