"""Every page of the window with a study whose design has arms."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from arm_studies import ARMS, distorted_study, original_study
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from ppworkbench.core.design import Additive
from ppworkbench.core.design.arms import Arms, DesignArm
from ppworkbench.core.reconstruct import reconstruct_table
from ppworkbench.gui.pages.classify import ClassifyPage
from ppworkbench.gui.pages.data import DataPage
from ppworkbench.gui.pages.data.attribute_table import attribute_columns
from ppworkbench.gui.pages.data.view import DataView
from ppworkbench.gui.pages.explore import ExplorePage
from ppworkbench.gui.pages.mine import MinePage
from ppworkbench.gui.pages.page import Page
from ppworkbench.gui.pages.publish import PublishPage
from ppworkbench.gui.window.main_window import MainWindow
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.study import Study

PAGES = ("data", "design", "collect", "explore", "survey", "mine", "classify", "publish")
SELECTED = ("data", "design", "explore", "publish")
"""Pages that show the selected attribute."""


def settle(qtbot: QtBot, workbench: Workbench, rounds: int = 2) -> None:
    """Wait until what a page puts off is done, and its jobs."""
    for _ in range(rounds):
        QApplication.processEvents()
        qtbot.wait(120)
        qtbot.waitUntil(lambda: workbench.jobs.is_idle)
    QApplication.processEvents()


def show(qtbot: QtBot, workbench: Workbench, made: type[Page], study: Study, name: str) -> Page:
    """A page alone, shown, on a study with an attribute selected."""
    workbench.store.open(study)
    workbench.store.select([name])
    page = made(workbench)
    workbench.themes.apply_theme(page)
    qtbot.addWidget(page)
    page.resize(1290, 700)
    page.show()
    page.shown()
    settle(qtbot, workbench)
    return page


@pytest.mark.slow
@pytest.mark.parametrize("make", [original_study, distorted_study])
def test_that_every_page_shows_every_attribute(
    window: MainWindow, qtbot: QtBot, make: Callable[[int], Study]
) -> None:
    workbench = window.workbench
    raised: list[str] = []
    workbench.error_raised.connect(lambda error: raised.append(repr(error)))
    workbench.store.open(make(400))
    for name in PAGES:
        window.show_page(name)
        for attribute in ("drug", "pay", "version") if name in SELECTED else ("drug",):
            workbench.store.select([attribute])
            settle(qtbot, workbench, rounds=1)
    settle(qtbot, workbench)
    assert raised == []


@pytest.mark.slow
def test_that_data_tells_not_asked_from_missing(workbench: Workbench, qtbot: QtBot) -> None:
    study = distorted_study(300)
    assert study.distorted is not None
    silent = int(np.count_nonzero(study.distorted["version"].data == 2))
    page = show(qtbot, workbench, DataPage, study, "pay")
    assert isinstance(page, DataPage)
    model = page.attributes.model
    told = {
        model.index(row, 0).data(): model.index(row, 3).data() for row in range(model.rowCount())
    }
    assert told["pay"] == told["drug"] == "0"
    place = next(row for row in range(model.rowCount()) if model.index(row, 0).data() == "pay")
    tip = model.index(place, 3).data(Qt.ItemDataRole.ToolTipRole)
    assert tip.startswith(f"{silent} people have an arm that does not ask this")
    columns = attribute_columns(DataView(study))
    assert columns[0].badge is not None
    assert columns[0].badge(study.distorted["pay"]) == f"{silent} not asked"
    assert columns[0].badge(study.distorted["version"]) == "arm"
    row = int(np.argmax(study.distorted["version"].data == 2))
    place = study.distorted.names.index("pay")
    cell = page.rows.view.model().index(row, place)
    assert cell.data() == "not asked"
    assert "does not ask" in cell.data(Qt.ItemDataRole.ToolTipRole)
    words = [label.text() for label in page.inspector.findChildren(QLabel)]
    assert f"none, {silent} not asked" in words


@pytest.mark.slow
@pytest.mark.parametrize("make", [original_study, distorted_study])
def test_that_explore_pools_the_arms_and_compares_them(
    workbench: Workbench, qtbot: QtBot, make: Callable[[int], Study]
) -> None:
    page = show(qtbot, workbench, ExplorePage, make(1_500), "drug")
    assert isinstance(page, ExplorePage)
    assert page.view is not None
    study = page.store.study
    answers = workbench.answers.of(study)
    pooled = reconstruct_table(answers.distorted, study.design, ["drug"])["drug"]
    shown = page.view.readings["em-as"]
    # EM on all devices at once ends at the most likely distribution.
    assert shown.probability == pytest.approx(pooled.probability, abs=1e-4)
    assert page.arms.isVisible()
    assert "If all arms had the same true shares" in page.arms.sentence.text()
    assert page.result is not None
    assert page.result.draw.by_arm is not None
    assert set(page.result.draw.by_arm.arms) == {"A", "B", "direct"}
    assert (page.result.draw.original is not None) == (study.original is not None)
    if study.original is not None:
        page.repeat()
        settle(qtbot, workbench)
        assert page.draws.found["drug"].done == 100


@pytest.mark.slow
def test_that_explore_leaves_out_who_was_not_asked(workbench: Workbench, qtbot: QtBot) -> None:
    page = show(qtbot, workbench, ExplorePage, original_study(800), "pay")
    assert isinstance(page, ExplorePage)
    assert page.result is not None
    table = workbench.answers.of(page.store.study).distorted
    silent = int(np.count_nonzero(table["version"].data == 2))
    assert page.result.draw.not_asked == silent
    assert page.result.draw.counted.rows == 800 - silent
    assert f"{silent} people not asked" in page.settings_card.summary.text()
    assert page.arms.isHidden()


@pytest.mark.slow
def test_that_explore_says_why_a_number_cannot_be_pooled(
    workbench: Workbench, qtbot: QtBot
) -> None:
    noise = Additive(noise="normal", sigma=3.0, integer="round")
    arms = Arms("version", (DesignArm("A", 0.5), DesignArm("B", 0.5, (("pay", noise),))))
    page = show(qtbot, workbench, ExplorePage, distorted_study(300, arms), "pay")
    assert isinstance(page, ExplorePage)
    words = " ".join(one.text() for one in page.picture.findChildren(QLabel) if one.isVisible())
    assert "cannot be shown for all arms" in words
    assert not page.primary.isEnabled()


@pytest.mark.slow
def test_that_an_attack_says_why_it_needs_one_version(workbench: Workbench, qtbot: QtBot) -> None:
    page = show(qtbot, workbench, ExplorePage, original_study(300), "drug")
    assert isinstance(page, ExplorePage)
    page.show_half("attack")
    settle(qtbot, workbench)
    assert page.lab is not None
    words = " ".join(one.text() for one in page.lab.findChildren(QLabel) if one.isVisible())
    assert "the arms of this design differ" in words


@pytest.mark.slow
def test_that_mine_and_classify_say_why_they_cannot(workbench: Workbench, qtbot: QtBot) -> None:
    page = show(qtbot, workbench, MinePage, original_study(200), "drug")
    words = " ".join(one.text() for one in page.findChildren(QLabel) if one.isVisible())
    assert "A survey with arms cannot be mined." in words
    assert not page.primary.isEnabled()
    page = show(qtbot, workbench, ClassifyPage, original_study(200), "drug")
    assert not page.primary.isEnabled()
    assert "one version of the questionnaire" in page.primary.toolTip()
    words = " ".join(one.text() for one in page.findChildren(QLabel) if one.isVisible())
    assert "A survey with arms cannot be classified" in words


@pytest.mark.slow
def test_that_publish_keeps_the_arm_of_every_row(workbench: Workbench, qtbot: QtBot) -> None:
    page = show(qtbot, workbench, PublishPage, distorted_study(200), "version")
    assert isinstance(page, PublishPage)
    buttons = [one for one in page.findChildren(type(page.distorted.leave_out)) if one.isVisible()]
    (omit,) = [one for one in buttons if one is page.distorted.leave_out]
    assert not omit.isEnabled()
    assert "arm of every row" in omit.toolTip()
    workbench.store.select(["town"])
    settle(qtbot, workbench)
    assert omit.isEnabled()
    words = " ".join(one.text() for one in page.findChildren(QLabel))
    assert "Not randomised in the arm direct" in words
    assert set(ARMS.names) == {"A", "B", "direct"}
