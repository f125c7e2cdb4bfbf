"""The distributions of the true answers, reconstructed from reported ones; and how well.

``repeat`` randomises true answers again and again, to see how much a reconstruction loses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ppworkbench.analyses.arguments import check_arguments
from ppworkbench.analyses.inputs import (
    AnswerSource,
    Data,
    DesignLike,
    RowsOfParts,
    design_for,
    engine_for,
    given_options,
    refuse_reported,
    refuse_with_parts,
    sampling_options,
    sampling_roles,
)
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.data.sampling_roles import POPULATION, Sampling, SamplingOptions
from ppworkbench.core.design.design_file import as_design
from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.results.picture import Axis, Mark, Picture, Role, Shape
from ppworkbench.results.result import Result
from ppworkbench.results.text import REPORTED, TRUE, aligned, equals_p, harmless, naming, note_lines

if TYPE_CHECKING:
    import pandas as pd

    from ppworkbench.analyses.explore.draws import Draw, ExploredColumn
    from ppworkbench.core.arrays import Numbers
    from ppworkbench.core.design.design import Design
    from ppworkbench.core.engines import Engine
    from ppworkbench.core.reconstruct import Reconstruction
    from ppworkbench.core.reconstruct.agreement import SetTests
    from ppworkbench.core.reconstruct.by_arm import ArmResults
    from ppworkbench.core.reconstruct.pooled import Test
    from ppworkbench.core.reconstruct.reconstruct import ReconstructedFile
    from ppworkbench.core.sampling.reconstruction import SampledFile
    from ppworkbench.core.sampling.reconstruction_results import SampledReconstruction

_STATISTICS = {"lr": "LR", "wald": "Wald"}
"""How the statistics of tests are printed."""


@check_arguments
def reconstruct(  # noqa: PLR0913 (keywords with defaults)
    data: Data,
    design: DesignLike | None = None,
    attributes: str | Sequence[str] | None = None,
    *,
    algorithm: str = "default",
    stop: str | None = None,
    bins: int | None = None,
    confidence: float = 0.95,
    sharpest: str = "auto",
    original: Data | None = None,
    arms: Sequence[str] = (),
    by_arm: bool = False,
    pooling: str = "likelihood",
    sets: Sequence[Sequence[str]] = (),
    sampling: Sampling | Mapping[str, Any] | bool = True,
    options: SamplingOptions | Mapping[str, Any] | None = None,
    reading: ReadOptions | Mapping[str, Any] | None = None,
    seed: int = 0,
    engine: Engine | str | None = None,
    progress: Progress = silent,
) -> ReconstructionResult:
    """Estimate how the true answers are distributed.

    Parameters
    ----------
    data
        Reported answers: a frame, a table or a file.
    design
        The design of the answers; a file that was written with its codebook brings its own.
    attributes
        The attributes to reconstruct; all of the design if not given.
    algorithm, stop
        The algorithm by the name that the command ``reconstruct`` knows, and its stopping rule.
    bins
        Into how many bins a number is cut.
    confidence, sharpest
        Of the intervals, and the narrowest peak of a number under noise that these allow.
    original
        The true answers, for the information loss.
    arms, by_arm, sets
        Arms whose answers count, whether each is told by itself, and sets of arms to be compared.
    pooling
        How arms with different devices are put together: ``"likelihood"``, one distribution for
        all, or ``"mean"``, that of the arms' own estimates.
    sampling, options, reading, seed, engine, progress
        As for :class:`Survey`.

    Examples
    --------
    >>> import pandas as pd
    >>> design = {"format": "ppworkbench-design", "version": 1, "attributes": {"sex": {
    ...     "kind": "binary", "values": ["F", "M"],
    ...     "perturbation": {"type": "uniform", "keep": 0.75}}}}
    >>> found = reconstruct(pd.DataFrame({"sex": ["F"] * 40 + ["M"] * 60}), design)
    >>> found.to_frame()[["value", "share"]].round(3).values.tolist()
    [['F', 0.3], ['M', 0.7]]
    """
    from ppworkbench.core.reconstruct import ReconstructOptions
    from ppworkbench.core.reconstruct.parted import reconstruct_parts
    from ppworkbench.core.reconstruct.reconstruct import reconstruct_file
    from ppworkbench.core.sampling.reconstruction import reconstruct_sampled_file

    how = given_options(ReadOptions, reading)
    source = AnswerSource(data, how)
    worker = engine_for(source.parts, engine)
    chosen = design_for(source, design)
    true = None if original is None else AnswerSource(original, how, name="original")
    if true is not None:
        refuse_reported(true.path)
    names = [attributes] if isinstance(attributes, str) else attributes
    used = ReconstructOptions(algorithm, stop, bins, confidence, sharpest, pooling)
    roles, remarks = sampling_roles(chosen, sampling, {})
    sampled = sampling_options(options)
    more: dict[str, Any] = {
        "original": true, "arms": arms, "by_arm": by_arm or bool(sets), "sets": sets,
        "seed": seed, "progress": progress,
    }  # fmt: skip
    found: ReconstructedFile | SampledFile
    if source.parts is not None:
        refuse_with_parts(compared=true is not None)
    if source.parts is not None and roles is None and sampled is None:
        del more["original"]
        found = reconstruct_parts(source.parts, chosen, worker, names, used, reading=how, **more)
    elif source.parts is not None:
        source.parted(worker, part(progress, 0.0, 0.5))
        rows = RowsOfParts(source, () if roles is None else roles.columns)
        found = reconstruct_sampled_file(rows, chosen, roles, sampled, names, used, **more)
    elif roles is None and sampled is None:
        found = reconstruct_file(source, chosen, names, used, **more)
    else:
        found = reconstruct_sampled_file(source, chosen, roles, sampled, names, used, **more)
    return ReconstructionResult(found, chosen, remarks)


@dataclass(frozen=True, eq=False, repr=False)
class ReconstructionResult(Result):
    """Estimated distributions of true answers, one per attribute.

    ``found`` holds the numbers in full detail, ``remarks`` what must be known to read them.
    """

    found: ReconstructedFile | SampledFile
    design: Design
    remarks: tuple[str, ...] = ()
    state = REPORTED

    @property
    def _plain(self) -> Mapping[str, Reconstruction]:
        """The distributions, however people were drawn."""
        from ppworkbench.core.reconstruct import Reconstruction

        return {
            name: one if isinstance(one, Reconstruction) else one.found
            for name, one in self.found.attributes.items()
        }

    def _document(self) -> Mapping[str, Any]:
        from ppworkbench.core.reconstruct.reconstruct import ReconstructedFile
        from ppworkbench.core.sampling.results import interval_contents

        document = self.found.to_json()
        if isinstance(self.found, ReconstructedFile):
            # Without roles people are a simple random sample from a large population.
            uncertain = self.design.uncertain_shares(self.found.attributes)
            for name, result in self.found.attributes.items():
                if result.confidence is not None:
                    held = interval_contents(
                        shared=name in uncertain, undistorted=self.design.is_undistorted((name,))
                    )
                    document["attributes"][name] |= {"target": POPULATION} | held.to_json()
        if self.remarks:
            document["remarks"] = list(self.remarks)
        return document

    def summary(self) -> str:
        """The result for people, as the command line prints it."""
        from ppworkbench.core.reconstruct.reconstruct import ReconstructedFile
        from ppworkbench.core.sampling.results import interval_contents

        found = self.found
        if isinstance(found, ReconstructedFile):
            told = [
                _text(result, found.by_arm.get(name), found.not_asked.get(name, 0))
                for name, result in found.attributes.items()
            ]
            uncertain = self.design.uncertain_shares(found.attributes)
            held = interval_contents(
                shared=bool(uncertain), undistorted=self.design.is_undistorted(found.attributes)
            )
            told.append(held.sentence)
        else:
            told = [_sampled_text(result) for result in found.attributes.values()]
        return "\n\n".join([*told, *note_lines(self.remarks)])

    def to_frame(self) -> pd.DataFrame:
        """One row per attribute and value or bin: its share and the interval of it."""
        import pandas as pd

        rows = []
        for name, one in self._plain.items():
            low, high = (
                [None] * len(one.labels) if ends is None else ends for ends in (one.low, one.high)
            )
            for i, label in enumerate(one.labels):
                rows.append(
                    {
                        "attribute": name, "value": label, "share": float(one.estimate[i]),
                        "low": low[i], "high": high[i], "unbiased": float(one.raw[i]),
                        "probability": float(one.probability[i]),
                    }
                )  # fmt: skip
        return pd.DataFrame(rows)

    def pictures(self) -> tuple[Picture, ...]:
        """The shares of one attribute as bars with their intervals."""
        import numpy as np

        if len(self._plain) != 1:
            raise ParameterError(
                "A picture is of one attribute; name it in reconstruct().", field="attributes"
            )
        (one,) = self._plain.values()
        places = np.arange(len(one.labels), dtype=np.float64)
        bars = Mark(
            Shape.BARS, Role.ESTIMATE, Message("estimate"), places, one.estimate, one.low, one.high
        )
        called = Message("{title}", title=one.attribute.heading)
        x, y = Axis(called, labels=tuple(one.labels)), Axis(Message("share"))
        return (Picture("shares", called, x, y, (bars,)),)


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
    """Every arm by itself."""
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


MOST_DRAWS, MOST_ITERATIONS = 10_000, 1_000_000
"""What can be asked of :func:`repeat`."""


@check_arguments
def repeat(  # noqa: PLR0913 (keywords with defaults)
    data: Data,
    design: DesignLike,
    attribute: str,
    *,
    algorithms: Sequence[str] | None = None,
    draws: int = 100,
    iterations: int = 100,
    bins: int | None = None,
    reading: ReadOptions | Mapping[str, Any] | None = None,
    seed: int = 0,
    progress: Progress = silent,
) -> RepeatResult:
    """Randomise true answers many times and reconstruct each draw, to see what that loses.

    One draw can mislead; the spread over many tells what to expect of an algorithm and of its
    stopping rule.

    Parameters
    ----------
    data
        True answers: a frame, a table or a file.
    design
        How they are randomised.
    attribute
        The attribute that is reconstructed.
    algorithms
        Names that the command ``reconstruct`` knows; ``eq`` and ``em-as`` for values and ``smooth``
        for numbers if not given. One that iterates has a loss for every stopping rule.
    draws, iterations
        How many draws are taken, and after how many iterations the fixed rule stops.
    bins
        Into how many bins a number is cut.
    reading, seed, progress
        As for :class:`Survey`.

    Examples
    --------
    >>> import ppworkbench as pp
    >>> city = pp.sample("city-survey", rows=1000, seed=1)
    >>> design = pp.Design.starting(city.to_frame()[["drug_use"]], epsilon=1.0)
    >>> found = pp.repeat(city, design, "drug_use", algorithms=["eq"], draws=20, seed=1)
    >>> found.to_frame().groupby("algorithm")["loss"].mean().round(3).to_dict()
    {'eq': 0.023}
    """
    from ppworkbench.analyses.explore.repeats import USUAL_METHODS, PartialResult
    from ppworkbench.analyses.explore.repeats import repeat as repeat_draw
    from ppworkbench.analyses.explore.runs import refusal

    for name, value, most in (
        ("draws", draws, MOST_DRAWS), ("iterations", iterations, MOST_ITERATIONS),
    ):  # fmt: skip
        if not 1 <= value <= most:
            raise ParameterError(f"{name} must be between 1 and {most:,}, not {value}.", field=name)
    how = given_options(ReadOptions, reading)
    draw = _first_draw(AnswerSource(data, how), as_design(design), attribute, bins, seed, progress)
    explored = draw.explored
    for name in algorithms or ():
        _check_algorithm(name, draw)
    usual = [name for name in USUAL_METHODS[explored.cells] if not refusal(name, draw)]
    methods = list(dict.fromkeys(algorithms or usual))
    if not methods:
        raise DataError(f"No algorithm can reconstruct {explored.name!r} under this design.")
    found = PartialResult(explored, draws, iterations)
    repeat_draw(draw, methods, iterations, found, part(progress, 0.2, 1.0))
    losses = tuple(
        Losses(method, str(iterations) if rule == "fixed" else rule, found.of(method, rule))
        for method, rule in found.losses
    )
    return RepeatResult(explored, draw.counted.rows, draws, seed, losses)


def _first_draw(
    source: AnswerSource,
    design: Design,
    attribute: str,
    bins: int | None,
    seed: int,
    progress: Progress,
) -> Draw:
    """The answers of an attribute distorted once; refused where there is nothing to repeat."""
    from ppworkbench.analyses.explore.draws import explored_column, simulate
    from ppworkbench.analyses.explore.runs import is_trivial
    from ppworkbench.study.study import Study

    refuse_reported(source.path)
    name = design.question(attribute).name
    drawn = set(design.drawn_columns)
    schema = [one for one in design.original_schema if one.name not in drawn]
    table = source.whole(schema, part(progress, 0.0, 0.1))
    explored = explored_column(Study("", table, design=design), name, bins)
    assert explored is not None  # noqa: S101 (the table was read by the design)
    why = _why_not_repeat(explored)
    if why:
        raise ParameterError(why, field="attribute")
    draw = simulate(explored, seed, part(progress, 0.1, 0.2))
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
    """Refuse an algorithm that cannot reconstruct a draw."""
    from ppworkbench.analyses.explore.repeats import USUAL_METHODS
    from ppworkbench.analyses.explore.runs import refusal
    from ppworkbench.core.reconstruct import estimators

    estimators.entry(name)
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


@dataclass(frozen=True, eq=False)
class Losses:
    """The information loss of every draw, by an algorithm and the rule that stopped it."""

    algorithm: str
    stop: str
    loss: Numbers

    @property
    def mean(self) -> float:
        """The mean over the draws."""
        return float(self.loss.mean())

    @property
    def deviation(self) -> float | None:
        """The standard deviation over the draws; None for a single one."""
        return float(self.loss.std(ddof=1)) if len(self.loss) > 1 else None

    @property
    def title(self) -> str:
        """Both in words."""
        return f"{self.algorithm}, {self.stop}" if self.stop else self.algorithm


@dataclass(frozen=True, eq=False, repr=False)
class RepeatResult(Result):
    """The information loss over many draws; ``losses`` has every one of them."""

    explored: ExploredColumn
    people: int
    draws: int
    seed: int
    losses: tuple[Losses, ...]
    state = TRUE

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

    def summary(self) -> str:
        """The losses for people, as the command line prints them."""
        shown = harmless(self.explored.attribute.heading)
        said = f"{shown}: information loss over {self.draws:,} draws of {self.people:,} answers."
        heads = ["algorithm", "stop", "mean", "standard deviation", "smallest", "largest"]
        rows = []
        for one in self.losses:
            spread = "-" if one.deviation is None else f"{one.deviation:.4f}"
            ends = f"{one.loss.min():.4f}", f"{one.loss.max():.4f}"
            rows.append([one.algorithm, one.stop or "-", f"{one.mean:.4f}", spread, *ends])
        return "\n".join([said, "", aligned(heads, rows, right=heads[2:])])

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
        """A dot per draw, and the mean of each line."""
        import numpy as np

        dots = [(place, one.loss) for place, one in enumerate(self.losses)]
        # Neighbours lie at different heights, so that equal values do not hide each other.
        marks = (
            Mark(
                Shape.POINTS, Role.ESTIMATE, Message("draw"),
                np.concatenate([loss for _, loss in dots]),
                np.concatenate([
                    place + 0.3 * (np.arange(len(loss)) % 7 - 3) / 3 for place, loss in dots
                ]),
            ),
            Mark(
                Shape.LINE, Role.REFERENCE, Message("mean"),
                np.concatenate([[np.mean(loss)] * 2 + [np.nan] for _, loss in dots]),
                np.concatenate([[place - 0.4, place + 0.4, np.nan] for place, _ in dots]),
            ),
        )  # fmt: skip
        things = Axis(Message(""), labels=tuple(one.title for one in self.losses))
        loss = Axis(Message("information loss"), low=0.0)
        return (Picture("losses", Message("Information loss of the draws"), loss, things, marks),)
