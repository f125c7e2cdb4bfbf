"""The column that is explored, and its answers distorted once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Design, DesignedAttribute, Perturbation
from ppworkbench.core.design.budget import draw_parts
from ppworkbench.core.design.distort import Distorter
from ppworkbench.core.design.fit import fit_column
from ppworkbench.core.design.matrices.base import condition_number
from ppworkbench.core.design.row_devices import refuse_noise_by_row
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.reconstruct import CountedChannel, original_distribution
from ppworkbench.core.reconstruct.by_arm import ArmResults, DeviceCounter
from ppworkbench.core.reconstruct.channel import NUMBERS, VALUES
from ppworkbench.core.reconstruct.grid import DEFAULT_BINS
from ppworkbench.core.reconstruct.reconstruct import results_by_arm
from ppworkbench.core.reconstruct.sets import SetCounter
from ppworkbench.core.rng import SeededStreams, Stream
from ppworkbench.study.language import translatable
from ppworkbench.study.parts.study_parts import StudyParts
from ppworkbench.study.study import Study

MOST_STEPS = 500
"""More steps than pixels show nothing, and every iteration pays for them."""
_EACH_NUMBER = 200
"""Whole numbers up to which each has a step of its own unless somebody asks otherwise."""


@dataclass(frozen=True)
class Split:
    parts: int
    ask: int
    place: int

    def draw(self, rows: int, stream: Stream) -> NDArray[np.bool_]:
        """Which of the next people are asked: those whom the whole table would ask, too."""
        return draw_parts(rows, self.parts, self.ask, stream)[:, self.place]


def split_of(design: Design, name: str) -> Split | None:
    """How it is drawn who gets a question; None where everybody does."""
    place = next((i for i, part in enumerate(design.parts) if name in part), None)
    return (
        None if design.ask is None or place is None else Split(len(design.parts), design.ask, place)
    )


@dataclass(frozen=True)
class PartedColumn:
    """A column that lies in a folder of parts, under the design of all of its columns."""

    parts: StudyParts
    design: Design


@dataclass(frozen=True)
class ExploredColumn:
    """One attribute of a study, ready to be drawn from.

    Parameters
    ----------
    column
        The original answers, or the distorted ones where nobody knows the original.
    designed
        The attribute with its own perturbation, that of its group where it is in one.
    known
        Whether the column holds the true answers.
    steps
        How many intervals a scale of numbers is cut into; None for values.
    design, arms
        The question and the column of the arms, where there are arms; and the arm of every row
        where the answers tell it.
    source
        The parts that the column is a sample of, where these are counted instead of it.
    split
        How people get some of the questions only, where they do and this one is among those.
    """

    column: Column
    designed: DesignedAttribute
    known: bool
    steps: int | None = None
    design: Design | None = None
    arms: tuple[Column, ...] = ()
    split: Split | None = None
    source: PartedColumn | None = None

    @property
    def name(self) -> str:
        return self.designed.name

    @property
    def attribute(self) -> Attribute:
        return self.designed.attribute

    @property
    def perturbation(self) -> Perturbation:
        return self.designed.perturbation

    @property
    def cells(self) -> str:
        """Whether its answers are values or numbers."""
        return VALUES if self.attribute.kind.is_categorical else NUMBERS

    @property
    def questions(self) -> Design:
        """The question alone, with its arms where there are some."""
        return Design((self.designed,)) if self.design is None else self.design

    @property
    def bins(self) -> int | None:
        """The steps, unless they are the intervals that are published anyway."""
        edges = self.perturbation.numbers.interval_edges(self.attribute)
        return None if edges is not None and self.steps == len(edges) - 1 else self.steps

    @property
    def is_distorted(self) -> bool:
        return not self.perturbation.is_identity or self.has_noise_by_arm

    @property
    def has_noise_by_arm(self) -> bool:
        """Whether it is a number that arms randomise in different ways."""
        if self.design is None or self.attribute.kind.is_categorical:
            return False
        return bool(self.design.perturbation(self.name).columns)


def explored_column(
    study: Study, name: str | None, steps: int | None = None
) -> ExploredColumn | None:
    """The column of that name; None where the study has no answers or no design for it."""
    table = study.table
    if name is None or table is None or name not in table or name not in study.design:
        return None
    design = _with_arms(study.design, name)
    device = study.design.perturbation(name)
    if device.columns and not study.design[name].attribute.kind.is_categorical:
        device = study.design.usual_device(name)
    designed = replace(study.design[name], perturbation=device)
    if designed.attribute.kind.is_categorical:
        steps = None
    else:
        wanted = default_steps(designed) if steps is None else steps
        steps = max(1, min(wanted, most_steps(designed.attribute)))
    told = () if design is None else design.versions.columns
    arms = tuple(table[one] for one in told if one in table)
    known = study.original is not None
    split = split_of(study.design, name) if known else None
    parts = study.reported_parts
    source = None if parts is None else PartedColumn(parts, study.design)
    return ExploredColumn(table[name], designed, known, steps, design, arms, split, source)


def _with_arms(design: Design, name: str) -> Design | None:
    """The question alone with its arms; None where arms have nothing to do with it."""
    versions = design.versions
    if not versions.columns or name == versions.column:
        return None
    only = replace(design[name], perturbation=design.usual_device(name))
    others = [other for other in design.names if other != name]
    return Design((only, design[versions.column]), arms=versions.without(others))


def default_steps(designed: DesignedAttribute) -> int:
    attribute = designed.attribute
    edges = designed.perturbation.numbers.interval_edges(attribute)
    if edges is not None:
        return len(edges) - 1
    if attribute.kind is Kind.INTEGER and attribute.width + 1 <= _EACH_NUMBER:
        return int(attribute.width) + 1
    return DEFAULT_BINS


def most_steps(attribute: Attribute) -> int:
    if attribute.kind is Kind.INTEGER:
        return min(MOST_STEPS, int(attribute.width) + 1)
    return MOST_STEPS if attribute.width > 0 else 1


_CHUNK = 1 << 17


@dataclass(frozen=True, eq=False)
class Draw:
    """Distorted counts of a column, with the truth where it is known.

    Parameters
    ----------
    original
        The shares of the true answers in X's cells; None where nobody knows them.
    distorted, distorted_edges
        The shares of the distorted answers as a picture shows them: by value, or in steps about
        as wide as those of X between the edges.
    condition
        How much P magnifies errors; infinite for a matrix that cannot be undone. None where the
        channel is not square.
    asked, not_asked
        Whom the question was asked of, where not everybody was; and how many people were not.
    by_arm
        Every arm by itself, for values of a survey with arms.
    sets
        The reports by device, where they are sets; ``distorted`` are then the shares that name
        each value.
    """

    explored: ExploredColumn
    seed: int
    counted: CountedChannel
    original: Numbers | None
    distorted: Numbers
    distorted_edges: Numbers | None
    condition: float | None
    asked: NDArray[np.bool_] | None = None
    not_asked: int = 0
    by_arm: ArmResults | None = None
    sets: tuple[SetCounter, ...] = ()

    @property
    def is_singular(self) -> bool:
        """Whether different truths look the same once distorted."""
        return self.condition is not None and not np.isfinite(self.condition)

    @property
    def key(self) -> tuple[ExploredColumn, int]:
        """What two draws must share to be the same."""
        return self.explored, self.seed


def simulate(explored: ExploredColumn, seed: int, progress: Progress = silent) -> Draw:
    """Distort the column with the stream that the whole table would use, and count it.

    Parameters
    ----------
    seed
        Where the random numbers start; without a meaning for answers that came distorted.
    """
    if explored.source is not None:
        return _count_source(explored, explored.source, seed, progress)
    design = explored.questions
    refuse_noise_by_row(design.perturbation(explored.name), explored.attribute)
    counter = DeviceCounter.of(explored.name, design, explored.bins)
    arms = design.versions
    silent_ones = [place for place, arm in enumerate(arms.members) if explored.name in arm.omit]
    asked, told = _Asked(explored, seed), []
    for done, everybody in _distorted_chunks(explored, design, seed):
        progress(0.7 * done, translatable("distorting"))
        if arms.columns:
            told.append(~np.isin(arms.read(everybody), silent_ones))
        table = asked.among(everybody)
        counter.add(table, arms.read(table))
    people = asked.people
    if told:
        within = np.concatenate(told)
        people = within if people is None else people & within
    return _counted_draw(
        explored, counter, seed, people, counter.not_asked + asked.others, progress
    )


def _count_source(
    explored: ExploredColumn, source: PartedColumn, seed: int, progress: Progress
) -> Draw:
    """Count the reports of all parts by the engine of the study."""
    # What reads parts comes with libraries that the window need not wait for.
    from ppworkbench.core.reconstruct.parted import count_parts

    name, parts = explored.name, source.parts
    refuse_noise_by_row(source.design.perturbation(name), explored.attribute)
    progress(0.0, Message("Looking at the parts"))
    found = count_parts(
        parts.open(), source.design, (name,), parts.worker, bins=explored.bins,
        progress=part(progress, 0.0, 0.7),
    )  # fmt: skip
    counter = found.counters[name]
    return _counted_draw(explored, counter, seed, None, counter.not_asked, progress)


def _counted_draw(
    explored: ExploredColumn,
    counter: DeviceCounter,
    seed: int,
    people: NDArray[np.bool_] | None,
    others: int,
    progress: Progress,
) -> Draw:
    """What was counted device by device; ``people`` were asked and ``others`` were not."""
    condition, edges = None, None
    if sets := counter.set_counters():
        counted = _named(sets)
        share = counted.counts / max(counted.rows, 1)
    elif (whole := counter.counted()) is not None:
        counted = whole
        share, edges = _as_shown(counted)
    else:
        counted = counter.stacked()
        # The reports of several devices stand one after another.
        reported = counted.counts.reshape(-1, counted.k).sum(axis=0)
        share = reported / max(float(reported.sum()), 1.0)
    if not sets and counted.is_square and counted.cells == VALUES:
        part(progress, 0.7, 0.8)(0.0, translatable("checking the matrix"))
        condition = condition_number(counted.matrix)
    has_any = counted.total > 0 and counted.k > 1
    original = by_arm = None
    if explored.known and has_any:
        progress(0.8, translatable("counting"))
        original = original_distribution(truth_of(explored, people), counted)
    if explored.design is not None and explored.cells == VALUES and has_any:
        progress(0.9, translatable("comparing arms"))
        by_arm = results_by_arm(counter, seed=seed)
    return Draw(
        explored, seed, counted, original, share, edges, condition, people, others, by_arm, sets
    )


def _named(sets: Sequence[SetCounter]) -> CountedChannel:
    return replace(
        sets[0].cells(),
        counts=np.sum([one.total * one.named() for one in sets if one.total > 0], axis=0),
        rows=sum(one.rows for one in sets),
        missing=sum(one.missing for one in sets),
    )


class _Asked:
    """Draws whom a part of the questionnaire is asked of, one chunk of people after the other."""

    def __init__(self, explored: ExploredColumn, seed: int) -> None:
        self._split, self._found = explored.split, list[NDArray[np.bool_]]()
        self._stream = SeededStreams(seed).stream("ask", "parts")

    def among(self, chunk: Table) -> Table:
        """The reports of those who are asked."""
        if self._split is None:
            return chunk
        asked = self._split.draw(chunk.rows, self._stream)
        self._found.append(asked)
        return chunk.take(np.flatnonzero(asked))

    @property
    def people(self) -> NDArray[np.bool_] | None:
        """Who was asked so far; None where everybody is."""
        return np.concatenate(self._found) if self._found else None

    @property
    def others(self) -> int:
        """How many were not asked."""
        return 0 if self.people is None else int(np.count_nonzero(~self.people))


def truth_of(explored: ExploredColumn, asked: NDArray[np.bool_] | None) -> Column:
    """The true answers of those who were asked."""
    truth = Column(explored.attribute, fit_column(explored.column, explored.designed))
    return truth if asked is None else truth.take(np.flatnonzero(asked))


def _distorted_chunks(
    explored: ExploredColumn, design: Design, seed: int
) -> Iterator[tuple[float, Table]]:
    """The share that is done, and the next distorted records with their arms."""
    whole = Table((explored.column, *explored.arms))
    if not explored.known:
        yield 0.0, whole
        return
    distorter = Distorter(design, SeededStreams(seed))
    # At least one chunk, so that an empty column is checked like any other.
    for start in range(0, max(whole.rows, 1), _CHUNK):
        chunk = whole.take(slice(start, start + _CHUNK))
        yield start / max(whole.rows, 1), distorter.apply(chunk)


def _as_shown(counted: CountedChannel) -> tuple[Numbers, Numbers | None]:
    total = max(float(counted.counts.sum()), 1.0)
    if counted.x_edges is None or counted.z_edges is None:
        return counted.counts / total, None
    counts, edges = counted.counts, counted.z_edges
    seen = np.flatnonzero(counts)
    if len(seen):
        # Beyond the data the channel has one wide cell to either side, with nothing to show.
        counts = counts[seen[0] : seen[-1] + 1]
        edges = edges[seen[0] : seen[-1] + 2]
    width = float(np.median(np.diff(counted.x_edges)))
    starts = [0]
    for cell in range(1, len(counts)):
        if edges[cell] - edges[starts[-1]] >= 0.99 * width:
            starts.append(cell)
    return np.add.reduceat(counts, starts) / total, np.append(edges[starts], edges[-1])
