"""What the window estimates from parts is what the command line prints of them."""

from __future__ import annotations

import dataclasses
import json
import shutil

import pytest
from examples import sweep
from mining_studies import mine_study, mining_request, numbers
from PySide6.QtGui import QGuiApplication

from ppworkbench.analyses.experiments.runs import run_method
from ppworkbench.analyses.mining.items import available_items
from ppworkbench.analyses.regression.regress import Regress
from ppworkbench.analyses.survey.answers import SurveyError, answer_question
from ppworkbench.analyses.survey.questions import Question
from ppworkbench.analyses.survey.splits import split_by
from ppworkbench.cli.main import main
from ppworkbench.core.mining import miners
from ppworkbench.core.models import parse_formula
from ppworkbench.core.progress import Cancelled
from ppworkbench.core.survey.conditions.condition import parse_condition
from ppworkbench.fieldwork.parts_opening import look_at_folder, open_folder
from ppworkbench.gui.pages.mine.texts import why_not
from ppworkbench.study.distorted_cache import Answers, DistortedCache

FEMALE = parse_condition("sex = female")
QUESTIONS = {
    "count": (
        Question("count", parse_condition("sex = female and district in {'Old Town'}")),
        ["count", "--where", "sex = female and district in {'Old Town'}"],
    ),
    "mean": (
        Question("mean", FEMALE, of="income"),
        ["mean", "--of", "income", "--where", "sex = female"],
    ),
    "distribution": (
        Question("distribution", of="age"),
        ["distribution", "--of", "age"],
    ),
    "crosstab": (
        Question("crosstab", of="sex", by="district"),
        ["crosstab", "--of", "sex", "--by", "district"],
    ),
    "regression": (
        Question(
            "regression",
            model=Regress(formula=parse_formula("supports_school ~ sex")),
        ),
        ["regress", "--formula", "supports_school ~ sex"],
    ),
}


@pytest.fixture(scope="module")
def study(folders):
    return open_folder(look_at_folder(str(folders.reported)), 120)


def printed(capsys, folders, *words) -> dict:
    command = [words[0], str(folders.reported), *words[1:], "--seed", "2024"]
    assert main([*command, "--engine", "local", "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def as_printed(found: object) -> dict:
    return json.loads(json.dumps(found))


def ask(window, wait_idle, question: Question) -> None:
    page = window.page("survey")
    page.bring_back(question)
    wait_idle()


@pytest.mark.slow
@pytest.mark.parametrize("kind", sweep(QUESTIONS, quick=("count", "regression")))
def test_that_survey_tells_what_the_command_prints(kind, window, wait_idle, study, folders, capsys):
    window.store.open(study)
    window.show_page("survey")
    wait_idle()
    question, words = QUESTIONS[kind]
    ask(window, wait_idle, question)
    answer = window.page("survey").answer
    assert answer is not None
    assert answer.question.statistic == question.statistic
    expected = printed(capsys, folders, *words)
    found = as_printed(answer.result.to_json())
    assert expected.pop("state") == study.state
    for beside in ("tests", "predictions"):
        # Shown beside the coefficients without being asked for.
        found.pop(beside, None)
        expected.pop(beside, None)
    assert found == expected
    assert any("all 900 rows of 4 parts" in remark for remark in answer.remarks)


@pytest.mark.parametrize("kind", ["count", "mean"])
def test_that_a_split_of_parts_is_that_of_the_rows(kind, study, folders):
    whole = open_folder(look_at_folder(str(folders.reported)), 900)
    rows = whole.with_(parts=None)
    question = QUESTIONS[kind][0]
    found = split_by("district", question, study, DistortedCache())
    expected = split_by("district", question, rows, DistortedCache())
    assert found.labels == expected.labels
    for one, other in zip(found.values, expected.values, strict=True):
        assert (one is None) == (other is None)
        if one is not None:
            assert one.estimate == pytest.approx(other.estimate, rel=1e-9)
            assert one.low == pytest.approx(other.low, rel=1e-9)
            assert one.naive == pytest.approx(other.naive, rel=1e-9)


@pytest.mark.slow
def test_that_a_split_by_a_noisy_number_is_that_of_the_rows(study, folders):
    whole = open_folder(look_at_folder(str(folders.reported)), 900)
    question = Question("count", parse_condition("sex = female and income < 3000"))
    for by in ("age", "district"):
        found = split_by(by, question, study, DistortedCache())
        expected = split_by(by, question, whole.with_(parts=None), DistortedCache())
        assert found.refusal == expected.refusal
        ends = [[(v.low, v.high) for v in one.values if v is not None] for one in (found, expected)]
        assert len(ends[0]) == len(ends[1])
        for one, other in zip(*ends, strict=True):
            assert one == pytest.approx(other, rel=1e-6, abs=1e-9)


def test_that_parts_that_are_gone_are_said_when_something_is_asked(
    window, wait_idle, folders, tmp_path
):
    copy = shutil.copytree(folders.reported, tmp_path / "moved")
    study = open_folder(look_at_folder(str(copy)), 120)
    shutil.rmtree(copy)
    found = answer_question(QUESTIONS["count"][0], study, DistortedCache())
    assert isinstance(found, SurveyError)
    assert "The parts of this study cannot be read" in found.sentence
    window.store.open(study)
    window.show_page("data")
    window.show_page("survey")
    wait_idle()
    assert not window.banner.isVisible()


def test_that_parts_that_changed_are_not_mixed_with_the_sample(folders, tmp_path):
    copy = shutil.copytree(folders.reported, tmp_path / "grown")
    study = open_folder(look_at_folder(str(copy)), 120)
    shutil.copy(copy / "part.0.parquet", copy / "part.9.parquet")
    found = answer_question(QUESTIONS["count"][0], study, DistortedCache())
    assert isinstance(found, SurveyError)
    assert "open the folder again" in found.sentence


def test_that_an_estimate_can_be_stopped_between_two_parts(study, soon_stopped):
    with pytest.raises(Cancelled):
        answer_question(QUESTIONS["count"][0], study, DistortedCache(), soon_stopped)


def test_that_parts_are_read_once_for_the_same_question(study):
    source = DistortedCache()
    answers = [source.for_estimates(study) for _ in range(2)]
    assert not any(isinstance(one, Answers) for one in answers)
    names = ("sex",)
    first = answers[0].merged_answers(study.design, names)
    assert answers[1].merged_answers(study.design, names) is first


def test_that_the_command_and_methods_name_folder_engine_and_rows(
    window, wait_idle, study, folders
):
    window.store.open(study.with_(parts=dataclasses.replace(study.parts, engine="local:1")))
    window.show_page("survey")
    ask(window, wait_idle, QUESTIONS["count"][0])
    page = window.page("survey")
    page.copy_methods()
    assert "answers of 900 respondents" in QGuiApplication.clipboard().text()
    assert page.command_action.isVisible()
    page.copy_command()
    copied = QGuiApplication.clipboard().text()
    assert f"ppworkbench share {folders.reported.resolve()}" in copied
    assert "--engine local:1" in copied


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "algorithm"),
    [
        ("district", "em-as"),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in (("sex", "eq"), ("age", "em"), ("income", "em"), ("income", "smooth"))
        ),
    ],
)
def test_that_explore_reconstructs_what_the_command_does(
    name, algorithm, window, qtbot, study, folders, capsys
):
    window.store.open(study)
    window.store.select([name])
    window.show_page("explore")
    page = window.page("explore")
    qtbot.waitUntil(lambda: page.result is not None)
    result = page.result
    draw = result.draw
    assert draw.counted.rows + draw.counted.missing == 900
    words = ["--attribute", name, "--algorithm", algorithm]
    words += ["--stop", "converged"] if algorithm.startswith("em") else []
    if draw.explored.steps is not None:
        words += ["--bins", str(draw.explored.steps)]
    found = printed(capsys, folders, "reconstruct", *words)["attributes"][name]
    run = run_method(algorithm, draw)
    assert run.trace.finished
    shown = run.at(run.stop("converged", 0)).probability.tolist()
    assert shown == pytest.approx(found["probability"], abs=1e-12)


