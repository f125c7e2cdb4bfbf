"""What tests of files share."""

from __future__ import annotations

import pytest

from ppworkbench.core.data.formats import readstat


@pytest.fixture
def readstat_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Starting a process for every file would take most of the time."""
    monkeypatch.setattr(readstat, "APART", False)
