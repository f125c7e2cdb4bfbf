"""Questions to the distorted answers of a study, and what comes of them."""

from __future__ import annotations

import csv
import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.data.attribute import Attribute, Kind, MissingPolicy
from ppworkbench.core.data.csv_writer import escape_formula
from ppworkbench.core.data.files import write_table
from ppworkbench.core.data.missing import apply_missing_policies
from ppworkbench.core.data.sampling_roles import Sampling, SamplingOptions
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Design
from ppworkbench.core.errors import DataError, WorkbenchError
from ppworkbench.core.files import atomic_file
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.survey.answers import meeting, original_answers
from ppworkbench.core.survey.conditions import (
    EVERYBODY,
    Comparison,
    Condition,
    Membership,
    Operator,
    Range,
    Test,
)
from ppworkbench.core.survey.counts import Count, count
from ppworkbench.core.survey.crosstabs import CrossTable, crosstab
from ppworkbench.core.survey.distributions import Distribution, distribution
from ppworkbench.core.survey.estimates import JOINT, SEQUENTIAL, Estimate
from ppworkbench.core.survey.grids import bins_of, labels_of
from ppworkbench.core.survey.means import Mean, mean
from ppworkbench.core.survey.parser import parse_condition
from ppworkbench.core.survey.participants import HIGHEST, RANDOM, Participants, participants
from ppworkbench.core.survey.regions import ValueRegion, asked_attribute, regions_of
from ppworkbench.core.survey.splits import split_share
from ppworkbench.study.distorted_cache import Answers, DistortedCache
from ppworkbench.study.fingerprint import fingerprint
from ppworkbench.study.study import Study

COUNT, MEAN, DISTRIBUTION, CROSSTAB, PARTICIPANTS = (
    "count", "mean", "distribution", "crosstab", "participants",
)  # fmt: skip
STATISTICS = (COUNT, MEAN, DISTRIBUTION, CROSSTAB, PARTICIPANTS)

_UNUSED_SAMPLING = Message(
    "Weights, strata and clusters of this study are not used here: everybody counts the same.",
    code="unused-sampling",
)

_WITH_OF = (MEAN, DISTRIBUTION, CROSSTAB)


@dataclass(frozen=True)
class Question:
    """One question to the distorted answers.

    Parameters
    ----------
    of, by
        The attribute that is told about, and that of the columns of a cross table.
    size
        How many participants are wanted; as many as are expected to meet the condition if None.
    draw, seed
        Whether the most probable ones are listed or a random draw, and where that starts.
    """

    statistic: str = COUNT
    condition: Condition = EVERYBODY
    method: str = JOINT
    of: str = ""
    by: str = ""
    size: int | None = None
    draw: str = HIGHEST
    seed: int = 0

    @property
    def essence(self) -> Self:
        """The same without what does not matter to its statistic."""
        changes: dict[str, Any] = {}
        if self.statistic not in _WITH_OF:
            changes["of"] = ""
        if self.statistic != CROSSTAB:
            changes["by"] = ""
        else:
            changes["method"] = JOINT
        if self.statistic != PARTICIPANTS:
            changes |= {"size": None, "draw": HIGHEST, "seed": 0}
        return dataclasses.replace(self, **changes)

    @property
    def attributes(self) -> tuple[str, ...]:
        """All attributes that an answer needs."""
        asked = self.essence
        names = (*asked.condition.attributes, asked.of, asked.by)
        return tuple(dict.fromkeys(name for name in names if name))

    @property
    def asks_something(self) -> bool:
        """Whether there is something to estimate: all people need not be counted or listed."""
        return self.statistic not in (COUNT, PARTICIPANTS) or bool(self.condition.tests)

    @property
    def has_several_steps(self) -> bool:
        """Whether the sequential method reconstructs several attributes one by one."""
        alone = 1 if self.statistic == COUNT else 0
        return len(self.condition.attributes) > alone

    @property
    def has_valid_interval(self) -> bool:
        """Whether the interval holds; after several steps one by one it does not."""
        return self.method == JOINT or not self.has_several_steps

    def with_(self, **changes: object) -> Self:
        """The same question with something changed."""
        return dataclasses.replace(self, **changes)  # type: ignore[arg-type]

    def to_json(self) -> dict[str, Any]:
        """The question as it is kept in a study."""
        asked = self.essence
        kept: dict[str, Any] = {
            "statistic": asked.statistic, "condition": str(asked.condition), "method": asked.method,
        }  # fmt: skip
        kept |= {name: value for name in ("of", "by") if (value := getattr(asked, name))}
        if asked.statistic == PARTICIPANTS:
            kept |= {"size": asked.size, "draw": asked.draw, "seed": asked.seed}
        return kept

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Self:
        """A question that was kept; what cannot be one is a ValueError."""
        try:
            statistic, method = str(given["statistic"]), str(given.get("method", JOINT))
            condition = parse_condition(str(given.get("condition", "")))
            size = given.get("size")
            asked = cls(
                statistic, condition, method, str(given.get("of", "")), str(given.get("by", "")),
                None if size is None else int(size), str(given.get("draw", HIGHEST)),
                int(given.get("seed", 0)),
            )  # fmt: skip
        except (KeyError, TypeError, WorkbenchError) as error:
            raise ValueError(str(error)) from None
        known = (STATISTICS, (JOINT, SEQUENTIAL), (HIGHEST, RANDOM))
        found = (asked.statistic, asked.method, asked.draw)
        if any(one not in among for one, among in zip(found, known, strict=True)):
            raise ValueError(str(found))
        return asked


