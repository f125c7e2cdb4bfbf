"""By which models compliance can be asked of a design, and why not by the others."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ppworkbench.analyses.compliance.compliance import ComplianceRequest, attributes_to_check
from ppworkbench.core.arrays import Numbers
from ppworkbench.core.compliance.band import RANDOM, SAFE
from ppworkbench.core.compliance.classes import Behaviour, check_identified
from ppworkbench.core.compliance.models import ANCHOR, CDM, ECWM, SLD, UNRELATED
from ppworkbench.core.compliance.question import (
    ALWAYS,
    BAND,
    DIRECT,
    KNOWN,
    MODELS,
)
from ppworkbench.core.compliance.result import is_direct
from ppworkbench.core.data.attribute import Attribute, sensitive_places
from ppworkbench.core.design.anchors import Anchor
from ppworkbench.core.design.design import Design
from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.reconstruct.pooled import Arm
from ppworkbench.study.study import Study

SAFE_AND_RANDOM = "safe+random"
_MOST_CLASSES = 6
"""An attribute with more values gets no class for each of them."""


def question_arms(design: Design, name: str, chosen: Sequence[str] = ()) -> tuple[Arm, ...]:
    """The arms of a question without answers: what people report there if they follow."""
    attribute = design[name].attribute
    return tuple(
        Arm(arm, np.zeros(attribute.k), matrix)
        for arm, matrix, _ in _devices(design, attribute)
        if not chosen or arm in chosen
    )


def has_named_arms(design: Design, name: str) -> bool:
    """Whether versions of a question have names that people know."""
    return bool(design.perturbation(name).columns)


def _devices(design: Design, attribute: Attribute) -> list[tuple[str, Numbers, float]]:
    """Name, matrix and, for an unrelated question, the probability of the sensitive one."""
    perturbation = design.perturbation(attribute.name)
    known = {name: design[name].attribute for name in perturbation.columns}
    nobody = {name: np.zeros(0, np.intp) for name in (*known, attribute.name)}
    cases = perturbation.cases_of(nobody, known, attribute.name)
    found = []
    for place, device in enumerate(cases.devices):
        matrix, slope = device.values.matrix_parts(attribute.k)
        coin = device.values.coin
        asks = coin is not None and coin.question == "unrelated"
        theta = coin.theta if coin is not None and asks else math.nan
        name = cases.names[place] if cases.names else str(place + 1)
        found.append((name, matrix if slope is None else matrix + slope, theta))
    return found


@dataclass(frozen=True)
class ModelChoice:
    """A way to ask who followed; ``reason`` says why it cannot be used here."""

    key: str
    label: Message
    reason: Message | None = None


def key_of(question: ComplianceRequest) -> str:
    """Which of the choices a question is."""
    if question.anchor:
        return ANCHOR
    if question.share is not None:
        return KNOWN
    if question.model:
        return question.model
    if len(question.behaviours) > 1:
        return SAFE_AND_RANDOM
    return next(iter(question.behaviours), SAFE)


def model_choices(question: ComplianceRequest, design: Design) -> tuple[ModelChoice, ...]:
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


def _safe_place(question: ComplianceRequest, attribute: Attribute) -> int:
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
    p = float(design.perturbation(column).values.matrix(2)[1, 1])
    return p if abs(p - 0.5) > 1e-9 else 0.15


def with_model(question: ComplianceRequest, key: str, design: Design) -> ComplianceRequest:
    """The same question by another model, with what that model usually needs."""
    plain = ComplianceRequest(
        attribute=question.attribute, safe=question.safe, band=question.band, reach=question.reach,
        arms=question.arms,
    )  # fmt: skip
    if key == ANCHOR:
        anchor = question.check or usual_anchor(design, question.attribute)
        return dataclasses.replace(plain, model=ANCHOR, anchor=dataclasses.astuple(anchor))
    if key == KNOWN:
        share = 0.1 if question.share is None else question.share
        error = question.share_error if question.share is not None else 0.02
        return dataclasses.replace(plain, share=share, share_error=error)
    if key in MODELS:
        return dataclasses.replace(plain, model=key)
    behaviours = (SAFE, RANDOM) if key == SAFE_AND_RANDOM else (key,)
    return dataclasses.replace(plain, behaviours=behaviours)


def changed_question(question: ComplianceRequest, **changes: Any) -> ComplianceRequest | None:
    """The question with other parameters; None where these do not go together."""
    try:
        return dataclasses.replace(question, **changes)
    except ParameterError:
        return None


def first_compliance(study: Study, of: str = "") -> ComplianceRequest | None:
    """What is asked first: of a marked question with arms, by the first model that can be used."""
    offered = attributes_to_check(study.design)
    if not offered:
        return None

    def rank(name: str) -> tuple[bool, bool]:
        attribute = study.design[name].attribute
        return (not has_named_arms(study.design, name), not attribute.sensitive)

    name = of if of in offered else min(offered, key=rank)
    return fitting(ComplianceRequest(attribute=name), study.design)


def fitting(question: ComplianceRequest, design: Design) -> ComplianceRequest:
    """The question as it is where it can be asked, else by the first model that can be used."""
    known = {arm.name for arm in question_arms(design, question.attribute)}
    arms = tuple(name for name in question.arms if name in known)
    question = dataclasses.replace(question, arms=arms)
    if question.safe not in ("", *design[question.attribute].attribute.values):
        question = dataclasses.replace(question, safe="")
    choices = model_choices(question, design)
    usable = [one.key for one in choices if one.reason is None]
    key = key_of(question)
    if question.anchor and question.anchor not in anchor_columns(design, question.attribute):
        key = ""
    if key not in usable:
        # What needs a number that nobody has given is not proposed.
        first = next(one for one in usable if one not in (ANCHOR, KNOWN))
        return with_model(question, first, design)
    return question if question.behaviours or key != SAFE else with_model(question, SAFE, design)
