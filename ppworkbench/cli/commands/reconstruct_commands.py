"""The command that estimates original distributions from distorted files."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ppworkbench.cli.input_files import add_engine_option, add_read_options, given_parts, unsampled
from ppworkbench.cli.options import (
    add_arm_options,
    add_design_option,
    add_sampling_options,
    design_of,
    given_options,
    given_sampling,
    refuse_reported,
)
from ppworkbench.cli.output import Answer, aligned, harmless, naming, note_lines, with_notes
from ppworkbench.cli.parser import InputPath, Parser, add_shared_options
from ppworkbench.cli.progress_bar import progress_bar
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.data.sampling_roles import POPULATION
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.progress import silent

if TYPE_CHECKING:
    from ppworkbench.cli.parser import Subparsers
    from ppworkbench.core.data.parts import Parts
    from ppworkbench.core.design.design import Design
    from ppworkbench.core.engines import Engine
    from ppworkbench.core.reconstruct import Reconstruction, ReconstructOptions, Source
    from ppworkbench.core.reconstruct.by_arm import ArmResults, SetTests
    from ppworkbench.core.reconstruct.pooled import Test
    from ppworkbench.core.reconstruct.reconstruct import ReconstructedFile
    from ppworkbench.core.sampling.reconstruction_results import SampledReconstruction

STOPS = ("published", "converged", "auto")


def add_commands(subparsers: Subparsers) -> None:
    """Declare ``reconstruct``."""
    summary = "estimate the true distributions of a distorted file"
    subparsers.add_parser(
        "reconstruct", help=summary, description=f"{summary.capitalize()}.", fill=_fill
    )


def _fill(parser: Parser, words: Sequence[str]) -> None:  # noqa: ARG001 (nothing depends on them)
    # The algorithms come with their libraries, which help on other commands need not load.
    from ppworkbench.core.reconstruct import estimators

    parser.set_defaults(run=run_reconstruct)
    add_shared_options(parser)
    parser.add_argument(
        "distorted",
        metavar="DISTORTED",
        type=InputPath,
        help="file with the distorted answers, or folder of Parquet parts",
    )
    add_design_option(parser)
    parser.add_argument(
        "--attribute", metavar="NAME", action="append",
        help="attribute to reconstruct, may be repeated (default: all of the design)",
    )  # fmt: skip
    parser.add_argument(
        "--algorithm", default="default",
        choices=("default", *(entry.name for entry in estimators.ranked)),
        help="default: eq or accelerated for values, smooth for numbers",
    )  # fmt: skip
    parser.add_argument(
        "--stop", type=_stop, metavar="{published|converged|auto|N}",
        help="stopping rule; without --algorithm it implies em-as or em",
    )  # fmt: skip
    parser.add_argument(
        "--bins", type=_bins, metavar="N", help="number of bins of a numeric attribute"
    )
    parser.add_argument(
        "--confidence", type=_confidence, metavar="X", default=0.95,
        help="confidence of the intervals (default 0.95)",
    )  # fmt: skip
    parser.add_argument(
        "--sharpest", metavar="WIDTH", type=_sharpest, default="auto",
        help="narrowest peak of a number under noise that intervals allow: auto, none or a number "
        "(default: auto)",
    )  # fmt: skip
    parser.add_argument(
        "--original",
        metavar="DATA",
        type=InputPath,
        help="true answers, for the information loss",
    )
    add_arm_options(parser)
    parser.add_argument(
        "--sets", metavar="VALUES", type=_sets, default=(),
        help="sets of arms to be compared, such as A,B:C; implies --by-arm",
    )  # fmt: skip
    add_sampling_options(parser)
    add_engine_option(parser)
    add_read_options(parser)


def _stop(text: str) -> str:
    if text in STOPS or (text.isascii() and text.isdigit() and int(text) <= 1_000_000):
        return text
    raise argparse.ArgumentTypeError(
        f"it must be {', '.join(STOPS)} or a number of iterations, not {text!r}"
    )


def _sets(text: str) -> tuple[tuple[str, ...], ...]:
    return tuple(
        tuple(name.strip() for name in one.split(",") if name.strip()) for one in text.split(":")
    )


def _bins(text: str) -> int:
    if text.isascii() and text.isdigit() and 1 <= int(text) <= 10_000:
        return int(text)
    raise argparse.ArgumentTypeError(f"it must be a number between 1 and 10000, not {text!r}")


def _confidence(text: str) -> float:
    try:
        level = float(text)
    except ValueError:
        level = -1.0
    if 0 < level < 1:
        return level
    raise argparse.ArgumentTypeError(f"it must be above 0 and below 1, not {text!r}")


def _sharpest(text: str) -> str:
    from ppworkbench.core.reconstruct.sharpness import parse_sharpness

    try:
        parse_sharpness(text)
    except ParameterError as error:
        raise argparse.ArgumentTypeError(error.message) from None
    return text


def run_reconstruct(args: argparse.Namespace) -> Answer:
    """Estimate the original distributions of a distorted file."""
    from ppworkbench.core.reconstruct import ReconstructOptions
    from ppworkbench.core.reconstruct.reconstruct import Source, reconstruct_file
    from ppworkbench.core.sampling.reconstruction import reconstruct_sampled_file

    design = design_of(args.distorted, args.design)
    reading = given_options(args, ReadOptions)
    options = ReconstructOptions(
        args.algorithm, args.stop, args.bins, args.confidence, args.sharpest
    )
    parted = given_parts(args, args.distorted)
    if parted is not None:
        return _of_parts(args, parted, design, options)
    distorted = Source(args.distorted, reading)
    if args.original is not None:
        refuse_reported(args.original)
    original = None if args.original is None else Source(args.original, reading)
    given = given_sampling(args, design.sampling, _columns(args, distorted))
    apart = args.by_arm or bool(args.sets)
    if given.sampling is None and given.options is None:
        with progress_bar() as progress:
            found = reconstruct_file(
                distorted, design, args.attribute, options,
                original=original, arms=args.arm, by_arm=apart, sets=args.sets,
                seed=args.seed or 0, progress=progress,
            )  # fmt: skip
        return with_notes(_told(found, design), given.remarks)
    with progress_bar() as progress:
        sampled = reconstruct_sampled_file(
            distorted, design, given.sampling, given.options, args.attribute, options,
            original=original, arms=args.arm, by_arm=apart, sets=args.sets,
            seed=args.seed or 0, progress=progress,
        )  # fmt: skip
    told = [_sampled_text(result) for result in sampled.attributes.values()]
    document = sampled.to_json()
    return with_notes(Answer(document, "\n\n".join(told)), given.remarks)


def _of_parts(
    args: argparse.Namespace,
    parted: tuple[Parts, Engine],
    design: Design,
    options: ReconstructOptions,
) -> Answer:
    """The same of a folder of parts."""
    from ppworkbench.core.reconstruct.parted import reconstruct_parts

    parts, engine = parted
    given = unsampled(args, design, parts)
    with progress_bar() as progress:
        found = reconstruct_parts(
            parts, design, engine, args.attribute, options,
            reading=given_options(args, ReadOptions), arms=args.arm,
            by_arm=args.by_arm or bool(args.sets), sets=args.sets,
            seed=args.seed or 0, progress=progress,
        )  # fmt: skip
    return with_notes(_told(found, design), given.remarks)


def _told(found: ReconstructedFile, design: Design) -> Answer:
    """The result where everybody counts the same."""
    from ppworkbench.core.sampling.results import interval_contents

    told = [
        _text(result, found.by_arm.get(name), found.not_asked.get(name, 0))
        for name, result in found.attributes.items()
    ]
    document = found.to_json()
    # Without roles people are a simple random sample from a large population.
    uncertain = design.uncertain_shares(found.attributes)
    contents = interval_contents(shared=bool(uncertain))
    for name, result in found.attributes.items():
        if result.confidence is not None:
            held = interval_contents(shared=name in uncertain)
            document["attributes"][name] |= {"target": POPULATION} | held.to_json()
    told.append(contents.sentence)
    return Answer(document, "\n\n".join(told))


def _columns(args: argparse.Namespace, source: Source) -> Sequence[str]:
    """The columns among which a pattern of replicates chooses; a file is opened for them alone."""
    if args.replicates is None:
        return ()
    return next(source.tables((), silent)).names


def _sampled_text(result: SampledReconstruction) -> str:
    told = [_text(result.found, not_asked=result.not_asked), result.sample.sentence]
    told += [result.sample.errors, *note_lines(result.remarks)]
    apart = result.by_arm
    if apart is not None:
        told += _arm_table({name: one.found for name, one in apart.arms.items()})
        told += _test_lines("Wald", "Equal in all arms", apart.equality)
        told += [*note_lines(apart.remarks), *_set_lines(apart.sets, result.found.labels)]
    return "\n".join(told)


def _text(result: Reconstruction, arms: ArmResults | None = None, not_asked: int = 0) -> str:
    how = _how(result) + (f", {not_asked:,} not asked" if not_asked else "")
    told = [f"{harmless(result.attribute.heading)}: {how}"]
    heads = ["value" if result.values is not None else "interval", "share", "low", "high"]
    shares = [result.probability, result.low, result.high]
    if (result.raw != result.probability).any():
        heads.append("unbiased")
        shares.append(result.raw)
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
        told += _test_lines("LR", "Equal in all arms", arms.equality)
        told += [*note_lines(arms.remarks), *_set_lines(arms.sets, result.labels)]
    return "\n".join(told)


def _arm_table(arms: Mapping[str, Reconstruction]) -> list[str]:
    """Every arm by itself."""
    heads = ["arm", "answers", "value", "share", "low", "high"]
    rows = [
        [
            harmless(name) if not place else "", f"{one.rows:,}" if not place else "", label,
            *(f"{shares[place]:.4f}" for shares in (one.probability, one.low, one.high)
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
    kind = "LR" if found.statistic == "lr" else "Wald"
    told = ["", aligned(heads, rows, right=heads[2:])]
    for one in found.sets:
        if one.within.df:
            told += _test_lines(kind, f"Equal within {harmless(', '.join(one.arms))}", one.within)
    told += _test_lines(kind, "Equal between the sets", found.between)
    return [*told, *note_lines(found.remarks)]


def _test_lines(kind: str, about: str, test: Test | None) -> list[str]:
    if test is None:
        return []
    return [f"{about}: {kind} {test.statistic:.4f}, {test.df} df, p {test.p:.4g}."]


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
