"""A collector as a process: sockets, certificates, signals and the time it ends.

No request is logged.
"""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import logging
import math
import os
import signal
import socket
import ssl
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import uvicorn

from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message
from ppworkbench.fieldwork.collector import connection
from ppworkbench.fieldwork.collector.app import AppOptions, CollectorApp, make_pages
from ppworkbench.fieldwork.collector.serving import RunningServer, ServerLock
from ppworkbench.fieldwork.collector.store import State, Store, StoreError, is_url

_log = logging.getLogger(__name__)
PORT = 8421
_GRACE_SECONDS, _LAST_SECONDS = 2, 0.5
"""How long requests are waited for at the end, and how much longer what is still to be written."""
_TICK_SECONDS = 0.2
_LOST_SECONDS = 30.0
"""So long somebody may take to put a database back that was moved."""
_COUNT_SECONDS, _STEP = 1.0, 10
_ANYWHERE = frozenset({"0.0.0.0", "::", ""})  # noqa: S104 (only compared with)
_EXPIRED, _NOT_YET = 10, 9
_OTHER_HOST = frozenset({62, 64})
"""What OpenSSL calls the ways in which a certificate can be wrong."""


@dataclass(frozen=True)
class ServeOptions:
    """How a collection is served.

    Parameters
    ----------
    host
        The address to listen at; ``0.0.0.0`` lets others in.
    port
        0 for any that is free.
    cert, key
        Files of a certificate and its key; both or neither.
    proxy
        The address of a proxy in front of it.
    origins
        Other sites whose pages may send rows.
    names
        Names under which people reach it, besides its addresses and those of the certificate.
    kiosk
        Whether the address is that of the page for many people one after the other.
    until
        When the collection closes and the server ends; None if it does not by itself.
    """

    host: str = "127.0.0.1"
    port: int = PORT
    cert: str = ""
    key: str = ""
    proxy: str = ""
    origins: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    kiosk: bool = False
    until: datetime | None = None

    @property
    def is_open_without_tls(self) -> bool:
        """Whether others on the network could read or change what is sent."""
        return not self.cert and not self.proxy and not _is_own(self.host)


OPEN_WARNING = Message(
    "On this network others could read the randomised answers or change the page."
)
TOKEN_WARNING = Message(
    "Someone who runs the computer and knows who got which token could watch both arrive. Let "
    "people draw slips from a bowl."
)


def _is_own(host: str) -> bool:
    with suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return host == "localhost"


def own_addresses(host: str = "::") -> tuple[str, ...]:
    """The addresses of this computer that others can reach, the likeliest first.

    A server at ``0.0.0.0`` has no addresses of the sixth version.
    """
    found = []
    for family, far in ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1")):
        # Nothing is sent: the system only says by which of its addresses it would be.
        with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((far, 9))
            found.append(str(probe.getsockname()[0]))
    with suppress(OSError):
        found += [str(one[4][0]) for one in socket.getaddrinfo(socket.gethostname(), None)]
    fitting = (one for one in found if host == "::" or ":" not in one)
    return tuple(dict.fromkeys(one for one in fitting if _is_reachable(one)))


def _is_reachable(address: str) -> bool:
    with suppress(ValueError):
        told = ipaddress.ip_address(address)
        return not (told.is_loopback or told.is_link_local or told.is_unspecified)
    return False


def open_socket(host: str, port: int) -> socket.socket:
    """A socket that listens."""
    try:
        return _bound(host, port)
    except OSError as error:
        if error.errno in (errno.EADDRINUSE, errno.EACCES) and port:
            taken = error.errno == errno.EADDRINUSE
            template = (
                "Port {port} is in use. Try {free}."
                if taken
                else "Port {port} is reserved for the system. Try {free}."
            )
            raise DataError.saying(
                template, port=str(port), free=str(_free_port(host, port)), field="port"
            ) from None
        raise DataError.saying(
            "{host!r} is not an address of this computer.", host=host, field="host"
        ) from None


def _bound(host: str, port: int) -> socket.socket:
    found = socket.getaddrinfo(host or "0.0.0.0", port, type=socket.SOCK_STREAM)  # noqa: S104
    family, kind, protocol, _, address = found[0]
    made = socket.socket(family, kind, protocol)
    try:
        if os.name == "posix":
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(address)
        # Another process that listens at the same port is only noticed now.
        made.listen(2_048)
        made.setblocking(False)
    except BaseException:
        # Whatever it was, also Ctrl+C: a socket that stays open keeps the port.
        made.close()
        raise
    return made


def _free_port(host: str, port: int) -> int:
    for candidate in [*range(max(port, 1_023) + 1, min(port + 50, 65_536)), 0]:
        with suppress(OSError), _bound(host, candidate) as made:
            return int(made.getsockname()[1])
    return 0


