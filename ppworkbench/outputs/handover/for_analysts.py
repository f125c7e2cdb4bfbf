"""A text for those who estimate from a released table: one command, formulas, worked numbers.

The numbers are computed from the released answers, so that a reader can check the own program by
them.
"""

from __future__ import annotations

import json
import shlex
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data import sets
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.data.sampling_roles import Sampling
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Perturbation
from ppworkbench.core.design.lists import ListQuestion
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.message import Message
from ppworkbench.core.sampling.sample import SampleReader
from ppworkbench.outputs.handover.delivery import TEXT_FILES, Delivery, listed_items

FILE = "FOR-ANALYSTS.txt"
_WIDTH = 88
_MOST_TERMS = 6
"""Terms of a sum that are written out; a longer one is only named."""
_SINGULAR = 1e-9
_MOST_LISTED = 12


@dataclass(frozen=True)
class WorkedNumber:
    """One estimate with its formula and its numbers.

    ``kind`` names the kind of columns that are estimated alike, ``estimate`` is what comes out.
    ``arm`` is the only one that it is about, where the devices of arms differ.
    """

    kind: str
    attribute: str
    formula: str
    sentence: str
    estimate: float | None = None
    arm: str = ""


def estimation_command(delivery: Delivery) -> str:
    """The one command that estimates every column; empty where there is nothing to estimate."""
    if not delivery.design_file or not delivery.file:
        return ""
    return f"ppworkbench reconstruct {delivery.file} --design {delivery.design_file}"


def list_commands(delivery: Delivery) -> list[str]:
    """The commands that estimate what was asked by lists, whose answers stand in no column."""
    if not delivery.design_file or not delivery.file:
        return []
    return [
        f"ppworkbench list {delivery.file} --design {delivery.design_file} "
        f"--attribute {shlex.quote(one.name)}"
        for one in delivery.design.lists
    ]


def analysts_text(delivery: Delivery) -> str:
    say = delivery.tongue.say
    title = say(Message("For analysts: {title}", title=delivery.title))
    lines = [title, "=" * len(title), ""]
    for heading, paragraphs in _parts(delivery):
        said = say(heading)
        lines += [said, "-" * len(said)]
        for paragraph in paragraphs:
            lines += [paragraph, ""]
    return "\n".join(lines)


def _parts(delivery: Delivery) -> Iterator[tuple[str, list[str]]]:
    say = delivery.tongue.say
    yield Message("What the columns are"), [_wrapped(say(one)) for one in _meaning(delivery)]
    command = estimation_command(delivery)
    if command:
        told = say(Message("This command estimates the true shares of every column:"))
        commands = [f"{told}\n\n    {command}"]
        lists = list_commands(delivery)
        if lists:
            listed = say(
                Message("What was asked by a list stands in no column and is estimated by:")
            )
            commands.append("\n".join([listed, "", *(f"    {one}" for one in lists)]))
        yield Message("One command"), commands
    worked = worked_numbers(delivery)
    if worked:
        shown = [
            "\n".join(
                (
                    f"{say(one.kind)} ({_of_arm(one, delivery)})",
                    _wrapped(say(one.formula), "    "),
                    _wrapped(say(one.sentence), "    "),
                )
            )
            for one in worked
        ]
        yield Message("One formula and one worked number per kind"), shown
    means = list(correction_texts(delivery))
    if means:
        yield (
            Message("Means of numbers without this program"),
            [_wrapped(means[0]), *means[1:]],
        )
    if delivery.design_file:
        yield Message("Where the design is"), [_wrapped(say(one)) for one in _design(delivery)]
    yield Message("Columns in order"), ["\n".join(_columns(delivery))]


def _of_arm(one: WorkedNumber, delivery: Delivery) -> str:
    if not one.arm:
        return one.attribute
    said = Message("{attribute}, arm {arm}", attribute=one.attribute, arm=one.arm)
    return delivery.tongue.say(said)


def _wrapped(text: str, indent: str = "") -> str:
    return textwrap.fill(
        text, _WIDTH, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False,
        break_long_words=False,
    )  # fmt: skip


