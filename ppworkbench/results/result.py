"""What every result can do: tell, list, export and draw itself."""

from __future__ import annotations

import copyreg
import html
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message, titled
from ppworkbench.results.text import TRUE, Naming, harmless, note_lines, plain, sheet_text

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from ppworkbench.results.picture import Picture
    from ppworkbench.results.sheet import Sheet

MOST_ROWS = 60
"""Rows of a result that a notebook shows; :meth:`Result.to_frame` has all."""


def _view(values: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    return MappingProxyType(values)


def _reduce_view(view: MappingProxyType[Any, Any]) -> tuple[Any, ...]:
    return _view, (dict(view),)


# Studies and questionnaires hold such views, which Python can neither pickle nor copy by itself.
copyreg.pickle(MappingProxyType, _reduce_view)


class Result(ABC):
    """A result that does not change any more.

    ``summary()`` is the text that the command line prints, ``to_dict()`` the document that it
    writes with ``--json``, ``to_frame()`` a tidy table with one row per estimate. A notebook shows
    the result by itself.
    """

    # An analysis says what it found as a sentence, sheets and pictures; the rest follows from it.

    state: str = ""
    """What the answers behind the numbers are, ``true`` or ``reported``; empty without answers."""
    main: ClassVar[str] = ""
    """The sheet that frames and files hold; the first if empty."""
    if TYPE_CHECKING:
        # Not there at run time: a dataclass would take them for defaults of its own fields.
        @property
        def shown(self) -> Naming:
            """What people call the columns."""

        @property
        def remarks(self) -> tuple[str, ...]:
            """What must be known to read the numbers, one sentence each."""

    def sentence(self) -> str:
        """The result in one sentence."""
        return ""

    def sheets(self) -> tuple[Sheet, ...]:
        """The numbers, in the order in which they are read."""
        return ()

    @abstractmethod
    def _document(self) -> Mapping[str, Any]:
        """The result for programs, in any types that :func:`plain` understands."""

    def table_note(self) -> Message:
        """What a reader of its tables must know: how many answered, what stands in brackets."""
        return Message("")

    def tables(self) -> tuple[Sheet, ...]:
        """The sheets with their notes, as they leave the program."""
        sheets = self.sheets()
        has_intervals = any(one.low for sheet in sheets for one in sheet.columns)
        note = self.table_note() if has_intervals else Message("")
        return tuple(one.noted(note) for one in sheets)

    def pictures(self) -> tuple[Picture, ...]:
        """The charts; the first is the one that :meth:`plot` draws."""
        return ()

    def readings(self) -> tuple[str, ...]:
        """Further sentences, which stand below the sheets."""
        return ()

    def methods(self) -> tuple[str, ...]:
        """Sentences for a methods section."""
        return ()

    def files(self) -> Mapping[str, str]:
        """The texts of files that a command offers to write, by their options."""
        return {}

    @property
    def facts(self) -> Mapping[str, Any]:
        """Plain values that stand in no sheet, which a study keeps with the run of a page."""
        return {}

    # What follows from it

    def summary(self) -> str:
        """The result for people, as the command line prints it."""
        told = [harmless(titled(self.sentence(), self.shown))]
        told += (sheet_text(one, self.shown) for one in self.sheets())
        told += (harmless(titled(one, self.shown)) for one in self.readings())
        told.append("\n".join(note_lines(self.remarks, self.shown)))
        return "\n\n".join(part for part in told if part)

    def to_dict(self) -> dict[str, Any]:
        """The document that the command line writes with ``--json``, in JSON's own types."""
        document: dict[str, Any] = plain(self._document())
        return document | {"state": self.state} if self.state else document

    def sheet(self, name: str = "") -> Sheet:
        """A table by its name; the main one if none is given."""
        known = {one.name: one for one in self.tables()}
        if not known:
            raise ParameterError.saying("This result has no table.", field="sheet")
        wanted = name or self.main or next(iter(known))
        if wanted not in known:
            raise ParameterError.saying(
                "This result has no table {name!r}; it has {known}.",
                name=wanted, known=", ".join(known), field="sheet",
            )  # fmt: skip
        return known[wanted]

    def picture(self, name: str = "") -> Picture:
        """A chart by its name; the first if none is given."""
        known = {one.name: one for one in self.pictures()}
        if not known:
            raise ParameterError.saying("This result has no picture, only tables.", field="plot")
        wanted = name or next(iter(known))
        if wanted not in known:
            raise ParameterError.saying(
                "This result has no picture {name!r}; it has {known}.",
                name=wanted, known=", ".join(known), field="picture",
            )  # fmt: skip
        return known[wanted]

    def to_frame(self) -> pd.DataFrame:
        """The numbers as a tidy table, one row each; ``sheet(name).to_frame()`` gives others."""
        return self.sheet().to_frame()

    @property
    def is_private(self) -> bool:
        """Whether what is written of it is for the owner of the answers only.

        So is all that was made of true answers, and that has true numbers beside others.
        """
        return self.state == TRUE or any(one.holds_truth for one in self.sheets())

    def save(
        self,
        path: str | Path,
        *,
        sheet: str = "",
        picture: str = "",
        size: str = "column",
        numbers: bool = False,
    ) -> None:
        """Write a table (.csv .tsv .tex .md .html) or a picture (.png .svg .pdf) by its ending.

        A new file with numbers of true answers can be read by its owner only.

        Parameters
        ----------
        sheet, picture
            Which one; the main table or the first picture if not given.
        size
            Of a picture: ``column`` or ``page`` of a journal, ``slide`` or ``slide-dark``.
        numbers
            Whether the numbers of a picture are written beside it, as a ``.csv`` of its name.
        """
        from ppworkbench.results.figure import save_picture
        from ppworkbench.results.files import write_sheet
        from ppworkbench.results.picture import numbers_sheet

        path = Path(path)
        if is_picture_file(path):
            drawn = self.picture(picture)
            private = self.is_private
            save_picture(drawn, path, size, private=private)
            if numbers:
                write_sheet(numbers_sheet(drawn), path.with_suffix(".csv"), private=private)
        else:
            write_sheet(self.sheet(sheet), path, private=self.is_private)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the result with matplotlib and return the axes.

        Parameters
        ----------
        ax
            The axes to draw on; new ones if not given.
        """
        from ppworkbench.results.figure import new_axes

        axes = new_axes() if ax is None else ax
        self._draw(axes)
        return axes

    def _draw(self, axes: Axes) -> None:
        from ppworkbench.results.figure import draw_picture

        draw_picture(self.picture(), axes)

    def __repr__(self) -> str:
        """The class and the first line of the summary."""
        return f"<{type(self).__name__}: {self.summary().splitlines()[0]}>"

    def __str__(self) -> str:
        return self.summary()

    def _repr_html_(self) -> str:
        """The first words of the summary and the table, for notebooks."""
        said = html.escape(_words(self.summary()))
        table = self.to_frame().to_html(
            index=False, border=0, escape=True, na_rep="–", max_rows=MOST_ROWS
        )
        return f'<p style="white-space: pre-wrap">{said}</p>\n{table}'


def is_picture_file(path: Path) -> bool:
    """Whether a result is written there as a picture, by the ending; else it is as a table."""
    from ppworkbench.results.figure import FORMATS
    from ppworkbench.results.files import TABLES

    tables, suffix = [one.suffix for one in TABLES], path.suffix.lower()
    if suffix not in (*tables, *FORMATS):
        raise ParameterError.saying(
            "A table is written as {tables}, a picture as {pictures}; {file!r} has none of these "
            "endings.",
            tables=", ".join(tables), pictures=", ".join(FORMATS), file=path.name, field="path",
        )  # fmt: skip
    return suffix in FORMATS


def _words(summary: str) -> str:
    r"""The first paragraph of a summary, up to a table in it: notebooks have a table of their own.

    >>> _words("sex: 500 answers\nvalue  share\n-----  -----\nF      0.51")
    'sex: 500 answers'
    """
    lines = summary.split("\n\n", 1)[0].splitlines()
    rules = (place for place, line in enumerate(lines) if line and not line.strip("- "))
    first = next(rules, None)
    return "\n".join(lines if first is None else lines[: max(first - 1, 0)])
