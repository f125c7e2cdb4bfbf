"""Whether people followed the instructions: what can be asked of a study, and the answer in words.

Texts are messages, which each face says in its language; files for other programs have English
heads and all digits, as those of the other questions.
"""

from __future__ import annotations

import csv
import dataclasses
import io
import math
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.compliance.assess import (
    ALWAYS,
    BAND,
    CLASSES,
    DIRECT,
    KNOWN,
    MODELS,
    Compliance,
    ComplianceQuestion,
    assess_compliance,
    is_direct,
    sensitive_places,
)
from ppworkbench.core.compliance.band import RANDOM, SAFE, TRUTH, BandPoint
from ppworkbench.core.compliance.classes import (
    Behaviour,
    Estimate,
    check_identified,
    error_before_data,
)
from ppworkbench.core.compliance.models import ANCHOR, CDM, ECWM, SLD, UNRELATED
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.data.csv_writer import escape_formula
from ppworkbench.core.design.anchors import Anchor
from ppworkbench.core.design.design import Design
from ppworkbench.core.errors import DataError, ParameterError, WorkbenchError
from ppworkbench.core.files import write_text
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.reconstruct.pooled import Arm, Test, fit_shares
from ppworkbench.core.sampling.results import describe_roles
from ppworkbench.study.distorted_cache import Answers
from ppworkbench.study.study import Study

RESULTS = "compliance"
"""Under which name the study keeps whether Share tells the three readings, and by which model."""
SAFE_AND_RANDOM = "safe+random"
_MOST_CLASSES = 6
"""An attribute with more values gets no class for each of them."""
_LOW_P = 0.05
Rows = list[list[str]]
Say = Callable[[str], str]


# What is asked


def to_json(question: ComplianceQuestion) -> dict[str, Any]:
    """The question as it is kept in a study; what was not asked for is left out."""
    usual = ComplianceQuestion(question.attribute)
    kept: dict[str, Any] = {"attribute": question.attribute}
    for name in ("safe", "model", "share", "share_error", "reach"):
        value = getattr(question, name)
        if value != getattr(usual, name):
            kept[name] = value
    for name in ("behaviours", "arms", "band"):
        value = getattr(question, name)
        if value != getattr(usual, name):
            kept[name] = list(value)
    if question.anchor is not None:
        kept["anchor"] = dataclasses.asdict(question.anchor)
    return kept


def from_json(given: Mapping[str, Any]) -> ComplianceQuestion:
    """A question that was kept; what cannot be one is a ValueError."""
    try:
        anchor, share, reach = given.get("anchor"), given.get("share"), given.get("reach")
        model = str(given.get("model", ""))
        if model and model not in MODELS:
            raise ValueError(model)
        low, high = given.get("band", (0.0, 0.3))
        return ComplianceQuestion(
            str(given["attribute"]),
            tuple(map(str, given.get("behaviours", ()))),
            str(given.get("safe", "")),
            model,
            None
            if anchor is None
            else Anchor(str(anchor["column"]), float(anchor["p"]), float(anchor.get("share", 0))),
            None if share is None else float(share),
            float(given.get("share_error", 0.0)),
            (float(low), float(high)),
            None if reach is None else float(reach),
            arms=tuple(map(str, given.get("arms", ()))),
        )
    except (KeyError, TypeError, AttributeError, WorkbenchError) as error:
        raise ValueError(str(error)) from None


def attributes_to_check(design: Design) -> list[str]:
    """The questions whose answers are randomised and have values."""
    return [
        one.name
        for one in design
        if one.attribute.kind.is_categorical
        and one.attribute.k > 1
        and not design.perturbation(one.name).is_identity
    ]


def question_arms(design: Design, name: str, chosen: Sequence[str] = ()) -> tuple[Arm, ...]:
    """The arms of a question without answers: what people report there if they follow."""
    attribute = design[name].attribute
    return tuple(
        Arm(arm, np.zeros(attribute.k), matrix)
        for arm, matrix, _ in _devices(design, attribute)
        if not chosen or arm in chosen
    )


