"""What tests of the Explore page share."""

from __future__ import annotations

import pytest
from exploring import make_page, settle, small_study
from window_hands import painted_later


@pytest.fixture
def page(qtbot, workbench):
    made = make_page(qtbot, workbench, small_study())
    with painted_later(made):
        settle(qtbot, made)
    return made
