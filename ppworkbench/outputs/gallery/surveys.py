"""The surveys of the gallery: who published what, and the answers rebuilt from their counts.

The file holds sufficient statistics, never rows: how many people gave which answers, and for a
number the sum and the sum of squares by stratum. A survey is rebuilt as a study whose rows have
exactly these counts, so that every page can work on it.
"""

from __future__ import annotations

import dataclasses
import math
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.analyses.survey.questions import Question
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.sampling_roles import Sampling
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Design, DesignedAttribute, Identity
from ppworkbench.core.design.design_file import FORMAT as DESIGN
from ppworkbench.core.design.design_file import design_from_json
from ppworkbench.core.errors import DataError, WorkbenchError
from ppworkbench.core.files import check_file, resource
from ppworkbench.core.message import Message
from ppworkbench.outputs.demonstrations.catalogue import Section
from ppworkbench.study.description import SurveyDescription
from ppworkbench.study.language import ENGLISH
from ppworkbench.study.study import Study, StudySettings

FORMAT = "ppworkbench-gallery"
RANDOMISED, CROSSWISE, LIST, SAMPLING = "randomised-response", "crosswise", "list", "sampling"
FAMILIES: Mapping[str, str] = {
    RANDOMISED: Message("Randomised response"),
    CROSSWISE: Message("Crosswise"),
    LIST: Message("List experiment"),
    SAMPLING: Message("Sampling design"),
}
"""The kinds of surveys, in the order of the gallery, and what they are called."""

SHARE, MEAN, TOTAL, DIFFERENCE = "share", "mean", "total", "difference"
PUBLISHED, REFERENCE = "published", "reference"
_NORMAL = 1.959963984540054
_WEIGHT, _POPULATION = "weight", "population"
_FIELDS = (
    "name", "family", "group", "origin", "published", "second", "other_error", "unit", "reference",
    "address", "demonstration", "columns", "counts", "moments", "population", "take", "question",
    "design",
)  # fmt: skip


@dataclass(frozen=True)
class PublishedFigure:
    """A number as it was printed, in the unit of its survey.

    Parameters
    ----------
    low, high
        The ends of its 95 % interval; from the standard error where none was printed, None without
        either.
    decimals
        How many of its decimals must agree.
    """

    estimate: float
    standard_error: float | None
    low: float | None
    high: float | None
    decimals: int


@dataclass(frozen=True)
class GallerySurvey:
    """One published survey in the language of the reader.

    Parameters
    ----------
    name
        What programs call it.
    group
        The authors, by whom research groups are told apart.
    source, reference, address
        Where the number stands: in a few words, in full, and where it can be read.
    is_reference
        Whether the source gives only the answers, and the number follows from them.
    other_error
        Whether the source works out its standard error in another way; the note tells how.
    missing
        Why nothing can be recomputed; empty where it can.
    names
        What the first and the second number are called where there are two.
    demonstration
        The demonstration that is about it; empty if none is.
    """

    name: str
    family: str
    group: str
    title: str
    source: str
    reference: str
    address: str
    device: str
    note: str
    unit: str
    published: PublishedFigure
    is_reference: bool = False
    other_error: bool = False
    second: PublishedFigure | None = None
    names: tuple[str, str] = ("", "")
    missing: str = ""
    number: str = ""
    demonstration: str = ""
    take: str = SHARE
    question: Question | None = None
    columns: tuple[str, ...] = ()
    counts: tuple[tuple[str | int, ...], ...] = ()
    moments: tuple[tuple[str | int, ...], ...] = ()
    population: Mapping[str, int] = field(default_factory=dict)
    design: Design = field(default_factory=lambda: Design(()))

    @property
    def scale(self) -> float:
        """What an estimate of ours is multiplied by for the unit."""
        return 100.0 if self.unit == "%" else 1.0

    @property
    def people(self) -> int:
        return sum(int(row[1 if self.moments else -1]) for row in (*self.counts, *self.moments))

    @property
    def counts_line(self) -> Message:
        if self.question is None:
            return Message("counts not at hand")
        if self.moments:
            return Message(
                "{count:,} units in {strata} strata", count=self.people, strata=len(self.moments)
            )
        arms = self.design.versions.choices
        if self.design.lists:
            sizes = [self._people_in(arm) for arm in arms]
            return Message(
                "{count:,} respondents: {short:,} and {long:,}",
                count=self.people, short=sizes[0], long=sizes[1],
            )  # fmt: skip
        if arms:
            parts = [
                Message("{yes:,} of {count:,}", yes=self._last_in(arm), count=self._people_in(arm))
                for arm in arms
            ]
            return Message("{first} and {second}", first=parts[0], second=parts[1])
        last = self.design[self.columns[0]].attribute.values[-1]
        said = Message(
            "{yes:,} “{value}” of {count:,}", yes=self._last_in(None), value=last, count=self.people
        )
        if not self.population:
            return said
        return Message("{said}; N = {all:,}", said=said, all=sum(self.population.values()))

    def _people_in(self, arm: str | None) -> int:
        return sum(int(row[-1]) for row in self.counts if arm is None or row[0] == arm)

    def _last_in(self, arm: str | None) -> int:
        place = 0 if arm is None else 1
        last = self.design[self.columns[place]].attribute.values[-1]
        return sum(
            int(row[-1])
            for row in self.counts
            if row[place] == last and (arm is None or row[0] == arm)
        )

    def study(self) -> Study:
        """The reported answers with their device, row by row as the counts have them."""
        if self.question is None:
            raise DataError(self.missing)
        table, design = _rebuilt(self)
        return Study(
            self.title,
            distorted=table,
            design=design,
            settings=StudySettings(respondents=table.rows),
            description=SurveyDescription(
                author=self.group, identifier=self.address, abstract=self.reference
            ),
        )