def _devices(design: Design, attribute: Attribute) -> list[tuple[str, Numbers, float]]:
    """Name, matrix and, for an unrelated question, the probability of the sensitive one."""
    perturbation = design.perturbation(attribute.name)
    known = {name: design[name].attribute for name in perturbation.columns}
    nobody = {name: np.zeros(0, np.intp) for name in (*known, attribute.name)}
    cases = perturbation.cases_of(nobody, known, attribute.name)
    found = []
    for place, device in enumerate(cases.devices):
        matrix, slope = device.matrix_parts(attribute.k)
        coin = device.coin
        asks = coin is not None and coin.question == "unrelated"
        theta = coin.theta if coin is not None and asks else math.nan
        name = cases.names[place] if cases.names else str(place + 1)
        found.append((name, matrix if slope is None else matrix + slope, theta))
    return found


def has_named_arms(design: Design, name: str) -> bool:
    """Whether versions of a question have names that people know."""
    return bool(design.perturbation(name).columns)


@dataclass(frozen=True)
class ModelChoice:
    """A way to ask who followed; ``reason`` says why it cannot be used here."""

    key: str
    label: Message
    reason: Message | None = None


def key_of(question: ComplianceQuestion) -> str:
    """Which of the choices a question is."""
    if question.anchor is not None:
        return ANCHOR
    if question.share is not None:
        return KNOWN
    if question.model:
        return question.model
    if len(question.behaviours) > 1:
        return SAFE_AND_RANDOM
    return next(iter(question.behaviours), SAFE)


def model_choices(question: ComplianceQuestion, design: Design) -> tuple[ModelChoice, ...]:
    """All models in the order in which they are offered, each with why it cannot be used."""
    attribute = design[question.attribute].attribute
    sensitive = sensitive_places(attribute)
    safe = _safe_place(question, attribute)
    always = Message("some always say “{value}”", value=attribute.values[safe])
    keys: list[tuple[str, Message]] = [(SAFE, always)]
    if attribute.k <= _MOST_CLASSES:
        keys += [
            (f"{ALWAYS}{value}", Message("some always say “{value}”", value=value))
            for place, value in enumerate(attribute.values)
            if place != safe
        ]
    keys += [
        (RANDOM, Message("some answer at random")),
        (
            SAFE_AND_RANDOM,
            Message(
                "some always say “{value}”, some answer at random", value=attribute.values[safe]
            ),
        ),
        (CDM, Message("cheater detection")),
        (SLD, Message("stochastic lie detector")),
        (ECWM, Message("extended crosswise model")),
        (UNRELATED, Message("unrelated question, harmless share unknown")),
        (ANCHOR, Message("check question of known share")),
        (DIRECT, Message("against direct questions")),
        (KNOWN, Message("known share, from a validation study")),
        (BAND, Message("nothing known: a band")),
    ]
    devices = [
        one for one in _devices(design, attribute) if not question.arms or one[0] in question.arms
    ]
    context = _Context(attribute, sensitive, safe, tuple(devices), design)
    return tuple(ModelChoice(key, label, context.why_not(key)) for key, label in keys)


def _safe_place(question: ComplianceQuestion, attribute: Attribute) -> int:
    if question.safe in attribute.values:
        return attribute.values.index(question.safe)
    sensitive = sensitive_places(attribute)
    return next((place for place in range(attribute.k) if place not in sensitive), 0)


