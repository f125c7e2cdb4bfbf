"""One connection to a collector: cut off when it is slow, and quick for what nearly all of them do.

A page posts one row over a connection of its own. Such a request is answered here, as soon as all
of it is there and if it has the usual form to the letter. Whatever else arrives, Uvicorn reads,
and goes on reading on that connection. Both ways lead through the same checks of the application.

Uvicorn never closes a connection that sends half a header or nothing, so that a timer of our own
closes every connection whose request is not complete in time. Until then it must not take the
place of others: where there is no room left, the connection that has waited longest is closed, one
of the address that has most of them.
"""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING

from uvicorn.protocols.http.h11_impl import H11Protocol

from ppworkbench.fieldwork.collector.app import MOST_BYTES, CollectorApp, Reply, network_of

if TYPE_CHECKING:
    _Base = H11Protocol
else:
    try:  # The extra "fast" has a parser that is compiled.
        from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol as _Base
    except ImportError:
        _Base = H11Protocol

REQUEST_SECONDS = 10.0
_RESPONSE_SECONDS = 30.0
MOST_CONNECTIONS = 1_000
MOST_UNFINISHED = 300
"""Connections of one address without a whole request: a class behind one address has 200 phones."""
_START = b"POST /answers HTTP/1.1\r\n"
_END = b"\r\n\r\n"
_MOST_HEAD = 64 * 2**10
_NAME = re.compile(rb"[0-9a-z!#$%&'*+.^_`|~-]+")
_UNUSUAL = frozenset({b"connection", b"expect", b"transfer-encoding", b"upgrade"})
"""Headers that change how a request is read or answered."""

Headers = dict[bytes, bytes]


def plain_headers(head: bytes) -> Headers | None:
    r"""The headers of a request in its usual form, names in small letters; else None.

    >>> plain_headers(b"Host: x\r\nContent-Length: 2")
    {b'host': b'x', b'content-length': b'2'}
    >>> plain_headers(b"host: x\r\ncontent-length: 2\r\ntransfer-encoding: chunked")
    """
    lines = head.split(b"\r\n")
    # Line ends of any other kind, which others might read in another way.
    if head.count(b"\n") != len(lines) - 1 or head.count(b"\r") != len(lines) - 1 or b"\0" in head:
        return None
    found: Headers = {}
    for line in lines:
        name, colon, value = line.partition(b":")
        name = name.lower()
        if not colon or not _NAME.fullmatch(name) or name in _UNUSUAL or name in found:
            return None
        found[name] = value.strip(b" \t")
    length = found.get(b"content-length", b"")
    if b"host" not in found or not length.isdigit() or len(length) > len(str(MOST_BYTES)):
        return None
    return found if int(length) <= MOST_BYTES else None


class Unfinished:
    def __init__(self) -> None:
        self._by_network: dict[str, dict[CollectorConnection, None]] = {}

    def add(self, network: str, connection: CollectorConnection) -> None:
        self._by_network.setdefault(network, {})[connection] = None

    def remove(self, network: str, connection: CollectorConnection) -> None:
        waiting = self._by_network.get(network, {})
        waiting.pop(connection, None)
        if not waiting:
            self._by_network.pop(network, None)

    def count(self, network: str) -> int:
        return len(self._by_network.get(network, ()))

    def oldest(self, network: str = "") -> CollectorConnection | None:
        """The one that waits longest at an address, or at that with most of them."""
        waiting = self._by_network.get(network) or max(
            self._by_network.values(), key=len, default={}
        )
        return next(iter(waiting), None)


def connection_class(app: CollectorApp) -> type[CollectorConnection]:
    """The class of the connections of an application: uvicorn makes them without arguments."""
    shared = {"app": app, "unfinished": Unfinished()}
    return type("_Connection", (CollectorConnection,), shared)


