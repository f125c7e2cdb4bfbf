"""Distributions and cross tables on the Survey page: those of the core."""

from __future__ import annotations

import pytest
from asking import ask
from PySide6.QtCore import Qt

from ppworkbench.core.survey import crosstab, distribution

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
