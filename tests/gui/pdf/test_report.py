"""Reports on paper, and the look at one before it leaves."""

from __future__ import annotations

import dataclasses
import re
import shutil
import subprocess
import zlib
from pathlib import Path

import pytest
from large_reports import city_with_arms, many_questions
from patience import PATIENCE
from studies import make_study

from ppworkbench.core.errors import DataError
from ppworkbench.core.progress import silent
from ppworkbench.gui.pages.publish.bundle_card import write_preview
from ppworkbench.gui.pages.publish.bundle_dialog import Subject
from ppworkbench.gui.pdf.report import print_report
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.outputs.bundle import BundleOptions
from ppworkbench.outputs.handover.checklist import release_checklist
from ppworkbench.outputs.report import ReportOptions, build_report
from ppworkbench.study.language import tongue_of
from ppworkbench.study.release import release_points, undistorted


@pytest.fixture(scope="module")
def report():
    return build_report(make_study("Small survey", rows=120), ReportOptions(date="2024-05-01"))


@pytest.mark.slow
def test_that_the_same_report_gives_the_same_bytes_under_every_theme(qapp, report, tmp_path):
    for name, theme in (("a.pdf", "dark"), ("b.pdf", "light")):
        ThemeManager(theme).apply()
        print_report(report, tmp_path / name)
    first, second = ((tmp_path / name).read_bytes() for name in ("a.pdf", "b.pdf"))
    assert first == second
    assert first.startswith(b"%PDF-1.4")
    assert 2 <= len(re.findall(rb"/Type /Page\b(?!s)", first)) <= 8


@pytest.mark.slow
def test_that_figures_are_drawn_as_lines(qapp, report, tmp_path):
    print_report(report, tmp_path / "a.pdf")
    content = (tmp_path / "a.pdf").read_bytes()
    assert b"/Subtype /Image" not in content
    streams = re.findall(rb"stream\r?\n(.*?)endstream", content, re.DOTALL)
    drawn = b"".join(unpacked(stream) for stream in streams)
    # The outline of reconstructed bars, #0F9488, as the page draws it.
    assert b"0.05882" in drawn


@pytest.mark.slow
def test_that_a_title_with_marks_of_html_is_text_on_paper(qapp, report, tmp_path):
    for name, title in (("a.pdf", "<h3>x</h3>" * 3), ("b.pdf", "[h3]x[/h3]" * 3)):
        print_report(dataclasses.replace(report, title=title), tmp_path / name)
    pages = [
        len(re.findall(rb"/Type /Page\b(?!s)", (tmp_path / name).read_bytes()))
        for name in ("a.pdf", "b.pdf")
    ]
    # Every heading of this level would begin a page.
    assert pages[0] == pages[1]


def pages(path: Path) -> int:
    return len(re.findall(rb"/Type /Page\b(?!s)", path.read_bytes()))


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "pl"])
@pytest.mark.parametrize("make", [city_with_arms, many_questions])
def test_that_no_report_has_more_than_eight_pages(qapp, tmp_path, make, language):
    study = make(rows=300)
    points = release_checklist(
        study, release_points(study.design, study.original), undistorted(study.design)
    )
    made = build_report(study, points=points, tongue=tongue_of(language))
    print_report(made, tmp_path / "a.pdf")
    assert 3 <= pages(tmp_path / "a.pdf") <= 8
    assert made.attachments
    assert {table.name for table in made.tables} == {
        "report-shares.csv", "report-measures.csv", "report-matrices.csv"
    }  # fmt: skip


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("gs") is None, reason="reads the words of a PDF")
def test_that_every_chapter_is_printed(qapp, tmp_path):
    made = build_report(city_with_arms())
    print_report(made, tmp_path / "a.pdf")
    command = ["gs", "-q", "-dNOPAUSE", "-dBATCH", "-sDEVICE=txtwrite", "-sOutputFile=-"]
    read = subprocess.run(
        [*command, str(tmp_path / "a.pdf")], capture_output=True, check=True, timeout=PATIENCE
    )
    lines = [" ".join(line.split()) for line in read.stdout.decode().splitlines()]
    assert [section.title for section in made.sections if section.title not in lines] == []


def unpacked(stream: bytes) -> bytes:
    try:
        return zlib.decompress(stream)
    except zlib.error:
        return b""


def test_that_a_pdf_that_cannot_be_written_is_one_sentence(qapp, report, tmp_path):
    with pytest.raises(DataError, match="cannot be written"):
        print_report(report, tmp_path / "absent" / "a.pdf")


@pytest.mark.slow
def test_that_a_preview_shows_what_a_recipient_will_see(tmp_path):
    path = write_preview(
        Subject(make_study(rows=60)), BundleOptions(), str(tmp_path / "report.html"), silent
    )
    shown = Path(path).read_text(encoding="utf-8")
    assert "This report contains no seed" in shown
    assert "No seed is saved" in shown
