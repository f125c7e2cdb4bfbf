"""Answers of a collection that take the place of those of its study, and what that study knows."""

from __future__ import annotations

import dataclasses
import json
import secrets

import numpy as np
import pytest
from asked_studies import asked_study, reported_rows
from scripted import answered

from ppworkbench.analyses.survey.questions import Question
from ppworkbench.cli.main import main
from ppworkbench.core.design.budget import DesignBudget
from ppworkbench.core.design.design_file import design_digest, write_design
from ppworkbench.core.message import Message
from ppworkbench.core.sampling.results import UNLINKED_WAVES
from ppworkbench.core.survey.conditions.condition import parse_condition
from ppworkbench.fieldwork.collected import read_collected
from ppworkbench.fieldwork.collector.control import start_collection
from ppworkbench.fieldwork.collector.rows import RowCodec
from ppworkbench.fieldwork.collector.store import Submission
from ppworkbench.fieldwork.responses.taken import read_taken, take_over
from ppworkbench.study.answer_state import AnswerState
from ppworkbench.study.files.study_file import open_study, save_study
from ppworkbench.study.questionnaire.document import Questionnaire
from ppworkbench.study.questionnaire.texts import Texts

DAY = "2026-11-17"


@pytest.fixture
def study():
    return asked_study()


@pytest.fixture
def collection(tmp_path, study):
    with start_collection(tmp_path / "answers.sqlite", study.design) as made:
        yield made


def arrive(collection, study, count, seed=5):
    digest, codec = design_digest(study.design), RowCodec(study.design)
    batch = [
        Submission(secrets.token_bytes(16), digest, codec.encode(row))
        for row in reported_rows(count, seed=seed)
    ]
    collection.store.write(batch, DAY)


def taken_over(study, collection):
    return take_over(study, read_taken(study, collection))


def test_that_answers_taken_over_are_reported_and_replace_invented_ones(collection, study):
    arrive(collection, study, 8)
    table = collection.table()
    invented = study.with_(original=table, invented=True)
    taken = read_taken(invented, collection)
    assert taken.foreign == 0
    changed = take_over(invented, taken)
    assert changed.state is AnswerState.REPORTED
    assert (changed.rows, changed.original) == (8, None)


def test_that_only_answers_of_this_collection_are_replaced_unasked(collection, study, tmp_path):
    arrive(collection, study, 20)
    first = taken_over(study, collection)
    arrive(collection, study, 5, seed=6)
    assert read_taken(first, collection).foreign == 0
    # Saved and opened again they are still known.
    save_study(first, tmp_path / "study.ppw")
    opened = open_study(tmp_path / "study.ppw")
    assert read_taken(opened, collection).foreign == 0
    # Closing gives the stored rows other ids, but not the study other answers.
    collection.close()
    assert read_taken(opened, collection).foreign == 0


def test_that_equally_many_answers_from_elsewhere_are_foreign(collection, study, tmp_path):
    arrive(collection, study, 20)
    first = taken_over(study, collection)
    with start_collection(tmp_path / "other.sqlite", study.design) as other:
        arrive(other, study, 20, seed=9)
        assert read_taken(first, other).foreign == 20
        assert read_taken(study.with_(distorted=other.table()), collection).foreign == 20
        replaced = first.with_(distorted=other.table())
        assert read_taken(replaced, collection).foreign == 20
    true = first.with_(original=first.distorted, distorted=None)
    assert read_taken(true, collection).foreign == 20


def test_that_one_changed_answer_is_foreign(collection, study):
    arrive(collection, study, 20)
    first = taken_over(study, collection)
    column = first.distorted["ticket"]
    cells = column.data.copy()
    cells[0] = 1 - cells[0]
    changed = tuple(
        column.with_(data=cells) if one.name == "ticket" else one for one in first.distorted
    )
    edited = first.with_(distorted=first.distorted.with_(columns=changed))
    assert read_taken(edited, collection).foreign == 20


def test_that_answers_taken_over_are_not_added_again_from_the_database(
    collection, study, tmp_path, capsys
):
    arrive(collection, study, 20)
    path = tmp_path / "study.ppw"
    save_study(taken_over(study, collection), path)
    before = path.read_bytes()
    arguments = ["add", str(path), collection.place, "--state", "reported"]
    assert main(arguments) == 1
    assert "has imported the answers of" in capsys.readouterr().err
    assert path.read_bytes() == before


def test_that_answers_that_were_replaced_can_be_added_again(collection, study, tmp_path, capsys):
    arrive(collection, study, 20)
    path = tmp_path / "study.ppw"
    save_study(study, path)
    add = ["add", str(path), collection.place, "--state", "reported", "--json"]
    with start_collection(tmp_path / "other.sqlite", study.design) as other:
        arrive(other, study, 7, seed=9)
        assert main(add) == 0
        save_study(taken_over(open_study(path), other), path)
    capsys.readouterr()
    assert main(add) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == 20
    assert open_study(path).rows == 27


