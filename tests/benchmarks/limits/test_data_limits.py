"""How long the Data page keeps a person waiting: many rows, attributes and questions."""

from __future__ import annotations

import numpy as np
from answers import wide_table
from designs import classic_study
from gui.data.conftest import page
from gui.data.test_changes import long_table
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from slowness import milliseconds_of_work
from window_hands import CTRL

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.gui.pages.data import DataPage, edits
from ppworkbench.study.questionnaire import edits as question_edits
from ppworkbench.study.questionnaire.pasted import questions_of_text
from ppworkbench.study.study import Study

STEP, PAGE = 100, 400
ROWS = 1_000_000


def test_that_two_thousand_attributes_are_selected_and_changed_together(page, wait_idle, max_block):
    page.store.open(classic_study(wide_table(), "wide"))
    wait_idle()
    names = page.store.study.original.names
    with max_block(PAGE):
        page.store.select(names)
        page.edits.make(edits.set_kind(names, Kind.NOMINAL))
        wait_idle()


def test_that_a_million_rows_open_and_change(page, wait_idle, max_block, qapp):
    table = long_table(ROWS)
    more = tuple(
        Column(column.attribute.with_(name=f"{column.name} {i}"), column.data)
        for i in range(3)
        for column in table
    )
    study = classic_study(Table(table.columns + more), "big")
    with max_block(150):
        page.store.open(study)
        wait_idle()
    with max_block(STEP):
        for name in ("mood", "age 1", "income 2"):
            page.store.select([name])
            wait_idle()
            qapp.processEvents()
        page.edits.make(edits.set_kind(["age"], Kind.ORDINAL))
        wait_idle()
        page.store.undo_stack.undo()
        wait_idle()


def test_that_a_million_rows_scroll(page, max_block, qapp):
    answers = (np.arange(ROWS) % 5).astype(np.int8)
    likert = tuple(
        Column(Attribute(f"q{i}", Kind.ORDINAL, ("a", "b", "c", "d", "e")), answers)
        for i in range(10)
    )
    numbers = np.arange(ROWS) / 7
    incomes = tuple(
        Column(Attribute(f"income{i}", Kind.CONTINUOUS, domain=(0, ROWS)), numbers)
        for i in range(10)
    )
    page.store.open(classic_study(Table(likert + incomes), "big"))
    qapp.processEvents()
    bar = page.rows.view.verticalScrollBar()
    with max_block(STEP):
        for step in range(25):
            bar.setValue(bar.maximum() * step // 24)
            qapp.processEvents()


QUESTIONS = 200
PATTERNS = (
    "How often in the last {n} months have you ridden without a ticket in town {n}?: yes*, no",
    "At what age did {n} happen?: 18 to 90",
    "Which of these drinks is number {n} for you?: tea, beer*, wine, water, milk",
)


def worked(act) -> float:
    """Processor time of the window until all that follows at once is done, in milliseconds."""
    QApplication.processEvents()

    def do() -> None:
        act()
        QApplication.processEvents()

    return milliseconds_of_work(do)


def test_that_two_hundred_questions_are_shown_and_edited(window, workbench, within):
    # What is loaded and drawn once in the life of the program is no part of a showing.
    assert DataPage.name == "data"
    lines = "\n".join(PATTERNS[n % len(PATTERNS)].format(n=n) for n in range(QUESTIONS))
    asked = questions_of_text(lines, "en", ("yes", "no"))
    study = question_edits.add_questions(Study(title="Many"), asked)
    workbench.store.open(question_edits.add_language(study, "pl"))
    QApplication.processEvents()
    took = {"show": worked(lambda: QTest.keyClick(window, Qt.Key.Key_1, CTRL))}
    questions = window.page("data").questions
    editor = questions.editor
    assert len(questions.list.table.rows.rows) == QUESTIONS
    took["select"] = worked(lambda: workbench.store.select([questions.view.asked.names[30]]))
    editor.wording.setFocus()
    took["type"] = worked(lambda: QTest.keyClick(editor.wording, Qt.Key.Key_A))
    took["move"] = worked(lambda: questions.move_question(1))
    took["duplicate"] = worked(questions.duplicate_question)
    took["delete"] = worked(questions.delete_question)
    took["mark"] = worked(lambda: QTest.keyClick(editor.skip, Qt.Key.Key_Space))
    took["undo"] = worked(workbench.store.undo_stack.undo)
    took["add"] = worked(questions.add_question)
    took["paste"] = worked(lambda: questions.add_text("One more?: tea, beer, wine"))
    assert len(questions.view.asked.questions) == QUESTIONS + 2
    within({"show": took.pop("show")}, 350)
    within(took, 80)
