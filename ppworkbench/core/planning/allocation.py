r"""How many people each arm gets, and what splitting a sample costs.

An estimate that adds up reports of several arms, ``sum_g a_g lambda_g``, has the smallest variance
for its cost when ``n_g`` is proportional to ``|a_g| sqrt(lambda_g (1 - lambda_g) / k_g)``, where
``k_g`` is the cost of an interview (Neyman's allocation). With more arms than unknown shares the
coefficients are free as well: maximum likelihood chooses them by the sizes, and the sizes by them,
in turns. Both steps lower the variance of the same convex problem, so that the turns end at its
minimum.

References
----------
J. Neyman (1934), On the two different aspects of the representative method, *Journal of the Royal
Statistical Society* 97.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.compliance.classes import Behaviour, check_identified
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design import Design
from ppworkbench.core.errors import DesignError, ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.planning.power import (
    Randomised,
    Technique,
    check_positive,
    scaled_shares,
)
from ppworkbench.core.privacy.belief import meant_places
from ppworkbench.core.privacy.prior import Prior
from ppworkbench.core.reconstruct.pooled import Arm, expected_information

PREVALENCE, COMPLIANCE, DIFFERENCE = "prevalence", "compliance", "difference"
_TURNS = 5_000
_SETTLED = 1e-10
_SINGULAR = 1e-12
_RARE = 1e-12
"""The chance of an answer that nobody gives, which is known for sure once it is looked for."""
_INSIDE = 1e-9
"""A share so far above 0 that what reports tell about it is large, but finite."""
_NOBODY = 1e-3
"""An arm with a smaller part of the costs is left out, if that costs no precision."""


@dataclass(frozen=True)
class Aim:
    """What the sizes of the arms serve.

    Parameters
    ----------
    serves
        The share of the sensitive answer, the share of people who do not follow the device, or the
        difference of that first share between two arms.
    behaviour
        What people do who do not follow; with None everybody follows.
    ignoring
        Their expected share.
    between
        The two arms of a difference.
    """

    serves: str = PREVALENCE
    behaviour: Behaviour | None = None
    ignoring: float = 0.0
    between: tuple[str, str] = ("", "")


@dataclass(frozen=True)
class Allocation:
    """The best parts of the sample, and how far they help.

    ``standard_error`` is that of the estimate with the best shares, ``before`` with those of the
    design, both at the same cost.
    """

    shares: Mapping[str, float]
    standard_error: float
    before: float

    @property
    def only(self) -> str | None:
        return next((name for name, share in self.shares.items() if share > 1 - 1e-9), None)


def pooled_variances(parts: Sequence[tuple[float, Numbers]], shares: Numbers) -> Numbers:
    """The variance of every share, times n, estimated from all arms that ask the question.

    Parameters
    ----------
    parts
        Of each of these arms, its part of the n people and its P-matrix.
    shares
        The true shares.

    Examples
    --------
    Eight yes/no questions with a total epsilon of 4: everybody answers all of them, or one each.

    >>> def device(epsilon):
    ...     keep = math.exp(epsilon) / (1 + math.exp(epsilon))
    ...     return np.array([[keep, 1 - keep], [1 - keep, keep]])
    >>> shares = np.array([0.8, 0.2])
    >>> pooled_variances([(1.0, device(0.5))], shares).round(4).tolist()
    [4.0777, 4.0777]
    >>> pooled_variances([(1 / 8, device(4.0))], shares).round(4).tolist()
    [1.432, 1.432]
    """
    k = len(shares)
    if k < 2:
        return np.zeros(k)
    chances = [matrix @ shares for _, matrix in parts]
    if min(float(chance.min()) for chance in chances) <= 0:
        return _known_zeros(parts, chances, shares)
    return _variances(parts, chances)


def _known_zeros(
    parts: Sequence[tuple[float, Numbers]], chances: Sequence[Numbers], shares: Numbers
) -> Numbers:
    """The variances where an answer that nobody has would be noticed at once: it is 0 for sure."""
    seen = [
        matrix[chance <= 0].any(axis=0) for (_, matrix), chance in zip(parts, chances, strict=True)
    ]
    inside = ~np.any(seen, axis=0)
    few = [(p, m[c > 0][:, inside]) for (p, m), c in zip(parts, chances, strict=True)]
    found = np.zeros(len(shares))
    if inside.sum() > 1:
        found[inside] = _variances(few, [chance[chance > 0] for chance in chances])
    return found


def _variances(parts: Sequence[tuple[float, Numbers]], chances: Sequence[Numbers]) -> Numbers:
    # A window asks for dozens of questions with every frame of a drag: no more steps than needed.
    k = parts[0][1].shape[1]
    basis = _basis(k)
    inner, told = np.zeros((k - 1, k - 1)), 0.0
    for (part, matrix), chance in zip(parts, chances, strict=True):
        weight = part / chance
        rate = matrix @ basis
        inner += (rate.T * weight) @ rate
        told += float(weight @ np.square(matrix).sum(axis=1))
    if not _is_regular(inner, told):
        return np.full(k, math.inf)
    free = np.linalg.inv(inner)
    return np.append(np.diag(free), free.sum())


class Pooled(Technique):
    """The share of the sensitive answers from all arms that ask a question.

    Near the expected shares the maximum likelihood is a mean of weights of the reports, each as its
    arm's device says: ``D_g⁻¹ P_g J⁻¹ a`` with ``D_g`` the chances of the reports, J what one
    person tells and a the wanted sum of shares. n counts all people, also those who are not asked.
    Sets have no such matrix: where an arm reports them, the estimates of the arms are averaged with
    the weights that give the smallest variance.

    Parameters
    ----------
    parts
        Of each of these arms, its part of the n people and its device.

    Examples
    --------
    Half of the people are asked, so that the variance is twice as large:

    >>> from ppworkbench.core.data.attribute import Kind
    >>> from ppworkbench.core.design import Forced
    >>> asked = Attribute("drug", Kind.BINARY, ("no", "yes"), sensitive=("yes",))
    >>> forced = Randomised(asked, Forced(p_truth=2 / 3))
    >>> round(forced.variance(0.2), 4), round(Pooled([(0.5, forced)]).variance(0.2), 4)
    (0.4725, 0.945)
    """

    def __init__(self, parts: Sequence[tuple[float, Randomised]]) -> None:
        self._parts = tuple(parts)
        self._places = parts[0][1].places
        self._shares = parts[0][1].channel.shares
        self.share = parts[0][1].share
        """The share of the sensitive answers by the prior."""
        self._has_sets = any(one.naming is not None for _, one in self._parts)
        self._known: dict[float, tuple[float, float, float]] = {}

    @cached_property
    def is_singular(self) -> bool:
        if self._has_sets:
            return all(one.is_singular for _, one in self._parts)
        k = len(self._shares)
        parts = [(part, one.believed) for part, one in self._parts]
        return math.isinf(float(pooled_variances(parts, np.full(k, 1 / k)).max()))

    def _moments(self, share: float) -> tuple[float, float, float]:
        """The mean of the estimate and its variance, and the variance that is believed."""
        if share not in self._known:
            self._known[share] = self._find_moments(share)
        return self._known[share]

    def _average(self, share: float) -> tuple[float, float, float]:
        """The moments of the average; nobody fails to comply where sets are reported."""
        variances = [one.variance(share) / part for part, one in self._parts]
        found = 0.0 if 0.0 in variances else 1 / math.fsum(1 / one for one in variances)
        return share, found, found

    def _find_moments(self, share: float) -> tuple[float, float, float]:
        if self._has_sets:
            return self._average(share)
        shares = scaled_shares(self._shares, self._places, share)
        basis = _basis(len(shares))
        wanted = np.zeros(len(shares))
        wanted[self._places] = 1.0
        rates = [one.believed @ basis for _, one in self._parts]
        chances = [one.believed @ shares for _, one in self._parts]
        seen = [
            rate / np.maximum(chance, _RARE)[:, None]
            for rate, chance in zip(rates, chances, strict=True)
        ]
        inner = sum(
            part * rate.T @ weight
            for (part, _), rate, weight in zip(self._parts, rates, seen, strict=True)
        )
        slope = np.linalg.solve(inner, basis.T @ wanted)
        mean, actual, believed = share, 0.0, 0.0
        for (part, one), weight, chance in zip(self._parts, seen, chances, strict=True):
            weights, given = weight @ slope, one.answering @ shares
            mean += part * float(weights @ (given - chance))
            actual += part * float(given @ weights**2 - (given @ weights) ** 2)
            believed += part * float(chance @ weights**2 - (chance @ weights) ** 2)
        return mean, max(actual, 0.0), max(believed, 0.0)

    def expected(self, share: float) -> float:
        return share if self.is_singular else self._moments(share)[0]

    def variance(self, share: float) -> float:
        return math.inf if self.is_singular else self._moments(share)[1]

    def assumed_variance(self, share: float) -> float:
        return math.inf if self.is_singular else self._moments(share)[2]


def allocate(
    design: Design,
    name: str,
    prior: Prior | None,
    aim: Aim,
    n: int = 1000,
    costs: Mapping[str, float] | None = None,
) -> Allocation:
    """The best shares of the arms that ask a question.

    Parameters
    ----------
    prior
        The expected true answers of those who follow; uniform if not given.
    n
        The size of the sample with the shares of the design, which says how much there is to spend.
    costs
        Of one interview in an arm; 1 where an arm is not named.

    Raises
    ------
    DataError, DesignError, ParameterError
        Where there are fewer than two arms, or they cannot tell what the sizes shall serve.
    """
    attribute = design[name].attribute
    expected = _shares_of(attribute, prior)
    arms = _asking(design, name)
    if aim.serves == DIFFERENCE:
        arms = [_chosen(arms, one, name) for one in dict.fromkeys(aim.between)]
    if len(arms) < 2:
        raise DesignError.saying(
            "Shares need two arms that ask {attribute!r}.", attribute=name, field="arms"
        )
    spent = np.array([_cost(costs, arm.name) for arm in arms])
    sizes = np.array([arm.n for arm in arms])
    sizes = sizes / sizes.sum()
    informations, slope = _problem(attribute, arms, expected, aim)
    before = _variance(informations, slope, sizes)
    best = _best(informations, slope, sizes, spent)
    # What the shares of now cost buys so many of the others.
    people = float(sizes @ spent) / float(best @ spent)
    after = _variance(informations, slope, best) / people
    found = {arm.name: float(share) for arm, share in zip(arms, best, strict=True)}
    return Allocation(found, math.sqrt(after / n), math.sqrt(before / n))


def _arm(name: str, matrix: Numbers, part: float) -> Arm:
    return Arm(name, np.array([part]), matrix)


def _shares_of(attribute: Attribute, prior: Prior | None) -> Numbers:
    if not attribute.kind.is_categorical:
        raise ParameterError(
            Message(
                "Shares of arms are found for questions with categories; {attribute!r} is a "
                "number.",
                attribute=attribute.name,
            ),
            field="attribute",
        )
    return (Prior.uniform(attribute) if prior is None else prior).probabilities


def _asking(design: Design, name: str) -> list[Arm]:
    if not design.has_arms:
        raise DesignError("The design has no arms to be told apart.", field="arms")
    usual, k = design[name].perturbation, design[name].attribute.k
    found = ((arm, arm.device(name, usual)) for arm in design.versions.members)
    return [
        _arm(arm.name, one.values.matrix(k), arm.share) for arm, one in found if one is not None
    ]


def _chosen(arms: Sequence[Arm], wanted: str, name: str) -> Arm:
    for arm in arms:
        if arm.name == wanted:
            return arm
    raise ParameterError(
        Message("No arm {arm!r} asks {attribute!r}.", arm=wanted, attribute=name), field="arm"
    )


def _cost(costs: Mapping[str, float] | None, arm: str) -> float:
    cost = 1.0 if costs is None else float(costs.get(arm, 1.0))
    check_positive(cost, Message("cost of an interview in {arm!r}", arm=arm), "costs")
    return cost


def _problem(
    attribute: Attribute, arms: Sequence[Arm], expected: Numbers, aim: Aim
) -> tuple[Numbers, Numbers]:
    k = attribute.k
    carriers = np.zeros(k)
    carriers[meant_places(attribute, expected)] = 1.0
    if aim.serves == DIFFERENCE:
        # Each arm has shares of its own, which the other tells nothing about.
        zero = np.zeros((k, k))
        inside = _inside([arm.matrix for arm in arms], expected)
        one, other = (_information(arm.matrix, inside) for arm in arms)
        _check_regular(one, attribute, arms[0].name)
        _check_regular(other, attribute, arms[1].name)
        blocks = np.stack([np.block([[one, zero], [zero, zero]]),
                           np.block([[zero, zero], [zero, other]])])  # fmt: skip
        basis = np.kron(np.eye(2), _basis(k))
        slope = np.concatenate([carriers, -carriers])
        return basis.T @ blocks @ basis, basis.T @ slope
    if aim.behaviour is None:
        if aim.serves == COMPLIANCE:
            raise ParameterError(
                "Say what people do who do not follow the device.", field="behaviour"
            )
        whole, slope = [arm.matrix for arm in arms], carriers
        shares = _inside(whole, expected)
        _check_regular(np.sum([_information(one, shares) for one in whole], 0), attribute, "")
    else:
        column = aim.behaviour.column(k)
        whole = [np.column_stack([arm.matrix, column]) for arm in arms]
        told = [arm.with_matrix(one) for arm, one in zip(arms, whole, strict=True)]
        check_identified(told, attribute.values, (aim.behaviour,))
        shares = _inside(whole, np.append((1 - aim.ignoring) * expected, aim.ignoring))
        slope = np.append(carriers, 0.0) if aim.serves == PREVALENCE else np.eye(k + 1)[k]
    basis = _basis(len(shares))
    informations = np.stack([_information(one, shares) for one in whole])
    return basis.T @ informations @ basis, basis.T @ slope


def _inside(matrices: Sequence[Numbers], shares: Numbers) -> Numbers:
    """The shares, or some just beside them where an arm would have reports of chance 0.

    Such reports tell infinitely much, which no sizes can be compared by.
    """
    if all(float((matrix @ shares).min()) > 0 for matrix in matrices):
        return shares
    return np.asarray((1 - _INSIDE) * shares + _INSIDE / len(shares))


def _information(matrix: Numbers, shares: Numbers) -> Numbers:
    return expected_information([_arm("", matrix, 1.0)], shares)


@cache
def _basis(size: int) -> Numbers:
    """Ways to move within the simplex: each share against the last one."""
    return np.vstack([np.eye(size - 1), -np.ones(size - 1)])


def _is_regular(inner: Numbers, told: float) -> bool:
    """Whether something is told about every share, compared with all that is told."""
    if len(inner) == 1:
        return float(inner[0, 0]) > _SINGULAR * told
    return float(np.linalg.eigvalsh(inner)[0]) > _SINGULAR * told


def _check_regular(information: Numbers, attribute: Attribute, arm: str) -> None:
    basis = _basis(len(information))
    if _is_regular(basis.T @ information @ basis, float(np.trace(information))):
        return
    if arm:
        raise DesignError.saying(
            "The device of {attribute!r} in the arm {arm!r} tells nothing about the shares.",
            arm=arm,
            attribute=attribute.name,
            field="arms",
        )
    raise DesignError.saying(
        "The devices of {attribute!r} tell nothing about its shares.",
        attribute=attribute.name,
        field="arms",
    )


def _variance(informations: Numbers, slope: Numbers, sizes: Numbers) -> float:
    """Of the estimate from one person, who is in an arm with these chances."""
    total = np.tensordot(sizes, informations, 1)
    try:
        found = float(slope @ np.linalg.solve(total, slope))
    except np.linalg.LinAlgError:
        return math.inf
    return found if found > 0 else math.inf


def _best(informations: Numbers, slope: Numbers, sizes: Numbers, costs: Numbers) -> Numbers:
    """Sizes that sum to 1, with the smallest variance for their cost."""
    now = sizes.copy()
    for _ in range(_TURNS):
        weights = np.linalg.lstsq(np.tensordot(now, informations, 1), slope, rcond=1e-14)[0]
        told = np.einsum("i,gij,j->g", weights, informations, weights)
        after = now * np.sqrt(np.maximum(told, 0.0) / costs)
        after /= float(after.sum())
        is_settled = np.abs(after - now).max() < _SETTLED
        now = after
        if is_settled:
            break
    part = now * costs / float(now @ costs)
    few = np.where(part > _NOBODY, now, 0.0)
    few /= float(few.sum())
    whole = _variance(informations, slope, now) * float(now @ costs)
    left = _variance(informations, slope, few) * float(few @ costs)
    # Two arms that are as good as each other both stay.
    return few if left <= whole * (1 + 1e-6) else now
