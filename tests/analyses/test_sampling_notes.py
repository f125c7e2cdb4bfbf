"""What pages that mine and classify say about the weights of a study."""

from __future__ import annotations

import numpy as np
import pytest
from designs import classic_study
from experiments import DESIGN, make_records
from mining_studies import mine_study, mining_request, numbers, survey_study
from shopping import frequent_sets

from ppworkbench.analyses.experiments.classification import (
    ClassifyRequest,
    ClassifyRun,
    run_request,
)
from ppworkbench.core.data.sampling_roles import Sampling
from ppworkbench.core.experiment import Plan, Setting, Sweep
from ppworkbench.core.experiment.engines import InProcess
from ppworkbench.core.itemsets import item_data
from ppworkbench.core.mining import Mask, Mmask
from ppworkbench.study.distorted_cache import DistortedCache
from ppworkbench.study.sampling import UNUSED_SAMPLING

ITEMS = tuple((name, "yes") for name in ("car", "bike", "pass"))


def mined(study, miner):
    return mine_study(study, mining_request(ITEMS, miner)), DistortedCache().of(study)


def codes(run):
    return [getattr(note, "code", "") for note in run.remarks]


def test_that_supports_of_a_study_are_weighted():
    study = survey_study(400).with_sampling(Sampling("pay", ("town",)))
    run, answers = mined(study, Mask(min_support=0.05))
    weights = np.asarray(answers.distorted["pay"].data)
    data = item_data(answers.distorted, study.design, ("car", "bike", "pass")).weighted(weights)
    by_hand = frequent_sets(data, 0.05)
    singles = {by_hand.names(i)[0]: by_hand.raw[i] for i in range(len(by_hand.items))}
    place = list(run.sheet("itemsets")["itemset"].values).index("car=yes")
    assert numbers(run, "support")[place] == pytest.approx(singles["car=yes"])
    true = weights @ (answers.original["car"].data == 1) / weights.sum()
    assert numbers(run, "true")[place] == pytest.approx(true)
    assert {"weights", "only-weights"} <= set(codes(run))


def test_that_a_method_without_weights_counts_everybody_once_and_says_so():
    study = survey_study(400)
    drawn = study.with_sampling(Sampling("pay"))
    run, _ = mined(drawn, Mmask(min_support=0.1))
    plain, _ = mined(study, Mmask(min_support=0.1))
    assert UNUSED_SAMPLING in run.remarks
    assert "weights" not in codes(run)
    assert numbers(run, "found", "lengths").tolist() == numbers(plain, "found", "lengths").tolist()
    assert UNUSED_SAMPLING not in plain.remarks


def test_that_classifying_says_that_weights_are_not_used():
    study = classic_study(make_records(60), "records").with_(design=DESIGN)
    name = next(d.name for d in DESIGN if d.attribute.kind.is_numeric)
    request = ClassifyRequest(
        DESIGN.class_name, (Setting.of("naive-bayes"),), Plan(folds=2, seed=5), Sweep()
    )
    for drawn in (study, study.with_sampling(Sampling(weight=name))):
        run = ClassifyRun(request)
        run_request(run, drawn, engine=InProcess())
        assert (UNUSED_SAMPLING in run.notes) == (drawn is not study)
