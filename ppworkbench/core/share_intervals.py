"""The interval of a share, also of one that is seen through a device.

One rule serves every question about a share. Reports ``x`` of ``n`` with the reported share
``lambda = low + slope * share`` have Blaker's exact interval where few reports lie on one side, or
where Wald's would leave [0, 1]; else an undistorted share has Wilson's and any other one Wald's.
Where reports contribute more than two numbers, as to the share of those who give two answers, the
score interval of :mod:`ppworkbench.core.score_intervals` takes the place of the exact one.

References
----------
E. B. Wilson (1927), "Probable inference", JASA 22; H. Blaker (2000), "Confidence curves and
improved exact confidence intervals for discrete distributions", Canadian Journal of Statistics 28;
E. L. Korn and B. I. Graubard (1998), "Confidence intervals for proportions with small expected
number of positive counts estimated from survey data", Survey Methodology 24; G. Cowan, K. Cranmer,
E. Gross and O. Vitells (2011), "Power-constrained limits", arXiv:1105.3166.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.optimize import nnls
from scipy.special import betainc, betaincinv, ndtr, ndtri

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.sampling_roles import AUTO, LOGIT, WALD, WILSON
from ppworkbench.core.message import Message
from ppworkbench.core.rng import SeededStreams
from ppworkbench.core.score_intervals import Contributions

EXACT, SCORE = "exact", "score"
"""What ``auto`` takes where the others fail; nobody need ask for it."""

FEW_REPORTS = 30
"""With fewer reports on one side than so many, normal intervals are not to be trusted."""

OUT_OF_BOUNDS = "out-of-bounds"
"""The code of the remark on a share that cannot be."""

_ROUNDING = 1e-9
_LEAST_SHARE = 1e-12
_HALVINGS = 55


def outside_remarks(share: float) -> tuple[Message, ...]:
    """How to read a share that is less than nobody's or more than everybody's, by chance.

    >>> print(*outside_remarks(-0.01))
    A share below 0 % arises by chance; treat it as 0.
    """
    if share < 0:
        words = "A share below 0 % arises by chance; treat it as 0."
    elif share > 1:
        words = "A share above 100 % arises by chance; treat it as 100 %."
    else:
        return ()
    return (Message(words, code=OUT_OF_BOUNDS),)


@dataclass(frozen=True)
class Line:
    """The reported share as a function of the true one: ``low + slope * share``.

    ``low`` is the share that reports the answer among those for whom it is not true.
    """

    low: float = 0.0
    slope: float = 1.0

    @property
    def is_plain(self) -> bool:
        return self.low == 0 and self.slope == 1

    def reported(self, share: float) -> float:
        """The reported share, within [0, 1]: a sum of contributions is off by rounding."""
        found = self.low + self.slope * share
        return min(max(found, 0.0), 1.0) if -_ROUNDING < found < 1 + _ROUNDING else found

    def true(self, reported: float) -> float:
        return (reported - self.low) / self.slope


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


def line_of_products(parts: Iterable[Numbers]) -> Line | None:
    """The line of a share whose contributions are products of one number of each part.

    >>> line_of_products([np.array([0.0, 1.0]), np.array([0.0, 1.0])])
    Line(low=0.0, slope=1.0)
    """
    found = np.ones(1)
    for part in parts:
        found = np.unique(np.outer(found, np.unique(part)))
        if len(found) > 1000:
            return None
    return line_between(found) if len(found) > 1 else None


@dataclass(frozen=True)
class ShareInterval:
    """The ends of an interval within [0, 1], and the name of its kind."""

    kind: str
    low: float
    high: float


def share_interval(
    kind: str,
    share: float,
    error: float,
    t: float,
    *,
    line: Line | None = None,
    size: float = math.nan,
    contributions: Contributions | None = None,
) -> ShareInterval:
    """The interval of a share, cut to [0, 1] and never of no width beside an error.

    Parameters
    ----------
    kind
        ``auto``, ``wald``, ``wilson`` or ``logit``.
    t
        How many standard errors it reaches to each side.
    line
        How the reported share depends on the true one; None where more than two contributions
        occur.
    size
        How many independent reports the answers are worth.
    contributions
        What reports vary by where there is no line; None where that is not known.

    Examples
    --------
    >>> found = share_interval("auto", 0.0, 0.0, 1.959964, line=Line(), size=50)
    >>> found.kind, round(found.low, 4), round(found.high, 4)
    ('exact', 0.0, 0.0642)
    """
    chosen = _usual(share, error, t, line, size, contributions) if kind == AUTO else kind
    if not math.isfinite(t):
        # No degree of freedom: nothing is known of the error.
        return ShareInterval(chosen, -math.inf, math.inf)
    if chosen == EXACT and line is not None:
        return ShareInterval(EXACT, *_cut(*_exact(share, line, size, t)))
    if chosen == SCORE and contributions is not None:
        return ShareInterval(SCORE, *_cut(*contributions.interval(share, size, t)))
    if chosen == WILSON and line is not None and 0 <= line.reported(_near(share, error)) <= 1:
        ends = _wilson_by(line.reported(_near(share, error)), line.slope * error, t, size)
        return ShareInterval(WILSON, *_cut(*map(line.true, ends)))
    if chosen == LOGIT and 0 < share < 1:
        return ShareInterval(LOGIT, *logit(share, error, t))
    return ShareInterval(WALD, *_cut(*wald(_near(share, error), error, t)))


def number_interval(
    number: float,
    error: float,
    people: float,
    share: float,
    share_error: float,
    ends: ShareInterval,
) -> tuple[float, float]:
    """The interval of a number of people: that of their share, stretched as far as they vary more.

    Where all people count the same, it is that of the share times their number.
    """
    if not math.isfinite(ends.low):
        return ends.low, ends.high
    ratio = error / (people * share_error) if people * share_error > 0 else 1.0
    if abs(ratio - 1) < _ROUNDING or not math.isfinite(ratio):
        return people * ends.low, people * ends.high
    # A share outside of what is possible keeps its distance from the ends.
    low, high = (number + ratio * people * (end - share) for end in (ends.low, ends.high))
    return max(low, 0.0), max(high, 0.0)


def wald(estimate: float, error: float, t: float) -> tuple[float, float]:
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


@lru_cache(maxsize=10_000)
def blaker(reports: float, n: float, confidence: float) -> tuple[float, float]:
    """Blaker's exact interval of a share of n; effective numbers need not be whole.

    It holds all shares p whose acceptability is at least ``1 - confidence``: the smaller tail of
    the reports plus the largest opposite tail that is no larger. It lies within the interval of
    Clopper and Pearson and still holds the truth as often as it says.

    >>> tuple(round(end, 4) for end in blaker(3, 50, 0.95))
    (0.0166, 0.1638)
    """
    alpha = 1 - confidence
    return _blaker_low(reports, n, alpha), 1 - _blaker_low(n - reports, n, alpha)


def _blaker_low(x: float, n: float, alpha: float) -> float:
    if x <= 0:
        return 0.0
    # With y the last of the opposite tail, acceptability is 1 - P(y < X < x), which falls and then
    # rises with p; it jumps up to 2 P(X >= x) where y moves on. From the limit of Clopper and
    # Pearson on, either brings it to alpha, whichever comes first.
    before = float(betaincinv(x, n - x + 1, alpha / 2))
    y = x - _steps_to_tail(x, n, before, alpha / 2)
    after = max(x / n, before)
    for _ in range(_HALVINGS):
        middle = (before + after) / 2
        above = betainc(x, n - x + 1, middle)
        if above + _at_most(y, n, middle) >= alpha or _at_most(y + 1, n, middle) <= above:
            after = middle
        else:
            before = middle
    return after


def _steps_to_tail(x: float, n: float, p: float, tail: float) -> int:
    """How many steps below x the largest lower tail begins that is no larger than ``tail``."""
    less, enough = 0, math.floor(x) + 1
    while enough - less > 1:
        middle = (less + enough) // 2
        if _at_most(x - middle, n, p) <= tail:
            enough = middle
        else:
            less = middle
    return enough


def _at_most(y: float, n: float, p: float) -> float:
    return 0.0 if y < 0 else float(betainc(n - y, y + 1, 1 - p))


def _usual(
    share: float,
    error: float,
    t: float,
    line: Line | None,
    size: float,
    contributions: Contributions | None,
) -> str:
    if line is None and contributions is not None and size > 0 and math.isfinite(size):
        # Of reports of two kinds so many lie on the rarer side.
        inside = min(max(share, 0.0), 1.0)
        # Where nobody can have it, as nobody gives an open answer, reports do not vary at all.
        is_few = contributions.skewness(inside, size) ** 2 * FEW_REPORTS > 1
        is_few |= contributions.error(inside, size) == 0
        low, high = wald(share, error, t)
        return SCORE if is_few or low < 0 or high > 1 else WALD
    if line is None or not 0 <= line.reported(share) <= 1:
        return WALD
    reported = line.reported(share)
    is_few = _whole(size * min(reported, 1 - reported)) < FEW_REPORTS
    low, high = wald(share, error, t)
    if size > 0 and (is_few or (not line.is_plain and (low < 0 or high > 1))):
        return EXACT
    return WILSON if line.is_plain else WALD


def _exact(share: float, line: Line, size: float, t: float) -> tuple[float, float]:
    """Blaker's interval of the reports, as an interval of the share."""
    if math.isinf(size):
        return share, share
    ends = max(line.low, 0.0), min(line.low + line.slope, 1.0)
    # Fewer reports than the device brings even if nobody has the answer say no more than those one
    # standard deviation below: they would promise a share of 0 where they are only unlikely.
    reach = [math.sqrt(size * end * (1 - end)) for end in ends]
    reports = size * line.reported(share)
    reports = min(max(reports, size * ends[0] - reach[0], 0.0), size * ends[1] + reach[1], size)
    low, high = blaker(_whole(reports), size, 1 - 2 * float(ndtr(-t)))
    return line.true(low), line.true(high)


