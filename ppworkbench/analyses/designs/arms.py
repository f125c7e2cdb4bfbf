"""Arms of a questionnaire: changing them, and what they mean before there are answers."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np

from ppworkbench.analyses.designs.design import Z95, question_names, redrawn
from ppworkbench.core.arrays import Numbers
from ppworkbench.core.compliance.classes import (
    NOT_MEASURED,
    Behaviour,
    check_identified,
    error_before_data,
)
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design import Identity, Perturbation
from ppworkbench.core.design.arms import EVERYBODY, Arms, DesignArm
from ppworkbench.core.errors import DataError, DesignError
from ppworkbench.core.planning.allocation import pooled_variances
from ppworkbench.core.privacy.belief import meant_places
from ppworkbench.core.privacy.epsilon import epsilon, joint_epsilon
from ppworkbench.core.reconstruct.pooled import Arm
from ppworkbench.study.study import Study

AS_DESIGNED, OWN, DIRECT, OMITTED = "design", "own", "direct", "omitted"
"""What an arm does with a question."""
TREATMENTS = (AS_DESIGNED, OWN, DIRECT, OMITTED)
LEAST_SHARE = 0.001
_COLUMN = "version"
_USUAL_CLASS = 0.05
"""The share of people who do not follow, where the study expects nobody."""
_MOST_CLASSES = 4


# Changing the arms


def proposed_column(study: Study) -> str:
    taken = {*study.design.names, *(one.name for one in study.attributes)}
    numbered = (f"{_COLUMN} {place}" for place in range(2, len(taken) + 3))
    return next(name for name in (_COLUMN, *numbered) if name not in taken)


def start_arms(study: Study) -> Study:
    """The study with two arms of equal size that are still the same."""
    halves = DesignArm("A", 0.5), DesignArm("B", 0.5)
    return with_arms(study, Arms(proposed_column(study), halves))


def with_arms(study: Study, arms: Arms | None, call: Mapping[str, str] | None = None) -> Study:
    """The study with other arms; an error says why they do not fit.

    A column of arms that the answers do not hold comes and goes with them. ``call`` has the new
    names of arms that lists know by their old ones.
    """
    design, listed = study.design, study.design.attributes
    class_name = design.class_name
    gone = [name for name in design.versions.columns if not _is_answered(study, name)]
    if gone:
        listed = tuple(one for one in listed if one.name not in gone)
        class_name = None if class_name in gone else class_name
    called = call or {}
    lists = tuple(
        dataclasses.replace(
            one,
            short=tuple(called.get(name, name) for name in one.short),
            long=tuple(called.get(name, name) for name in one.long),
        )
        for one in design.lists
    )
    changed = dataclasses.replace(
        design, attributes=listed, class_name=class_name, arms=arms, lists=lists
    )
    return study.with_(design=changed)


def _is_answered(study: Study, column: str) -> bool:
    return study.table is not None and column in study.table


def with_column(study: Study, column: str) -> Study:
    name = column.strip()
    if not name:
        raise DesignError("The column of the arms needs a name.", field="arms")
    return with_arms(study, dataclasses.replace(_arms(study), column=name))


def with_share(study: Study, place: int, share: float) -> Study:
    """The study with one share set; the others give way in proportion."""
    arms = _arms(study)
    most = 1 - LEAST_SHARE * (len(arms.members) - 1)
    wanted = min(max(share, LEAST_SHARE), most)
    shares = redrawn(np.array([arm.share for arm in arms.members]), place, wanted)
    return _with_shares(study, shares)


def with_shares(study: Study, found: Mapping[str, float]) -> Study:
    """The study with what some arms have together shared out anew; nobody stays without people."""
    arms = _arms(study)
    shares = np.array([arm.share for arm in arms.members])
    places = [arms.names.index(name) for name in found]
    wanted = np.maximum([found[arms.names[place]] for place in places], 0.01)
    shares[places] = shares[places].sum() * wanted / wanted.sum()
    return _with_shares(study, shares)


def _with_shares(study: Study, shares: Numbers) -> Study:
    whole = shares / float(shares.sum())
    members = tuple(
        dataclasses.replace(arm, share=share)
        for arm, share in zip(_arms(study).members, whole.tolist(), strict=True)
    )
    return _with_members(study, members)


def with_name(study: Study, place: int, name: str) -> Study:
    words = name.strip()
    if not words:
        raise DesignError("An arm needs a name.", field="arms")
    arms = _arms(study)
    members = list(arms.members)
    call = {members[place].name: words}
    members[place] = dataclasses.replace(members[place], name=words)
    return with_arms(study, dataclasses.replace(arms, members=tuple(members)), call)


def with_arm(study: Study, copied: int | None = None) -> Study:
    """The study with one more arm at the end, or a copy behind the one it copies.

    The new arm gets an equal part of the sample, a copy half of the one it copies.
    """
    members = list(_arms(study).members)
    name = _free_name(study)
    if copied is None:
        share = 1 / (len(members) + 1)
        members = [dataclasses.replace(arm, share=arm.share * (1 - share)) for arm in members]
        members.append(DesignArm(name, share))
    else:
        half = dataclasses.replace(members[copied], share=members[copied].share / 2)
        members[copied : copied + 1] = [half, dataclasses.replace(half, name=name)]
    return _with_members(study, members)


def with_arm_for(study: Study, name: str, *, is_direct: bool) -> Study:
    """The study with one more arm, or its first two; the last asks a question directly if asked."""
    changed = with_arm(study) if study.design.has_arms else start_arms(study)
    if not is_direct:
        return changed
    return with_treatment(changed, _arms(changed).names[-1], name, DIRECT)


def without_arm(study: Study, place: int) -> Study:
    """The study without an arm, whose people go to the others; without the last, without arms."""
    members = [arm for number, arm in enumerate(_arms(study).members) if number != place]
    if not members:
        return with_arms(study, None)
    left = math.fsum(arm.share for arm in members)
    return _with_members(
        study, [dataclasses.replace(arm, share=arm.share / left) for arm in members]
    )


def with_arm_moved(study: Study, place: int, step: int) -> Study:
    members = list(_arms(study).members)
    to = min(max(place + step, 0), len(members) - 1)
    members.insert(to, members.pop(place))
    return _with_members(study, members)


def with_treatment(study: Study, arm: str, name: str, treatment: str) -> Study:
    """The study with a question asked in another way in one arm.

    A device of its own is at first that of the design.
    """
    place = _arms(study).names.index(arm)
    usual = study.design[name].perturbation

    def change(member: DesignArm) -> DesignArm:
        devices = {one: device for one, device in member.perturbations if one != name}
        omit = tuple(one for one in member.omit if one != name)
        if treatment == OMITTED:
            omit = (*omit, name)
        elif treatment == DIRECT:
            devices[name] = Identity()
        elif treatment == OWN:
            known = dict(member.perturbations).get(name)
            devices[name] = usual if known is None or known.is_identity else known
        return dataclasses.replace(member, perturbations=tuple(devices.items()), omit=omit)

    return _replaced(study, place, change)


def with_own_devices(study: Study, arm: str, changes: Mapping[str, Perturbation]) -> Study:
    """The study with devices of one arm changed; the arm asks these questions from now on."""
    place = _arms(study).names.index(arm)

    def change(member: DesignArm) -> DesignArm:
        devices = {**dict(member.perturbations), **changes}
        omit = tuple(one for one in member.omit if one not in changes)
        return dataclasses.replace(member, perturbations=tuple(devices.items()), omit=omit)

    return _replaced(study, place, change)


def _arms(study: Study) -> Arms:
    if not study.design.has_arms:
        raise DesignError("The design has no arms to be told apart.", field="arms")
    return study.design.versions


def _with_members(study: Study, members: Sequence[DesignArm]) -> Study:
    return with_arms(study, dataclasses.replace(_arms(study), members=tuple(members)))


def _replaced(study: Study, place: int, change: Callable[[DesignArm], DesignArm]) -> Study:
    members = list(_arms(study).members)
    members[place] = change(members[place])
    return _with_members(study, members)


def _free_name(study: Study) -> str:
    """A letter that no arm has, or a value of the column if the answers hold it."""
    arms = _arms(study)
    letters = [chr(code) for code in range(ord("A"), ord("Z") + 1)]
    offered = [*letters, *(f"{letter}{letter}" for letter in letters)]
    if _is_answered(study, arms.column):
        offered = list(study.design[arms.column].attribute.values) or offered
        if all(name in arms.names for name in offered):
            raise DesignError.saying(
                "Every value of {column!r} is an arm already.",
                column=arms.column,
                attribute=arms.column,
                field="arms",
            )
    return next(name for name in offered if name not in arms.names)


# One version as if it were the whole design


def version_study(study: Study, arm: str = "") -> Study:
    """The study as the respondents of an arm meet it; of none, the design that arms inherit.

    It has no arms any more, so that everything that is said about a plain design can be said about
    it. Questions that the arm omits stay as they are in the design.
    """
    versions = study.design.versions
    if not versions.columns:
        return study
    member = versions[arm] if arm else EVERYBODY
    own = dict(member.perturbations)
    listed = tuple(
        dataclasses.replace(one, perturbation=own[one.name]) if one.name in own else one
        for one in study.design
        if one.name not in versions.columns
    )
    kept = None if study.design.class_name in versions.columns else study.design.class_name
    # Lists need arms; the counts that people give stay as columns.
    design = dataclasses.replace(
        study.design, attributes=listed, class_name=kept, arms=None, lists=()
    )
    people = max(round(study.settings.respondents * member.share), 1)
    settings = dataclasses.replace(study.settings, respondents=people)
    return study.with_(design=design, settings=settings)


# What the arms mean


@dataclass(frozen=True)
class ArmSummary:
    """An arm, the people it gets and what their answers disclose.

    ``epsilon`` is that of all answers that are randomised in some arm; infinite where this arm asks
    one of them directly, which ``direct`` lists, or where some reports rule out a true answer.
    ``bounded`` adds up the others, ``unbounded`` counts those. ``asked`` counts all questions.
    """

    name: str
    share: float
    respondents: int
    asked: int
    epsilon: float
    direct: tuple[str, ...]
    bounded: float = 0.0
    unbounded: int = 0


@dataclass(frozen=True, eq=False)
class QuestionSummary:
    """What every arm does with a question, and what the estimate rests on.

    ``half_width`` is the largest of all answers, from all arms that ask the question; ``unsplit``
    is the same if everybody answered by the device of the design. None where there is none:
    for numbers, and where a device tells nothing.
    """

    name: str
    treatments: tuple[str, ...]
    devices: tuple[Perturbation | None, ...]
    respondents: int
    variance: float | None
    unsplit_variance: float | None
    n: int
    is_fixed: bool = False
    """Whether arms cannot have their own device: it is randomised with other columns."""

    @property
    def half_width(self) -> float | None:
        """Half of the 95 % interval of the pooled estimate."""
        return None if self.variance is None else Z95 * math.sqrt(self.variance / self.n)

    @property
    def unsplit(self) -> float | None:
        """Half of the 95 % interval if everybody answered by the device of the design."""
        found = self.unsplit_variance
        return None if found is None else Z95 * math.sqrt(found / self.n)


@dataclass(frozen=True, eq=False)
class ArmsView:
    """All that the page of the arms shows; no ``arms`` where the design has none."""

    study: Study
    column: str = ""
    arms: tuple[ArmSummary, ...] = ()
    questions: tuple[QuestionSummary, ...] = ()
    apart: tuple[tuple[str, str], ...] = ()
    """Questions that no arm asks together."""

    @property
    def largest(self) -> ArmSummary | None:
        """The arm whose answers disclose most, which is what the questionnaire discloses."""
        return max(self.arms, key=lambda arm: arm.epsilon, default=None)


def arms_view(study: Study) -> ArmsView:
    design, arms = study.design, study.design.versions
    if not arms.columns:
        return ArmsView(study)
    names = question_names(study.design)
    questions = tuple(_question(study, arms, name) for name in names)
    randomised = {
        one.name
        for one in questions
        if any(device is not None and not device.is_identity for device in one.devices)
    }
    shared = [
        joint_epsilon(group, {name: design[name].attribute.k for name in group.attributes})
        for group in design.groups
    ]
    summaries = tuple(
        _summary(study, arm, questions, place, randomised, shared)
        for place, arm in enumerate(arms.members)
    )
    return ArmsView(study, arms.column, summaries, questions, _apart(questions))


def _summary(
    study: Study,
    arm: DesignArm,
    questions: Sequence[QuestionSummary],
    place: int,
    randomised: set[str],
    shared: Sequence[float],
) -> ArmSummary:
    """Sum up one arm; ``shared`` are the epsilons of groups that one draw decides about."""
    asked = {one.name: device for one in questions if (device := one.devices[place]) is not None}
    direct = tuple(n for n, device in asked.items() if device.is_identity and n in randomised)
    design = study.design
    alone = [
        _epsilon(design[name].attribute, device)
        for name, device in asked.items()
        if name in randomised and name not in direct and design.group_of(name) is None
    ]
    found = np.array([*alone, *shared])
    bounded = float(found[np.isfinite(found)].sum())
    return ArmSummary(
        arm.name, arm.share, round(study.settings.respondents * arm.share), len(asked),
        math.inf if direct else float(found.sum()), direct, bounded,
        int(np.count_nonzero(np.isinf(found))),
    )  # fmt: skip


def treatment_of(arm: DesignArm, name: str) -> str:
    if name in arm.omit:
        return OMITTED
    device = dict(arm.perturbations).get(name)
    if device is None:
        return AS_DESIGNED
    return DIRECT if device.is_identity else OWN


def _question(study: Study, arms: Arms, name: str) -> QuestionSummary:
    designed, n = study.design[name], study.settings.respondents
    group = study.design.group_of(name)
    usual = designed.perturbation if group is None else group.marginal(name)
    devices = tuple(arm.device(name, usual) for arm in arms.members)
    parts = [
        (arm.share, device)
        for arm, device in zip(arms.members, devices, strict=True)
        if device is not None
    ]
    pooled = whole = None
    if designed.attribute.kind.is_categorical and designed.attribute.k > 1:
        shares = study.prior(name).probabilities
        k = designed.attribute.k
        pooled = _worst([(share, _matrix(device, k)) for share, device in parts], shares)
        whole = _unsplit(usual, k, shares.tobytes())
    people = round(n * math.fsum(share for share, _ in parts))
    return QuestionSummary(
        name, tuple(treatment_of(arm, name) for arm in arms.members), devices, people, pooled,
        whole, n, is_fixed=group is not None or bool(usual.columns),
    )  # fmt: skip


def _worst(parts: Sequence[tuple[float, Numbers]], shares: Numbers) -> float | None:
    found = float(pooled_variances(parts, shares).max())
    return found if math.isfinite(found) else None


# A drag of a share asks for all of these with every frame.


@lru_cache(2_000)
def _matrix(device: Perturbation, k: int) -> Numbers:
    return device.values.matrix(k)


@lru_cache(1_000)
def _unsplit(device: Perturbation, k: int, shares: bytes) -> float | None:
    return _worst([(1.0, _matrix(device, k))], np.frombuffer(shares))


@lru_cache(2_000)
def _epsilon(attribute: Attribute, device: Perturbation) -> float:
    if device.is_identity:
        return math.inf
    if attribute.kind.is_categorical:
        return epsilon(device.values.drawn_matrix(attribute.k))
    return device.epsilon_of(attribute)


def _apart(questions: Sequence[QuestionSummary]) -> tuple[tuple[str, str], ...]:
    asking = {
        one.name: frozenset(p for p, device in enumerate(one.devices) if device is not None)
        for one in questions
    }
    return tuple(
        (first, second)
        for first, second in combinations(asking, 2)
        if not asking[first] & asking[second]
    )


# People who do not follow


@dataclass(frozen=True)
class ClassPrecision:
    """How exactly the share of a class of people who do not follow will be known.

    ``standard_error`` is None where the arms cannot tell the class apart.
    """

    behaviour: Behaviour
    standard_error: float | None

    @property
    def is_measured(self) -> bool:
        return self.standard_error is not None and self.standard_error <= NOT_MEASURED


def class_precisions(study: Study, name: str) -> tuple[ClassPrecision, ...]:
    """What the planned survey will know of people who do not follow, one class at a time.

    Empty where fewer than two arms ask the question, or it has no categories.
    """
    versions, designed = study.design.versions, study.design[name]
    attribute = designed.attribute
    if not attribute.kind.is_categorical or attribute.k < 2:
        return ()
    if study.design.group_of(name) is not None or designed.perturbation.columns:
        return ()
    n, k = study.settings.respondents, attribute.k
    asking = [
        Arm(arm, np.array([n * versions[arm].share]), device.values.matrix(k))
        for arm, device in versions.devices(name, designed.perturbation).items()
    ]
    if len(asking) < 2:
        return ()
    shares = study.prior(name).probabilities
    return tuple(
        ClassPrecision(one, _class_error(asking, attribute, shares, one, expected_class(study)))
        for one in behaviours_of(attribute, shares)
    )


def expected_class(study: Study) -> float:
    return study.settings.noncompliance or _USUAL_CLASS


def behaviours_of(attribute: Attribute, shares: Numbers) -> tuple[Behaviour, ...]:
    """What people may do who do not follow: always give one answer, harmless ones first."""
    hidden = meant_places(attribute, shares)
    places = [place for place in range(attribute.k) if place not in hidden]
    listed = [*places[: _MOST_CLASSES - 1], *hidden][:_MOST_CLASSES]
    return (*(Behaviour(place) for place in listed), Behaviour(None))


def _class_error(
    arms: Sequence[Arm],
    attribute: Attribute,
    shares: Numbers,
    behaviour: Behaviour,
    ignoring: float,
) -> float | None:
    column = behaviour.column(attribute.k)
    whole = [arm.with_matrix(np.column_stack([arm.matrix, column])) for arm in arms]
    try:
        check_identified(whole, attribute.values, (behaviour,))
    except DataError:
        return None
    q = np.append((1 - ignoring) * shares, ignoring)
    return float(error_before_data(whole, q)[-1])
