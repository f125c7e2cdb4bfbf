"""Means of randomised numbers without this program: u(report) as a table and in two languages.

A report of a window such as the square wave is biased. Its design has a function u whose mean over
the reports of one number is that number. All of them are straight lines, or a few pieces of such,
so that their ends say everything.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.table import Column
from ppworkbench.core.design import Perturbation
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.message import Message
from ppworkbench.outputs.handover.delivery import TEXT_FILES, Delivery

_MOST_ENDS = 20
"""Ends of pieces; a function of more is no table for people."""
_SAME = 1e-9


@dataclass(frozen=True)
class Correction:
    """The function u of one column as the ends of straight pieces, of one arm where arms differ."""

    attribute: str
    arm: str
    reports: tuple[float, ...]
    corrected: tuple[float, ...]

    @property
    def line(self) -> tuple[float, float] | None:
        """Start and slope of u where it is one straight line."""
        if len(self.reports) != 2:
            return None
        slope = (self.corrected[1] - self.corrected[0]) / (self.reports[1] - self.reports[0])
        return self.corrected[0] - slope * self.reports[0], slope


def corrections(delivery: Delivery) -> list[Correction]:
    """The function of every number whose reports are biased, where it is known."""
    table, found = delivery.table, []
    for name in () if table is None else table.names:
        if table is None or table[name].is_categorical or name not in delivery.design:
            continue
        devices = delivery.devices(name)
        is_one = len(set(devices.values())) == 1
        for arm, device in list(devices.items())[: 1 if is_one else None]:
            ends = _ends(table[name], device, delivery)
            if ends is not None:
                found.append(Correction(name, "" if is_one else arm, *ends))
    return found


def _ends(
    column: Column, device: Perturbation, delivery: Delivery
) -> tuple[tuple[float, ...], tuple[float, ...]] | None:
    reports = np.unique(np.asarray(column.data[~column.missing], np.float64))
    if device.is_identity or len(reports) < 2:
        return None
    try:
        corrected = device.numbers.unbiased(reports, delivery.design[column.name].attribute)
    except WorkbenchError:
        return None
    if corrected is None or np.allclose(corrected, reports):
        return None
    kept = _corners(reports, corrected)
    if len(kept) > _MOST_ENDS:
        return None
    return tuple(map(float, reports[kept])), tuple(map(float, corrected[kept]))


def _corners(x: Numbers, y: Numbers) -> list[int]:
    """The places between which all others lie on straight lines."""
    slopes = np.diff(y) / np.diff(x)
    size = max(float(np.abs(slopes).max()), _SAME)
    bent = np.flatnonzero(np.abs(np.diff(slopes)) > 1e-6 * size) + 1
    return [0, *bent.tolist(), len(x) - 1]


def correction_texts(delivery: Delivery) -> Iterator[str]:
    """What is said of each column: its table, its formula, and lines that compute the mean."""
    say, suffix = delivery.tongue.say, delivery.suffix
    found = corrections(delivery)
    if not found:
        return
    yield say(
        Message(
            "The mean of u over the reports is an unbiased estimate of the mean of the people. "
            "Between the reports of its table u is a straight line."
        )
    )
    reading = [say(Message("In R and in Python, with the table as a data frame “answers”:"))]
    if suffix in TEXT_FILES:
        separator = r"\t" if suffix == ".tsv" else ","
        file = json.dumps(delivery.file, ensure_ascii=False)
        reading = [
            say(Message("The table in R and in Python:")),
            f'    answers <- read.csv({file}, sep = "{separator}", check.names = FALSE)',
            "    import numpy, pandas",
            f'    answers = pandas.read_csv({file}, sep="{separator}")',
        ]
    yield "\n".join(reading)
    for one in found:
        yield "\n".join(_lines(one, delivery))


def _lines(one: Correction, delivery: Delivery) -> Iterator[str]:
    say, weight = delivery.tongue.say, _weight(delivery)
    column = json.dumps(delivery.column_name(one.attribute), ensure_ascii=False)
    title = Message("{attribute}, arm {arm}", attribute=one.attribute, arm=one.arm)
    yield say(title) if one.arm else one.attribute
    line = one.line
    if line is not None:
        start, slope = line
        yield f"    u(report) = {start:.10g} + {slope:.10g} * report"
    pairs = zip(one.reports, one.corrected, strict=True)
    yield "    " + "; ".join(f"u({report:.10g}) = {u:.10g}" for report, u in pairs)
    r_rows, py_rows = "answers", "answers"
    if one.arm:
        cell = json.dumps(one.arm, ensure_ascii=False)
        told = delivery.column_name(delivery.design.versions.column)
        arm = json.dumps(told, ensure_ascii=False)
        r_rows, py_rows = "part", "part"
        yield f"    part <- answers[answers[[{arm}]] == {cell}, ]"
        yield f"    part = answers[answers[{arm}] == {cell}]"
    x, y = (", ".join(f"{value!r}" for value in ends) for ends in (one.reports, one.corrected))
    yield f"    u <- approx(c({x}), c({y}), {r_rows}[[{column}]], rule = 2)$y"
    yield (
        "    mean(u, na.rm = TRUE)"
        if weight is None
        else f"    weighted.mean(u, {r_rows}[[{weight}]], na.rm = TRUE)"
    )
    yield f"    known = {py_rows}.dropna(subset=[{column}])"
    yield f"    u = numpy.interp(known[{column}], [{x}], [{y}])"
    yield (
        "    numpy.average(u)"
        if weight is None
        else f"    numpy.average(u, weights=known[{weight}])"
    )


def _weight(delivery: Delivery) -> str | None:
    name = delivery.design.weight
    if name is None or delivery.table is None or name not in delivery.table:
        return None
    return json.dumps(delivery.column_name(name), ensure_ascii=False)