class CollectorConnection(_Base):
    app: CollectorApp
    unfinished: Unfinished

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin; the first request has its time from its first byte on."""
        self._timer: asyncio.TimerHandle | None = None
        self._due, self._is_idle = 0.0, False
        self._is_plain, self._is_answering, self._is_last = True, False, False
        self._received = b""
        self._head_size = 0
        super().connection_made(transport)
        address = "" if self.client is None else self.client[0]
        self.network, self._is_proxy = network_of(address), self.app.is_proxy(address)
        self.unfinished.add(self.network, self)
        # Browsers open connections ahead: one on which nothing was said is no refused answer.
        self._wait(REQUEST_SECONDS, is_idle=True)
        self._make_room()

    def _make_room(self) -> None:
        """Cut off the connection that has waited longest, where there are too many."""
        too_many = None
        if not self._is_proxy and self.unfinished.count(self.network) > MOST_UNFINISHED:
            too_many = self.unfinished.oldest(self.network)
        elif len(self.connections) > MOST_CONNECTIONS:
            too_many = self.unfinished.oldest()
        if too_many is not None:
            # The loop tells it only later that it is lost; until then it must not count twice.
            self.unfinished.remove(too_many.network, too_many)
            self.connections.discard(too_many)
            too_many.transport.abort()

    def _set_whole(self, is_whole: bool) -> None:
        self.unfinished.remove(self.network, self)
        if not is_whole:
            self.unfinished.add(self.network, self)

    def data_received(self, data: bytes) -> None:
        if not self._is_plain:
            self._receive_other(data)
            return
        if self._is_idle:
            self._wait(REQUEST_SECONDS)
        self._received += data
        if not self._is_answering:
            self._take_next()

    # Posts in their usual form

    def _take_next(self) -> None:
        received = self._received
        if not received.startswith(_START):
            if not _START.startswith(received):
                self._leave_to_uvicorn()
            return
        end = received.find(_END, len(_START))
        if end < 0:
            if len(received) > _MOST_HEAD:
                self._leave_to_uvicorn()
            return
        headers = plain_headers(received[len(_START) : end])
        if headers is None:
            self._leave_to_uvicorn()
            return
        start = end + len(_END)
        stop = start + int(headers[b"content-length"])
        if len(received) < stop:
            return
        self._received = received[stop:]
        self._is_answering = True
        self._set_whole(True)
        self._wait(_RESPONSE_SECONDS)
        client = "" if self.client is None else self.client[0]
        self.app.deliver(headers, client, received[start:stop], self._on_reply)

    def _on_reply(self, reply: Reply) -> None:
        self._is_answering = False
        if self.transport.is_closing():
            return
        self._set_whole(False)
        self.transport.write(reply.as_bytes(self.server_state.default_headers))
        if self._is_last:
            self.transport.close()
        elif self._received:
            self._wait(REQUEST_SECONDS)
            self._take_next()
        else:
            self._wait(self.timeout_keep_alive, is_idle=True)

    def _leave_to_uvicorn(self) -> None:
        self._is_plain = False
        received, self._received = self._received, b""
        self._receive_other(received)

    def shutdown(self) -> None:
        if not self._is_plain:
            super().shutdown()
        elif self._is_answering:
            self._is_last = True
        else:
            self.transport.close()

    # Other requests

    def _receive_other(self, data: bytes) -> None:
        if self._timer is None:
            self._wait(REQUEST_SECONDS)
        before = self.cycle
        # A body that was refused for its size may still be on its way after the answer.
        is_body = before is not None and before.more_body
        super().data_received(data)
        # The compiled parser takes headers without end.
        is_head = self.cycle is before and not is_body
        self._head_size = self._head_size + len(data) if is_head else 0
        if self._head_size > _MOST_HEAD and (before is None or before.response_complete):
            self.app.writer.refuse("size")
            self.transport.abort()
            return
        if self.cycle is not None and not self.cycle.more_body and self._timer is not None:
            self._rest()
            if not self.cycle.response_complete:
                self._set_whole(True)
                self._wait(_RESPONSE_SECONDS)

    def on_response_complete(self) -> None:
        # What was read ahead may be the beginning of the next request: it gets its own time.
        self._rest()
        self._set_whole(False)
        super().on_response_complete()

    # Time

    def connection_lost(self, exc: Exception | None) -> None:
        self._rest()
        self.unfinished.remove(self.network, self)
        super().connection_lost(exc)

    def _wait(self, seconds: float, *, is_idle: bool = False) -> None:
        self._due, self._is_idle = self.loop.time() + seconds, is_idle
        # A timer that is there already looks again when it is time: making one anew takes longer.
        if self._timer is not None and self._timer.when() > self._due:
            self._rest()
        if self._timer is None:
            self._timer = self.loop.call_at(self._due, self._on_time)

    def _rest(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _on_time(self) -> None:
        self._timer = None
        if self.transport.is_closing():
            return
        if self.loop.time() < self._due:
            self._timer = self.loop.call_at(self._due, self._on_time)
        elif self._is_idle:
            self.transport.close()
        else:
            self.app.writer.refuse("slow")
            self.transport.abort()
