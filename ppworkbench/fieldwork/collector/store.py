"""Where a collector keeps answers: what every store does, in a file or in a server of databases.

Tables: ``meta`` (a row for each round: format, version, digest, design, questionnaire, state and
whether a token is needed), ``answer(id, day, round, row)``, ``token(hash)`` and
``refused(day, reason, n)``. Nothing else is stored: no address, no browser, no language, no time of
day, no order.

A log that SQLite or PostgreSQL writes ahead keeps the order of arrival until it is folded in;
:meth:`Store.fold` does so. :meth:`Store.finish` gives every row a fresh random id and writes all of
them again in the order of these, so that neither ids nor places in the file tell who came when.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, ClassVar

from ppworkbench.core.design import Design
from ppworkbench.core.design.design_file import design_from_json
from ppworkbench.core.errors import DataError, WorkbenchError
from ppworkbench.core.json_values import parse_json
from ppworkbench.core.message import Message
from ppworkbench.study.questionnaire.document import Questionnaire

FORMAT, VERSION = "ppworkbench-collection", 1
ANSWER_TABLE = (
    "CREATE TABLE {name}(id {bytes} PRIMARY KEY, day TEXT NOT NULL, round INTEGER NOT NULL, "
    "row TEXT NOT NULL){end}"
)
_TABLES = (
    (
        "CREATE TABLE meta(round INTEGER PRIMARY KEY, format TEXT NOT NULL, "
        "version INTEGER NOT NULL, digest TEXT NOT NULL, design TEXT NOT NULL, "
        "questionnaire TEXT NOT NULL, state TEXT NOT NULL, tokens INTEGER NOT NULL)"
    ),
    ANSWER_TABLE.replace("{name}", "answer"),
    "CREATE TABLE token(hash {bytes} PRIMARY KEY){end}",
    (
        "CREATE TABLE refused(day TEXT NOT NULL, reason TEXT NOT NULL, n {count} NOT NULL, "
        "PRIMARY KEY (day, reason)){end}"
    ),
)
ROUND_COLUMNS = "round, digest, design, questionnaire, state, tokens"
"""Of ``meta``, in the order in which :func:`make_round` takes them."""
_CHUNKS = 16
"""A round is read in so many parts, so that no text of it is too long."""


class State(StrEnum):
    """What a round does with an answer that arrives."""

    OPEN = "open"
    PAUSED = "paused"
    CLOSING = "closing"
    """Closed, but the rows still lie where they arrived: closing was interrupted or goes on."""
    CLOSED = "closed"


class Outcome(StrEnum):
    """What became of one submission; all but the first two are reasons of refusal."""

    STORED = "stored"
    KNOWN = "known"
    CONFLICT = "id"
    DESIGN = "design"
    TOKEN = "token"  # noqa: S105 (the name of a reason)
    CLOSED = "closed"
    PAUSED = "paused"


@dataclass(frozen=True)
class Submission:
    """One row on its way into a store; ``token`` is the hash of the word that was typed."""

    id: bytes
    digest: str
    row: str
    token: bytes | None = None


@dataclass(frozen=True)
class Round:
    """One row of ``meta``; design and questionnaire are JSON."""

    number: int
    digest: str
    design: str
    questionnaire: str
    state: State = State.OPEN
    needs_token: bool = False

    def read_design(self) -> Design:
        with undamaged(Message("the design")):
            return design_from_json(parse_json(self.design))

    def read_questionnaire(self) -> Questionnaire:
        with undamaged(Message("the questionnaire")):
            return Questionnaire.from_json(parse_json(self.questionnaire))


class StoreError(Exception):
    """The database is full, busy, gone or damaged; nothing of the batch is stored."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why
        """A phrase without a full stop."""

    def sentence(self, name: str) -> Message:
        return Message("The database {file} cannot be used now: {why}.", file=name, why=self.why)


class LostError(StoreError):
    """Nobody would find what is stored: the database is not where it was."""


class DamagedError(StoreError):
    """A part of the database cannot be read, and never will."""

    def sentence(self, name: str) -> Message:
        return Message(
            "The database {file} is damaged: {part} cannot be read. Use a copy from before.",
            file=name,
            part=self.why,
        )


@contextmanager
def undamaged(part: Message) -> Iterator[None]:
    try:
        yield
    except (ValueError, TypeError, LookupError, WorkbenchError) as error:
        raise DamagedError(part) from error


def token_hash(token: str) -> bytes:
    """What is stored of a token: people may write it in any case, with or without hyphens."""
    plain = "".join(letter for letter in token.lower() if letter.isalnum())
    return hashlib.sha256(plain.encode()).digest()


