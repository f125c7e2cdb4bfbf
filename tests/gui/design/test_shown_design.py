"""What the Design page shows of a study, odd ones included."""

import numpy as np
import pytest
from designing import select
from designs import classic_study
from window_hands import is_waiting

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import (
    Discretise,
    Identity,
    Multiplicative,
    Related,
    Retention,
    Uniform,
)
from ppworkbench.study.questionnaire.document import Question, Questionnaire
from ppworkbench.study.questionnaire.edits import study_of_questionnaire
from ppworkbench.study.study import Study

# Model to view


def test_that_selecting_an_attribute_shows_its_editor(page):
    select(page, "trust_council")
    assert page.editor.currentWidget() is page.matrix
    assert page.matrix.segments.current == "ordinal"
    assert page.matrix.grid.k == 8
    select(page, "income")
    assert page.editor.currentWidget() is page.noise
    assert page.noise.segments.current == "additive"


def test_that_a_change_of_the_study_reaches_sliders_matrix_and_cards(page):
    select(page, "district")
    page.store.set_perturbation(["district"], Uniform(keep=0.8))
    assert page.matrix.panel("uniform").slider.value == pytest.approx(0.8)
    assert page.matrix.grid._matrix[0, 0] == pytest.approx(0.8)
    first = page.readouts.cards[0].number
    page.store.set_perturbation(["district"], Uniform(keep=0.4))
    assert page.readouts.cards[0].number != first
    page.store.undo_stack.undo()
    assert page.matrix.panel("uniform").slider.value == pytest.approx(0.8)
    assert page.readouts.cards[0].number == first


def test_that_in_words_restates_the_design(page):
    select(page, "fare_evasion")
    page.store.set_perturbation(["fare_evasion"], Related(theta=0.7))
    assert "7 in 10 report the true answer" in page.words._plain()
    page.store.set_perturbation(["fare_evasion"], Identity())
    assert "not randomised" in page.words._plain()


@pytest.mark.parametrize("source", ["data", "uniform"])
def test_that_nothing_is_drawn_as_reconstructed_that_cannot_be(page, source):
    select(page, "fare_evasion")
    page.views_card.choose("shares")
    page.preview.source.choose(source)
    page.store.set_perturbation(["fare_evasion"], Uniform(keep=0.5))
    plot, preview = page.preview.plot, page.preview
    assert plot.rows()[0] == ["", preview.legend.accessibleName().split(", ")[0], "distorted"]
    assert "reconstructed" not in preview.legend.accessibleName()
    assert preview.absent.isVisible()
    assert preview.absent.text().startswith("Nothing can be reconstructed: the matrix is singular")
    assert "reconstructed" not in plot.summary()
    page.store.set_perturbation(["fare_evasion"], Uniform(keep=0.7))
    assert "reconstructed" in preview.legend.accessibleName()
    assert "reconstructed ± 95\u202f%" in plot.rows()[0]
    assert not preview.absent.isVisible()


def test_that_numbers_that_are_all_replaced_have_no_reconstruction(page):
    select(page, "income")
    page.views_card.choose("shares")
    page.store.set_perturbation(["income"], Retention(keep=0.0))
    assert "reconstructed" not in page.preview.legend.accessibleName()
    assert page.preview.absent.isVisible()


def test_that_a_matrix_that_cannot_be_undone_is_said_in_a_banner(page):
    select(page, "fare_evasion")
    page.store.set_perturbation(["fare_evasion"], Uniform(keep=0.5))
    assert page.banner.isVisible()
    assert page.banner.kind == "warning"
    assert page.readouts.cards[3].number == "∞"
    page.store.set_perturbation(["fare_evasion"], Uniform(keep=0.7))
    assert not page.banner.isVisible()


@pytest.mark.parametrize(
    ("name", "made", "segment"),
    [
        ("age", Multiplicative(sigma=0.3), "multiplicative"),
        ("income", Discretise(intervals=7), "discretise"),
        pytest.param("age", Identity(), "none", marks=pytest.mark.slow),
        pytest.param("income", Retention(keep=0.4), "retention", marks=pytest.mark.slow),
    ],
)
def test_that_every_noise_has_its_panel(page, name, made, segment):
    select(page, name)
    page.store.set_perturbation([name], made)
    assert page.noise.segments.current == segment


def study_of(*columns):
    return classic_study(Table(tuple(columns)), "odd")


# Odd studies


def test_that_one_value_two_hundred_values_and_one_point_are_shown(page, qtbot, workbench):
    many = Attribute("many", Kind.NOMINAL, tuple(f"value {i}" for i in range(200)))
    rng = np.random.default_rng(1)
    study = study_of(
        Column(Attribute("one", Kind.NOMINAL, ("only",)), np.zeros(50)),
        Column(many, rng.integers(0, 200, 50)),
        Column(Attribute("point", Kind.INTEGER, domain=(3, 3)), np.full(50, 3.0)),
    )
    workbench.store.open(study)
    qtbot.waitUntil(lambda: not is_waiting(page))
    for name in ("one", "many", "point"):
        select(page, name)
        page.grab()
        assert page.report.name == name
    assert page.matrix.grid.k == 200


def test_that_a_study_without_data_starts_from_a_uniform_expectation(page, qtbot, workbench):
    evaded = Question.of(Attribute("Evaded", Kind.BINARY, ("no", "yes")), "en")
    workbench.store.open(study_of_questionnaire(Questionnaire(("en",), (evaded,)), "questions"))
    qtbot.waitUntil(lambda: not is_waiting(page))
    page.views_card.choose("shares")
    assert page.preview.source.current == "uniform"
    assert "data" in page.preview.source._disabled


def test_that_an_empty_study_says_what_to_do(page, qtbot, workbench):
    workbench.store.open(Study())
    qtbot.waitUntil(lambda: not is_waiting(page))
    assert page.views.currentWidget() is page.empty
