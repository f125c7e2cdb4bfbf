"""What a report that is a set of values discloses, in closed form.

A set is ``e^ε`` times as likely for a value that it names as for one that it does not. So the
posterior of a value is ``x_c e^(ε [c in z]) / (1 + (e^ε - 1) x(z))`` with x(z) the prior share of
the values that are named, and no table of all sets is needed.
"""

from __future__ import annotations

import math

import numpy as np

from ppworkbench.core.arrays import Matrix, Numbers, Places
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design.channels import Naming
from ppworkbench.core.design.perturbation import Perturbation
from ppworkbench.core.message import Message
from ppworkbench.core.privacy import attack, belief, epsilon, posterior
from ppworkbench.core.privacy.joint import Joint
from ppworkbench.core.privacy.prior import Prior
from ppworkbench.core.privacy.reading import Reading, percent

_SHOWN = 3
"""So many values of a set are named in a sentence."""


def attack_success(naming: Naming, shares: Numbers) -> float:
    """How often the best guess from a set is right.

    The best guess is the likeliest value that is named, or the likeliest of all where the set does
    not speak against it. With the values from the likeliest on, the first one that is named is the
    one in place i as often as all before it are not.
    """
    k, best = len(shares), float(shares.max())
    ordered = -np.sort(-shares)
    if naming.size is None:
        # Every set has the weight it would have if no value were true.
        first = (1 - naming.h) ** np.arange(k) * naming.h
        none = (1 - naming.h) ** k
        unnamed = (1 - naming.g) / (1 - naming.h)
        right = np.maximum(ordered * naming.g / naming.h, best * unnamed)
        return max(best, float(first @ right + none * best * unnamed))
    # The share of sets of w values whose likeliest value is in place i, of all sets.
    places = np.arange(k)
    logs = _log_choose(k - 1 - places, naming.size - 1) - _log_choose(np.array([k]), naming.size)
    first = np.exp(logs)
    # A set of w of k values without the true one has the weight that makes all sum to 1.
    unnamed = k / (naming.size * naming.odds + k - naming.size)
    right = np.maximum(ordered * naming.odds, best)
    return max(best, min(float(first @ right) * unnamed, 1.0))


def _log_choose(n: Numbers | Places, m: int) -> Numbers:
    found = np.full(len(n), -np.inf)
    for place, one in enumerate(n.tolist()):
        if one >= m:
            found[place] = math.lgamma(one + 1) - math.lgamma(m + 1) - math.lgamma(one - m + 1)
    return found


def surest_set(naming: Naming, shares: Numbers, meant: list[int]) -> tuple[list[int], float]:
    """The set after which the belief in some values is highest, and that belief."""
    size = naming.size
    wanted = sorted(meant, key=lambda place: -float(shares[place]))
    named = wanted if size is None else wanted[:size]
    if size is not None and len(named) < size:
        others = [
            place for place in np.argsort(shares, kind="stable").tolist() if place not in meant
        ]
        named = [*named, *others[: size - len(named)]]
    weights = shares.copy()
    weights[named] *= naming.odds
    return sorted(named), float(min(weights[meant].sum() / weights.sum(), 1.0))


def readings(attribute: Attribute, perturbation: Perturbation, prior: Prior) -> tuple[Reading, ...]:
    shares, naming = prior.probabilities, perturbation.sets.naming(attribute.k)
    value = perturbation.epsilon_of(attribute)
    found = attack_success(naming, shares)
    guess = float(shares.max())
    success = Message(
        "An attacker who sees a set is correct {success} of the time, and from the prior alone "
        "{prior_guess}.",
        success=percent(found),
        prior_guess=percent(guess),
    )
    beliefs = [surest_set(naming, shares, [place])[1] for place in range(attribute.k)]
    worst = int(np.argmax(beliefs))
    rise = int(np.argmax(np.array(beliefs) - shares))
    return (
        belief.reading(set_belief(naming, attribute, shares)),
        Reading("attack_success", attack.LABEL, found, success, "share"),
        attack.prior_reading(attack.AttackSuccess(found, guess, 0, found)),
        Reading(
            "worst_posterior",
            posterior.LABEL,
            beliefs[worst],
            _movement(attribute.values[worst], float(shares[worst]), beliefs[worst]),
            "share",
        ),
        Reading(
            "belief_rise",
            posterior.RISE_LABEL,
            beliefs[rise] - float(shares[rise]),
            _movement(attribute.values[rise], float(shares[rise]), beliefs[rise]),
            "share",
        ),
        epsilon.reading(value),
        epsilon.amplification_reading(math.exp(value)),
    )


def _movement(value: str, before: float, after: float) -> Message:
    return Message(
        "A set that names “{value}” and otherwise rare values changes belief in it from {before} "
        "to {after}.",
        value=value,
        before=percent(before),
        after=percent(after),
    )


def belief_in_report(
    perturbation: Perturbation,
    attribute: Attribute,
    shares: Numbers,
    answering: Matrix | None = None,
) -> belief.SensitiveBelief:
    """Belief in the sensitive answers after the report, a value or a set, that makes it highest.

    ``answering`` is how people answer, where that is not the matrix of the device.
    """
    naming = perturbation.naming_for(attribute)
    if naming is not None:
        return set_belief(naming, attribute, shares)
    matrix = perturbation.values.matrix(attribute.k) if answering is None else answering
    return belief.sensitive_belief(Joint.of(matrix, shares), attribute)


def set_belief(naming: Naming, attribute: Attribute, shares: Numbers) -> belief.SensitiveBelief:
    meant = belief.meant_places(attribute, shares)
    named, after = surest_set(naming, shares, meant)
    values = [attribute.values[place] for place in named]
    shown = ", ".join([*values[:_SHOWN], *(["…"] if len(values) > _SHOWN else [])])
    return belief.SensitiveBelief(
        tuple(attribute.values[place] for place in meant),
        bool(attribute.sensitive),
        shown,
        min(1.0, float(shares[meant].sum())),
        after,
    )
