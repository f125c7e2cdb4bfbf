"""An edit of a question changes the questionnaire, the design and all that speaks of it alike."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from studies import make_study

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Design, DesignedAttribute, Uniform
from ppworkbench.core.design.anchors import Anchor
from ppworkbench.core.design.arms import Arms, DesignArm
from ppworkbench.core.design.budget import DesignBudget
from ppworkbench.core.design.distort import distort
from ppworkbench.core.design.group import Group
from ppworkbench.core.design.matrices import Custom
from ppworkbench.core.design.perturbation import Identity
from ppworkbench.core.design.starting import starting_perturbation
from ppworkbench.core.errors import DataError
from ppworkbench.core.rng import SeededStreams
from ppworkbench.fieldwork.opening import open_anything
from ppworkbench.fieldwork.responses.held import is_randomised_otherwise
from ppworkbench.study.answer_state import AnswerState
from ppworkbench.study.questionnaire import edits
from ppworkbench.study.questionnaire.design_changes import consequences
from ppworkbench.study.questionnaire.document import Answer, Question, Questionnaire, write_document
from ppworkbench.study.questionnaire.pasted import questions_of_text
from ppworkbench.study.study import PriorChoice, Study

TICKET = Question(
    "ticket", Kind.BINARY, {"en": "Rode without a ticket?", "pl": "Jazda bez biletu?"},
    answers=(Answer("yes", {"en": "yes", "pl": "tak"}, sensitive=True),
             Answer("no", {"en": "no", "pl": "nie"})),
)  # fmt: skip
DRINKS = Question(
    "drinks", Kind.NOMINAL, {"en": "What do you drink?", "pl": "Co pijesz?"},
    answers=tuple(Answer(one, {"en": one}) for one in ("water", "beer", "wine")),
)  # fmt: skip
AGE = Question("age", Kind.INTEGER, {"en": "How old are you?"}, unit={"en": "years"},
               domain=(18.0, 90.0))  # fmt: skip
MATRIX = np.array([[0.8, 0.1, 0.3], [0.1, 0.8, 0.1], [0.1, 0.1, 0.6]])


@pytest.fixture
def study():
    asked = Questionnaire(("en", "pl"), (TICKET, DRINKS, AGE))
    return edits.study_of_questionnaire(asked, "City")


def agrees(study: Study) -> bool:
    """Whether the questionnaire says of every attribute what the design says."""
    asked = study.questionnaire
    assert asked is not None
    known = {a.name: a for a in study.asked_attributes()}
    return set(asked.names) == set(known) and all(
        (one.kind, one.domain, tuple(a.value for a in one.answers),
         tuple(a.value for a in one.answers if a.sensitive), one.unit.get("en", ""))
        == (a.kind, a.domain, a.values, a.sensitive, a.unit)
        for one in asked.questions for a in [known[one.name]]
    )  # fmt: skip


def test_that_a_questionnaire_becomes_a_study_with_a_design_to_start_from(study):
    assert study.design.names == ("ticket", "drinks", "age")
    assert study.design["ticket"].attribute.sensitive == ("yes",)
    assert study.label("age") == "How old are you?"
    assert study.unit("age") == "years"
    assert agrees(study)


def test_that_a_questionnaire_file_opens_as_a_study(tmp_path, study):
    write_document(study.questionnaire, tmp_path / "city.json")
    found = open_anything([tmp_path / "city.json"])
    assert found.title == "city"
    assert found.questionnaire.to_json() == study.questionnaire.to_json()
    assert found.design == study.design


def test_that_an_imported_table_has_a_questionnaire_of_its_own_words():
    study = make_study("survey", rows=40)
    asked = edits.questionnaire_of(study, "pl")
    assert asked.languages == ("pl",)
    assert asked.names == study.design.names
    assert study.questionnaire is None


def test_that_a_new_question_gets_the_starting_mechanism_and_a_free_name(study):
    budget = DesignBudget(total=3.0, weights=(("age", 2.0),))
    planned = study.with_(design=dataclasses.replace(study.design, budget=budget))
    after = edits.add_questions(planned, [AGE, TICKET], 1)
    assert after.questionnaire.names == ("ticket", "age_2", "ticket_2", "drinks", "age")
    assert after.design.names == after.questionnaire.names
    added = after.design["ticket_2"]
    assert added.perturbation == starting_perturbation(added.attribute)
    assert after.design.budget == budget
    assert agrees(after)


def test_that_a_first_question_can_be_added_to_nothing():
    empty = Study(questionnaire=Questionnaire(("pl",), ()))
    assert not empty.is_empty
    after = edits.add_questions(empty, [TICKET])
    assert after.design.names == ("ticket",)
    assert after.questionnaire.languages == ("pl",)


def test_that_a_copy_has_the_mechanism_and_expectation_of_the_question(study):
    chosen = study.with_perturbations({"drinks": Custom.of(MATRIX)})
    chosen = edits.set_title(chosen, "drinks", "Drinks")
    chosen = chosen.with_choice("drinks", PriorChoice("drawn", (1.0, 2.0, 1.0)))
    after = edits.duplicate_question(chosen, "drinks")
    assert after.questionnaire.names == ("ticket", "drinks", "drinks_2", "age")
    assert after.design["drinks_2"].perturbation == Custom.of(MATRIX)
    assert after.choices["drinks_2"].weights == (1.0, 2.0, 1.0)
    assert after.design["drinks_2"].attribute.title == "Drinks"
    assert after.questionnaire["drinks_2"].text == DRINKS.text


def test_that_a_deleted_question_leaves_nothing_behind(study):
    full = study.with_(
        plan=study.plan.with_limit("ticket", "belief", 0.6),
        settings=dataclasses.replace(study.settings, safe_answers=(("ticket", "no"),)),
        design=dataclasses.replace(
            study.design, budget=DesignBudget(total=2.0, weights=(("ticket", 2.0),))
        ),
    ).with_choice("ticket", PriorChoice("drawn", (1.0, 4.0)))
    after = edits.delete_questions(full, ["ticket"])
    assert after.questionnaire.names == after.design.names == ("drinks", "age")
    assert not after.choices
    assert not after.plan.own
    assert not after.settings.safe_answers
    assert after.design.budget == DesignBudget(total=2.0)


def test_that_a_renamed_question_is_renamed_everywhere(study):
    full = study.with_(
        plan=study.plan.with_limit("ticket", "belief", 0.6),
        settings=dataclasses.replace(study.settings, safe_answers=(("ticket", "no"),)),
    ).with_choice("ticket", PriorChoice("drawn", (1.0, 4.0)))
    after = edits.rename_question(full, "ticket", "fare")
    assert after.questionnaire.names == after.design.names == ("fare", "drinks", "age")
    assert set(after.choices) == {"fare"} == set(after.plan.own)
    assert after.settings.safe_answer("fare") == "no"
    assert after.questionnaire["fare"].text == TICKET.text
    with pytest.raises(DataError, match="Two questions"):
        edits.rename_question(full, "ticket", "age")


def test_that_questions_are_asked_in_the_order_of_the_design(study):
    after = edits.move_question(study, "age", 0)
    assert after.design.names == after.questionnaire.names == ("age", "ticket", "drinks")
    assert after.design["drinks"] == study.design["drinks"]


def test_that_columns_of_a_table_stay_where_questions_move():
    study = make_study("survey", rows=40)
    first, second, *_ = study.design.names
    after = edits.move_question(study, second, 0)
    assert after.questionnaire.names[:2] == (second, first)
    assert after.original is study.original
    assert after.design.names == study.design.names


def test_that_a_number_becomes_a_choice_and_back(study):
    chosen = edits.set_kind(study, "age", Kind.BINARY, ("yes", "no"))
    assert chosen.questionnaire["age"].kind is Kind.BINARY
    assert agrees(chosen)
    back = edits.set_kind(chosen, "age", Kind.INTEGER)
    assert back.design["age"].attribute.domain == (0.0, 100.0)
    assert agrees(back)
    with pytest.raises(DataError, match="has 3 answers"):
        edits.set_kind(study, "drinks", Kind.BINARY)


def test_that_a_mechanism_nobody_chose_keeps_its_epsilon(study):
    begun = starting_perturbation(study.design["drinks"].attribute)
    study = study.with_perturbations({"drinks": begun})
    after = edits.add_answer(study, "drinks", "tea")
    assert after.questionnaire["drinks"].answers[-1] == Answer("tea", {"en": "tea"})
    found = after.design["drinks"]
    assert found.perturbation == starting_perturbation(found.attribute)
    assert consequences(study, after) == ()


def test_that_a_question_asked_openly_stays_so_with_another_answer(study):
    assert study.design["drinks"].perturbation == Identity()
    after = edits.add_answer(study, "drinks", "tea")
    assert after.design["drinks"].perturbation == Identity()


def test_that_an_openly_asked_question_is_randomised_once_it_is_marked(study):
    after = edits.set_sensitive(study, "drinks", ["beer"])
    found = after.design["drinks"]
    assert found.perturbation == starting_perturbation(found.attribute)
    openly = after.with_perturbations({"drinks": Identity()})
    again = edits.set_sensitive(openly, "drinks", ["beer", "wine"])
    assert again.design["drinks"].perturbation == Identity()


def test_that_a_custom_matrix_without_a_row_is_announced(study):
    chosen = study.with_perturbations({"drinks": Custom.of(MATRIX)})
    after = edits.add_answer(chosen, "drinks", "tea")
    (said,) = consequences(chosen, after)
    assert "has no row for the new answer" in said
    assert after.design["drinks"].perturbation == starting_perturbation(
        after.design["drinks"].attribute
    )
    (said,) = consequences(chosen, edits.remove_answer(chosen, "drinks", "beer"))
    assert "no longer fits" in said


def test_that_a_chosen_share_of_kept_answers_stays(study):
    chosen = study.with_perturbations({"drinks": Uniform(keep=0.5)})
    after = edits.add_answer(chosen, "drinks", "tea")
    assert after.design["drinks"].perturbation == Uniform(keep=0.5)
    assert consequences(chosen, after) == ()


def test_that_expected_shares_follow_the_answers(study):
    drawn = study.with_choice("drinks", PriorChoice("drawn", (1.0, 2.0, 5.0)))
    assert edits.add_answer(drawn, "drinks", "tea").choices["drinks"].weights == (1, 2, 5, 0)
    assert edits.remove_answer(drawn, "drinks", "beer").choices["drinks"].weights == (1, 5)
    assert edits.move_answer(drawn, "drinks", "wine", 0).choices["drinks"].weights == (5, 1, 2)
    renamed = edits.rename_answer(drawn, "drinks", "beer", "ale")
    assert renamed.choices["drinks"].weights == (1, 2, 5)


def test_that_an_expected_share_leaves_the_rest_to_the_others(study):
    after = edits.set_expected_share(study, "ticket", "yes", 0.2)
    assert after.prior("ticket").probabilities == pytest.approx([0.2, 0.8])
    drawn = study.with_choice("drinks", PriorChoice("drawn", (1.0, 1.0, 2.0)))
    after = edits.set_expected_share(drawn, "drinks", "wine", 0.7)
    assert after.prior("drinks").probabilities == pytest.approx([0.15, 0.15, 0.7])
    sure = edits.set_expected_share(study, "ticket", "yes", 1.0)
    after = edits.set_expected_share(sure, "ticket", "yes", 0.25)
    assert after.prior("ticket").probabilities == pytest.approx([0.25, 0.75])


def test_that_a_moved_answer_keeps_its_probabilities(study):
    chosen = study.with_perturbations({"drinks": Custom.of(MATRIX)})
    after = edits.move_answer(chosen, "drinks", "wine", 0)
    assert after.design["drinks"].attribute.values == ("wine", "water", "beer")
    moved = after.design["drinks"].perturbation.matrix(3)
    assert moved[0, 0] == 0.6
    assert moved[1, 0] == 0.3
    assert [one.value for one in after.questionnaire["drinks"].answers] == ["wine", "water", "beer"]
    symmetric = edits.move_answer(study, "drinks", "wine", 0)
    assert symmetric.design["drinks"].perturbation == study.design["drinks"].perturbation


def test_that_a_renamed_answer_keeps_its_texts_and_marks(study):
    full = study.with_(
        settings=dataclasses.replace(study.settings, safe_answers=(("ticket", "no"),))
    )
    after = edits.rename_answer(full, "ticket", "no", "never")
    assert after.questionnaire["ticket"].answers[1] == Answer("never", {"en": "never", "pl": "nie"})
    assert after.settings.safe_answer("ticket") == "never"
    marked = edits.rename_answer(full, "ticket", "yes", "at least once")
    assert marked.design["ticket"].attribute.sensitive == ("at least once",)
    assert agrees(marked)
    with pytest.raises(DataError, match="already"):
        edits.rename_answer(full, "ticket", "no", "yes")


def test_that_a_value_follows_its_text_until_they_differ(study):
    after = edits.set_answer_text(study, "ticket", "yes", "en", "ever")
    assert after.design["ticket"].attribute.values == ("ever", "no")
    polish = edits.set_answer_text(study, "ticket", "yes", "pl", "owszem")
    assert polish.design is study.design
    assert polish.questionnaire["ticket"].answers[0].text["pl"] == "owszem"


def test_that_marks_made_on_other_pages_are_those_of_the_questionnaire(study):
    after = study.with_sensitive("drinks", ["wine"])
    assert [one.sensitive for one in after.questionnaire["drinks"].answers] == [False, False, True]
    assert agrees(edits.set_sensitive(after, "drinks", []))


def grouped(study: Study) -> Study:
    """Two questions with one coin, a check question, and arms."""
    other = dataclasses.replace(TICKET, name="cash")
    more = edits.add_questions(study, [other, dataclasses.replace(TICKET, name="check")])
    listed = tuple(
        DesignedAttribute(d.attribute, Identity()) if d.name in ("ticket", "cash") else d
        for d in more.design
    )
    arms = Arms("arm", (
        DesignArm("a", 0.5, (("drinks", Uniform(keep=0.4)),)), DesignArm("b", 0.5),
    ))  # fmt: skip
    design = Design(
        listed, groups=(Group(("ticket", "cash"), "unrelated", 0.7),), arms=arms,
        anchors=(("check", Anchor("ticket", 0.2)),),
    )  # fmt: skip
    return more.with_(design=design)


def test_that_words_and_values_leave_groups_arms_and_check_questions_alone(study):
    full = grouped(study)
    for after in (
        edits.rename_answer(full, "ticket", "no", "never"),
        edits.move_answer(full, "ticket", "no", 0),
        edits.set_text(full, "ticket", "text", "en", "Ever?"),
        edits.set_sensitive(full, "cash", ["no"]),
    ):
        assert len(after.design.groups) == 1
        assert after.design.anchors == full.design.anchors
        assert after.design.arms == full.design.arms
        assert consequences(full, after) == ()
    renamed = edits.rename_question(full, "drinks", "drank")
    assert renamed.design.arms.members[0].named == ("drank",)


def test_that_a_group_or_check_question_which_goes_is_announced(study):
    full = grouped(study)
    after = edits.delete_questions(full, ["cash"])
    assert after.design.groups == ()
    assert after.design["ticket"].perturbation == full.design.usual_device("ticket")
    (said,) = consequences(full, after)
    assert "'ticket'" in said
    assert "one draw" in said
    said = consequences(full, edits.delete_questions(full, ["ticket"]))
    assert any("check question" in one for one in said)
    arms = edits.delete_questions(full, ["drinks"]).design.arms
    assert all(not arm.named for arm in arms.members)


def answered(study: Study) -> Study:
    """The study with true answers of 4 people."""
    from ppworkbench.core.data.table import Column, Table

    columns = (
        Column(study.design["ticket"].attribute, np.array([0, 1, 1, 1], np.int8)),
        Column(study.design["drinks"].attribute, np.array([0, 0, 1, 1], np.int8)),
        Column(study.design["age"].attribute, np.array([20.0, 30.0, 40.0, 50.0])),
    )
    return study.with_(original=Table(columns))


def test_that_true_answers_limit_what_can_be_edited(study):
    full = answered(study)
    assert full.state is AnswerState.TRUE
    for refused in (
        lambda: edits.delete_questions(full, ["age"]),
        lambda: edits.remove_answer(full, "drinks", "beer"),
        lambda: edits.set_kind(full, "drinks", Kind.INTEGER),
        lambda: edits.set_domain(full, "age", 30, 60),
    ):
        with pytest.raises(DataError):
            refused()
    after = edits.remove_answer(full, "drinks", "wine")
    assert after.original["drinks"].attribute.values == ("water", "beer")
    more = edits.add_answer(full, "drinks", "tea")
    assert more.original["drinks"].attribute.values == more.design["drinks"].attribute.values
    renamed = edits.rename_answer(full, "drinks", "beer", "ale")
    assert renamed.original["drinks"].counts.tolist() == [2, 2, 0]
    assert renamed.questionnaire["drinks"].answers[1] == Answer("ale", {"en": "ale"})
    moved = edits.move_answer(full, "drinks", "beer", 0)
    assert moved.original["drinks"].data.tolist() == [1, 1, 0, 0]
    called = edits.rename_question(full, "age", "years")
    assert called.original.names == ("ticket", "drinks", "years")
    for one in (after, more, renamed, moved, called):
        assert agrees(one)


def test_that_words_of_answered_questions_are_those_of_the_table(study):
    full = answered(study)
    after = edits.set_text(full, "age", "text", "en", "Your age?")
    assert after.original["age"].attribute.label == "Your age?"
    after = edits.set_text(after, "age", "unit", "en", "y")
    assert after.original["age"].attribute.unit == after.design["age"].attribute.unit == "y"
    assert edits.set_title(after, "age", "Age").original["age"].attribute.title == "Age"
    assert agrees(after)


def reported_of(full: Study) -> Study:
    """The study with its answers randomised."""
    return full.with_(
        original=None, distorted=distort(full.original, full.design, SeededStreams(1))
    )


@pytest.mark.parametrize("state", [AnswerState.TRUE, AnswerState.REPORTED])
def test_that_a_question_added_to_answers_is_missing_there_and_free(study, state):
    full = answered(study)
    before = full if state is AnswerState.TRUE else reported_of(full)
    after = edits.add_questions(before, [dataclasses.replace(DRINKS, name="food")], place=1)
    assert after.state is state
    assert after.questionnaire.names == ("ticket", "food", "drinks", "age")
    for name in before.table.names:
        assert after.table[name] is before.table[name]
        assert after.design[name] == before.design[name]
    assert after.table["food"].missing.all()
    assert after.table["food"].missing_count == 4
    assert edits.why_locked(after, "age") is not None
    assert edits.why_locked(after, "food") is None
    assert not is_randomised_otherwise(before, after)
    # What nobody has answered can still be asked in another way, by another device, or not at all.
    now = edits.add_answer(after, "food", "bread")
    assert now.table["food"].attribute.values == ("water", "beer", "wine", "bread")
    now = edits.rename_question(now, "food", "meal")
    now = edits.set_kind(now, "meal", Kind.INTEGER)
    now = edits.set_domain(now, "meal", 0, 9)
    assert now.table["meal"].missing.all()
    assert now.design["meal"].attribute.domain == (0, 9)
    other = now.with_perturbations({"meal": Identity()})
    assert not is_randomised_otherwise(after, other)
    assert edits.delete_questions(now, ["meal"]).table.names == before.table.names
    copied = edits.duplicate_question(before, "ticket")
    assert copied.table["ticket_2"].missing.all()
    for one in (after, now, copied):
        assert agrees(one) or state is AnswerState.REPORTED


def test_that_reported_answers_leave_words_only(study):
    reported = reported_of(answered(study))
    assert reported.state is AnswerState.REPORTED
    for refused in (
        lambda: edits.rename_question(reported, "age", "years"),
        lambda: edits.rename_answer(reported, "drinks", "beer", "ale"),
        lambda: edits.move_answer(reported, "drinks", "beer", 0),
        lambda: edits.add_answer(reported, "drinks", "tea"),
        lambda: edits.set_kind(reported, "drinks", Kind.ORDINAL),
        lambda: edits.delete_questions(reported, ["age"]),
    ):
        with pytest.raises(DataError, match="randomised by this design"):
            refused()
    after = edits.set_text(reported, "age", "text", "pl", "Ile masz lat?")
    after = edits.set_answer_text(after, "drinks", "beer", "en", "ale")
    assert after.design is reported.design
    assert after.questionnaire["drinks"].answers[1] == Answer("beer", {"en": "ale"})
    assert edits.add_language(after, "de").questionnaire.languages == ("en", "pl", "de")
    assert edits.set_sensitive(after, "drinks", ["wine"]).design["drinks"].attribute.sensitive


def test_that_invented_answers_go_with_the_questions_they_belong_to(study):
    invented = answered(study).with_(invented=True)
    assert invented.state is AnswerState.INVENTED
    after = edits.add_questions(invented, [TICKET])
    assert after.state is AnswerState.NONE
    (said,) = consequences(invented, after)
    assert "4 simulated answers" in said
    assert edits.set_text(invented, "age", "text", "en", "Age?").state is AnswerState.INVENTED


def test_that_languages_come_and_go_with_their_texts(study):
    more = edits.add_language(study, "de")
    assert len(more.questionnaire.gaps("de")) == 3 + 2 + 3 + 1
    for refused in ("de", "xx"):
        with pytest.raises(DataError):
            edits.add_language(more, refused)
    after = edits.remove_language(study, "pl")
    assert after.questionnaire.languages == ("en",)
    assert "pl" not in after.questionnaire["ticket"].text
    with pytest.raises(DataError, match="main language"):
        edits.remove_language(study, "en")


def test_that_what_stands_around_the_questions_can_be_worded(study):
    after = edits.set_around(study, "thanks", "pl", "Dziękujemy.")
    assert after.questionnaire.thanks == {"pl": "Dziękujemy."}
    assert edits.set_field(study, "age", required=True).questionnaire["age"].required
    assert edits.set_field(study, "age", page=2).questionnaire["age"].page == 2


def test_that_an_imported_questionnaire_keeps_the_mechanisms_of_shared_questions(study):
    chosen = study.with_perturbations({"drinks": Custom.of(MATRIX)})
    asked = Questionnaire(("en",), (AGE, DRINKS, dataclasses.replace(TICKET, name="cash")))
    after = edits.replace_questionnaire(chosen, asked)
    assert after.design.names == ("age", "drinks", "cash")
    assert after.design["drinks"].perturbation == Custom.of(MATRIX)
    assert after.questionnaire == asked
    full = answered(study)
    with pytest.raises(DataError, match="'cash'"):
        edits.replace_questionnaire(full, asked)
    worded = dataclasses.replace(AGE, text={"en": "Age?"})
    assert (
        edits.replace_questionnaire(full, Questionnaire(("en",), (TICKET, DRINKS, worded))).label(
            "age"
        )
        == "Age?"
    )


@pytest.mark.parametrize(
    ("pasted", "found"),
    [
        ("Smoke?", [("smoke", "binary", ("yes", "no"))]),
        ("Smoke?: often, never*", [("smoke", "binary", ("often", "never"))]),
        ("Drink\twater\tbeer\twine", [("drink", "nominal", ("water", "beer", "wine"))]),
        ("Drink\tnone, or little; much", [("drink", "binary", ("none, or little", "much"))]),
        ("Age: 18 to 90\n\nAge: 0,5 - 1,5",
         [("age", "integer", (18.0, 90.0)), ("age_2", "continuous", (0.5, 1.5))]),
        ("Time: now?", [("time_now", "binary", ("yes", "no"))]),
        ("Sure: yes, yes", [("sure_yes_yes", "binary", ("yes", "no"))]),
        ("Sure: *, ,", [("sure", "binary", ("yes", "no"))]),
        ("Name\tText\tAnswers\nfare\tTicket?\tever; never\nage\tAge?\t1 to 9",
         [("fare", "binary", ("ever", "never")), ("age", "integer", (1.0, 9.0))]),
    ],
)  # fmt: skip
def test_that_a_pasted_list_becomes_questions(pasted, found):
    asked = questions_of_text(pasted, "en", ("yes", "no"))
    told = [(q.name, str(q.kind), q.domain or tuple(one.value for one in q.answers)) for q in asked]
    assert told == found


def test_that_a_list_that_is_too_long_is_refused_and_never_lost():
    pasted = "Town?: " + ", ".join(map(str, range(201)))
    asked = questions_of_text(pasted, "en", ("yes", "no"))
    document = Questionnaire(("en",), asked)
    for make in (
        lambda: edits.add_questions(Study(), asked),
        lambda: edits.replace_questionnaire(Study(), document),
        lambda: edits.study_of_questionnaire(document, "Towns"),
    ):
        with pytest.raises(DataError, match="201 answers"):
            make()
    assert [problem.question for problem in document.problems()] == ["town"]


def test_that_designed_missing_answers_are_not_asked_for():
    attribute = Attribute("smokes", Kind.NOMINAL, ("no", "yes", "missing"))
    design = Design((DesignedAttribute(attribute, Uniform(keep=0.5), missing_is_value=True),))
    study = Study(design=design)
    asked = edits.questionnaire_of(study, "en")
    assert [one.value for one in asked["smokes"].answers] == ["no", "yes"]
    after = edits.add_answer(edits.set_kind(study, "smokes", Kind.ORDINAL), "smokes", "sometimes")
    assert after.design["smokes"].attribute.values == ("no", "yes", "sometimes", "missing")
    assert after.design["smokes"].missing_is_value


def test_that_few_are_expected_to_give_a_sensitive_answer_until_somebody_says_otherwise(study):
    assert study.prior("ticket").probabilities == pytest.approx([0.2, 0.8])
    # What is not sensitive, or has more answers, is as open as before.
    assert study.prior("drinks").probabilities == pytest.approx([1 / 3] * 3)
    said = edits.set_expected_share(study, "ticket", "yes", 0.6)
    again = edits.set_sensitive(said, "ticket", ["no"])
    assert again.prior("ticket").probabilities == pytest.approx([0.6, 0.4])
    renamed = edits.rename_question(said, "ticket", "fare")
    assert renamed.prior("fare").probabilities == pytest.approx([0.6, 0.4])


def test_that_a_first_mark_before_there_are_answers_tells_what_to_expect():
    asked = Attribute("cash", Kind.BINARY, ("yes", "no"))
    study = Study(title="City").with_attributes([asked])
    assert study.prior("cash").probabilities == pytest.approx([0.5, 0.5])
    assert study.with_sensitive("cash", ["yes"]).prior("cash").probabilities == pytest.approx(
        [0.2, 0.8]
    )
