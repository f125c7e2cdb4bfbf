"""``gallery``: the numbers of the window, and an exit status that tells whether they agree."""

from __future__ import annotations

import json

import pytest

from ppworkbench.cli.main import main
from ppworkbench.core.files import resource
from ppworkbench.outputs.gallery import surveys
from ppworkbench.outputs.gallery.compare import compare_survey
from ppworkbench.outputs.gallery.surveys import read_gallery
from ppworkbench.outputs.gallery.tables import comparison_to_json


@pytest.mark.slow
def test_that_it_prints_published_numbers_beside_ours(capsys):
    assert main(["gallery"]) == 0
    told = capsys.readouterr().out
    assert "Copied in an exam, students" in told
    line = next(one for one in told.splitlines() if one.startswith("Crosswise with an anchor"))
    assert line.split()[-10:-4] == ["10.54", "%", "2.08", "10.54", "%", "2.27"]
    assert "13 of 14 agree to the printed decimals; 1 not recomputed." in told


@pytest.mark.slow
def test_that_json_has_the_numbers_of_the_window(capsys, tmp_path):
    out = tmp_path / "table.csv"
    assert main(["gallery", "--json", "--out", str(out)]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["file"] == str(out)
    for told_one, survey in zip(told["surveys"], read_gallery(), strict=True):
        assert told_one["name"] == survey.name
        if survey.name != "minarets":  # It takes longer than all others.
            expected = comparison_to_json(compare_survey(survey))
            assert told_one == json.loads(json.dumps(expected))
    assert out.read_text(encoding="utf-8").count("\n") == 15


@pytest.fixture
def planted(tmp_path, monkeypatch):
    """A gallery of a few surveys in which one number of the sources is wrong."""
    text = resource("gallery", "surveys.toml").read_text(encoding="utf-8")
    head, *entries = text.split("[[survey]]")
    few = "[[survey]]".join([head, *entries[2:5], entries[-1]])
    (tmp_path / "surveys.toml").write_text(
        few.replace("estimate = 84.06103", "estimate = 85.06103"), encoding="utf-8"
    )
    monkeypatch.setattr(surveys, "resource", lambda *_: tmp_path / "surveys.toml")


@pytest.mark.usefixtures("planted")
def test_that_a_number_that_should_agree_and_does_not_is_exit_1(capsys):
    assert main(["gallery"]) == 1
    assert "2 of 4 agree to the printed decimals; 1 differ; 1 not recomputed" in (
        capsys.readouterr().out
    )
    assert main(["gallery", "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["differ"] == 1
    assert [one["name"] for one in told["surveys"] if one["outcome"] == "differs"] == [
        "students-copied"
    ]


def test_that_another_ending_is_refused_in_one_sentence(capsys, tmp_path):
    assert main(["gallery", "--out", str(tmp_path / "table.docx")]) == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "end the name in .csv, .json or .html" in said
