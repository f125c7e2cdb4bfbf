"""What a collector answers: the page, the kiosk, and what is posted to ``/answers`` and ``/code``.

A row is answered with 204 only after it is on the disk. One thread writes; whatever waits goes into
one transaction. The same thread looks at the database twice a second, because that is where the
collection is paused, closed and begun anew. Nothing that tells one respondent from another is
written anywhere: addresses live in memory alone, as hashes under a key that is thrown away hourly,
and only to limit how often one address may send.

A page that needs a token asks at ``/code`` whether the one that was typed is free, before anybody
answers in vain. That tells 204 or 403 and nothing else, and spends nothing.

=============  ===================================================================================
204            committed, or the same id and row again; the token is free
403            foreign page, or token unknown or spent
409            the id with another row, or a page of another design
410            closed
413, 415, 422  too large, wrong type, or nothing that the design can give
421            asked for under a name that is not ours
429, 503       too many; paused (with Retry-After), disk full or database busy
=============  ===================================================================================
"""

from __future__ import annotations

import asyncio
import hashlib
import ipaddress
import logging
import re
import secrets
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import cache, cached_property
from http import HTTPStatus
from threading import Condition, Thread
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ppworkbench.core.errors import DesignError, WorkbenchError
from ppworkbench.core.json_values import parse_json
from ppworkbench.core.message import Message
from ppworkbench.fieldwork.collector.rows import RowCodec
from ppworkbench.fieldwork.collector.store import (
    LostError,
    Outcome,
    Round,
    State,
    Store,
    StoreError,
    Submission,
    token_hash,
)
from ppworkbench.fieldwork.page.explain import languages, words_of
from ppworkbench.fieldwork.page.page import served_page

_log = logging.getLogger(__name__)
MOST_BYTES = 64 * 2**10
_POLL_SECONDS, _FOLD_SECONDS, _REPORT_SECONDS = 0.4, 60.0, 1.0
_BATCH, _MOST_WAITING = 500, 5_000
_PER_MINUTE, _BURST = 600, 300
_KEY_SECONDS = 3_600.0
_MOST_ADDRESSES = 100_000
_RETRY_SECONDS = b"5"
_LONGEST_TOKEN = 100
_OVER = frozenset({State.CLOSING, State.CLOSED})
_FREE = "free"
_GOOD: frozenset[str] = frozenset({Outcome.STORED, Outcome.KNOWN, _FREE})
_ID = re.compile(r"[0-9a-f]{32}")
_TYPES = frozenset({b"application/json", b"text/plain"})
"""Pages of other addresses send plain text, because that needs no permission in advance."""

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Header = tuple[bytes, bytes]
OnOutcome = Callable[[str], None]

_NO_PAGE = b"default-src 'none'; frame-ancestors 'none'; form-action 'none'"
_HEADERS: list[Header] = [
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
]
_STATUS: dict[str, int] = {
    Outcome.STORED: 204,
    Outcome.KNOWN: 204,
    _FREE: 204,
    Outcome.CONFLICT: 409,
    Outcome.DESIGN: 409,
    Outcome.TOKEN: 403,
    Outcome.CLOSED: 410,
    Outcome.PAUSED: 503,
    "origin": 403,
    "host": 421,
    "size": 413,
    "type": 415,
    "answers": 422,
    "often": 429,
    "busy": 503,
}
"""The answer to each reason by which a row is refused."""
_ADVISED = frozenset({Outcome.PAUSED, "often"})
"""Where the page is told when to come back."""


@dataclass(frozen=True)
class Reply:
    status: int
    headers: tuple[Header, ...] = ()
    body: bytes = b""

    @cached_property
    def all_headers(self) -> list[Header]:
        found = [*_HEADERS, (b"content-security-policy", _NO_PAGE), *self.headers]
        if self.status != 204:
            found += [
                (b"content-type", b"text/plain; charset=utf-8"),
                (b"content-length", str(len(self.body)).encode()),
            ]
        return found

    def as_bytes(self, more: Iterable[Header]) -> bytes:
        return b"".join((self._start, _lines(more), self._rest))

    @cached_property
    def _start(self) -> bytes:
        return f"HTTP/1.1 {self.status} {HTTPStatus(self.status).phrase}\r\n".encode()

    @cached_property
    def _rest(self) -> bytes:
        return _lines(self.all_headers) + b"\r\n" + self.body


