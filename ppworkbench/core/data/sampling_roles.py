"""How respondents were drawn: which columns hold weights, strata, clusters and replicates."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Annotated, Info, OneOf, Params, Within

POPULATION, RESPONDENTS = "population", "respondents"
"""Whom an estimate is about."""

CENTRE, CERTAINTY, FAIL = "centre", "certainty", "fail"
"""What is done with a stratum of which one cluster was drawn."""

UNUSED_SAMPLING = Message("The sampling of the file is not used: everybody counts the same.")

AUTO, WALD, WILSON, LOGIT = "auto", "wald", "wilson", "logit"

WEIGHT, STRATUM, CLUSTER, REPLICATES = "weight", "stratum", "cluster", "replicates"
PERSON = "person"
ROLES = (WEIGHT, STRATUM, CLUSTER, PERSON, POPULATION, REPLICATES)
"""What a column can tell about the sampling."""

WEIGHTS = "weights-of-records"
"""The code of a note that a file gave weights to its records, and in which column they are."""

LEAST_ROWS, MOST_LEAST_ROWS = 10, 1_000_000
"""How many rows share a coarsened weight or stratum of a release, and how many may be asked for."""

BRR, FAY, JK1, JKN, BOOTSTRAP = "brr", "fay", "jk1", "jkn", "bootstrap"
REPLICATE_METHODS = (BRR, FAY, JK1, JKN, BOOTSTRAP)
MADE_REPLICATES = (JK1, JKN, BRR, BOOTSTRAP)
"""How replicates can be made from strata and clusters."""
LINEARISED = "none"


@dataclass(frozen=True)
class ReplicateRole:
    """Columns of replicate weights and how they were made.

    ``fay`` is the factor by which Fay's method shrinks the weights of a half sample.
    """

    columns: tuple[str, ...]
    method: str
    fay: float = 0.3

    def __post_init__(self) -> None:
        if len(self.columns) < 2:
            raise ParameterError("Replicate weights need at least 2 columns.", field="replicates")
        ParameterError.unless_known(
            "The replicate method {name!r} is unknown; known are {known}.", self.method,
            REPLICATE_METHODS, field="replicates",
        )  # fmt: skip
        if not 0 <= self.fay < 1:
            raise ParameterError.saying(
                "Fay's factor is {fay:g}; it must be at least 0 and below 1.",
                fay=self.fay,
                field="replicates",
            )

    def to_json(self) -> dict[str, Any]:
        document: dict[str, Any] = {"columns": list(self.columns), "method": self.method}
        return document | {"fay": self.fay} if self.method == FAY else document


@dataclass(frozen=True)
class Sampling:
    """The columns that say how respondents were drawn.

    Parameters
    ----------
    weight
        How many people a row stands for; 1 each without it.
    stratum
        Columns whose combinations are the strata.
    cluster
        The first-stage unit; every row is one without it. Names need be unique within a stratum.
    population
        The number of first-stage units in the population of the stratum, or the sampled fraction
        where every entry is at most 1: a column, or one number for all.
    replicates
        Replicate weights, used in place of strata and clusters.
    person
        Who answered, where the same people answer in several waves; names are unique in the whole
        sample. Rows of one person vary together as those of a cluster do.

    Examples
    --------
    >>> Sampling(weight="pw", stratum=("stype",)).to_json()
    {'weight': 'pw', 'stratum': ['stype']}
    """

    weight: str | None = None
    stratum: tuple[str, ...] = ()
    cluster: str | None = None
    population: str | float | None = None
    replicates: ReplicateRole | None = None
    person: str | None = None

    def __post_init__(self) -> None:
        names = self.columns
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise ParameterError.saying(
                "Column {twice!r} has 2 sampling roles; give it one.",
                twice=twice,
                attribute=twice,
                field="sampling",
            )
        if isinstance(self.population, int | float) and not 0 < self.population < float("inf"):
            raise ParameterError.saying(
                "The population is {population:g}; it must be above 0.",
                population=self.population,
                field="population",
            )

    def named(self, role: str) -> tuple[str, ...]:
        found = getattr(self, role)
        if isinstance(found, ReplicateRole):
            return found.columns
        if isinstance(found, str):
            return (found,)
        return found if isinstance(found, tuple) else ()

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(name for role in ROLES for name in self.named(role))

    @property
    def unit(self) -> str | None:
        """The column of the units that were drawn: clusters, else persons; None for rows."""
        return self.cluster or self.person

    def role_of(self, name: str) -> str:
        """The role of a column; empty where it has none.

        >>> Sampling("pw", ("stype",)).role_of("stype")
        'stratum'
        """
        return next((role for role in ROLES if name in self.named(role)), "")

    def to_json(self) -> dict[str, Any]:
        """The roles as they stand in files; a role that nobody has is left out."""
        document = {role: getattr(self, role) for role in ROLES}
        document[STRATUM] = list(self.stratum) or None
        document[REPLICATES] = None if self.replicates is None else self.replicates.to_json()
        return {role: value for role, value in document.items() if value is not None}

    def renamed(self, call: Callable[[str], str | None]) -> Sampling:
        """The same roles of columns that have other names; None takes a column away."""
        replicates = self.replicates
        if replicates is not None:
            columns = tuple(name for name in map(call, replicates.columns) if name is not None)
            # The variance of half of the replicates is none.
            is_whole = len(columns) == len(replicates.columns)
            replicates = dataclasses.replace(replicates, columns=columns) if is_whole else None
        return Sampling(
            self.weight and call(self.weight),
            tuple(name for name in map(call, self.stratum) if name is not None),
            self.cluster and call(self.cluster),
            call(self.population) if isinstance(self.population, str) else self.population,
            replicates,
            self.person and call(self.person),
        )

    def without(self, columns: Iterable[str]) -> Sampling | None:
        """The roles that other columns have; None where nobody has one.

        >>> Sampling("pw", ("stype",)).without({"pw"}).to_json()
        {'stratum': ['stype']}
        """
        gone = set(columns)
        left = self.renamed(lambda name: None if name in gone else name)
        return left if left.to_json() else None

    @classmethod
    def from_json(cls, given: object) -> Sampling:
        if not isinstance(given, Mapping):
            raise ParameterError("The sampling must be an object with roles.", field="sampling")
        for role in map(str, given):
            ParameterError.unless_known(
                "The sampling role {name!r} is unknown; known are {known}.", role, sorted(ROLES),
                field=role,
            )  # fmt: skip
        population = given.get(POPULATION)
        if isinstance(population, bool) or not isinstance(population, str | int | float | None):
            raise ParameterError("The population must be a column or a number.", field="population")
        replicates = given.get("replicates")
        return cls(
            _name(given, "weight"),
            _names(given.get("stratum"), "stratum"),
            _name(given, "cluster"),
            population,
            None if replicates is None else _read_replicates(replicates),
            _name(given, "person"),
        )


def assign_role(
    sampling: Sampling | None,
    names: Sequence[str],
    role: str,
    *,
    method: str = "",
    fay: float = 0.3,
) -> Sampling | None:
    """The roles after some columns got another one, or none if it is empty.

    A role of one column moves to the new one; strata and replicates take more columns in.

    >>> assign_role(Sampling("pw", ("stype",)), ["region"], "stratum").stratum
    ('stype', 'region')
    """
    before = sampling or Sampling()
    left = before.without(names) or Sampling()
    if role == REPLICATES:
        known = before.replicates
        columns = dict.fromkeys([*(known.columns if known else ()), *names])
        method = method or (known.method if known else "")
        return dataclasses.replace(left, replicates=ReplicateRole(tuple(columns), method, fay))
    if role == STRATUM:
        joined = dict.fromkeys([*before.stratum, *names])
        return dataclasses.replace(left, stratum=tuple(joined))
    if role and len(names) != 1:
        raise ParameterError.saying(
            "Only 1 column can have the sampling role {role!r}.", role=role, field=role
        )
    if role:
        moved: dict[str, Any] = {role: names[0]}
        left = dataclasses.replace(left, **moved)
    return left if left.to_json() else None


def _read_replicates(given: object) -> ReplicateRole:
    if not isinstance(given, Mapping):
        raise ParameterError(
            "Replicates must be an object with columns and a method.", field="replicates"
        )
    fay = given.get("fay", 0.3)
    if isinstance(fay, bool) or not isinstance(fay, int | float):
        raise ParameterError("Fay's factor must be a number.", field="replicates")
    return ReplicateRole(
        _names(given.get("columns"), "replicates"), str(given.get("method", "")), float(fay)
    )


def _name(given: Mapping[str, Any], role: str) -> str | None:
    name = given.get(role)
    if name is None or (isinstance(name, str) and name):
        return name
    raise ParameterError.saying(
        "The sampling role {role!r} must name a column.", role=role, field=role
    )


def _names(given: object, role: str) -> tuple[str, ...]:
    names = [given] if isinstance(given, str) else given or []
    if isinstance(names, list | tuple) and all(isinstance(name, str) and name for name in names):
        return tuple(names)
    raise ParameterError.saying(
        "The sampling role {role!r} must be a list of columns.", role=role, field=role
    )


def without_roles(sampling: Sampling | None, columns: Iterable[str]) -> Sampling | None:
    """The roles that other columns have, where anything is said about the sampling."""
    return None if sampling is None else sampling.without(columns)


def role_columns(sampling: Sampling | None) -> tuple[str, ...]:
    """The columns that have a role; none where nothing is said about the sampling."""
    return (sampling or Sampling()).columns


@dataclass(frozen=True)
class SamplingOptions(Params):
    """How the sampling is used for an estimate."""

    target: Annotated[
        str,
        OneOf((POPULATION, RESPONDENTS)),
        Info("Target", "Everybody whom the sample stands for, or the people who answered"),
    ] = POPULATION
    lonely: Annotated[
        str,
        OneOf((CENTRE, CERTAINTY, FAIL)),
        Info("Single clusters", "What a stratum with 1 sampled cluster adds to the variance"),
    ] = CENTRE
    interval: Annotated[
        str,
        OneOf((AUTO, WALD, WILSON, LOGIT)),
        Info("Interval", "How the interval of a share is computed"),
    ] = AUTO
    degrees_of_freedom: Annotated[
        float | None,
        Within(0, open_low=True),
        Info("Degrees of freedom", "Clusters minus strata if not set"),
    ] = None
    make_replicates: Annotated[
        str,
        OneOf((LINEARISED, *MADE_REPLICATES)),
        Info("Made replicates", "Replicate weights made from strata and clusters for the errors"),
    ] = LINEARISED


_SUGGESTED = {
    "weight": re.compile(r"(p|f|s)?w(eigh)?t?s?|wgt|wts?|(sampling|survey|final|person)_?weight"),
    "stratum": re.compile(r"strat(um|a)?|(var)?str(ata?)?(_?id)?|sdmvstra"),
    "cluster": re.compile(r"clu(ster)?(_?(id|no|num))?|(var|v|sdmv)?psu(_?id)?|primary_?unit"),
    "person": re.compile(
        r"pers(on)?_?(id|no|num|nr)|person|pidp?|panel_?(id|member)|resp(ondent)?_?id"
    ),
    "population": re.compile(r"fpc|popsize|pop(ulation)?_?size|population"),
    "replicates": re.compile(r"(repw(gt|t)?|rep_?weight|brr(wt)?|jkw(t)?|bsw)_?\d+"),
}


def sampling_fields(
    sampling: Sampling | None, more: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """The field of a document about how people were drawn; none where nothing is said."""
    return {} if sampling is None else {"sampling": sampling.to_json() | dict(more or {})}


def unused_remarks(
    sampling: Sampling | None, unused: Message = UNUSED_SAMPLING
) -> tuple[Message, ...]:
    """What is said where a file names its sampling and nothing uses it."""
    return () if sampling is None else (unused,)


def stated_sampling(notes: Iterable[str]) -> Sampling | None:
    """The sampling that a file states itself: a weight for every record (ARFF)."""
    for note in notes:
        if isinstance(note, Message) and note.code == WEIGHTS:
            return Sampling(weight=str(note.args["attribute"]))
    return None


def suggest_roles(names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Columns whose names look like sampling roles, by role; nothing applies them.

    >>> suggest_roles(["age", "pw", "PSU", "strat", "fpc", "repw1", "repw2"])["cluster"]
    ('PSU',)
    """
    found: dict[str, list[str]] = {}
    for name in names:
        plain = name.strip().lower().replace(".", "_").replace(" ", "_")
        for role, pattern in _SUGGESTED.items():
            if pattern.fullmatch(plain):
                found.setdefault(role, []).append(name)
                break
    return {role: tuple(columns) for role, columns in found.items()}
