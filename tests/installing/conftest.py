"""What tests of the files in ``packaging`` share."""

from __future__ import annotations

import sys

import pytest
from questionnaire.conftest import browser, chromium  # noqa: F401 (fixtures)
from recipes import PACKAGING, load_recipe


@pytest.fixture
def load(monkeypatch):
    """Loads a file of the folder as a fresh module."""
    monkeypatch.syspath_prepend(str(PACKAGING))

    def fresh(name):
        module = load_recipe(name)
        monkeypatch.setitem(sys.modules, name, module)
        return module

    return fresh
