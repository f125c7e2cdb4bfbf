"""All collectors of an account are found, whoever started them, and can be stopped."""

from __future__ import annotations

import json
import os
import signal
import stat
import time
from pathlib import Path

import pytest
from collecting import DESIGN, served
from patience import PATIENCE

from ppworkbench.fieldwork.collector.control import (
    find_server,
    running_servers,
    start_collection,
    start_server,
    stop_listed,
)


@pytest.fixture
def own_folder(tmp_path, monkeypatch):
    """The folder in which the account has its notes."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("LOCALAPPDATA", raising=False)
    return tmp_path / "state" / "ppworkbench"


def begun(place: Path) -> Path:
    start_collection(place, DESIGN).disconnect()
    return place


def test_that_running_servers_are_listed_until_they_end(tmp_path, own_folder):
    first, second = begun(tmp_path / "first.sqlite"), begun(tmp_path / "second.sqlite")
    assert running_servers() == ()
    with served(first) as address:
        assert [one.server.address for one in running_servers()] == [address]
        with served(second):
            found = running_servers()
            assert [one.name for one in found] == ["first.sqlite", "second.sqlite"]
            assert {one.folder for one in found} == {str(tmp_path)}
        assert [one.name for one in running_servers()] == ["first.sqlite"]
    assert running_servers() == ()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_that_only_the_owner_reads_what_is_listed(tmp_path, own_folder):
    with served(begun(tmp_path / "answers.sqlite")):
        notes = list((own_folder / "collectors").iterdir())
        assert [stat.S_IMODE(one.stat().st_mode) for one in notes] == [0o600]
        assert stat.S_IMODE((own_folder / "collectors").stat().st_mode) == 0o700


def test_that_damaged_notes_are_passed_over(tmp_path, own_folder):
    with served(begun(tmp_path / "answers.sqlite")):
        folder = own_folder / "collectors"
        for place, words in enumerate(("", "[]", "{", json.dumps({"record": 3}))):
            (folder / f"{place}.json").write_text(words)
        assert [one.name for one in running_servers()] == ["answers.sqlite"]


@pytest.mark.slow
def test_that_another_process_is_stopped_and_a_killed_one_forgotten(tmp_path, own_folder):
    place = begun(tmp_path / "answers.sqlite")
    start_server(place, ["--port", "0"])
    (found,) = running_servers()
    assert found.server == find_server(place)
    assert stop_listed(found)
    assert running_servers() == ()
    killed = start_server(place, ["--port", "0"])
    os.kill(killed.pid, signal.SIGKILL if os.name != "nt" else signal.SIGTERM)
    limit = time.monotonic() + PATIENCE
    while running_servers() and time.monotonic() < limit:
        time.sleep(0.05)
    assert list((own_folder / "collectors").iterdir()) == []
