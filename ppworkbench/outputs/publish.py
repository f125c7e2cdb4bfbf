"""Tables whose sensitive column everybody can deny, as a question about true answers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, ClassVar

from ppworkbench.analyses.planning.request import read_path
from ppworkbench.analyses.request import Request
from ppworkbench.analyses.source import TrueSource
from ppworkbench.core.data.attribute import FROM_DATA
from ppworkbench.core.data.files import read_table, write_table
from ppworkbench.core.data.inference.determined import determining_pairs
from ppworkbench.core.data.missing import apply_missing_policies
from ppworkbench.core.data.options import WriteOptions
from ppworkbench.core.data.sampling_roles import (
    LEAST_ROWS,
    MOST_LEAST_ROWS,
    Sampling,
    role_columns,
)
from ppworkbench.core.data.table import Table
from ppworkbench.core.design import Design
from ppworkbench.core.design.release import values_note
from ppworkbench.core.design.shuffle import shuffled
from ppworkbench.core.design.starting import EPSILON_EACH
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.files import check_target, write_text
from ppworkbench.core.message import Message
from ppworkbench.core.params import Info, Option, Part, Read, Within
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.publish import DeniabilityOptions, Publication, largest_share
from ppworkbench.core.rng import SecureStreams, SeededStreams
from ppworkbench.core.sampling.release import RoleTreatment
from ppworkbench.outputs.accuracy_curve import Sensitive, SplitOn
from ppworkbench.outputs.bundle import refuse_unconfirmed
from ppworkbench.outputs.deniable import (
    DenialPlan,
    about_names,
    deniable_points,
    method_sentences,
    naming_columns,
    publish_checked,
    role_remarks,
)
from ppworkbench.outputs.handover.checklist import about_releases
from ppworkbench.outputs.handover.delivery import Delivery
from ppworkbench.outputs.handover.write import document_names, write_documents
from ppworkbench.outputs.publication import predict_accuracy
from ppworkbench.outputs.report import today
from ppworkbench.outputs.role_release import RoleCheck
from ppworkbench.results.picture import MOST_LINES, Axis, Picture, lengths
from ppworkbench.results.result import Result
from ppworkbench.results.sheet import Column, Kind, Sheet
from ppworkbench.results.text import TRUE, Naming, harmless, naming
from ppworkbench.study.answer_state import AnswerState
from ppworkbench.study.release import Point
from ppworkbench.study.study import Study


@dataclass(frozen=True, eq=False, repr=False)
class PublishResult(Result):
    """What was written: ``made`` has the table and the groups, ``asked`` where they went.

    Parameters
    ----------
    points
        The checklist of a release, as it is and with what people call the attributes.
    """

    made: Publication
    asked: Publish
    seed: int | None
    predicted: float | None
    remarks: tuple[str, ...]
    documents: tuple[str, ...] | None
    points: tuple[tuple[Point, str], ...]
    shown: Naming
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
        groups = zip(*(one.values for one in self._groups().columns), strict=True)
        document: dict[str, Any] = {
            "leaves": len(self.made.tree.leaves), "minimum_deniability": self.deniability,
            "predicted_accuracy": self.predicted, "changed": self.made.changed,
            "rows": self.made.table.rows, "file": self.asked.out or "",
            "secure": self.seed is None, "notes": list(self.remarks),
            "checklist": [
                {"good": one.good, "sentence": one.sentence, "detail": one.detail}
                for one, _ in self.points
            ],
            "groups": [
                {"group": name, "people": people, "deniability": part}
                for name, people, part in groups
            ],
        }  # fmt: skip
        return document if self.documents is None else document | {"documents": self.documents}

    def sentence(self) -> str:
        return Message(
            "{target}: {rows:,} rows, {changed:,} answers to {attribute!r} changed, drawn from "
            "{source}.",
            target=f"Wrote {self.asked.out}" if self.asked.out else "Trial",
            rows=self.made.table.rows, changed=self.made.changed, attribute=self.asked.sensitive,
            source="secure randomness" if self.seed is None else "the seed",
        )  # fmt: skip

    def _groups(self) -> Sheet:
        tree = self.made.tree
        leaves = sorted(tree.leaves, key=lambda leaf: leaf.deniability)
        paths = (tree.path(tree.nodes[leaf.place]) for leaf in leaves)
        names = [
            ", ".join(f"{self.shown(feature.name)}: {part}" for feature, part in path)
            or "everybody"
            for path in paths
        ]
        shares = [leaf.deniability for leaf in leaves]
        columns = (
            Column("group", Message("group"), Kind.TEXT, names),
            Column("people", Message("people"), Kind.COUNT, [leaf.size for leaf in leaves]),
            Column("deniability", Message("deniability"), Kind.SHARE, shares),
        )
        return Sheet("groups", Publish.label, columns)

    def sheets(self) -> tuple[Sheet, ...]:
        # A trial is drawn from a seed, the release that it is a trial of is not.
        head = (
            Message("Before release")
            if self.asked.out
            else Message("Checklist of a release without a seed")
        )
        lines = [line for _, line in self.points]
        told = Column("point", head, Kind.TEXT, lines)
        return (self._groups(), Sheet("checklist", head, (told,), listed=range(len(lines))))

    def readings(self) -> tuple[str, ...]:
        tree = self.made.tree
        promise = Message(
            "Groups: {groups:,}; smallest deniability {least:.1f} %: in no group do more than "
            "{most:.0f} in 100 people share an answer.",
            groups=len(tree.leaves), least=100 * self.deniability,
            most=100 * largest_share(self.deniability, len(tree.outcomes)),
        )  # fmt: skip
        others = Message("Only this attribute is protected; the others can still identify people.")
        if self.predicted is None:
            return (promise, others)
        predicted = Message(
            "Predicted accuracy of a classifier: {share:.1f} %.", share=100 * self.predicted
        )
        return (promise, predicted, others)

    def pictures(self) -> tuple[Picture, ...]:
        groups = self._groups()
        labels = [harmless(one) for one in groups["group"].values[:MOST_LINES]]
        values = [float(one) for one in groups["deniability"].values[:MOST_LINES]]
        axis, title = Axis(Message("deniability")), Message("Deniability of the groups")
        return (lengths("groups", title, axis, labels, values),)


_File = Read(read_path, annotation="StudyPath")


def _columns(label: str, says: str, group: str = "columns") -> tuple[Option, Info]:
    return Option(metavar="NAME", is_repeated=True, group=group), Info(label, says)


_ROLES = "columns with a sampling role (weight, stratum, …)"


@dataclass(frozen=True, kw_only=True)
class Publish(Request):
    """Write a table with a deniable sensitive column.

    Similar people form groups in which no answer is too frequent, and within each the answers are
    exchanged. Without a file nothing is written, and the checklist is that of a release.

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

    name: ClassVar[str] = "publish"
    label: ClassVar[Message] = Message("Table with a deniable column")
    leading: ClassVar[tuple[str, ...]] = ("sensitive", "out")
    asked_of: ClassVar[tuple[str, ...]] = ("data",)
    of_true: ClassVar[bool] = True
    unused: ClassVar[tuple[str, ...]] = ("sampling", "original", "engine")
    finds: ClassVar[type[Result]] = PublishResult

    sensitive: Sensitive
    out: Annotated[
        str | None, _File,
        Option(metavar="FILE", is_required=True, is_table=True, help="output file"),
        Info("File", "output file, which is replaced if it exists; its extension is the format"),
    ] = None  # fmt: skip
    split_on: SplitOn = ()
    tree: Annotated[
        str | None, _File, Option(metavar="FILE", is_output=True),
        Info("Groups", "write the groups as JSON as well"),
    ] = None  # fmt: skip
    folds: Annotated[
        int, Within(2, 100), Info("Folds", "folds of the predicted accuracy of a classifier")
    ] = 10
    shuffle: Annotated[
        bool | None,
        Info("Shuffle", "shuffle the rows (default: yes for a release, no with a seed)"),
    ] = None
    escape_formulas: Annotated[
        bool, Info("Escape formulas", "escape cells that a spreadsheet would execute")
    ] = True
    documents: Annotated[
        bool,
        Info("Documents", "write a DDI file, datapackage.json and FOR-ANALYSTS.txt beside the "
             "table"),
    ] = False  # fmt: skip
    leave_out: Annotated[
        tuple[str, ...], *_columns("Leave out", "column not to be released, may be repeated")
    ] = ()
    keep: Annotated[
        tuple[str, ...],
        *_columns(
            "Keep", "column to release although it looks like an identifier, name or free text"
        ),
    ] = ()
    coarsen: Annotated[
        tuple[str, ...], *_columns("Coarsen", "column to coarsen, may be repeated", _ROLES)
    ] = ()
    confirm: Annotated[
        tuple[str, ...],
        *_columns(
            "Confirm", "attribute to release although a weight or stratum gives it away", _ROLES
        ),
    ] = ()
    least_rows: Annotated[
        int, Within(2, MOST_LEAST_ROWS), Option(group=_ROLES),
        Info("Least rows", "rows that share a coarsened weight or stratum"),
    ] = LEAST_ROWS  # fmt: skip
    groups: Annotated[
        DeniabilityOptions, Part("groups", is_open=True), Info("Groups", "how groups are made")
    ] = field(default_factory=DeniabilityOptions)

    def __post_init__(self) -> None:
        """Refuse what goes with a file without one."""
        super().__post_init__()
        if self.out is None and (self.documents or self.tree is not None):
            raise ParameterError(
                "Groups and documents go with a table; give the file to write.", field="out"
            )

    def beside(self) -> tuple[Path, ...]:
        target = Path(self.out or "")
        names = document_names(target.stem) if self.documents else ()
        return tuple(target.with_name(name) for name in names)

    def run(self, source: TrueSource, progress: Progress = silent) -> PublishResult:
        for one in (self.out, self.tree, *self.beside()):
            if one is not None:
                check_target(one)
        seed, sampling = source.seed, source.sampling
        whole = source.table(part(progress, 0.0, 0.1))
        table, named = self._wanted(whole, sampling)
        title = "" if source.path is None else source.path.stem
        study = Study.of_table(table, title, EPSILON_EACH)
        if sampling is not None:
            study = study.with_sampling(sampling)
        elif self.coarsen:
            raise ParameterError(
                "No column of this file has a sampling role to be coarsened.", field="coarsen"
            )
        dropped = tuple(name for name in self.leave_out if name in table)
        coarsened = tuple(name for name in self.coarsen if name not in dropped)
        gone = {*coarsened, *self.leave_out, *named}
        features = self.split_on or tuple(name for name in table.names if name != self.sensitive)
        features = tuple(name for name in features if name not in gone)
        plan, treatment = self._plan, RoleTreatment(coarsened, dropped, self.least_rows)
        streams = None if seed is None else SeededStreams(seed)
        made, check = publish_checked(
            study, plan, features, treatment, streams, part(progress, 0.1, 0.3)
        )
        refuse_unconfirmed(() if check is None else check.gives_away, self.confirm)
        predicted = predict_accuracy(
            apply_missing_policies(table).table, self.sensitive, self.groups, features=features,
            folds=self.folds, progress=part(progress, 0.3, 0.8),
        )  # fmt: skip
        notes = self.write(made, check, seed, part(progress, 0.8, 0.95)) if self.out else ()
        points = deniable_points(
            made.tree, made.table, plan, secure=seed is None or not self.out,
            shuffled=self._is_shuffled(seed) or not self.out,
        )  # fmt: skip
        points = (
            *points, *about_names(named), *(() if check is None else check.points(study)),
            *about_releases(study, None),
        )  # fmt: skip
        return PublishResult(
            made, self, seed, predicted,
            (*made.notes, *notes, *self._remarks(study, treatment, made, named)),
            self._describe(made) if self.documents else None,
            tuple((one, one.titled(study).line()) for one in points), naming(table.attributes),
        )  # fmt: skip

    @property
    def _plan(self) -> DenialPlan:
        return DenialPlan(self.sensitive, self.groups)

    def _is_shuffled(self, seed: int | None) -> bool:
        return seed is None if self.shuffle is None else self.shuffle

    def _wanted(self, table: Table, sampling: Sampling | None) -> tuple[Table, tuple[str, ...]]:
        """The table without columns that nobody wants, and which of these may name people.

        Columns of the sampling stay: what is left of it follows from them.
        """
        for name in (*self.leave_out, *self.keep):
            table[name]
        if self.sensitive in self.leave_out:
            raise ParameterError(
                "The protected attribute cannot be left out; choose another.", field="leave_out"
            )
        names = naming_columns(table, self.sensitive, sampling)
        named = tuple(name for name in names if name not in self.keep)
        gone = {*named, *self.leave_out} - {*role_columns(sampling)}
        return table.select(name for name in table.names if name not in gone), named

    def _remarks(
        self, study: Study, treatment: RoleTreatment, made: Publication, named: tuple[str, ...]
    ) -> Iterator[Message]:
        """What tells who people are, or their sensitive answers besides their column."""
        assert study.original is not None  # noqa: S101 (it was made of a table)
        treated = (*treatment.coarsened, *treatment.dropped)
        roles = [name for name in study.design.roles if name in made.table and name not in treated]
        if roles:
            yield Message(
                "Columns of the sampling are released unchanged and can identify people: "
                "{attributes}. Coarsen them or leave them out.",
                attributes=tuple(roles),
            )
        if study.original[self.sensitive].attribute.domain_source == FROM_DATA:
            yield values_note([self.sensitive])
        for pair in determining_pairs(study.original, made.table.names):
            if pair.determined == self.sensitive:
                yield Message(
                    "{attribute} is released without randomising and tells {other_attribute}: "
                    "leave it out, or nothing can be denied.",
                    attribute=pair.determining, other_attribute=self.sensitive,
                )  # fmt: skip
        if named:
            yield Message(
                "Not released, because they look like identifiers, names or free text: "
                "{attributes}. Keep a column by its name to release it.",
                attributes=named,
            )

    def write(
        self,
        made: Publication,
        check: RoleCheck | None,
        seed: int | None,
        progress: Progress = silent,
    ) -> tuple[str, ...]:
        """Write the table and, if wanted, its groups; what is to be said about the file."""
        table = made.table.with_(notes=(), source="")
        if self._is_shuffled(seed):
            streams = SecureStreams() if seed is None else SeededStreams(seed)
            table = shuffled(table, streams.stream("shuffle", "rows"))
        options = WriteOptions(escape_formulas=self.escape_formulas)
        notes = write_table(
            table, self.out or "", options, progress,
            remarks=() if check is None else role_remarks(check),
            sampling=None if check is None else check.released.sampling,
        )  # fmt: skip
        if self.tree:
            groups = json.dumps(made.tree.to_json(), ensure_ascii=False, indent=1)
            # It tells how many of a group gave which true answer.
            write_text(Path(self.tree), f"{groups}\n", private=True)
        return tuple(notes)

    def _describe(self, made: Publication) -> tuple[str, ...]:
        out = Path(self.out or "")
        delivery = Delivery(
            out.stem, read_table(out), Design(()), AnswerState.TRUE, out.name, date=today(),
            method=method_sentences(made.tree, self._plan), escaped=self.escape_formulas,
            as_answered=tuple(name for name in made.table.names if name != self.sensitive),
        )  # fmt: skip
        return tuple(file.name for file in write_documents(delivery, out.parent, [out.name]))


QUESTION = Publish