def _wilson_by(share: float, error: float, t: float, size: float) -> tuple[float, float]:
    """Wilson's interval with the number of answers that gives the error."""
    inside = share * (1 - share)
    if inside <= 1e-15:
        return wilson(share, size, t)
    return wilson(share, inside / error**2 if error > 0 else math.inf, t)


def _near(share: float, error: float) -> float:
    """The share, not further than its error outside of what is possible."""
    return min(max(share, -error), 1 + error)


def _cut(low: float, high: float) -> tuple[float, float]:
    return _possible(low), _possible(high)


def _possible(share: float) -> float:
    """The nearest share that can be; what is 0 or 1 but for rounding is so."""
    if share < _LEAST_SHARE:
        return 0.0
    return 1.0 if share > 1 - _LEAST_SHARE else share


def _whole(number: float) -> float:
    """A number of reports, which is whole but for rounding where all count the same."""
    nearest = round(number) if math.isfinite(number) else number
    return float(nearest) if abs(number - nearest) < 1e-6 else number


def _bounded(exponent: float) -> float:
    return min(max(exponent, -700.0), 700.0)


FITS, CHANCE, RARE, NOT_CHANCE = "fits", "chance", "rare", "not chance"
MISFIT = "misfit"
"""The code of remarks about answers that may not fit."""