def check_attributes(question: Question, design: Design) -> tuple[str, ...]:
    """The attributes that an answer needs; an error names what the design does not know."""
    asked = question.essence
    names = dict.fromkeys([*regions_of(asked.condition, design), asked.of, asked.by])
    found = tuple(name for name in names if name)
    for name in found:
        asked_attribute(name, design)
    return found


def problem_of(question: Question, design: Design) -> str:
    """Why a question cannot be asked of a design, as one sentence; empty if it can."""
    asked = question.essence
    try:
        check_attributes(asked, design)
    except WorkbenchError as error:
        return error.message
    if asked.statistic in _WITH_OF and not asked.of:
        return Message("Choose an attribute.")
    if asked.statistic == MEAN and not design[asked.of].attribute.kind.is_numeric:
        return Message("{of} has no mean; choose its distribution.", of=asked.of)
    if asked.statistic == CROSSTAB and not asked.by:
        return Message("Choose a column attribute.")
    if asked.statistic == CROSSTAB and asked.of == asked.by:
        return Message("A cross table needs 2 different attributes.")
    return ""


def attributes_for(study: Study, statistic: str) -> Sequence[str]:
    """The attributes that a statistic can tell about."""
    return [
        designed.name
        for designed in study.design
        if statistic != MEAN or designed.attribute.kind.is_numeric
    ]


Result = Count | Mean | Distribution | CrossTable | Participants


@dataclass(frozen=True, eq=False)
class SurveyResult:
    """What was found, by which method, from which study.

    Parameters
    ----------
    beside
        The same number by the other method, for counts and means where it could be found.
    distorted
        The answers that were asked; rows of participants point into it.
    truly
        For every listed participant whether the true answers meet the condition, where known.
    mark
        Tells the design and the draw apart from others, also after the study was saved.
    """

    question: Question
    study: Study
    result: Result
    beside: Estimate | None
    distorted: Table
    remarks: tuple[str, ...]
    mark: str
    when: datetime
    truly: NDArray[np.bool_] | None = None

    def is_current(self, study: Study) -> bool:
        """Whether a study has the same answers and the same design."""
        mine = self.study
        return (
            mine.original is study.original
            and mine.distorted is study.distorted
            and (mine.original is None or mine.settings.seed == study.settings.seed)
            and (mine.design is study.design or mine.design == study.design)
        )


