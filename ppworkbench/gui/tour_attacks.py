"""The stops of the tour in the attack lab."""

from __future__ import annotations

from ppworkbench.gui.main_window import MainWindow
from ppworkbench.gui.pages.explore import ExplorePage
from ppworkbench.gui.pages.explore.view_switch import ATTACK, RECONSTRUCT


def show_attack(window: MainWindow, key: str) -> None:
    """One of the attacks of the lab."""
    window.store.select(["district"])
    window.show_page("explore")
    page = _page(window)
    page.show_half(ATTACK)
    assert page.lab is not None  # noqa: S101 (made by now)
    page.lab.choose(key)


def leave_attack(window: MainWindow) -> None:
    """Back to the other half of the page."""
    _page(window).show_half(RECONSTRUCT)


def _page(window: MainWindow) -> ExplorePage:
    page = window.page("explore")
    assert isinstance(page, ExplorePage)  # noqa: S101 (made under this name)
    return page
