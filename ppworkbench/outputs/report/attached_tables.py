"""The numbers of a report as tables for other programs."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

from ppworkbench.core.data.delimited.writer import escape_formula
from ppworkbench.core.files import write_text
from ppworkbench.outputs.report.attribute_section import reported_shares
from ppworkbench.outputs.report.evidence import Evidence
from ppworkbench.study.blocks import AttachedTable, Report
from ppworkbench.study.release import devices_of

MOST_CELLS = 250_000
"""Cells of all matrices together; beyond it the design file has what makes them."""


def attached_tables(evidence: Evidence) -> tuple[AttachedTable, ...]:
    """Estimated shares, measures and transition matrices; those that have rows."""
    has_truth = evidence.original is not None
    shares = ("attribute", "value", "reported", "estimate", "low", "high")
    measures = ("attribute", "measure", "value", "interpretation")
    matrices = ("attribute", "arm", "true", "reported", "probability")
    made = (
        AttachedTable(
            "report-shares.csv", (*shares, *(("true",) if has_truth else ())),
            tuple(_shares(evidence)),
        ),
        AttachedTable("report-measures.csv", measures, tuple(_measures(evidence))),
        AttachedTable("report-matrices.csv", matrices, tuple(_matrices(evidence))),
    )  # fmt: skip
    return tuple(table for table in made if table.rows)


def write_attachments(report: Report, folder: Path) -> list[str]:
    """Write the tables of a report into a folder, and return their names."""
    for table in report.tables:
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerows([table.heads, *(map(escape_formula, row) for row in table.rows)])
        write_text(folder / table.name, text.getvalue(), private=report.is_private)
    return [table.name for table in report.tables]


def _number(value: float) -> str:
    return f"{value:.10g}"


def _shares(evidence: Evidence) -> Iterator[tuple[str, ...]]:
    for name, found in evidence.reconstructed.items():
        if not found.rows:
            continue
        reported, truth = (None, None) if found.values is None else reported_shares(evidence, found)
        for place, label in enumerate(found.labels):
            given = [None if reported is None else reported[place], found.estimate[place]]
            given += [None if ends is None else ends[place] for ends in (found.low, found.high)]
            if evidence.original is not None:
                given.append(None if truth is None else truth[place])
            cells = ("" if one is None else _number(float(one)) for one in given)
            yield (name, str(label), *cells)


def _measures(evidence: Evidence) -> Iterator[tuple[str, ...]]:
    say = evidence.tongue.say
    for one in evidence.assessment.attributes:
        for reading in (*one.privacy, *one.utility.readings):
            yield one.name, reading.name, say(reading.text), say(reading.sentence)
    for reading in evidence.assessment.readings:
        yield "", reading.name, say(reading.text), say(reading.sentence)


def _matrices(evidence: Evidence) -> Iterator[tuple[str, ...]]:
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
                    yield name, arm, str(true), str(value), _number(float(matrix[row, column]))
