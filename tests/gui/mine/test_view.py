"""What the cards of the Mine page are given to show."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from mining_studies import listing, mining_request, small_sets, survey_study

from ppworkbench.analyses.mining.items import available_items
from ppworkbench.analyses.mining.mine import length_sheet
from ppworkbench.analyses.mining.runs import SURELY
from ppworkbench.analyses.runs import Run
from ppworkbench.core.mining import miners
from ppworkbench.gui.pages.mine.texts import run_notes
from ppworkbench.gui.pages.mine.view import (
    RULES,
    RUNS,
    MineView,
    PageSettings,
    TableState,
    listings,
)


@pytest.fixture
def workbench(kept_workbench):
    return kept_workbench


STUDY = survey_study(100)
OFFER = available_items(STUDY)


def run_of(listed=None, **facts):
    """A run that found four sets."""
    request = mining_request((), miners["mask"]())
    sheets = {
        "itemsets": small_sets().whole,
        "rules": no_rules() if listed is None else listed,
        "lengths": length_sheet({"length": [1, 2, 3], "found": [1, 2, 1]}),
    }
    known = {"records": 100, "seconds": 0.1, "chance": None, "reached": 0, "rules": 0} | facts
    return Run(1, request, "12:00", facts=known, sheets=sheets)


def no_rules():
    none = np.empty(0)
    sides = [np.empty((0, 1), np.int32)] * 2
    return listing(
        ("a",), sides, support=none, confidence=none, lift=none, low=none, high=none
    ).whole


def some_rules():
    three = np.full(3, 0.5)
    sides = [np.zeros((3, 1), np.int32), np.ones((3, 1), np.int32)]
    return listing(
        ("a", "b"), sides, support=three, confidence=three, lift=three, low=three, high=three
    ).whole


def view_of(run, table=TableState()):  # noqa: B008 (frozen)
    runs = () if run is None else (run,)
    return MineView(STUDY, OFFER, PageSettings(), table, runs, run, listings(run, OFFER))


def test_that_what_chance_brings_stands_below_the_table():
    chance = {"itemsets": 1.2, "rules": 5, "copies": 4}
    run = run_of(some_rules(), chance=chance, reached=9, rules=3)
    # The settings of the page are others than those of the run, unless it is stale.
    shown = replace(view_of(run), stale=frozenset({1}))
    assert "about 1 of 3 sets" in shown.legend
    assert "95\u202f% intervals" in shown.legend
    assert "about 5 rules of 9" in replace(shown, table=TableState(view=RULES)).legend
    assert any("5 of 9 rules would come by chance" in note for note in run_notes(run, STUDY))
    request = mining_request((), miners["mask"](), false_discovery=0.05)
    tested = replace(run, request=request)
    assert not any("by chance" in note for note in run_notes(tested, STUDY))
    nothing = replace(run_of(chance=chance, reached=9), request=request)
    assert "None of 9 rules" in view_of(nothing, TableState(view=RULES)).empty.missing


def test_that_an_empty_table_says_why():
    assert view_of(None).empty.missing == "No itemsets yet."
    assert view_of(None, TableState(view=RUNS)).empty is not None
    assert view_of(run_of()).empty is None
    assert view_of(run_of(), TableState(view=RULES)).empty.missing.startswith("No rule reaches")
    assert view_of(run_of(), TableState(view=RUNS)).empty is None


def test_that_sizes_that_no_set_has_are_dropped():
    assert TableState(sizes=(3, 3)).fitted(3).sizes == (3, 3)
    assert TableState(sizes=(4, 4)).fitted(3).sizes == (2, 0)
    assert TableState().fitted(1).sizes == (1, 0)


def test_that_the_scale_of_the_bars_follows_the_sizes_but_not_the_words():
    for sizes, words, end in (((1, 0), "", 0.52), ((2, 0), "", 0.22), ((2, 0), "lane", 0.22)):
        table, found = TableState(text=words, sizes=sizes), small_sets()
        assert found.reach(table.of_size(found)) == pytest.approx(end)


def test_that_a_certainty_leaves_the_own_probability_of_a_method_alone():
    settings = replace(PageSettings(), method="shrinkage", certainty=SURELY)
    own = settings.miners["shrinkage"].min_probability
    assert settings.miner.min_probability > own
    edited = settings.with_miner(replace(settings.miner, confidence=0.8))
    assert edited.miners["shrinkage"].confidence == 0.8
    assert edited.miners["shrinkage"].min_probability == own
    asked = settings.request(OFFER)
    assert PageSettings().with_request(asked).request(OFFER) == asked
