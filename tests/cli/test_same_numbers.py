"""The window and the command line say the same numbers of the same answers."""

from __future__ import annotations

import json

import pytest
from experiments import DESIGN, make_records

from ppworkbench.cli.main import main
from ppworkbench.core.data.files import write_table
from ppworkbench.core.design.design_file import write_design
from ppworkbench.core.experiment import Plan, Setting, Sweep
from ppworkbench.core.experiment.engines import InProcess
from ppworkbench.core.mining import miners
from ppworkbench.study.analyses.classification import ClassifyRequest, ClassifyRun, run_request
from ppworkbench.study.analyses.mining import (
    ItemCache,
    MiningRequest,
    PartialResult,
    available_items,
    run_mining,
)
from ppworkbench.study.analyses.mining_tables import SUPPORT
from ppworkbench.study.distorted_cache import DistortedCache
from ppworkbench.study.study import Study


@pytest.fixture
def study(tmp_path, monkeypatch):
    """A study, and its answers and design as files in the current folder."""
    monkeypatch.chdir(tmp_path)
    records = make_records(200)
    made = Study.of_table(records, "records").with_(design=DESIGN)
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
    request = MiningRequest(tuple(item.key for item in chosen), miner)
    run = run_mining(study, (DistortedCache(), ItemCache()), request, PartialResult())
    attributes = [word for name in names for word in ("--attribute", name)]
    told = answer(
        capsys, "mine", "distorted.csv", "--design", "design.json", "--original", "records.csv",
        "--method", "mask", "--min-support", "0.1", *attributes,
    )  # fmt: skip
    assert run.sets is not None
    found = {
        frozenset(run.names[place] for place in row if place >= 0): support
        for row, support in zip(run.sets.members, run.sets.values[SUPPORT], strict=True)
    }
    assert len(found) > 5
    assert {frozenset(one["items"]): one["support"] for one in told["itemsets"]} == pytest.approx(
        found
    )
    assert [(one["true"], one["found"], one["correct"]) for one in told["levels"]] == [
        (errors.true, errors.found, errors.correct) for errors in run.errors
    ]


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
