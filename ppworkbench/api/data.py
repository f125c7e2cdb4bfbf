"""Reading answers, and randomising them as the respondents of a design would."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, overload

from ppworkbench.api.inputs import AnswerSource, Data, DesignLike, refuse_reported, settings
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.data.table import Table
from ppworkbench.core.design.design_file import as_design

if TYPE_CHECKING:
    import pandas as pd


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