def check_certificate(cert: str, key: str, host: str) -> tuple[str, ...]:
    """Refuse a certificate that browsers would refuse; return the names that it is for.

    Both ends of a connection are tried out in memory, because that is what tells whether the key
    belongs to it, whether it is expired and for which host it is.
    """
    if bool(cert) != bool(key):
        raise DataError(
            "A certificate and its key go together; give both or neither.", field="cert"
        )
    server, client = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), ssl.create_default_context()
    try:
        # Without a password, so that nothing waits for somebody to type one.
        server.load_cert_chain(cert, key, password=lambda: b"")
        client.load_verify_locations(cert)
    except OSError as error:
        why = error.reason if isinstance(error, ssl.SSLError) else error.strerror
        raise DataError.saying(
            "{file} and its key cannot be used: {why}.", file=cert, why=str(why), field="cert"
        ) from None
    client.verify_flags |= ssl.VerifyFlags.VERIFY_X509_PARTIAL_CHAIN
    client.check_hostname = host not in _ANYWHERE
    try:
        return _names(_handshake(server, client, host))
    except ssl.SSLCertVerificationError as error:
        file = Path(cert).name
        if error.verify_code == _EXPIRED:
            raise DataError.saying("The certificate {file} is expired.", file=file) from None
        if error.verify_code == _NOT_YET:
            raise DataError.saying("The certificate {file} is not valid yet.", file=file) from None
        if error.verify_code in _OTHER_HOST:
            raise DataError.saying(
                "The certificate {file} is for another host than {host!r}.", file=file, host=host
            ) from None
        raise DataError.saying(
            "The certificate {file} is not valid: {why}.", file=file, why=error.verify_message
        ) from None


def _handshake(server: ssl.SSLContext, client: ssl.SSLContext, host: str) -> Mapping[str, Any]:
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    one = server.wrap_bio(to_server, to_client, server_side=True)
    name = None if host in _ANYWHERE else host
    other = client.wrap_bio(to_client, to_server, server_hostname=name)
    for _ in range(8):
        for end in (other, one):
            with suppress(ssl.SSLWantReadError):
                end.do_handshake()
    return other.getpeercert() or {}


def _names(told: Mapping[str, Any]) -> tuple[str, ...]:
    found = (str(value).lower() for kind, value in told.get("subjectAltName", ()) if kind == "DNS")
    return tuple(found)


def own_names() -> frozenset[str]:
    name = socket.gethostname().lower().rstrip(".")
    return frozenset({name, name.partition(".")[0], f"{name.partition('.')[0]}.local"}) - {""}


class _Server(uvicorn.Server):
    """Uvicorn's server, which ends at a signal as if it had been asked to."""

    _ending = math.inf

    @property
    def seconds_left(self) -> float:
        """How long the database may still take, now that no request is answered any more."""
        used = max(time.monotonic() - self._ending, 0.0)
        return max(_GRACE_SECONDS - used, 0.0) + _LAST_SECONDS

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._ending = time.monotonic()
        await super().shutdown(sockets)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        def on_signal(_number: int, _frame: object) -> None:
            self.should_exit = True

        names = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
        before = {}
        for number in (getattr(signal, name) for name in names if hasattr(signal, name)):
            # Python hands signals to the main thread only.
            with suppress(ValueError):
                # Who started it may want it to go on, as nohup does.
                if signal.getsignal(number) != signal.SIG_IGN:
                    before[number] = signal.signal(number, on_signal)
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


Report = Callable[[dict[str, Any]], None]


