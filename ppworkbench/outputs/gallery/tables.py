"""The gallery for people, for programs and as a file."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ppworkbench.core.data.delimited.writer import escape_formula
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
from ppworkbench.study.blocks import Grid, Paragraph, Points, Section
from ppworkbench.study.language import ENGLISH

_ENDINGS = (".csv", ".json", ".html", ".htm")
_NUMBERS = ("estimate", "standard_error", "low", "high")
_SHARES = ("{number:,.0f} %", "{number:,.1f} %", "{number:,.2f} %")
_PLAIN = ("{number:,.0f}", "{number:,.1f}", "{number:,.2f}")


def number_text(value: float, decimals: int, unit: str = "") -> Message:
    """A number with as many decimals as are compared, and its unit."""
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
    """The whole gallery for other programs."""
    return {
        "surveys": [comparison_to_json(one) for one in found.comparisons],
        "agree": found.count(AGREES, OTHER_ERROR),
        "not_recomputed": found.count(NOT_RECOMPUTED),
        "differ": len(found.comparisons) - found.count(AGREES, OTHER_ERROR, NOT_RECOMPUTED),
        "sentence": str(found.sentence),
    }


def gallery_rows(found: GalleryComparison) -> list[list[str]]:
    """Heads and one row for each survey, all numbers in full."""
    words = ("name", "title", "family", "group", "source", "unit", "people", "origin")
    numbered = [f"{who} {name}" for who in ("published", "our") for name in _NUMBERS]
    last = ("outcome", "note", "reference", "address")
    heads = [*words, *(name.replace("_", " ") for name in numbered), *last]
    rows = [heads]
    for comparison in found.comparisons:
        told = comparison_to_json(comparison)
        numbers: list[Mapping[str, float | None]] = [told["published"], told["ours"] or {}]
        cells = [_cell(figure.get(name)) for figure in numbers for name in _NUMBERS]
        rows.append([*(str(told[word]) for word in words), *cells, *(told[one] for one in last)])
    return rows


def _cell(value: float | None) -> str:
    return "" if value is None else f"{value:.10g}"


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
        out = io.StringIO()
        rows = [[escape_formula(cell) for cell in row] for row in gallery_rows(found)]
        csv.writer(out, lineterminator="\n").writerows(rows)
        text = out.getvalue()
    else:
        text = report_html(_report(found, say, language))
    write_text(path, text)


def check_ending(path: str | Path) -> str:
    """The end of a name that tells how the gallery is written; others are refused."""
    path = Path(path)
    end = path.suffix.lower()
    if end not in _ENDINGS:
        raise DataError(
            Message(
                "{name} cannot be written; end the name in .csv, .json or .html.", name=path.name
            ),
            file=path,
        )
    return end


def _report(found: GalleryComparison, say: Callable[[str], str], language: str) -> Report:
    """The gallery as a page: one table for each family, then the sources."""
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
