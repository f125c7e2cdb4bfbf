"""The distributions of the true answers, reconstructed from reported ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from ppworkbench.analyses.estimates.request import Arms, ByArm
from ppworkbench.analyses.inputs import RowsOfParts, refuse_reported
from ppworkbench.analyses.request import Request
from ppworkbench.analyses.source import Source
from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.sampling_roles import POPULATION
from ppworkbench.core.design.design import Design
from ppworkbench.core.message import Message
from ppworkbench.core.params import Info, Option, Read
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.reconstruct import Reconstruction, ReconstructOptions
from ppworkbench.core.reconstruct.agreement import SetTests
from ppworkbench.core.reconstruct.by_arm import ArmResults
from ppworkbench.core.reconstruct.parted import reconstruct_parts
from ppworkbench.core.reconstruct.pooled import Test
from ppworkbench.core.reconstruct.reconstruct import ReconstructedFile, reconstruct_file
from ppworkbench.core.sampling.reconstruction import SampledFile, reconstruct_sample
from ppworkbench.core.sampling.results import (
    IntervalContents,
    SampledReconstruction,
    interval_contents,
)
from ppworkbench.results.picture import Axis, Mark, Picture, Role, Shape
from ppworkbench.results.result import Result
from ppworkbench.results.sheet import Column, Kind, Sheet
from ppworkbench.results.text import (
    REPORTED,
    Naming,
    aligned,
    equals_p,
    harmless,
    naming,
    note_lines,
)

_STATISTICS = {"lr": "LR", "wald": "Wald"}
"""How the statistics of tests are printed."""


@dataclass(frozen=True, eq=False, repr=False)
class ReconstructionResult(Result):
    """Estimated distributions of true answers, one per attribute.

    ``found`` holds the numbers in full detail, ``remarks`` what must be known to read them.
    """

    found: ReconstructedFile | SampledFile
    design: Design
    shown: Naming
    remarks: tuple[str, ...] = ()
    state = REPORTED

    @property
    def _plain(self) -> Mapping[str, Reconstruction]:
        """The distributions, however people were drawn."""
        return {
            name: one if isinstance(one, Reconstruction) else one.found
            for name, one in self.found.attributes.items()
        }

    def _contents(self, *names: str) -> IntervalContents:
        """What intervals hold without roles: people are a simple random sample then."""
        return interval_contents(
            shared=bool(self.design.uncertain_shares(names)),
            undistorted=self.design.is_undistorted(names),
        )

    def _document(self) -> Mapping[str, Any]:
        document = self.found.to_json()
        if isinstance(self.found, ReconstructedFile):
            for name, result in self.found.attributes.items():
                if result.confidence is not None:
                    held = self._contents(name).to_json()
                    document["attributes"][name] |= {"target": POPULATION} | held
        if self.remarks:
            document["remarks"] = list(self.remarks)
        return document

    def summary(self) -> str:
        found = self.found
        if isinstance(found, ReconstructedFile):
            told = [
                _text(result, found.by_arm.get(name), found.not_asked.get(name, 0))
                for name, result in found.attributes.items()
            ]
            told.append(self._contents(*found.attributes).sentence)
        else:
            told = [_sampled_text(result) for result in found.attributes.values()]
        return "\n\n".join([*told, *note_lines(self.remarks)])

    def sheets(self) -> tuple[Sheet, ...]:
        rows = [
            (name, label, *numbers)
            for name, one in self._plain.items()
            for label, *numbers in zip(
                one.labels,
                one.estimate,
                _ends(one, one.low),
                _ends(one, one.high),
                one.raw,
                one.probability,
                strict=True,
            )
        ]
        attribute, value, share, low, high, unbiased, likely = (
            [row[place] for row in rows] for place in range(7)
        )
        columns = (
            Column("attribute", Message("attribute"), Kind.TEXT, attribute),
            Column("value", Message("value"), Kind.TEXT, value),
            Column("share", Message("share"), Kind.SHARE, share, low="low", high="high"),
            Column("low", Message("low"), Kind.SHARE, low),
            Column("high", Message("high"), Kind.SHARE, high),
            Column("unbiased", Message("unbiased"), Kind.SHARE, unbiased),
            Column("probability", Message("probability"), Kind.SHARE, likely),
        )
        return (Sheet("shares", Reconstruct.label, columns),)

    def pictures(self) -> tuple[Picture, ...]:
        drawn = []
        for name, one in self._plain.items():
            places = np.arange(len(one.labels), dtype=np.float64)
            bars = Mark(
                Shape.BARS, Role.ESTIMATE, Message("estimate"), places, one.estimate, one.low,
                one.high,
            )  # fmt: skip
            called = Message("{title}", title=one.attribute.heading)
            x, y = Axis(called, labels=tuple(one.labels)), Axis(Message("share"))
            drawn.append(Picture(name, called, x, y, (bars,)))
        return tuple(drawn)


def _ends(one: Reconstruction, ends: Numbers | None) -> Numbers:
    return np.full(len(one.labels), np.nan) if ends is None else ends


def _sampled_text(result: SampledReconstruction) -> str:
    told = [_text(result.found, not_asked=result.not_asked), result.sample.sentence]
    told += [result.sample.errors, *note_lines(result.remarks)]
    apart = result.by_arm
    if apart is not None:
        told += _arm_table({name: one.found for name, one in apart.arms.items()})
        told += _test_lines(_STATISTICS["wald"], "Equal in all arms", apart.equality)
        told += [*note_lines(apart.remarks), *_set_lines(apart.sets, result.found.labels)]
    return "\n".join(told)


def _text(result: Reconstruction, arms: ArmResults | None = None, not_asked: int = 0) -> str:
    how = _how(result) + (f", {not_asked:,} not asked" if not_asked else "")
    told = [f"{harmless(result.attribute.heading)}: {how}"]
    heads = ["value" if result.values is not None else "interval", "share", "low", "high"]
    shares = [result.estimate, result.low, result.high]
    beside = {"unbiased": result.raw, "probability": result.probability}
    for head, others in beside.items():
        if (abs(others - result.estimate) > 5e-5).any():
            heads.append(head)
            shares.append(others)
    rows = [
        [label, *(f"{share[i]:.4f}" for share in shares if share is not None)]
        for i, label in enumerate(result.labels)
    ]
    told.append(aligned(heads, rows, right=heads[1:]))
    if result.confidence is not None:
        told.append(f"{100 * result.confidence:g} % intervals: {result.interval_method}.")
    told += note_lines(result.warnings, naming([result.attribute]), "Warning")
    if arms is not None:
        told += _arm_table(arms.arms)
        told += _test_lines(_STATISTICS[arms.statistic], "Equal in all arms", arms.equality)
        told += [*note_lines(arms.remarks), *_set_lines(arms.sets, result.labels)]
    return "\n".join(told)


def _arm_table(arms: Mapping[str, Reconstruction]) -> list[str]:
    heads = ["arm", "answers", "value", "share", "low", "high"]
    rows = [
        [
            harmless(name) if not place else "", f"{one.rows:,}" if not place else "", label,
            *(f"{shares[place]:.4f}" for shares in (one.estimate, one.low, one.high)
              if shares is not None),
        ]
        for name, one in arms.items()
        for place, label in enumerate(one.labels)
    ]  # fmt: skip
    return ["", aligned(heads, rows, right=[head for head in heads if head not in heads[:3:2]])]


def _set_lines(found: SetTests | None, labels: Sequence[str]) -> list[str]:
    """Sets of arms with their pooled shares, and the tests within and between them."""
    if found is None:
        return []
    heads = ["arms", "value", "share", "standard error"]
    rows = [
        [harmless(", ".join(one.arms)) if not place else "", label,
         f"{one.shares[place]:.4f}", f"{one.standard_errors[place]:.4f}"]
        for one in found.sets
        for place, label in enumerate(labels)
    ]  # fmt: skip
    kind = _STATISTICS[found.statistic]
    told = ["", aligned(heads, rows, right=heads[2:])]
    for one in found.sets:
        if one.within.df:
            told += _test_lines(kind, f"Equal within {harmless(', '.join(one.arms))}", one.within)
    told += _test_lines(kind, "Equal between the sets", found.between)
    return [*told, *note_lines(found.remarks)]


def _test_lines(kind: str, about: str, test: Test | None) -> list[str]:
    if test is None:
        return []
    return [f"{about}: {kind} {test.statistic:.4f}, {test.df} df, p {equals_p(test.p)}."]


def _how(result: Reconstruction) -> str:
    parts = [f"{result.rows:,} answers"]
    if result.missing:
        parts.append(f"{result.missing:,} missing")
    parts.append(f"algorithm {result.algorithm}")
    if result.iterations:
        parts.append(f"{result.iterations} iterations")
    if result.information_loss is not None:
        parts.append(f"information loss {result.information_loss:.4f}")
    return ", ".join(parts)


def _names(given: Any) -> tuple[str, ...]:
    names = [given] if isinstance(given, str) else given
    if not hasattr(names, "__iter__") or not all(isinstance(one, str) for one in names):
        raise TypeError(Message("it must be a list of texts"))
    return tuple(names)


def _sets(given: Any) -> tuple[tuple[str, ...], ...]:
    if isinstance(given, str):
        given = [[one.strip() for one in part.split(",")] for part in given.split(":")]
    return tuple(tuple(filter(None, _names(one))) for one in given)


def _written(sets: Sequence[Sequence[str]]) -> str:
    return ":".join(map(",".join, sets))


@dataclass(frozen=True, kw_only=True)
class Reconstruct(Request, ReconstructOptions):
    """Estimate how the true answers are distributed.

    Examples
    --------
    >>> import pandas as pd, ppworkbench as pp
    >>> design = {"format": "ppworkbench-design", "version": 1, "attributes": {"sex": {
    ...     "kind": "binary", "values": ["F", "M"],
    ...     "perturbation": {"type": "uniform", "keep": 0.75}}}}
    >>> found = pp.reconstruct(pd.DataFrame({"sex": ["F"] * 40 + ["M"] * 60}), design)
    >>> found.to_frame()[["value", "share"]].round(3).values.tolist()
    [['F', 0.3], ['M', 0.7]]
    """

    name: ClassVar[str] = "reconstruct"
    label: ClassVar[Message] = Message("Reconstructed distributions")
    leading: ClassVar[tuple[str, ...]] = ("attributes",)
    finds: ClassVar[type[Result]] = ReconstructionResult

    attributes: Annotated[
        tuple[str, ...],
        Read(_names, list, annotation="str | Sequence[str]"),
        Option("attribute", "NAME", is_repeated=True),
        Info("Attributes", "attribute to reconstruct, may be repeated (default: all)"),
    ] = ()
    arms: Arms = ()
    by_arm: ByArm = False
    sets: Annotated[
        tuple[tuple[str, ...], ...],
        Read(_sets, _written, annotation="str | Sequence[Sequence[str]]"),
        Option(metavar="VALUES", group="arms"),
        Info(
            "Sets", "sets of arms to be compared, such as A,B:C; every arm is told by itself, too"
        ),
    ] = ()

    def run(self, source: Source, progress: Progress = silent) -> ReconstructionResult:
        design, parted, roles = source.design, source.parted, source.sampling
        names = self.attributes or None
        more: dict[str, Any] = {
            "arms": self.arms, "by_arm": self.by_arm or bool(self.sets), "sets": self.sets,
            "seed": source.seed or 0, "progress": progress,
        }  # fmt: skip
        if source.original is not None:
            refuse_reported(source.original.path)
        found: ReconstructedFile | SampledFile
        if roles is not None or source.options is not None:
            columns = () if roles is None else roles.columns
            rows = source.data if parted is None else RowsOfParts(source.data, columns)
            found = reconstruct_sample(
                rows, design, roles, source.options, names, self, original=source.original, **more
            )
        elif parted is not None:
            found = reconstruct_parts(
                parted.parts, design, parted.engine, names, self, reading=source.reading, **more
            )
        else:
            found = reconstruct_file(
                source.data, design, names, self, original=source.original, **more
            )
        return ReconstructionResult(found, design, source.shown, source.remarks)


QUESTION = Reconstruct
