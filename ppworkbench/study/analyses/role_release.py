"""Releasing how people were drawn: what is done to role columns, what they tell, what it costs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ppworkbench.core.arrays import Codes
from ppworkbench.core.data.sampling_roles import POPULATION, Sampling
from ppworkbench.core.data.table import Column, Table, list_attributes
from ppworkbench.core.design import Design, DesignedAttribute
from ppworkbench.core.design.release import without_missing
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.message import Message
from ppworkbench.core.privacy.assess import matrix_of
from ppworkbench.core.privacy.attack import attack_success
from ppworkbench.core.privacy.joint import Joint
from ppworkbench.core.privacy.number_view import number_view
from ppworkbench.core.privacy.prior import Prior
from ppworkbench.core.privacy.reading import percent
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.sampling.release import (
    ReleasedRoles,
    RoleDisclosure,
    RoleGuess,
    RoleTreatment,
    release_roles,
    role_disclosure,
)
from ppworkbench.core.survey.conditions import Comparison, Condition, Operator
from ppworkbench.core.survey.counts import Count
from ppworkbench.core.survey.estimates import Estimate
from ppworkbench.core.survey.means import Mean
from ppworkbench.study.analyses.survey import COUNT, MEAN, Question, estimate, share_of
from ppworkbench.study.analyses.survey_history import history_from_json
from ppworkbench.study.distorted_cache import Answers, distorted_answers
from ppworkbench.study.release import Point
from ppworkbench.study.study import Study

_MOST_QUESTIONS = 4
_SURVEY = "survey"


@dataclass(frozen=True)
class MovedEstimate:
    """An estimate of the study's own, and what a recipient will get; None where there is none."""

    question: Question
    before: Estimate
    after: Estimate | None

    def point(self, study: Study) -> Point:
        """What moves, as a line of the checklist."""
        asked = self.question
        name = (
            Message("Mean of {of}", of=asked.of)
            if asked.statistic == MEAN
            else Message("Share with {whom}", whom=str(asked.condition.titled(study.shown)))
        )
        if self.after is None:
            return Point(None, Message("{name}: cannot be estimated from the release", name=name))
        scale, unit = (1.0, "") if asked.statistic == MEAN else (100.0, " %")
        said = Message(
            "{name}: {before:.1f}{unit} becomes {after:.1f}{unit}",
            name=name,
            before=scale * self.before.estimate,
            after=scale * self.after.estimate,
            unit=unit,
        )
        detail = Message(
            "standard error {before:.2f}, in the release {after:.2f}",
            before=scale * self.before.standard_error,
            after=scale * self.after.standard_error,
        )
        return Point(None, said, detail)


@dataclass(frozen=True, eq=False)
class RoleCheck:
    """What is to be known before role columns are released."""

    released: ReleasedRoles
    disclosure: RoleDisclosure | None
    moved: tuple[MovedEstimate, ...]

    @property
    def gives_away(self) -> tuple[str, ...]:
        """The distorted attributes that the role columns give away."""
        found = () if self.disclosure is None else self.disclosure.guesses
        return tuple(one.attribute for one in found if one.gives_away)

    def points(self, study: Study) -> tuple[Point, ...]:
        """All of it as lines of the checklist; what is wrong comes first."""
        kept = self.released.target.code == POPULATION
        told = [
            *self._about_rows(),
            *(one for one in self._about_guesses() if one.good is False),
            Point(None if kept else False, self.released.target),
            *(one.point(study) for one in self.moved),
            *(one for one in self._about_guesses() if one.good is not False),
            *(Point(None, note) for note in self.released.notes),
        ]
        return tuple(told)

    def _about_rows(self) -> Iterator[Point]:
        found = self.disclosure
        if found is None:
            return
        if found.unique:
            said = (
                Message("1 row has a combination of weight, strata and clusters of its own")
                if found.unique == 1
                else Message(
                    "{unique:,} of {rows:,} rows have a combination of weight, strata and clusters "
                    "of their own",
                    unique=found.unique,
                    rows=found.rows,
                )
            )
            yield Point(False, said, "coarsen or drop a column that has a role")
            return
        yield Point(
            True,
            "No row is alone with its weight, stratum and cluster",
            Message("at least {smallest:,} rows share each combination", smallest=found.smallest),
        )

    def _about_guesses(self) -> Iterator[Point]:
        """Who is given away one by one, all others in one line."""
        found = () if self.disclosure is None else self.disclosure.guesses
        for one in found:
            if one.tells:
                yield Point(False if one.gives_away else None, *_guess_words(one))
        harmless = [one for one in found if not one.tells]
        if not harmless:
            return
        said = (
            Message(
                "Weight, strata and clusters do not tell {attribute}",
                attribute=harmless[0].attribute,
            )
            if len(harmless) == 1
            else Message(
                "Weight, strata and clusters do not tell {count} other attributes"
                if len(harmless) < len(found)
                else "Weight, strata and clusters do not tell any of {count} attributes",
                count=len(harmless),
            )
        )
        shares = tuple(
            Message(
                "{attribute} {roles} ({prior}, {device})",
                attribute=one.attribute,
                roles=percent(one.from_roles),
                prior=percent(one.from_prior),
                device=percent(one.from_device),
            )
            for one in harmless
        )
        detail = Message(
            "correct guesses from them (from the distribution alone, from the reported answer): "
            "{shares}",
            shares=shares,
        )
        yield Point(True, said, detail)


