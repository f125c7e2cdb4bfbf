"""Answers: reading and describing them, samples, randomising, and randomised copies of files."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

from ppworkbench.analyses.arguments import check_arguments
from ppworkbench.analyses.inputs import (
    AnswerSource,
    Data,
    DesignLike,
    engine_for,
    given_options,
    refuse_reported,
    settings,
)
from ppworkbench.core.data.attribute import FROM_DATA
from ppworkbench.core.data.options import ReadOptions, WriteOptions
from ppworkbench.core.data.sampling_roles import (
    Sampling,
    sampling_fields,
    stated_sampling,
    suggest_roles,
)
from ppworkbench.core.data.table import Table
from ppworkbench.core.design.design_file import as_design
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.results.result import Result
from ppworkbench.results.text import REPORTED, Naming, aligned, cut, harmless, naming, note_lines

if TYPE_CHECKING:
    import pandas as pd

    from ppworkbench.core.data.attribute import Attribute, Code
    from ppworkbench.core.data.table import Column
    from ppworkbench.core.design.release import Release
    from ppworkbench.core.engines import Engine

_VALUES_WIDTH = 44


@check_arguments
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

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "weather.csv"
    ...     _ = write_sample("weather", path)
    ...     table = read(path)
    >>> table.rows, table["temperature"].attribute.values
    (14, ('cool', 'mild', 'hot'))
    """
    return AnswerSource(path, settings(ReadOptions, options), name="path").whole()


@check_arguments
def sample(name: str, *, seed: int | None = None, **sizes: Any) -> Table:
    """A built-in data set, such as ``"city-survey"``; :func:`samples` lists them all.

    Parameters
    ----------
    seed
        Where the draw of a synthetic data set starts.
    **sizes
        What its generator can be told, such as ``rows``.

    Examples
    --------
    >>> sample("weather").names
    ('outlook', 'temperature', 'humidity', 'windy', 'class')
    >>> sample("city-survey", rows=250, seed=1).rows
    250
    """
    from ppworkbench.core.data.samples import load_sample

    return load_sample(name, seed=seed, **sizes)


@overload
def distort(data: pd.DataFrame, design: DesignLike, *, seed: int | None = None) -> pd.DataFrame: ...


@overload
def distort(
    data: Table | str | os.PathLike[str], design: DesignLike, *, seed: int | None = None
) -> Table: ...


@check_arguments
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


