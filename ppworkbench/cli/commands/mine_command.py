"""The command that mines itemsets and rules from distorted files."""

from __future__ import annotations

import argparse
import dataclasses
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ppworkbench.api.text import (
    REPORTED,
    TRUE,
    UNUSED_SAMPLING,
    Naming,
    aligned,
    harmless,
    naming,
    note_lines,
)
from ppworkbench.cli.input_files import add_engine_option, add_read_options, given_parts
from ppworkbench.cli.options import add_no_sampling_option, add_options, given_options
from ppworkbench.cli.output import Answer, with_notes
from ppworkbench.cli.parser import InputPath, Parser, UsageError, add_shared_options
from ppworkbench.cli.progress_bar import progress_bar
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.data.sampling_roles import Sampling
from ppworkbench.core.progress import Progress, part

if TYPE_CHECKING:
    from ppworkbench.cli.parser import Subparsers
    from ppworkbench.core.data.attribute import Attribute
    from ppworkbench.core.data.parts import Parts
    from ppworkbench.core.data.table import Table
    from ppworkbench.core.design.design import Design
    from ppworkbench.core.engines import Engine
    from ppworkbench.core.itemsets import Item, ItemOptions, SetList
    from ppworkbench.core.itemsets.item_data import ItemData
    from ppworkbench.core.mining import LengthErrors, Miner, MiningResult, Rules

DEFAULT_METHOD = "shrinkage"
SHOWN = 20
"""Itemsets and rules that are printed for people; JSON has all."""


def add_commands(subparsers: Subparsers) -> None:
    """Declare ``mine``."""

    def fill(parser: Parser, words: Sequence[str]) -> None:
        # The declarations come with the library, which help on other commands need not load.
        from ppworkbench.core.itemsets import ItemOptions
        from ppworkbench.core.mining import RuleParams, miners

        add_shared_options(parser)
        method = _method(words, miners.names)
        _add_arguments(parser, miners.names)
        add_options(parser, miners[method], title=f"options of --method {method}")
        add_options(parser, ItemOptions, title="items")
        rules = parser.add_argument_group("rules")
        rules.add_argument("--rules", action="store_true", help="find rules as well")
        add_options(parser, RuleParams, title="options of --rules")
        sampling = parser.add_argument_group("sampling")
        sampling.add_argument(
            "--weight", metavar="C", help="column: how many people a row stands for"
        )
        add_no_sampling_option(sampling)
        add_engine_option(parser)
        add_read_options(parser)
        parser.set_defaults(run=run_mine)

    summary = "find frequent itemsets and rules in a file"
    subparsers.add_parser(
        "mine", help=summary, description="Find frequent itemsets and rules in a file.", fill=fill
    )


def _method(words: Sequence[str], known: Sequence[str]) -> str:
    """The method among the words, which decides over the options; a wrong one is told later."""
    for word, following in zip(words, [*words[1:], ""], strict=True):
        named = following if word == "--method" else word.removeprefix("--method=")
        if word.startswith("--method") and named in known:
            return named
    return DEFAULT_METHOD


def _add_arguments(parser: Parser, methods: Sequence[str]) -> None:
    parser.add_argument(
        "distorted",
        metavar="DISTORTED",
        type=InputPath,
        help="file with the distorted answers, or folder of Parquet parts",
    )
    parser.add_argument(
        "--design", metavar="FILE", type=InputPath,
        help="design of the file; without it the answers are counted uncorrected",
    )  # fmt: skip
    parser.add_argument(
        "--method", choices=methods, default=DEFAULT_METHOD,
        help=f"mining method (default {DEFAULT_METHOD})",
    )  # fmt: skip
    parser.add_argument(
        "--attribute", metavar="NAME", action="append",
        help="attribute whose values are items, may be repeated (default: all)",
    )  # fmt: skip
    parser.add_argument(
        "--original",
        metavar="DATA",
        type=InputPath,
        help="true answers, for the errors by length",
    )


