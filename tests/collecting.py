"""A survey that is collected: its design, and rows that its page could send."""

from __future__ import annotations

import asyncio
import hashlib
import json
import math
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from http.client import HTTPConnection
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from designs import AGE, COLOURS, LIKERT, SALARY, YES_NO
from patience import PATIENCE

from ppworkbench.core.design import Additive, Design, DesignedAttribute, Forced, Ordinal, Uniform
from ppworkbench.core.design.design_file import design_digest, publishable
from ppworkbench.fieldwork.collector.control import open_collection, stop_server
from ppworkbench.fieldwork.collector.rows import RowCodec
from ppworkbench.fieldwork.collector.server import CollectorServer, ServeOptions
from ppworkbench.fieldwork.collector.store import Submission

ROOT = Path(__file__).resolve().parents[1]
QUESTIONS = (YES_NO, COLOURS, LIKERT, AGE, SALARY)
DESIGN = Design(
    (
        DesignedAttribute(YES_NO, Forced(p_truth=0.75)),
        DesignedAttribute(COLOURS, Uniform(keep=0.7)),
        DesignedAttribute(LIKERT, Ordinal(weights=(0.6, 0.2), loop=False)),
        DesignedAttribute(AGE, Additive(noise="uniform", half_width=10, integer="staircase")),
        DesignedAttribute(SALARY, Additive(noise="normal", sigma=2_500)),
    )
)
DIGEST = design_digest(DESIGN)


@cache
def codec() -> RowCodec:
    return RowCodec(DESIGN)


def rows(count: int, seed: int = 1) -> list[dict[str, Any]]:
    """Rows that the page could send, some answers missing."""
    rng = np.random.default_rng(seed)
    grid = publishable(DESIGN)["salary"].perturbation.published_step
    made = []
    for _ in range(count):
        row: dict[str, Any] = {
            "smokes": str(rng.choice(YES_NO.values)),
            "colour": str(rng.choice(COLOURS.values)),
            "mood": str(rng.choice(LIKERT.values)),
            "age": int(rng.integers(8, 101)),
            "salary": round(int(rng.integers(0, 10_000)) * grid, 6),
        }
        if rng.random() < 0.1:
            row[str(rng.choice([*row]))] = None
        made.append(row)
    return made


def ids(count: int, seed: int = 1) -> list[bytes]:
    return [hashlib.sha256(f"{seed} {place}".encode()).digest()[:16] for place in range(count)]


def submissions(count: int, seed: int = 1) -> list[Submission]:
    """Rows with ids, as they go into a store."""
    return [
        Submission(id_, DIGEST, codec().encode(row))
        for id_, row in zip(ids(count, seed), rows(count, seed), strict=True)
    ]


def body(row: dict[str, Any], id_: bytes, token: str | None = None, design: str = DIGEST) -> bytes:
    """What a page sends."""
    given = {"id": id_.hex(), "design": design, "row": row}
    return json.dumps(given | ({} if token is None else {"token": token})).encode()


def bodies(count: int, seed: int = 1) -> list[bytes]:
    """What so many pages send; few rows under many ids, because making rows takes long."""
    few = rows(100, seed)
    return [body(few[place % 100], id_) for place, id_ in enumerate(ids(count, seed))]


# A server and its clients


@dataclass
class Reply:
    """What a server answered."""

    status: int
    headers: dict[str, str]
    body: bytes


class Client:
    """One connection, kept open between requests."""

    def __init__(self, address: str) -> None:
        told = urlsplit(address)
        self._connection = HTTPConnection(told.hostname, told.port, timeout=PATIENCE)

    def ask(
        self,
        method: str,
        path: str,
        content: bytes | None = None,
        headers: dict[str, str] | None = None,
    ) -> Reply:
        self._connection.request(method, path, content, headers or {})
        reply = self._connection.getresponse()
        found = {name.lower(): value for name, value in reply.getheaders()}
        return Reply(reply.status, found, reply.read())

    def post(self, content: bytes, path: str = "/answers", **headers: str) -> Reply:
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.ask("POST", path, content, {"content-type": "application/json"} | given)

    def start(self, content: bytes) -> None:
        """Post and do not wait for the answer."""
        self._connection.request("POST", "/answers", content, {"content-type": "text/plain"})

    def close(self) -> None:
        self._connection.close()


