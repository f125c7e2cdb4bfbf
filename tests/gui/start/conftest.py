"""What tests of the start screen share."""

from __future__ import annotations

import pytest
from stub_pages import make_stub_page

from ppworkbench.gui.window import main_window


@pytest.fixture(autouse=True)
def stub_pages(monkeypatch):
    monkeypatch.setattr(main_window, "make_page", make_stub_page)


@pytest.fixture
def start(window):
    return window.pages["start"]
