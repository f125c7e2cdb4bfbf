"""All privacy and utility readouts of an attribute or a design."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping

import numpy as np

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Table
from ppworkbench.core.design import Design, DesignedAttribute, Perturbation
from ppworkbench.core.design.matrices import NEARLY_SINGULAR
from ppworkbench.core.errors import DesignError
from ppworkbench.core.message import Message
from ppworkbench.core.privacy import (
    agrawal_srikant,
    attack,
    basic,
    belief,
    conditional,
    entropy,
    epsilon,
    posterior,
    pse,
    sets,
)
from ppworkbench.core.privacy import entropy as range_privacy
from ppworkbench.core.privacy.joint import Joint
from ppworkbench.core.privacy.number_view import number_view
from ppworkbench.core.privacy.prior import Prior
from ppworkbench.core.privacy.questionnaire import summarise
from ppworkbench.core.privacy.reading import Reading, percent, plain
from ppworkbench.core.privacy.report import (
    ArmsReport,
    AttributeReport,
    PrivacyReport,
    QuestionnaireReport,
)
from ppworkbench.core.privacy.spending import share_asked
from ppworkbench.core.privacy.utility.assess import assess_utility
from ppworkbench.core.privacy.utility.channel import ShareChannel
from ppworkbench.core.privacy.utility.noncompliance import (
    NOT_OF_SETS,
    NonCompliance,
    answering_matrix,
    known_noncompliance,
    mix_numbers,
)
from ppworkbench.core.privacy.utility.standard_errors import checked_n
from ppworkbench.core.progress import Progress, part, silent


def cautions(
    attribute: Attribute,
    perturbation: Perturbation,
    prior: Prior,
    condition: float | None,
    missing_is_value: bool,
) -> tuple[str, ...]:
    """The warnings of one attribute; ``condition`` is that of its P-matrix, if it has one."""
    found = list(_about_matrix(condition))
    found += perturbation.cautions(attribute)
    if prior.missing > 0 and not missing_is_value:
        found.append(
            Message(
                "{missing} of the answers are missing and stay missing: non-response is "
                "disclosed and can itself be sensitive.",
                missing=percent(prior.missing),
            )
        )
    return tuple(found)


def _about_matrix(condition: float | None) -> Iterator[str]:
    if condition is None or condition <= NEARLY_SINGULAR:
        return
    if math.isinf(condition):
        yield (
            "The matrix is singular: EQ has no solution and EM is not identified, "
            "because different true distributions give the same reported one."
        )
    else:
        yield (
            Message(
                "The matrix is nearly singular (condition number {condition}): in "
                "practice EQ has no usable solution and EM is not identified.",
                condition=plain(condition),
            )
        )


def assess_attribute(
    designed: DesignedAttribute | tuple[Attribute, Perturbation],
    prior: Prior | None = None,
    n: int = 1000,
    noncompliance: NonCompliance | None = None,
) -> AttributeReport:
    """All readouts of one attribute by closed forms.

    Parameters
    ----------
    designed
        The attribute and how it is distorted; of a member of a group, its marginal perturbation.
    prior
        The distribution of the true answers; uniform if not given.
    n
        The number of respondents, for utility.
    noncompliance
        How many ignore the device; nobody if not given. Some privacy measures of a number tell
        of its noise alone, and their sentences say so.

    Examples
    --------
    >>> from ppworkbench.core.design import Related
    >>> answer = Attribute("smokes", Kind.BINARY, ("no", "yes"))
    >>> report = assess_attribute((answer, Related(theta=0.75)))
    >>> round(report.privacy["epsilon"].value, 4)
    1.0986
    """
    if isinstance(designed, DesignedAttribute):
        attribute, perturbation = designed.attribute, designed.perturbation
        missing_is_value = designed.missing_is_value
    else:
        attribute, perturbation = designed
        perturbation.check(attribute)
        missing_is_value = False
    prior = Prior.uniform(attribute) if prior is None else _fitting(prior, attribute)
    ignoring = known_noncompliance(perturbation, noncompliance)
    privacy = privacy_readings(attribute, perturbation, prior, ignoring)
    utility = assess_utility(attribute, perturbation, prior, n, noncompliance=ignoring)
    matrix = perturbation.matrix_for(attribute)
    condition = None if matrix is None else utility.condition
    warned = cautions(attribute, perturbation, prior, condition, missing_is_value)
    if ignoring is None and noncompliance is not None and noncompliance.share > 0:
        warned += (NOT_OF_SETS,)
    return AttributeReport(
        attribute, perturbation, prior, matrix, privacy, utility, warned, ignoring
    )


def assess_asked(
    design: Design,
    designed: DesignedAttribute,
    prior: Prior | None,
    n: int,
    noncompliance: NonCompliance | None = None,
) -> AttributeReport:
    """The readouts of a question of which those tell who are asked it, of n respondents."""
    share = share_asked(design, (designed.name,))
    asked = max(1, round(checked_n(n) * share))
    report = assess_attribute(designed, prior, asked, noncompliance)
    if share == 1:
        return report
    told = Message(
        "Each person is asked {ask} of {count} parts of the questionnaire: of {n:,} respondents "
        "{asked:,} are asked this question, and the figures are about them.",
        ask=design.ask,
        count=len(design.parts),
        n=n,
        asked=asked,
    )
    return dataclasses.replace(report, warnings=(*report.warnings, told))


def privacy_readings(
    attribute: Attribute,
    perturbation: Perturbation,
    prior: Prior,
    noncompliance: NonCompliance | None = None,
) -> PrivacyReport:
    if attribute.kind.is_numeric:
        return PrivacyReport(_number_readings(attribute, perturbation, prior, noncompliance))
    matrix = perturbation.matrix_for(attribute)
    if matrix is None:
        return PrivacyReport(sets.readings(attribute, perturbation, prior))
    channel = ShareChannel(attribute.values, prior.probabilities, matrix)
    reported = answering_matrix(attribute, channel, noncompliance)
    seen = Joint.of(reported, prior.probabilities)
    # Epsilon is that of what is drawn, unless people do something else.
    exact = perturbation.values.drawn_matrix(attribute.k) if noncompliance is None else reported
    gamma = epsilon.amplification(exact)
    return PrivacyReport(_value_readings(seen, gamma, attribute, perturbation, prior))


def assess(
    design: Design,
    priors: Mapping[str, Prior] | None = None,
    n: int = 1000,
    noncompliance: NonCompliance | None = None,
    progress: Progress = silent,
) -> QuestionnaireReport:
    """All readouts of a design; attributes without a prior are taken as uniform.

    A design with arms is read arm by arm, see :func:`assess_arms`.

    >>> from ppworkbench.core.design import Related
    >>> answer = Attribute("smokes", Kind.BINARY, ("no", "yes"))
    >>> design = Design((DesignedAttribute(answer, Related(theta=0.75)),))
    >>> assess(design).right_at_least
    (1.0, 0.75)
    """
    design.refuse_arms()
    priors = {} if priors is None else priors
    for name in priors:
        design[name]
    reports = {}
    for place, one in enumerate(design):
        progress(place / len(design.names), one.name)
        # A member of a group is distorted as its marginal says, not as its own field does.
        in_effect = DesignedAttribute(
            one.attribute, design.perturbation(one.name), one.missing_is_value
        )
        prior = priors.get(one.name)
        reports[one.name] = assess_asked(design, in_effect, prior, n, noncompliance)
    return summarise(design, reports)


def assess_arms(
    design: Design,
    priors: Mapping[str, Prior] | None = None,
    n: int = 1000,
    noncompliance: NonCompliance | None = None,
    progress: Progress = silent,
) -> ArmsReport:
    """All readouts of every arm of a design; n respondents get the arms by their shares."""
    if not design.has_arms:
        raise DesignError("The design has no arms to be told apart.", field="arms")
    reports, names = {}, design.versions.names
    for place, arm in enumerate(design.versions.members):
        own = design.of_arm(arm.name)
        known = {name: one for name, one in (priors or {}).items() if name in own}
        step = part(progress, place / len(names), (place + 1) / len(names))
        size = max(round(n * arm.share), 1)
        reports[arm.name] = assess(own, known, size, noncompliance, step)
    told = ((one.disclosure, *one.why_items_leak(design.names)) for one in design.lists)
    return ArmsReport(reports, tuple(one for listed in told for one in listed))


def priors_of(table: Table, design: Design) -> dict[str, Prior]:
    return {
        one.name: Prior.from_column(table[one.name], one.attribute)
        for one in design
        if one.name in table
    }


def _fitting(prior: Prior, attribute: Attribute) -> Prior:
    given = prior.attribute
    if (given.values, given.domain) != (attribute.values, attribute.domain) or (
        given.kind.is_numeric and given.kind is not attribute.kind
    ):
        raise DesignError.saying(
            "Attribute {attribute!r}: the prior covers other values than the design; "
            "take it again.",
            attribute=attribute.name,
            field="prior",
        )
    return prior


def _value_readings(
    seen: Joint, gamma: float, attribute: Attribute, perturbation: Perturbation, prior: Prior
) -> tuple[Reading, ...]:
    left = conditional.conditional_privacy(seen)
    guess = attack.attack_success(seen)
    readings = [
        belief.reading(belief.sensitive_belief(seen, attribute)),
        attack.reading(guess, prior),
        attack.prior_reading(guess),
        posterior.reading(posterior.worst_posterior(seen), prior),
        posterior.rise_reading(posterior.largest_rise(seen), prior),
        epsilon.reading(float(np.log(gamma))),
        epsilon.amplification_reading(gamma),
        entropy.reading(entropy.entropy_privacy(seen), prior.k),
        conditional.reading(left),
        conditional.loss_reading(left),
    ]
    unlikely = posterior.breach(seen)
    if unlikely is not None:
        readings.insert(5, posterior.breach_reading(unlikely, prior))
    if prior.attribute.kind is Kind.BINARY:
        one = prior.attribute.values[1]
        readings.append(basic.reading(basic.basic_privacy_of(seen), one))
        coin = perturbation.values.coin
        if coin is not None and coin.is_blind:
            readings.append(pse.reading(pse.pse_of(seen)))
    return tuple(readings)


def _number_readings(
    attribute: Attribute,
    perturbation: Perturbation,
    prior: Prior,
    noncompliance: NonCompliance | None,
) -> tuple[Reading, ...]:
    mix = mix_numbers(noncompliance)
    view = number_view(attribute, perturbation, prior, mix)
    of_noise = _plainly if mix is None else _without_noncompliance
    guess = attack.attack_success(view.seen)
    left = conditional.from_information(view.prior_bits, view.information)
    readings = [
        attack.number_reading(guess, prior),
        attack.prior_reading(guess),
        of_noise(epsilon.number_reading(perturbation.epsilon_of(attribute))),
    ]
    width = entropy.noise_entropy_privacy(perturbation, attribute, prior)
    if width is None:
        readings.append(entropy.published_reading(float(2.0**view.published_bits)))
    else:
        readings.append(of_noise(entropy.noise_reading(width, perturbation, attribute)))
    readings += [conditional.number_reading(left, view.cell), conditional.loss_reading(left)]
    if perturbation.is_identity:
        return tuple(readings)
    percentage = None if width is None else range_privacy.range_privacy(width, attribute)
    if percentage is not None:
        readings.append(of_noise(range_privacy.range_reading(percentage)))
    for confidence, interval in (
        agrawal_srikant.agrawal_srikant_widths(perturbation, attribute, prior) or ()
    ):
        readings.append(of_noise(agrawal_srikant.reading(confidence, interval)))
    return tuple(readings)


def _plainly(reading: Reading) -> Reading:
    return reading


def _without_noncompliance(reading: Reading) -> Reading:
    """A measure of the noise itself: what people do with it is no part of it."""
    sentence = Message(
        "{sentence} Non-compliance is not included: it is a measure of the noise alone.",
        sentence=reading.sentence,
    )
    return dataclasses.replace(reading, sentence=sentence)
