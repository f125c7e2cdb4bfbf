"""Mining a study: counting, keeping, judging."""

import dataclasses
import json

import numpy as np
import pytest
from mining_studies import survey_study

from ppworkbench.analyses.mining.runs import (
    ItemCache,
    MiningRequest,
    PartialResult,
    available_items,
    only_items,
    run_from_json,
    run_mining,
    run_to_json,
    with_tables,
)
from ppworkbench.analyses.mining.tables import (
    SUPPORT,
    TRUE,
    as_rows,
    as_sets,
    places_of,
)
from ppworkbench.core.design import Uniform
from ppworkbench.core.errors import DataError
from ppworkbench.core.itemsets import SetList, item_data
from ppworkbench.core.itemsets.counting import count_kernel
from ppworkbench.core.itemsets.supports import shown_shares
from ppworkbench.core.mining import Apriori, Mask, ShrinkageMask
from ppworkbench.core.progress import Cancelled, silent
from ppworkbench.study.distorted_cache import DistortedCache
from ppworkbench.study.fingerprint import fingerprint

SETS = [(0,), (5,), (0, 1), (0, 2), (1, 4), (0, 1, 2), (0, 1, 5), (2, 4, 6), (0, 1, 2, 4)]


@pytest.fixture(scope="module")
def data():
    return item_data(survey_study(1000).original, attributes=("car", "bike", "pass", "town"))


@pytest.mark.parametrize("compiled", [True, False])
def test_that_sets_are_counted_as_they_are_shown(data, monkeypatch, compiled):
    if compiled:
        if not count_kernel.compile():
            pytest.skip("numba is not installed")
    else:
        monkeypatch.setattr(count_kernel, "compiled", None)
    found = shown_shares(data, SetList.of(data.items, SETS))
    shown = data.shown()
    assert found == pytest.approx([shown[list(one)].all(axis=0).mean() for one in SETS])


def test_that_sets_and_rows_are_the_same_thing(data):
    sets = SetList.of(data.items, SETS)
    rows = as_rows(sets)
    assert rows.shape == (len(SETS), 4)
    assert list(as_sets(rows[:, ::-1], sets)) == SETS
    assert places_of(SetList.of(data.items, [(2, 4, 6), (3,)]), sets).tolist() == [7, -1]


def test_that_items_of_a_matrix_with_many_weights_can_be_left_out():
    study = survey_study(300)
    town = study.design["town"].attribute
    matrix = np.array([[0.8, 0.1, 0.0], [0.1, 0.7, 0.1], [0.1, 0.2, 0.9]])
    from ppworkbench.core.design import Custom

    study = study.with_perturbations({"town": Custom(rows=tuple(map(tuple, matrix.tolist())))})
    answers = DistortedCache().of(study)
    whole = item_data(answers.distorted, study.design, ("car", "town"))
    assert whole.graded is not None
    some = only_items(whole, (("town", town.values[1]), ("car", "yes")))
    assert [item.name for item in some.items] == ["car=yes", f"town={town.values[1]}"]
    kept = [i for i, item in enumerate(whole.items) if item in some.items]
    expected = whole.graded.expand(np.array(kept), 0, 300)
    assert some.graded.expand(np.arange(2), 0, 300) == pytest.approx(expected)
    with pytest.raises(DataError, match="no longer has the chosen items"):
        only_items(whole, (("car", "perhaps"),))


def test_that_items_are_kept_for_the_next_run_and_no_longer():
    study, answers, keeper = survey_study(200), DistortedCache(), ItemCache()
    keys = tuple(item.key for item in available_items(study).usual)
    request = MiningRequest(keys, Mask())
    first = keeper.of(answers.of(study), study.design, request, silent)
    again = keeper.of(answers.of(study), study.design, MiningRequest(keys, Apriori()), silent)
    assert again is first
    fewer = keeper.of(answers.of(study), study.design, MiningRequest(keys[:2], Mask()), silent)
    assert len(fewer.published) == 2
    keeper.forget()
    assert keeper.of(answers.of(study), study.design, request, silent) is not first


