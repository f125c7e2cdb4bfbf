"""Whoever only looks at the pages of a study finds it unchanged."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import arm_studies
import pytest
from asked_studies import asked_study, reported_study
from designs import classic_study
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from role_studies import drawn_study
from studies import listed_study, noisy_study

from ppworkbench.core.data.samples import load_sample, samples
from ppworkbench.gui.pages.page import Page
from ppworkbench.gui.window.main_window import MainWindow
from ppworkbench.gui.window.shell import PAGES
from ppworkbench.outputs.gallery.compare import study_of_survey
from ppworkbench.outputs.gallery.surveys import read_gallery
from ppworkbench.study.study import Study


def sample_study(name: str) -> Study:
    """A built-in data set as it opens."""
    return Study.of_table(load_sample(name), name)


STUDIES: dict[str, Callable[[], Study]] = {
    "true answers": lambda: classic_study(load_sample("city-survey"), "city"),
    "no answers": asked_study,
    "reported": reported_study,
    "arms": arm_studies.distorted_study,
    "lists": listed_study,
    "noise": noisy_study,
    "drawn": drawn_study,
    "published": lambda: study_of_survey(read_gallery()[0]),
    **{name: partial(sample_study, name) for name in samples.names if name != "city-survey"},
}


def rest(window: MainWindow, page: Page, qtbot: QtBot) -> None:
    """Wait until a page has asked for everything that it shows, and has got it."""
    timers = page.findChildren(QTimer, options=Qt.FindChildOption.FindDirectChildrenOnly)

    def is_quiet() -> bool:
        QApplication.processEvents()
        return window.workbench.jobs.is_idle and not any(timer.isActive() for timer in timers)

    qtbot.waitUntil(is_quiet)


def look_at(window: MainWindow, name: str, qtbot: QtBot) -> None:
    window.show_page(name)
    page = window.front.front_page
    rest(window, page, qtbot)
    for key, _ in page.sub_pages:
        page.show_sub_page(key)
        rest(window, page, qtbot)
    if hasattr(page, "show_half"):
        for half in ("attack", "reconstruct"):
            page.show_half(half)
            rest(window, page, qtbot)


@pytest.mark.slow
@pytest.mark.parametrize("kind", list(STUDIES))
def test_that_looking_at_every_page_leaves_a_study_unchanged(
    window: MainWindow, qtbot: QtBot, kind: str
) -> None:
    study = STUDIES[kind]()
    window.store.open(study)
    opened = window.store.study
    changed = {}
    for entry in PAGES:
        for attribute in [one.name for one in opened.attributes[:3]]:
            window.store.select([attribute])
            look_at(window, entry.name, qtbot)
            if window.store.study is not opened or window.store.is_modified:
                changed[entry.name] = attribute
    assert changed == {}
    assert window.store.undo_stack.count() == 0
    assert "*" not in window.windowTitle()
