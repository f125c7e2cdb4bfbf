"""The command that publishes a table whose sensitive column can be denied."""

from __future__ import annotations

import argparse
import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ppworkbench.api.text import TRUE, Naming, aligned, harmless, naming, note_lines
from ppworkbench.cli.input_files import add_read_options, read_data
from ppworkbench.cli.options import add_options, given_options
from ppworkbench.cli.output import Answer
from ppworkbench.cli.parser import (
    InputPath,
    OutputPath,
    OutputTable,
    Parser,
    UsageError,
    add_shared_options,
)
from ppworkbench.cli.progress_bar import progress_bar
from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, part

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ppworkbench.cli.parser import Subparsers
    from ppworkbench.core.data.table import Table
    from ppworkbench.core.publish import DeniabilityOptions, DeniabilityTree, Publication
    from ppworkbench.core.sampling.release import RoleTreatment
    from ppworkbench.study.analyses.role_release import RoleCheck
    from ppworkbench.study.study import Study

_LISTED = 12


def add_commands(subparsers: Subparsers) -> None:
    """Declare ``publish``."""
    summary = "write a table with a deniable sensitive column"
    subparsers.add_parser(
        "publish", help=summary, description=f"{summary.capitalize()}.", fill=_fill
    )


def _fill(parser: Parser, _words: Sequence[str]) -> None:
    # The declarations come with the library, which help on other commands need not load.
    from ppworkbench.core.publish.options import DeniabilityOptions

    add_shared_options(parser)
    parser.add_argument("data", metavar="DATA", type=InputPath, help="file with the true answers")
    parser.add_argument(
        "--sensitive", metavar="NAME", required=True, help="attribute whose answers are protected"
    )
    parser.add_argument(
        "--out", metavar="FILE", type=OutputTable, required=True, help="output file"
    )
    parser.add_argument(
        "--split-on", metavar="NAME", action="append",
        help="attribute to split groups by, may be repeated (default: all others)",
    )  # fmt: skip
    parser.add_argument(
        "--tree", metavar="FILE", type=OutputPath, help="write the groups as JSON as well"
    )
    parser.add_argument(
        "--folds", type=_folds, default=10, metavar="N",
        help="folds of the predicted accuracy (default 10)",
    )  # fmt: skip
    parser.add_argument(
        "--shuffle", action=argparse.BooleanOptionalAction,
        help="shuffle the rows (default: yes for a release, no with --seed)",
    )  # fmt: skip
    parser.add_argument(
        "--escape-formulas", action=argparse.BooleanOptionalAction, default=True,
        help="escape cells that a spreadsheet would execute (default: yes)",
    )  # fmt: skip
    parser.add_argument(
        "--documents", action="store_true",
        help="write a DDI file, datapackage.json and FOR-ANALYSTS.txt beside the table",
    )  # fmt: skip
    add_options(parser, DeniabilityOptions, title="groups")
    _add_role_options(parser)
    parser.set_defaults(run=run_publish, answer_state=TRUE)
    add_read_options(parser)


def _add_role_options(parser: Parser) -> None:
    """What becomes of columns that tell how people were drawn; a bundle has the same options."""
    from ppworkbench.core.data.sampling_roles import LEAST_ROWS

    group = parser.add_argument_group("columns with a sampling role (weight, stratum, …)")
    for word, text in (
        ("--coarsen", "column to coarsen, may be repeated"),
        ("--leave-out", "column not to be released, may be repeated"),
        ("--confirm", "attribute to release although a weight or stratum gives it away"),
    ):
        group.add_argument(word, metavar="NAME", action="append", default=[], help=text)
    group.add_argument(
        "--least-rows", type=_least_rows, default=LEAST_ROWS, metavar="N",
        help=f"rows that share a coarsened weight or stratum (default {LEAST_ROWS})",
    )  # fmt: skip


def _least_rows(text: str) -> int:
    from ppworkbench.core.data.sampling_roles import MOST_LEAST_ROWS

    if text.isascii() and text.isdigit() and 2 <= int(text) <= MOST_LEAST_ROWS:
        return int(text)
    raise argparse.ArgumentTypeError(
        f"the number of rows must be between 2 and {MOST_LEAST_ROWS:,}, not {text!r}"
    )


def _folds(text: str) -> int:
    if text.isascii() and text.isdigit() and 2 <= int(text) <= 100:
        return int(text)
    raise argparse.ArgumentTypeError(f"the number of folds must be between 2 and 100, not {text!r}")


