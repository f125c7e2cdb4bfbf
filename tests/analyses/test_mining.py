"""Mining a study: counting, keeping, judging."""

import dataclasses
import json

import numpy as np
import pandas as pd
import pytest
from mining_studies import mine_study, mining_request, numbers, survey_study

from ppworkbench.analyses.mining.items import available_items, only_items
from ppworkbench.analyses.mining.mine import as_rows
from ppworkbench.analyses.mining.runs import read_run, run_document
from ppworkbench.core.design import Uniform
from ppworkbench.core.errors import DataError
from ppworkbench.core.itemsets import SetList, item_data
from ppworkbench.core.itemsets.counting import count_kernel
from ppworkbench.core.itemsets.supports import shown_shares
from ppworkbench.core.mining import Apriori, Mask, ShrinkageMask
from ppworkbench.core.progress import Cancelled
from ppworkbench.study.answer_state import AnswerState
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


def test_that_sets_are_rows_filled_up(data):
    rows = as_rows(SetList.of(data.items, SETS))
    assert rows.shape == (len(SETS), 4)
    assert [tuple(one for one in row if one >= 0) for row in rows.tolist()] == SETS


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


def run_of(study, miner):
    keys = [item.key for item in available_items(study).usual]
    return mine_study(study, mining_request(keys, miner))


def test_that_true_confidences_are_those_of_the_original_answers():
    study = survey_study(1000)
    run = run_of(study, Mask(min_support=0.05))
    place = list(run.sheet("rules")["rule"].values).index("garden=yes => car=yes")
    garden, car = (study.original[name].data == 1 for name in ("garden", "car"))
    assert numbers(run, "true", "rules")[place] == pytest.approx(
        (garden & car).sum() / garden.sum()
    )


