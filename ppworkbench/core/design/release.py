"""From true answers to a distorted file, in one piece or chunk by chunk.

Without a seed this is a release: randomness of the operating system, shuffled rows, numbers on a
published grid. With a seed it is a repeatable study, and anybody who learns the seed can undo it.

A folder of parts becomes another folder, part by part. With a seed the rows of all parts draw from
the streams of a single file, one after the other. How far a row moves a stream depends on what it
draws, and the generator cannot skip, so that parts are distorted in their order: a worker gets the
streams where the part before has left them. Without a seed every part is drawn from secure
randomness, all at the same time, and shuffled within itself.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path

from ppworkbench.core.data.attribute import FROM_DATA, Attribute, MissingPolicy
from ppworkbench.core.data.chunk_writer import SUFFIXES, ParquetSink, open_chunk_writer
from ppworkbench.core.data.chunks import read_chunks
from ppworkbench.core.data.codebook import Enclosure
from ppworkbench.core.data.files import read_table, write_table
from ppworkbench.core.data.inference.determined import DeterminedPair, determining_pairs
from ppworkbench.core.data.inference.text import looks_personal
from ppworkbench.core.data.missing import apply_missing_policies
from ppworkbench.core.data.options import ReadOptions, WriteOptions
from ppworkbench.core.data.parts import NewParts, Part, Parts
from ppworkbench.core.data.sampling_roles import role_columns
from ppworkbench.core.data.table import Table, list_attributes
from ppworkbench.core.design.design import Design, DesignedAttribute
from ppworkbench.core.design.design_file import design_to_json, publishable
from ppworkbench.core.design.distort import Distorter
from ppworkbench.core.design.shuffle import shuffled, shuffled_chunks
from ppworkbench.core.engines import Engine
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Annotated, Info, Params, Within
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.rng import SecureStreams, SeededStreams, Stream, Streams

UNSAFE_SEED = (
    "The seed makes the result reproducible: seed and design together reveal the true "
    "answers. Omit the seed for a release."
)
BOUNDS_OF_DATA = "bounds-of-data"
VALUES_OF_DATA = "values-of-data"
"""The codes of the notes that bounds, or lists of values, were read off the answers."""
GIVEAWAY = "giveaway"
NAMING_RELEASED = "naming-released"
"""The code of a note that a published column tells a randomised one, or follows from it."""
_CHUNK_ROWS = 1 << 18
_BUCKET_BYTES = 256 * 2**20
_IN_MEMORY_BYTES = 64 * 2**20
"""Files below this size are read in one piece, which is faster."""

_BUCKET_CELLS = 1 << 25
"""Cells of a part that are shuffled in memory at once."""
SHUFFLED_INSIDE = Message(
    "Rows were shuffled within their parts only; which part a person is in stays visible."
)

Written = tuple[int, tuple[str, ...]]
"""The number of rows and the notes about them."""


@dataclass(frozen=True)
class ReleaseOptions(Params):
    seed: Annotated[
        int | None, Within(0), Info("Seed", "Reproducible, not secure; never for a release")
    ] = None
    shuffle: Annotated[bool, Info("Shuffle rows", "Row order can link records to people")] = True
    escape_formulas: Annotated[
        bool, Info("Escape formulas", "Write cells that a spreadsheet would execute as plain text")
    ] = True


@dataclass(frozen=True)
class Release:
    """What was written; ``design`` is the one that was published with it."""

    rows: int
    design: Design
    secure: bool
    notes: tuple[str, ...]


def release_file(
    source: str | Path,
    design: Design,
    target: str | Path,
    options: ReleaseOptions | None = None,
    read_options: ReadOptions | None = None,
    progress: Progress = silent,
) -> Release:
    """Distort a file into another one; CSV and Parquet of any size within bounded memory.

    The target appears when it is complete; on any error nothing is left behind.
    """
    source, read_options = Path(source), read_options or ReadOptions()
    work = _Work.of(design, target, options)
    size = source.stat().st_size if source.is_file() else 0
    streamed = (source.suffix.lower() in SUFFIXES) and (work.target.suffix.lower() in SUFFIXES)
    schema = _answered(source, design, read_options)
    if streamed and size > _IN_MEMORY_BYTES:
        reading = part(progress, 0, 0.7)
        chunks = read_chunks(source, read_options, schema, rows=_CHUNK_ROWS, progress=reading)
        return work.told(work.in_chunks(chunks, -(-size // _BUCKET_BYTES), progress))
    table = read_table(source, read_options, schema, part(progress, 0, 0.4))
    return work.told(work.at_once(table, part(progress, 0.4, 1)))


def _answered(source: Path, design: Design, options: ReadOptions) -> tuple[Attribute, ...]:
    """The columns that the file must have; of arms and counts of lists only those that it has."""
    if not design.drawn_columns:
        return design.original_schema
    there = next(read_chunks(source, options, ())).names
    made = set(design.drawn_columns).difference(there)
    behind = (one.attribute for one in design.lists if one.name in there)
    return (*(one for one in design.original_schema if one.name not in made), *behind)


def release_table(
    table: Table,
    design: Design,
    target: str | Path,
    options: ReleaseOptions | None = None,
    progress: Progress = silent,
    remarks: tuple[str, ...] = (),
) -> Release:
    """Distort a table into a file, after its missing answers were dropped or filled in.

    The target appears when it is complete; on any error nothing is left behind. ``remarks`` are
    sentences for the codebook.

    Raises
    ------
    DataError, DesignError
        When the table does not fit the design or the file cannot be written.
    """
    work = _Work.of(design, target, options)
    table, notes = without_missing(table, design)
    rows, said = work.at_once(table, progress, remarks)
    return work.told((rows, (*notes, *said)))


def bounds_of_data(design: Design) -> tuple[str, ...]:
    """The attributes whose bounds were read off the answers and that nobody has confirmed."""
    return tuple(one.name for one in _of_data(design) if one.attribute.kind.is_numeric)


def values_of_data(design: Design) -> tuple[str, ...]:
    """The randomised attributes whose list of values nobody has confirmed as public.

    What is not randomised is published anyway.
    """
    listed = (one.name for one in _of_data(design) if not one.attribute.kind.is_numeric)
    return tuple(name for name in listed if name in design.randomised)


def _of_data(design: Design) -> Iterator[DesignedAttribute]:
    return (one for one in design if one.attribute.domain_source == FROM_DATA)


def epsilon_conditions(design: Design) -> tuple[Message, ...]:
    """What epsilon rests on besides the devices: values and bounds that were known before."""
    told = []
    values, bounds = values_of_data(design), bounds_of_data(design)
    if values:
        told.append(
            Message(
                "Epsilon holds if the values of {listed} are a public list: what a list that was "
                "read off the data tells is not counted.",
                code=VALUES_OF_DATA,
                listed=list_attributes(values, 3),
            )
        )
    if bounds:
        told.append(
            Message(
                "Epsilon holds if the bounds of {ranged} are public: what bounds that were read "
                "off the data tell is not counted.",
                code=BOUNDS_OF_DATA,
                ranged=list_attributes(bounds, 3),
            )
        )
    return tuple(told)


def values_note(names: Sequence[str]) -> Message:
    """That lists of values are published which nobody has confirmed as public."""
    return Message(
        "The values of {listed} may be read off the data, and their list is published: a rare "
        "value on it shows that somebody gave it. Confirm it as public if it was known before, "
        "else merge or remove rare values.",
        code=VALUES_OF_DATA,
        listed=list_attributes(names, 3),
    )


def _notes_on_sources(design: Design) -> Iterator[Message]:
    values, bounds = values_of_data(design), bounds_of_data(design)
    if values:
        yield values_note(values)
    if bounds:
        yield Message(
            "The bounds of {ranged} are taken from the data and published; confirm them as public "
            "if they are no secret, else set other bounds.",
            code=BOUNDS_OF_DATA,
            ranged=list_attributes(bounds, 3),
        )


def release_notes(
    design: Design, notes: tuple[str, ...], options: ReleaseOptions
) -> tuple[str, ...]:
    """The notes about a distorted file, with what makes it less safe than it may seem."""
    if options.seed is not None:
        return (*notes, UNSAFE_SEED)
    return (*notes, *_notes_on_sources(design))


def giveaway(pair: DeterminedPair, design: Design) -> Message | None:
    """What a pair discloses without a full stop; None where both or none are randomised.

    Epsilon of a randomised answer counts its own report only: an age that is published beside a
    randomised age group gives the group away, and an age group beside a randomised age narrows the
    age down, whatever the device.
    """
    one, other = (name in design.randomised for name in (pair.determining, pair.determined))
    if one == other:
        return None
    if other:
        return Message(
            "{attribute} is released without randomising and tells the randomised "
            "{other_attribute}",
            code=GIVEAWAY,
            attribute=pair.determining,
            other_attribute=pair.determined,
        )
    return Message(
        "{other_attribute} is released without randomising and follows from the randomised "
        "{attribute}",
        code=GIVEAWAY,
        attribute=pair.determining,
        other_attribute=pair.determined,
    )


def giveaway_advice(pair: DeterminedPair, design: Design) -> Message:
    is_first = pair.determined in design.randomised
    return Message(
        "epsilon does not count that; randomise {attribute} or leave it out",
        attribute=pair.determining if is_first else pair.determined,
    )


def giveaway_notes(table: Table, design: Design) -> tuple[Message, ...]:
    notes = []
    for pair in determining_pairs(table, design.names):
        said = giveaway(pair, design)
        if said is not None:
            notes.append(
                Message(
                    "{said}: {advice}.",
                    code=GIVEAWAY,
                    said=said,
                    advice=giveaway_advice(pair, design),
                )
            )
    return tuple(notes)


def naming_columns(table: Table, design: Design) -> tuple[str, ...]:
    """The released columns that may name people; those with a sampling role are wanted.

    Numbers that are randomised name nobody; of values the list is published in any case.
    """
    roles = role_columns(design.sampling)
    return tuple(
        column.name
        for column in table
        if column.name in design
        and column.name not in roles
        and (column.is_categorical or column.name not in design.randomised)
        and looks_personal(column)
    )


def identifying_notes(table: Table, design: Design) -> tuple[Message, ...]:
    """That columns are released which may be identifiers, names or free text."""
    names = naming_columns(table, design)
    if not names:
        return ()
    return (
        Message(
            "{listed}: released, and perhaps an identifier, a name or free text, by which people "
            "can be found; leave it out of the design unless it is needed.",
            code=NAMING_RELEASED,
            listed=list_attributes(names, 4),
        ),
    )


def naming_notes(design: Design) -> tuple[str, ...]:
    """What an analyst must know of reports that are sets: how often they name a value."""
    notes = (one.perturbation.analyst_note(one.attribute) for one in design)
    return tuple(note for note in notes if note is not None)


def without_missing(table: Table, design: Design) -> tuple[Table, tuple[str, ...]]:
    """The table as the policies "drop" and "impute" want it; a value is the design's affair."""
    wanted = (MissingPolicy.DROP, MissingPolicy.IMPUTE)
    treated = {c.name for c in table if c.name in design and c.attribute.missing in wanted}
    columns = tuple(
        column
        if column.name in treated
        else column.with_(attribute=column.attribute.with_(missing=MissingPolicy.LEAVE))
        for column in table
    )
    silent = design.versions.not_asked(table)
    prepared = apply_missing_policies(table.with_(columns=columns), not_asked=silent)
    said = (
        Message("{attribute}: {sentence}", attribute=name, sentence=Message.of(sentence))
        for name, sentence in prepared.sentences.items()
        if name in treated
    )
    return prepared.table, tuple(said)