@dataclass(frozen=True)
class SurveyError:
    """A question that has no answer, and why in one sentence."""

    question: Question
    sentence: str
    study: Study | None = None


def first_question(study: Study) -> Question:
    """What is asked first of a study: the share of the first answers marked as sensitive."""
    for designed in study.design:
        if designed.attribute.sensitive:
            marked = designed.attribute.sensitive
            one = Comparison(designed.name, Operator.EQUAL, marked[0])
            test = Membership(designed.name, marked) if len(marked) > 1 else one
            return Question(condition=Condition((test,)))
    return Question()


def answer_question(
    question: Question, study: Study, source: DistortedCache, progress: Progress = silent
) -> SurveyResult | SurveyError:
    """Ask the distorted answers of a study; run it in a job."""
    asked = question.essence
    try:
        answers = source.of(study, part(progress, 0.0, 0.3))
        result = estimate(
            asked,
            answers,
            study.design,
            seed=study.settings.seed,
            progress=part(progress, 0.3, 0.8),
        )
    except WorkbenchError as error:
        return SurveyError(asked, error.message, study)
    other = _beside(asked, study, answers, part(progress, 0.8, 1.0))
    unused = () if study.sampling is None else (_UNUSED_SAMPLING,)
    remarks = tuple(dict.fromkeys((*unused, *_treated(asked, study), *result.remarks)))
    return SurveyResult(
        asked, study, result, other, answers.distorted, remarks, fingerprint(study),
        datetime.now().astimezone(), _truly(result, study, answers),
    )  # fmt: skip


def estimate(  # noqa: PLR0913 (keywords with defaults)
    question: Question,
    answers: Answers,
    design: Design,
    *,
    seed: int = 0,
    confidence: float = 0.95,
    bins: int | None = None,
    sharpest: str = "auto",
    sampling: Sampling | None = None,
    options: SamplingOptions | None = None,
    progress: Progress = silent,
) -> Result:
    """The statistic of a question.

    Parameters
    ----------
    seed
        Where the draws of the sequential method start; the question has that of participants.
    bins
        Into how many bins distributions and cross tables cut a number.
    sharpest
        The sharpest feature of a number under noise: ``auto``, ``none`` or a number.
    sampling, options
        How people were drawn, and how that is used; lists of participants know nothing of it.
    """
    table, condition, method = answers.distorted, question.condition, question.method
    drawn: dict[str, Any] = {"sampling": sampling, "options": options}
    shared: dict[str, Any] = {
        "original": answers.original, "confidence": confidence, "progress": progress,
    }  # fmt: skip
    if question.statistic == COUNT:
        return count(
            table, design, condition, method, sharpness=sharpest, seed=seed, **shared, **drawn
        )
    if question.statistic == MEAN:
        return mean(
            table, design, question.of, condition, method,
            sharpness=sharpest, seed=seed, **shared, **drawn,
        )  # fmt: skip
    if question.statistic == DISTRIBUTION:
        return distribution(
            table, design, question.of, condition, method,
            bins=bins, sharpness=sharpest, seed=seed, **shared, **drawn,
        )  # fmt: skip
    if question.statistic == CROSSTAB:
        both = {question.of: bins, question.by: bins}
        return crosstab(
            table, design, question.of, question.by, condition, method,
            bins=both, **shared, **drawn,
        )  # fmt: skip
    return participants(
        table, design, condition, method,
        size=question.size, draw=question.draw, seed=question.seed, **shared,
    )  # fmt: skip


def _beside(
    question: Question, study: Study, answers: Answers, progress: Progress
) -> Estimate | None:
    """The other method's number, where there is one; that it has none is no reason to fail."""
    if question.statistic not in (COUNT, MEAN):
        return None
    other = question.with_(method=SEQUENTIAL if question.method == JOINT else JOINT)
    try:
        found = estimate(other, answers, study.design, seed=study.settings.seed, progress=progress)
    except WorkbenchError:
        return None
    return found.value if isinstance(found, Count | Mean) else None


