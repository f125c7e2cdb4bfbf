"""A table of a result as values: no number is written as text yet."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

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


class LazyTexts(Sequence[str]):
    """Texts of rows, made when somebody asks for them: there may be a million."""

    def __init__(self, count: int, text: Callable[[int], str]) -> None:
        self._count, self._text = count, text

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [self._text(one) for one in range(self._count)[place]]
        return self._text(range(self._count)[place])


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


def interval_columns(estimates: Sequence[Any], *, with_error: bool = True) -> tuple[Column, ...]:
    """The columns of estimates that were corrected in ways of their own: nothing stands beside."""

    def column(key: str, head: Message) -> Column:
        return Column(key, head, Kind.NUMBER, [getattr(one, key) for one in estimates])

    middle = replace(column("estimate", Message("estimate")), low="low", high="high")
    ends = (column("low", Message("low")), column("high", Message("high")))
    error = (column("standard_error", Message("standard error")),) if with_error else ()
    return (middle, *ends, *error)
