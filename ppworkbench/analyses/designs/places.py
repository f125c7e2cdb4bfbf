"""Where the designs of one question stand: privacy as chosen against precision."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from ppworkbench.analyses.designs.design import Z95
from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design import Identity, Perturbation
from ppworkbench.core.design.perturbation import FreeParameter
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.privacy.belief import meant_places
from ppworkbench.core.privacy.report import AttributeReport
from ppworkbench.core.privacy.sets import attack_success, surest_set
from ppworkbench.core.privacy.utility.assess import UtilityReport, assess_utility
from ppworkbench.core.privacy.utility.channel import SetEstimator, ShareChannel
from ppworkbench.core.privacy.utility.goal_seek import Question, measured
from ppworkbench.core.privacy.utility.noncompliance import ignoring_matrix
from ppworkbench.core.progress import Progress, silent

BELIEF, EPSILON, ATTACK = "belief", "epsilon", "attack_success"
SAMPLES, NUMBER_SAMPLES = 161, 33
_QUICK = 30
"""Values up to which a curve takes milliseconds; longer ones are for a job."""
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
        return math.isfinite(self.privacy) and math.isfinite(self.half_width)


@dataclass(frozen=True, eq=False)
class FamilyCurve:
    """A mechanism along its free parameter, from the private to the truthful end."""

    attribute: Attribute
    perturbation: Perturbation
    values: Numbers
    privacy: Numbers
    half_width: Numbers
    bias: Numbers

    @property
    def free(self) -> FreeParameter:
        """The parameter; it is not stored, as its functions cannot be pickled."""
        return free_parameters(self.attribute, self.perturbation)[0]

    def place(self, i: int) -> TradePlace:
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


def free_parameters(attribute: Attribute, perturbation: Perturbation) -> tuple[FreeParameter, ...]:
    """The parameters that the mechanism has now; the first one draws the curve."""
    return tuple(one for one in perturbation.free_parameters(attribute) if one.now is not None)


def place_of(question: Question, perturbation: Perturbation, measure: str) -> TradePlace:
    attribute = question.attribute
    if attribute.kind.is_numeric or attribute.k < 2:
        return _number_place(question, perturbation, measure)
    matrix = perturbation.matrix_for(attribute)
    if matrix is None:
        return _set_place(question, perturbation, measure)
    privacy, half_width, bias = places_of(question, matrix[None, :, :], measure)
    return TradePlace(float(privacy[0]), float(half_width[0]), float(bias[0]))


def question_of(report: AttributeReport) -> Question:
    return Question(
        report.attribute, report.prior, report.utility.n, noncompliance=report.noncompliance
    )


def report_place(report: AttributeReport, measure: str) -> TradePlace:
    if report.attribute.kind.is_categorical and report.attribute.k >= 2:
        return place_of(question_of(report), report.perturbation, measure)
    privacy = report.privacy[measure].value if measure in report.privacy else math.inf
    return TradePlace(privacy, *_mean_precision(report.utility))


def direct_half_width(question: Question) -> float:
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
    return question_key(question), free[0].name, free[0].put(free[0].private), measure


def family_curve(
    question: Question, perturbation: Perturbation, measure: str, progress: Progress = silent
) -> FamilyCurve | None:
    """The curve of a mechanism; None where it has no parameter or no design has a place."""
    attribute = question.attribute
    free = free_parameters(attribute, perturbation)
    if not free:
        return None
    has_matrix = perturbation.matrix_for(attribute) is not None
    values = _values(free[0], SAMPLES if has_matrix else NUMBER_SAMPLES)
    kept, privacy, half_width, bias = [], [], [], []
    if has_matrix:
        stack = np.stack([free[0].put(value).values.matrix(attribute.k) for value in values])
        found = places_of(question, stack, measure)
        kept, privacy, half_width, bias = list(values), *(list(one) for one in found)
    else:
        for i, value in enumerate(values):
            progress(i / len(values))
            try:
                place = place_of(question, free[0].put(value), measure)
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
    if is_epsilon(free[0]):
        first = 0  # Nothing is singular here, however private.
    return FamilyCurve(attribute, perturbation, *(one[first:] for one in shown))


def is_epsilon(free: FreeParameter) -> bool:
    """Whether it bounds the logarithm of odds: no noise that a small value takes away."""
    return free.scale == "log" and not free.whole and free.truthful > free.private


def _values(free: FreeParameter, samples: int) -> list[float]:
    """Values from the private to the truthful end, dense where the curve is steep."""
    private, truthful = free.position(free.private), free.position(free.truthful)
    if is_epsilon(free):
        # Only the private end is far from what is used.
        private += 0.35 * (truthful - private)
    elif free.scale == "log" and not free.whole:
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


def places_of(question: Question, stack: Numbers, measure: str) -> tuple[Numbers, Numbers, Numbers]:
    """Privacy, half-width and the part of it that is bias, of many matrices at a time."""
    attribute, shares = question.attribute, start_shares(question)
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
    # One singular matrix would make numpy refuse all; most curves have one at their private end.
    signs, _ = np.linalg.slogdet(turned)
    is_singular = signs == 0
    solvable = np.where(is_singular[:, None, None], np.eye(len(wanted)), turned)
    weights = np.linalg.solve(solvable, np.broadcast_to(wanted[:, None], (*stack.shape[:2], 1)))
    weights = np.where(is_singular[:, None], math.nan, weights[:, :, 0])
    mean = (weights * reported).sum(axis=1)
    spread = (weights**2 * reported).sum(axis=1) - mean**2
    spread = np.where(spread >= 1e-15, spread, 0.0)
    is_known = np.isfinite(weights).all(axis=1) & (spread < _HOPELESS)
    return np.where(is_known, spread, math.inf), mean


def _set_place(question: Question, perturbation: Perturbation, measure: str) -> TradePlace:
    attribute, shares = question.attribute, start_shares(question)
    naming, places = perturbation.sets.naming(attribute.k), meant_places(attribute, shares)
    if measure == BELIEF:
        privacy = surest_set(naming, shares, places)[1]
    elif measure == EPSILON:
        privacy = perturbation.epsilon_of(attribute)
    else:
        privacy = attack_success(naming, shares)
    variance = SetEstimator.of(naming, attribute.k).variance_of_shares(places, shares)
    return TradePlace(privacy, Z95 * math.sqrt(variance / question.n))


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


def start_shares(question: Question) -> Numbers:
    """The shares that are expected of the answers; all the same where nobody said."""
    k, prior = max(question.attribute.k, 1), question.prior
    return np.full(k, 1 / k) if prior is None else prior.probabilities


@dataclass(frozen=True)
class TradeAxes:
    """The ends of both axes; precision begins at 0."""

    low: float
    high: float
    top: float

    def holds(self, place: TradePlace) -> bool:
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
    attribute, shares = question.attribute, start_shares(question)
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
