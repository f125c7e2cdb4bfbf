"""Typing in paper answers: digits are codes, Enter goes on, and nothing typed is lost unasked."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QFont, QFontMetrics
from PySide6.QtTest import QTest

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Design, DesignedAttribute, Uniform
from ppworkbench.core.design.perturbation import Identity
from ppworkbench.gui.responses.paper_dialog import PaperDialog
from ppworkbench.study.answer_state import AnswerState
from ppworkbench.study.study import Study

FARE = Attribute("fare", Kind.BINARY, ("no", "yes"))
MONTH = Attribute("month", Kind.NOMINAL, tuple(f"m{place}" for place in range(1, 13)))
AGE = Attribute("age", Kind.INTEGER, domain=(18, 90))
DESIGN = Design(
    (
        DesignedAttribute(FARE, Uniform(keep=0.7)),
        DesignedAttribute(MONTH, Uniform(keep=0.7)),
        DesignedAttribute(AGE, Identity()),
    )
)


@pytest.fixture
def dialog(workbench, files) -> PaperDialog:
    workbench.store.open(Study("rides", design=DESIGN))
    return files.responses.type_answers()


def press(dialog: PaperDialog, *keys: str | Qt.Key) -> None:
    for key in keys:
        if isinstance(key, str):
            QTest.keyClicks(dialog.table, key)
        else:
            QTest.keyClick(dialog.table, key)


ENTER = Qt.Key.Key_Return


def answers(study: Study) -> list[tuple[str, str, float]]:
    table = study.distorted
    return sorted(
        (
            FARE.values[table["fare"].data[row]],
            MONTH.values[table["month"].data[row]] if table["month"].data[row] >= 0 else "",
            float(table["age"].data[row]),
        )
        for row in range(table.rows)
    )


def test_that_digits_give_codes_and_sheets_become_reported_answers(dialog, workbench):
    # On the sheet stand the words of the device.
    assert dialog.codes.text() == "1 not true (no), 2 true (yes)"
    # A whole code goes on by itself; 1 could become 12, so Enter ends it.
    press(dialog, "2", "12", "34", ENTER, "1", "1", ENTER, "41", ENTER)
    assert dialog.model.data(dialog.model.index(0, 1)) == "12  m12"
    assert not dialog.add_button.isEnabled()
    dialog.state.buttons["reported"].click()
    assert dialog.add_button.text() == "Add 2 sheets"
    dialog.add_button.click()
    study = workbench.store.study
    assert study.state is AnswerState.REPORTED
    assert answers(study) == [("no", "m1", 41.0), ("yes", "m12", 34.0)]
    workbench.store.undo_stack.undo()
    assert workbench.store.study.state is AnswerState.NONE


def test_that_a_code_without_an_answer_is_refused_and_one_can_be_corrected(dialog, workbench):
    press(dialog, "7")
    assert dialog.problem.text() == "There is no answer 7."
    assert dialog.model.sheets == [{}]
    press(dialog, "1", Qt.Key.Key_Backspace, Qt.Key.Key_Backspace, "2", ENTER, "50", ENTER)
    dialog.state.buttons["reported"].click()
    dialog.add_button.click()
    assert answers(workbench.store.study) == [("yes", "", 50.0)]


def test_that_a_number_which_the_design_lacks_is_named_with_its_sheet(dialog, workbench):
    press(dialog, "1", "3", "500", ENTER)
    dialog.state.buttons["reported"].click()
    dialog.add_button.click()
    assert dialog.isVisible()
    assert "Sheet 1" in dialog.problem.text()
    assert workbench.store.study.state is AnswerState.NONE
    dialog.table.setCurrentIndex(dialog.model.index(0, 0))
    dialog.remove_button.click()
    dialog.reject()
    assert not dialog.isVisible()


def test_that_closing_half_way_asks(dialog, workbench, dialogs):
    press(dialog, "1")
    dialog.reject()
    assert dialogs.answer("Go on typing").endswith("study yet: 1.")
    assert dialog.isVisible()
    dialog.reject()
    dialogs.answer("Add them")
    assert "what these answers are" in dialog.problem.text()
    dialog.state.buttons["true"].click()
    dialog.reject()
    dialogs.answer("Add them")
    assert workbench.store.study.state is AnswerState.TRUE
    assert workbench.store.study.rows == 1


def test_that_sheets_can_be_discarded_and_an_empty_table_closes_at_once(dialog, workbench, dialogs):
    press(dialog, "1")
    dialog.reject()
    dialogs.answer("Discard")
    assert not dialogs.is_open
    assert workbench.store.study.state is AnswerState.NONE


def test_that_no_heading_is_cut(workbench, files):
    long = "Did you ride without a valid ticket within the last twelve months?"
    word = "Geschwindigkeitsbegrenzungsüberschreitung"
    listed = [DesignedAttribute(FARE.with_(name=name), Identity()) for name in (long, word, "age")]
    workbench.store.open(Study("rides", design=Design(tuple(listed))))
    dialog = files.responses.type_answers()
    header = dialog.table.horizontalHeader()
    font = QFont(workbench.themes.theme.font("caption"))
    font.setBold(True)
    metrics = QFontMetrics(font)
    for place, words in enumerate((long, word, "age")):
        room = QRect(0, 0, header.sectionSize(place) - 2 * dialog.table.PAD, 10_000)
        needed = metrics.boundingRect(room, Qt.TextFlag.TextWordWrap, words)
        assert needed.width() <= room.width(), words
        assert needed.height() <= header.height(), words
    assert header.sectionSize(0) < header.sectionSize(1)
    dialog.reject()
