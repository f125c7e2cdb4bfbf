"""Columns that tell how people were drawn, in the list and in the editor of Design."""

import pytest
from designing import select
from kept_pages import take_page
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from role_studies import drawn_study

from ppworkbench.core.design import Uniform
from ppworkbench.gui.pages.design import DesignPage
from ppworkbench.gui.pages.design.attribute_list import LIGHT, SUMMARY

pytestmark = pytest.mark.usefixtures("own_page")


@pytest.fixture
def page(qtbot, workbench):
    workbench.store.open(drawn_study())
    page = take_page(qtbot, workbench, DesignPage)
    page.resize(1290, 690)
    page.show()
    qtbot.waitExposed(page)
    return page


def told(page, name, role=SUMMARY):
    model = page.list.model
    return model.index(model.names.index(name)).data(role)


def test_that_the_list_marks_roles_instead_of_mechanisms(page):
    assert told(page, "pw") == "weight, not randomised"
    assert told(page, "region") == "stratum, not randomised"
    assert told(page, "village") == "cluster, not randomised"
    assert told(page, "pw", LIGHT)[2] == "weight, not randomised"
    assert "weight" not in told(page, "ticket")
    assert "weight" in told(page, "pw", Qt.ItemDataRole.AccessibleTextRole)


def test_that_a_role_column_has_no_mechanism_and_says_why(page, workbench):
    asked = []
    workbench.page_requested.connect(asked.append)
    select(page, "region")
    assert page.banner.isVisible()
    assert "“region” tells how people were drawn (stratum)" in page.banner.accessibleDescription()
    assert not page.matrix.isEnabled()
    assert not page.advice.button.isVisible()
    assert not page.advice.warning.isVisible()
    segments = page.matrix.segments
    QTest.mouseClick(segments, Qt.MouseButton.LeftButton, pos=segments.rect().center())
    assert workbench.store.study.design.perturbation("region").is_identity
    QTest.mouseClick(page.banner.button, Qt.MouseButton.LeftButton)
    assert asked == ["data"]
    select(page, "ticket")
    assert not page.banner.isVisible()
    assert page.matrix.isEnabled()


def test_that_a_selection_with_a_role_is_distorted_without_it(page, workbench):
    said = []
    workbench.toast_requested.connect(lambda words, _: said.append(words))
    select(page, "ticket", "region")
    page.matrix.mechanism_chosen.emit(lambda _: Uniform(keep=0.8), "")
    design = workbench.store.study.design
    assert design.perturbation("ticket") == Uniform(keep=0.8)
    assert design.perturbation("region").is_identity
    assert said == ["Does not fit region."]


def test_that_a_role_that_is_taken_away_can_be_distorted_again(page, workbench):
    store = workbench.store
    store.apply(store.study.with_sampling(store.study.sampling.without(["region"])), "roles")
    select(page, "region")
    assert not page.banner.isVisible()
    assert page.matrix.isEnabled()
    assert "stratum" not in told(page, "region")
