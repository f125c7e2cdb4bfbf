"""Another study under the Design page, and designs of many attributes."""

from __future__ import annotations

from ppworkbench.gui.pages.design import questionnaire
from ppworkbench.study.study import Study


def test_that_another_study_is_shown_once(page, qtbot, city_study, monkeypatch):
    shown = []
    plain = page._show_current
    monkeypatch.setattr(page, "_show_current", lambda: (shown.append(1), plain()))
    page.store.open(Study.of_table(city_study.original, "another"))
    qtbot.waitUntil(lambda: not page.is_due)
    assert len(shown) == 1
    assert page.report.name == page.store.current


def test_that_changes_are_followed_after_another_study_was_opened(page, city_study):
    page.store.open(Study.of_table(city_study.original, "another"))
    page.store.select(["income"])
    assert page.report.name == "income"


def test_that_reports_of_many_attributes_are_made_when_they_are_asked_for(
    page, qtbot, wait_idle, monkeypatch
):
    summary, opened = page.summary, []
    monkeypatch.setattr(questionnaire, "_KEPT", 1)
    monkeypatch.setattr(summary, "_open", opened.append)
    summary.refresh()
    wait_idle()
    assert summary.report is None
    assert summary.guess.text()
    summary.all.click()
    qtbot.waitUntil(lambda: bool(opened), timeout=10_000)
    names = [one.name for one in opened[0].attributes]
    assert names == list(page.store.study.design.names)