_RARELY, _NEVER = 1.64, 3.0
_TABLES = 999


@dataclass(frozen=True)
class Fit:
    """How far an estimate lies outside what is possible.

    ``distance`` counts standard errors at the edge; 0 for an estimate that is possible.
    """

    distance: float = 0.0
    p: float | None = None
    verdict: str = FITS

    def to_json(self) -> dict[str, Any]:
        return {"distance": self.distance, "p": self.p, "verdict": self.verdict}

    def widened(self, share: float, error: float) -> Fit:
        if self.verdict == FITS or not self.distance > 0:
            return self
        outside = max(-share, share - 1)
        return edge_fit(share, math.hypot(outside / self.distance, error))

    def remarks(self, *, below: bool = True) -> tuple[Message, ...]:
        """The verdict in words; nothing where the answers fit."""
        if self.verdict == FITS:
            return ()
        if self.verdict == NOT_CHANCE:
            return (
                Message(
                    "Not chance: these answers do not fit the device. Look for swapped labels, "
                    "other probabilities than the design's, or people who did not follow it.",
                    code=MISFIT,
                ),
            )
        if self.verdict == RARE and below:
            words = Message(
                "The share is below zero, which is rarely chance (p = {p:.2g}).",
                code=MISFIT,
                p=self.p,
            )
        elif self.verdict == RARE:
            words = Message(
                "The share is above 1, which is rarely chance (p = {p:.2g}).", code=MISFIT, p=self.p
            )
        else:
            return outside_remarks(-1.0 if below else 2.0)
        return (words,)


def verdict_of(distance: float) -> str:
    """The verdict on an estimate so many standard errors outside."""
    if distance <= 0:
        return FITS
    if distance < _RARELY:
        return CHANCE
    return RARE if distance <= _NEVER else NOT_CHANCE


