"""The questionnaire as a document: read, written, checked, and made from a spreadsheet."""

from __future__ import annotations

import dataclasses
import json
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppworkbench.core.data.attribute import Kind
from ppworkbench.core.design import Design, DesignedAttribute, Uniform
from ppworkbench.core.errors import DataError
from ppworkbench.study.questionnaire.document import (
    Answer,
    Question,
    Questionnaire,
    read_document,
    write_document,
)
from ppworkbench.study.questionnaire.sheet import read_questions_sheet, write_questions_sheet
from ppworkbench.study.questionnaire.texts import Texts

FARE = Question(
    "fare",
    Kind.BINARY,
    {"en": "Did you ride without a ticket?", "pl": "Czy zdarzyła się jazda bez biletu?"},
    help={"en": "In the last month.", "pl": "W ostatnim miesiącu."},
    required=True,
    answers=(
        Answer("no", {"en": "No", "pl": "Nie"}),
        Answer("yes", {"en": "Yes, I did", "pl": "Tak"}, sensitive=True),
    ),
)
AGE = Question("age", Kind.INTEGER, {"en": "Age?"}, unit={"en": "years"}, domain=(18, 90), page=2)
ASKED = Questionnaire(("en", "pl"), (FARE, AGE), {"en": "Travel"})


def test_that_a_document_is_read_as_it_was_written(tmp_path):
    write_document(ASKED, tmp_path / "q.json")
    again = read_document(tmp_path / "q.json")
    assert again.to_json() == ASKED.to_json()
    assert not again.review
    assert Questionnaire.from_json(dataclasses.replace(ASKED, review=True).to_json()).review
    assert [one.name for one in again.attributes()] == ["fare", "age"]
    assert again.attributes()[0].sensitive == ("yes",)
    assert again.attributes()[1].unit == "years"


def test_that_gaps_of_a_language_are_named():
    assert ASKED.gaps("en") == ()
    assert ASKED.gaps("pl") == (("", "title"), ("age", "text"), ("age", "unit"))
    with pytest.raises(DataError, match="3 text"):
        ASKED.check_language("pl")
    with pytest.raises(DataError, match="no language 'de'"):
        ASKED.check_language("de")
    texts = ASKED.page_texts("pl")
    assert texts.questions == {"fare": FARE.text["pl"], "age": "Age?"}
    assert texts.answers["fare"]["yes"] == "Tak"


def test_that_problems_name_their_question():
    asked = Questionnaire(
        ("en",),
        (
            Question("a", Kind.NOMINAL, {"en": "A?"}, answers=(Answer("x"), Answer("x"))),
            Question("b", Kind.INTEGER, {"pl": "B?"}, domain=(0, 5), short="Not short"),
            Question("b", Kind.INTEGER, {"en": "B?"}, domain=(9, 5)),
        ),
    )
    found = [(one.question, str(one.why)) for one in asked.problems()]
    assert [name for name, _ in found] == ["b", "a", "b", "b", "b"]
    assert any("no text in the main language" in why for _, why in found)
    assert any("'Not short'" in why for _, why in found)
    assert ASKED.problems() == ()
    assert [one.question for one in Questionnaire(("en",), ()).problems()] == [""]


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"format": "other"}, "no questionnaire"),
        ({"version": 2}, "version 2"),
        ({"languages": []}, "no language"),
        ({"languages": ["xx"]}, "'xx' is no language"),
        ({"questions": {}}, "no list of questions"),
        ({"questions": [{"kind": "binary"}]}, "Question 1 has no name"),
        ({"questions": [{"name": "a", "kind": "set"}]}, "'kind' of 'a'"),
        ({"questions": [{"name": "a", "kind": "binary", "text": "A?"}]}, "'text' of 'a'"),
        ({"questions": [{"name": "a", "kind": "integer", "domain": [1]}]}, "'domain' of 'a'"),
        ({"questions": [{"name": "a", "kind": "nominal", "answers": ["x"]}]}, "'answers' of 'a'"),
        ({"questions": [{"name": "a", "kind": "binary", "short": 7}]}, "'short' of 'a'"),
        ({"questions": 2 * [{"name": "age", "kind": "integer", "domain": [0, 9]}]}, "'age'"),
    ],
)
def test_that_a_bad_document_is_a_sentence(tmp_path, change, what):
    path = tmp_path / "q.json"
    path.write_text(json.dumps({**ASKED.to_json(), **change}), encoding="utf-8")
    with pytest.raises(DataError, match=what) as caught:
        read_document(path)
    assert "q.json" in str(caught.value)


