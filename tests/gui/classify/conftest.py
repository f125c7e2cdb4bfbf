"""What tests of the Classify page share."""

from __future__ import annotations

import pytest
from classifying import make_study
from window_hands import add_widget

from ppworkbench.core.experiment.engines import InProcess
from ppworkbench.gui.pages.classify import ClassifyPage


@pytest.fixture
def page(workbench, qtbot):
    made = ClassifyPage(workbench)
    add_widget(qtbot, made)
    made.resize(1280, 640)
    made.runs.engine = InProcess()
    workbench.store.open(make_study())
    made.choose(made.choices.with_(folds=2, low=0.0, high=100.0, steps=2))
    made.show()
    made.shown()
    qtbot.waitUntil(lambda: not made._due.isActive())
    return made


@pytest.fixture
def settle(page, qtbot, workbench):
    """Wait until nothing is on its way any more."""

    def wait():
        qtbot.waitUntil(
            lambda: (
                workbench.jobs.is_idle
                and not page._due.isActive()
                and not page._results_due.isActive()
            ),
        )

    return wait


@pytest.fixture
def ran(page, settle):
    """The page after a sweep of two classifiers over two levels."""
    page.primary.trigger()
    settle()
    return page
