"""What tests of the Mine page share."""

from __future__ import annotations

import pytest
from mining_page import make_page, mine
from mining_studies import survey_study

from ppworkbench.gui.pages.mine.view import PageSettings


@pytest.fixture
def page(qtbot, workbench):
    made = make_page(qtbot, workbench, survey_study())
    # A page that other tests had keeps what they chose.
    made.choose(PageSettings(min_support=0.1))
    return made


@pytest.fixture
def mined(qtbot, page):
    mine(qtbot, page)
    return page
