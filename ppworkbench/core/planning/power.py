"""What n people can show: the power of a test, the people it needs, and whether randomising pays.

Every technique estimates one share π with the variance v(π)/n. A z-test of π against π0 has the
standard error of each hypothesis in its place, and the mean square error of an estimate is
``v/n + bias²``: people mend the first part only.

References
----------
G. Blair, K. Imai and Y.-Y. Zhou (2015), Design and analysis of the randomized response technique,
*Journal of the American Statistical Association* 110, gives the power of randomised designs.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Annotated

import numpy as np
from scipy import special

from ppworkbench.core.arrays import Matrix, Numbers
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design import Perturbation
from ppworkbench.core.design.channels import Naming
from ppworkbench.core.design.presets import presets
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Info, OneOf, Params, Within, declarations
from ppworkbench.core.privacy.belief import meant_places
from ppworkbench.core.privacy.epsilon import epsilon
from ppworkbench.core.privacy.prior import Prior
from ppworkbench.core.privacy.utility.channel import ShareChannel, factor, share_channel
from ppworkbench.core.privacy.utility.noncompliance import (
    NonCompliance,
    known_noncompliance,
    mixed_matrix,
)
from ppworkbench.core.privacy.utility.planning import smallest_reaching

SIDES = ("1", "2")
_SAME = 1e-12
_LARGE = 1e6


class Technique(ABC):
    @abstractmethod
    def expected(self, share: float) -> float:
        """What is estimated on average where ``share`` is true."""

    @abstractmethod
    def variance(self, share: float) -> float:
        """The variance of the estimate times n; infinite where nothing can be estimated."""

    def assumed_variance(self, share: float) -> float:
        """The same as the analyst computes it, who believes that all follow the instructions."""
        return self.variance(share)

    def bias(self, share: float) -> float:
        return self.expected(share) - share

    def rmse(self, share: float, n: Numbers | float) -> Numbers:
        """The root mean square error with n people, or with each of several n."""
        return np.sqrt(self.variance(share) / np.asarray(n, np.float64) + self.bias(share) ** 2)


@dataclass(frozen=True)
class Direct(Technique):
    """The question asked directly; ``underreport`` of all people hide the sensitive answer.

    >>> round(Direct(0.05).variance(0.2), 4)
    0.1275
    """

    underreport: float = 0.0

    def expected(self, share: float) -> float:
        admitted = share - self.underreport
        if not -_SAME <= admitted <= 1 + _SAME:
            raise ParameterError.saying(
                "The suspected bias of {bias:.3g} points does not fit a share of {share:.3g} %.",
                bias=100 * self.underreport,
                share=100 * share,
                field="bias",
            )
        return admitted

    def variance(self, share: float) -> float:
        admitted = self.expected(share)
        return admitted * (1 - admitted)

    def assumed_variance(self, share: float) -> float:
        return share * (1 - share)


@dataclass(frozen=True)
class ListCount(Technique):
    """A list experiment.

    Parameters
    ----------
    control_variance
        Of the harmless count.
    long_share
        Of those who hear a list, how many hear the long one.
    asked
        How many of all people hear a list.
    share
        The expected share of the sensitive item.
    """

    control_variance: float = 0.75
    long_share: float = 0.5
    asked: float = 1.0
    share: float = 0.5

    @property
    def is_singular(self) -> bool:
        """Whether nothing can be estimated: never, as both lists are heard."""
        return False

    def expected(self, share: float) -> float:
        return share

    def variance(self, share: float) -> float:
        # Lists bring scipy.stats along, which a plan without them need not wait for.
        from ppworkbench.core.compliance.lists import list_variance

        return list_variance(share, self.control_variance, self.long_share) / self.asked


class Randomised(Technique):
    """The share of the sensitive answers of an attribute of values under its perturbation.

    Another share than the prior's scales the sensitive answers together, and the others.

    >>> from ppworkbench.core.data.attribute import Kind
    >>> from ppworkbench.core.design import Forced
    >>> asked = Attribute("drug", Kind.BINARY, ("no", "yes"), sensitive=("yes",))
    >>> round(Randomised(asked, Forced(p_truth=2 / 3)).variance(0.2), 4)
    0.4725
    """

    def __init__(
        self,
        attribute: Attribute,
        perturbation: Perturbation,
        prior: Prior | None = None,
        noncompliance: NonCompliance | None = None,
    ) -> None:
        self.naming = perturbation.naming_for(attribute)
        """How often sets name values, where reports are sets."""
        noncompliance = known_noncompliance(perturbation, noncompliance)
        if self.naming is not None:
            shares = (Prior.uniform(attribute) if prior is None else prior).probabilities
            channel = ShareChannel(attribute.values, shares, np.eye(attribute.k))
        else:
            channel = share_channel(attribute, perturbation, prior)
        answering = channel.matrix
        if noncompliance is not None and noncompliance.share > 0:
            answering = mixed_matrix(attribute, channel, noncompliance)
        is_known = noncompliance is not None and noncompliance.corrected
        believed = answering if is_known else channel.matrix
        self.channel: ShareChannel = channel
        """What the device does."""
        self.answering = answering
        """What people do: the channel of all of them together."""
        self.places = meant_places(attribute, channel.shares)
        """Where the sensitive answers stand."""
        self.believed = believed
        """What the analyst takes for what people do."""

    @cached_property
    def _moments(self) -> tuple[Matrix, Matrix] | None:
        """Mean and mean square of the weight of a report, as people answer and as is believed.

        The estimate is the mean weight of all reports, so that its moments are linear in the share:
        they are given for a share of 0 and of 1. None where nothing can be estimated.
        """
        shares = self.channel.shares
        if self.naming is not None:
            return (self._moments_of_sets(self.naming),) * 2
        inverse = factor(self.believed, shares).left_inverse
        if inverse is None:
            return None
        weights = inverse[self.places].sum(axis=0)
        both = np.stack([weights, weights**2])
        ends = np.stack([scaled_shares(shares, self.places, end) for end in (0.0, 1.0)], axis=1)
        actual, assumed = ((both @ one @ ends).T for one in (self.answering, self.believed))
        return actual, assumed

    def _moments_of_sets(self, naming: Naming) -> Matrix:
        found = []
        for end in (0.0, 1.0):
            spread = naming.covariance(scaled_shares(self.channel.shares, self.places, end))
            variance = float(spread[np.ix_(self.places, self.places)].sum())
            found.append([end, variance + end**2])
        return np.array(found)

    @property
    def epsilon(self) -> float:
        return epsilon(self.answering) if self.naming is None else math.log(self.naming.odds)

    @cached_property
    def share(self) -> float:
        return min(1.0, float(self.channel.shares[self.places].sum()))

    @property
    def is_singular(self) -> bool:
        return self._moments is None

    def expected(self, share: float) -> float:
        """``B P_c x`` with B the inverse that the analyst uses."""
        return share if self._moments is None else _mixed(self._moments[0], share)[0]

    def variance(self, share: float) -> float:
        return math.inf if self._moments is None else _variance(self._moments[0], share)

    def assumed_variance(self, share: float) -> float:
        return math.inf if self._moments is None else _variance(self._moments[1], share)


def _mixed(moments: Matrix, share: float) -> tuple[float, float]:
    (mean0, square0), (mean1, square1) = moments.tolist()
    return (1 - share) * mean0 + share * mean1, (1 - share) * square0 + share * square1


def _variance(moments: Matrix, share: float) -> float:
    mean, square = _mixed(moments, share)
    # Rounding leaves a share that cannot vary a few ulps below zero, or above.
    return square - mean**2 if square - mean**2 >= 1e-15 else 0.0


@dataclass(frozen=True)
class TestPlan(Params):
    """The test that a survey is to be large enough for: of a value, or of two groups."""

    power: Annotated[
        float, Within(0, 1, open_low=True, open_high=True), Info("Power", "Power of the test")
    ] = 0.8
    against: Annotated[
        float | None, Within(0, 1), Info("Against", "Share under the null hypothesis")
    ] = None
    difference: Annotated[
        tuple[float, ...] | None, Within(0, 1), Info("Difference", "Shares of two groups")
    ] = None
    alpha: Annotated[
        float,
        Within(0, 1, open_low=True, open_high=True),
        Info("Alpha", "Significance level of the test"),
    ] = 0.05
    sides: Annotated[str, OneOf(SIDES), Info("Sides", "One-sided or two-sided test")] = "2"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.power <= self.alpha:
            raise ParameterError.saying(
                "A power of {power:g} is no more than the significance level {alpha:g}; "
                "choose a higher power.",
                power=self.power,
                alpha=self.alpha,
                field="power",
            )
        if (self.against is None) == (self.difference is None):
            raise ParameterError(
                "A test is against one value or of the difference of two groups.", field="against"
            )
        if self.difference is not None:
            if len(self.difference) != 2:
                raise ParameterError("A difference needs two shares.", field="difference")
            _check_apart(self.difference[0], self.difference[1], "difference")

    def contrast(self, technique: Technique, share: float) -> Contrast:
        """What the test looks at where ``share`` is true; n counts each group."""
        if self.against is not None:
            return Contrast.against(technique, share, self.against)
        first, second = self.difference or (0.0, 0.0)
        return Contrast.of_groups(technique, first, second)

    def power_with(self, technique: Technique, share: float, n: float) -> float:
        return self.contrast(technique, share).power(n, self.alpha, int(self.sides))

    def needed(self, technique: Technique, share: float) -> float:
        """The smallest n with the power; infinite when there is none."""
        found = self.contrast(technique, share)
        return found.needed(self.power, self.alpha, int(self.sides))


@dataclass(frozen=True)
class Contrast:
    """A difference to be shown, with √n times its standard error under each hypothesis.

    Examples
    --------
    A direct question, 20 % against 15 %:

    >>> Contrast.against(Direct(), 0.2, 0.15).needed(0.8)
    430
    """

    effect: float
    null_deviation: float
    deviation: float

    @classmethod
    def against(cls, technique: Technique, share: float, null: float) -> Contrast:
        _check_apart(share, null, "against")
        effect = math.copysign(1.0, share - null) * (technique.expected(share) - null)
        return cls(
            effect,
            math.sqrt(technique.assumed_variance(null)),
            math.sqrt(technique.variance(share)),
        )

    @classmethod
    def of_groups(cls, technique: Technique, first: float, second: float) -> Contrast:
        """Two groups of n people each; under the null hypothesis both are as the second."""
        _check_apart(first, second, "difference")
        shown = technique.expected(first) - technique.expected(second)
        return cls(
            math.copysign(1.0, first - second) * shown,
            math.sqrt(2 * technique.assumed_variance(second)),
            math.sqrt(technique.variance(first) + technique.variance(second)),
        )

    def power(self, n: float, alpha: float = 0.05, sides: int = 2) -> float:
        """``Φ((δ√n - z σ0) / σ1)``, with both tails where the test has two sides."""
        if math.isinf(self.deviation) or math.isinf(self.null_deviation):
            return 0.0
        limit = _quantile(1 - alpha / sides) * self.null_deviation
        effects = (self.effect,) if sides == 1 else (self.effect, -self.effect)
        return sum(_chance(effect * math.sqrt(n) - limit, self.deviation) for effect in effects)

    def needed(self, power: float, alpha: float = 0.05, sides: int = 2) -> float:
        """The smallest n with that power; infinite when there is none."""

        def reaches(n: int) -> bool:
            return self.power(n, alpha, sides) >= power

        if self.effect > 0 and max(self.null_deviation, self.deviation) < math.inf:
            # The other tail hardly counts, so the closed form of one side mostly is the answer.
            wanted = _quantile(1 - alpha / sides) * self.null_deviation
            root = (wanted + _quantile(power) * self.deviation) / self.effect
            n = max(1, math.ceil(min(root, _LARGE) ** 2)) if root > 0 else 1
            if reaches(n) and (n == 1 or not reaches(n - 1)):
                return n
        return smallest_reaching(reaches)


@lru_cache(maxsize=64)
def _quantile(probability: float) -> float:
    return float(special.ndtri(probability))


def _chance(above: float, deviation: float) -> float:
    if deviation <= 0:
        return 1.0 if above > 0 else 0.0
    return 0.5 * math.erfc(-above / deviation / math.sqrt(2))


def _check_apart(first: float, second: float, field: str) -> None:
    if abs(first - second) <= _SAME:
        raise ParameterError.saying(
            "Both hypotheses have the share {share:.3g} %; no number of people tells them apart.",
            share=100 * first,
            field=field,
        )


def break_even(
    randomised: Technique,
    direct: Technique,
    share: float,
    costs: tuple[float, float] = (1.0, 1.0),
) -> float:
    """From how many people on a randomised question has the smaller error; infinite for never.

    ``n* = (v_RR - v_DQ) / (b² - b_RR²)``. With ``costs`` of a randomised and of a direct interview
    it is the budget ``(v_RR k_RR - v_DQ k_DQ) / (b² - b_RR²)``.

    Examples
    --------
    >>> from ppworkbench.core.data.attribute import Kind
    >>> from ppworkbench.core.design import Forced
    >>> asked = Attribute("drug", Kind.BINARY, ("no", "yes"), sensitive=("yes",))
    >>> forced = Randomised(asked, Forced(p_truth=2 / 3))
    >>> round(break_even(forced, Direct(0.05), 0.2), 2)
    138.0
    """
    for cost in costs:
        check_positive(cost, Message("cost of an interview"), "cost")
    gain = direct.bias(share) ** 2 - randomised.bias(share) ** 2
    if gain <= _SAME:
        return math.inf
    spent = randomised.variance(share) * costs[0] - direct.variance(share) * costs[1]
    return max(0.0, spent / gain)


def expected_prior(attribute: Attribute, share: float, prior: Prior | None = None) -> Prior:
    if not attribute.kind.is_categorical or not 0 <= share <= 1:
        raise ParameterError.saying(
            "Attribute {attribute!r} cannot be expected to have a sensitive share of "
            "{share:g}; it needs values, and a share lies between 0 and 1.",
            share=share,
            attribute=attribute.name,
            field="share",
        )
    shares = np.full(attribute.k, 1 / attribute.k) if prior is None else prior.probabilities
    scaled = scaled_shares(shares, meant_places(attribute, shares), share)
    return Prior.from_weights(attribute, scaled)


def scaled_shares(shares: Numbers, places: list[int], share: float) -> Numbers:
    """Shares of which those at ``places`` sum to ``share``, in proportion to before."""
    is_meant = np.zeros(len(shares), bool)
    is_meant[places] = True
    scaled = np.empty(len(shares))
    for part, wanted in ((is_meant, share), (~is_meant, 1 - share)):
        mass = float(shares[part].sum())
        scaled[part] = shares[part] * wanted / mass if mass > 0 else wanted / max(part.sum(), 1)
    return scaled


_SHORT = {"forced": "forced-response", "unrelated": "unrelated-question"}


def named_technique(
    given: str,
    attribute: Attribute,
    underreport: float = 0.0,
    prior: Prior | None = None,
    noncompliance: NonCompliance | None = None,
) -> Technique:
    """A technique to compare with: ``direct``, ``list``, or a named design as ``warner=0.7``.

    The same people ignore the device of a named design, whichever it is.

    >>> from ppworkbench.core.data.attribute import Kind
    >>> asked = Attribute("drug", Kind.BINARY, ("no", "yes"), sensitive=("yes",))
    >>> round(named_technique("warner=0.7", asked).variance(0.2), 4)
    1.4725
    """
    if given == "direct":
        return Direct(underreport)
    if given == "list":
        return ListCount()
    name, _, text = given.partition("=")
    name = _SHORT.get(name, name)
    ParameterError.unless_known(
        "There is no technique {name!r}; known are {known}.", name,
        ("direct", "list", *presets.names), field="compare",
    )  # fmt: skip
    family = presets[name]
    first = declarations(family)[0]
    preset = family(**{first.name: first.parse(text)}) if text else family()
    perturbation = preset.perturbation(attribute.values)
    return Randomised(attribute, perturbation, prior, noncompliance)


def check_positive(number: float, what: Message, field: str) -> None:
    """Refuse costs, budgets and design effects that no survey has."""
    if not 0 < number < math.inf:
        raise ParameterError.saying(
            "The {what} is {number:g}; it must be above 0.", what=what, number=number, field=field
        )