def _meaning(delivery: Delivery) -> Iterator[str]:
    if not delivery.design.attributes:
        yield from delivery.method
        yield Message(
            "Only columns marked “exchanged within groups” below are protected: an answer in them "
            "may be that of somebody else in the group. Columns marked “as answered” hold what "
            "each person answered, and can identify people."
        )
        yield Message(
            "Shares without weights can be read off every column. Relations between an exchanged "
            "column and another one are kept between groups only, so that they look weaker."
        )
        return
    if delivery.table is None:
        yield Message("There are no answers yet; this is how those to come are to be read.")
    yield Message(
        "Every column holds reported answers: a random device stood between the true answer and "
        "the report. Columns marked “as answered” below were not randomised."
    )
    yield Message(
        "Do not read shares off the table. Some people report an answer that is not theirs, so "
        "that rare answers look too frequent, frequent ones too rare, and relations between "
        "columns too weak. Correct for the design first."
    )
    weight = delivery.design.weight
    if weight is not None and (delivery.table is None or weight in delivery.table):
        yield Message(
            "Rows count by their weights in {weight}: shares and means, also those below, are "
            "weighted.",
            weight=weight,
        )


def _design(delivery: Delivery) -> Iterator[str]:
    yield Message(
        "{file} has the mechanism of every column with its parameters, and the DDI file has P of "
        "every column with a few values. P[r][c] is the probability that the true answer c is "
        "reported as r; every column of P sums to 1.",
        file=delivery.design_file,
    )
    for group in delivery.design.groups:
        yield Message(
            "{attributes} share one draw: the formula holds for each alone, cross tables need "
            "their joint probabilities.",
            attributes=tuple(group.attributes),
        )
    for column in delivery.design.versions.columns:
        if any(len(set(delivery.devices(name).values())) > 1 for name in delivery.design.names):
            yield Message(
                "The probabilities differ by arm; {column} tells the arm of every row. A number "
                "above is of one arm where that stands beside the column.",
                column=column,
            )
        else:
            yield Message(
                "{column} tells the arm of every row; the probabilities are the same in all arms.",
                column=column,
            )


def _columns(delivery: Delivery) -> Iterator[str]:
    say = delivery.tongue.say
    for attribute in delivery.attributes:
        cells = [(delivery.cell(attribute, one), one) for one in attribute.values[:_MOST_LISTED]]
        is_coded = any(cell != delivery.written(value) for cell, value in cells)
        values = ", ".join(f"{cell} = {value}" if is_coded else cell for cell, value in cells)
        if len(attribute.values) > _MOST_LISTED:
            values += ", …"
        if attribute.domain is not None:
            low, high = attribute.domain
            values = say(Message("{low:g} to {high:g}", low=low, high=high))
        facts = [
            say(Message.of(str(attribute.kind))),
            values,
            say(delivery.state_of(attribute.name)),
        ]
        yield f"{delivery.column_name(attribute.name)}: {'; '.join(filter(None, facts))}"
        for listed in delivery.design.lists:
            if listed.count == attribute.name:
                yield _wrapped(say(listed_items(listed)), "    ")
        asked = next(iter(delivery.texts(attribute.name).values()), "")
        if asked and asked != attribute.name:
            yield _wrapped(asked, "    ")


def worked_numbers(delivery: Delivery) -> list[WorkedNumber]:
    """One estimate for every kind of columns that the table has, from its first fitting column."""
    if delivery.table is None or not delivery.table.rows or not delivery.design.attributes:
        return []
    found: dict[str, WorkedNumber] = {}
    drawn = {*delivery.design.drawn_columns, *delivery.design.roles}
    for name in delivery.table.names:
        if name in drawn or name not in delivery.design:
            continue
        worked = _work(delivery, delivery.table, name)
        if worked is not None:
            found.setdefault(worked.kind, worked)
    for listed in delivery.design.lists:
        counted = _from_list(delivery, delivery.table, listed)
        if counted is not None:
            found.setdefault(counted.kind, counted)
    return list(found.values())


