"""Lists of a study: made, kept through edits, asked, saved and told."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from designs import classic_study

from ppworkbench.analyses.estimates.list_item import ListItem
from ppworkbench.analyses.estimates.lists import (
    fitting_inquiry,
    list_arms,
    predictors_for,
    proposed_list,
    with_list,
    without_list,
)
from ppworkbench.analyses.survey.answers import (
    SurveyError,
    SurveyResult,
    answer_question,
    answer_sheet,
    command_of,
    methods_of,
    told_answer,
    write_result,
)
from ppworkbench.analyses.survey.history import PastQuestion, history_to_json
from ppworkbench.analyses.survey.questions import LIST, Question, problem_of
from ppworkbench.core.compliance.assess_list import ListResult
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.edits import rename_attribute
from ppworkbench.core.data.sampling_roles import Sampling
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design.lists import ListQuestion
from ppworkbench.core.errors import DesignError
from ppworkbench.outputs.report.build import build_report
from ppworkbench.study.distorted_cache import DistortedCache
from ppworkbench.study.files.study_file import open_study, save_study
from ppworkbench.study.renaming import retyped
from ppworkbench.study.study import Study

SHARES = {"south": 0.4, "gas": 0.9, "jail": 0.1, "sport": 0.5, "neighbour": 0.3}


def study(n: int = 2000) -> Study:
    """True answers to every item."""
    random = np.random.default_rng(3)

    def yes_no(name: str, share: float) -> Column:
        attribute = Attribute(name, Kind.BINARY, ("no", "yes"))
        return Column(attribute, (random.random(n) < share).astype(np.int8))

    table = Table(tuple(yes_no(name, share) for name, share in SHARES.items()))
    return classic_study(table, "Neighbours")


def listed(n: int = 2000) -> Study:
    """The same with the neighbour asked by a list."""
    plain = study(n)
    count, short, long = proposed_list(plain, "neighbour")
    attribute = plain.design["neighbour"].attribute
    asked = ListQuestion(attribute, count, ("gas", "jail", "sport"), short, long)
    return with_list(plain, asked)


def ask(given: Study, **changes: object) -> SurveyResult:
    """The answer about the list."""
    inquiry = dataclasses.replace(ListItem("neighbour"), **changes)  # type: ignore[arg-type]
    found = answer_question(Question(LIST, inquiry=inquiry), given, DistortedCache())
    assert isinstance(found, SurveyResult)
    return found


def test_that_a_list_takes_its_items_out_of_the_design_and_makes_two_arms() -> None:
    """Neither the question nor an item is published beside the count."""
    made = listed()
    assert made.design.names == ("south", "neighbour_count", "version")
    assert made.design.arms == list_arms(study())
    assert made.design.lists[0].long == ("long",)
    again = without_list(made, "neighbour")
    assert again.design.lists == ()
    assert "neighbour" in again.design
    assert "neighbour_count" not in again.design


def test_that_a_list_can_be_changed_and_a_wrong_one_changes_nothing() -> None:
    """Other items, another column, arms that do not exist."""
    made = listed()
    asked = made.design.lists[0]
    changed = with_list(made, dataclasses.replace(asked, count="n", items=("gas", "jail")))
    assert [one.count for one in changed.design.lists] == ["n"]
    assert changed.design["n"].attribute.domain == (0, 3)
    assert "neighbour_count" not in changed.design
    with pytest.raises(DesignError, match="which the design lacks"):
        with_list(made, dataclasses.replace(asked, long=("nobody",)))


def test_that_the_answers_of_a_study_are_counted_and_estimated() -> None:
    """The true share lies in the interval; the result is the same on files."""
    answer = ask(listed(20_000))
    found = answer.result
    assert isinstance(found, ListResult)
    assert found.difference.low < 0.3 < found.difference.high
    assert "neighbour" in command_of(answer)
    assert any("list experiment" in one for one in methods_of(answer))
    assert "difference in mean counts" in told_answer(answer)
    rows = answer_sheet(answer).to_frame()
    (told,) = rows.loc[rows["estimated"] == "difference in means", "estimate"]
    assert told == pytest.approx(found.difference.estimate)
    assert answer.interval_contents is not None


def test_that_a_table_of_a_list_is_written(tmp_path: Path) -> None:
    """As CSV."""
    answer = ask(listed())
    write_result(answer, tmp_path / "list.csv")
    tables = pd.read_csv(tmp_path / "list.csv")["table"]
    assert [*dict.fromkeys(tables)] == ["said", "estimates", "types", "belief"]


def test_that_a_list_goes_with_a_saved_study_and_with_its_history(tmp_path: Path) -> None:
    """The question comes back as it was asked."""
    made = listed()
    save_study(made, tmp_path / "lists.ppstudy")
    assert open_study(tmp_path / "lists.ppstudy").design == made.design
    row = PastQuestion.of_answer(ask(made, method="nls"))
    assert PastQuestion.from_json(row.to_json()) == row
    assert row.has_numbers


def test_that_a_list_follows_other_data_and_other_names() -> None:
    """The question behind it does not come back as one of its own."""
    made = listed()
    assert made.original is not None
    again = made.with_table(made.original.take(np.arange(500)))
    assert again.design.lists == made.design.lists
    assert "neighbour" not in again.design
    table = rename_attribute(made.original, "jail", "prison")
    renamed = retyped(made, table, ("jail", "prison"))
    assert renamed.design.lists[0].items == ("gas", "prison", "sport")
    table = rename_attribute(made.original, "neighbour", "family")
    renamed = retyped(made, table, ("neighbour", "family"))
    assert [one.name for one in renamed.design.lists] == ["family"]


def test_that_an_inquiry_comes_back_and_keeps_to_what_there_is() -> None:
    """Methods drop what they do not have; predictors are not randomised."""
    made = listed()
    inquiry = ListItem("neighbour", "ml", ("south",), ceiling=True)
    assert ListItem.from_kept(inquiry.to_kept()) == inquiry
    told = {"attribute": "neighbour", "predictors": ["south"], "ceiling": True}
    assert inquiry.to_kept() == told
    assert inquiry.by("difference") == ListItem("neighbour", predictors=("south",))
    # Older programs kept no method for the likelihood; only where it is needed it stays.
    assert ListItem.from_kept({"attribute": "neighbour"}).way == "difference"
    assert ListItem.from_kept({"attribute": "neighbour", "floor": True}).way == "ml"
    assert predictors_for(made) == ()
    assert fitting_inquiry(inquiry, made) == dataclasses.replace(inquiry, predictors=())
    assert fitting_inquiry(ListItem("gone"), made) == ListItem("neighbour")
    assert fitting_inquiry(inquiry, study()) is None
    assert "make one on Design" in problem_of(Question(LIST), study().design)
    assert "no list that asks" in problem_of(Question(LIST, inquiry=ListItem("gone")), made.design)


def test_that_a_sampling_is_used_by_the_difference() -> None:
    """Whatever method was chosen before."""
    made = listed()
    assert made.original is not None
    weights = Column(Attribute("w", Kind.INTEGER, domain=(1, 9)), np.arange(made.rows) % 3 + 1.0)
    table = made.original.with_(columns=(*made.original.columns, weights))
    drawn = made.with_table(table).with_sampling(Sampling(weight="w"))
    answer = ask(drawn, method="ml")
    found = answer.result
    assert isinstance(found, ListResult)
    assert found.model is None
    assert found.inquiry.way == "difference"
    used = "The sampling was taken into account"
    assert any(used in one for one in methods_of(answer))
    asked = Question(LIST, inquiry=ListItem("neighbour"), target="respondents")
    other = answer_question(asked, drawn, DistortedCache())
    assert isinstance(other, SurveyResult)
    assert not any(used in one for one in methods_of(other))


def test_that_a_report_has_a_chapter_of_lists() -> None:
    """With the estimates, as they were last asked for."""
    made = listed()
    row = PastQuestion.of_answer(ask(made, method="nls"))
    kept = made.with_results("survey", history_to_json((row,)))
    report = build_report(kept)
    titles = [str(section.title) for section in report.attachments]
    place = titles.index("Lists")
    told = str(report.attachments[place + 1])
    assert titles[place + 1] == "neighbour"
    assert "least squares" in told
    assert "--method nls" in told
    # The arm and the count of the list are no questions that anybody answers.
    brief = str(report.sections[0])
    assert "2,000 people, 1 attribute, which is distorted." in brief
    assert "1 question is asked by a list; the table holds its count alone." in brief


def test_that_a_study_without_its_items_says_so() -> None:
    """An item that no column has cannot be counted."""
    made = listed()
    asked = dataclasses.replace(made.design.lists[0], items=("gas", "I like tea", "sport"))
    found = answer_question(
        Question(LIST, inquiry=ListItem("neighbour")), with_list(made, asked), DistortedCache()
    )
    assert isinstance(found, SurveyError)
    assert "I like tea" in found.sentence
