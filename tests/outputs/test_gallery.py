"""Published surveys: what the file holds, what is rebuilt from it, and that the numbers agree."""

from __future__ import annotations

import csv
import dataclasses
import json
import re
from collections import Counter
from html.parser import HTMLParser

import pandas as pd
import pytest
from examples import sweep

from ppworkbench.analyses.survey.answers import answer_question
from ppworkbench.analyses.survey.questions import first_question
from ppworkbench.cli.main import main
from ppworkbench.core.data.files import write_table
from ppworkbench.core.data.options import WriteOptions
from ppworkbench.core.design.design_file import design_to_json, write_design
from ppworkbench.core.errors import DataError
from ppworkbench.core.files import resource
from ppworkbench.core.progress import Cancelled
from ppworkbench.outputs.gallery.compare import (
    AGREES,
    DIFFERS,
    NOT_RECOMPUTED,
    OTHER_ERROR,
    GalleryComparison,
    compare_gallery,
    compare_survey,
)
from ppworkbench.outputs.gallery.surveys import FAMILIES, read_gallery, read_surveys
from ppworkbench.outputs.gallery.tables import (
    error_text,
    estimate_text,
    gallery_sheet,
    gallery_to_json,
    write_gallery,
)
from ppworkbench.study.answer_state import AnswerState
from ppworkbench.study.distorted_cache import DistortedCache
from ppworkbench.study.files.study_file import open_study, save_study
from ppworkbench.study.language import tongue_of

SURVEYS = {one.name: one for one in read_gallery()}
RECOMPUTED = [name for name, one in SURVEYS.items() if one.question is not None]


@pytest.fixture(scope="module")
def gallery() -> GalleryComparison:
    return compare_gallery(tuple(SURVEYS.values()))


def found(gallery: GalleryComparison, name: str):
    return next(one for one in gallery.comparisons if one.survey.name == name)


@pytest.mark.parametrize("name", RECOMPUTED)
def test_that_ours_is_the_published_number_to_its_decimals(gallery, name):
    one = found(gallery, name)
    published, ours = one.survey.published, one.ours
    decimals = min(published.decimals, 2)
    assert one.problem == ""
    assert round(ours.estimate, decimals) == round(published.estimate, decimals)
    if published.standard_error is not None and not one.survey.other_error:
        assert round(ours.standard_error, decimals) == round(published.standard_error, decimals)
    assert ours.low < ours.estimate < ours.high


def test_that_all_agree_but_one_that_cannot_be_recomputed(gallery):
    outcomes = Counter(one.outcome for one in gallery.comparisons)
    assert outcomes == {AGREES: 12, OTHER_ERROR: 1, NOT_RECOMPUTED: 1}
    assert gallery.is_as_expected
    assert gallery.sentence == "13 of 14 agree to the printed decimals; 1 not recomputed"
    assert found(gallery, "doping").reason.startswith("The counts are not at hand")


def test_that_the_published_figures_are_those_of_the_sources(gallery):
    """Where sources print more digits than are compared, ours has those, too."""
    exact = {
        "students-copied": (84.06103, 3.727889),
        "students-drugs": (12.86385, 3.149060),
        "students-fought": (40.70423, 3.232949),
        "students-bullied": (12.20657, 3.657069),
        "cwise-plain": (19.5, 1.444624),
        "schools-score": (662.28736, 9.408941),
    }
    for name, (estimate, error) in exact.items():
        ours = found(gallery, name).ours
        assert (ours.estimate, ours.standard_error) == pytest.approx((estimate, error), abs=2e-5)


@pytest.mark.parametrize("name", sweep(RECOMPUTED, quick=5))
def test_that_a_wrong_figure_is_noticed(name):
    survey = SURVEYS[name]
    step = 10.0 ** -min(survey.published.decimals, 2)
    wrong = dataclasses.replace(survey.published, estimate=survey.published.estimate + 2 * step)
    assert compare_survey(dataclasses.replace(survey, published=wrong)).outcome == DIFFERS
    if survey.published.standard_error is None:
        return
    error = survey.published.standard_error + 2 * step
    wrong = dataclasses.replace(survey.published, standard_error=error)
    changed = dataclasses.replace(survey, published=wrong, other_error=False)
    assert compare_survey(changed).outcome == DIFFERS


