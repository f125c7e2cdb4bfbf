"""One answer's journey through a P-matrix, and the larger cells of a wide window."""

import numpy as np
import pytest

from ppworkbench.core.design import Custom, Identity, Uniform
from ppworkbench.gui.pages.design import DesignPage
from ppworkbench.gui.pages.design.editors.examples import ValueJourney

NAMES = ("red", "green", "blue")


@pytest.fixture
def page(page):
    page.resize(1610, 1000)
    page.store.select(["district"])
    return page


@pytest.fixture
def journey(qtbot, workbench):
    made = ValueJourney(workbench.themes)
    qtbot.addWidget(made)
    return made


@pytest.mark.slow
def test_that_a_wide_window_shows_the_journey_and_larger_cells(page, qtbot):
    assert page.matrix.journey.isVisible()
    cell = page.matrix.grid.places.cell(0, 0)
    assert cell.height() >= 36
    page.resize(1400, 1000)
    qtbot.waitUntil(lambda: not page.matrix.journey.isVisible())
    small = page.matrix.grid.minimumSizeHint().height()
    page.resize(1610, 1000)
    qtbot.waitUntil(page.matrix.journey.isVisible)
    assert page.matrix.grid.minimumSizeHint().height() > small


def test_that_a_small_window_never_makes_the_journey(qtbot, workbench, city_study):
    workbench.store.open(city_study)
    page = DesignPage(workbench)
    qtbot.addWidget(page)
    page.resize(1290, 690)
    page.show()
    assert page.matrix.journey is None


def test_that_the_journey_starts_at_the_selected_true_answer(page):
    values = page.store.study.design["district"].attribute.values
    page.matrix.grid.select(0, 3)
    assert page.matrix.journey.true.value == values[3]
    page.store.select(["trust_council"])
    chosen = page.matrix.grid.column
    trust = page.store.study.design["trust_council"].attribute.values
    assert page.matrix.journey.true.value == trust[chosen]


def test_that_the_journey_follows_the_matrix_of_the_study(page):
    page.store.set_perturbation(["district"], Identity())
    assert page.matrix.journey.sent.value == page.matrix.journey.true.value
    assert "whatever" in page.matrix.journey.words.text()
    page.store.set_perturbation(["district"], Uniform(keep=0.0))
    assert page.matrix.journey.sent.value != page.matrix.journey.true.value
    assert "never reported" in page.matrix.journey.words.text()
    page.store.undo_stack.undo()
    assert page.matrix.journey.sent.value == page.matrix.journey.true.value


def test_that_the_die_decides_by_the_chances_of_the_true_answer(journey):
    chances = np.array([0.2, 0.5, 0.3])
    for fell, reported in ((0.1, "green"), (0.49, "green"), (0.55, "red"), (0.75, "blue")):
        journey.fell = fell
        journey.show_column(NAMES, chances, 1)
        assert journey.true.value == "green"
        assert journey.sent.value == reported
        assert ("Up to 50" if reported == "green" else "Above 50") in journey.words.text()
        assert journey.strip.accessibleName() == journey.words.text()


def test_that_an_impossible_answer_is_never_drawn(journey):
    chances = np.array([0.7, 0.3, 0.0])
    journey.fell = np.nextafter(1.0, 0.0)
    journey.show_column(NAMES, chances, 0)
    assert journey.sent.value == "green"


def test_that_again_throws_the_die_anew_and_a_change_of_the_matrix_does_not(page):
    journey = page.matrix.journey
    fell = journey.fell
    page.store.set_perturbation(["district"], Uniform(keep=0.4))
    assert journey.fell == fell
    journey.again.click()
    assert journey.fell != fell
    assert journey.middle.value == f"{100 * journey.fell:.1f}"


def test_that_many_throws_report_each_answer_as_often_as_the_matrix_says(journey):
    chances = np.array([0.2, 0.5, 0.3])
    journey.show_column(NAMES, chances, 1)
    throws = 600
    seen = dict.fromkeys(NAMES, 0)
    for _ in range(throws):
        journey.again.click()
        seen[journey.sent.value] += 1
    shares = np.array([seen[name] for name in NAMES]) / throws
    # The seeds are fixed; four standard errors leave room for other streams.
    assert (abs(shares - chances) < 4 * np.sqrt(chances * (1 - chances) / throws)).all()


def test_that_a_matrix_that_was_written_by_hand_is_shown_too(page):
    matrix = np.eye(7)[::-1]
    page.store.set_perturbation(["district"], Custom.of(matrix))
    values = page.store.study.design["district"].attribute.values
    page.matrix.grid.select(0, 0)
    assert page.matrix.journey.sent.value == values[6]
