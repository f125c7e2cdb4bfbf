"""Sheets: frames, files and texts of the same values."""

from __future__ import annotations

import csv
import io
import itertools
import math
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.results.files import TABLES, to_csv, to_html, to_markdown, to_tex, write_sheet
from ppworkbench.results.sheet import Column, Kind, Sheet, bracket_note, estimate_columns
from ppworkbench.results.text import MOST_ROWS, sheet_text

NUMBERS = st.floats(allow_nan=True, allow_infinity=True)
WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
ROWS = st.lists(st.tuples(WORDS, NUMBERS, st.integers(-(2**62), 2**62)), min_size=1, max_size=8)


def sheet_of(rows: list[tuple[str, float, int]], *, sort: str = "") -> Sheet:
    words, numbers, counts = zip(*rows, strict=True) if rows else ((), (), ())
    columns = (
        Column("name", Message("name"), Kind.TEXT, words),
        Column("number", Message("number"), Kind.NUMBER, np.array(numbers, np.float64)),
        Column("count", Message("count"), Kind.COUNT, np.array(counts, np.int64), is_detail=True),
    )
    return Sheet("some", Message("Some"), columns, sort=sort, nothing=Message("Nothing."))


def supports(low: float, high: float) -> Sheet:
    columns = (
        Column("itemset", Message("itemset"), Kind.TEXT, ["bread & milk_1"]),
        Column("support", Message("support"), Kind.SHARE, [0.5], low="low", high="high"),
        Column("low", Message("low"), Kind.SHARE, [low]),
        Column("high", Message("high"), Kind.SHARE, [high]),
        Column("length", Message("length"), Kind.COUNT, [2], is_detail=True),
    )
    return Sheet("itemsets", Message("Frequent itemsets"), columns)


@given(ROWS)
def test_that_frames_hold_every_value_under_its_key_in_the_order_of_the_rows(
    rows: list[tuple[str, float, int]],
) -> None:
    frame = sheet_of(rows, sort="number").to_frame()
    assert list(frame.columns) == ["name", "number", "count"]
    assert frame["name"].tolist() == [word for word, _, _ in rows]
    np.testing.assert_array_equal(frame["number"], [number for _, number, _ in rows])
    assert frame["count"].tolist() == [count for _, _, count in rows]


@given(ROWS, st.sampled_from([",", "\t"]))
def test_that_files_hold_every_number_to_its_last_digit(
    rows: list[tuple[str, float, int]], separator: str
) -> None:
    text = to_csv(sheet_of(rows), separator)
    head, *cells = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    assert head == ["name", "number", "count"]
    assert len(cells) == len(rows)
    for (word, number, count), (name, written, counted) in zip(rows, cells, strict=True):
        assert name.removeprefix("'") == word or name == word
        assert int(counted) == count
        assert written == "" if math.isnan(number) else float(written) == number


@given(ROWS)
def test_that_people_read_the_largest_first_and_unknown_numbers_last(
    rows: list[tuple[str, float, int]],
) -> None:
    order = sheet_of(rows, sort="number").order().tolist()
    assert sorted(order) == list(range(len(rows)))
    numbers = [rows[place][1] for place in order]
    known = [number for number in numbers if not math.isnan(number)]
    assert known == sorted(known, reverse=True)
    assert all(map(math.isnan, numbers[len(known) :]))
    # Equal ones stay in the order of the rows.
    pairs = itertools.pairwise(order)
    assert all(p < q for p, q in pairs if rows[p][1] == rows[q][1])


@given(WORDS)
def test_that_no_text_of_a_file_is_a_formula(word: str) -> None:
    columns = (Column(word or "key", Message("a"), Kind.TEXT, [word, None]),)
    cells = list(csv.reader(io.StringIO(to_csv(Sheet("s", Message("S"), columns)), newline="")))
    for (cell,) in (row for row in cells if row):
        assert not cell.startswith(("=", "@", "\t", "\r"))
        if cell.startswith(("+", "-")):
            float(cell.replace(",", "."))


