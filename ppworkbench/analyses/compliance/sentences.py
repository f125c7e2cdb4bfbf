"""What was found about compliance, in sentences for people and for a methods section."""

from __future__ import annotations

import math

import numpy as np

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.compliance.band import RANDOM, SAFE, TRUTH
from ppworkbench.core.compliance.classes import (
    Behaviour,
    Estimate,
    check_identified,
    error_before_data,
)
from ppworkbench.core.compliance.models import ANCHOR, CDM, ECWM, SLD, UNRELATED
from ppworkbench.core.compliance.question import BAND, CLASSES, DIRECT, KNOWN
from ppworkbench.core.compliance.result import Compliance, is_direct
from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message
from ppworkbench.core.reconstruct.pooled import Arm, fit_shares
from ppworkbench.core.sampling.results import describe_roles
from ppworkbench.study.study import Study


def followed(found: Compliance) -> Estimate | None:
    """The share of people who followed, where classes or attention were estimated."""
    attentive = found.parameters.get("attentive")
    if attentive is not None:
        return attentive
    classes = found.classes
    if classes is None or not classes.extra:
        return None
    k = found.attribute.k
    gone = classes.estimates[k:]
    if len(gone) == 1:
        one = gone[0]
        return Estimate(1 - one.estimate, one.standard_error, 1 - one.high, 1 - one.low)
    chosen = np.zeros(len(classes.fitted.shares))
    chosen[k:] = 1.0
    error = math.sqrt(max(float(chosen @ classes.fitted.covariance @ chosen), 0.0))
    share = 1 - float(chosen @ classes.fitted.shares)
    reach = classes.factor * error
    return Estimate(share, error, max(share - reach, 0.0), min(share + reach, 1.0))


def in_words(found: Compliance) -> Message:
    """The answer as a survey statistician would tell a colleague."""
    told = list(_differences(found))
    told += _main_sentences(found)
    if found.direct is not None and found.model != DIRECT:
        told += _direct_sentences(found)
    return Message.joined(told)


def _differences(found: Compliance) -> list[Message]:
    """What two arms should differ by, and what they do."""
    classes, arms = found.classes, found.randomised
    if classes is None or len(arms) != 2 or found.attribute.k != 2:
        return []
    k, place = 2, found.attribute.values.index(found.sensitive[0])
    followers = classes.fitted.shares[:k]
    total = float(followers.sum())
    if total <= 0:
        return []
    expected = [float((arm.matrix @ followers / total)[place]) for arm in arms]
    reported = [float(arm.counts[place]) / arm.n for arm in arms]
    first, second = (0, 1) if expected[1] >= expected[0] else (1, 0)
    return [
        Message(
            "If all followed, arm {second} would report “{value}” {expected:.1f} points more often "
            "than arm {first}; the reports differ by {reported:.1f} points.",
            second=arms[second].name,
            first=arms[first].name,
            value=found.sensitive[0],
            expected=100 * (expected[second] - expected[first]),
            reported=100 * (reported[second] - reported[first]),
        )
    ]


def _main_sentences(found: Compliance) -> list[Message]:
    classes = found.classes
    if classes is not None and classes.extra:
        return _class_sentences(found)
    if found.model == DIRECT:
        return _direct_sentences(found)
    told: list[Message] = []
    attentive = found.parameters.get("attentive")
    if attentive is not None:
        told.append(
            Message(
                "About {attentive:.0f} of 100 answered the check question by the device.",
                attentive=100 * attentive.estimate,
            )
        )
    if found.model == BAND and len(found.randomised) == 1:
        told.append(Message("One arm cannot show compliance. Use the band, or add an arm."))
    if found.model == BAND:
        # The sentence of a band, whatever the arms say.
        told.append(found.band_sentence(SAFE))
    else:
        told.append(Message.of(found.sentence))
    return told


