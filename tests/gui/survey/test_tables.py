"""Distributions and cross tables on the Survey page: those of the core."""

from __future__ import annotations

import pytest
from asking import ask, told_rows

from ppworkbench.core.survey.crosstabs import crosstab
from ppworkbench.core.survey.distributions import distribution
from ppworkbench.results.picture import Role

# Distribution, cross table


@pytest.mark.slow
def test_that_a_distribution_is_that_of_the_core(qtbot, page, told):
    ask(qtbot, page, "vote = yes", statistic="distribution", of="town")
    study, view = page.store.study, page.results.found
    found = distribution(told, study.design, "town", "vote = yes", original=study.original)
    marks = {one.role: one for one in view.pictures["distribution"].chart.picture.marks}
    assert marks[Role.ESTIMATE].y == pytest.approx([s.estimate for s in found.shares])
    assert marks[Role.ESTIMATE].high == pytest.approx([s.high for s in found.shares])
    assert marks[Role.TRUE].y == pytest.approx([s.true for s in found.shares])
    assert marks[Role.REPORTED].y == pytest.approx([s.naive for s in found.shares])
    first = told_rows(page, "distribution")[0]
    assert first[0] == "Ash"
    assert first[1] == f"{100 * found.shares[0].estimate:.1f}\u202f%"
    assert "most frequent" in view.words.words


def test_that_a_cross_table_is_that_of_the_core(qtbot, page, told):
    ask(qtbot, page, "age < 50", statistic="crosstab", of="town", by="vote")
    study, view = page.store.study, page.results.found
    found = crosstab(told, study.design, "town", "vote", "age < 50", original=study.original)
    (cells,) = view.pictures["table"].chart.picture.marks
    cell, half = found.cells[2][1], (found.cells[2][1].high - found.cells[2][1].low) / 2
    assert cells.words[5] == f"{cell.estimate:.0f} ± {half:.0f}"
    row = told_rows(page, "table")[5]
    assert row[:3] == ["Cedar", "yes", f"{cell.estimate:.0f}"]
    assert row[-1] == f"{cell.true:.0f}"


def test_that_a_cross_table_is_always_joint(page):
    page.card.method.choose("sequential")
    page.card.statistic.choose("crosstab")
    assert page.card.method.current == "joint"
    assert "sequential" in page.card.method._disabled
    page.card.statistic.choose("count")
    assert page.card.method.current == "sequential"
