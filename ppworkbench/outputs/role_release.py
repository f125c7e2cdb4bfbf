"""Releasing how people were drawn: what is done to role columns, what they tell, what it costs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ppworkbench.analyses.estimates.request import estimate
from ppworkbench.analyses.survey.history import history_from_json
from ppworkbench.analyses.survey.questions import Question
from ppworkbench.core.arrays import Codes
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.data.sampling_roles import POPULATION, Sampling
from ppworkbench.core.data.table import Column, Table, list_attributes
from ppworkbench.core.design import Design, DesignedAttribute, Identity, Perturbation
from ppworkbench.core.design.fit import fit_column
from ppworkbench.core.design.release import without_missing
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.message import Message
from ppworkbench.core.privacy.attack import AttackSuccess, attack_success
from ppworkbench.core.privacy.joint import Joint
from ppworkbench.core.privacy.number_view import number_view
from ppworkbench.core.privacy.prior import Prior
from ppworkbench.core.privacy.reading import percent
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.publish.making import Publication
from ppworkbench.core.sampling.disclosure import (
    Reports,
    RoleDisclosure,
    RoleGuess,
    role_disclosure,
)
from ppworkbench.core.sampling.release import ReleasedRoles, RoleTreatment, release_roles
from ppworkbench.core.survey.conditions.condition import Comparison, Condition, Operator
from ppworkbench.core.survey.estimates import Estimate
from ppworkbench.study.distorted_cache import Answers, distorted_answers
from ppworkbench.study.release import Point, devices_of
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
        asked = self.question
        name = (
            Message("Mean of {of}", of=asked.of)
            if not asked.kind.is_share
            else Message("Share with {whom}", whom=str(asked.condition.titled(study.shown)))
        )
        if self.after is None:
            return Point(None, Message("{name}: cannot be estimated from the release", name=name))
        scale, unit = (100.0, " %") if asked.kind.is_share else (1.0, "")
        before, after = scale * self.before.estimate, scale * self.after.estimate
        said = Message(
            "{name}: {before:.1f}{unit} becomes {after:.1f}{unit}",
            name=name, before=before, after=after, unit=unit,
        )  # fmt: skip
        if f"{before:.1f}" == f"{after:.1f}":
            # A change that the printed digits do not show is none.
            said = Message("{name}: stays {before:.1f}{unit}", name=name, before=before, unit=unit)
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
        found = () if self.disclosure is None else self.disclosure.guesses
        return tuple(one.attribute for one in found if one.gives_away)

    def about_given_away(self) -> tuple[Point, ...]:
        found = () if self.disclosure is None else self.disclosure.guesses
        return tuple(Point(False, *_guess_words(one)) for one in found if one.gives_away)

    def without_answers(self) -> RoleCheck:
        found = self.disclosure
        rows = None if found is None else RoleDisclosure(found.rows, found.unique, found.smallest)
        return RoleCheck(self.released, rows, ())

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
                    "{unique:,} of {rows:,} rows can be singled out by weight, stratum and cluster",
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
        found = () if self.disclosure is None else self.disclosure.guesses
        for one in found:
            if one.tells:
                yield Point(False if one.gives_away else None, *_guess_words(one))
        yield from self._about_unknown()
        harmless = [one for one in found if not one.tells and not one.is_open]
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
            "estimated correct guesses from them (from the distribution alone, from the reported "
            "answer): {shares}"
            if harmless[0].is_estimated
            else "correct guesses from them (from the distribution alone, from the reported "
            "answer): {shares}",
            shares=shares,
        )
        yield Point(True, said, detail)

    def _about_unknown(self) -> Iterator[Point]:
        """What cannot be said, because the true answers are not known."""
        found = self.disclosure
        if found is None:
            return
        if found.follow:
            said = Message(
                "Weight, strata or clusters follow the reported answers to {attributes}",
                attributes=list_attributes(found.follow, 4),
            )
            detail = "a weight worked out from randomised answers is wrong; use undistorted ones"
            yield Point(False, said, detail)
        few = tuple(one.attribute for one in found.guesses if one.is_open)
        for names, why in (
            (few, "the true answers are not known, and there are too few reported ones"),
            (found.unjudged, "the true answers are not known, and the reported ones cannot tell"),
        ):
            if names:
                said = Message(
                    "Whether weight, strata and clusters tell {attributes} cannot be judged",
                    attributes=list_attributes(names, 4),
                )
                yield Point(None, said, why)


def _guess_words(one: RoleGuess) -> tuple[Message, Message]:
    known = Message(
        "by the reported answers the best guess is right {roles} of the time, from the "
        "distribution alone {prior}, from the reported answer {device}"
        if one.is_estimated
        else "the best guess is right {roles} of the time, from the distribution alone {prior}, "
        "from the reported answer {device}",
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
    sampling, table = study.sampling or Sampling(), role_table(study)
    if table is None or not sampling.columns:
        return None
    released = release_roles(table, sampling, treatment)
    shown = released.apply(table)
    disclosure, roles = None, released.sampling or Sampling()
    if roles.columns:
        if study.original is not None:
            disclosure = role_disclosure(shown, roles, *_truths(study, table))
        else:
            disclosure = _seen_in_reports(study, shown, roles)
    progress(0.4, Message("Checking the sampling"))
    if answers is None:
        answers = distorted_answers(study) if study.original is not None else Answers(table)
    drawn = release_roles(answers.distorted, sampling, treatment)
    moved = _moved(
        own_questions(study),
        _Asked(Answers(answers.distorted), study.design, sampling),
        _Asked(
            Answers(drawn.apply(answers.distorted)), drawn.designed(study.design), drawn.sampling
        ),
        part(progress, 0.4, 1.0),
    )
    return RoleCheck(released, disclosure, tuple(moved))


def check_received(received: Study, check: RoleCheck) -> RoleCheck:
    """What a recipient can find out alone, from the records and the design that were released.

    Parameters
    ----------
    check
        What the owner found out; only what was done to the columns is taken from it.
    """
    disclosure, table, roles = None, received.distorted, received.sampling or Sampling()
    if table is not None and roles.columns and received.design.attributes:
        disclosure = _seen_in_reports(received, table, roles)
    return RoleCheck(check.released, disclosure, ())


def _seen_in_reports(study: Study, table: Table, sampling: Sampling) -> RoleDisclosure:
    return role_disclosure(table, sampling, {}, {}, _reports(study, table))


def check_denied_roles(
    study: Study,
    prepared: Table,
    made: Publication,
    treatment: RoleTreatment,
    progress: Progress = silent,
) -> RoleCheck | None:
    """Look at what the role columns of a deniable table would tell; None where there are none.

    Parameters
    ----------
    prepared
        The true answers in the rows of the published table.
    made
        The table with exchanged answers. What a group tells takes the place of a device: the
        most frequent answer of a person's group is the best guess from it.
    """
    sampling, name = study.sampling or Sampling(), made.tree.attribute.name
    if not sampling.columns:
        return None
    released = release_roles(made.table, sampling, treatment)
    shown = released.apply(made.table)
    disclosure, roles = None, released.sampling or Sampling()
    if roles.columns:
        column = prepared[name]
        # No answer is an answer here: it is exchanged like the others.
        codes = np.where(column.missing, column.attribute.k, column.data).astype(np.intp)
        prior = float(np.bincount(codes).max(initial=0)) / max(len(codes), 1)
        by_group = sum(int(leaf.counts.max()) for leaf in made.tree.leaves) / max(len(codes), 1)
        disclosure = role_disclosure(
            shown, roles, {name: codes}, {name: (prior, max(prior, by_group))}
        )
    progress(0.4, Message("Checking the sampling"))
    moved = _moved(
        own_questions(study, name),
        _Asked(Answers(prepared), _undistorted(prepared), sampling),
        _Asked(Answers(shown), _undistorted(shown), released.sampling),
        part(progress, 0.4, 1.0),
    )
    return RoleCheck(released, disclosure, tuple(moved))


def _undistorted(table: Table) -> Design:
    return Design(tuple(DesignedAttribute(one, Identity()) for one in table.attributes))


def _truths(study: Study, table: Table) -> tuple[dict[str, Codes], dict[str, tuple[float, float]]]:
    """Numbers of the true answers, and how often other guesses of them are right."""
    codes: dict[str, Codes] = {}
    guesses: dict[str, tuple[float, float]] = {}
    for designed in study.design:
        devices = set(devices_of(study.design, designed.name).values())
        if all(one.is_identity for one in devices) or designed.name not in table:
            continue
        column = table[designed.name]
        try:
            prior = Prior.from_column(column, designed.attribute)
        except WorkbenchError:
            # An answer that does not fit the design is refused when the table is written.
            continue
        # Of several devices the one counts that lets most be guessed already.
        found = max(
            (_guess(designed.attribute, one, prior) for one in devices if not one.is_identity),
            key=lambda guess: guess.success,
        )
        codes[designed.name] = _codes(column, prior, designed)
        guesses[designed.name] = found.prior_guess, found.success
    return codes, guesses


def _guess(attribute: Attribute, device: Perturbation, prior: Prior) -> AttackSuccess:
    if attribute.kind.is_numeric:
        return attack_success(number_view(attribute, device, prior).seen)
    return attack_success(Joint.of(device.values.matrix(attribute.k), prior.probabilities))


def _reports(study: Study, table: Table) -> dict[str, Reports | None]:
    """Reported answers of a study that came distorted; None where they are numbers."""
    found: dict[str, Reports | None] = {}
    for designed in study.design:
        perturbation = study.design.perturbation(designed.name)
        if perturbation.is_identity or designed.name not in table:
            continue
        if designed.attribute.kind.is_numeric or perturbation.columns:
            # Cells of a number under noise are too fine to be told apart by reports, and reports
            # of several devices have not one matrix.
            found[designed.name] = None
            continue
        published = DesignedAttribute(designed.distorted, Identity(), designed.missing_is_value)
        codes = fit_column(table[designed.name], published).astype(np.intp)
        found[designed.name] = Reports(codes, perturbation.values.matrix(designed.attribute.k))
    return found


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


@dataclass(frozen=True, eq=False)
class _Asked:
    """Answers, the design behind them and how people were drawn: what a question is asked of."""

    answers: Answers
    design: Design
    sampling: Sampling | None

    def estimate(self, question: Question, progress: Progress) -> Estimate | None:
        try:
            asked = question.request
            found = estimate(
                asked, self.answers, self.design, sampling=self.sampling, progress=progress
            )
        except WorkbenchError:
            # What the release no longer has cannot be asked of it.
            return None
        return asked.finds(asked, found, self.design).number


def _moved(
    questions: Sequence[Question], mine: _Asked, theirs: _Asked, progress: Progress
) -> Iterator[MovedEstimate]:
    """The study's own questions, asked as its owner does and as a recipient will."""
    for place, question in enumerate(questions):
        step = part(progress, place / len(questions), (place + 1) / len(questions))
        before = mine.estimate(question, step)
        if before is not None:
            yield MovedEstimate(question, before, theirs.estimate(question, step))


def own_questions(study: Study, sensitive: str = "") -> tuple[Question, ...]:
    """Shares and means that were asked on Survey, else the shares of distorted answers.

    ``sensitive`` is the attribute of a deniable table, which is asked about instead of these.
    """
    asked = [
        row.question
        for row in history_from_json(study.results.get(_SURVEY))
        if row.question.kind.is_number
        and row.question.target == POPULATION
        and row.question.has_valid_interval
        and row.question.asks_something
    ]
    if not asked:
        for designed in study.design:
            values = (*designed.attribute.sensitive, *designed.attribute.values[-1:])
            is_distorted = not study.design.perturbation(designed.name).is_identity
            if values and (designed.name == sensitive if sensitive else is_distorted):
                test = Comparison(designed.name, Operator.EQUAL, values[0])
                asked.append(Question(condition=Condition((test,))))
    return tuple(dict.fromkeys(one.essence for one in asked))[:_MOST_QUESTIONS]
