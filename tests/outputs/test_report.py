"""Reports say what the study says, the same way every time, and run nothing."""

from __future__ import annotations

import csv
import math
import re
import time
from dataclasses import replace
from html import unescape
from types import MappingProxyType

import numpy as np
import pytest
from designs import (
    INTEGER_CASES,
    MATRIX_CASES,
    OTHER_CASES,
    REAL_CASES,
    SET_CASES,
    classic_study,
)
from sampled_answers import twelve_answers
from studies import listed_study, make_study

from ppworkbench import __version__
from ppworkbench.analyses.mining.mine import Mine
from ppworkbench.analyses.runs import Run
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.samples import load_sample
from ppworkbench.core.data.sampling_roles import Sampling
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Design, DesignedAttribute, Related, Uniform
from ppworkbench.core.design.devices import Device
from ppworkbench.core.design.group import Group
from ppworkbench.core.design.perturbation import Identity
from ppworkbench.core.files import resource
from ppworkbench.core.message import Message
from ppworkbench.core.mining import miners
from ppworkbench.core.survey.distributions import distribution
from ppworkbench.outputs.bundle import released_study
from ppworkbench.outputs.report import (
    ReportOptions,
    build_report,
    report_html,
    write_attachments,
    write_report,
)
from ppworkbench.outputs.report.figure import (
    Effect,
    bars_picture,
    curves_picture,
    drawn,
    effects_picture,
)
from ppworkbench.results.looks import role_colours
from ppworkbench.results.picture import Role, Shape, Shares
from ppworkbench.study.blocks import Figure, Grid, Heat, Listing, Paragraph, Points
from ppworkbench.study.language import tongue_of
from ppworkbench.study.study import Study

DAY = ReportOptions(date="2024-05-01")
NASTY = "</p><script>alert(1)</script>{{ 6 * 7 }}{% raw %}"


@pytest.fixture(scope="module")
def study():
    return make_study("Small survey", rows=400)


@pytest.mark.slow
def test_that_the_report_says_how_people_were_drawn_and_what_intervals_include(study, report):
    name = next(a.name for a in study.attributes if a.kind is Kind.CONTINUOUS)
    weighted = build_report(study.with_sampling(Sampling(weight=name)), DAY)
    plain, drawn = (unescape(report_html(one)) for one in (report, weighted))
    for page in (plain, drawn):
        assert "The interval includes: the randomness of the device, who happened" in page
    assert "the 400 respondents were sampled" in plain
    assert "400 respondents represent" in drawn
    assert f"How people were drawn: weight {name}." in drawn
    assert "weights that were themselves estimated" in drawn
    assert "How people were drawn" not in plain


@pytest.mark.slow
def test_that_non_compliance_is_told_and_enters_the_measures(study, report):
    name = next(a.name for a in study.attributes if a.kind.is_categorical)
    last = study.design[name].attribute.values[-1]
    settings = replace(
        study.settings,
        noncompliance=0.25,
        noncompliance_manner="safe",
        safe_answers=((name, last),),
    )
    told = build_report(study.with_(settings=settings), DAY)
    plain, page = (unescape(report_html(one)) for one in (report, told))
    assert "25 % of the respondents do not follow the instructions and always give" in page
    assert "estimates that are not corrected for it" in page
    (section,) = (one for one in told.attachments if one.title == "Non-compliance")
    (answers,) = (block for block in section.blocks if isinstance(block, Grid))
    assert last in [row[1] for row in answers.rows]
    assert "Root mean square error" in page
    for words in ("do not follow the instructions", "Root mean square error"):
        assert words not in plain


