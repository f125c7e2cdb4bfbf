"""Copying the result of a page as a script, and saving it with its data."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from asking import ask, distorted_study, small_study
from mining_page import mine, settle
from publishing import curves, guessed
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from ppworkbench.analyses.designs.arms import start_arms
from ppworkbench.core.design import Uniform
from ppworkbench.gui.charts.chart_export import pictures_of
from ppworkbench.gui.pages.design.budget.dialog import BudgetDialog
from ppworkbench.gui.pages.publish import accuracy_card as publish_module
from ppworkbench.gui.widgets.table import SCRIPT_MENU
from ppworkbench.outputs.publication import LABELS

learners_module = import_module("ppworkbench.core.publish.accuracy_curve")


@pytest.fixture
def workbench(kept_workbench):
    return kept_workbench


def clipboard() -> str:
    return QGuiApplication.clipboard().text()


@pytest.mark.slow
def test_that_the_answer_of_survey_is_copied_as_a_script(window, qtbot, wait_idle):
    window.store.open(distorted_study())
    window.show_page("survey")
    ask(qtbot, window.page("survey"), "vote = yes")
    for language, words in (
        ("python", 'found = survey.share("vote = yes")'), ("r", "solve(P)"), ("stata", "rrlogit"),
    ):  # fmt: skip
        window.menus.actions[f"script-{language}"].trigger()
        assert words in clipboard()
    wait_idle()


def test_that_a_script_is_saved_with_its_data(window, qtbot, wait_idle, dialogs, tmp_path):
    window.store.open(distorted_study())
    window.show_page("survey")
    ask(qtbot, window.page("survey"), "vote = yes")
    for place in ("told-share", "told-share-2"):
        window.menus.actions["scriptFolder-python"].trigger()
        dialogs.choose(tmp_path)
        wait_idle()
        assert sorted(path.name for path in (tmp_path / place).iterdir()) == [
            "share.py", "told-design.json", "told-distorted.csv",
        ]  # fmt: skip


@pytest.mark.slow
def test_that_pages_of_a_design_have_scripts_and_others_say_that_there_is_none(
    window, open_city, wait_idle
):
    window.show_page("design")
    wait_idle()
    window.menus.actions["script-python"].trigger()
    assert "found = pp.privacy(" in clipboard()
    window.page("design").show_sub_page("plan")
    wait_idle()
    window.menus.actions["script-python"].trigger()
    assert "found = pp.plan(" in clipboard()
    QGuiApplication.clipboard().setText("before")
    said = []
    window.workbench.toast_requested.connect(lambda words, _: said.append(words))
    window.show_page("mine")
    wait_idle()
    window.menus.actions["script-python"].trigger()
    assert clipboard() == "before"
    assert said == ["This page has no result of the study as it is now."]


def test_that_explore_has_the_script_of_its_algorithm(window, open_city, wait_idle, qtbot):
    window.show_page("explore")
    qtbot.waitUntil(lambda: window.page("explore").analysis() is not None)
    wait_idle()
    window.menus.actions["script-python"].trigger()
    assert "found = pp.reconstruct(" in clipboard()


@pytest.mark.slow
def test_that_repeated_draws_have_a_script_of_their_own(
    window, open_city, wait_idle, qtbot, tmp_path, dialogs, capsys
):
    window.store.select(["drug_use"])
    window.show_page("explore")
    page = window.page("explore")
    qtbot.waitUntil(lambda: page.analysis() is not None)
    wait_idle()
    assert page.draws.script.isHidden()
    page.repeat_action.trigger()
    wait_idle()
    qtbot.waitUntil(page.draws.script.isVisible)
    # Another draw in front does not change the seed of those that are shown.
    found, seed = page.draws.found["drug_use"], window.store.study.settings.seed
    page.distort_again()
    wait_idle()
    menu = open_menu_of(page.spread.plot, qtbot)
    assert page.draws.script.menu().menuAction() in menu.actions()
    assert window.findChild(QMenu, SCRIPT_MENU).menuAction() not in menu.actions()
    menu.close()
    named = {one.objectName(): one for one in page.draws.script.menu().actions()}
    named["script-r"].trigger()
    assert "R cannot give this result again" in clipboard()
    named["scriptFolder-python"].trigger()
    dialogs.choose(tmp_path)
    wait_idle()
    told = run_script(next(tmp_path.glob("*/repeat.py")), capsys)
    assert told["seed"] == seed
    rules = {(one["algorithm"], one["stop"] or ""): one for one in told["losses"]}
    assert len(rules) == len(found.losses)
    for (method, rule), losses in found.losses.items():
        one = rules[method, str(found.fixed) if rule == "fixed" else rule]
        assert one["information_loss"] == pytest.approx(losses)
    design = window.store.study.design.with_perturbation("drug_use", Uniform(keep=0.37))
    window.store.apply(window.store.study.with_(design=design), "other")
    qtbot.waitUntil(page.draws.script.isHidden)
    wait_idle()


@pytest.mark.slow
def test_that_measured_accuracies_have_a_script_of_their_own(
    window, wait_idle, qtbot, tmp_path, dialogs, capsys, monkeypatch
):
    monkeypatch.setattr(publish_module, "_MINIMUMS", (0.1, 0.3))
    monkeypatch.setattr(publish_module, "_FOLDS", 2)
    monkeypatch.setattr(learners_module, "TREES", 5)
    window.store.open(small_study(300))
    window.show_page("publish")
    page = window.page("publish")
    qtbot.waitUntil(lambda: page.analysis() is not None)
    wait_idle()
    assert page.accuracy_script.isHidden()
    qtbot.mouseClick(page.accuracy.measure, Qt.MouseButton.LeftButton)
    wait_idle()
    assert page.accuracy_script.isVisible()
    shown = {mark.name: mark for mark in curves(page.accuracy.plot.picture)}
    menu = open_menu_of(page.accuracy.plot, qtbot)
    assert page.accuracy_script.menu().menuAction() in menu.actions()
    menu.close()
    # Where the button would push the title out, the chart still offers it.
    wide = window.size()
    window.resize(1100, 700)
    qtbot.waitUntil(page.accuracy_script.isHidden)
    menu = open_menu_of(page.accuracy.plot, qtbot)
    assert page.accuracy_script.menu().menuAction() in menu.actions()
    menu.close()
    window.resize(wide)
    qtbot.waitUntil(page.accuracy_script.isVisible)
    named = {one.objectName(): one for one in page.accuracy_script.menu().actions()}
    named["scriptFolder-python"].trigger()
    dialogs.choose(tmp_path)
    wait_idle()
    told = run_script(next(tmp_path.glob("*/accuracy-curve.py")), capsys)
    assert {LABELS[name] for name in told["curves"]} == set(shown)
    for name, curve in told["curves"].items():
        assert curve["minimum"] == pytest.approx(shown[LABELS[name]].x.tolist())
        assert curve["mean"] == pytest.approx(shown[LABELS[name]].y.tolist())
    assert told["most_frequent"] == pytest.approx(guessed(page.accuracy.plot.picture))
    # Answers that somebody corrected meanwhile give other numbers.
    said = []
    window.workbench.toast_requested.connect(lambda words, _: said.append(words))
    table = window.store.study.original
    window.store.set_table(table.take(slice(0, 290)), "fewer")
    wait_idle()
    QGuiApplication.clipboard().setText("before")
    named["script-python"].trigger()
    assert said == ["The answers have changed since the accuracy was measured."]
    assert clipboard() == "before"


def test_that_the_script_of_mine_repeats_the_errors_on_its_card(
    window, wait_idle, qtbot, tmp_path, dialogs, capsys
):
    window.store.open(small_study(300))
    window.show_page("mine")
    page = window.page("mine")
    settle(qtbot, page)
    mine(qtbot, page)
    shown = page.current.sheet("lengths").to_frame()
    assert len(shown)
    window.menus.actions["scriptFolder-python"].trigger()
    dialogs.choose(tmp_path)
    wait_idle()
    told = run_script(next(tmp_path.glob("*/mine.py")), capsys)["levels"]
    for key in ("length", "true", "found", "correct", "f1"):
        assert [one[key] for one in told] == pytest.approx(shown[key].tolist())


def run_script(script: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """The result of a saved script that is run in its folder."""
    made: dict[str, Any] = {"__name__": "__main__"}
    before = Path.cwd()
    os.chdir(script.parent)
    try:
        exec(compile(script.read_text(encoding="utf-8"), script.name, "exec"), made)
    finally:
        os.chdir(before)
    assert capsys.readouterr().out
    told: dict[str, Any] = made["found"].to_dict()
    return told


def open_menu_of(widget: QWidget, qtbot) -> QMenu:
    """The context menu of a chart or a table."""
    place = widget.rect().center()
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, widget.mapToGlobal(place))
    widget.contextMenuEvent(event)
    qtbot.waitUntil(lambda: QApplication.activePopupWidget() is not None)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    return menu


def open_scripts(window) -> dict[str, str]:
    """The entries of the menu with what is said against them, after it was opened."""
    menu = window.findChild(QMenu, SCRIPT_MENU)
    menu.popup(QPoint(0, 0))
    told = {
        one.objectName(): "" if one.isEnabled() else one.toolTip()
        for one in menu.actions()
        if not one.isSeparator()
    }
    menu.close()
    return told


@pytest.mark.slow
def test_that_the_menu_says_why_a_page_has_no_script(window, open_city, wait_idle):
    reasons = {
        "start": "no result",
        "collect": "still coming in",
        "learn": "demonstrations have none",
        "mine": "no result",
    }
    for page, words in reasons.items():
        window.show_page(page)
        wait_idle()
        told = open_scripts(window)
        assert len(told) == 6
        assert all(words in reason for reason in told.values()), page
    window.show_page("design")
    wait_idle()
    assert set(open_scripts(window).values()) == {""}


@pytest.mark.slow
@pytest.mark.usefixtures("own_page")
def test_that_a_design_with_arms_has_the_script_of_its_measures(window, open_city, wait_idle):
    window.store.apply(start_arms(window.store.study), "arms")
    window.show_page("design")
    wait_idle()
    window.menus.actions["script-python"].trigger()
    assert "found = pp.privacy(" in clipboard()


@pytest.mark.slow
def test_that_the_attack_lab_has_the_script_of_its_attack(window, open_city, wait_idle, qtbot):
    window.show_page("explore")
    page = window.page("explore")
    qtbot.waitUntil(lambda: page.analysis() is not None)
    page.show_half("attack")
    qtbot.waitUntil(lambda: page.lab is not None and page.lab.result is not None)
    wait_idle()
    assert set(open_scripts(window).values()) == {""}
    window.menus.actions["script-python"].trigger()
    assert "found = pp.attack(" in clipboard()
    assert "The script reads true answers." in clipboard()


@pytest.mark.slow
def test_that_the_gallery_has_the_script_of_its_comparison(window, qtbot):
    window.show_page("learn/gallery")
    page = window.page("learn")
    qtbot.waitUntil(lambda: page.comparison is not None)
    assert set(open_scripts(window).values()) == {""}
    window.menus.actions["script-python"].trigger()
    assert "found = pp.gallery()" in clipboard()
    assert "Study:" not in clipboard()


def test_that_charts_and_tables_offer_the_script_beside_their_own_copy(
    window, open_city, wait_idle, qtbot
):
    window.show_page("explore")
    page = window.page("explore")
    qtbot.waitUntil(lambda: page.analysis() is not None)
    wait_idle()
    scripts = window.findChild(QMenu, SCRIPT_MENU)
    chart = next(one.widget for one in pictures_of(page) if one.widget.isVisible())
    for widget in (chart, page.losses.table):
        menu = open_menu_of(widget, qtbot)
        assert scripts.menuAction() in menu.actions()
        assert any(one.text().startswith("Copy") for one in menu.actions()[:1])
        menu.close()
        qtbot.waitUntil(lambda: QApplication.activePopupWidget() is None)


def test_that_the_answers_on_data_have_a_script_and_the_questions_say_why_not(
    window, open_city, wait_idle
):
    window.show_page("data")
    page = window.page("data")
    page.show_sub_page("answers")
    wait_idle()
    window.menus.actions["script-python"].trigger()
    assert "found = pp.inspect(" in clipboard()
    page.show_sub_page("questions")
    wait_idle()
    assert all("Questions are no result" in one for one in open_scripts(window).values())


@pytest.mark.slow
@pytest.mark.usefixtures("own_page")
def test_that_publish_has_the_script_of_its_groups_and_of_its_release(
    window, open_city, wait_idle, qtbot
):
    window.show_page("publish")
    page = window.page("publish")
    qtbot.waitUntil(lambda: page.analysis() is not None)
    wait_idle()
    window.menus.actions["script-python"].trigger()
    assert "found = pp.publish(" in clipboard()
    assert page.plan.denial.sensitive in clipboard()
    page.settings_card.mode.chosen.emit("distorted")
    wait_idle()
    window.menus.actions["script-python"].trigger()
    assert "found = pp.bundle(" in clipboard()


@pytest.mark.slow
def test_that_a_shared_out_budget_is_copied_before_it_is_applied(
    window, open_city, wait_idle, qtbot
):
    window.show_page("design")
    page = window.page("design")
    wait_idle()
    before = window.store.study
    page.summary.share_out.click()
    (dialog,) = (one for one in window.findChildren(BudgetDialog) if one.isVisible())
    if dialog.finite.isVisible():
        dialog.finite.click()
        wait_idle()
    dialog.total.setValue(9.0)
    qtbot.waitUntil(dialog.apply.isEnabled)
    named = {one.objectName(): one for one in dialog.script.menu().actions()}
    named["script-python"].trigger()
    assert "found = pp.budget(" in clipboard()
    assert "total=9.0" in clipboard()
    dialog.reject()
    assert window.store.study is before
