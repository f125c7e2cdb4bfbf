"""What tests of the main window share: pages without content, and answers to questions."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QMessageBox
from stub_pages import make_stub_page

from ppworkbench.gui import main_window as main_window_module


@pytest.fixture(autouse=True)
def stub_pages(monkeypatch):
    monkeypatch.setattr(main_window_module, "make_page", make_stub_page)


@pytest.fixture
def answer(monkeypatch):
    """What the user clicks when asked about unsaved changes; the questions are counted."""
    asked = []

    def set_answer(button: QMessageBox.StandardButton) -> list[str]:
        def question(parent, title, text, *more):
            asked.append(text)
            return button

        monkeypatch.setattr(QMessageBox, "question", question)
        return asked

    return set_answer
