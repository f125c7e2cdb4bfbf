"""Commands about data: the built-in samples, and what a file holds."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ppworkbench.api.text import REPORTED, aligned, cut, harmless, naming, note_lines
from ppworkbench.cli.input_files import add_read_options, read_data
from ppworkbench.cli.options import (
    add_options,
    add_role_options,
    given_options,
    given_roles,
    given_values,
)
from ppworkbench.cli.output import Answer
from ppworkbench.cli.parser import (
    InputPath,
    OutputPath,
    OutputTable,
    Parser,
    UsageError,
    add_command,
    add_command_group,
    add_shared_options,
)
from ppworkbench.cli.progress_bar import progress_bar
from ppworkbench.core.data.attribute import FROM_DATA
from ppworkbench.core.data.options import WriteOptions
from ppworkbench.core.data.sampling_roles import Sampling, stated_sampling, suggest_roles
from ppworkbench.core.params import declarations
from ppworkbench.core.progress import part

if TYPE_CHECKING:
    from ppworkbench.api.designs import Design
    from ppworkbench.cli.parser import InputPath, OutputPath, OutputTable, Subparsers
    from ppworkbench.core.data.attribute import Attribute, Code
    from ppworkbench.core.data.samples import Sample
    from ppworkbench.core.data.table import Column, Table

VALUES_WIDTH = 44


def add_commands(subparsers: Subparsers) -> None:
    """Declare ``sample`` and ``inspect``."""
    add_command_group(subparsers, "sample", "list or write the built-in data sets", _add_samples)
    subparsers.add_parser(
        "inspect",
        help="describe a data file",
        description="Describe a data file.",
        fill=_fill_inspect,
    )


def _fill_inspect(inspect: Parser, _words: Sequence[str]) -> None:
    from ppworkbench.core.design.budget import RULES
    from ppworkbench.core.design.starting import EPSILON_EACH

    inspect.set_defaults(run=run_inspect)
    add_shared_options(inspect)
    inspect.add_argument("data", metavar="DATA", type=InputPath, help="file to read")
    inspect.add_argument(
        "--design-out", metavar="FILE", type=OutputPath, help="write a starting design"
    )
    aims = inspect.add_mutually_exclusive_group()
    aims.add_argument(
        "--epsilon", type=float, metavar="X",
        help=f"epsilon of each question of the starting design (default {EPSILON_EACH:g})",
    )  # fmt: skip
    aims.add_argument(
        "--total", type=float, metavar="X",
        help="epsilon of all questions of the starting design together",
    )  # fmt: skip
    inspect.add_argument("--rule", choices=RULES, help="how the total is shared out (default sum)")
    add_role_options(inspect)
    add_read_options(inspect)


def run_inspect(args: argparse.Namespace) -> Answer:
    """Say what a data file holds, and write a starting design if asked to."""
    from ppworkbench.core.data.files import codebook_of

    table = read_data(args.data, args)
    codebook = codebook_of(args.data)
    known = stated_sampling(table.notes) if codebook is None else codebook.sampling
    sampling = given_roles(args, known, table.names)
    if args.rule and args.total is None:
        raise UsageError("Give what to share out: --total.")
    if not args.design_out and (args.total is not None or args.epsilon is not None):
        raise UsageError("--epsilon and --total are for a starting design; give --design-out.")
    if args.design_out:
        _starting(table, sampling, args).save(args.design_out)
    document = inspection(table, sampling)
    if codebook is not None and codebook.design is not None:
        document["state"] = REPORTED
    return Answer(document, inspection_text(table, sampling))


def _starting(table: Table, sampling: Sampling | None, args: argparse.Namespace) -> Design:
    """The starting design with what one question, or all of them, may spend."""
    from ppworkbench.api.designs import Design
    from ppworkbench.core.design.perturbation import EPSILON

    if args.epsilon is not None and not EPSILON.low <= args.epsilon <= EPSILON.high:
        raise UsageError(f"--epsilon must lie between {EPSILON.low:g} and {EPSILON.high:g}.")
    return Design.starting(
        table, epsilon=args.epsilon, total=args.total, rule=args.rule or "sum", sampling=sampling
    )


def inspection(table: Table, sampling: Sampling | None = None) -> dict[str, Any]:
    """What a table holds, for programs; roles are suggested where none are known."""
    document: dict[str, Any] = {
        "rows": table.rows,
        "attributes": [_described(column) for column in table],
        "notes": list(table.notes),
    }
    suggested = suggest_roles(table.names)
    if sampling is not None:
        document["sampling"] = sampling.to_json()
    elif suggested:
        document["suggested_sampling"] = {role: list(names) for role, names in suggested.items()}
    return document if table.class_name is None else document | {"class": table.class_name}


def _described(column: Column) -> dict[str, Any]:
    attribute = column.attribute
    described: dict[str, Any] = {
        "name": attribute.name,
        "kind": attribute.kind,
        "reason": attribute.reason,
    }
    if attribute.domain is None:
        described["values"] = list(attribute.values)
    else:
        described["domain"] = [_whole(bound) for bound in attribute.domain]
        described["domain_source"] = attribute.domain_source
    described["missing"] = column.missing_count
    if attribute.label:
        described["label"] = attribute.label
    labels = [*zip(attribute.codes, attribute.values, strict=False), *attribute.number_labels]
    if labels:
        described["value_labels"] = [
            {"code": _whole(code), "label": label} for code, label in labels
        ]
    if attribute.missing_codes:
        described["missing_codes"] = [
            {"code": _whole(missing.code), "label": missing.label}
            for missing in attribute.missing_codes
        ]
    return described


def _whole(code: Code) -> Code | int:
    """A whole number without its decimal point, as people write codes and ages."""
    return int(code) if isinstance(code, float) and code.is_integer() else code


def inspection_text(table: Table, sampling: Sampling | None = None) -> str:
    """What a table holds, for people; roles are suggested where none are known."""
    rows = [_row(table, column) for column in table]
    heads = ["attribute", "kind", "values or domain", "missing", "reason"]
    parts = [
        _size(table),
        aligned(heads, rows, right=["missing"]) if rows else "",
        "\n".join(note_lines(table.notes, naming(table.attributes))),
        _role_text(table, sampling),
    ]
    return "\n\n".join(part for part in parts if part)


def _role_text(table: Table, sampling: Sampling | None) -> str:
    if sampling is not None:
        roles = [f"{name} ({role})" for role, name in _named_roles(sampling)]
        return f"Sampling: {harmless(', '.join(roles))}."
    suggested = suggest_roles(table.names)
    if not suggested:
        return ""
    options = " ".join(f"--{role} {','.join(names)}" for role, names in suggested.items())
    return f"By their names, columns may tell how people were drawn: {harmless(options)}"


def _named_roles(sampling: Sampling) -> list[tuple[str, str]]:
    named = [(role, value) for role, value in sampling.to_json().items() if role != "replicates"]
    told = [(role, ", ".join(v) if isinstance(v, list) else str(v)) for role, v in named]
    replicates = sampling.replicates
    if replicates is not None:
        told.append(("replicates", f"{replicates.columns[0]} to {replicates.columns[-1]}"))
    return told


def _row(table: Table, column: Column) -> list[object]:
    attribute = column.attribute
    is_class = attribute.name == table.class_name
    name = f"{attribute.heading} (class)" if is_class else attribute.heading
    held = cut(_held(attribute), VALUES_WIDTH)
    why = attribute.reason or "declared, not inferred"
    return [name, attribute.kind.value, held, column.missing_count, why]


def _held(attribute: Attribute) -> str:
    if attribute.domain is not None:
        low, high = (_whole(bound) for bound in attribute.domain)
        taken = " (from the data)" if attribute.domain_source == FROM_DATA else ""
        return f"{low} to {high}{taken}"
    # Control characters take more columns written out; a cut must not fall inside of one.
    values = ", ".join(harmless(value) for value in attribute.values[:VALUES_WIDTH])
    return f"{attribute.k}: {values}"


def _add_samples(subparsers: Subparsers, _words: Sequence[str]) -> None:
    add_command(subparsers, "list", run_sample_list, "list the built-in data sets")
    summary = "write a built-in data set to a file"
    add_command_group(subparsers, "write", summary, _add_writers, metavar="NAME")


def _add_writers(subparsers: Subparsers, words: Sequence[str]) -> None:
    from ppworkbench.core.data.generators.quest import QuestParams
    from ppworkbench.core.data.samples import samples

    for entry in samples:
        _add_writer(subparsers, entry.name, entry.item)
    for word in words:
        # A basket data set is also known by its sizes, as T10.I8.D100k.N100.
        if QuestParams.names(word):
            _add_writer(subparsers, word, samples["baskets"])


def _add_writer(subparsers: Subparsers, name: str, sample: Sample) -> None:
    summary = sample.description.removesuffix(".")
    writer = add_command(subparsers, name, run_sample_write, summary)
    writer.set_defaults(sample=name, sizes=sample.sizes)
    writer.add_argument(
        "file", metavar="FILE", type=OutputTable, help="output file; the extension is the format"
    )
    if declarations(sample.sizes):
        add_options(writer, sample.sizes, title="generator settings")
    add_options(writer, WriteOptions, title="output settings")


def run_sample_list(_args: argparse.Namespace) -> Answer:
    """List the built-in data sets."""
    from ppworkbench.core.data.samples import samples

    listed = [
        {
            "name": entry.name,
            "label": entry.label,
            "description": entry.item.description,
            "sizes": entry.item.sizes().to_json(),
        }
        for entry in samples
    ]
    rows = [[entry.name, entry.item.description] for entry in samples]
    return Answer({"samples": listed}, aligned(["sample", "contents"], rows))


def run_sample_write(args: argparse.Namespace) -> Answer:
    """Write a built-in data set to a file."""
    from ppworkbench.core.data.files import write_table
    from ppworkbench.core.data.samples import load_sample

    options = given_options(args, WriteOptions)
    sizes = given_values(args, args.sizes)
    with progress_bar() as progress:
        made, written = part(progress, 0.0, 0.5), part(progress, 0.5, 1.0)
        table = load_sample(args.sample, seed=args.seed, progress=made, **sizes)
        notes = write_table(table, args.file, options, progress=written)
    document = {"sample": args.sample, "file": args.file, "rows": table.rows, "notes": notes}
    wrote = f"Wrote {harmless(args.file)}: {_size(table)}."
    return Answer(document, "\n".join([wrote, *note_lines(notes, naming(table.attributes))]))


def _size(table: Table) -> str:
    return f"{_counted(table.rows, 'row')}, {_counted(len(table.columns), 'attribute')}"


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" + ("" if count == 1 else "s")