def _treated(question: Question, study: Study) -> list[Message]:
    """What was done about missing answers to the attributes that were asked."""
    if study.original is None:
        return []
    sentences = apply_missing_policies(study.original.select(question.attributes)).sentences
    kept = MissingPolicy.LEAVE
    return [
        Message("{name}: {sentence}", name=name, sentence=Message.of(sentence))
        for name, sentence in sentences.items()
        # The statistics themselves tell about answers that stay missing.
        if study.original[name].attribute.missing is not kept
    ]


def _truly(result: Result, study: Study, answers: Answers) -> NDArray[np.bool_] | None:
    """Which of the listed participants really meet the condition."""
    if not isinstance(result, Participants) or answers.original is None:
        return None
    regions = regions_of(result.condition, study.design)
    listed = original_answers(answers.original.take(result.rows), study.design, regions)
    truly = np.zeros(len(result.rows), np.bool_)
    truly[listed.rows] = meeting(listed.data, regions, listed.n)
    return truly


MOST_VALUES = 24
"""An attribute with more values makes no picture that anybody can read."""


@dataclass(frozen=True, eq=False)
class SplitResult:
    """One row per value: an estimate, or None where by the estimate nobody has the value.

    ``inside`` tells which values the asked condition itself names.
    """

    question: Question
    study: Study
    by: str
    labels: tuple[str, ...] = ()
    values: tuple[Estimate | None, ...] = ()
    inside: tuple[bool, ...] = ()
    condition: Condition = EVERYBODY
    remarks: tuple[str, ...] = ()
    refusal: str = ""


def split_choices(question: Question, design: Design) -> tuple[str, ...]:
    """The attributes by which a question can be split."""
    tested = set(question.condition.attributes)
    return tuple(
        designed.name
        for designed in design
        if designed.attribute.k <= MOST_VALUES
        and designed.attribute.k != 1
        and (question.statistic == MEAN and designed.name != question.of)
        | (question.statistic == COUNT and bool(tested - {designed.name}))
    )


def first_split(question: Question, design: Design) -> str:
    """The attribute to begin with: the last one tested that has values, else one with a few."""
    offered = split_choices(question, design)
    valued = [name for name in offered if design[name].attribute.k]
    tested = [name for name in reversed(question.condition.attributes) if name in valued]
    nominal = [name for name in valued if design[name].attribute.kind is Kind.NOMINAL]
    return next(iter([*tested, *nominal, *valued, *offered]), "")


def split_by(
    by: str, question: Question, study: Study, source: DistortedCache, progress: Progress = silent
) -> SplitResult:
    """Split a count or a mean; run it in a job."""
    try:
        answers = source.of(study, part(progress, 0.0, 0.3))
        if question.statistic == MEAN:
            return _means(by, question, study, answers, part(progress, 0.3, 1.0))
        found = split_share(
            answers.distorted, study.design, by, question.condition,
            original=answers.original, progress=part(progress, 0.3, 1.0),
        )  # fmt: skip
    except WorkbenchError as error:
        return SplitResult(question, study, by, refusal=error.message)
    inside = _inside(by, question, study.design, len(found.labels))
    return SplitResult(
        question, study, by, found.labels, found.shares, inside, found.condition, found.remarks
    )


def _means(
    by: str, question: Question, study: Study, answers: Answers, progress: Progress
) -> SplitResult:
    others = Condition(tuple(t for t in question.condition.tests if t.attribute != by))
    attribute = study.design[by].attribute
    edges = bins_of(attribute, study.design.perturbation(by))
    labels = labels_of(attribute, edges)
    tests = tuple(_tests(by, study.design))
    values: list[Estimate | None] = []
    remarks: dict[str, None] = {}
    for place, test in enumerate(tests):
        step = part(progress, place / len(tests), (place + 1) / len(tests))
        found = _mean(question.of, Condition((*others.tests, test)), study, answers, step)
        values.append(None if found is None else found.value)
        remarks |= dict.fromkeys(() if found is None else found.remarks)
    inside = _inside(by, question, study.design, len(labels))
    return SplitResult(question, study, by, labels, tuple(values), inside, others, tuple(remarks))


