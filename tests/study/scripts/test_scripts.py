"""Scripts of results: run with the exported files alone, they give the same numbers."""

from __future__ import annotations

import json
import math
import os
import stat
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest
from asking import distorted_study, small_study
from examples import sweep
from role_studies import drawn_study
from scripted import QUESTIONS, answered
from studies import listed_study, noisy_study

from ppworkbench.api.result import Result
from ppworkbench.api.text import plain
from ppworkbench.core.compliance.assess_list import DIFFERENCE, ListInquiry
from ppworkbench.core.compliance.classes import Behaviour
from ppworkbench.core.design import Identity, Subset, Uniform
from ppworkbench.core.design.budget import DesignBudget
from ppworkbench.core.errors import DataError
from ppworkbench.core.experiment import Plan, Setting, Sweep
from ppworkbench.core.experiment.engines import InProcess
from ppworkbench.core.files import resource
from ppworkbench.core.mining import miners
from ppworkbench.core.planning.allocation import Aim, allocate
from ppworkbench.core.privacy.assess import assess_attribute
from ppworkbench.core.privacy.utility.goal_seek import Question as AskedQuestion
from ppworkbench.core.progress import silent
from ppworkbench.core.publish import AccuracyTally, CurveOptions
from ppworkbench.core.survey import parse_condition
from ppworkbench.study.analyses.attack import (
    ATTACKS,
    FILTER,
    LINK,
    OF_ONE,
    AttackRequest,
    run_attack,
    usual_links,
)
from ppworkbench.study.analyses.budget import make_finite, share_study, with_budget
from ppworkbench.study.analyses.classification import ClassifyRequest, ClassifyRun, run_request
from ppworkbench.study.analyses.design import Z95, assess_study, measures_of, report_of
from ppworkbench.study.analyses.design_arms import start_arms, version_study, with_own_devices
from ppworkbench.study.analyses.explore.draws import explored_column, simulate
from ppworkbench.study.analyses.explore.repeats import PartialResult as Repeats
from ppworkbench.study.analyses.explore.repeats import repeat as repeat_draws
from ppworkbench.study.analyses.explore.runs import explore
from ppworkbench.study.analyses.mining.runs import (
    ItemCache,
    MiningRequest,
    PartialResult,
    available_items,
    run_mining,
)
from ppworkbench.study.analyses.pins import RESULTS as PINS
from ppworkbench.study.analyses.pins import read_pins, toggle_pin
from ppworkbench.study.analyses.plan import PlanBuilder, solve_plan
from ppworkbench.study.analyses.publication import (
    DISTORTED,
    PAGE,
    Accuracies,
    PreparedTable,
    ReleasePlan,
    kept_accuracies,
    make_groups,
    mark_answers,
    measure_accuracies,
    predict_better,
)
from ppworkbench.study.analyses.rehearsal import RehearsalSettings, Strength, rehearse
from ppworkbench.study.analyses.survey.questions import Question
from ppworkbench.study.analyses.trade_off.frontier import (
    FrontierDesign,
    has_frontier,
    search_frontier,
    with_curve,
)
from ppworkbench.study.analyses.trade_off.goals import Goal, find_repair, needed_respondents
from ppworkbench.study.analyses.trade_off.places import (
    direct_half_width,
    family_curve,
    free_parameters,
    place_of,
    report_place,
)
from ppworkbench.study.deniable import deniable_points
from ppworkbench.study.distorted_cache import DistortedCache
from ppworkbench.study.files.study_file import open_study as read_study
from ppworkbench.study.gallery.compare import compare_gallery
from ppworkbench.study.gallery.surveys import read_gallery
from ppworkbench.study.gallery.tables import gallery_to_json
from ppworkbench.study.handover.checklist import release_checklist
from ppworkbench.study.language import read_catalogue
from ppworkbench.study.release import release_points, undistorted, without_attributes
from ppworkbench.study.scripts.analysis import PYTHON, SCRIPT_NAMES, STATA, Analysis
from ppworkbench.study.scripts.folder import origin_of, write_script_folder
from ppworkbench.study.scripts.python import literal
from ppworkbench.study.scripts.results import (
    accuracy_analysis,
    allocation_analysis,
    attack_analysis,
    budget_analysis,
    classification_analysis,
    gallery_analysis,
    mining_analysis,
    pins_analysis,
    plan_analysis,
    privacy_analysis,
    reconstruction_analysis,
    release_analysis,
    repeats_analysis,
    solving_analysis,
    survey_analysis,
    table_analysis,
    trade_off_analysis,
)
from ppworkbench.study.scripts.script import write_script
from ppworkbench.study.study import PriorChoice, Study

