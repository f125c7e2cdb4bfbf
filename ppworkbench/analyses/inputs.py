"""What the interface is given: answers as a frame, a table or a file, and a design."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.data.parts import Parts, is_parts, open_parts
from ppworkbench.core.data.sampling_roles import (
    Sampling,
    SamplingOptions,
    stated_sampling,
    unused_remarks,
)
from ppworkbench.core.data.table import Column, Table, shorten
from ppworkbench.core.design.design import Design
from ppworkbench.core.design.design_file import as_design, design_of
from ppworkbench.core.engines import Engine, LocalEngine, engine_of
from ppworkbench.core.errors import DataError, DesignError, ParameterError
from ppworkbench.core.params import Params, declarations
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.sampling.results import about_waves

if TYPE_CHECKING:
    import pandas as pd

    from ppworkbench.core.data.attribute import Attribute
    from ppworkbench.core.data.codebook import Codebook
    from ppworkbench.core.survey.parted import PartedAnswers

Data: TypeAlias = "pd.DataFrame | Table | str | os.PathLike[str]"
DesignLike: TypeAlias = "Design | Mapping[str, Any] | str | os.PathLike[str]"

P = TypeVar("P", bound=Params)


def engine_for(parts: Parts | None, given: Engine | str | None) -> Engine:
    """Who works on a folder of parts: an engine, or the text that names it."""
    if given is None:
        return LocalEngine()
    if parts is None:
        raise ParameterError(
            "An engine works on a folder of Parquet parts; give a folder.", field="engine"
        )
    if not isinstance(given, str) and not hasattr(given, "map"):
        raise ParameterError(
            f"engine must be a text such as 'local:4', not {given!r}.", field="engine"
        )
    return engine_of(given) if isinstance(given, str) else given


def refuse_with_parts(*, compared: bool) -> None:
    """Refuse true answers where a folder of parts is given: nobody knows whose record is whose."""
    if compared:
        raise ParameterError(
            "True answers are compared with those of a single file only, not of a folder of parts; "
            "leave that out.",
            field="data",
        )


def is_frame(data: object) -> bool:
    """Whether these are answers in a pandas frame; asked without loading pandas."""
    return hasattr(data, "columns") and hasattr(data, "iloc")


class AnswerSource:
    """Answers, wherever they are, under the attributes that a design expects.

    Columns of a frame or a table are converted when they are first asked for, and kept; a file is
    read every time, of a large one only what is needed.
    """

    def __init__(
        self, data: Data, reading: ReadOptions | None = None, *, name: str = "data"
    ) -> None:
        self.path: Path | None = None
        self.place: str | Path | None = None
        """Where the answers lie; None where they are a frame or a table."""
        self._reading = reading or ReadOptions()
        self._held: Table | None = None
        self._frame: pd.DataFrame | None = None
        self._built: dict[str, Column] = {}
        self._remarks: tuple[str, ...] = ()
        self.parts: Parts | None = None
        self._parted: PartedAnswers | None = None
        self._codebook: Callable[[], Codebook | None] = lambda: None
        if isinstance(data, Table):
            self._held = data
        elif isinstance(data, str | os.PathLike) and is_parts(os.fspath(data)):
            self.parts = open_parts(os.fspath(data))
            self.place, self._codebook = self.parts.address, self.parts.codebook
        elif isinstance(data, str | os.PathLike):
            self.path = self.place = Path(data)
            self._codebook = partial(_codebook_of, self.path)
            self._look_for_export(self.path)
        elif is_frame(data):
            self._frame = data
        else:
            kind = type(data).__name__
            if hasattr(data, "to_pandas"):
                library = type(data).__module__.partition(".")[0]
                kind = f"a {kind} of {library}; convert it with to_pandas()"
            raise ParameterError(
                f"{name} must be a DataFrame of pandas, a Table or the path of a file, not {kind}.",
                field=name,
            )

    def _look_for_export(self, path: Path) -> None:
        """Refuse the export of a platform, unless somebody has said how it is to be read."""
        if self._reading.format is None and self._reading.header is None:
            self._remarks = refuse_export(path, can_be_read=True)

    @cached_property
    def codebook(self) -> Codebook | None:
        """What was written beside the answers, or into their file."""
        return self._codebook()

    @property
    def holds_reports(self) -> bool:
        """Whether the codebook names the design that randomised the answers."""
        return self.codebook is not None and self.codebook.design is not None

    def read(
        self,
        schema: Sequence[Attribute],
        wanted: Callable[[Sequence[str]], Sequence[str]],
        progress: Progress = silent,
    ) -> Table:
        """The answers under a schema; of a large source only the columns that are wanted.

        The rows of a folder of parts come in an order of their own.
        """
        if self._parted is not None:
            known = (one.name for one in schema)
            names = list(dict.fromkeys([*known, *wanted(self._parted.parts.names)]))
            return self._parted.table(schema, names)
        self._refuse_parts()
        if self.path is not None:
            from ppworkbench.core.data.chunks import read_columns

            return read_columns(self.path, self._reading, schema, wanted, progress)
        chosen = dict.fromkeys([*(one.name for one in schema), *wanted(self._names())])
        return self._table(schema, list(chosen))

    def read_true(self, design: Design, asked: Sequence[str], progress: Progress) -> Table:
        true = [design[name].attribute for name in asked if name in design]
        told = design.versions.columns

        def known(columns: Sequence[str]) -> Sequence[str]:
            return [one for one in columns if one in (*asked, *told)]

        original = self.read(true, known, progress)
        for column in told:
            if column in original and not original[column].is_categorical:
                # True answers need not tell the arm; its names may look like numbers.
                original = self.read([*true, design[column].attribute], known, progress)
        return original

    def tables(self, schema: Sequence[Attribute], progress: Progress = silent) -> Iterator[Table]:
        self._refuse_parts()
        if self.path is not None:
            from ppworkbench.core.data.chunks import read_chunks

            return read_chunks(self.path, self._reading, schema, progress=progress)
        return iter((self._table(schema, self._names()),))

    def whole(
        self, schema: Sequence[Attribute] | None = None, progress: Progress = silent
    ) -> Table:
        """All answers at once; kinds are found where no schema tells them."""
        self._refuse_parts()
        if self.path is not None:
            from ppworkbench.core.data.files import read_table

            table = read_table(self.path, self._reading, schema, progress)
            return table.with_(notes=(*self._remarks, *table.notes))
        if self._held is not None and schema is None:
            return self._held
        return self._table(schema or (), self._names())

    def whole_true(self, design: Design, progress: Progress = silent) -> Table:
        """All true answers that a design knows, at once; reported ones are refused."""
        refuse_reported(self.path)
        drawn = set(design.drawn_columns)
        schema = [one for one in design.original_schema if one.name not in drawn]
        return self.whole(schema, progress)

    def parted(self, engine: Engine | str | None, progress: Progress) -> PartedAnswers | None:
        """The answers of a folder of parts, and who counts them; None where there are rows."""
        worker = engine_for(self.parts, engine)
        if self.parts is None:
            return None
        from ppworkbench.core.survey.parted import PartedAnswers

        self._parted = PartedAnswers(self.parts, worker, self._reading, progress)
        return self._parted

    def _refuse_parts(self) -> None:
        if self.parts is not None:
            raise ParameterError(
                f"{self.parts.address} is a folder of parts, and this needs a single file.",
                field="data",
            )

    def _names(self) -> Sequence[str]:
        if self._held is not None:
            return self._held.names
        return [str(name) for name in self._frame.columns] if self._frame is not None else ()

    def _table(self, schema: Sequence[Attribute], names: Sequence[str]) -> Table:
        expected = {one.name: one for one in schema}
        missing = [name for name in names if name not in self._names()]
        if missing:
            raise DataError(
                f"The data have no column {missing[0]!r}, which the design names.",
                attribute=missing[0],
            )
        fresh = [name for name in names if not self._is_kept(name, expected.get(name))]
        if self._held is not None:
            columns = [self._fitted(self._held[name], expected.get(name)) for name in fresh]
            notes, class_name = self._held.notes, self._held.class_name
        else:
            known = [expected[name] for name in fresh if name in expected]
            from ppworkbench.core.data.build import frame_to_table

            assert self._frame is not None  # noqa: S101 (a source has a frame, a table or a path)
            built = frame_to_table(self._frame, fresh, known)
            columns, notes, class_name = list(built.columns), built.notes, None
        self._built |= {column.name: column for column in columns}
        chosen = tuple(self._built[name] for name in names)
        return Table(chosen, class_name if class_name in names else None, notes=notes)

    def _is_kept(self, name: str, expected: Attribute | None) -> bool:
        kept = self._built.get(name)
        return kept is not None and (expected is None or kept.attribute == expected)

    def _fitted(self, column: Column, expected: Attribute | None) -> Column:
        if expected is None or column.attribute == expected:
            return column
        known, wanted = column.attribute, expected
        are_numbers = known.kind.is_numeric and wanted.kind.is_numeric
        if are_numbers or (known.kind.is_categorical and known.values == wanted.values):
            return dataclasses.replace(column, attribute=expected)
        from ppworkbench.core.data.build import frame_to_table

        return frame_to_table(column.to_series().to_frame(), [column.name], [expected]).columns[0]


@dataclasses.dataclass(frozen=True)
class RowsOfParts:
    """The rows of a folder of parts as one table, with columns that no design knows."""

    source: AnswerSource
    beyond: Sequence[str]

    def tables(self, schema: Sequence[Attribute], progress: Progress) -> Iterator[Table]:
        def wanted(columns: Sequence[str]) -> Sequence[str]:
            return [name for name in columns if name in self.beyond]

        return iter((self.source.read(schema, wanted, progress),))


def design_for(
    source: AnswerSource, given: DesignLike | None, advice: str = "give the design"
) -> Design:
    if given is not None:
        return as_design(given)
    if source.place is None:
        raise ParameterError(
            "Give the design of the answers; only a file can bring its own.", field="design"
        )
    found = design_of(source.codebook)
    if found is None:
        raise DesignError(
            f"{source.place} has no codebook with a design; {advice}.", file=source.place
        )
    return found


def survey_design(
    source: AnswerSource, given: DesignLike | None, progress: Progress = silent
) -> tuple[Design, tuple[str, ...]]:
    """The design as :func:`design_for` finds it, else one where nothing is randomised.

    What is to be said with every result comes with it.
    """
    if given is not None or source.parts is not None:
        return design_for(source, given), ()
    from ppworkbench.core.data.files import was_randomised
    from ppworkbench.core.design.starting import open_design

    codebook = source.codebook
    if codebook is not None and codebook.design is not None:
        return design_for(source, None), ()
    table = source.whole(progress=progress)
    if was_randomised(table):
        raise DesignError(
            "These answers were randomised: the codebook of their file holds the design. Give the "
            "path of the file as data, or the design.",
            field="design",
        )
    sampling = stated_sampling(table.notes) if codebook is None else codebook.sampling
    remark = "No design was given, so no answer is taken as randomised."
    return open_design(table.attributes, sampling), (remark,)


def holds_reports(path: str | Path) -> bool:
    """Whether the codebook of a file names the design that randomised its answers."""
    is_folder = is_parts(str(path))
    codebook = open_parts(str(path)).codebook() if is_folder else _codebook_of(path)
    return codebook is not None and codebook.design is not None


def _codebook_of(path: str | Path) -> Codebook | None:
    from ppworkbench.core.data.files import codebook_of

    return codebook_of(path)


def refuse_export(given: str | os.PathLike[str], *, can_be_read: bool = False) -> tuple[str, ...]:
    """Refuse the export of a survey platform where a table of answers is expected.

    Marks that other files may bear as well are no reason to refuse one; what to say is returned.

    Parameters
    ----------
    can_be_read
        Whether a format can be named here, so that it is read as plain data.
    """
    from ppworkbench.core.data.formats import formats
    from ppworkbench.fieldwork.responses.platforms import platforms
    from ppworkbench.fieldwork.responses.sources import find_export

    path = Path(given)
    found, is_certain = find_export(path)
    if not found:
        return ()
    kind = next((one.name for one in formats if path.suffix.lower() in one.item.suffixes), "csv")
    words = (
        f"{path} looks like an export of {platforms.entry(found).label}: answers that people gave. "
        "Add it to its study or design with the command 'add' (in Python add_answers), which knows "
        "the rows and columns of platforms"
    )
    words += (
        f"; to read it as plain data all the same, name its format (--format {kind}, in Python "
        f"format={kind!r})."
        if can_be_read
        else "."
    )
    if is_certain:
        raise DataError(words, file=path)
    return (words,)


def refuse_reported(path: str | Path | None) -> None:
    """Refuse a file as true answers whose codebook tells that they were randomised already."""
    if path is not None and holds_reports(path):
        raise DataError(
            f"{path} holds reported answers: its codebook names the design that randomised them. "
            "They are never randomised again, nor used as true ones.",
            file=path,
        )


def settings(declared: type[P], given: Mapping[str, Any], **more: Any) -> P:
    """Parameters of a declared class from keywords; an unknown keyword is named."""
    known = [one.name for one in declarations(declared)]
    unknown = next((name for name in given if name not in known), None)
    if unknown is not None:
        raise ParameterError(
            f"There is no parameter {unknown!r}; there are {', '.join(known)}.", field=unknown
        )
    return declared(**given, **more)


def given_options(declared: type[P], given: P | Mapping[str, Any] | None) -> P:
    """Options as they were given: an object, keywords for one, or nothing for the defaults."""
    if isinstance(given, declared):
        return given
    return settings(declared, cast("Mapping[str, Any]", given or {}))


def sampling_options(
    given: SamplingOptions | Mapping[str, Any] | None,
) -> SamplingOptions | None:
    if given is None or isinstance(given, SamplingOptions):
        return given
    return settings(SamplingOptions, given) if given else None


def refuse_absent(roles: Sequence[str], columns: Sequence[str]) -> None:
    """Refuse a sampling role whose column the answers do not have; of these all are named."""
    absent = next((name for name in roles if name not in columns), None)
    if absent is not None:
        raise DataError(
            f"The data have no column {absent!r}, which has a sampling role; they have "
            f"{shorten(columns)}.",
            attribute=absent,
        )


def refuse_values(strata: object) -> None:
    """Refuse the strata of the rows where the names of their columns are meant."""
    if hasattr(strata, "iloc"):
        raise ParameterError(
            "strata names one or several columns of the answers, as in strata='region'; a Series "
            "holds their values.",
            field="strata",
        )


def sampling_roles(
    design: Design | None,
    given: Sampling | Mapping[str, Any] | bool,
    named: Mapping[str, Any],
) -> tuple[Sampling | None, tuple[str, ...]]:
    known = None if design is None else design.sampling
    if given is False:
        if named:
            raise ParameterError(
                f"{next(iter(named))} contradicts sampling=False; drop one.", field="sampling"
            )
        return None, (
            *unused_remarks(known),
            *(() if design is None else about_waves(design, None)),
        )
    base = known
    if isinstance(given, Sampling):
        base = given
    elif isinstance(given, Mapping):
        base = Sampling.from_json(given)
    if named:
        whole = ({} if base is None else base.to_json()) | dict(named)
        if "stratum" in whole and not isinstance(whole["stratum"], str):
            whole["stratum"] = list(whole["stratum"])
        base = Sampling.from_json(whole)
    return base, () if design is None else about_waves(design, base)