def _lines(headers: Iterable[Header]) -> bytes:
    return b"".join([b"%b: %b\r\n" % header for header in headers])


@cache
def _reply(outcome: str, origin: bytes) -> Reply:
    """What is said of an outcome or reason, to a page of another site if there is an origin."""
    headers: list[Header] = []
    if outcome in _ADVISED:
        headers.append((b"retry-after", _RETRY_SECONDS))
    if origin:
        headers += _allowing(origin)
    status = _STATUS[outcome]
    return Reply(status, tuple(headers), b"" if status == 204 else outcome.encode())


def _allowing(origin: bytes) -> list[Header]:
    return [(b"access-control-allow-origin", origin), (b"vary", b"origin")]


@dataclass(frozen=True)
class AppOptions:
    """Whom a collector listens to.

    Parameters
    ----------
    proxy
        The address of a proxy in front of it, whose word about addresses is taken; empty for none.
    origins
        Other sites whose pages may send rows.
    names
        The names of this computer; ``*.example.org`` stands for all below a name.
    """

    proxy: str = ""
    origins: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()

    def knows(self, host: bytes | None) -> bool:
        """Whether a request is for us: under an address, or under a name that is ours.

        Else a page of any site could send rows to a collector that is for this computer only: its
        owner lets the site's name lead here once the page is loaded, and the browser takes both
        for one site. Addresses and ``localhost`` cannot be led elsewhere. Names that a proxy
        passes on are the proxy's business, and a request of old has none.

        >>> options = AppOptions(names=frozenset({"survey.example.org", "*.school.example"}))
        >>> [options.knows(host) for host in (b"192.0.2.7:80", b"[::1]", b"Localhost:8421", None)]
        [True, True, True, True]
        >>> [options.knows(host) for host in (b"survey.example.org", b"a.school.example", b"evil")]
        [True, True, False]
        """
        if self.proxy or host is None:
            return True
        name = re.sub(r":\d*$", "", host.decode("latin-1")).rstrip(".").lower()
        with suppress(ValueError):
            ipaddress.ip_address(name.removeprefix("[").removesuffix("]").partition("%")[0])
            return True
        return name in {"localhost", *self.names} or f"*.{name.partition('.')[2]}" in self.names


@dataclass(frozen=True)
class _Pages:
    """What is served in one round, worked out once."""

    digest: str
    codec: RowCodec
    page: tuple[bytes, bytes]
    kiosk: tuple[bytes, bytes] | None
    closed: str
    elsewhere: str


def make_pages(now: Round) -> _Pages:
    """The pages of a round; a kiosk only where the design allows one.

    Raises
    ------
    WorkbenchError
        When the questionnaire has gaps, or the design cannot be asked on a page.
    StoreError
        When either is damaged.
    """
    design, asked = now.read_design(), now.read_questionnaire()
    page = served_page(design, asked, codes=now.needs_token)
    kiosk = None
    with suppress(DesignError):
        kiosk = _encoded(served_page(design, asked, kiosk=True, codes=now.needs_token))
    words = words_of(asked.language if asked.language in languages() else "en")
    said = words["closed"], words["wrong_address"]
    return _Pages(now.digest, RowCodec(design), _encoded(page), kiosk, *said)


def _encoded(page: tuple[str, str]) -> tuple[bytes, bytes]:
    html, policy = page
    return html.encode(), policy.encode()


class RateLimit:
    """How often one address may send: a bucket each that fills up with time.

    >>> limit = RateLimit(per_minute=60, burst=2)
    >>> [limit.allows("192.0.2.1", now=0.0) for _ in range(3)], limit.allows("192.0.2.1", now=1.0)
    ([True, True, False], True)
    """

    def __init__(self, per_minute: int = _PER_MINUTE, burst: int = _BURST) -> None:
        self._rate, self._burst = per_minute / 60, burst
        self._buckets: dict[bytes, tuple[float, float]] = {}
        self._key, self._since = secrets.token_bytes(16), 0.0

    def allows(self, address: str, now: float) -> bool:
        """Take one from the bucket of an address; False if it is empty. ``now`` never goes back."""
        if now - self._since > _KEY_SECONDS or len(self._buckets) >= _MOST_ADDRESSES:
            self._key, self._since = secrets.token_bytes(16), now
            self._buckets.clear()
        place = hashlib.blake2b(network_of(address).encode(), digest_size=8, key=self._key).digest()
        left, before = self._buckets.get(place, (float(self._burst), now))
        left = min(self._burst, left + (now - before) * self._rate)
        is_allowed = left >= 1
        self._buckets[place] = (left - is_allowed, now)
        return is_allowed


