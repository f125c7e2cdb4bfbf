"""Answers that questionnaire pages sent or saved: many small files with one row or many each.

Anybody can send anything to an address, so a row counts only if the design could have produced it.
Whatever else a row carries, such as the time of its arrival, is not kept, nor is the order.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ppworkbench.core.data import sets
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table, code_type
from ppworkbench.core.design import Design, Identity, Perturbation
from ppworkbench.core.design.design_file import design_digest, publishable
from ppworkbench.core.design.linked_waves import (
    linking_column,
    person_attribute,
    with_persons,
    without_linking,
)
from ppworkbench.core.design.noises.base import parts_of
from ppworkbench.core.design.shuffle import shuffled
from ppworkbench.core.errors import DataError
from ppworkbench.core.files import read_limited
from ppworkbench.core.json_values import JsonError, parse_json
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.rng import SecureStreams
from ppworkbench.fieldwork.collector.store import place_name

SUFFIXES = (".jsonl", ".ndjson", ".json", ".csv", ".txt")
_LARGEST = 2**30
_LINE_END = re.compile(r"\r\n|\r|\n")
_SEPARATORS = ",;\t"
_OFF_GRID = 1e-6
"""How far from the grid a number may be, in steps."""
_DIGITS = 1e-11
"""How far a number that is written with twelve digits may be from itself, as a part of it."""
Cells = Mapping[str, Any]


def read_collected(
    paths: Sequence[str | Path], design: Design, progress: Progress = silent
) -> Table:
    """All rows of the files as one table of distorted answers, in random order.

    Rows that the design cannot have produced are left out, and a note says how many and why.

    Raises
    ------
    DataError
        When a file cannot be read, or no row of any file fits.
    """
    fitter, known = RowFitter(design), set[str]()
    for place, path in enumerate(paths):
        progress(place / len(paths), Message("Reading {file}", file=place_name(path)))
        for row in _any_rows(path, design, known):
            fitter.take(row)
    if not fitter.rows:
        why = next(iter(fitter.refused), Message("there are none"))
        raise DataError.saying(
            "No row of {paths} fits the design: {why}.", paths=_files(paths), why=why, file=paths[0]
        )
    progress(1.0, Message("{rows} rows", rows=len(fitter.rows)))
    return shuffled(fitter.table(), SecureStreams().stream("shuffle", "rows"))


def _any_rows(path: str | Path, design: Design, known: set[str]) -> Iterator[Cells | str]:
    """The rows of a file or of a collector's database, which must be of the same design."""
    # The collector stands on this module.
    from ppworkbench.fieldwork.collector.control import is_collection, open_collection

    if not is_collection(path):
        yield from collected_rows(Path(path), design, known)
        return
    with open_collection(path, design) as collection:
        table = collection.table()
    columns = [column_texts(column) for column in table]
    for cells in zip(*columns, strict=True):
        yield dict(zip(table.names, cells, strict=True))


def column_texts(column: Column) -> list[str]:
    """The answers of a column as texts; missing ones are empty."""
    if column.is_set:
        return [one or "" for one in sets.to_texts(column.data, column.attribute.values)]
    if column.is_categorical:
        return ["" if code < 0 else column.attribute.values[code] for code in column.data]
    return ["" if math.isnan(cell) else f"{cell:.12g}" for cell in column.data]


def _files(paths: Sequence[str | Path]) -> str:
    return (
        place_name(paths[0]) if len(paths) == 1 else Message("the {count} files", count=len(paths))
    )


