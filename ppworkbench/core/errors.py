"""Errors whose text is written for the person at the screen."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Self

from ppworkbench.core.message import Message, on_one_line


class WorkbenchError(Exception):
    """One sentence that names what is wrong, where, and what to do about it.

    The optional places (file, attribute, row, field) repeat what the sentence says in a
    form that a program can use: the command line prints them as JSON, a form puts the
    message beside the field.
    """

    def __init__(
        self,
        message: str,
        *,
        file: str | Path | None = None,
        attribute: str | None = None,
        row: int | None = None,
        field: str | None = None,
    ) -> None:
        self.message = on_one_line(Message.of(message))
        super().__init__(self.message)
        self.file = None if file is None else str(file)
        self.attribute = attribute
        self.row = row
        self.field = field

    @classmethod
    def saying(
        cls,
        template: str,
        /,
        *,
        file: str | Path | None = None,
        attribute: str | None = None,
        row: int | None = None,
        field: str | None = None,
        **args: object,
    ) -> Self:
        """Fill the template of a :class:`Message`; the places are among its values.

        Of a file the sentence has the name alone.

        >>> DataError.saying("{file}: {count} rows are empty.", file="a/b.csv", count=3).message
        'b.csv: 3 rows are empty.'
        """
        args |= {"attribute": attribute, "row": row, "field": field}
        name = None if file is None else Path(file).name
        message = Message(template, code="", file=name, **args)
        return cls(message, file=file, attribute=attribute, row=row, field=field)

    @classmethod
    def unless_known(cls, template: str, name: object, known: Iterable[str], *, field: str) -> None:
        """Refuse what is not one of the known names, which the sentence lists.

        >>> ParameterError.unless_known("There is no {name}, but {known}.", "b", "ac", field="x")
        Traceback (most recent call last):
        ...
        ppworkbench.core.errors.ParameterError: There is no b, but a, c.
        """
        listed = list(known)
        if name not in listed:
            raise cls.saying(template, name=name, known=", ".join(listed) or "none", field=field)

    def to_json(self) -> dict[str, str | int]:
        """The error as the command line prints it with ``--json``."""
        places = {
            "attribute": self.attribute,
            "row": self.row,
            "file": self.file,
            "field": self.field,
        }
        return {"error": self.message} | {k: v for k, v in places.items() if v is not None}


class DataError(WorkbenchError):
    """A file or table that cannot be read, written or used as it is."""


class DesignError(WorkbenchError):
    """A perturbation or design that is not possible."""


class ParameterError(WorkbenchError):
    """A parameter outside what its declaration allows."""
