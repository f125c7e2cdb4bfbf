"""Sheets as files: comma-separated, tab-separated, LaTeX, Markdown, HTML."""

from __future__ import annotations

import html
import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby, zip_longest
from pathlib import Path
from typing import Any

from ppworkbench.core.errors import ParameterError
from ppworkbench.core.files import atomic_file
from ppworkbench.core.formulas import escape_formula
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, silent
from ppworkbench.results.sheet import Column, Kind, Sheet, stacked
from ppworkbench.results.text import Say, harmless, heading, short_number, written

_TEX = str.maketrans(
    {c: f"\\{c}" for c in "&%$#_{}"}
    | {"~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "\\": "\\textbackslash{}"}
    | {"<": "\\textless{}", ">": "\\textgreater{}", "|": "\\textbar{}"}
    # Older engines have no letters for these.
    | {"∞": "$\\infty$", "×": "$\\times$", "±": "$\\pm$", "−": "$-$", "–": "--", "→": "$\\to$"}
    | {"ε": "$\\varepsilon$", "\u202f": "\\,", "\xa0": "~"}
)
_EMPTY = '""'
_NEEDS_MARKS = re.compile(r'[",\t\r\n]|^\s|\s$')


def to_csv(sheet: Sheet, separator: str = ",") -> str:
    """All columns under their keys, in the order of the rows, numbers to their last digit."""
    return "".join(_csv_lines(sheet, separator))


def cells_of(sheet: Sheet, say: Say = str) -> list[list[str]]:
    """All numbers below heads that people read, for a clipboard."""
    return [
        [say(one.head) for one in sheet.columns],
        *(
            [_plain(value) for value in row]
            for row in zip(*(one.values for one in sheet.columns), strict=True)
        ),
    ]


def _csv_lines(sheet: Sheet, separator: str) -> Iterator[str]:
    head = [_quoted(escape_formula(one.key)) for one in sheet.columns]
    rows = zip(*(map(_cell, one.values) for one in sheet.columns), strict=True)
    for row in chain([head], rows):
        # Many programs skip an empty line, so the only cell of a row is marked as empty.
        yield f"{separator.join(row) or _EMPTY}\n"


@dataclass(frozen=True)
class _Markup:
    """How a language of documents writes words, numbers and what stands out."""

    text: Callable[[str], str]
    number: Callable[[str], str]
    strong: Callable[[str], str]

    def table(self, sheet: Sheet, say: Say) -> tuple[list[Column], list[list[str]]]:
        """The columns that people see, and the cells of head and rows.

        Intervals stand in brackets behind their numbers.
        """
        columns = [_in_line(one) for one in sheet.drawn()]
        heads = [self.text(harmless(heading(one, say))) for one in columns]
        order = sheet.order().tolist()
        return columns, [
            heads,
            *([self._cell(sheet, one, row, say) for one in columns] for row in order),
        ]

    def _cell(self, sheet: Sheet, column: Column, row: int, say: Say) -> str:
        def part(key: str) -> str:
            digits = column.decimals if sheet[key].decimals is None else sheet[key].decimals
            words = written(replace(sheet[key], decimals=digits), row)
            if column.is_text:
                return self.text(harmless(say(words) if isinstance(words, Message) else words))
            return self.number(harmless(say(words)))

        cell = self.strong(part(column.key)) if row in column.best else part(column.key)
        if column.is_text:
            return cell
        if column.spread:
            return f"{cell}{self.text(' ± ')}{part(column.spread)}"
        if not column.low:
            return cell
        ends = [part(column.low), part(column.high)]
        if ends == [self.number("-")] * 2:
            return cell
        return f"{cell} [{('; ' if ',' in ''.join(ends) else ', ').join(ends)}]"


def _in_line(column: Column) -> Column:
    """A column whose numbers have as many decimals each, where that leaves digits of them all."""
    if column.kind is not Kind.NUMBER or column.decimals is not None:
        return column
    import numpy as np

    found = np.abs(np.array(column.values, np.float64))
    found = found[np.isfinite(found) & (found > 0)]
    if not len(found) or (column.spread and not column.low):
        return column
    most = max(len(short_number(one).partition(".")[2]) for one in found.tolist())
    decimals = min(max(3 - math.floor(math.log10(found.max())), 0), most)
    is_exact = np.abs(np.round(found, decimals) - found) <= 1e-9 * found
    has_digits = decimals and (is_exact | (found >= 10.0 ** (2 - decimals))).all()
    return replace(column, decimals=decimals) if has_digits else column


def _for_people(sheets: Sequence[Sheet]) -> Iterator[Sheet]:
    """Tables as people read them: those of the same columns as one, and a common note once."""
    alike = [list(one) for _, one in groupby(sheets, _shape)]
    whole = [first if not others else _appended([first, *others]) for first, *others in alike]
    for one, following in zip_longest(whole, whole[1:]):
        is_said_below = following is not None and following.note == one.note
        yield replace(one, note=Message("")) if is_said_below else one


def _shape(sheet: Sheet) -> tuple[object, ...]:
    return sheet.title, sheet.note, tuple((one.key, one.kind, one.unit) for one in sheet.columns)


def _appended(sheets: Sequence[Sheet]) -> Sheet:
    """The rows of tables with the same columns one below the other."""
    columns = tuple(
        replace(same[0], values=[value for one in same for value in one.values], best=())
        for same in zip(*(one.columns for one in sheets), strict=True)
    )
    return replace(sheets[0], columns=columns)


def _tex(text: str) -> str:
    found = text.translate(_TEX)
    # Behind the end of a row LaTeX would take these for an argument of it.
    return f"{{}}{found}" if found.startswith(("[", "*")) else found


def _tex_number(text: str) -> str:
    """A number with a minus instead of a hyphen, and a longer dash where there is none."""
    if text == "-":
        return "--"
    return f"$-${_tex(text[1:])}" if text.startswith("-") else _tex(text)


def _plain_number(text: str) -> str:
    return "–" if text == "-" else text.replace("-", "−")


def _markdown(text: str) -> str:
    return re.sub(r"([\\|*_`<>\[\]#])", r"\\\1", text)


TEX = _Markup(_tex, _tex_number, lambda cell: f"\\textbf{{{cell}}}")
MARKDOWN = _Markup(_markdown, _plain_number, lambda cell: f"**{cell}**")
HTML = _Markup(html.escape, _plain_number, lambda cell: f"<b>{cell}</b>")


def to_tex(sheet: Sheet, say: Say = str, note: str = "") -> str:
    """A booktabs table for a paper, with its note below."""
    columns, cells = TEX.table(sheet, say)
    lines = [f"{' & '.join(row)} \\\\" for row in cells]
    letters = "".join("l" if one.is_text else "r" for one in columns)
    told = _note(sheet, say, note)
    below = ["", f"\\smallskip\n{{\\footnotesize {_tex(told)}\\par}}"] if told else []
    return "\n".join(
        [
            f"% {harmless(say(sheet.title))}", "% \\usepackage{booktabs}",
            f"\\begin{{tabular}}{{{letters}}}", "\\toprule", lines[0], "\\midrule", *lines[1:],
            "\\bottomrule", "\\end{tabular}", *below, "",
        ]
    )  # fmt: skip


def to_markdown(sheet: Sheet, say: Say = str, note: str = "") -> str:
    """A table as most programs read it in Markdown, with its title above and its note below."""
    columns, cells = MARKDOWN.table(sheet, say)
    lines = [f"| {' | '.join(row)} |" for row in cells]
    rule = f"| {' | '.join(':--' if one.is_text else '--:' for one in columns)} |"
    title = f"**{_markdown(harmless(say(sheet.title)))}**"
    told = _note(sheet, say, note)
    below = ["", f"*{_markdown(told)}*"] if told else []
    return "\n".join([title, "", lines[0], rule, *lines[1:], *below, ""])


def to_html(*sheets: Sheet, say: Say = str, note: str = "", above: str = "") -> str:
    """Tables that word processors take from a clipboard or a file, ruled as papers have them.

    A sentence may stand ``above`` all of them.
    """
    said = [f"<p>{html.escape(harmless(above))}</p>"] if above else []
    title = html.escape(harmless(say(sheets[0].title)))
    return "\n".join(
        [
            '<!DOCTYPE html><html><head><meta charset="utf-8">', f"<title>{title}</title></head>",
            "<body>", *said, *(_html_table(one, say, note) for one in _for_people(sheets)),
            "</body></html>", "",
        ]
    )  # fmt: skip


def _html_table(sheet: Sheet, say: Say, note: str) -> str:
    columns, (heads, *rows) = HTML.table(sheet, say)
    ends = ["left" if one.is_text else "right" for one in columns]

    def line(cells: Sequence[str], tag: str, style: str = "") -> str:
        # A cell of words goes on in a new line, a number with its interval does not.
        put = (
            f'<{tag} style="text-align:{end};padding:2px 8px;{style}'
            f'{"white-space:nowrap;" * (tag == "td" and end == "right")}">{cell}</{tag}>'
            for cell, end in zip(cells, ends, strict=True)
        )
        return f"<tr>{''.join(put)}</tr>"

    head = line(heads, "th", "border-top:1.5pt solid;border-bottom:0.75pt solid;")
    last = "border-bottom:1.5pt solid;"
    body = [line(row, "td", last if row is rows[-1] else "") for row in rows]
    title, told = html.escape(harmless(say(sheet.title))), _note(sheet, say, note)
    below = [f'<p style="font-size:smaller">{html.escape(told)}</p>'] if told else []
    return "\n".join(
        [
            '<table style="border-collapse:collapse">',
            f'<caption style="text-align:left"><b>{title}</b></caption>',
            f"<thead>{head}</thead>", "<tbody>", *body, "</tbody></table>", *below,
        ]
    )  # fmt: skip


def _note(sheet: Sheet, say: Say, note: str) -> str:
    """What stands below a table for people: what its file says, and what the table says."""
    return harmless(" ".join(filter(None, (note, say(sheet.note)))))


@dataclass(frozen=True)
class TableKind:
    """A kind of file, or of text for a clipboard, that tables are written as.

    Parameters
    ----------
    name
        What dialogs and menus call it.
    separator
        Between the fields of a kind for programs, which has all columns under their keys, and
        several tables as one.
    write
        The tables of a kind for people.
    """

    suffix: str
    name: Message
    separator: str = ""
    write: Callable[[Sequence[Sheet], Say, str], str] | None = None

    def text(self, sheets: Sequence[Sheet], say: Say = str, note: str = "") -> str:
        """Tables in this kind; ``say`` knows the words of a language."""
        if self.write is None:
            return "".join(_delimited(sheets, self.separator, note))
        return self.write(sheets, say, note)


def _each(
    write: Callable[[Sheet, Say, str], str],
) -> Callable[[Sequence[Sheet], Say, str], str]:
    return lambda sheets, say, note: "\n".join(write(one, say, note) for one in _for_people(sheets))


TABLES = (
    TableKind(".csv", Message("CSV"), ","),
    TableKind(".tsv", Message("Tab-separated"), "\t"),
    TableKind(".tex", Message("LaTeX"), write=_each(to_tex)),
    TableKind(".md", Message("Markdown"), write=_each(to_markdown)),
    TableKind(
        ".html", Message("Word or web page"),
        write=lambda sheets, say, note: to_html(*sheets, say=say, note=note),
    ),
)  # fmt: skip
"""All that dialogs, menus, commands and ``save`` offer."""
_CHUNK = 2_000


def _delimited(sheets: Sequence[Sheet], separator: str, note: str) -> Iterator[str]:
    if note:
        yield f"{_quoted(escape_formula(note))}\n"
    yield from _csv_lines(stacked(sheets), separator)


def write_sheet(
    sheet: Sheet, path: Path, say: Say = str, note: str = "", progress: Progress = silent,
    beside: Sequence[Sheet] = (), *, private: bool = False,
) -> None:  # fmt: skip
    """Write a sheet, and those ``beside`` it, in the kind of its ending.

    A ``note`` stands above the columns of a file for programs, and below a table for people.
    ``say`` knows the words of a language. A new file can be read by its owner only where it is
    ``private`` or has true numbers.
    """
    suffix, sheets = path.suffix.lower(), (sheet, *beside)
    kind = next((one for one in TABLES if one.suffix == suffix), None)
    if kind is None:
        raise ParameterError.saying(
            "A table is written as {known}, not as {suffix!r}.",
            known=", ".join(one.suffix for one in TABLES), suffix=path.suffix, field="path",
        )  # fmt: skip
    private = private or any(one.holds_truth for one in sheets)
    with (
        atomic_file(path, private=private) as temporary,
        temporary.open("w", encoding="utf-8", newline="") as file,
    ):
        if kind.write is not None:
            file.write(kind.text(sheets, say, note))
            return
        rows = sum(one.rows for one in sheets)
        for place, line in enumerate(_delimited(sheets, kind.separator, note)):
            if place % _CHUNK == 0:
                progress(min(place / (rows + 1), 1.0), path.name)
            file.write(line)


def _quoted(text: str) -> str:
    return '"{}"'.format(text.replace('"', '""')) if _NEEDS_MARKS.search(text) else text


def _cell(value: Any) -> str:
    return _quoted(escape_formula(value)) if isinstance(value, str) else _plain(value)


def _plain(value: Any) -> str:
    if value is None or (not isinstance(value, str) and math.isnan(value)):
        return ""
    # Numpy's numbers name their type where they are represented.
    return str(value.item() if hasattr(value, "item") else value)
