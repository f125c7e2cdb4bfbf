"""Every place that a demonstration speaks of is seen on a small screen, as it is and projected."""

from __future__ import annotations

import pytest
from demonstrations_shown import settled
from PySide6.QtCore import QPoint, QRect

from ppworkbench.outputs.demonstrations.catalogue import shipped_files

FILES = shipped_files()
SMALL = 1366, 768


@pytest.fixture
def view(window, request):
    """A window of the size of a small screen, projected or not."""
    window.resize(*SMALL)
    window.workbench.themes.project(request.param == "projected")
    yield
    window.workbench.themes.project(False)


def what_is_off(stage) -> list[str]:
    """Places of which the title, the middle or the spot of the badge is not seen."""
    off = []
    panel = QRect(stage.panel.mapToGlobal(QPoint()), stage.panel.size())
    for look in stage.step.looks:
        widget = stage._find_look(look.at)
        box = widget.rect()
        spot = QPoint(round(look.x * box.right()), round(look.y * box.bottom()))
        points = {"title": QPoint(box.center().x(), 0), "middle": box.center(), "spot": spot}
        off += [
            f"{name} of {look.at}"
            for name, point in points.items()
            if not widget.visibleRegion().contains(point)
            or panel.contains(widget.mapToGlobal(point))
        ]
    return off


@pytest.mark.slow
@pytest.mark.usefixtures("view", "quick")
@pytest.mark.parametrize("view", ["plain", "projected"], indirect=True)
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_that_every_place_of_a_step_is_seen_on_a_small_screen(window, qtbot, start, path):
    stage = start(path)
    for place, step in enumerate(stage.demonstration.steps):
        stage.go(place)
        settled(window, qtbot)
        # A place may belong to a result that arrives a moment later.
        qtbot.waitUntil(lambda step=step: len(stage.badges.shown) == len(step.looks))
        settled(window, qtbot)

        def all_are_seen(place=place) -> None:
            assert what_is_off(stage) == [], (place + 1, stage.shell.current)

        # What arrives later moves the places; they are followed.
        qtbot.waitUntil(all_are_seen)


@pytest.mark.usefixtures("view", "quick")
@pytest.mark.parametrize("view", ["projected"], indirect=True)
def test_that_what_stands_between_places_is_folded_and_comes_back(window, qtbot, start):
    stage = start(next(path for path in FILES if path.stem == "9-respondents"))
    settled(window, qtbot)
    qtbot.waitUntil(lambda: len(stage.badges.shown) == len(stage.step.looks))
    qtbot.waitUntil(lambda: what_is_off(stage) == [])
    chart = stage._find_look("shareStrip")
    assert not chart.isVisible()
    window.resize(1900, 1900)
    qtbot.waitUntil(chart.isVisible)