class Store(ABC):
    """One collection; used by one thread at a time."""

    def __init__(self, place: str) -> None:
        self.place = place
        self.is_new = False
        """Whether opening it has made it."""
        self._is_abandoned = False

    @property
    def name(self) -> str:
        """The file's name, or the address without a user, a password and options."""
        return place_name(self.place)

    _types: ClassVar[Mapping[str, str]]
    """What the database calls bytes and large counts, and how a table without row numbers ends."""

    def _make_tables(self) -> None:
        for table in _TABLES:
            self._run(table.format(**self._types))

    # What the two databases do in their own way

    @abstractmethod
    def transaction(self) -> AbstractContextManager[None]:
        """One transaction that writes; all or nothing. Raises :class:`StoreError`."""

    @abstractmethod
    def _read(self, query: str, **values: object) -> Sequence[Sequence[Any]]:
        """The rows of a query with named values. Raises :class:`StoreError`."""

    @abstractmethod
    def _run(self, query: str, **values: object) -> object:
        """Carry a statement with named values out, inside of a transaction."""

    @abstractmethod
    def current(self) -> Round:
        """The last round; inside of a transaction nobody can change it meanwhile."""

    @abstractmethod
    def known(self, ids: Sequence[bytes]) -> dict[bytes, str]:
        """The rows of those ids that are stored."""

    @abstractmethod
    def valid_tokens(self, hashes: Sequence[bytes]) -> set[bytes]:
        """Those of the hashes that are not spent."""

    @abstractmethod
    def spend(self, hashes: Sequence[bytes]) -> None:
        """Delete tokens."""

    @abstractmethod
    def insert(self, rows: Sequence[tuple[bytes, str, int, str]]) -> None:
        """Store id, day, round and row of each."""

    @abstractmethod
    def _put_tokens(self, hashes: Sequence[bytes]) -> None:
        """Store tokens that are not there yet; only inside of a transaction."""

    _joined: ClassVar[str]
    """All rows of a query as one text of many lines, in SQL."""

    @abstractmethod
    def _looking(self) -> AbstractContextManager[None]:
        """Whatever is written meanwhile, all that is read is as it was at one moment."""

    @abstractmethod
    def rewrite(self) -> None:
        """Give every row a fresh random id, in this order in the file, and forget all tokens."""

    @abstractmethod
    def fold(self) -> None:
        """Fold the log in that keeps the order of arrival."""

    @abstractmethod
    def version(self) -> object:
        """A value that is another one after every change by others."""

    @abstractmethod
    def disconnect(self) -> None:
        """Let go of the database."""

    @abstractmethod
    def remove(self) -> None:
        """Remove the collection, and let go of the database."""

    def try_serve(self) -> bool:
        """Take the right to serve the database, as far as it has such a right to give."""
        return True

    def check_place(self) -> None:  # noqa: B027 (a server of databases keeps its own)
        """Raise :class:`LostError` if nobody would find what was stored."""

    # What is the same for both

    def close(self) -> None:
        if not self._is_abandoned:
            self.disconnect()

    def abandon(self) -> None:
        """Do not wait for the database any more: a thread that uses it gets no answer."""
        self._is_abandoned = True

    def add_round(self, new: Round) -> None:
        """Begin a round; only inside of a transaction."""
        self._run(
            "INSERT INTO meta VALUES (:round, :format, :version, :digest, :design, :asked, :state, "
            ":tokens)",
            round=new.number, format=FORMAT, version=VERSION, digest=new.digest,
            design=new.design, asked=new.questionnaire, state=str(new.state),
            tokens=int(new.needs_token),
        )  # fmt: skip

    def put_state(self, number: int, state: State) -> None:
        """Change the state of a round; only inside of a transaction."""
        query = "UPDATE meta SET state = :state WHERE round = :round"
        self._run(query, state=str(state), round=number)

    def add_tokens(self, hashes: Sequence[bytes]) -> None:
        """Add tokens, from now on needed in the current round."""
        with self.transaction():
            self._put_tokens(sorted(hashes))
            self._run("UPDATE meta SET tokens = 1 WHERE round = (SELECT max(round) FROM meta)")

    def free_tokens(self, hashes: Sequence[bytes]) -> set[bytes]:
        """Those of the hashes with which an answer could be sent; all where none is needed."""
        with self.transaction():
            return self.valid_tokens(hashes) if self.current().needs_token else {*hashes}

    def add_refused(self, day: str, counts: Mapping[str, int]) -> None:
        query = (
            "INSERT INTO refused VALUES (:day, :reason, :n) "
            "ON CONFLICT (day, reason) DO UPDATE SET n = refused.n + excluded.n"
        )
        with self.transaction():
            for reason, count in counts.items():
                self._run(query, day=day, reason=reason, n=count)

    def lines(self, number: int) -> Iterator[str]:
        """The rows of a round as a few texts of many lines."""
        query = f"SELECT {self._joined} FROM answer WHERE round = :round AND id >= :start"  # noqa: S608
        with self._looking():
            for start, end in id_ranges():
                bound = {} if end is None else {"end": end}
                below = "" if end is None else " AND id < :end"
                [(found,)] = self._read(query + below, round=number, start=start, **bound)
                if found is not None:
                    yield str(found)

    def rounds(self) -> tuple[Round, ...]:
        found = self._read(f"SELECT {ROUND_COLUMNS} FROM meta ORDER BY round")  # noqa: S608
        return tuple(map(make_round, found))

    def count_tokens(self) -> int:
        return int(self._read("SELECT count(*) FROM token")[0][0])

    def refused(self) -> dict[str, int]:
        found = self._read("SELECT reason, sum(n) FROM refused GROUP BY reason ORDER BY reason")
        return {str(reason): int(count) for reason, count in found}

    def count(self, number: int) -> int:
        query = "SELECT count(*) FROM answer WHERE round = :round"
        return int(self._read(query, round=number)[0][0])

    def days(self, number: int) -> dict[str, int]:
        query = "SELECT day, count(*) FROM answer WHERE round = :round GROUP BY day ORDER BY day"
        return {str(day): int(count) for day, count in self._read(query, round=number)}

    def rows(self, number: int) -> list[tuple[bytes, str]]:
        """Ids and rows of a round, in the order of the ids, which are random."""
        query = "SELECT id, row FROM answer WHERE round = :round ORDER BY id"
        found = self._read(query, round=number)
        with undamaged(Message("an answer")):
            return [(bytes(id_), str(row)) for id_, row in found]

    def begin(self, new: Round) -> None:
        with self.transaction():
            self.add_round(new)

    def set_state(self, state: State) -> None:
        with self.transaction():
            self.put_state(self.current().number, state)

    def write(self, batch: Sequence[Submission], day: str) -> list[Outcome]:
        """Store submissions in one transaction; when this returns they are on the disk."""
        with self.transaction():
            return self._write(batch, day, self.current())

    def _write(self, batch: Sequence[Submission], day: str, now: Round) -> list[Outcome]:
        known = self.known([one.id for one in batch])
        tokens = {one.token for one in batch if one.token is not None}
        valid = self.valid_tokens([*tokens]) if now.needs_token and tokens else set()
        new: list[tuple[bytes, str, int, str]] = []
        spent: list[bytes] = []
        outcomes = []
        for one in batch:
            # Looked up first: who tries again because no answer came needs no second token.
            before = known.get(one.id)
            if before is not None:
                outcomes.append(Outcome.KNOWN if before == one.row else Outcome.CONFLICT)
                continue
            why = _refusal(one, now, valid)
            if why is not None:
                outcomes.append(why)
                continue
            if now.needs_token and one.token is not None:
                valid.discard(one.token)
                spent.append(one.token)
            known[one.id] = one.row
            new.append((one.id, day, now.number, one.row))
            outcomes.append(Outcome.STORED)
        if spent:
            self.spend(spent)
        if new:
            self.insert(new)
        return outcomes

    def finish(self) -> None:
        """Close the current round for good; what was interrupted is taken up again."""
        with self.transaction():
            now = self.current()
            if now.state is State.CLOSED:
                return
            self.put_state(now.number, State.CLOSING)
        self.rewrite()
        with self.transaction():
            self.put_state(now.number, State.CLOSED)
        self.fold()


