"""The questionnaire as a whole: what all published answers of one person tell together.

Epsilon adds up over independently distorted attributes (sequential composition, Dwork et al. 2006);
a group counts once, because its answers hang on one coin. The number of answers that an attacker
guesses right has the Poisson-binomial distribution, attributes being treated as independent but for
those of a group: these are right together when its coin says the truth.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping

import numpy as np

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.design import Design, Group
from ppworkbench.core.design.linked_waves import without_linking
from ppworkbench.core.message import Message
from ppworkbench.core.privacy import epsilon, pse
from ppworkbench.core.privacy.reading import BOUNDLESS, Reading, percent, plain
from ppworkbench.core.privacy.report import AttributeReport, GroupReport, QuestionnaireReport
from ppworkbench.core.privacy.spending import distorted_epsilon

EPSILON_LABEL = "Epsilon of the questionnaire"
DISTORTED_LABEL = "Epsilon of the randomised answers"
GUESSES_LABEL = "Correct guesses"


def at_least(successes: Iterable[float]) -> tuple[float, ...]:
    """``Pr(at least m are right)`` for m = 0, 1, … of independent guesses.

    >>> at_least([0.5, 0.5])
    (1.0, 0.75, 0.25)
    """
    return _tail(_count(successes))


def _count(successes: Iterable[float]) -> Numbers:
    pmf = np.ones(1)
    for success in successes:
        pmf = np.convolve(pmf, (1 - success, success))
    return pmf


def _tail(pmf: Numbers) -> tuple[float, ...]:
    tail = np.minimum(np.cumsum(pmf[::-1])[::-1], 1.0)
    tail[0] = 1.0
    return tuple(tail.tolist())


def summarise(design: Design, reports: Mapping[str, AttributeReport]) -> QuestionnaireReport:
    """Put the reports of all attributes together.

    ``reports`` must hold every attribute of the design; when one perturbation changes only its
    report has to be made anew.
    """
    listed = tuple(reports[name] for name in design.names)
    groups = tuple(_group_report(group, design, reports) for group in design.groups)
    right = [report.privacy["attack_success"].value for report in listed]
    blind = [report.privacy["prior_guess"].value for report in listed]
    grouped = {name for group in design.groups for name in group.attributes}
    counted = _count(
        report.privacy["attack_success"].value for report in listed if report.name not in grouped
    )
    for group in design.groups:
        counted = np.convolve(counted, _group_count(group, reports))
    right_at_least, blind_at_least = _tail(counted), at_least(blind)
    readings = (
        *_epsilon_readings(design, listed),
        _guesses_reading(right_at_least, sum(right), sum(blind)),
    )
    return QuestionnaireReport(
        listed, groups, readings, right_at_least, blind_at_least, _warnings(design)
    )


def _group_count(group: Group, reports: Mapping[str, AttributeReport]) -> Numbers:
    """How many guesses about a group are right: they hang together on its coin."""
    told, untold = [], []
    for name in group.attributes:
        matrix, shares = reports[name].matrix, reports[name].prior.probabilities
        assert matrix is not None  # noqa: S101 (only values are in groups)
        k = len(shares)
        guess = np.argmax(matrix * shares, axis=1)
        is_right = guess[:, None] == np.arange(k)
        # With theta 0 the marginal is what happens when the coin does not say the truth.
        other = dataclasses.replace(group, theta=0.0).marginal(name).matrix(k)
        told.append(float((np.eye(k) * is_right).sum(axis=0) @ shares))
        untold.append(float((other * is_right).sum(axis=0) @ shares))
    return group.theta * _count(told) + (1 - group.theta) * _count(untold)


def total_epsilon(design: Design) -> float:
    """Epsilon of all answers of one person; a group counts once, and of arms the largest one.

    Where people are asked some of the questions only, those that tell most count.

    >>> from ppworkbench.core.data.attribute import Attribute, Kind
    >>> from ppworkbench.core.design import DesignedAttribute, Related
    >>> asked = (Attribute(name, Kind.BINARY, ("no", "yes")) for name in ("drugs", "theft"))
    >>> both = Design(tuple(DesignedAttribute(one, Related(theta=0.75)) for one in asked))
    >>> round(total_epsilon(both), 4)
    2.1972
    """
    # A random number that links waves is no answer.
    design = without_linking(design)
    if design.has_arms:
        return max(total_epsilon(design.of_arm(name)) for name in design.versions.names)
    if len(design.randomised) < len(design.names):
        return math.inf
    return distorted_epsilon(design)


def _group_report(
    group: Group, design: Design, reports: Mapping[str, AttributeReport]
) -> GroupReport:
    values = {name: design[name].attribute.k for name in group.attributes}
    together = epsilon.joint_epsilon(group, values)
    readings = [epsilon.group_reading(together, len(values))]
    entries = [
        reports[name].privacy["pse"].value
        for name in group.attributes
        if "pse" in reports[name].privacy
    ]
    if entries:
        readings.append(pse.reading(pse.group_pse(entries)))
    return GroupReport(group.attributes, tuple(readings))


def _epsilon_readings(design: Design, reports: tuple[AttributeReport, ...]) -> tuple[Reading, ...]:
    open_answers = sum(
        report.perturbation.is_identity
        for report in reports
        if design.group_of(report.name) is None
    )
    known = {
        report.name: report.privacy["epsilon"].value
        for report in reports
        if not report.perturbation.is_identity
    }
    total = distorted_epsilon(design, known)
    distorted = Reading("epsilon_distorted", DISTORTED_LABEL, total, _epsilon_sentence(total))
    if not open_answers:
        return (Reading("epsilon", EPSILON_LABEL, total, distorted.sentence), distorted)
    sentence = (
        Message(
            "∞ (some answers are ruled out): 1 of {count} answers is not randomised.",
            count=len(reports),
        )
        if open_answers == 1
        else Message(
            "∞ (some answers are ruled out): {open_answers} of {count} answers are not randomised.",
            open_answers=open_answers,
            count=len(reports),
        )
    )
    return (Reading("epsilon", EPSILON_LABEL, math.inf, sentence), distorted)


def _epsilon_sentence(total: float) -> str:
    if math.isinf(total):
        return Message(
            "∞ (some answers are ruled out): nothing bounds what all answers disclose together."
        )
    if total == 0:
        return "All reported answers together are independent of the true ones."
    if total >= BOUNDLESS:
        return Message(
            "Together, all reported answers of one respondent can change the odds between two "
            "sets of true answers more than 100 million-fold, which is practically no bound."
        )
    return Message(
        "Together, all reported answers of one respondent change the odds between two "
        "sets of true answers at most {factor}-fold (smaller is more private).",
        factor=plain(math.exp(total)),
    )


def _guesses_reading(tail: tuple[float, ...], right: float, blind: float) -> Reading:
    count = len(tail) - 1
    half = -(-count // 2)
    sentence = Message(
        "An attacker's best guesses are correct for {right} of {count} answers on "
        "average ({blind} from the prior alone), for at least {half} with probability "
        "{tail} and for all with probability {tail2}, if the answers are independent.",
        right=plain(right),
        count=count,
        blind=plain(blind),
        half=half,
        tail=percent(tail[half]),
        tail2=percent(tail[count]),
    )
    return Reading("expected_right", GUESSES_LABEL, right, sentence)


def _warnings(design: Design) -> tuple[str, ...]:
    found = []
    if any(not designed.missing_is_value for designed in design):
        found.append(
            "A missing answer stays missing and can itself be sensitive, unless "
            "“missing” becomes a value."
        )
    found += [
        Message(
            "The group of {attributes} reverses all its answers together: two reported "
            "answers disclose whether the true ones agree.",
            attributes=tuple(group.attributes),
        )
        for group in design.groups
        if group.type == "related" and len(group.attributes) > 1
    ]
    return tuple(found)