ROOT = Path(__file__).resolve().parents[3]


def run_python(script: Path) -> tuple[str, object]:
    """What a script prints, and its result as JSON."""
    code = script.read_text(encoding="utf-8")
    more = "import json\n\nprint('JSON' + json.dumps(found.to_dict()))\n"
    script.write_text(code + more, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        [sys.executable, script.name], cwd=script.parent, env=environment, capture_output=True,
        encoding="utf-8", timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    told, _, document = done.stdout.partition("JSON")
    return told, json.loads(document)


def assert_same(found: object, expected: object, place: str = "") -> None:
    """Every number of a result is in another one; remarks about a study need not be."""
    if isinstance(expected, Mapping):
        assert isinstance(found, Mapping), place
        for name, value in expected.items():
            if name not in ("remarks", "true", "seconds"):
                assert_same(found[name], value, f"{place}/{name}")
    elif isinstance(expected, Sequence) and not isinstance(expected, str):
        assert isinstance(found, Sequence), place
        assert len(found) == len(expected), place
        for i, (one, other) in enumerate(zip(found, expected, strict=True)):
            assert_same(one, other, f"{place}/{i}")
    elif isinstance(expected, float) and isinstance(found, float):
        assert math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-12), (place, found, expected)
    else:
        assert found == expected, place


def changed_numbers(document: object) -> object:
    """The same with every number a little larger: a comparison that passes it proves nothing."""
    if isinstance(document, Mapping):
        return {name: changed_numbers(value) for name, value in document.items()}
    if isinstance(document, Sequence) and not isinstance(document, str):
        return [changed_numbers(one) for one in document]
    return document * 1.001 + 0.001 if isinstance(document, float) else document


def check_python(folder: Path, analysis: Analysis, study: Study, expected: object) -> str:
    script = write_script_folder(folder, PYTHON, analysis, study, DistortedCache())
    told, document = run_python(script)
    assert_same(document, plain(expected))
    return told


@pytest.mark.slow
def test_that_the_python_script_of_a_share_gives_the_same_numbers(tmp_path):
    answer = answered(QUESTIONS["share"], distorted_study())
    told = check_python(
        tmp_path / "new", survey_analysis(answer), answer.study, answer.result.to_json()
    )
    assert str(answer.result.sentence) in told
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == [
        "share.py", "told-design.json", "told-distorted.csv",
    ]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("make_study", [distorted_study, small_study])
@pytest.mark.parametrize("name", QUESTIONS)
def test_that_python_scripts_of_survey_results_give_the_same_numbers(name, make_study, tmp_path):
    answer = answered(QUESTIONS[name], make_study())
    script = write_script_folder(
        tmp_path / "new", PYTHON, survey_analysis(answer), answer.study, DistortedCache()
    )
    told, document = run_python(script)
    assert told.strip()
    assert_same(document, plain(answer.result.to_json()))
    with pytest.raises(AssertionError):
        assert_same(document, plain(changed_numbers(answer.result.to_json())))


@pytest.mark.slow
@pytest.mark.parametrize("target", ["population", "respondents"])
def test_that_a_python_script_uses_the_sampling(target, tmp_path):
    answer = answered(
        Question("count", parse_condition("ticket = yes"), target=target), drawn_study()
    )
    analysis = survey_analysis(answer)
    assert analysis.survey is not None
    assert "weights" in analysis.survey
    told = check_python(tmp_path / "new", analysis, answer.study, answer.result.to_json())
    assert str(answer.result.sentence) in told


@pytest.mark.slow
@pytest.mark.parametrize("method", ["ml", DIFFERENCE])
def test_that_a_python_script_of_a_list_gives_the_same_numbers(method, tmp_path):
    study = listed_study()
    inquiry = ListInquiry(study.design.lists[0].name, method)
    answer = answered(Question("list", inquiry=inquiry), study)
    told = check_python(tmp_path / "new", survey_analysis(answer), study, answer.result.to_json())
    assert str(answer.result.sentence) in told


