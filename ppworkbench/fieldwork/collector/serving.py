"""Which process serves a collection: one at a time, found again whoever started it.

A server holds a lock on a small file for as long as it lives, and writes there how it is reached.
The system lets go of the lock when the process ends, however it ends, so that what a killed server
left is told from a running one. Beside a file of SQLite lies ``NAME.serving``; servers of a
PostgreSQL database are noted in the user's own folder. Nothing on the public port stops a server: a
file ``NAME.serving.stop`` asks it to end.

In the user's own folder every server also leaves a note of where that file is, so that all that
run for an account are found without knowing their databases.
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from ppworkbench.core.errors import DataError
from ppworkbench.core.files import make_private_folder
from ppworkbench.core.json_values import JsonError, parse_json
from ppworkbench.fieldwork.collector.store import is_url, place_name
from ppworkbench.study.files.recovery import take_lock

_START_SECONDS, _STOP_SECONDS = 90.0, 15.0
"""A process that fails to start ends by itself; one that is only slow on a busy machine is waited
for."""
_LOCKED_BYTE = 1 << 20
"""Windows keeps others from reading what is locked, so that it is a byte behind the text."""
_DETACHED = 0
if sys.platform == "win32":
    _DETACHED = subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP
_started: list[subprocess.Popen[bytes]] = []
"""Servers that this process started; they outlive it, but as long as it runs it must ask for their
end, or the system would keep a record of each."""


@dataclass(frozen=True)
class RunningServer:
    """A server as it noted itself; ``started`` in seconds since 1970.

    ``until`` is when it closes the collection, empty if it does not by itself.
    """

    pid: int
    started: float
    address: str
    host: str
    is_secure: bool
    until: str = ""


@dataclass(frozen=True)
class ListedServer:
    """A running server of this account, found without its database.

    ``name`` is that of the database, ``folder`` where it lies, empty for one that is no file.
    """

    name: str
    folder: str
    record: Path
    server: RunningServer


def _try_lock(file: IO[str]) -> bool:
    if sys.platform == "win32":
        file.seek(_LOCKED_BYTE)
    try:
        take_lock(file.fileno())
    except OSError:
        return False
    return True


def record_path(place: str | Path) -> Path:
    try:
        if is_url(place):
            # The address may hold a password, which is nobody's business here.
            name = hashlib.sha256(str(place).encode()).hexdigest()[:16]
            return _own_folder() / f"{name}.serving"
        path = Path(os.path.realpath(place))
        return path.with_name(f"{path.name}.serving")
    except ValueError:
        raise DataError("No file can have this name; choose another one.") from None


def _own_folder() -> Path:
    base = os.environ.get("LOCALAPPDATA") or os.environ.get("XDG_STATE_HOME")
    folder = (Path(base) if base else Path.home() / ".local" / "state") / "ppworkbench"
    make_private_folder(folder)
    return folder


def _list_folder() -> Path:
    folder = _own_folder() / "collectors"
    make_private_folder(folder)
    return folder


def _list_path(record: Path) -> Path:
    return _list_folder() / f"{hashlib.sha256(os.fsencode(record)).hexdigest()[:16]}.json"


class ServerLock:
    """The right to serve a collection; held until it is released or the process ends."""

    def __init__(self, place: str | Path) -> None:
        self._path = record_path(place)
        self._stop = _stop_path(self._path)
        self._file: IO[str] | None = None
        # An address may hold a password; its record alone is enough to find and stop the server.
        folder = "" if is_url(place) else str(self._path.parent)
        self._listed = {"name": place_name(place), "folder": folder, "record": str(self._path)}

    def acquire(self, seconds: float = 1.0) -> bool:
        """Take the lock; False if another process has it.

        Who looks for a running server holds it for a moment, so that it is tried for a while.
        """
        limit = time.monotonic() + seconds
        while True:
            file = _open(self._path)
            if _try_lock(file) and _is_at(file, self._path):
                self._file = file
                with suppress(OSError):
                    self._stop.unlink(missing_ok=True)
                return True
            file.close()
            if time.monotonic() > limit:
                return False
            time.sleep(0.05)

    def note(self, server: RunningServer) -> None:
        assert self._file is not None  # noqa: S101 (only the owner of the lock notes)
        self._file.seek(0)
        self._file.truncate()
        self._file.write(json.dumps(vars(server)))
        self._file.flush()
        # Where the account has no folder that can be written answers are taken all the same.
        with suppress(OSError, DataError), _open(_list_path(self._path)) as listed:
            listed.truncate()
            listed.write(json.dumps(self._listed))

    def is_asked_to_stop(self) -> bool:
        return self._stop.exists()

    def release(self) -> None:
        if self._file is None:
            return
        with suppress(OSError):
            _list_path(self._path).unlink(missing_ok=True)
        for path in (self._path, self._stop):
            with suppress(OSError):
                path.unlink(missing_ok=True)
        self._file.close()
        self._file = None
        # Windows does not remove what is open.
        with suppress(OSError):
            if os.name == "nt":
                self._path.unlink(missing_ok=True)


def _stop_path(record: Path) -> Path:
    return record.with_name(f"{record.name}.stop")


def _open(path: Path) -> IO[str]:
    def private(name: str, flags: int) -> int:
        return os.open(name, flags | os.O_CREAT, 0o600)

    try:
        return open(path, "r+", encoding="utf-8", opener=private)
    except OSError as error:
        raise DataError.saying(
            "{file} cannot be written: {strerror}.", file=path, strerror=error.strerror or ""
        ) from None


def _is_at(file: IO[str], path: Path) -> bool:
    """Whether the file is still the one of that name: its last owner may have removed it."""
    with suppress(OSError):
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    return False


def find_server(place: str | Path) -> RunningServer | None:
    """The server that serves a collection now; None if there is none, or it is still starting."""
    return _find_at(record_path(place))


def _find_at(record: Path, forgotten: Path | None = None) -> RunningServer | None:
    """The server of a record; what is ``forgotten`` is removed if there is none."""
    for one in _started:
        one.poll()
    try:
        file = record.open("r+", encoding="utf-8")
    except OSError:
        if forgotten is not None:
            forgotten.unlink(missing_ok=True)
        return None
    with file:
        if _try_lock(file):
            # Whoever holds the lock is the only one to note a server.
            if forgotten is not None:
                forgotten.unlink(missing_ok=True)
            return None
        file.seek(0)
        try:
            given = parse_json(file.read(_LOCKED_BYTE))
            return RunningServer(
                int(given["pid"]), float(given["started"]), str(given["address"]),
                str(given["host"]), bool(given["is_secure"]), str(given.get("until", "")),
            )  # fmt: skip
        except (JsonError, OSError, ValueError, KeyError, TypeError):
            return None


def start_server(place: str | Path, options: Sequence[str] = ()) -> RunningServer:
    """Serve a collection in a process of its own, which goes on when this one ends.

    ``options`` are those of the command ``serve``. Returns when the server answers.
    """
    before = time.time()
    record_path(place)
    with tempfile.TemporaryFile() as said:
        started = _start([*_program(), "serve", os.fspath(place), *options], said)
        _started.append(started)
        limit = time.monotonic() + _START_SECONDS
        while started.poll() is None and time.monotonic() < limit:
            found = find_server(place)
            # On Windows the Python of an environment starts another one, which has its own number.
            if found is not None and (found.pid == started.pid or found.started >= before):
                return found
            time.sleep(0.05)
        said.seek(0)
        lines = said.read().decode("utf-8", "replace").strip().splitlines()
    if started.poll() is None:
        _end(started)
        raise DataError("The collector did not start in time; try again.")
    sentence = lines[-1].removeprefix("ppworkbench: ") if lines else ""
    raise DataError(sentence or "The collector ended without a word; see the log.")


def _start(command: list[str], said: IO[bytes]) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(  # noqa: S603 (this very program)
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=said,
            # A session of its own: closing the terminal or the window does not end it.
            start_new_session=True,
            creationflags=_DETACHED,
        )
    except ValueError:
        # A zero byte, or half of a letter.
        raise DataError(
            "A path or an address holds a character that none can have; choose another one."
        ) from None


def _end(started: subprocess.Popen[bytes]) -> None:
    if sys.platform == "win32":
        started.terminate()
    else:
        with suppress(ProcessLookupError):
            os.killpg(started.pid, signal.SIGTERM)


def _program() -> list[str]:
    if getattr(sys, "frozen", False):
        # As for files of statistics: on Windows the window of a bundle has no standard output, so
        # that the program of that name that has one is started.
        here = Path(sys.executable)
        return [str(here.with_name("ppworkbench").with_suffix(here.suffix))]
    return [sys.executable, "-m", "ppworkbench"]


def stop_server(place: str | Path) -> bool:
    """Ask the server of a collection to end and wait for it; False if it does not."""
    return _stop_at(record_path(place))


def running_servers() -> tuple[ListedServer, ...]:
    """All servers that run for this account, whoever started them, the oldest first."""
    found = []
    with suppress(OSError):
        for path in _list_folder().glob("*.json"):
            with suppress(OSError, JsonError, KeyError, TypeError, ValueError):
                given = parse_json(path.read_text(encoding="utf-8"))
                record = Path(str(given["record"]))
                server = _find_at(record, path)
                if server is not None:
                    told = str(given["name"]), str(given["folder"])
                    found.append(ListedServer(*told, record, server))
    return tuple(sorted(found, key=lambda one: one.server.started))


def stop_listed(one: ListedServer) -> bool:
    return _stop_at(one.record)


def _stop_at(record: Path) -> bool:
    if _find_at(record) is None:
        return True
    stop = _stop_path(record)
    try:
        _open(stop).close()
    except DataError:
        return False
    limit = time.monotonic() + _STOP_SECONDS
    while _find_at(record) is not None:
        if time.monotonic() > limit:
            return False
        time.sleep(0.05)
    with suppress(OSError):
        stop.unlink(missing_ok=True)
    return True