def run_publish(args: argparse.Namespace) -> Answer:
    """Make groups, exchange the answers within them, and write the table."""
    from ppworkbench.api.inputs import refuse_reported
    from ppworkbench.core.publish.options import DeniabilityOptions

    options = given_options(args, DeniabilityOptions)
    if args.documents:
        _check_documents(args)
    refuse_reported(args.data)
    table = read_data(args.data, args)
    study, treatment = _roles(args, table)
    gone = {*treatment.coarsened, *treatment.dropped}
    features = tuple(args.split_on or (n for n in table.names if n != args.sensitive))
    features = tuple(name for name in features if name not in gone)
    with progress_bar() as progress:
        made, predicted = _published(table, args, options, features, part(progress, 0.0, 0.7))
        check = _checked(study, made, treatment, args, part(progress, 0.7, 0.8))
        if check is not None:
            made = dataclasses.replace(made, table=check.released.apply(made.table))
        notes = _write(made, check, args, part(progress, 0.8, 0.95))
        described = _describe(made, args) if args.documents else []
    points = () if check is None else check.points(study)
    document: dict[str, Any] = {
        "leaves": len(made.tree.leaves),
        "minimum_deniability": made.tree.minimum_deniability,
        "predicted_accuracy": predicted,
        "changed": made.changed,
        "rows": made.table.rows,
        "file": args.out,
        "secure": args.seed is None,
        "notes": [*made.notes, *notes, *_role_notes(study, treatment, made)],
    }
    if args.documents:
        document["documents"] = described
    if points:
        document["checklist"] = [
            {"good": p.good, "sentence": p.sentence, "detail": p.detail} for p in points
        ]
    shown = naming(table.attributes)
    lines = [harmless(point.titled(study).line()) for point in points]
    return Answer(document, _text(made, predicted, args, document["notes"], shown, lines))


def _roles(args: argparse.Namespace, table: Table) -> tuple[Study, RoleTreatment]:
    """The table as a study with the roles of its codebook, and what becomes of them."""
    from ppworkbench.core.data.files import codebook_of
    from ppworkbench.core.sampling.release import RoleTreatment
    from ppworkbench.study.deniable import refuse_role
    from ppworkbench.study.study import Study

    codebook = codebook_of(args.data)
    sampling = None if codebook is None else codebook.sampling
    if sampling is None and (args.coarsen or args.leave_out):
        raise UsageError("No column of this file has a sampling role to be coarsened or left out.")
    refuse_role(sampling, args.sensitive)
    study = Study.of_table(table, Path(args.data).stem)
    if sampling is not None:
        study = study.with_sampling(sampling)
    dropped = tuple(args.leave_out)
    coarsened = tuple(name for name in args.coarsen if name not in dropped)
    return study, RoleTreatment(coarsened, dropped, args.least_rows)


def _checked(
    study: Study,
    made: Publication,
    treatment: RoleTreatment,
    args: argparse.Namespace,
    progress: Progress,
) -> RoleCheck | None:
    """What the role columns tell; refused where they give the sensitive answers away."""
    from ppworkbench.core.data.missing import apply_missing_policies
    from ppworkbench.study.analyses.role_release import check_denied_roles
    from ppworkbench.study.bundle import refuse_unconfirmed

    assert study.original is not None  # noqa: S101 (it was made of a table)
    prepared = apply_missing_policies(study.original).table
    check = check_denied_roles(study, prepared, made, treatment, progress)
    refuse_unconfirmed(() if check is None else check.gives_away, tuple(args.confirm))
    return check


def _role_notes(study: Study, treatment: RoleTreatment, made: Publication) -> tuple[str, ...]:
    """A warning where columns that tell how people were drawn are published as they are."""
    roles = () if study.sampling is None else study.sampling.columns
    treated = (*treatment.coarsened, *treatment.dropped)
    open_roles = tuple(name for name in roles if name in made.table and name not in treated)
    if not open_roles:
        return ()
    return (
        Message(
            "Columns of the sampling are released unchanged and can identify people: "
            "{attributes}. Coarsen them or leave them out.",
            attributes=open_roles,
        ),
    )


def _published(
    table: Table,
    args: argparse.Namespace,
    options: DeniabilityOptions,
    features: tuple[str, ...],
    progress: Progress,
) -> tuple[Publication, float | None]:
    from ppworkbench.core.data.missing import apply_missing_policies
    from ppworkbench.core.publish import publish
    from ppworkbench.core.rng import SecureStreams, SeededStreams
    from ppworkbench.study.analyses.publication import predict_accuracy

    streams = SecureStreams() if args.seed is None else SeededStreams(args.seed)
    making = part(progress, 0.0, 0.2)
    made = publish(
        table, args.sensitive, options, features=features, streams=streams, progress=making
    )
    predicted = predict_accuracy(
        apply_missing_policies(table).table,
        args.sensitive,
        options,
        features=features,
        folds=args.folds,
        progress=part(progress, 0.2, 1.0),
    )
    return made, predicted


