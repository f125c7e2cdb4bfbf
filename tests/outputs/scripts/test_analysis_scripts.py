"""Scripts of what Explore, Mine, Classify and attacks found, and of answers themselves."""

from __future__ import annotations

import math
from dataclasses import asdict
from types import MappingProxyType

import pytest
from asking import distorted_study, small_study
from examples import sweep
from mining_studies import mine_study, mining_request, numbers
from scripted import (
    assert_same,
    run_here,
    run_python,
)
from studies import noisy_study

from ppworkbench.analyses.collecting.rehearsal import RehearsalSettings, Strength, rehearse
from ppworkbench.analyses.designs.arms import start_arms
from ppworkbench.analyses.experiments.attack import (
    AttackRequest,
    run_attack,
    usual_links,
)
from ppworkbench.analyses.experiments.classification import (
    ClassifyRequest,
    ClassifyRun,
    run_request,
)
from ppworkbench.analyses.experiments.draws import explored_column, simulate
from ppworkbench.analyses.experiments.repeats import PartialResult as Repeats
from ppworkbench.analyses.experiments.repeats import repeat as repeat_draws
from ppworkbench.analyses.experiments.runs import explore
from ppworkbench.analyses.mining.items import available_items
from ppworkbench.analyses.mining.mine import ERRORS
from ppworkbench.core.attacks import attacks
from ppworkbench.core.design import Subset, Uniform
from ppworkbench.core.experiment import Plan, Setting, Sweep
from ppworkbench.core.experiment.engines import InProcess
from ppworkbench.core.mining import miners
from ppworkbench.core.progress import silent
from ppworkbench.outputs.scripts import PYTHON
from ppworkbench.outputs.scripts.folder import write_script_folder
from ppworkbench.outputs.scripts.results import (
    attack_analysis,
    classification_analysis,
    mining_analysis,
    reconstruction_analysis,
    repeats_analysis,
    table_analysis,
)
from ppworkbench.results.text import plain
from ppworkbench.study.distorted_cache import DistortedCache
from ppworkbench.study.files.study_file import open_study as read_study
from ppworkbench.study.study import PriorChoice


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


@pytest.mark.parametrize(("is_whole", "chance"), [(True, None), (False, None), (True, 0.05)])
def test_that_the_script_of_a_mining_run_gives_the_same_sets(is_whole, chance, tmp_path, capsys):
    study = small_study()
    keys = [key for key in available_items(study).by_key if key[0] in ("town", "vote")]
    miner = miners["shrinkage"](min_support=0.1)
    request = mining_request(keys if is_whole else keys[:3], miner, 0.3, chance)
    run = mine_study(study, request)
    found = run_here(tmp_path / "new", mining_analysis(study, request), study, capsys)
    assert len(found["itemsets"]) == run.sheet("itemsets").rows
    assert len(found["rules"]) == run.sheet("rules").rows
    supports = sorted(one["support"] for one in found["itemsets"])
    assert supports == pytest.approx(sorted(numbers(run, "support").tolist()))
    assert run.sheet("lengths").rows == len(found["levels"]) > 0
    for key in ("length", "true", "found", "correct", *ERRORS):
        told = [math.nan if one[key] is None else one[key] for one in found["levels"]]
        assert told == pytest.approx(numbers(run, key, "lengths").tolist(), nan_ok=True), key


@pytest.mark.parametrize("key", attacks.names)
def test_that_the_script_of_an_attack_gives_the_same_numbers(key, tmp_path, capsys):
    study = small_study()
    if key == "filter":
        study = noisy_study()
    name = "vote" if attacks[key].takes_attribute else None
    known = usual_links(study)[:2] if attacks[key].takes_known else ()
    request = AttackRequest(attack=key, attribute=name, known=known)
    outcome = run_attack(request, study, DistortedCache(), silent)
    assert outcome.found is not None, outcome.fault
    found = run_here(tmp_path / "new", attack_analysis(request, study), study, capsys)
    assert found["attack"] == key
    assert_same(found, plain(asdict(outcome.found)))
    assert (tmp_path / "new" / f"{study.title}-original.csv").exists()


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