def test_that_answers_taken_over_keep_the_wording_of_their_questions(collection, study, tmp_path):
    questions = {"ticket": "Did you ride without a ticket?", "town": "Where do you live?"}
    asked = Questionnaire.of_design(study.design, Texts(questions), "en", "Rides")
    arrive(collection, study, 40)
    changed = taken_over(study.with_(questionnaire=asked), collection)
    labels = {one.name: one.label for one in changed.distorted.attributes if one.label}
    assert labels == questions
    # A study that was saved without them finds them in its questionnaire.
    bare = changed.with_(distorted=collection.table())
    assert {one.name: one.label for one in bare.attributes if one.label} == questions
    save_study(bare, tmp_path / "rides.ppw")
    assert main(["report", str(tmp_path / "rides.ppw"), "--out", str(tmp_path / "r.html")]) == 0
    said = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert all(words in said for words in questions.values())


LINKED = DesignBudget(waves=2, memoise=True, linked=True)


@pytest.fixture
def linked():
    study = asked_study()
    return study.with_(design=dataclasses.replace(study.design, budget=LINKED))


def arrive_named(collection, study, persons, seed):
    digest, codec = design_digest(study.design), RowCodec(study.design)
    batch = [
        Submission(secrets.token_bytes(16), digest, codec.encode(row | {"person": person}))
        for row, person in zip(reported_rows(len(persons), seed=seed), persons, strict=True)
    ]
    assert all(one.row is not None for one in batch)
    collection.store.write(batch, DAY)


def test_that_linked_waves_bring_the_column_of_persons_and_its_role(linked, tmp_path):
    codec = RowCodec(linked.design)
    row = reported_rows(1)[0]
    # A row that names nobody is of a page of before, and what is no such number is none.
    assert codec.encode(row) is None
    assert codec.encode(row | {"person": "Ann"}) is None
    assert codec.encode(row | {"person": 2**39}) is None
    persons = list(range(5, 5 + 20))
    with start_collection(tmp_path / "answers.sqlite", linked.design) as collection:
        arrive_named(collection, linked, persons, seed=1)
        arrive_named(collection, linked, persons, seed=2)
        study = taken_over(linked, collection)
        assert study.sampling.person == "person"
        assert sorted(study.distorted["person"].data) == sorted(persons * 2)
        # The design is still that of the collection, and answers are taken over once more.
        arrive_named(collection, linked, [77], seed=3)
        taken = read_taken(study, collection)
        assert taken.foreign == 0
        study = take_over(study, taken)
    assert study.rows == 41
    save_study(study, tmp_path / "study.ppw")
    again = open_study(tmp_path / "study.ppw")
    found = answered(Question("count", parse_condition("ticket = yes")), again)
    assert found.result.share.details.degrees_of_freedom == 20
    assert not [one for one in found.remarks if Message.of(one).code == UNLINKED_WAVES]


def test_that_waves_of_two_databases_are_joined_by_person(linked, tmp_path, capsys):
    for wave in (1, 2):
        with start_collection(tmp_path / f"wave{wave}.sqlite", linked.design) as collection:
            arrive_named(collection, linked, [3, 4, 5, 2**39 - 1], seed=wave)
            collection.close()
    write_design(linked.design, tmp_path / "design.json")
    paths = [str(tmp_path / f"wave{wave}.sqlite") for wave in (1, 2)]
    design, out = str(tmp_path / "design.json"), str(tmp_path / "answers.csv")
    assert main(["collect", *paths, "--design", design, "--out", out]) == 0
    capsys.readouterr()
    asked = ["count", out, "--where", "ticket = yes", "--json"]
    assert main(asked) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["degrees_of_freedom"] == 3
    # A design that does not know of the column leaves the remark.
    assert main([*asked, "--no-sampling"]) == 0
    assert any("no column has the role person" in one for one in told(capsys)["remarks"])
    save_study(linked, tmp_path / "study.ppw")
    for path in paths:
        assert main(["add", str(tmp_path / "study.ppw"), path, "--state", "reported"]) == 0
    study = open_study(tmp_path / "study.ppw")
    assert study.sampling.person == "person"
    assert sorted(study.distorted["person"].data) == [3, 3, 4, 4, 5, 5, 2**39 - 1, 2**39 - 1]


def told(capsys):
    return json.loads(capsys.readouterr().out)


def test_that_rows_without_a_person_count_as_people_of_their_own(linked, tmp_path):
    rows = reported_rows(4)
    lines = [json.dumps(row | {"person": 9}) for row in rows[:3]] + [json.dumps(rows[3])]
    path = tmp_path / "answers.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    table = read_collected([path], linked.design)
    assert len(np.unique(table["person"].data)) == 2
    assert "1 row(s) name no person" in table.notes[0]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert "person" not in read_collected([path], linked.design)