def test_that_a_spreadsheet_becomes_a_document_and_back(tmp_path):
    rows = (
        "name,kind,required,text:en,answers:en,text:pl,answers:pl\n"
        'fare,,yes,Without a ticket?,"No; Yes, I did*",Bez biletu?,Nie; Tak\n'
        "age,integer,no,Age?,18 to 90,Wiek?,\n"
    )
    (tmp_path / "q.csv").write_text(rows, encoding="utf-8")
    asked = read_questions_sheet(tmp_path / "q.csv")
    fare, age = asked.questions
    assert (fare.kind, fare.required) == (Kind.BINARY, True)
    assert [one.value for one in fare.answers] == ["No", "Yes, I did"]
    assert [one.sensitive for one in fare.answers] == [False, True]
    assert fare.answers[1].text == {"en": "Yes, I did", "pl": "Tak"}
    assert age.domain == (18, 90)
    harder = (
        dataclasses.replace(fare, text={"en": "=1+1, or 'quoted'?", "pl": "-tak\n+nie"}),
        dataclasses.replace(age, kind=Kind.CONTINUOUS, step=0.5, page=2),
    )
    for questions in (asked.questions, harder):
        written = dataclasses.replace(asked, questions=questions)
        for name in ("again.csv", "again.xlsx"):
            write_questions_sheet(written, tmp_path / name)
            assert read_questions_sheet(tmp_path / name).to_json() == written.to_json(), name


@pytest.mark.parametrize("text", ["yes; once", "yes*", "yes\nonce"])
def test_that_an_answer_which_a_spreadsheet_cannot_hold_is_named(tmp_path, text):
    answers = (Answer("no", {"en": "No"}), Answer("yes", {"en": text}))
    asked = Questionnaire(("en",), (Question("fare", Kind.BINARY, {"en": "?"}, answers=answers),))
    for name in ("q.csv", "q.xlsx"):
        with pytest.raises(DataError, match=r"'fare'.*spreadsheet cannot hold"):
            write_questions_sheet(asked, tmp_path / name)
        assert not (tmp_path / name).exists()


def test_that_people_read_the_values_where_a_spreadsheet_has_no_other_texts(tmp_path):
    rows = "name,kind,text,answers\nfare,binary,Without a ticket?,no; yes*\n"
    (tmp_path / "q.csv").write_text(rows, encoding="utf-8")
    asked = read_questions_sheet(tmp_path / "q.csv", "pl")
    assert asked.whole_languages == ("pl",)
    assert [dict(one.text) for one in asked.questions[0].answers] == [{"pl": "no"}, {"pl": "yes"}]
    assert [one.value for one in asked.questions[0].answers] == ["no", "yes"]
    # A text that is still to be written stays a gap.
    rows = "name,text:en,answers,answers:en,answers:pl\nfare,Why?,0; 1,no; yes,\n"
    (tmp_path / "q.csv").write_text(rows, encoding="utf-8")
    assert read_questions_sheet(tmp_path / "q.csv").whole_languages == ("en",)


@pytest.mark.parametrize(
    ("rows", "what"),
    [
        ("a,b\n1,2\n", "column 'a'"),
        ("name,text,answers\nx,Why?,a|b\n", "row 2: .*separate them by semicolons"),
        ("name,kind\nx,binary\n", "'name' and 'text'"),
        ("name,text,answers\n,Why?,a;b\n", "row 2: A question has no name"),
        ("name,text,kind\nx,Why?,odd\n", "row 2: .*kind 'odd'"),
        ("name,text,required\nx,Why?,maybe\n", "row 2: .*'maybe'"),
        ("name,text:en,answers:en,answers:pl\nx,Why?,a;b,a\n", "row 2: .*1 in the language 'pl'"),
        ("name,text,answers,step\nx,Why?,1 to 9,odd\n", "row 2: .*'odd' under 'step'"),
        ("name,text:qq\nx,Why?\n", "'qq' is no language"),
    ],
)
def test_that_a_bad_spreadsheet_names_its_row(tmp_path, rows, what):
    (tmp_path / "q.csv").write_text(rows, encoding="utf-8")
    with pytest.raises(DataError, match=what):
        read_questions_sheet(tmp_path / "q.csv")


def test_that_a_design_becomes_a_document():
    attribute = FARE.attribute("en")
    design = Design((DesignedAttribute(attribute, Uniform(keep=0.7)),))
    asked = Questionnaire.of_design(design, Texts({"fare": "Bez biletu?"}), "pl", "Podróże")
    assert asked.questions[0].text == {"pl": "Bez biletu?"}
    assert asked.questions[0].answers[1].sensitive
    assert asked.gaps("pl") == ()


NAMES = st.text(string.printable + "ąłé", min_size=1, max_size=40)


@given(st.lists(NAMES, min_size=1, unique=True))
def test_that_short_names_are_different_and_fit_every_platform(names):
    asked = tuple(Question(name, Kind.INTEGER, domain=(0, 1)) for name in names)
    shorts = Questionnaire(("en",), asked).short_names()
    assert len(set(shorts.values())) == len(names)
    for short in shorts.values():
        assert short[0] in string.ascii_lowercase
        assert len(short) <= 26
        assert set(short) <= set(string.ascii_lowercase + string.digits + "_")
