"""A table of a result as values: no number is written as text yet."""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from ppworkbench.core.message import Message

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray


class Kind(StrEnum):
    """What the values of a column are, which decides how they are written and drawn."""

    TEXT = "text"
    COUNT = "count"
    NUMBER = "number"
    SHARE = "share"
    PERCENT = "percent"
    P = "p"


@dataclass(frozen=True, eq=False)
class Column:
    """One column of a sheet.

    Parameters
    ----------
    key
        Its name in frames and files, which programs rely on.
    head
        What people read above it.
    values
        A text or a number per row; NaN or None where there is none.
    low, high
        The keys of the columns that hold the ends of its interval: a window draws them as a
        whisker, a paper prints them in brackets.
    level
        The confidence of that interval, as a share; a window says it in the head.
    spread, note
        The keys of the columns that hold its standard deviation, which stands behind it, and of
        smaller words below it.
    best
        The rows whose values stand out: bold in windows and papers.
    is_detail
        Whether it is for files and frames; text and windows show it when somebody asks.
    unit, decimals
        Of its numbers, for heads and axes; how many digits, where the kind does not say it;
        those of a share are of its percentage.
    meaning
        One sentence for the tooltip of the head and for the codebook of a file.
    blank
        What people read where a text is empty, as the arm of a row about all of them is.
    """

    key: str
    head: Message
    kind: Kind
    values: Sequence[Any] | NDArray[Any]
    low: str = ""
    high: str = ""
    level: float | None = None
    spread: str = ""
    note: str = ""
    best: Container[int] = ()
    is_detail: bool = False
    unit: str = ""
    decimals: int | None = None
    meaning: Message = Message("")
    blank: Message = Message("")

    @property
    def is_text(self) -> bool:
        """Whether it holds words, which stand on the left."""
        return self.kind is Kind.TEXT

    @property
    def parts(self) -> tuple[str, ...]:
        """The keys of the columns that are drawn together with it."""
        return tuple(filter(None, (self.low, self.high, self.spread, self.note)))


