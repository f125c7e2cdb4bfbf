"""An experiment: what is compared, on which records, in which folds."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.data.missing import apply_missing_policies
from ppworkbench.core.data.table import Table
from ppworkbench.core.design import Design
from ppworkbench.core.design.design_file import design_to_json
from ppworkbench.core.design.fit import check_columns
from ppworkbench.core.errors import DataError, DesignError, ParameterError
from ppworkbench.core.experiment.folds import stratified_folds
from ppworkbench.core.experiment.levels import design_at
from ppworkbench.core.experiment.plan import Plan, Sweep
from ppworkbench.core.experiment.results import Task
from ppworkbench.core.experiment.setting import Setting
from ppworkbench.core.message import Message
from ppworkbench.core.rng import SeededStreams


@dataclass(frozen=True, eq=False)
class Experiment:
    """Settings compared by cross-validation; make one with :meth:`of`.

    Parameters
    ----------
    table
        The original records, missing answers treated, every one with a class.
    design
        How training records are distorted; it names the class.
    settings
        The classifiers with their parameters.
    notes
        What was done to the records beforehand.
    """

    table: Table
    design: Design
    settings: tuple[Setting, ...]
    plan: Plan = dataclasses.field(default_factory=Plan)
    sweep: Sweep = dataclasses.field(default_factory=Sweep)
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        table: Table,
        design: Design,
        settings: tuple[Setting, ...],
        *,
        class_name: str | None = None,
        plan: Plan | None = None,
        sweep: Sweep | None = None,
    ) -> Self:
        """Treat missing answers, leave out records without a class, and check that all fits.

        Parameters
        ----------
        class_name
            The attribute to be foretold; by default the class of the design or the table.
        """
        class_name = class_name or design.class_name or table.class_name
        if class_name is None:
            raise DataError("No attribute is marked as the class; choose the one to be foretold.")
        if not settings:
            raise ParameterError("No classifier is chosen; choose at least one.")
        _check_class(table, class_name)
        without_class = table[class_name].missing_count
        if without_class:
            table = table.take(~table[class_name].missing)
        prepared = apply_missing_policies(table)
        notes = [
            Message("{attribute}: {sentence}", attribute=name, sentence=Message.of(sentence))
            for name, sentence in prepared.sentences.items()
        ]
        if without_class:
            notes.insert(
                0,
                Message(
                    "{without_class:,} records without a class were left out.",
                    without_class=without_class,
                ),
            )
        records, design = _fitted(prepared.table, design, class_name)
        made = cls(
            records.with_(notes=()),
            design,
            tuple({setting.key: setting for setting in settings}.values()),
            plan or Plan(),
            sweep or Sweep(),
            tuple(notes),
        )
        if made.table.rows < made.plan.folds:
            made.folds(0)
        return made

    @property
    def class_name(self) -> str:
        """The attribute that is foretold."""
        assert self.design.class_name is not None  # noqa: S101 (set by of)
        return self.design.class_name

    @property
    def class_values(self) -> tuple[str, ...]:
        """All values of the class, in the order of the confusion matrices."""
        return self.table[self.class_name].attribute.values

    @property
    def classes(self) -> NDArray[np.intp]:
        """The class of every record."""
        return self.table[self.class_name].data.astype(np.intp)

    @property
    def larger_class(self) -> float:
        """The accuracy of always foretelling the most frequent class."""
        return float(self.table[self.class_name].counts.max() / max(self.table.rows, 1))

    @property
    def levels(self) -> tuple[float | None, ...]:
        """The levels that distorted settings are run at; only None for the design as it is."""
        return self.sweep.levels or (None,)

    @cached_property
    def tasks(self) -> tuple[Task, ...]:
        """All that is to be done, in order.

        A repeat is finished before the next begins, in it one level after the other: so a stopped
        experiment has something to say about every setting, and the time left can be foreseen.
        """
        return tuple(self._tasks())

    def _tasks(self) -> Iterator[Task]:
        references = [s for s in self.settings if s.undistorted]
        others = [s for s in self.settings if not s.undistorted]
        for repeat in range(self.plan.repeats):
            groups: list[tuple[float | None, list[Setting]]] = [(None, references)]
            groups += [(level, others) for level in self.levels]
            for level, settings in groups:
                for fold in range(self.plan.folds):
                    for setting in settings:
                        yield Task(setting.key, level, repeat, fold)

    @cached_property
    def _by_key(self) -> dict[str, Setting]:
        return {setting.key: setting for setting in self.settings}

    def setting(self, key: str) -> Setting:
        """The setting of a task."""
        return self._by_key[key]

    def design_at(self, level: float | None) -> Design:
        """The design at a level; as it is without one."""
        return self.design if level is None else design_at(self.design, level, self.sweep.values)

    def folds(self, repeat: int) -> NDArray[np.intp]:
        """The fold of every record in a repeat."""
        generator = SeededStreams(self.plan.seed).generator("experiment", "folds", str(repeat))
        return stratified_folds(self.classes, self.plan.folds, generator)

    @cached_property
    def fingerprint(self) -> str:
        """The same for experiments whose tasks of the same name have the same result."""
        digest = hashlib.blake2b(digest_size=16)
        for column in self.table:
            attribute = column.attribute
            digest.update(repr((attribute.name, attribute.kind, attribute.values)).encode())
            digest.update(np.ascontiguousarray(column.data).tobytes())
        plan = [self.plan.folds, self.plan.seed, self.plan.test_on, self.sweep.values]
        told = [design_to_json(self.design), plan]
        digest.update(json.dumps(told, sort_keys=True).encode())
        return digest.hexdigest()


def _check_class(table: Table, class_name: str) -> None:
    column = table[class_name]
    if not column.is_categorical:
        raise DataError(
            Message(
                "The class {class_name!r} is {kind}; choose an attribute with a few "
                "values, or divide its numbers into intervals first.",
                class_name=class_name,
                kind=Message(column.attribute.kind),
            ),
            attribute=class_name,
        )
    if column.missing_count == len(column):
        raise DataError(
            Message(
                "No record has a class: {class_name!r} is always missing.", class_name=class_name
            )
        )


def _fitted(table: Table, design: Design, class_name: str) -> tuple[Table, Design]:
    if class_name not in design:
        raise DesignError(
            Message(
                "The class {class_name!r} is not in the design; add it there, undistorted.",
                class_name=class_name,
            ),
            attribute=class_name,
        )
    check_columns(table, design)
    if len(design.names) < 2:
        raise DesignError("The design has no attribute beside the class to learn from.")
    listed = dataclasses.replace(design, class_name=class_name)
    records = table.select([name for name in table.names if name in design])
    return records.with_(class_name=class_name), listed
