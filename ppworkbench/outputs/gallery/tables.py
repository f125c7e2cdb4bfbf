"""The gallery for people, for programs and as a file."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from ppworkbench.core.errors import DataError
from ppworkbench.core.files import write_text
from ppworkbench.core.message import Message
from ppworkbench.outputs.gallery.compare import (
    AGREES,
    MOST_DECIMALS,
    NOT_RECOMPUTED,
    OTHER_ERROR,
    Comparison,
    GalleryComparison,
    OurFigure,
)
from ppworkbench.outputs.gallery.surveys import FAMILIES, PUBLISHED, REFERENCE, PublishedFigure
from ppworkbench.outputs.report import Report, report_html, today
from ppworkbench.results.files import to_csv
from ppworkbench.results.sheet import Column, Kind, Sheet, interval_columns
from ppworkbench.study.blocks import Grid, Paragraph, Points, Section
from ppworkbench.study.language import ENGLISH

_ENDINGS = (".csv", ".json", ".html", ".htm")
_NUMBERS = ("estimate", "standard_error", "low", "high")
_SHARES = ("{number:,.0f} %", "{number:,.1f} %", "{number:,.2f} %")
_PLAIN = ("{number:,.0f}", "{number:,.1f}", "{number:,.2f}")


def number_text(value: float, decimals: int, unit: str = "") -> Message:
    places = _SHARES if unit == "%" else _PLAIN
    return Message(places[min(decimals, MOST_DECIMALS)], number=value)


def estimate_text(one: Comparison, figure: PublishedFigure | OurFigure) -> Message:
    return number_text(figure.estimate, one.survey.published.decimals, one.survey.unit)


def error_text(one: Comparison, figure: PublishedFigure | OurFigure) -> Message:
    """The standard error in the same decimals; an interval where only that was printed."""
    decimals = one.survey.published.decimals
    if figure.standard_error is not None:
        return Message("SE {error}", error=number_text(figure.standard_error, decimals))
    if figure.low is None or figure.high is None:
        return Message("no SE given")
    return Message(
        "{low} to {high}",
        low=number_text(figure.low, decimals),
        high=number_text(figure.high, decimals),
    )


def origin_text(one: Comparison) -> Message:
    """Whether the number beside ours was published, or follows from the published answers."""
    if one.survey.is_reference:
        return Message("reference", code=REFERENCE)
    return Message("published", code=PUBLISHED)


def figures_sheet(one: Comparison) -> Sheet:
    """The published number, and beside it another published one or ours, where there is one."""
    survey = one.survey
    first, second = survey.names
    found: list[tuple[str, PublishedFigure | OurFigure]]
    found = [(first or origin_text(one), survey.published)]
    if survey.second is not None:
        found.append((second, survey.second))
    elif one.ours is not None:
        found.append((Message("ours, now"), one.ours))
    figures = [figure for _, figure in found]
    errors = [error_text(one, figure) for figure in figures]
    told = [
        Message("{estimate}, {error}", estimate=estimate_text(one, figure), error=error)
        for figure, error in zip(figures, errors, strict=True)
    ]
    is_share = survey.unit == "%"
    kind = Kind.PERCENT if is_share else Kind.NUMBER
    columns = [replace(column, kind=kind) for column in interval_columns(figures, with_error=False)]
    columns[0] = replace(
        columns[0], note="error", decimals=min(survey.published.decimals, MOST_DECIMALS),
        unit="" if is_share else survey.unit,
    )  # fmt: skip
    who = Column("who", Message("published"), Kind.TEXT, [name for name, _ in found])
    error = Column("error", Message("standard error"), Kind.TEXT, errors)
    spoken = Column("told", Message("estimate"), Kind.TEXT, told, is_detail=True)
    return Sheet(
        survey.name, Message("{title}", title=survey.title), (who, *columns, error, spoken)
    )


def comparison_to_json(one: Comparison) -> dict[str, Any]:
    """One survey for other programs; numbers are in its unit."""
    survey, ours = one.survey, one.ours
    document: dict[str, Any] = {
        "name": survey.name,
        "title": survey.title,
        "family": survey.family,
        "group": survey.group,
        "device": survey.device,
        "source": survey.source,
        "reference": survey.reference,
        "address": survey.address,
        "unit": survey.unit,
        "people": survey.people,
        "counts": str(survey.counts_line),
        "origin": origin_text(one).code,
        "decimals": min(survey.published.decimals, MOST_DECIMALS),
        "published": _numbers(survey.published),
        "ours": None if ours is None else _numbers(ours),
        "outcome": one.outcome,
        "note": str(one.reason),
    }
    if survey.second is not None:
        document["second"] = _numbers(survey.second)
    return document


def _numbers(figure: PublishedFigure | OurFigure) -> dict[str, float | None]:
    return {name: getattr(figure, name) for name in _NUMBERS}


def gallery_to_json(found: GalleryComparison) -> dict[str, Any]:
    return {
        "surveys": [comparison_to_json(one) for one in found.comparisons],
        "agree": found.count(AGREES, OTHER_ERROR),
        "not_recomputed": found.count(NOT_RECOMPUTED),
        "differ": len(found.comparisons) - found.count(AGREES, OTHER_ERROR, NOT_RECOMPUTED),
        "sentence": str(found.sentence),
    }


def gallery_sheet(found: GalleryComparison) -> Sheet:
    """One row for each survey, all numbers in full."""
    told = [comparison_to_json(one) for one in found.comparisons]
    words = ("name", "title", "family", "group", "source", "unit", "people", "origin")
    columns: dict[str, list[Any]] = {word: [str(one[word]) for one in told] for word in words}
    for who, key in (("published", "published"), ("our", "ours")):
        for name in _NUMBERS:
            values = [(one[key] or {}).get(name) for one in told]
            columns[f"{who} {name.replace('_', ' ')}"] = values
    columns |= {
        key: [one[key] for one in told] for key in ("outcome", "note", "reference", "address")
    }
    made = (
        Column(key, Message("{key}", key=key), Kind.TEXT if key in words else Kind.NUMBER, values)
        for key, values in columns.items()
    )
    return Sheet("gallery", Message("Validation gallery"), tuple(made))


def write_gallery(
    found: GalleryComparison,
    path: str | Path,
    say: Callable[[str], str] = str,
    language: str = ENGLISH,
) -> None:
    """Write the gallery as CSV, JSON or HTML by the end of the name, whole or not at all."""
    end = check_ending(path)
    if end == ".json":
        text = json.dumps(gallery_to_json(found), ensure_ascii=False, indent=1) + "\n"
    elif end == ".csv":
        text = to_csv(gallery_sheet(found))
    else:
        text = report_html(_report(found, say, language))
    write_text(path, text)


def check_ending(path: str | Path) -> str:
    """The end of a name that tells how the gallery is written; others are refused."""
    path = Path(path)
    end = path.suffix.lower()
    if end not in _ENDINGS:
        raise DataError.saying(
            "{name} cannot be written; end the name in .csv, .json or .html.",
            name=path.name,
            file=path,
        )
    return end


def _report(found: GalleryComparison, say: Callable[[str], str], language: str) -> Report:
    heads = tuple(
        say(one)
        for one in (
            Message("Survey"), Message("Device"), Message("Answers"), Message("Published"),
            Message("Ours"), Message("Outcome"),
        )
    )  # fmt: skip
    summary = Paragraph(say(found.sentence), "note" if found.is_as_expected else "warning")
    sections = [Section(say(Message("Published numbers beside ours")), (summary,))]
    for family, label in FAMILIES.items():
        members = [one for one in found.comparisons if one.survey.family == family]
        rows = tuple(_report_row(one, say) for one in members)
        told = ((one.survey.title, say(one.reason)) for one in members if one.reason)
        notes = Points(tuple(("info", f"{title}: {reason}") for title, reason in told))
        sections.append(Section(say(label), (Grid(heads, rows, heads[3:5]), notes), 3))
    sources = tuple(
        ("", f"{one.survey.title}: {one.survey.reference}. {one.survey.address}")
        for one in found.comparisons
    )
    sections.append(Section(say(Message("Sources")), (Points(sources),)))
    return Report(
        say(Message("Validation gallery")),
        today(),
        tuple(sections),
        kind=say(Message("Published surveys, recomputed from their counts")),
        contents=say(Message("Contents")),
        language=language,
    )


def _report_row(one: Comparison, say: Callable[[str], str]) -> tuple[str, ...]:
    survey = one.survey
    published, ours = (
        "–"
        if figure is None
        else f"{say(estimate_text(one, figure))} ({say(error_text(one, figure))})"
        for figure in (survey.published, one.ours)
    )
    return (
        f"{survey.title} ({survey.source})", survey.device, say(survey.counts_line), published,
        ours, say(one.verdict),
    )  # fmt: skip
