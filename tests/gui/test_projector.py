"""The projector view takes everything away but the page, and gives it back."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget

from ppworkbench.core.design import Uniform


@pytest.fixture
def designing(window, open_city, wait_idle):
    window.resize(1366, 768)
    window.show_page("design")
    wait_idle()
    return window


def chrome(window) -> list[bool]:
    page = window.page("design")
    return [part.isVisible() for part in (window.menuBar(), window.rail, window.status, page.list)]


def press(window, qtbot, key, modifier=Qt.KeyboardModifier.NoModifier) -> None:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    qtbot.keyClick(window, key, modifier)


@pytest.mark.slow
def test_that_an_audience_sees_the_page_alone_in_large_type(designing, qtbot):
    themes = designing.workbench.themes
    themes.choose("dark")
    hint, caption = themes.theme.hex("text3"), themes.theme.font("caption").pixelSize()
    designing.menus.actions["projector"].trigger()
    assert chrome(designing) == [False] * 4
    assert designing.isFullScreen()
    assert designing.menus.actions["projector"].isChecked()
    theme = themes.theme
    assert theme.name == "light"
    assert theme.scale == pytest.approx(1.4)
    assert theme.font("caption").pixelSize() >= 18 > caption
    assert theme.hex("text3") == theme.hex("text2") != hint
    assert theme.stroke(2.0) == 3.0
    designing.menus.actions["theme-dark"].trigger()
    assert (themes.theme.name, themes.theme.projected) == ("dark", True)
    designing.projector.leave()
    assert (themes.theme.name, themes.theme.projected) == ("dark", False)


@pytest.mark.slow
def test_that_keys_lead_out_of_it_and_everything_is_as_before(designing, qtbot):
    themes, page = designing.workbench.themes, designing.page("design")
    themes.choose("dark")
    splitters = page.findChildren(type(page.split))
    before = [splitter.sizes() for splitter in splitters]
    size = designing.size()
    for key, modifier in (
        (Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier),
        (Qt.Key.Key_F11, Qt.KeyboardModifier.ShiftModifier),
    ):
        designing.projector.enter()
        # The frontier is searched for a few seconds.
        qtbot.waitUntil(lambda: designing.workbench.jobs.is_idle)
        press(designing, qtbot, key, modifier)
        assert chrome(designing) == [True] * 4
        assert not designing.isFullScreen()
        assert not designing.menus.actions["projector"].isChecked()
        theme = themes.theme
        assert (theme.name, theme.scale, theme.projected) == ("dark", 1.0, False)
        qtbot.waitUntil(lambda: designing.size() == size)
        qtbot.waitUntil(lambda: [splitter.sizes() for splitter in splitters] == before)


@pytest.mark.slow
def test_that_pages_can_be_turned_and_are_as_plain_as_the_first(designing, qtbot, wait_idle):
    designing.projector.enter()
    press(designing, qtbot, Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)
    assert designing.current == "data"
    data = designing.page("data")
    qtbot.waitUntil(lambda: not data.rows.isVisible())
    assert data.attributes.isVisible()
    designing.projector.leave()
    assert data.rows.isVisible()
    wait_idle()


@pytest.mark.slow
def test_that_columns_return_although_the_screen_is_filled_late(designing, qtbot):
    page = designing.page("design")
    splitters = page.findChildren(type(page.split))
    page.columns.setSizes([600, 400])
    QApplication.processEvents()
    before, size = [splitter.sizes() for splitter in splitters], designing.size()
    designing.projector.enter()
    designing.projector.leave()
    qtbot.wait(60)
    # What a window system does when it comes round to it.
    designing.resize(2560, 1440)
    page.columns.setSizes([300, 900])
    qtbot.wait(60)
    designing.resize(size)
    qtbot.waitUntil(lambda: [splitter.sizes() for splitter in splitters] == before)


@pytest.mark.slow
def test_that_the_window_is_drawn_as_before_and_goes_on_being_drawn(designing, qtbot, wait_idle):
    # Other tests have the window painted at their end only.
    designing.setUpdatesEnabled(True)
    page = designing.page("design")
    page.store.select(["fare_evasion"])
    wait_idle()
    page.setFocus()
    page.views_card.choose("shares")
    qtbot.waitUntil(lambda: page.preview.plot.accessibleDescription() != "")
    size, before = designing.size(), page.preview.grab().toImage()
    designing.projector.enter()
    qtbot.wait(100)
    designing.projector.leave()
    assert not designing.toast.isVisible()
    qtbot.waitUntil(lambda: designing.size() == size)
    qtbot.waitUntil(lambda: page.preview.grab().toImage() == before)
    for theme in ("dark", "light"):
        designing.menus.actions[f"theme-{theme}"].trigger()
    qtbot.waitUntil(lambda: page.preview.grab().toImage() == before)
    blocked = [one for one in designing.findChildren(QWidget) if not one.updatesEnabled()]
    assert blocked == []
    page.store.set_perturbation(["fare_evasion"], Uniform(keep=0.9))
    qtbot.waitUntil(lambda: page.preview.grab().toImage() != before)
    wait_idle()
