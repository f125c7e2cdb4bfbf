"""How much a reconstruction loses: true answers are randomised again and again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from ppworkbench.analyses.experiments.draws import Draw, ExploredColumn, explored_column, simulate
from ppworkbench.analyses.experiments.repeats import (
    DRAWS,
    USUAL_FIXED,
    USUAL_METHODS,
    Losses,
    PartialResult,
    losses_picture,
    repeat,
)
from ppworkbench.analyses.experiments.runs import is_trivial, refusal
from ppworkbench.analyses.request import SAMPLING, Request
from ppworkbench.analyses.source import Source
from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Info, OneOf, Option, Within
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.reconstruct import estimators
from ppworkbench.core.reconstruct.grid import MOST_BINS
from ppworkbench.results.picture import Picture
from ppworkbench.results.result import Result
from ppworkbench.results.sheet import Column, Kind, Sheet
from ppworkbench.results.text import TRUE, Naming
from ppworkbench.study.study import Study

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class RepeatResult(Result):
    """The information loss over many draws; ``losses`` has every one of them."""

    explored: ExploredColumn
    people: int
    draws: int
    seed: int
    losses: tuple[Losses, ...]
    shown: Naming
    remarks: tuple[str, ...] = ()
    state = TRUE

    def sentence(self) -> str:
        return Message(
            "{attribute}: information loss over {draws:,} draws of {people:,} answers.",
            attribute=self.explored.name, draws=self.draws, people=self.people,
        )  # fmt: skip

    def sheets(self) -> tuple[Sheet, ...]:
        columns = (
            Column("algorithm", Message("algorithm"), Kind.TEXT,
                   [one.algorithm for one in self.losses]),
            Column("stop", Message("stop"), Kind.TEXT, [one.stop for one in self.losses],
                   blank=Message("-")),
            _column("mean", Message("mean"), [one.mean for one in self.losses]),
            _column("sd", Message("standard deviation"), [one.deviation for one in self.losses]),
            _column("smallest", Message("smallest"), [one.loss.min() for one in self.losses]),
            _column("largest", Message("largest"), [one.loss.max() for one in self.losses]),
        )  # fmt: skip
        return (Sheet("losses", Repeat.label, columns),)

    def to_frame(self) -> pd.DataFrame:
        """One row per algorithm, stopping rule and draw, with its information loss."""
        import pandas as pd

        rows = [
            (self.explored.name, one.algorithm, one.stop or None, draw, float(loss))
            for one in self.losses
            for draw, loss in enumerate(one.loss, start=1)
        ]
        return pd.DataFrame(rows, columns=["attribute", "algorithm", "stop", "draw", "loss"])

    def pictures(self) -> tuple[Picture, ...]:
        return (losses_picture(self.losses),)

    def _document(self) -> Mapping[str, Any]:
        listed = [
            {
                "algorithm": one.algorithm, "stop": one.stop or None, "mean": one.mean,
                "sd": one.deviation, "information_loss": one.loss,
            }
            for one in self.losses
        ]  # fmt: skip
        return {
            "attribute": self.explored.name, "rows": self.people, "draws": self.draws,
            "bins": self.explored.steps, "seed": self.seed, "losses": listed,
        }  # fmt: skip


def _column(key: str, head: Message, values: list[float | None]) -> Column:
    return Column(key, head, Kind.NUMBER, values, decimals=4)


@dataclass(frozen=True, kw_only=True)
class Repeat(Request):
    """Randomise true answers many times and reconstruct each draw, to see what that loses.

    One draw can mislead; the spread over many tells what to expect of an algorithm and of its
    stopping rule. An algorithm that iterates has a loss for every stopping rule.

    Examples
    --------
    >>> import ppworkbench as pp
    >>> city = pp.sample("city-survey", rows=1000, seed=1)
    >>> design = pp.Design.starting(city.to_frame()[["drug_use"]], epsilon=1.0)
    >>> found = pp.repeat(city, design, "drug_use", algorithms=["eq"], draws=20, seed=1)
    >>> found.to_frame().groupby("algorithm")["loss"].mean().round(3).to_dict()
    {'eq': 0.023}
    """

    name: ClassVar[str] = "repeat"
    label: ClassVar[Message] = Message("Information loss over many draws")
    leading: ClassVar[tuple[str, ...]] = ("attribute",)
    of_true: ClassVar[bool] = True
    unused: ClassVar[tuple[str, ...]] = (*SAMPLING, "original", "engine")
    finds: ClassVar[type[Result]] = RepeatResult

    attribute: Annotated[str, Option(metavar="NAME"), Info("Attribute", "attribute to reconstruct")]
    algorithms: Annotated[
        tuple[str, ...],
        OneOf(estimators),
        Option("algorithm", is_repeated=True),
        Info(
            "Algorithms",
            "algorithm, may be repeated (default: eq and em-as for values, smooth for numbers)",
        ),
    ] = ()
    draws: Annotated[int, Within(1, 10_000), Info("Draws", "number of draws")] = DRAWS
    iterations: Annotated[
        int, Within(1, 1_000_000), Info("Iterations", "iterations of the fixed stopping rule")
    ] = USUAL_FIXED
    bins: Annotated[
        int | None, Within(1, MOST_BINS), Info("Bins", "Number of bins of a numeric attribute")
    ] = None

    def run(self, source: Source, progress: Progress = silent) -> RepeatResult:
        draw = self._first_draw(source, progress)
        explored = draw.explored
        for name in self.algorithms:
            _check_algorithm(name, draw)
        usual = [name for name in USUAL_METHODS[explored.cells] if not refusal(name, draw)]
        methods = list(dict.fromkeys(self.algorithms or usual))
        if not methods:
            raise DataError(f"No algorithm can reconstruct {explored.name!r} under this design.")
        found = PartialResult(explored, self.draws, self.iterations)
        repeat(draw, methods, self.iterations, found, part(progress, 0.2, 1.0))
        people, seed = draw.counted.rows, source.seed or 0
        return RepeatResult(explored, people, self.draws, seed, found.listed, source.shown)

    def _first_draw(self, source: Source, progress: Progress) -> Draw:
        """The answers distorted once; refused where there is nothing to repeat."""
        design = source.design
        name = design.question(self.attribute).name
        table = source.data.whole_true(design, part(progress, 0.0, 0.1))
        explored = explored_column(Study("", table, design=design), name, self.bins)
        assert explored is not None  # noqa: S101 (the table was read by the design)
        why = _why_not_repeat(explored)
        if why:
            raise ParameterError(why, field="attribute")
        draw = simulate(explored, source.seed or 0, part(progress, 0.1, 0.2))
        if is_trivial(draw):
            raise DataError(
                f"{name!r} has no answers or only 1 possible answer; choose another attribute."
            )
        return draw


def _why_not_repeat(explored: ExploredColumn) -> str:
    if explored.has_noise_by_arm:
        return f"The noise of {explored.name!r} differs from arm to arm; choose another attribute."
    if not explored.is_distorted:
        return f"The design does not randomise {explored.name!r}; choose another attribute."
    return str(explored.perturbation.numbers.why_only_mean(explored.attribute))


def _check_algorithm(name: str, draw: Draw) -> None:
    why, usual = refusal(name, draw), ", ".join(USUAL_METHODS[draw.explored.cells])
    if why == "singular":
        raise ParameterError(
            f"The transition matrix is singular, so {name!r} has no solution; use 'em-as'.",
            field="algorithms",
        )
    if why:
        raise ParameterError(
            f"The algorithm {name!r} cannot reconstruct {draw.explored.name!r}; try {usual}.",
            field="algorithms",
        )


QUESTION = Repeat
