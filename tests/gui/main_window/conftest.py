"""What tests of the main window share: pages without content."""

from __future__ import annotations

import pytest
from stub_pages import make_stub_page

from ppworkbench.gui.window import main_window


@pytest.fixture(autouse=True)
def stub_pages(monkeypatch):
    monkeypatch.setattr(main_window, "make_page", make_stub_page)