def _class_sentences(found: Compliance) -> list[Message]:
    classes, one = found.classes, followed(found)
    assert classes is not None  # noqa: S101 (seen by the caller)
    assert one is not None  # noqa: S101 (there are extra classes)
    k = found.attribute.k
    values = found.attribute.values
    if classes.fitted.at_bound[k:].all():
        do = [
            Message("give answers at random")
            if part.value is None
            else Message("always say “{value}”", value=values[part.value])
            for part in classes.extra
        ]
        return [
            Message(
                "No sign of people who {do}; 5 % of them would have been missed with probability "
                "{missed:.0f} %. The share of “{values}” is {plain:.1f} %.",
                do=Message.joined(do, ", "),
                missed=100 * (1 - classes.power),
                values=" / ".join(found.sensitive),
                plain=100 * found.uncorrected.estimate,
            )
        ]
    others = [
        Message("{count:.0f} answered at random", count=100 * part.estimate)
        if behaviour.value is None
        else Message(
            "{count:.0f} said “{value}” regardless",
            count=100 * part.estimate,
            value=values[behaviour.value],
        )
        for part, behaviour in zip(classes.estimates[k:], classes.extra, strict=True)
    ]
    readings = classes.readings
    return [
        Message(
            "About {followed:.0f} of 100 followed the instructions; {others}.",
            followed=100 * one.estimate,
            others=Message.joined(others, ", "),
        ),
        Message(
            "If all had followed, the share of “{values}” would be {plain:.1f} %; corrected it is "
            "{low:.0f} to {high:.0f} %, depending on who the others are.",
            values=" / ".join(found.sensitive),
            plain=100 * found.uncorrected.estimate,
            low=100 * readings["low"].estimate,
            high=100 * readings["high"].estimate,
        ),
    ]


def _direct_sentences(found: Compliance) -> list[Message]:
    direct = found.direct
    if direct is None:
        return []
    values = " / ".join(found.sensitive)
    told = [
        Message(
            "Asked directly, {direct:.1f} % say “{values}”; with the device the share is "
            "{device:.1f} %, a difference of {points:.1f} points (p {p}).",
            direct=100 * direct.share.estimate,
            values=values,
            device=100 * (direct.share.estimate + direct.difference.estimate),
            points=100 * direct.difference.estimate,
            p=p_equals(direct.equality.p),
        )
    ]
    if math.isfinite(direct.denying.estimate) and direct.denying.estimate > 0:
        told.append(
            Message(
                "Of 100 people with the trait, {denying:.0f} deny it when asked directly.",
                denying=100 * direct.denying.estimate,
            )
        )
    plain = found.direct_if_all_followed
    if plain is not None:
        told.append(
            Message(
                "If all had followed, the share with the device would be {device:.1f} %, a "
                "difference of {points:.1f} points (p {p}).",
                device=100 * found.uncorrected.estimate,
                points=100 * plain.difference.estimate,
                p=p_equals(plain.equality.p),
            )
        )
    random = (plain or direct).random
    if random is not None and 0 < random < 1:
        told.append(
            Message(
                "{share:.1f} % of answers at random would explain the whole difference.",
                share=100 * random,
            )
        )
    return told


def behaviour_axis(found: Compliance, behaviour: str) -> Message:
    """What the axis of a band is about."""
    if behaviour == RANDOM:
        return Message("share who answer at random")
    if behaviour == TRUTH:
        return Message("share who tell the truth regardless")
    return Message("share who always say “{value}”", value=found.always_value(behaviour))


def behaviour_name(found: Compliance, behaviour: str) -> Message:
    """What people who do not follow are called on an axis."""
    if behaviour == RANDOM:
        return Message("at random")
    if behaviour == TRUTH:
        return Message("the truth")
    return Message("always “{value}”", value=found.always_value(behaviour))


def p_equals(p: float) -> Message:
    """A p value behind its letter."""
    if not math.isfinite(p):
        return Message("unknown")
    return Message("< 0.001") if p < 0.001 else Message("= {p:.3f}", p=p)


