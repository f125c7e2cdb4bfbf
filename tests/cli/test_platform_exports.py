"""A platform's export is no table of true answers, whichever command or function is given it."""

from __future__ import annotations

import pytest
from fieldwork import asked_study, qualtrics_export, reported_rows

import ppworkbench as pp
from ppworkbench.cli.main import main
from ppworkbench.core.data.files import write_table
from ppworkbench.core.design.design_file import write_design
from ppworkbench.core.errors import DataError

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