def _plain(address: str) -> str:
    """One way to write each address; one of the fourth version inside of the sixth as itself."""
    if ":" not in address:
        return address
    with suppress(ValueError):
        told = ipaddress.IPv6Address(address.partition("%")[0])
        return str(told.ipv4_mapped or told)
    return address


def network_of(address: str) -> str:
    """Whose address it is: of the sixth version one household has as many as it likes.

    >>> network_of("2001:db8::1:2:3:4"), network_of("::ffff:192.0.2.1")
    ('2001:db8::/64', '192.0.2.1')
    """
    if address.startswith("["):
        address = address[1:].partition("]")[0]
    elif address.count(":") == 1:
        address = address.partition(":")[0]
    address = _plain(address)
    with suppress(ValueError):
        if ":" in address:
            return str(ipaddress.IPv6Network((address, 64), strict=False))
    return address


class Writer(Thread):
    """The one thread that uses the store: it writes what waits, and looks what others changed."""

    def __init__(self, store: Store, on_round: Callable[[Round], None]) -> None:
        super().__init__(name="collector", daemon=True)
        self._store = store
        self._on_round = on_round
        self._waiting: list[tuple[Submission, OnOutcome]] = []
        self._asking: list[tuple[bytes, OnOutcome]] = []
        self._loop: asyncio.AbstractEventLoop | None = None
        self._wake = Condition()
        self._is_ending = False
        self._refused: Counter[str] = Counter()
        self.now = store.current()
        self.answers = store.count(self.now.number)
        self.refused = Counter(store.refused())
        """All refusals, also those that are not yet in the database."""
        self.trouble: Message | None = None
        """Why nothing can be stored at present."""
        self.lost_since: float | None = None
        """When the database was first missed, on the clock of ``time.monotonic``."""
        self._close_wanted = False
        self._polled = self._folded = self._reported = time.monotonic()

    # Called by the event loop

    def submit(self, submission: Submission, on_outcome: OnOutcome) -> None:
        """Store a row with the next transaction; after the commit the loop hears the outcome."""
        with self._wake:
            if not self._is_ending and len(self._waiting) < _MOST_WAITING:
                self._loop = asyncio.get_running_loop()
                self._waiting.append((submission, on_outcome))
                if len(self._waiting) == 1:
                    self._wake.notify()
                return
        on_outcome("busy")

    def check_token(self, token: bytes, on_outcome: OnOutcome) -> None:
        """Look whether a token is free, by its hash; the loop hears of it."""
        with self._wake:
            if not self._is_ending and len(self._asking) < _MOST_WAITING:
                self._loop = asyncio.get_running_loop()
                self._asking.append((token, on_outcome))
                self._wake.notify()
                return
        on_outcome("busy")

    def refuse(self, reason: str) -> None:
        with self._wake:
            self._refused[reason] += 1
            self.refused[reason] += 1

    def close_round(self) -> None:
        """Close the collection as soon as what waits is written."""
        with self._wake:
            self._close_wanted = True
            self._wake.notify()

    def end(self) -> None:
        with self._wake:
            self._is_ending = True
            self._wake.notify()

    # In the thread

    def run(self) -> None:
        while True:
            with self._wake:
                is_busy = self._waiting or self._asking
                if not is_busy and not self._is_ending and not self._close_wanted:
                    self._wake.wait(_POLL_SECONDS)
                batch, self._waiting = self._waiting[:_BATCH], self._waiting[_BATCH:]
                asking, self._asking = self._asking, []
                is_last = self._is_ending and not batch
                closes = self._close_wanted and not batch
            if batch:
                self._write(batch)
            if asking:
                self._check(asking)
            self._look_around(ends=is_last or closes)
            if closes:
                self._close()
            if is_last:
                with suppress(StoreError):
                    self._store.fold()
                return

    def _write(self, batch: list[tuple[Submission, OnOutcome]]) -> None:
        submissions = [submission for submission, _ in batch]
        try:
            found: list[str] = [*self._store.write(submissions, today())]
            self.trouble = None
        except StoreError as error:
            self.trouble = error.sentence(self._store.name)
            found = ["busy"] * len(batch)
        except Exception:
            # Whatever it is, nothing is stored, and the next batch is another one.
            _log.exception("A batch of answers could not be stored")
            found = ["busy"] * len(batch)
        self.answers += sum(one == Outcome.STORED for one in found)
        self._answer([one for _, one in batch], found)

    def _check(self, asking: list[tuple[bytes, OnOutcome]]) -> None:
        try:
            free = self._store.free_tokens([token for token, _ in asking])
            found = [_FREE if token in free else str(Outcome.TOKEN) for token, _ in asking]
        except StoreError as error:
            self.trouble = error.sentence(self._store.name)
            found = ["busy"] * len(asking)
        except Exception:
            _log.exception("Tokens could not be looked for")
            found = ["busy"] * len(asking)
        self._answer([one for _, one in asking], found)

    def _answer(self, listeners: list[OnOutcome], found: list[str]) -> None:
        assert self._loop is not None  # noqa: S101 (whoever submits is in it)
        with suppress(RuntimeError):  # The loop is closed: nobody waits any more.
            self._loop.call_soon_threadsafe(_tell_all, listeners, found)

    def _look_around(self, *, ends: bool) -> None:
        now = time.monotonic()
        try:
            if ends or now - self._reported >= _REPORT_SECONDS:
                self._reported = now
                self._report()
            if ends or now - self._polled >= _POLL_SECONDS:
                self._polled = now
                self._poll()
            if now - self._folded >= _FOLD_SECONDS:
                self._folded = now
                self._store.fold()
        except LostError as error:
            self.trouble = error.sentence(self._store.name)
            if self.lost_since is None:
                self.lost_since = now
        except StoreError as error:
            self.trouble = error.sentence(self._store.name)
        except Exception:
            # Without this thread no answer would ever be stored again.
            _log.exception("The database could not be looked at")

    def _report(self) -> None:
        with self._wake:
            counts, self._refused = self._refused, Counter()
        if not counts:
            return
        try:
            self._store.add_refused(today(), counts)
        except StoreError:
            with self._wake:
                self._refused.update(counts)

    def _poll(self) -> None:
        now = self._store.current()
        self.lost_since = None
        if now == self.now:
            return
        before, self.now = self.now, now
        if now.number != before.number:
            self.answers = self._store.count(now.number)
        if now.state is State.PAUSED:
            self._store.fold()
        self._tell()

    def _tell(self) -> None:
        try:
            self._on_round(self.now)
        except (WorkbenchError, StoreError):
            # The old page stays; rows of the new design are refused as those of another one.
            _log.exception("The page of a new round could not be made")

    def _close(self) -> None:
        self._close_wanted = False
        try:
            self._store.finish()
            self.now = self._store.current()
        except StoreError as error:
            self.trouble = error.sentence(self._store.name)
        self._tell()


