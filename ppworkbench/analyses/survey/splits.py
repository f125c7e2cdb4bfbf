"""A survey question split by the values of an attribute."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ppworkbench.analyses.estimates.request import MOST_VALUES
from ppworkbench.analyses.survey.answers import answers_for
from ppworkbench.analyses.survey.questions import (
    CROSSTAB,
    Question,
    sampling_options,
)
from ppworkbench.core.data.attribute import Kind
from ppworkbench.core.design import Design
from ppworkbench.core.errors import DataError, WorkbenchError
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.reconstruct.grid import labels_of
from ppworkbench.core.survey.conditions.condition import (
    EVERYBODY,
    Condition,
    Membership,
    Range,
    Test,
)
from ppworkbench.core.survey.conditions.regions import ValueRegion, regions_of
from ppworkbench.core.survey.estimates import Estimate
from ppworkbench.core.survey.factors.grids import bins_of
from ppworkbench.core.survey.means import Mean, mean
from ppworkbench.core.survey.parted import PartedAnswers
from ppworkbench.core.survey.splits import split_share
from ppworkbench.study.distorted_cache import Answers, DistortedCache, distorted_of, original_of
from ppworkbench.study.study import Study


@dataclass(frozen=True, eq=False)
class SplitResult:
    """One row per value: an estimate, or None where by the estimate nobody has the value.

    ``inside`` tells which values the asked condition itself names, ``sizes`` how many of the people
    who answered have each by the estimate.
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
    sizes: tuple[float, ...] = ()


def split_choices(question: Question, design: Design) -> tuple[str, ...]:
    return tuple(
        designed.name
        for designed in design
        if designed.attribute.k <= MOST_VALUES
        and designed.attribute.k != 1
        and question.request.can_be_split(designed.name)
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
        answers = _answers_of(by, question, study, source, part(progress, 0.0, 0.3))
        if not question.kind.is_share:
            return _means(by, question, study, answers, part(progress, 0.3, 1.0))
        found = split_share(
            distorted_of(answers), question.request.within(study.design), by, question.condition,
            original=original_of(answers), progress=part(progress, 0.3, 1.0),
            **sampling_options(question, study),
        )  # fmt: skip
    except WorkbenchError as error:
        return SplitResult(question, study, by, refusal=study.titled(error.message))
    inside = _inside(by, question, study.design, len(found.labels))
    return SplitResult(
        question, study, by, found.labels, found.shares, inside, found.condition, found.remarks,
        sizes=found.sizes,
    )  # fmt: skip


def _answers_of(
    by: str, question: Question, study: Study, source: DistortedCache, progress: Progress
) -> Answers | PartedAnswers:
    """What a split is estimated from: a cross table takes the same columns of parts."""
    table = Question(CROSSTAB, question.condition, of=question.of or by, by=by)
    asked = table.with_(target=question.target, arms=question.arms)
    return answers_for(asked, study, source, progress)


def _means(
    by: str, question: Question, study: Study, answers: Answers | PartedAnswers, progress: Progress
) -> SplitResult:
    others = Condition(tuple(t for t in question.condition.tests if t.attribute != by))
    attribute = study.design[by].attribute
    edges = bins_of(attribute, study.design.perturbation(by))
    labels = labels_of(attribute, edges)
    tests = tuple(_tests(by, study.design))
    values: list[Estimate | None] = []
    sizes: list[float] = []
    remarks: dict[str, None] = {}
    for place, test in enumerate(tests):
        step = part(progress, place / len(tests), (place + 1) / len(tests))
        within = question.with_(condition=Condition((*others.tests, test)))
        found = _mean(within, study, answers, step)
        values.append(None if found is None else found.value)
        sizes.append(0.0 if found is None else found.size)
        remarks |= dict.fromkeys(() if found is None else found.remarks)
    inside = _inside(by, question, study.design, len(labels))
    return SplitResult(
        question, study, by, labels, tuple(values), inside, others, tuple(remarks),
        sizes=tuple(sizes),
    )  # fmt: skip


def _mean(
    question: Question, study: Study, answers: Answers | PartedAnswers, progress: Progress
) -> Mean | None:
    try:
        return mean(
            distorted_of(answers), question.request.within(study.design), question.of,
            question.condition, original=original_of(answers), seed=study.settings.seed,
            progress=progress,
            **sampling_options(question, study),
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