@contextmanager
def served(place: str | Path, options: ServeOptions | None = None) -> Iterator[str]:
    """A server of a collection in a thread of this process, at its address."""
    options = options or ServeOptions(port=0)
    ready: Queue[object] = Queue()

    def work() -> None:
        try:
            with open_collection(place) as collection:
                CollectorServer(collection.store, options, ready.put).run()
        except BaseException as error:
            ready.put(error)

    thread = Thread(target=work)
    thread.start()
    try:
        found = ready.get(timeout=PATIENCE)
        if isinstance(found, BaseException):
            raise found
        yield found["address"]
    finally:
        stop_server(place)
        thread.join(PATIENCE)
        assert not thread.is_alive()


def _path() -> str:
    """Where a process of its own finds this program, and what else this one finds."""
    return os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])


@contextmanager
def process(*arguments: str, **settings: Any) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The command ``serve`` as a process of its own, and its address once it is ready."""
    child = subprocess.Popen(
        [sys.executable, "-m", "ppworkbench", "serve", *arguments, "--port", "0", "--json"],
        env=os.environ | {"PYTHONPATH": _path(), "OPENBLAS_NUM_THREADS": "1"},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **settings,
    )  # fmt: skip
    try:
        line = child.stdout.readline()
        assert line, child.communicate()[1]
        yield child, json.loads(line)["address"]
    finally:
        if child.poll() is None:
            child.kill()
        child.communicate()


async def flood(
    address: str,
    bodies: Sequence[bytes],
    connections: int,
    on_reply: Callable[[int, int], None],
    on_time: Callable[[float], None] = lambda _seconds: None,
    seconds: float = math.inf,
) -> None:
    """Post bodies over some connections at once; ``on_reply`` hears place and status of each.

    Every request tells another address, so that the server must be behind this proxy. Ends early
    where the server does.
    """
    told = urlsplit(address)
    loop = asyncio.get_running_loop()
    places = iter(range(len(bodies)))
    end = time.monotonic() + seconds

    def next_place() -> int | None:
        return next(places, None) if time.monotonic() <= end else None

    async def one_connection() -> None:
        sender = _Sender(bodies, next_place, on_reply, on_time)
        with suppress(OSError):
            await loop.create_connection(lambda: sender, told.hostname, told.port)
            await sender.ended

    await asyncio.gather(*(one_connection() for _ in range(connections)))


class _Sender(asyncio.Protocol):
    """One connection that posts as soon as it is answered; cheap, or it would be what is timed."""

    def __init__(
        self,
        bodies: Sequence[bytes],
        next_place: Callable[[], int | None],
        on_reply: Callable[[int, int], None],
        on_time: Callable[[float], None],
    ) -> None:
        self._bodies, self._next_place = bodies, next_place
        self._on_reply, self._on_time = on_reply, on_time
        self._received = b""
        self._place: int | None = None
        self._began = 0.0
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._post()

    def _post(self) -> None:
        self._place = self._next_place()
        if self._place is None:
            self._transport.close()
            return
        self._began = time.monotonic()
        self._transport.write(_request(self._bodies[self._place], self._place))

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, gap, rest = self._received.partition(b"\r\n\r\n")
        if not gap or self._place is None:
            return
        status = int(head[9:12])
        if status != 204:
            length = re.search(rb"content-length: (\d+)", head)
            if length and len(rest) < int(length[1]):
                return
        self._received = b""
        self._on_time(time.monotonic() - self._began)
        self._on_reply(self._place, status)
        self._post()

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.ended.done():
            self.ended.set_result(None)


def _request(content: bytes, place: int) -> bytes:
    return (
        b"POST /answers HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
        b"x-forwarded-for: 10.%d.%d.%d\r\ncontent-length: %d\r\n\r\n"
        % (place >> 16 & 255, place >> 8 & 255, place & 255, len(content))
    ) + content
