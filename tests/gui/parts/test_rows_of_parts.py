"""What counts are not enough for is estimated from all rows of the parts, as the command does."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from examples import sweep
from mining_studies import mining_request, numbers
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox

from ppworkbench.analyses.compliance.compliance import RESULTS, ComplianceRequest
from ppworkbench.analyses.estimates.list_item import ListItem
from ppworkbench.analyses.mining.items import available_items
from ppworkbench.analyses.regression.regress import Regress
from ppworkbench.analyses.survey.answers import (
    SurveyError,
    SurveyResult,
    answer_question,
    sharper_intervals,
)
from ppworkbench.analyses.survey.questions import Question
from ppworkbench.analyses.survey.regressions import judge_fit, predict_by
from ppworkbench.analyses.survey.splits import split_by
from ppworkbench.cli.main import main
from ppworkbench.core.data.sampling_roles import Sampling
from ppworkbench.core.design.design_file import write_design
from ppworkbench.core.mining import miners
from ppworkbench.core.models import parse_formula
from ppworkbench.core.progress import Cancelled
from ppworkbench.core.survey.conditions.condition import parse_condition
from ppworkbench.fieldwork.parts_opening import look_at_folder, open_folder
from ppworkbench.gui.pages.explore.attack_settings import MEMBERS
from ppworkbench.gui.pages.explore.attack_view import ATTACK
from ppworkbench.study.distorted_cache import DistortedCache
from ppworkbench.study.files.study_file import open_study, save_study
from ppworkbench.study.sampling import give_role

ROWS = 800
ROLES = {"w": "weight", "region": "stratum", "school": "cluster"}
DESIGN = {
    "format": "ppworkbench-design",
    "version": 2,
    "attributes": {
        "south": {"kind": "binary", "values": ["no", "yes"]},
        "drug": {
            "kind": "binary",
            "values": ["no", "yes"],
            "sensitive": ["yes"],
            "perturbation": {"type": "forced", "p_truth": 0.7},
        },
        "town": {
            "kind": "nominal",
            "values": ["a", "b", "c"],
            "perturbation": {"type": "uniform", "keep": 0.7},
        },
        "pay": {
            "kind": "integer",
            "domain": [0, 100],
            "perturbation": {"type": "additive", "noise": "uniform", "range_privacy": 20},
        },
        "w": {"kind": "continuous", "domain": [0, 9]},
        "region": {"kind": "nominal", "values": ["east", "west"]},
        "school": {"kind": "nominal", "values": [f"s{place}" for place in range(16)]},
    },
    "arms": {
        "column": "version",
        "members": {
            "A": {"share": 0.5},
            "B": {"share": 0.5, "perturbations": {"drug": {"type": "forced", "p_truth": 0.4}}},
        },
    },
    "lists": {
        "neighbour": {"count": "y", "items": ["gas", "sport"], "short": ["A"], "long": ["B"]},
    },
}
SOUTH = parse_condition("south = yes")
MODEL = Regress(formula=parse_formula("drug=yes ~ south"))
WHERE = ["--where", "south = yes"]
OF_ROWS = {
    "quantile": (Question("quantile", SOUTH, of="pay"), ["quantile", "--of", "pay", *WHERE]),
    "compare": (
        Question("compare", of="drug", by="town", value="yes"),
        ["compare", "--of", "drug=yes", "--by", "town"],
    ),
    "compliance": (
        Question("compliance", compliance=ComplianceRequest("drug")),
        ["compliance", "--attribute", "drug"],
    ),
    "list": (
        Question("list", inquiry=ListItem("neighbour")),
        ["list", "--attribute", "neighbour"],
    ),
}
SAMPLED = {
    "count": (
        Question("count", parse_condition("drug = yes and town in {a}")),
        ["count", "--where", "drug = yes and town in {a}"],
    ),
    "count by arm": (
        Question("count", parse_condition("drug = yes"), by_arm=True),
        ["count", "--where", "drug = yes", "--by-arm"],
    ),
    "count of respondents": (
        Question("count", parse_condition("drug = yes"), target="respondents"),
        ["count", "--where", "drug = yes", "--target", "respondents"],
    ),
    "mean": (Question("mean", SOUTH, of="pay"), ["mean", "--of", "pay", *WHERE]),
    "distribution": (Question("distribution", of="town"), ["distribution", "--of", "town"]),
    "crosstab": (
        Question("crosstab", of="drug", by="town"),
        ["crosstab", "--of", "drug", "--by", "town"],
    ),
    "regression": (
        Question("regression", model=MODEL),
        ["regress", "--formula", "drug=yes ~ south"],
    ),
    **OF_ROWS,
}


@dataclass(frozen=True)
class Drawn:
    """Reported answers with columns that tell how people were drawn, and files of their design."""

    parts: Path
    design: Path
    with_roles: Path


@pytest.fixture(scope="module")
def drawn(tmp_path_factory) -> Drawn:
    folder = tmp_path_factory.mktemp("drawn")
    (folder / "design.json").write_text(json.dumps(DESIGN), encoding="utf-8")
    draw = np.random.default_rng(4)
    region = draw.choice(["east", "west"], ROWS)
    school = draw.integers(0, 8, ROWS) + 8 * (region == "west")
    arm = draw.choice(["A", "B"], ROWS)
    frame = pd.DataFrame(
        {
            "south": draw.choice(["no", "yes"], ROWS, p=[0.4, 0.6]),
            "drug": np.where(draw.random(ROWS) < np.where(arm == "A", 0.35, 0.4), "yes", "no"),
            "town": draw.choice(["a", "b", "c"], ROWS),
            "pay": np.rint(draw.normal(50, 15, ROWS)),
            "w": draw.choice([0.5, 1.25, 3.0], ROWS),
            "region": region,
            "school": [f"s{one}" for one in school],
            "version": arm,
            "y": draw.binomial(2, 0.5, ROWS) + (arm == "B") * (draw.random(ROWS) < 0.3),
        }
    )
    (folder / "parts").mkdir()
    for place, start in enumerate(range(0, ROWS, 250)):
        some = frame.iloc[start : start + 250]
        some.to_parquet(folder / "parts" / f"part.{place}.parquet", index=False)
    study = with_roles(opened(folder / "parts", folder / "design.json"))
    write_design(study.design, folder / "roles.json")
    return Drawn(folder / "parts", folder / "design.json", folder / "roles.json")


def opened(parts: Path, design: Path, rows: int = 120):
    return open_folder(look_at_folder(str(parts), design), rows)


def with_roles(study):
    for name, role in ROLES.items():
        study = give_role(study, [name], role)
    return study


@pytest.fixture(scope="module")
def study(drawn):
    return opened(drawn.parts, drawn.design)


def printed(capsys, drawn, words, design: Path) -> dict:
    command = [words[0], str(drawn.parts), *words[1:], "--seed", "2024", "--json"]
    assert main([*command, "--design", str(design)]) == 0
    return json.loads(capsys.readouterr().out)


def shown_by(answer: SurveyResult) -> dict:
    found = answer.result.to_json()
    if answer.by_arm is not None:
        found |= answer.by_arm.to_json()
    return json.loads(json.dumps(found))


def check_alike(found: dict, expected: dict) -> None:
    """The same numbers; tests and predictions are shown beside coefficients without being asked."""
    for beside in ("tests", "predictions", "state"):
        found.pop(beside, None)
        expected.pop(beside, None)
    assert found == expected


def ask(window, wait_idle, question: Question) -> SurveyResult:
    window.show_page("survey")
    wait_idle()
    page = window.page("survey")
    page.bring_back(question)
    wait_idle()
    answer = page.answer
    assert answer is not None
    assert answer.question.statistic == question.statistic
    return answer


@pytest.mark.slow
@pytest.mark.parametrize("kind", sweep(OF_ROWS, quick=("compare",)))
def test_that_the_window_tells_what_the_command_prints_of_all_rows(
    kind, window, wait_idle, study, drawn, capsys
):
    window.store.open(study)
    question, words = OF_ROWS[kind]
    answer = ask(window, wait_idle, question)
    check_alike(shown_by(answer), printed(capsys, drawn, words, drawn.design))
    assert any("all 800 rows of 4 parts" in remark for remark in answer.remarks)
    assert answer.distorted is study.distorted


def choose_role(page, key: str, name: str) -> None:
    """Select a column and take a role from the list, as a person does."""
    page.store.select([name])
    box = page.inspector.role.findChild(QComboBox, "samplingRole")
    place = box.findData(key)
    box.showPopup()
    QTest.keyClick(box.view(), Qt.Key.Key_Home)
    while box.view().currentIndex().row() != place:
        QTest.keyClick(box.view(), Qt.Key.Key_Down)
    QTest.keyClick(box.view(), Qt.Key.Key_Return)


@pytest.mark.slow
def test_that_roles_given_on_data_apply_to_all_parts(
    window, wait_idle, study, drawn, capsys, tmp_path
):
    window.store.open(study)
    window.show_page("data")
    for name, role in ROLES.items():
        choose_role(window.page("data"), role, name)
    given = window.store.study
    assert given.sampling == Sampling("w", ("region",), "school")
    question, words = SAMPLED["count"]
    roles = [word for name, role in ROLES.items() for word in (f"--{role}", name)]
    answer = ask(window, wait_idle, question)
    found, expected = shown_by(answer), printed(capsys, drawn, [*words, *roles], drawn.design)
    for name in ("estimate", "low", "high", "effective_n"):
        assert found[name] == pytest.approx(expected[name], rel=1e-9)
    check_alike(shown_by(answer), printed(capsys, drawn, words, drawn.with_roles))
    # They are kept with the study.
    save_study(given, tmp_path / "drawn.ppw")
    again = answer_question(question, open_study(tmp_path / "drawn.ppw"), DistortedCache())
    assert isinstance(again, SurveyResult)
    assert shown_by(again) == shown_by(answer)


@pytest.mark.parametrize("kind", sweep(SAMPLED, quick=("count by arm", "regression", "list")))
def test_that_weights_strata_and_clusters_of_all_parts_are_used(kind, study, drawn, capsys):
    question, words = SAMPLED[kind]
    answer = answer_question(question, with_roles(study), DistortedCache())
    assert isinstance(answer, SurveyResult)
    check_alike(shown_by(answer), printed(capsys, drawn, words, drawn.with_roles))


@pytest.mark.parametrize("kind", ["count", "mean"])
def test_that_a_weighted_split_is_that_of_the_rows(kind, study, drawn):
    question = SAMPLED[kind][0]
    whole = opened(drawn.parts, drawn.design, ROWS).with_(parts=None)
    found = split_by("town", question, with_roles(study), DistortedCache())
    expected = split_by("town", question, with_roles(whole), DistortedCache())
    assert found.labels == expected.labels
    for one, other in zip(found.values, expected.values, strict=True):
        assert one is not None
        assert other is not None
        assert one.estimate == pytest.approx(other.estimate, rel=1e-7)
        assert (one.low, one.high) == pytest.approx((other.low, other.high), rel=1e-7)


def test_that_a_weighted_regression_of_parts_is_predicted_and_judged(study, drawn):
    whole = with_roles(opened(drawn.parts, drawn.design, ROWS)).with_(parts=None)
    told = []
    for one in (with_roles(study), whole):
        source = DistortedCache()
        answer = answer_question(SAMPLED["regression"][0], one, source)
        assert isinstance(answer, SurveyResult)
        told.append((predict_by("south", answer, source), judge_fit(answer, source)))
    (found, fit), (expected, other) = told
    assert found.refusal == expected.refusal == ""
    assert [one.estimate for one in found.rows] == pytest.approx(
        [one.estimate for one in expected.rows], rel=1e-6
    )
    assert fit.refusal == other.refusal


@pytest.mark.slow
def test_that_the_readings_of_a_share_are_those_of_the_rows(study, drawn):
    model = ComplianceRequest("drug", behaviours=("safe",))
    kept = {RESULTS: model.to_kept()}
    whole = opened(drawn.parts, drawn.design, ROWS).with_(parts=None)
    question = Question("count", parse_condition("drug = yes"))
    found, expected = (
        answer_question(question, one.with_(results=kept), DistortedCache()).readings
        for one in (study, whole)
    )
    assert found is not None
    assert expected is not None
    for name, value in expected.classes.readings.items():
        assert found.classes.readings[name].estimate == pytest.approx(value.estimate, rel=1e-6)


def test_that_narrower_peaks_are_tried_on_all_rows(study):
    source = DistortedCache()
    question = Question("mean", of="pay")
    answer = answer_question(question, with_roles(study), source)
    assert isinstance(answer, SurveyResult)
    for one in sharper_intervals(answer, source):
        assert one.value.low <= answer.result.value.estimate <= one.value.high


def test_that_rows_are_read_once_for_the_same_question(study, monkeypatch):
    source, reads = DistortedCache(), []
    roles = with_roles(study)
    before = answer_question(SAMPLED["mean"][0], roles, source)

    def fail(*_args: object) -> None:
        reads.append(1)

    monkeypatch.setattr("ppworkbench.core.survey.parted._count_records", fail)
    again = answer_question(SAMPLED["mean"][0], roles, source)
    assert reads == []
    assert shown_by(again) == shown_by(before)


def test_that_more_rows_than_are_put_together_are_said_in_a_sentence(
    window, wait_idle, study, monkeypatch
):
    monkeypatch.setattr("ppworkbench.core.survey.parted.MOST_ROWS", ROWS - 1)
    window.store.open(study)
    window.show_page("survey")
    wait_idle()
    page = window.page("survey")
    # A question that no other test asks: its answer would be remembered for this study.
    quartiles = Question("quantile", of="pay")
    page.bring_back(quartiles)
    wait_idle()
    page.shown()
    found = answer_question(quartiles, study, DistortedCache())
    assert isinstance(found, SurveyError)
    assert found.sentence.startswith("The parts have 800 rows; quantiles, comparisons")
    assert page.answer is None or page.answer.question.statistic != "quantile"
    # Counts are enough for this one.
    assert ask(window, wait_idle, Question("count", SOUTH)).asked_rows == ROWS


def test_that_reading_all_rows_can_be_stopped_between_two_parts(study, soon_stopped):
    with pytest.raises(Cancelled):
        answer_question(OF_ROWS["quantile"][0], study, DistortedCache(), soon_stopped)
    assert max(soon_stopped.reports) < 0.3


def test_that_what_needs_single_people_is_not_offered(window, wait_idle, study):
    window.store.open(study)
    ask(window, wait_idle, Question("count", SOUTH))
    page = window.page("survey")
    page.card.method.choose("sequential")
    wait_idle()
    assert (page.model.question.statistic, page.model.question.method) == ("count", "joint")
    window.show_page("explore")
    explore = window.page("explore")
    explore.show_half(ATTACK)
    wait_idle()
    explore.lab.choose(MEMBERS)
    card = explore.lab.members.card
    card.condition.setText(str(SOUTH))
    card.condition.editingFinished.emit()
    assert "single records, which never leave" in card.summary.text()


@pytest.fixture(scope="module")
def basket_study(drawn, tmp_path_factory):
    """The same answers without arms, in which nothing is mined, with a weight."""
    folder = tmp_path_factory.mktemp("baskets")
    plain = {name: value for name, value in DESIGN.items() if name not in ("arms", "lists")}
    (folder / "design.json").write_text(json.dumps(plain), encoding="utf-8")
    found = opened(drawn.parts, folder / "design.json")
    given = give_role(found, ["w"], "weight")
    write_design(given.design, folder / "roles.json")
    return given, folder / "roles.json"


@pytest.mark.slow
@pytest.mark.parametrize("is_weighted", sweep([True, False], quick=1))
def test_that_mine_weighs_all_rows_as_the_command_does(
    is_weighted, window, wait_idle, basket_study, drawn, capsys
):
    study, design = basket_study
    if not is_weighted:
        study = give_role(give_role(study, ["w"], ""), ["region"], "stratum")
    window.store.open(study)
    window.show_page("mine")
    names = ("south", "drug", "town")
    items = [key for key in available_items(study).by_key if key[0] in names]
    window.page("mine").start(mining_request(tuple(items), miners["shrinkage"]()))
    wait_idle()
    run = window.page("mine").current
    assert run is not None
    assert run.facts["records"] == ROWS
    words = ["mine", *(word for name in names for word in ("--attribute", name))]
    words += [] if is_weighted else ["--no-sampling"]
    expected = [one["support"] for one in printed(capsys, drawn, words, design)["itemsets"]]
    assert len(expected) > 5
    found = numbers(run, "support").tolist()
    assert sorted(found) == pytest.approx(sorted(expected), abs=1e-12)
    said = "by its weight" if is_weighted else "Strata and clusters are not used"
    assert any(said in note for note in run.remarks)