def _guess_words(one: RoleGuess) -> tuple[Message, Message]:
    known = Message(
        "the best guess is right {roles} of the time, from the distribution alone {prior}, from "
        "the reported answer {device}",
        roles=percent(one.from_roles),
        prior=percent(one.from_prior),
        device=percent(one.from_device),
    )
    by = list_attributes(one.columns, 3)
    if one.gives_away:
        said = Message(
            "{attributes} gives {attribute} away", attributes=by, attribute=one.attribute
        )
    else:
        said = Message(
            "{attributes} tells something about {attribute}",
            attributes=by,
            attribute=one.attribute,
        )
    return said, known


def role_table(study: Study) -> Table | None:
    """The rows that would be released, before anything is done to them."""
    if study.original is None:
        return study.distorted
    return without_missing(study.original, study.design)[0]


def check_roles(
    study: Study,
    treatment: RoleTreatment,
    answers: Answers | None = None,
    progress: Progress = silent,
) -> RoleCheck | None:
    """Look at what the role columns of a release would tell; None where there are none.

    Parameters
    ----------
    answers
        The distorted answers of the study where they are at hand, for how far estimates move.
    """
    sampling, table = study.sampling, role_table(study)
    if sampling is None or table is None or not sampling.columns:
        return None
    released = release_roles(table, sampling, treatment)
    shown = released.apply(table)
    disclosure = None
    if released.sampling is not None and released.sampling.columns:
        truths, guesses = _truths(study, table) if study.original is not None else ({}, {})
        disclosure = role_disclosure(shown, released.sampling, truths, guesses)
    progress(0.4, Message("Checking the sampling"))
    if answers is None:
        answers = distorted_answers(study) if study.original is not None else Answers(table)
    moved = tuple(_moved(study, treatment, answers, part(progress, 0.4, 1.0)))
    return RoleCheck(released, disclosure, moved)


def _truths(study: Study, table: Table) -> tuple[dict[str, Codes], dict[str, tuple[float, float]]]:
    """Numbers of the true answers, and how often other guesses of them are right."""
    codes: dict[str, Codes] = {}
    guesses: dict[str, tuple[float, float]] = {}
    for designed in study.design:
        perturbation = study.design.perturbation(designed.name)
        if perturbation.is_identity or designed.name not in table:
            continue
        column = table[designed.name]
        try:
            prior = Prior.from_column(column, designed.attribute)
        except WorkbenchError:
            # An answer that does not fit the design is refused when the table is written.
            continue
        if designed.attribute.kind.is_numeric:
            seen = number_view(designed.attribute, perturbation, prior).seen
        else:
            seen = Joint.of(matrix_of(designed.attribute, perturbation), prior.probabilities)
        found = attack_success(seen)
        codes[designed.name] = _codes(column, prior, designed)
        guesses[designed.name] = found.prior_guess, found.success
    return codes, guesses


def _codes(column: Column, prior: Prior, designed: DesignedAttribute) -> Codes:
    """The cell of the prior of every answer; below 0 where there is none."""
    if prior.edges is None:
        places = {value: place for place, value in enumerate(designed.attribute.values)}
        look_up = [places.get(value, -1) for value in column.attribute.values]
        found = np.array([*look_up, -1], np.intp)[column.data]
    else:
        inner = np.asarray(prior.edges)[1:-1]
        found = np.searchsorted(inner, column.data, side="right").astype(np.intp)
    return np.where(column.missing, -1, found)


def _moved(
    study: Study, treatment: RoleTreatment, answers: Answers, progress: Progress
) -> Iterator[MovedEstimate]:
    """The study's own questions, asked as its owner does and as a recipient will."""
    sampling = study.sampling
    assert sampling is not None  # noqa: S101 (the caller saw it)
    released = release_roles(answers.distorted, sampling, treatment)
    theirs = Answers(released.apply(answers.distorted))
    design = released.designed(study.design)
    mine = Answers(answers.distorted)
    questions = own_questions(study)
    for place, question in enumerate(questions):
        step = part(progress, place / len(questions), (place + 1) / len(questions))
        before = _estimated(question, mine, study.design, sampling, step)
        if before is not None:
            after = _estimated(question, theirs, design, released.sampling, step)
            yield MovedEstimate(question, before, after)


def own_questions(study: Study) -> tuple[Question, ...]:
    """Shares and means that were asked on Survey, else the shares of distorted answers."""
    asked = [
        row.question
        for row in history_from_json(study.results.get(_SURVEY))
        if row.question.statistic in (COUNT, MEAN)
        and row.question.target == POPULATION
        and row.question.has_valid_interval
        and row.question.asks_something
    ]
    if not asked:
        for designed in study.design:
            values = (*designed.attribute.sensitive, *designed.attribute.values[-1:])
            if values and not study.design.perturbation(designed.name).is_identity:
                test = Comparison(designed.name, Operator.EQUAL, values[0])
                asked.append(Question(condition=Condition((test,))))
    return tuple(dict.fromkeys(one.essence for one in asked))[:_MOST_QUESTIONS]


def _estimated(
    question: Question,
    answers: Answers,
    design: Design,
    sampling: Sampling | None,
    progress: Progress,
) -> Estimate | None:
    try:
        found = estimate(question, answers, design, sampling=sampling, progress=progress)
    except WorkbenchError:
        # What the release no longer has cannot be asked of it.
        return None
    if isinstance(found, Count):
        return share_of(found)
    return found.value if isinstance(found, Mean) else None
