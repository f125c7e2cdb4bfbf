"""``kit.json``: which column of which platform answers which question, and what its codes mean.

A kit is written with the forms that go to platforms. With it a platform's export needs no guesses:
columns are found by name, answers by code, or by their text in any language of the form.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ppworkbench.core.design import Design
from ppworkbench.core.design.design_file import design_digest
from ppworkbench.core.errors import DataError
from ppworkbench.core.files import write_text
from ppworkbench.core.message import Message
from ppworkbench.fieldwork.responses.mapping import (
    CODES,
    NUMBERS,
    TEXTS,
    ColumnChoice,
    check_version,
    doubt,
    mapping_from_json,
)
from ppworkbench.fieldwork.responses.mapping import Mapping as Columns
from ppworkbench.fieldwork.responses.platforms import Sheet
from ppworkbench.study.questionnaire.texts import fold, read_json

FORMAT, VERSION = "ppworkbench-kit", 1
FILE = "kit.json"


@dataclass(frozen=True)
class KitColumn:
    """The column of one question in a target's export.

    ``codes`` and ``texts`` lead to values of the design; both are empty for a number. ``also`` are
    other names of the column, where it has that of the question in another language.
    """

    column: str
    codes: Mapping[str, str] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    also: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        found: dict[str, Any] = {"column": self.column}
        if self.codes:
            found["codes"] = dict(self.codes)
        if self.codes or self.texts:
            found["texts"] = dict(self.texts)
        return found | ({"also": list(self.also)} if self.also else {})

    def find(self, sheet: Sheet) -> str | None:
        """The column in a file; None where it has none of the names."""
        found = (_column(sheet, name) for name in (self.column, *self.also))
        return next((name for name in found if name is not None), None)

    def readings(self, sheet: Sheet, column: str) -> dict[str, dict[str, str]]:
        """The ways in which all cells of a column are answers, with what they mean.

        A number has no such ways.
        """
        labels = sheet.labels.get(column, {})
        cells = {cell.strip() for cell in sheet.column(column)} - {""}
        found = {}
        for way, known in ((CODES, self.codes), (TEXTS, self.texts)):
            folded = {fold(text): value for text, value in known.items()}
            named = {cell: fold(cell if way == CODES else labels.get(cell, cell)) for cell in cells}
            if known and all(key in folded for key in named.values()):
                found[way] = {cell: folded[key] for cell, key in named.items()}
        return found

    def choice(self, sheet: Sheet, column: str, preferred: str) -> ColumnChoice:
        """How the cells of a column are read: all as codes or all as texts, where that fits.

        What other files may hold is known as well.
        """
        if not self.codes and not self.texts:
            return ColumnChoice(column, NUMBERS)
        readings = self.readings(sheet, column)
        if readings:
            way = preferred if preferred in readings else next(iter(readings))
            known = self.codes if way == CODES else self.texts
            return ColumnChoice(column, way, {**known, **readings[way]})
        # Neither fits all cells: what is no answer is counted as such.
        codes, texts = self.codes.items(), self.texts.items()
        known_last = (*texts, *codes) if preferred == CODES else (*codes, *texts)
        folded = {fold(text): value for text, value in known_last}
        cells = {cell.strip() for cell in sheet.column(column)}
        return ColumnChoice(
            column, TEXTS, {cell: folded[fold(cell)] for cell in cells if fold(cell) in folded}
        )


@dataclass(frozen=True)
class KitTarget:
    platform: str
    files: tuple[str, ...]
    columns: Mapping[str, KitColumn]


@dataclass(frozen=True)
class Kit:
    digest: str
    languages: tuple[str, ...]
    questions: Mapping[str, Mapping[str, Any]]
    targets: Mapping[str, KitTarget]
    design: str = "design.json"
    is_chosen: bool = True
    """Whether somebody named it; one that only lies beside a file may not fit it."""

    def mapping(self, sheet: Sheet) -> tuple[Columns, tuple[Message, ...]]:
        """The columns of a file, and remarks; an error if no target has all of them there."""
        own = [one for one in self.targets.values() if one.platform == sheet.platform]
        others = [one for one in self.targets.values() if one not in own]
        absent: tuple[str, ...] = ()
        for target in (*own, *others):
            found = {name: (one, one.find(sheet)) for name, one in target.columns.items()}
            without = tuple(name for name, (_, column) in found.items() if column is None)
            if target.columns and not without:
                return _read(
                    sheet,
                    {n: (one, column) for n, (one, column) in found.items() if column is not None},
                )
            absent = absent or without
        raise DataError.saying(
            "The file has no column for {attribute!r} under the name that the kit gave it.",
            attribute=absent[0] if absent else "",
        )

    def columns_of(self, platform: str, names: Sequence[str]) -> frozenset[str]:
        """Which columns of a platform's file answer questions under the names that it gave them."""
        given = {
            column
            for one in self.targets.values()
            if one.platform == platform
            for asked in one.columns.values()
            for column in (asked.column, *asked.also)
        }
        tails = {name: re.split(r"[/.]", name.strip())[-1] for name in names}
        return frozenset(name.strip() for name, tail in tails.items() if {name, tail} & given)

    def to_json(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "version": VERSION,
            "questionnaire": {"version": 1, "languages": list(self.languages)},
            "digest": self.digest,
            "design": self.design,
            "targets": {
                name: {"platform": one.platform, "files": list(one.files)}
                for name, one in self.targets.items()
            },
            "questions": {
                name: {
                    **said,
                    "targets": {
                        target: one.columns[name].to_json()
                        for target, one in self.targets.items()
                        if name in one.columns
                    },
                }
                for name, said in self.questions.items()
            },
        }


