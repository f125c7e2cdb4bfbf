"""Rows from questionnaire pages become a table, whatever else arrives among them."""

from __future__ import annotations

import json
import os
import zipfile
from pathlib import Path

import numpy as np
import pytest
from designs import AGE, COLOURS, YES_NO

from ppworkbench.cli.main import main
from ppworkbench.core.design import Additive, Design, DesignedAttribute, Discretise, Uniform
from ppworkbench.core.design.arms import Arms, DesignArm
from ppworkbench.core.design.design_file import design_digest, write_design
from ppworkbench.core.errors import DataError
from ppworkbench.fieldwork.collected import read_collected
from ppworkbench.fieldwork.opening import open_anything

DESIGN = Design(
    (
        DesignedAttribute(YES_NO, Uniform(keep=0.7)),
        DesignedAttribute(AGE, Additive(noise="uniform", half_width=10, integer="staircase")),
    )
)
GOOD = {"smokes": "yes", "age": 44}


def write(folder, name, *rows):
    path = folder / name
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def test_that_files_of_both_forms_are_joined(tmp_path):
    lines = write(tmp_path, "a.jsonl", GOOD, {"smokes": "no", "age": None})
    rows = tmp_path / "b.csv"
    rows.write_text("age,smokes\r\n21,no\r\nage,smokes\r\n90,\r\n", encoding="utf-8")
    table = read_collected([lines, rows], DESIGN)
    found = sorted(zip(table["smokes"].data.tolist(), table["age"].data.tolist(), strict=True))
    assert found[0] == (-1, 90)
    assert found[-1] == (1, 44)
    assert table.rows == 4
    assert table.notes == ()


def test_that_a_file_with_the_line_ends_of_an_old_mac_is_read(tmp_path):
    rows = tmp_path / "old.csv"
    rows.write_bytes(b"age,smokes\r21,no\r90,yes\r")
    assert sorted(read_collected([rows], DESIGN)["age"].data.tolist()) == [21, 90]


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ({"smokes": "maybe", "age": 44}, "an answer that is not in the design"),
        ({"smokes": 1, "age": 44}, "an answer that is not in the design"),
        ({"smokes": "yes"}, "no answer named 'age'"),
        ({"smokes": "yes", "age": 101}, "a number that the design cannot produce"),
        ({"smokes": "yes", "age": "old"}, "a number that the design cannot produce"),
        ({"smokes": "yes", "age": True}, "a number that the design cannot produce"),
        ({"smokes": "yes", "age": [1]}, "a number that the design cannot produce"),
        ({"smokes": "yes", "age": 44.5}, "not whole"),
        ([[1]], "not an object of answers"),
    ],
)
def test_that_a_row_the_design_cannot_give_is_left_out_and_counted(tmp_path, row, why):
    table = read_collected([write(tmp_path, "a.jsonl", GOOD, row)], DESIGN)
    assert table.rows == 1
    (note,) = table.notes
    assert note.startswith("1 row(s) were excluded")
    assert why in note


