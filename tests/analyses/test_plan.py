"""The plan of a study: limits, sentences, solving, and the same numbers on the command line."""

from __future__ import annotations

import json
import math
import shlex
from dataclasses import replace

import numpy as np
import pytest
from designs import classic_study
from examples import sweep

from ppworkbench.analyses.planning.plan import technique_name
from ppworkbench.analyses.planning.study_plan import (
    PlanBuilder,
    error_curves,
    plan_command,
    solve_plan,
)
from ppworkbench.cli import main as cli
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.files import write_table
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import (
    Additive,
    Design,
    DesignedAttribute,
    Forced,
    Identity,
    Ordinal,
    Uniform,
)
from ppworkbench.core.design.arms import Arms, DesignArm
from ppworkbench.core.design.design_file import write_design
from ppworkbench.core.design.devices import snap_to
from ppworkbench.core.design.lists import ListQuestion
from ppworkbench.core.planning.questionnaire import JudgedQuestion
from ppworkbench.results.picture import Shape
from ppworkbench.study.files.study_file import open_study, save_study
from ppworkbench.study.plan_choices import PlanChoices
from ppworkbench.study.study import PriorChoice, Study

DRUG = Attribute("drug", Kind.BINARY, ("no", "yes"), sensitive=("yes",))
THEFT = Attribute("theft", Kind.BINARY, ("no", "yes"), sensitive=("yes",))
TOWN = Attribute("town", Kind.NOMINAL, ("A", "B", "C"))
AGE = Attribute("age", Kind.INTEGER, domain=(18, 90))


def survey(n=1000, **plan):
    """Four questions, 20 % and 35 % of sensitive answers expected."""
    design = Design(
        (
            DesignedAttribute(DRUG, Forced(p_truth=0.7)),
            DesignedAttribute(THEFT, Forced(p_truth=0.8)),
            DesignedAttribute(TOWN, Identity()),
            DesignedAttribute(AGE, Additive(half_width=9)),
        )
    )
    study = Study("My survey", design=design, goals={"belief": 0.6, "points": 5.0})
    study = study.with_choice("drug", PriorChoice("drawn", (8.0, 2.0)))
    study = study.with_choice("theft", PriorChoice("drawn", (65.0, 35.0)))
    study = study.with_choice("age", PriorChoice("drawn", (1.0, 2.0, 1.0)))
    settings = study.settings.__class__(respondents=n)
    return study.with_(settings=settings, plan=PlanChoices(**plan))


def in_arms(design):
    """Half hears a long list, a tenth another device and no question about towns."""
    own = (("drug", Forced(p_truth=0.5)),)
    members = DesignArm("A", 0.4), DesignArm("B", 0.5), DesignArm("C", 0.1, own, ("town",))
    item = Attribute("item", Kind.BINARY, ("no", "yes"))
    heard = ListQuestion(item, "count", ("a", "b", "c"), ("A", "C"), ("B",))
    return replace(design, arms=Arms("version", members), lists=(heard,))


def view_of(study):
    return PlanBuilder().build(study)


def lines_of(curves):
    return [mark for mark in curves.picture.marks if mark.shape is Shape.LINE]


def test_that_limits_come_from_the_goals_and_may_be_a_questions_own():
    view = view_of(survey(500))
    drug, theft = view.row("drug"), view.row("theft")
    assert (drug.found.light, str(drug.found.words)) == ("more", "needs 646 people")
    assert theft.found.light == "breaks"
    assert drug.limits["belief"] == 0.6
    assert drug.limits["epsilon"] is None
    assert view.row("age").limits["half_width"] == 0.05
    own = survey(500).plan.with_limit("theft", "belief", 0.9).with_limit("drug", "half_width", 0.1)
    view = view_of(survey(500).with_(plan=own))
    assert view.row("theft").found.light != "breaks"
    assert view.row("drug").found.light == "ok"
    assert view.row("drug").own == {"half_width"}
    back = own.without_limit("theft", "belief").without_limit("drug")
    assert back == PlanChoices()


def test_that_the_sentence_names_the_question_that_decides():
    view = view_of(survey(500))
    decisive = view.plan.decisive
    assert view.sentence.args["attribute"] == decisive.attribute
    assert view.sentence.args["rest"].args["missing"] == decisive.respondents - 500
    assert "are enough" in view_of(survey(100_000)).sentence
    nothing = survey().with_(plan=PlanChoices(aim="power", against=0.2, test="against"))
    view = view_of(nothing)
    assert "drug" in view.notices[0]
    assert view.row("drug").found.respondents is None


def test_that_notices_tell_what_all_numbers_depend_on():
    study = survey(aim="power", test="difference")
    assert [one.template for one in view_of(study).notices] == [
        "n counts the respondents of each group."
    ]
    settings = study.settings.__class__(noncompliance=0.1)
    notices = view_of(study.with_(settings=settings)).notices
    assert notices[0].args["share"] == pytest.approx(10)