def _read(
    sheet: Sheet, found: Mapping[str, tuple[KitColumn, str]]
) -> tuple[Columns, tuple[Message, ...]]:
    """How columns are read, with a remark where a file could be codes as well as texts.

    A file has codes or texts in all its columns: those that can be read in one way alone say which.
    """
    readings = {name: one.readings(sheet, column) for name, (one, column) in found.items()}
    sure = {way for ways in readings.values() if len(ways) == 1 for way in ways}
    preferred = TEXTS if sure == {TEXTS} else CODES
    doubtful = [
        name
        for name, ways in readings.items()
        if len(sure) != 1 and len(ways) > 1 and ways[CODES] != ways[TEXTS]
    ]
    columns = {name: one.choice(sheet, column, preferred) for name, (one, column) in found.items()}
    return Columns(columns), tuple(doubt(name, preferred) for name in doubtful)


def write_kit_file(kit: Kit, path: str | Path) -> None:
    write_text(path, json.dumps(kit.to_json(), ensure_ascii=False, indent=2) + "\n")


def read_mapping_or_kit(path: str | Path) -> Columns | Kit:
    path = Path(path)
    given = read_json(path, "{file} is too large for a mapping.")
    if isinstance(given, dict) and given.get("format") == FORMAT:
        return kit_from_json(given, path)
    return mapping_from_json(given, path)


def find_kit(files: Iterable[Path], design: Design) -> Kit | None:
    """The kit that lies beside a file and belongs to the design; None where there is none."""
    for folder in dict.fromkeys(file.parent for file in files):
        path = folder / FILE
        if path.is_file():
            try:
                found = read_mapping_or_kit(path)
            except DataError:
                continue
            if isinstance(found, Kit) and found.digest == design_digest(design):
                return dataclasses.replace(found, is_chosen=False)
    return None


def kit_from_json(given: Mapping[str, Any], path: Path) -> Kit:
    check_version(given, VERSION, path)
    try:
        questions = {str(name): dict(one) for name, one in given["questions"].items()}
        targets = {
            str(name): KitTarget(
                str(one["platform"]),
                tuple(map(str, one["files"])),
                {
                    asked: _kit_column(said["targets"][name])
                    for asked, said in questions.items()
                    if name in said["targets"]
                },
            )
            for name, one in given["targets"].items()
        }
        languages = tuple(map(str, given["questionnaire"]["languages"]))
        plain = {
            name: {key: value for key, value in one.items() if key != "targets"}
            for name, one in questions.items()
        }
        return Kit(str(given["digest"]), languages, plain, targets, str(given["design"]))
    except (KeyError, TypeError, ValueError, AttributeError):
        raise DataError.saying("{file} is a damaged kit; write it again.", file=path) from None


def _kit_column(given: Mapping[str, Any]) -> KitColumn:
    codes, texts = given.get("codes", {}), given.get("texts", {})
    return KitColumn(
        str(given["column"]),
        {str(code): str(value) for code, value in codes.items()},
        {str(text): str(value) for text, value in texts.items()},
        tuple(map(str, given.get("also", ()))),
    )


def texts_to_values(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Values by text; a text that stands for two values is left out."""
    listed = list(dict.fromkeys(pairs))
    counts = Counter(fold(text) for text, _ in {(fold(t), v): (t, v) for t, v in listed}.values())
    return {text: value for text, value in listed if counts[fold(text)] == 1}


def _column(sheet: Sheet, wanted: str) -> str | None:
    names: Sequence[str] = sheet.names
    for found in (
        [name for name in names if name == wanted],
        [name for name in names if fold(name) == fold(wanted)],
        [n for n in names if any(fold(n).endswith(mark + fold(wanted)) for mark in "/-.")],
    ):
        if len(found) == 1:
            return found[0]
    return None