def edge_fit(share: float, edge_error: float) -> Fit:
    """Compare a share with the nearer of 0 and 1.

    Parameters
    ----------
    edge_error
        The standard error that the share would have if the truth were at the edge.

    Examples
    --------
    >>> error = math.sqrt(1 / 6 * 5 / 6 / 1000) / (2 / 3)
    >>> found = edge_fit(-0.025, error)
    >>> round(found.distance, 6), round(found.p or 0, 6), found.verdict
    (1.414214, 0.07865, 'chance')
    """
    outside = max(-share, share - 1, 0.0)
    if outside <= 1e-12:
        return Fit()
    distance = outside / edge_error if edge_error > 0 else math.inf
    return Fit(float(distance), float(ndtr(-distance)), verdict_of(distance))


def edge_error(
    look_up: Numbers, channel: Numbers, edge: Numbers, n: float, effect: float = 1.0
) -> float:
    """The standard error of the mean contribution when true answers have the shares of an edge."""
    reported = channel @ edge
    mean = reported @ look_up
    variance = max(float(reported @ (look_up - mean) ** 2), 0.0)
    return math.sqrt(variance / n * max(effect, 0.0)) if n > 0 else math.inf


def nearest_edge(raw: Numbers, inside: Numbers, share: float) -> Numbers:
    """True shares at the edge: none of the values that count (or only those), else as estimated."""
    kept = np.where((inside > 0) == (share > 1), np.maximum(raw, 0.0), 0.0)
    if kept.sum() <= 0:
        kept = np.where((inside > 0) == (share > 1), 1.0, 0.0)
    total = kept.sum()
    return np.asarray(kept / total) if total > 0 else np.full(len(raw), 1 / len(raw))


def worst_remarks(shares: Sequence[float], fits: Sequence[Fit]) -> tuple[Message, ...]:
    """What is told of the share that lies farthest outside; of two as far, of the one below 0."""
    worst = max(range(len(fits)), key=lambda v: (round(fits[v].distance, 9), shares[v] < 0))
    return fits[worst].remarks(below=bool(shares[worst] < 0))


def channel_remarks(raw: Numbers, channel: Numbers, n: float) -> tuple[Message, ...]:
    """The same of the shares of all values behind one device."""
    inverse = np.linalg.inv(channel)

    def fit(v: int, share: float) -> Fit:
        edge = nearest_edge(raw, np.arange(len(raw)) == v, share)
        return edge_fit(share, edge_error(inverse[v], channel, edge, n))

    fits = [Fit() if 0 <= share <= 1 else fit(v, share) for v, share in enumerate(raw.tolist())]
    return worst_remarks(raw.tolist(), fits)


def simplex_fit(
    reported: Numbers, channel: Numbers, n: float, effect: float = 1.0, seed: int = 0
) -> Fit:
    """Whether all shares at once can have come from possible true ones.

    The quadratic distance ``n (q - P x)' diag(1 / q) (q - P x)`` at its smallest over the simplex;
    its p value from tables drawn at the nearest point.
    """
    size = max(n / max(effect, 1e-12), 1.0)
    distance, nearest = _simplex_distance(reported, channel, size)
    if distance <= 1e-9:
        return Fit()
    random = SeededStreams(seed).generator("sampling", "fit")
    expected = channel @ nearest
    tables = random.multinomial(round(size), expected / expected.sum(), _TABLES) / round(size)
    further = sum(_simplex_distance(table, channel, size)[0] >= distance for table in tables)
    p = (1 + further) / (1 + _TABLES)
    z = float(-ndtri(max(p, 1e-300)))
    verdict = CHANCE if z < _RARELY else RARE if z <= _NEVER else NOT_CHANCE
    return Fit(float(math.sqrt(distance)), float(p), verdict)


def _simplex_distance(reported: Numbers, channel: Numbers, n: float) -> tuple[float, Numbers]:
    scale = 1 / np.sqrt(np.maximum(reported, 0.5 / n))
    # Where shares x sum to 1, P x - q is (P - q 1') x. Without that condition, a row of ones that
    # shall give 1 only scales the answer: with x = t u, t^2 d^2 + (1 - t)^2 is least at the u that
    # has the least distance d.
    matrix = np.vstack([(channel - reported[:, None]) * scale[:, None], np.ones(channel.shape[1])])
    found, _ = nnls(matrix, np.append(np.zeros(len(reported)), 1.0))
    found = found / found.sum()
    apart = (reported - channel @ found) * scale
    return n * float(apart @ apart), found