def test_that_a_script_tells_where_it_comes_from():
    answer = answered(QUESTIONS["share"], small_study())
    analysis = survey_analysis(answer)
    for language in SCRIPT_NAMES:
        told = write_script(
            language, analysis, answer.study.design, origin_of(analysis, answer.study)
        )
        for words in ("Study: small.", "reported answers", "ppworkbench 0.", "known seed"):
            assert words in told


def test_that_a_script_speaks_the_language_of_the_reader():
    polish = read_catalogue(resource("languages", "pl"), decimal=",").sentence
    answer = answered(QUESTIONS["share"], distorted_study())
    analysis = survey_analysis(answer)
    for language in SCRIPT_NAMES:
        origin = origin_of(analysis, answer.study, polish)
        told = write_script(language, analysis, answer.study.design, origin)
        assert "Odsetek osób spełniających warunek" in told
        assert "Badanie: told." in told
        assert "Study" not in told


def test_that_no_title_ends_a_comment():
    answer = answered(QUESTIONS["share"], distorted_study())
    study = answer.study.with_(title='x\nimport os\r"""*/ /* ///\u2028print(1)')
    analysis = survey_analysis(replace(answer, study=study))
    for language, mark in (("python", "#"), ("r", "#"), (STATA, "*")):
        told = write_script(language, analysis, study.design, origin_of(analysis, study))
        head = told.split("\n\n")[0]
        assert all(line.startswith(mark) for line in head.splitlines())
        assert language != STATA or "/*" not in head


@pytest.mark.parametrize(
    "value",
    ["plain", 'a "quoted" one', "it's", "back\\slash\n", 'both \' and "', -1.5, True, None, (1,),
     [], {"a": (0.1, float("inf"))}],
)  # fmt: skip
def test_that_values_are_written_as_python_reads_them(value):
    assert eval(literal(value), {"float": float}) == value


def test_that_a_folder_with_something_in_it_is_left_alone(tmp_path):
    answer = answered(QUESTIONS["share"], distorted_study())
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(DataError):
        write_script_folder(
            tmp_path, PYTHON, survey_analysis(answer), answer.study, DistortedCache()
        )
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


# The results of other pages


def run_here(folder: Path, analysis: Analysis, study: Study, capsys) -> dict[str, object]:
    """The result of a script that is run in this process, in its folder."""
    script = write_script_folder(folder, PYTHON, analysis, study, DistortedCache())
    before = Path.cwd()
    os.chdir(folder)
    try:
        made: dict[str, object] = {"__name__": "__main__"}
        exec(compile(script.read_text(encoding="utf-8"), script.name, "exec"), made)
    finally:
        os.chdir(before)
    assert capsys.readouterr().out
    found = made["found"]
    assert isinstance(found, Result)
    return found.to_dict()


@pytest.mark.parametrize(
    ("name", "method", "stop"), [("town", "eq", None), ("town", "em-as", 5), ("age", "em", 5)]
)
def test_that_the_script_of_a_reconstruction_gives_the_same_shares(
    name, method, stop, tmp_path, capsys
):
    study = small_study()
    explored = explored_column(study, name)
    assert explored is not None
    run = explore(explored, study.settings.seed, [method]).runs[method]
    analysis = reconstruction_analysis(study, name, method, stop=stop, bins=explored.steps)
    found = run_here(tmp_path / "new", analysis, study, capsys)
    shown = run.at(run.trace.last if stop is None else stop).probability
    assert found["attributes"][name]["probability"] == pytest.approx(shown.tolist())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "methods", "draws"),
    sweep([("town", ("eq", "em-as"), 20), ("age", ("em", "smooth"), 10)], quick=1),
)
def test_that_the_script_of_repeated_draws_gives_the_same_losses(
    name, methods, draws, tmp_path, capsys
):
    study = small_study()
    explored = explored_column(study, name, None if name == "town" else 8)
    assert explored is not None
    shown = Repeats(explored, draws, 30)
    repeat_draws(simulate(explored, 7), methods, 30, shown)
    found = run_here(tmp_path / "new", repeats_analysis(study, shown), study, capsys)
    assert found["draws"] == draws
    told = {(one["algorithm"], one["stop"] or ""): one for one in found["losses"]}
    for (method, rule), losses in shown.losses.items():
        one = told.pop((method, "30" if rule == "fixed" else rule))
        assert one["information_loss"] == pytest.approx(losses)
        assert one["mean"] == pytest.approx(sum(losses) / draws)
    assert not told


