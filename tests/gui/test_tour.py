"""Pictures of the tour show pages that have nothing more to find."""

from __future__ import annotations

import sys

import pytest

from ppworkbench.core.errors import DataError
from ppworkbench.gui.pages.design import DesignPage
from ppworkbench.gui.tour import View, take_tour
from ppworkbench.gui.tour.stops import STOPS, Stop
from ppworkbench.gui.window.main_window import MainWindow


@pytest.mark.slow
def test_that_a_picture_of_design_waits_for_the_frontier(qapp, tmp_path):
    found = []

    def look(window: MainWindow, stop: Stop) -> None:
        page = window.page("design")
        assert isinstance(page, DesignPage)
        found.append((page.search.is_searching, len(page.search.designs)))

    stops = [stop for stop in STOPS if stop.name == "design-binary"]
    taken = take_tour(tmp_path, [View(1366, 768, "light")], stops, visited=look)
    assert [path.name for path in taken] == ["01-design-binary.png"]
    [(is_searching, designs)] = found
    assert not is_searching
    assert designs > 1


@pytest.mark.slow
def test_that_an_error_in_a_slot_fails_the_tour(qapp, tmp_path, monkeypatch):
    printed = []
    monkeypatch.setattr(sys, "excepthook", lambda *error: printed.append(error))
    stop = next(stop for stop in STOPS if stop.name == "design-binary")

    def look(window: MainWindow, stop: Stop) -> None:
        window.store.selection_changed.connect(lambda: 1 / 0)
        window.store.selection_changed.emit()

    with pytest.raises(DataError, match="ZeroDivisionError"):
        take_tour(tmp_path, [View(1366, 768, "light")], [stop], visited=look)
    assert printed[0][0] is ZeroDivisionError
    assert len(list(tmp_path.iterdir())) == 1
