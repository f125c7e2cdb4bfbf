"""What tests of the Mine page share."""

from __future__ import annotations

import pytest
from mining_page import choose, make_page, mine
from mining_studies import survey_study


@pytest.fixture
def page(qtbot, workbench):
    made = make_page(qtbot, workbench, survey_study())
    choose(made, min_support=0.1)
    return made


@pytest.fixture
def mined(qtbot, page):
    mine(qtbot, page)
    return page