@pytest.mark.parametrize("make_study", [start_arms, lambda study: study])
def test_that_draws_of_reports_are_repeated_in_arms_and_for_sets(make_study, tmp_path, capsys):
    device = Uniform(keep=0.7) if make_study is start_arms else Subset(epsilon=2.0)
    study = make_study(small_study().with_perturbations({"town": device}))
    explored = explored_column(study, "town")
    assert explored is not None
    shown = Repeats(explored, 10, 100)
    repeat_draws(simulate(explored, study.settings.seed), ("em-as",), 100, shown)
    found = run_here(tmp_path / "new", repeats_analysis(study, shown), study, capsys)
    assert [one["information_loss"] for one in found["losses"]] == [
        pytest.approx(losses) for losses in shown.losses.values()
    ]


@pytest.mark.parametrize("is_whole", [True, False])
def test_that_the_script_of_a_mining_run_gives_the_same_sets(is_whole, tmp_path, capsys):
    study = small_study()
    keys = [key for key in available_items(study).by_key if key[0] in ("town", "vote")]
    request = MiningRequest(
        tuple(keys if is_whole else keys[:3]), miners["shrinkage"](min_support=0.1), 0.3
    )
    caches = DistortedCache(), ItemCache()
    run = run_mining(study, caches, request, PartialResult())
    found = run_here(tmp_path / "new", mining_analysis(study, request), study, capsys)
    assert len(found["itemsets"]) == run.total
    assert len(found["rules"]) == run.rule_count
    assert run.sets is not None
    supports = sorted(one["support"] for one in found["itemsets"])
    assert supports == pytest.approx(sorted(run.sets.values[run.sets.bar].tolist()))
    assert run.errors
    for told, shown in zip(found["levels"], run.errors, strict=True):
        counts = [told[name] for name in ("length", "true", "found", "correct")]
        assert counts == [shown.size, shown.true, shown.found, shown.correct]
        for name, share in (
            ("support_error", shown.support_error), ("false_negative", shown.missed),
            ("false_positive", shown.extra),
        ):  # fmt: skip
            percent = math.nan if told[name] is None else told[name]
            assert percent == pytest.approx(100 * share, nan_ok=True), name
        assert told["f1"] == pytest.approx(shown.f1)


def test_that_true_answers_beside_a_script_are_for_their_owner_only(tmp_path):
    study, folder = small_study(), tmp_path / "new"
    keys = [key for key in available_items(study).by_key if key[0] == "town"]
    request = MiningRequest(tuple(keys), miners["shrinkage"](min_support=0.1), 0.3)
    analysis = mining_analysis(study, request)
    script = write_script_folder(folder, PYTHON, analysis, study, DistortedCache())
    told = " ".join(script.read_text(encoding="utf-8").split("\n# "))
    assert "The script reads true answers. Do not pass them on." in told
    assert "Only the owner can read small-distorted.csv, small-original.csv." in told
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
    assert modes["small-original.csv"] == modes["small-distorted.csv"] == 0o600
    assert modes["small-design.json"] != 0o600


def test_that_the_script_of_reported_answers_names_no_original():
    study = distorted_study()
    keys = [key for key in available_items(study).by_key if key[0] == "town"]
    request = MiningRequest(tuple(keys), miners["shrinkage"](min_support=0.1), 0.3)
    assert "original" not in mining_analysis(study, request).arguments


def test_that_the_script_of_the_measures_gives_the_same_numbers(tmp_path, capsys):
    study = small_study().with_choice("vote", PriorChoice("drawn", (3.0, 1.0)))
    report = assess_study(study)
    found = run_here(tmp_path / "new", privacy_analysis(study), study, capsys)
    assert_same(found, plain(report.to_json()))


def test_that_the_script_of_a_design_with_arms_measures_every_arm(tmp_path, capsys):
    study = start_arms(small_study().with_choice("vote", PriorChoice("drawn", (3.0, 1.0))))
    study = with_own_devices(study, "B", {"vote": Uniform(keep=0.5)})
    found = run_here(tmp_path / "new", privacy_analysis(study), study, capsys)
    for arm in ("A", "B"):
        report = assess_study(version_study(study, arm))
        expected = plain(report.to_json())["attributes"]["vote"]["privacy"]
        assert_same(found["arms"][arm]["attributes"]["vote"]["privacy"], expected, arm)
    told = [found["arms"][arm]["attributes"]["vote"]["privacy"]["epsilon"] for arm in ("A", "B")]
    assert told[0] != told[1]


