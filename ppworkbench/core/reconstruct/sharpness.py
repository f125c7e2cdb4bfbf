"""How sharp a feature of a distribution may be, and what the pilot of a bound expects.

Without any assumption a distribution may consist of spikes that noise hides, and bounds are wide.
With a sharpest feature h it is a mixture of bumps no narrower than h: normal densities of spread h,
cut to the domain. Answers can reject an h; they cannot prove one, so a result always names it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real
from typing import Annotated, Any

import numpy as np
from scipy.special import ndtr

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Info, Option, Read
from ppworkbench.core.reconstruct.stopping import degrees_of_freedom

AUTO, NONE = "auto", "none"
Sharpness = str | float


def _read(given: Any) -> str:
    if isinstance(given, bool) or not isinstance(given, Real | str):
        raise TypeError(Message("it must be 'auto', 'none' or a number"))
    parse_sharpness(given)  # type: ignore[arg-type]
    return str(given)


Sharpest = Annotated[
    str,
    Read(_read, annotation="str | float"),
    Option(group="statistic"),
    Info(
        "Sharpest feature",
        "Narrowest peak of a number under noise that intervals allow: auto, none or a number",
    ),
]

_OF_SPREAD, _OF_DOMAIN, _OF_BIN = 0.15, 0.03, 0.25
_FEWEST_CELLS = 0.7
_PILOT = 100
_ALONE, _TOGETHER = 300, 200
_IMAGINED = 2.5
_TINY = float(np.finfo(np.float64).tiny)


def parse_sharpness(given: Sharpness) -> Sharpness:
    """``auto``, ``none`` or a positive number, also one that is written.

    >>> parse_sharpness("4.5"), parse_sharpness("auto")
    (4.5, 'auto')
    """
    if given in (AUTO, NONE):
        return given
    try:
        number = float(given)
    except ValueError:
        number = math.nan
    if not (math.isfinite(number) and number > 0):
        raise ParameterError.saying(
            "Sharpest feature is {given!r}; it must be auto, none or a number above 0.",
            given=given,
            field="sharpest",
        )
    return number


def bumps(edges: Numbers, spread: float) -> Numbers:
    """Normal densities cut to the domain, one per column, in the cells between the edges.

    One is centred on every cell and on every half spread up to 3 spreads beyond both ends.

    >>> bumps(np.array([0.0, 1.0, 2.0]), 1.0).sum(axis=0).round(12).tolist() == [1.0] * 14
    True
    """
    beyond = spread / 2 * np.arange(1, 7)
    middles = (edges[:-1] + edges[1:]) / 2
    centres = np.concatenate([edges[0] - beyond[::-1], middles, edges[-1] + beyond])
    mass = np.diff(ndtr((edges[:, None] - centres) / spread), axis=0)
    return np.asarray(mass / mass.sum(axis=0))


@dataclass(frozen=True, eq=False)
class Observed:
    """Counts of a number's reported cells, beside what was reported of a yes-no condition.

    Parameters
    ----------
    counts
        One row per reported cell, one column per report; a single column without a condition.
    channel
        ``A`` of the number.
    reports
        ``C[w, v] = Pr(report w | condition v)``.
    """

    counts: Numbers
    channel: Numbers
    reports: Numbers

    @property
    def is_joint(self) -> bool:
        return bool(self.reports.shape[1] > 1)

    def iterate(self, shapes: Numbers, times: int, start: Numbers | None = None) -> Numbers:
        """EM over mixtures of shapes (rows) and the condition (columns)."""
        seen = self.channel @ shapes
        share = self.counts / self.counts.sum()
        kinds = self.reports.shape[1]
        x = np.full((shapes.shape[1], kinds), 1 / (shapes.shape[1] * kinds))
        x = x if start is None else start
        across, back = np.ascontiguousarray(seen.T), self.reports
        for _ in range(times):
            fitted = np.maximum(seen @ x @ back.T, _TINY)
            x = x * (across @ (share / fitted) @ back)
        return np.asarray(x / x.sum())

    def score(self, shapes: Numbers, x: Numbers, iterations: int) -> tuple[float, float]:
        """The log-likelihood, and the degrees of freedom of so many iterations."""
        fitted = np.maximum(self.channel @ shapes @ x @ self.reports.T, _TINY)
        likelihood = float((self.counts * np.log(fitted)).sum())
        matrix = np.asarray(np.kron(self.channel @ shapes, self.reports), np.float64)
        return likelihood, float(degrees_of_freedom(matrix, x.ravel(), iterations))


def find_sharpness(
    observed: Observed, edges: Numbers, given: Sharpness = AUTO, narrowest: float = math.inf
) -> float | None:
    """The sharpest feature to assume; None for no assumption.

    ``auto`` starts from 0.15 of the spread, at most 0.03 of the domain and a quarter of the
    narrowest interval that is asked for, and is halved while the answers contradict it.
    """
    cell = float(np.median(np.diff(edges)))
    given = parse_sharpness(given)
    if given == NONE or len(edges) < 3:
        return None
    if given != AUTO:
        return float(given) if float(given) >= _FEWEST_CELLS * cell else None
    times = _TOGETHER if observed.is_joint else _ALONE
    cells = np.eye(len(edges) - 1)
    free = observed.iterate(cells, _PILOT)
    spread = min(_spread(edges, column) for column in free.T)
    width = float(edges[-1] - edges[0])
    h = min(_OF_SPREAD * spread, _OF_DOMAIN * width, _OF_BIN * narrowest)
    if h < _FEWEST_CELLS * cell:
        return None
    free = observed.iterate(cells, times - _PILOT, free)
    free_likelihood, free_df = observed.score(cells, free, times)
    while h >= _FEWEST_CELLS * cell:
        shapes = bumps(edges, h)
        likelihood, df = observed.score(shapes, observed.iterate(shapes, times), times)
        if 2 * (free_likelihood - likelihood) <= 2 + free_df - df:
            return h
        h /= 2
    return None


def _spread(edges: Numbers, mass: Numbers) -> float:
    """The smaller of the standard deviation and what a normal one has with these quartiles."""
    total = float(mass.sum())
    if total <= 0:
        return math.inf
    share = mass / total
    middles = (edges[:-1] + edges[1:]) / 2
    mean = float(share @ middles)
    deviation = math.sqrt(float(share @ (middles - mean) ** 2))
    below = np.concatenate([[0.0], np.cumsum(share)])
    first, third = np.interp([0.25, 0.75], below, edges)
    return min(deviation, float(third - first) / 1.349)


def expect(observed: Observed, shapes: Numbers, n: float) -> Numbers:
    """The pilot's distribution of the reported cells, one row per kind of the condition.

    2.5 imagined respondents keep a cell that nobody reported from being ruled out.
    """
    x = observed.iterate(shapes, _PILOT)
    fitted = (observed.channel @ shapes @ x).T
    cells = len(observed.channel)
    imagined = _IMAGINED * fitted.sum(axis=1, keepdims=True) / cells
    return np.asarray((n * fitted + imagined) / (n + _IMAGINED))
