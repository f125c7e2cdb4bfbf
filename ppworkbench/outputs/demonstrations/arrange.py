"""From what a step says to the study that it shows."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.data.attribute import Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Design, Identity, Perturbation
from ppworkbench.core.design.arms import split_devices
from ppworkbench.core.design.budget import DesignBudget
from ppworkbench.core.design.design import DesignedAttribute
from ppworkbench.core.design.starting import EPSILON_EACH
from ppworkbench.core.errors import DataError
from ppworkbench.core.planning.budget import share_design
from ppworkbench.core.planning.sharing import BudgetSettings
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.reconstruct.assign import apportion
from ppworkbench.core.rng import SeededStreams
from ppworkbench.outputs.demonstrations.demonstration import (
    DataSource,
    Demonstration,
    OwnAttribute,
    OwnData,
    Setup,
    Value,
)
from ppworkbench.study.study import PriorChoice, Study

ALL = "*"
"""The name that stands for all attributes in a design."""


def joined(before: Setup, after: Setup) -> Setup:
    """What holds after two set-ups; new data begin with a design of their own."""
    fresh = after.data is not None and after.data != before.data
    return Setup(
        data=after.data or before.data,
        page=after.page or before.page,
        attribute=after.attribute or before.attribute,
        design=after.design if fresh else {**before.design, **after.design},
        budget=after.budget if fresh or after.budget is not None else before.budget,
        expected=after.expected if fresh else {**before.expected, **after.expected},
        settings={**before.settings, **after.settings},
        controls=_joined_controls(before, after),
        action=after.action,
    )


def _joined_controls(before: Setup, after: Setup) -> dict[str, Value]:
    """Controls of the same page, those that are set last at the end: the order may matter."""
    if after.page and after.page != before.page:
        return dict(after.controls)
    kept = {name: value for name, value in before.controls.items() if name not in after.controls}
    return {**kept, **after.controls}


def setup_at(demonstration: Demonstration, step: int) -> Setup:
    """Everything that holds at a step, so that one can come to it from anywhere."""
    setup = Setup()
    for one in demonstration.steps[: step + 1]:
        setup = joined(setup, one.setup)
    return setup


def make_table(data: DataSource, progress: Progress = silent) -> Table:
    if isinstance(data, OwnData):
        return _own_table(data)
    from ppworkbench.core.data.samples import load_sample

    return load_sample(data.sample, seed=data.seed, progress=progress, **data.sizes)


def base_study(data: DataSource, title: str, progress: Progress = silent) -> Study:
    """A study of the data: original answers, or reported ones without a design yet."""
    table = make_table(data, progress)
    if isinstance(data, OwnData) and data.reported:
        listed = tuple(DesignedAttribute(column.attribute, Identity()) for column in table.columns)
        return Study.of_distorted(table, Design(listed), title)
    # Lessons name their own designs; the rest of them is the same whatever studies begin with.
    return Study.of_table(table, title, EPSILON_EACH)


def with_setup(base: Study, setup: Setup) -> Study:
    """A study of fresh data as a set-up wants it."""
    study = base
    if setup.design:
        devices, arms = split_devices(_designed(base, setup.design))
        study = study.with_perturbations(devices)
        study = study.with_(design=dataclasses.replace(study.design, arms=arms))
    for name, weights in setup.expected.items():
        attribute = study.design[name].attribute
        if attribute.kind.is_categorical and len(weights) != attribute.k:
            raise DataError.saying(
                "{name!r} has {count} expected shares but {k} values.",
                name=name,
                count=len(weights),
                k=attribute.k,
                attribute=name,
            )
        study = study.with_choice(name, PriorChoice("drawn", weights))
    if setup.settings:
        settings = dataclasses.replace(study.settings, **setup.settings)
        study = study.with_(settings=settings)
    if setup.budget is not None:
        study = study.with_(design=_shared(study, setup.budget))
    return study


def _shared(study: Study, budget: DesignBudget) -> Design:
    assert budget.total is not None  # noqa: S101 (the reader asks for it)
    priors = {one.name: study.prior(one.name) for one in study.design}
    design = dataclasses.replace(study.design, budget=budget)
    return share_design(design, BudgetSettings(budget.total, budget.rule), priors)


def _designed(base: Study, given: Mapping[str, Perturbation]) -> dict[str, Perturbation]:
    """The perturbation of every attribute that is spoken of; ``*`` stands for all that it fits."""
    found: dict[str, Perturbation] = {}
    if ALL in given:
        for one in base.design:
            if one.name != base.design.class_name and one.attribute.kind in given[ALL].kinds:
                found[one.name] = given[ALL]
    for name, perturbation in given.items():
        if name != ALL:
            # An attribute that is not there, or of another kind, is a mistake in the file.
            perturbation.check(base.design[name].attribute)
            found[name] = perturbation
    return found


def _own_table(data: OwnData) -> Table:
    streams = SeededStreams(data.seed)
    columns: list[Column] = []
    for one in sorted(data.attributes, key=lambda one: bool(one.by)):
        if one.by:
            columns.append(_split_column(one, columns, streams))
            continue
        generator = streams.generator("demonstration", one.attribute.name)
        made = _values(one, data.people) if one.counts else _numbers(one, data.people, generator)
        columns.append(Column(one.attribute, generator.permutation(made)))
    return Table(tuple(columns), source="demonstration")


def _split_column(one: OwnAttribute, columns: Sequence[Column], streams: SeededStreams) -> Column:
    other = next(column for column in columns if column.attribute.name == one.by)
    data = np.zeros(len(other.data), np.int64)
    generator = streams.generator("demonstration", one.attribute.name)
    for value, counts in one.counts_by:
        rows = np.flatnonzero(other.data == other.attribute.values.index(value))
        sizes = apportion(np.array(counts) / sum(counts), len(rows)).astype(np.int64)
        data[rows] = generator.permutation(np.repeat(np.arange(len(sizes)), sizes))
    return Column(one.attribute, data)


def _values(one: OwnAttribute, people: int) -> NDArray[np.int64]:
    counts = apportion(np.array(one.counts) / sum(one.counts), people)
    return np.repeat(np.arange(len(counts)), counts.astype(np.int64))


def _numbers(one: OwnAttribute, people: int, generator: np.random.Generator) -> NDArray[np.float64]:
    shares = np.array([hump.share for hump in one.humps])
    sizes = apportion(shares / shares.sum(), people).astype(np.int64)
    parts = [
        generator.normal(hump.mean, hump.sd, size)
        for hump, size in zip(one.humps, sizes, strict=True)
    ]
    numbers = np.concatenate(parts)
    if one.attribute.kind is Kind.INTEGER:
        numbers = np.rint(numbers)
    assert one.attribute.domain is not None  # noqa: S101 (numbers have one)
    return np.asarray(np.clip(numbers, *one.attribute.domain), np.float64)