_MODEL_NAMES = {
    CLASSES: Message("a model of behaviour classes"),
    CDM: Message("the cheater-detection model"),
    SLD: Message("the stochastic lie detector"),
    ECWM: Message("the extended crosswise model"),
    UNRELATED: Message("the unrelated-question model with an unknown harmless share"),
    ANCHOR: Message("the bias-corrected crosswise model with a check question"),
    DIRECT: Message("a comparison with direct questions"),
    KNOWN: Message("a correction by a known share of people who do not follow"),
    BAND: Message("a band over the share of people who do not follow"),
}


def second_arm(found: Compliance) -> Message | None:
    """What half of the people in a second arm would have told, and what it would have cost."""
    arms = found.randomised
    if len(arms) != 1 or is_direct(arms[0]):
        return None
    arm, k = arms[0], found.attribute.k
    other, how = _other_device(arm.matrix)
    halves = [Arm("", arm.counts / 2, arm.matrix), Arm("", arm.counts / 2, other)]
    column = np.eye(k)[:, [found.safe]]
    whole = [one.with_matrix(np.hstack([one.matrix, column])) for one in halves]
    try:
        check_identified(whole, found.attribute.values, (Behaviour(found.safe),))
    except DataError:
        return None
    x = np.clip(np.linalg.solve(arm.matrix, arm.counts / arm.n), 0.01, None)
    x /= x.sum()
    places = [found.attribute.values.index(value) for value in found.sensitive]
    chosen = np.zeros(k)
    chosen[places] = 1.0
    class_error = float(error_before_data(whole, np.append(0.95 * x, 0.05))[k])
    both = fit_shares([Arm("", one.n * (one.matrix @ x), one.matrix) for one in halves])
    error = math.sqrt(max(float(chosen @ both.covariance @ chosen), 0.0))
    return Message(
        "A second arm for half of the people, {how}, would have measured those who always say "
        "“{value}” to ± {points:.0f} points. The share itself would be known to ± {after:.1f} "
        "instead of ± {before:.1f} points.",
        how=how,
        value=found.attribute.values[found.safe],
        points=100 * found.factor * class_error,
        after=100 * found.factor * error,
        before=100 * found.factor * found.uncorrected.standard_error,
    )


def _other_device(matrix: Numbers) -> tuple[Numbers, Message]:
    """A device with which a report means something else."""
    turned = matrix[::-1, ::-1]
    if len(matrix) == 2 and np.abs(turned - matrix).max() > 1e-9:
        return turned, Message("with the two forced answers exchanged")
    if len(matrix) == 2:
        return matrix[::-1], Message("with p and 1 − p exchanged")
    return 0.6 * matrix + 0.4 / len(matrix), Message("with less truth")


def compliance_methods(found: Compliance, study: Study, how: Message) -> tuple[str, ...]:
    """Sentences for a methods section; ``how`` says how the question was randomised."""
    parts = [
        Message(
            "Compliance with the instructions of {attribute} was estimated by {model} from the "
            "randomised answers of {n:,} respondents in {arms} ({how}).",
            attribute=found.attribute.name,
            model=_MODEL_NAMES[found.model],
            n=sum(found.rows.get(arm.name, round(arm.n)) for arm in found.arms),
            arms=(
                Message("1 arm")
                if len(found.arms) == 1
                else Message("{count} arms", count=len(found.arms))
            ),
            how=how,
        )
    ]
    if found.classes is not None:
        parts.append(
            Message(
                "Class shares maximise the likelihood of the reports on the simplex; the test of "
                "full compliance refers to a mixture of chi-square distributions, since shares "
                "cannot be negative."
            )
        )
    parts.append(in_words(found))
    if found.honesty is not None:
        parts.append(
            Message(
                "Test of full compliance: {name} = {statistic:.2f}, p {p}.",
                name=found.test_name,
                statistic=found.honesty.statistic,
                p=p_equals(found.honesty.p),
            )
        )
    if found.sampling is not None:
        roles = Message.joined(describe_roles(found.sampling), ", ")
        parts.append(Message("The sampling was taken into account: {roles}.", roles=roles))
        parts.append(Message("Standard errors follow from the sampling (linearisation)."))
    return tuple(study.titled(one) for one in parts)
