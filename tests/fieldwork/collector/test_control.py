"""Collections are begun, paused, closed and read by anybody who has the database."""

from __future__ import annotations

import secrets
import sqlite3
from dataclasses import replace

import numpy as np
import pytest
from collecting import DESIGN, QUESTIONS, submissions

from ppworkbench.cli.main import main
from ppworkbench.core.design import Design, DesignedAttribute, Uniform
from ppworkbench.core.design.design_file import design_digest, write_design
from ppworkbench.core.errors import DataError
from ppworkbench.fieldwork.collector.control import (
    Collection,
    State,
    find_server,
    is_collection,
    open_collection,
    open_store,
    start_collection,
)
from ppworkbench.fieldwork.collector.rows import RowCodec
from ppworkbench.fieldwork.collector.serving import RunningServer, ServerLock
from ppworkbench.fieldwork.collector.sqlite import SqliteStore
from ppworkbench.fieldwork.collector.store import Outcome, Store, Submission, token_hash

OTHER = Design((DesignedAttribute(QUESTIONS[0], Uniform(keep=0.6)),))


@pytest.fixture
def place(tmp_path):
    return tmp_path / "answers.sqlite"


@pytest.fixture
def collection(place):
    with start_collection(place, DESIGN) as made:
        yield made


def fill(collection: Collection, count: int, seed: int = 1) -> None:
    store = open_store(collection.place)
    outcomes = store.write(submissions(count, seed), "2026-05-04")
    assert set(outcomes) == {Outcome.STORED}
    store.close()


def test_that_a_new_collection_is_open_and_empty(collection, place):
    status = collection.status()
    assert (status.state, status.answers, status.round) == (State.OPEN, 0, 1)
    assert status.address is None
    assert status.tokens_left is None
    assert is_collection(place)
    assert collection.table().rows == 0
    assert place.stat().st_mode & 0o077 == 0


def test_that_a_table_holds_what_was_sent_also_while_answers_arrive(collection):
    fill(collection, 400)
    table = collection.table()
    assert table.rows == 400
    assert [column.name for column in table] == list(DESIGN.names)
    counts = collection.reported()
    assert counts.answers == 400
    for column in table:
        assert counts.missing[column.name] == column.missing_count
        if column.name in counts.counts:
            assert counts.counts[column.name].tolist() == column.counts.tolist()
    number, mean, variance = counts.numbers["age"]
    ages = table["age"].data
    assert number == np.count_nonzero(~np.isnan(ages))
    assert (mean, variance) == pytest.approx((np.nanmean(ages), np.nanvar(ages)))


def test_that_rows_come_in_another_order_every_time(collection):
    fill(collection, 300)
    first, second = collection.table(), collection.table()
    assert first["age"].data.tolist() != second["age"].data.tolist()
    assert sorted(first["colour"].data) == sorted(second["colour"].data)


def test_that_what_is_shown_moves_in_steps_of_ten_with_five_new_answers_each(collection):
    shown = []
    for place in range(32):
        fill(collection, 1, seed=place)
        shown.append((collection.status().shown, collection.live().answers))
    assert shown[:9] == [(0, 0)] * 9
    assert shown[9:19] == [(10, 10)] * 10
    assert shown[29:] == [(30, 30)] * 3


def test_that_a_late_look_delays_the_next_step(collection):
    fill(collection, 19)
    assert collection.live().answers == 19
    assert collection.status().shown == 10
    fill(collection, 2, seed=2)
    assert collection.live().answers == 19
    fill(collection, 3, seed=3)
    assert collection.live().answers == 24
    assert collection.status().shown == 20


def test_that_pause_resume_and_close_follow_each_other(collection, place):
    collection.pause()
    with open_collection(place, DESIGN) as other:
        assert other.state is State.PAUSED
        other.resume()
    assert collection.state is State.OPEN
    fill(collection, 7)
    collection.close()
    status = collection.status()
    assert (status.state, status.answers, status.shown) == (State.CLOSED, 7, 7)
    for change in (collection.pause, collection.resume, lambda: collection.make_tokens(3)):
        with pytest.raises(DataError, match=r"answers\.sqlite is closed"):
            change()
    collection.close()
    with pytest.raises(DataError, match="is closed; choose another database or start a new round"):
        start_collection(place, DESIGN)


def test_that_rounds_are_kept_apart_and_may_have_other_designs(collection):
    fill(collection, 40)
    assert collection.new_round() == 2
    fill(collection, 25, seed=2)
    assert collection.new_round(OTHER) == 3
    assert [collection.table(one).rows for one in (1, 2, 3)] == [40, 25, 0]
    assert collection.status().round == 3
    assert collection.design().names == ("smokes",)
    assert collection.design(1).names == DESIGN.names
    assert collection.questionnaire(1).names == DESIGN.names
    with pytest.raises(DataError, match="no round 4"):
        collection.table(4)


