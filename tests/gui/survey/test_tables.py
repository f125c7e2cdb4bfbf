"""Distributions, cross tables and participants on the Survey page: those of the core."""

from __future__ import annotations

import pytest
from asking import CONDITION, ask
from PySide6.QtCore import Qt

from ppworkbench.core.survey import (
    crosstab,
    distribution,
    participants,
)

# Distribution, cross table


@pytest.mark.slow
def test_that_a_distribution_is_that_of_the_core(qtbot, page, told):
    ask(qtbot, page, "vote = yes", statistic="distribution", of="town")
    study, card = page.store.study, page.results.distribution
    found = distribution(told, study.design, "town", "vote = yes", original=study.original)
    series = {s.role: s for s in card.plot._comparison.histogram.series}
    assert series["reconstructed"].share == pytest.approx([s.estimate for s in found.shares])
    assert series["reconstructed"].high == pytest.approx([s.high for s in found.shares])
    assert series["original"].share == pytest.approx([s.true for s in found.shares])
    assert series["distorted"].share == pytest.approx([s.naive for s in found.shares])
    first = card.model.rows[0]
    assert first[0] == "Ash"
    assert first[1].startswith(f"{100 * found.shares[0].estimate:.1f}")
    assert "Most frequent" in card.reading.text()


def test_that_a_cross_table_is_that_of_the_core(qtbot, page, told):
    ask(qtbot, page, "age < 50", statistic="crosstab", of="town", by="vote")
    study, card = page.store.study, page.results.crosstab
    found = crosstab(told, study.design, "town", "vote", "age < 50", original=study.original)
    assert card.model.rowCount() == 4
    cell = found.cells[2][1]
    assert card.model.index(2, 1).data().startswith(f"{cell.estimate:.0f} ± ")
    card.table.setCurrentIndex(card.model.index(2, 1))
    assert card.reading.text().startswith("Cedar and yes: about")
    card.shown_as.choose("true")
    assert card.model.index(2, 1).data() == f"{cell.true:.0f}"
    assert card.model.headerData(1, Qt.Orientation.Horizontal) == "yes"


def test_that_a_cross_table_is_always_joint(page):
    page.card.method.choose("sequential")
    page.card.statistic.choose("crosstab")
    assert page.card.method.current == "joint"
    assert "sequential" in page.card.method._disabled
    page.card.statistic.choose("count")
    assert page.card.method.current == "sequential"


# Participants


def test_that_participants_are_those_of_the_core(qtbot, page, told):
    ask(qtbot, page, CONDITION, statistic="participants", size=20)
    study, card = page.store.study, page.results.participants
    found = participants(told, study.design, CONDITION, size=20)
    assert card.model.rowCount() == 20
    records = [int(card.model.index(i, 0).data()) - 1 for i in range(20)]
    assert records == found.rows.tolist()
    last = card.model.columnCount() - 1
    assert card.model.headerData(last, Qt.Orientation.Horizontal) == "Posterior"
    heads = [card.model.headerData(i, Qt.Orientation.Horizontal) for i in range(last)]
    assert heads == ["Record", "vote", "town", "True status"]
    original = study.original
    truly = [
        original["vote"].data[r] == 1 and original["town"].data[r] in (0, 2) for r in found.rows
    ]
    shown = [card.model.index(i, last - 1).data() == "yes" for i in range(20)]
    assert shown == truly
    assert f"{sum(truly)} of the 20 listed" in card.sampling.truth.text()


def test_that_size_draw_and_seed_change_the_question_and_back(page):
    page.card.statistic.choose("participants")
    sampling = page.results.participants.sampling
    assert page.results.currentWidget() is page.results.participants
    sampling.size_box.setValue(7)
    sampling.draw.choose("random")
    sampling.seed.setValue(5)
    sampling.again.click()
    asked = page.model.question
    assert (asked.size, asked.draw, asked.seed) == (7, "random", 6)
    page.model.change(size=None, draw="highest", seed=1)
    assert (sampling.size_box.value(), sampling.draw.current, sampling.seed.value()) == (
        0,
        "highest",
        1,
    )


@pytest.mark.slow
def test_that_another_seed_draws_other_participants(qtbot, page):
    found = []
    for seed in (1, 2):
        ask(qtbot, page, CONDITION, statistic="participants", size=20, draw="random", seed=seed)
        found.append(set(page.answer.result.rows.tolist()))
    assert found[0] != found[1]
    assert all(len(rows) == 20 for rows in found)
