"""Releasing a study's table with a column that can be denied, and what that protects."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from ppworkbench.core.data.missing import apply_missing_policies
from ppworkbench.core.data.sampling_roles import Sampling, role_columns
from ppworkbench.core.data.table import Table, list_attributes
from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.publish import SHUFFLE, DeniabilityOptions, DeniabilityTree, Node, publish
from ppworkbench.core.publish.making import Publication
from ppworkbench.core.rng import Streams
from ppworkbench.core.sampling.release import RoleTreatment
from ppworkbench.outputs.bundle import PublishedTable
from ppworkbench.outputs.role_release import RoleCheck, check_denied_roles
from ppworkbench.study.release import Point, Topic, about_draw, published_as_is
from ppworkbench.study.study import Study

IDENTIFICATION_WARNING = "Deniable is not anonymous. Other columns can still identify people."
EXCHANGED_WITHOUT_WEIGHTS = Message(
    "Answers were exchanged without regard to the weights, so weighted shares of the sensitive "
    "column are not those of the population."
)
_NAMED = 4


@dataclass(frozen=True)
class DenialPlan:
    """Which attribute is protected, how, and what groups may not be split on."""

    sensitive: str
    options: DeniabilityOptions = dataclasses.field(default_factory=DeniabilityOptions)
    excluded: frozenset[str] = frozenset()

    def features(self, table: Table) -> tuple[str, ...]:
        gone = {self.sensitive, *self.excluded}
        return tuple(name for name in table.names if name not in gone)

    def with_options(self, **changes: object) -> Self:
        options = dataclasses.replace(self.options, **changes)  # type: ignore[arg-type]
        return dataclasses.replace(self, options=options)

    def without(self, names: Iterable[str]) -> Self:
        """The same plan with groups that may not be split on these attributes either."""
        return dataclasses.replace(self, excluded=self.excluded | frozenset(names))

    def to_json(self) -> dict[str, Any]:
        return {
            "sensitive": self.sensitive,
            "excluded": sorted(self.excluded),
            "options": self.options.to_json(),
        }

    @classmethod
    def from_json(cls, given: object) -> Self | None:
        """The plan of JSON values; None for anything else."""
        if not isinstance(given, Mapping) or not isinstance(given.get("sensitive"), str):
            return None
        excluded, options = given.get("excluded"), given.get("options")
        if not isinstance(excluded, list) or not isinstance(options, Mapping):
            return None
        try:
            chosen = DeniabilityOptions.from_json(options)
        except (ParameterError, TypeError):
            return None
        return cls(given["sensitive"], chosen, frozenset(str(name) for name in excluded))


def deniable_table(
    study: Study,
    plan: DenialPlan,
    streams: Streams | None = None,
    progress: Progress = silent,
    *,
    treatment: RoleTreatment | None = None,
    leave_out: Iterable[str] = (),
) -> tuple[PublishedTable, Publication]:
    """The table to be released, with its checklist, and how it came about.

    Without streams the operating system's randomness is used. ``treatment`` says what becomes of
    columns with a sampling role; groups are not split on those that do not stay as they are.
    ``leave_out`` are other columns that are not released.

    Raises
    ------
    DataError
        When the study has no original answers, or the promise cannot be kept.
    """
    if study.original is None:
        raise DataError(
            "A deniable table needs original answers, which this study does not have; "
            "release the distorted table instead."
        )
    treatment = treatment or RoleTreatment()
    gone = set(leave_out) - set(treatment.dropped)
    plan = plan.without((*treatment.coarsened, *treatment.dropped, *gone))
    features = plan.features(study.original)
    made, check = publish_checked(study, plan, features, treatment, streams, progress)
    table = made.table.select(name for name in made.table.names if name not in gone)
    points = deniable_points(made.tree, table, plan, secure=streams is None, for_owner=False)
    method = method_sentences(made.tree, plan)
    bare = tuple(name for name in table.names if name != plan.sensitive)
    if check is None:
        return PublishedTable(table, points, method, as_answered=bare), made
    points = (*points, *check.without_answers().points(study))
    sampling, remarks = check.released.sampling, role_remarks(check)
    published = PublishedTable(table, points, method, sampling, remarks, check.gives_away, bare)
    return published, made


def publish_checked(
    study: Study,
    plan: DenialPlan,
    features: tuple[str, ...],
    treatment: RoleTreatment,
    streams: Streams | None,
    progress: Progress,
) -> tuple[Publication, RoleCheck | None]:
    """Publish the true answers of a study, and look at what columns with a sampling role tell."""
    assert study.original is not None  # noqa: S101 (seen by the callers)
    refuse_role(study.sampling, plan.sensitive)
    made = publish(
        study.original, plan.sensitive, plan.options, features=features, streams=streams,
        progress=part(progress, 0.0, 0.7),
    )  # fmt: skip
    prepared = apply_missing_policies(study.original).table
    check = check_denied_roles(study, prepared, made, treatment, part(progress, 0.7, 1.0))
    table = made.table if check is None else check.released.apply(made.table)
    return dataclasses.replace(made, table=table), check


def naming_columns(table: Table, sensitive: str, sampling: Sampling | None) -> tuple[str, ...]:
    """The columns that may name people; the protected one and those with a role are asked for."""
    wanted = {sensitive, *role_columns(sampling)}
    return tuple(c.name for c in table if c.attribute.may_name_people and c.name not in wanted)


def about_names(names: Sequence[str]) -> tuple[Point, ...]:
    if not names:
        return ()
    said = Message("{absent}: omitted", absent=list_attributes(names, _NAMED))
    detail = Message("identifiers, names and free text are released only if asked for")
    return (Point(None, said, detail),)


def role_remarks(check: RoleCheck) -> tuple[str, ...]:
    """What the codebook of a deniable table says about its role columns."""
    released = check.released
    if (released.sampling or Sampling()).weight is None:
        return released.remarks
    return (*released.remarks, EXCHANGED_WITHOUT_WEIGHTS)


def refuse_role(sampling: Sampling | None, sensitive: str) -> None:
    """Refuse to exchange the answers of a column that tells how people were drawn."""
    if sensitive in role_columns(sampling):
        raise DataError.saying(
            "{attribute!r} has a sampling role, so its answers cannot be exchanged; take the "
            "role away or choose another attribute.",
            attribute=sensitive,
        )


def deniable_points(
    tree: DeniabilityTree,
    table: Table,
    plan: DenialPlan,
    *,
    secure: bool = True,
    shuffled: bool = True,
    for_owner: bool = True,
) -> tuple[Point, ...]:
    """What a deniable table protects and what it does not.

    Which group is the weakest tells of its true answers: that is for their owner only.
    """
    least, whose = percentage(tree.minimum_deniability), _group_name(tree, tree.weakest)
    wanted = percentage(plan.options.min_deniability)
    if plan.options.min_deniability > 0:
        said = Message("Every group reaches {wanted} deniability", wanted=wanted)
        weakest = Message("weakest: {least}, {whose}", least=least, whose=whose)
        points = [Point(True, said, weakest if for_owner else "")]
    else:
        weakest = Message("weakest group: {least}, {whose}", least=least, whose=whose)
        said = Message("No minimum deniability is set")
        points = [Point(False, said, weakest if for_owner else "")]
    points += about_draw(secure=secure, shuffled=shuffled)
    others = [name for name in table.names if name != plan.sensitive]
    if others:
        detail = Message("only the sensitive column is protected")
        points.append(Point(False, published_as_is(others, _NAMED), detail))
    if plan.options.manner == SHUFFLE:
        detail = Message("someone who knows all other answers of a group knows the last one")
        points.append(Point(None, "The true counts of every group are kept", detail))
    smallest = min(leaf.size for leaf in tree.leaves)
    if smallest < 5:
        said = (
            Message("The smallest group has 1 person")
            if smallest == 1
            else Message("The smallest group has {smallest} people", smallest=smallest)
        )
        points.append(Point(False, said, "raise the minimum group size", topic=Topic.RARE))
    return tuple(points)


def method_sentences(tree: DeniabilityTree, plan: DenialPlan) -> tuple[str, ...]:
    """How the table was made, for a report and for whoever receives it."""
    if plan.options.manner == SHUFFLE:
        how = Message("within each group the true answers were shuffled")
    else:
        how = Message("each answer was drawn from the answers of its group")
    groups = (
        Message("1 group")
        if len(tree.leaves) == 1
        else Message("{count:,} groups", count=len(tree.leaves))
    )
    return (
        Message(
            "The answers to {sensitive!r} were exchanged within {groups}: {how}.",
            sensitive=plan.sensitive,
            groups=groups,
            how=how,
        ),
        (
            Message(
                "Every group has a deniability (entropy of its answers, 100 % when all "
                "are equally frequent) of at least {min_deniability}.",
                min_deniability=percentage(plan.options.min_deniability),
            )
        ),
        ("A single answer in this column is not certain; shares in groups stay correct."),
    )


def _group_name(tree: DeniabilityTree, group: Node) -> Message:
    """A group by what its people have in common; only parts of numbers are named by us."""
    shared = tuple(
        Message("{feature} {part}", feature=feature.name, part=part)
        for feature, part in tree.path(group)
    )
    return Message("{shared}", shared=shared) if shared else Message("all people")


def percentage(share: float) -> Message:
    """A share in percent with as many digits as tell it apart.

    >>> percentage(0.4), percentage(0.123)
    ('40 %', '12.3 %')
    """
    percent = round(100 * share, 1)
    return Message(
        "{percent:.0f} %" if percent.is_integer() else "{percent:.1f} %", percent=percent
    )