@dataclass(frozen=True, eq=False)
class Sheet:
    """Columns of the same length.

    Parameters
    ----------
    name
        How files and ``result.sheet(name)`` call it.
    sort
        The key of the column by which people read it, the largest first; frames and files keep the
        order of the rows.
    nothing
        What is said where it has no rows; it is left out if empty.
    """

    name: str
    title: Message
    columns: tuple[Column, ...]
    sort: str = ""
    nothing: Message = Message("")
    listed: Sequence[int] = ()
    """The rows that a text lists; the first ones if empty."""
    note: Message = Message("")
    """What a reader of a paper must know: how many answered, what stands in brackets."""

    def __post_init__(self) -> None:
        keys = [one.key for one in self.columns]
        parts = {part for one in self.columns for part in one.parts}
        if len(set(keys)) < len(keys) or not {*parts, *filter(None, [self.sort])} <= set(keys):
            raise ValueError(f"The columns of the sheet {self.name!r} do not fit together: {keys}.")
        if len({len(one.values) for one in self.columns}) != 1:
            raise ValueError(f"The columns of the sheet {self.name!r} are not of one length.")

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self.columns[0].values)

    @property
    def holds_truth(self) -> bool:
        """Whether it has numbers that were counted in true answers."""
        true = [one for one in self.columns if one.key == "true" and not one.is_text]
        return any(
            value is not None and not math.isnan(value) for one in true for value in one.values
        )

    def __getitem__(self, key: str) -> Column:
        """The column of that key."""
        return next(one for one in self.columns if one.key == key)

    def shown(self) -> tuple[Column, ...]:
        """The columns that are not details, the ends of an interval behind their number."""
        ordered: dict[str, Column] = {}
        for one in self.columns:
            for key in (one.key, one.low, one.high):
                if key and not (found := self[key]).is_detail:
                    ordered.setdefault(key, found)
        return tuple(ordered.values())

    def drawn(self, details: Container[str] = ()) -> tuple[Column, ...]:
        """The columns where intervals are drawn: without their ends, and the details named."""
        parts = {part for one in self.columns for part in one.parts}
        return tuple(
            one
            for one in self.columns
            if one.key in details or not (one.is_detail or one.key in parts)
        )

    def order(self) -> NDArray[np.intp]:
        """The rows as people read them; those without a number stand last."""
        import numpy as np

        if not self.sort:
            return np.arange(self.rows)
        keys = np.asarray(self[self.sort].values, np.float64)
        return np.lexsort((-keys, np.isnan(keys)))

    def in_unit(self, unit: str, *keys: str) -> Sheet:
        """The same with the unit of these columns of numbers."""

        def read(one: Column) -> Column:
            is_meant = one.key in keys and one.kind is Kind.NUMBER and not one.unit
            return replace(one, unit=unit) if is_meant else one

        return replace(self, columns=tuple(map(read, self.columns))) if unit else self

    def noted(self, note: Message) -> Sheet:
        """The same with a note, where intervals stand behind its numbers."""
        has_intervals = any(one.low for one in self.columns)
        return replace(self, note=note) if has_intervals and not self.note else self

    def in_percent(self, *keys: str) -> Sheet:
        """The same with these shares as percentages."""
        import numpy as np

        def read(one: Column) -> Column:
            if one.key not in keys:
                return one
            return replace(one, kind=Kind.PERCENT, values=100 * np.array(one.values, np.float64))

        return replace(self, columns=tuple(map(read, self.columns)))

    def titled(self, titled: Callable[[str], str]) -> Sheet:
        """The same with what people call the attributes."""

        def read(one: Column) -> Column:
            return replace(one, values=list(map(titled, one.values))) if one.is_text else one

        note = Message.of(titled(self.note))
        return replace(self, columns=tuple(map(read, self.columns)), note=note)

    def take(self, rows: Any) -> Sheet:
        """Some rows, in another order."""
        import numpy as np

        def taken(values: Any) -> Any:
            if isinstance(values, JoinedTexts):
                return values.take(rows)
            return values[rows] if isinstance(values, np.ndarray) else [values[i] for i in rows]

        columns = [replace(one, values=taken(one.values), best=()) for one in self.columns]
        return replace(self, columns=tuple(columns), listed=())

    def changed(self, **changes: Mapping[str, Any]) -> Sheet:
        """The sheet with other columns: by key, what is different about those that it has."""
        columns = [replace(one, **changes.get(one.key, {})) for one in self.columns]
        return replace(self, columns=tuple(columns))

    def to_json(self) -> dict[str, Any]:
        """The sheet as a study keeps it, numbers with six digits."""
        kept = {"note": self.note.to_json()} if self.note else {}
        return {
            "name": self.name, "title": self.title.to_json(), "sort": self.sort,
            "nothing": self.nothing.to_json(), **kept,
            "columns": [_column_to_json(one) for one in self.columns],
        }  # fmt: skip

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Self:
        """Undo :meth:`to_json`; KeyError, TypeError or ValueError for what is no sheet."""
        columns = tuple(_column_from_json(one) for one in given["columns"])
        title, nothing = Message.from_json(given["title"]), Message.from_json(given["nothing"])
        note = Message.from_json(given.get("note", ""))
        return cls(str(given["name"]), title, columns, str(given["sort"]), nothing, note=note)

    def to_frame(self) -> pd.DataFrame:
        """All columns under their keys, the rows in their own order."""
        import pandas as pd

        # A message would carry its template along.
        return pd.DataFrame(
            {
                one.key: [str(v) if isinstance(v, Message) else v for v in one.values]
                if one.is_text
                else one.values
                for one in self.columns
            }
        )


def stacked(sheets: Sequence[Sheet]) -> Sheet:
    """Several sheets as one, for files that hold a single table: ``table`` tells which.

    A column is found by its key; rows of sheets without it have nothing there.
    """
    first, *others = sheets
    if not others:
        return first
    columns: dict[str, list[Column | None]] = {}
    for place, sheet in enumerate(sheets):
        for one in sheet.columns:
            columns.setdefault(one.key, [None] * len(sheets))[place] = one
    names = [sheet.name for sheet in sheets for _ in range(sheet.rows)]
    made = [Column("table", Message("table"), Kind.TEXT, names)]
    for found in columns.values():
        known = [one for one in found if one is not None]
        kinds = {one.kind for one in known}
        kind = kinds.pop() if len(kinds) == 1 else Kind.TEXT
        values = [
            value
            for one, sheet in zip(found, sheets, strict=True)
            for value in ([None] * sheet.rows if one is None else one.values)
        ]
        if kind is Kind.TEXT:
            values = [one if isinstance(one, str) else _as_text(one) for one in values]
        made.append(replace(known[0], kind=kind, values=values, best=()))
    return Sheet(first.name, first.title, tuple(made))


