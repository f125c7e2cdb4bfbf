"""Copying the result of a page as a script, and saving it with its data."""

from __future__ import annotations

from asking import ask, distorted_study
from PySide6.QtGui import QGuiApplication


def clipboard() -> str:
    return QGuiApplication.clipboard().text()


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
    qtbot.waitUntil(lambda: window.page("explore").analysis() is not None, timeout=30_000)
    wait_idle()
    window.menus.actions["script-python"].trigger()
    assert "found = pp.reconstruct(" in clipboard()
