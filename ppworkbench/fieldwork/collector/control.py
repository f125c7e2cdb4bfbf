"""What the window and the commands do with a collection; there is no other way to control one.

The database is the control: a running server looks at it twice a second. Nothing here needs a
server to run, and nothing on the server's public port controls or counts.

``place`` is a file (str or Path) or the address of a PostgreSQL database. Every error is a
``DataError`` with one sentence. A collection may be used from several threads.
"""

from __future__ import annotations

import errno
import json
import os
import sqlite3
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from threading import RLock
from typing import Self

from ppworkbench.core.data.table import Table
from ppworkbench.core.design import Design
from ppworkbench.core.design.design_file import (
    design_digest,
    design_to_json,
    publishable,
)
from ppworkbench.core.errors import DataError
from ppworkbench.core.files import check_file
from ppworkbench.core.message import Message
from ppworkbench.fieldwork.collector.rows import ReportedCounts, RowCodec
from ppworkbench.fieldwork.collector.serving import (
    ListedServer,
    RunningServer,
    find_server,
    running_servers,
    start_server,
    stop_listed,
    stop_server,
)
from ppworkbench.fieldwork.collector.sqlite import SqliteStore, has_store_tables
from ppworkbench.fieldwork.collector.store import (
    FORMAT,
    Round,
    State,
    Store,
    StoreError,
    is_url,
    token_hash,
)
from ppworkbench.fieldwork.collector.tokens import new_tokens
from ppworkbench.fieldwork.page.page import served_page
from ppworkbench.study.questionnaire.document import Questionnaire
from ppworkbench.study.questionnaire.texts import Texts, texts_of

_MAGIC = b"SQLite format 3\0"
_LONGEST_NAME = 255 - len(".serving.stop")
"""Bytes of a name that leave room for what lies beside the database while it is served."""