@dataclass(frozen=True, eq=False)
class _Context:
    """What decides whether a model can be used."""

    attribute: Attribute
    sensitive: tuple[int, ...]
    safe: int
    devices: tuple[tuple[str, Numbers, float], ...]
    design: Design

    @property
    def _randomised(self) -> list[tuple[Arm, float]]:
        arms = [(Arm(name, np.zeros(self.attribute.k), matrix), theta)
                for name, matrix, theta in self.devices]  # fmt: skip
        return [(arm, theta) for arm, theta in arms if not is_direct(arm)]

    def why_not(self, key: str) -> Message | None:
        """The reason in one sentence; None where the model can be used."""
        randomised = self._randomised
        if key == BAND:
            return None
        if not randomised:
            return Message("No chosen arm has a device.")
        if key == DIRECT:
            has_direct = len(randomised) < len(self.devices)
            return None if has_direct else Message("No chosen arm asks directly.")
        if key in (CDM, SLD, ECWM, ANCHOR) and self.attribute.k != 2:
            return Message("It is for questions with 2 answers.")
        return self._why_not_by_arms(key, randomised)

    def _why_not_by_arms(  # noqa: PLR0911 (one for each kind)
        self, key: str, randomised: list[tuple[Arm, float]]
    ) -> Message | None:
        if key in (KNOWN, ANCHOR) and len(randomised) > 1:
            return Message("It is for one arm; with several, the arms estimate the share.")
        if key == KNOWN:
            return None
        if key == ANCHOR:
            return self._why_no_anchor(randomised[0][0])
        if len(randomised) < 2:
            return Message("One arm cannot show compliance; it needs 2 with other probabilities.")
        if key == ECWM:
            return _why_not_extended([arm for arm, _ in randomised])
        if key == UNRELATED:
            return _why_not_unrelated([theta for _, theta in randomised])
        return self._why_not_identified(key, [arm for arm, _ in randomised])

    def _why_no_anchor(self, arm: Arm) -> Message | None:
        if np.abs(arm.matrix - arm.matrix[::-1, ::-1]).max() > 1e-9:
            return Message("It corrects crosswise questions only.")
        if not anchor_columns(self.design, self.attribute.name):
            return Message("The study has no second question with 2 answers.")
        return None

    def _why_not_identified(self, key: str, arms: Sequence[Arm]) -> Message | None:
        extra = {
            RANDOM: (Behaviour(None),),
            SAFE_AND_RANDOM: (Behaviour(self.safe), Behaviour(None)),
        }.get(key, (Behaviour(self.safe),))
        if key.startswith(ALWAYS):
            extra = (Behaviour(self.attribute.values.index(key.removeprefix(ALWAYS))),)
        columns = [one.column(self.attribute.k) for one in extra]
        whole = [arm.with_matrix(np.column_stack([arm.matrix, *columns])) for arm in arms]
        try:
            check_identified(whole, self.attribute.values, extra)
        except DataError as error:
            return Message.of(error.message)
        return None


def _why_not_extended(arms: Sequence[Arm]) -> Message | None:
    symmetric = all(np.abs(arm.matrix - arm.matrix[::-1, ::-1]).max() < 1e-9 for arm in arms)
    mirrored = any(
        np.abs(one.matrix - other.matrix[::-1]).max() < 1e-9
        for place, one in enumerate(arms)
        for other in arms[place + 1 :]
    )
    if symmetric and mirrored:
        return None
    return Message("It needs crosswise arms whose harmless shares are p and 1 − p.")


def _why_not_unrelated(thetas: Sequence[float]) -> Message | None:
    known = len(thetas) == 2 and all(map(math.isfinite, thetas))
    if known and abs(thetas[0] - thetas[1]) > 1e-9:
        return None
    return Message(
        "It needs 2 arms with an unrelated question, asked with different probabilities."
    )


def anchor_columns(design: Design, name: str) -> list[str]:
    """Questions with two answers and one device that could be a check question."""
    return [
        one.name
        for one in design
        if one.name != name
        and one.attribute.k == 2
        and one.attribute.kind.is_categorical
        and not design.perturbation(one.name).columns
        and not design.perturbation(one.name).is_identity
    ]


def usual_anchor(design: Design, name: str) -> Anchor:
    """That of the design, else the first possible one, with the share of its own device."""
    known = design.anchor_of(name)
    if known is not None:
        return known
    column = anchor_columns(design, name)[0]
    return Anchor(column, anchor_share_of_device(design, column))


def anchor_share_of_device(design: Design, column: str) -> float:
    """The harmless share that a question's device has."""
    p = float(design.perturbation(column).matrix(2)[1, 1])
    return p if abs(p - 0.5) > 1e-9 else 0.15


def with_model(question: ComplianceQuestion, key: str, design: Design) -> ComplianceQuestion:
    """The same question by another model, with what that model usually needs."""
    plain = ComplianceQuestion(
        question.attribute, safe=question.safe, band=question.band, reach=question.reach,
        arms=question.arms,
    )  # fmt: skip
    if key == ANCHOR:
        anchor = question.anchor or usual_anchor(design, question.attribute)
        return dataclasses.replace(plain, model=ANCHOR, anchor=anchor)
    if key == KNOWN:
        share = 0.1 if question.share is None else question.share
        error = question.share_error if question.share is not None else 0.02
        return dataclasses.replace(plain, share=share, share_error=error)
    if key in MODELS:
        return dataclasses.replace(plain, model=key)
    behaviours = (SAFE, RANDOM) if key == SAFE_AND_RANDOM else (key,)
    return dataclasses.replace(plain, behaviours=behaviours)


