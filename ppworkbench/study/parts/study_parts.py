"""The folder of parts that a study's table is a sample of, and who works on all of its rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

from ppworkbench.core.engines import LOCAL
from ppworkbench.core.errors import DataError, WorkbenchError
from ppworkbench.core.message import Message

if TYPE_CHECKING:
    from ppworkbench.core.data.parts import Parts
    from ppworkbench.core.engines import Engine

SAMPLE_ROWS = 100_000
"""Rows of the sample unless somebody asks otherwise."""


@dataclass(frozen=True)
class StudyParts:
    """A folder of parts as a study remembers it.

    Parameters
    ----------
    address
        A folder of this computer, or an address with a scheme such as ``s3://``.
    files, rows
        How many parts and rows it had when the sample was drawn.
    engine
        Who works on the parts, as the command line writes it: ``local:4``, ``dask://HOST:PORT``.
    """

    address: str
    files: int
    rows: int
    engine: str = LOCAL

    def open(self) -> Parts:
        """The parts as they lie there now; refuse a folder that has changed since."""
        from ppworkbench.core.data.parts import open_parts

        try:
            found = open_parts(self.address)
        except WorkbenchError as error:
            raise DataError.saying(
                "The parts of this study cannot be read: {why}", why=error.message
            ) from error
        if (len(found.files), found.rows) != (self.files, self.rows):
            raise DataError.saying(
                "{file} has {rows:,} rows in {files:,} parts now, not {before:,} in {others:,} as "
                "when the study was made; open the folder again.",
                file=self.address,
                rows=found.rows,
                files=len(found.files),
                before=self.rows,
                others=self.files,
            )
        return found

    @property
    def worker(self) -> Engine:
        from ppworkbench.core.engines import engine_of

        return engine_of(self.engine)

    @property
    def fingerprint(self) -> str:
        return f" {self.address} {self.rows}"

    @property
    def remarks(self) -> tuple[Message, ...]:
        """What is said with estimates that are made of parts."""
        return (estimated_words(self),)

    @property
    def why_not_added(self) -> Message | None:
        """Why a study cannot take further answers; None if it can."""
        return Message(
            "The table is a sample of a folder of parts, so answers cannot be added to it. Add a "
            "part to the folder and open it again."
        )

    def place(self, stem: str) -> str:  # noqa: ARG002
        """The file of the answers beside a script, or the folder of the parts."""
        return self.address

    @property
    def fields(self) -> dict[str, Any]:
        """What a file of a study says of its parts."""
        return {"parts": self.to_json()}

    def to_json(self) -> dict[str, Any]:
        return dict(vars(self))

    @classmethod
    def from_json(cls, given: Any) -> Self:
        texts = ("address", "engine")
        counts = ("files", "rows")
        if (
            not isinstance(given, Mapping)
            or not all(isinstance(given.get(name), str) and given[name] for name in texts)
            or not all(type(given.get(name)) is int and given[name] > 0 for name in counts)
        ):
            raise DataError("what its table is a sample of is damaged.")
        found = cls(**{name: given[name] for name in (*texts, *counts)})
        if not found.engine.startswith(LOCAL):
            # A cluster may run whatever it likes on this computer, and a study come from anybody:
            # only a person names one.
            return replace(found, engine=LOCAL)
        return found


class WholeTable:
    """A table that is all there is: what :class:`StudyParts` tells where there are no parts."""

    engine: ClassVar[str] = ""
    fingerprint: ClassVar[str] = ""
    remarks: ClassVar[tuple[Message, ...]] = ()
    why_not_added: ClassVar[Message | None] = None
    fields: ClassVar[Mapping[str, Any]] = {}

    def place(self, stem: str) -> str:
        return f"{stem}-distorted.csv"


def sample_words(rows: int, parts: StudyParts) -> Message:
    """How much of all rows a table shows, in a few words.

    >>> sample_words(100_000, StudyParts("answers", 12, 12_345_678))
    'sample of 100,000 of 12,345,678 rows'
    """
    return Message("sample of {count:,} of {rows:,} rows", count=rows, rows=parts.rows)


def estimated_words(parts: StudyParts) -> Message:
    return Message(
        "Estimated from all {rows:,} rows of {files:,} parts, not from the sample.",
        rows=parts.rows,
        files=parts.files,
    )