@dataclass(frozen=True)
class _Work:
    design: Design
    target: Path
    options: ReleaseOptions
    streams: Streams

    @classmethod
    def of(cls, design: Design, target: str | Path, options: ReleaseOptions | None) -> _Work:
        options = options or ReleaseOptions()
        if options.seed is not None:
            # A study with a seed is compared with the truth digit by digit.
            return cls(design, Path(target), options, SeededStreams(options.seed))
        return cls(publishable(design), Path(target), options, SecureStreams())

    @property
    def _order(self) -> Stream:
        return self.streams.stream("shuffle", "rows")

    @property
    def _write_options(self) -> WriteOptions:
        return WriteOptions(escape_formulas=self.options.escape_formulas, readable_codebook=True)

    def told(self, written: Written) -> Release:
        rows, notes = written
        told = release_notes(self.design, notes, self.options)
        return Release(rows, self.design, self.options.seed is None, told)

    def at_once(self, table: Table, progress: Progress, remarks: tuple[str, ...] = ()) -> Written:
        distorted = Distorter(self.design, self.streams).apply(table, part(progress, 0, 0.4))
        if self.options.shuffle:
            distorted = shuffled(distorted, self._order)
        remarks = (*remarks, *naming_notes(self.design))
        found = self._found(table)
        said = write_table(
            distorted,
            self.target,
            self._write_options,
            part(progress, 0.4, 1),
            design=design_to_json(self.design),
            remarks=remarks,
        )
        return distorted.rows, (*distorted.notes, *found, *said)

    def in_chunks(self, chunks: Iterator[Table], buckets: int, progress: Progress) -> Written:
        notes: list[str] = []
        distorted = self._distorted(chunks, notes)
        if self.options.shuffle:
            distorted = shuffled_chunks(distorted, buckets, self._order)
        rows = 0
        # Rows that wait on the disk are cleared away at once, not when the error is forgotten.
        with (
            closing(distorted),
            open_chunk_writer(
                self.target,
                self._write_options,
                design=design_to_json(self.design),
                remarks=naming_notes(self.design),
            ) as writer,
        ):
            for chunk in distorted:
                writer.write(chunk)
                rows += chunk.rows
                progress(0.7, Message("{rows:,} rows written", rows=rows))
        progress(1.0, Message("{rows:,} rows written", rows=rows))
        return rows, tuple(dict.fromkeys(notes))

    def _distorted(self, chunks: Iterator[Table], notes: list[str]) -> Generator[Table, None, None]:
        distorter = Distorter(self.design, self.streams)
        for place, chunk in enumerate(chunks):
            distorted = distorter.apply(chunk)
            # What is no function in the first rows is none in all of them.
            notes += (*distorted.notes, *(self._found(chunk) if not place else ()))
            yield distorted

    def _found(self, table: Table) -> tuple[Message, ...]:
        """What the true answers show to be doubtful about their release."""
        return (*giveaway_notes(table, self.design), *identifying_notes(table, self.design))


