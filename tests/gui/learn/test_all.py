"""Every demonstration, unattended."""

from __future__ import annotations

from pathlib import Path

import pytest
from demonstrations_shown import LEFT, arranged, settled
from studies import make_study

from ppworkbench.gui.demonstrations import seen
from ppworkbench.gui.language import speech
from ppworkbench.outputs.demonstrations.catalogue import shipped_files
from ppworkbench.study.language import ENGLISH, LANGUAGES


@pytest.fixture
def spoken(path: Path):
    """The language of the file; those of other languages lie in a folder of theirs."""
    language = path.parent.name
    speech.choose(language if language in LANGUAGES else ENGLISH)
    yield
    speech.choose(ENGLISH)


def _points_at_all(stage, step) -> bool:
    stage.badges.follow()
    return [badge.number for badge in stage.badges.shown] == [*range(1, len(step.looks) + 1)]


@pytest.mark.slow
@pytest.mark.parametrize(
    "path", [*shipped_files(), shipped_files("pl")[-1]], ids=lambda path: "-".join(path.parts[-2:])
)
@pytest.mark.usefixtures("spoken")
def test_that_a_demonstration_runs_from_its_first_step_to_its_last(
    window, qtbot, start, quick, path
):
    window.store.open(make_study("mine"))
    mine = window.store.study
    stage = start(path)
    for place, step in enumerate(stage.demonstration.steps):
        if place:
            qtbot.mouseClick(stage.panel.next, LEFT)
        settled(window, qtbot)
        assert stage.at == place
        assert stage.panel.problem.text() == ""
        assert not stage.shell.banner.isVisible(), stage.shell.banner.label.text()
        assert stage.shell.current == stage._setup.page
        # A live estimate begins a moment after the question has changed.
        qtbot.waitUntil(lambda step=step: _points_at_all(stage, step))
        settled(window, qtbot)
        assert "…" not in stage.panel.words.text()
        assert all(label.text() not in ("…", "–") for label in stage.panel.figures.ours.values())
    qtbot.mouseClick(stage.panel.next, LEFT)
    assert window.stage is None
    assert window.store.study is mine
    assert path.stem in seen(window.workbench.settings)


@pytest.mark.slow
def test_that_everything_to_try_can_be_tried(window, qtbot, start, quick):
    stage = start(shipped_files()[0])
    tried = []
    for place, step in enumerate(stage.demonstration.steps):
        stage.go(place)
        arranged(window, qtbot)
        for button in stage.panel.tries:
            before = stage.workbench.store.study
            qtbot.mouseClick(button, LEFT)
            arranged(window, qtbot)
            assert stage.panel.problem.text() == ""
            assert stage.workbench.store.study is not before
            tried.append(button.text())
        assert len(stage.panel.tries) == len(step.tries)
    assert len(tried) == 4
