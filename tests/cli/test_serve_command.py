"""The command serve says what it does, ends as it is asked to, and refuses with one sentence."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest
from collecting import (
    DESIGN,
    QUESTIONS,
    ROOT,
    Client,
    bodies,
    body,
    flood,
    ids,
    process,
    rows,
    served,
)
from examples import sweep
from patience import PATIENCE, until

from ppworkbench.cli.commands import serve_command
from ppworkbench.cli.main import build_parser, main
from ppworkbench.core.design import Design, DesignedAttribute, Uniform
from ppworkbench.core.design.budget import DesignBudget
from ppworkbench.core.design.design_file import write_design
from ppworkbench.core.errors import DataError
from ppworkbench.fieldwork.collector import connection, server
from ppworkbench.fieldwork.collector.control import (
    State,
    find_server,
    open_collection,
    open_store,
    start_collection,
    start_server,
    stop_server,
)
from ppworkbench.fieldwork.collector.server import ServeOptions, open_socket


@pytest.fixture
def design(tmp_path):
    write_design(DESIGN, tmp_path / "design.json")
    return tmp_path / "design.json"


@pytest.fixture
def database(tmp_path):
    return tmp_path / "answers.sqlite"


@pytest.fixture
def soon(monkeypatch):
    """A time to come, also for a command that takes long to look at the clock."""
    begun = datetime.now().astimezone()

    class Begun(datetime):
        @classmethod
        def now(cls, tz=None):
            return begun

    monkeypatch.setattr(serve_command, "datetime", Begun)
    return lambda seconds: (datetime.now().astimezone() + timedelta(seconds=seconds)).isoformat()


@pytest.mark.slow
def test_that_it_serves_until_its_time_and_closes_the_collection(design, database, capsys, soon):
    given = ["serve", str(design), "--db", str(database), "--port", "0", "--until", soon(0.8)]
    assert main([*given, "--json"]) == 0
    first, *_, last = map(json.loads, capsys.readouterr().out.splitlines())
    assert first["event"] == "ready"
    assert first["address"].startswith("http://127.0.0.1:")
    assert first["database"] == str(database)
    assert last == {"event": "closed", "answers": 0}
    with open_collection(database) as collection:
        assert collection.state is State.CLOSED
    assert find_server(database) is None
    # A closed collection is not opened again by accident.
    assert main([*given[:6], "--until", soon(60)]) == 1
    assert "is closed; choose another database" in capsys.readouterr().err


@pytest.mark.slow
def test_that_a_collector_loads_no_more_than_it_needs(design, database):
    # It may run for weeks on a small computer: these libraries would triple its memory.
    program = (
        "import sys; from ppworkbench.cli.main import main; status = main(sys.argv[1:]);"
        " print([one for one in ('pandas', 'pyarrow', 'scipy.optimize') if one in sys.modules])"
    )
    given = ["serve", str(design), "--db", str(database), "--port", "0", "--json"]
    with subprocess.Popen(
        [sys.executable, "-c", program, *given], stdout=subprocess.PIPE, text=True
    ) as started:
        assert started.stdout is not None
        assert json.loads(started.stdout.readline())["event"] == "ready"
        started.send_signal(signal.SIGTERM)
        assert started.stdout.read().splitlines()[-1] == "[]"


@pytest.mark.slow
def test_that_tokens_are_made_written_and_asked_for(design, database, tmp_path, capsys, soon):
    slips = tmp_path / "slips.csv"
    given = ["serve", str(design), "--db", str(database), "--port", "0"]
    making = [*given, "--make-tokens", "5", "--tokens", str(slips), "--until", soon(0.8)]
    assert main(making) == 0
    said = capsys.readouterr()
    assert "Let people draw slips from a bowl." in said.err
    header, *words = slips.read_text().split()
    assert header == "token"
    assert len(set(words)) == 5
    assert slips.stat().st_mode & 0o077 == 0
    # What is there is not replaced.
    assert main([*given, "--make-tokens", "5", "--tokens", str(slips)]) == 1
    assert "exists;" in capsys.readouterr().err
    other = tmp_path / "other.sqlite"
    page = tmp_path / "slips.html"
    making = ["--make-tokens", "3", "--tokens", str(page), "--until", soon(0.8)]
    assert main(["serve", str(design), "--db", str(other), "--port", "0", *making]) == 0
    assert page.read_text().count("<li>") == 3


@pytest.mark.slow
def test_that_a_list_of_tokens_is_taken_once(design, database, tmp_path, capsys, soon):
    words = tmp_path / "words.txt"
    words.write_text("first\nsecond\n")
    given = ["serve", str(design), "--db", str(database), "--port", "0", "--tokens", str(words)]
    assert main([*given, "--until", soon(0.8)]) == 0
    assert "has its tokens already" not in capsys.readouterr().err
    with open_collection(database) as collection:
        assert collection.needs_token
        collection.new_round()
        collection.make_tokens(1)
    assert main([*given, "--until", soon(0.8)]) == 0
    assert "has its tokens already" in capsys.readouterr().err
    with open_collection(database) as collection:
        collection.new_round()
    assert main([*given, "--until", soon(0.8)]) == 0
    assert "has its tokens already" not in capsys.readouterr().err
    words.write_text("")
    fresh = tmp_path / "fresh.sqlite"
    given = ["serve", str(design), "--db", str(fresh), "--port", "0", "--tokens", str(words)]
    assert main(given) == 1
    assert "holds no list of tokens" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "status", "said"),
    [
        ("--until 2020-01-01T00:00", 1, "The time of --until is over"),
        ("--until never", 2, "a time is written as"),
        ("--port 70000", 2, "a port is a number"),
        ("--cert {design}", 2, "--cert and --key go together"),
        ("--cert {design} --key {design}", 1, "cannot be used"),
        ("--behind-proxy here", 1, "no address of a proxy"),
        ("--allow-origin example.org", 1, "no address of a site"),
        ("--allow-origin https://example.org/in", 1, "no address of a site"),
        ("--make-tokens 0 --tokens {new}", 2, "tokens are 1 to"),
        ("--make-tokens 3", 2, "Name a file for the tokens"),
        ("--make-tokens 3 --tokens {new}", 1, "ends in .csv, .html"),
        ("--host 192.0.2.7", 1, "not an address of this computer"),
        ("--tokens {new}", 1, "cannot be read"),
        ("--questions {design}", 1, "It is no questionnaire"),
        ("--make-tokens 3 --tokens {new}/in/slips.csv", 1, "cannot be written"),
    ],
)
def test_that_bad_options_are_refused_with_one_sentence(
    design, database, tmp_path, capsys, options, status, said
):
    words = options.format(design=design, new=tmp_path / "new.txt").split()
    assert main(["serve", str(design), "--db", str(database), "--port", "0", *words]) == status
    told = capsys.readouterr()
    assert said in told.err
    assert told.err.count("\n") == 1
    assert told.out == ""
    assert [*tmp_path.iterdir()] == [design], "a refused start leaves something behind"


def test_that_a_refused_kiosk_leaves_no_database_behind(tmp_path, capsys):
    waves = Design(
        (DesignedAttribute(QUESTIONS[0], Uniform(keep=0.6)),),
        budget=DesignBudget(waves=2, memoise=True),
    )
    write_design(waves, tmp_path / "design.json")
    given = ["serve", str(tmp_path / "design.json"), "--db", str(tmp_path / "answers.sqlite")]
    assert main([*given, "--port", "0", "--kiosk"]) == 1
    assert "cannot be asked at a kiosk" in capsys.readouterr().err
    assert [one.name for one in tmp_path.iterdir()] == ["design.json"]
    # One that was there stays as it is.
    start_collection(given[3], waves).disconnect()
    assert main([*given, "--port", "0", "--kiosk"]) == 1
    with open_collection(given[3]) as collection:
        assert collection.state is State.OPEN


@pytest.mark.parametrize(
    "options", [["--host", "192.0.2.7"], ["--until", "2020-01-01T00:00"], ["--port", "70000"]]
)
def test_that_an_empty_file_stays_empty_when_a_start_is_refused(
    design, database, tmp_path, options, capsys
):
    database.touch(0o600)
    before = database.stat()
    assert main(["serve", str(design), "--db", str(database), "--port", "0", *options]) != 0
    after = database.stat()
    assert (after.st_size, after.st_ino, after.st_mode) == (0, before.st_ino, before.st_mode)
    assert {*tmp_path.iterdir()} == {design, database}
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("place", ["an\0swers.sqlite", "postgresql+psycopg://me@db/an\0swers"])
def test_that_a_name_that_nothing_can_have_is_refused_with_one_sentence(place):
    with pytest.raises(DataError, match="choose another one"):
        start_server(place)
    if "://" not in place:
        for ask in (find_server, stop_server):
            with pytest.raises(DataError, match="No file can have this name"):
                ask(place)
    with pytest.raises(DataError, match="a character that none can have"):
        start_server("answers.sqlite", ["--host", "127.0\0.0.1"])


def test_that_databases_that_do_not_fit_are_refused(design, database, tmp_path, capsys):
    assert main(["serve", str(design)]) == 2
    assert "with --db" in capsys.readouterr().err
    other = Design((DesignedAttribute(QUESTIONS[0], Uniform(keep=0.6)),))
    start_collection(database, other).disconnect()
    before = database.read_bytes()
    assert main(["serve", str(design), "--db", str(database), "--port", "0"]) == 1
    assert "answers of another design" in capsys.readouterr().err
    assert database.read_bytes() == before
    mine = tmp_path / "mine.txt"
    mine.write_text("precious")
    assert main(["serve", str(design), "--db", str(mine), "--port", "0"]) == 1
    assert "no database of a collector" in capsys.readouterr().err
    assert mine.read_text() == "precious"
    assert main(["serve", str(design), "--db", str(design)]) == 1
    assert "is an input of this command" in capsys.readouterr().err
    assert main(["serve", str(design), "--db", "mysql://here/there", "--port", "0"]) == 1
    assert "begins with 'postgresql+psycopg://'" in capsys.readouterr().err


def test_that_a_port_in_use_is_said_with_a_free_one(design, database, capsys):
    with open_socket("127.0.0.1", 0) as taken:
        port = str(taken.getsockname()[1])
        assert main(["serve", str(design), "--db", str(database), "--port", port]) == 1
    assert not database.exists()
    assert f"Port {port} is in use. Try " in capsys.readouterr().err


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """Makes a certificate and its key for some names and days."""
    if shutil.which("openssl") is None:
        pytest.skip("needs openssl to make certificates")

    def make(names: str, days: int) -> tuple[str, str]:
        folder = tmp_path_factory.mktemp("tls")
        (folder / "names").write_text(f"subjectAltName={names}")
        kind = "ec -pkeyopt ec_paramgen_curve:prime256v1"
        for command in (
            f"req -newkey {kind} -nodes -keyout key.pem -subj /CN=collector -out asked.pem",
            f"x509 -req -in asked.pem -signkey key.pem -days {days} -extfile names -out cert.pem",
        ):
            subprocess.run(
                ["openssl", *command.split()], cwd=folder, check=True, capture_output=True
            )
        return str(folder / "cert.pem"), str(folder / "key.pem")

    return make


@pytest.mark.slow
def test_that_certificates_that_browsers_refuse_are_refused(
    design, database, certificate, capsys, soon
):
    given = ["serve", str(design), "--db", str(database), "--port", "0"]
    expired, key = certificate("IP:127.0.0.1", -1)
    assert main([*given, "--cert", expired, "--key", key]) == 1
    assert "cert.pem is expired" in capsys.readouterr().err
    other, key = certificate("DNS:survey.example", 30)
    assert main([*given, "--cert", other, "--key", key]) == 1
    assert "is for another host than '127.0.0.1'" in capsys.readouterr().err
    good, own = certificate("IP:127.0.0.1", 30)
    assert main([*given, "--cert", good, "--key", key]) == 1
    assert "cannot be used" in capsys.readouterr().err
    assert not database.exists()
    assert main([*given, "--cert", good, "--key", own, "--until", soon(0.8), "--json"]) == 0
    assert '"address": "https://127.0.0.1:' in capsys.readouterr().out


@pytest.mark.slow
def test_that_who_agrees_on_no_key_is_cut_off(database, certificate, monkeypatch):
    monkeypatch.setattr(connection, "REQUEST_SECONDS", 0.5)
    start_collection(database, DESIGN).disconnect()
    cert, key = certificate("IP:127.0.0.1", 30)
    with served(database, ServeOptions(port=0, cert=cert, key=key)) as address:
        told = urlsplit(address)
        with socket.create_connection((told.hostname, told.port), timeout=PATIENCE) as client:
            assert client.recv(1) == b""


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="Windows has no time zones of our own")
def test_that_a_time_of_tomorrow_is_that_of_the_clock_then(design, monkeypatch):
    class EveningBefore(datetime):
        @classmethod
        def now(cls, tz=None):
            return datetime(2026, 10, 24, 20, 0, tzinfo=tz)

    monkeypatch.setattr(serve_command, "datetime", EveningBefore)
    # Where clocks go back by an hour in the night of 25 October.
    monkeypatch.setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")
    time.tzset()
    try:
        given = ["serve", str(design), "--db", "answers.sqlite", "--until", "18:00"]
        until = build_parser().parse_args(given).until
        assert until == datetime(2026, 10, 25, 17, 0, tzinfo=UTC)
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
def test_that_a_server_that_is_to_outlive_its_terminal_does(design, database):
    def ignore() -> None:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    with process(str(design), "--db", str(database), preexec_fn=ignore) as (child, address):
        child.send_signal(signal.SIGHUP)
        time.sleep(1)
        client = Client(address)
        assert client.post(body(rows(1)[0], b"\1" * 16)).status == 204
        client.close()
        child.terminate()
        assert child.wait(PATIENCE) == 0


@pytest.mark.slow
def test_that_https_is_spoken_with_a_certificate(design, database, certificate):
    cert, key = certificate("IP:127.0.0.1,DNS:localhost", 30)
    with process(str(design), "--db", str(database), "--cert", cert, "--key", key) as (_, address):
        trusted = ssl.create_default_context(cafile=cert)
        trusted.verify_flags |= ssl.VerifyFlags.VERIFY_X509_PARTIAL_CHAIN
        with urlopen(address, context=trusted) as page:
            assert page.status == 200


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_that_a_signal_ends_it_with_all_that_was_acknowledged(design, database, number):
    if signal.getsignal(number) is signal.SIG_IGN:
        pytest.skip("this run ignores the signal, as all do that nohup starts")
    stored = []
    given = [str(design), "--db", str(database), "--behind-proxy", "127.0.0.1"]
    with process(*given) as (child, address):

        def on_reply(place: int, status: int) -> None:
            if status == 204:
                stored.append(place)
            if len(stored) == 500:
                child.send_signal(number)

        asyncio.run(flood(address, bodies(4_000), 20, on_reply))
        out, err = child.communicate(timeout=PATIENCE)
        assert child.returncode == 0, err
        last = json.loads(out.splitlines()[-1])
    assert last["event"] == "closed"
    with open_collection(database) as collection:
        assert collection.state is State.OPEN
        assert collection.status().answers == last["answers"] >= len(stored) >= 500
        known = collection.store.known(ids(4_000))
        assert all(ids(4_000)[place] in known for place in stored)


@pytest.mark.slow
def test_that_who_cannot_serve_changes_nothing_for_who_does(design, database, tmp_path, capsys):
    slips = tmp_path / "slips.csv"
    given = ["serve", str(design), "--db", str(database), "--make-tokens", "3", "--tokens"]
    with process(str(design), "--db", str(database)) as (_, address):
        assert main([*given, str(slips), "--port", "0"]) == 1
        assert "already served by another process" in capsys.readouterr().err
        assert not slips.exists()
        client = Client(address)
        assert client.post(body(rows(1)[0], b"\1" * 16)).status == 204
        client.close()


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows keeps what is open")
def test_that_nothing_is_acknowledged_once_the_database_has_lost_its_name(design, database):
    moved = database.with_name("moved.sqlite")
    first, second = (body(rows(1)[0], bytes([place]) * 16) for place in (1, 2))
    with process(str(design), "--db", str(database)) as (child, address):
        client = Client(address)
        assert client.post(first).status == 204
        database.rename(moved)
        assert client.post(second).status == 503
        moved.rename(database)
        assert client.post(second).status == 204
        database.unlink()
        assert client.post(body(rows(1)[0], b"\3" * 16)).status == 503
        client.close()
        child.terminate()
        _, said = child.communicate(timeout=PATIENCE)
        assert child.returncode == 1
    sentence = "The database answers.sqlite cannot be used now: it was moved, replaced or deleted."
    assert said.splitlines()[0] == f"Note: {sentence}"
    assert sentence in said.splitlines()[-1]


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps what is open")
def test_that_a_server_without_a_database_says_so_and_ends(tmp_path, monkeypatch):
    monkeypatch.setattr(server, "_LOST_SECONDS", 0.0)
    place = tmp_path / "folder" / "answers.sqlite"
    place.parent.mkdir()
    said: list[dict[str, object]] = []
    with start_collection(place, DESIGN) as collection:
        options = server.ServeOptions(port=0)

        def report(event: dict[str, object]) -> None:
            said.append(event)
            if event["event"] == "ready":
                shutil.rmtree(place.parent)

        with pytest.raises(DataError, match="moved, replaced or deleted"):
            server.CollectorServer(open_store(collection.place), options, report).run()
    assert [event["event"] for event in said] == ["ready", "trouble", "trouble"]
    assert str(said[-1]["why"]).startswith("The collector ends: the database answers.sqlite")
    assert find_server(place) is None


@pytest.mark.slow
def test_that_a_server_outlives_who_started_it_and_is_found_again(design, database):
    start_collection(database, DESIGN).disconnect()
    code = (
        "import sys; from ppworkbench.fieldwork.collector.control import start_server; "
        "print(start_server(sys.argv[1], ['--port', '0']).address)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(database)],
        env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    found = find_server(database)
    try:
        assert found is not None
        assert found.address == done.stdout.strip()
        client = Client(found.address)
        assert client.post(body(rows(1)[0], b"\1" * 16)).status == 204
        client.close()
        with open_collection(database) as collection:
            assert collection.status().address == found.address
    finally:
        assert stop_server(database)
    assert find_server(database) is None


@pytest.mark.slow
def test_that_what_keeps_a_server_from_starting_is_said_by_who_starts_it(database):
    start_collection(database, DESIGN).disconnect()
    with pytest.raises(DataError, match="not an address of this computer"):
        start_server(database, ["--host", "192.0.2.7"])


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="the programs here are scripts of a shell")
@pytest.mark.parametrize("is_bundle", sweep([False, True], quick=1), ids=["environment", "bundle"])
def test_that_a_server_is_known_by_who_started_it_through_another_program(
    is_bundle, database, tmp_path, monkeypatch
):
    # As on Windows: an environment starts its Python as another process, and in a bundle the
    # program of the window has no standard output.
    start_collection(database, DESIGN).disconnect()
    launcher = tmp_path / ("ppworkbench" if is_bundle else "python")
    words = "-m ppworkbench" if is_bundle else ""
    launcher.write_text(f'#!/bin/sh\n"{sys.executable}" {words} "$@"\nexit $?\n')
    launcher.chmod(0o755)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setattr(sys, "frozen", is_bundle, raising=False)
    name = "ppworkbench-window" if is_bundle else "python"
    monkeypatch.setattr(sys, "executable", str(tmp_path / name))
    try:
        server = start_server(database, ["--port", "0"])
        assert find_server(database) == server
    finally:
        assert stop_server(database)


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="the program here is a script of a shell")
def test_that_a_server_that_does_not_start_in_time_leaves_no_process(
    database, tmp_path, monkeypatch
):
    launcher, noted = tmp_path / "python", tmp_path / "number"
    launcher.write_text(f'#!/bin/sh\nsleep 600 &\necho $! > "{noted}"\nwait\n')
    launcher.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(launcher))
    monkeypatch.setattr("ppworkbench.fieldwork.collector.serving._START_SECONDS", 1.0)
    with pytest.raises(DataError, match="did not start in time"):
        start_server(database)

    def is_gone() -> bool:
        command = ["ps", "-o", "stat=", "-p", noted.read_text().strip()]
        said = subprocess.run(command, capture_output=True, text=True, check=False)
        return said.stdout.strip()[:1] in ("", "Z")

    until(is_gone)


LOADED = """
import sys
from ppworkbench.cli.commands import serve_command
from ppworkbench.fieldwork.collector import control, server
print(*sorted({"pandas", "pyarrow", "scipy", "openpyxl", "PySide6"} & set(sys.modules)))
"""


@pytest.mark.slow
def test_that_a_collector_starts_without_libraries_that_it_does_not_need():
    done = subprocess.run(
        [sys.executable, "-c", LOADED], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == ""
