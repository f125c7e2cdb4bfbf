"""The columns of a study that tell how people were drawn: what is offered and what is refused."""

from __future__ import annotations

from collections.abc import Sequence

from ppworkbench.core.data.sampling_roles import (
    CLUSTER,
    PERSON,
    REPLICATES,
    ROLES,
    STRATUM,
    Sampling,
    assign_role,
    role_columns,
    suggest_roles,
    unused_remarks,
)
from ppworkbench.core.message import Message
from ppworkbench.core.sampling.sample import SampleReader, refuse_randomised
from ppworkbench.study.study import Study

UNUSED_SAMPLING = Message(
    "Weights, strata and clusters of this study are not used here: everybody counts the same.",
    code="unused-sampling",
)


def unused_in(study: Study) -> tuple[Message, ...]:
    """What is said where the sampling of a study is known and nothing uses it."""
    return unused_remarks(study.sampling, UNUSED_SAMPLING)


def give_role(
    study: Study, names: Sequence[str], role: str, *, method: str = "", fay: float = 0.3
) -> Study:
    """The study with another role of some columns, or none; an error says what is in the way.

    A role can always be taken away, also where the others do not fit without it.
    """
    sampling = assign_role(study.sampling, names, role, method=method, fay=fay)
    if role and sampling is not None:
        if study.original is None:
            # These answers are published already, so nothing can be left undistorted any more.
            refuse_randomised(sampling, study.design)
        if study.table is not None:
            reader = SampleReader(sampling)
            reader.read(study.table)
            reader.frame()
    return study if sampling == study.sampling else study.with_sampling(sampling)


def suggested_roles(study: Study) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Roles that nobody has yet, with columns whose names look like them.

    Strata come with all of their columns, and so do replicates; of others the first one counts.
    """
    table, sampling = study.table, study.sampling
    if table is None:
        return ()
    taken = role_columns(sampling)
    given = (sampling or Sampling()).to_json()
    like = suggest_roles(name for name in table.names if name not in taken)
    found = []
    for role in ROLES:
        fit = tuple(name for name in like.get(role, ()) if _may_have(study, name, role))
        if fit and role not in given and (role != REPLICATES or len(fit) > 1):
            found.append((role, fit if role in (STRATUM, REPLICATES) else fit[:1]))
    return tuple(found)


def _may_have(study: Study, name: str, role: str) -> bool:
    assert study.table is not None  # noqa: S101 (it has columns)
    # Strata, clusters and persons may have names; all other roles are numbers.
    is_kind = role in (STRATUM, CLUSTER, PERSON) or study.table[name].attribute.kind.is_numeric
    if study.original is not None or name not in study.design:
        return is_kind
    return is_kind and study.design.perturbation(name).is_identity