def test_that_the_distributions_of_a_drawn_sample_are_weighted():
    table, design = twelve_answers()
    roles = Sampling("weight", ("stratum",), "cluster")
    drawn = Study.of_distorted(table, design, "twelve").with_sampling(roles)
    (shares,) = [
        one for one in blocks(build_report(drawn, DAY), Grid) if "Reconstructed" in one.heads
        and [row[0] for row in one.rows] == ["a", "b", "c"]
    ]  # fmt: skip
    columns = dict(zip(shares.heads, zip(*shares.rows, strict=True), strict=True))
    found = distribution(table, design, "z", sampling=roles)
    assert [text.split()[0] for text in columns["Reconstructed"]] == [
        f"{100 * share.estimate:.1f}" for share in found.shares
    ]
    assert [text.split()[0] for text in columns["Reported"]] == [
        f"{100 * share.naive:.1f}" for share in found.shares
    ]


@pytest.fixture(scope="module")
def report(study):
    return build_report(study, DAY)


def blocks(report, kind):
    parts = (*report.sections, *report.attachments)
    return [b for section in parts for b in section.blocks if isinstance(b, kind)]


@pytest.mark.slow
def test_that_the_same_study_gives_the_same_bytes(study, report):
    assert report_html(build_report(study, DAY)) == report_html(report)


@pytest.fixture
def twelve():
    """A study whose report is made at once."""
    return Study.of_distorted(*twelve_answers(), "twelve")


def test_that_another_day_changes_the_date_only(twelve):
    html = report_html(build_report(twelve, DAY))
    other = report_html(build_report(twelve, ReportOptions(date="2031-12-24")))
    assert other != html
    assert other.replace("2031-12-24", "2024-05-01") == html


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="the time zone cannot be changed here")
@pytest.mark.parametrize("zone", ["EAST-14", "WEST+12"])
def test_that_the_date_is_that_of_the_calendar_on_the_wall(twelve, monkeypatch, zone):
    # One of the two has another day than Greenwich at any time.
    with monkeypatch.context() as there:
        there.setenv("TZ", zone)
        time.tzset()
        days = [time.strftime("%Y-%m-%d")]
        told = build_report(twelve).date
        days.append(time.strftime("%Y-%m-%d"))
    time.tzset()
    assert told in days


def test_that_every_chapter_is_there(report):
    assert [section.title for section in report.sections] == [
        "In brief", "Results", "Questions", "How people were asked", "Privacy",
        "Limits of these results", "Method",
    ]  # fmt: skip
    titles = [section.title for section in report.attachments if section.level == 2]
    assert titles == ["Measures", "Data", "Attributes", "Whole questionnaire", "Estimation"]
    assert len([s for s in report.attachments if s.level == 3]) == 5


def test_that_a_teaching_study_tells_its_seed_and_warns_of_it(study, report):
    html = report_html(report)
    assert str(study.settings.seed) in html
    assert "store it with them" in html
    assert __version__ in html


@pytest.mark.slow
def test_that_what_leaves_has_neither_seed_nor_truth(study):
    hidden = study.with_(settings=study.settings.__class__(seed=987_654_321))
    html = report_html(build_report(released_study(hidden), DAY))
    assert "987654321" not in html
    pages = re.sub(r"<style>.*?</style>", "", html, flags=re.DOTALL)
    assert role_colours("distorted")["line"].lower() in pages
    assert role_colours("original")["fill"].lower() not in pages
    assert "This report contains no seed" in html


def test_that_matrices_estimates_and_the_design_are_in_it(study, report):
    heats = blocks(report, Heat)
    assert [heat.columns for heat in heats] == [
        ("F", "M"), ("Riverside", "Łódź", "=1+1"), tuple("12345")
    ]  # fmt: skip
    cells = np.array(heats[1].cells)
    assert np.allclose(cells.sum(axis=0), 1)
    assert cells[0, 0] == 0.55
    # One for each question, and one of all results.
    assert len(blocks(report, Figure)) == 6
    design = next(one for one in blocks(report, Listing) if one.folded)
    assert '"keep": 0.55' in design.text
    table = next(g for g in blocks(report, Grid) if g.heads[:2] == ("Value", "Original"))
    assert table.heads == ("Value", "Original", "Distorted", "Reconstructed", "95\u202f% interval")


