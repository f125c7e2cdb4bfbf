"""What classifiers still learn from deniable tables, as a question about true answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

from ppworkbench.analyses.request import Request
from ppworkbench.analyses.source import TrueSource
from ppworkbench.core.data.missing import apply_missing_policies
from ppworkbench.core.message import Message
from ppworkbench.core.params import Info, Option, Part
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.publish import (
    AccuracyTally,
    CurveOptions,
    DeniabilityOptions,
    GroupOptions,
    Sample,
    measure_accuracy,
)
from ppworkbench.core.publish.accuracy_curve import PREDICTED
from ppworkbench.outputs.deniable import refuse_role
from ppworkbench.outputs.publication import curve_picture
from ppworkbench.results.picture import Picture
from ppworkbench.results.result import Result
from ppworkbench.results.sheet import Column, Kind, Sheet
from ppworkbench.results.text import TRUE, Naming, naming

Sensitive = Annotated[
    str, Option(metavar="NAME"), Info("Sensitive", "attribute whose answers are protected")
]
SplitOn = Annotated[
    tuple[str, ...],
    Option(metavar="NAME", is_repeated=True),
    Info("Split on", "attribute to split groups by, may be repeated (default: all others)"),
]


@dataclass(frozen=True, eq=False, repr=False)
class AccuracyResult(Result):
    """Accuracies over minimum deniabilities; ``frequent`` is the share of the commonest answer."""

    tally: AccuracyTally
    sensitive: str
    frequent: float
    shown: Naming
    remarks: tuple[str, ...] = ()
    state = TRUE

    def _document(self) -> Mapping[str, Any]:
        return {
            "sensitive": self.sensitive, **self.tally.to_json(),
            "most_frequent": self.frequent, "reached": self.tally.reach,
            "left_out": self._left_out,
        }  # fmt: skip

    @property
    def _left_out(self) -> list[float]:
        return sorted(set(self.tally.options.minimums) - set(self.tally.minimums))

    @property
    def _names(self) -> tuple[str, ...]:
        return (PREDICTED, *self.tally.options.learners)

    def sentence(self) -> str:
        return Message(
            "Accuracy of predicting {attribute!r} from deniable tables: {people:,} people, {folds} "
            "folds.",
            attribute=self.sensitive, people=self.tally.people, folds=self.tally.options.folds,
        )  # fmt: skip

    def sheets(self) -> tuple[Sheet, ...]:
        rows = [
            (name, *point)
            for name in self._names
            for point in zip(*(one.tolist() for one in self.tally.curve(name)), strict=True)
        ]
        curves, minimums, means, spreads = zip(*rows, strict=True) if rows else ((), (), (), ())
        found = (
            Column("curve", Message("classifier"), Kind.TEXT, curves),
            Column("minimum", Message("minimum deniability"), Kind.SHARE, minimums, decimals=1),
            Column("mean", Message("accuracy"), Kind.SHARE, means, spread="sd"),
            Column("sd", Message("standard deviation"), Kind.SHARE, spreads),
        )
        original = self.tally.to_json()["original"]
        true = (
            Column("curve", Message("classifier"), Kind.TEXT, list(original)),
            Column("mean", Message("true answers"), Kind.SHARE, list(original.values())),
        )
        label = AccuracyCurve.label
        return (Sheet("accuracy", label, found), Sheet("original", label, true))

    def readings(self) -> tuple[str, ...]:
        said = [Message("The most frequent answer: {share:.4f}.", share=self.frequent)]
        if self._left_out:
            listed = ", ".join(f"{one:g}" for one in self._left_out)
            said.append(Message("Left out: {listed}; this table reaches at most {most:.4f}.",
                                listed=listed, most=self.tally.reach))  # fmt: skip
        return tuple(said)

    def pictures(self) -> tuple[Picture, ...]:
        return (curve_picture(self.tally.to_json()["curves"], self.frequent),)


@dataclass(frozen=True, kw_only=True)
class AccuracyCurve(Request):
    """Measure what classifiers still learn from deniable tables, against the deniability.

    In every fold the table of the other people is published at each minimum, classifiers learn
    from it and are tested on the true answers of the fold. Minimums that the table cannot reach
    are left out.

    Examples
    --------
    >>> import ppworkbench as pp
    >>> city = pp.sample("city-survey", rows=300, seed=1)
    >>> found = pp.accuracy_curve(
    ...     city, "fare_evasion", minimums=[0.2, 0.4], learners=["tree"], folds=3, cuts=4
    ... )
    >>> found.to_frame()[["curve", "minimum"]].values.tolist()
    [['predicted', 0.2], ['predicted', 0.4], ['tree', 0.2], ['tree', 0.4]]
    """

    name: ClassVar[str] = "accuracy_curve"
    label: ClassVar[Message] = Message("Accuracy against deniability")
    leading: ClassVar[tuple[str, ...]] = ("sensitive",)
    asked_of: ClassVar[tuple[str, ...]] = ("data",)
    of_true: ClassVar[bool] = True
    unused: ClassVar[tuple[str, ...]] = ("sampling", "original", "engine")
    finds: ClassVar[type[Result]] = AccuracyResult

    sensitive: Sensitive
    split_on: SplitOn = ()
    curve: Annotated[
        CurveOptions,
        Part("accuracies", is_open=True),
        Info("Accuracies", "which accuracies are measured"),
    ] = field(default_factory=CurveOptions)
    groups: Annotated[
        GroupOptions, Part("groups", is_open=True), Info("Groups", "how groups are made")
    ] = field(default_factory=GroupOptions)

    def run(self, source: TrueSource, progress: Progress = silent) -> AccuracyResult:
        table = source.table(part(progress, 0.0, 0.1))
        refuse_role(source.sampling, self.sensitive)
        features = self.split_on or tuple(one for one in table.names if one != self.sensitive)
        options = DeniabilityOptions(**self.groups.to_json())
        tally = measure_accuracy(
            table, self.sensitive, options, AccuracyTally(self.curve), features=features,
            seed=source.seed or 0, progress=part(progress, 0.1, 1.0),
        )  # fmt: skip
        sample = Sample.of(apply_missing_policies(table).table, self.sensitive, features)
        frequent = float(sample.counts.max() / sample.rows)
        return AccuracyResult(tally, self.sensitive, frequent, naming(table.attributes))


QUESTION = AccuracyCurve
