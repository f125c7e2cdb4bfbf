"""The trade-off of one question: privacy as chosen against the precision of its estimate.

Privacy is the belief in the sensitive answers, epsilon or attack success. Precision is half of the
95 % interval: of the share of the sensitive answers, or of the mean of a number. A mechanism draws
a curve while its first free parameter goes from the private end to the truthful one.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Binary, Custom, Forced, Identity, Ordinal, Perturbation, Uniform
from ppworkbench.core.design.perturbation import FreeParameter
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.privacy.belief import meant_places
from ppworkbench.core.privacy.optimiser import ShareCost, frontier
from ppworkbench.core.privacy.report import AttributeReport
from ppworkbench.core.privacy.utility.assess import UtilityReport, assess_utility
from ppworkbench.core.privacy.utility.channel import ShareChannel
from ppworkbench.core.privacy.utility.goal_seek import Question, measured
from ppworkbench.core.privacy.utility.noncompliance import ignoring_matrix
from ppworkbench.core.progress import Progress, silent
from ppworkbench.study.analyses.design import Z95

BELIEF, EPSILON, ATTACK = "belief", "epsilon", "attack_success"
_SAMPLES, _NUMBER_SAMPLES = 161, 33
_QUICK = 30
"""Values up to which a curve takes milliseconds; longer ones are for a job."""
_FRONTIER_POINTS = {2: 16}
_LEAST_FRONTIER = 6
_STEEP = 40.0
"""How many times as wide as at the truthful end an interval of a curve gets."""
_HOPELESS = 1e8
"""A variance that only a singular matrix has, up to rounding."""


def privacy_measures(attribute: Attribute) -> tuple[str, ...]:
    """The measures that can be the axis of privacy; belief needs answers to believe in."""
    numeric = attribute.kind.is_numeric or attribute.k < 2
    # Most noise has no finite epsilon.
    return (ATTACK, EPSILON) if numeric else (BELIEF, EPSILON, ATTACK)


@dataclass(frozen=True)
class TradePlace:
    """Where a design stands; either number is infinite where there is no bound or no estimate.

    Where non-compliance makes the estimate biased, its root mean square error takes the place of
    the standard error in the half-width.
    """

    privacy: float
    half_width: float
    bias: float = 0.0
    """Part of the half-width that no number of respondents mends."""

    @property
    def is_finite(self) -> bool:
        """Whether it has a place between finite axes."""
        return math.isfinite(self.privacy) and math.isfinite(self.half_width)


@dataclass(frozen=True, eq=False)
class FamilyCurve:
    """A mechanism along its free parameter, from the private to the truthful end."""

    free: FreeParameter
    values: Numbers
    privacy: Numbers
    half_width: Numbers
    bias: Numbers

    def place(self, i: int) -> TradePlace:
        """Where one of its designs stands."""
        return TradePlace(float(self.privacy[i]), float(self.half_width[i]), float(self.bias[i]))

    def put(self, value: float) -> Perturbation:
        """The mechanism with the parameter set, kept within its range."""
        return self.free.put(self.free.value(self.free.position(value)))

    def stepped(self, now: float, steps: float) -> float:
        """The value so many hundredths further towards the truth: whole numbers go one by one."""
        free = self.free
        toward = 1.0 if free.truthful > free.private else -1.0
        if free.whole:
            whole = max(1, round(abs(steps))) * math.copysign(1.0, steps)
            return free.value(free.position(now + toward * whole))
        if free.scale == "linear":
            return free.value(round(now + toward * 0.01 * steps, 6))
        ends = free.position(float(self.values[0])), free.position(float(self.values[-1]))
        place = free.position(now) + 0.01 * steps * (ends[1] - ends[0])
        return free.value(min(max(place, min(ends)), max(ends)))


@dataclass(frozen=True)
class FrontierDesign:
    """One design of the frontier: no known one of its privacy is more precise."""

    place: TradePlace
    perturbation: Perturbation
    certain: str = ""
    """A report that leaves no doubt about the true answer; empty if there is none."""


def free_parameters(attribute: Attribute, perturbation: Perturbation) -> tuple[FreeParameter, ...]:
    """The parameters that the mechanism has now; the first one draws the curve."""
    return tuple(one for one in perturbation.free_parameters(attribute) if one.now is not None)


def place_of(question: Question, perturbation: Perturbation, measure: str) -> TradePlace:
    """Where a design stands."""
    attribute = question.attribute
    if attribute.kind.is_categorical and attribute.k >= 2:
        stack = perturbation.matrix(attribute.k)[None, :, :]
        privacy, half_width, bias = _places(question, stack, measure)
        return TradePlace(float(privacy[0]), float(half_width[0]), float(bias[0]))
    return _number_place(question, perturbation, measure)


def report_place(report: AttributeReport, measure: str) -> TradePlace:
    """Where a design stands that has been assessed already."""
    if report.attribute.kind.is_categorical and report.attribute.k >= 2:
        question = Question(
            report.attribute, report.prior, report.utility.n, noncompliance=report.noncompliance
        )
        return place_of(question, report.perturbation, measure)
    privacy = report.privacy[measure].value if measure in report.privacy else math.inf
    return TradePlace(privacy, *_mean_precision(report.utility))


def direct_half_width(question: Question) -> float:
    """Half of the interval if people were asked directly."""
    plain = replace(question, noncompliance=None)
    return place_of(plain, Identity(), ATTACK).half_width


def is_quick(attribute: Attribute) -> bool:
    """Whether the curve can be worked out while somebody drags."""
    return attribute.kind.is_categorical and attribute.k <= _QUICK


def question_key(question: Question) -> object:
    """What a question is known by; priors are arrays, which cannot be compared as a whole."""
    prior = question.prior
    expected = b"" if prior is None else prior.probabilities.tobytes()
    return question.attribute, expected, question.n, question.noncompliance


def curve_key(question: Question, perturbation: Perturbation, measure: str) -> object:
    """What a curve depends on; the value of its parameter is no part of it. None: no curve."""
    free = free_parameters(question.attribute, perturbation)
    if not free:
        return None
    return question_key(question), free[0].name, free[0].put(free[0].truthful), measure


def family_curve(
    question: Question, perturbation: Perturbation, measure: str, progress: Progress = silent
) -> FamilyCurve | None:
    """The curve of a mechanism; None where it has no parameter or no design has a place."""
    attribute = question.attribute
    free = free_parameters(attribute, perturbation)
    if not free:
        return None
    values = _values(free[0], _SAMPLES if attribute.kind.is_categorical else _NUMBER_SAMPLES)
    kept, privacy, half_width, bias = [], [], [], []
    if attribute.kind.is_categorical:
        stack = np.stack([free[0].put(value).matrix(attribute.k) for value in values])
        found = _places(question, stack, measure)
        kept, privacy, half_width, bias = list(values), *(list(one) for one in found)
    else:
        for i, value in enumerate(values):
            progress(i / len(values))
            try:
                place = _number_place(question, free[0].put(value), measure)
            except WorkbenchError:
                continue  # For example a width that the domain refuses.
            kept.append(value)
            privacy.append(place.privacy)
            half_width.append(place.half_width)
            bias.append(place.bias)
    x, y = np.array(privacy), np.array(half_width)
    good = np.isfinite(x) & np.isfinite(y)
    if good.sum() < 2:
        return None
    shown = np.array(kept)[good], x[good], y[good], np.array(bias)[good]
    # Beyond a singular design the same places come once more, with reports turned round.
    hopeless = np.flatnonzero(shown[2] > _STEEP * shown[2][-1])
    first = int(hopeless[-1]) if len(hopeless) and hopeless[-1] < len(shown[2]) - 1 else 0
    return FamilyCurve(free[0], *(one[first:] for one in shown))


def _values(free: FreeParameter, samples: int) -> list[float]:
    """Values from the private to the truthful end, dense where the curve is steep."""
    private, truthful = free.position(free.private), free.position(free.truthful)
    if free.scale == "log" and not free.whole:
        # The whole range is for solvers; nobody adds noise of a thousand times the domain.
        span = private - truthful
        truthful += span * 0.4
        private -= span * 0.35 if span > math.log(1e8) else 0.0
    even = np.linspace(0.0, 1.0, samples)
    values = [free.value(private + (truthful - private) * step) for step in even.tolist()]
    if free.now is not None and not free.whole:
        values.append(free.now)
    ordered = sorted(dict.fromkeys(values), key=free.position)
    return ordered if truthful > private else ordered[::-1]


def _places(question: Question, stack: Numbers, measure: str) -> tuple[Numbers, Numbers, Numbers]:
    """Privacy, half-width and the part of it that is bias, of many matrices at a time."""
    attribute, shares = question.attribute, _shares(question)
    places = meant_places(attribute, shares)
    answering, ignoring = stack, question.noncompliance
    if ignoring is not None:
        channel = ShareChannel(attribute.values, shares, stack[0])
        other = ignoring_matrix(attribute, channel, ignoring)
        answering = (1 - ignoring.share) * stack + ignoring.share * other
    joint = answering * shares
    reported = joint.sum(axis=2)
    if measure == BELIEF:
        meant = joint[:, :, places].sum(axis=2)
        belief = np.divide(meant, reported, out=np.zeros_like(meant), where=reported > 0)
        privacy = np.minimum(belief.max(axis=1), 1.0)
    elif measure == EPSILON:
        privacy = _epsilons(answering)
    else:
        privacy = joint.max(axis=2).sum(axis=1)
    is_biased = ignoring is not None and not ignoring.corrected
    variances, estimated = _estimates(stack if is_biased else answering, places, reported)
    bias = np.zeros(len(stack))
    if is_biased:
        bias = np.where(np.isfinite(variances), estimated - shares[places].sum(), 0.0)
    return privacy, Z95 * np.sqrt(variances / question.n + bias**2), Z95 * np.abs(bias)


def _epsilons(stack: Numbers) -> Numbers:
    highest, lowest = stack.max(axis=2), stack.min(axis=2)
    ratio = np.full_like(highest, math.inf)
    np.divide(highest, lowest, out=ratio, where=lowest > 0)
    ratio[highest <= 0] = 1.0  # A report that nobody gives tells nothing.
    return np.asarray(np.log(ratio).max(axis=1))


def _estimates(stack: Numbers, places: list[int], reported: Numbers) -> tuple[Numbers, Numbers]:
    """Variance and mean of the estimated share of the sensitive answers, for many matrices.

    ``a' (diag(z) - z z') a`` and ``a' z`` with ``P' a`` = 1 at these answers, 0 elsewhere.
    """
    wanted = np.zeros(stack.shape[1])
    wanted[places] = 1.0
    turned = np.swapaxes(stack, 1, 2)
    try:
        weights = np.linalg.solve(turned, np.broadcast_to(wanted[:, None], (*stack.shape[:2], 1)))
        weights = weights[:, :, 0]
    except np.linalg.LinAlgError:
        weights = np.stack([_solved(one, wanted) for one in turned])
    mean = (weights * reported).sum(axis=1)
    spread = (weights**2 * reported).sum(axis=1) - mean**2
    spread = np.where(spread >= 1e-15, spread, 0.0)
    is_known = np.isfinite(weights).all(axis=1) & (spread < _HOPELESS)
    return np.where(is_known, spread, math.inf), mean


def _solved(matrix: Numbers, wanted: Numbers) -> Numbers:
    try:
        return np.asarray(np.linalg.solve(matrix, wanted))
    except np.linalg.LinAlgError:
        return np.full(len(wanted), math.nan)


def _number_place(question: Question, perturbation: Perturbation, measure: str) -> TradePlace:
    attribute = question.attribute
    report = assess_utility(
        attribute, perturbation, question.prior, question.n, noncompliance=question.noncompliance
    )
    precision = _mean_precision(report)
    if perturbation.is_identity and measure == EPSILON:
        return TradePlace(math.inf, *precision)
    try:
        privacy = measured(measure, question, perturbation)
    except WorkbenchError:
        privacy = math.inf
    return TradePlace(privacy, *precision)


def _mean_precision(report: UtilityReport) -> tuple[float, float]:
    """Half-width of the mean of a number, and the part of it that is bias.

    The share of an only answer is known without asking.
    """
    error, bias = report.mean_standard_error or 0.0, abs(report.mean_bias)
    return Z95 * math.hypot(error, bias), Z95 * bias


# The frontier


MOST_VALUES = 12
"""With more values than this the search takes minutes."""
_BETWEEN = 12
"""Mixtures of two neighbouring designs of the search that are tried as well."""


def best_family(attribute: Attribute) -> str:
    """The largest family of matrices in which a search is worth its time."""
    if attribute.k == 2:
        return "any"
    return "ordinal" if attribute.kind is Kind.ORDINAL else "symmetric"


def has_frontier(attribute: Attribute) -> bool:
    """Whether better matrices are searched for."""
    return attribute.kind.is_categorical and 2 <= attribute.k <= MOST_VALUES


def search_frontier(
    question: Question, measure: str, progress: Progress = silent
) -> tuple[FrontierDesign, ...]:
    """The most precise designs at their privacy; takes seconds, so call it in a job.

    Precise is the half-width of the axis, that of the sensitive answers' share. The search does not
    sacrifice other answers for it: it takes no matrix that loses more information than the uniform
    one of its level. Simple mechanisms are candidates, too: a few levels leave gaps.
    """
    attribute = question.attribute
    points = _FRONTIER_POINTS.get(attribute.k, _LEAST_FRONTIER)
    found = frontier(
        attribute, question.prior, question.n, measure, best_family(attribute), points, progress,
        cost=_share_cost(question),
    )  # fmt: skip
    searched = [_upright(point.perturbation, attribute.k) for point in found.points]
    mixed = [
        _mixed(attribute, one, other, step / _BETWEEN)
        for one, other in pairwise(searched)
        for step in range(1, _BETWEEN)
    ]
    return _best_of(question, measure, [*searched, *mixed, *_simple_designs(question)])


def with_curve(
    designs: tuple[FrontierDesign, ...], question: Question, curve: FamilyCurve | None
) -> tuple[FrontierDesign, ...]:
    """A frontier with those designs of a curve that are better: no curve goes below it."""
    if curve is None or not designs:
        return designs
    k = question.attribute.k
    known = np.array([[one.place.privacy, one.place.half_width] for one in designs])
    drawn = np.interp(curve.privacy, known[:, 0], known[:, 1], left=math.inf)
    better = []
    for i in np.flatnonzero(curve.half_width < drawn * (1 - 1e-9)).tolist():
        perturbation = curve.put(float(curve.values[i]))
        place = curve.place(i)
        certain = _certain(question.attribute, perturbation.matrix(k))
        better.append(FrontierDesign(place, perturbation, certain))
    return _never_rising([*designs, *better]) if better else designs


def frontier_at(designs: tuple[FrontierDesign, ...], privacy: float) -> float | None:
    """The half-width of a frontier at a level of privacy; None outside of its ends."""
    after = bisect_left(designs, privacy - 1e-9, key=lambda one: one.place.privacy)
    if not designs or privacy < designs[0].place.privacy - 1e-9 or after >= len(designs):
        return None
    low, high = designs[max(after - 1, 0)].place, designs[after].place
    if high.privacy <= low.privacy:
        return high.half_width
    share = min((privacy - low.privacy) / (high.privacy - low.privacy), 1.0)
    return low.half_width + share * (high.half_width - low.half_width)


def _share_cost(question: Question) -> ShareCost:
    attribute, shares = question.attribute, _shares(question)
    ignored = None
    if question.noncompliance is not None:
        nothing = ShareChannel(attribute.values, shares, np.zeros((attribute.k, attribute.k)))
        other = ignoring_matrix(attribute, nothing, question.noncompliance)
        ignored = question.noncompliance.share * (other @ shares)
    return ShareCost(shares, meant_places(attribute, shares), question.n, ignored)


def _mixed(
    attribute: Attribute, one: Perturbation, other: Perturbation, share: float
) -> Perturbation:
    """The mechanism that takes one of two by chance."""
    matrix = (1 - share) * one.matrix(attribute.k) + share * other.matrix(attribute.k)
    if attribute.k == 2:
        return Binary(keep_one=float(matrix[1, 1]), keep_zero=float(matrix[0, 0]))
    return Custom.of(matrix)


def _simple_designs(question: Question) -> list[Perturbation]:
    """Mechanisms of few parameters that are hard to beat where those who do not answer all say one
    of the sensitive answers, or another one.
    """
    attribute, shares = question.attribute, _shares(question)
    k, places = attribute.k, meant_places(attribute, shares)
    steps = np.linspace(0.0, 1.0, _SAMPLES)[1:].tolist()
    made: list[Perturbation] = [Uniform(keep=1 / k + (1 - 1 / k) * step) for step in steps]
    said = [places, *([place] for place in range(k) if [place] != places)]
    for some in said:
        forced = tuple(1 / len(some) if place in some else 0.0 for place in range(k))
        made += [Forced(p_truth=step, forced=forced) for step in steps]
    if k == 2:
        keeps = np.linspace(0.0, 1.0, 41).tolist()
        pairs = ((one, zero) for one in keeps for zero in keeps if one + zero > 1)
        made += [Binary(keep_one=one, keep_zero=zero) for one, zero in pairs]
    elif attribute.kind is Kind.ORDINAL:
        keeps = np.linspace(0.34, 1.0, _SAMPLES // 2).tolist()
        ends = ((keep, loop) for keep in keeps for loop in (True, False))
        made += [Ordinal(weights=(keep, (1 - keep) / 2), loop=loop) for keep, loop in ends]
    return made


def _best_of(
    question: Question, measure: str, candidates: list[Perturbation]
) -> tuple[FrontierDesign, ...]:
    attribute = question.attribute
    stack = np.stack([one.matrix(attribute.k) for one in candidates])
    found = (column.tolist() for column in _places(question, stack, measure))
    places = [TradePlace(*numbers) for numbers in zip(*found, strict=True)]
    return _never_rising(
        [
            FrontierDesign(place, one, _certain(attribute, matrix))
            for one, matrix, place in zip(candidates, stack, places, strict=True)
            if place.is_finite
        ]
    )


def _never_rising(designs: list[FrontierDesign]) -> tuple[FrontierDesign, ...]:
    """Only designs that no other one beats in privacy and precision."""
    # Where a report never changes the best guess, many designs differ by rounding only.
    ordered = sorted(designs, key=lambda one: (round(one.place.privacy, 9), one.place.half_width))
    best: list[FrontierDesign] = []
    for design in ordered:
        if not best or design.place.half_width < best[-1].place.half_width * (1 - 1e-9):
            best.append(design)
    return _smooth(best)


_NEAR = 0.02
"""Part of the axis within which a bump of a frontier comes from too few candidates."""


def _smooth(designs: list[FrontierDesign]) -> tuple[FrontierDesign, ...]:
    """Leave out designs that lie above the line between two near neighbours."""
    if not designs:
        return ()
    near = _NEAR * (designs[-1].place.privacy - designs[0].place.privacy)
    kept: list[FrontierDesign] = []
    for design in designs:
        while len(kept) > 1 and _is_bump(kept[-2].place, kept[-1].place, design.place, near):
            kept.pop()
        kept.append(design)
    return tuple(kept)


def _is_bump(before: TradePlace, place: TradePlace, after: TradePlace, near: float) -> bool:
    span = after.privacy - before.privacy
    if span <= 0 or span > near:
        return False
    share = (place.privacy - before.privacy) / span
    return place.half_width > before.half_width + share * (after.half_width - before.half_width)


def _shares(question: Question) -> Numbers:
    k, prior = question.attribute.k, question.prior
    return np.full(k, 1 / k) if prior is None else prior.probabilities


def _upright(perturbation: Perturbation, k: int) -> Perturbation:
    """The same design with reports that mean what they say: two reports may be exchanged."""
    if k != 2:
        return perturbation
    matrix = perturbation.matrix(2)
    if float(np.trace(matrix)) >= 1:
        return perturbation
    return Binary(keep_one=float(matrix[0, 1]), keep_zero=float(matrix[1, 0]))


def _certain(attribute: Attribute, matrix: Numbers) -> str:
    alone = ((matrix > 1e-9).sum(axis=1) == 1) & (matrix.max(axis=1) > 1e-9)
    places = np.flatnonzero(alone)
    return attribute.values[int(places[0])] if len(places) else ""


# Goals

_SHOWN = 5e-4
"""A difference of privacy that nobody sees."""


@dataclass(frozen=True)
class Goal:
    """What a question shall meet: a limit of every measure of privacy, and a precision.

    ``points`` are percentage points of a share, or percent of the range of a number.
    """

    belief: float = 0.6
    epsilon: float = 2.0
    attack_success: float = 0.8
    points: float = 3.0

    @classmethod
    def from_json(cls, kept: object) -> Goal:
        """The goals as a study keeps them, whatever a file may hold."""
        given = kept if isinstance(kept, Mapping) else {}
        plain = cls()
        found = {
            name: float(value)
            for name in (BELIEF, EPSILON, ATTACK, "points")
            if isinstance(value := given.get(name), int | float)
            and math.isfinite(value)
            and value > 0
        }
        return replace(plain, **found)

    def to_json(self) -> dict[str, float]:
        """The goals as plain values."""
        return {
            BELIEF: self.belief,
            EPSILON: self.epsilon,
            ATTACK: self.attack_success,
            "points": self.points,
        }

    def limit(self, measure: str) -> float:
        """The most that a measure of privacy may be."""
        return float(getattr(self, measure))

    def half_width(self, attribute: Attribute) -> float:
        """The widest half of an interval, in the unit of the estimate."""
        return self.points / 100 * (attribute.width if attribute.kind.is_numeric else 1.0)

    def is_met(self, place: TradePlace, measure: str, attribute: Attribute) -> bool:
        """Whether a design is private and precise enough, up to what is shown of it."""
        is_private = place.privacy <= self.limit(measure) + _SHOWN
        return is_private and place.half_width <= self.half_width(attribute) * 1.0005


def needed_respondents(question: Question, place: TradePlace, goal: Goal) -> float:
    """How many respondents bring the half-width of a design down to the goal.

    Infinite where the bias alone is as wide as the goal: more people do not mend it.
    """
    wanted = goal.half_width(question.attribute)
    if not math.isfinite(place.half_width) or wanted <= place.bias:
        return math.inf
    chance = place.half_width**2 - place.bias**2
    return max(1, math.ceil(question.n * chance / (wanted**2 - place.bias**2) - 1e-9))


@dataclass(frozen=True)
class Repair:
    """What meets a missed goal; else the design that comes closest to it, if any is private enough.

    ``value`` is that of the parameter along the curve; None where another mechanism is taken.
    """

    perturbation: Perturbation | None = None
    value: float | None = None
    closest: TradePlace | None = None
    needed: float = math.inf
    """Respondents with which the closest design would meet the goal."""


def find_repair(
    question: Question,
    measure: str,
    goal: Goal,
    curve: FamilyCurve | None,
    designs: tuple[FrontierDesign, ...],
    now: float | None,
) -> Repair:
    """The nearest design of the curve that meets the goal, else one of the frontier.

    ``now`` is the value of the curve's parameter that the design has.
    """
    attribute = question.attribute
    value = None if curve is None else _meeting_value(question, measure, goal, curve, now)
    if curve is not None and value is not None:
        return Repair(curve.put(value), value)
    good = [one for one in designs if goal.is_met(one.place, measure, attribute)]
    if good:
        # In the middle of those that do, where neither goal is met by a hair only.
        return Repair(good[len(good) // 2].perturbation)
    places = [one.place for one in designs]
    if curve is not None:
        places += [curve.place(i) for i in range(len(curve.values))]
    private = [one for one in places if one.privacy <= goal.limit(measure) + _SHOWN]
    if not private:
        return Repair()
    closest = min(private, key=lambda one: one.half_width)
    return Repair(closest=closest, needed=needed_respondents(question, closest, goal))


def _meeting_value(
    question: Question, measure: str, goal: Goal, curve: FamilyCurve, now: float | None
) -> float | None:
    """A round value of the parameter that meets the goal, as near as possible to that of now."""
    wanted = goal.half_width(question.attribute) * 1.0005
    is_good = (curve.privacy <= goal.limit(measure) + _SHOWN) & (curve.half_width <= wanted)
    good = np.flatnonzero(is_good)
    if not len(good):
        return None
    free, values = curve.free, curve.values
    start = float(values[good[0]]) if now is None else now
    there = free.position(start)
    place = min(good.tolist(), key=lambda i: abs(free.position(float(values[i])) - there))
    value = float(values[place])
    if free.whole or free.scale != "linear":
        return value
    # Between the samples a rounder value may do, as 0.53 between 0.527 and 0.533.
    around = values[max(place - 1, 0) : place + 2]
    for digits in (2, 3):
        step = 10.0**-digits
        first, last = math.floor(around.min() / step), math.ceil(around.max() / step)
        round_values = [round(i * step, digits) for i in range(first, last + 1)]
        for one in sorted(round_values, key=lambda one: abs(one - start)):
            tried = place_of(question, curve.put(one), measure)
            if goal.is_met(tried, measure, question.attribute):
                return one
    return value


MET, MISSED, PLAIN = "met", "missed", "plain"


@dataclass(frozen=True)
class Light:
    """Whether a question meets its goals; ``needed`` respondents if only precision is missing.

    ``privacy`` is set where that is missing: the value of the measure above its limit.
    """

    state: str
    needed: float = 0.0
    privacy: float | None = None
    measure: str = BELIEF
    is_biased: bool = False
    """Whether non-compliance is why no number of respondents is enough."""


def light_of(report: AttributeReport, goal: Goal) -> Light:
    """The light of a question: its main measure of privacy and its precision."""
    if report.perturbation.is_identity:
        return Light(PLAIN)
    attribute = report.attribute
    measure = privacy_measures(attribute)[0]
    place = report_place(report, measure)
    if goal.is_met(place, measure, attribute):
        return Light(MET, measure=measure)
    if place.privacy > goal.limit(measure) + _SHOWN:
        return Light(MISSED, privacy=place.privacy, measure=measure)
    question = Question(attribute, report.prior, report.utility.n)
    needed = needed_respondents(question, place, goal)
    is_biased = math.isinf(needed) and place.is_finite
    return Light(MISSED, needed, measure=measure, is_biased=is_biased)


# Axes


@dataclass(frozen=True)
class TradeAxes:
    """The ends of both axes; precision begins at 0."""

    low: float
    high: float
    top: float

    def holds(self, place: TradePlace) -> bool:
        """Whether a place is inside."""
        return self.low <= place.privacy <= self.high and place.half_width <= self.top


def choose_axes(
    question: Question, measure: str, places: tuple[TradePlace, ...], wanted: float
) -> TradeAxes:
    """Round ends that hold these places; ``wanted`` is the half-width of the goal."""
    finite = [place for place in places if math.isfinite(place.privacy)]
    if measure == EPSILON:
        low = 0.0
        high = float(math.ceil(max([4.0, *(1.15 * place.privacy for place in finite)])))
    else:
        low, high = math.floor(10 * _blind(question, measure) + 1e-9) / 10, 1.0
        # One answer that everybody gives is certain before any report.
        low = min([low, 0.9, *(math.floor(10 * place.privacy + 1e-9) / 10 for place in finite)])
    direct = direct_half_width(question)
    heights = [1.12 * place.half_width for place in places if math.isfinite(place.half_width)]
    top = max([4.0 * direct, min(1.3 * wanted, 6 * direct), *heights, 1e-9])
    return TradeAxes(low, high, _round_up(top))


def _blind(question: Question, measure: str) -> float:
    """Privacy where a report tells nothing."""
    prior, attribute = question.prior, question.attribute
    k = max(attribute.k, 1)
    shares = np.full(k, 1 / k) if prior is None else prior.probabilities
    if measure == BELIEF:
        return float(shares[meant_places(attribute, shares)].sum())
    return float(shares.max())


def _round_up(value: float) -> float:
    """The next number of the form 1, 1.2, 1.6, 2, 3, 4, 5, 6, 8 times a power of ten.

    >>> [_round_up(value) for value in (0.072, 0.011, 7.9)]
    [0.08, 0.012, 8.0]
    """
    power = 10.0 ** math.floor(math.log10(value))
    steps = (1, 1.2, 1.6, 2, 2.4, 3, 4, 5, 6, 8, 10)
    return next(round(s * power, 12) for s in steps if s * power >= value * 0.9999)