def first_compliance(study: Study, of: str = "") -> ComplianceQuestion | None:
    """What is asked first: of a marked question with arms, by the first model that can be used."""
    offered = attributes_to_check(study.design)
    if not offered:
        return None

    def rank(name: str) -> tuple[bool, bool]:
        attribute = study.design[name].attribute
        return (not has_named_arms(study.design, name), not attribute.sensitive)

    name = of if of in offered else min(offered, key=rank)
    return fitting(ComplianceQuestion(name), study.design)


def fitting(question: ComplianceQuestion, design: Design) -> ComplianceQuestion:
    """The question as it is where it can be asked, else by the first model that can be used."""
    known = {arm.name for arm in question_arms(design, question.attribute)}
    arms = tuple(name for name in question.arms if name in known)
    question = dataclasses.replace(question, arms=arms)
    if question.safe not in ("", *design[question.attribute].attribute.values):
        question = dataclasses.replace(question, safe="")
    choices = model_choices(question, design)
    usable = [one.key for one in choices if one.reason is None]
    key = key_of(question)
    anchor = question.anchor
    if anchor is not None and anchor.column not in anchor_columns(design, question.attribute):
        key = ""
    if key not in usable:
        # What needs a number that nobody has given is not proposed.
        first = next(one for one in usable if one not in (ANCHOR, KNOWN))
        return with_model(dataclasses.replace(question, anchor=None), first, design)
    return question if question.behaviours or key != SAFE else with_model(question, SAFE, design)


def problem_of_compliance(question: ComplianceQuestion | None, design: Design) -> str:
    """Why a question cannot be asked of a design; empty if it can."""
    if question is None:
        return Message("No question is randomised, so there is nothing to follow.")
    if question.attribute not in attributes_to_check(design):
        return Message(
            "{attribute} is not a randomised question with values; choose another.",
            attribute=question.attribute,
        )
    return ""


def assess(
    question: ComplianceQuestion,
    answers: Answers,
    design: Design,
    *,
    seed: int = 0,
    progress: Progress = silent,
    **drawn: Any,
) -> Compliance:
    """Ask the answers of a study; ``drawn`` are the sampling and its options."""
    return assess_compliance(
        answers.distorted, design, question, seed=seed, progress=progress, **drawn
    )


def readings_for(study: Study, attribute: str) -> ComplianceQuestion | None:
    """The model whose three readings Share tells of a question; None where it does not."""
    kept = study.results.get(RESULTS)
    if not isinstance(kept, Mapping):
        return None
    try:
        question = from_json(kept)
    except ValueError:
        return None
    is_known = question.attribute == attribute and attribute in study.design
    return question if is_known and not problem_of_compliance(question, study.design) else None


# The answer in words


@dataclass(frozen=True)
class Fact:
    """One number with its meaning, for a card."""

    label: Message
    number: Message
    unit: Message
    reading: Message


def points(value: float) -> Message:
    """Half of an interval."""
    if not math.isfinite(value):
        return Message("")
    return Message("± {points:.0f} points", points=100 * value)


def share_text(value: float, digits: int = 0) -> Message:
    """A share in percent."""
    if digits:
        return Message("{share:.1f} %", share=100 * value)
    return Message("{share:.0f} %", share=100 * value)


def _half(one: Estimate) -> float:
    return (one.high - one.low) / 2


def _interval(one: Estimate, confidence: float) -> Message:
    if not (math.isfinite(one.low) and math.isfinite(one.high)):
        return Message("no interval: a share ends at its bound")
    return Message(
        "{level:g} % interval {low:.0f} to {high:.0f} %",
        level=100 * confidence,
        low=100 * one.low,
        high=100 * one.high,
    )


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
            "Without correction the share of “{values}” is {plain:.1f} %; corrected it is "
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
    if direct.random is not None and 0 < direct.random < 1:
        told.append(
            Message(
                "{share:.1f} % of answers at random would explain the whole difference.",
                share=100 * direct.random,
            )
        )
    return told


def behaviour_axis(found: Compliance, behaviour: str) -> Message:
    """What the axis of a band is about."""
    if behaviour == RANDOM:
        return Message("share who answer at random")
    if behaviour == TRUTH:
        return Message("share who tell the truth regardless")
    return Message("share who always say “{value}”", value=found.attribute.values[found.safe])