@given(WORDS)
def test_that_latex_prints_any_text_as_it_is(word: str) -> None:
    assume(word.isprintable())
    columns = (Column("a", Message("a"), Kind.TEXT, [word]),)
    row = to_tex(Sheet("s", Message("S"), columns)).splitlines()[6]
    cell = row.removesuffix(" \\\\")
    # Back from what LaTeX reads to what it prints.
    for command, letter in {
        "\\textasciitilde{}": "~", "\\textasciicircum{}": "^", "\\textbackslash{}": "\0",
        "\\textless{}": "<", "\\textgreater{}": ">", "\\textbar{}": "|", "$\\infty$": "∞",
        "$\\times$": "×", "$\\pm$": "±", "$-$": "−", "$\\to$": "→", "$\\varepsilon$": "ε",
    }.items():  # fmt: skip
        cell = cell.replace(command, letter)
    for letter in "&%$#_{}":
        cell = cell.replace(f"\\{letter}", letter)
    assert cell.replace("\0", "\\").removeprefix("{}") == word.removeprefix("{}")
    assert not row.startswith(("[", "*"))


class _Cells(HTMLParser):
    """Collects the texts of the cells of a table, and of the paragraphs around it."""

    def __init__(self, document: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.paragraphs: list[str] = []
        self._reads = ""
        self.feed(document)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
        elif tag == "p":
            self.paragraphs.append("")
        if tag in ("td", "th", "p"):
            self._reads = tag

    def handle_endtag(self, tag: str) -> None:
        if tag == self._reads:
            self._reads = ""

    def handle_data(self, data: str) -> None:
        if self._reads:
            texts = self.paragraphs if self._reads == "p" else self.rows[-1]
            texts[-1] += data


@given(WORDS, st.floats(-1, 1), st.floats(-1, 1))
def test_that_word_processors_and_markdown_read_the_same_table(
    word: str, low: float, high: float
) -> None:
    assume(word.isprintable() and word == word.strip() and "  " not in word and word)
    sheet = supports(low, high)
    columns = (Column("itemset", Message("itemset"), Kind.TEXT, [word]), *sheet.columns[1:])
    sheet = Sheet(sheet.name, sheet.title, columns)
    note = "n = 10; 95 % intervals"
    page = _Cells(to_html(sheet, note=note))
    rendered = _Cells(MarkdownIt().enable("table").render(to_markdown(sheet, note=note)))
    assert page.rows == rendered.rows
    ends = [f"{end:.4f}".replace("-", "−") for end in (low, high)]
    assert page.rows == [["itemset", "support"], [word, f"0.5000 [{ends[0]}, {ends[1]}]"]]
    assert page.paragraphs == [note]
    assert rendered.paragraphs == ["Frequent itemsets", note]


def test_that_a_table_of_a_paper_has_its_intervals_in_brackets() -> None:
    assert to_tex(supports(-0.125, 0.75)).splitlines() == [
        "% Frequent itemsets",
        "% \\usepackage{booktabs}",
        "\\begin{tabular}{lr}",
        "\\toprule",
        "itemset & support \\\\",
        "\\midrule",
        "bread \\& milk\\_1 & 0.5000 [$-$0.1250, 0.7500] \\\\",
        "\\bottomrule",
        "\\end{tabular}",
    ]
    assert "[--, 0.7500]" in to_tex(supports(math.nan, 0.75))


def test_that_heads_of_a_table_are_said_in_a_language_and_keys_are_not(tmp_path: Path) -> None:
    polish = {"itemset": "zbiór", "support": "wsparcie", "Frequent itemsets": "Zbiory częste"}
    for name in ("a.tex", "a.csv"):
        write_sheet(supports(0.25, 0.75), tmp_path / name, lambda text: polish.get(text, text))
    assert "zbiór & wsparcie" in (tmp_path / "a.tex").read_text("utf-8")
    assert (tmp_path / "a.csv").read_text("utf-8").startswith("itemset,support,low,high,length\n")


def test_that_an_unknown_ending_is_named(tmp_path: Path) -> None:
    with pytest.raises(
        ParameterError, match=r"\.csv, \.tsv, \.tex, \.md, \.html, not as '\.xls'"
    ) as raised:
        write_sheet(supports(0, 1), tmp_path / "a.xls")
    assert raised.value.field == "path"
    assert list(tmp_path.iterdir()) == []


def test_that_a_text_lists_some_rows_and_says_how_many_there_are_more() -> None:
    rows = [(f"row {i}", float(i), i) for i in range(MOST_ROWS + 3)]
    lines = sheet_text(sheet_of(rows, sort="number")).splitlines()
    assert lines[0].split() == ["name", "number"]
    assert lines[2].split() == ["row", "22", "22"]
    assert lines[-1] == "... and 3 more; --json lists all."
    assert len(lines) == 2 + MOST_ROWS + 1


def test_that_a_sheet_without_rows_says_so() -> None:
    assert sheet_text(sheet_of([])) == "Nothing."
    assert to_csv(sheet_of([])) == "name,number,count\n"


def test_that_a_unit_stands_behind_the_head() -> None:
    column = Column("estimate", Message("estimate"), Kind.NUMBER, [1.5], unit="years")
    assert sheet_text(Sheet("s", Message("S"), (column,))).splitlines()[0] == "estimate (years)"


def test_that_columns_that_do_not_fit_together_are_refused() -> None:
    one = Column("a", Message("a"), Kind.NUMBER, [1.0])
    longer = Column("b", Message("b"), Kind.NUMBER, [1.0, 2.0])
    open_ended = Column("b", Message("b"), Kind.NUMBER, [1.0], low="missing")
    for columns, sort in (((one, longer), ""), ((one, one), ""), ((one, open_ended), "")):
        with pytest.raises(ValueError, match="sheet"):
            Sheet("s", Message("S"), columns, sort=sort)
    with pytest.raises(ValueError, match="sheet"):
        Sheet("s", Message("S"), (one,), sort="other")


def test_that_estimates_have_an_error_and_the_truth_where_these_are_known() -> None:
    bare = SimpleNamespace(estimate=1.0, low=0.0, high=2.0, naive=1.5)
    full = SimpleNamespace(**vars(bare), standard_error=0.5, true=1.25)
    assert [one.key for one in estimate_columns([bare])] == ["estimate", "low", "high", "naive"]
    columns = estimate_columns([bare, full])
    assert [one.key for one in columns] == [
        "estimate", "low", "high", "standard_error", "naive", "true",
    ]  # fmt: skip
    assert columns[-1].values == [None, 1.25]


def test_that_papers_have_spreads_behind_numbers_and_the_best_bold():
    sheet = Sheet(
        "accuracy", Message("Accuracy"),
        (
            Column("name", Message("Name"), Kind.TEXT, ["tree", "bayes"], best={0}),
            Column("mean", Message("Mean"), Kind.NUMBER, [0.9, 0.8], spread="sd", decimals=2),
            Column("sd", Message("sd"), Kind.NUMBER, [0.01, 0.02], decimals=2),
        ),
    )  # fmt: skip
    lines = to_tex(sheet).splitlines()
    assert lines[6] == "\\textbf{tree} & 0.90 $\\pm$ 0.01 \\\\"
    assert lines[7] == "bayes & 0.80 $\\pm$ 0.02 \\\\"


def test_that_a_note_stands_beside_the_numbers_of_a_table(tmp_path):
    sheet = Sheet("one", Message("One"), (Column("n", Message("n"), Kind.COUNT, [1]),))
    write_sheet(sheet, tmp_path / "a.csv", note="=made up, all of it")
    write_sheet(sheet, tmp_path / "a.tex", note="made up")
    assert (tmp_path / "a.csv").read_text().splitlines()[0] == '"\'=made up, all of it"'
    assert "{\\footnotesize made up\\par}" in (tmp_path / "a.tex").read_text()


def test_that_several_tables_are_one_of_rows_for_programs_and_apart_for_people(tmp_path):
    one = supports(0.25, 0.75).noted(bracket_note(400, 0.95))
    other = Sheet(
        "n", Message("Sizes"), (Column("n", Message("n"), Kind.COUNT, [7], unit="people"),)
    )
    for kind in TABLES:
        path = tmp_path / f"a{kind.suffix}"
        write_sheet(one, path, beside=[other], note="made up")
        text = path.read_text("utf-8")
        assert text == kind.text([one, other], note="made up")
        assert text.count("made up") == (1 if kind.separator else 2)
        is_said = "n = 400; 95 % confidence intervals in brackets." in text.replace("\\%", "%")
        assert is_said != bool(kind.separator)
        assert ("n (people)" in text) != bool(kind.separator)
    lines = (tmp_path / "a.csv").read_text("utf-8").splitlines()
    assert lines[1:] == [
        "table,itemset,support,low,high,length,n", "itemsets,bread & milk_1,0.5,0.25,0.75,2,",
        "n,,,,,,7",
    ]  # fmt: skip
    assert (tmp_path / "a.html").read_text("utf-8").count("<table") == 2


def test_that_numbers_of_papers_are_written_in_their_language_and_ends_stay_apart():
    def say(text: str) -> str:
        return text.replace(".", ",") if re.fullmatch(r"-?\d\.\d+", text) else text

    assert "0,5000 [−0,2500; 0,7500]" in to_markdown(supports(-0.25, 0.75), say).replace("\\", "")
    assert "0,5000 [$-$0,2500; 0,7500]" in to_tex(supports(-0.25, 0.75), say)
    assert "| 0.5000 |" in to_markdown(supports(math.nan, math.nan))


def test_that_numbers_below_each_other_have_as_many_decimals_where_that_leaves_their_digits():
    def numbers(*values: float) -> list[str]:
        columns = (
            Column("x", Message("x"), Kind.NUMBER, list(values), low="low", high="high"),
            Column("low", Message("low"), Kind.NUMBER, [0.00001 for _ in values]),
            Column("high", Message("high"), Kind.NUMBER, [math.inf for _ in values]),
        )
        lines = to_tex(Sheet("s", Message("S"), columns)).splitlines()[6:-2]
        return [one.removesuffix(" \\\\") for one in lines]

    assert numbers(0.101, 0.55912, -0.3) == [
        "0.1010 [0.0000, $\\infty$]", "0.5591 [0.0000, $\\infty$]", "$-$0.3000 [0.0000, $\\infty$]",
    ]  # fmt: skip
    assert [one.split(" ")[0] for one in numbers(123.456, 0.0012)] == ["123.5", "0.0012"]
    assert [one.split(" ")[0] for one in numbers(3, 4)] == ["3", "4"]
    assert [one.split(" ")[0] for one in numbers(1.5, 20)] == ["1.5", "20.0"]


def test_that_tables_of_the_same_columns_are_one_and_a_common_note_is_said_once():
    note = bracket_note(400, 0.95)
    one, two = (replace(supports(0.25, end), note=note) for end in (0.75, 0.5))
    page = _Cells(to_html(one, two))
    assert len(page.rows) == 3
    assert len(page.paragraphs) == 1
    other = replace(one, title=Message("Others"))
    assert _Cells(to_html(one, other)).paragraphs == page.paragraphs
    assert to_html(one, other).index("<p ") > to_html(one, other).index("Others")


def test_that_a_kept_sheet_has_its_note():
    sheet = supports(0.25, 0.75).noted(bracket_note(400, 0.95))
    assert Sheet.from_json(sheet.to_json()).note == sheet.note
    assert "note" not in supports(0.25, 0.75).to_json()