def _mean(
    of: str, condition: Condition, study: Study, answers: Answers, progress: Progress
) -> Mean | None:
    try:
        return mean(
            answers.distorted, study.design, of, condition,
            original=answers.original, seed=study.settings.seed, progress=progress,
        )  # fmt: skip
    except DataError:
        return None


def _tests(by: str, design: Design) -> Iterator[Test]:
    attribute = design[by].attribute
    edges = bins_of(attribute, design.perturbation(by))
    if edges is None:
        yield from (Membership(by, (value,)) for value in attribute.values)
        return
    for place in range(len(edges) - 1):
        low, high = (f"{float(edge):.17g}" for edge in edges[place : place + 2])
        yield Range(by, low, high, high_included=place == len(edges) - 2)


def _inside(by: str, question: Question, design: Design, rows: int) -> tuple[bool, ...]:
    region = regions_of(question.condition, design).get(by)
    if isinstance(region, ValueRegion):
        return region.inside
    return (False,) * rows


# Words for a publication


def methods_paragraph(answer: SurveyResult) -> tuple[Message, ...]:
    """Sentences for a methods section: what was estimated, from what and how."""
    result, asked = answer.result, answer.question
    parts = [
        Message(
            "{what} was estimated from the randomised answers of {n:,} respondents ({how}).",
            what=_what_was_asked(asked),
            n=answer.distorted.rows,
            how=_mechanisms(asked, answer.study.design),
        ),
        Message(
            "The estimates correct all attributes together by the known probabilities and are "
            "unbiased."
        )
        if asked.method == JOINT
        else Message("The attributes were corrected one after another (sequential method)."),
    ]
    if isinstance(result, Count | Mean):
        parts.append(_estimate_in_methods(result, valid=asked.has_valid_interval))
    parts.append(
        Message(
            "The intervals include the random error of the randomisation for these respondents; "
            "errors of sampling and of non-compliance are not included."
        )
    )
    return tuple(parts)


def _what_was_asked(asked: Question) -> Message:
    whom = str(asked.condition)
    if asked.statistic == COUNT:
        return Message("The share of respondents with {whom}", whom=whom or "…")
    if asked.statistic == PARTICIPANTS:
        return Message("The probability of {whom} of each respondent", whom=whom or "…")
    if asked.statistic == MEAN:
        what = Message("The mean of {of}", of=asked.of)
    elif asked.statistic == DISTRIBUTION:
        what = Message("The distribution of {of}", of=asked.of)
    else:
        what = Message("The joint distribution of {of} and {by}", of=asked.of, by=asked.by)
    return Message("{what} among those with {whom}", what=what, whom=whom) if whom else what


def _mechanisms(asked: Question, design: Design) -> Message:
    """How every attribute of a question was randomised."""
    listed: Message | None = None
    for name in asked.attributes:
        perturbation = design.perturbation(name)
        how = (
            Message("not randomised")
            if perturbation.is_identity
            else Message.of(perturbation.summary())
        )
        one = Message("{name}: {mechanism}", name=name, mechanism=how)
        listed = one if listed is None else Message("{before}; {one}", before=listed, one=one)
    return listed or Message("no attribute")