def _write(
    made: Publication, check: RoleCheck | None, args: argparse.Namespace, progress: Progress
) -> tuple[str, ...]:
    from ppworkbench.core.data.files import write_table
    from ppworkbench.core.data.options import WriteOptions
    from ppworkbench.core.design.shuffle import shuffled
    from ppworkbench.core.rng import SecureStreams, SeededStreams
    from ppworkbench.study.deniable import role_remarks

    table = made.table.with_(notes=(), source="")
    if args.seed is None if args.shuffle is None else args.shuffle:
        streams = SecureStreams() if args.seed is None else SeededStreams(args.seed)
        table = shuffled(table, streams.stream("shuffle", "rows"))
    options = WriteOptions(escape_formulas=args.escape_formulas)
    remarks = () if check is None else role_remarks(check)
    sampling = None if check is None else check.released.sampling
    notes = write_table(table, args.out, options, progress, remarks=remarks, sampling=sampling)
    if args.tree:
        _write_tree(made.tree, args.tree)
    return notes


def _check_documents(args: argparse.Namespace) -> None:
    """Refuse to write descriptions over files that may be somebody's, unless that is wanted."""
    from ppworkbench.core.files import is_same_file
    from ppworkbench.study.handover import document_names

    out = Path(args.out)
    for path in (out.with_name(name) for name in document_names(out.stem)):
        if is_same_file(path, Path(args.data)) or (path.exists() and not args.force):
            raise DataError(
                f"{path} exists; choose another folder, or replace it with --force.", file=path
            )


def _describe(made: Publication, args: argparse.Namespace) -> list[str]:
    """Write the descriptions of the table into its folder, and return their names."""
    from ppworkbench.core.data.files import read_table
    from ppworkbench.core.design import Design
    from ppworkbench.core.publish.options import DeniabilityOptions
    from ppworkbench.study.deniable import DenialPlan, method_sentences
    from ppworkbench.study.handover import Delivery, write_documents
    from ppworkbench.study.report import today
    from ppworkbench.study.state import AnswerState

    out = Path(args.out)
    plan = DenialPlan(args.sensitive, given_options(args, DeniabilityOptions))
    table = read_table(out)
    delivery = Delivery(
        out.stem,
        table,
        Design(()),
        AnswerState.TRUE,
        out.name,
        date=today(),
        method=method_sentences(made.tree, plan),
        escaped=args.escape_formulas,
    )
    return [file.name for file in write_documents(delivery, out.parent, [out.name])]


def _write_tree(tree: DeniabilityTree, path: str) -> None:
    import json

    from ppworkbench.core.files import write_text

    write_text(Path(path), json.dumps(tree.to_json(), ensure_ascii=False, indent=1) + "\n")


def _text(
    made: Publication,
    predicted: float | None,
    args: argparse.Namespace,
    notes: list[str],
    shown: Naming,
    points: Sequence[str],
) -> str:
    from ppworkbench.core.publish import largest_share

    tree = made.tree
    weakest = tree.minimum_deniability
    source = "secure randomness" if args.seed is None else "the seed"
    wrote = (
        f"Wrote {harmless(args.out)}: {made.table.rows:,} rows, {made.changed:,} answers to "
        f"{harmless(shown(args.sensitive))!r} changed, drawn from {source}."
    )
    most = 100 * largest_share(weakest, len(tree.outcomes))
    promise = (
        f"Groups: {len(tree.leaves):,}; smallest deniability {100 * weakest:.1f} %: in no "
        f"group do more than {most:.0f} in 100 people share an answer."
    )
    lines = [wrote, promise]
    if predicted is not None:
        lines.append(f"Predicted accuracy of a classifier: {100 * predicted:.1f} %.")
    listed = sorted(tree.leaves, key=lambda leaf: leaf.deniability)[:_LISTED]
    rows = [
        [_group(tree, leaf.place, shown), f"{leaf.size:,}", f"{100 * leaf.deniability:.1f} %"]
        for leaf in listed
    ]
    heads = ["group", "people", "deniability"]
    weakest_of = "" if len(listed) == len(tree.leaves) else f" (the weakest {_LISTED})"
    lines += ["", f"Groups{weakest_of}", aligned(heads, rows, right=heads[1:])]
    lines += ["", "Only this attribute is protected; the others can still identify people."]
    if points:
        lines += ["", "Columns with a sampling role", *points]
    return "\n".join([*lines, *note_lines(notes, shown)])


def _group(tree: DeniabilityTree, place: int, shown: Naming) -> str:
    path = tree.path(tree.nodes[place])
    return ", ".join(f"{shown(feature.name)}: {part}" for feature, part in path) or "everybody"
