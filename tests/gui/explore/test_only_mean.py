"""Exploring a number whose reports tell its mean only."""

import pytest
from PySide6.QtWidgets import QLabel
from window_hands import add_widget

from ppworkbench.core.design import perturbations
from ppworkbench.gui.pages.explore import ExplorePage


@pytest.mark.parametrize("given", [("duchi", 1.0), ("hybrid", 0.5)], ids=["duchi", "hybrid"])
def test_that_the_page_says_why_there_is_nothing_to_reconstruct(
    qtbot, workbench, city_study, given
):
    name = next(one.name for one in city_study.design if one.attribute.kind == "integer")
    kind, epsilon = given
    mechanism = perturbations[kind](epsilon=epsilon)
    workbench.store.open(city_study.with_perturbations({name: mechanism}))
    workbench.store.select([name])
    page = ExplorePage(workbench)
    add_widget(qtbot, page)
    page.resize(1290, 690)
    page.show()
    page.shown()

    def told():
        return " ".join(label.text() for label in page.findChildren(QLabel) if label.isVisible())

    qtbot.waitUntil(lambda: "tell its mean only" in told())
    assert not page.primary.isEnabled()
    assert "tell its mean only" in page.primary.toolTip()
