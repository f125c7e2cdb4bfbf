"""Commands about data: the built-in samples, and what a file holds."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ppworkbench.cli.options import (
    GivenSampling,
    add_options,
    add_role_options,
    given_options,
    given_roles,
    given_sampling,
    given_values,
)
from ppworkbench.cli.output import Answer, aligned, cut, harmless, naming, note_lines
from ppworkbench.cli.parser import (
    InputPath,
    OutputPath,
    OutputTable,
    add_command,
    add_command_group,
)
from ppworkbench.cli.progress_bar import progress_bar
from ppworkbench.core.data.options import ReadOptions, WriteOptions
from ppworkbench.core.data.sampling_roles import Sampling, suggest_roles
from ppworkbench.core.params import declarations
from ppworkbench.core.progress import Progress, part

if TYPE_CHECKING:
    from ppworkbench.cli.parser import InputPath, OutputPath, OutputTable, Subparsers
    from ppworkbench.core.data.attribute import Attribute, Code
    from ppworkbench.core.data.samples import Sample
    from ppworkbench.core.data.table import Column, Table
    from ppworkbench.core.design.design import Design

READ_FLAGS = {"missing_codes": "missing"}
VALUES_WIDTH = 44


def add_commands(subparsers: Subparsers) -> None:
    """Declare ``sample`` and ``inspect``."""
    add_command_group(subparsers, "sample", "list or write the built-in data sets", _add_samples)
    inspect = add_command(subparsers, "inspect", run_inspect, "describe a data file")
    inspect.add_argument("data", metavar="DATA", type=InputPath, help="file to read")
    inspect.add_argument(
        "--design-out", metavar="FILE", type=OutputPath, help="write a starting design"
    )
    add_role_options(inspect)
    add_read_options(inspect)


def add_read_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of a command that reads a data file."""
    add_options(parser, ReadOptions, flags=READ_FLAGS, title="import settings")


def read_data(path: str, args: argparse.Namespace) -> Table:
    """Read a file as the options say, showing progress."""
    from ppworkbench.core.data.files import read_table

    with progress_bar() as progress:
        return read_table(path, given_options(args, ReadOptions), progress=progress)


@dataclass(frozen=True, eq=False)
class SurveyFiles:
    """Distorted answers, the true ones where they are named, and the sampling."""

    table: Table
    original: Table | None
    given: GivenSampling


def read_survey(
    args: argparse.Namespace, design: Design, asked: Sequence[str], progress: Progress
) -> SurveyFiles:
    """Read the answers of a command about a survey; only what is asked for must be there.

    What the design does not know is left for the analysis to refuse.
    """
    from ppworkbench.core.data.chunks import read_columns

    reading = given_options(args, ReadOptions)
    roles = () if design.sampling is None or args.no_sampling else design.sampling.columns
    needed = design.needed(dict.fromkeys((*asked, *roles)))
    # Role columns keep the kind that the design gives them, where it knows them.
    published = [design[name].distorted for name in needed if name in design]

    def wanted(columns: Sequence[str]) -> Sequence[str]:
        given = given_sampling(args, design.sampling, columns).sampling
        roles = () if given is None else given.columns
        return [name for name in columns if name in needed or name in roles]

    table = read_columns(args.distorted, reading, published, wanted, part(progress, 0.0, 0.8))
    original = None
    if getattr(args, "original", None) is not None:
        true = [design[name].attribute for name in asked if name in design]
        column = None if design.arms is None else design.arms.column

        def known(columns: Sequence[str]) -> Sequence[str]:
            return [one for one in columns if one in (*asked, column)]

        rest = part(progress, 0.8, 1.0)
        original = read_columns(args.original, reading, true, known, rest)
        if column is not None and column in original and not original[column].is_categorical:
            # True answers need not tell the arm; where they do, its names may look like numbers.
            told = [*true, design[column].attribute]
            original = read_columns(args.original, reading, told, known, rest)
    return SurveyFiles(table, original, given_sampling(args, design.sampling, table.names))


def run_inspect(args: argparse.Namespace) -> Answer:
    """Say what a data file holds, and write a starting design if asked to."""
    from ppworkbench.core.data.files import codebook_of

    table = read_data(args.data, args)
    codebook = codebook_of(args.data)
    known = None if codebook is None else codebook.sampling
    sampling = given_roles(args, known, table.names)
    if args.design_out:
        from ppworkbench.core.design.design_file import write_design
        from ppworkbench.core.design.starting import starting_design

        write_design(starting_design(table, sampling), args.design_out)
    return Answer(inspection(table, sampling), inspection_text(table, sampling))


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
        return f"{low} to {high}"
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
