"""What every registered miner must do."""

import importlib
import pkgutil

import numpy as np
import pytest
from shopping import as_dict, binary_items, distorted, structured

import ppworkbench.core.mining
from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.core.itemsets import item_data
from ppworkbench.core.mining import Apriori, Level, Mask, Mmask, ShrinkageMask, mine, miners
from ppworkbench.core.mining.miner import Miner
from ppworkbench.core.params import declarations
from ppworkbench.core.progress import Cancelled, StoppableProgress

EVERY = pytest.mark.parametrize("method", miners.names)


@pytest.fixture(scope="module")
def shown():
    return structured(items=10, rows=4000)


@pytest.fixture(scope="module")
def published(shown):
    return binary_items(distorted(shown, 0.7, 0.9, np.random.default_rng(2)), 0.7, 0.9)


def test_that_every_miner_in_the_folder_is_registered():
    modules = [
        importlib.import_module(f"ppworkbench.core.mining.{module.name}")
        for module in pkgutil.iter_modules(ppworkbench.core.mining.__path__)
    ]
    there = {
        thing
        for module in modules
        for thing in vars(module).values()
        if isinstance(thing, type) and issubclass(thing, Miner) and thing is not Miner
    }
    assert {thing.name: thing for thing in there} == {name: miners[name] for name in miners.names}


@EVERY
def test_that_undistorted_answers_give_exactly_apriori(method, shown):
    data = binary_items(shown)
    expected = as_dict(mine(data, Apriori(min_support=0.05)).itemsets)
    found = as_dict(mine(data, miners[method](min_support=0.05)).itemsets)
    if method == "mmask":
        # Chosen transactions hold the set for sure when nothing is distorted.
        assert found == pytest.approx(expected)
    assert found.keys() == expected.keys()
    assert found == pytest.approx(expected, abs=1e-12)


@EVERY
def test_that_defaults_run_and_results_hold_together(method, published):
    levels = []
    found = mine(published, miners[method](min_support=0.05), on_level=levels.append)
    sets = found.itemsets
    assert found.method == method
    assert found.transactions == 4000
    assert len(sets) > 40
    told = np.isfinite(sets.standard_error)
    # Only MMASK has sets whose error nobody knows: those beyond its threshold.
    assert np.array_equal(told, (sets.lengths <= 3) | (method != "mmask"))
    assert np.all((sets.low <= sets.support)[told] & (sets.support <= sets.high)[told])
    assert np.isnan(sets.low[~told]).all()
    assert np.isnan(sets.high[~told]).all()
    assert np.all((sets.support >= 0) & (sets.support <= 1))
    assert np.all(sets.standard_error[told] > 0)
    assert tuple(levels) == found.levels
    assert sum(level.found for level in levels) == len(sets)
    assert all(isinstance(level, Level) and level.candidates >= level.found for level in levels)
    kept = set(sets)
    for one in kept:
        assert all(one[:i] + one[i + 1 :] in kept for i in range(len(one)) if len(one) > 1)


@EVERY
def test_that_parameters_survive_json_and_a_wrong_support_is_refused(method):
    miner = miners[method](min_support=0.2)
    assert type(miner).from_json(miner.to_json()) == miner
    assert all(one.info.label and one.info.help for one in declarations(type(miner)))
    with pytest.raises(ParameterError, match="Minimum support is 0;"):
        miners[method](min_support=0)


@EVERY
def test_that_the_longest_length_is_respected(method, published):
    found = mine(published, miners[method](min_support=0.05, max_length=2))
    assert found.itemsets.lengths.max() == 2


@EVERY
def test_that_a_stop_takes_effect_and_progress_never_falls(method, published):
    seen = []
    mine(
        published,
        miners[method](min_support=0.05),
        progress=lambda done, text="": seen.append(done),
    )
    assert seen == sorted(seen)
    assert seen[-1] == 1.0
    stop = StoppableProgress(lambda done, text: stop.stop() if "Length 3" in text else None)
    with pytest.raises(Cancelled):
        mine(published, miners[method](min_support=0.05), progress=stop)


@EVERY
def test_that_the_same_input_gives_the_same_result(method, published):
    miner = miners[method](min_support=0.05)
    first, again = mine(published, miner).itemsets, mine(published, miner).itemsets
    assert np.array_equal(first.members, again.members)
    assert np.array_equal(first.raw, again.raw)


@EVERY
def test_that_json_names_items_and_levels(method, published):
    document = mine(published, miners[method](min_support=0.3)).to_json()
    assert set(document) >= {"method", "transactions", "seconds", "itemsets", "levels"}
    assert document["itemsets"][0].keys() >= {"items", "support", "standard_error"}
    assert document["levels"][0]["length"] == 1


def test_that_nothing_frequent_is_an_empty_result(published):
    for method in miners.names:
        found = mine(published, miners[method](min_support=1.0))
        assert len(found.itemsets) == 0
        assert found.to_json()["itemsets"] == []


def test_that_no_records_are_an_error():
    with pytest.raises(DataError, match="no records"):
        mine(binary_items(np.zeros((3, 0))), Mask())


def test_that_a_single_record_can_be_mined():
    found = mine(binary_items(np.ones((3, 1)), 0.8, 0.8), Mask(min_support=0.5))
    assert len(found.itemsets) == 7


@EVERY
def test_that_too_many_candidates_end_the_search_with_a_message(method, published):
    found = mine(published, miners[method](min_support=0.001, candidate_limit=60))
    assert 0 < found.itemsets.lengths.max() < 5
    assert "more than 60 candidates" in found.notes[-1]
    assert "higher minimum support" in found.notes[-1]


def test_that_a_flood_of_candidates_can_be_stopped():
    """Every pair of 1,500 items is a candidate, and all of them are frequent."""
    rng = np.random.default_rng(1)
    data = binary_items(rng.random((1500, 640)) < 0.9)
    said = []

    def watch(done, text=""):
        said.append(text)
        if len(said) > 1 and "Length 3" in said[-2]:
            raise Cancelled

    with pytest.raises(Cancelled):
        mine(data, Apriori(min_support=0.001), progress=watch)
    # The candidates are not all counted before it is asked again.
    assert "Length 3" in said[-1]


def test_that_many_candidates_are_warned_of():
    data = binary_items(np.ones((1100, 10)))
    texts = []
    mine(data, Apriori(min_support=0.5, max_length=2), progress=lambda d, t="": texts.append(t))
    assert any("very many" in text for text in texts)


def test_that_every_method_runs_on_nominal_answers_with_a_skewed_matrix():
    from ppworkbench.core.data.samples import load_sample
    from ppworkbench.core.design import Custom, Design, DesignedAttribute, Uniform
    from ppworkbench.core.design.distort import distort
    from ppworkbench.core.rng import SeededStreams

    table = load_sample("weather")
    table = table.take(np.tile(np.arange(table.rows), 40))
    skewed = Custom(rows=((0.8, 0.1, 0.1), (0.1, 0.8, 0.2), (0.1, 0.1, 0.7)))
    design = Design(
        tuple(
            DesignedAttribute(c.attribute, skewed if c.attribute.k == 3 else Uniform(keep=0.9))
            for c in table
        )
    )
    data = item_data(distort(table, design, SeededStreams(1)), design)
    truth = as_dict(mine(item_data(table), Apriori(min_support=0.2)).itemsets)
    for method in (Mask, Mmask, ShrinkageMask):
        result = mine(data, method(min_support=0.1))
        found = as_dict(result.itemsets)
        assert truth.keys() <= found.keys()
        assert any("binary items" in note for note in result.notes) == (method is Mmask)
