"""What every result of the interface can do: tell, list, export and draw itself."""

from __future__ import annotations

import copyreg
import html
from abc import ABC, abstractmethod
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ppworkbench.api.text import plain
from ppworkbench.core.errors import ParameterError

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

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

    state: str = ""
    """What the answers behind the numbers are, ``true`` or ``reported``; empty without answers."""

    @abstractmethod
    def summary(self) -> str:
        """The result for people, as the command line prints it."""

    @abstractmethod
    def _document(self) -> Mapping[str, Any]:
        """The result for programs, in any types that :func:`plain` understands."""

    @abstractmethod
    def to_frame(self) -> pd.DataFrame:
        """The numbers as a tidy table, one row each."""

    def to_dict(self) -> dict[str, Any]:
        """The document that the command line writes with ``--json``, in JSON's own types."""
        document: dict[str, Any] = plain(self._document())
        return document | {"state": self.state} if self.state else document

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the result with matplotlib and return the axes.

        Parameters
        ----------
        ax
            The axes to draw on; new ones if not given.
        """
        axes = new_axes() if ax is None else ax
        self._draw(axes)
        return axes

    def _draw(self, axes: Axes) -> None:  # noqa: ARG002 (for results that have a picture)
        raise ParameterError("This result has no picture; use to_frame().", field="plot")

    def __repr__(self) -> str:
        """The class and the first line of the summary."""
        return f"<{type(self).__name__}: {self.summary().splitlines()[0]}>"

    def __str__(self) -> str:
        """The summary."""
        return self.summary()

    def _repr_html_(self) -> str:
        """The first words of the summary and the table, for notebooks."""
        said = html.escape(_words(self.summary()))
        table = self.to_frame().to_html(
            index=False, border=0, escape=True, na_rep="–", max_rows=MOST_ROWS
        )
        return f'<p style="white-space: pre-wrap">{said}</p>\n{table}'


def _words(summary: str) -> str:
    r"""The first paragraph of a summary, up to a table in it: notebooks have a table of their own.

    >>> _words("sex: 500 answers\nvalue  share\n-----  -----\nF      0.51")
    'sex: 500 answers'
    """
    lines = summary.split("\n\n", 1)[0].splitlines()
    rules = (place for place, line in enumerate(lines) if line and not line.strip("- "))
    first = next(rules, None)
    return "\n".join(lines if first is None else lines[: max(first - 1, 0)])


def new_axes() -> Axes:
    """Axes of a figure of their own."""
    try:
        from matplotlib import pyplot as plt
    except ImportError:
        raise ParameterError(
            "A picture needs matplotlib, which is not installed; install ppworkbench[plots].",
            field="plot",
        ) from None
    return plt.subplots(layout="constrained")[1]
