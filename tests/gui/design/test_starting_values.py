"""What is randomised at the start, and how a selection is randomised or asked openly."""

import pytest
from designing import perturbation, select
from PySide6.QtWidgets import QPushButton

from ppworkbench.core.data.samples import load_sample
from ppworkbench.core.design import Identity, Uniform
from ppworkbench.core.design.starting import starting_perturbation
from ppworkbench.gui.pages.design.sensitive_dialog import SensitiveDialog
from ppworkbench.study.study import Study

pytestmark = pytest.mark.usefixtures("own_page")

LINE = "Nothing is marked as sensitive, so every question is randomised."


def test_that_a_table_with_marks_randomises_them_alone_and_says_nothing(page, qtbot):
    page.store.open(Study.of_table(load_sample("city-survey", rows=200), "city"))
    qtbot.waitUntil(lambda: page.view is not None and page.view.study is page.store.study)
    names = ("fare_evasion", "cash_in_hand", "drug_use", "drink_driving")
    assert page.store.study.design.randomised == names
    assert not page.banner.isVisible()


def test_that_marks_are_made_at_once_and_the_rest_is_asked_openly(page, dialogs, qtbot):
    page.store.open(Study.of_table(load_sample("weather"), "weather"))
    qtbot.waitUntil(lambda: LINE in page.banner.label.text())
    steps = page.store.undo_stack.count()
    page.banner.findChild(QPushButton, "bannerAction").click()
    dialog = dialogs.front(SensitiveDialog)
    dialog.tick("windy", "true")
    dialog.accept_button.click()
    study = page.store.study
    assert study.design["windy"].attribute.sensitive == ("true",)
    assert study.design.randomised == ("windy",)
    assert not page.banner.isVisible()
    assert page.store.undo_stack.count() == steps + 1
    page.store.undo_stack.undo()
    assert len(page.store.study.design.randomised) == len(page.store.study.design.names)
    assert LINE in page.banner.label.text()


def test_that_a_selection_is_asked_openly_and_randomised_again(page):
    chosen = Uniform(keep=0.9)
    page.store.set_perturbation(["car"], chosen)
    page.store.set_perturbation(["sex", "drug_use"], Identity())
    select(page, "car", "sex", "drug_use")
    menu = page.list.make_menu()
    assert {"randomiseSelected", "askOpenly"} <= {one.objectName() for one in menu.actions()}
    page.randomise_action.trigger()
    # What is randomised already keeps its mechanism.
    assert perturbation(page, "car") == chosen
    for name in ("sex", "drug_use"):
        attribute = page.store.study.design[name].attribute
        assert perturbation(page, name) == starting_perturbation(attribute)
    assert not page.randomise_action.isEnabled()
    steps = page.store.undo_stack.count()
    page.open_action.trigger()
    assert {perturbation(page, name) for name in ("car", "sex", "drug_use")} == {Identity()}
    assert not page.open_action.isEnabled()
    assert page.store.undo_stack.count() == steps + 1
    page.store.undo_stack.undo()
    assert perturbation(page, "car") == chosen
