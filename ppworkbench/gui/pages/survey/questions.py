"""A question, its answer, and the words for both."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import sys
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from ppworkbench.core.data.attribute import Attribute, Kind, MissingPolicy
from ppworkbench.core.data.missing import apply_missing_policies
from ppworkbench.core.data.table import Table
from ppworkbench.core.design import Design
from ppworkbench.core.design.design_file import design_to_json
from ppworkbench.core.errors import DataError, WorkbenchError
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.survey.answers import meeting, original_answers
from ppworkbench.core.survey.conditions import EVERYBODY, Condition, Membership, Range, Test
from ppworkbench.core.survey.counts import Count, count
from ppworkbench.core.survey.crosstabs import CrossTable, crosstab
from ppworkbench.core.survey.distributions import Distribution, distribution
from ppworkbench.core.survey.estimates import JOINT, SEQUENTIAL, Estimate
from ppworkbench.core.survey.grids import bins_of, labels_of
from ppworkbench.core.survey.means import Mean, mean
from ppworkbench.core.survey.parser import parse_condition
from ppworkbench.core.survey.participants import Participants, participants
from ppworkbench.core.survey.regions import ValueRegion, asked_attribute, regions_of
from ppworkbench.core.survey.splits import split_share
from ppworkbench.gui.jobs import Job
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.numbers import THIN, number, percent
from ppworkbench.gui.pages.survey.condition_editor import condition_words
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.distorted_cache import Answers, DistortedCache
from ppworkbench.study.study import Study

COUNT, MEAN, DISTRIBUTION, CROSSTAB, PARTICIPANTS = (
    "count", "mean", "distribution", "crosstab", "participants",
)  # fmt: skip
STATISTICS = (COUNT, MEAN, DISTRIBUTION, CROSSTAB, PARTICIPANTS)
HIGHEST, RANDOM = "highest", "random"

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


def problem_of(question: Question, design: Design) -> str:
    """Why a question cannot be asked of a design, as one sentence; empty if it can."""
    asked = question.essence
    try:
        regions_of(asked.condition, design)
        for name in (asked.of, asked.by):
            if name:
                asked_attribute(name, design)
    except WorkbenchError as error:
        return translate(error.message)
    if asked.statistic in _WITH_OF and not asked.of:
        return tr("Choose the attribute to tell about.")
    if asked.statistic == MEAN and not design[asked.of].attribute.kind.is_numeric:
        return tr("%s has no mean; ask for its distribution.") % asked.of
    if asked.statistic == CROSSTAB and not asked.by:
        return tr("Choose the attribute of the columns.")
    if asked.statistic == CROSSTAB and asked.of == asked.by:
        return tr("A cross table needs two different attributes.")
    return ""


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


def reply_to(
    question: Question, study: Study, source: DistortedCache, progress: Progress = silent
) -> SurveyResult | SurveyError:
    """Ask the distorted answers; run it in a job."""
    asked = question.essence
    try:
        answers = source.of(study, part(progress, 0.0, 0.3))
        result = _result(asked, study, answers, part(progress, 0.3, 0.8))
    except WorkbenchError as error:
        return SurveyError(asked, error.message)
    other = _beside(asked, study, answers, part(progress, 0.8, 1.0))
    remarks = tuple(dict.fromkeys((*_treated(asked, study), *result.remarks)))
    return SurveyResult(
        asked, study, result, other, answers.distorted, remarks, mark_of(study),
        datetime.now().astimezone(), _truly(result, study, answers),
    )  # fmt: skip


def _result(question: Question, study: Study, answers: Answers, progress: Progress) -> Result:
    table, design, condition = answers.distorted, study.design, question.condition
    method, original = question.method, answers.original
    seed = study.settings.seed
    if question.statistic == COUNT:
        return count(
            table, design, condition, method, original=original, seed=seed, progress=progress
        )
    if question.statistic == MEAN:
        return mean(
            table, design, question.of, condition, method,
            original=original, seed=seed, progress=progress,
        )  # fmt: skip
    if question.statistic == DISTRIBUTION:
        return distribution(
            table, design, question.of, condition, method,
            original=original, seed=seed, progress=progress,
        )  # fmt: skip
    if question.statistic == CROSSTAB:
        return crosstab(
            table, design, question.of, question.by, condition,
            original=original, progress=progress,
        )  # fmt: skip
    return participants(
        table, design, condition, method, size=question.size, draw=question.draw,
        original=original, seed=question.seed, progress=progress,
    )  # fmt: skip


def _beside(
    question: Question, study: Study, answers: Answers, progress: Progress
) -> Estimate | None:
    """The other method's number, where there is one; that it has none is no reason to fail."""
    if question.statistic not in (COUNT, MEAN):
        return None
    other = question.with_(method=SEQUENTIAL if question.method == JOINT else JOINT)
    try:
        found = _result(other, study, answers, progress)
    except WorkbenchError:
        return None
    return found.value if isinstance(found, Count | Mean) else None


