"""A report in another language."""

from __future__ import annotations

import dataclasses
import re

import pytest
from designs import classic_study

from ppworkbench.core.data.samples import load_sample
from ppworkbench.core.files import resource
from ppworkbench.outputs.bundle import BundleOptions, write_bundle
from ppworkbench.outputs.report import Report, build_report, report_html
from ppworkbench.study.blocks import Grid, Heat, Listing, Paragraph, Points
from ppworkbench.study.language import Language, read_catalogue
from ppworkbench.study.release import release_points
from ppworkbench.study.study import Study

SHOUTED = Language("pl", str.upper)


@pytest.fixture(scope="module")
def study() -> Study:
    study = classic_study(load_sample("weather"), "saturdays")
    return study.with_(original=None, distorted=study.original)


@pytest.fixture(scope="module")
def report(study: Study) -> Report:
    return build_report(study, points=release_points(study.design), tongue=SHOUTED)


def test_that_every_text_of_the_program_is_said_in_the_language(
    study: Study, report: Report
) -> None:
    said = [report.kind, report.contents]
    for section in (*report.sections, *report.attachments):
        for block in section.blocks:
            if isinstance(block, Paragraph):
                said.append(block.text.partition("“")[0])
            elif isinstance(block, Points):
                said += [text for _, text in block.items]
            elif isinstance(block, Grid):
                said += [*block.heads, *block.right, block.caption]
            elif isinstance(block, Heat):
                said.append(block.corner)
            elif isinstance(block, Listing):
                said.append(block.title)
    own = {attribute.label for attribute in study.attributes}
    assert [text for text in said if text not in own and text != text.upper()] == []
    assert len(said) > 50


def test_that_what_comes_from_the_study_stays_as_it_is(study: Study, report: Report) -> None:
    assert report.title == "saturdays"
    cells = {
        cell
        for section in (*report.sections, *report.attachments)
        for block in section.blocks
        if isinstance(block, Grid)
        for row in block.rows
        for cell in row
    }
    for designed in study.design.attributes:
        assert designed.name in cells
    heat = [b for s in report.attachments for b in s.blocks if isinstance(b, Heat)]
    assert heat[0].columns == study.design.attributes[0].attribute.values


def test_that_the_page_names_its_language(report: Report) -> None:
    assert '<html lang="pl"' in report_html(report)
    assert '<html lang="en"' in report_html(dataclasses.replace(report, language="en"))


def test_that_figures_and_respondents_words_are_in_the_language(report: Report) -> None:
    page = report_html(report)
    assert ">REPORTED</text>" in page
    assert ">RECONSTRUCTED</text>" in page
    # The explanation has words of its own for every language.
    assert "PANA/PANI ODPOWIEDŹ" in page


def test_that_numbers_are_written_as_in_the_language(study: Study) -> None:
    catalogue = read_catalogue(resource("languages", "pl"), decimal=",", thousands="\u00a0")
    polish = build_report(study, tongue=Language("pl", catalogue.sentence))
    heat = next(b for s in polish.attachments for b in s.blocks if isinstance(b, Heat))
    assert heat.texts[0][0] == f"{heat.cells[0][0]:.3g}".replace(".", ",")
    assert f">{heat.texts[0][0]}</td>" in report_html(polish)
    english = re.compile(r">(?:[^<]*[^\d.<])?\d+\.\d+(?!\.?\d)[^<]*</(?:td|text)>")
    assert english.findall(report_html(polish)) == []


def test_that_the_checklist_of_a_bundle_is_in_the_language(study: Study, tmp_path) -> None:
    write_bundle(study, tmp_path / "out", BundleOptions(report=False), tongue=SHOUTED)
    text = (tmp_path / "out" / "README.txt").read_text(encoding="utf-8")
    assert "WHAT IS PROTECTED" in text
    assert "NO SEED IS SAVED" in text
    assert "THE RELEASED ANSWERS, ONE ROW PER " in text
