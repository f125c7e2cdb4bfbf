"""Exports of survey platforms: recognised by their marks, read without what is no answer."""

from __future__ import annotations

import csv
import dataclasses
import json
import zipfile
from pathlib import Path

import openpyxl
import pytest

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.files import write_table
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Design, DesignedAttribute, Subset, Uniform
from ppworkbench.core.design.design_file import read_design
from ppworkbench.core.design.perturbation import Identity
from ppworkbench.core.errors import DataError
from ppworkbench.fieldwork.opening import find_exports
from ppworkbench.fieldwork.responses.add import (
    AddOptions,
    add_to_study,
    known_responses,
    questions_of,
    read_responses,
)
from ppworkbench.fieldwork.responses.kit_file import read_mapping_or_kit
from ppworkbench.fieldwork.responses.mapping import ColumnChoice, Mapping, write_mapping
from ppworkbench.study.files.grid import read_grid
from ppworkbench.study.study import Study

FARE = Attribute("fare", Kind.BINARY, ("no", "yes"), label="Did you ride without a ticket?")
PLACE = Attribute("place", Kind.NOMINAL, ("old town", "Łódź", "hills"), label="Where do you live?")
AGE = Attribute("age", Kind.INTEGER, domain=(18, 90), label="How old are you?")
DESIGN = Design(
    (
        DesignedAttribute(FARE, Uniform(keep=0.7)),
        DesignedAttribute(PLACE, Uniform(keep=0.7)),
        DesignedAttribute(AGE, Identity()),
    )
)
REPORTED = AddOptions("reported")


def rows_of(table: Table) -> list[tuple[str, ...]]:
    """Rows as texts, sorted; missing answers are empty."""
    cells = [[_text(cell) for cell in column.to_series()] for column in table]
    return sorted(zip(*cells, strict=True))


def _text(cell: object) -> str:
    text = str(cell)
    return "" if text in ("nan", "<NA>", "None") else text


