"""The best guess from one answer, counted and computed."""

import numpy as np
import pytest

from ppworkbench.core.attacks import Counted, best_guess
from ppworkbench.core.data.table import Column
from ppworkbench.core.errors import DataError
from ppworkbench.core.privacy.assess import assess_attribute
from ppworkbench.core.privacy.prior import Prior
from ppworkbench.core.progress import Cancelled, StoppableProgress


def error(expected, n):
    return (expected * (1 - expected) / n) ** 0.5


@pytest.mark.parametrize("name", ["town", "age", "pay"])
def test_that_the_draw_agrees_with_the_closed_form(attacked, name):
    table, distorted, design = attacked
    found = best_guess(table[name], distorted[name], design[name])
    assert abs(found.right.share - found.expected) < 4 * error(found.expected, found.right.n)
    assert found.right.n == table.rows
    assert found.expected >= found.blind


def test_that_values_have_the_success_that_the_design_page_states(attacked):
    table, distorted, design = attacked
    found = best_guess(table["town"], distorted["town"], design["town"])
    prior = Prior.from_column(table["town"])
    stated = {r.name: r.value for r in assess_attribute(design["town"], prior).privacy}
    assert found.expected == pytest.approx(stated["attack_success"])
    assert found.blind == pytest.approx(stated["prior_guess"])


def test_that_each_report_has_its_posterior(attacked):
    table, distorted, design = attacked
    found = best_guess(table["town"], distorted["town"], design["town"])
    share = table["town"].counts / table.rows
    for place, one in enumerate(found.guesses):
        report = np.full(3, 0.2)
        report[place] = 0.6
        posterior = report * share / (report @ share)
        assert (one.reported, one.guess) == ("ABC"[place], "ABC"[int(posterior.argmax())])
        assert one.expected == pytest.approx(posterior.max())
        assert one.before == pytest.approx(share[posterior.argmax()])


@pytest.mark.parametrize("name", ["town", "age", "pay"])
def test_that_a_table_published_as_it_is_is_guessed_for_certain(open_table, name):
    table, distorted, design = open_table
    found = best_guess(table[name], distorted[name], design[name])
    assert (found.right.share, found.expected) == (1.0, 1.0)
    assert found.right.interval[1] == 1.0


def test_that_a_number_is_guessed_by_slices_that_are_named(attacked):
    table, distorted, design = attacked
    found = best_guess(table["age"], distorted["age"], design["age"])
    assert found.slices == 12
    assert found.guesses[0].guess.startswith("0 to")
    assert sum(g.right.n for g in found.guesses) == table.rows


def test_that_missing_answers_are_left_out(attacked):
    table, distorted, design = attacked
    codes = table["town"].data.copy()
    codes[:100] = -1
    found = best_guess(Column(table["town"].attribute, codes), distorted["town"], design["town"])
    assert found.right.n == table.rows - 100


def test_that_an_attribute_without_answers_is_refused(attacked):
    table, distorted, design = attacked
    nothing = Column(table["town"].attribute, np.full(table.rows, -1))
    with pytest.raises(DataError, match="'town' has no answers"):
        best_guess(nothing, distorted["town"], design["town"])


def test_that_a_stop_takes_effect(attacked):
    table, distorted, design = attacked
    progress = StoppableProgress()
    progress.stop()
    with pytest.raises(Cancelled):
        best_guess(table["town"], distorted["town"], design["town"], progress)


def test_that_the_interval_of_a_share_covers_as_often_as_it_says():
    dice = np.random.default_rng(5)
    hits = dice.binomial(60, 0.1, 2000)
    covered = [low <= 0.1 <= high for low, high in (Counted(int(h), 60).interval for h in hits)]
    assert 0.93 < np.mean(covered) < 0.99
    assert Counted(0, 0).interval == (0.0, 1.0)
