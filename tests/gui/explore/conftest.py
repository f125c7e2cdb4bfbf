"""What tests of the Explore page share."""

from __future__ import annotations

import pytest
from exploring import make_page, settle, small_study


@pytest.fixture
def page(qtbot, workbench):
    made = make_page(qtbot, workbench, small_study())
    settle(qtbot, made)
    return made
