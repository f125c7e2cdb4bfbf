"""What was found about compliance as tables: all digits for programs, rounded for reading.

Texts are messages, which each face says in its language; files for other programs have English
heads and all digits, as those of the other questions.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable
from pathlib import Path

from ppworkbench.analyses.compliance.figures import PARAMETERS, reading_rows, share_text
from ppworkbench.core.compliance.band import BandPoint
from ppworkbench.core.compliance.classes import Estimate
from ppworkbench.core.compliance.result import Compliance
from ppworkbench.core.data.delimited.writer import escape_formula
from ppworkbench.core.errors import DataError
from ppworkbench.core.files import write_text
from ppworkbench.core.message import Message

Rows = list[list[str]]
Say = Callable[[str], str]

_HEADS = ["part", "name", "estimate", "low", "high", "standard error"]


def compliance_rows(found: Compliance, say: Say = str) -> Rows:
    """All numbers under their names, for other programs."""
    rows = [_HEADS]
    values = found.attribute.values
    for arm in found.arms:
        for place, value in enumerate(values):
            share = float(arm.counts[place]) / arm.n
            error = math.sqrt(max(float(arm.share_covariance[place, place]), 0.0))
            reach = found.factor * error
            told = Estimate(share, error, share - reach, share + reach)
            rows.append(_row("reported", f"{arm.name}: {value}", told))
    rows.append(_row("share", "if all followed", found.uncorrected))
    if found.classes is not None:
        named = zip(found.classes.names, found.classes.estimates, strict=True)
        rows += [_row("class", say(name), one) for name, one in named]
        if found.classes.extra:
            rows += [_row("share", name, one) for name, one in found.classes.readings.items()]
    # The share if all followed stands above already.
    others = {**found.parameters}
    others.pop("uncorrected", None)
    rows += [_row("parameter", name, one) for name, one in others.items()]
    if found.direct is not None:
        rows.append(_row("direct", "share", found.direct.share))
        rows.append(_row("direct", "difference", found.direct.difference))
        rows.append(_row("direct", "denying", found.direct.denying))
    tests = (("honesty", found.honesty), ("model", found.fit))
    for name, test in tests:
        if test is not None:
            rows.append(["test", f"{name}, statistic", f"{test.statistic:.10g}", "", "", ""])
            rows.append(["test", f"{name}, df", str(test.df), "", "", ""])
            rows.append(["test", f"{name}, p", *_cells(test.p), "", "", ""])
    if found.closed_form is not None:
        names = found.closed_form if found.classes is None else found.classes.names
        solved = zip(names, found.closed_form.values(), strict=True)
        rows += [["equations", say(name), *_cells(one), "", "", ""] for name, one in solved]
    return rows


def band_rows(found: Compliance) -> Rows:
    """The band as a table: one row for every share and behaviour."""
    heads = ["behaviour", "share", "estimate", "low", "high", "standard error"]
    return [heads, *([one.behaviour, *_cells(one.share, *_point(one))] for one in found.points)]


def _point(one: BandPoint) -> tuple[float, ...]:
    return one.estimate, one.low, one.high, one.standard_error


def _row(part: str, name: str, one: Estimate) -> list[str]:
    return [part, name, *_cells(one.estimate, one.low, one.high, one.standard_error)]


def _cells(*numbers: float) -> list[str]:
    return [f"{number:.10g}" if math.isfinite(number) else "" for number in numbers]


def write_compliance(found: Compliance, path: str | Path, say: Say = str, note: str = "") -> None:
    """Write all numbers and the band as CSV or TSV by the end of the name, whole or not at all.

    A ``note`` stands above them.
    """
    path = Path(path)
    end = path.suffix.lower()
    if end not in (".csv", ".tsv"):
        raise DataError(
            Message("{name} cannot be written; end the name in .csv or .tsv.", name=path.name),
            file=path,
        )
    rows = [
        *([[note]] if note else []),
        *compliance_rows(found, say),
        *(["band", f"{one.behaviour} {one.share:.10g}", *_cells(*_point(one))]
          for one in found.points),
    ]  # fmt: skip
    text = io.StringIO()
    separator = "," if end == ".csv" else "\t"
    escaped = [[escape_formula(cell) for cell in row] for row in rows]
    csv.writer(text, delimiter=separator, lineterminator="\n").writerows(escaped)
    write_text(path, text.getvalue())


def rounded_rows(found: Compliance) -> tuple[tuple[Message, ...], ...]:
    """Heads and rows for reading: classes, readings and parameters."""
    level = Message("{level:g} % interval", level=100 * found.confidence)
    table = [(Message("Share of people"), Message("Estimate"), level, Message("SE"))]
    rows: list[tuple[Message, Estimate]] = []
    if found.classes is not None:
        rows += [
            (Message.of(name), one)
            for name, one in zip(found.classes.names, found.classes.estimates, strict=True)
        ]
    for row in reading_rows(found):
        name = row.name
        if row.caption:
            name = Message("{reading} ({caption})", reading=row.name, caption=row.caption)
        rows.append((name, row.estimate))
    rows += [
        (label, found.parameters[name])
        for name, label in PARAMETERS.items()
        if name in found.parameters and name != "pi"
    ]
    rows += [(_of_value(name), one) for name, one in found.parameters.items() if "=" in name]
    table += [(name, *_rounded(one)) for name, one in rows]
    return tuple(table)


def _of_value(name: str) -> Message:
    """What a parameter of one value is called."""
    symbol, _, value = name.partition("=")
    label = Message("corrected") if symbol == "pi" else PARAMETERS[symbol]
    return Message("{name}, “{value}”", name=label, value=value)


def _rounded(one: Estimate) -> tuple[Message, Message, Message]:
    dash = Message("–")
    interval = dash
    if math.isfinite(one.low) and math.isfinite(one.high):
        interval = Message("{low:.1f} to {high:.1f} %", low=100 * one.low, high=100 * one.high)
    error = dash
    if math.isfinite(one.standard_error):
        error = Message("{error:.1f}", error=100 * one.standard_error)
    return share_text(one.estimate, 1), interval, error