def pinned_study() -> Study:
    """Two designs of one question are pinned, and one of another."""
    study = small_study().with_choice("vote", PriorChoice("drawn", (3.0, 1.0)))
    for name, keep in (("vote", 0.7), ("vote", 0.95), ("town", 0.6)):
        study = study.with_perturbations({name: Uniform(keep=keep)})
        study = study.with_results(PINS, toggle_pin(study, name))
    return study.with_perturbations({"vote": Uniform(keep=0.85)})


def test_that_the_script_of_the_measures_compares_the_pins(tmp_path, capsys):
    study = pinned_study()
    goal = Goal.from_json(study.goals)
    found = run_here(tmp_path / "new", privacy_analysis(study), study, capsys)
    told = {name: set(devices) for name, devices in found["compare"].items()}
    assert told == {"A": {"vote", "town"}, "B": {"vote"}}
    for name in ("vote", "town"):
        report = report_of(study, name)
        needed = measures_of(report, goal.points / 100)["needed"]
        assert found["attributes"][name]["utility"]["respondents"] == needed
        for pin in read_pins(study.results[PINS], report.attribute).pins:
            assert pin.perturbation is not None
            asked = report.attribute, pin.perturbation
            would = assess_attribute(asked, report.prior, report.utility.n, report.noncompliance)
            told = found["compare"][pin.letter][name]
            assert_same(told, plain(would.to_json()), pin.letter)
            needed = measures_of(would, goal.points / 100)["needed"]
            assert told["utility"]["respondents"] == needed
    epsilons = [found["compare"][pin]["vote"]["privacy"]["epsilon"] for pin in "AB"]
    assert epsilons[0] < found["attributes"]["vote"]["privacy"]["epsilon"] < epsilons[1]


@pytest.mark.parametrize("arm", ["", "B"])
def test_that_the_script_of_pins_measures_them_for_the_arm_in_front(arm, tmp_path, capsys):
    study = version_study(start_arms(pinned_study()), arm)
    found = run_here(tmp_path / "new", pins_analysis(study, "vote"), study, capsys)
    assert_same(found["attributes"]["vote"], plain(report_of(study, "vote").to_json()))
    assert {name: set(devices) for name, devices in found["compare"].items()} == {
        "A": {"vote"}, "B": {"vote"},
    }  # fmt: skip
    told = found["compare"]["A"]["vote"]["utility"]["standard_error"]
    report = report_of(study, "vote")
    asked = report.attribute, Uniform(keep=0.7)
    would = assess_attribute(asked, report.prior, report.utility.n)
    assert told == pytest.approx(plain(would.to_json())["utility"]["standard_error"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "measure"),
    sweep(
        [("vote", "belief"), ("town", "epsilon"), ("age", "attack_success")],
        quick=[("town", "epsilon"), ("age", "attack_success")],
    ),
)
def test_that_the_script_of_a_trade_off_has_the_places_of_the_chart(
    name, measure, tmp_path, capsys
):
    study = pinned_study()
    settings = replace(study.settings, noncompliance=0.1, noncompliance_manner="safe")
    study = version_study(start_arms(study.with_(settings=settings)), "B")
    found = run_here(tmp_path / "new", trade_off_analysis(study, name, measure), study, capsys)
    report = report_of(study, name)
    question = AskedQuestion(
        report.attribute, report.prior, report.utility.n, noncompliance=report.noncompliance
    )
    place = report_place(report, measure)
    told = {"privacy": place.privacy, "half_width": place.half_width, "bias": place.bias}
    assert_same(found["place"], plain(told))
    assert found["direct"] == pytest.approx(direct_half_width(question))
    curve = family_curve(question, report.perturbation, measure)
    assert curve is not None
    assert [one["value"] for one in found["curve"]] == pytest.approx(curve.values.tolist())
    assert [one["privacy"] for one in found["curve"]] == pytest.approx(curve.privacy.tolist())
    assert [one["half_width"] for one in found["curve"]] == pytest.approx(curve.half_width.tolist())
    designs: tuple[FrontierDesign, ...] = ()
    if has_frontier(report.attribute):
        designs = with_curve(search_frontier(question, measure), question, curve)
    assert (name == "age") is not bool(designs)
    shown = [(one.place.privacy, one.place.half_width) for one in designs]
    drawn = [(one["privacy"], one["half_width"]) for one in found["frontier"]]
    assert np.array(drawn) == pytest.approx(np.array(shown))
    pins = {pin.letter: pin for pin in read_pins(study.results[PINS], report.attribute).pins}
    assert set(found.get("compare", {})) == set(pins)
    for letter, pin in pins.items():
        assert pin.perturbation is not None
        there = place_of(question, pin.perturbation, measure)
        assert found["compare"][letter]["privacy"] == pytest.approx(there.privacy)
        assert found["compare"][letter]["half_width"] == pytest.approx(there.half_width)
    goal = Goal.from_json(study.goals)
    assert found["goal"]["met"] == goal.is_met(place, measure, report.attribute)
    assert found["goal"]["respondents"] == plain(needed_respondents(question, place, goal))
    now = free_parameters(report.attribute, report.perturbation)[0].now
    repair = find_repair(question, measure, goal, curve, designs, now)
    told = found["goal"]["repair"]
    if repair.perturbation is None:
        assert told["respondents"] == plain(repair.needed)
    else:
        assert_same(told["perturbation"], plain(repair.perturbation.to_json()))


