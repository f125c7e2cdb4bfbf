"""Questions typed by a person become attributes, or a sentence says what is missing."""

from __future__ import annotations

import pytest

from ppworkbench.core.data.attribute import Kind
from ppworkbench.core.errors import DataError
from ppworkbench.study.questionnaire.document import Question as Asked
from ppworkbench.study.questionnaire.document import Questionnaire
from ppworkbench.study.questionnaire.edits import study_of_questionnaire
from ppworkbench.study.questions import Question
from ppworkbench.study.study import Study


@pytest.mark.parametrize(
    ("typed", "domain"),
    [
        ("18 to 90", (18, 90)), ("18-90", (18, 90)), ("18 – 90", (18, 90)), ("18…90", (18, 90)),
        ("18..90", (18, 90)), (" 0.5 to 1,5 ", (0.5, 1.5)), ("-10 to -2", (-10, -2)),
        ("-5-5", (-5, 5)), ("0 to 1,000,000", (0, 1_000_000)), ("0 to 10 000", (0, 10_000)),
    ],
)  # fmt: skip
def test_that_a_range_is_understood(typed, domain):
    assert Question("x", Kind.CONTINUOUS, typed).attribute().domain == domain


@pytest.mark.parametrize("typed", ["", "18", "a to b", "18 to", "90 to 18", "5 to 5", "1.2.3 to 4"])
def test_that_a_bad_range_is_a_sentence_that_names_the_question(typed):
    with pytest.raises(DataError, match="'income'") as caught:
        Question("income", Kind.CONTINUOUS, typed).attribute()
    assert caught.value.attribute == "income"


def test_that_a_whole_number_needs_whole_ends():
    with pytest.raises(DataError, match="'age'"):
        Question("age", Kind.INTEGER, "18.5 to 90").attribute()


@pytest.mark.parametrize(
    ("typed", "values"),
    [
        ("no, yes", ("no", "yes")),
        ("low; middle, upper; high", ("low", "middle, upper", "high")),
        (" a ,, b ,", ("a", "b")),
    ],
)
def test_that_answers_are_listed_with_commas_or_semicolons(typed, values):
    assert Question("x", Kind.NOMINAL, typed).attribute().values == values


@pytest.mark.parametrize(
    ("kind", "typed", "said"),
    [
        (Kind.NOMINAL, "", "fewer than 2"),
        (Kind.NOMINAL, "only", "fewer than 2"),
        (Kind.NOMINAL, "a, a", "listed twice"),
        (Kind.BINARY, "a, b, c", "2 values"),
    ],
)
def test_that_impossible_answers_are_a_sentence(kind, typed, said):
    with pytest.raises(DataError, match=said) as caught:
        Question("x", kind, typed).attribute()
    assert caught.value.attribute == "x"


def test_that_a_question_without_a_name_is_refused():
    with pytest.raises(DataError, match="no name"):
        Question("  ", Kind.BINARY, "no, yes").attribute()


def study_of_typed(*typed: Question) -> Study:
    asked = tuple(Asked.of(one.attribute(), "en") for one in typed)
    return study_of_questionnaire(Questionnaire(("en",), asked), "new")


def test_that_a_questionnaire_is_a_study_without_data():
    study = study_of_typed(
        Question("Age", Kind.INTEGER, "18 to 90"), Question("Sex", Kind.BINARY, "F, M")
    )
    assert study.table is None
    assert study.design.names == ("Age", "Sex")
    assert study.choice("Sex").source == "uniform"
    assert not study.is_empty


def test_that_two_questions_of_one_name_are_refused():
    age = Question("Age", Kind.INTEGER, "18 to 90")
    with pytest.raises(DataError, match="Two questions are called 'Age'"):
        study_of_typed(age, age)