def behaviour_name(found: Compliance, behaviour: str) -> Message:
    """What people who do not follow are called on an axis."""
    if behaviour == RANDOM:
        return Message("at random")
    if behaviour == TRUTH:
        return Message("the truth")
    return Message("always “{value}”", value=found.attribute.values[found.safe])


def p_equals(p: float) -> Message:
    """A p value behind its letter."""
    if not math.isfinite(p):
        return Message("unknown")
    return Message("< 0.001") if p < 0.001 else Message("= {p:.3f}", p=p)


def p_number(p: float) -> Message:
    """A p value as a number of its own."""
    return Message("p {p}", p=p_equals(p))


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


def facts(found: Compliance) -> tuple[Fact, ...]:
    """The numbers of the cards: who followed, each class, the tests, attention."""
    told: list[Fact] = []
    one, classes, k = followed(found), found.classes, found.attribute.k
    if one is not None and classes is not None:
        label = Message("Followed the instructions")
        told.append(_share_fact(label, one, found))
        for part, behaviour in zip(classes.estimates[k:], classes.extra, strict=True):
            name = (
                Message("Answered at random")
                if behaviour.value is None
                else Message("Always “{value}”", value=found.attribute.values[behaviour.value])
            )
            told.append(_share_fact(name, part, found))
    if found.honesty is not None and classes is not None:
        told.append(_honesty_fact(found))
    told += _parameter_facts(found)
    if found.fit is not None:
        told.append(_fit_fact(found))
    if found.direct is not None:
        told.append(_direct_fact(found))
    if one is None:
        told += _band_facts(found)
    elif len(told) % 2:
        told.append(_share_fact(Message("Without correction"), found.uncorrected, found))
    return tuple(told[:_MOST_FACTS])


_MOST_FACTS = 6


def _share_fact(label: Message, one: Estimate, found: Compliance) -> Fact:
    at_bound = not math.isfinite(one.standard_error)
    interval = _interval(one, found.confidence)
    reading = Message("{interval}; on the boundary", interval=interval) if at_bound else interval
    unit = Message("") if at_bound else points(_half(one))
    return Fact(label, share_text(one.estimate), unit, reading)


def _honesty_fact(found: Compliance) -> Fact:
    test, classes = found.honesty, found.classes
    assert test is not None  # noqa: S101 (seen by the caller)
    assert classes is not None  # noqa: S101 (there was something to test)
    verdict = Message("does not fit") if test.p < _LOW_P else Message("fits")
    return Fact(
        Message("Fit of full compliance"),
        p_number(test.p),
        Message(""),
        Message(
            "{name} = {statistic:.1f} on {df}: {verdict}; 5 % are missed in {missed:.0f} of 100",
            name="LR" if found.sampling is None else "Wald",
            statistic=test.statistic,
            df=test.df,
            verdict=verdict,
            missed=100 * (1 - classes.power),
        ),
    )


def _fit_fact(found: Compliance) -> Fact:
    test = found.fit
    assert test is not None  # noqa: S101 (seen by the caller)
    if not math.isfinite(test.p):
        return _boundary_fact(found, test)
    verdict = Message("does not fit") if test.p < _LOW_P else Message("fits")
    return Fact(
        Message("Fit of the model"),
        p_number(test.p),
        Message(""),
        Message(
            "{name} = {statistic:.1f} on {df}: {verdict}",
            name="G²" if found.sampling is None else "Wald",
            statistic=test.statistic,
            df=test.df,
            verdict=verdict,
        ),
    )


def _boundary_fact(found: Compliance, test: Test) -> Fact:
    """How far the possible shares are from the reports, and what the equations give instead."""
    classes, solved = found.classes, found.closed_form or {}
    names = list(solved) if classes is None else list(classes.names)
    alone = [
        Message("{name}: {share:.0f} %", name=name, share=100 * share)
        for name, share in zip(names, solved.values(), strict=bool(solved))
    ]
    reading = Message("on the boundary")
    if alone:
        reading = Message(
            "on the boundary; the equations alone give {shares}", shares=Message.joined(alone, "; ")
        )
    number = Message("G² {statistic:.2f}", statistic=test.statistic)
    return Fact(Message("Fit of the model"), number, Message(""), reading)