def test_that_choices_survive_a_file_and_damage(tmp_path):
    plan = PlanChoices(
        aim="power", test="difference", groups=(0.4, 0.3), cost_direct=20.0,
        cost_randomised=30.0, budget=6000.0, design_effect=1.5, has_epsilon=True, sides="1",
    ).with_limit("drug", "belief", None).with_limit("theft", "power", 0.9)  # fmt: skip
    save_study(survey().with_(plan=plan), tmp_path / "a.ppw")
    assert open_study(tmp_path / "a.ppw").plan == plan
    damaged = {"aim": 3, "cost_direct": 0, "own": {"a": {"belief": "x"}}, "power": 2}
    for given in (None, [], damaged):
        assert PlanChoices.from_json(given) == PlanChoices()
    assert PlanChoices.from_json({"power": 0.1, "alpha": 0.2}).power > 0.05


@pytest.mark.parametrize(
    "plan",
    sweep(
        [
            PlanChoices(),
            PlanChoices(has_epsilon=True, design_effect=1.5).with_limit("drug", "epsilon", 1.25),
            PlanChoices(cost_direct=20.0, cost_randomised=30.0, budget=6000.0, underreport=0.1),
            PlanChoices(aim="power", against=0.15).with_limit("drug", "power", 0.9),
            PlanChoices(aim="power", against=0.2).with_limit("theft", "against", 0.3),
            PlanChoices(aim="power", test="difference", sides="1").with_limit(
                "town", "power", None
            ),
            PlanChoices().with_limit("theft", "belief", None).with_limit("age", "half_width", 0.02),
        ],
        quick=3,
    ),
)
@pytest.mark.parametrize(("ignoring", "has_arms"), [(0.0, False), (0.1, False), (0.1, True)])
def test_that_the_command_line_prints_the_same_numbers(
    tmp_path, monkeypatch, capsys, plan, ignoring, has_arms
):
    study = survey(700).with_(plan=plan)
    study = study.with_(design=in_arms(study.design)) if has_arms else study
    # The command line refuses a limit of belief below what is expected; here there is none.
    settings = study.settings.__class__(
        respondents=700, noncompliance=ignoring, noncompliance_manner="safe",
        safe_answers=(("drug", "yes"),),
    )  # fmt: skip
    study = study.with_(settings=settings)
    monkeypatch.chdir(tmp_path)
    write_design(study.design, tmp_path / "My-survey-design.json")
    words = shlex.split(plan_command(study, "drug"))
    assert words[:2] == ["ppworkbench", "plan"]
    assert cli.main([*words[1:], "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    view = view_of(study)
    expected = json.loads(json.dumps(view.plan.to_json()))
    curves = error_curves(view, "drug")
    compared = told["attributes"]["drug"].pop("compare")
    for one in told["attributes"].values():
        one.pop("compare", None)
    for name in ("attributes", "respondents", "decisive", "n", "budget"):
        assert told[name] == expected[name]
    names = {technique_name(key): key for key in compared["techniques"]}
    for curve in lines_of(curves):
        errors = np.interp(compared["at"], curve.x, curve.y) / 100
        assert compared["techniques"][names[curve.name]]["rmse"] == pytest.approx(errors.tolist())


def test_that_n_counts_people_of_arms_that_do_not_ask():
    members = DesignArm("A", 0.5, omit=("theft",)), DesignArm("B", 0.5, omit=("drug", "age"))
    whole = survey()
    study = whole.with_(design=replace(whole.design, arms=Arms("version", members)))
    before, view = view_of(whole), view_of(study)
    assert [row.name for row in view.rows] == ["drug", "theft", "town", "age"]
    needed = {row.name: row.found.respondents for row in view.rows}
    for row in before.rows:
        times = 1 if row.name == "town" else 2
        assert needed[row.name] == pytest.approx(times * row.found.respondents, abs=1)
    assert lines_of(error_curves(view, "drug"))[0].y == pytest.approx(
        np.sqrt(2) * lines_of(error_curves(before, "drug"))[0].y
    )


def test_that_privacy_is_that_of_the_arm_which_discloses_most():
    members = DesignArm("A", 0.5), DesignArm("B", 0.5, (("drug", Forced(p_truth=0.9)),))
    whole = survey()
    arms = whole.with_(design=replace(whole.design, arms=Arms("version", members)))
    other = whole.with_perturbations({"drug": Forced(p_truth=0.9)})
    found, worst = view_of(arms).row("drug").found, view_of(other).row("drug").found
    assert (found.epsilon, found.belief) == (worst.epsilon, worst.belief)
    least, most = worst.respondents, view_of(whole).row("drug").found.respondents
    assert least < found.respondents < most


def test_that_the_question_behind_a_list_is_planned():
    heard = survey().with_(design=in_arms(survey().design))
    study = heard.with_choice("item", PriorChoice("drawn", (8.0, 2.0)))
    view = view_of(study)
    assert [row.name for row in view.rows] == ["drug", "theft", "town", "age", "item"]
    row = view.row("item")
    # The golden number of three evenly split items, for intervals of ± 5 points.
    assert row.found.respondents == 5102
    assert row.found.epsilon == math.inf
    assert row.found.belief.after == 1
    own = lines_of(error_curves(view, "item"))[0]
    assert own.y[-1] == pytest.approx(100 * math.sqrt(3.32e-4))
    solved = {one.attribute: one for one in solve_plan(study).whole.questions}
    assert solved["item"].respondents == 5102
    halves = Arms("version", (DesignArm("A", 0.5), DesignArm("B", 0.5)))
    item = replace(study.design.list_of("item"), short=("A",))
    alone = Study("list", design=Design((), arms=halves, lists=(item,)))
    assert [row.name for row in view_of(alone).rows] == ["item"]


def test_that_answers_of_the_study_are_the_data_of_the_command(tmp_path, monkeypatch, capsys):
    codes = np.array([0] * 80 + [1] * 20)
    towns = np.arange(100) % 3
    table = Table((Column(DRUG, codes), Column(TOWN, towns)))
    study = classic_study(table, "T")
    study = study.with_perturbations({"drug": Forced(p_truth=0.7), "town": Uniform(keep=0.6)})
    study = study.with_choice("town", PriorChoice("uniform"))
    monkeypatch.chdir(tmp_path)
    write_design(study.design, "T-design.json")
    write_table(table, "T-original.csv")
    command = plan_command(study)
    assert "--data T-original.csv" in command
    assert "--expected town=uniform" in command
    assert cli.main([*shlex.split(command)[1:], "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["attributes"] == json.loads(json.dumps(view_of(study).plan.to_json()))["attributes"]


def test_that_solving_shows_before_and_after_and_respects_devices():
    snapped, made = snap_to("die", Forced(p_truth=5 / 6), THEFT)
    study = survey()
    listed = tuple(
        DesignedAttribute(THEFT, made, device=snapped.device) if one.name == "theft" else one
        for one in study.design
    )
    study = study.with_(design=Design(listed))
    solved = solve_plan(study)
    sheet, rows = solved.sheet("solved"), {one.attribute: one for one in solved.whole.questions}
    assert solved.changed == ("drug", "theft")
    assert sheet["after"].values == pytest.approx([0.714286, 2 / 6], abs=1e-6)
    assert rows["theft"].respondents == 3423
    assert rows["theft"].device.name == "die"
    assert solved.design["town"].perturbation.is_identity
    # What cannot be kept stays as it is and says what can be reached.
    found = solve_plan(study.with_(plan=study.plan.with_limit("theft", "belief", 0.3)))
    assert found.changed == ("drug",)
    assert found.sheet("solved")["plan"].values[1] == "no solution"
    assert "it reaches belief from" in found.solutions[1].reason


def test_that_a_weight_is_told_beside_the_others_and_not_called_a_probability():
    scale = Attribute("trust", Kind.ORDINAL, ("none", "little", "some", "much", "full"))
    rows = {
        perturbation: PlanBuilder().build(
            Study(design=Design((DesignedAttribute(scale, perturbation),)))
        ).rows[0]
        for perturbation in (Ordinal(weights=(1.5, 0.4)), Uniform(keep=0.7))
    }  # fmt: skip
    assert [(row.parameter, row.value) for row in rows.values()] == [
        ("Weight of the truth", pytest.approx(1.5 / 2.3)), ("Keep", 0.7),
    ]  # fmt: skip


def test_that_curves_say_from_when_on_randomising_pays():
    study = survey(underreport=0.05)
    curves = error_curves(view_of(study), "drug")
    named = [str(curve.name) for curve in lines_of(curves)]
    assert named[:2] == ["This design", "Direct question"]
    assert {"Warner 0.70", "List of 3 items"} <= set(named)
    (note,) = (mark for mark in curves.picture.marks if mark.shape is Shape.POINTS)
    assert note.x.tolist() == [curves.sentence.args["n"]]
    paid = error_curves(view_of(survey(cost_direct=20.0, cost_randomised=30.0)), "drug")
    assert "budget" in paid.picture.x.title
    assert "budget" in paid.sentence.args
    assert error_curves(view_of(study), "age") is None
    # Hardly anybody can hide 90 points: the rest of the plan holds.
    view = view_of(survey(underreport=0.9))
    assert view.plan is not None
    assert "does not fit" in view.notices[0]
    assert error_curves(view, "drug").sentence is None


def test_that_a_moved_n_judges_no_question_again(monkeypatch):
    asked = [DRUG.with_(name=f"q{place}") for place in range(40)]
    design = Design(tuple(DesignedAttribute(one, Forced(p_truth=0.7)) for one in asked))
    study, builder = Study("many", design=design), PlanBuilder()
    first = builder.build(study)
    monkeypatch.setattr(JudgedQuestion, "of", lambda *_: pytest.fail("a question is judged"))
    settings = [study.settings.__class__(respondents=n) for n in range(500, 520)]
    plans = [builder.build(study.with_(settings=one)) for one in settings]
    assert plans[0].rows[0].found.respondents == first.rows[0].found.respondents
    assert plans[-1].plan.n == 519
