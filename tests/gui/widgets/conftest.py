"""What tests of small widgets share."""

from __future__ import annotations

import pytest


@pytest.fixture
def themes(workbench):
    return workbench.themes


@pytest.fixture
def show(qtbot):
    def show(widget, width=400):
        qtbot.addWidget(widget)
        widget.resize(width, max(widget.sizeHint().height(), 20))
        widget.show()
        return widget

    return show