def _as_text(value: float | None) -> str:
    return "" if value is None or value != value else f"{value:.10g}"  # noqa: PLR0124 (NaN)


class JoinedTexts(Sequence[str]):
    """Texts that are put together of the same few words, such as itemsets: there may be a million.

    Parameters
    ----------
    words
        What each item is called.
    sides
        The words of every text by their places, filled up with -1; a rule has two sides.
    marks
        What stands between the words of a side, and between two sides.
    """

    def __init__(
        self, words: Sequence[str], *sides: NDArray[Any], marks: tuple[str, str] = (", ", " => ")
    ) -> None:
        self.words, self.sides, self._marks = tuple(words), sides, marks
        self._has_messages = any(isinstance(word, Message) for word in self.words)

    def __len__(self) -> int:
        return len(self.sides[0])

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [self[one] for one in range(len(self))[place]]
        told = [self._side(side[place].tolist()) for side in self.sides]
        if len(told) == 1:
            return told[0]
        if self._has_messages:
            return Message("{left} => {right}", left=told[0], right=told[1])
        return self._marks[1].join(told)

    def _side(self, places: list[int]) -> str:
        words = tuple(self.words[one] for one in places if one >= 0)
        return Message("{items}", items=words) if self._has_messages else self._marks[0].join(words)

    @property
    def size(self) -> NDArray[np.intp]:
        """How many words every text has."""
        import numpy as np

        counted = [(side >= 0).sum(axis=1) for side in self.sides]
        return np.asarray(np.sum(counted, axis=0), np.intp)

    @cached_property
    def rank(self) -> NDArray[np.intp]:
        """The place of every text in the order of the words."""
        import numpy as np

        by_name = sorted(range(len(self.words)), key=lambda place: self.words[place].casefold())
        # An empty place, which is the last one, comes first.
        rank = np.zeros(len(by_name) + 1, np.intp)
        rank[by_name] = np.arange(1, len(by_name) + 1)
        keys = np.hstack([rank[side] for side in self.sides])
        found = np.arange(len(self))
        if keys.shape[1]:
            found[np.lexsort(keys.T[::-1])] = np.arange(len(self))
        return found

    def holding(self, text: str) -> NDArray[np.bool_]:
        """The texts in which every word of a text occurs."""
        import numpy as np

        wanted = np.ones(len(self), bool)
        for word in text.lower().split():
            # One more place than words, so that the -1 of an empty place means "not in here".
            holds = np.array([word in one.lower() for one in self.words] + [False])
            wanted &= np.any([holds[side].any(axis=1) for side in self.sides], axis=0)
        return wanted

    def take(self, rows: Any) -> JoinedTexts:
        """The texts of some rows."""
        return JoinedTexts(self.words, *(side[rows] for side in self.sides), marks=self._marks)

    def worded(self, say: Callable[[str], str], marks: tuple[str, str]) -> JoinedTexts:
        """The same texts of other words."""
        return JoinedTexts([say(word) for word in self.words], *self.sides, marks=marks)

    def to_json(self) -> dict[str, Any]:
        """The words and their places as plain values."""
        sides = [[[one for one in row if one >= 0] for row in side.tolist()] for side in self.sides]
        return {"words": [Message.of(word).to_json() for word in self.words], "sides": sides}

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Self:
        """Undo :meth:`to_json`; ValueError for what cannot be texts."""
        words = [_text(word) for word in given["words"]]
        sides = [padded(side) for side in given["sides"]]
        if not sides or len({len(side) for side in sides}) > 1:
            raise ValueError("the sides are not of one length")
        if any(side.max(initial=-1) >= len(words) for side in sides):
            raise ValueError("there are not so many words")
        return cls(words, *sides)