class CollectorServer:
    def __init__(self, store: Store, options: ServeOptions, report: Report) -> None:
        self._store = store
        self._options = options
        self._report = report

    def run(self, prepare: Callable[[], None] = lambda: None) -> tuple[int, State]:
        """Serve; returns answers and state of the round after all that arrived are on the disk.

        ``prepare`` may change the collection: it is called only when nothing is left that could
        keep it from being served.
        """
        options = self._options
        names: tuple[str, ...] = ()
        if options.cert or options.key:
            names = check_certificate(options.cert, options.key, options.host)
        lock = ServerLock(self._store.place)
        try:
            if not lock.acquire() or not self._store.try_serve():
                raise DataError.saying(
                    "{place} is already served by another process.", place=self._store.name
                )
            with self._prepared(prepare) as listening:
                return self._serve(listening, lock, names)
        except StoreError as error:
            raise DataError(error.sentence(self._store.name)) from None
        finally:
            lock.release()

    def _prepared(self, prepare: Callable[[], None]) -> socket.socket:
        """A socket that listens, when all is ready; what cannot be served leaves nothing behind."""
        listening = None
        try:
            listening = open_socket(self._options.host, self._options.port)
            self._check_kiosk()
            prepare()
        except BaseException:
            # Whatever it was, also Ctrl+C: nobody but this process knows of a new collection.
            if listening is not None:
                listening.close()
            if self._store.is_new:
                self._store.remove()
            raise
        return listening

    def _check_kiosk(self) -> None:
        if self._options.kiosk and make_pages(self._store.current()).kiosk is None:
            raise DataError("This design cannot be asked at a kiosk.", field="kiosk")

    def _serve(
        self, listening: socket.socket, lock: ServerLock, certified: tuple[str, ...]
    ) -> tuple[int, State]:
        options = self._options
        names = options.names | {*certified, options.host.lower()} | own_names()
        app = CollectorApp(self._store, AppOptions(options.proxy, options.origins, names))
        # What uvicorn has to say is about requests of strangers.
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
        config = uvicorn.Config(
            app,
            http=connection.connection_class(app),
            loop="auto",
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=_GRACE_SECONDS,
            ssl_certfile=options.cert or None,
            ssl_keyfile=options.key or None,
        )
        server = _Server(config)
        address = self._address(listening, certified)
        app.writer.start()
        try:
            with asyncio.Runner(loop_factory=_loop_factory()) as runner:
                runner.run(self._until_end(server, listening, app, lock, address))
        finally:
            app.writer.end()
            app.writer.join(server.seconds_left)
            if app.writer.is_alive():
                # The database does not answer. Nothing that waits for it was acknowledged: pages
                # keep those rows and send them again.
                self._store.abandon()
        self._store.check_place()
        is_over = app.writer.now.state in (State.CLOSING, State.CLOSED)
        return app.writer.answers, State.CLOSED if is_over else app.writer.now.state

    def _address(self, listening: socket.socket, certified: tuple[str, ...]) -> str:
        options = self._options
        host, port = options.host, int(listening.getsockname()[1])
        if host in _ANYWHERE:
            named = (name for name in (*certified, *sorted(options.names)) if "*" not in name)
            host = next(named, "") or next(iter(own_addresses(host)), "localhost")
        scheme = "https" if options.cert else "http"
        usual = 443 if options.cert else 80
        shown = f"[{host}]" if ":" in host else host
        place = "" if port == usual else f":{port}"
        return f"{scheme}://{shown}{place}/{'kiosk' if options.kiosk else ''}"

    async def _until_end(
        self, server: _Server, listening: socket.socket, app: CollectorApp, lock: ServerLock,
        address: str,
    ) -> None:  # fmt: skip
        loop = asyncio.get_running_loop()
        if self._options.cert:
            # Uvicorn leaves a minute for agreeing on keys, with no limit of connections.
            create = partial(loop.create_server, ssl_handshake_timeout=connection.REQUEST_SECONDS)
            setattr(loop, "create_server", create)  # noqa: B010 (there is no other way in)
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        while not server.started and not serving.done():
            await asyncio.sleep(0.01)
        options = self._options
        until = "" if options.until is None else options.until.isoformat(timespec="minutes")
        lock.note(
            RunningServer(
                os.getpid(), time.time(), address, options.host, bool(options.cert), until
            )
        )
        place = self._store.place
        # What is reported may end in a log, where a password is nobody's business.
        database = self._store.name if is_url(place) else place
        self._report({"event": "ready", "address": address, "database": database})
        told: object = self._counts(app)
        trouble: Message | None = None
        counted = time.monotonic()
        while not serving.done():
            await asyncio.wait([serving], timeout=_TICK_SECONDS)
            if lock.is_asked_to_stop():
                server.should_exit = True
            if options.until is not None and options.until <= datetime.now().astimezone():
                self._close(app, server)
            if app.writer.trouble != trouble:
                trouble = app.writer.trouble
                if trouble is not None:
                    self._report({"event": "trouble", "why": trouble})
            if not server.should_exit and self._is_lost(app):
                server.should_exit = True
            now = self._counts(app)
            if now != told and time.monotonic() - counted >= _COUNT_SECONDS:
                told, counted = now, time.monotonic()
                self._report({"event": "count", "answers": now[0], "refused": now[1]})
        await serving

    def _is_lost(self, app: CollectorApp) -> bool:
        """Whether the database has been missing for long: nothing can be stored any more."""
        since = app.writer.lost_since
        if since is None or time.monotonic() - since < _LOST_SECONDS:
            return False
        why = Message(
            "The collector ends: the database {file} was moved, replaced or deleted.",
            file=self._store.name,
        )
        _log.error("%s", why)
        self._report({"event": "trouble", "why": why})
        return True

    def _counts(self, app: CollectorApp) -> tuple[int, dict[str, int]]:
        """How many answers there are, and refused ones by reason.

        Answers in steps: nobody should see one person's answer arrive.
        """
        return app.writer.answers // _STEP * _STEP, dict(app.writer.refused)

    def _close(self, app: CollectorApp, server: _Server) -> None:
        if app.writer.now.state is State.CLOSED:
            server.should_exit = True
        else:
            app.writer.close_round()


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        factory: Callable[[], asyncio.AbstractEventLoop] = import_module("uvloop").new_event_loop
    except ImportError:
        return None
    return factory
