"""Another study under the Design page, and designs of many attributes."""

from __future__ import annotations

import pytest
from designs import classic_study
from window_hands import is_waiting

from ppworkbench.core.design import Uniform
from ppworkbench.gui.pages.design import page as design_page
from ppworkbench.gui.pages.design import tasks
from ppworkbench.gui.pages.design.readouts import MeasuresDialog


@pytest.fixture
def workbench(new_workbench):
    return new_workbench


def test_that_another_study_is_shown_once(page, qtbot, city_study, monkeypatch):
    shown = []
    plain = page._show_current
    monkeypatch.setattr(page, "_show_current", lambda: (shown.append(1), plain()))
    page.store.open(classic_study(city_study.original, "another"))
    qtbot.waitUntil(lambda: not is_waiting(page))
    assert len(shown) == 1
    assert page.report.name == page.store.current


def test_that_a_page_that_is_shown_weighs_an_attribute_once(page, qtbot, monkeypatch):
    weighed = []
    plain = design_page.report_of
    monkeypatch.setattr(
        design_page, "report_of", lambda study, name: (weighed.append(name), plain(study, name))[1]
    )
    page.shown()
    qtbot.waitUntil(lambda: not is_waiting(page))
    assert weighed == [page.store.current]
    page.store.set_perturbation([page.store.current], Uniform(keep=0.9))
    assert len(weighed) == 2
    assert page.report.privacy["attack_success"].value == pytest.approx(0.9, abs=0.05)


def test_that_changes_are_followed_after_another_study_was_opened(page, city_study):
    page.store.open(classic_study(city_study.original, "another"))
    page.store.select(["income"])
    assert page.report.name == "income"


@pytest.mark.slow
def test_that_reports_of_many_attributes_are_made_when_they_are_asked_for(
    page, qtbot, wait_idle, dialogs, monkeypatch
):
    monkeypatch.setattr(tasks, "_MOST_REPORTS", 1)
    page.store.set_settings(respondents=900)
    qtbot.waitUntil(lambda: bool(page.summary.guess.text()))
    wait_idle()
    assert page.assessment.report is None
    for _ in range(2):
        page.summary.all.click()
        qtbot.waitUntil(lambda: dialogs.is_open)
        dialog, study = dialogs.front(MeasuresDialog), page.store.study
        listed = [dialog.list.item(place).text() for place in range(1, dialog.list.count())]
        assert listed == [study.shown(name) for name in study.design.names]
        dialogs.cancel()
