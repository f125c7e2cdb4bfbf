"""What tests of demonstrations in the window share."""

from __future__ import annotations

from pathlib import Path

import pytest
from demonstrations_shown import OWN, arranged

from ppworkbench.gui.demonstrations import open_demonstration
from ppworkbench.gui.window.demonstration_player import write
from ppworkbench.outputs.demonstrations.calculations import Accuracy, Mining, PublishedGroups


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


@pytest.fixture
def quick(monkeypatch):
    """Numbers that take long are worked out elsewhere; trainings stay in this process."""
    for kind in (Accuracy, PublishedGroups, Mining):
        monkeypatch.setattr(kind, "calculate", lambda *_: 1.0)
    monkeypatch.setattr("ppworkbench.core.experiment.engines.ALONE", 1_000.0)
    monkeypatch.setattr("ppworkbench.gui.pages.explore.page.DRAWS", 10)
    monkeypatch.setattr(
        "ppworkbench.gui.window.demonstration_player.write",
        lambda widget, value: write(widget, 2 if widget.objectName() == "folds" else value),
    )
    # Intervals of every iteration belong to the tests of that page.
    monkeypatch.setattr(
        "ppworkbench.gui.pages.explore.page.ExplorePage._measure_intervals", lambda *_: None
    )
