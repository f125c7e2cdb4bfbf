"""How many answers a collector takes, how fast, and that it loses none of them.

    python -m tests.benchmarks.collector [-o rate,wide,once,million,postgres,kills] [-s 60] [-k 200]

All of it takes about seven minutes on two idle cores; ``-o rate -s 10`` gives a first figure. The
disk's flush time stands beside each one: no rate can be compared without it. The load generator
runs on the same computer, and what it takes itself is said.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import math
import os
import secrets
import sqlite3
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from collecting import body, flood, process
from designs import COLOURS
from postgres import postgres_server, why_not

from ppworkbench.core.design import Design, DesignedAttribute, Uniform
from ppworkbench.core.design.design_file import design_digest, write_design
from ppworkbench.fieldwork.collector.control import open_collection, start_collection
from ppworkbench.fieldwork.collector.store import Submission

QUESTIONS = Design(
    tuple(
        DesignedAttribute(COLOURS.with_(name=f"question_{place}"), Uniform(keep=0.7))
        for place in range(10)
    )
)
PROXY = ("--behind-proxy", "127.0.0.1")


class Bodies(Sequence[bytes]):
    """As many different submissions as are asked for, of a few rows."""

    def __init__(self, count: int, seed: str = "") -> None:
        rng = np.random.default_rng(1)
        self._count = count
        self._seed = seed or secrets.token_hex(8)
        digest = design_digest(QUESTIONS)
        made = []
        for _ in range(100):
            row = {name: str(rng.choice(COLOURS.values)) for name in QUESTIONS.names}
            made.append(body(row, b"\0" * 16, design=digest)[41:])
        self._tails = made

    def __len__(self) -> int:
        return self._count

    def id(self, place: int) -> bytes:
        return hashlib.sha256(f"{self._seed} {place}".encode()).digest()[:16]

    def __getitem__(self, place: int) -> bytes:
        if place >= self._count:
            raise IndexError(place)
        return b'{"id": "' + self.id(place).hex().encode() + b'"' + self._tails[place % 100]


def flush_times(folder: Path, count: int = 200) -> str:
    """How long the disk takes to write 4 KiB for good: median and 99th percentile."""
    taken = []
    with (folder / "flush").open("wb", buffering=0) as file:
        for _ in range(count):
            began = time.perf_counter()
            file.write(b"x" * 4096)
            os.fsync(file.fileno())
            taken.append(1000 * (time.perf_counter() - began))
    return f"flush {np.median(taken):.2f} ms, p99 {np.quantile(taken, 0.99):.1f} ms"


def memory(pid: int) -> float:
    told = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return int(told.split("VmRSS:")[1].split()[0]) / 1024


def processor(pid: int) -> float:
    told = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").split()
    return (int(told[13]) + int(told[14])) / os.sysconf("SC_CLK_TCK")


def said(name: str, folder: Path, text: str) -> None:
    load = os.getloadavg()[0]
    print(f"{name}: {text} ({flush_times(folder)}; load average {load:.1f})", flush=True)


def measure(
    place: str, folder: Path, connections: int, seconds: float, count: int = 10**7
) -> tuple[str, int]:
    """Load a server for a while; what is to be said, and how many rows were acknowledged."""
    times: list[float] = []
    statuses: dict[int, int] = {}

    def on_reply(_place: int, status: int) -> None:
        statuses[status] = statuses.get(status, 0) + 1

    with process(str(folder / "design.json"), "--db", place, *PROXY) as (child, address):
        before, own, began = processor(child.pid), time.process_time(), time.monotonic()
        asyncio.run(flood(address, Bodies(count), connections, on_reply, times.append, seconds))
        taken, own = time.monotonic() - began, time.process_time() - own
        used = processor(child.pid) - before
        held = memory(child.pid)
    stored = statuses.pop(204, 0)
    assert not statuses, f"not all were stored: {statuses}"
    late = 1000 * np.quantile(times, [0.5, 0.99, 1])
    each = 1e6 / max(stored, 1)
    text = (
        f"{stored / taken:,.0f} answers/s over {taken:.1f} s, {connections} connections; median "
        f"{late[0]:.0f} ms, p99 {late[1]:.0f} ms, most {late[2]:.0f} ms; processor time an answer "
        f"{each * used:.0f} µs (client {each * own:.0f} µs); {held:.0f} MB"
    )
    return text, stored


def timed(work: Callable[[], object]) -> str:
    began, used = time.perf_counter(), time.process_time()
    work()
    return f"{time.perf_counter() - began:.2f} ({time.process_time() - used:.2f})"


def check(place: str, at_least: int) -> None:
    with open_collection(place) as collection:
        found = collection.status().answers
    assert found >= at_least, (found, at_least)


def rate(folder: Path, seconds: float, connections: int = 30) -> None:
    """So many connections for so long; every answer is stored once."""
    place = str(folder / "rate.sqlite")
    text, stored = measure(place, folder, connections, seconds)
    check(place, stored)
    said(f"rate at {connections}", folder, text)


def wide(folder: Path, seconds: float) -> None:
    """The same with 200 connections."""
    rate(folder, min(seconds, 30), 200)


def once(folder: Path, _seconds: float) -> None:
    """300 people press the button at the same moment."""
    place = str(folder / "once.sqlite")
    text, stored = measure(place, folder, 300, 60, count=300)
    assert stored == 300
    said("300 at once", folder, text)


def kills(folder: Path, _seconds: float, count: int = 200) -> None:
    """Kill the server at random moments under load; every acknowledged id must be there."""
    place = folder / "kills.sqlite"
    rng = np.random.default_rng()
    acknowledged: set[bytes] = set()
    fewest = math.inf
    for _ in range(count):
        sent = Bodies(100_000)
        before = len(acknowledged)
        with process(str(folder / "design.json"), "--db", str(place), *PROXY) as (child, address):
            timer = threading.Timer(float(rng.uniform(0.0, 0.6)), child.kill)

            def on_reply(
                place: int, status: int, sent: Bodies = sent, timer: threading.Timer = timer
            ) -> None:
                if status == 204:
                    acknowledged.add(sent.id(place))
                # The moment counts from the first answer, so that every kill is under load.
                if timer.ident is None:
                    timer.start()

            asyncio.run(flood(address, sent, 30, on_reply))
            timer.join()
        fewest = min(fewest, len(acknowledged) - before)
        connection = sqlite3.connect(place)
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        connection.close()
    with open_collection(place) as collection:
        lost = len(acknowledged) - len(collection.store.known([*acknowledged]))
        rows = collection.table().rows
    said(
        "kills",
        folder,
        f"{count} kills, {len(acknowledged):,} acknowledged (at least {fewest} before each kill), "
        f"{rows:,} rows stored, {lost} lost",
    )
    assert not lost
    assert rows >= len(acknowledged)


def million(folder: Path, seconds: float, count: int = 1_000_000) -> None:
    """A million rows are there already: rate, live estimate, closing."""
    place = folder / "million.sqlite"
    digest = design_digest(QUESTIONS)
    rng = np.random.default_rng(2)
    with start_collection(place, QUESTIONS) as collection:
        for _ in range(0, count, 10_000):
            codes = rng.integers(0, 4, (10_000, 10))
            batch = [
                Submission(rng.bytes(16), digest, ",".join(map(str, row))) for row in codes.tolist()
            ]
            collection.store.write(batch, "2026-05-04")
        collection.store.fold()
        works = {"live": collection.live, "status": collection.status, "table": collection.table}
        told = [f"{name} {timed(work)}" for name, work in works.items()]
    said("1 M: seconds (those of the processor)", folder, ", ".join(told))
    text, stored = measure(str(place), folder, 30, min(seconds, 30))
    check(str(place), stored + count)
    said("1 M: rate", folder, text)
    with open_collection(place) as collection:
        began = time.perf_counter()
        collection.close()
        said("1 M: close", folder, f"{time.perf_counter() - began:.1f} s")


def in_postgres(folder: Path, seconds: float) -> None:
    """The same load into PostgreSQL."""
    if why_not():
        print(f"postgres: {why_not()}")
        return
    with postgres_server() as new_database:
        place = new_database()
        text, stored = measure(place, folder, 30, min(seconds, 20))
        check(place, stored)
        said("postgres", folder, text)


PARTS: dict[str, Callable[[Path, float], None]] = {
    "rate": rate,
    "wide": wide,
    "once": once,
    "million": million,
    "postgres": in_postgres,
    "kills": kills,
}


def main() -> None:
    """Measure what was asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("-o", "--only", default=",".join(PARTS), help="parts, with commas")
    parser.add_argument("-s", "--seconds", type=float, default=60.0, help="of load (60)")
    parser.add_argument("-k", "--kills", type=int, default=200, help="how many (200)")
    args = parser.parse_args()
    unknown = {*args.only.split(",")} - {*PARTS}
    if unknown:
        parser.error(f"there is no {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    is_fast = all(map(find_spec, ("httptools", "uvloop")))
    print(f"{os.cpu_count()} processors, {'with' if is_fast else 'without'} the extra [fast]")
    began = time.monotonic()
    for name in args.only.split(","):
        with tempfile.TemporaryDirectory() as made:
            folder = Path(made)
            write_design(QUESTIONS, folder / "design.json")
            if name == "kills":
                kills(folder, args.seconds, args.kills)
            else:
                PARTS[name](folder, args.seconds)
    print(f"{(time.monotonic() - began) / 60:.1f} minutes in all")


if __name__ == "__main__":
    main()
