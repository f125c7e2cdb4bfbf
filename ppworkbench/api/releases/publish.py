"""Tables whose sensitive column everybody can deny, and the accuracy that they leave."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ppworkbench.analyses.arguments import check_arguments
from ppworkbench.analyses.inputs import AnswerSource, Data, given_options, refuse_reported, settings
from ppworkbench.core.data.attribute import FROM_DATA
from ppworkbench.core.data.options import ReadOptions, WriteOptions
from ppworkbench.core.data.sampling_roles import LEAST_ROWS
from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.publish.accuracy_curve import CurveOptions
from ppworkbench.core.publish.options import DeniabilityOptions
from ppworkbench.results.picture import (
    MOST_LINES,
    Axis,
    Mark,
    Picture,
    Role,
    Shape,
    lengths,
)
from ppworkbench.results.result import Result
from ppworkbench.results.text import TRUE, Naming, aligned, harmless, naming, note_lines

if TYPE_CHECKING:
    import pandas as pd

    from ppworkbench.core.data.sampling_roles import Sampling
    from ppworkbench.core.data.table import Table
    from ppworkbench.core.publish import AccuracyTally, DeniabilityTree, Publication
    from ppworkbench.core.sampling.release import RoleTreatment
    from ppworkbench.outputs.role_release import RoleCheck
    from ppworkbench.study.study import Study

__all__ = ["CurveOptions", "DeniabilityOptions", "accuracy_curve", "describing_files", "publish"]

_LISTED = 12


@dataclass(frozen=True)
class Output:
    """Where a deniable table goes, and how it is written; nowhere without a file."""

    file: str
    tree: str = ""
    seed: int | None = None
    shuffle: bool | None = None
    escape_formulas: bool = True

    @property
    def is_shuffled(self) -> bool:
        """Whether rows are shuffled; they are unless a seed is given."""
        return self.seed is None if self.shuffle is None else self.shuffle


@check_arguments
def publish(  # noqa: PLR0913 (keywords with defaults)
    data: Data,
    sensitive: str,
    out: str | os.PathLike[str] | None = None,
    *,
    split_on: Sequence[str] | None = None,
    tree: str | os.PathLike[str] | None = None,
    folds: int = 10,
    seed: int | None = None,
    shuffle: bool | None = None,
    escape_formulas: bool = True,
    documents: bool = False,
    coarsen: Sequence[str] = (),
    leave_out: Sequence[str] = (),
    keep: Sequence[str] = (),
    confirm: Sequence[str] = (),
    least_rows: int = LEAST_ROWS,
    reading: ReadOptions | Mapping[str, Any] | None = None,
    progress: Progress = silent,
    **groups: Any,
) -> PublishResult:
    """Write a table with a deniable sensitive column.

    Similar people form groups in which no answer is too frequent, and within each the answers are
    exchanged.

    Parameters
    ----------
    data
        True answers: a frame, a table of :func:`read`, or the path of a file.
    sensitive
        The attribute whose answers are protected.
    out
        The file to write, which is replaced if it exists; its extension is the format. Without it
        nothing is written, and the checklist is that of a release.
    split_on
        The attributes to split groups by; all others if not given.
    tree
        A file for the groups as JSON.
    folds
        Folds of the predicted accuracy of a classifier.
    seed, shuffle, escape_formulas
        As for :func:`release`.
    documents
        Whether a DDI file, ``datapackage.json`` and ``FOR-ANALYSTS.txt`` are written beside the
        table.
    coarsen, confirm, least_rows
        Columns with a sampling role that are coarsened, so that at least ``least_rows`` people
        share a value; attributes to release although such a column gives them away.
    leave_out, keep
        Columns that are not released; those that look like identifiers, names or free text are
        released only if they are kept by name.
    reading, progress
        As for :class:`Survey`.
    **groups
        How groups are made: the options of the command ``publish``, such as ``deniability``.

    Examples
    --------
    >>> import tempfile
    >>> import ppworkbench as pp
    >>> city = pp.sample("city-survey", rows=400, seed=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = pp.publish(city, "fare_evasion", f"{folder}/city.csv", seed=1, folds=3)
    >>> found.table.rows, bool(found.deniability > 0)
    (400, True)
    """
    from ppworkbench.outputs.deniable import DenialPlan, about_names, deniable_points

    how = given_options(ReadOptions, reading)
    options = settings(DeniabilityOptions, groups)
    source = AnswerSource(data, how)
    output = Output(
        "" if out is None else os.fspath(out), "" if tree is None else os.fspath(tree), seed,
        shuffle, escape_formulas,
    )  # fmt: skip
    if out is None and (documents or tree is not None):
        raise ParameterError(
            "Groups and documents go with a table; give the file to write.", field="out"
        )
    if documents:
        _spare_input(source.path, output.file)
    refuse_reported(source.path)
    table = source.whole(progress=part(progress, 0.0, 0.1))
    sampling = _sampling(source.path)
    table, named = _without_columns(table, sensitive, sampling, leave_out, keep)
    dropped = [name for name in leave_out if name in table]
    study, treatment = _roles(source.path, table, sensitive, coarsen, dropped, least_rows)
    gone = {*treatment.coarsened, *treatment.dropped, *leave_out, *named}
    features = tuple(split_on or (n for n in table.names if n != sensitive))
    features = tuple(name for name in features if name not in gone)
    made, predicted = _published(
        table, sensitive, options, features, folds, seed, part(progress, 0.1, 0.7)
    )
    check = _checked(study, made, treatment, tuple(confirm), part(progress, 0.7, 0.8))
    if check is not None:
        made = dataclasses.replace(made, table=check.released.apply(made.table))
    notes: tuple[str, ...] = ()
    if output.file:
        notes = write_publication(made, check, output, part(progress, 0.8, 0.95))
    described = _describe(made, sensitive, options, output) if documents else None
    is_release = not output.file
    points = deniable_points(
        made.tree, made.table, DenialPlan(sensitive, options),
        secure=is_release or seed is None, shuffled=is_release or output.is_shuffled,
    )  # fmt: skip
    points = (*points, *about_names(named))
    points = points if check is None else (*points, *check.points(study))
    return PublishResult(
        made, sensitive, predicted, output,
        (
            *made.notes, *notes, *_role_notes(study, treatment, made),
            *_sensitive_notes(table, sensitive, made), *_naming_notes(named),
        ), described,
        tuple({"good": p.good, "sentence": p.sentence, "detail": p.detail} for p in points),
        tuple(harmless(point.titled(study).line()) for point in points),
        naming(table.attributes),
    )  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class PublishResult(Result):
    """What was written: ``made`` has the table and the groups, ``output`` where they went."""

    made: Publication
    sensitive: str
    predicted: float | None
    output: Output
    notes: tuple[str, ...]
    documents: tuple[str, ...] | None
    checklist: tuple[Mapping[str, Any], ...]
    _points: tuple[str, ...]
    _shown: Naming
    state = TRUE

    @property
    def table(self) -> Table:
        """The table as it was published, before its rows were shuffled."""
        return self.made.table

    @property
    def deniability(self) -> float:
        """The smallest deniability of a group, between 0 and 1."""
        return self.made.tree.minimum_deniability

    def _document(self) -> Mapping[str, Any]:
        document: dict[str, Any] = {
            "leaves": len(self.made.tree.leaves),
            "minimum_deniability": self.deniability,
            "predicted_accuracy": self.predicted,
            "changed": self.made.changed,
            "rows": self.made.table.rows,
            "file": self.output.file,
            "secure": self.output.seed is None,
            "notes": list(self.notes),
            "checklist": list(self.checklist),
        }
        if self.documents is not None:
            document["documents"] = list(self.documents)
        return document

    def summary(self) -> str:
        """What was written, as the command line prints it."""
        from ppworkbench.core.publish import largest_share

        made, tree, shown = self.made, self.made.tree, self._shown
        source = "secure randomness" if self.output.seed is None else "the seed"
        most = 100 * largest_share(self.deniability, len(tree.outcomes))
        wrote = harmless(f"Wrote {self.output.file}" if self.output.file else "Trial")
        wrote = (
            f"{wrote}: {made.table.rows:,} rows, {made.changed:,} "
            f"answers to {harmless(shown(self.sensitive))!r} changed, drawn from {source}."
        )
        promise = (
            f"Groups: {len(tree.leaves):,}; smallest deniability {100 * self.deniability:.1f} %: "
            f"in no group do more than {most:.0f} in 100 people share an answer."
        )
        lines = [wrote, promise]
        if self.predicted is not None:
            lines.append(f"Predicted accuracy of a classifier: {100 * self.predicted:.1f} %.")
        listed = self._groups()[:_LISTED]
        rows = [[name, f"{people:,}", f"{100 * part:.1f} %"] for name, people, part in listed]
        heads = ["group", "people", "deniability"]
        weakest_of = "" if len(listed) == len(tree.leaves) else f" (the weakest {_LISTED})"
        lines += ["", f"Groups{weakest_of}", aligned(heads, rows, right=heads[1:])]
        lines += ["", "Only this attribute is protected; the others can still identify people."]
        # A trial is drawn from a seed, the release that it is a trial of is not.
        heading = "Before release" if self.output.file else "Checklist of a release without a seed"
        lines += ["", heading, *self._points]
        return "\n".join([*lines, *note_lines(self.notes, shown)])

    def to_frame(self) -> pd.DataFrame:
        """One row per group, the weakest first."""
        import pandas as pd

        return pd.DataFrame(self._groups(), columns=["group", "people", "deniability"])

    def pictures(self) -> tuple[Picture, ...]:
        """The weakest groups."""
        weakest = self._groups()[:MOST_LINES]
        axis, values = Axis(Message("deniability")), [one for _, _, one in weakest]
        labels = [harmless(name) for name, _, _ in weakest]
        return (lengths("groups", Message("Deniability of the groups"), axis, labels, values),)

    def _groups(self) -> list[tuple[str, int, float]]:
        tree = self.made.tree
        weakest_first = sorted(tree.leaves, key=lambda leaf: leaf.deniability)
        return [
            (_group(tree, leaf.place, self._shown), leaf.size, leaf.deniability)
            for leaf in weakest_first
        ]


def _group(tree: DeniabilityTree, place: int, shown: Naming) -> str:
    path = tree.path(tree.nodes[place])
    return ", ".join(f"{shown(feature.name)}: {part}" for feature, part in path) or "everybody"


def _sampling(path: Path | None) -> Sampling | None:
    """The roles that the codebook of a file knows."""
    from ppworkbench.core.data.files import codebook_of

    codebook = None if path is None else codebook_of(path)
    return None if codebook is None else codebook.sampling


def _without_columns(
    table: Table,
    sensitive: str,
    sampling: Sampling | None,
    leave_out: Sequence[str],
    keep: Sequence[str],
) -> tuple[Table, tuple[str, ...]]:
    """The table without columns that nobody wants, and which of these may name people.

    Columns of the sampling stay: what is left of it follows from them.
    """
    from ppworkbench.core.data.sampling_roles import role_columns
    from ppworkbench.outputs.deniable import naming_columns

    for name in (*leave_out, *keep):
        table[name]
    if sensitive in leave_out:
        raise ParameterError(
            "The protected attribute cannot be left out; choose another.", field="leave_out"
        )
    roles = role_columns(sampling)
    names = naming_columns(table, sensitive, sampling)
    named = tuple(name for name in names if name not in keep)
    gone = {*named, *(name for name in leave_out if name not in roles)}
    return table.select(name for name in table.names if name not in gone), named


def _roles(
    path: Path | None,
    table: Table,
    sensitive: str,
    coarsen: Sequence[str],
    leave_out: Sequence[str],
    least_rows: int,
) -> tuple[Study, RoleTreatment]:
    """The table as a study with the roles of its codebook, and what becomes of them."""
    from ppworkbench.core.sampling.release import RoleTreatment
    from ppworkbench.outputs.deniable import refuse_role
    from ppworkbench.study.study import Study

    sampling = _sampling(path)
    if sampling is None and coarsen:
        raise ParameterError(
            "No column of this file has a sampling role to be coarsened.", field="coarsen"
        )
    refuse_role(sampling, sensitive)
    study = Study.of_table(table, "" if path is None else path.stem)
    if sampling is not None:
        study = study.with_sampling(sampling)
    dropped = tuple(leave_out)
    coarsened = tuple(name for name in coarsen if name not in dropped)
    return study, RoleTreatment(coarsened, dropped, least_rows)


def _published(
    table: Table,
    sensitive: str,
    options: DeniabilityOptions,
    features: tuple[str, ...],
    folds: int,
    seed: int | None,
    progress: Progress,
) -> tuple[Publication, float | None]:
    from ppworkbench.core.data.missing import apply_missing_policies
    from ppworkbench.core.publish import publish as publish_table
    from ppworkbench.core.rng import SecureStreams, SeededStreams
    from ppworkbench.outputs.publication import predict_accuracy

    streams = SecureStreams() if seed is None else SeededStreams(seed)
    making = part(progress, 0.0, 0.2)
    made = publish_table(
        table, sensitive, options, features=features, streams=streams, progress=making
    )
    predicted = predict_accuracy(
        apply_missing_policies(table).table,
        sensitive,
        options,
        features=features,
        folds=folds,
        progress=part(progress, 0.2, 1.0),
    )
    return made, predicted


def _checked(
    study: Study,
    made: Publication,
    treatment: RoleTreatment,
    confirmed: tuple[str, ...],
    progress: Progress,
) -> RoleCheck | None:
    """What the role columns tell; refused where they give the sensitive answers away."""
    from ppworkbench.core.data.missing import apply_missing_policies
    from ppworkbench.outputs.bundle import refuse_unconfirmed
    from ppworkbench.outputs.role_release import check_denied_roles

    assert study.original is not None  # noqa: S101 (it was made of a table)
    prepared = apply_missing_policies(study.original).table
    check = check_denied_roles(study, prepared, made, treatment, progress)
    refuse_unconfirmed(() if check is None else check.gives_away, confirmed)
    return check


def _sensitive_notes(table: Table, name: str, made: Publication) -> Iterator[Message]:
    """What tells the sensitive answers besides their column: its list, and other columns."""
    from ppworkbench.core.data.inference.determined import determining_pairs
    from ppworkbench.core.design.release import values_note

    if table[name].attribute.domain_source == FROM_DATA:
        yield values_note([name])
    for pair in determining_pairs(table, made.table.names):
        if pair.determined == name:
            yield Message(
                "{attribute} is released without randomising and tells {other_attribute}: leave it "
                "out, or nothing can be denied.",
                attribute=pair.determining,
                other_attribute=name,
            )


def _naming_notes(named: tuple[str, ...]) -> Iterator[Message]:
    if named:
        yield Message(
            "Not released, because they look like identifiers, names or free text: {attributes}. "
            "Keep a column by its name to release it.",
            attributes=named,
        )


def _role_notes(study: Study, treatment: RoleTreatment, made: Publication) -> tuple[str, ...]:
    """A warning where columns that tell how people were drawn are published as they are."""
    roles = study.design.roles
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


def write_publication(
    made: Publication, check: RoleCheck | None, output: Output, progress: Progress = silent
) -> tuple[str, ...]:
    """Write the table and, if wanted, its groups; what is to be said about the file."""
    import json

    from ppworkbench.core.data.files import write_table
    from ppworkbench.core.design.shuffle import shuffled
    from ppworkbench.core.files import write_text
    from ppworkbench.core.rng import SecureStreams, SeededStreams
    from ppworkbench.outputs.deniable import role_remarks

    table = made.table.with_(notes=(), source="")
    if output.is_shuffled:
        streams = SecureStreams() if output.seed is None else SeededStreams(output.seed)
        table = shuffled(table, streams.stream("shuffle", "rows"))
    options = WriteOptions(escape_formulas=output.escape_formulas)
    remarks = () if check is None else role_remarks(check)
    sampling = None if check is None else check.released.sampling
    notes = write_table(table, output.file, options, progress, remarks=remarks, sampling=sampling)
    if output.tree:
        groups = json.dumps(made.tree.to_json(), ensure_ascii=False, indent=1)
        # It tells how many of a group gave which true answer.
        write_text(Path(output.tree), f"{groups}\n", private=True)
    return tuple(notes)


def describing_files(out: str | os.PathLike[str]) -> tuple[Path, ...]:
    """The descriptions that are written beside a table."""
    from ppworkbench.outputs.handover import document_names

    target = Path(out)
    return tuple(target.with_name(name) for name in document_names(target.stem))


def _spare_input(path: Path | None, out: str) -> None:
    """Refuse to write a description over the true answers."""
    from ppworkbench.core.files import is_same_file

    for one in describing_files(out):
        if path is not None and is_same_file(one, path):
            raise DataError(f"{one} holds the true answers; choose another folder.", file=one)


def _describe(
    made: Publication, sensitive: str, options: DeniabilityOptions, output: Output
) -> tuple[str, ...]:
    """Write the descriptions of the table into its folder, and return their names."""
    from ppworkbench.core.data.files import read_table
    from ppworkbench.core.design import Design
    from ppworkbench.outputs.deniable import DenialPlan, method_sentences
    from ppworkbench.outputs.handover import Delivery, write_documents
    from ppworkbench.outputs.report import today
    from ppworkbench.study.answer_state import AnswerState

    out = Path(output.file)
    delivery = Delivery(
        out.stem,
        read_table(out),
        Design(()),
        AnswerState.TRUE,
        out.name,
        date=today(),
        method=method_sentences(made.tree, DenialPlan(sensitive, options)),
        escaped=output.escape_formulas,
    )
    return tuple(file.name for file in write_documents(delivery, out.parent, [out.name]))


@check_arguments
def accuracy_curve(  # noqa: PLR0913 (keywords with defaults)
    data: Data,
    sensitive: str,
    *,
    minimums: Sequence[float] | None = None,
    split_on: Sequence[str] | None = None,
    learners: Sequence[str] | None = None,
    folds: int = 10,
    most_people: int = 20_000,
    seed: int = 0,
    reading: ReadOptions | Mapping[str, Any] | None = None,
    progress: Progress = silent,
    **groups: Any,
) -> AccuracyResult:
    """Measure what classifiers still learn from deniable tables, against the deniability.

    In every fold the table of the other people is published at each minimum, classifiers learn
    from it and are tested on the true answers of the fold.

    Parameters
    ----------
    data
        True answers: a frame, a table of :func:`read`, or the path of a file.
    sensitive
        The attribute whose answers are protected, and that classifiers predict.
    minimums
        Minimum deniabilities from 0 to 1; those of the command if not given. What the table cannot
        reach is left out.
    split_on
        The attributes to split groups by, and to learn from; all others if not given.
    learners
        ``tree``, ``forest`` and ``neighbours``; all if not given.
    folds, most_people
        Parts that are tested in turn, and how many people are drawn from a longer table.
    seed
        Of the folds, of what is published and of what learns.
    reading, progress
        As for :class:`Survey`.
    **groups
        How groups are made: the options of the command ``publish`` but for the minimum.

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
    from ppworkbench.core.data.missing import apply_missing_policies
    from ppworkbench.core.publish import AccuracyTally, Sample, measure_accuracy

    if "min_deniability" in groups:
        raise ParameterError(
            "The curve has many minimums; give minimums in place of min_deniability.",
            field="minimums",
        )
    how = given_options(ReadOptions, reading)
    options = settings(DeniabilityOptions, groups)
    asked = {"minimums": minimums, "learners": learners}
    given = {name: tuple(value) for name, value in asked.items() if value is not None}
    curve = settings(CurveOptions, {**given, "folds": folds, "most_people": most_people})
    source = AnswerSource(data, how)
    refuse_reported(source.path)
    table = source.whole(progress=part(progress, 0.0, 0.1))
    _roles(source.path, table, sensitive, (), (), LEAST_ROWS)
    features = tuple(split_on or (name for name in table.names if name != sensitive))
    tally = measure_accuracy(
        table, sensitive, options, AccuracyTally(curve), features=features, seed=seed,
        progress=part(progress, 0.1, 1.0),
    )  # fmt: skip
    sample = Sample.of(apply_missing_policies(table).table, sensitive, features)
    frequent = float(sample.counts.max() / sample.rows)
    return AccuracyResult(tally, sensitive, frequent, naming(table.attributes))


@dataclass(frozen=True, eq=False, repr=False)
class AccuracyResult(Result):
    """Accuracies over minimum deniabilities; ``frequent`` is the share of the commonest answer."""

    tally: AccuracyTally
    sensitive: str
    frequent: float
    _shown: Naming
    state = TRUE

    def _document(self) -> Mapping[str, Any]:
        return {
            "sensitive": self.sensitive, **self.tally.to_json(),
            "most_frequent": self.frequent, "reached": self.tally.reach,
            "left_out": self._left_out,
        }  # fmt: skip

    @property
    def _left_out(self) -> list[float]:
        """Minimums that the table does not reach."""
        return sorted(set(self.tally.options.minimums) - set(self.tally.minimums))

    @property
    def _names(self) -> tuple[str, ...]:
        from ppworkbench.core.publish.accuracy_curve import PREDICTED

        return (PREDICTED, *self.tally.options.learners)

    def _rows(self) -> list[tuple[str, float, float, float]]:
        """Curve, minimum, mean and standard deviation of every point."""
        rows = []
        for name in self._names:
            columns = (one.tolist() for one in self.tally.curve(name))
            rows += [(name, *point) for point in zip(*columns, strict=True)]
        return rows

    def summary(self) -> str:
        """The accuracies for people, as the command line prints them."""
        tally = self.tally
        said = (
            f"Accuracy of predicting {harmless(self._shown(self.sensitive))!r} from deniable "
            f"tables: {tally.people:,} people, {tally.options.folds} folds."
        )
        found = {(name, minimum): mean for name, minimum, mean, _ in self._rows()}
        heads = ["minimum deniability", *self._names]
        rows = [
            [f"{100 * m:g} %", *(_percent(found.get((name, m))) for name in self._names)]
            for m in tally.minimums
        ]
        means = {name: sum(values) / len(values) for name, values in tally.original.items()}
        rows.append(["true answers", *(_percent(means.get(name)) for name in self._names)])
        lines = [said, "", aligned(heads, rows, right=heads[1:]), ""]
        lines.append(f"The most frequent answer: {_percent(self.frequent)}.")
        if self._left_out:
            listed = ", ".join(f"{100 * one:g} %" for one in self._left_out)
            most = f"{100 * tally.reach:.1f} %"
            lines.append(f"Left out: {listed}; this table reaches at most {most}.")
        return "\n".join(lines)

    def to_frame(self) -> pd.DataFrame:
        """One row per curve and minimum: the mean accuracy and its standard deviation by fold."""
        import pandas as pd

        return pd.DataFrame(self._rows(), columns=["curve", "minimum", "mean", "sd"])

    def pictures(self) -> tuple[Picture, ...]:
        """A line per classifier and one for the prediction, over the most frequent answer."""
        import numpy as np

        marks = []
        for name in self._names:
            x, mean, spread = self.tally.curve(name)
            if len(x):
                called = Message("{title}", title=name)
                ends = mean - spread, mean + spread
                marks.append(Mark(Shape.LINE, Role.SERIES, called, x, mean, *ends))
        level = np.array([self.frequent])
        called = Message("most frequent answer")
        marks.append(Mark(Shape.RULE, Role.REFERENCE, called, level, level))
        title = Message("Accuracy on a table that can be denied")
        x_axis, y_axis = Axis(Message("minimum deniability")), Axis(Message("accuracy"))
        note = Message("Bars reach one standard deviation to both sides.")
        return (Picture("accuracy", title, x_axis, y_axis, tuple(marks), note),)


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f} %"