@check_arguments
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

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> design = {"format": "ppworkbench-design", "version": 1, "attributes": {"windy": {
    ...     "kind": "binary", "values": ["false", "true"],
    ...     "perturbation": {"type": "uniform", "keep": 0.8}}}}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     source, out = Path(folder) / "true.csv", Path(folder) / "public.csv"
    ...     _ = write_sample("weather", source)
    ...     made = release(source, design, out)
    ...     columns = read(out).names
    >>> made.made.rows, columns
    (14, ('windy',))
    """
    from ppworkbench.core.design.release import ReleaseOptions, release_file, release_parts

    how = given_options(ReadOptions, reading)
    mixed = seed is None if shuffle is None else shuffle
    options = ReleaseOptions(seed=seed, shuffle=mixed, escape_formulas=escape_formulas)
    chosen, source, target = as_design(design), os.fspath(data), os.fspath(out)
    parts = AnswerSource(data, how).parts
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
        from ppworkbench.core.design.release import BOUNDS_OF_DATA, VALUES_OF_DATA

        known = (BOUNDS_OF_DATA, VALUES_OF_DATA)
        return tuple(one for one in self.made.notes if getattr(one, "code", "") in known)

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


@check_arguments
def inspect(
    data: Data,
    *,
    sampling: Sampling | Mapping[str, Any] | None = None,
    reading: ReadOptions | Mapping[str, Any] | None = None,
    progress: Progress = silent,
) -> Inspection:
    """Say what answers hold: kinds, values, ranges, missing answers, and why they are read so.

    Parameters
    ----------
    data
        A frame, a table of :func:`read`, or the path of a file.
    sampling
        Which columns tell how people were drawn; those of the codebook if not given. Where none
        are known, columns are suggested by their names.
    reading, progress
        As for :class:`Survey`.

    Examples
    --------
    >>> import pandas as pd
    >>> import ppworkbench as pp
    >>> found = pp.inspect(pd.DataFrame({"smokes": ["no", "yes", None], "age": [31, 44, 27]}))
    >>> found.to_frame()[["attribute", "kind", "missing"]].values.tolist()
    [['smokes', 'binary', 1], ['age', 'integer', 0]]
    """
    source = AnswerSource(data, given_options(ReadOptions, reading))
    table = source.whole(progress=progress)
    codebook = source.codebook
    known = stated_sampling(table.notes) if codebook is None else codebook.sampling
    if sampling is not None:
        known = sampling if isinstance(sampling, Sampling) else Sampling.from_json(sampling)
    return Inspection(table, known, REPORTED if source.holds_reports else "")


@dataclass(frozen=True, eq=False, repr=False)
class Inspection(Result):
    """What a table holds; roles are suggested where none are known."""

    table: Table
    sampling: Sampling | None = None
    state: str = ""

    def with_sampling(self, sampling: Sampling | None) -> Inspection:
        """The same table with other roles."""
        return dataclasses.replace(self, sampling=sampling)

    def _document(self) -> Mapping[str, Any]:
        table = self.table
        document: dict[str, Any] = {
            "rows": table.rows,
            "attributes": [_described(column) for column in table],
            "notes": [*table.notes, *_determined(table)],
        }
        stated, suggested = sampling_fields(self.sampling), suggest_roles(table.names)
        document |= stated
        if suggested and not stated:
            document["suggested_sampling"] = {
                role: list(names) for role, names in suggested.items()
            }
        return document if table.class_name is None else document | {"class": table.class_name}

    def summary(self) -> str:
        """What a table holds, as the command line prints it."""
        table = self.table
        rows = [_inspected(table, column) for column in table]
        heads = ["attribute", "kind", "values or domain", "missing", "reason"]
        parts = [
            _size(table),
            aligned(heads, rows, right=["missing"]) if rows else "",
            "\n".join(note_lines((*table.notes, *_determined(table)), naming(table.attributes))),
            _role_text(table, self.sampling),
        ]
        return "\n\n".join(part for part in parts if part)

    def to_frame(self) -> pd.DataFrame:
        """One row per attribute; ``values`` counts them, ``low`` and ``high`` are the range."""
        import pandas as pd

        rows = []
        for column in self.table:
            attribute = column.attribute
            low, high = attribute.domain or (None, None)
            rows.append(
                {
                    "attribute": attribute.name, "kind": str(attribute.kind),
                    "values": None if attribute.domain else attribute.k, "low": low, "high": high,
                    "missing": column.missing_count, "reason": str(attribute.reason),
                }
            )  # fmt: skip
        return pd.DataFrame(rows)


def _determined(table: Table) -> tuple[Message, ...]:
    """The columns that others tell, which matters where one of them is not randomised."""
    from ppworkbench.core.data.inference.determined import determining_pairs

    return tuple(
        Message(
            "{attribute} tells {other_attribute}: if one of them is randomised, randomise both or "
            "leave one out.",
            attribute=pair.determining,
            other_attribute=pair.determined,
        )
        for pair in determining_pairs(table, table.names)
    )


def _described(column: Column) -> dict[str, Any]:
    attribute = column.attribute
    described: dict[str, Any] = {
        "name": attribute.name,
        "kind": attribute.kind,
        "reason": attribute.reason,
    }
    if attribute.domain is None:
        described["values"] = list(attribute.values)
    else:
        described["domain"] = [_whole(bound) for bound in attribute.domain]
    described["domain_source"] = attribute.domain_source
    described["missing"] = column.missing_count
    if attribute.label:
        described["label"] = attribute.label
    labels = [*zip(attribute.codes, attribute.values, strict=False), *attribute.number_labels]
    if labels:
        described["value_labels"] = [
            {"code": _whole(code), "label": label} for code, label in labels
        ]
    if attribute.missing_codes:
        described["missing_codes"] = [
            {"code": _whole(missing.code), "label": missing.label}
            for missing in attribute.missing_codes
        ]
    return described


def _whole(code: Code) -> Code | int:
    """A whole number without its decimal point, as people write codes and ages."""
    return int(code) if isinstance(code, float) and code.is_integer() else code


def _role_text(table: Table, sampling: Sampling | None) -> str:
    if sampling is not None:
        roles = [f"{name} ({role})" for role, name in _named_roles(sampling)]
        return f"Sampling: {harmless(', '.join(roles))}."
    suggested = suggest_roles(table.names)
    if not suggested:
        return ""
    options = " ".join(f"--{role} {','.join(names)}" for role, names in suggested.items())
    return f"By their names, columns may tell how people were drawn: {harmless(options)}"


def _named_roles(sampling: Sampling) -> list[tuple[str, str]]:
    named = [(role, value) for role, value in sampling.to_json().items() if role != "replicates"]
    told = [(role, ", ".join(v) if isinstance(v, list) else str(v)) for role, v in named]
    replicates = sampling.replicates
    if replicates is not None:
        told.append(("replicates", f"{replicates.columns[0]} to {replicates.columns[-1]}"))
    return told


def _inspected(table: Table, column: Column) -> list[object]:
    attribute = column.attribute
    is_class = attribute.name == table.class_name
    name = f"{attribute.heading} (class)" if is_class else attribute.heading
    held = cut(_held(attribute), _VALUES_WIDTH)
    why = attribute.reason or "declared, not inferred"
    return [name, attribute.kind.value, held, column.missing_count, why]


def _held(attribute: Attribute) -> str:
    if attribute.domain is not None:
        low, high = (_whole(bound) for bound in attribute.domain)
        taken = " (from the data)" if attribute.domain_source == FROM_DATA else ""
        return f"{low} to {high}{taken}"
    # Control characters take more columns written out; a cut must not fall inside of one.
    values = ", ".join(harmless(value) for value in attribute.values[:_VALUES_WIDTH])
    return f"{attribute.k}: {values}"


def _size(table: Table) -> str:
    return f"{_counted(table.rows, 'row')}, {_counted(len(table.columns), 'attribute')}"


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


@check_arguments
def samples() -> SamplesResult:
    """List the built-in data sets that :func:`sample` loads.

    Examples
    --------
    >>> import ppworkbench as pp
    >>> "city-survey" in pp.samples().to_frame()["sample"].tolist()
    True
    """
    from ppworkbench.core.data.samples import samples as known

    return SamplesResult(
        tuple(
            {
                "name": entry.name, "label": entry.label, "description": entry.item.description,
                "sizes": entry.item.sizes().to_json(),
            }
            for entry in known
        )
    )  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class SamplesResult(Result):
    """The built-in data sets with what their generators can be told."""

    samples: tuple[Mapping[str, Any], ...]

    def _document(self) -> Mapping[str, Any]:
        return {"samples": list(self.samples)}

    def summary(self) -> str:
        """The data sets, as the command line prints them."""
        rows = [[one["name"], one["description"]] for one in self.samples]
        return aligned(["sample", "contents"], rows)

    def to_frame(self) -> pd.DataFrame:
        """One row per data set."""
        import pandas as pd

        rows = [(one["name"], str(one["label"]), str(one["description"])) for one in self.samples]
        return pd.DataFrame(rows, columns=["sample", "label", "description"])


@check_arguments
def write_sample(
    name: str,
    out: str | os.PathLike[str],
    *,
    seed: int | None = None,
    writing: WriteOptions | Mapping[str, Any] | None = None,
    progress: Progress = silent,
    **sizes: Any,
) -> WrittenSample:
    """Write a built-in data set to a file with its codebook; the extension is the format.

    Parameters
    ----------
    out
        The file to write, which is replaced if it exists.
    seed, **sizes
        As for :func:`sample`.
    writing
        Options of the file, such as ``{"decimal": ","}``.

    Examples
    --------
    >>> import tempfile
    >>> import ppworkbench as pp
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = pp.write_sample("city-survey", f"{folder}/city.csv", rows=50, seed=1)
    >>> found.table.rows
    50
    """
    from ppworkbench.core.data.files import write_table
    from ppworkbench.core.data.samples import load_sample

    how = given_options(WriteOptions, writing)
    table = load_sample(name, seed=seed, progress=part(progress, 0.0, 0.5), **sizes)
    notes = write_table(table, os.fspath(out), how, progress=part(progress, 0.5, 1.0))
    return WrittenSample(name, os.fspath(out), table, tuple(notes))


@dataclass(frozen=True, eq=False, repr=False)
class WrittenSample(Result):
    """The data set that was written; ``table`` has its answers."""

    name: str
    file: str
    table: Table
    notes: tuple[str, ...] = ()

    def _document(self) -> Mapping[str, Any]:
        rows, notes = self.table.rows, list(self.notes)
        return {"sample": self.name, "file": self.file, "rows": rows, "notes": notes}

    def summary(self) -> str:
        """What was written, as the command line prints it."""
        wrote = f"Wrote {harmless(self.file)}: {_size(self.table)}."
        return "\n".join([wrote, *note_lines(self.notes, naming(self.table.attributes))])

    def to_frame(self) -> pd.DataFrame:
        """The answers, one row per person."""
        return self.table.to_frame()
