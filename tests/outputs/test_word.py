"""Reports as Word documents, read back as Word and LibreOffice do."""

from __future__ import annotations

import re
import shutil
import subprocess
import zipfile

import docx
import pytest
from docx.oxml.ns import qn
from patience import PATIENCE
from studies import make_study

from ppworkbench.core.data.samples import load_sample
from ppworkbench.outputs.report import ReportOptions, build_report
from ppworkbench.outputs.report.word import write_word
from ppworkbench.study.blocks import Figure, Grid, Paragraph
from ppworkbench.study.language import tongue_of
from ppworkbench.study.study import Study

DAY = ReportOptions(date="2024-05-01")


@pytest.fixture(scope="module")
def report():
    study = Study.of_table(load_sample("city-survey", rows=300), "city-survey")
    return build_report(study, DAY, tongue=tongue_of("pl"))


@pytest.fixture(scope="module")
def path(report, tmp_path_factory):
    found = tmp_path_factory.mktemp("word") / "report.docx"
    write_word(report, found)
    return found


def blocks(report, kind):
    return [b for section in report.sections for b in section.blocks if isinstance(b, kind)]


def test_that_a_document_has_the_chapters_and_captions_of_the_report(report, path):
    read = docx.Document(str(path))
    by_style = {}
    for line in read.paragraphs:
        by_style.setdefault(line.style.name, []).append(line.text)
    assert by_style["Title"] == ["City survey"]
    headings = [
        line.text for line in read.paragraphs if line.style.name in ("Heading 1", "Heading 2")
    ]
    assert headings == [section.title for section in report.sections]
    assert headings[0] == "W skrócie"
    captions = [
        block.title
        for section in report.sections
        for block in section.blocks
        if isinstance(block, Grid | Figure)
    ]
    assert by_style["Caption"] == captions
    assert captions[0].startswith("Rysunek 1. ")


def test_that_tables_hold_the_numbers_and_repeat_their_heads(report, path):
    read = docx.Document(str(path))
    # The first one are the facts of the first page, which have no head.
    facts, *tables = read.tables
    assert facts.rows[0].cells[0].text == "Respondenci"
    for table, grid in zip(tables, blocks(report, Grid), strict=True):
        assert tuple(cell.text for cell in table.rows[0].cells) == grid.heads
        assert [tuple(cell.text for cell in row.cells) for row in table.rows[1:]] == [*grid.rows]
        assert table.rows[0]._tr.find(f"./{qn('w:trPr')}/{qn('w:tblHeader')}") is not None
        assert all(row._tr.find(f".//{qn('w:cantSplit')}") is not None for row in table.rows)


def test_that_pictures_have_words_for_those_who_cannot_see_them(report, path):
    read = docx.Document(str(path))
    told = [shape._inline.docPr.get("descr") for shape in read.inline_shapes]
    assert told == [figure.summary for figure in blocks(report, Figure)]
    assert len(told) == 2
    with zipfile.ZipFile(path) as archive:
        styles = archive.read("word/styles.xml").decode()
    assert 'w:lang w:val="pl"' in styles
    assert read.core_properties.language == "pl"


def test_that_no_word_of_a_head_is_broken(path):
    """Widths are those of a font as wide as any that stands in for the chosen one."""
    for table in docx.Document(str(path)).tables[1:]:
        for cell in table.rows[0].cells:
            longest = max(map(len, cell.text.split()))
            assert cell.width.cm >= 0.2 * longest + 0.38, cell.text
        assert sum(cell.width.cm for cell in table.rows[0].cells) == pytest.approx(17, abs=0.1)


def test_that_what_belongs_together_stays_on_a_page(path):
    read = docx.Document(str(path))
    heading = next(line for line in read.paragraphs if line.text == "Pozostałe pytania")
    assert heading.style.paragraph_format.keep_with_next
    lines = [one.text for one in read.paragraphs]
    (shown,) = (one for one in read.paragraphs if one.text.startswith("Pokazano 12 z 17"))
    assert shown.paragraph_format.keep_with_next
    assert not lines[lines.index(shown.text) + 1]
    rows = read.tables[1].rows
    kept = [row.cells[0].paragraphs[0].paragraph_format.keep_with_next for row in rows]
    for number, row in enumerate(rows[1:]):
        # The values of a question follow the row with its name.
        assert kept[number] or row.cells[0].text or number == 0


def test_that_the_question_as_people_saw_it_stands_on_a_ground(report, path):
    notes = [one.text for one in blocks(report, Paragraph) if one.look == "note"]
    read = docx.Document(str(path))
    ground = f"./{qn('w:pPr')}/{qn('w:shd')}"
    assert [one.text for one in read.paragraphs if one._p.find(ground) is not None] == notes
    assert len(notes) == 3


def test_that_signs_that_no_document_may_hold_are_left_out(tmp_path):
    made = build_report(make_study("A\x00 <b>bell\x07</b>", rows=40), DAY)
    write_word(made, tmp_path / "a.docx")
    assert docx.Document(str(tmp_path / "a.docx")).paragraphs[0].text == "A <b>bell</b>"


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("soffice") is None, reason="opens the document in LibreOffice")
def test_that_libreoffice_opens_the_document(path, tmp_path):
    home = f"-env:UserInstallation={(tmp_path / 'home').as_uri()}"
    command = ["soffice", home, "--headless", "--convert-to", "txt:Text", "--outdir", str(tmp_path)]
    subprocess.run([*command, str(path)], check=True, capture_output=True, timeout=PATIENCE)
    text = (tmp_path / "report.txt").read_text(encoding="utf-8")
    assert text.lstrip("\ufeff").startswith("City survey")
    assert "Tabela 1. Pytania wrażliwe" in text
    command[4] = "pdf"
    subprocess.run([*command, str(path)], check=True, capture_output=True, timeout=PATIENCE)
    printed = (tmp_path / "report.pdf").read_bytes()
    assert 3 <= len(re.findall(rb"/Type\s*/Page\b(?!s)", printed)) <= 10
