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
from ppworkbench.core.design.perturbation import EPSILON
from ppworkbench.core.errors import DesignError, WorkbenchError
from ppworkbench.core.message import Message
from ppworkbench.core.planning.composition import Shuffled, Split, shuffled, splits
from ppworkbench.core.planning.sharing import (
    BudgetSettings,
    Curve,
    MeasuredCurve,
    Need,
    ValueCurve,
    epsilon_for_belief,
    share_out,
)
from ppworkbench.core.privacy.belief import meant_places
from ppworkbench.core.privacy.epsilon import epsilon as matrix_epsilon
from ppworkbench.core.privacy.epsilon import joint_epsilon
from ppworkbench.core.privacy.prior import Prior
from ppworkbench.core.privacy.questionnaire import epsilon_of
from ppworkbench.core.privacy.utility.channel import share_channel
from ppworkbench.core.privacy.utility.estimator import factor
from ppworkbench.core.privacy.utility.mean_error import mean_variance

DELTA = 1e-6
_SAME = 1e-12
_NEARLY = 1e-3
"""A part of a total that mechanisms with steps may leave over."""


@dataclass(frozen=True)
class QuestionBudget:
    """What one question spends, and what that buys.

    ``error`` is the standard error of the share of its sensitive (or rarest) answer, or of the mean
    of a number.
    """

    name: str
    epsilon: float
    step: float | None
    share: float | None
    error: float

    def to_json(self) -> dict[str, Any]:
        """The question in ``budget --json``."""
        result: dict[str, Any] = {"epsilon": self.epsilon}
        if self.step is not None:
            result["epsilon_step"] = self.step
        return result | {"share": self.share, "standard_error": self.error}


@dataclass(frozen=True)
class Budget:
    """What all answers of one person disclose together."""

    questions: tuple[QuestionBudget, ...]
    groups: tuple[float, ...]
    undistorted: tuple[str, ...]
    split: tuple[Split, ...]
    shuffled: Shuffled

    @property
    def distorted(self) -> float:
        """Epsilon of the randomised answers together; a group with one coin counts once."""
        return sum(one.epsilon for one in self.questions if one.share is not None) + sum(
            self.groups
        )

    @property
    def total(self) -> float:
        """Epsilon of all answers together."""
        return math.inf if self.undistorted else self.distorted

    @property
    def sentence(self) -> Message:
        """The total in words."""
        if not math.isfinite(self.distorted):
            return Message(
                "Some answers rule out others, so that there is no bound on what one person's "
                "answers disclose together."
            )
        return Message(
            "All randomised answers of one person together change the odds of any two true "
            "answers at most {factor:,.4g}-fold (epsilon {epsilon:.4g}).",
            factor=math.exp(min(self.distorted, 700.0)),
            epsilon=self.distorted,
        )

    def to_json(self) -> dict[str, Any]:
        """What ``budget --json`` prints."""
        return {
            "total": self.total,
            "total_distorted": self.distorted,
            "attributes": {one.name: one.to_json() for one in self.questions},
            "undistorted": list(self.undistorted),
            "split": [one.to_json() for one in self.split],
            "shuffled": self.shuffled.to_json(),
        }


def budget_of(design: Design, priors: Mapping[str, Prior], n: int, delta: float = DELTA) -> Budget:
    """What every question of a design spends, and all of them together.

    Examples
    --------
    >>> from ppworkbench.core.data.attribute import Kind
    >>> from ppworkbench.core.design import Uniform
    >>> asked = Attribute("drug", Kind.BINARY, ("no", "yes"))
    >>> design = Design((DesignedAttribute(asked, Uniform(keep=0.75)),))
    >>> round(budget_of(design, {}, 1000).total, 4)
    1.0986
    """
    _refuse_arms(design)
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
    spent = sum(value for name, value in alone.items() if name not in grouped) + sum(groups)
    questions = tuple(
        _question(one, design, priors.get(one.name), n, alone[one.name], spent, one.name in grouped)
        for one in asked
    )
    total = math.inf if open_answers else spent
    return Budget(
        questions,
        groups,
        tuple(open_answers),
        splits(len(asked), spent, 0.5) if asked and 0 < spent < EPSILON.high * len(asked) else (),
        _shuffled(total, n, delta, has_open=bool(open_answers)),
    )


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
    share = None if is_grouped else value / spent if math.isfinite(spent) and spent else math.nan
    step = perturbation.epsilon_step_of(one.attribute)
    return QuestionBudget(one.name, value, step, share, math.sqrt(variance / n))


def _shuffled(total: float, n: int, delta: float, *, has_open: bool) -> Shuffled:
    if has_open:
        reason = Message("Some attributes are not randomised.")
        return Shuffled(math.inf, delta, reason)
    return shuffled(total, n, delta)