def read_gallery(language: str = ENGLISH) -> tuple[GallerySurvey, ...]:
    return read_surveys(resource("gallery", "surveys.toml"), language)


def read_surveys(path: Path, language: str = ENGLISH) -> tuple[GallerySurvey, ...]:
    """The surveys of a file; an error names the survey and the field."""
    check_file(path)
    try:
        fields = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise DataError.saying("{file} cannot be read: {error}.", file=path, error=error) from None
    top = Section(fields, path)
    if fields.get("format") != FORMAT:
        raise top.saying(
            'this is no gallery; it begins with format = "{format}".', "format", format=FORMAT
        )
    return tuple(_read_survey(one, language) for one in top.sections("survey", Message("survey")))


def _read_survey(entry: Section, language: str) -> GallerySurvey:
    entry.only(*_FIELDS, "en", "pl")
    texts = entry.section(language, language) or entry.section(ENGLISH, ENGLISH)
    if texts is None:
        raise entry.saying("the field {name!r} is missing.", ENGLISH, name=ENGLISH)
    texts.only("title", "source", "device", "note", "missing", "number", "first", "second")
    figures = {name: _read_figure(entry, name) for name in ("published", "second")}
    published = figures["published"]
    if published is None:
        raise entry.saying("the field {name!r} is missing.", PUBLISHED, name=PUBLISHED)
    return GallerySurvey(
        name=entry.text("name"),
        family=entry.one_of("family", tuple(FAMILIES)),
        group=entry.text("group"),
        title=texts.text("title"),
        source=texts.text("source"),
        reference=entry.text("reference"),
        address=entry.text("address"),
        device=texts.text("device"),
        note=texts.text("note", ""),
        unit=entry.text("unit", "%"),
        published=published,
        is_reference=entry.one_of("origin", (PUBLISHED, REFERENCE)) == REFERENCE,
        other_error=entry.flag("other_error", False),
        second=figures["second"],
        names=(texts.text("first", ""), texts.text("second", "")),
        missing=texts.text("missing", ""),
        number=texts.text("number", ""),
        demonstration=entry.text("demonstration", ""),
        **({} if "missing" in texts else _read_answers(entry, texts)),
    )


def _read_figure(entry: Section, name: str) -> PublishedFigure | None:
    given = entry.section(name, name)
    if given is None:
        return None
    given.only("estimate", "standard_error", "low", "high", "decimals")
    estimate = given.number("estimate")
    error = given.number("standard_error") if "standard_error" in given else None
    low, high = (given.number(end) if end in given else None for end in ("low", "high"))
    if error is not None and low is None:
        low, high = estimate - _NORMAL * error, estimate + _NORMAL * error
    return PublishedFigure(estimate, error, low, high, given.whole("decimals"))


