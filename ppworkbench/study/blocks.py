"""What a report consists of, and the whole as one HTML file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from ppworkbench.core.files import resource, write_text
from ppworkbench.core.message import Message
from ppworkbench.results.sheet import Sheet
from ppworkbench.study.html import Page, css_variables, figure_style

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
    """A table; columns named in ``right`` hold numbers. A folded one is shown when asked for.

    ``title`` stands above it and is numbered in a report, ``caption`` is said below it.
    """

    heads: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    right: tuple[str, ...] = ()
    caption: str = ""
    folded: bool = False
    title: str = ""


@dataclass(frozen=True)
class Facts:
    """What somebody looks up: a label and a few words on each line."""

    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Heat:
    """A P-matrix: columns are true answers, rows what they become."""

    columns: tuple[str, ...]
    rows: tuple[str, ...]
    cells: tuple[tuple[float, ...], ...]
    texts: tuple[tuple[str, ...], ...]
    """The cells as people read them."""
    corner: str = "reported answer ↓ \u00a0 true answer →"
    title: str = ""


@dataclass(frozen=True)
class Figure:
    """A picture of its own colours, what it shows in words, and its size in pixels."""

    svg: str
    summary: str
    width: int
    height: int
    title: str = ""
    to_png: Callable[[], bytes] | None = field(default=None, compare=False)
    """Draws the same in dots, for programs that read no SVG."""


@dataclass(frozen=True)
class Listing:
    """Text that is copied as it is: commands, formulas, JSON."""

    text: str
    title: str = ""
    folded: bool = False


Block = Paragraph | Points | Facts | Grid | Heat | Figure | Listing


@dataclass(frozen=True)
class Section:
    """Blocks under a heading; ``level`` 2 is a chapter, 3 a part of the one before."""

    title: str
    blocks: tuple[Block, ...]
    level: int = 2


@dataclass(frozen=True)
class Report:
    """A title, when it was made, and sections.

    ``attachments`` are for those who want to know all: folded on a page, not on paper. ``tables``
    are files beside it. ``banner`` stands over everything and at the foot of every sheet. One that
    ``is_private`` tells of true answers: its files are readable by their owner only.
    """

    title: str
    date: str
    sections: tuple[Section, ...]
    attachments: tuple[Section, ...] = ()
    tables: tuple[Sheet, ...] = ()
    banner: str = ""
    kind: str = "Survey report"
    contents: str = "Contents"
    attached: str = Message("Attachments")
    language: str = "en"
    is_private: bool = False


_SHADES = 20
"""Steps of the heat map, each a class of the style sheet."""


def report_html(report: Report) -> str:
    """The text of the page; it needs nothing from elsewhere and makes no request."""
    style = resource("report", "report.css").read_text(encoding="utf-8")
    style = css_variables() + style + _heat_style() + figure_style()
    page = Page(report.title, style, language=report.language)
    return page.to_html("report/report.html", report=report, marks=MARKS, shade=_shade)


def write_report(report: Report, path: str | Path) -> None:
    write_text(path, report_html(report), private=report.is_private)


def _shade(probability: float) -> int:
    return min(int(probability * _SHADES), _SHADES - 1)


def _heat_style() -> str:
    """One rule for each shade: violet of growing depth, and ink that can be read on it."""
    rules = []
    for shade in range(_SHADES):
        share = round(100 * (shade + 0.5) / _SHADES)
        ink = "#fff" if share > 75 else "var(--on-pale)"
        mix = f"color-mix(in srgb, #5B3FB5 {share}%, var(--surface))"
        rules.append(f".shade{shade} {{ background: {mix}; color: {ink}; }}\n")
    return "".join(rules)