def run_mine(args: argparse.Namespace) -> Answer:
    """Mine a file, and compare with the original if there is one."""
    from ppworkbench.api.inputs import refuse_reported
    from ppworkbench.core.design.design_file import read_design
    from ppworkbench.core.itemsets import ItemOptions, item_data
    from ppworkbench.core.mining import RuleParams, miners
    from ppworkbench.study.analyses.mining import mine_items, weigh_items

    design = None if args.design is None else read_design(args.design)
    if design is not None:
        design.refuse_arms()
    sampling, remarks = _sampling(args, design)
    seeded = args.method == "mmask" and args.seed is not None
    more = {"choice_seed": args.seed} if seeded else {}
    miner = given_options(args, miners[args.method], **more)
    options = given_options(args, ItemOptions)
    wanted = given_options(args, RuleParams) if args.rules else None
    parted = given_parts(args, args.distorted)
    with progress_bar() as progress:
        truth, table = None, None
        if parted is not None:
            data = _parted_items(args, parted, design, sampling, options, miner)
        else:
            table = _read(args.distorted, args, design, part(progress, 0.0, 0.2))
            items = _items(args, table, design, sampling)
            data = item_data(table, None if miner.on_original else design, items, options)
            data = weigh_items(data, table, sampling)
        if args.original is not None and table is not None:
            refuse_reported(args.original)
            true = _read(args.original, args, design, part(progress, 0.2, 0.4), original=True)
            truth = item_data(true, design, items, options, original=True)
            truth = weigh_items(truth, true, sampling)
        mined = mine_items(data, miner, wanted, truth, part(progress, 0.4, 1.0))
    found = mined.result, mined.rules, mined.errors
    known = [designed.attribute for designed in design] if design else []
    if table is not None and not design:
        known = list(table.attributes)
    document = _document(*found)
    if design is not None:
        document["state"] = TRUE if miner.on_original else REPORTED
    told = Answer(document, _text(*found, naming(known)))
    return with_notes(told, remarks)


def _parted_items(
    args: argparse.Namespace,
    parted: tuple[Parts, Engine],
    design: Design | None,
    sampling: Sampling | None,
    options: ItemOptions,
    miner: Miner,
) -> ItemData:
    """The items of a folder of parts."""
    from ppworkbench.core.itemsets.parted import parted_items

    if design is None:
        raise UsageError("A folder of parts is mined with its design; give it with --design.")
    if sampling is not None or args.original is not None:
        raise UsageError(
            "Weights and true answers are used of a single file only; add --no-sampling, or drop "
            "--weight and --original."
        )
    parts, engine = parted
    return parted_items(
        parts, design, engine, args.attribute, options,
        reading=given_options(args, ReadOptions), uncorrected=miner.on_original,
    )  # fmt: skip


def _sampling(
    args: argparse.Namespace, design: Design | None
) -> tuple[Sampling | None, tuple[str, ...]]:
    """The roles that the command line or the design names, and what is to be said about them."""
    known = None if design is None else design.sampling
    if args.no_sampling:
        if args.weight is not None:
            raise UsageError("The option --weight contradicts --no-sampling; drop one.")
        return None, () if known is None else (UNUSED_SAMPLING,)
    if args.weight is None:
        return known, ()
    return dataclasses.replace(known or Sampling(), weight=args.weight), ()


def _items(
    args: argparse.Namespace, table: Table, design: Design | None, sampling: Sampling | None
) -> Sequence[str] | None:
    """The attributes whose values are items; None for all. Columns with a role are none."""
    if args.attribute or sampling is None:
        return args.attribute  # type: ignore[no-any-return]
    names = table.names if design is None else design.names
    return [name for name in names if name not in sampling.columns]


def _read(
    path: str, args: argparse.Namespace, design: Design | None, progress: Progress,
    *, original: bool = False,
) -> Table:  # fmt: skip
    from ppworkbench.core.data.files import read_table
    from ppworkbench.core.data.formats import formats
    from ppworkbench.core.data.transactions import with_absent_items

    reading = given_options(args, ReadOptions)
    if design is None:
        return read_table(path, reading, progress=progress)
    names = args.attribute or design.names
    expected: list[Attribute] = [
        design[name].attribute if original else design[name].distorted for name in names
    ]
    baskets = formats["baskets"]
    if reading.format == "baskets" or Path(path).suffix.lower() in baskets.suffixes:
        # An item that is in no basket of the file is not in the file.
        table = read_table(path, reading, progress=progress)
        return with_absent_items(table, expected)
    return read_table(path, reading, expected, progress)


