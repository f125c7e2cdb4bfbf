"""What the tour shows of the Publish page."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication

from ppworkbench.core.publish import CurveOptions
from ppworkbench.gui.dialogs import show_dialog
from ppworkbench.gui.main_window import MainWindow
from ppworkbench.gui.pages.publish import PublishPage
from ppworkbench.gui.release_dialog import ReleaseDialog

_FEW = CurveOptions(minimums=(0.01, 0.1, 0.2, 0.4, 0.6), folds=2, most_people=1_500)
"""Enough for a picture, and soon over."""
_SPLITS = ("district", "age", "sex", "education", "home", "income")


def show_deniable(window: MainWindow) -> None:
    """Groups of a sensitive question, and what accuracy they leave."""
    page = _page(window)
    page.settings_card.sensitive_chosen.emit("fare_evasion")
    table = window.store.study.original
    assert table is not None  # noqa: S101 (the tour opens a survey with answers)
    for name in table.names:
        if name not in (*_SPLITS, "fare_evasion"):
            page.settings_card.splits.ticked.emit(name, False)
    _wait(window)
    plan = page.plan.denial
    assert plan is not None  # noqa: S101 (a survey has questions with values)
    page.publisher.measure(window.store.study, plan, _FEW)
    _wait(window)


def show_distorted(window: MainWindow) -> None:
    """The table that the design makes."""
    _page(window).settings_card.mode.choose("distorted")


def show_release(window: MainWindow) -> None:
    """The window that writes a bundle."""
    page = _page(window)
    page.settings_card.mode.choose("deniable")
    _wait(window)
    subject = page.subject
    assert subject is not None  # noqa: S101 (the groups are made)
    dialog = ReleaseDialog(window.workbench, subject, page.bundle.options, window)
    dialog.path.setText("city-survey-release")
    show_dialog(dialog, window.workbench.themes)


def _page(window: MainWindow) -> PublishPage:
    window.show_page("publish")
    page = window.page("publish")
    assert isinstance(page, PublishPage)  # noqa: S101 (made under this name)
    _wait(window)
    return page


def _wait(window: MainWindow) -> None:
    """Let jobs end and their results be shown."""
    QApplication.processEvents()
    while not window.workbench.jobs.is_idle:
        QApplication.processEvents()
    QApplication.processEvents()
