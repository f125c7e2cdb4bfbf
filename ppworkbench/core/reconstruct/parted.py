"""Reconstruct the attributes of a folder of parts from what is counted in each of them.

Counts are whole numbers, so that they add up to the same whatever the parts are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.data.parts import Part, Parts
from ppworkbench.core.design.design import Design
from ppworkbench.core.engines import Engine
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.reconstruct.by_arm import DeviceCounter
from ppworkbench.core.reconstruct.reconstruct import (
    ArmCounts,
    ReconstructedFile,
    ReconstructOptions,
    check_choice,
    reconstruct_counters,
)


def reconstruct_parts(  # noqa: PLR0913 (keywords with defaults)
    source: Parts,
    design: Design,
    engine: Engine,
    names: Sequence[str] | None = None,
    options: ReconstructOptions | None = None,
    *,
    reading: ReadOptions | None = None,
    arms: Sequence[str] = (),
    by_arm: bool = False,
    sets: Sequence[Sequence[str]] = (),
    seed: int = 0,
    progress: Progress = silent,
) -> ReconstructedFile:
    """Reconstruct attributes of a folder of parts that was distorted with a design.

    Parameters are those of
    :func:`ppworkbench.core.reconstruct.reconstruct.reconstruct_file`.
    """
    options = options or ReconstructOptions()
    chosen = check_choice(design, names, options, arms, by_arm=by_arm, sets=sets)
    found = count_parts(
        source, design, tuple(chosen), engine, reading or ReadOptions(),
        bins=options.bins, arms=tuple(arms), progress=part(progress, 0.0, 0.7),
    )  # fmt: skip
    return reconstruct_counters(
        found.counters, found.rows, options, None,
        by_arm=by_arm, sets=sets, seed=seed, progress=progress,
    )  # fmt: skip


def count_parts(  # noqa: PLR0913 (keywords with defaults)
    parts: Parts,
    design: Design,
    names: Sequence[str],
    engine: Engine,
    options: ReadOptions = ReadOptions(),  # noqa: B008 (frozen)
    *,
    bins: int | None = None,
    arms: tuple[str, ...] = (),
    progress: Progress = silent,
) -> ArmCounts:
    """Count attributes of all parts by arm and device; with ``arms`` only rows of these."""
    used = design.of_arms(arms) if arms else design
    schema = columns_needed(design, tuple(design.needed(used.needed(names))))
    parts.check(schema)
    work = _PartCounter(parts, design, tuple(names), schema, options, bins, arms)
    found: ArmCounts | None = None
    for one in engine.map(work, parts.filled, progress):
        if found is None:
            found = one
        else:
            found.merge(one)
    assert found is not None  # noqa: S101 (some part has rows)
    for counter in found.counters.values():
        counter.settle()
    used.versions.refuse_empty(found.arm_rows)
    return found


def columns_needed(design: Design, names: Sequence[str]) -> tuple[Attribute, ...]:
    return tuple(design[name].distorted for name in design.needed(names))


@dataclass(frozen=True, eq=False)
class _PartCounter:
    parts: Parts
    design: Design
    names: tuple[str, ...]
    schema: tuple[Attribute, ...]
    options: ReadOptions
    bins: int | None
    arms: tuple[str, ...]

    def __call__(self, part: Part) -> ArmCounts:
        design = self.design
        used = design.of_arms(self.arms) if self.arms else design
        counters = {
            name: DeviceCounter.of(name, used, self.bins, exact=True) for name in self.names
        }
        tables = self.parts.tables(part.first, part.end, self.schema, self.options)
        if self.arms:
            tables = (design.versions.take(table, self.arms) for table in tables)
        found = ArmCounts(used, counters)
        found.add(tables)
        return found
