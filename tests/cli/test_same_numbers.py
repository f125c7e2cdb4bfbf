"""The window and the command line say the same numbers of the same answers."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, replace

import pytest
from designs import classic_study
from examples import sweep
from experiments import DESIGN, make_records
from mining_studies import mine_study, mining_request, numbers
from sampled_answers import twelve_answers

import ppworkbench as pp
from ppworkbench.analyses.designs.design import belief_of, report_of, sensitive_precision
from ppworkbench.analyses.designs.goals import Goal, needed_respondents
from ppworkbench.analyses.designs.places import EPSILON, report_place
from ppworkbench.analyses.experiments.attack import AttackRequest, run_attack
from ppworkbench.analyses.experiments.classification import (
    ClassifyRequest,
    ClassifyRun,
    run_request,
)
from ppworkbench.analyses.mining.items import available_items
from ppworkbench.analyses.survey.answers import answer_question
from ppworkbench.analyses.survey.questions import (
    COUNT,
    CROSSTAB,
    Question,
)
from ppworkbench.cli.main import main
from ppworkbench.core.data.files import write_table
from ppworkbench.core.data.sampling_roles import Sampling
from ppworkbench.core.design.design_file import write_design
from ppworkbench.core.experiment import Plan, Setting, Sweep
from ppworkbench.core.experiment.engines import InProcess
from ppworkbench.core.mining import miners
from ppworkbench.core.privacy.utility.goal_seek import Question as GoalQuestion
from ppworkbench.core.progress import silent
from ppworkbench.core.survey.conditions.condition import parse_condition
from ppworkbench.results.text import plain
from ppworkbench.study.distorted_cache import DistortedCache
from ppworkbench.study.study import Study


@pytest.fixture
def study(tmp_path, monkeypatch):
    """A study, and its answers and design as files in the current folder."""
    monkeypatch.chdir(tmp_path)
    records = make_records(200)
    made = classic_study(records, "records").with_(design=DESIGN)
    write_table(records, "records.csv")
    write_table(DistortedCache().of(made).distorted, "distorted.csv")
    write_design(DESIGN, "design.json")
    return made


def answer(capsys, *words):
    assert main([*words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_that_itemsets_and_errors_are_the_same(study, capsys):
    names = [one.name for one in DESIGN if one.attribute.kind.is_categorical]
    chosen = [item for item in available_items(study).items if item.attribute in names]
    miner = miners["mask"](min_support=0.1)
    request = mining_request([item.key for item in chosen], miner)
    run = mine_study(study, request)
    attributes = [word for name in names for word in ("--attribute", name)]
    told = answer(
        capsys, "mine", "distorted.csv", "--design", "design.json", "--original", "records.csv",
        "--method", "mask", "--min-support", "0.1", *attributes,
    )  # fmt: skip
    names_of = run.sheet("itemsets")["itemset"].values
    found = {
        frozenset(str(name).split(", ")): support
        for name, support in zip(names_of, numbers(run, "support"), strict=True)
    }
    assert len(found) > 5
    assert {frozenset(one["items"]): one["support"] for one in told["itemsets"]} == pytest.approx(
        found
    )
    assert [(one["true"], one["found"], one["correct"]) for one in told["levels"]] == [
        tuple(counts)
        for counts in zip(*(numbers(run, key, "lengths").tolist()
                            for key in ("true", "found", "correct")), strict=True)
    ]  # fmt: skip


def test_that_accuracies_are_the_same(study, capsys):
    request = ClassifyRequest(
        DESIGN.class_name, (Setting.of("naive-bayes"),), Plan(folds=3, seed=5), Sweep()
    )
    run = ClassifyRun(request)
    run_request(run, study, engine=InProcess())
    (summary,) = run.summaries().values()
    (told,) = answer(
        capsys, "classify", "records.csv", "--design", "design.json", "--folds", "3",
        "--classifier", "naive-bayes", "--seed", "5", "--workers", "1",
    )["results"]  # fmt: skip
    assert told["accuracy"]["mean"] == summary.accuracy.mean
    assert told["confusion"] == summary.confusion.tolist()


IGNORING = {
    "safe": ("safe", False, ()),
    "another safe answer": ("safe", False, (("town", "b"),)),
    "random": ("random", False, ()),
    "truth": ("truth", False, ()),
    "corrected": ("safe", True, ()),
}


@pytest.mark.parametrize("case", IGNORING)
def test_that_readouts_under_non_compliance_are_the_same(study, case, capsys):
    behaviour, corrected, safe = IGNORING[case]
    settings = replace(
        study.settings, noncompliance=0.1, noncompliance_manner=behaviour,
        noncompliance_corrected=corrected, safe_answers=safe,
    )  # fmt: skip
    shown = study.with_(settings=settings)
    words = ["--design", "design.json", "--data", "records.csv", "--non-compliance", "0.1",
             "--behaviour", behaviour, *(["--corrected"] if corrected else [])]  # fmt: skip
    words += [word for name, value in safe for word in ("--safe", f"{name}={value}")]
    told = answer(capsys, "measure", *words)["attributes"]
    planned = answer(capsys, "plan", *words, "--n", "200", "--half-width", "0.5")["attributes"]
    assert set(told) == set(study.design.names)
    for name in study.design.names:
        report = report_of(shown, name)
        assert told[name] == plain(report.to_json()), name
        assert told[name]["non_compliance"]["behaviour"] == behaviour
        precision, belief = sensitive_precision(report), belief_of(report)
        if precision is None:
            continue
        assert planned[name]["bias"] == pytest.approx(precision.bias, abs=1e-12)
        assert planned[name]["rmse"] == pytest.approx(precision.rmse)
        assert planned[name]["belief"] == pytest.approx(belief.after)
        place = report_place(report, EPSILON)
        assert planned[name]["epsilon"] == (
            "inf" if math.isinf(place.privacy) else pytest.approx(place.privacy)
        )
        goal = Goal(points=50.0)
        asked = GoalQuestion(report.attribute, report.prior, 200)
        needed = needed_respondents(asked, place, goal)
        assert planned[name]["respondents"] == ("inf" if math.isinf(needed) else needed)


SURVEY = {
    COUNT: (Question(COUNT, parse_condition("z = b")), ("--where", "z = b")),
    "mean": (Question("mean", parse_condition("z = c"), of="y"), ("--of", "y", "--where", "z = c")),
    "quantile": (Question("quantile", of="y", at=(0.5,)), ("--of", "y", "--at", "0.5")),
    "distribution": (Question("distribution", of="z"), ("--of", "z")),
    CROSSTAB: (Question(CROSSTAB, of="z", by="stratum"), ("--of", "z", "--by", "stratum")),
    "compare": (
        Question("compare", of="z", value="a", by="stratum"),
        ("--of", "z=a", "--by", "stratum"),
    ),
}


@pytest.mark.parametrize("target", sweep(["population", "respondents"], quick=1))
@pytest.mark.parametrize("roles", [None, Sampling("weight", ("stratum",), "cluster")])
@pytest.mark.parametrize("statistic", SURVEY)
def test_that_estimates_under_a_sampling_are_the_same(
    statistic, roles, target, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    table, design = twelve_answers()
    study = Study.of_distorted(table, design, "twelve").with_sampling(roles)
    write_table(table, "twelve.csv")
    write_design(study.design, "twelve.json")
    question, words = SURVEY[statistic]
    # What stands in no file and in no option is the default of both.
    words = (*words, "--target", target) if target == "respondents" else words
    found = answer_question(question.with_(target=target), study, DistortedCache())
    told = answer(capsys, statistic, "twelve.csv", "--design", "twelve.json", *words)
    assert told.pop("state") == "reported"
    assert json.loads(json.dumps(found.result.to_json())) == told


def test_that_an_attack_is_the_same(study, capsys):
    name = DESIGN.names[0]
    outcome = run_attack(AttackRequest(attribute=name), study, DistortedCache(), silent)
    told = answer(
        capsys, "attack", "distorted.csv", "--design", "design.json", "--original", "records.csv",
        "--attribute", name,
    )  # fmt: skip
    assert outcome.found is not None
    assert told == plain({"attack": "guess", **asdict(outcome.found), "state": "true"})
    again = pp.attack("distorted.csv", "design.json", "records.csv", attribute=name)
    assert told == again.to_dict()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--attack repeat", "Name the attribute"),
        ("--attack link", "Name at least 1 attribute"),
        ("", "Name the attribute"),
    ],
)
def test_that_an_attack_says_what_it_needs(study, capsys, words, said):
    files = ("attack", "distorted.csv", "--design", "design.json", "--original", "records.csv")
    assert main([*files, *words.split()]) == 2
    assert said in capsys.readouterr().err
