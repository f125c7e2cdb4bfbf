"""Both databases keep the same promises."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from collecting import DESIGN, DIGEST, Client, body, process, rows, served, submissions
from patience import PATIENCE
from postgres import postgres_server

from ppworkbench.cli.main import main
from ppworkbench.core.design.design_file import write_design
from ppworkbench.core.errors import DataError
from ppworkbench.fieldwork.collector.control import (
    Collection,
    State,
    open_collection,
    open_store,
    start_collection,
)
from ppworkbench.fieldwork.collector.server import CollectorServer, ServeOptions
from ppworkbench.fieldwork.collector.store import Outcome, Submission, token_hash
from ppworkbench.study.files.study_file import open_study, save_study
from ppworkbench.study.study import Study

DAY = "2026-05-04"


@pytest.fixture(scope="module")
def postgres() -> Iterator[Callable[[], str]]:
    with postgres_server() as new_database:
        yield new_database


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.slow)])
def place(request, tmp_path) -> str:
    if request.param == "sqlite":
        return str(tmp_path / "answers.sqlite")
    return request.getfixturevalue("postgres")()


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def collection(place) -> Iterator[Collection]:
    with start_collection(place, DESIGN) as made:
        yield made


def test_that_rows_are_stored_once(collection):
    sent = submissions(30)
    store = collection.store
    assert store.write(sent, DAY) == [Outcome.STORED] * 30
    assert store.write(sent[:5], DAY) == [Outcome.KNOWN] * 5
    other = [Submission(sent[0].id, DIGEST, sent[1].row), *submissions(1, seed=9) * 2]
    assert store.write(other, DAY) == [Outcome.CONFLICT, Outcome.STORED, Outcome.KNOWN]
    assert collection.status().answers == 31
    assert sorted("\n".join(store.lines(1)).split("\n")) == sorted(
        one.row for one in [*sent, *submissions(1, seed=9)]
    )


def test_that_the_state_decides_in_the_transaction(collection):
    store = collection.store
    first, second = submissions(2)
    assert store.write([Submission(first.id, "0" * 16, first.row)], DAY) == [Outcome.DESIGN]
    store.write([first], DAY)
    collection.pause()
    assert store.write([first, second], DAY) == [Outcome.KNOWN, Outcome.PAUSED]
    collection.resume()
    assert store.write([second], DAY) == [Outcome.STORED]
    collection.close()
    assert store.write([first, second], DAY) == [Outcome.CLOSED] * 2
    assert collection.status().answers == 2


def test_that_a_token_is_spent_with_its_row(collection):
    words = collection.make_tokens(3)
    store = collection.store
    hashes = [token_hash(word) for word in words]
    sent = submissions(4)
    batch = [
        Submission(sent[0].id, DIGEST, sent[0].row, hashes[0]),
        Submission(sent[1].id, DIGEST, sent[1].row, hashes[0]),
        Submission(sent[2].id, DIGEST, sent[2].row),
        Submission(sent[3].id, DIGEST, sent[3].row, token_hash("wrong")),
    ]
    assert store.write(batch, DAY) == [Outcome.STORED, *[Outcome.TOKEN] * 3]
    assert store.write(batch[:1], DAY) == [Outcome.KNOWN]
    assert collection.status().tokens_left == 2
    collection.close()
    assert store.count_tokens() == 0


def test_that_refusals_are_counted_by_reason(collection):
    store = collection.store
    store.add_refused(DAY, {"often": 2, "size": 1})
    store.add_refused(DAY, {"often": 3})
    store.add_refused("2026-05-05", {"often": 1})
    assert collection.status().refused == {"often": 6, "size": 1}


def test_that_closing_renews_ids_and_mixes_rows(collection):
    store = collection.store
    sent = submissions(200)
    store.write(sent, DAY)
    before = collection.reported()
    collection.close()
    assert store.known([one.id for one in sent]) == {}
    assert collection.state is State.CLOSED
    after = collection.reported()
    assert {name: found.tolist() for name, found in after.counts.items()} == {
        name: found.tolist() for name, found in before.counts.items()
    }
    assert collection.new_round() == 2
    store.write(sent[:10], DAY)
    assert [collection.table(number).rows for number in (1, 2)] == [200, 10]


def test_that_two_who_use_it_see_each_other(collection, place):
    with open_collection(place, DESIGN) as other:
        assert other.status().answers == 0
        collection.store.write(submissions(12), DAY)
        assert other.status().answers == 12
        assert other.reported().answers == 12
        other.pause()
    assert collection.state is State.PAUSED


def test_that_answers_arrive_whole_while_somebody_reads(collection, place):
    store = open_store(place)
    found = []

    def read() -> None:
        with open_collection(place) as other:
            found.extend(other.table().rows for _ in range(8))

    reader = threading.Thread(target=read)
    reader.start()
    for seed in range(2, 22):
        store.write(submissions(10, seed=seed), DAY)
    reader.join()
    store.close()
    assert all(count % 10 == 0 for count in found)
    assert found == sorted(found)
    assert collection.status().answers == 200


@pytest.mark.slow
def test_that_the_server_works_with_it(collection, place):
    with served(place) as address:
        client = Client(address)
        sent = body(rows(1)[0], b"\1" * 16)
        assert [client.post(sent).status for _ in range(2)] == [204, 204]
        assert client.post(b"{}").status == 422
        with pytest.raises(DataError, match="already served by another process"):
            CollectorServer(collection.store, ServeOptions(port=0), print).run()
        collection.close()
        assert client.post(body(rows(1)[0], b"\2" * 16)).status == 410
        client.close()
    assert collection.status().answers == 1
    assert collection.status().refused["answers"] == 1


def added(capsys, *arguments: str) -> dict[str, Any]:
    status = main(["add", *arguments, "--state", "reported", "--json"])
    said = capsys.readouterr()
    assert status == 0, said.err
    return json.loads(said.out)


def test_that_only_what_is_new_is_added_a_second_time(collection, place, tmp_path, capsys):
    study = str(tmp_path / "study.ppw")
    save_study(Study("survey", design=DESIGN), study)
    collection.store.write(submissions(30), DAY)
    first = added(capsys, study, place)
    assert (first["rows"], first["left_out"]["known"]) == (30, 0)
    again = added(capsys, study, place)
    assert (again["rows"], again["left_out"]["known"]) == (0, 30)
    collection.store.write(submissions(12, seed=2), DAY)
    more = added(capsys, study, place)
    assert (more["rows"], more["left_out"]["known"]) == (12, 30)
    assert open_study(Path(study)).distorted.rows == 42
    # Closing gives every answer another id, so that nobody can tell which ones are new.
    collection.close()
    before = Path(study).read_bytes()
    assert main(["add", study, place, "--state", "reported"]) == 1
    assert "was closed after some of its answers were added" in capsys.readouterr().err
    assert Path(study).read_bytes() == before
    fresh = str(tmp_path / "fresh.ppw")
    save_study(Study("survey", design=DESIGN), fresh)
    assert added(capsys, fresh, place)["rows"] == 42
    assert added(capsys, fresh, place)["left_out"]["known"] == 42


def test_that_a_database_is_collected_into_a_table(collection, place, tmp_path, capsys):
    write_design(DESIGN, tmp_path / "design.json")
    collection.store.write(submissions(25), DAY)
    out = tmp_path / "table.csv"
    given = ["collect", place, "--design", str(tmp_path / "design.json"), "--out", str(out)]
    assert main([*given, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == 25
    assert len(out.read_text().splitlines()) == 26


@pytest.mark.slow
def test_that_a_postgres_database_of_others_is_refused(postgres):
    import sqlalchemy

    url = postgres()
    with pytest.raises(DataError, match="no database of a collector"):
        open_collection(url)
    engine = sqlalchemy.create_engine(url)
    with engine.begin() as connection:
        connection.execute(sqlalchemy.text("CREATE TABLE meta(mine TEXT)"))
    engine.dispose()
    with pytest.raises(DataError, match="no database of a collector"):
        start_collection(url, DESIGN)
    gone = url.replace("/c", "/nowhere", 1)
    with pytest.raises(DataError, match="cannot be used: "):
        open_collection(gone)


@pytest.mark.slow
def test_that_a_newer_version_in_postgres_is_refused(postgres):
    import sqlalchemy

    url = postgres()
    start_collection(url, DESIGN).disconnect()
    engine = sqlalchemy.create_engine(url)
    with engine.begin() as connection:
        connection.execute(sqlalchemy.text("UPDATE meta SET version = 2"))
    engine.dispose()
    with pytest.raises(DataError, match="made by a newer ppworkbench"):
        open_collection(url)


@pytest.mark.slow
def test_that_a_postgres_server_that_was_away_is_used_again(postgres):
    import sqlalchemy

    url = postgres()
    start_collection(url, DESIGN).disconnect()
    name = url.rpartition("@/")[2].partition("?")[0]
    engine = sqlalchemy.create_engine(
        url.replace(f"/{name}?", "/postgres?"), isolation_level="AUTOCOMMIT"
    )
    end = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"
    allow = f"ALTER DATABASE {name} ALLOW_CONNECTIONS {{}}"
    with served(url) as address, engine.connect() as other:
        client = Client(address)
        sent = body(rows(1)[0], b"\1" * 16)
        other.execute(sqlalchemy.text(allow.format("false")))
        other.execute(sqlalchemy.text(end))
        assert [client.post(sent).status for _ in range(2)] == [503, 503]
        other.execute(sqlalchemy.text(allow.format("true")))
        assert client.post(sent).status == 204
        client.close()
        # Another name of the same database: only the lock inside of it tells that it is served.
        with open_collection(url.replace("postgres@", "postgres:@")) as second:
            assert not second.store.try_serve()
    engine.dispose()


@pytest.mark.slow
@pytest.mark.parametrize("is_gone", [True, False], ids=["gone", "silent"])
def test_that_a_server_ends_whose_database_does_not_answer(postgres, tmp_path, is_gone):
    import sqlalchemy

    write_design(DESIGN, tmp_path / "design.json")
    url = postgres()
    name = url.rpartition("@/")[2].partition("?")[0]
    elsewhere = url.replace(f"/{name}?", "/postgres?")
    gone = (
        f"ALTER DATABASE {name} ALLOW_CONNECTIONS false",
        f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'",
    )
    # Whoever reads or writes then waits without end.
    silent = ("BEGIN", "LOCK TABLE meta, answer IN ACCESS EXCLUSIVE MODE")
    engine = sqlalchemy.create_engine(elsewhere if is_gone else url, isolation_level="AUTOCOMMIT")
    with (
        process(str(tmp_path / "design.json"), "--db", url) as (child, address),
        engine.connect() as other,
    ):
        client = Client(address)
        assert client.post(body(rows(1)[0], b"\1" * 16)).status == 204
        for command in gone if is_gone else silent:
            other.execute(sqlalchemy.text(command))
        waiting = Client(address)
        waiting.start(body(rows(1)[0], b"\2" * 16))
        time.sleep(1)
        child.terminate()
        out, err = child.communicate(timeout=PATIENCE)
        assert child.returncode == 0, err
        assert json.loads(out.splitlines()[-1]) == {"event": "closed", "answers": 1}
        client.close()
        waiting.close()
    engine.dispose()


@pytest.mark.slow
def test_that_a_password_is_never_said(postgres, capsys):
    url = postgres().replace("postgres@", "postgres:s3cret@")
    start_collection(url, DESIGN).disconnect()
    said: list[object] = []
    with open_collection(url) as collection:
        server = CollectorServer(
            collection.store, ServeOptions(port=0, until=datetime.now().astimezone()), said.append
        )
        server.run()
        said.append(collection.name)
    for wrong in (url.replace("/c", "/nowhere", 1), url.split("?")[0] + "?password=s3cret&port=x"):
        with pytest.raises(DataError) as refused:
            open_collection(wrong)
        said.append(refused.value)
    assert "s3cret" not in str(said) + "".join(capsys.readouterr())