def _estimate_in_methods(result: Count | Mean, *, valid: bool) -> Message:
    value, level = result.value, 100 * result.confidence
    scale = 100 / max(result.respondents, 1) if isinstance(result, Count) else 1.0
    unit = " %" if isinstance(result, Count) else ""
    estimate = value.estimate * scale
    if not valid or not math.isfinite(value.standard_error):
        return Message("The estimate is {estimate:.1f}{unit}.", estimate=estimate, unit=unit)
    return Message(
        "The estimate is {estimate:.1f}{unit} ({level:.0f} % CI {low:.1f} to {high:.1f}).",
        estimate=estimate,
        unit=unit,
        level=level,
        low=value.low * scale,
        high=value.high * scale,
    )


Rows = list[list[str]]

_NUMBERS = ("estimate", "low", "high", "standard error", "uncorrected", "true")
_COPIED = 1_000
"""Participants beyond these are for a file, not for the clipboard."""


def result_rows(answer: SurveyResult) -> Rows:
    """The numbers of an answer under their names."""
    result = answer.result
    if isinstance(result, Count | Mean):
        what = "count" if isinstance(result, Count) else f"mean of {result.of}"
        values: list[tuple[list[str], Estimate]] = [([what, result.method], result.value)]
        heads = ["statistic", "method"]
        if answer.beside is not None:
            other = "sequential" if result.method == "joint" else "joint"
            values.append(([what, other], answer.beside))
    elif isinstance(result, Distribution):
        heads = [result.of]
        values = [([label], s) for label, s in zip(result.labels, result.shares, strict=True)]
    elif isinstance(result, CrossTable):
        heads = [result.rows_of, result.columns_of]
        values = [
            ([down, across], result.cells[i][j])
            for i, down in enumerate(result.row_labels)
            for j, across in enumerate(result.column_labels)
        ]
    else:
        return _participant_rows(answer, result)
    return [[*heads, *_NUMBERS], *([*names, *_numbers(value)] for names, value in values)]


def _numbers(value: Estimate) -> list[str]:
    given = (
        value.estimate, value.low, value.high, value.standard_error, value.naive, value.true
    )  # fmt: skip
    return ["" if n is None or not math.isfinite(n) else f"{n:.10g}" for n in given]


def _participant_rows(answer: SurveyResult, found: Participants) -> Rows:
    names = found.condition.attributes
    shown = found.rows[:_COPIED]
    columns = [answer.distorted[name].take(shown).to_series().astype(str) for name in names]
    rows: Rows = [["record", *names, "posterior"]]
    for place, record in enumerate(shown.tolist()):
        answers = [str(column.iloc[place]) for column in columns]
        rows.append([str(record + 1), *answers, f"{found.posterior[place]:.6g}"])
    return rows


def write_result(answer: SurveyResult, path: Path, progress: Progress = silent) -> None:
    """Write an answer to a file, whole or not at all; run it in a job."""
    progress(0.0, Message("writing"))
    if isinstance(answer.result, Participants):
        write_table(participants_table(answer), path, progress=progress)
        return
    if path.suffix.lower() != ".csv":
        raise DataError(
            Message("{name} cannot be written; end the name in .csv.", name=path.name),
            file=path,
        )
    rows = [[escape_formula(cell) for cell in row] for row in result_rows(answer)]
    with (
        atomic_file(path) as temporary,
        temporary.open("w", encoding="utf-8", newline="") as file,
    ):
        csv.writer(file).writerows(rows)


def participants_table(answer: SurveyResult) -> Table:
    """The listed records with all their reported answers, their number and their posterior."""
    found = answer.result
    assert isinstance(found, Participants)  # noqa: S101 (only these are listed)
    listed = answer.distorted.take(found.rows)
    taken = set(listed.names)
    last = float(max(answer.distorted.rows, 1))
    record = Attribute(_free("record", taken), Kind.INTEGER, domain=(1.0, last))
    posterior = Attribute(_free("posterior", taken), Kind.CONTINUOUS, domain=(0.0, 1.0))
    return Table(
        (
            Column(record, found.rows.astype(np.float64) + 1),
            *listed.columns,
            Column(posterior, found.posterior),
        ),
        listed.class_name,
    )


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name = f"{name}_"
    return name
