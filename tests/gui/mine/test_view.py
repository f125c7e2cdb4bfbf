"""What the cards of the Mine page are given to show."""

from __future__ import annotations

from dataclasses import replace

import pytest
from mining_studies import small_sets, survey_study

from ppworkbench.analyses.mining.runs import SURELY, MiningRequest, MiningRun, available_items
from ppworkbench.analyses.mining.tables import CONFIDENCE, NAME, RAW, SUPPORT, order_rows
from ppworkbench.core.mining import Chance, miners
from ppworkbench.gui.pages.mine.texts import run_notes
from ppworkbench.gui.pages.mine.view import (
    RULES,
    RUNS,
    PageSettings,
    TableState,
    build_view,
)
from ppworkbench.study.fingerprint import fingerprint
from ppworkbench.study.run_history import RunHistory


@pytest.fixture
def workbench(kept_workbench):
    return kept_workbench


STUDY = survey_study(100)


def run_of(mark=""):
    """A run that found four sets and no rule."""
    request = MiningRequest((), miners["mask"]())
    sets = small_sets()
    return MiningRun(1, request, "12:00", mark, 100, 0.1, sets.words, (1, 2, 1), 0, sets=sets)


def view_of(run, table=TableState(), order=None, chosen=None):  # noqa: B008 (frozen)
    history = RunHistory() if run is None else RunHistory().add(run)
    offer = available_items(STUDY)
    return build_view(STUDY, offer, PageSettings(), table, history, order, chosen)


def test_that_rows_and_choice_of_another_table_are_not_shown():
    run, other = run_of(), small_sets()
    table = TableState()
    assert view_of(run, order=order_rows(other, table.query), chosen=(other, 2)).order is None
    assert view_of(run, chosen=(other, 2)).chosen == -1
    order = order_rows(run.sets, table.query)
    view = view_of(run, order=order, chosen=(run.sets, 2))
    assert view.order is order
    assert view.chosen == 2
    assert view_of(run, TableState(view=RULES), order).order is None


def test_that_what_chance_brings_stands_below_the_table():
    sets = small_sets()
    run = replace(
        run_of(), sets=sets, rules=sets, rule_count=3, reached=9, chance=Chance(1.2, 5, 4)
    )
    assert "about 1 of 3 sets" in view_of(run).legend
    assert "95\u202f% intervals" in view_of(run).legend
    assert "about 5 rules of 9" in view_of(run, TableState(view=RULES)).legend
    assert any("5 of 9 rules would come by chance" in note for note in run_notes(run, STUDY))
    tested = replace(run, request=replace(run.request, false_discovery=0.05))
    assert not any("by chance" in note for note in run_notes(tested, STUDY))
    nothing = replace(tested, rule_count=0)
    assert "None of 9 rules" in view_of(nothing, TableState(view=RULES)).empty.missing


def test_that_a_run_of_another_design_is_stale():
    assert view_of(run_of("other")).is_stale
    assert not view_of(run_of(fingerprint(STUDY))).is_stale


def test_that_an_empty_table_says_why():
    assert view_of(None).empty.missing == "No itemsets yet."
    assert view_of(None, TableState(view=RUNS)).empty is not None
    assert view_of(run_of()).empty is None
    assert view_of(run_of(), TableState(view=RULES)).empty.missing.startswith("No rule reaches")
    assert view_of(run_of(), TableState(view=RUNS)).empty is None


def test_that_tables_are_sorted_by_their_bars_until_somebody_asks_otherwise():
    table = TableState()
    assert (table.query.column, table.query.descending) == (SUPPORT, True)
    assert replace(table, view=RULES).query.column == CONFIDENCE
    by_raw = table.sorted_by(RAW)
    assert (by_raw.query.column, by_raw.query.descending) == (RAW, True)
    assert not by_raw.sorted_by(RAW).query.descending
    assert not by_raw.sorted_by(NAME).query.descending
    assert replace(by_raw, view=RULES).query.column == CONFIDENCE


def test_that_sizes_that_no_set_has_are_dropped():
    assert TableState(sizes=(3, 3)).fitted(3).sizes == (3, 3)
    assert TableState(sizes=(4, 4)).fitted(3).sizes == (2, 0)
    assert TableState().fitted(1).sizes == (1, 0)


def test_that_a_certainty_leaves_the_own_probability_of_a_method_alone():
    settings = replace(PageSettings(), method="shrinkage", certainty=SURELY)
    own = settings.miners["shrinkage"].min_probability
    assert settings.miner.min_probability > own
    edited = settings.with_miner(replace(settings.miner, confidence=0.8))
    assert edited.miners["shrinkage"].confidence == 0.8
    assert edited.miners["shrinkage"].min_probability == own
    asked = settings.request(available_items(STUDY))
    assert PageSettings().with_request(asked).request(available_items(STUDY)) == asked
