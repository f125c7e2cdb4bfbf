"""A file of any kind becomes the study that it stands for."""

from __future__ import annotations

import json

import pytest
from designs import YES_NO
from studies import make_study, same

from ppworkbench.core.data.files import write_table
from ppworkbench.core.data.samples import load_sample
from ppworkbench.core.design import Design, DesignedAttribute, Uniform
from ppworkbench.core.design.design_file import publishable, write_design
from ppworkbench.core.design.release import ReleaseOptions, release_table
from ppworkbench.core.errors import DataError, DesignError, WorkbenchError
from ppworkbench.fieldwork.opening import (
    TAKEN_FOR_TRUE,
    may_answer,
    open_anything,
)
from ppworkbench.fieldwork.responses.add import (
    AddOptions,
    add_to_study,
    read_responses,
    study_questions,
)
from ppworkbench.study.files.study_file import save_study
from ppworkbench.study.questionnaire.document import Questionnaire
from ppworkbench.study.questionnaire.texts import Texts
from ppworkbench.study.study import Study


@pytest.fixture
def files(tmp_path):
    """A table, a design, the distorted table and a study of one survey."""
    study = make_study("survey", rows=40)
    write_table(study.original, tmp_path / "table.csv")
    write_design(study.design, tmp_path / "design.json")
    release_table(study.original, study.design, tmp_path / "out.csv", ReleaseOptions(seed=1))
    save_study(study, tmp_path / "survey.ppw")
    return tmp_path


def test_that_a_table_becomes_a_study_with_a_design_to_start_from(files):
    study = open_anything([files / "table.csv"])
    assert study.title == "table"
    assert study.original.rows == 40
    assert study.design.names == study.original.names


def test_that_a_design_alone_becomes_a_questionnaire_without_data(files):
    study = open_anything([files / "design.json"])
    assert study.table is None
    assert study.design == make_study(rows=40).design


def test_that_an_exported_table_brings_its_design_in_its_codebook(files):
    study = open_anything([files / "out.csv"])
    assert study.original is None
    assert study.distorted.rows == 40
    assert study.design == make_study(rows=40).design


@pytest.mark.parametrize("order", [("out.csv", "design.json"), ("design.json", "out.csv")])
def test_that_a_table_and_a_design_together_are_distorted_answers(files, order):
    (files / "out.codebook.json").unlink()
    study = open_anything([files / name for name in order])
    assert study.original is None
    assert study.title == "out"
    assert study.distorted.names == study.design.names


def test_that_a_column_which_the_design_does_not_list_is_left_out(files):
    table = load_sample("weather")
    write_table(table, files / "weather.csv")
    study = open_anything([files / "weather.csv"])
    design = study.design
    fewer = type(design)(design.attributes[:2])
    write_design(fewer, files / "fewer.json")
    both = open_anything([files / "weather.csv", files / "fewer.json"])
    assert both.distorted.names == fewer.names


def test_that_a_study_is_opened_as_it_was_saved(files):
    assert same(open_anything([files / "survey.ppw"]), make_study("survey", rows=40))


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (("table.csv", "out.csv"), "one table at a time"),
        (("survey.ppw", "design.json"), "open the study alone"),
        (("design.json", "design.json", "table.csv"), "one table at a time"),
    ],
)
def test_that_files_which_do_not_belong_together_are_refused(files, names, said):
    with pytest.raises(DataError, match=said):
        open_anything([files / name for name in names])


def test_that_nothing_to_open_is_refused():
    with pytest.raises(DataError, match="No file"):
        open_anything([])


def test_that_a_design_for_other_columns_is_refused_in_a_sentence(files):
    (files / "out.codebook.json").unlink()
    content = json.loads((files / "design.json").read_text(encoding="utf-8"))
    content["attributes"]["height"] = content["attributes"].pop("age")
    (files / "other.json").write_text(json.dumps(content))
    with pytest.raises(WorkbenchError, match="height"):
        open_anything([files / "out.csv", files / "other.json"])


def test_that_a_damaged_design_is_named(files):
    content = (files / "design.json").read_text(encoding="utf-8")
    (files / "design.json").write_text(content[:-10], encoding="utf-8")
    with pytest.raises(DesignError, match=r"design\.json is not valid JSON"):
        open_anything([files / "design.json"])