def test_that_labels_are_shown_and_never_run():
    asked = Attribute(NASTY, Kind.BINARY, (NASTY, "b"), label=NASTY)
    table = Table((Column(asked, np.array([0, 1] * 20)),))
    html = report_html(build_report(classic_study(table, NASTY), DAY))
    assert "<script" not in html
    assert "&lt;script&gt;" in html
    assert "{{ 6 * 7 }}{% raw %}" in html
    assert "default-src 'none'" in unescape(html)
    for foreign in (" src=", "<link", "@import"):
        assert foreign not in html
    # Parts of a figure are named by its other parts; nothing else is.
    assert re.findall(r"url\((?!#f)|href=\"(?!#)", html) == []
    named = {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
    assert set(re.findall(r"https?://[^\s\"<]+", html)) == named


def test_that_templates_escape_all_but_what_the_program_wrote():
    texts = {path: path.read_text(encoding="utf-8") for path in resource().rglob("*.html")}
    assert len(texts) == 12
    unescaped = {found for text in texts.values() for found in re.findall(r"(\S+) \| safe", text)}
    assert unescaped == {
        "page.style", "page.script", "block.svg", "article.html", "index.html",
        "card.picture.to_svg()", "style",
    }  # fmt: skip
    for path, text in texts.items():
        assert len(re.findall(r"\bsafe\b", text)) == len(re.findall(r"\S \| safe }}", text)), path
        assert "autoescape" not in text


@pytest.mark.parametrize("rows", [0, 1])
def test_that_studies_of_nobody_and_of_one_person_have_reports(rows):
    html = report_html(build_report(make_study("Few", rows=rows), DAY))
    assert "<title>Few" in html
    assert not re.search(r"\bnan\b", html, re.IGNORECASE)


def test_that_a_design_without_answers_has_a_report(study):
    empty = Study(title="Plan", design=study.design)
    report = build_report(empty, DAY)
    html = report_html(report)
    assert "No answers yet." in html
    assert blocks(report, Figure) == []


@pytest.mark.slow
def test_that_every_perturbation_can_be_reported():
    source = np.random.default_rng(3)
    columns, designed = [], []
    # Estimates of numbers take a while; one of each family is enough.
    cases = [*MATRIX_CASES, *INTEGER_CASES[::5], *REAL_CASES[4::3], *OTHER_CASES]
    for place, (attribute, perturbation) in enumerate(cases):
        named = attribute.with_(name=f"{attribute.name}{place}")
        if attribute.kind.is_categorical:
            data = source.integers(0, attribute.k, 60)
        else:
            data = np.rint(source.uniform(*attribute.domain, 60))
        columns.append(Column(named, data))
        designed.append(DesignedAttribute(named, perturbation))
    study = Study("All", Table(tuple(columns)), design=Design(tuple(designed)))
    report = build_report(study, DAY)
    assert len(blocks(report, Figure)) == len(cases) + 1
    assert "nan" not in report_html(report).lower().replace("finance", "")


def test_that_groups_are_told_to_share_a_coin():
    pair = [Attribute(name, Kind.BINARY, ("no", "yes")) for name in "ab"]
    design = Design(
        tuple(DesignedAttribute(one, Identity()) for one in pair),
        None,
        (Group(("a", "b"), "unrelated", 0.7),),
    )
    columns = tuple(Column(one, np.array([0, 1, 1, 0] * 10)) for one in pair)
    html = report_html(build_report(Study("x", Table(columns), design=design), DAY))
    assert "a, b form a group" in html
    assert "Grouped with: b." in html


def test_that_figures_use_the_pattern_of_each_role():
    shares = np.array([0.25, 0.75])
    series = (
        Shares("original", shares),
        Shares("distorted", shares),
        Shares("reconstructed", shares, None, shares - 0.05, shares + 0.05),
    )
    picture = bars_picture("vote", ("no", "yes"), series)
    assert [(one.shape, one.role) for one in picture.marks] == [
        (Shape.BARS, role) for role in (Role.TRUE, Role.REPORTED, Role.ESTIMATE)
    ]
    figure = drawn(picture)
    # Both bars and the box of the legend.
    assert len(re.findall(r'fill="url\(#f\w+\)"', figure.svg)) == 3
    assert figure.summary.startswith(
        "vote. Share in %: no: original 25, distorted 25, reconstructed 25 (20 to 30). yes:"
    )
    edges = np.array([0.0, 1.0, 2.0])
    lines = curves_picture("age", "years", [Shares(s.role, shares, edges=edges) for s in series])
    assert [one.y.tolist() for one in lines.marks] == [[0, 25, 25, 75, 75, 0]] * 3
    assert len(set(re.findall(r'stroke-dasharray="([^"]+)"', drawn(lines).svg))) == 2


def test_that_a_figure_needs_no_styles_that_the_policy_of_the_page_forbids(report):
    figures = blocks(report, Figure)
    for figure in figures:
        assert not re.search(r"<style|\sstyle=", figure.svg)
        used = set(re.findall(r'(?:url\(|href=")#([^")]+)', figure.svg))
        assert used <= set(re.findall(r' id="([^"]+)"', figure.svg))
    names = [name for one in figures for name in re.findall(r' id="([^"]+)"', one.svg)]
    assert len(names) == len(set(names)) > 0


def test_that_every_colour_of_a_figure_follows_the_theme_of_the_page(report):
    html = report_html(report)
    used = {colour for one in blocks(report, Figure)
            for colour in re.findall(r'(?:fill|stroke)="(#\w+)"', one.svg)}  # fmt: skip
    assert len(used) > 4
    assert [one for one in used if f'.picture [fill="{one}"]' not in html] == []


def test_that_the_page_is_written_whole(report, tmp_path):
    write_report(report, tmp_path / "report.html")
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == report_html(report)


def test_that_wide_matrices_are_left_to_the_design_file():
    many = Attribute("town", Kind.NOMINAL, tuple(f"town {i}" for i in range(40)))
    table = Table((Column(many, np.arange(200) % 40),))
    study = Study("x", table, design=Design((DesignedAttribute(many, Uniform(keep=0.5)),)))
    report = build_report(study, DAY)
    assert blocks(report, Heat) == []
    assert "40 × 40 cells" in report_html(report)


def with_regressions(study: Study, *formulas: str) -> Study:
    """The study with these regressions in its history."""
    asked = [
        {"question": {"statistic": "regression", "condition": "", "model": {"formula": one}}}
        for one in formulas
    ]
    return replace(study, results=MappingProxyType({"survey": {"asked": asked}}))


@pytest.fixture(scope="module")
def regressions(study):
    plain = study.with_perturbations({"sex": Identity(), "age": Identity()})
    asked = ("town='=1+1' ~ age", "income ~ sex + age", "town ~ nothing", "income ~ sex + age")
    return with_regressions(plain, *asked)


@pytest.mark.slow
def test_that_regressions_of_the_history_are_fitted_again(regressions):
    """Each once, with table, figure, methods and command; a refused one says why."""
    made = build_report(regressions, DAY)
    titles = [section.title for section in made.attachments]
    place = titles.index("Regressions")
    assert titles[place + 1 : place + 5] == [
        "town by age", "income by sex, age", "town by nothing", "Whole questionnaire",
    ]  # fmt: skip
    first, second, third = made.attachments[place + 1 : place + 4]
    (grid,) = [one for one in first.blocks if isinstance(one, Grid)]
    assert grid.heads == ("Term", "Odds ratio", "95 % interval", "Uncorrected", "True", "p",
                          "B", "SE")  # fmt: skip
    assert [row[0] for row in grid.rows] == ["Constant", "age"]
    figures = [one for part in (first, second) for one in part.blocks if isinstance(one, Figure)]
    assert [one.summary.count("estimate ") for one in figures] == [1, 2]
    assert "Odds ratio (logarithmic axis)" in figures[0].svg
    assert "uncorrected" in figures[0].summary
    said = " ".join(one.text for one in first.blocks if hasattr(one, "text"))
    for words in ("logistic regression of town on age", "The interval includes", "regress Small"):
        assert words in said, words
    assert "no attribute 'nothing'" in third.blocks[0].text


def test_that_only_the_newest_regressions_are_reported(study):
    # Those that are refused count as well, and need no fit.
    many = [f"town ~ nothing{number}" for number in range(14)]
    plain = study.with_perturbations({a.name: Identity() for a in study.attributes})
    made = build_report(with_regressions(plain, *many), DAY)
    (part,) = [section for section in made.attachments if section.title == "Regressions"]
    assert part.blocks[-1].text == "Older regressions not shown: 2."


def test_that_a_study_without_regressions_has_no_such_chapter(report):
    assert "Regressions" not in [section.title for section in report.attachments]


def test_that_an_axis_ends_near_the_points_however_wide_an_interval_is():
    rows = (Effect("a", 2.0, 1.5, 3.0, 1.2, 2.1), Effect("b", 1.1, -1e9, 1e9, math.nan),
            Effect("c", math.inf, math.nan, math.nan))  # fmt: skip
    picture = effects_picture(Message("Effects"), Message("Share"), rows, 0.9)
    assert -10 < picture.x.low < 1 < picture.x.high < 10


@pytest.mark.slow
def test_that_regressions_are_told_in_polish(regressions):
    made = build_report(regressions, DAY, tongue=tongue_of("pl"))
    titles = [section.title for section in made.attachments]
    first = made.attachments[titles.index("Regresje") + 1]
    (grid,) = [one for one in first.blocks if isinstance(one, Grid)]
    (figure,) = [one for one in first.blocks if isinstance(one, Figure)]
    assert first.title == "town względem: age"
    assert grid.heads[:2] == ("Składnik", "Iloraz szans")
    assert grid.rows[0][0] == "Stała"
    assert "Iloraz szans (oś logarytmiczna)" in figure.svg


@pytest.mark.slow
def test_that_a_report_of_invented_answers_says_so_above_everything(study):
    made = build_report(study.with_(invented=True), DAY)
    sentence = "Simulated data: 400 respondents, no real people."
    assert made.banner == sentence
    html = report_html(made)
    assert html.index(sentence) < html.index("<h1>")
    assert "store it with them" not in html
    assert "simulated answers" in html
    (results,) = (one for one in made.sections if one.title == "Questions")
    table = next(block for block in results.blocks if isinstance(block, Grid))
    assert table.heads[-1] == "Invented"


def test_that_the_card_of_a_device_is_shown():
    asked = Attribute("drug", Kind.BINARY, ("no", "yes"), label="Did you?", sensitive=("yes",))
    die = Device("die", (("truth", (1, 2, 3, 4)),))
    mechanism = die.applied(Related(theta=0.7), asked)
    design = Design((DesignedAttribute(asked, mechanism, device=die),))
    table = Table((Column(asked, np.arange(60) % 2),))
    made = build_report(Study.of_distorted(table, design, "Die"), DAY)
    (how,) = (one for one in made.sections if one.title == "How people were asked")
    (shown,) = (block for block in how.blocks if isinstance(block, Figure))
    assert shown.title == "Figure 2. What the card shows below"
    lines = next(block for block in how.blocks if isinstance(block, Points))
    assert len(lines.items) >= 2


def test_that_numbers_are_attached_as_tables(report, tmp_path):
    names = write_attachments(report, tmp_path)
    assert names == ["report-shares.csv", "report-measures.csv", "report-matrices.csv"]
    with (tmp_path / "report-matrices.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    towns = [float(row["probability"]) for row in rows if row["attribute"] == "town"]
    assert sum(towns) == pytest.approx(3)
    assert {row["true"] for row in rows if row["attribute"] == "town"} >= {"'=1+1", "Riverside"}


def test_that_sets_have_a_report():
    attribute, perturbation = SET_CASES[0]
    table = Table((Column(attribute, np.arange(80) % attribute.k),))
    designed = DesignedAttribute(attribute, perturbation)
    made = build_report(Study("Sets", table, design=Design((designed,))), DAY)
    assert "nan" not in report_html(made)


def test_that_what_was_asked_by_a_list_is_named_in_the_results():
    study = listed_study()
    results = next(one for one in build_report(study).sections if one.title == "Results")
    said = [str(one.text) for one in results.blocks if isinstance(one, Paragraph)]
    assert any(text.startswith("theft: By the difference") for text in said)


def test_that_a_report_without_answers_does_not_speak_of_their_draw(study):
    page = report_html(build_report(study.with_(original=None)))
    assert "secure randomness" not in page


def test_that_the_share_from_a_list_is_in_brief():
    brief = build_report(listed_study(), DAY).sections[0]
    (answer,) = (one for one in brief.blocks if isinstance(one, Paragraph) and one.look == "key")
    assert answer.text.startswith("theft: ")
    assert "%" in answer.text


def test_that_a_table_of_results_ends_between_two_questions():
    source = np.random.default_rng(5)
    attributes = [Attribute(f"q{i}", Kind.NOMINAL, tuple("abcdefg")) for i in range(12)]
    table = Table(tuple(Column(one, source.integers(0, 7, 200)) for one in attributes))
    design = Design(tuple(DesignedAttribute(one, Uniform(keep=0.8)) for one in attributes))
    made = build_report(Study("Long", table, design=design), DAY)
    (section,) = (one for one in made.sections if one.title == "Questions")
    (grid,) = (block for block in section.blocks if isinstance(block, Grid))
    assert len(grid.rows) == 56
    assert grid.rows[-1][1] == "g"
    assert "8 of 12 questions" in section.blocks[0].text
    (rest,) = made.sections[-1].blocks
    assert [row[0] for row in rest.rows if row[0]] == ["q8", "q9", "q10", "q11"]


@pytest.mark.slow
def test_that_commands_of_a_study_without_answers_say_that_there_are_none(study):
    planned = build_report(study.with_(original=None, distorted=None), DAY)
    told = unescape(report_html(planned))
    assert "There are no answers yet; Small-survey.csv is to hold them." in told
    assert "is to hold them" not in unescape(report_html(build_report(study, DAY)))


@pytest.fixture(scope="module")
def city():
    asked = [
        {"question": {"statistic": "count", "condition": "drug_use = yes and sex = male"}},
        {"question": {"statistic": "crosstab", "condition": "", "of": "sex", "by": "drug_use"}},
    ]
    study = Study.of_table(load_sample("city-survey", rows=600), "city-survey", epsilon=1.0)
    return replace(study, results=MappingProxyType({"survey": {"asked": asked}}))


@pytest.fixture(scope="module")
def city_report(city):
    return build_report(city, DAY)


SECRETS = ["fare_evasion", "cash_in_hand", "drug_use", "drink_driving"]


def test_that_sensitive_questions_come_first_and_then_what_was_asked(city, city_report):
    titles = [section.title for section in city_report.sections]
    assert titles == [
        "In brief", "Results", "Sensitive questions", "Analyses", "Other questions",
        "How people were asked", "Privacy", "Limits of these results", "Method",
        "Appendix: further questions",
    ]  # fmt: skip
    by_title = {section.title: section for section in city_report.sections}
    listed = []
    for title in ("Sensitive questions", "Other questions", "Appendix: further questions"):
        (grid,) = (one for one in by_title[title].blocks if isinstance(one, Grid))
        listed.append([row[0] for row in grid.rows if row[0]])
    secret, others, rest = listed
    assert secret == [city.shown(name) for name in SECRETS]
    assert (len(others), len(rest)) == (12, 5)
    assert {*secret, *others, *rest} == {city.shown(name) for name in city.design.names}
    assert "12 of 17" in by_title["Other questions"].blocks[0].text
    said, _, table = by_title["Analyses"].blocks
    assert "Used an illegal drug" in said.text
    assert table.title.endswith("The joint distribution of Sex and Used an illegal drug")
    assert table.heads == ("Sex", "no", "yes")
    assert [row[0] for row in table.rows] == ["female", "male"]
    assert all("±" in cell for row in table.rows for cell in row[1:])
    assert table.caption.startswith("Columns: Used an illegal drug.")


def test_that_the_newest_run_of_mine_stands_among_the_analyses(city):
    asked = [(name, "yes") for name in SECRETS]
    runs = [
        Run(number, Mine(values=tuple(asked[:number]), miner=miners["mask"](min_support=0.01)))
        for number in (2, 4)
    ]
    kept = {"mine": {"runs": [run.to_json() for run in runs]}}
    made = build_report(replace(city, results=MappingProxyType(kept)), DAY)
    [analyses] = (one for one in made.sections if one.title == "Analyses")
    said, grid = analyses.blocks
    assert "MASK" in said.text
    answered = ~np.any([city.original[name].missing for name in SECRETS], axis=0)
    assert f"from {answered.sum()} records" in said.text
    supports = [float(row[1]) for row in grid.rows]
    assert supports == sorted(supports, reverse=True)
    named = [row[0].split(", ") for row in grid.rows]
    assert min(map(len, named)) == 2
    titles = {city.shown(name) for name in SECRETS}
    assert {item.rpartition("=")[0] for items in named for item in items} <= titles
    # The time that it took would make every report another one.
    again = build_report(replace(city, results=MappingProxyType(kept)), DAY)
    assert report_html(again) == report_html(made)


@pytest.fixture(scope="module")
def negative_report():
    """A question to which fewer said yes than the device says of itself."""
    attribute = Attribute("smokes", Kind.BINARY, ("no", "yes"), sensitive=("yes",))
    reports = Table((Column(attribute, np.repeat([0, 1], [25, 2])),))
    design = Design((DesignedAttribute(attribute, Uniform(keep=0.85)),))
    return build_report(Study.of_distorted(reports, design, "smoking"), DAY)


def test_that_an_estimate_below_nobody_is_said_to_be_chance_wherever_it_stands(negative_report):
    said = "A share below 0 % arises by chance; treat it as 0."
    brief = negative_report.sections[0]
    assert "-10.8 %" in brief.blocks[0].text
    assert brief.blocks[1].text == said
    [table] = (
        one for section in negative_report.sections if section.title == "Sensitive questions"
        for one in section.blocks
    )  # fmt: skip
    assert said in table.caption


def test_that_belief_in_a_report_starts_where_the_design_starts_it(negative_report):
    """Not from the estimate, which nobody knew when the questions were asked."""
    [privacy] = (one for one in negative_report.sections if one.title == "Privacy")
    [table] = (one for one in privacy.blocks if isinstance(one, Grid))
    assert table.rows == (("smokes", "1.73", "50 %", "85 %", "85 %"),)


def test_that_the_axis_of_a_single_effect_holds_its_interval():
    wide = Effect("a", 7.4, 2.9, 17.9)
    axis = effects_picture(Message("t"), Message("Share"), [wide], 0.95, unit="%").x
    assert axis.low < wide.low
    assert axis.high > wide.high
    assert axis.high - axis.low < 20


def test_that_the_first_chapter_has_question_result_figure_and_facts(city_report):
    lead, key, figure, facts, _warning = city_report.sections[0].blocks
    assert "Did you ride without a ticket" in lead.text
    assert re.match(r"An estimated \d+\.\d % of people have the answer “yes”", key.text)
    assert figure.summary.count("estimate ") == 4
    labels = [label for label, _ in facts.rows]
    assert labels == ["Respondents", "Answers", "Method"]
    assert facts.rows[0][1].startswith("600 people")


def test_that_every_table_and_figure_is_numbered_without_gaps(city_report):
    titles = [one.title for kind in (Grid, Heat) for one in blocks(city_report, kind)]
    figures = [one.title for one in blocks(city_report, Figure)]
    for named, kind in ((titles, "Table"), (figures, "Figure")):
        numbers = sorted(int(re.fullmatch(rf"{kind} (\d+)\. \S.*", one)[1]) for one in named)
        assert numbers == list(range(1, len(numbers) + 1))
    html = unescape(report_html(city_report))
    assert [title for title in (*titles, *figures) if html.count(title) < 1] == []


def test_that_the_privacy_of_every_randomised_question_is_told(city, city_report):
    (privacy,) = (one for one in city_report.sections if one.title == "Privacy")
    (grid,) = (one for one in privacy.blocks if isinstance(one, Grid))
    assert len(grid.rows) == 21
    beliefs = {row[0]: row[-1] for row in grid.rows}
    assert [beliefs[city.shown(name)].endswith("%") for name in SECRETS] == [True] * 4
    assert sum(belief == "–" for belief in beliefs.values()) == 17


@pytest.mark.parametrize(
    ("own", "title"),
    [("", "City survey"), ("Life in the city", "Life in the city")],
)
def test_that_a_report_has_the_title_of_the_survey_and_not_of_its_file(city, own, title):
    named = city.with_(description=replace(city.description, title=own))
    made = build_report(named.with_(design=Design(())), DAY)
    assert made.title == title


def test_that_a_report_says_its_captions_in_polish(city):
    made = build_report(city.with_(original=None), DAY, tongue=tongue_of("pl"))
    titles = [one.title for one in blocks(made, Grid)]
    assert titles[0] == "Tabela 1. Pytania i sposób randomizacji odpowiedzi"
    assert titles[1] == "Tabela 2. Prywatność każdego randomizowanego pytania"


def test_that_shares_that_were_asked_are_percentages(city):
    asked = {"question": {"statistic": "distribution", "condition": "", "of": "sex"}}
    results = MappingProxyType({"survey": {"asked": [asked]}})
    made = build_report(replace(city, results=results), DAY)
    (section,) = (one for one in made.sections if one.title == "Analyses")
    (grid,) = (one for one in section.blocks if isinstance(one, Grid))
    place = grid.heads.index("estimate (%)")
    assert sum(float(row[place]) for row in grid.rows) == pytest.approx(100, abs=0.2)


def asked_report(city, *asked, tongue="en"):
    """The analyses of a report of these questions."""
    kept = {"asked": [{"question": {"condition": "", **one}} for one in asked]}
    study = replace(city, results=MappingProxyType({"survey": kept}))
    made = build_report(study, DAY, tongue=tongue_of(tongue))
    return next(one for one in made.sections if one.title in ("Analyses", "Analizy"))


def test_that_every_analysis_says_of_what_it_is(city):
    compared = {"statistic": "compare", "of": "fare_evasion", "by": "sex", "value": "yes"}
    crossed = {"statistic": "crosstab", "of": "fare_evasion", "by": "district"}
    said, groups, _, table = asked_report(city, compared, crossed).blocks
    assert said.text.startswith("Rode without a ticket: ")
    assert groups.title == "Table 2. The share of Rode without a ticket = yes by Sex"
    # The districts are more than the answers: they stand below each other.
    assert table.heads == ("District", "no", "yes")
    assert len(table.rows) == len(city.attribute("district").values)


def test_that_a_report_calls_the_questions_of_a_sample_in_its_language(city):
    section = asked_report(city, {"statistic": "distribution", "of": "education"}, tongue="pl")
    (grid,) = (one for one in section.blocks if isinstance(one, Grid))
    assert grid.heads[0] == "Wykształcenie"
    assert grid.title == "Tabela 2. Rozkład atrybutu Wykształcenie"


def test_that_a_question_is_shown_as_a_page_shows_it(city_report):
    (how,) = (one for one in city_report.sections if one.title == "How people were asked")
    notes = [one.text for one in how.blocks if isinstance(one, Paragraph) and one.look == "note"]
    question, choices, explained = notes
    assert question == "Did you ride without a ticket in the last 12 months?"
    assert choices.split() == ["○", "no", "○", "yes"]
    assert explained.startswith("Instruction for respondents: “In about 3 of 4 cases")
