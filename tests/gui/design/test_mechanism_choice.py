"""Choosing a mechanism on the Design page: reasons, figures of others, a finite epsilon, sets."""

import math

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from ppworkbench.analyses.designs.mechanisms import keep_for
from ppworkbench.core.design import Geometric, Ordinal, Subset, UnaryEncoding, Uniform
from ppworkbench.core.privacy.epsilon import epsilon

pytestmark = pytest.mark.usefixtures("own_page")


def ordered(page):
    """The name of an ordered question of the study, which becomes the current one."""
    design = page.store.study.design
    name = next(one.name for one in design if one.attribute.kind == "ordinal")
    page.store.select([name])
    return name


def press(widget):
    QTest.mouseClick(widget, Qt.MouseButton.LeftButton, pos=QPoint(8, widget.height() // 2))


def test_that_the_list_tells_why_each_mechanism_is_taken(page):
    ordered(page)
    box = page.matrix.segments
    model = box.model()
    said = {
        box.itemText(i): model.index(i, 0).data(Qt.ItemDataRole.ToolTipRole)
        for i in range(box.count())
    }
    assert said["Geometric"] == "for means and neighbours (page only)"
    assert said["Uniform"] == "best shares of short lists"
    box.showPopup()
    assert box.view().minimumWidth() > box.sizeHint().width()
    box.hidePopup()


def test_that_the_reason_of_the_chosen_mechanism_stands_below_the_list(page):
    name = ordered(page)
    page.store.set_perturbation([name], Geometric(epsilon=1.0))
    assert page.matrix.advice.reason.text() == "For means and neighbours"


def test_that_pressing_a_compared_mechanism_takes_it_at_the_same_epsilon(page):
    name = ordered(page)
    k = page.store.study.design[name].attribute.k
    page.store.set_perturbation([name], Uniform(keep=keep_for(1.0, k)))
    shares, means = page.matrix.advice.rows
    assert "chosen" in shares.title.text()
    assert "chosen" not in means.title.text()
    press(means)
    made = page.store.study.design[name].perturbation
    assert isinstance(made, Geometric)
    assert made.epsilon == pytest.approx(1.0, abs=1e-3)
    press(page.matrix.advice.rows[0])
    made = page.store.study.design[name].perturbation
    assert made.keep == pytest.approx(keep_for(1.0, k), abs=1e-3)
    page.store.undo_stack.undo()
    assert isinstance(page.store.study.design[name].perturbation, Geometric)


def test_that_neighbours_become_finite_by_one_press(page):
    name = ordered(page)
    attribute = page.store.study.design[name].attribute
    page.store.set_perturbation([name], Ordinal(weights=(0.6, 0.2)))
    advice = page.matrix.advice
    assert advice.repair.isVisible()
    advice.epsilon.setValue(2.0)
    press(advice.finite)
    made = page.store.study.design[name].perturbation.matrix(attribute.k)
    assert epsilon(made) == pytest.approx(2.0)
    assert not advice.repair.isVisible()


@pytest.mark.parametrize(("name", "expected"), [("subset", Subset), ("oue", UnaryEncoding)])
def test_that_sets_are_chosen_and_shown_without_a_matrix(page, name, expected):
    question = ordered(page)
    before = page.store.study.design[question].perturbation
    page.matrix.segments.choose(name)
    made = page.store.study.design[question].perturbation
    assert isinstance(made, expected)
    naming = made.naming(page.store.study.design[question].attribute.k)
    assert page.matrix.section.isHidden()
    assert f"{100 * naming.h:.3g}" in page.matrix.naming.text()
    values = page.view.report.privacy
    assert values["epsilon"].value == pytest.approx(made.epsilon, abs=1e-6)
    assert math.isfinite(page.view.place.half_width)
    page.views_card.tabs.choose("people")
    assert page.views_card.tabs.current == "trade"
    page.views_card.tabs.choose("shares")
    page.store.undo_stack.undo()
    assert page.store.study.design[question].perturbation == before
    assert not page.matrix.section.isHidden()


def test_that_a_matrix_after_a_set_has_its_epsilon(page):
    question = ordered(page)
    k = page.store.study.design[question].attribute.k
    page.store.set_perturbation([question], Subset(epsilon=2.0))
    page.matrix.segments.choose("uniform")
    made = page.store.study.design[question].perturbation
    assert made.keep == pytest.approx(keep_for(2.0, k), abs=1e-3)