def test_that_the_script_of_a_plan_gives_the_same_respondents(tmp_path, capsys):
    study = small_study()
    view = PlanBuilder().build(study)
    found = run_here(tmp_path / "new", plan_analysis(study), study, capsys)
    for row in view.rows:
        assert_same(found["attributes"][row.name], plain(row.found.to_json()), row.name)


def solvable_study(kind: str) -> Study:
    """A study whose plan has limits of its own, skips, a test or arms."""
    study = small_study().with_choice("vote", PriorChoice("drawn", (3.0, 1.0)))
    if kind == "arms":
        return with_own_devices(start_arms(study), "B", {"vote": Uniform(keep=0.95)})
    if kind == "test":
        return study.with_(plan=replace(study.plan, aim="power", against=0.1))
    own = study.plan.with_limit("mood", "belief", 0.3).with_limit("town", "skipped", 0.2)
    return study.with_(plan=replace(own, response_rate=0.5, has_epsilon=True))


@pytest.mark.parametrize("kind", ["limits", "test", "arms"])
def test_that_the_script_of_solving_gives_the_same_parameters(kind, tmp_path, capsys):
    study = solvable_study(kind)
    shown = solve_plan(study)
    assert shown.is_changed
    found = run_here(tmp_path / "new", solving_analysis(study), study, capsys)
    for row in shown.rows:
        name = row.before.name
        assert_same(found["attributes"][name], plain(row.after.found.to_json()), name)
        assert_same(found["before"]["attributes"][name], plain(row.before.found.to_json()), name)
        told = found["attributes"][name]["solution"]
        values = told["before"], told["before" if told["snapped"] is None else "snapped"]
        assert values == pytest.approx(row.values)
        assert (told["reason"] is None) is (row.solution.reason is None)
    for document, view in ((found["before"], shown.before), (found, shown.after)):
        assert view.total is not None
        assert_same(document["total"], plain(view.total.to_json()))
    assert (kind == "limits") is any(row.solution.reason is not None for row in shown.rows)


def test_that_the_script_of_a_plan_tells_a_belief_that_nothing_keeps(tmp_path, capsys):
    study = solvable_study("limits")
    view = PlanBuilder().build(study)
    row = view.row("mood")
    assert row is not None
    assert row.found.light == "breaks"
    found = run_here(tmp_path / "new", plan_analysis(study), study, capsys)
    assert_same(found["attributes"]["mood"], plain(row.found.to_json()))


@pytest.mark.slow
def test_that_the_script_of_the_gallery_compares_the_same_numbers(tmp_path, capsys):
    expected = gallery_to_json(compare_gallery(read_gallery()))
    found = run_here(tmp_path / "new", gallery_analysis(), Study(), capsys)
    assert_same(found["surveys"], plain(expected)["surveys"])
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["gallery.py"]
    told = (tmp_path / "new" / "gallery.py").read_text(encoding="utf-8")
    assert "Run it: python gallery.py" in told


@pytest.mark.parametrize("key", ATTACKS)
def test_that_the_script_of_an_attack_gives_the_same_numbers(key, tmp_path, capsys):
    study = small_study()
    if key == FILTER:
        study = noisy_study()
    name = "vote" if key in OF_ONE else ""
    request = AttackRequest(key, study, name, usual_links(study)[:2] if key == LINK else ())
    outcome = run_attack(request, DistortedCache(), silent)
    assert outcome.found is not None, outcome.fault
    found = run_here(tmp_path / "new", attack_analysis(request), study, capsys)
    assert found["attack"] == key
    assert_same(found, plain(asdict(outcome.found)))
    assert (tmp_path / "new" / f"{study.title}-original.csv").exists()