def _treated(question: Question, study: Study) -> list[str]:
    """What was done about missing answers to the attributes that were asked."""
    if study.original is None:
        return []
    sentences = apply_missing_policies(study.original.select(question.attributes)).sentences
    kept = MissingPolicy.LEAVE
    return [
        f"{name}: {translate(sentence)}"
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


def mark_of(study: Study) -> str:
    """A few letters that change with the design, the draw and the number of answers."""
    seed = None if study.original is None else study.settings.seed
    written = json.dumps([design_to_json(study.design), seed, study.rows], sort_keys=True)
    return hashlib.sha256(written.encode()).hexdigest()[:16]


def attributes_for(study: Study, statistic: str) -> Sequence[str]:
    """The attributes that a statistic can tell about."""
    return [
        designed.name
        for designed in study.design
        if statistic != MEAN or designed.attribute.kind.is_numeric
    ]


_FEW = 100
"""Below so many respondents a count is shown with a decimal."""


@dataclass(frozen=True)
class EstimateFormat:
    """Counts, shares or numbers of an attribute: scale, decimals and unit."""

    decimals: int = 0
    is_share: bool = False

    @classmethod
    def of_count(cls, respondents: int) -> EstimateFormat:
        """Whole people, unless there are very few."""
        return cls(1 if respondents < _FEW else 0)

    @classmethod
    def of_number(cls, attribute: Attribute) -> EstimateFormat:
        """Three digits of the range of an attribute count."""
        width = attribute.width
        if not width > 0:
            return cls(2)
        return cls(min(max(0, 2 - math.floor(math.log10(width))), 6))

    @classmethod
    def of_share(cls) -> EstimateFormat:
        """Percentages."""
        return cls(1, True)

    def text(self, value: float | None) -> str:
        """One number; a dash where there is none."""
        if value is None or not math.isfinite(value):
            return "–"
        if self.is_share:
            return f"{self.bare(value)}{THIN}%"
        return self.bare(value)

    def bare(self, value: float) -> str:
        """The number without its unit."""
        scaled = 100 * value if self.is_share else value
        rounded = round(scaled, self.decimals) + 0.0
        return number(rounded, self.decimals)

    def interval(self, value: Estimate) -> str:
        """The two ends of an interval; a dash where a single record gives none."""
        if not math.isfinite(value.standard_error):
            return "–"
        return tr("%s to %s") % (self.bare(value.low), self.bare(value.high))

    def with_reach(self, value: Estimate) -> str:
        """An estimate with half its interval: "45 ± 9 %"."""
        reach = (value.high - value.low) / 2
        if not math.isfinite(reach):
            return self.text(value.estimate)
        coarse = EstimateFormat(0, True) if self.is_share else self
        tail = f"{THIN}%" if self.is_share else ""
        return f"{coarse.bare(value.estimate)} ± {coarse.bare(reach)}{tail}"


MOST_KEPT = 200
RESULTS = "survey"
"""Under which name the study keeps them."""
Texts = tuple[str, str, str, str]
Numbers = tuple[float | None, ...]
_TEXTS = ("estimate", "interval", "naive", "true")
_OF_ESTIMATE = 5
"""Estimate, the two ends of its interval, face value and truth."""
_COUNTED = {DISTRIBUTION: 1, CROSSTAB: 2, PARTICIPANTS: 1}
"""Of other answers only the size is told: so many numbers."""
_MOST_DECIMALS = 6


@dataclass(frozen=True)
class PastQuestion:
    """One row of the list: a question, its answer in short, and which design it belongs to."""

    question: Question
    texts: Texts
    """Estimate, interval, face value and truth in the language in which it was asked; shown only
    for rows of older studies, which have no numbers."""
    mark: str = ""
    when: str = ""
    numbers: Numbers = ()
    decimals: int = 0

    @classmethod
    def of_reply(cls, reply: SurveyResult) -> Self:
        """The row of an answer."""
        when = reply.when.isoformat(timespec="seconds")
        numbers, decimals = _numbers(reply)
        texts = _texts(reply.question, numbers, decimals)
        return cls(reply.question, texts, reply.mark, when, numbers, decimals)

    @cached_property
    def condition(self) -> str:
        """Whom it is about."""
        return condition_words(self.question.condition)

    @property
    def statistic(self) -> str:
        """What was asked of them."""
        asked = self.question
        if asked.statistic == COUNT:
            return tr("count")
        if asked.statistic == MEAN:
            return tr("mean of %s") % asked.of
        if asked.statistic == DISTRIBUTION:
            return tr("distribution of %s") % asked.of
        if asked.statistic == CROSSTAB:
            return tr("%s by %s") % (asked.of, asked.by)
        return tr("participants")

    @property
    def method(self) -> str:
        """How it was estimated."""
        return tr("joint") if self.question.method == "joint" else tr("sequential")

    @property
    def time(self) -> str:
        """When it was asked, for a tooltip."""
        try:
            return datetime.fromisoformat(self.when).astimezone().strftime("%H:%M")
        except ValueError:
            return ""

    @cached_property
    def cells(self) -> tuple[str, ...]:
        """The row as texts of the language now."""
        known = len(self.numbers) == _COUNTED.get(self.question.statistic, _OF_ESTIMATE)
        texts = _texts(self.question, self.numbers, self.decimals) if known else self.texts
        return self.condition, self.statistic, *texts, self.method

    def to_json(self) -> dict[str, Any]:
        """The row as the study keeps it."""
        return {
            "question": self.question.to_json(),
            **dict(zip(_TEXTS, self.texts, strict=True)),
            "mark": self.mark,
            "when": self.when,
            "numbers": list(self.numbers),
            "decimals": self.decimals,
        }

    @classmethod
    def from_json(cls, given: Any) -> Self:
        """A row that was kept; what cannot be one is a ValueError."""
        if not isinstance(given, Mapping) or not isinstance(given.get("question"), Mapping):
            raise ValueError("not an asked question")
        estimate, interval, naive, true, mark, when = (
            str(given.get(name, "")) for name in (*_TEXTS, "mark", "when")
        )
        numbers, decimals = given.get("numbers"), given.get("decimals")
        return cls(
            Question.from_json(given["question"]), (estimate, interval, naive, true), mark, when,
            tuple(numbers) if isinstance(numbers, list) and all(map(_is_number, numbers)) else (),
            decimals if isinstance(decimals, int) and 0 <= decimals <= _MOST_DECIMALS else 0,
        )  # fmt: skip


def asked_to_json(rows: tuple[PastQuestion, ...]) -> dict[str, Any]:
    """All rows as the study keeps them, the newest first."""
    return {"asked": [row.to_json() for row in rows[:MOST_KEPT]]}


def asked_from_json(given: object) -> tuple[PastQuestion, ...]:
    """All rows that were kept and can be read; others are left out."""
    listed = given.get("asked") if isinstance(given, Mapping) else None
    rows = []
    for one in listed if isinstance(listed, list) else []:
        try:
            rows.append(PastQuestion.from_json(one))
        except (ValueError, TypeError):
            continue
    return tuple(rows[:MOST_KEPT])


def _numbers(reply: SurveyResult) -> tuple[Numbers, int]:
    """What is told of an answer, and with how many decimals."""
    result, question = reply.result, reply.question
    if isinstance(result, Count | Mean):
        if isinstance(result, Count):
            decimals = EstimateFormat.of_count(result.respondents).decimals
        else:
            decimals = EstimateFormat.of_number(reply.study.design[question.of].attribute).decimals
        value = result.value
        # Jointly with others, the sequential method has no valid interval.
        several = len(question.condition.attributes) > isinstance(result, Count)
        valid = (question.method == JOINT or not several) and math.isfinite(value.standard_error)
        ends = (value.low, value.high) if valid else (None, None)
        told = (value.estimate, *ends, value.naive, value.true)
        return tuple(float(n) if n is not None and _is_number(n) else None for n in told), decimals
    if isinstance(result, Distribution):
        return (len(result.labels),), 0
    if isinstance(result, CrossTable):
        return (len(result.row_labels), len(result.column_labels)), 0
    assert isinstance(result, Participants)  # noqa: S101 (the last kind of result)
    return (len(result.rows),), 0


def _texts(question: Question, numbers: Numbers, decimals: int) -> Texts:
    """Numbers of an answer in the language of the window."""
    shown = [EstimateFormat(decimals).text(one) for one in numbers]
    if question.statistic == DISTRIBUTION:
        return tr("%s values") % shown[0], "", "", ""
    if question.statistic == CROSSTAB:
        return tr("%s × %s cells") % (shown[0], shown[1]), "", "", ""
    if question.statistic == PARTICIPANTS:
        return tr("%s listed") % shown[0], "", "", ""
    estimate, low, high, naive, true = shown
    has_interval = None not in numbers[1:3]
    return estimate, tr("%s to %s") % (low, high) if has_interval else "–", naive, true


def _is_number(given: object) -> bool:
    """Whether it is a number that can be shown, or none at all."""
    if isinstance(given, bool) or not isinstance(given, int | float | None):
        return False
    # A file may hold whole numbers that are too long to be compared as others are.
    return given is None or abs(given) <= sys.float_info.max


_SAME = 0.05
"""Differences up to this share of the estimate are called none."""
_TWICE = 2.0


def explanation(statistic: str) -> str:
    """What a statistic tells."""
    return {
        COUNT: tr("How many people meet all of these conditions?"),
        MEAN: tr("What is the mean of a number among people who meet them?"),
        DISTRIBUTION: tr("How are the answers to one question distributed among them?"),
        CROSSTAB: tr("How do the answers to two questions go together among them?"),
        PARTICIPANTS: tr("Who probably meets all of these conditions?"),
    }[statistic]


def method_hint(method: str) -> str:
    """What a method does, for the line beside the chips."""
    if method == JOINT:
        return tr("Joint: undoes all conditions together; unbiased, with a valid interval.")
    return tr(
        "Sequential: counts one condition after another in their order and loses the link between "
        "attributes."
    )


def method_name(method: str) -> str:
    """What a method is called."""
    return tr("joint") if method == JOINT else tr("sequential")


def clipped(value: float, low: float, high: float) -> float:
    """An estimate as it is shown: never outside of what is possible."""
    return min(max(value, low), high)


def count_reading(found: Count, *, valid: bool = True) -> tuple[str, str]:
    """The estimate as people in a hundred, and what face value would say."""
    value, n = found.value, max(found.respondents, 1)
    if not valid:
        share = number(round(100 * clipped(value.estimate / n, 0.0, 1.0)))
        first = tr("About %s in 100 respondents.") % share
        return first, _face_value(value, EstimateFormat.of_count(n), is_count=True)
    return _in_hundred(value, n), _face_value(value, EstimateFormat.of_count(n), is_count=True)


def _in_hundred(value: Estimate, n: int) -> str:
    if not math.isfinite(value.standard_error):
        return tr("A single record gives no interval.")
    low, high = (round(100 * clipped(end / n, 0.0, 1.0)) for end in (value.low, value.high))
    if (low, high) == (0, 100):
        return tr("Anything between nobody and everybody.")
    if low == high == 0:
        return tr("Fewer than 1 in 100 respondents.")
    if low == high:
        return tr("About %s in 100 respondents.") % number(low)
    return tr("Between %s and %s in 100 respondents.") % (number(low), number(high))


def mean_reading(found: Mean, figures: EstimateFormat) -> tuple[str, str]:
    """Who the mean is about, and what face value would say."""
    if not math.isfinite(found.value.standard_error):
        first = tr("A single record gives no interval.")
    elif found.condition.tests:
        first = tr("The mean %s of those who meet the condition.") % found.of
    else:
        first = tr("The mean %s of all respondents.") % found.of
    return first, _face_value(found.value, figures, is_count=False)


def _face_value(value: Estimate, figures: EstimateFormat, *, is_count: bool) -> str:
    if value.naive is None:
        return tr("At face value nobody meets the condition.")
    shown = figures.text(value.naive)
    base, naive = value.estimate, value.naive
    if base <= 0 or abs(naive - base) <= _SAME * abs(base):
        return tr("Taking the reports at face value would give %s.") % shown
    change = percent(abs(naive / base - 1))
    if is_count:
        return _moved(shown, change, naive / base)
    if naive > base:
        return tr("Taking the reports at face value would give %s, %s more.") % (shown, change)
    return tr("Taking the reports at face value would give %s, %s less.") % (shown, change)


def _moved(shown: str, change: str, ratio: float) -> str:
    """Why the reports give another number of people."""
    if ratio >= _TWICE:
        words = tr(
            "Taking the reports at face value would give %s, more than twice as many, because "
            "chance moves more people into the group than out of it."
        )
        return words % shown
    if ratio > 1:
        words = tr(
            "Taking the reports at face value would give %s, %s more, because chance moves more "
            "people into the group than out of it."
        )
    else:
        words = tr(
            "Taking the reports at face value would give %s, %s fewer, because chance moves more "
            "people out of the group than into it."
        )
    return words % (shown, change)


def bounds_note(value: Estimate, respondents: int, figures: EstimateFormat) -> str:
    """Why an estimate outside of the possible is shown as its end; empty for others."""
    if value.estimate < 0:
        return tr("The raw estimate is %s. It is shown as 0 and kept unclipped for sums.") % (
            figures.text(value.estimate)
        )
    if value.estimate > respondents:
        return tr("The raw estimate is %s. It is shown as %s and kept unclipped for sums.") % (
            figures.text(value.estimate),
            figures.text(float(respondents)),
        )
    return ""


def interval_line(
    value: Estimate, figures: EstimateFormat, confidence: float, *, valid: bool
) -> str:
    """The interval under the large number."""
    if not math.isfinite(value.standard_error):
        return tr("no interval from a single record")
    level = percent(confidence)
    if not valid:
        return tr("no valid interval")
    return tr("%s interval %s") % (level, figures.interval(value))


def steps_line(value: Estimate, figures: EstimateFormat) -> str:
    """What the interval of a sequential estimate would be if nothing else were wrong with it."""
    return tr("the steps alone would give %s") % figures.interval(value)


def badge(question: Question) -> str:
    """What a method is, in two words."""
    return tr("joint, unbiased") if question.method == JOINT else tr("sequential, published")


def participants_words(found: Participants) -> str:
    """How many are listed, and how many of them may be expected to meet the condition."""
    listed = number(len(found.rows))
    if not found.condition.tests:
        return tr("%s records are listed; without a condition everybody belongs.") % listed
    expected = number(float(found.posterior.sum()))
    return tr("%s records are listed; about %s of them may be expected to meet the condition.") % (
        listed,
        expected,
    )


MOST_VALUES = 24
"""An attribute with more values makes no picture that anybody can read."""


@dataclass(frozen=True, eq=False)
class SplitReply:
    """One row per value: an estimate, or None where by the estimate nobody has the value.

    ``inside`` tells which values the asked condition itself names.
    """

    question: Question
    by: str
    labels: tuple[str, ...] = ()
    values: tuple[Estimate | None, ...] = ()
    inside: tuple[bool, ...] = ()
    condition: Condition = EVERYBODY
    remarks: tuple[str, ...] = ()
    refusal: str = ""


def choices(question: Question, design: Design) -> tuple[str, ...]:
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


def first_choice(question: Question, design: Design) -> str:
    """The attribute to begin with: the last one tested that has values, else one with a few."""
    offered = choices(question, design)
    valued = [name for name in offered if design[name].attribute.k]
    tested = [name for name in reversed(question.condition.attributes) if name in valued]
    nominal = [name for name in valued if design[name].attribute.kind is Kind.NOMINAL]
    return next(iter([*tested, *nominal, *valued, *offered]), "")


def split_by(
    by: str, question: Question, study: Study, source: DistortedCache, progress: Progress = silent
) -> SplitReply:
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
        return SplitReply(question, by, refusal=error.message)
    inside = _inside(by, question, study.design, len(found.labels))
    return SplitReply(
        question, by, found.labels, found.shares, inside, found.condition, found.remarks
    )


def _means(
    by: str, question: Question, study: Study, answers: Answers, progress: Progress
) -> SplitReply:
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
    return SplitReply(question, by, labels, tuple(values), inside, others, tuple(remarks))


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


_KEPT = 8
"""Answers that come back without work."""


class Asker(QObject):
    """What was asked last wins; an older answer never arrives."""

    answered = Signal()
    """There is another answer, or the reason why there is none."""
    split_changed = Signal()
    busy_changed = Signal()
    mark_changed = Signal(str)
    """The mark of the design of now is known."""

    def __init__(self, workbench: Workbench, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self.reply: SurveyResult | None = None
        self.refusal: SurveyError | None = None
        self.split: SplitReply | None = None
        self.is_new = False
        """Whether the answer was worked out, not brought back."""
        self._job: Job | None = None
        self._splitting: Job | None = None
        self._asked: Question | None = None
        self._kept: OrderedDict[Question, SurveyResult] = OrderedDict()

    @property
    def is_busy(self) -> bool:
        """Whether an answer is on its way."""
        return self._job is not None

    @property
    def is_splitting(self) -> bool:
        """Whether newer rows of the split are on their way."""
        return self._splitting is not None

    def forget(self) -> None:
        """Drop everything: another study is shown."""
        for job in (self._job, self._splitting):
            if job is not None:
                job.disown()
        self._job = self._splitting = self._asked = None
        self.reply = self.refusal = self.split = None
        self._kept.clear()
        self.busy_changed.emit()

    def ask(self, question: Question) -> None:
        """Ask; a question that was answered for the same study comes back at once."""
        study, asked = self._workbench.store.study, question.essence
        known = self._kept.get(asked)
        if known is not None and known.is_current(study):
            self._end()
            self._take(known, new=False)
            return
        source = self._workbench.answers

        def work(progress: Progress) -> SurveyResult | SurveyError:
            return reply_to(asked, study, source, progress)

        self._asked = asked
        job = self._workbench.run(self.tr("Estimating"), work, self._on_answered, key="survey")
        self._job = job
        job.ended.connect(lambda: self._on_ended(job))
        self.busy_changed.emit()

    def ask_again(self) -> None:
        """The study changed while an answer was on its way: it would be too late."""
        if self._job is not None and self._asked is not None:
            self.ask(self._asked)

    def cancel(self) -> None:
        """Stop; the last answer stays."""
        if self._job is not None:
            self._job.cancel()

    def _on_answered(self, found: SurveyResult | SurveyError) -> None:
        if isinstance(found, SurveyError):
            self.reply, self.refusal, self.split = None, found, None
            self.is_new = False
            self.answered.emit()
            return
        self._kept[found.question] = found
        self._kept.move_to_end(found.question)
        while len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        self._take(found, new=True)

    def _take(self, reply: SurveyResult, *, new: bool) -> None:
        if self.reply is not None and self.reply.question != reply.question:
            self.split = None
        self.reply, self.refusal, self.is_new = reply, None, new
        self.mark_changed.emit(reply.mark)
        self.answered.emit()

    def _on_ended(self, job: Job) -> None:
        if job is self._job:
            self._end()

    def _end(self) -> None:
        if self._job is not None and not self._job.state.is_over:
            self._job.disown()
        self._job = self._asked = None
        self.busy_changed.emit()

    # The split

    def ask_split(self, by: str) -> None:
        """Split the answer on the page by an attribute."""
        reply = self.reply
        if reply is None:
            return
        source, study, question = self._workbench.answers, reply.study, reply.question

        def work(progress: Progress) -> SplitReply:
            return split_by(by, question, study, source, progress)

        name = self.tr("Splitting by %s") % by
        job = self._workbench.run(name, work, self._on_split, key="survey split", quiet=True)
        self._splitting = job
        job.ended.connect(lambda: self._on_split_ended(job))

    def drop_split(self) -> None:
        """There is nothing to split any more."""
        if self._splitting is not None:
            self._splitting.disown()
            self._splitting = None
        self.split = None

    def _on_split(self, found: SplitReply) -> None:
        if self.reply is not None and found.question == self.reply.question:
            self.split = found
            self._splitting = None
            self.split_changed.emit()

    def _on_split_ended(self, job: Job) -> None:
        if job is self._splitting:
            self._splitting = None

    # The mark

    def find_mark(self) -> None:
        """Find out which kept answers belong to the design of now."""
        study = self._workbench.store.study
        if study.is_empty:
            return

        def work(progress: Progress) -> str:
            progress(0.0)
            return mark_of(study)

        name = self.tr("Comparing designs")
        self._workbench.run(name, work, self.mark_changed.emit, key="survey mark", quiet=True)