_PARAMETERS = {
    "pi": Message("Share, corrected"),
    "attentive": Message("Attentive, check question"),
    "u": Message("Harmless question"),
    "delta": Message("Surplus of “same”"),
    "t": Message("Carriers who admit it"),
}


def _parameter_facts(found: Compliance) -> list[Fact]:
    told = []
    for name, label in _PARAMETERS.items():
        one = found.parameters.get(name)
        if one is not None and not (name == "pi" and found.classes is not None):
            told.append(_share_fact(label, one, found))
    return told


def _direct_fact(found: Compliance) -> Fact:
    direct = found.direct
    assert direct is not None  # noqa: S101 (seen by the caller)
    one = direct.difference
    return Fact(
        Message("Device minus direct"),
        Message("{points:+.1f} points", points=100 * one.estimate),
        points(_half(one)),
        Message(
            "directly {share:.1f} %; same share: p {p}",
            share=100 * direct.share.estimate,
            p=p_equals(direct.equality.p),
        ),
    )


def _band_facts(found: Compliance) -> list[Fact]:
    told = []
    if found.model != KNOWN or not found.parameters:
        told.append(_share_fact(Message("If all followed"), found.uncorrected, found))
    for behaviour in (SAFE, RANDOM):
        most = found.largest.get(behaviour)
        if most is not None:
            label = Message("Largest share {name}", name=behaviour_name(found, behaviour))
            reading = Message("with more, a corrected share would leave 0 to 100 %")
            told.append(Fact(label, share_text(most), Message(""), reading))
    return told


@dataclass(frozen=True)
class ArmBar:
    """The reports of one arm: the share of a sensitive answer, and what it would be.

    The only arm of a question without versions has no name.
    """

    name: str
    share: float
    low: float
    high: float
    expected: float
    """The share if everybody followed."""
    caption: Message
    rows: int
    reported: float


def arm_bars(found: Compliance, design: Design) -> tuple[ArmBar, ...]:
    """All arms that are used."""
    places = [found.attribute.values.index(value) for value in found.sensitive]
    chosen = np.zeros(found.attribute.k)
    chosen[places] = 1.0
    shares = _shares_if_followed(found)
    captions = _captions(design, found.attribute.name)
    is_named = has_named_arms(design, found.attribute.name)
    bars = []
    for arm in found.arms:
        reported = float(chosen @ arm.counts) / arm.n
        error = math.sqrt(max(float(chosen @ arm.share_covariance @ chosen), 0.0))
        expected = float(chosen @ arm.matrix @ shares)
        bars.append(
            ArmBar(
                arm.name if is_named else "", reported, max(reported - found.factor * error, 0.0),
                min(reported + found.factor * error, 1.0), expected,
                captions.get(arm.name, Message("")), found.rows.get(arm.name, round(arm.n)),
                float(chosen @ arm.counts),
            )
        )  # fmt: skip
    return tuple(bars)


def _shares_if_followed(found: Compliance) -> Numbers:
    return fit_shares(found.randomised).shares


def _captions(design: Design, name: str) -> dict[str, Message]:
    perturbation = design.perturbation(name)
    attribute = design[name].attribute
    known = {column: design[column].attribute for column in perturbation.columns}
    nobody = {column: np.zeros(0, np.intp) for column in (*known, name)}
    cases = perturbation.cases_of(nobody, known, attribute.name)
    return {
        cases.names[place] if cases.names else str(place + 1): (
            Message("asked directly") if device.is_identity else Message.of(device.summary())
        )
        for place, device in enumerate(cases.devices)
    }


@dataclass(frozen=True)
class ClassPart:
    """A part of the stacked bar."""

    name: Message
    share: float
    half: float
    is_follower: bool


def class_parts(found: Compliance) -> tuple[ClassPart, ...]:
    """The followers by their true answer, then the others; none without classes."""
    classes = found.classes
    if classes is None:
        return ()
    names = [Message("“{value}”", value=value) for value in found.attribute.values]
    names += [Message.of(one.name(found.attribute.values)) for one in classes.extra]
    order = [found.attribute.values.index(value) for value in found.sensitive]
    order += [place for place in range(len(names)) if place not in order]
    return tuple(
        ClassPart(
            names[place], classes.estimates[place].estimate, _half(classes.estimates[place]),
            place < found.attribute.k,
        )
        for place in order
    )  # fmt: skip


