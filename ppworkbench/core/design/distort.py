"""Distortion of tables, in one piece or chunk by chunk, with the same result."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.data import sets
from ppworkbench.core.data.attribute import CLIP, Attribute, Kind, within_rounding
from ppworkbench.core.data.table import Column, Table, code_type, list_attributes
from ppworkbench.core.design.budget import draw_parts
from ppworkbench.core.design.design import Design, DesignedAttribute
from ppworkbench.core.design.fit import check_columns, fit_column
from ppworkbench.core.design.group import GroupSampler
from ppworkbench.core.design.noises.additive import ADD_KERNEL
from ppworkbench.core.design.noises.window import WINDOW_KERNEL
from ppworkbench.core.design.sampler import SAMPLER_KERNELS
from ppworkbench.core.design.sets.subset import SUBSET_KERNELS
from ppworkbench.core.errors import DataError
from ppworkbench.core.kernels import compile_soon
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.rng import Stream, Streams

_WORTH_COMPILING = 4_000_000
"""Answers from which on compiled loops save more than they cost."""


class Distorter:
    """A design with its random streams, ready for the chunks of a table in their order."""

    def __init__(self, design: Design, streams: Streams) -> None:
        self.design = design
        grouped = {name for group in design.groups for name in group.attributes}
        self._streams = {name: streams.stream(name) for name in design.names if name not in grouped}
        self._arms = design.versions
        # Every device draws from its own stream, so that it does not matter how rows come.
        self._arm_streams = {
            (name, arm.name): streams.stream(name, "arm", arm.name)
            for arm in self._arms.members
            for name, _ in arm.perturbations
        }
        self._arm_draws = [streams.stream(column, "arms") for column in self._arms.columns]
        # Who is asked what is no secret; it has its own stream, so that it changes no report.
        self._ask_stream = None if design.ask is None else streams.stream("ask", "parts")
        sizes = {name: design[name].attribute.k for name in grouped}
        self._groups = [GroupSampler(group, sizes, streams) for group in design.groups]

    def apply(self, chunk: Table, progress: Progress = silent) -> Table:
        """Distort the next records; columns that the design does not know are left out.

        An undesigned column would publish the truth, so it never gets into the result.
        """
        chunk, arms, notes = self._with_arms(chunk)
        for asked in self.design.lists:
            chunk, counted = asked.with_counts(chunk, self._arms)
            leaks = asked.why_items_leak(self.design.names)
            notes += (*counted, asked.disclosure, *leaks)
        check_columns(chunk, self.design)
        if chunk.rows * len(self.design.names) >= _WORTH_COMPILING:
            compile_soon((*SAMPLER_KERNELS, *SUBSET_KERNELS, ADD_KERNEL, WINDOW_KERNEL))
        original = {d.name: _true_answers(chunk[d.name], d) for d in self.design}
        distorted: dict[str, NDArray[Any]] = {}
        for sampler, group in zip(self._groups, self.design.groups, strict=True):
            distorted |= sampler.draw({name: original[name] for name in group.attributes})
        for done, (name, stream) in enumerate(self._streams.items()):
            progress(
                done / max(len(self._streams), 1), Message("distorting {attribute}", attribute=name)
            )
            distorted[name] = self._distort(self.design[name], original[name], stream, arms)
        distorted |= self._asked_only(distorted, chunk.rows)
        progress(1.0, "distorted")
        columns = tuple(
            Column(published_attribute(chunk[name].attribute, self.design[name]), distorted[name])
            for name in chunk.names
            if name in self.design
        )
        return Table(columns, self.design.class_name, notes=(*notes, *self._notes(chunk)))

    def _with_arms(self, chunk: Table) -> tuple[Table, NDArray[np.intp], tuple[str, ...]]:
        if not self._arm_draws:
            return chunk, self._arms.read(chunk), ()
        column = self._arms.column
        if column in chunk:
            codes = self._arms.codes(chunk[column])
            empty = int(np.count_nonzero(codes < 0))
            if empty:
                raise DataError.saying(
                    "{count:,} rows have no arm in {column!r}; fill them in, or leave the "
                    "column out to draw the arms.",
                    count=empty,
                    column=column,
                    attribute=column,
                )
            return chunk, codes, ()
        attribute = self.design[column].attribute
        places = np.array([attribute.values.index(name) for name in self._arms.names])
        codes = self._arms.draw(chunk.rows, self._arm_draws[0])
        drawn = Column(attribute, places[codes].astype(code_type(attribute.k)))
        note = Message(
            "The arm of every row was drawn by the shares of the design; it stands in {column!r}.",
            column=column,
        )
        return chunk.with_(columns=(*chunk.columns, drawn)), codes, (note,)

    def _asked_only(self, distorted: dict[str, NDArray[Any]], rows: int) -> dict[str, NDArray[Any]]:
        ask, parts = self.design.ask, self.design.parts
        if ask is None or self._ask_stream is None:
            return {}
        asked = draw_parts(rows, len(parts), ask, self._ask_stream)
        found = {}
        for place, part in enumerate(parts):
            for name in part:
                found[name] = distorted[name].copy()
                found[name][~asked[:, place]] = _nothing(self.design[name].distorted)
        return found

    def _distort(
        self,
        designed: DesignedAttribute,
        data: NDArray[Any],
        stream: Stream,
        arms: NDArray[np.intp],
    ) -> NDArray[Any]:
        attribute, usual = designed.attribute, designed.perturbation
        members = self._arms.members
        special = [place for place, arm in enumerate(members) if designed.name in arm.named]
        if not special:
            return usual.distort(data, attribute, stream)
        plain = np.ones(len(data), np.bool_)
        parts: list[tuple[NDArray[np.bool_], NDArray[Any]]] = []
        for place in special:
            arm, rows = members[place], arms == place
            plain &= ~rows
            device = arm.device(designed.name, usual)
            if device is None:
                parts.append((rows, _nothing(designed.distorted)))
            else:
                own = self._arm_streams[designed.name, arm.name]
                parts.append((rows, device.distort(data[rows], attribute, own)))
        rest = usual.distort(data[plain], attribute, stream)
        found = np.empty((len(data), *rest.shape[1:]), rest.dtype)
        found[plain] = rest
        for rows, answers in parts:
            found[rows] = answers
        return found

    def _notes(self, chunk: Table) -> tuple[str, ...]:
        # Titles and columns, because nobody who has only the design knows what these are called.
        left_out = [a.heading for a in chunk.attributes if a.name not in self.design]
        notes = []
        if self.design.ask is not None:
            notes.append(
                Message(
                    "Every person is asked {ask} of {count} parts of the questionnaire, drawn at "
                    "random; what one was not asked is empty.",
                    ask=self.design.ask,
                    count=len(self.design.parts),
                )
            )
        if left_out:
            notes.append(
                Message(
                    "Excluded, not in the design: {left_out}.", left_out=list_attributes(left_out)
                )
            )
        return tuple(notes)


def _nothing(attribute: Attribute) -> NDArray[Any]:
    if attribute.kind is Kind.SET:
        return sets.all_missing(1, attribute.k)
    return np.array(-1 if attribute.kind.is_categorical else np.nan)


def distort(table: Table, design: Design, streams: Streams, progress: Progress = silent) -> Table:
    """Distort every record of a table independently.

    >>> from ppworkbench.core.data.attribute import Attribute, Kind
    >>> from ppworkbench.core.design import DesignedAttribute, Uniform
    >>> from ppworkbench.core.rng import SeededStreams
    >>> import numpy as np
    >>> sex = Attribute("sex", Kind.BINARY, ("F", "M"))
    >>> table = Table((Column(sex, np.array([0, 1, 1])),))
    >>> design = Design((DesignedAttribute(sex, Uniform(keep=0.0)),))
    >>> distort(table, design, SeededStreams(1))["sex"].data.tolist()
    [1, 0, 0]
    """
    return Distorter(design, streams).apply(table, progress)


def _true_answers(column: Column, designed: DesignedAttribute) -> NDArray[Any]:
    fitted = fit_column(column, designed)
    attribute = designed.attribute
    if attribute.domain is None:
        return fitted
    low, high = attribute.domain
    lowest, highest = np.fmin.reduce(fitted, initial=low), np.fmax.reduce(fitted, initial=high)
    least, most = within_rounding(attribute.domain)
    is_near = least <= lowest and highest <= most
    if (lowest, highest) == (low, high) or (attribute.outside != CLIP and not is_near):
        return fitted
    clipped: NDArray[Any] = np.clip(fitted, low, high)
    return clipped


def published_attribute(original: Attribute, designed: DesignedAttribute) -> Attribute:
    """The distorted column's attribute, with the question and codes that people know it by."""
    attribute = designed.distorted
    attribute = attribute.with_(
        label=original.label,
        title=original.title or attribute.title,
        unit=original.unit or attribute.unit,
    )
    code_of = dict(zip(original.values, original.codes, strict=False))
    if attribute.values and all(value in code_of for value in attribute.values):
        attribute = attribute.with_(codes=tuple(code_of[v] for v in attribute.values))
    return attribute