def _read_answers(entry: Section, texts: Section) -> dict[str, Any]:
    columns, given = entry.texts("columns"), entry.table("design")
    try:
        question = Question.from_json(entry.table("question"))
        asked = given["attributes"].get(_asked_column(question))
        if asked is not None:
            asked["title"] = texts.text("number", "") or texts.text("title")
        version = 2 if {"arms", "lists", "anchors"} & given.keys() else 1
        design = design_from_json({"format": DESIGN, "version": version, **given})
    except WorkbenchError as error:
        raise entry.attempt(error) from None
    except (KeyError, ValueError):
        raise entry.saying("this is no question about a design.", "question") from None
    return {
        "take": entry.text("take"),
        "question": question,
        "columns": columns,
        "counts": tuple(_lines(entry, "counts", len(columns) + 1)),
        "moments": tuple(_lines(entry, "moments", 4)),
        "population": {str(k): int(v) for k, v in entry.table("population").items()},
        "design": design,
    }


def _lines(entry: Section, name: str, width: int) -> Iterator[tuple[str | int, ...]]:
    """Lines of answers and whole numbers; people and sums are never negative."""
    for line in entry.lines(name):
        numbers = line[1:] if name == "moments" else line[-1:]
        if len(line) != width or not all(isinstance(one, int) and one >= 0 for one in numbers):
            raise entry.saying(
                "{name!r} has a line that is no count: {line}.", name, line=str(line)
            )
        yield tuple(line)


def _asked_column(question: Question) -> str:
    if question.compliance is not None:
        return question.compliance.attribute
    return question.of or next(iter(question.condition.attributes), "")


# From counts to rows


def _rebuilt(survey: GallerySurvey) -> tuple[Table, Design]:
    """A table with exactly these counts, and the design with the columns of the sampling."""
    design = survey.design
    attributes = [design[name].attribute for name in survey.columns]
    if survey.moments:
        data = _from_moments(attributes[0], survey.moments)
    else:
        data = _from_counts(attributes, survey.counts)
    columns = [Column(one, cells) for one, cells in zip(attributes, data, strict=True)]
    if not survey.population:
        return Table(tuple(columns)), design
    drawn = _sampling_columns(survey, columns[0])
    listed = tuple(DesignedAttribute(one.attribute, Identity()) for one in drawn)
    stratum = (survey.columns[0],) if survey.moments else ()
    roles = Sampling(weight=_WEIGHT, stratum=stratum, population=_POPULATION)
    whole = dataclasses.replace(design, attributes=(*design.attributes, *listed), sampling=roles)
    return Table((*columns, *drawn)), whole


def _from_counts(
    attributes: Sequence[Attribute], counts: Sequence[tuple[str | int, ...]]
) -> list[NDArray[Any]]:
    people = [int(row[-1]) for row in counts]
    return [
        np.repeat([_cell(one, row[place]) for row in counts], people)
        for place, one in enumerate(attributes)
    ]


def _cell(attribute: Attribute, answer: str | int) -> float:
    if not attribute.kind.is_categorical:
        return float(answer)
    if answer not in attribute.values:
        raise DataError.saying(
            "{answer!r} is no answer to {attribute!r}.", answer=answer, attribute=attribute.name
        )
    return attribute.values.index(str(answer))


def _from_moments(
    stratum: Attribute, moments: Sequence[tuple[str | int, ...]]
) -> list[NDArray[Any]]:
    """Half of the rows of a stratum a little above its mean, half as much below.

    Any rows with this sum and this sum of squares give the same mean, total and standard error.
    """
    codes, numbers = [], []
    for name, rows, total, squares in moments:
        n = int(rows)
        mean = int(total) / n
        spread = max(int(squares) - n * mean**2, 0.0)
        # An odd row stands on the mean itself.
        pairs = n // 2
        away = math.sqrt(spread / (2 * pairs)) if pairs else 0.0
        codes += [_cell(stratum, str(name))] * n
        numbers += [mean + away, mean - away] * pairs + [mean] * (n % 2)
    return [np.array(codes), np.array(numbers, np.float64)]


def _sampling_columns(survey: GallerySurvey, first: Column) -> list[Column]:
    if survey.moments:
        sizes = {str(row[0]): int(row[1]) for row in survey.moments}
        names = [first.attribute.values[code] for code in first.data]
    else:
        sizes, names = {"": survey.people}, [""] * survey.people
    drawn = {_WEIGHT: [survey.population[name] / sizes[name] for name in names],
             _POPULATION: [float(survey.population[name]) for name in names]}  # fmt: skip
    largest = float(max(survey.population.values()))
    return [
        Column(Attribute(name, Kind.CONTINUOUS, domain=(0.0, largest)), np.array(cells))
        for name, cells in drawn.items()
    ]
