"""Scripts of measures, pins, trade-offs, plans and budgets of a design."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import numpy as np
import pytest
from asking import small_study
from examples import sweep
from scripted import (
    assert_same,
    run_here,
)

from ppworkbench.analyses.designs.arms import start_arms, version_study, with_own_devices
from ppworkbench.analyses.designs.design import Z95, assess_study, measures_of, report_of
from ppworkbench.analyses.designs.frontier import (
    FrontierDesign,
    has_frontier,
    search_frontier,
    with_curve,
)
from ppworkbench.analyses.designs.goals import Goal, find_repair, needed_respondents
from ppworkbench.analyses.designs.pins import RESULTS as PINS
from ppworkbench.analyses.designs.pins import read_pins, toggle_pin
from ppworkbench.analyses.designs.places import (
    direct_half_width,
    family_curve,
    free_parameters,
    place_of,
    report_place,
)
from ppworkbench.analyses.planning.study_budget import make_finite, share_study, with_budget
from ppworkbench.analyses.planning.study_plan import PlanBuilder, solve_plan
from ppworkbench.core.compliance.classes import Behaviour
from ppworkbench.core.design import Identity, Uniform
from ppworkbench.core.design.budget import DesignBudget
from ppworkbench.core.planning.allocation import Aim, allocate
from ppworkbench.core.privacy.assess import assess_attribute
from ppworkbench.core.privacy.utility.goal_seek import Question as AskedQuestion
from ppworkbench.outputs.gallery.compare import compare_gallery
from ppworkbench.outputs.gallery.surveys import read_gallery
from ppworkbench.outputs.gallery.tables import gallery_to_json
from ppworkbench.outputs.scripts.results import (
    allocation_analysis,
    budget_analysis,
    gallery_analysis,
    pins_analysis,
    plan_analysis,
    privacy_analysis,
    trade_off_analysis,
)
from ppworkbench.results.text import plain
from ppworkbench.study.study import PriorChoice, Study


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


GOALS = MappingProxyType({"belief": 0.6, "epsilon": 2.0, "attack_success": 0.8, "points": 3.0})


def pinned_study() -> Study:
    """Two designs of one question are pinned, and one of another."""
    study = small_study().with_choice("vote", PriorChoice("drawn", (3.0, 1.0)))
    for name, keep in (("vote", 0.7), ("vote", 0.95), ("town", 0.6)):
        study = study.with_perturbations({name: Uniform(keep=keep)})
        study = study.with_results(PINS, toggle_pin(study, name))
    study = study.with_(goals=GOALS)
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


def test_that_the_script_of_a_trade_off_without_goals_names_none(tmp_path, capsys):
    study = pinned_study().with_(goals=MappingProxyType({}))
    found = run_here(tmp_path / "new", trade_off_analysis(study, "vote", "belief"), study, capsys)
    assert "goal" not in found


def test_that_the_script_of_a_plan_gives_the_same_respondents(tmp_path, capsys):
    study = small_study()
    view = PlanBuilder().build(study)
    found = run_here(tmp_path / "new", plan_analysis(study), study, capsys)
    for row in view.rows:
        assert_same(found["attributes"][row.name], plain(row.found.to_json()), row.name)


def solvable_study(kind: str) -> Study:
    """A study whose plan has limits of its own, skips, a test or arms."""
    study = small_study().with_choice("vote", PriorChoice("drawn", (3.0, 1.0))).with_(goals=GOALS)
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
    assert shown.changed
    assert shown.before is not None
    found = run_here(tmp_path / "new", plan_analysis(study, solve=True), study, capsys)
    after = PlanBuilder().build(study.with_(design=shown.design))
    for document, view, whole in (
        (found["before"], PlanBuilder().build(study), shown.before[0]),
        (found, after, shown.whole),
    ):
        assert view.total is not None
        assert_same(document["total"], plain(view.total.to_json()))
        for row, one in zip(view.rows, whole.questions, strict=True):
            assert_same(plain(one.to_json()), plain(row.found.to_json()), row.name)
            told = {key: document["attributes"][row.name][key] for key in one.to_json()}
            assert_same(told, plain(one.to_json()), row.name)
    for one in shown.solutions:
        told = found["attributes"][one.attribute]["solution"]
        values = told["before"], told["before" if told["snapped"] is None else "snapped"]
        assert values == pytest.approx((one.now, one.now if one.snapped is None else one.snapped))
        assert (told["reason"] is None) is (one.reason is None)
    assert (kind == "limits") is any(one.reason is not None for one in shown.solutions)


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