def test_that_explore_says_why_parts_cannot_be_counted(window, qtbot, folders, tmp_path):
    copy = shutil.copytree(folders.reported, tmp_path / "moved")
    study = open_folder(look_at_folder(str(copy)), 120)
    shutil.rmtree(copy)
    window.store.open(study)
    window.show_page("explore")
    said = "The parts of this study cannot be read"
    qtbot.waitUntil(lambda: said in window.banner.label.text())
    assert window.page("explore").result is None


@pytest.mark.slow
@pytest.mark.parametrize("method", sweep(["shrinkage", "mask"], quick=1))
@pytest.mark.parametrize("leaves_out", sweep([True, False], quick=1))
def test_that_mine_finds_in_parts_what_it_finds_in_the_rows(
    method, leaves_out, window, wait_idle, study, folders
):
    window.store.open(study)
    window.show_page("mine")
    names = ("sex", "district", "supports_school")
    items = [key for key in available_items(study).by_key if key[0] in names]
    items = items[2:] if leaves_out else items
    request = mining_request(tuple(items), miners[method](min_support=0.05))
    runs = window.page("mine")
    runs.start(request)
    wait_idle()
    run = runs.current
    assert run is not None
    assert run.facts["records"] == 900
    whole = open_folder(look_at_folder(str(folders.reported)), 900).with_(parts=None)
    alone = mine_study(whole, request)
    for column in ("support", "uncorrected"):
        expected = sorted(numbers(alone, column).tolist())
        assert sorted(numbers(run, column).tolist()) == pytest.approx(expected, abs=1e-9)
    assert any("all 900 rows" in note for note in run.remarks)


def test_that_a_method_that_looks_at_records_is_refused(window, wait_idle, study):
    window.store.open(study)
    window.show_page("mine")
    assert why_not("mmask", study) == "It looks at single records, which never leave their parts."
    assert why_not("shrinkage", study) == ""
    items = [key for key in available_items(study).by_key if key[0] == "sex"]
    window.page("mine").start(mining_request(tuple(items), miners["mmask"]()))
    wait_idle()
    assert "never leave their parts" in window.banner.label.text()
