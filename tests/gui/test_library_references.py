"""What the window's library does to the interpreter."""

from __future__ import annotations

import sys

import pytest
from PySide6.QtWidgets import QLabel


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="None cannot be lost from Python 3.12 on")
def test_that_calls_which_return_nothing_lose_no_reference_to_none(qtbot):
    """PySide6 after 6.8.0.2 can lose one in each call, until Python dies of it."""
    label = QLabel()
    qtbot.addWidget(label)
    before = sys.getrefcount(None)
    for _ in range(1000):
        label.setText("a")
    # Other threads come and go, but not by the hundred.
    assert abs(sys.getrefcount(None) - before) < 100