class RowFitter:
    """Takes rows that fit the design and counts the others by their faults.

    ``is_reported`` tells whether the answers are what the design gives, or true ones.
    """

    def __init__(self, design: Design, *, is_reported: bool = True) -> None:
        self._person = linking_column(design) if is_reported else None
        self._persons: list[float] = []
        self._design = design = without_linking(design)
        if is_reported:
            self._attributes = design.distorted_schema
            published = publishable(design)
            self._numbers = [
                [] if one.domain is None else reported_numbers(published, one)
                for one in self._attributes
            ]
        else:
            self._attributes = tuple(one.attribute for one in design)
            self._numbers = [
                [] if one.domain is None else [ReportedNumbers(Identity(), one)]
                for one in self._attributes
            ]
        self._codes = [{v: c for c, v in enumerate(a.values)} for a in self._attributes]
        self.rows: list[list[Any]] = []
        self.refused: Counter[str] = Counter()

    def take(self, row: Cells | str) -> None:
        """Take a row by the names of its cells; a text says why one is none."""
        if isinstance(row, str):
            self.refused[row] += 1
            return
        try:
            self._check_arm(row)
            cells = [self._cell(row, i) for i in range(len(self._attributes))]
            self._persons.append(self._named(row))
            self.rows.append(cells)
        except _UnfitError as fault:
            self.refused[fault.why] += 1

    def _named(self, row: Cells) -> float:
        """The number of the person; no number where the row comes from no page."""
        given = None if self._person is None else row.get(self._person)
        if self._person is None or given is None or given == "":
            return math.nan
        attribute = person_attribute(self._person)
        return self._number(given, attribute, [ReportedNumbers(Identity(), attribute)])

    def _check_arm(self, row: Cells) -> None:
        """Refuse a row of no arm, and answers to questions that its arm does not ask."""
        arms = self._design.arms
        if arms is None:
            return
        arm = row.get(arms.column)
        if arm not in arms.names:
            raise _UnfitError(Message("{column!r} names no arm of the design", column=arms.column))
        omitted = [*arms[str(arm)].omit]
        for asked in self._design.lists:
            if arm not in (*asked.short, *asked.long):
                omitted.append(asked.count)
            elif _is_above(row.get(asked.count), asked.most(str(arm))):
                raise _UnfitError(
                    Message("{column!r} counts more items than there are", column=asked.count)
                )
        for name in omitted:
            if row.get(name) not in (None, ""):
                raise _UnfitError(
                    Message(
                        "{attribute!r} has an answer in an arm that does not ask it",
                        attribute=name,
                    )
                )

    def _cell(self, row: Cells, place: int) -> Any:
        attribute = self._attributes[place]
        if attribute.name not in row:
            raise _UnfitError(
                Message("a row has no answer named {attribute!r}", attribute=attribute.name)
            )
        given = row[attribute.name]
        if attribute.kind is Kind.SET:
            return self._set(given, attribute)
        if given is None or given == "":
            return -1 if attribute.kind.is_categorical else math.nan
        if attribute.kind.is_categorical:
            code = self._codes[place].get(given) if isinstance(given, str) else None
            if code is None:
                raise _UnfitError(
                    Message(
                        "{attribute!r} has an answer that is not in the design",
                        attribute=attribute.name,
                    )
                )
            return code
        return self._number(given, attribute, self._numbers[place])

    def _set(self, given: Any, attribute: Attribute) -> list[str] | None:
        """The values that a text names; None for a missing answer."""
        if given is None or given == "":
            return None
        listed = sets.split_text(given) if isinstance(given, str) else [""]
        try:
            sets.of_lists([listed], attribute.values, attribute.set_size, attribute.name)
        except DataError:
            raise _UnfitError(
                Message(
                    "{attribute!r} has a set that the design cannot produce",
                    attribute=attribute.name,
                )
            ) from None
        return listed

    def _number(
        self, given: Any, attribute: Attribute, possible: Sequence[ReportedNumbers]
    ) -> float:
        try:
            number = float(given) if not isinstance(given, bool) else math.nan
        except (ValueError, TypeError, OverflowError):
            number = math.nan
        if not any(one.holds(number) for one in possible):
            raise _UnfitError(
                Message(
                    "{attribute!r} has a number that the design cannot produce",
                    attribute=attribute.name,
                )
            )
        if attribute.kind is Kind.INTEGER and not number.is_integer():
            raise _UnfitError(
                Message("{attribute!r} has a number that is not whole", attribute=attribute.name)
            )
        return number

    def table(self) -> Table:
        """The rows that fit; notes say what does not."""
        columns = []
        for place, attribute in enumerate(self._attributes):
            cells = [row[place] for row in self.rows]
            if attribute.kind is Kind.SET:
                packed = sets.of_lists(cells, attribute.values, attribute.set_size, attribute.name)
                columns.append(Column(attribute, packed))
                continue
            kind = code_type(attribute.k) if attribute.kind.is_categorical else np.float64
            columns.append(Column(attribute, np.array(cells, np.float64).astype(kind)))
        notes = [
            Message("{count} row(s) were excluded: {why}.", count=count, why=why)
            for why, count in self.refused.most_common(5)
        ]
        table = Table(tuple(columns), self._design.class_name)
        absent = int(np.isnan(self._persons).sum())
        if self._person is not None and absent < len(self.rows):
            column = Column(person_attribute(self._person), np.array(self._persons))
            table = with_persons(table.with_(columns=(*columns, column)), self._person)
            if absent:
                notes.append(
                    Message(
                        "{count} row(s) name no person; each counts as a person of its own.",
                        count=absent,
                    )
                )
        return table.with_(notes=tuple(notes))


def _is_above(given: Any, most: int) -> bool:
    """Whether a number is too large; what is no number is refused elsewhere."""
    try:
        return float(given) > most
    except (TypeError, ValueError):
        return False


class _UnfitError(Exception):
    """A row that the design cannot have produced."""

    def __init__(self, why: Message) -> None:
        super().__init__(why)
        self.why = why