def test_that_a_design_is_known_by_what_it_says_not_by_its_name(files):
    (files / "records.json").write_text('[{"a": 1}, {"a": 2}]')
    assert open_anything([files / "records.json"]).original.rows == 2
    (files / "binary.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataError, match=r"binary\.json"):
        open_anything([files / "binary.json"])
    (files / "design.json").rename(files / "records.json")
    assert open_anything([files / "records.json"]).table is None


def test_that_a_codebook_opened_with_a_table_restores_kinds_labels_and_design(tmp_path):
    study = make_study("survey", rows=40)
    labelled = study.original["age"].attribute.with_(
        label="How old are you?", title="Age", unit="years"
    )
    table = study.original.replace(study.original["age"].with_(attribute=labelled))
    release_table(table, study.design, tmp_path / "out.csv")
    (tmp_path / "moved.csv").write_bytes((tmp_path / "out.csv").read_bytes())
    away = tmp_path / "out.codebook.json"
    for name in ("out.csv", "moved.csv"):
        found = open_anything([tmp_path / name, away])
        assert found.original is None
        assert found.design.names == study.design.names
        assert found.label("age") == "How old are you?"
        assert found.shown("age") == "Age"
        assert found.attribute("age").unit == found.distorted["age"].attribute.unit == "years"
        assert found.distorted["mood"].attribute.kind == "ordinal"


def test_that_a_codebook_without_a_design_restores_the_kinds_of_a_table(tmp_path):
    study = make_study("survey", rows=40)
    write_table(study.original, tmp_path / "table.csv")
    (tmp_path / "other.csv").write_bytes((tmp_path / "table.csv").read_bytes())
    found = open_anything([tmp_path / "other.csv", tmp_path / "table.codebook.json"])
    assert found.original.attributes == study.original.attributes


def test_that_a_codebook_alone_becomes_a_questionnaire_without_data(tmp_path):
    study = make_study("survey", rows=40)
    write_table(study.original, tmp_path / "table.csv")
    found = open_anything([tmp_path / "table.codebook.json"])
    assert found.table is None
    assert found.design.names == study.original.names
    release_table(study.original, study.design, tmp_path / "out.csv", ReleaseOptions(seed=1))
    assert open_anything([tmp_path / "out.codebook.json"]).design == study.design


def write_answers(path, rows=({"smokes": "yes"},)):
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def asked_study():
    """A study without data, whose one question has a text."""
    design = Design((DesignedAttribute(YES_NO.with_(title="Smokes"), Uniform(keep=0.7)),))
    asked = Questionnaire.of_design(design, Texts({"smokes": "Do you smoke?"}), "en")
    return Study(title="asked", design=design, questionnaire=asked)


def open_reported(paths, study):
    """The study without its answers, with those of some files as reported ones."""
    bare = study.with_(original=None)
    design = publishable(study.design)
    found = read_responses(paths, design, study_questions(bare), AddOptions("reported"))
    return add_to_study(bare, found, b"")


def test_that_reported_answers_keep_the_questions_of_their_study(tmp_path):
    path = write_answers(tmp_path / "a.jsonl", [{"smokes": "yes"}, {"smokes": "no"}])
    found = open_reported([path], asked_study())
    assert (found.original, found.distorted.rows, found.title) == (None, 2, "asked")
    assert found.label("smokes") == "Do you smoke?"
    assert found.shown("smokes") == "Smokes"
    assert found.design == asked_study().design


def test_that_answers_which_the_design_cannot_give_are_no_reported_answers(tmp_path):
    path = write_answers(tmp_path / "a.jsonl", [{"smokes": "maybe"}])
    with pytest.raises(DataError, match=r"No row of a\.jsonl fits the design"):
        open_reported([path], asked_study())


def test_that_numbers_reported_in_another_format_are_on_the_published_grid(tmp_path):
    study = make_study("survey", rows=60)
    released = release_table(study.original, study.design, tmp_path / "r.parquet")
    found = open_reported([tmp_path / "r.parquet"], study)
    assert found.distorted.rows == 60
    assert found.design == released.design


def test_that_a_table_with_few_of_the_questions_is_another_study(tmp_path):
    study = make_study(rows=20)
    names = study.original.names
    for count in range(1, len(names) + 1):
        path = tmp_path / f"{count}.csv"
        write_table(study.original.select(names[:count]), path)
        assert may_answer([path], study) == (count >= 0.6 * len(study.design.names))
    assert not may_answer([path], Study())
    # A study and a design say themselves what they are.
    save_study(study, tmp_path / "s.ppw")
    write_design(study.design, tmp_path / "d.json")
    assert not may_answer([tmp_path / "s.ppw"], study)
    assert not may_answer([path, tmp_path / "d.json"], study)


def test_that_json_lines_without_a_design_are_told_to_be_taken_for_true(tmp_path):
    rows = [{"smokes": "yes"}, {"smokes": "no"}]
    found = open_anything([write_answers(tmp_path / "a.jsonl", rows)])
    assert found.original.notes[-1] == TAKEN_FOR_TRUE
    write_table(found.original, tmp_path / "a.csv")
    assert TAKEN_FOR_TRUE not in open_anything([tmp_path / "a.csv"]).original.notes