def padded(rows: Sequence[Sequence[int]]) -> NDArray[np.int32]:
    """Rows of places as a matrix, filled up with -1."""
    import numpy as np

    found = np.full((len(rows), max(map(len, rows), default=0)), -1, np.int32)
    for place, row in enumerate(rows):
        found[place, : len(row)] = row
    return found


def _text(given: object) -> str:
    """A text that was kept: a message where it has places to be filled, else as it is."""
    return given if isinstance(given, str) else Message.from_json(given)


_PLAIN = ("low", "high", "level", "spread", "note", "is_detail", "unit", "decimals")


def _column_to_json(column: Column) -> dict[str, Any]:
    kept: dict[str, Any] = {"key": column.key, "head": column.head.to_json(), "kind": column.kind}
    for one in fields(Column):
        value = getattr(column, one.name)
        if one.name in _PLAIN and value != one.default:
            kept[one.name] = value
    best = [row for row in range(len(column.values)) if row in column.best]
    told = {"meaning": column.meaning.to_json(), "blank": column.blank.to_json(), "best": best}
    values = column.values
    if isinstance(values, JoinedTexts):
        written: Any = values.to_json()
    elif column.is_text:
        written = [Message.of(one).to_json() for one in values]
    else:
        written = [_kept_number(one) for one in values]
    return kept | {name: one for name, one in told.items() if one} | {"values": written}


def _kept_number(value: Any) -> float | int | None:
    if value is None or not math.isfinite(value):
        return None
    return int(value) if value == int(value) else float(f"{value:.6g}")


def _column_from_json(given: Mapping[str, Any]) -> Column:
    import numpy as np

    kind, values = Kind(given["kind"]), given["values"]
    if isinstance(values, Mapping):
        read: Any = JoinedTexts.from_json(values)
    elif kind is Kind.TEXT:
        read = [_text(one) for one in values]
    else:
        read = np.array([math.nan if one is None else one for one in values], np.float64)
    plain = {name: given[name] for name in _PLAIN if name in given}
    told: dict[str, Any] = {
        n: Message.from_json(given[n]) for n in ("meaning", "blank") if n in given
    }
    head, best = Message.from_json(given["head"]), frozenset(given.get("best", ()))
    return Column(str(given["key"]), head, kind, read, best=best, **plain, **told)


def estimate_columns(
    estimates: Sequence[Any], kind: Kind = Kind.NUMBER, what: Message = Message("estimate")
) -> tuple[Column, ...]:
    """The columns that most estimates have: the number, its interval, its error, what is beside it.

    ``standard_error`` and ``true`` are there where somebody knows them.
    """

    def column(key: str, head: Message) -> Column:
        return Column(key, head, kind, [getattr(one, key, None) for one in estimates])

    estimate = Column(
        "estimate", what, kind, [one.estimate for one in estimates], low="low", high="high"
    )
    found = [estimate, column("low", Message("low")), column("high", Message("high"))]
    error = column("standard_error", Message("standard error"))
    true = column("true", Message("true"))
    found += [error] if any(one is not None for one in error.values) else []
    naive = column("naive", Message("uncorrected"))
    is_unknown = all(one is None for one in naive.values)
    found.append(replace(naive, is_detail=is_unknown))
    return (*found, true) if any(one is not None for one in true.values) else tuple(found)


def bracket_note(n: int, confidence: float) -> Message:
    """How many answered and what stands in brackets, below a table that leaves the program."""
    return Message(
        "n = {n:,}; {level:g} % confidence intervals in brackets.", n=n, level=100 * confidence
    )


def interval_columns(
    estimates: Sequence[Any], *, with_error: bool = True, level: float | None = None
) -> tuple[Column, ...]:
    """The columns of estimates that were corrected in ways of their own: nothing stands beside."""

    def column(key: str, head: Message) -> Column:
        return Column(key, head, Kind.NUMBER, [getattr(one, key) for one in estimates])

    middle = replace(column("estimate", Message("estimate")), low="low", high="high", level=level)
    ends = (column("low", Message("low")), column("high", Message("high")))
    error = (column("standard_error", Message("standard error")),) if with_error else ()
    return (middle, *ends, *error)