def test_that_a_broken_line_does_not_spoil_the_others(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"smokes": "yes", "age": 44}\n{"smokes": \n', encoding="utf-8")
    table = read_collected([path], DESIGN)
    assert table.rows == 1
    assert "not valid JSON" in table.notes[0]


def test_that_what_a_server_adds_is_not_kept(tmp_path):
    path = write(tmp_path, "a.jsonl", GOOD | {"time": "12:00:01", "ip": "192.0.2.1"})
    assert read_collected([path], DESIGN).names == ("smokes", "age")


def test_that_the_order_of_arrival_is_not_kept(tmp_path):
    ages = np.repeat(np.arange(20, 80), 4)
    path = write(tmp_path, "a.jsonl", *({"smokes": "no", "age": int(age)} for age in ages))
    table = read_collected([path], DESIGN)
    assert sorted(table["age"].data) == ages.tolist()
    assert table["age"].data.tolist() != ages.tolist()


def test_that_intervals_come_back_as_intervals(tmp_path):
    design = Design((DesignedAttribute(AGE, Discretise(edges=(18, 30, 65, 90))),))
    path = write(tmp_path, "a.jsonl", {"age": "30 to 64"})
    assert read_collected([path], design)["age"].data.tolist() == [1]


def test_that_files_without_a_fitting_row_are_refused_in_one_sentence(tmp_path):
    bad = write(tmp_path, "a.jsonl", {"smokes": "maybe", "age": 1})
    with pytest.raises(DataError, match=r"No row of a\.jsonl fits the design"):
        read_collected([bad], DESIGN)
    empty = tmp_path / "empty.csv"
    empty.write_text("", encoding="utf-8")
    with pytest.raises(DataError, match=r"empty\.csv has no column 'smokes'"):
        read_collected([empty], DESIGN)
    with pytest.raises(DataError, match=r"absent\.csv cannot be read"):
        read_collected([tmp_path / "absent.csv"], DESIGN)


def test_that_many_files_and_their_design_open_as_one_study(tmp_path):
    write_design(DESIGN, tmp_path / "design.json")
    paths = [write(tmp_path, f"{i}.jsonl", GOOD) for i in range(3)]
    study = open_anything([*paths, tmp_path / "design.json"])
    assert study.original is None
    assert study.distorted.rows == 3
    assert study.design == DESIGN
    assert open_anything([paths[0], tmp_path / "design.json"]).rows == 1


def test_that_semicolons_of_a_spreadsheet_are_understood(tmp_path):
    design = Design((DesignedAttribute(COLOURS, Uniform(keep=0.7)), *DESIGN.attributes))
    path = tmp_path / "a.csv"
    path.write_text("colour;smokes;age\nred;yes;30\n", encoding="utf-8")
    assert read_collected([path], design)["colour"].counts.tolist() == [1, 0, 0, 0]


def test_that_rows_of_arms_are_checked_against_their_arm(tmp_path):
    members = (DesignArm("A", 0.5), DesignArm("B", 0.5, omit=("age",)))
    design = Design(DESIGN.attributes, arms=Arms("version", members))
    rows = (
        GOOD | {"version": "A"},
        {"smokes": "no", "age": None, "version": "B"},
        GOOD | {"version": "B"},
        GOOD | {"version": "C"},
        GOOD,
    )
    table = read_collected([write(tmp_path, "a.jsonl", *rows)], design)
    assert table.rows == 2
    assert sorted(map(str, table.notes)) == [
        "1 row(s) were excluded: 'age' has an answer in an arm that does not ask it.",
        "2 row(s) were excluded: 'version' names no arm of the design.",
    ]


def test_that_a_zip_file_with_one_file_of_answers_is_opened(tmp_path):
    row = {"smokes": "yes"}
    design = Design((DesignedAttribute(YES_NO.with_(name="smokes"), Uniform(keep=0.7)),))
    path = tmp_path / "answers.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("folder/answers.jsonl", json.dumps(row) + "\n")
    assert read_collected([path], design).rows == 1
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("more.jsonl", json.dumps(row) + "\n")
    with pytest.raises(DataError, match="holds 2 files"):
        read_collected([path], design)


def test_that_rows_as_a_page_sends_them_count_once_and_for_their_own_design(tmp_path):
    digest = design_digest(DESIGN)
    sent = [
        {"id": "a" * 32, "design": digest, "row": GOOD},
        {"id": "b" * 32, "design": digest, "token": "x", "row": {"smokes": "no", "age": None}},
        {"id": "a" * 32, "design": digest, "row": GOOD},
        {"id": "c" * 32, "design": "0" * 16, "row": GOOD},
    ]
    saved = write(tmp_path, "saved.jsonl", sent[0])
    table = read_collected([write(tmp_path, "a.jsonl", *sent), saved], DESIGN)
    assert table.rows == 2
    assert sorted(table["smokes"].data.tolist()) == [0, 1]
    assert sorted(map(str, table.notes)) == [
        "1 row(s) were excluded: a row is of another design.",
        "2 row(s) were excluded: a row has arrived twice.",
    ]


@pytest.mark.skipif(os.name == "nt", reason="Windows fills such a file with zeros first")
@pytest.mark.parametrize("name", ["answers.jsonl", "answers.csv"])
def test_that_two_gigabytes_are_refused_with_one_sentence(tmp_path, capsys, name):
    path = tmp_path / name
    with path.open("wb") as file:
        file.truncate(2 * 2**30)
    write_design(DESIGN, tmp_path / "design.json")
    design = str(tmp_path / "design.json")
    out = str(tmp_path / "out.csv")
    for command in (
        ["collect", str(path), "--design", design, "--out", out],
        ["add", design, str(path), "--state", "reported", "--out", out],
    ):
        assert main(command) == 1
        said = capsys.readouterr().err
        assert f"{name} is too large; split it." in said
        assert said.count("\n") == 1
    assert not Path(out).exists()
