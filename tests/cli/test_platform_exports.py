"""A platform's export is no table of true answers, whichever command or function is given it."""

from __future__ import annotations

import json

import pytest
from asked_studies import asked_study, qualtrics_export, reported_rows

import ppworkbench as pp
from ppworkbench.cli.main import main
from ppworkbench.core.data.files import write_table
from ppworkbench.core.design.design_file import design_digest, write_design
from ppworkbench.core.design.perturbation import Identity
from ppworkbench.core.errors import DataError
from ppworkbench.fieldwork.responses.held import next_wave
from ppworkbench.study.files.study_file import open_study, save_study
from ppworkbench.study.sampling import give_role

FORM = "Timestamp,Do you own a ticket?\n2026-05-04 10:00:01,yes\n2026-05-04 10:02:07,no\n"


@pytest.fixture(autouse=True)
def _files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_design(asked_study().design, "design.json")
    qualtrics_export(tmp_path / "export.csv", reported_rows(4))


@pytest.mark.parametrize(
    "words",
    [
        ["inspect", "export.csv"],
        ["distort", "export.csv", "--design", "design.json", "--out", "out.csv"],
        ["share", "export.csv", "--design", "design.json", "--where", "ticket=yes"],
        ["collect", "export.csv", "--design", "design.json", "--out", "out.csv"],
        ["report", "export.csv", "--out", "report.html"],
    ],
)
def test_that_every_command_leads_an_export_to_add(words, capsys, tmp_path):
    assert main(words) == 1
    told = capsys.readouterr().err
    assert "export of Qualtrics" in told
    assert "'add'" in told
    assert len(told.strip().splitlines()) == 1
    assert sorted(one.name for one in tmp_path.iterdir()) == ["design.json", "export.csv"]


def test_that_an_export_is_read_as_plain_data_by_those_who_name_its_format(capsys):
    assert main(["inspect", "export.csv", "--format", "csv"]) == 0
    assert "ResponseId" in capsys.readouterr().out
    with pytest.raises(DataError, match="format='csv'"):
        pp.read("export.csv")
    # Two rows of headings are people then, as whoever reads it so can see.
    assert pp.read("export.csv", format="csv").rows == 6


def test_that_an_export_is_added_as_the_sentence_says(capsys):
    words = ["add", "design.json", "export.csv", "--state", "reported", "--out", "table.csv"]
    assert main(words) == 0
    capsys.readouterr()
    assert pp.read("table.csv").rows == 4


def test_that_marks_which_other_files_may_bear_are_a_remark_only(tmp_path):
    (tmp_path / "form.csv").write_text(FORM, encoding="utf-8")
    table = pp.read("form.csv")
    assert table.rows == 2
    assert any("export of Google Forms" in note for note in table.notes)


def test_that_a_table_with_a_codebook_is_what_the_codebook_says(tmp_path):
    (tmp_path / "id.csv").write_text(
        "record_id,smokes,form_complete\n1,no,2\n2,yes,2\n", encoding="utf-8"
    )
    with pytest.raises(DataError, match="export of REDCap"):
        pp.read("id.csv")
    write_table(pp.read("id.csv", header="1"), "own.csv")
    assert pp.read("own.csv").rows == 2


MORE = {"weight": ["1.25", "0.8", "", "2"], "district": ["east", "west", "east", "east"]}


def test_that_columns_are_kept_that_are_no_questions(tmp_path, capsys):
    save_study(asked_study(), "study.ppw")
    qualtrics_export(tmp_path / "first.csv", reported_rows(4), MORE)
    words = ["add", "study.ppw", "first.csv", "--state", "reported"]
    assert main([*words, "--keep", "weight, district", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["kept"] == ["weight", "district"]
    study = open_study("study.ppw")
    assert study.distorted.names == ("town", "transport", "ticket", "weight", "district")
    assert study.distorted["weight"].attribute.kind.is_numeric
    weight = study.distorted["weight"]
    assert sorted(weight.data[~weight.missing].tolist()) == [0.8, 1.25, 2.0]
    assert study.design["district"].perturbation == Identity()
    # Nobody is asked for them: not on a page, nor in the next wave.
    assert [one.name for one in study.asked_attributes()] == ["town", "transport", "ticket"]
    assert design_digest(study.asked_design) == design_digest(asked_study().design)
    wave = next_wave(study, "Next", "en")
    assert wave.design.names == wave.questionnaire.names == ("town", "transport", "ticket")
    # A role is given afterwards; then estimates use it.
    weighted = give_role(study, ["district"], "stratum")
    assert weighted.sampling.columns == ("district",)
    # The next export brings them again, with values that the first one did not have.
    other = reported_rows(6)[4:]
    qualtrics_export(tmp_path / "second.csv", other, {"weight": ["7", "3"], "district": ["n", "n"]})
    text = (tmp_path / "second.csv").read_text(encoding="utf-8").replace("R_", "S_")
    (tmp_path / "second.csv").write_text(text, encoding="utf-8")
    assert main(["add", "study.ppw", "second.csv", "--state", "reported"]) == 0
    study = open_study("study.ppw")
    assert study.rows == 6
    assert set(study.distorted["district"].attribute.values) == {"east", "west", "n"}
    weight = study.distorted["weight"]
    assert study.design["weight"].attribute.domain == weight.attribute.domain
    assert sorted(weight.data[~weight.missing].tolist()) == [0.8, 1.25, 2.0, 3.0, 7.0]


def test_that_a_table_of_a_design_has_the_kept_columns_too(tmp_path):
    qualtrics_export(tmp_path / "first.csv", reported_rows(4), MORE)
    pp.add_answers("design.json", "first.csv", state="reported", keep="district", out="out.csv")
    found = pp.Survey("out.csv").share("district=east")
    assert found.to_frame()["estimate"][0] == pytest.approx(0.75)


@pytest.mark.parametrize(
    ("name", "said"),
    [("height", "no column"), ("ticket", "answers a question"), ("ResponseId", "who answered")],
)
def test_that_columns_which_cannot_be_kept_are_refused(name, said):
    with pytest.raises(DataError, match=said):
        pp.add_answers("design.json", "export.csv", state="reported", keep=name, out="out.csv")