@dataclass(frozen=True)
class ReadingRow:
    """The share of the sensitive answer, read in one way."""

    name: Message
    caption: Message
    estimate: Estimate
    is_corrected: bool = True


def reading_rows(found: Compliance) -> tuple[ReadingRow, ...]:
    """The three readings, or the one corrected share, and the uncorrected one below."""
    plain = ReadingRow(
        Message("uncorrected"), Message("as if all followed"), found.uncorrected, is_corrected=False
    )
    classes = found.classes
    if classes is not None and classes.extra:
        gone = 100 * sum(one.estimate for one in classes.estimates[found.attribute.k :])
        names = {
            "low": (Message("low"), Message("none of the {count:.0f} did", count=gone)),
            "followers": (Message("as the followers"), Message("like the rest")),
            "high": (Message("high"), Message("all of the {count:.0f} did", count=gone)),
        }
        told = [ReadingRow(*names[name], one) for name, one in classes.readings.items()]
        return (*told, plain)
    one = found.parameters.get("pi")
    if one is None:
        return (plain,)
    corrected = ReadingRow(Message("corrected"), Message(""), one)
    if found.direct is not None:
        return (corrected, _direct_row(found), plain)
    return (corrected, plain)


def _direct_row(found: Compliance) -> ReadingRow:
    assert found.direct is not None  # noqa: S101 (seen by the caller)
    return ReadingRow(Message("asked directly"), Message(""), found.direct.share, False)


# What a second arm would have cost


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


# Tables, methods, command


_HEADS = ["part", "name", "estimate", "low", "high", "standard error"]


def compliance_rows(found: Compliance, say: Say = str) -> Rows:
    """All numbers under their names, for other programs."""
    rows = [_HEADS]
    values = found.attribute.values
    for arm in found.arms:
        for place, value in enumerate(values):
            share = float(arm.counts[place]) / arm.n
            error = math.sqrt(max(float(arm.share_covariance[place, place]), 0.0))
            reach = found.factor * error
            told = Estimate(share, error, share - reach, share + reach)
            rows.append(_row("reported", f"{arm.name}: {value}", told))
    rows.append(_row("share", "uncorrected", found.uncorrected))
    if found.classes is not None:
        named = zip(found.classes.names, found.classes.estimates, strict=True)
        rows += [_row("class", say(name), one) for name, one in named]
        if found.classes.extra:
            rows += [_row("share", name, one) for name, one in found.classes.readings.items()]
    rows += [_row("parameter", name, one) for name, one in found.parameters.items()]
    if found.direct is not None:
        rows.append(_row("direct", "share", found.direct.share))
        rows.append(_row("direct", "difference", found.direct.difference))
        rows.append(_row("direct", "denying", found.direct.denying))
    tests = (("honesty", found.honesty), ("model", found.fit))
    for name, test in tests:
        if test is not None:
            rows.append(["test", f"{name}, statistic", f"{test.statistic:.10g}", "", "", ""])
            rows.append(["test", f"{name}, df", str(test.df), "", "", ""])
            rows.append(["test", f"{name}, p", *_cells(test.p), "", "", ""])
    if found.closed_form is not None:
        names = found.closed_form if found.classes is None else found.classes.names
        solved = zip(names, found.closed_form.values(), strict=True)
        rows += [["equations", say(name), *_cells(one), "", "", ""] for name, one in solved]
    return rows


def band_rows(found: Compliance) -> Rows:
    """The band as a table: one row for every share and behaviour."""
    heads = ["behaviour", "share", "estimate", "low", "high", "standard error"]
    return [heads, *([one.behaviour, *_cells(one.share, *_point(one))] for one in found.points)]


def _point(one: BandPoint) -> tuple[float, ...]:
    return one.estimate, one.low, one.high, one.standard_error


def _row(part: str, name: str, one: Estimate) -> list[str]:
    return [part, name, *_cells(one.estimate, one.low, one.high, one.standard_error)]


def _cells(*numbers: float) -> list[str]:
    return [f"{number:.10g}" if math.isfinite(number) else "" for number in numbers]


