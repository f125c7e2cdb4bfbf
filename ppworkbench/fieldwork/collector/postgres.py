"""A collection in a PostgreSQL database, for servers that have one; see ``store``.

SQLAlchemy and psycopg are an extra of the installation and imported only here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message
from ppworkbench.fieldwork.collector.store import (
    ANSWER_TABLE,
    ROUND_COLUMNS,
    Round,
    Store,
    StoreError,
    check_format,
    make_round,
    no_collection,
)

if TYPE_CHECKING:
    from sqlalchemy import Connection, CursorResult

_DRIVER = "postgresql+psycopg"
_SERVED = 0x70707762
"""The advisory lock of the process that serves: no two servers share a database."""


class PostgresStore(Store):
    _types = {"bytes": "BYTEA", "count": "BIGINT", "end": ""}  # noqa: RUF012
    _joined = "string_agg(row, chr(10))"

    def __init__(self, url: str, first: Round | None = None) -> None:
        super().__init__(url)
        self._serves = False
        if not url.startswith(f"{_DRIVER}://"):
            raise DataError.saying(
                "The address of a database begins with {driver!r}; other databases are not "
                "supported.",
                driver=f"{_DRIVER}://",
                field="db",
            )
        try:
            import sqlalchemy
            from sqlalchemy.exc import SQLAlchemyError
        except ImportError:
            raise _no_extra() from None
        self._error = SQLAlchemyError
        self._text = sqlalchemy.text
        try:
            self._engine = sqlalchemy.create_engine(
                url, connect_args={"connect_timeout": 10}, poolclass=sqlalchemy.NullPool
            )
            self._connection: Connection = self._engine.connect()
        except ImportError:
            raise _no_extra() from None
        except (SQLAlchemyError, ValueError) as error:
            raise self._unreachable(error) from None
        try:
            self._set_up(first)
        except SQLAlchemyError as error:
            self.close()
            raise self._unreachable(error) from None
        except BaseException:
            # Whatever it was, also Ctrl+C: a connection that stays open keeps its locks.
            self.close()
            raise

    def _unreachable(self, error: Exception) -> DataError:
        why = str(getattr(error, "orig", None) or error).strip().splitlines()
        return DataError.saying(
            "The database {place} cannot be used: {why}.",
            place=self.name,
            why=why[0].rstrip(".") if why else type(error).__name__,
        )

    def _set_up(self, first: Round | None) -> None:
        # Two that begin at the same moment: the second one sees what the first one made.
        self._run("SELECT pg_advisory_xact_lock(:key)", key=_SERVED + 1)
        is_there = self._run("SELECT to_regclass('meta') IS NOT NULL").scalar()
        if not is_there:
            if first is None:
                raise no_collection(self.name)
            self._make_tables()
            self.add_round(first)
        else:
            self._check_format()
        self._connection.commit()
        self.is_new = not is_there

    def _check_format(self) -> None:
        found: Sequence[Any] | None = None
        with suppress(self._error):
            query = "SELECT format, version FROM meta ORDER BY round DESC LIMIT 1"
            found = self._run(query).first()
        check_format(self.name, found)

    def _reconnect(self) -> None:
        """Connect anew, with the right to serve if that went with the connection before."""
        self._connection = self._engine.connect()
        if self._serves and not self._take_lock():
            self._connection.close()
            raise StoreError(Message("it is served by another process"))

    def _run(self, query: str, **values: object) -> CursorResult[Any]:
        if self._connection.closed:
            self._reconnect()
        return self._connection.execute(self._text(query), values)

    def _read(self, query: str, **values: object) -> list[Sequence[Any]]:
        is_inside = self._connection.in_transaction()
        try:
            return [tuple(row) for row in self._run(query, **values)]
        except self._error as error:
            raise self._broken(error) from error
        finally:
            if not is_inside:
                self._rollback()

    def _rollback(self) -> None:
        with suppress(self._error):
            self._connection.rollback()

    def _broken(self, error: Exception) -> StoreError:
        """An error of the database; a connection that is gone is replaced when it is needed."""
        if getattr(error, "connection_invalidated", False):
            with suppress(self._error):
                self._connection.close()
        return StoreError(str(getattr(error, "orig", None) or error).splitlines()[0])

    @contextmanager
    def transaction(self) -> Iterator[None]:
        try:
            # A commit is on the disk of the server when it returns, whatever its settings say.
            self._run("SET LOCAL synchronous_commit = on")
            self._run("SET LOCAL lock_timeout = '5s'")
            yield
            self._connection.commit()
        except self._error as error:
            self._rollback()
            raise self._broken(error) from error
        except BaseException:
            # Whoever leaves a transaction by an error, be it Ctrl+C, must not leave it open.
            self._rollback()
            raise

    def current(self) -> Round:
        """The last round; who writes holds it so that it cannot be closed meanwhile."""
        hold = " FOR SHARE" if self._connection.in_transaction() else ""
        query = f"SELECT {ROUND_COLUMNS} FROM meta ORDER BY round DESC LIMIT 1{hold}"  # noqa: S608
        return make_round(self._read(query)[0])

    def known(self, ids: Sequence[bytes]) -> dict[bytes, str]:
        found = self._read("SELECT id, row FROM answer WHERE id = ANY(:ids)", ids=list(ids))
        return {bytes(id_): str(row) for id_, row in found}

    def valid_tokens(self, hashes: Sequence[bytes]) -> set[bytes]:
        query = "SELECT hash FROM token WHERE hash = ANY(:hashes) FOR UPDATE"
        return {bytes(found[0]) for found in self._read(query, hashes=list(hashes))}

    def spend(self, hashes: Sequence[bytes]) -> None:
        self._run("DELETE FROM token WHERE hash = ANY(:hashes)", hashes=list(hashes))

    def insert(self, rows: Sequence[tuple[bytes, str, int, str]]) -> None:
        ids, days, rounds, lines = zip(*rows, strict=True)
        self._run(
            "INSERT INTO answer SELECT * FROM unnest(CAST(:ids AS bytea[]), CAST(:days AS text[]), "
            "CAST(:rounds AS integer[]), CAST(:lines AS text[]))",
            ids=list(ids), days=list(days), rounds=list(rounds), lines=list(lines),
        )  # fmt: skip

    def _put_tokens(self, hashes: Sequence[bytes]) -> None:
        self._run(
            "INSERT INTO token SELECT * FROM unnest(CAST(:hashes AS bytea[])) "
            "ON CONFLICT DO NOTHING",
            hashes=list(hashes),
        )

    @contextmanager
    def _looking(self) -> Iterator[None]:
        try:
            self._run("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            yield
        except self._error as error:
            raise self._broken(error) from error
        finally:
            self._rollback()

    def rewrite(self) -> None:
        """Write all rows anew under fresh ids: a new table knows nothing of the old one's order."""
        with self.transaction():
            self._run("TRUNCATE token")
            self._run(ANSWER_TABLE.format(name="fresh", **self._types))
            self._run(
                "INSERT INTO fresh SELECT decode(md5(gen_random_uuid()::text), 'hex') AS fresh_id, "
                "day, round, row FROM answer ORDER BY fresh_id"
            )
            self._run("DROP TABLE answer")
            self._run("ALTER TABLE fresh RENAME TO answer")
            self._run("ALTER INDEX fresh_pkey RENAME TO answer_pkey")

    def fold(self) -> None:
        """Nothing: the log belongs to the server of the database and is recycled by it."""

    def version(self) -> object:
        return self._read(
            "SELECT (SELECT count(*) FROM answer), (SELECT count(*) FROM token), "
            "(SELECT sum(n) FROM refused), (SELECT string_agg(state, ',') FROM meta)"
        )[0]

    def try_serve(self) -> bool:
        """Take the right to serve the database for as long as this connection lives."""
        self._serves = self._take_lock()
        return self._serves

    def _take_lock(self) -> bool:
        return bool(self._read("SELECT pg_try_advisory_lock(:key)", key=_SERVED)[0][0])

    def disconnect(self) -> None:
        self._rollback()
        with suppress(self._error):
            self._connection.close()
            self._engine.dispose()

    def remove(self) -> None:
        with suppress(StoreError), self.transaction():
            self._run("DROP TABLE meta, answer, token, refused")
        self.disconnect()


def _no_extra() -> DataError:
    return DataError(
        "Databases of PostgreSQL need two more libraries; install them with "
        "pip install 'ppworkbench[postgres]'.",
        field="db",
    )