# Parts


def release_parts(
    source: Parts,
    design: Design,
    target: str,
    engine: Engine,
    options: ReleaseOptions | None = None,
    read_options: ReadOptions | None = None,
    progress: Progress = silent,
) -> Release:
    """Distort every part of a folder into a part of the same name in another folder.

    All parts appear together when the last one is finished; on any error nothing is left behind.
    """
    options = options or ReleaseOptions()
    is_secure = options.seed is None
    if options.shuffle and not is_secure:
        raise ParameterError(
            "Rows of parts keep their order with a seed; leave out the shuffling or the seed.",
            field="shuffle",
        )
    design = publishable(design) if is_secure else design
    schema = _answered_parts(source, design)
    source.check(schema)
    new = NewParts.begin(target)
    try:
        work = _PartRelease(source, design, new, options, read_options or ReadOptions(), schema)
        notes: dict[str, None] = {}
        rows = 0
        for one in work.run(engine, progress):
            rows += one.rows
            notes |= dict.fromkeys(one.notes)
        new.finish([part.name for part in source.filled])
    finally:
        new.clear()
    left_out = [name for name in source.names if name not in design]
    if left_out:
        # Workers read the columns of the design only and know of no others.
        notes[
            Message("Excluded, not in the design: {left_out}.", left_out=list_attributes(left_out))
        ] = None
    if options.shuffle:
        notes[SHUFFLED_INSIDE] = None
    return Release(rows, design, is_secure, release_notes(design, tuple(notes), options))