def _tell_all(listeners: Iterable[OnOutcome], found: Iterable[str]) -> None:
    for on_outcome, outcome in zip(listeners, found, strict=True):
        on_outcome(outcome)


def today() -> str:
    """The day on this computer's calendar; there is no time with it."""
    return datetime.now().astimezone().date().isoformat()


class CollectorApp:
    """The ASGI application of a collection."""

    def __init__(self, store: Store, options: AppOptions | None = None) -> None:
        self._options = options or AppOptions()
        self._proxy = _plain(self._options.proxy)
        self.writer = Writer(store, self._on_round)
        self._round = self.writer.now
        self._pages = make_pages(self._round)
        self._limit = RateLimit()
        # Looking at codes must not use up what a class needs for sending.
        self._code_limit = RateLimit()
        self._site = Starlette(
            routes=[
                Route("/", self._page, methods=["GET"]),
                Route("/kiosk", self._kiosk, methods=["GET"]),
            ],
            # That of older releases of Starlette takes a thread for every wrong address.
            exception_handlers={HTTPException: _say_status},
        )

    def _on_round(self, now: Round) -> None:
        pages = self._pages
        if (
            now.digest != pages.digest
            or now.questionnaire != self._round.questionnaire
            or (now.needs_token != self._round.needs_token)
        ):
            pages = make_pages(now)
        # Each is replaced as a whole: a request sees the old one or the new one.
        self._pages, self._round = pages, now

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        if not self._options.knows(dict(scope["headers"]).get(b"host")):
            self.writer.refuse("host")
            await _respond(send, Reply(_STATUS["host"], body=self._pages.elsewhere.encode()))
        elif scope["path"] == "/answers" and scope["method"] != "GET":
            await self._answers(scope, receive, send, self._limit, self._stored)
        elif scope["path"] == "/code" and scope["method"] != "GET":
            await self._answers(scope, receive, send, self._code_limit, self._checked)
        else:
            await self._site(scope, receive, _adding(send))

    # Pages

    async def _page(self, _request: Request) -> Response:
        return self._open_page(self._pages.page)

    async def _kiosk(self, _request: Request) -> Response:
        kiosk = self._pages.kiosk
        return Response(status_code=404) if kiosk is None else self._open_page(kiosk)

    def _open_page(self, page: tuple[bytes, bytes]) -> Response:
        if self._round.state in _OVER:
            # Nobody should answer questions in vain.
            return Response(self._pages.closed, 410, media_type="text/plain")
        return _html(page)

    # Answers

    def deliver(
        self, headers: dict[bytes, bytes], client: str, body: bytes, answer: Callable[[Reply], None]
    ) -> None:
        """Take a posted request that is there as a whole; ``answer`` hears the reply."""
        if not self._options.knows(headers.get(b"host")):
            answer(self._reply("host", None))
            return
        origin = self._allowed_origin(headers)
        try:
            self._check_headers(client, headers, self._limit, is_foreign=origin is None)
            submission = self._submission(body)
        except _RefusedError as refused:
            answer(self._reply(refused.reason, origin))
            return
        self.writer.submit(submission, lambda outcome: answer(self._reply(outcome, origin)))

    async def _answers(
        self,
        scope: Scope,
        receive: Receive,
        send: Send,
        limit: RateLimit,
        outcome_of: Callable[[bytes], Awaitable[str]],
    ) -> None:
        headers: dict[bytes, bytes] = dict(scope["headers"])
        origin = self._allowed_origin(headers)
        extra = tuple(_allowing(origin)) if origin else ()
        if scope["method"] == "OPTIONS" and origin:
            asked = (b"access-control-allow-methods", b"POST")
            typed = (b"access-control-allow-headers", b"content-type")
            await _respond(send, Reply(204, (*extra, asked, typed)))
            return
        if scope["method"] != "POST":
            await _respond(send, Reply(405, ((b"allow", b"POST"), *extra)))
            return
        client = scope.get("client")
        try:
            # First what the headers tell: what is refused by them is not read.
            self._check_headers(
                client[0] if client else "", headers, limit, is_foreign=origin is None
            )
            body = await _read(receive)
            if body is None:
                return
            outcome = await outcome_of(body)
        except _RefusedError as refused:
            outcome = refused.reason
        await _respond(send, self._reply(outcome, origin))

    async def _stored(self, body: bytes) -> str:
        submission = self._submission(body)
        return await _heard(lambda on_outcome: self.writer.submit(submission, on_outcome))

    async def _checked(self, body: bytes) -> str:
        """Whether the token of a body could be used now."""
        token = _token_of(body)
        if self._round.state in _OVER:
            raise _RefusedError(Outcome.CLOSED)
        if len(token) > _LONGEST_TOKEN:
            raise _RefusedError(Outcome.TOKEN)
        hashed = token_hash(token)
        return await _heard(lambda on_outcome: self.writer.check_token(hashed, on_outcome))

    def _reply(self, outcome: str, origin: bytes | None) -> Reply:
        if outcome not in _GOOD:
            self.writer.refuse(outcome)
        return _reply(outcome, origin or b"")

    def _allowed_origin(self, headers: dict[bytes, bytes]) -> bytes | None:
        """The foreign origin that may send; empty for our own page, None for any other."""
        site = headers.get(b"sec-fetch-site")
        if self._options.proxy and site == b"same-origin":
            # Many proxies put their own name for us in the place of the host; browsers know better.
            return b""
        origin = headers.get(b"origin")
        if origin is not None:
            if origin.decode("latin-1") in self._options.origins:
                return origin
            host = headers.get(b"host", b"")
            return b"" if origin in (b"http://" + host, b"https://" + host) and host else None
        return None if site == b"cross-site" else b""

    def _check_headers(
        self, client: str, headers: dict[bytes, bytes], limit: RateLimit, *, is_foreign: bool
    ) -> None:
        if is_foreign:
            raise _RefusedError("origin")
        if headers.get(b"content-type", b"").split(b";")[0].strip().lower() not in _TYPES:
            raise _RefusedError("type")
        if not limit.allows(self._address(client, headers), time.monotonic()):
            raise _RefusedError("often")
        length = headers.get(b"content-length", b"0")
        if not length.isdigit() or int(length[:20]) > MOST_BYTES:
            raise _RefusedError("size")

    def is_proxy(self, client: str) -> bool:
        return bool(self._proxy) and _plain(client) == self._proxy

    def _address(self, client: str, headers: dict[bytes, bytes]) -> str:
        if self.is_proxy(client):
            # The proxy adds the last one; what stands before it anybody can have written.
            told = headers.get(b"x-forwarded-for", b"").decode("latin-1")
            return told.rsplit(",", 1)[-1].strip() or client
        return client

    def _submission(self, body: bytes) -> Submission:
        if len(body) > MOST_BYTES:
            raise _RefusedError("size")
        id_, design, token, row = _parts(body)
        pages = self._pages
        if self._round.state in _OVER:
            raise _RefusedError(Outcome.CLOSED)
        if design != pages.digest:
            raise _RefusedError(Outcome.DESIGN)
        line = pages.codec.encode(row)
        if line is None:
            raise _RefusedError("answers")
        if token is not None and len(token) > _LONGEST_TOKEN:
            # Who pasted something else may type the right one.
            raise _RefusedError(Outcome.TOKEN if self._round.needs_token else "answers")
        # The store knows whether one is needed: tokens may be there since a moment ago.
        spent = None if token is None else token_hash(token)
        return Submission(bytes.fromhex(id_), design, line, spent)


