"""Reports and bundles on the command line."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
import zipfile
from pathlib import Path

import docx
import numpy as np
import pytest
from designs import YES_NO
from role_studies import drawn_study
from studies import make_study

from ppworkbench.api.releases import reports
from ppworkbench.cli.main import main
from ppworkbench.core.data.files import write_table
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Design, DesignedAttribute, Uniform
from ppworkbench.core.design.design_file import write_design
from ppworkbench.core.errors import DataError
from ppworkbench.core.files import current_umask
from ppworkbench.study.files.study_file import save_study
from ppworkbench.study.study import Study


@pytest.fixture(autouse=True)
def _study(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    save_study(make_study("Small survey", rows=200), "small.ppw")


@pytest.mark.slow
def test_that_a_report_is_written_and_warns_of_its_seed(tmp_path, capsys):
    assert main(["report", "small.ppw", "--out", "report.html", "--date", "2024-05-01"]) == 0
    assert "do not release it" in capsys.readouterr().out
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Small survey" in html
    assert "2024-05-01" in html


def test_that_a_report_speaks_the_language_that_is_asked_for(tmp_path, capsys):
    given = ["report", "small.ppw", "--out", "report.html", "--language", "pl"]
    assert main(given) == 0
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert '<html lang="pl"' in html
    assert "W skrócie" in html
    assert re.search(r"\d,\d\s%", html)
    assert not re.search(r"\d\.\d\s%", html)
    assert main(["report", "small.ppw", "--out", "other.html", "--language", "de"]) == 2
    said = "Language is 'de'; it must be one of en, pl."
    assert said in capsys.readouterr().err


def test_that_a_checklist_tells_what_another_release_of_true_answers_adds(tmp_path, capsys):
    def told(study: Study) -> tuple[bool | None, str]:
        save_study(study, "true.ppw")
        (tmp_path / "true.zip").unlink(missing_ok=True)
        assert main(["bundle", "true.ppw", "--out", "true.zip", "--json"]) == 0
        points = json.loads(capsys.readouterr().out)["checklist"]
        found = [one for one in points if "give the first one again" in one["detail"]]
        with zipfile.ZipFile("true.zip") as made:
            # That is between the owner and the study.
            assert b"first one again" not in made.read("README.txt")
        return (found[0]["good"], f"{found[0]['sentence']}: {found[0]['detail']}")

    answers = Table((Column(YES_NO, np.arange(40) % 2),))
    design = Design((DesignedAttribute(YES_NO, Uniform(keep=0.75)),))
    study = Study("True", answers, design=design)
    good, said = told(study)
    assert good is None
    # Epsilon of each is ln 3.
    assert said == (
        "Another release of the same true answers adds to this one: epsilon of what is "
        "randomised is 2.20 in total; give the first one again"
    )
    good, said = told(study.with_results("releases", 2))
    assert good is False
    assert said.startswith("The true answers were released before: epsilon of what is ")
    assert "is 3.30 in total" in said


def modes(folder: Path) -> dict[str, int]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in files}


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_that_a_report_of_true_answers_is_readable_by_its_owner_only(tmp_path, capsys):
    made = tmp_path / "made"
    made.mkdir()
    for name, attached in (("report.html", "tables"), ("report.pdf", "tables.zip")):
        given = [
            "report",
            "small.ppw",
            "--out",
            f"made/{name}",
            "--attachments",
            f"made/{attached}",
        ]
        assert main(given) == 0
    found = modes(made)
    assert {"report.html", "report.pdf", "tables.zip", "report-shares.csv"} <= found.keys()
    assert set(found.values()) == {0o600}
    study = make_study("Small survey", rows=200)
    save_study(Study("Distorted", distorted=study.distorted, design=study.design), "other.ppw")
    (tmp_path / "other").mkdir()
    assert main(["report", "other.ppw", "--out", "other/report.html"]) == 0
    assert modes(tmp_path / "other") == {"report.html": 0o666 & ~current_umask()}


@pytest.mark.slow
def test_that_a_pdf_is_printed_by_the_side_of_the_window(tmp_path, monkeypatch, capsys):
    class Printer:
        @staticmethod
        def print_report(report, path):
            path.write_bytes(f"%PDF {report.title}".encode())

    monkeypatch.setattr(reports, "find_printer", lambda _instead: Printer)
    assert main(["report", "small.ppw", "--out", "report.pdf", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["seed"] is True
    assert (tmp_path / "report.pdf").read_bytes() == b"%PDF Small survey"


def test_that_a_missing_qt_is_one_sentence(monkeypatch, capsys):
    monkeypatch.setattr(reports, "_PRINTER", "ppworkbench.gui.no_such_part")
    assert main(["report", "small.ppw", "--out", "report.pdf"]) == 1
    assert "Write report.html instead" in capsys.readouterr().err


def test_that_a_report_is_a_page_a_pdf_or_a_word_document(capsys):
    assert main(["report", "small.ppw", "--out", "report.odt"]) == 2
    assert ".html, .pdf or .docx" in capsys.readouterr().err


def test_that_a_word_document_is_written_by_its_ending(tmp_path, capsys):
    given = ["report", "small.ppw", "--date", "2024-05-01", "--out"]
    assert main([*given, "a.docx"]) == main([*given, "b.docx"]) == 0
    assert (tmp_path / "a.docx").read_bytes() == (tmp_path / "b.docx").read_bytes()
    assert docx.Document(str(tmp_path / "a.docx")).core_properties.title == "Small survey"


@pytest.mark.slow
def test_that_a_real_pdf_comes_out_without_a_screen(tmp_path):
    environment = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "QT_QPA_PLATFORM")}
    environment["PYTHONPATH"] = str(Path(__file__).resolve().parents[2])
    words = ["report", "small.ppw", "--out", "report.pdf", "--date", "2024-05-01"]
    done = subprocess.run(
        [sys.executable, "-m", "ppworkbench", *words],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    content = (tmp_path / "report.pdf").read_bytes()
    assert content.startswith(b"%PDF-1.7")
    assert b"(D:20240501000000Z" in content


def test_that_a_bundle_is_written_with_its_checklist(tmp_path, capsys):
    words = ["bundle", "small.ppw", "--out", "out.zip", "--questionnaire", "--no-report", "--json"]
    assert main([*words, "--leave-out", "sex"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["rows"] == 200
    assert "questionnaire.html" in told["files"]
    with zipfile.ZipFile(tmp_path / "out.zip") as archive:
        assert sorted(archive.namelist()) == sorted(told["files"])
    assert {point["good"] for point in told["checklist"]} == {True, False, None}


def test_that_a_bundle_has_no_seed(tmp_path, capsys):
    assert main(["bundle", "small.ppw", "--out", "out", "--seed", "3"]) == 2
    assert "has no seed" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_that_a_table_is_bundled_with_a_design_of_its_own(capsys):
    study = make_study(rows=50)
    write_table(study.original, "table.csv")
    write_design(study.design, "design.json")
    words = ["bundle", "table.csv", "--design", "design.json", "--out", "out", "--no-report"]
    assert main(words) == 0
    assert "[x] No seed is saved" in capsys.readouterr().out
    assert main(["bundle", "out/table.csv", "--design", "design.json", "--out", "b"]) == 2
    assert "have their own design" in capsys.readouterr().err


def test_that_the_printer_is_asked_for_before_the_work_is_done(monkeypatch, capsys):
    def refuse(_instead):
        raise DataError("no printer")

    monkeypatch.setattr(reports, "find_printer", refuse)
    assert main(["report", "absent.ppw", "--out", "report.pdf"]) == 1
    assert "no printer" in capsys.readouterr().err


def test_that_answers_of_a_page_are_not_distorted_a_second_time(tmp_path, capsys):
    design = Design((DesignedAttribute(YES_NO, Uniform(keep=0.7)),))
    write_design(design, tmp_path / "d.json")
    rows = '{"smokes": "yes"}\n' * 40
    (tmp_path / "a.jsonl").write_text(rows, encoding="utf-8")
    assert main(["bundle", "a.jsonl", "--design", "d.json", "--out", "b", "--no-report"]) == 0
    assert (tmp_path / "b" / "a.csv").read_text().split() == ["smokes", *["yes"] * 40]


def test_that_a_bundle_coarsens_roles_and_needs_a_confirmation(tmp_path, capsys):
    save_study(drawn_study(telling=True), "drawn.ppw")
    wanted = ["bundle", "drawn.ppw", "--no-report", "--json", "--out"]
    assert main([*wanted, "out"]) != 0
    assert "at least as much about" in capsys.readouterr().out
    assert not Path("out").exists()
    assert main([*wanted, "out", "--confirm", "ticket", "--coarsen", "village"]) == 0
    said = [line["sentence"] for line in json.loads(capsys.readouterr().out)["checklist"]]
    assert "pw gives ticket away" in said
    assert "village: clusters have random labels" in said
    assert main([*wanted, "other", "--leave-out", "pw"]) == 0
    said = [line["sentence"] for line in json.loads(capsys.readouterr().out)["checklist"]]
    assert any("respondents only" in line for line in said)