def _document(
    found: MiningResult, rules: Rules | None, errors: LengthErrors | None
) -> dict[str, Any]:
    document = found.to_json()
    if errors is not None:
        document["levels"] = errors.to_json()
    if rules is not None:
        document["rules"] = rules.to_json()
        document["notes"] += rules.notes
    return document


def _text(
    found: MiningResult, rules: Rules | None, errors: LengthErrors | None, shown: Naming
) -> str:
    sentence = (
        f"{len(found.itemsets):,} frequent itemsets in {found.transactions:,} records, method "
        f"{found.method}, {found.seconds:.2f} seconds."
    )
    told = [sentence, _levels_text(found, errors), _itemsets_text(found, shown)]
    if rules is not None:
        told.append(_rules_text(rules, shown))
    told += note_lines(found.notes, shown)
    return "\n\n".join(one for one in told if one)


def _levels_text(found: MiningResult, errors: LengthErrors | None) -> str:
    if errors is None:
        heads = ["length", "candidates", "found"]
        rows = [[f"{one.length}", f"{one.candidates:,}", f"{one.found:,}"] for one in found.levels]
        return aligned(heads, rows, right=heads)
    heads = [
        "length",
        "true",
        "found",
        "correct",
        "support error, %",
        "missed, %",
        "false positives, %",
        "F1",
    ]
    counts = (errors.lengths, errors.true, errors.found, errors.correct)
    columns = (errors.support_error, errors.false_negative, errors.false_positive)
    rows = [
        [
            *(f"{count[i]:,}" for count in counts),
            *("-" if math.isnan(column[i]) else f"{column[i]:.1f}" for column in columns),
            f"{errors.f1[i]:.3f}",
        ]
        for i in range(len(errors.lengths))
    ]
    return aligned(heads, rows, right=heads)


def _four_digits(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.4f}"


def _set_words(sets: SetList, place: int, shown: Naming) -> str:
    """An itemset as people call its items."""
    items = (sets.items[member] for member in sets.set_at(place))
    return harmless(", ".join(_item_words(item, shown) for item in items))


def _item_words(item: Item, shown: Naming) -> str:
    title = shown(item.attribute)
    if title == item.attribute:
        return item.name
    return title if item.name == item.attribute else f"{title}={item.value}"


def _itemsets_text(found: MiningResult, shown: Naming) -> str:
    sets = found.itemsets
    if not len(sets):
        return ""
    best = (-sets.raw).argsort(kind="stable")[:SHOWN].tolist()
    heads = ["itemset", "support", "standard error", "low", "high"]
    columns = (sets.support, sets.standard_error, sets.low, sets.high)
    rows = [
        [_set_words(sets, i, shown), *(_four_digits(column[i]) for column in columns)] for i in best
    ]
    more = len(sets) - len(best)
    tail = f"\n... and {more:,} more; --json lists all." if more else ""
    return aligned(heads, rows, right=heads[1:]) + tail


def _rules_text(rules: Rules, shown: Naming) -> str:
    if not len(rules):
        return "No rules."
    heads = ["rule", "support", "confidence", "low", "high", "lift"]
    columns = (rules.support, rules.confidence, rules.low, rules.high, rules.lift)
    first = range(min(SHOWN, len(rules)))
    rows = [
        [
            f"{_set_words(rules.left, i, shown)} => {_set_words(rules.right, i, shown)}",
            *(_four_digits(column[i]) for column in columns),
        ]
        for i in first
    ]
    more = len(rules) - len(first)
    tail = f"\n... and {more:,} more; --json lists all." if more else ""
    table = aligned(heads, rows, right=heads[1:]) + tail
    return "\n".join([table, *note_lines(rules.notes, shown)])