def test_that_a_new_round_is_open_only_to_those_who_have_new_tokens(collection):
    old, *_ = collection.make_tokens(2)
    collection.new_round()
    assert collection.status().tokens_left == 0
    first, second = submissions(2)
    spent = [replace(first, token=token_hash(old)), second]
    assert collection.store.write(spent, "2026-05-04") == [Outcome.TOKEN] * 2
    (new,) = collection.make_tokens(1)
    again = replace(first, token=token_hash(new))
    assert collection.store.write([again], "2026-05-04") == [Outcome.STORED]


def test_that_closing_gives_fresh_ids_and_forgets_tokens(collection, place):
    collection.make_tokens(5)
    store = open_store(place)
    assert store.count_tokens() == 5
    store.close()
    with sqlite3.connect(place) as connection:
        connection.execute("UPDATE meta SET tokens = 0")
    connection.close()
    fill(collection, 50)
    sent = {one.id for one in submissions(50, 1)}
    collection.close()
    connection = sqlite3.connect(place)
    assert not sent & {row[0] for row in connection.execute("SELECT id FROM answer")}
    assert connection.execute("SELECT count(*) FROM token").fetchone() == (0,)
    connection.close()
    assert (
        not (place.parent / "answers.sqlite-wal").exists()
        or not (place.parent / "answers.sqlite-wal").stat().st_size
    )
    held = place.read_bytes()
    assert not any(one in held for one in sent)


def test_that_closing_that_was_interrupted_is_taken_up_again(collection, place):
    fill(collection, 20)
    store = open_store(place)
    store.set_state(State.CLOSING)
    store.close()
    assert collection.state is State.CLOSED
    sent = {one.id for one in submissions(20, 1)}
    open_collection(place).disconnect()
    connection = sqlite3.connect(place)
    assert not sent & {row[0] for row in connection.execute("SELECT id FROM answer")}
    assert connection.execute("SELECT state FROM meta").fetchone() == ("closed",)
    connection.close()


def test_that_a_database_of_another_design_is_refused(collection, place):
    with pytest.raises(DataError, match="answers of another design"):
        start_collection(place, OTHER)
    with pytest.raises(DataError, match="answers of another design"):
        open_collection(place, OTHER)


def test_that_a_newer_version_is_refused_and_left_alone(collection, place):
    connection = sqlite3.connect(place)
    connection.execute("UPDATE meta SET version = 2")
    connection.commit()
    connection.close()
    with pytest.raises(DataError, match="made by a newer ppworkbench"):
        open_collection(place)


@pytest.mark.parametrize("content", [b"precious", b"", b"SQLite format 3\0 and more"])
def test_that_other_files_are_refused_and_left_alone(tmp_path, content):
    place = tmp_path / "mine.sqlite"
    place.write_bytes(content)
    assert not is_collection(place)
    with pytest.raises(DataError, match="no database of a collector"):
        open_collection(place)
    assert place.read_bytes() == content


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE mine(a)",
        "CREATE TABLE meta(mine TEXT)",
        "CREATE TABLE meta(format TEXT, version INTEGER)",
        "CREATE TABLE meta(format TEXT, version INTEGER, round INTEGER)",
    ],
)
def test_that_another_program_s_database_is_refused(tmp_path, statement):
    place = tmp_path / "mine.sqlite"
    connection = sqlite3.connect(place)
    connection.execute(statement)
    connection.commit()
    connection.close()
    before = place.read_bytes()
    with pytest.raises(DataError, match="no database of a collector"):
        start_collection(place, DESIGN)
    assert place.read_bytes() == before


