"""Six faults of opening, each in the window: what people do with files, and what must not be."""

from __future__ import annotations

import json

import openpyxl
import pytest

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.files import write_table
from ppworkbench.core.data.options import WriteOptions
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Design, DesignedAttribute, Uniform
from ppworkbench.core.design.design_file import design_to_json
from ppworkbench.core.design.perturbation import Identity
from ppworkbench.core.design.presets import Crosswise, named_design
from ppworkbench.fieldwork.collected import read_collected
from ppworkbench.gui.responses.add_dialog import AddDialog
from ppworkbench.study.answer_state import AnswerState
from ppworkbench.study.study import Study

FARE = Attribute("fare", Kind.BINARY, ("no", "yes"))
TOWN = Attribute("town", Kind.NOMINAL, ("Oslo", "Rome", "Wien"))
DESIGN = Design((DesignedAttribute(FARE, Uniform(keep=0.7)), DesignedAttribute(TOWN, Identity())))
ROWS = [("no", "Oslo"), ("yes", "Rome"), ("no", "Wien"), ("no", "Rome")]


@pytest.fixture
def open_file(files, wait_idle):
    """Open a file as File › Open and a drop on the window do."""

    def opened(path) -> None:
        files.open_paths([str(path)])
        wait_idle()

    return opened


def write_answers(path):
    rows = [json.dumps({"fare": fare, "town": town}) for fare, town in ROWS]
    path.write_text("\n".join(rows), encoding="utf-8")
    return path


def add(dialogs, state, wait_idle):
    dialog = dialogs.front(AddDialog)
    dialog.state.buttons[state].click()
    wait_idle()
    dialog.add_button.click()
    wait_idle()


def test_that_collected_answers_are_not_opened_in_the_place_of_their_study(
    workbench, open_file, tmp_path, dialogs, wait_idle
):
    workbench.store.open(Study("rides", design=DESIGN))
    table = read_collected([write_answers(tmp_path / "a.jsonl")], DESIGN)
    # As ``collect`` writes it: with a codebook that carries the design.
    write_table(table, tmp_path / "a.csv", WriteOptions(), design=design_to_json(DESIGN))
    open_file(tmp_path / "a.csv")
    assert workbench.store.study.state is AnswerState.NONE
    add(dialogs, "reported", wait_idle)
    study = workbench.store.study
    assert (study.title, study.state, study.rows) == ("rides", AnswerState.REPORTED, 4)
    workbench.store.undo_stack.undo()
    assert workbench.store.study.state is AnswerState.NONE


def test_that_a_named_design_keeps_its_name_when_answers_come_home(
    workbench, open_file, tmp_path, dialogs, wait_idle
):
    asked = Crosswise(p=0.25).perturbation(FARE.values)
    design = Design((DesignedAttribute(FARE, asked), DesignedAttribute(TOWN, Identity())))
    workbench.store.open(Study("rides", design=design))
    path = write_answers(tmp_path / "a.jsonl")
    open_file(path)
    add(dialogs, "reported", wait_idle)
    after = workbench.store.study.design["fare"].perturbation
    # Its matrix is Warner's as well, and yet nobody was asked in that way.
    assert named_design(after, FARE.values).name == "crosswise"


def test_that_header_rows_of_a_platform_are_no_answers(
    workbench, open_file, tmp_path, dialogs, wait_idle
):
    names = ["Finished", "ResponseId", "fare", "town"]
    rows = [names, names, [json.dumps({"ImportId": name}) for name in names]]
    rows += [["True", f"R_{place}", *row] for place, row in enumerate(ROWS)]
    book = tmp_path / "q.tsv"
    book.write_text("\n".join("\t".join(row) for row in rows), encoding="utf-8")
    workbench.store.open(Study("rides", design=DESIGN))
    open_file(book)
    add(dialogs, "reported", wait_idle)
    assert workbench.store.study.rows == 4
    assert workbench.store.study.distorted["fare"].attribute.values == ("no", "yes")


@pytest.mark.parametrize("suffix", [".csv", ".xlsx"])
def test_that_title_rows_are_told_with_their_row_and_are_no_names(
    workbench, open_file, tmp_path, suffix
):
    path = tmp_path / f"t{suffix}"
    rows = [["Survey of 2020"], [], ["fare", "town"], *map(list, ROWS), [], ["Source: us"]]
    if suffix == ".csv":
        path.write_text("\n".join(",".join(row) for row in rows), encoding="utf-8")
    else:
        book = openpyxl.Workbook()
        for row in rows:
            book.active.append(row)
        book.save(path)
    open_file(path)
    table = workbench.store.study.original
    assert table.names == ("fare", "town")
    assert table.rows == 4
    assert [note.args["row"] for note in table.notes if "title" in note] == [3]
    assert [note.args["row"] for note in table.notes if "remarks" in note] == [9]


def test_that_blanks_after_separators_make_no_other_answers(workbench, open_file, tmp_path):
    path = tmp_path / "b.csv"
    rows = [("fare", "town"), *ROWS]
    path.write_text("\n".join(", ".join(row) for row in rows), encoding="utf-8")
    open_file(path)
    table = workbench.store.study.original
    assert table["town"].attribute.values == ("Oslo", "Rome", "Wien")
    assert any("Spaces after the separators" in note for note in table.notes)


def test_that_weights_of_records_are_a_weight_and_no_question(workbench, open_file, tmp_path):
    path = tmp_path / "w.arff"
    rows = [f"{fare},{town},{{{1 + place % 2}.0}}" for place, (fare, town) in enumerate(ROWS)]
    head = "@relation r\n@attribute fare {no,yes}\n@attribute town {Oslo,Rome,Wien}\n@data\n"
    path.write_text(head + "\n".join(rows) + "\n", encoding="utf-8")
    open_file(path)
    study = workbench.store.study
    assert study.sampling.weight == "weight"
    assert study.original["weight"].attribute.kind is Kind.CONTINUOUS
    assert study.design.perturbation("weight").is_identity


def test_that_a_table_of_true_answers_is_not_mixed_with_reported_ones(
    workbench, open_file, tmp_path, dialogs, wait_idle
):
    reported = Table((Column(FARE, [0, 1]), Column(TOWN, [0, 1])))
    workbench.store.open(Study("rides", distorted=reported, design=DESIGN))
    open_file(write_answers(tmp_path / "a.jsonl"))
    dialog = dialogs.front(AddDialog)
    dialog.state.buttons["true"].click()
    wait_idle()
    assert "study of their own" in dialog.state.note.text()
    assert dialog.add_button.text() == "Open as a new study"
    dialog.reject()
    wait_idle()
    assert workbench.store.study.rows == 2