def is_database(place: str | Path) -> bool:
    """Whether it is an address or a file of SQLite, whoever has made it."""
    if is_url(place):
        return True
    path = Path(place)
    try:
        # Opening a pipe would wait until somebody writes into it.
        if not path.is_file():
            return False
        with path.open("rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False


def is_collection(place: str | Path) -> bool:
    """Whether it is a collector's database, also a damaged one, by its first bytes and tables."""
    if is_url(place):
        return True
    path = Path(place)
    try:
        if not is_database(path):
            return False
        connection = sqlite3.connect(path.absolute().as_uri() + "?mode=ro", uri=True)
    except (OSError, sqlite3.Error):
        return False
    try:
        if has_store_tables(connection):
            return True
        found = connection.execute("SELECT format FROM meta LIMIT 1").fetchone()
    except sqlite3.Error:
        return False
    finally:
        connection.close()
    return found is not None and found[0] == FORMAT


def _check_name(path: Path) -> None:
    try:
        is_long = len(os.fsencode(path.name)) > _LONGEST_NAME
        path.lstat()
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        pass
    except (OSError, ValueError) as error:
        if not isinstance(error, OSError) or error.errno != errno.ENAMETOOLONG:
            raise DataError("No file can have this name; choose another one.") from None
        is_long = True
    if is_long:
        raise DataError("The file name of the database is too long; choose a shorter one.")


def open_store(place: str | Path, first: Round | None = None) -> Store:
    """The store at a file or address; a new one begins with the round that is given."""
    if is_url(place):
        # SQLAlchemy is an extra of the installation.
        from ppworkbench.fieldwork.collector.postgres import PostgresStore

        return PostgresStore(str(place), first)
    path = Path(place)
    _check_name(path)
    check_file(path)
    if first is None and not path.exists():
        raise DataError.saying("{file} does not exist.", file=path)
    return SqliteStore(path, first)


__all__ = [
    "Collection",
    "ListedServer",
    "ReportedCounts",
    "RunningServer",
    "State",
    "Status",
    "find_server",
    "is_collection",
    "is_database",
    "open_collection",
    "running_servers",
    "start_collection",
    "start_server",
    "stop_listed",
    "stop_server",
    "why_unreliable",
]

_NETWORK = frozenset(
    {"nfs", "nfs4", "cifs", "smb3", "smbfs", "afs", "ncpfs", "fuse.sshfs", "9p", "ceph"}
)
STEP, LEAST = 10, 5
"""What is shown moves in steps of so many answers, each with at least so many new ones."""


@dataclass(frozen=True)
class Status:
    """A collection as it is now.

    Parameters
    ----------
    answers
        Those of this round, exactly; not to be shown while it is open.
    shown
        The same in steps, so that nobody sees what the last person's answer did; exact once closed.
    refused
        How many were refused in all rounds, by reason: ``answers``, ``busy``, ``closed``,
        ``design``, ``id``, ``often``, ``origin``, ``paused``, ``size``, ``slow``, ``token``,
        ``type``.
    days
        Answers of this round by day (``2026-05-04``).
    address
        Of the running server; None if none runs.
    tokens_left
        None where no token is needed.
    until
        When the running server closes the collection; empty if it does not by itself.
    """

    state: State
    answers: int
    shown: int
    refused: Mapping[str, int]
    days: Mapping[str, int]
    round: int
    address: str | None
    tokens_left: int | None
    until: str = ""


def start_collection(
    place: str | Path, design: Design, questionnaire: Questionnaire | None = None
) -> Collection:
    """A collection for a design: a new one, or one that was begun with the same design."""
    collection = Collection(open_store(place, _round(1, design, questionnaire)))
    return _checked(collection, design, must_be_open=True)


def open_collection(
    place: str | Path, design: Design | None = None, *, must_be_open: bool = False
) -> Collection:
    """A collection that exists; with a design, only one of that design."""
    return _checked(Collection(open_store(place)), design, must_be_open=must_be_open)


def _checked(collection: Collection, design: Design | None, *, must_be_open: bool) -> Collection:
    try:
        collection.check_undamaged(with_answers=must_be_open)
        collection.take_up_closing()
        if design is not None:
            collection.check_design(design)
        if must_be_open and collection.state is State.CLOSED:
            raise DataError.saying(
                "The collection in {file} is closed; choose another database or start a new round.",
                file=collection.name,
            )
    except BaseException:
        # Whatever it was, also Ctrl+C: nobody else lets go of the database.
        collection.disconnect()
        raise
    return collection


def why_unreliable(place: str | Path) -> Message | None:
    if not _is_on_network(place):
        return None
    return Message(
        "{file} is on a network drive, where locks are unreliable; use a drive of this computer.",
        file=Path(place).name,
    )


def _is_on_network(place: str | Path) -> bool:
    """Whether a file lies on a drive of another computer, where locks are unreliable."""
    if is_url(place):
        return False
    path = Path(os.path.realpath(place))
    if sys.platform == "win32":
        import ctypes

        drive = path.drive + "\\"
        return drive.startswith("\\\\") or ctypes.windll.kernel32.GetDriveTypeW(drive) == 4
    found, kind = "", ""
    with suppress(OSError):
        for line in Path("/proc/mounts").read_text(encoding="utf-8").splitlines():
            parts = line.split()
            mount = parts[1].replace("\\040", " ")
            if len(mount) >= len(found) and path.is_relative_to(mount):
                found, kind = mount, parts[2]
    return kind in _NETWORK


def _round(number: int, design: Design, questionnaire: Questionnaire | None) -> Round:
    published = publishable(design)
    if questionnaire is None:
        texts: Texts = texts_of(one.attribute for one in published)
        questionnaire = Questionnaire.of_design(published, texts, "en")
    # What cannot be asked is refused here, not where a server already runs.
    served_page(published, questionnaire)
    return Round(
        number,
        design_digest(published),
        json.dumps(design_to_json(published), ensure_ascii=False),
        json.dumps(questionnaire.to_json(), ensure_ascii=False),
    )


class Collection:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = RLock()
        self._changes = 0
        self._codecs: dict[str, RowCodec] = {}
        self._days: tuple[object, dict[str, int]] | None = None
        self._reported: tuple[object, ReportedCounts] | None = None
        self._live: tuple[object, ReportedCounts] | None = None
        self._shown = (0, 0, 0)
        """Round, answers at the last step, and how many were shown then."""

    @property
    def place(self) -> str:
        return self._store.place

    @property
    def name(self) -> str:
        """The file's name, or what the address says without a password."""
        return self._store.name

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.disconnect()

    def disconnect(self) -> None:
        with self._lock:
            self._store.close()

    def discard(self) -> None:
        """Remove the database if this object has made it and it holds no answer; let go of it."""
        with self._using() as store:
            if store.is_new and not store.count(store.current().number):
                store.remove()
            else:
                store.close()

    @contextmanager
    def _using(self) -> Iterator[Store]:
        with self._lock:
            try:
                yield self._store
            except StoreError as error:
                raise DataError(error.sentence(self.name)) from None

    @property
    def store(self) -> Store:
        return self._store

    @property
    def needs_token(self) -> bool:
        return self._current().needs_token

    @property
    def state(self) -> State:
        """What the collection does with answers; closed also while it is being closed."""
        return _told(self._current().state)

    def _current(self) -> Round:
        with self._using() as store:
            return store.current()

    def _find(self, number: int | None) -> Round:
        with self._using() as store:
            if number is None:
                return store.current()
            for one in store.rounds():
                if one.number == number:
                    return one
        raise DataError.saying(
            "There is no round {number} in {file}.", number=number, file=self.name
        )

    def check_design(self, design: Design) -> None:
        if design_digest(design) != self._current().digest:
            raise DataError.saying(
                "{file} holds answers of another design; choose another database, or start a new "
                "round.",
                file=self.name,
            )

    def check_undamaged(self, *, with_answers: bool) -> None:
        """Refuse a round that nobody could read afterwards; a design of its own only.

        Answers name the digest of the design that their page has: with another one stored, all of
        them are refused.
        """
        now = self._current()
        with self._using() as store:
            if design_digest(now.read_design()) != now.digest:
                raise DataError.saying(
                    "The database {file} is damaged: its design is not the one that people were "
                    "asked by. Use a copy from before.",
                    file=self.name,
                )
            if with_answers:
                # Whether they can be read at all; what they say is looked at when they are used.
                for _ in store.lines(now.number):
                    pass

    def design(self, round: int | None = None) -> Design:  # noqa: A002 (it is a round)
        found = self._find(round)
        with self._using():
            return found.read_design()

    def questionnaire(self, round: int | None = None) -> Questionnaire:  # noqa: A002
        found = self._find(round)
        with self._using():
            return found.read_questionnaire()

    # Changes

    def pause(self) -> None:
        """Take no answers for a while; pages keep theirs and try again."""
        with self._using() as store:
            self._refuse_closed()
            store.set_state(State.PAUSED)
            store.fold()
            self._changes += 1

    def resume(self) -> None:
        with self._using() as store:
            self._refuse_closed()
            store.set_state(State.OPEN)
            self._changes += 1

    def close(self) -> None:
        """Take no more answers, and write all rows anew so that nothing tells who came when."""
        with self._using() as store:
            store.finish()
            self._changes += 1

    def take_up_closing(self) -> None:
        """Finish what a crash interrupted: rows of a closed round must not tell who came when."""
        with self._lock, suppress(StoreError):
            if self._store.current().state is State.CLOSING:
                self._store.finish()

    def new_round(
        self, design: Design | None = None, questionnaire: Questionnaire | None = None
    ) -> int:
        """Close this round and begin another one, perhaps with another design; its number.

        Where a token was needed one is needed again: new ones, because closing forgets the old.
        """
        with self._using() as store:
            now = store.current()
            asked = questionnaire or (self.questionnaire() if design is None else None)
            new = _round(now.number + 1, design or self.design(), asked)
            store.finish()
            store.begin(replace(new, needs_token=now.needs_token))
            self._changes += 1
            return new.number

    def _refuse_closed(self) -> None:
        if self.state is State.CLOSED:
            raise DataError.saying("The collection in {file} is closed.", file=self.name)

    def make_tokens(self, count: int) -> tuple[str, ...]:
        """New tokens of 60 random bits; every answer of this round needs one from now on."""
        words = new_tokens(count)
        self.add_tokens(words)
        return words

    def add_tokens(self, words: Iterable[str]) -> None:
        hashes = [token_hash(word) for word in words]
        with self._using() as store:
            self._refuse_closed()
            store.add_tokens(hashes)
            self._changes += 1

    # What is there

    def _version(self) -> object:
        return self._store.version(), self._changes

    def _count_days(self, now: Round) -> dict[str, int]:
        """Answers by day, counted again only if something has changed."""
        key = (now.number, self._version())
        if self._days is None or self._days[0] != key:
            self._days = (key, self._store.days(now.number))
        return self._days[1]

    def _count(self, now: Round) -> int:
        """Answers of a round, without a look at their days, which takes longer."""
        key = (now.number, self._version())
        if self._days is not None and self._days[0] == key:
            return sum(self._days[1].values())
        return self._store.count(now.number)

    def status(self) -> Status:
        with self._using() as store:
            now = store.current()
            days = self._count_days(now)
            answers = sum(days.values())
            server = find_server(self.place)
            return Status(
                _told(now.state),
                answers,
                self._step(now, answers),
                store.refused(),
                days,
                now.number,
                None if server is None else server.address,
                store.count_tokens() if now.needs_token else None,
                "" if server is None else server.until,
            )

    def _step(self, now: Round, answers: int) -> int:
        if _told(now.state) is State.CLOSED:
            return answers
        number, before, shown = self._shown
        if number != now.number:
            before, shown = 0, 0
        reached = answers // STEP * STEP
        # Whoever looks late at one step must not look early at the next.
        if reached > shown and answers - before >= LEAST:
            before, shown = answers, reached
        self._shown = now.number, before, shown
        return shown

    def table(self, round: int | None = None) -> Table:  # noqa: A002
        """The reported answers of a round in random order; also while it is open."""
        with self._using() as store:
            found = self._find(round)
            return self._codec(found).table(store.lines(found.number))

    def answers_with_ids(self) -> tuple[Table, tuple[str, ...]]:
        """The reported answers of this round and the id of each, in the order of these.

        An id tells whether an answer was read before, until closing gives all of them new ones.
        """
        with self._using() as store:
            now = store.current()
            found = store.rows(now.number)
            table = self._codec(now).ordered_table("\n".join(row for _, row in found))
            return table, tuple(id_.hex() for id_, _ in found)

    def _codec(self, of: Round) -> RowCodec:
        if of.digest not in self._codecs:
            self._codecs[of.digest] = RowCodec(of.read_design())
        return self._codecs[of.digest]

    def reported(self, round: int | None = None) -> ReportedCounts:  # noqa: A002
        with self._using() as store:
            found = self._find(round)
            key = (found.number, self._version())
            if self._reported is None or self._reported[0] != key:
                counts = self._codec(found).counts(store.lines(found.number))
                self._reported = (key, counts)
            return self._reported[1]

    def live(self) -> ReportedCounts:
        """The counts for what is shown while answers arrive: the same until the next step."""
        with self._using():
            now = self._current()
            shown = self._step(now, self._count(now))
            key = (now.number, shown, _told(now.state) is State.CLOSED)
            if self._live is None or self._live[0] != key:
                found = self.reported() if shown else self._codec(now).counts(())
                self._live = (key, found)
                # The next step counts from what these counts hold, which may be a few more.
                self._shown = now.number, found.answers, shown
            return self._live[1]


def _told(state: State) -> State:
    return State.CLOSED if state is State.CLOSING else state
