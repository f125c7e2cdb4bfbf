"""What an attacker learns from reported answers, beside the true ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np

from ppworkbench.analyses.request import SAMPLING, Request
from ppworkbench.analyses.source import Source
from ppworkbench.core.attacks import AttackedAnswers, Finding, attacks, linkable
from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.core.message import Message, titled
from ppworkbench.core.params import Info, OneOf, Option
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.results.picture import MOST_LINES, Axis, Mark, Picture, Role, Shape
from ppworkbench.results.result import Result
from ppworkbench.results.sheet import Column, Kind, Sheet
from ppworkbench.results.text import TRUE, Naming
from ppworkbench.study.distorted_cache import DistortedCache
from ppworkbench.study.study import Study

if TYPE_CHECKING:
    from ppworkbench.core.data.table import Table
    from ppworkbench.core.design.design import Design

_LINKED = 5
"""Attributes that somebody is taken to know unless others are ticked."""


_HEADS = {
    "guess": Message("guess"), "reported": Message("reported"), "right": Message("correct"),
    "expected": Message("by the formula"), "before": Message("without a report"),
    "attribute": Message("attribute"), "noise": Message("noise"), "known": Message("known"),
    "after alone": Message("separately"), "after spectral": Message("spectral"),
    "after bayes": Message("jointly"), "unique": Message("unique"),
    "unique_reported": Message("unique reports"), "linked": Message("correct"),
    "undistorted": Message("not randomised"), "reports": Message("reports"),
    "standard_error": Message("standard error"), "kept": Message("first report kept"),
}  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class AttackResult(Result):
    """What an attack found; ``found`` has it in full."""

    attack: str
    found: Finding
    shown: Naming
    remarks: tuple[str, ...] = ()
    state = TRUE

    def sentence(self) -> str:
        return self.found.sentence

    def sheets(self) -> tuple[Sheet, ...]:
        return (Sheet("attack", AttackRequest.label, tuple(_columns(self.found))),)

    def pictures(self) -> tuple[Picture, ...]:
        found, points = self.found, self.found.points()[:MOST_LINES]
        value, low, high = np.array([(one, *ends) for _, one, ends in points]).T
        labels = tuple(titled(label, self.shown) for label, _, _ in points)
        measure = Axis(Message.of(found.measure), kind=Kind.SHARE)
        things = Axis(found.along or Message(""), labels=labels)
        places = np.arange(len(points), dtype=np.float64)
        steps = found.along is not None
        x, y = (places, value) if steps else (value, places)
        shape, other = (Shape.LINE, Shape.LINE) if steps else (Shape.INTERVALS, Shape.POINTS)
        marks = [Mark(shape, Role.ESTIMATE, found.drawn, x, y, low, high)]
        for called, numbers in found.beside():
            values = np.array(numbers[: len(points)])
            x, y = (places, values) if steps else (values, places)
            marks.append(Mark(other, Role.SERIES, called, x, y))
        axes = (things, measure) if steps else (measure, things)
        return (Picture("attack", Message("What an attack finds"), *axes, tuple(marks)),)

    def readings(self) -> tuple[str, ...]:
        return tuple(self.found.readings())

    def _document(self) -> Mapping[str, Any]:
        return {"attack": self.attack, **asdict(self.found)}


def _columns(found: Finding) -> Iterator[Column]:
    rows, kinds = found.rows(), {int: Kind.COUNT, float: Kind.NUMBER}
    for key, value in rows[0].items():
        kind = Kind.SHARE if key in found.shares else kinds.get(type(value), Kind.TEXT)
        head = _HEADS.get(key) or Message.of(key.replace("_", " "))
        made = Column(key, head, kind, [row[key] for row in rows])
        is_counted = key in found.shares[:1]
        yield replace(made, low="low", high="high", level=0.95) if is_counted else made


@dataclass(frozen=True, kw_only=True)
class AttackRequest(Request):
    """Attack reported answers whose true ones are at hand, and count how often that succeeds.

    Both are of the same people, row by row.

    Examples
    --------
    >>> import pandas as pd, ppworkbench as pp
    >>> design = {"format": "ppworkbench-design", "version": 1, "attributes": {"smokes": {
    ...     "kind": "binary", "values": ["no", "yes"],
    ...     "perturbation": {"type": "uniform", "keep": 0.75}}}}
    >>> true = pd.DataFrame({"smokes": ["no"] * 60 + ["yes"] * 40})
    >>> told = pd.DataFrame({"smokes": ["no"] * 45 + ["yes"] * 15 + ["no"] * 10 + ["yes"] * 30})
    >>> pp.attack(told, design, true, attribute="smokes").found.right.share
    0.75
    """

    name: ClassVar[str] = "attack"
    label: ClassVar[Message] = Message("Attack on reported answers")
    leading: ClassVar[tuple[str, ...]] = ("original",)
    unused: ClassVar[tuple[str, ...]] = (*SAMPLING, "engine")
    finds: ClassVar[type[Result]] = AttackResult

    attack: Annotated[
        str,
        OneOf(attacks),
        Info("Attack", "; ".join(f"{one.name}: {one.item.words}" for one in attacks.ranked)),
    ] = attacks.ranked[0].name
    attribute: Annotated[
        str | None,
        Option(metavar="NAME"),
        Info("Attribute", "attribute that is attacked, of guess and repeat"),
    ] = None
    known: Annotated[
        tuple[str, ...],
        Option(metavar="NAME", is_repeated=True),
        Info("Known", "attribute that the attacker of link knows of everybody, may be repeated"),
    ] = ()

    def __post_init__(self) -> None:
        """Ask for what the attack needs."""
        super().__post_init__()
        kind = attacks[self.attack]
        if kind.takes_attribute and self.attribute is None:
            raise ParameterError("Name the attribute that is attacked.", field="attribute")
        if kind.takes_known and not self.known:
            raise ParameterError(
                "Name at least 1 attribute that the attacker knows.", field="known"
            )

    def run(self, source: Source, progress: Progress = silent) -> AttackResult:
        from ppworkbench.core.data.missing import apply_missing_policies

        design = source.design
        if source.original is None:
            raise ParameterError("Give the true answers of the same people.", field="original")
        reported = source.data.whole(design.distorted_schema, part(progress, 0.0, 0.2))
        true = source.original.whole_true(design, part(progress, 0.2, 0.4))
        # Missing answers were treated before they were randomised.
        true = apply_missing_policies(true, not_asked=design.versions.not_asked(true)).table
        if true.rows != reported.rows:
            raise DataError(
                f"There are {reported.rows:,} reported answers and {true.rows:,} true ones; both "
                "must be of the same people, row by row."
            )
        return self.attacked(
            true, reported, design, source.seed or 0, source.shown, part(progress, 0.4, 1.0)
        )

    def attacked(
        self, true: Table, reported: Table, design: Design, seed: int, shown: Naming,
        progress: Progress,
    ) -> AttackResult:  # fmt: skip
        name = "" if self.attribute is None else design.question(self.attribute).name
        names = [design.question(one).name for one in self.known]
        attacked = AttackedAnswers(true, reported, design, name, names, seed)
        return AttackResult(self.attack, attacks[self.attack].run(attacked, progress), shown)


QUESTION = AttackRequest


# On a study


def linked_names(study: Study) -> tuple[str, ...]:
    return () if study.original is None else linkable(study.original, study.design)


def usual_links(study: Study) -> tuple[str, ...]:
    """The attributes that are ticked at the start: the first ones, where surveys ask who one is."""
    return linked_names(study)[:_LINKED]


def run_attack(
    request: AttackRequest, study: Study, answers: DistortedCache, progress: Progress
) -> AttackResult:
    """Attack the draw of the study, the same that every page shows."""
    seen = answers.of(study, part(progress, 0.0, 0.5))
    assert seen.original is not None  # noqa: S101 (the lab asks only where it is there)
    return request.attacked(
        seen.original, seen.distorted, study.design, study.settings.seed, study.shown,
        part(progress, 0.5, 1.0),
    )  # fmt: skip
