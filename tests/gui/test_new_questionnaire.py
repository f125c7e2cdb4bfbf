"""A questionnaire that is begun on the start screen."""

from __future__ import annotations

import pytest
from asked_studies import asked_study
from window_hands import LEFT

from ppworkbench.core.data.attribute import Kind


@pytest.fixture
def begin(window, qtbot):
    """Press the button of the first card on the start screen; the questions are shown then."""

    def press():
        window.show_page("start")
        qtbot.mouseClick(window.page("start").questionnaire.first, LEFT)
        return window.page("data").questions

    return press


def test_that_the_card_leads_to_the_first_question(window, begin):
    questions = begin()
    assert window.current == "data"
    assert window.focusWidget() is questions.list.quick
    assert window.store.study.is_empty


def test_that_a_study_that_is_open_is_left_first(window, begin):
    window.store.open(asked_study())
    begin()
    assert window.current == "data"
    assert window.store.study.is_empty


def test_that_three_examples_begin_a_questionnaire(window, begin, qtbot):
    questions = begin()
    qtbot.mouseClick(questions.list.examples, LEFT)
    kinds = [one.attribute.kind for one in window.store.study.design]
    assert kinds == [Kind.BINARY, Kind.ORDINAL, Kind.INTEGER]
    assert questions.list.examples.isHidden()
    assert window.store.is_modified
    window.store.undo_stack.undo()
    assert window.store.study.is_empty