def _work(delivery: Delivery, table: Table, name: str) -> WorkedNumber | None:
    devices = delivery.devices(name)
    arm = next(iter(devices))
    if len(set(devices.values())) == 1:
        return _worked(delivery, table, name, devices[arm])
    rows = delivery.design.versions.take(table, (arm,))
    found = _worked(delivery, rows, name, devices[arm])
    return None if found is None else replace(found, arm=arm)


def _worked(
    delivery: Delivery, table: Table, name: str, device: Perturbation
) -> WorkedNumber | None:
    column, weights = table[name], _weights(delivery, table)
    attribute = delivery.design[name].attribute
    if column.missing_count == table.rows:
        return None
    if device.reports_sets:
        return _from_sets(column, device, attribute, weights)
    if column.is_categorical:
        if attribute.kind.is_categorical:
            return _from_values(column, device, attribute, weights)
        return _from_intervals(column, weights)
    return _from_numbers(column, device, attribute, weights)


def _from_list(delivery: Delivery, table: Table, listed: ListQuestion) -> WorkedNumber | None:
    """The share of people with the sensitive item: only it tells the two lists apart."""
    if listed.count not in table:
        return None
    means = []
    for names in (listed.long, listed.short):
        rows = delivery.design.versions.take(table, names)
        column, weights = rows[listed.count], _weights(delivery, rows)
        known = ~column.missing
        if not known.any():
            return None
        means.append(float(np.average(column.data[known], weights=weights[known])))
    long, short = means
    said = Message(
        "The mean count is {long:.4f} with the long list ({arms}) and {short:.4f} with the short "
        "one. The share of people with “{item}” is {long:.4f} − {short:.4f} = {estimate:.4f}.",
        long=long, short=short, arms=listed.long, item=listed.name, estimate=long - short,
    )  # fmt: skip
    formula = Message("share = mean count of the long list − mean count of the short list")
    return WorkedNumber(Message("Counts of a list"), listed.count, formula, said, long - short)


def _weights(delivery: Delivery, table: Table) -> Numbers:
    name = delivery.design.weight
    if name is None or name not in table:
        return np.ones(table.rows)
    found = SampleReader(Sampling(weight=name)).read(table).weights
    return np.ones(table.rows) if found is None else np.asarray(found, np.float64)


def _shares(column: Column, weights: Numbers) -> Numbers:
    known = ~column.missing
    counts = np.bincount(column.data[known], weights[known], column.attribute.k)
    return np.asarray(counts / max(counts.sum(), 1e-300), np.float64)


def _chosen(attribute: Attribute) -> int:
    """The value that is worked out: the sensitive one, else the last."""
    marked = [place for place, value in enumerate(attribute.values) if value in attribute.sensitive]
    return marked[0] if marked else attribute.k - 1


def _from_values(
    column: Column, device: Perturbation, attribute: Attribute, weights: Numbers
) -> WorkedNumber | None:
    shares, place = _shares(column, weights), _chosen(attribute)
    value, seen = str(attribute.values[place]), float(shares[place])
    if device.is_identity:
        return WorkedNumber(
            Message("Answers as they were given"),
            column.name,
            Message("share = share in the table"),
            Message("Share of “{value}”: {seen:.4f}.", value=value, seen=seen),
            seen,
        )
    matrix = np.asarray(device.values.matrix(attribute.k), np.float64)
    if matrix.shape[0] != matrix.shape[1] or abs(np.linalg.det(matrix)) < _SINGULAR:
        return None
    row = np.linalg.inv(matrix)[place]
    estimate = float(row @ shares)
    if attribute.k == 2:
        other = 1 - place
        true, false = float(matrix[place, place]), float(matrix[place, other])
        said = Message(
            "{seen:.4f} of the reports are “{value}”. The share of people is ({seen:.4f} − "
            "{false:.4g}) / ({true:.4g} − {false:.4g}) = {estimate:.4f}.",
            seen=seen, value=value, false=false, true=true, estimate=estimate,
        )  # fmt: skip
        formula = Message(
            "share = (y − f) / (t − f), with y the share of reports, t and f the probabilities of "
            "the report if the answer is and is not the true one"
        )
        return WorkedNumber(
            Message("Questions of two answers"), column.name, formula, said, estimate
        )
    terms: list[str] = [
        Message("{factor:.4g} · {share:.4f}", factor=float(factor), share=float(share))
        if factor >= 0
        else Message("(−{factor:.4g}) · {share:.4f}", factor=-float(factor), share=float(share))
        for factor, share in zip(row, shares, strict=True)
    ]
    if len(terms) > _MOST_TERMS:
        terms = [*terms[: _MOST_TERMS - 1], "…"]
    said = Message(
        "{seen:.4f} of the reports are “{value}”. The share of people is {terms} = "
        "{estimate:.4f}.",
        seen=seen, value=value, terms=Message.joined(terms, " + "), estimate=estimate,
    )  # fmt: skip
    formula = Message("x = P⁻¹ y, with y the shares of the reports in the order of the values")
    return WorkedNumber(
        Message("Questions of several answers"), column.name, formula, said, estimate
    )