def _answered_parts(source: Parts, design: Design) -> tuple[Attribute, ...]:
    """The columns that are read; of arms and counts of lists only those that the parts have."""
    made = set(design.drawn_columns).difference(source.names)
    behind = (one.attribute for one in design.lists if one.name in source.names)
    return (*(one for one in design.original_schema if one.name not in made), *behind)


@dataclass(frozen=True)
class _Distorted:
    rows: int
    notes: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class _PartRelease:
    source: Parts
    design: Design
    new: NewParts
    options: ReleaseOptions
    read_options: ReadOptions
    schema: tuple[Attribute, ...]

    def run(self, engine: Engine, progress: Progress) -> Iterator[_Distorted]:
        if self.options.seed is None:
            return engine.map(self.draw_securely, self.source.filled, progress)
        first = Distorter(self.design, SeededStreams(self.options.seed))
        return engine.chain(self.draw_next, first, self.source.filled, progress)

    def draw_securely(self, part: Part) -> _Distorted:
        return self._distort(part, Distorter(self.design, SecureStreams()))

    def draw_next(self, before: Distorter, part: Part) -> tuple[_Distorted, Distorter]:
        # A part that is begun again, because a worker was lost, must find the streams untouched.
        distorter = deepcopy(before)
        return self._distort(part, distorter), distorter

    def _distort(self, part: Part, distorter: Distorter) -> _Distorted:
        notes: dict[str, None] = {}
        tables = self._tables(part, distorter, notes)
        if self.options.shuffle:
            buckets = -(-part.rows * len(self.schema) // _BUCKET_CELLS)
            tables = shuffled_chunks(tables, buckets, SecureStreams().stream("shuffle", "rows"))
        enclosure = Enclosure(design_to_json(self.design), naming_notes(self.design))
        rows, sink = 0, None
        with self.new.part(part.name) as path:
            try:
                for table in tables:
                    sink = sink or ParquetSink(path, table, WriteOptions(), enclosure)
                    sink.write(table)
                    rows += table.rows
            finally:
                tables.close()
                if sink is not None:
                    sink.close()
        return _Distorted(rows, tuple(notes))

    def _tables(
        self, part: Part, distorter: Distorter, notes: dict[str, None]
    ) -> Generator[Table, None, None]:
        for table in self.source.tables(part.first, part.end, self.schema, self.read_options):
            found = distorter.apply(table)
            notes |= dict.fromkeys(found.notes)
            yield found
