"""Under load, kills and a full disk nothing that was acknowledged is lost.

Larger figures: ``python -m tests.benchmarks.collector``.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from collecting import DESIGN, ROOT, bodies, flood, ids, process

from ppworkbench.core.design.design_file import write_design
from ppworkbench.fieldwork.collector.control import open_collection

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals and limits"),
]
PROXY = ("--behind-proxy", "127.0.0.1")


@pytest.fixture
def given(tmp_path):
    write_design(DESIGN, tmp_path / "design.json")
    return [str(tmp_path / "design.json"), "--db", str(tmp_path / "answers.sqlite"), *PROXY]


@pytest.fixture
def database(tmp_path):
    return tmp_path / "answers.sqlite"


def integrity(database) -> str:
    connection = sqlite3.connect(database)
    try:
        return connection.execute("PRAGMA integrity_check").fetchone()[0]
    finally:
        connection.close()


def test_that_ten_thousand_answers_are_stored(given, database):
    sent = bodies(10_000)
    replies: dict[int, int] = {}
    with process(*given) as (_, address):
        asyncio.run(flood(address, sent, 30, replies.__setitem__))
    assert len(replies) == 10_000
    assert set(replies.values()) == {204}
    with open_collection(database) as collection:
        assert collection.status().answers == 10_000
        assert collection.reported().answers == 10_000
    assert integrity(database) == "ok"


def test_that_a_kill_loses_nothing_that_was_acknowledged(given, database):
    rng = np.random.default_rng(int(time.time()))
    acknowledged: set[bytes] = set()
    for round_ in range(4):
        seed = 100 + round_
        known = ids(8_000, seed)
        with process(*given) as (child, address):
            timer = threading.Timer(float(rng.uniform(0.1, 0.8)), child.kill)
            timer.start()

            def on_reply(place: int, status: int, known: list[bytes] = known) -> None:
                if status == 204:
                    acknowledged.add(known[place])

            asyncio.run(flood(address, bodies(8_000, seed), 30, on_reply))
            timer.join()
    assert acknowledged
    assert integrity(database) == "ok"
    with open_collection(database) as collection:
        assert len(collection.store.known([*acknowledged])) == len(acknowledged)
        assert collection.table().rows >= len(acknowledged)


def test_that_a_full_disk_is_said_and_loses_nothing(given, database):
    import resource

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))

    replies: dict[int, int] = {}
    with process(*given, preexec_fn=limit) as (child, address):
        asyncio.run(flood(address, bodies(6_000), 10, replies.__setitem__))
        assert child.poll() is None
    assert len(replies) == 6_000
    assert set(replies.values()) == {204, 503}
    stored = [ids(6_000)[place] for place, status in replies.items() if status == 204]
    assert integrity(database) == "ok"
    with open_collection(database) as collection:
        assert len(collection.store.known(stored)) == len(stored)
        # A commit that failed may be there or not; the page sends the same id again.
        assert collection.status().answers >= len(stored)


def test_that_a_disk_without_room_for_a_database_is_said_and_nothing_is_left(given, database):
    import resource

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, 1_000))

    done = subprocess.run(
        [sys.executable, "-m", "ppworkbench", "serve", *given, "--port", "0"],
        env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False,
        preexec_fn=limit,
    )  # fmt: skip
    assert done.returncode == 1
    assert "answers.sqlite cannot be opened: " in done.stderr
    assert done.stderr.count("\n") == 1
    assert [*database.parent.glob("answers*")] == []


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_that_memory_stays_small(given):
    with process(*given) as (child, address):
        asyncio.run(flood(address, bodies(3_000), 100, lambda *_: None))
        told = Path(f"/proc/{child.pid}/status").read_text(encoding="utf-8")
        used = int(told.split("VmRSS:")[1].split()[0]) / 1024
    assert used < 150, f"{used:.0f} MB"