def run_of(study, miner, **more):
    keys = tuple(item.key for item in available_items(study).usual)
    kept = DistortedCache(), ItemCache()
    return run_mining(study, kept, MiningRequest(keys, miner, **more), PartialResult(), silent)


def test_that_true_confidences_are_those_of_the_original_answers():
    study = survey_study(1000)
    run = run_of(study, Mask(min_support=0.05))
    place = next(i for i in range(run.rules.rows) if run.rules.name(i) == "garden → car")
    garden, car = (study.original[name].data == 1 for name in ("garden", "car"))
    assert run.rules.values[TRUE][place] == pytest.approx((garden & car).sum() / garden.sum())


def test_that_a_run_can_be_stopped_at_any_of_its_reports():
    study, reports = survey_study(200), []
    keys = tuple(item.key for item in available_items(study).usual)
    request = MiningRequest(keys, ShrinkageMask(min_support=0.05))

    def count(done, message=""):
        reports.append(done)

    run_mining(study, (DistortedCache(), ItemCache()), request, PartialResult(), count)
    assert len(reports) > 7
    assert all(0 <= done <= 1 for done in reports)
    for stop in range(0, len(reports), max(1, len(reports) // 7)):
        left = [stop]

        def stopping(done, message="", left=left):
            left[0] -= 1
            if left[0] < 0:
                raise Cancelled

        with pytest.raises(Cancelled):
            run_mining(study, (DistortedCache(), ItemCache()), request, PartialResult(), stopping)


def test_that_counts_of_original_answers_have_no_interval():
    run = run_of(survey_study(300), Apriori(min_support=0.1))
    assert np.isnan(run.sets.low).all()
    assert run.errors == ()


def test_that_the_original_answers_cannot_be_mined_where_nobody_knows_them():
    study = survey_study(100)
    collected = study.with_(distorted=DistortedCache().of(study).distorted, original=None)
    with pytest.raises(DataError, match="not known"):
        run_of(collected, Apriori())


# Keeping


def test_that_a_kept_run_is_read_back_and_a_damaged_one_refused():
    run = dataclasses.replace(run_of(survey_study(300), Mask(min_support=0.1)), number=3)
    plain = json.loads(json.dumps(run_to_json(run)))
    back = with_tables(run_from_json(plain), plain)
    assert back.request == run.request
    assert back.names == run.names
    assert back.sets.values[SUPPORT] == pytest.approx(run.sets.values[SUPPORT], rel=1e-5)
    assert back.rules.heads.tolist() == run.rules.heads.tolist()
    assert back.sets.low == pytest.approx(run.sets.low, rel=1e-5)
    for damage in (
        {"sets": {**plain["sets"], "members": [[99]]}},
        {"sets": {**plain["sets"], "low": [0.1]}},
        {"sets": {**plain["sets"], "values": {}}},
        {"rules": {"words": 1}},
    ):
        with pytest.raises(DataError):
            with_tables(run_from_json(plain), {**plain, **damage})
    for damage in ({"request": {}}, {"request": {**plain["request"], "method": "magic"}},
                   {"request": {**plain["request"], "certainty": "maybe"}}):  # fmt: skip
        with pytest.raises(DataError):
            run_from_json({**plain, **damage})


def test_that_the_mark_changes_with_design_seed_and_answers_only():
    study = survey_study(100)
    mark = fingerprint(study)
    assert fingerprint(study.with_(title="other")) == mark
    assert fingerprint(study.with_perturbations({"car": Uniform(keep=0.9)})) == mark
    assert fingerprint(study.with_perturbations({"car": Uniform(keep=0.8)})) != mark
    settings = dataclasses.replace(study.settings, seed=5)
    assert fingerprint(study.with_(settings=settings)) != mark
    assert fingerprint(survey_study(120)) != mark
