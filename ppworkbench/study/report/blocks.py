"""A report as plain parts, so that a page and a printer can show the same."""

from __future__ import annotations

from dataclasses import dataclass

Cell = str


@dataclass(frozen=True)
class Paragraph:
    """Words; ``look`` is empty, ``lead``, ``hint``, ``warning`` or ``note``."""

    text: str
    look: str = ""


@dataclass(frozen=True)
class Points:
    """Sentences under each other with a mark: ``good``, ``bad``, ``info`` or empty."""

    items: tuple[tuple[str, str], ...]


MARKS = {"good": "✓", "bad": "!", "info": "i", "": "•"}
"""How the marks of points are shown."""


@dataclass(frozen=True)
class Grid:
    """A table; columns named in ``right`` hold numbers. A folded one is shown when asked for."""

    heads: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    right: tuple[str, ...] = ()
    caption: str = ""
    folded: bool = False


@dataclass(frozen=True)
class Heat:
    """A P-matrix: columns are true answers, rows what they become."""

    columns: tuple[str, ...]
    rows: tuple[str, ...]
    cells: tuple[tuple[float, ...], ...]
    texts: tuple[tuple[str, ...], ...]
    """The cells as people read them."""
    corner: str = "becomes ↓ \u00a0 true answer →"


@dataclass(frozen=True)
class Figure:
    """A picture of its own colours, what it shows in words, and its size in pixels."""

    svg: str
    summary: str
    width: int
    height: int


@dataclass(frozen=True)
class Listing:
    """Text that is copied as it is: commands, formulas, JSON."""

    text: str
    title: str = ""
    folded: bool = False


Block = Paragraph | Points | Grid | Heat | Figure | Listing


@dataclass(frozen=True)
class Section:
    """Blocks under a heading; ``level`` 2 is a chapter, 3 a part of the one before."""

    title: str
    blocks: tuple[Block, ...]
    level: int = 2


@dataclass(frozen=True)
class Report:
    """A title, when it was made, and sections."""

    title: str
    date: str
    sections: tuple[Section, ...]
    kind: str = "Report of a survey"
    contents: str = "Contents"
    language: str = "en"