def _open_columns(design: Design) -> tuple[str, ...]:
    """Columns that are no answers: how people were drawn, and which arm they were in."""
    roles = () if design.sampling is None else design.sampling.columns
    return (*roles, *(() if design.arms is None else (design.arms.column,)))


def _refuse_arms(design: Design) -> None:
    if design.arms is not None:
        raise DesignError(
            "The design has arms; take the budget of one arm at a time.", field="arms"
        )


def _variance(attribute: Attribute, perturbation: Perturbation, prior: Prior | None) -> float:
    """The variance of what is estimated, per respondent; infinite where nothing can be."""
    channel = share_channel(attribute, perturbation, prior)
    estimator = factor(channel.matrix, channel.shares)
    if attribute.kind.is_numeric:
        given = prior or Prior.uniform(attribute)
        return mean_variance(attribute, perturbation, given, (channel, estimator)).distorted
    if estimator.is_singular:
        return math.inf
    places = meant_places(attribute, channel.shares)
    return estimator.variance_of_sum(places, channel.matrix @ channel.shares)


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
        start, end = free.position(free.truthful), free.position(free.private)
        found: Perturbation | None = None
        for _ in range(60):
            middle = (start + end) / 2
            one = free.put(free.value(middle))
            if _epsilon(one, attribute) > wanted:
                start = middle
            else:
                end, found = middle, one
        if found is not None and abs(_epsilon(found, attribute) - wanted) < 1e-6 * wanted:
            return found
    return None


def _epsilon(perturbation: Perturbation, attribute: Attribute) -> float:
    if attribute.kind.is_numeric:
        return perturbation.epsilon_of(attribute)
    return matrix_epsilon(perturbation.matrix(attribute.k))


def share_design(
    design: Design,
    settings: BudgetSettings,
    priors: Mapping[str, Prior] | None = None,
    weights: Mapping[str, float] | None = None,
    locked: Sequence[str] = (),
) -> Design:
    """The design with one total shared out among its questions.

    Groups with one coin and locked questions keep what they have.
    """
    _refuse_arms(design)
    known, weights = priors or {}, weights or {}
    for name in (*weights, *locked):
        design[name]  # Refuses a name that is no attribute.
    free = set(_open_columns(design))
    grouped = {name for group in design.groups for name in group.attributes}
    needs: dict[str, Need] = {}
    for place, group in enumerate(design.groups):
        values = {name: design[name].attribute.k for name in group.attributes}
        # A name that no attribute has: several questions spend this together.
        needs[f"\x00{place}"] = Need(ValueCurve(2), locked=joint_epsilon(group, values))
    for one in design:
        if one.name in free or one.name in grouped:
            continue
        if one.perturbation.is_identity:
            raise DesignError(
                Message(
                    "The total cannot be shared out: {attribute!r} is not randomised.",
                    attribute=one.name,
                ),
                attribute=one.name,
            )
        now = epsilon_of(design, one.name) if one.name in locked else None
        if now is not None and not math.isfinite(now):
            raise _boundless(one.name)
        curve = _curve(one, known.get(one.name))
        needs[one.name] = Need(curve, weights.get(one.name, 1.0), now)
    found = share_out(needs, settings)
    changed = tuple(
        _changed(one, found.epsilons.get(one.name), needs.get(one.name)) for one in design
    )
    return dataclasses.replace(design, attributes=changed)


def _changed(one: DesignedAttribute, wanted: float | None, need: Need | None) -> DesignedAttribute:
    if wanted is None or need is None or need.locked is not None:
        return one
    perturbation = with_epsilon(one.perturbation, one.attribute, wanted)
    if perturbation is None:
        raise _boundless(one.name)
    return dataclasses.replace(one, perturbation=perturbation, device=None)


def sharing_remarks(before: Design, after: Design, total: float) -> tuple[Message, ...]:
    """What sharing out a total did beside giving every question its epsilon."""
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
    return DesignError(
        Message(
            "The total cannot be shared out: the mechanism of {attribute!r} has no finite epsilon; "
            "choose another one.",
            attribute=name,
        ),
        attribute=name,
        field="perturbation",
    )


def _curve(one: DesignedAttribute, prior: Prior | None) -> Curve:
    """How the variance of a question's estimate falls as epsilon grows."""
    attribute, perturbation = one.attribute, one.perturbation
    if attribute.kind.is_categorical and _is_even(perturbation.matrix(attribute.k)):
        shares = share_channel(attribute, perturbation, prior).shares
        places = meant_places(attribute, shares)
        if len(places) == 1:
            return ValueCurve(attribute.k, float(shares[places[0]]))

    def measure(value: float) -> float:
        at = with_epsilon(perturbation, attribute, value)
        if at is None:
            raise _boundless(one.name)
        return _variance(attribute, at, prior)

    return MeasuredCurve(measure)


def _is_even(matrix: np.ndarray[Any, Any]) -> bool:
    """Whether all true answers are kept alike and all others are alike."""
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
