"""What tests of the Survey page share."""

from __future__ import annotations

import pytest
from asking import make_page, small_study

from ppworkbench.core.design.distort import distort
from ppworkbench.core.rng import SeededStreams
from ppworkbench.gui.pages.survey import history_card


@pytest.fixture(autouse=True)
def _every_answer_is_kept(monkeypatch):
    """Nobody waits between questions here, as people do who want to keep an answer."""
    monkeypatch.setattr(history_card, "BRIEF", 0.0)


@pytest.fixture
def workbench(kept_workbench):
    return kept_workbench


@pytest.fixture
def page(qtbot, workbench):
    return make_page(qtbot, workbench, small_study())


@pytest.fixture
def told(page):
    """The distorted answers that every page of the study sees."""
    study = page.store.study
    return distort(study.original, study.design, SeededStreams(study.settings.seed))