def write(path: Path, rows: list[list[object]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    return path


def read(path: Path, options: AddOptions = REPORTED):
    return read_responses([path], DESIGN, questions_of(DESIGN, {}, {}), options)


@pytest.mark.parametrize(
    ("file", "platform", "out", "preview", "unfinished"),
    [
        ("qualtrics.csv", "qualtrics", 10, 1, 1),
        ("limesurvey.csv", "limesurvey", 5, 0, 1),
        ("redcap.csv", "redcap", 4, 0, 1),
        ("kobo.xlsx", "kobo", 13, 0, 0),
        ("google-forms.csv", "google-forms", 1, 0, 0),
    ],
)
def test_that_every_platform_gives_the_same_answers(
    shared_data, file, platform, out, preview, unfinished
):
    folder = shared_data / "platforms"
    design = read_design(folder / "design.json")
    texts = json.loads((folder / "texts.json").read_text(encoding="utf-8"))
    asked = questions_of(design, texts["questions"], texts["answers"])
    found = read_responses([folder / file], design, asked, REPORTED)
    with (folder / "answers.csv").open(encoding="utf-8", newline="") as expected:
        header, *rows = csv.reader(expected)
    assert list(found.table.names) == header
    assert rows_of(found.table) == sorted(map(tuple, rows))
    assert (found.platform, found.state) == (platform, "reported")
    assert len(found.columns_out) == out
    assert (found.preview, found.unfinished) == (preview, unfinished)
    assert found.unfit == ()


@pytest.mark.parametrize("row", [None, 4])
@pytest.mark.parametrize(
    "file", ["qualtrics.csv", "limesurvey.csv", "redcap.csv", "kobo.xlsx", "google-forms.csv"]
)
def test_that_titles_above_an_export_do_not_hide_its_platform(shared_data, tmp_path, file, row):
    folder = shared_data / "platforms"
    grid = read_grid(folder / file)
    path = write(tmp_path / "t.csv", [["Rides, spring"], ["exported by us"], [], *grid.rows])
    design = read_design(folder / "design.json")
    texts = json.loads((folder / "texts.json").read_text(encoding="utf-8"))
    asked = questions_of(design, texts["questions"], texts["answers"])
    options = dataclasses.replace(REPORTED, header_row=row)
    before = read_responses([folder / file], design, asked, REPORTED)
    found = read_responses([path], design, asked, options)
    assert rows_of(found.table) == rows_of(before.table)
    assert (found.platform, found.header_row) == (before.platform, 4)
    assert (found.preview, found.unfinished) == (before.preview, before.unfinished)
    assert found.columns_out == before.columns_out
    # A guess is told, what somebody said is not.
    assert any("Rides, spring" in str(note) for note in found.notes) == (row is None)


def test_that_a_row_of_names_which_a_file_lacks_is_told(tmp_path):
    path = write(tmp_path / "t.csv", [["fare", "place", "age"], ["no", "hills", 30]])
    with pytest.raises(DataError, match="no line 9"):
        read(path, dataclasses.replace(REPORTED, header_row=9))


def qualtrics(rows: list[list[object]]) -> list[list[object]]:
    names = ["Status", "Finished", "ResponseId", "fare", "place", "age"]
    return [names, names, [json.dumps({"ImportId": name}) for name in names], *rows]


def test_that_qualtrics_rows_of_an_odd_status_are_kept_and_named(tmp_path):
    rows = [
        ["IP Address", "True", "R_1", "no", "Old  Town", 30],
        ["Imported", "True", "R_2", "YES", "lodz", 31],
        ["Survey Preview", "True", "R_3", "no", "hills", 32],
        ["IP Address", "False", "R_4", "no", "hills", 33],
    ]
    found = read(write(tmp_path / "q.csv", qualtrics(rows)))
    assert rows_of(found.table) == [("no", "old town", "30"), ("yes", "Łódź", "31")]
    assert (found.preview, found.unfinished) == (1, 1)
    assert any("'Imported'" in note for note in found.notes)


@pytest.mark.usefixtures("readstat_here")
def test_that_a_qualtrics_spss_file_is_read_by_its_codes_and_labels(tmp_path):
    coded = FARE.with_(codes=(1.0, 2.0))
    columns = (
        Column(Attribute("ResponseId", Kind.NOMINAL, ("R_1", "R_2")), [0, 1]),
        Column(Attribute("Finished", Kind.INTEGER, domain=(0, 1)), [1.0, 1.0]),
        Column(coded, [0, 1]),
        Column(PLACE.with_(codes=(1.0, 2.0, 3.0)), [2, 1]),
        Column(AGE, [40.0, 41.0]),
    )
    write_table(Table(columns), tmp_path / "q.sav")
    found = read(tmp_path / "q.sav")
    assert found.platform == "qualtrics"
    assert rows_of(found.table) == [("no", "hills", "40"), ("yes", "Łódź", "41")]


def test_that_another_platform_than_that_of_the_file_is_refused(shared_data, tmp_path):
    for file, other in (("redcap.csv", "qualtrics"), ("qualtrics.csv", "redcap")):
        path = shared_data / "platforms" / file
        with pytest.raises(DataError, match="bears the marks of"):
            read(path, dataclasses.replace(REPORTED, platform=other))
    # What bears no marks at all is read as somebody says, and loses no row.
    path = write(tmp_path / "q.csv", [["fare", "place", "age"], *[["no", "hills", 30]] * 3])
    assert read(path, dataclasses.replace(REPORTED, platform="qualtrics")).table.rows == 3


@pytest.mark.parametrize(("other", "meant"), [("1", "0"), ("yes", "1")])
def test_that_a_doubtful_column_is_read_like_the_others(tmp_path, other, meant):
    count = Attribute("count", Kind.NOMINAL, ("0", "1", "2"))
    other_one = Attribute("fare", Kind.BINARY, ("no", "yes"))
    design = Design(tuple(DesignedAttribute(one, Identity()) for one in (count, other_one)))
    path = write(tmp_path / "t.csv", [["count", "fare"], ["1", other], ["1", other]])
    found = read_responses([path], design, questions_of(design, {}, {}), REPORTED)
    assert {row[0] for row in rows_of(found.table)} == {meant}
    assert not any("could be values or codes" in note for note in found.notes)


def test_that_limesurvey_names_may_carry_the_question(tmp_path):
    names = ["id. Response ID", "submitdate. Date submitted", "lastpage. Last page"]
    names += ["startlanguage. Start language", "fare. Did you ride?", "place. Where?", "age. Age?"]
    rows = [[1, "2026-01-01", 1, "en", "A2", "A3", 20], [2, "", 1, "en", "A1", "A1", 21]]
    found = read(write(tmp_path / "l.csv", [names, *rows]))
    assert rows_of(found.table) == [("yes", "hills", "20")]
    assert found.unfinished == 1


def test_that_an_answer_of_no_code_leaves_its_row_out(tmp_path):
    names = ["id", "submitdate", "lastpage", "startlanguage", "fare", "place", "age"]
    rows = [[1, "d", 1, "en", "A2", "-oth-", 20], [2, "d", 1, "en", "A1", "A1", 21]]
    found = read(write(tmp_path / "l.csv", [names, *rows]))
    assert rows_of(found.table) == [("no", "old town", "21")]
    assert found.unfit == (("place", "-oth-", 1),)


def test_that_repeated_forms_and_groups_are_refused_by_name(tmp_path):
    names = ["record_id", "redcap_repeat_instrument", "fare", "place", "age", "visit_complete"]
    write(tmp_path / "r.csv", [names, [1, "weekly", 1, 1, 20, 2]])
    with pytest.raises(DataError, match="'weekly'"):
        read(tmp_path / "r.csv")
    book = openpyxl.Workbook()
    book.active.append(["_uuid", "_submission_time", "fare", "place", "age"])
    book.active.append(["u1", "2026-01-01", 1, 1, 20])
    book.create_sheet("children").append(["_index", "name"])
    book.save(tmp_path / "k.xlsx")
    with pytest.raises(DataError, match="'children'"):
        read(tmp_path / "k.xlsx")


def test_that_marks_of_two_platforms_are_refused(tmp_path):
    names = ["record_id", "_uuid", "_submission_time", "fare", "place", "age", "f_complete"]
    path = write(tmp_path / "two.csv", [names, [1, "u", "t", 1, 1, 20, 2]])
    with pytest.raises(DataError, match="REDCap and of Kobo"):
        read(path)
    assert read(path, AddOptions("reported", "redcap")).table.rows == 1


@pytest.mark.parametrize("platform", [None, "kobo"])
def test_that_an_export_of_kobo_with_labels_and_groups_is_read(tmp_path, platform):
    wording = {one.name: one.label for one in (FARE, AGE)}
    wording["place"] = "Where do\nyou live, and/or work?"
    names = [
        "start", "About you/How old are you?", "About you/Where do you live, and/or work?",
        "Travel/Did you ride without a ticket?", "_id", "_uuid", "_submission_time",
    ]  # fmt: skip
    rows = [
        ["2026-05-04T10:00:00.000+02:00", 31, "hills", "yes", 1, "u1", "2026-05-04T08:01:00"],
        ["2026-05-04T11:00:00.000+02:00", 44, "old town", "no", 2, "u2", "2026-05-04T09:01:00"],
    ]
    path = write(tmp_path / "kobo.csv", [names, *rows])
    asked = questions_of(DESIGN, wording, {})
    found = read_responses([path], DESIGN, asked, AddOptions("reported", platform))
    assert found.platform == "kobo"
    assert rows_of(found.table) == [("no", "old town", "44"), ("yes", "hills", "31")]


@pytest.mark.parametrize("platform", [None, "kobo"])
@pytest.mark.parametrize("has_ids", [True, False], ids=["ids", "bare"])
@pytest.mark.parametrize("has_end", [True, False], ids=["end", "start"])
def test_that_an_export_of_kobo_is_known_without_its_ids(tmp_path, platform, has_ids, has_end):
    wording = {one.name: one.label for one in (FARE, AGE, PLACE)}
    asked = {
        "start": ["2026-05-04T10:00:00.000+02:00", "2026-05-04T11:00:00.000+02:00"],
        "end": ["2026-05-04T10:03:00.000+02:00", "2026-05-04T11:04:00.000+02:00"],
        "About you/How old are you?": [31, 44],
        "About you/Where do you live?": ["hills", "old town"],
        "Did you ride without a ticket?": ["yes", "no"],
        "_uuid": ["u1", "u2"],
        "_submission_time": ["2026-05-04T08:05:00", "2026-05-04T09:05:00"],
    }
    ids = () if has_ids else ("_uuid", "_submission_time")
    without = {*ids, *(() if has_end else ("end",))}
    kept = {name: cells for name, cells in asked.items() if name not in without}
    path = write(tmp_path / "kobo.csv", [[*kept], *map(list, zip(*kept.values(), strict=True))])
    found = read_responses(
        [path], DESIGN, questions_of(DESIGN, wording, {}), AddOptions("reported", platform)
    )
    assert found.platform == "kobo"
    assert rows_of(found.table) == [("no", "old town", "44"), ("yes", "hills", "31")]
    assert find_exports([path]) == "kobo"


def test_that_what_others_look_like_too_is_no_reason_against_a_named_platform(tmp_path):
    path = write(
        tmp_path / "g.csv",
        [
            ["when", "About you/How old are you?", "fare", "place"],
            ["2026-05-04T10:00:00", 31, "yes", "hills"],
        ],
    )
    wording = questions_of(DESIGN, {"age": "How old are you?"}, {})
    assert find_exports([path]) == "google-forms"
    found = read_responses([path], DESIGN, wording, AddOptions("reported", "kobo"))
    assert rows_of(found.table) == [("yes", "hills", "31")]


def test_that_titles_and_remarks_of_a_plain_table_are_left_out(tmp_path):
    rows = [["Survey of spring", "", ""], ["fare", "place", "age"]]
    rows += [["no", "hills", 20], ["yes", "hills", 21], ["", "", ""], ["Entered by hand", "", ""]]
    found = read(write(tmp_path / "t.csv", rows))
    assert (found.platform, found.header_row, found.remarks) == ("table", 2, 1)
    assert found.table.rows == 2


def test_that_columns_which_name_people_are_named(tmp_path):
    names = ["fare", "place", "age", "Your e-mail", "Comment", "Station"]
    comment = "I was late that day and had no time left to buy one"
    row = ["no", "hills", 20, "a@example.org", comment, "North"]
    found = read(write(tmp_path / "t.csv", [names, row]))
    assert found.personal == ("Your e-mail", "Comment")
    assert "Station" in found.columns_out


@pytest.mark.parametrize(
    ("rows", "what"),
    [
        ([["fare", "place"], ["no", "hills"]], "no column for 'age'"),
        ([["fare", "place", "age"], ["maybe", "hills", 20]], "no answer 'maybe'"),
        ([["fare", "place", "age"], ["no", "hills", 120]], "cannot produce"),
        ([["fare", "place", "age"]], "there are none"),
    ],
)
def test_that_files_without_an_answer_are_refused(tmp_path, rows, what):
    with pytest.raises(DataError, match=what):
        read(write(tmp_path / "t.csv", rows))


def test_that_an_archive_is_opened_if_it_holds_one_table(tmp_path):
    write(tmp_path / "t.csv", [["fare", "place", "age"], ["no", "hills", 20]])
    with zipfile.ZipFile(tmp_path / "one.zip", "w") as archive:
        archive.write(tmp_path / "t.csv", "t.csv")
    assert read(tmp_path / "one.zip").table.rows == 1
    with zipfile.ZipFile(tmp_path / "two.zip", "w") as archive:
        archive.write(tmp_path / "t.csv", "t.csv")
        archive.write(tmp_path / "t.csv", "u.csv")
    with pytest.raises(DataError, match="holds 2 files"):
        read(tmp_path / "two.zip")


def test_that_a_mapping_is_used_again_and_gives_answers_another_meaning(tmp_path):
    rows = [["a", "b", "c"], ["no", "elsewhere", 20], ["yes", "hills", 21]]
    path = write(tmp_path / "t.csv", rows)
    mapping = Mapping(
        {
            "fare": ColumnChoice("a", "values"),
            "place": ColumnChoice("b", "values", {"elsewhere": None}),
            "age": ColumnChoice("c", "numbers"),
        }
    )
    write_mapping(mapping, tmp_path / "map.json")
    again = read_mapping_or_kit(tmp_path / "map.json")
    assert again == mapping
    found = read(path, AddOptions("reported", mapping=again))
    assert rows_of(found.table) == [("no", "", "20"), ("yes", "hills", "21")]
    with pytest.raises(DataError, match="for two questions"):
        Mapping({"fare": ColumnChoice("a", "values"), "age": ColumnChoice("a", "numbers")})
    (tmp_path / "bad.json").write_text('{"columns": {}}', encoding="utf-8")
    with pytest.raises(DataError, match="no mapping"):
        read_mapping_or_kit(tmp_path / "bad.json")


def test_that_codes_are_not_taken_for_values(tmp_path):
    rated = Attribute("rated", Kind.ORDINAL, ("0", "1", "2"))
    design = Design((DesignedAttribute(rated, Uniform(keep=0.7)),))
    asked = questions_of(design, {}, {})
    names = ["record_id", "rated", "f_complete"]
    codes = write(tmp_path / "c.csv", [names, [1, 1, 2], [2, 2, 2], [3, 3, 2]])
    values = write(tmp_path / "v.csv", [names, [1, 0, 2], [2, 1, 2], [3, 2, 2]])
    unsure = write(tmp_path / "u.csv", [names, [1, 1, 2], [2, 2, 2]])
    for path in (codes, values):
        found = read_responses([path], design, asked, REPORTED)
        assert rows_of(found.table) == [("0",), ("1",), ("2",)]
        assert found.notes == ()
    found = read_responses([unsure], design, asked, REPORTED)
    assert any("could be values or codes" in note for note in found.notes)


def test_that_a_later_export_adds_only_what_is_new(tmp_path):
    study = Study(design=DESIGN)
    salt, known = known_responses(study)
    assert known == frozenset()
    first = write(tmp_path / "1.csv", qualtrics([["0", "1", "R_1", "no", "hills", 30]]))
    study = add_to_study(study, read(first, AddOptions("reported", salt=salt)), salt)
    second = write(
        tmp_path / "2.csv",
        qualtrics([["0", "1", "R_1", "no", "hills", 30], ["0", "1", "R_2", "yes", "hills", 31]]),
    )
    salt, known = known_responses(study)
    assert len(known) == 1
    assert "R_1" not in json.dumps(study.results["responses"])
    found = read(second, AddOptions("reported", salt=salt, known=known))
    assert (found.table.rows, found.known) == (1, 1)
    study = add_to_study(study, found, salt)
    assert study.distorted is not None
    assert rows_of(study.distorted) == [("no", "hills", "30"), ("yes", "hills", "31")]
    with pytest.raises(DataError, match="never mixed"):
        add_to_study(study, read(first, AddOptions("true")), salt)


def test_that_true_answers_must_lie_in_the_domain(tmp_path):
    rows = [["fare", "place", "age"], ["no", "hills", 20], ["no", "hills", 95]]
    path = write(tmp_path / "t.csv", rows)
    found = read(path, AddOptions("true"))
    assert found.table.rows == 1
    study = add_to_study(Study(design=DESIGN), found, b"")
    assert study.original is not None
    assert study.distorted is None


def test_that_reported_sets_are_added_by_their_values_texts_or_codes(tmp_path):
    way = Attribute("way", Kind.NOMINAL, ("bus", "tram", "car", "on|foot"))
    design = Design((DesignedAttribute(way, Subset(epsilon=1.0, size=2)),))
    texts = {"way": {"bus": "By bus", "tram": "By tram", "car": "By car", "on|foot": "On foot"}}
    asked = questions_of(design, {}, texts)
    expected = [("",), ("bus|tram",), ("car|on\\|foot",)]
    named, worded = ("bus|tram", "car|on\\|foot"), ("By bus|By tram", "On foot | by car")
    for cells in (named, worded, ("1|2", "3|4")):
        one = cells[0].split("|")[0]
        column = ["way", *cells, one, f"{one}|{one}", "bus|plane", ""]
        path = write(tmp_path / "t.csv", [[cell, "x"] for cell in column])
        found = read_responses([path], design, asked, AddOptions("reported", "table"))
        assert rows_of(found.table) == expected
        study = add_to_study(Study(design=design), found, b"")
        again = add_to_study(study, found, b"")
        assert again.distorted is not None
        assert rows_of(again.distorted) == sorted(expected * 2)


def test_that_a_table_without_names_is_told_and_mapped_by_the_places_of_its_columns(tmp_path):
    path = write(
        tmp_path / "t.csv", [["no", "hills", 30], ["yes", "hills", 31], ["no", "Łódź", 32]]
    )
    columns = {
        "fare": ColumnChoice("column_1", "values"),
        "place": ColumnChoice("column_2", "values"),
        "age": ColumnChoice("column_3", "numbers"),
    }
    for row in (None, 0):
        options = AddOptions("reported", header_row=row, mapping=Mapping(columns))
        found = read(path, options)
        assert found.table.rows == 3
        assert found.header_row == 0
        assert any("looks like a record" in note for note in found.notes) == (row is None)


def test_that_remarks_are_told_with_their_row(tmp_path):
    rows = [["fare", "place", "age"], ["no", "hills", 30], [], [], ["Source: us"], ["n = 1"]]
    found = read(write(tmp_path / "t.csv", rows))
    (note,) = [one for one in found.notes if "remarks" in one]
    assert (note.args["row"], note.args["count"]) == (5, 2)


def test_that_reported_answers_of_a_study_lose_no_wording_and_invented_ones_go(tmp_path):
    made_up = Table((Column(FARE, [0, 1]), Column(PLACE, [0, 1]), Column(AGE, [30.0, 31.0])))
    study = Study("s", design=DESIGN, original=made_up, invented=True)
    found = read(write(tmp_path / "t.csv", [["fare", "place", "age"], ["no", "hills", 30]]))
    added = add_to_study(study, found, b"salt")
    assert (added.state, added.rows, added.invented) == ("reported", 1, False)
    assert added.label("fare") == FARE.label
