"""The Mine page mines what the core mines, and shows it."""

from __future__ import annotations

import numpy as np
import pytest
from mining_page import choose, look_at, mine, names, settle
from mining_studies import numbers
from PySide6.QtCore import Qt

from ppworkbench.core.design.distort import distort
from ppworkbench.core.itemsets import item_data
from ppworkbench.core.mining import Mask, miners
from ppworkbench.core.mining import mine as mine_items
from ppworkbench.core.rng import SeededStreams
from ppworkbench.gui.pages.mine.view import RULES, RUNS, SETS


def test_that_the_table_shows_what_the_core_mines(qtbot, page):
    choose(page, method="mask")
    mine(qtbot, page)
    study = page.store.study
    whole = distort(study.original, study.design, SeededStreams(study.settings.seed))
    data = item_data(whole, study.design, ("car", "bike", "pass", "garden", "town"))
    kept = [i for i, item in enumerate(data.items) if item.value != "no"]
    found = mine_items(data, Mask(min_support=0.1)).itemsets
    expected = {
        frozenset(found.names(i)): found.support[i]
        for i in range(len(found))
        if set(found.set_at(i)) <= set(kept)
    }
    run = page.current
    names_of = run.sheet("itemsets")["itemset"].values
    shown = {
        frozenset(str(name).split(", ")): support
        for name, support in zip(names_of, numbers(run, "support").tolist(), strict=True)
    }
    assert shown == pytest.approx(expected)
    assert len(shown) > 10


def test_that_raw_and_true_supports_are_plain_counts(mined):
    run, study = mined.current, mined.store.study
    whole = distort(study.original, study.design, SeededStreams(study.settings.seed))
    texts = mined.view.listings[SETS].texts
    place = next(i for i, name in enumerate(texts) if set(name.split(" + ")) == {"car", "bike"})
    for table, column in ((whole, "uncorrected"), (study.original, "true")):
        both = (table["car"].data == 1) & (table["bike"].data == 1)
        assert numbers(run, column)[place] == pytest.approx(both.mean())


def test_that_the_errors_count_truly_frequent_sets_of_every_size(mined):
    run = mined.current
    truth = np.column_stack(
        [mined.store.study.original[name].data == 1 for name in ("car", "bike", "pass", "garden")]
        + [mined.store.study.original["town"].data == code for code in range(3)]
    )
    true = numbers(run, "true", "lengths")[0]
    assert true == int((truth.mean(axis=0) >= 0.1).sum())
    model = mined.errors.table.model()
    assert model.index(0, 1).data() == str(int(true))
    assert mined.errors.sentence.text()


def test_that_rules_reach_the_minimum_confidence(qtbot, page):
    page.settings_card.confidence.box.setValue(60)
    mine(qtbot, page)
    look_at(page, RULES)
    assert page.view.rows(RULES) == page.current.facts["rules"] > 0
    assert numbers(page.current, "confidence", RULES).min() >= 0.6
    assert "→" in names(page, RULES)[0]
    assert page.results.rules.looks.rule == 0.6


def test_that_segments_and_foot_count_what_was_found(mined):
    run = mined.current
    labels = dict(mined.results.view._choices)
    total = run.sheet(SETS).rows
    assert labels[SETS] == f"Itemsets {total}"
    assert labels[RUNS] == "Runs 1"
    pairs_and_more = int(numbers(run, "found", "lengths")[1:].sum())
    assert mined.results.foot_right.text().startswith(f"{pairs_and_more} of {total} shown")
    assert mined.results.sets.looks.rule == 0.1


def test_that_the_button_of_the_empty_page_mines(qtbot, page):
    assert page.results.empty.heading.text() == "No itemsets yet."
    qtbot.mouseClick(page.results.empty.button, Qt.MouseButton.LeftButton)
    settle(qtbot, page)
    assert page.current is not None
    assert page.results.stack.currentWidget() is page.results.sets


@pytest.mark.parametrize("method", sorted(miners.names))
def test_that_every_method_can_be_run(qtbot, page, method):
    page.settings_card.method.choose(method)
    mine(qtbot, page)
    run = page.current
    assert run.request.miner.name == method
    assert run.sheet(SETS).rows > 7
    if miners[method].on_original:
        assert page.view.listings[SETS].numbers("uncorrected") is None
        assert "true supports" in page.truth.words.text()
    else:
        assert numbers(run, "f1", "lengths")[0] > 0.8


def test_that_a_study_is_mined_again(qtbot, mined):
    choose(mined, min_support=0.05)
    mine(qtbot, mined)
    assert mined.current.number == 2
