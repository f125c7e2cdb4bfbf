"""Reading answers, randomising them as respondents would, and writing randomised copies."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

from ppworkbench.api.inputs import (
    AnswerSource,
    Data,
    DesignLike,
    engine_for,
    refuse_reported,
    settings,
)
from ppworkbench.api.result import Result
from ppworkbench.api.text import REPORTED, Naming, harmless, naming, note_lines
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.data.parts import is_parts, open_parts
from ppworkbench.core.data.table import Table
from ppworkbench.core.design.design_file import as_design
from ppworkbench.core.progress import Progress, silent

if TYPE_CHECKING:
    import pandas as pd

    from ppworkbench.core.design.release import Release
    from ppworkbench.core.engines import Engine


def read(path: str | os.PathLike[str], **options: Any) -> Table:
    """Read answers from a file of any format that the workbench knows.

    Parameters
    ----------
    path
        A file of CSV, Excel, Parquet, Feather, SPSS, Stata, ARFF, JSON records or baskets.
    **options
        What to do differently from what is detected: ``separator``, ``decimal``, ``encoding``,
        ``missing_codes``, ``sheet``, ``header``, ``keep_blanks``, ``keep_remarks``, ``format``.

    Returns
    -------
    Table
        Columns with their attributes; ``to_frame()`` gives a pandas frame, ``notes`` what the
        reader guessed or changed.
    """
    return AnswerSource(path, settings(ReadOptions, options), name="path").whole()


def sample(name: str, *, seed: int | None = None, **sizes: Any) -> Table:
    """A built-in data set, such as ``"city-survey"``; the command ``sample list`` names them all.

    Parameters
    ----------
    seed
        Where the draw of a synthetic data set starts.
    **sizes
        What its generator can be told, such as ``rows``.
    """
    from ppworkbench.core.data.samples import load_sample

    return load_sample(name, seed=seed, **sizes)


@overload
def distort(data: pd.DataFrame, design: DesignLike, *, seed: int | None = None) -> pd.DataFrame: ...


@overload
def distort(
    data: Table | str | os.PathLike[str], design: DesignLike, *, seed: int | None = None
) -> Table: ...


def distort(data: Data, design: DesignLike, *, seed: int | None = None) -> pd.DataFrame | Table:
    """Randomise every answer as the design says, each record independently.

    Parameters
    ----------
    data
        True answers: a frame, a table or a file. Columns that the design does not know are left
        out, since they would publish the truth.
    seed
        Makes the draw repeatable for trials. Seed and design together reveal the true answers, so
        leave it out for real answers: then secure randomness is used, and numbers are rounded to
        a grid, so that their last digits betray nothing.

    Returns
    -------
    DataFrame or Table
        A frame for a frame, with the same index; else a table.

    Examples
    --------
    >>> import pandas as pd
    >>> design = {"format": "ppworkbench-design", "version": 1, "attributes": {"sex": {
    ...     "kind": "binary", "values": ["F", "M"],
    ...     "perturbation": {"type": "uniform", "keep": 0.0}}}}
    >>> distort(pd.DataFrame({"sex": ["F", "M", "M"]}), design, seed=1)["sex"].tolist()
    ['M', 'F', 'F']
    """
    from ppworkbench.core.design.design_file import publishable
    from ppworkbench.core.design.distort import distort as distort_table
    from ppworkbench.core.rng import SecureStreams, SeededStreams

    chosen, source = as_design(design), AnswerSource(data)
    refuse_reported(source.path)
    schema, made = chosen.original_schema, chosen.drawn_columns
    if made:
        # Arms and counts that the answers do not tell are drawn.
        there = source.whole().names
        schema = tuple(one for one in schema if one.name in there or one.name not in made)
    table = source.whole(schema)
    if seed is None:
        distorted = distort_table(table, publishable(chosen), SecureStreams())
    else:
        distorted = distort_table(table, chosen, SeededStreams(seed))
    if isinstance(data, Table | str | os.PathLike):
        return distorted
    return distorted.to_frame().set_axis(data.index)


def release(  # noqa: PLR0913 (keywords with defaults)
    data: str | os.PathLike[str],
    design: DesignLike,
    out: str | os.PathLike[str],
    *,
    seed: int | None = None,
    shuffle: bool | None = None,
    escape_formulas: bool = True,
    reading: ReadOptions | Mapping[str, Any] | None = None,
    engine: Engine | str | None = None,
    progress: Progress = silent,
) -> ReleaseResult:
    """Write a randomised copy of a file with its codebook, within bounded memory.

    Parameters
    ----------
    data
        The file of the true answers, or a folder of Parquet parts, or its fsspec address.
    out
        The file to write, which is replaced if it exists; its extension is the format. Parts are
        written to a new or an empty folder.
    seed
        Makes the draw repeatable for trials; never for a release.
    shuffle
        Whether the rows are shuffled; they are unless a seed is given.
    escape_formulas
        Whether cells that a spreadsheet would execute are written as plain text.
    reading, engine, progress
        As for :class:`Survey`.
    """
    from ppworkbench.core.design.release import ReleaseOptions, release_file
    from ppworkbench.core.design.release_parts import release_parts

    how = reading if isinstance(reading, ReadOptions) else settings(ReadOptions, reading or {})
    mixed = seed is None if shuffle is None else shuffle
    options = ReleaseOptions(seed=seed, shuffle=mixed, escape_formulas=escape_formulas)
    chosen, source, target = as_design(design), os.fspath(data), os.fspath(out)
    parts = open_parts(source) if is_parts(source) else None
    worker = engine_for(parts, engine)
    refuse_reported(source)
    if parts is None:
        made = release_file(source, chosen, target, options, how, progress)
    else:
        made = release_parts(parts, chosen, target, worker, options, how, progress)
    return ReleaseResult(made, target, mixed)


@dataclass(frozen=True, eq=False, repr=False)
class ReleaseResult(Result):
    """What was written: ``made`` has the number of rows, the published design and notes."""

    made: Release
    file: str
    shuffled: bool
    state = REPORTED

    @property
    def shown(self) -> Naming:
        """What people call the attributes."""
        return naming(designed.attribute for designed in self.made.design)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What must not be overlooked before the file is published."""
        from ppworkbench.core.design.release import BOUNDS_OF_DATA

        notes = self.made.notes
        return tuple(note for note in notes if getattr(note, "code", "") == BOUNDS_OF_DATA)

    def _document(self) -> Mapping[str, Any]:
        return {
            "rows": self.made.rows,
            "file": self.file,
            "secure": self.made.secure,
            "shuffled": self.shuffled,
            "notes": list(self.made.notes),
        }

    def summary(self) -> str:
        """What was written, as the command line prints it."""
        source = "secure randomness" if self.made.secure else "the seed"
        wrote = f"Wrote {harmless(self.file)}: {self.made.rows:,} distorted rows"
        told = [note for note in self.made.notes if note not in self.warnings]
        return "\n".join([f"{wrote}, drawn from {source}.", *note_lines(told, self.shown)])

    def to_frame(self) -> pd.DataFrame:
        """The questions of the published design, as :meth:`Design.to_frame` lists them."""
        from ppworkbench.api.designs import Design

        return Design.of(self.made.design).to_frame()