class ReportedNumbers:
    """Which numbers a mechanism of a published design can give.

    >>> from ppworkbench.core.design import Duchi
    >>> age = Attribute("age", Kind.INTEGER, domain=(18, 90))
    >>> ages = ReportedNumbers(Duchi(epsilon=1.0), age)
    >>> ages.nearest(-24), ages.nearest(40)
    (-24.0, None)
    """

    def __init__(self, device: Perturbation, attribute: Attribute) -> None:
        step = 1.0 if attribute.kind is Kind.INTEGER else device.published_step
        ranges = device.report_ranges(attribute)
        self._step, self._parts = step, None if step is None else parts_of(step)
        far = max(abs(end) for range_ in ranges for end in range_)
        self._rounding = _DIGITS * far if step is None else _OFF_GRID * step
        # True numbers are rounded to the grid before anything is added to them.
        slack = self._rounding + (0.0 if step is None else step / 2)
        self._points = [low for low, high in ranges if low == high]
        self._ranges = [(low - slack, high + slack) for low, high in ranges if low < high]

    def holds(self, number: float) -> bool:
        """Whether a number lies where reports can, on the grid or not."""
        if any(low <= number <= high for low, high in self._ranges):
            return True
        return self._point(number) is not None

    def nearest(self, number: float) -> float | None:
        """The report that a number is, without digits beyond the grid; None if it is none."""
        for low, high in self._ranges:
            if low <= number <= high:
                found = self._on_grid(number)
                if found is not None:
                    return found
        return self._point(number)

    def _point(self, number: float) -> float | None:
        for point in self._points:
            # Compared with, not subtracted: a whole number may be too large for a float.
            if point - self._rounding <= number <= point + self._rounding:
                return point
        return None

    def _on_grid(self, number: float) -> float | None:
        if self._step is None:
            return float(number)
        steps = number / self._step
        whole = round(steps)
        if abs(steps - whole) > _OFF_GRID:
            return None
        return float(whole * self._step if self._parts is None else whole / self._parts)


def reported_numbers(design: Design, attribute: Attribute) -> list[ReportedNumbers]:
    """Which numbers can be reported for an attribute, by each mechanism that arms have for it."""
    name = attribute.name
    if design.arms is None:
        devices = [design.perturbation(name)]
    else:
        devices = [design.of_arm(one).perturbation(name) for one in design.arms.asking((name,))]
    return [ReportedNumbers(device, design[name].attribute) for device in devices]


def collected_rows(
    path: Path, design: Design, known: set[str] | None = None
) -> Iterator[Cells | str]:
    """The rows of a file as cells by name; a text says why one is none.

    ``known`` are the ids of rows that files before had, and gets those of this one.
    """
    content = read_limited(path, _LARGEST, "{file} is too large; split it.")
    if content.startswith(b"PK\x03\x04"):
        # Libraries of tables come with it, which a collector does without.
        from ppworkbench.study.files.grid import only_member

        content = only_member(path, _LARGEST)[1]
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise DataError.saying("{file} is not text in UTF-8.", file=path) from None
    if text.lstrip()[:1] in ("{", "["):
        digest, met = design_digest(design), set[str]() if known is None else known
        return (_unwrapped(row, digest, met) for row in _json_rows(text))
    return _csv_rows(text, without_linking(design).names, path)


def _json_rows(text: str) -> Iterator[Cells | str]:
    # Split at line feeds only: other line ends of Unicode may stand inside of an answer.
    for line in text.split("\n"):
        if not line.strip():
            continue
        try:
            found = parse_json(line)
        except JsonError:
            yield Message("a line is not valid JSON")
            continue
        for row in found if isinstance(found, list) else [found]:
            yield row if isinstance(row, dict) else Message("a line is not an object of answers")


def _unwrapped(row: Cells | str, digest: str, known: set[str]) -> Cells | str:
    """The answers of a row as a page sends it, with an id that tells whether it comes twice."""
    if isinstance(row, str) or not isinstance(row.get("row"), dict):
        return row
    if row.get("design") != digest:
        return Message("a row is of another design")
    own = str(row.get("id"))
    if own in known:
        return Message("a row has arrived twice")
    known.add(own)
    answers: Cells = row["row"]
    return answers


def _csv_rows(text: str, names: Sequence[str], path: Path) -> Iterator[Cells | str]:
    """Rows under a header; files that were joined have it again and again."""
    head = _LINE_END.split(text.lstrip(), 1)[0]
    separator = max(_SEPARATORS, key=lambda mark: len(set(_split(head, mark)) & set(names)))
    header = _split(head, separator)
    if not set(names) <= set(header):
        absent = next(name for name in names if name not in header)
        raise DataError.saying(
            "{file} has no column {absent!r} in its first line, which the design distorts.",
            absent=absent,
            file=path,
            attribute=absent,
        )
    return _under(header, csv.reader(io.StringIO(text, newline=""), delimiter=separator))


def _under(header: list[str], lines: Iterable[list[str]]) -> Iterator[Cells | str]:
    for cells in lines:
        if not cells or cells == header:
            continue
        if len(cells) != len(header):
            yield Message("a row has more or fewer fields than the first line")
        else:
            yield dict(zip(header, cells, strict=True))


def _split(line: str, separator: str) -> list[str]:
    return next(csv.reader([line], delimiter=separator), [])
