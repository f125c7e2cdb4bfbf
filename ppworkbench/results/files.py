"""Sheets as files: comma-separated, tab-separated, LaTeX."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ppworkbench.core.data.delimited.writer import escape_formula
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.files import atomic_file
from ppworkbench.results.sheet import Column, Sheet
from ppworkbench.results.text import Say, harmless, heading, written

_TEX = str.maketrans(
    {c: f"\\{c}" for c in "&%$#_{}"}
    | {"~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "\\": "\\textbackslash{}"}
    | {"<": "\\textless{}", ">": "\\textgreater{}", "|": "\\textbar{}"}
)
_NEEDS_MARKS = re.compile(r'[",\t\r\n]|^\s|\s$')


def to_csv(sheet: Sheet, separator: str = ",") -> str:
    """All columns under their keys, in the order of the rows, numbers to their last digit."""
    head = [_quoted(escape_formula(one.key)) for one in sheet.columns]
    rows = zip(*(map(_cell, one.values) for one in sheet.columns), strict=True)
    # Many programs skip an empty line, so the only cell of a row is marked as empty.
    lines = (separator.join(row) or '""' for row in [head, *rows])
    return "".join(f"{line}\n" for line in lines)


def to_tex(sheet: Sheet, say: Say = str) -> str:
    """A booktabs table for a paper: intervals in brackets behind their numbers."""
    ends = {end for one in sheet.columns for end in (one.low, one.high) if end}
    columns = [one for one in sheet.shown() if one.key not in ends]
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


_WRITERS: dict[str, Callable[[Sheet, Say], str]] = {
    ".csv": lambda sheet, _: to_csv(sheet),
    ".tsv": lambda sheet, _: to_csv(sheet, "\t"),
    ".tex": to_tex,
}
FORMATS = tuple(_WRITERS)


def write_sheet(sheet: Sheet, path: Path, say: Say = str) -> None:
    """Write a sheet in the format of its ending; ``say`` knows the words of a language."""
    if path.suffix.lower() not in _WRITERS:
        raise ParameterError.saying(
            "A table is written as {known}, not as {suffix!r}.",
            known=", ".join(FORMATS), suffix=path.suffix, field="path",
        )  # fmt: skip
    text = _WRITERS[path.suffix.lower()](sheet, say)
    with atomic_file(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="")


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
    if column.is_text:
        return _tex(written(column, row))
    cell = _tex_number(written(column, row))
    if not column.low:
        return cell
    low, high = (_tex_number(written(sheet[end], row)) for end in (column.low, column.high))
    return f"{cell} [{low}, {high}]"


def _tex_number(text: str) -> str:
    """A number with a minus instead of a hyphen, and a longer dash where there is none."""
    if text == "-":
        return "--"
    return f"$-${_tex(text[1:])}" if text.startswith("-") else _tex(text)
