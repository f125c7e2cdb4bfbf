"""Arbitrary valid tables for property tests."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from ppworkbench.core.data.attribute import Attribute, Code, Kind, MissingCode, MissingPolicy
from ppworkbench.core.data.table import Column, Table

WORDS = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=8)
"""Words without blanks and control characters, of any script."""

ODD_WORDS = st.sampled_from(
    [
        *("NA", "?", "", " ", "nan", "None", "0", "1", "1.0", "01", "-", "#N/A", "=1+1", "@x", "+"),
        *("'", "a,b", "a;b", 'say "no"', "it's", "two\nlines", "tab\there", " led", "trailed "),
        *("{x}", "%", "TRUE", "2020-01-31", "1e5", "żółć", "日本", "\\n", "_x0041_", "x" * 150),
        *("\r", "\x07", "é"),
    ]
)
"""Answers that some format or reader could take for something else."""

NUMBERS = st.floats(-1e9, 1e9, allow_nan=False).map(lambda number: number + 0.0)
"""Doubles of all sizes; adding zero makes -0 a plain 0."""


def names(count: int) -> st.SearchStrategy[list[str]]:
    """Different names of attributes, some of which no statistics program allows."""
    spaced = st.lists(WORDS, min_size=1, max_size=3).map(" ".join)
    odd = st.sampled_from(["with", "ALL", "1st", "_n", "str8", "q.1", "é" * 40, "Sex", "sex", "=a"])
    return st.lists(spaced | odd, min_size=count, max_size=count, unique=True)


@st.composite
def tables(draw: st.DrawFn, *, odd: bool = True, most_rows: int = 8) -> Table:
    """A table with labels, codes and missing answers of all sorts."""
    rows = draw(st.integers(0, most_rows))
    count = draw(st.integers(1, 5))
    columns = [draw(columns_of(name, rows, odd=odd)) for name in draw(names(count))]
    class_name = draw(st.none() | st.sampled_from([column.name for column in columns]))
    return Table(tuple(columns), class_name)


@st.composite
def columns_of(draw: st.DrawFn, name: str, rows: int, *, odd: bool = True) -> Column:
    """One column of any kind."""
    if draw(st.booleans()):
        return draw(categorical_columns(name, rows, odd=odd))
    return draw(numeric_columns(name, rows))


@st.composite
def categorical_columns(draw: st.DrawFn, name: str, rows: int, *, odd: bool = True) -> Column:
    """Answers out of a few values, stored under numbers, under texts or as they are."""
    kind = draw(st.sampled_from([Kind.BINARY, Kind.NOMINAL, Kind.ORDINAL]))
    least, most = (2, 2) if kind is Kind.BINARY else (1, 6)
    words = ODD_WORDS | WORDS if odd else WORDS
    values = draw(st.lists(words, min_size=least, max_size=most, unique=True))
    k = len(values)
    codes: list[Code] = draw(
        st.just([])
        | st.lists(st.integers(-20, 300).map(float), min_size=k, max_size=k, unique=True)
        | st.lists(NUMBERS, min_size=k, max_size=k, unique=True)
        | st.lists(words, min_size=k, max_size=k, unique=True)
    )
    stored = {*codes, *values}
    missing = draw(missing_codes(st.integers(-99, 999).map(float) | WORDS))
    missing = tuple(m for m in missing if m.code not in stored and _text(m.code) not in stored)
    data = np.array(draw(st.lists(st.integers(-1, k - 1), min_size=rows, max_size=rows)), np.int64)
    attribute = Attribute(
        name,
        kind,
        values=tuple(values),
        codes=tuple(codes),
        missing_codes=missing,
        **draw(descriptions(("", "nominal", "ordinal"))),
    )
    return Column(attribute, data, draw(reasons(data < 0, len(missing))))


@st.composite
def numeric_columns(draw: st.DrawFn, name: str, rows: int) -> Column:
    """Whole or real numbers in a domain, with missing codes outside it."""
    is_whole = draw(st.booleans())
    numbers = st.integers(-(10**9), 10**9).map(float) if is_whole else NUMBERS
    present = np.array(draw(st.lists(numbers, min_size=rows, max_size=rows)), np.float64)
    low, high = draw(st.lists(numbers, min_size=2, max_size=2).map(sorted))
    if rows:
        low, high = min(low, present.min()), max(high, present.max())
    gone = np.array(draw(st.lists(st.booleans(), min_size=rows, max_size=rows)), np.bool_)
    data = np.where(gone, np.nan, present)
    beyond = st.integers(1, 50).map(lambda step: float(np.ceil(high)) + step)
    missing = draw(missing_codes(beyond | st.sampled_from([".a", ".z", "refused"])))
    labels = draw(st.dictionaries(numbers.filter(lambda n: low <= n <= high), WORDS, max_size=2))
    whole_codes = [m.code for m in missing if isinstance(m.code, float)]
    ranges = ()
    if whole_codes and draw(st.booleans()):
        ranges = ((min(whole_codes), max(whole_codes) + 5.0),)
    attribute = Attribute(
        name,
        Kind.INTEGER if is_whole else Kind.CONTINUOUS,
        domain=(low, high),
        number_labels=tuple(sorted(labels.items())),
        missing_codes=missing,
        missing_ranges=ranges,
        **draw(descriptions(("", "scale"))),
    )
    return Column(attribute, data, draw(reasons(gone, len(missing))))


def missing_codes(codes: st.SearchStrategy[Code]) -> st.SearchStrategy[tuple[MissingCode, ...]]:
    """Up to five different codes, with labels or without."""
    one = st.builds(MissingCode, codes, st.just("") | WORDS)
    return st.lists(one, max_size=5, unique_by=lambda missing: _text(missing.code)).map(tuple)


@st.composite
def reasons(draw: st.DrawFn, gone: np.ndarray, codes: int) -> np.ndarray | None:
    """Which code each missing cell held; nothing where the attribute has no codes."""
    if not codes:
        return None
    held = draw(st.lists(st.integers(0, codes), min_size=len(gone), max_size=len(gone)))
    return np.where(gone, np.array(held, np.int16), 0).astype(np.int16)


def descriptions(measures: tuple[str, ...]) -> st.SearchStrategy[dict[str, object]]:
    """What else is known about an attribute."""
    return st.fixed_dictionaries(
        {
            "label": st.just("") | st.lists(WORDS, max_size=4).map(" ".join),
            "title": st.just("") | WORDS,
            "unit": st.just("") | WORDS,
            "measure": st.sampled_from(measures),
            "missing": st.sampled_from(list(MissingPolicy)),
            "reason": st.sampled_from(["", "two different answers"]),
        }
    )


def _text(code: Code) -> str:
    return code if isinstance(code, str) else f"{code:.17g}"
