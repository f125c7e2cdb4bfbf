"""Small and odd files for the monkey: tables, studies, designs, and what is none of these."""

from __future__ import annotations

import csv
import random
from collections.abc import Callable, Sequence
from pathlib import Path

from ppworkbench.core.data.attribute import Kind
from ppworkbench.core.data.files import read_table
from ppworkbench.core.data.samples import load_sample
from ppworkbench.core.design.design_file import write_design
from ppworkbench.study.distorted_cache import distorted_answers
from ppworkbench.study.files.study_file import save_study
from ppworkbench.study.questionnaire.document import Question as Asked
from ppworkbench.study.questionnaire.document import Questionnaire
from ppworkbench.study.questionnaire.edits import study_of_questionnaire
from ppworkbench.study.questions import Question
from ppworkbench.study.study import Study

RARE = "wide.csv"
"""Opened rarely, since it takes seconds."""

_ODD_NAMES = ("", "a b", "😀", "עברית", "a" * 300, "<b>x</b>", "=1+1", "%s {0} %1", "a&b", "a")
_ODD_VALUES = ("😀", "العربية", "x" * 2_000, "<script>alert(1)</script>", "a\nb", " a", "a", "—")


def make_files(folder: Path) -> list[Path]:
    """Write all of them into a folder and list what a person could try to open."""
    folder.mkdir(parents=True)
    source = random.Random(7)
    _make_tables(folder, source)
    _make_studies(folder)
    _make_nonsense(folder)
    return sorted(path for path in folder.iterdir() if not path.name.startswith("."))


def _make_tables(folder: Path, source: random.Random) -> None:
    def write(name: str, header: Sequence[str], cell: Callable[[int, int], object], rows: int):
        lines = [[cell(row, place) for place in range(len(header))] for row in range(rows)]
        with (folder / name).open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([header, *lines])

    words, few = ("no", "yes", "maybe", ""), ("a", "b")
    write("header-only.csv", ["a", "b", "c"], lambda *_: "", 0)
    write("one-column.csv", ["smokes"], lambda row, _: few[row % 2], 40)
    write("one-row.csv", ["a", "b", "n"], lambda _, place: ("x", "y", 3)[place], 1)
    write("one-value.csv", ["a", "b"], lambda *_: "same", 30)
    write("many-values.csv", ["town", "n"], lambda row, place: (row % 200, row)[place], 600)
    write("numbers.csv", list("abcd"), lambda *_: round(source.gauss(0, 1e3), 3), 200)
    write("huge-numbers.csv", list("ab"), lambda row, _: (-1) ** row * 10.0 ** (row * 10), 30)
    write("missing.csv", list("abc"), lambda row, place: "" if row % 3 == place else row % 5, 60)
    write("odd.csv", _ODD_NAMES, lambda *_: source.choice(_ODD_VALUES), 50)
    write("survey.csv", ["sex", "mood", "age", "vote"], lambda _, place: (
        source.choice("FM"), source.choice(words), source.randint(18, 90), source.choice(words[:3])
    )[place], 300)  # fmt: skip
    write(RARE, [f"c{place}" for place in range(2_000)], lambda *_: source.choice("abc"), 20)
    baskets = [" ".join(source.sample("abcdefghij", source.randint(1, 6))) for _ in range(200)]
    (folder / "shop.basket").write_text("\n".join(baskets), encoding="utf-8")


def _make_studies(folder: Path) -> None:
    survey = Study.of_table(read_table(folder / "survey.csv"), "survey")
    save_study(survey, folder / "survey.ppw")
    write_design(survey.design, folder / "survey-design.json")
    distorted = distorted_answers(survey).distorted
    save_study(
        Study.of_distorted(distorted, survey.design, "distorted"), folder / "distorted only.ppw"
    )
    questions = [
        Question("Smokes", Kind.BINARY, "no, yes"),
        Question("Age", Kind.INTEGER, "18 to 90"),
        Question("😀 " + "long " * 60, Kind.NOMINAL, ",".join(f"answer {n}" for n in range(40))),
    ]
    asked = Questionnaire(("en",), tuple(Asked.of(one.attribute(), "en") for one in questions))
    save_study(study_of_questionnaire(asked, "questionnaire"), folder / "questionnaire.ppw")
    city = load_sample("city-survey")
    save_study(Study.of_table(city.take(slice(0, 500)), "city"), folder / "city.ppw")


def _make_nonsense(folder: Path) -> None:
    (folder / "empty.csv").touch()
    (folder / "broken.ppw").write_bytes(b"PK\x03\x04 this is no study")
    (folder / "broken.json").write_text('{"format": "ppworkbench-design", "attributes": 1e999')
    (folder / "noise.csv").write_bytes(bytes(range(256)) * 20)
    (folder / "no-table.xlsx").write_bytes(b"no workbook")
    (folder / "a folder.csv").mkdir()
    locked = folder / "unreadable.csv"
    locked.write_text("a\n1\n")
    locked.chmod(0)
    (folder / "no writing here").mkdir()
    (folder / "no writing here").chmod(0o500)
