"""Sheets as files: comma-separated, tab-separated, LaTeX."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from ppworkbench.core.data.delimited.writer import escape_formula
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.files import atomic_file
from ppworkbench.core.progress import Progress, silent
from ppworkbench.results.sheet import Column, Sheet
from ppworkbench.results.text import Say, harmless, heading, written

_TEX = str.maketrans(
    {c: f"\\{c}" for c in "&%$#_{}"}
    | {"~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "\\": "\\textbackslash{}"}
    | {"<": "\\textless{}", ">": "\\textgreater{}", "|": "\\textbar{}"}
)
_EMPTY = '""'
_NEEDS_MARKS = re.compile(r'[",\t\r\n]|^\s|\s$')


def to_csv(sheet: Sheet, separator: str = ",") -> str:
    """All columns under their keys, in the order of the rows, numbers to their last digit."""
    return "".join(_csv_lines(sheet, separator))


def _csv_lines(sheet: Sheet, separator: str) -> Iterator[str]:
    head = [_quoted(escape_formula(one.key)) for one in sheet.columns]
    rows = zip(*(map(_cell, one.values) for one in sheet.columns), strict=True)
    for row in chain([head], rows):
        # Many programs skip an empty line, so the only cell of a row is marked as empty.
        yield f"{separator.join(row) or _EMPTY}\n"


def to_tex(sheet: Sheet, say: Say = str) -> str:
    """A booktabs table for a paper: intervals in brackets behind their numbers."""
    columns = sheet.drawn()
    heads = [_tex(heading(one, say)) for one in columns]
    rows = [[_tex_cell(sheet, one, row) for one in columns] for row in sheet.order().tolist()]
    lines = [f"{' & '.join(row)} \\\\" for row in [heads, *rows]]
    return "\n".join(
        [
            f"% {harmless(say(sheet.title))}",
            f"\\begin{{tabular}}{{{''.join('l' if one.is_text else 'r' for one in columns)}}}",
            "\\toprule", lines[0], "\\midrule", *lines[1:], "\\bottomrule", "\\end{tabular}", "",
        ]
    )  # fmt: skip


_SEPARATORS = {".csv": ",", ".tsv": "\t"}
FORMATS = (*_SEPARATORS, ".tex")
_CHUNK = 2_000


def write_sheet(
    sheet: Sheet, path: Path, say: Say = str, note: str = "", progress: Progress = silent
) -> None:
    """Write a sheet in the format of its ending; ``say`` knows the words of a language.

    A ``note`` stands above the table.
    """
    suffix = path.suffix.lower()
    if suffix not in FORMATS:
        raise ParameterError.saying(
            "A table is written as {known}, not as {suffix!r}.",
            known=", ".join(FORMATS), suffix=path.suffix, field="path",
        )  # fmt: skip
    with atomic_file(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        if suffix == ".tex":
            file.write(f"% {harmless(note)}\n" * bool(note) + to_tex(sheet, say))
            return
        file.write(f"{_quoted(escape_formula(note))}\n" * bool(note))
        for place, line in enumerate(_csv_lines(sheet, _SEPARATORS[suffix])):
            if place % _CHUNK == 0:
                progress(place / (sheet.rows + 1), path.name)
            file.write(line)


def _quoted(text: str) -> str:
    return '"{}"'.format(text.replace('"', '""')) if _NEEDS_MARKS.search(text) else text


def _cell(value: Any) -> str:
    if isinstance(value, str):
        return _quoted(escape_formula(value))
    if value is None or math.isnan(value):
        return ""
    # Numpy's numbers name their type where they are represented.
    return str(value.item() if hasattr(value, "item") else value)


def _tex(text: str) -> str:
    found = harmless(text).translate(_TEX)
    # Behind the end of a row LaTeX would take these for an argument of it.
    return f"{{}}{found}" if found.startswith(("[", "*")) else found


def _tex_cell(sheet: Sheet, column: Column, row: int) -> str:
    is_best = row in column.best
    if column.is_text:
        return _tex_best(_tex(written(column, row)), is_best)
    cell = _tex_best(_tex_number(written(column, row)), is_best)
    if column.spread:
        return f"{cell} $\\pm$ {_tex_number(written(sheet[column.spread], row))}"
    if not column.low:
        return cell
    low, high = (_tex_number(written(sheet[end], row)) for end in (column.low, column.high))
    return f"{cell} [{low}, {high}]"


def _tex_best(cell: str, is_best: bool) -> str:
    return f"\\textbf{{{cell}}}" if is_best else cell


def _tex_number(text: str) -> str:
    """A number with a minus instead of a hyphen, and a longer dash where there is none."""
    if text == "-":
        return "--"
    return f"$-${_tex(text[1:])}" if text.startswith("-") else _tex(text)
