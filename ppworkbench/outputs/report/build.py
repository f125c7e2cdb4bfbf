"""From a study to its report."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

from ppworkbench.core.files import write_text
from ppworkbench.core.message import Message
from ppworkbench.core.params import Annotated, Info, Params
from ppworkbench.core.privacy.report import AttributeReport
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.outputs.report.attribute_section import attribute_section, reported_shares
from ppworkbench.outputs.report.evidence import Evidence, gather
from ppworkbench.outputs.report.main_sections import holds_truth, main_sections
from ppworkbench.outputs.report.study_sections import (
    compliance_sections,
    data_section,
    given_paragraph,
    list_sections,
    noncompliance_sections,
    plan_sections,
    regression_sections,
    undo_section,
    whole_section,
)
from ppworkbench.results.files import to_csv
from ppworkbench.results.sheet import Column, Kind, Sheet
from ppworkbench.study.blocks import (
    Block,
    Facts,
    Figure,
    Grid,
    Heat,
    Paragraph,
    Points,
    Report,
    Section,
)
from ppworkbench.study.language import ENGLISH_TONGUE, Language
from ppworkbench.study.release import Point, devices_of
from ppworkbench.study.state import invented_note, sample_note
from ppworkbench.study.study import Study

Say = Callable[[str], str]


def spoken(report: Report, tongue: Language, study: Study) -> Report:
    """The report with every text said in a language, but for those of the study itself.

    Attributes are called what people call them.
    """
    own = _own_texts(study)

    def say(text: str) -> str:
        return text if text in own else tongue.say(study.titled(text))

    return replace(
        report,
        sections=tuple(_section(section, say) for section in report.sections),
        attachments=tuple(_section(section, say) for section in report.attachments),
        banner=say(report.banner) if report.banner else "",
        attached=say(report.attached),
        kind=say(report.kind),
        contents=say(report.contents),
        language=tongue.code,
    )


def _own_texts(study: Study) -> frozenset[str]:
    attributes = [designed.attribute for designed in study.design.attributes]
    if study.table is not None:
        attributes += study.table.attributes
    # The texts of our own samples are messages.
    texts = {
        text
        for one in attributes
        for text in (one.name, one.label, one.title, one.unit, *one.values)
        if not isinstance(text, Message)
    }
    return frozenset(texts) | {study.title, title_of(study)}


def _section(section: Section, say: Say) -> Section:
    blocks = tuple(_block(block, say) for block in section.blocks)
    return replace(section, title=say(section.title), blocks=blocks)


def _block(block: Block, say: Say) -> Block:
    if isinstance(block, Paragraph):
        return replace(block, text=say(block.text))
    if isinstance(block, Points):
        return Points(tuple((mark, say(text)) for mark, text in block.items))
    if isinstance(block, Grid):
        return replace(
            block,
            heads=tuple(map(say, block.heads)),
            right=tuple(map(say, block.right)),
            rows=tuple(tuple(map(say, row)) for row in block.rows),
            caption=say(block.caption),
            title=say(block.title),
        )
    if isinstance(block, Facts):
        return Facts(tuple((say(label), say(words)) for label, words in block.rows))
    if isinstance(block, Heat):
        texts = tuple(tuple(map(say, row)) for row in block.texts)
        return replace(block, corner=say(block.corner), texts=texts, title=say(block.title))
    # A figure is drawn in its language, and a listing is copied.
    return replace(block, title=say(block.title))


def _numbered(report: Report, say: Say) -> Report:
    """The report with its tables and figures numbered in their order, each with a caption.

    One that has no caption of its own has the title of its section.
    """
    tables, figures = count(1), count(1)

    def captioned(block: Block, heading: str) -> Block:
        if not isinstance(block, Grid | Heat | Figure):
            return block
        caption = block.title or heading
        if isinstance(block, Figure):
            said = Message("Figure {number}. {caption}", number=next(figures), caption=caption)
        else:
            said = Message("Table {number}. {caption}", number=next(tables), caption=caption)
        return replace(block, title=say(said))

    def numbered(one: Section) -> Section:
        return replace(one, blocks=tuple(captioned(block, one.title) for block in one.blocks))

    sections = tuple(map(numbered, report.sections))
    return replace(report, sections=sections, attachments=tuple(map(numbered, report.attachments)))


@dataclass(frozen=True)
class ReportOptions(Params):
    date: Annotated[str, Info("Date", "Date on the report; today if not set")] = ""


def today() -> str:
    """The day of the calendar on the wall."""
    return dt.datetime.now().astimezone().date().isoformat()


def build_report(
    study: Study,
    options: ReportOptions | None = None,
    *,
    points: Sequence[Point] = (),
    method: Sequence[str] = (),
    table_name: str = "",
    tongue: Language = ENGLISH_TONGUE,
    progress: Progress = silent,
) -> Report:
    """The report of a study; the same study gives the same report apart from its date.

    A study with original answers gives a report for those who may see them. One that came
    distorted, such as a released one, gives a report that may go along with the answers. What
    people read fits on ten sheets of paper; matrices, all measures and long tables are attached.

    Parameters
    ----------
    points
        What a release protects and what it does not.
    method
        Sentences about how the table was made, where the design does not tell.
    table_name
        The file of the answers that goes along with it, where its name is not the usual one.
    tongue
        The language it is written in; what comes from the study stays as it is.
    """
    options = options or ReportOptions()
    date = options.date or today()
    study = study.with_(say=tongue.say)
    evidence = gather(study, part(progress, 0, 0.8), tongue, table_name)
    sections = main_sections(evidence, points, method, tongue)
    attachments = [*_measures(evidence), data_section(evidence), *noncompliance_sections(evidence)]
    if study.design.attributes:
        attachments.append(Section("Attributes", (given_paragraph(evidence),)))
        names = study.design.without_arms().names
        for number, name in enumerate(names):
            progress(
                0.8 + 0.2 * number / len(names),
                Message("describing {attribute}", attribute=name),
            )
            attachments.append(attribute_section(evidence, name))
        attachments += [
            *list_sections(evidence),
            *regression_sections(evidence),
            *compliance_sections(evidence),
            whole_section(evidence),
            *plan_sections(study),
            undo_section(study.design),
        ]
    made = Report(
        title_of(study),
        date,
        tuple(sections),
        tuple(attachments),
        attached_tables(evidence),
        invented_note(study) or sample_note(study) or "",
        is_private=holds_truth(evidence),
    )
    return _numbered(spoken(made, tongue, study), tongue.say)


def title_of(study: Study) -> str:
    """What the survey is called; the name of a file as words where nobody gave it a title.

    >>> title_of(Study(title="city-survey_2026"))
    'City survey 2026'
    """
    asked = study.questionnaire
    said = "" if asked is None else asked.title.get(asked.language, "")
    if own := study.description.title.strip() or said.strip():
        return own
    if not _FILE_NAME.fullmatch(study.title):
        return study.title
    words = re.sub(r"[-_]+", " ", study.title).strip()
    return words[:1].upper() + words[1:]


_FILE_NAME = re.compile(r"[^\W\d_]+(?:[-_]+\w+)+", re.ASCII)


def _measures(evidence: Evidence) -> list[Section]:
    if not evidence.study.design.attributes:
        return []
    heads = ("Attribute", "Mechanism", "Epsilon", "Attack success", "Information loss")
    rows = tuple(_short(one, evidence.heading(one.name)) for one in evidence.assessment.attributes)
    told = (
        "Attack success: share of correct guesses of an attacker who sees the "
        "reported answer. Information loss: share of answers that the estimate puts "
        "at a wrong value."
    )
    return [Section("Measures", (Grid(heads, rows, right=heads[2:]), Paragraph(told, "hint")))]


def _short(report: AttributeReport, heading: str) -> tuple[str, ...]:
    readings = {reading.name: reading.text for reading in report.privacy}
    loss = next((r.text for r in report.utility.readings if r.name == "information_loss"), "–")
    return (
        heading,
        report.perturbation.summary(),
        readings.get("epsilon", "–"),
        readings.get("attack_success", "–"),
        loss,
    )


# Tables for other programs


MOST_CELLS = 250_000
"""Cells of all matrices together; beyond it the design file has what makes them."""


def attached_tables(evidence: Evidence) -> tuple[Sheet, ...]:
    """Estimated shares, measures and transition matrices; those that have rows."""
    truth = ("true",) if evidence.original is not None else ()
    made = (
        ("shares", ("attribute", "value", "reported", "estimate", "low", "high", *truth),
         _shares(evidence)),
        ("measures", ("attribute", "measure", "value", "interpretation"), _measure_rows(evidence)),
        ("matrices", ("attribute", "arm", "true", "reported", "probability"),
         _matrices(evidence)),
    )  # fmt: skip
    listed = ((name, heads, list(rows)) for name, heads, rows in made)
    return tuple(_table(f"report-{name}.csv", heads, rows) for name, heads, rows in listed if rows)


def _table(name: str, heads: Sequence[str], rows: Sequence[Sequence[Any]]) -> Sheet:
    columns = (
        Column(
            head, Message("{head}", head=head),
            Kind.TEXT if isinstance(values[0], str) else Kind.NUMBER, values,
        )
        for head, values in zip(heads, zip(*rows, strict=True), strict=True)
    )  # fmt: skip
    return Sheet(name, Message("{name}", name=name), tuple(columns))


def write_attachments(report: Report, folder: Path) -> list[str]:
    for table in report.tables:
        write_text(folder / table.name, to_csv(table), private=report.is_private)
    return [table.name for table in report.tables]


def _shares(evidence: Evidence) -> Iterator[tuple[Any, ...]]:
    for name, found in evidence.reconstructed.items():
        if not found.rows:
            continue
        reported, truth = (None, None) if found.values is None else reported_shares(evidence, found)
        for place, label in enumerate(found.labels):
            given = [None if reported is None else reported[place], found.estimate[place]]
            given += [None if ends is None else ends[place] for ends in (found.low, found.high)]
            if evidence.original is not None:
                given.append(None if truth is None else truth[place])
            yield (name, str(label), *(None if one is None else float(one) for one in given))


def _measure_rows(evidence: Evidence) -> Iterator[tuple[Any, ...]]:
    say = evidence.tongue.say
    for one in evidence.assessment.attributes:
        for reading in (*one.privacy, *one.utility.readings):
            yield one.name, reading.name, say(reading.text), say(reading.sentence)
    for reading in evidence.assessment.readings:
        yield "", reading.name, say(reading.text), say(reading.sentence)


def _matrices(evidence: Evidence) -> Iterator[tuple[Any, ...]]:
    design, written = evidence.study.design, 0
    for name in design.without_arms().names:
        attribute = design[name].attribute
        for arm, device in devices_of(design, name).items():
            reported = device.distorted(attribute)
            is_matrix = attribute.kind.is_categorical and reported.kind.is_categorical
            written += attribute.k**2 if is_matrix else 0
            if not is_matrix or device.is_identity or written > MOST_CELLS:
                continue
            matrix = device.values.matrix(attribute.k)
            for column, true in enumerate(attribute.values):
                for row, value in enumerate(reported.values):
                    yield name, arm, str(true), str(value), float(matrix[row, column])