class _RefusedError(Exception):
    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


_NAMES = frozenset({"id", "design", "token", "row"})


def _parts(body: bytes) -> tuple[str, str, str | None, object]:
    try:
        given = parse_json(body.decode("utf-8"))
    except ValueError:
        given = None
    if isinstance(given, dict) and {"id", "design", "row"} <= given.keys() <= _NAMES:
        id_, design, token = given["id"], given["design"], given.get("token")
        is_id = isinstance(id_, str) and _ID.fullmatch(id_)
        is_token = token is None or isinstance(token, str)
        if is_id and isinstance(design, str) and is_token:
            return id_, design, token, given["row"]
    raise _RefusedError("answers")


def _token_of(body: bytes) -> str:
    if len(body) > MOST_BYTES:
        raise _RefusedError("size")
    try:
        given = parse_json(body.decode("utf-8"))
    except ValueError:
        given = None
    if isinstance(given, dict) and given.keys() == {"token"} and isinstance(given["token"], str):
        return given["token"]
    raise _RefusedError("answers")


async def _heard(ask: Callable[[OnOutcome], None]) -> str:
    """The outcome of something that the writer does."""
    future: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    def on_outcome(outcome: str) -> None:
        if not future.done():
            future.set_result(outcome)

    ask(on_outcome)
    return await future


async def _read(receive: Receive) -> bytes | None:
    """The body of a request, no more than a little too much of it; None if the sender is gone."""
    parts, size = [], 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None
        part = message.get("body", b"")
        parts.append(part)
        size += len(part)
        if size > MOST_BYTES or not message.get("more_body"):
            return b"".join(parts)


async def _respond(send: Send, reply: Reply) -> None:
    start = {"type": "http.response.start", "status": reply.status, "headers": reply.all_headers}
    await send(start)
    await send({"type": "http.response.body", "body": reply.body})


async def _say_status(_request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 (nothing else is sent here)
    return Response(error.detail, error.status_code, error.headers, media_type="text/plain")


def _html(page: tuple[bytes, bytes]) -> Response:
    html, policy = page
    return Response(
        html,
        media_type="text/html",
        headers={"content-security-policy": policy.decode()},
    )


def _adding(send: Send) -> Send:
    async def sending(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            headers: list[Header] = [*message.get("headers", []), *_HEADERS]
            if all(name != b"content-security-policy" for name, _ in headers):
                headers.append((b"content-security-policy", _NO_PAGE))
            message = {**message, "headers": headers}
        await send(message)

    return sending