def test_that_a_run_can_be_stopped_at_any_of_its_reports():
    study, reports = survey_study(200), []
    keys = [item.key for item in available_items(study).usual]
    request = mining_request(keys, ShrinkageMask(min_support=0.05))

    def count(done, message=""):
        reports.append(done)

    mine_study(study, request, count)
    assert len(reports) > 7
    assert all(0 <= done <= 1 for done in reports)
    for stop in range(0, len(reports), max(1, len(reports) // 7)):
        left = [stop]

        def stopping(done, message="", left=left):
            left[0] -= 1
            if left[0] < 0:
                raise Cancelled

        with pytest.raises(Cancelled):
            mine_study(study, request, stopping)


def test_that_the_original_answers_cannot_be_mined_where_nobody_knows_them():
    study = survey_study(100)
    collected = study.with_(distorted=DistortedCache().of(study).distorted, original=None)
    with pytest.raises(DataError, match="not known"):
        run_of(collected, Apriori())


# Keeping


def test_that_a_kept_run_is_read_back_and_a_damaged_one_refused():
    run = run_of(survey_study(300), Mask(min_support=0.1))
    plain = json.loads(json.dumps(run.to_json()))
    back = read_run(plain)
    assert (back.request, back.facts, back.remarks) == (run.request, run.facts, run.remarks)
    assert back.is_whole
    for name in ("itemsets", "rules", "lengths"):
        pd.testing.assert_frame_equal(
            back.sheet(name).to_frame(), run.sheet(name).to_frame(), rtol=1e-5, check_dtype=False
        )
    assert json.loads(json.dumps(back.to_json())) == plain
    wrong = plain["request"] | {"method": "magic"}
    for damage in ({"request": wrong}, {"facts": 3}, {"sheets": [1]}):
        with pytest.raises(DataError):
            read_run({**plain, **damage})
    damaged = read_run({**plain, "sheets": plain["sheets"] | {"rules": {"columns": 1}}})
    assert not damaged.is_whole
    assert damaged.sheet("itemsets") is not None


OLD_RUN = {
    "number": 2, "at": "12:34", "belongs_to": "mark", "transactions": 300, "seconds": 0.1,
    "request": {
        "items": [["car", "yes"], ["bike", "yes"]], "method": "mask",
        "parameters": {"min_support": 0.1, "max_length": 20, "confidence": 0.95,
                       "candidate_limit": 2000000, "frequent": "surely"},
        "min_confidence": 0.4, "certainty": "surely", "false_discovery": 0.05,
    },
    "names": ["car=yes", "bike=yes"], "found": [2, 1], "rule_count": 1, "reached": 3,
    "errors": [
        {"size": 1, "true": 2, "found": 2, "correct": 2, "support_error": 0.1, "missed": 0,
         "extra": None, "f1": 1},
        {"size": 2, "true": 1, "found": 1, "correct": 1, "support_error": 0.2, "missed": 0.5,
         "extra": 0, "f1": 0.5},
    ],
    "notes": ["A note."], "chance": {"itemsets": 1.5, "copies": 3, "rules": 2},
    "sets": {
        "words": ["car", "bike"], "members": [[0], [1], [0, 1]], "heads": None,
        "values": {"support": [0.5, 0.4, 0.2], "raw": [0.5, 0.45, 0.3], "true": [0.5, 0.4, None]},
        "low": [0.45, 0.35, 0.15], "high": [0.55, 0.45, None],
    },
    "rules": {
        "words": ["car", "bike"], "members": [[0]], "heads": [[1]],
        "values": {"support": [0.2], "confidence": [0.4], "lift": [1.0], "true": [0.5]},
        "low": [0.3], "high": [0.5],
    },
}  # fmt: skip


def test_that_a_run_of_an_older_program_is_read():
    run = read_run(OLD_RUN)
    assert run.is_whole
    assert run.request.values == (("car", "yes"), ("bike", "yes"))
    assert run.request.miner == Mask(min_support=0.1, frequent="surely")
    assert (run.request.rules.min_confidence, run.request.rules.false_discovery) == (0.4, 0.05)
    assert list(run.sheet("itemsets")["itemset"].values) == ["car", "bike", "car, bike"]
    assert numbers(run, "uncorrected").tolist() == [0.5, 0.45, 0.3]
    assert numbers(run, "lift_high", "rules").tolist() == [1.25]
    assert numbers(run, "false_negative", "lengths").tolist() == [0, 50]
    assert run.facts == {"records": 300, "seconds": 0.1, "reached": 3, "rules": 1,
                         "chance": {"itemsets": 1.5, "copies": 3, "rules": 2}}  # fmt: skip
    large = read_run(OLD_RUN | {"sets": None, "rules": None})
    assert not large.is_whole
    assert large.sheet("lengths").rows == 2
    with pytest.raises(DataError):
        read_run(OLD_RUN | {"request": {}})


def test_that_the_document_of_a_run_keeps_its_keys():
    found = run_document(read_run(OLD_RUN), AnswerState.REPORTED)
    assert found["itemsets"][2] == {
        "items": ["car", "bike"], "support": 0.2, "raw_support": 0.3, "true_support": None,
        "interval_from": 0.15, "interval_to": None,
    }  # fmt: skip
    assert found["rules"] == [
        {"if": ["car"], "then": ["bike"], "support": 0.2, "confidence": 0.4, "lift": 1.0,
         "true_confidence": 0.5, "interval_from": 0.3, "interval_to": 0.5}
    ]  # fmt: skip
    assert found["errors"][1] == {
        "length": 2, "true": 1, "found": 1, "correct": 1, "support_error": 20,
        "false_negative": 50, "false_positive": 0, "f1": 0.5,
    }  # fmt: skip
    assert (found["certainty"], found["method"], found["min_confidence"]) == ("surely", "mask", 0.4)
    assert (found["transactions"], found["notes"]) == (300, ["A note."])


def test_that_the_mark_changes_with_design_seed_and_answers_only():
    study = survey_study(100)
    mark = fingerprint(study)
    assert fingerprint(study.with_(title="other")) == mark
    assert fingerprint(study.with_perturbations({"car": Uniform(keep=0.9)})) == mark
    assert fingerprint(study.with_perturbations({"car": Uniform(keep=0.8)})) != mark
    settings = dataclasses.replace(study.settings, seed=5)
    assert fingerprint(study.with_(settings=settings)) != mark
    assert fingerprint(survey_study(120)) != mark
