"""Everything that leaves a window with invented answers carries their sentence; real pages."""

from __future__ import annotations

import csv
import re

import pytest
from PySide6.QtGui import QGuiApplication
from window_hands import add_widget

from ppworkbench.analyses.collecting.rehearsal import rehearse
from ppworkbench.analyses.survey.answers import answer_question, write_result
from ppworkbench.analyses.survey.questions import COUNT, PARTICIPANTS, Question
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Design, DesignedAttribute, Forced, Uniform
from ppworkbench.core.errors import DataError
from ppworkbench.core.progress import silent
from ppworkbench.core.survey.conditions.condition import parse_condition
from ppworkbench.gui.charts.chart_export import picture_menu, save_rows
from ppworkbench.gui.charts.matrix import MatrixGrid
from ppworkbench.gui.charts.tree import TreeView
from ppworkbench.gui.charts.tree_layout import TreeNode
from ppworkbench.gui.pages.design import DesignPage
from ppworkbench.gui.pages.design.editors.noise_editor import NoisePlot
from ppworkbench.gui.widgets.provenance import marked_invented, set_invented_note
from ppworkbench.gui.widgets.table import copy_rows
from ppworkbench.study.answer_state import AnswerState
from ppworkbench.study.distorted_cache import DistortedCache
from ppworkbench.study.study import Study

SENTENCE = "Simulated data: 500 respondents, no real people."
DRUG = Attribute("drug", Kind.BINARY, ("no", "yes"), sensitive=("yes",))
TOWN = Attribute("town", Kind.NOMINAL, ("A", "B", "C"))


def unanswered() -> Study:
    listed = (
        DesignedAttribute(DRUG, Forced(p_truth=0.7)),
        DesignedAttribute(TOWN, Uniform(keep=0.8)),
    )
    return Study("Survey", design=Design(listed))


@pytest.fixture
def _noted():
    set_invented_note(SENTENCE)
    yield
    set_invented_note("")


def a_tree(themes) -> TreeView:
    view = TreeView(themes, "Tree")
    leaves = (TreeNode("1", "no", edge="yes"), TreeNode("2", "yes", edge="no"))
    view.show_tree(TreeNode("0", "Card?", ("5,000",), children=leaves))
    return view


@pytest.mark.usefixtures("_noted")
@pytest.mark.parametrize("make", [NoisePlot, MatrixGrid, a_tree])
def test_that_saved_charts_have_the_sentence_below(qtbot, workbench, dialogs, tmp_path, make):
    chart = make(workbench.themes)
    add_widget(qtbot, chart)
    menu = picture_menu(chart, chart.rows)
    next(one for one in menu.actions() if one.text() == "Save as SVG…").trigger()
    dialogs.choose(tmp_path / "chart.svg")
    written = (tmp_path / "chart.svg").read_text(encoding="utf-8")
    said = " ".join(text.strip() for text in re.findall(r">([^<]+)</text>", written))
    assert SENTENCE in said


@pytest.mark.usefixtures("_noted")
def test_that_copies_files_and_legends_say_so(qtbot, tmp_path):
    copy_rows([["town", "share"], ["A", "0.3"]], "A sentence.")
    copied = QGuiApplication.clipboard().mimeData()
    assert copied.text().splitlines()[0] == f"{SENTENCE} A sentence."
    assert SENTENCE in copied.html()
    save_rows([["town", "share"], ["A", "0.3"]], tmp_path / "rows.csv")
    with (tmp_path / "rows.csv").open(encoding="utf-8", newline="") as file:
        assert next(csv.reader(file)) == [SENTENCE]
    assert marked_invented("true") == "true (simulated)"


def test_that_real_answers_carry_nothing(qtbot, tmp_path):
    save_rows([["town"], ["A"]], tmp_path / "rows.csv")
    assert (tmp_path / "rows.csv").read_text(encoding="utf-8").splitlines() == ["town", "A"]
    copy_rows([["town"], ["A"]])
    assert QGuiApplication.clipboard().text() == "town\nA"
    assert marked_invented("true") == "true"


def test_that_results_of_a_survey_are_written_with_the_sentence(tmp_path):
    study = rehearse(unanswered())
    answers = DistortedCache()
    found = answer_question(Question(COUNT, parse_condition("drug = yes")), study, answers)
    write_result(found, tmp_path / "count.csv", silent)
    first = (tmp_path / "count.csv").read_text(encoding="utf-8").splitlines()[0]
    assert next(csv.reader([first])) == [SENTENCE]
    listed = Question(PARTICIPANTS, parse_condition("drug = yes"), size=5)
    found = answer_question(listed, study, answers)
    with pytest.raises(DataError, match="cannot be released"):
        write_result(found, tmp_path / "people.csv", silent)


@pytest.mark.slow
def test_that_trying_a_design_out_without_answers_is_a_rehearsal(qtbot, workbench):
    workbench.store.open(unanswered())
    page = DesignPage(workbench)
    add_widget(qtbot, page)
    page.show()
    page.shown()
    assert page.primary.text() == "Simulate"
    with qtbot.waitSignal(workbench.page_requested) as asked:
        page.primary.trigger()
    assert asked.args == ["explore"]
    assert workbench.store.study.state is AnswerState.INVENTED
    assert page.primary.text() == "Go to Explore"
    assert workbench.store.undo_stack.count() == 1
    assert workbench.store.study.choice("drug").source == "uniform"
