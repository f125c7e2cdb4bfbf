"""The privacy budget of a questionnaire: what each question spends, and one total shared out."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design import Design, DesignedAttribute, Perturbation
from ppworkbench.core.design.arms import Arms
from ppworkbench.core.design.budget import DesignBudget
from ppworkbench.core.design.perturbation import EPSILON, FreeParameter
from ppworkbench.core.errors import DesignError, WorkbenchError
from ppworkbench.core.message import Message
from ppworkbench.core.planning.composition import (
    AskedParts,
    Shuffled,
    Split,
    Waves,
    check_delta,
    composed,
    shuffled,
    splits,
)
from ppworkbench.core.planning.sharing import (
    BudgetSettings,
    Curve,
    MeasuredCurve,
    Need,
    ValueCurve,
    epsilon_for_belief,
    find_root,
    share_out,
    share_parts,
)
from ppworkbench.core.privacy.belief import meant_places
from ppworkbench.core.privacy.epsilon import epsilon as matrix_epsilon
from ppworkbench.core.privacy.epsilon import joint_epsilon
from ppworkbench.core.privacy.prior import Prior
from ppworkbench.core.privacy.reading import BOUNDLESS, odds_factor
from ppworkbench.core.privacy.spending import (
    distorted_epsilon,
    epsilon_of,
    never_together,
    report_times,
    share_asked,
)
from ppworkbench.core.privacy.utility.channel import estimated_shares, share_channel
from ppworkbench.core.privacy.utility.mean_error import mean_variance, moments

DELTA = 1e-6
_SAME = 1e-12
_ROUNDING = 1e-12
_NEARLY = 1e-3
"""A part of a total that mechanisms with steps may leave over."""
_EQUAL, _LESS = 1e-6, 0.9999
"""Epsilons that differ by less are equal; a smaller part of the total is worth telling."""


@dataclass(frozen=True)
class ExpectedShare:
    """What the error of a question rests on: how the true answers are expected to be.

    ``share`` is that of the sensitive (or rarest) answers; a number has a mean in place of it.
    ``origin`` is that of a prior: ``uniform`` where nobody expects anything.
    """

    origin: str
    values: tuple[str, ...] = ()
    share: float | None = None
    mean: float | None = None

    @classmethod
    def of(cls, attribute: Attribute, prior: Prior | None) -> ExpectedShare:
        given = prior or Prior.uniform(attribute)
        if attribute.kind.is_numeric:
            return cls(given.origin, mean=float(moments(given, attribute)[0]))
        places = meant_places(attribute, given.probabilities)
        share = float(given.probabilities[places].sum())
        return cls(given.origin, tuple(attribute.values[place] for place in places), share)

    def to_json(self) -> dict[str, Any]:
        if self.share is None:
            return {"origin": self.origin, "mean": self.mean}
        return {"origin": self.origin, "values": list(self.values), "share": self.share}


@dataclass(frozen=True)
class QuestionBudget:
    """What one question spends, and what that buys.

    ``error`` is the standard error of the share of its sensitive (or rarest) answer, or of the mean
    of a number, if the true answers are as ``expected``.
    """

    name: str
    epsilon: float
    step: float | None
    share: float | None
    error: float
    expected: ExpectedShare

    def to_json(self) -> dict[str, Any]:
        result: dict[str, Any] = {"epsilon": self.epsilon}
        if self.step is not None:
            result["epsilon_step"] = self.step
        return result | {
            "share": self.share,
            "standard_error": self.error,
            "expected": self.expected.to_json(),
        }


@dataclass(frozen=True)
class Budget:
    """What all answers of one person disclose together.

    Of a design with arms it is the budget of the arm that discloses most; ``arms`` has all of them.
    """

    questions: tuple[QuestionBudget, ...]
    groups: tuple[float, ...]
    undistorted: tuple[str, ...]
    split: tuple[Split, ...]
    shuffled: Shuffled
    distorted: float
    """Epsilon of the randomised answers together, in all waves."""
    asked: AskedParts | None = None
    waves: Waves | None = None
    arms: tuple[tuple[str, Budget], ...] = ()
    composed: float | None = None
    """Epsilon but for a probability of delta, where questions of equal epsilons allow less."""

    @property
    def total(self) -> float:
        return math.inf if self.undistorted else self.distorted

    @property
    def sentence(self) -> Message:
        if not math.isfinite(self.distorted):
            return Message(
                "Some answers rule out others, so that there is no bound on what one person's "
                "answers disclose together."
            )
        if self.distorted > BOUNDLESS:
            return Message(
                "All randomised answers of one person together change the odds of any two true "
                "answers without a practical bound (epsilon {epsilon:.4g}).",
                epsilon=self.distorted,
            )
        return Message(
            "All randomised answers of one person together change the odds of any two true "
            "answers at most {factor}-fold (epsilon {epsilon:.4g}).",
            factor=odds_factor(self.distorted),
            epsilon=self.distorted,
        )

    @property
    def remarks(self) -> tuple[Message, ...]:
        """What the total depends on besides the questions: arms, who is asked what, and waves."""
        found: list[Message] = []
        if self.arms:
            listed = tuple(
                Message("{arm} {epsilon:.4g}", arm=name, epsilon=one.distorted)
                for name, one in self.arms
            )
            found.append(
                Message(
                    "One person is in one arm only, so the largest total counts: {listed}.",
                    listed=listed,
                )
            )
        found += () if self.asked is None else self.asked.sentences
        found += () if self.waves is None else self.waves.sentences
        return tuple(found)

    def to_json(self) -> dict[str, Any]:
        result: dict[str, Any] = {
            "total": self.total,
            "total_distorted": self.distorted,
            "attributes": {one.name: one.to_json() for one in self.questions},
            "undistorted": list(self.undistorted),
            "split": [one.to_json() for one in self.split],
            "shuffled": self.shuffled.to_json(),
        }
        if self.composed is not None:
            result["composed"] = {"epsilon": self.composed, "delta": self.shuffled.delta}
        if self.asked is not None:
            result["ask"] = self.asked.to_json()
        if self.waves is not None:
            result["waves"] = self.waves.to_json()
        if self.arms:
            result["arms"] = {name: one.to_json() for name, one in self.arms}
        return result


def budget_of(design: Design, priors: Mapping[str, Prior], n: int, delta: float = DELTA) -> Budget:
    """What every question of a design spends, and all of them together.

    ``n`` people are in the survey; of arms each has its share of them.

    Examples
    --------
    >>> from ppworkbench.core.data.attribute import Kind
    >>> from ppworkbench.core.design import Uniform
    >>> asked = Attribute("drug", Kind.BINARY, ("no", "yes"))
    >>> design = Design((DesignedAttribute(asked, Uniform(keep=0.75)),))
    >>> round(budget_of(design, {}, 1000).total, 4)
    1.0986
    """
    check_delta(delta)
    if design.has_arms:
        return _budget_of_arms(design, design.versions, priors, n, delta)
    free = set(_open_columns(design))
    grouped = {name for group in design.groups for name in group.attributes}
    listed = [one for one in design if one.name not in free]
    asked = [one for one in listed if not design.perturbation(one.name).is_identity]
    open_answers = [one.name for one in listed if design.perturbation(one.name).is_identity]
    alone = {one.name: epsilon_of(design, one.name) for one in asked}
    groups = tuple(
        joint_epsilon(group, {name: design[name].attribute.k for name in group.attributes})
        for group in design.groups
    )
    spent = distorted_epsilon(design, alone)
    in_one_wave = distorted_epsilon(design, alone, waves=False)
    questions = tuple(
        _question(one, design, priors.get(one.name), n, alone[one.name], spent, one.name in grouped)
        for one in asked
    )
    total = math.inf if open_answers else spent
    parts = len(design.parts)
    budget = design.budget or DesignBudget()
    return Budget(
        questions,
        groups,
        tuple(open_answers),
        splits(parts, in_one_wave, 0.5) if 0 < in_one_wave < EPSILON.high * len(asked) else (),
        _shuffled(total, n, delta, has_open=bool(open_answers)),
        spent,
        None
        if design.ask is None
        else AskedParts(design.ask, design.parts, never_together(design, design.randomised)),
        None
        if budget.waves == 1
        else Waves(budget.waves, budget.memoise, budget.linked, in_one_wave, spent),
        composed=_composed(design, tuple(alone.values()), spent, delta),
    )


def _budget_of_arms(
    design: Design, arms: Arms, priors: Mapping[str, Prior], n: int, delta: float
) -> Budget:
    by_arm = tuple(
        (arm.name, budget_of(design.of_arm(arm.name), priors, max(1, round(n * arm.share)), delta))
        for arm in arms.members
    )
    _, worst = max(by_arm, key=lambda pair: (pair[1].total, pair[1].distorted))
    reason = Message("The arms have different designs.")
    mixed = Shuffled(worst.total, delta, reason) if len(by_arm) > 1 else worst.shuffled
    return dataclasses.replace(worst, shuffled=mixed, arms=by_arm)


def _question(
    one: DesignedAttribute,
    design: Design,
    prior: Prior | None,
    n: int,
    value: float,
    spent: float,
    is_grouped: bool,
) -> QuestionBudget:
    perturbation = design.perturbation(one.name)
    variance = _variance(one.attribute, perturbation, prior)
    people = n * share_asked(design, (one.name,))
    cost = value * report_times(design, one.name)
    share = None if is_grouped else cost / spent if math.isfinite(spent) and spent else math.nan
    step = perturbation.epsilon_step_of(one.attribute)
    expected = ExpectedShare.of(one.attribute, prior)
    return QuestionBudget(one.name, value, step, share, math.sqrt(variance / people), expected)


def _composed(
    design: Design, epsilons: tuple[float, ...], spent: float, delta: float
) -> float | None:
    is_plain = (
        not design.groups and design.ask is None and (design.budget or DesignBudget()).waves == 1
    )
    if not is_plain or len(epsilons) < 2 or not 0 < spent < math.inf:
        return None
    if max(epsilons) - min(epsilons) > _EQUAL:
        return None
    found = composed(max(epsilons), len(epsilons), delta)
    # It is told where it says something else than the sum.
    return found if found < _LESS * spent else None


def _shuffled(total: float, n: int, delta: float, *, has_open: bool) -> Shuffled:
    if has_open:
        reason = Message("Some attributes are not randomised.")
        return Shuffled(math.inf, delta, reason)
    return shuffled(total, n, delta)


def _open_columns(design: Design) -> tuple[str, ...]:
    """Columns that are no answers: how people were drawn, and which arm they were in."""
    return (*design.roles, *design.versions.columns)


def _variance(attribute: Attribute, perturbation: Perturbation, prior: Prior | None) -> float:
    """The variance of what is estimated, per respondent; infinite where nothing can be."""
    if attribute.kind.is_numeric:
        # Most mechanisms know their variance, which saves the channel.
        known = perturbation.numbers.unbiased_variance(
            attribute, *moments(prior or Prior.uniform(attribute), attribute)
        )
        if known is not None:
            return known
    channel, estimator = estimated_shares(attribute, perturbation, prior)
    if attribute.kind.is_numeric:
        given = prior or Prior.uniform(attribute)
        return mean_variance(attribute, perturbation, given, (channel, estimator)).distorted
    if estimator.is_singular:
        return math.inf
    places = meant_places(attribute, channel.shares)
    return estimator.variance_of_shares(places, channel.shares)


def with_epsilon(
    perturbation: Perturbation, attribute: Attribute, wanted: float
) -> Perturbation | None:
    """The same mechanism with an epsilon; None where it has no finite one.

    >>> from ppworkbench.core.data.attribute import Kind
    >>> from ppworkbench.core.design import Forced
    >>> asked = Attribute("drug", Kind.BINARY, ("no", "yes"))
    >>> round(with_epsilon(Forced(), asked, 1.0).p_truth, 4)
    0.4621
    """
    for free in perturbation.free_parameters(attribute):
        found = _at_epsilon(free, attribute, wanted)
        if found is not None and abs(_epsilon(found, attribute) - wanted) < 1e-6 * wanted:
            return found
    return None


def _at_epsilon(free: FreeParameter, attribute: Attribute, wanted: float) -> Perturbation | None:
    """The mechanism with a free parameter at which its epsilon is at most, and nearly, wanted."""
    told = wanted if free.name == "epsilon" else None
    if free.at_epsilon is not None:
        told = free.at_epsilon(wanted)
    if told is not None and EPSILON.low <= wanted <= EPSILON.high:
        one = free.put(told)
        if abs(_epsilon(one, attribute) - wanted) <= _ROUNDING * wanted:
            return one
    truthful, private = free.position(free.truthful), free.position(free.private)

    def excess(share: float) -> float:
        """How far epsilon is below the wanted one, this share of the way from the truth."""
        one = free.put(free.value(truthful + share * (private - truthful)))
        value = _epsilon(one, attribute)
        # Where nothing bounds epsilon, or nothing is told at all, the logarithm would not end.
        return math.log(wanted) - math.log(min(max(value, 1e-9), 1e9))

    # Rounding must not hide the smallest epsilon that there is.
    most = excess(1.0)
    if most < -_ROUNDING:
        return None
    share = find_root(excess, (0.0, excess(0.0)), (1.0, most), 1e-15)
    step = 1e-16
    while share < 1 and excess(share) < -_ROUNDING:
        share, step = min(share + step, 1.0), 2 * step
    return free.put(free.value(truthful + share * (private - truthful)))


def _epsilon(perturbation: Perturbation, attribute: Attribute) -> float:
    matrix = perturbation.matrix_for(attribute)
    return perturbation.epsilon_of(attribute) if matrix is None else matrix_epsilon(matrix)


def share_design(
    design: Design,
    settings: BudgetSettings,
    priors: Mapping[str, Prior] | None = None,
    weights: Mapping[str, float] | None = None,
    locked: Sequence[str] | None = None,
) -> Design:
    """The design with one total shared out among its questions, and that as its budget.

    Groups with one coin and locked questions keep what they have. Weights and locks that are not
    given are those of the design's budget; so is who is asked what, and in how many waves. Of arms
    each one spends the total, because a person is in one of them only.
    """
    before = design.budget or DesignBudget()
    for name in (*(weights or {}), *(locked or ())):
        design[name]  # Refuses a name that is no attribute.
    wanted = dataclasses.replace(
        before,
        total=settings.total,
        rule=settings.rule,
        of=settings.of,
        weights=before.weights if weights is None else tuple(weights.items()),
        locked=before.locked if locked is None else tuple(dict.fromkeys(locked)),
    )
    design = dataclasses.replace(design, budget=wanted)
    if design.has_arms:
        return _share_arms(design, design.versions, settings, priors or {})
    return _share_alone(design, wanted, settings, priors or {})


def _share_arms(
    design: Design, arms: Arms, settings: BudgetSettings, priors: Mapping[str, Prior]
) -> Design:
    """The total in every arm; a device that all arms have in common becomes the usual one."""
    shared = {name: share_design(design.of_arm(name), settings, priors) for name in arms.names}
    grouped = {name for group in design.groups for name in group.attributes}
    listed, own = [], {name: dict[str, Perturbation]() for name in arms.names}
    for one in design:
        by_arm = {arm: found[one.name] for arm, found in shared.items() if one.name in found}
        if one.name in grouped or not by_arm or one.name == arms.column:
            listed.append(one)
            continue
        first = next(iter(by_arm.values()))
        listed.append(dataclasses.replace(first, attribute=one.attribute))
        for arm, found in by_arm.items():
            if found.perturbation != first.perturbation:
                own[arm][one.name] = found.perturbation
    members = tuple(
        dataclasses.replace(arm, perturbations=tuple(own[arm.name].items())) for arm in arms.members
    )
    changed = dataclasses.replace(arms, members=members)
    return dataclasses.replace(design, attributes=tuple(listed), arms=changed)


def _share_alone(
    design: Design, budget: DesignBudget, settings: BudgetSettings, known: Mapping[str, Prior]
) -> Design:
    free = set(_open_columns(design))
    grouped = {name for group in design.groups for name in group.attributes}
    needs: dict[str, Need] = {}
    times: dict[str, int] = {}
    member_of: dict[str, str] = {}
    for place, group in enumerate(design.groups):
        values = {name: design[name].attribute.k for name in group.attributes}
        # A name that no attribute has: several questions spend this together.
        together = f"\x00{place}"
        needs[together] = Need(ValueCurve(2), locked=joint_epsilon(group, values))
        times[together] = budget.times(math.prod(values.values()))
        member_of |= dict.fromkeys(group.attributes, together)
    for one in design:
        if one.name in free or one.name in grouped:
            continue
        if one.perturbation.is_identity:
            raise DesignError.saying(
                "The total cannot be shared out: {attribute!r} is not randomised.",
                attribute=one.name,
            )
        if one.attribute.k == 1:
            # One possible answer discloses nothing, whatever is spent on it.
            needs[one.name] = Need(ValueCurve(2), locked=0.0)
            continue
        now = epsilon_of(design, one.name) if one.name in budget.locked else None
        if now is not None and not math.isfinite(now):
            raise _boundless(one.name)
        # Nothing is asked about the curve of a question that keeps its epsilon.
        curve = ValueCurve(2) if now is not None else _curve(one, known.get(one.name))
        needs[one.name] = Need(curve, budget.weight(one.name), now)
        times[one.name] = report_times(design, one.name)
    if design.ask is None and set(times.values()) <= {1}:
        found = share_out(needs, settings)
    else:
        parts = tuple(
            tuple(dict.fromkeys(member_of.get(name, name) for name in part))
            for part in design.parts
        )
        found = share_parts(needs, settings, parts, design.ask, times)
    changed = tuple(
        _changed(one, found.epsilons.get(one.name), needs.get(one.name)) for one in design
    )
    return dataclasses.replace(design, attributes=changed)


def _changed(one: DesignedAttribute, wanted: float | None, need: Need | None) -> DesignedAttribute:
    if wanted is None or need is None or need.locked is not None:
        return one
    perturbation = with_epsilon(one.perturbation, one.attribute, wanted)
    if perturbation is None:
        raise _unsettable(one.name)
    return dataclasses.replace(one, perturbation=perturbation, device=None)


def sharing_remarks(before: Design, after: Design, total: float) -> tuple[Message, ...]:
    spent = budget_of(after, {}, 1).distorted
    remarks = []
    if spent < total * (1 - _NEARLY):
        remarks.append(
            Message(
                "Only {spent:.4g} of the total of {total:g} are spent: a question takes at most "
                "{most:g}, and a locked one what it has.",
                spent=spent,
                total=total,
                most=EPSILON.high,
            )
        )
    remarks += [
        Message(
            "The device of {attribute!r} does not have the new probabilities, so the design has "
            "none for it any more; choose one again.",
            attribute=one.name,
        )
        for one in before
        if one.device is not None and after[one.name].device is None
    ]
    return tuple(remarks)


def _boundless(name: str) -> DesignError:
    return DesignError.saying(
        "The total cannot be shared out: the mechanism of {attribute!r} has no finite epsilon; "
        "choose another one.",
        attribute=name,
        field="perturbation",
    )


def _unsettable(name: str) -> DesignError:
    return DesignError.saying(
        "The total cannot be shared out: the mechanism of {attribute!r} cannot be set to an "
        "epsilon; lock the question, or choose another mechanism.",
        attribute=name,
        field="perturbation",
    )


def _curve(one: DesignedAttribute, prior: Prior | None) -> Curve:
    attribute, perturbation = one.attribute, one.perturbation
    matrix = perturbation.matrix_for(attribute)
    if matrix is not None and _is_even(matrix):
        shares = share_channel(attribute, perturbation, prior).shares
        places = meant_places(attribute, shares)
        if len(places) == 1:
            return ValueCurve(attribute.k, float(shares[places[0]]))

    def measure(value: float) -> float:
        # Slopes are taken a little to either side, and beyond its ends there is no epsilon.
        inside = min(max(value, EPSILON.low), EPSILON.high)
        at = with_epsilon(perturbation, attribute, inside)
        if at is None:
            raise _unsettable(one.name)
        return _variance(attribute, at, expected) / unit

    expected = Prior.uniform(attribute) if prior is None else prior
    # Errors of numbers in their own units would outweigh all shares: half of the range is 1.
    unit = (attribute.width / 2) ** 2 if attribute.kind.is_numeric and attribute.width > 0 else 1.0
    key = attribute, perturbation, None if prior is None else prior.probabilities.tobytes()
    if key not in _curves:
        if len(_curves) >= _MOST_CURVES:
            _curves.clear()
        _curves[key] = MeasuredCurve(measure)
    return _curves[key]


_MOST_CURVES = 200
_curves: dict[object, MeasuredCurve] = {}
"""Curves that were measured: the window shares out again with every step of a total."""


def _is_even(matrix: np.ndarray[Any, Any]) -> bool:
    k = len(matrix)
    if k < 2:
        return False
    kept, others = np.diag(matrix), matrix[~np.eye(k, dtype=bool)]
    return bool(np.ptp(kept) < _SAME and np.ptp(others) < _SAME and kept[0] > others[0])


def total_for_belief(design: Design, priors: Mapping[str, Prior], most: float) -> float:
    """The total with which belief in no sensitive answer rises above ``most``.

    All answers of a person may point to one of them, so that the smallest epsilon of any counts.
    """
    found = []
    for one in design:
        if not one.attribute.sensitive or one.perturbation.is_identity:
            continue
        prior = priors.get(one.name) or Prior.uniform(one.attribute)
        places = meant_places(one.attribute, prior.probabilities)
        try:
            found.append(epsilon_for_belief(float(prior.probabilities[places].sum()), most))
        except WorkbenchError as error:
            raise DesignError.saying(
                "Attribute {attribute!r}: {why}",
                why=error.message,
                attribute=one.name,
                field="belief",
            ) from None
    if not found:
        raise DesignError("No answer is marked as sensitive, so that no belief can be bounded.")
    return min(found)
