"""What tests of the main window share: pages without content."""

from __future__ import annotations

import pytest
from stub_pages import make_stub_page

from ppworkbench.gui import main_window as main_window_module


@pytest.fixture(autouse=True)
def stub_pages(monkeypatch):
    monkeypatch.setattr(main_window_module, "make_page", make_stub_page)
