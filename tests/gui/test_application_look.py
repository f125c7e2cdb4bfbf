"""The font of the application, whichever the system has."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QFont, QFontDatabase
from PySide6.QtWidgets import QApplication

from ppworkbench.gui.theme import Theme, interface_font


@pytest.mark.parametrize(
    ("installed", "family", "stretch"),
    [
        (["DejaVu Sans", "Inter", "Noto Sans"], "Inter", QFont.Stretch.Unstretched),
        (["DejaVu Sans", "Noto Sans"], "Noto Sans", QFont.Stretch.Unstretched),
        (["Comic Neue", "DejaVu Sans"], "DejaVu Sans", 90),
    ],
)
def test_that_the_best_font_is_taken_and_a_wide_one_drawn_narrower(
    qapp: QApplication,
    monkeypatch: pytest.MonkeyPatch,
    installed: list[str],
    family: str,
    stretch: int,
) -> None:
    monkeypatch.setattr(QFontDatabase, "families", lambda: installed)
    font = interface_font(Theme("light"))
    assert font.family() == family
    assert font.stretch() == stretch


def test_that_no_listed_font_leaves_the_one_of_the_system(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QFontDatabase, "families", list)
    assert interface_font(Theme("light")).family() == QApplication.font().family()
