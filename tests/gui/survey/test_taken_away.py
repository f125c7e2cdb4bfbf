"""Answers of the Survey page that are copied and exported."""

from __future__ import annotations

import csv

import pytest
from asking import CONDITION, PEOPLE, ask, make_page, settle, titled_study
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QMenu, QToolButton

from ppworkbench.analyses.survey.answers import told_answer
from ppworkbench.gui.charts.chart_export import pictures_of
from ppworkbench.gui.window.chrome import Header

BOTH = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


def export(qtbot, page, dialogs, path):
    page.export_action.trigger()
    dialogs.choose(path)
    settle(qtbot, page)


def test_that_copy_gives_sentence_and_table(qtbot, page):
    ask(qtbot, page, CONDITION)
    page.copy_action.trigger()
    data = QGuiApplication.clipboard().mimeData()
    lines = data.text().split("\n")
    assert "respondents meet" in lines[0]
    assert lines[1].split("\t")[:3] == ["table", "statistic", "estimate"]
    assert [one.split("\t")[0] for one in lines[2:]] == [
        "share", "count", "share, sequential", "count, sequential",
    ]  # fmt: skip
    shown = data.html()
    assert shown.count("<table") == 2
    assert "Share of people who meet a condition (sequential)" in shown
    # One by one the intervals are not valid, so that table has a note of its own.
    assert shown.count("n = 400; 95 % confidence intervals in brackets.") == 2
    assert shown.count(lines[0]) == 1
    value = page.answer.result.value
    assert f"{value.estimate:.4g} [{value.low:.4g}, {value.high:.4g}]" in shown


def test_that_an_arrow_beside_the_button_copies_as_every_kind_of_table(qtbot, page):
    header = Header(page.workbench)
    qtbot.addWidget(header)
    header.resize(1200, 60)
    header.show()
    header.show_page(page)
    arrow = header.findChild(QToolButton, "copyResultMenu")
    assert arrow.isVisible()
    assert not arrow.isEnabled()
    ask(qtbot, page, CONDITION)
    assert arrow.isEnabled()
    arrow.click()
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    begins = {
        "CSV": "table,", "Tab-separated": "table\t", "LaTeX": "% ", "Markdown": "**",
        "Word or web page": "<!DOCTYPE",
    }  # fmt: skip
    assert [one.text() for one in menu.actions()] == [*begins]
    for action in menu.actions():
        action.trigger()
        assert QGuiApplication.clipboard().text().startswith(begins[action.text()])
    menu.close()


def test_that_a_result_is_exported_as_csv(qtbot, page, dialogs, tmp_path):
    ask(qtbot, page, "vote = yes", statistic="distribution", of="town")
    path = tmp_path / "towns.csv"
    export(qtbot, page, dialogs, path)
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0][:2] == ["value", "estimate"]
    assert [row[0] for row in rows[1:]] == ["Ash", "Beech", "Cedar", "Old Oak"]
    assert sum(float(row[1]) for row in rows[1:]) == pytest.approx(1)


def test_that_a_file_that_cannot_be_written_says_so(qtbot, page, dialogs, tmp_path):
    errors = []
    page.workbench.error_raised.connect(errors.append)
    ask(qtbot, page, CONDITION)
    export(qtbot, page, dialogs, tmp_path / "nowhere" / "count.csv")
    assert "cannot be written" in errors[0].message
    assert not list(tmp_path.glob("nowhere"))


def test_that_labels_that_look_like_formulas_are_harmless(qtbot, workbench, dialogs, tmp_path):
    from studies import make_study

    page = make_page(qtbot, workbench, make_study(rows=60))
    ask(qtbot, page, "", statistic="distribution", of="town")
    path = tmp_path / "towns.csv"
    export(qtbot, page, dialogs, path)
    assert "\n'=1+1," in path.read_text(encoding="utf-8")


@pytest.mark.slow
def test_that_the_methods_paragraph_says_what_was_done(qtbot, page):
    ask(qtbot, page, CONDITION)
    qtbot.keyClick(page, Qt.Key.Key_C, BOTH)
    said = QGuiApplication.clipboard().text()
    value = page.answer.result.value
    assert said.startswith(
        "The share of respondents with vote = yes and town in {Ash, Cedar} was estimated from the "
        f"randomised answers of {PEOPLE} respondents (vote: "
    )
    ends = " to ".join(f"{100 * end / PEOPLE:.1f}" for end in (value.low, value.high))
    share = f"{100 * value.estimate / PEOPLE:.1f}"
    assert f"The estimate is {share}\u202f% (95\u202f% CI {ends})." in said
    assert "It leaves out: people who do not do what the device says" in said
    for statistic in ("mean", "quantile", "distribution", "crosstab", "compare"):
        ask(qtbot, page, CONDITION, statistic=statistic, of="pay", by="mood")
        page.methods_action.trigger()
        assert QGuiApplication.clipboard().text() != said
        said = QGuiApplication.clipboard().text()
        assert "{" not in said.replace("{Ash, Cedar}", "")


def test_that_titles_are_copied_instead_of_names_of_columns(qtbot, workbench):
    page = make_page(qtbot, workbench, titled_study(vote="Voted last year", town="Home town"))
    ask(qtbot, page, CONDITION, statistic="distribution", of="town")
    page.methods_action.trigger()
    said = QGuiApplication.clipboard().text()
    assert said.startswith(
        "The distribution of Home town among those with 'Voted last year' = yes and "
        "'Home town' in {Ash, Cedar} was estimated"
    )
    assert "Voted last year: " in said
    assert "vote" not in said.replace("Voted last year", "")
    page.copy()
    assert "Home town" in QGuiApplication.clipboard().text().splitlines()[0]


def test_that_charts_beside_an_estimate_say_what_they_are_about(qtbot, page):
    asked = ("count", "", "Share with vote is yes, by town"), ("mean", "pay", "Mean of pay by town")
    for statistic, of, said in asked:
        ask(qtbot, page, CONDITION, statistic=statistic, of=of)
        figures = {str(one.widget.picture.title): one.widget.picture for one in pictures_of(page)}
        split = next(picture for title, picture in figures.items() if title.startswith(said))
        assert "95 % confidence intervals" in split.note
        methods = figures["Estimates by method"]
        assert methods.note.startswith(told_answer(page.answer))
        assert f"n = {PEOPLE}" in methods.note
