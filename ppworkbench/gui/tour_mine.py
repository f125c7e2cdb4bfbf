"""The stops of the tour on the Mine page."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication

from ppworkbench.core.design import Uniform
from ppworkbench.gui.main_window import MainWindow
from ppworkbench.gui.pages.mine import MinePage

_ASKED = ("sex", "home", "car", "fare_evasion", "cash_in_hand", "drug_use", "drink_driving")


def show_sets(window: MainWindow) -> None:
    """Itemsets of a survey, one of them chosen."""
    window.store.set_perturbations(dict.fromkeys(_ASKED, Uniform(keep=0.8)))
    page = _page(window)
    items = tuple(item for item in page.offer.usual if item.attribute in _ASKED)
    page.choices.set_items(items)
    page.choices.set_min_support(0.05)
    page.mine()
    _wait(window)
    page.table_card.sets.selectRow(4)


def show_rules(window: MainWindow) -> None:
    """Rules between the same items."""
    _page(window).viewing.set_view("rules")


def show_runs(window: MainWindow) -> None:
    """Three methods side by side."""
    page = _page(window)
    for method in ("mask", "mmask"):
        page.choices.set_method(method)
        page.mine()
        _wait(window)
    page.viewing.set_view("runs")


def _page(window: MainWindow) -> MinePage:
    window.show_page("mine")
    _wait(window)
    page = window.page("mine")
    assert isinstance(page, MinePage)  # noqa: S101 (made under this name)
    return page


def _wait(window: MainWindow) -> None:
    """Let jobs end and their results be shown."""
    QApplication.processEvents()
    while not window.workbench.jobs.is_idle:
        QApplication.processEvents()
    for _ in range(5):
        QApplication.processEvents()
