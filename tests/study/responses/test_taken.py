"""Answers of a collection that take the place of those of its study, and what that study knows."""

from __future__ import annotations

import json
import secrets

import pytest
from fieldwork import asked_study, reported_rows

from ppworkbench.cli.main import main
from ppworkbench.core.design.design_file import design_digest
from ppworkbench.study.collector.control import start_collection
from ppworkbench.study.collector.rows import RowCodec
from ppworkbench.study.collector.store import Submission
from ppworkbench.study.files.study_file import open_study, save_study
from ppworkbench.study.questionnaire.document import Questionnaire
from ppworkbench.study.questionnaire.texts import Texts
from ppworkbench.study.responses.taken import read_taken, take_over
from ppworkbench.study.state import AnswerState

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
    assert "has taken over the answers of" in capsys.readouterr().err
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