@pytest.mark.parametrize("name", sweep(RECOMPUTED, quick=5))
def test_that_a_wrong_count_is_noticed(name):
    """One line is 5 % too large."""
    survey = SURVEYS[name]
    if survey.moments:
        first, rows, total, squares = survey.moments[0]
        changed = {"moments": ((first, rows, total + total // 20, squares), *survey.moments[1:])}
    else:
        *answers, people = survey.counts[-1]
        changed = {"counts": (*survey.counts[:-1], (*answers, people + people // 20 + 1))}
    assert compare_survey(dataclasses.replace(survey, **changed)).outcome == DIFFERS


def test_that_there_are_surveys_of_many_groups_and_of_all_families():
    groups = {SURVEYS[name].group for name in RECOMPUTED}
    assert len(RECOMPUTED) >= 10
    # Authors who work together are one group.
    assert len({group.split(",")[0] for group in groups}) >= 5
    assert {one.family for one in SURVEYS.values()} == set(FAMILIES)
    packages = " ".join(one.source for one in SURVEYS.values())
    assert all(word in packages for word in ("RRreg", "RRTCS", "cWise", "package list", "survey"))


def test_that_the_counts_add_up():
    people = {
        "nigeria": 2435, "minarets": 564 + 692, "students-copied": 710, "students-drugs": 710,
        "students-fought": 710, "students-bullied": 710, "cwise-plain": 2000, "cwise-anchor": 2000,
        "plagiarism-partial": 310, "race": 1213, "afghanistan": 2 * 918, "schools-score": 200,
        "schools-pupils": 200, "doping": 0,
    }  # fmt: skip
    assert {name: one.people for name, one in SURVEYS.items()} == people
    for name in RECOMPUTED:
        assert SURVEYS[name].study().rows == people[name]
    lines = {
        "nigeria": "831 “yes” of 2,435",
        "minarets": "373 of 564 and 398 of 692",
        "students-copied": "328 “yes” of 710; N = 10,777",
        "race": "1,213 respondents: 589 and 624",
        "schools-score": "200 units in 3 strata",
        "doping": "counts not at hand",
    }
    assert {name: SURVEYS[name].counts_line for name in lines} == lines


def test_that_the_counts_are_those_of_the_data_sets(shared_data):
    def table(name):
        return pd.read_csv(shared_data / f"{name}.csv", na_values="?", keep_default_na=False)

    def counted(name):
        return {tuple(row[:-1]): row[-1] for row in SURVEYS[name].counts}

    def counts_of(frame, columns):
        cells = frame[columns].itertuples(index=False, name=None)
        return dict(Counter(cells))

    students = table("rrtcs-horvitz")
    for name, column in (("copied", "copied"), ("drugs", "drug"), ("fought", "fought"),
                         ("bullied", "bullied")):  # fmt: skip
        assert counted(f"students-{name}") == counts_of(students, [column])
    assert counted("cwise-anchor") == counts_of(table("cwise"), ["crosswise", "anchor"])
    assert counted("race") == counts_of(table("list-race"), ["list", "count"])
    minarets = table("minarets")
    asked = minarets[minarets["rr"] == "yes"]
    assert counted("minarets") == counts_of(asked, ["condition", "rrt"])
    plagiarism = table("rr-plagiarism")
    crosswise = plagiarism[
        (plagiarism["RRmodel"] == "Crosswise") & (plagiarism["question"] == "partial plagiarism")
    ]
    assert [row[-1] for row in SURVEYS["plagiarism-partial"].counts] == list(
        crosswise.groupby("response").size()
    )
    schools = table("apistrat").groupby("stype")
    for name, column in (("schools-score", "api00"), ("schools-pupils", "enroll")):
        expected = [(key, len(g), g[column].sum(), (g[column] ** 2).sum()) for key, g in schools]
        assert list(SURVEYS[name].moments) == expected


def test_that_the_file_holds_counts_and_no_rows():
    for survey in SURVEYS.values():
        assert len(survey.counts) <= 10
        assert len(survey.moments) <= 3


def test_that_every_language_tells_the_same_surveys():
    polish = {one.name: one for one in read_gallery("pl")}
    assert polish.keys() == SURVEYS.keys()
    words = ("title", "device", "note", "source")
    for name, survey in SURVEYS.items():
        told = polish[name]
        assert all(getattr(told, word) for word in words)
        assert told.title != survey.title
        assert (told.published, told.counts, told.moments) == (
            survey.published, survey.counts, survey.moments,
        )  # fmt: skip
        assert _digits(told.note) == _digits(survey.note)


def _digits(note):
    """The figures of a note; decimals and thousands are written in other ways in Polish."""
    return re.findall(r"\d+", re.sub(r"(?<=\d)[\s.,](?=\d)", "", note))


@pytest.mark.slow
def test_that_a_survey_opens_as_a_study_of_reported_answers(tmp_path):
    for name in RECOMPUTED:
        survey = SURVEYS[name]
        study = survey.study()
        assert study.state is AnswerState.REPORTED
        assert study.title == survey.title
        save_study(study, tmp_path / f"{name}.ppw")
        again = open_study(tmp_path / f"{name}.ppw")
        told = answer_question(survey.question, again, DistortedCache())
        assert told.remarks is not None  # An error has none.


def test_that_the_survey_page_and_the_command_line_give_the_same_number(tmp_path, capsys, gallery):
    survey = SURVEYS["students-copied"]
    ours, study = found(gallery, survey.name).ours, survey.study()
    page = answer_question(survey.question, study, DistortedCache())
    share = page.result.share
    assert (100 * share.estimate, 100 * share.standard_error) == (
        ours.estimate, ours.standard_error,
    )  # fmt: skip
    answers, design = tmp_path / "answers.csv", tmp_path / "design.json"
    write_table(study.distorted, answers, WriteOptions(), design=design_to_json(study.design))
    write_design(study.design, design)
    command = ["count", str(answers), "--design", str(design), "--where", "copied = yes", "--json"]
    assert main(command) == 0
    told = json.loads(capsys.readouterr().out)["share"]
    assert 100 * told["estimate"] == pytest.approx(ours.estimate)
    assert 100 * told["standard_error"] == pytest.approx(ours.standard_error)


def test_that_the_help_prints_these_numbers(gallery):
    for language, folder in (("en", ()), ("pl", ("pl",))):
        page = resource("help", *folder, "validation-gallery.md").read_text(encoding="utf-8")
        say = tongue_of(language).say if language == "en" else _polish()
        told_surveys = {one.name: one for one in read_gallery(language)}
        for known in gallery.comparisons:
            one = dataclasses.replace(known, survey=told_surveys[known.survey.name])
            cells = [one.survey.title, one.survey.device]
            for figure in (one.survey.published, one.ours):
                told = (
                    figure and f"{say(estimate_text(one, figure))} ({say(error_text(one, figure))})"
                )
                cells.append(told or "–")
            assert f"| {' | '.join(cells)} |".replace("\u00a0", " ") in page


def _polish():
    from ppworkbench.study.language import read_catalogue

    return read_catalogue(resource("languages", "pl"), decimal=",", thousands="\u00a0").sentence


def test_that_the_work_can_be_stopped():
    told = []

    def stop(share, words):
        told.append((share, words))
        if len(told) > 3:
            raise Cancelled

    with pytest.raises(Cancelled):
        compare_gallery(tuple(SURVEYS.values()), stop)
    assert told[0] == (0, SURVEYS["nigeria"].title)


class _Cells(HTMLParser):
    """The texts of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def handle_data(self, data: str) -> None:
        self.texts.append(data.strip())


def test_that_the_table_is_written_as_csv_json_and_html(tmp_path, gallery):
    for end in (".csv", ".json", ".html"):
        write_gallery(gallery, tmp_path / f"gallery{end}")
    with (tmp_path / "gallery.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["name"] for row in rows] == list(SURVEYS)
    assert float(rows[2]["our estimate"]) == pytest.approx(84.06103, abs=1e-5)
    assert rows[-1]["our estimate"] == ""
    assert rows[-1]["outcome"] == NOT_RECOMPUTED
    document = json.loads((tmp_path / "gallery.json").read_text(encoding="utf-8"))
    assert document == json.loads(json.dumps(gallery_to_json(gallery)))
    assert (document["agree"], document["differ"], document["not_recomputed"]) == (13, 0, 1)
    cells = _Cells()
    cells.feed((tmp_path / "gallery.html").read_text(encoding="utf-8"))
    assert cells.texts.count("84.06 % (SE 3.73)") == 2
    assert str(gallery.sentence) in cells.texts
    assert gallery_sheet(gallery).rows == len(SURVEYS)
    with pytest.raises(DataError, match=r"\.csv, \.json or \.html"):
        write_gallery(gallery, tmp_path / "gallery.txt")


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ('format = "ppworkbench-gallery"', 'format = "x"', "this is no gallery"),
        ('["yes", 831]', '["yes", -1]', "survey 1: 'counts' has a line that is no count"),
        ('["yes", 831]', '["yes", "831"]', "'counts' has a line that is no count"),
        ('["yes", 831]', '["yes"]', "'counts' has a line that is no count"),
        ('["yes", 831]', "831", "'counts' must be a list of lists"),
        ('family = "crosswise"', 'family = "x"', "survey 7: 'family' is 'x'"),
        ("p_truth = 0.6666666666666666", "p_truth = 2", "survey 1"),
        ('statistic = "mean", of', 'statistic = "x", of', "this is no question"),
        ("decimals = 2}", "decimals = 2, digits = 1}", "there is no field 'digits'"),
        ('en.title = "For a ban on minarets"', "", "survey 2, en: the field 'title' is missing"),
    ],
)
def test_that_a_damaged_file_is_refused_with_the_place(tmp_path, before, after, message):
    text = resource("gallery", "surveys.toml").read_text(encoding="utf-8")
    assert before in text
    path = tmp_path / "surveys.toml"
    path.write_text(text.replace(before, after, 1), encoding="utf-8")
    with pytest.raises(DataError) as refused:
        read_surveys(path)
    assert message in str(refused.value)


def test_that_an_answer_that_the_question_lacks_is_told(tmp_path):
    text = resource("gallery", "surveys.toml").read_text(encoding="utf-8")
    path = tmp_path / "surveys.toml"
    path.write_text(text.replace('["yes", 831]', '["perhaps", 831]', 1), encoding="utf-8")
    one = compare_survey(read_surveys(path)[0])
    assert one.outcome == DIFFERS
    assert one.reason == "'perhaps' is no answer to 'contact'."


def test_that_a_study_of_a_list_is_first_asked_for_its_item():
    assert first_question(SURVEYS["race"].study()).inquiry.attribute == "angry"
    # What is marked as sensitive comes first.
    assert first_question(SURVEYS["nigeria"].study()).statistic == "count"