def _refusal(one: Submission, now: Round, valid: set[bytes]) -> Outcome | None:
    if now.state in (State.CLOSING, State.CLOSED):
        return Outcome.CLOSED
    if one.digest != now.digest:
        return Outcome.DESIGN
    if now.state is State.PAUSED:
        return Outcome.PAUSED
    if now.needs_token and one.token not in valid:
        return Outcome.TOKEN
    return None


def check_format(place: str | Path, found: Sequence[Any] | None) -> None:
    if found is None or found[0] != FORMAT:
        raise no_collection(place)
    version = found[1]
    if not isinstance(version, int) or version > VERSION:
        raise DataError.saying(
            "{place} has version {version}, made by a newer ppworkbench; this one reads "
            "version {known}. Install the newer program.",
            place=place,
            version=str(version),
            known=VERSION,
        )


def no_collection(place: str | Path) -> DataError:
    return DataError.saying(
        "{place} is no database of a collector; choose another file.", place=place
    )


def make_round(found: Sequence[object]) -> Round:
    number, digest, design, questionnaire, state, tokens = found
    with undamaged(Message("the state of a round")):
        return Round(
            int(str(number)), str(digest), str(design), str(questionnaire), State(str(state)),
            bool(tokens),
        )  # fmt: skip


def id_ranges() -> list[tuple[bytes, bytes | None]]:
    """Parts of all ids, from the first to before the second."""
    starts = [bytes([place * 256 // _CHUNKS]) for place in range(_CHUNKS)]
    return [*zip(starts, [*starts[1:], None], strict=True)]


def is_url(place: str | Path) -> bool:
    """Whether a collection is in a server of databases, not in a file."""
    return isinstance(place, str) and "://" in place


def place_name(place: str | Path) -> str:
    """What may be said of a place: no password, which an address can hold in two ways.

    >>> place_name("postgresql+psycopg://me:secret@db.example.org/survey?password=secret")
    'db.example.org/survey'
    """
    if not is_url(place):
        return Path(place).name
    return str(place).rpartition("@")[2].rpartition("://")[2].partition("?")[0]