def test_that_what_does_not_exist_is_said(tmp_path):
    with pytest.raises(DataError, match="does not exist"):
        open_collection(tmp_path / "none.sqlite")
    with pytest.raises(DataError, match="cannot be written"):
        start_collection(tmp_path / "no" / "folder.sqlite", DESIGN)
    with pytest.raises(DataError, match="is a folder"):
        start_collection(tmp_path, DESIGN)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("a\0b.sqlite", "No file can have this name"),
        ("\ud800.sqlite", "No file can have this name"),
        ("x" * 300, "too long"),
        ("ż" * 125, "too long"),
        ("folder/" * 1000 + "a.sqlite", "too long"),
    ],
)
def test_that_a_name_that_no_file_can_have_is_refused_in_one_sentence(tmp_path, name, said):
    with pytest.raises(DataError, match=said):
        start_collection(tmp_path / name, DESIGN)
    with pytest.raises(DataError, match=said):
        open_collection(tmp_path / name)
    assert not is_collection(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_that_tokens_are_words_of_which_only_hashes_are_kept(collection, place):
    words = collection.make_tokens(200)
    assert len(set(words)) == 200
    assert all(len(word) == 15 for word in words)
    assert collection.status().tokens_left == 200
    held = place.read_bytes() + (place.parent / "answers.sqlite-wal").read_bytes()
    for word in words[:20]:
        assert word.encode() not in held
        assert word.replace("-", "").encode() not in held


def test_that_a_server_is_found_only_while_it_lives(collection, place):
    assert find_server(place) is None
    lock = ServerLock(place)
    assert lock.acquire()
    assert find_server(place) is None
    server = RunningServer(1, 2.0, "http://127.0.0.1:8421", "127.0.0.1", is_secure=False)
    lock.note(server)
    assert find_server(place) == server
    assert collection.status().address == server.address
    assert not ServerLock(place).acquire(0.1)
    lock.release()
    assert find_server(place) is None
    assert not list(place.parent.glob("*.serving*"))


def test_that_commits_are_flushed_to_the_disk(place, monkeypatch):
    # How commits are flushed (2: FULL) only the connection itself can tell.
    connect, made = sqlite3.connect, []
    with start_collection(place, DESIGN):
        monkeypatch.setattr(
            sqlite3,
            "connect",
            lambda *given, **named: made.append(connect(*given, **named)) or made[-1],
        )
        store = open_store(place)
        assert isinstance(store, SqliteStore)
        assert isinstance(store, Store)
        [connection] = made
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
        store.close()


def test_that_ids_that_nobody_sent_are_not_known(place):
    with start_collection(place, DESIGN):
        store = open_store(place)
        assert store.known([secrets.token_bytes(16)]) == {}
        store.close()


DAMAGES = {
    "state": ("UPDATE meta SET state = 'weird'", "the state of a round"),
    "design": ("UPDATE meta SET design = '{}'", "the design"),
    "design that is no JSON": ("UPDATE meta SET design = 'no'", "the design"),
    "questionnaire": ("UPDATE meta SET questionnaire = 'no'", "the questionnaire"),
    "short row": ("UPDATE answer SET row = '0'", "an answer"),
    "code of no value": ("UPDATE answer SET row = '7,0,0,30,1000'", "an answer"),
    "id": ("UPDATE answer SET id = 'text' WHERE id = (SELECT min(id) FROM answer)", "an answer"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_that_what_is_damaged_in_a_database_is_told_in_one_sentence(collection, damage):
    fill(collection, 20)
    change, part = DAMAGES[damage]
    with sqlite3.connect(collection.place) as connection:
        connection.execute(change)
    connection.close()
    read = collection.questionnaire if damage == "questionnaire" else collection.answers_with_ids
    with pytest.raises(DataError) as refused:
        read()
    assert f"{collection.name} is damaged: {part} cannot be read" in str(refused.value)


BEFORE_OPENING = {
    "answer that is no text": (
        "UPDATE answer SET row = CAST(x'ff' AS TEXT) WHERE id = (SELECT min(id) FROM answer)",
        "an answer cannot be read",
    ),
    "no round": ("DELETE FROM meta", "the state of a round cannot be read"),
    "no table of rounds": ("DROP TABLE meta", "the state of a round cannot be read"),
    "other digest": (
        "UPDATE meta SET digest = 'abcdef0123456789'",
        "its design is not the one that people were asked by",
    ),
}


@pytest.mark.parametrize("damage", BEFORE_OPENING)
def test_that_damage_is_told_alike_when_it_is_served_and_when_it_is_read(
    place, tmp_path, capsys, damage
):
    with start_collection(place, DESIGN) as made:
        fill(made, 20)
    change, said = BEFORE_OPENING[damage]
    with sqlite3.connect(place) as connection:
        connection.execute(change)
    connection.close()
    design = tmp_path / "design.json"
    write_design(DESIGN, design)
    for line in (
        ["collect", str(place), "--design", str(design), "--out", str(tmp_path / "out.csv")],
        ["serve", str(place), "--port", "0"],
        ["serve", str(design), "--db", str(place), "--port", "0"],
    ):
        assert main(line) == 1
        told = capsys.readouterr().err.strip()
        assert told.endswith(
            f"The database {place.name} is damaged: {said}. Use a copy from before."
        )
    assert not (tmp_path / "out.csv").exists()


def test_that_another_program_s_database_is_no_text(tmp_path, capsys):
    mine, design = tmp_path / "mine.sqlite", tmp_path / "design.json"
    write_design(DESIGN, design)
    with sqlite3.connect(mine) as connection:
        connection.execute("CREATE TABLE mine(a)")
    connection.close()
    for line in (
        ["collect", str(mine), "--design", str(design), "--out", str(tmp_path / "out.csv")],
        ["serve", str(mine), "--port", "0"],
    ):
        assert main(line) == 1
        told = capsys.readouterr().err
        assert "mine.sqlite is no database of a collector; choose another file." in told


def test_that_counts_notice_an_answer_that_is_damaged(tmp_path):
    design = Design((DESIGN["smokes"], DESIGN["colour"]))
    with start_collection(tmp_path / "few.sqlite", design) as made:
        row = RowCodec(design).encode({"smokes": "yes", "colour": "red"})
        made.store.write([Submission(bytes(16), design_digest(design), row)], "2026-01-01")
        assert made.reported().answers == 1
        for broken in ("1", "1,9", "1,é", "1;1"):
            with sqlite3.connect(made.place) as connection:
                connection.execute("UPDATE answer SET row = ?", (broken,))
            connection.close()
            with pytest.raises(DataError, match="an answer cannot be read"):
                made.reported()
