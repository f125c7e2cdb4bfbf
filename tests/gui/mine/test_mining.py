"""The Mine page mines what the core mines, and shows it."""

from __future__ import annotations

import numpy as np
import pytest
from mining_page import choose, look_at, mine, names, settle
from PySide6.QtCore import Qt

from ppworkbench.analyses.mining.tables import RAW, SUPPORT, TRUE
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
    run = page.mining.current
    shown = {
        frozenset(run.names[m] for m in row if m >= 0): support
        for row, support in zip(
            run.sets.members.tolist(), run.sets.values[SUPPORT].tolist(), strict=True
        )
    }
    assert shown == pytest.approx(expected)
    assert len(shown) > 10


def test_that_raw_and_true_supports_are_plain_counts(mined):
    run, study = mined.mining.current, mined.store.study
    whole = distort(study.original, study.design, SeededStreams(study.settings.seed))
    place = next(
        i for i in range(run.sets.rows) if set(run.sets.name(i).split(" + ")) == {"car", "bike"}
    )
    for table, column in ((whole, RAW), (study.original, TRUE)):
        both = (table["car"].data == 1) & (table["bike"].data == 1)
        assert run.sets.values[column][place] == pytest.approx(both.mean())


def test_that_the_errors_count_truly_frequent_sets_of_every_size(mined):
    run = mined.mining.current
    truth = np.column_stack(
        [mined.store.study.original[name].data == 1 for name in ("car", "bike", "pass", "garden")]
        + [mined.store.study.original["town"].data == code for code in range(3)]
    )
    assert run.errors[0].true == int((truth.mean(axis=0) >= 0.1).sum())
    model = mined.errors.table.model()
    assert model.index(0, 1).data() == str(run.errors[0].true)
    assert mined.errors.sentence.text()


def test_that_rules_reach_the_minimum_confidence(qtbot, page):
    page.settings_card.confidence.box.setValue(60)
    mine(qtbot, page)
    look_at(page, RULES)
    rules = page.listing(RULES)
    assert rules.rows == page.mining.current.rule_count > 0
    assert rules.values["confidence"].min() >= 0.6
    assert "→" in names(page, RULES)[0]
    assert page.results.rules.looks.rule == 0.6


def test_that_segments_and_foot_count_what_was_found(mined):
    run = mined.mining.current
    labels = dict(mined.results.view._choices)
    assert labels[SETS] == f"Itemsets {run.total}"
    assert labels[RUNS] == "Runs 1"
    pairs_and_more = sum(run.found[1:])
    assert mined.results.foot_right.text().startswith(f"{pairs_and_more} of {run.total} shown")
    assert mined.results.sets.looks.rule == 0.1


def test_that_the_button_of_the_empty_page_mines(qtbot, page):
    assert page.results.empty.heading.text() == "No itemsets yet."
    qtbot.mouseClick(page.results.empty.button, Qt.MouseButton.LeftButton)
    settle(qtbot, page)
    assert page.mining.current is not None
    assert page.results.stack.currentWidget() is page.results.sets


@pytest.mark.parametrize("method", sorted(miners.names))
def test_that_every_method_can_be_run(qtbot, page, method):
    page.settings_card.method.choose(method)
    mine(qtbot, page)
    run = page.mining.current
    assert run.request.method == method
    assert run.total > 7
    if miners[method].on_original:
        assert RAW not in run.sets.values
        assert "true supports" in page.truth.words.text()
    else:
        assert run.errors[0].f1 > 0.8


def test_that_a_study_is_mined_again(qtbot, mined):
    choose(mined, min_support=0.05)
    mine(qtbot, mined)
    assert mined.mining.current.number == 2