@pytest.mark.parametrize("is_open", [False, True])
def test_that_the_script_of_a_shared_out_budget_gives_the_same_epsilons(is_open, tmp_path, capsys):
    study = small_study().with_choice("vote", PriorChoice("drawn", (3.0, 1.0)))
    if is_open:
        study = study.with_perturbations({"mood": Identity()})
    budget = DesignBudget(
        total=14.0, rule="sum", of="variance", weights=(("vote", 2.0),), locked=("town",),
        ask=2 if is_open else None, waves=2,
    )  # fmt: skip
    study = make_finite(with_budget(study, budget))
    shown = share_study(study, budget)
    assert shown.study is not None, shown.refusal
    found = run_here(tmp_path / "new", budget_analysis(study, budget), study, capsys)
    told = found["attributes"]
    assert {one.name for one in shown.rows} == set(told)
    for one in shown.rows:
        assert told[one.name]["epsilon"] == pytest.approx(one.epsilons[1])
        assert Z95 * told[one.name]["standard_error"] == pytest.approx(one.half_widths[1])
    assert found["total_distorted"] == pytest.approx(shown.spent[1])
    assert ("mood" in found["undistorted"]) is is_open


@pytest.mark.parametrize(
    ("aim", "costs"),
    [
        (Aim(), {"A": 1.0, "B": 1.0}),
        (Aim("compliance", Behaviour(0), 0.1), {"A": 1.0, "B": 2.5}),
        (Aim("difference", between=("A", "B")), {"A": 3.0, "B": 1.0}),
    ],
)
def test_that_the_script_of_the_best_shares_gives_the_same_shares(aim, costs, tmp_path, capsys):
    study = start_arms(small_study().with_choice("vote", PriorChoice("drawn", (3.0, 1.0))))
    study = with_own_devices(study, "B", {"vote": Uniform(keep=0.95)})
    n = study.settings.respondents
    shown = allocate(study.design, "vote", study.prior("vote"), aim, n, costs)
    asked = allocation_analysis(study, "vote", aim, costs)
    found = run_here(tmp_path / "new", asked, study, capsys)
    assert found["allocation"] == pytest.approx(dict(shown.shares))
    assert found["standard_error"] == pytest.approx(shown.standard_error)
    assert found["standard_error_before"] == pytest.approx(shown.before)


def test_that_the_script_of_a_deniable_table_gives_the_same_groups(tmp_path, capsys):
    study = small_study()
    plan = ReleasePlan.of(study).with_split("town", allowed=False)
    denial = plan.grouping(study)
    assert denial is not None
    assert study.original is not None
    groups = make_groups(PreparedTable().of(study.original), denial, study.settings.seed)
    groups = predict_better(groups)
    analysis = release_analysis(study, plan)
    assert analysis is not None
    found = run_here(tmp_path / "new", analysis, study, capsys)
    assert found["leaves"] == len(groups.tree.leaves)
    assert found["minimum_deniability"] == pytest.approx(groups.tree.minimum_deniability)
    assert found["predicted_accuracy"] == pytest.approx(groups.predicted)
    assert found["changed"] == groups.changed
    points = deniable_points(groups.tree, groups.table, denial)
    told = [(one["good"], one["sentence"], one["detail"]) for one in found["checklist"]]
    assert told == [(one.good, str(one.sentence), str(one.detail)) for one in points]
    assert not [one for one in (tmp_path / "new").iterdir() if "release" in one.name]


@pytest.mark.parametrize("is_kept", [False, True])
def test_that_the_script_of_accuracies_gives_the_same_curves(is_kept, tmp_path, capsys):
    study = small_study(160)
    plan = ReleasePlan.of(study).with_split("town", allowed=False).grouping(study)
    assert plan is not None
    assert study.original is not None
    plan = plan.with_options(smallest_group=10)
    tally = AccuracyTally(CurveOptions(minimums=(0.05, 0.2, 1.0), folds=2, learners=("tree",)))
    measure_accuracies(study, plan, tally)
    shown = Accuracies.of_tally(tally, plan, mark_answers(study.original))
    if is_kept:
        kept = json.loads(json.dumps(ReleasePlan.of(study).to_json(shown.to_json())))
        shown = kept_accuracies(study.with_results(PAGE, kept))
        assert shown is not None
    analysis = accuracy_analysis(study, shown)
    assert analysis is not None
    found = run_here(tmp_path / "new", analysis, study, capsys)
    assert_same(found["curves"], plain(shown.found["curves"]))
    assert_same(found["original"], plain(shown.found["original"]))
    assert found["people"] == shown.found["people"]
    assert len(found["curves"]["tree"]["minimum"]) == 2
    groups = make_groups(PreparedTable().of(study.original), plan, study.settings.seed)
    assert found["most_frequent"] == pytest.approx(float(groups.before.max()))


