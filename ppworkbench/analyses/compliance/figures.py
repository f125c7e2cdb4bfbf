"""What was found about compliance as numbers to show: facts, bars, classes and readings."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ppworkbench.analyses.compliance.questions import has_named_arms
from ppworkbench.analyses.compliance.sentences import behaviour_name, followed, p_equals
from ppworkbench.core.arrays import Numbers
from ppworkbench.core.compliance.band import OTHER, RANDOM, SAFE
from ppworkbench.core.compliance.classes import Estimate
from ppworkbench.core.compliance.question import KNOWN
from ppworkbench.core.compliance.result import Compliance
from ppworkbench.core.design.design import Design
from ppworkbench.core.message import Message
from ppworkbench.core.reconstruct.pooled import Test, fit_shares

_LOW_P = 0.05


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


def p_number(p: float) -> Message:
    """A p value as a number of its own."""
    return Message("p {p}", p=p_equals(p))


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
        told.append(_share_fact(Message("If all followed"), found.uncorrected, found))
    return tuple(told[:_MOST_FACTS])


_MOST_FACTS = 6


def _share_fact(label: Message, one: Estimate, found: Compliance) -> Fact:
    at_bound = not math.isfinite(one.standard_error)
    interval = _interval(one, found.confidence)
    reading = Message("{interval}; on the boundary", interval=interval) if at_bound else interval
    is_outside = not one.low <= one.estimate <= one.high
    unit = Message("") if at_bound or is_outside else points(_half(one))
    return Fact(label, share_text(one.estimate), unit, reading)


def _honesty_fact(found: Compliance) -> Fact:
    test, classes = found.honesty, found.classes
    assert test is not None  # noqa: S101 (seen by the caller)
    assert classes is not None  # noqa: S101 (there was something to test)
    reading = Message(
        "{reading}; 5 % are missed in {missed:.0f} of 100",
        reading=_test_reading(found.test_name, test),
        missed=100 * (1 - classes.power),
    )
    return Fact(Message("Fit of full compliance"), p_number(test.p), Message(""), reading)


def _fit_fact(found: Compliance) -> Fact:
    test = found.fit
    assert test is not None  # noqa: S101 (seen by the caller)
    if not math.isfinite(test.p):
        return _boundary_fact(found, test)
    reading = _test_reading(found.fit_name, test)
    return Fact(Message("Fit of the model"), p_number(test.p), Message(""), reading)


def _test_reading(name: str, test: Test) -> Message:
    return Message(
        "{name} = {statistic:.1f} on {df}: {verdict}",
        name=name,
        statistic=test.statistic,
        df=test.df,
        verdict=Message("does not fit") if test.p < _LOW_P else Message("fits"),
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


PARAMETERS = {
    "pi": Message("Share, corrected"),
    "attentive": Message("Attentive, check question"),
    "u": Message("Harmless question"),
    "delta": Message("Surplus of “same”"),
    "t": Message("Carriers who admit it"),
}


def _parameter_facts(found: Compliance) -> list[Fact]:
    told = []
    for name, label in PARAMETERS.items():
        one = found.parameters.get(name)
        if one is not None and not (name == "pi" and found.classes is not None):
            told.append(_share_fact(label, one, found))
    return told


def _direct_fact(found: Compliance) -> Fact:
    direct = found.direct
    assert direct is not None  # noqa: S101 (seen by the caller)
    one, plain = direct.difference, found.direct_if_all_followed
    reading = Message(
        "directly {share:.1f} %; same share: p {p}",
        share=100 * direct.share.estimate,
        p=p_equals(direct.equality.p),
    )
    if plain is not None:
        reading = Message(
            "{reading}; if all followed {points:+.1f} points",
            reading=reading,
            points=100 * plain.difference.estimate,
        )
    return Fact(
        Message("Device minus direct"),
        Message("{points:+.1f} points", points=100 * one.estimate),
        points(_half(one)),
        reading,
    )


def _band_facts(found: Compliance) -> list[Fact]:
    told = []
    if found.model != KNOWN or not found.parameters:
        told.append(_share_fact(Message("If all followed"), found.uncorrected, found))
    # One that explains the reports in no number gives way to the answer that does.
    always = SAFE if found.possible.get(SAFE) is not None else OTHER
    for behaviour in (always, RANDOM):
        span = found.possible.get(behaviour)
        name = behaviour_name(found, behaviour)
        if span is None:
            continue
        if span[0] > 0:
            label = Message("Possible share {name}", name=name)
            number = Message("{low:.1f}–{high:.0f} %", low=100 * span[0], high=100 * span[1])
            reading = Message("with fewer or more, a corrected share would leave 0 to 100 %")
        else:
            label = Message("Largest share {name}", name=name)
            number = share_text(span[1])
            reading = Message("with more, a corrected share would leave 0 to 100 %")
        told.append(Fact(label, number, Message(""), reading))
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
    """The three readings, or the one corrected share, and below what full compliance would give."""
    plain = ReadingRow(
        Message("if all followed"), Message(""), found.uncorrected, is_corrected=False
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