def write_compliance(found: Compliance, path: str | Path, say: Say = str) -> None:
    """Write all numbers and the band as CSV or TSV by the end of the name, whole or not at all."""
    path = Path(path)
    end = path.suffix.lower()
    if end not in (".csv", ".tsv"):
        raise DataError(
            Message("{name} cannot be written; end the name in .csv or .tsv.", name=path.name),
            file=path,
        )
    rows = [
        *compliance_rows(found, say),
        *(["band", f"{one.behaviour} {one.share:.10g}", *_cells(*_point(one))]
          for one in found.points),
    ]  # fmt: skip
    text = io.StringIO()
    separator = "," if end == ".csv" else "\t"
    escaped = [[escape_formula(cell) for cell in row] for row in rows]
    csv.writer(text, delimiter=separator, lineterminator="\n").writerows(escaped)
    write_text(path, text.getvalue())


def rounded_rows(found: Compliance) -> tuple[tuple[Message, ...], ...]:
    """Heads and rows for reading: classes, readings and parameters."""
    level = Message("{level:g} % interval", level=100 * found.confidence)
    table = [(Message("Share of people"), Message("Estimate"), level, Message("SE"))]
    rows: list[tuple[Message, Estimate]] = []
    if found.classes is not None:
        rows += [
            (Message.of(name), one)
            for name, one in zip(found.classes.names, found.classes.estimates, strict=True)
        ]
    for row in reading_rows(found):
        name = row.name
        if row.caption:
            name = Message("{reading} ({caption})", reading=row.name, caption=row.caption)
        rows.append((name, row.estimate))
    rows += [
        (label, found.parameters[name])
        for name, label in _PARAMETERS.items()
        if name in found.parameters and name != "pi"
    ]
    rows += [(_of_value(name), one) for name, one in found.parameters.items() if "=" in name]
    table += [(name, *_rounded(one)) for name, one in rows]
    return tuple(table)


def _of_value(name: str) -> Message:
    """What a parameter of one value is called."""
    symbol, _, value = name.partition("=")
    label = Message("corrected") if symbol == "pi" else _PARAMETERS[symbol]
    return Message("{name}, “{value}”", name=label, value=value)


def _rounded(one: Estimate) -> tuple[Message, Message, Message]:
    dash = Message("–")
    interval = dash
    if math.isfinite(one.low) and math.isfinite(one.high):
        interval = Message("{low:.1f} to {high:.1f} %", low=100 * one.low, high=100 * one.high)
    error = dash
    if math.isfinite(one.standard_error):
        error = Message("{error:.1f}", error=100 * one.standard_error)
    return share_text(one.estimate, 1), interval, error


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
                name="LR" if found.sampling is None else "Wald",
                statistic=found.honesty.statistic,
                p=p_equals(found.honesty.p),
            )
        )
    if found.sampling is not None:
        roles = Message.joined(describe_roles(found.sampling), ", ")
        parts.append(Message("The sampling was taken into account: {roles}.", roles=roles))
        parts.append(Message("Standard errors follow from the sampling (linearisation)."))
    return tuple(study.titled(one) for one in parts)


def compliance_command(question: ComplianceQuestion, table: str, design: str) -> str:
    """The command line that asks the same of files with these names."""
    words = ["ppworkbench", "compliance", table, "--design", design]
    words += ["--attribute", question.attribute]
    for behaviour in question.behaviours:
        words += ["--behaviour", behaviour]
    words += ["--safe", question.safe] if question.safe else []
    words += ["--model", question.model] if question.model else []
    if question.anchor is not None:
        words += ["--anchor", question.anchor.column, "--anchor-p", f"{question.anchor.p:.10g}"]
        if question.anchor.share:
            words += ["--anchor-share", f"{question.anchor.share:.10g}"]
    if question.share is not None:
        words += ["--share", f"{question.share:.10g}", "--share-se", f"{question.share_error:.10g}"]
    if question.band != (0.0, 0.3):
        words += ["--band", "{:.10g}:{:.10g}".format(*question.band)]
    if question.reach is not None:
        words += ["--reach", f"{question.reach:.10g}"]
    for arm in question.arms:
        words += ["--arm", arm]
    return shlex.join(words)


def check_question(question: ComplianceQuestion, **changes: Any) -> ComplianceQuestion | None:
    """The question with something changed; None where that is no question."""
    try:
        return dataclasses.replace(question, **changes)
    except ParameterError:
        return None