def _from_sets(
    column: Column, device: Perturbation, attribute: Attribute, weights: Numbers
) -> WorkedNumber:
    naming, place, known = device.sets.naming(attribute.k), _chosen(attribute), ~column.missing
    named = sets.names(column.data[known], place)
    seen = float(np.average(named, weights=weights[known]))
    estimate = float(naming.share(seen))
    said = Message(
        "{seen:.4f} of the sets name “{value}”. The share of people is ({seen:.4f} − {h:.4g}) / "
        "({g:.4g} − {h:.4g}) = {estimate:.4f}.",
        seen=seen, value=str(attribute.values[place]), g=naming.g, h=naming.h, estimate=estimate,
    )  # fmt: skip
    return WorkedNumber(
        Message("Reports that are sets of values"),
        column.name,
        Message("share = (share of sets that name the value − h) / (g − h)"),
        said,
        estimate,
    )


def _from_intervals(column: Column, weights: Numbers) -> WorkedNumber:
    shares = _shares(column, weights)
    value, seen = str(column.attribute.values[-1]), float(shares[-1])
    return WorkedNumber(
        Message("Numbers that are reported as intervals"),
        column.name,
        Message("share = share in the table; nothing is known within an interval"),
        Message("Share of “{value}”: {seen:.4f}.", value=value, seen=seen),
        seen,
    )


def _from_numbers(
    column: Column, device: Perturbation, attribute: Attribute, weights: Numbers
) -> WorkedNumber | None:
    known = ~column.missing
    reports = np.asarray(column.data[known], np.float64)
    seen = float(np.average(reports, weights=weights[known]))
    if device.is_identity:
        return WorkedNumber(
            Message("Numbers as they were given"),
            column.name,
            Message("mean = mean of the table"),
            Message("Mean: {seen:.6g}.", seen=seen),
            seen,
        )
    try:
        unbiased = device.numbers.unbiased(reports, attribute)
    except WorkbenchError:
        unbiased = None
    if unbiased is None:
        return WorkedNumber(
            Message("Numbers that have no formula"),
            column.name,
            Message("the command above estimates shares of intervals by the EM algorithm"),
            Message("The mean of the reports, {seen:.6g}, is biased.", seen=seen),
        )
    estimate = float(np.average(unbiased, weights=weights[known]))
    if np.allclose(unbiased, reports):
        formula = Message("mean = mean of the reports; the noise has mean 0 (or the factor mean 1)")
        said = Message("Mean: {estimate:.6g}.", estimate=estimate)
    else:
        formula = Message(
            "mean = mean of u(report), with u as below so that its mean is the true number"
        )
        said = Message(
            "Mean of the reports {seen:.6g}, of the people {estimate:.6g}.",
            seen=seen, estimate=estimate,
        )  # fmt: skip
    return WorkedNumber(Message("Numbers with noise"), column.name, formula, said, estimate)


# Means


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