def test_that_accuracies_of_which_a_part_or_the_seed_is_missing_have_no_script():
    study = small_study(160)
    plan = ReleasePlan.of(study).grouping(study)
    assert plan is not None
    tally = AccuracyTally(CurveOptions(minimums=(0.05, 0.2), folds=2, learners=("tree",)))
    measure_accuracies(study, plan, tally)
    whole = Accuracies.of_tally(tally, plan, "mark")
    assert accuracy_analysis(study, whole) is not None
    seedless = {name: value for name, value in whole.found.items() if name != "seed"}
    for other in (
        replace(whole, is_whole=False), replace(whole, answers=""), replace(whole, plan=None),
        replace(whole, found=seedless),
    ):  # fmt: skip
        assert accuracy_analysis(study, other) is None


def test_that_the_script_of_a_release_has_the_same_checklist(tmp_path, capsys):
    study = small_study()
    plan = replace(ReleasePlan.of(study), mode=DISTORTED).with_left_out("mood", out=True)
    analysis = release_analysis(study, plan)
    assert analysis is not None
    found = run_here(tmp_path / "new", analysis, study, capsys)
    design = without_attributes(study.design, ["mood"])
    points = release_checklist(study, release_points(design, study.original), undistorted(design))
    told = [(one["good"], one["sentence"]) for one in found["checklist"]]
    assert told == [(one.good, str(one.sentence)) for one in points]
    assert (tmp_path / "new" / "small-release").is_dir()


def test_that_the_script_of_a_rehearsal_invents_the_same_answers(tmp_path, capsys):
    asked = small_study()
    bare = asked.with_(original=None).with_choice("vote", PriorChoice("drawn", (9.0, 1.0)))
    settings = RehearsalSettings(120, 5, MappingProxyType({"vote": Strength.STRONG}))
    study = rehearse(bare, settings)
    analysis = table_analysis(study)
    assert analysis is not None
    found = run_here(tmp_path / "new", analysis, study, capsys)
    assert found == {"rows": 120, "seed": 5, "state": "invented"}
    made = read_study(tmp_path / "new" / "small-rehearsed.ppw")
    assert study.original is not None
    assert made.original is not None
    assert made.original.to_frame().equals(study.original.to_frame())


@pytest.mark.parametrize("make_study", [small_study, distorted_study])
def test_that_the_script_of_the_answers_describes_them_as_the_page_does(
    make_study, tmp_path, capsys
):
    study = make_study()
    analysis = table_analysis(study)
    assert analysis is not None
    found = run_here(tmp_path / "new", analysis, study, capsys)
    assert study.table is not None
    assert found["rows"] == study.table.rows
    for told, column in zip(found["attributes"], study.table, strict=True):
        assert told["name"] == column.name
        assert told["kind"] == column.attribute.kind
        assert told["missing"] == column.missing_count
        assert column.attribute.domain is not None or told["values"] == list(
            column.attribute.values
        )


@pytest.mark.slow
def test_that_the_script_of_classifiers_gives_the_same_numbers(tmp_path):
    study = small_study()
    settings = (Setting.of("naive-bayes"), Setting.of("tree", undistorted=True))
    request = ClassifyRequest("vote", settings, Plan(folds=3, seed=5), Sweep())
    run = ClassifyRun(request)
    run_request(run, study, engine=InProcess())
    script = write_script_folder(
        tmp_path / "new", PYTHON, classification_analysis(study, request), study, DistortedCache()
    )
    _, found = run_python(script)
    accuracies = sorted(one.accuracy.mean for one in run.summaries().values())
    assert isinstance(found, dict)
    told = sorted(one["accuracy"]["mean"] for one in found["results"])
    assert told == pytest.approx(accuracies)
