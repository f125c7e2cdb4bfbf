"""What tests of demonstrations in the window share."""

from __future__ import annotations

from pathlib import Path

import pytest
from demonstrations_shown import OWN, arranged

from ppworkbench.gui.demonstrations import open_demonstration


@pytest.fixture
def own(tmp_path: Path) -> Path:
    path = tmp_path / "own.toml"
    path.write_text(OWN, encoding="utf-8")
    return path


@pytest.fixture
def start(window, qtbot):
    """Start a demonstration and wait until its first step is set up."""

    def begin(path: Path):
        open_demonstration(window.workbench, path)
        qtbot.waitUntil(lambda: window.stage is not None)
        arranged(window, qtbot)
        return window.stage

    return begin
