"""What the window remembers between starts."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QSettings, Qt
from studies import make_study
from window_hands import CTRL, press

from ppworkbench.gui import app as app_module
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.window.main_window import MainWindow
from ppworkbench.gui.workbench import Workbench


def make_another(settings: QSettings, qtbot) -> MainWindow:
    window = MainWindow(Workbench(settings, ThemeManager("light")))
    qtbot.addWidget(window)
    window.show()
    return window


@pytest.mark.slow
def test_that_size_and_columns_are_remembered(window, settings, qtbot):
    window.store.open(make_study())
    window.resize(1200, 710)
    columns = window.pages["data"].columns
    columns.setSizes([300, 800])
    columns.splitterMoved.emit(300, 1)
    sizes = columns.sizes()
    window.close()
    # What nobody has moved is arranged anew in a window of another size.
    assert [key.split("/")[:2] for key in settings.allKeys() if key.startswith("columns/")] == [
        ["columns", "dataPage"]
    ]
    again = make_another(settings, qtbot)
    again.store.open(make_study())
    # The screen of the tests is only 800 by 800.
    assert again.size().height() == 710
    assert again.size().width() < 1366
    share = again.pages["data"].columns.sizes()[0] / sum(again.pages["data"].columns.sizes())
    assert share == pytest.approx(sizes[0] / sum(sizes), abs=0.02)
    again.close()


def test_that_a_first_window_that_is_larger_than_the_screen_fills_it(settings, qtbot, workbench):
    window = app_module.make_window(settings)
    qtbot.addWidget(window)
    # The screen of the tests is only 800 by 800.
    assert not app_module.fits(window.size(), window.screen().availableSize())
    app_module.show_window(window)
    assert window.isMaximized()
    window.showFullScreen()
    window.close()
    again = app_module.make_window(settings)
    qtbot.addWidget(again)
    app_module.show_window(again)
    assert again.isFullScreen()
    again.close()


def test_that_damaged_settings_do_no_harm(settings, qtbot, workbench):
    for key in ("window/geometry", "view/theme", "view/scale"):
        settings.setValue(key, "nonsense")
    window = app_module.make_window(settings)
    qtbot.addWidget(window)
    assert window.size().height() == 768
    assert window.workbench.themes.scale == 1.0
    assert window.workbench.themes.choice == "system"
    window.close()


@pytest.mark.slow
def test_that_the_theme_is_switched_at_once_and_remembered(window, settings, qapp):
    light = qapp.palette().window().color().lightness()
    window.menus.actions["theme-dark"].trigger()
    assert qapp.palette().window().color().lightness() < light
    assert window.workbench.theme.is_dark
    assert settings.value("view/theme") == "dark"
    assert window.menus.actions["theme-dark"].isChecked()
    window.menus.actions["theme-light"].trigger()
    assert not window.workbench.theme.is_dark


@pytest.mark.slow
def test_that_text_grows_and_shrinks_within_bounds(window, settings, qapp):
    size = qapp.font().pixelSize()
    press(window, Qt.Key.Key_Plus, CTRL)
    assert window.workbench.themes.scale == pytest.approx(1.1)
    assert qapp.font().pixelSize() > size
    assert float(settings.value("view/scale")) == pytest.approx(1.1)
    # Each step lays out all pages again.
    window.workbench.themes.zoom(1.85)
    for _ in range(3):
        window.menus.actions["zoomIn"].trigger()
    assert window.workbench.themes.scale == pytest.approx(2.0)
    press(window, Qt.Key.Key_0, CTRL)
    assert qapp.font().pixelSize() == size
    for _ in range(4):
        press(window, Qt.Key.Key_Minus, CTRL)
    assert window.workbench.themes.scale == pytest.approx(0.8)
