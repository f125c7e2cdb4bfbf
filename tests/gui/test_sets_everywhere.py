"""Every page of the window with a study whose reports of one question are sets."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from ppworkbench.core.design import Subset

PAGES = ("data", "design", "collect", "explore", "survey", "mine", "classify", "publish")


def settle(qtbot, workbench):
    """Wait until what a page puts off is done, and its jobs."""
    for _ in range(2):
        QApplication.processEvents()
        qtbot.wait(120)
        qtbot.waitUntil(lambda: workbench.jobs.is_idle)
    QApplication.processEvents()


@pytest.mark.slow
def test_that_every_page_shows_a_question_with_sets(window, qtbot, city_study):
    workbench = window.workbench
    raised = []
    workbench.error_raised.connect(lambda error: raised.append(repr(error)))
    name = next(one.name for one in city_study.design if one.attribute.kind == "ordinal")
    workbench.store.open(city_study.with_perturbations({name: Subset(epsilon=1.0)}))
    workbench.store.select([name])
    for page in PAGES:
        window.show_page(page)
        settle(qtbot, workbench)
        assert raised == [], page
